/* Bounds on the rounding of the judge: see rounding.h. */
#include "problem/rounding.h"

#include "base/parallel.h"
#include "linalg/small.h"
#include "problem/judge_state.h"
#include "problem/natural_map.h"

#include <math.h>

/* ---- components of M ---- */

static const AspSparse *mass_matrix(const AspJudge *judge) { return &judge->problem->M; }

/* The entry of M at a dof of the diagonal part of component c, l-th of its dofs. */
static double diagonal_entry(const AspMass *mass, int c, int l) {
  const AspMassRigid *rigid = &mass->rigid[c];
  if (rigid->inverse_mass > 0)
    return l < 3 ? rigid->mass : rigid->diagonal[l - 3];
  return mass->LU[mass->at[c]];
}

static AspDensePart dense_part(const AspMass *mass, int c) {
  int size = mass->components.start[c + 1] - mass->components.start[c];
  const AspMassRigid *rigid = &mass->rigid[c];
  if (size == 1 || (rigid->inverse_mass > 0 && rigid->diagonal[0] > 0))
    return (AspDensePart){0};
  return rigid->inverse_mass > 0 ? (AspDensePart){.first = 3, .count = 3} : (AspDensePart){.count = size};
}

/* Stored entries of the part, by columns. */
static void copy_entries(const AspMass *mass, const AspSparse *M, int c, const AspDensePart *part, double *A) {
  const int *member = mass->components.member + mass->components.start[c] + part->first;
  for (int l = 0; l < part->count; l++)
    for (int k = M->start[member[l]]; k < M->start[member[l] + 1]; k++) {
      int i = mass->place[M->row[k]] - part->first;
      if (i >= 0)
        A[i + l * part->count] = M->value[k];
    }
}

static void approximate_inverse(const AspMass *mass, int c, int n, double *Y) {
  const AspMassRigid *rigid = &mass->rigid[c];
  if (rigid->inverse_mass > 0) {
    const double *J = rigid->inverse_inertia;
    const double entries[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]};
    memcpy(Y, entries, sizeof entries);
    return;
  }
  for (int l = 0; l < n; l++) {
    Y[l + l * n] = 1;
    asp_small_lu_solve(n, mass->LU + mass->at[c], mass->pivot + mass->components.start[c], Y + l * n);
  }
}

/* Functions of a dense part are written out where its size n is a constant: 3, the inertia of a rigid body. */
#define WRITTEN_OUT static inline __attribute__((always_inline))

/* Weights of unknowns, so that bounds do not depend on the units of translation and rotation. */
WRITTEN_OUT void find_weights(int n, const double *A, double *weight) {
  for (int i = 0; i < n; i++) {
    double size = sqrt(fabs(A[i + i * n]));
    weight[i] = size > 0 && isfinite(size) ? size : 1;
  }
}

/* g / (1 - g) of A and Y */
WRITTEN_OUT double inverse_error(int n, const double *A, const double *Y, const double *weight) {
  double g = 0;
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < n; j++) {
      double sum = i == j ? -1 : 0, size = i == j ? 1 : 0;
      for (int k = 0; k < n; k++) {
        double product = Y[i + k * n] * A[k + j * n];
        sum += product;
        size += fabs(product);
      }
      row += (fabs(sum) + asp_roundings(n + 1) * size) * weight[i] / weight[j];
    }
    g = fmax(g, row);
  }
  g *= 1 + asp_roundings(2 * n + 6);
  return g < 0.5 ? g / (1 - g) * (1 + asp_roundings(2)) : INFINITY;
}

/* Relative error of h^T A^-1 h at most, as the judge computes it: (|Y| + |A^-1 - Y|) roundings over the least of it. */
WRITTEN_OUT double square_error(int n, const double *A, const double *Y, const double *weight, double more) {
  double a = 0, y = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double both = weight[i] * weight[j];
      a += fabs(A[i + j * n]) / both;
      y += fabs(Y[i + j * n]) * both;
    }
  return a * y * (more + asp_roundings(n * n));
}

/* Errors of part A, whose inverse is about Y; returns that of squares. */
WRITTEN_OUT double find_errors(int n, double *A, AspDensePart *part) {
  double *Y = A + n * n, *weight = Y + n * n;
  find_weights(n, A, weight);
  part->more = inverse_error(n, A, Y, weight);
  return square_error(n, A, Y, weight, part->more);
}

