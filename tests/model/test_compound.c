/* Compound joints: derivatives of rows and coordinates against differences, coordinates of poses made by turning and
 * sliding one axis after the other, full turns, what is refused. */
#include "base/constants.h"
#include "model/own_state.h"
#include "model_testing.h"

/* R: turns, P: slides, from A to B. */
static const char *const chains[] = {"R",    "P",    "RR",    "RP",    "PR",     "PP",    "RRR",
                                     "PPR",  "PRP",  "RRP",   "PPP",   "PPRR",   "RPR",   "RRRP",
                                     "PPPR", "PRRR", "PPPRR", "PPRRR", "PPPRRR", "RRRPPP"};
#define CHAINS ((int)(sizeof chains / sizeof *chains))

typedef struct Pair {
  AspContext *context;
  AspModel *model;
  AspState state;
  int a, b, joint, count, axis[6];
  AspVec3 direction[6], point[6];
} Pair;

static double initial_of(int i) { return 0.1 * (i + 1); }

static void make_pair(Pair *it, AspRandom *random, const char *chain, AspBodyKind kind) {
  it->context = asp_context_create(NULL);
  assert_ok(it->context, asp_model_create(it->context, 3, &it->model));
  it->a = add_random_body(it->context, it->model, random, kind);
  it->b = add_random_body(it->context, it->model, random, ASP_BODY_DYNAMIC);
  AspJointDef def = asp_joint_default();
  def.kind = ASP_JOINT_COMPOUND;
  def.body_a = it->a;
  def.body_b = it->b;
  assert_ok(it->context, asp_model_add_joint(it->model, &def, &it->joint));
  it->count = (int)strlen(chain);
  for (int i = 0; i < it->count; i++) {
    def = asp_joint_default();
    def.kind = chain[i] == 'R' ? ASP_JOINT_REVOLUTE : ASP_JOINT_PRISMATIC;
    def.compound = it->joint;
    def.axis = it->direction[i] = unit3(random_vector(random, 3, 1));
    def.point = it->point[i] = random_vector(random, 3, 1);
    def.has_initial = true;
    def.initial = initial_of(i);
    assert_ok(it->context, asp_model_add_joint(it->model, &def, &it->axis[i]));
  }
  assert_ok(it->context, asp_model_finish(it->model));
  assert_ok(it->context, asp_state_create(it->model, &it->state));
}

static void destroy_pair(Pair *it) {
  asp_state_destroy(it->model, &it->state);
  asp_model_destroy(it->model);
  assert_int_equal(asp_context_memory_in_use(it->context), 0);
  asp_context_destroy(it->context);
}

/* A row of the compound joint (row >= 0) or the coordinate of an axis. */
typedef struct Asked {
  int joint, row;
} Asked;

static AspRow row_at(const AspModel *model, const AspState *state, const Asked *asked) {
  AspRow rows[ASP_ROW_PARTS];
  if (asked->row < 0)
    assert_true(asp_joint_coordinate(model, state, asked->joint, rows));
  else
    assert_true(asp_joint_rows(model, state, asked->joint, rows) > asked->row);
  return rows[asked->row < 0 ? 0 : asked->row];
}

static double value_of(const AspModel *model, const AspState *state, const void *what) {
  return row_at(model, state, what).value;
}

static double rate_of(const AspModel *model, const AspState *state, const AspRow *row, const double *velocity) {
  double rate = 0;
  for (int i = 0; i < 6; i++) {
    const double *va = asp_model_body_is_free(model, row->body_a) ? velocity : state->v;
    rate += row->ja[i] * va[6 * row->body_a + i] + row->jb[i] * velocity[6 * row->body_b + i];
  }
  return rate;
}

