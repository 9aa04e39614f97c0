/* `asperity reproduce schemes`: the event-driven scheme beside closed forms and time stepping, whose order is printed,
 * and compliant contact beside its closed forms and its rigid limit (docs/theory/event-driven.md). Scenes as text,
 * through the public headers.
 */
#include "constants.h"
#include "reproduce.h"
#include "reproduce_case.h"

#include <math.h>
#include <stdio.h>

#define BOUNCES 35

/* One scene for all schemes: the text holds %s for the scheme and %g for dt. */
typedef struct Comparison {
  const char *quantity, *format, *body;
  double x, allowed; /* position of the body at the end, and what the event-driven scheme may miss it by, m */
  double dt[3];      /* of Moreau-Jean */
} Comparison;

static AspError position_error(AspContext *context, const Comparison *it, const char *scheme, double dt,
                               double *error_of_x) {
  char text[2048];
  AspVec3 p, v;
  snprintf(text, sizeof text, it->format, scheme, dt);
  TRY(run_case(context, text, it->body, &p, &v));
  *error_of_x = fabs(p.x - it->x);
  return ASP_OK;
}

/* Errors at the end: event-driven, then time stepping with its order. */
static AspError compare_schemes(AspContext *context, const Comparison *it, ReproduceReport *report) {
  char quantity[128], note[128];
  double wrong, before = NAN;
  TRY(position_error(context, it, "event-driven", 0.01, &wrong));
  snprintf(quantity, sizeof quantity, "%s: error at the end, event-driven, m", it->quantity);
  reproduce_row(report, quantity, NAN, 0, wrong, it->allowed, "");
  for (int i = 0; i < 3; i++) {
    TRY(position_error(context, it, "moreau-jean", it->dt[i], &wrong));
    snprintf(quantity, sizeof quantity, "%s: the same, moreau-jean, dt = %g", it->quantity, it->dt[i]);
    int length = snprintf(note, sizeof note, "bound: 1 m/s times dt");
    if (i > 0)
      snprintf(note + length, sizeof note - (size_t)length, "; order %.2f",
               log(before / wrong) / log(it->dt[i - 1] / it->dt[i]));
    reproduce_row(report, quantity, NAN, 0, wrong, it->dt[i], note);
    before = wrong;
  }
  return ASP_OK;
}

/* ---- events ---- */

/* The k-th event of a kind, from 0; NULL: there are not so many. */
static const AspEvent *event_of(const Case *it, AspEventKind kind, int k) {
  const AspEvent *events = asp_world_events(it->world);
  int count = asp_world_event_count(it->world);
  for (int i = 0; i < count; i++)
    if (events[i].kind == kind && k-- == 0)
      return &events[i];
  return NULL;
}

static double time_of(const Case *it, AspEventKind kind, int k) {
  const AspEvent *event = event_of(it, kind, k);
  return event ? event->t : NAN;
}

/* max(worst, value) that keeps a NaN */
static double worse(double worst, double value) { return isnan(worst) || worst >= value ? worst : value; }

/* From 1 m with e = 0.8: bounces at sqrt(2/g) (1 + 2 (e + ... + e^k)), at rest after 9 sqrt(2/g). */
static AspError bouncing_ball(AspContext *context, ReproduceReport *report) {
  Case it;
  AspError error = open_case(
      context,
      "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": 0.8}],"
      " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, {\"name\": "
      "\"ball\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, 1.1], \"shapes\": [{\"type\": \"sphere\", "
      "\"radius\": 0.1}]}], \"run\": {\"scheme\": \"event-driven\", \"dt\": 0.01, \"until\": 5}}",
      &it);
  while (step_case(&it, &error)) {
  }
  double first = sqrt(2 / 9.81), t = first, v = 9.81 * t, wrong = 0;
  for (int k = 0; k < BOUNCES && error == ASP_OK; k++) {
    wrong = worse(wrong, fabs(time_of(&it, ASP_EVENT_IMPACT, k) - t));
    v *= 0.8;
    t += 2 * v / 9.81;
  }
  if (error == ASP_OK) {
    reproduce_row(report, "bouncing ball: largest error of the first 35 bounce times, s", NAN, 0, wrong, 1e-9, "");
    reproduce_row(report, "bouncing ball: bounces accumulate, s", NAN, 9 * first,
                  time_of(&it, ASP_EVENT_TIME_STEPPING, 0), 1e-5, "time stepping takes over");
    reproduce_row(report, "bouncing ball: gap at the end, m", NAN, 0, position(&it, "ball").z - 0.1, 1e-12, "");
  }
  close_case(&it);
  return error;
}

