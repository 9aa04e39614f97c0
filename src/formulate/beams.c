/* Beams in the problem of a step. Their forces are implicit always (docs/theory/beams.md). With S_s and S_b, dt^2 times
 * the stiffness of stretching and bending, m the mean velocity and h = -B^T D (e(q) + (1 - theta) dt^2 B' m),
 *
 *   (M + A) (v+ - v) = dt h - W v + H r,      G = S_b ((1 + d) S + BEAMS_LIMIT N)^-1 S_b,   d = damping/dt
 *   A = (1 + d) S_s + theta (theta + d) S_b + (1 - theta) (1 + theta + d) G + T
 *   W = S_s + theta S_b + (1 - theta) G + d (S_s + S_b)
 *
 * T = dt^2 theta^2 times what tension adds. Stress follows the theta rule where G = 0, and strain and its rate at the
 * end of the step where G = S_b. Stretching, which is hardly ever resolved, is of the second kind, and so is bending
 * beyond sqrt(BEAMS_LIMIT) rad in a step: undamped they would shake the geometry that the next step is made with. What
 * is resolved keeps its energy at theta = 1/2, up to a damping ratio of about z^3/(4 BEAMS_LIMIT) for z rad in a step.
 * N is M with the stations that joints hold made heavy, so that frequencies are those of the beam as it is held, and S
 * = S_b, with what of S_s is no soft row (flex.h): the turning of a rod's nodes is nothing without its shear.
 *
 * What couples all of a beam is written with unknowns of its own, the problem's inner dofs: y of G, and l of the rows
 * on stretching (flex.h), soft with compliance S or held (inextensible, s nearly zero); c^2 = (1 - theta) (1 + theta +
 * d):
 *
 *   [ M + ...       c S_b                            Y^T                    ] [v+]   [f     ]
 *   [ c S_b         -((1 + d) S + BEAMS_LIMIT N)                            ] [y ] = [0     ]
 *   [ Y                                              -S/((1 + d) dt^2) or -s ] [l ]   [-shift]
 *
 * quasi-definite, and a band where the unknowns of a node stand together: a step costs what the elements cost. */
#include "formulate/blocks.h"
#include "formulate/tuning/formulate.h"
#include "linalg/band.h"
#include "model/model.h"

#include <math.h>

int asp_stretch_count(const AspModel *model) {
  int rows = 0;
  for (int beam = 0; beam < asp_model_beam_count(model); beam++)
    rows += asp_flex_row_count(model->beam[beam].flex);
  return rows;
}

/* A row at the state; value and gradient over some dofs. */
static void beam_row(const AspModel *model, const AspState *state, int beam, int row, AspFlexRow *out) {
  const ModelBeam *it = &model->beam[beam];
  asp_flex_row(it->flex, row, state->q + it->q_at, state->v + it->v_at, out);
}

void asp_formulate_stretch(AspFormulation *formulation, const AspState *state, const AspState *geometry,
                           double per_value, double per_bias, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  formulation->stretch_first = formulation->rows;
  formulation->stretches = 0;
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    int station = asp_model_beam_station(model, beam, false);
    for (int row = 0; row < asp_flex_row_count(model->beam[beam].flex); row++) {
      // the gradient lies with the beam; that of bodies is zero
      AspRow none = {.body_a = station, .body_b = station};
      AspStretchRow *stretch = &formulation->stretch[formulation->stretches++];
      AspFlexRow start, middle;
      beam_row(model, state, beam, row, &start);
      beam_row(model, geometry, beam, row, &middle);
      stretch->dof = model->beam[beam].dof + middle.first;
      stretch->count = middle.count;
      stretch->value = middle.value;
      stretch->bias = middle.bias;
      memcpy(stretch->gradient, middle.gradient, (size_t)middle.count * sizeof *middle.gradient);
      open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_STRETCH, beam);
      add_row(formulation, &none, 0, per_value * start.value + per_bias * middle.bias, terms);
    }
  }
}

/* ---- where the unknowns stand ---- */

/* Node by node: v, y, l. */
typedef struct Layout {
  int dofs, node, stride; /* of the beam, of a node in v, of a node in all */
  bool filtered;          /* there is y */
  int rows;               /* number of the l */
  int size, width;        /* of the band */
} Layout;

