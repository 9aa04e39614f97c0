/* Packed Gauss-Seidel: kernels give equal bits, the order keeps its promises, answers stand before the judge. */
#include "asperity/solver.h"
#include "base/base.h"
#include "base/parallel.h"
#include "solver/packed.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#define IN_PILE 1000

typedef struct Pile {
  AspContext *context;
  AspArena arena;
  AspContactProblem problem;
} Pile;

/* Three rows of a contact of body a (< 0: the ground) with b: D, and arms times D, both bodies with 6 dofs. spheres:
 * arms along the normal. */
static void write_contact(AspContactProblem *p, int block, int a, int b, bool spheres, AspRandom *random) {
  double D[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, angle = asp_random_uniform(random, -0.4, 0.4);
  D[0] = sin(angle);
  D[2] = cos(angle);
  D[3] = cos(angle);
  D[5] = -sin(angle);
  for (int k = 0; k < 3; k++) {
    int column = 3 * block + k, at = p->H.start[column];
    for (int side = a < 0 ? 1 : 0; side < 2; side++) {
      const double *d = D + 3 * k;
      double arm[3] = {0.1, side ? -0.2 : 0.3, side ? -0.5 : 0.5}, sign = side ? 1 : -1;
      for (int i = 0; spheres && i < 3; i++)
        arm[i] = side ? -0.4 * D[i] : 0.6 * D[i];
      double turn[3] = {arm[1] * d[2] - arm[2] * d[1], arm[2] * d[0] - arm[0] * d[2], arm[0] * d[1] - arm[1] * d[0]};
      for (int i = 0; i < 6; i++, at++) {
        p->H.row[at] = 6 * (side ? b : a) + i;
        p->H.value[at] = sign * (i < 3 ? d[i] : turn[i - 3]);
      }
    }
    p->H.start[column + 1] = at;
  }
  p->law[block] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.5, .cone = ASP_CONE_EXACT};
  p->offset[block + 1] = 3 * block + 3;
}

/* Bodies on top of each other and beside each other under gravity; the lowest stand on the ground. Twice the
 * same, so that there are several sets. */
static void make_piles(Pile *pile, bool spheres, int in_pile) {
  AspRandom random = {7};
  int wide = 50, contacts = 0, bodies = 2 * in_pile, (*pair)[2] = calloc(2 * (size_t)bodies, sizeof *pair);
  pile->context = asp_context_create(NULL);
  asp_arena_init(&pile->arena, pile->context);
  for (int b = 0; b < bodies; b++) {
    int place = b % in_pile;
    pair[contacts][0] = place < wide ? -1 : b - wide;
    pair[contacts++][1] = b;
    if (place >= wide && place % wide > 0) {
      pair[contacts][0] = b - wide - 1;
      pair[contacts++][1] = b;
    }
  }
  AspContactProblem *p = &pile->problem;
  assert_ok(pile->context,
            asp_problem_create(pile->context, 3, contacts, 3 * contacts, 6 * bodies, 36 * bodies, 36 * contacts, 0, p));
  for (int j = 0; j < 6 * bodies; j++) {
    p->M.start[j + 1] = 6 * (j + 1);
    for (int i = 0; i < 6; i++) {
      p->M.row[6 * j + i] = j / 6 * 6 + i;
      p->M.value[6 * j + i] = i != j % 6 ? 0 : i < 3 ? 1 + 0.001 * (j / 6 % in_pile) : 0.1;
    }
    p->f[j] = j % 6 == 2 ? -0.0981 : 0;
  }
  for (int c = 0; c < contacts; c++) {
    if (c % (contacts / 2) == 0)
      random = (AspRandom){7};
    write_contact(p, c, pair[c][0], pair[c][1], spheres, &random);
  }
  free(pair);
}

static void make_pile(Pile *pile, bool spheres) { make_piles(pile, spheres, IN_PILE); }

static void close_pile(Pile *pile) {
  asp_problem_destroy(pile->context, &pile->problem);
  asp_arena_free(&pile->arena);
  asp_context_destroy(pile->context);
}

