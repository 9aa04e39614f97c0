/* What a scene may hold: one table of keys per kind of object. The reader checks against these tables, the JSON Schema
 * and the reference page are made from them; no key is written down anywhere else.
 *
 * A key whose unit begins with "rad" has a twin that ends in "_deg" and takes degrees. Depends on the public headers.
 */
#ifndef ASP_IO_SCENE_KEYS_H
#define ASP_IO_SCENE_KEYS_H

#include "asperity/model.h"
#include "asperity/options.h"
#include "base/base.h"

/* type, what its items are, their number in 3D and in 2D (0: the value itself is the item), wording in 3D, in 2D */
#define SCENE_TYPE_LIST(X)                                                                                             \
  X(SCENE_TEXT, ITEM_TEXT, 0, 0, "a text", "a text")                                                                   \
  X(SCENE_FLAG, ITEM_FLAG, 0, 0, "true or false", "true or false")                                                     \
  X(SCENE_NUMBER, ITEM_NUMBER, 0, 0, "a number", "a number")                                                           \
  X(SCENE_INTEGER, ITEM_INTEGER, 0, 0, "a whole number", "a whole number")                                             \
  X(SCENE_CHOICE, ITEM_CHOICE, 0, 0, "a name", "a name")                                                               \
  X(SCENE_VECTOR, ITEM_NUMBER, 3, 2, "[x, y, z]", "[x, y]")                                                            \
  X(SCENE_TWO_VECTORS, ITEM_VECTOR, 2, 2, "[[x, y, z], [x, y, z]]", "[[x, y], [x, y]]")                                \
  X(SCENE_POINTS, ITEM_VECTOR, -1, -1, "a list of [x, y, z]", "a list of [x, y]")                                      \
  X(SCENE_GRID, ITEM_ROW, -1, -1, "a list of equally long lists of numbers", "")                                       \
  X(SCENE_PAIR, ITEM_NUMBER, 2, 2, "[x, y]", "[x, y]")                                                                 \
  X(SCENE_PAIRS, ITEM_PAIR, -1, -1, "a list of [x, y]", "a list of [x, y]")                                            \
  X(SCENE_COLUMN, ITEM_COLUMN, 0, 0, "a name or a whole number", "a name or a whole number")                           \
  X(SCENE_SPIN, ITEM_NUMBER, 3, 0, "[x, y, z]", "a number")                                                            \
  X(SCENE_EXPRESSION, ITEM_EXPRESSION, 0, 0, "a number or an expression in t", "a number or an expression in t")       \
  X(SCENE_EXPRESSION_VECTOR, ITEM_EXPRESSION, 3, 2, "[x, y, z], numbers or expressions in t",                          \
    "[x, y], numbers or expressions in t")                                                                             \
  X(SCENE_EXPRESSION_SPIN, ITEM_EXPRESSION, 3, 0, "[x, y, z], numbers or expressions in t",                            \
    "a number or an expression in t")                                                                                  \
  X(SCENE_TWO_NAMES, ITEM_TEXT, 2, 2, "[name, name]", "[name, name]")                                                  \
  X(SCENE_NAMES, ITEM_TEXT, -1, -1, "a list of names", "a list of names")                                              \
  X(SCENE_NUMBERS, ITEM_NUMBER, -1, -1, "a list of numbers", "a list of numbers")                                      \
  X(SCENE_FACTORS, ITEM_FACTOR, -1, -1, "a list of numbers, or lists of 1 to 4 of them",                               \
    "a list of numbers, or lists of 1 to 4 of them")                                                                   \
  X(SCENE_NAME_PAIRS, ITEM_TWO_NAMES, -1, -1, "a list of [name, name]", "a list of [name, name]")                      \
  X(SCENE_LABELS, ITEM_LABEL, -1, -1, "a list of names or of whole numbers from 0 to 31",                              \
    "a list of names or of whole numbers from 0 to 31")                                                                \
  X(SCENE_INERTIA, ITEM_NUMBER, 3, 0, "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]", "a number")                          \
  X(SCENE_ORIENTATION, ITEM_NUMBER, 4, 4, "a unit quaternion [w, x, y, z] or {\"axis\": [x, y, z], \"angle\": a}", "") \
  X(SCENE_LIMITS, ITEM_NUMBER_OR_NULL, 2, 2, "[low, high], null for none", "[low, high], null for none")               \
  X(SCENE_OBJECT, ITEM_OBJECT, 0, 0, "an object", "an object")                                                         \
  X(SCENE_LIST, ITEM_OBJECT, -1, -1, "a list of objects", "a list of objects")                                         \
  X(SCENE_CONSTANT, ITEM_CONSTANT, 0, 0, "a number or an expression in parameters",                                    \
    "a number or an expression in parameters")                                                                         \
  X(SCENE_CONDITION, ITEM_CONDITION, 0, 0, "a condition such as \"box.z < 0\"", "a condition such as \"box.y < 0\"")   \
  X(SCENE_NAMED, ITEM_NAMED, 0, 0, "an object: name to number, expression or object",                                  \
    "an object: name to number, expression or object")

