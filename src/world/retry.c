/* A step and its repetitions. An attempt that misses the tolerance is repeated from the same state:
 *
 *   1. by the chosen method, warm
 *   2. by a stronger one, from a cold start, unless another method cannot help
 *   3. by the chosen method, then the stronger one, with half the step; again halved, down to dt / 8
 *
 * So is a step that turns bodies into each other (turned.c), unless it is dt / 8 long.
 *
 * The first certified attempt is the step, or a part of it; the rest of the full length follows the same way, so that
 * times are on the grid t = k dt, and all parts are one step to the reader (step_parts.c). When no attempt is
 * certified, another scheme makes the step where the own one names it (scheme/scheme.h, give_up); else the better of
 * the full-length attempts is repeated and accepted with its flag. All attempts of a step share one limit of effort
 * (option `step_effort`): when little of it is left, no further one is begun.
 */
#include "base/effort.h"
#include "base/parallel.h"
#include "model/sensor.h"
#include "world/changes.h"
#include "world/locate_rules.h"
#include "world/sensors.h"
#include "world/step_parts.h"
#include "world/tuning/world.h"

#include <math.h>

/* The method to try after the chosen one; the same method: there is none. */
static AspMethod stronger_method(const AspWorld *world) {
  bool polygonal = (world->options.cone == ASP_CONE_INSCRIBED || world->options.cone == ASP_CONE_CIRCUMSCRIBED) &&
                   asp_model_dimension(world->model) == 3;
  if (world->options.cone == ASP_CONE_RELAXED)
    return ASP_METHOD_AUTO;
  if (polygonal)
    return world->options.method == ASP_METHOD_AUTO ? ASP_METHOD_AUTO : ASP_METHOD_LEMKE;
  return world->options.method == ASP_METHOD_AUTO ? ASP_METHOD_ACLM : ASP_METHOD_AUTO;
}

AspError asp_world_need_stronger(AspWorld *world) {
  if (world->solvers.stronger)
    return ASP_OK;
  return asp_world_make_solver(world, stronger_method(world), 0, world->options.tolerance, false,
                               &world->solvers.stronger);
}

typedef struct Attempt {
  AspSolver *solver;
  bool warm;
  double E2;        /* reached; infinity: not tried */
  AspEffort effort; /* at its start */
} Attempt;

static void restore(AspWorld *world) { asp_state_copy(world->model, &world->before, &world->state); }

/* The same attempt once more, to be kept: with the effort that it had. */
static AspError repeat(AspWorld *world, double dt, const Attempt *attempt, int *attempts) {
  ++*attempts;
  *asp_effort(world->context) = attempt->effort;
  return asp_world_attempt(world, dt, attempt->solver, attempt->warm);
}

static bool may_be_halved(const AspWorld *world, double dt) {
  return 0.5 * dt >= RETRY_SHORTEST * world->options.dt * (1 - RETRY_ROUNDING);
}

/* One attempt from the present state; the state is put back when it is not certified. */
static AspError try_step(AspWorld *world, double dt, Attempt *attempt, int *attempts, bool *certified) {
  ++*attempts;
  AspEffort *effort = asp_effort(world->context), before = *effort;
  asp_effort_narrow(effort, RETRY_EFFORT_SHARE, 1);
  attempt->effort = *effort;
  AspError error = asp_world_attempt(world, dt, attempt->solver, attempt->warm);
  asp_effort_restore(effort, &before);
  ASP_TRY(error);
  *certified = asp_step_is_certified(&world->view) && !(world->work.too_long && may_be_halved(world, dt));
  attempt->E2 = world->work.solved.residual.E2;
  if (!*certified)
    restore(world);
  return ASP_OK;
}

/* One of the two methods, the better attempt so far in *better. */
static AspError try_method(AspWorld *world, double dt, AspSolver *solver, bool warm, int *attempts, bool *certified,
                           Attempt *better) {
  Attempt attempt = {solver, warm, INFINITY, *asp_effort(world->context)};
  ASP_TRY(try_step(world, dt, &attempt, attempts, certified));
  if (!better->solver || attempt.E2 < better->E2 || isnan(better->E2))
    *better = attempt;
  return ASP_OK;
}

