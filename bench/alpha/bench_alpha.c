/* A hundred balls fall into a bin and come to rest, by generalized-alpha and by Moreau-Jean: contacts, flagged steps,
 * overlap, and processor time per step, one run each.
 *
 *   bench_alpha [UNTIL [FILE.csv]]     default: 1 s, bench/results/alpha.csv of the source tree
 */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"
#include "base/base.h"
#include "bench_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ALONG  3
#define BALLS  100
#define RADIUS 0.05  /* m */
#define PITCH  0.106 /* m */
#define DT     5e-3  /* s */

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_alpha: %s\n", asp_context_message(context));
  exit(3);
}

static void attach(AspContext *context, AspModel *model, int body, AspShape shape, AspPose pose, int material) {
  AspShapeAttachment attachment = {.shape = shape, .pose = pose, .material = material};
  must(context, asp_model_attach_shape(model, body, &attachment));
}

/* Floor and four walls: half-spaces with their free side inwards. */
static void add_bin(AspContext *context, AspModel *model, int material) {
  const double c = sqrt(0.5), wide = ALONG * PITCH;
  const AspPose sides[] = {{{0, 0, 0}, {1, 0, 0, 0}},
                           {{0, 0, 0}, {c, 0, c, 0}},
                           {{wide, 0, 0}, {c, 0, -c, 0}},
                           {{0, 0, 0}, {c, -c, 0, 0}},
                           {{0, wide, 0}, {c, c, 0, 0}}};
  AspBodyDef def = asp_body_default();
  int bin;
  def.name = "bin";
  def.kind = ASP_BODY_FIXED;
  must(context, asp_model_add_body(model, &def, &bin));
  for (int i = 0; i < 5; i++)
    attach(context, model, bin, asp_shape_default(ASP_SHAPE_HALF_SPACE), sides[i], material);
}

static AspModel *make_model(AspContext *context) {
  AspModel *model;
  AspRandom random = {1};
  AspShape ball = asp_shape_default(ASP_SHAPE_SPHERE);
  int material, body;
  ball.radius = RADIUS;
  must(context, asp_model_create(context, 3, &model));
  asp_model_set_gravity(model, (AspVec3){0, 0, -9.81});
  must(context, asp_model_material(model, "glass", &material));
  must(context, asp_model_set_pair(model, material, material, &(AspPairLaw){.friction = 0.3}));
  add_bin(context, model, material);
  for (int i = 0; i < BALLS; i++) {
    double place[3];
    for (int k = 0; k < 3; k++)
      place[k] = asp_random_uniform(&random, -0.002, 0.002);
    AspBodyDef def = asp_body_default();
    def.mass = 0.5;
    def.inertia.m[0] = def.inertia.m[4] = def.inertia.m[8] = 0.4 * 0.5 * RADIUS * RADIUS;
    def.pose.position = (AspVec3){PITCH * (i % ALONG + 0.5) + place[0], PITCH * (i / ALONG % ALONG + 0.5) + place[1],
                                  PITCH * (i / (ALONG * ALONG) + 0.5) + place[2]};
    must(context, asp_model_add_body(model, &def, &body));
    attach(context, model, body, ball, (AspPose){{0, 0, 0}, {1, 0, 0, 0}}, material);
  }
  must(context, asp_model_finish(model));
  return model;
}

typedef struct Run {
  int steps, flagged, retried, contacts, closed;
  double overlap, seconds, rounds;
} Run;

static Run measure(AspContext *context, const AspModel *model, AspScheme scheme, double until) {
  AspRunOptions options = asp_run_default_options();
  AspWorld *world;
  AspStepInfo info;
  Run run = {0};
  options.scheme = scheme;
  options.dt = DT;
  options.until = until;
  must(context, asp_world_create(context, model, &options, &world));
  double began = processor_seconds();
  while (asp_world_state(world)->t < until - 1e-9 * DT) {
    must(context, asp_world_step(world, &info));
    run.steps++;
    run.flagged += !info.certified;
    run.retried += info.attempts > 1;
    run.rounds += info.iterations;
    run.overlap = fmax(run.overlap, info.penetration);
    int closed = 0;
    for (int i = 0; i < asp_world_contact_count(world); i++)
      closed += asp_world_contacts(world)[i].impulse[0] > 0;
    run.closed = closed > run.closed ? closed : run.closed;
    run.contacts = info.contacts > run.contacts ? info.contacts : run.contacts;
  }
  run.seconds = (processor_seconds() - began) / run.steps;
  run.rounds /= run.steps;
  asp_world_destroy(world);
  return run;
}

int main(int argc, char **argv) {
  double until = argc > 1 ? atof(argv[1]) : 1;
  FILE *csv = fopen(argc > 2 ? argv[2] : BENCH_RESULTS_DIR "/alpha.csv", "w");
  AspContext *context = asp_context_create(NULL);
  if (!csv || !context || !(until > 0)) {
    fprintf(stderr, "bench_alpha: no context, no file to write, or no time to run\n");
    return 3;
  }
  AspModel *model = make_model(context);
  const AspScheme schemes[] = {ASP_SCHEME_MOREAU_JEAN, ASP_SCHEME_GENERALIZED_ALPHA};
  double first = 0;
  fprintf(csv, "scheme,bodies,steps,contacts,pressed,flagged,retried,overlap,ms_per_step,ratio\n");
  for (int i = 0; i < 2; i++) {
    Run run = measure(context, model, schemes[i], until);
    first = i == 0 ? run.seconds : first;
    printf("%-18s %d bodies, up to %d contacts (%d pressed), %d steps, %d flagged, %d retried, overlap %.1e m, %.2f ms "
           "per step, %.1f times\n",
           asp_scheme_names[schemes[i]], BALLS, run.contacts, run.closed, run.steps, run.flagged, run.retried,
           run.overlap, 1e3 * run.seconds, run.seconds / first);
    fprintf(csv, "%s,%d,%d,%d,%d,%d,%d,%.3e,%.3f,%.2f\n", asp_scheme_names[schemes[i]], BALLS, run.steps, run.contacts,
            run.closed, run.flagged, run.retried, run.overlap, 1e3 * run.seconds, run.seconds / first);
  }
  asp_model_destroy(model);
  asp_context_destroy(context);
  return fclose(csv) == 0 ? 0 : 3;
}
