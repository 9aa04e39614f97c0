/* Products with H by blocks: those of the general matrices, with the same bits for any number of threads; and what the
 * judge says of columns that are wrong. */
#include "base/base.h"
#include "base/parallel.h"
#include "building.h"
#include "linalg/sparse.h"
#include "problem/block_columns.h"

#include <math.h>

#define BODIES 300
#define BLOCKS 900
#define DOFS   (6 * BODIES)

/* Six values of a column at a body. */
static int write_six(AspSparse *H, int at, int body, AspRandom *random) {
  for (int i = 0; i < 6; i++, at++) {
    H->row[at] = 6 * body + i;
    H->value[at] = asp_random_uniform(random, -1, 1);
  }
  return at;
}

/* Rigid bodies of any inertia; contacts, joints of five rows and stops of one row between two bodies, or of one with
 * the ground. */
static AspContactProblem make_problem(AspContext *context) {
  static const AspLaw laws[3] = {
      {.kind = ASP_LAW_COULOMB, .mu = 0.5}, {.kind = ASP_LAW_EQUALITY}, {.kind = ASP_LAW_UNILATERAL}};
  static const int rows[3] = {3, 5, 1};
  AspContactProblem p;
  AspRandom random = {17};
  int all = 3 * BLOCKS; // 3, 5, 1 in turn
  assert_ok(context, asp_problem_create(context, 3, BLOCKS, all, DOFS, 6 * DOFS, 12 * all, 0, &p));
  for (int j = 0; j < DOFS; j++) {
    double inertia[9] = {2, 0.1, 0.2, 0.1, 3, 0.3, 0.2, 0.3, 4}, mass = 1 + 0.01 * (j / 6);
    for (int i = 0; i < 6; i++) {
      int k = j % 6;
      p.M.row[6 * j + i] = j / 6 * 6 + i;
      p.M.value[6 * j + i] = i >= 3 && k >= 3 ? mass * inertia[3 * (k - 3) + i - 3] : i == k ? mass : 0;
    }
    p.M.start[j + 1] = 6 * (j + 1);
    p.f[j] = asp_random_uniform(&random, -1, 1);
  }
  for (int i = 0, at = 0; i < BLOCKS; i++) {
    int a = (int)asp_random_uniform(&random, 0, BODIES - 1), b = (int)asp_random_uniform(&random, a + 1, BODIES);
    p.law[i] = laws[i % 3];
    p.offset[i + 1] = p.offset[i] + rows[i % 3];
    for (int j = p.offset[i]; j < p.offset[i + 1]; j++) {
      at = write_six(&p.H, at, a, &random);
      if (i % 7 != 0)
        at = write_six(&p.H, at, b, &random);
      p.H.start[j + 1] = at;
      p.w[j] = asp_random_uniform(&random, -1, 1);
    }
  }
  return p;
}

/* The problem with its mass factored. */
typedef struct Case {
  AspContext *context;
  AspContactProblem p;
  AspArena arena;
  AspMass mass;
} Case;

static void open_case(Case *it) {
  it->context = asp_context_create(NULL);
  it->p = make_problem(it->context);
  asp_arena_init(&it->arena, it->context);
  asp_mass_init(&it->mass, it->context);
  assert_ok(it->context, asp_mass_factor(&it->mass, &it->arena, &it->p));
}

static void close_case(Case *it) {
  asp_mass_free(&it->mass);
  asp_arena_free(&it->arena);
  asp_problem_destroy(it->context, &it->p);
  asp_context_destroy(it->context);
}

static double *random_vector(int count, uint64_t seed) {
  AspRandom random = {seed};
  double *x = malloc((size_t)count * sizeof *x);
  for (int k = 0; k < count; k++)
    x[k] = asp_random_uniform(&random, -1, 1);
  return x;
}

typedef struct Pushing {
  AspContext *context;
  const AspContactProblem *problem;
  const AspBlockBodies *bodies;
  const double *r;
  double *x;
} Pushing;

static void push(void *data) {
  const Pushing *pushing = data;
  asp_blocks_push(pushing->context, pushing->problem, pushing->bodies, pushing->r, pushing->x);
}

