/* Events inside a step are located by halving it (docs/theory/time-stepping.md, "Events inside a step").
 *
 * A step treats all that happens in it as one problem: impacts at one instant, friction, limits and motors as they are
 * at its end. What comes later in it, turns back, or saturates is off by the unknown instant, an error of first order.
 * Where a body's velocity changes otherwise than in the last two steps,
 *
 *   change = T |v+ - v- - h a| / A > share,      A = e (2 L + way + T |v|)
 *   a: of the last step, of the one before, or as both go on, whichever is nearest
 *
 * the step of h is made as two of h/2 as well (step_error.c), and where their ends differ by more than `share` (option
 * `locate`) of the error A that counts as small, its first half is taken in its place; the rest follows the same way.
 * e: of resolution; L, way: the body's size and way so far; T: time that an error of the velocity is carried on, a
 * number of steps. Smooth motion that is tested once is not tested again as long as its change stays about the same,
 * since its error is of second order. Steps with springs that they do not resolve are not divided: parts would resolve
 * some of these, and gain energy where the whole damps them. Each step allows a number of solves for tests and
 * instants, so that scenes with an event in every step become slower by a bounded factor. */
#include "base/effort.h"
#include "base/elementary.h"
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "world/changes.h"
#include "world/step_error.h"
#include "world/tuning/resolution.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>

static int count_moving(const AspModel *model) {
  int moving = 0;
  for (int body = 0; body < asp_model_body_count(model); body++)
    moving += asp_model_body_is_free(model, body);
  return moving;
}

bool asp_locate_is_small(const AspModel *model) { return count_moving(model) <= LOCATE_BODIES; }

/* A motor's rate that jumps with places or velocities. */
static bool has_switching_rate(const AspModel *model) {
  for (int i = 0; i < asp_model_timed_count(model); i++)
    if (asp_timed_switches(model, i) && asp_timed_kind(model, i) == TIMED_RATE)
      return true;
  return false;
}

bool asp_locate_is_asked(const AspModel *model, const AspSchemeType *scheme, const AspRunOptions *options) {
  int moving = count_moving(model);
  bool has_events = scheme->locates || (scheme->locates_rates && has_switching_rate(model));
  return options->locate > 0 && has_events && options->retry && options->step_budget == 0 && moving > 0 &&
         moving <= LOCATE_BODIES && asp_model_beam_count(model) == 0;
}

double asp_locate_horizon(const AspWorld *world) { return LOCATE_HORIZON * world->options.dt; }

double asp_locate_allowed(const AspWorld *world, const AspState *state, int body, double horizon) {
  return LOCATE_ERROR * (2 * asp_error_reach(world, body) + world->resolution.way[body] +
                         horizon * norm3(asp_state_velocity(world->model, state, body)));
}

void asp_locate_begin(const AspModel *model, StepLocating *locating) {
  double few = fmin(1, LOCATE_FEW / (double)count_moving(model));
  locating->few = few * few * few; // a solve costs more, too, and events come more often
  locating->ago = LOCATE_KNOWN;
  locating->credit = LOCATE_MOST * locating->few;
}

/* How far a body's velocity changed otherwise than expected in the step just made, m/s: with the acceleration of the
 * last step, of the one before, since the last may have had an impact, or as smooth motion goes on from both. */
static double unexpected(const AspWorld *world, int body, double h) {
  const StepLocating *locating = &world->clock.control->locating;
  const double *last = locating->acceleration[0], *first = locating->acceleration[1];
  int n = asp_body_velocities(asp_model_dimension(world->model)), linear = asp_model_dimension(world->model);
  double reach = asp_error_reach(world, body), least = INFINITY, apart = locating->length[0] + locating->length[1];
  double weight[] = {1, 0, apart > 0 ? 1 + (locating->length[0] + h) / apart : 1}; // of the last one
  for (int k = 0; k < 3; k++) {
    double moved = 0, turned = 0;
    for (int i = n * body; i < n * (body + 1); i++) {
      double expected = weight[k] * last[i] + (1 - weight[k]) * first[i];
      double off = world->state.v[i] - world->before.v[i] - h * expected;
      *(i < n * body + linear ? &moved : &turned) += off * off;
    }
    least = fmin(least, sqrt(moved) + reach * sqrt(turned));
  }
  return least;
}

static double largest_change(const AspWorld *world, double h) {
  double horizon = asp_locate_horizon(world), most = 0;
  for (int body = 0; body < asp_model_body_count(world->model); body++)
    if (asp_model_body_is_free(world->model, body))
      most = fmax(most, horizon * unexpected(world, body, h) / asp_locate_allowed(world, &world->state, body, horizon));
  return most;
}

/* Motion as smooth as when it was tested, with an error that grows with the square of the change. */
static bool is_known(const StepLocating *locating, double change, double share) {
  double more = change / locating->change;
  return locating->ago < LOCATE_KNOWN && more <= LOCATE_ALIKE && change <= LOCATE_SLIGHT * share &&
         locating->share * more * more <= LOCATE_SMOOTH * share;
}

/* Is enough of the step's effort left: locating must leave a step certified that is so without? */
static bool has_effort(const AspWorld *world) {
  const AspEffort *effort = asp_effort(world->context);
  return !(effort->end > 0) || effort->done < LOCATE_EFFORT * effort->end;
}

