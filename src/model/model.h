/* What the files of the model layer share: the containers behind AspModel, checks of definitions, and the kinematics of
 * one body and of two points on two bodies, from which joints and springs are made.
 *
 * Depends on base, linalg, shape, flex.
 */
#ifndef ASP_MODEL_INTERNAL_H
#define ASP_MODEL_INTERNAL_H

#include "asperity/model.h"
#include "base/base.h"
#include "base/constants.h"
#include "flex/flex.h"
#include "linalg/dimension.h"
#include "linalg/vec3.h"
#include "model/sensor.h"
#include "model/table.h"
#include "model/timed.h"
#include "model/tuning/model.h"

/* ---- names.c: texts numbered from 0, each once, found by hash ---- */

typedef struct NameList {
  char **name; /* count, owned */
  size_t capacity;
  int count;
  int *slot; /* open addressing: 1 + index, 0 is empty; at most half full */
  size_t slots;
} NameList;

int asp_names_find(const NameList *names, const char *name); /* -1: none */
AspError asp_names_add(AspContext *context, NameList *names, const char *name);
void asp_names_release(AspContext *context, NameList *names);

/* ---- time_function.c: an expression with its text, or nothing ---- */

typedef struct TimeFunction {
  char *text; /* NULL: absent */
  AspExpression *expression;
} TimeFunction;

/* text may be NULL. At t = 0 the value must be finite, with `smooth` its two derivatives too. */
AspError asp_time_function_make(const AspModel *model, const char *field, const char *text, bool smooth,
                                TimeFunction *function);
void asp_time_function_release(AspContext *context, TimeFunction *function);
/* `absent` at rest when there is no expression. */
/* Walks through an expression: false behind its end; *slot: of the variable that the operation reads, -1: none; *table:
 * what it looks up, NULL: none. */
bool asp_expression_operation(const AspExpression *expression, int i, int *slot, const AspTable **table);
/* Does it contain t; *sudden: it may rest for a while and then change at once, since it is more than sums, products,
 * sines and cosines. NULL: false. */
bool asp_expression_has_time(const AspExpression *expression, bool *sudden);
AspJet asp_time_function_at(const TimeFunction *function, double t, const AspInput *input, double absent);

/* ---- check.c: what definitions must satisfy; the message begins with the field ---- */

AspError asp_check_number(AspContext *context, const char *field, double value);       /* finite */
AspError asp_check_positive(AspContext *context, const char *field, double value);     /* finite, > 0 */
AspError asp_check_not_negative(AspContext *context, const char *field, double value); /* finite, >= 0 */
AspError asp_check_fraction(AspContext *context, const char *field, double value);     /* in [0, 1] */
AspError asp_check_vector(AspContext *context, const char *field, AspVec3 value);      /* finite */
/* 2D: z must be 0. */
AspError asp_check_in_plane(AspContext *context, int dimension, const char *field, AspVec3 value);
/* 2D: x and y must be 0. */
AspError asp_check_about_z(AspContext *context, int dimension, const char *field, AspVec3 value);
/* Finite and not zero; made of unit length. */
AspError asp_check_direction(AspContext *context, const char *field, AspVec3 *direction);
/* Finite, quaternion within 1e-6 of unit length and then normalised; 2D: in the plane. */
AspError asp_check_pose(AspContext *context, int dimension, AspPose *pose);
/* Symmetric positive definite (2D: m[8] > 0); made exactly symmetric. */
AspError asp_check_inertia(AspContext *context, int dimension, AspMat3 *inertia);
/* Some distribution of mass has it (3D). */
bool asp_inertia_is_real(const AspMat3 *inertia);

/* ---- the model ---- */

typedef struct ModelBody {
  int dof;        /* first, -1: none; in one cache line with the fields that loops over contacts read */
  int beam;       /* stations: their beam; -1: none */
  AspBodyDef def; /* texts belong to position, rotation and the name list */
  TimeFunction position[3], rotation;
  double s; /* stations: place on it, m */
} ModelBody;

typedef struct ModelBeam {
  AspBeamDef def;
  AspFlex *flex;
  int station[2];      /* bodies at its start and end */
  int q_at, v_at, dof; /* where its coordinates, velocities and dofs begin; from finish on */
} ModelBeam;

/* A compound joint as a chain of three turns and three slides, from A to B (compound.c). */
// exact: freedoms of a body
#define CHAIN 6

typedef struct ChainAxis {
  bool slides;
  int joint;           /* whose coordinate it is; -1: held */
  AspVec3 axis, point; /* at the initial poses, seen from A; the point from the chain's origin */
} ChainAxis;

