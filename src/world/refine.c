/* Contact geometry in the middle of the step, for Moreau-Jean.
 *
 * Contacts are found at the start of the step. Their rows belong to the state (1 - theta) dt later, of bodies that meet
 * something to the state tau dt later (formulate/time_of_impact.c), moved along the velocities: there the theta rule
 * keeps angular momentum when both bodies feel opposite impulses at one point,
 *
 *   q+ x m v+ - q x m v = (q + (1 - theta) dt v) x p,     q+ = q + dt ((1 - theta) v + theta v+),  m v+ = m v + p,
 *
 * and there the normal of a curved contact makes the scheme of second order. For round shapes normal and point are
 * computed again at that state; flat ones keep their normal, and their point moves along. The gap is that of the start.
 * Contacts of fast bodies have the normal of the impact already: they move with the centres of mass. */
#include "collide/manifold.h"
#include "collide/seam.h"
#include "linalg/vec3.h"
#include "world/contact_search.h"
#include "world/tuning/world.h"

#include <math.h>

static bool is_round(const AspShape *shape) {
  AspShapeKind kind = shape->kind;
  return kind == ASP_SHAPE_SPHERE || kind == ASP_SHAPE_DISK || kind == ASP_SHAPE_CAPSULE ||
         kind == ASP_SHAPE_CYLINDER || kind == ASP_SHAPE_CONE || kind == ASP_SHAPE_ELLIPSOID;
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
  collider.searched = false; // that mark belongs to the last search of a step
  return collider;
}

static AspVec3 carried_with_body(const StepView *view, const AspState *from, const AspState *to, int body,
                                 AspVec3 point) {
  AspPose old = asp_state_pose(view->model, from, body), new = asp_state_pose(view->model, to, body);
  return pose_point(&new, pose_point_back(&old, point));
}

/* A contact between two states: its geometry at the first, its colliders at the second. */
typedef struct Following {
  const StepView *view;
  const AspState *from, *to;
  double reach; /* m */
  AspCollider a, b;
} Following;

static bool is_ball(const AspShape *shape) { return shape->kind == ASP_SHAPE_SPHERE || shape->kind == ASP_SHAPE_DISK; }

/* The arm turned as the axis is: without the turn about the axis itself. */
static AspVec3 swing(AspVec3 from, AspVec3 to, AspVec3 arm) {
  AspVec3 c = cross3(from, to), once = cross3(c, arm);
  return axpy3(add3(arm, once), 1 / (1 + dot3(from, to)), cross3(c, once));
}

/* The point of an ellipsoid with the same normal in another pose. */
static AspVec3 same_normal(const AspShape *shape, const AspPose *old, const AspPose *new, AspVec3 point) {
  AspVec3 e = shape->half_extents, p = pose_point_back(old, point);
  AspVec3 normal = quat_rotate(old->orientation, vec3(p.x / (e.x * e.x), p.y / (e.y * e.y), p.z / (e.z * e.z)));
  AspVec3 n = quat_rotate_back(new->orientation, normal), along = vec3(e.x * n.x, e.y * n.y, e.z * n.z);
  double length = norm3(along);
  return length > 0 ? pose_point(new, vec3(e.x * along.x / length, e.y * along.y / length, e.z * along.z / length))
                    : pose_point(new, p);
}

/* A witness point carried along with its body: that of a ball does not turn with it, that of a shape of revolution only
 * with its axis; that of an ellipsoid keeps its normal. */
static AspVec3 carry_point(const StepView *view, const AspState *from, const AspState *to, int shape, AspVec3 point) {
  const AspShape *of = view->search->colliders[shape].shape;
  AspPose old = asp_shape_pose_at(view, from, shape), new = asp_shape_pose_at(view, to, shape);
  AspVec3 z = vec3(0, 0, 1), arm = sub3(point, old.position);
  if (of->kind == ASP_SHAPE_ELLIPSOID)
    return same_normal(of, &old, &new, point);
  AspVec3 was = quat_rotate(old.orientation, z), is = quat_rotate(new.orientation, z);
  bool revolves = is_round(of) && asp_model_dimension(view->model) == 3 && dot3(was, is) > -0.5;
  if (!is_ball(of) && !revolves)
    return carried_with_body(view, from, to, view->geometry->shape_body[shape], point);
  return add3(new.position, is_ball(of) ? arm : swing(was, is, arm));
}

