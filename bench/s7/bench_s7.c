/* S7, large piles: what a step costs and how exact it is, beside ODE QuickStep from the same start, step by step in
 * turn.
 *
 *   bench_s7 SCENE.json [-s stewart-trinkle|moreau-jean] [-x method] [-e tol_contact] [-t tol] [-g gap_tolerance]
 *            [-m max_iterations] [-b step_budget] [-u until] [-p threads] [-n] [-o FILE.csv]
 *
 * One line per phase: falling (rms speed above 0.5 m/s), settling (above 0.02), creeping (above 0.002), near rest.
 * Times are processor time of the calling thread (of all threads with -p 2 and more: wall clock), without result files.
 */
#define _GNU_SOURCE
#include "asperity/asperity.h"
#include "peer.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FALLING, SETTLING, CREEPING, NEAR_REST, PHASES };
static const char *const phase_name[PHASES] = {"falling", "settling", "creeping", "near rest"};

typedef struct Sample {
  double t, own, peer, speed, peer_speed, contact, E2;
  int contacts, peer_contacts, sweeps, phase;
} Sample;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The q-quantile of one member of the samples of a phase. */
static double quantile(const Sample *sample, int count, int phase, size_t member, double q, double *scratch) {
  int n = 0;
  for (int i = 0; i < count; i++)
    if (sample[i].phase == phase)
      memcpy(&scratch[n++], (const char *)&sample[i] + member, sizeof *scratch);
  if (n == 0)
    return NAN;
  qsort(scratch, (size_t)n, sizeof *scratch, compare);
  return scratch[(int)(q * (n - 1) + 0.5)];
}

static double rms_speed(const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  double sum = 0;
  int bodies = 0;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspVec3 v = asp_state_velocity(model, asp_world_state(world), body);
    bodies += asp_model_body_kind(model, body) == ASP_BODY_DYNAMIC;
    sum += v.x * v.x + v.y * v.y + v.z * v.z;
  }
  return sqrt(sum / bodies);
}

static void report(const Sample *sample, int count) {
  double *scratch = malloc((size_t)count * sizeof *scratch);
  printf("%-10s %6s %9s %8s %8s %8s %8s %7s %9s %9s %7s %7s\n", "phase", "steps", "contacts", "own ms", "(10..90%)",
         "ODE ms", "(spread)", "ratio", "residual", "90 %", "<=1e-6", "<=1e-3");
  for (int phase = 0; phase < PHASES; phase++) {
    int steps = 0, sharp = 0, good = 0;
    double contacts = 0;
    for (int i = 0; i < count; i++)
      if (sample[i].phase == phase) {
        steps++;
        sharp += sample[i].contact <= 1e-6;
        good += sample[i].contact <= 1e-3;
        contacts += sample[i].contacts;
      }
    if (steps == 0)
      continue;
#define Q(member, q) quantile(sample, count, phase, offsetof(Sample, member), q, scratch)
    double own = Q(own, 0.5), peer = Q(peer, 0.5);
    printf("%-10s %6d %9.0f %8.2f %4.1f-%-5.1f %7.2f %4.1f-%-5.1f %5.2f %9.1e %9.1e %6.1f%% %6.1f%%\n",
           phase_name[phase], steps, contacts / steps, 1e3 * own, 1e3 * Q(own, 0.1), 1e3 * Q(own, 0.9), 1e3 * peer,
           1e3 * Q(peer, 0.1), 1e3 * Q(peer, 0.9), own / peer, Q(contact, 0.5), Q(contact, 0.9), 100.0 * sharp / steps,
           100.0 * good / steps);
#undef Q
  }
  free(scratch);
}

static int phase_of(double speed, int before) {
  int now = speed > 0.5 ? FALLING : speed > 0.02 ? SETTLING : speed > 0.002 ? CREEPING : NEAR_REST;
  return now > before ? now : before;
}

