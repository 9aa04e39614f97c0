/* Rotation of bodies over a step of second order, see rotation.c. Bodies with equal moments of inertia, and bodies in
 * the plane, need none of it. */
#ifndef ASP_FORMULATE_ROTATION_H
#define ASP_FORMULATE_ROTATION_H

#include "asperity/model.h"
#include "base/base.h"

/* A body's rotation over the step under way. */
typedef struct AspTurn {
  bool active;
  AspVec3 momentum; /* angular, world, kg m^2/s: at the start, then with the moments that are expected */
  AspVec3 carried;  /* moment of reactions that is expected, N m */
  double rest;      /* s: from the middle to the end */
  AspVec3 before;   /* angular momentum at the start */
  AspQuat start;    /* orientation there, */
  AspQuat middle;   /* and in the middle */
  AspVec3 spin;     /* w*: angular velocity that is expected in the problem of the step, world */
} AspTurn;

/* The body has different moments of inertia in space. */
bool asp_body_turns(const AspModel *model, int body);
/* Free rotation with angular momentum L (world) for a time dt, J in the body's axes. */
AspQuat asp_rotate_freely(const AspMat3 *J, AspQuat R, AspVec3 L, double dt);
/* The angular velocity (world) of a body with orientation R and angular momentum L. */
AspVec3 asp_momentum_to_spin(const AspMat3 *J, AspQuat R, AspVec3 L);
/* Orientations after a time dt of free rotation from one state, into the other one. */
void asp_state_turn_freely(const AspModel *model, const AspState *from, double dt, AspState *to);
/* Turns of all bodies, up to the part tau of the step: on the arena, NULL when out of memory. The orientations there go
 * into `middle` as well, and into the velocities of `entry` those that count as before the reactions. carried:
 * bodies x 3, moments of reactions that are expected, N m; NULL: none. */
AspTurn *asp_turns_begin(const AspModel *model, AspArena *arena, const AspState *state, double dt, double tau,
                         const double *carried, AspState *middle, AspState *entry);
/* The end of the step without moments: orientations and spins. */
void asp_turns_look_ahead(const AspModel *model, const AspTurn *turns, AspState *ahead);
/* The middle, dt from the start, by what the moments of the step add to free rotation: dt/2 (w* - w), w the spin that
 * it ends with, w* that of `ahead`. */
void asp_turns_shift_middle(const AspModel *model, const AspTurn *turns, const AspState *ahead, double dt,
                            AspState *middle);
/* The velocities of `state` jumped since. */
void asp_turns_kick(const AspModel *model, const AspState *state, AspTurn *turns);
/* The rest of the step of dt, after an impulse of moments (N m s). */
void asp_turn_complete(const AspModel *model, int body, AspVec3 impulse, double dt, AspTurn *turn);
/* Orientations and angular velocities at the end of a step of which `state` has the velocities that were solved for.
 * time_of_impact: bodies, as in AspFormulation. */
void asp_turns_advance(const AspModel *model, const AspTurn *turns, const double *time_of_impact, double dt,
                       AspState *state);

#endif
