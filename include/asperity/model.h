/* Asperity model: bodies, joints, forces, materials. Constant once built; the state is separate. Knows no solver and no
 * collision.
 *
 * Coordinates. q: 7 numbers per body in 3D (position of the centre of mass, unit quaternion w x y z), 3 in 2D (x, y,
 * angle). v: 6 per body in 3D (linear and angular velocity, both in the world frame), 3 in 2D. q holds every body; v
 * holds every body too, fixed bodies with zeros and kinematic ones with their prescribed velocity. Dynamic bodies
 * have dofs, numbered in the order of the bodies. Behind all bodies q, v and the dofs hold the coordinates of the
 * flexible beams, in their order. A *station* is a cross-section of a beam that looks like a body: it has a pose and a
 * velocity in q and v, which follow from the beam's coordinates, and no dofs of its own. SI units, radians.
 *
 * Threads and ownership: base.h. A finished model never changes: any number of threads may read it, and step worlds of
 * their own contexts on it. A state is the caller's plain data; functions that fill h, K, C, rows or a state write
 * nothing else.
 */
#ifndef ASPERITY_MODEL_H
#define ASPERITY_MODEL_H

#include "asperity/linalg.h"
#include "asperity/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- expressions in t and in named variables, with exact derivatives ---- */

typedef struct AspExpression AspExpression;

typedef struct AspJet {
  double value, rate, acceleration; /* f(t), f'(t), f''(t) */
} AspJet;

/* Numbers, t, pi, e, + - * / ^, parentheses and the functions of docs/reference/expressions.md. The message names the
 * column. Outside the domain of a function (sqrt(-1), log(0)) the value is NaN; at a kink the derivatives are those
 * from the right. [one thread, yours: asp_expression_destroy] */
ASP_API AspError asp_expression_parse(AspContext *context, const char *text, AspExpression **expression);
ASP_API void asp_expression_destroy(AspContext *context, AspExpression *expression); /* [one thread, ends it] */
ASP_API AspJet asp_expression_evaluate(const AspExpression *expression, double t);   /* [many readers] */

typedef struct AspTable AspTable; /* a function of one argument given by points: asp_model_add_table */

/* Names that an expression may use beside t. `slot` gives the number of a name, -1 when there is none such; `table` the
 * table of table(NAME, x), NULL when there is none such. They are asked while parsing only; `table` may be NULL, and
 * tables must outlive the expression. asp_model_variables gives those of a model. */
typedef struct AspVariables {
  int (*slot)(const void *user, const char *name);
  const void *user;
  const AspTable *(*table)(const void *user, const char *name);
} AspVariables;

/* What a variable is: a function of time of second order, as it was set at the time `since`,
 *
 *   value + rate (t - since) + acceleration (t - since)^2 / 2
 */
typedef struct AspInput {
  double since; /* s */
  AspJet set;
} AspInput;
ASP_API AspJet asp_input_at(const AspInput *input, double t); /* [any thread] */

/* The same with variables; a name consists of letters, digits, '_' and '.', and begins with a letter or '_'. Evaluating
 * takes one AspInput for each slot. [one thread, yours: asp_expression_destroy] */
ASP_API AspError asp_expression_parse_with(AspContext *context, const char *text, const AspVariables *variables,
                                           AspExpression **expression);
/* [many readers] */
ASP_API AspJet asp_expression_evaluate_with(const AspExpression *expression, double t, const AspInput *variable);
/* t, pi, e and the functions cannot be names of variables. [any thread] */
ASP_API bool asp_expression_knows(const char *name);

/* ---- building a model ---- */

typedef struct AspModel AspModel;

/* [one thread, yours: asp_model_destroy] */
ASP_API AspError asp_model_create(AspContext *context, int dimension, AspModel **model);
ASP_API void asp_model_destroy(AspModel *model); /* [one thread, ends it] */
/* The same model once more, on this context and not finished: pairs of materials, masses and gravity can be set again,
 * elements added, then asp_model_finish. Indices and names are those of the original, which is left as it is, finished
 * or not; left unchanged, the clone moves to the same bits. Hulls and height fields are shared: they must outlive both
 * (of a scene: destroy the clone before it). [one thread, yours: asp_model_destroy] */
ASP_API AspError asp_model_clone(AspContext *context, const AspModel *model, AspModel **clone);

/* Each definition comes from its default function, which sets the cookie; texts are copied. Adding returns the index
 * through the last argument. Names must be unique within their kind; NULL or "" is replaced by "body3", "joint0", ...
 */

/* How two materials behave when they touch. */
typedef struct AspPairLaw {
  double friction;               /* coefficient mu of sliding, >= 0 */
  double restitution;            /* e_N in [0, 1] */
  double tangential_restitution; /* e_T in [0, 1], of impacts */
  /* The coefficient at slip speed s: mu + (mu_static - mu) exp(-(s / stribeck_speed)^stribeck_exponent); with
   * stribeck_speed = 0 it jumps from mu_static at rest to mu. */
  double static_friction;   /* mu_static, >= friction; 0: the same */
  double stribeck_speed;    /* m/s, >= 0 */
  double stribeck_exponent; /* > 0; 0 stands for 1 */
  /* An ellipse in place of the circle (3D): `friction` along `direction`, friction_across across it in the plane of
   * contact. The direction is fixed in the body whose shape has the first material given to asp_model_set_pair. */
  double friction_across; /* > 0; 0: a circle */
  AspVec3 direction;      /* in that body's frame, any length */
  int direction_material; /* set by asp_model_set_pair: that material */
  /* Resistance to rolling and to spinning: torques of at most this length times the normal force, across and along the
   * normal. In the plane only rolling. */
  double rolling;  /* m, >= 0 */
  double spinning; /* m, >= 0 */
  /* Radius a of a round patch of even pressure (3D): sliding and spinning share one limit, |(F, M / k)| <= mu N with
   * k = 2/3 a, so that a contact that spins slides under any force (Contensou). 0: a point. */
  double contact_radius; /* m, >= 0 */
} AspPairLaw;

ASP_API AspPairLaw asp_pair_law_default(void); /* all zero: frictionless, inelastic [any thread] */

