/* The tables of packed Gauss-Seidel: the scalar reference; with AVX2 four lanes at once in doubles and eight in floats;
 * with AVX-512 twice as many; in a portable build (WebAssembly) half as many. See packed_kernels_body.h. */
#include "linalg/kernels.h"
#include "solver/packed.h"
#include "solver/tuning/packed.h"

#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ASP_PORTABLE)
// exact: a switch
#define ASP_X86 1
#include <immintrin.h>
#endif

static double sum_lanes(const double *x) {
  double sum = 0;
  for (int lane = 0; lane < ASP_LANES; lane++)
    sum += x[lane];
  return sum;
}

/* Where a batch says that a body is. */
#define LINE(body, index)        (&(body)[index])
#define LIGHT_LINE(body, offset) ((AspLightBody *)((uintptr_t)(body) + (size_t)(offset)))

/* ---- scalar reference ---- */

#define SCALAR_LINES(REAL, BODY, AT, PREFIX)                                                                           \
  static inline void PREFIX##_lines(const BODY *body, const int *index, REAL a[4], REAL b[4]) {                        \
    const BODY *line = AT(body, *index);                                                                               \
    for (int k = 0; k < 3; k++) {                                                                                      \
      a[k] = line->v[k];                                                                                               \
      b[k] = line->w[k];                                                                                               \
    }                                                                                                                  \
    a[3] = line->inverse_mass;                                                                                         \
    b[3] = 0;                                                                                                          \
  }                                                                                                                    \
  static inline void PREFIX##_put_lines(BODY *body, const int *index, const REAL a[4], const REAL b[4]) {              \
    BODY *line = AT(body, *index);                                                                                     \
    for (int k = 0; k < 3; k++) {                                                                                      \
      line->v[k] = a[k];                                                                                               \
      line->w[k] = b[k];                                                                                               \
    }                                                                                                                  \
  }

SCALAR_LINES(double, AspPackedBody, LINE, scalar)
SCALAR_LINES(float, AspLightBody, LIGHT_LINE, scalar_light)

#define TARGET

#define KERNEL(name)                 scalar_light_##name
#define REAL                         float
#define BATCH(kind)                  AspLight##kind##Batch
#define BODY                         AspLightBody
#define TINY                         1e-30F
#define WIDE                         float
#define WIDTH                        1
#define LOAD(p)                      (*(p))
#define STORE(p, x)                  (*(p) = (x))
#define SPREAD(a)                    ((float)(a))
#define MORE(a, b)                   ((a) > (b))
#define SELECT(mask, a, b)           ((mask) ? (a) : (b))
#define MAX(a, b)                    ((a) > (b) ? (a) : (b))
#define SQRT(x)                      sqrtf(x)
#define LINES(body, index, a, b)     scalar_light_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) scalar_light_put_lines(body, index, a, b)
#include "solver/packed_kernels_body.h"

#define KERNEL(name)                 scalar_##name
#define LIGHT(name)                  scalar_light_##name
#define KERNEL_NAME                  "scalar"
#define REAL                         double
#define BATCH(kind)                  Asp##kind##Batch
#define BODY                         AspPackedBody
#define TINY                         1e-300
#define WIDE                         double
#define WIDTH                        1
#define LOAD(p)                      (*(p))
#define STORE(p, x)                  (*(p) = (x))
#define LOAD_LIGHT(p)                ((double)*(p))
#define STORE_LIGHT(p, x)            (*(p) = (float)(x))
#define SPREAD(a)                    ((double)(a))
#define MORE(a, b)                   ((a) > (b))
#define SELECT(mask, a, b)           ((mask) ? (a) : (b))
#define MAX(a, b)                    ((a) > (b) ? (a) : (b))
#define SQRT(x)                      sqrt(x)
#define LINES(body, index, a, b)     scalar_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) scalar_put_lines(body, index, a, b)
#include "solver/packed_kernels_body.h"

#ifdef ASP_PORTABLE

/* ---- vectors of 16 bytes, whatever the compiler makes of them: SIMD128, SSE2, NEON ---- */

typedef double Wide2 __attribute__((vector_size(16), may_alias));
typedef float Wide4 __attribute__((vector_size(16), may_alias));
typedef long long Mask2 __attribute__((vector_size(16)));
typedef int Mask4 __attribute__((vector_size(16)));

