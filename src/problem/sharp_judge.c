/* The judge in twice the precision: ||F(rho)|| and ||q|| for r, with bounds on what is still rounded.
 *
 *   b = H r + f,   x from M x = b by refinement with the factors in double,   u = H^T x + w,   F of every block
 *
 * The last error e = b - M x bounds that of x through M^-1 as in rounding.h. Polygons are evaluated in double from u
 * rounded once, since their edges are cosines in double. For where double does not decide: it costs some twenty times
 * as much. Depends on rounding.h and double_double.h.
 */
#include "base/double_double.h"
#include "problem/judge_state.h"
#include "problem/natural_map.h"

#include <math.h>

typedef struct Sharp {
  AspJudge *judge;
  AspTwice *b, *x;    /* dofs */
  AspTwice *u;        /* rows */
  double *correction; /* dofs: scratch */
} Sharp;

/* ---- u ---- */

/* b = f + H r and the bound on its error, into e */
static void push(Sharp *sharp, const double *r) {
  AspJudge *judge = sharp->judge;
  const AspContactProblem *p = judge->problem;
  AspRounding *rounding = &judge->rounding;
  for (int k = 0; k < p->dofs; k++) {
    sharp->b[k] = asp_twice(p->f[k]);
    rounding->size[k] = fabs(p->f[k]);
    rounding->terms[k] = 1;
  }
  for (int j = 0; j < p->rows; j++)
    for (int k = p->H.start[j]; r && r[j] != 0 && k < p->H.start[j + 1]; k++) {
      int i = p->H.row[k];
      sharp->b[i] = asp_twice_accumulate(sharp->b[i], p->H.value[k], r[j]);
      rounding->size[i] += fabs(p->H.value[k] * r[j]);
      rounding->terms[i]++;
    }
}

/* correction := b - M x rounded to double; where `size` is wanted, |M| |x| is added to it. */
static void find_error(Sharp *sharp, AspTwice *error, double *size) {
  const AspSparse *M = &sharp->judge->problem->M;
  memcpy(error, sharp->b, (size_t)M->columns * sizeof *error);
  for (int j = 0; j < M->columns; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++) {
      AspTwice product = asp_twice_scale(sharp->x[j], -M->value[k]);
      error[M->row[k]] = asp_twice_add(error[M->row[k]], product);
      if (size)
        size[M->row[k]] += fabs(product.hi);
    }
  for (int k = 0; k < M->columns; k++)
    sharp->correction[k] = error[k].hi;
}

/* x, and the bound on its error into `away`; false: not bounded. */
static AspError solve(Sharp *sharp, bool *bounded) {
  AspJudge *judge = sharp->judge;
  AspRounding *rounding = &judge->rounding;
  int dofs = judge->problem->dofs;
  AspTwice *error = ASP_TAKE_UNCLEARED(&judge->arena, AspTwice, dofs);
  if (!error)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < dofs; k++) {
    sharp->x[k] = asp_twice(0);
    sharp->correction[k] = sharp->b[k].hi;
  }
  for (int round = 0; round <= SHARP_REFINEMENTS; round++) {
    if (round > 0)
      find_error(sharp, error, NULL);
    ASP_TRY(asp_mass_solve(&judge->mass, sharp->correction));
    for (int k = 0; k < dofs; k++)
      sharp->x[k] = asp_twice_add(sharp->x[k], asp_twice(sharp->correction[k]));
  }
  find_error(sharp, error, rounding->size);
  for (int k = 0; k < dofs; k++)
    rounding->e[k] = fabs(error[k].hi) * (1 + asp_roundings(1)) +
                     ASP_TWICE_ROUNDING * (rounding->terms[k] + dofs) * rounding->size[k];
  *bounded = asp_rounding_inverse(judge, rounding->e, rounding->away);
  return ASP_OK;
}

/* u = H^T x + w and du; returns the norm of u */
static double find_rows(Sharp *sharp) {
  const AspContactProblem *p = sharp->judge->problem;
  const AspRounding *rounding = &sharp->judge->rounding;
  double square = 0;
  for (int j = 0; j < p->rows; j++) {
    AspTwice sum = asp_twice(p->w[j]);
    double size = fabs(p->w[j]), away = 0;
    for (int k = p->H.start[j]; k < p->H.start[j + 1]; k++) {
      AspTwice product = asp_twice_scale(sharp->x[p->H.row[k]], p->H.value[k]);
      sum = asp_twice_add(sum, product);
      size += fabs(product.hi);
      away += fabs(p->H.value[k]) * rounding->away[p->H.row[k]];
    }
    int terms = p->H.start[j + 1] - p->H.start[j] + 1;
    sharp->u[j] = sum;
    rounding->du[j] = (away + ASP_TWICE_ROUNDING * 2 * terms * size) * (1 + asp_roundings(terms));
    square += sum.hi * sum.hi;
  }
  return sqrt(square);
}

