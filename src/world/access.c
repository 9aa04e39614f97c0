/* The world from outside, between two steps: inputs, state, wrenches, pairs that do not touch, callbacks. */
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "model/tuning/model.h"
#include "world/sensors.h"

#include <math.h>

/* The motion does not go on as the scheme's memory says. */
static void disturb(AspWorld *world, bool moved) {
  if (world->scheme->disturb && world->scheme_run)
    world->scheme->disturb(&world->host, world->scheme_run, moved);
}

AspError asp_world_set_input(AspWorld *world, int input, double value) {
  return asp_world_set_input_motion(world, input, (AspJet){value, 0, 0});
}

AspError asp_world_set_input_motion(AspWorld *world, int input, AspJet value) {
  bool is_input = input >= 0 && input < asp_model_input_count(world->model);
  AspJet now = is_input ? asp_world_input(world, input) : (AspJet){0};
  if (is_input && now.value == value.value && now.rate == value.rate && now.acceleration == value.acceleration)
    return ASP_OK; // it goes on as it was
  ASP_TRY(asp_state_set_input(world->context, world->model, &world->state, input, value));
  disturb(world, false);
  return ASP_OK;
}

int asp_world_stopped(const AspWorld *world) { return asp_state_stop(world->model, &world->state); }

AspJet asp_world_input(const AspWorld *world, int input) { return asp_state_input(world->model, &world->state, input); }

/* ---- state ---- */

static AspError check_body(AspWorld *world, const char *what, int body, bool dynamic) {
  const AspModel *model = world->model;
  if (body < 0 || body >= asp_model_body_count(model))
    return asp_fail(world->context, ASP_ERROR_ARGUMENT, "%s: %d is not a body of the model; it has %d", what, body,
                    asp_model_body_count(model));
  if (dynamic && !asp_model_body_is_free(model, body))
    return asp_fail(world->context, ASP_ERROR_ARGUMENT, "%s: body %s is %s; forces do not move it", what,
                    asp_model_body_name(model, body), asp_body_kind_name(asp_model_body_kind(model, body)));
  return ASP_OK;
}

/* The first body whose numbers are not finite, or not a rotation. */
static AspError check_state(AspWorld *world, const AspState *state) {
  const AspModel *model = world->model;
  if (!isfinite(state->t))
    return asp_fail(world->context, ASP_ERROR_VALUE, "state: the time %g is not finite", state->t);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspPose pose = asp_state_pose(model, state, body);
    AspQuat q = pose.orientation;
    AspVec3 v = asp_state_velocity(model, state, body), w = asp_state_angular_velocity(model, state, body);
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(finite3(pose.position) && finite3(v) && finite3(w) && isfinite(length)))
      return asp_fail(world->context, ASP_ERROR_VALUE, "state: body %s: its position or velocity is not finite",
                      asp_model_body_name(model, body));
    if (!(fabs(length - 1) <= CHECK_UNIT_TOLERANCE))
      return asp_fail(world->context, ASP_ERROR_VALUE, "state: body %s: its quaternion has length %.9g, not 1",
                      asp_model_body_name(model, body), length);
  }
  int bodies = asp_model_body_count(model), dimension = asp_model_dimension(model);
  for (int i = bodies * asp_body_positions(dimension); i < asp_model_q_size(model); i++)
    if (!isfinite(state->q[i]))
      return asp_fail(world->context, ASP_ERROR_VALUE, "state: a coordinate of a beam is not finite");
  for (int i = bodies * asp_body_velocities(dimension); i < asp_model_v_size(model); i++)
    if (!isfinite(state->v[i]))
      return asp_fail(world->context, ASP_ERROR_VALUE, "state: a velocity of a beam is not finite");
  return ASP_OK;
}

/* The state was changed: what was kept of the last step says nothing about the next. */
static AspError start_from_here(AspWorld *world, double time_before) {
  const AspModel *model = world->model;
  asp_state_place_others(model, &world->state);
  world->clock.grid_rest = 0;
  world->clock.off_grid = world->clock.off_grid || world->state.t != time_before;
  world->warm.store.count = 0;
  world->frames.kept = 0;
  world->uniqueness = (Uniqueness){0};
  world->so_far.consistent = false;
  world->balance.energy = asp_model_energy(model, &world->state);
  asp_model_momentum(model, &world->state, &world->balance.momentum.linear, &world->balance.momentum.angular);
  asp_records_clear(&world->records);
  asp_records_joint_state(&world->records, NULL, model, &world->state);
  asp_state_copy(model, &world->state, &world->before);
  asp_sensors_begin_step(&world->so_far.sensing, model, &world->state);
  asp_state_copy(model, &world->state, &world->resolution.last);
  disturb(world, true);
  return asp_world_sense(world);
}

AspError asp_world_set_state(AspWorld *world, const AspState *state) {
  double t = world->state.t;
  ASP_TRY(check_state(world, state));
  asp_state_copy(world->model, state, &world->state);
  return start_from_here(world, t);
}

AspError asp_world_set_body(AspWorld *world, int body, const AspPose *pose, const AspVec3 *velocity,
                            const AspVec3 *angular_velocity) {
  const AspModel *model = world->model;
  AspState changed;
  ASP_TRY(check_body(world, "asp_world_set_body", body, true));
  if (asp_model_station_beam(model, body, NULL) >= 0)
    return asp_fail(world->context, ASP_ERROR_ARGUMENT,
                    "asp_world_set_body: body %s is a station of a beam, whose coordinates place it",
                    asp_model_body_name(model, body));
  ASP_TRY(asp_state_create_on(world->context, model, &changed));
  asp_state_copy(model, &world->state, &changed);
  asp_state_set_body(model, &changed, body, pose, velocity, angular_velocity);
  AspError error = asp_world_set_state(world, &changed);
  asp_state_destroy_on(world->context, &changed);
  return error;
}

