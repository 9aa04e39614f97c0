/* The second-order methods on problems whose answer is known: one contact in closed form, planted solutions, joints,
 * duplicate contacts, extreme friction and masses, jams. */
#include "context_in_state.h"
#include "exact_testing.h"

#include "failing_allocator.h"
#include "problem/cone.h"
#include "solver/ipm.h"
#include "solver/method.h"
#include "support/problem_builder.h"

#include <string.h>

static const AspMethod methods[] = {ASP_METHOD_IPM, ASP_METHOD_NEWTON, ASP_METHOD_ACLM};
#define METHODS (sizeof methods / sizeof *methods)

/* A particle of mass m with velocity v over a floor: M = m, H = 1, f = m v. */
static void make_particle(Trial *trial, AspContext *context, double m, double mu, const double v[3]) {
  *trial = (Trial){.context = context};
  AspContactProblem *p = &trial->problem;
  assert_ok(context, asp_problem_create(context, 3, 1, 3, 3, 3, 3, 0, p));
  p->offset[1] = 3;
  p->law[0] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = mu};
  for (int j = 0; j < 3; j++) {
    p->M.start[j + 1] = p->H.start[j + 1] = j + 1;
    p->M.row[j] = p->H.row[j] = j;
    p->M.value[j] = m;
    p->H.value[j] = 1;
    p->f[j] = m * v[j];
  }
  trial->r = calloc(3, sizeof *trial->r);
  trial->u = calloc(3, sizeof *trial->u);
}

/* Exact: take-off when v_N >= 0, stick when |v_T| <= -mu v_N, else slip with r_N = -m v_N. */
static void one_contact_takes_off_sticks_and_slips(void **state) {
  AspContext *context = *state;
  static const double v[][3] = {{1, 2, 3}, {-2, 0.3, 0.4}, {-2, 3, 1}, {-1e-3, 5, 0}, {-1, 0, 0}};
  static const double mass[] = {1e-3, 1, 1e3};
  for (size_t m = 0; m < METHODS; m++)
    for (size_t c = 0; c < sizeof v / sizeof *v; c++)
      for (size_t k = 0; k < 3; k++) {
        Trial trial;
        double mu = 0.5, r[3] = {0}, slip = hypot(v[c][1], v[c][2]);
        make_particle(&trial, context, mass[k], mu, v[c]);
        trial_solve(&trial, methods[m], 1e-11, 0);
        assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
        if (v[c][0] < 0) {
          double tangential = fmin(slip, -mu * v[c][0]);
          r[0] = -mass[k] * v[c][0];
          for (int j = 1; j < 3 && slip > 0; j++)
            r[j] = -mass[k] * tangential * v[c][j] / slip;
        }
        for (int j = 0; j < 3; j++)
          assert_near(trial.r[j], r[j], 1e-9 * mass[k]);
        assert_honest(&trial, 1e-11);
        trial_free(&trial);
      }
}

static void planted_solutions_are_found(void **state) {
  AspContext *context = *state;
  static const ProblemFamily families[] = {FAMILY_CHAIN, FAMILY_PACKING, FAMILY_JOINTED, FAMILY_LAWS};
  for (size_t m = 0; m < METHODS; m++)
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
      for (uint64_t seed = 1; seed <= 2; seed++) {
        Trial trial;
        trial_make(&trial, context, families[f], 12, seed);
        double *x = calloc((size_t)trial.problem.dofs, sizeof *x);
        problem_plant_solution(&trial.problem, seed, trial.r, trial.u, x);
        AspResidual planted = trial_judge(&trial);
        assert_at_most(planted.E1, 1e-12);
        memset(trial.r, 0, (size_t)trial.problem.rows * sizeof *trial.r);
        trial_solve(&trial, methods[m], 1e-9, 0);
        assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
        assert_honest(&trial, 1e-9);
        free(x);
        trial_free(&trial);
      }
}

