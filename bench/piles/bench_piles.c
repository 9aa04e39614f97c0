/* Large piles: what a step costs and how exact it is, beside ODE QuickStep and Bullet from the same start, step by
 * step in turn.
 *
 *   bench_piles                every case below, growth, memory and threads (about ten minutes on an idle machine)
 *   bench_piles -c CASE        one of them: spheres1000, boxes1000, spheres8000, threads
 *   bench_piles -c CASE -w F   write its scene to the file F instead
 *            [-e tol_contact] [-m sweeps, 0: all methods] [-g gap_tolerance] [-u until] [-s seed of the
 *            places] [-n: without the peers]
 *
 * One line per phase: falling (rms speed above 0.5 m/s), settling (above 0.02), creeping (above 0.002), near rest.
 * Times are processor time of the calling thread, of several threads wall clock, without result files. What the parts
 * of a step take (AspStepTimes) is wall clock and is printed as shares. CSV in bench/results.
 */
#define _GNU_SOURCE
#include "asperity/asperity.h"
#include "peer.h"
#include "pile.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FALLING, SETTLING, CREEPING, NEAR_REST, PHASES };
static const char *const phase_name[PHASES] = {"falling", "settling", "creeping", "near rest"};

#define PEERS 2
static const PeerEngine *const engines[PEERS] = {
#ifdef ASP_BENCH_ODE
    &peer_ode,
#else
    NULL,
#endif
#ifdef ASP_BENCH_BULLET
    &peer_bullet,
#endif
};

typedef struct Case {
  const char *name;
  bool boxes;
  int wide, high;
  double until;     /* s */
  double tolerance; /* on residual_contact */
  int sweeps;       /* of Gauss-Seidel at most; 0: all methods, until the tolerance is met */
} Case;

static const Case cases[] = {{"spheres1000", false, 10, 10, 16, 1e-6, 550},
                             {"boxes1000", true, 10, 10, 4, 1e-6, 0},
                             {"spheres8000", false, 20, 20, 16, 1e-4, 240}};
#define CASES ((int)(sizeof cases / sizeof *cases))

#define PARTS 5
static const char *const part_name[PARTS] = {"collide", "assemble", "solve", "judge", "record"};

typedef struct Sample {
  double part[PARTS]; /* s */
  double t, own, peer[PEERS], speed, contact, E2;
  int contacts, peer_contacts[PEERS], sweeps, phase;
  bool certified;
} Sample;

typedef struct Options {
  double gap_tolerance;
  uint64_t seed;
  bool alone;
} Options;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(AspContext *context) {
  fprintf(stderr, "bench_piles: %s\n", asp_context_message(context));
  exit(2);
}

/* ---- one pile ---- */

typedef struct Pile {
  AspContext *context;
  AspScene scene;
  AspWorld *world;
  size_t without; /* bytes in use without the world */
} Pile;

static void open_pile(const Case *it, const Options *options, int threads, Pile *pile) {
  char *text = pile_text(it->boxes, it->wide, it->high, options->seed);
  pile->context = asp_context_create(NULL);
  if (!text || !pile->context)
    exit(2);
  if (asp_scene_parse(pile->context, text, strlen(text), it->name, &pile->scene, NULL) != ASP_OK)
    fail(pile->context);
  free(text);
  AspRunOptions *run = &pile->scene.run;
  run->scheme = ASP_SCHEME_STEWART_TRINKLE;
  run->tolerance = 1e-3;
  run->tolerance_contact = it->tolerance;
  run->gap_tolerance = options->gap_tolerance;
  run->retry = false;
  run->method = it->sweeps > 0 ? ASP_METHOD_NSGS : ASP_METHOD_AUTO;
  run->max_iterations = it->sweeps;
  run->until = it->until;
  run->threads = threads;
  pile->without = asp_context_memory_in_use(pile->context);
  if (asp_world_create(pile->context, pile->scene.model, run, &pile->world) != ASP_OK)
    fail(pile->context);
}

