/* A table top on four legs, each hinged with dry friction, feet on the floor, pushed by a horizontal force; and a cube
 * thrown flat. Both tell the friction models apart.
 *
 * The table: joints stick, so that statics of the whole decides. The feet share the load in any way they like (it is
 * hyperstatic), but the sum of their friction forces lies in mu W P with P the disk or polygon, so that slip starts at
 * mu W times the radius of P in the direction of the push. The load is found by bisection, one step from rest each.
 */
#include "asperity/asperity.h"
#include "constants.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>

#define GRAVITY   9.81
#define TOP       10.0 /* kg */
#define LEG       1.0  /* kg */
#define LENGTH    0.7  /* of a leg, m */
#define FOOT      0.02 /* radius, m */
#define FRICTION  0.3
#define DIRECTION 0.17 /* of the push, rad: no vertex and no edge normal of any polygon below */

static AspMat3 box_inertia(double mass, double x, double y, double z) {
  double k = mass / 12;
  return (AspMat3){{k * (y * y + z * z), 0, 0, 0, k * (x * x + z * z), 0, 0, 0, k * (x * x + y * y)}};
}

static AspError add_body(AspModel *model, const char *name, double mass, AspMat3 inertia, AspVec3 position, int *body) {
  AspBodyDef def = asp_body_default();
  def.name = name;
  def.kind = mass > 0 ? ASP_BODY_DYNAMIC : ASP_BODY_FIXED;
  def.mass = mass;
  def.inertia = inertia;
  def.pose.position = position;
  return asp_model_add_body(model, &def, body);
}

static AspError attach(AspModel *model, int body, AspShape shape, AspVec3 position, int material) {
  const AspShapeAttachment attachment = {.shape = shape,
                                         .pose = {.position = position, .orientation = {1, 0, 0, 0}},
                                         .material = material,
                                         .group = UINT32_MAX,
                                         .mask = UINT32_MAX};
  return asp_model_attach_shape(model, body, &attachment);
}

static AspError add_floor(AspModel *model, double mu, int *ground, int *wood) {
  int floor_material;
  asp_model_set_gravity(model, (AspVec3){0, 0, -GRAVITY});
  TRY(asp_model_material(model, "floor", &floor_material));
  TRY(asp_model_material(model, "wood", wood));
  TRY(asp_model_set_pair(model, *wood, floor_material, &(AspPairLaw){.friction = mu}));
  TRY(add_body(model, "floor", 0, (AspMat3){{0}}, (AspVec3){0, 0, 0}, ground));
  return attach(model, *ground, (AspShape){.kind = ASP_SHAPE_HALF_SPACE}, (AspVec3){0, 0, 0}, floor_material);
}

static AspError add_leg(AspModel *model, int top, int wood, int number) {
  static const char *const names[] = {"leg 1", "leg 2", "leg 3", "leg 4"}, *const hinges[] = {"hinge 1", "hinge 2",
                                                                                              "hinge 3", "hinge 4"};
  double x = number % 2 ? 0.4 : -0.4, y = number / 2 ? 0.3 : -0.3;
  int leg, joint;
  TRY(add_body(model, names[number], LEG, box_inertia(LEG, 0.04, 0.04, LENGTH), (AspVec3){x, y, FOOT + LENGTH / 2},
               &leg));
  TRY(attach(model, leg, (AspShape){.kind = ASP_SHAPE_SPHERE, .radius = FOOT}, (AspVec3){0, 0, -LENGTH / 2}, wood));
  AspJointDef def = asp_joint_default();
  def.name = hinges[number];
  def.kind = ASP_JOINT_REVOLUTE;
  def.body_a = top;
  def.body_b = leg;
  def.point = (AspVec3){x, y, FOOT + LENGTH};
  def.axis = (AspVec3){0, 1, 0};
  def.friction = 30;
  return asp_model_add_joint(model, &def, &joint);
}

