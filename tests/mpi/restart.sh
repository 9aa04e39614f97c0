#!/usr/bin/env bash
# asperity-mpi run: a rank is killed (SIGKILL); the run goes on from its checkpoint on another number of ranks, or in the serial
# program, to the numbers of a run without interruption, all digits. What cannot go on is refused by name, on all ranks.
set -euo pipefail
. "$(dirname "$0")/launch.sh"
rm -rf "$WORK" && mkdir -p "$WORK" && cd "$WORK"
awk -v kind=spheres -v wide=10 -v high=12 -f "$SOURCE/tests/mpi/pile.awk" >pile.json
words=(run --quiet --tol 1e-4 --until 0.4)

# tables RESULT NAME: states, contacts and energies with all digits, and the report without its time
tables() {
  local what
  for what in bodies contacts energies; do
    "$ASPERITY" convert --quiet "$1" --what "$what" -o "$2-$what.csv"
  done
  sed 's/"wall_s": [^,]*, //; s/"result": "[^"]*"//' report.json >"$2-report.json"
}

# same LABEL: r.h5, resumed, is what a run without interruption gives
same() {
  local name
  tables r.h5 resumed
  for name in bodies.csv contacts.csv energies.csv report.json; do
    cmp "whole-$name" "resumed-$name" || { echo "$1: another $name"; exit 1; }
  done
  [ ! -e r.h5.checkpoint ] || { echo "$1: the checkpoint of a run that has ended is left"; exit 1; }
}

"$ASPERITY" "${words[@]}" --json --out whole.h5 pile.json >report.json
tables whole.h5 whole

# killed RANKS: a run into r.h5 with a checkpoint after every step; its last rank gets SIGKILL under way
killed() {
  local code=0 size=0 rank
  rm -f r.h5*
  launch "$1" bash -c 'echo $$ >rank.$OMPI_COMM_WORLD_RANK; exec "$@"' - "$ASPERITY_MPI" "${words[@]}" --out r.h5 --checkpoint-every 0 pile.json >out 2>err &
  local program=$!
  while [ "$size" -lt 1 ] && kill -0 "$program" 2>/dev/null; do
    sleep 0.05
    size=$(stat -c %s r.h5.checkpoint 2>/dev/null || echo 0)
  done
  sleep 0.3
  read -r rank <"rank.$(($1 - 1))"
  kill -KILL "$rank"
  wait "$program" || code=$?
  [ "$code" -ne 0 ] || { echo 'the job of a killed rank ends with 0'; exit 1; }
  [ -s r.h5.checkpoint ] || { echo 'no checkpoint is left'; exit 1; }
}

killed 3
launch 2 "$ASPERITY_MPI" run --quiet --json --resume r.h5 >report.json
same 'killed on 3 ranks, resumed on 2'
killed 2
"$ASPERITY" run --quiet --json --resume r.h5 >report.json
same 'killed on 2 ranks, resumed by the serial program'

# refused LABEL TEXT ARGUMENTS...: exit code 2, this text once
refused() {
  local label=$1 text=$2 code=0
  shift 2
  launch 3 "$ASPERITY_MPI" "$@" >out 2>err || code=$?
  { [ "$code" -eq 2 ] && [ "$(grep -cF -e "$text" err)" -eq 1 ]; } || { echo "$label: exit code $code"; cat err; exit 1; }
}
refused 'no checkpoint' 'r.h5' run --resume r.h5
refused 'another scene' 'pile.json' run --out pile.json pile.json
exec 9>whole.h5.lock
flock 9
refused 'a result that another run writes' 'whole.h5' run --out whole.h5 pile.json