/* By one thread and by several. */
static void compare_push(AspContext *context, const AspContactProblem *p, const AspBlockBodies *bodies) {
  size_t bytes = DOFS * sizeof(double);
  double *r = random_vector(p->rows, 5), *start = random_vector(DOFS, 6), *x = malloc(bytes), *expected = malloc(bytes);
  for (int i = 0; i < BLOCKS; i += 4) // open contacts
    for (int j = p->offset[i]; j < p->offset[i + 1]; j++)
      r[j] = 0;
  memcpy(expected, start, bytes);
  asp_sparse_multiply_add(&p->H, 1, r, expected);
  for (int threads = 1; threads <= 4; threads++) {
    memcpy(x, start, bytes);
    asp_team_run(context, threads, push, &(Pushing){context, p, bodies, r, x});
    assert_memory_equal(x, expected, bytes);
  }
  free(r);
  free(start);
  free(x);
  free(expected);
}

static void products_by_blocks_have_the_bits_of_the_general_ones(void **state) {
  (void)state;
  Case it;
  AspBlockBodies bodies[BLOCKS];
  open_case(&it);
  assert_true(asp_block_bodies_find(&it.p, &it.mass, 0, 100, bodies));
  assert_true(asp_block_bodies_find(&it.p, &it.mass, 100, BLOCKS, bodies));
  size_t bytes = (size_t)it.p.rows * sizeof(double);
  double *x = random_vector(DOFS, 3), *u = malloc(bytes), *expected = malloc(bytes);
  memcpy(expected, it.p.w, bytes);
  asp_sparse_multiply_transpose_add(&it.p.H, 1, x, expected);
  asp_blocks_velocity(&it.p, bodies, x, 0, 333, u);
  asp_blocks_velocity(&it.p, bodies, x, 333, BLOCKS, u);
  assert_memory_equal(u, expected, bytes);
  assert_ok(it.context, asp_mass_delassus_diagonal(&it.mass, &it.arena, &it.p, expected));
  asp_blocks_diagonal(&it.p, bodies, &it.mass, 0, 334, u);
  asp_blocks_diagonal(&it.p, bodies, &it.mass, 334, BLOCKS, u);
  assert_memory_equal(u, expected, bytes);
  compare_push(it.context, &it.p, bodies);
  free(x);
  free(u);
  free(expected);
  close_case(&it);
}

/* Some blocks have a row that is of no body: pushes have the same bits, velocities the sums in another order. */
static void blocks_of_another_kind_are_read_entry_by_entry(void **state) {
  (void)state;
  Case it;
  AspBlockBodies runs[BLOCKS];
  int others = 0;
  open_case(&it);
  for (int i = 0; i < BLOCKS; i += 5) {
    bool free_before = it.p.H.row[it.p.H.start[it.p.offset[i]]] > 0;
    others += free_before;
    for (int j = it.p.offset[i]; j < it.p.offset[i + 1] && free_before; j++)
      it.p.H.row[it.p.H.start[j]]--;
  }
  assert_int_equal(asp_block_runs_find(&it.p, 0, BLOCKS, runs), others);
  double *x = random_vector(DOFS, 3), *u = random_vector(it.p.rows, 4), *expected = random_vector(it.p.rows, 4);
  memcpy(expected, it.p.w, (size_t)it.p.rows * sizeof *expected);
  asp_sparse_multiply_transpose_add(&it.p.H, 1, x, expected);
  asp_blocks_velocity(&it.p, runs, x, 0, BLOCKS, u);
  for (int j = 0; j < it.p.rows; j++)
    assert_near(u[j], expected[j], 1e-14);
  compare_push(it.context, &it.p, runs);
  for (int k = 0; k < it.p.H.start[it.p.rows]; k++)
    it.p.H.value[k] = fabs(it.p.H.value[k]);
  for (int k = 0; k < DOFS; k++)
    x[k] = fabs(x[k]);
  memset(expected, 0, (size_t)it.p.rows * sizeof *expected);
  asp_sparse_multiply_transpose_add(&it.p.H, 1, x, expected);
  asp_blocks_sizes(&it.p, runs, x, 0, BLOCKS, u);
  for (int j = 0; j < it.p.rows; j++)
    assert_near(u[j], expected[j], 1e-14);
  free(x);
  free(u);
  free(expected);
  close_case(&it);
}

static void blocks_that_act_on_less_or_more_than_whole_bodies_are_told(void **state) {
  (void)state;
  Case it;
  AspBlockBodies bodies[BLOCKS];
  open_case(&it);
  int *row = it.p.H.row + it.p.H.start[it.p.offset[1] + 2], kept[12]; // third column of a block of two bodies
  memcpy(kept, row, sizeof kept);
  for (int i = 6; i < 12; i++) // another body than in its first columns
    row[i] = kept[6] + 6 < DOFS ? kept[i] + 6 : kept[0] + i;
  assert_false(asp_block_bodies_find(&it.p, &it.mass, 0, BLOCKS, bodies));
  memcpy(row, kept, sizeof kept);
  for (int j = it.p.offset[1]; j < it.p.offset[2]; j++) // six rows that are no body
    for (int i = 0; i < 6; i++)
      it.p.H.row[it.p.H.start[j] + i] += kept[0] > 0 ? -1 : 1;
  assert_false(asp_block_bodies_find(&it.p, &it.mass, 1, 2, bodies));
  assert_true(asp_block_bodies_find(&it.p, &it.mass, 2, BLOCKS, bodies));
  close_case(&it);
}

