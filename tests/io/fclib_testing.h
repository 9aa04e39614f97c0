/* What the FCLIB test programs share: bitwise comparison of problems, small problems of given shapes, and editing a
 * file with HDF5 itself. Each program has its own file names (FCLIB_TEST_NAME).
 */
#ifndef ASP_FCLIB_TESTING_H
#define ASP_FCLIB_TESTING_H

#include "asperity/io.h"
#include "problem_families.h"
#include "testing.h"

#include <hdf5.h>
#include <string.h>

#define PATH ASP_BINARY_DIR "/" FCLIB_TEST_NAME ".hdf5"

static AspContext *context;

static inline int open_context(void **state) {
  (void)state;
  context = asp_context_create(NULL);
  return context ? 0 : -1;
}

static inline int close_context(void **state) {
  (void)state;
  size_t leaked = asp_context_memory_in_use(context);
  asp_context_destroy(context);
  remove(PATH);
  return leaked == 0 && H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0 ? 0 : -1; // nothing left open
}

/* ---- comparisons ---- */

static inline void assert_sparse_identical(const AspSparse *a, const AspSparse *b) {
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->columns, b->columns);
  if (a->columns == 0)
    return;
  size_t entries = (size_t)a->start[a->columns];
  assert_memory_equal(a->start, b->start, ((size_t)a->columns + 1) * sizeof(int));
  assert_memory_equal(a->row, b->row, entries * sizeof(int));
  assert_memory_equal(a->value, b->value, entries * sizeof(double));
}

static inline void assert_vectors_identical(const double *a, const double *b, int count) {
  assert_int_equal(a != NULL, b != NULL);
  if (a && count)
    assert_memory_equal(a, b, (size_t)count * sizeof(double));
}

static inline void assert_laws_identical(const AspContactProblem *a, const AspContactProblem *b) {
  assert_int_equal(a->dimension, b->dimension);
  assert_int_equal(a->blocks, b->blocks);
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->dofs, b->dofs);
  assert_memory_equal(a->offset, b->offset, ((size_t)a->blocks + 1) * sizeof(int));
  for (int i = 0; i < a->blocks; i++) {
    const AspLaw *x = &a->law[i], *y = &b->law[i];
    assert_true(x->kind == y->kind && x->mu == y->mu && x->limit == y->limit && x->cone == y->cone &&
                x->direction[0] == y->direction[0] && x->direction[1] == y->direction[1] &&
                x->directions == y->directions && x->angle == y->angle);
  }
}

static inline void assert_identical(const AspContactProblem *a, const AspContactProblem *b) {
  assert_laws_identical(a, b);
  assert_sparse_identical(&a->M, &b->M);
  assert_sparse_identical(&a->H, &b->H);
  assert_sparse_identical(&a->W, &b->W);
  assert_vectors_identical(a->f, b->f, a->dofs);
  assert_vectors_identical(a->w, b->w, a->dofs ? a->rows : 0);
  assert_vectors_identical(a->q, b->q, a->rows);
}

static inline void assert_round_trip(const AspContactProblem *problem) {
  AspContactProblem back;
  assert_ok(context, asp_fclib_write(context, PATH, problem, NULL));
  assert_true(asp_fclib_recognise(context, PATH));
  assert_ok(context, asp_fclib_read(context, PATH, NULL, &back, NULL));
  assert_identical(problem, &back);
  asp_problem_destroy(context, &back);
}

/* ---- problems ---- */

/* A random problem of the given shape in local form, 2D or 3D, equality blocks of two rows at the end. W is symmetric
 * unless told otherwise. */
static inline AspContactProblem local_problem(int dimension, int contacts, int equalities, bool symmetric) {
  AspContactProblem p;
  AspRandom random = {.state = 5};
  int blocks = contacts + equalities, rows = dimension * contacts + 2 * equalities;
  assert_ok(context, asp_problem_create(context, dimension, blocks, rows, 0, 0, 0, rows * rows, &p));
  for (int b = 0; b < blocks; b++) {
    p.law[b] = b < contacts ? (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.1 * b} : (AspLaw){.kind = ASP_LAW_EQUALITY};
    p.offset[b + 1] = p.offset[b] + (b < contacts ? dimension : 2);
  }
  for (int j = 0; j < rows; j++) {
    p.W.start[j + 1] = rows * (j + 1);
    p.q[j] = asp_random_normal(&random);
    for (int i = 0; i < rows; i++) {
      p.W.row[rows * j + i] = i;
      p.W.value[rows * j + i] =
          symmetric && i < j ? p.W.value[rows * i + j] : asp_random_normal(&random) + rows * (i == j);
    }
  }
  return p;
}

/* A point mass per contact in 2D: M diagonal, H couples neighbours. */
static inline AspContactProblem planar_problem(int contacts) {
  AspContactProblem p;
  AspRandom random = {.state = 6};
  int rows = 2 * contacts, at = 0;
  assert_ok(context, asp_problem_create(context, 2, contacts, rows, rows, rows, 2 * rows - 2, 0, &p));
  for (int j = 0; j < rows; j++) {
    p.M.start[j + 1] = j + 1;
    p.M.row[j] = j;
    p.M.value[j] = asp_random_uniform(&random, 1, 2);
    p.f[j] = asp_random_normal(&random);
    p.w[j] = asp_random_normal(&random);
    for (int i = j > 1 ? j - 2 : j; i <= j; i += 2) {
      p.H.row[at] = i;
      p.H.value[at++] = asp_random_normal(&random);
    }
    p.H.start[j + 1] = at;
  }
  for (int b = 0; b < contacts; b++) {
    p.law[b] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = 0.3};
    p.offset[b + 1] = 2 * (b + 1);
  }
  return p;
}

static inline AspContactProblem family(ProblemFamily which, int size) {
  AspContactProblem problem;
  assert_ok(context, problem_family_make(context, which, size, 3, &problem));
  return problem;
}

/* ---- HDF5 by hand ---- */

static inline hid_t edit(void) {
  hid_t file = H5Fopen(PATH, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

static inline bool link_exists(const char *name) {
  hid_t file = edit();
  htri_t found = H5Lexists(file, name, H5P_DEFAULT);
  H5Fclose(file);
  return found > 0;
}

static inline void delete_link(const char *name) {
  hid_t file = edit();
  assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  H5Fclose(file);
}

/* Put a dataset in place of what was there. type: of the file and of the values. */
static inline void put(const char *name, hid_t type, int rank, const hsize_t *size, const void *values) {
  hid_t file = edit(), space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
  if (H5Lexists(file, name, H5P_DEFAULT) > 0)
    H5Ldelete(file, name, H5P_DEFAULT);
  hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(dataset >= 0);
  if (values)
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Fclose(file);
}

static inline void put_integers(const char *name, size_t count, const int *values) {
  hsize_t size = count;
  put(name, H5T_NATIVE_INT, 1, &size, values);
}

static inline void put_reals(const char *name, size_t count, const double *values) {
  hsize_t size = count;
  put(name, H5T_NATIVE_DOUBLE, 1, &size, values);
}

static inline void put_integer(const char *name, int value) { put_integers(name, 1, &value); }

/* Read the whole of a dataset of reals; returns how many. */
static inline size_t get_reals(const char *name, double *values, size_t capacity) {
  hid_t file = edit(), dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  size_t count = (size_t)H5Sget_simple_extent_npoints(space);
  assert_true(count <= capacity);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return count;
}

#endif
