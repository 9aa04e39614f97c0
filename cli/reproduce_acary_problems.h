/* The test problems of `asperity reproduce acary`, drawn by seed: equal seeds give equal problems on every machine. */
#ifndef CLI_REPRODUCE_ACARY_PROBLEMS_H
#define CLI_REPRODUCE_ACARY_PROBLEMS_H

#include "asperity/problem.h"

/* The size of the paper's example. */
#define ACARY_FREEDOMS 200
#define ACARY_CONTACTS 150

/* n = 200, nc = 150: M = 1 + A A^T / n and H with A, H standard normal, f = 30 x standard normal, mu uniform in (0, 2),
 * and w such that one random velocity holds every contact strictly open (then a solution exists). */
AspError acary_draw_dense(AspContext *context, uint64_t seed, AspContactProblem *problem);

/* A hyperstatic cluster: 33 rigid bodies (198 freedoms) drawn in the unit ball, pulled to its middle for a step of
 * 5 ms, the 150 nearest pairs in contact (450 reactions) at points and with normals a little off the centre lines. */
AspError acary_draw_cluster(AspContext *context, uint64_t seed, AspContactProblem *problem);

/* Add noise of length `fraction` ||f|| to f, drawn by seed. */
void acary_move_load(AspContactProblem *problem, uint64_t seed, double fraction);

#endif
