/* Projections onto the sets that the laws of contact are made of, inline; the judge and the solvers share them.
 *
 *   K_mu    = { (r_N, r_T) : ||r_T|| <= mu r_N }                      second-order cone of Coulomb
 *   K_mu^*  = { (u_N, u_T) : u_N >= mu ||u_T|| }                      its dual
 *   polygon = regular polygon with n edges, apothem a, one edge normal at the angle phase
 *
 * A point has d = 1 or 2 tangential components: x[0] normal, x[1 .. d] tangential (contact in the plane or in space).
 * mu = 0 makes K the half-line r_N >= 0 and K^* the half-space u_N >= 0. Depends on the problem's law struct only.
 */
#ifndef ASP_PROBLEM_CONE_H
#define ASP_PROBLEM_CONE_H

#include "asperity/problem.h"
#include "base/constants.h"
#include "base/elementary.h"
#include "problem/tuning/problem.h"

#include <math.h>

/* sqrt(a^2 + b^2); the squares are used where they neither overflow nor vanish */
static inline double asp_cone_hypotenuse(double a, double b) {
  double square = a * a + b * b;
  return square > ASP_SQUARE_LEAST && square < ASP_SQUARE_MOST ? sqrt(square) : asp_hypot(a, b);
}

/* ||x_T|| */
static inline double asp_cone_tangential_norm(int d, const double *x) {
  return d == 1 ? fabs(x[1]) : asp_cone_hypotenuse(x[1], x[2]);
}

/* y = P_K(x); x and y may be the same array. */
static inline void asp_cone_project(int d, double mu, const double *x, double *y) {
  double t = asp_cone_tangential_norm(d, x);
  double normal = x[0], tangential = 1; // y = (normal, tangential x_T)
  if (t > mu * x[0]) {
    // c and s: cosine and sine of the cone's half-angle; c, s stay exact where mu^2 would overflow
    double root = asp_cone_hypotenuse(1, mu), c = 1 / root, s = mu / root;
    double along = s * t + c * x[0]; // coordinate along the nearest ray of the cone
    normal = along > 0 ? c * along : 0;
    tangential = along > 0 ? s * along / t : 0;
  }
  y[0] = normal;
  for (int k = 1; k <= d; k++)
    y[k] = tangential * x[k];
}

/* y = P_K*(x) = x + P_K(-x) (Moreau); x and y may be the same array. */
static inline void asp_cone_project_dual(int d, double mu, const double *x, double *y) {
  double minus[3] = {-x[0], -x[1], d == 2 ? -x[2] : 0}, p[3] = {0};
  asp_cone_project(d, mu, minus, p);
  for (int k = 0; k <= d; k++)
    y[k] = x[k] + p[k];
}

static inline double asp_box_project(double limit, double x) { return x < -limit ? -limit : x > limit ? limit : x; }

/* Length of a vector of up to three components. */
static inline double asp_ball_length(int size, const double *x) {
  double length = fabs(x[0]);
  for (int k = 1; k < size; k++)
    length = asp_cone_hypotenuse(length, x[k]);
  return length;
}

/* y = projection of x onto the ball of this radius; x and y may be the same array. */
static inline void asp_ball_project(int size, double radius, const double *x, double *y) {
  double length = asp_ball_length(size, x), factor = length > radius ? radius / length : 1;
  for (int k = 0; k < size; k++)
    y[k] = factor * x[k];
}

/* The polygon that a COULOMB block's r_T may fill for mu r_N = 1. */
typedef struct AspPolygon {
  int edges;
  double apothem, half_edge; /* distance of an edge from the centre, half its length */
  double phase;              /* angle of one edge normal from t1, rad */
} AspPolygon;

static inline AspPolygon asp_polygon_of_law(const AspLaw *law) {
  double half = ASP_PI / law->directions; // half the angle of one edge
  if (law->cone == ASP_CONE_INSCRIBED)
    return (AspPolygon){law->directions, asp_cos(half), asp_sin(half), law->angle + half};
  return (AspPolygon){law->directions, 1, asp_tan(half), law->angle};
}

/* Cosine and sine of the edge normal nearest to the direction of x_T; by symmetry the nearest point of the polygon
 * lies on that edge when x_T is outside. */
static inline void asp_polygon_nearest_normal(const AspPolygon *P, const double *t, double *c, double *s) {
  double turn = 2 * ASP_PI / P->edges;
  double angle = P->phase + turn * nearbyint((asp_atan2(t[1], t[0]) - P->phase) / turn);
  *c = asp_cos(angle);
  *s = asp_sin(angle);
}

/* y = projection of t onto scale times the polygon, scale >= 0; t and y have two components, may be the same. */
static inline void asp_polygon_project(const AspPolygon *P, double scale, const double *t, double *y) {
  double c, s;
  asp_polygon_nearest_normal(P, t, &c, &s);
  double across = c * t[0] + s * t[1], along = c * t[1] - s * t[0];
  if (across > scale * P->apothem) {
    double end = scale * P->half_edge;
    across = scale * P->apothem;
    along = asp_box_project(end, along);
    y[0] = c * across - s * along;
    y[1] = s * across + c * along;
  } else {
    double t0 = t[0], t1 = t[1];
    y[0] = t0;
    y[1] = t1;
  }
}

/* How far t sticks out of scale times the polygon, measured across the nearest edge; <= 0 inside. */
static inline double asp_polygon_excess(const AspPolygon *P, double scale, const double *t) {
  double c, s;
  asp_polygon_nearest_normal(P, t, &c, &s);
  return c * t[0] + s * t[1] - scale * P->apothem;
}

#endif
