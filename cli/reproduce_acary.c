/* Acary, Cadoux, Lemarechal, Malick 2008, "An algorithm for Coulomb's frictional contact": the infeasibility ||G(s) -
 * s|| at each outer iteration of Newton on s, beside the plain fixed point, on random problems of the paper's size (200
 * freedoms, 150 contacts in space, mu <= 2). The paper does not give its data; the generator here is published so that
 * others can draw the same: M = 1 + A A^T/n, f = 30 a, H = B with A, a, B standard normal, mu uniform in (0, 2), and w
 * such that one random velocity holds every contact strictly open (then a solution exists). The single particle has a
 * closed form. */
#include "asperity/asperity.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FREEDOMS 200
#define CONTACTS 150
#define SEEDS    3
#define RECORDED 64

#define TRY(expression)                                                                                                \
  do {                                                                                                                 \
    AspError try_error_ = (expression);                                                                                \
    if (try_error_ != ASP_OK)                                                                                          \
      return try_error_;                                                                                               \
  } while (0)

/* ---- random data: splitmix64, Box-Muller ---- */

static double draw_uniform(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(uint64_t *state) {
  double radius = sqrt(-2 * log(draw_uniform(state)));
  return radius * cos(6.283185307179586 * draw_uniform(state));
}

static void fill_mass(uint64_t *state, double *A, AspContactProblem *problem) {
  int n = FREEDOMS;
  for (int k = 0; k < n * n; k++)
    A[k] = draw_normal(state);
  for (int j = 0; j < n; j++) {
    problem->M.start[j + 1] = n * (j + 1);
    problem->f[j] = 30 * draw_normal(state);
    for (int i = 0; i < n; i++) {
      double sum = i == j;
      for (int k = 0; k < n; k++)
        sum += A[i * n + k] * A[j * n + k] / n;
      problem->M.row[j * n + i] = i;
      problem->M.value[j * n + i] = sum;
    }
  }
}

static AspError draw_problem(AspContext *context, uint64_t seed, AspContactProblem *problem) {
  int n = FREEDOMS, rows = 3 * CONTACTS;
  TRY(asp_problem_create(context, 3, CONTACTS, rows, n, n * n, n * rows, 0, problem));
  double *A = malloc((size_t)n * (size_t)n * sizeof *A), open[FREEDOMS];
  if (!A) {
    asp_problem_destroy(context, problem);
    return ASP_ERROR_MEMORY;
  }
  fill_mass(&seed, A, problem);
  free(A);
  for (int j = 0; j < n; j++)
    open[j] = draw_normal(&seed);
  for (int c = 0; c < rows; c++) {
    problem->H.start[c + 1] = n * (c + 1);
    problem->w[c] = c % 3 == 0 ? 0.1 + fabs(draw_normal(&seed)) : 0;
    for (int i = 0; i < n; i++) {
      double entry = draw_normal(&seed);
      problem->H.row[c * n + i] = i;
      problem->H.value[c * n + i] = entry;
      problem->w[c] -= entry * open[i];
    }
  }
  for (int b = 0; b < CONTACTS; b++) {
    problem->law[b] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 2 * draw_uniform(&seed)};
    problem->offset[b + 1] = 3 * (b + 1);
  }
  return ASP_OK;
}

/* ---- one run ---- */

typedef struct Record {
  int count;
  double infeasibility[RECORDED];
} Record;

static void write_down(void *user, int iteration, const char *method, double residual) {
  Record *record = user;
  (void)iteration;
  if (strcmp(method, "aclm") == 0 && record->count < RECORDED)
    record->infeasibility[record->count++] = residual;
}

/* r: start and answer; slip receives ||s|| at the solution */
static AspError solve(AspContext *context, const AspContactProblem *problem, bool fixed_point, int iterations,
                      double *r, Record *record, AspSolverInfo *info, double *slip) {
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver;
  double u[3 * CONTACTS];
  *record = (Record){0};
  options.method = ASP_METHOD_ACLM;
  options.tolerance = 1e-12;
  options.max_iterations = iterations;
  options.max_time = 30;
  options.fixed_point = fixed_point;
  options.progress = write_down;
  options.progress_user = record;
  TRY(asp_solver_create(context, &options, &solver));
  AspError error = asp_solver_solve(solver, problem, r, u, NULL, info);
  asp_solver_destroy(solver);
  *slip = 0;
  for (int i = 0; i < problem->blocks; i++)
    *slip = hypot(*slip, hypot(u[3 * i + 1], u[3 * i + 2]));
  return error;
}

