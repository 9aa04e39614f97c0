/* Random small contact problems in great number, each solved by `auto` and judged by a judge of its own:
 *
 *   bench_many COUNT FIRST_SEED EVERY [METHOD]
 *
 * Fifteen seeds of sixteen draw from the family `small` (1 to 6 contacts, mu 0 to 10, mass ratios to 1e6, repeated
 * contacts, q = 0), one from judged_problems.h (all laws, masses over twelve decades, mu to 1e12, units), where a solve
 * may take a thousand times as long. Every "solved" whose residual, rounding included, is beyond the tolerance is printed
 * and counted as wrong. Sixteen problems in 16 EVERY go to stdout as lines for exact.py; the tally goes to stderr. Exit
 * code 1 when a verdict was wrong.
 */
#include "asperity/solver.h"
#include "judged_problems.h"
#include "problem_families.h"
#include "verdict_lines.h"

#include <stdio.h>
#include <stdlib.h>

#define DRAWN_TOGETHER 16 /* seeds, of which one is of judged_problems.h */

static const AspTolerances asked = {.residual = 1e-8};

typedef struct Tally {
  long status[ASP_STATUS_COUNT];
  long wrong, refused, lines;
} Tally;

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_many: %s\n", asp_context_message(context));
  exit(3);
}

static void make(AspContext *context, uint64_t seed, AspContactProblem *problem) {
  JudgedProblem drawn;
  if (seed % DRAWN_TOGETHER) {
    must(context, problem_family_make(context, FAMILY_SMALL, 1, seed, problem));
    return;
  }
  must(context, judged_problem_make(context, seed, &drawn));
  *problem = drawn.problem;
}

static void run_one(AspContext *context, AspSolver *solver, AspJudge *judge, uint64_t seed, bool shown, Tally *tally) {
  AspContactProblem problem;
  AspSolverInfo info;
  AspResidual residual;
  make(context, seed, &problem);
  double *r = calloc((size_t)problem.rows + 1, sizeof *r);
  if (!r)
    exit(3);
  if (asp_solver_solve(solver, &problem, r, NULL, NULL, &info) == ASP_OK) {
    must(context, asp_judge_reset(judge, &problem));
    must(context, asp_judge_certify(judge, &asked, r, &residual, NULL, NULL));
    bool solved = info.status == ASP_STATUS_SOLVED, met = asp_verdict_is_met(&asked, &residual);
    tally->status[info.status]++;
    tally->wrong += solved && !met;
    if (solved && !met)
      fprintf(stderr, "seed %llu: solved, but E2 %.2e E3 %.2e, %s\n", (unsigned long long)seed, residual.E2,
              residual.E3, info.path);
    if (shown) {
      verdict_line_print(seed, &asked, &problem, r, &residual, solved);
      tally->lines++;
    }
  } else {
    tally->refused++;
  }
  free(r);
  asp_problem_destroy(context, &problem);
}

int main(int argc, char **argv) {
  long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0, every = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
  uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  AspSolverOptions options = asp_solver_default_options();
  options.tolerance = asked.residual;
  Tally tally = {0};
  AspSolver *solver = NULL;
  AspJudge *judge = NULL;
  if (count < 1 || every < 1 || (argc > 4 && !asp_method_from_name(argv[4], &options.method))) {
    fprintf(stderr, "bench_many COUNT FIRST_SEED EVERY [METHOD]\n");
    return 2;
  }
  AspContext *context = asp_context_create(NULL);
  must(context, asp_solver_create(context, &options, &solver));
  must(context, asp_judge_create(context, &judge));
  for (long k = 0; k < count; k++)
    run_one(context, solver, judge, first + (uint64_t)k, k / DRAWN_TOGETHER % every == 0, &tally);
  for (int status = 0; status < ASP_STATUS_COUNT; status++)
    if (tally.status[status])
      fprintf(stderr, "%-16s %ld\n", asp_status_name((AspStatus)status), tally.status[status]);
  fprintf(stderr, "refused as input %ld\nwrong            %ld of %ld; %ld lines for exact.py\n", tally.refused,
          tally.wrong, count, tally.lines);
  asp_judge_destroy(judge);
  asp_solver_destroy(solver);
  asp_context_destroy(context);
  return tally.wrong > 0;
}
