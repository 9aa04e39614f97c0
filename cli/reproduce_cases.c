/* `asperity reproduce cases`: worlds with closed forms, against the exact solution at the grid's time, and the order of
 * the schemes. Impacts of two balls, a bouncing ball, an oblique impact with friction, a block under a growing force, a
 * block that slides to rest, a table with four legs on a slope, Painleve's rod in one step of Stewart-Trinkle. The
 * numbers in front of the rows' names (T14, S6) are those of docs/reference/cases.md: others find the rows by them.
 * Scenes as text, through the public headers.
 */
#include "reproduce.h"
#include "reproduce_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GRAVITY 9.81

static AspError two_balls(AspContext *context, ReproduceReport *report) {
  const char *text =
      "{\"dimension\": 2, \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, \"restitution\": 0.5}], "
      "\"bodies\": [{\"name\": \"one\", \"mass\": 1, \"inertia\": 1, \"velocity\": [3, 0], \"shapes\": "
      "[{\"type\": \"disk\", \"radius\": 0.1}]}, {\"name\": \"two\", \"mass\": 2, \"inertia\": 1, "
      "\"position\": [1, 0], \"velocity\": [-1, 0], \"shapes\": [{\"type\": \"disk\", \"radius\": 0.1}]}], "
      "\"run\": {\"dt\": 0.01, \"until\": 0.5, \"tolerance\": 1e-12}}";
  AspVec3 p, one, two;
  AspError error = run_case(context, text, "one", &p, &one);
  if (error == ASP_OK)
    error = run_case(context, text, "two", &p, &two);
  if (error != ASP_OK)
    return error;
  reproduce_row(report, "T14 two balls, velocity of the first, m/s", NAN, -1, one.x, 1e-10, "");
  reproduce_row(report, "T14 two balls, velocity of the second, m/s", NAN, 1, two.x, 1e-10, "");
  return ASP_OK;
}

#define GROUND "{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]}, "

static AspError bouncing_ball(AspContext *context, ReproduceReport *report) {
  const double dt = 0.001;
  Case it;
  AspError error =
      open_case(context,
                "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0, "
                "\"restitution\": 0.5}], \"bodies\": [" GROUND "{\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, "
                "1.1], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}], \"run\": {\"dt\": 0.001, \"until\": 2, "
                "\"tolerance\": 1e-10}}",
                &it);
  double peak[2] = {0}, settled = 0, last = 0;
  int bounces = 0;
  while (step_case(&it, &error)) {
    double speed = velocity(&it, "ball").z;
    settled = fabs(speed) > 1e-9 ? it.info.t : settled;
    if (last > 0 && speed <= 0 && bounces < 2)
      peak[bounces++] = position(&it, "ball").z - 0.1;
    last = speed;
  }
  close_case(&it);
  if (error != ASP_OK)
    return error;
  reproduce_row(report, "T16 bouncing ball, first height, m", NAN, 0.25, peak[0], 2 * dt, "dt = 0.001");
  reproduce_row(report, "T16 bouncing ball, second height, m", NAN, 0.0625, peak[1], 2 * dt, "dt = 0.001");
  reproduce_row(report, "T16 bouncing ball, at rest, s", NAN, 1.3545709229571927, settled, 20 * dt,
                "dt = 0.001; a fixed step may miss it by 20 dt");
  return ASP_OK;
}

/* p_T = min(mu p_N, 2/7 m v_T), and mu m g from the impact on, at t = 0.02 s. */
static AspError oblique_impact(AspContext *context, ReproduceReport *report) {
  const double mu[] = {0.03, 0.05, 0.5}, until = 0.02;
  double fall = (-3 + sqrt(9 + 2 * GRAVITY * 0.05)) / GRAVITY;
  for (int i = 0; i < 3; i++) {
    char text[1024], quantity[96];
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": %g}], \"bodies\": "
        "[" GROUND "{\"name\": \"ball\", \"mass\": 1, \"inertia\": [0.4, 0.4, 0.4], \"position\": [0, 0, 1.05], "
        "\"velocity\": [1, 0, -3], \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}], \"run\": {\"dt\": 0.001, "
        "\"until\": %g, \"tolerance\": 1e-12}}",
        mu[i], until);
    AspVec3 p, v;
    AspError error = run_case(context, text, "ball", &p, &v);
    if (error != ASP_OK)
      return error;
    snprintf(quantity, sizeof quantity, "T18 oblique impact, mu = %g, v_x at 0.02 s, m/s", mu[i]);
    double change = fmin(mu[i] * (3 + GRAVITY * fall + GRAVITY * (until - fall)), 2.0 / 7);
    reproduce_row(report, quantity, NAN, 1 - change, v.x, 1e-9, "exact at the grid time");
  }
  return ASP_OK;
}

