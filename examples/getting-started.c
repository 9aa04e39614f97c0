/* A ball is released sliding on the floor; friction sets it rolling. The model is built in code, 60 steps are made, and
 * the program prints the motion and what the certificates say.
 *
 *   cc getting-started.c $(pkg-config --cflags --libs asperity) -o getting-started && ./getting-started
 */
#include <asperity/asperity.h>

#include <stdio.h>

/* A body with one shape, at rest. Mass and inertia belong to free bodies alone. */
static AspError add_body(AspModel *model, const AspBodyDef *def, AspShape shape, const char *material_name, int *body) {
  AspShapeAttachment attachment = {
      shape, {{0, 0, 0}, {1, 0, 0, 0}}, 0, ~(uint32_t)0, ~(uint32_t)0, {NULL, NULL, NULL}, {NULL, NULL, NULL}};
  AspError error = asp_model_material(model, material_name, &attachment.material);
  if (error == ASP_OK)
    error = asp_model_add_body(model, def, body);
  if (error == ASP_OK)
    error = asp_model_attach_shape(model, *body, &attachment);
  return error;
}

static AspError add_ground(AspModel *model) {
  AspShape half_space = asp_shape_default(ASP_SHAPE_HALF_SPACE);
  AspBodyDef def = asp_body_default();
  int ground;
  def.name = "ground";
  def.kind = ASP_BODY_FIXED;
  return add_body(model, &def, half_space, "floor", &ground);
}

/* Radius 0.1 m, 1 kg, touching the floor, 2 m/s along x, no spin. */
static AspError add_ball(AspContext *context, AspModel *model, int *ball) {
  const double radius = 0.1, volume = 4.0 / 3.0 * 3.14159265358979324 * radius * radius * radius;
  AspShape sphere = asp_shape_default(ASP_SHAPE_SPHERE);
  sphere.radius = radius;
  AspMassProperties properties;
  AspBodyDef def = asp_body_default();
  AspError error = asp_shape_mass(context, &sphere, 3, 1 / volume, &properties);
  if (error != ASP_OK)
    return error;
  def.name = "ball";
  def.mass = properties.mass;
  def.inertia = properties.inertia;
  def.pose.position.z = radius;
  def.velocity.x = 2;
  return add_body(model, &def, sphere, "rubber", ball);
}

static AspError set_friction(AspModel *model, const char *one, const char *other, double mu) {
  AspPairLaw law = asp_pair_law_default(); /* no restitution */
  int a, b;
  law.friction = mu;
  AspError error = asp_model_material(model, one, &a);
  if (error == ASP_OK)
    error = asp_model_material(model, other, &b);
  if (error == ASP_OK)
    error = asp_model_set_pair(model, a, b, &law);
  return error;
}

static AspError build(AspContext *context, AspModel *model, int *ball) {
  AspVec3 gravity = {0, 0, -9.81};
  asp_model_set_gravity(model, gravity);
  AspError error = add_ground(model);
  if (error == ASP_OK)
    error = add_ball(context, model, ball);
  if (error == ASP_OK)
    error = set_friction(model, "floor", "rubber", 0.3);
  return error == ASP_OK ? asp_model_finish(model) : error;
}

/* 60 steps of 10 ms, every tenth printed. */
static AspError run(AspWorld *world, int ball) {
  const AspModel *model = asp_world_model(world);
  double worst = 0;
  int certified = 0;
  for (int step = 1; step <= 60; step++) {
    AspStepInfo info;
    AspError error = asp_world_step(world, &info);
    if (error != ASP_OK)
      return error;
    certified += info.certified;
    worst = info.residual.E2 > worst ? info.residual.E2 : worst;
    if (step % 10 == 0) {
      AspVec3 v = asp_state_velocity(model, asp_world_state(world), ball);
      AspVec3 w = asp_state_angular_velocity(model, asp_world_state(world), ball);
      printf("t = %.1f s   velocity %.4f m/s   spin %7.4f rad/s   %s\n", info.t, v.x, w.y,
             asp_contact_mode_name(asp_world_contacts(world)[0].mode));
    }
  }
  printf("%d of 60 steps certified, largest residual %s the tolerance %g\n", certified,
         worst <= asp_world_options(world)->tolerance ? "below" : "ABOVE", asp_world_options(world)->tolerance);
  return ASP_OK;
}

int main(void) {
  AspContext *context = asp_context_create(NULL);
  AspRunOptions options = asp_run_default_options();
  AspModel *model = NULL;
  AspWorld *world = NULL;
  int ball = -1;
  options.dt = 0.01;
  options.until = 0.6;

  AspError error = context ? asp_model_create(context, 3, &model) : ASP_ERROR_MEMORY;
  if (error == ASP_OK)
    error = build(context, model, &ball);
  if (error == ASP_OK)
    error = asp_world_create(context, model, &options, &world);
  if (error == ASP_OK)
    error = run(world, ball);
  if (error != ASP_OK)
    fprintf(stderr, "%s: %s\n", asp_error_name(error), context ? asp_context_message(context) : "");
  asp_world_destroy(world);
  asp_model_destroy(model);
  asp_context_destroy(context);
  return error != ASP_OK;
}
