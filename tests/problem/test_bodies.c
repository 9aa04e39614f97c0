/* Bodies: what a diagonal M has torn apart is joined, M stays block diagonal, bodies far apart stay apart; those that
 * come with a problem are copied, checked and used. */
#include "building.h"
#include "failing_allocator.h"
#include "problem/bodies.h"
#include "problem_families.h"

#include "base/base.h"

static void no_entry_of_M_leaves_its_body(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  for (int family = 0; family < FAMILY_COUNT; family++) {
    AspContactProblem problem;
    AspArena arena;
    AspProblemBodies bodies;
    asp_arena_init(&arena, context);
    assert_ok(context, problem_family_make(context, (ProblemFamily)family, 60, 3, &problem));
    assert_ok(context, asp_bodies_find(&arena, &problem, &bodies));
    for (int j = 0; j < problem.dofs; j++)
      for (int k = problem.M.start[j]; k < problem.M.start[j + 1]; k++)
        assert_int_equal(bodies.of[problem.M.row[k]], bodies.of[j]);
    int members = 0;
    for (int b = 0; b < bodies.count; b++)
      for (int k = bodies.start[b]; k < bodies.start[b + 1]; k++, members++)
        assert_int_equal(bodies.of[bodies.dof[k]], b);
    assert_int_equal(members, problem.dofs);
    asp_problem_destroy(context, &problem);
    asp_arena_free(&arena);
  }
  asp_context_destroy(context);
}

static void six_dofs_of_a_diagonal_mass_are_one_body(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspLaw laws[2] = {{.kind = ASP_LAW_COULOMB, .mu = 0.5}, {.kind = ASP_LAW_COULOMB, .mu = 0.5}};
  double M[18 * 18] = {0}, H[18 * 6] = {0}, f[18] = {0}, w[6] = {0};
  for (int i = 0; i < 18; i++)
    M[19 * i] = 1;
  // contact 0: body 0 on the ground, no torque about its normal; contact 1: bodies 1 and 2
  for (int k = 0; k < 18; k++)
    for (int l = 0; l < 3 && k != 5; l++)
      H[6 * k + l + (k < 6 ? 0 : 3)] = 1 + k + l;
  AspContactProblem problem = global_problem(context, 3, 2, laws, 18, M, H, f, w);
  AspArena arena;
  AspProblemBodies bodies;
  AspBodyBlocks blocks;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_bodies_find(&arena, &problem, &bodies));
  assert_int_equal(bodies.count, 3);
  for (int j = 0; j < 18; j++)
    assert_int_equal(bodies.of[j], j / 6);
  assert_ok(context, asp_body_blocks(&arena, &bodies, 2, &blocks));
  const int by_block[3] = {0, 1, 3}, block_start[4] = {0, 1, 2, 3}, block[3] = {0, 1, 1};
  assert_memory_equal(bodies.block_start, by_block, sizeof by_block);
  assert_memory_equal(blocks.start, block_start, sizeof block_start);
  assert_memory_equal(blocks.block, block, sizeof block);
  asp_arena_free(&arena);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

/* Three bodies with whole blocks of M, two contacts: body 0 on the ground, bodies 1 and 2. */
static AspContactProblem three_bodies(AspContext *context) {
  AspLaw laws[2] = {{.kind = ASP_LAW_COULOMB, .mu = 0.5}, {.kind = ASP_LAW_COULOMB, .mu = 0.5}};
  double M[18 * 18] = {0}, H[18 * 6] = {0}, f[18] = {0}, w[6] = {0};
  for (int i = 0; i < 18; i++)
    for (int j = 0; j < 18; j++)
      M[18 * i + j] = i == j ? 2 : i / 6 == j / 6 ? 0.1 : 0;
  for (int k = 0; k < 18; k++)
    for (int l = 0; l < 3; l++)
      H[6 * k + l + (k < 6 ? 0 : 3)] = 1 + k + l;
  return global_problem(context, 3, 2, laws, 18, M, H, f, w);
}

