/* Problems drawn by seed with the judge's verdicts, one JSON object per line, for exact.py:
 *
 *   bench_judge [FIRST [LAST]]     seeds, 1 to 200 unless told
 *
 * Four verdicts per problem: on the planted solution, and on ones that are perturbed until E2 is just below the
 * tolerance, just above it, and a thousand tolerances. Numbers have 17 digits and read back as the same doubles.
 */
#include "base/base.h"
#include "judged_problems.h"
#include "verdict_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const AspTolerances asked = {.residual = 1e-8};

/* r + s d, s such that E2 is about `level`. */
static AspError move(AspJudge *judge, int rows, const double *r, const double *d, double level, double size,
                     double *moved, AspResidual *residual) {
  double low = 0, high = size;
  for (int round = 0; round < 200; round++) {
    double s = round < 80 && low == 0 ? high : 0.5 * (low + high);
    for (int k = 0; k < rows; k++)
      moved[k] = r[k] + s * d[k];
    ASP_TRY(asp_judge_certify(judge, &asked, moved, residual, NULL, NULL));
    if (residual->E2 >= level) {
      high = s;
      low = low > 0 ? low : s / 1e4 < high ? 0 : low;
      if (low == 0)
        low = round == 0 ? 0 : s / 1e3;
    } else {
      low = s;
      high = high > s ? high : 10 * s;
    }
    if (fabs(residual->E2 / level - 1) < 1e-4)
      break;
  }
  return ASP_OK;
}

static AspError judge_problem(AspContext *context, AspJudge *judge, uint64_t seed) {
  JudgedProblem drawn;
  AspResidual residual;
  AspRandom random = {.state = seed + 99};
  double d[JUDGED_ROWS], moved[JUDGED_ROWS];
  const double levels[] = {0.999, 1.001, 1000};
  ASP_TRY(judged_problem_make(context, seed, &drawn));
  int rows = drawn.problem.rows;
  ASP_TRY(asp_judge_reset(judge, &drawn.problem));
  ASP_TRY(asp_judge_certify(judge, &asked, drawn.r, &residual, NULL, NULL));
  verdict_line_print(seed, &asked, &drawn.problem, drawn.r, &residual, asp_verdict_is_met(&asked, &residual));
  for (int k = 0; k < rows; k++)
    d[k] = asp_random_normal(&random);
  double size = fmax(residual.norm_r, residual.rho * fmax(residual.norm_q, residual.rounding / asked.residual));
  for (int i = 0; i < 3; i++) {
    ASP_TRY(move(judge, rows, drawn.r, d, levels[i] * asked.residual, 1e-12 * size, moved, &residual));
    verdict_line_print(seed, &asked, &drawn.problem, moved, &residual, asp_verdict_is_met(&asked, &residual));
  }
  asp_problem_destroy(context, &drawn.problem);
  return ASP_OK;
}

int main(int count, char **argument) {
  uint64_t first = count > 1 ? strtoull(argument[1], NULL, 10) : 1;
  uint64_t last = count > 2 ? strtoull(argument[2], NULL, 10) : count > 1 ? first : 200;
  AspContext *context = asp_context_create(NULL);
  AspJudge *judge;
  AspError error = asp_judge_create(context, &judge);
  for (uint64_t seed = first; error == ASP_OK && seed <= last; seed++)
    error = judge_problem(context, judge, seed);
  if (error != ASP_OK)
    fprintf(stderr, "bench_judge: %s\n", asp_context_message(context));
  asp_judge_destroy(judge);
  asp_context_destroy(context);
  return error == ASP_OK ? 0 : 3;
}
