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
  double right, back;              /* j j^T (right v_m - back v) is added to f: v of the forces, of the start */
  double late;                     /* late j j^T a is added to f, a: accelerations of the last step */
  double damped;                   /* what joints leave of j M^-1 j^T where the step damps the spring, else 0 */
} AspStiffRow;

typedef struct AspStiff {
  int count;
  AspStiffRow *row;
} AspStiff;

/* Over which step, and how: forces are taken theta of it ahead; theta = 1: at its start. */
typedef struct AspStiffStep {
  const AspState *start;
  double dt, theta;
  bool ahead;    /* the velocities of these forces are those expected there, else those of the start */
  bool at_start; /* forces are those of the start of the step */
  const double *blocks, *diagonal; /* M without them: of each body, and its diagonal (dofs) */
} AspStiffStep;

/* All springs where the step takes its forces: ASP_STIFF_ROWS for each element, of which `count` are used. */
typedef struct AspSprings {
  int *count;
  AspRow *row;
  double *k, *c;
} AspSprings;

/* On the arena; their forces are added to h. */
AspError asp_springs_take(const AspFormulation *formulation, const AspState *state, AspSprings *springs, double *h);
/* out = L^-1 g (n), M = L L^T of one body: block (n n); |out|^2 = g M^-1 g^T. */
void asp_mass_weigh(const double *block, int n, const double *g, double *out);
/* Those that a step needs implicitly (mass_matrix.c), and what all add to f. Where there is one, the springs of all
 * joints are listed, with lead = 0 where the step does without them: so M has one pattern whatever the step is, and
 * what is known of the pattern is found once. Sets formulation->unresolved and ->stiff. On the arena, as the next. */
AspError asp_stiff_collect(AspFormulation *formulation, const AspState *force_state, const AspStiffStep *step,
                           const AspSprings *springs, AspStiff *stiff, double *f);
/* All, servos too: lead = damping c + stiffness k. */
AspError asp_stiff_collect_all(AspFormulation *formulation, const AspState *state, double damping, double stiffness,
                               AspStiff *stiff);
/* formulation->problem.M from the bodies' blocks, the beams' matrices and the stiff rows. */
AspError asp_mass_assemble(AspFormulation *formulation, const AspStiff *stiff, const AspBeamMatrix *beams,
                           double *blocks);

#endif
