/* Asperity analyze: every solution of a contact problem, whether there is one, whether it is the only one.
 *
 *   AspAnalysisOptions options = asp_analysis_default_options();
 *   asp_analyze(context, &problem, &options, &analysis);
 *   ... analysis.exists, analysis.unique, analysis.solution[i] ...
 *   asp_analysis_destroy(context, &analysis);
 *
 * In the plane and with friction polygons the search is complete, with the exact cone in space it is where slip
 * directions can be told apart by interval arithmetic (one or two contacts as a rule). `complete` is set only when
 * nothing was left undecided. Theory: docs/theory/existence.md.
 *
 * Threads and ownership: base.h. Results are plain data of the caller, made on the context.
 */
#ifndef ASPERITY_ANALYZE_H
#define ASPERITY_ANALYZE_H

#include "asperity/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a block does in a solution. */
typedef enum AspBlockMode {
  ASP_BLOCK_ANY_CLOSED = -2, /* of a witness: any mode but open */
  ASP_BLOCK_ANY = -1,        /* of a witness: any mode */
  ASP_BLOCK_OPEN = 0,        /* no reaction */
  ASP_BLOCK_CLOSED,          /* frictionless or known slip: pushes, no normal motion */
  ASP_BLOCK_STICK,           /* at rest within its friction */
  ASP_BLOCK_SLIDE,           /* moves against its friction */
  ASP_BLOCK_HELD             /* EQUALITY */
} AspBlockMode;
ASP_API const char *asp_block_mode_name(AspBlockMode mode); /* [any thread, lent] */

/* One motion, and the reactions that go with it: one of them where reaction_dimension > 0. */
typedef struct AspSolution {
  AspBlockMode *mode;     /* blocks */
  double *r, *u;          /* rows */
  double *x;              /* dofs */
  double energy;          /* 1/2 x.M x: of velocities J; local form alone: 1/2 r.(u + q) */
  AspResidual residual;   /* of r, by the judge */
  int motion_dimension;   /* > 0: one of a continuum of motions */
  int reaction_dimension; /* of the convex set of reactions with this motion; > 0: hyperstatic */
  double *low, *high;     /* blocks: interval of the first reaction (r_N) over that set, or over the whole continuum of
                             motions; HUGE_VAL: no bound */
} AspSolution;

/* Why a part of the modes has no solution: with the laws in the modes named (the others in any mode), p.u >= 0 for
 * every admissible u (> 0 where a moving mode has a part in it), but p.u = p.(W r + q) < 0 for every admissible r. */
typedef struct AspWitness {
  AspBlockMode *mode; /* blocks */
  double *p;          /* rows */
  double margin;      /* p.q + largest p.W r over the admissible r (0: all p.W r <= 0), < 0 */
} AspWitness;

typedef struct AspAnalysisOptions {
  uint32_t cookie;
  double max_time;   /* s, 30 */
  int64_t max_nodes; /* of the search, 0: no limit */
  int max_solutions; /* 1000 */
  int max_witnesses; /* kept when there is no solution, 200 */
  bool certificates; /* what theory says is wanted, too: true */
  int starts;        /* of the solvers where the search could not decide, 24 */
} AspAnalysisOptions;

typedef struct AspAnalysis {
  bool exists;            /* a solution was found */
  bool unique;            /* complete, one motion, one reaction */
  bool unique_motion;     /* complete, one motion */
  bool complete;          /* all solutions are listed; nothing was left undecided */
  const char *incomplete; /* why not complete; NULL */
  int blocks, rows, dofs;
  int count;
  AspSolution *solution; /* count, by Painleve's principle: fewest closed contacts first, then least energy */
  int64_t nodes;         /* linear programs' nodes visited */
  int islands;
  int rank;        /* of all rows together */
  bool *dependent; /* rows (NULL without certificates): follows from earlier rows (redundant contact or joint) */
  int equality_rows, equality_rank; /* joints: conditions and how many are independent */
  double contradiction;             /* > 0: joints that cannot be met together, relative */
  /* what theory says; NAN: it says nothing about problems of this kind */
  double
      existence_margin;  /* > 0: a solution exists for certain (a velocity strictly inside the dual cone exists), m/s */
  double *existence_y;   /* rows, where the margin is > 0: u = W y + q has u_N - mu ||u_T|| >= the margin; else NULL */
  double small_friction; /* < 4: one motion at most for every load (docs/theory/existence.md); infinite: redundant */
  /* blocks without undecided slip alone (UNILATERAL, SLIDING; at most 14): u_N = A r_N + b; else normals = 0 */
  int normals, *normal_block; /* normals: blocks of the problem */
  double *normal_A;           /* normals x normals, row-major */
  double *normal_b;           /* normals */
  double smallest_minor;      /* of A, scaled: > 0: a P-matrix, one solution for every load; <= 0: not so */
  double least_power;         /* least r.A r over r >= 0, sum r = 1, scaled: > 0: strictly copositive, a solution for
                                 every load */
  int witnesses;              /* no solution: kept witnesses; together they cover all modes when witness_complete */
  AspWitness *witness;
  bool witness_complete;
  /* no solution, in the plane or with polygons: where Lemke's method ends on a ray v of the LCP w = M z + q */
  int lcp_size;
  double *lcp_M;       /* lcp_size x lcp_size, row-major */
  double *lcp_q;       /* lcp_size */
  double *lcp_ray;     /* lcp_size: v >= 0 */
  bool lcp_ray_proves; /* M^T v <= 0 and q.v < 0: by itself a proof that there is no solution */
} AspAnalysis;

ASP_API AspAnalysisOptions asp_analysis_default_options(void); /* [any thread] */
/* options may be NULL. The problem needs its global or its local form. [one thread, yours: asp_analysis_destroy] */
ASP_API AspError asp_analyze(AspContext *context, const AspContactProblem *problem, const AspAnalysisOptions *options,
                             AspAnalysis *analysis);
ASP_API void asp_analysis_destroy(AspContext *context, AspAnalysis *analysis); /* [one thread, ends it] */

/* ---- statics: can contacts and joints balance the loads? ---- */

/* That a balance exists is necessary for a structure to stand, and with Coulomb's (non-associated) friction not always
 * sufficient: contacts may also find a way to move. That none exists is proof that it moves. */
typedef struct AspStatics {
  bool stands;            /* reactions within their laws balance the loads */
  double *r;              /* rows: such reactions; zeros where there are none */
  double residual;        /* largest |H r + f|, relative to the loads */
  double *mechanism;      /* dofs: where it does not stand, a motion in which no reaction resists; largest entry 1 */
  double *opening;        /* rows: H^T mechanism, how the contacts move in it: u_N >= mu ||u_T|| (associated) */
  double power;           /* f . mechanism > 0 */
  double friction_factor; /* least factor on all coefficients of friction with which a balance exists; INFINITY: none;
                             NAN: not asked */
  double load_factor;     /* largest s with loads f + s load balanced; INFINITY: any; NAN: none, or no load given */
} AspStatics;

/* The problem's M and w are not used, f holds the loads; load (dofs) may be NULL. Slipping contacts count as sticking.
 * find_friction: the friction factor is wanted, too (some forty linear programs).
 * [one thread, yours: asp_statics_destroy] */
ASP_API AspError asp_statics(AspContext *context, const AspContactProblem *problem, const double *load,
                             bool find_friction, AspStatics *statics);
ASP_API void asp_statics_destroy(AspContext *context, AspStatics *statics); /* [one thread, ends it] */

#ifdef __cplusplus
}
#endif
#endif
