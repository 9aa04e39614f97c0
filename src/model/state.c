/* States: making, copying, reading, and moving along a velocity.
 *
 *   x <- x + dt v,   R <- exp(dt w) R  (w in the world; quaternion renormalised),   2D: angle <- angle + dt w
 *
 * The coordinate of a revolute joint in 3D is known up to full turns only; among the candidates the one nearest to the
 * last value, moved by the joint's rate, is taken, so that turns are counted at any speed as long as the rate hardly
 * changes within a step. Depends on body.c, beam.c, joint_rows.c.
 */
#include "base/elementary.h"
#include "base/parallel.h"
#include "model/advance.h"
#include "model/compound.h"
#include "model/model.h"
#include "model/own_state.h"
#include "model/tuning/model.h"

AspError asp_state_create_on(AspContext *context, const AspModel *model, AspState *state) {
  *state = (AspState){0};
  if (!model->finished)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "a state needs a finished model: call asp_model_finish first");
  state->q = asp_allocate(context, (size_t)asp_model_q_size(model), sizeof *state->q);
  state->v = asp_allocate(context, (size_t)asp_model_v_size(model), sizeof *state->v);
  state->angle = asp_allocate(context, (size_t)model->joint_count, sizeof *state->angle);
  state->input = asp_allocate(context, (size_t)asp_model_input_count(model), sizeof *state->input);
  state->applied = asp_allocate(context, (size_t)model->body_count, sizeof *state->applied);
  if (!state->q || !state->v || !state->angle || !state->input || !state->applied) {
    asp_state_destroy_on(context, state);
    return ASP_ERROR_MEMORY;
  }
  asp_state_initial(model, state);
  return ASP_OK;
}

void asp_state_destroy_on(AspContext *context, AspState *state) {
  asp_release(context, state->q);
  asp_release(context, state->v);
  asp_release(context, state->angle);
  asp_release(context, state->input);
  asp_release(context, state->applied);
  *state = (AspState){0};
}

AspError asp_state_create(const AspModel *model, AspState *state) {
  return asp_state_create_on(model->context, model, state);
}

void asp_state_destroy(const AspModel *model, AspState *state) {
  if (model && state)
    asp_state_destroy_on(model->context, state);
}

void asp_state_copy(const AspModel *model, const AspState *from, AspState *to) {
  to->t = from->t;
  memcpy(to->q, from->q, (size_t)asp_model_q_size(model) * sizeof *to->q);
  memcpy(to->v, from->v, (size_t)asp_model_v_size(model) * sizeof *to->v);
  memcpy(to->angle, from->angle, (size_t)model->joint_count * sizeof *to->angle);
  memcpy(to->input, from->input, (size_t)asp_model_input_count(model) * sizeof *to->input);
  to->pushed = from->pushed;
  if (from->pushed && to->applied != from->applied)
    memcpy(to->applied, from->applied, (size_t)model->body_count * sizeof *to->applied);
}

void asp_state_archive(AspArchive *archive, const AspModel *model, AspState *state) {
  ASP_ARCHIVE(archive, state->t);
  ASP_ARCHIVE_ARRAY(archive, state->q, model->q_size);
  ASP_ARCHIVE_ARRAY(archive, state->v, model->v_size);
  ASP_ARCHIVE_ARRAY(archive, state->angle, model->joint_count);
  ASP_ARCHIVE_ARRAY(archive, state->input, asp_model_input_count(model));
  ASP_ARCHIVE(archive, state->pushed);
  if (state->pushed)
    ASP_ARCHIVE_ARRAY(archive, state->applied, model->body_count);
}

/* The last value of each coordinate, brought to the present pose. */
static void refresh_angles(const AspModel *model, AspState *state) {
  for (int i = 0; i < model->joint_count; i++)
    if (model->joint[i].def.kind == ASP_JOINT_COMPOUND)
      asp_compound_refresh(model, state, i);
    else if (model->joint[i].def.compound < 0)
      asp_joint_value(model, state, i, &state->angle[i]);
}

void asp_state_write_motion(const AspModel *model, AspState *state, int body, const BodyMotion *motion) {
  AspVec3 x = motion->pose.position, v = motion->v, w = motion->w;
  AspQuat r = motion->pose.orientation;
  if (model->dimension == 2) {
    double q2[] = {x.x, x.y, motion->angle}, v2[] = {v.x, v.y, w.z};
    memcpy(&state->q[3 * (size_t)body], q2, sizeof q2);
    memcpy(&state->v[3 * (size_t)body], v2, sizeof v2);
  } else {
    double q3[] = {x.x, x.y, x.z, r.w, r.x, r.y, r.z}, v3[] = {v.x, v.y, v.z, w.x, w.y, w.z};
    memcpy(&state->q[7 * (size_t)body], q3, sizeof q3);
    memcpy(&state->v[6 * (size_t)body], v3, sizeof v3);
  }
}

