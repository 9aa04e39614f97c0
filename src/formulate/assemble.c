/* Collecting rows and turning them into the sparse problem. Column k of H holds the gradient of row k over the dofs of
 * its two bodies: u_k = J_k x + known_k + shift_k. */
#include "formulate/formulate.h"

/* At most per joint: 6 constraint rows in one block, then motion, motor, friction and two limits in one-row blocks. */
#define JOINT_BLOCKS 6
#define JOINT_ROWS   (ASP_JOINT_ROWS_MAX + 5)

AspError asp_formulation_begin(AspFormulation *formulation, AspArena *arena, const AspModel *model, int contacts) {
  memset(formulation, 0, sizeof *formulation);
  int joints = asp_model_joint_count(model);
  int dimension = asp_model_dimension(model);
  formulation->arena = arena;
  formulation->model = model;
  formulation->block_capacity = JOINT_BLOCKS * joints + contacts;
  formulation->row_capacity = JOINT_ROWS * joints + dimension * contacts;
  formulation->law = ASP_TAKE(arena, AspLaw, formulation->block_capacity);
  formulation->tag = ASP_TAKE(arena, AspBlockTag, formulation->block_capacity);
  formulation->offset = ASP_TAKE(arena, int, formulation->block_capacity + 1);
  formulation->row = ASP_TAKE(arena, AspRow, formulation->row_capacity);
  formulation->known = ASP_TAKE(arena, double, formulation->row_capacity);
  formulation->shift = ASP_TAKE(arena, double, formulation->row_capacity);
  bool complete = formulation->law && formulation->tag && formulation->offset && formulation->row &&
                  formulation->known && formulation->shift;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

/* First dof of every body, -1 for those without; NULL when out of memory. */
static int *list_dofs(AspArena *arena, const AspModel *model) {
  int bodies = asp_model_body_count(model), *dof = ASP_TAKE(arena, int, bodies);
  for (int body = 0; dof && body < bodies; body++)
    dof[body] = asp_model_body_dof(model, body);
  return dof;
}

/* The row's gradient over the dofs of its bodies from entry `at` on, indices ascending; returns the end. */
static int write_column(const AspRow *row, const int *dof, int n, AspSparse *H, int at) {
  int dof_a = dof[row->body_a], dof_b = dof[row->body_b];
  bool b_first = dof_b >= 0 && (dof_a < 0 || dof_b < dof_a);
  for (int pass = 0; pass < 2; pass++) {
    bool is_b = (pass == 0) == b_first;
    int first = is_b ? dof_b : dof_a;
    if (first < 0)
      continue;
    memcpy(H->value + at, is_b ? row->jb : row->ja, (size_t)n * sizeof *H->value);
    for (int i = 0; i < n; i++)
      H->row[at + i] = first + i;
    at += n;
  }
  return at;
}

AspError asp_formulation_finish(AspFormulation *formulation) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  AspContactProblem *problem = &formulation->problem;
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  int entries = 0, *dof = list_dofs(arena, model);
  if (!dof)
    return ASP_ERROR_MEMORY;
  for (int k = 0; k < formulation->rows; k++)
    entries += (dof[formulation->row[k].body_a] >= 0 ? n : 0) + (dof[formulation->row[k].body_b] >= 0 ? n : 0);

  AspSparse *H = &problem->H;
  H->rows = asp_model_dof_count(model);
  H->columns = formulation->rows;
  H->start = ASP_TAKE(arena, int, formulation->rows + 1);
  H->row = ASP_TAKE(arena, int, entries);
  H->value = ASP_TAKE(arena, double, entries);
  problem->w = ASP_TAKE(arena, double, formulation->rows);
  if (!H->start || !H->row || !H->value || !problem->w)
    return ASP_ERROR_MEMORY;

  for (int k = 0; k < formulation->rows; k++) {
    H->start[k + 1] = write_column(&formulation->row[k], dof, n, H, H->start[k]);
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
