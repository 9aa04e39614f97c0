/* Preclik and Ruede 2011, "Solution existence and non-uniqueness of Coulomb friction": the rod at acceleration, impulse
 * and step level (sections 2 to 4), and when the paradox occurs (appendix). All numbers come from the library's own
 * contact problems and their enumeration. */
#include "preclik_rod.h"

#include "asperity/solver.h"

#include <math.h>
#include <stdio.h>

#define TAU (-5.0 / 3)

/* ---- when A < 0 ---- */

static AspError A_at(AspContext *context, double phi, double mu, double *A) {
  Rod rod = rod_of_paper(0);
  rod.phi = phi;
  rod.mu = mu;
  return rod_A(context, &rod, A);
}

/* Smallest A over phi, by golden section. */
static AspError smallest_A(AspContext *context, double mu, double *phi, double *A) {
  const double golden = 0.5 * (sqrt(5) - 1);
  double low = 0.2, high = 1.5, a, b;
  for (int k = 0; k < 60; k++) {
    double left = high - golden * (high - low), right = low + golden * (high - low);
    TRY(A_at(context, left, mu, &a));
    TRY(A_at(context, right, mu, &b));
    if (a < b)
      high = right;
    else
      low = left;
  }
  *phi = 0.5 * (low + high);
  return A_at(context, *phi, mu, A);
}

static AspError critical_friction(AspContext *context, double *mu, double *phi) {
  double low = 1, high = 2, A;
  *mu = 1.5;
  for (int k = 0; k < 50; k++) {
    TRY(smallest_A(context, *mu, phi, &A));
    if (A > 0)
      low = *mu;
    else
      high = *mu;
    *mu = 0.5 * (low + high);
  }
  return ASP_OK;
}

static AspError angle_of_zero(AspContext *context, double low, double high, double *phi) {
  double at_low, at_middle;
  TRY(A_at(context, low, 1.5, &at_low));
  for (int k = 0; k < 60; k++) {
    *phi = 0.5 * (low + high);
    TRY(A_at(context, *phi, 1.5, &at_middle));
    if ((at_middle > 0) == (at_low > 0))
      low = *phi;
    else
      high = *phi;
  }
  return ASP_OK;
}

static AspError appendix_rows(AspContext *context, ReproduceReport *report) {
  const double degree = 180 / PI, friction[] = {0.5, 1, 1.5, 2};
  double mu, phi, A;
  TRY(critical_friction(context, &mu, &phi));
  reproduce_row(report, "smallest critical friction", 4.0 / 3, 4.0 / 3, mu, 1e-12, "");
  reproduce_row(report, "its angle, degrees", 63.435, 63.43494882292201, phi * degree, 1e-5,
                "a flat minimum: found to 1e-6 degrees");
  TRY(A_at(context, PI / 3, 1.5, &A));
  reproduce_row(report, "A(pi/3, 3/2), 1/kg", NAN, -0.1985571585149868, A, 1e-12, "");
  TRY(angle_of_zero(context, 0.5, 1.1, &phi));
  reproduce_row(report, "A < 0 from, degrees (mu = 3/2)", NAN, 50.64159816052117, phi * degree, 1e-9, "");
  TRY(angle_of_zero(context, 1.1, 1.5, &phi));
  reproduce_row(report, "A < 0 to, degrees (mu = 3/2)", NAN, 73.04846936545862, phi * degree, 1e-9, "");
  for (int i = 0; i < 4; i++) {
    char name[64];
    TRY(smallest_A(context, friction[i], &phi, &A));
    snprintf(name, sizeof name, "smallest m A, mu = %g", friction[i]);
    reproduce_row(report, name, NAN, 2.5 - 1.5 * sqrt(1 + friction[i] * friction[i]), A, 1e-12,
                  "5/2 - 3/2 sqrt(1 + mu^2)");
  }
  return ASP_OK;
}

/* ---- solutions ---- */

typedef struct Expected {
  AspBlockMode mode;
  double printed[2], reference[2];
} Expected;

