/* Instants without solution, or with several: Painleve's paradoxes in a run.
 *
 * Where the last step left contacts uncertain (uniqueness.c), the contact problem of accelerations at the start of a
 * step is analyzed, island by island. Instants without solution, or with several, are counted; consecutive ones are an
 * episode, which is recorded with its contacts, A and b of u_N' = A r_N + b, and reported once. Where no finite forces
 * exist, or the step used larger impulses than they would give, its impulse without collision is marked.
 * Uses analyze.
 */
#include "asperity/analyze.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>
#include <stdio.h>

/* ---- episodes ---- */

/* ", A = -0.2, b = -1", for one contact; for more how many. */
static void describe(const AspWorld *world, const AspEpisode *episode, char *text, size_t size) {
  const AspProblemBlock *first = NULL;
  for (int i = 0; i < episode->blocks && !first; i++)
    first = episode->block[i].joint < 0 ? &episode->block[i] : NULL;
  if (!first) {
    snprintf(text, size, "joints alone");
    return;
  }
  int length = snprintf(text, size, "%s/%s", asp_model_body_name(world->model, first->body_a),
                        asp_model_body_name(world->model, first->body_b));
  if (episode->blocks > 1)
    length += snprintf(text + length, size - (size_t)length, " and %d more", episode->blocks - 1);
  if (episode->A && episode->blocks == 1)
    snprintf(text + length, size - (size_t)length, ", A = %.6g, b = %.6g", episode->A[0], episode->b[0]);
}

static AspError name_episode(AspWorld *world, const AspEpisode *episode) {
  char contacts[200];
  const char *last = "";
  if (world->watch.episode_count > WATCH_EPISODES_NAMED)
    return ASP_OK;
  if (world->watch.episode_count == WATCH_EPISODES_NAMED)
    last = "; further episodes are counted, not named";
  describe(world, episode, contacts, sizeof contacts);
  if (episode->solutions == 0)
    return asp_world_warn(
        world,
        "at t = %.9g s no accelerations agree with the laws of contact (%s): the step answers with an "
        "impulse where nothing collides%s",
        world->state.t, contacts, last);
  return asp_world_warn(world, "at t = %.9g s %d solutions in accelerations agree with the laws of contact (%s)%s",
                        world->state.t, episode->solutions, contacts, last);
}

void asp_world_release_episodes(AspWorld *world) {
  for (int i = 0; i < world->watch.episode_count; i++) {
    asp_release(world->context, (void *)world->watch.episode[i].block);
    asp_release(world->context, (void *)world->watch.episode[i].A);
    asp_release(world->context, (void *)world->watch.episode[i].b);
  }
  asp_release(world->context, world->watch.episode);
}

/* The blocks of an island that have modes, and their normal equations. */
static AspError fill_episode(AspWorld *world, const AspIslands *islands, int island, const AspAnalysis *analysis,
                             AspEpisode *episode) {
  int count = islands->start[island + 1] - islands->start[island], n = analysis->normals;
  const int *list = islands->block + islands->start[island];
  AspProblemBlock *block = asp_allocate(world->context, (size_t)count, sizeof *block);
  episode->block = block;
  if (!block)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++)
    if (world->work.formulation.law[list[i]].kind != ASP_LAW_EQUALITY)
      block[episode->blocks++] = asp_world_describe(world, list[i]);
  if (n == 0)
    return ASP_OK;
  double *A = asp_allocate(world->context, (size_t)(n * n), sizeof *A);
  double *b = asp_allocate(world->context, (size_t)n, sizeof *b);
  episode->A = A;
  episode->b = b;
  if (!A || !b)
    return ASP_ERROR_MEMORY;
  memcpy(A, analysis->normal_A, (size_t)(n * n) * sizeof *A);
  memcpy(b, analysis->normal_b, (size_t)n * sizeof *b);
  return ASP_OK;
}

static AspError begin_episode(AspWorld *world, const AspIslands *islands, int island, const AspAnalysis *analysis) {
  if (world->watch.episode_count == WATCH_EPISODES_KEPT)
    return ASP_OK;
  ASP_TRY(
      ASP_GROW(world->context, world->watch.episode, world->watch.episode_capacity, world->watch.episode_count + 1));
  AspEpisode *episode = &world->watch.episode[world->watch.episode_count++];
  *episode = (AspEpisode){.solutions = analysis->count, .from = world->state.t, .to = world->state.t};
  ASP_TRY(fill_episode(world, islands, island, analysis, episode));
  return name_episode(world, episode);
}

/* ---- an instant ---- */

/* Solutions of all islands together: if one island has none, there is none. */
typedef struct Instant {
  double solutions; /* product; as far as known */
  bool known;       /* all islands were decided */
  int worst;        /* the island without solution, else the first with several; -1: none */
  double force;     /* largest sum of normal forces among the worst island's solutions, N */
} Instant;