static void refuse(AspContext *context, const AspContactProblem *p, const char *part) {
  AspJudge *judge;
  assert_ok(context, asp_judge_create(context, &judge));
  assert_int_equal(asp_judge_reset(judge, p), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), part));
  asp_judge_destroy(judge);
}

static void wrong_entries_of_large_problems_are_named_before_a_singular_mass(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem p = make_problem(context);
  AspJudge *judge;
  assert_ok(context, asp_judge_create(context, &judge));
  assert_ok(context, asp_judge_reset(judge, &p));
  asp_judge_destroy(judge);
  for (int singular = 0; singular < 2; singular++) {
    int last = p.H.start[p.rows] - 1;
    double value = p.H.value[last];
    if (singular)
      for (int i = 0; i < 6; i++)
        p.M.value[i] = 0;
    p.H.value[last] = NAN;
    refuse(context, &p, "H: entry");
    p.H.value[last] = value;
    p.H.row[last] += 6 * BODIES;
    refuse(context, &p, "H: row");
    p.H.row[last] -= 6 * BODIES + 1;
    refuse(context, &p, "rows must ascend");
    p.H.row[last]++;
  }
  refuse(context, &p, "M is singular at dof 0");
  asp_problem_destroy(context, &p);
  asp_context_destroy(context);
}

/* A joint's spring couples the spins of the first bodies with those of the next: M is sparse, and its diagonal of W
 * does not show what is wrong with H. */
static AspContactProblem make_coupled(AspContext *context, int coupled) {
  AspContactProblem p = make_problem(context);
  AspSparse M = p.M, *C = &p.M;
  int at = 0;
  assert_ok(context, asp_sparse_allocate(context, DOFS, DOFS, 2 * 6 * DOFS, C));
  for (int j = 0; j < DOFS; j++) {
    int body = j / 6;
    for (int i = 6 * (body - 1); i < 6 * (body + 2); i++) {
      bool own = i / 6 == body && i >= 0,
           other = body <= coupled && i >= 0 && i / 6 <= coupled && i % 6 >= 3 && j % 6 >= 3;
      if (!own && !other)
        continue;
      C->row[at] = i;
      C->value[at++] = own ? M.value[M.start[j] + i - 6 * body] : -0.01;
    }
    C->start[j + 1] = at;
  }
  asp_sparse_release(context, &M);
  return p;
}

static void wrong_entries_beside_a_sparse_mass_are_named(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem p = make_coupled(context, 20);
  AspJudge *judge;
  assert_ok(context, asp_judge_create(context, &judge));
  assert_ok(context, asp_judge_reset(judge, &p));
  assert_false(asp_judge_mass(judge)->is_blocks);
  asp_judge_destroy(judge);
  for (int given = 0; given < 2; given++) {
    int last = p.H.start[p.rows] - 1, first = p.H.start[p.offset[1]];
    double value = p.H.value[last];
    p.H.value[last] = NAN;
    refuse(context, &p, "H: entry");
    p.H.value[last] = value;
    p.H.row[last] += 6 * BODIES;
    refuse(context, &p, "H: row");
    p.H.row[last] -= 6 * BODIES + 1;
    refuse(context, &p, "rows must ascend");
    p.H.row[last]++;
    if (!given)
      assert_ok(context, asp_problem_set_bodies(context, &p, NULL));
    else
      for (int j = p.offset[1]; j < p.offset[2]; j++) // one that is not coupled in the place of the first one
        for (int i = 0; i < 6; i++)
          p.H.row[first + 12 * (j - p.offset[1]) + 6 + i] = 6 * (BODIES - 1) + i;
  }
  refuse(context, &p, "which is not listed");
  asp_problem_destroy(context, &p);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_by_blocks_have_the_bits_of_the_general_ones),
      cmocka_unit_test(blocks_of_another_kind_are_read_entry_by_entry),
      cmocka_unit_test(blocks_that_act_on_less_or_more_than_whole_bodies_are_told),
      cmocka_unit_test(wrong_entries_of_large_problems_are_named_before_a_singular_mass),
      cmocka_unit_test(wrong_entries_beside_a_sparse_mass_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
