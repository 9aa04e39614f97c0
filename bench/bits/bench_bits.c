/* Which bits does the program compute? One line per run with a hash, so that two versions of the code can be compared:
 *
 *   scene FILE SCHEME   hash of time, q, v and certificate after every step of a short run, number of steps done
 *   fclib FILE METHOD   hash of r, with status, iterations and path of the solver
 *   lcp   FILE lemke    hash of z, with status and pivots
 *
 *   bench_bits [--scenes] [--problems] [--times] [WORD]   all lines, or those of one kind, or those that contain WORD
 *
 * Scenes: scenes/, scenes/gallery, scenes/peers. Problems: tests/data/fclib and, where they are there,
 * ../shared/data/fclib/{fc3d,fc2d,lcp}. Nothing depends on time: runs are bounded in steps and iterations. Hashes hold
 * for every x86-64 processor (docs/promises.md); everywhere.py compares builds and systems. --times writes seconds to
 * standard error. Compare with: bench_bits >before.txt; change the code; bench_bits | diff before.txt -
 */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"
#include "bench_clock.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS         40   /* of a scene by a time-stepping scheme */
#define STEPS_COSTLY  6    /* the same, by schemes that cost more a step, */
#define BODIES_COSTLY 5    /* which run scenes with so many bodies only, or scenes that ask for them */
#define ITERATIONS    60   /* of one method alone; auto has its own limits */
#define ROWS_DENSE    700  /* larger problems are left out for methods with dense matrices, */
#define ROWS_COSTLY   2000 /* for those that factorise, */
#define DOFS_COSTLY   2000 /* the same */
#define ROWS_MOST     9000 /* and for all */
#define PATH          1024

static AspContext *context;
static bool times;
static const char *word; /* NULL: everything */

static void hash_bytes(uint64_t *hash, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++)
    *hash = (*hash ^ byte[i]) * UINT64_C(0x100000001b3);
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

static bool wanted(const char *line) { return !word || strstr(line, word); }

static void tell_time(const char *line, double began) {
  if (times)
    fprintf(stderr, "%8.3f s  %s\n", processor_seconds() - began, line);
}

/* ---- scenes ---- */

static void run_scene(const char *label, const AspScene *scene, AspScheme scheme) {
  char line[PATH];
  AspRunOptions options = scene->run;
  AspWorld *world = NULL;
  AspStepInfo info;
  uint64_t hash = hash_start;
  bool costly = scheme != ASP_SCHEME_MOREAU_JEAN && scheme != ASP_SCHEME_STEWART_TRINKLE;
  int steps = costly ? STEPS_COSTLY : STEPS, done = 0, certified = 0;
  double began = processor_seconds();
  snprintf(line, sizeof line, "scene %s %s", label, asp_scheme_names[scheme]);
  bool large = asp_model_body_count(scene->model) > BODIES_COSTLY;
  if (!wanted(line) || (costly && large && scheme != (AspScheme)scene->run.scheme))
    return;
  options.scheme = scheme;
  AspError error = asp_world_create(context, scene->model, &options, &world);
  if (error != ASP_OK) {
    printf("%s refused\n", line);
    return;
  }
  for (; done < steps && error == ASP_OK; done += error == ASP_OK) {
    error = asp_world_step(world, &info);
    if (error != ASP_OK)
      break;
    uint64_t state = asp_world_state_hash(world);
    hash_bytes(&hash, &state, sizeof state);
    hash_bytes(&hash, &info.residual.E2, sizeof info.residual.E2);
    hash_bytes(&hash, &info.contacts, sizeof info.contacts);
    hash_bytes(&hash, &info.iterations, sizeof info.iterations);
    hash_bytes(&hash, &info.energy, sizeof info.energy);
    hash_bytes(&hash, &info.flow, sizeof info.flow);
    certified += info.certified;
  }
  printf("%s %d steps %d certified %016llx%s\n", line, done, certified, (unsigned long long)hash,
         error == ASP_OK ? "" : " stopped");
  asp_world_destroy(world);
  tell_time(line, began);
}

static void run_scene_file(const char *label, const char *path) {
  AspScene scene;
  if (asp_scene_read(context, path, &scene, NULL) != ASP_OK) {
    printf("scene %s not read\n", label);
    return;
  }
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++)
    run_scene(label, &scene, (AspScheme)scheme);
  asp_scene_destroy(context, &scene);
}

/* ---- problems ---- */

static bool is_left_out(const AspContactProblem *problem, AspMethod method) {
  if (method == ASP_METHOD_LEMKE || method == ASP_METHOD_PGS)
    return problem->rows > ROWS_DENSE;
  if (method != ASP_METHOD_AUTO && method != ASP_METHOD_NSGS)
    return problem->rows > ROWS_COSTLY || problem->dofs > DOFS_COSTLY;
  return problem->rows > ROWS_MOST;
}

