/* formulate: model + contacts + level + friction model -> the contact problem M x = H r + f, u = H^T x + w (problem.h).
 *
 * A formulation is filled on an arena in this order: begin, dynamics, joints, contacts, redundancy, finish. Every row
 * of the problem starts as an AspRow (a scalar function of the state with its gradient), so that joints and contacts
 * share one assembly. Blocks carry a tag that says what they mean. Depends on: model, collide's contacts through
 * AspContactFrame, problem. Knows no solver.
 */
#ifndef ASP_FORMULATE_H
#define ASP_FORMULATE_H

#include "asperity/collide.h"
#include "asperity/formulate.h"
#include "asperity/model.h"
#include "asperity/problem.h"
#include "base/base.h"
#include "formulate/rotation.h"
#include "formulate/tuning/formulate.h"
#include "linalg/dimension.h"

/* The block's index is that of a contact frame, not of a joint. */
static inline bool asp_role_is_of_contact(AspBlockRole role) { return role >= ASP_ROLE_CONTACT; }

typedef struct AspBlockTag {
  AspBlockRole role;
  int index;          /* joint, contact frame, or beam (STRETCH) */
  int body_a, body_b; /* of the block's rows; -1: to be read from them (AspFormulation.row) */
  int part;           /* FRICTION: the first of the joint's free rows that it is for (model/joint_friction.h); else 0 */
  bool met;           /* a limit: by an impact in the step (time_of_impact.c) */
} AspBlockTag;

/* The block's index is that of a joint. */
static inline bool asp_role_is_of_joint(AspBlockRole role) { return role < ASP_ROLE_STRETCH; }

/* A contact seen from its two bodies. */
typedef struct AspContactFrame {
  /* what loops over all contacts ask first: one cache line */
  int body_a, body_b;
  const AspPairLaw *law; /* what else the pair does; NULL: nothing */
  double mu;             /* in use: of the law at the slip speed of the step's start */
  double gap;            /* m */
  double stretch[2];     /* t1, t2: the rows of an elliptic cone are multiplied by this; 1 for a circle */
  double compression;    /* of an impact before the step: normal impulse of its first half, N s */
  bool barrier;          /* found because the step went through it: holds the position, whatever the speed before */
  bool met, later;       /* an impact of this step, at the time of its bodies; after they met something else */
  double merged;         /* met: how far it was still open when its bodies met something else in the same impact, m;
                            later: how far they would go on after it until the next step */
  bool closed, hit;      /* acts in this step; in an impact that is treated before the step (scheme/impact.c) */
  bool chosen;           /* by the sequence of single impacts */
  /* geometry */
  AspVec3 normal, t1, t2; /* unit, world; 2D: t1 = normal turned by -90 degrees, t2 = z */
  AspVec3 arm_a, arm_b;   /* the point relative to the centres of mass, world, m */
  AspVec3 point;          /* one point for both bodies, world, m: opposite impulses on it keep angular momentum */
  AspVec3 belt;           /* how the surface of B moves against that of A beside the bodies' motion, world, m/s */
  /* what few ask */
  double depth; /* overlap that the next step still corrects on this side, m */
  double bend;  /* second derivative of the gap along the velocities of the step's start, m/s^2 */
  double restitution, tangential_restitution; /* e_N, e_T */
  double
      bias[3]; /* change of H^T v along normal, t1, t2 from the start to the middle of the step, m/s (world/refine.c) */
  double before[3];  /* u_N, u_T1, u_T2 at the start of the step, for conditions at its end, m/s; Moreau-Jean: where the
                        bodies meet something */
  double impulse[3]; /* of impacts before the step so far, N s */
  double moment[3];  /* the same of their resistance to spinning and rolling, N m s */
  AspVec3 belt_rate; /* of belt, without spins, m/s^2 */
} AspContactFrame;

/* The friction model put on every COULOMB block. */
typedef struct AspFrictionModel {
  AspConeKind cone;
  int directions;
  double angle; /* rad */
} AspFrictionModel;

/* Column `row` of H has `value` at the load coupling's dof. */
typedef struct AspCouplingEntry {
  int row, coupling;
  double value;
  int at; /* its place in H.value, from finish on */
} AspCouplingEntry;

