/* The kernels of packed.h, written once in terms of a vector of WIDTH doubles; packed_kernels.c includes this file once
 * per instruction set after defining
 *
 *   KERNEL(name), KERNEL_NAME   names in this set
 *   TARGET                      attribute that lets the compiler use the set
 *   WIDE, MASK, WIDTH           vector of doubles, of truth values, and their number: 1 or ASP_LANES
 *   LOAD(p) STORE(p, x)         aligned access
 *   SPREAD(a)                   one number in all places
 *   SELECT(mask, a, b)          a where the mask is true, else b
 *   SQRT(x)
 *   LINES(body, index, a, b)    a[4], b[4]: first and second half of the lines body[index[lane]], turned
 *   PUT_LINES(body, index, a, b)
 *
 * Plain products and sums in one order, so that every set gives the same bits. */

typedef struct KERNEL(Pair) {
  WIDE vp[4], wp[4], vq[4], wq[4]; // v and 1/m; w~ and nothing
} KERNEL(Pair);

TARGET static inline __attribute__((always_inline)) WIDE KERNEL(max)(WIDE a, WIDE b) { return SELECT(a > b, a, b); }

TARGET static inline __attribute__((always_inline)) WIDE KERNEL(dot)(const double (*row)[ASP_LANES], int lane,
                                                                     const WIDE x[3]) {
  return LOAD(row[0] + lane) * x[0] + LOAD(row[1] + lane) * x[1] + LOAD(row[2] + lane) * x[2];
}

TARGET static inline __attribute__((always_inline)) void KERNEL(velocity)(const AspBatch *batch, int lane,
                                                                          const KERNEL(Pair) * pair, WIDE u[3]) {
  WIDE relative[3];
  for (int k = 0; k < 3; k++)
    relative[k] = pair->vq[k] - pair->vp[k];
  for (int k = 0; k < 3; k++)
    u[k] = (LOAD(batch->w[k] + lane) + KERNEL(dot)(batch->D + 3 * k, lane, relative)) +
           (KERNEL(dot)(batch->A + 3 * k, lane, pair->wp) + KERNEL(dot)(batch->B + 3 * k, lane, pair->wq));
}

/* sum over rows k of rows[k][j] d[k] */
TARGET static inline __attribute__((always_inline)) WIDE KERNEL(column)(const double (*rows)[ASP_LANES], int j,
                                                                        int lane, const WIDE d[3]) {
  return LOAD(rows[j] + lane) * d[0] + LOAD(rows[3 + j] + lane) * d[1] + LOAD(rows[6 + j] + lane) * d[2];
}

