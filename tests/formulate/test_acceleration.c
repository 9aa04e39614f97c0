/* The acceleration level: biases of contacts against finite differences of the collision's own gap along a flight with
 * constant velocities, and joints, motors, dry friction against closed forms. */
#include "asperity/collide.h"
#include "formulate/acceleration.h"
#include "linalg/vec3.h"
#include "testing.h"

typedef struct Pair {
  AspContext *context;
  AspModel *model;
  AspState state;
  AspShape shape[2];
  int dimension;
} Pair;

static Pair make_pair(int dimension, AspShape a, AspShape b) {
  Pair pair = {.context = asp_context_create(NULL), .shape = {a, b}, .dimension = dimension};
  assert_ok(pair.context, asp_model_create(pair.context, dimension, &pair.model));
  for (int i = 0; i < 2; i++) {
    AspBodyDef def = asp_body_default();
    def.mass = 1;
    def.inertia = mat3_diagonal(1, 1, 1);
    int body;
    assert_ok(pair.context, asp_model_add_body(pair.model, &def, &body));
  }
  assert_ok(pair.context, asp_model_finish(pair.model));
  assert_ok(pair.context, asp_state_create(pair.model, &pair.state));
  return pair;
}

static void free_pair(Pair *pair) {
  asp_state_destroy(pair->model, &pair->state);
  asp_model_destroy(pair->model);
  asp_context_destroy(pair->context);
}

/* The nearest contact of the pair, seen from its bodies; false when there is none. */
static bool nearest(const Pair *pair, const AspState *state, AspContact *best) {
  AspContact found[ASP_MANIFOLD_MAX];
  AspCollider colliders[2];
  for (int i = 0; i < 2; i++)
    colliders[i] = (AspCollider){.shape = &pair->shape[i], .pose = asp_state_pose(pair->model, state, i), .owner = i};
  int count = asp_collide_pair(pair->dimension, &colliders[0], &colliders[1], 10, found), at = 0;
  for (int i = 1; i < count; i++)
    if (found[i].gap < found[at].gap)
      at = i;
  if (count)
    *best = found[at];
  return count > 0;
}

static AspContactFrame frame_of(const Pair *pair, const AspState *state, const AspContact *contact) {
  AspContactFrame frame =
      asp_contact_frame(pair->dimension, contact->normal, scale3(0.5, add3(contact->point_a, contact->point_b)),
                        asp_state_pose(pair->model, state, 0).position, asp_state_pose(pair->model, state, 1).position);
  frame.body_a = 0;
  frame.body_b = 1;
  frame.gap = contact->gap;
  return frame;
}

static AspVec3 velocity_at(const Pair *pair, const AspState *state, int body, AspVec3 point) {
  AspVec3 arm = sub3(point, asp_state_pose(pair->model, state, body).position);
  return add3(asp_state_velocity(pair->model, state, body),
              cross3(asp_state_angular_velocity(pair->model, state, body), arm));
}

static void set_random(const Pair *pair, AspRandom *random, double distance) {
  int q = pair->dimension == 3 ? 7 : 3, v = pair->dimension == 3 ? 6 : 3;
  AspVec3 apart =
      vec3(asp_random_normal(random), asp_random_normal(random), pair->dimension == 3 ? asp_random_normal(random) : 0);
  apart = scale3(distance, unit3(apart));
  for (int body = 0; body < 2; body++) {
    double *at = pair->state.q + q * body;
    at[0] = body * apart.x;
    at[1] = body * apart.y;
    if (pair->dimension == 3) {
      AspQuat turn = quat_normalize((AspQuat){asp_random_normal(random), asp_random_normal(random),
                                              asp_random_normal(random), asp_random_normal(random)});
      double rest[] = {body * apart.z, turn.w, turn.x, turn.y, turn.z};
      memcpy(at + 2, rest, sizeof rest);
    } else
      at[2] = asp_random_uniform(random, -3, 3);
  }
  for (int i = 0; i < 2 * v; i++)
    pair->state.v[i] = asp_random_normal(random);
}