/* Load of a joint's bearings: sum over them of |N_e|, N_e = part[e] r with r the joint's constraint reactions. The
 * load coupling takes sum_e direction_e . N_e, which is the same once the directions are those of N_e. */
typedef struct AspBearingLoad {
  int joint, first, rows; /* the joint's constraint rows */
  int block;              /* of the friction; its first row carries the load */
  int bearings;           /* 1 or 2 */
  double part[2][2][ASP_JOINT_ROWS_MAX];
  double direction[2][2];
  int coupling;
} AspBearingLoad;

/* A condition on a beam's length: its gradient over dofs from `dof` on. */
typedef struct AspStretchRow {
  int dof, count;
  double value, bias; /* m, and what remains of its second derivative when no dof accelerates */
  double *gradient;
} AspStretchRow;

/* Forces of joints by which a step knows how they change when bodies turn (taut.c). */
typedef struct AspTaut {
  const double *force;    /* joints x ASP_JOINT_FORCES: N, N m; NULL: not known */
  const double *velocity; /* v_size: with which the bodies are expected to leave the step */
  bool stiff_only;        /* dt^2 K in place of dt^2/4 K, and only where the step does not resolve what K makes swing */
} AspTaut;

typedef struct AspFormulation {
  AspArena *arena;
  const AspModel *model;
  int blocks, rows;
  int block_capacity, row_capacity;
  int varying;      /* contacts whose friction depends on the solution (scheme/dependent.c) */
  AspLaw *law;      /* blocks */
  AspBlockTag *tag; /* blocks */
  int *offset;      /* blocks + 1 */
  AspRow *part;     /* parts of rows beside their first ones */
  int parts;
  AspRow *row; /* rows; those of contacts where `frames` is NULL only: asp_block_rows has all */
  struct {
    const AspState *at;          /* the geometry that they belong to; NULL: not taken yet */
    AspRow *row;                 /* joints x ASP_JOINT_ROWS_MAX */
    int *count;                  /* joints */
  } joint_rows;                  /* of asp_joint_rows, for all that need them (asp_formulation_take_joint_rows) */
  const AspContactFrame *frames; /* by index of a CONTACT block's tag: its rows come from there; NULL: they are kept */
  double *known;       /* rows: velocity that does not come from dofs (prescribed motion, kinematic bodies), m/s */
  double *shift;       /* rows: what the scheme adds to the relative velocity: gap / dt, Psi / dt, e u-, m/s */
  double overlap_rate; /* shifts of gaps and limits down to its negative are overlaps that count as none, m/s, rad/s */
  const double *time_of_impact; /* bodies: part of the step at which a body meets something (time_of_impact.c); -1:
                                   nothing; NULL: none does */
  double *acceleration; /* v_size: M^-1 h of the dynamic bodies, m/s^2; of beams and stations what a step without
                             reactions gives; from dynamics on */
  int unresolved;       /* springs that the step damps (mass_matrix.c); from dynamics on */
  struct {
    int count;
    const struct AspStiffRow *row;
  } stiff;                   /* rows of springs and dampers in M (mass_matrix.h); from dynamics on */
  AspTaut taut;              /* forces of joints that turn with their bodies (taut.c) */
  const double *accelerated; /* as in AspStepTerms */
  double accelerated_over;   /* the same */
  AspTurn *turn; /* bodies: their rotation over the step (rotation.c); NULL: by the implicit rule of dynamics.c */
  /* how rows become columns of H (columns.c) */
  const int *dof;         /* bodies: first dof, -1: none */
  const int *station;     /* bodies: place of its map, -1: not a station */
  AspStationMap *map;     /* stations, where `geometry` of the dynamics has them */
  int stretch_first;      /* row of the first condition on a beam's length; they follow each other */
  int stretches;          /* how many are in the problem */
  AspStretchRow *stretch; /* room for all of the model's */
  bool stretch_inside;    /* inextensible beams keep their length within M instead, with the shift (beams.c) */
  double stretch_per_value, stretch_per_bias; /* per_value * value at the start + per_bias * bias */
  int inner;                 /* unknowns of beams behind the model's dofs, before load couplings; no row touches them */
  AspContactProblem problem; /* complete after finish; arrays on the arena */
  /* load couplings: dofs behind those of the model (load_coupling.c) */
  int couplings, entries, coupling_capacity, entry_capacity;
  double *coupling_mass; /* load couplings, kg */
  double *coupling_load; /* load couplings: known part of the load, N s */
  AspCouplingEntry *entry;
  AspBearingLoad *bearing; /* bearings */
  int bearings;
  double *servo_lever;    /* joints: what the row of its servo is multiplied by, 0: no block; NULL: no servos */
  double *armature_lever; /* the same of its armature */
} AspFormulation;

