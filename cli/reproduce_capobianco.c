/* Capobianco, Harsch, Eugster, Leine, "Simulating mechanical systems with frictional contact using a nonsmooth
 * generalized-alpha method": order on a constrained pendulum, a rotating ball that falls and slips (closed form), and
 * the guided hopper of Figure 1 with its percussions. The paper prints no numbers; references are closed forms,
 * independent integrations, and for the hopper values of an independent implementation with the same plain element. */
#include "asperity/asperity.h"
#include "hopper.h"
#include "plot.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GRAVITY 9.81

/* ---- constrained pendulum: L = 1 m, m = 2 kg, from 60 degrees, at 1.5 s ---- */

typedef struct PendulumErrors {
  double value[3]; /* position, velocity, force */
} PendulumErrors;

static AspError make_pendulum(AspModel *model, int *bob, int *rod) {
  int base;
  AspBodyDef def = asp_body_default();
  asp_model_set_gravity(model, (AspVec3){0, -GRAVITY, 0});
  def.name = "base";
  def.kind = ASP_BODY_FIXED;
  TRY(asp_model_add_body(model, &def, &base));
  def = asp_body_default();
  def.name = "bob";
  def.mass = 2;
  def.inertia.m[8] = 0.1;
  def.pose.position = (AspVec3){sqrt(0.75), -0.5, 0};
  TRY(asp_model_add_body(model, &def, bob));
  AspJointDef joint = asp_joint_default();
  joint.name = "rod";
  joint.kind = ASP_JOINT_DISTANCE;
  joint.body_a = base;
  joint.body_b = *bob;
  joint.point_b = def.pose.position;
  TRY(asp_model_add_joint(model, &joint, rod));
  return asp_model_finish(model);
}

static AspError run_to_end(AspWorld *world) {
  const AspRunOptions *options = asp_world_options(world);
  AspStepInfo info;
  while (asp_world_state(world)->t < options->until - 1e-9 * options->dt)
    TRY(asp_world_step(world, &info));
  return ASP_OK;
}

static AspError swing(AspContext *context, const AspModel *model, int bob, int rod, double dt, double rho_inf,
                      PendulumErrors *errors) {
  const double theta = -0.35149206092911545, omega = 2.934354110060391; // DOP853
  AspRunOptions options = asp_run_default_options();
  AspWorld *world;
  options.scheme = ASP_SCHEME_GENERALIZED_ALPHA;
  options.dt = dt;
  options.until = 1.5;
  options.rho_inf = rho_inf;
  TRY(asp_world_create(context, model, &options, &world));
  AspError error = run_to_end(world);
  AspVec3 x = asp_state_pose(model, asp_world_state(world), bob).position;
  AspVec3 v = asp_state_velocity(model, asp_world_state(world), bob), f = asp_world_joints(world)[rod].force;
  errors->value[0] = hypot(x.x - sin(theta), x.y + cos(theta));
  errors->value[1] = hypot(v.x - omega * cos(theta), v.y - omega * sin(theta));
  errors->value[2] = fabs(hypot(f.x, f.y) - 2 * (GRAVITY * cos(theta) + omega * omega));
  asp_world_destroy(world);
  return error;
}

static AspError order_rows(AspContext *context, ReproduceReport *report) {
  static const double rho_inf[] = {0.5, 0.8, 1};
  static const char *const what[] = {"positions", "velocities", "the rod's force"};
  AspModel *model;
  int bob, rod;
  TRY(asp_model_create(context, 2, &model));
  AspError error = make_pendulum(model, &bob, &rod);
  for (int i = 0; i < 3 && error == ASP_OK; i++) {
    PendulumErrors coarse = {{0}}, fine = {{0}};
    error = swing(context, model, bob, rod, 0.01, rho_inf[i], &coarse);
    if (error == ASP_OK)
      error = swing(context, model, bob, rod, 0.005, rho_inf[i], &fine);
    for (int k = 0; k < 3 && error == ASP_OK; k++) {
      char name[96];
      snprintf(name, sizeof name, "pendulum, rho_inf = %g: order in %s", rho_inf[i], what[k]);
      reproduce_row(report, name, NAN, 2, log2(coarse.value[k] / fine.value[k]), 0.05, "dt = 0.01 and 0.005 s");
    }
  }
  asp_model_destroy(model);
  return error;
}

/* ---- rotating ball: m = 1 kg, R = 0.1 m, centre 1 m above the floor, mu = 0.2 ---- */

