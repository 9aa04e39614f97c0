/* Rows of a contact and their columns in H: u = velocity of B relative to A at the contact's point, rows normal, t1, t2
 * (2D: normal, t).
 *
 *   J_A = -(d, r_A x d),   J_B = (d, r_B x d)      d: normal or tangent, r_A, r_B: arms from the centres of mass
 *
 * Moving surfaces add the known rate belt . d. A row can be made again from its frame at any time, so that those of
 * contacts need not be kept. Depends on columns.c where a body is part of a beam. */
#include "formulate/contact_parts.h"
#include "linalg/vec3.h"

/* The part of one body in space: velocity of its point at the arm, along a direction of any length. */
static inline void direction_part(AspVec3 direction, AspVec3 arm, double *j) {
  AspVec3 turn = cross3(arm, direction);
  // number by number into its place: copied from elsewhere they would wait for their own stores
  j[0] = direction.x;
  j[1] = direction.y;
  j[2] = direction.z;
  j[3] = turn.x;
  j[4] = turn.y;
  j[5] = turn.z;
}

static inline void direction_part_in_plane(AspVec3 direction, AspVec3 arm, double *j) {
  j[0] = direction.x;
  j[1] = direction.y;
  j[2] = cross3(arm, direction).z;
  j[3] = j[4] = j[5] = 0;
}

void asp_contact_row_along(int dimension, const AspContactFrame *frame, AspVec3 direction, AspRow *row) {
  row->body_a = frame->body_a;
  row->body_b = frame->body_b;
  row->more = NULL;
  row->value = row->bias = 0;
  row->rate = dot3(frame->belt, direction);
  if (dimension == 3) {
    direction_part(neg3(direction), frame->arm_a, row->ja);
    direction_part(direction, frame->arm_b, row->jb);
  } else {
    direction_part_in_plane(neg3(direction), frame->arm_a, row->ja);
    direction_part_in_plane(direction, frame->arm_b, row->jb);
  }
}

void asp_contact_rows(int dimension, const AspContactFrame *frame, AspRow rows[3]) {
  asp_contact_row_along(dimension, frame, frame->normal, &rows[0]);
  asp_contact_row_along(dimension, frame, frame->t1, &rows[1]);
  if (dimension == 3)
    asp_contact_row_along(dimension, frame, frame->t2, &rows[2]);
}

void asp_contact_stretched_row(int dimension, const AspContactFrame *frame, int k, AspRow *row) {
  double stretch = k > 0 ? frame->stretch[k - 1] : 1;
  asp_contact_row_along(dimension, frame, k == 0 ? frame->normal : k == 1 ? frame->t1 : frame->t2, row);
  if (stretch != 1)
    scale_row(row, stretch);
}

const AspRow *asp_block_rows(const AspFormulation *formulation, int block, AspRow room[3]) {
  const AspBlockTag *tag = &formulation->tag[block];
  int first = formulation->offset[block], rows = formulation->offset[block + 1] - first;
  if (tag->role != ASP_ROLE_CONTACT || !formulation->frames)
    return &formulation->row[first];
  for (int k = 0; k < rows; k++)
    asp_contact_stretched_row(asp_model_dimension(formulation->model), &formulation->frames[tag->index], k, &room[k]);
  return room;
}

/* One body's part of a column in space. */
static inline void write_part(AspVec3 direction, double stretch, AspVec3 arm, int first, int *dof, double *value) {
  for (int i = 0; i < 6; i++)
    dof[i] = first + i;
  direction_part(direction, arm, value);
  for (int i = 0; stretch != 1 && i < 6; i++)
    value[i] *= stretch;
}

void asp_contact_columns(const AspFormulation *formulation, int block, const int *start, int *dof, double *value) {
  int rows = formulation->offset[block + 1] - formulation->offset[block], a, b;
  const AspContactFrame *frame = &formulation->frames[formulation->tag[block].index];
  if (!asp_plain_bodies(formulation, frame->body_a, frame->body_b, &a, &b)) {
    AspRow room[3];
    asp_block_rows(formulation, block, room);
    for (int k = 0; k < rows; k++)
      asp_row_scatter(formulation, &room[k], dof + start[k], value + start[k]);
    return;
  }
  // the body with the lower dofs first; one that has none is left out
  int part_a = a < 0 ? 0 : 6, part_b = b < 0 ? 0 : 6, at_a = b < a ? part_b : 0, at_b = b < a ? 0 : part_a;
  for (int k = 0; k < rows; k++) {
    AspVec3 direction = k == 0 ? frame->normal : k == 1 ? frame->t1 : frame->t2;
    double stretch = k == 0 ? 1 : frame->stretch[k - 1];
    if (part_a)
      write_part(neg3(direction), stretch, frame->arm_a, a, dof + start[k] + at_a, value + start[k] + at_a);
    if (part_b)
      write_part(direction, stretch, frame->arm_b, b, dof + start[k] + at_b, value + start[k] + at_b);
  }
}

void asp_formulation_keep_rows(AspFormulation *formulation) {
  for (int b = 0; b < formulation->blocks; b++) {
    AspRow room[3];
    int first = formulation->offset[b];
    if (asp_block_rows(formulation, b, room) == room)
      memcpy(&formulation->row[first], room, (size_t)(formulation->offset[b + 1] - first) * sizeof *room);
  }
  formulation->frames = NULL;
}
