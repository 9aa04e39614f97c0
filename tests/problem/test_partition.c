/* Problems in parts: exact sums, cells, copies, and the judge on parts against the judge of the whole. */
#include "asperity/partition.h"

#include "base/base.h"
#include "plate_problem.h"
#include "problem/exact_sum.h"
#include "problem_families.h"
#include "rank_threads.h"
#include "testing.h"

#include <float.h>

/* ---- exact sums ---- */

static double sum_of(int count, const double *term, int step) {
  int64_t sum[EXACT_LENGTH] = {0};
  for (int k = 0, at = 0; k < count; k++, at = (at + step) % count) {
    asp_exact_add(sum, term[at]);
    if (k % 5 == 0)
      asp_exact_carry(sum);
  }
  return asp_exact_value(sum);
}

static void exact_sums_do_not_depend_on_the_order(void **state) {
  enum { TERMS = 1009 };
  double term[TERMS], scaled[TERMS];
  AspRandom random = {3};
  (void)state;
  for (int k = 0; k < TERMS; k++)
    term[k] = asp_random_normal(&random) * pow(10, asp_random_uniform(&random, -40, 40));
  double first = sum_of(TERMS, term, 1);
  for (int step = 2; step < 40; step++)
    assert_true(sum_of(TERMS, term, step) == first);
  for (int k = 0; k < TERMS; k++)
    scaled[k] = -term[k];
  assert_true(sum_of(TERMS, scaled, 7) == -first);
}

static void exact_sums_keep_what_cancels(void **state) {
  (void)state;
  const double term[5] = {1e60, 1, -1e60, 0x1p-300, -1};
  for (int step = 1; step < 5; step++)
    assert_true(sum_of(5, term, step) == 0x1p-300);
  for (double x = DBL_MIN; x < 1e84; x *= 3.7) // what is stored comes back, but for bits below the lowest
    assert_near(sum_of(1, &x, 1), x, fmax(0x1p-320, 4e-16 * x));
}

static void exact_sums_of_what_is_not_finite_are_infinite(void **state) {
  (void)state;
  const double bad[4] = {INFINITY, NAN, -INFINITY, 1e90};
  for (int k = 0; k < 4; k++) {
    double term[2] = {1, bad[k]};
    assert_true(isinf(sum_of(2, term, 1)));
  }
}

/* ---- cells ---- */

typedef struct Whole {
  AspContext *context;
  AspContactProblem problem;
  AspCellPlan plan;
  int *weight; /* cells */
} Whole;

static void make_whole(Whole *whole, ProblemFamily family, int size, int bodies_per_cell) {
  whole->context = asp_context_create(NULL);
  assert_ok(whole->context, problem_family_make(whole->context, family, size, 11, &whole->problem));
  assert_ok(whole->context, asp_cell_plan_create(whole->context, &whole->problem, bodies_per_cell, &whole->plan));
  whole->weight = calloc((size_t)whole->plan.cells, sizeof *whole->weight);
  for (int i = 0; i < whole->problem.blocks; i++)
    whole->weight[whole->plan.cell_of_block[i]]++;
}

static void close_whole(Whole *whole) {
  free(whole->weight);
  asp_cell_plan_destroy(whole->context, &whole->plan);
  asp_problem_destroy(whole->context, &whole->problem);
  asp_context_destroy(whole->context);
}

static void make_part(const Whole *whole, AspContext *context, int ranks, int rank, AspPartition *partition) {
  int *rank_of_cell = calloc((size_t)whole->plan.cells, sizeof *rank_of_cell);
  asp_cells_over_ranks(whole->plan.cells, whole->weight, ranks, rank_of_cell);
  assert_ok(context,
            asp_partition_create(context, &whole->problem, &whole->plan, rank_of_cell, ranks, rank, partition));
  free(rank_of_cell);
}

static void every_cell_has_blocks_and_few_bodies_are_split(void **state) {
  Whole whole;
  AspPartition partition;
  (void)state;
  make_whole(&whole, FAMILY_PACKING, 6000, 125);
  assert_true(whole.plan.cells >= 8);
  for (int c = 0; c < whole.plan.cells; c++)
    assert_true(whole.weight[c] > 0);
  make_part(&whole, whole.context, 1, 0, &partition);
  assert_int_equal(partition.cells, whole.plan.cells);
  int bodies = 0;
  for (int c = 0; c < partition.cells; c++)
    bodies += partition.cell[c].problem.bodies.count;
  int whole_bodies = bodies - partition.copies + partition.split;
  assert_true(partition.split > 0 && partition.split < whole_bodies / 2);
  asp_partition_destroy(whole.context, &partition);
  close_whole(&whole);
}

