/* A x = b with A = W_ee, the Delassus matrix of EQUALITY rows: symmetric positive semidefinite up to a small
 * unsymmetric part, singular when joints repeat each other. Scaled to unit diagonal,
 *
 *   A' = D A D,   x = D x',   D_ii = |A_ii|^-1/2
 *
 * The pivots of the symmetric part S' of A' tell the rank:
 *
 *   full      LU of A', one step of refinement
 *   smaller   the smallest least-squares solution with S', repeated a few times:  x' <- x' + S'^+ (b' - A' x')
 *
 * The second is exact when A is symmetric, and converges when its unsymmetric part is small. Depends on linalg/dense.h.
 */
#include "problem/pseudo_solve.h"

#include "linalg/dense.h"
#include "problem/tuning/problem.h"

#include <math.h>

typedef struct PseudoSystem {
  int n, count;
  double *A;    /* n x n, scaled */
  double *B;    /* n x count: right-hand sides, scaled */
  double *X;    /* n x count */
  double *rest; /* n x count: B - A X */
} PseudoSystem;

/* D, and A' = D A D, B' = D B in place */
static void scale_system(PseudoSystem *system, double *D) {
  size_t n = (size_t)system->n;
  for (size_t i = 0; i < n; i++) {
    double diagonal = fabs(system->A[i * n + i]);
    D[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      system->A[j * n + i] *= D[i] * D[j];
  for (size_t j = 0; j < (size_t)system->count; j++)
    for (size_t i = 0; i < n; i++)
      system->B[j * n + i] *= D[i];
}

static void find_rest(PseudoSystem *system) {
  size_t n = (size_t)system->n;
  memcpy(system->rest, system->B, n * (size_t)system->count * sizeof *system->rest);
  for (size_t c = 0; c < (size_t)system->count; c++)
    for (size_t j = 0; j < n; j++) {
      double x = system->X[c * n + j];
      for (size_t i = 0; i < n && x != 0; i++)
        system->rest[c * n + i] -= system->A[j * n + i] * x;
    }
}

static void add_correction(PseudoSystem *system) {
  for (size_t i = 0; i < (size_t)system->n * (size_t)system->count; i++)
    system->X[i] += system->rest[i];
}

/* False when A turns out singular after all. */
static bool solve_regular(PseudoSystem *system, double *LU, int *pivot) {
  int n = system->n;
  memcpy(LU, system->A, (size_t)n * (size_t)n * sizeof *LU);
  if (asp_dense_lu(n, LU, n, pivot) >= 0)
    return false;
  for (int iteration = 0; iteration < 2; iteration++) {
    find_rest(system);
    asp_dense_lu_solve(n, LU, n, pivot, system->count, system->rest, n);
    add_correction(system);
  }
  return true;
}

static AspError solve_singular(AspArena *arena, PseudoSystem *system, const AspSemidefinite *S) {
  for (int iteration = 0; iteration < PSEUDO_SOLVE_REFINEMENTS; iteration++) {
    find_rest(system);
    for (int c = 0; c < system->count; c++)
      ASP_TRY(asp_dense_semidefinite_solve(arena, S, system->rest + (size_t)c * (size_t)system->n));
    add_correction(system);
  }
  return ASP_OK;
}

static AspError solve_scaled(AspArena *arena, PseudoSystem *system, int *rank) {
  size_t n = (size_t)system->n;
  double *work = ASP_TAKE(arena, double, n *n);
  int *pivot = ASP_TAKE(arena, int, n);
  if (!work || !pivot)
    return ASP_ERROR_MEMORY;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++)
      work[j * n + i] = 0.5 * (system->A[j * n + i] + system->A[i * n + j]);
  AspSemidefinite S;
  ASP_TRY(asp_dense_semidefinite(arena, system->n, work, system->n, PSEUDO_SOLVE_RANK_TOLERANCE, &S));
  *rank = S.rank;
  if (S.rank == system->n && solve_regular(system, work, pivot))
    return ASP_OK;
  return solve_singular(arena, system, &S);
}

AspError asp_pseudo_solve(AspArena *arena, int n, double *A, int count, double *B, int *rank) {
  *rank = 0;
  if (n == 0 || count == 0)
    return ASP_OK;
  size_t size = (size_t)n * (size_t)count;
  PseudoSystem system = {n, count, A, B, ASP_TAKE(arena, double, size), ASP_TAKE(arena, double, size)};
  double *D = ASP_TAKE(arena, double, n);
  if (!system.X || !system.rest || !D)
    return ASP_ERROR_MEMORY;
  scale_system(&system, D);
  ASP_TRY(solve_scaled(arena, &system, rank));
  for (size_t i = 0; i < size; i++)
    B[i] = system.X[i] * D[i % (size_t)n];
  return ASP_OK;
}
