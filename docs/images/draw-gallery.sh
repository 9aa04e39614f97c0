#!/usr/bin/env bash
# Draws the pictures of README and gallery page from the gallery's scenes: runs them and converts them to pictures. Needs a built program
# with the viewer, chromium, and convert (imagemagick) to keep files small.
#
#   docs/images/draw-gallery.sh [build/release/cli/asperity [SCENE...]]
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "${1:-$top/build/release/cli/asperity}")
only=" ${*:2} "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

draw() { # scene, what the page shows
  [[ $only == '  ' || $only == *" $1 "* ]] || return 0
  "$program" run --quiet --out "$work/$1.h5" "$top/scenes/gallery/$1.json" || [ $? -eq 1 ] # 1: a step was long
  "$program" convert --quiet "$work/$1.h5" -o "$work/$1.png" --size 800x500 --view "title=0&$2"
  convert "$work/$1.png" -dither FloydSteinberg -colors 255 -strip "PNG8:$top/docs/images/$1.png"
}

draw arch 't=5&theme=light&contacts=1&az=-62&el=12&zoom=1.15'
draw card-house 't=1&theme=light&contacts=1&az=-50&el=12&zoom=1.2'
draw domino-run 't=0.95&theme=light&contacts=0&az=-115&el=24&zoom=1'
draw brick-wall 't=0.3&theme=light&contacts=0&az=-40&el=16&zoom=1.25'
draw granular-pile 't=1.2&theme=light&contacts=1&zoom=1.45&el=24'
draw kapla-tower 't=1&theme=light&contacts=0&el=20&zoom=1.4'
draw ladder 't=3.8&theme=light&contacts=1&zoom=1.1'
draw gripper 't=2.5&theme=light&contacts=1&az=-60&el=15&zoom=1.8'
draw parts-feeder 't=0.45&theme=light&contacts=1'
draw billiard-break 't=0.5&theme=light&contacts=0&el=40&zoom=2&at=0.72,0.04,0.03'
draw wedge-jam 't=1.5&theme=light&contacts=1'
draw newtons-cradle 't=0.1&theme=light&contacts=0'
draw tippe-top 't=0.8&theme=light&contacts=1&el=15&zoom=1.4'
draw guided-hopper 't=0.5&theme=light&contacts=1&zoom=1.6'
draw diving-board 't=0.45&theme=light&contacts=1'
draw woodpecker 't=0.5&theme=light&contacts=0&zoom=2'
