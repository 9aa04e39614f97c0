/* The frame of a contact: one point for both bodies, normal n, tangents t1 and t2, arms from the centres of mass; for
 * an elliptic cone (docs/theory/friction-laws.md) t1 lies along the direction of the material and the rows of the
 * tangents are stretched. Depends on the model's poses and vectors. */
#include "formulate/formulate.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"

#include <math.h>
#include <string.h>

AspVec3 asp_contact_point(AspVec3 point_a, AspVec3 point_b, bool free_a, bool free_b) {
  if (!free_a)
    return point_b;
  if (!free_b)
    return point_a;
  return scale3(0.5, add3(point_a, point_b));
}

void asp_contact_frame_place(int dimension, AspVec3 normal, AspVec3 point, AspVec3 centre_a, AspVec3 centre_b,
                             AspContactFrame *frame) {
  memset(frame, 0, sizeof *frame);
  frame->point = point;
  frame->normal = normal;
  frame->arm_a = sub3(point, centre_a);
  frame->arm_b = sub3(point, centre_b);
  frame->depth = INFINITY;
  frame->stretch[0] = frame->stretch[1] = 1;
  if (dimension == 3) {
    tangents3(normal, &frame->t1, &frame->t2);
  } else {
    frame->t1 = vec3(normal.y, -normal.x, 0);
    frame->t2 = vec3(0, 0, 1);
  }
}

void asp_contact_frame_carry(const AspModel *model, const AspState *state, int shape_a, int shape_b,
                             AspContactFrame *frame) {
  AspVec3 a, b, rate_a, rate_b;
  if (!asp_model_has_surfaces(model))
    return;
  asp_shape_surface_velocity(model, state, shape_a, frame->point, frame->normal, &a, &rate_a);
  asp_shape_surface_velocity(model, state, shape_b, frame->point, neg3(frame->normal), &b, &rate_b);
  frame->belt = sub3(b, a);
  frame->belt_rate = sub3(rate_b, rate_a);
}

AspContactFrame asp_contact_frame(int dimension, AspVec3 normal, AspVec3 point, AspVec3 centre_a, AspVec3 centre_b) {
  AspContactFrame frame;
  asp_contact_frame_place(dimension, normal, point, centre_a, centre_b, &frame);
  return frame;
}

void asp_contact_frame_align(AspContactFrame *frame, AspVec3 direction) {
  AspVec3 along = axpy3(direction, -dot3(direction, frame->normal), frame->normal);
  if (norm3(along) < CONTACT_FRAME_FLAT)
    return;
  frame->t1 = unit3(along);
  frame->t2 = cross3(frame->normal, frame->t1);
  double across = frame->law->friction_across / frame->law->friction, larger = fmax(1, across);
  frame->mu *= larger;
  frame->stretch[0] = 1 / larger;
  frame->stretch[1] = across / larger;
}