#define BLEND(MASK, VECTOR, mask, a, b) ((VECTOR)(((mask) & (MASK)(a)) | (~(mask) & (MASK)(b))))

static inline Wide2 wide2_select(Mask2 mask, Wide2 a, Wide2 b) { return BLEND(Mask2, Wide2, mask, a, b); }
static inline Wide4 wide4_select(Mask4 mask, Wide4 a, Wide4 b) { return BLEND(Mask4, Wide4, mask, a, b); }
static inline Wide2 wide2_sqrt(Wide2 x) { return (Wide2){sqrt(x[0]), sqrt(x[1])}; }
static inline Wide4 wide4_sqrt(Wide4 x) { return (Wide4){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])}; }

static inline void wide2_lines(const AspPackedBody *body, const int *index, Wide2 a[4], Wide2 b[4]) {
  const Wide2 *l0 = (const Wide2 *)body[index[0]].v, *l1 = (const Wide2 *)body[index[1]].v;
  for (int k = 0; k < 2; k++) {
    Wide2 v0 = l0[k], v1 = l1[k], w0 = l0[k + 2], w1 = l1[k + 2];
    a[2 * k] = (Wide2){v0[0], v1[0]};
    a[2 * k + 1] = (Wide2){v0[1], v1[1]};
    b[2 * k] = (Wide2){w0[0], w1[0]};
    b[2 * k + 1] = (Wide2){w0[1], w1[1]};
  }
}

static inline void wide2_put_lines(AspPackedBody *body, const int *index, const Wide2 a[4], const Wide2 b[4]) {
  for (int lane = 0; lane < 2; lane++) {
    Wide2 *line = (Wide2 *)body[index[lane]].v;
    for (int k = 0; k < 2; k++) {
      line[k] = (Wide2){a[2 * k][lane], a[2 * k + 1][lane]};
      line[k + 2] = (Wide2){b[2 * k][lane], b[2 * k + 1][lane]};
    }
  }
}

/* Four rows of four floats to four columns, or back. */
static inline void wide4_turn(const Wide4 r[4], Wide4 out[4]) {
  Wide4 t0 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), t1 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  Wide4 t2 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5), t3 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  out[0] = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
  out[2] = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
  out[3] = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

static inline void wide4_lines(const AspLightBody *body, const int *offset, Wide4 a[4], Wide4 b[4]) {
  Wide4 v[4], w[4];
  for (int k = 0; k < 4; k++) {
    const Wide4 *line = (const Wide4 *)LIGHT_LINE(body, offset[k])->v;
    v[k] = line[0];
    w[k] = line[1];
  }
  wide4_turn(v, a);
  wide4_turn(w, b);
}

static inline void wide4_put_lines(AspLightBody *body, const int *offset, const Wide4 a[4], const Wide4 b[4]) {
  Wide4 v[4], w[4];
  wide4_turn(a, v);
  wide4_turn(b, w);
  for (int k = 0; k < 4; k++) {
    Wide4 *line = (Wide4 *)LIGHT_LINE(body, offset[k])->v;
    line[0] = v[k];
    line[1] = w[k];
  }
}

#define KERNEL(name)                 wide4_##name
#define REAL                         float
#define BATCH(kind)                  AspLight##kind##Batch
#define BODY                         AspLightBody
#define TINY                         1e-30F
#define WIDE                         Wide4
#define WIDTH                        4
#define LOAD(p)                      (*(const Wide4 *)(p))
#define STORE(p, x)                  (*(Wide4 *)(p) = (x))
#define SPREAD(a)                    ((Wide4){(a), (a), (a), (a)})
#define MORE(a, b)                   ((a) > (b))
#define SELECT(mask, a, b)           wide4_select(mask, a, b)
#define MAX(a, b)                    wide4_select((a) > (b), a, b)
#define SQRT(x)                      wide4_sqrt(x)
#define LINES(body, index, a, b)     wide4_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) wide4_put_lines(body, index, a, b)
#include "solver/packed_kernels_body.h"

