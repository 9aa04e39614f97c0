/* Peiret, Koevecses, Font-Llagunes, "The discretized Coulomb friction model in a non-singular complementarity
 * formulation for multibody systems with contacts": rank with and without phantom inertia, forces that do not depend
 * on it, limits of the polygon, convergence to the exact cone, a table on hinged legs, and what the convex relaxation
 * does to a cube thrown flat. The paper prints no numbers of its own; the references are recomputed ones.
 */
#include "asperity/asperity.h"
#include "constants.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GRAVITY 9.81
#define MU      0.5
#define MASS    2.0

static AspLaw friction(AspConeKind cone, double mu, int directions) {
  return (AspLaw){.kind = ASP_LAW_COULOMB, .mu = mu, .cone = cone, .directions = directions};
}

static AspError solve(AspContext *context, const AspContactProblem *problem, double rho, double *r, double *u) {
  AspSolver *solver = NULL;
  AspSolverInfo info;
  AspSolverOptions options = asp_solver_default_options();
  options.tolerance = 1e-12;
  options.polish = true;
  options.rho = rho;
  TRY(asp_solver_create(context, &options, &solver));
  memset(r, 0, (size_t)problem->rows * sizeof *r);
  AspError error = asp_solver_solve(solver, problem, r, u, NULL, &info);
  asp_solver_destroy(solver);
  return error;
}

/* ---- one particle on a plane, pulled: W = 1/m ---- */

static AspError make_particle(AspContext *context, double mass, const AspLaw *law, double pull_x, double pull_y,
                              AspContactProblem *problem) {
  TRY(asp_problem_create(context, 3, 1, 3, 0, 0, 0, 3, problem));
  const double q[3] = {-GRAVITY, pull_x / mass, pull_y / mass};
  problem->offset[1] = 3;
  problem->law[0] = *law;
  for (int i = 0; i < 3; i++) {
    problem->W.start[i + 1] = i + 1;
    problem->W.row[i] = i;
    problem->W.value[i] = 1 / mass;
    problem->q[i] = q[i];
  }
  return ASP_OK;
}

static AspError add_rank(AspContext *context, ReproduceReport *report, double mass, int k, double rho, int expected) {
  AspContactProblem problem;
  AspMixedLcp lcp;
  AspPhantomInfo info = {0};
  AspPhantomOptions options = asp_phantom_default_options();
  const AspLaw law = friction(ASP_CONE_CIRCUMSCRIBED, MU, 2 * k);
  char text[96];
  options.rho = rho;
  TRY(make_particle(context, mass, &law, 0, 0, &problem));
  AspError error = asp_problem_phantom_lcp(context, &problem, &options, &lcp, &info);
  if (error == ASP_OK) {
    snprintf(text, sizeof text, "particle of %g kg, k = %d, rho = %g: rank of %d", mass, k, rho, info.size);
    reproduce_row(report, text, NAN, expected, info.rank, 0, "");
    if (rho > 0 && info.rank == info.size) {
      snprintf(text, sizeof text, "particle of %g kg, k = %d: singular rho", mass, k);
      reproduce_row(report, text, NAN, mass * k, info.rho_singular, 1e-9, "m k");
    }
    asp_mixed_lcp_destroy(context, &lcp);
  }
  asp_problem_destroy(context, &problem);
  return error;
}

static AspError add_ranks(AspContext *context, ReproduceReport *report) {
  for (int k = 2; k <= 8; k *= 2) {
    TRY(add_rank(context, report, MASS, k, 0, 3));
    TRY(add_rank(context, report, MASS, k, 1, 1 + 2 * k));
    TRY(add_rank(context, report, MASS, k, MASS * k, 2 * k - 1));
  }
  return add_rank(context, report, 1.7, 3, 1.7 * 3, 5);
}

/* Speed gained under a pull of `factor` times mu m g in the direction phi, over mu g. */
static AspError pull(AspContext *context, const AspLaw *law, double phi, double factor, double *gained) {
  AspContactProblem problem;
  double r[3], u[3] = {0}, force = factor * MU * MASS * GRAVITY;
  TRY(make_particle(context, MASS, law, force * cos(phi), force * sin(phi), &problem));
  AspError error = solve(context, &problem, -1, r, u);
  asp_problem_destroy(context, &problem);
  *gained = hypot(u[1], u[2]) / (MU * GRAVITY);
  return error;
}

