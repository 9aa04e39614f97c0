/* The conditions at the end of a step and the problem of one level of them; see end_state.h. Rows of joints are those
 * of asp_joint_rows, of contacts those of asp_contact_rows; resistances to rolling and spinning count as not biased at
 * the acceleration level (their bias is of the order of w^2 and felt only while they stick). Depends on model. */
#include "formulate/end_state.h"
#include "formulate/blocks.h"
#include "linalg/vec3.h"

#include <math.h>

typedef struct Conditions {
  AspFormulation *formulation;
  const AspState *start, *end;
  const AspFrictionModel *friction;
  AspStepTerms terms;
  AspEndRows *rows;
} Conditions;

/* A row with its three levels; `motion` is taken off. */
static void add_condition(Conditions *c, const AspRow *row, double value, bool placed, AspJet motion, double shift) {
  int k = c->formulation->rows;
  c->rows->value[k] = value;
  c->rows->placed[k] = placed;
  c->rows->bias[k] = row->bias - motion.acceleration;
  add_row(c->formulation, row, -motion.rate, shift, &c->terms);
}

static const AspJet at_rest = {0, 0, 0};

static void add_limit(Conditions *c, int joint, AspBlockRole role, const AspRow *row, const AspRow *before,
                      double distance) {
  double approach = fmin(row_rate(c->formulation->model, c->start, before), 0);
  open_block(c->formulation, (AspLaw){.kind = ASP_LAW_UNILATERAL}, role, joint);
  add_condition(c, row, distance, true, at_rest,
                asp_model_joint_def(c->formulation->model, joint)->limit_restitution * approach);
}

/* Motors: the effort acts for the time of the step. */
static void add_effort(Conditions *c, int joint, AspBlockRole role, const AspRow *row, double effort, AspJet wanted) {
  bool bounded = isfinite(effort);
  AspLaw law = {.kind = bounded ? ASP_LAW_BOX : ASP_LAW_EQUALITY, .limit = bounded ? c->terms.effort_time * effort : 0};
  open_block(c->formulation, law, role, joint);
  add_condition(c, row, 0, false, (AspJet){0, wanted.value, wanted.rate}, 0);
}

static void add_friction(Conditions *c, int joint, const AspRow *row) {
  AspJointFriction friction[ASP_JOINT_FRICTIONS];
  int count = asp_joint_frictions(c->formulation->model, joint, friction);
  for (int i = 0; i < count; i++) {
    open_friction(c->formulation, joint, &friction[i], c->terms.effort_time);
    for (int k = friction[i].first; k < friction[i].first + friction[i].rows; k++)
      add_condition(c, &row[k], 0, false, at_rest, 0);
  }
}

static void add_bearing(Conditions *c, int joint, const AspRow *row) {
  AspFormulation *formulation = c->formulation;
  int first = formulation->rows;
  asp_formulate_bearing(formulation, c->end, joint, row, c->friction, &c->terms);
  c->rows->bias[first + 1] = asp_bearing_lever(formulation->model, joint) * row->bias;
}

static void add_coordinate(Conditions *c, int joint) {
  const AspModel *model = c->formulation->model;
  const AspJointDef *def = asp_model_joint_def(model, joint);
  AspRow row[ASP_ROW_PARTS], before[ASP_ROW_PARTS], opposite[ASP_ROW_PARTS], opposite_before[ASP_ROW_PARTS];
  AspJet jet;
  double effort;
  if (!asp_joint_coordinate(model, c->end, joint, row) || !asp_joint_coordinate(model, c->start, joint, before)) {
    if (asp_joint_free_rows(model, c->end, joint, row) > 0)
      add_friction(c, joint, row);
    return;
  }
  if (asp_joint_motion(model, c->end, joint, c->end->t, &jet)) {
    open_block(c->formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_MOTION, joint);
    add_condition(c, row, row->value - jet.value, true, jet, 0);
  }
  // by what was sensed at the start, as it goes on: a target that switches with its own motion has no solution
  if (asp_joint_motor(model, c->start, joint, c->end->t, &jet, &effort))
    add_effort(c, joint, ASP_ROLE_MOTOR, row, effort, jet);
  add_friction(c, joint, row);
  if (def->friction_coefficient > 0)
    add_bearing(c, joint, row);
  if (isfinite(def->limit_low))
    add_limit(c, joint, ASP_ROLE_LIMIT_LOW, row, before, row->value - def->limit_low);
  if (isfinite(def->limit_high)) {
    opposite_row(row, opposite);
    opposite_row(before, opposite_before);
    add_limit(c, joint, ASP_ROLE_LIMIT_HIGH, opposite, opposite_before, def->limit_high - row->value);
  }
}

