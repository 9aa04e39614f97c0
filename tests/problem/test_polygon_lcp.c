/* The contact problem as an LCP: Trinkle's matrix, the four kinds of law, joints kept and eliminated. */
#include "asperity/problem.h"
#include "base/constants.h"
#include "building.h"
#include "failing_allocator.h"
#include "problem/polygon_lcp.h"
#include "problem_families.h"
#include "shared_context.h"

/* Sphere on the ground, m = r = 1: dofs v_x, v_y, v_z, w_x, w_y, w_z; contact point r below the centre; rows n, t1 = x,
 * t2 = y. One step of h = 0.12 from v = (2, 0, 0). */
static AspContactProblem sphere(double mu) {
  const AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = mu, .cone = ASP_CONE_INSCRIBED, .directions = 4};
  const double M[36] = {1, 0, 0, 0,  0, 0, 0, 1, 0, 0, 0,  0, 0, 0, 1, 0, 0, 0,
                        0, 0, 0, .4, 0, 0, 0, 0, 0, 0, .4, 0, 0, 0, 0, 0, 0, .4};
  const double H[18] = {0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0};
  const double f[6] = {2, 0, -0.12 * 9.81, 0, 0, 0}, w[3] = {0};
  AspContactProblem problem = global_problem(context, 3, 1, &law, 6, M, H, f, w);
  assert_ok(context, asp_problem_reduce(context, &problem));
  return problem;
}

static void sphere_gives_the_matrix_of_the_paper(void **state) {
  (void)state;
  const double F[6][6] = {{1, 0, 0, 0, 0, 0},      {0, 3.5, -3.5, 0, 0, 1}, {0, -3.5, 3.5, 0, 0, 1},
                          {0, 0, 0, 3.5, -3.5, 1}, {0, 0, 0, -3.5, 3.5, 1}, {.2, -1, -1, -1, -1, 0}};
  const double f[6] = {-0.12 * 9.81, 2, -2, 0, 0, 0};
  AspContactProblem problem = sphere(0.2);
  for (int standard = 0; standard < 2; standard++) {
    AspMixedLcp lcp;
    assert_ok(context, asp_problem_polygon_lcp(context, &problem, standard, &lcp));
    assert_int_equal(lcp.n, 6);
    assert_int_equal(lcp.free, 0);
    for (int i = 0; i < 6; i++) {
      assert_near(lcp.q[i], f[i], 1e-15);
      for (int j = 0; j < 6; j++)
        assert_near(lcp.M[6 * j + i], F[i][j], 1e-15);
    }
    asp_mixed_lcp_destroy(context, &lcp);
  }
  asp_problem_destroy(context, &problem);
}

static void contact_without_friction_has_only_its_normal(void **state) {
  (void)state;
  AspContactProblem problem = sphere(0);
  AspMixedLcp lcp;
  assert_ok(context, asp_problem_polygon_lcp(context, &problem, true, &lcp));
  assert_int_equal(lcp.n, 1);
  assert_near(lcp.M[0], 1, 1e-15);
  asp_mixed_lcp_destroy(context, &lcp);
  asp_problem_destroy(context, &problem);
}

static void directions_are_the_vertices_of_the_polygon(void **state) {
  (void)state;
  for (int n = 3; n <= 12; n++)
    for (int outside = 0; outside < 2; outside++) {
      if (outside && n % 2)
        continue;
      AspLaw law = {.kind = ASP_LAW_COULOMB,
                    .mu = 1,
                    .cone = outside ? ASP_CONE_CIRCUMSCRIBED : ASP_CONE_INSCRIBED,
                    .directions = n,
                    .angle = 0.3};
      double d[24], radius = outside ? 1 / cos(ASP_PI / n) : 1;
      assert_int_equal(asp_polygon_direction_count(&law, 3), n);
      asp_polygon_directions(&law, 3, d);
      bool seen[12] = {false};
      for (int j = 0; j < n; j++) {
        double step = (atan2(d[2 * j + 1], d[2 * j]) - 0.3) * n / (2 * ASP_PI) - (outside ? 0.5 : 0);
        int vertex = (int)lround(step);
        assert_near(hypot(d[2 * j], d[2 * j + 1]), radius, 1e-15);
        assert_near(step, vertex, 1e-13);
        seen[(vertex + 2 * n) % n] = true;
        if (n % 2 == 0 && j % 2 == 1) { // opposite ones side by side
          assert_near(d[2 * j], -d[2 * j - 2], 0);
          assert_near(d[2 * j + 1], -d[2 * j - 1], 0);
        }
      }
      for (int j = 0; j < n; j++)
        assert_true(seen[j]);
    }
}

