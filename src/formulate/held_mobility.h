/* How far a spring moves its bodies where joints hold them (held_mobility.c). */
#ifndef ASP_FORMULATE_HELD_MOBILITY_H
#define ASP_FORMULATE_HELD_MOBILITY_H

#include "formulate/mass_matrix.h"

/* The joints of every body: made when they are first needed, on the arena. */
typedef struct AspHeldJoints AspHeldJoints;

/* *mobility of a row becomes what the joints of its bodies leave of it. *held: NULL at first. */
AspError asp_held_mobility(AspFormulation *formulation, const AspState *geometry, const AspStiffRow *row,
                           const AspStiffStep *step, AspHeldJoints **held, double *mobility);

#endif
