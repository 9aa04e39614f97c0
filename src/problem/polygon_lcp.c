/* Contact problem -> LCP. With the local form u = W r + q, r = G z_r + (r_e on EQUALITY rows) and the velocities
 * u_r = L^T u that belong to the reaction variables z_r = (p_n, beta_u, beta_b):
 *
 *   F = [ L'WG  L'W_e...  E ]     mixed: r_e kept as free variables with the rows W_e: r + q_e = 0
 *       [ U - E'         0 ]      standard: W replaced by W - W_:e W_ee^+ W_e:, q by q - W_:e W_ee^+ q_e
 *
 * which is Trinkle's F with A11 written out, z = (p_n, beta_u, beta_b, sigma_u, sigma_b) (docs/theory/trinkle.md,
 * "Standard form"). Friction directions are the vertices of the polygon: inscribed on the unit circle, circumscribed at
 * 1 / cos(pi / n). BOX is a friction law with two directions and a constant limit; a friction law that allows no force
 * (mu = 0, limit = 0) has no variables. Source: Trinkle, Formulation of multibody dynamics as complementarity problems,
 * 2003, eq. 36 to 39.
 */
#include "problem/polygon_lcp.h"
#include "base/elementary.h"

#include "problem/cone.h"
#include "problem/tuning/problem.h"

#include <math.h>

int asp_polygon_direction_count(const AspLaw *law, int dimension) { return dimension == 2 ? 2 : law->directions; }

void asp_polygon_directions(const AspLaw *law, int dimension, double *direction) {
  if (dimension == 2) {
    const double both[4] = {1, 0, -1, 0};
    memcpy(direction, both, sizeof both);
    return;
  }
  int n = law->directions;
  bool paired = n % 2 == 0, outside = law->cone == ASP_CONE_CIRCUMSCRIBED;
  double radius = outside ? 1 / asp_cos(ASP_PI / n) : 1;
  for (int j = 0; j < (paired ? n / 2 : n); j++) {
    double angle = law->angle + 2 * ASP_PI * (j + (outside ? 0.5 : 0)) / n;
    double t1 = radius * asp_cos(angle), t2 = radius * asp_sin(angle);
    // a quarter turn is exact, so that axes of symmetry stay uncoupled
    t1 = fabs(t1) < POLYGON_LCP_ROUNDING ? 0 : t1;
    t2 = fabs(t2) < POLYGON_LCP_ROUNDING ? 0 : t2;
    double *at = direction + (paired ? 4 * j : 2 * j);
    at[0] = t1;
    at[1] = t2;
    if (paired) {
      at[2] = -t1;
      at[3] = -t2;
    }
  }
}

bool asp_polygon_has_normal(const AspLaw *law) {
  return law->kind == ASP_LAW_UNILATERAL || law->kind == ASP_LAW_COULOMB || law->kind == ASP_LAW_SLIDING;
}

/* Number of friction directions that get a variable. */
static int direction_count(const AspContactProblem *problem, int block) {
  const AspLaw *law = &problem->law[block];
  if (law->kind == ASP_LAW_BOX)
    return law->limit > 0 ? 2 : 0;
  return law->kind == ASP_LAW_COULOMB && law->mu > 0 ? asp_polygon_direction_count(law, problem->dimension) : 0;
}

bool asp_polygon_has_exact_cone(const AspContactProblem *problem, int *block) {
  for (int i = 0; i < problem->blocks; i++) {
    const AspLaw *law = &problem->law[i];
    bool round = law->cone == ASP_CONE_RELAXED || (problem->dimension == 3 && law->cone == ASP_CONE_EXACT);
    if ((law->kind == ASP_LAW_COULOMB && law->mu > 0 && round) || (law->kind == ASP_LAW_BALL && law->limit > 0)) {
      *block = i;
      return true;
    }
  }
  return false;
}

static AspError take_arrays(AspArena *arena, const AspContactProblem *problem, PolygonLcp *polygon) {
  for (int i = 0; i < problem->blocks; i++) {
    int directions = direction_count(problem, i);
    polygon->reactions += directions + (asp_polygon_has_normal(&problem->law[i]) ? 1 : 0);
    polygon->speeds += directions > 0;
  }
  polygon->reaction = ASP_TAKE(arena, PolygonVariable, polygon->reactions);
  polygon->speed = ASP_TAKE(arena, PolygonSpeed, polygon->speeds);
  return polygon->reaction && polygon->speed ? ASP_OK : ASP_ERROR_MEMORY;
}

PolygonVariable asp_polygon_normal(const AspContactProblem *problem, int block) {
  const AspLaw *law = &problem->law[block];
  int row = problem->offset[block], tangents = problem->offset[block + 1] - row - 1;
  PolygonVariable variable = {.row = row, .count = 1, .force = {1}, .velocity = {1}};
  if (law->kind == ASP_LAW_SLIDING) {
    variable.count = 1 + tangents;
    for (int t = 0; t < tangents; t++)
      variable.force[1 + t] = -law->mu * law->direction[t];
  }
  return variable;
}