/* Body B gets the velocity that leaves no relative motion at the witness points. */
static void stop_slip(const Pair *pair, const AspContact *contact) {
  AspVec3 slip =
      sub3(velocity_at(pair, &pair->state, 1, contact->point_b), velocity_at(pair, &pair->state, 0, contact->point_a));
  int v = pair->dimension == 3 ? 6 : 3;
  pair->state.v[v] -= slip.x;
  pair->state.v[v + 1] -= slip.y;
  if (v == 6)
    pair->state.v[v + 2] -= slip.z;
}

static AspContact fly(const Pair *pair, double dt, AspState *moved) {
  AspContact contact = {0};
  asp_state_copy(pair->model, &pair->state, moved);
  asp_state_advance(pair->model, moved, moved->v, dt);
  assert_true(nearest(pair, moved, &contact));
  return contact;
}

static void roundness_of(const Pair *pair, const AspState *state, const AspContact *contact, AspRoundness round[2]) {
  AspContactFrame frame = frame_of(pair, state, contact);
  for (int i = 0; i < 2; i++) {
    AspPose pose = asp_state_pose(pair->model, state, i);
    round[i] = asp_shape_roundness(pair->dimension, &pair->shape[i], &pose, i ? contact->point_b : contact->point_a,
                                   i ? neg3(frame.normal) : frame.normal, frame.t1, frame.t2);
  }
}

/* Did the contact go to another feature of a body (from a capsule's side to its end, from a face to an edge)? */
static bool feature_changes(const Pair *pair, const AspRoundness now[2], const AspState *state,
                            const AspContact *contact) {
  AspRoundness then[2];
  roundness_of(pair, state, contact, then);
  bool changes = false;
  for (int i = 0; i < 2; i++)
    changes = changes || fabs(now[i].flat[0] + now[i].flat[2] - then[i].flat[0] - then[i].flat[2]) > 0.5;
  return changes;
}

/* Second difference of the gap, or first difference of the slip when the contact sticks at the start. */
static void check_bias(const Pair *pair, bool stick) {
  AspContact contact, before, after;
  if (!nearest(pair, &pair->state, &contact) || contact.gap < 0.01)
    return; // overlapping shapes have a gap of another kind
  if (stick)
    stop_slip(pair, &contact);
  AspContactFrame frame = frame_of(pair, &pair->state, &contact);
  AspRoundness round[2];
  roundness_of(pair, &pair->state, &contact, round);
  double bias[3], h = 2e-4;
  asp_contact_bias(pair->model, &pair->state, &frame, round, bias);
  AspState early, late;
  assert_ok(pair->context, asp_state_create(pair->model, &early));
  assert_ok(pair->context, asp_state_create(pair->model, &late));
  before = fly(pair, -h, &early);
  after = fly(pair, h, &late);
  bool smooth = !feature_changes(pair, round, &early, &before) && !feature_changes(pair, round, &late, &after);
  if (smooth) {
    assert_near(bias[0], (before.gap - 2 * contact.gap + after.gap) / (h * h), 2e-5 * (1 + fabs(bias[0])));
    AspVec3 slip[2] = {sub3(velocity_at(pair, &early, 1, before.point_b), velocity_at(pair, &early, 0, before.point_a)),
                       sub3(velocity_at(pair, &late, 1, after.point_b), velocity_at(pair, &late, 0, after.point_a))};
    AspVec3 change = scale3(1 / (2 * h), sub3(slip[1], slip[0]));
    if (stick) {
      assert_near(bias[1], dot3(change, frame.t1), 2e-5 * (1 + fabs(bias[1])));
      if (pair->dimension == 3)
        assert_near(bias[2], dot3(change, frame.t2), 2e-5 * (1 + fabs(bias[2])));
    }
  }
  asp_state_destroy(pair->model, &early);
  asp_state_destroy(pair->model, &late);
}

static void check_pair(int dimension, AspShape a, AspShape b, double distance, uint64_t seed) {
  AspRandom random = {seed};
  Pair pair = make_pair(dimension, a, b);
  for (int round = 0; round < 60; round++) {
    set_random(&pair, &random, distance);
    check_bias(&pair, round % 2);
  }
  free_pair(&pair);
}