void asp_contact_carry(const StepView *view, const AspState *from, const AspState *to, AspContact *contact) {
  contact->point_a = carry_point(view, from, to, contact->collider_a, contact->point_a);
  contact->point_b = carry_point(view, from, to, contact->collider_b, contact->point_b);
  contact->gap = dot3(sub3(contact->point_b, contact->point_a), contact->normal);
}

/* Where the contact's normal points to when it turns with the body of a shape: the side of a ball or an ellipsoid
 * stays, that of a shape of revolution turns with its axis, as their points do (carry_point). A ball that spins by
 * radians in the step would otherwise take the far side of a plate for the near one, and pass. */
static AspVec3 turned_normal(const Following *f, const AspContact *contact, int shape) {
  const StepView *view = f->view;
  const AspShape *of = view->search->colliders[shape].shape;
  AspQuat from = asp_shape_pose_at(view, f->from, shape).orientation,
          to = asp_shape_pose_at(view, f->to, shape).orientation;
  AspVec3 z = vec3(0, 0, 1), was = quat_rotate(from, z), is = quat_rotate(to, z);
  if (is_ball(of) || of->kind == ASP_SHAPE_ELLIPSOID)
    return contact->normal;
  if (is_round(of) && asp_model_dimension(view->model) == 3 && dot3(was, is) > -0.5)
    return swing(was, is, contact->normal);
  return quat_rotate(to, quat_rotate_back(from, contact->normal));
}

/* Is a normal at the other state that of this contact? Sides of a body turn with it: the state of before may be full
 * turns ago. */
static bool is_like(const Following *f, const AspContact *contact, AspVec3 normal) {
  return dot3(normal, contact->normal) > 0.5 || dot3(normal, turned_normal(f, contact, contact->collider_a)) > 0.5 ||
         dot3(normal, turned_normal(f, contact, contact->collider_b)) > 0.5;
}

static bool is_on_field(const Following *f) {
  return f->a.shape->kind == ASP_SHAPE_HEIGHT_FIELD || f->b.shape->kind == ASP_SHAPE_HEIGHT_FIELD;
}

/* On a height field a feature is one of a triangle, and a round shape's contact moves on to the next triangle: of those
 * of like normal the one that is nearest on the round shape. */
static int find_on_field(const Following *f, const AspContact *found, int count, const AspContact *contact) {
  bool of_a = f->b.shape->kind == ASP_SHAPE_HEIGHT_FIELD;
  int same = -1;
  double least = INFINITY;
  AspContact carried = *contact;
  asp_contact_carry(f->view, f->from, f->to, &carried);
  for (int i = 0; i < count; i++) {
    AspVec3 off = of_a ? sub3(found[i].point_a, carried.point_a) : sub3(found[i].point_b, carried.point_b);
    double distance = norm3(off);
    bool nearer = distance < least || (distance == least && found[i].feature == contact->feature);
    if (is_like(f, contact, found[i].normal) && nearer) {
      least = distance;
      same = i;
    }
  }
  return same;
}

/* Which of the pair's contacts at the other state is this one: that of the same feature. */
static int find_same(const Following *f, const AspContact *found, int count, const AspContact *contact) {
  if (is_on_field(f) && (is_round(f->a.shape) || is_round(f->b.shape)))
    return find_on_field(f, found, count, contact);
  for (int i = 0; i < count; i++)
    if (found[i].feature == contact->feature && is_like(f, contact, found[i].normal))
      return i;
  return -1;
}

