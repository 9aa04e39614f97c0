/* Gauss-Seidel by cells: equal bits for any number of ranks, answers that stand before the judge of the whole. */
#include "asperity/solver.h"

#include "base/base.h"
#include "plate_problem.h"
#include "problem_families.h"
#include "rank_threads.h"
#include "testing.h"

enum { MOST_RANKS = 8 };

typedef struct Solving {
  AspContext *context;
  AspContactProblem problem;
  AspCellPlan plan;
  int *weight; /* cells */
  double *r;   /* rows: the start, then the answer of all ranks */
  AspPartsOptions options;
  AspPartsInfo info[MOST_RANKS];
  RankCounts counts[MOST_RANKS];
  AspError error[MOST_RANKS];
  char message[512];
} Solving;

static void start(Solving *solving, int bodies_per_cell) {
  solving->options = asp_parts_default_options();
  assert_ok(solving->context,
            asp_cell_plan_create(solving->context, &solving->problem, bodies_per_cell, &solving->plan));
  solving->weight = calloc((size_t)solving->plan.cells, sizeof *solving->weight);
  solving->r = calloc((size_t)solving->problem.rows, sizeof *solving->r);
  for (int i = 0; i < solving->problem.blocks; i++)
    solving->weight[solving->plan.cell_of_block[i]]++;
}

static void make(Solving *solving, ProblemFamily family, int size, int bodies_per_cell) {
  *solving = (Solving){.context = asp_context_create(NULL)};
  assert_ok(solving->context, problem_family_make(solving->context, family, size, 4, &solving->problem));
  start(solving, bodies_per_cell);
}

static void finish(Solving *solving) {
  free(solving->weight);
  free(solving->r);
  asp_cell_plan_destroy(solving->context, &solving->plan);
  asp_problem_destroy(solving->context, &solving->problem);
  asp_context_destroy(solving->context);
}

/* Rows of the cells from those of the whole, or back. */
static void move_rows(const Solving *solving, const AspPartition *partition, double *const *r, bool back) {
  for (int c = 0; c < partition->cells; c++) {
    const AspCell *cell = &partition->cell[c];
    for (int i = 0; i < cell->problem.blocks; i++) {
      double *own = r[c] + cell->problem.offset[i], *whole = solving->r + solving->problem.offset[cell->block[i]];
      size_t bytes = (size_t)(cell->problem.offset[i + 1] - cell->problem.offset[i]) * sizeof *own;
      memcpy(back ? whole : own, back ? own : whole, bytes);
    }
  }
}

static void solve_part(RankThreads *threads, AspContext *context, int ranks, int rank, void *user) {
  Solving *solving = user;
  AspPartition partition;
  AspPartsJudge *judge;
  int *rank_of_cell = calloc((size_t)solving->plan.cells, sizeof *rank_of_cell);
  asp_cells_over_ranks(solving->plan.cells, solving->weight, ranks, rank_of_cell);
  assert_ok(context,
            asp_partition_create(context, &solving->problem, &solving->plan, rank_of_cell, ranks, rank, &partition));
  AspExchange exchange = rank_threads_exchange(threads, &partition);
  double **r = calloc((size_t)partition.cells + 1, sizeof *r);
  for (int c = 0; c < partition.cells; c++)
    r[c] = calloc((size_t)partition.cell[c].problem.rows, sizeof **r);
  move_rows(solving, &partition, r, false);
  assert_ok(context, asp_parts_judge_create(context, &partition, &exchange, &judge));
  RankCounts before = rank_threads_counts(threads, rank);
  solving->error[rank] = asp_parts_solve(judge, &solving->options, r, &solving->info[rank]);
  RankCounts after = rank_threads_counts(threads, rank);
  solving->counts[rank] = (RankCounts){.exchanges = after.exchanges - before.exchanges,
                                       .reductions = after.reductions - before.reductions,
                                       .received = after.received - before.received};
  if (rank == 0 && solving->error[0] != ASP_OK)
    snprintf(solving->message, sizeof solving->message, "%s", asp_context_message(context));
  move_rows(solving, &partition, r, true);
  asp_parts_judge_destroy(judge);
  for (int c = 0; c < partition.cells; c++)
    free(r[c]);
  free(r);
  free(rank_of_cell);
  asp_partition_destroy(context, &partition);
}

static void solve_on(Solving *solving, int ranks) {
  memset(solving->r, 0, (size_t)solving->problem.rows * sizeof *solving->r);
  rank_threads_run(ranks, solve_part, solving);
  for (int rank = 0; rank < ranks; rank++)
    assert_int_equal(solving->error[rank], solving->error[0]);
}

static uint64_t hash_of(const Solving *solving) {
  return asp_hash_bytes(ASP_HASH_START, solving->r, (size_t)solving->problem.rows * sizeof *solving->r);
}

/* The answer of the last solve before the judge of the whole. */
static AspResidual judge_whole(const Solving *solving) {
  AspJudge *judge;
  AspResidual residual;
  assert_ok(solving->context, asp_judge_create(solving->context, &judge));
  assert_ok(solving->context, asp_judge_reset(judge, &solving->problem));
  assert_ok(solving->context, asp_judge_residual(judge, solving->r, &residual, NULL, NULL));
  asp_judge_destroy(judge);
  return residual;
}

