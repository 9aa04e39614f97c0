/* Joints: every row's gradient, rate and bias against differences of its value along motions, rows that vanish exactly
 * for the motions the joint allows, their number and rank, coordinates and their full turns. */
#include "base/constants.h"
#include "model/joint_motions.h"
#include "model_testing.h"

typedef struct JointCase {
  AspContext *context;
  AspModel *model;
  AspState state;
  AspJointDef def;
  int a, b, joint;
} JointCase;

/* Two bodies of the given kinds with a joint at random points and axes. */
static void make_case(JointCase *it, AspRandom *random, int dimension, AspJointKind kind, AspBodyKind kind_a,
                      AspBodyKind kind_b) {
  it->context = asp_context_create(NULL);
  assert_ok(it->context, asp_model_create(it->context, dimension, &it->model));
  it->a = add_random_body(it->context, it->model, random, kind_a);
  it->b = add_random_body(it->context, it->model, random, kind_b);
  AspJointDef def = asp_joint_default();
  def.kind = kind;
  def.body_a = it->a;
  def.body_b = it->b;
  def.point = random_vector(random, dimension, 1);
  // far enough for differences: near d = 0 the derivatives of |d| grow without bound
  def.point_b = add3(add3(def.point, vec3(3, 0, 0)), random_vector(random, dimension, 1));
  if (dimension == 3 || kind == ASP_JOINT_PRISMATIC)
    def.axis = random_vector(random, dimension, 1);
  def.axis_b = cross3(def.axis, random_vector(random, dimension, 1));
  def.pitch = -0.7;
  assert_ok(it->context, asp_model_add_joint(it->model, &def, &it->joint));
  assert_ok(it->context, asp_model_finish(it->model));
  assert_ok(it->context, asp_state_create(it->model, &it->state));
  it->def = *asp_model_joint_def(it->model, it->joint);
}

static void destroy_case(JointCase *it) {
  asp_state_destroy(it->model, &it->state);
  asp_model_destroy(it->model);
  assert_int_equal(asp_context_memory_in_use(it->context), 0);
  asp_context_destroy(it->context);
}

static bool in_dimension(int dimension, AspJointKind kind) {
  static const bool in_2d[ASP_JOINT_COUNT] = {
      [ASP_JOINT_REVOLUTE] = true, [ASP_JOINT_PRISMATIC] = true, [ASP_JOINT_FIXED] = true, [ASP_JOINT_DISTANCE] = true};
  return kind != ASP_JOINT_COUPLING && kind != ASP_JOINT_COMPOUND && kind != ASP_JOINT_TENDON && // tests of their own
         (dimension == 3 || in_2d[kind]);
}

/* ---- derivatives ---- */

typedef struct Which {
  int joint, row; /* row -1: the coordinate */
} Which;

static AspRow evaluate(const AspModel *model, const AspState *state, Which which) {
  AspRow rows[ASP_ROW_PARTS];
  if (which.row < 0)
    assert_true(asp_joint_coordinate(model, state, which.joint, &rows[0]));
  else
    asp_joint_rows(model, state, which.joint, rows);
  return rows[which.row < 0 ? 0 : which.row];
}

static double value_of(const AspModel *model, const AspState *state, const void *what) {
  return evaluate(model, state, *(const Which *)what).value;
}

/* d value/dt for one velocity of the dynamic bodies; kinematic bodies move with their own, in state->v. */
static double rate_of(const AspModel *model, const AspState *state, const AspRow *row, const double *velocity) {
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  const double *va = asp_model_body_kind(model, row->body_a) == ASP_BODY_DYNAMIC ? velocity : state->v;
  const double *vb = asp_model_body_kind(model, row->body_b) == ASP_BODY_DYNAMIC ? velocity : state->v;
  double rate = row->rate;
  for (int i = 0; i < n; i++)
    rate += row->ja[i] * va[n * row->body_a + i] + row->jb[i] * vb[n * row->body_b + i];
  return rate;
}

