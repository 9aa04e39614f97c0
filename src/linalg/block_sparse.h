/* Block-sparse square matrix by block rows, blocks of any small size: W by contacts, what Gauss-Seidel sweeps over.
 *
 *   (B x)_i = sum over k of B_ik x_k,   block i owning the scalar rows offset[i] .. offset[i + 1] - 1
 *
 * The block at position p of block row i couples it with block column[p]; it is dense, column-major, its size is that
 * of row block i times that of column block column[p], and it starts at value[at[p]]. Columns ascend within a row; the
 * diagonal block is always stored. Depends on base and sparse.h.
 */
#ifndef ASP_LINALG_BLOCK_SPARSE_H
#define ASP_LINALG_BLOCK_SPARSE_H

#include "linalg/sparse.h"

typedef struct AspBlockSparse {
  int blocks;
  int *offset;   /* blocks + 1 */
  int *start;    /* blocks + 1: positions of the blocks of each block row */
  int *column;   /* start[blocks] */
  size_t *at;    /* start[blocks] + 1: where each block's values start */
  int *diagonal; /* blocks: position of the diagonal block */
  double *value; /* at[start[blocks]] */
} AspBlockSparse;

/* The matrix with the given block pattern (columns ascend within a row, diagonal included), values zero, all in the
 * arena; offset, start and column are copied. */
AspError asp_block_sparse_take(AspArena *arena, int blocks, const int *offset, const int *start, const int *column,
                               AspBlockSparse *B);
/* B = A with blocks that are stored when any entry of theirs is, and on the diagonal; in the arena. */
AspError asp_block_sparse_from_sparse(AspArena *arena, const AspSparse *A, int blocks, const int *offset,
                                      AspBlockSparse *B);
/* A = B on the context; blocks are stored whole, zeros included. */
AspError asp_block_sparse_to_sparse(AspContext *context, const AspBlockSparse *B, AspSparse *A);

static inline int asp_block_size(const AspBlockSparse *B, int i) { return B->offset[i + 1] - B->offset[i]; }
static inline double *asp_block_diagonal(const AspBlockSparse *B, int i) { return B->value + B->at[B->diagonal[i]]; }
/* Position of block (i, k), or -1. */
int asp_block_sparse_find(const AspBlockSparse *B, int i, int k);

/* y_i += (B x)_i, y_i being the values of block i alone */
void asp_block_sparse_row_multiply_add(const AspBlockSparse *B, int i, const double *x, double *y_i);
/* y = B x */
void asp_block_sparse_multiply(const AspBlockSparse *B, const double *x, double *y);

#endif
