/* Bodies: what a diagonal M has torn apart is joined, M stays block diagonal, bodies far apart stay apart. */
#include "building.h"
#include "problem/bodies.h"
#include "problem_families.h"

#include "base/base.h"

static void no_entry_of_M_leaves_its_body(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  for (int family = 0; family < FAMILY_COUNT; family++) {
    AspContactProblem problem;
    AspArena arena;
    AspComponents bodies;
    AspContactGraph graph;
    asp_arena_init(&arena, context);
    assert_ok(context, problem_family_make(context, (ProblemFamily)family, 60, 3, &problem));
    assert_ok(context, asp_bodies_find(&arena, &problem, &bodies, &graph));
    for (int j = 0; j < problem.dofs; j++)
      for (int k = problem.M.start[j]; k < problem.M.start[j + 1]; k++)
        assert_int_equal(bodies.of[problem.M.row[k]], bodies.of[j]);
    int members = 0;
    for (int b = 0; b < bodies.count; b++)
      for (int k = bodies.start[b]; k < bodies.start[b + 1]; k++, members++)
        assert_int_equal(bodies.of[bodies.member[k]], b);
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
  AspComponents bodies;
  AspContactGraph graph;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_bodies_find(&arena, &problem, &bodies, &graph));
  assert_int_equal(bodies.count, 3);
  for (int j = 0; j < 18; j++)
    assert_int_equal(bodies.of[j], j / 6);
  const int component_start[3] = {0, 1, 3}, block_start[4] = {0, 1, 2, 3}, block[3] = {0, 1, 1};
  assert_memory_equal(graph.component_start, component_start, sizeof component_start);
  assert_memory_equal(graph.block_start, block_start, sizeof block_start);
  assert_memory_equal(graph.block, block, sizeof block);
  asp_arena_free(&arena);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_entry_of_M_leaves_its_body),
      cmocka_unit_test(six_dofs_of_a_diagonal_mass_are_one_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
