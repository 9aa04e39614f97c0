/* Tuning numbers of src/base: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_BASE_TUNING_BASE_H
#define ASP_BASE_TUNING_BASE_H

#define ARENA_ALIGNMENT        ((size_t)64) /* bytes | alignment of what an arena hands out: a cache line | tests/base */
#define ARENA_FIRST_BLOCK      4096         /* bytes | size of the first block of an arena; every further one is twice the last | tests/base */
#define ARENA_LARGE            4194304      /* bytes | an arena beyond grows by a quarter of all: a few bytes too many do not cost as much again | tests/base */
#define CONTEXT_HEADER_BYTES   64           /* bytes | before a block of memory: keeps its alignment | tests/base */
#define CONTEXT_FIRST_CAPACITY 8            /* entries | least capacity of an array that grows | tests/base */
#define EFFORT_LITTLE          0.0625       /* share | of a limit of effort: when no more is left, loops over further attempts end | tests/world/test_effort.c */
#define PARALLEL_PLACES_MOST   64           /* threads | of one team at most | tests/base */
#define PARALLEL_ENOUGH        2048         /* iterations | least number for one thread that must be woken | tests/base */
#define PARALLEL_SPINS         20000        /* looks | looks for the next job in a row, about 1 ms | tests/base */
#define PARALLEL_YIELDS        500          /* looks | then so many that give way to others | tests/base */
#define PARALLEL_ASLEEP        50000        /* ns | then asleep in between for so long | tests/base */
#define NEAREST_NAME_LONGEST   64           /* letters | longer words are far from every name | tests/cli/usage.sh */
#define ASP_TWICE_ROUNDING     8e-31        /* 1 | 2^-100: relative error of an operation in twice the precision, at most; proven are 10 times 2^-106 | tests/problem */
#define ASP_TWICE_SPLIT        134217729.0  /* 1 | 2^27 + 1: halves the digits of a double | tests/problem */

#endif
// clang-format on
