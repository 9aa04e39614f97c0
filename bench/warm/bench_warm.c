/* Warm against cold start: 50 consecutive steps of simulations of our own. Every step's contact problem is solved once
 * more from nothing and from the reactions of the step before (found again by shapes and feature), each by solvers
 * that are kept from step to step. Processor time, the fastest of three solvers, each of which sees a step once.
 *
 *   bench_warm [FILE.csv [SEED]]   default: bench/results/warm.csv of the source tree, 7; less than a minute
 */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"
#include "base/base.h"
#include "bench_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS   50
#define REPEATS 3
#define DT      0.005

static AspContext *context;

static void must(AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_warm: %s\n", asp_context_message(context));
  exit(3);
}

/* ---- scenes ---- */

static void add_body(AspModel *model, AspBodyDef def, AspShape shape, double density) {
  AspShapeAttachment attachment = {
      .shape = shape, .pose = {{0, 0, 0}, {1, 0, 0, 0}}, .group = ~(uint32_t)0, .mask = ~(uint32_t)0};
  int body;
  if (def.kind == ASP_BODY_DYNAMIC) {
    AspMassProperties properties;
    must(asp_shape_mass(context, &shape, 3, density, &properties));
    def.mass = properties.mass;
    def.inertia = properties.inertia;
  }
  must(asp_model_material(model, "stone", &attachment.material));
  must(asp_model_add_body(model, &def, &body));
  must(asp_model_attach_shape(model, body, &attachment));
}

