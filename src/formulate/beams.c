/* Beams in the problem of a step. Their forces are implicit always, by the theta rule on their strains (asp_beam_step,
 * docs/theory/beams.md):  (M + A) (v+ - v) = dt h + H r.  Inextensible beams: one EQUALITY row per condition on the
 * length. */
#include "formulate/blocks.h"
#include "linalg/dense.h"

#include <math.h>

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

AspError asp_formulate_beam(AspFormulation *formulation, const AspState *state, int beam, double dt, double theta,
                            const double *h, AspBeamMatrix *matrix, double *f) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  matrix->dof = asp_model_beam_dof(model, beam, &matrix->count);
  matrix->bandwidth = asp_beam_bandwidth(model, beam);
  int n = matrix->count, v_at = asp_model_beam_v(model, beam, NULL);
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
  if (dt > 0) {
    AspArenaMark mark = asp_arena_mark(arena);
    int coordinates;
    asp_model_beam_q(model, beam, &coordinates);
    double *A = ASP_TAKE(arena, double, (size_t)n *(size_t)n);
    double *middle = ASP_TAKE(arena, double, coordinates), *own = ASP_TAKE(arena, double, n);
    if (!A || !middle || !own)
      return ASP_ERROR_MEMORY;
    asp_beam_step(model, state, beam, dt, theta, middle, A, own);
    for (int i = 0; i < n; i++)
      f[i] += dt * own[i];
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        size_t at = (size_t)j * (size_t)n + (size_t)i;
        f[i] += A[at] * v[j];
        M[at] += A[at];
      }
    asp_arena_rewind(arena, mark);
  }
  ASP_TRY(free_acceleration(arena, matrix, f, v, dt, formulation->acceleration + v_at));
  accelerate_stations(formulation, beam, formulation->acceleration + v_at);
  return ASP_OK;
}
