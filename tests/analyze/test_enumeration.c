/* Enumeration in the plane and with polygons: against brute force over all modes, on planted problems, on continua. */
#include "analyze_testing.h"

#define MOST 10 /* rows */

/* ---- brute force: every combination of modes, one linear system each ---- */

typedef struct Brute {
  int count;
  double u[64][MOST];
} Brute;

static int mode_count(const AspLaw *law) { return law->kind == ASP_LAW_COULOMB ? 4 : law->kind == ASP_LAW_BOX ? 3 : 2; }

/* r of the block in this mode: unknown columns (at most 2) and a constant; rows of u that must vanish. */
static int columns_of(const AspLaw *law, int mode, double column[2][2], double constant[2]) {
  constant[0] = constant[1] = 0;
  column[0][0] = 1;
  column[0][1] = 0;
  column[1][0] = 0;
  column[1][1] = 1;
  if (law->kind == ASP_LAW_BOX) {
    constant[0] = mode == 1 ? -law->limit : mode == 2 ? law->limit : 0;
    return mode == 0;
  }
  if (law->kind == ASP_LAW_SLIDING)
    column[0][1] = -law->mu * law->direction[0];
  if (law->kind == ASP_LAW_COULOMB && mode >= 2)
    column[0][1] = mode == 2 ? -law->mu : law->mu;
  return mode == 0 ? 0 : law->kind == ASP_LAW_COULOMB && mode == 1 ? 2 : 1;
}

/* Does the block's (r, u) agree with the mode's inequalities? */
static bool agrees(const AspLaw *law, int mode, const double *r, const double *u) {
  const double e = 1e-9;
  if (law->kind == ASP_LAW_BOX)
    return mode == 0 ? fabs(r[0]) <= law->limit + e : mode == 1 ? u[0] >= -e : u[0] <= e;
  if (mode == 0)
    return u[0] >= -e;
  if (r[0] < -e)
    return false;
  if (law->kind != ASP_LAW_COULOMB)
    return true;
  return mode == 1 ? fabs(r[1]) <= law->mu * r[0] + e : mode == 2 ? u[1] >= -e : u[1] <= e;
}

static void try_modes(const AspContactProblem *p, const double *W, const int *mode, Brute *brute) {
  int n = p->rows, unknowns = 0, equation[MOST];
  double G[MOST][MOST] = {{0}}, base[MOST] = {0}, A[MOST * MOST], x[MOST], r[MOST], u[MOST];
  for (int b = 0; b < p->blocks; b++) {
    double column[2][2], constant[2];
    int at = p->offset[b], count = columns_of(&p->law[b], mode[b], column, constant);
    for (int k = 0; k < p->offset[b + 1] - at; k++)
      base[at + k] = constant[k];
    for (int j = 0; j < count; j++, unknowns++) {
      equation[unknowns] = at + j;
      for (int k = 0; k < p->offset[b + 1] - at; k++)
        G[unknowns][at + k] = column[j][k];
    }
  }
  for (int i = 0; i < unknowns; i++) {
    x[i] = -p->q[equation[i]];
    for (int k = 0; k < n; k++)
      x[i] -= W[equation[i] * n + k] * base[k];
    for (int j = 0; j < unknowns; j++) {
      A[i * unknowns + j] = 0;
      for (int k = 0; k < n; k++)
        A[i * unknowns + j] += W[equation[i] * n + k] * G[j][k];
    }
  }
  if (!plain_solve(unknowns, A, x))
    return;
  for (int k = 0; k < n; k++) {
    r[k] = base[k];
    for (int j = 0; j < unknowns; j++)
      r[k] += G[j][k] * x[j];
  }
  for (int i = 0; i < n; i++) {
    u[i] = p->q[i];
    for (int k = 0; k < n; k++)
      u[i] += W[i * n + k] * r[k];
  }
  for (int b = 0; b < p->blocks; b++)
    if (!agrees(&p->law[b], mode[b], r + p->offset[b], u + p->offset[b]))
      return;
  for (int s = 0; s < brute->count; s++) {
    double difference = 0;
    for (int i = 0; i < n; i++)
      difference = fmax(difference, fabs(u[i] - brute->u[s][i]) / (1 + fabs(u[i])));
    if (difference < 1e-6)
      return;
  }
  memcpy(brute->u[brute->count++], u, sizeof u);
}

