/* EQUALITY rows by elimination: reactions of mechanisms against references solved to rounding, redundant joints, long
 * chains. */
#include "context_in_state.h"
#include "exact_testing.h"

#include "linalg/sparse.h"
#include "linalg/vec3.h"
#include "problem/pseudo_solve.h"
#include "solver/dense_newton.h"
#include "solver/tuning/reduced.h"

/* ---- mechanisms drawn by hand ---- */

enum { MOST_BODIES = 1000, GROUND = -1 };

typedef enum JointKind { HINGE, SLIDER, BALL } JointKind;
static const int rows_of_joint[] = {[HINGE] = 5, [SLIDER] = 5, [BALL] = 3};

typedef struct Joint {
  JointKind kind;
  int a, b;
  AspVec3 point, axis;
} Joint;

typedef struct Mechanism {
  int bodies, joints;
  AspVec3 centre[MOST_BODIES];
  Joint joint[2 * MOST_BODIES];
} Mechanism;

static int add_body(Mechanism *mechanism, double x, double y, double z) {
  mechanism->centre[mechanism->bodies] = vec3(x, y, z);
  return mechanism->bodies++;
}

static void add_joint(Mechanism *mechanism, JointKind kind, int a, int b, AspVec3 point, AspVec3 axis) {
  mechanism->joint[mechanism->joints++] = (Joint){kind, a, b, point, axis};
}

/* Row k of a joint, its part on one body: gradients of the velocity and of the spin. */
static void joint_row(const Joint *joint, int k, AspVec3 centre, double sign, double *out) {
  AspVec3 t1, t2, unit[3] = {vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)};
  tangents3(joint->axis, &t1, &t2);
  int moves = joint->kind == SLIDER ? 2 : 3; // rows on velocities come first
  AspVec3 linear = vec3(0, 0, 0), angular;
  if (k < moves) {
    linear = joint->kind == SLIDER ? (k == 0 ? t1 : t2) : unit[k];
    angular = cross3(sub3(joint->point, centre), linear);
  } else
    angular = joint->kind == SLIDER ? unit[k - moves] : k == moves ? t1 : t2;
  const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (int i = 0; i < 6; i++)
    out[i] = sign * all[i];
}

static void fill_mass(AspContactProblem *problem, AspRandom *random) {
  int at = 0;
  for (int j = 0; j < problem->dofs; j++) {
    int first = j / 6 * 6;
    for (int i = 0; i < 6; i++) {
      bool angular = i >= 3 && j - first >= 3;
      problem->M.row[at] = first + i;
      problem->M.value[at++] = first + i == j ? (angular ? 0.3 : 1) * (1 + 0.1 * (first / 6 % 7)) : angular ? 0.02 : 0;
    }
    problem->M.start[j + 1] = at;
    problem->f[j] = asp_random_uniform(random, -1, 1);
  }
}

static void make_problem(AspContext *context, const Mechanism *mechanism, AspContactProblem *problem) {
  int rows = 0, entries = 0, row = 0, at = 0;
  AspRandom random = {7};
  for (int j = 0; j < mechanism->joints; j++) {
    const Joint *joint = &mechanism->joint[j];
    rows += rows_of_joint[joint->kind];
    entries += rows_of_joint[joint->kind] * 6 * ((joint->a >= 0) + (joint->b >= 0));
  }
  assert_ok(context, asp_problem_create(context, 3, mechanism->joints, rows, 6 * mechanism->bodies,
                                        36 * mechanism->bodies, entries, 0, problem));
  fill_mass(problem, &random);
  for (int j = 0; j < mechanism->joints; j++) {
    const Joint *joint = &mechanism->joint[j];
    problem->law[j] = (AspLaw){.kind = ASP_LAW_EQUALITY};
    int low = joint->a < joint->b ? joint->a : joint->b, high = joint->a < joint->b ? joint->b : joint->a;
    for (int k = 0; k < rows_of_joint[joint->kind]; k++) {
      for (int side = 0; side < 2; side++) {
        int body = side ? high : low;
        if (body < 0)
          continue;
        for (int i = 0; i < 6; i++)
          problem->H.row[at + i] = 6 * body + i;
        joint_row(joint, k, mechanism->centre[body], body == joint->b ? 1 : -1, problem->H.value + at);
        at += 6;
      }
      problem->H.start[++row] = at;
    }
    problem->offset[j + 1] = row;
  }
}