/* Room for the joints of the model and these contacts. */
AspError asp_formulation_begin(AspFormulation *formulation, AspArena *arena, const AspModel *model,
                               const AspContactFrame *frames, int count);

/* How a scheme treats unilateral and bilateral conditions over its step. */
typedef enum AspStepLevel {
  ASP_LEVEL_POSITION, /* gap / dt + u_N >= 0, Psi / dt + rate = 0: conditions hold at the end of the step
                         (Stewart-Trinkle) */
  ASP_LEVEL_VELOCITY  /* u+ + e u- for contacts that are met in the step, rate = 0 (Moreau-Jean) */
} AspStepLevel;

/* Which contacts a problem holds at velocity level, and how they bounce. */
typedef enum AspImpactPhase {
  ASP_PHASE_STEP,        /* those met in the step, Newton's law */
  ASP_PHASE_COMPRESSION, /* the closed ones, inelastic */
  ASP_PHASE_EXPANSION,   /* the closed ones; each gives back e times its compression at least */
  ASP_PHASE_SINGLE,      /* the chosen ones, Newton's law */
  ASP_PHASE_AFTER,       /* the rest of the step: those that were hit stay closed, without restitution */
  ASP_PHASE_END          /* all, as they are at the end of the step, Newton's law (end_state.h) */
} AspImpactPhase;

typedef struct AspStepTerms {
  AspStepLevel level;
  AspImpactPhase phase;
  double dt;                    /* s */
  double whole;                 /* s: step that this one is a part of; gaps within the slop close over it */
  double separation;            /* position level: overlaps come apart no faster, m/s; 0: no limit */
  double effort_time;           /* s: how long forces of limited size act; 0 within an impact */
  double slop, slop_turn;       /* m, rad: at velocity level a condition counts as reached from this distance on */
  double gap_tolerance;         /* m: gaps of contacts up to this size count as zero */
  const double *known_velocity; /* v_size: velocity of kinematic bodies that counts for the step, zeros elsewhere */
  const AspState *ahead;     /* velocity level: where the step is expected to end, with its velocities there; NULL: by
                                   derivatives at the middle */
  const double *accelerated; /* v_size: accelerations in the last step without impact; NULL: not known */
  double accelerated_over;   /* s: the length of that step */
  struct JointMotions *motions; /* of the state that was looked at last; NULL: none are kept */
} AspStepTerms;

/* Prescribed motions and motors must have finite values at t; the message names the joint. */
AspError asp_joints_check_time(AspContext *context, const AspModel *model, const AspState *state, double t);

/* Joint rows, prescribed motion, motors, dry friction, limits over a step that starts at `state`. Gradients are taken
 * at `geometry`: the same, or the state in the middle of the step, where they must be for joints to neither gain nor
 * lose energy. */
AspError asp_formulate_joints(AspFormulation *formulation, const AspState *state, const AspState *geometry,
                              const AspFrictionModel *friction, const AspStepTerms *terms);
/* The constraint rows of all joints at `geometry` into formulation->joint_rows, unless they are there. */
AspError asp_formulation_take_joint_rows(AspFormulation *formulation, const AspState *geometry);

/* One block per contact; at velocity level only for those that are met in the step that starts at `state`. */
AspError asp_formulate_contacts(AspFormulation *formulation, const AspContactFrame *frames, int count,
                                const AspFrictionModel *friction, const AspState *state, const AspStepTerms *terms);

/* Does the block of a contact or limit give a part of its approach back by Newton's law? What a contact's rows change
 * by in the step, and overlaps that count as none, do not. */
bool asp_block_gives_back(const AspFormulation *formulation, int block);

