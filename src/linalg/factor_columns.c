/* Products C^T A^-1 C with columns C of few entries, A = L D L^T:  Y = L^-1 C,  C^T A^-1 C = Y^T D^-1 Y.
 *
 * Columns pass only the fronts that they reach: those of their entries and all above them. Several columns go together,
 * as rows of a panel, so that the kernels work on all of them at once: entry c of column c's Y at pivot i stands at
 * Y[i ld + c]. */
#include "linalg/factor_internal.h"

typedef struct Panel {
  AspFactor *f;
  int first, count, ld; /* columns that pass: from `first` on, `count` of them */
  double *Y;            /* n x ld */
  double *below;        /* tallest x ld: what a front leaves to its rows below */
} Panel;

/* Column `column` of H as column c of the panel. Fronts that it reaches first are cleared. */
static void enter(const Panel *p, const AspSparse *H, const int *index, int column, int c) {
  AspFactor *f = p->f;
  size_t ld = (size_t)p->ld;
  for (int k = H->start[column]; k < H->start[column + 1]; k++) {
    int i = index[H->row[k]], pivot = i < 0 ? -1 : f->inverse[i];
    if (i < 0)
      continue;
    for (int s = f->front_of[pivot]; s >= 0 && !f->reached[s]; s = f->front[s].parent) {
      f->reached[s] = true;
      memset(p->Y + (size_t)f->front[s].first * ld, 0, (size_t)f->front[s].width * ld * sizeof *p->Y);
    }
    p->Y[(size_t)pivot * ld + (size_t)c] = H->value[k];
  }
}

/* Y := L^-1 Y of the front's pivots, and what they leave to the rows below. */
static void pass(const Panel *p, const Front *front) {
  const AspFactor *f = p->f;
  size_t ld = (size_t)p->ld, height = (size_t)asp_padded(front->width + front->below);
  const double *P = f->value + front->values, *inverse = f->inverse_pivot + front->first;
  double *Y = p->Y + p->first, *own = Y + (size_t)front->first * ld;
  for (int b = 0; b < front->width; b += FRONT_BLOCK) {
    int n = front->width - b < FRONT_BLOCK ? front->width - b : FRONT_BLOCK, end = b + n;
    const double *block = P + (size_t)b * height;
    double *y = own + (size_t)b * ld;
    f->kernels->solve_rows(p->count, n, y, p->ld, y, p->ld, block + b, 1, (int)height, NULL);
    for (int i = 0; i < n; i++)
      if (inverse[b + i] == 0) // set aside
        memset(y + (size_t)i * ld, 0, (size_t)p->count * sizeof *y);
    if (end < front->width)
      f->kernels->minus_product(p->count, front->width - end, n, y, p->ld, block + end, 1, (int)height, true, false,
                                own + (size_t)end * ld, p->ld);
  }
  if (front->below == 0)
    return;
  f->kernels->minus_product(p->count, front->below, front->width, own, p->ld, P + front->width, 1, (int)height, false,
                            false, p->below, p->ld);
  const int *row = f->row + front->rows;
  for (int i = 0; i < front->below; i++) {
    double *to = Y + (size_t)row[i] * ld;
    const double *from = p->below + (size_t)i * ld;
    for (int c = 0; c < p->count; c++)
      to[c] += from[c];
  }
}

/* The front that column j of H reaches first, by its entries with an index; roots do not count, as they may stand
 * alone. */
static int first_front(const AspFactor *f, const AspSparse *H, const int *index, int j) {
  int first = f->fronts - 1;
  for (int k = H->start[j]; k < H->start[j + 1]; k++) {
    int i = index ? index[H->row[k]] : H->row[k], front = i < 0 ? first : f->front_of[f->inverse[i]];
    first = front < first && f->front[front].parent >= 0 ? front : first;
  }
  return first;
}

/* The columns of the list, `count` columns of H, by the first front that they reach: those that go together then share
 * their fronts. */
static AspError sort_columns(const AspFactor *f, AspArena *arena, const AspSparse *H, const int *index, int count,
                             const int *column, int **order) {
  int *first = ASP_TAKE_UNCLEARED(arena, int, count), *next = ASP_TAKE(arena, int, f->fronts + 1);
  *order = ASP_TAKE_UNCLEARED(arena, int, count);
  if (!first || !next || !*order)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < count; c++) {
    first[c] = first_front(f, H, index, column[c]);
    next[first[c] + 1]++;
  }
  for (int s = 0; s < f->fronts; s++)
    next[s + 1] += next[s];
  for (int c = 0; c < count; c++)
    (*order)[next[first[c]]++] = c;
  return ASP_OK;
}