/* Conditions on the length of beams. */
static void add_stretch(Conditions *c) {
  int k = c->formulation->rows;
  asp_formulate_stretch(c->formulation, c->end, c->end, 0, 0, &c->terms);
  for (int i = 0; i < c->formulation->stretches; i++, k++) {
    c->rows->value[k] = c->formulation->stretch[i].value;
    c->rows->bias[k] = c->formulation->stretch[i].bias;
    c->rows->placed[k] = true;
  }
}

/* Gaps and biases beside the contact rows, which are there. */
static void add_contact_levels(Conditions *c, const AspContactFrame *frames, const AspRoundness *round) {
  AspFormulation *formulation = c->formulation;
  for (int b = 0; b < formulation->blocks; b++) {
    if (formulation->tag[b].role != ASP_ROLE_CONTACT)
      continue;
    int frame = formulation->tag[b].index, first = formulation->offset[b];
    double bias[3];
    asp_contact_bias(formulation->model, c->end, &frames[frame], &round[2 * (size_t)frame], bias);
    c->rows->value[first] = frames[frame].gap;
    c->rows->placed[first] = true;
    bias[1] += dot3(frames[frame].belt_rate, frames[frame].t1);
    bias[2] += dot3(frames[frame].belt_rate, frames[frame].t2);
    for (int k = 0; k < formulation->offset[b + 1] - first; k++)
      c->rows->bias[first + k] = bias[k] * (k > 0 ? frames[frame].stretch[k - 1] : 1);
  }
}

AspError asp_formulate_end(AspFormulation *formulation, const AspState *start, const AspState *end,
                           const AspContactFrame *frames, const AspRoundness *round, int count,
                           const AspFrictionModel *friction, double effort_time, AspEndRows *rows) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  *rows = (AspEndRows){ASP_TAKE(arena, double, formulation->row_capacity),
                       ASP_TAKE(arena, double, formulation->row_capacity),
                       ASP_TAKE(arena, bool, formulation->row_capacity)};
  if (!rows->value || !rows->bias || !rows->placed)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_joints_check_time(arena->context, model, end, end->t));
  ASP_TRY(asp_formulate_dynamics(formulation, end, end, 0, 1));
  Conditions c = {.formulation = formulation,
                  .start = start,
                  .end = end,
                  .friction = friction,
                  .terms = {.level = ASP_LEVEL_VELOCITY,
                            .phase = ASP_PHASE_END,
                            .effort_time = effort_time,
                            .known_velocity = end->v},
                  .rows = rows};
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspRow joint_rows[ASP_JOINT_ROWS_MAX] = {0};
    int n = asp_joint_rows(model, end, joint, joint_rows);
    open_joint(formulation, joint, n);
    for (int k = 0; k < n; k++)
      add_condition(&c, &joint_rows[k], joint_rows[k].value, true, at_rest, 0);
  }
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    add_coordinate(&c, joint);
  add_stretch(&c);
  ASP_TRY(asp_formulate_contacts(formulation, frames, count, friction, end, &c.terms));
  asp_formulation_keep_rows(formulation); // frames move on with the step's iterations
  add_contact_levels(&c, frames, round);
  return asp_formulation_finish(formulation);
}

/* ---- one level ---- */

