/* What theory says about a contact problem before any solution is sought. Depends on lp, reduced.
 *
 *   rank        which rows depend on earlier ones (redundant contacts and joints)
 *   existence   a velocity u = W y + q strictly inside the dual cone, u_N > mu ||u_T||, for some y: then every problem
 *               with Coulomb's law has a solution (Acary and Cadoux 2013; Klarbring and Pang 1998 for polygons)
 *   copositive  r.A r > 0 for all r >= 0 but 0: the same normal equations have a solution for every load
 *   P-matrix    all principal minors of the normal equations' matrix A positive: exactly one solution for every load,
 *               for problems without undecided slip (UNILATERAL and SLIDING blocks): 0 <= A r_N + q_N _|_ r_N >= 0
 */
#ifndef ASP_ANALYZE_CERTIFICATE_H
#define ASP_ANALYZE_CERTIFICATE_H

#include "analyze/reduced.h"
#include "analyze/tuning/analyze.h"

/* W: rows x rows, symmetric up to rounding, destroyed. whole: rows, what a row's pivot is compared with; NULL: its
 * diagonal entry. dependent: rows. */
void asp_certify_rank(int rows, double *W, const double *whole, bool *dependent, int *rank);

/* The margin t > 0 with u_N - mu ||u_T|| >= t possible, u = W y + q scaled, at most 1, and such a y (rows); NAN: the
 * laws are not of this kind. */
AspError asp_certify_existence(AspArena *arena, const AspReduced *problem, double *margin, double *y);

/* UNILATERAL and SLIDING blocks alone, and not too many. */
bool asp_certify_has_normal_equations(const AspReduced *problem);
/* A (blocks x blocks, row-major, scaled) of u_N = A r_N + q_N. */
void asp_certify_normal_equations(const AspReduced *problem, double *A);
/* The least r.A r over r >= 0 with sum r = 1, n <= ASP_P_MATRIX_MOST: on the face where it lies it is stationary, and
 * all faces are tried. */
AspError asp_certify_copositive(AspArena *arena, int n, const double *A, double *least);
/* The smallest principal minor of A, n x n with n <= ASP_P_MATRIX_MOST. */
AspError asp_certify_p_matrix(AspArena *arena, int n, const double *A, double *smallest_minor);

#endif
