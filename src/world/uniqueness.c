/* Which islands of a step's contact problem may have several solutions, or none in accelerations.
 *
 * Most islands have one motion for every load, by the test of small friction (analyze/small_friction.h). Its result is
 * valid while the contacts stay the same: they are tested again when a contact appears or vanishes, and every
 * UNIQUENESS_AGAIN steps; uncertain islands also when a contact begins to stick, to slip or to push, and more often
 * where the last search was short. An island that fails the test is searched where the search is short enough for a run
 * (at most UNIQUENESS_MOST contacts and dry joints; in space at most UNIQUENESS_MOST_IN_SPACE, unless `thorough` is
 * set), and otherwise not decided. */
#include "world/uniqueness.h"
#include "analyze/small_friction.h"
#include "base/parallel.h"
#include "world/contact_search.h"
#include "world/tuning/world.h"

#include <math.h>

typedef struct Hashing {
  const StepView *view;
  const AspFormulation *formulation;
  uint64_t *hash; /* chunks */
} Hashing;

static uint64_t hash_of_chunk(const StepView *view, const AspFormulation *formulation, int first) {
  uint64_t hash = ASP_HASH_START;
  for (int b = first; b < formulation->blocks && b < first + UNIQUENESS_CHUNK; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    uint64_t pair = (uint64_t)tag->index, feature = 0, mu;
    if (asp_role_is_of_contact(tag->role)) {
      const AspContact *contact = &view->search->found[tag->index];
      pair = (uint64_t)contact->collider_a << 32 | (uint64_t)contact->collider_b;
      feature = contact->feature;
    }
    memcpy(&mu, &formulation->law[b].mu, sizeof mu);
    hash = asp_hash_word(hash, pair);
    hash = asp_hash_word(hash, (uint64_t)formulation->law[b].kind << 48 | (uint64_t)tag->role << 32 | feature);
    hash = asp_hash_word(hash, mu);
  }
  return hash;
}

static void hash_chunks(void *data, int from, int end) {
  const Hashing *hashing = data;
  for (int chunk = from; chunk < end; chunk++)
    hashing->hash[chunk] = hash_of_chunk(hashing->view, hashing->formulation, UNIQUENESS_CHUNK * chunk);
}

static AspError hash_of_contacts(const StepView *view, AspArena *arena, const AspFormulation *formulation,
                                 uint64_t *hash) {
  int chunks = (formulation->blocks + UNIQUENESS_CHUNK - 1) / UNIQUENESS_CHUNK;
  Hashing hashing = {view, formulation, ASP_TAKE_UNCLEARED(arena, uint64_t, chunks)};
  if (!hashing.hash)
    return ASP_ERROR_MEMORY;
  asp_parallel_for(arena->context, chunks, 1, hash_chunks, &hashing);
  *hash = asp_hash_word(ASP_HASH_START, (uint64_t)formulation->blocks);
  for (int chunk = 0; chunk < chunks; chunk++)
    *hash = asp_hash_word(*hash, hashing.hash[chunk]);
  return ASP_OK;
}

/* Which blocks push, and which way their first tangents slip, in the solver's answer. */
static uint64_t hash_of_modes(const AspStepWork *work) {
  const AspFormulation *formulation = &work->formulation;
  double push = UNIQUENESS_MODES * work->solved.residual.norm_r, slow = UNIQUENESS_MODES * work->solved.residual.norm_q;
  uint64_t hash = ASP_HASH_START;
  for (int b = 0; b < formulation->blocks; b++) {
    int at = formulation->offset[b], rows = formulation->offset[b + 1] - at;
    double slip = rows > 1 ? work->u[at + 1] : 0;
    bool closed = rows > 0 && work->r[at] > push;
    int8_t mode = !closed ? 0 : slip > slow ? 1 : slip < -slow ? 2 : 3;
    hash = asp_hash_bytes(hash, &mode, sizeof mode);
  }
  return hash;
}

/* Blocks that have modes; -1: one of them cannot be enumerated. */
static int blocks_with_modes(const AspContactProblem *problem, int count, const int *block) {
  int modes = 0;
  for (int i = 0; i < count; i++) {
    const AspLaw *law = &problem->law[block[i]];
    if (!asp_law_is_enumerated(law))
      return -1;
    modes += law->kind != ASP_LAW_EQUALITY;
  }
  return modes;
}

static bool is_searched(const StepView *view, const AspContactProblem *problem, int modes, double kappa) {
  bool short_in_space = modes <= UNIQUENESS_MOST_IN_SPACE && isfinite(kappa);
  return modes <= UNIQUENESS_MOST && (problem->dimension == 2 || short_in_space || view->options->thorough);
}

