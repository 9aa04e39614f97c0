/* Forces: against the gradient of the potential energy, against the power of forces at points, stiffness and damping of
 * springs against differences of the forces where they are exact. */
#include "model_testing.h"

typedef struct ForceCase {
  AspContext *context;
  AspModel *model;
  AspState state;
  int ground, a, b; /* fixed, dynamic, dynamic */
} ForceCase;

static void begin_case(ForceCase *it, AspRandom *random, int dimension) {
  it->context = asp_context_create(NULL);
  assert_ok(it->context, asp_model_create(it->context, dimension, &it->model));
  it->ground = add_random_body(it->context, it->model, random, ASP_BODY_FIXED);
  it->a = add_random_body(it->context, it->model, random, ASP_BODY_DYNAMIC);
  it->b = add_random_body(it->context, it->model, random, ASP_BODY_DYNAMIC);
}

static void finish_case(ForceCase *it) {
  assert_ok(it->context, asp_model_finish(it->model));
  assert_ok(it->context, asp_state_create(it->model, &it->state));
}

static void destroy_case(ForceCase *it) {
  asp_state_destroy(it->model, &it->state);
  asp_model_destroy(it->model);
  assert_int_equal(asp_context_memory_in_use(it->context), 0);
  asp_context_destroy(it->context);
}

static void add_spring(ForceCase *it, AspRandom *random, int a, int b, double k, double c, double rest) {
  int dimension = asp_model_dimension(it->model), force;
  AspForceDef def = asp_force_default();
  def.kind = ASP_FORCE_SPRING;
  def.body = a;
  def.body_b = b;
  def.point = random_vector(random, dimension, 1);
  def.point_b = add3(def.point, add3(vec3(2, 0, 0), random_vector(random, dimension, 0.5)));
  def.stiffness = k;
  def.damping = c;
  def.rest_length = rest;
  assert_ok(it->context, asp_model_add_force(it->model, &def, &force));
}

static void add_joint_spring(ForceCase *it, AspRandom *random, AspJointKind kind, int a, int b, double rest) {
  int dimension = asp_model_dimension(it->model), joint;
  AspJointDef def = asp_joint_default();
  def.kind = kind;
  def.body_a = a;
  def.body_b = b;
  def.point = random_vector(random, dimension, 1);
  if (dimension == 3 || kind == ASP_JOINT_PRISMATIC)
    def.axis = random_vector(random, dimension, 1);
  def.stiffness = 7;
  def.damping = 0.8;
  def.rest = rest;
  assert_ok(it->context, asp_model_add_joint(it->model, &def, &joint));
}

static double potential(const AspModel *model, const AspState *state, const void *unused) {
  (void)unused;
  AspEnergy energy = asp_model_energy(model, state);
  return energy.gravitational + energy.elastic;
}

/* One component of h. */
static double force_component(const AspModel *model, const AspState *state, const void *what) {
  double h[12];
  asp_model_forces(model, state, h);
  return h[*(const int *)what];
}

/* Unit velocity of one dof, in the array over all bodies. */
static void unit_velocity(const AspModel *model, int dof, double *velocity) {
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  memset(velocity, 0, (size_t)asp_model_v_size(model) * sizeof *velocity);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int first = asp_model_body_dof(model, body);
    if (first >= 0 && dof >= first && dof < first + n)
      velocity[n * body + dof - first] = 1;
  }
}

static void forces_at_rest_are_minus_the_gradient_of_the_potential_energy(void **unused) {
  (void)unused;
  AspRandom random = {11};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int sample = 0; sample < 5; sample++) {
      ForceCase it;
      begin_case(&it, &random, dimension);
      asp_model_set_gravity(it.model, random_vector(&random, dimension, 9));
      add_spring(&it, &random, it.a, it.b, 5, 0, 0.5);
      add_spring(&it, &random, it.ground, it.b, 3, 0, 4);
      add_joint_spring(&it, &random, ASP_JOINT_REVOLUTE, it.a, it.b, 0.3);
      add_joint_spring(&it, &random, ASP_JOINT_PRISMATIC, it.a, it.ground, -0.4);
      finish_case(&it);
      randomize_velocity(it.model, &random, &it.state, 0.3);
      asp_state_advance(it.model, &it.state, it.state.v, 1);
      memset(it.state.v, 0, (size_t)asp_model_v_size(it.model) * sizeof *it.state.v);
      double h[12], velocity[18], first, second;
      asp_model_forces(it.model, &it.state, h);
      for (int dof = 0; dof < asp_model_dof_count(it.model); dof++) {
        unit_velocity(it.model, dof, velocity);
        differentiate(it.model, &it.state, velocity, 1e-3, potential, NULL, &first, &second);
        assert_near(h[dof], -first, 1e-9);
      }
      destroy_case(&it);
    }
}

