/* Contact search: up to which distance contacts are searched in a step (docs/theory/collision.md, "How far contacts are
 * looked for").
 *
 * Before the step every body is expected to move by
 *
 *   shift = dt v + dt^2 g,  turn = dt w,  travel = |shift| + r |turn|   (r: radius of its shapes about its centre)
 *
 * and its colliders get the margin min(5/4 travel, r/4) + 2 dt^2 |g|, those of beams 5/4 travel + 2 dt^2 |g|, and a
 * thousandth of r: joints, motors and contacts press in ways that no motion shows before. A pair
 * has contacts up to the sum of its margins. A body that travels farther than its margin, or than a quarter of the
 * thinnest shape of the model, is also swept: everything that it would meet on its way becomes a contact. After the
 * solve, bodies that moved differently from the expected motion (they were struck) are swept along their actual way;
 * contacts found there are added and the step is solved again. So it is where a body was struck at a corner and went on
 * turning: corners tell nothing about a turn of radians, the ball inside the shape does, and must not pass.
 */
#include "world/contact_search.h"
#include "base/parallel.h"
#include "collide/manifold.h"
#include "collide/seam.h"
#include "linalg/vec3.h"
#include "world/tuning/world.h"

#include <math.h>
#include <stdatomic.h>

/* Refuse speeds beyond the range of the collision layer: a mistake in the scene, or an unstable run. */
static AspError check_travel(const StepView *view, int body, double travel) {
  if (travel <= ASP_COLLIDE_FARTHEST)
    return ASP_OK;
  return asp_fail(view->context, ASP_ERROR_DIVERGED,
                  "body %s: at t = %g s it moves %g m within a step, farther than contacts can be found (%g m)",
                  asp_model_body_name(view->model, body), view->state->t, travel, ASP_COLLIDE_FARTHEST);
}

/* How a body is expected to move; how far that is, m. */
static double expect_way(const StepView *view, double dt, AspVec3 fall, int body, BodyWay *way) {
  const AspModel *model = view->model;
  bool falls = view->geometry->body_free[body];
  double radius = view->geometry->body_radius[body];
  way->shift = axpy3(scale3(dt, asp_state_velocity(model, view->state, body)), falls, fall);
  way->turn = scale3(dt, asp_state_angular_velocity(model, view->state, body));
  double travel = norm3(way->shift) + radius * norm3(way->turn), fast = CONTACT_SEARCH_FAST * travel;
  bool within = asp_model_station_beam(model, body, NULL) >= 0; // what it meets, it meets within the step
  bool beyond = radius > 0 && !within && fast > 0.25 * radius;  // it may leave its margin
  way->margin = (beyond ? 0.25 * radius : fast) + (falls ? 2 * norm3(fall) : 0);
  way->margin += CONTACT_SEARCH_NEAR * radius + CONTACT_SEARCH_NEAREST * view->geometry->slop;
  way->swept = beyond || travel > 0.25 * view->geometry->thinnest;
  way->searched = false;
  return travel;
}

typedef struct Expectation {
  ContactSearch *search;
  const StepView *view;
  double dt;
  AspVec3 fall;
  atomic_bool far; /* one goes too far */
} Expectation;

static void expect_bodies(void *data, int from, int end) {
  Expectation *expectation = data;
  const StepView *view = expectation->view;
  bool near = true;
  for (int body = from; body < end; body++)
    near = expect_way(view, expectation->dt, expectation->fall, body, &expectation->search->way[body]) <=
               ASP_COLLIDE_FARTHEST &&
           near;
  if (!near)
    atomic_store_explicit(&expectation->far, true, memory_order_relaxed);
}

static AspError expect_ways(ContactSearch *search, const StepView *view, double dt) {
  AspVec3 fall = scale3(dt * dt, asp_model_gravity(view->model));
  int bodies = asp_model_body_count(view->model);
  Expectation expectation = {.search = search, .view = view, .dt = dt, .fall = fall};
  asp_parallel_for(view->context, bodies, CONTACT_SEARCH_GRAIN, expect_bodies, &expectation);
  for (int body = 0; expectation.far && body < bodies; body++) // which one?
    ASP_TRY(check_travel(view, body, expect_way(view, dt, fall, body, &search->way[body])));
  return ASP_OK;
}

/* Poses and ways to the colliders; unbounded shapes do not turn. */
typedef struct Placing {
  ContactSearch *search;
  const StepView *view;
  const AspState *state;
  double margin;
} Placing;

