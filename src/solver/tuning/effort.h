/* Tuning numbers of counted effort (base/effort.h) in the solvers: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_EFFORT_H
#define ASP_SOLVER_TUNING_EFFORT_H

#define EFFORT_SHARE         0.5   /* share | of what is left of an attempt's effort that one solve may use | tests/world/test_effort.c */
#define EFFORT_PASS          1500  /* operations | of a loop over all blocks or rows, whatever their number | callgrind, small problems */
#define EFFORT_BLOCK         600   /* operations | per block of such a loop: projections, small dense products | callgrind, small problems */
#define EFFORT_DENSE_FACTOR  0.5   /* operations | per n^3 of a dense factorisation | callgrind, small problems */
#define EFFORT_DENSE_SOLVE   15    /* operations | per n^2 of a dense solve with its refinement | callgrind, small problems */
#define EFFORT_SPARSE_FACTOR 80    /* operations | per entry of the factors of a sparse factorisation | callgrind, small problems */
#define EFFORT_SPARSE_SOLVE  25    /* operations | per entry of the factors of a sparse solve | callgrind, small problems */
#define EFFORT_PIVOT         8     /* operations | per n^2 of a pivot of Lemke's method | callgrind, small problems */
#define EFFORT_PACKED        60    /* operations | per block of a packed sweep | callgrind, bench/piles */
#define EFFORT_ROWS          600   /* rows | of a problem: beyond, the weight of an operation falls with their number | tests/world/test_effort.c */

#endif
// clang-format on
