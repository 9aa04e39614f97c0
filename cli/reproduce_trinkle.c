/* Trinkle 2003, "Formulation of multibody dynamics as complementarity problems": the sphere of section 4 and its LCP,
 * and what section 3 promises for joints (stabilisation, dry friction). The models are built here through the public
 * headers, so that the numbers depend on no file. */
#include "asperity/asperity.h"
#include "constants.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GRAVITY 9.81

/* A model with one moving body in it and the world that moves it. */
typedef struct Setup {
  AspContext *context;
  AspModel *model;
  AspWorld *world;
  int body, joint;
} Setup;

static void close_setup(Setup *setup) {
  asp_world_destroy(setup->world);
  asp_model_destroy(setup->model);
  setup->world = NULL;
  setup->model = NULL;
}

static AspRunOptions polygon_options(double dt, double until, int directions, double angle) {
  AspRunOptions options = asp_run_default_options();
  options.scheme = ASP_SCHEME_STEWART_TRINKLE;
  options.cone = ASP_CONE_INSCRIBED;
  options.directions = directions;
  options.angle = angle;
  options.dt = dt;
  options.until = until;
  options.tolerance = 1e-10;
  return options;
}

/* ---- the sphere: m = r = 1, mu = 0.2 on a plane ---- */

static AspError open_sphere(AspContext *context, double spin, const AspRunOptions *options, Setup *setup) {
  *setup = (Setup){.context = context};
  TRY(asp_model_create(context, 3, &setup->model));
  asp_model_set_gravity(setup->model, (AspVec3){0, 0, -GRAVITY});
  int rubber, floor, ground;
  TRY(asp_model_material(setup->model, "rubber", &rubber));
  TRY(asp_model_material(setup->model, "floor", &floor));
  TRY(asp_model_set_pair(setup->model, rubber, floor, &(AspPairLaw){.friction = 0.2}));

  AspBodyDef def = asp_body_default();
  def.name = "ground";
  def.kind = ASP_BODY_FIXED;
  TRY(asp_model_add_body(setup->model, &def, &ground));
  AspShapeAttachment shape = {.shape = {.kind = ASP_SHAPE_HALF_SPACE},
                              .pose = {.orientation = {1, 0, 0, 0}},
                              .material = floor,
                              .group = UINT32_MAX,
                              .mask = UINT32_MAX};
  TRY(asp_model_attach_shape(setup->model, ground, &shape));

  def = asp_body_default();
  def.name = "sphere";
  def.mass = 1;
  def.inertia = (AspMat3){{0.4, 0, 0, 0, 0.4, 0, 0, 0, 0.4}};
  def.pose.position = (AspVec3){0, 0, 1};
  def.velocity = (AspVec3){2, 0, 0};
  def.angular_velocity = (AspVec3){0, spin, 0};
  TRY(asp_model_add_body(setup->model, &def, &setup->body));
  shape.shape = (AspShape){.kind = ASP_SHAPE_SPHERE, .radius = 1};
  shape.material = rubber;
  TRY(asp_model_attach_shape(setup->model, setup->body, &shape));
  TRY(asp_model_finish(setup->model));
  return asp_world_create(context, setup->model, options, &setup->world);
}

static AspVec3 body_velocity(const Setup *setup) {
  return asp_state_velocity(setup->model, asp_world_state(setup->world), setup->body);
}
static AspVec3 body_spin(const Setup *setup) {
  return asp_state_angular_velocity(setup->model, asp_world_state(setup->world), setup->body);
}
static AspVec3 body_position(const Setup *setup) {
  return asp_state_pose(setup->model, asp_world_state(setup->world), setup->body).position;
}

/* Friction force (world x, y) and normal force on the sphere in the last step, N. */
static AspVec3 contact_force(const Setup *setup, double dt) {
  if (asp_world_contact_count(setup->world) == 0)
    return (AspVec3){0, 0, 0};
  const AspContactRecord *c = &asp_world_contacts(setup->world)[0];
  double sign = c->body_b == setup->body ? 1 / dt : -1 / dt;
  double x = c->impulse[0] * c->normal.x + c->impulse[1] * c->t1.x + c->impulse[2] * c->t2.x;
  double y = c->impulse[0] * c->normal.y + c->impulse[1] * c->t1.y + c->impulse[2] * c->t2.y;
  double z = c->impulse[0] * c->normal.z + c->impulse[1] * c->t1.z + c->impulse[2] * c->t2.z;
  return (AspVec3){sign * x, sign * y, sign * z};
}