typedef struct Compound {
  ChainAxis element[CHAIN];
  AspVec3 origin; /* in A's frame */
  AspPose start;  /* of B at the initial poses, from the origin along A's axes */
} Compound;

/* tendon.h */
typedef struct Tendon Tendon;

typedef struct ModelJoint {
  AspJointDef def; /* texts belong to the functions of time and the name list */
  TimeFunction motor, motion, effort, target, target_velocity, load;
  AspVec3 local_a, local_b;       /* the joint's point(s) in the frames of A and B, m */
  AspVec3 frame_a[3], frame_b[3]; /* t1, t2, axis in the frames of A and B */
  int memory;                     /* has_switch: 1 + its first input (attach.c), 0: none */
  double turn;                    /* 2D: angle of B minus angle of A at the initial poses */
  double length;                  /* DISTANCE, m */
  double start;                   /* COUPLING: sum of its terms at the initial coordinates */
  Tendon *tendon;                 /* TENDON: its path, owned */
  Compound chain;                 /* COMPOUND; from finish on */
} ModelJoint;

typedef struct ModelForce {
  AspForceDef def; /* texts belong to component and the name list */
  TimeFunction component[3];
  AspVec3 local, local_b; /* points in the frames of body and body_b */
  AspVec3 axis[3];        /* DRAG: axes of the box in the body's frame */
} ModelForce;

typedef struct ModelSurface {
  TimeFunction velocity[3], spin[3];
} ModelSurface;

typedef struct ModelShape {
  AspShapeAttachment attachment; /* texts belong to the surface */
  int body;
  ModelSurface *surface; /* NULL: it does not move */
} ModelShape;

typedef struct ModelPair {
  int low, high; /* material ids */
  AspPairLaw law;
} ModelPair;

/* A spring on one scalar of the state: a force's spring, a joint's, or its servo. */
typedef struct StiffElement {
  bool of_joint, servo;
  int index; /* of the force or joint */
} StiffElement;

/* The mass matrix of the bodies, without springs and beams: one dense block for each dynamic one, in the order of the
 * dofs, by columns. */
typedef struct MassBlocks {
  int *start, *row; /* where its entries stand */
  double *value;    /* NULL: it changes as bodies turn */
} MassBlocks;

typedef struct ModelEventSet {
  int input;
  TimeFunction value;
} ModelEventSet;

typedef struct ModelEvent {
  TimeFunction when;
  ModelEventSet *set;    /* set_count */
  int activate, release; /* joints, -1: none */
  int set_count;
  bool once;
  int held, count; /* inputs: 0 where the condition held last time, -1 where not; how often it acted */
} ModelEvent;

typedef struct ModelStop {
  TimeFunction when;
  char *message;
} ModelStop;

/* What happens when a condition becomes true (rule.c). */
typedef struct ModelRules {
  NameList names; /* of the events */
  ModelEvent *event;
  ModelStop *stop;
  int event_count, stop_count;
  size_t event_capacity, stop_capacity;
} ModelRules;

/* A function of time, or of the state, that acts on the motion (timed.c). */
typedef struct TimedFunction {
  const TimeFunction *function;
  TimedKind kind;
  int body_a, body_b; /* -1: none */
  bool turns;         /* about an axis, not along it */
  bool of_time;       /* asp_timed_is_of_time */
  bool sudden;        /* asp_expression_has_time */
  bool switches;      /* asp_timed_switches */
} TimedFunction;

/* Functions given by points (table.c). */
typedef struct ModelTables {
  NameList names;
  AspTable **table; /* names.count */
  size_t capacity;
} ModelTables;

/* Values that an input may be set to. */
typedef struct ModelRange {
  double low, high;
} ModelRange;

struct AspModel {
  AspContext *context;
  int dimension;
  bool finished;
  AspVec3 gravity;
  int dofs;
  bool has_kinematic; /* a body of this kind */
  NameList body_names, joint_names, force_names, beam_names, materials, input_names;
  ModelBody *body;
  ModelBeam *beam;
  ModelJoint *joint;
  ModelForce *force;
  ModelShape *shape;
  ModelShape *drawing; /* drawn only */
  ModelPair *pair;     /* sorted by (low, high) */
  AspInput *input;     /* input_names.count, as they are at first */
  ModelSensor *sensor; /* the same: what is sensed */
  ModelRange *range;   /* the same: what they may be set to */
  ModelRules rules;
  ModelTables tables;
  bool senses_velocity;  /* from finish on: the motion depends on sensors of velocities */
  TimedFunction *timed;  /* from finish on */
  StiffElement *stiff;   /* springs, then servos */
  AspBodyPair *excluded; /* excluded_all owners that never touch; from finish on each once, and the first
                          * excluded_count, sorted, are those with shapes */
  int body_count, joint_count, force_count, shape_count, drawing_count, pair_count, stiff_count, servo_count,
      beam_count, excluded_count, excluded_all, surface_count, effort_count, timed_count;
  int q_size, v_size; /* from finish on */
  MassBlocks mass;    /* the same */
  int *dof_of;        /* bodies: first dof, -1: none; apart from `body` for loops over all of them */
  int *station_of;    /* bodies: number among the stations, -1: none */
  int station_count;
  size_t beam_capacity, body_capacity, joint_capacity, force_capacity, shape_capacity, drawing_capacity, pair_capacity,
      stiff_capacity, input_capacity, excluded_capacity, sensor_capacity, range_capacity, timed_capacity;
};