static void solution_rows(ReproduceReport *report, const char *what, const AspAnalysis *analysis,
                          const Expected *expected, int count, double tolerance) {
  char name[128], note[160];
  snprintf(name, sizeof name, "%s: number of solutions", what);
  snprintf(note, sizeof note, "%s", analysis->complete ? "complete: all modes decided" : "not complete");
  reproduce_row(report, name, count, count, analysis->complete ? analysis->count : NAN, 0, note);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) {
      double computed = NAN;
      for (int s = 0; s < analysis->count; s++)
        if (analysis->solution[s].mode[0] == expected[i].mode)
          computed = analysis->solution[s].r[k];
      snprintf(name, sizeof name, "%s: %s, %s", what, asp_block_mode_name(expected[i].mode), k ? "t" : "n");
      reproduce_row(report, name, expected[i].printed[k], expected[i].reference[k], computed, tolerance, "");
    }
}

static AspError level_rows(AspContext *context, ReproduceReport *report, const char *what, double torque,
                           AspProblemLevel level, double dt, const Expected *expected, int count) {
  Rod rod = rod_of_paper(torque);
  AspAnalysis analysis;
  TRY(rod_analysis(context, &rod, level, dt, &analysis));
  solution_rows(report, what, &analysis, expected, count, 1e-10);
  asp_analysis_destroy(context, &analysis);
  return ASP_OK;
}

static AspError solution_levels(AspContext *context, ReproduceReport *report) {
  const Expected none = {ASP_BLOCK_OPEN, {0, 0}, {0, 0}};
  const Expected two[] = {none, {ASP_BLOCK_SLIDE, {7.5545, 11.3317}, {7.554499728030612, 11.331749592045917}}};
  const Expected impulse[] = {none, {ASP_BLOCK_STICK, {0.3248, 0.4375}, {0.3247595264191645, 0.4375}}};
  const Expected one[] = {{ASP_BLOCK_STICK, {0.3329, 0.4407}, {0.3328845264191645, 0.44074759526419166}}};
  const Expected three[] = {none,
                            {ASP_BLOCK_SLIDE, {0.0755, 0.1133}, {0.07554499728030611, 0.11331749592045917}},
                            {ASP_BLOCK_STICK, {0.3266, 0.4516}, {0.3266345264191645, 0.45157291281149714}}};
  TRY(level_rows(context, report, "accelerations, tau = 0", 0, ASP_PROBLEM_ACCELERATION, 0.01, NULL, 0));
  TRY(level_rows(context, report, "accelerations, tau = -5/3", TAU, ASP_PROBLEM_ACCELERATION, 0.01, two, 2));
  TRY(level_rows(context, report, "impulse", 0, ASP_PROBLEM_IMPULSE, 0.01, impulse, 2));
  TRY(level_rows(context, report, "step 0.01 s, tau = 0", 0, ASP_PROBLEM_STEP, 0.01, one, 1));
  return level_rows(context, report, "step 0.01 s, tau = -5/3", TAU, ASP_PROBLEM_STEP, 0.01, three, 3);
}

static const AspSolution *sticking(const AspAnalysis *analysis) {
  for (int i = 0; i < analysis->count; i++)
    if (analysis->solution[i].mode[0] == ASP_BLOCK_STICK)
      return &analysis->solution[i];
  return NULL;
}

/* The stick solution of a step against the impulse, for shorter and shorter steps. */
static AspError convergence_rows(AspContext *context, ReproduceReport *report) {
  const double steps[] = {1e-2, 1e-3, 1e-4, 1e-5}, n = 3 * sqrt(3) / 16, t = 7.0 / 16;
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < 4; i++) {
      Rod rod = rod_of_paper(kind ? TAU : 0);
      AspAnalysis analysis;
      TRY(rod_analysis(context, &rod, ASP_PROBLEM_STEP, steps[i], &analysis));
      const AspSolution *stick = sticking(&analysis);
      double distance = stick ? hypot(stick->r[0] - n, stick->r[1] - t) / steps[i] : NAN;
      char name[96];
      snprintf(name, sizeof name, "distance to the impulse / dt, tau = %s, dt = %g", kind ? "-5/3" : "0", steps[i]);
      reproduce_row(report, name, NAN, kind ? sqrt(129) / 8 : 0.875, distance, 1e-9,
                    kind ? "sqrt(129)/8 = 1.42: first order" : "7/8: first order");
      asp_analysis_destroy(context, &analysis);
    }
  return ASP_OK;
}