/* How restitution acts where several contacts meet (docs/theory/impacts.md). */
typedef enum AspImpactLaw { ASP_IMPACT_NEWTON, ASP_IMPACT_POISSON, ASP_IMPACT_SEQUENTIAL } AspImpactLaw;
extern ASP_API const char *const asp_impact_law_names[];   /* by value, NULL-terminated [any thread, lent] */
ASP_API const char *asp_impact_law_name(AspImpactLaw law); /* [any thread, lent] */

/* The material's id; made when new. [one thread] */
ASP_API AspError asp_model_material(AspModel *model, const char *name, int *material);
ASP_API int asp_model_material_count(const AspModel *model);                      /* [many readers] */
ASP_API const char *asp_model_material_name(const AspModel *model, int material); /* [many readers, lent] */
/* [one thread] */
ASP_API AspError asp_model_set_pair(AspModel *model, int material_a, int material_b, const AspPairLaw *law);
/* NULL when nothing was said about this pair. [many readers, lent] */
ASP_API const AspPairLaw *asp_model_pair(const AspModel *model, int material_a, int material_b);

/* Inputs: numbers from outside, which expressions use by name and callers set from step to step (asp_world_set_input).
 * An input is added before the bodies, joints and forces whose expressions use it; `value` is what it is at first.
 * [one thread] */
ASP_API AspError asp_model_add_input(AspModel *model, const char *name, double value, int *input);
/* A range that an input may be set to; other values are refused by name, also where an event sets them. [one thread] */
ASP_API AspError asp_model_limit_input(AspModel *model, int input, double low, double high);
ASP_API int asp_model_input_count(const AspModel *model);                   /* [many readers] */
ASP_API const char *asp_model_input_name(const AspModel *model, int input); /* [many readers, lent] */
ASP_API double asp_model_input_value(const AspModel *model, int input);     /* at first [many readers] */
ASP_API int asp_model_find_input(const AspModel *model, const char *name);  /* -1: none [many readers] */
/* A quantity of the state as an input that the world sets at the end of every step: "box.z", "hinge.rate",
 * "box.ground.fz", "energy.total" (docs/reference/expressions.md). Added before the expressions that use it; what it
 * stands for may be added later, up to asp_model_finish, which refuses names without meaning. [one thread] */
ASP_API AspError asp_model_add_sensor(AspModel *model, const char *name, int *input);
/* ASP_OK where the name has a meaning with the bodies and joints so far; otherwise the message. [one thread] */
ASP_API AspError asp_model_check_sensor(const AspModel *model, const char *name);
ASP_API bool asp_model_is_sensor(const AspModel *model, int input); /* [many readers] */
/* Set from outside, by events or by switched joints, and so part of what a state remembers; not a sensor of what
 * follows from the rest of the state. [many readers] */
ASP_API bool asp_model_input_is_memory(const AspModel *model, int input);

/* Tables: functions of one argument given by points, which expressions use as table(NAME, x). Exact first and second
 * derivatives; evaluation costs the same for 10 and for 100,000 evenly spaced points. */
typedef enum AspTableInterpolation {
  ASP_TABLE_LINEAR,
  ASP_TABLE_CUBIC /* continuous second derivative; ends natural (EXTEND), slope 0 (HOLD, ZERO) or periodic */
} AspTableInterpolation;
extern ASP_API const char *const asp_table_interpolation_names[]; /* by value, NULL-terminated [any thread, lent] */
ASP_API const char *asp_table_interpolation_name(AspTableInterpolation interpolation); /* [any thread, lent] */
/* What it is beyond its ends: the last value, zero, a line with the last value and slope, or all again and again (the
 * last point has the value of the first). */
typedef enum AspTableOutside { ASP_TABLE_HOLD, ASP_TABLE_ZERO, ASP_TABLE_EXTEND, ASP_TABLE_REPEAT } AspTableOutside;
extern ASP_API const char *const asp_table_outside_names[];          /* by value, NULL-terminated [any thread, lent] */
ASP_API const char *asp_table_outside_name(AspTableOutside outside); /* [any thread, lent] */

typedef struct AspTableDef {
  uint32_t cookie;
  const char *name;
  int count;           /* points, 2 or more */
  const double *x, *y; /* count; x ascends. Copied. */
  AspTableInterpolation interpolation;
  AspTableOutside outside;
  int integrate; /* 0, 1 or 2 times from the first point on, where integral and, of two, its slope are 0 */
} AspTableDef;
ASP_API AspTableDef asp_table_default(void); /* linear, HOLD [any thread] */
/* Added before the expressions that use it. [one thread] */
ASP_API AspError asp_model_add_table(AspModel *model, const AspTableDef *def, int *table);
ASP_API int asp_model_table_count(const AspModel *model);                  /* [many readers] */
ASP_API const AspTable *asp_model_table(const AspModel *model, int table); /* [many readers, lent] */
ASP_API int asp_model_find_table(const AspModel *model, const char *name); /* -1: none [many readers] */
ASP_API const AspTableDef *asp_table_definition(const AspTable *table);    /* y is NULL [many readers, lent] */
/* With the argument as a function of time. Where the function has a kink the derivatives are those into the future.
 * [many readers] */
ASP_API AspJet asp_table_at(const AspTable *table, AspJet x);

/* Rules (docs/reference/scene.md#stop-conditions-and-events): conditions are expressions, true where >= 0, looked at
 * after every step. An event sets inputs when its condition becomes true. */
typedef struct AspEventDef {
  uint32_t cookie;
  const char *name;
  const char *when;
  int set_count;                  /* >= 1, or a joint */
  const char *const *input;       /* set_count names of inputs */
  const char *const *value;       /* set_count expressions, evaluated at that time */
  bool once;                      /* the first time only */
  const char *activate, *release; /* joints with a switch that it closes, releases; NULL: none. Needs no set then */
} AspEventDef;
ASP_API AspEventDef asp_event_default(void);                                               /* [any thread] */
ASP_API AspError asp_model_add_event(AspModel *model, const AspEventDef *def, int *event); /* [one thread] */
/* The run is to end when the condition is true; the world says so (asp_world_stopped). message NULL or "": the
 * condition. [one thread] */
