/* formulate: rows, assembly, implicit stiff elements, dependent joint rows. */
#include "formulate/blocks.h"
#include "formulate/formulate.h"
#include "linalg/sparse.h"
#include "linalg/vec3.h"
#include "problem/bodies.h"
#include "testing.h"

static int add_body(AspModel *model, const char *name, AspBodyKind kind, AspVec3 position) {
  AspBodyDef def = asp_body_default();
  def.name = name;
  def.kind = kind;
  def.mass = 2;
  def.inertia = mat3_diagonal(0.3, 0.4, 0.5);
  def.pose.position = position;
  int body;
  assert_int_equal(asp_model_add_body(model, &def, &body), ASP_OK);
  return body;
}

static void add_hinge(AspModel *model, int a, int b, AspVec3 point, const char *motion) {
  AspJointDef def = asp_joint_default();
  def.kind = ASP_JOINT_REVOLUTE;
  def.body_a = a;
  def.body_b = b;
  def.point = point;
  def.axis = vec3(0, 1, 0);
  def.motion = motion;
  int joint;
  assert_int_equal(asp_model_add_joint(model, &def, &joint), ASP_OK);
}

typedef struct Fixture {
  AspContext *context;
  AspModel *model;
  AspState state;
  AspArena arena;
  double *known;
} Fixture;

static Fixture begin(void) {
  Fixture fixture = {.context = asp_context_create(NULL)};
  assert_ok(fixture.context, asp_model_create(fixture.context, 3, &fixture.model));
  asp_arena_init(&fixture.arena, fixture.context);
  return fixture;
}

static void ready(Fixture *fixture) {
  assert_ok(fixture->context, asp_model_finish(fixture->model));
  assert_ok(fixture->context, asp_state_create(fixture->model, &fixture->state));
  asp_state_initial(fixture->model, &fixture->state);
  fixture->known = ASP_TAKE(&fixture->arena, double, asp_model_v_size(fixture->model));
}

static void end(Fixture *fixture) {
  asp_state_destroy(fixture->model, &fixture->state);
  asp_model_destroy(fixture->model);
  asp_arena_free(&fixture->arena);
  assert_int_equal(asp_context_memory_in_use(fixture->context), 0);
  asp_context_destroy(fixture->context);
}

/* The bodies that rows and carriers name are those that the entries of M and H show. */
static void assert_bodies_fit(Fixture *fixture, const AspContactProblem *problem) {
  AspContactProblem bare = *problem;
  AspProblemBodies found;
  const AspProblemBodies *given = &problem->bodies;
  assert_ok(fixture->context, asp_problem_validate(fixture->context, problem));
  bare.bodies = (AspProblemBodies){0};
  assert_ok(fixture->context, asp_bodies_find(&fixture->arena, &bare, &found));
  assert_int_equal(given->count, found.count);
  assert_memory_equal(given->start, found.start, ((size_t)found.count + 1) * sizeof(int));
  assert_memory_equal(given->dof, found.dof, (size_t)problem->dofs * sizeof(int));
  assert_memory_equal(given->of, found.of, (size_t)problem->dofs * sizeof(int));
  assert_memory_equal(given->block_start, found.block_start, ((size_t)problem->blocks + 1) * sizeof(int));
  assert_memory_equal(given->of_block, found.of_block, (size_t)found.block_start[problem->blocks] * sizeof(int));
}

