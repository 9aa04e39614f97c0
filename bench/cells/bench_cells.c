/* Gauss-Seidel by cells with split bodies (src/solver/parts_solve.c): sweeps, which are exchanges, to a tolerance, in
 * cells of several sizes against one cell. Counts do not depend on the number of ranks, so one rank does.
 *
 *   bench_cells [-t TOLERANCE] [-m SWEEPS] [-b LIST] SOURCE...
 *     SOURCE   family:NAME:SIZE:SEED (tests/support), a file of an FCLIB problem, plate:WIDE:HIGH:MASS (columns of
 *              balls of 1 kg on a plate of MASS kg), or pile:KIND:WIDE:HIGH:STEPS: the problem after STEPS steps of a pile (bench/piles/pile.h) of spheres or boxes, from a cold start
 *     -t       on E2, 1e-4
 *     -m       at most, 3000
 *     -b       bodies per cell, 1000,125
 *
 * Problems that sweeps cannot do (joints, other laws) are left out and counted.
 */
#define _GNU_SOURCE
#include "asperity/asperity.h"
#include "pile.h"
#include "plate_problem.h"
#include "problem_families.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 8 };

typedef struct Bench {
  AspContext *context;
  AspPartsOptions options;
  int size[MOST_SIZES], sizes; /* bodies per cell; the first: all in one */
  int problems, left_out, unsolved;
  double log_sum[MOST_SIZES], most[MOST_SIZES];
  int compared[MOST_SIZES];
} Bench;

static void must(const Bench *bench, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "bench_cells: %s\n", asp_context_message(bench->context));
  exit(2);
}

typedef struct Outcome {
  AspError error;
  AspPartsInfo info;
  int cells, copies, split;
} Outcome;

static Outcome solve(const Bench *bench, const AspContactProblem *problem, int bodies_per_cell) {
  AspCellPlan plan;
  AspPartition partition;
  AspPartsJudge *judge;
  AspExchange exchange = asp_exchange_alone();
  must(bench, asp_cell_plan_create(bench->context, problem, bodies_per_cell, &plan));
  int *rank_of_cell = calloc((size_t)plan.cells + 1, sizeof *rank_of_cell);
  must(bench, asp_partition_create(bench->context, problem, &plan, rank_of_cell, 1, 0, &partition));
  double **r = calloc((size_t)partition.cells + 1, sizeof *r);
  for (int c = 0; c < partition.cells; c++)
    r[c] = calloc((size_t)partition.cell[c].problem.rows + 1, sizeof **r);
  must(bench, asp_parts_judge_create(bench->context, &partition, &exchange, &judge));
  Outcome outcome = {.cells = partition.cells, .copies = partition.copies, .split = partition.split};
  outcome.error = asp_parts_solve(judge, &bench->options, r, &outcome.info);
  asp_parts_judge_destroy(judge);
  for (int c = 0; c < partition.cells; c++)
    free(r[c]);
  free(r);
  free(rank_of_cell);
  asp_partition_destroy(bench->context, &partition);
  asp_cell_plan_destroy(bench->context, &plan);
  return outcome;
}

static void bench_problem(Bench *bench, const AspContactProblem *problem, const char *name) {
  Outcome one = {0};
  for (int k = 0; k < bench->sizes; k++) {
    Outcome outcome = solve(bench, problem, bench->size[k]);
    if (outcome.error == ASP_ERROR_UNSUPPORTED) {
      bench->left_out++;
      return;
    }
    must(bench, outcome.error);
    bool solved = outcome.info.status == ASP_STATUS_SOLVED;
    if (k == 0) {
      one = outcome;
      printf("%-46s %7d %7d", name, problem->blocks, problem->dofs / 6);
    }
    printf("  %4d %6d %5d%s %.1e", outcome.cells, outcome.split, outcome.info.sweeps, solved ? " " : "-",
           outcome.info.residual.E2);
    if (k > 0 && solved && one.info.status == ASP_STATUS_SOLVED && one.info.sweeps > 0 && outcome.cells > 1) {
      double ratio = (double)outcome.info.sweeps / one.info.sweeps;
      bench->log_sum[k] += log(ratio);
      bench->compared[k]++;
      bench->most[k] = fmax(bench->most[k], ratio);
      printf(" x%.2f", ratio);
    }
    fflush(stdout);
  }
  printf("\n");
  bench->problems++;
}

/* ---- sources ---- */

static void bench_family(Bench *bench, const char *source) {
  char name[64];
  int size = 0;
  unsigned long long seed = 0;
  AspContactProblem problem;
  int family = 0;
  if (sscanf(source, "family:%63[^:]:%d:%llu", name, &size, &seed) == 3)
    while (family < FAMILY_COUNT && strcmp(problem_family_name((ProblemFamily)family), name) != 0)
      family++;
  else
    family = FAMILY_COUNT;
  if (family == FAMILY_COUNT) {
    fprintf(stderr, "bench_cells: %s: a family is given as family:NAME:SIZE:SEED\n", source);
    exit(2);
  }
  must(bench, problem_family_make(bench->context, (ProblemFamily)family, size, seed, &problem));
  bench_problem(bench, &problem, source);
  asp_problem_destroy(bench->context, &problem);
}

