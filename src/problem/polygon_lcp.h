/* The contact problem with polygonal friction as an LCP (docs/theory/trinkle.md), on an arena. The public
 * asp_problem_polygon_lcp wraps it.
 */
#ifndef ASP_PROBLEM_POLYGON_LCP_H
#define ASP_PROBLEM_POLYGON_LCP_H

#include "problem/eliminate.h"

/* A reaction variable (p_n or beta_j): r += z force on the rows row .. row + count - 1, and the velocity that belongs
 * to it is the combination `velocity` of u on the same rows (they differ for SLIDING only). */
typedef struct PolygonVariable {
  int row, count;
  double force[3], velocity[3];
} PolygonVariable;

/* A sliding speed sigma with its directions first .. first + count - 1 among the reaction variables: the law
 * 0 <= sigma _|_ mu p_n - sum beta + limit >= 0; normal is -1 for BOX. */
typedef struct PolygonSpeed {
  int first, count, normal;
  double mu, limit;
} PolygonSpeed;

typedef struct PolygonLcp {
  bool standard;             /* r_e eliminated */
  int reactions, speeds;     /* z = (r_e unless standard, reactions, speeds) */
  PolygonVariable *reaction; /* p_n of all contacts, then beta of contacts, then beta of BOX rows */
  PolygonSpeed *speed;       /* of contacts, then of BOX rows */
  AspElimination equalities; /* carried out when standard */
  AspMixedLcp lcp;
} PolygonLcp;

/* Laws with a normal reaction, and the variable p_n of such a block. */
bool asp_polygon_has_normal(const AspLaw *law);
PolygonVariable asp_polygon_normal(const AspContactProblem *problem, int block);

/* True when a COULOMB block has a relaxed cone, or in 3D an exact one, which no LCP here describes; *block receives the
 * first. */
bool asp_polygon_has_exact_cone(const AspContactProblem *problem, int *block);

/* The friction directions (vertices of the polygon) of a COULOMB law in (t1, t2), opposite ones side by side when the
 * number is even; in 2D +t and -t. direction has room for 2 * asp_polygon_direction_count() values. */
int asp_polygon_direction_count(const AspLaw *law, int dimension);
void asp_polygon_directions(const AspLaw *law, int dimension, double *direction);

/* Assemble from W (rows x rows, dense, column-major) and q of the local form. ASP_ERROR_UNSUPPORTED, with the block
 * named, for an exact cone in 3D. */
AspError asp_polygon_lcp_assemble(AspArena *arena, const AspContactProblem *problem, const double *W, const double *q,
                                  bool standard, PolygonLcp *polygon);

/* W of the local form as a dense matrix, column-major; NULL when out of memory. */
double *asp_polygon_dense(AspArena *arena, const AspContactProblem *problem);
/* A copy on the context. */
AspError asp_mixed_lcp_copy(AspContext *context, const AspMixedLcp *from, AspMixedLcp *out);

/* r (rows of the problem) from z. */
void asp_polygon_lcp_reactions(const AspContactProblem *problem, const PolygonLcp *polygon, const double *z, double *r);

#endif