static void write_csv(const char *path, const Sample *sample, int count) {
  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    exit(2);
  }
  fputs("t_s,phase,contacts,own_ms,residual_contact,E2,sweeps,speed_m_s,ode_ms,ode_contacts,ode_speed_m_s\n", file);
  for (int i = 0; i < count; i++)
    fprintf(file, "%.4g,%s,%d,%.4g,%.3g,%.3g,%d,%.3g,%.4g,%d,%.3g\n", sample[i].t, phase_name[sample[i].phase],
            sample[i].contacts, 1e3 * sample[i].own, sample[i].contact, sample[i].E2, sample[i].sweeps, sample[i].speed,
            1e3 * sample[i].peer, sample[i].peer_contacts, sample[i].peer_speed);
  fclose(file);
}

static void fail(AspContext *context) {
  fprintf(stderr, "bench_s7: %s\n", asp_context_message(context));
  exit(2);
}

int main(int argc, char **argv) {
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world;
  const char *csv = NULL;
  bool alone = false;
  if (argc < 2 || !context)
    return 2;
  if (asp_scene_read(context, argv[1], &scene, NULL) != ASP_OK)
    fail(context);
  AspRunOptions run = scene.run;
  run.tolerance = 1e-3;
  run.tolerance_contact = 1e-6;
  run.retry = false;
  for (int flag; (flag = getopt(argc - 1, argv + 1, "s:e:t:m:u:p:no:x:g:b:")) != -1;)
    switch (flag) {
    case 's':
      run.scheme = strcmp(optarg, "moreau-jean") == 0 ? ASP_SCHEME_MOREAU_JEAN : ASP_SCHEME_STEWART_TRINKLE;
      break;
    case 'e':
      run.tolerance_contact = atof(optarg);
      break;
    case 't':
      run.tolerance = atof(optarg);
      break;
    case 'm':
      run.max_iterations = atoi(optarg);
      break;
    case 'u':
      run.until = atof(optarg);
      break;
    case 'p':
      run.threads = atoi(optarg);
      break;
    case 'g':
      run.gap_tolerance = atof(optarg);
      break;
    case 'b':
      run.step_budget = atof(optarg);
      break;
    case 'n':
      alone = true;
      break;
    case 'o':
      csv = optarg;
      break;
    case 'x':
      asp_method_from_name(optarg, (AspMethod *)&run.method);
      break;
    default:
      return 2;
    }
  if (asp_world_create(context, scene.model, &run, &world) != ASP_OK)
    fail(context);
  Peer *peer = NULL;
#ifdef ASP_BENCH_ODE
  if (!alone)
    peer = peer_create(scene.model, asp_world_state(world), 0.5);
#endif
  clockid_t clock = run.threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  int capacity = (int)(run.until / run.dt) + 2, count = 0, phase = FALLING;
  Sample *sample = calloc((size_t)capacity, sizeof *sample);
  bool moving = false;
  while (asp_world_state(world)->t < run.until - 1e-9 && count < capacity) {
    AspStepInfo info;
    Sample *s = &sample[count++];
    double before = seconds(clock);
    if (asp_world_step(world, &info) != ASP_OK)
      fail(context);
    s->own = seconds(clock) - before;
    if (peer) {
      before = seconds(CLOCK_THREAD_CPUTIME_ID);
      peer_step(peer, run.dt);
      s->peer = seconds(CLOCK_THREAD_CPUTIME_ID) - before;
      s->peer_speed = peer_speed(peer);
      s->peer_contacts = peer_contacts(peer);
    }
    s->t = info.t;
    s->speed = rms_speed(world);
    moving = moving || s->speed > 0.5;
    phase = moving ? phase_of(s->speed, phase) : FALLING;
    s->phase = phase;
    s->contact = info.residual.contact;
    s->E2 = info.residual.E2;
    s->contacts = info.contacts;
    s->sweeps = info.iterations;
  }
  report(sample, count);
  if (csv)
    write_csv(csv, sample, count);
  printf("state hash %016llx\n", (unsigned long long)asp_world_state_hash(world));
  free(sample);
#ifdef ASP_BENCH_ODE
  if (peer)
    peer_destroy(peer);
#endif
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
  return 0;
}
