/* Beams in the model: stations as bodies of joints, springs and forces; derivatives against differences. */
#include "model/model.h"
#include "model_testing.h"
#include "shared_context.h"

typedef struct Case {
  AspModel *model;
  AspState state;
  int body, beam, station, joint;
} Case;

static AspBeamDef soft_beam(int dimension) {
  AspBeamDef def = asp_beam_default();
  def.length = 1.2;
  def.elements = 3;
  asp_beam_set_rectangle(&def, 0.05, 0.04, 1e5, 0.3, 1000);
  def.pose = (AspPose){vec3(0.2, 0.1, 0), quat_from_vector(dimension == 3 ? vec3(0.3, -0.4, 0.2) : vec3(0, 0, 0.3))};
  def.velocity = vec3(0.3, -0.2, 0);
  def.angular_velocity = vec3(0, 0, 0.7);
  def.damping = 0.01;
  return def;
}

/* A body, a beam with a station inside, bent and moving, and a joint between them (kind < 0: none). */
static Case make_case(AspRandom *random, int dimension, int kind) {
  Case it;
  assert_ok(context, asp_model_create(context, dimension, &it.model));
  it.body = add_random_body(context, it.model, random, ASP_BODY_DYNAMIC);
  AspBeamDef def = soft_beam(dimension);
  assert_ok(context, asp_model_add_beam(it.model, &def, &it.beam));
  assert_ok(context, asp_model_add_station(it.model, it.beam, "middle", 0.5, &it.station));
  if (kind >= 0) {
    AspJointDef joint = asp_joint_default();
    joint.kind = (AspJointKind)kind;
    joint.body_a = it.body;
    joint.body_b = it.station;
    joint.point = dimension == 3 ? vec3(0.1, 0.2, 0.3) : vec3(0.1, 0.2, 0);
    joint.point_b = vec3(0.5, -0.2, 0);
    joint.pitch = 0.4;
    joint.axis = dimension == 3 ? vec3(0.3, 1, -0.5) : kind == ASP_JOINT_PRISMATIC ? vec3(1, 0.5, 0) : vec3(0, 0, 1);
    joint.axis_b = cross3(joint.axis, vec3(1, 0, 0));
    assert_ok(context, asp_model_add_joint(it.model, &joint, &it.joint));
  }
  asp_model_set_gravity(it.model, dimension == 3 ? vec3(1, -2, 3) : vec3(1, -2, 0));
  return it;
}

/* Finish, then bend and set moving at random. */
static void shake(Case *it, AspRandom *random) {
  assert_ok(context, asp_model_finish(it->model));
  assert_ok(context, asp_state_create(it->model, &it->state));
  int size = asp_model_v_size(it->model);
  double *push = asp_allocate(context, (size_t)size, sizeof *push);
  for (int i = 0; i < size; i++)
    push[i] = asp_random_uniform(random, -0.03, 0.03);
  asp_state_displace(it->model, &it->state, push);
  asp_release(context, push);
  randomize_velocity(it->model, random, &it->state, 0.5);
  int count, first = asp_model_beam_v(it->model, it->beam, &count);
  for (int i = 0; i < count; i++)
    it->state.v[first + i] += asp_random_uniform(random, -0.2, 0.2);
  asp_state_place_stations(it->model, &it->state);
}

static void drop(Case *it) {
  asp_state_destroy(it->model, &it->state);
  asp_model_destroy(it->model);
}

static double row_value(const AspModel *model, const AspState *state, const void *what) {
  AspRow rows[ASP_ROW_PARTS];
  asp_joint_rows(model, state, 0, rows);
  return rows[*(const int *)what].value;
}

static void rows_of_joints_on_stations_have_right_derivatives(void **test) {
  (void)test;
  AspRandom random = {5};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int kind = 0; kind < ASP_JOINT_COUNT; kind++) {
      if (kind == ASP_JOINT_COUPLING || kind == ASP_JOINT_COMPOUND || kind == ASP_JOINT_TENDON) // tests of their own
        continue;
      if (dimension == 2 && (kind == ASP_JOINT_CYLINDRICAL || kind == ASP_JOINT_SPHERICAL ||
                             kind == ASP_JOINT_UNIVERSAL || kind == ASP_JOINT_PLANAR || kind == ASP_JOINT_SCREW))
        continue;
      Case it = make_case(&random, dimension, kind);
      shake(&it, &random);
      AspRow rows[ASP_ROW_PARTS];
      int count = asp_joint_rows(it.model, &it.state, it.joint, rows);
      for (int k = 0; k < count; k++) {
        double first, second;
        differentiate(it.model, &it.state, it.state.v, 1e-3, row_value, &k, &first, &second);
        assert_near(asp_row_rate(it.model, &it.state, &rows[k], it.state.v), first, 1e-8 * (1 + fabs(first)));
        assert_near(rows[k].bias, second, 1e-5 * (1 + fabs(second)));
      }
      drop(&it);
    }
}

/* U + gravity, for displacements along a dof */
static double potential(const AspModel *model, const AspState *state) {
  AspEnergy energy = asp_model_energy(model, state);
  return energy.elastic + energy.gravitational;
}

