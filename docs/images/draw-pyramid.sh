#!/usr/bin/env bash
# draw-pyramid.sh [PROGRAM]: runs scenes/pyramid-of-balls.json and draws docs/images/pyramid-of-balls.svg from its result:
# three moments, seen along the direction (azimuth, elevation) without perspective, far balls first. The ring on a ball is
# the circle z = 0 of its own frame, so that one sees it turn.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-build/release/cli/asperity}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" run scenes/pyramid-of-balls.json --out "$work/result.h5" --quiet
"$program" convert "$work/result.h5" -o "$work/result.csv" --quiet

# one line per body and moment: panel, time, name, x y z, quaternion
awk -F, -v moments='0.19 0.25 0.55' '
  NR == 1 {
    for (i = 2; i <= NF; i += 13) { name[i] = $i; gsub(/^"|\.x \[m\]"$/, "", name[i]) }
    count = split(moments, moment, " "); panel = 1
    next
  }
  panel <= count && $1 >= moment[panel] - 1e-9 {
    for (i = 2; i <= NF; i += 13)
      if (name[i] != "ground")
        printf "%d %.3g %s %s %s %s %s %s %s %s\n", panel, $1, name[i] == "breaker" ? "breaker" : "ball", \
          $i, $(i + 1), $(i + 2), $(i + 3), $(i + 4), $(i + 5), $(i + 6)
    panel++
  }' "$work/result.csv" >"$work/bodies"

# far ones first: sorted by panel and by depth towards the eye
awk -v azimuth=-108 -v elevation=24 '
  BEGIN { a = azimuth * atan2(0, -1) / 180; e = elevation * atan2(0, -1) / 180 }
  { print $1, (cos(a) * $4 + sin(a) * $5) * cos(e) + $6 * sin(e), $0 }' "$work/bodies" |
  sort -k1,1n -k2,2n | cut -d' ' -f3- >"$work/sorted"

awk -v azimuth=-108 -v elevation=24 '
  BEGIN {
    pi = atan2(0, -1); a = azimuth * pi / 180; e = elevation * pi / 180
    scale = 250; width = 780; height = 264
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"14\">\n", width, 3 * height
    print "<title>Pyramid of balls before, at and after the impact of a heavy ball</title>"
    print "<defs>"
    gradient("ball", "#ffe2b0", "#e08a1e", "#8a4b08"); gradient("breaker", "#c9d6e6", "#4a6584", "#1d2c3d")
    print "</defs>"
    printf "<rect width=\"%d\" height=\"%d\" fill=\"#fbfaf7\"/>\n", width, 3 * height
  }
  function gradient(id, light, middle, dark) {
    printf "<radialGradient id=\"%s\" cx=\"0.36\" cy=\"0.3\" r=\"0.75\"><stop offset=\"0\" stop-color=\"%s\"/><stop offset=\"0.55\" stop-color=\"%s\"/><stop offset=\"1\" stop-color=\"%s\"/></radialGradient>\n", id, light, middle, dark
  }
  function sx(x, y) { return 345 + scale * (-sin(a) * x + cos(a) * y) }
  function sy(x, y, z) { return origin + scale * ((cos(a) * x + sin(a) * y) * sin(e) - z * cos(e)) }
  function line(x1, y1, x2, y2) {
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", sx(x1, y1), sy(x1, y1, 0), sx(x2, y2), sy(x2, y2, 0)
  }
  function begin_panel(time,    k) {
    origin = height * panel - 76
    printf "<clipPath id=\"panel%d\"><rect y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n<g clip-path=\"url(#panel%d)\">\n", panel, height * (panel - 1), width, height, panel
    print "<g stroke=\"#ddd8cc\" stroke-width=\"1\">"
    for (k = -10; k <= 10; k++) line(k / 4, -2, k / 4, 2)
    for (k = -8; k <= 8; k++) line(-2.5, k / 4, 2.5, k / 4)
    print "</g>"
    printf "<text x=\"14\" y=\"%d\" fill=\"#333\">t = %s s</text>\n", height * (panel - 1) + 24, time
  }
  # shadows are drawn as they come, balls over all of them
  function end_panel() { if (panel) printf "%s</g>\n", balls; balls = "" }
  # the half of the ring that faces the eye; a point (cos p, sin p, 0) of the body frame turned by the quaternion
  function ring(x, y, z, r, w, i, j, k,    n, p, u, v, X, Y, Z, path, pen) {
    path = ""; pen = 0
    for (n = 0; n <= 72; n++) {
      p = 2 * pi * n / 72; u = cos(p); v = sin(p)
      X = (1 - 2 * (j * j + k * k)) * u + 2 * (i * j - w * k) * v
      Y = 2 * (i * j + w * k) * u + (1 - 2 * (i * i + k * k)) * v
      Z = 2 * (i * k - w * j) * u + 2 * (j * k + w * i) * v
      if ((cos(a) * X + sin(a) * Y) * cos(e) + Z * sin(e) > 0) {
        path = path sprintf("%s%.1f %.1f", pen ? "L" : "M", sx(x + r * X, y + r * Y), sy(x + r * X, y + r * Y, z + r * Z)); pen = 1
      } else pen = 0
    }
    return path
  }
  {
    if ($1 != panel) { end_panel(); panel = $1; begin_panel($2) }
    r = $3 == "breaker" ? 0.2 : 0.1
    printf "<ellipse cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\" fill=\"#000\" opacity=\"0.18\"/>\n", sx($4, $5), sy($4, $5, 0), scale * r * 0.9, scale * r * 0.9 * sin(e)
    balls = balls sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"url(#%s)\" stroke=\"#3a2a12\" stroke-width=\"0.6\"/>\n", sx($4, $5), sy($4, $5, $6), scale * r, $3)
    balls = balls sprintf("<path d=\"%s\" fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.75\" stroke-width=\"%.1f\"/>\n", ring($4, $5, $6, r, $7, $8, $9, $10), $3 == "breaker" ? 3 : 2)
  }
  END { end_panel(); printf "<g stroke=\"#cfc8b8\"><line y1=\"%d\" x2=\"%d\" y2=\"%d\"/><line y1=\"%d\" x2=\"%d\" y2=\"%d\"/></g>\n</svg>\n", height, width, height, 2 * height, width, 2 * height }
' "$work/sorted" >docs/images/pyramid-of-balls.svg
echo docs/images/pyramid-of-balls.svg
