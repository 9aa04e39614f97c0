/* The problem families themselves: repeatable, valid, of the size asked for; planted solutions solve, by the judge's
 * word; a change of units changes no invariant residual. */
#include "problem_families.h"
#include "shared_context.h"

static AspResidual judged(const AspContactProblem *problem, const double *r) {
  AspJudge *judge;
  AspResidual residual;
  assert_ok(context, asp_judge_create(context, &judge));
  assert_ok(context, asp_judge_reset(judge, problem));
  assert_ok(context, asp_judge_residual(judge, r, &residual, NULL, NULL));
  asp_judge_destroy(judge);
  return residual;
}

static uint64_t hashed(const AspContactProblem *p) {
  uint64_t hash = asp_hash_bytes(ASP_HASH_START, p->H.value, (size_t)p->H.start[p->rows] * sizeof(double));
  hash = asp_hash_bytes(hash, p->M.value, (size_t)p->M.start[p->dofs] * sizeof(double));
  hash = asp_hash_bytes(hash, p->f, (size_t)p->dofs * sizeof(double));
  return asp_hash_bytes(hash, p->w, (size_t)p->rows * sizeof(double));
}

static void equal_seeds_give_equal_problems_and_others_do_not(void **state) {
  (void)state;
  for (int family = 0; family < FAMILY_COUNT; family++) {
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
      AspContactProblem p;
      assert_ok(context, problem_family_make(context, (ProblemFamily)family, 50, k == 2 ? 8 : 7, &p));
      assert_ok(context, asp_problem_validate(context, &p));
      hash[k] = hashed(&p);
      asp_problem_destroy(context, &p);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_int_not_equal(hash[0], hash[2]);
  }
}

static void sizes_come_near_what_was_asked_for(void **state) {
  (void)state;
  for (int family = 0; family < FAMILY_COUNT; family++)
    for (int size = 50; size <= 200 && family != FAMILY_SMALL; size *= 2) {
      AspContactProblem p;
      assert_ok(context, problem_family_make(context, (ProblemFamily)family, size, 1, &p));
      if (p.blocks < size - 4 || p.blocks > size + 50 + size / 10)
        fail_msg("%s of size %d has %d blocks", problem_family_name((ProblemFamily)family), size, p.blocks);
      asp_problem_destroy(context, &p);
    }
}

static void packings_of_fifty_thousand_contacts_are_made(void **state) {
  (void)state;
  AspContactProblem p;
  assert_ok(context, problem_family_make(context, FAMILY_PACKING, 50000, 1, &p));
  assert_ok(context, asp_problem_validate(context, &p));
  assert_true(p.blocks >= 50000 && p.blocks < 55000);
  asp_problem_destroy(context, &p);
}

static void masses_span_six_decades_where_promised(void **state) {
  (void)state;
  AspContactProblem p;
  assert_ok(context, problem_family_make(context, FAMILY_MASS_PACKING, 2000, 1, &p));
  double low = INFINITY, high = 0;
  for (int j = 0; j < p.dofs; j += 6) {
    double mass = p.M.value[p.M.start[j]];
    low = fmin(low, mass);
    high = fmax(high, mass);
  }
  assert_true(high / low > 1e5);
  asp_problem_destroy(context, &p);
}

/* Room for r, u and x of a problem, with a planted solution in it. */
typedef struct Planted {
  AspContactProblem problem;
  double *r, *u, *x;
} Planted;

static Planted plant(ProblemFamily family, int size, uint64_t seed) {
  Planted p;
  assert_ok(context, problem_family_make(context, family, size, seed, &p.problem));
  p.r = asp_allocate(context, (size_t)p.problem.rows, sizeof(double));
  p.u = asp_allocate(context, (size_t)p.problem.rows, sizeof(double));
  p.x = asp_allocate(context, (size_t)p.problem.dofs, sizeof(double));
  problem_plant_solution(&p.problem, seed, p.r, p.u, p.x);
  return p;
}