static void check_derivatives(const JointCase *it, Which which) {
  const double step = 1e-3, tolerance = 2e-9;
  AspRow row = evaluate(it->model, &it->state, which);
  double first, second, e[12] = {0};
  int size = asp_model_v_size(it->model);
  for (int i = 0; i < size; i++) { // each column of the gradient
    e[i] = 1;
    differentiate(it->model, &it->state, e, step, value_of, &which, &first, &second);
    assert_near(first, rate_of(it->model, &it->state, &row, e), tolerance);
    e[i] = 0;
  }
  differentiate(it->model, &it->state, it->state.v, step, value_of, &which, &first, &second);
  assert_near(first, rate_of(it->model, &it->state, &row, it->state.v), tolerance);
  assert_near(second, row.bias, 10 * tolerance);
}

/* What is said of rows without their gradients is what the rows have. */
static void check_motions(const JointCase *it) {
  AspRow rows[ASP_ROW_PARTS];
  RowMotion motion[ASP_JOINT_ROWS_MAX], coordinate;
  int count = asp_joint_rows(it->model, &it->state, it->joint, rows);
  assert_int_equal(asp_joint_row_motions(it->model, &it->state, it->joint, motion), count);
  for (int k = 0; k < count; k++) {
    bool is_length =
        rows[k].jb[0] != 0 || rows[k].jb[1] != 0 || (asp_model_dimension(it->model) == 3 && rows[k].jb[2] != 0);
    assert_near(motion[k].value, rows[k].value, 1e-13);
    assert_near(motion[k].rate, rate_of(it->model, &it->state, &rows[k], it->state.v), 1e-13);
    assert_int_equal(motion[k].is_length, is_length);
  }
  bool has = asp_joint_coordinate(it->model, &it->state, it->joint, rows);
  assert_int_equal(asp_joint_motion_of_coordinate(it->model, &it->state, it->joint, &coordinate), has);
  if (!has)
    return;
  assert_near(coordinate.value, rows->value, 1e-13);
  assert_near(coordinate.rate, rate_of(it->model, &it->state, rows, it->state.v), 1e-13);
}

static void rows_and_coordinates_have_the_derivatives_that_differences_show(void **unused) {
  (void)unused;
  static const AspBodyKind partners[][2] = {{ASP_BODY_DYNAMIC, ASP_BODY_DYNAMIC},
                                            {ASP_BODY_FIXED, ASP_BODY_DYNAMIC},
                                            {ASP_BODY_DYNAMIC, ASP_BODY_FIXED},
                                            {ASP_BODY_KINEMATIC, ASP_BODY_DYNAMIC},
                                            {ASP_BODY_DYNAMIC, ASP_BODY_KINEMATIC}};
  AspRandom random = {1};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int kind = 0; kind < ASP_JOINT_COUNT; kind++)
      for (int partner = 0; partner < 5 && in_dimension(dimension, (AspJointKind)kind); partner++) {
        JointCase it;
        make_case(&it, &random, dimension, (AspJointKind)kind, partners[partner][0], partners[partner][1]);
        for (int sample = 0; sample < 4; sample++) {
          // off the constraint, at a time when kinematic bodies accelerate
          it.state.t = 0.3 * sample;
          asp_state_initial(it.model, &it.state);
          randomize_velocity(it.model, &random, &it.state, 1);
          asp_state_advance(it.model, &it.state, it.state.v, 0.2);
          randomize_velocity(it.model, &random, &it.state, 2);
          AspRow rows[ASP_ROW_PARTS];
          int count = asp_joint_rows(it.model, &it.state, it.joint, rows);
          for (int row = 0; row < count; row++)
            check_derivatives(&it, (Which){it.joint, row});
          if (asp_joint_coordinate(it.model, &it.state, it.joint, rows))
            check_derivatives(&it, (Which){it.joint, -1});
          check_motions(&it);
        }
        destroy_case(&it);
      }
}

/* ---- what a joint allows ---- */

/* Rigid motion of the world: turn about a point, then shift. */
typedef struct Displacement {
  AspVec3 about, rotation, shift;
} Displacement;

static AspPose displace(const Displacement *by, AspPose pose) {
  AspQuat turn = quat_from_vector(by->rotation);
  AspVec3 arm = quat_rotate(turn, sub3(pose.position, by->about));
  return (AspPose){add3(add3(by->about, arm), by->shift), quat_multiply(turn, pose.orientation)};
}

