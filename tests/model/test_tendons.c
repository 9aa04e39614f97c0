/* Tendons: lengths against closed forms, derivatives of the row against differences with and without round bodies in
 * the way, what is refused. */
#include "base/constants.h"
#include "model_testing.h"

typedef struct Rig {
  AspContext *context;
  AspModel *model;
  AspState state;
  int body[3], tendon;
} Rig;

static Rig make_rig(AspRandom *random, int dimension, AspBodyKind first) {
  Rig it = {.context = asp_context_create(NULL)};
  assert_ok(it.context, asp_model_create(it.context, dimension, &it.model));
  for (int i = 0; i < 3; i++)
    it.body[i] = add_random_body(it.context, it.model, random, i == 0 ? first : ASP_BODY_DYNAMIC);
  return it;
}

static void finish(Rig *it, const AspPathPoint *path, int count) {
  AspJointDef def = asp_joint_default();
  def.kind = ASP_JOINT_TENDON;
  def.path = path;
  def.path_count = count;
  assert_ok(it->context, asp_model_add_joint(it->model, &def, &it->tendon));
  assert_ok(it->context, asp_model_finish(it->model));
  assert_ok(it->context, asp_state_create(it->model, &it->state));
}

static void destroy_rig(Rig *it) {
  asp_state_destroy(it->model, &it->state);
  asp_model_destroy(it->model);
  assert_int_equal(asp_context_memory_in_use(it->context), 0);
  asp_context_destroy(it->context);
}

static double length_of(const AspModel *model, const AspState *state, const void *what) {
  AspRow row[ASP_ROW_PARTS];
  assert_true(asp_joint_coordinate(model, state, *(const int *)what, row));
  return row->value;
}

static double rate_of(const AspModel *model, const AspState *state, const AspRow *row, const double *velocity) {
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  double rate = 0;
  for (; row; row = row->more)
    for (int i = 0; i < n; i++) {
      const double *va = asp_model_body_is_free(model, row->body_a) ? velocity : state->v,
                   *vb = asp_model_body_is_free(model, row->body_b) ? velocity : state->v;
      rate += row->ja[i] * va[n * row->body_a + i] + row->jb[i] * vb[n * row->body_b + i];
    }
  return rate;
}

static AspPathPoint through(int body, AspVec3 point) { return (AspPathPoint){.body = body, .point = point}; }

static AspPathPoint around(AspPathKind kind, int body, AspVec3 centre, AspVec3 axis, double radius) {
  return (AspPathPoint){.kind = kind, .body = body, .point = centre, .axis = axis, .radius = radius};
}

/* R = 1, both points 5/3 from the axis and opposite: two tangents of 4/3 and the arc between; 2 m of rise on a
 * cylinder. A side point sends it the longer way. */
static void a_path_around_a_cylinder_has_the_length_of_tangents_and_arc(void **unused) {
  (void)unused;
  AspRandom random = {21};
  double flat = 8.0 / 3 + ASP_PI - 2 * acos(0.6);
  for (int kind = ASP_PATH_SPHERE; kind <= ASP_PATH_CYLINDER; kind++) {
    Rig it = make_rig(&random, 3, ASP_BODY_FIXED);
    double rise = kind == ASP_PATH_CYLINDER ? 2 : 0;
    AspPathPoint path[] = {through(it.body[0], (AspVec3){-5.0 / 3, 1e-9, 0}),
                           around((AspPathKind)kind, it.body[1], (AspVec3){0, 0, 0}, (AspVec3){0, 0, 3}, 1),
                           through(it.body[2], (AspVec3){5.0 / 3, 1e-9, rise})};
    finish(&it, path, 3);
    assert_near(length_of(it.model, &it.state, &it.tendon), sqrt(flat * flat + rise * rise), 1e-8);
    destroy_rig(&it);
  }
}

