/* Asperity problem: the one contact problem in the middle of the hourglass, and the judges of its solutions.
 *
 *   M x = H r + f,   u = H^T x + w,   (u_i, r_i) obeys law_i        (global form; x is a velocity or an acceleration)
 *   u = W r + q,     (u_i, r_i) obeys law_i                         (local form: W = H^T M^-1 H, q = H^T M^-1 f + w)
 *
 * Blocks: block i owns the rows offset[i] .. offset[i+1]-1 of u and r (columns of H). A contact's rows are normal, t1,
 * t2 (2D: normal, t); u is the velocity of body B relative to A at the contact, the normal points from A to B, r acts
 * on B and -r on A. Plain data without pointers into a model: it is also what gets written to a file. Equations:
 * docs/theory/contact-problem.md.
 *
 * Threads and ownership: base.h. A problem is plain data of the caller, made on a context; several threads may read one
 * problem. A judge belongs to the thread of its context and borrows the problem from reset to reset.
 */
#ifndef ASPERITY_PROBLEM_H
#define ASPERITY_PROBLEM_H

#include "asperity/linalg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kind, name */
#define ASP_LAW_LIST(X)                                                                                                \
  X(ASP_LAW_EQUALITY, "equality")     /* u = 0, r free; any number of rows */                                          \
  X(ASP_LAW_UNILATERAL, "unilateral") /* 0 <= u _|_ r >= 0; one row */                                                 \
  X(ASP_LAW_COULOMB, "coulomb")       /* Signorini and Coulomb; rows: normal, tangents */                              \
  X(ASP_LAW_SLIDING, "sliding")       /* 0 <= u_N _|_ r_N >= 0, r_T = -mu r_N d; rows: normal, tangents; u_T free */   \
  X(ASP_LAW_BOX, "box")               /* |r| <= limit; r = limit where u < 0, -limit where u > 0; one row */           \
  X(ASP_LAW_BALL, "ball")             /* the same of vectors: ||r|| <= limit; r = -limit u/||u||; 2 or 3 rows */

typedef enum AspLawKind {
#define ASP_LAW_ENUM(kind, name) kind,
  ASP_LAW_LIST(ASP_LAW_ENUM)
#undef ASP_LAW_ENUM
      ASP_LAW_COUNT
} AspLawKind;

ASP_API const char *asp_law_kind_name(AspLawKind kind); /* [any thread, lent] */

/* The set that a COULOMB block's r_T may fill, for r_N = 1/mu. In 2D the first three are the same interval. */
typedef enum AspConeKind {
  ASP_CONE_EXACT,         /* disk */
  ASP_CONE_INSCRIBED,     /* regular polygon, vertices on the circle at angle + 2 pi j / directions (Stewart-Trinkle) */
  ASP_CONE_CIRCUMSCRIBED, /* the same with edge midpoints on the circle at these angles (Peiret et al.) */
  ASP_CONE_RELAXED /* disk without De Saxce's term, K* u _|_ r in K: the convex relaxation of Anitescu and Tasora.
                      NOT Coulomb's law: a sliding contact opens by mu ||u_T|| */
} AspConeKind;
extern ASP_API const char *const asp_cone_kind_names[];   /* by value, NULL-terminated [any thread, lent] */
ASP_API const char *asp_cone_kind_name(AspConeKind kind); /* [any thread, lent] */

typedef struct AspLaw {
  AspLawKind kind;
  double mu;    /* COULOMB, SLIDING: coefficient of friction, >= 0 */
  double limit; /* BOX, BALL: >= 0, an impulse (N s, N m s) at step level, a force or torque at acceleration level */
  double direction[3]; /* SLIDING: unit slip direction in (t1, t2); 2D: direction[0] = +1 or -1 */
  AspConeKind cone;    /* COULOMB */
  int directions;      /* COULOMB, polygons: number of vertices, >= 3 (circumscribed: even, >= 4) */
  double angle;        /* COULOMB, polygons: orientation of the first direction from t1, rad */
} AspLaw;

/* The bodies of the global form, and which of them each block acts on: sets of dofs, none in two of them, such that no
 * entry of M couples two bodies and the columns of a block have entries at the dofs of its bodies only. A body is what
 * moves on its own: a rigid body, a flexible one, or several that springs couple through M. Indices alone, so that a
 * problem may be copied, cut and sent. Optional: solvers find bodies themselves where none are given. */
typedef struct AspProblemBodies {
  int count;        /* 0: not given */
  int *start;       /* count + 1 */
  int *dof;         /* dofs: body b has dof[start[b]] .. dof[start[b + 1] - 1], the smallest first; bodies by that */
  int *of;          /* dofs: the body of each */
  int *block_start; /* blocks + 1 */
  int *of_block;    /* block i: of_block[block_start[i]] .. of_block[block_start[i + 1] - 1], ascending */
} AspProblemBodies;