AspError asp_world_set_joint(AspWorld *world, int joint, double value, double rate) {
  ASP_TRY(asp_state_set_joint(world->context, world->model, &world->state, joint, value, rate));
  return start_from_here(world, world->state.t);
}

AspError asp_world_satisfy_joints(AspWorld *world) {
  ASP_TRY(asp_state_satisfy_joints(world->context, world->model, &world->state));
  return start_from_here(world, world->state.t);
}

/* ---- wrenches ---- */

AspError asp_world_apply_wrench(AspWorld *world, int body, const AspWrench *wrench, const AspVec3 *point) {
  AspState *state = &world->state;
  ASP_TRY(check_body(world, "asp_world_apply_wrench", body, true));
  const char *name = asp_model_body_name(world->model, body);
  if (!(finite3(wrench->force) && finite3(wrench->torque) && (!point || finite3(*point))))
    return asp_fail(world->context, ASP_ERROR_VALUE, "body %s: the force or torque applied to it is not finite", name);
  if (asp_model_dimension(world->model) == 2 &&
      (wrench->force.z != 0 || wrench->torque.x != 0 || wrench->torque.y != 0))
    return asp_fail(world->context, ASP_ERROR_ARGUMENT, "body %s: in the plane a force has no z, a torque nothing else",
                    name);
  if (!state->pushed)
    memset(state->applied, 0, (size_t)asp_model_body_count(world->model) * sizeof *state->applied);
  AspVec3 arm = point ? sub3(*point, asp_state_pose(world->model, state, body).position) : vec3(0, 0, 0);
  AspWrench *sum = &state->applied[body];
  sum->force = add3(sum->force, wrench->force);
  sum->torque = add3(sum->torque, add3(wrench->torque, cross3(arm, wrench->force)));
  state->pushed = true;
  disturb(world, false);
  return ASP_OK;
}

void asp_world_end_push(AspWorld *world) {
  if (!world->state.pushed)
    return;
  world->state.pushed = false;
  disturb(world, false);
}

/* ---- pairs that do not touch ---- */

AspError asp_world_apply_filters(AspWorld *world) {
  int count, more = world->search.untouched_count;
  const AspBodyPair *pair = asp_model_excluded(world->model, &count);
  int(*owners)[2] = asp_allocate(world->context, (size_t)(count + more), sizeof *owners);
  if (!owners)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count + more; i++) {
    const AspBodyPair *it = i < count ? &pair[i] : &world->search.untouched[i - count];
    owners[i][0] = it->a;
    owners[i][1] = it->b;
  }
  AspError error = asp_collision_exclude(world->search.collision, (const int(*)[2])owners, count + more);
  if (error == ASP_OK && world->resolution.passage.collision)
    error = asp_collision_exclude(world->resolution.passage.collision, (const int(*)[2])owners, count + more);
  asp_release(world->context, owners);
  return error;
}

AspError asp_world_set_contact(AspWorld *world, int body_a, int body_b, bool touch) {
  ContactSearch *search = &world->search;
  ASP_TRY(check_body(world, "body_a", body_a, false));
  ASP_TRY(check_body(world, "body_b", body_b, false));
  if (world->scheme->own_search)
    return asp_fail(world->context, ASP_ERROR_UNSUPPORTED,
                    "the scheme %s keeps to the pairs that the model excludes; exclude %s and %s there",
                    asp_scheme_names[world->options.scheme], asp_model_body_name(world->model, body_a),
                    asp_model_body_name(world->model, body_b));
  int a = asp_model_body_owner(world->model, body_a), b = asp_model_body_owner(world->model, body_b), at = 0;
  while (at < search->untouched_count && !((search->untouched[at].a == a && search->untouched[at].b == b) ||
                                           (search->untouched[at].a == b && search->untouched[at].b == a)))
    at++;
  if (touch == (at == search->untouched_count))
    return ASP_OK; // it is so already
  if (touch) {
    search->untouched[at] = search->untouched[--search->untouched_count];
  } else {
    ASP_TRY(ASP_GROW(world->context, search->untouched, search->untouched_capacity, search->untouched_count + 1));
    search->untouched[search->untouched_count++] = (AspBodyPair){a, b};
  }
  disturb(world, false);
  return asp_world_apply_filters(world);
}

/* ---- callbacks ---- */

void asp_world_set_callbacks(AspWorld *world, AspError (*before)(void *user, AspWorld *world),
                             AspError (*after)(void *user, AspWorld *world, const AspStepInfo *info), void *user) {
  StepCallers *callers = &world->so_far.callers;
  callers->before = before;
  callers->after = after;
  callers->user = user;
}

AspError asp_world_stop(AspWorld *world, const char *reason) {
  char *copy = reason ? asp_copy_text(world->context, reason) : NULL;
  if (reason && !copy)
    return ASP_ERROR_MEMORY;
  asp_release(world->context, world->so_far.callers.stop_reason);
  world->so_far.callers.stop_reason = copy;
  return ASP_OK;
}

const char *asp_world_stop_reason(const AspWorld *world) {
  const char *asked = world->so_far.callers.stop_reason;
  int stop = asp_world_stopped(world);
  return asked ? asked : stop >= 0 ? asp_model_stop_message(world->model, stop) : NULL;
}

void asp_world_set_user_data(AspWorld *world, const void *data) { world->so_far.callers.data = data; }
const void *asp_world_user_data(const AspWorld *world) { return world->so_far.callers.data; }
