/* Block-sparse matrix by block rows: see block_sparse.h. */
#include "linalg/block_sparse.h"

#include <limits.h>

AspError asp_block_sparse_take(AspArena *arena, int blocks, const int *offset, const int *start, const int *column,
                               AspBlockSparse *B) {
  size_t count = (size_t)start[blocks];
  *B = (AspBlockSparse){.blocks = blocks,
                        .offset = ASP_TAKE(arena, int, (size_t)blocks + 1),
                        .start = ASP_TAKE(arena, int, (size_t)blocks + 1),
                        .column = ASP_TAKE(arena, int, count),
                        .at = ASP_TAKE(arena, size_t, count + 1),
                        .diagonal = ASP_TAKE(arena, int, blocks)};
  if (!B->offset || !B->start || !B->column || !B->at || !B->diagonal)
    return ASP_ERROR_MEMORY;
  memcpy(B->offset, offset, ((size_t)blocks + 1) * sizeof *offset);
  memcpy(B->start, start, ((size_t)blocks + 1) * sizeof *start);
  memcpy(B->column, column, count * sizeof *column);
  for (int i = 0; i < blocks; i++) {
    size_t height = (size_t)asp_block_size(B, i);
    B->diagonal[i] = -1;
    for (int p = start[i]; p < start[i + 1]; p++) {
      B->at[p + 1] = B->at[p] + height * (size_t)asp_block_size(B, column[p]);
      if (column[p] == i)
        B->diagonal[i] = p;
    }
    if (B->diagonal[i] < 0)
      return asp_fail(arena->context, ASP_ERROR_INTERNAL, "block row %d has no diagonal block", i);
  }
  B->value = ASP_TAKE(arena, double, B->at[count]);
  return B->value ? ASP_OK : ASP_ERROR_MEMORY;
}

/* The block pattern of A, transposed, as lists by block column: row[start[k]] .. are the block rows met in block
 * column k, each once, k itself included, in no particular order. Called first with row = NULL to count. */
static void collect_blocks(const AspSparse *A, int blocks, const int *offset, const int *block_of, int *mark,
                           int *start, int *row) {
  int place = 0;
  for (int k = 0; k < blocks; k++)
    mark[k] = -1;
  for (int k = 0; k < blocks; k++) {
    start[k] = place;
    mark[k] = k;
    if (row)
      row[place] = k;
    place++;
    for (int e = A->start[offset[k]]; e < A->start[offset[k + 1]]; e++) {
      int i = block_of[A->row[e]];
      if (mark[i] == k)
        continue;
      mark[i] = k;
      if (row)
        row[place] = i;
      place++;
    }
  }
  start[blocks] = place;
}

/* Put the entries of A into the blocks of B; position is scratch, one per block. */
static void fill_blocks(const AspSparse *A, const int *block_of, int *next, AspBlockSparse *B) {
  // block columns are visited in ascending order, so each block row's positions are met in ascending order too
  memcpy(next, B->start, (size_t)B->blocks * sizeof *next);
  for (int k = 0; k < B->blocks; k++) {
    for (int j = B->offset[k]; j < B->offset[k + 1]; j++)
      for (int e = A->start[j]; e < A->start[j + 1]; e++) {
        int i = block_of[A->row[e]];
        while (B->column[next[i]] < k)
          next[i]++;
        size_t height = (size_t)asp_block_size(B, i);
        B->value[B->at[next[i]] + (size_t)(j - B->offset[k]) * height + (size_t)(A->row[e] - B->offset[i])] =
            A->value[e];
      }
  }
}