/* Outer iterations until the infeasibility is 1e-10 of max(1, ||s||); the smallest one reached, so measured. */
static int iterations_needed(const Record *record, double slip, double *smallest) {
  int needed = 0;
  *smallest = INFINITY;
  for (int k = 0; k < record->count; k++) {
    *smallest = fmin(*smallest, record->infeasibility[k] / fmax(1, slip));
    if (needed == 0 && *smallest <= 1e-10)
      needed = k + 1;
  }
  return needed;
}

/* ---- rows ---- */

static AspError particle_rows(AspContext *context, ReproduceReport *report) {
  static const double v[3] = {-2, 3, 1}, first[] = {1.7298221281347037, 0.34596442562694074, 0.06919288512538735};
  AspContactProblem problem;
  AspSolverInfo info;
  Record record;
  double r[3] = {0}, slip;
  TRY(asp_problem_create(context, 3, 1, 3, 0, 0, 0, 3, &problem));
  problem.offset[1] = 3;
  problem.law[0] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.5};
  for (int j = 0; j < 3; j++) {
    problem.W.start[j + 1] = j + 1;
    problem.W.row[j] = j;
    problem.W.value[j] = 1;
    problem.q[j] = v[j];
  }
  AspError error = solve(context, &problem, true, 0, r, &record, &info, &slip);
  asp_problem_destroy(context, &problem);
  TRY(error);
  char text[96];
  for (int k = 0; k < 3 && k < record.count; k++) {
    snprintf(text, sizeof text, "one particle, fixed point from s = 0: infeasibility %d", k + 1);
    reproduce_row(report, text, NAN, first[k], record.infeasibility[k], 1e-7,
                  "G(s) = (|v_T| + mu v_N + mu^2 s)/(1 + mu^2)");
  }
  reproduce_row(report, "one particle: s at the solution", NAN, 2.1622776601683795, slip, 1e-9, "|v_T| + mu v_N");
  return ASP_OK;
}

static void sequence_rows(ReproduceReport *report, const Record *record, const char *what) {
  static const double printed[] = {1.1e3, 4.8e-3, 1.7e-10};
  char text[128];
  for (int k = 0; k < record->count; k++) {
    snprintf(text, sizeof text, "infeasibility, %s, outer iteration %d", what, k + 1);
    reproduce_figure(report, text, k < 3 ? printed[k] : NAN, record->infeasibility[k],
                     "the paper's data are not known; random data of its size");
  }
}

/* One drawn problem: cold, then warm with f moved by 1 %; the fixed point beside it for the first one. */
static AspError problem_rows(AspContext *context, ReproduceReport *report, int seed, AspContactProblem *problem,
                             double *r) {
  Record record;
  AspSolverInfo info;
  char text[96], note[160];
  uint64_t noise = (uint64_t)seed;
  for (int warm = 0; warm < 2; warm++) {
    double slip, smallest, size = 0, length = 0, move[FREEDOMS];
    for (int j = 0; j < FREEDOMS && warm; j++) {
      move[j] = draw_normal(&noise);
      size = hypot(size, problem->f[j]);
      length = hypot(length, move[j]);
    }
    for (int j = 0; j < FREEDOMS && warm; j++)
      problem->f[j] += 0.01 * size / length * move[j];
    TRY(solve(context, problem, false, 16, r, &record, &info, &slip));
    int needed = iterations_needed(&record, slip, &smallest);
    if (seed == 1)
      sequence_rows(report, &record, warm ? "Newton, warm" : "Newton, cold");
    snprintf(text, sizeof text, "smallest relative infeasibility, seed %d, %s", seed, warm ? "warm" : "cold");
    snprintf(note, sizeof note, "1e-10 after %d outer iterations; %s", needed, info.path);
    reproduce_row(report, text, NAN, 0, smallest, 1e-10, note);
  }
  if (seed == 1) {
    double slip, smallest;
    memset(r, 0, 3 * CONTACTS * sizeof *r);
    TRY(solve(context, problem, true, 20, r, &record, &info, &slip));
    iterations_needed(&record, slip, &smallest);
    reproduce_figure(report, "relative infeasibility of the plain fixed point after 20 programs", NAN, smallest,
                     "beside Newton on the same problem");
  }
  return ASP_OK;
}

AspError reproduce_acary(AspContext *context, ReproduceReport *report) {
  TRY(particle_rows(context, report));
  for (int seed = 1; seed <= SEEDS; seed++) {
    AspContactProblem problem;
    double r[3 * CONTACTS] = {0};
    TRY(draw_problem(context, (uint64_t)seed, &problem));
    AspError error = problem_rows(context, report, seed, &problem, r);
    asp_problem_destroy(context, &problem);
    TRY(error);
  }
  return ASP_OK;
}