ASP_API AspError asp_model_add_stop(AspModel *model, const char *when, const char *message, int *stop);
ASP_API int asp_model_event_count(const AspModel *model);                    /* [many readers] */
ASP_API const char *asp_model_event_name(const AspModel *model, int event);  /* [many readers, lent] */
ASP_API int asp_model_stop_count(const AspModel *model);                     /* [many readers] */
ASP_API const char *asp_model_stop_message(const AspModel *model, int stop); /* [many readers, lent] */

/* The names that expressions of this model may use; borrows the model. [many readers] */
ASP_API AspVariables asp_model_variables(const AspModel *model);
/* asp_model_input_count entries: the values at first [many readers, lent] */
ASP_API const AspInput *asp_model_inputs(const AspModel *model);

ASP_API void asp_model_set_gravity(AspModel *model, AspVec3 gravity); /* m/s^2; default 0 [one thread] */
ASP_API AspVec3 asp_model_gravity(const AspModel *model);             /* [many readers] */

typedef enum AspBodyKind { ASP_BODY_DYNAMIC, ASP_BODY_FIXED, ASP_BODY_KINEMATIC, ASP_BODY_STATION } AspBodyKind;
ASP_API const char *asp_body_kind_name(AspBodyKind kind); /* [any thread, lent] */

typedef struct AspBodyDef {
  uint32_t cookie;
  const char *name;
  AspBodyKind kind;
  double mass;              /* kg, > 0 for dynamic bodies */
  AspMat3 inertia;          /* kg m^2 about the centre of mass, in the body frame; 2D: m[8] */
  AspPose pose;             /* of the centre of mass, world, at t = 0; quaternion within 1e-6 of unit length */
  AspVec3 velocity;         /* of the centre of mass, world */
  AspVec3 angular_velocity; /* world */
  /* kinematic bodies: pose over time; NULL keeps the pose's value. The rotation turns the body by `rotation` about
   * `rotation_axis` (world, 2D: z) from its orientation in `pose`. Where joints and forces speak of the initial pose of
   * a kinematic body they mean that of its expressions at t = 0. */
  const char *position_expression[3];
  const char *rotation_expression;
  AspVec3 rotation_axis;
} AspBodyDef;

ASP_API AspBodyDef
asp_body_default(void); /* dynamic, at the origin, at rest; mass and inertia are 0 and must be given [any thread] */
ASP_API AspError asp_model_add_body(AspModel *model, const AspBodyDef *def, int *body); /* [one thread] */
/* Of a dynamic body, before asp_model_finish; inertia NULL: as it is. [one thread] */
ASP_API AspError asp_model_set_mass(AspModel *model, int body, double mass, const AspMat3 *inertia);

/* A slender flexible body (docs/theory/beams.md): in 2D an Euler-Bernoulli beam whose centreline is a B-spline, in 3D a
 * geometrically exact rod of elements with two nodes. Unstressed it is straight, or an arc of a circle. */
#define ASP_BEAM_ELEMENTS_MAX 4096

/* Where the axial strain of a 2D beam is taken from. */
typedef enum AspAxialStrain {
  ASP_AXIAL_STRAIN_MIXED, /* projected onto smoother functions: free of membrane locking */
  ASP_AXIAL_STRAIN_PLAIN  /* of the displacements as they are: locks, for comparison with elements that do so */
} AspAxialStrain;
ASP_API const char *asp_axial_strain_name(AspAxialStrain strain); /* [any thread, lent] */

typedef struct AspBeamDef {
  uint32_t cookie;
  const char *name;
  int elements;     /* 1 .. ASP_BEAM_ELEMENTS_MAX */
  int degree;       /* 2D: of the splines, 2 .. 12 */
  int gauss_points; /* 2D: points of quadrature per element, degree - 1 .. 13; 0: degree + 1, which is enough */
  AspAxialStrain axial_strain; /* 2D */
  bool inextensible;           /* its length is kept by conditions instead of the axial stiffness */
  double length;               /* m, > 0 */
  double curvature;            /* of the unstressed shape, 1/m: it turns from x towards y of the section */
  AspPose pose;                /* of the cross-section at the start, world: x along the beam */
  AspVec3 velocity;            /* of the start, world; at first the beam moves as a rigid body */
  AspVec3 angular_velocity;
  double mass_per_length;      /* rho A, kg/m, > 0 */
  double axial_stiffness;      /* E A, N, > 0 unless inextensible */
  double bending_stiffness[2]; /* E I about y and z of the section, N m^2, > 0; 2D: about z */
  double torsional_stiffness;  /* 3D: G J, N m^2, > 0 */
  double shear_stiffness[2];   /* 3D: G A along y and z, N, > 0 */
  double rotary_inertia[3];    /* 3D: rho I about x, y, z of the section, kg m, > 0 */
  double damping;              /* Kelvin-Voigt: stress = E (strain + damping * its rate), s, >= 0 */
} AspBeamDef;

ASP_API AspBeamDef
asp_beam_default(void); /* four cubic elements along x from the origin; length, mass and stiffness are 0 [any thread] */
/* Stiffness and mass from a solid section: `height` along y of the section (2D: in the plane), `width` along z (m),
 * Young's modulus (Pa), Poisson's ratio, density (kg/m^3). [any thread] */
ASP_API void asp_beam_set_rectangle(AspBeamDef *def, double width, double height, double youngs, double poisson,
                                    double density);
/* [any thread] */
ASP_API void asp_beam_set_circle(AspBeamDef *def, double radius, double youngs, double poisson, double density);
/* Adds the beam and the stations at its two ends, "NAME.start" and "NAME.end". [one thread] */
ASP_API AspError asp_model_add_beam(AspModel *model, const AspBeamDef *def, int *beam);
/* A cross-section of the beam as a body for joints, forces and shapes; s: distance from the start along the unstressed
 * beam, m. Its frame lies on the centreline, x along it. Shapes of one beam do not touch each other. [one thread] */
ASP_API AspError asp_model_add_station(AspModel *model, int beam, const char *name, double s, int *body);

typedef struct AspShapeAttachment {
  AspShape shape;
  AspPose pose;         /* of the shape's frame in the body's centre-of-mass frame */
  int material;         /* from asp_model_material */
  uint32_t group, mask; /* as in AspCollider; both 0 stands for all bits in both */
  /* The surface moves while shape and body stay: a belt, a roller. Expressions, NULL: 0; in the body's frame. Plane:
   * [0], along the surface, to the right where its outward normal points up (m/s). */
  const char *surface_velocity[3];
  const char *surface_spin[3]; /* angular velocity about the origin of the shape's frame, rad/s; plane: [2] */
} AspShapeAttachment;