static AspError make_table(AspModel *model, double push, int *top) {
  int ground, wood, force;
  char x[64], y[64];
  double height = FOOT + LENGTH;
  TRY(add_floor(model, FRICTION, &ground, &wood));
  TRY(add_body(model, "top", TOP, box_inertia(TOP, 1, 0.8, 0.05), (AspVec3){0, 0, height}, top));
  for (int leg = 0; leg < 4; leg++)
    TRY(add_leg(model, *top, wood, leg));
  AspForceDef def = asp_force_default();
  snprintf(x, sizeof x, "%.17g", push * cos(DIRECTION));
  snprintf(y, sizeof y, "%.17g", push * sin(DIRECTION));
  def.name = "push";
  def.kind = ASP_FORCE_FORCE;
  def.body = *top;
  def.point = (AspVec3){0, 0, height};
  def.component[0] = x;
  def.component[1] = y;
  TRY(asp_model_add_force(model, &def, &force));
  return asp_model_finish(model);
}

/* Size of the phantom LCP of the step just made, in reduced form without redundancy or unreduced with it, less the free
 * tangential reactions. */
static AspError lcp_size(AspContext *context, const AspWorld *world, int *size) {
  const double *r, *u;
  AspContactProblem local;
  AspMixedLcp lcp = {0};
  AspPhantomOptions options = asp_phantom_default_options();
  options.reduced = false;
  TRY(asp_problem_copy(context, asp_world_problem(world, &r, &u), &local));
  AspError error = asp_problem_reduce(context, &local);
  if (error == ASP_OK)
    error = asp_problem_phantom_lcp(context, &local, &options, &lcp, NULL);
  *size = lcp.n - lcp.free;
  asp_mixed_lcp_destroy(context, &lcp);
  asp_problem_destroy(context, &local);
  return error;
}

/* Speed of the top after one step from rest under `push`; size (may be NULL): of the phantom LCP. */
static AspError push_once(AspContext *context, const AspRunOptions *options, double push, double *speed, int *size) {
  AspModel *model = NULL;
  AspWorld *world = NULL;
  AspStepInfo info;
  int top = 0;
  *speed = NAN;
  TRY(asp_model_create(context, 3, &model));
  AspError error = make_table(model, push, &top);
  if (error == ASP_OK)
    error = asp_world_create(context, model, options, &world);
  if (error == ASP_OK)
    error = asp_world_step(world, &info);
  if (error == ASP_OK) {
    AspVec3 v = asp_state_velocity(model, asp_world_state(world), top);
    *speed = info.certified ? hypot(v.x, v.y) : NAN;
  }
  if (error == ASP_OK && size)
    error = lcp_size(context, world, size);
  asp_world_destroy(world);
  asp_model_destroy(model);
  return error;
}

static AspRunOptions table_options(AspConeKind cone, int directions) {
  AspRunOptions options = asp_run_default_options();
  options.scheme = ASP_SCHEME_STEWART_TRINKLE;
  options.cone = (int)cone;
  options.directions = directions;
  options.tolerance = 1e-11;
  return options;
}

/* The load at which the table starts to slip, over mu times its weight. */
static AspError slip_load(AspContext *context, AspConeKind cone, int directions, double *factor) {
  double low = 0.5, high = 1.6, weight = (TOP + 4 * LEG) * GRAVITY;
  AspRunOptions options = table_options(cone, directions);
  for (int i = 0; i < 24; i++) {
    double middle = 0.5 * (low + high), speed;
    TRY(push_once(context, &options, middle * FRICTION * weight, &speed, NULL));
    if (isnan(speed)) {
      *factor = NAN;
      return ASP_OK;
    }
    *(speed < 1e-9 ? &low : &high) = middle;
  }
  *factor = 0.5 * (low + high);
  return ASP_OK;
}

/* Distance of the polygon's edge from its centre in the direction of the push. */
static double polygon_radius(bool inscribed, int directions) {
  double turn = 2 * PI / directions, phase = inscribed ? turn / 2 : 0;
  double off = remainder(DIRECTION - phase, turn);
  return (inscribed ? cos(turn / 2) : 1) / cos(off);
}