/* Which frames act in the step that starts at `state`, and which of them in an impact; needs the dynamics. True: some
 * are hit. */
bool asp_contacts_meet(const AspFormulation *formulation, AspContactFrame *frames, int count, const AspState *state,
                       const AspStepTerms *terms);
/* When bodies meet something within the step that starts at `state`: part of the step, bodies on the arena, -1: they
 * do not; *times is NULL where nothing is met. `frames`, of the start of the step, receive met and later. Needs the
 * dynamics. */
AspError asp_find_times_of_impact(AspFormulation *formulation, AspContactFrame *frames, int count,
                                  const AspState *state, const AspStepTerms *terms, double **times);
/* Is it worth asking? Cheap, needs no dynamics; false: the frame is not met, nothing is met. */
bool asp_frame_may_meet(const AspModel *model, const AspContactFrame *frame, const AspState *state, double dt);
bool asp_may_meet(const AspModel *model, const AspContactFrame *frames, int count, const AspState *state,
                  const AspStepTerms *terms);
/* u_N of a frame at `state`, m/s; negative: approach. */
double asp_contact_approach(const AspModel *model, const AspContactFrame *frame, const AspState *state);
/* The speed of approach up to which a frame is at rest in a step, m/s; needs the dynamics. */
double asp_contact_rest_speed(const AspFormulation *formulation, const AspContactFrame *frame,
                              const AspStepTerms *terms);

/* M and f of a step with weight theta; M and the stiff elements at `state`, forces at `force_state`: the same (explicit
 * forces at the start), or the state moved by theta dt along v (forces in the middle of the step). Stiff elements are
 * implicit where they need it, beams always. Rows on stations become columns of H by the maps of `force_state`. */
AspError asp_formulate_dynamics(AspFormulation *formulation, const AspState *state, const AspState *force_state,
                                double dt, double theta);

/* Forces kept of a joint: those of its constraint rows, then what acts along its coordinate. */
#define ASP_JOINT_FORCES (ASP_JOINT_ROWS_MAX + 1)
/* dt^2/4 K of formulation->taut into the bodies' blocks of M, which are copied first, and times its velocity into f
 * (taut.c). */
AspError asp_formulate_taut(AspFormulation *formulation, const AspState *geometry, double dt, double **blocks,
                            double *f);

/* M + damping C + stiffness K at the state, C = -dh/dv and K = -dh/dq of springs and beams without what would
 * destabilise; on the arena. Needs the dynamics. */
AspError asp_formulate_lead(AspFormulation *formulation, const AspState *state, double damping, double stiffness,
                            AspSparse *lead);

/* The problem of the smallest displacement x (in the metric of M) that brings the state back to its conditions: joints
 * and prescribed coordinates exactly, contacts and limits where they overlap; limits that are closed, up to the slop,
 * and at rest stay closed. First its rows, which say how far the
 * state is off; then the metric M, with f = 0, redundancy and finish as for a step. */
AspError asp_formulate_projection(AspFormulation *formulation, const AspState *state, const AspContactFrame *frames,
                                  int count, double slop, double slop_turn, double dt);
AspError asp_formulate_projection_metric(AspFormulation *formulation, const AspState *state, double dt);

/* The EQUALITY rows that follow from earlier ones. Their shift is replaced by what the earlier rows imply, so
 * that Psi / dt of dependent rows never contradicts; what is prescribed (`known`) is left alone. redundant (rows)
 * receives true for these rows. */
AspError asp_formulate_redundancy(AspFormulation *formulation, bool *redundant, int *count);

/* Are the block's rows EQUALITY rows that do not give way, as those of servos do? */
bool asp_block_holds(const AspFormulation *formulation, int block);
/* leaf[k] := true for EQUALITY rows that the tree of joints shows to be independent of all others (leaves.c);
 * inverse_mass: 1 / M_jj. */
AspError asp_find_leaf_rows(const AspFormulation *formulation, const double *inverse_mass, bool *leaf);

/* 1 / M_jj on the arena; NULL when out of memory. */
double *asp_inverse_diagonal(AspArena *arena, const AspSparse *M);