#define KERNEL(name)                 wide2_##name
#define LIGHT(name)                  wide4_##name
#define KERNEL_NAME                  "vectors of 16 bytes"
#define REAL                         double
#define BATCH(kind)                  Asp##kind##Batch
#define BODY                         AspPackedBody
#define TINY                         1e-300
#define LOAD_LIGHT(p)                ((Wide2){(p)[0], (p)[1]})
#define STORE_LIGHT(p, x)            ((p)[0] = (float)(x)[0], (p)[1] = (float)(x)[1])
#define WIDE                         Wide2
#define WIDTH                        2
#define LOAD(p)                      (*(const Wide2 *)(p))
#define STORE(p, x)                  (*(Wide2 *)(p) = (x))
#define SPREAD(a)                    ((Wide2){(a), (a)})
#define MORE(a, b)                   ((a) > (b))
#define SELECT(mask, a, b)           wide2_select(mask, a, b)
#define MAX(a, b)                    wide2_select((a) > (b), a, b)
#define SQRT(x)                      wide2_sqrt(x)
#define LINES(body, index, a, b)     wide2_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) wide2_put_lines(body, index, a, b)
#include "solver/packed_kernels_body.h"

#endif

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

/* Four rows of four floats to four columns, or back, in both halves of the vectors. */
AVX2 void avx2_light_turn(const __m256 r[4], __m256 out[4]) {
  __m256 t0 = _mm256_unpacklo_ps(r[0], r[1]), t1 = _mm256_unpackhi_ps(r[0], r[1]);
  __m256 t2 = _mm256_unpacklo_ps(r[2], r[3]), t3 = _mm256_unpackhi_ps(r[2], r[3]);
  out[0] = _mm256_shuffle_ps(t0, t2, 0x44);
  out[1] = _mm256_shuffle_ps(t0, t2, 0xee);
  out[2] = _mm256_shuffle_ps(t1, t3, 0x44);
  out[3] = _mm256_shuffle_ps(t1, t3, 0xee);
}

/* Halves of lines k and k + 4 side by side: joined by the load and parted by the store, which cost no shuffle. */
AVX2 void avx2_light_lines(const AspLightBody *body, const int *offset, __m256 a[4], __m256 b[4]) {
  __m256 v[4], w[4];
  for (int k = 0; k < 4; k++) {
    const float *low = LIGHT_LINE(body, offset[k])->v, *high = LIGHT_LINE(body, offset[k + 4])->v;
    v[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1);
    w[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low + 4)), _mm_load_ps(high + 4), 1);
  }
  avx2_light_turn(v, a);
  avx2_light_turn(w, b);
}

AVX2 void avx2_light_put_lines(AspLightBody *body, const int *offset, const __m256 a[4], const __m256 b[4]) {
  __m256 v[4], w[4];
  avx2_light_turn(a, v);
  avx2_light_turn(b, w);
  for (int k = 0; k < 4; k++) {
    float *low = LIGHT_LINE(body, offset[k])->v, *high = LIGHT_LINE(body, offset[k + 4])->v;
    _mm_store_ps(low, _mm256_castps256_ps128(v[k]));
    _mm_store_ps(low + 4, _mm256_castps256_ps128(w[k]));
    _mm_store_ps(high, _mm256_extractf128_ps(v[k], 1));
    _mm_store_ps(high + 4, _mm256_extractf128_ps(w[k], 1));
  }
}

#undef TARGET
#define TARGET __attribute__((target("avx2")))

#define KERNEL(name)                 avx2_light_##name
#define REAL                         float
#define BATCH(kind)                  AspLight##kind##Batch
#define BODY                         AspLightBody
#define TINY                         1e-30F
#define WIDE                         __m256
#define WIDTH                        8
#define LOAD(p)                      _mm256_load_ps(p)
#define STORE(p, x)                  _mm256_store_ps(p, x)
#define SPREAD(a)                    _mm256_set1_ps(a)
#define MORE(a, b)                   _mm256_cmp_ps(a, b, _CMP_GT_OQ)
#define SELECT(mask, a, b)           _mm256_blendv_ps(b, a, mask)
#define MAX(a, b)                    _mm256_max_ps(a, b)
#define SQRT(x)                      _mm256_sqrt_ps(x)
#define LINES(body, index, a, b)     avx2_light_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) avx2_light_put_lines(body, index, a, b)
#include "solver/packed_kernels_body.h"