typedef enum SceneType {
#define SCENE_TYPE_ENUM(type, item, count_3d, count_2d, text_3d, text_2d) type,
  SCENE_TYPE_LIST(SCENE_TYPE_ENUM)
#undef SCENE_TYPE_ENUM
      SCENE_TYPE_COUNT
} SceneType;

typedef enum SceneItem {
  ITEM_TEXT,
  ITEM_FLAG,
  ITEM_NUMBER,
  ITEM_NUMBER_OR_NULL,
  ITEM_INTEGER,
  ITEM_CHOICE,
  ITEM_VECTOR,
  ITEM_ROW,
  ITEM_FACTOR, /* a number or a row of 1 to 4 */
  ITEM_PAIR,
  ITEM_COLUMN,
  ITEM_EXPRESSION,
  ITEM_LABEL,
  ITEM_TWO_NAMES,
  ITEM_OBJECT,
  ITEM_CONSTANT,
  ITEM_CONDITION,
  ITEM_NAMED
} SceneItem;

typedef struct SceneTypeInfo {
  SceneItem item;
  int count[2];        /* 3D, 2D; 0: no list; -1: a list of any length */
  const char *text[2]; /* 3D, 2D */
} SceneTypeInfo;

const SceneTypeInfo *asp_scene_type(SceneType type);
/* Index into the two-element arrays above. */
static inline int scene_plane(int dimension) { return dimension == 2; }

/* Numbers allowed; all zero: any finite one. */
typedef struct SceneRange {
  double low, high; /* -HUGE_VAL, HUGE_VAL: open */
  bool above;       /* low itself is not allowed */
} SceneRange;

typedef struct SceneObject SceneObject;

typedef struct SceneKey {
  const char *key;
  SceneType type;
  bool required;
  bool not_2d;      /* 3D scenes only */
  bool not_3d;      /* 2D scenes only */
  uint32_t only;    /* bit per choice of the object's `type` that has this key; 0: all */
  uint32_t only_2d; /* the same in 2D; 0: as in 3D */
  uint32_t needed;  /* the types that cannot do without it, where they have it */
  SceneRange range;
  double initial;             /* NUMBER, INTEGER: the default when not required */
  const char *initial_text;   /* TEXT, CHOICE: the same; NULL: none */
  const char *const *choices; /* CHOICE: NULL-terminated */
  uint32_t choices_in[2];     /* CHOICE: bit per choice allowed in 3D, in 2D; 0: all */
  const SceneObject *object;  /* OBJECT, LIST */
  const AspField *field;      /* keys of `run`: the option behind it */
  const char *unit;           /* NULL: none */
  const char *text;           /* one line for schema and reference */
} SceneKey;

