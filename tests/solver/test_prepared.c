/* The prepared problem: both scaled forms give the velocities that the judge finds, the scaling inverts, the Newton
 * matrix is what its definition says; a run keeps the best iterate. */
#include "context_in_state.h"
#include "exact_testing.h"

#include "solver/run.h"
#include "solver/system.h"

typedef struct Bench {
  Trial trial;
  SolverSpace *space;
  AspPrepared *prepared; /* that of the space */
} Bench;

static void bench_make(Bench *bench, AspContext *context, ProblemFamily family, int size, uint64_t seed) {
  trial_make(&bench->trial, context, family, size, seed);
  assert_ok(context, asp_space_create(context, &bench->space));
  bench->prepared = bench->space->prepared;
  assert_ok(context, asp_prepared_reset(bench->prepared, &bench->trial.problem));
}

static void bench_free(Bench *bench) {
  asp_space_destroy(bench->space);
  trial_free(&bench->trial);
}

static double *draw(AspRandom *random, int n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = asp_random_normal(random);
  return x;
}

/* Velocities by the form: A y = F r + f by a Newton system with D = 0, u = V^T y + w. */
static void velocities_by_system(AspPrepared *p, const double *scaled, double *u) {
  assert_ok(p->context, asp_prepared_need_system(p));
  const AspForm *form = asp_system_form(p->system);
  double *D = calloc(9 * (size_t)p->blocks + 1, sizeof *D), *zero = calloc((size_t)form->n + 1, sizeof *zero);
  double *g = calloc((size_t)form->n + 1, sizeof *g), *y = calloc((size_t)form->n + 1, sizeof *y);
  bool regular;
  assert_ok(p->context, asp_system_factor(p->system, D, &regular));
  assert_true(regular);
  asp_form_imbalance(form, zero, scaled, g);
  for (int j = 0; j < form->n; j++)
    g[j] = -g[j];
  assert_ok(p->context, asp_system_solve(p->system, g, y));
  asp_form_velocity(form, y, u);
  free(D);
  free(zero);
  free(g);
  free(y);
}

static const ProblemFamily families[] = {FAMILY_SMALL, FAMILY_LAWS,  FAMILY_JOINTED, FAMILY_MIXED_PACKING,
                                         FAMILY_DENSE, FAMILY_TOWER, FAMILY_CHAIN};
#define FAMILIES (sizeof families / sizeof *families)

static void forms_give_the_velocities_of_the_judge(void **state) {
  AspContext *context = *state;
  AspRandom random = {3};
  for (size_t f = 0; f < FAMILIES; f++)
    for (int size = 4; size <= 40; size += 18) {
      Bench bench;
      bench_make(&bench, context, families[f], size, 9);
      AspPrepared *p = bench.prepared;
      int rows = bench.trial.problem.rows;
      double *scaled = draw(&random, p->rows), *r = calloc((size_t)rows + 1, sizeof *r);
      double *u = calloc((size_t)rows + 1, sizeof *u), *expected = calloc((size_t)p->rows + 1, sizeof *u);
      double *found = calloc((size_t)p->rows + 1, sizeof *u), largest = 1;
      AspResidual residual;
      asp_prepared_to_original(p, scaled, r);
      assert_ok(context, asp_judge_residual(p->judge, r, &residual, u, NULL));
      asp_prepared_scale_velocity(p, u, expected);
      velocities_by_system(p, scaled, found);
      for (int j = 0; j < p->rows; j++)
        largest = fmax(largest, fabs(expected[j]));
      for (int j = 0; j < p->rows; j++)
        assert_near(found[j], expected[j], 1e-9 * largest);
      asp_prepared_to_scaled(p, r, found);
      for (int j = 0; j < p->rows; j++)
        assert_near(found[j], scaled[j], 1e-12 * fabs(scaled[j]));
      // the condensed form of the same problem, whatever form the system chose
      assert_ok(context, asp_prepared_need_condensed(p));
      asp_form_velocity(&p->condensed, scaled, found);
      for (int j = 0; j < p->rows; j++)
        assert_near(found[j], expected[j], 1e-9 * largest);
      free(scaled);
      free(r);
      free(u);
      free(expected);
      free(found);
      bench_free(&bench);
    }
}

