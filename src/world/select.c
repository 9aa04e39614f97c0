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
#include "problem/verdict.h"
#include "world/choice.h"
#include "world/tuning/world.h"

#include <math.h>

const char *const asp_selection_names[] = {"solver", "painleve", "energy", "stiff", NULL};

const char *asp_selection_name(AspSelection selection) {
  return (unsigned)selection <= ASP_SELECT_STIFF ? asp_selection_names[selection] : "unknown";
}

AspError asp_island_analyze(AspContext *context, const AspContactProblem *problem, AspAnalysis *analysis) {
  AspAnalysisOptions options = asp_analysis_default_options();
  // exact: no limit
  options.max_time = 1e9;
  options.max_nodes = SELECT_MOST_NODES;
  options.max_witnesses = 0;
  options.certificates = false;
  options.max_solutions = SELECT_SOLUTIONS_MOST;
  options.starts = 0;
  return asp_analyze(context, problem, &options, analysis);
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
static AspError choose(const SolutionChoice *choice, const AspStepWork *work, const AspContactProblem *part,
                       const int *row, const AspAnalysis *analysis, int *chosen) {
  *chosen = -1;
  if (analysis->count == 0 || is_continuum(analysis))
    return ASP_OK;
  if (analysis->count == 1) {
    *chosen = asp_step_is_certified(choice->view) ? -1 : 0;
    return ASP_OK;
  }
  switch ((AspSelection)choice->view->options->selection) {
  case ASP_SELECT_PAINLEVE:
    *chosen = 0;
    return ASP_OK;
  case ASP_SELECT_ENERGY:
    *chosen = least_energy(analysis);
    return ASP_OK;
  case ASP_SELECT_STIFF:
    return asp_stiff_limit(choice, work, part, row, analysis, chosen);
  default:
    return ASP_OK;
  }
}

/* Add the result of an island's search to that of the step. */
static void count_alternatives(const AspAnalysis *analysis, double *product, bool *decided) {
  *decided = *decided && analysis->complete && analysis->count > 0 && !is_continuum(analysis);
  *product *= analysis->count > 1 ? analysis->count : 1;
}

static AspError search_island(const SolutionChoice *choice, AspStepWork *work, const UncertainIslands *uncertain,
                              int island, double *product, bool *decided, bool *changed, int64_t *nodes) {
  AspContactProblem part;
  AspAnalysis analysis;
  int *row, chosen = -1;
  AspArenaMark mark = asp_arena_mark(work->arena);
  ASP_TRY(asp_island_extract(work->arena, &work->formulation.problem, &uncertain->islands, island, &part, &row));
  ASP_TRY(asp_island_analyze(choice->view->context, &part, &analysis));
  count_alternatives(&analysis, product, decided);
  *nodes += analysis.nodes;
  AspError error = choose(choice, work, &part, row, &analysis, &chosen);
  for (int k = 0; error == ASP_OK && chosen >= 0 && k < part.rows; k++)
    work->r[row[k]] = analysis.solution[chosen].r[k];
  *changed = *changed || chosen >= 0;
  asp_analysis_destroy(choice->view->context, &analysis);
  asp_arena_rewind(work->arena, mark);
  return error;
}

/* Judge the reactions taken, and compute the motion that they give. */
static AspError judge(const SolutionChoice *choice, AspStepWork *work) {
  AspJudge *judge;
  ASP_TRY(asp_judge_create(choice->view->context, &judge));
  AspError error = asp_judge_reset(judge, &work->formulation.problem);
  if (error == ASP_OK)
    error = asp_judge_certify(judge, &(AspTolerances){.residual = work->tolerance}, work->r, &work->solved.residual,
                              work->u, work->x);
  asp_judge_destroy(judge);
  if (error == ASP_OK && asp_step_is_certified(choice->view))
    work->solved.status = ASP_STATUS_SOLVED;
  return error;
}

/* Once per episode of steps with several solutions. */
static AspError report(const SolutionChoice *choice) {
  Uniqueness *uniqueness = choice->uniqueness;
  bool several = uniqueness->alternatives > 1, begins = several && !uniqueness->choosing;
  uniqueness->choosing = several;
  if (!begins)
    return ASP_OK;
  return asp_warn_few(choice->warnings, WARNING_SEVERAL_SOLUTIONS, 0, SELECT_CHOICES_NAMED,
                      "; further such steps are counted, not named",
                      "the step from t = %.9g s has %d solutions; one is taken by the rule '%s'",
                      choice->view->before->t, uniqueness->alternatives,
                      asp_selection_names[choice->view->options->selection]);
}

static AspError choose_solution(const SolutionChoice *choice, AspStepWork *work) {
  Uniqueness *uniqueness = choice->uniqueness;
  UncertainIslands uncertain;
  double product = 1;
  int64_t nodes = 0;
  bool same, known;
  ASP_TRY(asp_uniqueness_is_known(uniqueness, choice->view, work, &same, &known));
  if (known) {
    uniqueness->alternatives = uniqueness->known.alternatives;
    return ASP_OK;
  }
  ASP_TRY(asp_uniqueness_of(choice->view, work->arena, &work->formulation, &uncertain));
  bool decided = !uncertain.beyond, changed = false;
  for (int i = 0; uncertain.any && i < uncertain.islands.count; i++)
    if (uncertain.to_search[i])
      ASP_TRY(search_island(choice, work, &uncertain, i, &product, &decided, &changed, &nodes));
  if (changed)
    ASP_TRY(judge(choice, work));
  // exact: fits an int
  uniqueness->alternatives = product > 1 ? (int)fmin(product, 1e9) : decided;
  int64_t rest =
      nodes * SELECT_STEPS_PER_NODE < SELECT_LONGEST_REST ? nodes * SELECT_STEPS_PER_NODE : SELECT_LONGEST_REST;
  asp_uniqueness_keep(uniqueness, choice->view, &uncertain, work, same, product > 1 || uncertain.single ? 0 : rest);
  return report(choice);
}

AspError asp_solution_choose(void *user, AspStepWork *work) {
  const SolutionChoice *choice = user;
  const AspRunOptions *options = choice->view->options;
  if (options->share_loads)
    ASP_TRY(asp_loads_share(choice->sharing, choice->view, work, choice->make_solver, choice->world));
  if (choice->trial)
    return ASP_OK;
  // redundant contacts slide: a continuum of motions, which no search of exact cones in space can list
  if (options->thorough && choice->sharing->chosen != 0 && work->formulation.problem.dimension == 3) {
    choice->uniqueness->alternatives = 0;
    return ASP_OK;
  }
  return options->selection != ASP_SELECT_SOLVER || options->watch ? choose_solution(choice, work) : ASP_OK;
}