static void damping_matrix_is_the_derivative_of_the_forces_by_velocity(void **unused) {
  (void)unused;
  AspRandom random = {12};
  for (int dimension = 2; dimension <= 3; dimension++) {
    ForceCase it;
    begin_case(&it, &random, dimension);
    add_spring(&it, &random, it.a, it.b, 5, 2, 0.5);
    add_spring(&it, &random, it.b, it.ground, 0, 3, 1);
    add_joint_spring(&it, &random, ASP_JOINT_REVOLUTE, it.ground, it.a, 0.3);
    add_joint_spring(&it, &random, ASP_JOINT_PRISMATIC, it.b, it.a, 0.3);
    finish_case(&it);
    int n = dimension == 3 ? 6 : 3, dofs = asp_model_dof_count(it.model);
    assert_int_equal(asp_model_stiff_count(it.model), 4);
    double total[12 * 12] = {0}, K[144], C[144];
    for (int element = 0; element < 4; element++) {
      int body[2];
      asp_model_stiff(it.model, &it.state, element, &body[0], &body[1], K, C);
      for (int column = 0; column < 2 * n; column++)
        for (int row = 0; row < 2 * n; row++) {
          int i = asp_model_body_dof(it.model, body[row / n]), j = asp_model_body_dof(it.model, body[column / n]);
          if (i >= 0 && j >= 0)
            total[(j + column % n) * dofs + i + row % n] += C[column * 2 * n + row];
        }
    }
    double before[12], after[12];
    for (int dof = 0; dof < dofs; dof++) { // the forces are linear in v but for the gyroscopic term, which is even
      unit_velocity(it.model, dof, it.state.v);
      asp_model_forces(it.model, &it.state, after);
      for (int i = 0; i < asp_model_v_size(it.model); i++)
        it.state.v[i] = -it.state.v[i];
      asp_model_forces(it.model, &it.state, before);
      for (int i = 0; i < dofs; i++)
        assert_near(-0.5 * (after[i] - before[i]), total[dof * dofs + i], 1e-13);
    }
    destroy_case(&it);
  }
}

/* K against differences of h at rest, for one element of a case. */
static void check_stiffness(ForceCase *it) {
  int n = asp_model_dimension(it->model) == 3 ? 6 : 3, body[2];
  double K[144], C[144], velocity[18], first, second;
  assert_int_equal(asp_model_stiff_count(it->model), 1);
  asp_model_stiff(it->model, &it->state, 0, &body[0], &body[1], K, C);
  for (int column = 0; column < 2 * n; column++) {
    int dof = asp_model_body_dof(it->model, body[column / n]);
    if (dof < 0)
      continue;
    unit_velocity(it->model, dof + column % n, velocity);
    for (int row = 0; row < 2 * n; row++) {
      int component = asp_model_body_dof(it->model, body[row / n]);
      if (component < 0)
        continue;
      component += row % n;
      differentiate(it->model, &it->state, velocity, 1e-3, force_component, &component, &first, &second);
      assert_near(K[column * 2 * n + row], -first, 1e-9);
    }
  }
}

static void stiffness_is_exact_at_the_rest_position(void **unused) {
  (void)unused;
  AspRandom random = {13};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int element = 0; element < 4; element++) {
      ForceCase it;
      begin_case(&it, &random, dimension);
      if (element == 0)
        add_spring(&it, &random, it.a, it.b, 5, 2, -1); // the initial distance
      else if (element == 1)
        add_spring(&it, &random, it.ground, it.b, 5, 2, -1);
      else
        add_joint_spring(&it, &random, element == 2 ? ASP_JOINT_REVOLUTE : ASP_JOINT_PRISMATIC, it.a, it.b, 0);
      finish_case(&it);
      check_stiffness(&it);
      destroy_case(&it);
    }
}

/* Where the bodies of a case with this seed have their centres. */
static void find_centres(AspRandom random, int dimension, AspVec3 *centre_a, AspVec3 *centre_b) {
  ForceCase it;
  begin_case(&it, &random, dimension);
  finish_case(&it);
  *centre_a = asp_state_pose(it.model, &it.state, it.a).position;
  *centre_b = asp_state_pose(it.model, &it.state, it.b).position;
  destroy_case(&it);
}