static void contact_rows_give_the_velocity_of_b_against_a_at_the_common_point(void **state) {
  (void)state;
  Fixture fixture = begin();
  int a = add_body(fixture.model, "a", ASP_BODY_DYNAMIC, vec3(0, 0, 0));
  int b = add_body(fixture.model, "b", ASP_BODY_DYNAMIC, vec3(1, 2, 3));
  ready(&fixture);
  AspRandom random = {7};
  for (int i = 0; i < asp_model_v_size(fixture.model); i++)
    fixture.state.v[i] = asp_random_normal(&random);
  AspVec3 normal = unit3(vec3(0.3, -0.2, 0.9)), point = vec3(0.4, 0.9, 1.4);
  AspContactFrame frame = asp_contact_frame(3, normal, point, vec3(0, 0, 0), vec3(1, 2, 3));
  frame.body_a = a;
  frame.body_b = b;
  frame.gap = 0.05;
  frame.mu = 0.5;
  AspFormulation formulation;
  AspFrictionModel friction = {ASP_CONE_INSCRIBED, 6, 0.1};
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION, .dt = 0.01, .known_velocity = fixture.known};
  assert_ok(fixture.context, asp_formulation_begin(&formulation, &fixture.arena, fixture.model, &frame, 1));
  assert_ok(fixture.context, asp_formulate_contacts(&formulation, &frame, 1, &friction, &fixture.state, &terms));
  assert_ok(fixture.context, asp_formulate_dynamics(&formulation, &fixture.state, &fixture.state, 0.01, 1));
  assert_ok(fixture.context, asp_formulation_finish(&formulation));
  assert_bodies_fit(&fixture, &formulation.problem);

  double u[3] = {formulation.problem.w[0], formulation.problem.w[1], formulation.problem.w[2]};
  asp_sparse_multiply_transpose_add(&formulation.problem.H, 1, fixture.state.v, u);
  const double *v = fixture.state.v;
  AspVec3 va = add3(vec3(v[0], v[1], v[2]), cross3(vec3(v[3], v[4], v[5]), point));
  AspVec3 vb = add3(vec3(v[6], v[7], v[8]), cross3(vec3(v[9], v[10], v[11]), sub3(point, vec3(1, 2, 3))));
  AspVec3 relative = sub3(vb, va);
  assert_near(u[0], dot3(relative, normal) + 0.05 / 0.01, 1e-12);
  assert_near(u[1], dot3(relative, frame.t1), 1e-12);
  assert_near(u[2], dot3(relative, frame.t2), 1e-12);
  assert_near(dot3(cross3(frame.normal, frame.t1), frame.t2), 1, 1e-12);
  end(&fixture);
}

static AspVec3 point_velocity(const double *v, AspVec3 arm) {
  return add3(vec3(v[0], v[1], v[2]), cross3(vec3(v[3], v[4], v[5]), arm));
}

/* Contacts of every pair of bodies, in either order: dynamic, fixed and kinematic ones, circles and ellipses, some with
 * resistance to rolling, whose load couplings stand in their columns. */
static void columns_and_rows_of_contacts_agree_for_all_kinds_of_bodies(void **state) {
  (void)state;
  enum { BODIES = 4, PAIRS = BODIES * (BODIES - 1) };
  Fixture fixture = begin();
  AspVec3 centre[BODIES] = {{0, 0, 0}, {1, 2, 3}, {-1, 0.5, 2}, {2, -1, 1}};
  const AspBodyKind kind[BODIES] = {ASP_BODY_DYNAMIC, ASP_BODY_FIXED, ASP_BODY_DYNAMIC, ASP_BODY_KINEMATIC};
  const char *const name[BODIES] = {"a", "b", "c", "d"};
  for (int i = 0; i < BODIES; i++)
    add_body(fixture.model, name[i], kind[i], centre[i]);
  ready(&fixture);
  AspRandom random = {11};
  for (int body = 0; body < BODIES; body++)
    for (int i = 0; kind[body] != ASP_BODY_FIXED && i < 6; i++)
      fixture.state.v[6 * body + i] = asp_random_normal(&random);
  memcpy(fixture.known + 18, fixture.state.v + 18, 6 * sizeof(double));
  AspPairLaw rolling = {.friction = 0.5, .rolling = 0.01};
  AspContactFrame frames[PAIRS];
  for (int a = 0, i = 0; a < BODIES; a++)
    for (int b = 0; b < BODIES; b++) {
      if (a == b)
        continue;
      AspVec3 normal = unit3(vec3(asp_random_normal(&random), asp_random_normal(&random), asp_random_normal(&random)));
      frames[i] = asp_contact_frame(3, normal, vec3(0.4, 0.9, 1.4), centre[a], centre[b]);
      frames[i].body_a = a;
      frames[i].body_b = b;
      frames[i].mu = 0.5;
      frames[i].law = i % 2 ? &rolling : NULL;
      frames[i].stretch[i % 3 == 0] = 0.7;
      i++;
    }
  AspFormulation formulation;
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION, .dt = 0.01, .known_velocity = fixture.known};
  assert_ok(fixture.context, asp_formulation_begin(&formulation, &fixture.arena, fixture.model, frames, PAIRS));
  assert_ok(fixture.context,
            asp_formulate_contacts(&formulation, frames, PAIRS, &(AspFrictionModel){0}, &fixture.state, &terms));
  assert_ok(fixture.context, asp_formulate_dynamics(&formulation, &fixture.state, &fixture.state, 0.01, 1));
  assert_ok(fixture.context, asp_formulation_finish(&formulation));
  assert_bodies_fit(&fixture, &formulation.problem);
  const AspContactProblem *problem = &formulation.problem;
  double *u = ASP_TAKE(&fixture.arena, double, problem->rows), *x = ASP_TAKE(&fixture.arena, double, problem->dofs);
  asp_state_gather(fixture.model, fixture.state.v, x);
  memcpy(u, problem->w, (size_t)problem->rows * sizeof *u);
  asp_sparse_multiply_transpose_add(&problem->H, 1, x, u);
  for (int kept = 0; kept < 2; kept++) {
    for (int i = 0; i < PAIRS; i++) { // the blocks of the contacts come first
      AspRow room[3];
      const AspRow *row = asp_block_rows(&formulation, i, room);
      assert_true((row == room) == !kept);
      AspVec3 relative = sub3(point_velocity(fixture.state.v + 6 * frames[i].body_b, frames[i].arm_b),
                              point_velocity(fixture.state.v + 6 * frames[i].body_a, frames[i].arm_a));
      for (int k = 0; k < 3; k++) {
        AspVec3 axis =
            k == 0 ? frames[i].normal : scale3(frames[i].stretch[k - 1], k == 1 ? frames[i].t1 : frames[i].t2);
        double rate = asp_row_dot(6, row[k].ja, fixture.state.v + 6 * row[k].body_a) +
                      asp_row_dot(6, row[k].jb, fixture.state.v + 6 * row[k].body_b);
        assert_near(rate, dot3(relative, axis), 1e-12);
        assert_near(u[formulation.offset[i] + k], dot3(relative, axis), 1e-12);
      }
    }
    asp_formulation_keep_rows(&formulation);
  }
  end(&fixture);
}