static AspError make_ball(AspModel *model, double spin, int *ball) {
  int ground, rubber;
  AspShapeAttachment shape = {.shape = {.kind = ASP_SHAPE_HALF_PLANE}, .pose = {.orientation = {1, 0, 0, 0}}};
  AspBodyDef def = asp_body_default();
  asp_model_set_gravity(model, (AspVec3){0, -GRAVITY, 0});
  TRY(asp_model_material(model, "rubber", &rubber));
  TRY(asp_model_set_pair(model, rubber, rubber, &(AspPairLaw){.friction = 0.2}));
  def.name = "ground";
  def.kind = ASP_BODY_FIXED;
  shape.material = rubber;
  TRY(asp_model_add_body(model, &def, &ground));
  TRY(asp_model_attach_shape(model, ground, &shape));
  def = asp_body_default();
  def.name = "ball";
  def.mass = 1;
  def.inertia.m[8] = 0.004;
  def.pose.position = (AspVec3){0, 1, 0};
  def.angular_velocity = (AspVec3){0, 0, spin};
  TRY(asp_model_add_body(model, &def, ball));
  shape.shape = (AspShape){.kind = ASP_SHAPE_DISK, .radius = 0.1};
  TRY(asp_model_attach_shape(model, *ball, &shape));
  return asp_model_finish(model);
}

static AspError ball_rows(AspContext *context, ReproduceReport *report, double spin, double until, const char *what,
                          double speed, double turn) {
  AspRunOptions options = asp_run_default_options();
  AspModel *model;
  AspWorld *world = NULL;
  int ball;
  char name[96];
  options.scheme = ASP_SCHEME_GENERALIZED_ALPHA;
  options.dt = 2e-3;
  options.until = until;
  TRY(asp_model_create(context, 2, &model));
  AspError error = make_ball(model, spin, &ball);
  if (error == ASP_OK)
    error = asp_world_create(context, model, &options, &world);
  if (error == ASP_OK)
    error = run_to_end(world);
  if (error == ASP_OK) {
    const AspState *state = asp_world_state(world);
    snprintf(name, sizeof name, "ball with omega0 = %g, %s: |u_x|", spin, what);
    reproduce_row(report, name, NAN, speed, fabs(asp_state_velocity(model, state, ball).x), 1e-6,
                  "exact at grid times");
    snprintf(name, sizeof name, "ball with omega0 = %g, %s: omega", spin, what);
    reproduce_row(report, name, NAN, turn, asp_state_angular_velocity(model, state, ball).z, 1e-5,
                  "exact at grid times");
  }
  asp_world_destroy(world);
  asp_model_destroy(model);
  return error;
}

/* ---- the guided hopper ---- */

typedef struct FirstContact {
  double begin, end, normal, friction; /* s, N s */
  int flagged;
} FirstContact;

/* With the element of the values that are known. */
static AspError first_contact(AspContext *context, double dt, FirstContact *contact) {
  Hopper hopper;
  AspStepInfo info;
  *contact = (FirstContact){.begin = NAN};
  AspError error =
      hopper_open(context, &(HopperSetting){.mu = 0.1, .elements = 4, .plain = true, .dt = dt, .until = 0.25}, &hopper);
  while (error == ASP_OK && asp_world_state(hopper.world)->t < 0.25 - 1e-9) {
    double normal, friction;
    error = asp_world_step(hopper.world, &info);
    hopper_percussion(&hopper, &normal, &friction);
    contact->flagged += !info.certified;
    contact->normal += normal;
    contact->friction += friction;
    if (normal > 0) {
      contact->begin = isnan(contact->begin) ? info.t : contact->begin;
      contact->end = info.t;
    }
  }
  hopper_close(&hopper);
  return error;
}

static AspError hopper_rows(AspContext *context, ReproduceReport *report) {
  static const double steps[] = {1e-3, 5e-4, 2.5e-4}, normal[] = {16.4102, 16.4119, 16.4105},
                      friction[] = {0.177, 0.205, 0.208};
  const double switched = 2 * 0.1 * 16.41 / 0.09; // N: mean change of the friction force where it turns round
  char name[96];
  for (int i = 0; i < 3; i++) {
    FirstContact contact;
    TRY(first_contact(context, steps[i], &contact));
    snprintf(name, sizeof name, "hopper, dt = %g: first contact begins, s", steps[i]);
    reproduce_row(report, name, NAN, 0.0995, contact.begin, steps[i], "within a step");
    snprintf(name, sizeof name, "hopper, dt = %g: first contact ends, s", steps[i]);
    reproduce_row(report, name, NAN, 0.19, contact.end, steps[i], "within a step");
    snprintf(name, sizeof name, "hopper, dt = %g: sum of P_N, N s", steps[i]);
    reproduce_row(report, name, NAN, normal[i], contact.normal, 1e-4, "the last digit that is known");
    snprintf(name, sizeof name, "hopper, dt = %g: sum of P_F, N s", steps[i]);
    reproduce_row(report, name, NAN, friction[i], contact.friction, switched * steps[i],
                  "friction turns round within a step");
    snprintf(name, sizeof name, "hopper, dt = %g: flagged steps", steps[i]);
    reproduce_row(report, name, NAN, 0, contact.flagged, 0, "");
  }
  return ASP_OK;
}

/* ---- figures ---- */

#define FIGURE_UNTIL 1.2
#define FIGURE_STEPS 20000
#define POINTS       21

