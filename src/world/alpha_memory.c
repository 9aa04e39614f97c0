/* What generalized-alpha keeps between steps, and where contacts are at the end of one.
 *
 * Accelerations are kept by dof; forces by what their blocks mean, as in the warm start. Tangential forces of contacts
 * are kept as vectors, since the tangents t1, t2 follow from the normal and may turn by a right angle where it moves a
 * little. Contacts of the step are looked for again at its end, by the features of their pair of shapes; one that is
 * not found there goes along with its bodies. */
#include "linalg/vec3.h"
#include "world/world_data.h"

#include <math.h>
#include <stdlib.h>

/* ---- contacts at the end ---- */

/* How far apart the pair may have come between two states. */
static double travel(const AspWorld *world, const AspState *state, int body) {
  AspPose from = asp_state_pose(world->model, &world->before, body), to = asp_state_pose(world->model, state, body);
  AspVec3 w = asp_state_angular_velocity(world->model, state, body);
  return norm3(sub3(to.position, from.position)) + 2 * world->work.dt * norm3(w) * world->geometry.body_radius[body];
}

/* The tangents nearest to those of before; axes of an ellipse stay. */
static void keep_tangents(AspContactFrame *frame, AspVec3 t1) {
  AspVec3 along = axpy3(t1, -dot3(t1, frame->normal), frame->normal);
  if (frame->stretch[0] != 1 || frame->stretch[1] != 1 || norm3(along) < 0.5)
    return;
  frame->t1 = unit3(along);
  frame->t2 = cross3(frame->normal, frame->t1);
}

static AspError look(void *user, const AspState *state, AspContactFrame *frames, AspRoundness *round) {
  AspWorld *world = user;
  int dimension = asp_model_dimension(world->model);
  for (int i = 0; i < world->work.frame_count; i++) {
    AspContactFrame *frame = &frames[i], old = *frame;
    AspContact contact = world->search.found[i];
    double reach = fabs(contact.gap) + 2 * (travel(world, state, frame->body_a) + travel(world, state, frame->body_b));
    if (!asp_world_find_again(world, state, reach + world->geometry.slop, &contact)) {
      contact.point_a = asp_world_carried(world, &world->before, state, frame->body_a, contact.point_a);
      contact.point_b = asp_world_carried(world, &world->before, state, frame->body_b, contact.point_b);
      contact.gap = dot3(sub3(contact.point_b, contact.point_a), contact.normal);
    }
    frame->gap = contact.gap;
    asp_world_place_frame(world, state, &contact, frame);
    memcpy(frame->before, old.before, sizeof old.before);
    if (dimension == 3)
      keep_tangents(frame, old.t1);
    for (int side = 0; side < 2; side++) {
      AspCollider collider = asp_world_collider_at(world, state, side ? contact.collider_b : contact.collider_a);
      round[2 * i + side] =
          asp_shape_roundness(dimension, collider.shape, &collider.pose, side ? contact.point_b : contact.point_a,
                              side ? neg3(frame->normal) : frame->normal, frame->t1, frame->t2);
    }
  }
  return ASP_OK;
}

/* ---- forces from step to step ---- */

static int compare_entries(const void *a, const void *b) {
  return asp_warm_compare(&((const AlphaEntry *)a)->key, &((const AlphaEntry *)b)->key);
}

/* The block's tangential rows lie along t1 and t2 of its frame. */
static const AspContactFrame *tangent_frame(const AspWorld *world, const AspBlockTag *tag, int rows) {
  bool along = tag->role == ASP_ROLE_CONTACT || tag->role == ASP_ROLE_ROLLING;
  return along && rows == 3 ? &world->work.frames[tag->index] : NULL;
}

static AspVec3 tangent_of(const AspContactFrame *frame, int k, double power) {
  return scale3(pow(frame->stretch[k], power), k == 0 ? frame->t1 : frame->t2);
}

/* Components of the force that `from` has along the entry's tangents, along those of the frame. */
static void turn(const AlphaEntry *entry, const AspContactFrame *frame, const double *from, double *to) {
  AspVec3 force = axpy3(scale3(from[1], entry->tangent[0]), from[2], entry->tangent[1]);
  to[0] = from[0];
  to[1] = dot3(force, tangent_of(frame, 0, -1));
  to[2] = dot3(force, tangent_of(frame, 1, -1));
}

