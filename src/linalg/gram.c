/* A = M + sum H_i D_i H_i^T: see gram.h. The rows that a block touches come in runs (the dofs of a body), and a run
 * that a column of A has is contiguous there: one place per run is kept, not one per entry. */
#include "linalg/gram.h"

/* The rows that each block touches, ascending, and their runs. */
static AspError list_dofs(AspArena *arena, const AspSparse *H, AspGram *g) {
  int *seen = ASP_TAKE(arena, int, H->rows);
  g->dof_start = ASP_TAKE(arena, int, (size_t)g->blocks + 1);
  g->run_start = ASP_TAKE(arena, int, (size_t)g->blocks + 1);
  g->place_start = ASP_TAKE(arena, size_t, (size_t)g->blocks + 1);
  g->H_start = ASP_TAKE(arena, size_t, (size_t)g->blocks + 1);
  g->dof = ASP_TAKE(arena, int, asp_sparse_entries(H));
  g->run = ASP_TAKE(arena, int, asp_sparse_entries(H));
  if (!seen || !g->dof_start || !g->run_start || !g->place_start || !g->H_start || !g->dof || !g->run)
    return ASP_ERROR_MEMORY;
  int dofs = 0, runs = 0;
  for (int i = 0; i < g->blocks; i++) {
    for (int j = g->offset[i]; j < g->offset[i + 1]; j++)
      for (int k = H->start[j]; k < H->start[j + 1]; k++) {
        if (seen[H->row[k]] == i + 1)
          continue;
        seen[H->row[k]] = i + 1;
        // insertion keeps the short list sorted; columns of a block mostly touch the same rows
        int place = dofs++;
        for (; place > g->dof_start[i] && g->dof[place - 1] > H->row[k]; place--)
          g->dof[place] = g->dof[place - 1];
        g->dof[place] = H->row[k];
      }
    for (int k = g->dof_start[i]; k < dofs; k++) {
      if (k == g->dof_start[i] || g->dof[k] != g->dof[k - 1] + 1)
        runs++;
      g->run[runs - 1]++;
    }
    size_t touched = (size_t)(dofs - g->dof_start[i]);
    g->dof_start[i + 1] = dofs;
    g->run_start[i + 1] = runs;
    g->place_start[i + 1] = g->place_start[i] + touched * (size_t)(runs - g->run_start[i]);
    g->H_start[i + 1] = g->H_start[i] + touched * (size_t)(g->offset[i + 1] - g->offset[i]);
  }
  return ASP_OK;
}

/* Blocks that touch each row. */
static AspError list_blocks(AspArena *arena, const AspGram *g, int rows, int **start_out, int **block_out) {
  int *start = ASP_TAKE(arena, int, (size_t)rows + 2), *block = ASP_TAKE(arena, int, g->dof_start[g->blocks]);
  if (!start || !block)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < g->dof_start[g->blocks]; k++)
    start[g->dof[k] + 2]++;
  for (int d = 0; d < rows; d++)
    start[d + 2] += start[d + 1];
  for (int i = 0; i < g->blocks; i++)
    for (int k = g->dof_start[i]; k < g->dof_start[i + 1]; k++)
      block[start[g->dof[k] + 1]++] = i;
  *start_out = start;
  *block_out = block;
  return ASP_OK;
}

/* Rows of column j of A, unsorted: those of M and those of every block that touches j. row = NULL: only count. */
static int column_rows(const AspSparse *M, const AspGram *g, const int *start, const int *block, int j, int stamp,
                       int *seen, int *row) {
  int count = 0;
  for (int k = M->start[j]; k < M->start[j + 1]; k++) {
    seen[M->row[k]] = stamp;
    if (row)
      row[count] = M->row[k];
    count++;
  }
  for (int b = start[j]; b < start[j + 1]; b++)
    for (int k = g->dof_start[block[b]]; k < g->dof_start[block[b] + 1]; k++) {
      if (seen[g->dof[k]] == stamp)
        continue;
      seen[g->dof[k]] = stamp;
      if (row)
        row[count] = g->dof[k];
      count++;
    }
  return count;
}

static AspError make_pattern(AspArena *arena, const AspSparse *M, AspGram *g) {
  int n = M->columns, *start, *block, *seen = ASP_TAKE(arena, int, n);
  ASP_TRY(list_blocks(arena, g, n, &start, &block));
  if (!seen)
    return ASP_ERROR_MEMORY;
  size_t total = 0;
  for (int j = 0; j < n; j++)
    total += (size_t)column_rows(M, g, start, block, j, j + 1, seen, NULL);
  if (total > INT32_MAX)
    return asp_fail(arena->context, ASP_ERROR_UNSUPPORTED, "M + H D H^T has %zu entries, too many to store", total);
  AspSparse unsorted, transposed;
  ASP_TRY(asp_sparse_take(arena, n, n, (int)total, &g->A));
  ASP_TRY(asp_sparse_take(arena, n, n, (int)total, &unsorted));
  ASP_TRY(asp_sparse_take(arena, n, n, (int)total, &transposed));
  for (int j = 0; j < n; j++)
    unsorted.start[j + 1] =
        unsorted.start[j] + column_rows(M, g, start, block, j, n + j + 1, seen, unsorted.row + unsorted.start[j]);
  asp_sparse_transpose(&unsorted, &transposed, NULL);
  asp_sparse_transpose(&transposed, &g->A, NULL);
  return ASP_OK;
}

