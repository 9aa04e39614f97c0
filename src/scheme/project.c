/* Positions back onto their conditions (formulate/projection.c), before a step that works on velocities.
 *
 * The problem is linear in the displacement x, and what is linear holds near the state only: a light body between heavy
 * ones would be moved to where none of its contacts is any more, through whatever is there. So x is taken in part,
 *
 *   alpha = min over the bodies of PROJECT_FARTHEST reach / (|shift| + reach |turn|),  at most 1,
 *
 * the same for all bodies that are connected by rows; since the conditions are convex in x, gaps that are open
 * stay open and overlaps become smaller for every alpha. Where alpha < 1 the contacts are to be looked at again. Joints
 * and beams are not held back: what they drift by is small against the bodies that they move, not against their shapes.
 *
 * At the end of a step joints are taken back at once, by the factors K of its own problem,
 *
 *   K [x, -l] = [H_c l_c, -Psi(q+)],   H_c^T x = -gap(q+),   q+ := q+ + x,   again while that makes Psi less
 *
 * with the contacts c that carry closed, and limits where they are. Its rows are those of the middle of the step
 * (simplified Newton): no problem is to be made and factored for it, and the next step mostly finds nothing to
 * correct. */
#include "base/disjoint_sets.h"
#include "linalg/vec3.h"
#include "model/joint_motions.h"
#include "scheme/step.h"
#include "scheme/tuning/scheme.h"
#include "solver/trial.h"

#include <math.h>

/* How far a row of a block may be off: a contact by what counts as closed, too; a joint by the smaller of both. */
static double most_off(const AspStepWork *work, const AspBlockTag *tag) {
  if (tag->role == ASP_ROLE_CONTACT)
    return work->slop + work->gap_tolerance;
  if (tag->role == ASP_ROLE_JOINT)
    return fmin(work->slop, work->slop_turn);
  return asp_role_is_of_joint(tag->role) && asp_joint_turns(work->model, tag->index) ? work->slop_turn : work->slop;
}

/* Is any row off by more? */
static bool is_off(const AspStepWork *work) {
  const AspFormulation *formulation = &work->formulation;
  for (int b = 0; b < formulation->blocks; b++) {
    double slop = most_off(work, &formulation->tag[b]);
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++) {
      double w = formulation->shift[k];
      if (w < -slop || (formulation->law[b].kind == ASP_LAW_EQUALITY && w > slop))
        return true;
    }
  }
  return false;
}

/* Bodies that are connected: set[body] as in disjoint_sets.h. Beams count as connected with everything: their dofs are
 * not those of a body. */
static int *find_sets(const AspStepWork *work) {
  const AspFormulation *formulation = &work->formulation;
  const AspModel *model = work->model;
  int bodies = asp_model_body_count(model), *set = ASP_TAKE_UNCLEARED(work->arena, int, bodies);
  bool whole = asp_model_beam_count(model) > 0;
  for (int body = 0; set && body < bodies; body++)
    set[body] = whole ? 0 : body;
  for (int k = 0; set && !whole && k < formulation->rows; k++)
    asp_row_unite(model, &formulation->row[k], set);
  return set;
}

/* |shift| + reach |turn| of a body's displacement, m. */
static double way_of(const AspModel *model, const double *displacement, int body, double reach) {
  int dimension = asp_model_dimension(model), n = asp_body_velocities(dimension);
  double shift = 0, turn = 0;
  for (int i = 0; i < n; i++) {
    double d = displacement[(size_t)(n * body + i)];
    *(i < dimension ? &shift : &turn) += d * d;
  }
  return sqrt(shift) + reach * sqrt(turn);
}