AspError asp_factor_squares(AspFactor *f, const AspSparse *H, const int *index, int count, const int *column,
                            double *square) {
  if (!f->computed || f->kind != ASP_FACTOR_LDLT)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "squares need a symmetric factorisation");
  int *order;
  asp_arena_reset(&f->scratch);
  ASP_TRY(sort_columns(f, &f->scratch, H, index, count, column, &order));
  Panel p = {.f = f, .ld = FACTOR_PANEL, .Y = f->solve_x, .below = f->solve_front};
  for (int first = 0; first < count; first += FACTOR_PANEL) {
    double sum[FACTOR_PANEL] = {0};
    p.count = count - first < FACTOR_PANEL ? count - first : FACTOR_PANEL;
    for (int c = 0; c < p.count; c++)
      enter(&p, H, index, column[order[first + c]], c);
    for (int s = 0; s < f->fronts; s++) {
      const Front *front = &f->front[s];
      if (!f->reached[s])
        continue;
      f->reached[s] = false;
      pass(&p, front);
      f->kernels->add_squares(p.count, front->width, p.Y + (size_t)front->first * FACTOR_PANEL, FACTOR_PANEL,
                              f->inverse_pivot + front->first, sum);
    }
    for (int c = 0; c < p.count; c++)
      square[column[order[first + c]]] = sum[c];
  }
  return ASP_OK;
}

/* The columns of a panel that reach each front, from..end - 1; none: end = 0. */
typedef struct Reach {
  int from, end;
} Reach;

/* Where column c, which comes after the others, reaches. */
static void mark_reach(const AspFactor *f, const AspSparse *H, int column, int c, Reach *reach) {
  int last = -1;
  for (int k = H->start[column]; k < H->start[column + 1]; k++) {
    int front = f->front_of[f->inverse[H->row[k]]];
    for (int s = front; front != last && s >= 0 && reach[s].end <= c; s = f->front[s].parent) {
      reach[s].from = reach[s].end > 0 ? reach[s].from : c;
      reach[s].end = c + 1;
    }
    last = front;
  }
}

/* So many columns from `from` on pass, for whole vectors: those beyond `end` do not reach the front, and are zero. */
static int padded_reach(const Reach *reach) { return asp_padded_from_0(reach->end - reach->from); }

/* The columns of H in this order, at the fronts that they reach. */
static void enter_all(const Panel *p, const AspSparse *H, const int *column, const int *order, const Reach *reach) {
  const AspFactor *f = p->f;
  size_t ld = (size_t)p->ld;
  for (int s = 0; s < f->fronts; s++)
    for (int i = 0; i < f->front[s].width && reach[s].end > 0; i++) {
      double *row = p->Y + (size_t)(f->front[s].first + i) * ld;
      memset(row + reach[s].from, 0, (size_t)padded_reach(&reach[s]) * sizeof *row);
    }
  for (int c = 0; c < p->count; c++) {
    int j = column[order[c]];
    for (int k = H->start[j]; k < H->start[j + 1]; k++)
      p->Y[(size_t)f->inverse[H->row[k]] * ld + (size_t)c] = H->value[k];
  }
}

/* C := C + Y^T D^-1 Y of the front's pivots, for the columns that pass; below the diagonal. */
static void add_products(const Panel *p, const Front *front, double *C) {
  const AspFactor *f = p->f;
  size_t ld = (size_t)p->ld, first = (size_t)p->first;
  const double *Y = p->Y + (size_t)front->first * ld + first;
  for (int i = 0; i < front->width; i++) {
    double inverse = f->inverse_pivot[front->first + i], *minus = p->below + (size_t)i * ld;
    for (int c = 0; c < p->count; c++)
      minus[c] = -Y[(size_t)i * ld + (size_t)c] * inverse;
  }
  f->kernels->minus_product(p->count, p->count, front->width, Y, p->ld, p->below, 1, p->ld, true, true,
                            C + first * ld + first, p->ld);
}

AspError asp_factor_gram(AspFactor *f, AspArena *arena, const AspSparse *H, int count, const int *column, double *G) {
  if (!f->computed || f->kind != ASP_FACTOR_LDLT || H->rows > f->n)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "products need a symmetric factorisation of size %d", H->rows);
  Panel p = {.f = f, .count = count, .ld = asp_padded(count)};
  size_t n = (size_t)f->n, ld = (size_t)p.ld, m = (size_t)count;
  AspArenaMark mark = asp_arena_mark(arena);
  int *order, *place = ASP_TAKE_UNCLEARED(arena, int, m);
  Reach *reach = ASP_TAKE(arena, Reach, f->fronts);
  p.Y = ASP_TAKE_UNCLEARED(arena, double, n *ld);
  p.below = ASP_TAKE_UNCLEARED(arena, double, (size_t)f->tallest *ld);
  double *C = ASP_TAKE(arena, double, ld *ld);
  if (!place || !reach || !p.Y || !p.below || !C)
    return ASP_ERROR_MEMORY;
  ASP_TRY(sort_columns(f, arena, H, NULL, count, column, &order));
  for (int c = 0; c < count; c++) {
    place[order[c]] = c;
    mark_reach(f, H, column[order[c]], c, reach);
  }
  enter_all(&p, H, column, order, reach);
  for (int s = 0; s < f->fronts; s++) {
    if (reach[s].end == 0)
      continue;
    p.first = reach[s].from;
    p.count = padded_reach(&reach[s]);
    pass(&p, &f->front[s]);
    add_products(&p, &f->front[s], C);
  }
  for (size_t k = 0; k < m; k++)
    for (size_t l = k; l < m; l++)
      G[k * m + l] = G[l * m + k] = C[(size_t)(place[k] < place[l] ? place[k] : place[l]) * ld +
                                      (size_t)(place[k] < place[l] ? place[l] : place[k])];
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}