/* Every block once, every body of it there, holders as many as cells that hold it, members in the order of cells. */
static void parts_of_all_ranks_make_up_the_whole(void **state) {
  enum { RANKS = 3 };
  Whole whole;
  AspPartition part[RANKS];
  (void)state;
  make_whole(&whole, FAMILY_MASS_TOWER, 800, 12);
  int *met = calloc((size_t)whole.problem.blocks, sizeof *met), rows = 0;
  int *holds = calloc((size_t)whole.problem.dofs, sizeof *holds);
  for (int rank = 0; rank < RANKS; rank++)
    make_part(&whole, whole.context, RANKS, rank, &part[rank]);
  for (int rank = 0; rank < RANKS; rank++)
    for (int c = 0; c < part[rank].cells; c++) {
      const AspCell *cell = &part[rank].cell[c];
      assert_ok(whole.context, asp_problem_validate(whole.context, &cell->problem));
      rows += cell->problem.rows;
      for (int i = 0; i < cell->problem.blocks; i++) {
        met[cell->block[i]]++;
        assert_int_equal(whole.plan.cell_of_block[cell->block[i]], cell->number);
      }
      for (int b = 0; b < cell->problem.bodies.count; b++)
        holds[cell->body[b]]++;
    }
  assert_int_equal(rows, whole.problem.rows);
  for (int i = 0; i < whole.problem.blocks; i++)
    assert_int_equal(met[i], 1);
  for (int rank = 0; rank < RANKS; rank++) {
    const AspPartition *own = &part[rank];
    for (int c = 0; c < own->cells; c++)
      for (int b = 0; b < own->cell[c].problem.bodies.count; b++)
        assert_int_equal(own->cell[c].holders[b], holds[own->cell[c].body[b]]);
    for (int s = 0; s < own->split; s++)
      for (int k = own->member_start[s], last = -1; k < own->member_start[s + 1]; k++) {
        int m = own->member[k], at = m >= 0 ? rank : own->remote[-1 - m].rank;
        AspCopy copy = part[at].copy[m >= 0 ? m : own->remote[-1 - m].copy];
        AspCopy first = own->copy[0];
        for (int j = own->member_start[s]; j < own->member_start[s + 1]; j++)
          if (own->member[j] >= 0)
            first = own->copy[own->member[j]];
        assert_true(part[at].cell[copy.cell].body[copy.body] == own->cell[first.cell].body[first.body]);
        assert_true(part[at].cell[copy.cell].number > last);
        last = part[at].cell[copy.cell].number;
      }
  }
  for (int rank = 0; rank < RANKS; rank++)
    asp_partition_destroy(whole.context, &part[rank]);
  free(met);
  free(holds);
  close_whole(&whole);
}

static void all_blocks_of_a_body_touched_by_many_are_in_one_cell(void **state) {
  Whole whole;
  (void)state;
  whole.context = asp_context_create(NULL);
  assert_ok(whole.context, plate_problem(whole.context, 12, 4, 10, &whole.problem));
  assert_ok(whole.context, asp_cell_plan_create(whole.context, &whole.problem, 8, &whole.plan));
  whole.weight = calloc((size_t)whole.plan.cells, sizeof *whole.weight);
  const AspProblemBodies *bodies = &whole.problem.bodies;
  assert_ok(whole.context, asp_problem_set_bodies(whole.context, &whole.problem, NULL));
  int of_plate = -1;
  assert_true(whole.plan.cells > 12);
  for (int i = 0; i < whole.problem.blocks; i++) {
    bool plate = bodies->of_block[bodies->block_start[i]] == 0; // the first body
    if (plate && of_plate < 0)
      of_plate = whole.plan.cell_of_block[i];
    if (plate)
      assert_int_equal(whole.plan.cell_of_block[i], of_plate);
  }
  close_whole(&whole);
}

static void wrong_plans_are_refused_by_number(void **state) {
  Whole whole;
  AspPartition partition;
  AspCellPlan plan;
  (void)state;
  make_whole(&whole, FAMILY_TOWER, 60, 5);
  int *rank_of_cell = calloc((size_t)whole.plan.cells, sizeof *rank_of_cell);
  assert_int_equal(asp_cell_plan_create(whole.context, &whole.problem, 0, &plan), ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(whole.context), "bodies_per_cell is 0"));
  rank_of_cell[1] = 7;
  assert_int_equal(asp_partition_create(whole.context, &whole.problem, &whole.plan, rank_of_cell, 2, 0, &partition),
                   ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(whole.context), "cell 1 is given to rank 7"));
  rank_of_cell[1] = 0;
  assert_int_equal(asp_partition_create(whole.context, &whole.problem, &whole.plan, rank_of_cell, 2, 2, &partition),
                   ASP_ERROR_ARGUMENT);
  whole.plan.cell_of_block[3] = whole.plan.cells;
  assert_int_equal(asp_partition_create(whole.context, &whole.problem, &whole.plan, rank_of_cell, 2, 0, &partition),
                   ASP_ERROR_ARGUMENT);
  assert_non_null(strstr(asp_context_message(whole.context), "block 3 is in cell"));
  free(rank_of_cell);
  close_whole(&whole);
}

