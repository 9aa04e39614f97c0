/* Which of several solutions a step takes (select.c, stiff.c). */
#ifndef ASP_WORLD_CHOICE_H
#define ASP_WORLD_CHOICE_H

#include "asperity/analyze.h"
#include "world/sharing.h"
#include "world/step_view.h"
#include "world/uniqueness.h"
#include "world/warm_start.h"
#include "world/warnings.h"

/* What a choice needs: the step, what is known of its contacts, the reactions expected of it. */
typedef struct SolutionChoice {
  const StepView *view;
  Uniqueness *uniqueness;
  WarmStart *warm;
  Warnings *warnings;
  LoadSharing *sharing;
  AspError (*make_solver)(void *world, AspSolver **solver); /* of sharing */
  void *world;
  bool trial; /* of the length of a step: other solutions are not looked for, which costs more than the step itself, and
                 the judge does not bound its rounding */
} SolutionChoice;

/* Take one of several solutions by the rule of the option `select` (AspStepWork.choose; user: a SolutionChoice). */
AspError asp_solution_choose(void *user, AspStepWork *work);
/* All solutions of an island, bounded in nodes. */
AspError asp_island_analyze(AspContext *context, const AspContactProblem *problem, AspAnalysis *analysis);
/* Of an island's solutions the one that stiff springs tend to over the step; row: of the step's problem. */
AspError asp_stiff_limit(const SolutionChoice *choice, const AspStepWork *work, const AspContactProblem *part,
                         const int *row, const AspAnalysis *analysis, int *chosen);

#endif