static AspError lcp_rows(ReproduceReport *report, const Setup *setup) {
  static const double expected[36] = {1, 0, 0, 0,   0,    0, 0, 3.5, -3.5, 0,    0,   1, 0,   -3.5, 3.5, 0,  0,  1,
                                      0, 0, 0, 3.5, -3.5, 1, 0, 0,   0,    -3.5, 3.5, 1, 0.2, -1,   -1,  -1, -1, 0};
  const double *r, *u;
  const AspContactProblem *problem = asp_world_problem(setup->world, &r, &u);
  AspContactProblem local; // a copy that gets its local form
  AspMixedLcp lcp = {0};
  TRY(asp_problem_copy(setup->context, problem, &local));
  AspError error = asp_problem_reduce(setup->context, &local);
  if (error == ASP_OK)
    error = asp_problem_polygon_lcp(setup->context, &local, true, &lcp);
  asp_problem_destroy(setup->context, &local);
  if (error != ASP_OK)
    return error;
  double worst = lcp.n == 6 && lcp.free == 0 ? 0 : INFINITY;
  for (int i = 0; i < 6 && isfinite(worst); i++)
    for (int j = 0; j < 6; j++)
      worst = fmax(worst, fabs(lcp.M[j * 6 + i] - expected[6 * i + j]));
  if (isfinite(worst)) {
    reproduce_row(report, "LCP matrix F(1,1)", 1, 1, lcp.M[0], 1e-12, "");
    reproduce_row(report, "LCP matrix F(2,2)", 3.5, 3.5, lcp.M[1 * 6 + 1], 1e-12, "");
    reproduce_row(report, "LCP matrix F(2,3)", 3.5, -3.5, lcp.M[2 * 6 + 1], 1e-12, "the minus sign was lost in print");
    reproduce_row(report, "LCP matrix F(2,6)", 1, 1, lcp.M[5 * 6 + 1], 1e-12, "");
    reproduce_row(report, "LCP matrix F(6,1)", 0.2, 0.2, lcp.M[0 * 6 + 5], 1e-12, "");
    reproduce_row(report, "LCP matrix F(6,2)", -1, -1, lcp.M[1 * 6 + 5], 1e-12, "");
  }
  reproduce_row(report, "LCP matrix F, largest deviation of the 36 entries", NAN, 0, worst, 1e-12,
                "against the corrected 6 x 6 matrix; one row is missing in print");
  AspLcp plain = {lcp.n, lcp.M, lcp.q};
  asp_lcp_destroy(setup->context, &plain);
  return ASP_OK;
}