/* Forces move it: a dynamic body or a station. */
static inline bool asp_body_is_free(const ModelBody *body) { return body->dof >= 0 || body->beam >= 0; }

static inline int asp_model_velocities(const AspModel *model) { return asp_body_velocities(model->dimension); }

/* Adding is refused once finished, and when the definition did not come from its default function. */
AspError asp_model_may_add(const AspModel *model, const char *what, bool cookie_right);
void asp_model_label(char label[ASP_LABEL_BYTES], const char *kind, int index, const char *name);
AspError asp_model_check_body(const AspModel *model, const char *field, int body);
/* Enter the name, or the label where there is none; refuses names already taken and more elements than fit. */
AspError asp_model_name_element(AspModel *model, NameList *names, const char *name, const char *label);

/* ---- input.c, rule.c, table.c ---- */

bool asp_input_name_is_right(const char *name);
/* An input that the model itself writes. */
AspError asp_model_add_memory(AspModel *model, const char *name, double value, int *input);
void asp_rules_release(AspModel *model);
void asp_tables_release(AspModel *model);

/* Its coordinate is one of many bodies: it joins none of them, and says nothing about contact between them. */
static inline bool asp_joint_is_sum(const AspJointDef *def) {
  return def->kind == ASP_JOINT_COUPLING || def->kind == ASP_JOINT_TENDON;
}

/* Parts of the row of its coordinate at most. */
static inline int asp_joint_row_parts(const AspJointDef *def) {
  return def->kind == ASP_JOINT_TENDON ? ASP_ROW_PARTS : def->term_count;
}

/* Nothing else acts on the coordinate of a coupling or tendon. */
static inline bool asp_coupling_is_held(const AspJointDef *def) {
  bool driven = def->has_motor || def->has_servo || def->effort || def->motion;
  return !(driven || def->friction > 0 || def->armature > 0 || isfinite(def->limit_low) || isfinite(def->limit_high));
}

/* The polynomial of a coupling's term at q, with its first and second derivative as rate and acceleration. */
static inline AspJet asp_coupling_term(const AspCouplingTerm *term, double q) {
  const double a = term->factor, b = term->power[0], c = term->power[1], d = term->power[2];
  return (AspJet){q * (a + q * (b + q * (c + q * d))), a + q * (2 * b + q * (3 * c + q * 4 * d)),
                  2 * b + q * (6 * c + q * 12 * d)};
}

/* model->mass, dof_of and station_of; called by finish. */
AspError asp_bodies_place(AspModel *model);
/* The list of pairs that never touch, joints included; called by finish. */
AspError asp_exclusions_finish(AspModel *model);
void asp_body_release(AspContext *context, ModelBody *body);
void asp_joint_release(AspContext *context, ModelJoint *joint);
void asp_force_release(AspContext *context, ModelForce *force);
void asp_beam_release(AspContext *context, ModelBeam *beam);

/* ---- beam.c ---- */

/* Of a checked definition. */
AspError asp_beam_make_flex(AspContext *context, int dimension, const AspBeamDef *def, AspFlex **flex);
/* Offsets of the beams behind the bodies; called by finish. */
void asp_beams_place(AspModel *model);
/* The reference at its pose into the state; stations are left to asp_state_place_stations. */
void asp_beams_initial(const AspModel *model, AspState *state);
void asp_beams_move(const AspModel *model, AspState *state, const double *velocity, double dt);
/* The cross-section of a station; known accelerations are T' v. */
AspFlexSection asp_station_section(const AspModel *model, const AspState *state, int body);
/* h += T^T (force, torque) on the station's beam */
void asp_station_push(const AspModel *model, const AspState *state, int body, AspVec3 force, AspVec3 torque, double *h);
/* Gravity and inertia of all beams; strain and damping. */
void asp_beams_add_loads(const AspModel *model, const AspState *state, double *h);
void asp_beams_add_forces(const AspModel *model, const AspState *state, double *h);
AspFlexEnergy asp_beam_energy(const AspModel *model, const AspState *state, const double *velocity, int beam);

