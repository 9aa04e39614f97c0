/* The kernels of packed.h that are made for doubles alone, and the table of an instruction set: see packed_sweep.h for
 * what is defined before this file is included, and
 *
 *   KERNEL_NAME, LIGHT(name)    its name, and the names of the float sweeps in this set
 *   MASK                        vector of truth values
 *   LOAD_LIGHT(p)               WIDTH floats as doubles
 *   STORE_LIGHT(p, x)           and back, rounded
 */

TARGET static void KERNEL(apply)(AspBatch *batch, const AspLightBatch *light, int count, AspPackedBody *body, int now) {
  for (int b = 0; b < count; b++)
    for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
      KERNEL(Pair) pair;
      WIDE r[3];
      LINES(body, batch[b].p + lane, pair.vp, pair.wp);
      LINES(body, batch[b].q + lane, pair.vq, pair.wq);
      for (int k = 0; k < 3; k++) {
        if (light)
          STORE(batch[b].r[now][k] + lane, LOAD_LIGHT(light[b].r[now][k] + lane));
        r[k] = LOAD(batch[b].r[now][k] + lane);
      }
      KERNEL(push)(&batch[b], lane, r, &pair);
      PUT_LINES(body, batch[b].p + lane, pair.vp, pair.wp);
      PUT_LINES(body, batch[b].q + lane, pair.vq, pair.wq);
    }
}

/* ||r - P(r - rho (u + mu ||u_T|| n))||^2, P onto the cone ||r_T|| <= mu r_N */
TARGET static inline __attribute__((always_inline)) WIDE KERNEL(map)(WIDE rho, WIDE mu, const WIDE r[3],
                                                                     const WIDE u[3], WIDE slip) {
  const WIDE zero = SPREAD(0), tiny = SPREAD(TINY);
  WIDE n = r[0] - rho * (u[0] + mu * slip), t1 = r[1] - rho * u[1], t2 = r[2] - rho * u[2];
  WIDE length = SQRT(t1 * t1 + t2 * t2);
  // onto the ray (1, mu t/|t|) where outside the cone and not below its polar
  WIDE along = KERNEL(max)((n + mu * length) / (SPREAD(1) + mu * mu), zero);
  MASK inside = length <= mu * n;
  WIDE share = SELECT(inside, SPREAD(1), mu * along / KERNEL(max)(length, tiny));
  WIDE e0 = r[0] - SELECT(inside, n, along), e1 = r[1] - share * t1, e2 = r[2] - share * t2;
  return e0 * e0 + (e1 * e1 + e2 * e2);
}

TARGET static void KERNEL(residual)(const AspBatch *batch, AspLightBatch *light, int count, const AspPackedBody *body,
                                    int now, double rho, AspPackedSums *sums) {
  double worst[ASP_LANES] __attribute__((aligned(64))) = {0}, map[ASP_LANES] __attribute__((aligned(64))) = {0};
  double normal[ASP_LANES] __attribute__((aligned(64))) = {0}, total[ASP_LANES] __attribute__((aligned(64))) = {0};
  double unit[ASP_LANES] __attribute__((aligned(64))) = {0}, speed[ASP_LANES] __attribute__((aligned(64))) = {0};
  for (const AspBatch *end = batch + count; batch < end; batch++, light += light ? 1 : 0)
    for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
      KERNEL(Pair) pair;
      WIDE u[3], r[3];
      LINES(body, batch->p + lane, pair.vp, pair.wp);
      LINES(body, batch->q + lane, pair.vq, pair.wq);
      KERNEL(velocity)(batch, lane, &pair, u);
      for (int k = 0; k < 3; k++) {
        if (light)
          STORE_LIGHT(light->w[k] + lane, u[k]);
        r[k] = LOAD(batch->r[now][k] + lane);
      }
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

static const AspPackedKernels KERNEL(table) = {KERNEL_NAME,   KERNEL(sweep), KERNEL(extrapolate), KERNEL(residual),
                                               KERNEL(apply), LIGHT(sweep),  LIGHT(extrapolate)};

#undef KERNEL_NAME
#undef LIGHT
#undef TARGET
#undef MASK
#undef LOAD_LIGHT
#undef STORE_LIGHT