/* [one thread, keeps hull and field] */
ASP_API AspError asp_model_attach_shape(AspModel *model, int body, const AspShapeAttachment *attachment);
/* A shape that is drawn and nothing else: no contact, no mass, not one of asp_model_shape. Groups and surfaces are not
 * looked at. Where a body has drawings, pictures show them in place of its shapes.
 * [one thread, keeps hull and field] */
ASP_API AspError asp_model_add_drawing(AspModel *model, int body, const AspShapeAttachment *drawing);

/* What the definition of a joint gives, beside its bodies. */
#define ASP_GIVEN_POINT   1
#define ASP_GIVEN_POINT_B 2
#define ASP_GIVEN_AXIS    4
#define ASP_GIVEN_AXIS_B  8
#define ASP_GIVEN_TERMS   16 /* joints in place of bodies */
#define ASP_GIVEN_PATH    32 /* a path in place of bodies */

/* kind, scene name, free coordinates, in 2D, what is given: points and axes of A, of B where they differ */
// clang-format off
#define ASP_JOINT_LIST(X)                                                                                              \
  X(ASP_JOINT_REVOLUTE, "revolute", 1, 1, ASP_GIVEN_POINT | ASP_GIVEN_AXIS)       /* turns about the axis */           \
  X(ASP_JOINT_PRISMATIC, "prismatic", 1, 1, ASP_GIVEN_AXIS)                       /* slides along the axis of A */     \
  X(ASP_JOINT_CYLINDRICAL, "cylindrical", 2, 0, ASP_GIVEN_POINT | ASP_GIVEN_AXIS) /* turns about, slides along */      \
  X(ASP_JOINT_SPHERICAL, "spherical", 3, 0, ASP_GIVEN_POINT)                                                           \
  X(ASP_JOINT_UNIVERSAL, "universal", 2, 0, ASP_GIVEN_POINT | ASP_GIVEN_AXIS | ASP_GIVEN_AXIS_B) /* perpendicular */   \
  X(ASP_JOINT_PLANAR, "planar", 3, 0, ASP_GIVEN_POINT | ASP_GIVEN_AXIS)           /* normal of the plane, of A */      \
  X(ASP_JOINT_FIXED, "fixed", 0, 1, 0)                                                                                 \
  X(ASP_JOINT_DISTANCE, "distance", 0, 1, ASP_GIVEN_POINT | ASP_GIVEN_POINT_B)    /* their distance stays */           \
  X(ASP_JOINT_SCREW, "screw", 1, 0, ASP_GIVEN_POINT | ASP_GIVEN_AXIS)             /* slides as it turns */             \
  X(ASP_JOINT_COUPLING, "coupling", 1, 1, ASP_GIVEN_TERMS)                        /* of other joints' coordinates */   \
  X(ASP_JOINT_COMPOUND, "compound", 0, 0, 0)                                      /* several axes, see below */       \
  X(ASP_JOINT_TENDON, "tendon", 1, 1, ASP_GIVEN_PATH)                             /* the length of a path */
// clang-format on

typedef enum AspJointKind {
#define ASP_JOINT_ENUM(kind, name, coordinates, in_2d, given) kind,
  ASP_JOINT_LIST(ASP_JOINT_ENUM)
#undef ASP_JOINT_ENUM
      ASP_JOINT_COUNT
} AspJointKind;

ASP_API const char *asp_joint_kind_name(AspJointKind kind);                  /* [any thread, lent] */
ASP_API bool asp_joint_kind_from_name(const char *name, AspJointKind *kind); /* [any thread] */

/* Part of a coupling: a polynomial of the coordinate q of an earlier joint that has one,
 * factor q + power[0] q^2 + power[1] q^3 + power[2] q^4. */
#define ASP_COUPLING_TERMS 6
typedef struct AspCouplingTerm {
  int joint;
  double factor;
  double power[3]; /* 0: none */
} AspCouplingTerm;

typedef enum AspPathKind {
  ASP_PATH_POINT,   /* the path goes through this point of the body */
  ASP_PATH_SPHERE,  /* around this sphere, where the straight way between the points beside it would cut it */
  ASP_PATH_CYLINDER /* around this cylinder, without ends */
} AspPathKind;
ASP_API const char *asp_path_kind_name(AspPathKind kind); /* [any thread, lent] */

/* An element of a tendon's path; positions in the world, at the initial poses. */
#define ASP_PATH_POINTS 64
typedef struct AspPathPoint {
  AspPathKind kind;
  int body;
  AspVec3 point; /* SPHERE, CYLINDER: the centre */
  AspVec3 axis;  /* CYLINDER: any length */
  double radius; /* SPHERE, CYLINDER: m, > 0 */
  bool has_side; /* the path runs on the side of the point `side`, outside of the round body, whatever is shorter */
  AspVec3 side;
  double divisor; /* > 0: a new branch begins at this point, whose length counts divided by this; 0: it goes on */
} AspPathPoint;

/* Points and axes are taken in the world at the bodies' initial poses and then stay fixed in the bodies, so that every
 * joint is in order at the start; docs/reference/joints.md lists rows and coordinates of each kind.
 * One-coordinate joints (revolute, screw: angle of B relative to A about the axis; prismatic: displacement of B along
 * the axis) can have dry friction, limits, a motor or a servo, a spring, a prescribed motion. The coordinate of a
 * coupling is sum (P_i(q_i) - P_i(q_i at the initial poses)) + initial with P_i the polynomial of its term. It is held
 * at `initial`, unless friction, limits, a motor, a servo, an effort, an armature or a motion act on it: then only
 * these do. Its spring is a servo. The coordinate of a tendon is the length of its path, m; else it is as a coupling.
 * A compound joint has 1 to 6 axes in their order from A to B: revolute and prismatic joints that name it in `compound`
 * and are added behind it, each with a coordinate of its own and all that acts on it. */
