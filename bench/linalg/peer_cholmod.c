/* CHOLMOD, supernodal where it sees fit, ordering AMD. Its supernodal part is GPL: for reference only. */
#include "peer.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

typedef struct Cholmod {
  cholmod_common common;
  cholmod_sparse matrix;
  cholmod_factor *factor;
  cholmod_dense *b;
} Cholmod;

static void peer_cholmod_destroy(void *state) {
  Cholmod *c = state;
  cholmod_free_factor(&c->factor, &c->common);
  cholmod_free_dense(&c->b, &c->common);
  cholmod_finish(&c->common);
  free(c);
}

static void *cholmod_create(const AspSparse *A) {
  Cholmod *c = calloc(1, sizeof *c);
  cholmod_start(&c->common);
  c->common.print = 0;
  c->common.nmethods = 1;
  c->common.method[0].ordering = CHOLMOD_AMD;
  c->common.postorder = 1;
  c->matrix = (cholmod_sparse){.nrow = (size_t)A->rows,
                               .ncol = (size_t)A->columns,
                               .nzmax = (size_t)A->start[A->columns],
                               .p = A->start,
                               .i = A->row,
                               .x = A->value,
                               .stype = -1,
                               .itype = CHOLMOD_INT,
                               .xtype = CHOLMOD_REAL,
                               .dtype = CHOLMOD_DOUBLE,
                               .sorted = 1,
                               .packed = 1};
  c->factor = cholmod_analyze(&c->matrix, &c->common);
  c->b = cholmod_allocate_dense((size_t)A->rows, 1, (size_t)A->rows, CHOLMOD_REAL, &c->common);
  return c;
}

static bool cholmod_compute(void *state, const AspSparse *A) {
  Cholmod *c = state;
  c->matrix.x = A->value;
  cholmod_factorize(&c->matrix, c->factor, &c->common);
  return c->common.status == CHOLMOD_OK;
}

static bool peer_cholmod_solve(void *state, double *x) {
  Cholmod *c = state;
  memcpy(c->b->x, x, c->b->nrow * sizeof *x);
  cholmod_dense *y = cholmod_solve(CHOLMOD_A, c->factor, c->b, &c->common);
  if (!y)
    return false;
  memcpy(x, y->x, c->b->nrow * sizeof *x);
  cholmod_free_dense(&y, &c->common);
  return true;
}

const Peer peer_cholmod = {"CHOLMOD (GPL)",     true, cholmod_create, cholmod_compute, peer_cholmod_solve,
                           peer_cholmod_destroy};