/* Would another method help? Not where every problem was solved, and the step as such will not do. */
static bool may_help(const AspWorld *world, bool certified) {
  return !certified && !world->work.unconverged && !world->work.too_long;
}

/* The chosen method, then a stronger one; within a step in which the chosen one missed, the other way round: it would
 * use up the effort that locating needs. *better: which of them came nearer. */
static AspError try_methods(AspWorld *world, double dt, int *attempts, bool *certified, Attempt *better) {
  bool stronger_first = world->clock.needs_stronger;
  *better = (Attempt){0};
  if (stronger_first)
    ASP_TRY(try_method(world, dt, world->solvers.stronger, false, attempts, certified, better));
  if (!stronger_first || may_help(world, *certified))
    ASP_TRY(try_method(world, dt, world->solvers.chosen, true, attempts, certified, better));
  if (stronger_first || !may_help(world, *certified) || stronger_method(world) == (AspMethod)world->options.method)
    return ASP_OK;
  ASP_TRY(asp_world_need_stronger(world));
  ASP_TRY(try_method(world, dt, world->solvers.stronger, false, attempts, certified, better));
  world->clock.needs_stronger = *certified;
  return ASP_OK;
}

AspError asp_world_try_methods(AspWorld *world, double dt, bool final, int *attempts, bool *certified) {
  Attempt better;
  ASP_TRY(try_methods(world, dt, attempts, certified, &better));
  if (*certified || !final)
    return ASP_OK;
  return repeat(world, dt, &better, attempts);
}

/* Length of the step to make: the rest of a halved one, or the asked one, or what is left to the end. */
static double wanted_length(AspWorld *world) {
  if (world->clock.grid_rest > 0)
    return world->clock.grid_rest;
  double left = world->options.until - world->state.t, dt = world->options.dt;
  world->clock.grid_dt = left > 0 && left < dt * (1 - RETRY_ROUNDING) ? left : dt;
  return world->clock.grid_dt;
}

/* Time after a step of length dt out of `wanted`; where it completes a full one, k dt and not a running sum. */
static void advance_grid(AspWorld *world, double wanted, double dt) {
  world->clock.grid_rest = dt < wanted ? wanted - dt : 0;
  if (world->clock.grid_rest > 0)
    return;
  world->clock.off_grid = world->clock.off_grid || world->clock.grid_dt != world->options.dt;
  world->clock.grid++;
  if (!world->clock.off_grid && world->clock.grid < INT64_C(1) << 50)
    world->state.t = (double)world->clock.grid * world->options.dt;
}

/* Operations that a step may count: factorisations grow at least with the square of the number of bodies. */
static double step_effort(const AspWorld *world) {
  double bodies = fmax(asp_model_dof_count(world->model) / (double)RETRY_EFFORT_DOFS, 1);
  return RETRY_EFFORT_UNIT * world->options.step_effort * bodies * bodies;
}

/* A scheme that stands in for another one has no memory to put aside. */
static bool locates(const AspWorld *world) {
  return world->clock.control && world->clock.control->locating.on && (world->scheme_run || !world->scheme->create);
}

/* The first attempt that is certified, else the better one of full length. *dt: the length asked for, then taken. */
static AspError retry_step(AspWorld *world, double *dt, int *attempts);

/* The same by the scheme that stands in for the own one, with an effort of its own; step_once puts the own one back. */
static AspError stand_in(AspWorld *world, double *dt, int *attempts) {
  AspScheme by;
  ASP_TRY(world->scheme->give_up(&world->host, world->scheme_run, &by));
  world->scheme = asp_scheme_type(by);
  world->scheme_run = NULL;
  if (world->clock.control) // it locates nothing, so that its attempts are no trials
    world->clock.control->locating.tentative = false;
  asp_effort_begin(asp_effort(world->context), step_effort(world));
  return retry_step(world, dt, attempts);
}

