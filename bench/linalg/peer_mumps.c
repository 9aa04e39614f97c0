/* MUMPS (sequential build, CeCILL-C): symmetric positive definite and unsymmetric, ordering AMD. */
#include "peer.h"

#include <dmumps_c.h>
#include <stdlib.h>
#include <string.h>

typedef struct Mumps {
  DMUMPS_STRUC_C id;
  int *entry; /* which value of A each triplet is */
} Mumps;

static void run(Mumps *m, int job) {
  m->id.job = job;
  dmumps_c(&m->id);
}

static void mumps_destroy(void *state) {
  Mumps *m = state;
  run(m, -2);
  free(m->id.irn), free(m->id.jcn), free(m->id.a), free(m->entry);
  free(m);
}

static void *mumps_create(const AspSparse *A, int symmetric) {
  Mumps *m = calloc(1, sizeof *m);
  int entries = A->start[A->columns];
  m->id.par = 1;
  m->id.sym = symmetric; // 0: unsymmetric, 1: positive definite
  m->id.comm_fortran = -987654;
  run(m, -1);
  m->id.irn = malloc((size_t)entries * sizeof(int));
  m->id.jcn = malloc((size_t)entries * sizeof(int));
  m->id.a = malloc((size_t)entries * sizeof(double));
  m->entry = malloc((size_t)entries * sizeof(int));
  for (int j = 0; j < A->columns; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
      if (!symmetric || A->row[k] >= j) {
        m->entry[m->id.nnz] = k;
        m->id.irn[m->id.nnz] = A->row[k] + 1;
        m->id.jcn[m->id.nnz++] = j + 1;
      }
  m->id.n = A->columns;
  m->id.icntl[0] = m->id.icntl[1] = m->id.icntl[2] = -1; // no output
  m->id.icntl[3] = 0;
  m->id.icntl[6] = 0;   // ordering: AMD
  m->id.icntl[5] = 0;   // no permutation to a large diagonal: the diagonal is large
  m->id.icntl[7] = 0;   // no scaling
  m->id.icntl[13] = 50; // per cent of extra work space
  run(m, 1);
  if (m->id.infog[0] >= 0)
    return m;
  mumps_destroy(m);
  return NULL;
}

static void *create_symmetric(const AspSparse *A) { return mumps_create(A, 1); }
static void *create_unsymmetric(const AspSparse *A) { return mumps_create(A, 0); }

static bool mumps_factor(void *state, const AspSparse *A) {
  Mumps *m = state;
  for (MUMPS_INT8 k = 0; k < m->id.nnz; k++)
    m->id.a[k] = A->value[m->entry[k]];
  run(m, 2);
  return m->id.infog[0] >= 0;
}

static bool mumps_solve(void *state, double *x) {
  Mumps *m = state;
  m->id.rhs = x;
  m->id.nrhs = 1;
  m->id.lrhs = m->id.n;
  run(m, 3);
  return m->id.infog[0] >= 0;
}

const Peer peer_mumps_symmetric = {"MUMPS sym", true, create_symmetric, mumps_factor, mumps_solve, mumps_destroy};
const Peer peer_mumps_unsymmetric = {"MUMPS unsym", false,       create_unsymmetric,
                                     mumps_factor,  mumps_solve, mumps_destroy};
