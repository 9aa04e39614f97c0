/* The tables of dense kernels: portable (two doubles: SSE2, NEON or plain code, whatever the compiler's default target
 * has), AVX2, AVX-512. See kernels.h and kernels_body.h. */
#include "linalg/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ASP_PORTABLE)
// exact: a switch
#define ASP_X86 1
#include <immintrin.h>
#include <stdlib.h>
#endif

/* ---- portable ---- */

typedef double AspWide2 __attribute__((vector_size(16)));

static inline AspWide2 load2(const double *p) {
  AspWide2 x;
  memcpy(&x, p, sizeof x);
  return x;
}
static inline void store2(double *p, AspWide2 x) { memcpy(p, &x, sizeof x); }
static inline double sum_of_pairs(const AspWide2 *x) {
  AspWide2 pair = (x[0] + x[2]) + (x[1] + x[3]);
  return pair[0] + pair[1];
}

#define KERNEL(name) portable_##name
#define KERNEL_NAME  "portable"
#define TARGET
#define WIDE        AspWide2
#define WIDTH       2
#define LOAD(p)     load2(p)
#define STORE(p, x) store2(p, x)
#define SPREAD(a)   ((AspWide2){(a), (a)})
#define ZERO        ((AspWide2){0, 0})
#define SUM(x)      sum_of_pairs(x)
#define VECTORS     2
#define COLUMNS     4
#define DOTS        2
#include "linalg/kernels_body.h"

#ifdef ASP_X86

/* ---- AVX2 ---- */

__attribute__((target("avx2"))) static inline double sum4(__m256d x) {
  __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

#define KERNEL(name) avx2_##name
#define KERNEL_NAME  "avx2"
#define TARGET       __attribute__((target("avx2")))
#define WIDE         __m256d
#define WIDTH        4
#define LOAD(p)      _mm256_loadu_pd(p)
#define STORE(p, x)  _mm256_storeu_pd(p, x)
#define SPREAD(a)    _mm256_set1_pd(a)
#define ZERO         _mm256_setzero_pd()
#define SUM(x)       sum4((x)[0] + (x)[1])
#define VECTORS      2
#define COLUMNS      6
#define DOTS         4
#include "linalg/kernels_body.h"

/* ---- AVX-512 ---- */

__attribute__((target("avx512f,avx2"))) static inline double sum8(__m512d x) {
  return sum4(_mm512_castpd512_pd256(x) + _mm512_extractf64x4_pd(x, 1));
}

#define KERNEL(name) avx512_##name
#define KERNEL_NAME  "avx512"
#define TARGET       __attribute__((target("avx512f,avx2")))
#define WIDE         __m512d
#define WIDTH        8
#define LOAD(p)      _mm512_loadu_pd(p)
#define STORE(p, x)  _mm512_storeu_pd(p, x)
#define SPREAD(a)    _mm512_set1_pd(a)
#define ZERO         _mm512_setzero_pd()
#define SUM(x)       sum8((x)[0])
#define VECTORS      4
#define COLUMNS      6
#define DOTS         4
#include "linalg/kernels_body.h"

#endif

const AspKernels *asp_kernels_at(int index) {
  if (index == 0)
    return &portable_table;
#ifdef ASP_X86
  if (index == 1 && __builtin_cpu_supports("avx2"))
    return &avx2_table;
  if (index == 2 && __builtin_cpu_supports("avx512f"))
    return &avx512_table;
#endif
  return NULL;
}

int asp_kernels_most(void) {
#ifdef ASP_X86
  static const char *const name[] = {"portable", "avx2", "avx512"};
  const char *wanted = getenv("ASPERITY_KERNELS");
  for (int k = 0; wanted && k < 3; k++)
    if (strcmp(wanted, name[k]) == 0)
      return k;
#endif
  return INT32_MAX;
}

const AspKernels *asp_kernels(void) {
  const AspKernels *best = asp_kernels_at(0);
  for (int k = 1, most = asp_kernels_most(); k <= most && asp_kernels_at(k); k++)
    best = asp_kernels_at(k);
  return best;
}
