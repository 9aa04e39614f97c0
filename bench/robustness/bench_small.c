/* Small degenerate problems in great number (family `small`: 1 to 6 contacts, mu 0 to 10, mass ratios to 1e6, repeated
 * contacts, q = 0) through `auto`: every "solved" is put before a judge that the solver never saw.
 *
 *   bench_small [COUNT [FIRST_SEED [TOLERANCE [METHOD]]]]      100000 1 1e-8 auto
 *
 * Prints a line for every problem that stayed open, then how many problems had which status. w of any sign (one problem
 * in five): then a solution need not exist. Ends with 1 when a "solved" is not confirmed.
 */
#include "asperity/solver.h"
#include "problem_families.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Tally {
  long status[ASP_STATUS_COUNT];
  long unconfirmed;
} Tally;

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_small: %s\n", asp_context_message(context));
  exit(3);
}

/* Is x = 0 admissible, w in K*? A solution is known to exist only where some velocity is (Acary et al. 2011). */
static bool rest_is_admissible(const AspContactProblem *problem) {
  for (int i = 0; i < problem->blocks; i++) {
    const double *w = problem->w + problem->offset[i];
    if (w[0] < 0 || w[1] != 0 || w[2] != 0)
      return false;
  }
  return true;
}

static void run_one(AspContext *context, AspSolver *solver, AspJudge *judge, uint64_t seed, double tolerance,
                    Tally *tally) {
  AspContactProblem problem;
  AspSolverInfo info;
  AspResidual residual;
  must(context, problem_family_make(context, FAMILY_SMALL, 1, seed, &problem));
  double *r = calloc((size_t)problem.rows + 1, sizeof *r);
  if (!r)
    exit(3);
  must(context, asp_solver_solve(solver, &problem, r, NULL, NULL, &info));
  must(context, asp_judge_reset(judge, &problem));
  must(context, asp_judge_residual(judge, r, &residual, NULL, NULL));
  bool confirmed = residual.E1 <= tolerance && residual.E2 <= tolerance && residual.E3 <= ASP_INFLATION * tolerance;
  tally->status[info.status]++;
  if (info.status == ASP_STATUS_SOLVED && !confirmed)
    tally->unconfirmed++;
  if (info.status != ASP_STATUS_SOLVED || !confirmed)
    printf("seed %llu: %s, %d contacts, %s, E1 %.2e E2 %.2e E3 %.2e, %s\n", (unsigned long long)seed,
           asp_status_name(info.status), problem.blocks,
           rest_is_admissible(&problem) ? "x = 0 admissible" : "w of any sign", residual.E1, residual.E2, residual.E3,
           info.path);
  free(r);
  asp_problem_destroy(context, &problem);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
  uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  AspSolverOptions options = asp_solver_default_options();
  options.ask_E1 = true;
  options.tolerance = argc > 3 ? strtod(argv[3], NULL) : 1e-8;
  Tally tally = {0};
  AspSolver *solver = NULL;
  AspJudge *judge = NULL;
  AspContext *context = asp_context_create(NULL);
  if (!context || (argc > 4 && !asp_method_from_name(argv[4], &options.method))) {
    fprintf(stderr, "bench_small: no such method\n");
    return 2;
  }
  must(context, asp_solver_create(context, &options, &solver));
  must(context, asp_judge_create(context, &judge));
  for (long k = 0; k < count; k++)
    run_one(context, solver, judge, first + (uint64_t)k, options.tolerance, &tally);
  for (int status = 0; status < ASP_STATUS_COUNT; status++)
    printf("%-16s %ld\n", asp_status_name((AspStatus)status), tally.status[status]);
  printf("\"solved\" that the judge does not confirm: %ld\n", tally.unconfirmed);
  asp_judge_destroy(judge);
  asp_solver_destroy(solver);
  asp_context_destroy(context);
  return tally.unconfirmed > 0;
}
