/* Rotation of bodies over a step of second order, see rotation.c. Bodies with equal moments of inertia, and bodies in
 * the plane, need none of it. */
#ifndef ASP_FORMULATE_ROTATION_H
#define ASP_FORMULATE_ROTATION_H

#include "asperity/model.h"
#include "base/base.h"

/* Of a body, in its axes, kg m^2. */
typedef struct AspInertia {
  AspMat3 J, inverse; /* the inverse of a singular one is not finite */
} AspInertia;

/* A body's rotation over the step under way. */
typedef struct AspTurn {
  bool active;
  bool meets; /* something in the step: laws hold for the velocities there, whatever it turns by */
  AspInertia inertia;
  AspVec3 momentum; /* angular, world, kg m^2/s: at the start, then with the moments that are expected */
  AspVec3 carried;  /* moment of reactions that is expected, N m */
  double rest;      /* s: from the middle to the end */
  AspQuat start;    /* orientation at the start, */
  AspQuat middle;   /* and in the middle, or where the body meets something */
  AspVec3 spin;     /* w*: angular velocity that is expected in the problem of the step, world */
  bool has_end;     /* `end` and `end_spin` are known: */
  AspQuat end;      /* where free rotation with the momentum leads from the middle, */
  AspVec3 end_spin; /* and the angular velocity there, world */
} AspTurn;

/* The body has different moments of inertia in space. */
bool asp_body_turns(const AspModel *model, int body);
AspInertia asp_inertia(const AspMat3 *J);
/* Free rotation with angular momentum L (world) for a time dt. */
AspQuat asp_rotate_freely(const AspInertia *inertia, AspQuat R, AspVec3 L, double dt);
/* The angular velocity (world) of a body with orientation R and angular momentum L. */
AspVec3 asp_momentum_to_spin(const AspInertia *inertia, AspQuat R, AspVec3 L);
/* The part of the step at which a body meets something, otherwise the part given. times: bodies, -1: it does not; may
 * be NULL. */
static inline double asp_part_of_step(const double *times, int body, double otherwise) {
  return times && times[body] >= 0 ? times[body] : otherwise;
}
/* Orientations after free rotation from one state for the part of the step of dt, into the other one. */
void asp_state_turn_freely(const AspModel *model, const AspState *from, const double *times, double part, double dt,
                           AspState *to);
/* Turns of all bodies, up to the part of the step: on the arena, NULL when out of memory. The orientations there go
 * into `middle` as well, and into the velocities of `entry` those that count as before the reactions. carried:
 * bodies x 3, moments of reactions that are expected, N m; NULL: none. */
AspTurn *asp_turns_begin(const AspModel *model, AspArena *arena, const AspState *state, double dt, const double *times,
                         double part, const double *carried, AspState *middle, AspState *entry);
/* Their ends without moments, as long as the momenta stay. */
void asp_turns_find_ends(const AspModel *model, AspTurn *turns);
/* The end of the step without moments: orientations and spins. */
void asp_turns_look_ahead(const AspModel *model, AspTurn *turns, AspState *ahead);
/* The middle, dt from the start, by what the moments of the step add to free rotation: dt/2 (w* - w), w the spin that
 * it ends with, w* that of `ahead`. */
void asp_turns_shift_middle(const AspModel *model, AspTurn *turns, const AspState *ahead, double dt, AspState *middle);
/* The velocities of `state` jumped since. */
void asp_turns_kick(const AspModel *model, const AspState *state, AspTurn *turns);
/* Take the change of spin of free rotation off the accelerations (v_size) of bodies that meet something: the velocities
 * for which their laws hold have it. */
void asp_turns_take_off(const AspModel *model, const AspState *state, const AspTurn *turns, double *acceleration);
/* The rest of the step of dt, after an impulse of moments (N m s). */
void asp_turn_complete(AspVec3 impulse, double dt, AspTurn *turn);
/* Orientations and angular velocities at the end of a step of which `state` has the velocities that were solved for. */
void asp_turns_advance(const AspModel *model, const AspTurn *turns, AspState *state);

#endif