static void take_geometry(const AspContact *from, AspContact *contact) {
  contact->normal = from->normal;
  contact->point_a = from->point_a;
  contact->point_b = from->point_b;
  contact->gap = from->gap;
}

/* A contact whose normal turned may have left a face for an edge that is none: the pairs that lie flush beside it then
 * give the plane (collide/seam.h). `found`: what became of it, as far as its pair knows. */
static bool settle_at_seams(const Following *f, const AspContact *found, AspContact *contact) {
  const StepView *view = f->view;
  int links;
  const SeamLink *link = asp_collision_links(view->search->collision, &links);
  for (int i = 0; i < links; i++) {
    if (link[i].shown_a != contact->collider_a || link[i].shown_b != contact->collider_b)
      continue;
    AspCollider c = asp_collider_at(view, f->to, link[i].beside_a), d = asp_collider_at(view, f->to, link[i].beside_b);
    AspContact settled = *found, carried = *contact;
    asp_contact_carry(view, f->from, f->to, &carried);
    if (!asp_seam_settle(asp_model_dimension(view->model), &f->a, &f->b, &c, &d, f->reach, carried.point_a,
                         carried.point_b, &settled) ||
        !is_like(f, contact, settled.normal))
      continue;
    take_geometry(&settled, contact);
    return true;
  }
  return false;
}

/* How far a contact that was not found again is from those of its pair, m: its vertex, carried along, from the nearest
 * of them, which may be the same point under another name. Other features move over both bodies: infinite. */
static double find_distance(const Following *f, const AspContact *found, int count, const AspContact *contact) {
  double least = INFINITY;
  AspContact carried = *contact;
  bool of_a = asp_feature_is_vertex(contact->feature, true), of_b = asp_feature_is_vertex(contact->feature, false);
  asp_contact_carry(f->view, f->from, f->to, &carried);
  for (int i = 0; (of_a || of_b) && i < count; i++)
    least =
        fmin(least, norm3(of_a ? sub3(found[i].point_a, carried.point_a) : sub3(found[i].point_b, carried.point_b)));
  return least;
}

/* The same contact of the same pair at another state; false where it is not found again, *distance then says how far
 * it is from those that are. */
static bool find_again(const Following *f, AspContact *contact, double *distance) {
  AspContact found[ASP_MANIFOLD_MAX];
  int count = asp_collide_pair(asp_model_dimension(f->view->model), &f->a, &f->b, f->reach, found);
  int same = find_same(f, found, count, contact);
  *distance = same < 0 ? find_distance(f, found, count, contact) : 0;
  if (same < 0 && (count == 0 || !is_like(f, contact, found[0].normal)))
    return false;
  const AspContact *now = &found[same < 0 ? 0 : same];
  AspVec3 turned = sub3(now->normal, contact->normal);
  if (dot3(turned, turned) > 0 && settle_at_seams(f, now, contact))
    return true;
  if (same >= 0)
    take_geometry(now, contact);
  return same >= 0;
}

double asp_contact_follow(const StepView *view, const AspState *from, const AspState *to, double reach,
                          AspContact *contact) {
  double distance;
  Following following = {.view = view,
                         .from = from,
                         .to = to,
                         .reach = reach,
                         .a = asp_collider_at(view, to, contact->collider_a),
                         .b = asp_collider_at(view, to, contact->collider_b)};
  if (find_again(&following, contact, &distance))
    return 0;
  asp_contact_carry(view, from, to, contact);
  return distance;
}

/* A step turns one of the bodies so far that a point of it, carried along, is no longer where they touch. */
static bool turns_away(const StepView *view, const AspContactFrame *frame) {
  AspVec3 a = asp_state_angular_velocity(view->model, view->state, frame->body_a),
          b = asp_state_angular_velocity(view->model, view->state, frame->body_b);
  return view->work->dt * fmax(norm3(a), norm3(b)) > REFINE_TURN;
}

