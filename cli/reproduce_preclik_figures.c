/* The figures of Preclik and Ruede 2011 as SVG files: solution spaces (Figs. 1 to 5), reactions over time (Fig. 6),
 * convergence of the integrals (Fig. 7), m A over phi and over mu (Fig. 8), and the approach to the paradox. */
#include "plot.h"
#include "preclik_rod.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 401

static AspError written(ReproduceReport *report, const char *path, bool right) {
  if (!right)
    return reproduce_unwritable(report, path);
  reproduce_figure(report, "figure", NAN, NAN, path);
  return ASP_OK;
}

/* ---- solution spaces ---- */

typedef struct Space {
  double W[4], q[2], mu;
  bool sliding; /* acceleration level: the slip is known, to the left */
} Space;

/* A straight piece of a law's curve: r = a + s d for s in [0, length], where the velocity row obeys sign * u >= 0. */
static void law_ray(Plot *plot, const PlotPen *pen, const Space *space, const double d[2], int row, int sign,
                    double length) {
  double x[SAMPLES], y[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    double s = length * i / (SAMPLES - 1), n = s * d[0], t = s * d[1];
    double u = space->q[row] + space->W[2 * row] * n + space->W[2 * row + 1] * t;
    bool on = sign == 0 || sign * u >= 0;
    x[i] = on ? n : NAN;
    y[i] = on ? t : NAN;
  }
  plot_line(plot, pen, x, y, SAMPLES);
}

/* Where row's velocity vanishes, restricted to |t| <= mu n or to n >= 0. */
static void zero_line(Plot *plot, const PlotPen *pen, const Space *space, int row, bool in_cone,
                      const double range[2]) {
  double x[SAMPLES], y[SAMPLES], wn = space->W[2 * row], wt = space->W[2 * row + 1];
  for (int i = 0; i < SAMPLES; i++) {
    double t = range[0] + (range[1] - range[0]) * i / (SAMPLES - 1), n = -(space->q[row] + wt * t) / wn;
    if (fabs(wt) > fabs(wn)) {
      n = range[0] + (range[1] - range[0]) * i / (SAMPLES - 1);
      t = -(space->q[row] + wn * n) / wt;
    }
    bool on = n >= 0 && (!in_cone || fabs(t) <= space->mu * n);
    x[i] = on ? n : NAN;
    y[i] = on ? t : NAN;
  }
  plot_line(plot, pen, x, y, SAMPLES);
}

/* Level lines of r.W r / 2 + q.r: what the contact adds to the energy. */
static void isolines(Plot *plot, const Space *space, double size) {
  double det = space->W[0] * space->W[3] - space->W[1] * space->W[2];
  double c[2] = {-(space->W[3] * space->q[0] - space->W[1] * space->q[1]) / det,
                 -(space->W[0] * space->q[1] - space->W[2] * space->q[0]) / det};
  for (int k = 1; k <= 8; k++) {
    double x[SAMPLES], y[SAMPLES], level = size * size * k * k / 32;
    for (int i = 0; i < SAMPLES; i++) {
      double a = 2 * PI * i / (SAMPLES - 1), e[2] = {cos(a), sin(a)};
      double form = space->W[0] * e[0] * e[0] + 2 * space->W[1] * e[0] * e[1] + space->W[3] * e[1] * e[1];
      double s = sqrt(2 * level / form);
      x[i] = c[0] + s * e[0];
      y[i] = c[1] + s * e[1];
    }
    plot_line(plot, &(PlotPen){"#cccccc", k == 1 ? "energy isolines" : NULL, 0.8, false}, x, y, SAMPLES);
  }
}

