/* See plate_problem.h. */
#include "plate_problem.h"

#include "problem_builder.h"

static AspVec3 centre(int x, int y, int z) { return (AspVec3){0.1 * x, 0.1 * y, 0.05 + 0.1 * z}; }

static int number(int wide, int high, int x, int y, int z) { return 1 + (y * wide + x) * high + z; }

AspError plate_problem(AspContext *context, int wide, int high, double mass, AspContactProblem *problem) {
  ProblemBuilder builder;
  const double half = 0.05 * wide;
  const AspVec3 up = {0, 0, 1}, right = {1, 0, 0}, back = {0, 1, 0};
  builder_init(&builder, context);
  builder_add_box(&builder, mass, (AspVec3){half, half, 0.01}, (AspVec3){half - 0.05, half - 0.05, -0.01},
                  (AspQuat){1, 0, 0, 0});
  for (int foot = 0; foot < 4; foot++)
    builder_add_contact(&builder, BUILDER_GROUND, 0,
                        (AspVec3){foot % 2 ? 2 * half - 0.05 : -0.05, foot / 2 ? 2 * half - 0.05 : -0.05, -0.02}, up, 0,
                        0.5);
  for (int y = 0; y < wide; y++)
    for (int x = 0; x < wide; x++)
      for (int z = 0; z < high; z++)
        builder_add_ball(&builder, 1, 0.05, centre(x, y, z));
  for (int y = 0; y < wide; y++)
    for (int x = 0; x < wide; x++)
      for (int z = 0; z < high; z++) {
        int own = number(wide, high, x, y, z), below = z > 0 ? own - 1 : 0;
        AspVec3 at = centre(x, y, z);
        builder_add_contact(&builder, below, own, (AspVec3){at.x, at.y, at.z - 0.05}, up, 0, 0.5);
        if (x + 1 < wide)
          builder_add_contact(&builder, own, number(wide, high, x + 1, y, z), (AspVec3){at.x + 0.05, at.y, at.z}, right,
                              1e-4, 0.5);
        if (y + 1 < wide)
          builder_add_contact(&builder, own, number(wide, high, x, y + 1, z), (AspVec3){at.x, at.y + 0.05, at.z}, back,
                              1e-4, 0.5);
      }
  AspError error = builder_finish(&builder, problem);
  builder_free(&builder);
  return error;
}