/* Two bodies on a spring along x; returns M and f of a step. */
static void formulate_spring(Fixture *fixture, double stiffness, double damping, double dt,
                             AspFormulation *formulation) {
  *fixture = begin();
  int a = add_body(fixture->model, "a", ASP_BODY_DYNAMIC, vec3(0, 0, 0));
  int b = add_body(fixture->model, "b", ASP_BODY_DYNAMIC, vec3(1, 0, 0));
  AspForceDef def = asp_force_default();
  def.kind = ASP_FORCE_SPRING;
  def.body = a;
  def.body_b = b;
  def.point_b = vec3(1, 0, 0);
  def.stiffness = stiffness;
  def.damping = damping;
  def.rest_length = 0.9;
  int force;
  assert_ok(fixture->context, asp_model_add_force(fixture->model, &def, &force));
  ready(fixture);
  fixture->state.v[0] = -0.3;
  fixture->state.v[6] = 0.7;
  assert_ok(fixture->context, asp_formulation_begin(formulation, &fixture->arena, fixture->model, NULL, 0));
  assert_ok(fixture->context, asp_formulate_dynamics(formulation, &fixture->state, &fixture->state, dt, 1));
  assert_ok(fixture->context, asp_formulation_finish(formulation));
  assert_bodies_fit(fixture, &formulation->problem);
}

static double entry(const AspSparse *A, int i, int j) {
  for (int k = A->start[j]; k < A->start[j + 1]; k++)
    if (A->row[k] == i)
      return A->value[k];
  return 0;
}

static void soft_springs_are_explicit_and_stiff_ones_enter_the_matrix(void **state) {
  (void)state;
  Fixture fixture;
  AspFormulation formulation;
  formulate_spring(&fixture, 10, 0, 0.01, &formulation);
  assert_near(entry(&formulation.problem.M, 0, 0), 2, 0);
  assert_near(entry(&formulation.problem.M, 0, 6), 0, 0);
  assert_near(formulation.problem.f[0], 2 * -0.3 + 0.01 * 10 * 0.1, 1e-14);
  end(&fixture);

  // (M + dt C + dt^2 K) v+ = (M + dt C) v + dt h with k = 1e6, c = 50 along x
  double k = 1e6, c = 50, dt = 0.01, force = k * 0.1 + c * 1.0;
  formulate_spring(&fixture, k, c, dt, &formulation);
  assert_near(entry(&formulation.problem.M, 0, 0), 2 + dt * c + dt * dt * k, 1e-10);
  assert_near(entry(&formulation.problem.M, 0, 6), -(dt * c + dt * dt * k), 1e-10);
  assert_near(entry(&formulation.problem.M, 6, 0), -(dt * c + dt * dt * k), 1e-10);
  assert_near(formulation.problem.f[0], 2 * -0.3 + dt * c * (-0.3 - 0.7) + dt * force, 1e-10);
  assert_near(formulation.problem.f[6], 2 * 0.7 + dt * c * (0.7 + 0.3) - dt * force, 1e-10);
  end(&fixture);
}

