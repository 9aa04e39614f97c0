/* Contact problems from dense arrays, for tests. */
#ifndef ASP_TEST_BUILDING_H
#define ASP_TEST_BUILDING_H

#include "asperity/problem.h"
#include "testing.h"

static inline int rows_of_law(const AspLaw *law, int dimension) {
  return law->kind == ASP_LAW_COULOMB || law->kind == ASP_LAW_SLIDING || law->kind == ASP_LAW_BALL ? dimension : 1;
}

/* A (rows x columns, given row by row) into compressed columns that have room for all entries; zeros are left out. */
static inline void fill_sparse(AspSparse *A, const double *by_rows) {
  int place = 0;
  for (int j = 0; j < A->columns; j++) {
    for (int i = 0; i < A->rows; i++)
      if (by_rows[i * A->columns + j] != 0) {
        A->row[place] = i;
        A->value[place++] = by_rows[i * A->columns + j];
      }
    A->start[j + 1] = place;
  }
}

static inline int set_laws(AspContactProblem *problem, const AspLaw *laws) {
  for (int i = 0; i < problem->blocks; i++) {
    problem->law[i] = laws[i];
    problem->offset[i + 1] = problem->offset[i] + rows_of_law(&laws[i], problem->dimension);
  }
  return problem->offset[problem->blocks];
}

static inline int count_rows(int dimension, int blocks, const AspLaw *laws) {
  int rows = 0;
  for (int i = 0; i < blocks; i++)
    rows += rows_of_law(&laws[i], dimension);
  return rows;
}

/* EQUALITY blocks have one row here. W row by row. */
static inline AspContactProblem local_problem(AspContext *context, int dimension, int blocks, const AspLaw *laws,
                                              const double *W, const double *q) {
  AspContactProblem problem;
  int rows = count_rows(dimension, blocks, laws);
  assert_ok(context, asp_problem_create(context, dimension, blocks, rows, 0, 0, 0, rows * rows, &problem));
  set_laws(&problem, laws);
  fill_sparse(&problem.W, W);
  for (int j = 0; j < rows; j++)
    problem.q[j] = q[j];
  return problem;
}

/* M (dofs x dofs) and H (dofs x rows) row by row. */
static inline AspContactProblem global_problem(AspContext *context, int dimension, int blocks, const AspLaw *laws,
                                               int dofs, const double *M, const double *H, const double *f,
                                               const double *w) {
  AspContactProblem problem;
  int rows = count_rows(dimension, blocks, laws);
  assert_ok(context, asp_problem_create(context, dimension, blocks, rows, dofs, dofs * dofs, dofs * rows, 0, &problem));
  set_laws(&problem, laws);
  fill_sparse(&problem.M, M);
  fill_sparse(&problem.H, H);
  for (int i = 0; i < dofs; i++)
    problem.f[i] = f[i];
  for (int j = 0; j < rows; j++)
    problem.w[j] = w[j];
  return problem;
}

static inline AspResidual judged(AspContext *context, const AspContactProblem *problem, const double *r, double *u,
                                 double *x) {
  AspJudge *judge;
  AspResidual residual;
  assert_ok(context, asp_judge_create(context, &judge));
  assert_ok(context, asp_judge_reset(judge, problem));
  assert_ok(context, asp_judge_residual(judge, r, &residual, u, x));
  asp_judge_destroy(judge);
  return residual;
}

#endif
