/* reduce: W = H^T M^-1 H and q against dense linear algebra, for rigid bodies and for coupled masses. */
#include "building.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"

typedef enum MassKind { RIGID, UNSYMMETRIC, SCATTERED, CHAIN } MassKind;

/* M, row by row: 6x6 blocks per body; SCATTERED spreads each body's dofs over the whole vector; CHAIN couples all. */
static void random_mass(AspRandom *random, MassKind kind, int bodies, double *M) {
  int n = 6 * bodies;
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  for (int b = 0; b < bodies; b++) {
    double B[36];
    for (int k = 0; k < 36; k++)
      B[k] = 0.3 * asp_random_normal(random);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        double value = i == j ? 1 : 0;
        for (int k = 0; k < 6; k++)
          value += B[6 * i + k] * B[6 * j + k];
        if (kind == UNSYMMETRIC)
          value += 1e-2 * (i - j);
        int row = kind == SCATTERED ? i * bodies + b : 6 * b + i,
            column = kind == SCATTERED ? j * bodies + b : 6 * b + j;
        M[row * n + column] = value;
      }
  }
  for (int i = 0; kind == CHAIN && i + 6 < n; i++) {
    M[i * n + i] += 2;
    M[(i + 6) * n + i + 6] += 2;
    M[i * n + i + 6] = M[(i + 6) * n + i] = -1;
  }
}

/* Contacts between random pairs of bodies, or of a body with the ground. */
static AspContactProblem random_problem(AspContext *context, MassKind kind, int bodies, int contacts, uint64_t seed) {
  AspRandom random = {seed};
  int n = 6 * bodies, blocks = contacts + 2, rows = 3 * contacts + 2;
  double *M = calloc((size_t)(n * n), sizeof *M), *H = calloc((size_t)(n * rows), sizeof *H);
  double *f = calloc((size_t)n, sizeof *f), *w = calloc((size_t)rows, sizeof *w);
  AspLaw *laws = calloc((size_t)blocks, sizeof *laws);
  random_mass(&random, kind, bodies, M);
  for (int i = 0, row = 0; i < blocks; i++) {
    laws[i] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.5};
    if (i >= contacts)
      laws[i] = (AspLaw){.kind = i == contacts ? ASP_LAW_BOX : ASP_LAW_UNILATERAL, .limit = 1};
    int a = (int)asp_random_uniform(&random, -1, bodies), b = (int)asp_random_uniform(&random, 0, bodies);
    for (int l = 0; l < rows_of_law(&laws[i], 3); l++, row++)
      for (int k = 0; k < 6; k++)
        for (int side = 0; side < 2; side++) {
          int body = side ? a : b;
          int dof = kind == SCATTERED ? k * bodies + body : 6 * body + k;
          if (body >= 0)
            H[dof * rows + row] = asp_random_normal(&random);
        }
  }
  for (int i = 0; i < n; i++)
    f[i] = asp_random_normal(&random);
  for (int j = 0; j < rows; j++)
    w[j] = asp_random_normal(&random);
  AspContactProblem problem = global_problem(context, 3, blocks, laws, n, M, H, f, w);
  free(M), free(H), free(f), free(w), free(laws);
  return problem;
}

/* column-major */
static double *dense_of(const AspSparse *A) {
  double *dense = calloc((size_t)A->rows * (size_t)A->columns + 1, sizeof *dense);
  for (int j = 0; j < A->columns; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
      dense[A->row[k] + A->rows * j] = A->value[k];
  return dense;
}

static void assert_reduction_is_right(const AspContactProblem *p) {
  int n = p->dofs, rows = p->rows;
  double *M = dense_of(&p->M), *H = dense_of(&p->H), *Z = dense_of(&p->H), *W = dense_of(&p->W);
  double *x = calloc((size_t)n, sizeof *x);
  int *pivot = calloc((size_t)n, sizeof *pivot);
  memcpy(x, p->f, (size_t)n * sizeof *x);
  assert_int_equal(asp_dense_lu(n, M, n, pivot), -1);
  asp_dense_lu_solve(n, M, n, pivot, rows, Z, n);
  asp_dense_lu_solve(n, M, n, pivot, 1, x, n);
  for (int i = 0; i < rows; i++) {
    double q = p->w[i];
    for (int k = 0; k < n; k++)
      q += H[k + n * i] * x[k];
    assert_near(p->q[i], q, 1e-12);
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += H[k + n * i] * Z[k + n * j];
      assert_near(W[i + rows * j], sum, 1e-12);
    }
  }
  free(M), free(H), free(Z), free(W), free(x), free(pivot);
}