void asp_state_initial(const AspModel *model, AspState *state) {
  state->pushed = false;
  if (model->input)
    memcpy(state->input, model->input, (size_t)asp_model_input_count(model) * sizeof *state->input);
  for (int i = 0; i < model->body_count; i++) {
    BodyMotion motion = asp_body_defined_motion(model->dimension, &model->body[i], state->t, state->input);
    asp_state_write_motion(model, state, i, &motion);
  }
  asp_beams_initial(model, state);
  asp_state_place_stations(model, state);
  for (int i = 0; i < model->joint_count; i++)
    state->angle[i] = model->joint[i].def.initial;
  refresh_angles(model, state);
}

void asp_state_place_kinematic(const AspModel *model, AspState *state) {
  for (int i = 0; model->has_kinematic && i < model->body_count; i++) {
    if (model->body[i].def.kind != ASP_BODY_KINEMATIC)
      continue;
    BodyMotion motion = asp_body_defined_motion(model->dimension, &model->body[i], state->t, state->input);
    asp_state_write_motion(model, state, i, &motion);
  }
  refresh_angles(model, state);
}

void asp_state_place_others(const AspModel *model, AspState *state) {
  for (int i = 0; model->dimension == 3 && i < model->body_count; i++) {
    double *q = &state->q[7 * (size_t)i];
    AspQuat unit = quat_normalize((AspQuat){q[3], q[4], q[5], q[6]});
    const double four[] = {unit.w, unit.x, unit.y, unit.z};
    memcpy(q + 3, four, sizeof four);
  }
  asp_state_place_stations(model, state);
  asp_state_place_kinematic(model, state);
}

void asp_state_set_body(const AspModel *model, AspState *state, int body, const AspPose *pose, const AspVec3 *velocity,
                        const AspVec3 *angular_velocity) {
  BodyMotion motion = asp_body_motion(model, state, body);
  if (pose) {
    double angle = 2 * asp_atan2(pose->orientation.z, pose->orientation.w);
    motion.pose = *pose;
    motion.angle = angle + 2 * ASP_PI * round((motion.angle - angle) / (2 * ASP_PI)); // full turns stay
  }
  motion.v = velocity ? *velocity : motion.v;
  motion.w = angular_velocity ? *angular_velocity : motion.w;
  asp_state_write_motion(model, state, body, &motion);
}

void asp_state_place_stations(const AspModel *model, AspState *state) {
  for (int i = 0; model->beam_count > 0 && i < model->body_count; i++) {
    if (model->body[i].beam < 0)
      continue;
    AspFlexSection section = asp_station_section(model, state, i);
    BodyMotion motion = {.pose = section.pose, .v = section.velocity, .w = section.spin};
    if (model->dimension == 2) { // full turns are counted from the last angle on
      double last = state->q[3 * (size_t)i + 2];
      motion.angle = section.angle + 2 * ASP_PI * round((last - section.angle) / (2 * ASP_PI));
    }
    asp_state_write_motion(model, state, i, &motion);
  }
}

typedef struct Spread {
  const AspModel *model;
  const double *x;
  double *v;
} Spread;

static void spread_bodies(void *data, int from, int end) {
  const Spread *spread = data;
  size_t n = (size_t)asp_model_velocities(spread->model);
  for (int i = from; i < end; i++)
    if (spread->model->dof_of[i] >= 0)
      memcpy(spread->v + n * (size_t)i, spread->x + spread->model->dof_of[i], n * sizeof *spread->v);
}

void asp_state_spread(const AspModel *model, const AspState *state, const double *x, double *v) {
  asp_state_spread_parallel(NULL, model, state, x, v);
}

void asp_state_spread_parallel(AspContext *context, const AspModel *model, const AspState *state, const double *x,
                               double *v) {
  size_t n = (size_t)asp_model_velocities(model);
  asp_parallel_for(context, model->body_count, STATE_GRAIN, spread_bodies, &(Spread){model, x, v});
  for (int i = 0; i < model->beam_count; i++)
    memcpy(v + model->beam[i].v_at, x + model->beam[i].dof, (size_t)asp_flex_dofs(model->beam[i].flex) * sizeof *v);
  for (int i = 0; model->beam_count > 0 && i < model->body_count; i++) {
    AspStationMap map;
    if (model->body[i].beam < 0)
      continue;
    asp_station_map(model, state, i, &map);
    memset(v + n * (size_t)i, 0, n * sizeof *v);
    for (int k = 0; k < map.count; k++)
      for (size_t d = 0; d < n; d++)
        v[n * (size_t)i + d] += map.T[n * (size_t)k + d] * x[map.dof + k];
  }
}

