/* The second-order cone Q = { x : ||x_T|| <= x_N } of 1, 2 or 3 dimensions as interior-point methods need it, inline.
 *
 *   det x  = x_N^2 - ||x_T||^2,   eigenvalues x_N +- ||x_T||,   x o y = (x.y, x_N y_T + y_N x_T),   e = (1, 0)
 *   Nesterov-Todd scaling of interior r and z:  W symmetric,  W z = W^-1 r = lambda,  Theta = W^2,  Theta z = r
 *   W = eta [ w_N  w_T^T ; w_T  1 + w_T w_T^T / (1 + w_N) ],   det w = 1,   eta^4 = det r / det z
 *
 * One dimension is the half-line. Source: Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010).
 */
#ifndef ASP_SOLVER_SOC_H
#define ASP_SOLVER_SOC_H

#include <math.h>
#include <stdbool.h>

typedef struct SocScaling {
  double eta;
  double w[3];
  double lambda[3];
} SocScaling;

static inline double soc_tangential(int size, const double *x) {
  return size == 1 ? 0 : size == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

static inline double soc_smallest(int size, const double *x) { return x[0] - soc_tangential(size, x); }

static inline double soc_det(int size, const double *x) {
  double t = soc_tangential(size, x);
  return (x[0] - t) * (x[0] + t);
}

static inline double soc_dot(int size, const double *x, const double *y) {
  double sum = x[0] * y[0];
  for (int k = 1; k < size; k++)
    sum += x[k] * y[k];
  return sum;
}

static inline void soc_apply(const SocScaling *s, int size, bool inverse, const double *x, double *y) {
  double sign = inverse ? -1 : 1, eta = inverse ? 1 / s->eta : s->eta, dot = 0;
  for (int k = 1; k < size; k++)
    dot += s->w[k] * x[k];
  double x0 = x[0], common = sign * x0 + dot / (1 + s->w[0]);
  for (int k = 1; k < size; k++)
    y[k] = eta * (x[k] + common * s->w[k]);
  y[0] = eta * (s->w[0] * x0 + sign * dot);
}

/* False when r or z is not strictly inside the cone. */
static inline bool soc_scale(int size, const double *r, const double *z, SocScaling *s) {
  double det_r = soc_det(size, r), det_z = soc_det(size, z);
  if (!(det_r > 0) || !(det_z > 0) || !(r[0] > 0) || !(z[0] > 0) || !isfinite(det_r) || !isfinite(det_z))
    return false;
  double root_r = sqrt(det_r), root_z = sqrt(det_z);
  double gamma = sqrt(0.5 * (1 + soc_dot(size, r, z) / (root_r * root_z)));
  s->eta = sqrt(root_r / root_z);
  s->w[0] = (r[0] / root_r + z[0] / root_z) / (2 * gamma);
  for (int k = 1; k < size; k++)
    s->w[k] = (r[k] / root_r - z[k] / root_z) / (2 * gamma);
  soc_apply(s, size, false, z, s->lambda);
  return isfinite(s->eta) && s->eta > 0 && isfinite(s->w[0]);
}

/* Theta = W^2 = eta^2 (2 w w^T - J), entry (k, l) at Theta[k + 3 l] */
static inline void soc_theta(const SocScaling *s, int size, double *Theta) {
  double eta2 = s->eta * s->eta;
  for (int l = 0; l < size; l++)
    for (int k = 0; k < size; k++)
      Theta[k + 3 * l] = eta2 * (2 * s->w[k] * s->w[l] - (k != l ? 0 : k == 0 ? 1 : -1));
}

/* y = x o y */
static inline void soc_product(int size, const double *x, double *y) {
  double dot = soc_dot(size, x, y), y0 = y[0];
  for (int k = 1; k < size; k++)
    y[k] = x[0] * y[k] + y0 * x[k];
  y[0] = dot;
}

/* y := the solution of x o ? = y */
static inline void soc_divide(int size, const double *x, double *y) {
  double dot = 0;
  for (int k = 1; k < size; k++)
    dot += x[k] * y[k];
  double first = (x[0] * y[0] - dot) / soc_det(size, x);
  for (int k = 1; k < size; k++)
    y[k] = (y[k] - first * x[k]) / x[0];
  y[0] = first;
}

/* The largest a with x + a d in the cone, x inside; at most `most`. */
static inline double soc_step(int size, const double *x, const double *d, double most) {
  if (size == 1)
    return d[0] < 0 ? fmin(most, -x[0] / d[0]) : most;
  double a = d[0] * d[0], b = x[0] * d[0], c = soc_det(size, x);
  for (int k = 1; k < size; k++) {
    a -= d[k] * d[k];
    b -= x[k] * d[k];
  }
  double discriminant = b * b - a * c;
  double step = most;
  if (discriminant >= 0) {
    double q = b >= 0 ? -(b + sqrt(discriminant)) : -b + sqrt(discriminant);
    double first = a != 0 ? q / a : HUGE_VAL, second = q != 0 ? c / q : HUGE_VAL;
    if (first > 0)
      step = fmin(step, first);
    if (second > 0)
      step = fmin(step, second);
  }
  return step;
}

#endif
