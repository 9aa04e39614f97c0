/* The rod of Preclik and Ruede 2011, built through the public headers: what the files of `reproduce preclik` share. */
#ifndef CLI_PRECLIK_ROD_H
#define CLI_PRECLIK_ROD_H

#include "asperity/asperity.h"
#include "constants.h"
#include "reproduce.h"

/* Slender, its lower end on the ground at phi from it (or `below` m lower); in the plane. */
typedef struct Rod {
  double phi, mu, length, mass, gravity;
  double velocity[3]; /* of the centre: x, y, angular */
  double torque;      /* N m */
  double below;       /* m */
} Rod;

/* The paper's example: 60 degrees, mu = 3/2, length 2, mass 1, gravity 1, sliding to the left at 1 m/s. */
Rod rod_of_paper(double torque);

AspError rod_model(AspContext *context, const Rod *rod, AspModel **model);
/* Its contact problem with the local form made; dt counts for the step level. */
AspError rod_problem(AspContext *context, const Rod *rod, AspProblemLevel level, double dt, AspContactProblem *problem);
AspError rod_analysis(AspContext *context, const Rod *rod, AspProblemLevel level, double dt, AspAnalysis *analysis);
/* A = W_NN + mu W_NT: what multiplies r_n while the rod slides to the left. */
AspError rod_A(AspContext *context, const Rod *rod, double *A);

/* Rows and figures of the paper's parts. */
AspError preclik_compliance_rows(AspContext *context, ReproduceReport *report);
AspError preclik_jam_rows(AspContext *context, ReproduceReport *report);
AspError preclik_figures(AspContext *context, ReproduceReport *report, const char *folder);

/* The rod that slides into the paradox, up to A = `last` (m = 1): calls `visit` after every step. */
typedef struct RodJam {
  double t, phi, A, b, r_n; /* acceleration level: u_n' = A r_n + b */
} RodJam;
AspError preclik_jam(AspContext *context, double length, double last, void (*visit)(void *user, const RodJam *at),
                     void *user, RodJam *end);

/* Force integrals of the compliant rod up to time `until`, or to the instant at which it opens. */
AspError preclik_compliant(AspContext *context, const Rod *rod, double alpha, bool frozen, bool until_open,
                           double until, double result[3]); /* n, t, time */

#endif
