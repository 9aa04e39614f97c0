/* Beside asp_problem_validate: its part for who goes over the entries of H anyway. Depends on nothing. */
#ifndef ASP_PROBLEM_VALIDATE_H
#define ASP_PROBLEM_VALIDATE_H

#include "asperity/problem.h"

/* All but the entries of H: to be looked at by asp_sparse_are_sound before they are used. */
AspError asp_problem_validate_frame(AspContext *context, const AspContactProblem *problem);

#endif