/* Motion after the impulse, and what accelerations do from there. */
static AspError after_rows(AspContext *context, ReproduceReport *report) {
  Rod rod = rod_of_paper(0);
  AspAnalysis analysis;
  TRY(rod_analysis(context, &rod, ASP_PROBLEM_IMPULSE, 0.01, &analysis));
  const AspSolution *stick = sticking(&analysis);
  const double expected[] = {-0.5625, 0.3247595264191645, 0.6495190528383289};
  const char *const names[] = {"after the impulse: v_x, m/s", "after the impulse: v_y, m/s",
                               "after the impulse: angular velocity, rad/s"};
  Rod after = rod;
  for (int k = 0; k < 3; k++) {
    after.velocity[k] = stick ? stick->x[k] : NAN;
    reproduce_row(report, names[k], NAN, expected[k], after.velocity[k], 1e-10, "");
  }
  reproduce_row(report, "after the impulse: kinetic energy, J", NAN, 0.28125, stick ? stick->energy : NAN, 1e-12,
                "0.5 J where it opens");
  asp_analysis_destroy(context, &analysis);
  const Expected sticks[] = {{ASP_BLOCK_STICK, {NAN, NAN}, {0.44714553277843994, 0.1138220264191645}}};
  const Expected opens[] = {{ASP_BLOCK_OPEN, {NAN, NAN}, {0, 0}}};
  TRY(rod_analysis(context, &after, ASP_PROBLEM_ACCELERATION, 0.01, &analysis));
  solution_rows(report, "accelerations after the impulse, tau = 0", &analysis, sticks, 1, 1e-9);
  asp_analysis_destroy(context, &analysis);
  after.torque = TAU;
  TRY(rod_analysis(context, &after, ASP_PROBLEM_ACCELERATION, 0.01, &analysis));
  solution_rows(report, "accelerations after the impulse, tau = -5/3", &analysis, opens, 1, 1e-9);
  asp_analysis_destroy(context, &analysis);
  return ASP_OK;
}

/* Which solution a solver picks is its own affair: Lemke's method does not follow Painleve's principle. */
static AspError lemke_rows(AspContext *context, ReproduceReport *report) {
  Rod rod = rod_of_paper(TAU);
  AspContactProblem problem;
  AspMixedLcp mixed = {0};
  AspLcpInfo info;
  double z[4] = {NAN, NAN, NAN, NAN}; // p_n, beta along +t and -t, sigma
  TRY(rod_problem(context, &rod, ASP_PROBLEM_STEP, 0.01, &problem));
  AspError error = asp_problem_polygon_lcp(context, &problem, true, &mixed);
  if (error == ASP_OK && mixed.n == 4)
    error = asp_lcp_lemke(context, &(AspLcp){mixed.n, mixed.M, mixed.q}, NULL, z, NULL, &info);
  asp_mixed_lcp_destroy(context, &mixed);
  asp_problem_destroy(context, &problem);
  reproduce_row(report, "Lemke picks of three: n", NAN, 0.3266345264191644, z[0], 1e-9,
                "stick, though (0, 0) solves it too");
  reproduce_row(report, "Lemke picks of three: t", NAN, 0.45157291281149714, z[1] - z[2], 1e-9, "");
  return error;
}

AspError reproduce_preclik(AspContext *context, ReproduceReport *report) {
  TRY(appendix_rows(context, report));
  TRY(solution_levels(context, report));
  TRY(convergence_rows(context, report));
  TRY(after_rows(context, report));
  TRY(lemke_rows(context, report));
  TRY(preclik_compliance_rows(context, report));
  TRY(preclik_jam_rows(context, report));
  const char *folder = reproduce_folder(report);
  return folder ? preclik_figures(context, report, folder) : ASP_OK;
}