static void draw_space(Plot *plot, const Space *space, const AspAnalysis *analysis, double size) {
  const PlotPen normal = {"#0072b2", "non-penetration", 2, false}, more = {"#0072b2", NULL, 2, false};
  const PlotPen friction = {"#d55e00", "friction", 2, true}, others = {"#d55e00", NULL, 2, true};
  const double range[2] = {-4 * size, 4 * size};
  isolines(plot, space, size);
  // normal: r_n = 0 where u_n >= 0 (both ways along t), u_n = 0 where r_n >= 0
  law_ray(plot, &normal, space, (double[]){0, 1}, 0, 1, 4 * size);
  law_ray(plot, &more, space, (double[]){0, -1}, 0, 1, 4 * size);
  zero_line(plot, &more, space, 0, false, range);
  // friction: the rays where it slides, u_t = 0 between them
  law_ray(plot, &friction, space, (double[]){1, space->mu}, 1, space->sliding ? 0 : -1, 4 * size);
  if (!space->sliding) {
    law_ray(plot, &others, space, (double[]){1, -space->mu}, 1, 1, 4 * size);
    zero_line(plot, &others, space, 1, true, range);
  }
  for (int i = 0; i < analysis->count; i++)
    plot_point(plot, &(PlotPen){"#000000", i ? NULL : "solutions", 0, false}, analysis->solution[i].r[0],
               analysis->solution[i].r[1]);
}

static AspError space_figure(AspContext *context, ReproduceReport *report, const char *folder, const char *name,
                             const char *title, double torque, AspProblemLevel level, double size) {
  Rod rod = rod_of_paper(torque);
  AspContactProblem problem;
  AspAnalysis analysis;
  char path[512];
  TRY(rod_problem(context, &rod, level, 0.01, &problem));
  AspError error = asp_analyze(context, &problem, NULL, &analysis);
  if (error == ASP_OK) {
    Space space = {.W = {problem.W.value[0], problem.W.value[2], problem.W.value[1], problem.W.value[3]},
                   .q = {problem.q[0], problem.q[1]},
                   .mu = rod.mu,
                   .sliding = level == ASP_PROBLEM_ACCELERATION};
    Plot plot;
    PlotFrame frame = {
        title, "normal reaction", "tangential reaction", {-0.25 * size, size}, {-0.25 * size, 1.5 * size}, false,
        false};
    snprintf(path, sizeof path, "%s/preclik-%s.svg", folder, name);
    if (plot_open(&plot, path, &frame))
      draw_space(&plot, &space, &analysis, size);
    error = written(report, path, plot_close(&plot));
    asp_analysis_destroy(context, &analysis);
  }
  asp_problem_destroy(context, &problem);
  return error;
}

/* ---- reactions over time ---- */

static AspError follow_reaction(AspContext *context, double alpha, double until, double *t, double *n, double *f) {
  Rod rod = rod_of_paper(0);
  AspModel *model = NULL;
  AspCompliant *compliant = NULL;
  AspCompliantOptions options = asp_compliant_default_options();
  options.stiffness = options.damping = options.slip_damping = alpha;
  options.frozen = true;
  TRY(rod_model(context, &rod, &model));
  AspError error = asp_compliant_create(context, model, &options, &compliant);
  for (int i = 0; i < SAMPLES && error == ASP_OK; i++) {
    bool stopped;
    t[i] = until * (i + 1) / SAMPLES;
    error = asp_compliant_advance(compliant, t[i], false, &stopped);
    if (error == ASP_OK && asp_compliant_contact_count(compliant) == 1) {
      const AspCompliantContact *contacts = asp_compliant_contacts(compliant);
      n[i] = contacts[0].force[0];
      f[i] = contacts[0].force[1];
    }
  }
  asp_compliant_destroy(compliant);
  asp_model_destroy(model);
  return error;
}

