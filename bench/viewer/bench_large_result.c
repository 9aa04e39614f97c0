/* A result with many bodies, made by the library in little time: balls and cubes hail onto a floor, far enough apart
 * that each meets nothing but the floor. What is measured with it is the page, not the simulation.
 *
 *   bench_large_result BODIES FRAMES OUT.h5
 *   asperity report OUT.h5 -o OUT.html && node web/tools/measure.mjs OUT.html
 */
#include "asperity/asperity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE     0.1  /* m: radius of the largest ball, half edge of a cube */
#define DISTANCE 0.5  /* m, between neighbours on the grid */
#define STEP     0.01 /* s, one frame */

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_large_result: %s\n", asp_context_message(context));
  exit(3);
}

static AspMat3 sphere_like(double inertia) { return (AspMat3){{inertia, 0, 0, 0, inertia, 0, 0, 0, inertia}}; }

static void add_floor(AspContext *context, AspModel *model, int material) {
  AspBodyDef def = asp_body_default();
  AspShapeAttachment shape = {.shape = {.kind = ASP_SHAPE_HALF_SPACE}, .pose = def.pose, .material = material};
  int body;
  def.name = "floor";
  def.kind = ASP_BODY_FIXED;
  must(context, asp_model_add_body(model, &def, &body));
  must(context, asp_model_attach_shape(model, body, &shape));
}

/* Body i of a square grid; heights form rings around its middle. */
static void add_stone(AspContext *context, AspModel *model, int material, int i, int side) {
  AspBodyDef def = asp_body_default();
  AspShapeAttachment shape = {.pose = def.pose, .material = material};
  bool cube = i % 3 == 0;
  double size = cube ? 0.8 * SIZE : SIZE * (0.6 + 0.4 * ((i * 7) % 11) / 10.0);
  double x = DISTANCE * (i % side - 0.5 * (side - 1)), y = DISTANCE * (i / side - 0.5 * (side - 1));
  char name[32];
  int body;
  snprintf(name, sizeof name, "%s %d", cube ? "cube" : "ball", i);
  def.name = name;
  def.mass = 1;
  def.inertia = sphere_like(0.5 * size * size);
  def.pose.position = (AspVec3){x, y, 2 + 1.5 * sin(0.8 * sqrt(x * x + y * y))};
  def.velocity = (AspVec3){0.2 * sin(i), 0.2 * cos(i), 0};
  def.angular_velocity = (AspVec3){3 * sin(3.0 * i), 3 * cos(5.0 * i), 2 * sin(7.0 * i)};
  if (cube)
    shape.shape = (AspShape){.kind = ASP_SHAPE_BOX, .half_extents = {size, size, size}};
  else
    shape.shape = (AspShape){.kind = ASP_SHAPE_SPHERE, .radius = size};
  must(context, asp_model_add_body(model, &def, &body));
  must(context, asp_model_attach_shape(model, body, &shape));
}

static AspModel *make_model(AspContext *context, int bodies) {
  AspModel *model;
  AspPairLaw law = asp_pair_law_default();
  int stone, side = (int)ceil(sqrt(bodies));
  must(context, asp_model_create(context, 3, &model));
  asp_model_set_gravity(model, (AspVec3){0, 0, -9.81});
  must(context, asp_model_material(model, "stuff", &stone));
  law.friction = 0.4;
  must(context, asp_model_set_pair(model, stone, stone, &law));
  add_floor(context, model, stone);
  for (int i = 0; i < bodies; i++)
    add_stone(context, model, stone, i, side);
  must(context, asp_model_finish(model));
  return model;
}

int main(int argc, char **argv) {
  int bodies = argc == 4 ? atoi(argv[1]) : 0, frames = argc == 4 ? atoi(argv[2]) : 0;
  if (bodies < 1 || frames < 2) {
    fprintf(stderr, "usage: bench_large_result BODIES FRAMES OUT.h5\n");
    return 2;
  }
  AspContext *context = asp_context_create(NULL);
  AspRunOptions run = asp_run_default_options();
  AspWorld *world;
  AspResultWriter *writer;
  AspStepInfo info;
  if (!context)
    return 3;
  AspModel *model = make_model(context, bodies);
  run.dt = STEP;
  run.until = STEP * (frames - 1);
  must(context, asp_world_create(context, model, &run, &world));
  must(context, asp_result_create(context, argv[3], NULL, world, &writer));
  while (asp_world_state(world)->t < run.until - 0.5 * run.dt) {
    must(context, asp_world_step(world, &info));
    must(context, asp_result_append(writer, world, &info));
  }
  must(context, asp_result_close(writer, world));
  printf("%s: %d bodies, %lld steps, %d contacts in the last\n", argv[3], bodies + 1, (long long)info.step,
         info.contacts);
  asp_world_destroy(world);
  asp_model_destroy(model);
  asp_context_destroy(context);
  return 0;
}
