/* Spring and damper of a spherical joint (ball_spring.c), as those of coordinates (force.c). */
#ifndef ASP_MODEL_BALL_SPRING_H
#define ASP_MODEL_BALL_SPRING_H

#include "model/model.h"

/* The axis of the turn, whose row has the angle as its value, and two across it; k: stiffness about each. */
void asp_ball_rows(const AspModel *model, const AspState *state, int joint, AspRow row[3], double k[3]);

#endif
