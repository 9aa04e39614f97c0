/* Instants without solution, or with several: Painleve's paradoxes in a run.
 *
 * Where the last step left contacts uncertain (uniqueness.c), the contact problem of accelerations at the start of a
 * step is analyzed, island by island. Instants without solution, or with several, are counted; consecutive ones are an
 * episode, which is recorded with its contacts, A and b of u_N' = A r_N + b, and reported once. Where no finite forces
 * exist, or the step used larger impulses than they would give, its impulse without collision is marked.
 * Uses analyze.
 */
#include "asperity/analyze.h"
#include "world/choice.h"
#include "world/records.h"
#include "world/tuning/world.h"

#include <math.h>
#include <stdio.h>

/* ---- episodes ---- */

/* ", A = -0.2, b = -1", for one contact; for more how many. */
static void describe(const StepView *view, const AspEpisode *episode, char *text, size_t size) {
  const AspProblemBlock *first = NULL;
  for (int i = 0; i < episode->blocks && !first; i++)
    first = episode->block[i].joint < 0 ? &episode->block[i] : NULL;
  if (!first) {
    snprintf(text, size, "joints alone");
    return;
  }
  int length = snprintf(text, size, "%s/%s", asp_model_body_name(view->model, first->body_a),
                        asp_model_body_name(view->model, first->body_b));
  if (episode->blocks > 1)
    length += snprintf(text + length, size - (size_t)length, " and %d more", episode->blocks - 1);
  if (episode->A && episode->blocks == 1)
    snprintf(text + length, size - (size_t)length, ", A = %.6g, b = %.6g", episode->A[0], episode->b[0]);
}

static AspError name_episode(const InstantWatch *watch, const StepView *view, Warnings *warnings,
                             const AspEpisode *episode) {
  char contacts[200];
  const char *last = "";
  if (watch->episode_count > WATCH_EPISODES_NAMED)
    return ASP_OK;
  if (watch->episode_count == WATCH_EPISODES_NAMED)
    last = "; further episodes are counted, not named";
  describe(view, episode, contacts, sizeof contacts);
  if (episode->solutions == 0)
    return asp_warn(warnings,
                    "at t = %.9g s no accelerations agree with the laws of contact (%s): the step answers with an "
                    "impulse where nothing collides%s",
                    view->state->t, contacts, last);
  return asp_warn(warnings, "at t = %.9g s %d solutions in accelerations agree with the laws of contact (%s)%s",
                  view->state->t, episode->solutions, contacts, last);
}

static void forget_episodes(AspContext *context, InstantWatch *watch) {
  for (int i = 0; i < watch->episode_count; i++) {
    asp_release(context, (void *)watch->episode[i].block);
    asp_release(context, (void *)watch->episode[i].A);
    asp_release(context, (void *)watch->episode[i].b);
  }
  watch->episode_count = 0;
}

void asp_watch_destroy(AspContext *context, InstantWatch *watch) {
  forget_episodes(context, watch);
  asp_release(context, watch->episode);
}

/* One episode with its blocks and equations. */
static void archive_episode(AspEpisode *episode, AspArchive *archive) {
  AspProblemBlock *block = (AspProblemBlock *)episode->block;
  double *A = (double *)episode->A, *b = (double *)episode->b;
  size_t block_room = 0, A_room = 0, b_room = 0;
  int blocks = episode->blocks, n = A ? blocks : 0, square = n * n;
  ASP_ARCHIVE(archive, episode->solutions);
  ASP_ARCHIVE(archive, episode->from);
  ASP_ARCHIVE(archive, episode->to);
  ASP_ARCHIVE(archive, episode->instants);
  ASP_ARCHIVE_LIST(archive, block, block_room, blocks);
  ASP_ARCHIVE_LIST(archive, A, A_room, square);
  ASP_ARCHIVE_LIST(archive, b, b_room, n);
  episode->block = block;
  episode->A = A;
  episode->b = b;
  episode->blocks = blocks;
}

AspError asp_watch_archive(InstantWatch *watch, AspArchive *archive) {
  if (archive->reading)
    forget_episodes(archive->context, watch);
  ASP_ARCHIVE(archive, watch->solutions);
  ASP_ARCHIVE(archive, watch->force);
  ASP_ARCHIVE(archive, watch->in_episode);
  ASP_ARCHIVE(archive, watch->episode_is_none);
  int count = asp_archive_count(archive, watch->episode_count, 1);
  for (int i = 0; i < count && archive->error == ASP_OK; i++) {
    if (archive->reading) {
      ASP_TRY(ASP_GROW(archive->context, watch->episode, watch->episode_capacity, i + 1));
      watch->episode[i] = (AspEpisode){0};
      watch->episode_count = i + 1;
    }
    archive_episode(&watch->episode[i], archive);
  }
  return archive->error;
}

/* The blocks of an island that have modes, and their normal equations. */
static AspError fill_episode(const StepView *view, const AspIslands *islands, int island, const AspAnalysis *analysis,
                             AspEpisode *episode) {
  int count = islands->start[island + 1] - islands->start[island], n = analysis->normals;
  const int *list = islands->block + islands->start[island];
  AspProblemBlock *block = asp_allocate(view->context, (size_t)count, sizeof *block);
  episode->block = block;
  if (!block)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++)
    if (view->work->formulation.law[list[i]].kind != ASP_LAW_EQUALITY)
      block[episode->blocks++] = asp_block_describe(view, list[i]);
  if (n == 0)
    return ASP_OK;
  double *A = asp_allocate(view->context, (size_t)(n * n), sizeof *A);
  double *b = asp_allocate(view->context, (size_t)n, sizeof *b);
  episode->A = A;
  episode->b = b;
  if (!A || !b)
    return ASP_ERROR_MEMORY;
  memcpy(A, analysis->normal_A, (size_t)(n * n) * sizeof *A);
  memcpy(b, analysis->normal_b, (size_t)n * sizeof *b);
  return ASP_OK;
}

