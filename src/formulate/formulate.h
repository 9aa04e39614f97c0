/* formulate: model + contacts + level + friction model -> the contact problem M x = H r + f, u = H^T x + w (problem.h).
 *
 * A formulation is filled on an arena in this order: begin, joints, contacts, dynamics, finish. Every row of the
 * problem starts as an AspRow (a scalar function of the state with its gradient), so that joints and contacts share one
 * assembly. Blocks carry a tag that says what they mean. Depends on: model, collide's contacts through AspContactFrame,
 * problem. Knows no solver.
 */
#ifndef ASP_FORMULATE_H
#define ASP_FORMULATE_H

#include "asperity/model.h"
#include "asperity/problem.h"
#include "base/base.h"

typedef enum AspBlockRole {
  ASP_ROLE_JOINT,      /* EQUALITY: the joint's constraint rows */
  ASP_ROLE_MOTION,     /* EQUALITY: prescribed coordinate */
  ASP_ROLE_MOTOR,      /* BOX with the effort, or EQUALITY when the effort is unlimited */
  ASP_ROLE_FRICTION,   /* BOX with the dry limit */
  ASP_ROLE_LIMIT_LOW,  /* UNILATERAL */
  ASP_ROLE_LIMIT_HIGH, /* UNILATERAL, row with the opposite sign of the coordinate */
  ASP_ROLE_CONTACT     /* COULOMB, or UNILATERAL where mu = 0 */
} AspBlockRole;

typedef struct AspBlockTag {
  AspBlockRole role;
  int index; /* joint, or contact frame */
} AspBlockTag;

/* A contact seen from its two bodies. */
typedef struct AspContactFrame {
  int body_a, body_b;
  AspVec3 arm_a, arm_b;   /* witness points relative to the centres of mass, world, m */
  AspVec3 normal, t1, t2; /* unit, world; 2D: t1 = normal turned by -90 degrees, t2 = z */
  double gap;             /* m */
  double mu;
} AspContactFrame;

/* The friction model put on every COULOMB block. */
typedef struct AspFrictionModel {
  AspConeKind cone;
  int directions;
  double angle; /* rad */
} AspFrictionModel;

typedef struct AspFormulation {
  AspArena *arena;
  const AspModel *model;
  int blocks, rows;
  int block_capacity, row_capacity;
  AspLaw *law;           /* blocks */
  AspBlockTag *tag;      /* blocks */
  int *offset;           /* blocks + 1 */
  AspRow *row;           /* rows */
  double *known;         /* rows: velocity that does not come from dofs (prescribed motion, kinematic bodies), m/s */
  double *stabilisation; /* rows: gap / dt or Psi / dt, m/s */
  AspContactProblem problem; /* complete after finish; arrays on the arena */
} AspFormulation;

AspError asp_formulation_begin(AspFormulation *formulation, AspArena *arena, const AspModel *model, int contacts);

/* Joint rows, prescribed motion, motors, dry friction, limits over a step of dt that starts at `state`.
 * `known_velocity` (v_size) holds the mean velocity of kinematic bodies over the step and zeros elsewhere. */
void asp_formulate_joints(AspFormulation *formulation, const AspState *state, const double *known_velocity, double dt);

/* One block per contact, with the gap's stabilisation gap / dt. */
void asp_formulate_contacts(AspFormulation *formulation, const AspContactFrame *frames, int count,
                            const AspFrictionModel *friction, const double *known_velocity, double dt);

/* M and f of a step: forces at the start of the step, stiff elements implicit with weight theta where they need it. */
AspError asp_formulate_dynamics(AspFormulation *formulation, const AspState *state, double dt, double theta);

/* The EQUALITY rows that follow from earlier ones. Their stabilisation is replaced by what the earlier rows imply, so
 * that Psi / dt of dependent rows never contradicts; what is prescribed (`known`) is left alone. redundant (rows)
 * receives true for these rows. Needs dynamics first. */
AspError asp_formulate_redundancy(AspFormulation *formulation, bool *redundant, int *count);

/* Assemble H, w = known + stabilisation, offsets and laws into formulation->problem. */
AspError asp_formulation_finish(AspFormulation *formulation);

/* Frame of a contact: tangents from the normal, arms from the bodies' positions. */
AspContactFrame asp_contact_frame(int dimension, AspVec3 normal, AspVec3 point_a, AspVec3 point_b, AspVec3 centre_a,
                                  AspVec3 centre_b);
/* Rows of a contact (2 or 3): relative velocity of B against A along normal, t1, t2. */
void asp_contact_rows(int dimension, const AspContactFrame *frame, AspRow rows[3]);

/* a.b over the velocity coordinates of a body */
static inline double asp_row_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

#endif
