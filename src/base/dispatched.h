/* Functions that are compiled for AVX2 and for the base instruction set, one of which is chosen when the program is
 * loaded: where compiler and C library can (GCC with glibc on x86-64). No products are fused with sums, so both give
 * the same bits where the order of every sum is written out. Depends on nothing. */
#ifndef ASP_BASE_DISPATCHED_H
#define ASP_BASE_DISPATCHED_H

#include <stdbool.h>
#include <stdint.h> // with the GNU C library this defines __GLIBC__

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASP_PORTABLE)
#define ASP_DISPATCHED __attribute__((target_clones("avx2", "default")))
#define ASP_INLINED    static inline __attribute__((always_inline)) /* into such functions, so that it is as wide */
#else
#define ASP_DISPATCHED
#define ASP_INLINED static inline
#endif

#endif