static void take(Pile *pile, AspPacked *packed) {
  AspPackedScope scope = {.rho = 1, .norm_q = 1};
  bool fits;
  assert_ok(pile->context, asp_packed_take(packed, &pile->arena, &pile->problem, &scope, &fits));
  assert_true(fits);
  memcpy(packed->body, packed->free, (size_t)packed->bodies * sizeof *packed->body);
  memcpy(packed->before, packed->free, (size_t)packed->bodies * sizeof *packed->body);
}

/* One sweep over all sets, and the residual of its answer. */
static void sweep_once(AspPacked *packed, const AspPackedKernels *kernels, int now, double momentum) {
  kernels->extrapolate(packed->body, packed->before, packed->bodies, momentum);
  for (int s = 0; s < packed->set_count; s++) {
    AspBatch *batch = asp_batch_at(packed, packed->set[s].first);
    int count = packed->set[s].end - packed->set[s].first;
    kernels->sweep(batch, count, packed->body, now, momentum);
    kernels->residual(batch, NULL, count, packed->body, 1 - now, packed->rho, &packed->sums[s]);
  }
}

static void compare_kernels(bool spheres, int table) {
  Pile pile;
  AspPacked reference, other;
  make_pile(&pile, spheres);
  take(&pile, &reference);
  take(&pile, &other);
  assert_int_equal(reference.spheres, spheres);
  for (int sweep = 0; sweep < 20; sweep++) {
    double momentum = sweep % 4 == 3 ? 0 : 0.5;
    sweep_once(&reference, asp_packed_kernels_at(0, spheres), sweep % 2, momentum);
    sweep_once(&other, asp_packed_kernels_at(table, spheres), sweep % 2, momentum);
    assert_memory_equal(reference.sums, other.sums, (size_t)reference.set_count * sizeof(AspPackedSums));
  }
  assert_memory_equal(reference.body, other.body, (size_t)reference.bodies * sizeof *other.body);
  assert_memory_equal(reference.batch, other.batch, (size_t)reference.batch_count * asp_batch_size(spheres));
  close_pile(&pile);
}

static void every_kernel_gives_the_bits_of_the_scalar_reference(void **state) {
  (void)state;
  for (int table = 1; asp_packed_kernels_at(table, false); table++) {
    compare_kernels(false, table);
    compare_kernels(true, table);
  }
}

/* The rows of sixteen contacts, some of them of spheres, and what a batch holds of them before it is made. */
static void fill_rows(bool spheres, AspRandom *random, AspBatch *batch, AspPackedRows *rows) {
  *rows = (AspPackedRows){.A = {{0}}};
  memset(batch, 0, asp_batch_size(spheres));
  for (int lane = 0; lane < ASP_LANES - 1; lane++) { // the last one stays unused
    double D[9] = {0.6, 0, 0.8, -0.8, 0, 0.6, 0, 1, 0};
    for (int e = 0; e < 9; e++) {
      int k = e / 3, j = e % 3;
      double turned = D[(j + 1) % 3] * D[3 * k + (j + 2) % 3] - D[(j + 2) % 3] * D[3 * k + (j + 1) % 3];
      batch->D[e][lane] = D[e];
      rows->A[e][lane] = spheres ? (1 + lane) * turned : asp_random_uniform(random, -1, 1);
      rows->B[e][lane] = spheres ? 0.3 * turned : asp_random_uniform(random, -1, 1);
    }
    for (int e = 0; e < 6; e++) {
      bool diagonal = e == 0 || e == 2 || e == 5;
      rows->Lp[e][lane] = spheres ? diagonal : asp_random_uniform(random, 0.5, 1);
      rows->Lq[e][lane] = spheres ? 2 * diagonal : asp_random_uniform(random, 0.5, 1);
    }
    rows->inverse_masses[lane] = asp_random_uniform(random, 0.5, 2);
    batch->mu[lane] = lane % 3 == 0 ? 0 : 0.5;
  }
}

