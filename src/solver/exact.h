/* What every method of the exact contact problem takes and gives back. A method works on a prepared problem
 * (prepared.h), starts from r, offers its iterates to the judge, and leaves the best of them in r.
 */
#ifndef ASP_SOLVER_EXACT_H
#define ASP_SOLVER_EXACT_H

#include "asperity/solver.h"
#include "base/base.h"
#include "problem/verdict.h"

typedef struct AspPrepared AspPrepared;

typedef struct AspMethodOptions {
  AspTolerances asked; /* of the residual; not of the worst contact: the caller turns that into a tolerance on E2 */
  int max_iterations;  /* 0: the method's own */
  AspContext *context; /* whose caller may ask to stop, which counts as the deadline; may be NULL */
  double deadline;     /* on asp_clock_seconds(); 0: none */
  bool warm;           /* r holds a useful start; false: cold start, r is not read */
  bool minimum_norm;   /* hyperstatic problems: aim at the reaction of smallest norm */
  bool polish;         /* finish on the identified contact state, as far as rounding allows */
  double theta;        /* ipm: weight of the derivative of s, 0 .. 1; 0: the method's own */
  double rho;          /* newton: first proximal step; 0: the method's own */
  bool near;           /* newton: the start is thought to be near the solution, rho grows faster */
  bool swept;          /* auto: Gauss-Seidel has been tried on the problem and given up */
  bool given;          /* auto: the start before those sweeps was the caller's, and not zero */
  bool brief;          /* auto: one interior point and its finish, no further methods */
  bool doubted;        /* auto: skip the Newton steps from such a start this time */
  int finish;          /* ipm: proximal Newton steps it may finish with; 0: the method's own */
  bool fixed_point;    /* aclm: plain fixed point on s instead of Newton */
  /* once per outer iteration; may be NULL */
  void (*progress)(void *user, int iteration, const char *method, double residual);
  void *progress_user;
} AspMethodOptions;

static inline AspMethodOptions asp_method_default_options(void) {
  // exact: default of an option
  return (AspMethodOptions){.asked = {.residual = 1e-8}};
}

typedef struct AspMethodInfo {
  AspStatus status;     /* SOLVED only where the judge finds it */
  int iterations;       /* outer iterations */
  int factorisations;   /* of the Newton matrix, or of the penalty matrix */
  AspResidual residual; /* of the returned r, by the judge */
  bool tried_near;      /* auto: a few Newton steps from a given start were tried, */
  bool was_near;        /* and arrived */
  char path[128];       /* how it was solved, where there is something to say; may be empty */
} AspMethodInfo;

/* r (rows of the original problem): start on entry when options->warm, best iterate on return. */
typedef AspError AspExactMethod(AspPrepared *prepared, const AspMethodOptions *options, double *r, AspMethodInfo *info);

/* r (rows of the original problem): start on entry when options->warm, best iterate on return. */
AspError asp_nsgs_solve(AspPrepared *prepared, const AspMethodOptions *options, double *r, AspMethodInfo *info);
AspError asp_admm_solve(AspPrepared *prepared, const AspMethodOptions *options, double *r, AspMethodInfo *info);
AspError asp_auto_solve(AspPrepared *prepared, const AspMethodOptions *options, double *r, AspMethodInfo *info);
/* Room for islands as large as the problem, so that `auto` allocates nothing for them later. */
AspError asp_auto_reserve(AspPrepared *prepared, const AspContactProblem *problem);
AspError asp_ipm_solve(AspPrepared *prepared, const AspMethodOptions *options, double *r, AspMethodInfo *info);
AspError asp_newton_solve(AspPrepared *prepared, const AspMethodOptions *options, double *r, AspMethodInfo *info);
AspError asp_aclm_solve(AspPrepared *prepared, const AspMethodOptions *options, double *r, AspMethodInfo *info);

static inline bool asp_method_out_of_time(const AspMethodOptions *options) {
  return asp_is_late(options->context, options->deadline);
}

#endif
