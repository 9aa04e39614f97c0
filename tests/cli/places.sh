# Places that refuse or surprise: full disks, folders without permission, closed output, other languages, odd and long
# paths, links, permissions of new files.
. "$(dirname "$0")/checks.sh"

sphere=$SOURCE/scenes/sphere-slides-then-rolls.json

# ends_with CODE COMMAND...: a command line of the shell in place of gives
ends_with() {
  local wanted=$1 code=0
  shift
  ("$@") >stdout 2>stderr </dev/null || code=$?
  [ "$code" -eq "$wanted" ] || complain "$*: exit code $code, expected $wanted"
}

to_full() { asperity "$@" >/dev/full; }
to_nowhere() { asperity "$@" >&-; }
without_streams() { asperity "$@" <&- >&- 2>&-; }

# a full disk behind standard output is exit code 3; the result, which lies elsewhere, is whole
full_standard_output_is_told() {
  ends_with 3 to_full run --json --out r.h5 "$sphere"
  says stderr 'standard output cannot be written'
  gives 0 info r.h5
  ends_with 3 to_full info r.h5
  ends_with 3 to_full --help
}

# closed streams: what is opened next must not land in them
closed_streams_do_no_harm() {
  ends_with 0 to_nowhere run --quiet --out r.h5 "$sphere"
  gives 0 info r.h5
  ends_with 0 without_streams run --quiet --out s.h5 "$sphere"
  cmp -s r.h5 s.h5 || complain 'the result differs when all streams are closed'
  gives 0 info s.h5
  ends_with 3 to_nowhere info r.h5
}

# a disk that fills up while results and pages are written
full_disks_are_told() {
  if [ "$(id -u)" -ne 0 ] || ! mkdir small || ! mount -t tmpfs -o size=300k none small 2>/dev/null; then
    echo 'left out: a small file system needs root'
    return
  fi
  trap 'umount small' EXIT
  gives 0 run --quiet --out r.h5 "$sphere"
  gives 3 run --quiet --out small/r.h5 "$sphere"
  says stderr small/r.h5
  says stderr 'No space left'
  head -c 290000 /dev/zero >small/filler
  gives 3 convert --quiet r.h5 -o small/r.csv
  says stderr small/r.csv
  gives 3 import --quiet "$SOURCE/scenes/robots/leg.xml" -o small/leg.json
  says stderr small/leg.json
}

folders_without_permission_are_told() {
  gives 0 run --quiet --out r.h5 "$sphere"
  mkdir closed
  chmod 555 closed
  if touch closed/probe 2>/dev/null; then
    echo 'left out: root may write everywhere'
  else
    gives 2 run --quiet --out closed/r.h5 "$sphere"
    says stderr closed/r.h5
    gives 2 convert --quiet r.h5 -o closed/r.csv
    says stderr closed/r.csv
  fi
  gives 2 run --quiet --out r.h5/below.h5 "$sphere" # a file in the place of a folder
  says stderr r.h5/below.h5
  gives 2 run --quiet --out /proc/r.h5 "$sphere"
  says stderr /proc/r.h5
}

# numbers are written and read with a point, whatever the language
decimal_commas_change_nothing() {
  local locale
  gives 0 run --json --out r.h5 "$sphere"
  gives 0 convert --quiet r.h5 -o r.csv
  for locale in $(locale -a | grep -E '^(de|fr|ru|pl|sv)_'); do
    LC_ALL=$locale gives 0 run --quiet --out l.h5 "$sphere"
    LC_ALL=$locale gives 0 convert --quiet l.h5 -o l.csv
    cmp -s r.h5 l.h5 || complain "the result differs in $locale"
    cmp -s r.csv l.csv || complain "the table differs in $locale"
  done
  [ -n "${locale:-}" ] || echo 'left out: no language with decimal commas is installed (Debian: locales-all)'
}

odd_paths_are_paths() {
  local name
  for name in 'Größe µ 力学' 'a b  c' "it's" '"quoted"' '%s%n%d' '$(touch evil)' 'a;b&c' '-dash' 'dot.' 'a#b?c'; do
    cp "$sphere" "./$name.json"
    gives 0 run --quiet --out "./$name.h5" "./$name.json"
    gives 0 info --json "./$name.h5"
    json_is file "./$name.h5"
    gives 0 convert --quiet "./$name.h5" -o "./$name.csv"
    [ -s "./$name.csv" ] || complain "no table beside '$name'"
  done
  [ ! -e evil ] || complain 'a path was taken for a command'
}

# longer than the system allows: told; as long as it allows: works
long_paths_are_told_or_work() {
  local part long
  part=$(printf 'x%.0s' $(seq 200))
  long=$part
  for _ in $(seq 24); do long=$long/$part; done
  gives 2 run --quiet --out "$long.h5" "$sphere"
  says stderr xxxx
  gives 2 info "$long.h5"
  gives 2 run "$long.json"
  long=$PWD
  while [ ${#long} -lt 3000 ]; do long=$long/$part; done
  mkdir -p "$long"
  gives 0 run --quiet --out "$long/r.h5" "$sphere"
  gives 0 info "$long/r.h5"
}

new_files_follow_umask() {
  local mode
  (umask 077 && asperity run --quiet --out private.h5 "$sphere") || complain 'run'
  (umask 077 && asperity convert --quiet private.h5 -o private.csv) || complain 'convert'
  for name in private.h5 private.csv; do
    mode=$(stat -c %a $name)
    [ "$mode" = 600 ] || complain "$name has mode $mode under umask 077"
  done
  (umask 022 && asperity run --quiet --out shared.h5 "$sphere") || complain 'run'
  mode=$(stat -c %a shared.h5)
  [ "$mode" = 644 ] || complain "shared.h5 has mode $mode under umask 022"
}

# links to files are followed for reading; loops are told
links_are_followed() {
  mkdir real
  gives 0 run --quiet --out real/r.h5 "$sphere"
  ln -s real/r.h5 link.h5
  ln -s loop.h5 loop.h5
  gives 0 info link.h5
  gives 2 info loop.h5
  says stderr loop.h5
  gives 0 run --quiet --out loop.h5 "$sphere" # a whole file takes the place of the link
  gives 0 info loop.h5
}

prove full_standard_output_is_told closed_streams_do_no_harm full_disks_are_told folders_without_permission_are_told decimal_commas_change_nothing \
  odd_paths_are_paths long_paths_are_told_or_work new_files_follow_umask links_are_followed