typedef struct AspJointDef {
  uint32_t cookie;
  const char *name;
  AspJointKind kind;
  int body_a, body_b;
  int compound;    /* REVOLUTE, PRISMATIC: an axis of this compound joint, whose bodies it has; -1: none */
  AspVec3 point;   /* world, at the bodies' initial poses; on A */
  AspVec3 point_b; /* DISTANCE: on B, world */
  AspVec3 axis;    /* world, need not be of unit length */
  AspVec3 axis_b;  /* UNIVERSAL: world */
  double pitch;    /* SCREW: displacement along the axis per full turn, m, not 0; negative: left-handed */
  AspCouplingTerm term[ASP_COUPLING_TERMS]; /* COUPLING; body_a and body_b become those of the first joint */
  int term_count;
  const AspPathPoint *path; /* TENDON: 2 to ASP_PATH_POINTS; body_a and body_b become those of a piece of it */
  int path_count;
  /* Dry friction with constant bounds, N or N m; 0: none. Along the coordinate; CYLINDRICAL: along the axis; UNIVERSAL:
   * about A's axis; SPHERICAL: the size of the torque, about whatever axis; PLANAR: the size of the force in the plane.
   */
  double friction;
  double friction_torque; /* CYLINDRICAL, PLANAR: about the axis, N m */
  double friction_b;      /* UNIVERSAL: about B's axis, N m */
  /* Friction in proportion to the load, beside the constant one: the coefficient times the sum of the forces in the
   * joint's bearings, at the bearing's radius where it turns. Two bearings bearing_length apart along the axis, centred
   * on the joint's point on B, carry forces and moments across the axis; length 0: one bearing, which carries the
   * force, while moments across the axis load nothing. */
  double friction_coefficient;  /* >= 0; 0: none */
  double bearing_radius;        /* REVOLUTE: m, > 0 where there is a coefficient */
  double bearing_length;        /* m, >= 0 */
  double limit_low, limit_high; /* of the coordinate; -INFINITY, INFINITY: none */
  double limit_restitution;     /* in [0, 1] */
  bool has_motor;
  const char *motor_velocity;          /* expression: wanted rate of the coordinate */
  double motor_effort;                 /* largest force or torque of the motor or servo, N or N m; INFINITY allowed */
  const char *motor_effort_expression; /* in place of it; NULL: none */
  /* A servo, in place of a motor: effort = kp (target - c) + kd (velocity - c'), at most motor_effort in size. */
  bool has_servo;
  double servo_kp, servo_kd;       /* >= 0, not both 0: N/m, N s/m or N m/rad, N m s/rad */
  const char *servo_target;        /* expression; NULL: 0 */
  const char *servo_velocity;      /* expression; NULL: the rate of the target */
  double stiffness, damping, rest; /* spring on the coordinate: N/m or N m/rad, N s/m, rest value; SPHERICAL: on the
                                    * angle by which B is turned against its initial orientation on A, rest 0 */
  const char *effort;              /* expression: torque or force on the coordinate, N m or N; NULL: none */
  double armature;                 /* inertia on the coordinate, a rotor behind a gear: kg m^2 or kg, >= 0 */
  const char *motion;              /* expression: prescribed coordinate; NULL: free */
  bool has_initial;
  double initial; /* the coordinate's value at the initial poses; default: motion at t = 0, else 0 */
  bool contact;   /* the two bodies (of a station: its whole beam) touch each other; default: they do not */
  /* Events close and release it (AspEventDef.activate, release); its bodies touch each other. It closes where the
   * bodies are then: A's point and axes become those of B. */
  bool has_switch, starts_active;
} AspJointDef;

ASP_API AspJointDef asp_joint_default(void);                                               /* [any thread] */
ASP_API AspError asp_model_add_joint(AspModel *model, const AspJointDef *def, int *joint); /* [one thread] */

typedef enum AspForceKind {
  ASP_FORCE_FORCE,  /* at a point of the body */
  ASP_FORCE_TORQUE, /* pure torque; 2D: z */
  ASP_FORCE_SPRING, /* linear spring-damper between two points */
  ASP_FORCE_DRAG    /* of a fluid on the body, as on a box; 3D */
} AspForceKind;
ASP_API const char *asp_force_kind_name(AspForceKind kind); /* [any thread, lent] */

typedef struct AspForceDef {
  uint32_t cookie;
  const char *name;
  AspForceKind kind;
  int body;                 /* FORCE, TORQUE, DRAG: on this body; SPRING: body A */
  int body_b;               /* SPRING */
  AspVec3 point, point_b;   /* world, at the initial poses */
  const char *component[3]; /* FORCE (N), TORQUE (N m): expressions in t; NULL: 0. 2D: force 0 and 1, torque 2 */
  bool in_body_frame;       /* components turn with the body */
  double stiffness;         /* SPRING, N/m */
  double damping;           /* SPRING, N s/m, along the line of the spring */
  double rest_length;       /* SPRING, m; negative: the initial distance */
  /* DRAG: on a box with its centre at `point`; all extents 0: the box with the body's mass and inertia, in its
   * principal axes. */
  AspVec3 size;              /* full extents, m */
  AspQuat orientation;       /* of the box, world, at the initial poses */
  double density, viscosity; /* of the fluid, kg/m^3, Pa s */
  AspVec3 wind;              /* velocity of the fluid, m/s */
} AspForceDef;

ASP_API AspForceDef asp_force_default(void);                                               /* [any thread] */
ASP_API AspError asp_model_add_force(AspModel *model, const AspForceDef *def, int *force); /* [one thread] */

/* Shapes of these two bodies never touch, beside what groups, masks and joints say; of a station: those of its whole
 * beam. [one thread] */
ASP_API AspError asp_model_exclude(AspModel *model, int body_a, int body_b);

/* Check the whole and fix offsets; nothing can be added after. [one thread] */
ASP_API AspError asp_model_finish(AspModel *model);

/* ---- reading a model ---- */

