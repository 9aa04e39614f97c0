/* Beams in the problem of a step. Their forces are implicit always. With S = dt^2 K and h from asp_beam_step
 * (docs/theory/beams.md),
 *
 *   (M + A) (v+ - v) = dt h - W v + H r,   A = theta^2 (S + T) + (1 - theta^2) G + dt C,   W = theta S + (1 - theta) G
 *   G = S (S + LIMIT M)^-1 S,   T = dt^2 times what tension adds across
 *
 * For a mode of frequency w and z = w dt, G is S z^2/(z^2 + LIMIT): modes that the step resolves follow the theta rule,
 * those far beyond it the strain at the end of the step. At theta = 1/2 the first keep their energy (damping z^3/(2
 * LIMIT)), and the second must not ring: undamped, they would shake the geometry that the next step is made with.
 * theta = 1 needs no G; beams of more than MOST dofs take G = S. Inextensible beams: one EQUALITY row per condition on
 * the length. */
#include "formulate/blocks.h"
#include "linalg/dense.h"

#include <math.h>

#define LIMIT 10.0 /* (rad in a step)^2: modes beyond are not resolved */
#define MOST  240  /* dofs: beyond, a dense factorisation in every step costs too much */

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

/* G = S (S + LIMIT M)^-1 S; S itself where the beam is large */
static AspError unresolved_part(AspArena *arena, int n, const double *S, const double *M, double *G) {
  size_t size = (size_t)n * (size_t)n;
  memcpy(G, S, size * sizeof *G);
  if (n > MOST)
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(arena);
  double *F = ASP_TAKE(arena, double, size), *X = ASP_TAKE(arena, double, size);
  if (!F || !X)
    return ASP_ERROR_MEMORY;
  for (size_t k = 0; k < size; k++)
    F[k] = S[k] + LIMIT * M[k];
  memcpy(X, S, size * sizeof *X);
  if (asp_dense_cholesky(n, F, n) < 0) {
    asp_dense_cholesky_solve(n, F, n, n, X, n);
    for (size_t j = 0; j < (size_t)n; j++)
      for (size_t i = 0; i <= j; i++)
        G[j * (size_t)n + i] = G[i * (size_t)n + j] = asp_row_dot(n, S + i * (size_t)n, X + j * (size_t)n);
  }
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* The beam's own forces over the step: A to M, and f. */
static AspError add_own_forces(AspFormulation *formulation, const AspState *state, int beam, double dt, double theta,
                               double *M, double *f) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  AspArenaMark mark = asp_arena_mark(arena);
  int n, coordinates, v_at = asp_model_beam_v(model, beam, &n);
  asp_model_beam_q(model, beam, &coordinates);
  size_t size = (size_t)n * (size_t)n;
  double *S = ASP_TAKE(arena, double, size), *G = ASP_TAKE(arena, double, size);
  double *tension = ASP_TAKE(arena, double, size);
  double *middle = ASP_TAKE(arena, double, coordinates), *h = ASP_TAKE(arena, double, n);
  if (!S || !G || !tension || !middle || !h)
    return ASP_ERROR_MEMORY;
  asp_beam_step(model, state, beam, dt, theta, middle, S, h);
  for (size_t k = 0; k < size; k++)
    S[k] *= dt * dt;
  if (theta < 1)
    ASP_TRY(unresolved_part(arena, n, S, M, G));
  asp_beam_add_tension(model, state, beam, middle, theta * theta * dt * dt, tension);
  double damping = asp_model_beam_def(model, beam)->damping / dt;
  for (int i = 0; i < n; i++)
    f[i] += dt * h[i];
  for (size_t j = 0; j < (size_t)n; j++)
    for (size_t i = 0; i < (size_t)n; i++) {
      size_t at = j * (size_t)n + i;
      double A = (theta * theta + damping) * S[at] + (1 - theta * theta) * G[at] + tension[at];
      double W = theta * S[at] + (1 - theta) * G[at];
      f[i] += (A - W) * state->v[(size_t)v_at + j];
      M[at] += A;
    }
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

AspError asp_formulate_beam(AspFormulation *formulation, const AspState *state, int beam, double dt, double theta,
                            const double *h, AspBeamMatrix *matrix, double *f) {
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
    ASP_TRY(add_own_forces(formulation, state, beam, dt, theta, M, f));
  ASP_TRY(free_acceleration(arena, matrix, f, v, dt, formulation->acceleration + v_at));
  accelerate_stations(formulation, beam, formulation->acceleration + v_at);
  return ASP_OK;
}