/* The directions and the speed of one block's friction; speed and reactions are appended. */
static AspError add_friction(AspArena *arena, const AspContactProblem *problem, int block, int normal,
                             PolygonLcp *polygon, int *reaction, int *speed) {
  const AspLaw *law = &problem->law[block];
  int count = direction_count(problem, block), row = problem->offset[block];
  if (count == 0)
    return ASP_OK;
  double *direction = ASP_TAKE(arena, double, 2 * count);
  if (!direction)
    return ASP_ERROR_MEMORY;
  bool box = law->kind == ASP_LAW_BOX;
  if (box)
    asp_polygon_directions(law, 2, direction);
  else
    asp_polygon_directions(law, problem->dimension, direction);
  polygon->speed[(*speed)++] = (PolygonSpeed){
      .first = *reaction, .count = count, .normal = normal, .mu = box ? 0 : law->mu, .limit = box ? law->limit : 0};
  for (int j = 0; j < count; j++) {
    PolygonVariable *variable = &polygon->reaction[(*reaction)++];
    variable->row = box ? row : row + 1;
    variable->count = box ? 1 : problem->dimension - 1;
    for (int t = 0; t < variable->count; t++)
      variable->force[t] = variable->velocity[t] = direction[2 * j + t];
  }
  return ASP_OK;
}

/* Normals, then directions of contacts, then those of BOX rows, each in the order of the blocks. */
static AspError lay_out(AspArena *arena, const AspContactProblem *problem, PolygonLcp *polygon) {
  ASP_TRY(take_arrays(arena, problem, polygon));
  int *normal = ASP_TAKE(arena, int, problem->blocks);
  if (!normal)
    return ASP_ERROR_MEMORY;
  int reaction = 0, speed = 0;
  for (int i = 0; i < problem->blocks; i++) {
    normal[i] = -1;
    if (asp_polygon_has_normal(&problem->law[i])) {
      normal[i] = reaction;
      polygon->reaction[reaction++] = asp_polygon_normal(problem, i);
    }
  }
  for (int box = 0; box < 2; box++)
    for (int i = 0; i < problem->blocks; i++)
      if ((problem->law[i].kind == ASP_LAW_BOX) == (box == 1))
        ASP_TRY(add_friction(arena, problem, i, normal[i], polygon, &reaction, &speed));
  return ASP_OK;
}

/* L^T column into the reaction rows of `to`; r_e rows before them when mixed */
static void project_rows(const PolygonLcp *polygon, const double *column, double *to) {
  int first = polygon->lcp.free;
  for (int i = 0; i < first; i++)
    to[i] = column[polygon->equalities.row[i]];
  for (int k = 0; k < polygon->reactions; k++) {
    const PolygonVariable *variable = &polygon->reaction[k];
    double sum = 0;
    for (int t = 0; t < variable->count; t++)
      sum += variable->velocity[t] * column[variable->row + t];
    to[first + k] = sum;
  }
}

/* Columns of r_e and of the reaction variables: L^T W G; W less its eliminated part when standard. scratch: rows +
 * equalities */
static void fill_reaction_columns(int rows, const double *W, PolygonLcp *polygon, double *scratch) {
  size_t n = (size_t)polygon->lcp.n;
  const AspElimination *equalities = &polygon->equalities;
  int first = polygon->lcp.free, e = equalities->count;
  double *column = scratch, *part = scratch + rows;
  for (int i = 0; i < first; i++)
    project_rows(polygon, W + (size_t)equalities->row[i] * (size_t)rows, polygon->lcp.M + (size_t)i * n);
  for (int k = 0; k < polygon->reactions; k++) {
    const PolygonVariable *variable = &polygon->reaction[k];
    memset(scratch, 0, (size_t)(rows + e) * sizeof *scratch);
    for (int t = 0; t < variable->count; t++) {
      double factor = variable->force[t];
      size_t at = (size_t)(variable->row + t);
      for (int i = 0; i < rows && factor != 0; i++)
        column[i] += factor * W[at * (size_t)rows + (size_t)i];
      for (int i = 0; i < e && equalities->part && factor != 0; i++)
        part[i] += factor * asp_elimination_part(equalities, variable->row + t)[i];
    }
    if (equalities->part)
      asp_elimination_subtract(equalities, W, part, column);
    project_rows(polygon, column, polygon->lcp.M + (size_t)(first + k) * n);
  }
}

static void fill_vector(int rows, const double *W, const double *q, PolygonLcp *polygon, double *scratch) {
  const AspElimination *equalities = &polygon->equalities;
  memcpy(scratch, q, (size_t)rows * sizeof *scratch);
  if (equalities->part)
    asp_elimination_subtract(equalities, W, asp_elimination_part(equalities, rows), scratch);
  project_rows(polygon, scratch, polygon->lcp.q);
}