struct SceneObject {
  const char *name; /* in the schema's definitions */
  const char *text;
  const SceneKey *keys;
  int count;
  int type_key; /* index of the key that `only` refers to; -1: none */
};

/* True when key->key + "_deg" exists too. */
bool asp_scene_key_has_degrees(const SceneKey *key);
/* True when the key exists in scenes of this dimension, for objects of this type (-1: type not known). */
bool asp_scene_key_applies(const SceneKey *key, int dimension, int type);
/* The types that have the key in this dimension; 0: all. */
uint32_t asp_scene_key_only(const SceneKey *key, int dimension);

/* One index per key, in the order of the tables. Every object has its own list. */
typedef enum SceneUnitsKey {
  UNITS_LENGTH,
  UNITS_MASS,
  UNITS_TIME,
  UNITS_ANGLE,
  UNITS_FORCE,
  UNITS_COUNT
} SceneUnitsKey;

typedef enum SceneTopKey {
  TOP_SCHEMA,
  TOP_NAME,
  TOP_DESCRIPTION,
  TOP_DIMENSION,
  TOP_UNITS,
  TOP_PARAMETERS,
  TOP_GRAVITY,
  TOP_INPUTS,
  TOP_TABLES,
  TOP_MATERIALS,
  TOP_BODIES,
  TOP_BEAMS,
  TOP_JOINTS,
  TOP_FORCES,
  TOP_EXCLUDE,
  TOP_EVENTS,
  TOP_STOP,
  TOP_PROBES,
  TOP_OUTPUT_BODIES,
  TOP_RUN,
  TOP_COUNT
} SceneTopKey;

typedef enum SceneInputKey { INPUT_NAME, INPUT_VALUE, INPUT_COUNT } SceneInputKey;
typedef enum SceneTableKey {
  TABLE_NAME,
  TABLE_FILE,
  TABLE_ARGUMENT,
  TABLE_COLUMN,
  TABLE_POINTS,
  TABLE_INTERPOLATION,
  TABLE_OUTSIDE,
  TABLE_INTEGRATE,
  TABLE_COUNT
} SceneTableKey;
typedef enum SceneEventKey {
  EVENT_NAME,
  EVENT_WHEN,
  EVENT_SET,
  EVENT_ACTIVATE,
  EVENT_RELEASE,
  EVENT_ONCE,
  EVENT_COUNT
} SceneEventKey;

typedef enum SceneStopKey { STOP_WHEN, STOP_MESSAGE, STOP_COUNT } SceneStopKey;

typedef enum SceneProbeKey {
  PROBE_NAME,
  PROBE_TYPE,
  PROBE_VALUE,
  PROBE_BODY,
  PROBE_BODIES,
  PROBE_POINT,
  PROBE_QUANTITY,
  PROBE_POINTS,
  PROBE_AXES,
  PROBE_UNIT,
  PROBE_EVERY,
  PROBE_COUNT
} SceneProbeKey;

typedef enum SceneParameterKey {
  PARAMETER_VALUE,
  PARAMETER_UNIT,
  PARAMETER_RANGE,
  PARAMETER_DESCRIPTION,
  PARAMETER_COUNT
} SceneParameterKey;

typedef enum SceneMaterialKey {
  MATERIAL_PAIR,
  MATERIAL_FRICTION,
  MATERIAL_RESTITUTION,
  MATERIAL_TANGENTIAL_RESTITUTION,
  MATERIAL_STATIC_FRICTION,
  MATERIAL_STRIBECK_SPEED,
  MATERIAL_STRIBECK_EXPONENT,
  MATERIAL_FRICTION_ACROSS,
  MATERIAL_DIRECTION,
  MATERIAL_ROLLING,
  MATERIAL_SPINNING,
  MATERIAL_CONTACT_RADIUS,
  MATERIAL_COUNT
} SceneMaterialKey;