/* The same contact twice: the reactions share out, the velocities are those of one. */
static void duplicate_contacts_change_nothing_but_the_sharing(void **state) {
  AspContext *context = *state;
  for (size_t m = 0; m < METHODS; m++) {
    Trial single, twice;
    for (int copies = 1; copies <= 2; copies++) {
      Trial *trial = copies == 1 ? &single : &twice;
      ProblemBuilder builder;
      builder_init(&builder, context);
      int ball = builder_add_ball(&builder, 1, 0.5, vec3(0, 0, 0.5));
      builder.body[ball].velocity = vec3(2, 0.5, -1);
      for (int k = 0; k < copies; k++)
        builder_add_contact(&builder, BUILDER_GROUND, ball, vec3(0, 0, 0), vec3(0, 0, 1), 0, 0.2);
      *trial = (Trial){.context = context};
      assert_ok(context, builder_finish(&builder, &trial->problem));
      builder_free(&builder);
      trial->r = calloc(6, sizeof *trial->r);
      trial->u = calloc(6, sizeof *trial->u);
      trial_solve(trial, methods[m], 1e-11, 0);
      assert_int_equal(trial->info.status, ASP_STATUS_SOLVED);
    }
    for (int j = 0; j < 3; j++) {
      assert_near(twice.r[j] + twice.r[3 + j], single.r[j], 1e-8);
      assert_near(twice.u[j], single.u[j], 1e-8);
    }
    trial_free(&single);
    trial_free(&twice);
  }
}

static void zero_velocity_needs_no_reaction(void **state) {
  AspContext *context = *state;
  static const double rest[3] = {0, 0, 0};
  for (size_t m = 0; m < METHODS; m++) {
    Trial trial;
    make_particle(&trial, context, 1, 0.5, rest);
    trial_solve(&trial, methods[m], 1e-12, 0);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    for (int j = 0; j < 3; j++)
      assert_true(trial.r[j] == 0);
    trial_free(&trial);
  }
}

static void extreme_friction_and_masses_are_solved(void **state) {
  AspContext *context = *state;
  static const double mu[] = {1e-4, 1, 10};
  for (size_t m = 0; m < METHODS; m++) {
    for (size_t k = 0; k < sizeof mu / sizeof *mu; k++) {
      Trial trial;
      trial_make(&trial, context, FAMILY_TOWER, 16, 5);
      for (int i = 0; i < trial.problem.blocks; i++)
        trial.problem.law[i].mu = mu[k];
      trial_solve(&trial, methods[m], 1e-8, 0);
      if (trial.info.status != ASP_STATUS_SOLVED)
        fail_msg("%s, mu = %g: E1 = %g (%s)", asp_method_name(methods[m]), mu[k], trial.info.residual.E1,
                 trial.info.path);
      assert_honest(&trial, 1e-8);
      trial_free(&trial);
    }
    Trial heavy;
    trial_make(&heavy, context, FAMILY_MASS_TOWER, 24, 1);
    trial_solve(&heavy, methods[m], 1e-8, 0);
    assert_int_equal(heavy.info.status, ASP_STATUS_SOLVED);
    assert_honest(&heavy, 1e-8);
    trial_free(&heavy);
  }
}

/* A jam has self-stress; r must stay near that of the proximal method, which keeps it small. */
static void jams_keep_their_reactions_bounded(void **state) {
  AspContext *context = *state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    double smallest = HUGE_VAL, norm[METHODS];
    for (size_t m = 0; m < METHODS; m++) {
      Trial trial;
      trial_make(&trial, context, FAMILY_WEDGE, 24, seed);
      trial_solve(&trial, methods[m], 1e-8, 0);
      assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
      AspResidual residual = trial_judge(&trial);
      assert_at_most(residual.E3, 1e-6);
      norm[m] = residual.norm_r;
      smallest = fmin(smallest, norm[m]);
      trial_free(&trial);
    }
    for (size_t m = 0; m < METHODS; m++)
      assert_at_most(norm[m], 10 * smallest);
  }
}

