/* The natural map of a block: zero exactly where (u_i, r_i) obeys the block's law.
 *
 *   EQUALITY     rho u
 *   UNILATERAL   min(rho u, r)
 *   COULOMB      exact cone:  r - P_K(r - rho (u + mu ||u_T|| n))                    (De Saxce's form)
 *                relaxed:     r - P_K(r - rho u)                                     (without De Saxce's term)
 *                polygon:     min(rho u_N, r_N),  r_T - P_{mu max(r_N, 0) polygon}(r_T - rho u_T)
 *   SLIDING      min(rho u_N, r_N),  r_T + mu r_N d
 *   BOX          r - clamp(r - rho u, -limit, limit)
 *   BALL         r - P(r - rho u), P onto the ball of radius limit
 *
 * P_K: projection onto the friction cone, n: normal, d: direction of slip. In the plane a polygon is the exact cone.
 * Steep cones: the map shows an approach u_N only as u_N / sqrt(1 + mu^2). Where mu exceeds 100 the normal condition
 * min(rho u_N, r_N) / 100 therefore replaces a map that is smaller than it.
 * Source: De Saxce and Feng, Math. Comput. Model. 28 (1998). Depends on the problem's law struct and cone.h.
 */
#ifndef ASP_PROBLEM_NATURAL_MAP_H
#define ASP_PROBLEM_NATURAL_MAP_H

#include "asperity/problem.h"
#include "problem/cone.h"

static inline double asp_smaller(double a, double b) { return a < b ? a : b; }

/* The map of a block of one row: UNILATERAL, BOX, or EQUALITY. */
static inline double asp_natural_map_of_row(const AspLaw *law, double rho, double r, double u) {
  if (law->kind == ASP_LAW_UNILATERAL)
    return asp_smaller(rho * u, r);
  return law->kind == ASP_LAW_BOX ? r - asp_box_project(law->limit, r - rho * u) : rho * u;
}

/* rows: of this block; r, u, F: rows values. F must not overlap r or u. `exact`: take the exact cone for a polygon. */
void asp_natural_map(const AspLaw *law, int rows, double rho, const double *r, const double *u, bool exact, double *F);

/* Sizes of the exact cone's map in space at three rho, r and u of three rows: what the judge asks of every contact. */
void asp_exact_cone_map_sizes(double mu, const double rho[3], const double *r, const double *u, double size[3]);

/* How far r_i leaves the set that its law allows, whatever u is: the largest of -r_N, ||r_T|| - mu r_N (polygon: across
 * its nearest edge), ||r_T + mu r_N d|| (SLIDING), |r| - limit (BOX, BALL); not below 0. Unit of r. */
double asp_law_excess(const AspLaw *law, int rows, const double *r);

#endif
