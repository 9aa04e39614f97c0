/* Residual and velocities of one kind of batches, for doubles alone, and the table of its kernels: see
 * packed_kernels_body.h. */

TARGET static void KIND(apply)(AspBatch *first, const AspLightBatch *first_light, int count, AspPackedBody *body,
                               int now) {
  OWN *batch = (OWN *)first;
  const OWN_LIGHT *light = (const OWN_LIGHT *)first_light;
  for (int b = 0; b < count; b++)
    for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
      KERNEL(Pair) pair;
      WIDE r[3];
      LINES(body, batch[b].common.p + lane, pair.vp, pair.wp);
      LINES(body, batch[b].common.q + lane, pair.vq, pair.wq);
      for (int k = 0; k < 3; k++) {
        if (light)
          STORE(batch[b].common.r[now][k] + lane, LOAD_LIGHT(light[b].common.r[now][k] + lane));
        r[k] = LOAD(batch[b].common.r[now][k] + lane);
      }
      KIND(push)(&batch[b], lane, r, &pair);
      PUT_LINES(body, batch[b].common.p + lane, pair.vp, pair.wp);
      PUT_LINES(body, batch[b].common.q + lane, pair.vq, pair.wq);
    }
}

TARGET static void KIND(residual)(const AspBatch *first, AspLightBatch *first_light, int count,
                                  const AspPackedBody *body, int now, double rho, AspPackedSums *sums) {
  const OWN *batch = (const OWN *)first;
  OWN_LIGHT *light = (OWN_LIGHT *)first_light;
  double worst[ASP_LANES] __attribute__((aligned(64))) = {0}, map[ASP_LANES] __attribute__((aligned(64))) = {0};
  double normal[ASP_LANES] __attribute__((aligned(64))) = {0}, total[ASP_LANES] __attribute__((aligned(64))) = {0};
  double unit[ASP_LANES] __attribute__((aligned(64))) = {0}, speed[ASP_LANES] __attribute__((aligned(64))) = {0};
  for (const OWN *end = batch + count; batch < end; batch++, light += light ? 1 : 0)
    for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
      KERNEL(Pair) pair;
      WIDE u[3], r[3];
      LINES(body, batch->common.p + lane, pair.vp, pair.wp);
      LINES(body, batch->common.q + lane, pair.vq, pair.wq);
      KIND(velocity)(batch, lane, &pair, u);
      for (int k = 0; k < 3; k++) {
        if (light)
          STORE_LIGHT(light->common.w[k] + lane, u[k]);
        r[k] = LOAD(batch->common.r[now][k] + lane);
      }
      WIDE mu = LOAD(batch->common.mu + lane), friction = LOAD(batch->common.inverse_T + lane);
      // rows that a frictionless contact does not have
      u[1] = SELECT(MORE(friction, SPREAD(0)), u[1], SPREAD(0));
      u[2] = SELECT(MORE(friction, SPREAD(0)), u[2], SPREAD(0));
      WIDE slip = SQRT(u[1] * u[1] + u[2] * u[2]);
      WIDE own = KERNEL(map)(LOAD(batch->common.inverse_N + lane), mu, r, u, slip);
      STORE(worst + lane, MAX(LOAD(worst + lane), own));
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

static const AspPackedKernels KIND(table) = {KERNEL_NAME,    KIND(make_batch), KIND(sweep),       KERNEL(extrapolate),
                                             KIND(residual), KIND(apply),      KIND_LIGHT(sweep), LIGHT(extrapolate)};