/* The test of small friction for an island. */
static AspError kappa_of(AspArena *arena, const AspContactProblem *problem, const AspIslands *islands, int island,
                         double *kappa) {
  AspArenaMark mark = asp_arena_mark(arena);
  AspContactProblem part;
  int *row;
  ASP_TRY(asp_island_extract(arena, problem, islands, island, &part, &row));
  int *block = ASP_TAKE(arena, int, part.blocks);
  double *nothing = ASP_TAKE(arena, double, part.dofs == 0 ? (size_t)part.rows * (size_t)part.rows : 0);
  if (!block || !nothing)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < part.blocks; i++)
    block[i] = i;
  if (part.dofs == 0) { // between bodies that are not free to move
    ASP_TRY(asp_small_friction(arena, part.blocks, part.offset, part.law, nothing, kappa));
  } else {
    ASP_TRY(asp_small_friction_of(arena, &part, part.blocks, block, kappa));
  }
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* Which of uncertain->islands are to be searched. */
static AspError test_islands(const StepView *view, AspArena *arena, const AspContactProblem *problem,
                             UncertainIslands *uncertain) {
  uncertain->to_search = ASP_TAKE(arena, bool, uncertain->islands.count);
  if (!uncertain->to_search)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < uncertain->islands.count; i++) {
    const int *block = uncertain->islands.block + uncertain->islands.start[i];
    int count = uncertain->islands.start[i + 1] - uncertain->islands.start[i];
    int modes = blocks_with_modes(problem, count, block);
    double kappa = INFINITY;
    if (modes == 0)
      continue;
    if (modes > 0 && modes <= UNIQUENESS_MOST)
      ASP_TRY(kappa_of(arena, problem, &uncertain->islands, i, &kappa));
    if (kappa < ASP_KAPPA_UNIQUE) {
      uncertain->kappa = fmax(uncertain->kappa, kappa);
      continue;
    }
    uncertain->to_search[i] = modes > 0 && is_searched(view, problem, modes, kappa);
    uncertain->any = uncertain->any || uncertain->to_search[i];
    uncertain->single = uncertain->single && (!uncertain->to_search[i] || modes == 1);
    uncertain->beyond = uncertain->beyond || !uncertain->to_search[i];
  }
  return ASP_OK;
}

AspError asp_uniqueness_of_problem(const StepView *view, AspArena *arena, const AspContactProblem *problem,
                                   UncertainIslands *uncertain) {
  *uncertain = (UncertainIslands){.single = true};
  ASP_TRY(asp_islands_find(arena, problem, NULL, &uncertain->islands));
  return test_islands(view, arena, problem, uncertain);
}

AspError asp_uniqueness_of(const StepView *view, AspArena *arena, const AspFormulation *formulation,
                           UncertainIslands *uncertain) {
  AspArenaMark mark = asp_arena_mark(arena);
  bool told;
  *uncertain = (UncertainIslands){.single = true};
  ASP_TRY(asp_small_islands(view, arena, formulation, UNIQUENESS_MOST, &uncertain->islands, &uncertain->beyond, &told));
  if (told)
    return test_islands(view, arena, &formulation->problem, uncertain);
  asp_arena_rewind(arena, mark);
  return asp_uniqueness_of_problem(view, arena, &formulation->problem, uncertain);
}

AspError asp_uniqueness_is_known(Uniqueness *uniqueness, const StepView *view, const AspStepWork *work, bool *same,
                                 bool *is_known) {
  KnownUniqueness *known = &uniqueness->known;
  uint64_t contacts;
  ASP_TRY(hash_of_contacts(view, work->arena, &work->formulation, &contacts));
  *same = contacts == known->contacts;
  known->contacts = contacts;
  *is_known = *same && view->clock->step < known->again && (!known->searched || hash_of_modes(work) == known->modes);
  return ASP_OK;
}

/* How much kappa grows in a step of the same contacts. */
static double growth_of(const Uniqueness *uniqueness, const StepView *view, const UncertainIslands *uncertain,
                        bool same) {
  const KnownUniqueness *known = &uniqueness->known;
  return same && view->clock->step > known->tested
             ? fmax(uncertain->kappa - known->kappa, 0) / (double)(view->clock->step - known->tested)
             : 0;
}

void asp_uniqueness_keep(Uniqueness *uniqueness, const StepView *view, const UncertainIslands *uncertain,
                         const AspStepWork *work, bool same, int64_t rest) {
  KnownUniqueness *known = &uniqueness->known;
  double growth = growth_of(uniqueness, view, uncertain, same);
  bool steady = uncertain->kappa < UNIQUENESS_SURE && uncertain->kappa + UNIQUENESS_AGAIN * growth < ASP_KAPPA_UNIQUE;
  known->alternatives = uniqueness->alternatives;
  known->searched = uncertain->any;
  known->watchful = uncertain->any || uncertain->kappa + 4 * growth >= ASP_KAPPA_UNIQUE;
  known->modes = uncertain->any ? hash_of_modes(work) : 0;
  int64_t steps = uncertain->any ? rest : steady ? UNIQUENESS_AGAIN : 0;
  known->again = view->clock->step + (steps > 0 ? steps + 1 : 0); // 0: not valid for another attempt at this step
  known->kappa = uncertain->kappa;
  known->tested = view->clock->step;
}

AspError asp_uniqueness_archive(Uniqueness *uniqueness, AspArchive *archive) {
  KnownUniqueness *known = &uniqueness->known;
  ASP_ARCHIVE(archive, known->contacts);
  ASP_ARCHIVE(archive, known->modes);
  ASP_ARCHIVE(archive, known->again);
  ASP_ARCHIVE(archive, known->alternatives);
  ASP_ARCHIVE(archive, known->searched);
  ASP_ARCHIVE(archive, known->watchful);
  ASP_ARCHIVE(archive, known->kappa);
  ASP_ARCHIVE(archive, known->tested);
  ASP_ARCHIVE(archive, uniqueness->alternatives);
  ASP_ARCHIVE(archive, uniqueness->choosing);
  return archive->error;
}
