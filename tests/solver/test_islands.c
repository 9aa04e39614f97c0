/* Independent parts: the parts are right, and their union solves the whole. */
#include "context_in_state.h"
#include "exact_testing.h"

#include "solver/islands.h"

/* Append problem `b` to `a` as one problem without coupling, blocks interleaved by parity where there are enough. */
static void place_side_by_side(AspContext *context, const AspContactProblem *a, const AspContactProblem *b,
                               AspContactProblem *both) {
  int entries_M = a->M.start[a->dofs] + b->M.start[b->dofs], entries_H = a->H.start[a->rows] + b->H.start[b->rows];
  assert_ok(context, asp_problem_create(context, 3, a->blocks + b->blocks, a->rows + b->rows, a->dofs + b->dofs,
                                        entries_M, entries_H, 0, both));
  int block = 0, column = 0, at = 0;
  for (int i = 0; i < a->blocks || i < b->blocks; i++)
    for (int side = 0; side < 2; side++) {
      const AspContactProblem *from = side ? b : a;
      if (i >= from->blocks)
        continue;
      both->law[block] = from->law[i];
      for (int j = from->offset[i]; j < from->offset[i + 1]; j++) {
        for (int k = from->H.start[j]; k < from->H.start[j + 1]; k++) {
          both->H.row[at] = from->H.row[k] + (side ? a->dofs : 0);
          both->H.value[at++] = from->H.value[k];
        }
        both->w[column] = from->w[j];
        both->H.start[++column] = at;
      }
      both->offset[++block] = column;
    }
  at = 0;
  for (int j = 0; j < both->dofs; j++) {
    const AspContactProblem *from = j < a->dofs ? a : b;
    int own = j < a->dofs ? j : j - a->dofs, shift = j - own;
    both->f[j] = from->f[own];
    for (int k = from->M.start[own]; k < from->M.start[own + 1]; k++) {
      both->M.row[at] = from->M.row[k] + shift;
      both->M.value[at++] = from->M.value[k];
    }
    both->M.start[j + 1] = at;
  }
}

static void make_pair(AspContext *context, Trial *a, Trial *b, Trial *both) {
  trial_make(a, context, FAMILY_TOWER, 60, 1);
  trial_make(b, context, FAMILY_PACKING, 60, 2);
  *both = (Trial){.context = context};
  place_side_by_side(context, &a->problem, &b->problem, &both->problem);
  both->r = calloc((size_t)both->problem.rows, sizeof *both->r);
  both->u = calloc((size_t)both->problem.rows, sizeof *both->u);
  assert_non_null(both->r);
  assert_non_null(both->u);
}

static void blocks_that_share_a_body_are_in_one_island(void **state) {
  AspContext *context = *state;
  Trial a, b, both;
  AspArena arena;
  AspIslands islands;
  make_pair(context, &a, &b, &both);
  asp_arena_init(&arena, context);
  assert_ok(context, asp_islands_find(&arena, &both.problem, NULL, &islands));
  assert_true(islands.count >= 2);
  int *owner = malloc((size_t)both.problem.dofs * sizeof *owner);
  assert_non_null(owner);
  for (int j = 0; j < both.problem.dofs; j++)
    owner[j] = -1;
  for (int i = 0; i < both.problem.blocks; i++)
    for (int k = both.problem.H.start[both.problem.offset[i]]; k < both.problem.H.start[both.problem.offset[i + 1]];
         k++) {
      int body = both.problem.H.row[k] / 6;
      assert_true(owner[body] < 0 || owner[body] == islands.of_block[i]);
      owner[body] = islands.of_block[i];
    }
  assert_int_equal(islands.start[islands.count], both.problem.blocks);
  free(owner);
  asp_arena_free(&arena);
  trial_free(&a);
  trial_free(&b);
  trial_free(&both);
}

/* u of the parts under any reaction is u of the whole there, in global and in local form. */
static void a_part_moves_as_it_does_in_the_whole(void **state) {
  AspContext *context = *state;
  for (int local = 0; local < 2; local++) {
    Trial a, b, both;
    AspArena arena;
    AspIslands islands;
    AspJudge *judge;
    AspResidual residual;
    AspRandom random = {5};
    make_pair(context, &a, &b, &both);
    if (local) {
      assert_ok(context, asp_problem_reduce(context, &both.problem));
      both.problem.dofs = 0; // the local form alone
    }
    for (int j = 0; j < both.problem.rows; j++)
      both.r[j] = asp_random_normal(&random);
    asp_arena_init(&arena, context);
    assert_ok(context, asp_judge_create(context, &judge));
    assert_ok(context, asp_judge_reset(judge, &both.problem));
    assert_ok(context, asp_judge_residual(judge, both.r, &residual, both.u, NULL));
    assert_ok(context, asp_islands_find(&arena, &both.problem, NULL, &islands));
    for (int k = 0; k < islands.count; k++) {
      AspContactProblem part;
      int *row;
      double r[1024], u[1024];
      assert_ok(context, asp_island_extract(&arena, &both.problem, &islands, k, &part, &row));
      assert_true(part.rows <= 1024);
      assert_true(local == (part.bodies.count == 0)); // a part keeps its bodies
      assert_ok(context, asp_problem_validate(context, &part));
      for (int j = 0; j < part.rows; j++)
        r[j] = both.r[row[j]];
      assert_ok(context, asp_judge_reset(judge, &part));
      assert_ok(context, asp_judge_residual(judge, r, &residual, u, NULL));
      for (int j = 0; j < part.rows; j++)
        assert_near(u[j], both.u[row[j]], 1e-9 * (1 + fabs(both.u[row[j]])));
    }
    asp_judge_destroy(judge);
    asp_arena_free(&arena);
    trial_free(&a);
    trial_free(&b);
    trial_free(&both);
  }
}

static void the_union_of_the_parts_solves_the_whole(void **state) {
  AspContext *context = *state;
  Trial a, b, both;
  make_pair(context, &a, &b, &both);
  trial_solve(&both, ASP_METHOD_AUTO, 1e-8, 0);
  assert_honest(&both, 1e-8);
  assert_int_equal(both.info.status, ASP_STATUS_SOLVED);
  assert_non_null(strstr(both.info.path, "islands"));
  trial_free(&a);
  trial_free(&b);
  trial_free(&both);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_that_share_a_body_are_in_one_island),
      cmocka_unit_test(a_part_moves_as_it_does_in_the_whole),
      cmocka_unit_test(the_union_of_the_parts_solves_the_whole),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