AspError asp_block_sparse_from_sparse(AspArena *arena, const AspSparse *A, int blocks, const int *offset,
                                      AspBlockSparse *B) {
  int *block_of = ASP_TAKE(arena, int, offset[blocks]), *mark = ASP_TAKE(arena, int, blocks);
  int *start = ASP_TAKE(arena, int, (size_t)blocks + 1), *row_start = ASP_TAKE(arena, int, (size_t)blocks + 1);
  if (!block_of || !mark || !start || !row_start)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < blocks; i++)
    for (int j = offset[i]; j < offset[i + 1]; j++)
      block_of[j] = i;
  collect_blocks(A, blocks, offset, block_of, mark, start, NULL);
  int *row = ASP_TAKE(arena, int, start[blocks]), *column = ASP_TAKE(arena, int, start[blocks]);
  if (!row || !column)
    return ASP_ERROR_MEMORY;
  collect_blocks(A, blocks, offset, block_of, mark, start, row);
  // by rows: block columns come in ascending order, so each row's list ascends
  for (int p = 0; p < start[blocks]; p++)
    row_start[row[p] + 1]++;
  for (int i = 0; i < blocks; i++)
    row_start[i + 1] += row_start[i];
  memcpy(mark, row_start, (size_t)blocks * sizeof *mark);
  for (int k = 0; k < blocks; k++)
    for (int p = start[k]; p < start[k + 1]; p++)
      column[mark[row[p]]++] = k;
  ASP_TRY(asp_block_sparse_take(arena, blocks, offset, row_start, column, B));
  fill_blocks(A, block_of, mark, B);
  return ASP_OK;
}

AspError asp_block_sparse_to_sparse(AspContext *context, const AspBlockSparse *B, AspSparse *A) {
  int n = B->offset[B->blocks];
  size_t entries = B->at[B->start[B->blocks]];
  if (entries > INT_MAX)
    return asp_fail(context, ASP_ERROR_UNSUPPORTED, "a matrix of %zu entries: at most %d can be stored", entries,
                    INT_MAX);
  ASP_TRY(asp_sparse_allocate(context, n, n, (int)entries, A));
  // count, then place; block rows are visited in ascending order, so rows ascend within each column
  for (int i = 0; i < B->blocks; i++)
    for (int p = B->start[i]; p < B->start[i + 1]; p++)
      for (int j = B->offset[B->column[p]]; j < B->offset[B->column[p] + 1]; j++)
        A->start[j + 1] += asp_block_size(B, i);
  for (int j = 0; j < n; j++)
    A->start[j + 1] += A->start[j];
  for (int i = 0; i < B->blocks; i++)
    for (int p = B->start[i]; p < B->start[i + 1]; p++) {
      const double *value = B->value + B->at[p];
      for (int j = B->offset[B->column[p]]; j < B->offset[B->column[p] + 1]; j++)
        for (int l = B->offset[i]; l < B->offset[i + 1]; l++) {
          A->row[A->start[j]] = l;
          A->value[A->start[j]++] = *value++;
        }
    }
  memmove(A->start + 1, A->start, (size_t)n * sizeof *A->start);
  A->start[0] = 0;
  return ASP_OK;
}

int asp_block_sparse_find(const AspBlockSparse *B, int i, int k) {
  int low = B->start[i], high = B->start[i + 1] - 1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    if (B->column[middle] == k)
      return middle;
    if (B->column[middle] < k)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

void asp_block_sparse_row_multiply_add(const AspBlockSparse *B, int i, const double *x, double *y_i) {
  int height = asp_block_size(B, i);
  if (height == 3) {
    // the common case: a contact in space; sums stay in registers
    double y0 = y_i[0], y1 = y_i[1], y2 = y_i[2];
    for (int p = B->start[i]; p < B->start[i + 1]; p++) {
      int k = B->column[p], width = asp_block_size(B, k);
      const double *a = B->value + B->at[p], *x_k = x + B->offset[k];
      for (int j = 0; j < width; j++, a += 3) {
        y0 += a[0] * x_k[j];
        y1 += a[1] * x_k[j];
        y2 += a[2] * x_k[j];
      }
    }
    y_i[0] = y0, y_i[1] = y1, y_i[2] = y2;
    return;
  }
  for (int p = B->start[i]; p < B->start[i + 1]; p++) {
    int k = B->column[p], width = asp_block_size(B, k);
    const double *a = B->value + B->at[p], *x_k = x + B->offset[k];
    for (int j = 0; j < width; j++)
      for (int l = 0; l < height; l++)
        y_i[l] += *a++ * x_k[j];
  }
}

void asp_block_sparse_multiply(const AspBlockSparse *B, const double *x, double *y) {
  memset(y, 0, (size_t)B->offset[B->blocks] * sizeof *y);
  for (int i = 0; i < B->blocks; i++)
    asp_block_sparse_row_multiply_add(B, i, x, y + B->offset[i]);
}