static AspError add_table(AspContext *context, ReproduceReport *report) {
  double factor;
  TRY(slip_load(context, ASP_CONE_EXACT, 8, &factor));
  reproduce_row(report, "table on hinged legs, exact cone: load at slip", NAN, 1, factor, 1e-6,
                "over mu times its weight");
  for (int k = 2; k <= 16; k *= 2)
    for (int inscribed = 0; inscribed < 2; inscribed++) {
      char text[96];
      TRY(slip_load(context, inscribed ? ASP_CONE_INSCRIBED : ASP_CONE_CIRCUMSCRIBED, 2 * k, &factor));
      snprintf(text, sizeof text, "table, k = %d, %s: load at slip", k, inscribed ? "inscribed" : "circumscribed");
      reproduce_row(report, text, NAN, polygon_radius(inscribed, 2 * k), factor, 1e-6, "");
    }
  for (int k = 2; k <= 16; k *= 2) {
    char text[96];
    double speed;
    int size;
    const AspRunOptions options = table_options(ASP_CONE_CIRCUMSCRIBED, 2 * k);
    TRY(push_once(context, &options, 1, &speed, &size));
    snprintf(text, sizeof text, "table, k = %d: size of the LCP less the hinges' friction", k);
    reproduce_row(report, text, NAN, 4 * (1 + 2 * k), size - 2 * 4, 0, "r (1 + 2 k) with r = 4 feet");
  }
  return ASP_OK;
}

/* A cube of 0.1 m and 1 kg on the floor, 6 m/s along an edge, mu = 0.5: how high does it rise, where does it stop? */
static AspError throw_cube(AspContext *context, AspConeKind cone, double *rise, double *stop) {
  AspModel *model = NULL;
  AspWorld *world = NULL;
  int ground, wood, cube;
  AspRunOptions options = asp_run_default_options();
  options.cone = cone;
  options.until = 3;
  options.tolerance = 1e-10;
  *rise = *stop = 0;
  TRY(asp_model_create(context, 3, &model));
  AspBodyDef def = asp_body_default();
  def.name = "cube";
  def.mass = 1;
  def.inertia = box_inertia(1, 0.1, 0.1, 0.1);
  def.pose.position = (AspVec3){0, 0, 0.05};
  def.velocity = (AspVec3){6, 0, 0};
  AspError error = add_floor(model, 0.5, &ground, &wood);
  if (error == ASP_OK)
    error = asp_model_add_body(model, &def, &cube);
  if (error == ASP_OK)
    error = attach(model, cube, (AspShape){.kind = ASP_SHAPE_BOX, .half_extents = {0.05, 0.05, 0.05}},
                   (AspVec3){0, 0, 0}, wood);
  if (error == ASP_OK)
    error = asp_model_finish(model);
  if (error == ASP_OK)
    error = asp_world_create(context, model, &options, &world);
  for (int i = 0; i < 300 && error == ASP_OK; i++) {
    AspStepInfo info;
    error = asp_world_step(world, &info);
    AspVec3 at = asp_state_pose(model, asp_world_state(world), cube).position;
    *rise = fmax(*rise, at.z - 0.05);
    *stop = at.x;
  }
  asp_world_destroy(world);
  asp_model_destroy(model);
  return error;
}

static AspError add_cube(AspContext *context, ReproduceReport *report) {
  double rise, stop;
  TRY(throw_cube(context, ASP_CONE_EXACT, &rise, &stop));
  reproduce_row(report, "cube thrown flat at 6 m/s, exact cone: rise", NAN, 0, rise, 1e-9, "m");
  reproduce_row(report, "cube thrown flat at 6 m/s, exact cone: stops at", NAN, 6 * 6 / (2 * 0.5 * GRAVITY), stop, 0.06,
                "m; within O(h)");
  TRY(throw_cube(context, ASP_CONE_RELAXED, &rise, &stop));
  char note[96];
  snprintf(note, sizeof note, "%.3g m; the relaxation is not Coulomb's law", rise);
  reproduce_row(report, "cube thrown flat at 6 m/s, convex relaxation: it rises by 0.1 m or more (1: yes)", NAN, 1,
                rise >= 0.1, 0, note);
  return ASP_OK;
}

AspError reproduce_table(AspContext *context, ReproduceReport *report) {
  TRY(add_table(context, report));
  return add_cube(context, report);
}
