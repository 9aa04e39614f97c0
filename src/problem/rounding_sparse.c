/* A lower bound on the eigenvalues of a sparse M, so that an error e of M x = b bounds that of x:
 *
 *   B = S (D M + M^T D)/2 S,   D = diag(sign M_kk),   S = diag of powers of two with B_kk from 1/2 to 2
 *   B - s I = L D L^T with pivots > 0   =>   x^T B x >= (s - c) x^T x   =>   ||S^-1 (x - x*)|| <= ||S e|| / (s - c)
 *
 * c = gamma_(n+3) / (1 - gamma_(n+3)) trace(B) plus the rounding of B itself bounds the backward error of a
 * factorisation that runs to its end (Rump, Verification of positive definiteness, BIT 46 (2006)); the order of the
 * eliminations does not matter. s is ROUNDING_SPARSE_SHIFT, which most M have, else 2 c. The symmetric part is enough,
 * since x^T D M x sees no other. D makes the quasi-definite M of beams definite.
 *
 * Before that, for a symmetric M whose diagonal is positive, the factors that the judge solves with:
 *
 *   M = L D L^T + E,   |S E S| <= c/2,   b >= ||(S L D L^T S)^-1||_inf   =>   x^T S M S x >= (1/b - c) x^T x
 *
 * b takes two triangular solves where a factorisation takes ten times that, and is as good but for a factor. It counts
 * where it proves as much as s. Depends on linalg.
 */
#include "problem/judge_state.h"

#include <math.h>
#include <stdint.h>

/* 2^-(n/2) with 2^(n-1) <= |entry| < 2^n, as frexp and ldexp give it, from the exponent's bits. */
static double inverse_root(double entry) {
  // exact: the bias of a double's exponent
  enum { bias = 1023 };
  uint64_t bits;
  memcpy(&bits, &entry, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7ff) - bias + 1;
  if (exponent == 1 - bias) // zero digits in front: too small to be read off
    frexp(entry, &exponent);
  bits = (uint64_t)(bias - exponent / 2) << 52;
  memcpy(&entry, &bits, sizeof bits);
  return entry;
}

/* D S, and the trace of B; false: M has a diagonal entry that is zero. */
static bool find_scale(const AspSparse *M, const int *diagonal, double *scale, double *trace) {
  *trace = 0;
  for (int j = 0; j < M->columns; j++) {
    double entry = diagonal[j] >= 0 ? M->value[diagonal[j]] : 0;
    if (entry == 0 || !isfinite(entry))
      return false;
    scale[j] = copysign(inverse_root(entry), entry);
    *trace += fabs(entry) * scale[j] * scale[j];
  }
  return true;
}

/* B - shift I of a symmetric M without negative diagonal entries: the entries of M are those of B. */
static AspError scale_shifted(AspArena *arena, const AspSparse *M, const double *scale, double shift, AspSparse *B) {
  *B = *M;
  B->value = ASP_TAKE_UNCLEARED(arena, double, asp_sparse_entries(M));
  if (!B->value)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < M->columns; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++)
      B->value[k] = scale[M->row[k]] * M->value[k] * fabs(scale[j]) - (M->row[k] == j ? shift : 0);
  return ASP_OK;
}

/* B - shift I from M and its transpose. */
static AspError make_shifted(AspArena *arena, const AspSparse *M, const double *scale, double shift, AspSparse *B) {
  int entries = asp_sparse_entries(M), count = 0;
  int *row = ASP_TAKE_UNCLEARED(arena, int, 2 * (size_t)entries + (size_t)M->columns);
  int *column = ASP_TAKE_UNCLEARED(arena, int, 2 * (size_t)entries + (size_t)M->columns);
  double *value = ASP_TAKE_UNCLEARED(arena, double, 2 * (size_t)entries + (size_t)M->columns);
  if (!row || !column || !value)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < M->columns; j++) {
    for (int k = M->start[j]; k < M->start[j + 1]; k++) {
      int i = M->row[k];
      double half = 0.5 * (scale[i] * M->value[k] * fabs(scale[j]));
      row[count] = i, column[count] = j, value[count++] = half;
      row[count] = j, column[count] = i, value[count++] = half;
    }
    row[count] = column[count] = j, value[count++] = -shift;
  }
  return asp_sparse_from_triplets(arena, M->rows, M->columns, count, row, column, value, B);
}

static int longest_column(const AspSparse *A) {
  int longest = 0;
  for (int j = 0; j < A->columns; j++)
    longest = A->start[j + 1] - A->start[j] > longest ? A->start[j + 1] - A->start[j] : longest;
  return longest;
}