static void batches_are_laid_out_with_the_bits_of_the_scalar_reference(void **state) {
  (void)state;
  AspRandom random = {3};
  for (int kind = 0; kind < 2; kind++)
    for (int table = 0; asp_packed_kernels_at(table, kind); table++) {
      _Alignas(64) AspGeneralBatch one, other; // room for both kinds; kernels load them aligned
      AspPackedRows rows;
      fill_rows(kind, &random, &one.common, &rows);
      memcpy(&other, &one, sizeof other);
      assert_true(asp_packed_kernels_at(0, kind)->make_batch(&one.common, &rows));
      assert_true(asp_packed_kernels_at(table, kind)->make_batch(&other.common, &rows));
      assert_memory_equal(&one, &other, asp_batch_size(kind));
      rows.B[4][5] += kind ? 1e-9 : 0; // no multiple of n x D any more
      assert_int_equal(asp_packed_kernels_at(table, kind)->make_batch(&other.common, &rows), !kind);
      rows.B[4][5] = NAN;
      assert_int_equal(asp_packed_kernels_at(table, kind)->make_batch(&other.common, &rows), !kind);
    }
}

/* The same pile with one arm a little off the normal, more than rounding would: swept as general bodies. */
static void spheres_give_what_general_bodies_give(void **state) {
  (void)state;
  Pile spheres, general;
  AspPacked packed[2];
  make_pile(&spheres, true);
  make_pile(&general, true);
  general.problem.H.value[general.problem.H.start[1] - 1] += 1e-11;
  take(&spheres, &packed[0]);
  take(&general, &packed[1]);
  assert_true(packed[0].spheres && !packed[1].spheres);
  for (int sweep = 0; sweep < 40; sweep++)
    for (int k = 0; k < 2; k++)
      sweep_once(&packed[k], asp_packed_kernels(packed[k].spheres), sweep % 2, 0.5);
  double largest = 0, difference = 0;
  for (int b = 0; b < packed[0].batch_count; b++)
    for (int e = 0; e < 3 * ASP_LANES; e++) {
      double one = asp_batch_at(&packed[0], b)->r[0][e / ASP_LANES][e % ASP_LANES],
             other = asp_batch_at(&packed[1], b)->r[0][e / ASP_LANES][e % ASP_LANES];
      largest = fmax(largest, fabs(one));
      difference = fmax(difference, fabs(one - other));
    }
  assert_true(largest > 0.1 && difference < 1e-10 * largest);
  for (int s = 0; s < packed[0].set_count; s++)
    assert_near(packed[0].sums[s].map, packed[1].sums[s].map, 1e-7 * packed[1].sums[s].map);
  close_pile(&spheres);
  close_pile(&general);
}

/* The geometry of the packed batches, and any numbers for the rest. */
static void fill_light(const AspPacked *packed, AspRandom *random) {
  for (int b = 0; b < packed->batch_count; b++) {
    AspLightBatch *light = asp_light_at(packed, b);
    const AspBatch *batch = asp_batch_at(packed, b);
    const double *directions = (const double *)batch, *geometry = (const double *)(batch + 1);
    float *value = (float *)light, *own = (float *)(light + 1);
    size_t numbers = offsetof(AspLightBatch, p) / sizeof *value;
    for (size_t k = 0; k < numbers; k++)
      value[k] = k < 9 * ASP_LANES ? (float)directions[k] : (float)asp_random_uniform(random, -1, 1);
    for (size_t k = 0; k < (asp_light_size(packed->spheres) - sizeof *light) / sizeof *own; k++)
      own[k] = (float)geometry[k];
    for (int lane = 0; lane < ASP_LANES; lane++) {
      light->p[lane] = (int)sizeof(AspLightBody) * batch->p[lane];
      light->q[lane] = (int)sizeof(AspLightBody) * batch->q[lane];
    }
  }
  for (int b = 0; b < packed->bodies; b++) {
    float inverse_mass = (float)packed->free[b].inverse_mass;
    packed->light_body[b] = (AspLightBody){.inverse_mass = inverse_mass};
    packed->light_before[b] = (AspLightBody){.v = {0.1F, 0.2F, 0}, .inverse_mass = inverse_mass};
  }
}