static void stretched_spring_between_centres_has_its_full_stiffness(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int variant = 0; variant < 3; variant++) {
      ForceCase it;
      AspRandom random = {14 + (uint64_t)variant};
      AspVec3 centre_a, centre_b;
      find_centres(random, dimension, &centre_a, &centre_b);
      begin_case(&it, &random, dimension);
      AspForceDef def = asp_force_default();
      def.kind = ASP_FORCE_SPRING;
      def.body = it.a;
      def.body_b = it.b;
      def.point = centre_a;
      def.point_b = centre_b;
      def.stiffness = 5;
      def.rest_length = variant == 0 ? 0.3 * norm3(sub3(centre_b, centre_a)) : 0;
      int force;
      assert_ok(it.context, asp_model_add_force(it.model, &def, &force));
      finish_case(&it);
      if (variant == 2) // both ends of a spring without length in one place
        memcpy(&it.state.q[(dimension == 3 ? 7 : 3) * it.b], &it.state.q[(dimension == 3 ? 7 : 3) * it.a],
               (size_t)dimension * sizeof *it.state.q);
      check_stiffness(&it);
      destroy_case(&it);
    }
}

static void stiffness_is_positive_semidefinite_even_when_compressed(void **unused) {
  (void)unused;
  AspRandom random = {15};
  for (int dimension = 2; dimension <= 3; dimension++) {
    ForceCase it;
    begin_case(&it, &random, dimension);
    add_spring(&it, &random, it.a, it.b, 5, 2, 10);
    add_spring(&it, &random, it.a, it.b, 5, 2, 0.1);
    add_joint_spring(&it, &random, ASP_JOINT_REVOLUTE, it.a, it.b, 3);
    finish_case(&it);
    int size = dimension == 3 ? 12 : 6, body_a, body_b;
    double K[144], C[144];
    for (int element = 0; element < 3; element++) {
      asp_model_stiff(it.model, &it.state, element, &body_a, &body_b, K, C);
      for (int sample = 0; sample < 50; sample++) {
        double x[12], stiff = 0, damp = 0;
        for (int i = 0; i < size; i++)
          x[i] = asp_random_normal(&random);
        for (int i = 0; i < size; i++)
          for (int j = 0; j < size; j++) {
            assert_true(K[i * size + j] == K[j * size + i] && C[i * size + j] == C[j * size + i]);
            stiff += x[i] * K[i * size + j] * x[j];
            damp += x[i] * C[i * size + j] * x[j];
          }
        assert_true(stiff >= -1e-12 && damp >= -1e-12);
      }
    }
    destroy_case(&it);
  }
}

static void work_of_a_force_is_force_times_velocity_of_its_point(void **unused) {
  (void)unused;
  AspRandom random = {16};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int variant = 0; variant < 4; variant++) {
      ForceCase it;
      begin_case(&it, &random, dimension);
      bool torque = variant & 1, turning = variant & 2;
      AspForceDef def = asp_force_default();
      def.kind = torque ? ASP_FORCE_TORQUE : ASP_FORCE_FORCE;
      def.body = it.b;
      def.point = random_vector(&random, dimension, 1);
      def.in_body_frame = turning;
      bool x_y = dimension == 3 || !torque, z = dimension == 3 || torque;
      def.component[0] = x_y ? "1 + t" : NULL;
      def.component[1] = x_y ? "cos(t)" : NULL;
      def.component[2] = z ? "3*t^2" : NULL;
      int force;
      assert_ok(it.context, asp_model_add_force(it.model, &def, &force));
      finish_case(&it);
      AspPose start = asp_state_pose(it.model, &it.state, it.b);
      randomize_velocity(it.model, &random, &it.state, 1);
      asp_state_advance(it.model, &it.state, it.state.v, 0.7);
      AspPose now = asp_state_pose(it.model, &it.state, it.b);
      AspVec3 v = asp_state_velocity(it.model, &it.state, it.b);
      AspVec3 w = asp_state_angular_velocity(it.model, &it.state, it.b);
      AspVec3 F = {x_y ? 1.7 : 0, x_y ? cos(0.7) : 0, z ? 3 * 0.49 : 0};
      if (turning)
        F = quat_rotate(now.orientation, F);
      AspVec3 arm = sub3(pose_point(&now, pose_point_back(&start, def.point)), now.position);
      double expected = torque ? dot3(F, w) : dot3(F, add3(v, cross3(w, arm)));
      double h[12], power = 0;
      asp_model_forces(it.model, &it.state, h);
      int n = dimension == 3 ? 6 : 3;
      for (int i = 0; i < n; i++)
        power += h[asp_model_body_dof(it.model, it.b) + i] * it.state.v[n * it.b + i];
      assert_near(power, expected, 1e-13); // the gyroscopic term does no work
      destroy_case(&it);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_at_rest_are_minus_the_gradient_of_the_potential_energy),
      cmocka_unit_test(damping_matrix_is_the_derivative_of_the_forces_by_velocity),
      cmocka_unit_test(stiffness_is_exact_at_the_rest_position),
      cmocka_unit_test(stretched_spring_between_centres_has_its_full_stiffness),
      cmocka_unit_test(stiffness_is_positive_semidefinite_even_when_compressed),
      cmocka_unit_test(work_of_a_force_is_force_times_velocity_of_its_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