/* Two blocks of each law in 2D with random W: F z + f must be the velocities and slacks that the laws speak of. */
static void rows_are_the_velocities_and_slacks_of_the_laws(void **state) {
  (void)state;
  enum { BLOCKS = 5, ROWS = 7, N = 3 + 2 + 2 + 2 + 1 };
  const AspLaw laws[BLOCKS] = {{.kind = ASP_LAW_BOX, .limit = 0.7},
                               {.kind = ASP_LAW_UNILATERAL},
                               {.kind = ASP_LAW_COULOMB, .mu = 0.4},
                               {.kind = ASP_LAW_SLIDING, .mu = 0.3, .direction = {-1}},
                               {.kind = ASP_LAW_EQUALITY}};
  double W[ROWS * ROWS], q[ROWS], z[N];
  AspRandom random = {3};
  for (int i = 0; i < ROWS * ROWS; i++)
    W[i] = asp_random_normal(&random);
  for (int i = 0; i < ROWS; i++)
    q[i] = asp_random_normal(&random);
  for (int i = 0; i < N; i++)
    z[i] = asp_random_uniform(&random, 0, 1);
  AspContactProblem problem = local_problem(context, 2, BLOCKS, laws, W, q);
  AspMixedLcp lcp;
  assert_ok(context, asp_problem_polygon_lcp(context, &problem, false, &lcp));
  assert_int_equal(lcp.n, N);
  assert_int_equal(lcp.free, 1);
  // z = (r_e; p_unilateral, p_coulomb, p_sliding; beta+ beta- of coulomb; beta+ beta- of box; sigma_coulomb, sigma_box)
  const double r[ROWS] = {z[6] - z[7], z[1], z[2], z[4] - z[5], z[3], 0.3 * z[3], z[0]};
  double u[ROWS];
  for (int i = 0; i < ROWS; i++) {
    u[i] = q[i];
    for (int j = 0; j < ROWS; j++)
      u[i] += W[i * ROWS + j] * r[j];
  }
  const double expected[N] = {u[6],
                              u[1],
                              u[2],
                              u[4],
                              u[3] + z[8],
                              -u[3] + z[8],
                              u[0] + z[9],
                              -u[0] + z[9],
                              0.4 * z[2] - z[4] - z[5],
                              0.7 - z[6] - z[7]};
  for (int i = 0; i < N; i++) {
    double sum = lcp.q[i];
    for (int j = 0; j < N; j++)
      sum += lcp.M[j * N + i] * z[j];
    assert_near(sum, expected[i], 1e-14);
  }
  // and the map back
  AspArena arena;
  PolygonLcp polygon;
  double columns[ROWS * ROWS], back[ROWS];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < ROWS; j++)
      columns[j * ROWS + i] = W[i * ROWS + j];
  asp_arena_init(&arena, context);
  assert_ok(context, asp_polygon_lcp_assemble(&arena, &problem, columns, q, false, &polygon));
  asp_polygon_lcp_reactions(&problem, &polygon, z, back);
  for (int i = 0; i < ROWS; i++)
    assert_near(back[i], r[i], 1e-15);
  asp_arena_free(&arena);
  asp_mixed_lcp_destroy(context, &lcp);
  asp_problem_destroy(context, &problem);
}