static void recall(void *user, const AspFormulation *all, double *lambda, double *lambda_bar) {
  const AspWorld *world = user;
  const AlphaMemory *memory = &world->memory;
  for (int b = 0; b < all->blocks; b++) {
    int first = all->offset[b], rows = all->offset[b + 1] - first;
    AlphaEntry wanted = {.key = asp_warm_key(&all->tag[b], world->search.found)};
    const AlphaEntry *entry = memory->count > 0 ? bsearch(&wanted, memory->entry, (size_t)memory->count,
                                                          sizeof *memory->entry, compare_entries)
                                                : NULL;
    const AspContactFrame *frame = tangent_frame(world, &all->tag[b], rows);
    for (int k = 0; k < rows; k++) {
      lambda[first + k] = entry ? entry->lambda[k] : 0;
      lambda_bar[first + k] = entry ? entry->lambda_bar[k] : 0;
    }
    if (entry && frame) {
      turn(entry, frame, entry->lambda, lambda + first);
      turn(entry, frame, entry->lambda_bar, lambda_bar + first);
    }
  }
}

AspError asp_alpha_prepare(AspWorld *world) {
  AspArena *arena = &world->arena;
  size_t bytes = (size_t)asp_model_dof_count(world->model) * sizeof(double);
  AlphaMemory *memory = &world->memory;
  if (world->options.scheme != ASP_SCHEME_GENERALIZED_ALPHA)
    return ASP_OK;
  bool chosen = world->work.solver == world->solvers.chosen; // otherwise a stronger one, for everything
  world->alpha = (AspAlpha){.rho_inf = world->options.rho_inf,
                            .first = !memory->valid,
                            .fine = chosen ? world->solvers.fine : world->work.solver,
                            .judge = world->solvers.judge,
                            .a = ASP_TAKE(arena, double, asp_model_dof_count(world->model)),
                            .a_bar = ASP_TAKE(arena, double, asp_model_dof_count(world->model)),
                            .recall = recall,
                            .look = look,
                            .user = world};
  if (!world->alpha.a || !world->alpha.a_bar)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < ASP_ALPHA_LEVELS; i++) {
    world->alpha.large[i] = chosen ? world->solvers.level[i] : world->work.solver;
    world->alpha.coarse[i] = chosen ? world->solvers.coarse[i] : world->work.solver;
  }
  if (memory->valid && bytes > 0) {
    memcpy(world->alpha.a, memory->a, bytes);
    memcpy(world->alpha.a_bar, memory->a_bar, bytes);
  }
  world->work.alpha = &world->alpha;
  return ASP_OK;
}

static AspError keep_accelerations(AspWorld *world) {
  size_t dofs = (size_t)asp_model_dof_count(world->model);
  AlphaMemory *memory = &world->memory;
  if (!memory->a)
    memory->a = asp_allocate(world->context, dofs, sizeof *memory->a);
  if (!memory->a_bar)
    memory->a_bar = asp_allocate(world->context, dofs, sizeof *memory->a_bar);
  if (!memory->a || !memory->a_bar)
    return ASP_ERROR_MEMORY;
  memcpy(memory->a, world->alpha.a, dofs * sizeof *memory->a);
  memcpy(memory->a_bar, world->alpha.a_bar, dofs * sizeof *memory->a_bar);
  memory->valid = true;
  return ASP_OK;
}

AspError asp_alpha_store(AspWorld *world) {
  const AspAlpha *alpha = &world->alpha;
  const AspFormulation *all = &alpha->all;
  AlphaMemory *memory = &world->memory;
  if (world->options.scheme != ASP_SCHEME_GENERALIZED_ALPHA)
    return ASP_OK;
  ASP_TRY(keep_accelerations(world));
  void *list = memory->entry;
  AspError error = asp_grow(world->context, &list, &memory->capacity, (size_t)all->blocks, sizeof *memory->entry);
  memory->entry = list;
  ASP_TRY(error);
  memory->count = 0;
  for (int b = 0; b < all->blocks; b++) {
    int first = all->offset[b], rows = all->offset[b + 1] - first;
    AlphaEntry entry = {.key = asp_warm_key(&all->tag[b], world->search.found)};
    const AspContactFrame *frame = tangent_frame(world, &all->tag[b], rows);
    bool any = false;
    for (int k = 0; k < rows; k++) {
      entry.lambda[k] = alpha->lambda[first + k];
      entry.lambda_bar[k] = alpha->lambda_bar[first + k];
      any = any || entry.lambda[k] != 0 || entry.lambda_bar[k] != 0;
    }
    for (int k = 0; frame && k < 2; k++)
      entry.tangent[k] = tangent_of(frame, k, 1);
    if (any)
      memory->entry[memory->count++] = entry;
  }
  if (memory->count > 1)
    qsort(memory->entry, (size_t)memory->count, sizeof *memory->entry, compare_entries);
  return ASP_OK;
}
