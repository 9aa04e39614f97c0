/* Contact geometry in the middle of the step, for Moreau-Jean.
 *
 * Contacts are found at the start of the step. Their rows belong to the state (1 - theta) dt later, moved along the
 * velocities: there the theta rule keeps angular momentum when both bodies feel opposite impulses at one point,
 *
 *   q+ x m v+ - q x m v = (q + (1 - theta) dt v) x p,     q+ = q + dt ((1 - theta) v + theta v+),  m v+ = m v + p,
 *
 * and there the normal of a curved contact makes the scheme of second order. For round shapes normal and point are
 * computed again at that state; flat ones keep their normal, and their point moves along. The gap is that of the start.
 * Contacts that fast bodies meet on their way have the geometry of that impact already. */
#include "linalg/vec3.h"
#include "world/contact_search.h"
#include "world/tuning/world.h"

#include <math.h>

static bool is_round(const AspShape *shape) {
  AspShapeKind kind = shape->kind;
  return kind == ASP_SHAPE_SPHERE || kind == ASP_SHAPE_DISK || kind == ASP_SHAPE_CAPSULE ||
         kind == ASP_SHAPE_CYLINDER || kind == ASP_SHAPE_CONE;
}

AspPose asp_shape_pose_at(const StepView *view, const AspState *state, int shape) {
  AspPose pose = asp_state_pose(view->model, state, view->geometry->shape_body[shape]);
  return pose_multiply(&pose, &view->geometry->shape_pose[shape]);
}

AspRoundness asp_contact_roundness(const StepView *view, const AspState *state, const AspContact *contact,
                                   const AspContactFrame *frame, bool of_b) {
  int shape = of_b ? contact->collider_b : contact->collider_a;
  AspPose pose = asp_shape_pose_at(view, state, shape);
  return asp_shape_roundness(asp_model_dimension(view->model), view->search->colliders[shape].shape, &pose,
                             of_b ? contact->point_b : contact->point_a, of_b ? neg3(frame->normal) : frame->normal,
                             frame->t1, frame->t2);
}

AspCollider asp_collider_at(const StepView *view, const AspState *state, int shape) {
  AspCollider collider = view->search->colliders[shape];
  collider.pose = asp_shape_pose_at(view, state, shape);
  collider.sweep = collider.sweep_rotation = vec3(0, 0, 0);
  return collider;
}

bool asp_contact_find_again(const StepView *view, const AspState *state, double reach, AspContact *contact) {
  AspCollider a = asp_collider_at(view, state, contact->collider_a);
  AspCollider b = asp_collider_at(view, state, contact->collider_b);
  AspContact found[ASP_MANIFOLD_MAX];
  int count = asp_collide_pair(asp_model_dimension(view->model), &a, &b, reach, found);
  for (int i = 0; i < count; i++)
    if (found[i].feature == contact->feature && dot3(found[i].normal, contact->normal) > 0.5) {
      contact->normal = found[i].normal;
      contact->point_a = found[i].point_a;
      contact->point_b = found[i].point_b;
      contact->gap = found[i].gap;
      return true;
    }
  return false;
}

AspVec3 asp_contact_carried(const StepView *view, const AspState *from, const AspState *to, int body, AspVec3 point) {
  AspPose old = asp_state_pose(view->model, from, body), new = asp_state_pose(view->model, to, body);
  return pose_point(&new, pose_point_back(&old, point));
}

/* The witness points of a contact carried along with their bodies. */
static void carry(const StepView *view, const AspState *from, const AspState *to, AspContact *contact) {
  contact->point_a =
      asp_contact_carried(view, from, to, view->geometry->shape_body[contact->collider_a], contact->point_a);
  contact->point_b =
      asp_contact_carried(view, from, to, view->geometry->shape_body[contact->collider_b], contact->point_b);
  contact->gap = dot3(sub3(contact->point_b, contact->point_a), contact->normal);
}

void asp_contact_follow(const StepView *view, const AspState *from, const AspState *to, double reach,
                        AspContact *contact) {
  if (!asp_contact_find_again(view, to, reach, contact))
    carry(view, from, to, contact);
}

/* How far a point of the body can come in the step, m. */
static double travel(const StepView *view, int body) {
  AspVec3 v = asp_state_velocity(view->model, view->state, body);
  AspVec3 w = asp_state_angular_velocity(view->model, view->state, body);
  return view->work->dt * (norm3(v) + norm3(w) * view->geometry->body_radius[body]);
}

AspError asp_contacts_refine(const StepView *view, AspStepWork *work) {
  const AspModel *model = view->model;
  AspState middle = asp_state_ahead(model, view->arena, view->state, (1 - work->theta) * work->dt);
  if (!middle.q)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < work->frame_count; i++) {
    AspContactFrame *frame = &work->frames[i];
    int a = frame->body_a, b = frame->body_b;
    double way = travel(view, a) + travel(view, b);
    // bodies that hardly move stay; bodies that pass through things in a step have the geometry of the impact
    if (way <= REFINE_STILL * fmax(view->geometry->body_radius[a], view->geometry->body_radius[b]) ||
        way > frame->depth || frame->barrier)
      continue;
    AspContact contact = view->search->found[i];
    bool round = is_round(view->search->colliders[contact.collider_a].shape) ||
                 is_round(view->search->colliders[contact.collider_b].shape);
    if (round)
      asp_contact_follow(view, view->state, &middle, fmax(frame->gap, 0) + 2 * way, &contact);
    else
      carry(view, view->state, &middle, &contact);
    asp_contact_place_frame(view, &middle, &contact, frame);
  }
  return ASP_OK;
}