/* Joints as EQUALITY blocks, or their dofs eliminated: the contacts see the same. Two particles welded together. */
static void equality_blocks_agree_with_elimination(void **state) {
  AspContext *context = *state;
  static const double v[3] = {-2, 3, 1};
  for (size_t m = 0; m < METHODS; m++) {
    Trial welded, one;
    make_particle(&one, context, 3, 0.5, v);
    welded = (Trial){.context = context};
    AspContactProblem *p = &welded.problem;
    assert_ok(context, asp_problem_create(context, 3, 2, 6, 6, 6, 9, 0, p));
    p->offset[1] = 3;
    p->offset[2] = 6;
    p->law[0] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.5};
    p->law[1] = (AspLaw){.kind = ASP_LAW_EQUALITY};
    for (int j = 0; j < 6; j++) {
      p->M.start[j + 1] = j + 1;
      p->M.row[j] = j;
      p->M.value[j] = j < 3 ? 1 : 2; // together the mass of the one particle
      p->f[j] = p->M.value[j] * v[j % 3];
    }
    for (int j = 0; j < 3; j++) {
      p->H.start[j + 1] = j + 1;
      p->H.row[j] = j;
      p->H.value[j] = 1;
      p->H.start[j + 4] = 3 + 2 * (j + 1);
      p->H.row[3 + 2 * j] = j;
      p->H.row[4 + 2 * j] = j + 3;
      p->H.value[3 + 2 * j] = -1;
      p->H.value[4 + 2 * j] = 1;
    }
    welded.r = calloc(6, sizeof *welded.r);
    welded.u = calloc(6, sizeof *welded.u);
    trial_solve(&one, methods[m], 1e-11, 0);
    trial_solve(&welded, methods[m], 1e-11, 0);
    assert_int_equal(welded.info.status, ASP_STATUS_SOLVED);
    assert_at_most(trial_judge(&welded).worst_equality, 1e-9);
    for (int j = 0; j < 3; j++) {
      assert_near(welded.r[j], one.r[j], 1e-8);
      assert_near(welded.u[j], one.u[j], 1e-8);
    }
    trial_free(&one);
    trial_free(&welded);
  }
}

/* With s fixed the interior point solves a convex program: primal and dual feasible, no gap. */
static void fixed_shift_gives_the_optimum_of_the_program(void **state) {
  AspContext *context = *state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    Trial trial;
    SolverSpace *space;
    AspIpm ipm;
    trial_make(&trial, context, FAMILY_CHAIN, 15, seed);
    assert_ok(context, asp_space_create(context, &space));
    assert_ok(context, asp_prepared_reset(space->prepared, &trial.problem));
    SolverRun run = asp_run_default(space);
    const AspPrepared *p = run.prepared;
    assert_ok(context, asp_prepared_need_system(run.prepared));
    assert_ok(context, asp_ipm_take(&ipm, &run));
    double *s = calloc((size_t)p->blocks, sizeof *s), step = 1, gap = 0, scale = 1;
    AspRandom random = {seed};
    bool regular = true;
    for (int i = 0; i < p->blocks; i++)
      s[i] = asp_random_uniform(&random, 0, 1);
    ipm.s = s;
    asp_ipm_cold_start(&ipm);
    for (int k = 0; k < 60 && ipm.mu > 1e-12; k++) {
      assert_ok(context, asp_ipm_step(&ipm, &step, &regular));
      assert_true(regular);
    }
    assert_at_most(ipm.mu, 1e-12);
    asp_form_velocity(ipm.form, ipm.y, ipm.u);
    asp_form_imbalance(ipm.form, ipm.y, ipm.r, ipm.g);
    for (int j = 0; j < ipm.form->n; j++)
      assert_near(ipm.g[j], 0, 1e-8);
    for (int i = 0; i < p->blocks; i++) {
      double z[3] = {ipm.u[3 * i] + s[i], ipm.u[3 * i + 1], ipm.u[3 * i + 2]};
      assert_true(soc_smallest(3, z) >= -1e-8 && soc_smallest(3, ipm.r + 3 * i) >= 0);
      gap += soc_dot(3, z, ipm.r + 3 * i);
      scale += fabs(ipm.r[3 * i]);
    }
    assert_near(gap, 0, 1e-8 * scale);
    free(s);
    asp_space_destroy(space);
    trial_free(&trial);
  }
}

