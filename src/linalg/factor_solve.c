/* Solves with the fronts: forward (children first) y := L^-1 y, backward y := D^-1 L^-T y or U^-1 y. In each front the
 * right-hand side is gathered into one vector, own pivots first and the rows below after them. */
#include "linalg/factor_internal.h"

#include <math.h>

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
  int first, columns; /* of the right-hand sides, those that pass */
  int width, below, height, ld;
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

/* Right-hand side c of those that pass; its part of the front. */
static double *whole_side(const Pass *p, int c) { return p->x + (size_t)(p->first + c) * (size_t)p->f->n; }
static double *own_part(const Pass *p, int c) { return whole_side(p, c) + p->front->first; }

/* Row exchanges of the front; right-hand sides before the first and after the last whose part is not zero do not pass.
 * False: none does. */
static bool prepare(Pass *p) {
  const int *exchange = p->f->exchange + p->front->first;
  int low = p->columns, high = -1;
  for (int c = 0; c < p->columns; c++) {
    double *own = own_part(p, c);
    bool any = false;
    for (int i = 0; i < p->width; i++)
      any = any || own[i] != 0;
    low = any && c < low ? c : low;
    high = any ? c : high;
    for (int i = 0; p->f->kind == ASP_FACTOR_LU && any && i < p->width; i++) {
      double t = own[i];
      own[i] = own[exchange[i]];
      own[exchange[i]] = t;
    }
  }
  p->first += low;
  p->columns = high - low + 1;
  return high >= low;
}

/* Block b of the pivots: y := L_bb^-1 y; unknowns set aside stay out. */
static void forward_block(const Pass *p, int b, int n, double *y) {
  block_forward(n, p->P + (size_t)b * (size_t)p->ld + b, p->ld, y);
  for (int i = 0; i < n; i++)
    if (p->inverse[b + i] == 0)
      y[i] = 0;
}

/* Several blocks of pivots: own part and rows below in one vector y, one block after the other. */
static void forward_blocks(const Pass *p) {
  for (int c = 0; c < p->columns; c++) {
    double *y = p->y + (size_t)c * (size_t)p->ld;
    memcpy(y, own_part(p, c), (size_t)p->width * sizeof *y);
    memset(y + p->width, 0, (size_t)(p->below + ASP_PAD) * sizeof *y);
  }
  for (int b = 0; b < p->width; b += FRONT_BLOCK) {
    int n = p->width - b < FRONT_BLOCK ? p->width - b : FRONT_BLOCK, end = b + n;
    for (int c = 0; c < p->columns; c++)
      forward_block(p, b, n, p->y + (size_t)c * (size_t)p->ld + b);
    p->f->kernels->minus_product(p->height - end, p->columns, n, p->P + (size_t)b * (size_t)p->ld + end, p->ld,
                                 p->y + b, p->ld, 1, true, false, p->y + end, p->ld);
  }
  for (int c = 0; c < p->columns; c++)
    memcpy(own_part(p, c), p->y + (size_t)c * (size_t)p->ld, (size_t)p->width * sizeof *p->y);
}

static void forward(Pass *p) {
  if (!prepare(p))
    return;
  double *below = p->y + p->width; // what the front adds to its rows
  if (p->width <= FRONT_BLOCK) {
    for (int c = 0; c < p->columns; c++)
      forward_block(p, 0, p->width, own_part(p, c));
    p->f->kernels->minus_product(p->below, p->columns, p->width, p->P + p->width, p->ld, own_part(p, 0), p->f->n, 1,
                                 false, false, below, p->ld);
  } else {
    forward_blocks(p);
  }
  const int *row = p->f->row + p->front->rows;
  for (int c = 0; c < p->columns; c++) {
    double *x = whole_side(p, c), *y = below + (size_t)c * (size_t)p->ld;
    for (int i = 0; i < p->below; i++)
      x[row[i]] += y[i];
  }
}

/* Block b of the front's U: y_b := U_bb^-1 (y_b - U_b,rest y_rest), rest being the front's later pivots, which follow
 * y_b, and the rows below. */
static void backward_lu(const Pass *p, int b, int n, const double *below, double *y) {
  const double *block = p->P + (size_t)b * (size_t)p->ld + b;
  int ldu = asp_padded_from_0(p->below), rest = p->width - b - n;
  const double *UT = p->P + (size_t)p->ld * (size_t)p->width + (size_t)b * (size_t)ldu;
  p->f->kernels->minus_transposed(p->below, n, UT, ldu, below, y);
  if (rest > 0) {
    double product[FRONT_BLOCK + ASP_PAD];
    p->f->kernels->minus_product(n, 1, rest, block + (size_t)n * (size_t)p->ld, p->ld, y + n, 1, 1, false, false,
                                 product, FRONT_BLOCK + ASP_PAD);
    for (int i = 0; i < n; i++)
      y[i] += product[i];
  }
  block_upper(n, block, p->ld, p->inverse + b, y);
}

/* Block b of the front's L^T: y_b := L_bb^-T (y_b - L_rest,b^T y_rest), rest: `below` alone, or all
 * that follows y_b. */
static void backward_ldlt(const Pass *p, int b, int n, const double *rest, double *y) {
  const double *block = p->P + (size_t)b * (size_t)p->ld + b;
  p->f->kernels->minus_transposed(p->height - b - n, n, block + n, p->ld, rest, y);
  block_backward(n, block, p->ld, y);
}

