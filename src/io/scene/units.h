/* The units of a scene: numbers and expressions are turned into SI units before anything else looks at them, by the
 * unit that the tables of keys name. A unit's size is num / den in SI units, so that sizes such as 1/1000 round as the
 * decimal that they stand for. */
#ifndef ASP_IO_SCENE_UNITS_H
#define ASP_IO_SCENE_UNITS_H

#include "io/scene/keys.h"

#include <cjson/cJSON.h>

/* name, num, den */
#define SCENE_LENGTH_LIST(X)                                                                                           \
  X("m", 1, 1)                                                                                                         \
  X("mm", 1, 1000)                                                                                                     \
  X("cm", 1, 100)                                                                                                      \
  X("um", 1, 1e6)                                                                                                      \
  X("km", 1000, 1)                                                                                                     \
  X("in", 254, 10000)                                                                                                  \
  X("ft", 3048, 10000)
#define SCENE_MASS_LIST(X)                                                                                             \
  X("kg", 1, 1)                                                                                                        \
  X("g", 1, 1000)                                                                                                      \
  X("mg", 1, 1e6)                                                                                                      \
  X("t", 1000, 1)                                                                                                      \
  X("lb", 45359237, 1e8)
#define SCENE_TIME_LIST(X)                                                                                             \
  X("s", 1, 1)                                                                                                         \
  X("ms", 1, 1000)                                                                                                     \
  X("us", 1, 1e6)                                                                                                      \
  X("min", 60, 1)
#define SCENE_ANGLE_LIST(X)                                                                                            \
  X("rad", 1, 1)                                                                                                       \
  X("deg", ASP_PI, 180)                                                                                                \
  X("turn", 2 * ASP_PI, 1)
#define SCENE_FORCE_LIST(X)                                                                                            \
  X("N", 1, 1)                                                                                                         \
  X("mN", 1, 1000)                                                                                                     \
  X("kN", 1000, 1)                                                                                                     \
  X("MN", 1e6, 1)

/* The sizes that a scene uses, of length, mass, time, angle and force. */
typedef struct SceneUnit {
  double num, den;
} SceneUnit;

typedef struct SceneUnits {
  SceneUnit size[UNITS_COUNT];
  const char *name[UNITS_COUNT];
  bool converts;       /* one of them is not SI */
  const cJSON *joints; /* of the scene: which of them slide */
} SceneUnits;

struct SceneReader;

/* Reads `units` of the scene, converts the whole tree, notes what was assumed. */
void asp_scene_convert_units(struct SceneReader *reader, cJSON *root);
/* x of a quantity with the unit of the tables, such as "N m/rad", in SI units. */
double asp_units_apply(const SceneUnits *units, const char *unit, double x);
/* For messages: a unit of the tables as the file has it where the reader is now ("N mm/deg"), and its size. */
const char *asp_units_here(struct SceneReader *reader, const char *unit, double *size);
/* A text of the tree as the file has it, and by what it was multiplied when the tree was converted. */
const char *asp_units_written(struct SceneReader *reader, const cJSON *node, double *size);
/* A name in an expression (t, box.z, hinge.rate) as a text in the scene's units; NULL: as it is. */
const char *asp_units_of_name(struct SceneReader *reader, const char *name);

#endif