/* Bodies that the problem has contacts of, and nothing else: true. */
static void find_loose(const AspStepWork *work, bool *loose) {
  const AspFormulation *formulation = &work->formulation;
  for (int body = 0; body < asp_model_body_count(work->model); body++)
    loose[body] = asp_model_body_is_free(work->model, body) && work->reach[body] > 0 &&
                  asp_model_station_beam(work->model, body, NULL) < 0;
  for (int b = 0; b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; formulation->tag[b].role != ASP_ROLE_CONTACT && k < formulation->offset[b + 1];
         k++)
      for (const AspRow *part = &formulation->row[k]; part; part = part->more)
        loose[part->body_a] = loose[part->body_b] = false;
}

/* alpha of every body's set, into part[set]; the least of them. */
static double find_parts(const AspStepWork *work, int *set, const bool *loose, const double *displacement,
                         double *part) {
  int bodies = asp_model_body_count(work->model);
  double least = 1;
  for (int body = 0; body < bodies; body++)
    part[body] = 1;
  for (int body = 0; body < bodies; body++) {
    double reach = work->reach[body], way = loose[body] ? way_of(work->model, displacement, body, reach) : 0;
    if (way <= PROJECT_FARTHEST * reach)
      continue;
    int root = asp_set_of(set, body);
    part[root] = fmin(part[root], PROJECT_FARTHEST * reach / way);
    least = fmin(least, part[root]);
  }
  return least;
}

/* What the row of a contact becomes. One that is pressed more than it is open is at its bound, and not off by what the
 * tolerance leaves, which would open it for the step. */
static double row_after(const AspStepWork *work, int k) {
  const AspRow *row = &work->formulation.row[k];
  double open = asp_reduced_mass(work->model, row->body_a, row->body_b) * fabs(work->u[k]);
  return work->r[k] > open ? 0 : work->u[k];
}

/* Take the parts of the displacement; what becomes of the gaps. */
static void take_parts(AspStepWork *work, int *set, const double *part, double *displacement) {
  const AspFormulation *formulation = &work->formulation;
  const AspModel *model = work->model;
  int bodies = asp_model_body_count(model), n = asp_body_velocities(asp_model_dimension(model));
  for (int body = 0; body < bodies; body++)
    for (int i = 0; i < n; i++)
      displacement[n * body + i] *= part[asp_set_of(set, body)];
  for (int i = n * bodies; i < asp_model_v_size(model); i++) // beams
    displacement[i] *= part[0];
  for (int b = 0; b < formulation->blocks; b++) {
    if (formulation->tag[b].role != ASP_ROLE_CONTACT)
      continue;
    int k = formulation->offset[b], of_a = formulation->row[k].body_a;
    int body = asp_model_body_is_free(model, of_a) ? of_a : formulation->row[k].body_b;
    work->frames[formulation->tag[b].index].gap +=
        part[asp_set_of(set, body)] * (row_after(work, k) - formulation->shift[k] - formulation->known[k]);
  }
}

/* Spins that a step does not resolve turn with their bodies: about the axis of a needle they are large, and left behind
 * in the world they would be spins across it, with a thousand times the energy. */
static void turn_spins(const AspModel *model, double dt, const double *displacement, AspState *state) {
  for (int body = 0; asp_model_dimension(model) == 3 && body < asp_model_body_count(model); body++) {
    if (!asp_body_turns(model, body))
      continue;
    const double *d = displacement + (size_t)asp_body_velocities(3) * body + 3;
    double *w = state->v + (size_t)asp_body_velocities(3) * body + 3;
    if (dt * norm3(vec3(w[0], w[1], w[2])) <= ROTATION_RESOLVED)
      continue;
    AspVec3 turned = quat_rotate(quat_from_vector(vec3(d[0], d[1], d[2])), vec3(w[0], w[1], w[2]));
    w[0] = turned.x;
    w[1] = turned.y;
    w[2] = turned.z;
  }
}

static bool is_beyond(const AspJointDef *def, double value, double slop) {
  return !(value >= def->limit_low - slop && value <= def->limit_high + slop);
}

