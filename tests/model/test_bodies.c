/* Bodies and states: mass matrix against kinetic energy, momentum of a free body, motion along velocities, kinematic
 * bodies against their expressions. */
#include "model_testing.h"

static void kinetic_energy_is_half_v_M_v(void **unused) {
  (void)unused;
  AspRandom random = {21};
  for (int dimension = 2; dimension <= 3; dimension++) {
    AspContext *context = asp_context_create(NULL);
    AspModel *model;
    assert_ok(context, asp_model_create(context, dimension, &model));
    for (int i = 0; i < 5; i++)
      add_random_body(context, model, &random, i == 2 ? ASP_BODY_KINEMATIC : ASP_BODY_DYNAMIC);
    assert_ok(context, asp_model_finish(model));
    AspState state;
    assert_ok(context, asp_state_create(model, &state));
    randomize_velocity(model, &random, &state, 2);
    int n = dimension == 3 ? 6 : 3;
    double energy = 0, M[36];
    for (int body = 0; body < 5; body++) {
      asp_body_mass_matrix(model, &state, body, M);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          assert_true(M[i * n + j] == M[j * n + i]);
          energy += 0.5 * state.v[n * body + i] * M[i * n + j] * state.v[n * body + j];
        }
    }
    assert_near(asp_model_energy(model, &state).kinetic, energy, 1e-13 * energy);
    asp_state_destroy(model, &state);
    asp_model_destroy(model);
    asp_context_destroy(context);
  }
}

static void mass_matrix_turns_with_the_body(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  assert_ok(context, asp_model_create(context, 3, &model));
  AspBodyDef def = asp_body_default();
  def.mass = 2;
  def.inertia = mat3_diagonal(1, 2, 2.5);
  def.pose.orientation = quat_from_axis_angle(vec3(0, 0, 1), 1.57079632679489661923); // x of the body is y of the world
  int body;
  assert_ok(context, asp_model_add_body(model, &def, &body));
  assert_ok(context, asp_model_finish(model));
  AspState state;
  assert_ok(context, asp_state_create(model, &state));
  double M[36];
  const double diagonal[] = {2, 2, 2, 2, 1, 2.5};
  asp_body_mass_matrix(model, &state, body, M);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      assert_near(M[6 * i + j], i == j ? diagonal[i] : 0, 1e-15);
  asp_state_destroy(model, &state);
  asp_model_destroy(model);
  asp_context_destroy(context);
}

/* Free rigid body by the explicit step w <- w - dt I^-1 (w x I w): |L(T) - L(0)|. */
static double momentum_drift(double dt) {
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  assert_ok(context, asp_model_create(context, 3, &model));
  AspBodyDef def = asp_body_default();
  def.mass = 1;
  def.inertia = mat3_diagonal(1, 2, 2.5);
  def.angular_velocity = vec3(0.5, 2, -1);
  int body;
  assert_ok(context, asp_model_add_body(model, &def, &body));
  assert_ok(context, asp_model_finish(model));
  AspState state;
  assert_ok(context, asp_state_create(model, &state));
  AspVec3 momentum[2];
  int steps = (int)round(1 / dt);
  for (int step = 0; step <= steps; step++) {
    AspQuat q = asp_state_pose(model, &state, body).orientation;
    AspVec3 w = quat_rotate_back(q, asp_state_angular_velocity(model, &state, body)); // body frame
    momentum[step > 0] = quat_rotate(q, vec3(w.x, 2 * w.y, 2.5 * w.z));
    double h[6];
    asp_model_forces(model, &state, h);
    AspVec3 torque = quat_rotate_back(q, vec3(h[3], h[4], h[5]));
    AspVec3 change = quat_rotate(q, vec3(dt * torque.x, dt * torque.y / 2, dt * torque.z / 2.5));
    asp_state_advance(model, &state, state.v, dt);
    state.v[3] += change.x;
    state.v[4] += change.y;
    state.v[5] += change.z;
  }
  asp_state_destroy(model, &state);
  asp_model_destroy(model);
  asp_context_destroy(context);
  return norm3(sub3(momentum[1], momentum[0]));
}

static void angular_momentum_of_a_free_body_is_kept_to_first_order(void **unused) {
  (void)unused;
  double coarse = momentum_drift(1e-3), fine = momentum_drift(5e-4);
  assert_at_most(coarse, 1e-2);
  assert_near(coarse / fine, 2, 0.05);
}

static void advancing_follows_the_exponential_map(void **unused) {
  (void)unused;
  AspRandom random = {22};
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  assert_ok(context, asp_model_create(context, 3, &model));
  int fixed = add_random_body(context, model, &random, ASP_BODY_FIXED);
  int body = add_random_body(context, model, &random, ASP_BODY_DYNAMIC);
  assert_ok(context, asp_model_finish(model));
  AspState state;
  assert_ok(context, asp_state_create(model, &state));
  AspPose start = asp_state_pose(model, &state, body), rest = asp_state_pose(model, &state, fixed);
  double velocity[12] = {9, 9, 9, 9, 9, 9, 1, -2, 0.5, 0, 0, 4}; // that of the fixed body is not used
  for (int i = 0; i < 1000; i++)
    asp_state_advance(model, &state, velocity, 1e-3);
  AspPose end = asp_state_pose(model, &state, body), still = asp_state_pose(model, &state, fixed);
  assert_true(memcmp(&still, &rest, sizeof rest) == 0);
  assert_near(norm3(sub3(end.position, add3(start.position, vec3(1, -2, 0.5)))), 0, 1e-12);
  // the body's axes turned by 4 rad about z
  for (int i = 0; i < 3; i++) {
    AspVec3 e = vec3(i == 0, i == 1, i == 2), before = quat_rotate(start.orientation, e);
    AspVec3 expected = vec3(cos(4) * before.x - sin(4) * before.y, sin(4) * before.x + cos(4) * before.y, before.z);
    assert_near(norm3(sub3(quat_rotate(end.orientation, e), expected)), 0, 1e-12);
  }
  AspQuat q = end.orientation;
  assert_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-15);
  assert_near(state.t, 1, 1e-12);
  for (int i = 0; i < 12; i++)
    assert_true(state.v[i] == 0); // left alone
  asp_state_destroy(model, &state);
  asp_model_destroy(model);
  asp_context_destroy(context);
}