static Layout layout_of(const AspFormulation *formulation, const AspFlex *flex, double dt, double theta) {
  Layout layout = {.dofs = asp_flex_dofs(flex), .node = asp_flex_node_dofs(flex)};
  layout.filtered = dt > 0 && theta < 1;
  layout.rows = dt > 0 ? asp_flex_soft_count(flex) : 0;
  if (formulation->stretch_inside)
    layout.rows += asp_flex_row_count(flex);
  layout.stride = layout.node * (layout.filtered ? 2 : 1) + (layout.rows > 0);
  layout.size = layout.dofs / layout.node * layout.stride;
  layout.width = asp_flex_bandwidth(flex) / layout.node * layout.stride + layout.stride - 1;
  return layout;
}

static int place_v(const Layout *layout, int i) { return i / layout->node * layout->stride + i % layout->node; }
static int place_y(const Layout *layout, int i) { return place_v(layout, i) + layout->node; }
static int place_row(const Layout *layout, int row) { return (row + 1) * layout->stride - 1; }

int asp_beam_inner_count(const AspFormulation *formulation, int beam, double dt, double theta) {
  Layout layout = layout_of(formulation, formulation->model->beam[beam].flex, dt, theta);
  return (layout.filtered ? layout.dofs : 0) + layout.rows;
}

/* The unknown at a place: dof, or behind the dofs y, l; -1: none. */
static int unknown_at(const Layout *layout, int place) {
  int node = place / layout->stride, at = place % layout->stride, first = layout->dofs;
  if (at < layout->node)
    return node * layout->node + at;
  if (layout->filtered && at < 2 * layout->node)
    return first + node * layout->node + at - layout->node;
  return node < layout->rows ? first + (layout->filtered ? layout->dofs : 0) + node : -1;
}

/* matrix = the band's entries, but for those of places without an unknown, whose diagonal becomes 1 */
static AspError take_entries(AspArena *arena, const Layout *layout, AspBand *E, AspBeamMatrix *matrix) {
  size_t entries = band_entries(E->n, E->w);
  matrix->row = ASP_TAKE_UNCLEARED(arena, int, entries);
  matrix->column = ASP_TAKE_UNCLEARED(arena, int, entries);
  matrix->value = ASP_TAKE_UNCLEARED(arena, double, entries);
  if (!matrix->row || !matrix->column || !matrix->value)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < E->n; j++) {
    int column = unknown_at(layout, j);
    if (column < 0)
      *band_at(E, j, j) = 1;
    for (int i = band_first(E, j); i <= band_last(E, j) && column >= 0; i++) {
      double value = *band_at(E, i, j);
      int row = value != 0 || i == j ? unknown_at(layout, i) : -1;
      if (row < 0)
        continue;
      matrix->row[matrix->entries] = row;
      matrix->column[matrix->entries] = column;
      matrix->value[matrix->entries++] = value;
    }
  }
  return ASP_OK;
}

/* ---- the beam's own matrix ---- */

/* E at (to(i), from(j)) += factor A_ij */
static void add_band(const Layout *layout, const AspBand *A, double factor, int (*to)(const Layout *, int),
                     int (*from)(const Layout *, int), AspBand *E) {
  for (int j = 0; j < A->n; j++)
    for (int i = band_first(A, j); i <= band_last(A, j); i++)
      if (*band_at(A, i, j) != 0)
        *band_at(E, to(layout, i), from(layout, j)) += factor * *band_at(A, i, j);
}

/* N += mass T^T T at the stations of the beam that joints hold; turning too where a joint holds it. */
static void hold_stations(const AspFormulation *formulation, int beam, double mass, AspBand *N) {
  const AspModel *model = formulation->model;
  int dimension = asp_model_dimension(model), d = asp_body_velocities(dimension), first = model->beam[beam].dof;
  double length = asp_model_beam_def(model, beam)->length;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    bool turns = def->kind != ASP_JOINT_FIXED && def->kind != ASP_JOINT_PRISMATIC && !def->motion;
    for (int side = 0; side < 2; side++) {
      int body = side ? def->body_b : def->body_a;
      if (asp_model_station_beam(model, body, NULL) != beam)
        continue;
      const AspStationMap *map = &formulation->map[formulation->station[body]];
      int at = map->dof - first;
      for (int l = 0; l < map->count; l++)
        for (int k = 0; k < map->count; k++)
          for (int i = 0; i < (turns ? dimension : d); i++)
            *band_at(N, at + k, at + l) +=
                mass * (i < dimension ? 1 : length * length) * map->T[d * k + i] * map->T[d * l + i];
    }
  }
}

/* What a step's matrix and right-hand side are made of. */
typedef struct Parts {
  Layout layout;
  AspBand M, bend, stretch, tension; /* dofs; the last three with dt^2 */
  double *middle;                    /* q halfway */
  AspBand E;                         /* of the layout */
  double *f;                         /* of the layout */
} Parts;