static void brute_force(const AspContactProblem *p, const double *W, Brute *brute) {
  int mode[8] = {0};
  brute->count = 0;
  for (;;) {
    try_modes(p, W, mode, brute);
    int b = 0;
    while (b < p->blocks && ++mode[b] == mode_count(&p->law[b]))
      mode[b++] = 0;
    if (b == p->blocks)
      return;
  }
}

static void assert_same_solutions(const AspAnalysis *analysis, const Brute *brute, int rows) {
  assert_true(analysis->complete);
  assert_int_equal(analysis->count, brute->count);
  for (int s = 0; s < brute->count; s++) {
    double best = INFINITY;
    for (int i = 0; i < analysis->count; i++) {
      double difference = 0;
      for (int k = 0; k < rows; k++)
        difference = fmax(difference, fabs(brute->u[s][k] - analysis->solution[i].u[k]) / (1 + fabs(brute->u[s][k])));
      best = fmin(best, difference);
    }
    assert_at_most(best, 1e-6);
  }
}

static void random_problem_has_the_solutions_of_brute_force(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {2024};
  int seen[8] = {0};
  for (int round = 0; round < 1000; round++) {
    int contacts = 1 + round % 5, rows = 0;
    AspLaw law[5] = {{0}};
    for (int b = 0; b < contacts; b++) {
      double kind = asp_random_uniform(&random, 0, 1);
      law[b].kind = kind < 0.7   ? ASP_LAW_COULOMB
                    : kind < 0.8 ? ASP_LAW_UNILATERAL
                    : kind < 0.9 ? ASP_LAW_BOX
                                 : ASP_LAW_SLIDING;
      law[b].mu = asp_random_uniform(&random, 0.1, 3);
      law[b].limit = asp_random_uniform(&random, 0.1, 2);
      law[b].direction[0] = asp_random_uniform(&random, -1, 1) > 0 ? 1 : -1;
      rows += law[b].kind == ASP_LAW_COULOMB || law[b].kind == ASP_LAW_SLIDING ? 2 : 1;
    }
    double W[MOST * MOST], q[MOST];
    random_delassus(&random, rows + 1, rows, W);
    for (int i = 0; i < rows; i++)
      q[i] = asp_random_normal(&random);
    AspContactProblem p = dense_problem(context, 2, contacts, law, W, q);
    AspAnalysis analysis;
    Brute brute;
    assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
    brute_force(&p, W, &brute);
    assert_same_solutions(&analysis, &brute, rows);
    for (int i = 0; i < analysis.count; i++)
      assert_at_most(analysis.solution[i].residual.E2, 1e-9);
    seen[brute.count < 7 ? brute.count : 7]++;
    asp_analysis_destroy(context, &analysis);
    asp_problem_destroy(context, &p);
  }
  // the set is no trivial one: none, one and several solutions all occur
  assert_true(seen[0] > 5 && seen[1] > 100 && seen[2] + seen[3] > 20);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

/* The rod of Preclik and Ruede has 3 solutions at step level; independent copies of it have 3^k. */
static void copies_of_a_rod_have_the_product_of_its_solutions(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const double w = 0.75 * sqrt(3), dt = 0.01, phi = acos(-1) / 3, tau = -5.0 / 3;
  const double free_n = dt * (-1 + 3 * -cos(phi) * tau), free_t = -1 + dt * 3 * sin(phi) * tau;
  for (int copies = 1; copies <= 5; copies++) {
    int n = 2 * copies;
    double W[100] = {0}, q[10];
    AspLaw law[5];
    for (int c = 0; c < copies; c++) {
      double block[4] = {1.75, -w, -w, 3.25};
      for (int i = 0; i < 4; i++)
        W[(2 * c + i / 2) * n + 2 * c + i % 2] = block[i];
      q[2 * c] = free_n;
      q[2 * c + 1] = free_t;
      law[c] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 1.5};
    }
    AspContactProblem p = dense_problem(context, 2, copies, law, W, q);
    AspAnalysis analysis;
    assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
    assert_true(analysis.complete);
    assert_int_equal(analysis.count, (int)(pow(3, copies) + 0.5));
    assert_int_equal(analysis.islands, copies);
    for (int c = 0; c < copies; c++) // by Painleve's principle nothing touches in the first one
      assert_int_equal(analysis.solution[0].mode[c], ASP_BLOCK_OPEN);
    asp_analysis_destroy(context, &analysis);
    asp_problem_destroy(context, &p);
  }
  asp_context_destroy(context);
}

