/* One sparse factorisation among those compared: analyse a pattern, factor its values, solve. */
#ifndef ASP_BENCH_PEER_H
#define ASP_BENCH_PEER_H

#include "asperity/linalg.h"

typedef struct Peer {
  const char *name;
  bool symmetric;                                  /* reads the lower triangle only */
  void *(*create)(const AspSparse *A);             /* analysis; NULL: failed. A outlives it */
  bool (*factor)(void *state, const AspSparse *A); /* A: the analysed matrix with new values */
  bool (*solve)(void *state, double *x);           /* x := A^-1 x */
  void (*destroy)(void *state);
} Peer;

extern const Peer peer_own_ldlt, peer_own_lu, peer_mumps_symmetric, peer_mumps_unsymmetric, peer_ldl, peer_klu,
    peer_cholmod, peer_umfpack;

#endif
