/* Entries of A^-1 = Z within the pattern of the factors, A = L D L^T: every front has those among its own indices.
 *
 *   Z_ij = - sum over k > j of Z_ik L_kj,  i > j          Z_jj = 1/d_j - sum over k > j of L_kj Z_kj
 *
 * from the last pivot to the first, so that a front finds the entries among its rows below in its parent. Source: K.
 * Takahashi, J. Fagan, M.-S. Chin, 8th PICA Conference (1973); I. S. Duff, A. Erisman, C. Gear, J. Reid, ACM SIGNUM
 * Newsletter 23 (1988). Unknowns whose pivot was set aside are 0, as in a solve.
 */
#include "linalg/factor_internal.h"

/* The entries among the rows below, which are own pivots or rows below of the parent. */
static void take_from_parent(const AspFactor *f, const Front *front, double *Z) {
  const Front *parent = &f->front[front->parent];
  size_t ld = (size_t)asp_padded(front->width + front->below);
  size_t ld_parent = (size_t)asp_padded(parent->width + parent->below);
  double *below = Z + (size_t)front->width * (ld + 1);
  for (int a = front->first_run; a < front->end_run; a++)
    for (int l = 0; l < f->run[a].length; l++) {
      const double *from = f->inverse_value + parent->inverse + (size_t)(f->run[a].to + l) * ld_parent;
      double *to = below + (size_t)(f->run[a].from + l) * ld;
      for (int b = front->first_run; b < front->end_run; b++)
        for (int m = 0; m < f->run[b].length; m++)
          to[f->run[b].from + m] = from[f->run[b].to + m];
    }
}

static void invert_front(const AspFactor *f, const Front *front, double *Z) {
  int height = front->width + front->below, ld = asp_padded(height);
  size_t step = (size_t)ld;
  for (int j = front->width - 1; j >= 0; j--) {
    int rest = height - j - 1;
    const double *L = f->value + front->values + (size_t)j * step + j + 1;
    double *diagonal = Z + (size_t)j * (step + 1), *column = diagonal + 1, *row = diagonal + step, sum = 0;
    if (rest > 0)
      f->kernels->minus_product(rest, 1, rest, row + 1, ld, L, 1, 1, false, false, column, ld);
    for (int i = 0; i < rest; i++) {
      row[(size_t)i * step] = column[i];
      sum += L[i] * column[i];
    }
    *diagonal = f->inverse_pivot[front->first + j] - sum;
  }
}

AspError asp_factor_invert(AspFactor *f, bool *worth) {
  if (!f->computed || f->kind != ASP_FACTOR_LDLT)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "entries of the inverse need a symmetric factorisation");
  *worth = f->tallest <= FACTOR_INVERSE_TALLEST;
  if (!*worth)
    return ASP_OK;
  if (f->inverse_count > f->inverse_room) {
    asp_release(f->context, f->inverse_value);
    f->inverse_room = 0;
    f->inverse_value = asp_allocate(f->context, f->inverse_count, sizeof *f->inverse_value);
    if (!f->inverse_value)
      return ASP_ERROR_MEMORY;
    f->inverse_room = f->inverse_count;
  }
  for (int s = f->fronts - 1; s >= 0; s--) {
    const Front *front = &f->front[s];
    double *Z = f->inverse_value + front->inverse;
    if (front->below > 0)
      take_from_parent(f, front, Z);
    invert_front(f, front, Z);
  }
  return ASP_OK;
}

/* Where a pivot stands in the front; -1: it is none of its indices. */
static int place_in_front(const AspFactor *f, const Front *front, int pivot) {
  if (pivot < front->first + front->width)
    return pivot - front->first;
  for (int i = 0; i < front->below; i++)
    if (f->row[front->rows + i] == pivot)
      return front->width + i;
  return -1;
}

bool asp_factor_inverse_entries(const AspFactor *f, int count, const int *index, double *Z) {
  int place[FACTOR_INVERSE_MOST], first = f->n;
  if (count > FACTOR_INVERSE_MOST)
    return false;
  for (int i = 0; i < count; i++)
    first = f->inverse[index[i]] < first ? f->inverse[index[i]] : first;
  if (count == 0)
    return true;
  const Front *front = &f->front[f->front_of[first]];
  size_t ld = (size_t)asp_padded(front->width + front->below);
  for (int i = 0; i < count; i++) {
    place[i] = place_in_front(f, front, f->inverse[index[i]]);
    if (place[i] < 0)
      return false;
  }
  const double *from = f->inverse_value + front->inverse;
  for (int j = 0; j < count; j++)
    for (int i = 0; i < count; i++)
      Z[i + j * count] = from[(size_t)place[i] + ld * (size_t)place[j]];
  return true;
}
