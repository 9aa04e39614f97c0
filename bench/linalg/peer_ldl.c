/* LDL with AMD (both of SuiteSparse, LGPL and BSD): scalar up-looking LDL^T. */
#include "peer.h"

#include <amd.h>
#include <ldl.h>
#include <stdlib.h>

typedef struct Ldl {
  int n, *P, *Pinv, *Lp, *Parent, *Lnz, *Flag, *Li, *Pattern;
  double *Lx, *D, *Y;
} Ldl;

static void peer_ldl_destroy(void *state) {
  Ldl *l = state;
  void *parts[] = {l->P, l->Pinv, l->Lp, l->Parent, l->Lnz, l->Flag, l->Li, l->Pattern, l->Lx, l->D, l->Y, l};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    free(parts[k]);
}

static void *ldl_create(const AspSparse *A) {
  Ldl *l = calloc(1, sizeof *l);
  size_t n = (size_t)A->columns;
  int **parts[] = {&l->P, &l->Pinv, &l->Lp, &l->Parent, &l->Lnz, &l->Flag, &l->Pattern};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    *parts[k] = calloc(n + 1, sizeof(int));
  l->n = A->columns;
  l->D = calloc(n, sizeof(double));
  l->Y = calloc(n, sizeof(double));
  amd_order(l->n, A->start, A->row, l->P, NULL, NULL);
  ldl_symbolic(l->n, A->start, A->row, l->Lp, l->Parent, l->Lnz, l->Flag, l->P, l->Pinv);
  l->Li = malloc((size_t)l->Lp[n] * sizeof(int));
  l->Lx = malloc((size_t)l->Lp[n] * sizeof(double));
  return l;
}

static bool ldl_factor(void *state, const AspSparse *A) {
  Ldl *l = state;
  return ldl_numeric(l->n, A->start, A->row, A->value, l->Lp, l->Parent, l->Lnz, l->Li, l->Lx, l->D, l->Y, l->Pattern,
                     l->Flag, l->P, l->Pinv) == l->n;
}

static bool peer_ldl_solve(void *state, double *x) {
  Ldl *l = state;
  ldl_perm(l->n, l->Y, x, l->P);
  ldl_lsolve(l->n, l->Y, l->Lp, l->Li, l->Lx);
  ldl_dsolve(l->n, l->Y, l->D);
  ldl_ltsolve(l->n, l->Y, l->Lp, l->Li, l->Lx);
  ldl_permt(l->n, x, l->Y, l->P);
  for (int i = 0; i < l->n; i++)
    l->Y[i] = 0;
  return true;
}

const Peer peer_ldl = {"LDL+AMD", true, ldl_create, ldl_factor, peer_ldl_solve, peer_ldl_destroy};