static void check_derivatives(const Pair *it, const Asked *asked) {
  double first, second, e[12] = {0};
  AspRow row = row_at(it->model, &it->state, asked);
  double size = 1;
  for (int i = 0; i < 6; i++)
    size = fmax(size, fmax(fabs(row.ja[i]), fabs(row.jb[i])));
  for (int i = 0; i < 12; i++) {
    e[i] = 1;
    differentiate(it->model, &it->state, e, 1e-3, value_of, asked, &first, &second);
    assert_near(first, rate_of(it->model, &it->state, &row, e), 1e-7 * size * size * size);
    e[i] = 0;
  }
  differentiate(it->model, &it->state, it->state.v, 1e-3, value_of, asked, &first, &second);
  assert_near(first, rate_of(it->model, &it->state, &row, it->state.v), 1e-7 * size * size * size);
  assert_near(second, row.bias, 1e-6 * fmax(1, fabs(row.bias)) * size * size);
}

/* Also where the joint has drifted. */
static void rows_and_coordinates_have_the_derivatives_that_differences_show(void **unused) {
  (void)unused;
  const AspBodyKind kinds[] = {ASP_BODY_FIXED, ASP_BODY_DYNAMIC, ASP_BODY_KINEMATIC};
  AspRandom random = {5};
  for (int c = 0; c < CHAINS; c++)
    for (int kind = 0; kind < 3; kind++) {
      Pair it;
      make_pair(&it, &random, chains[c], kinds[kind]);
      it.state.t = 0.3;
      asp_state_initial(it.model, &it.state);
      randomize_velocity(it.model, &random, &it.state, 0.5);
      asp_state_advance(it.model, &it.state, it.state.v, 0.1);
      randomize_velocity(it.model, &random, &it.state, 1);
      if (asp_joint_sine(it.model, &it.state, it.joint) > 0.1) {
        AspRow rows[ASP_ROW_PARTS];
        int count = asp_joint_rows(it.model, &it.state, it.joint, rows);
        assert_int_equal(count, 6 - it.count);
        for (int k = 0; k < count; k++)
          check_derivatives(&it, &(Asked){it.joint, k});
        for (int k = 0; k < it.count; k++)
          check_derivatives(&it, &(Asked){it.axis[k], -1});
      }
      destroy_pair(&it);
    }
}

/* B where the axes lead to, one after the other, the last one first: each moves all that is behind it. */
static AspPose lead(const Pair *it, const char *chain, const double *q) {
  AspPose pose = asp_state_pose(it->model, &it->state, it->b);
  for (int i = it->count - 1; i >= 0; i--) {
    double by = q[i] - initial_of(i);
    if (chain[i] == 'P') {
      pose.position = axpy3(pose.position, by, it->direction[i]);
      continue;
    }
    AspQuat turn = quat_from_axis_angle(it->direction[i], by);
    pose.position = add3(it->point[i], quat_rotate(turn, sub3(pose.position, it->point[i])));
    pose.orientation = quat_normalize(quat_multiply(turn, pose.orientation));
  }
  return pose;
}

static void coordinates_are_those_that_lead_to_the_pose(void **unused) {
  (void)unused;
  AspRandom random = {6};
  int checked = 0;
  for (int c = 0; c < CHAINS; c++)
    for (int trial = 0; trial < 8; trial++) {
      Pair it;
      double q[6];
      AspRow rows[ASP_ROW_PARTS];
      make_pair(&it, &random, chains[c], ASP_BODY_DYNAMIC);
      for (int i = 0; i < it.count; i++)
        q[i] = initial_of(i) + asp_random_uniform(&random, -0.3, 0.3);
      bool well = asp_joint_sine(it.model, &it.state, it.joint) > 0.2;
      AspPose pose = lead(&it, chains[c], q);
      asp_state_set_body(it.model, &it.state, it.b, &pose, NULL, NULL);
      if (well && asp_joint_sine(it.model, &it.state, it.joint) > 0.1) {
        int count = asp_joint_rows(it.model, &it.state, it.joint, rows);
        checked++;
        for (int k = 0; k < count; k++)
          assert_near(rows[k].value, 0, 1e-12);
        for (int k = 0; k < it.count; k++) {
          assert_true(asp_joint_coordinate(it.model, &it.state, it.axis[k], rows));
          assert_near(rows->value, q[k], 1e-12);
        }
      }
      destroy_pair(&it);
    }
  assert_true(checked > 60);
}

