# A scene of WIDE x WIDE x HIGH bodies that fall onto each other, every other layer shifted by half a body, as JSON:
#   awk -v kind=K -v wide=W -v high=H -f pile.awk
# kind: spheres, boxes, mixed (spheres, boxes and capsules), drum (spheres in a drum that turns).
function jitter() {
  seed = (seed * 16807) % 2147483647
  return 0.04 * (seed / 2147483647 - 0.5)
}
function wall(x, y, z, angle, a, b, c) {
  return sprintf("{\"type\": \"box\", \"size\": [%g, %g, %g], \"position\": [%.12g, %.12g, %.12g], \"orientation\": [%.12g, 0, %.12g, 0]}",
                 a, b, c, x, y, z, cos(angle / 2), sin(angle / 2))
}
function half_space(x, y, distance) {
  return sprintf("{\"type\": \"half-space\", \"normal\": [%g, %g, 0], \"position\": [%g, %g, 0]}", x, y, -distance * x, -distance * y)
}
function drum(radius, deep, list, k, angle) {
  for (k = 0; k < 24; k++) {
    angle = k * 2 * 3.14159265358979 / 24
    list = list wall((radius + 0.5) * sin(angle), 0, (radius + 0.5) * cos(angle), angle, 0.3 * radius + 0.6, deep + 1, 1) ", "
  }
  return list wall(0, deep / 2 + 0.25, 0, 0, 3 * radius, 0.5, 3 * radius) ", " wall(0, -deep / 2 - 0.25, 0, 0, 3 * radius, 0.5, 3 * radius)
}
BEGIN {
  seed = 4711
  space = kind == "boxes" || kind == "mixed" ? 1.02 : 1.05
  layer = kind == "spheres" || kind == "drum" ? 0.76 : 1.01
  half = 0.5 * space * wide + 0.4
  print "{\"name\": \"pile\", \"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4}], \"bodies\": ["
  if (kind == "drum") {
    radius = sqrt(half * half + 0.25 * layer * layer * high * high) + 0.6
    print "{\"name\": \"drum\", \"motion\": {\"rotation\": \"t\", \"axis\": [0, 1, 0]}, \"shapes\": [" drum(radius, 2 * half) "]}"
  } else
    print "{\"name\": \"walls\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}, " half_space(1, 0, half) ", " half_space(-1, 0, half) ", " half_space(0, 1, half) ", " half_space(0, -1, half) "]}"
  sphere = "{\"type\": \"sphere\", \"radius\": 0.5}"
  box = "{\"type\": \"box\", \"size\": [0.96, 0.96, 0.96]}"
  capsule = "{\"type\": \"capsule\", \"radius\": 0.35, \"length\": 0.24}"
  base = kind == "drum" ? -0.5 * layer * (high - 1) : 0.501
  for (i = 0; i < wide * wide * high; i++) {
    shape = kind == "boxes" || (kind == "mixed" && i % 3 == 1) ? box : kind == "mixed" && i % 3 == 2 ? capsule : sphere
    shift = int(i / wide / wide) % 2 ? 0.25 * space : -0.25 * space
    printf ",{\"name\": \"%d\", \"mass\": 1, \"position\": [%.9g, %.9g, %.9g], \"shapes\": [%s]}\n", i, \
           shift + space * (int(i / wide) % wide - 0.5 * (wide - 1)) + jitter(), shift + space * (i % wide - 0.5 * (wide - 1)) + jitter(), \
           base + layer * int(i / wide / wide), shape
  }
  print "], \"run\": {\"scheme\": \"stewart-trinkle\", \"dt\": 0.004, \"until\": 1}}"
}
