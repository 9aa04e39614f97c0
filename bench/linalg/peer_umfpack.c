/* UMFPACK, symmetric strategy. GPL: for reference only. */
#include "peer.h"

#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

typedef struct Umfpack {
  int n, *start, *row;
  double *value, *b, control[UMFPACK_CONTROL];
  void *symbolic, *numeric;
} Umfpack;

static void umf_destroy(void *state) {
  Umfpack *u = state;
  umfpack_di_free_numeric(&u->numeric);
  umfpack_di_free_symbolic(&u->symbolic);
  free(u->b);
  free(u);
}

static void *umf_create(const AspSparse *A) {
  Umfpack *u = calloc(1, sizeof *u);
  *u = (Umfpack){.n = A->columns, .start = A->start, .row = A->row};
  u->b = malloc((size_t)u->n * sizeof *u->b);
  umfpack_di_defaults(u->control);
  u->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
  u->control[UMFPACK_IRSTEP] = 0;
  umfpack_di_symbolic(u->n, u->n, u->start, u->row, A->value, &u->symbolic, u->control, NULL);
  return u;
}

static bool umf_factor(void *state, const AspSparse *A) {
  Umfpack *u = state;
  umfpack_di_free_numeric(&u->numeric);
  u->value = A->value;
  return umfpack_di_numeric(u->start, u->row, u->value, u->symbolic, &u->numeric, u->control, NULL) == UMFPACK_OK;
}

static bool umf_solve(void *state, double *x) {
  Umfpack *u = state;
  memcpy(u->b, x, (size_t)u->n * sizeof *x);
  return umfpack_di_solve(UMFPACK_A, u->start, u->row, u->value, x, u->b, u->numeric, u->control, NULL) == UMFPACK_OK;
}

const Peer peer_umfpack = {"UMFPACK (GPL)", false, umf_create, umf_factor, umf_solve, umf_destroy};