typedef struct AspContactProblem {
  int dimension; /* 2 or 3 */
  int blocks;    /* number of laws */
  int rows;      /* offset[blocks] */
  int dofs;      /* size of x; 0 when only the local form is present */
  int *offset;   /* blocks + 1 */
  AspLaw *law;   /* blocks */

  /* global form; empty (dofs = 0) for a problem given in local form */
  AspSparse M; /* dofs x dofs; symmetric positive definite as a rule, slightly unsymmetric in real data */
  AspSparse H; /* dofs x rows */
  double *f;   /* dofs */
  double *w;   /* rows */
  AspProblemBodies bodies;

  /* local form; empty (W.columns = 0) until given or made by asp_problem_reduce */
  AspSparse W; /* rows x rows */
  double *q;   /* rows */
} AspContactProblem;

/* A problem with all arrays allocated on the context, to be filled by the caller: `blocks`, `rows`, `dofs` and the
 * numbers of nonzeros give the sizes. Start arrays, indices and values are zero. The global form is there when dofs >
 * 0, the local one when dofs = 0 or nonzeros_W > 0. [one thread, yours: asp_problem_destroy] */
ASP_API AspError asp_problem_create(AspContext *context, int dimension, int blocks, int rows, int dofs, int nonzeros_M,
                                    int nonzeros_H, int nonzeros_W, AspContactProblem *problem);
ASP_API void asp_problem_destroy(AspContext *context, AspContactProblem *problem); /* [one thread, ends it] */
/* [one thread, yours: asp_problem_destroy] */
ASP_API AspError asp_problem_copy(AspContext *context, const AspContactProblem *from, AspContactProblem *to);

/* Give the problem these bodies (copied), or with NULL those found from the entries of M and H. Replaces what it had;
 * refuses, with block, dof and body named, what does not fit M and H. [one thread] */
ASP_API AspError asp_problem_set_bodies(AspContext *context, AspContactProblem *problem,
                                        const AspProblemBodies *bodies);

/* Sizes, indices, finite numbers, laws that fit their blocks, bodies that fit M and H. The message names block and
 * value. [one thread] */
ASP_API AspError asp_problem_validate(AspContext *context, const AspContactProblem *problem);

/* Make the local form from the global one: W = H^T M^-1 H and q. Allocates W and q of the problem; those that are there
 * (from asp_problem_create or an earlier call) are released. A singular M is refused with its dof named.
 * [one thread] */
ASP_API AspError asp_problem_reduce(AspContext *context, AspContactProblem *problem);

/* How well r solves the problem, recomputed from r alone: through a factorisation of M where the global form is there,
 * else u = W r + q. A zero denominator counts as 1, rho as 1 where trace(W) gives none; what is not finite makes all of
 * it infinite (docs/theory/contact-problem.md, section 4). */
typedef struct AspResidual {
  double E1;          /* natural map, rho = 1, over max(||q||, ||u||, ||r||): what Siconos reports */
  double E2;          /* natural map, rho = rows / trace(W), over max(||r||, rho ||q||): does not depend on units */
  double E3;          /* the same map over rho ||q||: relative to the data; shows an inflated r */
  double exact;       /* E2 with polygons replaced by the exact cone */
  double contact;     /* largest COULOMB/UNILATERAL block's natural map, rho_i = 1/W_NN,i, over the mean |r_N| of such
                         blocks */
  double mean_normal; /* that mean, N s */
  double norm_r, norm_u, norm_q; /* Euclidean norms */
  double rounding;    /* largest error of norm_q that rounding can have caused, unit of u; asp_solver_solve and worlds
                         raise the denominators of E1, E2 and E3 to it over the tolerance */
  double least_q;     /* what norm_q was raised to in the denominators; 0: not raised */
  double E2_rounding; /* exact E2, of the stored problem and r, is at most E2 + this; 0 where it was not asked */
  double E3_rounding; /* the same of E3 */
  double rho;         /* rows / trace(W) */
  double worst_cone;  /* largest excess of ||r_T|| over mu r_N (own polygon), or of -r_N, or of |r| over limit; N s */
  double worst_complementarity;  /* largest |u_N r_N| of UNILATERAL/COULOMB/SLIDING, J */
  double worst_penetration_rate; /* largest -u_N of UNILATERAL/COULOMB/SLIDING, m/s */
  double worst_equality;         /* largest |u| over EQUALITY rows, m/s */
  int worst_block;               /* block with the largest natural map at rho; -1 when there are no blocks */
} AspResidual;

/* Of a solution E3 is at most this times the tolerance on E2: beyond, r is inflated against the data and hides what is
 * wrong. */
#define ASP_INFLATION 100

/* A judge holds the factorisation of M (global form) or nothing but scratch (local form). It borrows the problem, which
 * must not change while the judge lives; asp_judge_reset takes another problem and reuses memory. */