static void bench_pile(Bench *bench, const char *source) {
  char kind[16];
  int wide = 0, high = 0, steps = 0;
  AspScene scene;
  AspWorld *world;
  AspStepInfo info;
  if (sscanf(source, "pile:%15[^:]:%d:%d:%d", kind, &wide, &high, &steps) != 4 || steps < 1) {
    fprintf(stderr, "bench_cells: %s: a pile is given as pile:KIND:WIDE:HIGH:STEPS\n", source);
    exit(2);
  }
  char *text = pile_text(strcmp(kind, "boxes") == 0, wide, high, 1);
  must(bench, asp_scene_parse(bench->context, text, strlen(text), "pile", &scene, NULL));
  scene.run.scheme = ASP_SCHEME_STEWART_TRINKLE;
  scene.run.method = ASP_METHOD_NSGS;
  scene.run.max_iterations = 200;
  scene.run.retry = false;
  must(bench, asp_world_create(bench->context, scene.model, &scene.run, &world));
  for (int k = 0; k < steps; k++)
    must(bench, asp_world_step(world, &info));
  const double *r, *u;
  const AspContactProblem *problem = asp_world_problem(world, &r, &u);
  if (problem)
    bench_problem(bench, problem, source);
  asp_world_destroy(world);
  asp_scene_destroy(bench->context, &scene);
  free(text);
}

/* A light plate under columns of balls: a body that all cells would split. */
static void bench_plate(Bench *bench, const char *source) {
  int wide = 0, high = 0;
  double mass = 0;
  AspContactProblem problem;
  if (sscanf(source, "plate:%d:%d:%lf", &wide, &high, &mass) != 3) {
    fprintf(stderr, "bench_cells: %s: a plate is given as plate:WIDE:HIGH:MASS\n", source);
    exit(2);
  }
  must(bench, plate_problem(bench->context, wide, high, mass, &problem));
  bench_problem(bench, &problem, source);
  asp_problem_destroy(bench->context, &problem);
}

static void bench_file(Bench *bench, const char *path) {
  AspContactProblem problem;
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  must(bench, asp_fclib_read(bench->context, path, NULL, &problem, NULL));
  if (problem.dofs > 0)
    bench_problem(bench, &problem, name);
  else
    bench->left_out++;
  asp_problem_destroy(bench->context, &problem);
}

static void read_sizes(Bench *bench, const char *list) {
  bench->size[0] = INT32_MAX;
  bench->sizes = 1;
  for (const char *at = list; at && bench->sizes < MOST_SIZES; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    bench->size[bench->sizes++] = atoi(at);
}

int main(int argc, char **argv) {
  Bench bench = {.context = asp_context_create(NULL), .options = asp_parts_default_options()};
  bench.options.tolerance = 1e-4;
  bench.options.max_sweeps = 3000;
  read_sizes(&bench, "1000,125");
  for (int flag; (flag = getopt(argc, argv, "t:m:b:")) != -1;)
    if (flag == 't')
      bench.options.tolerance = atof(optarg);
    else if (flag == 'm')
      bench.options.max_sweeps = atoi(optarg);
    else if (flag == 'b')
      read_sizes(&bench, optarg);
    else
      return 2;
  printf("sweeps to E2 = %g, at most %d; per size of cells: cells, split bodies, sweeps (-: not solved), E2 reached, "
         "times "
         "those of one cell\n%-46s %7s %7s\n",
         bench.options.tolerance, bench.options.max_sweeps, "problem", "blocks", "bodies");
  for (int k = optind; k < argc; k++)
    if (strncmp(argv[k], "family:", 7) == 0)
      bench_family(&bench, argv[k]);
    else if (strncmp(argv[k], "plate:", 6) == 0)
      bench_plate(&bench, argv[k]);
    else if (strncmp(argv[k], "pile:", 5) == 0)
      bench_pile(&bench, argv[k]);
    else
      bench_file(&bench, argv[k]);
  printf("%d problems, %d left out (laws that sweeps cannot do, or no bodies)\n", bench.problems, bench.left_out);
  for (int k = 1; k < bench.sizes; k++)
    if (bench.compared[k] > 0)
      printf("%d bodies a cell: %d compared, mean %.2f x, largest %.2f x\n", bench.size[k], bench.compared[k],
             exp(bench.log_sum[k] / bench.compared[k]), bench.most[k]);
  asp_context_destroy(bench.context);
  return 0;
}