#define KERNEL(name)                 avx2_##name
#define LIGHT(name)                  avx2_light_##name
#define KERNEL_NAME                  "avx2"
#define REAL                         double
#define BATCH(kind)                  Asp##kind##Batch
#define BODY                         AspPackedBody
#define TINY                         1e-300
#define LOAD_LIGHT(p)                _mm256_cvtps_pd(_mm_load_ps(p))
#define STORE_LIGHT(p, x)            _mm_store_ps(p, _mm256_cvtpd_ps(x))
#define WIDE                         __m256d
#define WIDTH                        4
#define LOAD(p)                      _mm256_load_pd(p)
#define STORE(p, x)                  _mm256_store_pd(p, x)
#define SPREAD(a)                    _mm256_set1_pd(a)
#define MORE(a, b)                   _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define SELECT(mask, a, b)           _mm256_blendv_pd(b, a, mask)
#define MAX(a, b)                    _mm256_max_pd(a, b)
#define SQRT(x)                      _mm256_sqrt_pd(x)
#define LINES(body, index, a, b)     avx2_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) avx2_put_lines(body, index, a, b)
#include "solver/packed_kernels_body.h"

/* ---- AVX-512 ---- */

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl"))) static inline __attribute__((always_inline))

/* Eight rows of eight to eight columns, or back. */
AVX512 void avx512_turn(const __m512d r[8], __m512d out[8]) {
  __m512d s[8], t[8];
  // exact: floats in a register
  for (int k = 0; k < 8; k += 2) {
    s[k] = _mm512_unpacklo_pd(r[k], r[k + 1]);
    s[k + 1] = _mm512_unpackhi_pd(r[k], r[k + 1]);
  }
  // exact: floats in a register
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
  // exact: floats in a register
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
  // exact: floats in a register
  for (int k = 0; k < 8; k++)
    _mm512_store_pd(body[index[k]].v, row[k]);
}

/* Four rows of four floats to four columns, or back, in each quarter of the vectors. */
AVX512 void avx512_light_turn(const __m512 r[4], __m512 out[4]) {
  __m512 t0 = _mm512_unpacklo_ps(r[0], r[1]), t1 = _mm512_unpackhi_ps(r[0], r[1]);
  __m512 t2 = _mm512_unpacklo_ps(r[2], r[3]), t3 = _mm512_unpackhi_ps(r[2], r[3]);
  out[0] = _mm512_shuffle_ps(t0, t2, 0x44);
  out[1] = _mm512_shuffle_ps(t0, t2, 0xee);
  out[2] = _mm512_shuffle_ps(t1, t3, 0x44);
  out[3] = _mm512_shuffle_ps(t1, t3, 0xee);
}

AVX512 __m512 avx512_join(const AspLightBody *low, const AspLightBody *high) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_load_ps(low->v)), _mm256_load_ps(high->v), 1);
}

/* Lines k and k + 4 side by side, then k + 8 and k + 12: turned by quarters, the quarters of a column are then in two
 * vectors. */
AVX512 void avx512_light_lines(const AspLightBody *body, const int *offset, __m512 a[4], __m512 b[4]) {
  __m512 row[4], low[4], high[4];
  for (int k = 0; k < 4; k++)
    row[k] = avx512_join(LIGHT_LINE(body, offset[k]), LIGHT_LINE(body, offset[k + 4]));
  avx512_light_turn(row, low);
  for (int k = 0; k < 4; k++)
    row[k] = avx512_join(LIGHT_LINE(body, offset[k + 8]), LIGHT_LINE(body, offset[k + 12]));
  avx512_light_turn(row, high);
  for (int k = 0; k < 4; k++) {
    a[k] = _mm512_shuffle_f32x4(low[k], high[k], 0x88);
    b[k] = k < 3 ? _mm512_shuffle_f32x4(low[k], high[k], 0xdd) : _mm512_setzero_ps(); // nothing is kept there
  }
}

AVX512 void avx512_part(AspLightBody *low, AspLightBody *high, __m512 x) {
  _mm256_store_ps(low->v, _mm512_castps512_ps256(x));
  _mm256_store_ps(high->v, _mm512_extractf32x8_ps(x, 1));
}

