/* A light plate on four feet under columns of balls: a body that contacts everywhere act on. */
#ifndef ASP_TESTS_PLATE_PROBLEM_H
#define ASP_TESTS_PLATE_PROBLEM_H

#include "asperity/problem.h"

/* wide x wide columns of `high` balls of 1 kg on a plate of `mass` kg, its body is the first; balls of neighbouring
 * columns touch, with gaps. */
AspError plate_problem(AspContext *context, int wide, int high, double mass, AspContactProblem *problem);

#endif