static void forces_are_the_gradient_of_the_potential(void **test) {
  (void)test;
  AspRandom random = {8};
  for (int dimension = 2; dimension <= 3; dimension++) {
    Case it = make_case(&random, dimension, -1);
    AspForceDef spring = asp_force_default();
    int force;
    spring.kind = ASP_FORCE_SPRING;
    spring.body = it.body;
    spring.body_b = it.station;
    spring.point = vec3(0.4, 0.2, 0);
    spring.point_b = vec3(0.6, 0.5, 0);
    spring.stiffness = 70;
    spring.rest_length = 0.1;
    assert_ok(context, asp_model_add_force(it.model, &spring, &force));
    shake(&it, &random);
    memset(it.state.v, 0, (size_t)asp_model_v_size(it.model) * sizeof(double));
    int dofs = asp_model_dof_count(it.model), size = asp_model_v_size(it.model);
    double h[128], x[128], v[200];
    assert_true(dofs <= 128 && size <= 200);
    asp_model_forces(it.model, &it.state, h);
    for (int i = 0; i < dofs; i++) {
      double U[2], step = 1e-5;
      for (int side = 0; side < 2; side++) {
        AspState moved;
        assert_ok(context, asp_state_create(it.model, &moved));
        asp_state_copy(it.model, &it.state, &moved);
        memset(x, 0, sizeof x);
        memset(v, 0, sizeof v);
        x[i] = side ? step : -step;
        asp_state_spread(it.model, &moved, x, v);
        asp_state_displace(it.model, &moved, v);
        U[side] = potential(it.model, &moved);
        asp_state_destroy(it.model, &moved);
      }
      assert_near(h[i], -(U[1] - U[0]) / (2 * step), 1e-5 * (1 + fabs(h[i])));
    }
    drop(&it);
  }
}

static void bad_beams_are_refused_with_their_reason(void **test) {
  (void)test;
  AspModel *model;
  int beam, body;
  assert_ok(context, asp_model_create(context, 2, &model));
  AspBeamDef def = soft_beam(2), bad = def;
  bad.cookie = 0;
  assert_int_equal(asp_model_add_beam(model, &bad, &beam), ASP_ERROR_ARGUMENT);
  const struct {
    size_t at;
    const char *word;
  } numbers[] = {{offsetof(AspBeamDef, length), "length"},
                 {offsetof(AspBeamDef, mass_per_length), "mass_per_length"},
                 {offsetof(AspBeamDef, axial_stiffness), "axial_stiffness"},
                 {offsetof(AspBeamDef, bending_stiffness[1]), "bending_stiffness"},
                 {offsetof(AspBeamDef, curvature), "curvature"},
                 {offsetof(AspBeamDef, damping), "damping"},
                 {offsetof(AspBeamDef, velocity.x), "velocity"},
                 {offsetof(AspBeamDef, pose.position.y), "position"}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    bad = def;
    double nan = NAN;
    memcpy((char *)&bad + numbers[i].at, &nan, sizeof nan);
    assert_int_equal(asp_model_add_beam(model, &bad, &beam), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), numbers[i].word));
  }
  bad = def;
  bad.elements = 0;
  assert_int_equal(asp_model_add_beam(model, &bad, &beam), ASP_ERROR_INPUT);
  bad.elements = 100000;
  assert_int_equal(asp_model_add_beam(model, &bad, &beam), ASP_ERROR_INPUT);
  bad = def;
  bad.degree = 1;
  assert_int_equal(asp_model_add_beam(model, &bad, &beam), ASP_ERROR_INPUT);
  static const struct {
    int gauss;
    AspAxialStrain strain;
    bool inextensible;
    const char *reason;
  } rules[] = {{2, ASP_AXIAL_STRAIN_MIXED, false, "gauss_points: 2 is not in 3 .. 13"},
               {1, ASP_AXIAL_STRAIN_PLAIN, false, "gauss_points: 1 is not in 2 .. 13"},
               {14, ASP_AXIAL_STRAIN_PLAIN, false, "gauss_points: 14 is not in 2 .. 13"},
               {-1, ASP_AXIAL_STRAIN_MIXED, false, "gauss_points: -1 is not in 3 .. 13"},
               {0, ASP_AXIAL_STRAIN_PLAIN, true, "axial_strain: an inextensible beam has none"},
               {0, (AspAxialStrain)2, false, "axial_strain: 2 is not a kind of strain"}};
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    bad = def;
    bad.gauss_points = rules[i].gauss;
    bad.axial_strain = rules[i].strain;
    bad.inextensible = rules[i].inextensible;
    assert_int_equal(asp_model_add_beam(model, &bad, &beam), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), rules[i].reason));
  }
  bad = def;
  bad.curvature = 100;
  assert_int_equal(asp_model_add_beam(model, &bad, &beam), ASP_ERROR_INPUT);
  assert_int_equal(asp_model_body_count(model), 0);
  def.name = "blade";
  assert_ok(context, asp_model_add_beam(model, &def, &beam));
  assert_int_equal(asp_model_find_body(model, "blade.start"), asp_model_beam_station(model, beam, false));
  assert_int_equal(asp_model_find_body(model, "blade.end"), asp_model_beam_station(model, beam, true));
  assert_int_equal(asp_model_add_beam(model, &def, &beam), ASP_ERROR_INPUT);
  assert_int_equal(asp_model_add_station(model, beam, "off", 1.3, &body), ASP_ERROR_INPUT);
  assert_int_equal(asp_model_add_station(model, 7, "none", 0, &body), ASP_ERROR_ARGUMENT);
  asp_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_joints_on_stations_have_right_derivatives),
      cmocka_unit_test(forces_are_the_gradient_of_the_potential),
      cmocka_unit_test(bad_beams_are_refused_with_their_reason),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
