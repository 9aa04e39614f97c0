#!/usr/bin/env bash
# asperity-mpi run: 200 steps of piles and of a drum give the bytes of the serial program's result (states, contacts, certificates) on
# 1, 2, 3, 5 and 8 ranks (ASPERITY_MPI_RANKS: others). Messages are counted by MPI's profiling interface.
set -euo pipefail
. "$(dirname "$0")/launch.sh"
rm -rf "$WORK" && mkdir -p "$WORK" && cd "$WORK"

# summary FILE: what a run reports, without its time
summary() {
  sed 's/"wall_s": [^,]*, //; s/"result": "[^"]*"//' "$1"
}

# same KIND WIDE HIGH: all numbers of ranks
same() {
  local kind=$1 ranks code expected=0
  awk -v kind="$kind" -v wide="$2" -v high="$3" -f "$SOURCE/tests/mpi/pile.awk" >"$kind.json"
  local words=(run --quiet --json --tol 1e-3 --until 0.8 "$kind.json")
  "$ASPERITY" "${words[@]}" --out serial.h5 --solver-log serial.csv >serial.out 2>/dev/null || expected=$?
  [ "$expected" -le 1 ] && grep -q '"steps": 200,' serial.out || { echo "$kind: the serial run ends with $expected"; cat serial.out; exit 1; }
  for ranks in ${ASPERITY_MPI_RANKS:-1 2 3 5 8}; do
    code=0
    rm -f counts.*
    MPI_COUNTS=$PWD/counts LD_PRELOAD=$MPI_PRELOAD launch "$ranks" "$ASPERITY_MPI" "${words[@]}" --out ranks.h5 --solver-log ranks.csv >ranks.out 2>err || code=$?
    [ "$code" -eq "$expected" ] || { echo "$kind on $ranks ranks: exit code $code, serial $expected"; cat err; exit 1; }
    cmp serial.h5 ranks.h5 || { echo "$kind: the result of $ranks ranks is another one"; exit 1; }
    cmp serial.csv ranks.csv || { echo "$kind: the solver on $ranks ranks takes another way"; exit 1; }
    cmp <(summary serial.out) <(summary ranks.out) || { echo "$kind: the report of $ranks ranks is another one"; exit 1; }
    counted "$kind" "$ranks"
  done
}

# counted KIND RANKS: several ranks share work, one sends nothing
counted() {
  local largest
  [ "$(cat counts.* | wc -l)" -eq "$2" ] || { echo "$1 on $2 ranks: counts of $(cat counts.* | wc -l)"; exit 1; }
  largest=$(sort -n counts.* | tail -1)
  echo "$1, $2 ranks: sends, receives, bytes, gatherings, bytes gathered of the rank with most sends: $largest"
  if [ "$2" -eq 1 ]; then
    [[ $largest == '0 0 0 '* ]] || { echo 'one rank sends messages'; exit 1; }
  else
    [ "${largest%% *}" -gt 0 ] || { echo 'no work was shared'; exit 1; }
  fi
}

same spheres 12 12
same drum 12 12
same mixed 13 12
same boxes 7 9