#define BELT                                                                                                           \
  "{\"dimension\": 2, \"gravity\": [0, -10], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3, "           \
  "\"static_friction\": 0.4}], \"bodies\": [{\"name\": \"belt\", \"motion\": {\"position\": [\"0.1*t\", 0]}, "         \
  "\"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": \"mass\", \"mass\": 2, \"inertia\": 1, \"position\": "        \
  "[0, 0], \"velocity\": [0.1, 0], \"shapes\": [{\"type\": \"point\"}]}], \"forces\": [{\"type\": \"spring\", "        \
  "\"bodies\": [\"world\", \"mass\"], \"points\": [[-1, 0], [0, 0]], \"stiffness\": 50, \"rest_length\": 1}], "

/* Stick until the spring pulls mu_s m g, slip about mu_k m g / k until the speed is the belt's again. */
static AspError stick_slip(AspContext *context, ReproduceReport *report) {
  const double w = 5, xs = 0.16, xk = 0.12, V = 0.1, turn = (2 * PI - 2 * atan((xs - xk) * w / V)) / w;
  const double period = turn + 2 * (xs - xk) / V;
  Case it;
  AspError error = open_case(context, BELT "\"run\": {\"scheme\": \"event-driven\", \"dt\": 0.01, \"until\": 8}}", &it);
  while (step_case(&it, &error)) {
  }
  double wrong = 0, t = xs / V;
  for (int k = 0; k < 4 && error == ASP_OK; k++, t += period) {
    wrong = worse(wrong, fabs(time_of(&it, ASP_EVENT_SLIP, k) - t));
    wrong = worse(wrong, fabs(time_of(&it, ASP_EVENT_STICK, k) - t - turn));
  }
  close_case(&it);
  if (error != ASP_OK)
    return error;
  reproduce_row(report, "mass on a belt: largest error of eight stick and slip times, s", NAN, 0, wrong, 1e-9, "");
  const Comparison ends = {"mass on a belt",
                           BELT "\"run\": {\"scheme\": \"%s\", \"dt\": %g, \"until\": 8, \"tolerance\": 1e-10}}",
                           "mass",
                           2 * xk - xs + V * (8 - (xs / V + 3 * period + turn)),
                           1e-9,
                           {0.02, 0.005, 0.00125}};
  return compare_schemes(context, &ends, report);
}

