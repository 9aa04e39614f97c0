/* What does it cost to ask for E1 beside E2 and E3? Every contact problem of the first steps of all scenes is solved
 * twice from no reaction, with E1 asked and not asked; the run itself goes on with its own solver.
 *
 *   bench_ask_e1 [STEPS]   100 steps where no number is given
 *
 * Prints the table of docs/decisions/solved-without-E1.md: scenes where the two differ, and the sums over all. Left
 * out: schemes whose steps are not one contact problem, and friction polygons. Times are processor time, the least of
 * three solves each; all else is the same from run to run.
 */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"
#include "bench_clock.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_ASKED, ASKED, WAYS };
enum { REPEATS = 3 };

/* Over the steps of a scene, or over all scenes. */
typedef struct Sums {
  long iterations, unsolved;
  double E1, E2; /* largest */
  double time;   /* s */
} Sums;

static AspContext *context;

static bool solve(const AspContactProblem *problem, double tolerance, bool ask_E1, double *r, Sums *sums) {
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver = NULL;
  AspSolverInfo info;
  double least = INFINITY;
  options.tolerance = tolerance;
  options.ask_E1 = ask_E1;
  for (int i = 0; i < REPEATS; i++) {
    memset(r, 0, (size_t)problem->rows * sizeof *r);
    AspError error = asp_solver_create(context, &options, &solver);
    double began = processor_seconds();
    if (error == ASP_OK)
      error = asp_solver_solve(solver, problem, r, NULL, NULL, &info);
    least = fmin(least, processor_seconds() - began);
    asp_solver_destroy(solver);
    if (error != ASP_OK)
      return false;
  }
  sums->iterations += info.iterations;
  sums->unsolved += info.status != ASP_STATUS_SOLVED;
  sums->E1 = fmax(sums->E1, info.residual.E1);
  sums->E2 = fmax(sums->E2, info.residual.E2);
  sums->time += least;
  return true;
}

/* How many problems were solved, of which exact cones alone. */
static long run_scene(const AspScene *scene, int steps, Sums sums[WAYS]) {
  AspWorld *world = NULL;
  AspStepInfo info;
  long problems = 0;
  double *r = NULL;
  int room = 0;
  if (scene->run.cone != ASP_CONE_EXACT || !asp_scheme_supports(scene->run.scheme, ASP_FEATURE_SOLVERS) ||
      asp_world_create(context, scene->model, &scene->run, &world) != ASP_OK)
    return 0;
  for (int step = 0; step < steps && asp_world_step(world, &info) == ASP_OK; step++) {
    const double *answer, *u;
    const AspContactProblem *problem = asp_world_problem(world, &answer, &u);
    if (!problem || problem->rows == 0)
      continue;
    if (problem->rows > room) {
      room = problem->rows;
      free(r);
      r = malloc((size_t)room * sizeof *r);
    }
    for (int way = 0; way < WAYS; way++)
      if (!r || !solve(problem, scene->run.tolerance, way == ASKED, r, &sums[way]))
        exit(3);
    problems++;
  }
  free(r);
  asp_world_destroy(world);
  return problems;
}

static void print_row(const char *name, long problems, const Sums sums[WAYS]) {
  const Sums *with = &sums[ASKED], *without = &sums[NOT_ASKED];
  printf("| %s | %ld | %ld / %ld | %.1e / %.1e | %.1e / %.1e | %.3f / %.3f |\n", name, problems, with->iterations,
         without->iterations, with->E2, without->E2, with->E1, without->E1, with->time, without->time);
}

static int is_scene(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot && strcmp(dot, ".json") == 0;
}

/* Rows of the folder's scenes where the ways differ; the number of those where they do not is returned. */
static int run_folder(const char *folder, int steps, Sums all[WAYS], long *problems) {
  struct dirent **entries;
  int count = scandir(folder, &entries, is_scene, alphasort), same = 0;
  for (int i = 0; i < count; i++) {
    char path[1024], name[300];
    AspScene scene;
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    snprintf(name, sizeof name, "`%.*s`", (int)strlen(entries[i]->d_name) - 5, entries[i]->d_name);
    free(entries[i]);
    if (asp_scene_read(context, path, &scene, NULL) != ASP_OK)
      continue;
    Sums sums[WAYS] = {{0}};
    long solved = run_scene(&scene, steps, sums);
    bool differs = sums[ASKED].iterations != sums[NOT_ASKED].iterations;
    same += solved > 0 && !differs;
    if (differs)
      print_row(name, solved, sums);
    for (int way = 0; way < WAYS; way++) {
      all[way].iterations += sums[way].iterations;
      all[way].unsolved += sums[way].unsolved;
      all[way].E1 = fmax(all[way].E1, sums[way].E1);
      all[way].E2 = fmax(all[way].E2, sums[way].E2);
      all[way].time += sums[way].time;
    }
    *problems += solved;
    asp_scene_destroy(context, &scene);
  }
  if (count >= 0)
    free(entries);
  return same;
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 100;
  Sums all[WAYS] = {{0}};
  long problems = 0;
  context = asp_context_create(NULL);
  if (!context || steps < 1) {
    fprintf(stderr, "bench_ask_e1 [STEPS]: a number of steps, at least 1\n");
    return 2;
  }
  printf("| scene | problems | iterations | largest E2 | largest E1 | time, s |\n|---|---|---|---|---|---|\n");
  int same = run_folder(SOURCE_DIR "/scenes", steps, all, &problems);
  same += run_folder(SOURCE_DIR "/scenes/gallery", steps, all, &problems);
  print_row("all", problems, all);
  printf("\n%d more scenes have the same iterations with both. Not solved: %ld / %ld.\n", same, all[ASKED].unsolved,
         all[NOT_ASKED].unsolved);
  asp_context_destroy(context);
  return 0;
}