static const AspVec3 along_z = {0, 0, 1}, along_y = {0, 1, 0}, along_x = {1, 0, 0};

static void make_chain(Mechanism *mechanism, int links, bool hanging) {
  *mechanism = (Mechanism){0};
  for (int i = 0; i < links; i++) {
    int body = add_body(mechanism, 0.2 * i + 0.1, 0.01 * (i % 3), 0);
    if (i > 0 || hanging)
      add_joint(mechanism, HINGE, body - 1, body, vec3(0.2 * i, 0, 0.01 * (i % 5)), i % 2 ? along_z : along_y);
  }
}

/* Four hinges with parallel axes: three of their conditions follow from the others. */
static void make_four_bar(Mechanism *mechanism) {
  *mechanism = (Mechanism){0};
  int crank = add_body(mechanism, 0, 0.5, 0), coupler = add_body(mechanism, 1, 1.25, 0),
      rocker = add_body(mechanism, 2, 0.75, 0);
  add_joint(mechanism, HINGE, GROUND, crank, vec3(0, 0, 0), along_z);
  add_joint(mechanism, HINGE, crank, coupler, vec3(0, 1, 0), along_z);
  add_joint(mechanism, HINGE, coupler, rocker, vec3(2, 1.5, 0), along_z);
  add_joint(mechanism, HINGE, rocker, GROUND, vec3(2, 0, 0), along_z);
}

/* Balls at both ends of the rod: no condition too many. */
static void make_slider_crank(Mechanism *mechanism) {
  *mechanism = (Mechanism){0};
  int crank = add_body(mechanism, 0.2, 0.2, 0), rod = add_body(mechanism, 1, 0.2, 0),
      slider = add_body(mechanism, 1.6, 0, 0);
  add_joint(mechanism, HINGE, GROUND, crank, vec3(0, 0, 0), along_z);
  add_joint(mechanism, BALL, crank, rod, vec3(0.4, 0.4, 0), along_z);
  add_joint(mechanism, BALL, rod, slider, vec3(1.6, 0, 0), along_z);
  add_joint(mechanism, SLIDER, slider, GROUND, vec3(1.6, 0, 0), along_x);
}

/* Six legs of two bodies each, a ball at both ends, a slider between. */
static void make_stewart_platform(Mechanism *mechanism) {
  *mechanism = (Mechanism){0};
  int plate = add_body(mechanism, 0, 0, 1);
  for (int leg = 0; leg < 6; leg++) {
    double low = 1.0471975511965976 * leg, high = 1.0471975511965976 * (leg + (leg % 2 ? 0.6 : -0.6));
    AspVec3 foot = vec3(cos(low), sin(low), 0), head = vec3(0.5 * cos(high), 0.5 * sin(high), 1);
    AspVec3 way = sub3(head, foot), first = add3(foot, scale3(0.25, way)), second = add3(foot, scale3(0.75, way));
    int cylinder = add_body(mechanism, first.x, first.y, first.z),
        rod = add_body(mechanism, second.x, second.y, second.z);
    add_joint(mechanism, BALL, GROUND, cylinder, foot, along_z);
    add_joint(mechanism, SLIDER, cylinder, rod, add3(foot, scale3(0.5, way)), unit3(way));
    add_joint(mechanism, BALL, rod, plate, head, along_z);
  }
}

/* Two hinges on one axis: one would do. */
static void make_door(Mechanism *mechanism) {
  *mechanism = (Mechanism){0};
  int door = add_body(mechanism, 0.5, 0, 1), handle = add_body(mechanism, 0.9, 0.1, 1);
  add_joint(mechanism, HINGE, GROUND, door, vec3(0, 0, 0.3), along_z);
  add_joint(mechanism, HINGE, GROUND, door, vec3(0, 0, 1.7), along_z);
  add_joint(mechanism, HINGE, door, handle, vec3(0.9, 0, 1), along_y);
}