TARGET static inline __attribute__((always_inline)) void KERNEL(push)(const AspBatch *batch, int lane, const WIDE d[3],
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
TARGET static inline __attribute__((always_inline)) void KERNEL(answer)(const AspBatch *batch, int lane, WIDE u[3],
                                                                        const WIDE x[3], WIDE r[3]) {
  const WIDE zero = SPREAD(0), tiny = SPREAD(1e-300);
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

TARGET static void KERNEL(sweep)(AspBatch *batch, int count, AspPackedBody *body, int now, double momentum) {
  const WIDE beta = SPREAD(momentum);
  for (AspBatch *end = batch + count; batch < end; batch++)
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
TARGET static void KERNEL(extrapolate)(AspPackedBody *body, AspPackedBody *before, int count, double momentum) {
  const WIDE beta = SPREAD(momentum);
  for (int b = 0; b < count; b++)
    for (size_t k = 0; k < sizeof *body / sizeof(double); k += WIDTH) {
      double *line = (double *)&body[b] + k, *old = (double *)&before[b] + k;
      WIDE v = LOAD(line);
      STORE(line, v + beta * (v - LOAD(old)));
      STORE(old, v);
    }
}

TARGET static void KERNEL(apply)(const AspBatch *batch, int count, AspPackedBody *body, int now) {
  for (const AspBatch *end = batch + count; batch < end; batch++)
    for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
      KERNEL(Pair) pair;
      WIDE r[3];
      LINES(body, batch->p + lane, pair.vp, pair.wp);
      LINES(body, batch->q + lane, pair.vq, pair.wq);
      for (int k = 0; k < 3; k++)
        r[k] = LOAD(batch->r[now][k] + lane);
      KERNEL(push)(batch, lane, r, &pair);
      PUT_LINES(body, batch->p + lane, pair.vp, pair.wp);
      PUT_LINES(body, batch->q + lane, pair.vq, pair.wq);
    }
}

/* ||r - P(r - rho (u + mu ||u_T|| n))||^2, P onto the cone ||r_T|| <= mu r_N */
TARGET static inline __attribute__((always_inline)) WIDE KERNEL(map)(WIDE rho, WIDE mu, const WIDE r[3],
                                                                     const WIDE u[3], WIDE slip) {
  const WIDE zero = SPREAD(0), tiny = SPREAD(1e-300);
  WIDE n = r[0] - rho * (u[0] + mu * slip), t1 = r[1] - rho * u[1], t2 = r[2] - rho * u[2];
  WIDE length = SQRT(t1 * t1 + t2 * t2);
  // onto the ray (1, mu t/|t|) where outside the cone and not below its polar
  WIDE along = KERNEL(max)((n + mu * length) / (SPREAD(1) + mu * mu), zero);
  MASK inside = length <= mu * n;
  WIDE share = SELECT(inside, SPREAD(1), mu * along / KERNEL(max)(length, tiny));
  WIDE e0 = r[0] - SELECT(inside, n, along), e1 = r[1] - share * t1, e2 = r[2] - share * t2;
  return e0 * e0 + (e1 * e1 + e2 * e2);
}

TARGET static void KERNEL(residual)(const AspBatch *batch, int count, const AspPackedBody *body, int now, double rho,
                                    AspPackedSums *sums) {
  double worst[ASP_LANES] __attribute__((aligned(64))) = {0}, map[ASP_LANES] __attribute__((aligned(64))) = {0};
  double normal[ASP_LANES] __attribute__((aligned(64))) = {0}, total[ASP_LANES] __attribute__((aligned(64))) = {0};
  double unit[ASP_LANES] __attribute__((aligned(64))) = {0}, speed[ASP_LANES] __attribute__((aligned(64))) = {0};
  for (const AspBatch *end = batch + count; batch < end; batch++)
    for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
      KERNEL(Pair) pair;
      WIDE u[3], r[3];
      LINES(body, batch->p + lane, pair.vp, pair.wp);
      LINES(body, batch->q + lane, pair.vq, pair.wq);
      KERNEL(velocity)(batch, lane, &pair, u);
      for (int k = 0; k < 3; k++)
        r[k] = LOAD(batch->r[now][k] + lane);
      WIDE mu = LOAD(batch->mu + lane), friction = LOAD(batch->inverse_T + lane);
      // rows that a frictionless contact does not have
      u[1] = SELECT(friction > SPREAD(0), u[1], SPREAD(0));
      u[2] = SELECT(friction > SPREAD(0), u[2], SPREAD(0));
      WIDE slip = SQRT(u[1] * u[1] + u[2] * u[2]);
      WIDE own = KERNEL(map)(LOAD(batch->inverse_N + lane), mu, r, u, slip);
      STORE(worst + lane, KERNEL(max)(LOAD(worst + lane), own));
      STORE(map + lane, LOAD(map + lane) + KERNEL(map)(SPREAD(rho), mu, r, u, slip));
      STORE(unit + lane, LOAD(unit + lane) + KERNEL(map)(SPREAD(1), mu, r, u, slip));
      STORE(speed + lane, LOAD(speed + lane) + (u[0] * u[0] + (u[1] * u[1] + u[2] * u[2])));
      STORE(normal + lane, LOAD(normal + lane) + r[0]);
      STORE(total + lane, LOAD(total + lane) + (r[0] * r[0] + (r[1] * r[1] + r[2] * r[2])));
    }
  sums->worst = 0;
  for (int lane = 0; lane < ASP_LANES; lane++) // a NaN must not get lost
    sums->worst = worst[lane] <= sums->worst ? sums->worst : worst[lane];
  sums->map = sum_lanes(map);
  sums->map_unit = sum_lanes(unit);
  sums->speed = sum_lanes(speed);
  sums->normal = sum_lanes(normal);
  sums->total = sum_lanes(total);
}

static const AspPackedKernels KERNEL(table) = {KERNEL_NAME, KERNEL(sweep), KERNEL(residual), KERNEL(apply),
                                               KERNEL(extrapolate)};

#undef KERNEL
#undef KERNEL_NAME
#undef TARGET
#undef WIDE
#undef MASK
#undef WIDTH
#undef LOAD
#undef STORE
#undef SPREAD
#undef SELECT
#undef SQRT
#undef LINES
#undef PUT_LINES