/* The run of the paper's figures 8 and 9: h = 0.12, five steps. */
static AspError sphere_figure_rows(ReproduceReport *report, Setup *setup) {
  static const double vx[5] = {1.76456, 1.52912, 10.0 / 7, 10.0 / 7, 10.0 / 7};
  static const double wy[5] = {0.5886, 1.1772, 10.0 / 7, 10.0 / 7, 10.0 / 7};
  static const double ct[5] = {-1.3873435046880056, -1.387343504688007, -0.5924881391313568, 0, 0};
  const double h = 0.12;
  double friction_impulse = 0;
  char name[80];
  for (int i = 0; i < 5; i++) {
    AspStepInfo info;
    TRY(asp_world_step(setup->world, &info));
    if (i == 0)
      TRY(lcp_rows(report, setup));
    AspVec3 force = contact_force(setup, h);
    friction_impulse += h * hypot(force.x, force.y);
    double root = sqrt(0.5);
    snprintf(name, sizeof name, "sphere, v_x at %.2f s, m/s", info.t);
    reproduce_row(report, name, i == 4 ? 1.429 : NAN, vx[i], body_velocity(setup).x, 1e-12,
                  i == 4 ? "printed in the text: 5/7 v0" : "figure 8");
    snprintf(name, sizeof name, "sphere, w_y at %.2f s, rad/s", info.t);
    reproduce_row(report, name, i == 4 ? 1.429 : NAN, wy[i], body_spin(setup).y, 1e-12, i == 4 ? "" : "figure 8");
    snprintf(name, sizeof name, "sphere, c_t at %.2f s, N", info.t);
    reproduce_row(report, name, NAN, ct[i], root * (force.x + force.y), 1e-10, "figure 9; axes turned by 45 degrees");
    snprintf(name, sizeof name, "sphere, c_o at %.2f s, N", info.t);
    reproduce_row(report, name, NAN, -ct[i], root * (force.y - force.x), 1e-10, "figure 9");
    snprintf(name, sizeof name, "sphere, normal force at %.2f s, N", info.t);
    reproduce_row(report, name, NAN, GRAVITY, force.z, 1e-10, "");
  }
  reproduce_row(report, "sphere, transition from sliding to rolling, s", 0.291, 0.29124799767001597,
                friction_impulse / (0.2 * GRAVITY), 1e-12, "friction impulse spent over mu m g; 2 v0/(7 mu g)");
  reproduce_row(report, "sphere, x at 0.6 s with h = 0.12, m", NAN, 0.9095273142857143, body_position(setup).x, 1e-12,
                "first order: exact is 0.9403566");
  return ASP_OK;
}

/* Run the sphere to its end; the friction force of the first step and the time from which it rolls come with it. */
static AspError run_sphere(AspContext *context, double spin, const AspRunOptions *options, double *x, double *v,
                           double *first_friction, double *rolls_from) {
  Setup setup;
  AspError error = open_sphere(context, spin, options, &setup);
  *rolls_from = NAN;
  *first_friction = NAN;
  while (error == ASP_OK && asp_world_state(setup.world)->t < options->until - 1e-9 * options->dt) {
    AspStepInfo info;
    error = asp_world_step(setup.world, &info);
    if (error != ASP_OK)
      break;
    if (info.step == 1)
      *first_friction = contact_force(&setup, info.dt).x;
    if (isnan(*rolls_from) && fabs(body_velocity(&setup).x - body_spin(&setup).y) < 1e-9)
      *rolls_from = info.t;
    *x = body_position(&setup).x;
    *v = body_velocity(&setup).x;
  }
  close_setup(&setup);
  return error;
}

static AspError sphere_convergence_rows(AspContext *context, ReproduceReport *report) {
  static const double h[] = {0.12, 0.06, 0.03, 0.01, 0.001};
  static const double error_reference[] = {-0.030829256477147293, -0.016702856477147088, -0.008388999334290714,
                                           -0.002846427905720539, -0.00028553133429276567};
  double x, v, friction, from, error[5];
  char name[80];
  for (int i = 0; i < 5; i++) {
    AspRunOptions options = polygon_options(h[i], 0.6, 4, 0);
    TRY(run_sphere(context, 0, &options, &x, &v, &friction, &from));
    error[i] = x - 0.9403565707628616;
    snprintf(name, sizeof name, "sphere, position error at 0.6 s, h = %g, m", h[i]);
    reproduce_row(report, name, NAN, error_reference[i], error[i], 1e-9, "");
  }
  reproduce_row(report, "sphere, order of the position error (h = 0.01 to 0.001)", NAN, 1, log10(error[3] / error[4]),
                0.02, "");

  AspRunOptions options = polygon_options(0.01, 0.6, 4, PI / 4);
  TRY(run_sphere(context, 0, &options, &x, &v, &friction, &from));
  reproduce_row(report, "sphere, friction with the square turned by 45 degrees, N", NAN, -1.3873435046880092, friction,
                1e-9, "-mu m g cos(pi/4): what the inscribed polygon loses");
  reproduce_row(report, "sphere, rolls from, square turned by 45 degrees, h = 0.01, s", NAN, 0.42, from, 1e-9, "");
  options = polygon_options(0.01, 0.6, 8, PI / 8);
  TRY(run_sphere(context, 0, &options, &x, &v, &friction, &from));
  reproduce_row(report, "sphere, friction with the octagon turned by 22.5 degrees, N", NAN, -1.812651642787133,
                friction, 1e-9, "-mu m g cos(pi/8)");
  options = polygon_options(0.01, 2, 4, 0);
  TRY(run_sphere(context, -6, &options, &x, &v, &friction, &from));
  reproduce_row(report, "sphere with backspin w_y = -6, final v_x, m/s", NAN, -2.0 / 7, v, 1e-10,
                "(5 v0 + 2 w0)/7: it returns");
  return ASP_OK;
}

