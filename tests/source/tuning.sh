#!/usr/bin/env bash
# Numbers that were chosen stand in the tables src/LAYER/tuning/NAME.h and nowhere else, and their page is in step.
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 77; }
failures=0
python3 "$SOURCE/tests/source/tuning_constants.py" "$SOURCE" --list || failures=1
python3 "$SOURCE/tests/source/tuning_constants.py" "$SOURCE" --check "$SOURCE/docs/reference/tuning.md" || failures=1
exit "$failures"
