# Every test that docs/promises.md names exists.
set -u
page=$SOURCE/docs/promises.md
bad=0
names=$(grep -oE '`(base|linalg|problem|solver|shape|collide|flex|model|formulate|analyze|scheme|world|compare|io|fuzz|faults|web|source|packaging)/[a-z0-9_]+`' "$page" | tr -d '`' | sort -u)
[ "$(wc -l <<<"$names")" -gt 20 ] || { echo "few tests are named in $page"; exit 1; }
for file in $(grep -oE '`tests/[a-z]+/[a-z_]+\.sh`' "$page" | tr -d '`' | sort -u); do
  [ -e "$SOURCE/$file" ] || { echo "$page names $file, which is not there"; bad=1; }
done
for name in $names; do
  layer=${name%/*} test=${name#*/}
  case $layer in
  fuzz) file=fuzz/harness_$test.c ;;
  faults) file=tests/faults/sweep.py ;;
  web) file=tests/web/$test.test.mjs ;;
  source | packaging) file=tests/$layer/$test.sh ;;
  *) file=tests/$layer/test_$test.c ;;
  esac
  [ -e "$SOURCE/$file" ] || { echo "$page names the test $name, but there is no $file"; bad=1; }
done
exit $bad
