/* When a rule of the scene comes to act (model/rule.c): schemes that follow the motion exactly end the step that brings
 * it where its condition becomes true, to rounding, by bisection of the step's length from the world as it was at the
 * start. The rest of the step is the next one. Others look at conditions at the ends of their steps. Depends on
 * save.c. */
#include "world/locate_rules.h"
#include "world/tuning/world.h"

#include <float.h>
#include <math.h>

bool asp_rules_are_located(const AspWorld *world) {
  const AspModel *model = world->model;
  return world->scheme->locates_rules && asp_model_event_count(model) + asp_model_stop_count(model) > 0;
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

static AspError bisect(AspWorld *world, const LocatedStep *step, double t, double length) {
  double low = 0, high = length, least = RULES_SHORTEST * length;
  bool acts = true;
  while (high - low > RULES_ROUNDING * DBL_EPSILON * fabs(t + high) && high > least) {
    double middle = 0.5 * (low + high);
    ASP_TRY(try_length(world, step, middle, &acts));
    *(acts ? &high : &low) = middle;
  }
  return try_length(world, step, fmax(high, least), &acts);
}

AspError asp_step_to_rules(AspWorld *world, const LocatedStep *step) {
  double t = world->state.t;
  long before = actions(world);
  ASP_TRY(asp_world_keep(world, world->context, true, &world->so_far.rewind));
  ASP_TRY(step->make(step->user, INFINITY));
  return actions(world) == before ? ASP_OK : bisect(world, step, t, world->state.t - t);
}
