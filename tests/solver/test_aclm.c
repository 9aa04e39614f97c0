/* Newton on the shift s: the single particle in closed form, the derivative of G against differences, convergence on
 * random data of the size of Acary et al. (2008), hyperstatic clusters; polish and smallest norm, which it ends with.
 */
#include "context_in_state.h"
#include "exact_testing.h"

#include "solver/aclm.h"
#include "solver/method.h"

#include <string.h>

/* One particle of mass 1 over a floor, mu = 0.5, free velocity (N, T, T) = (-2, 3, 1); W = 1, q = v. */
static void make_particle(AspContext *context, AspContactProblem *p) {
  static const double v[3] = {-2, 3, 1};
  assert_ok(context, asp_problem_create(context, 3, 1, 3, 0, 0, 0, 3, p));
  p->offset[1] = 3;
  p->law[0] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.5};
  for (int j = 0; j < 3; j++) {
    p->W.start[j + 1] = j + 1;
    p->W.row[j] = j;
    p->W.value[j] = 1;
    p->q[j] = v[j];
  }
}

typedef struct Record {
  int count;
  double value[64];
} Record;

static void write_down(void *user, int iteration, const char *method, double residual) {
  Record *record = user;
  (void)iteration;
  if (strcmp(method, "aclm") == 0 && record->count < 64)
    record->value[record->count++] = residual;
}

static SolverSpace *prepare(AspContext *context, const AspContactProblem *problem) {
  SolverSpace *space;
  assert_ok(context, asp_space_create(context, &space));
  assert_ok(context, asp_prepared_reset(space->prepared, problem));
  return space;
}

/* G(s) = (|v_T| + mu v_N + mu^2 s)/(1 + mu^2): s* = |v_T| + mu v_N, contraction mu^2/(1 + mu^2), Newton exact. */
static void single_particle_has_its_closed_form(void **state) {
  AspContext *context = *state;
  AspContactProblem problem;
  make_particle(context, &problem);
  SolverSpace *space = prepare(context, &problem);
  SolverRun run = asp_run_default(space);
  AspAclm aclm;
  bool solved;
  double one = 1, dG, ds, relative, unit = run.prepared->unit_u;
  assert_ok(context, asp_run_begin(&run, &space->scratch, NULL, &solved));
  assert_ok(context, asp_prepared_need_system(space->prepared));
  assert_ok(context, asp_aclm_take(&aclm, &run));
  aclm.infeasibility = 1e-6; // programs as sharp as they get
  assert_ok(context, asp_aclm_program(&aclm, &solved));
  assert_true(solved);
  assert_near(unit * aclm.G[0], 1.7298221281347037, 1e-9);
  assert_near(asp_aclm_infeasibility(&aclm, &relative), 1.7298221281347037, 1e-9);
  assert_ok(context, asp_aclm_derivative(&aclm, &one, &dG));
  assert_near(dG, 0.2, 1e-5);
  assert_ok(context, asp_aclm_newton_step(&aclm, &ds));
  assert_near(unit * ds, 2.1622776601683795, 1e-5);
  aclm.s[0] += ds;
  assert_ok(context, asp_aclm_program(&aclm, &solved));
  assert_at_most(asp_aclm_infeasibility(&aclm, &relative), 1e-5);
  asp_space_destroy(space);
  asp_problem_destroy(context, &problem);
}

static void fixed_point_contracts_as_it_must(void **state) {
  AspContext *context = *state;
  AspContactProblem problem;
  make_particle(context, &problem);
  SolverSpace *space = prepare(context, &problem);
  SolverRun run = asp_run_default(space);
  Record record = {0};
  static const double first[] = {1.7298221281347037, 0.34596442562694074, 0.06919288512538735, 0.013838577025077736};
  run.asked.residual = 1e-11;
  run.settings.fixed_point = true;
  run.progress = write_down;
  run.progress_user = &record;
  assert_ok(context, asp_aclm_solve(&run, NULL));
  assert_int_equal(run.status, ASP_STATUS_SOLVED);
  assert_true(record.count >= 4);
  for (int k = 0; k < 4; k++)
    assert_near(record.value[k], first[k], 1e-7);
  asp_space_destroy(space);
  asp_problem_destroy(context, &problem);
}

