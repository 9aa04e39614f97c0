/* The runs of asp_converge: the same model with steps of dt, dt/2, dt/4, ... in one process, without files. What is
 * kept of each: the chosen quantities at the end, and where every body was at up to CONVERGE_SAMPLES_MOST times on
 * the way. */
#include "compare/converge.h"
#include "compare/tuning/compare.h"

#include <math.h>
#include <stdio.h>

/* ---- times at which all levels are compared ---- */

/* On the grid of the longest step, which the shorter ones meet too; the last one is the end. */
static AspError make_samples(Converge *converge) {
  const AspRunOptions *run = converge->run;
  double steps = fmax(ceil(run->until / run->dt - CONVERGE_TIME), 1);
  double stride = ceil(steps / CONVERGE_SAMPLES_MOST);
  int count = (int)ceil(steps / stride);
  converge->sample_time = asp_allocate(converge->context, (size_t)count, sizeof *converge->sample_time);
  if (!converge->sample_time)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < count; k++)
    converge->sample_time[k] = k + 1 < count ? (k + 1) * stride * run->dt : run->until;
  converge->sample_count = count;
  return ASP_OK;
}

/* At what distance a body turns its mass, m. */
static double gyration(const AspModel *model, int body) {
  double mass = asp_model_body_mass(model, body);
  AspMat3 inertia = asp_model_body_inertia(model, body);
  double trace = inertia.m[0] + inertia.m[4] + inertia.m[8];
  double moment = asp_model_dimension(model) == 2 ? inertia.m[8] : 0.5 * trace;
  return mass > 0 && moment > 0 && isfinite(moment / mass) ? sqrt(moment / mass) : 0;
}

/* The first and second axis of a body, world. */
static void axes_of(AspQuat a, double first[3], double second[3]) {
  first[0] = 1 - 2 * (a.y * a.y + a.z * a.z);
  first[1] = 2 * (a.x * a.y + a.w * a.z);
  first[2] = 2 * (a.x * a.z - a.w * a.y);
  second[0] = 2 * (a.x * a.y - a.w * a.z);
  second[1] = 1 - 2 * (a.x * a.x + a.z * a.z);
  second[2] = 2 * (a.y * a.z + a.w * a.x);
}

static void take_sample(const AspModel *model, const AspState *state, double *to) {
  for (int body = 0; body < asp_model_body_count(model); body++, to += CONVERGE_POINTS) {
    AspPose pose = asp_state_pose(model, state, body);
    double first[3], second[3], arm = gyration(model, body);
    const double at[3] = {pose.position.x, pose.position.y, pose.position.z};
    axes_of(pose.orientation, first, second);
    for (int k = 0; k < 3; k++) {
      to[k] = at[k];
      to[3 + k] = at[k] + arm * first[k];
      to[6 + k] = at[k] + arm * second[k];
    }
  }
}

/* ---- one level ---- */

typedef struct LevelRun {
  Converge *converge;
  AspConvergeLevel *level;
  LevelData *data;
  AspWorld *world;
  ConvergeSums sums;
  int sampled;           /* samples taken */
  double before, weight; /* part of all work that is done, and that this level takes */
} LevelRun;

static void note_first(double *at, bool seen, double t) {
  if (seen && isnan(*at))
    *at = t;
}

static void note_step(LevelRun *run, const AspStepInfo *info) {
  AspConvergeLevel *level = run->level;
  LevelData *data = run->data;
  const AspModel *model = asp_world_model(run->world);
  const AspWrench *totals = asp_world_contact_totals(run->world);
  size_t size = (size_t)asp_model_body_count(model) * CONVERGE_POINTS;
  asp_run_summary_add(&level->summary, info);
  note_first(&data->none_at, info->instant_solutions == 0, info->t - info->dt);
  note_first(&data->several_at, info->instant_solutions > 1 || info->alternatives > 1, info->t - info->dt);
  note_first(&data->impulse_at, info->impulse, info->t - info->dt);
  run->sums.flow = level->summary.flow;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspVec3 *sum = &run->sums.impulse[body];
    *sum = (AspVec3){sum->x + info->dt * totals[body].force.x, sum->y + info->dt * totals[body].force.y,
                     sum->z + info->dt * totals[body].force.z};
  }
  while (run->sampled < run->converge->sample_count &&
         info->t >= run->converge->sample_time[run->sampled] - CONVERGE_TIME * level->dt)
    take_sample(model, asp_world_state(run->world), data->track + size * (size_t)run->sampled++);
}

