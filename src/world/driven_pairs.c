/* Prescribed bodies that are driven into each other, or into fixed ones: neither can give way.
 *
 * Contacts between bodies that no force moves are part of no step, so that nothing would be said. Before a step every
 * pair of their shapes, one at least of a prescribed body, is looked at on its way, which is known exactly:
 *
 *   gap(t) >= -d,   gap(t + s) < -d   for some s <= dt,      d = PIPELINE_DEEP of the smaller reach
 *
 * is refused, with the rate at which the gap falls. What is within d is touching. Pairs that are in each other at the
 * start of a step were so from the start of the run: a shaft in its bearing is drawn that way. Instants are no farther
 * apart than half the thinner shape, or DRIVEN_PAIRS_MOST to a step. */
#include "linalg/vec3.h"
#include "scheme/step.h"
#include "world/contact_search.h"
#include "world/drives.h"
#include "world/tuning/world.h"

#include <math.h>

static int body_of(const StepView *view, int shape) { return view->geometry->shape_body[shape]; }

static bool is_driven(const StepView *view, int shape) {
  return asp_model_body_kind(view->model, body_of(view, shape)) == ASP_BODY_KINEMATIC;
}

/* Do the two shapes meet at all, and no force moves either? */
static bool is_pair(const StepView *view, int i, int j) {
  const AspCollider *a = &view->search->colliders[i], *b = &view->search->colliders[j];
  return b->immobile && a->owner != b->owner && (a->group & b->mask) && (b->group & a->mask) &&
         !(is_driven(view, j) && j < i) && !asp_model_is_excluded(view->model, a->owner, b->owner);
}

bool asp_driven_pairs_exist(const StepView *view) {
  int shapes = asp_model_shape_count(view->model);
  for (int i = 0; i < shapes; i++)
    for (int j = 0; is_driven(view, i) && j < shapes; j++)
      if (is_pair(view, i, j))
        return true;
  return false;
}

/* The smallest gap of the pair up to `margin`, m. */
static double gap_at(const StepView *view, const AspState *state, int i, int j, double margin) {
  AspContact found[ASP_MANIFOLD_MAX];
  AspCollider a = asp_collider_at(view, state, i), b = asp_collider_at(view, state, j);
  int count = asp_collide_pair(asp_model_dimension(view->model), &a, &b, margin, found);
  double gap = margin;
  for (int k = 0; k < count; k++)
    gap = fmin(gap, found[k].gap);
  return gap;
}

/* Too far apart to meet? Unbounded shapes never are. */
static bool is_apart(const StepView *view, const AspState *state, int i, int j) {
  double reach = asp_shape_reach(view->search->colliders[i].shape) + asp_shape_reach(view->search->colliders[j].shape);
  AspVec3 between = sub3(asp_shape_pose_at(view, state, i).position, asp_shape_pose_at(view, state, j).position);
  return norm3(between) > reach;
}

static double touching(const StepView *view, int i, int j) {
  double a = view->geometry->body_radius[body_of(view, i)], b = view->geometry->body_radius[body_of(view, j)];
  return PIPELINE_DEEP * (a > 0 && (a < b || !(b > 0)) ? a : b);
}

static AspError refuse(const StepView *view, double t, int i, int j, double rate) {
  const char *first = asp_model_body_name(view->model, body_of(view, i)),
             *second = asp_model_body_name(view->model, body_of(view, j));
  const char *remedy = "stop the prescribed motion earlier, drive by a motor with an effort, or keep the bodies from "
                       "touching (exclude, or the shapes' group and mask)";
  if (is_driven(view, j))
    return asp_fail(view->context, ASP_ERROR_IMPOSSIBLE,
                    "impossible drive at t = %.9g s: body %s and body %s, both prescribed, are driven into each other: "
                    "the overlap would grow by %.4g m/s; %s",
                    t, first, second, rate, remedy);
  return asp_fail(view->context, ASP_ERROR_IMPOSSIBLE,
                  "impossible drive at t = %.9g s: body %s meets what cannot give way (%s): the overlap would grow by "
                  "%.4g m/s; %s",
                  t, first, second, rate, remedy);
}

/* All pairs of one driven shape, between two states that are `dt` apart. */
static AspError check_shape(const StepView *view, const AspState *from, const AspState *to, double dt, int i) {
  for (int j = 0; j < asp_model_shape_count(view->model); j++) {
    if (!is_pair(view, i, j) || is_apart(view, to, i, j))
      continue;
    double deep = -touching(view, i, j), end = gap_at(view, to, i, j, 0);
    if (end >= deep || gap_at(view, view->state, i, j, 0) < deep)
      continue;
    double way = asp_body_way(view, from, to, body_of(view, i)) + asp_body_way(view, from, to, body_of(view, j));
    return refuse(view, from->t, i, j, (gap_at(view, from, i, j, way) - end) / dt);
  }
  return ASP_OK;
}

/* Instants of the step to look at. */
static int instants(const StepView *view, const AspState *end) {
  double thinnest = INFINITY, way = 0;
  for (int i = 0; i < asp_model_shape_count(view->model); i++) {
    if (!view->search->colliders[i].immobile)
      continue;
    thinnest = fmin(thinnest, view->geometry->shape_thickness[i]);
    if (is_driven(view, i))
      way = fmax(way, asp_body_way(view, view->state, end, body_of(view, i)));
  }
  double count =
      thinnest > 0 && isfinite(thinnest) ? ceil(4 * way / thinnest) : 1; // two bodies, half the thinner shape
  return (int)fmin(fmax(count, 1), DRIVEN_PAIRS_MOST);
}

AspError asp_driven_pairs_check(const StepView *view, AspArena *arena, double dt) {
  AspState end = asp_state_ahead(view->model, arena, view->state, dt), from = *view->state;
  if (!end.q)
    return ASP_ERROR_MEMORY;
  for (int k = 1, count = instants(view, &end); k <= count; k++) {
    AspState to = k == count ? end : asp_state_ahead(view->model, arena, view->state, dt * k / count);
    if (!to.q)
      return ASP_ERROR_MEMORY;
    for (int i = 0; i < asp_model_shape_count(view->model); i++)
      if (is_driven(view, i))
        ASP_TRY(check_shape(view, &from, &to, dt / count, i));
    from = to;
  }
  return ASP_OK;
}
