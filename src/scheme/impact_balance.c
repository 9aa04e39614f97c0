/* Energy balance of impacts by Newton's law. Over a step from v to v+ the reactions of a block change the kinetic
 * energy by
 *
 *   r . (J v + J v+)/2,
 *
 * exactly, since T+ - T = (v+ - v) . M (v+ + v)/2. Summed over bodies that are connected by reactions it must not
 * be positive where one of them is hit; with friction Newton's law can make it so (Kane and Levinson 1985): slip that
 * turns back while the normal velocity is given back. */
#include "base/disjoint_sets.h"
#include "formulate/blocks.h"
#include "scheme/step.h"
#include "scheme/tuning/scheme.h"

#include <math.h>

typedef struct Group {
  double work, size; /* sum of the blocks' work, and of the sizes of its terms before they cancel, J */
  bool hit;
  double largest; /* the contact with the largest work */
  int frame;
} Group;

/* The dynamic body of a row that stands for it; -1: none. */
static int row_body(const AspModel *model, const AspRow *row) {
  return asp_model_body_is_free(model, row->body_a)   ? row->body_a
         : asp_model_body_is_free(model, row->body_b) ? row->body_b
                                                      : -1;
}

/* The rate of a row at v, m/s; 0 where it is the rounding of its two bodies' parts. */
static double rate_at(const AspRow *row, int n, const double *v) {
  double a = asp_row_dot(n, row->ja, v + (size_t)n * (size_t)row->body_a);
  double b = asp_row_dot(n, row->jb, v + (size_t)n * (size_t)row->body_b);
  return fabs(a + b) > IMPACT_BALANCE_ROUNDING * (fabs(a) + fabs(b)) ? a + b : 0;
}

/* Is the contact of a block hit: it approached, and gives velocity back? Whatever scheme made the step. */
static bool hits(const AspStepWork *work, int block, const double *before, const double *now) {
  const AspFormulation *formulation = &work->formulation;
  int first = formulation->offset[block], n = asp_body_velocities(asp_model_dimension(work->model));
  if (formulation->tag[block].role != ASP_ROLE_CONTACT || formulation->offset[block + 1] == first ||
      !(work->frames[formulation->tag[block].index].restitution > 0) || !(work->r[first] > 0))
    return false;
  AspRow room[3];
  const AspRow *row = asp_block_rows(formulation, block, room);
  return rate_at(row, n, before) < 0 && rate_at(row, n, now) > 0;
}

static void connect(const AspStepWork *work, int *parent) {
  const AspFormulation *formulation = &work->formulation;
  for (int b = 0; b < formulation->blocks; b++) {
    AspRow room[3];
    const AspRow *row = asp_block_rows(formulation, b, room);
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++, row++) {
      if (work->r[k] != 0)
        asp_row_unite(work->model, row, parent);
    }
  }
}

/* Sum of the sizes of the terms that a row's rate at v is made of, m/s: what its rounding is measured by. */
static double rate_size(const AspRow *row, int n, const double *v) {
  double sum = fabs(row->rate);
  for (const AspRow *part = row; part; part = part->more)
    for (int k = 0; k < n; k++)
      sum += fabs(part->ja[k] * v[(size_t)n * (size_t)part->body_a + (size_t)k]) +
             fabs(part->jb[k] * v[(size_t)n * (size_t)part->body_b + (size_t)k]);
  return sum;
}

static double block_work(const AspStepWork *work, int block, const double *before, const double *now, double *size) {
  const AspFormulation *formulation = &work->formulation;
  int n = asp_body_velocities(asp_model_dimension(work->model));
  double sum = 0;
  AspRow room[3];
  const AspRow *row = asp_block_rows(formulation, block, room);
  for (int k = formulation->offset[block]; k < formulation->offset[block + 1]; k++, row++) {
    double rate = asp_row_along(n, row, before) + row->rate, rate_now = asp_row_along(n, row, now) + row->rate;
    sum += 0.5 * work->r[k] * (rate + rate_now);
    *size += 0.5 * fabs(work->r[k]) * (rate_size(row, n, before) + rate_size(row, n, now));
  }
  return sum;
}

AspError asp_impact_balance(AspStepWork *work, const double *before, const AspState *state) {
  const AspFormulation *formulation = &work->formulation;
  bool any = false;
  work->gain = 0;
  for (int b = 0; b < formulation->blocks && !any; b++)
    any = hits(work, b, before, state->v);
  if (!any)
    return ASP_OK;
  int bodies = asp_model_body_count(work->model);
  int *parent = ASP_TAKE(work->arena, int, bodies);
  Group *group = ASP_TAKE(work->arena, Group, bodies);
  if (!parent || !group)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < bodies; i++) { // stations are connected through their beam
    int beam = asp_model_station_beam(work->model, i, NULL);
    parent[i] = beam >= 0 ? asp_model_beam_station(work->model, beam, false) : i;
  }
  connect(work, parent);
  for (int b = 0; b < formulation->blocks; b++) {
    if (formulation->offset[b + 1] == formulation->offset[b])
      continue;
    AspRow room[3];
    int body = row_body(work->model, asp_block_rows(formulation, b, room));
    if (body < 0)
      continue;
    Group *its = &group[asp_set_of(parent, body)];
    double done = block_work(work, b, before, state->v, &its->size);
    its->work += done;
    its->hit = its->hit || hits(work, b, before, state->v);
    if (formulation->tag[b].role == ASP_ROLE_CONTACT && done > its->largest) {
      its->largest = done;
      its->frame = formulation->tag[b].index;
    }
  }
  for (int i = 0; i < bodies; i++)
    if (group[i].hit && group[i].largest > 0 &&
        group[i].work > fmax(IMPACT_BALANCE_ROUNDING * group[i].size, work->gain)) {
      work->gain = group[i].work;
      work->gain_frame = group[i].frame;
    }
  return ASP_OK;
}
