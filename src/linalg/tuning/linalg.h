/* Tuning numbers of src/linalg: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_LINALG_TUNING_LINALG_H
#define ASP_LINALG_TUNING_LINALG_H

#define ASP_FACTOR_PIVOT_TOLERANCE  1e-14 /* share | of a column's largest entry: smaller pivots are set aside | bench/linalg */
#define FACTOR_ANALYSE_ZEROS_NARROW 0.2   /* share | of explicit zeros that joining narrow columns into one front may add | bench/linalg */
#define FACTOR_ANALYSE_ZEROS_WIDE   0.03  /* share | the same for wide ones | bench/linalg */
#define FACTOR_ANALYSE_SMALL        128   /* entries | of a front that is made whatever zeros it holds: two visits cost more | bench/robots */
#define FACTOR_ANALYSE_SORT_GAP     2.2   /* factor | between the gaps of the shell sort | bench/linalg */
#define FACTOR_SOLVE_COLUMNS        12    /* columns | right-hand sides solved at once | bench/linalg */
#define FACTOR_INVERSE_MOST         24    /* indices | whose entries of the inverse are read at once: those of four rigid bodies | tests/linalg */
#define FACTOR_INVERSE_TALLEST      64    /* rows | of the largest front up to which the inverse's entries cost less than solves for a few hundred columns | bench/robots, bench/fclib */
#define FRONT_BLOCK                 24    /* pivots | eliminated together; row exchanges stay within such a block | bench/linalg */
#define ASP_PAD                     7     /* rows | rows that a kernel may touch beyond the last | bench/linalg */
#define ASP_KERNEL_DEPTH            128   /* columns | of a panel that stays in the first-level cache | bench/linalg */
#define SUM_LANES                   8     /* sums | side by side of a sum over rows, in every instruction set: the doubles of the widest vector | tests/linalg */
#define DENSE_BLOCK                 32    /* columns | of a dense matrix that are factored before the rest takes them over | bench/linalg/bench_dense */
#define DENSE_ROWS                  128   /* rows | of such a block that stay in the first-level cache | bench/linalg/bench_dense */
#define SPARSE_SUMS                 8     /* sums | that do not wait for each other | bench/linalg */
#define SPARSE_GRAIN                1024  /* columns | least number of columns for one thread | bench/piles -c threads */
#define SMALL_SWEEPS_MOST           30    /* sweeps | of Jacobi rotations over a matrix of at most 6 x 6; 6 do nearly always | tests/linalg */
#define SMALL_ROOT_LEAST            1e-150 /* - | least entry of a 3 x 3 matrix, and inverse of the largest, whose eigenvalue is found as a root: squares stay finite | tests/linalg */
#define SMALL_ROOT_APART            1e-2  /* of the largest entry's square, and cube | product of an eigenvalue's distances to the other two, and the determinant, below which rounding may decide and rotations are made | tests/linalg */
#define SMALL_ROOT_CHANGE           1e-9  /* of the largest entry | change of a root behind which the next one, its square, is rounding | tests/linalg */
#define JACOBI_SWEEPS_MOST          60    /* sweeps | of Jacobi rotations over a dense matrix; 6 to 10 do nearly always | tests/linalg */
#define JACOBI_ZERO                 0.01  /* epsilons | of the matrix's norm: smaller entries off the diagonal count as zero | tests/linalg */
#define ASP_QUAT_SERIES_BELOW       1e-8  /* rad | angle below which the series of a quaternion is used | bench/linalg */

#endif
// clang-format on
