/* Sparse matrices in compressed columns: see sparse.h. */
#include "linalg/sparse.h"

#include "base/disjoint_sets.h"
#include "base/parallel.h"
#include "linalg/tuning/linalg.h"

#include <math.h>
#include <stdatomic.h>

AspError asp_sparse_allocate(AspContext *context, int rows, int columns, int entries, AspSparse *A) {
  *A = (AspSparse){.rows = rows, .columns = columns};
  A->start = asp_allocate(context, (size_t)columns + 1, sizeof *A->start);
  A->row = asp_allocate(context, (size_t)entries, sizeof *A->row);
  A->value = asp_allocate(context, (size_t)entries, sizeof *A->value);
  if (A->start && A->row && A->value)
    return ASP_OK;
  asp_sparse_release(context, A);
  return ASP_ERROR_MEMORY;
}

void asp_sparse_release(AspContext *context, AspSparse *A) {
  asp_release(context, A->start);
  asp_release(context, A->row);
  asp_release(context, A->value);
  *A = (AspSparse){0};
}

AspError asp_sparse_take(AspArena *arena, int rows, int columns, int entries, AspSparse *A) {
  *A = (AspSparse){.rows = rows, .columns = columns};
  A->start = ASP_TAKE(arena, int, (size_t)columns + 1);
  A->row = ASP_TAKE(arena, int, entries);
  A->value = ASP_TAKE(arena, double, entries);
  return A->start && A->row && A->value ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_sparse_copy(AspContext *context, const AspSparse *A, AspSparse *B) {
  int entries = asp_sparse_entries(A);
  ASP_TRY(asp_sparse_allocate(context, A->rows, A->columns, entries, B));
  if (A->columns > 0) {
    memcpy(B->start, A->start, ((size_t)A->columns + 1) * sizeof *B->start);
    memcpy(B->row, A->row, (size_t)entries * sizeof *B->row);
    memcpy(B->value, A->value, (size_t)entries * sizeof *B->value);
  }
  return ASP_OK;
}

bool asp_all_finite(const double *value, size_t count) {
  double nothing[SPARSE_SUMS] = {0}, all = 0; // not a number where a value is not finite
  size_t k = 0;
  for (; k + SPARSE_SUMS <= count; k += SPARSE_SUMS)
    for (int i = 0; i < SPARSE_SUMS; i++)
      nothing[i] += 0 * value[k + (size_t)i];
  for (; k < count; k++)
    all += 0 * value[k];
  for (int i = 0; i < SPARSE_SUMS; i++)
    all += nothing[i];
  return all == 0;
}

/* Without branches; a mistake is located afterwards. Where the next row is not larger a column must begin: as
 * many such places among all entries as at the columns' starts. */
bool asp_sparse_are_sound(const AspSparse *A, int first, int end) {
  const int *restrict row = A->row;
  int from = A->start[first], to = A->start[end], falls = 0, starts = 0;
  bool inside = true;
  ASP_SIMD_SUM(falls)
  for (int k = from + 1; k < to; k++)
    falls += row[k] <= row[k - 1];
  for (int j = first; j < end; j++) {
    int start = A->start[j], stop = A->start[j + 1];
    if (start == stop)
      continue;
    starts += start > from && row[start] <= row[start - 1];
    inside &= row[start] >= 0 && row[stop - 1] < A->rows;
  }
  return inside && falls == starts && asp_all_finite(A->value + from, (size_t)(to - from));
}

typedef struct Soundness {
  const AspSparse *A;
  atomic_bool doubtful;
} Soundness;

static void check_columns(void *data, int from, int end) {
  Soundness *soundness = data;
  if (!asp_sparse_are_sound(soundness->A, from, end))
    atomic_store_explicit(&soundness->doubtful, true, memory_order_relaxed);
}

static bool is_sound(AspContext *context, const AspSparse *A) {
  Soundness soundness = {.A = A};
  asp_parallel_for(context, A->columns, SPARSE_GRAIN, check_columns, &soundness);
  return !soundness.doubtful;
}

static AspError validate_column(AspContext *context, const AspSparse *A, const char *name, int j) {
  for (int k = A->start[j]; k < A->start[j + 1]; k++) {
    if (A->row[k] < 0 || A->row[k] >= A->rows)
      return asp_fail(context, ASP_ERROR_INPUT, "%s: row %d in column %d is outside 0 .. %d", name, A->row[k], j,
                      A->rows - 1);
    if (k > A->start[j] && A->row[k] <= A->row[k - 1])
      return asp_fail(context, ASP_ERROR_INPUT, "%s: row %d follows row %d in column %d, rows must ascend", name,
                      A->row[k], A->row[k - 1], j);
    if (!isfinite(A->value[k]))
      return asp_fail(context, ASP_ERROR_INPUT, "%s: entry (%d, %d) is %g, not a finite number", name, A->row[k], j,
                      A->value[k]);
  }
  return ASP_OK;
}

AspError asp_sparse_validate_frame(AspContext *context, const AspSparse *A, const char *name) {
  if (A->rows < 0 || A->columns < 0)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: %d rows and %d columns, sizes must not be negative", name, A->rows,
                    A->columns);
  if (A->columns == 0)
    return ASP_OK;
  if (!A->start || A->start[0] != 0)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: column starts are missing or do not begin with 0", name);
  for (int j = 0; j < A->columns; j++)
    if (A->start[j + 1] < A->start[j])
      return asp_fail(context, ASP_ERROR_INPUT, "%s: column %d ends at %d before it starts at %d", name, j,
                      A->start[j + 1], A->start[j]);
  if (A->start[A->columns] > 0 && (!A->row || !A->value))
    return asp_fail(context, ASP_ERROR_INPUT, "%s: %d entries without row indices or values", name,
                    A->start[A->columns]);
  return ASP_OK;
}