static void close_pile(Pile *pile) {
  asp_world_destroy(pile->world);
  asp_scene_destroy(pile->context, &pile->scene);
  asp_context_destroy(pile->context);
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

static int phase_of(double speed, int before) {
  int now = speed > 0.5 ? FALLING : speed > 0.02 ? SETTLING : speed > 0.002 ? CREEPING : NEAR_REST;
  return now > before ? now : before;
}

static void take_parts(const AspStepTimes *times, double part[PARTS]) {
  const double all[PARTS] = {times->collide, times->assemble, times->solve, times->judge, times->record};
  memcpy(part, all, sizeof all);
}

static void take_sample(Pile *pile, void *peer[PEERS], Sample *s) {
  AspStepInfo info;
  double before = seconds(CLOCK_THREAD_CPUTIME_ID);
  if (asp_world_step(pile->world, &info) != ASP_OK)
    fail(pile->context);
  s->own = seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  for (int k = 0; k < PEERS; k++) {
    if (!peer[k])
      continue;
    before = seconds(CLOCK_THREAD_CPUTIME_ID);
    engines[k]->step(peer[k], info.dt);
    s->peer[k] = seconds(CLOCK_THREAD_CPUTIME_ID) - before;
    s->peer_contacts[k] = engines[k]->contacts(peer[k]);
  }
  take_parts(&info.times, s->part);
  s->t = info.t;
  s->speed = rms_speed(pile->world);
  s->contact = info.residual.contact;
  s->E2 = info.residual.E2;
  s->contacts = info.contacts;
  s->sweeps = info.iterations;
  s->certified = info.certified;
}

/* ---- report ---- */

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

static void report_phase(const Sample *sample, int count, int phase, double *scratch) {
  int steps = 0, sharp = 0, good = 0, flagged = 0, silent = 0;
  double contacts = 0, sweeps = 0;
  for (int i = 0; i < count; i++)
    if (sample[i].phase == phase) {
      steps++;
      sharp += sample[i].contact <= 1e-6;
      good += sample[i].contact <= 1e-3;
      flagged += !sample[i].certified;
      silent += !sample[i].certified && !isfinite(sample[i].contact);
      contacts += sample[i].contacts;
      sweeps += sample[i].sweeps;
    }
  if (steps == 0)
    return;
#define Q(member, q) quantile(sample, count, phase, offsetof(Sample, member), q, scratch)
  double own = Q(own, 0.5);
  printf("%-9s %5d %8.0f %6.0f %8.2f %5.1f-%-5.1f", phase_name[phase], steps, contacts / steps, sweeps / steps,
         1e3 * own, 1e3 * Q(own, 0.1), 1e3 * Q(own, 0.9));
  for (int k = 0; k < PEERS; k++) {
    size_t member = offsetof(Sample, peer) + (size_t)k * sizeof(double);
    double peer = quantile(sample, count, phase, member, 0.5, scratch);
    printf(" %7.2f %5.1f-%-5.1f %5.2f", 1e3 * peer, 1e3 * quantile(sample, count, phase, member, 0.1, scratch),
           1e3 * quantile(sample, count, phase, member, 0.9, scratch), peer > 0 ? own / peer : NAN);
  }
  printf(" %8.1e %8.1e %5.1f%% %5.1f%% %6d%s\n", Q(contact, 0.5), Q(contact, 0.9), 100.0 * sharp / steps,
         100.0 * good / steps, flagged, silent ? " NOT ALL WITH A RESIDUAL" : "");
#undef Q
}

/* Shares of the medians of a step's parts. */
static void report_parts(const Sample *sample, int count, int phase, double *scratch) {
  double part[PARTS], sum = 0;
  for (int k = 0; k < PARTS; k++) {
    part[k] = quantile(sample, count, phase, offsetof(Sample, part) + (size_t)k * sizeof(double), 0.5, scratch);
    sum += part[k];
  }
  if (!(sum > 0))
    return;
  printf("%-9s", phase_name[phase]);
  for (int k = 0; k < PARTS; k++)
    printf(" %8.1f%%", 100 * part[k] / sum);
  printf("\n");
}

static void report(const Case *it, const Sample *sample, int count) {
  double *scratch = malloc((size_t)count * sizeof *scratch);
  printf("\n%s, residual_contact to %g", it->name, it->tolerance);
  if (it->sweeps)
    printf(", at most %d sweeps", it->sweeps);
  printf("\n%-9s %5s %8s %6s %8s %11s", "phase", "steps", "contacts", "sweeps", "own ms", "10..90 %");
  for (int k = 0; k < PEERS; k++)
    printf(" %7s %11s %5s", engines[k] ? engines[k]->name : "-", "10..90 %", "ratio");
  printf(" %8s %8s %6s %6s %6s\n", "residual", "90 %", "<=1e-6", "<=1e-3", "flags");
  for (int phase = 0; phase < PHASES; phase++)
    report_phase(sample, count, phase, scratch);
  printf("%-9s", "parts");
  for (int k = 0; k < PARTS; k++)
    printf(" %9s", part_name[k]);
  printf("\n");
  for (int phase = 0; phase < PHASES; phase++)
    report_parts(sample, count, phase, scratch);
  free(scratch);
  fflush(stdout);
}

static void write_csv(const Case *it, const Sample *sample, int count) {
  char path[512];
  snprintf(path, sizeof path, BENCH_RESULTS_DIR "/piles_%s.csv", it->name);
  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    exit(2);
  }
  fputs(
      "t_s,phase,contacts,own_ms,residual_contact,E2,sweeps,speed_m_s,ode_ms,ode_contacts,bullet_ms,bullet_contacts\n",
      file);
  for (int i = 0; i < count; i++) {
    const Sample *s = &sample[i];
    fprintf(file, "%.4g,%s,%d,%.4g,%.3g,%.3g,%d,%.3g,%.4g,%d,%.4g,%d\n", s->t, phase_name[s->phase], s->contacts,
            1e3 * s->own, s->contact, s->E2, s->sweeps, s->speed, 1e3 * s->peer[0], s->peer_contacts[0],
            1e3 * s->peer[1], s->peer_contacts[1]);
  }
  fclose(file);
}