static void show_progress(const LevelRun *run, double t) {
  const AspConvergeOptions *options = run->converge->options;
  double until = run->converge->run->until;
  char text[80];
  if (!options->progress)
    return;
  snprintf(text, sizeof text, "dt = %g s, t = %.4g of %.4g s", run->level->dt, t, until);
  options->progress(options->progress_user, run->before + run->weight * t / until, text);
}

/* Steps to the end; ASP_OK also where one failed: level->done is false then, and level->message says why. */
static AspError make_steps(LevelRun *run) {
  AspConvergeLevel *level = run->level;
  AspContext *context = run->converge->context;
  while (!asp_world_at_end(run->world)) {
    AspStepInfo info;
    AspError error = asp_stop_is_asked(context) ? ASP_ERROR_INTERRUPTED : asp_world_step(run->world, &info);
    if (error != ASP_OK) {
      snprintf(level->message, sizeof level->message, "%s",
               error == ASP_ERROR_INTERRUPTED ? "interrupted" : asp_context_message(context));
      return error == ASP_ERROR_INTERRUPTED || error == ASP_ERROR_MEMORY ? error : ASP_OK;
    }
    note_step(run, &info);
    show_progress(run, info.t);
  }
  level->done = true;
  return ASP_OK;
}

static void keep_values(const LevelRun *run) {
  const Quantities *quantities = &run->converge->quantities;
  for (int i = 0; i < quantities->count; i++)
    run->data->value[i] = asp_quantity_value(&quantities->list[i], run->world, &run->sums);
}

static AspError reserve_level(LevelRun *run) {
  const Converge *converge = run->converge;
  LevelData *data = run->data;
  size_t bodies = (size_t)asp_model_body_count(converge->model), count = (size_t)converge->quantities.count,
         points = bodies * CONVERGE_POINTS * (size_t)converge->sample_count;
  run->sums.impulse = asp_allocate(converge->context, bodies + 1, sizeof *run->sums.impulse);
  data->value = asp_allocate(converge->context, count, sizeof *data->value);
  data->track = asp_allocate(converge->context, points + 1, sizeof *data->track);
  return run->sums.impulse && data->value && data->track ? ASP_OK : ASP_ERROR_MEMORY;
}

static AspError run_level(LevelRun *run) {
  const Converge *converge = run->converge;
  AspConvergeLevel *level = run->level;
  AspRunOptions options = *converge->run;
  options.dt = level->dt;
  ASP_TRY(reserve_level(run));
  ASP_TRY(asp_world_create(converge->context, converge->model, &options, &run->world));
  double began = asp_clock_seconds();
  asp_run_summary_start(&level->summary, run->world);
  run->data->none_at = run->data->several_at = run->data->impulse_at = NAN;
  AspError error = make_steps(run);
  level->wall = asp_clock_seconds() - began;
  if (level->done)
    keep_values(run);
  return error;
}

/* ---- all levels ---- */

AspError asp_converge_run(Converge *converge) {
  int levels = converge->options->levels;
  double all = ldexp(1, levels) - 1;
  ASP_TRY(make_samples(converge));
  for (int l = 0; l < levels; l++)
    converge->found->level[l].dt = ldexp(converge->run->dt, -l);
  for (int l = 0; l < levels; l++) {
    LevelRun run = {.converge = converge,
                    .level = &converge->found->level[l],
                    .data = &converge->level[l],
                    .before = (ldexp(1, l) - 1) / all,
                    .weight = ldexp(1, l) / all};
    AspError error = run_level(&run);
    asp_release(converge->context, run.sums.impulse);
    asp_world_destroy(run.world);
    ASP_TRY(error);
  }
  return ASP_OK;
}
