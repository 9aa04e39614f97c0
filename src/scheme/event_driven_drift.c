/* Drift of the event-driven scheme: joints and closed contacts hold at acceleration level, and positions and velocities
 * drift off by what the integrator allows. Removed by the smallest change (M norm) at every change of modes. */
#include "scheme/event_driven.h"

#include "linalg/dimension.h"

#include <math.h>

double asp_events_rate(const AspSchemeHost *host, const AspRow *row) {
  int n = asp_body_velocities(asp_model_dimension(host->model));
  return asp_row_along(n, row, host->state->v) + row->rate;
}

/* What a row is off, as a length (rate = false) or a speed. */
static double row_error(const AspSchemeHost *host, const AspFormulation *formulation, int block, int k, bool rate) {
  const AspBlockTag *tag = &formulation->tag[block];
  const AspJointDef *def = asp_role_is_of_contact(tag->role) ? NULL : asp_model_joint_def(host->model, tag->index);
  const AspRow *row = &formulation->row[k];
  double moves = asp_events_rate(host, row), effort;
  AspJet jet;
  switch (tag->role) {
  case ASP_ROLE_JOINT:
    return rate ? moves : row->value;
  case ASP_ROLE_MOTION:
    asp_joint_motion(host->model, host->state, tag->index, host->state->t, &jet);
    return rate ? moves - jet.rate : row->value - jet.value;
  case ASP_ROLE_MOTOR:
    asp_joint_motor(host->model, host->state, tag->index, host->state->t, &jet, &effort);
    return rate ? moves - jet.value : 0;
  case ASP_ROLE_LIMIT_LOW:
    return rate ? moves : row->value - def->limit_low;
  case ASP_ROLE_LIMIT_HIGH: // the row has the opposite sign, its value that of the coordinate
    return rate ? moves : def->limit_high - row->value;
  case ASP_ROLE_ARMATURE: // gives way
    return 0;
  case ASP_ROLE_CONTACT:
    return rate ? moves : k == formulation->offset[block] ? host->work->frames[tag->index].gap : 0;
  default:
    return rate ? moves : 0;
  }
}

/* Errors of all rows, on the arena (NULL: out of memory), and the largest of constrained ones over what is none. */
double *asp_events_row_errors(const EventRun *run, const AspFormulation *formulation, bool rate, double *largest) {
  const AspSchemeHost *host = run->host;
  // exact: the slop is 1e-9 of the size
  double *error = ASP_TAKE(host->arena, double, formulation->rows), none = 1e9 * (rate ? run->speed : host->slop);
  *largest = 0;
  for (int b = 0; error && b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++) {
      const AspLaw *law = &formulation->law[b];
      error[k] = row_error(host, formulation, b, k, rate);
      bool known = (law->kind == ASP_LAW_SLIDING && k > formulation->offset[b]) || asp_reaction_is_given(law);
      *largest = known ? *largest : fmax(*largest, fabs(error[k]) / none);
    }
  return error;
}

static AspError correct(EventRun *run, bool rate) {
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation formulation;
  double largest, *x;
  asp_state_copy(host->model, host->state, &run->base);
  ASP_TRY(asp_events_formulate(run, host->state, &formulation));
  double *error = asp_events_row_errors(run, &formulation, rate, &largest);
  if (!error)
    return ASP_ERROR_MEMORY;
  if (largest > EVENT_MODES_EXACT) {
    ASP_TRY(asp_correct_constrained(&formulation, host->state, error, &x));
    if (rate)
      for (int i = 0; i < asp_model_v_size(host->model); i++)
        host->state->v[i] += x[i];
    else
      asp_state_displace(host->model, host->state, x);
  }
  asp_arena_rewind(host->arena, mark);
  return ASP_OK;
}

AspError asp_events_correct_drift(EventRun *run) {
  ASP_TRY(correct(run, false));
  return correct(run, true);
}
