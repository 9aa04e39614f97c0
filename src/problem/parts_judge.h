/* The judge on parts, for the solver that sweeps its partition: what it was made with, rho and ||q|| of the whole,
 * masses. */
#ifndef ASP_PROBLEM_PARTS_JUDGE_H
#define ASP_PROBLEM_PARTS_JUDGE_H

#include "asperity/partition.h"
#include "problem/mass.h"

void asp_parts_judge_lend(const AspPartsJudge *judge, AspContext **context, const AspPartition **partition,
                          const AspExchange **exchange);
void asp_parts_judge_scales(const AspPartsJudge *judge, double *rho, double *norm_q);
/* Of the problem of an own cell, factored. */
const AspMass *asp_parts_judge_mass(const AspPartsJudge *judge, int cell);

#endif
