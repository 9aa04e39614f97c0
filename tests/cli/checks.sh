# What the shell tests share. A test script sources this, defines functions whose names are properties, and ends with
# `prove NAME ...`. Each property runs in a fresh folder; the first expectation that fails ends it and names itself.
#
# From CTest: ASPERITY (the program), LAUNCHER (what it runs behind, e.g. valgrind), JSON_QUERY, MAKE_LCP, SOURCE, WORK.
set -u

asperity() {
  # shellcheck disable=SC2086 # the launcher is a list of words
  ${LAUNCHER:-} "$ASPERITY" "$@"
}

complain() {
  {
    printf '  %s\n' "$*"
    printf '  stdout: %s\n' "$(head -c 2000 stdout 2>/dev/null)"
    printf '  stderr: %s\n' "$(head -c 2000 stderr 2>/dev/null)"
  } >&2
  exit 1
}

# gives CODE WORDS...: `asperity WORDS...` ends with CODE; its output is in the files stdout and stderr
gives() {
  local wanted=$1 code=0
  shift
  asperity "$@" >stdout 2>stderr </dev/null || code=$?
  [ "$code" -eq "$wanted" ] || complain "asperity $*: exit code $code, expected $wanted"
}

# says FILE TEXT: the file holds the text
says() { grep -qF -- "$2" "$1" || complain "$1 does not say: $2"; }
says_not() { ! grep -qF -- "$2" "$1" || complain "$1 says: $2"; }
is_empty() { [ ! -s "$1" ] || complain "$1 is not empty"; }
# one_line FILE: exactly one line
one_line() { [ "$(wc -l <"$1")" -eq 1 ] || complain "$1 has $(wc -l <"$1") lines, expected one"; }

# json PATH: the value at PATH ("final/bodies/0/name") of the one JSON object in stdout; fails when it is not one
json() { "$JSON_QUERY" "$1" <stdout || complain "no $1 in one JSON object"; }
json_is() { [ "$(json "$1")" = "$2" ] || complain "$1 is $(json "$1"), expected $2"; }
# json_near PATH VALUE TOLERANCE
json_near() {
  json "$1" | awk -v e="$2" -v t="$3" '{ d = $1 - e; if (d < 0) d = -d; exit !($1 != "null" && d <= t) }' ||
    complain "$1 is $(json "$1"), expected $2 +- $3"
}

# json_not_negative PATH: a number, 0 or more
json_not_negative() { json "$1" | grep -qE '^[0-9][0-9.e+-]*$' || complain "$1 is $(json "$1"), expected a number >= 0"; }

prove() {
  local property failures=0
  for property in "$@"; do
    rm -rf "${WORK:?}/$property"
    mkdir -p "$WORK/$property"
    if (cd "$WORK/$property" && "$property"); then
      printf 'ok      %s\n' "$property"
    else
      printf 'FAILED  %s\n' "$property"
      failures=$((failures + 1))
    fi
  done
  [ "$failures" -eq 0 ]
}
