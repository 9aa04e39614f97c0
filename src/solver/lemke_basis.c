/* The inverse of C = [M_rho,alpha d_rho] under the four kinds of exchange, with x = C^-1 c, g = r C^-1:
 *
 *   z_j enters, w_l leaves    C grows by column c = M_rho,j and row r = [M_l,alpha d_l]; s = M_lj - r x is the rate of
 *                             w_l:                     C^-1 <- [C^-1 + x g / s, -x / s; -g / s, 1 / s]
 *   z_j enters, slot p leaves column p becomes c:      C^-1 <- C^-1 - (x - e_p) / x_p (row p of C^-1)
 *   w_i enters, w_l leaves    row i becomes r:         C^-1 <- C^-1 - x (g - e_i) / g_i,     x = column i of C^-1
 *   w_i enters, slot p leaves row i and column p go:   C^-1 <- C^-1 - x (row p) / x_p        without row p and column i
 *
 * (bordering and Sherman-Morrison: Golub, Van Loan, Matrix Computations, section 2.1.4). Depends on linalg/dense.h for
 * the inverse from scratch.
 */
#include "solver/lemke_basis.h"

#include "linalg/dense.h"
#include "solver/kernels.h"
#include "solver/tuning/lemke.h"

#include <math.h>

static double *inverse_column(const LemkeBasis *basis, int column) {
  return basis->inverse + (size_t)column * basis->ld;
}

/* M without its zeros, by columns, when there are few enough other entries. */
static AspError compress(AspArena *arena, LemkeBasis *basis) {
  size_t count = 0;
  int n = basis->n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      count += basis->M[(size_t)j * basis->ld + (size_t)i] != 0;
  basis->start = NULL;
  if ((double)count > LEMKE_BASIS_SPARSE_SHARE * (double)n * (double)n || count > INT32_MAX)
    return ASP_OK;
  int *start = ASP_TAKE(arena, int, n + 1);
  basis->row = ASP_TAKE(arena, int, count);
  basis->value = ASP_TAKE(arena, double, count);
  if (!start || !basis->row || !basis->value)
    return ASP_ERROR_MEMORY;
  int at = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      double entry = basis->M[(size_t)j * basis->ld + (size_t)i];
      if (entry != 0) {
        basis->row[at] = i;
        basis->value[at++] = entry;
      }
    }
    start[j + 1] = at;
  }
  basis->start = start;
  return ASP_OK;
}

AspError asp_lemke_basis_take(AspArena *arena, int n, const double *M, size_t ld, const double *d, LemkeBasis *basis) {
  memset(basis, 0, sizeof *basis);
  basis->n = n;
  basis->ld = ld;
  basis->M = M;
  basis->d = d;
  size_t most = (size_t)n + 1;
  basis->slot_variable = ASP_TAKE(arena, int, most);
  basis->slot_of = ASP_TAKE(arena, int, most);
  basis->column_row = ASP_TAKE(arena, int, most);
  basis->column_of = ASP_TAKE(arena, int, most);
  basis->inverse = ASP_TAKE(arena, double, ld *most);
  basis->slot_value = ASP_TAKE(arena, double, most);
  basis->w_value = ASP_TAKE(arena, double, most);
  basis->row_scratch = ASP_TAKE(arena, double, most);
  basis->factor = ASP_TAKE(arena, double, most *most);
  basis->work = ASP_TAKE(arena, double, most);
  basis->pivots = ASP_TAKE(arena, int, most);
  if (!basis->slot_variable || !basis->slot_of || !basis->column_row || !basis->column_of || !basis->inverse ||
      !basis->slot_value || !basis->w_value || !basis->row_scratch || !basis->factor || !basis->work || !basis->pivots)
    return ASP_ERROR_MEMORY;
  return compress(arena, basis);
}

void asp_lemke_basis_start(LemkeBasis *basis, int row) {
  for (int i = 0; i < basis->n; i++)
    basis->slot_of[i] = basis->column_of[i] = -1;
  basis->size = 1;
  basis->slot_of[basis->n] = 0;
  basis->slot_variable[0] = basis->n;
  basis->column_of[row] = 0;
  basis->column_row[0] = row;
  basis->inverse[0] = 1 / basis->d[row];
}

/* y += x M_:j */
static void add_column(const LemkeBasis *basis, int j, double x, double *y) {
  if (!basis->start) {
    asp_kernel_axpy(basis->n, x, basis->M + (size_t)j * basis->ld, y);
    return;
  }
  for (int k = basis->start[j]; k < basis->start[j + 1]; k++)
    y[basis->row[k]] += x * basis->value[k];
}

void asp_lemke_basis_times(const LemkeBasis *basis, const double *x, double *y) {
  int n = basis->n, waiting = 0;
  double factor[4];
  const double *column[4];
  memset(y, 0, (size_t)n * sizeof *y);
  for (int s = 0; s < basis->size; s++) {
    if (x[s] == 0)
      continue;
    bool is_z0 = basis->slot_variable[s] == n;
    if (basis->start && !is_z0) {
      add_column(basis, basis->slot_variable[s], x[s], y);
      continue;
    }
    // four columns at a time: y is read and written once for all of them
    factor[waiting] = x[s];
    column[waiting++] = is_z0 ? basis->d : basis->M + (size_t)basis->slot_variable[s] * basis->ld;
    if (waiting == 4) {
      asp_kernel_axpy4(n, factor, column[0], column[1], column[2], column[3], y);
      waiting = 0;
    }
  }
  for (int k = 0; k < waiting; k++)
    asp_kernel_axpy(n, factor[k], column[k], y);
}