/* A = 0 at tan phi = 1: the time by an integration of phi alone in extended tolerance. */
static AspError rod(AspContext *context, ReproduceReport *report) {
  const double phi = 31 * PI / 180;
  char text[1024];
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"gravity\": [0, -10], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": "
           "1.6666666666666667}], \"bodies\": [{\"name\": \"board\", \"fixed\": true, \"shapes\": [{\"type\": "
           "\"half-plane\"}]}, {\"name\": \"rod\", \"mass\": 1, \"inertia\": 0.33333333333333331, \"position\": "
           "[%.17g, %.17g], \"angle_deg\": 31, \"velocity\": [-30, 0], \"shapes\": [{\"type\": \"point\", "
           "\"position\": [-1, 0]}]}], \"run\": {\"scheme\": \"event-driven\", \"dt\": 0.01, \"until\": 0.9}}",
           cos(phi), sin(phi));
  Case it;
  AspError error = open_case(context, text, &it);
  while (step_case(&it, &error)) {
  }
  for (int k = 0; k < 7 && error == ASP_OK; k++) {
    const AspEvent *jam = event_of(&it, ASP_EVENT_JAM, k);
    char quantity[96], note[96];
    if (!jam)
      break;
    snprintf(quantity, sizeof quantity, "rod on its way to A = 0: normal force at t = %.9f s, N", jam->t);
    snprintf(note, sizeof note, "A = %.3e, b = %.4e", jam->A, jam->b);
    reproduce_row(report, quantity, NAN, -jam->b / jam->A, jam->force, 1e-6 * fabs(jam->force), note);
  }
  if (error == ASP_OK) {
    const AspEvent *impulse = event_of(&it, ASP_EVENT_IMPULSE, 0);
    char note[96];
    snprintf(note, sizeof note, "no finite force from here on; impulse without collision %.4g N s",
             impulse ? impulse->impulse : NAN);
    reproduce_row(report, "rod that slides into the paradox: A = 0 at, s", NAN, 0.81454965867,
                  time_of(&it, ASP_EVENT_NO_FORCE, 0), 1e-6, note);
  }
  close_case(&it);
  return error;
}

/* ---- compliant contact ---- */

/* A disk of 1 kg flies at a wall without gravity, 1 m/s from 0.1 m away; at t = 0.5 s. */
static AspError bounce_on_spring(AspContext *context, double k, double c, AspVec3 *p, AspVec3 *v) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"gravity\": [0, 0], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0}], "
           "\"bodies\": [{\"name\": \"wall\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": "
           "\"ball\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 0.2], \"velocity\": [0, -1], \"shapes\": "
           "[{\"type\": \"disk\", \"radius\": 0.1}]}], \"run\": {\"scheme\": \"compliant\", \"dt\": 0.05, \"until\": "
           "0.5, \"tolerance\": 1e-11, \"compliant\": {\"stiffness\": %g, \"damping\": %g}}}",
           k, c);
  return run_case(context, text, "ball", p, v);
}

/* In: damped, out: free. e = exp(-z acos z / sqrt(1 - z^2)), z = c / (2 sqrt(m k)); undamped it lasts pi sqrt(m / k),
 * by which the ball is late against a rigid wall. */
static AspError compliant_bounce(AspContext *context, ReproduceReport *report) {
  AspVec3 p, v;
  double before = NAN;
  const double k = 1e4, z = 0.3;
  TRY(bounce_on_spring(context, k, 2 * z * sqrt(k), &p, &v));
  reproduce_row(report, "compliant bounce with a damper: velocity after it, m/s", NAN,
                exp(-z * acos(z) / sqrt(1 - z * z)), v.y, 1e-8, "z = 0.3");
  for (int i = 0; i < 3; i++) {
    const double stiff[] = {1e4, 1e6, 1e8};
    char quantity[96], note[64] = "";
    TRY(bounce_on_spring(context, stiff[i], 0, &p, &v));
    double late = 0.5 - p.y; // a rigid wall with e = 1 has it at 0.1 + (0.5 - 0.1)
    snprintf(quantity, sizeof quantity, "compliant bounce, k = %g N/m: behind the rigid one, m", stiff[i]);
    if (i > 0)
      snprintf(note, sizeof note, "order %.3f in 1/k", log(before / late) / log(stiff[i] / stiff[i - 1]));
    reproduce_row(report, quantity, NAN, PI / sqrt(stiff[i]), late, 1e-8, note);
    before = late;
  }
  return ASP_OK;
}