ASP_API int asp_model_dimension(const AspModel *model);   /* [many readers] */
ASP_API int asp_model_body_count(const AspModel *model);  /* [many readers] */
ASP_API int asp_model_joint_count(const AspModel *model); /* [many readers] */
ASP_API int asp_model_force_count(const AspModel *model); /* [many readers] */
ASP_API int asp_model_shape_count(const AspModel *model); /* [many readers] */
ASP_API int asp_model_dof_count(const AspModel *model);   /* [many readers] */
ASP_API int asp_model_q_size(const AspModel *model); /* 7 or 3 per body, then the beams' coordinates [many readers] */
ASP_API int asp_model_v_size(const AspModel *model); /* 6 or 3 per body, then the beams' velocities [many readers] */
ASP_API const char *asp_model_body_name(const AspModel *model, int body);   /* [many readers, lent] */
ASP_API const char *asp_model_joint_name(const AspModel *model, int joint); /* [many readers, lent] */
ASP_API const char *asp_model_force_name(const AspModel *model, int force); /* [many readers, lent] */
ASP_API int asp_model_find_body(const AspModel *model, const char *name);   /* -1: none [many readers] */
ASP_API int asp_model_find_joint(const AspModel *model, const char *name);  /* [many readers] */
ASP_API AspBodyKind asp_model_body_kind(const AspModel *model, int body);   /* [many readers] */
ASP_API bool asp_model_has_kinematic(const AspModel *model);                /* any such body [many readers] */
ASP_API AspPose asp_model_body_pose(const AspModel *model, int body);       /* at t = 0, as defined [many readers] */
ASP_API double asp_model_body_mass(const AspModel *model, int body);        /* [many readers] */
ASP_API AspMat3 asp_model_body_inertia(const AspModel *model, int body);    /* body frame [many readers] */
/* False when one principal moment exceeds the sum of the other two: no distribution of mass has that. [many readers] */
ASP_API bool asp_model_inertia_is_real(const AspModel *model, int body);
ASP_API int asp_model_body_dof(const AspModel *model, int body); /* first dof; -1: none [many readers] */
/* Forces move it: a dynamic body or a station. [many readers] */
ASP_API bool asp_model_body_is_free(const AspModel *model, int body);
/* The beam of a station and its place on it (s may be NULL); -1: not a station. [many readers] */
ASP_API int asp_model_station_beam(const AspModel *model, int body, double *s);
ASP_API AspJointKind asp_model_joint_kind(const AspModel *model, int joint); /* [many readers] */
/* The definition as it was understood: defaults filled in, axes of unit length. Texts belong to the model.
 * [many readers, lent] */
ASP_API const AspJointDef *asp_model_joint_def(const AspModel *model, int joint);
ASP_API const AspForceDef *asp_model_force_def(const AspModel *model, int force); /* [many readers, lent] */
ASP_API int asp_model_beam_count(const AspModel *model);                          /* [many readers] */
ASP_API const char *asp_model_beam_name(const AspModel *model, int beam);         /* [many readers, lent] */
ASP_API int asp_model_find_beam(const AspModel *model, const char *name);         /* -1: none [many readers] */
ASP_API const AspBeamDef *asp_model_beam_def(const AspModel *model, int beam);    /* [many readers, lent] */
ASP_API double asp_model_beam_mass(const AspModel *model, int beam);              /* kg [many readers] */
/* the body at its start or end [many readers] */
ASP_API int asp_model_beam_station(const AspModel *model, int beam, bool end);
/* Where the beam's coordinates begin in q, its velocities in v, its dofs; of a finished model. Velocities and dofs are
 * the same numbers in the same order. [many readers] */
ASP_API int asp_model_beam_q(const AspModel *model, int beam, int *count);
ASP_API int asp_model_beam_v(const AspModel *model, int beam, int *count);   /* [many readers] */
ASP_API int asp_model_beam_dof(const AspModel *model, int beam, int *count); /* [many readers] */
/* Shapes are numbered over the whole model, in the order of attachment. [many readers, lent] */
ASP_API const AspShapeAttachment *asp_model_shape(const AspModel *model, int shape, int *body);
ASP_API int asp_model_drawing_count(const AspModel *model); /* [many readers] */
/* In the order of adding. [many readers, lent] */
ASP_API const AspShapeAttachment *asp_model_drawing(const AspModel *model, int drawing, int *body);

/* Shapes of one owner do not touch each other: of a body itself, of a station the first one of its beam.
 * [many readers] */
ASP_API int asp_model_body_owner(const AspModel *model, int body);
typedef struct AspBodyPair {
  int a, b;
} AspBodyPair;
/* The pairs of owners that never touch, by exclusion or because a joint connects them: a < b, ascending, each once;
 * only owners with shapes. Of a finished model. [many readers, lent] */
ASP_API const AspBodyPair *asp_model_excluded(const AspModel *model, int *count);
/* Of a finished model: the two bodies are such a pair, or have one owner. [many readers] */
ASP_API bool asp_model_is_excluded(const AspModel *model, int body_a, int body_b);

/* ---- state ---- */

/* Force (N) and torque about the centre of mass (N m), world axes. */
typedef struct AspWrench {
  AspVec3 force, torque;
} AspWrench;

typedef struct AspState {
  double t;
  double *q;          /* asp_model_q_size */
  double *v;          /* asp_model_v_size */
  double *angle;      /* joints: last value of each joint's coordinate, so that angles count full turns */
  AspInput *input;    /* asp_model_input_count */
  AspWrench *applied; /* bodies: from outside, beside the model's forces */
  bool pushed;        /* some of them are not zero; otherwise they are not read */
} AspState;

/* Of a finished model; t = 0 and initial values. [one thread, yours: asp_state_destroy] */
ASP_API AspError asp_state_create(const AspModel *model, AspState *state);
ASP_API void asp_state_destroy(const AspModel *model, AspState *state);                 /* [one thread, ends it] */
ASP_API void asp_state_copy(const AspModel *model, const AspState *from, AspState *to); /* [many readers] */
/* The poses and velocities of the definitions, kinematic bodies at state->t, which is left as it is; the inputs as they
 * are at first. [many readers] */
ASP_API void asp_state_initial(const AspModel *model, AspState *state);

ASP_API AspPose asp_state_pose(const AspModel *model, const AspState *state, int body);     /* [many readers] */
ASP_API AspVec3 asp_state_velocity(const AspModel *model, const AspState *state, int body); /* [many readers] */
/* [many readers] */
ASP_API AspVec3 asp_state_angular_velocity(const AspModel *model, const AspState *state, int body);