static AspError reaction_figure(AspContext *context, ReproduceReport *report, const char *folder, double alpha,
                                double until) {
  double t[SAMPLES], n[SAMPLES] = {0}, f[SAMPLES] = {0}, most = 0;
  char path[512], title[96];
  TRY(follow_reaction(context, alpha, until, t, n, f));
  for (int i = 0; i < SAMPLES; i++)
    most = fmax(most, fmax(n[i], f[i]));
  Plot plot;
  snprintf(path, sizeof path, "%s/preclik-reaction-%g.svg", folder, alpha);
  snprintf(title, sizeof title, "Reaction of compliant contact, k = c = c_T = %g", alpha);
  PlotFrame frame = {title, "time, s", "force, N", {0, until}, {0, 1.05 * most}, false, false};
  if (plot_open(&plot, path, &frame)) {
    plot_line(&plot, &(PlotPen){"#0072b2", "normal", 0, false}, t, n, SAMPLES);
    plot_line(&plot, &(PlotPen){"#d55e00", "tangential", 0, true}, t, f, SAMPLES);
  }
  return written(report, path, plot_close(&plot));
}

/* ---- convergence of the integrals ---- */

static AspError convergence_figure(AspContext *context, ReproduceReport *report, const char *folder) {
  enum { COUNT = 13 };
  double alpha[COUNT], n[COUNT], t[COUNT], level[2][2] = {{3 * sqrt(3) / 16, 3 * sqrt(3) / 16}, {7.0 / 16, 7.0 / 16}};
  Rod rod = rod_of_paper(0);
  for (int i = 0; i < COUNT; i++) {
    double result[3];
    alpha[i] = pow(10, 2 + 0.5 * i);
    TRY(preclik_compliant(context, &rod, alpha[i], true, true, 2, result));
    n[i] = result[0];
    t[i] = result[1];
  }
  Plot plot;
  char path[512];
  double ends[2] = {1e2, 1e8},
         step[2][2] = {{0.33288452641916, 0.33288452641916}, {0.44074759526419, 0.44074759526419}};
  PlotFrame frame = {"Integrals of the compliant reaction", "alpha, N/m", "N s", {1e2, 1e8}, {0.3, 0.52}, true, false};
  snprintf(path, sizeof path, "%s/preclik-convergence.svg", folder);
  if (plot_open(&plot, path, &frame)) {
    plot_line(&plot, &(PlotPen){"#0072b2", "normal", 0, false}, alpha, n, COUNT);
    plot_line(&plot, &(PlotPen){"#d55e00", "tangential", 0, false}, alpha, t, COUNT);
    plot_line(&plot, &(PlotPen){"#000000", "impulse level", 1, false}, ends, level[0], 2);
    plot_line(&plot, &(PlotPen){"#000000", NULL, 1, false}, ends, level[1], 2);
    plot_line(&plot, &(PlotPen){"#999999", "step, dt = 0.01 s", 1, true}, ends, step[0], 2);
    plot_line(&plot, &(PlotPen){"#999999", NULL, 1, true}, ends, step[1], 2);
  }
  return written(report, path, plot_close(&plot));
}

/* ---- m A ---- */

static AspError A_figures(AspContext *context, ReproduceReport *report, const char *folder) {
  enum { COUNT = 91 };
  double x[COUNT], y[COUNT], zero[2] = {0, 0};
  char path[512];
  Plot plot;
  Rod rod = rod_of_paper(0);
  for (int i = 0; i < COUNT; i++) {
    x[i] = i == 0 ? 0.1 : i;
    rod.phi = x[i] * PI / 180;
    TRY(rod_A(context, &rod, &y[i]));
  }
  PlotFrame over_phi = {"m A of a slender rod, mu = 3/2", "phi, degrees", "m A", {0, 90}, {-1, 4.5}, false, false};
  snprintf(path, sizeof path, "%s/preclik-A-over-phi.svg", folder);
  if (plot_open(&plot, path, &over_phi)) {
    plot_line(&plot, &(PlotPen){"#0072b2", "m A", 0, false}, x, y, COUNT);
    plot_line(&plot, &(PlotPen){"#000000", NULL, 1, false}, (double[]){0, 90}, zero, 2);
  }
  TRY(written(report, path, plot_close(&plot)));
  for (int i = 0; i < COUNT; i++) {
    rod.mu = x[i] = 0.02 + 3 * i / (COUNT - 1.0);
    rod.phi = atan(1 / rod.mu + sqrt(1 / (rod.mu * rod.mu) + 1)); // where A is smallest
    TRY(rod_A(context, &rod, &y[i]));
  }
  PlotFrame over_mu = {"Smallest m A over phi of a slender rod", "mu", "m A", {0, 3}, {-2.5, 1.5}, false, false};
  snprintf(path, sizeof path, "%s/preclik-A-over-mu.svg", folder);
  if (plot_open(&plot, path, &over_mu)) {
    plot_line(&plot, &(PlotPen){"#0072b2", "m A at phi*(mu)", 0, false}, x, y, COUNT);
    plot_line(&plot, &(PlotPen){"#000000", NULL, 1, false}, (double[]){0, 3}, zero, 2);
  }
  return written(report, path, plot_close(&plot));
}

