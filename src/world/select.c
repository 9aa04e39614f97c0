/* Which solution a step takes where its contact problem has several. After the solver, the uncertain islands
 * (uniqueness.c) are searched for all their solutions, and one is taken by the rule of the option `select`:
 *
 *   painleve   fewest closed contacts, then least kinetic energy (Painleve's principle)
 *   energy     least kinetic energy
 *   stiff      the limit of springs in place of the contacts, as they become stiff (stiff.c)
 *   solver     the solution that the method found
 *
 * Where motions form a continuum (redundant contacts that slide and turn) none is singled out, and the solver's answer
 * stands. Searches are bounded in nodes, not in time: equal runs stay equal. Uses analyze. */
#include "asperity/analyze.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>

const char *const asp_selection_names[] = {"solver", "painleve", "energy", "stiff", NULL};

AspError asp_world_analyze(AspWorld *world, const AspContactProblem *problem, AspAnalysis *analysis) {
  AspAnalysisOptions options = asp_analysis_default_options();
  // exact: no limit
  options.max_time = 1e9;
  options.max_nodes = SELECT_MOST_NODES;
  options.max_witnesses = 0;
  options.certificates = false;
  options.max_solutions = SELECT_SOLUTIONS_MOST;
  options.starts = 0;
  return asp_analyze(world->context, problem, &options, analysis);
}

/* The analysis lists by Painleve's principle. */
static int least_energy(const AspAnalysis *analysis) {
  int best = 0;
  for (int i = 1; i < analysis->count; i++)
    if (analysis->solution[i].energy < analysis->solution[best].energy)
      best = i;
  return best;
}

static bool is_continuum(const AspAnalysis *analysis) {
  for (int i = 0; i < analysis->count; i++)
    if (analysis->solution[i].motion_dimension > 0)
      return true;
  return false;
}

/* Index of the solution to take; -1: leave the solver's. */
static AspError choose(AspWorld *world, const AspStepWork *work, const AspContactProblem *part, const int *row,
                       const AspAnalysis *analysis, int *chosen) {
  *chosen = -1;
  if (analysis->count == 0 || is_continuum(analysis))
    return ASP_OK;
  if (analysis->count == 1) {
    *chosen = asp_world_is_certified(world) ? -1 : 0;
    return ASP_OK;
  }
  switch ((AspSelection)world->options.selection) {
  case ASP_SELECT_PAINLEVE:
    *chosen = 0;
    return ASP_OK;
  case ASP_SELECT_ENERGY:
    *chosen = least_energy(analysis);
    return ASP_OK;
  case ASP_SELECT_STIFF:
    return asp_world_stiff_limit(world, work, part, row, analysis, chosen);
  default:
    return ASP_OK;
  }
}

/* Add the result of an island's search to that of the step. */
static void count_alternatives(const AspAnalysis *analysis, double *product, bool *decided) {
  *decided = *decided && analysis->complete && analysis->count > 0 && !is_continuum(analysis);
  *product *= analysis->count > 1 ? analysis->count : 1;
}

static AspError search_island(AspWorld *world, AspStepWork *work, const UncertainIslands *uncertain, int island,
                              double *product, bool *decided, bool *changed, int64_t *nodes) {
  AspContactProblem part;
  AspAnalysis analysis;
  int *row, chosen = -1;
  AspArenaMark mark = asp_arena_mark(work->arena);
  ASP_TRY(asp_island_extract(work->arena, &work->formulation.problem, &uncertain->islands, island, &part, &row));
  ASP_TRY(asp_world_analyze(world, &part, &analysis));
  count_alternatives(&analysis, product, decided);
  *nodes += analysis.nodes;
  AspError error = choose(world, work, &part, row, &analysis, &chosen);
  for (int k = 0; error == ASP_OK && chosen >= 0 && k < part.rows; k++)
    work->r[row[k]] = analysis.solution[chosen].r[k];
  *changed = *changed || chosen >= 0;
  asp_analysis_destroy(world->context, &analysis);
  asp_arena_rewind(work->arena, mark);
  return error;
}

/* Judge the reactions taken, and compute the motion that they give. */
static AspError judge(AspWorld *world, AspStepWork *work) {
  AspJudge *judge;
  ASP_TRY(asp_judge_create(world->context, &judge));
  AspError error = asp_judge_reset(judge, &work->formulation.problem);
  if (error == ASP_OK)
    error = asp_judge_residual(judge, work->r, &work->solved.residual, work->u, work->x);
  asp_judge_destroy(judge);
  if (error == ASP_OK && asp_world_is_certified(world))
    work->solved.status = ASP_STATUS_SOLVED;
  return error;
}

/* Once per episode of steps with several solutions. */
static AspError report(AspWorld *world) {
  bool several = world->uniqueness.alternatives > 1, begins = several && !world->uniqueness.choosing;
  world->uniqueness.choosing = several;
  if (!begins || world->warnings.choices_named >= SELECT_CHOICES_NAMED)
    return ASP_OK;
  world->warnings.choices_named++;
  return asp_world_warn(
      world, "the step from t = %.9g s has %d solutions; %s '%s'%s", world->before.t, world->uniqueness.alternatives,
      "one is taken by the rule", asp_selection_names[world->options.selection],
      world->warnings.choices_named == SELECT_CHOICES_NAMED ? "; further such steps are counted, not named" : "");
}

AspError asp_world_select(void *user, AspStepWork *work) {
  AspWorld *world = user;
  UncertainIslands uncertain;
  double product = 1;
  int64_t nodes = 0;
  bool same, known;
  ASP_TRY(asp_uniqueness_is_known(world, work, &same, &known));
  if (known) {
    world->uniqueness.alternatives = world->uniqueness.known.alternatives;
    return ASP_OK;
  }
  ASP_TRY(asp_uniqueness_of(world, work->arena, &work->formulation, &uncertain));
  bool decided = !uncertain.beyond, changed = false;
  for (int i = 0; uncertain.any && i < uncertain.islands.count; i++)
    if (uncertain.to_search[i])
      ASP_TRY(search_island(world, work, &uncertain, i, &product, &decided, &changed, &nodes));
  if (changed)
    ASP_TRY(judge(world, work));
  // exact: fits an int
  world->uniqueness.alternatives = product > 1 ? (int)fmin(product, 1e9) : decided;
  int64_t rest =
      nodes * SELECT_STEPS_PER_NODE < SELECT_LONGEST_REST ? nodes * SELECT_STEPS_PER_NODE : SELECT_LONGEST_REST;
  asp_uniqueness_keep(world, &uncertain, work, same, product > 1 || uncertain.single ? 0 : rest);
  return report(world);
}
