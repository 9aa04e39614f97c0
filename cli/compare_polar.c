/* Friction by direction: the largest force that one contact resists, over mu times its normal force, as a polar plot.
 * A particle of mass 1 is pressed on a plane by 1 and pulled by a in the direction phi; it sticks for a up to the
 * limit, which bisection finds by solving the contact problem (exact cone: auto; polygons: lemke).
 */
#include "compare.h"
#include "constants.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIRECTIONS 720
#define BISECTIONS 34
#define RADIUS     150.0 /* of the unit circle in the picture */
#define CENTRE_X   260.0
#define CENTRE_Y   285.0
#define WIDTH      720
#define HEIGHT     530

typedef struct Curve {
  AspConeKind cone;
  const char *colour, *dash, *label;
} Curve;

static const Curve curves[] = {{ASP_CONE_INSCRIBED, "#c2410c", "", "inscribed polygon"},
                               {ASP_CONE_CIRCUMSCRIBED, "#0369a1", "", "circumscribed polygon"},
                               {ASP_CONE_EXACT, "#15803d", "6 4", "exact cone"}};
#define CURVE_COUNT ((int)(sizeof curves / sizeof *curves))

/* Does the particle stay when pulled by a times the limit of the exact cone? Sets *sticks. */
static AspError pull(AspSolver *solver, AspContactProblem *problem, double phi, double a, bool *sticks) {
  double r[3] = {0}, u[3];
  AspSolverInfo info;
  problem->q[0] = -1;
  problem->q[1] = a * cos(phi);
  problem->q[2] = a * sin(phi);
  AspError error = asp_solver_solve(solver, problem, r, u, NULL, &info);
  *sticks = error == ASP_OK && info.status == ASP_STATUS_SOLVED && hypot(u[1], u[2]) < 1e-9;
  return error;
}

static AspError find_limit(AspSolver *solver, AspContactProblem *problem, double phi, double *limit) {
  double low = 0.3, high = 2.5;
  for (int i = 0; i < BISECTIONS; i++) {
    bool sticks;
    double middle = 0.5 * (low + high);
    AspError error = pull(solver, problem, phi, middle, &sticks);
    if (error != ASP_OK)
      return error;
    *(sticks ? &low : &high) = middle;
  }
  *limit = low;
  return ASP_OK;
}

/* W = 1, mu = 1 */
static AspError make_problem(AspContext *context, const AspRunOptions *options, AspConeKind cone,
                             AspContactProblem *problem) {
  AspError error = asp_problem_create(context, 3, 1, 3, 0, 0, 0, 3, problem);
  if (error != ASP_OK)
    return error;
  problem->offset[1] = 3;
  problem->law[0] = (AspLaw){
      .kind = ASP_LAW_COULOMB, .mu = 1, .cone = cone, .directions = options->directions, .angle = options->angle};
  if (cone == ASP_CONE_CIRCUMSCRIBED)
    problem->law[0].directions += options->directions % 2;
  for (int i = 0; i < 3; i++) {
    problem->W.start[i + 1] = i + 1;
    problem->W.row[i] = i;
    problem->W.value[i] = 1;
  }
  return ASP_OK;
}

static AspError find_curve(AspContext *context, const AspRunOptions *options, AspConeKind cone, double *limit) {
  AspContactProblem problem;
  AspSolver *solver = NULL;
  AspSolverOptions solver_options = asp_solver_default_options();
  solver_options.tolerance = 1e-12;
  AspError error = make_problem(context, options, cone, &problem);
  if (error != ASP_OK)
    return error;
  error = asp_solver_create(context, &solver_options, &solver);
  for (int i = 0; i < DIRECTIONS && error == ASP_OK; i++)
    error = find_limit(solver, &problem, 2 * PI * i / DIRECTIONS, &limit[i]);
  asp_solver_destroy(solver);
  asp_problem_destroy(context, &problem);
  return error;
}

/* ---- the picture ---- */

static void draw_grid(FILE *file, const AspRunOptions *options) {
  fprintf(
      file,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
      "<text x=\"24\" y=\"30\" font-size=\"17\" fill=\"#111111\">Largest friction force by direction, over mu times "
      "the normal force</text>\n",
      WIDTH, HEIGHT);
  for (int i = 1; i <= 3; i++) {
    double ring = 0.5 * i;
    fprintf(file,
            "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"none\" stroke=\"#d4d4d4\"/>\n"
            "<text x=\"%g\" y=\"%g\" fill=\"#737373\" font-size=\"11\">%g</text>\n",
            CENTRE_X, CENTRE_Y, ring * RADIUS, CENTRE_X + 3, CENTRE_Y - ring * RADIUS - 3, ring);
  }
  for (int i = 0; i < 8; i++) {
    double angle = PI * i / 4, reach = 1.5 * RADIUS;
    fprintf(file, "<line x1=\"%g\" y1=\"%g\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#e5e5e5\"/>\n", CENTRE_X, CENTRE_Y,
            CENTRE_X + reach * cos(angle), CENTRE_Y - reach * sin(angle));
  }
  fprintf(file, "<text x=\"500\" y=\"400\" fill=\"#525252\">%d directions</text>\n", options->directions);
}

static void draw_curve(FILE *file, const Curve *curve, const double *limit, int place) {
  double least = limit[0], most = limit[0];
  fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"", curve->colour,
          curve->dash);
  for (int i = 0; i < DIRECTIONS; i++) {
    double angle = 2 * PI * i / DIRECTIONS;
    fprintf(file, "%c%.2f %.2f", i ? 'L' : 'M', CENTRE_X + RADIUS * limit[i] * cos(angle),
            CENTRE_Y - RADIUS * limit[i] * sin(angle));
    least = fmin(least, limit[i]);
    most = fmax(most, limit[i]);
  }
  double y = 120 + 60.0 * place;
  fprintf(file,
          "Z\"/>\n<line x1=\"500\" y1=\"%g\" x2=\"530\" y2=\"%g\" stroke=\"%s\" stroke-width=\"3\" "
          "stroke-dasharray=\"%s\"/>\n<text x=\"538\" y=\"%g\" fill=\"#111111\">%s</text>\n"
          "<text x=\"538\" y=\"%g\" fill=\"#525252\">%.4f to %.4f</text>\n",
          y, y, curve->colour, curve->dash, y + 4, curve->label, y + 22, least, most);
}

static AspError draw(FILE *file, AspContext *context, const AspRunOptions *options) {
  draw_grid(file, options);
  for (int i = 0; i < CURVE_COUNT; i++) {
    double limit[DIRECTIONS];
    AspError error = find_curve(context, options, curves[i].cone, limit);
    if (error != ASP_OK)
      return error;
    draw_curve(file, &curves[i], limit, i);
  }
  fputs("</svg>\n", file);
  return ASP_OK;
}

int compare_write_polar(const Session *session, const AspRunOptions *options, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    return session_fail(session, exit_code_of_system(errno), "polar plot %s: %s", path, strerror(errno));
  AspError error = draw(file, session->context, options);
  errno = 0;
  bool failed = ferror(file) != 0;
  failed = fclose(file) != 0 || failed;
  if (error != ASP_OK)
    return session_fail_error(session, error);
  return failed ? session_fail(session, EXIT_FAILED, "polar plot %s: %s", path, errno ? strerror(errno) : "write error")
                : EXIT_DONE;
}