static void reduction_equals_dense_algebra_for_every_kind_of_mass(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const MassKind kinds[] = {RIGID, UNSYMMETRIC, SCATTERED, CHAIN};
  for (int k = 0; k < 4; k++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      AspContactProblem problem = random_problem(context, kinds[k], 7, 12, seed);
      assert_ok(context, asp_problem_reduce(context, &problem));
      assert_ok(context, asp_problem_validate(context, &problem));
      assert_reduction_is_right(&problem);
      assert_ok(context, asp_problem_reduce(context, &problem)); // again: replaces what is there
      assert_reduction_is_right(&problem);
      asp_problem_destroy(context, &problem);
    }
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void W_has_blocks_only_where_contacts_share_a_body(void **state) {
  (void)state;
  // three bodies in a row, contacts ground-0, 0-1, 1-2: a block tridiagonal W
  AspContext *context = asp_context_create(NULL);
  AspLaw laws[3] = {{.kind = ASP_LAW_UNILATERAL}, {.kind = ASP_LAW_UNILATERAL}, {.kind = ASP_LAW_UNILATERAL}};
  const double M[9] = {2, 0, 0, 0, 4, 0, 0, 0, 8}, H[9] = {1, -1, 0, 0, 1, -1, 0, 0, 1}, f[3] = {0}, w[3] = {0};
  AspContactProblem problem = global_problem(context, 3, 3, laws, 3, M, H, f, w);
  assert_ok(context, asp_problem_reduce(context, &problem));
  const int start[4] = {0, 2, 5, 7}, row[7] = {0, 1, 0, 1, 2, 1, 2};
  const double value[7] = {0.5, -0.5, -0.5, 0.75, -0.25, -0.25, 0.375};
  assert_memory_equal(problem.W.start, start, sizeof start);
  assert_memory_equal(problem.W.row, row, sizeof row);
  assert_memory_equal(problem.W.value, value, sizeof value);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

static void a_joint_block_may_have_many_rows(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem = random_problem(context, RIGID, 3, 4, 9);
  // the first two contacts become one joint of 6 rows
  problem.law[0] = (AspLaw){.kind = ASP_LAW_EQUALITY};
  for (int i = 1; i + 1 < problem.blocks; i++) {
    problem.law[i] = problem.law[i + 1];
    problem.offset[i] = problem.offset[i + 1];
  }
  problem.blocks--;
  problem.offset[problem.blocks] = problem.rows;
  assert_ok(context, asp_problem_reduce(context, &problem));
  assert_reduction_is_right(&problem);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

static void problems_without_contacts_or_with_idle_rows_reduce(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const double M[4] = {1, 0, 0, 1}, f[2] = {1, 2}, H[2] = {0, 0}, w[1] = {5};
  AspContactProblem none = global_problem(context, 3, 0, NULL, 2, M, NULL, f, NULL);
  assert_ok(context, asp_problem_reduce(context, &none));
  AspLaw law = {.kind = ASP_LAW_UNILATERAL};
  AspContactProblem idle = global_problem(context, 3, 1, &law, 2, M, H, f, w);
  assert_ok(context, asp_problem_reduce(context, &idle));
  assert_true(idle.q[0] == 5 && idle.W.columns == 1 && idle.W.value[0] == 0);
  asp_problem_destroy(context, &none);
  asp_problem_destroy(context, &idle);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduction_equals_dense_algebra_for_every_kind_of_mass),
      cmocka_unit_test(W_has_blocks_only_where_contacts_share_a_body),
      cmocka_unit_test(a_joint_block_may_have_many_rows),
      cmocka_unit_test(problems_without_contacts_or_with_idle_rows_reduce),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