static void place_shapes(void *data, int from, int end) {
  const Placing *placing = data;
  ContactSearch *search = placing->search;
  const StepView *view = placing->view;
  for (int i = from; i < end; i++) {
    AspCollider *collider = &search->colliders[i];
    const BodyWay *way = &search->way[view->geometry->shape_body[i]];
    AspPose pose = asp_state_pose(view->model, placing->state, view->geometry->shape_body[i]);
    collider->pose = pose_multiply(&pose, &view->geometry->shape_pose[i]);
    collider->margin = placing->margin >= 0 ? 0 : way->margin;
    collider->sweep = collider->sweep_rotation = collider->sweep_arm = vec3(0, 0, 0);
    collider->searched = way->searched;
    if (!way->swept || way->searched)
      continue;
    collider->sweep = way->shift;
    if (isfinite(view->geometry->shape_thickness[i])) {
      double turn = norm3(way->turn), most = 3.0; // with a larger rotation per step the orientation is arbitrary
      collider->sweep_rotation = turn > most ? scale3(most / turn, way->turn) : way->turn;
      collider->sweep_arm = sub3(pose.position, collider->pose.position);
    }
  }
}

static void place_colliders(ContactSearch *search, const StepView *view, const AspState *state, double margin) {
  asp_parallel_for(view->context, asp_model_shape_count(view->model), CONTACT_SEARCH_GRAIN, place_shapes,
                   &(Placing){search, view, state, margin});
}

AspError asp_search_find(ContactSearch *search, const StepView *view, double dt, int *count) {
  ASP_TRY(expect_ways(search, view, dt));
  place_colliders(search, view, view->state, view->options->margin);
  return asp_collision_find(search->collision, search->colliders, asp_model_shape_count(view->model),
                            fmax(view->options->margin, 0), &search->found, count);
}

/* The actual way of a body in place of the expected one. Not searched: it led where no contacts were searched, farther
 * than the margin, or off the part of the swept way that it kept to. */
static void take_way(const StepView *view, int body, BodyWay *way) {
  const AspModel *model = view->model;
  way->searched = true;
  if (!view->geometry->body_free[body])
    return;
  AspPose from = asp_state_pose(model, view->before, body), to = asp_state_pose(model, view->state, body);
  AspVec3 shift = sub3(to.position, from.position), turn = quat_turn_between(from.orientation, to.orientation);
  double radius = view->geometry->body_radius[body], square = dot3(way->shift, way->shift);
  double part = square > 0 ? fmin(fmax(dot3(shift, way->shift) / square, 0), 1) : 0;
  AspVec3 off = way->swept ? axpy3(shift, -part, way->shift) : shift;
  AspVec3 off_turn = way->swept ? axpy3(turn, -part, way->turn) : turn;
  double strayed = norm3(off) + radius * norm3(off_turn);
  double allowed = way->swept ? fmin(way->margin, 0.25 * view->geometry->thinnest) : way->margin;
  way->searched = !(strayed > allowed);
  way->swept = norm3(shift) + radius * norm3(turn) > 0;
  way->shift = shift;
  way->turn = turn;
}

/* By a bound that costs no angle: a rotation by a has a quaternion with the vector part sin(a/2) >= a/pi. */
double asp_body_way(const StepView *view, const AspState *from, const AspState *to, int body) {
  AspPose a = asp_state_pose(view->model, from, body), b = asp_state_pose(view->model, to, body);
  AspQuat q = quat_multiply(b.orientation, quat_conjugate(a.orientation));
  double turn = CONTACT_SEARCH_TURN * norm3(vec3(q.x, q.y, q.z));
  return norm3(sub3(b.position, a.position)) + view->geometry->body_radius[body] * turn;
}

/* Did the body surely keep to where contacts were looked for? */
static bool surely_searched(const StepView *view, int body, const BodyWay *way) {
  return !view->geometry->body_free[body] ||
         (!way->swept && asp_body_way(view, view->before, view->state, body) <= way->margin);
}

typedef struct Taking {
  ContactSearch *search;
  const StepView *view;
  atomic_bool unexpected; /* one is not searched, or not surely */
} Taking;