AspError asp_sparse_validate(AspContext *context, const AspSparse *A, const char *name) {
  ASP_TRY(asp_sparse_validate_frame(context, A, name));
  if (A->columns == 0 || is_sound(context, A))
    return ASP_OK;
  for (int j = 0; j < A->columns; j++)
    ASP_TRY(validate_column(context, A, name, j));
  return ASP_OK;
}

/* The six velocities of a rigid body in space? Rows ascend. */
static inline bool has_six_in_a_row(const int *row, int k, int end) { return k + 6 <= end && row[k + 5] == row[k] + 5; }

/* Of y += a A x the rows from `low` to `high` - 1, or all. */
static inline void multiply_add(const AspSparse *A, double a, const double *x, double *restrict y, bool all, int low,
                                int high) {
  const int *restrict row = A->row;
  const double *restrict value = A->value;
  for (int j = 0; j < A->columns; j++) {
    int k = A->start[j], end = A->start[j + 1];
    double ax = a * x[j];
    if (ax == 0) // contacts that are open, bodies at rest
      continue;
    if (!all && (k == end || row[end - 1] < low || row[k] >= high))
      continue;
    while (k < end && (all || row[k] < high)) {
      double *restrict to = y + row[k];
      bool six = has_six_in_a_row(row, k, end);
      if (!all && row[k] < low) {
        k += six && row[k] + 5 < low ? 6 : 1;
        continue;
      }
      if (!six || (!all && row[k] + 5 >= high)) {
        *to += value[k++] * ax;
        continue;
      }
      for (int i = 0; i < 6; i++)
        to[i] += value[k + i] * ax;
      k += 6;
    }
  }
}

void asp_sparse_multiply_add(const AspSparse *A, double a, const double *x, double *restrict y) {
  multiply_add(A, a, x, y, true, 0, A->rows);
}

/* The parts `from` to `end` - 1 of y += a A x. */
typedef struct Product {
  const AspSparse *A;
  double a;
  const double *x;
  double *y;
  int parts;
} Product;

static void multiply_parts(void *data, int from, int end) {
  const Product *product = data;
  int64_t rows = product->A->rows;
  multiply_add(product->A, product->a, product->x, product->y, false, (int)(rows * from / product->parts),
               (int)(rows * end / product->parts));
}

void asp_sparse_multiply_add_parallel(AspContext *context, const AspSparse *A, double a, const double *x, double *y) {
  Product product = {A, a, x, y, asp_team_size(context)};
  if (product.parts == 1 || A->columns < SPARSE_GRAIN)
    asp_sparse_multiply_add(A, a, x, y);
  else // every thread looks at all columns, but at its own rows only: their sums keep the order of the columns
    asp_parallel_for(context, product.parts, 1, multiply_parts, &product);
}

