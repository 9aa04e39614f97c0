/* Couplings of joint coordinates: derivatives of the row over all its bodies against differences, angles that count
 * turns, what is refused. */
#include "base/constants.h"
#include "model_testing.h"

enum { JOINTS = 3 };

typedef struct Train {
  AspContext *context;
  AspModel *model;
  AspState state;
  int frame, body[JOINTS], joint[JOINTS], coupling;
} Train;

static const double factors[JOINTS] = {1, -2.5, 0.7};

/* A frame that moves, with bodies on hinges and a slide. */
static void add_joints(Train *it, AspRandom *random, int dimension, AspBodyKind frame) {
  it->context = asp_context_create(NULL);
  assert_ok(it->context, asp_model_create(it->context, dimension, &it->model));
  it->frame = add_random_body(it->context, it->model, random, frame);
  for (int i = 0; i < JOINTS; i++) {
    AspJointDef def = asp_joint_default();
    it->body[i] = add_random_body(it->context, it->model, random, ASP_BODY_DYNAMIC);
    def.kind = i == 1 ? ASP_JOINT_PRISMATIC : ASP_JOINT_REVOLUTE;
    def.body_a = it->frame;
    def.body_b = it->body[i];
    def.point = random_vector(random, dimension, 1);
    if (dimension == 3 || i == 1)
      def.axis = random_vector(random, dimension, 1);
    def.has_initial = true;
    def.initial = 0.1 * (i + 1);
    assert_ok(it->context, asp_model_add_joint(it->model, &def, &it->joint[i]));
  }
}

/* bend: of its polynomials beyond the linear part */
static AspJointDef coupling_of(const Train *it, double bend) {
  AspJointDef def = asp_joint_default();
  def.kind = ASP_JOINT_COUPLING;
  def.term_count = JOINTS;
  for (int i = 0; i < JOINTS; i++)
    def.term[i] =
        (AspCouplingTerm){.joint = it->joint[i], .factor = factors[i], .power = {0.3 * bend, -0.4 * bend, 0.2 * bend}};
  return def;
}

static void make_train(Train *it, AspRandom *random, int dimension, AspBodyKind frame, double bend) {
  add_joints(it, random, dimension, frame);
  AspJointDef def = coupling_of(it, bend);
  assert_ok(it->context, asp_model_add_joint(it->model, &def, &it->coupling));
  assert_ok(it->context, asp_model_finish(it->model));
  assert_ok(it->context, asp_state_create(it->model, &it->state));
}

static void destroy_train(Train *it) {
  asp_state_destroy(it->model, &it->state);
  asp_model_destroy(it->model);
  assert_int_equal(asp_context_memory_in_use(it->context), 0);
  asp_context_destroy(it->context);
}

static double value_of(const AspModel *model, const AspState *state, const void *what) {
  AspRow row[ASP_ROW_PARTS];
  assert_true(asp_joint_coordinate(model, state, *(const int *)what, row));
  return row->value;
}

/* J v over the parts; kinematic bodies move with their own velocity. */
static double rate_of(const AspModel *model, const AspState *state, const AspRow *row, const double *velocity) {
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  double rate = row->rate;
  for (; row; row = row->more)
    for (int i = 0; i < n; i++) {
      const double *va = asp_model_body_is_free(model, row->body_a) ? velocity : state->v;
      rate += row->ja[i] * va[n * row->body_a + i] + row->jb[i] * velocity[n * row->body_b + i];
    }
  return rate;
}

static void the_row_of_a_coupling_has_the_derivatives_that_differences_show(void **unused) {
  (void)unused;
  const AspBodyKind frames[] = {ASP_BODY_FIXED, ASP_BODY_DYNAMIC, ASP_BODY_KINEMATIC};
  AspRandom random = {11};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int frame = 0; frame < 3; frame++) {
      Train it;
      make_train(&it, &random, dimension, frames[frame], frame);
      it.state.t = 0.3;
      asp_state_initial(it.model, &it.state);
      randomize_velocity(it.model, &random, &it.state, 1);
      asp_state_advance(it.model, &it.state, it.state.v, 0.1);
      randomize_velocity(it.model, &random, &it.state, 2);
      AspRow row[ASP_ROW_PARTS];
      assert_true(asp_joint_coordinate(it.model, &it.state, it.coupling, row));
      double first, second, e[6 * (JOINTS + 1)] = {0};
      for (int i = 0; i < asp_model_v_size(it.model); i++) {
        e[i] = 1;
        differentiate(it.model, &it.state, e, 1e-3, value_of, &it.coupling, &first, &second);
        assert_near(first, rate_of(it.model, &it.state, row, e), 1e-8);
        e[i] = 0;
      }
      differentiate(it.model, &it.state, it.state.v, 1e-3, value_of, &it.coupling, &first, &second);
      assert_near(first, rate_of(it.model, &it.state, row, it.state.v), 1e-8);
      assert_near(second, row->bias, 1e-7);
      destroy_train(&it);
    }
}

