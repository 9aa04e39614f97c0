/* The tables of packed Gauss-Seidel: the scalar reference, four lanes at once with AVX2, eight with AVX-512. See
 * packed_body.h. */
#include "solver/packed.h"

#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define ASP_X86 1
#include <immintrin.h>
#endif

static double sum_lanes(const double *x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }

/* ---- scalar reference ---- */

#define SCALAR_LINES(REAL, BODY, PREFIX)                                                                               \
  static inline void PREFIX##_lines(const BODY *body, const int *index, REAL a[4], REAL b[4]) {                        \
    const BODY *line = &body[*index];                                                                                  \
    for (int k = 0; k < 3; k++) {                                                                                      \
      a[k] = line->v[k];                                                                                               \
      b[k] = line->w[k];                                                                                               \
    }                                                                                                                  \
    a[3] = line->inverse_mass;                                                                                         \
    b[3] = 0;                                                                                                          \
  }                                                                                                                    \
  static inline void PREFIX##_put_lines(BODY *body, const int *index, const REAL a[4], const REAL b[4]) {              \
    BODY *line = &body[*index];                                                                                        \
    for (int k = 0; k < 3; k++) {                                                                                      \
      line->v[k] = a[k];                                                                                               \
      line->w[k] = b[k];                                                                                               \
    }                                                                                                                  \
  }

SCALAR_LINES(double, AspPackedBody, scalar)
SCALAR_LINES(float, AspLightBody, scalar_light)

#define TARGET

#define KERNEL(name)                 scalar_light_##name
#define REAL                         float
#define BATCH                        AspLightBatch
#define BODY                         AspLightBody
#define TINY                         1e-30F
#define WIDE                         float
#define WIDTH                        1
#define LOAD(p)                      (*(p))
#define STORE(p, x)                  (*(p) = (x))
#define SPREAD(a)                    ((float)(a))
#define SELECT(mask, a, b)           ((mask) ? (a) : (b))
#define SQRT(x)                      sqrtf(x)
#define LINES(body, index, a, b)     scalar_light_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) scalar_light_put_lines(body, index, a, b)
#include "solver/packed_sweep.h"

#include "solver/packed_done.h"

#define KERNEL(name)                 scalar_##name
#define LIGHT(name)                  scalar_light_##name
#define KERNEL_NAME                  "scalar"
#define REAL                         double
#define BATCH                        AspBatch
#define BODY                         AspPackedBody
#define TINY                         1e-300
#define WIDE                         double
#define MASK                         int
#define WIDTH                        1
#define LOAD(p)                      (*(p))
#define STORE(p, x)                  (*(p) = (x))
#define LOAD_LIGHT(p)                ((double)*(p))
#define STORE_LIGHT(p, x)            (*(p) = (float)(x))
#define SPREAD(a)                    ((double)(a))
#define SELECT(mask, a, b)           ((mask) ? (a) : (b))
#define SQRT(x)                      sqrt(x)
#define LINES(body, index, a, b)     scalar_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) scalar_put_lines(body, index, a, b)
#include "solver/packed_sweep.h"

#include "solver/packed_body.h"

#include "solver/packed_done.h"

#ifdef ASP_X86

/* ---- AVX2 ---- */

#define AVX2 __attribute__((target("avx2"))) static inline __attribute__((always_inline))

/* Four rows of four to four columns, or back. */
AVX2 void avx2_turn(__m256d r0, __m256d r1, __m256d r2, __m256d r3, __m256d out[4]) {
  __m256d t0 = _mm256_unpacklo_pd(r0, r1), t1 = _mm256_unpackhi_pd(r0, r1);
  __m256d t2 = _mm256_unpacklo_pd(r2, r3), t3 = _mm256_unpackhi_pd(r2, r3);
  out[0] = _mm256_permute2f128_pd(t0, t2, 0x20);
  out[1] = _mm256_permute2f128_pd(t1, t3, 0x20);
  out[2] = _mm256_permute2f128_pd(t0, t2, 0x31);
  out[3] = _mm256_permute2f128_pd(t1, t3, 0x31);
}