/* Assemble H, w = known + shift, offsets, laws and bodies into formulation->problem. */
AspError asp_formulation_finish(AspFormulation *formulation);
/* The bodies of formulation->problem, and which of them its blocks act on (bodies.c): again where M, the rows or the
 * couplings have been replaced. */
AspError asp_formulate_bodies(AspFormulation *formulation);

/* ---- contacts: frame, law, columns, resistance (contact_*.c) ---- */

/* The scene key of what the pair does beyond Coulomb's friction with one coefficient, NULL: nothing. `constant`: of
 * that only what depends on the motion; ellipses, rolling and spinning are blocks and rows like others then. */
const char *asp_pair_law_beyond_coulomb(const AspPairLaw *law, bool constant);

/* Spinning and sliding share the friction of a patch. */
bool asp_pair_law_is_patch(const AspPairLaw *law);
/* Friction depends on how the contact moves: the law has several coefficients, or a patch. */
bool asp_pair_law_varies(const AspPairLaw *law);

/* The scene key of what the pair does beyond sliding friction: moments; NULL: nothing. */
const char *asp_pair_law_beyond_friction(const AspPairLaw *law);

/* A collision object for the model's shapes: with its dimension, and the pairs of bodies that never touch. The caller
 * destroys it. */
AspError asp_collision_of_model(AspContext *context, const AspModel *model, AspCollision **collision);

/* The point of the wrench: on the surface of the one body that moves freely, or midway between two such. */
AspVec3 asp_contact_point(AspVec3 point_a, AspVec3 point_b, bool free_a, bool free_b);
/* Frame of a contact: tangents from the normal, arms from the bodies' positions. */
AspContactFrame asp_contact_frame(int dimension, AspVec3 normal, AspVec3 point, AspVec3 centre_a, AspVec3 centre_b);
/* The same into *frame. */
void asp_contact_frame_place(int dimension, AspVec3 normal, AspVec3 point, AspVec3 centre_a, AspVec3 centre_b,
                             AspContactFrame *frame);
/* Turn the tangents of a frame in space to an elliptic cone's axes: t1 along the direction (world), as far as it lies
 * in the plane of contact; a direction along the normal leaves a circle. Sets mu and stretch from the frame's law. */
void asp_contact_frame_align(AspContactFrame *frame, AspVec3 direction);
/* Friction and restitution of a frame with its law, bodies and tangents; an elliptic cone lies along a direction of one
 * of the bodies. shape_a: of the contact's shapes that of body A. */
void asp_contact_frame_apply_law(const AspModel *model, const AspState *state, int shape_a, AspContactFrame *frame);
/* Moving surfaces of the contact's shapes (belt, belt_rate). */
void asp_contact_frame_carry(const AspModel *model, const AspState *state, int shape_a, int shape_b,
                             AspContactFrame *frame);
/* Lever of friction in a round patch of even pressure: the moment of mu p about its centre is mu N times 2/3 of its
 * radius, m. */
double asp_patch_lever(const AspPairLaw *law);
/* Largest torque against spinning over the normal force, m. */
double asp_spinning_length(const AspPairLaw *law);
/* The coefficient of friction at a slip speed (m/s); at rest the static one. */
double asp_friction_coefficient(const AspPairLaw *law, double slip);
/* Add what a block of this role (contact, rolling, spinning, expansion) with reactions r (rows values) does to the
 * contact's impulse (normal, t1, t2; N s) or moment (about normal, t1, t2, 2D: z in place of t1; N m s). */
void asp_contact_add_impulse(const AspModel *model, const AspContactFrame *frame, AspBlockRole role, int rows,
                             const double *r, double impulse[3], double moment[3]);
/* Length by which the rows of a contact's resistances turn angular velocities into speeds, m. */
double asp_contact_lever(const AspModel *model, const AspContactFrame *frame);
/* Resistance to rolling or spinning: torque of at most a length times the normal force. */
typedef struct AspResistance {
  bool turns; /* the bodies turn against each other: the direction of the torque is known (acceleration level) */
  double direction[2]; /* of the relative speed, unit, in its tangents */
  double bias[2];      /* what is added to its tangents */
} AspResistance;
/* m; 0: none */
double asp_resistance_length(const AspContactFrame *frame, AspBlockRole role);
/* Its tangents: relative angular velocity times the contact's lever, m/s. */
void asp_resistance_rows(const AspModel *model, const AspContactFrame *frame, AspBlockRole role, AspRow tangent[2]);
/* A COULOMB block (SLIDING where the bodies turn) on a load coupling of the normal force in `normal_row`. */
void asp_formulate_resistance(AspFormulation *formulation, const AspContactFrame *frame, int index, int normal_row,
                              AspBlockRole role, const AspResistance *resistance, const AspFrictionModel *friction,
                              const AspStepTerms *terms);