static double find_local_rows(Sharp *sharp, const double *r) {
  const AspContactProblem *p = sharp->judge->problem;
  double *du = sharp->judge->rounding.du;
  double square = 0;
  for (int j = 0; j < p->rows; j++) {
    sharp->u[j] = asp_twice(p->q[j]);
    du[j] = fabs(p->q[j]);
  }
  for (int j = 0; j < p->rows; j++)
    for (int k = p->W.start[j]; k < p->W.start[j + 1]; k++) {
      int i = p->W.row[k];
      sharp->u[i] = asp_twice_accumulate(sharp->u[i], p->W.value[k], r[j]);
      du[i] += fabs(p->W.value[k] * r[j]);
    }
  for (int j = 0; j < p->rows; j++) {
    du[j] *= ASP_TWICE_ROUNDING * 2 * (sharp->judge->rounding.longest + 1);
    square += sharp->u[j].hi * sharp->u[j].hi;
  }
  return sqrt(square);
}

static double norm_of(int n, const double *x) {
  double square = 0;
  for (int i = 0; i < n; i++)
    square += x[i] * x[i];
  return sqrt(square);
}

/* ---- natural maps ---- */

static AspTwice smaller(AspTwice a, AspTwice b) { return asp_twice_subtract(a, b).hi < 0 ? a : b; }

static AspTwice hypotenuse(AspTwice a, AspTwice b) {
  return asp_twice_root(asp_twice_add(asp_twice_multiply(a, a), asp_twice_multiply(b, b)));
}

/* P_K, as asp_cone_project does it */
static void project(int d, double mu, const AspTwice *x, AspTwice *y) {
  AspTwice t = d == 2 ? hypotenuse(x[1], x[2]) : hypotenuse(x[1], asp_twice(0));
  memcpy(y, x, (size_t)(d + 1) * sizeof *y);
  if (asp_twice_subtract(t, asp_twice_scale(x[0], mu)).hi <= 0)
    return;
  AspTwice root = hypotenuse(asp_twice(1), asp_twice(mu));
  AspTwice c = asp_twice_divide(asp_twice(1), root), s = asp_twice_divide(asp_twice(mu), root);
  AspTwice along = asp_twice_add(asp_twice_multiply(s, t), asp_twice_multiply(c, x[0]));
  bool tip = !(along.hi > 0);
  AspTwice scale = tip ? asp_twice(0) : asp_twice_divide(asp_twice_multiply(s, along), t);
  y[0] = tip ? asp_twice(0) : asp_twice_multiply(c, along);
  for (int k = 1; k <= d; k++)
    y[k] = asp_twice_multiply(scale, x[k]);
}

static double cone_map(const AspLaw *law, int d, double rho, const double *r, const AspTwice *u, AspTwice *F) {
  AspTwice shifted[3], projected[3];
  AspTwice slip = d == 2 ? hypotenuse(u[1], u[2]) : hypotenuse(u[1], asp_twice(0));
  bool relaxed = law->cone == ASP_CONE_RELAXED;
  for (int k = 0; k <= d; k++) {
    AspTwice speed = k == 0 && !relaxed ? asp_twice_add(u[0], asp_twice_scale(slip, law->mu)) : u[k];
    shifted[k] = asp_twice_subtract(asp_twice(r[k]), asp_twice_scale(speed, rho));
  }
  project(d, law->mu, shifted, projected);
  double square = 0;
  for (int k = 0; k <= d; k++) {
    F[k] = asp_twice_subtract(asp_twice(r[k]), projected[k]);
    square += F[k].hi * F[k].hi;
  }
  double normal = smaller(asp_twice_scale(u[0], rho), asp_twice(r[0])).hi / NATURAL_MAP_STEEPEST;
  if (relaxed || !(normal * normal > square))
    return square;
  return square - F[0].hi * F[0].hi + normal * normal;
}

static double ball_map(const AspLaw *law, int rows, double rho, const double *r, const AspTwice *u) {
  AspTwice shifted[3], length = asp_twice(0);
  double square = 0;
  for (int k = 0; k < rows; k++) {
    shifted[k] = asp_twice_subtract(asp_twice(r[k]), asp_twice_scale(u[k], rho));
    length = hypotenuse(length, shifted[k]);
  }
  bool inside = asp_twice_subtract(length, asp_twice(law->limit)).hi <= 0;
  AspTwice factor = inside ? asp_twice(1) : asp_twice_divide(asp_twice(law->limit), length);
  for (int k = 0; k < rows; k++) {
    AspTwice off = inside ? asp_twice_scale(u[k], rho)
                          : asp_twice_subtract(asp_twice(r[k]), asp_twice_multiply(factor, shifted[k]));
    square += off.hi * off.hi;
  }
  return square;
}