/* How far a point of the body can come in the step, m. */
static double travel(const StepView *view, int body) {
  AspVec3 v = asp_state_velocity(view->model, view->state, body);
  AspVec3 w = asp_state_angular_velocity(view->model, view->state, body);
  return view->work->dt * (norm3(v) + norm3(w) * view->geometry->body_radius[body]);
}

/* The tangents nearest to those of before; axes of an ellipse stay. */
static void keep_tangents(int dimension, AspVec3 t1, AspContactFrame *frame) {
  AspVec3 along = axpy3(t1, -dot3(t1, frame->normal), frame->normal);
  if (dimension == 2 || frame->stretch[0] != 1 || frame->stretch[1] != 1 || norm3(along) < 0.5)
    return;
  frame->t1 = unit3(along);
  frame->t2 = cross3(frame->normal, frame->t1);
}

/* H^T v of the frame with the velocities at the start of the step. */
static void find_rates(const StepView *view, const AspContactFrame *frame, double rate[3]) {
  int dimension = asp_model_dimension(view->model), n = asp_body_velocities(dimension);
  AspRow rows[3];
  asp_contact_rows(dimension, frame, rows);
  for (int k = 0; k < 3; k++)
    rate[k] = k >= dimension
                  ? 0
                  : asp_row_dot(n, rows[k].ja, view->state->v + (size_t)n * frame->body_a) +
                        asp_row_dot(n, rows[k].jb, view->state->v + (size_t)n * frame->body_b) + rows[k].rate;
}

/* A contact far ahead of a fast body: it has the arms and the normal of the impact already, its points were brought
 * back from there without the rotation (collide/continuous.c). */
static bool is_far_ahead(const StepView *view, const AspContact *contact) {
  double gap = dot3(sub3(contact->point_b, contact->point_a), contact->normal);
  return fabs(gap - contact->gap) > view->geometry->slop + REFINE_FAR * fabs(gap);
}

static bool is_round_pair(const StepView *view, const AspContact *contact) {
  return is_round(view->search->colliders[contact->collider_a].shape) ||
         is_round(view->search->colliders[contact->collider_b].shape);
}

/* The same at a state within the step: it moves with the centres of mass. */
static void translate(const StepView *view, const AspState *within, AspContact *contact) {
  int a = view->geometry->shape_body[contact->collider_a], b = view->geometry->shape_body[contact->collider_b];
  contact->point_a = add3(contact->point_a, sub3(asp_body_position(view->model, within, a),
                                                 asp_body_position(view->model, view->state, a)));
  contact->point_b = add3(contact->point_b, sub3(asp_body_position(view->model, within, b),
                                                 asp_body_position(view->model, view->state, b)));
}

/* A contact found at the start, at a state within the step: round shapes are asked again, others are carried along.
 * False: it cannot be followed, since a body turns too far. */
static bool follow_within(const StepView *view, const AspState *within, const AspContactFrame *frame, double way,
                          AspContact *contact) {
  if (way > frame->depth || is_far_ahead(view, contact))
    translate(view, within, contact);
  else if (is_round_pair(view, contact))
    asp_contact_follow(view, view->state, within, fmax(frame->gap, 0) + 2 * way, contact);
  else if (turns_away(view, frame))
    return false;
  else
    asp_contact_carry(view, view->state, within, contact);
  return true;
}

/* The frame at the geometry of a contact at another state. */
static void place_at(const StepView *view, const AspState *within, const AspContact *contact, AspContactFrame *frame) {
  AspVec3 t1 = frame->t1;
  asp_contact_place_frame(view, within, contact, frame);
  keep_tangents(asp_model_dimension(view->model), t1, frame);
}

/* The frame at the middle, with what its rows change by up to there: at the end of the step they have changed by about
 * as much again, and conditions are to hold there. Where the bodies meet something, the frame goes there instead. */
