/* Beams in the problem of a step. Their forces are implicit always (docs/theory/beams.md). With S_s and S_b, dt^2 times
 * the stiffness of stretching and bending, and h from asp_beam_step,
 *
 *   (M + A) (v+ - v) = dt h - W v + H r,      S = S_s + S_b,   G = S_s + S_b (S + LIMIT N)^-1 S_b
 *   A = theta^2 (S + T) + (1 - theta^2) G + dt C,   W = theta S + (1 - theta) G,   T = dt^2 times what tension adds
 *
 * Stress follows the theta rule where G = 0, and the strain at the end of the step where G = S. Stretching, which is
 * hardly ever resolved, is of the second kind, and so is bending beyond sqrt(LIMIT) rad in a step: undamped they would
 * shake the geometry that the next step is made with. What is resolved keeps its energy at theta = 1/2, up to a damping
 * ratio of about z^3/(4 LIMIT) for z rad in a step. N is M with the stations that joints hold made heavy, so that
 * frequencies are those of the beam as it is held. theta = 1 needs no G; beams of more than MOST dofs take G = S.
 * Inextensible beams: one EQUALITY row per condition on the length. */
#include "formulate/blocks.h"
#include "linalg/dense.h"

#include <math.h>

#define LIMIT 10.0 /* (rad in a step)^2: modes beyond are not resolved */
#define MOST  240  /* dofs: beyond, a dense factorisation in every step costs too much */
#define HELD  1e3  /* times the beam's mass: that of a station in the hands of a joint */

int asp_stretch_count(const AspModel *model) {
  int rows = 0;
  for (int beam = 0; beam < asp_model_beam_count(model); beam++)
    rows += asp_beam_row_count(model, beam);
  return rows;
}

void asp_formulate_stretch(AspFormulation *formulation, const AspState *state, const AspState *geometry,
                           double per_value, double per_bias, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  formulation->stretch_first = formulation->rows;
  formulation->stretches = 0;
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    int station = asp_model_beam_station(model, beam, false);
    for (int row = 0; row < asp_beam_row_count(model, beam); row++) {
      // the gradient lies with the beam; that of bodies is zero
      AspRow none = {.body_a = station, .body_b = station};
      double *gradient = formulation->stretch[formulation->stretches++].gradient, value, bias, at_start = 0;
      asp_beam_row(model, state, beam, row, &at_start, gradient, &bias);
      asp_beam_row(model, geometry, beam, row, &value, gradient, &bias);
      open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_STRETCH, beam);
      add_row(formulation, &none, 0, per_value * at_start + per_bias * bias, terms);
    }
  }
}

/* x = (M^-1 f - v)/dt; zero where M is not positive definite or there is no step */
static AspError free_acceleration(AspArena *arena, const AspBeamMatrix *matrix, const double *f, const double *v,
                                  double dt, double *x) {
  size_t n = (size_t)matrix->count;
  AspArenaMark mark = asp_arena_mark(arena);
  double *factor = ASP_TAKE(arena, double, n *n);
  if (!factor)
    return ASP_ERROR_MEMORY;
  memcpy(factor, matrix->M, n * n * sizeof *factor);
  memset(x, 0, n * sizeof *x);
  if (dt > 0 && asp_dense_cholesky(matrix->count, factor, matrix->count) < 0) {
    memcpy(x, f, n * sizeof *x);
    asp_dense_cholesky_solve(matrix->count, factor, matrix->count, 1, x, matrix->count);
    for (size_t i = 0; i < n; i++)
      x[i] = (x[i] - v[i]) / dt;
  }
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* What the beam's acceleration means for its stations: T x. */
static void accelerate_stations(AspFormulation *formulation, int beam, const double *x) {
  const AspModel *model = formulation->model;
  int n = asp_model_dimension(model) == 3 ? 6 : 3, first = asp_model_beam_dof(model, beam, NULL);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_station_beam(model, body, NULL) != beam)
      continue;
    const AspStationMap *map = &formulation->map[formulation->station[body]];
    double *a = formulation->acceleration + (size_t)n * (size_t)body;
    for (int k = 0; k < map->count; k++)
      for (int i = 0; i < n; i++)
        a[i] += map->T[n * k + i] * x[map->dof - first + k];
  }
}

/* N += mass T^T T at the stations of the beam that joints hold; turning too where a joint holds it. */
static void hold_stations(const AspFormulation *formulation, int beam, double mass, double *N) {
  const AspModel *model = formulation->model;
  int dimension = asp_model_dimension(model), d = dimension == 3 ? 6 : 3, n,
      first = asp_model_beam_dof(model, beam, &n);
  double length = asp_model_beam_def(model, beam)->length;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    bool turns = def->kind != ASP_JOINT_FIXED && def->kind != ASP_JOINT_PRISMATIC && !def->motion;
    for (int side = 0; side < 2; side++) {
      int body = side ? def->body_b : def->body_a;
      if (asp_model_station_beam(model, body, NULL) != beam)
        continue;
      const AspStationMap *map = &formulation->map[formulation->station[body]];
      size_t at = (size_t)(map->dof - first);
      for (size_t l = 0; l < (size_t)map->count; l++)
        for (size_t k = 0; k < (size_t)map->count; k++)
          for (int i = 0; i < (turns ? dimension : d); i++)
            N[(at + l) * (size_t)n + at + k] += mass * (i < dimension ? 1 : length * length) *
                                                map->T[(size_t)d * k + (size_t)i] * map->T[(size_t)d * l + (size_t)i];
    }
  }
}