/* Can anything be off, by values alone? Rows with their gradients cost more. */
static bool may_be_off(const AspStepWork *work, const AspState *state) {
  const AspModel *model = work->model;
  bool off = asp_model_beam_count(model) > 0;
  asp_joint_motions_take(work->motions, model, state);
  for (int i = 0; i < work->frame_count && !off; i++)
    off = work->frames[i].gap < -(work->slop + work->gap_tolerance);
  for (int joint = 0; joint < asp_model_joint_count(model) && !off; joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    RowMotion motion[ASP_JOINT_ROWS_MAX];
    int count = asp_kept_row_motions(work->motions, model, state, joint, motion);
    for (int k = 0; k < count; k++)
      off = off || !(fabs(motion[k].value) <= (motion[k].is_length ? work->slop : work->slop_turn));
    off = off || def->motion ||
          ((isfinite(def->limit_low) || isfinite(def->limit_high)) &&
           asp_kept_motion_of_coordinate(work->motions, model, state, joint, motion) &&
           is_beyond(def, motion->value, motion->is_length ? work->slop : work->slop_turn));
  }
  return off;
}

AspError asp_project_positions(AspStepWork *work, AspState *state, bool *more) {
  AspFormulation *formulation = &work->formulation;
  *more = false;
  if (!may_be_off(work, state))
    return ASP_OK;
  ASP_TRY(asp_formulation_begin(formulation, work->arena, work->model, work->frames, work->frame_count));
  ASP_TRY(asp_formulate_projection(formulation, state, work->frames, work->frame_count, work->slop, work->slop_turn,
                                   work->dt));
  if (!is_off(work))
    return ASP_OK;
  ASP_TRY(asp_formulate_projection_metric(formulation, state, work->dt));
  ASP_TRY(asp_find_redundant(work));
  ASP_TRY(asp_formulation_finish(formulation));
  ASP_TRY(asp_take_solution(work));
  ASP_TRY(asp_solver_try(work->projector, &formulation->problem, work->r, work->u, work->x, &work->solved));
  asp_count_aside(work, &work->solved);
  int *set = find_sets(work);
  double *displacement = ASP_TAKE(work->arena, double, asp_model_v_size(work->model));
  double *part = ASP_TAKE_UNCLEARED(work->arena, double, asp_model_body_count(work->model));
  bool *loose = ASP_TAKE_UNCLEARED(work->arena, bool, asp_model_body_count(work->model));
  if (!set || !displacement || !part || !loose)
    return ASP_ERROR_MEMORY;
  asp_state_spread(work->model, state, work->x, displacement);
  find_loose(work, loose);
  *more = find_parts(work, set, loose, displacement, part) < 1;
  take_parts(work, set, part, displacement);
  asp_state_displace(work->model, state, displacement);
  turn_spins(work->model, work->dt, displacement, state);
  return ASP_OK;
}

/* ---- at the end of a step ---- */

static bool is_one_sided(AspBlockRole role) {
  return role == ASP_ROLE_CONTACT || role == ASP_ROLE_LIMIT_LOW || role == ASP_ROLE_LIMIT_HIGH;
}

/* Contacts and limits that carry. True where there are any. */
static bool find_held(const AspStepWork *work, bool *held) {
  const AspFormulation *formulation = &work->formulation;
  bool any = false;
  for (int b = 0; b < formulation->blocks; b++) {
    int normal = formulation->offset[b];
    if (is_one_sided(formulation->tag[b].role) && work->r[normal] > 0)
      any = held[normal] = true;
  }
  return any;
}

/* Does a displacement x of the dofs move bodies into what they touch, or off: contacts and limits that do not carry,
 * u dt away at the end of the step? */
