/* Collecting rows and turning them into the sparse problem. Column k of H holds the gradient of row k over the dofs of
 * its two bodies (columns.c): u_k = J_k x + known_k + shift_k. */
#include "base/parallel.h"
#include "formulate/formulate.h"
#include "formulate/tuning/formulate.h"
#include "model/joint_friction.h"
#include "model/model.h"

#include <stdatomic.h>

/* Constraint, motion, motor, two limits, bearings, armature; friction of each free row. */
#define JOINT_ROWS (ASP_JOINT_ROWS_MAX + 5 + 3 + ASP_JOINT_FREE_ROWS)

/* Blocks on load couplings among the contacts: rolling and spinning, friction of those that may expand. */
typedef struct Resistances {
  const AspContactFrame *frames;
  atomic_int count;
  atomic_int varying; /* besides: frames whose friction depends on the solution */
} Resistances;

static void count_resistances(void *data, int from, int end) {
  Resistances *resistances = data;
  int count = 0, varying = 0, blocks = 0;
  const AspPairLaw *last = NULL; // most have the law of the one before
  bool varies = false;
  for (int i = from; i < end; i++) {
    const AspContactFrame *frame = &resistances->frames[i];
    if (frame->law && frame->law != last) {
      last = frame->law;
      blocks = (last->rolling > 0) + (asp_spinning_length(last) > 0);
      varies = asp_pair_law_varies(last);
    }
    count += (frame->compression > 0) + (frame->law ? blocks : 0);
    varying += frame->law && varies;
  }
  atomic_fetch_add_explicit(&resistances->count, count, memory_order_relaxed);
  atomic_fetch_add_explicit(&resistances->varying, varying, memory_order_relaxed);
}

/* Room for the parts of couplings and tendons: a row that holds or drives it, friction, two limits, an armature. */
static size_t count_parts(const AspModel *model) {
  size_t parts = 1;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    parts += 6 * (size_t)asp_joint_row_parts(asp_model_joint_def(model, joint));
  return parts;
}

static int count_bearings(const AspModel *model) {
  int bearings = 0;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    bearings += asp_model_joint_def(model, joint)->friction_coefficient > 0;
  return bearings;
}

static int count_armatures(const AspModel *model) {
  int armatures = 0;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    armatures += asp_model_joint_def(model, joint)->armature > 0;
  return armatures;
}