/* ---- the judge on parts ---- */

typedef struct Judging {
  Whole whole;
  double *r;
  AspResidual residual[8]; /* by rank */
} Judging;

static void judge_part(RankThreads *threads, AspContext *context, int ranks, int rank, void *user) {
  Judging *judging = user;
  AspPartition partition;
  AspPartsJudge *judge;
  make_part(&judging->whole, context, ranks, rank, &partition);
  AspExchange exchange = rank_threads_exchange(threads, &partition);
  double **r = calloc((size_t)partition.cells + 1, sizeof *r);
  for (int c = 0; c < partition.cells; c++) {
    const AspCell *cell = &partition.cell[c];
    r[c] = calloc((size_t)cell->problem.rows, sizeof **r);
    for (int i = 0; i < cell->problem.blocks; i++)
      memcpy(r[c] + cell->problem.offset[i], judging->r + judging->whole.problem.offset[cell->block[i]],
             (size_t)(cell->problem.offset[i + 1] - cell->problem.offset[i]) * sizeof **r);
  }
  assert_ok(context, asp_parts_judge_create(context, &partition, &exchange, &judge));
  assert_ok(context, asp_parts_judge_residual(judge, (const double *const *)r, &judging->residual[rank]));
  asp_parts_judge_destroy(judge);
  for (int c = 0; c < partition.cells; c++)
    free(r[c]);
  free(r);
  asp_partition_destroy(context, &partition);
}

static void assert_residual_near(const AspResidual *a, const AspResidual *b, double relative) {
  const double *x = (const double *)a, *y = (const double *)b;
  for (size_t k = 0; k < offsetof(AspResidual, rounding) / sizeof *x; k++)
    assert_near(x[k], y[k], relative * fabs(y[k]));
  assert_near(a->rho, b->rho, relative * b->rho);
  assert_near(a->worst_cone, b->worst_cone, relative * b->worst_cone);
  assert_near(a->worst_complementarity, b->worst_complementarity, relative * b->worst_complementarity);
  assert_near(a->worst_penetration_rate, b->worst_penetration_rate, relative * b->worst_penetration_rate);
  assert_near(a->worst_equality, b->worst_equality, relative * b->worst_equality);
  assert_int_equal(a->worst_block, b->worst_block);
}

/* All laws and joints, any r. */
static void the_judge_on_parts_is_the_judge_of_the_whole(void **state) {
  const ProblemFamily family[] = {FAMILY_PACKING, FAMILY_MASS_TOWER, FAMILY_JOINTED, FAMILY_LAWS};
  const int ranks[] = {1, 2, 3, 5, 8};
  (void)state;
  for (int f = 0; f < 4; f++) {
    Judging judging = {0};
    AspJudge *judge;
    AspResidual whole, first = {0};
    AspRandom random = {5};
    make_whole(&judging.whole, family[f], 400, 10);
    AspContactProblem *problem = &judging.whole.problem;
    judging.r = calloc((size_t)problem->rows, sizeof *judging.r);
    for (int j = 0; j < problem->rows; j++)
      judging.r[j] = asp_random_uniform(&random, -0.2, 1);
    assert_ok(judging.whole.context, asp_judge_create(judging.whole.context, &judge));
    assert_ok(judging.whole.context, asp_judge_reset(judge, problem));
    assert_ok(judging.whole.context, asp_judge_residual(judge, judging.r, &whole, NULL, NULL));
    for (int k = 0; k < 5; k++) {
      rank_threads_run(ranks[k], judge_part, &judging);
      if (k == 0)
        first = judging.residual[0];
      for (int rank = 0; rank < ranks[k]; rank++)
        assert_memory_equal(&judging.residual[rank], &first, offsetof(AspResidual, worst_block));
      assert_residual_near(&judging.residual[0], &whole, 1e-12);
    }
    asp_judge_destroy(judge);
    free(judging.r);
    close_whole(&judging.whole);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_sums_do_not_depend_on_the_order),
      cmocka_unit_test(exact_sums_keep_what_cancels),
      cmocka_unit_test(exact_sums_of_what_is_not_finite_are_infinite),
      cmocka_unit_test(every_cell_has_blocks_and_few_bodies_are_split),
      cmocka_unit_test(parts_of_all_ranks_make_up_the_whole),
      cmocka_unit_test(all_blocks_of_a_body_touched_by_many_are_in_one_cell),
      cmocka_unit_test(wrong_plans_are_refused_by_number),
      cmocka_unit_test(the_judge_on_parts_is_the_judge_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
