/* Tuning numbers of the Newton matrix and the scaled forms that the second-order methods share (system.c, form.c, prepared.c, soc.h): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_SYSTEM_H
#define ASP_SOLVER_TUNING_SYSTEM_H

#define FORM_ROUNDINGS       16   /* factor | times DBL_EPSILON: entries across the diagonal that differ less are equal | bench/fclib, bench/linalg */
#define KERNELS_PARTS        8    /* sums | partial sums of a dot product | bench/fclib, bench/linalg */
#define SYSTEM_DENSE_LIMIT   150  /* rows | above which the Newton matrix is never factored densely | bench/fclib, bench/linalg */
#define SYSTEM_DENSE_SIZE    40   /* rows | below which it is factored densely, full or not | bench/fclib, bench/linalg */
#define SYSTEM_DENSE_FILLING 0.35 /* share | of entries from which on it is factored densely in between | bench/fclib, bench/linalg */

#endif
// clang-format on
