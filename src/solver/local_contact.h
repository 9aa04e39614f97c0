/* One contact alone, solved exactly: given W (2x2 or 3x3) and b, find r with u = W r + b and
 *
 *   K = { ||r_T|| <= r_N },   K ∋ r  _|_  u + ||u_T|| n ∈ K        (scaled variables: coefficient of friction 1)
 *
 * Cases:   take-off   b_N >= 0:                    r = 0
 *          stick      W r = -b,                    ||r_T|| <= r_N
 *          slip       (W + a diag(0, 1, 1)) r = -b with a > 0 and ||r_T|| = r_N
 *
 * Slip. Eliminating r_N = alpha - beta.r_T leaves (S + a) r_T = -c, S the Schur complement of W_NN; squaring the last
 * condition makes a quartic in a. Its root is found on g(a) = r_N/||r_T|| - 1 instead, which is nearly linear in a:
 * g(0) < 0 where stick fails and g -> infinity, so a bracket always exists when S is positive semidefinite. Newton
 * inside the bracket starts from the contact's last a; the result is put on the boundary of the cone exactly.
 *
 * W may be unsymmetric. Where W_NN is not positive, or no root is found (S indefinite), a projection step on the
 * natural map is made instead, so that the answer is always in the cone. Depends on problem/cone.h.
 */
#ifndef ASP_SOLVER_LOCAL_CONTACT_H
#define ASP_SOLVER_LOCAL_CONTACT_H

#include <stdbool.h>

typedef struct AspLocalContact {
  int size;          /* 2 or 3 */
  bool usable;       /* W_NN > 0: the exact solve applies */
  bool invertible;   /* S is regular: stick has one candidate */
  double W[9];       /* entry (k, l) at W[k + 3 l] */
  double inverse_NN; /* 1/W_NN */
  double beta[2];    /* W_NT/W_NN */
  double gamma[2];   /* W_TN/W_NN */
  double S[4];       /* W_TT - W_TN W_NT/W_NN, column-major */
  double inverse[4]; /* S^-1 */
  double step;       /* of the projection */
  double a;          /* last slip multiplier: where the next search starts; negative: none yet */
} AspLocalContact;

/* W: entry (k, l) at W[k + 3 l]. */
void asp_local_contact_set(AspLocalContact *contact, int size, const double *W);
/* r: the present reaction on entry (used by the projection step alone), the answer on return. */
void asp_local_contact_solve(AspLocalContact *contact, const double *b, double *r);

#endif
