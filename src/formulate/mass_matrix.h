/* What springs and dampers add to M and f of a step, and M from its parts. */
#ifndef ASP_FORMULATE_MASS_MATRIX_H
#define ASP_FORMULATE_MASS_MATRIX_H

#include "formulate/formulate.h"

/* A spring and damper along one row j: K = k j j^T, C = c j j^T. An element of the model is one or several of them. */
typedef struct AspStiffRow {
  int body[2], first[2], count[2]; /* dofs: those of a dynamic body, of a station those of its beam, of others none */
  double j[2][6];                  /* over the bodies' velocities */
  double *g[2];                    /* count: over their dofs, T^T j; T = 1 where a body has dofs of its own */
  double lead;                     /* lead j j^T is added to M */
  double right;                    /* right j j^T v is added to f */
} AspStiffRow;

typedef struct AspStiff {
  int count;
  AspStiffRow *row;
} AspStiff;

/* Those that a step needs implicitly, lead = dt c + dt^2 k, right = dt c + implied k; diagonal: of M without them
 * (dofs). Counts formulation->unresolved. On the arena, as the next. */
AspError asp_stiff_collect(AspFormulation *formulation, const AspState *force_state, double implied, double dt,
                           const double *diagonal, AspStiff *stiff);
/* All, servos too: lead = damping c + stiffness k. */
AspError asp_stiff_collect_all(AspFormulation *formulation, const AspState *state, double damping, double stiffness,
                               AspStiff *stiff);
/* f += right j j^T v, and - lead j j^T v+ of ends without dofs, whose v+ is known. */
void asp_stiff_push(const AspFormulation *formulation, const AspStiff *stiff, const double *v, const double *known,
                    double *f);
/* formulation->problem.M from the bodies' blocks, the beams' matrices and the stiff rows. */
AspError asp_mass_assemble(AspFormulation *formulation, const AspStiff *stiff, const AspBeamMatrix *beams,
                           double *blocks);

#endif
