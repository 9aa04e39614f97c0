/* Tuning numbers of Lemke's method and linear complementarity problems (lemke*.c, mixed_lcp.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_LEMKE_H
#define ASP_SOLVER_TUNING_LEMKE_H

#define LEMKE_ATTEMPTS           6     /* attempts | covering vectors tried, the first three with a fifth of the pivots of the others | bench/lcp */
#define LEMKE_RAY_ATTEMPTS       3     /* attempts | covering vectors tried when there are rays | bench/lcp */
#define LEMKE_ORDER_ONE          8     /* factor | scales this close to 1 keep the caller's units | bench/lcp */
#define LEMKE_PIVOT_TOLERANCE    1e-9  /* 1 | smallest rate that blocks, relative to the largest rate | bench/lcp */
#define LEMKE_TIE_TOLERANCE      1e-11 /* 1 | basic values (scaled) that count as zero after a step | bench/lcp */
#define LEMKE_RATE_TOLERANCE     1e-9  /* share | error of the rates, relative, at which the inverse is made again | bench/lcp */
#define LEMKE_NEARLY_COMPLETE    1e-8  /* 1 | z0 (scaled) from which on the basis is tried as a solution | bench/lcp */
#define LEMKE_MAX_TRIALS         20    /* trials | of a nearly complete basis on one path | bench/lcp */
#define LEMKE_RAY_TOLERANCE      1e-8  /* 1 | violations of a normalised ray | bench/lcp */
#define LEMKE_RENEW_INTERVAL     64    /* pivots | pivots between recomputations of the basic values | bench/lcp */
#define LEMKE_SCALE_LIMIT        1e3   /* 1 | largest entry of a scaled M; beyond it the scaling is given up | bench/lcp */
#define LEMKE_EXPONENT_MOST      500   /* 1 | binary exponent of a scale at most | bench/lcp */
#define LEMKE_PIVOTS_LEAST       1000  /* pivots | of an attempt at least | bench/lcp */
#define LEMKE_PIVOTS_SHORT       20    /* pivots | more per unknown in the first half of the attempts | bench/lcp */
#define LEMKE_PIVOTS_LONG        100   /* pivots | the same in the second half | bench/lcp */
#define LEMKE_BASIS_REFINE_ABOVE 1e-13 /* share | error of the rates that is worth a refinement | bench/lcp */
#define LEMKE_BASIS_SPARSE_SHARE 0.25  /* share | use compressed columns when at most this share of M is not zero | bench/lcp */
#define MIXED_LCP_RANK_TOLERANCE 1e-11 /* share | of the largest pivot: smaller pivots are zero | bench/lcp */

#endif
// clang-format on