static AspError retry_step(AspWorld *world, double *dt, int *attempts) {
  double wanted = *dt;
  bool certified;
  Attempt better, shorter;
  ASP_TRY(try_methods(world, wanted, attempts, &certified, &better));
  while (!certified && !asp_effort_is_low(asp_effort(world->context)) && may_be_halved(world, *dt)) {
    *dt *= 0.5;
    ASP_TRY(try_methods(world, *dt, attempts, &certified, &shorter));
  }
  if (certified)
    return locates(world) ? asp_locate_events(world, dt, attempts) : ASP_OK;
  *dt = wanted;
  return world->scheme->give_up ? stand_in(world, dt, attempts) : repeat(world, wanted, &better, attempts);
}

/* The same where events are located: attempts are trials in a step that has been divided, or follows one that was. What
 * the judge does not confirm is made once more without trials: the part that was to be taken, else all of it. */
static AspError locate_step(AspWorld *world, double *dt, int *attempts) {
  StepLocating *locating = &world->clock.control->locating;
  double wanted = *dt;
  bool confirmed = false;
  ASP_TRY(asp_world_make_consistent(world, *dt));
  ASP_TRY(asp_control_put_aside(world));
  locating->tentative = locating->cuts > 0;
  AspError error = retry_step(world, dt, attempts);
  locating->tentative = false;
  if (error != ASP_OK || !world->work.is_trial)
    return error;
  double began = asp_clock_seconds();
  ASP_TRY(asp_confirm_solution(&world->work, &confirmed));
  world->clock.times.judge += asp_clock_seconds() - began;
  if (confirmed && asp_step_is_certified(&world->view))
    return ASP_OK;
  int tries = 0;
  bool certified = false;
  ASP_TRY(asp_control_take_back(world));
  locating->firm = true;
  error = asp_control_make_candidate(world, *dt, false, &tries, &certified);
  *attempts += tries - 1; // 0 where the first method does
  if (error == ASP_OK && !certified) {
    *dt = wanted;
    *attempts = 0;
    error = retry_step(world, dt, attempts);
  }
  locating->tentative = locating->firm = false;
  return error;
}

/* Before a step that finds its contacts itself. */
static AspError check_drives(AspWorld *world, double dt) {
  if (!asp_drives_exist(&world->so_far.drives, &world->view))
    return ASP_OK;
  if (world->scheme->gives_way)
    return asp_drives_check_pairs(&world->so_far.drives, &world->view, &world->arena, dt);
  ASP_TRY(asp_world_make_consistent(world, dt));
  ASP_TRY(asp_world_gather(world, dt));
  return asp_drives_check(&world->so_far.drives, &world->view, &world->arena, dt);
}

/* From the last instant before a change to the first one behind it; a jump of velocities is behind. */
static void pass_change(AspWorld *world, const NextChange *change) {
  if (change->is_change)
    world->state.t = change->behind;
  if (world->scheme->disturb && world->scheme_run)
    world->scheme->disturb(&world->host, world->scheme_run, false);
}

static AspError make_step(AspWorld *world, double longest, AspStepInfo *info) {
  double wanted = wanted_length(world), began = asp_clock_seconds();
  NextChange change = asp_next_change(world, fmin(wanted, longest));
  double dt = change.length;
  int attempts = 1;
  world->clock.times = (AspStepTimes){0};
  world->uniqueness.alternatives = world->scheme->single_solutions;
  bool whole = world->clock.grid_rest == 0;
  world->watch.solutions = world->scheme->single_solutions ? 1 : -1;
  world->so_far.sharing.chosen = 0;
  if (!world->scheme->single_solutions && whole)
    ASP_TRY(asp_world_watch(world));
  if (asp_world_controls(world)) {
    attempts = 0;
    ASP_TRY(asp_world_control_step(world, change.length, &dt, &attempts));
  } else if (world->scheme->integrate) {
    ASP_TRY(check_drives(world, dt));
    ASP_TRY(world->scheme->integrate(&world->host, world->scheme_run, dt));
  } else if (world->options.retry && world->options.step_budget == 0) { // with a time limit there is one attempt
    attempts = 0;
    ASP_TRY(locates(world) ? locate_step(world, &dt, &attempts) : retry_step(world, &dt, &attempts));
  } else {
    ASP_TRY(asp_world_attempt(world, dt, world->solvers.chosen, true));
  }
  advance_grid(world, wanted, dt);
  AspStepTimes *times = &world->clock.times;
  double made = asp_clock_seconds();
  times->assemble = fmax(made - began - times->collide - times->solve - times->judge, 0);
  asp_resolution_miss(&world->resolution, change.missed + world->work.missed + asp_switches_missed(world, dt));
  ASP_TRY(asp_world_accept(world, info));
  if (locates(world))
    asp_locate_note(world, dt);
  if ((change.is_change || change.jumps) && dt == change.length)
    pass_change(world, &change);
  times->record = asp_clock_seconds() - made;
  info->times = *times;
  info->attempts = attempts;
  info->parts = 1;
  info->grid = world->clock.grid_rest > 0 ? 0 : world->clock.grid;
  return ASP_OK;
}