/* Two fingers, each on two parallel cranks that hang from a palm on a slider. */
static void make_parallel_gripper(Mechanism *mechanism) {
  *mechanism = (Mechanism){0};
  int palm = add_body(mechanism, 0, 0.5, 0);
  add_joint(mechanism, SLIDER, GROUND, palm, vec3(0, 0.5, 0), along_y);
  for (int side = -1; side <= 1; side += 2) {
    int finger = add_body(mechanism, 0.1 * side, 0.3, 0);
    for (int crank = 0; crank < 2; crank++) {
      double x = 0.04 + 0.03 * crank;
      int bar = add_body(mechanism, (x + 0.02) * side, 0.42, 0);
      add_joint(mechanism, HINGE, palm, bar, vec3(x * side, 0.48, 0), along_z);
      add_joint(mechanism, HINGE, bar, finger, vec3((x + 0.04) * side, 0.36, 0), along_z);
    }
  }
}

/* ---- references ---- */

/* W_ee r = -q by elimination with pivoting in long double, from M and H alone. */
static void reference(const AspContactProblem *problem, double *r) {
  int n = problem->dofs, m = problem->rows, size = n + m;
  long double *A = calloc((size_t)size * (size_t)(size + 1), sizeof *A);
  assert_non_null(A);
#define ENTRY(i, j) A[(size_t)(i) * (size_t)(size + 1) + (size_t)(j)]
  for (int j = 0; j < n; j++) {
    for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++)
      ENTRY(problem->M.row[k], j) = problem->M.value[k];
    ENTRY(j, size) = problem->f[j];
  }
  for (int j = 0; j < m; j++) {
    for (int k = problem->H.start[j]; k < problem->H.start[j + 1]; k++)
      ENTRY(problem->H.row[k], n + j) = ENTRY(n + j, problem->H.row[k]) = problem->H.value[k];
    ENTRY(n + j, size) = -problem->w[j];
  }
  for (int p = 0; p < size; p++) {
    int best = p;
    for (int i = p + 1; i < size; i++)
      best = fabsl(ENTRY(i, p)) > fabsl(ENTRY(best, p)) ? i : best;
    for (int j = 0; j <= size; j++) {
      long double t = ENTRY(p, j);
      ENTRY(p, j) = ENTRY(best, j);
      ENTRY(best, j) = t;
    }
    for (int i = 0; i < size; i++) {
      long double factor = i == p ? 0 : ENTRY(i, p) / ENTRY(p, p);
      for (int j = p; j <= size && factor != 0; j++)
        ENTRY(i, j) -= factor * ENTRY(p, j);
    }
  }
  for (int j = 0; j < m; j++)
    r[j] = (double)(-ENTRY(n + j, size) / ENTRY(n + j, n + j));
#undef ENTRY
  free(A);
}

/* The smallest reaction that does the same to the bodies, by the pseudo-inverse of S = H^T diag(M)^-1 H. */
static void smallest(AspContext *context, const AspContactProblem *problem, const double *r, double *least) {
  size_t m = (size_t)problem->rows, n = (size_t)problem->dofs;
  double *G = calloc(m * n, sizeof *G), *S = calloc(m * m, sizeof *S);
  int rank;
  AspArena arena;
  assert_non_null(G);
  assert_non_null(S);
  for (size_t i = 0; i < m; i++)
    for (int k = problem->H.start[i]; k < problem->H.start[i + 1]; k++) {
      int dof = problem->H.row[k], diagonal = problem->M.start[dof] + dof % 6;
      G[i * n + (size_t)dof] = problem->H.value[k] / sqrt(problem->M.value[diagonal]);
    }
  memset(least, 0, m * sizeof *least);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++) {
      for (size_t k = 0; k < n; k++)
        S[i * m + j] += G[i * n + k] * G[j * n + k];
      least[i] += S[i * m + j] * r[j];
    }
  asp_arena_init(&arena, context);
  assert_ok(context, asp_pseudo_solve(&arena, (int)m, S, 1, least, &rank));
  asp_arena_free(&arena);
  free(G);
  free(S);
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* Solve by the default method; r is the caller's. */
static AspSolverInfo solve(AspContext *context, const AspContactProblem *problem, double *r, double *u) {
  AspSolver *solver;
  AspSolverInfo info;
  assert_ok(context, asp_solver_create(context, NULL, &solver));
  assert_ok(context, asp_solver_solve(solver, problem, r, u, NULL, &info));
  asp_solver_destroy(solver);
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
  return info;
}