static void a_side_point_chooses_the_way_around(void **unused) {
  (void)unused;
  AspRandom random = {22};
  // both points at y = 2, the side point at y = -3: down around the circle of radius 1
  double p = sqrt(5), tangent = 2, angle = 2 * ASP_PI - 2 * atan2(1, 2), arc = angle - 2 * acos(1 / p);
  for (int sided = 0; sided < 2; sided++) {
    Rig it = make_rig(&random, 2, ASP_BODY_FIXED);
    AspPathPoint path[] = {through(it.body[0], (AspVec3){-1, 2, 0}),
                           around(ASP_PATH_SPHERE, it.body[1], (AspVec3){0, 0, 0}, (AspVec3){0, 0, 1}, 1),
                           through(it.body[2], (AspVec3){1, 2, 0})};
    path[1].has_side = sided;
    path[1].side = (AspVec3){0, -3, 0};
    finish(&it, path, 3);
    assert_near(length_of(it.model, &it.state, &it.tendon), sided ? 2 * tangent + arc : 2, 1e-12);
    destroy_rig(&it);
  }
}

static void branches_count_by_their_divisor(void **unused) {
  (void)unused;
  AspRandom random = {23};
  Rig it = make_rig(&random, 3, ASP_BODY_FIXED);
  AspPathPoint path[] = {through(it.body[0], (AspVec3){0, 0, 0}), through(it.body[1], (AspVec3){0, 0, 3}),
                         through(it.body[1], (AspVec3){0, 4, 3}), through(it.body[2], (AspVec3){0, 4, 9})};
  path[2].divisor = 4;
  finish(&it, path, 4);
  assert_near(length_of(it.model, &it.state, &it.tendon), 3 + 6.0 / 4, 1e-14);
  destroy_rig(&it);
}

/* Poses at random: in some of them the round bodies are in the way, in some not. */
static void the_row_has_the_derivatives_that_differences_show(void **unused) {
  (void)unused;
  const AspBodyKind kinds[] = {ASP_BODY_FIXED, ASP_BODY_DYNAMIC, ASP_BODY_KINEMATIC};
  AspRandom random = {24};
  int straight = 0, bent = 0;
  for (int trial = 0; trial < 120; trial++) {
    int dimension = 2 + trial % 2;
    Rig it = make_rig(&random, dimension, kinds[trial / 2 % 3]);
    AspVec3 at[4];
    for (int i = 0; i < 4; i++)
      at[i] = random_vector(&random, dimension, 2);
    at[1] = (AspVec3){0.5 * (at[0].x + at[2].x) + 0.3 * at[1].x, 0.5 * (at[0].y + at[2].y) + 0.3 * at[1].y,
                      0.5 * (at[0].z + at[2].z) + 0.3 * at[1].z};
    AspPathPoint path[] = {through(it.body[0], at[0]),
                           around(dimension == 3 && trial % 4 < 2 ? ASP_PATH_CYLINDER : ASP_PATH_SPHERE, it.body[1],
                                  at[1], random_vector(&random, 3, 1), 0.7),
                           through(it.body[2], at[2]), through(it.body[0], at[3])};
    path[1].has_side = trial % 5 == 0;
    path[1].side = (AspVec3){at[1].x + 2, at[1].y + 3, at[1].z};
    if (dimension == 2)
      path[1].side.z = 0;
    finish(&it, path, 4);
    it.state.t = 0.3;
    asp_state_initial(it.model, &it.state);
    randomize_velocity(it.model, &random, &it.state, 1);
    AspRow row[ASP_ROW_PARTS];
    assert_true(asp_joint_coordinate(it.model, &it.state, it.tendon, row));
    double first, second, e[18] = {0};
    bool around_it = row->more && row->more->more;
    bent += around_it;
    straight += !around_it;
    for (int i = 0; i < asp_model_v_size(it.model); i++) {
      if (!asp_model_body_is_free(it.model, i / (dimension == 3 ? 6 : 3)))
        continue;
      e[i] = 1;
      differentiate(it.model, &it.state, e, 1e-6, length_of, &it.tendon, &first, &second);
      assert_near(first, rate_of(it.model, &it.state, row, e), 1e-6); // kinematic bodies move on
      e[i] = 0;
    }
    differentiate(it.model, &it.state, it.state.v, 2e-4, length_of, &it.tendon, &first, &second);
    assert_near(first, rate_of(it.model, &it.state, row, it.state.v), 1e-6);
    assert_near(second, row->bias, 1e-4 * fmax(1, fabs(second)));
    destroy_rig(&it);
  }
  assert_true(straight > 20 && bent > 20);
}