/* Slides v0^2 / (2 mu g) on a rigid plane; here the last part, slower than mu m g / c_T, exponentially. */
static AspError compliant_slide(AspContext *context, ReproduceReport *report) {
  double before = NAN;
  for (int i = 0; i < 3; i++) {
    const double dampers[] = {1e2, 1e3, 1e4};
    char text[1024], quantity[96], note[64] = "";
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": "
             "0.3}], \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}, "
             "{\"name\": \"block\", \"mass\": 2, \"inertia\": 1, \"position\": [0, -1.962e-5], \"velocity\": [2, 0], "
             "\"shapes\": [{\"type\": \"point\"}]}], \"run\": {\"scheme\": \"compliant\", \"dt\": 0.05, \"until\": "
             "1.5, \"tolerance\": 1e-11, \"compliant\": {\"stiffness\": 1e6, \"slip_damping\": %g}}}",
             dampers[i]);
    AspVec3 p, v;
    TRY(run_case(context, text, "block", &p, &v));
    double beyond = p.x - 4 / (2 * 0.3 * 9.81), slow = 0.3 * 2 * 9.81 / dampers[i];
    snprintf(quantity, sizeof quantity, "compliant block slides to rest, c_T = %g N s/m: beyond the rigid way, m",
             dampers[i]);
    if (i > 0)
      snprintf(note, sizeof note, "order %.3f in 1/c_T", log(before / beyond) / log(dampers[i] / dampers[i - 1]));
    reproduce_row(report, quantity, NAN, 2 * slow / dampers[i] - slow * slow / (2 * 0.3 * 9.81), beyond, 1e-9, note);
    before = beyond;
  }
  return ASP_OK;
}

AspError reproduce_schemes(AspContext *context, ReproduceReport *report) {
  static const Comparison pendulum = {
      "double pendulum hits a wall",
      "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, "
      "\"restitution\": 0.7}], \"bodies\": [{\"name\": \"wall\", \"fixed\": true, \"shapes\": [{\"type\": "
      "\"half-plane\", \"normal\": [1, 0], \"position\": [-0.3, 0]}]}, {\"name\": \"upper\", \"mass\": 1, \"inertia\": "
      "1e-6, \"position\": [0.8660254037844386, -0.5]}, {\"name\": \"lower\", \"mass\": 1, \"inertia\": 1e-6, "
      "\"position\": [1.8508331567966465, -0.6736481776669304], \"shapes\": [{\"type\": \"point\"}]}], \"joints\": "
      "[{\"name\": \"first\", \"type\": \"distance\", \"bodies\": [\"world\", \"upper\"], \"point\": [0, 0], "
      "\"point_b\": [0.8660254037844386, -0.5]}, {\"name\": \"second\", \"type\": \"distance\", \"bodies\": "
      "[\"upper\", \"lower\"], \"point\": [0.8660254037844386, -0.5], \"point_b\": [1.8508331567966465, "
      "-0.6736481776669304]}], \"run\": {\"scheme\": \"%s\", \"dt\": %g, \"until\": 1.5, \"tolerance\": 1e-10}}",
      "lower",
      1.3460196787153262, // two angles by Dormand-Prince 8(5,3), tolerance 2e-14
      1e-9,
      {0.01, 0.0025, 0.000625}};
  static const Comparison block = {
      "block on two corners starts to slip",
      "{\"dimension\": 2, \"gravity\": [0, -10], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.25}], "
      "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": "
      "\"block\", \"mass\": 3, \"inertia\": 0.1, \"position\": [0, 0.1], \"shapes\": [{\"type\": \"point\", "
      "\"position\": [-0.3, -0.1]}, {\"type\": \"point\", \"position\": [0.3, -0.1]}]}], \"forces\": [{\"type\": "
      "\"force\", \"body\": \"block\", \"point\": [0, 0.1], \"force\": [\"2*t\", 0]}], \"run\": {\"scheme\": \"%s\", "
      "\"dt\": %g, \"until\": 5, \"tolerance\": 1e-10}}",
      "block",
      2 * 1.25 * 1.25 * 1.25 / 18, // 2 (t - t0)^3 / (6 m), t0 = 3.75 s
      1e-9,
      {0.04, 0.016, 0.004}};
  TRY(bouncing_ball(context, report));
  TRY(stick_slip(context, report));
  TRY(compare_schemes(context, &pendulum, report));
  TRY(compare_schemes(context, &block, report));
  TRY(rod(context, report));
  TRY(compliant_bounce(context, report));
  return compliant_slide(context, report);
}
