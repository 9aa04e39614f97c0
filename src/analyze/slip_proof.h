/* Exact cones in space: how many solutions have their slip directions in given arcs? A proof by interval arithmetic.
 *
 * Unknowns z: r_N, s, theta of a sliding contact (r = r_N (1, -mu d), u = (0, s d), d = (cos, sin) theta), r of what
 * sticks, r_N of what is closed; as many equations F(z) = 0. Krawczyk's operator on a box Z that holds every solution
 * of the arcs (bounds of r_N, s, r from linear programs),
 *
 *   K(Z) = z0 - Y F(z0) + (1 - Y J(Z)) (Z - z0),   Y = J(z0)^-1
 *
 * proves exactly one solution where K(Z) lies inside Z, and none where K(Z) and Z are apart. Depends on relaxation,
 * interval.
 */
#ifndef ASP_ANALYZE_SLIP_PROOF_H
#define ASP_ANALYZE_SLIP_PROOF_H

#include "analyze/relaxation.h"

typedef enum AspSlipVerdict { ASP_SLIP_NONE, ASP_SLIP_ONE, ASP_SLIP_UNKNOWN } AspSlipVerdict;

/* r (rows) receives the solution (ONE), or the point that Newton's method found (UNKNOWN, *found true). */
AspError asp_slip_proof(AspRelaxation *relaxation, const AspPieceChoice *choices, double *r, bool *found,
                        AspSlipVerdict *verdict);

#endif
