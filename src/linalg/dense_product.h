/* Products of dense matrices as they come, column-major, without the padding that the kernels of kernels.h need: the
 * inner loop of the dense factorisations. Depends on nothing. */
#ifndef ASP_LINALG_DENSE_PRODUCT_H
#define ASP_LINALG_DENSE_PRODUCT_H

/* C := C + sign A B;  A: m x k, C: m x n; entry (p, j) of B at B[p * bp + j * bj]. C shares no memory with A and B.
 * Each entry of C takes its products one after the other, p ascending: the same bits in every instruction set. */
void asp_dense_add_product(int m, int n, int k, double sign, const double *A, int lda, const double *B, int bp, int bj,
                           double *C, int ldc);

#endif