AVX512 void avx512_light_put_lines(AspLightBody *body, const int *offset, const __m512 a[4], const __m512 b[4]) {
  // exact: order of lanes
  const __m512i first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0),
                // exact: order of lanes
      second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  __m512 low[4], high[4], row[4];
  for (int k = 0; k < 4; k++) {
    low[k] = _mm512_castpd_ps(_mm512_permutex2var_pd(_mm512_castps_pd(a[k]), first, _mm512_castps_pd(b[k])));
    high[k] = _mm512_castpd_ps(_mm512_permutex2var_pd(_mm512_castps_pd(a[k]), second, _mm512_castps_pd(b[k])));
  }
  avx512_light_turn(low, row);
  for (int k = 0; k < 4; k++)
    avx512_part(LIGHT_LINE(body, offset[k]), LIGHT_LINE(body, offset[k + 4]), row[k]);
  avx512_light_turn(high, row);
  for (int k = 0; k < 4; k++)
    avx512_part(LIGHT_LINE(body, offset[k + 8]), LIGHT_LINE(body, offset[k + 12]), row[k]);
}

#undef TARGET
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))

#define KERNEL(name)                 avx512_light_##name
#define REAL                         float
#define BATCH(kind)                  AspLight##kind##Batch
#define BODY                         AspLightBody
#define TINY                         1e-30F
#define WIDE                         __m512
#define WIDTH                        16
#define LOAD(p)                      _mm512_load_ps(p)
#define STORE(p, x)                  _mm512_store_ps(p, x)
#define SPREAD(a)                    _mm512_set1_ps(a)
#define MORE(a, b)                   _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#define SELECT(mask, a, b)           _mm512_mask_blend_ps(mask, b, a)
#define MAX(a, b)                    _mm512_max_ps(a, b)
#define SQRT(x)                      _mm512_sqrt_ps(x)
#define LINES(body, index, a, b)     avx512_light_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) avx512_light_put_lines(body, index, a, b)
#include "solver/packed_kernels_body.h"

#define KERNEL(name)                 avx512_##name
#define LIGHT(name)                  avx512_light_##name
#define KERNEL_NAME                  "avx512"
#define REAL                         double
#define BATCH(kind)                  Asp##kind##Batch
#define BODY                         AspPackedBody
#define TINY                         1e-300
#define LOAD_LIGHT(p)                _mm512_cvtps_pd(_mm256_load_ps(p))
#define STORE_LIGHT(p, x)            _mm256_store_ps(p, _mm512_cvtpd_ps(x))
#define WIDE                         __m512d
#define WIDTH                        8
#define LOAD(p)                      _mm512_load_pd(p)
#define STORE(p, x)                  _mm512_store_pd(p, x)
#define SPREAD(a)                    _mm512_set1_pd(a)
#define MORE(a, b)                   _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ)
#define SELECT(mask, a, b)           _mm512_mask_blend_pd(mask, b, a)
#define MAX(a, b)                    _mm512_max_pd(a, b)
#define SQRT(x)                      _mm512_sqrt_pd(x)
#define LINES(body, index, a, b)     avx512_lines(body, index, a, b)
#define PUT_LINES(body, index, a, b) avx512_put_lines(body, index, a, b)
#include "solver/packed_kernels_body.h"

#endif

const AspPackedKernels *asp_packed_kernels_at(int index, bool spheres) {
  if (index == 0)
    return spheres ? &scalar_sphere_table : &scalar_general_table;
#ifdef ASP_PORTABLE
  if (index == 1)
    return spheres ? &wide2_sphere_table : &wide2_general_table;
#endif
#ifdef ASP_X86
  if (index == 1 && __builtin_cpu_supports("avx2"))
    return spheres ? &avx2_sphere_table : &avx2_general_table;
  if (index == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return spheres ? &avx512_sphere_table : &avx512_general_table;
#endif
  return NULL;
}

const AspPackedKernels *asp_packed_kernels(bool spheres) {
  const AspPackedKernels *best = asp_packed_kernels_at(0, spheres);
  for (int k = 1, most = asp_kernels_most(); k <= most && asp_packed_kernels_at(k, spheres); k++)
    best = asp_packed_kernels_at(k, spheres);
  return best;
}