static void look_at_bodies(void *data, int from, int end) {
  Taking *taking = data;
  bool searched = true;
  for (int body = from; searched && body < end; body++)
    searched = surely_searched(taking->view, body, &taking->search->way[body]);
  if (!searched)
    atomic_store_explicit(&taking->unexpected, true, memory_order_relaxed);
}

static void take_bodies(void *data, int from, int end) {
  Taking *taking = data;
  bool searched = true;
  for (int body = from; body < end; body++) {
    BodyWay *way = &taking->search->way[body];
    take_way(taking->view, body, way);
    searched = searched && way->searched;
  }
  if (!searched)
    atomic_store_explicit(&taking->unexpected, true, memory_order_relaxed);
}

/* All of them; true when one is not searched. */
static bool take_ways(ContactSearch *search, const StepView *view) {
  Taking taking = {.search = search, .view = view};
  int bodies = asp_model_body_count(view->model);
  asp_parallel_for(view->context, bodies, CONTACT_SEARCH_GRAIN, look_at_bodies, &taking);
  if (!taking.unexpected) // then the ways are not needed
    return false;
  taking.unexpected = false;
  asp_parallel_for(view->context, bodies, CONTACT_SEARCH_GRAIN, take_bodies, &taking);
  return taking.unexpected;
}

static int compare_pairs(const AspContact *a, const AspContact *b) {
  if (a->collider_a != b->collider_a)
    return a->collider_a < b->collider_a ? -1 : 1;
  return (a->collider_b > b->collider_b) - (a->collider_b < b->collider_b);
}