static void place_middle(const StepView *view, const AspState *middle, const AspState *impact, double way,
                         AspContactFrame *frame) {
  const AspContact *found = &view->search->found[frame - view->work->frames];
  double start[3], rate[3], bias[3] = {0};
  AspContactFrame moved = *frame;
  AspContact contact = *found;
  if (!follow_within(view, middle, frame, way, &contact))
    return;
  find_rates(view, frame, start);
  place_at(view, middle, &contact, &moved);
  find_rates(view, &moved, rate);
  for (int k = 0; k < 3 && !turns_away(view, frame) && way <= frame->depth && !is_far_ahead(view, found); k++)
    bias[k] = rate[k] - start[k];
  if (impact) {
    contact = *found;
    follow_within(view, impact, frame, way, &contact);
    place_at(view, impact, &contact, &moved);
  }
  *frame = moved;
  memcpy(frame->bias, bias, sizeof bias);
  memcpy(frame->before, start, sizeof start);
}

AspError asp_contacts_foresee(const StepView *view, AspStepWork *work) {
  const AspModel *model = view->model;
  AspState middle = {0};
  double half = 0.5 * work->dt;
  for (int i = 0; i < work->frame_count; i++) {
    AspContactFrame *frame = &work->frames[i];
    double way = travel(view, frame->body_a) + travel(view, frame->body_b);
    if (way > frame->depth || turns_away(view, frame) || is_far_ahead(view, &view->search->found[i]) ||
        !asp_frame_may_meet(model, frame, view->state, work->dt))
      continue;
    if (!middle.q) {
      middle = asp_state_ahead(model, view->arena, view->state, half);
      if (!middle.q)
        return ASP_ERROR_MEMORY;
      asp_state_turn_freely(model, view->state, NULL, 0.5, work->dt, &middle);
    }
    AspContact contact = view->search->found[i];
    AspContact start = contact; // a projection moved the bodies since they were found
    double approach = asp_contact_approach(model, frame, view->state);
    if (follow_within(view, view->state, frame, way, &start) && follow_within(view, &middle, frame, way, &contact))
      frame->bend = 2 * (contact.gap - start.gap - half * approach) / (half * half);
  }
  return ASP_OK;
}

/* Where bodies are in the middle of the step, and where they meet something. */
static AspError find_middles(const StepView *view, const AspStepWork *work, AspState *middle, AspState *impact) {
  const AspModel *model = view->model;
  const double *times = work->time_of_impact;
  *middle = asp_state_ahead(model, view->arena, view->state, (1 - work->theta) * work->dt);
  *impact = times ? asp_state_in_step(work, view->state, 1 - work->theta) : *middle;
  if (!middle->q || !impact->q)
    return ASP_ERROR_MEMORY;
  asp_state_turn_freely(model, view->state, NULL, 1 - work->theta, work->dt, middle);
  if (times)
    asp_state_turn_freely(model, view->state, times, 1 - work->theta, work->dt, impact);
  return ASP_OK;
}

AspError asp_contacts_refine(const StepView *view, AspStepWork *work) {
  const double *times = work->time_of_impact;
  AspState middle = {0}, impact; // found when a contact asks
  for (int i = 0; i < work->frame_count; i++) {
    AspContactFrame *frame = &work->frames[i];
    int a = frame->body_a, b = frame->body_b;
    double way = travel(view, a) + travel(view, b);
    bool meets = times && (times[a] >= 0 || times[b] >= 0);
    if (meets)
      find_rates(view, frame, frame->before);
    bool carried = norm3(frame->belt) > 0 || norm3(frame->belt_rate) > 0;
    // bodies that hardly move stay; contacts of fast ones have the normal of the impact, and move with the bodies
    if ((way <= REFINE_STILL * fmax(view->geometry->body_radius[a], view->geometry->body_radius[b]) && !carried) ||
        (way > frame->depth && turns_away(view, frame)) || frame->barrier)
      continue;
    if (!middle.q)
      ASP_TRY(find_middles(view, work, &middle, &impact));
    place_middle(view, &middle, meets ? &impact : NULL, way, frame);
  }
  return ASP_OK;
}