void asp_sparse_multiply_transpose_add(const AspSparse *A, double a, const double *x, double *restrict y) {
  const int *restrict row = A->row;
  const double *restrict value = A->value;
  for (int j = 0; j < A->columns; j++) {
    double even = 0, odd = 0; // two sums: a single one waits for every addition
    int k = A->start[j], end = A->start[j + 1];
    while (k < end) {
      const double *from = x + row[k];
      if (!has_six_in_a_row(row, k, end)) {
        even += value[k++] * *from;
        if (k < end) {
          odd += value[k] * x[row[k]];
          k++;
        }
        continue;
      }
      for (int i = 0; i < 6; i += 2) {
        even += value[k + i] * from[i];
        odd += value[k + i + 1] * from[i + 1];
      }
      k += 6;
    }
    y[j] += a * (even + odd);
  }
}

void asp_sparse_transpose(const AspSparse *A, AspSparse *T, int *map) {
  int entries = asp_sparse_entries(A);
  // T->start[i + 1] first counts row i of A, then is the place where its next entry goes, and ends as its end
  memset(T->start, 0, ((size_t)T->columns + 1) * sizeof *T->start);
  for (int k = 0; k < entries; k++)
    if (A->row[k] + 2 <= T->columns)
      T->start[A->row[k] + 2]++;
  for (int i = 2; i <= T->columns; i++)
    T->start[i] += T->start[i - 1];
  for (int j = 0; j < A->columns; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++) {
      int place = T->start[A->row[k] + 1]++;
      T->row[place] = j;
      T->value[place] = A->value[k];
      if (map)
        map[k] = place;
    }
}

/* Add up neighbours at the same place; rows ascend, equal ones stand together in the order they came. */
static void merge_duplicates(AspSparse *A) {
  int kept = 0;
  for (int j = 0; j < A->columns; j++) {
    int first = kept, end = A->start[j + 1];
    for (int k = A->start[j]; k < end; k++) {
      if (kept > first && A->row[kept - 1] == A->row[k]) {
        A->value[kept - 1] += A->value[k];
      } else {
        A->row[kept] = A->row[k];
        A->value[kept++] = A->value[k];
      }
    }
    A->start[j] = first;
  }
  A->start[A->columns] = kept;
}

/* By columns, rows ascending, equal places together: what most callers make. */
static bool are_sorted(int count, const int *row, const int *column) {
  for (int k = 1; k < count; k++)
    if (column[k] < column[k - 1] || (column[k] == column[k - 1] && row[k] < row[k - 1]))
      return false;
  return true;
}

static void fill_sorted(int count, const int *row, const int *column, const double *value, AspSparse *A) {
  for (int k = 0; k < count; k++) {
    A->start[column[k] + 1]++;
    A->row[k] = row[k];
    A->value[k] = value[k];
  }
  for (int j = 0; j < A->columns; j++)
    A->start[j + 1] += A->start[j];
  merge_duplicates(A);
}

AspError asp_sparse_from_triplets(AspArena *arena, int rows, int columns, int count, const int *row, const int *column,
                                  const double *value, AspSparse *A) {
  for (int k = 0; k < count; k++)
    if (row[k] < 0 || row[k] >= rows || column[k] < 0 || column[k] >= columns)
      return asp_fail(arena->context, ASP_ERROR_INPUT, "triplet %d: (%d, %d) is outside a %d x %d matrix", k, row[k],
                      column[k], rows, columns);
  ASP_TRY(asp_sparse_take(arena, rows, columns, count, A));
  if (are_sorted(count, row, column)) {
    fill_sorted(count, row, column, value, A);
    return ASP_OK;
  }
  AspArenaMark mark = asp_arena_mark(arena);
  // gather by rows in the order given; transposing that sorts by columns, rows ascending, equal places in order
  AspSparse by_row;
  ASP_TRY(asp_sparse_take(arena, columns, rows, count, &by_row));
  int *next = ASP_TAKE(arena, int, (size_t)rows + 1);
  if (!next)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < count; k++)
    by_row.start[row[k] + 1]++;
  for (int i = 0; i < rows; i++)
    by_row.start[i + 1] += by_row.start[i];
  memcpy(next, by_row.start, (size_t)rows * sizeof *next);
  for (int k = 0; k < count; k++) {
    int place = next[row[k]]++;
    by_row.row[place] = column[k];
    by_row.value[place] = value[k];
  }
  asp_sparse_transpose(&by_row, A, NULL);
  merge_duplicates(A);
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