/* An input at state->t. [many readers] */
ASP_API AspJet asp_state_input(const AspModel *model, const AspState *state, int input);
/* From state->t on; numbers that are not finite are refused. Kinematic bodies that depend on inputs are moved: a
 * jump of the input moves them at once, its rate is what touches them feel. [one thread] */
ASP_API AspError asp_state_set_input(AspContext *context, const AspModel *model, AspState *state, int input,
                                     AspJet value);

/* The first stop whose condition is true at the state; -1: none. [many readers] */
ASP_API int asp_state_stop(const AspModel *model, const AspState *state);
/* How often an event has acted. [many readers] */
ASP_API int asp_state_event_actions(const AspModel *model, const AspState *state, int event);

/* The coordinate of a joint with one becomes `value`, and its rate `rate`. Bodies that hang on the joint alone move
 * with it; where it is in a loop, the other joints are closed by the smallest displacement in the metric of the mass.
 * Refused by name, the state left as it is: numbers that are not finite, coordinates that the loop does not reach,
 * prescribed ones. [one thread] */
ASP_API AspError asp_state_set_joint(AspContext *context, const AspModel *model, AspState *state, int joint,
                                     double value, double rate);
/* Positions that close all joints, and velocities that they allow, the nearest in the metric of the mass.
 * [one thread] */
ASP_API AspError asp_state_satisfy_joints(AspContext *context, const AspModel *model, AspState *state);

/* q <- q moved by dt along v (rotations by the exponential map), t <- t + dt, kinematic bodies set from their
 * expressions at the new t (pose and velocity). v of dynamic bodies and beams is taken from `velocity`
 * (asp_model_v_size; may be state->v), and state->v is left alone but for kinematic bodies and stations, whose pose and
 * velocity follow from q and v of their beams. [many readers] */
ASP_API void asp_state_advance(const AspModel *model, AspState *state, const double *velocity, double dt);

/* Poses and velocities of the stations from their beams' coordinates; after q or v of a beam was written.
 * [many readers] */
ASP_API void asp_state_place_stations(const AspModel *model, AspState *state);
/* x (dof_count) into the velocities v (v_size) of dynamic bodies and beams, and of the stations where `state` has them;
 * other entries stay. [many readers] */
ASP_API void asp_state_spread(const AspModel *model, const AspState *state, const double *x, double *v);
/* The other way: the velocities v of dynamic bodies and beams into x. [many readers] */
ASP_API void asp_state_gather(const AspModel *model, const double *v, double *x);
/* The cross-section of a beam at s (m from its start): x axis along the centreline. [many readers] */
ASP_API AspPose asp_state_beam_pose(const AspModel *model, const AspState *state, int beam, double s);

/* The dynamic bodies and beams moved by a displacement in velocity coordinates (asp_model_v_size: lengths and a
 * rotation vector); time and velocities stay. [many readers] */
ASP_API void asp_state_displace(const AspModel *model, AspState *state, const double *displacement);

/* ---- mechanics ---- */

/* Mass matrix block of a dynamic body in world coordinates: 6x6 or 3x3, column-major, diag(m I, R I R^T).
 * [many readers] */
ASP_API void asp_body_mass_matrix(const AspModel *model, const AspState *state, int body, double *M);

/* centre of mass, m [many readers] */
ASP_API AspVec3 asp_beam_centre(const AspModel *model, const AspState *state, int beam);
/* Kinetic energy that a beam would have with velocities of its own, J; velocity: of the whole state. [many readers] */
ASP_API double asp_beam_kinetic(const AspModel *model, const AspState *state, const double *velocity, int beam);
/* Force (N) and its moment about the origin that a vector over the beam's dofs amounts to. [many readers] */
ASP_API void asp_beam_resultant(const AspModel *model, const AspState *state, int beam, const double *h, AspVec3 *force,
                                AspVec3 *moment);

/* The velocity of a station from its beam's: (v, w) = T x over `count` dofs from `dof` on; T is n x count, n = 6 or 3.
 * A wrench on the station is T^T wrench on these dofs. This is the one way from rows on stations to dofs. */
#define ASP_STATION_DOFS_MAX 26
typedef struct AspStationMap {
  int dof, count;
  double T[6 * ASP_STATION_DOFS_MAX];
} AspStationMap;
/* [many readers] */
ASP_API void asp_station_map(const AspModel *model, const AspState *state, int body, AspStationMap *map);

/* h(q, v, t): gravity, forces, torques, springs, gyroscopic terms -w x (I w), forces of strain and damping of beams. h
 * has dof_count entries. [many readers] */
ASP_API void asp_model_forces(const AspModel *model, const AspState *state, double *h);
/* The same without the beams' strain and damping, which schemes take implicitly. [many readers] */
ASP_API void asp_model_loads(const AspModel *model, const AspState *state, double *h);
/* A FORCE (N) or TORQUE (N m) element at the state's time, world axes; zeros for springs. [many readers] */
ASP_API AspVec3 asp_model_force_now(const AspModel *model, const AspState *state, int force);
/* The part of h that one FORCE or TORQUE element gives; zeros for springs. [many readers] */
ASP_API void asp_model_applied_force(const AspModel *model, const AspState *state, int force, double *h);

/* The parts of h that come from the scene's forces and torques, and from springs and dampers; dof_count entries, added
 * to h. [many readers] */
ASP_API void asp_model_add_applied_forces(const AspModel *model, const AspState *state, double *h);
/* [many readers] */
ASP_API void asp_model_add_spring_forces(const AspModel *model, const AspState *state, double *h);

/* Powers of springs and dampers, material damping of beams among them, at the state's geometry when all bodies move
 * with `velocity` (asp_model_v_size), W. */
typedef struct AspSpringPower {
  double damped; /* turned into heat by dampers and by the beams' material, >= 0 */
  double driven; /* put in by bodies with prescribed motion that pull at springs */
} AspSpringPower;
/* [many readers] */
ASP_API AspSpringPower asp_model_spring_power(const AspModel *model, const AspState *state, const double *velocity);

/* Stiff elements: springs (of forces and of joints), then the servos of joints. An element's K = -dh/dq and
 * C = -dh/dv in velocity coordinates of its two bodies, (n+n) x (n+n) with n = 6 or 3, column-major, both symmetric
 * positive semidefinite (the destabilising part of the geometric stiffness is left out); those of a servo at its limit
 * are 0. stiff_count: of the springs alone. [many readers] */
