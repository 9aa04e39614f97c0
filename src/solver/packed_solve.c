/* Packed Gauss-Seidel: sweeping until done. See packed.h.
 *
 * Far from the solution the sweeps are made in floats: half the memory, and lengths and quotients at a third of the
 * cost. Every PACKED_SOLVE_LIGHT_EVERY of them the reactions are taken over, the velocities made from them in doubles,
 * and the residual looked at: the floats hold what has changed since then, so that their rounding does not add up.
 *
 * Cooling: in piles that settle, reactions have to go far along directions in which W is nearly singular, from one
 * change of states to the next. With much momentum they go fast and the residual is rough; with little it is smooth and
 * they stand still. Where a limit of sweeps was not enough last time, 1 - beta grows geometrically from that of
 * PACKED_SOLVE_HOT to that of PACKED_SOLVE_COLD over all of them. As soon as the tolerance is in sight beta follows the
 * residual again.
 */
#include "base/elementary.h"
#include "solver/packed.h"

#include "base/effort.h"
#include "base/parallel.h"
#include "solver/tuning/effort.h"
#include "solver/tuning/packed.h"

#include <float.h>
#include <math.h>

/* ---- in floats ---- */

static void lighten(void *out, const void *in, size_t count) {
  const double *from = in;
  float *to = out;
  for (size_t k = 0; k < count; k++)
    to[k] = (float)from[k];
}

/* The batches in floats; velocities come with the next look at the residual. Both kinds of numbers come in the same
 * order. */
static void lighten_batches(void *data, int from, int end) {
  const AspPacked *packed = data;
  size_t own = (asp_light_size(packed->spheres) - sizeof(AspLightBatch)) / sizeof(float);
  _Static_assert(offsetof(AspBatch, p) / sizeof(double) == offsetof(AspLightBatch, p) / sizeof(float), "same order");
  for (int b = from; b < end; b++) {
    const AspBatch *batch = asp_batch_at(packed, b);
    AspLightBatch *light = asp_light_at(packed, b);
    lighten(light, batch, offsetof(AspBatch, p) / sizeof(double));
    for (int lane = 0; lane < ASP_LANES; lane++) {
      light->p[lane] = (int)sizeof(AspLightBody) * batch->p[lane];
      light->q[lane] = (int)sizeof(AspLightBody) * batch->q[lane];
    }
    lighten(light + 1, batch + 1, own);
  }
}

static void lighten_bodies(void *data, int from, int end) {
  const AspPacked *packed = data;
  for (int b = from; b < end; b++)
    packed->light_body[b] = packed->light_before[b] =
        (AspLightBody){.inverse_mass = (float)packed->body[b].inverse_mass};
}

static void enter_floats(AspPacked *packed) {
  packed->in_floats = true;
  asp_packed_for_batches(packed, lighten_batches, packed);
  asp_parallel_for(packed->context, packed->bodies, PACKED_SOLVE_BODIES, lighten_bodies, packed);
}

static void forget_last(void *data, int from, int end) {
  const AspPacked *packed = data;
  for (int b = from; b < end; b++)
    memcpy(asp_batch_at(packed, b)->r[1 - packed->now], asp_batch_at(packed, b)->r[packed->now],
           sizeof packed->batch->r[0]);
}

/* Doubles from here on; momentum starts again. */
static void leave_floats(AspPacked *packed) {
  packed->in_floats = false;
  asp_packed_for_batches(packed, forget_last, packed);
  memcpy(packed->before, packed->body, (size_t)packed->bodies * sizeof *packed->body);
}

/* Changes are counted from here on. */
static void restart_changes(void *data, int from, int end) {
  const AspPacked *packed = data;
  for (int b = from; b < end; b++) {
    AspLightBody *body = &packed->light_body[b], *before = &packed->light_before[b];
    for (int k = 0; k < 3; k++) {
      before->v[k] -= body->v[k];
      before->w[k] -= body->w[k];
      body->v[k] = body->w[k] = 0;
    }
  }
}

/* Reactions taken over from the floats, velocities from them. */
static void take_over(AspPacked *packed) {
  asp_packed_refresh(packed);
  asp_parallel_for(packed->context, packed->bodies, PACKED_SOLVE_BODIES, restart_changes, packed);
}

/* ---- looks ---- */

/* The residual of r: over what the goal allows, at most 1 when solved; and parts of it. */
typedef struct Look {
  double excess, E2, contact;
  double mean; /* normal reaction of a contact */
} Look;