static void write_pose(const AspModel *model, AspState *state, int body, AspPose pose, double angle) {
  if (asp_model_dimension(model) == 2) {
    double q[] = {pose.position.x, pose.position.y, angle};
    memcpy(&state->q[3 * body], q, sizeof q);
    return;
  }
  double q[] = {pose.position.x,    pose.position.y,    pose.position.z,   pose.orientation.w,
                pose.orientation.x, pose.orientation.y, pose.orientation.z};
  memcpy(&state->q[7 * body], q, sizeof q);
}

/* A displacement of B against A that the joint allows, from the joint's definition in the world. */
static Displacement allowed(const AspJointDef *def, AspRandom *random, int dimension, double *coordinate) {
  Displacement by = {.about = def->point};
  double angle = asp_random_uniform(random, -1, 1), slide = asp_random_uniform(random, -1, 1);
  AspVec3 across = cross3(def->axis, random_vector(random, 3, 1));
  *coordinate = angle;
  switch (def->kind) {
  case ASP_JOINT_REVOLUTE:
    by.rotation = scale3(angle, def->axis);
    break;
  case ASP_JOINT_PRISMATIC:
    by.shift = scale3(slide, def->axis);
    *coordinate = slide;
    break;
  case ASP_JOINT_CYLINDRICAL:
    by.rotation = scale3(angle, def->axis);
    by.shift = scale3(slide, def->axis);
    break;
  case ASP_JOINT_SCREW:
    by.rotation = scale3(angle, def->axis);
    by.shift = scale3(def->pitch * angle / (2 * ASP_PI), def->axis);
    break;
  case ASP_JOINT_SPHERICAL:
    by.rotation = random_vector(random, 3, 1);
    break;
  case ASP_JOINT_UNIVERSAL: // about B's axis first, then about A's: done by the caller for the second
    by.rotation = scale3(angle, def->axis_b);
    break;
  case ASP_JOINT_PLANAR:
    by.rotation = scale3(angle, def->axis);
    by.shift = across;
    break;
  case ASP_JOINT_DISTANCE: // B turns about the point on A
    by.rotation = random_rotation_vector(random, dimension, 1);
    break;
  default:
    break;
  }
  return by;
}

static void rows_vanish_for_allowed_motions_and_the_coordinate_follows(void **unused) {
  (void)unused;
  AspRandom random = {2};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int kind = 0; kind < ASP_JOINT_COUNT; kind++)
      for (int sample = 0; sample < 20 && in_dimension(dimension, (AspJointKind)kind); sample++) {
        JointCase it;
        make_case(&it, &random, dimension, (AspJointKind)kind, ASP_BODY_DYNAMIC, ASP_BODY_DYNAMIC);
        double coordinate;
        Displacement by = allowed(&it.def, &random, dimension, &coordinate);
        Displacement second = {.about = it.def.point, .rotation = scale3(0.7, it.def.axis)};
        Displacement both = {.about = random_vector(&random, dimension, 1),
                             .rotation = random_rotation_vector(&random, dimension, 1),
                             .shift = random_vector(&random, dimension, 1)};
        AspPose a = asp_state_pose(it.model, &it.state, it.a);
        AspPose b = displace(&by, asp_state_pose(it.model, &it.state, it.b));
        if (kind == ASP_JOINT_UNIVERSAL)
          b = displace(&second, b);
        double angle_a = it.state.q[2], angle_b = it.state.q[5]; // meaningful in 2D
        write_pose(it.model, &it.state, it.a, displace(&both, a), angle_a + both.rotation.z);
        write_pose(it.model, &it.state, it.b, displace(&both, b), angle_b + by.rotation.z + both.rotation.z);
        AspRow rows[ASP_ROW_PARTS];
        int count = asp_joint_rows(it.model, &it.state, it.joint, rows);
        for (int row = 0; row < count; row++)
          assert_near(rows[row].value, 0, 1e-14);
        if (asp_joint_coordinate(it.model, &it.state, it.joint, rows))
          assert_near(rows[0].value, coordinate, 1e-14);
        destroy_case(&it);
      }
}

