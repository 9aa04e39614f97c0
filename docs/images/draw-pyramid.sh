#!/usr/bin/env bash
# draw-pyramid.sh PROGRAM: runs scenes/pyramid-of-balls.json with the given program and draws docs/images/pyramid-of-balls.svg
# from the result: three moments seen from above at an angle, far balls first.
set -euo pipefail
program=$(realpath "${1:-build/release/cli/asperity}")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" run scenes/pyramid-of-balls.json --out "$work/result.h5" --quiet
"$program" convert "$work/result.h5" -o "$work/result.csv" --quiet