static void hash_and_certificate_equal_for_1_to_8_ranks(void **state) {
  const ProblemFamily family[] = {FAMILY_PACKING, FAMILY_WALL, FAMILY_TIGHT_PACKING, FAMILY_MIXED_PACKING};
  const int ranks[] = {1, 2, 3, 5, 8};
  (void)state;
  for (int f = 0; f < 4; f++) {
    Solving solving;
    uint64_t first = 0;
    AspPartsInfo info = {0};
    make(&solving, family[f], 1500, 25);
    assert_true(solving.plan.cells >= 8);
    solving.options.tolerance = 1e-5;
    solving.options.max_sweeps = 160; // solved or not: bits must agree
    for (int k = 0; k < 5; k++) {
      solve_on(&solving, ranks[k]);
      assert_int_equal(solving.error[0], ASP_OK);
      if (k == 0) {
        first = hash_of(&solving);
        info = solving.info[0];
      }
      assert_true(hash_of(&solving) == first);
      for (int rank = 0; rank < ranks[k]; rank++) {
        assert_int_equal(solving.info[rank].sweeps, info.sweeps);
        assert_memory_equal(&solving.info[rank].residual, &info.residual, offsetof(AspResidual, worst_block));
      }
      AspResidual whole = judge_whole(&solving);
      assert_near(solving.info[0].residual.E2, whole.E2, 1e-12);
      assert_near(solving.info[0].residual.E1, whole.E1, 1e-12);
      assert_near(solving.info[0].residual.contact, whole.contact, 1e-12 * fmax(1, whole.contact));
    }
    finish(&solving);
  }
}

static void a_packing_in_cells_is_solved(void **state) {
  Solving solving;
  (void)state;
  make(&solving, FAMILY_PACKING, 1500, 60);
  solving.options.tolerance = 1e-6;
  solve_on(&solving, 3);
  assert_int_equal(solving.info[0].status, ASP_STATUS_SOLVED);
  assert_at_most(judge_whole(&solving).E2, 1e-6);
  finish(&solving);
}

/* The fixed points of the sweeps do not depend on the cells: from the answer of one cell, 40 cells have nothing to do. */
static void an_answer_of_one_cell_is_one_of_many_cells(void **state) {
  Solving one, many;
  (void)state;
  make(&one, FAMILY_PACKING, 800, 100000);
  make(&many, FAMILY_PACKING, 800, 8);
  assert_int_equal(one.plan.cells, 1);
  one.options.tolerance = 1e-7;
  solve_on(&one, 1);
  assert_int_equal(one.info[0].status, ASP_STATUS_SOLVED);
  memcpy(many.r, one.r, (size_t)many.problem.rows * sizeof *many.r);
  many.options.tolerance = 1.1e-7;
  rank_threads_run(2, solve_part, &many);
  assert_int_equal(many.info[0].sweeps, 0);
  assert_int_equal(many.info[0].status, ASP_STATUS_SOLVED);
  finish(&one);
  finish(&many);
}

static void one_exchange_per_sweep_and_one_reduction_per_look(void **state) {
  Solving solving;
  (void)state;
  make(&solving, FAMILY_PACKING, 1500, 40);
  solving.options.tolerance = 1e-9;
  solving.options.max_sweeps = 64; // before velocities are made afresh
  solve_on(&solving, 4);
  for (int rank = 0; rank < 4; rank++) {
    assert_int_equal(solving.info[rank].sweeps, 64);
    assert_int_equal(solving.info[rank].looks, 1 + 64 / 8);
    assert_int_equal(solving.info[rank].exchanges, 1 + 64);
    assert_int_equal(solving.counts[rank].exchanges, 1 + 64 + 1);            // and the judge's
    assert_int_equal(solving.counts[rank].reductions, 1 + (1 + 64 / 8) + 1); // all cells fit, looks, the judge's
  }
  finish(&solving);
}

/* 10 kg under 1000: a plate that all cells would split does not stall the sweeps. Of 0.1 kg under 1000 neither one cell
 * nor many are solved: that is said. */
static void a_light_plate_under_a_pile_is_solved_or_flagged(void **state) {
  const double mass[] = {10, 0.1};
  (void)state;
  for (int k = 0; k < 2; k++) {
    Solving solving = {.context = asp_context_create(NULL)};
    assert_ok(solving.context, plate_problem(solving.context, 16, 4, mass[k], &solving.problem));
    start(&solving, 32);
    solving.options.tolerance = 1e-5;
    solve_on(&solving, 2);
    assert_int_equal(solving.info[0].status, k == 0 ? ASP_STATUS_SOLVED : ASP_STATUS_ITERATION_LIMIT);
    assert_int_equal(judge_whole(&solving).E2 <= 1e-5, k == 0);
    finish(&solving);
  }
}

static void what_sweeps_cannot_do_is_refused_by_cell(void **state) {
  Solving solving;
  (void)state;
  make(&solving, FAMILY_JOINTED, 200, 10);
  solve_on(&solving, 3);
  assert_int_equal(solving.error[0], ASP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(solving.message, "cell "));
  solving.options.tolerance = 0;
  solve_on(&solving, 2);
  assert_int_equal(solving.error[0], ASP_ERROR_ARGUMENT);
  finish(&solving);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hash_and_certificate_equal_for_1_to_8_ranks),
      cmocka_unit_test(a_packing_in_cells_is_solved),
      cmocka_unit_test(an_answer_of_one_cell_is_one_of_many_cells),
      cmocka_unit_test(one_exchange_per_sweep_and_one_reduction_per_look),
      cmocka_unit_test(a_light_plate_under_a_pile_is_solved_or_flagged),
      cmocka_unit_test(what_sweeps_cannot_do_is_refused_by_cell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
