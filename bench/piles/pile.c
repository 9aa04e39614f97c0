/* Piles as scene text: see pile.h. */
#include "pile.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static size_t add_wall(char *text, size_t room, double nx, double ny, double distance) {
  return (size_t)snprintf(text, room,
                          ", {\"type\": \"half-space\", \"normal\": [%g, %g, 0], \"position\": [%g, %g, 0]}", nx, ny,
                          -distance * nx, -distance * ny);
}

static size_t add_body(char *text, size_t room, bool box, int number, const double at[3], double yaw) {
  const char *shape = box ? "{\"type\": \"box\", \"size\": [1, 1, 1]}" : "{\"type\": \"sphere\", \"radius\": 0.5}";
  return (size_t)snprintf(text, room,
                          ",\n{\"name\": \"%d\", \"mass\": 1, \"position\": [%.12g, %.12g, %.12g], \"orientation\": "
                          "[%.12g, 0, 0, %.12g], \"shapes\": [%s]}",
                          number, at[0], at[1], at[2], cos(0.5 * yaw), sin(0.5 * yaw), shape);
}

char *pile_text(bool boxes, int wide, int high, uint64_t seed) {
  int bodies = wide * wide * high;
  size_t room = 2048 + 256 * (size_t)bodies, at;
  char *text = malloc(room);
  AspRandom random = {seed};
  double spacing = boxes ? 1.15 : 1.1, layer = boxes ? 1.15 : 1.1, wall = 0.5 * spacing * wide + 0.1;
  if (!text)
    return NULL;
  at = (size_t)snprintf(
      text, room,
      "{\"name\": \"pile of %d %s\", \"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], "
      "\"friction\": %g}],\n\"bodies\": [{\"name\": \"walls\", \"fixed\": true, \"shapes\": "
      "[{\"type\": \"half-space\"}",
      bodies, boxes ? "boxes" : "spheres", PILE_FRICTION);
  for (int k = 0; k < 4; k++)
    at += add_wall(text + at, room - at, k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, wall);
  at += (size_t)snprintf(text + at, room - at, "]}");
  for (int i = 0; i < bodies; i++) {
    double jitter = boxes ? 0.03 : 0.04, place[3];
    place[0] = spacing * (i / wide % wide - 0.5 * (wide - 1)) + asp_random_uniform(&random, -jitter, jitter);
    place[1] = spacing * (i % wide - 0.5 * (wide - 1)) + asp_random_uniform(&random, -jitter, jitter);
    place[2] = 0.55 + layer * (i / wide / wide);
    at += add_body(text + at, room - at, boxes, i + 1, place, boxes ? asp_random_uniform(&random, -0.04, 0.04) : 0);
  }
  snprintf(text + at, room - at, "],\n\"run\": {\"scheme\": \"stewart-trinkle\", \"dt\": 0.01, \"until\": 6}}\n");
  return text;
}
