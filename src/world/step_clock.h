/* Which step a world is at, the grid of times that its steps keep to, and how long their parts took. */
#ifndef ASP_WORLD_STEP_CLOCK_H
#define ASP_WORLD_STEP_CLOCK_H

#include "world/error_control.h"

typedef struct StepClock {
  int64_t step;          /* steps accepted */
  int64_t grid;          /* full steps of the asked length done */
  double grid_dt;        /* s: length of the step on the grid of times that is under way */
  double grid_rest;      /* s: what is left of it, where it was halved; 0: nothing */
  int rules;             /* times that a rule ended a step within the one under way */
  bool needs_stronger;   /* the chosen method missed the tolerance in the step under way, a stronger one did not */
  bool off_grid;         /* a last, shorter step was made: times are a running sum from there on */
  AspStepTimes times;    /* of the step under way */
  ErrorControl *control; /* of an asked accuracy; NULL: steps of equal length */
} StepClock;

#endif