AVX2 void avx2_lines(const AspPackedBody *body, const int *index, __m256d a[4], __m256d b[4]) {
  const double *l0 = body[index[0]].v, *l1 = body[index[1]].v, *l2 = body[index[2]].v, *l3 = body[index[3]].v;
  avx2_turn(_mm256_load_pd(l0), _mm256_load_pd(l1), _mm256_load_pd(l2), _mm256_load_pd(l3), a);
  avx2_turn(_mm256_load_pd(l0 + 4), _mm256_load_pd(l1 + 4), _mm256_load_pd(l2 + 4), _mm256_load_pd(l3 + 4), b);
}

AVX2 void avx2_put_lines(AspPackedBody *body, const int *index, const __m256d a[4], const __m256d b[4]) {
  __m256d line[4];
  avx2_turn(a[0], a[1], a[2], a[3], line);
  for (int k = 0; k < 4; k++)
    _mm256_store_pd(body[index[k]].v, line[k]);
  avx2_turn(b[0], b[1], b[2], b[3], line);
  for (int k = 0; k < 4; k++)
    _mm256_store_pd(body[index[k]].v + 4, line[k]);
}

/* Eight rows of eight floats to eight columns, or back. */
AVX2 void avx2_light_turn(const __m256 r[8], __m256 out[8]) {
  __m256 s[8], t[8];
  for (int k = 0; k < 8; k += 2) {
    s[k] = _mm256_unpacklo_ps(r[k], r[k + 1]);
    s[k + 1] = _mm256_unpackhi_ps(r[k], r[k + 1]);
  }
  for (int k = 0; k < 8; k += 4)
    for (int j = 0; j < 2; j++) {
      t[k + 2 * j] = _mm256_shuffle_ps(s[k + j], s[k + j + 2], 0x44);
      t[k + 2 * j + 1] = _mm256_shuffle_ps(s[k + j], s[k + j + 2], 0xee);
    }
  for (int j = 0; j < 4; j++) {
    out[j] = _mm256_permute2f128_ps(t[j], t[j + 4], 0x20);
    out[j + 4] = _mm256_permute2f128_ps(t[j], t[j + 4], 0x31);
  }
}

AVX2 void avx2_light_lines(const AspLightBody *body, const int *index, __m256 a[4], __m256 b[4]) {
  __m256 row[8], column[8];
  for (int k = 0; k < 8; k++)
    row[k] = _mm256_load_ps(body[index[k]].v);
  avx2_light_turn(row, column);
  for (int k = 0; k < 4; k++) {
    a[k] = column[k];
    b[k] = column[k + 4];
  }
}

