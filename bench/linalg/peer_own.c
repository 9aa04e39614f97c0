/* Our own factorisation as a candidate of the comparison. */
#include "linalg/factor.h"
#include "peer.h"

#include <stdlib.h>

typedef struct Own {
  AspContext *context;
  AspFactor *factor;
} Own;

static void own_destroy(void *state) {
  Own *own = state;
  asp_factor_destroy(own->factor);
  asp_context_destroy(own->context);
  free(own);
}

static void *own_create(const AspSparse *A, AspFactorKind kind) {
  Own *own = calloc(1, sizeof *own);
  own->context = asp_context_create(NULL);
  if (asp_factor_create(own->context, &own->factor) == ASP_OK && asp_factor_analyse(own->factor, kind, A) == ASP_OK)
    return own;
  own_destroy(own);
  return NULL;
}

static void *create_ldlt(const AspSparse *A) { return own_create(A, ASP_FACTOR_LDLT); }
static void *create_lu(const AspSparse *A) { return own_create(A, ASP_FACTOR_LU); }

static bool own_factor(void *state, const AspSparse *A) {
  AspFactorInfo info;
  return asp_factor_compute(((Own *)state)->factor, A, NULL, &info) == ASP_OK && info.set_aside == 0;
}

static bool own_solve(void *state, double *x) { return asp_factor_solve(((Own *)state)->factor, 1, x, 0) == ASP_OK; }

const Peer peer_own_ldlt = {"own LDL^T", true, create_ldlt, own_factor, own_solve, own_destroy};
const Peer peer_own_lu = {"own LU", false, create_lu, own_factor, own_solve, own_destroy};