static void compare_float_kernels(bool spheres, int table) {
  Pile pile;
  AspPacked both[2];
  make_pile(&pile, spheres);
  for (int k = 0; k < 2; k++) {
    AspRandom random = {3};
    const AspPackedKernels *kernels = asp_packed_kernels_at(k * table, spheres);
    take(&pile, &both[k]);
    fill_light(&both[k], &random);
    for (int sweep = 0; sweep < 3; sweep++) {
      kernels->light_extrapolate(both[k].light_body, both[k].light_before, both[k].bodies, 0.7F);
      kernels->light_sweep(both[k].light, both[k].batch_count, both[k].light_body, sweep % 2, 0.7F);
    }
  }
  assert_memory_equal(both[0].light_body, both[1].light_body, (size_t)both[0].bodies * sizeof(AspLightBody));
  assert_memory_equal(both[0].light, both[1].light, (size_t)both[0].batch_count * asp_light_size(spheres));
  close_pile(&pile);
}

static void float_sweeps_give_the_bits_of_the_scalar_reference(void **state) {
  (void)state;
  for (int table = 1; asp_packed_kernels_at(table, false); table++) {
    compare_float_kernels(false, table);
    compare_float_kernels(true, table);
  }
}

static void batches_slabs_and_boundaries_share_no_body(void **state) {
  (void)state;
  Pile pile;
  AspPacked packed;
  make_pile(&pile, false);
  take(&pile, &packed);
  assert_true(packed.slab_count > 1);
  int *owner = calloc((size_t)packed.bodies, sizeof *owner), contacts = 0;
  for (int s = 0; s < packed.set_count; s++) {
    if (s == packed.slab_count) // boundaries may meet the bodies of slabs
      memset(owner, 0, (size_t)packed.bodies * sizeof *owner);
    for (int b = packed.set[s].first; b < packed.set[s].end; b++)
      for (int lane = 0; lane < ASP_LANES; lane++) {
        int ends[2] = {asp_batch_at(&packed, b)->p[lane], asp_batch_at(&packed, b)->q[lane]};
        contacts += packed.source[b][lane] >= 0;
        for (int k = 0; k < 2; k++) {
          assert_true(owner[ends[k]] == 0 || owner[ends[k]] == s + 1);
          owner[ends[k]] = s + 1;
          for (int other = 0; other < lane; other++)
            assert_false(packed.free[ends[k]].inverse_mass > 0 && (asp_batch_at(&packed, b)->p[other] == ends[k] ||
                                                                   asp_batch_at(&packed, b)->q[other] == ends[k]));
        }
      }
  }
  assert_int_equal(contacts, pile.problem.blocks);
  free(owner);
  close_pile(&pile);
}

/* Equal order, batches and bodies? */
static void compare_packed(const AspPacked *a, const AspPacked *b) {
  assert_int_equal(a->batch_count, b->batch_count);
  assert_int_equal(a->set_count, b->set_count);
  assert_int_equal(a->slab_count, b->slab_count);
  assert_int_equal(a->spheres, b->spheres);
  assert_memory_equal(a->set, b->set, (size_t)a->set_count * sizeof *a->set);
  assert_memory_equal(a->source, b->source, (size_t)a->batch_count * sizeof *a->source);
  assert_memory_equal(a->batch, b->batch, (size_t)a->batch_count * asp_batch_size(a->spheres));
  assert_memory_equal(a->free, b->free, (size_t)a->bodies * sizeof *a->free);
}