/* ---- tests ---- */

static Mechanism mechanism; // too large for the stack

static void assert_as_reference(AspContext *context) {
  AspContactProblem problem;
  make_problem(context, &mechanism, &problem);
  size_t rows = (size_t)problem.rows;
  double *r = calloc(rows, sizeof *r), *u = calloc(rows, sizeof *u), *exact = calloc(rows, sizeof *exact);
  assert_true(r && u && exact);
  AspSolverInfo info = solve(context, &problem, r, u);
  reference(&problem, exact);
  for (size_t j = 0; j < rows; j++)
    assert_near(r[j], exact[j], 1e-9 * largest(problem.rows, exact));
  assert_at_most(largest(problem.rows, u), 1e-13);
  assert_string_equal(info.path, "elimination");
  free(r);
  free(u);
  free(exact);
  asp_problem_destroy(context, &problem);
}

static void reactions_of_regular_mechanisms_are_those_of_a_reference(void **state) {
  make_slider_crank(&mechanism);
  assert_as_reference(*state);
  make_stewart_platform(&mechanism);
  assert_as_reference(*state);
  make_chain(&mechanism, 20, true);
  assert_as_reference(*state);
  make_chain(&mechanism, 20, false);
  assert_as_reference(*state);
}

static void redundant_joints_get_the_smallest_reactions(void **state) {
  AspContext *context = *state;
  void (*const make[])(Mechanism *) = {make_four_bar, make_door, make_parallel_gripper};
  for (size_t kind = 0; kind < sizeof make / sizeof *make; kind++) {
    AspContactProblem problem;
    make[kind](&mechanism);
    make_problem(context, &mechanism, &problem);
    size_t rows = (size_t)problem.rows;
    double *r = calloc(rows, sizeof *r), *u = calloc(rows, sizeof *u), *least = calloc(rows, sizeof *least);
    assert_true(r && u && least);
    solve(context, &problem, r, u);
    assert_at_most(largest(problem.rows, u), 1e-13);
    smallest(context, &problem, r, least);
    for (size_t j = 0; j < rows; j++)
      assert_near(r[j], least[j], 1e-9 * largest(problem.rows, least));
    free(r);
    free(u);
    free(least);
    asp_problem_destroy(context, &problem);
  }
}

static void chain_of_1000_links_is_one_linear_solve(void **state) {
  AspContext *context = *state;
  AspContactProblem problem;
  make_chain(&mechanism, 1000, true);
  make_problem(context, &mechanism, &problem);
  double *r = calloc((size_t)problem.rows, sizeof *r), *u = calloc((size_t)problem.rows, sizeof *u);
  assert_true(r && u);
  AspSolverInfo info = solve(context, &problem, r, u);
  assert_string_equal(info.path, "elimination");
  assert_at_most(largest(problem.rows, u), 1e-10 * largest(problem.rows, r));
  free(r);
  free(u);
  asp_problem_destroy(context, &problem);
}

/* Contacts and joints: the whole is solved, joints hold to rounding, and the answer as a start needs no further step. */
static void contacts_of_jointed_bodies_are_solved_on_what_is_left(void **state) {
  AspContext *context = *state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_JOINTED, 8, seed);
    trial_solve(&trial, ASP_METHOD_AUTO, 1e-8, 0);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    assert_honest(&trial, 1e-8);
    assert_at_most(trial_judge(&trial).worst_equality, 1e-12 * trial.info.residual.norm_q);
    trial_solve(&trial, ASP_METHOD_AUTO, 1e-8, 0);
    assert_int_equal(trial.info.iterations, 0); // of Newton; where nothing pushes there are none to make
    trial_free(&trial);
  }
}

/* Stuck friction on more rows than there are dofs, with rates that contradict each other a little: some rows must slip,
 * and which ones only their limits say. */