static AspShape shape(AspShapeKind kind, double radius, double half_length) {
  AspShape it = asp_shape_default(kind);
  it.radius = radius;
  it.half_length = half_length;
  it.half_extents = vec3(0.5, 0.4, 0.3);
  return it;
}

static void bias_is_the_second_derivative_of_the_gap_of_round_shapes(void **state) {
  (void)state;
  AspShape sphere = shape(ASP_SHAPE_SPHERE, 0.4, 0), capsule = shape(ASP_SHAPE_CAPSULE, 0.2, 0.5);
  AspShape cylinder = shape(ASP_SHAPE_CYLINDER, 0.3, 0.5), box = shape(ASP_SHAPE_BOX, 0, 0);
  AspShape plane = asp_shape_default(ASP_SHAPE_HALF_SPACE), point = asp_shape_default(ASP_SHAPE_POINT);
  check_pair(3, sphere, sphere, 1.2, 1);
  check_pair(3, sphere, capsule, 1.3, 2);
  check_pair(3, capsule, capsule, 1.4, 3);
  check_pair(3, sphere, box, 1.5, 4);
  check_pair(3, box, capsule, 1.6, 5);
  check_pair(3, sphere, plane, 1.5, 6);
  check_pair(3, capsule, plane, 1.5, 7);
  check_pair(3, cylinder, plane, 1.5, 8);
  check_pair(3, sphere, cylinder, 1.5, 9);
  check_pair(3, shape(ASP_SHAPE_CONE, 0.4, 0.5), sphere, 1.5, 10);
  check_pair(3, shape(ASP_SHAPE_CONE, 0.4, 0.5), plane, 1.5, 11);
  check_pair(3, point, sphere, 1.5, 12);
  AspShape egg = shape(ASP_SHAPE_ELLIPSOID, 0, 0);
  check_pair(3, egg, plane, 1.5, 16);
  check_pair(3, egg, sphere, 1.3, 17);
  check_pair(3, egg, egg, 1.4, 18);
  check_pair(3, egg, box, 1.5, 19);
  check_pair(3, egg, capsule, 1.5, 20);
  check_pair(3, box, egg, 1.4, 21);
}

static void bias_is_the_second_derivative_of_the_gap_of_polytopes(void **state) {
  (void)state;
  AspShape box = shape(ASP_SHAPE_BOX, 0, 0), plane = asp_shape_default(ASP_SHAPE_HALF_SPACE);
  AspShape larger = box;
  larger.half_extents = vec3(0.7, 0.7, 0.6);
  check_pair(3, box, plane, 1.5, 13);
  check_pair(3, box, larger, 2, 14);
  check_pair(3, box, box, 1.6, 15);
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {77};
  AspVec3 points[12];
  for (int i = 0; i < 12; i++)
    points[i] =
        scale3(0.5, unit3(vec3(asp_random_normal(&random), asp_random_normal(&random), asp_random_normal(&random))));
  AspShape rock = asp_shape_default(ASP_SHAPE_CONVEX);
  AspHull *hull;
  assert_ok(context, asp_hull_create(context, 3, points, 12, &hull));
  rock.hull = hull;
  check_pair(3, rock, box, 1.6, 16);
  check_pair(3, rock, rock, 1.6, 17);
  check_pair(3, rock, plane, 1.6, 18);
  asp_hull_destroy(context, hull);
  asp_context_destroy(context);
}

static void bias_is_the_second_derivative_of_the_gap_in_the_plane(void **state) {
  (void)state;
  AspShape disk = shape(ASP_SHAPE_DISK, 0.4, 0), box = shape(ASP_SHAPE_BOX, 0, 0);
  AspShape capsule = shape(ASP_SHAPE_CAPSULE, 0.2, 0.5), plane = asp_shape_default(ASP_SHAPE_HALF_PLANE);
  check_pair(2, disk, disk, 1.2, 21);
  check_pair(2, disk, box, 1.3, 22);
  check_pair(2, disk, capsule, 1.4, 23);
  check_pair(2, box, box, 1.6, 24);
  check_pair(2, box, plane, 1.6, 25);
  check_pair(2, disk, plane, 1.6, 26);
  check_pair(2, capsule, box, 1.6, 27);
}

