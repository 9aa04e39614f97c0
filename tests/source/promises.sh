# Every test that docs/promises.md names exists.
set -u
page=$SOURCE/docs/promises.md
bad=0
names=$(grep -oE '`(base|linalg|problem|solver|shape|collide|flex|model|formulate|analyze|scheme|world|compare|io|cli|fuzz|faults|web|source|packaging)/[a-z0-9_]+`' "$page" | tr -d '`' | sort -u)
[ "$(wc -l <<<"$names")" -gt 20 ] || { echo "few tests are named in $page"; exit 1; }
for name in $names; do
  layer=${name%/*} test=${name#*/}
  case $layer in
  fuzz) file=fuzz/harness_$test.c ;;
  faults) file=tests/faults/sweep.py ;;
  web) file=tests/web/$test.test.mjs ;;
  cli | source | packaging) file=tests/$layer/$test.sh ;;
  *) file=tests/$layer/test_$test.c ;;
  esac
  [ -e "$SOURCE/$file" ] || { echo "$page names the test $name, but there is no $file"; bad=1; }
done
exit $bad