static AspError find_parts(AspJudge *judge) {
  AspRounding *rounding = &judge->rounding;
  const AspMass *mass = &judge->mass;
  int count = mass->components.count;
  size_t size = 0;
  rounding->part = ASP_TAKE_UNCLEARED(&judge->arena, AspDensePart, count);
  if (!rounding->part)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < count; c++) {
    rounding->part[c] = dense_part(mass, c);
    rounding->part[c].at = size;
    size += (size_t)(rounding->part[c].count * (2 * rounding->part[c].count + 1));
  }
  rounding->matrix = ASP_TAKE(&judge->arena, double, size);
  if (!rounding->matrix)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < count; c++) {
    AspDensePart *part = &rounding->part[c];
    if (part->count == 0)
      continue;
    double *A = rounding->matrix + part->at;
    copy_entries(mass, mass_matrix(judge), c, part, A);
    approximate_inverse(mass, c, part->count, A + part->count * part->count);
    double error = part->count == 3 ? find_errors(3, A, part) : find_errors(part->count, A, part);
    rounding->rho = fmax(rounding->rho, error);
  }
  return ASP_OK;
}

/* ---- |x - x*| ---- */

/* e of a dense part: |b - A x| and its rounding; the error of b is there already. */
WRITTEN_OUT void dense_error(int n, const AspRounding *rounding, const AspDensePart *part, const int *member,
                             const double *b, const double *x, double *e) {
  const double *A = rounding->matrix + part->at;
  for (int i = 0; i < n; i++) {
    double sum = b[member[i]], size = fabs(sum);
    for (int k = 0; k < n; k++) {
      double product = A[i + k * n] * x[member[k]];
      sum -= product;
      size += fabs(product);
    }
    e[member[i]] += fabs(sum) + asp_roundings(n + 1) * size;
  }
}

/* To e, which bounds the error of b, add the error of x as a solution of M x = b. */
static void add_solve_error(const AspJudge *judge, const double *b, const double *x, double *e) {
  const AspMass *mass = &judge->mass;
  const AspComponents *components = &mass->components;
  for (int c = 0; c < components->count; c++) {
    const AspDensePart *part = &judge->rounding.part[c];
    const int *member = components->member + components->start[c];
    int size = components->start[c + 1] - components->start[c], diagonal = part->count ? part->first : size;
    for (int l = 0; l < diagonal; l++) // one division
      e[member[l]] += asp_roundings(1) * fabs(diagonal_entry(mass, c, l) * x[member[l]]);
    if (part->count == 3)
      dense_error(3, &judge->rounding, part, member + part->first, b, x, e);
    else if (part->count)
      dense_error(part->count, &judge->rounding, part, member + part->first, b, x, e);
  }
}

WRITTEN_OUT void dense_inverse(int n, const AspRounding *rounding, const AspDensePart *part, const int *member,
                               const double *e, double *away) {
  const double *Y = rounding->matrix + part->at + n * n, *weight = Y + n * n;
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++)
      sum += fabs(Y[i + k * n]) * e[member[k]];
    away[member[i]] = sum * (1 + asp_roundings(n + 1));
    largest = fmax(largest, weight[i] * away[member[i]]);
  }
  for (int i = 0; i < n; i++)
    away[member[i]] += part->more * largest / weight[i] * (1 + asp_roundings(3));
}

/* |x - x*| is at most this times |scale| where e bounds the error of M x = b. */
static double sparse_size(const AspJudge *judge, const double *e) {
  const AspRounding *rounding = &judge->rounding;
  int dofs = judge->problem->dofs;
  double square = 0;
  for (int k = 0; k < dofs; k++)
    square += (rounding->scale[k] * e[k]) * (rounding->scale[k] * e[k]);
  return sqrt(square) / rounding->least * (1 + asp_roundings(dofs));
}

static bool sparse_inverse(AspJudge *judge, const double *e, double *away) {
  AspRounding *rounding = &judge->rounding;
  if (!(rounding->least > 0))
    return false;
  rounding->size_away = sparse_size(judge, e);
  for (int k = 0; k < judge->problem->dofs; k++)
    away[k] = fabs(rounding->scale[k]) * rounding->size_away;
  return true;
}