static void a_second_equal_hinge_is_redundant_and_its_shift_follows(void **state) {
  (void)state;
  Fixture fixture = begin();
  int ground = add_body(fixture.model, "ground", ASP_BODY_FIXED, vec3(0, 0, 0));
  int arm = add_body(fixture.model, "arm", ASP_BODY_DYNAMIC, vec3(1, 0, 0));
  add_hinge(fixture.model, ground, arm, vec3(0, 0, 0), NULL);
  add_hinge(fixture.model, ground, arm, vec3(0, 0.5, 0), NULL); // on the same axis
  ready(&fixture);
  for (int i = 0; i < 3; i++)
    fixture.state.q[7 + i] += 1e-3 * (i + 1); // drift that the two hinges see alike
  AspFormulation formulation;
  bool redundant[24];
  int count;
  assert_ok(fixture.context, asp_formulation_begin(&formulation, &fixture.arena, fixture.model, NULL, 0));
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION, .dt = 0.01, .known_velocity = fixture.known};
  assert_ok(fixture.context,
            asp_formulate_joints(&formulation, &fixture.state, &fixture.state, &(AspFrictionModel){0}, &terms));
  formulation.shift[7] += 0.01; // a contradiction of O(h)
  assert_ok(fixture.context, asp_formulate_dynamics(&formulation, &fixture.state, &fixture.state, 0.01, 1));
  assert_ok(fixture.context, asp_formulate_redundancy(&formulation, redundant, &count));
  assert_int_equal(formulation.rows, 10);
  assert_int_equal(count, 5);
  for (int k = 0; k < 10; k++)
    assert_int_equal(redundant[k], k >= 5);
  // what the first hinge asks for is what the second one gets
  for (int k = 0; k < 3; k++)
    assert_near(formulation.shift[5 + k], formulation.shift[k], 1e-12);
  end(&fixture);
}

static void contradicting_motions_are_left_for_the_judge_to_see(void **state) {
  (void)state;
  Fixture fixture = begin();
  int ground = add_body(fixture.model, "ground", ASP_BODY_FIXED, vec3(0, 0, 0));
  int arm = add_body(fixture.model, "arm", ASP_BODY_DYNAMIC, vec3(1, 0, 0));
  add_hinge(fixture.model, ground, arm, vec3(0, 0, 0), "t");
  add_hinge(fixture.model, ground, arm, vec3(0, 0, 0), "2*t");
  ready(&fixture);
  AspFormulation formulation;
  bool redundant[24];
  int count;
  assert_ok(fixture.context, asp_formulation_begin(&formulation, &fixture.arena, fixture.model, NULL, 0));
  AspStepTerms terms = {.level = ASP_LEVEL_POSITION, .dt = 0.01, .known_velocity = fixture.known};
  assert_ok(fixture.context,
            asp_formulate_joints(&formulation, &fixture.state, &fixture.state, &(AspFrictionModel){0}, &terms));
  assert_ok(fixture.context, asp_formulate_dynamics(&formulation, &fixture.state, &fixture.state, 0.01, 1));
  assert_ok(fixture.context, asp_formulate_redundancy(&formulation, redundant, &count));
  assert_int_equal(count, 6);
  assert_near(formulation.known[10], -1, 1e-12);
  assert_near(formulation.known[11], -2, 1e-12);
  end(&fixture);
}

/* Bodies that are struck late in the step have gone on towards each other for most of it: the contact holds its place
 * behind the impact, but no faster than they came. */
static void barrier_gives_back_no_more_speed_than_came(void **state) {
  (void)state;
  Fixture f = begin();
  int ground = add_body(f.model, "ground", ASP_BODY_FIXED, vec3(0, 0, 0)),
      ball = add_body(f.model, "ball", ASP_BODY_DYNAMIC, vec3(0, 0, 1));
  ready(&f);
  double times[2] = {-1, 0.9};
  AspFormulation formulation = {.model = f.model, .time_of_impact = times};
  AspContactFrame frame = {.body_a = ground, .body_b = ball, .gap = 1e-4};
  assert_near(asp_barrier_shift(&formulation, &frame, -2, 0.01), -2, 0); // its place alone: -180
  frame.gap = 0.1;                                                       // it comes no nearer than its place
  assert_near(asp_barrier_shift(&formulation, &frame, -2, 0.01), (0.1 - 0.9 * 0.02) / (0.1 * 0.01), 1e-9);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contact_rows_give_the_velocity_of_b_against_a_at_the_common_point),
      cmocka_unit_test(columns_and_rows_of_contacts_agree_for_all_kinds_of_bodies),
      cmocka_unit_test(soft_springs_are_explicit_and_stiff_ones_enter_the_matrix),
      cmocka_unit_test(a_second_equal_hinge_is_redundant_and_its_shift_follows),
      cmocka_unit_test(contradicting_motions_are_left_for_the_judge_to_see),
      cmocka_unit_test(barrier_gives_back_no_more_speed_than_came),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