static bool runs_into(const AspStepWork *work, const bool *held, const double *x) {
  const AspFormulation *formulation = &work->formulation;
  const AspSparse *H = &formulation->problem.H;
  for (int b = 0; b < formulation->blocks; b++) {
    int k = formulation->offset[b];
    if (!is_one_sided(formulation->tag[b].role) || held[k])
      continue;
    double way = 0;
    for (int e = H->start[k]; e < H->start[k + 1]; e++)
      way += H->value[e] * x[H->row[e]];
    double open = fmax(work->u[k], 0) * work->dt;
    if (open + way < -work->slop || (open <= work->slop && way > work->slop))
      return true;
  }
  return false;
}

/* How far the rows of joints and prescribed motions are off at a state, m or rad, into off (rows); the most. */
static double find_off(const AspStepWork *work, const AspState *state, double *off) {
  const AspFormulation *formulation = &work->formulation;
  const AspModel *model = work->model;
  double most = 0;
  asp_joint_motions_take(work->motions, model, state);
  for (int b = 0; b < formulation->blocks; b++) {
    RowMotion motion[ASP_JOINT_ROWS_MAX];
    AspJet wanted;
    int first = formulation->offset[b], joint = formulation->tag[b].index, count = 0;
    if (formulation->tag[b].role == ASP_ROLE_JOINT)
      count = asp_kept_row_motions(work->motions, model, state, joint, motion);
    else if (formulation->tag[b].role == ASP_ROLE_MOTION && asp_joint_motion(model, state, joint, state->t, &wanted) &&
             asp_kept_motion_of_coordinate(work->motions, model, state, joint, motion)) {
      motion->value -= wanted.value;
      count = 1;
    }
    for (int k = 0; k < count && first + k < formulation->offset[b + 1]; k++) {
      off[first + k] = motion[k].value;
      most = fmax(most, fabs(motion[k].value));
    }
  }
  return most;
}

/* The gaps of contacts that are held, m. */
static void find_gaps(const AspStepWork *work, const AspState *state, const bool *held, double *off) {
  const AspFormulation *formulation = &work->formulation;
  for (int b = 0; work->gap_at && b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    int k = formulation->offset[b];
    if (tag->role != ASP_ROLE_CONTACT || !held[k])
      continue;
    double gap = work->gap_at(work->gap_user, tag->index, state);
    off[k] = gap > 0 ? fmax(gap - work->gap_tolerance, 0) : gap;
  }
}

AspError asp_project_end(AspStepWork *work, AspState *state, bool *met) {
  const AspModel *model = work->model;
  const AspContactProblem *problem = &work->formulation.problem;
  *met = asp_model_joint_count(model) == 0;
  if (*met || asp_model_beam_count(model) > 0)
    return ASP_OK;
  double *off = ASP_TAKE(work->arena, double, problem->rows), *x = ASP_TAKE(work->arena, double, problem->dofs);
  double *displacement = ASP_TAKE(work->arena, double, asp_model_v_size(model));
  bool *held = ASP_TAKE(work->arena, bool, problem->rows);
  AspState last = asp_state_copied(model, work->arena, state);
  if (!off || !x || !displacement || !held || !last.q)
    return ASP_ERROR_MEMORY;
  bool holds = find_held(work, held);
  if (holds && asp_step_has_impact(work)) // where its bodies come apart nothing is to be held
    return ASP_OK;
  double most = find_off(work, state, off);
  for (int pass = 0; pass < PROJECT_END_PASSES && most > work->slop; pass++) {
    bool done;
    if (holds)
      find_gaps(work, state, held, off);
    ASP_TRY(asp_solver_correct(work->solver, problem, off, holds ? held : NULL, x, &done));
    if (!done || (holds && runs_into(work, held, x)))
      return ASP_OK;
    asp_state_spread(model, state, x, displacement);
    asp_state_displace(model, state, displacement);
    double before = most;
    most = find_off(work, state, off);
    if (!(most <= PROJECT_END_FALLS * before)) { // rounding, or too far: the next step begins with its own
      asp_state_copy(model, &last, state);
      return ASP_OK;
    }
    asp_state_copy(model, state, &last);
  }
  *met = most <= work->slop;
  return ASP_OK;
}