void asp_state_gather(const AspModel *model, const double *v, double *x) {
  size_t n = (size_t)asp_model_velocities(model);
  for (int i = 0; i < model->body_count; i++)
    if (model->body[i].dof >= 0)
      memcpy(x + model->body[i].dof, v + n * (size_t)i, n * sizeof *x);
  for (int i = 0; i < model->beam_count; i++)
    memcpy(x + model->beam[i].dof, v + model->beam[i].v_at, (size_t)asp_flex_dofs(model->beam[i].flex) * sizeof *x);
}

AspPose asp_state_pose(const AspModel *model, const AspState *state, int body) {
  if (model->dimension == 2) {
    const double *q = &state->q[3 * (size_t)body];
    return (AspPose){{q[0], q[1], 0}, {asp_cos(0.5 * q[2]), 0, 0, asp_sin(0.5 * q[2])}};
  }
  const double *q = &state->q[7 * (size_t)body];
  return (AspPose){{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
}

AspVec3 asp_state_velocity(const AspModel *model, const AspState *state, int body) {
  const double *v = &state->v[(size_t)asp_model_velocities(model) * (size_t)body];
  return vec3(v[0], v[1], model->dimension == 2 ? 0 : v[2]);
}

AspVec3 asp_state_angular_velocity(const AspModel *model, const AspState *state, int body) {
  const double *v = &state->v[(size_t)asp_model_velocities(model) * (size_t)body];
  return model->dimension == 2 ? vec3(0, 0, v[2]) : vec3(v[3], v[4], v[5]);
}

static void move_body(int dimension, double *q, const double *v, double dt) {
  for (int i = 0; i < 3; i++)
    q[i] += dt * v[i]; // 2D: the angle is the third
  if (dimension == 2)
    return;
  AspQuat turn = quat_from_vector(vec3(dt * v[3], dt * v[4], dt * v[5]));
  AspQuat r = quat_normalize(quat_multiply(turn, (AspQuat){q[3], q[4], q[5], q[6]}));
  q[3] = r.w;
  q[4] = r.x;
  q[5] = r.y;
  q[6] = r.z;
}

/* Where bodies go in dt; state->t is the new time. */
typedef struct Advance {
  const AspModel *model;
  AspState *state;
  const double *velocity;
  double dt;
} Advance;

static void advance_bodies(void *data, int from, int end) {
  const Advance *advance = data;
  const AspModel *model = advance->model;
  size_t nq = (size_t)asp_body_positions(model->dimension), nv = (size_t)asp_model_velocities(model);
  for (int i = from; i < end; i++) {
    const ModelBody *body = &model->body[i];
    if (body->def.kind == ASP_BODY_DYNAMIC) {
      move_body(model->dimension, &advance->state->q[nq * (size_t)i], &advance->velocity[nv * (size_t)i], advance->dt);
    } else if (body->def.kind == ASP_BODY_KINEMATIC) {
      BodyMotion motion = asp_body_defined_motion(model->dimension, body, advance->state->t, advance->state->input);
      asp_state_write_motion(model, advance->state, i, &motion);
    }
  }
}

void asp_state_advance(const AspModel *model, AspState *state, const double *velocity, double dt) {
  asp_state_advance_parallel(NULL, model, state, velocity, dt);
}

void asp_state_expect(AspContext *context, const AspModel *model, AspState *state, const double *velocity, double dt) {
  // where the joints' coordinates are about to go
  for (int i = 0; i < model->joint_count; i++)
    if (model->joint[i].def.kind == ASP_JOINT_COMPOUND)
      asp_compound_expect(model, state, i, velocity, dt);
    else
      state->angle[i] += dt * asp_joint_turn_rate(model, state, i, velocity);
  // the bodies
  state->t += dt;
  asp_parallel_for(context, model->body_count, STATE_GRAIN, advance_bodies, &(Advance){model, state, velocity, dt});
  asp_beams_move(model, state, velocity, dt);
  asp_state_place_stations(model, state);
}

void asp_state_advance_parallel(AspContext *context, const AspModel *model, AspState *state, const double *velocity,
                                double dt) {
  asp_state_expect(context, model, state, velocity, dt);
  refresh_angles(model, state);
}

void asp_state_displace(const AspModel *model, AspState *state, const double *displacement) {
  size_t nq = (size_t)asp_body_positions(model->dimension), nv = (size_t)asp_model_velocities(model);
  for (int i = 0; i < model->body_count; i++)
    if (model->body[i].def.kind == ASP_BODY_DYNAMIC)
      move_body(model->dimension, &state->q[nq * (size_t)i], &displacement[nv * (size_t)i], 1);
  asp_beams_move(model, state, displacement, 1);
  asp_state_place_stations(model, state);
  refresh_angles(model, state);
}