static void derivative_of_G_agrees_with_differences(void **state) {
  AspContext *context = *state;
  static const ProblemFamily families[] = {FAMILY_DENSE, FAMILY_CHAIN};
  for (size_t f = 0; f < 2; f++) {
    Trial trial;
    trial_make(&trial, context, families[f], 20, 2);
    SolverSpace *space = prepare(context, &trial.problem);
    SolverRun run = asp_run_default(space);
    AspAclm aclm;
    bool solved;
    AspRandom random = {17};
    size_t blocks = (size_t)run.prepared->blocks;
    double *ds = calloc(blocks, sizeof *ds), *dG = calloc(blocks, sizeof *dG), *G = calloc(blocks, sizeof *G);
    double *s = calloc(blocks, sizeof *s), error = 0, size = 0, h = 1e-5;
    assert_ok(context, asp_run_begin(&run, &space->scratch, NULL, &solved));
    assert_ok(context, asp_prepared_need_system(space->prepared));
    assert_ok(context, asp_aclm_take(&aclm, &run));
    aclm.infeasibility = 1e-6;
    for (size_t i = 0; i < blocks; i++) {
      s[i] = aclm.s[i] = asp_random_uniform(&random, 0.5, 1.5);
      ds[i] = asp_random_normal(&random);
    }
    assert_ok(context, asp_aclm_program(&aclm, &solved));
    assert_true(solved);
    assert_ok(context, asp_aclm_derivative(&aclm, ds, dG));
    for (int side = -1; side <= 1; side += 2) {
      for (size_t i = 0; i < blocks; i++)
        aclm.s[i] = s[i] + side * h * ds[i];
      assert_ok(context, asp_aclm_program(&aclm, &solved));
      assert_true(solved);
      for (size_t i = 0; i < blocks; i++)
        G[i] += side * aclm.G[i] / (2 * h);
    }
    for (size_t i = 0; i < blocks; i++) {
      error = hypot(error, G[i] - dG[i]);
      size = hypot(size, dG[i]);
    }
    assert_true(size > 0.1);
    assert_at_most(error, 1e-3 * size);
    free(ds);
    free(dG);
    free(G);
    free(s);
    asp_space_destroy(space);
    trial_free(&trial);
  }
}

/* Relative infeasibility at each outer step; at most `steps` of them until 1e-10, quadratic near the end. */
static void assert_converges(const Record *record, double size, int steps, const char *what, int seed) {
  int reached = -1;
  double best_order = 0;
  for (int k = 0; k < record->count && reached < 0; k++) {
    if (record->value[k] <= 1e-10 * fmax(1, size))
      reached = k + 1;
    if (k > 0)
      best_order = fmax(best_order, log(record->value[k]) / log(record->value[k - 1]) * (record->value[k - 1] < 0.1));
  }
  if (reached < 0 || reached > steps)
    fail_msg("%s, seed %d: 1e-10 reached after %d of %d outer steps", what, seed, reached, record->count);
  assert_true(best_order > 1.5);
}

static void newton_on_s_converges_on_data_of_the_papers_size(void **state) {
  AspContext *context = *state;
  int seeds = is_full_test() ? 20 : 1, size = is_full_test() ? 150 : 60;
  for (int seed = 1; seed <= seeds; seed++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_DENSE, size, (uint64_t)seed);
    SolverSpace *space = prepare(context, &trial.problem);
    for (int warm = 0; warm < 2; warm++) {
      Record record = {0};
      AspRandom random = {(uint64_t)seed};
      double norm = 0, noise = 0, slip = 0;
      for (int j = 0; j < trial.problem.dofs && warm; j++)
        norm = hypot(norm, trial.problem.f[j]);
      for (int j = 0; j < trial.problem.dofs && warm; j++)
        noise = hypot(noise, asp_random_normal(&random));
      random.state = (uint64_t)seed;
      for (int j = 0; j < trial.problem.dofs && warm; j++) // f moved by 1 %
        trial.problem.f[j] += 0.01 * norm / noise * asp_random_normal(&random);
      assert_ok(context, asp_prepared_reset(space->prepared, &trial.problem));
      SolverRun run = asp_run_default(space);
      run.asked.residual = 1e-12;
      run.settings.max_iterations = 16;
      run.progress = write_down;
      run.progress_user = &record;
      assert_ok(context, asp_aclm_solve(&run, warm ? trial.r : NULL));
      memcpy(trial.r, run.best, (size_t)trial.problem.rows * sizeof *trial.r);
      assert_at_most(trial_judge(&trial).E1, 1e-10);
      AspResidual residual;
      assert_ok(context, asp_judge_residual(run.judge, trial.r, &residual, trial.u, NULL));
      for (int i = 0; i < trial.problem.blocks; i++)
        slip = hypot(slip, hypot(trial.u[3 * i + 1], trial.u[3 * i + 2]));
      assert_converges(&record, slip, warm ? 6 : 16, warm ? "warm" : "cold", seed);
    }
    asp_space_destroy(space);
    trial_free(&trial);
  }
}

