/* Factoring one front: see front.h. */
#include "linalg/front.h"

#include <math.h>

/* Take d, from a row of size `row_size`, as pivot number `pivot` of the front; returns 1/d, or 0: set aside. */
static double accept_pivot(FrontPivots *p, int pivot, double d, double row_size) {
  int index = p->order[p->first_pivot + pivot];
  bool wrong_sign = p->sign && d * p->sign[p->first_pivot + pivot] < 0;
  if (!(fabs(d) > p->tolerance * row_size * p->size[p->first_pivot + pivot]) || !isfinite(d) || wrong_sign) {
    if (p->set_aside++ == 0 || index < p->first)
      p->first = index;
    return 0;
  }
  p->smallest = fmin(p->smallest, fabs(d));
  p->largest = fmax(p->largest, fabs(d));
  return 1 / d;
}

static double regularised(const FrontPivots *p, int pivot, double d) {
  return p->sign && p->sign[p->first_pivot + pivot] < 0 ? d - p->regularisation : d + p->regularisation;
}

/* ---- LDL^T ---- */

/* What the pivots of a front turned out to be; D on the diagonal of P. */
static void note_pivots(int width, const double *P, int ld, const double *inverse, FrontPivots *pivots) {
  for (int j = 0; j < width; j++) {
    double size = fabs(P[(size_t)j * (size_t)(ld + 1)]);
    int index = pivots->order[pivots->first_pivot + j];
    if (inverse[j] == 0 && (pivots->set_aside++ == 0 || index < pivots->first))
      pivots->first = index;
    if (inverse[j] == 0)
      continue;
    pivots->smallest = size < pivots->smallest ? size : pivots->smallest;
    pivots->largest = size > pivots->largest ? size : pivots->largest;
  }
}

static void regularise(int width, double *P, int ld, const FrontPivots *pivots) {
  for (int j = 0; j < width && pivots->regularisation > 0; j++) {
    double *d = P + (size_t)j * (size_t)ld + j;
    *d = regularised(pivots, j, *d);
  }
}

void asp_front_ldlt(const AspKernels *kernels, int width, int height, double *P, double *inverse, double *scratch,
                    FrontPivots *pivots) {
  int ld = asp_padded(height);
  regularise(width, P, ld, pivots);
  for (int b = 0; b < width; b += FRONT_BLOCK) {
    int n = width - b < FRONT_BLOCK ? width - b : FRONT_BLOCK, end = b + n, first = pivots->first_pivot + b;
    double *block = P + (size_t)b * (size_t)ld + b, *scaled = scratch + (size_t)b * (size_t)ld + b;
    kernels->ldlt(height - b, n, block, scaled, ld, pivots->least + first, pivots->sign ? pivots->sign + first : NULL,
                  inverse + b);
    if (end < width)
      kernels->minus_product(height - end, width - end, n, block + n, ld, scaled + n, 1, ld, true, true,
                             P + (size_t)end * (size_t)ld + end, ld);
  }
  note_pivots(width, P, ld, inverse, pivots);
}

void asp_front_schur_ldlt(const AspKernels *kernels, int width, int below, const double *P, const double *scratch,
                          double *C) {
  int ld = asp_padded(width + below);
  kernels->minus_product(below, below, width, P + width, ld, scratch + width, 1, ld, false, true, C,
                         asp_padded_from_0(below));
}

/* ---- LU ---- */

static void swap_rows(int columns, double *a, double *b, int ld) {
  for (int k = 0; k < columns; k++) {
    double t = a[(size_t)k * (size_t)ld];
    a[(size_t)k * (size_t)ld] = b[(size_t)k * (size_t)ld];
    b[(size_t)k * (size_t)ld] = t;
  }
}

/* Where things stand in a front that is factored as L U. */
typedef struct LuFront {
  int width, below, ld, ldu; /* leading dimensions of P and UT */
  double *P, *UT, *inverse;
  int *exchange;
} LuFront;

/* L U with row exchanges of the block of n pivots at place b of the front; whole rows of the diagonal block P11 and
 * columns of UT are exchanged. Rows compete by their entries relative to their sizes. */
static void lu_block(const LuFront *f, int b, int n, FrontPivots *pivots) {
  double *A = f->P + (size_t)b * (size_t)f->ld + b, size[FRONT_BLOCK];
  memcpy(size, pivots->size + pivots->first_pivot + b, (size_t)n * sizeof *size);
  for (int j = 0; j < n; j++) {
    double *column = A + (size_t)j * (size_t)f->ld;
    int p = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(column[i]) * size[p] > fabs(column[p]) * size[i])
        p = i;
    f->exchange[b + j] = b + p;
    double row_size = size[p];
    size[p] = size[j];
    if (p != j) {
      swap_rows(f->width, f->P + b + j, f->P + b + p, f->ld);
      swap_rows(f->below, f->UT + (size_t)(b + j) * (size_t)f->ldu, f->UT + (size_t)(b + p) * (size_t)f->ldu, 1);
    }
    double inverse = accept_pivot(pivots, b + j, column[j], row_size);
    f->inverse[b + j] = inverse;
    for (int i = j + 1; i < n; i++)
      column[i] *= inverse;
    for (int k = j + 1; k < n; k++) {
      double *target = A + (size_t)k * (size_t)f->ld, factor = target[j];
      for (int i = j + 1; i < n; i++)
        target[i] -= column[i] * factor;
    }
  }
}

