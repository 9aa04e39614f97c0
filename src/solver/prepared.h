/* The prepared problem: the scaled problem and its forms, made once per contact problem.
 *
 * Scaling. rho = rows / trace(W), b = ||q|| / sqrt(rows), d = 1/mu for the normal row of a COULOMB block and 1 for
 * every other row. With
 *
 *   r = rho b D r^,   u = b D^-1 u^,   x = b x^
 *
 * the friction cone becomes the self-dual one ||r_T|| <= r_N, the shift becomes s = ||u_T||, units drop out, and
 *
 *   (M/rho) x^ = (H D) r^ + f/(rho b),   u^ = (H D)^T x^ + D w/b,   W^ = rho D W D,   q^ = D q/b.
 *
 * Laws. The prepared blocks are EQUALITY and UNILATERAL and BOX (one row each; an EQUALITY block of several rows
 * becomes several), BALL (2 or 3 rows; with limit 0 several BOX) and COULOMB (2 or 3 rows, exact cone, mu = 1 in scaled
 * variables). COULOMB with mu = 0 (or at most PREPARED_LEAST_FRICTION) becomes
 * UNILATERAL with r_T = 0; SLIDING becomes UNILATERAL with r_T = -mu r_N d, which makes the map of forces differ from
 * the transpose of the map of velocities. Polygons in space are refused: they are for Lemke.
 *
 * Forms (scaled, built when first asked for). Both read A y = F r + f, u = V^T y + w:
 *   body        y = x of the dofs that some block touches, A = M, F = V = H; dofs sorted by component of M
 *   condensed   y = r, A = 1, F = 1, V^T = W, f = 0, w = q
 *
 * Depends on linalg and problem. What a method is asked and what it finds: run.h.
 */
#ifndef ASP_SOLVER_PREPARED_H
#define ASP_SOLVER_PREPARED_H

#include "asperity/problem.h"
#include "linalg/block_sparse.h"
#include "problem/mass.h"
#include "problem/reduce.h"
#include "problem/verdict.h"
#include "solver/soc.h"

typedef struct AspPrepared AspPrepared;

typedef struct AspPreparedBlock {
  AspLawKind kind; /* EQUALITY, UNILATERAL, BOX (size 1), COULOMB or BALL (size 2 or 3) */
  int first, size; /* its rows among the prepared ones */
  int source;      /* block of the original problem */
  double mu;       /* COULOMB: of the original problem, > 0 */
  bool relaxed;    /* COULOMB: without De Saxce's term */
  double limit;    /* BOX, BALL: scaled */
  double slide[2]; /* SLIDING in the original: r_T = slide r_N; else 0 */
} AspPreparedBlock;

typedef struct AspForm {
  int n;            /* size of y */
  AspSparse A;      /* n x n */
  AspSparse F, V;   /* n x rows; the same arrays where forces and velocities have the same map */
  double *f, *w;    /* n, rows */
  bool symmetric;   /* A = A^T and F = V */
  bool grouped;     /* A is block diagonal with the groups below as blocks */
  int groups;       /* groups of consecutive y: a body each, or one y each */
  int *group_start; /* groups + 1 */
  int *dof;         /* n: dof of the original problem (body form); NULL for the condensed form */
} AspForm;

struct AspPrepared {
  AspContext *context;
  AspArena arena;                   /* everything below; reset with the problem */
  const AspContactProblem *problem; /* borrowed */
  AspJudge *judge;

  /* the problem at r = 0, original units */
  double *q;                 /* original rows */
  double rho, norm_q;        /* rows / trace(W), ||q|| */
  double unit_r, unit_u;     /* rho b, b */
  AspResidual residual_zero; /* of r = 0 */

  /* scaled laws */
  int blocks, rows;
  AspPreparedBlock *block; /* blocks */
  int *source;             /* rows: row of the original problem */
  double *scale;           /* rows: d */
  bool sliding;            /* F and V differ */
  bool relaxed;            /* some block is a relaxed cone: only ipm and newton take it */
  int contacts;            /* COULOMB blocks */
  int equalities;          /* EQUALITY rows */
  int balls;               /* BALL blocks: ipm and aclm do not take them */

  /* made when asked for */
  bool has_local, has_body, has_condensed;
  AspBlockSparse W; /* local form by the original blocks, original units */
  AspForm body, condensed;

  /* the Newton matrix of the second-order methods, laid out when first asked for (system.h) */
  struct AspSystem *system;
  bool has_system;
};

/* De Saxce's shift of a COULOMB block at the velocity u: ||u_T||, none for a relaxed cone. */
static inline double asp_block_shift(const AspPreparedBlock *block, const double *u) {
  return block->relaxed ? 0 : soc_tangential(block->size, u);
}

AspError asp_prepared_create(AspContext *context, AspPrepared **prepared);
void asp_prepared_destroy(AspPrepared *prepared);
/* Take another problem; memory is reused. The problem is borrowed until the next reset. Refuses what no exact method
 * can treat, naming block and law. */
AspError asp_prepared_reset(AspPrepared *prepared, const AspContactProblem *problem);
/* The same where the judge was reset to this problem already. */
AspError asp_prepared_take(AspPrepared *prepared, const AspContactProblem *problem);

/* W by original blocks and q, original units: prepared->W and prepared->q. */
AspError asp_prepared_need_local(AspPrepared *prepared);
/* Scaled forms. The body form needs the global form of the problem. */
AspError asp_prepared_need_body(AspPrepared *prepared);
AspError asp_prepared_need_condensed(AspPrepared *prepared);
static inline bool asp_prepared_has_bodies(const AspPrepared *prepared) { return prepared->problem->dofs > 0; }

/* r (original) from scaled r^, and back (rows that were dropped are ignored). */
void asp_prepared_to_original(const AspPrepared *prepared, const double *scaled, double *r);
void asp_prepared_to_scaled(const AspPrepared *prepared, const double *r, double *scaled);
/* scaled u^ from u (original) */
void asp_prepared_scale_velocity(const AspPrepared *prepared, const double *u, double *scaled);

#endif