bool asp_rounding_inverse(AspJudge *judge, const double *e, double *away) {
  const AspMass *mass = &judge->mass;
  const AspComponents *components = &mass->components;
  if (!mass->is_blocks)
    return sparse_inverse(judge, e, away);
  for (int c = 0; c < components->count; c++) {
    const AspDensePart *part = &judge->rounding.part[c];
    const int *member = components->member + components->start[c];
    int size = components->start[c + 1] - components->start[c], diagonal = part->count ? part->first : size;
    for (int l = 0; l < diagonal; l++)
      away[member[l]] = e[member[l]] / fabs(diagonal_entry(mass, c, l)) * (1 + asp_roundings(1));
    if (part->count == 3)
      dense_inverse(3, &judge->rounding, part, member + part->first, e, away);
    else if (part->count)
      dense_inverse(part->count, &judge->rounding, part, member + part->first, e, away);
  }
  return true;
}

/* ---- |u - u*| ---- */

/* Rows of blocks `first` to `end` - 1: du from y = gamma |x| + |x - x*|, and the sum of their squares. */
static double rows_away(const AspJudge *judge, const double *y, int first, int end, double *du) {
  const AspContactProblem *p = judge->problem;
  double gamma = asp_roundings(judge->rounding.longest + 1), square = 0;
  if (judge->runs)
    asp_blocks_sizes(p, judge->runs, y, first, end, du);
  for (int j = p->offset[first]; j < p->offset[end]; j++) {
    double sum = 0;
    for (int k = p->H.start[j]; !judge->runs && k < p->H.start[j + 1]; k++)
      sum += fabs(p->H.value[k]) * y[p->H.row[k]];
    du[j] = ((judge->runs ? du[j] : sum) + gamma * fabs(p->w[j])) * (1 + gamma);
    square += du[j] * du[j];
  }
  return square;
}

typedef struct Rows {
  AspJudge *judge;
  const double *y, *r;
} Rows;

static void rows_range(void *data, int from, int end) {
  const Rows *rows = data;
  AspJudge *judge = rows->judge;
  const AspContactProblem *p = judge->problem;
  for (int chunk = from; chunk < end; chunk++) {
    int first = JUDGE_CHUNK * chunk, last = p->blocks - first < JUDGE_CHUNK ? p->blocks : first + JUDGE_CHUNK;
    double maps = 0;
    judge->rounding.square[chunk] = p->dofs > 0 ? rows_away(judge, rows->y, first, last, judge->rounding.du) : 0;
    for (int i = first; rows->r && i < last; i++) {
      int j = p->offset[i];
      double map = asp_rounding_of_map(&p->law[i], p->offset[i + 1] - j, judge->rho, rows->r + j, judge->u + j,
                                       judge->rounding.du + j, ROUNDING_MAP * ASP_UNIT_ROUNDOFF);
      maps += map * map;
    }
    judge->rounding.map_square[chunk] = maps;
  }
}

static double root_of_sum(const AspJudge *judge, const double *square) {
  double sum = 0;
  for (int chunk = 0; JUDGE_CHUNK * chunk < judge->problem->blocks; chunk++)
    sum += square[chunk];
  return sqrt(sum) * (1 + asp_roundings(judge->problem->rows));
}

/* The norm of du for x; where r is given that of the maps' errors is returned. */
static double norm_of_rows(AspJudge *judge, const double *x, const double *r) {
  AspRounding *rounding = &judge->rounding;
  const AspContactProblem *p = judge->problem;
  for (int k = 0; k < p->dofs; k++) // y in the place of e
    rounding->e[k] = asp_roundings(rounding->longest + 1) * fabs(x[k]) + rounding->away[k];
  asp_parallel_for(judge->context, (p->blocks + JUDGE_CHUNK - 1) / JUDGE_CHUNK, 1, rows_range,
                   &(Rows){judge, rounding->e, r});
  rounding->norm_away = root_of_sum(judge, rounding->square);
  return r ? root_of_sum(judge, rounding->map_square) : rounding->norm_away;
}