/* The problem with every joint row written twice; the given one is destroyed. */
static AspContactProblem double_joints(AspContactProblem *problem) {
  AspContactProblem wide;
  int blocks = problem->blocks, rows = problem->rows, entries = problem->H.start[rows];
  size_t dofs = (size_t)problem->dofs, entries_M = (size_t)problem->M.start[dofs];
  assert_ok(context,
            asp_problem_create(context, 3, 2 * blocks, 2 * rows, problem->dofs, (int)entries_M, 2 * entries, 0, &wide));
  memcpy(wide.M.start, problem->M.start, (dofs + 1) * sizeof(int));
  memcpy(wide.M.row, problem->M.row, entries_M * sizeof(int));
  memcpy(wide.M.value, problem->M.value, entries_M * sizeof(double));
  memcpy(wide.f, problem->f, dofs * sizeof(double));
  int block = 0, row = 0, at = 0;
  for (int i = 0; i < blocks; i++)
    for (int copy = 0; copy < (problem->law[i].kind == ASP_LAW_EQUALITY ? 2 : 1); copy++) {
      wide.law[block] = problem->law[i];
      for (int k = problem->offset[i]; k < problem->offset[i + 1]; k++) {
        wide.w[row] = problem->w[k];
        for (int e = problem->H.start[k]; e < problem->H.start[k + 1]; e++) {
          wide.H.row[at] = problem->H.row[e];
          wide.H.value[at++] = problem->H.value[e];
        }
        wide.H.start[++row] = at;
      }
      wide.offset[++block] = row;
    }
  wide.blocks = block;
  wide.rows = wide.H.columns = row;
  asp_problem_destroy(context, problem);
  return wide;
}

/* A jointed problem of the families with polygons and, where wanted, every joint row written twice. */
static AspContactProblem jointed(uint64_t seed, bool twice) {
  AspContactProblem problem;
  assert_ok(context, problem_family_make(context, FAMILY_JOINTED, 6, seed, &problem));
  if (twice)
    problem = double_joints(&problem);
  for (int i = 0; i < problem.blocks; i++) {
    problem.law[i].cone = ASP_CONE_INSCRIBED;
    problem.law[i].directions = 5;
  }
  assert_ok(context, asp_problem_reduce(context, &problem));
  return problem;
}

/* Schur complement of the free block by an own elimination: what `standard` must give. */
static void standard_form_is_the_mixed_one_with_joints_eliminated(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 5; seed++) {
    AspContactProblem problem = jointed(seed, false);
    AspMixedLcp mixed, standard;
    assert_ok(context, asp_problem_polygon_lcp(context, &problem, false, &mixed));
    assert_ok(context, asp_problem_polygon_lcp(context, &problem, true, &standard));
    int n = mixed.n, e = mixed.free;
    assert_true(e > 0 && standard.free == 0 && standard.n == n - e);
    for (int k = 0; k < e; k++) // W_ee is positive definite: no exchanges needed
      for (int i = k + 1; i < n; i++) {
        double factor = mixed.M[k * n + i] / mixed.M[k * n + k];
        for (int j = k; j < n; j++)
          mixed.M[j * n + i] -= factor * mixed.M[j * n + k];
        mixed.q[i] -= factor * mixed.q[k];
      }
    for (int i = 0; i < standard.n; i++) {
      assert_near(standard.q[i], mixed.q[e + i], 1e-11);
      for (int j = 0; j < standard.n; j++)
        assert_near(standard.M[j * standard.n + i], mixed.M[(e + j) * n + e + i], 1e-11);
    }
    asp_mixed_lcp_destroy(context, &mixed);
    asp_mixed_lcp_destroy(context, &standard);
    asp_problem_destroy(context, &problem);
  }
}