static void a_coupling_is_in_order_at_the_start_and_held_unless_something_acts_on_it(void **unused) {
  (void)unused;
  AspRandom random = {12};
  for (int held = 0; held < 2; held++) {
    Train it;
    AspRow row[ASP_ROW_PARTS];
    add_joints(&it, &random, 3, ASP_BODY_FIXED);
    AspJointDef def = coupling_of(&it, 0);
    def.has_initial = true;
    def.initial = 0.25;
    if (!held) {
      def.limit_low = -0.5;
      def.limit_high = 0.5;
    }
    assert_ok(it.context, asp_model_add_joint(it.model, &def, &it.coupling));
    assert_ok(it.context, asp_model_finish(it.model));
    assert_ok(it.context, asp_state_create(it.model, &it.state));
    assert_int_equal(asp_joint_rows(it.model, &it.state, it.coupling, row), held);
    if (held)
      assert_near(row->value, 0, 1e-14);
    assert_true(asp_joint_coordinate(it.model, &it.state, it.coupling, row));
    assert_near(row->value, 0.25, 1e-14);
    destroy_train(&it);
  }
}

static void setting_a_joint_moves_the_joints_that_are_coupled_to_it(void **unused) {
  (void)unused;
  AspRandom random = {13};
  for (int dimension = 2; dimension <= 3; dimension++) {
    Train it;
    AspRow row[ASP_ROW_PARTS];
    make_train(&it, &random, dimension, ASP_BODY_FIXED, 0);
    double wanted = 0.1 + 6 * ASP_PI;
    assert_ok(it.context, asp_state_set_joint(it.context, it.model, &it.state, it.joint[0], wanted, 2));
    assert_near(value_of(it.model, &it.state, &it.joint[0]), wanted, 1e-10);
    assert_near(value_of(it.model, &it.state, &it.coupling), 0, 1e-10);
    double others = factors[1] * (value_of(it.model, &it.state, &it.joint[1]) - 0.2) +
                    factors[2] * (value_of(it.model, &it.state, &it.joint[2]) - 0.3);
    assert_near(others, -6 * ASP_PI, 1e-9);
    assert_true(asp_joint_coordinate(it.model, &it.state, it.coupling, row));
    assert_near(rate_of(it.model, &it.state, row, it.state.v), 0, 1e-10);
    destroy_train(&it);
  }
}

typedef struct Refusal {
  int count;
  AspCouplingTerm term[3];
  double stiffness;
  const char *message;
} Refusal;

static void what_cannot_be_coupled_is_refused_by_name(void **unused) {
  (void)unused;
  const Refusal refusals[] = {
      {0, {{0, 1, {0}}}, 0, "a coupling of 0 coordinates; it takes 1 to 6"},
      {2, {{0, 1, {0}}, {7, 1, {0}}}, 0, "joints: 7 is not one of the 4 joints before it"},
      {2,
       {{0, 1, {0}}, {3, 1, {0}}},
       0,
       "'ball' is a spherical joint; a coupling takes revolute, prismatic and screw joints"},
      {2, {{0, 1, {0}}, {1, 0, {0}}}, 0, "the factor of 'joint1' is 0"},
      {3, {{0, 1, {0}}, {1, 1, {0}}, {0, 2, {0}}}, 0, "'joint0' is named twice"},
      {2, {{0, 1, {0}}, {1, 1, {0}}}, -5, "stiffness: -5"},
  };
  AspRandom random = {14};
  Train it;
  add_joints(&it, &random, 3, ASP_BODY_FIXED);
  AspJointDef ball = asp_joint_default();
  ball.name = "ball";
  ball.kind = ASP_JOINT_SPHERICAL;
  ball.body_a = it.frame;
  ball.body_b = it.body[0];
  int joint;
  assert_ok(it.context, asp_model_add_joint(it.model, &ball, &joint));
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    AspJointDef def = asp_joint_default();
    def.kind = ASP_JOINT_COUPLING;
    def.term_count = refusals[i].count;
    memcpy(def.term, refusals[i].term, sizeof refusals[i].term);
    def.stiffness = refusals[i].stiffness;
    assert_int_not_equal(asp_model_add_joint(it.model, &def, &joint), ASP_OK);
    assert_non_null(strstr(asp_context_message(it.context), refusals[i].message));
  }
  AspJointDef screw = ball;
  screw.name = "screw";
  screw.kind = ASP_JOINT_SCREW;
  assert_int_not_equal(asp_model_add_joint(it.model, &screw, &joint), ASP_OK);
  assert_non_null(strstr(asp_context_message(it.context), "pitch: 0 m per turn"));
  asp_model_destroy(it.model);
  asp_context_destroy(it.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_row_of_a_coupling_has_the_derivatives_that_differences_show),
      cmocka_unit_test(a_coupling_is_in_order_at_the_start_and_held_unless_something_acts_on_it),
      cmocka_unit_test(setting_a_joint_moves_the_joints_that_are_coupled_to_it),
      cmocka_unit_test(what_cannot_be_coupled_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