/* ---- the approach to the paradox ---- */

typedef struct Approach {
  int count;
  double left[4000], A[4000], b[4000], r[4000];
} Approach;

static void note_approach(void *user, const RodJam *at) {
  Approach *approach = user;
  if (approach->count == 4000)
    return;
  approach->left[approach->count] = at->t;
  approach->A[approach->count] = at->A;
  approach->b[approach->count] = -at->b;
  approach->r[approach->count++] = at->r_n;
}

static AspError approach_figure(AspContext *context, ReproduceReport *report, const char *folder) {
  Approach *approach = calloc(1, sizeof *approach);
  RodJam end;
  char path[512];
  if (!approach)
    return ASP_ERROR_MEMORY;
  AspError error = preclik_jam(context, 2, 1e-9, note_approach, approach, &end);
  if (error == ASP_OK) {
    for (int i = 0; i < approach->count; i++)
      approach->left[i] = end.t - approach->left[i];
    Plot plot;
    PlotFrame frame = {"A rod slides into the paradox (mu = 5/3, l = 2)",
                       "time left to A = 0, s",
                       "",
                       {1e-8, 1},
                       {1e-8, 1e4},
                       true,
                       true};
    snprintf(path, sizeof path, "%s/preclik-approach.svg", folder);
    if (plot_open(&plot, path, &frame)) {
      plot_line(&plot, &(PlotPen){"#0072b2", "A, 1/kg", 0, false}, approach->left, approach->A, approach->count - 1);
      plot_line(&plot, &(PlotPen){"#009e73", "-b, m/s^2", 0, true}, approach->left, approach->b, approach->count - 1);
      plot_line(&plot, &(PlotPen){"#d55e00", "r_n, N", 0, false}, approach->left, approach->r, approach->count - 1);
    }
    error = written(report, path, plot_close(&plot));
  }
  free(approach);
  return error;
}

AspError preclik_figures(AspContext *context, ReproduceReport *report, const char *folder) {
  const double tau = -5.0 / 3;
  TRY(space_figure(context, report, folder, "accelerations-none", "Accelerations, tau = 0: no solution", 0,
                   ASP_PROBLEM_ACCELERATION, 8));
  TRY(space_figure(context, report, folder, "accelerations-two", "Accelerations, tau = -5/3: two solutions", tau,
                   ASP_PROBLEM_ACCELERATION, 10));
  TRY(space_figure(context, report, folder, "impulse", "Impulse: two solutions", 0, ASP_PROBLEM_IMPULSE, 0.5));
  TRY(space_figure(context, report, folder, "step-one", "Step 0.01 s, tau = 0: one solution", 0, ASP_PROBLEM_STEP,
                   0.5));
  TRY(space_figure(context, report, folder, "step-three", "Step 0.01 s, tau = -5/3: three solutions", tau,
                   ASP_PROBLEM_STEP, 0.5));
  TRY(reaction_figure(context, report, folder, 1e2, 0.25));
  TRY(reaction_figure(context, report, folder, 1e4, 0.018));
  TRY(convergence_figure(context, report, folder));
  TRY(A_figures(context, report, folder));
  return approach_figure(context, report, folder);
}