static Look look(AspPacked *packed, const AspPackedGoal *goal) {
  AspPackedSums all = asp_packed_sum(packed);
  double data = packed->rho * packed->norm_q, size = sqrt(all.map), r = sqrt(all.total);
  AspResidual residual = {.E1 = sqrt(all.map_unit) / fmax(fmax(r, sqrt(all.speed)), fmax(packed->norm_q, DBL_MIN)),
                          .E2 = size / fmax(fmax(r, data), DBL_MIN),
                          .E3 = size / fmax(data, DBL_MIN),
                          .contact = sqrt(all.worst) * packed->problem->blocks / fmax(all.normal, DBL_MIN)};
  double excess = asp_verdict_excess(&goal->asked, &residual);
  return (Look){isfinite(all.worst + all.map + all.map_unit) ? excess : HUGE_VAL, residual.E2, residual.contact,
                all.normal / packed->problem->blocks};
}

static void tell(const AspPackedGoal *goal, int sweeps, double excess_now) {
  if (goal->progress)
    goal->progress(goal->progress_user, sweeps, "nsgs", excess_now * goal->asked.residual);
}

/* ---- the start ---- */

static Look start_at(AspPacked *packed, const AspPackedGoal *goal, const double *r, const double *other, double part) {
  asp_packed_load(packed, r, other, part);
  asp_packed_refresh(packed);
  return look(packed, goal);
}

/* Start where the residual is least; returns it. */
static Look choose_start(AspPacked *packed, const AspPackedGoal *goal, const double *r, const double *other) {
  Look best = start_at(packed, goal, r, other, 0);
  double best_part = 0, last_part = 0;
  for (double part = 0.5; other && part <= 1 && best.excess > PACKED_SOLVE_FAR && best.contact < PACKED_SOLVE_ROUGH;
       part += 0.5) {
    Look there = start_at(packed, goal, r, other, part);
    last_part = part;
    if (there.excess < best.excess) {
      best = there;
      best_part = part;
    }
  }
  if (last_part != best_part)
    best = start_at(packed, goal, r, other, best_part);
  asp_packed_start_momentum(packed, best.contact);
  return best;
}

/* ---- until done ---- */

typedef struct Course {
  const AspPackedGoal *goal;
  Look last;
  double best; /* least excess so far */
  int sweeps, check, best_check;
  double past[ASP_LONGEST_WINDOW]; /* excess at the last looks, and after how many sweeps */
  int past_sweeps[ASP_LONGEST_WINDOW], window;
  double rate, last_rate; /* fall of log(excess) in a sweep: over the window, and since the last look */
  bool cooling;
} Course;

static Course begin(AspPacked *packed, const AspPackedGoal *goal, const double *r, const double *other) {
  Course course = {.goal = goal, .window = goal->window > 0 ? goal->window : PACKED_SOLVE_WINDOW};
  packed->in_floats = false;
  course.last = choose_start(packed, goal, r, other);
  course.best = course.last.excess;
  course.cooling = goal->at_limit && goal->patience == 0 && course.last.contact > PACKED_SOLVE_ROUGH;
  for (int k = 0; k < course.window; k++)
    course.past[k] = course.best;
  asp_packed_keep(packed);
  tell(goal, 0, course.best);
  if (course.best > 1 && course.last.contact > PACKED_SOLVE_LIGHT && course.last.mean > PACKED_SOLVE_FLOAT_LEAST &&
      course.last.mean < PACKED_SOLVE_FLOAT_MOST) {
    enter_floats(packed);
    look(packed, goal);
  }
  return course;
}

/* Where the limit will be met before the goal, its last sweeps are calm ones, or momentum has fallen all the way. */
static void limit_momentum(AspPacked *packed, Course *course) {
  int all = course->goal->max_sweeps, left = all - course->sweeps;
  bool in_time = course->rate > 0 && asp_ln(course->last.excess) / course->rate <= left;
  course->cooling = course->cooling && !(in_time && course->last.excess < PACKED_SOLVE_FAR);
  if (course->cooling)
    packed->momentum = 1 - (1 - PACKED_SOLVE_HOT) *
                               asp_pow((1 - PACKED_SOLVE_COLD) / (1 - PACKED_SOLVE_HOT), (double)course->sweeps / all);
  else if (left <= PACKED_SOLVE_CALM_SWEEPS && !in_time)
    packed->momentum = fmin(packed->momentum, PACKED_SOLVE_CALM);
}