static void uproot(Planted *p) {
  asp_problem_destroy(context, &p->problem);
  asp_release(context, p->r);
  asp_release(context, p->u);
  asp_release(context, p->x);
}

static void planted_solutions_solve(void **state) {
  (void)state;
  for (int family = 0; family < FAMILY_COUNT; family++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      Planted p = plant((ProblemFamily)family, 60, seed);
      AspResidual residual = judged(&p.problem, p.r);
      // nearly equal contacts and masses over six decades cost digits in u = H^T M^-1 (H r + f) + w
      assert_at_most(residual.E1, 1e-9);
      assert_at_most(residual.E2, 1e-9);
      for (int i = 0; i < p.problem.rows; i++) // and the judge notices what is no solution
        p.r[i] += (i % 2 ? 0.1 : -0.1) * residual.norm_r;
      assert_true(judged(&p.problem, p.r).E2 > 1e-4);
      uproot(&p);
    }
}

static void a_change_of_units_keeps_solutions_and_invariant_residuals(void **state) {
  (void)state;
  static const double factors[][3] = {{1e3, 1, 1}, {1, 1e-3, 1}, {1, 1, 1e3}, {1e-3, 1e3, 1e-3}};
  for (int family = 0; family < FAMILY_COUNT; family++)
    for (int k = 0; k < 4; k++)
      for (int rigid = 0; rigid < 2; rigid++) {
        const double *by = factors[k], impulse = by[1] * by[0] / by[2];
        if (rigid && family == FAMILY_DENSE)
          continue; // has no bodies
        Planted p = plant((ProblemFamily)family, 30, 2);
        p.r[1] += 1e-3 * judged(&p.problem, p.r).norm_r; // away from the solution, so that the residual says something
        double before = judged(&p.problem, p.r).E2;
        problem_rescale(&p.problem, by[0], by[1], by[2], rigid);
        for (int i = 0; i < p.problem.rows; i++)
          p.r[i] *= impulse;
        assert_near(judged(&p.problem, p.r).E2 / before, 1, 1e-6);
        uproot(&p);
      }
}

static void a_sequence_changes_only_its_forces_and_slowly(void **state) {
  (void)state;
  ProblemSequence sequence;
  assert_ok(context, problem_sequence_create(context, FAMILY_TOWER, 60, 3, &sequence));
  double *last = asp_allocate(context, (size_t)sequence.problem.dofs, sizeof *last);
  double scale = 0;
  for (int j = 0; j < sequence.problem.dofs; j++)
    scale = fmax(scale, fabs(sequence.problem.f[j]));
  assert_int_equal(sequence.steps, 50);
  bool moved = false;
  for (int step = 0; step < sequence.steps; step++) {
    problem_sequence_step(&sequence, step);
    assert_ok(context, asp_problem_validate(context, &sequence.problem));
    for (int j = 0; j < sequence.problem.dofs; j++) {
      double change = fabs(sequence.problem.f[j] - last[j]);
      if (step > 0)
        assert_at_most(change, 0.02 * scale);
      moved = moved || (step > 0 && change > 0.005 * scale);
      last[j] = sequence.problem.f[j];
    }
  }
  assert_true(moved);
  asp_release(context, last);
  problem_sequence_destroy(context, &sequence);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(equal_seeds_give_equal_problems_and_others_do_not, open_context, close_context),
      cmocka_unit_test_setup_teardown(sizes_come_near_what_was_asked_for, open_context, close_context),
      cmocka_unit_test_setup_teardown(packings_of_fifty_thousand_contacts_are_made, open_context, close_context),
      cmocka_unit_test_setup_teardown(masses_span_six_decades_where_promised, open_context, close_context),
      cmocka_unit_test_setup_teardown(planted_solutions_solve, open_context, close_context),
      cmocka_unit_test_setup_teardown(a_change_of_units_keeps_solutions_and_invariant_residuals, open_context,
                                      close_context),
      cmocka_unit_test_setup_teardown(a_sequence_changes_only_its_forces_and_slowly, open_context, close_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