static void what_is_known_of_a_problem_changes_nothing_in_what_is_packed(void **state) {
  (void)state;
  for (int spheres = 0; spheres < 2; spheres++) {
    Pile pile;
    AspJudge *judge;
    AspPackedMemory memory = {.known = false};
    make_pile(&pile, spheres);
    asp_arena_init(&memory.arena, pile.context);
    assert_ok(pile.context, asp_judge_create(pile.context, &judge));
    AspContactProblem *p = &pile.problem;
    for (int turn = 0; turn < 4; turn++) {
      AspPacked fresh, packed;
      bool fits;
      if (turn == 2) { // two contacts change places: another graph of the same size
        AspRandom random = {5};
        write_contact(p, 150, 49, 99, spheres, &random);
      }
      assert_ok(pile.context, asp_judge_reset(judge, p));
      AspPackedScope scope = {.rho = 1, .norm_q = 1, .mass = asp_judge_mass(judge), .memory = &memory};
      take(&pile, &fresh);
      assert_ok(pile.context, asp_packed_take(&packed, &pile.arena, p, &scope, &fits));
      assert_true(fits && memory.known);
      compare_packed(&fresh, &packed);
    }
    asp_judge_destroy(judge);
    asp_arena_free(&memory.arena);
    close_pile(&pile);
  }
}

typedef struct Solving {
  Pile *pile;
  double tolerance, *r;
  AspSolverInfo *info;
} Solving;

static void solve_pile(void *data) {
  const Solving *solving = data;
  Pile *pile = solving->pile;
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver;
  options.method = ASP_METHOD_NSGS;
  options.tolerance = options.tolerance_contact = solving->tolerance;
  options.max_iterations = 20000;
  assert_ok(pile->context, asp_solver_create(pile->context, &options, &solver));
  memset(solving->r, 0, (size_t)pile->problem.rows * sizeof *solving->r);
  assert_ok(pile->context, asp_solver_solve(solver, &pile->problem, solving->r, NULL, NULL, solving->info));
  asp_solver_destroy(solver);
}

/* By so many threads, also more than processors: the solver takes the team that is there. */
static void solve(Pile *pile, double tolerance, int threads, double *r, AspSolverInfo *info) {
  asp_team_run(pile->context, threads, solve_pile, &(Solving){pile, tolerance, r, info});
}

static void check_answers(bool spheres, double tolerance) {
  Pile pile;
  make_pile(&pile, spheres);
  size_t rows = (size_t)pile.problem.rows;
  double *one = malloc(rows * sizeof *one), *many = malloc(rows * sizeof *many);
  AspSolverInfo info, again;
  solve(&pile, tolerance, 1, one, &info);
  assert_int_equal(info.status, ASP_STATUS_SOLVED);
  AspJudge *judge;
  AspResidual residual;
  assert_ok(pile.context, asp_judge_create(pile.context, &judge));
  assert_ok(pile.context, asp_judge_reset(judge, &pile.problem));
  assert_ok(pile.context, asp_judge_residual(judge, one, &residual, NULL, NULL));
  assert_true(residual.contact <= tolerance && residual.E2 <= tolerance);
  asp_judge_destroy(judge);
  for (int threads = 2; threads <= 8; threads += threads == 3 ? 5 : 1) {
    solve(&pile, tolerance, threads, many, &again);
    assert_int_equal(again.iterations, info.iterations);
    assert_memory_equal(one, many, rows * sizeof *one);
  }
  free(one);
  free(many);
  close_pile(&pile);
}

static void answer_stands_before_the_judge_and_is_the_same_for_any_number_of_threads(void **state) {
  (void)state;
  check_answers(false, 1e-4);
  check_answers(true, 3e-3); // spheres roll: sweeps are slow
}

/* Gauss-Seidel with a limit of sweeps that is not enough for the pile. */
static AspSolver *make_limited(AspContext *context, int threads) {
  AspSolverOptions options = asp_solver_default_options();
  AspSolver *solver;
  options.method = ASP_METHOD_NSGS;
  options.threads = threads;
  options.tolerance = options.tolerance_contact = 1e-6;
  options.max_iterations = 200;
  assert_ok(context, asp_solver_create(context, &options, &solver));
  return solver;
}

static void solve_from_nothing(AspSolver *solver, Pile *pile, double *r, AspSolverInfo *info) {
  memset(r, 0, (size_t)pile->problem.rows * sizeof *r);
  assert_ok(pile->context, asp_solver_solve(solver, &pile->problem, r, NULL, NULL, info));
}