static AspError stick_limit(AspContext *context, const AspLaw *law, double phi, double *limit) {
  double low = 0.1, high = 3;
  for (int i = 0; i < 44; i++) {
    double middle = 0.5 * (low + high), gained;
    TRY(pull(context, law, phi, middle, &gained));
    *(gained < 1e-13 ? &low : &high) = middle;
  }
  *limit = low;
  return ASP_OK;
}

static AspError add_limits(AspContext *context, ReproduceReport *report) {
  double gap[3];
  int level = 0;
  for (int k = 2; k <= 8; k *= 2) {
    const AspLaw outside = friction(ASP_CONE_CIRCUMSCRIBED, MU, 2 * k),
                 inside = friction(ASP_CONE_INSCRIBED, MU, 2 * k);
    double corner = PI / (2 * k), limit;
    char text[96];
    TRY(stick_limit(context, &outside, corner, &limit));
    snprintf(text, sizeof text, "k = %d: largest stick limit, circumscribed", k);
    reproduce_row(report, text, NAN, 1 / cos(corner), limit, 1e-9, "over mu m g");
    TRY(stick_limit(context, &inside, corner, &limit));
    snprintf(text, sizeof text, "k = %d: smallest stick limit, inscribed", k);
    reproduce_row(report, text, NAN, cos(corner), limit, 1e-9, "over mu m g");
    gap[level++] = 1 - limit;
  }
  reproduce_row(report, "one contact: order of convergence of the stick limit in k", NAN, 2, log2(gap[1] / gap[2]),
                0.05, "inscribed, k = 4 to 8");
  return ASP_OK;
}

/* Acceleration under 1.5 mu m g at pi/8 to a line, against values that are known. */
static AspError add_accelerations(AspContext *context, ReproduceReport *report) {
  static const struct {
    int k;
    double outside[2], inside[2];
  } known[] = {{2, {1.892443660452, 0}, {2.354018507039, 2.354018507039}},
               {4, {1.892443660452, 0.783875830186}, {2.610764279592, 1.081413972766}},
               {8, {2.265814553484, 0.938531117875}, {2.265814553484, 0.938531117875}}};
  double force = 1.5 * MU * MASS * GRAVITY;
  for (int i = 0; i < 3; i++)
    for (int inscribed = 0; inscribed < 2; inscribed++) {
      AspContactProblem problem;
      double r[3], u[3] = {0};
      char text[96];
      const AspLaw law = friction(inscribed ? ASP_CONE_INSCRIBED : ASP_CONE_CIRCUMSCRIBED, MU, 2 * known[i].k);
      const double *expected = inscribed ? known[i].inside : known[i].outside;
      TRY(make_particle(context, MASS, &law, force * cos(PI / 8), force * sin(PI / 8), &problem));
      AspError error = solve(context, &problem, -1, r, u);
      asp_problem_destroy(context, &problem);
      if (error != ASP_OK)
        return error;
      for (int t = 0; t < 2; t++) {
        snprintf(text, sizeof text, "k = %d, %s: acceleration %c under 1.5 mu m g", known[i].k,
                 inscribed ? "inscribed" : "circumscribed", t ? 'y' : 'x');
        reproduce_row(report, text, NAN, expected[t], u[1 + t], 1e-9, "m/s^2");
      }
    }
  return ASP_OK;
}

/* ---- contacts that are not redundant, drawn by seed ---- */

