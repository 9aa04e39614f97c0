/* Compliant contact: the rod of Preclik and Ruede in both readings of their Table 1 (docs/reference/cases.md), closed
 * forms of a bounce and of a sliding block. */
#include "asperity/asperity.h"
#include "testing.h"

typedef struct Sim {
  AspContext *context;
  AspModel *model;
  AspCompliant *compliant;
  int body;
} Sim;

static int add_material(AspModel *model, const char *name) {
  int material;
  assert_int_equal(asp_model_material(model, name, &material), ASP_OK);
  return material;
}

/* A body in the plane with one shape on a half-plane at y = 0. */
static Sim make_sim(double gravity, double mu, const AspBodyDef *def, const AspShapeAttachment *shape,
                    const char *torque, const AspCompliantOptions *options) {
  Sim sim = {.context = asp_context_create(NULL)};
  assert_ok(sim.context, asp_model_create(sim.context, 2, &sim.model));
  asp_model_set_gravity(sim.model, (AspVec3){0, -gravity, 0});
  int floor = add_material(sim.model, "floor"), body = add_material(sim.model, "body"), ground;
  assert_ok(sim.context, asp_model_set_pair(sim.model, floor, body, &(AspPairLaw){.friction = mu}));
  AspBodyDef fixed = asp_body_default();
  fixed.kind = ASP_BODY_FIXED;
  assert_ok(sim.context, asp_model_add_body(sim.model, &fixed, &ground));
  AspShapeAttachment plane = {
      .shape = asp_shape_default(ASP_SHAPE_HALF_PLANE), .pose = {.orientation = {1, 0, 0, 0}}, .material = floor};
  assert_ok(sim.context, asp_model_attach_shape(sim.model, ground, &plane));
  assert_ok(sim.context, asp_model_add_body(sim.model, def, &sim.body));
  AspShapeAttachment own = *shape;
  own.material = body;
  assert_ok(sim.context, asp_model_attach_shape(sim.model, sim.body, &own));
  if (torque) {
    AspForceDef force = asp_force_default();
    int index;
    force.kind = ASP_FORCE_TORQUE;
    force.body = sim.body;
    force.component[2] = torque;
    assert_ok(sim.context, asp_model_add_force(sim.model, &force, &index));
  }
  assert_ok(sim.context, asp_model_finish(sim.model));
  assert_ok(sim.context, asp_compliant_create(sim.context, sim.model, options, &sim.compliant));
  return sim;
}

static void free_sim(Sim *sim) {
  asp_compliant_destroy(sim->compliant);
  asp_model_destroy(sim->model);
  assert_int_equal(asp_context_memory_in_use(sim->context), 0);
  asp_context_destroy(sim->context);
}

/* The rod at 60 degrees, sliding to the left; its tip g0 below the ground. */
static Sim make_rod(double alpha, bool frozen, const char *torque, double g0) {
  const double phi = acos(-1) / 3;
  AspBodyDef def = asp_body_default();
  def.mass = 1;
  def.inertia.m[8] = 1.0 / 3;
  def.pose.position = (AspVec3){cos(phi), sin(phi) + g0, 0};
  def.pose.orientation = (AspQuat){cos(phi / 2), 0, 0, sin(phi / 2)};
  def.velocity.x = -1;
  AspShapeAttachment tip = {.shape = asp_shape_default(ASP_SHAPE_POINT),
                            .pose = {.position = {-1, 0, 0}, .orientation = {1, 0, 0, 0}}};
  AspCompliantOptions options = asp_compliant_default_options();
  options.stiffness = options.damping = options.slip_damping = alpha;
  options.tolerance = 1e-10;
  options.frozen = frozen;
  return make_sim(1, 1.5, &def, &tip, torque, &options);
}

/* To time t, or to the instant at which the contact opens, which must come before. */
static void advance(Sim *sim, double t, bool until_open) {
  bool opened;
  assert_ok(sim->context, asp_compliant_advance(sim->compliant, t, until_open, &opened));
  assert_int_equal(opened, until_open);
}

static const double *impulse(const Sim *sim) {
  assert_int_equal(asp_compliant_contact_count(sim->compliant), 1);
  return asp_compliant_contacts(sim->compliant)[0].impulse;
}

static void frozen_rod_gives_the_integrals_of_table_1(void **state) {
  (void)state;
  const double cases[][4] = {{1e3, 0.3687492930959834, 0.45498441606309803, 0.05506975755420741},
                             {1e4, 0.3372877940230519, 0.44249765426364446, 0.015513185577612238},
                             {1e6, 0.32587772281868077, 0.4379468477326048, 0.0013771835759678276},
                             {1e8, 0.3248683959135701, 0.43754351457672086, 0.00013400264953612238},
                             {3e5, 0.32683746940254743, 0.43833022939830013, 0.002560606533670387}};
  for (int i = 0; i < 5; i++) {
    Sim rod = make_rod(cases[i][0], true, NULL, 0);
    advance(&rod, 1, true);
    assert_near(impulse(&rod)[0], cases[i][1], 1e-6);
    assert_near(impulse(&rod)[1], cases[i][2], 1e-6);
    assert_near(asp_compliant_state(rod.compliant)->t, cases[i][3], 1e-6);
    free_sim(&rod);
  }
}

