/* Long dense vector loops. Compiled with -O3 (see CMakeLists.txt) so that the loops are vectorised; the order of every
 * sum is written out, so the vector width does not change a bit of the result. Depends on nothing.
 */
#include "solver/kernels.h"
#include "base/dispatched.h"
#include "solver/tuning/system.h"

ASP_DISPATCHED void asp_kernel_axpy(int n, double a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

ASP_DISPATCHED void asp_kernel_axpy4(int n, const double a[4], const double *restrict x0, const double *restrict x1,
                                     const double *restrict x2, const double *restrict x3, double *restrict y) {
  double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  for (int i = 0; i < n; i++)
    y[i] = (((y[i] + a0 * x0[i]) + a1 * x1[i]) + a2 * x2[i]) + a3 * x3[i];
}

ASP_DISPATCHED double asp_kernel_dot(int n, const double *restrict x, const double *restrict y) {
  double part[KERNELS_PARTS] = {0};
  int whole = n - n % KERNELS_PARTS;
  for (int i = 0; i < whole; i += KERNELS_PARTS)
    for (int k = 0; k < KERNELS_PARTS; k++)
      part[k] += x[i + k] * y[i + k];
  for (int i = whole; i < n; i++)
    part[i - whole] += x[i] * y[i];
  return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

ASP_DISPATCHED void asp_kernel_rank1(int rows, int columns, const double *restrict x, const double *restrict g,
                                     double *restrict A, size_t ld) {
  for (int j = 0; j < columns; j++) {
    double a = g[j];
    double *restrict column = A + (size_t)j * ld;
    if (a != 0)
      for (int i = 0; i < rows; i++)
        column[i] += a * x[i];
  }
}