/* The rows of a block: as they are kept, or of a contact made from its frame into `room`. */
const AspRow *asp_block_rows(const AspFormulation *formulation, int block, AspRow room[3]);
/* Keep the rows of contacts as well, so that they outlive their frames. */
void asp_formulation_keep_rows(AspFormulation *formulation);
/* The columns of a contact's block in H, where each of them starts. */
void asp_contact_columns(const AspFormulation *formulation, int block, const int *start, int *dof, double *value);
/* Rows of a contact (2 or 3): relative velocity of B against A along normal, t1, t2; `rate`: that of its belt. */
void asp_contact_rows(int dimension, const AspContactFrame *frame, AspRow rows[3]);

/* ---- columns (columns.c) ---- */

/* The gradient of any row over the dofs: indices ascending into dof, at most ASP_COLUMN_MAX; how many. */
#define ASP_COLUMN_MAX (2 * ASP_ROW_PARTS * ASP_STATION_DOFS_MAX)
int asp_row_scatter(const AspFormulation *formulation, const AspRow *row, int *dof, double *value);
/* The first dofs of two bodies in space of which neither is a station, -1: none; false for others. */
bool asp_plain_bodies(const AspFormulation *formulation, int body_a, int body_b, int *dof_a, int *dof_b);
/* Column k of H without load couplings: the same of the row, which is the formulation's row k, or the gradient of a
 * condition on a beam's length. Room for asp_column_size entries. */
int asp_column_size(const AspFormulation *formulation, int k, const AspRow *row);
int asp_column(const AspFormulation *formulation, int k, const AspRow *row, int *dof, double *value);
/* The condition on a beam's length that row k is; NULL: another row. */
const AspStretchRow *asp_stretch_of(const AspFormulation *formulation, int k);
/* Where bodies and stations have their dofs, and room for the beams' conditions; called by begin. */
AspError asp_columns_begin(AspFormulation *formulation);
/* The stations' maps at the geometry; called by dynamics. */
void asp_columns_place(AspFormulation *formulation, const AspState *geometry);

/* ---- beams (beams.c) ---- */

/* Conditions that keep the length of inextensible beams; shift = per_value * value (m) at `state` + per_bias * bias. */
int asp_stretch_count(const AspModel *model);
void asp_formulate_stretch(AspFormulation *formulation, const AspState *state, const AspState *geometry,
                           double per_value, double per_bias, const AspStepTerms *terms);

/* The entries of a beam's part of M: unknowns are its dofs from `dof` on, then its inner ones. */
typedef struct AspBeamMatrix {
  int dof, count; /* the beam's dofs */
  int inner;      /* its first inner unknown among those of all beams */
  int entries;
  int *row, *column;
  double *value;
} AspBeamMatrix;
/* How many inner unknowns a step gives the beam. */
int asp_beam_inner_count(const AspFormulation *formulation, int beam, double dt, double theta);
/* M and what is implicit of a beam into matrix, its part of f (dofs, and inner), and the acceleration of a step without
 * reactions of its dofs and stations. geometry: the state with about the velocity that moves the beam over the step; h:
 * the loads on the beam's dofs. */
AspError asp_formulate_beam(AspFormulation *formulation, const AspState *state, const AspState *geometry, int beam,
                            double dt, double theta, const double *h, AspBeamMatrix *matrix, double *f, double *inner);
/* M + damping C + stiffness K of a beam at the state. */
AspError asp_formulate_beam_lead(AspFormulation *formulation, const AspState *state, int beam, double damping,
                                 double stiffness, AspBeamMatrix *matrix);

