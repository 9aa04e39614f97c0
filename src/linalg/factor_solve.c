/* Solves with the fronts: forward (children first) y := L^-1 y, backward y := D^-1 L^-T y or U^-1 y. In each front the
 * right-hand side is gathered into one vector, own pivots first and the rows below after them. */
#include "linalg/factor_internal.h"

/* x := L^-1 x of a diagonal block, L unit lower */
static void block_forward(int n, const double *restrict L, int ld, double *restrict x) {
  for (int j = 0; j < n; j++, L += ld) {
    double t = x[j];
    for (int i = j + 1; i < n; i++)
      x[i] -= L[i] * t;
  }
}

/* x := L^-T x */
static void block_backward(int n, const double *restrict L, int ld, double *restrict x) {
  for (int j = n - 2; j >= 0; j--) {
    const double *column = L + (size_t)j * (size_t)ld;
    double t = x[j];
    for (int i = j + 1; i < n; i++)
      t -= column[i] * x[i];
    x[j] = t;
  }
}

/* x := U^-1 x */
static void block_upper(int n, const double *restrict U, int ld, const double *restrict inverse, double *restrict x) {
  for (int j = n - 1; j >= 0; j--) {
    const double *column = U + (size_t)j * (size_t)ld;
    double t = x[j] * inverse[j];
    x[j] = t;
    for (int i = 0; i < j; i++)
      x[i] -= column[i] * t;
  }
}

/* A front and the right-hand sides that pass through it: y has leading dimension ld and `columns` columns. */
typedef struct Pass {
  const AspFactor *f;
  const Front *front;
  int columns, width, below, height, ld;
  const double *P, *inverse;
  double *x; /* all, n x columns */
  double *y; /* the front's part */
} Pass;

static Pass pass_of(const AspFactor *f, int s, int columns) {
  const Front *front = &f->front[s];
  int height = front->width + front->below;
  return (Pass){.f = f,
                .front = front,
                .columns = columns,
                .width = front->width,
                .below = front->below,
                .height = height,
                .ld = asp_padded(height),
                .P = f->value + front->values,
                .inverse = f->inverse_pivot + front->first,
                .x = f->solve_x,
                .y = f->solve_front};
}

/* Own part of the right-hand sides into y, zeros below; false when all of it is zero: nothing to pass on. */
static bool gather_forward(const Pass *p) {
  bool any = false;
  for (int c = 0; c < p->columns; c++) {
    double *own = p->x + (size_t)c * (size_t)p->f->n + p->front->first, *y = p->y + (size_t)c * (size_t)p->ld;
    const int *exchange = p->f->exchange + p->front->first;
    for (int i = 0; p->f->kind == ASP_FACTOR_LU && i < p->width; i++) {
      double t = own[i];
      own[i] = own[exchange[i]];
      own[exchange[i]] = t;
    }
    for (int i = 0; i < p->width; i++) {
      y[i] = own[i];
      any = any || own[i] != 0;
    }
    memset(y + p->width, 0, (size_t)(p->below + ASP_PAD) * sizeof *y);
  }
  return any;
}

static void forward(const Pass *p) {
  if (!gather_forward(p))
    return;
  for (int b = 0; b < p->width; b += FRONT_BLOCK) {
    int n = p->width - b < FRONT_BLOCK ? p->width - b : FRONT_BLOCK, end = b + n;
    const double *block = p->P + (size_t)b * (size_t)p->ld + b;
    for (int c = 0; c < p->columns; c++) {
      double *y = p->y + (size_t)c * (size_t)p->ld + b;
      block_forward(n, block, p->ld, y);
      for (int i = 0; i < n; i++) // unknowns set aside stay out
        if (p->inverse[b + i] == 0)
          y[i] = 0;
    }
    p->f->kernels->minus_product(p->height - end, p->columns, n, block + n, p->ld, p->y + b, p->ld, 1, true, false,
                                 p->y + end, p->ld);
  }
  const int *row = p->f->row + p->front->rows;
  for (int c = 0; c < p->columns; c++) {
    double *x = p->x + (size_t)c * (size_t)p->f->n, *y = p->y + (size_t)c * (size_t)p->ld;
    memcpy(x + p->front->first, y, (size_t)p->width * sizeof *y);
    for (int i = 0; i < p->below; i++)
      x[row[i]] += y[p->width + i];
  }
}

