/* The EQUALITY rows of a contact problem, eliminated by one factorisation of the saddle matrix
 *
 *   [ M     H_e ] [  x   ]   [ f + H_c r_c ]        e: rows of EQUALITY laws,  c: all other rows
 *   [ H_e^T  0  ] [ -r_e ] = [    -w_e     ]
 *
 * in an order that visits a tree of bodies and joints from the leaves to the root (linalg/factor.h), so that time grows
 * with the number of joints and loops cost what they border. What is left is a contact problem in local form,
 *
 *   u_c = W r_c + q,   W = [H_c; 0]^T K^-1 [H_c; 0],   q = H_c^T x(r_c = 0) + w_c.
 *
 * Rows of H_e that depend on others have zero pivots: they are set aside, and of all r_e that do the same to the bodies
 * the smallest is taken, in the norm sum_i W_ii r_i^2 with W_ii = H_i^T diag(M)^-1 H_i, which does not depend on units.
 * The layout is kept while the patterns of M and H_e stay. Depends on linalg.
 */
#ifndef ASP_SOLVER_SADDLE_H
#define ASP_SOLVER_SADDLE_H

#include "asperity/problem.h"
#include "linalg/factor.h"

typedef struct AspSaddle {
  AspContext *context;
  AspFactor *factor;
  AspArena layout; /* what stays while the patterns stay */
  bool laid_out;
  int dofs, rows;    /* of M; EQUALITY rows */
  int *row;          /* rows: in the problem */
  AspSparse K;       /* lower triangle of the saddle matrix */
  int *lower;        /* dofs: where the entries of M's column from the diagonal on begin; those of K begin with them */
  int *place;        /* entries of H_e, row by row: where they stand in K */
  int *pattern;      /* copies of M.start, M.row, and the blocks, starts and rows of H_e */
  size_t length;     /* of pattern */
  signed char *sign; /* dofs + rows */
  double *size;      /* dofs + rows: what pivots are compared with (factor.h): sqrt(M_dd), the largest |H_di| over it */
  double *inverse;   /* dofs: 1 over it */

  /* of the last factorisation */
  int dependent;  /* rows set aside */
  int *set_aside; /* rows: the first `dependent` of them count: places in `row` */
  double *null;   /* rows x dependent: reactions that do nothing, orthonormal after scaling by `weight` */
  double *weight; /* rows: sqrt(W_ii) */
} AspSaddle;

AspError asp_saddle_create(AspContext *context, AspSaddle **saddle);
void asp_saddle_destroy(AspSaddle *saddle); /* may be NULL */

/* Is this the layout of the problem? Scratch from the arena. */
AspError asp_saddle_fits(const AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem, bool *fits);
/* Factor the saddle matrix of the problem, which has its global form; fits: as above; false: it is laid out again.
 * *usable: false where M is not positive definite or the factors would be too large. Scratch from the arena. */
AspError asp_saddle_factor(AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem, bool fits,
                           bool *usable);
/* K z = b in place, b = z: dofs + rows numbers */
AspError asp_saddle_solve(AspSaddle *saddle, double *z);
/* W of some rows c of the problem: count x count, column-major. */
AspError asp_saddle_delassus(AspSaddle *saddle, AspArena *arena, const AspContactProblem *problem, int count,
                             const int *row, double *W);
/* r_e (by places in `row`) := the smallest that does the same to the bodies */
void asp_saddle_smallest(const AspSaddle *saddle, double *r_e);

#endif