static void hyperstatic_clusters_are_solved_and_say_how(void **state) {
  AspContext *context = *state;
  int seeds = is_full_test() ? 20 : 2, size = is_full_test() ? 150 : 60;
  for (int seed = 1; seed <= seeds; seed++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_CLUSTER, size, (uint64_t)seed);
    trial_solve(&trial, ASP_METHOD_ACLM, 1e-8, 0);
    assert_honest(&trial, 1e-8);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    assert_non_null(strstr(trial.info.path, "aclm"));
    trial_free(&trial);
  }
}

static void polish_goes_down_to_rounding(void **state) {
  AspContext *context = *state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_CHAIN, 20, seed);
    SolverSpace *space = prepare(context, &trial.problem);
    SolverRun run = asp_run_default(space);
    run.settings.polish = true;
    assert_ok(context, asp_ipm_solve(&run, NULL));
    memcpy(trial.r, run.best, (size_t)trial.problem.rows * sizeof *trial.r);
    assert_non_null(strstr(run.path, "polish"));
    assert_at_most(trial_judge(&trial).E1, 1e-12);
    asp_space_destroy(space);
    trial_free(&trial);
  }
}

static void auto_polishes_what_any_of_its_stages_solved(void **state) {
  AspContext *context = *state;
  static const ProblemFamily families[] = {FAMILY_CHAIN, FAMILY_TOWER, FAMILY_PACKING};
  for (size_t f = 0; f < 3; f++) {
    Trial trial;
    AspSolver *solver;
    AspSolverOptions options = asp_solver_default_options();
    trial_make(&trial, context, families[f], 30, 4);
    options.polish = true;
    assert_ok(context, asp_solver_create(context, &options, &solver));
    assert_ok(context, asp_solver_solve(solver, &trial.problem, trial.r, trial.u, NULL, &trial.info));
    assert_at_most(trial_judge(&trial).E1, 1e-12);
    asp_solver_destroy(solver);
    trial_free(&trial);
  }
}

/* Four equal contacts under one particle: the reaction of smallest norm shares out evenly. */
static void smallest_norm_shares_out_evenly(void **state) {
  AspContext *context = *state;
  AspContactProblem problem;
  static const double v[3] = {-2, 0.1, 0.2};
  assert_ok(context, asp_problem_create(context, 3, 4, 12, 3, 3, 12, 0, &problem));
  for (int j = 0; j < 3; j++) {
    problem.M.start[j + 1] = j + 1;
    problem.M.row[j] = j;
    problem.M.value[j] = 1;
    problem.f[j] = v[j];
  }
  for (int i = 0; i < 4; i++) {
    problem.offset[i + 1] = 3 * (i + 1);
    problem.law[i] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.5};
    for (int k = 0; k < 3; k++) {
      problem.H.start[3 * i + k + 1] = 3 * i + k + 1;
      problem.H.row[3 * i + k] = k;
      problem.H.value[3 * i + k] = 1;
    }
  }
  SolverSpace *space = prepare(context, &problem);
  SolverRun run = asp_run_default(space);
  double r[12] = {2}; // one contact carries all: a start that must be left
  run.settings.minimum_norm = true;
  assert_ok(context, asp_newton_solve(&run, r));
  assert_int_equal(run.status, ASP_STATUS_SOLVED);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++)
      assert_near(run.best[3 * i + k], -v[k] / 4, 1e-3);
  asp_space_destroy(space);
  asp_problem_destroy(context, &problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_particle_has_its_closed_form),
      cmocka_unit_test(fixed_point_contracts_as_it_must),
      cmocka_unit_test(derivative_of_G_agrees_with_differences),
      cmocka_unit_test(newton_on_s_converges_on_data_of_the_papers_size),
      cmocka_unit_test(hyperstatic_clusters_are_solved_and_say_how),
      cmocka_unit_test(polish_goes_down_to_rounding),
      cmocka_unit_test(auto_polishes_what_any_of_its_stages_solved),
      cmocka_unit_test(smallest_norm_shares_out_evenly),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
