/* Sweeps shared by ranks (AspRanks): the bits of one rank alone, for any number of them. */
#include "asperity/solver.h"

#include "base/base.h"
#include "problem_families.h"
#include "rank_threads.h"
#include "testing.h"

enum { MOST_RANKS = 8 };

typedef struct Solving {
  const AspContactProblem *problem;
  AspSolverOptions options;
  uint64_t hash[MOST_RANKS];
  AspSolverInfo info[MOST_RANKS];
  RankCounts counts[MOST_RANKS];
  int sweeps[MOST_RANKS]; /* of both solves */
} Solving;

/* Twice, so that what a solver remembers of the first solve counts, too. */
static void solve(RankThreads *threads, AspContext *context, int ranks, int rank, void *user) {
  Solving *solving = user;
  const AspContactProblem *problem = solving->problem;
  AspRanks shared = rank_threads_ranks(threads, rank);
  AspSolver *solver;
  double *r = calloc((size_t)problem->rows, sizeof *r), *x = calloc((size_t)problem->dofs, sizeof *x);
  (void)ranks;
  solving->sweeps[rank] = 0;
  asp_context_set_ranks(context, &shared);
  assert_ok(context, asp_solver_create(context, &solving->options, &solver));
  for (int k = 0; k < 2; k++) {
    assert_ok(context, asp_solver_solve(solver, problem, r, NULL, x, &solving->info[rank]));
    solving->sweeps[rank] += solving->info[rank].iterations;
    for (int i = 0; k == 0 && i < problem->rows; i++)
      r[i] *= 0.75;
  }
  solving->hash[rank] = asp_hash_bytes(ASP_HASH_START, r, (size_t)problem->rows * sizeof *r);
  solving->hash[rank] = asp_hash_bytes(solving->hash[rank], x, (size_t)problem->dofs * sizeof *x);
  solving->counts[rank] = rank_threads_counts(threads, rank);
  asp_solver_destroy(solver);
  free(r);
  free(x);
}

static void answers_are_those_of_one_rank(void **state) {
  const ProblemFamily family[] = {FAMILY_PACKING, FAMILY_PACKING, FAMILY_MIXED_PACKING, FAMILY_WALL};
  const int ranks[] = {1, 2, 3, 5, 8};
  AspContext *context = asp_context_create(NULL);
  (void)state;
  for (int f = 0; f < 4; f++) {
    AspContactProblem problem;
    assert_ok(context, problem_family_make(context, family[f], 9000, 4, &problem));
    Solving solving = {.problem = &problem, .options = asp_solver_default_options()};
    solving.options.method = f == 0 ? ASP_METHOD_AUTO : ASP_METHOD_NSGS;
    solving.options.tolerance = f == 0 ? 1e-3 : 1e-5;
    solving.options.max_iterations = f == 0 ? 0 : 40; // solved or not: bits must agree
    uint64_t first = 0;
    AspSolverInfo alone = {0};
    for (int k = 0; k < 5; k++) {
      rank_threads_run(ranks[k], solve, &solving);
      first = k == 0 ? solving.hash[0] : first;
      alone = k == 0 ? solving.info[0] : alone;
      bool swaps = false;
      for (int rank = 0; rank < ranks[k]; rank++) {
        assert_true(solving.hash[rank] == first);
        assert_int_equal(solving.info[rank].iterations, alone.iterations);
        assert_string_equal(solving.info[rank].path, alone.path);
        assert_memory_equal(&solving.info[rank].residual, &alone.residual, sizeof alone.residual);
        swaps = swaps || solving.counts[rank].swaps > 0;
        // two a pass; velocities afresh, at starts and at most every eighth sweep, are passes, too
        assert_true(solving.counts[rank].swaps <= 2 * (solving.sweeps[rank] + solving.sweeps[rank] / 8 + 16));
      }
      assert_true(swaps == (k > 0)); // work was shared
    }
    asp_problem_destroy(context, &problem);
  }
  asp_context_destroy(context);
}

/* Fewer slabs than ranks, and too few contacts to share any. */
static void ranks_without_work_go_along(void **state) {
  AspContext *context = asp_context_create(NULL);
  const int size[] = {300, 3000};
  (void)state;
  for (int s = 0; s < 2; s++) {
    AspContactProblem problem;
    assert_ok(context, problem_family_make(context, FAMILY_PACKING, size[s], 4, &problem));
    Solving solving = {.problem = &problem, .options = asp_solver_default_options()};
    solving.options.tolerance = 1e-4;
    rank_threads_run(1, solve, &solving);
    uint64_t alone = solving.hash[0];
    rank_threads_run(MOST_RANKS, solve, &solving);
    for (int rank = 0; rank < MOST_RANKS; rank++)
      assert_true(solving.hash[rank] == alone);
    asp_problem_destroy(context, &problem);
  }
  asp_context_destroy(context);
}

/* ---- a callback that fails ---- */

static AspError fails(void *user, int to, const void *out, size_t out_bytes, int from, void *in, size_t in_bytes) {
  (void)user, (void)to, (void)out, (void)out_bytes, (void)from, (void)in, (void)in_bytes;
  return ASP_ERROR_INTERNAL;
}

static AspError gathers(void *user, void *all, const size_t *bytes) {
  (void)user, (void)all, (void)bytes;
  return ASP_OK;
}

static void an_exchange_that_fails_ends_the_solve(void **state) {
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem;
  AspRanks broken = {.ranks = 2, .rank = 0, .gather = gathers, .swap = fails};
  AspSolver *solver;
  AspSolverInfo info;
  (void)state;
  assert_ok(context, problem_family_make(context, FAMILY_PACKING, 6000, 4, &problem));
  double *r = calloc((size_t)problem.rows, sizeof *r);
  asp_context_set_ranks(context, &broken);
  assert_ok(context, asp_solver_create(context, NULL, &solver));
  assert_int_equal(asp_solver_solve(solver, &problem, r, NULL, NULL, &info), ASP_ERROR_INTERNAL);
  asp_context_set_ranks(context, NULL);
  assert_ok(context, asp_solver_solve(solver, &problem, r, NULL, NULL, &info));
  asp_solver_destroy(solver);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
  free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_those_of_one_rank),
      cmocka_unit_test(ranks_without_work_go_along),
      cmocka_unit_test(an_exchange_that_fails_ends_the_solve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
