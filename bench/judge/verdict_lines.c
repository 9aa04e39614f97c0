/* A problem with a verdict as a line of JSON: see verdict_lines.h. */
#include "verdict_lines.h"

#include <math.h>
#include <stdio.h>

static void print_numbers(const char *name, int count, const double *value) {
  printf("\"%s\": [", name);
  for (int k = 0; k < count; k++)
    printf("%s%.17g", k ? ", " : "", value[k]);
  printf("], ");
}

static void print_matrix(const char *name, const AspSparse *A) {
  printf("\"%s\": [", name);
  for (int j = 0; j < A->columns; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
      printf("%s[%d, %d, %.17g]", j || k ? ", " : "", A->row[k], j, A->value[k]);
  printf("], ");
}

void verdict_line_print(uint64_t seed, const AspTolerances *asked, const AspContactProblem *p, const double *r,
                        const AspResidual *residual, bool solved) {
  printf("{\"seed\": %llu, \"tolerance\": %.17g, \"dofs\": %d, \"rows\": %d, \"laws\": [", (unsigned long long)seed,
         asked->residual, p->dofs, p->rows);
  for (int i = 0; i < p->blocks; i++)
    printf("%s{\"kind\": \"%s\", \"rows\": %d, \"mu\": %.17g, \"limit\": %.17g, \"direction\": [%.17g, %.17g]}",
           i ? ", " : "", asp_law_kind_name(p->law[i].kind), p->offset[i + 1] - p->offset[i], p->law[i].mu,
           p->law[i].limit, p->law[i].direction[0], p->law[i].direction[1]);
  printf("], ");
  print_matrix("M", &p->M);
  print_matrix("H", &p->H);
  print_numbers("f", p->dofs, p->f);
  print_numbers("w", p->rows, p->w);
  print_numbers("r", p->rows, r);
  printf("\"floor\": %.17g, \"E2\": %.17g, \"E2_rounding\": %.17g, \"E3\": %.17g, \"solved\": %s}\n",
         residual->rounding, residual->E2, fmin(residual->E2_rounding, 1), residual->E3, solved ? "true" : "false");
}