static AspError begin_episode(InstantWatch *watch, const StepView *view, Warnings *warnings, const AspIslands *islands,
                              int island, const AspAnalysis *analysis) {
  if (watch->episode_count == WATCH_EPISODES_KEPT)
    return ASP_OK;
  ASP_TRY(ASP_GROW(view->context, watch->episode, watch->episode_capacity, watch->episode_count + 1));
  AspEpisode *episode = &watch->episode[watch->episode_count++];
  *episode = (AspEpisode){.solutions = analysis->count, .from = view->state->t, .to = view->state->t};
  ASP_TRY(fill_episode(view, islands, island, analysis, episode));
  return name_episode(watch, view, warnings, episode);
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
      if (part->law[b].kind != ASP_LAW_EQUALITY && part->law[b].kind != ASP_LAW_BOX &&
          part->law[b].kind != ASP_LAW_BALL)
        sum += analysis->solution[i].r[part->offset[b]];
    largest = fmax(largest, sum);
  }
  return largest;
}

static AspError look_at_island(InstantWatch *watch, const StepView *view, Warnings *warnings,
                               const UncertainIslands *uncertain, int island, Instant *instant) {
  AspContactProblem part;
  AspAnalysis analysis;
  int *row;
  ASP_TRY(asp_island_extract(view->arena, &view->work->formulation.problem, &uncertain->islands, island, &part, &row));
  ASP_TRY(asp_island_analyze(view->context, &part, &analysis));
  AspError error = ASP_OK;
  bool odd = analysis.complete && analysis.count != 1, none = odd && analysis.count == 0;
  if (odd && (instant->worst < 0 || (none && instant->solutions > 0))) {
    instant->worst = island;
    instant->force = largest_force(&part, &analysis);
    if (!watch->in_episode || watch->episode_is_none != none)
      error = begin_episode(watch, view, warnings, &uncertain->islands, island, &analysis);
    watch->in_episode = true;
    watch->episode_is_none = none;
  }
  instant->known = instant->known && analysis.complete;
  if (analysis.complete)
    instant->solutions *= analysis.count;
  asp_analysis_destroy(view->context, &analysis);
  return error;
}

static AspError look(InstantWatch *watch, const StepView *view, Warnings *warnings, Instant *instant) {
  UncertainIslands uncertain;
  ASP_TRY(asp_uniqueness_of(view, view->arena, &view->work->formulation, &uncertain));
  instant->known = !uncertain.beyond;
  for (int i = 0; uncertain.any && i < uncertain.islands.count; i++)
    if (uncertain.to_search[i])
      ASP_TRY(look_at_island(watch, view, warnings, &uncertain, i, instant));
  return ASP_OK;
}

static void conclude(InstantWatch *watch, const StepView *view, const Instant *instant) {
  bool odd = instant->worst >= 0;
  watch->force = odd ? instant->force : 0;
  // exact: fits an int
  watch->solutions = odd || instant->known ? (int)fmin(instant->solutions, 1e9) : -1;
  watch->in_episode = watch->in_episode && odd;
  if (odd && watch->episode_count > 0) {
    watch->episode[watch->episode_count - 1].to = view->state->t;
    watch->episode[watch->episode_count - 1].instants++;
  }
}

bool asp_watch_is_due(InstantWatch *watch, const StepView *view, const KnownUniqueness *known) {
  Instant instant = {.solutions = 1, .known = true, .worst = -1};
  if (!view->options->watch) {
    watch->solutions = -1;
    return false;
  }
  if (view->clock->step > 0 && !known->watchful) { // the test of small friction holds for accelerations, too
    instant.known = known->alternatives == 1;
    conclude(watch, view, &instant);
    return false;
  }
  return !(view->clock->step > 0 && view->clock->step < known->again && !watch->in_episode); // as at the last instant
}

AspError asp_watch_look(InstantWatch *watch, const StepView *view, Warnings *warnings, bool formulated) {
  Instant instant = {.solutions = 1, .known = formulated, .worst = -1};
  AspError error = formulated ? look(watch, view, warnings, &instant) : ASP_OK;
  conclude(watch, view, &instant);
  return error;
}

/* Contacts of the episode under way push harder in the step than any finite forces would. */
bool asp_watch_has_impulse(const InstantWatch *watch, const StepRecords *records, double dt) {
  if (!watch->in_episode || watch->episode_count == 0)
    return false;
  const AspEpisode *episode = &watch->episode[watch->episode_count - 1];
  double sum = 0, scale = 0;
  for (int i = 0; i < records->contact_count; i++) {
    const AspContactRecord *record = &records->contacts[i];
    scale = fmax(scale, record->impulse[0]);
    for (int k = 0; k < episode->blocks; k++)
      if (episode->block[k].joint < 0 && episode->block[k].body_a == record->body_a &&
          episode->block[k].body_b == record->body_b && episode->block[k].feature == record->feature)
        sum += record->impulse[0];
  }
  return sum > WATCH_LARGER * dt * watch->force + WATCH_ROUNDING * scale;
}