/* The second solve knows of the first. */
static void solve_twice(Pile *pile, int threads, double *r, AspSolverInfo info[2]) {
  AspSolver *solver = make_limited(pile->context, threads);
  for (int k = 0; k < 2; k++)
    solve_from_nothing(solver, pile, r, &info[k]);
  asp_solver_destroy(solver);
}

static void a_limit_that_was_not_enough_is_known_to_the_next_solve(void **state) {
  (void)state;
  Pile pile;
  AspSolverInfo info[2], again[2];
  AspJudge *judge;
  AspResidual residual;
  make_pile(&pile, true);
  size_t rows = (size_t)pile.problem.rows;
  double *r = malloc(rows * sizeof *r), *other = malloc(rows * sizeof *other);
  solve_twice(&pile, 1, r, info);
  assert_int_equal(info[0].status, ASP_STATUS_ITERATION_LIMIT);
  assert_int_equal(info[1].status, ASP_STATUS_ITERATION_LIMIT);
  assert_true(info[0].residual.contact > 5e-4 && info[1].residual.contact != info[0].residual.contact);
  assert_ok(pile.context, asp_judge_create(pile.context, &judge));
  assert_ok(pile.context, asp_judge_reset(judge, &pile.problem));
  assert_ok(pile.context, asp_judge_residual(judge, r, &residual, NULL, NULL));
  assert_near(info[1].residual.contact, residual.contact, 1e-12);
  assert_near(info[1].residual.E2, residual.E2, 1e-15);
  asp_judge_destroy(judge);
  solve_twice(&pile, 2, other, again);
  assert_memory_equal(r, other, rows * sizeof *r);
  free(r);
  free(other);
  close_pile(&pile);
}

static void a_good_start_after_solves_with_sweeps_needs_none(void **state) {
  (void)state;
  Pile pile;
  AspSolverOptions options = asp_solver_default_options();
  AspSolverInfo info;
  AspSolver *solver;
  options.method = ASP_METHOD_NSGS;
  options.tolerance = options.tolerance_contact = 1e-4;
  options.max_iterations = 20000;
  make_pile(&pile, false);
  size_t rows = (size_t)pile.problem.rows;
  double *r = malloc(rows * sizeof *r), *again = malloc(rows * sizeof *again);
  assert_ok(pile.context, asp_solver_create(pile.context, &options, &solver));
  for (int k = 0; k < 3; k++) {
    solve_from_nothing(solver, &pile, r, &info);
    assert_true(info.status == ASP_STATUS_SOLVED && info.iterations > 0);
  }
  memcpy(again, r, rows * sizeof *r);
  for (int k = 0; k < 2; k++) { // found by the sweeps' own look, then by the judge's
    assert_ok(pile.context, asp_solver_solve(solver, &pile.problem, again, NULL, NULL, &info));
    assert_true(info.status == ASP_STATUS_SOLVED && info.iterations == 0);
    assert_memory_equal(r, again, rows * sizeof *r);
  }
  asp_solver_destroy(solver);
  free(r);
  free(again);
  close_pile(&pile);
}

/* Where nearly all had to be swept before, no start is looked at: islands are found when sweeps were not enough. */
static void islands_finish_what_sweeps_leave_also_where_no_start_was_looked_at(void **state) {
  (void)state;
  Pile pile;
  AspSolverOptions options = asp_solver_default_options();
  AspSolverInfo info;
  AspSolver *solver;
  options.tolerance = 1e-6;
  options.max_iterations = 5;
  make_piles(&pile, true, IN_PILE / 4);
  double *r = malloc((size_t)pile.problem.rows * sizeof *r);
  assert_ok(pile.context, asp_solver_create(pile.context, &options, &solver));
  for (int k = 0; k < 2; k++) {
    solve_from_nothing(solver, &pile, r, &info);
    assert_non_null(strstr(info.path, "2 of 2 islands"));
  }
  asp_solver_destroy(solver);
  free(r);
  close_pile(&pile);
}

