/* KLU (SuiteSparse, LGPL): scalar LU with partial pivoting; later factorisations keep the pivots of the first. */
#include "peer.h"

#include <klu.h>
#include <stdlib.h>

typedef struct Klu {
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
} Klu;

static void peer_klu_destroy(void *state) {
  Klu *k = state;
  klu_free_numeric(&k->numeric, &k->common);
  klu_free_symbolic(&k->symbolic, &k->common);
  free(k);
}

static void *klu_create(const AspSparse *A) {
  Klu *k = calloc(1, sizeof *k);
  klu_defaults(&k->common);
  k->symbolic = klu_analyze(A->columns, A->start, A->row, &k->common);
  return k;
}

static bool peer_klu_factor(void *state, const AspSparse *A) {
  Klu *k = state;
  if (k->numeric)
    return klu_refactor(A->start, A->row, A->value, k->symbolic, k->numeric, &k->common);
  k->numeric = klu_factor(A->start, A->row, A->value, k->symbolic, &k->common);
  return k->numeric != NULL;
}

static bool peer_klu_solve(void *state, double *x) {
  Klu *k = state;
  return klu_solve(k->symbolic, k->numeric, k->symbolic->n, 1, x, &k->common);
}

const Peer peer_klu = {"KLU", false, klu_create, peer_klu_factor, peer_klu_solve, peer_klu_destroy};