/* The square of the size of a block's map; infinite for polygons, which are not evaluated here. */
static double block_map(const AspLaw *law, int rows, double rho, const double *r, const AspTwice *u) {
  AspTwice F[3];
  double square = 0, value;
  if (law->kind == ASP_LAW_COULOMB)
    return cone_map(law, rows - 1, rho, r, u, F);
  if (law->kind == ASP_LAW_BALL)
    return ball_map(law, rows, rho, r, u);
  for (int k = 0; k < rows; k++) {
    AspTwice speed = asp_twice_scale(u[k], rho);
    if (law->kind == ASP_LAW_EQUALITY)
      value = speed.hi;
    else if (law->kind == ASP_LAW_BOX) {
      AspTwice shifted = asp_twice_subtract(asp_twice(r[k]), speed);
      value = fabs(shifted.hi) <= law->limit ? speed.hi : r[k] - (shifted.hi > 0 ? law->limit : -law->limit);
    } else if (k == 0)
      value = smaller(speed, asp_twice(r[0])).hi;
    else // SLIDING
      value =
          asp_twice_add(asp_twice(r[k]), asp_twice_scale(asp_twice_product(law->mu, r[0]), law->direction[k - 1])).hi;
    square += value * value;
  }
  return square;
}

static bool is_polygon(const AspLaw *law, int rows) {
  return law->kind == ASP_LAW_COULOMB && rows == 3 &&
         (law->cone == ASP_CONE_INSCRIBED || law->cone == ASP_CONE_CIRCUMSCRIBED);
}

/* Sizes of all maps and of their errors. */
static void find_maps(Sharp *sharp, const double *r, AspSharp *result) {
  AspJudge *judge = sharp->judge;
  const AspContactProblem *p = judge->problem;
  double *du = judge->rounding.du, *u = judge->u, map = 0, error = 0;
  for (int i = 0; i < p->blocks; i++) {
    int j = p->offset[i], rows = p->offset[i + 1] - j;
    const AspLaw *law = &p->law[i];
    bool polygon = is_polygon(law, rows);
    for (int k = j; k < j + rows; k++) {
      u[k] = sharp->u[k].hi;
      du[k] += polygon ? ASP_UNIT_ROUNDOFF * fabs(u[k]) : 0;
    }
    if (polygon) {
      asp_natural_map(law, rows, judge->rho, r + j, u + j, false, judge->F);
      map += norm_of(rows, judge->F) * norm_of(rows, judge->F);
    } else {
      map += block_map(law, rows, judge->rho, r + j, sharp->u + j);
    }
    double away = asp_rounding_of_map(law, rows, judge->rho, r + j, u + j, du + j,
                                      ROUNDING_MAP * (polygon ? ASP_UNIT_ROUNDOFF : ASP_TWICE_ROUNDING));
    error += away * away;
  }
  result->map = sqrt(map);
  result->map_error = sqrt(error) * (1 + asp_roundings(p->rows));
}

AspError asp_judge_sharp(AspJudge *judge, const double *r, AspSharp *result) {
  const AspContactProblem *p = judge->problem;
  AspArenaMark mark = asp_arena_mark(&judge->arena);
  Sharp sharp = {.judge = judge,
                 .b = ASP_TAKE_UNCLEARED(&judge->arena, AspTwice, p->dofs),
                 .x = ASP_TAKE_UNCLEARED(&judge->arena, AspTwice, p->dofs),
                 .u = ASP_TAKE_UNCLEARED(&judge->arena, AspTwice, p->rows),
                 .correction = ASP_TAKE_UNCLEARED(&judge->arena, double, p->dofs)};
  if (!sharp.b || !sharp.x || !sharp.u || !sharp.correction)
    return ASP_ERROR_MEMORY;
  bool bounded = true;
  *result = (AspSharp){.norm_q = judge->norm_q};
  if (p->dofs > 0) {
    push(&sharp, NULL);
    ASP_TRY(solve(&sharp, &bounded));
    result->norm_q = find_rows(&sharp);
    result->norm_q_error = bounded ? norm_of(p->rows, judge->rounding.du) : INFINITY;
    push(&sharp, r);
    ASP_TRY(solve(&sharp, &bounded));
    find_rows(&sharp);
  } else {
    find_local_rows(&sharp, r);
  }
  find_maps(&sharp, r, result);
  if (!bounded)
    result->map_error = INFINITY;
  asp_arena_rewind(&judge->arena, mark);
  return ASP_OK;
}