/* Weakly coupled rods: the product of solutions persists under a small perturbation, now in one island. */
static void weakly_coupled_rods_keep_the_number_of_solutions(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {5};
  const double w = 0.75 * sqrt(3), dt = 0.01, phi = acos(-1) / 3, tau = -5.0 / 3;
  for (int copies = 2; copies <= 4; copies++) {
    int n = 2 * copies;
    double W[64] = {0}, q[8], B[8][8];
    AspLaw law[4];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        B[i][j] = 0.01 * asp_random_normal(&random);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          W[i * n + j] += B[k][i] * B[k][j];
    for (int c = 0; c < copies; c++) {
      double block[4] = {1.75, -w, -w, 3.25};
      for (int i = 0; i < 4; i++)
        W[(2 * c + i / 2) * n + 2 * c + i % 2] += block[i];
      q[2 * c] = dt * (-1 + 3 * -cos(phi) * tau);
      q[2 * c + 1] = -1 + dt * 3 * sin(phi) * tau;
      law[c] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 1.5};
    }
    AspContactProblem p = dense_problem(context, 2, copies, law, W, q);
    AspAnalysis analysis;
    assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
    assert_true(analysis.complete);
    assert_int_equal(analysis.islands, 1);
    assert_int_equal(analysis.count, (int)(pow(3, copies) + 0.5));
    asp_analysis_destroy(context, &analysis);
    asp_problem_destroy(context, &p);
  }
  asp_context_destroy(context);
}

/* A witness must convince by itself: p.W g <= 0 for all that the named modes allow, p.q < 0, and p >= 0 on what their
 * velocities may do. */
static void no_solution_comes_with_witnesses_that_hold(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const double w = 0.75 * sqrt(3);
  const double W[4] = {1.75, -w, -w, 3.25}, q[2] = {-1, 0};
  AspLaw law = {.kind = ASP_LAW_SLIDING, .mu = 1.5, .direction = {-1, 0}}; // the rod slides to the left
  AspContactProblem p = dense_problem(context, 2, 1, &law, W, q);
  AspAnalysis analysis;
  assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
  assert_false(analysis.exists);
  assert_true(analysis.complete);
  assert_true(analysis.witness_complete);
  int open = 0, closed = 0;
  for (int i = 0; i < analysis.witnesses; i++) {
    const AspWitness *it = &analysis.witness[i];
    double along[2] = {it->p[0] * W[0] + it->p[1] * W[2], it->p[0] * W[1] + it->p[1] * W[3]};
    assert_near(it->p[1], 0, 1e-12); // u_T is free
    assert_true(it->p[0] * q[0] < 0);
    assert_near(it->margin, it->p[0] * q[0], 1e-12);
    if (it->mode[0] == ASP_BLOCK_OPEN || it->mode[0] < 0) {
      open++;
      assert_true(it->p[0] > 0); // u_N >= 0 there, r = 0
    }
    if (it->mode[0] != ASP_BLOCK_OPEN) {
      closed++;
      assert_at_most(along[0] + 1.5 * along[1], 1e-12);
    }
  }
  assert_true(open >= 1 && closed >= 1);
  asp_analysis_destroy(context, &analysis);
  asp_problem_destroy(context, &p);
  asp_context_destroy(context);
}

