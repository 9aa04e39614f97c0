/* The guided hopper by generalized-alpha, two hops over steps, meshes and friction: when the first contact begins and
 * ends, its impulses, and how many steps of the run were flagged and retried.
 *
 *   bench_hopper [-s] [-u UNTIL] [-d DAMPING] [MU [ELEMENTS [DT]]]      default: mu 0.1 and 0.8, 4 and 8 elements, dt
 *                                                                       1e-3, 5e-4 and 2.5e-4 s; -s: the plain element
 */
#define _POSIX_C_SOURCE 200809L
#include "bench_clock.h"
#include "hopper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define APART 0.3 /* s: contacts before this are the first */

typedef struct Row {
  double begin, end, normal, friction; /* s, N s */
  double gap, drift, seconds;
  int steps, flagged, retried;
} Row;

static AspError measure(AspContext *context, const HopperSetting *setting, Row *row) {
  Hopper hopper;
  AspStepInfo info;
  *row = (Row){.begin = NAN};
  AspError error = hopper_open(context, setting, &hopper);
  double began = processor_seconds();
  while (error == ASP_OK && asp_world_state(hopper.world)->t < setting->until - 1e-9) {
    double normal, friction;
    error = asp_world_step(hopper.world, &info);
    if (error != ASP_OK)
      break;
    hopper_percussion(&hopper, &normal, &friction);
    row->steps++;
    row->flagged += !info.certified;
    row->retried += info.attempts > 1;
    row->gap = fmin(row->gap, asp_state_pose(hopper.model, asp_world_state(hopper.world), hopper.foot).position.y);
    row->drift = fmax(row->drift, info.joint_drift);
    if (!(normal > 0) || info.t > APART)
      continue;
    row->normal += normal;
    row->friction += friction;
    row->begin = isnan(row->begin) ? info.t : row->begin;
    row->end = info.t;
  }
  row->seconds = processor_seconds() - began;
  hopper_close(&hopper);
  return error;
}

int main(int argc, char **argv) {
  double mu[] = {0.1, 0.8}, dt[] = {1e-3, 5e-4, 2.5e-4};
  int elements[] = {4, 8}, mus = 2, meshes = 2, steps = 3;
  HopperSetting setting = {.until = 1.2};
  for (int option; (option = getopt(argc, argv, "su:d:")) != -1;) {
    setting.plain = setting.plain || option == 's';
    setting.until = option == 'u' ? atof(optarg) : setting.until;
    setting.damping = option == 'd' ? atof(optarg) : setting.damping;
  }
  argv += optind;
  argc -= optind;
  if (argc > 0)
    mu[0] = atof(argv[0]), mus = 1;
  if (argc > 1)
    elements[0] = atoi(argv[1]), meshes = 1;
  if (argc > 2)
    dt[0] = atof(argv[2]), steps = 1;
  AspContext *context = asp_context_create(NULL);
  printf(
      "| mu | elements | dt | contact, s | sum P_N | sum P_F | steps | flagged | retried | lowest foot, m | drift, m | "
      "s |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < mus * meshes * steps; i++) {
    Row row;
    setting.mu = mu[i / (meshes * steps)];
    setting.elements = elements[i / steps % meshes];
    setting.dt = dt[i % steps];
    if (measure(context, &setting, &row) != ASP_OK) {
      fprintf(stderr, "bench_hopper: %s\n", asp_context_message(context));
      return 3;
    }
    printf("| %g | %d | %g | %.5f to %.5f | %.4f | %.4f | %d | %d | %d | %.1e | %.1e | %.1f |\n", setting.mu,
           setting.elements, setting.dt, row.begin, row.end, row.normal, row.friction, row.steps, row.flagged,
           row.retried, row.gap, row.drift, row.seconds);
    fflush(stdout);
  }
  asp_context_destroy(context);
  return 0;
}