static void more_stuck_rows_than_dofs_are_solved_by_newton_steps(void **state) {
  enum { rows = 24, dofs = 18 };
  AspArena arena;
  asp_arena_init(&arena, *state);
  for (uint64_t seed = 1; seed <= 5; seed++) {
    AspRandom random = {seed};
    double A[dofs][rows], r[rows] = {0}, *q = ASP_TAKE(&arena, double, rows);
    AspContactProblem problem = {.dimension = 3, .rows = rows, .blocks = rows, .q = q};
    int steps, slipping = 0;
    bool arrived;
    problem.law = ASP_TAKE(&arena, AspLaw, rows);
    problem.offset = ASP_TAKE(&arena, int, rows + 1);
    assert_ok(*state, asp_sparse_take(&arena, rows, rows, rows * rows, &problem.W));
    for (int i = 0; i < rows; i++) {
      for (int k = 0; k < dofs; k++)
        A[k][i] = asp_random_uniform(&random, -1, 1);
      problem.law[i] = (AspLaw){.kind = ASP_LAW_BOX, .limit = 1};
      problem.offset[i + 1] = i + 1;
      q[i] = 0.1 * A[0][i] + 1e-7 * asp_random_uniform(&random, -1, 1);
    }
    for (int j = 0; j < rows; j++) {
      problem.W.start[j + 1] = (j + 1) * rows;
      for (int i = 0; i < rows; i++) {
        problem.W.row[j * rows + i] = i;
        for (int k = 0; k < dofs; k++)
          problem.W.value[j * rows + i] += A[k][i] * A[k][j];
      }
    }
    assert_ok(*state, asp_dense_newton_solve(&arena, &problem, r, &steps, &arrived));
    assert_true(arrived);
    for (int i = 0; i < rows; i++) {
      double u = q[i];
      for (int j = 0; j < rows; j++)
        u += problem.W.value[j * rows + i] * r[j];
      bool slips = fabs(r[i]) > 1 - 1e-9;
      slipping += slips;
      assert_at_most(fabs(r[i]), 1 + 1e-9);
      assert_at_most(slips ? u * r[i] : fabs(u), 3e-8); // a third of what the rates contradict each other by
    }
    assert_in_range(slipping, 1, rows);
    asp_arena_reset(&arena);
  }
  asp_arena_free(&arena);
}

/* The memory of a solver does not matter: patterns that change and come back give equal bits, whether their layouts were
 * kept or not. */
static void patterns_that_take_turns_give_equal_bits(void **state) {
  AspContext *context = *state;
  enum { patterns = REDUCED_LAYOUTS + 2 };
  AspContactProblem problem[patterns];
  AspSolver *solver;
  AspSolverInfo info;
  double r[3][patterns][200];
  assert_ok(context, asp_solver_create(context, NULL, &solver));
  for (int k = 0; k < patterns; k++) {
    make_chain(&mechanism, 10 + 5 * k, k % 2);
    make_problem(context, &mechanism, &problem[k]);
  }
  for (int turn = 0; turn < 3; turn++)
    for (int i = 0; i < patterns; i++) {
      int k = turn < 2 ? i : patterns - 1 - i;
      memset(r[turn][k], 0, sizeof r[turn][k]);
      assert_ok(context, asp_solver_solve(solver, &problem[k], r[turn][k], NULL, NULL, &info));
    }
  assert_memory_equal(r[0], r[1], sizeof r[0]);
  assert_memory_equal(r[0], r[2], sizeof r[0]);
  asp_solver_destroy(solver);
  for (int k = 0; k < patterns; k++)
    asp_problem_destroy(context, &problem[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reactions_of_regular_mechanisms_are_those_of_a_reference),
      cmocka_unit_test(redundant_joints_get_the_smallest_reactions),
      cmocka_unit_test(chain_of_1000_links_is_one_linear_solve),
      cmocka_unit_test(contacts_of_jointed_bodies_are_solved_on_what_is_left),
      cmocka_unit_test(more_stuck_rows_than_dofs_are_solved_by_newton_steps),
      cmocka_unit_test(patterns_that_take_turns_give_equal_bits),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