/* ---- cases ---- */

/* Median time of a step, s, and contacts, of the last phase that the pile came to. */
typedef struct Cost {
  double time, contacts;
} Cost;

static Cost run_case(const Case *it, const Options *options) {
  Pile pile;
  void *peer[PEERS] = {NULL};
  open_pile(it, options, 1, &pile);
  for (int k = 0; k < PEERS && !options->alone; k++)
    if (engines[k])
      peer[k] = engines[k]->create(pile.scene.model, asp_world_state(pile.world), PILE_FRICTION);
  int capacity = (int)(it->until / pile.scene.run.dt) + 2, count = 0, phase = FALLING, most = 0;
  Sample *sample = calloc((size_t)capacity, sizeof *sample);
  bool moving = false;
  while (asp_world_state(pile.world)->t < it->until - 1e-9 && count < capacity) {
    Sample *s = &sample[count++];
    take_sample(&pile, peer, s);
    moving = moving || s->speed > 0.5;
    s->phase = phase = moving ? phase_of(s->speed, phase) : FALLING;
    most = s->contacts > most ? s->contacts : most;
  }
  report(it, sample, count);
  write_csv(it, sample, count);
  double bytes = (double)(asp_context_memory_in_use(pile.context) - pile.without);
  printf("memory %.1f MB, %.0f bytes per contact (%d contacts, %d bodies); state hash %016llx\n", 1e-6 * bytes,
         bytes / most, most, it->wide * it->wide * it->high, (unsigned long long)asp_world_state_hash(pile.world));
  double *scratch = malloc((size_t)count * sizeof *scratch);
  Cost cost = {quantile(sample, count, phase, offsetof(Sample, own), 0.5, scratch), sample[count - 1].contacts};
  free(scratch);
  free(sample);
  for (int k = 0; k < PEERS; k++)
    if (peer[k])
      engines[k]->destroy(peer[k]);
  close_pile(&pile);
  return cost;
}

#define WORLDS 4
#define FROM   100 /* steps before the comparison, and its length */
#define STEPS  40

