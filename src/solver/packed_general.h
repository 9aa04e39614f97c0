/* Batches of packed.h of general bodies (angular rows A and B of any kind): see packed_kernels_body.h. */

INLINE void KIND(velocity)(const OWN *batch, int lane, const KERNEL(Pair) * pair, WIDE u[3]) {
  WIDE relative[3];
  for (int k = 0; k < 3; k++)
    relative[k] = pair->vq[k] - pair->vp[k];
  for (int k = 0; k < 3; k++)
    u[k] = (LOAD(batch->common.w[k] + lane) + KERNEL(dot)(batch->common.D + 3 * k, lane, relative)) +
           (KERNEL(dot)(batch->A + 3 * k, lane, pair->wp) + KERNEL(dot)(batch->B + 3 * k, lane, pair->wq));
}

/* What more normal reaction does to the tangential velocity. */
INLINE void KIND(couple)(const OWN *batch, int lane, WIDE more, WIDE u[3]) {
  u[1] = MADD(LOAD(batch->W[0] + lane), more, u[1]);
  u[2] = MADD(LOAD(batch->W[1] + lane), more, u[2]);
}

INLINE void KIND(push)(const OWN *batch, int lane, const WIDE d[3], KERNEL(Pair) * pair) {
  WIDE impulse[3];
  for (int j = 0; j < 3; j++) {
    impulse[j] = KERNEL(column)(batch->common.D, j, lane, d);
    pair->wp[j] = pair->wp[j] + KERNEL(column)(batch->A, j, lane, d);
    pair->wq[j] = pair->wq[j] + KERNEL(column)(batch->B, j, lane, d);
  }
  KERNEL(push_linear)(impulse, pair);
}