/* G += S_b (S + LIMIT N)^-1 S_b; all of S_b where the beam is large */
static AspError add_unresolved(AspFormulation *formulation, int beam, const double *S, const double *bend,
                               const double *M, double *G) {
  AspArena *arena = formulation->arena;
  AspArenaMark mark = asp_arena_mark(arena);
  int n;
  asp_model_beam_dof(formulation->model, beam, &n);
  size_t size = (size_t)n * (size_t)n;
  double *F = ASP_TAKE(arena, double, size), *X = ASP_TAKE(arena, double, size);
  if (!F || !X)
    return ASP_ERROR_MEMORY;
  memcpy(F, M, size * sizeof *F);
  hold_stations(formulation, beam, HELD * asp_model_beam_mass(formulation->model, beam), F);
  for (size_t k = 0; k < size; k++)
    F[k] = S[k] + LIMIT * F[k];
  memcpy(X, bend, size * sizeof *X);
  bool filtered = n <= MOST && asp_dense_cholesky(n, F, n) < 0;
  if (filtered)
    asp_dense_cholesky_solve(n, F, n, n, X, n);
  for (size_t j = 0; j < (size_t)n; j++)
    for (size_t i = 0; i <= j; i++) {
      double part = filtered ? asp_row_dot(n, bend + i * (size_t)n, X + j * (size_t)n) : bend[j * (size_t)n + i];
      G[j * (size_t)n + i] += part;
      G[i * (size_t)n + j] = G[j * (size_t)n + i];
    }
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* The beam's own forces over the step: A to M, and f. */
static AspError add_own_forces(AspFormulation *formulation, const AspState *state, const double *mean, int beam,
                               double dt, double theta, double *M, double *f) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  AspArenaMark mark = asp_arena_mark(arena);
  int n, coordinates, v_at = asp_model_beam_v(model, beam, &n);
  asp_model_beam_q(model, beam, &coordinates);
  size_t size = (size_t)n * (size_t)n;
  double *S = ASP_TAKE(arena, double, size), *G = ASP_TAKE(arena, double, size), *bend = ASP_TAKE(arena, double, size);
  double *tension = ASP_TAKE(arena, double, size), *middle = ASP_TAKE(arena, double, coordinates);
  double *h = ASP_TAKE(arena, double, n);
  if (!S || !G || !bend || !tension || !middle || !h)
    return ASP_ERROR_MEMORY;
  asp_beam_step(model, state, mean, beam, dt, theta, middle, G, bend, h);
  asp_beam_add_tension(model, state, beam, middle, theta * theta * dt * dt, tension);
  for (size_t k = 0; k < size; k++) {
    G[k] *= dt * dt;
    bend[k] *= dt * dt;
    S[k] = G[k] + bend[k];
  }
  if (theta < 1)
    ASP_TRY(add_unresolved(formulation, beam, S, bend, M, G));
  double damping = asp_model_beam_def(model, beam)->damping / dt;
  for (int i = 0; i < n; i++)
    f[i] += dt * h[i];
  for (size_t j = 0; j < (size_t)n; j++)
    for (size_t i = 0; i < (size_t)n; i++) {
      size_t at = j * (size_t)n + i;
      double A = (theta * theta + damping) * S[at] + (1 - theta * theta) * G[at] + tension[at];
      double W = theta * S[at] + (1 - theta) * G[at];
      f[i] += (A - W) * state->v[(size_t)v_at + j] -
              damping * S[at] * (state->v[(size_t)v_at + j] - mean[(size_t)v_at + j]);
      M[at] += A;
    }
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

AspError asp_formulate_beam(AspFormulation *formulation, const AspState *state, const double *mean, int beam, double dt,
                            double theta, const double *h, AspBeamMatrix *matrix, double *f) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  matrix->dof = asp_model_beam_dof(model, beam, &matrix->count);
  int n = matrix->count, v_at = asp_model_beam_v(model, beam, NULL);
  matrix->bandwidth = dt > 0 && theta < 1 && n <= MOST ? n : asp_beam_bandwidth(model, beam);
  const double *v = state->v + v_at;
  double *M = matrix->M = ASP_TAKE(arena, double, (size_t)n *(size_t)n);
  if (!M)
    return ASP_ERROR_MEMORY;
  asp_beam_mass_matrix(model, state, beam, M);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      f[i] += M[(size_t)j * (size_t)n + (size_t)i] * v[j];
  for (int i = 0; i < n; i++)
    f[i] += dt * h[i];
  if (dt > 0)
    ASP_TRY(add_own_forces(formulation, state, mean, beam, dt, theta, M, f));
  ASP_TRY(free_acceleration(arena, matrix, f, v, dt, formulation->acceleration + v_at));
  accelerate_stations(formulation, beam, formulation->acceleration + v_at);
  return ASP_OK;
}