/* K y computed from the maps of the form: A y + F D V^T y */
static void multiply_by_definition(const AspPrepared *p, const AspForm *form, const double *D, const double *y,
                                   double *Ky) {
  double *u = calloc((size_t)p->rows + 1, sizeof *u), *r = calloc((size_t)p->rows + 1, sizeof *r);
  asp_form_velocity_change(form, y, u);
  for (int i = 0; i < p->blocks; i++)
    for (int k = 0; k < p->block[i].size; k++)
      for (int l = 0; l < p->block[i].size; l++)
        r[p->block[i].first + k] -= D[9 * i + k + 3 * l] * u[p->block[i].first + l];
  asp_form_imbalance(form, y, r, Ky); // A y - f - F r
  for (int j = 0; j < form->n; j++)
    Ky[j] += form->f[j];
  free(u);
  free(r);
}

static void newton_matrix_solves_what_it_defines(void **state) {
  AspContext *context = *state;
  AspRandom random = {8};
  for (size_t f = 0; f < FAMILIES; f++)
    for (int size = 4; size <= 40; size += 18) {
      Bench bench;
      bench_make(&bench, context, families[f], size, 4);
      AspPrepared *p = bench.prepared;
      assert_ok(context, asp_prepared_need_system(p));
      const AspForm *form = asp_system_form(p->system);
      double *D = calloc(9 * (size_t)p->blocks + 1, sizeof *D), *y = draw(&random, form->n);
      double *right = calloc((size_t)form->n + 1, sizeof *right), *found = calloc((size_t)form->n + 1, sizeof *found);
      for (int i = 0; i < p->blocks; i++) // unsymmetric, with a positive definite symmetric part
        for (int k = 0; k < p->block[i].size; k++)
          for (int l = 0; l < p->block[i].size; l++)
            D[9 * i + k + 3 * l] = k == l ? 1 : 0.2 * asp_random_normal(&random);
      multiply_by_definition(p, form, D, y, right);
      bool regular;
      assert_ok(context, asp_system_factor(p->system, D, &regular));
      assert_true(regular);
      assert_ok(context, asp_system_solve(p->system, right, found));
      for (int j = 0; j < form->n; j++)
        assert_near(found[j], y[j], 1e-7);
      free(D);
      free(y);
      free(right);
      free(found);
      bench_free(&bench);
    }
}

static void the_best_iterate_is_kept(void **state) {
  AspContext *context = *state;
  Bench bench;
  bench_make(&bench, context, FAMILY_TOWER, 8, 2);
  int rows = bench.trial.problem.rows;
  SolverRun run = asp_run_default(bench.space);
  bool solved;
  trial_solve(&bench.trial, ASP_METHOD_IPM, 1e-10, 0);
  double *bad = calloc((size_t)rows, sizeof *bad);
  for (int j = 0; j < rows; j++)
    bad[j] = j % 3 == 0 ? 1e3 : -1e4;
  assert_ok(context, asp_run_begin(&run, &bench.space->scratch, NULL, &solved));
  assert_false(solved);
  assert_ok(context, asp_run_offer(&run, bad, NULL, NULL));
  assert_ok(context, asp_run_offer(&run, bench.trial.r, NULL, NULL));
  assert_ok(context, asp_run_offer(&run, bad, NULL, NULL));
  asp_run_conclude(&run, ASP_STATUS_STALLED);
  assert_int_equal(run.status, ASP_STATUS_SOLVED);
  assert_memory_equal(run.best, bench.trial.r, (size_t)rows * sizeof *bad);
  free(bad);
  bench_free(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_give_the_velocities_of_the_judge),
      cmocka_unit_test(newton_matrix_solves_what_it_defines),
      cmocka_unit_test(the_best_iterate_is_kept),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
