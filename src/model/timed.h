/* Functions of time and of the state that act on the motion: loads, rates and places, and the instants inside a step at
 * which those of time jump or bend (timed.c). Depends on the public header. */
#ifndef ASP_MODEL_TIMED_H
#define ASP_MODEL_TIMED_H

#include "asperity/model.h"

typedef enum TimedKind {
  TIMED_LOAD, /* forces, torques, efforts: their integral is an impulse */
  TIMED_RATE, /* velocities of motors and surfaces: their integral is a way */
  TIMED_PLACE /* prescribed motions, targets of servos */
} TimedKind;

/* Where a function jumps or bends: between `low` and `high`, a few roundings apart. */
typedef struct TimeChange {
  double low, high;  /* s */
  double jump, bend; /* of its value and its derivative there, absolute */
} TimeChange;

int asp_model_timed_count(const AspModel *model);
/* Does it depend on time itself, or on places by their velocities at the start of a step? What follows is asked of such
 * functions. */
bool asp_timed_is_of_time(const AspModel *model, int timed);
/* Is it a load or rate that can change at once with the places and velocities that it senses? */
bool asp_timed_switches(const AspModel *model, int timed);
/* Its value, as the inputs of a state have it. */
double asp_timed_value(const AspModel *model, const AspState *state, int timed);
TimedKind asp_timed_kind(const AspModel *model, int timed);
/* The bodies that it moves; -1: none; true: by turning. */
bool asp_timed_bodies(const AspModel *model, int timed, int body[2]);
/* Can it rest for a while and then change at once, so that its past says nothing about it? Can one of them? */
bool asp_timed_is_sudden(const AspModel *model, int timed);
bool asp_model_is_sudden(const AspModel *model);
/* The first change from `from` to `to`; false: there is none. */
bool asp_timed_change(const AspModel *model, const AspState *state, int timed, double from, double to,
                      TimeChange *change);
/* How far the mean over a time is from the value in its middle at most; closely: by a bound that is sharper and costs
 * more. */
double asp_timed_uneven(const AspModel *model, const AspState *state, int timed, double from, double to, bool closely);

/* Called by finish. */
AspError asp_timed_list(AspModel *model);

#endif