static AspError make_room(const AspFormulation *all, const int *keep, AspFormulation *out, int **from) {
  AspArena *arena = all->arena;
  int rows = 0;
  for (int b = 0; b < all->blocks; b++)
    rows += keep[b];
  *out = *all;
  out->blocks = out->rows = out->entries = out->bearings = 0;
  out->law = ASP_TAKE(arena, AspLaw, all->blocks);
  out->tag = ASP_TAKE(arena, AspBlockTag, all->blocks);
  out->offset = ASP_TAKE(arena, int, all->blocks + 1);
  out->row = ASP_TAKE(arena, AspRow, rows);
  out->known = ASP_TAKE(arena, double, rows);
  out->shift = ASP_TAKE(arena, double, rows);
  out->entry = ASP_TAKE(arena, AspCouplingEntry, all->entries);
  out->bearing = ASP_TAKE(arena, AspBearingLoad, all->bearings);
  *from = ASP_TAKE(arena, int, rows);
  bool complete = out->law && out->tag && out->offset && out->row && out->known && out->shift && out->entry &&
                  out->bearing && *from;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

static void copy_blocks(const AspFormulation *all, const AspLevelChoice *choice, AspFormulation *out, int *from) {
  for (int b = 0; b < all->blocks; b++) {
    if (choice->keep[b] == 0 && all->tag[b].role != ASP_ROLE_JOINT) // joints keep their places
      continue;
    for (int k = all->offset[b]; k < all->offset[b] + choice->keep[b]; k++) {
      if (k == all->stretch_first)
        out->stretch_first = out->rows;
      out->row[out->rows] = all->row[k];
      out->known[out->rows] = choice->known ? choice->known[k] : 0;
      out->shift[out->rows] = choice->shift[k];
      from[out->rows++] = k;
    }
    for (int i = 0; i < all->bearings && choice->keep[b] > 0; i++)
      if (all->bearing[i].block == b) {
        out->bearing[out->bearings] = all->bearing[i];
        out->bearing[out->bearings++].block = out->blocks;
      }
    out->law[out->blocks] = choice->law[b];
    out->tag[out->blocks] = all->tag[b];
    out->offset[++out->blocks] = out->rows;
  }
}

/* Columns of H, with the load couplings' entries at their new places. */
static AspError copy_columns(const AspFormulation *all, bool apart, const int *from, AspFormulation *out) {
  const AspSparse *H = &all->problem.H;
  AspSparse *columns = &out->problem.H;
  int entries = 0, next = 0, bodies = asp_model_dof_count(all->model);
  for (int k = 0; k < out->rows; k++)
    entries += H->start[from[k] + 1] - H->start[from[k]];
  *columns = (AspSparse){H->rows, out->rows, ASP_TAKE(all->arena, int, out->rows + 1),
                         ASP_TAKE(all->arena, int, entries), ASP_TAKE(all->arena, double, entries)};
  if (!columns->start || !columns->row || !columns->value)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < out->rows; k++) {
    int first = H->start[from[k]], count = H->start[from[k] + 1] - first, at = columns->start[k];
    memcpy(columns->row + at, H->row + first, (size_t)count * sizeof *H->row);
    memcpy(columns->value + at, H->value + first, (size_t)count * sizeof *H->value);
    columns->start[k + 1] = at + count;
    while (next < all->entries && all->entry[next].row < from[k])
      next++;
    for (; apart && columns->start[k + 1] > at && columns->row[columns->start[k + 1] - 1] >= bodies;)
      columns->start[k + 1]--;
    for (; !apart && next < all->entries && all->entry[next].row == from[k]; next++) {
      AspCouplingEntry entry = all->entry[next];
      entry.row = k;
      entry.at += at - first;
      out->entry[out->entries++] = entry;
    }
  }
  return ASP_OK;
}

AspError asp_formulation_select(const AspFormulation *all, const AspLevelChoice *choice, AspFormulation *out,
                                int **from, bool **redundant, int *redundant_count) {
  ASP_TRY(make_room(all, choice->keep, out, from));
  copy_blocks(all, choice, out, *from);
  ASP_TRY(copy_columns(all, choice->apart, *from, out));
  AspContactProblem *problem = &out->problem;
  *redundant = ASP_TAKE(all->arena, bool, out->rows);
  problem->f = ASP_TAKE(all->arena, double, problem->dofs);
  problem->w = ASP_TAKE(all->arena, double, out->rows);
  if (!*redundant || !problem->f || !problem->w)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_formulate_redundancy(out, *redundant, redundant_count));
  for (int k = 0; k < out->rows; k++)
    problem->w[k] = out->known[k] + out->shift[k];
  problem->blocks = out->blocks;
  problem->rows = out->rows;
  problem->offset = out->offset;
  problem->law = out->law;
  return asp_formulate_bodies(out);
}