/* x += factor C^-1 b for b by rows of M (n entries, only those of rho are used) */
static void add_inverse_times(const LemkeBasis *basis, double factor, const double *b, double *x) {
  for (int c = 0; c < basis->size; c++) {
    double entry = b[basis->column_row[c]];
    if (entry != 0)
      asp_kernel_axpy(basis->size, factor * entry, inverse_column(basis, c), x);
  }
}

/* w rates from the slot rates; returns the largest error in the rows rho, whose rates are known */
static double find_w_rates(const LemkeBasis *basis, LemkeVariable entering, const double *slot_rate, double *w_rate) {
  asp_lemke_basis_times(basis, slot_rate, w_rate);
  if (entering.is_z)
    add_column(basis, entering.index, 1, w_rate);
  double error = 0;
  for (int c = 0; c < basis->size; c++) {
    int row = basis->column_row[c];
    double off = fabs(w_rate[row] - (!entering.is_z && row == entering.index ? 1 : 0));
    if (!(off <= error))
      error = isnan(off) ? INFINITY : off;
  }
  return error;
}

double asp_lemke_basis_rates(LemkeBasis *basis, LemkeVariable entering, double *slot_rate, double *w_rate) {
  int k = basis->size;
  if (entering.is_z) {
    memset(slot_rate, 0, (size_t)k * sizeof *slot_rate);
    add_inverse_times(basis, -1, basis->M + (size_t)entering.index * basis->ld, slot_rate);
  } else {
    memcpy(slot_rate, inverse_column(basis, basis->column_of[entering.index]), (size_t)k * sizeof *slot_rate);
  }
  double error = find_w_rates(basis, entering, slot_rate, w_rate);
  // refinement: as long as the inverse is right to a few digits it removes the error of the updates
  for (int refinement = 0; refinement < 2 && error > LEMKE_BASIS_REFINE_ABOVE && isfinite(error); refinement++) {
    if (!entering.is_z)
      w_rate[entering.index] -= 1;
    add_inverse_times(basis, -1, w_rate, slot_rate);
    error = find_w_rates(basis, entering, slot_rate, w_rate);
  }
  return error;
}

/* r = [M_l,alpha d_l] by slots */
static void gather_row(const LemkeBasis *basis, int l, double *r) {
  for (int s = 0; s < basis->size; s++) {
    int j = basis->slot_variable[s];
    r[s] = j == basis->n ? basis->d[l] : basis->M[(size_t)j * basis->ld + (size_t)l];
  }
}

double asp_lemke_basis_influence(LemkeBasis *basis, LemkeVariable of, int row) {
  const double *column = inverse_column(basis, basis->column_of[row]);
  if (of.is_z)
    return column[basis->slot_of[of.index]];
  gather_row(basis, of.index, basis->row_scratch);
  return asp_kernel_dot(basis->size, basis->row_scratch, column);
}

/* g = [M_l,alpha d_l] C^-1; few nonzeros in the row are gathered first */
static void row_times_inverse(LemkeBasis *basis, int l, double *g) {
  double *r = basis->row_scratch;
  int k = basis->size, count = 0;
  int *slots = basis->pivots; // free between refactorisations
  gather_row(basis, l, r);
  for (int s = 0; s < k; s++)
    if (r[s] != 0)
      slots[count++] = s;
  for (int c = 0; c < k; c++) {
    const double *column = inverse_column(basis, c);
    if (count > k / 4) {
      g[c] = asp_kernel_dot(k, r, column);
      continue;
    }
    g[c] = 0;
    for (int at = 0; at < count; at++)
      g[c] += r[slots[at]] * column[slots[at]];
  }
}

static void take_inverse_row(const LemkeBasis *basis, int slot, double factor, double *row) {
  for (int c = 0; c < basis->size; c++)
    row[c] = factor * inverse_column(basis, c)[slot];
}

static void grow(LemkeBasis *basis, int j, int l, double value, const double *slot_rate, double pivot) {
  int k = basis->size;
  double *g = basis->work;
  row_times_inverse(basis, l, g);
  // slot_rate = -x, so x g / s = slot_rate (-g / s): the new row is also the factor of the update
  for (int c = 0; c < k; c++)
    g[c] = -g[c] / pivot;
  asp_kernel_rank1(k, k, slot_rate, g, basis->inverse, basis->ld);
  for (int c = 0; c < k; c++)
    inverse_column(basis, c)[k] = g[c];
  double *last = inverse_column(basis, k);
  for (int s = 0; s < k; s++)
    last[s] = slot_rate[s] / pivot;
  last[k] = 1 / pivot;
  basis->slot_variable[k] = j;
  basis->slot_of[j] = k;
  basis->slot_value[k] = value;
  basis->column_row[k] = l;
  basis->column_of[l] = k;
  basis->w_value[l] = 0;
  basis->size = k + 1;
}