/* ---- one body in one joint ---- */

typedef struct JointCase {
  AspJointKind kind;
  AspVec3 axis, position, angular_velocity, velocity, gravity;
  double mass, inertia, friction;
} JointCase;

static AspError open_joint(AspContext *context, const JointCase *c, const AspRunOptions *options, Setup *setup) {
  *setup = (Setup){.context = context};
  TRY(asp_model_create(context, 3, &setup->model));
  asp_model_set_gravity(setup->model, c->gravity);
  int ground;
  AspBodyDef def = asp_body_default();
  def.name = "ground";
  def.kind = ASP_BODY_FIXED;
  TRY(asp_model_add_body(setup->model, &def, &ground));
  def = asp_body_default();
  def.name = "body";
  def.mass = c->mass;
  def.inertia = (AspMat3){{c->inertia, 0, 0, 0, c->inertia, 0, 0, 0, c->inertia}};
  def.pose.position = c->position;
  def.velocity = c->velocity;
  def.angular_velocity = c->angular_velocity;
  TRY(asp_model_add_body(setup->model, &def, &setup->body));
  AspJointDef joint = asp_joint_default();
  joint.kind = c->kind;
  joint.body_a = ground;
  joint.body_b = setup->body;
  joint.axis = c->axis;
  joint.friction = c->friction;
  TRY(asp_model_add_joint(setup->model, &joint, &setup->joint));
  TRY(asp_model_finish(setup->model));
  return asp_world_create(context, setup->model, options, &setup->world);
}

typedef struct JointResult {
  double coordinate, rate, friction, drift;
  double stopped; /* first time with rate 0, NAN if never */
} JointResult;

static AspError run_joint(AspContext *context, const JointCase *c, const AspRunOptions *options, JointResult *result) {
  Setup setup;
  *result = (JointResult){.stopped = NAN};
  AspError error = open_joint(context, c, options, &setup);
  while (error == ASP_OK && asp_world_state(setup.world)->t < options->until - 1e-9 * options->dt) {
    AspStepInfo info;
    error = asp_world_step(setup.world, &info);
    if (error != ASP_OK)
      break;
    const AspJointRecord *record = &asp_world_joints(setup.world)[setup.joint];
    result->coordinate = record->coordinate;
    result->rate = record->rate;
    result->friction = record->friction;
    result->drift = fmax(result->drift, info.joint_drift);
    if (isnan(result->stopped) && fabs(record->rate) < 1e-9)
      result->stopped = info.t;
  }
  close_setup(&setup);
  return error;
}

static AspError pendulum_rows(AspContext *context, ReproduceReport *report) {
  static const double h[] = {0.01, 0.005, 0.0025, 0.00125};
  static const double drift[] = {0.0008904973331629593, 0.00022287223890291456, 5.5733529656852424e-05,
                                 1.3934344556414747e-05};
  // from an independent planar computation; a renormalised q + h/2 w q instead of the exact rotation gives 0.016384,
  // 0.008935, ...
  static const double angle_error[] = {0.0164400021353861, 0.00894705524491446, 0.0046610828837990725,
                                       0.0023781210996746127};
  JointCase pendulum = {.kind = ASP_JOINT_REVOLUTE,
                        .axis = {0, 1, 0},
                        .position = {1, 0, 0},
                        .gravity = {0, 0, -GRAVITY},
                        .mass = 1,
                        .inertia = 0.1};
  double computed[4];
  char name[80];
  for (int i = 0; i < 4; i++) {
    AspRunOptions options = polygon_options(h[i], 2, 4, 0);
    JointResult result;
    TRY(run_joint(context, &pendulum, &options, &result));
    computed[i] = result.drift;
    snprintf(name, sizeof name, "pendulum, largest joint violation, h = %g, m", h[i]);
    reproduce_row(report, name, NAN, drift[i], result.drift, 1e-6, "stabilisation Psi/h");
    snprintf(name, sizeof name, "pendulum, angle error at 2 s, h = %g, rad", h[i]);
    reproduce_row(report, name, NAN, angle_error[i], PI / 2 - result.coordinate - 0.564551384923062, 1e-6,
                  "rotation by the exponential map");
  }
  reproduce_row(report, "pendulum, order of the joint violation (h = 0.01 to 0.00125)", NAN, 2,
                log2(computed[0] / computed[3]) / 3, 0.02, "O(h^2)");
  return ASP_OK;
}