/* Two contacts below a block that rests in the plane: more reactions than equations. Unit mass, unit inertia, feet at (-1, -1)
 * and (1, -1); weight 1, friction 0.5. */
static AspContactProblem hyperstatic_rest(AspContext *context) {
  double H[3][4] = {{0, 1, 0, 1}, {1, 0, 1, 0}, {-1, 1, 1, 1}}, W[16], q[4];
  for (int i = 0; i < 4; i++) {
    q[i] = -H[1][i];
    for (int j = 0; j < 4; j++) {
      W[i * 4 + j] = 0;
      for (int k = 0; k < 3; k++)
        W[i * 4 + j] += H[k][i] * H[k][j];
    }
  }
  AspLaw law[2] = {{.kind = ASP_LAW_COULOMB, .mu = 0.5}, {.kind = ASP_LAW_COULOMB, .mu = 0.5}};
  return dense_problem(context, 2, 2, law, W, q);
}

static void hyperstatic_rest_is_one_motion_with_intervals(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem p = hyperstatic_rest(context);
  AspAnalysis analysis;
  assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
  assert_true(analysis.unique_motion);
  assert_false(analysis.unique);
  assert_int_equal(analysis.count, 1);
  assert_int_equal(analysis.solution[0].reaction_dimension, 1); // the feet may press against each other
  for (int b = 0; b < 2; b++) {
    assert_int_equal(analysis.solution[0].mode[b], ASP_BLOCK_STICK);
    assert_near(analysis.solution[0].low[b], 0.5, 1e-9); // the normals are determined all the same
    assert_near(analysis.solution[0].high[b], 0.5, 1e-9);
  }
  asp_analysis_destroy(context, &analysis);
  asp_problem_destroy(context, &p);
  asp_context_destroy(context);
}

/* ---- limits ---- */

static void time_that_is_up_leaves_the_analysis_incomplete(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem p = hyperstatic_rest(context);
  AspAnalysisOptions options = asp_analysis_default_options();
  AspAnalysis analysis;
  options.max_time = 1e-9;
  assert_ok(context, asp_analyze(context, &p, &options, &analysis));
  assert_false(analysis.complete || analysis.unique || analysis.unique_motion);
  assert_string_equal(analysis.incomplete, "the limit on time was reached");
  assert_int_equal(analysis.count, 1); // a solver finds it; of its reactions only those found are known
  for (int b = 0; b < 2; b++)
    assert_true(analysis.solution[0].low[b] == analysis.solution[0].high[b]);
  asp_analysis_destroy(context, &analysis);
  asp_problem_destroy(context, &p);
  asp_context_destroy(context);
}

typedef struct Patience {
  int asked, most;
} Patience;

static bool is_spent(void *user) {
  Patience *patience = user;
  return ++patience->asked > patience->most;
}

/* The last questions come from the programs for the intervals of the reactions, after the search has ended. */
static void a_caller_can_stop_the_analysis_at_every_question(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem p = hyperstatic_rest(context);
  AspAnalysis analysis;
  int most = 0;
  for (AspError error = ASP_ERROR_INTERRUPTED; error != ASP_OK; most++) {
    Patience patience = {0, most};
    asp_context_set_stop(context, is_spent, &patience);
    error = asp_analyze(context, &p, NULL, &analysis);
    if (patience.asked <= most) {
      assert_ok(context, error);
      continue;
    }
    assert_int_equal(error, ASP_ERROR_INTERRUPTED);
    assert_int_equal(patience.asked, most + 1); // and is not asked again
    assert_non_null(strstr(asp_context_message(context), "interrupted"));
  }
  assert_true(most > 5);
  asp_analysis_destroy(context, &analysis);
  asp_problem_destroy(context, &p);
  asp_context_destroy(context);
}

