/* Instants without solution, or with several, in a run; and which solution a step takes.
 *
 *   watch    the contact problem of accelerations at the start of a step is analyzed: none or several solutions are
 *            counted and the first of each is named with its contacts, A and b (u_N' = A r_N + b for one contact)
 *   select   the step's own problem is analyzed; where it has several solutions one is taken by a rule: Painleve's
 *            principle (fewest closed contacts, then least energy), or least energy; `solver` leaves it to the method
 *
 * Both look at no more than MOST blocks (joints do not count): beyond, the solver's answer stands. Uses analyze. */
#include "asperity/analyze.h"
#include "world/world_data.h"

#include <math.h>
#include <stdio.h>

#define MOST      12
#define MOST_TIME 2.0 /* s for one analysis */

const char *const asp_selection_names[] = {"solver", "painleve", "energy", NULL};

static int contact_blocks(const AspContactProblem *problem) {
  int count = 0;
  for (int b = 0; b < problem->blocks; b++)
    count += problem->law[b].kind != ASP_LAW_EQUALITY;
  return count;
}

static bool is_small(const AspContactProblem *problem) {
  int count = contact_blocks(problem);
  bool fits = count > 0 && count <= MOST;
  for (int b = 0; b < problem->blocks; b++)
    fits = fits && !(problem->law[b].kind == ASP_LAW_COULOMB && problem->law[b].cone == ASP_CONE_RELAXED);
  return fits;
}

static AspError analyze(AspWorld *world, const AspContactProblem *problem, AspAnalysis *analysis) {
  AspAnalysisOptions options = asp_analysis_default_options();
  options.max_time = MOST_TIME;
  options.max_witnesses = 0;
  options.max_solutions = 100;
  return asp_analyze(world->context, problem, &options, analysis);
}

/* ---- watch ---- */

/* "ground/rod (A = -0.2, b = -1)": the contact, or how many there are. */
static void name_contacts(const AspWorld *world, const AspLevelProblem *level, const AspAnalysis *analysis, char *text,
                          size_t size) {
  int count = 0, first = -1;
  for (int b = 0; b < level->problem.blocks; b++)
    if (level->block[b].joint < 0 && ++count == 1)
      first = b;
  if (first < 0) {
    snprintf(text, size, "joints alone");
    return;
  }
  int length = snprintf(text, size, "%s/%s", asp_model_body_name(world->model, level->block[first].body_a),
                        asp_model_body_name(world->model, level->block[first].body_b));
  if (count > 1)
    length += snprintf(text + length, size - (size_t)length, " and %d more", count - 1);
  if (contact_blocks(&level->problem) == 1 && !isnan(analysis->normal_A))
    snprintf(text + length, size - (size_t)length, ", A = %.6g, b = %.6g", analysis->normal_A, analysis->normal_b);
}

static AspError report(AspWorld *world, const AspLevelProblem *level, const AspAnalysis *analysis) {
  bool none = analysis->count == 0, *named = none ? &world->none_named : &world->several_named;
  char contacts[200];
  if (*named)
    return ASP_OK;
  *named = true;
  name_contacts(world, level, analysis, contacts, sizeof contacts);
  if (none)
    return asp_world_warn(
        world,
        "at t = %.9g s no accelerations agree with the laws of contact (%s): the step answers with an "
        "impulse where nothing collides",
        world->state.t, contacts);
  return asp_world_warn(world, "at t = %.9g s %d solutions in accelerations agree with the laws of contact (%s)",
                        world->state.t, analysis->count, contacts);
}

AspError asp_world_watch(AspWorld *world) {
  AspLevelProblem level;
  AspAnalysis analysis = {0};
  world->instant_solutions = -1;
  if (!world->options.watch)
    return ASP_OK;
  ASP_TRY(asp_world_problem_after(world, ASP_PROBLEM_ACCELERATION, world->options.dt, &level));
  AspError error = ASP_OK;
  if (level.approaching == 0 && is_small(&level.problem))
    error = analyze(world, &level.problem, &analysis);
  if (error == ASP_OK && analysis.complete) {
    world->instant_solutions = analysis.count;
    if (analysis.count != 1)
      error = report(world, &level, &analysis);
  }
  asp_analysis_destroy(world->context, &analysis);
  asp_level_problem_destroy(world->context, &level);
  return error;
}

/* ---- select ---- */

/* The analysis lists by Painleve's principle. */
static int chosen(const AspWorld *world, const AspAnalysis *analysis) {
  int best = 0;
  for (int i = 1; world->options.selection == ASP_SELECT_ENERGY && i < analysis->count; i++)
    if (analysis->solution[i].energy < analysis->solution[best].energy)
      best = i;
  return best;
}

AspError asp_world_select(void *user, AspStepWork *work) {
  AspWorld *world = user;
  const AspContactProblem *problem = &work->formulation.problem;
  AspAnalysis analysis;
  world->alternatives = 0;
  if (!is_small(problem))
    return ASP_OK;
  ASP_TRY(analyze(world, problem, &analysis));
  world->alternatives = analysis.count;
  if (analysis.count > 1) {
    const AspSolution *solution = &analysis.solution[chosen(world, &analysis)];
    memcpy(work->r, solution->r, (size_t)problem->rows * sizeof *work->r);
    memcpy(work->u, solution->u, (size_t)problem->rows * sizeof *work->u);
    memcpy(work->x, solution->x, (size_t)problem->dofs * sizeof *work->x);
    work->solved.residual = solution->residual;
    work->solved.status = ASP_STATUS_SOLVED;
  }
  AspError error = ASP_OK;
  if (analysis.count > 1 && !world->choice_named) {
    world->choice_named = true;
    error = asp_world_warn(world, "the step from t = %.9g s has %d solutions; one is taken by the rule '%s'",
                           world->before.t, analysis.count, asp_selection_names[world->options.selection]);
  }
  asp_analysis_destroy(world->context, &analysis);
  return error;
}