static AspQuat turn(AspVec3 axis, double angle) {
  double s = sin(angle / 2);
  return (AspQuat){cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

/* A plane through `point` whose solid side is turned by `angle` about `axis` from below; shakes when told to. */
static void add_plane(AspModel *model, const char *name, AspVec3 point, AspVec3 axis, double angle, const char *shake) {
  AspBodyDef def = asp_body_default();
  def.name = name;
  def.kind = shake ? ASP_BODY_KINEMATIC : ASP_BODY_FIXED;
  def.position_expression[0] = shake;
  def.pose.position = point;
  def.pose.orientation = turn(axis, angle);
  add_body(model, def, asp_shape_default(ASP_SHAPE_HALF_SPACE), 0);
}

/* Twenty flat boxes on each other, each turned a little. */
static void build_boxes(AspModel *model, AspRandom *random, const char *shake) {
  add_plane(model, "floor", (AspVec3){0, 0, 0}, (AspVec3){1, 0, 0}, 0, shake);
  for (int k = 0; k < 20; k++) {
    AspShape box = asp_shape_default(ASP_SHAPE_BOX);
    AspBodyDef def = asp_body_default();
    char name[16];
    snprintf(name, sizeof name, "box %d", k);
    box.half_extents = (AspVec3){0.5, 0.5, 0.1};
    def.name = name;
    def.pose.position = (AspVec3){0.01 * asp_random_normal(random), 0.01 * asp_random_normal(random), 0.1 + 0.2 * k};
    def.pose.orientation = turn((AspVec3){0, 0, 1}, 0.1 * asp_random_normal(random));
    add_body(model, def, box, 1000);
  }
}

/* The floor moves gently, or so that boxes lift and slip: 0.1 and 2.5 m/s^2. */
static void build_tower(AspModel *model, AspRandom *random) { build_boxes(model, random, "0.001*sin(10*t)"); }
static void build_shaken(AspModel *model, AspRandom *random) { build_boxes(model, random, "0.004*sin(25*t)"); }

/* Balls poured into a pen: "pile" has come to rest when it counts, "rolling" has not. */
static void build_pile(AspModel *model, AspRandom *random) {
  const double half_turn = 1.5707963267948966, wall = 0.24;
  add_plane(model, "floor", (AspVec3){0, 0, 0}, (AspVec3){1, 0, 0}, 0, NULL);
  add_plane(model, "east", (AspVec3){wall, 0, 0}, (AspVec3){0, 1, 0}, -half_turn, NULL);
  add_plane(model, "west", (AspVec3){-wall, 0, 0}, (AspVec3){0, 1, 0}, half_turn, NULL);
  add_plane(model, "north", (AspVec3){0, wall, 0}, (AspVec3){1, 0, 0}, half_turn, NULL);
  add_plane(model, "south", (AspVec3){0, -wall, 0}, (AspVec3){1, 0, 0}, -half_turn, NULL);
  for (int k = 0; k < 60; k++) {
    AspShape ball = asp_shape_default(ASP_SHAPE_SPHERE);
    AspBodyDef def = asp_body_default();
    char name[16];
    snprintf(name, sizeof name, "ball %d", k);
    ball.radius = asp_random_uniform(random, 0.05, 0.07);
    def.name = name;
    def.pose.position =
        (AspVec3){-0.16 + 0.16 * (k % 3) + asp_random_uniform(random, -0.01, 0.01),
                  -0.16 + 0.16 * (k / 3 % 3) + asp_random_uniform(random, -0.01, 0.01), 0.1 + 0.16 * (k / 9)};
    add_body(model, def, ball, 1000);
  }
}

static const struct {
  const char *name;
  void (*build)(AspModel *model, AspRandom *random);
  int settle; /* steps before the first one that counts */
} scenes[] = {
    {"tower", build_tower, 20}, {"shaken", build_shaken, 20}, {"pile", build_pile, 800}, {"rolling", build_pile, 60}};

/* ---- one step ---- */

/* The contacts of a step and their reactions. */
typedef struct Answer {
  int count;
  AspContactRecord *contact;
  double *r; /* 3 count */
} Answer;

static void keep_answer(const AspWorld *world, Answer *answer) {
  const double *r, *u;
  const AspContactProblem *problem = asp_world_problem(world, &r, &u);
  int count = asp_world_contact_count(world);
  if (problem->rows != 3 * count) {
    fprintf(stderr, "bench_warm: %d rows for %d contacts\n", problem->rows, count);
    exit(3);
  }
  asp_release(context, answer->contact);
  asp_release(context, answer->r);
  *answer = (Answer){count, asp_allocate(context, (size_t)count, sizeof *answer->contact),
                     asp_allocate(context, 3 * (size_t)count, sizeof *answer->r)};
  if (!answer->contact || !answer->r)
    must(ASP_ERROR_MEMORY);
  memcpy(answer->contact, asp_world_contacts(world), (size_t)count * sizeof *answer->contact);
  memcpy(answer->r, r, 3 * (size_t)count * sizeof *r);
}

static void guess(const AspWorld *world, const Answer *before, double *r) {
  const AspContactRecord *contact = asp_world_contacts(world);
  for (int i = 0; i < asp_world_contact_count(world); i++) {
    r[3 * i] = r[3 * i + 1] = r[3 * i + 2] = 0;
    for (int k = 0; k < before->count; k++)
      if (before->contact[k].shape_a == contact[i].shape_a && before->contact[k].shape_b == contact[i].shape_b &&
          before->contact[k].feature == contact[i].feature)
        memcpy(r + 3 * i, before->r + 3 * k, 3 * sizeof *r);
  }
}

/* Processor time of a solve from `start`, the fastest of a few. */
static double timed_solve(AspSolver *const *solver, const AspContactProblem *problem, const double *start, double *r,
                          AspSolverInfo *info) {
  double best = HUGE_VAL;
  for (int k = 0; k < REPEATS; k++) {
    memcpy(r, start, (size_t)problem->rows * sizeof *r);
    double began = processor_seconds();
    must(asp_solver_solve(solver[k], problem, r, NULL, NULL, info));
    best = fmin(best, processor_seconds() - began);
  }
  return best;
}

/* ---- one scene ---- */

static void measure(int scene, uint64_t seed, FILE *csv) {
  AspRandom random = {seed};
  AspModel *model;
  AspWorld *world;
  AspSolver *cold_solver[REPEATS], *warm_solver[REPEATS];
  AspStepInfo step;
  Answer before = {0};
  AspRunOptions run = asp_run_default_options();
  double cold_sum = 0, warm_sum = 0;
  int unsolved = 0, contacts = 0;
  run.dt = DT;
  run.scheme = ASP_SCHEME_STEWART_TRINKLE;
  must(asp_model_create(context, 3, &model));
  asp_model_set_gravity(model, (AspVec3){0, 0, -9.81});
  scenes[scene].build(model, &random);
  int stone;
  must(asp_model_material(model, "stone", &stone));
  must(asp_model_set_pair(model, stone, stone, &(AspPairLaw){.friction = 0.5}));
  must(asp_model_finish(model));
  must(asp_world_create(context, model, &run, &world));
  for (int k = 0; k < REPEATS; k++) {
    must(asp_solver_create(context, NULL, &cold_solver[k]));
    must(asp_solver_create(context, NULL, &warm_solver[k]));
  }
  for (int k = 0; k < scenes[scene].settle; k++)
    must(asp_world_step(world, &step));
  keep_answer(world, &before);
  for (int k = 0; k < STEPS; k++) {
    const double *answer, *u;
    AspSolverInfo cold, warm;
    must(asp_world_step(world, &step));
    const AspContactProblem *problem = asp_world_problem(world, &answer, &u);
    size_t rows = (size_t)problem->rows;
    double *zero = asp_allocate(context, rows, sizeof *zero), *r = asp_allocate(context, rows, sizeof *r);
    double *start = asp_allocate(context, rows, sizeof *start);
    if (!zero || !r || !start)
      must(ASP_ERROR_MEMORY);
    guess(world, &before, start);
    double cold_time = timed_solve(cold_solver, problem, zero, r, &cold);
    double warm_time = timed_solve(warm_solver, problem, start, r, &warm);
    cold_sum += cold_time;
    warm_sum += warm_time;
    contacts += problem->blocks;
    unsolved += (cold.status != ASP_STATUS_SOLVED) + (warm.status != ASP_STATUS_SOLVED);
    fprintf(csv, "%s,%d,%d,%.6g,%.6g,\"%s\",\"%s\"\n", scenes[scene].name, k, problem->blocks, cold_time, warm_time,
            cold.path, warm.path);
    keep_answer(world, &before);
    asp_release(context, zero);
    asp_release(context, start);
    asp_release(context, r);
  }
  printf("%-8s %5d contacts, cold %9.3f ms, warm %9.3f ms a step, ratio %.3f, unsolved %d\n", scenes[scene].name,
         contacts / STEPS, 1e3 * cold_sum / STEPS, 1e3 * warm_sum / STEPS, warm_sum / cold_sum, unsolved);
  fflush(stdout);
  asp_release(context, before.contact);
  asp_release(context, before.r);
  for (int k = 0; k < REPEATS; k++) {
    asp_solver_destroy(cold_solver[k]);
    asp_solver_destroy(warm_solver[k]);
  }
  asp_world_destroy(world);
  asp_model_destroy(model);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : BENCH_RESULTS_DIR "/warm.csv";
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 7;
  FILE *csv = fopen(path, "w");
  context = asp_context_create(NULL);
  if (!csv || !context) {
    fprintf(stderr, "bench_warm: %s cannot be written\n", path);
    return 2;
  }
  fputs("scene,step,contacts,cold_s,warm_s,cold_path,warm_path\n", csv);
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
    measure((int)k, seed, csv);
  fclose(csv);
  asp_context_destroy(context);
  return 0;
}
