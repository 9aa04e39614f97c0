/* Lemke's ray as a witness that nothing solves a contact problem in the plane or with friction polygons.
 *
 * As an LCP, 0 <= w = M z + q _|_ z >= 0 (known slip: the normal equations; else docs/theory/trinkle.md), the problem
 * has no solution if some v >= 0 has M^T v <= 0 and q.v < 0: then v.w = (M^T v).z + q.v < 0 for every z >= 0, although
 * v, w >= 0. Where Lemke's method ends on a secondary ray, its direction v is such a vector for positive semidefinite M
 * and many others; the two conditions are checked. Depends on solver.
 */
#ifndef ASP_ANALYZE_RAY_H
#define ASP_ANALYZE_RAY_H

#include "asperity/analyze.h"

/* Fill the analysis' lcp_* from the problem in its local form; leaves them empty where the problem is no LCP, or
 * Lemke's method does not end on a ray. */
AspError asp_witness_ray(AspContext *context, const AspContactProblem *problem, AspAnalysis *analysis);

#endif
