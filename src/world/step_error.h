/* What a step leaves as an error, seen from a second way over the same time (step_error.c), and what no step can follow
 * (dynamic_jam.c). Parts of the error control. */
#ifndef ASP_WORLD_STEP_ERROR_H
#define ASP_WORLD_STEP_ERROR_H

#include "asperity/world.h"

typedef struct StepError {
  double share;  /* of what is asked */
  double noise;  /* share that the tolerance of the solves may make */
  double length; /* m: carried to the end of the run */
  double speed;  /* m/s: largest e_v */
} StepError;

/* How far from its centre of mass a body has mass or shapes, m. */
double asp_error_reach(const AspWorld *world, int body);
/* Of the fastest point of a body, m/s. */
double asp_error_speed(const AspWorld *world, const AspState *state, int body, double reach);
/* What is asked of a body, m. */
double asp_error_asked(const AspWorld *world, int body, double reach);

/* Of the step that ends at `coarse` against its halves. */
StepError asp_error_compare(AspWorld *world, const AspState *coarse, const AspState *fine);
/* Overlaps that the step just made leaves, which no trial shows where all of them miss the same contact: a step is late
 * by them. */
void asp_error_add_overlaps(const AspWorld *world, StepError *error);
/* The same for limits of joints. */
void asp_error_add_limits(const AspWorld *world, StepError *error);

/* Slip that turned round in the step just made: friction of the whole step is that of its end, and where the slip ended
 * in the first half of the step, one of half its length is off by the same. */
void asp_error_add_reversals(const AspWorld *world, StepError *error);
/* Contacts that lost their load inside the step just made, which holds them to its end or lets them go at its start
 * (lift_off.c); so do its halves all but one of them. */
void asp_error_add_lift_offs(const AspWorld *world, StepError *error);
/* Impacts that acted at the end of the step just made, of h, and not when they met: bodies are late by twice their
 * approach, and velocities by what forces change in the time between, no more than by the jump itself: what rests meets
 * nothing. An impact in the second half of the step is late alike in the step and in its halves, which tell nothing of
 * it (locate_cuts.c). */
void asp_error_add_late_impacts(const AspWorld *world, double h, StepError *error);

/* The largest change of a body's velocity over the step just made, m/s. */
double asp_error_velocity_change(const AspWorld *world);
/* Forces of a contact grew beyond every bound: an impulse where nothing collides, in motion that was followed up to
 * here. How it goes on depends on how the step met it. */
bool asp_error_is_jam(const AspWorld *world, double h);

#endif