static AspError dry_friction_rows(AspContext *context, ReproduceReport *report) {
  JointResult result;
  JointCase rotor = {.kind = ASP_JOINT_REVOLUTE,
                     .axis = {0, 0, 1},
                     .angular_velocity = {0, 0, 3},
                     .mass = 1,
                     .inertia = 0.5,
                     .friction = 0.2};
  AspRunOptions options = polygon_options(0.01, 8, 4, 0);
  TRY(run_joint(context, &rotor, &options, &result));
  reproduce_row(report, "rotor with dry joint friction, stops at, s", NAN, 7.5, result.stopped, 0.0101, "I w0/c_max");
  reproduce_row(report, "rotor with dry joint friction, angle, rad", NAN, 11.235, result.coordinate, 1e-9,
                "exact 11.25; the scheme loses h w0/2");

  double slope = 0.5, s = sin(slope), c = cos(slope);
  JointCase slider = {.kind = ASP_JOINT_PRISMATIC,
                      .axis = {c, 0, -s},
                      .gravity = {0, 0, -GRAVITY},
                      .mass = 2,
                      .inertia = 1,
                      .friction = 4};
  options = polygon_options(0.01, 1, 4, 0);
  TRY(run_joint(context, &slider, &options, &result));
  reproduce_row(report, "slider on an incline, speed at 1 s, m/s", NAN, 2.7031645337072314, result.rate, 1e-9,
                "g sin(a) - c/m");
  reproduce_row(report, "slider on an incline, way at 1 s, m", NAN, 1.3650980895221518, result.coordinate, 1e-9,
                "exact a/2, scheme a (1 + h)/2");
  slider.friction = 10;
  TRY(run_joint(context, &slider, &options, &result));
  reproduce_row(report, "slider that friction holds, speed at 1 s, m/s", NAN, 0, result.rate, 1e-12, "c > m g sin(a)");
  reproduce_row(report, "slider that friction holds, friction, N", NAN, -2 * GRAVITY * s, result.friction, 1e-8, "");

  JointCase held = {.kind = ASP_JOINT_REVOLUTE,
                    .axis = {0, 1, 0},
                    .position = {sin(0.3), 0, -cos(0.3)},
                    .gravity = {0, 0, -GRAVITY},
                    .mass = 1,
                    .inertia = 0.1,
                    .friction = 3};
  TRY(run_joint(context, &held, &options, &result));
  reproduce_row(report, "pendulum that joint friction holds, rate, rad/s", NAN, 0, result.rate, 1e-9,
                "c_max > m g L sin(0.3)");
  reproduce_row(report, "pendulum that joint friction holds, torque, N m", NAN, -2.899053227347742, result.friction,
                1e-8, "");
  return ASP_OK;
}

AspError reproduce_trinkle(AspContext *context, ReproduceReport *report) {
  AspRunOptions options = polygon_options(0.12, 0.6, 4, 0);
  Setup setup;
  AspError error = open_sphere(context, 0, &options, &setup);
  if (error == ASP_OK)
    error = sphere_figure_rows(report, &setup);
  close_setup(&setup);
  if (error != ASP_OK)
    return error;
  TRY(sphere_convergence_rows(context, report));
  TRY(pendulum_rows(context, report));
  return dry_friction_rows(context, report);
}