typedef enum SceneBodyKey {
  BODY_NAME,
  BODY_FIXED,
  BODY_MOTION,
  BODY_MASS,
  BODY_INERTIA,
  BODY_INERTIA_ORIENTATION,
  BODY_CENTER_OF_MASS,
  BODY_POSITION,
  BODY_ORIENTATION,
  BODY_ANGLE,
  BODY_VELOCITY,
  BODY_ANGULAR_VELOCITY,
  BODY_SHAPES,
  BODY_VISUAL,
  BODY_COUNT
} SceneBodyKey;

typedef enum SceneMotionKey { MOTION_POSITION, MOTION_ROTATION, MOTION_AXIS, MOTION_COUNT } SceneMotionKey;

typedef enum SceneOrientationKey { ORIENTATION_AXIS, ORIENTATION_ANGLE, ORIENTATION_COUNT } SceneOrientationKey;

typedef enum SceneShapeKey {
  SHAPE_TYPE,
  SHAPE_MATERIAL,
  SHAPE_RADIUS,
  SHAPE_LENGTH,
  SHAPE_SIZE,
  SHAPE_RADII,
  SHAPE_POINTS,
  SHAPE_FILE,
  SHAPE_OBJECT,
  SHAPE_SCALE,
  SHAPE_STRETCH,
  SHAPE_SPACING,
  SHAPE_HEIGHTS,
  SHAPE_NORMAL,
  SHAPE_POSITION,
  SHAPE_ORIENTATION,
  SHAPE_ANGLE,
  SHAPE_DRAWN_COUNT, /* the keys so far are those of a shape in visual */
  SHAPE_DECOMPOSE = SHAPE_DRAWN_COUNT,
  SHAPE_DENSITY,
  SHAPE_CONTACT,
  SHAPE_GROUP,
  SHAPE_MASK,
  SHAPE_SURFACE_VELOCITY,
  SHAPE_SURFACE_SPIN,
  SHAPE_COUNT
} SceneShapeKey;

typedef enum SceneBeamKey {
  BEAM_NAME,
  BEAM_LENGTH,
  BEAM_POSITION,
  BEAM_ORIENTATION,
  BEAM_ANGLE,
  BEAM_VELOCITY,
  BEAM_ANGULAR_VELOCITY,
  BEAM_ELEMENTS,
  BEAM_DEGREE,
  BEAM_GAUSS_POINTS,
  BEAM_AXIAL_STRAIN,
  BEAM_CURVATURE,
  BEAM_WIDTH,
  BEAM_HEIGHT,
  BEAM_RADIUS,
  BEAM_YOUNGS_MODULUS,
  BEAM_POISSON_RATIO,
  BEAM_DENSITY,
  BEAM_MASS_PER_LENGTH,
  BEAM_AXIAL_STIFFNESS,
  BEAM_BENDING_STIFFNESS,
  BEAM_SHEAR_STIFFNESS,
  BEAM_TORSIONAL_STIFFNESS,
  BEAM_ROTARY_INERTIA,
  BEAM_INEXTENSIBLE,
  BEAM_DAMPING,
  BEAM_STATIONS,
  BEAM_CONTACT,
  BEAM_COUNT
} SceneBeamKey;

typedef enum SceneStationKey { STATION_NAME, STATION_AT, STATION_SHAPES, STATION_COUNT } SceneStationKey;

typedef enum SceneTouchKey { TOUCH_RADIUS, TOUCH_POINTS, TOUCH_MATERIAL, TOUCH_COUNT } SceneTouchKey;

/* Words of scenes for couplings, behind the kinds of the model. */
enum { JOINT_GEAR = ASP_JOINT_COUNT, JOINT_RACK };

