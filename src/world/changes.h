/* Where functions of time end a part of a step (changes.c). */
#ifndef ASP_WORLD_CHANGES_H
#define ASP_WORLD_CHANGES_H

#include "model/timed.h"
#include "world/step_error.h"
#include "world/world_data.h"

typedef struct NextChange {
  double length;  /* of the part up to it, s */
  double behind;  /* the instant from which on the function is another one, s */
  bool is_change; /* there is one at the end of the part */
  bool jumps;     /* a velocity jumps in the part: its accelerations say nothing about the next one */
  double missed;  /* impulse of loads that the part does not see, N s and N m s */
} NextChange;

/* Within what is left of a step, h. */
NextChange asp_next_change(const AspWorld *world, double h);

/* The length after which a function of the state switches in the step of h just made; h: none does (switches.c). */
double asp_locate_switch(const AspWorld *world, double h);
/* Impulse of loads that switched inside the step just made, N s and N m s. */
double asp_switches_missed(const AspWorld *world, double h);

/* An impulse, or a way over the horizon, that a function gives its bodies, against what counts as small. */
double asp_change_share(const AspWorld *world, int timed, double impulse, double way);
/* Does a change count that a step of h would not meet? */
bool asp_change_counts(const AspWorld *world, int timed, const TimeChange *change, double h);

/* What jumps inside the step of h just made leave, of what is asked. A step and its halves may all miss them alike. */
void asp_error_add_switches(const AspWorld *world, double h, StepError *error);
void asp_error_add_jump(const AspWorld *world, int timed, double jump, double h, StepError *error);

#endif
