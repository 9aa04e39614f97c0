/* make_lcp KIND FILE: writes a small LCP file for the tests of `asperity solve`.
 *   solvable    M = [2 1; 1 2], q = (-5, -6): z = (4/3, 7/3)
 *   unsolvable  M = [0], q = (-1): M z + q >= 0 has no solution
 *   slow        M = [1 -0.999; -0.999 1], q = (-1, -1): z = (1000, 1000), Gauss-Seidel needs thousands of sweeps */
#include "asperity/io.h"

#include <stdio.h>
#include <string.h>

typedef struct Sample {
  const char *kind;
  int n;
  double M[4], q[2];
} Sample;

static const Sample samples[] = {
    {"solvable", 2, {2, 1, 1, 2}, {-5, -6}},
    {"unsolvable", 1, {0}, {-1}},
    {"slow", 2, {1, -0.999, -0.999, 1}, {-1, -1}},
};

int main(int count, char **words) {
  const Sample *sample = NULL;
  for (size_t i = 0; count == 3 && i < sizeof samples / sizeof *samples; i++)
    if (strcmp(samples[i].kind, words[1]) == 0)
      sample = &samples[i];
  if (!sample) {
    fprintf(stderr, "usage: make_lcp solvable|unsolvable|slow FILE\n");
    return 2;
  }
  AspContext *context = asp_context_create(NULL);
  AspLcp lcp = {0};
  AspError error = asp_lcp_create(context, sample->n, &lcp);
  if (error == ASP_OK) {
    memcpy(lcp.M, sample->M, (size_t)sample->n * (size_t)sample->n * sizeof(double));
    memcpy(lcp.q, sample->q, (size_t)sample->n * sizeof(double));
    error = asp_lcp_write(context, words[2], &lcp, NULL);
    asp_lcp_destroy(context, &lcp);
  }
  if (error != ASP_OK)
    fprintf(stderr, "make_lcp: %s\n", asp_context_message(context));
  asp_context_destroy(context);
  return error != ASP_OK;
}
