/* The matrix that most contact solvers factor, A = M + sum over i of H_i D_i H_i^T, with H_i the columns of block i of
 * H and D_i a small dense matrix that changes from iteration to iteration. Pattern and places are found once; computing
 * A again touches only numbers.
 *
 * D_i need not be symmetric; the pattern of A is symmetric where that of M is. Depends on base and sparse.h.
 */
#ifndef ASP_LINALG_GRAM_H
#define ASP_LINALG_GRAM_H

#include "linalg/sparse.h"

typedef struct AspGram {
  AspSparse A; /* M + H D H^T */
  int blocks;
  const int *offset;   /* blocks + 1, borrowed */
  int *dof_start;      /* blocks + 1 */
  int *dof;            /* rows of H that block i touches, ascending */
  int *run_start;      /* blocks + 1 */
  int *run;            /* lengths of the runs of neighbouring rows among them */
  size_t *place_start; /* blocks + 1 */
  int *place;          /* by touched column, then by run: where in A.value the run starts */
  size_t *H_start;     /* blocks + 1 */
  double *H;           /* H_i dense, touched rows x block size, column-major */
  int *M_place;        /* where each entry of M stands in A.value */
  double *product;     /* scratch: D_i H_i^T, block size x touched rows */
} AspGram;

/* All in the arena. The values of H are copied; offset must outlive the gram. */
AspError asp_gram_analyse(AspArena *arena, const AspSparse *M, const AspSparse *H, int blocks, const int *offset,
                          AspGram *gram);
/* M has the analysed pattern. D: the blocks one after the other, column-major; block i has
 * (offset[i + 1] - offset[i])^2 values. */
void asp_gram_compute(AspGram *gram, const AspSparse *M, const double *D);

#endif