/* The same pile with 1, 2, 3 and 8 threads, step by step in turn: wall clock, and bits. */
static void run_threads(const Options *options) {
  static const int threads[WORLDS] = {1, 2, 3, 8};
  Case it = cases[2];
  Pile pile[WORLDS];
  double time[WORLDS][STEPS], part[WORLDS][PARTS][STEPS];
  int different = 0;
  it.until = 100;
  for (int w = 0; w < WORLDS; w++)
    open_pile(&it, options, threads[w], &pile[w]);
  for (int step = 0; step < FROM + STEPS; step++) {
    uint64_t hash[WORLDS];
    for (int w = 0; w < WORLDS; w++) {
      AspStepInfo info;
      double before = seconds(CLOCK_MONOTONIC);
      if (asp_world_step(pile[w].world, &info) != ASP_OK)
        fail(pile[w].context);
      if (step >= FROM) {
        double parts[PARTS];
        time[w][step - FROM] = seconds(CLOCK_MONOTONIC) - before;
        take_parts(&info.times, parts);
        for (int k = 0; k < PARTS; k++)
          part[w][k][step - FROM] = parts[k];
      }
      hash[w] = asp_world_state_hash(pile[w].world);
      different += hash[w] != hash[0];
    }
  }
  printf("\nthreads, %s, %d steps from t = %g s, wall clock\n", it.name, STEPS, 0.01 * FROM);
  for (int w = 0; w < WORLDS; w++)
    qsort(time[w], STEPS, sizeof *time[w], compare);
  for (int w = 0; w < WORLDS; w++) {
    printf("%d threads %8.2f ms (10..90 %% %.1f-%.1f), speed-up %.2f; ms of", threads[w], 1e3 * time[w][STEPS / 2],
           1e3 * time[w][STEPS / 10], 1e3 * time[w][STEPS * 9 / 10], time[0][STEPS / 2] / time[w][STEPS / 2]);
    for (int k = 0; k < PARTS; k++) {
      qsort(part[w][k], STEPS, sizeof *part[w][k], compare);
      printf(" %s %.2f", part_name[k], 1e3 * part[w][k][STEPS / 2]);
    }
    printf("\n");
  }
  printf("states that differ from those of one thread: %d of %d\n", different, (FROM + STEPS) * (WORLDS - 1));
  for (int w = 0; w < WORLDS; w++)
    close_pile(&pile[w]);
}

static void write_scene(const Case *it, uint64_t seed, const char *path) {
  char *text = pile_text(it->boxes, it->wide, it->high, seed);
  FILE *file = fopen(path, "w");
  if (!text || !file || fputs(text, file) < 0 || fclose(file) != 0) {
    perror(path);
    exit(2);
  }
  free(text);
}

int main(int argc, char **argv) {
  const char *only = NULL, *scene = NULL;
  Options options = {.gap_tolerance = 1e-5, .seed = 2027};
  double tolerance = -1, until = -1;
  int sweeps = -1;
  // threads that spin while they wait only slow down other jobs; libgomp reads this when it is loaded
  if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
    execv("/proc/self/exe", argv);
  for (int flag; (flag = getopt(argc, argv, "c:w:e:m:g:u:s:n")) != -1;)
    switch (flag) {
    case 'c':
      only = optarg;
      break;
    case 'w':
      scene = optarg;
      break;
    case 'e':
      tolerance = atof(optarg);
      break;
    case 'm':
      sweeps = atoi(optarg);
      break;
    case 'g':
      options.gap_tolerance = atof(optarg);
      break;
    case 'u':
      until = atof(optarg);
      break;
    case 's':
      options.seed = strtoull(optarg, NULL, 10);
      break;
    case 'n':
      options.alone = true;
      break;
    default:
      return 2;
    }
  Cost cost[CASES] = {{0, 0}};
  for (int k = 0; k < CASES; k++) {
    Case it = cases[k];
    if (only && strcmp(only, it.name) != 0)
      continue;
    it.tolerance = tolerance >= 0 ? tolerance : it.tolerance;
    it.sweeps = sweeps >= 0 ? sweeps : it.sweeps;
    it.until = until > 0 ? until : it.until;
    if (scene)
      write_scene(&it, options.seed, scene);
    else
      cost[k] = run_case(&it, &options);
  }
  if (cost[0].time > 0 && cost[2].time > 0)
    printf("\ngrowth of a step from %.0f to %.0f contacts: exponent %.2f\n", cost[0].contacts, cost[2].contacts,
           log(cost[2].time / cost[0].time) / log(cost[2].contacts / cost[0].contacts));
  if (!scene && (!only || strcmp(only, "threads") == 0))
    run_threads(&options);
  return 0;
}
