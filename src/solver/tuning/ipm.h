/* Tuning numbers of the interior point method (ipm*.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_IPM_H
#define ASP_SOLVER_TUNING_IPM_H

#define IPM_MAX_ITERATIONS         300  /* iterations | of the interior point at most | bench/fclib */
#define IPM_TINY_STEP              1e-3 /* 1 | length below which a step counts as tiny | bench/fclib */
#define IPM_MAX_TINY_STEPS         7    /* steps | that are tiny, in a row, before the method gives up | bench/fclib */
#define IPM_PATIENCE               40   /* iterations | without progress before the method gives up | bench/fclib */
#define IPM_NEAR                   1e-4 /* 1 | best score from which on the finish is worth trying early | bench/fclib */
#define IPM_PATIENCE_NEAR          12   /* iterations | the same near the solution | bench/fclib */
#define IPM_WARM_DISTANCE          1e-2 /* 1 | Where a warm start begins inside the cones, in scaled units. | bench/fclib */
#define IPM_FINISHING_STEPS        150  /* steps | The method's own finish: proximal Newton steps from the best iterate, where the interior point got no further. | bench/fclib */
#define IPM_PROGRESS               0.9  /* share | of the best score: less is progress | bench/fclib */
#define IPM_STEP_EQUALITY_SOFTNESS 1e-8 /* 1 | compliance of EQUALITY rows, scaled: exact in the limit, indifferent to redundancy | bench/fclib */
#define IPM_STEP_REGULARISATION    1e-6 /* factor | eps = this times mu: bounds what self-stress can grow to (about 1/sqrt of it, in scaled units) | bench/fclib */
#define IPM_STEP_TO_THE_BOUNDARY   0.9  /* share | of the way to the boundary of the cones that a step takes at most: the iterates stay inside | bench/fclib */
#define IPM_STEP_LARGEST_THETA     0.9  /* 1 | largest weight of the derivative of s: 1 loses the path, 0 converges slowly on rounded bodies (docs/theory/interior-point.md) | bench/fclib */
#define IPM_STEP_SHORT             0.1  /* 1 | centrality, or length of the last step, that asks for full centring | bench/fclib */
#define IPM_STEP_MEDIUM            0.3  /* 1 | the same that asks for half of it; length of a step from which theta grows | bench/fclib */
#define IPM_STEP_CENTRING_LEAST    0.1  /* 1 | least centring parameter | bench/fclib */
#define IPM_STEP_THETA_LESS        0.3  /* 1 | by which theta falls after a short step | bench/fclib */
#define IPM_STEP_THETA_MORE        0.1  /* 1 | by which theta grows after a long one | bench/fclib */

#endif
// clang-format on
