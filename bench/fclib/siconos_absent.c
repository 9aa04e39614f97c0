/* Stands in where Siconos is not installed. */
#include "siconos_peer.h"

int siconos_count(void) { return 0; }
const char *siconos_name(int method) { return (void)method, ""; }
bool siconos_is_global(int method) { return (void)method, false; }
void siconos_solve(int method, const AspContactProblem *problem, double tolerance, double *r, RunOutcome *outcome) {
  (void)method, (void)problem, (void)tolerance, (void)r, (void)outcome;
}
