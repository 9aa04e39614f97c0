/* The ladders of stages: see policy.h. Why in this order, and what was measured: docs/decisions/auto.md. */
#include "solver/policy.h"

#include "base/base.h"
#include "solver/tuning/auto.h"

/* clang-format off */
#define FIRST_STAGES \
    {.kind = ASP_METHOD_NSGS, .from_best = true, .limit = AUTO_SWEEPS_WARM, .when = ASP_WHEN_START | ASP_WHEN_NOT_SWEPT, .verdict = AUTO_WARM_VERDICT}, \
    {.kind = ASP_METHOD_NEWTON, .from_best = true, .limit = AUTO_NEWTON_WARM, .when = ASP_WHEN_START | ASP_WHEN_NEAR, .rho = AUTO_WARM_RHO, .near = true}, \
    {.kind = ASP_METHOD_NSGS, .limit = AUTO_SWEEPS_LIMIT, .when = ASP_WHEN_NO_START | ASP_WHEN_NOT_SWEPT, .verdict = AUTO_FIRST_VERDICT}, \
    {.kind = ASP_STAGE_ISLANDS, .when = ASP_WHEN_WHOLE, .ends = ASP_WHEN_PART_FAILED}, \
    {.kind = ASP_METHOD_IPM, .rho = AUTO_FAR_RHO, .finish = AUTO_SHORT_FINISH}

static const AspStage exact[] = {
    FIRST_STAGES,
    {.kind = ASP_METHOD_IPM, .theta = AUTO_SECOND_THETA, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_IPM, .theta = AUTO_THIRD_THETA, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_IPM, .theta = 1, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_NEWTON, .from_best = true, .limit = AUTO_NEWTON_STEPS, .rho = AUTO_FAR_RHO},
    // where rounding decides other ways do no better
    {.kind = ASP_METHOD_NEWTON, .limit = AUTO_NEWTON_COLD, .rho = AUTO_FAR_RHO, .ends = ASP_WHEN_ROUNDED},
    {.kind = ASP_METHOD_IPM, .theta = AUTO_LAST_THETA_1, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_NEWTON, .from_best = true, .limit = AUTO_NEWTON_STEPS, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_IPM, .theta = AUTO_LAST_THETA_2, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_NEWTON, .from_best = true, .limit = AUTO_NEWTON_STEPS, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_IPM, .theta = 0.5, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_NEWTON, .from_best = true, .limit = AUTO_NEWTON_STEPS, .rho = AUTO_FAR_RHO},
    {.kind = ASP_METHOD_ACLM, .rho = AUTO_FAR_RHO},
    // another order of operations where rounding decides
    {.kind = ASP_METHOD_ADMM, .rho = AUTO_FAR_RHO, .when = ASP_WHEN_SMALL},
};
static const AspStage subproblem[] = {FIRST_STAGES};
static const AspStage large[] = {
    {.kind = ASP_STAGE_PACKED, .from_best = true, .limit = LARGE_PACKED_SWEEPS},
    {.kind = ASP_STAGE_SUBPROBLEMS, .from_best = true, .limit = LARGE_SUBPROBLEM_PASSES, .when = ASP_WHEN_AUTO | ASP_WHEN_FACTORS_COSTLY},
    {.kind = ASP_STAGE_ISLANDS, .from_best = true, .limit = LARGE_ISLAND_SOLVES, .when = ASP_WHEN_AUTO},
};
static const AspStage rest[] = {{.kind = ASP_METHOD_LEMKE, .when = ASP_WHEN_LCP | ASP_WHEN_FEW_ROWS}};
static const AspStage relaxed[] = {{.kind = ASP_METHOD_IPM, .from_best = true}, {.kind = ASP_METHOD_NEWTON, .from_best = true}};
static const AspStage polygon[] = {
    {.kind = ASP_METHOD_LEMKE, .when = ASP_WHEN_LCP, .ends = ASP_WHEN_NOT_FINITE},
    {.kind = ASP_METHOD_PGS, .from_best = true},
};
/* clang-format on */