static bool is_plain(const AspJudge *judge) {
  bool plain = judge->mass.core.is_symmetric;
  for (int j = 0; plain && j < judge->problem->M.columns; j++)
    plain = judge->rounding.scale[j] > 0;
  return plain;
}

/* Does B - shift I have a factorisation with positive pivots? */
static AspError is_positive(AspJudge *judge, double shift, bool *positive) {
  const AspSparse *M = &judge->problem->M;
  AspRounding *rounding = &judge->rounding;
  AspArenaMark mark = asp_arena_mark(&judge->arena);
  signed char *sign = ASP_TAKE_UNCLEARED(&judge->arena, signed char, M->columns);
  AspSparse B;
  AspFactorInfo info;
  if (!sign)
    return ASP_ERROR_MEMORY;
  memset(sign, 1, (size_t)M->columns);
  ASP_TRY((is_plain(judge) ? scale_shifted : make_shifted)(&judge->arena, M, rounding->scale, shift, &B));
  ASP_TRY(asp_factor_analyse(rounding->proof, ASP_FACTOR_LDLT, &B));
  ASP_TRY(asp_factor_compute(rounding->proof, &B, &(AspFactorOptions){.sign = sign}, &info));
  *positive = info.set_aside == 0;
  asp_arena_rewind(&judge->arena, mark);
  return ASP_OK;
}

/* The bound by the factors at hand; 0: none. */
static AspError bound_by_factors(AspJudge *judge, double c, double *least) {
  int n = judge->problem->M.columns;
  AspArenaMark mark = asp_arena_mark(&judge->arena);
  double *work = ASP_TAKE_UNCLEARED(&judge->arena, double, 2 * (size_t)n);
  if (!work)
    return ASP_ERROR_MEMORY;
  double inverse = asp_mass_core_inverse_bound(&judge->mass.core, judge->rounding.scale, work);
  *least = fmax(1 / (inverse * (1 + asp_roundings(5 * n + 7))) - c, 0);
  asp_arena_rewind(&judge->arena, mark);
  return ASP_OK;
}

AspError asp_rounding_sparse(AspJudge *judge) {
  AspRounding *rounding = &judge->rounding;
  const AspSparse *M = &judge->problem->M;
  double trace;
  bool positive = false;
  rounding->least = 0;
  rounding->scale = ASP_TAKE_UNCLEARED(&judge->arena, double, M->columns);
  if (!rounding->scale)
    return ASP_ERROR_MEMORY;
  if (!find_scale(M, judge->mass.core.diagonal, rounding->scale, &trace))
    return ASP_OK;
  double c = 2 * asp_roundings(M->columns + 3) * trace + 4 * ASP_UNIT_ROUNDOFF * longest_column(M);
  if (is_plain(judge))
    ASP_TRY(bound_by_factors(judge, c, &rounding->least));
  if (rounding->least >= ROUNDING_SPARSE_SHIFT)
    return ASP_OK;
  rounding->least = 0;
  if (!rounding->proof)
    ASP_TRY(asp_factor_create(judge->context, &rounding->proof));
  const double shifts[2] = {fmax(ROUNDING_SPARSE_SHIFT, 2 * c), 2 * c};
  for (int i = 0; i < 2 && !positive && shifts[i] < 1; i++) {
    ASP_TRY(is_positive(judge, shifts[i], &positive));
    rounding->least = positive ? shifts[i] - c : 0;
  }
  return ASP_OK;
}

static void symmetric_error(const AspJudge *judge, const double *b, const double *x, double *rest, double *e) {
  const AspSparse *M = &judge->problem->M;
  for (int k = 0; k < M->columns; k++) {
    double size;
    int terms;
    asp_mass_core_row(&judge->mass.core, M, k, b, x, &rest[k], &size, &terms);
    e[k] += fabs(rest[k]) + asp_roundings(terms) * size;
  }
}

void asp_rounding_sparse_error(AspJudge *judge, const double *b, const double *x, double *e) {
  const AspSparse *M = &judge->problem->M;
  AspRounding *rounding = &judge->rounding;
  if (judge->mass.core.is_symmetric) {
    symmetric_error(judge, b, x, rounding->away, e);
    return;
  }
  for (int k = 0; k < M->columns; k++) {
    rounding->away[k] = b[k]; // b - M x
    rounding->size[k] = fabs(b[k]);
    rounding->terms[k] = 1;
  }
  for (int j = 0; j < M->columns; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++) {
      double product = M->value[k] * x[j];
      rounding->away[M->row[k]] -= product;
      rounding->size[M->row[k]] += fabs(product);
      rounding->terms[M->row[k]]++;
    }
  for (int k = 0; k < M->columns; k++)
    e[k] += fabs(rounding->away[k]) + asp_roundings(rounding->terms[k]) * rounding->size[k];
}