/* A pivot set aside: its column of L and its row of U are zero. */
static void clear_set_aside(const LuFront *f, int b, int n) {
  for (int j = b; j < b + n; j++) {
    if (f->inverse[j] != 0)
      continue;
    double *column = f->P + (size_t)j * (size_t)f->ld;
    memset(column + j + 1, 0, (size_t)(f->width + f->below - j - 1) * sizeof *column);
    column[j] = 1;
    for (int k = j + 1; k < f->width; k++)
      f->P[(size_t)k * (size_t)f->ld + j] = 0;
    memset(f->UT + (size_t)j * (size_t)f->ldu, 0, (size_t)f->below * sizeof *f->UT);
  }
}

/* L below a factored block: rows times U^-1, with U = D times a unit triangle so that the kernel for L^-T serves. */
static void lu_rows(const AspKernels *kernels, const LuFront *f, int b, int n, double *scratch) {
  double *block = f->P + (size_t)b * (size_t)f->ld + b, unit[FRONT_BLOCK * FRONT_BLOCK];
  for (int p = 0; p < n; p++)
    for (int j = p + 1; j < n; j++)
      unit[j + p * FRONT_BLOCK] = block[p + (size_t)j * (size_t)f->ld] * f->inverse[b + p];
  kernels->solve_rows(f->width + f->below - b - n, n, block + n, f->ld, scratch, f->ld, unit, 1, FRONT_BLOCK,
                      f->inverse + b);
}

/* U to the right of a factored block, within the front's pivots: L^-1 times it, worked on as its transpose T. */
static void lu_columns(const AspKernels *kernels, const LuFront *f, int b, int n, int rest, double *T) {
  const double *block = f->P + (size_t)b * (size_t)f->ld + b;
  double *right = f->P + (size_t)(b + n) * (size_t)f->ld + b;
  int ldt = asp_padded(rest);
  for (int j = 0; j < rest; j++)
    for (int i = 0; i < n; i++)
      T[j + (size_t)i * (size_t)ldt] = right[i + (size_t)j * (size_t)f->ld];
  kernels->solve_rows(rest, n, T, ldt, T, ldt, block, 1, f->ld, NULL);
  for (int j = 0; j < rest; j++)
    for (int i = 0; i < n; i++)
      right[i + (size_t)j * (size_t)f->ld] = T[j + (size_t)i * (size_t)ldt];
}

void asp_front_lu(const AspKernels *kernels, int width, int below, double *P, double *inverse, int *exchange,
                  double *scratch, FrontPivots *pivots) {
  int height = width + below, ld = asp_padded(height), ldu = asp_padded_from_0(below);
  LuFront f = {.width = width,
               .below = below,
               .ld = ld,
               .ldu = ldu,
               .P = P,
               .UT = P + (size_t)ld * (size_t)width,
               .inverse = inverse,
               .exchange = exchange};
  double *T = scratch + (size_t)ld * FRONT_BLOCK;
  regularise(width, P, ld, pivots);
  for (int b = 0; b < width; b += FRONT_BLOCK) {
    int n = width - b < FRONT_BLOCK ? width - b : FRONT_BLOCK, end = b + n, rest = width - end;
    double *block = P + (size_t)b * (size_t)ld + b, *UT_b = f.UT + (size_t)b * (size_t)ldu;
    lu_block(&f, b, n, pivots);
    clear_set_aside(&f, b, n);
    lu_rows(kernels, &f, b, n, scratch);
    kernels->solve_rows(below, n, UT_b, ldu, UT_b, ldu, block, 1, ld, NULL);
    if (rest == 0)
      break;
    lu_columns(kernels, &f, b, n, rest, T);
    kernels->minus_product(height - end, rest, n, block + n, ld, T, 1, asp_padded(rest), true, false,
                           P + (size_t)end * (size_t)ld + end, ld);
    kernels->minus_product(below, rest, n, UT_b, ldu, block + n, 1, ld, true, false, f.UT + (size_t)end * (size_t)ldu,
                           ldu);
  }
}

void asp_front_schur_lu(const AspKernels *kernels, int width, int below, const double *P, double *C) {
  int ld = asp_padded(width + below), ldu = asp_padded_from_0(below);
  kernels->minus_product(below, below, width, P + width, ld, P + (size_t)ld * (size_t)width, 1, ldu, false, false, C,
                         ldu);
}
