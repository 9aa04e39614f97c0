/* Acary, Cadoux, Lemarechal, Malick 2008, "An algorithm for Coulomb's frictional contact": the infeasibility
 *
 *   ||G(s) - s||     s: shift of every contact, G(s): slip speeds of the cone program with this shift
 *
 * at each outer iteration of Newton on s, beside the plain fixed point, on random problems of the paper's size (200
 * degrees of freedom, 150 contacts in space, mu <= 2), and on hyperstatic clusters. The paper does not give its data;
 * the generator of reproduce_acary_problems.h is published so that others can draw the same. The single particle has a
 * closed form. */
#include "asperity/asperity.h"
#include "reproduce.h"
#include "reproduce_acary_problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SEEDS           20
#define RECORDED        64
#define ITERATIONS_COLD 16
#define ITERATIONS_WARM 6
#define FIXED_POINT     20 /* programs of the plain fixed point */
#define SHARP           2e-12
#define CLUSTER         1e-8 /* tolerance of the clusters */

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
static AspError solve(AspContext *context, const AspContactProblem *problem, double tolerance, bool fixed_point,
                      int iterations, double *r, Record *record, AspSolverInfo *info, double *slip) {
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver;
  double u[3 * ACARY_CONTACTS];
  *record = (Record){0};
  options.method = ASP_METHOD_ACLM;
  options.tolerance = tolerance;
  options.ask_E1 = true;
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
  AspError error = solve(context, &problem, SHARP, true, 0, r, &record, &info, &slip);
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

/* "0.068, 0.056, 1.2e-05, 9.3e-12" */
static void describe(const Record *record, int size, char *text) {
  int at = 0;
  text[0] = '\0';
  for (int k = 0; k < record->count && at < size - 16; k++)
    at += snprintf(text + at, (size_t)(size - at), "%s%.1e", k ? ", " : "", record->infeasibility[k]);
}

/* Newton on s, cold or warm; the sequence of infeasibilities in the note. The paper prints 1.1e3, 4.8e-3, 1.7e-10 for
 * data that are not known; these are random data of its size. */
static AspError newton_row(AspContext *context, ReproduceReport *report, int seed, bool warm,
                           const AspContactProblem *problem, double *r) {
  Record record;
  AspSolverInfo info;
  double slip, smallest;
  char text[96], sequence[256], note[512];
  int limit = warm ? ITERATIONS_WARM : ITERATIONS_COLD;
  TRY(solve(context, problem, SHARP, false, limit, r, &record, &info, &slip));
  int needed = iterations_needed(&record, slip, &smallest);
  describe(&record, sizeof sequence, sequence);
  snprintf(text, sizeof text, "relative infeasibility within %d outer iterations, seed %d, %s", limit, seed,
           warm ? "warm" : "cold");
  snprintf(note, sizeof note, "1e-10 after %d: %s; %s%s", needed, sequence, info.path,
           seed == 1 ? "; printed for the paper's own data, which are not known: 1.1e3, 4.8e-3, 1.7e-10" : "");
  reproduce_row(report, text, NAN, 0, smallest, 1e-10, note);
  return ASP_OK;
}

/* One drawn problem: cold, then warm with f moved by 1 %; the fixed point beside it for the first one. */
static AspError problem_rows(AspContext *context, ReproduceReport *report, int seed, AspContactProblem *problem) {
  double r[3 * ACARY_CONTACTS] = {0};
  TRY(newton_row(context, report, seed, false, problem, r));
  acary_move_load(problem, (uint64_t)seed, 0.01);
  TRY(newton_row(context, report, seed, true, problem, r));
  if (seed == 1) {
    Record record;
    AspSolverInfo info;
    double slip, smallest;
    memset(r, 0, sizeof r);
    TRY(solve(context, problem, SHARP, true, FIXED_POINT, r, &record, &info, &slip));
    iterations_needed(&record, slip, &smallest);
    char note[96];
    snprintf(note, sizeof note, "relative infeasibility %.2g; Newton on the same problem: below 1e-10", smallest);
    reproduce_row(report, "the plain fixed point is above 1e-4 after 20 programs (1: yes)", NAN, 1, smallest > 1e-4, 0,
                  note);
  }
  return ASP_OK;
}

static AspError cluster_row(AspContext *context, ReproduceReport *report, int seed, const AspContactProblem *problem) {
  double r[3 * ACARY_CONTACTS] = {0}, slip;
  Record record;
  AspSolverInfo info;
  char text[96], note[256];
  TRY(solve(context, problem, CLUSTER, false, 0, r, &record, &info, &slip));
  snprintf(text, sizeof text, "E1 of hyperstatic cluster %d (33 bodies, 150 contacts)", seed);
  snprintf(note, sizeof note, "%s: %s", asp_status_name(info.status), info.path);
  reproduce_row(report, text, NAN, 0, info.status == ASP_STATUS_SOLVED ? info.residual.E1 : NAN, CLUSTER, note);
  return ASP_OK;
}

AspError reproduce_acary(AspContext *context, ReproduceReport *report) {
  AspContactProblem problem;
  TRY(particle_rows(context, report));
  for (int seed = 1; seed <= SEEDS; seed++) {
    TRY(acary_draw_dense(context, (uint64_t)seed, &problem));
    AspError error = problem_rows(context, report, seed, &problem);
    asp_problem_destroy(context, &problem);
    TRY(error);
  }
  for (int seed = 1; seed <= SEEDS; seed++) {
    TRY(acary_draw_cluster(context, (uint64_t)seed, &problem));
    AspError error = cluster_row(context, report, seed, &problem);
    asp_problem_destroy(context, &problem);
    TRY(error);
  }
  return ASP_OK;
}