double asp_rounding_of_map(const AspLaw *law, int rows, double rho, const double *r, const double *u, const double *du,
                           double unit) {
  double speed = fabs(u[0]), slip = 0, away = du[0], slip_away = 0, load = fabs(r[0]);
  for (int k = 1; k < rows; k++) {
    slip += fabs(u[k]);
    slip_away += du[k];
    load += fabs(r[k]);
  }
  double error = rho * (away + slip_away), size = rho * (speed + slip);
  bool round = law->kind == ASP_LAW_COULOMB && (law->cone == ASP_CONE_EXACT || rows == 2);
  if (round) {
    error += rho * law->mu * slip_away;
    size += rho * law->mu * slip;
  }
  if (law->kind != ASP_LAW_EQUALITY)
    size += load;
  if (law->kind == ASP_LAW_SLIDING)
    size += law->mu * fabs(r[0]);
  return error + unit * size;
}

/* ---- the local form ---- */

static void local_away(AspJudge *judge, const double *r) {
  const AspContactProblem *p = judge->problem;
  double *du = judge->rounding.du;
  double gamma = asp_roundings(judge->rounding.longest + 1);
  for (int j = 0; j < p->rows; j++)
    du[j] = fabs(p->q[j]);
  for (int j = 0; j < p->rows; j++)
    for (int k = p->W.start[j]; k < p->W.start[j + 1]; k++)
      du[p->W.row[k]] += fabs(p->W.value[k] * r[j]);
  for (int j = 0; j < p->rows; j++)
    du[j] *= gamma * (1 + gamma);
}

/* Relative error of the sum of W's diagonal, and the longest row. */
static AspError reset_local(AspJudge *judge) {
  AspRounding *rounding = &judge->rounding;
  const AspContactProblem *p = judge->problem;
  int *length = ASP_TAKE(&judge->arena, int, p->rows);
  if (!length)
    return ASP_ERROR_MEMORY;
  double sum = 0, size = 0;
  for (int j = 0; j < p->rows; j++)
    for (int k = p->W.start[j]; k < p->W.start[j + 1]; k++) {
      length[p->W.row[k]]++;
      sum += p->W.row[k] == j ? p->W.value[k] : 0;
      size += p->W.row[k] == j ? fabs(p->W.value[k]) : 0;
    }
  for (int j = 0; j < p->rows; j++)
    rounding->longest = length[j] > rounding->longest ? length[j] : rounding->longest;
  rounding->rho = sum > 0 ? asp_roundings(p->rows) * size / sum : 0;
  return ASP_OK;
}

/* ---- the whole ---- */

static AspError find_runs(AspJudge *judge) {
  judge->runs = judge->bodies;
  if (judge->runs)
    return ASP_OK;
  AspBlockBodies *runs = ASP_TAKE_UNCLEARED(&judge->arena, AspBlockBodies, judge->problem->blocks);
  if (!runs)
    return ASP_ERROR_MEMORY;
  judge->runs = asp_block_runs_find(judge->problem, 0, judge->problem->blocks, runs) == 0 ? runs : NULL;
  return ASP_OK;
}

static void find_longest(AspJudge *judge) {
  const AspSparse *H = &judge->problem->H;
  int longest = judge->runs ? 12 : 0;
  bool runs = judge->runs && judge->mass.is_blocks;
  for (int j = 0; j < judge->problem->rows && !runs; j++)
    longest = H->start[j + 1] - H->start[j] > longest ? H->start[j + 1] - H->start[j] : longest;
  judge->rounding.longest = longest;
}

/* The error of x = M^-1 f where M is sparse, as its own solver finds it: one step of refinement. */
static AspError estimate_sparse(AspJudge *judge) {
  const AspContactProblem *p = judge->problem;
  AspRounding *rounding = &judge->rounding;
  rounding->free = ASP_TAKE(&judge->arena, double, p->dofs); // b = f has no error
  if (!rounding->free)
    return ASP_ERROR_MEMORY;
  asp_rounding_sparse_error(judge, p->f, judge->x, rounding->free);
  ASP_TRY(asp_mass_solve(&judge->mass, rounding->away));
  for (int k = 0; k < p->dofs; k++)
    rounding->away[k] = fabs(rounding->away[k]);
  return ASP_OK;
}