/* Parts until the grid of times is reached; with error control each of them is a step to its caller, and so is a step
 * that is to end early. */
static AspError make_whole(AspWorld *world, double longest, AspStepInfo *info) {
  StepParts *parts = &world->records.parts;
  world->clock.needs_stronger = false;
  asp_parts_begin(parts);
  asp_sensors_begin_step(&world->so_far.sensing, world->model, &world->state);
  ASP_TRY(make_step(world, longest, info));
  while (world->clock.grid_rest > 0 && isinf(longest) && !asp_world_controls(world)) {
    AspStepInfo before = *info;
    ASP_TRY(asp_parts_add(parts, world->context, world->model, &world->records, world->work.dt));
    world->clock.step--;           // the same step
    if (!world->scheme->integrate) // others look at the state all the time
      asp_state_sense(world->model, &world->state, world->state.v);
    ASP_TRY(make_step(world, longest, info));
    asp_info_add(&before, info);
  }
  if (parts->count > 0) {
    ASP_TRY(asp_parts_add(parts, world->context, world->model, &world->records, world->work.dt));
    ASP_TRY(asp_parts_tell(parts, &world->arena, world->model, &world->records));
  }
  asp_world_end_push(world);
  return asp_world_sense(world);
}

/* A call of asp_world_step. */
typedef struct Call {
  AspWorld *world;
  AspStepInfo *info;
  AspError error;
  double longest; /* s: of a scheme that makes steps of any length */
} Call;

static void step_once(void *data) {
  Call *call = data;
  AspEffort *effort = asp_effort(call->world->context);
  AspWorld *world = call->world;
  const AspSchemeType *own = world->scheme;
  void *run = world->scheme_run;
  asp_effort_begin(effort, step_effort(world));
  call->error = make_whole(world, call->longest, call->info);
  asp_effort_begin(effort, 0);
  if (world->scheme_run == run)
    return; // no other one stood in
  world->scheme = own;
  world->scheme_run = run;
  own->disturb(&world->host, run, true);
}

static AspError step_on_threads(void *data, double longest) {
  Call *call = data;
  const AspWorld *world = call->world;
  call->longest = longest;
  asp_team_run(world->context,
               asp_useful_threads(world->options.threads, RETRY_CONTACTS * asp_model_body_count(world->model)),
               step_once, call);
  return call->error;
}

/* The scene was checked when it was loaded, so numbers that a lower layer refuses arose in the step. Values of the
 * scene's functions of time are distinguished by ASP_ERROR_VALUE. */
AspError asp_world_step(AspWorld *world, AspStepInfo *info) {
  const StepCallers *callers = &world->so_far.callers;
  if (callers->before)
    ASP_TRY(callers->before(callers->user, world));
  double t = world->state.t;
  AspStepInfo unasked;
  info = info ? info : &unasked;
  Call call = {world, info, ASP_OK, INFINITY};
  LocatedStep located = {step_on_threads, &call};
  AspError error = asp_rules_are_located(world) ? asp_step_to_rules(world, &located) : step_on_threads(&call, INFINITY);
  if (error == ASP_OK && callers->after)
    return callers->after(callers->user, world, info);
  if (error != ASP_ERROR_INPUT)
    return error;
  asp_fail_prefix(world->context, "step %lld, from t = %.9g s: its equations cannot be solved with these numbers: ",
                  (long long)world->clock.step + 1, t);
  return ASP_ERROR_INTERNAL;
}