/* The free bodies of a row belong together: they are united in `parent` (disjoint_sets.h). */
void asp_row_unite(const AspModel *model, const AspRow *row, int *parent);
/* Those of a joint; of a coupling, those of all its joints. */
void asp_joint_unite(const AspModel *model, int joint, int *parent);

/* ---- bearings (bearings.c) ---- */

/* Friction of a joint in proportion to its load, as a block; `coordinate`: the row that it acts on. */
void asp_formulate_bearing(AspFormulation *formulation, const AspState *geometry, int joint, const AspRow *coordinate,
                           const AspFrictionModel *friction, const AspStepTerms *terms);
/* The load sum |N_e| for reactions r of the problem, N s; its directions into d (kept where there is no load). */
double asp_bearing_load(const AspBearingLoad *bearing, const double *r, double d[2][2]);
/* Let the load coupling take the load along these directions; after finish. */
void asp_bearing_turn(AspFormulation *formulation, AspBearingLoad *bearing, double d[2][2]);
/* Length by which the row of the friction turns the joint's rate into a speed: the bearing's radius, or 1. */
double asp_bearing_lever(const AspModel *model, int joint);

/* ---- servos (servos.c) ---- */

/* A joint's servo as a block; `coordinate` with its value, and `rate`, at the start of the step; to_end: what is added
 * for its rate at the end. */
void asp_formulate_servo(AspFormulation *formulation, const AspState *state, int joint, const AspRow *coordinate,
                         double rate, double to_end, const AspStepTerms *terms);
/* The joint's effort is this times the reaction of its block; 0: no block, it is a force of the state. */
double asp_servo_lever(const AspFormulation *formulation, int joint);
/* J M^-1 J^T by the diagonals of the bodies' own M. */
double asp_row_mobility(const AspModel *model, const AspState *state, const AspRow *row);

/* ---- armatures (armature.c) ---- */

/* The inertia on a joint's coordinate as a block; `rate` at the start of the step; to_end: what is added to J v+ for
 * the rate at its end. At the level of accelerations: rate 0, and to_end what is added to J v'. */
void asp_formulate_armature(AspFormulation *formulation, const AspState *state, int joint, const AspRow *coordinate,
                            double rate, double to_end, const AspStepTerms *terms);
/* What the reaction of the block is multiplied by to be an impulse along the coordinate; 0: no block. */
double asp_armature_lever(const AspFormulation *formulation, int joint);

/* ---- load couplings (load_coupling.c) ---- */

/* Law of a block on a load coupling: Coulomb's always, since the convex relaxation would let the load coupling move.
 * One tangent: the polygon that has it as vertex and as edge normal. */
AspLaw asp_coupling_law(const AspFrictionModel *friction, double mu, bool one_tangent);

/* A load coupling of about this mass (kg) with a known load (N s); its index. */
int asp_coupling_add(AspFormulation *formulation, double mass, double load);
/* The load coupling takes value times the reaction of the row: loads are negative, the block that they press has +1. */
void asp_coupling_connect(AspFormulation *formulation, int row, int coupling, double value);
/* M, f and the patterns with the load couplings' dofs; called by finish. */
AspError asp_couplings_extend(AspFormulation *formulation);
/* The entries in ascending order of their rows. */
void asp_couplings_sort(AspFormulation *formulation);
/* Mass that two bodies show to a push between their centres, kg; 1 when neither is dynamic. */
double asp_reduced_mass(const AspModel *model, int body_a, int body_b);

/* a.b over the velocity coordinates of a body */
static inline double asp_row_dot(int n, const double *a, const double *b) {
  if (n == 6) // in space, without a loop
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* J x over the bodies of all its parts; x: n numbers for every body */
static inline double asp_row_along(int n, const AspRow *row, const double *x) {
  double sum = asp_row_dot(n, row->ja, x + (size_t)n * (size_t)row->body_a) +
               asp_row_dot(n, row->jb, x + (size_t)n * (size_t)row->body_b);
  for (const AspRow *part = row->more; part; part = part->more)
    sum += asp_row_dot(n, part->ja, x + (size_t)n * (size_t)part->body_a) +
           asp_row_dot(n, part->jb, x + (size_t)n * (size_t)part->body_b);
  return sum;
}

#endif