static void replace_slot(LemkeBasis *basis, int j, int slot, double value, const double *slot_rate) {
  double *h = basis->work, pivot = slot_rate[slot];
  take_inverse_row(basis, slot, -1 / pivot, h);
  asp_kernel_rank1(basis->size, basis->size, slot_rate, h, basis->inverse, basis->ld);
  for (int c = 0; c < basis->size; c++) // the row itself is scaled, not eliminated: pivot = -x_p
    inverse_column(basis, c)[slot] = h[c];
  basis->slot_of[basis->slot_variable[slot]] = -1;
  basis->slot_variable[slot] = j;
  basis->slot_of[j] = slot;
  basis->slot_value[slot] = value;
}

static void replace_row(LemkeBasis *basis, int i, int l, double value, const double *slot_rate, double pivot) {
  int column = basis->column_of[i];
  double *g = basis->work;
  row_times_inverse(basis, l, g);
  for (int c = 0; c < basis->size; c++)
    g[c] = -g[c] / pivot;
  g[column] = 0;
  asp_kernel_rank1(basis->size, basis->size, slot_rate, g, basis->inverse, basis->ld);
  double *own = inverse_column(basis, column);
  for (int s = 0; s < basis->size; s++)
    own[s] = slot_rate[s] / pivot;
  basis->column_of[i] = -1;
  basis->column_of[l] = column;
  basis->column_row[column] = l;
  basis->w_value[i] = value;
  basis->w_value[l] = 0;
}

static void shrink(LemkeBasis *basis, int i, int slot, double value, const double *slot_rate) {
  int last = basis->size - 1, column = basis->column_of[i];
  double *h = basis->work;
  take_inverse_row(basis, slot, -1 / slot_rate[slot], h);
  asp_kernel_rank1(basis->size, basis->size, slot_rate, h, basis->inverse, basis->ld);
  // the last row and column take the place of the removed ones
  for (int c = 0; c <= last; c++)
    inverse_column(basis, c)[slot] = inverse_column(basis, c)[last];
  if (column != last)
    memcpy(inverse_column(basis, column), inverse_column(basis, last), (size_t)last * sizeof(double));
  basis->slot_of[basis->slot_variable[slot]] = -1;
  basis->column_of[i] = -1;
  if (slot != last) {
    basis->slot_variable[slot] = basis->slot_variable[last];
    basis->slot_value[slot] = basis->slot_value[last];
    basis->slot_of[basis->slot_variable[slot]] = slot;
  }
  if (column != last) {
    basis->column_row[column] = basis->column_row[last];
    basis->column_of[basis->column_row[column]] = column;
  }
  basis->w_value[i] = value;
  basis->size = last;
}

void asp_lemke_basis_exchange(LemkeBasis *basis, LemkeVariable entering, LemkeVariable leaving, double value,
                              const double *slot_rate, const double *w_rate) {
  if (entering.is_z && leaving.is_z)
    replace_slot(basis, entering.index, basis->slot_of[leaving.index], value, slot_rate);
  else if (entering.is_z)
    grow(basis, entering.index, leaving.index, value, slot_rate, w_rate[leaving.index]);
  else if (leaving.is_z)
    shrink(basis, entering.index, basis->slot_of[leaving.index], value, slot_rate);
  else
    replace_row(basis, entering.index, leaving.index, value, slot_rate, w_rate[leaving.index]);
}

bool asp_lemke_basis_refactor(LemkeBasis *basis) {
  int k = basis->size, n = basis->n;
  for (int s = 0; s < k; s++) {
    int j = basis->slot_variable[s];
    const double *from = j == n ? basis->d : basis->M + (size_t)j * basis->ld;
    for (int c = 0; c < k; c++)
      basis->factor[(size_t)s * (size_t)k + (size_t)c] = from[basis->column_row[c]];
  }
  if (asp_dense_lu(k, basis->factor, k, basis->pivots) >= 0)
    return false;
  for (int c = 0; c < k; c++) {
    memset(inverse_column(basis, c), 0, (size_t)k * sizeof(double));
    inverse_column(basis, c)[c] = 1;
  }
  asp_dense_lu_solve(k, basis->factor, k, basis->pivots, k, basis->inverse, (int)basis->ld);
  return true;
}

void asp_lemke_basis_values(LemkeBasis *basis, const double *q, double *scratch) {
  memset(basis->slot_value, 0, (size_t)basis->size * sizeof(double));
  add_inverse_times(basis, -1, q, basis->slot_value);
  asp_lemke_basis_times(basis, basis->slot_value, basis->w_value);
  for (int i = 0; i < basis->n; i++)
    scratch[i] = basis->w_value[i] + q[i];
  add_inverse_times(basis, -1, scratch, basis->slot_value);
  asp_lemke_basis_times(basis, basis->slot_value, basis->w_value);
  for (int i = 0; i < basis->n; i++)
    basis->w_value[i] += q[i];
}