/* A part between two walls on a floor, from a run: what a step leaves over makes the walls part by 5e-12 m/s, 5e-10 of the
 * velocities. That is no proof that nothing solves it. */
static void noise_in_the_data_is_no_proof_of_non_existence(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const double H[3][6] = {{0, 1, 1, 0, -1, 0},
                          {1, 0, 0, -1, 0, 1},
                          {-0.00122479831186662, 0.01929314121407333, -0.00210617947839747, 0.01971990777091612,
                           0.0262046143313231, 0.03028009222919803}};
  const double mass[3] = {0.89316570824616848, 0.89316570824616848, 3.1569517157614566e-04};
  const double v[3] = {2.8327925942484011e-14 / mass[0], -8.7619555979270135e-03 / mass[1],
                       1.1038763073365426e-13 / mass[2]};
  double W[36], q[6] = {0, 0, 0, 0, 4.5614553800810143e-12, 0};
  AspLaw law[3];
  for (int c = 0; c < 3; c++)
    law[c] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.1};
  for (int i = 0; i < 6; i++) {
    for (int d = 0; d < 3; d++)
      q[i] += H[d][i] * v[d];
    for (int j = 0; j < 6; j++) {
      W[6 * i + j] = 0;
      for (int d = 0; d < 3; d++)
        W[6 * i + j] += H[d][i] * H[d][j] / mass[d];
    }
  }
  AspContactProblem p = dense_problem(context, 2, 3, law, W, q);
  AspAnalysis analysis;
  assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
  assert_true(analysis.exists);
  assert_at_most(analysis.solution[0].residual.E2, 1e-8);
  asp_analysis_destroy(context, &analysis);
  asp_problem_destroy(context, &p);
  asp_context_destroy(context);
}

/* Six blocks, two contacts below each: 12 contacts, hyperstatic. Blocks 2 wide and 1 high, a step from rest, from
 * horizontal or from rocking motion. The bound on nodes is what keeps it to a second, 4^12 modes would be 16 million.
 */
static void stack_with_twelve_contacts_is_decided_in_few_nodes(void **state) {
  (void)state;
  enum { BLOCKS = 6, DOFS = 3 * BLOCKS, ROWS = 4 * BLOCKS };
  AspContext *context = asp_context_create(NULL);
  for (int motion = 0; motion < 3; motion++) {
    double H[DOFS][ROWS] = {{0}}, v[DOFS] = {0}, W[ROWS * ROWS], q[ROWS];
    AspLaw law[2 * BLOCKS];
    for (int c = 0; c < 2 * BLOCKS; c++) {
      int block = c / 2, n = 2 * c, t = 2 * c + 1;
      double x = c % 2 ? 1 : -1;
      law[c] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.5};
      H[3 * block][t] = H[3 * block + 1][n] = 1;
      H[3 * block + 2][n] = x;
      H[3 * block + 2][t] = 0.5;
      if (block > 0) { // what stands below feels the opposite, at its upper side
        H[3 * block - 3][t] = H[3 * block - 2][n] = -1;
        H[3 * block - 1][n] = -x;
        H[3 * block - 1][t] = 0.5;
      }
    }
    for (int b = 0; b < BLOCKS; b++) {
      double sign = b % 2 ? 1 : -1;
      v[3 * b] = motion == 1 ? 0.2 * sign : 0;
      v[3 * b + 1] = -0.0981;
      v[3 * b + 2] = motion == 2 ? 0.3 * sign : 0;
    }
    for (int i = 0; i < ROWS; i++) {
      q[i] = 0;
      for (int d = 0; d < DOFS; d++)
        q[i] += H[d][i] * v[d];
      for (int j = 0; j < ROWS; j++) {
        W[i * ROWS + j] = 0;
        for (int d = 0; d < DOFS; d++)
          W[i * ROWS + j] += H[d][i] * H[d][j] / (d % 3 == 2 ? 0.4 : 1);
      }
    }
    AspContactProblem p = dense_problem(context, 2, 2 * BLOCKS, law, W, q);
    AspAnalysis analysis;
    assert_ok(context, asp_analyze(context, &p, NULL, &analysis));
    assert_true(analysis.unique_motion);
    assert_true(analysis.nodes < 3000);
    assert_at_most(analysis.solution[0].residual.E2, 1e-9);
    if (motion == 0) { // at rest: one pressing pair of friction forces per layer is free
      assert_int_equal(analysis.solution[0].reaction_dimension, BLOCKS);
      for (int c = 0; c < 2 * BLOCKS; c++)
        assert_near(analysis.solution[0].low[c], (BLOCKS - c / 2) * 0.0981 / 2, 1e-9);
    }
    asp_analysis_destroy(context, &analysis);
    asp_problem_destroy(context, &p);
  }
  asp_context_destroy(context);
}