static AspError take_parts(AspArena *arena, const AspFlex *flex, Parts *parts) {
  int n = asp_flex_dofs(flex), w = asp_flex_bandwidth(flex);
  parts->M = asp_band_take(arena, n, w);
  parts->bend = asp_band_take(arena, n, w);
  parts->stretch = asp_band_take(arena, n, w);
  parts->tension = asp_band_take(arena, n, w);
  parts->middle = ASP_TAKE(arena, double, asp_flex_q_size(flex));
  parts->E = asp_band_take(arena, parts->layout.size, parts->layout.width);
  parts->f = ASP_TAKE(arena, double, parts->layout.size);
  bool complete =
      parts->M.a && parts->bend.a && parts->stretch.a && parts->tension.a && parts->middle && parts->E.a && parts->f;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

static void scale_band(AspBand *A, double factor) {
  for (size_t k = 0; k < band_entries(A->n, A->w); k++)
    A->a[k] *= factor;
}

/* Bending that the step does not resolve: F = (1 + d) S + BEAMS_LIMIT N into E, and (1 - theta) (theta + d) (G - S_b) v
 * to f. */
static AspError add_filter(AspFormulation *formulation, const AspState *state, int beam, double theta, double d,
                           Parts *parts, double *f) {
  const ModelBeam *it = &formulation->model->beam[beam];
  const double *v = state->v + it->v_at;
  AspArena *arena = formulation->arena;
  int n = parts->layout.dofs;
  AspBand F = asp_band_take(arena, n, parts->bend.w);
  double *y = ASP_TAKE(arena, double, n);
  if (!F.a || !y)
    return ASP_ERROR_MEMORY;
  memcpy(F.a, parts->M.a, band_entries(n, F.w) * sizeof *F.a);
  hold_stations(formulation, beam, BEAMS_HELD * asp_model_beam_mass(formulation->model, beam), &F);
  for (size_t k = 0; k < band_entries(n, F.w); k++)
    F.a[k] = (1 + d) * (parts->stretch.a[k] + parts->bend.a[k]) + BEAMS_LIMIT * F.a[k];
  add_band(&parts->layout, &F, -1, place_y, place_y, &parts->E);
  double c = sqrt((1 - theta) * (1 + theta + d)), part = (1 - theta) * (theta + d);
  add_band(&parts->layout, &parts->bend, c, place_y, place_v, &parts->E);
  add_band(&parts->layout, &parts->bend, c, place_v, place_y, &parts->E);
  asp_band_add_product(&parts->bend, 1, v, y);
  for (int i = 0; i < n; i++)
    f[i] -= part * y[i];
  if (!asp_band_factor(&F))
    return ASP_OK;
  asp_band_solve(&F, y);
  asp_band_add_product(&parts->bend, part, y, f);
  return ASP_OK;
}

/* The rows on stretching: soft ones, and those that hold. */
static AspError add_rows(AspFormulation *formulation, const AspState *state, const AspState *geometry, int beam,
                         double dt, Parts *parts) {
  const ModelBeam *it = &formulation->model->beam[beam];
  const Layout *layout = &parts->layout;
  int soft = asp_flex_soft_count(it->flex);
  double factor = 1 / (dt * (dt + it->def.damping));
  AspBand S = asp_band_take(formulation->arena, soft, asp_flex_compliance_bandwidth(it->flex));
  if (!S.a)
    return ASP_ERROR_MEMORY;
  asp_flex_compliance(it->flex, &S);
  add_band(layout, &S, -factor, place_row, place_row, &parts->E);
  for (int k = 0; k < layout->rows; k++) {
    AspFlexRow row, start;
    int at = place_row(layout, k);
    if (soft > 0)
      asp_flex_row(it->flex, k, parts->middle, NULL, &row);
    else
      beam_row(formulation->model, geometry, beam, k, &row);
    double give = 0;
    for (int i = 0; i < row.count; i++) {
      int place = place_v(layout, row.first + i);
      *band_at(&parts->E, at, place) = *band_at(&parts->E, place, at) = row.gradient[i];
      give += row.gradient[i] * row.gradient[i] / *band_at(&parts->E, place, place);
    }
    if (soft > 0)
      continue;
    beam_row(formulation->model, state, beam, k, &start);
    *band_at(&parts->E, at, at) = -BEAMS_GIVE * give;
    parts->f[at] = -(formulation->stretch_per_value * start.value + formulation->stretch_per_bias * row.bias);
  }
  return ASP_OK;
}

/* The beam's own forces over the step: A to E, and f. */
static AspError add_own_forces(AspFormulation *formulation, const AspState *state, const AspState *geometry, int beam,
                               double dt, double theta, Parts *parts, double *f) {
  const ModelBeam *it = &formulation->model->beam[beam];
  const double *q = state->q + it->q_at, *mean = geometry->v + it->v_at;
  double damping = it->def.damping, d = damping / dt, *h = ASP_TAKE(formulation->arena, double, parts->layout.dofs);
  if (!h)
    return ASP_ERROR_MEMORY;
  memcpy(parts->middle, q, (size_t)asp_flex_q_size(it->flex) * sizeof *q);
  asp_flex_move(it->flex, parts->middle, mean, 0.5 * dt);
  asp_flex_add_stiffness(it->flex, parts->middle, ASP_FLEX_STRETCH, &parts->stretch);
  asp_flex_add_stiffness(it->flex, parts->middle, ASP_FLEX_BEND, &parts->bend);
  asp_flex_add_tension(it->flex, q, parts->middle, theta * theta * dt * dt, &parts->tension);
  scale_band(&parts->stretch, dt * dt);
  scale_band(&parts->bend, dt * dt);
  // damping is in A and W: its part of the force at m is taken out again
  AspFlexAdvance advance = {{-damping, -damping}, {(1 - theta) * dt * dt, 0}};
  asp_flex_add_step_force(it->flex, q, parts->middle, mean, &advance, h);
  for (int i = 0; i < parts->layout.dofs; i++)
    f[i] += dt * h[i];
  asp_band_add_product(&parts->tension, 1, state->v + it->v_at, f);
  add_band(&parts->layout, &parts->stretch, 1 + d, place_v, place_v, &parts->E);
  add_band(&parts->layout, &parts->bend, theta * (theta + d), place_v, place_v, &parts->E);
  add_band(&parts->layout, &parts->tension, 1, place_v, place_v, &parts->E);
  return parts->layout.filtered ? add_filter(formulation, state, beam, theta, d, parts, f) : ASP_OK;
}

/* ---- into the problem ---- */

/* x = (E^-1 f - v)/dt; zero where E cannot be factored or there is no step. E and f are lost. */
static void free_acceleration(Parts *parts, const double *v, double dt, double *x) {
  memset(x, 0, (size_t)parts->layout.dofs * sizeof *x);
  if (!(dt > 0) || !asp_band_factor(&parts->E))
    return;
  asp_band_solve(&parts->E, parts->f);
  for (int i = 0; i < parts->layout.dofs; i++)
    x[i] = (parts->f[place_v(&parts->layout, i)] - v[i]) / dt;
}

/* What the beam's acceleration means for its stations: T x. */
static void accelerate_stations(AspFormulation *formulation, int beam, const double *x) {
  const AspModel *model = formulation->model;
  int n = asp_body_velocities(asp_model_dimension(model)), first = model->beam[beam].dof;
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

AspError asp_formulate_beam(AspFormulation *formulation, const AspState *state, const AspState *geometry, int beam,
                            double dt, double theta, const double *h, AspBeamMatrix *matrix, double *f, double *inner) {
  const ModelBeam *it = &formulation->model->beam[beam];
  Parts parts = {.layout = layout_of(formulation, it->flex, dt, theta)};
  const double *v = state->v + it->v_at;
  ASP_TRY(take_parts(formulation->arena, it->flex, &parts));
  int n = parts.layout.dofs;
  *matrix = (AspBeamMatrix){.dof = it->dof, .count = n};
  asp_flex_add_mass(it->flex, state->q + it->q_at, &parts.M);
  asp_band_add_product(&parts.M, 1, v, f);
  for (int i = 0; i < n; i++)
    f[i] += dt * h[i];
  add_band(&parts.layout, &parts.M, 1, place_v, place_v, &parts.E);
  if (dt > 0)
    ASP_TRY(add_own_forces(formulation, state, geometry, beam, dt, theta, &parts, f));
  if (parts.layout.rows > 0)
    ASP_TRY(add_rows(formulation, state, geometry, beam, dt, &parts));
  for (int i = 0; i < n; i++)
    parts.f[place_v(&parts.layout, i)] = f[i];
  for (int place = 0; place < parts.layout.size; place++)
    if (unknown_at(&parts.layout, place) >= n)
      inner[unknown_at(&parts.layout, place) - n] = parts.f[place];
  ASP_TRY(take_entries(formulation->arena, &parts.layout, &parts.E, matrix));
  free_acceleration(&parts, v, dt, formulation->acceleration + it->v_at);
  accelerate_stations(formulation, beam, formulation->acceleration + it->v_at);
  return ASP_OK;
}

/* ---- M + damping C + stiffness K ---- */

/* lead += Y^T S^-1 ((stiffness + damping tau) Y + stiffness tau Z), which couples all dofs */
static AspError add_soft_lead(AspFormulation *formulation, const AspState *state, int beam, double damping,
                              double stiffness, AspBeamMatrix *matrix, double *dense) {
  const ModelBeam *it = &formulation->model->beam[beam];
  int rows = asp_flex_soft_count(it->flex), n = matrix->count;
  double tau = it->def.damping, *X = ASP_TAKE(formulation->arena, double, (size_t)rows *(size_t)n);
  AspFlexRow *row = ASP_TAKE(formulation->arena, AspFlexRow, rows);
  AspBand S = asp_band_take(formulation->arena, rows, asp_flex_compliance_bandwidth(it->flex));
  if (!X || !row || !S.a)
    return ASP_ERROR_MEMORY;
  asp_flex_compliance(it->flex, &S);
  asp_band_factor(&S);
  for (int k = 0; k < rows; k++) {
    beam_row(formulation->model, state, beam, k, &row[k]);
    for (int i = 0; i < row[k].count; i++)
      X[(size_t)(row[k].first + i) * (size_t)rows + (size_t)k] =
          (stiffness + damping * tau) * row[k].gradient[i] + stiffness * tau * row[k].turn[i];
  }
  for (int j = 0; j < n; j++) {
    double *x = X + (size_t)j * (size_t)rows;
    asp_band_solve(&S, x);
    for (int k = 0; k < rows; k++)
      for (int i = 0; i < row[k].count; i++)
        dense[(size_t)j * (size_t)n + (size_t)(row[k].first + i)] += row[k].gradient[i] * x[k];
  }
  for (size_t j = 0; tau == 0 && j < (size_t)n; j++) // symmetric but for rounding
    for (size_t i = 0; i < j; i++) {
      double *a = dense + j * (size_t)n + i, *b = dense + i * (size_t)n + j;
      *a = *b = 0.5 * (*a + *b);
    }
  return ASP_OK;
}

AspError asp_formulate_beam_lead(AspFormulation *formulation, const AspState *state, int beam, double damping,
                                 double stiffness, AspBeamMatrix *matrix) {
  const ModelBeam *it = &formulation->model->beam[beam];
  AspArena *arena = formulation->arena;
  int n = asp_flex_dofs(it->flex), w = asp_flex_bandwidth(it->flex);
  const double *q = state->q + it->q_at;
  AspBand M = asp_band_take(arena, n, w), K = asp_band_take(arena, n, w), C = asp_band_take(arena, n, w);
  if (!M.a || !K.a || !C.a)
    return ASP_ERROR_MEMORY;
  *matrix = (AspBeamMatrix){.dof = it->dof, .count = n};
  asp_flex_add_mass(it->flex, q, &M);
  asp_flex_add_tangent(it->flex, q, state->v + it->v_at, &K, &C);
  for (size_t k = 0; k < band_entries(n, w); k++)
    M.a[k] += damping * C.a[k] + stiffness * K.a[k];
  if (asp_flex_soft_count(it->flex) == 0) {
    Layout plain = {.dofs = n, .node = asp_flex_node_dofs(it->flex), .stride = asp_flex_node_dofs(it->flex)};
    return take_entries(arena, &plain, &M, matrix);
  }
  double *all = ASP_TAKE(arena, double, (size_t)n *(size_t)n);
  if (!all)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < n; j++)
    for (int i = band_first(&M, j); i <= band_last(&M, j); i++)
      all[(size_t)j * (size_t)n + (size_t)i] = *band_at(&M, i, j);
  ASP_TRY(add_soft_lead(formulation, state, beam, damping, stiffness, matrix, all));
  matrix->row = ASP_TAKE_UNCLEARED(arena, int, (size_t)n *(size_t)n);
  matrix->column = ASP_TAKE_UNCLEARED(arena, int, (size_t)n *(size_t)n);
  matrix->value = all;
  if (!matrix->row || !matrix->column)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++, matrix->entries++) {
      matrix->row[matrix->entries] = i;
      matrix->column[matrix->entries] = j;
    }
  return ASP_OK;
}
