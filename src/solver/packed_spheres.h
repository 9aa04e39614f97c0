/* Batches of packed.h whose bodies are spheres (two numbers in place of A and B): see packed_kernels_body.h. */

INLINE void KIND(velocity)(const OWN *batch, int lane, const KERNEL(Pair) * pair, WIDE u[3]) {
  WIDE a = LOAD(batch->arm[0] + lane), b = LOAD(batch->arm[1] + lane), spin[3], n[3], relative[3];
  for (int k = 0; k < 3; k++) {
    spin[k] = MADD(a, pair->wp[k], b * pair->wq[k]);
    n[k] = LOAD(batch->common.D[k] + lane);
  }
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    relative[k] = MADD(spin[i], n[j], MSUB(spin[j], n[i], pair->vq[k] - pair->vp[k]));
  }
  for (int k = 0; k < 3; k++)
    u[k] = LOAD(batch->common.w[k] + lane) + KERNEL(dot)(batch->common.D + 3 * k, lane, relative);
}

/* A normal reaction goes through both centres. */
INLINE void KIND(couple)(const OWN *batch, int lane, WIDE more, WIDE u[3]) {
  (void)batch;
  (void)lane;
  (void)more;
  (void)u;
}

INLINE void KIND(push)(const OWN *batch, int lane, const WIDE d[3], KERNEL(Pair) * pair) {
  WIDE a = LOAD(batch->arm[0] + lane), b = LOAD(batch->arm[1] + lane), impulse[3], n[3];
  for (int k = 0; k < 3; k++) {
    impulse[k] = KERNEL(column)(batch->common.D, k, lane, d);
    n[k] = LOAD(batch->common.D[k] + lane);
  }
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    WIDE turn = MSUB(n[j], impulse[i], n[i] * impulse[j]);
    pair->wp[k] = MADD(a, turn, pair->wp[k]);
    pair->wq[k] = MADD(b, turn, pair->wq[k]);
  }
  KERNEL(push_linear)(impulse, pair);
}