static void bodies_that_are_given_and_found_agree(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem = three_bodies(context), copy;
  assert_int_equal(problem.bodies.count, 0);
  assert_ok(context, asp_problem_set_bodies(context, &problem, NULL));
  assert_int_equal(problem.bodies.count, 3);
  assert_ok(context, asp_problem_validate(context, &problem));
  assert_ok(context, asp_problem_set_bodies(context, &problem, &problem.bodies)); // its own: copied before released
  assert_ok(context, asp_problem_copy(context, &problem, &copy));
  assert_int_equal(copy.bodies.count, 3);
  assert_ptr_not_equal(copy.bodies.dof, problem.bodies.dof);
  assert_memory_equal(copy.bodies.start, problem.bodies.start, 4 * sizeof(int));
  assert_memory_equal(copy.bodies.dof, problem.bodies.dof, 18 * sizeof(int));
  assert_memory_equal(copy.bodies.of, problem.bodies.of, 18 * sizeof(int));
  assert_memory_equal(copy.bodies.block_start, problem.bodies.block_start, 3 * sizeof(int));
  assert_memory_equal(copy.bodies.of_block, problem.bodies.of_block, 3 * sizeof(int));
  asp_problem_destroy(context, &copy);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

static void residuals_do_not_depend_on_who_knows_the_bodies(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  for (int family = 0; family < FAMILY_COUNT; family++) {
    AspContactProblem problem;
    assert_ok(context, problem_family_make(context, (ProblemFamily)family, 60, 3, &problem));
    double *r = calloc((size_t)problem.rows + 1, sizeof *r);
    assert_non_null(r);
    for (int j = 0; j < problem.rows; j++)
      r[j] = 1 + j % 7;
    AspResidual found = judged(context, &problem, r, NULL, NULL);
    if (problem.dofs > 0)
      assert_ok(context, asp_problem_set_bodies(context, &problem, NULL));
    AspResidual given = judged(context, &problem, r, NULL, NULL);
    assert_memory_equal(&found, &given, sizeof found);
    free(r);
    asp_problem_destroy(context, &problem);
  }
  asp_context_destroy(context);
}

/* What is wrong is named, by the check and by the judge. */
static void expect_refusal(AspContext *context, const AspContactProblem *problem, const char *named) {
  AspJudge *judge;
  assert_int_equal(asp_problem_validate(context, problem), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), named));
  assert_ok(context, asp_judge_create(context, &judge));
  assert_int_equal(asp_judge_reset(judge, problem), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), named));
  asp_judge_destroy(judge);
}

static void wrong_bodies_are_named(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem = three_bodies(context);
  assert_ok(context, asp_problem_set_bodies(context, &problem, NULL));
  AspProblemBodies *bodies = &problem.bodies;
  bodies->of_block[2] = 3;
  expect_refusal(context, &problem, "block 1: body 3");
  bodies->of_block[2] = 2;
  bodies->of_block[0] = 1;
  expect_refusal(context, &problem, "block 0: H has an entry at dof 0 of body 0");
  bodies->of_block[0] = 0;
  bodies->start[1] = 5;
  expect_refusal(context, &problem, "body 1: dof 5");
  bodies->of[5] = 1;
  expect_refusal(context, &problem, "M couples dof 4 of body 0 with dof 5 of body 1");
  bodies->start[1] = 6;
  bodies->of[5] = 0;
  bodies->dof[17] = 18;
  expect_refusal(context, &problem, "body 2: dof 18");
  bodies->dof[17] = 17;
  bodies->start[3] = 17;
  expect_refusal(context, &problem, "from 0 to 17");
  bodies->start[3] = 18;
  bodies->block_start[1] = 4;
  expect_refusal(context, &problem, "block 1: a negative number of bodies, -1");
  bodies->block_start[1] = 1;
  bodies->count = 19;
  expect_refusal(context, &problem, "19 bodies of 18 dofs");
  bodies->count = -1;
  expect_refusal(context, &problem, "-1 bodies");
  bodies->count = 3;
  assert_ok(context, asp_problem_validate(context, &problem));
  int *of = bodies->of;
  bodies->of = NULL;
  expect_refusal(context, &problem, "arrays are missing");
  bodies->of = of;
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

static void failing_allocations_leave_the_bodies_as_they_were(void **state) {
  (void)state;
  AspContext *roomy = asp_context_create(NULL);
  AspContactProblem problem = three_bodies(roomy);
  for (int k = 0;; k++) {
    FailingAllocator failing;
    AspContext *narrow = failing_context(&failing);
    AspContactProblem copy;
    assert_ok(narrow, asp_problem_copy(narrow, &problem, &copy));
    failing.until_failure = k;
    AspError error = asp_problem_set_bodies(narrow, &copy, NULL);
    failing.until_failure = -1;
    assert_true(error == ASP_OK || (error == ASP_ERROR_MEMORY && copy.bodies.count == 0 && !copy.bodies.start));
    asp_problem_destroy(narrow, &copy);
    asp_context_destroy(narrow);
    assert_int_equal(failing.live, 0);
    if (error == ASP_OK)
      break;
  }
  asp_problem_destroy(roomy, &problem);
  asp_context_destroy(roomy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_entry_of_M_leaves_its_body),
      cmocka_unit_test(six_dofs_of_a_diagonal_mass_are_one_body),
      cmocka_unit_test(bodies_that_are_given_and_found_agree),
      cmocka_unit_test(residuals_do_not_depend_on_who_knows_the_bodies),
      cmocka_unit_test(wrong_bodies_are_named),
      cmocka_unit_test(failing_allocations_leave_the_bodies_as_they_were),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
