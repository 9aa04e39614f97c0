/* A sparse M of bodies whose spins are coupled: what is factored of it, against dense linear algebra. */
#include "linalg/dense.h"
#include "problem/mass_core.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

#define BODIES  6
#define DOFS    (6 * BODIES)
#define COLUMNS (2 * BODIES)

/* The chain's bodies have full 6 x 6 blocks, with zeros between velocity and spin, and spins that couple with those of
 * the body before. */
static AspSparse chain_mass(AspArena *arena) {
  AspSparse M;
  int at = 0;
  assert_int_equal(asp_sparse_take(arena, DOFS, DOFS, DOFS * 12, &M), ASP_OK);
  for (int j = 0; j < DOFS; j++) {
    int body = j / 6, own = j % 6;
    for (int i = 0; i < DOFS; i++) {
      int distance = abs(i / 6 - body);
      bool spins = i % 6 >= 3 && own >= 3;
      if (distance > 1 || (distance == 1 && !spins))
        continue;
      M.row[at] = i;
      M.value[at++] = i == j ? 4 + 0.1 * j : spins ? -0.3 - 0.01 * (i + j) : 0;
    }
    M.start[j + 1] = at;
  }
  return M;
}

/* Rows of two neighbours each, of one body, and of the first body with the last. */
static AspSparse rows_of_bodies(AspArena *arena) {
  AspSparse H;
  AspRandom random = {5};
  int at = 0;
  assert_int_equal(asp_sparse_take(arena, DOFS, COLUMNS, COLUMNS * 12, &H), ASP_OK);
  for (int j = 0; j < COLUMNS; j++) {
    int first = j / 2, second = j == 0 ? BODIES - 1 : j < COLUMNS - 2 ? first + 1 : -1;
    for (int i = 0; i < 6; i++, at++)
      H.row[at] = 6 * first + i, H.value[at] = asp_random_uniform(&random, -1, 1);
    for (int i = 0; i < 6 && second >= 0; i++, at++)
      H.row[at] = 6 * second + i, H.value[at] = asp_random_uniform(&random, -1, 1);
    H.start[j + 1] = at;
  }
  return H;
}

typedef struct Case {
  AspContext *context;
  AspArena arena;
  AspMassCore core;
  AspSparse M, H;
} Case;

static void open_case(Case *it) {
  it->context = asp_context_create(NULL);
  asp_arena_init(&it->arena, it->context);
  asp_mass_core_init(&it->core, it->context);
  it->M = chain_mass(&it->arena);
  it->H = rows_of_bodies(&it->arena);
}

static void close_case(Case *it) {
  asp_mass_core_free(&it->core);
  asp_arena_free(&it->arena);
  assert_int_equal(asp_context_memory_in_use(it->context), 0);
  asp_context_destroy(it->context);
}

static void factor(Case *it, int expected) {
  int singular;
  assert_ok(it->context, asp_mass_core_factor(&it->core, &it->M, &singular));
  assert_int_equal(singular, -1);
  assert_int_equal(it->core.n, expected);
}

static double *entry(AspSparse *A, int i, int j) {
  for (int k = A->start[j]; k < A->start[j + 1]; k++)
    if (A->row[k] == i)
      return &A->value[k];
  return NULL;
}

/* Solutions for the columns of H, and of a symmetric M the squares. */
static void assert_equals_dense(Case *it) {
  static double M[DOFS * DOFS], Z[DOFS * COLUMNS], X[DOFS * COLUMNS];
  double square[COLUMNS];
  int pivot[DOFS];
  memset(M, 0, sizeof M);
  memset(Z, 0, sizeof Z);
  for (int j = 0; j < DOFS; j++)
    for (int k = it->M.start[j]; k < it->M.start[j + 1]; k++)
      M[it->M.row[k] + DOFS * j] = it->M.value[k];
  for (int j = 0; j < COLUMNS; j++)
    for (int k = it->H.start[j]; k < it->H.start[j + 1]; k++)
      Z[it->H.row[k] + DOFS * j] = it->H.value[k];
  memcpy(X, Z, sizeof X);
  assert_int_equal(asp_dense_lu(DOFS, M, DOFS, pivot), -1);
  asp_dense_lu_solve(DOFS, M, DOFS, pivot, COLUMNS, Z, DOFS);
  assert_ok(it->context, asp_mass_core_solve(&it->core, COLUMNS, X));
  for (int k = 0; k < DOFS * COLUMNS; k++)
    assert_near(X[k], Z[k], 1e-13);
  if (!it->core.is_symmetric)
    return;
  assert_ok(it->context, asp_mass_core_squares(&it->core, &it->arena, &it->H, square));
  for (int j = 0; j < COLUMNS; j++) {
    double sum = 0;
    for (int k = it->H.start[j]; k < it->H.start[j + 1]; k++)
      sum += it->H.value[k] * Z[it->H.row[k] + DOFS * j];
    assert_near(square[j], sum, 1e-13);
  }
}

