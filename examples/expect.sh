# expect.sh FILE COMMAND...: the command succeeds and prints what the file holds.
set -euo pipefail
expected=$1
shift
"$@" | diff "$expected" - && echo "as in $expected"
