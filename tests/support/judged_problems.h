/* Small contact problems with a planted solution, for tests of the judge: ordinary and extreme data drawn by seed.
 *
 *   M         one to four rigid bodies: masses over twelve decades, diagonal or full inertia, unsymmetric ones, springs
 *             that couple the bodies, and springs at joints that make one sparse component of all of them
 *   laws      contacts (stick, slip, open) with mu from 0 to 1e12, joints, limits, dry friction, known slip
 *   f, w      velocities up to 1e3 m/s; w such that the planted u follows up to rounding, or zero in all rows, where u
 *             is the rounding of velocities that cancel
 *   units     length, mass and time by 1, 1e3, 1e-3, 1e6 or 1e-6
 */
#ifndef ASP_TEST_JUDGED_PROBLEMS_H
#define ASP_TEST_JUDGED_PROBLEMS_H

#include "asperity/problem.h"

#include <stdint.h>

enum { JUDGED_DOFS = 24, JUDGED_ROWS = 24, JUDGED_BLOCKS = 8 };

typedef struct JudgedProblem {
  AspContactProblem problem;
  double r[JUDGED_ROWS]; /* planted */
  double size;           /* of reactions: max(||r||, rho ||q||) in the order of magnitude */
  bool jointed;          /* springs at joints: long double, which the second judge has, may lack digits for these M */
  bool floats;           /* all rows are joints of bodies that move together: q is rounding */
} JudgedProblem;

/* Equal seeds give equal problems. To be destroyed by asp_problem_destroy. */
AspError judged_problem_make(AspContext *context, uint64_t seed, JudgedProblem *drawn);

/* E2 of r by a second judge, in long double; the denominator has rho least_q as its floor. */
double judged_problem_E2(const JudgedProblem *drawn, const double *r, double least_q);

#endif