/* ---- joints ---- */

typedef struct Swing {
  AspContext *context;
  AspModel *model;
  AspState state;
  AspArena arena;
  AspFormulation formulation;
} Swing;

/* A pendulum of length 1 in the plane, mass 2, inertia 0.5, turned by 0.3 rad from the vertical, turning at `rate`. */
static Swing make_swing(double rate, void (*change)(AspJointDef *)) {
  Swing swing = {.context = asp_context_create(NULL)};
  assert_ok(swing.context, asp_model_create(swing.context, 2, &swing.model));
  asp_model_set_gravity(swing.model, vec3(0, -9.81, 0));
  AspBodyDef def = asp_body_default();
  int ground, arm, joint;
  def.kind = ASP_BODY_FIXED;
  assert_ok(swing.context, asp_model_add_body(swing.model, &def, &ground));
  def = asp_body_default();
  def.mass = 2;
  def.inertia.m[8] = 0.5;
  def.pose.position = vec3(sin(0.3), -cos(0.3), 0);
  def.angular_velocity = vec3(0, 0, rate);
  def.velocity = vec3(rate * cos(0.3), rate * sin(0.3), 0);
  assert_ok(swing.context, asp_model_add_body(swing.model, &def, &arm));
  AspJointDef hinge = asp_joint_default();
  hinge.body_a = ground;
  hinge.body_b = arm;
  change(&hinge);
  assert_ok(swing.context, asp_model_add_joint(swing.model, &hinge, &joint));
  assert_ok(swing.context, asp_model_finish(swing.model));
  assert_ok(swing.context, asp_state_create(swing.model, &swing.state));
  asp_arena_init(&swing.arena, swing.context);
  AspInstant instant = {.gap = 1e-9, .speed = 1e-9};
  AspFrictionModel friction = {0};
  int approaching;
  assert_ok(swing.context, asp_formulation_begin(&swing.formulation, &swing.arena, swing.model, NULL, 0));
  assert_ok(swing.context, asp_formulate_acceleration(&swing.formulation, &swing.state, NULL, NULL, 0, &friction,
                                                      &instant, &approaching));
  assert_ok(swing.context, asp_formulation_finish(&swing.formulation));
  assert_int_equal(approaching, 0);
  return swing;
}

static void free_swing(Swing *swing) {
  asp_arena_free(&swing->arena);
  asp_state_destroy(swing->model, &swing->state);
  asp_model_destroy(swing->model);
  asp_context_destroy(swing->context);
}

/* The pendulum's angular acceleration from the two constraint rows: M a = h + H r, H^T a + w = 0. */
static double angular_acceleration(const Swing *swing) {
  const AspContactProblem *p = &swing->formulation.problem;
  // a = alpha (cos, sin, 1) + rate^2 (-sin, cos, 0) follows from the rows; Newton-Euler about the pivot gives alpha
  double c = cos(0.3), s = sin(0.3);
  double torque = p->f[0] * c + p->f[1] * s + p->f[2];
  return torque / (2.0 + 0.5);
}

static void no_extras(AspJointDef *hinge) { (void)hinge; }
static void dry_friction(AspJointDef *hinge) { hinge->friction = 3; }
static void brake(AspJointDef *hinge) {
  hinge->has_motor = true;
  hinge->motor_velocity = "0.5 + 2*t";
  hinge->motor_effort = 4;
}

static void joint_rows_carry_the_centripetal_acceleration(void **state) {
  (void)state;
  Swing swing = make_swing(2, no_extras);
  const AspContactProblem *p = &swing.formulation.problem;
  assert_int_equal(p->rows, 2);
  assert_near(p->f[1], -2 * 9.81, 1e-12);
  // the circle's motion a = alpha (c, s, 1) + 4 (-s, c, 0) must satisfy the rows for any alpha
  double alpha = 1.7, c = cos(0.3), s = sin(0.3), a[3] = {alpha * c - 4 * s, alpha * s + 4 * c, alpha};
  for (int k = 0; k < 2; k++) {
    double u = p->w[k];
    for (int at = p->H.start[k]; at < p->H.start[k + 1]; at++)
      u += p->H.value[at] * a[p->H.row[at]];
    assert_near(u, 0, 1e-12);
  }
  free_swing(&swing);
}