#define LADDER(title, table)                                                                                           \
  { title, table, (int)(sizeof table / sizeof *table) }
static const AspLadder ladders[ASP_LADDER_COUNT] = {
    [ASP_LADDER_EXACT] = LADDER("Exact cones", exact),
    [ASP_LADDER_SUBPROBLEM] = LADDER("Exact cones, a subproblem of a large problem", subproblem),
    [ASP_LADDER_LARGE] = LADDER("Large problems of rigid bodies, before the ladder for exact cones", large),
    [ASP_LADDER_REST] = LADDER("What the ladder for exact cones leaves unsolved", rest),
    [ASP_LADDER_RELAXED] = LADDER("The convex relaxation", relaxed),
    [ASP_LADDER_POLYGON] = LADDER("Polygonal friction", polygon),
};

static const char *const condition_text[ASP_CONDITION_COUNT] = {
#define ASP_CONDITION_TEXT(code, text) text,
    ASP_CONDITION_LIST(ASP_CONDITION_TEXT)
#undef ASP_CONDITION_TEXT
};

const AspLadder *asp_ladder(AspLadderKind kind) { return &ladders[kind]; }

static bool all_hold(const AspLadderActs *acts, const void *walker, unsigned conditions) {
  for (int k = 0; k < ASP_CONDITION_COUNT; k++)
    if ((conditions >> k & 1U) && !acts->holds(walker, 1U << k))
      return false;
  return true;
}

AspError asp_ladder_walk(const AspLadder *ladder, const AspLadderActs *acts, void *walker, bool begun) {
  for (const AspStage *stage = ladder->stage, *end = stage + ladder->count; stage < end; stage++) {
    if (begun && acts->is_over(walker))
      break;
    if (!all_hold(acts, walker, stage->when))
      continue;
    ASP_TRY(acts->run(walker, stage));
    begun = true;
    if (stage->ends && all_hold(acts, walker, stage->ends))
      break;
  }
  return ASP_OK;
}

/* ---- tables for readers ---- */

static void print_conditions(FILE *out, unsigned conditions) {
  const char *gap = "";
  for (int k = 0; k < ASP_CONDITION_COUNT; k++)
    if (conditions >> k & 1U) {
      fprintf(out, "%s%s", gap, condition_text[k]);
      gap = ", ";
    }
}

static const char *stage_name(int kind) {
  switch (kind) {
  case ASP_STAGE_ISLANDS:
    return "islands";
  case ASP_STAGE_PACKED:
    return "packed nsgs";
  case ASP_STAGE_SUBPROBLEMS:
    return "subproblems";
  default:
    return asp_method_name((AspMethod)kind);
  }
}

static void print_stage(FILE *out, int number, const AspStage *stage) {
  fprintf(out, "| %d | %s | %s | ", number, stage_name(stage->kind), stage->from_best ? "best so far" : "nothing");
  if (stage->limit > 0)
    fprintf(out, "%d", stage->limit);
  else
    fputs("its own", out);
  fputs(" | ", out);
  print_conditions(out, stage->when);
  fputs(" | ", out);
  print_conditions(out, stage->ends);
  fputs(" |", out);
  if (stage->verdict > 0)
    fprintf(out, " at least %d sweeps", stage->verdict);
  if (stage->theta > 0)
    fprintf(out, " θ = %g", stage->theta);
  if (stage->kind == ASP_METHOD_NEWTON && stage->rho > 0)
    fprintf(out, " first step %g", stage->rho);
  if (stage->finish > 0)
    fprintf(out, " finish of %d steps", stage->finish);
  fputs(" |\n", out);
}

void asp_ladder_print(FILE *out, const AspLadder *ladder) {
  fprintf(out,
          "%s:\n\n| | method | start | limit | when | then ends where | settings |\n|---|---|---|---|---|---|---|\n",
          ladder->name);
  for (int k = 0; k < ladder->count; k++)
    print_stage(out, k + 1, &ladder->stage[k]);
}