ASP_API int asp_model_stiff_count(const AspModel *model);
ASP_API int asp_model_servo_count(const AspModel *model); /* [many readers] */
/* [many readers] */
ASP_API void asp_model_stiff(const AspModel *model, const AspState *state, int element, int *body_a, int *body_b,
                             double *K, double *C);

ASP_API bool asp_model_has_surfaces(const AspModel *model); /* that move [many readers] */
ASP_API int asp_model_surface_count(const AspModel *model); /* shapes whose surfaces move [many readers] */
/* Velocity (m/s) and spin (rad/s) of a shape's moving surface, in the body's frame; plane: velocity.x and spin.z, as in
 * AspShapeAttachment. False and zeros: it does not move. [many readers] */
ASP_API bool asp_shape_surface_motion(const AspModel *model, const AspState *state, int shape, AspVec3 *velocity,
                                      AspVec3 *spin);
/* How the surface of a shape moves against its body at a point with outward normal (world), m/s, tangential, and its
 * rate without that of a spin, m/s^2; false and zeros: it does not. [many readers] */
ASP_API bool asp_shape_surface_velocity(const AspModel *model, const AspState *state, int shape, AspVec3 point,
                                        AspVec3 normal, AspVec3 *velocity, AspVec3 *rate);

/* One scalar function of the state and time: value, its gradient in velocity coordinates, its explicit rate, and what
 * remains of the second derivative when the accelerations of dynamic bodies vanish:
 *
 *   d value/dt   = ja.v_a + jb.v_b + rate     v of all bodies, kinematic ones with their prescribed velocity (state->v)
 *   d2 value/dt2 = ja.a_a + jb.a_b + bias     a of dynamic bodies only; bias contains ja.a_a or jb.a_b of a kinematic
 *                                             body, whose acceleration is known from its expressions at state->t
 *                                             (of a station a = T x' with x' its beam's, and bias contains ja.T' x)
 *
 * The gradient is filled for every body, fixed and kinematic ones too. The value is that of B minus that of A. rate is
 * 0 for all rows of joints: what moves them is in the velocities. A row on more than two bodies is a list: value, rate
 * and bias are in the first part, and J v is the sum over all parts. */
typedef struct AspRow {
  int body_a, body_b;
  double ja[6], jb[6]; /* 3 used in 2D */
  double value, rate, bias;
  const struct AspRow *more; /* the next part, in the same array; NULL: none */
} AspRow;

#define ASP_JOINT_ROWS_MAX 6
/* The joint's constraint rows: all must be zero. At most 6; returns how many. Prescribed motion not included. The row
 * of a coupling has its parts behind it in the array. [many readers] */
ASP_API int asp_joint_rows(const AspModel *model, const AspState *state, int joint, AspRow rows[ASP_JOINT_ROWS_MAX]);
/* Parts of a row at most: of a coupling one for each joint, of a tendon one for each pair of bodies. */
#define ASP_ROW_PARTS 12
/* The free coordinate of a one-coordinate joint; false when the joint has none. value counts full turns: in 3D it is
 * the candidate nearest to state->angle[joint]. The row and its parts go into `row`. [many readers] */
ASP_API bool asp_joint_coordinate(const AspModel *model, const AspState *state, int joint, AspRow row[ASP_ROW_PARTS]);
/* Its coordinate is an angle: of revolute and screw joints, and of couplings whose first joint is one of these.
 * [many readers] */
ASP_API bool asp_joint_turns(const AspModel *model, int joint);
/* The joint's point on B, and its axes t1, t2, n as they lie in A (2D prismatic: across, z, along), world.
 * [many readers] */
ASP_API AspVec3 asp_joint_place(const AspModel *model, const AspState *state, int joint, AspVec3 axes[3]);
/* Sine between the axes of a compound joint, 0 where they are dependent and its coordinates undefined; 1 for others.
 * [many readers] */
ASP_API double asp_joint_sine(const AspModel *model, const AspState *state, int joint);
/* False: released; it has no rows and no coordinate then. [many readers] */
ASP_API bool asp_joint_is_active(const AspModel *model, const AspState *state, int joint);
/* Prescribed coordinate, motor's wanted rate at t with the state's inputs (NULL: as they are
 * at first); false when there is none. [many readers] */
ASP_API bool asp_joint_motion(const AspModel *model, const AspState *state, int joint, double t, AspJet *motion);
/* [many readers] */
ASP_API bool asp_joint_motor(const AspModel *model, const AspState *state, int joint, double t, AspJet *velocity,
                             double *effort);
typedef struct AspServo {
  double kp, kd;           /* N/m, N s/m or N m/rad, N m s/rad */
  double target, velocity; /* m, m/s or rad, rad/s */
  double effort;           /* limit, N or N m; INFINITY: none */
} AspServo;
/* What a joint's servo wants at t; false when there is none. [many readers] */
ASP_API bool asp_joint_servo(const AspModel *model, const AspState *state, int joint, double t, AspServo *servo);
/* The joint's effort at the state's time and inputs, N or N m; 0 when there is none. [many readers] */
ASP_API double asp_joint_effort(const AspModel *model, const AspState *state, int joint);
/* Forces and torques, or efforts of joints. [many readers] */
ASP_API bool asp_model_has_applied_forces(const AspModel *model);
/* Effort of the servo along the coordinate at the state, N or N m; 0 when there is none. [many readers] */
ASP_API double asp_joint_servo_effort(const AspModel *model, const AspState *state, int joint);
/* h += the forces of all servos (dof_count entries). asp_model_forces does not have them: steps that are solved as one
 * contact problem make them blocks of it. [many readers] */
ASP_API void asp_model_add_servo_forces(const AspModel *model, const AspState *state, double *h);

typedef struct AspEnergy {
  double kinetic, gravitational, elastic; /* J */
} AspEnergy;
ASP_API AspEnergy asp_model_energy(const AspModel *model, const AspState *state); /* [many readers] */
/* Momentum of all dynamic bodies, kg m/s, and their angular momentum about the origin, kg m^2/s. [many readers] */
ASP_API void asp_model_momentum(const AspModel *model, const AspState *state, AspVec3 *linear, AspVec3 *angular);

#ifdef __cplusplus
}
#endif
#endif