static void moving_dry_joints_are_known_forces_and_resting_ones_boxes(void **state) {
  (void)state;
  double weight = -2 * 9.81 * sin(0.3);
  Swing moving = make_swing(-2, dry_friction);
  assert_int_equal(moving.formulation.problem.blocks, 1);
  assert_near(angular_acceleration(&moving), (weight + 3) / 2.5, 1e-12);
  free_swing(&moving);
  Swing resting = make_swing(0, dry_friction);
  assert_int_equal(resting.formulation.problem.blocks, 2);
  assert_int_equal(resting.formulation.problem.law[1].kind, ASP_LAW_BOX);
  assert_near(resting.formulation.problem.law[1].limit, 3, 0);
  free_swing(&resting);
}

static void motors_push_with_their_effort_until_they_reach_their_speed(void **state) {
  (void)state;
  Swing slow = make_swing(0.2, brake);
  assert_int_equal(slow.formulation.problem.blocks, 1);
  assert_near(angular_acceleration(&slow), (-2 * 9.81 * sin(0.3) + 4) / 2.5, 1e-12);
  free_swing(&slow);
  Swing reached = make_swing(0.5, brake);
  assert_int_equal(reached.formulation.problem.law[1].kind, ASP_LAW_BOX);
  assert_near(reached.formulation.problem.w[2], -2, 1e-12); // c'' - wanted'
  free_swing(&reached);
}

/* At the edge of a face, seen along its normal, R has two values; at a corner that is tilted it has one. */
static void ends_of_faces_and_lines_are_told_apart_from_edges(void **state) {
  (void)state;
  AspPose pose = {.orientation = {1, 0, 0, 0}};
  AspVec3 x = vec3(1, 0, 0), y = vec3(0, 1, 0), z = vec3(0, 0, 1), tilted = unit3(vec3(0.1, 0, 1));
  AspShape box = {.kind = ASP_SHAPE_BOX, .half_extents = {1, 1, 1}};
  AspShape capsule = {.kind = ASP_SHAPE_CAPSULE, .radius = 0.5, .half_length = 1};
  AspRoundness edge = asp_shape_roundness(3, &box, &pose, vec3(1, 0, 1), z, x, y);
  assert_near(edge.flat[0], 0, 0);
  assert_near(edge.flat[2], 1, 0);
  assert_near(edge.ends[0], 1, 0);
  assert_near(edge.ends[2], 0, 0);
  edge = asp_shape_roundness(3, &box, &pose, vec3(1, 0, 1), tilted, unit3(vec3(1, 0, -0.1)), y);
  assert_near(edge.ends[0], 0, 0);
  assert_near(asp_shape_roundness(3, &box, &pose, vec3(0, 0, 1), z, x, y).ends[0], 0, 0);
  AspRoundness end = asp_shape_roundness(3, &capsule, &pose, vec3(0.5, 0, 1), x, y, z);
  assert_near(end.flat[2], 0, 0);
  assert_near(end.ends[0], 0, 0);
  assert_near(end.ends[2], 1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bias_is_the_second_derivative_of_the_gap_of_round_shapes),
      cmocka_unit_test(bias_is_the_second_derivative_of_the_gap_of_polytopes),
      cmocka_unit_test(bias_is_the_second_derivative_of_the_gap_in_the_plane),
      cmocka_unit_test(ends_of_faces_and_lines_are_told_apart_from_edges),
      cmocka_unit_test(joint_rows_carry_the_centripetal_acceleration),
      cmocka_unit_test(moving_dry_joints_are_known_forces_and_resting_ones_boxes),
      cmocka_unit_test(motors_push_with_their_effort_until_they_reach_their_speed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