typedef enum SceneJointKey {
  JOINT_NAME,
  JOINT_TYPE,
  JOINT_BODIES,
  JOINT_POINT,
  JOINT_POINT_B,
  JOINT_AXIS,
  JOINT_AXIS_B,
  JOINT_PITCH,
  JOINT_AXES,
  JOINT_JOINTS,
  JOINT_FACTORS,
  JOINT_PATH,
  JOINT_RATIO,
  JOINT_RADIUS,
  JOINT_FRICTION,
  JOINT_FRICTION_TORQUE,
  JOINT_FRICTION_B,
  JOINT_FRICTION_COEFFICIENT,
  JOINT_BEARING_RADIUS,
  JOINT_BEARING_LENGTH,
  JOINT_LIMITS,
  JOINT_LIMIT_RESTITUTION,
  JOINT_MOTOR,
  JOINT_SERVO,
  JOINT_SPRING,
  JOINT_ARMATURE,
  JOINT_EFFORT,
  JOINT_ANGLE,
  JOINT_DISPLACEMENT,
  JOINT_INITIAL,
  JOINT_CONTACT,
  JOINT_ACTIVE,
  JOINT_COUNT
} SceneJointKey;

typedef enum ScenePathKey {
  PATH_BODY,
  PATH_POINT,
  PATH_AROUND,
  PATH_RADIUS,
  PATH_AXIS,
  PATH_SIDE,
  PATH_BRANCH,
  PATH_COUNT
} ScenePathKey;

typedef enum SceneAxisKey {
  AXIS_NAME,
  AXIS_TYPE,
  AXIS_AXIS,
  AXIS_POINT,
  AXIS_FRICTION,
  AXIS_LIMITS,
  AXIS_LIMIT_RESTITUTION,
  AXIS_MOTOR,
  AXIS_SERVO,
  AXIS_SPRING,
  AXIS_ARMATURE,
  AXIS_EFFORT,
  AXIS_ANGLE,
  AXIS_DISPLACEMENT,
  AXIS_INITIAL,
  AXIS_COUNT
} SceneAxisKey;

typedef enum SceneMotorKey { MOTOR_VELOCITY, MOTOR_EFFORT, MOTOR_COUNT } SceneMotorKey;

typedef enum SceneServoKey {
  SERVO_KP,
  SERVO_KD,
  SERVO_TARGET,
  SERVO_VELOCITY,
  SERVO_EFFORT,
  SERVO_COUNT
} SceneServoKey;

typedef enum SceneSpringKey { SPRING_STIFFNESS, SPRING_DAMPING, SPRING_REST, SPRING_COUNT } SceneSpringKey;

typedef enum SceneForceKey {
  FORCE_NAME,
  FORCE_TYPE,
  FORCE_BODY,
  FORCE_BODIES,
  FORCE_POINT,
  FORCE_POINTS,
  FORCE_FORCE,
  FORCE_TORQUE,
  FORCE_FRAME,
  FORCE_STIFFNESS,
  FORCE_DAMPING,
  FORCE_REST_LENGTH,
  FORCE_DENSITY,
  FORCE_VISCOSITY,
  FORCE_WIND,
  FORCE_SIZE,
  FORCE_ORIENTATION,
  FORCE_COUNT
} SceneForceKey;

extern const SceneObject asp_scene_top, asp_scene_units, asp_scene_parameter, asp_scene_input, asp_scene_table,
    asp_scene_material, asp_scene_body, asp_scene_motion, asp_scene_orientation, asp_scene_shape, asp_scene_visual,
    asp_scene_beam, asp_scene_station, asp_scene_touch, asp_scene_joint, asp_scene_path, asp_scene_axis,
    asp_scene_motor, asp_scene_servo, asp_scene_spring, asp_scene_force, asp_scene_event, asp_scene_stop,
    asp_scene_probe;

/* The objects of `run`, made from asp_run_fields(): a dot in a field's key opens an object. NULL when out of memory. */
const SceneObject *asp_scene_run_object(AspArena *arena);

/* The JSON Schema of the object, whose key number `run` is that of the run; of scenes, for space and for the plane. */
AspError asp_schema_print(AspContext *context, const char *title, const SceneObject *object, int run, char **text);

#endif
