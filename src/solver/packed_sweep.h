/* The sweep of packed.h, written once in terms of a vector of WIDTH numbers; packed_kernels.c includes this file twice
 * per instruction set, for doubles and for floats, after defining
 *
 *   KERNEL(name)                names in this set
 *   TARGET                      attribute that lets the compiler use the set
 *   REAL, BATCH, BODY           double, AspBatch, AspPackedBody; or float, AspLightBatch, AspLightBody
 *   TINY                        a number below every length that counts
 *   WIDE, WIDTH                 vector of numbers, and their number: 1, or such that it divides ASP_LANES
 *   LOAD(p) STORE(p, x)         aligned access
 *   SPREAD(a)                   one number in all places
 *   SELECT(mask, a, b)          a where the mask is true, else b
 *   SQRT(x)
 *   LINES(body, index, a, b)    a[4], b[4]: first and second half of the lines body[index[lane]], turned
 *   PUT_LINES(body, index, a, b)
 *
 * packed_body.h takes them away again. Plain products and sums in one order, so that every set gives the same bits. */

typedef struct KERNEL(Pair) {
  WIDE vp[4], wp[4], vq[4], wq[4]; // v and 1/m; w~ and nothing
} KERNEL(Pair);

TARGET static inline __attribute__((always_inline)) WIDE KERNEL(max)(WIDE a, WIDE b) { return SELECT(a > b, a, b); }

TARGET static inline __attribute__((always_inline)) WIDE KERNEL(dot)(const REAL (*row)[ASP_LANES], int lane,
                                                                     const WIDE x[3]) {
  return LOAD(row[0] + lane) * x[0] + LOAD(row[1] + lane) * x[1] + LOAD(row[2] + lane) * x[2];
}

TARGET static inline __attribute__((always_inline)) void KERNEL(velocity)(const BATCH *batch, int lane,
                                                                          const KERNEL(Pair) * pair, WIDE u[3]) {
  WIDE relative[3];
  for (int k = 0; k < 3; k++)
    relative[k] = pair->vq[k] - pair->vp[k];
  for (int k = 0; k < 3; k++)
    u[k] = (LOAD(batch->w[k] + lane) + KERNEL(dot)(batch->D + 3 * k, lane, relative)) +
           (KERNEL(dot)(batch->A + 3 * k, lane, pair->wp) + KERNEL(dot)(batch->B + 3 * k, lane, pair->wq));
}

/* sum over rows k of rows[k][j] d[k] */
TARGET static inline __attribute__((always_inline)) WIDE KERNEL(column)(const REAL (*rows)[ASP_LANES], int j, int lane,
                                                                        const WIDE d[3]) {
  return LOAD(rows[j] + lane) * d[0] + LOAD(rows[3 + j] + lane) * d[1] + LOAD(rows[6 + j] + lane) * d[2];
}

TARGET static inline __attribute__((always_inline)) void KERNEL(push)(const BATCH *batch, int lane, const WIDE d[3],
                                                                      KERNEL(Pair) * pair) {
  for (int j = 0; j < 3; j++) {
    WIDE impulse = KERNEL(column)(batch->D, j, lane, d);
    pair->vp[j] = pair->vp[j] - pair->vp[3] * impulse;
    pair->vq[j] = pair->vq[j] + pair->vq[3] * impulse;
    pair->wp[j] = pair->wp[j] + KERNEL(column)(batch->A, j, lane, d);
    pair->wq[j] = pair->wq[j] + KERNEL(column)(batch->B, j, lane, d);
  }
}

/* The answer of the contact to the velocity u, which belongs to the reaction x: normal, then friction on its disk. */
TARGET static inline __attribute__((always_inline)) void KERNEL(answer)(const BATCH *batch, int lane, WIDE u[3],
                                                                        const WIDE x[3], WIDE r[3]) {
  const WIDE zero = SPREAD(0), tiny = SPREAD(TINY);
  WIDE inverse_N = LOAD(batch->inverse_N + lane), inverse_T = LOAD(batch->inverse_T + lane);
  r[0] = KERNEL(max)(x[0] - u[0] * inverse_N, zero);
  WIDE more = r[0] - x[0];
  u[1] = u[1] + LOAD(batch->W[0] + lane) * more;
  u[2] = u[2] + LOAD(batch->W[1] + lane) * more;
  WIDE t1 = x[1] - u[1] * inverse_T, t2 = x[2] - u[2] * inverse_T;
  WIDE length = SQRT(t1 * t1 + t2 * t2), limit = LOAD(batch->mu + lane) * r[0];
  WIDE share = SELECT(length > limit, limit / KERNEL(max)(length, tiny), SPREAD(1));
  r[1] = t1 * share;
  r[2] = t2 * share;
}

TARGET static void KERNEL(sweep)(BATCH *batch, int count, BODY *body, int now, REAL momentum) {
  const WIDE beta = SPREAD(momentum);
  for (BATCH *end = batch + count; batch < end; batch++)
    for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
      KERNEL(Pair) pair;
      WIDE u[3], x[3], r[3], d[3];
      LINES(body, batch->p + lane, pair.vp, pair.wp);
      LINES(body, batch->q + lane, pair.vq, pair.wq);
      KERNEL(velocity)(batch, lane, &pair, u);
      for (int k = 0; k < 3; k++) {
        WIDE last = LOAD(batch->r[now][k] + lane);
        x[k] = last + beta * (last - LOAD(batch->r[1 - now][k] + lane));
      }
      KERNEL(answer)(batch, lane, u, x, r);
      for (int k = 0; k < 3; k++) {
        d[k] = r[k] - x[k];
        STORE(batch->r[1 - now][k] + lane, r[k]);
      }
      KERNEL(push)(batch, lane, d, &pair);
      PUT_LINES(body, batch->p + lane, pair.vp, pair.wp);
      PUT_LINES(body, batch->q + lane, pair.vq, pair.wq);
    }
}

/* Line by line: v + beta (v - v'), v' becomes v; the masses, which are equal, stay. */
TARGET static void KERNEL(extrapolate)(BODY *body, BODY *before, int count, REAL momentum) {
  const WIDE beta = SPREAD(momentum);
  for (int b = 0; b < count; b++)
    for (size_t k = 0; k < sizeof *body / sizeof(REAL); k += WIDTH) {
      REAL *line = (REAL *)&body[b] + k, *old = (REAL *)&before[b] + k;
      WIDE v = LOAD(line);
      STORE(line, v + beta * (v - LOAD(old)));
      STORE(old, v);
    }
}
