# Files of released versions are read by the present program (docs/reference/compatibility.md).
. "$(dirname "$0")/checks.sh"

kept=$SOURCE/tests/data/compatibility

# each VERSION in a folder of its own, unpacked
unpack() {
  local version
  for version in "$kept"/*/; do
    cp -r "$version" .
  done
  gzip -dr .
}

results_hold_what_they_held() {
  local result
  unpack
  for result in */*.h5; do
    [ "$(basename "$result")" != killed.h5 ] || continue
    gives 0 info "$result"
    gives 0 convert --quiet "$result" -o again.csv
    cmp -s again.csv "${result%.h5}.csv" || complain "$result: the table differs from the one of its version"
    gives 0 convert --quiet "$result" -o again.svg
    gives 0 run --quiet --from "$result" --until 0.06 --out none "${result%.h5}.json"
  done
}

scenes_and_studies_are_valid() {
  local scene
  unpack
  for scene in */*.json; do
    gives 0 validate "$scene"
  done
}

# a checkpoint belongs to one build: it is resumed, or refused by name, and the result stays readable
checkpoints_are_resumed_or_refused_by_name() {
  local result code
  unpack
  for result in */killed.h5; do
    gives 0 info "$result"
    code=0
    asperity run --quiet --resume "$result" --until 0.06 >stdout 2>stderr </dev/null || code=$?
    case $code in
    0 | 1) ;;
    2) one_line stderr ;; # another version, or its scene is no longer where it was
    *) complain "run --resume $result: exit code $code" ;;
    esac
    gives 0 info "$result"
  done
}

prove results_hold_what_they_held scenes_and_studies_are_valid checkpoints_are_resumed_or_refused_by_name
