#!/usr/bin/env bash
# No result depends on the C library's elementary functions: src/ calls those of base/elementary.h.
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 77; }
python3 "$SOURCE/tests/source/elementary.py" "$SOURCE"
