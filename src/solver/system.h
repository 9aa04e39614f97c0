/* The Newton matrix of the second-order methods, over the form A y = F r + f, u = V^T y + w of a prepared problem:
 *
 *   K = A + F D V^T,     D = blockdiag(D_i), one small matrix per block, what a method makes of dr = e - D du.
 *
 * Body form: M + H D H^T, condensed form: 1 + D W. The pattern is fixed by the problem: it is laid out once, group by
 * group (a body's 6 dofs, a contact's 3 rows), and every assembly adds small dense products at places known beforehand.
 * Small or nearly full matrices are factored densely, the others by the sparse LU with its analysis reused.
 */
#ifndef ASP_SOLVER_SYSTEM_H
#define ASP_SOLVER_SYSTEM_H

#include "solver/prepared.h"

typedef struct AspSystem AspSystem;

AspError asp_system_create(AspContext *context, AspSystem **system);
void asp_system_destroy(AspSystem *system);
/* Choose the cheaper form of the problem and lay K out for it. */
AspError asp_system_reset(AspSystem *system, AspPrepared *prepared);
/* The system of a prepared problem, made when first asked for. */
AspError asp_prepared_need_system(AspPrepared *prepared);
/* The form chosen. */
const AspForm *asp_system_form(const AspSystem *system);

/* Assemble and factor K for D (entry (k, l) of block i at D[9 i + k + 3 l]). False in *regular when K cannot be
 * factored. */
AspError asp_system_factor(AspSystem *system, const double *D, bool *regular);
/* y := K^-1 rhs with one step of refinement; rhs and y must not overlap. */
AspError asp_system_solve(AspSystem *system, const double *rhs, double *y);

/* u = V^T y + w */
void asp_form_velocity(const AspForm *form, const double *y, double *u);
/* du = V^T dy */
void asp_form_velocity_change(const AspForm *form, const double *dy, double *du);
/* g = A y - f - F r */
void asp_form_imbalance(const AspForm *form, const double *y, const double *r, double *g);

#endif