static void backward(const Pass *p, int c) {
  double *own = own_part(p, c), *x = whole_side(p, c), *y = p->y, *below = y + p->width;
  const int *row = p->f->row + p->front->rows;
  bool lu = p->f->kind == ASP_FACTOR_LU;
  for (int i = 0; !lu && i < p->width; i++)
    own[i] *= p->inverse[i];
  for (int i = 0; i < p->below; i++)
    below[i] = x[row[i]];
  for (int i = 0; i < ASP_PAD; i++)
    below[p->below + i] = 0;
  if (p->width <= FRONT_BLOCK) {
    lu ? backward_lu(p, 0, p->width, below, own) : backward_ldlt(p, 0, p->width, below, own);
    return;
  }
  memcpy(y, own, (size_t)p->width * sizeof *y);
  for (int b = (p->width - 1) / FRONT_BLOCK * FRONT_BLOCK; b >= 0; b -= FRONT_BLOCK) {
    int n = p->width - b < FRONT_BLOCK ? p->width - b : FRONT_BLOCK;
    lu ? backward_lu(p, b, n, below, y + b) : backward_ldlt(p, b, n, y + b + n, y + b);
  }
  memcpy(own, y, (size_t)p->width * sizeof *y);
}

/* One right-hand side x in pivot order, LDLT: forward through the fronts, children first. */
static void forward_one(const AspFactor *f, double *x) {
  double *y = f->solve_front;
  for (int s = 0; s < f->fronts; s++) {
    const Front *front = &f->front[s];
    int width = front->width, height = width + front->below;
    double *own = x + front->first;
    bool any = false;
    for (int i = 0; i < width; i++) {
      any = any || own[i] != 0;
      y[i] = own[i];
    }
    if (!any)
      continue;
    memset(y + width, 0, (size_t)(front->below + ASP_PAD) * sizeof *y);
    f->kernels->forward(height, width, f->value + front->values, asp_padded(height), f->inverse_pivot + front->first,
                        y);
    memcpy(own, y, (size_t)width * sizeof *y);
    const int *row = f->row + front->rows;
    for (int i = width; i < height; i++)
      x[row[i - width]] += y[i];
  }
}

/* And back, from the parents. */
static void backward_one(const AspFactor *f, double *x) {
  double *y = f->solve_front;
  for (int s = f->fronts - 1; s >= 0; s--) {
    const Front *front = &f->front[s];
    int width = front->width, height = width + front->below, *row = f->row + front->rows;
    const double *inverse = f->inverse_pivot + front->first;
    double *own = x + front->first;
    for (int i = 0; i < width; i++)
      y[i] = own[i] * inverse[i];
    for (int i = width; i < height; i++)
      y[i] = x[row[i - width]];
    memset(y + height, 0, ASP_PAD * sizeof *y);
    f->kernels->backward(height, width, f->value + front->values, asp_padded(height), y);
    memcpy(own, y, (size_t)width * sizeof *y);
  }
}

static void solve_one(AspFactor *f, double *X) {
  double *x = f->solve_x;
  for (int i = 0; i < f->n; i++)
    x[i] = X[f->order[i]];
  forward_one(f, x);
  backward_one(f, x);
  for (int i = 0; i < f->n; i++)
    X[f->order[i]] = x[i];
}

AspError asp_factor_solve(AspFactor *f, int columns, double *X, int ldx) {
  if (!f->computed)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "solve before a factorisation was computed");
  if (columns == 1 && f->kind == ASP_FACTOR_LDLT) {
    solve_one(f, X);
    return ASP_OK;
  }
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

/* |L^-1| is at most the inverse of the matrix with 1 on the diagonal and -|L| below it (Higham 2002, section 8.2), and
 * solves with that add up positive terms only. */
double asp_factor_inverse_bound(const AspFactor *f, const double *scale, double *y) {
  double most = 0;
  for (int i = 0; i < f->n; i++) {
    if (!(f->inverse_pivot[i] > 0))
      return INFINITY;
    y[i] = 1 / scale[f->order[i]];
  }
  for (int s = 0; s < f->fronts; s++) {
    const Front *front = &f->front[s];
    int width = front->width, ld = asp_padded(width + front->below), *row = f->row + front->rows;
    double *own = y + front->first;
    const double *L = f->value + front->values;
    for (int j = 0; j < width; j++, L += ld) {
      for (int i = j + 1; i < width; i++)
        own[i] += fabs(L[i]) * own[j];
      for (int i = 0; i < front->below; i++)
        y[row[i]] += fabs(L[width + i]) * own[j];
    }
  }
  for (int i = 0; i < f->n; i++)
    y[i] *= f->inverse_pivot[i];
  for (int s = f->fronts - 1; s >= 0; s--) {
    const Front *front = &f->front[s];
    int width = front->width, ld = asp_padded(width + front->below), *row = f->row + front->rows;
    double *own = y + front->first;
    for (int j = width - 1; j >= 0; j--) {
      const double *L = f->value + front->values + (size_t)j * (size_t)ld;
      for (int i = j + 1; i < width; i++)
        own[j] += fabs(L[i]) * own[i];
      for (int i = 0; i < front->below; i++)
        own[j] += fabs(L[width + i]) * y[row[i]];
    }
  }
  for (int i = 0; i < f->n; i++) {
    double sum = y[i] / scale[f->order[i]];
    most = sum > most || isnan(sum) ? sum : most;
  }
  return most;
}

bool asp_factor_is_set_aside(const AspFactor *f, int index) { return f->inverse_pivot[f->inverse[index]] == 0; }
