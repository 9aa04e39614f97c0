/* Siconos' lexicographic Lemke on a dense LCP. */
#define _POSIX_C_SOURCE 200809L
#include "siconos_lemke.h"

#include "bench_clock.h"

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <stdlib.h>
#include <string.h>

int siconos_lemke(int n, const double *M, const double *q, double *z, double *seconds, int *pivots) {
  LinearComplementarityProblem problem = {
      .size = n, .M = NM_create(NM_DENSE, n, n), .q = malloc((size_t)n * sizeof *q)};
  double *w = calloc((size_t)n, sizeof *w);
  memcpy(problem.M->matrix0, M, (size_t)n * (size_t)n * sizeof *M);
  memcpy(problem.q, q, (size_t)n * sizeof *q);
  memset(z, 0, (size_t)n * sizeof *z);
  SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 10 * n;
  int info = -1;
  double start = processor_seconds();
  lcp_lexicolemke(&problem, z, w, &info, options);
  *seconds = processor_seconds() - start;
  *pivots = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);
  NM_clear(problem.M);
  free(problem.M);
  free(problem.q);
  free(w);
  return info;
}