AspError asp_sparse_permute(AspArena *arena, const AspSparse *A, const int *p, const int *inverse, AspSparse *B) {
  int entries = asp_sparse_entries(A);
  ASP_TRY(asp_sparse_take(arena, A->rows, A->columns, entries, B));
  AspArenaMark mark = asp_arena_mark(arena);
  AspSparse unsorted, transposed;
  ASP_TRY(asp_sparse_take(arena, A->rows, A->columns, entries, &unsorted));
  ASP_TRY(asp_sparse_take(arena, A->columns, A->rows, entries, &transposed));
  int place = 0;
  for (int j = 0; j < A->columns; j++) {
    for (int k = A->start[p[j]]; k < A->start[p[j] + 1]; k++) {
      unsorted.row[place] = inverse[A->row[k]];
      unsorted.value[place++] = A->value[k];
    }
    unsorted.start[j + 1] = place;
  }
  asp_sparse_transpose(&unsorted, &transposed, NULL);
  asp_sparse_transpose(&transposed, B, NULL);
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* The first column behind the dense block that begins at column j; j where there is none. Rows ascend. */
static int block_end(const AspSparse *A, int j) {
  int size = A->start[j + 1] - A->start[j], end = j + size;
  if (size == 0 || end > A->columns)
    return j;
  for (int i = j; i < end; i++) {
    int first = A->start[i];
    if (A->start[i + 1] - first != size || A->row[first] != j || A->row[first + size - 1] != end - 1)
      return j;
  }
  return end;
}

/* A matrix of dense blocks along the diagonal, as that of rigid bodies: its components without reading each entry.
 * False where it is not such a one. */
static bool diagonal_blocks(const AspSparse *A, int *of, int *start, int *member, int *count) {
  *count = start[0] = 0;
  for (int j = 0, end; j < A->columns; j = end) {
    end = block_end(A, j);
    if (end == j)
      return false;
    for (int i = j; i < end; i++) {
      of[i] = *count;
      member[i] = i;
    }
    start[++*count] = end;
  }
  return true;
}

/* Has a column entries, and in the same rows as the one before it? */
static bool has_rows_of_last(const AspSparse *A, int j) {
  int from = A->start[j], count = A->start[j + 1] - from;
  return j > 0 && count > 0 && count == from - A->start[j - 1] &&
         memcmp(A->row + from, A->row + A->start[j - 1], (size_t)count * sizeof *A->row) == 0;
}

AspError asp_sparse_components(AspArena *arena, const AspSparse *A, AspComponents *components) {
  int n = A->columns;
  int *of = ASP_TAKE_UNCLEARED(arena, int, n), *start = ASP_TAKE_UNCLEARED(arena, int, (size_t)n + 1);
  int *member = ASP_TAKE_UNCLEARED(arena, int, n), count = 0;
  if (!of || !start || !member)
    return ASP_ERROR_MEMORY;
  if (diagonal_blocks(A, of, start, member, &count)) {
    *components = (AspComponents){.count = count, .start = start, .member = member, .of = of};
    return ASP_OK;
  }
  memset(start, 0, ((size_t)n + 1) * sizeof *start);
  asp_sets_begin(n, of);
  for (int j = 0; j < n; j++) {
    if (has_rows_of_last(A, j)) // as most columns of a body
      asp_unite_sets(of, j - 1, j);
    else
      for (int k = A->start[j]; k < A->start[j + 1]; k++)
        if (of[A->row[k]] != of[j]) // hardly ever: the columns of a body come one after the other
          asp_unite_sets(of, A->row[k], j);
  }
  count = asp_sets_number(n, of, member);
  memcpy(of, member, (size_t)n * sizeof *of);
  asp_list_by_owner(n, of, count, start, member);
  *components = (AspComponents){.count = count, .start = start, .member = member, .of = of};
  return ASP_OK;
}
