/* What theory says about a contact problem before any solution is sought. Depends on lp, reduced.
 *
 *   rank        which rows depend on earlier ones (redundant contacts and joints)
 *   existence   a velocity u = W y + q strictly inside the dual cone, u_N > mu ||u_T||, for some y: then every problem
 *               with Coulomb's law has a solution (Acary and Cadoux 2013; Klarbring and Pang 1998 for polygons)
 *   P-matrix    all principal minors of the normal equations' matrix A positive: exactly one solution for every load,
 *               for problems without undecided slip (UNILATERAL and SLIDING blocks): 0 <= A r_N + q_N _|_ r_N >= 0
 */
#ifndef ASP_ANALYZE_CERTIFICATE_H
#define ASP_ANALYZE_CERTIFICATE_H

#include "analyze/reduced.h"

/* W: rows x rows, symmetric up to rounding, destroyed. dependent: rows. */
void asp_certify_rank(int rows, double *W, bool *dependent, int *rank);

/* The margin t > 0 with u_N - mu ||u_T|| >= t possible, u scaled, at most 1; NAN: the laws are not of this kind. */
AspError asp_certify_existence(AspArena *arena, const AspReduced *problem, double *margin);

#define ASP_P_MATRIX_MOST 14
/* The smallest principal minor of A (scaled to unit diagonal where positive); NAN: not of this kind, or too many. */
AspError asp_certify_p_matrix(AspArena *arena, const AspReduced *problem, double *smallest_minor);

#endif
