/* The law BALL of one block, the others held: the minimum of r^T W r/2 + q^T r over the ball ||r|| <= R. With the
 * multiplier lambda of the bound
 *
 *   (W + lambda) r = -q,   lambda >= 0,   lambda (||r|| - R) = 0
 *
 * and u = W r + q = -lambda r. Newton's method on 1/||r(lambda)|| - 1/R = 0, which is nearly linear in lambda, from
 * lambda = 0 upwards. Source: More and Sorensen, SIAM J. Sci. Stat. Comput. 4 (1983). Depends on linalg and
 * problem/cone.h. */
#include "solver/local_ball.h"

#include "linalg/small.h"
#include "problem/cone.h"
#include "solver/tuning/nsgs.h"

#include <float.h>

/* r = -(W + lambda)^-1 q; *slope: r^T (W + lambda)^-1 r. False: singular. */
static bool solve(int n, const double *W, double lambda, const double *q, double *r, double *slope) {
  double A[9], s[3];
  int pivot[3];
  for (int k = 0; k < n * n; k++)
    A[k] = W[k] + (k % (n + 1) == 0 ? lambda : 0);
  if (!asp_small_lu(n, A, pivot))
    return false;
  for (int k = 0; k < n; k++)
    r[k] = -q[k];
  asp_small_lu_solve(n, A, pivot, r);
  for (int k = 0; k < n; k++)
    s[k] = r[k];
  asp_small_lu_solve(n, A, pivot, s);
  *slope = 0;
  for (int k = 0; k < n; k++)
    *slope += r[k] * s[k];
  return true;
}

void asp_local_ball_solve(int n, const double *W, double radius, const double *q, double *r) {
  double trace = 0, lambda = 0, slope;
  for (int k = 0; k < n; k++)
    trace += W[k + k * n];
  if (!(trace > 0) || !(radius > 0)) { // nothing moves there, or nothing may be done
    for (int k = 0; k < n; k++)
      r[k] = 0;
    return;
  }
  double least = LOCAL_BALL_COMPLIANCE * trace; // so that W may be singular
  for (int step = 0; step < LOCAL_BALL_STEPS; step++) {
    bool regular = solve(n, W, least + lambda, q, r, &slope);
    double length = regular ? asp_ball_length(n, r) : 0, over = length / radius - 1;
    if (regular && ((lambda == 0 && over <= 0) || fabs(over) <= LOCAL_BALL_ROUNDING))
      break;
    if (!regular || !(slope > 0)) {
      lambda = fmax(2 * lambda, least);
      continue;
    }
    lambda = fmax(lambda + over * length * length / slope, 0);
  }
  asp_ball_project(n, radius, r, r);
}