typedef struct Percussions {
  int count;
  double *t, *friction, *high, *low;
} Percussions;

/* Body, hip, knee and blade of the present state as one line. */
static void draw_leg(Plot *plot, const Hopper *hopper, bool first) {
  const AspState *state = asp_world_state(hopper->world);
  double x[POINTS + 2], y[POINTS + 2];
  AspVec3 top = asp_state_pose(hopper->model, state, hopper->main_body).position;
  x[0] = top.x;
  y[0] = top.y;
  x[1] = top.x;
  y[1] = top.y - 0.035;
  for (int i = 0; i < POINTS; i++) {
    AspVec3 p = asp_state_beam_pose(hopper->model, state, hopper->blade, 0.2 * i / (POINTS - 1)).position;
    x[i + 2] = p.x;
    y[i + 2] = p.y;
  }
  plot_line(plot, &(PlotPen){"#0072b2", first ? "body, rod and blade" : NULL, 1, false}, x, y, POINTS + 2);
}

static AspError follow(Hopper *hopper, Plot *phase, Percussions *p) {
  AspStepInfo info;
  int drawn = 0;
  while (asp_world_state(hopper->world)->t < FIGURE_UNTIL - 1e-9 && p->count < FIGURE_STEPS) {
    double normal;
    TRY(asp_world_step(hopper->world, &info));
    hopper_percussion(hopper, &normal, &p->friction[p->count]);
    p->t[p->count] = info.t;
    p->high[p->count] = 0.1 * normal;
    p->low[p->count] = -0.1 * normal;
    p->count++;
    if (info.t > 0.0995 + 0.01 * drawn && info.t < 0.2)
      draw_leg(phase, hopper, drawn++ == 0);
  }
  return ASP_OK;
}

static bool draw_percussions(const char *path, const Percussions *p) {
  Plot plot;
  double most = 0;
  for (int i = 0; i < p->count; i++)
    most = fmax(most, p->high[i]);
  if (plot_open(&plot, path,
                &(PlotFrame){.title = "Guided hopper: percussions of the foot",
                             .x_label = "t, s",
                             .y_label = "N s per step of 1 ms",
                             .x = {0, FIGURE_UNTIL},
                             .y = {-1.1 * most, 1.1 * most}})) {
    plot_line(&plot, &(PlotPen){"#999999", "+- mu P_N", 1.5, false}, p->t, p->high, p->count);
    plot_line(&plot, &(PlotPen){"#999999", NULL, 1.5, false}, p->t, p->low, p->count);
    plot_line(&plot, &(PlotPen){"#000000", "P_F", 1, false}, p->t, p->friction, p->count);
  }
  return plot_close(&plot);
}

static AspError figure_rows(AspContext *context, ReproduceReport *report) {
  const char *folder = reproduce_folder(report);
  char path[2][512];
  Hopper hopper;
  Plot phase;
  double *values = folder ? malloc(4 * FIGURE_STEPS * sizeof *values) : NULL;
  if (!folder)
    return ASP_OK;
  if (!values)
    return ASP_ERROR_MEMORY;
  Percussions p = {0, values, values + FIGURE_STEPS, values + 2 * FIGURE_STEPS, values + 3 * FIGURE_STEPS};
  snprintf(path[0], sizeof path[0], "%s/capobianco-percussions.svg", folder);
  snprintf(path[1], sizeof path[1], "%s/capobianco-contact-phase.svg", folder);
  plot_open(&phase, path[1],
            &(PlotFrame){.title = "Guided hopper: first contact, every 10 ms",
                         .x_label = "x, m",
                         .y_label = "y, m",
                         .x = {-0.1, 0.3},
                         .y = {0, 0.35}});
  AspError error =
      hopper_open(context, &(HopperSetting){.mu = 0.1, .elements = 4, .dt = 1e-3, .until = FIGURE_UNTIL}, &hopper);
  if (error == ASP_OK)
    error = follow(&hopper, &phase, &p);
  hopper_close(&hopper);
  bool written = plot_close(&phase);
  if (error == ASP_OK && (!written || !draw_percussions(path[0], &p)))
    error = reproduce_unwritable(report, written ? path[0] : path[1]);
  if (error == ASP_OK)
    reproduce_figure(report, "Figure 1: percussions and contact phase, steps drawn", NAN, p.count, path[0]);
  free(values);
  return error;
}

AspError reproduce_capobianco(AspContext *context, ReproduceReport *report) {
  TRY(order_rows(context, report));
  TRY(ball_rows(context, report, 50, 0.43, "right after the impact", 0.84366, 28.9085));
  TRY(ball_rows(context, report, 50, 0.8, "rolling", 1.4285714, 14.285714));
  TRY(ball_rows(context, report, 10, 0.5, "sticks at once", 0.2857143, 2.857143));
  TRY(hopper_rows(context, report));
  return figure_rows(context, report);
}
