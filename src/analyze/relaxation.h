/* The linear program of a partial choice of pieces: is there an r at all?
 *
 *   r = base + G lambda,  lambda >= 0,  u = W r + q meets the pieces' conditions,   min z
 *   z >= (2 W r0 + q).r - r0.W r0   for every cut r0
 *
 * The cuts stand for the power that every solution obeys, r.u = r.W r + q.r <= 0 (contacts and dry joints never
 * drive): a convex function above its tangents. z > 0 rules the choice out as well as infeasibility does. Without power
 * (SLIDING blocks) there are no cuts. Depends on lp, pieces, reduced.
 */
#ifndef ASP_ANALYZE_RELAXATION_H
#define ASP_ANALYZE_RELAXATION_H

#include "analyze/lp.h"
#include "analyze/pieces.h"
#include "analyze/reduced.h"
#include "analyze/tuning/analyze.h"

typedef struct AspRelaxation {
  AspArena *arena;
  const AspReduced *problem;
  bool power;       /* use cuts */
  double tolerance; /* on infeasibility and power */
  bool closure;     /* moving pieces with their boundary: they ask for no smallest motion */
  int cuts, next_cut;
  double *cut;          /* ASP_CUTS_MAX x rows: gradients 2 W r0 + q */
  double *height;       /* ASP_CUTS_MAX: r0.W r0 */
  double *facet;        /* blocks x ASP_FACETS_MAX: extra directions of exact cones */
  int *facets;          /* blocks */
  const double *motion; /* rows: where not NULL, u is held to this instead of meeting the pieces' conditions on u */
  AspPiece piece;       /* scratch */
} AspRelaxation;

/* What the program said about a choice. */
typedef struct AspRelaxed {
  bool feasible;
  double miss;     /* infeasible: by how much at least */
  double *r;       /* rows: a point of the relaxation; infeasible: where it misses least */
  double *u;       /* rows */
  double *witness; /* rows: infeasible without the help of cuts: p with p.u > p.(W r + q) for all the choice allows */
  bool has_witness;
} AspRelaxed;

AspError asp_relaxation_begin(AspArena *arena, const AspReduced *problem, AspRelaxation *relaxation);
/* r, u, witness of `out` must have room. */
AspError asp_relaxation_solve(AspRelaxation *relaxation, const AspPieceChoice *choices, AspRelaxed *out);
/* Minimum of c.r (+ s.u where s is not NULL) over the relaxation of the choices; *feasible false: empty, or unbounded.
 * r (rows) may be NULL. */
AspError asp_relaxation_extreme(AspRelaxation *relaxation, const AspPieceChoice *choices, const double *c,
                                const double *s, double *value, AspLpStatus *status, double *r);
/* Cut off a point whose tangential reaction leaves the exact cone of a block; false when the block has no room. */
bool asp_relaxation_add_facet(AspRelaxation *relaxation, int block, const double *r);

#endif
