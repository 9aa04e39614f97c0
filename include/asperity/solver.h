/* Asperity solver: methods for the contact problem and for LCPs, one file per method, one table of methods.
 * Solvers know no mechanics. A status tells how the numerics went; `solved` is decided by the judge alone.
 *
 * Threads and ownership: base.h. A solver belongs to the thread of its context; it borrows the problem and r, u, x for
 * one solve. Threads that it uses itself (option `threads`) end with the call. Solvers on different contexts may solve
 * one and the same problem at the same time.
 */
#ifndef ASPERITY_SOLVER_H
#define ASPERITY_SOLVER_H

#include "asperity/partition.h"
#include "asperity/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASP_STATUS_LIST(X)                                                                                             \
  X(ASP_STATUS_SOLVED, "solved")                                                                                       \
  X(ASP_STATUS_RAY, "ray") /* Lemke: secondary ray, no solution found */                                               \
  X(ASP_STATUS_ITERATION_LIMIT, "iteration limit")                                                                     \
  X(ASP_STATUS_TIME_LIMIT, "time limit")                                                                               \
  X(ASP_STATUS_STALLED, "stalled")           /* no further progress; best iterate returned */                          \
  X(ASP_STATUS_NOT_FINITE, "not finite")     /* NaN or infinity met in data or iterates */                             \
  X(ASP_STATUS_EFFORT_LIMIT, "effort limit") /* the counted work of a step was used up (run option step_effort) */

typedef enum AspStatus {
#define ASP_STATUS_ENUM(code, text) code,
  ASP_STATUS_LIST(ASP_STATUS_ENUM)
#undef ASP_STATUS_ENUM
      ASP_STATUS_COUNT
} AspStatus;

ASP_API const char *asp_status_name(AspStatus status); /* [any thread, lent] */

/* ---- LCP ---- */

typedef struct AspLcpOptions {
  uint32_t cookie;
  double tolerance;   /* on asp_lcp_residual, 1e-10 */
  int max_iterations; /* pivots (Lemke) or sweeps (Gauss-Seidel); 0: chosen from n */
  double relaxation;  /* projected Gauss-Seidel: in (0, 2), 1 */
} AspLcpOptions;

typedef struct AspLcpInfo {
  AspStatus status;
  int iterations;
  double residual; /* asp_lcp_residual of the returned z, always recomputed */
} AspLcpInfo;

ASP_API AspLcpOptions asp_lcp_default_options(void); /* [any thread] */

/* z (n) receives the answer, or the best point found. ray (n, may be NULL) receives, when the status is RAY, the
 * direction v of a secondary ray, checked against M: v >= 0, v != 0 and 0 <= v _|_ M v + v0 d >= 0 for some v0 >= 0 and
 * the covering vector d > 0 (ones at first; after a ray others are tried). For positive semidefinite and other
 * copositive-plus M it proves that no solution exists: M^T v <= 0, q . v < 0. options may be NULL. [one thread] */
ASP_API AspError asp_lcp_lemke(AspContext *context, const AspLcp *lcp, const AspLcpOptions *options, double *z,
                               double *ray, AspLcpInfo *info);
/* z holds the start on entry. Needs a positive diagonal. [one thread] */
ASP_API AspError asp_lcp_gauss_seidel(AspContext *context, const AspLcp *lcp, const AspLcpOptions *options, double *z,
                                      AspLcpInfo *info);
/* Free variables are eliminated by a factorisation of their block; where that block is singular the remaining ones are
 * kept (split into differences of non-negative variables). *kept (may be NULL) receives how many. [one thread] */
ASP_API AspError asp_mixed_lcp_lemke(AspContext *context, const AspMixedLcp *lcp, const AspLcpOptions *options,
                                     double *z, int *kept, AspLcpInfo *info);

/* ---- contact problem ---- */

#define ASP_METHOD_LIST(X)                                                                                             \
  X(ASP_METHOD_AUTO, "auto", auto)                                                                                     \
  X(ASP_METHOD_LEMKE, "lemke", lemke)                                                                                  \
  X(ASP_METHOD_PGS, "pgs", pgs)                                                                                        \
  X(ASP_METHOD_NSGS, "nsgs", nsgs)                                                                                     \
  X(ASP_METHOD_ADMM, "admm", admm)                                                                                     \
  X(ASP_METHOD_IPM, "ipm", ipm)                                                                                        \
  X(ASP_METHOD_NEWTON, "newton", newton)                                                                               \
  X(ASP_METHOD_ACLM, "aclm", aclm)

typedef enum AspMethod {
#define ASP_METHOD_ENUM(code, text, word) code,
  ASP_METHOD_LIST(ASP_METHOD_ENUM)
#undef ASP_METHOD_ENUM
      ASP_METHOD_COUNT
} AspMethod;
extern ASP_API const char *const asp_method_names[]; /* by value, NULL-terminated [any thread, lent] */