static void joints_written_twice_change_nothing_and_share_their_load_equally(void **state) {
  (void)state;
  AspContactProblem once = jointed(2, false), twice = jointed(2, true);
  AspMixedLcp a, b;
  assert_ok(context, asp_problem_polygon_lcp(context, &once, true, &a));
  assert_ok(context, asp_problem_polygon_lcp(context, &twice, true, &b));
  assert_int_equal(a.n, b.n);
  for (int i = 0; i < a.n * a.n; i++)
    assert_near(b.M[i], a.M[i], 1e-11);
  for (int i = 0; i < a.n; i++)
    assert_near(b.q[i], a.q[i], 1e-11);
  // the reactions of any z: the smallest pair (r1, r2) with r1 + r2 given is r1 = r2
  AspArena arena;
  PolygonLcp polygon;
  size_t rows = (size_t)twice.rows;
  double *W = asp_allocate(context, rows * rows, sizeof *W), *r = asp_allocate(context, rows, sizeof *r);
  double *z = asp_allocate(context, (size_t)b.n, sizeof *z);
  for (size_t j = 0; j < rows; j++)
    for (int k = twice.W.start[j]; k < twice.W.start[j + 1]; k++)
      W[j * rows + (size_t)twice.W.row[k]] = twice.W.value[k];
  for (int i = 0; i < b.n; i++)
    z[i] = 0.1 * i;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_polygon_lcp_assemble(&arena, &twice, W, twice.q, true, &polygon));
  assert_int_equal(2 * polygon.equalities.rank, polygon.equalities.count);
  asp_polygon_lcp_reactions(&twice, &polygon, z, r);
  for (int i = 0; i < twice.blocks; i++)
    if (twice.law[i].kind == ASP_LAW_EQUALITY) {
      int width = twice.offset[i + 1] - twice.offset[i];
      for (int k = twice.offset[i]; k < twice.offset[i + 1]; k++)
        assert_near(r[k], r[k + width], 1e-9 * (1 + fabs(r[k])));
      i++;
    }
  asp_arena_free(&arena);
  asp_release(context, W);
  asp_release(context, r);
  asp_release(context, z);
  asp_mixed_lcp_destroy(context, &a);
  asp_mixed_lcp_destroy(context, &b);
  asp_problem_destroy(context, &once);
  asp_problem_destroy(context, &twice);
}

static void what_is_no_lcp_is_refused_with_a_way_out(void **state) {
  (void)state;
  const AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = 0.5, .cone = ASP_CONE_EXACT};
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0};
  AspContactProblem problem = local_problem(context, 3, 1, &law, W, q);
  AspMixedLcp lcp;
  assert_int_equal(asp_problem_polygon_lcp(context, &problem, true, &lcp), ASP_ERROR_UNSUPPORTED);
  assert_string_equal(asp_context_message(context),
                      "block 0: an exact friction cone in 3D is no LCP; choose an inscribed or circumscribed polygon");
  asp_problem_destroy(context, &problem);
  AspContactProblem global;
  assert_ok(context, problem_family_make(context, FAMILY_SMALL, 1, 1, &global));
  assert_int_equal(asp_problem_polygon_lcp(context, &global, true, &lcp), ASP_ERROR_ARGUMENT);
  asp_problem_destroy(context, &global);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  AspContactProblem problem = jointed(1, true);
  long k = 0;
  for (bool failed = true; failed; k++) {
    FailingAllocator failing;
    AspContext *narrow = failing_context(&failing);
    AspMixedLcp lcp;
    failing.until_failure = k;
    AspError error = asp_problem_polygon_lcp(narrow, &problem, true, &lcp);
    failed = error != ASP_OK;
    if (failed)
      assert_int_equal(error, ASP_ERROR_MEMORY);
    asp_mixed_lcp_destroy(narrow, &lcp);
    assert_int_equal(asp_context_memory_in_use(narrow), 0);
    asp_context_destroy(narrow);
  }
  assert_true(k > 3);
  asp_problem_destroy(context, &problem);
}

int main(void) {
#define PROPERTY(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)
  const struct CMUnitTest tests[] = {
      PROPERTY(sphere_gives_the_matrix_of_the_paper),
      PROPERTY(contact_without_friction_has_only_its_normal),
      PROPERTY(directions_are_the_vertices_of_the_polygon),
      PROPERTY(rows_are_the_velocities_and_slacks_of_the_laws),
      PROPERTY(standard_form_is_the_mixed_one_with_joints_eliminated),
      PROPERTY(joints_written_twice_change_nothing_and_share_their_load_equally),
      PROPERTY(what_is_no_lcp_is_refused_with_a_way_out),
      PROPERTY(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
