/* The runs of `asperity converge`: the same scene with steps of dt, dt/2, dt/4, ... in one process, without files. What
 * is kept of each: the chosen quantities at the end, and where every body was at up to SAMPLES_MOST times on the
 * way. */
#include "converge.h"

#include "interrupt.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MOST   100
#define TIME_TOLERANCE 1e-6 /* of a step: rounding of times */

/* ---- times at which all levels are compared ---- */

/* On the grid of the longest step, which the shorter ones meet too; the last one is the end. */
static bool make_samples(Converge *converge) {
  const AspRunOptions *run = &converge->scene->run;
  double steps = fmax(ceil(run->until / run->dt - TIME_TOLERANCE), 1);
  double stride = ceil(steps / SAMPLES_MOST);
  int count = (int)ceil(steps / stride);
  converge->sample_time = calloc((size_t)count, sizeof *converge->sample_time);
  if (!converge->sample_time)
    return false;
  for (int k = 0; k < count; k++)
    converge->sample_time[k] = k + 1 < count ? (k + 1) * stride * run->dt : run->until;
  converge->sample_count = count;
  return true;
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
  const Session *session;
  Converge *converge;
  ConvergeLevel *level;
  AspWorld *world;
  ConvergeSums sums;
  int sampled; /* samples taken */
  Progress *progress;
  double before, weight; /* part of all work that is done, and that this level takes */
} LevelRun;

static void note_first(double *at, bool seen, double t) {
  if (seen && isnan(*at))
    *at = t;
}

static void note_step(LevelRun *run, const AspStepInfo *info) {
  ConvergeLevel *level = run->level;
  const AspModel *model = asp_world_model(run->world);
  const AspWrench *totals = asp_world_contact_totals(run->world);
  size_t size = (size_t)asp_model_body_count(model) * CONVERGE_POINTS;
  asp_run_summary_add(&level->summary.run, info);
  note_first(&level->none_at, info->instant_solutions == 0, info->t - info->dt);
  note_first(&level->several_at, info->instant_solutions > 1 || info->alternatives > 1, info->t - info->dt);
  note_first(&level->impulse_at, info->impulse, info->t - info->dt);
  run->sums.flow = level->summary.run.flow;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspVec3 *sum = &run->sums.impulse[body];
    *sum = (AspVec3){sum->x + info->dt * totals[body].force.x, sum->y + info->dt * totals[body].force.y,
                     sum->z + info->dt * totals[body].force.z};
  }
  while (run->sampled < run->converge->sample_count &&
         info->t >= run->converge->sample_time[run->sampled] - TIME_TOLERANCE * level->dt)
    take_sample(model, asp_world_state(run->world), level->track + size * (size_t)run->sampled++);
}

/* Steps to the end; false: it was interrupted, or failed with level->message. */
static bool make_steps(LevelRun *run) {
  ConvergeLevel *level = run->level;
  double until = run->converge->scene->run.until;
  while (!asp_world_at_end(run->world)) {
    AspStepInfo info;
    AspError error = interrupt_signal() ? ASP_ERROR_INTERRUPTED : asp_world_step(run->world, &info);
    if (error != ASP_OK) {
      snprintf(level->message, sizeof level->message, "%s",
               error == ASP_ERROR_INTERRUPTED ? "interrupted" : asp_context_message(run->session->context));
      return false;
    }
    note_step(run, &info);
    char text[80];
    snprintf(text, sizeof text, "dt = %g s, t = %.4g of %.4g s", level->dt, info.t, until);
    progress_update(run->progress, run->before + run->weight * info.t / until, text);
  }
  return true;
}

static void keep_values(const LevelRun *run) {
  const Quantities *quantities = &run->converge->quantities;
  for (int i = 0; i < quantities->count; i++)
    run->level->value[i] = quantity_value(&quantities->list[i], run->world, &run->sums);
}

/* False: out of memory. */
static bool reserve_level(LevelRun *run) {
  const Converge *converge = run->converge;
  size_t bodies = (size_t)asp_model_body_count(converge->scene->model);
  run->sums.impulse = calloc(bodies + 1, sizeof *run->sums.impulse);
  run->level->value = calloc((size_t)converge->quantities.count, sizeof *run->level->value);
  run->level->track = calloc(bodies * CONVERGE_POINTS * (size_t)converge->sample_count + 1, sizeof *run->level->track);
  return run->sums.impulse && run->level->value && run->level->track;
}

static int run_level(LevelRun *run) {
  const AspScene *scene = run->converge->scene;
  ConvergeLevel *level = run->level;
  AspRunOptions options = scene->run;
  options.dt = level->dt;
  if (!reserve_level(run))
    return session_fail(run->session, EXIT_FAILED, "out of memory");
  AspError error = asp_world_create(run->session->context, scene->model, &options, &run->world);
  if (error != ASP_OK)
    return session_fail_error(run->session, error);
  double began = clock_seconds();
  asp_run_summary_start(&level->summary.run, run->world);
  level->none_at = level->several_at = level->impulse_at = NAN;
  level->done = make_steps(run);
  level->summary.wall = clock_seconds() - began;
  if (level->done)
    keep_values(run);
  return EXIT_DONE;
}

/* ---- all levels ---- */

int converge_run(const Session *session, Converge *converge) {
  int code = EXIT_DONE, levels = converge->level_count;
  double all = ldexp(1, levels) - 1;
  if (!make_samples(converge))
    return session_fail(session, EXIT_FAILED, "out of memory");
  Progress progress = progress_start(!session->quiet && !session->json);
  for (int l = 0; l < levels && code == EXIT_DONE && !interrupt_signal(); l++) {
    converge->level[l].dt = ldexp(converge->scene->run.dt, -l);
    LevelRun run = {.session = session,
                    .converge = converge,
                    .level = &converge->level[l],
                    .progress = &progress,
                    .before = (ldexp(1, l) - 1) / all,
                    .weight = ldexp(1, l) / all};
    code = run_level(&run);
    free(run.sums.impulse);
    asp_world_destroy(run.world);
  }
  progress_finish(&progress);
  if (code == EXIT_DONE && interrupt_signal())
    return 128 + interrupt_signal();
  return code;
}

void converge_destroy(Converge *converge) {
  for (int l = 0; l < CONVERGE_LEVELS_MAX; l++) {
    free(converge->level[l].value);
    free(converge->level[l].track);
  }
  free(converge->sample_time);
  quantities_destroy(&converge->quantities);
}
