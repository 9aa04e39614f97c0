/* When a rule of the scene comes to act (model/rule.c): the step that brings it ends where its condition becomes true,
 * by bisection of the step's length from the world as it was at the start; the rest of the step is the next one. To
 * rounding where the scheme follows the motion exactly, to a small part of dt where it steps (option `locate`). Rules
 * that act again and again end a few steps within dt early, not more; what the others miss is momentum unaccounted.
 * Depends on save.c. */
#include "world/locate_rules.h"
#include "linalg/vec3.h"
#include "world/tuning/world.h"

#include <float.h>
#include <math.h>

bool asp_rules_are_located(const AspWorld *world) {
  const AspModel *model = world->model;
  const AspRunOptions *options = &world->options;
  if (asp_model_event_count(model) + asp_model_stop_count(model) == 0)
    return false;
  return world->scheme->integrate || (options->locate > 0 && options->step_budget == 0 && asp_locate_is_small(model));
}

/* What events did so far, and whether a stop holds. */
static long actions(const AspWorld *world) {
  long sum = asp_state_stop(world->model, &world->state) >= 0;
  for (int i = 0; i < asp_model_event_count(world->model); i++)
    sum += asp_state_event_actions(world->model, &world->state, i);
  return sum;
}

/* A step of at most `longest` from the start of the step; *acts: something happened at its end. */
static AspError try_length(AspWorld *world, const LocatedStep *step, double longest, bool *acts) {
  ASP_TRY(asp_world_put_back(world, true, &world->so_far.rewind));
  long before = actions(world);
  ASP_TRY(step->make(step->user, longest));
  *acts = actions(world) != before;
  return ASP_OK;
}

/* The shortest length at whose end a rule acts. Where a step ends before it, at an event of its own, that is the step:
 * the next one goes on from there. */
static AspError bisect(AspWorld *world, const LocatedStep *step, double t, double length) {
  double low = 0, high = length, least = RULES_SHORTEST * length;
  double apart = world->scheme->integrate ? 0 : RULES_APART * world->options.dt;
  bool acts = true;
  while (high - low > fmax(RULES_ROUNDING * DBL_EPSILON * fabs(t + high), apart) && high > least) {
    double middle = 0.5 * (low + high);
    ASP_TRY(try_length(world, step, middle, &acts));
    if (!acts && world->state.t - t < (1 - RULES_SHORTEST) * middle)
      return ASP_OK;
    *(acts ? &high : &low) = middle;
  }
  return try_length(world, step, fmax(high, least), &acts);
}

/* What bodies were pushed by in the step just made, N s and N m s: by no more than that is it off where a rule came to
 * act inside it. */
static double pushed(const AspWorld *world) {
  const AspModel *model = world->model;
  AspState start = world->state;
  double sum = 0;
  start.v = world->so_far.sensing.v;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (!asp_model_body_is_free(model, body))
      continue;
    AspVec3 moved = sub3(asp_state_velocity(model, &world->state, body), asp_state_velocity(model, &start, body));
    AspVec3 turned =
        sub3(asp_state_angular_velocity(model, &world->state, body), asp_state_angular_velocity(model, &start, body));
    sum += asp_model_body_mass(model, body) * norm3(moved) + world->resolution.spin[body] * norm3(turned);
  }
  return sum;
}

AspError asp_step_to_rules(AspWorld *world, const LocatedStep *step) {
  double t = world->state.t;
  long before = actions(world);
  int *rules = &world->clock.rules;
  if (world->clock.grid_rest == 0)
    *rules = *rules < RULES_MOST ? 0 : RULES_MOST - 1; // once more, where they acted all the time
  if (*rules >= RULES_MOST) {
    ASP_TRY(step->make(step->user, INFINITY));
    asp_resolution_miss(&world->resolution, actions(world) != before ? pushed(world) : 0);
    return ASP_OK;
  }
  ASP_TRY(asp_world_keep(world, world->context, true, &world->so_far.rewind));
  ASP_TRY(step->make(step->user, INFINITY));
  if (actions(world) == before)
    return ASP_OK;
  ASP_TRY(bisect(world, step, t, world->state.t - t));
  ++*rules;
  return ASP_OK;
}