typedef struct AspSolverOptions {
  uint32_t cookie;
  AspMethod method;
  /* What a solution must meet; docs/theory/contact-problem.md, section 4, says what the residuals mean. */
  double tolerance;         /* on E2, 1e-8; E3 may be ASP_INFLATION times that */
  double tolerance_contact; /* on AspResidual.contact; 0: not asked */
  bool ask_E1;        /* E1 within `tolerance`, too; false. E1 depends on the units of the problem; it is what Siconos
                         compares with its tolerance: for work with FCLIB files */
  int max_iterations; /* 0: the method's own */
  double max_time;    /* s; 0: no limit */
  int threads;        /* at most, 1; answers do not depend on it, bit for bit */
  bool mixed;         /* lemke: keep EQUALITY rows as free variables instead of eliminating them */
  double rho;  /* lemke, circumscribed polygons: phantom inertia, kg; 0: none; -1: chosen (asp_problem_phantom_lcp) */
  bool polish; /* auto, ipm, newton, aclm: sharpen the solution on its contact state, as far as rounding allows */
  bool minimum_norm; /* auto, ipm, newton, aclm: of many reactions (hyperstatic problems) the smallest one, in the norm
                        of (mu r_N, r_T), to about 1e-5 of it; the velocities are the same */
  bool fixed_point;  /* aclm: the plain fixed point s := G(s) from s = 0 instead of Newton on s */
  /* where not NULL, called whenever a method measures how far it is: after every outer iteration (ipm, newton, aclm,
   * lemke), every few (admm, pgs), or when little changes any more (nsgs). residual: max(E2, E3/100), and E1 where it is
   * asked; aclm: ||G - s|| in the units of the velocities; lemke: its artificial variable */
  void (*progress)(void *user, int iteration, const char *method, double residual);
  void *progress_user;
} AspSolverOptions;

typedef struct AspSolverInfo {
  AspStatus status;
  AspMethod method;     /* the method that gave the answer */
  int iterations;       /* its iterations, all stages */
  AspResidual residual; /* of the returned r, by the judge */
  double time;          /* s, wall clock, without set-up */
  double setup_time;    /* s */
  double judge_time;    /* s: what the judge took of both */
  char path[128];       /* what `auto` did, e.g. "nsgs 40, ipm 22" */
} AspSolverInfo;

typedef struct AspSolver AspSolver;

ASP_API AspSolverOptions asp_solver_default_options(void); /* [any thread] */
/* [one thread, yours: asp_solver_destroy] */
ASP_API AspError asp_solver_create(AspContext *context, const AspSolverOptions *options, AspSolver **solver);
ASP_API void asp_solver_destroy(AspSolver *solver); /* [one thread, ends it] */
/* r (rows): the start on entry (zeros for a cold start), the best iterate on return. u (rows), x (dofs) may be NULL.
 * [one thread] */
ASP_API AspError asp_solver_solve(AspSolver *solver, const AspContactProblem *problem, double *r, double *u, double *x,
                                  AspSolverInfo *info);

/* Another start for the next solve (rows values, borrowed until then): the better one of r and this is taken.
 * [one thread, keeps r] */
ASP_API void asp_solver_suggest(AspSolver *solver, const double *r);
/* A trial solve of a problem of the largest size to come, including the second-order stages that few problems need:
 * later solves of such problems by the same methods allocate nothing. [one thread] */
ASP_API AspError asp_solver_reserve(AspSolver *solver, const AspContactProblem *problem);

/* ---- contact problem in parts (partition.h) ---- */

typedef struct AspPartsOptions {
  uint32_t cookie;
  double tolerance;         /* on E2, 1e-6; E3 may be ASP_INFLATION times that */
  double tolerance_contact; /* on AspResidual.contact; 0: not asked */
  bool ask_E1;              /* E1 within `tolerance`, too; false */
  int max_sweeps;           /* 2000 */
} AspPartsOptions;

typedef struct AspPartsInfo {
  AspStatus status;
  int sweeps, looks;    /* at the residual: one reduction each */
  int exchanges;        /* of copies, those of the judge not counted */
  AspResidual residual; /* of the returned r, by the judge on parts */
} AspPartsInfo;

ASP_API AspPartsOptions asp_parts_default_options(void); /* [any thread] */
/* Gauss-Seidel by cells with split bodies, on the partition of the judge; all ranks call it. r: by cell, its rows; the
 * start on entry, the best iterate on return. Every rank gets the same info, and r has the same bits for any number of
 * ranks. Cells that hold anything but contacts of rigid bodies in space, with the exact cone or without friction, are
 * refused by number. options may be NULL. [one thread] */
ASP_API AspError asp_parts_solve(AspPartsJudge *judge, const AspPartsOptions *options, double *const *r,
                                 AspPartsInfo *info);

ASP_API const char *asp_method_name(AspMethod method); /* [any thread, lent] */
/* True when the name is known; *method is set then. [any thread] */
ASP_API bool asp_method_from_name(const char *name, AspMethod *method);

#ifdef __cplusplus
}
#endif
#endif
