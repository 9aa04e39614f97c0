/* Contacts as blocks: u = velocity of B relative to A at the witness points, rows normal, t1, t2 (2D: normal, t); w_N =
 * gap / dt + dgap/dt. */
#include "formulate/blocks.h"
#include "linalg/vec3.h"

AspContactFrame asp_contact_frame(int dimension, AspVec3 normal, AspVec3 point_a, AspVec3 point_b, AspVec3 centre_a,
                                  AspVec3 centre_b) {
  AspContactFrame frame = {.normal = normal, .arm_a = sub3(point_a, centre_a), .arm_b = sub3(point_b, centre_b)};
  if (dimension == 3) {
    tangents3(normal, &frame.t1, &frame.t2);
  } else {
    frame.t1 = vec3(normal.y, -normal.x, 0);
    frame.t2 = vec3(0, 0, 1);
  }
  return frame;
}

static void direction_row(int dimension, const AspContactFrame *frame, AspVec3 direction, AspRow *row) {
  *row = (AspRow){.body_a = frame->body_a, .body_b = frame->body_b};
  AspVec3 turn_a = cross3(frame->arm_a, direction), turn_b = cross3(frame->arm_b, direction);
  if (dimension == 3) {
    double ja[6] = {-direction.x, -direction.y, -direction.z, -turn_a.x, -turn_a.y, -turn_a.z};
    double jb[6] = {direction.x, direction.y, direction.z, turn_b.x, turn_b.y, turn_b.z};
    memcpy(row->ja, ja, sizeof ja);
    memcpy(row->jb, jb, sizeof jb);
  } else {
    double ja[3] = {-direction.x, -direction.y, -turn_a.z}, jb[3] = {direction.x, direction.y, turn_b.z};
    memcpy(row->ja, ja, sizeof ja);
    memcpy(row->jb, jb, sizeof jb);
  }
}

void asp_contact_rows(int dimension, const AspContactFrame *frame, AspRow rows[3]) {
  direction_row(dimension, frame, frame->normal, &rows[0]);
  direction_row(dimension, frame, frame->t1, &rows[1]);
  if (dimension == 3)
    direction_row(dimension, frame, frame->t2, &rows[2]);
}

void asp_formulate_contacts(AspFormulation *formulation, const AspContactFrame *frames, int count,
                            const AspFrictionModel *friction, const double *known_velocity, double dt) {
  int dimension = asp_model_dimension(formulation->model);
  for (int i = 0; i < count; i++) {
    AspRow rows[3];
    asp_contact_rows(dimension, &frames[i], rows);
    AspLaw law = {.kind = frames[i].mu > 0 ? ASP_LAW_COULOMB : ASP_LAW_UNILATERAL, .mu = frames[i].mu};
    law.cone = friction->cone;
    law.directions = friction->directions;
    law.angle = friction->angle;
    open_block(formulation, law, ASP_ROLE_CONTACT, i);
    add_row(formulation, &rows[0], 0, frames[i].gap / dt, known_velocity);
    for (int k = 1; frames[i].mu > 0 && k < dimension; k++)
      add_row(formulation, &rows[k], 0, 0, known_velocity);
  }
}
