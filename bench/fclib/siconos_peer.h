/* Siconos' methods for the frictional contact problem as peers, through Debian's libsiconos-numerics. */
#ifndef BENCH_SICONOS_PEER_H
#define BENCH_SICONOS_PEER_H

#include "asperity/problem.h"
#include "child_run.h"

/* How many methods there are: 0 when Siconos was not found at configuration. */
int siconos_count(void);
const char *siconos_name(int method);
/* True for methods that take M and H; the others take W and q. */
bool siconos_is_global(int method);

/* Solve a 3D problem whose blocks are all COULOMB contacts; the form that the method takes must be present. Conversion
 * is set-up. No time limit of its own. */
void siconos_solve(int method, const AspContactProblem *problem, double tolerance, double *r, RunOutcome *outcome);

#endif