/* The first contact of the same pair, or where it would be. They ascend. */
static int first_of_pair(const AspContact *contacts, int count, const AspContact *contact) {
  int low = 0, high = count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (compare_pairs(&contacts[middle], contact) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

double asp_contact_safe_depth(const StepView *view, const AspContact *contact) {
  bool beams = asp_model_beam_count(view->model) > 0;
  if (beams && (asp_model_station_beam(view->model, view->geometry->shape_body[contact->collider_a], NULL) >= 0 ||
                asp_model_station_beam(view->model, view->geometry->shape_body[contact->collider_b], NULL) >= 0))
    return 0;
  return 0.25 *
         (view->geometry->shape_thickness[contact->collider_a] + view->geometry->shape_thickness[contact->collider_b]);
}

static bool is_of_ball(const ContactSearch *search, const AspContact *contact) {
  return asp_is_of_inner_ball(&search->colliders[contact->collider_a], &search->colliders[contact->collider_b],
                              contact->feature);
}

/* All contacts of a pair are late together; but a ball in one of the shapes leaves the others what they are. */
bool asp_search_is_late(const ContactSearch *search, const AspContact *contact) {
  const AspContact *late = search->late;
  for (int i = first_of_pair(late, search->late_count, contact);
       i < search->late_count && compare_pairs(&late[i], contact) == 0; i++)
    if (late[i].feature == contact->feature || !is_of_ball(search, &late[i]))
      return true;
  return false;
}

/* How far its body's way carries a point of the shape; unbounded ones do not turn. */
static AspVec3 carried(const StepView *view, int shape, AspVec3 point) {
  int body = view->geometry->shape_body[shape];
  const BodyWay *way = &view->search->way[body];
  AspVec3 turn = isfinite(view->geometry->shape_thickness[shape]) ? way->turn : vec3(0, 0, 0);
  AspVec3 centre = asp_state_pose(view->model, view->before, body).position;
  return add3(way->shift, cross3(turn, sub3(point, centre)));
}

/* How far the velocity at the start of the step carries a point of the shape. */
static AspVec3 expected(const StepView *view, int shape, AspVec3 point) {
  int body = view->geometry->shape_body[shape];
  AspVec3 arm = sub3(point, asp_state_pose(view->model, view->before, body).position);
  AspVec3 turn = cross3(asp_state_angular_velocity(view->model, view->before, body), arm);
  return scale3(view->work->dt, add3(asp_state_velocity(view->model, view->before, body), turn));
}

/* How deep a pair that was in no problem may end. Bodies that were struck have an impact of their own in the next step,
 * and so have those that were on their way; where forces pressed a body into another one that it did not approach, the
 * step must see that contact. */
static double missed_depth(const StepView *view, const AspContact *contact, bool struck) {
  int a = contact->collider_a, b = contact->collider_b;
  double safe = CONTACT_SEARCH_STRUCK * asp_contact_safe_depth(view, contact);
  AspVec3 apart = sub3(expected(view, a, contact->point_a), expected(view, b, contact->point_b));
  if (struck || contact->gap - dot3(apart, contact->normal) <= 0)
    return safe;
  double reach_a = view->geometry->body_radius[view->geometry->shape_body[a]],
         reach_b = view->geometry->body_radius[view->geometry->shape_body[b]];
  double smaller = fmin(reach_a > 0 ? reach_a : INFINITY, reach_b > 0 ? reach_b : INFINITY);
  return fmin(safe, (isfinite(smaller) ? CONTACT_SEARCH_NEAR * smaller : 0) + view->geometry->slop);
}

/* From the start of the step to its end: how far a point of the body goes. */
static AspVec3 moved(const StepView *view, int shape, AspVec3 point) {
  int body = view->geometry->shape_body[shape];
  AspPose from = asp_state_pose(view->model, view->before, body), to = asp_state_pose(view->model, view->state, body);
  AspVec3 own = quat_rotate(quat_conjugate(from.orientation), sub3(point, from.position));
  return sub3(add3(to.position, quat_rotate(to.orientation, own)), point);
}

/* Does the ball in a shape end inside the other one? It turns into itself: only its centre counts. */
static bool ball_sinks(const StepView *view, const AspContact *contact) {
  bool of_a = contact->feature == FEATURE_BALL(true, (contact->feature - 1) / 2);
  int own = of_a ? contact->collider_a : contact->collider_b, other = of_a ? contact->collider_b : contact->collider_a;
  int body = view->geometry->shape_body[own];
  AspVec3 shift = sub3(asp_state_pose(view->model, view->state, body).position,
                       asp_state_pose(view->model, view->before, body).position);
  AspVec3 apart = sub3(moved(view, other, of_a ? contact->point_b : contact->point_a), shift);
  double opens = (of_a ? 1 : -1) * dot3(apart, contact->normal);
  return contact->gap + opens < -view->geometry->slop;
}

/* Would the actual way leave the pair deeper in each other than the scheme corrects by itself? Pairs that
 * were in the problem meet their contacts; but Stewart-Trinkle's way along an impact far ahead may turn otherwise than
 * expected, and cross at another place. */
static bool is_missed(const StepView *view, const AspSchemeType *scheme, const AspContact *contact, bool solved,
                      bool struck) {
  int a = contact->collider_a, b = contact->collider_b;
  bool by_position = scheme->late == ASP_LATE_ALL_CROSSED;
  double closes = dot3(sub3(carried(view, a, contact->point_a), carried(view, b, contact->point_b)), contact->normal);
  double safe = asp_contact_safe_depth(view, contact), depth = !by_position ? missed_depth(view, contact, struck)
                                                               : solved     ? safe
                                                                            : view->geometry->slop;
  if (solved && !by_position)
    return is_of_ball(view->search, contact) && ball_sinks(view, contact);
  return contact->gap - closes < -depth;
}

static AspError reserve_list(const StepView *view, AspContact **list, size_t *capacity, int count) {
  return ASP_GROW(view->context, *list, *capacity, count);
}

AspError asp_search_reserve(ContactSearch *search, const StepView *view, int contacts) {
  ASP_TRY(reserve_list(view, &search->kept, &search->kept_capacity, contacts));
  ASP_TRY(reserve_list(view, &search->late, &search->late_capacity, contacts));
  return asp_collision_reserve(search->collision, asp_model_shape_count(view->model), contacts);
}

static void insert_sorted(AspContact *list, int *count, const AspContact *contact) {
  int at = (*count)++;
  for (; at > 0; at--) {
    int order = compare_pairs(&list[at - 1], contact);
    if (order < 0 || (order == 0 && list[at - 1].feature <= contact->feature))
      break;
    list[at] = list[at - 1];
  }
  list[at] = *contact;
}

static AspError keep_found(ContactSearch *search, const StepView *view, int count) {
  ASP_TRY(reserve_list(view, &search->kept, &search->kept_capacity, count));
  if (count > 0 && search->found != search->kept)
    memcpy(search->kept, search->found, (size_t)count * sizeof *search->kept);
  search->found = search->kept;
  return ASP_OK;
}

/* Is the contact among these, at the same place or wherever it is? A body that turned may meet another one elsewhere
 * with the same feature. */
static bool has_contact(const AspContact *contacts, int count, const AspContact *contact, double same_place) {
  for (int i = first_of_pair(contacts, count, contact); i < count && compare_pairs(&contacts[i], contact) == 0; i++)
    if (contacts[i].feature == contact->feature && !(norm3(sub3(contacts[i].point_a, contact->point_a)) > same_place))
      return true;
  return false;
}

/* Contacts of `kept` that carried something in the problem just solved, or were closed; the others stayed open there.
 * NULL: out of memory. */
static bool *mark_solved(const StepView *view, int count) {
  const AspFormulation *formulation = &view->work->formulation;
  bool *solved = ASP_TAKE(view->arena, bool, count);
  for (int b = 0; solved && b < formulation->blocks; b++)
    if (formulation->tag[b].role == ASP_ROLE_CONTACT)
      solved[formulation->tag[b].index] =
          view->work->r[formulation->offset[b]] > 0 || view->work->frames[formulation->tag[b].index].gap <= 0;
  return solved;
}

/* Is a contact of the same pair marked? */
static bool pair_is_marked(const AspContact *contacts, int count, const bool *marks, const AspContact *contact) {
  for (int i = first_of_pair(contacts, count, contact); i < count && compare_pairs(&contacts[i], contact) == 0; i++)
    if (marks[i])
      return true;
  return false;
}

static AspError add_late(ContactSearch *search, const StepView *view, const AspContact *contact) {
  ASP_TRY(reserve_list(view, &search->late, &search->late_capacity, search->late_count + 1));
  insert_sorted(search->late, &search->late_count, contact);
  return ASP_OK;
}

/* Balls that were in the problem, with an impact of their own still to come, and passed nevertheless. */
static AspError hold_balls(ContactSearch *search, const StepView *view, int count, bool *more) {
  for (int i = 0; i < count; i++) {
    const AspContact *contact = &search->found[i];
    if (!is_of_ball(search, contact) || asp_search_is_late(search, contact) || !ball_sinks(view, contact))
      continue;
    ASP_TRY(add_late(search, view, contact));
    *more = true;
  }
  return ASP_OK;
}

AspError asp_search_find_missed(ContactSearch *search, const StepView *view, const AspSchemeType *scheme, int *count,
                                bool *more) {
  *more = false;
  if (scheme->late != ASP_LATE_ALL_CROSSED)
    ASP_TRY(hold_balls(search, view, *count, more));
  if (!take_ways(search, view))
    return ASP_OK;
  const AspContact *fresh;
  int known = *count, fresh_count;
  ASP_TRY(keep_found(search, view, known));
  place_colliders(search, view, view->before, view->options->margin);
  ASP_TRY(asp_collision_find(search->collision, search->colliders, asp_model_shape_count(view->model),
                             fmax(view->options->margin, 0), &fresh, &fresh_count));
  bool *solved = mark_solved(view, known), *missed = ASP_TAKE(view->arena, bool, fresh_count);
  bool struck = asp_step_has_impact(view->work);
  if (!solved || !missed)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < fresh_count; i++)
    missed[i] = is_missed(view, scheme, &fresh[i], pair_is_marked(search->kept, known, solved, &fresh[i]), struck);
  for (int i = 0; i < fresh_count; i++) {
    if (!missed[i])
      continue;
    ASP_TRY(reserve_list(view, &search->kept, &search->kept_capacity, *count + 1));
    if (!has_contact(search->kept, *count, &fresh[i], view->geometry->slop))
      insert_sorted(search->kept, count, &fresh[i]);
    ASP_TRY(add_late(search, view, &fresh[i]));
    *more = true;
  }
  search->found = search->kept;
  return asp_collision_relink(search->collision, search->colliders, search->kept, *count);
}

/* How near the contacts of a fast body are completed: its way was searched by one witness point per pair, and where a
 * face or a line comes to lie on another one at the end of the step, all its points carry. 0: the body is not fast. */
static double completed_within(const StepView *view, int shape) {
  int body = view->geometry->shape_body[shape];
  return view->search->way[body].swept ? CONTACT_SEARCH_MANIFOLD * view->geometry->body_radius[body] : 0;
}

/* Does a contact at the end of the step belong to its problem: an overlap, or a further point of a closed pair? */
static bool belongs_to_end(const StepView *view, const AspContact *contact, int known, const bool *closed) {
  double reach = fmax(completed_within(view, contact->collider_a), completed_within(view, contact->collider_b));
  return contact->gap < -view->geometry->slop ||
         (contact->gap <= reach && pair_is_marked(view->search->kept, known, closed, contact));
}

/* The list of contacts, brought back to the start of the step, gets another one. */
static AspError add_from_end(ContactSearch *search, const StepView *view, AspContact contact, int *count) {
  asp_contact_carry(view, view->state, view->before, &contact);
  ASP_TRY(reserve_list(view, &search->kept, &search->kept_capacity, *count + 1));
  insert_sorted(search->kept, count, &contact);
  return ASP_OK;
}

/* Did the step lead through the other shape, so that the pair overlaps on the side opposite to that of its contacts? */
static bool is_crossed(const StepView *view, const AspContact *contact, int known) {
  const AspContact *kept = view->search->kept;
  for (int i = first_of_pair(kept, known, contact); i < known && compare_pairs(&kept[i], contact) == 0; i++)
    if (contact->gap < -view->geometry->slop && dot3(kept[i].normal, contact->normal) < -0.5)
      return true;
  return false;
}

AspError asp_search_find_at_end(ContactSearch *search, const StepView *view, int *count, bool *more, bool *crossed) {
  const AspContact *fresh;
  int fresh_count, known = *count;
  double gap = CONTACT_SEARCH_BESIDE * view->geometry->slop; // what lies flush beside an overlap belongs to its seam
  *more = *crossed = false;
  ASP_TRY(keep_found(search, view, known));
  for (int i = 0; i < asp_model_shape_count(view->model); i++) {
    search->colliders[i] = asp_collider_at(view, view->state, i);
    search->colliders[i].margin = 0;
    gap = fmax(gap, completed_within(view, i));
  }
  ASP_TRY(asp_collision_find(search->collision, search->colliders, asp_model_shape_count(view->model), gap, &fresh,
                             &fresh_count));
  bool *closed = mark_solved(view, known), *adds = ASP_TAKE(view->arena, bool, fresh_count);
  if (!closed || !adds)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < fresh_count; i++) {
    adds[i] = belongs_to_end(view, &fresh[i], known, closed) && !has_contact(search->kept, known, &fresh[i], INFINITY);
    *crossed = *crossed || is_crossed(view, &fresh[i], known);
  }
  for (int i = 0; i < fresh_count; i++)
    if (adds[i]) {
      ASP_TRY(add_from_end(search, view, fresh[i], count));
      *more = true;
    }
  search->found = search->kept;
  return asp_collision_relink(search->collision, search->colliders, search->kept, *count);
}

