/* A problem, a reaction and the verdict on it as one JSON object on a line of stdout, which exact.py judges again in
 * rational arithmetic. Numbers have 17 digits and read back as the same doubles.
 */
#ifndef ASP_BENCH_VERDICT_LINES_H
#define ASP_BENCH_VERDICT_LINES_H

#include "problem/verdict.h"

#include <stdint.h>

void verdict_line_print(uint64_t seed, const AspTolerances *asked, const AspContactProblem *problem, const double *r,
                        const AspResidual *residual, bool solved);

#endif