typedef struct AspJudge AspJudge;
/* [one thread, yours: asp_judge_destroy] */
ASP_API AspError asp_judge_create(AspContext *context, AspJudge **judge);
/* [one thread, keeps problem] */
ASP_API AspError asp_judge_reset(AspJudge *judge, const AspContactProblem *problem);
ASP_API void asp_judge_destroy(AspJudge *judge); /* [one thread, ends it] */

/* r: rows values. u (rows) and x (dofs) receive what follows from r when not NULL; x needs the global form.
 * [one thread] */
ASP_API AspError asp_judge_residual(AspJudge *judge, const double *r, AspResidual *residual, double *u, double *x);

/* ---- linear complementarity problems: 0 <= w = M z + q _|_ z >= 0 ---- */

typedef struct AspLcp {
  int n;
  double *M; /* n x n, column-major, leading dimension n */
  double *q; /* n */
} AspLcp;

/* Mixed: rows and columns 0 .. free - 1 belong to free variables with equations (M z + q)_i = 0, the others are
 * complementary. */
typedef struct AspMixedLcp {
  int n;
  int free;
  double *M; /* n x n, column-major */
  double *q; /* n */
} AspMixedLcp;

/* [one thread, yours: asp_lcp_destroy] */
ASP_API AspError asp_lcp_create(AspContext *context, int n, AspLcp *lcp);
ASP_API void asp_lcp_destroy(AspContext *context, AspLcp *lcp); /* [one thread, ends it] */
/* [one thread, yours: asp_mixed_lcp_destroy] */
ASP_API AspError asp_mixed_lcp_create(AspContext *context, int n, int free, AspMixedLcp *lcp);
ASP_API void asp_mixed_lcp_destroy(AspContext *context, AspMixedLcp *lcp); /* [one thread, ends it] */

/* Largest violation |min(z_i / ||z||, w_i / s_i)| (free rows: |w_i| / s_i), each row of w relative to its own terms,
 * s_i = max(|q_i|, sum_j |M_ij z_j|, 1e-3 ||M_i|| ||z||): does not depend on the units of z, of w or of a row. Infinity
 * when anything is not finite. [any thread] */
ASP_API double asp_lcp_residual(const AspLcp *lcp, const double *z);
ASP_API double asp_mixed_lcp_residual(const AspMixedLcp *lcp, const double *z); /* [any thread] */

/* The polygonal contact problem as an LCP in z = (r_e, p_n, beta_u, beta_b, sigma_u, sigma_b), docs/theory/trinkle.md:
 * normal reactions, weights of the friction directions of contacts and of BOX rows, their sliding speeds; laws without
 * friction have no beta and sigma. Opposite directions stand side by side. The reactions r_e of EQUALITY rows are free
 * variables; `standard` eliminates them (out->free = 0), with the pseudo-inverse where they are redundant. Needs the
 * local form, and polygonal cones in 3D. `out` is created on the context: asp_mixed_lcp_destroy.
 * [one thread, yours: asp_mixed_lcp_destroy] */
ASP_API AspError asp_problem_polygon_lcp(AspContext *context, const AspContactProblem *problem, bool standard,
                                         AspMixedLcp *out);

/* Circumscribed polygons (k lines, directions = 2 k) as an LCP in z = (r_T, r_N, k+, k-), docs/theory/phantom.md:
 * sliding along the lines is u_T = E (k+ - k-), and a phantom inertia rho makes the matrix regular without any effect
 * on the forces. */
typedef struct AspPhantomOptions {
  uint32_t cookie;
  double rho;        /* kg; -1: chosen safely below the inertias that make the matrix singular; 0: none */
  bool reduced;      /* r_T eliminated (needs contacts that are not redundant): n = normals + 2 lines */
  double relaxation; /* compliance added to the tangential rows, relative to their diagonal of W; 0: none */
} AspPhantomOptions;
ASP_API AspPhantomOptions asp_phantom_default_options(void); /* [any thread] */

typedef struct AspPhantomInfo {
  int size, rank;   /* of the LCP's matrix */
  double condition; /* of the matrix, rows and columns scaled so that units drop out; infinite: singular */
  double rho_least; /* smallest and largest inertia used, kg (joints: kg m^2) */
  double rho_most;
  double rho_singular; /* smallest inertia, equal for all lines, that makes the matrix singular; NAN where contacts are
                          redundant */
  int tangents;        /* tangential rows with friction, and how many of them are independent */
  int tangent_rank;
} AspPhantomInfo;

/* Needs the local form and friction laws that are circumscribed polygons (or plane, or BOX). EQUALITY rows are
 * eliminated. Redundant contacts are refused in reduced form without relaxation. `out` is created on the context;
 * options and info may be NULL. [one thread, yours: asp_mixed_lcp_destroy] */
ASP_API AspError asp_problem_phantom_lcp(AspContext *context, const AspContactProblem *problem,
                                         const AspPhantomOptions *options, AspMixedLcp *out, AspPhantomInfo *info);

#ifdef __cplusplus
}
#endif
#endif