/* Is the step just made to be compared with its halves? */
static bool is_to_be_tested(AspWorld *world, double h) {
  StepLocating *locating = &world->clock.control->locating;
  double share = world->options.locate, change = largest_change(world, h);
  if (!(change > share) || world->work.formulation.unresolved > 0 ||
      0.5 * h < LOCATE_SHORTEST * world->options.dt * (1 - RETRY_ROUNDING) || !has_effort(world) ||
      locating->credit < LOCATE_COST)
    return false;
  if (is_known(locating, change, share))
    return false;
  locating->change = change;
  return true;
}

/* A step of h, from the start; *certified: false where it is not, and the world is at the start again. */
static AspError make_step(AspWorld *world, double h, int *attempts, bool *certified) {
  world->so_far.sharing.chosen = 0;
  return asp_control_make_candidate(world, h, false, attempts, certified);
}

bool asp_locate_is_tentative(const AspWorld *world) {
  const ErrorControl *control = world->clock.control;
  return control && control->locating.tentative && !control->locating.firm && world->scheme->confirms &&
         world->options.impact == ASP_IMPACT_NEWTON;
}

/* The step ends where its solution shows an event. *cut: it does, and is certified again. */
static AspError cut_step(AspWorld *world, double *h, int *attempts, bool *cut) {
  StepLocating *locating = &world->clock.control->locating;
  double length = world->scheme->locates ? asp_locate_cut(world, *h) : asp_locate_switch(world, *h);
  bool certified;
  int tries = 0;
  *cut = length < *h && locating->cuts < LOCATE_CUTS_MOST * asp_cbrt(locating->few * locating->few) &&
         has_effort(world) && world->work.formulation.unresolved == 0;
  if (!*cut)
    return ASP_OK;
  locating->cuts++;
  locating->tentative = true; // where one event is, there are others
  locating->ago = LOCATE_KNOWN;
  ASP_TRY(asp_attempt_put_aside(world, ATTEMPT_WHOLE));
  ASP_TRY(asp_control_take_back(world));
  ASP_TRY(make_step(world, length, &tries, &certified));
  if (!certified) {
    *cut = false;
    asp_attempt_take_back(world, ATTEMPT_WHOLE);
    return ASP_OK;
  }
  *attempts += tries - 1;
  *h = length;
  return ASP_OK;
}

/* The second half of the step, from the end of the first, which the scheme takes as made; the world is at the start of
 * the step then. As the first half it is solved by a stronger method where the chosen one misses the tolerance: what
 * is not solved says nothing about the step. */
static AspError try_second_half(AspWorld *world, double h, bool *finite) {
  bool certified = false;
  int tries = 0;
  if (world->scheme->accept)
    ASP_TRY(world->scheme->accept(&world->host, world->scheme_run));
  ASP_TRY(asp_attempt_put_aside(world, ATTEMPT_HALF));
  world->choice.trial = world->warnings.muted = true;
  AspError error = asp_world_try_methods(world, 0.5 * h, false, &tries, &certified);
  world->choice.trial = world->warnings.muted = false;
  *finite = error == ASP_OK && certified;
  if (*finite)
    asp_state_copy(world->model, &world->state, &world->clock.control->fine);
  AspError back = asp_control_take_back(world);
  return *finite || error == ASP_ERROR_DIVERGED ? back : error;
}

/* The step of h against its halves. *halve: they lead elsewhere. */
static AspError compare_with_halves(AspWorld *world, double h, int *tries, bool *halve) {
  ErrorControl *control = world->clock.control;
  bool certified, finite = false;
  asp_state_copy(world->model, &world->state, &control->coarse);
  control->locating.tentative = true;
  ASP_TRY(asp_attempt_put_aside(world, ATTEMPT_WHOLE));
  ASP_TRY(asp_control_take_back(world));
  ASP_TRY(make_step(world, 0.5 * h, tries, &certified));
  if (certified)
    ASP_TRY(try_second_half(world, h, &finite));
  StepError error = finite ? asp_error_compare(world, &control->coarse, &control->fine) : (StepError){0};
  *halve = error.share > world->options.locate + error.noise;
  control->locating.share = error.share;
  control->locating.ago = *halve ? LOCATE_KNOWN : 0;
  asp_attempt_take_back(world, *halve ? ATTEMPT_HALF : ATTEMPT_WHOLE);
  return ASP_OK;
}

AspError asp_locate_events(AspWorld *world, double *h, int *attempts) {
  StepLocating *locating = &world->clock.control->locating;
  bool cut = true, halve = true;
  if (world->clock.grid_rest == 0) // the first part
    locating->cuts = 0;
  while (cut)
    ASP_TRY(cut_step(world, h, attempts, &cut));
  while (halve && world->scheme->locates && is_to_be_tested(world, *h)) {
    int tries = 0;
    locating->credit -= LOCATE_COST;
    ASP_TRY(compare_with_halves(world, *h, &tries, &halve));
    if (!halve)
      return ASP_OK;
    *h *= 0.5;
    *attempts += tries - 1; // 0 where the first method does
  }
  return ASP_OK;
}

void asp_locate_note(AspWorld *world, double h) {
  StepLocating *locating = &world->clock.control->locating;
  double *now = locating->acceleration[1];
  if (h < LOCATE_SHORTEST * world->options.dt) // an event, or what its velocities hardly tell
    return;
  locating->acceleration[1] = locating->acceleration[0];
  locating->acceleration[0] = now;
  locating->length[1] = locating->length[0];
  locating->length[0] = h;
  for (int i = 0; i < asp_model_v_size(world->model); i++)
    now[i] = (world->state.v[i] - world->before.v[i]) / h;
  locating->ago += locating->ago < LOCATE_KNOWN;
  locating->credit =
      fmin(locating->credit + locating->few * LOCATE_EARNED * h / world->options.dt, locating->few * LOCATE_MOST);
}