/* Coordinates are set one by one, far and over full turns; those set before stay. */
static void an_axis_is_set_to_any_angle(void **unused) {
  (void)unused;
  AspRandom random = {7};
  const double wanted[] = {0.7, 5 * ASP_PI, -0.4};
  for (int order = 0; order < 3; order++) {
    Pair it;
    AspRow row[ASP_ROW_PARTS];
    make_pair(&it, &random, "PRP", ASP_BODY_FIXED);
    for (int i = 0; i < 3; i++) {
      int k = (i + order) % 3;
      assert_ok(it.context, asp_state_set_joint(it.context, it.model, &it.state, it.axis[k], wanted[k], 0));
    }
    for (int i = 0; i < 3; i++) {
      assert_true(asp_joint_coordinate(it.model, &it.state, it.axis[i], row));
      assert_near(row->value, wanted[i], 1e-10);
    }
    destroy_pair(&it);
  }
}

static AspError finish_with(AspContext *context, const char *chain, AspVec3 axis, double coefficient) {
  AspRandom random = {8};
  AspModel *model;
  int joint, other;
  assert_ok(context, asp_model_create(context, 3, &model));
  AspJointDef def = asp_joint_default();
  def.kind = ASP_JOINT_COMPOUND;
  def.body_a = add_random_body(context, model, &random, ASP_BODY_FIXED);
  def.body_b = add_random_body(context, model, &random, ASP_BODY_DYNAMIC);
  assert_ok(context, asp_model_add_joint(model, &def, &joint));
  AspError error = ASP_OK;
  for (int i = 0; chain[i] && error == ASP_OK; i++) {
    def = asp_joint_default();
    def.kind = chain[i] == 'R' ? ASP_JOINT_REVOLUTE : chain[i] == 'P' ? ASP_JOINT_PRISMATIC : ASP_JOINT_FIXED;
    def.compound = joint;
    def.axis = i == 0 ? vec3(0, 0, 1) : i == 1 ? axis : vec3(0.3, 0.5, 0.7);
    def.friction_coefficient = coefficient;
    def.bearing_radius = 1;
    error = asp_model_add_joint(model, &def, &other);
  }
  if (error == ASP_OK)
    error = asp_model_finish(model);
  asp_model_destroy(model);
  return error;
}

static void mistakes_are_named(void **unused) {
  (void)unused;
  const struct {
    const char *chain;
    AspVec3 axis;
    double coefficient;
    const char *message;
  } wrong[] = {{"", {1, 0, 0}, 0, "it has none"},
               {"RR", {0, 0, 2}, 0, "dependent at the initial poses"},
               {"PP", {0, 0, -1}, 0, "dependent at the initial poses"},
               {"RRRR", {1, 0, 0}, 0, "more than 3 of its axes turn"},
               {"PPPP", {1, 0, 0}, 0, "more than 3 of its axes slide"},
               {"F", {1, 0, 0}, 0, "is revolute or prismatic, not fixed"},
               {"R", {1, 0, 0}, 0.1, "friction_coefficient"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    AspContext *context = asp_context_create(NULL);
    AspError error = finish_with(context, wrong[i].chain, wrong[i].axis, wrong[i].coefficient);
    if (error != ASP_ERROR_INPUT || !strstr(asp_context_message(context), wrong[i].message))
      fail_msg("'%s': %s, '%s'", wrong[i].message, asp_error_name(error), asp_context_message(context));
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_coordinates_have_the_derivatives_that_differences_show),
      cmocka_unit_test(coordinates_are_those_that_lead_to_the_pose),
      cmocka_unit_test(an_axis_is_set_to_any_angle),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