/* Polygons: with the same polygon given as inscribed and as circumscribed one (turned, larger mu)
 * nothing may change. */
static void inscribed_and_circumscribed_polygons_agree_where_they_are_the_same(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspRandom random = {99};
  for (int round = 0; round < 60; round++) {
    int contacts = 1 + round % 2, rows = 3 * contacts, n = 4 + 2 * (round % 3);
    double W[36], q[6];
    random_delassus(&random, rows + 1, rows, W);
    for (int i = 0; i < rows; i++)
      q[i] = asp_random_normal(&random);
    AspAnalysis analysis[2];
    for (int kind = 0; kind < 2; kind++) {
      AspLaw law[2];
      double half = acos(-1) / n;
      for (int c = 0; c < contacts; c++)
        law[c] = (AspLaw){.kind = ASP_LAW_COULOMB,
                          .mu = kind ? 1.2 * cos(half) : 1.2,
                          .cone = kind ? ASP_CONE_CIRCUMSCRIBED : ASP_CONE_INSCRIBED,
                          .directions = n,
                          .angle = kind ? 0.2 + half : 0.2};
      AspContactProblem p = dense_problem(context, 3, contacts, law, W, q);
      assert_ok(context, asp_analyze(context, &p, NULL, &analysis[kind]));
      assert_true(analysis[kind].complete);
      for (int i = 0; i < analysis[kind].count; i++)
        assert_at_most(analysis[kind].solution[i].residual.E2, 1e-9);
      asp_problem_destroy(context, &p);
    }
    assert_int_equal(analysis[0].count, analysis[1].count);
    for (int i = 0; i < analysis[0].count; i++)
      for (int k = 0; k < rows; k++)
        assert_near(analysis[0].solution[i].u[k], analysis[1].solution[i].u[k], 1e-7);
    asp_analysis_destroy(context, &analysis[0]);
    asp_analysis_destroy(context, &analysis[1]);
  }
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problem_has_the_solutions_of_brute_force),
      cmocka_unit_test(copies_of_a_rod_have_the_product_of_its_solutions),
      cmocka_unit_test(weakly_coupled_rods_keep_the_number_of_solutions),
      cmocka_unit_test(no_solution_comes_with_witnesses_that_hold),
      cmocka_unit_test(hyperstatic_rest_is_one_motion_with_intervals),
      cmocka_unit_test(time_that_is_up_leaves_the_analysis_incomplete),
      cmocka_unit_test(a_caller_can_stop_the_analysis_at_every_question),
      cmocka_unit_test(noise_in_the_data_is_no_proof_of_non_existence),
      cmocka_unit_test(stack_with_twelve_contacts_is_decided_in_few_nodes),
      cmocka_unit_test(inscribed_and_circumscribed_polygons_agree_where_they_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