static AspError begin_couplings(AspFormulation *formulation, int resistances) {
  AspArena *arena = formulation->arena;
  const AspModel *model = formulation->model;
  int bearings = count_bearings(model), servos = asp_model_servo_count(model), armatures = count_armatures(model);
  formulation->coupling_capacity = ASSEMBLE_RESISTANCE_COUPLINGS * (resistances + bearings) + servos + armatures;
  formulation->entry_capacity =
      ASSEMBLE_RESISTANCE_ENTRIES * resistances + (ASP_JOINT_ROWS_MAX + 2) * bearings + servos + armatures;
  formulation->bearing = ASP_TAKE(arena, AspBearingLoad, bearings);
  if (servos > 0)
    formulation->servo_lever = ASP_TAKE(arena, double, asp_model_joint_count(model));
  if (armatures > 0)
    formulation->armature_lever = ASP_TAKE(arena, double, asp_model_joint_count(model));
  if (!formulation->bearing || (servos > 0 && !formulation->servo_lever) ||
      (armatures > 0 && !formulation->armature_lever))
    return ASP_ERROR_MEMORY;
  formulation->coupling_mass = ASP_TAKE(arena, double, formulation->coupling_capacity);
  formulation->coupling_load = ASP_TAKE(arena, double, formulation->coupling_capacity);
  formulation->entry = ASP_TAKE(arena, AspCouplingEntry, formulation->entry_capacity);
  return formulation->coupling_mass && formulation->coupling_load && formulation->entry ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_formulation_begin(AspFormulation *formulation, AspArena *arena, const AspModel *model,
                               const AspContactFrame *frames, int count) {
  memset(formulation, 0, sizeof *formulation);
  int joints = asp_model_joint_count(model);
  int dimension = asp_model_dimension(model);
  Resistances found = {.frames = frames};
  asp_parallel_for(arena->context, count, ASSEMBLE_GRAIN, count_resistances, &found);
  int resistances = found.count, contacts = count + resistances;
  formulation->arena = arena;
  formulation->model = model;
  formulation->varying = found.varying;
  formulation->block_capacity = ASSEMBLE_JOINT_BLOCKS * joints + contacts + asp_stretch_count(model);
  formulation->row_capacity = JOINT_ROWS * joints + dimension * contacts + asp_stretch_count(model);
  formulation->law = ASP_TAKE_UNCLEARED(arena, AspLaw, formulation->block_capacity);
  formulation->tag = ASP_TAKE_UNCLEARED(arena, AspBlockTag, formulation->block_capacity);
  formulation->offset = ASP_TAKE_UNCLEARED(arena, int, formulation->block_capacity + 1);
  formulation->row = ASP_TAKE_UNCLEARED(arena, AspRow, formulation->row_capacity);
  formulation->part = ASP_TAKE_UNCLEARED(arena, AspRow, count_parts(model));
  formulation->known = ASP_TAKE_UNCLEARED(arena, double, formulation->row_capacity);
  formulation->shift = ASP_TAKE_UNCLEARED(arena, double, formulation->row_capacity);
  bool complete = formulation->law && formulation->tag && formulation->offset && formulation->row &&
                  formulation->part && formulation->known && formulation->shift;
  if (!complete)
    return ASP_ERROR_MEMORY;
  formulation->offset[0] = 0;
  ASP_TRY(asp_columns_begin(formulation));
  return begin_couplings(formulation, resistances);
}

/* The sizes of a block's columns; those of a contact act on the same two bodies. */
static void count_columns(const AspFormulation *formulation, int b, int *size) {
  const AspBlockTag *tag = &formulation->tag[b];
  int first = formulation->offset[b];
  bool contact = tag->role == ASP_ROLE_CONTACT, named = tag->body_a >= 0;
  AspRow bodies;
  if (named) {
    bodies.body_a = tag->body_a;
    bodies.body_b = tag->body_b;
    bodies.more = NULL;
  }
  for (int k = first; k < formulation->offset[b + 1]; k++)
    size[k] =
        contact && k > first ? size[first] : asp_column_size(formulation, k, named ? &bodies : &formulation->row[k]);
}

static void count_blocks(void *data, int from, int end) {
  const AspFormulation *formulation = data;
  for (int b = from; b < end; b++)
    count_columns(formulation, b, formulation->problem.H.start + 1);
}

static void write_columns(void *data, int from, int end) {
  const AspFormulation *formulation = data;
  const AspContactProblem *problem = &formulation->problem;
  const AspSparse *H = &problem->H;
  for (int b = from; b < end; b++) {
    int first = formulation->offset[b];
    bool at_once = formulation->frames && formulation->tag[b].role == ASP_ROLE_CONTACT;
    if (at_once)
      asp_contact_columns(formulation, b, H->start + first, H->row, H->value);
    for (int k = first; k < formulation->offset[b + 1]; k++) {
      if (!at_once)
        asp_column(formulation, k, &formulation->row[k], H->row + H->start[k], H->value + H->start[k]);
      problem->w[k] = formulation->known[k] + formulation->shift[k];
    }
  }
}

/* The load couplings' entries, behind those of the bodies of their columns; they ascend. */
static void write_couplings(AspFormulation *formulation, AspSparse *H) {
  int bodies = asp_model_dof_count(formulation->model) + formulation->inner;
  for (int e = formulation->entries - 1, row = -1, at = 0; e >= 0; e--) {
    AspCouplingEntry *entry = &formulation->entry[e];
    at = entry->row == row ? at - 1 : H->start[entry->row + 1] - 1;
    row = entry->row;
    entry->at = at;
    H->row[at] = bodies + entry->coupling;
    H->value[at] = entry->value;
  }
}

AspError asp_formulation_finish(AspFormulation *formulation) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  AspContactProblem *problem = &formulation->problem;
  int rows = formulation->rows;
  asp_couplings_sort(formulation);
  ASP_TRY(asp_couplings_extend(formulation));

  AspSparse *H = &problem->H;
  H->rows = asp_model_dof_count(model) + formulation->inner + formulation->couplings;
  H->columns = rows;
  H->start = ASP_TAKE_UNCLEARED(arena, int, rows + 1);
  problem->w = ASP_TAKE_UNCLEARED(arena, double, rows);
  if (!H->start || !problem->w)
    return ASP_ERROR_MEMORY;
  H->start[0] = 0;
  asp_parallel_for(arena->context, formulation->blocks, ASSEMBLE_GRAIN, count_blocks, formulation);
  for (int e = 0; e < formulation->entries; e++)
    H->start[formulation->entry[e].row + 1]++;
  for (int k = 0; k < rows; k++)
    H->start[k + 1] += H->start[k];
  H->row = ASP_TAKE_UNCLEARED(arena, int, H->start[rows]);
  H->value = ASP_TAKE_UNCLEARED(arena, double, H->start[rows]);
  if (!H->row || !H->value)
    return ASP_ERROR_MEMORY;

  asp_parallel_for(arena->context, formulation->blocks, ASSEMBLE_GRAIN, write_columns, formulation);
  write_couplings(formulation, H);
  problem->dimension = asp_model_dimension(model);
  problem->blocks = formulation->blocks;
  problem->rows = rows;
  problem->dofs = H->rows;
  problem->offset = formulation->offset;
  problem->law = formulation->law;
  return asp_formulate_bodies(formulation);
}