/* Block b of the front's U: y_b := U_bb^-1 (y_b - U_b,rest y_rest), rest within the front's pivots and below. */
static void backward_lu(const Pass *p, int b, int n, double *y) {
  const double *block = p->P + (size_t)b * (size_t)p->ld + b;
  int ldu = asp_padded_from_0(p->below), rest = p->width - b - n;
  const double *UT = p->P + (size_t)p->ld * (size_t)p->width + (size_t)b * (size_t)ldu;
  double product[FRONT_BLOCK + ASP_PAD];
  p->f->kernels->minus_transposed(p->below, n, UT, ldu, y + p->width, y + b);
  p->f->kernels->minus_product(n, 1, rest, block + (size_t)n * (size_t)p->ld, p->ld, y + b + n, 1, 1, false, false,
                               product, FRONT_BLOCK + ASP_PAD);
  for (int i = 0; i < n; i++)
    y[b + i] += product[i];
  block_upper(n, block, p->ld, p->inverse + b, y + b);
}

static void backward(const Pass *p, int c) {
  double *x = p->x + (size_t)c * (size_t)p->f->n, *y = p->y, *own = x + p->front->first;
  const int *row = p->f->row + p->front->rows;
  bool lu = p->f->kind == ASP_FACTOR_LU;
  for (int i = 0; i < p->width; i++)
    y[i] = lu ? own[i] : own[i] * p->inverse[i];
  for (int i = 0; i < p->below; i++)
    y[p->width + i] = x[row[i]];
  memset(y + p->height, 0, ASP_PAD * sizeof *y);
  for (int b = (p->width - 1) / FRONT_BLOCK * FRONT_BLOCK; b >= 0; b -= FRONT_BLOCK) {
    int n = p->width - b < FRONT_BLOCK ? p->width - b : FRONT_BLOCK, end = b + n;
    const double *block = p->P + (size_t)b * (size_t)p->ld + b;
    if (lu) {
      backward_lu(p, b, n, y);
    } else {
      p->f->kernels->minus_transposed(p->height - end, n, block + n, p->ld, y + end, y + b);
      block_backward(n, block, p->ld, y + b);
    }
  }
  memcpy(own, y, (size_t)p->width * sizeof *y);
}

AspError asp_factor_solve(AspFactor *f, int columns, double *X, int ldx) {
  if (!f->computed)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "solve before a factorisation was computed");
  for (int first = 0; first < columns; first += FACTOR_SOLVE_COLUMNS) {
    int count = columns - first < FACTOR_SOLVE_COLUMNS ? columns - first : FACTOR_SOLVE_COLUMNS;
    for (int c = 0; c < count; c++)
      for (int i = 0; i < f->n; i++)
        f->solve_x[i + (size_t)c * (size_t)f->n] = X[(size_t)f->order[i] + (size_t)(first + c) * (size_t)ldx];
    for (int s = 0; s < f->fronts; s++) {
      Pass pass = pass_of(f, s, count);
      forward(&pass);
    }
    for (int s = f->fronts - 1; s >= 0; s--) {
      Pass pass = pass_of(f, s, count);
      for (int c = 0; c < count; c++)
        backward(&pass, c);
    }
    for (int c = 0; c < count; c++)
      for (int i = 0; i < f->n; i++)
        X[(size_t)f->order[i] + (size_t)(first + c) * (size_t)ldx] = f->solve_x[i + (size_t)c * (size_t)f->n];
  }
  return ASP_OK;
}

AspError asp_factor_squares(AspFactor *f, const AspSparse *H, double *square) {
  if (!f->computed || f->kind != ASP_FACTOR_LDLT || H->rows != f->n)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "squares need a symmetric factorisation of size %d", H->rows);
  for (int first = 0; first < H->columns; first += FACTOR_SOLVE_COLUMNS) {
    int count = H->columns - first < FACTOR_SOLVE_COLUMNS ? H->columns - first : FACTOR_SOLVE_COLUMNS;
    memset(f->solve_x, 0, (size_t)f->n * (size_t)count * sizeof *f->solve_x);
    for (int c = 0; c < count; c++)
      for (int k = H->start[first + c]; k < H->start[first + c + 1]; k++)
        f->solve_x[f->inverse[H->row[k]] + (size_t)c * (size_t)f->n] = H->value[k];
    for (int s = 0; s < f->fronts; s++) {
      Pass pass = pass_of(f, s, count);
      forward(&pass);
    }
    for (int c = 0; c < count; c++) {
      const double *y = f->solve_x + (size_t)c * (size_t)f->n;
      square[first + c] = 0;
      for (int i = 0; i < f->n; i++)
        square[first + c] += y[i] * y[i] * f->inverse_pivot[i];
    }
  }
  return ASP_OK;
}
