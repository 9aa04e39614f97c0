/* The contact problem with circumscribed polygons as a non-singular LCP, by phantom inertia (docs/theory/phantom.md).
 *
 * A polygon of 2k edges is k lines e_1 .. e_k, the columns of E, with |e_j . r_T| <= mu r_N. Sliding is
 * u_T = E (k+ - k-), and with the phantom inertia rho > 0 of each line
 *
 *   0 <= s- = mu r_N + E' r_T + rho k-  _|_  k+ >= 0,     0 <= s+ = mu r_N - E' r_T + rho k+  _|_  k- >= 0.
 *
 * k+ and k- of a line are never both positive, so rho acts on no force; it makes the matrix regular. Joints are
 * eliminated first (eliminate.h): u = A r + b. What is left, with t the tangential rows and n the normal variables, is
 *
 *   unreduced   free r_T:  A_tt r_T + A_tn r_N - E (k+ - k-) + b_t = 0
 *   reduced     r_T = G (E (k+ - k-) - A_tn r_N - b_t),  G = A_tt^-1
 *
 * BOX is one line with the constant limit in place of mu r_N, contacts in the plane have one line. rho is a mass where
 * u is a velocity and r an impulse, as where u is an acceleration and r a force. rho = 0 is the discretisation of
 * accelerations that the paper improves on. Source: Peiret, Koevecses, Font-Llagunes, The discretized Coulomb friction
 * model in a non-singular complementarity formulation for multibody systems with contacts, eq. 1 to 8.
 */
#ifndef ASP_PROBLEM_PHANTOM_LCP_H
#define ASP_PROBLEM_PHANTOM_LCP_H

#include "problem/polygon_lcp.h"

/* One friction line: tangential rows tangent .. tangent + count - 1 among the free ones. */
typedef struct PhantomLine {
  int tangent, count, normal; /* normal: its variable, -1 for BOX */
  double e[2];
  double mu, limit;
  double rho;
} PhantomLine;

typedef struct PhantomLcp {
  bool reduced;
  int tangents, normals, lines;
  int *tangent_row;        /* tangents: row of the problem */
  PolygonVariable *normal; /* normals */
  PhantomLine *line;       /* lines, those of a block side by side */
  double *half_lines;      /* tangents: E E' of its block, k/2 in space, 1 for a single line */
  AspElimination equalities;
  double *A, *b;    /* rows x rows, rows: joints eliminated */
  double *friction; /* reduced: G [A_tn, -E, E, b_t], tangents x (n + 1) */
  int tangent_rank; /* reduced: numerical rank of A_tt */
  AspMixedLcp lcp;  /* z = (r_T unless reduced, r_N, k+, k-) */
} PhantomLcp;

/* True when every friction law is a circumscribed polygon (BOX and frictionless laws do not count),
 * and there is one. */
bool asp_phantom_applies(const AspContactProblem *problem);

/* Assemble from W (rows x rows, dense, column-major) and q. The reduced form needs a regular A_tt: where contacts are
 * redundant, `tangent_rank` < `tangents`, the unreduced one is made in its place. */
AspError asp_phantom_lcp_assemble(AspArena *arena, const AspContactProblem *problem, const double *W, const double *q,
                                  const AspPhantomOptions *options, PhantomLcp *phantom);

/* r (rows of the problem) from z. */
void asp_phantom_lcp_reactions(const PhantomLcp *phantom, const double *z, double *r);

/* Size, rank, condition and the singular inertia of the assembled LCP. */
AspError asp_phantom_describe(AspArena *arena, const PhantomLcp *phantom, AspPhantomInfo *info);

#endif