static double draw(uint64_t *state) { // in (-1, 1)
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

#define CONTACTS 6
#define ROWS     (3 * CONTACTS)
#define DOFS     (2 * ROWS)

/* W = H' H with a random dense H, twice as many dofs as rows: one solution for the mu used. */
static AspError make_dense(AspContext *context, uint64_t seed, AspConeKind cone, int directions,
                           AspContactProblem *problem) {
  double H[DOFS * ROWS];
  uint64_t state = 977 * seed + 1;
  TRY(asp_problem_create(context, 3, CONTACTS, ROWS, 0, 0, 0, ROWS * ROWS, problem));
  for (int i = 0; i < DOFS * ROWS; i++)
    H[i] = draw(&state) * sqrt(3.0 / DOFS);
  for (int i = 0; i < CONTACTS; i++) {
    problem->offset[i + 1] = 3 * (i + 1);
    problem->law[i] = friction(cone, 0.3 + 0.2 * draw(&state), directions);
  }
  for (int j = 0; j < ROWS; j++) {
    problem->q[j] = j % 3 ? draw(&state) : -1 + 0.5 * draw(&state);
    problem->W.start[j + 1] = (j + 1) * ROWS;
    for (int i = 0; i < ROWS; i++) {
      double sum = 0;
      for (int k = 0; k < DOFS; k++)
        sum += H[i * DOFS + k] * H[j * DOFS + k];
      problem->W.row[j * ROWS + i] = i;
      problem->W.value[j * ROWS + i] = sum;
    }
  }
  return ASP_OK;
}

static AspError solve_dense(AspContext *context, uint64_t seed, AspConeKind cone, int directions, double rho,
                            double *r) {
  AspContactProblem problem;
  double u[ROWS];
  TRY(make_dense(context, seed, cone, directions, &problem));
  AspError error = solve(context, &problem, rho, r, u);
  asp_problem_destroy(context, &problem);
  return error;
}

static double distance(const double *a, const double *b) {
  double sum = 0, size = 0;
  for (int i = 0; i < ROWS; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return sqrt(sum / size);
}

static AspError add_independence(AspContext *context, ReproduceReport *report) {
  static const double rho[] = {0.1, 1, 10, 100};
  for (int k = 2; k <= 8; k *= 2) {
    double worst = 0;
    char text[96];
    for (uint64_t seed = 1; seed <= 10; seed++) {
      double chosen[ROWS], r[ROWS];
      TRY(solve_dense(context, seed, ASP_CONE_CIRCUMSCRIBED, 2 * k, -1, chosen));
      for (int i = 0; i < 4; i++) {
        TRY(solve_dense(context, seed, ASP_CONE_CIRCUMSCRIBED, 2 * k, rho[i], r));
        worst = fmax(worst, distance(r, chosen));
      }
    }
    snprintf(text, sizeof text, "k = %d: forces for rho = 0.1 to 100, largest difference", k);
    reproduce_row(report, text, NAN, 0, worst, 1e-12, "10 problems of 6 contacts, relative");
  }
  return ASP_OK;
}

/* Mean error of both polygons against the exact cone, and the order in k: one, since the force of a sliding contact
 * snaps to a direction of the polygon, up to pi/2k away. */
static AspError add_convergence(AspContext *context, ReproduceReport *report) {
  static const struct {
    AspConeKind cone;
    const char *name;
  } kinds[] = {{ASP_CONE_CIRCUMSCRIBED, "circumscribed"}, {ASP_CONE_INSCRIBED, "inscribed"}};
  for (int c = 0; c < 2; c++) {
    double error[6] = {0};
    for (int level = 0; level < 6; level++)
      for (uint64_t seed = 1; seed <= 10; seed++) {
        double exact[ROWS], r[ROWS];
        TRY(solve_dense(context, seed, ASP_CONE_EXACT, 0, -1, exact));
        TRY(solve_dense(context, seed, kinds[c].cone, 4 << level, -1, r));
        error[level] += distance(r, exact) / 10;
      }
    char text[96], note[96];
    snprintf(text, sizeof text, "%s, 6 contacts: order of convergence to the exact cone in k", kinds[c].name);
    snprintf(note, sizeof note, "mean errors %.1e, %.1e, ... %.1e for k = 2, 4, ... 64", error[0], error[1], error[5]);
    reproduce_row(report, text, NAN, 1, log2(error[2] / error[5]) / 3, 0.2, note);
  }
  return ASP_OK;
}

AspError reproduce_peiret(AspContext *context, ReproduceReport *report) {
  TRY(add_ranks(context, report));
  TRY(add_independence(context, report));
  TRY(add_limits(context, report));
  TRY(add_accelerations(context, report));
  TRY(add_convergence(context, report));
  return reproduce_table(context, report);
}