/* E in the rows of the directions; U and -E^T in the rows of the speeds; limits in q */
static void fill_speeds(PolygonLcp *polygon) {
  size_t n = (size_t)polygon->lcp.n;
  double *M = polygon->lcp.M;
  for (int s = 0; s < polygon->speeds; s++) {
    const PolygonSpeed *speed = &polygon->speed[s];
    size_t at = (size_t)(polygon->lcp.free + polygon->reactions + s);
    for (int j = 0; j < speed->count; j++) {
      size_t beta = (size_t)(polygon->lcp.free + speed->first + j);
      M[at * n + beta] = 1;
      M[beta * n + at] = -1;
    }
    if (speed->normal >= 0)
      M[(size_t)(polygon->lcp.free + speed->normal) * n + at] = speed->mu;
    polygon->lcp.q[at] = speed->limit;
  }
}

AspError asp_polygon_lcp_assemble(AspArena *arena, const AspContactProblem *problem, const double *W, const double *q,
                                  bool standard, PolygonLcp *polygon) {
  memset(polygon, 0, sizeof *polygon);
  polygon->standard = standard;
  int exact = 0;
  if (asp_polygon_has_exact_cone(problem, &exact))
    return asp_fail(arena->context, ASP_ERROR_UNSUPPORTED,
                    "block %d: an exact friction cone in 3D is no LCP; choose an inscribed or circumscribed polygon",
                    exact);
  ASP_TRY(lay_out(arena, problem, polygon));
  int rows = problem->rows;
  ASP_TRY(asp_find_equalities(arena, problem, &polygon->equalities));
  if (standard)
    ASP_TRY(asp_eliminate_equalities(arena, W, q, &polygon->equalities));
  AspMixedLcp *lcp = &polygon->lcp;
  lcp->free = standard ? 0 : polygon->equalities.count;
  lcp->n = lcp->free + polygon->reactions + polygon->speeds;
  lcp->M = ASP_TAKE(arena, double, (size_t)lcp->n *(size_t)lcp->n);
  lcp->q = ASP_TAKE(arena, double, lcp->n);
  double *scratch = ASP_TAKE(arena, double, rows + polygon->equalities.count);
  if (!lcp->M || !lcp->q || !scratch)
    return ASP_ERROR_MEMORY;
  fill_reaction_columns(rows, W, polygon, scratch);
  fill_vector(rows, W, q, polygon, scratch);
  fill_speeds(polygon);
  return ASP_OK;
}

void asp_polygon_lcp_reactions(const AspContactProblem *problem, const PolygonLcp *polygon, const double *z,
                               double *r) {
  int first = polygon->lcp.free;
  memset(r, 0, (size_t)problem->rows * sizeof *r);
  for (int i = 0; i < first; i++)
    r[polygon->equalities.row[i]] = z[i];
  for (int k = 0; k < polygon->reactions; k++) {
    const PolygonVariable *variable = &polygon->reaction[k];
    for (int t = 0; t < variable->count; t++)
      r[variable->row + t] += z[first + k] * variable->force[t];
  }
  asp_elimination_reactions(&polygon->equalities, r);
}

AspError asp_mixed_lcp_copy(AspContext *context, const AspMixedLcp *from, AspMixedLcp *out) {
  size_t n = (size_t)from->n;
  ASP_TRY(asp_mixed_lcp_create(context, from->n, from->free, out));
  memcpy(out->M, from->M, n * n * sizeof *out->M);
  memcpy(out->q, from->q, n * sizeof *out->q);
  return ASP_OK;
}

double *asp_polygon_dense(AspArena *arena, const AspContactProblem *problem) {
  size_t rows = (size_t)problem->rows;
  double *W = ASP_TAKE(arena, double, rows *rows);
  for (size_t j = 0; j < rows && W; j++)
    for (int k = problem->W.start[j]; k < problem->W.start[j + 1]; k++)
      W[j * rows + (size_t)problem->W.row[k]] = problem->W.value[k];
  return W;
}

AspError asp_problem_polygon_lcp(AspContext *context, const AspContactProblem *problem, bool standard,
                                 AspMixedLcp *out) {
  memset(out, 0, sizeof *out);
  ASP_TRY(asp_problem_validate(context, problem));
  if (problem->W.columns != problem->rows)
    return asp_fail(context, ASP_ERROR_ARGUMENT,
                    "polygon LCP: the problem has no local form; asp_problem_reduce makes it");
  AspError error = ASP_OK;
  AspArena arena;
  PolygonLcp polygon;
  asp_arena_init(&arena, context);
  double *W = asp_polygon_dense(&arena, problem);
  if (!W) {
    error = ASP_ERROR_MEMORY;
    goto done;
  }
  ASP_CHECK(asp_polygon_lcp_assemble(&arena, problem, W, problem->q, standard, &polygon));
  error = asp_mixed_lcp_copy(context, &polygon.lcp, out);
done:
  asp_arena_free(&arena);
  return error;
}
