/* clang-format off */
/* The kernels of packed.h, written once in terms of a vector of WIDTH numbers; packed_kernels.c includes this file
 * twice per instruction set, for floats and for doubles, after defining
 *
 *   KERNEL(name)                 names in this set
 *   TARGET                       attribute that lets the compiler use the set
 *   REAL, BATCH(kind), BODY      double; AspBatch, AspGeneralBatch, AspSphereBatch by kind; AspPackedBody; or of floats
 *   TINY                         a number below every length that counts
 *   WIDE, WIDTH                  vector of numbers, and their number: 1, or such that it divides ASP_LANES
 *   LOAD(p) STORE(p, x)          aligned access
 *   SPREAD(a)                    one number in all places
 *   MORE(a, b)                   mask of a > b
 *   SELECT(mask, a, b)           a where the mask is true, else b
 *   MAX(a, b)                    a where a > b, else b
 *   SQRT(x)
 *   LINES(body, index, a, b)     a[4], b[4]: first and second half of the lines body[index[lane]], turned
 *   PUT_LINES(body, index, a, b) and back
 *
 * and for doubles
 *
 *   KERNEL_NAME, LIGHT(name)    its name, and the names of the float sweeps in this set
 *   LOAD_LIGHT(p)               WIDTH floats as doubles
 *   STORE_LIGHT(p, x)           and back, rounded
 *
 * which are taken away at the end. The same operations in one order, so that every set gives the same bits; products
 * are rounded before they are added, since not every processor can do both at once.
 *
 * What differs between the kinds of batches, velocity, couple and push, stands in packed_general.h and
 * packed_spheres.h; packed_sweep_batches.h and packed_residual.h make the passes of a kind from them and take away its
 * names. */
/* clang-format on */

#define INLINE TARGET static inline __attribute__((always_inline))
#define MADD(a, b, c) ((c) + (a) * (b))
#define MSUB(a, b, c) ((c) - (a) * (b))

typedef struct KERNEL(Pair) {
  WIDE vp[4], wp[4], vq[4], wq[4]; // v and 1/m; w~ and nothing
} KERNEL(Pair);

INLINE WIDE KERNEL(dot)(const REAL (*row)[ASP_LANES], int lane, const WIDE x[3]) {
  return MADD(LOAD(row[0] + lane), x[0], MADD(LOAD(row[1] + lane), x[1], LOAD(row[2] + lane) * x[2]));
}

/* sum over rows k of rows[k][j] d[k] */
INLINE WIDE KERNEL(column)(const REAL (*rows)[ASP_LANES], int j, int lane, const WIDE d[3]) {
  return MADD(LOAD(rows[j] + lane), d[0], MADD(LOAD(rows[3 + j] + lane), d[1], LOAD(rows[6 + j] + lane) * d[2]));
}

INLINE void KERNEL(push_linear)(const WIDE impulse[3], KERNEL(Pair) * pair) {
  for (int j = 0; j < 3; j++) {
    pair->vp[j] = MSUB(pair->vp[3], impulse[j], pair->vp[j]);
    pair->vq[j] = MADD(pair->vq[3], impulse[j], pair->vq[j]);
  }
}

/* v + beta (v - v'), v' becomes v; the masses, which are equal, stay. */
TARGET static void KERNEL(extrapolate)(BODY *body, BODY *before, int count, REAL momentum) {
  const WIDE beta = SPREAD(momentum);
  REAL *line = (REAL *)body, *old = (REAL *)before;
  for (size_t k = 0, end = (size_t)count * sizeof *body / sizeof(REAL); k < end; k += WIDTH) {
    WIDE v = LOAD(line + k);
    STORE(line + k, MADD(beta, v - LOAD(old + k), v));
    STORE(old + k, v);
  }
}

#ifdef KERNEL_NAME
/* ||r - P(r - rho (u + mu ||u_T|| n))||^2, P onto the cone ||r_T|| <= mu r_N */
INLINE WIDE KERNEL(map)(WIDE rho, WIDE mu, const WIDE r[3], const WIDE u[3], WIDE slip) {
  const WIDE zero = SPREAD(0), tiny = SPREAD(TINY);
  WIDE n = r[0] - rho * (u[0] + mu * slip), t1 = r[1] - rho * u[1], t2 = r[2] - rho * u[2];
  WIDE length = SQRT(t1 * t1 + t2 * t2);
  // onto the ray (1, mu t/|t|) where outside the cone and not below its polar
  WIDE along = MAX((n + mu * length) / (SPREAD(1) + mu * mu), zero);
  WIDE share = SELECT(MORE(length, mu * n), mu * along / MAX(length, tiny), SPREAD(1));
  WIDE e0 = r[0] - SELECT(MORE(length, mu * n), along, n), e1 = r[1] - share * t1, e2 = r[2] - share * t2;
  return e0 * e0 + (e1 * e1 + e2 * e2);
}

#include "solver/packed_make_batch.h"
#endif

#define KIND(name)       KERNEL(general_##name)
#define KIND_LIGHT(name) LIGHT(general_##name)
#define OWN              BATCH(General)
#define OWN_LIGHT        AspLightGeneralBatch
#include "solver/packed_general.h"

#include "solver/packed_sweep_batches.h"

#define KIND(name)       KERNEL(sphere_##name)
#define KIND_LIGHT(name) LIGHT(sphere_##name)
#define OWN              BATCH(Sphere)
#define OWN_LIGHT        AspLightSphereBatch
#include "solver/packed_spheres.h"

#include "solver/packed_sweep_batches.h"

#undef KERNEL
#undef REAL
#undef BATCH
#undef BODY
#undef TINY
#undef WIDE
#undef WIDTH
#undef LOAD
#undef STORE
#undef SPREAD
#undef MORE
#undef SELECT
#undef MAX
#undef MADD
#undef MSUB
#undef SQRT
#undef LINES
#undef PUT_LINES
#undef KERNEL_NAME
#undef LIGHT
#undef LOAD_LIGHT
#undef STORE_LIGHT
#undef INLINE
