/* A sparse M (implicit springs, servos, beams): what couples in it, its core, is factored; the rest is divided by.
 *
 *   M = diag(d) + M_core up to a permutation,   W_jj = sum over the rest H_kj^2 / d_k + H_core,j^T M_core^-1 H_core,j
 *
 * A rigid body's M has zeros between its velocity and its spin, and springs on the angle of a joint couple spins alone:
 * half of the dofs of a robot stand alone so. Dofs are looked at in groups whose columns have the same rows, so that a
 * zero here and there does not change the layout. The layout is kept while the pattern of M and the groups that stand
 * alone stay. Depends on linalg.
 */
#ifndef ASP_PROBLEM_MASS_CORE_H
#define ASP_PROBLEM_MASS_CORE_H

#include "linalg/factor.h"

/* The columns first .. end - 1 of M have the same rows, of which some are not their own. */
typedef struct AspMassGroup {
  int first, end;
  bool alone; /* their entries off the diagonal are zero */
} AspMassGroup;

typedef struct AspMassCore {
  AspArena layout; /* what stays while the pattern stays; empty at first */
  bool laid_out;
  int dofs, entries, *start, *row; /* the pattern of M */
  AspComponents components;
  int *diagonal;             /* dofs: the entry of M on the diagonal; -1: none */
  int pairs, *below, *above; /* entries of M across the diagonal from each other */
  bool is_paired;            /* every entry has one across */
  int groups;
  AspMassGroup *group;

  bool is_symmetric; /* M is, and is factored as L D L^T, else as L U */
  AspFactor *factor; /* made when first needed, kept */
  int n, *dof;       /* of the core: dofs of M, ascending */
  int *index;        /* dofs: in the core, -1: stands alone */
  AspSparse C;       /* M(dof, dof) */
  int *from;         /* entries of C: in M */
  double *inverse;   /* dofs: 1/M_kk of those that stand alone */
  double *work;      /* n x ASP_MASS_PANEL */
} AspMassCore;

void asp_mass_core_init(AspMassCore *core, AspContext *context);
void asp_mass_core_free(AspMassCore *core);
/* Is the layout that of M's pattern? `components` are its components then. */
bool asp_mass_core_fits(const AspMassCore *core, const AspSparse *M);
/* *singular: a dof at which M is singular; -1: none. */
AspError asp_mass_core_factor(AspMassCore *core, const AspSparse *M, int *singular);
/* X := M^-1 X; X: dofs x columns, column-major */
AspError asp_mass_core_solve(AspMassCore *core, int columns, double *X);
/* square[j] = H_j^T M^-1 H_j of a symmetric M. Scratch from the arena, given back. */
AspError asp_mass_core_squares(AspMassCore *core, AspArena *arena, const AspSparse *H, double *square);
/* Row k of a symmetric M: rest = b_k - (M x)_k, size = |b_k| + (|M| |x|)_k, terms of these sums; entries between what
 * couples with nothing and the others are zero, and left out. */
static inline void asp_mass_core_row(const AspMassCore *core, const AspSparse *M, int k, const double *b,
                                     const double *x, double *rest, double *size, int *terms) {
  int c = core->index[k];
  double off = b[k], sum = off < 0 ? -off : off;
  *terms = 2;
  if (c < 0) {
    double product = M->value[core->diagonal[k]] * x[k];
    off -= product;
    sum += product < 0 ? -product : product;
  } else {
    *terms = 1 + core->C.start[c + 1] - core->C.start[c];
    for (int e = core->C.start[c]; e < core->C.start[c + 1]; e++) {
      double product = core->C.value[e] * x[core->dof[core->C.row[e]]];
      off -= product;
      sum += product < 0 ? -product : product;
    }
  }
  *rest = off;
  *size = sum;
}
/* A bound of ||(S M S)^-1|| as asp_factor_inverse_bound gives it; work: 2 dofs */
double asp_mass_core_inverse_bound(const AspMassCore *core, const double *scale, double *work);

#endif
