#!/usr/bin/env bash
# The program asperity-mpi: equal reports on 1, 2 and 3 ranks, an answer that the serial judge accepts, broken input, libraries without MPI.
set -euo pipefail
. "$(dirname "$0")/launch.sh"
rm -rf "$WORK" && mkdir -p "$WORK" && cd "$WORK"
"$ASPERITY" run --quiet --friction exact --until 0.02 --dump-problem 2 "$SOURCE/scenes/pyramid-of-balls.json"
problem=pyramid-of-balls-step2.hdf5
for ranks in 1 2 3; do
  launch "$ranks" "$ASPERITY_MPI" solve --cell-bodies 4 --save saved$ranks.hdf5 $problem >report$ranks
  grep -E 'status|residual|hash' report$ranks >same$ranks
  cmp same1 same$ranks || { cat report1 report$ranks; exit 1; }
  cmp saved1.hdf5 saved$ranks.hdf5 || { echo "the saved answers of 1 and $ranks ranks differ"; exit 1; }
done
grep -q 'status     solved' report1 || { cat report1; exit 1; }

# refused LABEL TEXT ARGUMENTS...: exit code 2 and this text
refused() {
  local label=$1 text=$2 code=0
  shift 2
  launch 2 "$ASPERITY_MPI" "$@" >out 2>err || code=$?
  { [ "$code" -eq 2 ] && grep -qF -e "$text" err; } || { echo "$label: exit code $code"; cat err; exit 1; }
}
refused 'no file' 'nowhere.hdf5' solve nowhere.hdf5
refused 'cells of nothing' '--cell-bodies must be a whole number of at least 1; it is 0' solve --cell-bodies 0 $problem
refused 'tolerance' '--tol must lie between 0 and 1; it is 2' solve --tol 2 $problem
refused 'unknown option' 'unknown option --cels' solve --cels 3 $problem
refused 'unknown command' 'unknown command walk; the commands are run and solve' walk $problem
refused 'a problem as a scene' 'pyramid-of-balls-step2.hdf5' run $problem
refused 'no scene' 'nowhere.json' run nowhere.json
refused 'wall clock time' 'step_budget' run --step-budget 1 "$SOURCE/scenes/pyramid-of-balls.json"
refused 'option of run' '--dt' run --dt 0 "$SOURCE/scenes/pyramid-of-balls.json"
"$ASPERITY" run --quiet --until 0.02 --dump-problem 1 "$SOURCE/scenes/four-bar.json" 2>/dev/null ||
  "$ASPERITY" run --quiet --until 0.02 --dump-problem 1 "$SOURCE/scenes/slider-crank.json"
refused 'joints' 'contacts of rigid bodies' solve ./*-step1.hdf5
code=0
launch 2 "$ASPERITY_MPI" solve --max-sweeps 8 --cell-bodies 4 $problem >out || code=$?
{ [ $code -eq 1 ] && grep -q 'iteration limit' out; } || { echo "a missed tolerance: exit code $code"; cat out; exit 1; }

# shellcheck disable=SC2086 # several
if ldd $LIBRARIES "$ASPERITY" | grep -i 'mpi'; then
  echo 'the library or the program asperity links MPI'
  exit 1
fi