static void clones_have_a_path_of_their_own(void **unused) {
  (void)unused;
  AspRandom random = {25};
  Rig it = make_rig(&random, 3, ASP_BODY_FIXED);
  AspPathPoint path[] = {through(it.body[0], (AspVec3){0, 0, 0}), through(it.body[1], (AspVec3){0, 0, 3})};
  finish(&it, path, 2);
  AspModel *clone;
  assert_ok(it.context, asp_model_clone(it.context, it.model, &clone));
  assert_true(asp_model_joint_def(clone, it.tendon)->path != asp_model_joint_def(it.model, it.tendon)->path);
  assert_ok(it.context, asp_model_finish(clone));
  assert_near(length_of(clone, &it.state, &it.tendon), 3, 1e-14);
  asp_model_destroy(clone);
  destroy_rig(&it);
}

static void paths_that_cannot_be_are_refused(void **unused) {
  (void)unused;
  AspRandom random = {26};
  Rig it = make_rig(&random, 3, ASP_BODY_FIXED);
  const AspVec3 o = {0, 0, 0}, z = {0, 0, 1};
  AspPathPoint ball = around(ASP_PATH_SPHERE, it.body[1], o, z, 1), far = ball, flat = ball, thin = ball;
  far.has_side = true;
  far.side = (AspVec3){0.5, 0, 0};
  flat.kind = ASP_PATH_CYLINDER;
  flat.axis = o;
  thin.radius = 0;
  AspPathPoint alone = through(it.body[1], z);
  alone.divisor = 2;
  const struct {
    AspPathPoint path[3];
    int count;
    const char *message;
  } wrong[] = {
      {{through(it.body[0], o)}, 1, "path: 1 elements; a tendon has 2 to 64"},
      {{through(it.body[0], o), ball}, 2, "path, element 1: around: a point must follow"},
      {{ball, through(it.body[0], o)}, 2, "path, element 0: around: a branch begins and ends with a point"},
      {{through(it.body[0], o), far, through(it.body[2], z)}, 3, "path, element 1: side: 0.5 m from the axis"},
      {{through(it.body[0], o), flat, through(it.body[2], z)}, 3, "path, element 1: axis"},
      {{through(it.body[0], o), thin, through(it.body[2], z)}, 3, "path, element 1: radius"},
      {{through(it.body[0], o), through(it.body[2], z), alone}, 3, "path, element 2: branch: only one point"},
      {{through(it.body[0], o), through(it.body[0], z)}, 2, "path: no piece of it ends on a dynamic body"},
      {{through(it.body[0], o), through(7, z)}, 2, "path, element 1: body"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    AspJointDef def = asp_joint_default();
    def.kind = ASP_JOINT_TENDON;
    def.path = wrong[i].path;
    def.path_count = wrong[i].count;
    assert_int_not_equal(asp_model_add_joint(it.model, &def, &it.tendon), ASP_OK);
    if (!strstr(asp_context_message(it.context), wrong[i].message))
      fail_msg("%s: %s", wrong[i].message, asp_context_message(it.context));
  }
  asp_model_destroy(it.model);
  assert_int_equal(asp_context_memory_in_use(it.context), 0);
  asp_context_destroy(it.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_path_around_a_cylinder_has_the_length_of_tangents_and_arc),
      cmocka_unit_test(a_side_point_chooses_the_way_around),
      cmocka_unit_test(branches_count_by_their_divisor),
      cmocka_unit_test(the_row_has_the_derivatives_that_differences_show),
      cmocka_unit_test(clones_have_a_path_of_their_own),
      cmocka_unit_test(paths_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
