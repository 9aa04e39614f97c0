/* problem: memory, copies, and a validation that names block and value. */
#include "building.h"
#include "failing_allocator.h"

static AspContactProblem sample(AspContext *context) {
  const AspLaw laws[3] = {{.kind = ASP_LAW_COULOMB, .mu = 0.5},
                          {.kind = ASP_LAW_SLIDING, .mu = 0.2, .direction = {0, 1}},
                          {.kind = ASP_LAW_BOX, .limit = 2}};
  double M[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3}, H[28], f[4] = {1, 2, 3, 4}, w[7] = {0};
  for (int k = 0; k < 28; k++)
    H[k] = k % 3;
  return global_problem(context, 3, 3, laws, 4, M, H, f, w);
}

static void laws_have_names(void **state) {
  (void)state;
  assert_string_equal(asp_law_kind_name(ASP_LAW_COULOMB), "coulomb");
  assert_string_equal(asp_law_kind_name(ASP_LAW_BOX), "box");
  assert_string_equal(asp_law_kind_name((AspLawKind)99), "unknown law");
}

static void assert_same_matrix(const AspSparse *A, const AspSparse *B) {
  assert_int_equal(A->rows, B->rows);
  assert_int_equal(A->columns, B->columns);
  if (A->columns == 0)
    return;
  assert_memory_equal(A->start, B->start, (size_t)(A->columns + 1) * sizeof(int));
  assert_memory_equal(A->row, B->row, (size_t)A->start[A->columns] * sizeof(int));
  assert_memory_equal(A->value, B->value, (size_t)A->start[A->columns] * sizeof(double));
}

static void a_copy_is_equal_and_independent(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem = sample(context), copy;
  assert_ok(context, asp_problem_reduce(context, &problem));
  assert_ok(context, asp_problem_copy(context, &problem, &copy));
  assert_ok(context, asp_problem_validate(context, &copy));
  assert_same_matrix(&problem.M, &copy.M);
  assert_same_matrix(&problem.H, &copy.H);
  assert_same_matrix(&problem.W, &copy.W);
  assert_memory_equal(problem.f, copy.f, 4 * sizeof(double));
  assert_memory_equal(problem.w, copy.w, 7 * sizeof(double));
  assert_memory_equal(problem.q, copy.q, 7 * sizeof(double));
  assert_memory_equal(problem.offset, copy.offset, 4 * sizeof(int));
  assert_true(copy.law[1].direction[1] == 1 && copy.law[2].limit == 2);
  asp_problem_destroy(context, &problem);
  assert_true(copy.f[3] == 4 && copy.W.columns == 7);
  asp_problem_destroy(context, &copy);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void impossible_sizes_are_refused(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem;
  assert_int_equal(asp_problem_create(context, 4, 1, 3, 0, 0, 0, 9, &problem), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_problem_create(context, 3, -1, 3, 0, 0, 0, 9, &problem), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_problem_create(context, 3, 1, 3, 0, 0, 0, -9, &problem), ASP_ERROR_ARGUMENT);
  assert_ok(context, asp_problem_create(context, 3, 0, 0, 0, 0, 0, 0, &problem));
  assert_ok(context, asp_problem_validate(context, &problem));
  assert_int_equal(asp_problem_reduce(context, &problem), ASP_ERROR_ARGUMENT);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

/* Breaks the sample in one place and asks for a message that contains the text. */
#define assert_refused(statement, text)                                                                                \
  do {                                                                                                                 \
    AspContactProblem p = sample(context);                                                                             \
    assert_ok(context, asp_problem_validate(context, &p));                                                             \
    statement;                                                                                                         \
    assert_int_equal(asp_problem_validate(context, &p), ASP_ERROR_INPUT);                                              \
    if (!strstr(asp_context_message(context), text))                                                                   \
      fail_msg("'%s' does not contain '%s'", asp_context_message(context), text);                                      \
    asp_problem_destroy(context, &p);                                                                                  \
  } while (0)

static void validation_names_what_is_wrong(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  assert_refused(p.dimension = 1, "dimension 1");
  assert_refused(p.law[0].mu = -0.1, "block 0: mu -0.1");
  assert_refused(p.law[0].mu = NAN, "block 0: mu nan");
  assert_refused(p.law[1].mu = INFINITY, "block 1: mu inf");
  assert_refused(p.law[1].direction[0] = 1, "block 1: slip direction of length 1.41421356237");
  assert_refused(p.law[2].limit = -2, "block 2: limit -2");
  assert_refused(p.law[2].kind = ASP_LAW_COULOMB, "block 2: 1 rows for the law coulomb, needs 3");
  assert_refused(p.law[0].kind = ASP_LAW_UNILATERAL, "block 0: 3 rows for the law unilateral, needs 1");
  assert_refused(p.law[0].kind = (AspLawKind)17, "block 0: law 17");
  assert_refused(p.law[0].cone = (AspConeKind)5, "block 0: cone 5");
  assert_refused((p.law[0].cone = ASP_CONE_INSCRIBED, p.law[0].directions = 2), "directions 2 of an inscribed polygon");
  assert_refused((p.law[0].cone = ASP_CONE_CIRCUMSCRIBED, p.law[0].directions = 5), "directions 5 of a circumscribed");
  assert_refused((p.law[0].cone = ASP_CONE_INSCRIBED, p.law[0].directions = 4, p.law[0].angle = NAN), "angle nan");
  assert_refused(p.offset[3] = 8, "offsets run from 0 to 8, must run from 0 to rows = 7");
  assert_refused(p.offset[1] = 6, "block 0: 6 rows for the law coulomb");
  assert_refused(p.f[2] = NAN, "f[2] is nan");
  assert_refused(p.w[6] = -INFINITY, "w[6] is -inf");
  assert_refused(p.M.value[1] = NAN, "M: entry (1, 1) is nan");
  assert_refused(p.M.rows = 5, "M is 5 x 4, must be 4 x 4");
  assert_refused(p.H.row[0] = 4, "H: row 4 in column 0 is outside 0 .. 3");
  assert_refused(p.H.row[1] = p.H.row[0], "rows must ascend");
  assert_refused(p.H.start[2] = 0, "H: column 1 ends at 0 before it starts");
  assert_refused(p.H.start[0] = 1, "H: column starts");
  asp_context_destroy(context);
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
  AspContactProblem problem = sample(context);
  long before = failing.live;
  for (int what = 0; what < 3; what++) {
    int failures = 0;
    for (long k = 0;; k++) {
      AspContactProblem other = {0};
      failing.until_failure = k;
      AspError error = what == 0   ? asp_problem_copy(context, &problem, &other)
                       : what == 1 ? asp_problem_create(context, 3, 3, 7, 4, 16, 28, 49, &other)
                                   : asp_problem_reduce(context, &problem);
      asp_problem_destroy(context, &other);
      assert_int_equal(failing.live, before + (what == 2 && error == ASP_OK ? 4 : 0));
      if (error == ASP_OK)
        break;
      assert_int_equal(error, ASP_ERROR_MEMORY);
      failures++;
    }
    assert_true(failures >= 4);
  }
  failing.until_failure = -1;
  asp_problem_destroy(context, &problem);
  assert_int_equal(failing.live, 1); // the context itself
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_have_names),
      cmocka_unit_test(a_copy_is_equal_and_independent),
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(validation_names_what_is_wrong),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
