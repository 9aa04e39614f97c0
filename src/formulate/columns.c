/* From rows to columns of H: the one place where a gradient over bodies becomes one over dofs. A dynamic body's part
 * stays as it is; that of a station goes to its beam's dofs by T^T, (v, w) = T x; fixed and kinematic bodies have none.
 * Two stations of one beam may share dofs: their parts are added. */
#include "base/disjoint_sets.h"
#include "flex/flex.h"
#include "formulate/formulate.h"
#include "model/tendon.h"

AspError asp_columns_begin(AspFormulation *formulation) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  int stretches = asp_stretch_count(model);
  formulation->dof = model->dof_of;
  formulation->station = model->station_of;
  formulation->stretch = ASP_TAKE(arena, AspStretchRow, stretches);
  if (!formulation->stretch)
    return ASP_ERROR_MEMORY;
  formulation->map = ASP_TAKE(arena, AspStationMap, model->station_count);
  double *gradients = ASP_TAKE(arena, double, (size_t)stretches *ASP_FLEX_ROW_SPAN);
  for (int k = 0; gradients && k < stretches; k++)
    formulation->stretch[k].gradient = gradients + (size_t)k * ASP_FLEX_ROW_SPAN;
  return formulation->map && gradients ? ASP_OK : ASP_ERROR_MEMORY;
}

void asp_columns_place(AspFormulation *formulation, const AspState *geometry) {
  bool any = asp_model_beam_count(formulation->model) > 0;
  for (int body = 0; any && body < asp_model_body_count(formulation->model); body++)
    if (formulation->station[body] >= 0)
      asp_station_map(formulation->model, geometry, body, &formulation->map[formulation->station[body]]);
}

/* The part of one body: first dof and values; how many. */
static int part(const AspFormulation *formulation, int n, int body, const double *j, int *first, double *value) {
  if (formulation->dof[body] >= 0) {
    *first = formulation->dof[body];
    memcpy(value, j, (size_t)n * sizeof *value);
    return n;
  }
  if (formulation->station[body] < 0)
    return 0;
  const AspStationMap *map = &formulation->map[formulation->station[body]];
  *first = map->dof;
  for (int k = 0; k < map->count; k++)
    value[k] = asp_row_dot(n, map->T + n * k, j);
  return map->count;
}

static int append(int *dof, double *value, int at, int first, int count, const double *from) {
  memcpy(value + at, from, (size_t)count * sizeof *value);
  for (int i = 0; i < count; i++)
    dof[at + i] = first + i;
  return at + count;
}

/* Six dofs in a row from `first` on, -1: none. How many. */
static int append_six(int *dof, double *value, int first, const double *gradient) {
  if (first < 0)
    return 0;
  for (int i = 0; i < 6; i++)
    dof[i] = first + i;
  memcpy(value, gradient, 6 * sizeof *value);
  return 6;
}

bool asp_plain_bodies(const AspFormulation *formulation, int body_a, int body_b, int *dof_a, int *dof_b) {
  *dof_a = formulation->dof[body_a];
  *dof_b = formulation->dof[body_b];
  return asp_model_dimension(formulation->model) == 3 && formulation->station[body_a] < 0 &&
         formulation->station[body_b] < 0;
}

/* The gradients of a row on such bodies as they are. How many entries. */
static int scatter_plain(const AspRow *row, int dof_a, int dof_b, int *dof, double *value) {
  bool b_first = dof_b < dof_a;
  int at = append_six(dof, value, b_first ? dof_b : dof_a, b_first ? row->jb : row->ja);
  return at + append_six(dof + at, value + at, b_first ? dof_a : dof_b, b_first ? row->ja : row->jb);
}

/* One part of a row. How many entries. */
static int scatter_part(const AspFormulation *formulation, const AspRow *row, int *dof, double *value) {
  int dof_a, dof_b;
  if (asp_plain_bodies(formulation, row->body_a, row->body_b, &dof_a, &dof_b))
    return scatter_plain(row, dof_a, dof_b, dof, value);
  double a[ASP_STATION_DOFS_MAX], b[ASP_STATION_DOFS_MAX];
  int n = asp_body_velocities(asp_model_dimension(formulation->model)), first_a = 0, first_b = 0, at = 0;
  int count_a = part(formulation, n, row->body_a, row->ja, &first_a, a);
  int count_b = part(formulation, n, row->body_b, row->jb, &first_b, b);
  bool a_first = count_b == 0 || (count_a > 0 && first_a <= first_b);
  int first = a_first ? first_a : first_b, count = a_first ? count_a : count_b;
  int later = a_first ? first_b : first_a, later_count = a_first ? count_b : count_a;
  const double *low = a_first ? a : b, *high = a_first ? b : a;
  at = append(dof, value, 0, first, count, low);
  int shared = later_count > 0 && later < first + count ? first + count - later : 0;
  shared = shared < later_count ? shared : later_count;
  for (int i = 0; i < shared; i++)
    value[later - first + i] += high[i];
  return append(dof, value, at, later + shared, later_count - shared, high + shared);
}