/* A block of 2 kg with mu = 0.3; errors of x and v at the end against the exact ones. */
typedef struct Sliding {
  const char *quantity;
  double speed;       /* at the start, m/s */
  const char *force;  /* expression, N */
  double until, x, v; /* exact x and v there */
  bool by_speed;      /* judged by v: the errors of x of first order cancel */
} Sliding;

/* Steps of equal length: located ones are off by less, but of no order. */
static AspError sliding_error(AspContext *context, const Sliding *sliding, const char *scheme, int steps, double *x,
                              double *v) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"dimension\": 2, \"gravity\": [0, -9.81], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}], "
      "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": "
      "\"block\", \"mass\": 2, \"position\": [0, 0.1], \"velocity\": [%g, 0], \"shapes\": [{\"type\": \"box\", "
      "\"size\": [1, 0.2]}]}], \"forces\": [{\"type\": \"force\", \"body\": \"block\", \"force\": [\"%s\", 0], "
      "\"point\": [0, 0.1]}], \"run\": {\"scheme\": \"%s\", \"dt\": %.17g, \"until\": %g, \"tolerance\": 1e-12, "
      "\"locate\": 0}}",
      sliding->speed, sliding->force, scheme, sliding->until / steps, sliding->until);
  AspVec3 p, u;
  AspError error = run_case(context, text, "block", &p, &u);
  *x = fmax(*x, fabs(p.x - sliding->x));
  *v = fmax(*v, fabs(u.x - sliding->v));
  return error;
}

/* Where slip begins or ends within a step decides the constant: the worst of neighbouring steps shows the order. */
static AspError sliding_order(AspContext *context, const Sliding *sliding, ReproduceReport *report) {
  static const char *const schemes[] = {"moreau-jean", "stewart-trinkle"};
  for (int s = 0; s < 2; s++) {
    double x[2] = {0}, v[2] = {0}, *e = sliding->by_speed ? v : x;
    AspError error = ASP_OK;
    for (int i = 0; i < 8 && error == ASP_OK; i++)
      for (int fine = 0; fine < 2 && error == ASP_OK; fine++)
        error = sliding_error(context, sliding, schemes[s], fine ? 200 + 4 * i : 50 + i, &x[fine], &v[fine]);
    if (error != ASP_OK)
      return error;
    char quantity[128], note[128];
    snprintf(quantity, sizeof quantity, "%s, order of %s, %s", sliding->quantity, sliding->by_speed ? "v" : "x",
             schemes[s]);
    snprintf(note, sizeof note, "largest error %.2g at 50 steps, %.2g at 200", e[0], e[1]);
    reproduce_row(report, quantity, NAN, s == 0 ? 2 : 1, log(e[0] / e[1]) / log(4), 0.3, note);
  }
  return ASP_OK;
}

/* Four legs at (+-0.5, +-0.4), centre of mass 0.7 m above the ground, on a slope: a = g (sin - mu cos), or rest; load
 * front and rear from the balance of moments. */
