/* Bodies that pass through each other between the start and the end of a step, where neither end shows it: a fast body
 * and a thin plate, a prescribed motion that jumps. Bodies that moved farther than half the thinnest shape are followed
 * along the straight way from pose to pose; the overlap on this way is measured by the width of the thinner shape.
 * Independent of the contacts that the step had. */
#include "linalg/vec3.h"
#include "world/contact_search.h"
#include "world/resolution.h"
#include "world/tuning/resolution.h"
#include "world/tuning/world.h"

#include <math.h>

AspError asp_passage_create(PassageSearch *passage, const StepView *view) {
  int shapes = asp_model_shape_count(view->model);
  passage->colliders = asp_allocate(view->context, (size_t)shapes, sizeof *passage->colliders);
  passage->travel = asp_allocate(view->context, (size_t)asp_model_body_count(view->model), sizeof *passage->travel);
  passage->fast = asp_allocate(view->context, (size_t)asp_model_body_count(view->model), sizeof *passage->fast);
  if (!passage->colliders || !passage->travel || !passage->fast)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_collision_of_model(view->context, view->model, &passage->collision));
  asp_collision_use_threads(passage->collision, view->options->threads);
  return ASP_OK;
}

void asp_passage_destroy(PassageSearch *passage, AspContext *context) {
  asp_collision_destroy(passage->collision);
  asp_release(context, passage->colliders);
  asp_release(context, passage->travel);
  asp_release(context, passage->fast);
}

/* Shapes at the start of the step, swept to its end. */
static void place(const Resolution *resolution, const StepView *view, const bool *fast) {
  const AspModel *model = view->model;
  for (int i = 0; i < asp_model_shape_count(model); i++) {
    AspCollider *collider = &resolution->passage.colliders[i];
    int body = view->geometry->shape_body[i];
    AspPose from = asp_state_pose(model, &resolution->last, body), to = asp_state_pose(model, view->state, body);
    *collider = asp_collider_at(view, &resolution->last, i);
    collider->margin = 0;
    collider->searched = !fast[body];
    collider->sweep = sub3(to.position, from.position);
    if (!isfinite(view->geometry->shape_thickness[i]))
      continue;
    collider->sweep_rotation = quat_turn_between(from.orientation, to.orientation);
    collider->sweep_arm = sub3(from.position, collider->pose.position);
  }
}

/* A collider at a fraction of its way. */
static AspCollider on_the_way(const AspCollider *collider, double part) {
  AspCollider there = *collider;
  AspQuat turn = quat_from_vector(scale3(part, collider->sweep_rotation));
  AspVec3 centre = axpy3(add3(collider->pose.position, collider->sweep_arm), part, collider->sweep);
  there.pose.position = sub3(centre, quat_rotate(turn, collider->sweep_arm));
  there.pose.orientation = quat_normalize(quat_multiply(turn, collider->pose.orientation));
  there.sweep = there.sweep_rotation = there.sweep_arm = vec3(0, 0, 0);
  return there;
}

/* The deepest overlap of a pair between the ends of its ways, m. */
static double deepest(int dimension, const AspCollider *a, const AspCollider *b, int looks) {
  double depth = 0;
  for (int k = 1; k < looks; k++) {
    AspContact contacts[ASP_MANIFOLD_MAX];
    AspCollider at_a = on_the_way(a, (double)k / looks), at_b = on_the_way(b, (double)k / looks);
    int count = asp_collide_pair(dimension, &at_a, &at_b, 0, contacts);
    for (int i = 0; i < count; i++)
      depth = fmax(depth, -contacts[i].gap);
  }
  return depth;
}

static void measure_pair(const Resolution *resolution, const StepView *view, const double *travel,
                         const AspContact *contact, MeasuredNow *worst) {
  const double *thickness = view->geometry->shape_thickness;
  int i = contact->collider_a, j = contact->collider_b;
  int a = view->geometry->shape_body[i], b = view->geometry->shape_body[j];
  double thinner = fmin(thickness[i] > 0 ? thickness[i] : INFINITY, thickness[j] > 0 ? thickness[j] : INFINITY);
  double way = travel[a] + travel[b];
  if (!isfinite(thinner) || way <= RESOLUTION_FAST * thinner)
    return;
  double looks = fmin(2 * ceil(2 * way / thinner), RESOLUTION_LOOKS);
  double depth = deepest(asp_model_dimension(view->model), &resolution->passage.colliders[i],
                         &resolution->passage.colliders[j], (int)looks);
  asp_measure_worse(worst, depth / thinner, -1, a, b);
}

AspError asp_passage_measure(Resolution *resolution, const StepJudged *step, MeasuredNow *worst) {
  const StepView *view = step->view;
  int bodies = asp_model_body_count(view->model), count;
  double *travel = resolution->passage.travel, far = RESOLUTION_FAST * view->geometry->thinnest;
  bool *fast = resolution->passage.fast, any = false;
  for (int body = 0; body < bodies; body++) {
    travel[body] = asp_body_way(view, &resolution->last, view->state, body);
    fast[body] = travel[body] > far;
    any = any || fast[body];
  }
  if (!any)
    return ASP_OK;
  const AspContact *met;
  place(resolution, view, fast);
  ASP_TRY(asp_collision_find(resolution->passage.collision, resolution->passage.colliders,
                             asp_model_shape_count(view->model), 0, &met, &count));
  for (int i = 0; i < count; i++)
    if (i == 0 || met[i].collider_a != met[i - 1].collider_a || met[i].collider_b != met[i - 1].collider_b)
      measure_pair(resolution, view, travel, &met[i], worst);
  return ASP_OK;
}