static void consistent_rod_sticks_near_the_impulse_and_creeps(void **state) {
  (void)state;
  Sim rod = make_rod(1e4, false, NULL, 0);
  advance(&rod, 0.0028020056725525577, false); // it has come to stick by then
  assert_near(impulse(&rod)[0], 0.3258930706758946, 1e-6);
  assert_near(impulse(&rod)[1], 0.4376764451834669, 1e-6);
  advance(&rod, 0.1, false);
  assert_near(impulse(&rod)[0], 0.3735438750582814, 2e-6);
  assert_near(impulse(&rod)[1], 0.4501920242456804, 2e-6);
  free_sim(&rod);
}

static void indeterminate_rod_opens_below_the_separatrix_and_jams_above(void **state) {
  (void)state;
  Sim below = make_rod(1e6, true, "-5/3", -1e-6); // k |g0| = 1 < 7.5545
  advance(&below, 1, true);
  assert_near(impulse(&below)[0], 0.0008202840901283445, 1e-6);
  free_sim(&below);
  Sim above = make_rod(1e6, false, "-5/3", -7.6e-6);
  advance(&above, 1, true);
  assert_near(impulse(&above)[0], 0.3318, 1e-4);
  assert_near(impulse(&above)[1], 0.4421, 1e-4);
  free_sim(&above);
}

/* Undamped: half a period of the spring, about the static deflection; the ball leaves as fast as it came. */
static void undamped_bounce_takes_half_a_period(void **state) {
  (void)state;
  AspBodyDef def = asp_body_default();
  def.mass = 2;
  def.inertia.m[8] = 1;
  def.pose.position = (AspVec3){0, 0.5, 0};
  def.velocity = (AspVec3){0, -3, 0};
  AspShape disk = asp_shape_default(ASP_SHAPE_DISK);
  disk.radius = 0.5;
  AspShapeAttachment shape = {.shape = disk, .pose = {.orientation = {1, 0, 0, 0}}};
  AspCompliantOptions options = asp_compliant_default_options();
  options.stiffness = 2e5;
  options.tolerance = 1e-11;
  options.damping = options.slip_damping = 0;
  Sim ball = make_sim(9.81, 0, &def, &shape, NULL, &options);
  advance(&ball, 1, true);
  double omega = sqrt(2e5 / 2), rest = 9.81 / (omega * omega);
  // y = -rest + rest cos + ... : the phase at which y returns to zero
  double duration = (acos(-1) + 2 * atan(rest * omega / 3)) / omega;
  const AspState *reached = asp_compliant_state(ball.compliant);
  assert_near(reached->t, duration, 1e-9);
  assert_near(reached->v[4], 3, 1e-7);
  assert_near(impulse(&ball)[0], 2 * (6 + 9.81 * duration), 1e-6);
  free_sim(&ball);
}

/* A sliding disk without rotation inertia to speak of is a block: v = v0 - mu g t until it stops. */
static void sliding_body_slows_down_by_coulomb(void **state) {
  (void)state;
  AspBodyDef def = asp_body_default();
  def.mass = 2;
  def.inertia.m[8] = 1e9; // it does not turn
  double rest = 2 * 9.81 / 1e6;
  def.pose.position = (AspVec3){0, 0.5 - rest, 0};
  def.velocity = (AspVec3){2, 0, 0};
  AspShape disk = asp_shape_default(ASP_SHAPE_DISK);
  disk.radius = 0.5;
  AspShapeAttachment shape = {.shape = disk, .pose = {.orientation = {1, 0, 0, 0}}};
  AspCompliantOptions options = asp_compliant_default_options();
  options.slip_damping = 1e6;
  Sim block = make_sim(9.81, 0.3, &def, &shape, NULL, &options);
  advance(&block, 0.5, false);
  assert_near(asp_compliant_state(block.compliant)->v[3], 2 - 0.3 * 9.81 * 0.5, 1e-6);
  advance(&block, 1, false);
  assert_near(asp_compliant_state(block.compliant)->v[3], 0, 1e-5);
  assert_near(asp_compliant_state(block.compliant)->q[3], 0.6795786612300374, 1e-5); // v0^2 / (2 mu g)
  free_sim(&block);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frozen_rod_gives_the_integrals_of_table_1),
      cmocka_unit_test(consistent_rod_sticks_near_the_impulse_and_creeps),
      cmocka_unit_test(indeterminate_rod_opens_below_the_separatrix_and_jams_above),
      cmocka_unit_test(undamped_bounce_takes_half_a_period),
      cmocka_unit_test(sliding_body_slows_down_by_coulomb),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
