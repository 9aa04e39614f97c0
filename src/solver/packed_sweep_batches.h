/* The sweep over batches of one kind; for doubles packed_residual.h adds the other passes: see
 * packed_kernels_body.h. */

/* The answer of the contact to the velocity u, which belongs to the reaction x: normal, then friction on its disk. */
INLINE void KIND(answer)(const OWN *batch, int lane, WIDE u[3], const WIDE x[3], WIDE r[3]) {
  const WIDE zero = SPREAD(0), tiny = SPREAD(TINY);
  WIDE inverse_N = LOAD(batch->common.inverse_N + lane), inverse_T = LOAD(batch->common.inverse_T + lane);
  r[0] = MAX(MSUB(u[0], inverse_N, x[0]), zero);
  KIND(couple)(batch, lane, r[0] - x[0], u);
  WIDE t1 = MSUB(u[1], inverse_T, x[1]), t2 = MSUB(u[2], inverse_T, x[2]);
  WIDE length = SQRT(MADD(t1, t1, t2 * t2)), limit = LOAD(batch->common.mu + lane) * r[0];
  WIDE share = SELECT(MORE(length, limit), limit / MAX(length, tiny), SPREAD(1));
  r[1] = t1 * share;
  r[2] = t2 * share;
}

TARGET static void KIND(sweep)(BATCH() * first, int count, BODY *body, int now, REAL momentum) {
  const WIDE beta = SPREAD(momentum);
  for (OWN *batch = (OWN *)first, *end = batch + count; batch < end; batch++)
    for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
      BATCH() *common = &batch->common;
      KERNEL(Pair) pair;
      WIDE u[3], x[3], r[3], d[3];
      LINES(body, common->p + lane, pair.vp, pair.wp);
      LINES(body, common->q + lane, pair.vq, pair.wq);
      KIND(velocity)(batch, lane, &pair, u);
      for (int k = 0; k < 3; k++) {
        WIDE last = LOAD(common->r[now][k] + lane);
        x[k] = MADD(beta, last - LOAD(common->r[1 - now][k] + lane), last);
      }
      KIND(answer)(batch, lane, u, x, r);
      for (int k = 0; k < 3; k++) {
        d[k] = r[k] - x[k];
        STORE(common->r[1 - now][k] + lane, r[k]);
      }
      KIND(push)(batch, lane, d, &pair);
      PUT_LINES(body, common->p + lane, pair.vp, pair.wp);
      PUT_LINES(body, common->q + lane, pair.vq, pair.wq);
    }
}

#ifdef KERNEL_NAME
#include "solver/packed_residual.h"
#endif

#undef KIND
#undef KIND_LIGHT
#undef OWN
#undef OWN_LIGHT
