/* Functions of time that change within a step: a step ends where one jumps or bends, and the rest is another one.
 *
 * A scheme takes loads at a few instants of a step. What comes and goes between them is not seen, however large, and a
 * jump counts as if it came at another instant. So the parts of a step meet the jumps and kinks of all functions of
 * time (model/timed.c), where what they would change counts as other events do (locate.c):
 *
 *   load    (jump h/2 + bend h^2/8) / mass         velocity, m/s
 *   rate    jump h/2,   place   jump + bend h/2     way, m; over the time that a velocity's error is carried on
 *
 * A velocity that jumps gets a short part behind its jump, since the way of a step is the mean of both ends. A load
 * that is smooth and still uneven, |mean - middle| h / mass above what counts as small, gets shorter parts; of loads
 * that can rest and then act at once less is small, since what waves add is taken back by their next half. What is
 * left, because parts are as short or as many as they may be or because events are not located (option `locate`), is
 * momentum that the step misses, and adds to what is unaccounted (resolution.c). Depends on step_error.c. */
#include "world/changes.h"
#include "model/timed.h"
#include "world/step_error.h"
#include "world/tuning/world.h"

#include <float.h>
#include <math.h>

/* Velocity that an impulse gives a body, m/s, at its reach where it turns. */
static double given(const AspWorld *world, int body, double impulse, bool turns) {
  double spin = world->resolution.spin[body];
  return turns ? impulse * asp_error_reach(world, body) / spin : impulse / asp_model_body_mass(world->model, body);
}

/* An impulse, or a way over the horizon, against what counts as small; of the body that it counts most for. Functions
 * of bodies that forces do not move act on others: these count. */
double asp_change_share(const AspWorld *world, int timed, double impulse, double way) {
  double horizon = asp_locate_horizon(world), most = 0;
  int bodies[2], moved = 0;
  bool turns = asp_timed_bodies(world->model, timed, bodies);
  for (int side = 0; side < 2; side++) {
    int body = bodies[side];
    if (body < 0 || !asp_model_body_is_free(world->model, body))
      continue;
    double speed = given(world, body, impulse, turns);
    speed += way * (turns ? asp_error_reach(world, body) : 1) / horizon;
    most = fmax(most, horizon * speed / asp_locate_allowed(world, &world->state, body, horizon));
    moved++;
  }
  return moved > 0 ? most : impulse + way > 0 ? INFINITY : 0;
}

/* What a jump inside a step of h may leave, of what is asked: half of the step has the wrong load, or all of it the
 * wrong rate. */
void asp_error_add_jump(const AspWorld *world, int timed, double jump, double h, StepError *error) {
  double left = fmax(world->options.until - world->state.t, 0);
  bool load = asp_timed_kind(world->model, timed) == TIMED_LOAD;
  int bodies[2];
  bool turns = asp_timed_bodies(world->model, timed, bodies);
  for (int side = 0; side < 2; side++) {
    int body = bodies[side];
    if (body < 0 || !asp_model_body_is_free(world->model, body))
      continue;
    double reach = asp_error_reach(world, body), off = load ? given(world, body, 0.5 * h * jump, turns) : 0;
    double e = load ? left * off : h * jump * (turns ? reach : 1);
    error->share = fmax(error->share, e / asp_error_asked(world, body, reach));
    error->length = fmax(error->length, e);
    error->speed = fmax(error->speed, off);
  }
}

/* Does a change count that a step of h would not meet? */
bool asp_change_counts(const AspWorld *world, int timed, const TimeChange *change, double h) {
  TimedKind kind = asp_timed_kind(world->model, timed);
  // exact: see above
  double impulse = kind == TIMED_LOAD ? h * (0.5 * change->jump + 0.125 * h * change->bend) : 0;
  double way = kind == TIMED_RATE    ? 0.5 * h * change->jump
               : kind == TIMED_PLACE ? change->jump + 0.5 * h * change->bend
                                     : 0;
  return asp_change_share(world, timed, impulse, way) > LOCATE_CUTS * world->options.locate;
}

/* The first change of a function that counts, in what is left of a step of h; *end: the length up to it. */
static bool first_change(const AspWorld *world, int timed, double h, double *end, double *behind) {
  const AspState *state = &world->state;
  double t = state->t, least = CHANGES_SHORTEST * world->options.dt, from = t + least;
  TimeChange change;
  for (int i = 0; asp_timed_is_of_time(world->model, timed) && i < CHANGES_MOST &&
                  asp_timed_change(world->model, state, timed, from, t + *end - least, &change);
       i++) {
    if (asp_change_counts(world, timed, &change, h)) {
      *end = change.low - t;
      *behind = change.high;
      return true;
    }
    from = change.high;
  }
  return false;
}

/* Did a velocity jump at the start of what is left of the step? */
static bool begins_with_jump(const AspWorld *world, double h) {
  const AspModel *model = world->model;
  double t = world->state.t, near = CHANGES_BEHIND * DBL_EPSILON * fabs(t);
  TimeChange change;
  for (int i = 0; i < asp_model_timed_count(model); i++)
    if (asp_timed_is_of_time(model, i) && asp_timed_kind(model, i) != TIMED_LOAD &&
        asp_timed_change(model, &world->state, i, t - near, t, &change) && asp_change_counts(world, i, &change, h))
      return true;
  return false;
}

/* How far the load over a step of h is misjudged by its middle, against what counts as small; *impulse: N s or
 * N m s. */
static double misjudged(const AspWorld *world, int timed, double h, bool closely, double *impulse) {
  double t = world->state.t, least = CHANGES_SHORTEST * world->options.dt;
  *impulse = h * asp_timed_uneven(world->model, &world->state, timed, t + least, t + h - least, closely);
  return asp_change_share(world, timed, *impulse, 0);
}

/* The length at which no load is uneven; *missed: what is left, N s and N m s. */
static double even_length(const AspWorld *world, double h, bool divides, double *missed) {
  const AspModel *model = world->model;
  double impulse;
  *missed = 0;
  for (int i = 0; i < asp_model_timed_count(model); i++) {
    double most = asp_timed_is_sudden(model, i) ? CHANGES_PULSE : CHANGES_WAVE;
    if (!asp_timed_is_of_time(model, i) || asp_timed_kind(model, i) != TIMED_LOAD ||
        !(misjudged(world, i, h, false, &impulse) > most))
      continue;
    while (misjudged(world, i, h, true, &impulse) > most && divides &&
           0.5 * h >= LOCATE_SHORTEST_CUT * world->options.dt)
      h *= 0.5;
    if (misjudged(world, i, h, true, &impulse) > most)
      *missed += impulse;
  }
  return h;
}

NextChange asp_next_change(const AspWorld *world, double h) {
  const AspModel *model = world->model;
  NextChange next = {.length = h};
  int count = asp_model_timed_count(model);
  if (count == 0)
    return next;
  bool divides = world->options.locate > 0 && world->records.parts.count < CHANGES_MOST;
  for (int i = 0; divides && i < count; i++)
    next.is_change = first_change(world, i, h, &next.length, &next.behind) || next.is_change;
  double even = even_length(world, next.length, divides, &next.missed);
  next.is_change = next.is_change && even == next.length;
  next.length = even;
  double least = LOCATE_SHORTEST_CUT * world->options.dt;
  if (divides && next.length > 2 * least && begins_with_jump(world, h)) {
    next.length = least;
    next.is_change = false;
    next.jumps = true;
  }
  return next;
}
