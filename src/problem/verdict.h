/* What counts as solved: the one place that says it (docs/theory/contact-problem.md, section 4).
 *
 *   E2 <= tolerance                    the law: the residual in units of its own
 *   E3 <= ASP_INFLATION * tolerance    the law: no reaction that is inflated against the data hides the residual
 *                                      both with their rounding added (asp_judge_certify), and with denominators of
 *                                      at least rho AspResidual.rounding / tolerance: no map is asked to be smaller
 *                                      than what q's own rounding makes of it
 *   E1 <= tolerance                    where it is asked for: depends on the units of the problem
 *   contact <= tolerance of a contact  where it is asked for (> 0)
 *
 * Solvers call a problem solved, and worlds a step certified, by these functions alone. What is not a number counts as
 * infinite. Depends on asperity/problem.h.
 */
#ifndef ASP_PROBLEM_VERDICT_H
#define ASP_PROBLEM_VERDICT_H

#include "asperity/problem.h"

#include <stdbool.h>

/* What is asked of a residual. */
typedef struct AspTolerances {
  double residual; /* on E2; E3 may be ASP_INFLATION times that */
  double contact;  /* on AspResidual.contact; 0: not asked */
  bool ask_E1;     /* E1 within `residual`, too */
} AspTolerances;

/* As asp_judge_residual, and then so that the verdict holds in exact arithmetic for the stored problem and r: with the
 * bounds E2_rounding and E3_rounding, and the floor of the denominators for this tolerance. The u and x returned are
 * those computed in double. */
AspError asp_judge_certify(AspJudge *judge, const AspTolerances *asked, const double *r, AspResidual *residual,
                           double *u, double *x);

/* One number to compare iterates by, and with asked->residual: max(E2, E3 / ASP_INFLATION), and E1
 * where it is asked. */
double asp_verdict_measure(const AspTolerances *asked, const AspResidual *residual);
/* The largest of residual over what is allowed, the worst contact included: at most 1 when solved. */
double asp_verdict_excess(const AspTolerances *asked, const AspResidual *residual);
/* Solved, certified: everything that is asked is met. */
bool asp_verdict_is_met(const AspTolerances *asked, const AspResidual *residual);
/* Largest norms of the natural maps F(rho) and F(1) that are allowed at the sizes of this residual; the second is
 * infinite where E1 is not asked. */
double asp_verdict_allowed_map(const AspTolerances *asked, const AspResidual *residual);
double asp_verdict_allowed_unit_map(const AspTolerances *asked, const AspResidual *residual);
/* A residual that is worse than any other. */
AspResidual asp_verdict_worst(void);

#endif