typedef struct Component {
  int body, index; /* 0 .. 2 of the position, 3 the angle (2D) */
} Component;

static double component_of(const AspModel *model, const AspState *state, const void *what) {
  const Component *component = what;
  AspPose pose = asp_state_pose(model, state, component->body);
  return component->index == 3 ? state->q[3 * component->body + 2] : get3(pose.position, component->index);
}

static void kinematic_bodies_follow_their_expressions_with_their_velocity(void **unused) {
  (void)unused;
  AspRandom random = {23};
  for (int dimension = 2; dimension <= 3; dimension++) {
    AspContext *context = asp_context_create(NULL);
    AspModel *model;
    assert_ok(context, asp_model_create(context, dimension, &model));
    int body = add_random_body(context, model, &random, ASP_BODY_KINEMATIC);
    assert_ok(context, asp_model_finish(model));
    assert_int_equal(asp_model_dof_count(model), 0);
    AspState state;
    assert_ok(context, asp_state_create(model, &state));
    AspPose start = asp_state_pose(model, &state, body);
    double none[6] = {0};
    asp_state_advance(model, &state, none, 0.8);
    AspPose pose = asp_state_pose(model, &state, body);
    assert_near(pose.position.x, 0.4 * sin(1.6) + 0.1, 1e-15);
    assert_near(pose.position.y, 0.3 * 0.64 - 0.16, 1e-15);
    assert_near(pose.position.z, dimension == 3 ? 0.2 * exp(0.4) : 0, 1e-15);
    // it turned by the difference of the angle since t = 0 about its axis
    double turned = sin(1.2) + 0.3 * 0.64;
    AspVec3 axis = dimension == 3 ? unit3(vec3(1, -2, 0.5)) : vec3(0, 0, -1);
    AspQuat expected = quat_multiply(quat_from_axis_angle(axis, turned), start.orientation);
    for (int i = 0; i < 3; i++) {
      AspVec3 e = vec3(i == 0, i == 1, i == 2);
      assert_near(norm3(sub3(quat_rotate(pose.orientation, e), quat_rotate(expected, e))), 0, 1e-14);
    }
    AspVec3 v = asp_state_velocity(model, &state, body), w = asp_state_angular_velocity(model, &state, body);
    double first, second;
    for (int i = 0; i < dimension; i++) {
      differentiate(model, &state, none, 1e-3, component_of, &(Component){body, i}, &first, &second);
      assert_near(get3(v, i), first, 1e-10);
    }
    double rate = 1.5 * cos(1.2) + 0.6 * 0.8;
    assert_near(norm3(sub3(w, scale3(rate, axis))), 0, 1e-14);
    if (dimension == 2) {
      differentiate(model, &state, none, 1e-3, component_of, &(Component){body, 3}, &first, &second);
      assert_near(w.z, first, 1e-10);
    }
    asp_state_destroy(model, &state);
    asp_model_destroy(model);
    asp_context_destroy(context);
  }
}

static void initial_state_is_that_of_the_definitions(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  assert_ok(context, asp_model_create(context, 2, &model));
  AspBodyDef def = asp_body_default();
  def.mass = 1;
  def.inertia.m[8] = 2;
  def.pose = (AspPose){{1, 2, 0}, quat_from_axis_angle(vec3(0, 0, 1), -2.5)};
  def.velocity = vec3(3, 4, 0);
  def.angular_velocity = vec3(0, 0, 5);
  int body;
  assert_ok(context, asp_model_add_body(model, &def, &body));
  AspState state;
  assert_int_equal(asp_state_create(model, &state), ASP_ERROR_ARGUMENT); // not finished yet
  assert_ok(context, asp_model_finish(model));
  assert_ok(context, asp_state_create(model, &state));
  const double q[] = {1, 2, -2.5}, v[] = {3, 4, 5};
  for (int i = 0; i < 3; i++) {
    assert_near(state.q[i], q[i], 1e-15);
    assert_true(state.v[i] == v[i]);
  }
  double M[9];
  asp_body_mass_matrix(model, &state, body, M);
  assert_true(M[0] == 1 && M[4] == 1 && M[8] == 2);
  asp_state_destroy(model, &state);
  asp_model_destroy(model);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void empty_model_has_an_empty_state(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  AspState state;
  assert_ok(context, asp_model_create(context, 3, &model));
  assert_ok(context, asp_model_finish(model));
  assert_ok(context, asp_state_create(model, &state));
  asp_state_advance(model, &state, state.v, 0.5);
  AspEnergy energy = asp_model_energy(model, &state);
  assert_true(state.t == 0.5 && energy.kinetic == 0 && asp_model_dof_count(model) == 0);
  asp_state_destroy(model, &state);
  asp_model_destroy(model);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinetic_energy_is_half_v_M_v),
      cmocka_unit_test(mass_matrix_turns_with_the_body),
      cmocka_unit_test(angular_momentum_of_a_free_body_is_kept_to_first_order),
      cmocka_unit_test(advancing_follows_the_exponential_map),
      cmocka_unit_test(kinematic_bodies_follow_their_expressions_with_their_velocity),
      cmocka_unit_test(initial_state_is_that_of_the_definitions),
      cmocka_unit_test(empty_model_has_an_empty_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