AspError asp_rounding_reset(AspJudge *judge) {
  AspRounding *rounding = &judge->rounding;
  const AspContactProblem *p = judge->problem;
  AspArena *arena = &judge->arena;
  AspFactor *proof = rounding->proof;
  *rounding = (AspRounding){.proof = proof, .least = -1};
  rounding->du = ASP_TAKE_UNCLEARED(arena, double, p->rows);
  rounding->square = ASP_TAKE_UNCLEARED(arena, double, p->blocks / JUDGE_CHUNK + 1);
  rounding->map_square = ASP_TAKE_UNCLEARED(arena, double, p->blocks / JUDGE_CHUNK + 1);
  rounding->e = ASP_TAKE(arena, double, p->dofs);
  rounding->away = ASP_TAKE_UNCLEARED(arena, double, p->dofs);
  rounding->size = ASP_TAKE_UNCLEARED(arena, double, p->dofs);
  rounding->terms = ASP_TAKE_UNCLEARED(arena, int, p->dofs);
  if (!rounding->du || !rounding->square || !rounding->map_square || !rounding->e || !rounding->away ||
      !rounding->size || !rounding->terms)
    return ASP_ERROR_MEMORY;
  if (p->dofs == 0)
    return reset_local(judge);
  ASP_TRY(find_runs(judge));
  find_longest(judge);
  rounding->rho = asp_roundings(p->rows + 2 * rounding->longest);
  if (!judge->mass.is_blocks) {
    ASP_TRY(estimate_sparse(judge));
  } else {
    ASP_TRY(find_parts(judge));
    add_solve_error(judge, p->f, judge->x, rounding->e); // b = f has no error
    asp_rounding_inverse(judge, rounding->e, rounding->away);
  }
  rounding->floor = norm_of_rows(judge, judge->x, NULL);
  return ASP_OK;
}

void asp_rounding_free(AspRounding *rounding) { asp_factor_destroy(rounding->proof); }

/* |H| |r| + |f| and the number of terms of each sum */
static void push_sizes(AspJudge *judge, const double *r) {
  const AspContactProblem *p = judge->problem;
  AspRounding *rounding = &judge->rounding;
  for (int k = 0; k < p->dofs; k++) {
    rounding->size[k] = fabs(p->f[k]);
    rounding->terms[k] = 1;
  }
  if (judge->runs) {
    asp_blocks_push_sizes(judge->context, p, judge->runs, r, rounding->size, rounding->terms);
    return;
  }
  for (int j = 0; j < p->rows; j++)
    for (int k = p->H.start[j]; r[j] != 0 && k < p->H.start[j + 1]; k++) {
      rounding->size[p->H.row[k]] += fabs(p->H.value[k] * r[j]);
      rounding->terms[p->H.row[k]]++;
    }
}

double asp_rounding_of_maps(AspJudge *judge, const double *r) {
  AspRounding *rounding = &judge->rounding;
  const AspContactProblem *p = judge->problem;
  if (p->dofs == 0) {
    local_away(judge, r);
    return norm_of_rows(judge, judge->x, r);
  }
  push_sizes(judge, r);
  for (int k = 0; k < p->dofs; k++)
    rounding->e[k] = asp_roundings(2 * rounding->terms[k]) * rounding->size[k];
  if (judge->mass.is_blocks)
    add_solve_error(judge, judge->b, judge->x, rounding->e);
  else
    asp_rounding_sparse_error(judge, judge->b, judge->x, rounding->e);
  if (!asp_rounding_inverse(judge, rounding->e, rounding->away))
    return INFINITY;
  return norm_of_rows(judge, judge->x, r);
}

double asp_rounding_of_q(AspJudge *judge) {
  const AspContactProblem *p = judge->problem;
  const AspRounding *rounding = &judge->rounding;
  if (p->dofs == 0 || judge->mass.is_blocks)
    return rounding->floor;
  if (!(rounding->least > 0))
    return INFINITY;
  double size = sparse_size(judge, rounding->free), share = size > 0 ? size / rounding->size_away : 0;
  return (rounding->floor + share * rounding->norm_away) * (1 + asp_roundings(4));
}