static void row_counts_are_those_of_the_table_and_rows_are_independent(void **unused) {
  (void)unused;
  static const int expected[ASP_JOINT_COUNT][2] = {
      [ASP_JOINT_REVOLUTE] = {2, 5},  [ASP_JOINT_PRISMATIC] = {2, 5}, [ASP_JOINT_CYLINDRICAL] = {0, 4},
      [ASP_JOINT_SPHERICAL] = {0, 3}, [ASP_JOINT_UNIVERSAL] = {0, 4}, [ASP_JOINT_PLANAR] = {0, 3},
      [ASP_JOINT_FIXED] = {3, 6},     [ASP_JOINT_DISTANCE] = {1, 1},  [ASP_JOINT_SCREW] = {0, 5}};
  AspRandom random = {3};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int kind = 0; kind < ASP_JOINT_COUNT; kind++) {
      if (!in_dimension(dimension, (AspJointKind)kind))
        continue;
      JointCase it;
      make_case(&it, &random, dimension, (AspJointKind)kind, ASP_BODY_FIXED, ASP_BODY_DYNAMIC);
      AspRow rows[ASP_ROW_PARTS];
      int count = asp_joint_rows(it.model, &it.state, it.joint, rows);
      assert_int_equal(count, expected[kind][dimension - 2]);
      // Gram-Schmidt on B's gradients: no row is spanned by the earlier ones
      double basis[6][6];
      for (int i = 0; i < count; i++) {
        memcpy(basis[i], rows[i].jb, sizeof basis[i]);
        for (int j = 0; j < i; j++) {
          double along = 0;
          for (int k = 0; k < 6; k++)
            along += basis[j][k] * basis[i][k];
          for (int k = 0; k < 6; k++)
            basis[i][k] -= along * basis[j][k];
        }
        double norm = 0;
        for (int k = 0; k < 6; k++)
          norm += basis[i][k] * basis[i][k];
        assert_true(norm > 0.01);
        for (int k = 0; k < 6; k++)
          basis[i][k] /= sqrt(norm);
      }
      destroy_case(&it);
    }
}

/* ---- coordinates ---- */

static void revolute_angle_counts_ten_full_turns(void **unused) {
  (void)unused;
  AspRandom random = {4};
  static const double turns_per_step[] = {0.01, -0.3, 0.9, -1.7};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int speed = 0; speed < 4; speed++) {
      JointCase it;
      make_case(&it, &random, dimension, ASP_JOINT_REVOLUTE, ASP_BODY_FIXED, ASP_BODY_DYNAMIC);
      AspVec3 w = scale3(2 * ASP_PI * turns_per_step[speed], it.def.axis);
      AspVec3 arm = sub3(asp_state_pose(it.model, &it.state, it.b).position, it.def.point);
      double expected = 0;
      for (int step = 0; fabs(expected) < 20 * 3.1415926; step++) {
        AspQuat turn = quat_from_vector(scale3(step, w));
        AspVec3 v = cross3(w, quat_rotate(turn, arm));
        double v3[] = {v.x, v.y, v.z, w.x, w.y, w.z}, v2[] = {v.x, v.y, w.z}, all[12] = {0};
        memcpy(&all[dimension == 3 ? 6 : 3], dimension == 3 ? v3 : v2, dimension == 3 ? sizeof v3 : sizeof v2);
        asp_state_advance(it.model, &it.state, all, 1);
        expected += dot3(w, it.def.axis);
        AspRow row[ASP_ROW_PARTS];
        assert_true(asp_joint_coordinate(it.model, &it.state, it.joint, row));
        assert_near(row->value, expected, 1e-9);
        assert_near(it.state.angle[it.joint], expected, 1e-9);
      }
      destroy_case(&it);
    }
}