static AspError table_on_slope(AspContext *context, ReproduceReport *report) {
  const double angle[] = {0.2, 0.5}, mu = 0.4, m = 10;
  for (int i = 0; i < 2; i++) {
    char text[2048], quantity[96];
    snprintf(
        text, sizeof text,
        "{\"gravity\": [%.17g, 0, %.17g], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.4}], \"bodies\": "
        "[" GROUND "{\"name\": \"table\", \"mass\": 10, \"inertia\": [1, 1, 1], \"position\": [0, 0, 0.7], "
        "\"shapes\": [{\"type\": \"point\", \"position\": [0.5, 0.4, -0.7]}, {\"type\": \"point\", \"position\": "
        "[0.5, -0.4, -0.7]}, {\"type\": \"point\", \"position\": [-0.5, 0.4, -0.7]}, {\"type\": \"point\", "
        "\"position\": [-0.5, -0.4, -0.7]}]}], \"run\": {\"dt\": 0.01, \"until\": 0.5, \"tolerance\": 1e-11}}",
        GRAVITY * sin(angle[i]), -GRAVITY * cos(angle[i]));
    Case it;
    AspError error = open_case(context, text, &it);
    while (step_case(&it, &error)) {
    }
    double front = 0, all = 0, a = 0;
    for (int k = 0; error == ASP_OK && k < asp_world_contact_count(it.world); k++) {
      const AspContactRecord *contact = &asp_world_contacts(it.world)[k];
      all += contact->force.z;
      front += contact->point.x > position(&it, "table").x ? contact->force.z : 0;
    }
    if (error == ASP_OK)
      a = velocity(&it, "table").x / it.info.t;
    close_case(&it);
    if (error != ASP_OK)
      return error;
    double weight = m * GRAVITY * cos(angle[i]), push = fmin(mu * weight, m * GRAVITY * sin(angle[i]));
    double exact = fmax(GRAVITY * (sin(angle[i]) - mu * cos(angle[i])), 0);
    snprintf(quantity, sizeof quantity, "T29 table at %g rad, acceleration, m/s^2", angle[i]);
    reproduce_row(report, quantity, NAN, exact, a, 1e-6, "");
    snprintf(quantity, sizeof quantity, "T29 table at %g rad, sum of the normal forces, N", angle[i]);
    reproduce_row(report, quantity, NAN, weight, all, 1e-6, "");
    snprintf(quantity, sizeof quantity, "T29 table at %g rad, front legs, N", angle[i]);
    reproduce_row(report, quantity, NAN, 0.5 * weight + 0.5 * push * 0.7 / 0.5, front, 1e-5,
                  "how left and right share it is not determined");
  }
  return ASP_OK;
}

/* One step of dt = 0.01: 0.875 dt away from the impulse (3 sqrt3/16, 7/16). */
static AspError painleve_step(AspContext *context, ReproduceReport *report) {
  const double phi = 1.0471975511965976;
  char text[1024];
  snprintf(text, sizeof text,
           "{\"dimension\": 2, \"gravity\": [0, -1], \"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 1.5}], "
           "\"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-plane\"}]}, {\"name\": "
           "\"rod\", \"mass\": 1, \"inertia\": 0.33333333333333331, \"position\": [0, %.17g], \"velocity\": [-1, 0], "
           "\"shapes\": [{\"type\": \"point\", \"position\": [%.17g, %.17g]}]}], \"run\": {\"scheme\": "
           "\"stewart-trinkle\", \"dt\": 0.01, \"until\": 0.01, \"tolerance\": 1e-12}}",
           sin(phi), -cos(phi), -sin(phi));
  Case it;
  AspError error = open_case(context, text, &it);
  double r[2] = {NAN, NAN};
  while (step_case(&it, &error))
    for (int k = 0; k < asp_world_contact_count(it.world); k++)
      memcpy(r, asp_world_contacts(it.world)[k].impulse, sizeof r);
  close_case(&it);
  if (error != ASP_OK)
    return error;
  reproduce_row(report, "S6 Painleve's rod, normal impulse, N s", NAN, 0.3328845264191645, r[0], 1e-9, "dt = 0.01");
  reproduce_row(report, "S6 Painleve's rod, tangential impulse, N s", NAN, 0.44074759526419166, r[1], 1e-9,
                "dt = 0.01");
  reproduce_row(report, "S6 distance from the impulse, in steps", NAN, 0.875,
                hypot(r[0] - 3 * sqrt(3) / 16, r[1] - 7.0 / 16) / 0.01, 1e-6, "at most 0.9");
  return ASP_OK;
}

AspError reproduce_cases(AspContext *context, ReproduceReport *report) {
  static const Sliding ramp = {"T20 block under 10 t N", 0, "10*t", 1, 0.05802452795333332, 0.4231248999999999, true};
  static const Sliding stop = {"T21 block slides to rest", 2, "0", 1, 0.6795786612300374, 0, false};
  AspError error = two_balls(context, report);
  if (error == ASP_OK)
    error = bouncing_ball(context, report);
  if (error == ASP_OK)
    error = oblique_impact(context, report);
  if (error == ASP_OK)
    error = sliding_order(context, &ramp, report);
  if (error == ASP_OK)
    error = sliding_order(context, &stop, report);
  if (error == ASP_OK)
    error = table_on_slope(context, report);
  return error == ASP_OK ? painleve_step(context, report) : error;
}
