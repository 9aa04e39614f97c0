/* Does a step turn a body into another one? Contacts are linear in the turn of a step, and see nothing of a corner that
 * comes round within it: a body that is struck at one end and then turns by radians can end with the other end deep in
 * the shape that struck it, or through it, where a thin one pushes it out on the wrong side. Such a step is too long;
 * retry.c makes it in shorter parts. Looked at are pairs with contacts whose bodies turn by more than
 * TURNED_FAR in the step, at the poses of its end.
 *
 * Bodies that turn also meet earlier than the contacts at the start tell: another corner comes first. A step that ends
 * in an overlap of two bodies that were apart, and which no contact of it held back, is made up to
 *
 *   h gap / (gap + overlap)
 *
 * before they meet, since gaps close faster and faster as they turn; the next part sees the corner (locate_cuts.c). */
#include "linalg/vec3.h"
#include "world/contact_search.h"
#include "world/tuning/world.h"

#include <math.h>

static bool turns_far(const StepView *view, int body) {
  AspVec3 before = asp_state_angular_velocity(view->model, view->before, body),
          after = asp_state_angular_velocity(view->model, view->state, body);
  return view->work->dt * fmax(norm3(before), norm3(after)) > TURNED_FAR;
}

static bool same_pair(const AspContact *a, const AspContact *b) {
  return a->collider_a == b->collider_a && a->collider_b == b->collider_b;
}

/* The contacts first .. end of one pair, which was not deep in each other at the start: is it at the end? */
static bool ends_deep(const StepView *view, const AspContact *first, const AspContact *end) {
  double safe = asp_contact_safe_depth(view, first), slop = view->geometry->slop;
  AspContact now[ASP_MANIFOLD_MAX];
  for (const AspContact *contact = first; contact < end; contact++)
    if (contact->gap < -safe)
      return false;
  AspCollider a = asp_collider_at(view, view->state, first->collider_a),
              b = asp_collider_at(view, view->state, first->collider_b);
  int count = asp_collide_pair(asp_model_dimension(view->model), &a, &b, 0, now);
  for (int i = 0; i < count; i++) {
    bool other_side = true;
    for (const AspContact *contact = first; contact < end; contact++)
      other_side = other_side && dot3(contact->normal, now[i].normal) < -0.5;
    if (now[i].gap < -safe || (now[i].gap < -slop && other_side))
      return true;
  }
  return false;
}

static bool turns(const StepView *view, int body) {
  AspVec3 spin = asp_state_angular_velocity(view->model, view->before, body);
  return view->work->dt * norm3(spin) > TURNED_LITTLE;
}

static double deepest_at_end(const StepView *view, const AspContact *contact) {
  AspContact now[ASP_MANIFOLD_MAX];
  AspCollider a = asp_collider_at(view, view->state, contact->collider_a),
              b = asp_collider_at(view, view->state, contact->collider_b);
  int count = asp_collide_pair(asp_model_dimension(view->model), &a, &b, 0, now);
  double depth = 0;
  for (int i = 0; i < count; i++)
    depth = fmax(depth, -now[i].gap);
  return depth;
}

double asp_step_meets_early(const StepView *view, const bool *carries, int count, double share) {
  const AspContact *found = view->search->found;
  double part = 1;
  for (int i = 0, end; i < count; i = end) {
    bool open = true;
    double gap = INFINITY;
    for (end = i; end < count && same_pair(&found[i], &found[end]); end++) {
      open = open && !carries[end];
      gap = fmin(gap, found[end].gap);
    }
    int a = view->geometry->shape_body[found[i].collider_a], b = view->geometry->shape_body[found[i].collider_b];
    double none = share * fmin(view->geometry->body_free[a] ? view->geometry->body_radius[a] : INFINITY,
                               view->geometry->body_free[b] ? view->geometry->body_radius[b] : INFINITY);
    if (!open || !(gap > none) || !(turns(view, a) || turns(view, b)))
      continue;
    double depth = deepest_at_end(view, &found[i]);
    part = depth > none ? fmin(part, gap / (gap + depth)) : part;
  }
  return part;
}

bool asp_step_turns_deep(const StepView *view, int count) {
  const AspContact *found = view->search->found;
  for (int i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && same_pair(&found[i], &found[end]);)
      end++;
    bool far = turns_far(view, view->geometry->shape_body[found[i].collider_a]) ||
               turns_far(view, view->geometry->shape_body[found[i].collider_b]);
    // beams have no depth that is safe: they meet everything within the step
    if (far && asp_contact_safe_depth(view, &found[i]) > 0 && ends_deep(view, found + i, found + end))
      return true;
  }
  return false;
}
