/* The rod: model, problems, analyses. */
#include "preclik_rod.h"

#include <math.h>
#include <stdio.h>

Rod rod_of_paper(double torque) {
  return (Rod){
      .phi = PI / 3, .mu = 1.5, .length = 2, .mass = 1, .gravity = 1, .velocity = {-1, 0, 0}, .torque = torque};
}

static AspError add_ground(AspModel *model, int material) {
  AspBodyDef def = asp_body_default();
  int ground;
  def.name = "ground";
  def.kind = ASP_BODY_FIXED;
  TRY(asp_model_add_body(model, &def, &ground));
  AspShapeAttachment plane = {
      .shape = asp_shape_default(ASP_SHAPE_HALF_PLANE), .pose = {.orientation = {1, 0, 0, 0}}, .material = material};
  return asp_model_attach_shape(model, ground, &plane);
}

static AspError add_rod(AspModel *model, const Rod *rod, int material, int *body) {
  double half = 0.5 * rod->length;
  AspBodyDef def = asp_body_default();
  def.name = "rod";
  def.mass = rod->mass;
  def.inertia.m[8] = rod->mass * rod->length * rod->length / 12;
  def.pose.position = (AspVec3){half * cos(rod->phi), half * sin(rod->phi) - rod->below, 0};
  def.pose.orientation = (AspQuat){cos(0.5 * rod->phi), 0, 0, sin(0.5 * rod->phi)};
  def.velocity = (AspVec3){rod->velocity[0], rod->velocity[1], 0};
  def.angular_velocity = (AspVec3){0, 0, rod->velocity[2]};
  TRY(asp_model_add_body(model, &def, body));
  AspShapeAttachment tip = {.shape = asp_shape_default(ASP_SHAPE_POINT),
                            .pose = {.position = {-half, 0, 0}, .orientation = {1, 0, 0, 0}},
                            .material = material};
  return asp_model_attach_shape(model, *body, &tip);
}

static AspError fill_model(AspModel *model, const Rod *rod) {
  int floor, chalk, body, force;
  asp_model_set_gravity(model, (AspVec3){0, -rod->gravity, 0});
  TRY(asp_model_material(model, "floor", &floor));
  TRY(asp_model_material(model, "chalk", &chalk));
  TRY(asp_model_set_pair(model, floor, chalk, &(AspPairLaw){.friction = rod->mu}));
  TRY(add_ground(model, floor));
  TRY(add_rod(model, rod, chalk, &body));
  if (rod->torque != 0) {
    char text[40];
    AspForceDef def = asp_force_default();
    snprintf(text, sizeof text, "%.17g", rod->torque);
    def.kind = ASP_FORCE_TORQUE;
    def.body = body;
    def.component[2] = text;
    TRY(asp_model_add_force(model, &def, &force));
  }
  return asp_model_finish(model);
}

AspError rod_model(AspContext *context, const Rod *rod, AspModel **model) {
  TRY(asp_model_create(context, 2, model));
  AspError error = fill_model(*model, rod);
  if (error != ASP_OK) {
    asp_model_destroy(*model);
    *model = NULL;
  }
  return error;
}

AspError rod_problem(AspContext *context, const Rod *rod, AspProblemLevel level, double dt,
                     AspContactProblem *problem) {
  AspModel *model = NULL;
  AspWorld *world = NULL;
  AspLevelProblem at = {0};
  AspRunOptions options = asp_run_default_options();
  options.scheme = ASP_SCHEME_STEWART_TRINKLE;
  options.dt = dt;
  TRY(rod_model(context, rod, &model));
  AspError error = asp_world_create(context, model, &options, &world);
  if (error == ASP_OK)
    error = asp_world_problem_at(world, level, &at);
  if (error == ASP_OK)
    error = asp_problem_reduce(context, &at.problem);
  if (error == ASP_OK)
    error = asp_problem_copy(context, &at.problem, problem);
  asp_level_problem_destroy(context, &at);
  asp_world_destroy(world);
  asp_model_destroy(model);
  return error;
}

AspError rod_analysis(AspContext *context, const Rod *rod, AspProblemLevel level, double dt, AspAnalysis *analysis) {
  AspContactProblem problem;
  TRY(rod_problem(context, rod, level, dt, &problem));
  AspError error = asp_analyze(context, &problem, NULL, analysis);
  asp_problem_destroy(context, &problem);
  return error;
}

AspError rod_A(AspContext *context, const Rod *rod, double *A) {
  AspContactProblem problem;
  TRY(rod_problem(context, rod, ASP_PROBLEM_IMPULSE, 0.01, &problem));
  *A = problem.W.value[0] + rod->mu * problem.W.value[2]; // columns (n, t): W_NN, W_TN | W_NT, W_TT
  asp_problem_destroy(context, &problem);
  return ASP_OK;
}