AspError asp_search_find_within(ContactSearch *search, const StepView *view, double gap, int *count) {
  int shapes = asp_model_shape_count(view->model);
  for (int i = 0; i < shapes; i++) {
    search->colliders[i] = asp_collider_at(view, view->state, i);
    search->colliders[i].margin = 0;
  }
  return asp_collision_find(search->collision, search->colliders, shapes, gap, &search->found, count);
}

void asp_search_begin(ContactSearch *search) { search->late_count = 0; }

/* ---- life cycle ---- */

AspError asp_search_create(ContactSearch *search, const StepView *view) {
  const AspModel *model = view->model;
  int shapes = asp_model_shape_count(model);
  search->colliders = asp_allocate(view->context, (size_t)shapes, sizeof *search->colliders);
  search->way = asp_allocate(view->context, (size_t)asp_model_body_count(model), sizeof *search->way);
  if (!search->colliders || !search->way)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < shapes; i++) {
    int body;
    const AspShapeAttachment *attachment = asp_model_shape(model, i, &body);
    search->colliders[i] = (AspCollider){.shape = &attachment->shape,
                                         .owner = asp_model_body_owner(model, body),
                                         .immobile = !asp_model_body_is_free(model, body),
                                         .flexible = asp_model_station_beam(model, body, NULL) >= 0,
                                         .group = attachment->group,
                                         .mask = attachment->mask};
  }
  ASP_TRY(asp_collision_of_model(view->context, model, &search->collision));
  asp_collision_use_threads(search->collision, view->options->threads);
  return ASP_OK;
}

void asp_search_destroy(AspContext *context, ContactSearch *search) {
  asp_collision_destroy(search->collision);
  asp_release(context, search->colliders);
  asp_release(context, search->way);
  asp_release(context, search->kept);
  asp_release(context, search->late);
  asp_release(context, search->untouched);
}
