/* Collecting rows and turning them into the sparse problem. Column k of H holds the gradient of row k over the dofs of
 * its two bodies: u_k = J_k x + known_k + shift_k. */
#include "base/parallel.h"
#include "formulate/formulate.h"

/* At most per joint: 6 constraint rows in one block, then motion, motor, friction and two limits in one-row blocks,
 * and the friction of bearings in one of up to 3. */
#define JOINT_BLOCKS 7
#define JOINT_ROWS   (ASP_JOINT_ROWS_MAX + 5 + 3)

/* A resistance: its load, the block's normal, and in space a second tangent. */
#define RESISTANCE_CARRIERS 2
#define RESISTANCE_ENTRIES  3

/* Blocks on carriers among the contacts: rolling and spinning, friction of those that may expand. */
static int count_resistances(const AspContactFrame *frames, int count) {
  int resistances = 0;
  for (int i = 0; i < count; i++) {
    resistances += frames[i].compression > 0;
    if (frames[i].law)
      resistances += (frames[i].law->rolling > 0) + (asp_spinning_length(frames[i].law) > 0);
  }
  return resistances;
}

static int count_bearings(const AspModel *model) {
  int bearings = 0;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    bearings += asp_model_joint_def(model, joint)->friction_coefficient > 0;
  return bearings;
}

static AspError begin_carriers(AspFormulation *formulation, int resistances) {
  AspArena *arena = formulation->arena;
  int bearings = count_bearings(formulation->model);
  formulation->carrier_capacity = RESISTANCE_CARRIERS * (resistances + bearings);
  formulation->entry_capacity = RESISTANCE_ENTRIES * resistances + (ASP_JOINT_ROWS_MAX + 2) * bearings;
  formulation->bearing = ASP_TAKE(arena, AspBearingLoad, bearings);
  if (!formulation->bearing)
    return ASP_ERROR_MEMORY;
  formulation->carrier_mass = ASP_TAKE(arena, double, formulation->carrier_capacity);
  formulation->carrier_load = ASP_TAKE(arena, double, formulation->carrier_capacity);
  formulation->entry = ASP_TAKE(arena, AspCarrierEntry, formulation->entry_capacity);
  return formulation->carrier_mass && formulation->carrier_load && formulation->entry ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_formulation_begin(AspFormulation *formulation, AspArena *arena, const AspModel *model,
                               const AspContactFrame *frames, int count) {
  memset(formulation, 0, sizeof *formulation);
  int joints = asp_model_joint_count(model);
  int dimension = asp_model_dimension(model);
  int resistances = count_resistances(frames, count), contacts = count + resistances;
  formulation->arena = arena;
  formulation->model = model;
  formulation->threads = 1;
  formulation->block_capacity = JOINT_BLOCKS * joints + contacts;
  formulation->row_capacity = JOINT_ROWS * joints + dimension * contacts;
  formulation->law = ASP_TAKE(arena, AspLaw, formulation->block_capacity);
  formulation->tag = ASP_TAKE(arena, AspBlockTag, formulation->block_capacity);
  formulation->offset = ASP_TAKE(arena, int, formulation->block_capacity + 1);
  formulation->row = ASP_TAKE_UNCLEARED(arena, AspRow, formulation->row_capacity);
  formulation->known = ASP_TAKE(arena, double, formulation->row_capacity);
  formulation->shift = ASP_TAKE(arena, double, formulation->row_capacity);
  formulation->meeting = ASP_TAKE(arena, double, asp_model_body_count(model));
  for (int body = 0; formulation->meeting && body < asp_model_body_count(model); body++)
    formulation->meeting[body] = -1;
  bool complete = formulation->meeting && formulation->law && formulation->tag && formulation->offset &&
                  formulation->row && formulation->known && formulation->shift;
  return complete ? begin_carriers(formulation, resistances) : ASP_ERROR_MEMORY;
}

/* First dof of every body, -1 for those without; NULL when out of memory. */
static int *list_dofs(AspArena *arena, const AspModel *model) {
  int bodies = asp_model_body_count(model), *dof = ASP_TAKE(arena, int, bodies);
  for (int body = 0; dof && body < bodies; body++)
    dof[body] = asp_model_body_dof(model, body);
  return dof;
}

/* The row's gradient over the dofs of its bodies from entry `at` on, indices ascending. */
static void write_column(const AspRow *row, const int *dof, int n, AspSparse *H, int at) {
  int dof_a = dof[row->body_a], dof_b = dof[row->body_b];
  bool b_first = dof_b >= 0 && (dof_a < 0 || dof_b < dof_a);
  for (int pass = 0; pass < 2; pass++) {
    bool is_b = (pass == 0) == b_first;
    int first = is_b ? dof_b : dof_a;
    if (first < 0)
      continue;
    const double *gradient = is_b ? row->jb : row->ja;
    for (int i = 0; i < (n == 6 ? 6 : 3); i++) {
      H->value[at + i] = gradient[i];
      H->row[at + i] = first + i;
    }
    at += n;
  }
}

/* Where the columns of H start, and where the carriers' entries stand: behind those of the bodies. */
static void place_columns(AspFormulation *formulation, const int *dof, int n, AspSparse *H) {
  int bodies = asp_model_dof_count(formulation->model), next = 0;
  for (int k = 0; k < formulation->rows; k++) {
    const AspRow *row = &formulation->row[k];
    H->start[k + 1] = H->start[k] + (dof[row->body_a] >= 0 ? n : 0) + (dof[row->body_b] >= 0 ? n : 0);
    for (; next < formulation->entries && formulation->entry[next].row == k; next++) {
      AspCarrierEntry *entry = &formulation->entry[next];
      entry->at = H->start[k + 1]++;
      H->row[entry->at] = bodies + entry->carrier;
      H->value[entry->at] = entry->value;
    }
  }
}

AspError asp_formulation_finish(AspFormulation *formulation) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  AspContactProblem *problem = &formulation->problem;
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  int entries = formulation->entries, *dof = list_dofs(arena, model);
  if (!dof)
    return ASP_ERROR_MEMORY;
  asp_carriers_sort(formulation);
  ASP_TRY(asp_carriers_extend(formulation));
  for (int k = 0; k < formulation->rows; k++)
    entries += (dof[formulation->row[k].body_a] >= 0 ? n : 0) + (dof[formulation->row[k].body_b] >= 0 ? n : 0);

  AspSparse *H = &problem->H;
  H->rows = asp_model_dof_count(model) + formulation->carriers;
  H->columns = formulation->rows;
  H->start = ASP_TAKE(arena, int, formulation->rows + 1);
  H->row = ASP_TAKE_UNCLEARED(arena, int, entries);
  H->value = ASP_TAKE_UNCLEARED(arena, double, entries);
  problem->w = ASP_TAKE(arena, double, formulation->rows);
  if (!H->start || !H->row || !H->value || !problem->w)
    return ASP_ERROR_MEMORY;

  place_columns(formulation, dof, n, H);
  ASP_PARALLEL(asp_useful_threads(formulation->threads, formulation->rows))
  for (int k = 0; k < formulation->rows; k++) {
    write_column(&formulation->row[k], dof, n, H, H->start[k]);
    problem->w[k] = formulation->known[k] + formulation->shift[k];
  }
  problem->dimension = asp_model_dimension(model);
  problem->blocks = formulation->blocks;
  problem->rows = formulation->rows;
  problem->dofs = H->rows;
  problem->offset = formulation->offset;
  problem->law = formulation->law;
  return ASP_OK;
}
