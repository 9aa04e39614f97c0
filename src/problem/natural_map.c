/* The natural map of each law, and how far a reaction leaves its law's set: see natural_map.h. */
#include "problem/natural_map.h"

#include "problem/cone.h"
#include "problem/tuning/problem.h"

/* shift: mu ||u_T||, none for the relaxation. Returns the size of F. */
static inline double cone_map(double mu, int d, double rho, const double *r, const double *u, double shift,
                              bool relaxed, double *F) {
  double shifted[3] = {0}, projected[3];
  shifted[0] = r[0] - rho * (u[0] + shift);
  for (int k = 1; k <= d; k++)
    shifted[k] = r[k] - rho * u[k];
  asp_cone_project(d, mu, shifted, projected);
  for (int k = 0; k <= d; k++)
    F[k] = r[k] - projected[k];
  double tangential = asp_cone_tangential_norm(d, F), size = asp_cone_hypotenuse(F[0], tangential);
  // with a large mu the map sees an approach u_N < 0 only as u_N / sqrt(1 + mu^2)
  double normal = asp_smaller(rho * u[0], r[0]) / NATURAL_MAP_STEEPEST;
  if (relaxed || !(fabs(normal) > size))
    return size;
  F[0] = normal;
  return asp_cone_hypotenuse(normal, tangential);
}

static void coulomb_cone(const AspLaw *law, int rows, double rho, const double *r, const double *u, bool relaxed,
                         double *F) {
  int d = rows - 1;
  cone_map(law->mu, d, rho, r, u, relaxed ? 0 : law->mu * asp_cone_tangential_norm(d, u), relaxed, F);
}

void asp_exact_cone_map_sizes(double mu, const double rho[3], const double *r, const double *u, double size[3]) {
  double shift = mu * asp_cone_tangential_norm(2, u), F[3];
  for (int k = 0; k < 3; k++)
    size[k] = cone_map(mu, 2, rho[k], r, u, shift, false, F);
}

static void coulomb_polygon(const AspLaw *law, double rho, const double *r, const double *u, double *F) {
  AspPolygon polygon = asp_polygon_of_law(law);
  double t[2] = {r[1] - rho * u[1], r[2] - rho * u[2]};
  asp_polygon_project(&polygon, r[0] > 0 ? law->mu * r[0] : 0, t, t);
  F[0] = asp_smaller(rho * u[0], r[0]);
  F[1] = r[1] - t[0];
  F[2] = r[2] - t[1];
}

static bool is_polygon(const AspLaw *law, int rows) {
  return rows == 3 && (law->cone == ASP_CONE_INSCRIBED || law->cone == ASP_CONE_CIRCUMSCRIBED);
}

void asp_natural_map(const AspLaw *law, int rows, double rho, const double *r, const double *u, bool exact, double *F) {
  switch (law->kind) {
  case ASP_LAW_UNILATERAL:
  case ASP_LAW_BOX:
    F[0] = asp_natural_map_of_row(law, rho, r[0], u[0]);
    return;
  case ASP_LAW_COULOMB:
    if (is_polygon(law, rows) && !exact)
      coulomb_polygon(law, rho, r, u, F);
    else
      coulomb_cone(law, rows, rho, r, u, law->cone == ASP_CONE_RELAXED && !exact, F);
    return;
  case ASP_LAW_SLIDING:
    F[0] = asp_smaller(rho * u[0], r[0]);
    for (int k = 1; k < rows; k++)
      F[k] = r[k] + law->mu * r[0] * law->direction[k - 1];
    return;
  case ASP_LAW_BALL:
    for (int k = 0; k < rows; k++)
      F[k] = r[k] - rho * u[k];
    asp_ball_project(rows, law->limit, F, F);
    for (int k = 0; k < rows; k++)
      F[k] = r[k] - F[k];
    return;
  case ASP_LAW_EQUALITY:
  case ASP_LAW_COUNT:
    for (int k = 0; k < rows; k++)
      F[k] = rho * u[k];
    return;
  }
}

static double coulomb_excess(const AspLaw *law, int rows, const double *r) {
  if (!is_polygon(law, rows))
    return asp_cone_tangential_norm(rows - 1, r) - law->mu * r[0];
  AspPolygon polygon = asp_polygon_of_law(law);
  return asp_polygon_excess(&polygon, law->mu * r[0], r + 1);
}

static double sliding_excess(const AspLaw *law, int rows, const double *r) {
  double off[3] = {0};
  for (int k = 1; k < rows; k++)
    off[k] = r[k] + law->mu * r[0] * law->direction[k - 1];
  return asp_cone_tangential_norm(rows - 1, off);
}

double asp_law_excess(const AspLaw *law, int rows, const double *r) {
  double excess = 0;
  if (law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_BALL)
    excess = asp_ball_length(rows, r) - law->limit;
  else if (law->kind == ASP_LAW_COULOMB)
    excess = fmax(coulomb_excess(law, rows, r), -r[0]);
  else if (law->kind == ASP_LAW_SLIDING)
    excess = fmax(sliding_excess(law, rows, r), -r[0]);
  else if (law->kind == ASP_LAW_UNILATERAL)
    excess = -r[0];
  return excess > 0 ? excess : 0;
}