/* H without its zeros. */
static void drop_zeros(AspSparse *H) {
  int at = 0;
  for (int j = 0, k = 0; j < H->columns; j++) {
    for (int end = H->start[j + 1]; k < end; k++)
      if (H->value[k] != 0) {
        H->row[at] = H->row[k];
        H->value[at++] = H->value[k];
      }
    H->start[j + 1] = at;
  }
}

static void zeros_may_be_left_out(void **state) {
  (void)state;
  Pile pile;
  AspPacked packed;
  make_pile(&pile, false);
  size_t rows = (size_t)pile.problem.rows;
  double *with = malloc(rows * sizeof *with), *without = malloc(rows * sizeof *without);
  AspSolverInfo info;
  int entries = pile.problem.H.start[rows];
  solve(&pile, 1e-4, 1, with, &info);
  drop_zeros(&pile.problem.H);
  assert_true(pile.problem.H.start[rows] < entries);
  take(&pile, &packed);
  solve(&pile, 1e-4, 1, without, &info);
  assert_memory_equal(with, without, rows * sizeof *with);
  free(with);
  free(without);
  close_pile(&pile);
}

/* The normal of a contact of two bodies: its forces are opposite no more. */
static void make_other_kind(Pile *pile) {
  pile->problem.H.value[pile->problem.H.start[pile->problem.rows - 3]] += 0.25;
}

static void a_problem_of_another_kind_after_a_limit_is_solved_as_by_a_new_solver(void **state) {
  (void)state;
  Pile pile;
  AspSolverInfo info, expected;
  make_pile(&pile, true);
  size_t rows = (size_t)pile.problem.rows;
  double *r = malloc(rows * sizeof *r), *other = malloc(rows * sizeof *other);
  AspSolver *solver = make_limited(pile.context, 1), *new_solver = make_limited(pile.context, 1);
  solve_from_nothing(solver, &pile, r, &info);
  assert_true(info.status == ASP_STATUS_ITERATION_LIMIT && info.residual.contact > 5e-4);
  make_other_kind(&pile);
  memcpy(other, r, rows * sizeof *r);
  assert_ok(pile.context, asp_solver_solve(solver, &pile.problem, r, NULL, NULL, &info));
  assert_ok(pile.context, asp_solver_solve(new_solver, &pile.problem, other, NULL, NULL, &expected));
  assert_true(expected.iterations > 0);
  assert_int_equal(info.iterations, expected.iterations);
  assert_memory_equal(r, other, rows * sizeof *r);
  asp_solver_destroy(new_solver);
  asp_solver_destroy(solver);
  free(r);
  free(other);
  close_pile(&pile);
}

static void other_problems_are_left_alone(void **state) {
  (void)state;
  Pile pile;
  AspPacked packed;
  AspPackedScope scope = {.rho = 1, .norm_q = 1};
  bool fits;
  make_pile(&pile, false);
  make_other_kind(&pile);
  assert_ok(pile.context, asp_packed_take(&packed, &pile.arena, &pile.problem, &scope, &fits));
  assert_false(fits);
  close_pile(&pile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kernel_gives_the_bits_of_the_scalar_reference),
      cmocka_unit_test(batches_are_laid_out_with_the_bits_of_the_scalar_reference),
      cmocka_unit_test(spheres_give_what_general_bodies_give),
      cmocka_unit_test(float_sweeps_give_the_bits_of_the_scalar_reference),
      cmocka_unit_test(batches_slabs_and_boundaries_share_no_body),
      cmocka_unit_test(what_is_known_of_a_problem_changes_nothing_in_what_is_packed),
      cmocka_unit_test(answer_stands_before_the_judge_and_is_the_same_for_any_number_of_threads),
      cmocka_unit_test(a_limit_that_was_not_enough_is_known_to_the_next_solve),
      cmocka_unit_test(a_problem_of_another_kind_after_a_limit_is_solved_as_by_a_new_solver),
      cmocka_unit_test(a_good_start_after_solves_with_sweeps_needs_none),
      cmocka_unit_test(islands_finish_what_sweeps_leave_also_where_no_start_was_looked_at),
      cmocka_unit_test(zeros_may_be_left_out),
      cmocka_unit_test(other_problems_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
