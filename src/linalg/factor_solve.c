/* Solves with the fronts: forward (children first) x := L^-1 x, backward x := D^-1 L^-T x or U^-1 x. Right-hand sides
 * are gathered into pivot order, one after the other in blocks. */
#include "linalg/factor_internal.h"

#include <cblas.h>

typedef struct Panel {
  const double *P, *L, *UT; /* diagonal block, rows below, transposed rows of U (or L again) */
  int width, below, height, columns;
  const int *row;
  double *x; /* the front's own part, leading dimension n */
  double *X; /* all, leading dimension n */
  double *t; /* below x columns */
  int n;
} Panel;

static void gather(const Panel *p) {
  for (int c = 0; c < p->columns; c++)
    for (int i = 0; i < p->below; i++)
      p->t[i + (size_t)c * (size_t)p->below] = p->X[(size_t)c * (size_t)p->n + (size_t)p->row[i]];
}

static void scatter_add(const Panel *p) {
  for (int c = 0; c < p->columns; c++)
    for (int i = 0; i < p->below; i++)
      p->X[(size_t)c * (size_t)p->n + (size_t)p->row[i]] += p->t[i + (size_t)c * (size_t)p->below];
}

/* t = - L x */
static void times_below(const Panel *p) {
  if (p->columns == 1)
    cblas_dgemv(CblasColMajor, CblasNoTrans, p->below, p->width, -1, p->L, p->height, p->x, 1, 0, p->t, 1);
  else
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, p->below, p->columns, p->width, -1, p->L, p->height, p->x,
                p->n, 0, p->t, p->below);
}

/* x -= B^T t, B being L or UT */
static void minus_transposed(const Panel *p, const double *B, int ld) {
  if (p->columns == 1)
    cblas_dgemv(CblasColMajor, CblasTrans, p->below, p->width, -1, B, ld, p->t, 1, 1, p->x, 1);
  else
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, p->width, p->columns, p->below, -1, B, ld, p->t, p->below, 1,
                p->x, p->n);
}

static void triangle(const Panel *p, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose, CBLAS_DIAG diagonal) {
  if (p->columns == 1)
    cblas_dtrsv(CblasColMajor, uplo, transpose, diagonal, p->width, p->P, p->height, p->x, 1);
  else
    cblas_dtrsm(CblasColMajor, CblasLeft, uplo, transpose, diagonal, p->width, p->columns, 1, p->P, p->height, p->x,
                p->n);
}

static Panel panel_of(const AspFactor *f, int s, int columns, double *X) {
  const Front *front = &f->front[s];
  int height = front->width + front->below;
  const double *P = f->value + front->values;
  return (Panel){.P = P,
                 .L = P + front->width,
                 .UT = P + (size_t)height * (size_t)front->width,
                 .width = front->width,
                 .below = front->below,
                 .height = height,
                 .columns = columns,
                 .row = f->row + front->rows,
                 .x = X + front->first,
                 .X = X,
                 .t = f->solve_below,
                 .n = f->n};
}

static void forward(const AspFactor *f, int s, int columns, double *X) {
  Panel p = panel_of(f, s, columns, X);
  if (f->kind == ASP_FACTOR_LU)
    for (int c = 0; c < columns; c++)
      for (int i = 0; i < p.width; i++) {
        double *x = p.x + (size_t)c * (size_t)p.n, t = x[i];
        x[i] = x[f->exchange[f->front[s].first + i]];
        x[f->exchange[f->front[s].first + i]] = t;
      }
  triangle(&p, CblasLower, CblasNoTrans, CblasUnit);
  // unknowns set aside stay out
  for (int i = 0; i < p.width; i++)
    if (f->inverse_pivot[f->front[s].first + i] == 0)
      for (int c = 0; c < columns; c++)
        p.x[i + (size_t)c * (size_t)p.n] = 0;
  if (p.below > 0) {
    times_below(&p);
    scatter_add(&p);
  }
}

static void backward(const AspFactor *f, int s, int columns, double *X) {
  Panel p = panel_of(f, s, columns, X);
  if (f->kind == ASP_FACTOR_LDLT)
    for (int c = 0; c < columns; c++)
      for (int i = 0; i < p.width; i++)
        p.x[i + (size_t)c * (size_t)p.n] *= f->inverse_pivot[f->front[s].first + i];
  if (p.below > 0) {
    gather(&p);
    if (f->kind == ASP_FACTOR_LDLT)
      minus_transposed(&p, p.L, p.height);
    else
      minus_transposed(&p, p.UT, p.below);
  }
  if (f->kind == ASP_FACTOR_LDLT)
    triangle(&p, CblasLower, CblasTrans, CblasUnit);
  else
    triangle(&p, CblasUpper, CblasNoTrans, CblasNonUnit);
}

AspError asp_factor_solve(AspFactor *f, int columns, double *X, int ldx) {
  if (!f->computed)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "solve before a factorisation was computed");
  for (int first = 0; first < columns; first += FACTOR_SOLVE_BLOCK) {
    int count = columns - first < FACTOR_SOLVE_BLOCK ? columns - first : FACTOR_SOLVE_BLOCK;
    double *part = X + (size_t)first * (size_t)ldx, *Y = f->solve_X;
    size_t n = (size_t)f->n;
    for (int c = 0; c < count; c++)
      for (size_t i = 0; i < n; i++)
        Y[i + (size_t)c * n] = part[(size_t)f->order[i] + (size_t)c * (size_t)ldx];
    for (int s = 0; s < f->fronts; s++)
      forward(f, s, count, Y);
    for (int s = f->fronts - 1; s >= 0; s--)
      backward(f, s, count, Y);
    for (int c = 0; c < count; c++)
      for (size_t i = 0; i < n; i++)
        part[(size_t)f->order[i] + (size_t)c * (size_t)ldx] = Y[i + (size_t)c * n];
  }
  return ASP_OK;
}