static void a_warm_start_is_used(void **state) {
  AspContext *context = *state;
  for (size_t m = 0; m < METHODS; m++) {
    Trial trial;
    trial_make(&trial, context, FAMILY_PACKING, 40, 3);
    trial_solve(&trial, methods[m], 1e-8, 0);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    for (int j = 0; j < trial.problem.dofs; j++)
      trial.problem.f[j] *= 1.001;
    trial_solve(&trial, methods[m], 1e-8, 0);
    assert_int_equal(trial.info.status, ASP_STATUS_SOLVED);
    assert_honest(&trial, 1e-8);
    trial_free(&trial);
  }
}

/* From the last step's reactions a tower that is loaded a little otherwise is solved on the contact states that they
 * show, in far fewer factorisations than from nothing. */
static void a_near_start_ends_on_its_contact_states(void **state) {
  AspContext *context = *state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    Trial trial;
    SolverSpace *space;
    trial_make(&trial, context, FAMILY_TOWER, 80, seed);
    assert_ok(context, asp_space_create(context, &space));
    assert_ok(context, asp_prepared_reset(space->prepared, &trial.problem));
    SolverRun cold = asp_run_default(space);
    assert_ok(context, asp_newton_solve(&cold, NULL));
    memcpy(trial.r, cold.best, (size_t)trial.problem.rows * sizeof *trial.r);
    assert_int_equal(cold.status, ASP_STATUS_SOLVED);
    for (int j = 0; j < trial.problem.dofs; j++)
      trial.problem.f[j] *= 1 + 1e-6 * (j % 3);
    assert_ok(context, asp_prepared_reset(space->prepared, &trial.problem));
    SolverRun warm = asp_run_default(space);
    warm.settings.near = true;
    warm.settings.rho = 200;
    assert_ok(context, asp_newton_solve(&warm, trial.r));
    memcpy(trial.r, warm.best, (size_t)trial.problem.rows * sizeof *trial.r);
    assert_int_equal(warm.status, ASP_STATUS_SOLVED);
    assert_true(warm.factorisations > 0 && 3 * warm.factorisations < cold.factorisations);
    trial.info = (AspSolverInfo){.status = warm.status, .residual = warm.residual};
    assert_honest(&trial, 1e-8);
    asp_space_destroy(space);
    trial_free(&trial);
  }
}

static void allocation_failures_are_clean(void **state) {
  AspContext *context = *state;
  Trial trial;
  trial_make(&trial, context, FAMILY_JOINTED, 30, 1);
  for (size_t m = 0; m < METHODS; m++) {
    AspError error = ASP_ERROR_MEMORY;
    long k = 0;
    for (; error != ASP_OK && k < 1000; k++) {
      FailingAllocator failing;
      AspContext *narrow = failing_context(&failing);
      AspSolverOptions options = asp_solver_default_options();
      AspSolver *solver = NULL;
      options.method = methods[m];
      failing.until_failure = k;
      memset(trial.r, 0, (size_t)trial.problem.rows * sizeof *trial.r);
      error = asp_solver_create(narrow, &options, &solver);
      if (error == ASP_OK)
        error = asp_solver_solve(solver, &trial.problem, trial.r, NULL, NULL, &trial.info);
      assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
      asp_solver_destroy(solver);
      assert_int_equal(asp_context_memory_in_use(narrow), 0);
      asp_context_destroy(narrow);
    }
    assert_int_equal(error, ASP_OK);
    assert_true(k > 10);
  }
  trial_free(&trial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact_takes_off_sticks_and_slips),
      cmocka_unit_test(planted_solutions_are_found),
      cmocka_unit_test(duplicate_contacts_change_nothing_but_the_sharing),
      cmocka_unit_test(zero_velocity_needs_no_reaction),
      cmocka_unit_test(extreme_friction_and_masses_are_solved),
      cmocka_unit_test(jams_keep_their_reactions_bounded),
      cmocka_unit_test(equality_blocks_agree_with_elimination),
      cmocka_unit_test(fixed_shift_gives_the_optimum_of_the_program),
      cmocka_unit_test(a_warm_start_is_used),
      cmocka_unit_test(a_near_start_ends_on_its_contact_states),
      cmocka_unit_test(allocation_failures_are_clean),
  };
  return cmocka_run_group_tests(tests, make_context, free_context);
}
