/* Long dense vector loops of the pivoting methods. On x86-64 with the GNU C library each is compiled for AVX2 and for
 * the base instruction set and chosen when the program is loaded; both give the same bits (no fused operations, sums in
 * a fixed order).
 */
#ifndef ASP_SOLVER_KERNELS_H
#define ASP_SOLVER_KERNELS_H

#include <stddef.h>

/* y += a x */
void asp_kernel_axpy(int n, double a, const double *x, double *y);
/* y += a[0] x0 + a[1] x1 + a[2] x2 + a[3] x3, added in that order */
void asp_kernel_axpy4(int n, const double a[4], const double *x0, const double *x1, const double *x2, const double *x3,
                      double *y);
/* x . y, summed in eight interleaved parts */
double asp_kernel_dot(int n, const double *x, const double *y);
/* A += x g^T for the rows x columns matrix A (column-major, leading dimension ld); columns with g = 0 are skipped */
void asp_kernel_rank1(int rows, int columns, const double *x, const double *g, double *A, size_t ld);

#endif