/* Where row `row` stands in column j of A, which has it. */
static int find_entry(const AspSparse *A, int row, int j) {
  int low = A->start[j], high = A->start[j + 1] - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (A->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void find_places(const AspSparse *M, const AspSparse *H, AspGram *g) {
  for (int j = 0; j < M->columns; j++)
    for (int k = M->start[j], p = g->A.start[j]; k < M->start[j + 1]; k++) {
      while (g->A.row[p] != M->row[k])
        p++;
      g->M_place[k] = p;
    }
  for (int i = 0; i < g->blocks; i++) {
    const int *dof = g->dof + g->dof_start[i], touched = g->dof_start[i + 1] - g->dof_start[i];
    int *place = g->place + g->place_start[i];
    for (int c = 0; c < touched; c++)
      for (int r = g->run_start[i], at = 0; r < g->run_start[i + 1]; at += g->run[r++])
        *place++ = find_entry(&g->A, dof[at], dof[c]);
    for (int j = g->offset[i]; j < g->offset[i + 1]; j++)
      for (int k = H->start[j], at = 0; k < H->start[j + 1]; k++) {
        while (dof[at] != H->row[k])
          at++;
        g->H[g->H_start[i] + (size_t)(j - g->offset[i]) * (size_t)touched + (size_t)at] = H->value[k];
      }
  }
}

AspError asp_gram_analyse(AspArena *arena, const AspSparse *M, const AspSparse *H, int blocks, const int *offset,
                          AspGram *g) {
  *g = (AspGram){.blocks = blocks, .offset = offset};
  ASP_TRY(list_dofs(arena, H, g));
  ASP_TRY(make_pattern(arena, M, g));
  size_t largest = 0;
  for (int i = 0; i < blocks; i++)
    largest = g->H_start[i + 1] - g->H_start[i] > largest ? g->H_start[i + 1] - g->H_start[i] : largest;
  g->place = ASP_TAKE(arena, int, g->place_start[blocks]);
  g->H = ASP_TAKE(arena, double, g->H_start[blocks]);
  g->M_place = ASP_TAKE(arena, int, asp_sparse_entries(M));
  g->product = ASP_TAKE(arena, double, largest);
  if (!g->place || !g->H || !g->M_place || !g->product)
    return ASP_ERROR_MEMORY;
  find_places(M, H, g);
  return ASP_OK;
}

/* y += a0 x0 + a1 x1 + a2 x2 over `count` entries, the columns of x being `ld` apart */
static inline void add_columns3(int count, const double *x, int ld, const double *a, double *y) {
  for (int k = 0; k < count; k++)
    y[k] += a[0] * x[k] + a[1] * x[k + ld] + a[2] * x[k + 2 * ld];
}

static void add_block(AspGram *g, int i, const double *D) {
  int touched = g->dof_start[i + 1] - g->dof_start[i], d = g->offset[i + 1] - g->offset[i];
  const double *H = g->H + g->H_start[i];
  const int *place = g->place + g->place_start[i];
  // product = D_i H_i^T, d x touched: the coefficients of the columns of H_i in each column of H_i D_i H_i^T
  for (int c = 0; c < touched; c++)
    for (int l = 0; l < d; l++) {
      double sum = 0;
      for (int k = 0; k < d; k++)
        sum += D[l + k * d] * H[c + (size_t)k * (size_t)touched];
      g->product[(size_t)c * (size_t)d + (size_t)l] = sum;
    }
  for (int c = 0; c < touched; c++) {
    const double *a = g->product + (size_t)c * (size_t)d;
    for (int r = g->run_start[i], at = 0; r < g->run_start[i + 1]; at += g->run[r++]) {
      double *y = g->A.value + *place++;
      if (d == 3) {
        add_columns3(g->run[r], H + at, touched, a, y);
        continue;
      }
      for (int l = 0; l < d; l++)
        for (int k = 0; k < g->run[r]; k++)
          y[k] += a[l] * H[at + k + (size_t)l * (size_t)touched];
    }
  }
}

void asp_gram_compute(AspGram *g, const AspSparse *M, const double *D) {
  memset(g->A.value, 0, (size_t)asp_sparse_entries(&g->A) * sizeof *g->A.value);
  for (int k = 0; k < asp_sparse_entries(M); k++)
    g->A.value[g->M_place[k]] = M->value[k];
  for (int i = 0; i < g->blocks; i++) {
    int d = g->offset[i + 1] - g->offset[i];
    add_block(g, i, D);
    D += d * d;
  }
}