static void solve_problem(const char *label, const AspContactProblem *problem, AspMethod method) {
  char line[PATH];
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver = NULL;
  AspSolverInfo info;
  uint64_t hash = hash_start;
  double began = processor_seconds();
  snprintf(line, sizeof line, "fclib %s %s", label, asp_method_name(method));
  if (!wanted(line) || is_left_out(problem, method))
    return;
  options.method = method;
  options.ask_E1 = true; // as the program does for problem files
  options.max_iterations = method == ASP_METHOD_AUTO || method == ASP_METHOD_LEMKE ? 0 : ITERATIONS;
  double *r = calloc((size_t)problem->rows + 1, sizeof *r);
  AspError error = asp_solver_create(context, &options, &solver);
  if (r && error == ASP_OK)
    error = asp_solver_solve(solver, problem, r, NULL, NULL, &info);
  if (!r || error != ASP_OK)
    printf("%s refused\n", line);
  else {
    hash_bytes(&hash, r, (size_t)problem->rows * sizeof *r);
    printf("%s %s %d (%s) %016llx\n", line, asp_status_name(info.status), info.iterations, info.path,
           (unsigned long long)hash);
  }
  asp_solver_destroy(solver);
  free(r);
  tell_time(line, began);
}

static void solve_lcp(const char *label, const AspLcp *lcp) {
  AspLcpInfo info;
  uint64_t hash = hash_start;
  double *z = calloc((size_t)lcp->n + 1, sizeof *z);
  if (!z || asp_lcp_lemke(context, lcp, NULL, z, NULL, &info) != ASP_OK)
    printf("lcp %s lemke refused\n", label);
  else {
    hash_bytes(&hash, z, (size_t)lcp->n * sizeof *z);
    printf("lcp %s lemke %s %d %016llx\n", label, asp_status_name(info.status), info.iterations,
           (unsigned long long)hash);
  }
  free(z);
}

static void solve_file(const char *label, const char *path) {
  AspContactProblem problem;
  AspLcp lcp;
  if (!asp_fclib_recognise(context, path)) {
    if (asp_lcp_read(context, path, &lcp) != ASP_OK) {
      printf("lcp %s not read\n", label);
      return;
    }
    solve_lcp(label, &lcp);
    asp_lcp_destroy(context, &lcp);
    return;
  }
  if (asp_fclib_read(context, path, NULL, &problem, NULL) != ASP_OK) {
    printf("fclib %s not read\n", label);
    return;
  }
  for (int method = 0; method < ASP_METHOD_COUNT; method++)
    solve_problem(label, &problem, (AspMethod)method);
  asp_problem_destroy(context, &problem);
}

/* ---- folders ---- */

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The files of a folder with this ending, in the order of their names; a folder that is not there is empty. */
static void each_file(const char *folder, const char *ending, void (*visit)(const char *label, const char *path)) {
  char path[2 * PATH], *name[512];
  int count = 0;
  snprintf(path, sizeof path, "%s/%s", BITS_SOURCE_DIR, folder);
  DIR *entries = opendir(path);
  if (!entries) {
    fprintf(stderr, "bench_bits: %s is not there: left out\n", folder);
    return;
  }
  for (struct dirent *entry; (entry = readdir(entries)) != NULL && count < 512;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot && strcmp(dot, ending) == 0)
      name[count++] = strdup(entry->d_name);
  }
  closedir(entries);
  qsort(name, (size_t)count, sizeof *name, by_name);
  for (int i = 0; i < count; i++) {
    char label[PATH];
    snprintf(path, sizeof path, "%s/%s/%s", BITS_SOURCE_DIR, folder, name[i]);
    snprintf(label, sizeof label, "%s/%s", folder, name[i]);
    visit(label, path);
    fflush(stdout);
    free(name[i]);
  }
}

int main(int argc, char **argv) {
  bool scenes = true, problems = true;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--scenes") == 0)
      problems = false;
    else if (strcmp(argv[i], "--problems") == 0)
      scenes = false;
    else if (strcmp(argv[i], "--times") == 0)
      times = true;
    else if (argv[i][0] != '-' && !word)
      word = argv[i];
    else {
      fprintf(stderr, "usage: bench_bits [--scenes] [--problems] [--times] [WORD]\n");
      return 2;
    }
  }
  context = asp_context_create(NULL);
  if (!context)
    return 3;
  const char *const scene_folders[] = {"scenes", "scenes/gallery", "scenes/peers"};
  const char *const problem_folders[] = {"tests/data/fclib", "../shared/data/fclib/fc3d", "../shared/data/fclib/fc2d",
                                         "../shared/data/fclib/lcp"};
  for (int i = 0; scenes && i < 3; i++)
    each_file(scene_folders[i], ".json", run_scene_file);
  for (int i = 0; problems && i < 4; i++)
    each_file(problem_folders[i], ".hdf5", solve_file);
  asp_context_destroy(context);
  return 0;
}
