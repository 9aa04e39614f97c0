/* The mass matrix of a rigid body in space about its centre of mass, M = diag(m, m, m) + J: recognised from its 6x6
 * block, so that what is asked of it per contact costs a few products. Depends on nothing.
 */
#ifndef ASP_PROBLEM_RIGID_H
#define ASP_PROBLEM_RIGID_H

#include "problem/tuning/problem.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* M: column-major 6x6. True when it has this form with m > 0; J receives xx, xy, xz, yy, yz, zz. */
static inline bool asp_rigid_split(const double M[36], double *m, double J[6]) {
  *m = M[0];
  if (!(M[0] > 0) || M[7] != M[0] || M[14] != M[0])
    return false;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 6; i++)
      if ((i != j && M[6 * j + i] != 0) || (i != j && M[6 * i + j] != 0))
        return false;
  // exact: places in a 6x6 matrix
  static const int at[6] = {21, 22, 23, 28, 29, 35}, across[6] = {21, 27, 33, 28, 34, 35};
  for (int e = 0; e < 6; e++) {
    J[e] = M[at[e]];
    if (fabs(J[e] - M[across[e]]) > ASP_RIGID_ROUNDINGS * DBL_EPSILON * fabs(J[e]))
      return false;
  }
  return true;
}

/* J^-1 in the same order by cofactors; false when J is not positive definite, or so thin that cofactors lose digits. */
static inline bool asp_rigid_inverse(const double J[6], double inverse[6]) {
  double a = J[3] * J[5] - J[4] * J[4], b = J[2] * J[4] - J[1] * J[5], c = J[1] * J[4] - J[2] * J[3];
  double determinant = J[0] * a + J[1] * b + J[2] * c, factor = 1 / determinant;
  inverse[0] = factor * a;
  inverse[1] = factor * b;
  inverse[2] = factor * c;
  inverse[3] = factor * (J[0] * J[5] - J[2] * J[2]);
  inverse[4] = factor * (J[1] * J[2] - J[0] * J[4]);
  inverse[5] = factor * (J[0] * J[3] - J[1] * J[1]);
  double size = J[0] + J[3] + J[5];
  return J[0] > 0 && J[0] * J[3] > J[1] * J[1] && determinant > ASP_RIGID_THINNEST * size * size * size &&
         isfinite(factor);
}

#endif