static double largest_force(const AspContactProblem *part, const AspAnalysis *analysis) {
  double largest = 0;
  for (int i = 0; i < analysis->count; i++) {
    double sum = 0;
    for (int b = 0; b < part->blocks; b++)
      if (part->law[b].kind != ASP_LAW_EQUALITY && part->law[b].kind != ASP_LAW_BOX)
        sum += analysis->solution[i].r[part->offset[b]];
    largest = fmax(largest, sum);
  }
  return largest;
}

static AspError look_at_island(AspWorld *world, const UncertainIslands *uncertain, int island, Instant *instant) {
  AspContactProblem part;
  AspAnalysis analysis;
  int *row;
  ASP_TRY(
      asp_island_extract(&world->arena, &world->work.formulation.problem, &uncertain->islands, island, &part, &row));
  ASP_TRY(asp_world_analyze(world, &part, &analysis));
  AspError error = ASP_OK;
  bool odd = analysis.complete && analysis.count != 1, none = odd && analysis.count == 0;
  if (odd && (instant->worst < 0 || (none && instant->solutions > 0))) {
    instant->worst = island;
    instant->force = largest_force(&part, &analysis);
    if (!world->watch.in_episode || world->watch.episode_is_none != none)
      error = begin_episode(world, &uncertain->islands, island, &analysis);
    world->watch.in_episode = true;
    world->watch.episode_is_none = none;
  }
  instant->known = instant->known && analysis.complete;
  if (analysis.complete)
    instant->solutions *= analysis.count;
  asp_analysis_destroy(world->context, &analysis);
  return error;
}

static AspError look(AspWorld *world, Instant *instant) {
  UncertainIslands uncertain;
  ASP_TRY(asp_uniqueness_of(world, &world->arena, &world->work.formulation, &uncertain));
  instant->known = !uncertain.beyond;
  for (int i = 0; uncertain.any && i < uncertain.islands.count; i++)
    if (uncertain.to_search[i])
      ASP_TRY(look_at_island(world, &uncertain, i, instant));
  return ASP_OK;
}

static void conclude(AspWorld *world, const Instant *instant) {
  bool odd = instant->worst >= 0;
  world->watch.force = odd ? instant->force : 0;
  // exact: fits an int
  world->watch.solutions = odd || instant->known ? (int)fmin(instant->solutions, 1e9) : -1;
  world->watch.in_episode = world->watch.in_episode && odd;
  if (odd && world->watch.episode_count > 0) {
    world->watch.episode[world->watch.episode_count - 1].to = world->state.t;
    world->watch.episode[world->watch.episode_count - 1].instants++;
  }
}

AspError asp_world_watch(AspWorld *world) {
  Instant instant = {.solutions = 1, .known = true, .worst = -1};
  const KnownUniqueness *known = &world->uniqueness.known;
  int approaching;
  if (!world->options.watch) {
    world->watch.solutions = -1;
    return ASP_OK;
  }
  if (world->clock.step > 0 && !known->watchful) { // the test of small friction holds for accelerations, too
    instant.known = known->alternatives == 1;
    conclude(world, &instant);
    return ASP_OK;
  }
  if (world->clock.step > 0 && world->clock.step < known->again && !world->watch.in_episode)
    return ASP_OK; // as at the last instant
  AspError error = asp_world_formulate(world, ASP_PROBLEM_ACCELERATION, world->options.dt, &approaching);
  instant.known = error == ASP_OK && approaching == 0;
  if (instant.known)
    error = look(world, &instant);
  conclude(world, &instant);
  return error == ASP_ERROR_UNSUPPORTED ? ASP_OK : error; // laws that the level cannot state
}

/* Contacts of the episode under way push harder in the step than any finite forces would. */
bool asp_world_has_impulse(const AspWorld *world) {
  if (!world->watch.in_episode || world->watch.episode_count == 0)
    return false;
  const AspEpisode *episode = &world->watch.episode[world->watch.episode_count - 1];
  double sum = 0, scale = 0;
  const AspContactRecord *contacts = asp_world_contacts(world);
  for (int i = 0; i < world->records.contact_count; i++) {
    const AspContactRecord *record = &contacts[i];
    scale = fmax(scale, record->impulse[0]);
    for (int k = 0; k < episode->blocks; k++)
      if (episode->block[k].joint < 0 && episode->block[k].body_a == record->body_a &&
          episode->block[k].body_b == record->body_b && episode->block[k].feature == record->feature)
        sum += record->impulse[0];
  }
  return sum > WATCH_LARGER * world->work.dt * world->watch.force + WATCH_ROUNDING * scale;
}

int asp_world_episode_count(const AspWorld *world) { return world->watch.episode_count; }
const AspEpisode *asp_world_episodes(const AspWorld *world) { return world->watch.episode; }