/* Adds an entry to the ascending list; its new length. */
static int merge(int entry_dof, double entry_value, int *dof, double *value, int count) {
  int at = count;
  while (at > 0 && dof[at - 1] > entry_dof)
    at--;
  if (at > 0 && dof[at - 1] == entry_dof) {
    value[at - 1] += entry_value;
    return count;
  }
  memmove(dof + at + 1, dof + at, (size_t)(count - at) * sizeof *dof);
  memmove(value + at + 1, value + at, (size_t)(count - at) * sizeof *value);
  dof[at] = entry_dof;
  value[at] = entry_value;
  return count + 1;
}

int asp_row_scatter(const AspFormulation *formulation, const AspRow *row, int *dof, double *value) {
  int count = scatter_part(formulation, row, dof, value);
  for (const AspRow *part = row->more; part; part = part->more) {
    int other_dof[2 * ASP_STATION_DOFS_MAX];
    double other[2 * ASP_STATION_DOFS_MAX];
    int entries = scatter_part(formulation, part, other_dof, other);
    for (int i = 0; i < entries; i++)
      count = merge(other_dof[i], other[i], dof, value, count);
  }
  return count;
}

/* The free ones of two bodies join `with` (-1: none yet), and one of them stands for all. */
static int unite_pair(const AspModel *model, int body_a, int body_b, int with, int *parent) {
  const int body[2] = {body_a, body_b};
  for (int side = 0; side < 2; side++) {
    if (!asp_model_body_is_free(model, body[side]))
      continue;
    if (with >= 0)
      asp_unite_sets(parent, with, body[side]);
    with = body[side];
  }
  return with;
}

void asp_row_unite(const AspModel *model, const AspRow *row, int *parent) {
  int with = -1;
  for (const AspRow *part = row; part; part = part->more)
    with = unite_pair(model, part->body_a, part->body_b, with, parent);
}

void asp_joint_unite(const AspModel *model, int joint, int *parent) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  int with = unite_pair(model, def->body_a, def->body_b, -1, parent);
  for (int i = 0; i < def->term_count; i++) {
    const AspJointDef *term = asp_model_joint_def(model, def->term[i].joint);
    with = unite_pair(model, term->body_a, term->body_b, with, parent);
  }
  for (int k = 0, body; def->kind == ASP_JOINT_TENDON && (body = asp_tendon_body(model, joint, k)) >= 0; k++)
    with = unite_pair(model, body, body, with, parent);
}

const AspStretchRow *asp_stretch_of(const AspFormulation *formulation, int k) {
  int i = k - formulation->stretch_first;
  return i >= 0 && i < formulation->stretches ? &formulation->stretch[i] : NULL;
}

/* How many dofs a body's part of a row has, from *first on. */
static int body_size(const AspFormulation *formulation, int n, int body, int *first) {
  int station = formulation->station[body];
  *first = station >= 0 ? formulation->map[station].dof : formulation->dof[body];
  return station >= 0 ? formulation->map[station].count : *first >= 0 ? n : 0;
}

int asp_column_size(const AspFormulation *formulation, int k, const AspRow *row) {
  const AspStretchRow *stretch = asp_stretch_of(formulation, k);
  if (stretch)
    return stretch->count;
  if (row->more) {
    int dof[ASP_COLUMN_MAX];
    double value[ASP_COLUMN_MAX];
    return asp_row_scatter(formulation, row, dof, value);
  }
  int n = asp_body_velocities(asp_model_dimension(formulation->model)), a, b;
  if (asp_plain_bodies(formulation, row->body_a, row->body_b, &a, &b))
    return (a >= 0 ? 6 : 0) + (b >= 0 ? 6 : 0);
  int count_a = body_size(formulation, n, row->body_a, &a), count_b = body_size(formulation, n, row->body_b, &b);
  int end = a + count_a < b + count_b ? a + count_a : b + count_b, shared = end - (a > b ? a : b);
  return count_a + count_b - (count_a > 0 && count_b > 0 && shared > 0 ? shared : 0);
}

int asp_column(const AspFormulation *formulation, int k, const AspRow *row, int *dof, double *value) {
  const AspStretchRow *stretch = asp_stretch_of(formulation, k);
  if (stretch)
    return append(dof, value, 0, stretch->dof, stretch->count, stretch->gradient);
  return asp_row_scatter(formulation, row, dof, value);
}