AVX2 void avx2_light_put_lines(AspLightBody *body, const int *index, const __m256 a[4], const __m256 b[4]) {
  __m256 row[8], column[8] = {a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
  avx2_light_turn(column, row);
  for (int k = 0; k < 8; k++)
    _mm256_store_ps(body[index[k]].v, row[k]);
}

#define TARGET __attribute__((target("avx2")))

#define KERNEL(name)                 avx2_light_##name
#define REAL                         float
#define BATCH                        AspLightBatch
#define BODY                         AspLightBody
#define TINY                         1e-30F
#define WIDE                         __m256
#define WIDTH                        8
#define LOAD(p)                      _mm256_load_ps(p)
#define STORE(p, x)                  _mm256_store_ps(p, x)
#define SPREAD(a)                    _mm256_set1_ps(a)
#define SELECT(mask, a, b)           _mm256_blendv_ps(b, a, (__m256)(mask))
#define SQRT(x)                      _mm256_sqrt_ps(x)
#define LINES(body, index, a, b)     avx2_light_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) avx2_light_put_lines(body, index, a, b)
#include "solver/packed_sweep.h"

#include "solver/packed_done.h"

typedef long long AspMask4 __attribute__((vector_size(32)));

#define KERNEL(name)                 avx2_##name
#define LIGHT(name)                  avx2_light_##name
#define KERNEL_NAME                  "avx2"
#define REAL                         double
#define BATCH                        AspBatch
#define BODY                         AspPackedBody
#define TINY                         1e-300
#define LOAD_LIGHT(p)                _mm256_cvtps_pd(_mm_load_ps(p))
#define STORE_LIGHT(p, x)            _mm_store_ps(p, _mm256_cvtpd_ps(x))
#define WIDE                         __m256d
#define MASK                         AspMask4
#define WIDTH                        4
#define LOAD(p)                      _mm256_load_pd(p)
#define STORE(p, x)                  _mm256_store_pd(p, x)
#define SPREAD(a)                    _mm256_set1_pd(a)
#define SELECT(mask, a, b)           _mm256_blendv_pd(b, a, (__m256d)(mask))
#define SQRT(x)                      _mm256_sqrt_pd(x)
#define LINES(body, index, a, b)     avx2_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) avx2_put_lines(body, index, a, b)
#include "solver/packed_sweep.h"

#include "solver/packed_body.h"

#include "solver/packed_done.h"

/* ---- AVX-512 ---- */

#define AVX512 __attribute__((target("avx512f"))) static inline __attribute__((always_inline))

/* Eight rows of eight to eight columns, or back. */
AVX512 void avx512_turn(const __m512d r[8], __m512d out[8]) {
  __m512d s[8], t[8];
  for (int k = 0; k < 8; k += 2) {
    s[k] = _mm512_unpacklo_pd(r[k], r[k + 1]);
    s[k + 1] = _mm512_unpackhi_pd(r[k], r[k + 1]);
  }
  for (int k = 0; k < 8; k += 4)
    for (int j = 0; j < 2; j++) {
      t[k + j] = _mm512_shuffle_f64x2(s[k + j], s[k + j + 2], 0x88);
      t[k + j + 2] = _mm512_shuffle_f64x2(s[k + j], s[k + j + 2], 0xdd);
    }
  for (int j = 0; j < 4; j++) {
    out[j] = _mm512_shuffle_f64x2(t[j], t[j + 4], 0x88);
    out[j + 4] = _mm512_shuffle_f64x2(t[j], t[j + 4], 0xdd);
  }
}

AVX512 void avx512_lines(const AspPackedBody *body, const int *index, __m512d a[4], __m512d b[4]) {
  __m512d row[8], column[8];
  for (int k = 0; k < 8; k++)
    row[k] = _mm512_load_pd(body[index[k]].v);
  avx512_turn(row, column);
  for (int k = 0; k < 4; k++) {
    a[k] = column[k];
    b[k] = column[k + 4];
  }
}

AVX512 void avx512_put_lines(AspPackedBody *body, const int *index, const __m512d a[4], const __m512d b[4]) {
  __m512d row[8], column[8] = {a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
  avx512_turn(column, row);
  for (int k = 0; k < 8; k++)
    _mm512_store_pd(body[index[k]].v, row[k]);
}

typedef long long AspMask8 __attribute__((vector_size(64)));

#define TARGET __attribute__((target("avx512f,avx512dq")))

#define KERNEL(name)                 avx512_##name
#define LIGHT(name)                  avx2_light_##name
#define KERNEL_NAME                  "avx512"
#define REAL                         double
#define BATCH                        AspBatch
#define BODY                         AspPackedBody
#define TINY                         1e-300
#define LOAD_LIGHT(p)                _mm512_cvtps_pd(_mm256_load_ps(p))
#define STORE_LIGHT(p, x)            _mm256_store_ps(p, _mm512_cvtpd_ps(x))
#define WIDE                         __m512d
#define MASK                         AspMask8
#define WIDTH                        8
#define LOAD(p)                      _mm512_load_pd(p)
#define STORE(p, x)                  _mm512_store_pd(p, x)
#define SPREAD(a)                    _mm512_set1_pd(a)
#define SELECT(mask, a, b)           _mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)(mask)), b, a)
#define SQRT(x)                      _mm512_sqrt_pd(x)
#define LINES(body, index, a, b)     avx512_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) avx512_put_lines(body, index, a, b)
#include "solver/packed_sweep.h"

#include "solver/packed_body.h"

#include "solver/packed_done.h"

#endif

const AspPackedKernels *asp_packed_kernels_at(int index) {
  if (index == 0)
    return &scalar_table;
#ifdef ASP_X86
  if (index == 1 && __builtin_cpu_supports("avx2"))
    return &avx2_table;
  if (index == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return &avx512_table;
#endif
  return NULL;
}

const AspPackedKernels *asp_packed_kernels(void) {
  const AspPackedKernels *best = asp_packed_kernels_at(0);
  for (int k = 1; asp_packed_kernels_at(k); k++)
    best = asp_packed_kernels_at(k);
  return best;
}
