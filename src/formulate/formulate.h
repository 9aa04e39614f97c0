/* formulate: model + contacts + level + friction model -> the contact problem M x = H r + f, u = H^T x + w (problem.h).
 *
 * A formulation is filled on an arena in this order: begin, dynamics, joints, contacts, redundancy, finish. Every row
 * of the problem starts as an AspRow (a scalar function of the state with its gradient), so that joints and contacts
 * share one assembly. Blocks carry a tag that says what they mean. Depends on: model, collide's contacts through
 * AspContactFrame, problem. Knows no solver.
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
  double depth;           /* overlap that the next step would still put right on this side, m */
  bool barrier;           /* found because the step went through it: holds the position, whatever the speed before */
  double mu;
  double restitution, tangential_restitution; /* e_N, e_T */
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
  AspLaw *law;      /* blocks */
  AspBlockTag *tag; /* blocks */
  int *offset;      /* blocks + 1 */
  AspRow *row;      /* rows */
  double *known;    /* rows: velocity that does not come from dofs (prescribed motion, kinematic bodies), m/s */
  double *shift;    /* rows: what the scheme adds to the relative velocity: gap / dt, Psi / dt, e u-, m/s */
  double *meeting;  /* bodies, velocity level: part of the step after which it moves with its new velocity; -1: as the
                       scheme has it */
  double *acceleration;      /* v_size: M^-1 h of the dynamic bodies, m/s^2; from dynamics on */
  AspContactProblem problem; /* complete after finish; arrays on the arena */
} AspFormulation;

AspError asp_formulation_begin(AspFormulation *formulation, AspArena *arena, const AspModel *model, int contacts);

/* How a scheme treats unilateral and bilateral conditions over its step. */
typedef enum AspStepLevel {
  ASP_LEVEL_POSITION, /* gap / dt + u_N >= 0, Psi / dt + rate = 0: conditions hold at the end of the step
                         (Stewart-Trinkle) */
  ASP_LEVEL_VELOCITY  /* u+ + e u- for contacts that are met in the step, rate = 0 (Moreau-Jean) */
} AspStepLevel;

typedef struct AspStepTerms {
  AspStepLevel level;
  double dt;                    /* s */
  double slop;                  /* m, rad: at velocity level a condition counts as reached from this distance on */
  const double *known_velocity; /* v_size: velocity of kinematic bodies that counts for the step, zeros elsewhere */
} AspStepTerms;

/* Joint rows, prescribed motion, motors, dry friction, limits over a step that starts at `state`. Gradients are taken
 * at `geometry`: the same, or the state in the middle of the step, where they must be for joints to neither gain nor
 * lose energy. */
void asp_formulate_joints(AspFormulation *formulation, const AspState *state, const AspState *geometry,
                          const AspStepTerms *terms);

/* One block per contact; at velocity level only for those that are met in the step that starts at `state`. */
void asp_formulate_contacts(AspFormulation *formulation, const AspContactFrame *frames, int count,
                            const AspFrictionModel *friction, const AspState *state, const AspStepTerms *terms);

/* M and f of a step with weight theta; M and the stiff elements at `state`, forces at `force_state`: the same (explicit
 * forces at the start), or the state moved by theta dt along v (forces in the middle of the step). Stiff elements are
 * implicit where they need it. */
AspError asp_formulate_dynamics(AspFormulation *formulation, const AspState *state, const AspState *force_state,
                                double dt, double theta);

/* The problem of the smallest displacement x (in the metric of M) that brings the state back to its conditions: joints
 * and prescribed coordinates exactly, contacts and limits where they overlap. Leaves dynamics with f = 0; then
 * redundancy and finish as for a step. */
AspError asp_formulate_projection(AspFormulation *formulation, const AspState *state, const AspContactFrame *frames,
                                  int count, double dt);

/* The EQUALITY rows that follow from earlier ones. Their shift is replaced by what the earlier rows imply, so
 * that Psi / dt of dependent rows never contradicts; what is prescribed (`known`) is left alone. redundant (rows)
 * receives true for these rows. */
AspError asp_formulate_redundancy(AspFormulation *formulation, bool *redundant, int *count);

/* Assemble H, w = known + shift, offsets and laws into formulation->problem. */
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