static void only_what_couples_is_factored(void **state) {
  (void)state;
  Case it;
  open_case(&it);
  for (int round = 0; round < 2; round++) {
    factor(&it, 3 * BODIES);
    assert_equals_dense(&it);
    *entry(&it.M, 1, 2) = *entry(&it.M, 2, 1) = 0.5; // one body's velocities couple, and are factored as well
    factor(&it, 3 * BODIES + 3);
    assert_equals_dense(&it);
    *entry(&it.M, 1, 2) = *entry(&it.M, 2, 1) = 0;
  }
  close_case(&it);
}

static void mass_without_symmetry_is_factored_whole(void **state) {
  (void)state;
  Case it;
  open_case(&it);
  *entry(&it.M, 3, 9) *= 1.1;
  factor(&it, DOFS);
  assert_false(it.core.is_symmetric);
  assert_equals_dense(&it);
  close_case(&it);
}

static void nothing_is_factored_where_all_couplings_are_zero(void **state) {
  (void)state;
  Case it;
  open_case(&it);
  for (int j = 0; j < DOFS; j++)
    for (int k = it.M.start[j]; k < it.M.start[j + 1]; k++)
      it.M.value[k] = it.M.row[k] == j ? it.M.value[k] : 0;
  factor(&it, 0);
  assert_equals_dense(&it);
  close_case(&it);
}

static void dof_that_stands_alone_without_mass_is_named(void **state) {
  (void)state;
  Case it;
  int singular;
  open_case(&it);
  const double wrong[] = {0, INFINITY, NAN};
  for (int k = 0; k < 3; k++) {
    *entry(&it.M, 13, 13) = wrong[k];
    assert_ok(it.context, asp_mass_core_factor(&it.core, &it.M, &singular));
    assert_int_equal(singular, 13);
  }
  close_case(&it);
}

/* Against unit vectors solved for, in units in which the diagonal is 1. */
static void bound_of_the_inverse_holds_for_what_stands_alone_too(void **state) {
  (void)state;
  Case it;
  open_case(&it);
  *entry(&it.M, 8, 8) = 1e-4;
  factor(&it, 3 * BODIES);
  double scale[DOFS], row[DOFS] = {0}, work[2 * DOFS], most = 0;
  for (int k = 0; k < DOFS; k++)
    scale[k] = k == 8 ? 1 : 1 / sqrt(*entry(&it.M, k, k));
  for (int j = 0; j < DOFS; j++) {
    double x[DOFS] = {0};
    x[j] = 1 / scale[j];
    assert_ok(it.context, asp_mass_core_solve(&it.core, 1, x));
    for (int i = 0; i < DOFS; i++)
      row[i] += fabs(x[i]) / scale[i];
  }
  for (int i = 0; i < DOFS; i++)
    most = fmax(most, row[i]);
  assert_near(most, 1e4, 1e-9);
  double bound = asp_mass_core_inverse_bound(&it.core, scale, work);
  assert_true(bound >= most * (1 - 1e-12) && bound <= most * (1 + 1e-12));
  close_case(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_what_couples_is_factored),
      cmocka_unit_test(mass_without_symmetry_is_factored_whole),
      cmocka_unit_test(nothing_is_factored_where_all_couplings_are_zero),
      cmocka_unit_test(dof_that_stands_alone_without_mass_is_named),
      cmocka_unit_test(bound_of_the_inverse_holds_for_what_stands_alone_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
