/* Tuning numbers of projected Gauss-Seidel on polygons (method_pgs.c, lcp_gauss_seidel.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_PGS_H
#define ASP_SOLVER_TUNING_PGS_H

#define LCP_GAUSS_SEIDEL_CHECK_INTERVAL   4    /* sweeps | sweeps between looks at the residual | bench/lcp */
#define LCP_GAUSS_SEIDEL_DEFAULT_SWEEPS   2000 /* sweeps | at most, besides those per unknown | bench/lcp */
#define LCP_GAUSS_SEIDEL_SWEEPS_PER_ENTRY 10   /* sweeps | per unknown at most | bench/lcp */
#define PGS_BLOCK_UPDATES                 4    /* updates | normal and tangential updates per visit of a block | bench/lcp */
#define PGS_CHECK_INTERVAL                10   /* sweeps | sweeps between two looks of the judge | bench/lcp */
#define PGS_DEFAULT_SWEEPS                2000 /* sweeps | of the method at most | bench/lcp */

#endif
// clang-format on