/* Sweeps up to the next look. */
static int next_sweeps(const AspPacked *packed, const Course *course) {
  int left = course->goal->max_sweeps - course->sweeps,
      every = packed->in_floats ? PACKED_SOLVE_LIGHT_EVERY : PACKED_SOLVE_CHECK_EVERY;
  if (course->cooling && packed->in_floats && left > PACKED_SOLVE_LAST_SWEEPS)
    every = left - PACKED_SOLVE_LAST_SWEEPS < PACKED_SOLVE_HOT_EVERY ? left - PACKED_SOLVE_LAST_SWEEPS
                                                                     : PACKED_SOLVE_HOT_EVERY;
  return left < every ? left : every;
}

/* Sweeps up to the next look, and the look. */
static void sweep_on(AspPacked *packed, Course *course) {
  limit_momentum(packed, course);
  int count = next_sweeps(packed, course), slot = ++course->check % course->window;
  asp_packed_sweep(packed, count);
  if (packed->in_floats)
    take_over(packed);
  course->sweeps += count;
  asp_effort_add(asp_effort(packed->context), EFFORT_PACKED * (double)packed->problem->blocks * count);
  if (!packed->in_floats && course->check % PACKED_SOLVE_FRESH_EVERY == 0)
    asp_packed_refresh(packed);
  Look next = look(packed, course->goal);
  if (!course->cooling)
    asp_packed_adapt_momentum(packed, course->last.E2, next.E2);
  course->rate = asp_ln(course->past[slot] / next.excess) / (course->sweeps - course->past_sweeps[slot]);
  course->last_rate = asp_ln(course->last.excess / next.excess) / count;
  course->past[slot] = next.excess;
  course->past_sweeps[slot] = course->sweeps;
  course->last = next;
  tell(course->goal, course->sweeps, next.excess);
  if (next.excess < PACKED_SOLVE_PROGRESS * course->best)
    course->best_check = course->check;
  if (next.excess < course->best) {
    course->best = next.excess;
    asp_packed_keep(packed);
  }
}

/* A little better than the tolerance, where that costs little: the remaining error disturbs the next step. */
static bool is_done(const Course *course) {
  return course->best <= PACKED_SOLVE_AIM ||
         (course->best <= 1 && !(course->rate > 0 && asp_ln(course->last.excess / PACKED_SOLVE_AIM) / course->rate <=
                                                         PACKED_SOLVE_CHECK_EVERY));
}

/* Should the sweeps stop without reaching the goal? */
static bool is_hopeless(const Course *course) {
  const AspPackedGoal *goal = course->goal;
  double now = course->last.excess, rate = course->rate, best_rate = fmax(rate, course->last_rate);
  bool hopeful =
      rate > 0 ? asp_ln(now) / rate <= goal->patience : course->check - course->best_check < PACKED_SOLVE_HOPE;
  if (goal->patience > 0 && course->sweeps >= goal->verdict && !hopeful)
    return true;
  return now * goal->asked.residual <= goal->near && course->sweeps >= goal->near_verdict &&
         !(best_rate > 0 && asp_ln(now) / best_rate <= goal->near_patience);
}

/* Changes that are tried where the residual no longer falls: less momentum, none; doubles where floats may be the
 * reason, or nothing else helped. */
static void change_course(AspPacked *packed, Course *course) {
  bool stuck = !course->cooling && course->check - course->best_check > PACKED_SOLVE_STAGNATION;
  bool fine = course->last.contact <= PACKED_SOLVE_LIGHT;
  if (packed->in_floats && (fine || (stuck && packed->most == 0))) {
    leave_floats(packed);
    course->best_check = course->check;
  } else if (stuck && asp_packed_lower_momentum(packed)) {
    course->best_check = course->check;
  }
}

AspStatus asp_packed_solve(AspPacked *packed, const AspPackedGoal *goal, double *r, const double *other, int *sweeps) {
  Course course = begin(packed, goal, r, other);
  bool done = course.best <= 1, late = false;
  while (!done && !late && course.sweeps < goal->max_sweeps) {
    sweep_on(packed, &course);
    done = is_done(&course);
    if (course.last.excess == HUGE_VAL || (!done && is_hopeless(&course)))
      break;
    change_course(packed, &course);
    late = asp_is_late(packed->context, goal->deadline);
  }
  *sweeps = course.sweeps;
  asp_packed_unload(packed, r);
  return course.best <= 1 ? ASP_STATUS_SOLVED : late ? ASP_STATUS_TIME_LIMIT : ASP_STATUS_ITERATION_LIMIT;
}
