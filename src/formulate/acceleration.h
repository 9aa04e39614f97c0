/* formulate: the contact problem of one instant, without a step (docs/theory/existence.md, "Levels").
 *
 *   acceleration   x = v'   M v' = H r + h,    u = H^T v' + bias      r are forces
 *   impulse        x = v+   M v+ = H r + M v,  u = H^T v+ + e u-      r are impulses
 *
 * Both take a formulation from asp_formulation_begin and leave redundancy and finish to the caller, like a step.
 */
#ifndef ASP_FORMULATE_ACCELERATION_H
#define ASP_FORMULATE_ACCELERATION_H

#include "formulate/formulate.h"
#include "formulate/roundness.h"
#include "model/joint_friction.h"

/* What contacts and joints do while the motion is smooth. */
typedef struct AspContactHold {
  bool slides;       /* else it sticks */
  bool begins;       /* to slide: along `direction`, whatever its slip */
  AspVec3 direction; /* unit, world: of its slip when it began to slide, for where there is none yet */
} AspContactHold;
typedef struct AspJointHold {
  signed char motor;                    /* sign of the motion that its force of full size opposes; 0: holds */
  double friction[ASP_JOINT_FREE_ROWS]; /* the same along the free rows: unit vector over the rows of a friction */
  bool begins;    /* a friction of several rows begins to slip: along its vector, whatever its rates */
  bool low, high; /* limits that hold */
} AspJointHold;

/* Its reaction is known: -direction limit (BOX and BALL of an instant's modes). */
static inline bool asp_reaction_is_given(const AspLaw *law) {
  return (law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_BALL) &&
         (law->direction[0] != 0 || law->direction[1] != 0 || law->direction[2] != 0);
}

/* Below these a distance is none and a rate is rest. */
typedef struct AspInstant {
  double gap;   /* m, rad: contacts and limits this near are closed */
  double speed; /* m/s, rad/s: slower is rest */
  /* Not NULL: all frames are closed and contacts and joints do what is said here, whatever the tolerances. Joints and
   * motors that move against their force of full size are BOX or BALL blocks with the direction of the motion: their
   * reaction is known, asp_reaction_is_given. */
  const AspContactHold *contacts; /* frames */
  const AspJointHold *joints;     /* joints of the model */
} AspInstant;

/* What bias (normal, t1, t2) a contact has at the acceleration level: round[0] of body A, round[1] of body B. */
void asp_contact_bias(const AspModel *model, const AspState *state, const AspContactFrame *frame,
                      const AspRoundness round[2], double bias[3]);

/* What parts of the two shapes touch, as that bias sees them: face, line, curved part or vertex of each. A number that
 * jumps where a face or a line ends. */
int asp_contact_parts(const AspRoundness round[2]);

/* Accelerations. Contacts that are closed and neither approach nor part: SLIDING where they slip, COULOMB where they
 * stick, with the coefficient of their slip speed and in the rows of an elliptic cone. Moving dry joints and motors off
 * their speed are known forces, resting ones BOX. round: 2 per contact. *approaching receives how many closed contacts
 * or limits approach: for those an impulse comes first. */
AspError asp_formulate_acceleration(AspFormulation *formulation, const AspState *state, const AspContactFrame *frames,
                                    const AspRoundness *round, int count, const AspFrictionModel *friction,
                                    const AspInstant *instant, int *approaching);

/* Velocities after an impact at this instant: closed contacts with Newton's restitution; bounded forces do nothing. */
AspError asp_formulate_impulse(AspFormulation *formulation, const AspState *state, const AspContactFrame *frames,
                               int count, const AspFrictionModel *friction, const AspInstant *instant);

#endif