/* ---- kinematics ---- */

/* Poses and velocities of kinematic bodies at state->t with its inputs. */
void asp_state_place_kinematic(const AspModel *model, AspState *state);

/* A body at one instant. The accelerations are the prescribed ones of kinematic bodies and T' v of stations; zero for
 * the others. */
typedef struct BodyMotion {
  AspPose pose;
  double angle;             /* 2D, not bounded */
  AspVec3 v, w;             /* linear and angular velocity, world */
  AspVec3 known_a, known_w; /* known linear and angular acceleration, world */
} BodyMotion;

/* As defined: pose and velocity of the definition, of kinematic bodies at time t. */
BodyMotion asp_body_defined_motion(int dimension, const ModelBody *body, double t, const AspInput *input);
BodyMotion asp_body_motion(const AspModel *model, const AspState *state, int body);
/* Pose and velocity into the state. */
void asp_state_write_motion(const AspModel *model, AspState *state, int body, const BodyMotion *motion);

/* A point on A and a point on B. */
typedef struct PointPair {
  int dimension, body_a, body_b;
  bool accelerated; /* an acceleration of the two is known */
  BodyMotion a, b;
  AspVec3 arm_a, arm_b; /* from the centres of mass, world */
  AspVec3 d, d_rate;    /* point on B minus point on A, and its rate */
  AspVec3 d_bias;       /* what remains of the second derivative of d when all accelerations vanish */
} PointPair;

/* Gradient in the velocities of one body, linear and angular part. */
typedef struct AspGradient {
  AspVec3 linear, angular;
} AspGradient;

PointPair asp_point_pair(const AspModel *model, const AspState *state, int body_a, AspVec3 local_a, int body_b,
                         AspVec3 local_b);
/* `quadratic`: what remains of the second derivative when all accelerations vanish; the prescribed ones are added. */
AspRow asp_row_make(const PointPair *pair, AspGradient ga, AspGradient gb, double value, double quadratic);
/* direction . d for a direction fixed in the world */
AspRow asp_row_point(const PointPair *pair, AspVec3 direction);
/* |d| - length */
AspRow asp_row_distance(const PointPair *pair, double length);
/* ja.v_a + jb.v_b + rate; v of dynamic bodies from `velocity` (asp_model_v_size), of the others from the state */
double asp_row_rate(const AspModel *model, const AspState *state, const AspRow *row, const double *velocity);
/* A stiff element as springs and dampers along rows: K = sum of k_i j_i j_i^T, C = sum of c_i j_i j_i^T. How many.
 * Its forces are added to h, unless h is NULL. */
// exact: along a spring and across it, and its own direction where it has no length; of drag along and about three axes
#define ASP_STIFF_ROWS 6
int asp_model_stiff_rows(const AspModel *model, const AspState *state, int element, AspRow row[ASP_STIFF_ROWS],
                         double k[ASP_STIFF_ROWS], double c[ASP_STIFF_ROWS], double *h);
/* The value of asp_joint_coordinate's row alone; false where the joint has none. */
bool asp_joint_value(const AspModel *model, const AspState *state, int joint, double *value);
/* How fast a hinge in space turns about its axis, rad/s, to count full turns; 0 for other joints, and for axes of
 * compound joints (asp_compound_expect). */
double asp_joint_turn_rate(const AspModel *model, const AspState *state, int joint, const double *velocity);

/* ---- surface.c ---- */

AspError asp_surface_make(const AspModel *model, ModelShape *shape);
void asp_surface_release(AspContext *context, ModelShape *shape);

/* ---- servo.c ---- */

/* The servo of a definition: gains and functions of time. */
AspError asp_servo_check(const AspModel *model, const AspJointDef *def);
AspError asp_servo_prepare(const AspModel *model, ModelJoint *joint);
/* Effort limit of a motor or servo. */
AspError asp_effort_prepare(const AspModel *model, ModelJoint *joint);
double asp_effort_at(const AspModel *model, const AspState *state, int joint, double t);
/* h += effort j^T, over all parts of the row (force.c) */
void asp_add_along_row(const AspModel *model, const AspState *state, double *h, const AspRow *row, double effort);
/* asp_model_loads without the springs (force.c) */
void asp_model_loads_but_springs(const AspModel *model, const AspState *state, double *h);

#endif
