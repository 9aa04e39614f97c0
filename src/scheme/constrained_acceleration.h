/* Accelerations while contacts and joints keep to what they do (modes): a linear system in place of the contact
 * problem.
 *
 *   C M^-1 F l = -(C M^-1 h + bias),   M v' = h + F l
 *
 * C: the constrained rows (all of EQUALITY, UNILATERAL and BOX blocks and of COULOMB ones, which stick; the normal
 * row of SLIDING ones). F: the directions of their reactions, C^T but for sliding contacts, whose friction goes along:
 * n - mu (d_1 t_1 + d_2 t_2). BOX blocks that move against their force (law.direction[0] their sign) have it known, in
 * h. Rows of armatures give way: the inverse of their inertia is added on the diagonal. Where rows depend on each other
 * the reactions are those nearest to given ones.
 * Depends on formulate, linalg.
 */
#ifndef ASP_SCHEME_CONSTRAINED_ACCELERATION_H
#define ASP_SCHEME_CONSTRAINED_ACCELERATION_H

#include "formulate/formulate.h"

typedef struct AspConstrainedMotion {
  double *r;            /* rows of the formulation: reactions, N or N m */
  double *acceleration; /* dofs */
  int largest;          /* rows of the largest island: what one dense system has */
  /* the sliding contact nearest to Painleve's paradox, u_N' = A r_N + b with the rest of its island held; -1: none, or
   * rows depend */
  int jam_block;
  double jam_A, jam_b; /* m/s^2 per N, m/s^2 */
  double jam_relative; /* A over its value without friction */
} AspConstrainedMotion;

/* The formulation is one of asp_formulate_acceleration (not finished) at the state; near: rows of it, reactions that
 * dependent ones shall be near, NULL: zero. Results lie on the formulation's arena. */
AspError asp_solve_constrained(const AspFormulation *formulation, const AspState *state, const double *near,
                               AspConstrainedMotion *motion);

/* The smallest displacement, or change of velocity, x (v_size, in the metric of M) with C x = -error, the errors one
 * per row of the formulation; x lies on its arena. */
AspError asp_correct_constrained(const AspFormulation *formulation, const AspState *state, const double *error,
                                 double **x);

#endif