static void initial_coordinate_is_the_given_one_or_the_start_of_the_motion(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  assert_ok(context, asp_model_create(context, 3, &model));
  AspRandom random = {5};
  AspJointDef def = asp_joint_default();
  def.body_a = add_random_body(context, model, &random, ASP_BODY_KINEMATIC);
  def.body_b = add_random_body(context, model, &random, ASP_BODY_DYNAMIC);
  int joint[4];
  assert_ok(context, asp_model_add_joint(model, &def, &joint[0]));
  def.has_initial = true;
  def.initial = 7.5;
  assert_ok(context, asp_model_add_joint(model, &def, &joint[1]));
  def.has_initial = false;
  def.motion = "pi/3 - pi/30*(1 - cos(4*pi*t))";
  assert_ok(context, asp_model_add_joint(model, &def, &joint[2]));
  def.kind = ASP_JOINT_PRISMATIC;
  def.motion = NULL;
  def.has_initial = true;
  def.initial = -2;
  def.has_motor = true;
  def.motor_velocity = "3*t";
  def.motor_effort = 4;
  assert_ok(context, asp_model_add_joint(model, &def, &joint[3]));
  assert_ok(context, asp_model_finish(model));
  AspState state;
  assert_ok(context, asp_state_create(model, &state));
  const double expected[] = {0, 7.5, ASP_PI / 3, -2};
  for (int i = 0; i < 4; i++) {
    AspRow row[ASP_ROW_PARTS];
    assert_true(asp_joint_coordinate(model, &state, joint[i], row));
    assert_near(row->value, expected[i], 1e-14);
    assert_near(state.angle[i], expected[i], 1e-14);
    assert_near(asp_model_joint_def(model, joint[i])->initial, expected[i], 1e-14);
  }
  AspJet jet;
  double effort;
  assert_true(asp_joint_motion(model, NULL, joint[2], 0.25, &jet));
  assert_near(jet.value, ASP_PI * (1. / 3 - 2. / 30), 1e-14);
  assert_false(asp_joint_motion(model, NULL, joint[1], 0, &jet));
  assert_true(asp_joint_motor(model, NULL, joint[3], 2, &jet, &effort));
  assert_true(jet.value == 6 && jet.rate == 3 && effort == 4);
  assert_false(asp_joint_motor(model, NULL, joint[2], 0, &jet, &effort));
  asp_state_destroy(model, &state);
  asp_model_destroy(model);
  asp_context_destroy(context);
}

/* Asked for twice: the second answer is the one that was kept. */
static void check_kept(const JointCase *it, JointMotions *motions) {
  RowMotion kept[ASP_JOINT_ROWS_MAX], fresh[ASP_JOINT_ROWS_MAX];
  for (int time = 0; time < 2; time++) {
    asp_joint_motions_take(motions, it->model, &it->state);
    assert_int_equal(motions->has_rows && motions->has_coordinates, time);
    int count = asp_joint_row_motions(it->model, &it->state, it->joint, fresh);
    assert_int_equal(asp_kept_row_motions(motions, it->model, &it->state, it->joint, kept), count);
    for (int k = 0; k < count; k++)
      assert_true(kept[k].value == fresh[k].value && kept[k].rate == fresh[k].rate);
    bool has = asp_joint_motion_of_coordinate(it->model, &it->state, it->joint, fresh);
    assert_int_equal(asp_kept_motion_of_coordinate(motions, it->model, &it->state, it->joint, kept), has);
    assert_true(!has || (kept->value == fresh->value && kept->rate == fresh->rate));
  }
}

static void kept_motions_of_joints_are_those_of_the_state_that_is_asked_for(void **unused) {
  (void)unused;
  AspRandom random = {7};
  for (int kind = 0; kind < ASP_JOINT_COUNT; kind++) {
    JointCase it;
    JointMotions motions;
    if (!in_dimension(3, (AspJointKind)kind))
      continue;
    make_case(&it, &random, 3, (AspJointKind)kind, ASP_BODY_DYNAMIC, ASP_BODY_DYNAMIC);
    assert_ok(it.context, asp_joint_motions_create(&motions, it.context, it.model));
    check_kept(&it, &motions);
    it.state.q[7 * it.b] += 0.1;
    check_kept(&it, &motions);
    it.state.v[6 * it.a + 4] += 0.1;
    check_kept(&it, &motions);
    it.state.angle[it.joint] += 7; // another turn
    check_kept(&it, &motions);
    asp_joint_motions_destroy(&motions, it.context);
    destroy_case(&it);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_coordinates_have_the_derivatives_that_differences_show),
      cmocka_unit_test(rows_vanish_for_allowed_motions_and_the_coordinate_follows),
      cmocka_unit_test(row_counts_are_those_of_the_table_and_rows_are_independent),
      cmocka_unit_test(kept_motions_of_joints_are_those_of_the_state_that_is_asked_for),
      cmocka_unit_test(revolute_angle_counts_ten_full_turns),
      cmocka_unit_test(initial_coordinate_is_the_given_one_or_the_start_of_the_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
