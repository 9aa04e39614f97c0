/* The tables of keys: every object of a scene, each key with its type, range, unit and one line of explanation. */
#include "io/scene/keys.h"
#include "io/scene/units.h"

#include "asperity/io.h"

#include <math.h>

#define POSITIVE                                                                                                       \
  { 0, HUGE_VAL, true }
#define NON_NEGATIVE                                                                                                   \
  { 0, HUGE_VAL, false }
#define FRACTION                                                                                                       \
  { 0, 1, false }
/* beyond it numbers no longer tell where things are from one step to the next */
#define REACHABLE                                                                                                      \
  { -1e15, 1e15, false }
/* sizes, masses and stiffnesses of beams: what is beyond leaves nothing of the rest in sums */
#define WORKABLE                                                                                                       \
  { 1e-30, 1e20, false }
#define BIT(kind) (UINT32_C(1) << (kind))

const SceneTypeInfo *asp_scene_type(SceneType type) {
  static const SceneTypeInfo types[SCENE_TYPE_COUNT] = {
#define SCENE_TYPE_ROW(name, item, count_3d, count_2d, text_3d, text_2d)                                               \
  [name] = {item, {count_3d, count_2d}, {text_3d, text_2d}},
      SCENE_TYPE_LIST(SCENE_TYPE_ROW)
#undef SCENE_TYPE_ROW
  };
  return &types[type];
}

bool asp_scene_key_has_degrees(const SceneKey *key) { return key->unit && strncmp(key->unit, "rad", 3) == 0; }

uint32_t asp_scene_key_only(const SceneKey *key, int dimension) {
  return dimension == 2 && key->only_2d ? key->only_2d : key->only;
}

bool asp_scene_key_applies(const SceneKey *key, int dimension, int type) {
  if (dimension == 2 ? key->not_2d : key->not_3d)
    return false;
  uint32_t only = asp_scene_key_only(key, dimension);
  return type < 0 || only == 0 || (only & BIT(type)) != 0;
}

/* ---- the top ---- */

static const SceneKey top_keys[TOP_COUNT] = {
    [TOP_SCHEMA] = {"$schema", SCENE_TEXT, .text = "path of the JSON schema, for editors; ignored"},
    [TOP_NAME] = {"name", SCENE_TEXT, .text = "name of the scene; default: the file's name"},
    [TOP_DESCRIPTION] = {"description", SCENE_TEXT, .text = "description of the scene; ignored"},
    [TOP_DIMENSION] = {"dimension", SCENE_INTEGER, .range = {2, 3, false}, .initial = 3,
                       .text = "2 for a scene in the plane, 3 for one in space"},
    [TOP_UNITS] = {"units", SCENE_OBJECT, .object = &asp_scene_units,
                   .text = "units of the numbers and expressions of this file; default: SI"},
    [TOP_PARAMETERS] = {"parameters", SCENE_NAMED, .object = &asp_scene_parameter,
                        .text = "named numbers that every number of the scene may use; --set and events change them"},
    [TOP_GRAVITY] = {"gravity", SCENE_VECTOR, .range = REACHABLE, .unit = "m/s^2",
                     .text = "acceleration of free fall; default: none"},
    [TOP_INPUTS] = {"inputs", SCENE_LIST, .object = &asp_scene_input,
                    .text = "numbers from outside that expressions use by name"},
    [TOP_TABLES] = {"tables", SCENE_LIST, .object = &asp_scene_table,
                    .text = "functions given by points, which expressions use as `table(NAME, t)`"},
    [TOP_MATERIALS] = {"materials", SCENE_LIST, .object = &asp_scene_material,
                       .text = "how pairs of materials behave when they touch"},
    [TOP_BODIES] = {"bodies", SCENE_LIST, .object = &asp_scene_body, .text = "at least one body, or a beam"},
    [TOP_BEAMS] = {"beams", SCENE_LIST, .object = &asp_scene_beam, .text = "slender flexible bodies"},
    [TOP_JOINTS] = {"joints", SCENE_LIST, .object = &asp_scene_joint, .text = "joints between bodies"},
    [TOP_FORCES] = {"forces", SCENE_LIST, .object = &asp_scene_force,
                    .text = "forces, torques, springs and drag of fluids"},
    [TOP_EXCLUDE] = {"exclude", SCENE_NAME_PAIRS,
                     .text = "pairs of bodies, stations or beams that never touch each other"},
    [TOP_EVENTS] = {"events", SCENE_LIST, .object = &asp_scene_event,
                    .text = "inputs and joints that change when a condition becomes true"},
    [TOP_STOP] = {"stop", SCENE_LIST, .object = &asp_scene_stop, .text = "conditions that end the run"},
    [TOP_PROBES] = {"probes", SCENE_LIST, .object = &asp_scene_probe, .text = "named outputs over time"},
    [TOP_OUTPUT_BODIES] = {"output_bodies", SCENE_NAMES,
                           .text =
                               "free bodies whose motion and contacts results keep, by name; a `*` at the end stands "
                               "for any ending; default: all"},
    [TOP_RUN] = {"run", SCENE_OBJECT, .text = "how the scene is simulated"},
};
const SceneObject asp_scene_top = {
    "scene", "a scene; SI units unless `units` says otherwise, angles in radians unless a key ends in _deg", top_keys,
    TOP_COUNT, -1};

#define UNIT_NAME(name, num, den) name,
static const char *const lengths[] = {SCENE_LENGTH_LIST(UNIT_NAME) NULL};
static const char *const masses[] = {SCENE_MASS_LIST(UNIT_NAME) NULL};
static const char *const times[] = {SCENE_TIME_LIST(UNIT_NAME) NULL};
static const char *const angles[] = {SCENE_ANGLE_LIST(UNIT_NAME) NULL};
static const char *const forces[] = {SCENE_FORCE_LIST(UNIT_NAME) NULL};
#undef UNIT_NAME
static const SceneKey units_keys[UNITS_COUNT] = {
    [UNITS_LENGTH] = {"length", SCENE_CHOICE, .initial_text = "m", .choices = lengths,
                      .text = "of lengths, and of meshes from files"},
    [UNITS_MASS] = {"mass", SCENE_CHOICE, .initial_text = "kg", .choices = masses, .text = "of masses"},
    [UNITS_TIME] = {"time", SCENE_CHOICE, .initial_text = "s", .choices = times, .text = "of times, and of t"},
    [UNITS_ANGLE] = {"angle", SCENE_CHOICE, .initial_text = "rad", .choices = angles,
                     .text = "of angles; keys that end in _deg stay in degrees"},
    [UNITS_FORCE] = {"force", SCENE_CHOICE, .initial_text = "N", .choices = forces,
                     .text = "of forces; torques, stresses and stiffnesses are made of force, length and angle"},
};
const SceneObject asp_scene_units = {"units", "units of the file", units_keys, UNITS_COUNT, -1};

static const SceneKey input_keys[INPUT_COUNT] = {
    [INPUT_NAME] = {"name", SCENE_TEXT, .required = true,
                    .text = "a letter, then letters, digits and `_`; not `t`, `pi`, `e` or a function"},
    [INPUT_VALUE] = {"value", SCENE_NUMBER, .text = "what it is until it is set"},
};
const SceneObject asp_scene_input = {"input", "a number from outside, set by the program that embeds the library",
                                     input_keys, INPUT_COUNT, -1};

static const SceneKey table_keys[TABLE_COUNT] = {
    [TABLE_NAME] = {"name", SCENE_TEXT, .required = true, .text = "by which expressions call it"},
    [TABLE_FILE] = {"file", SCENE_TEXT, .text = "text file with columns of numbers, seen from the scene's folder"},
    [TABLE_ARGUMENT] = {"argument", SCENE_COLUMN,
                        .text = "the file's column of the argument (time, angle), by name or "
                                "number; default: 1"},
    [TABLE_COLUMN] = {"column", SCENE_COLUMN, .text = "the file's column of the values; default: 2"},
    [TABLE_POINTS] = {"points", SCENE_PAIRS, .text = "argument and value of each point, in place of a file"},
    [TABLE_INTERPOLATION] = {"interpolation", SCENE_CHOICE, .initial_text = "linear",
                             .choices = asp_table_interpolation_names,
                             .text = "between the points; cubic: a spline with continuous second derivative"},
    [TABLE_OUTSIDE] = {"outside", SCENE_CHOICE, .choices = asp_table_outside_names,
                       .text = "what it is beyond its ends: the last value, zero, a line with the last slope, or all "
                               "again; default: hold (linear), extend (cubic), zero (integrated)"},
    [TABLE_INTEGRATE] = {"integrate", SCENE_INTEGER, .range = {0, 2, false},
                         .text = "how often it is integrated, from its first point on: 1 for a velocity, 2 for an "
                                 "acceleration as a motion"},
};
const SceneObject asp_scene_table = {"table", "a function given by points", table_keys, TABLE_COUNT, -1};

static const SceneKey parameter_keys[PARAMETER_COUNT] = {
    [PARAMETER_VALUE] = {"value", SCENE_CONSTANT, .required = true, .text = "the number; --set takes its place"},
    [PARAMETER_UNIT] = {"unit", SCENE_TEXT,
                        .text = "unit, for readers; the number counts where it is used, in the units of the file"},
    [PARAMETER_RANGE] = {"range", SCENE_LIMITS, .text = "values outside are refused"},
    [PARAMETER_DESCRIPTION] = {"description", SCENE_TEXT, .text = "what it stands for"},
};
const SceneObject asp_scene_parameter = {"parameter", "a named constant", parameter_keys, PARAMETER_COUNT, -1};

static const SceneKey event_keys[EVENT_COUNT] = {
    [EVENT_NAME] = {"name", SCENE_TEXT, .text = "a letter, then letters, digits and `_`; default: event0, event1, ..."},
    [EVENT_WHEN] = {"when", SCENE_CONDITION, .required = true,
                    .text = "looked at after every step; the event acts when it becomes true"},
    [EVENT_SET] = {"set", SCENE_NAMED,
                   .text = "the inputs and parameters it sets: name to number or expression, evaluated at that time"},
    [EVENT_ACTIVATE] = {"activate", SCENE_TEXT, .text = "a joint with `active` that closes where its bodies are then"},
    [EVENT_RELEASE] = {"release", SCENE_TEXT, .text = "a joint with `active` that is released"},
    [EVENT_ONCE] = {"once", SCENE_FLAG, .text = "true: the first time only"},
};
const SceneObject asp_scene_event = {"event", "inputs that change when a condition becomes true", event_keys,
                                     EVENT_COUNT, -1};

static const char *const probe_types[] = {"expression", "point", "distance", "angle", "contact", NULL};
static const char *const probe_quantities[] = {"position", "velocity", "acceleration", NULL};
static const SceneKey probe_keys[PROBE_COUNT] = {
    [PROBE_NAME] = {"name", SCENE_TEXT, .required = true, .text = "unique among the probes"},
    [PROBE_TYPE] = {"type", SCENE_CHOICE, .initial_text = "expression", .choices = probe_types,
                    .text = "what is measured"},
    [PROBE_VALUE] = {"value", SCENE_EXPRESSION, .only = BIT(ASP_PROBE_EXPRESSION), .needed = BIT(ASP_PROBE_EXPRESSION),
                     .text = "any expression, with the state: joint coordinates and forces, energies, ..."},
    [PROBE_BODY] = {"body", SCENE_TEXT, .only = BIT(ASP_PROBE_POINT) | BIT(ASP_PROBE_CONTACT),
                    .needed = BIT(ASP_PROBE_POINT), .text = "whose point is followed; whose contacts are summed"},
    [PROBE_BODIES] = {"bodies", SCENE_TWO_NAMES,
                      .only = BIT(ASP_PROBE_DISTANCE) | BIT(ASP_PROBE_ANGLE) | BIT(ASP_PROBE_CONTACT),
                      .needed = BIT(ASP_PROBE_DISTANCE) | BIT(ASP_PROBE_ANGLE),
                      .text = "the two; contact: forces on the first by the second"},
    [PROBE_POINT] = {"point", SCENE_VECTOR, .only = BIT(ASP_PROBE_POINT), .range = REACHABLE, .unit = "m",
                     .text = "in the body's frame; default: its centre of mass"},
    [PROBE_QUANTITY] = {"quantity", SCENE_CHOICE, .only = BIT(ASP_PROBE_POINT), .initial_text = "position",
                        .choices = probe_quantities, .text = "of the point"},
    [PROBE_POINTS] = {"points", SCENE_TWO_VECTORS, .only = BIT(ASP_PROBE_DISTANCE), .unit = "m",
                      .text = "one in the frame of each body; default: their centres of mass"},
    [PROBE_AXES] = {"axes", SCENE_TWO_VECTORS, .only = BIT(ASP_PROBE_ANGLE),
                    .text = "one in the frame of each body; default: their x axes"},
    [PROBE_UNIT] = {"unit", SCENE_TEXT, .text = "for readers; default: m, m/s, m/s^2, rad, N and N m by type"},
    [PROBE_EVERY] = {"every", SCENE_NUMBER, .range = NON_NEGATIVE, .unit = "s",
                     .text = "time between samples, at ends of steps; 0: with the frames"},
};
const SceneObject asp_scene_probe = {"probe", "a named output over time", probe_keys, PROBE_COUNT, PROBE_TYPE};

static const SceneKey stop_keys[STOP_COUNT] = {
    [STOP_WHEN] = {"when", SCENE_CONDITION, .required = true,
                   .text = "looked at after every step; the run ends when it is true"},
    [STOP_MESSAGE] = {"message", SCENE_TEXT, .text = "the reason, for summary and JSON; default: the condition"},
};
const SceneObject asp_scene_stop = {"stop", "a condition that ends the run", stop_keys, STOP_COUNT, -1};

static const SceneKey material_keys[MATERIAL_COUNT] = {
    [MATERIAL_PAIR] = {"pair", SCENE_TWO_NAMES, .required = true,
                       .text = "the two materials; \"*\" stands for any. The pair itself goes before a pair with one "
                               "\"*\", and that before one with two"},
    [MATERIAL_FRICTION] = {"friction", SCENE_NUMBER, .required = true, .range = NON_NEGATIVE,
                           .text = "coefficient of Coulomb friction"},
    [MATERIAL_RESTITUTION] = {"restitution", SCENE_NUMBER, .range = FRACTION, .text = "of the normal velocity"},
    [MATERIAL_TANGENTIAL_RESTITUTION] = {"tangential_restitution", SCENE_NUMBER, .range = FRACTION,
                                         .text = "of the tangential velocity in an impact"},
    [MATERIAL_STATIC_FRICTION] = {"static_friction", SCENE_NUMBER, .range = NON_NEGATIVE,
                                  .text = "coefficient at rest, at least friction, which is that of sliding then; "
                                          "default: the same"},
    [MATERIAL_STRIBECK_SPEED] = {"stribeck_speed", SCENE_NUMBER, .range = NON_NEGATIVE, .unit = "m/s",
                                 .text = "slip speed over which the coefficient falls from static_friction to "
                                         "friction; 0: at once"},
    [MATERIAL_STRIBECK_EXPONENT] = {"stribeck_exponent", SCENE_NUMBER, .range = POSITIVE, .initial = 1,
                                    .text = "of that fall, exp(-(slip / stribeck_speed)^exponent)"},
    [MATERIAL_FRICTION_ACROSS] = {"friction_across", SCENE_NUMBER, .not_2d = true, .range = POSITIVE,
                                  .text = "coefficient across direction, friction being that along it: the cone is "
                                          "elliptic; default: the same"},
    [MATERIAL_DIRECTION] = {"direction", SCENE_VECTOR, .not_2d = true,
                            .text = "of friction_across: in the frame of the body that has the first material of the "
                                    "pair, any length"},
    [MATERIAL_ROLLING] = {"rolling", SCENE_NUMBER, .range = NON_NEGATIVE, .unit = "m",
                          .text = "resistance to rolling: a torque of at most this length times the normal force"},
    [MATERIAL_SPINNING] = {"spinning", SCENE_NUMBER, .not_2d = true, .range = NON_NEGATIVE, .unit = "m",
                           .text = "resistance to spinning about the normal: a torque of at most this length times the "
                                   "normal force"},
    [MATERIAL_CONTACT_RADIUS] = {"contact_radius", SCENE_NUMBER, .not_2d = true, .range = NON_NEGATIVE, .unit = "m",
                                 .text =
                                     "radius of a round patch of even pressure: resists spinning with 2/3 of it times "
                                     "friction, and sliding and spinning weaken each other"},
};
const SceneObject asp_scene_material = {"material", "the law between two materials", material_keys, MATERIAL_COUNT, -1};

/* ---- bodies ---- */

static const SceneKey body_keys[BODY_COUNT] = {
    [BODY_NAME] = {"name", SCENE_TEXT, .text = "unique among the bodies; default: body0, body1, ... by place"},
    [BODY_FIXED] = {"fixed", SCENE_FLAG, .text = "true: the body never moves"},
    [BODY_MOTION] = {"motion", SCENE_OBJECT, .object = &asp_scene_motion, .text = "moves as prescribed"},
    [BODY_MASS] = {"mass", SCENE_NUMBER, .range = POSITIVE, .unit = "kg",
                   .text = "of a free body; default: from the densities of its shapes"},
    [BODY_INERTIA] = {"inertia", SCENE_INERTIA, .unit = "kg m^2",
                      .text = "about the centre of mass, along the axes of the body's frame; needs mass. Default: from "
                              "the shapes, scaled to the mass"},
    [BODY_INERTIA_ORIENTATION] = {"inertia_orientation", SCENE_ORIENTATION, .not_2d = true,
                                  .text = "in the body's frame, of the axes along which inertia is given; needs "
                                          "inertia. Default: those of the body's frame"},
    [BODY_CENTER_OF_MASS] = {"center_of_mass", SCENE_VECTOR, .range = REACHABLE, .unit = "m",
                             .text =
                                 "in the body's frame; needs inertia. Default: the origin of the body's frame where "
                                 "inertia is given, else from the shapes"},
    [BODY_POSITION] = {"position", SCENE_VECTOR, .range = REACHABLE, .unit = "m",
                       .text = "of the body's frame, in which its shapes are placed; default: the origin"},
    [BODY_ORIENTATION] = {"orientation", SCENE_ORIENTATION, .not_2d = true, .text = "of the body's frame"},
    [BODY_ANGLE] = {"angle", SCENE_NUMBER, .not_3d = true, .unit = "rad", .text = "of the body's frame"},
    [BODY_VELOCITY] = {"velocity", SCENE_VECTOR, .range = REACHABLE, .unit = "m/s",
                       .text = "of the body's position; default: at rest"},
    [BODY_ANGULAR_VELOCITY] = {"angular_velocity", SCENE_SPIN, .range = REACHABLE, .unit = "rad/s",
                               .text = "world axes; default: none"},
    [BODY_SHAPES] = {"shapes", SCENE_LIST, .object = &asp_scene_shape, .text = "geometry for contact and mass"},
    [BODY_VISUAL] = {"visual", SCENE_LIST, .object = &asp_scene_visual,
                     .text = "shapes and meshes that are drawn in place of those of shapes; no contact, no mass"},
};
const SceneObject asp_scene_body = {"body", "a rigid body", body_keys, BODY_COUNT, -1};

static const SceneKey motion_keys[MOTION_COUNT] = {
    [MOTION_POSITION] = {"position", SCENE_EXPRESSION_VECTOR, .unit = "m", .text = "prescribed position over time"},
    [MOTION_ROTATION] = {"rotation", SCENE_EXPRESSION, .unit = "rad",
                         .text = "turns the body about the axis, from its orientation"},
    [MOTION_AXIS] = {"axis", SCENE_VECTOR, .not_2d = true, .text = "of the rotation, world; default: z"},
};
const SceneObject asp_scene_motion = {"motion", "a prescribed motion", motion_keys, MOTION_COUNT, -1};

static const SceneKey orientation_keys[ORIENTATION_COUNT] = {
    [ORIENTATION_AXIS] = {"axis", SCENE_VECTOR, .required = true, .not_2d = true, .text = "need not be of unit length"},
    [ORIENTATION_ANGLE] = {"angle", SCENE_NUMBER, .required = true, .not_2d = true, .unit = "rad",
                           .text = "right-handed"},
};
const SceneObject asp_scene_orientation = {"orientation", "a rotation by an angle about an axis", orientation_keys,
                                           ORIENTATION_COUNT, -1};

/* ---- shapes ---- */

static const char *const shape_names[] = {
#define SHAPE_NAME(kind, name, in_3d, in_2d) name,
    ASP_SHAPE_LIST(SHAPE_NAME)
#undef SHAPE_NAME
        NULL};
#define SHAPE_BIT_3D(kind, name, in_3d, in_2d) | ((in_3d) ? BIT(kind) : 0)
#define SHAPE_BIT_2D(kind, name, in_3d, in_2d) | ((in_2d) ? BIT(kind) : 0)
#define LONG                                   (BIT(ASP_SHAPE_CAPSULE) | BIT(ASP_SHAPE_CYLINDER) | BIT(ASP_SHAPE_CONE))
#define ROUND                                  (BIT(ASP_SHAPE_SPHERE) | BIT(ASP_SHAPE_DISK) | LONG)
#define HULL                                   (BIT(ASP_SHAPE_CONVEX) | BIT(ASP_SHAPE_POLYGON))
#define FIELD                                  BIT(ASP_SHAPE_HEIGHT_FIELD)
#define FLAT                                   (BIT(ASP_SHAPE_HALF_SPACE) | BIT(ASP_SHAPE_HALF_PLANE))
#define SOLID                                  (ROUND | HULL | BIT(ASP_SHAPE_BOX) | BIT(ASP_SHAPE_ELLIPSOID))

static const SceneKey shape_keys[SHAPE_COUNT] = {
    [SHAPE_TYPE] = {"type", SCENE_CHOICE, .required = true, .choices = shape_names,
                    .choices_in = {0 ASP_SHAPE_LIST(SHAPE_BIT_3D), 0 ASP_SHAPE_LIST(SHAPE_BIT_2D)}, .text = "kind"},
    [SHAPE_MATERIAL] = {"material", SCENE_TEXT, .initial_text = "default", .text = "see the scene's materials"},
    [SHAPE_RADIUS] = {"radius", SCENE_NUMBER, .only = ROUND, .needed = ROUND, .range = POSITIVE, .unit = "m",
                      .text = "radius"},
    [SHAPE_LENGTH] = {"length", SCENE_NUMBER, .only = LONG, .needed = LONG, .range = POSITIVE, .unit = "m",
                      .text = "along z (capsule in the plane: x), centred; of a capsule without its round ends"},
    [SHAPE_SIZE] = {"size", SCENE_VECTOR, .only = BIT(ASP_SHAPE_BOX), .needed = BIT(ASP_SHAPE_BOX), .range = POSITIVE,
                    .unit = "m", .text = "full extents along the axes of the shape's frame"},
    [SHAPE_RADII] = {"radii", SCENE_VECTOR, .not_2d = true, .only = BIT(ASP_SHAPE_ELLIPSOID),
                     .needed = BIT(ASP_SHAPE_ELLIPSOID), .range = POSITIVE, .unit = "m",
                     .text = "along the axes of the shape's frame"},
    [SHAPE_POINTS] = {"points", SCENE_POINTS, .only = HULL, .needed = BIT(ASP_SHAPE_POLYGON), .unit = "m",
                      .text = "the shape is their convex hull; in the shape's frame. A convex has points or a file"},
    [SHAPE_FILE] = {"file", SCENE_TEXT, .not_2d = true, .only = BIT(ASP_SHAPE_CONVEX),
                    .text = "STL, OBJ, COLLADA (.dae) or MSH mesh whose convex hull is the shape (in visual: the mesh "
                            "itself); a path from the "
                            "scene's folder"},
    [SHAPE_OBJECT] = {"object", SCENE_TEXT, .not_2d = true, .only = BIT(ASP_SHAPE_CONVEX),
                      .text =
                          "the part of the file: a name after o or g (OBJ) or solid (ASCII STL); default: all of it"},
    [SHAPE_SCALE] = {"scale", SCENE_NUMBER, .not_2d = true, .only = BIT(ASP_SHAPE_CONVEX), .range = POSITIVE,
                     .initial = 1, .unit = "m", .text = "length of the file's unit: 0.001 for millimetres"},
    [SHAPE_STRETCH] = {"stretch", SCENE_VECTOR, .not_2d = true, .only = BIT(ASP_SHAPE_CONVEX),
                       .text = "factors of the file's coordinates along its axes, besides scale; negative: mirrored"},
    [SHAPE_SPACING] = {"spacing", SCENE_PAIR, .not_2d = true, .only = FIELD, .needed = FIELD, .range = POSITIVE,
                       .unit = "m", .text = "of the grid along x and y"},
    [SHAPE_HEIGHTS] = {"heights", SCENE_GRID, .not_2d = true, .only = FIELD, .needed = FIELD, .unit = "m",
                       .text = "one list per y, in it one height per x, from the origin of the shape's frame on"},
    [SHAPE_NORMAL] = {"normal", SCENE_VECTOR, .only = FLAT,
                      .text = "from the solid to the free side, in the body's frame; default: +z, in the plane +y"},
    [SHAPE_POSITION] = {"position", SCENE_VECTOR, .unit = "m", .text = "of the shape's frame in the body's frame"},
    [SHAPE_ORIENTATION] = {"orientation", SCENE_ORIENTATION, .not_2d = true, .text = "of the shape's frame"},
    [SHAPE_ANGLE] = {"angle", SCENE_NUMBER, .not_3d = true, .unit = "rad", .text = "of the shape's frame"},
    [SHAPE_DECOMPOSE] = {"decompose", SCENE_NUMBER, .not_2d = true, .only = BIT(ASP_SHAPE_CONVEX), .range = POSITIVE,
                         .unit = "m",
                         .text = "the closed mesh of the file is cut into convex pieces until no part of its surface "
                                 "lies deeper than this below the hull of its piece; default: its hull"},
    [SHAPE_DENSITY] = {"density", SCENE_NUMBER, .only = SOLID, .range = POSITIVE, .unit = "kg/m^3 (2D: kg/m^2)",
                       .text = "adds the shape's mass to the body; default: none, or the same for all shapes where a "
                               "mass is given without inertia and no shape has a density"},
    [SHAPE_CONTACT] = {"contact", SCENE_FLAG, .initial = 1,
                       .text = "false: the shape touches nothing; it still counts for the mass and is drawn"},
    [SHAPE_GROUP] = {"group", SCENE_LABELS, .text = "collision groups of the shape; default: all"},
    [SHAPE_MASK] = {"mask", SCENE_LABELS,
                    .text = "collision groups that it can touch, if their mask includes its own; default: all"},
    [SHAPE_SURFACE_VELOCITY] = {"surface_velocity", SCENE_EXPRESSION_SPIN, .unit = "m/s",
                                .text = "the surface moves along itself, like a belt, while the shape stays: velocity "
                                        "in the body's frame; in the plane a speed along the surface, to the right "
                                        "where the surface faces up"},
    [SHAPE_SURFACE_SPIN] = {"surface_spin", SCENE_EXPRESSION_SPIN, .unit = "rad/s",
                            .text = "the surface turns about the origin of the shape's frame, like a roller or a "
                                    "turntable, while the shape stays: angular velocity in the body's frame"},
};
const SceneObject asp_scene_shape = {"shape", "a shape of a body", shape_keys, SHAPE_COUNT, SHAPE_TYPE};
const SceneObject asp_scene_visual = {"visual", "a shape that is drawn only", shape_keys, SHAPE_DRAWN_COUNT,
                                      SHAPE_TYPE};

/* ---- beams ---- */

static const char *const axial_strain_names[] = {
    [ASP_AXIAL_STRAIN_MIXED] = "mixed", [ASP_AXIAL_STRAIN_PLAIN] = "plain", NULL};

static const SceneKey beam_keys[BEAM_COUNT] = {
    [BEAM_NAME] = {"name", SCENE_TEXT,
                   .text = "unique among the beams; its ends are the stations NAME.start and NAME.end. Default: beam0, "
                           "beam1, ... by place"},
    [BEAM_LENGTH] = {"length", SCENE_NUMBER, .required = true, .range = WORKABLE, .unit = "m", .text = "unstressed"},
    [BEAM_POSITION] = {"position", SCENE_VECTOR, .range = REACHABLE, .unit = "m",
                       .text = "of its start; default: the origin"},
    [BEAM_ORIENTATION] = {"orientation", SCENE_ORIENTATION, .not_2d = true,
                          .text = "of the cross-section at its start: x along the beam, height along y, width along z"},
    [BEAM_ANGLE] = {"angle", SCENE_NUMBER, .not_3d = true, .unit = "rad", .text = "of its direction at the start"},
    [BEAM_VELOCITY] = {"velocity", SCENE_VECTOR, .range = REACHABLE, .unit = "m/s",
                       .text = "of its start; default: at rest"},
    [BEAM_ANGULAR_VELOCITY] = {"angular_velocity", SCENE_SPIN, .range = REACHABLE, .unit = "rad/s",
                               .text = "of all of it, which begins as a rigid body; default: none"},
    [BEAM_ELEMENTS] = {"elements", SCENE_INTEGER, .range = {1, ASP_BEAM_ELEMENTS_MAX, false}, .initial = 4,
                       .text = "number of finite elements, of equal length"},
    [BEAM_DEGREE] = {"degree", SCENE_INTEGER, .not_3d = true, .range = {2, 12, false}, .initial = 3,
                     .text = "of the splines that make the centreline"},
    [BEAM_GAUSS_POINTS] = {"gauss_points", SCENE_INTEGER, .not_3d = true, .range = {2, 13, false}, .initial = -1,
                           .text = "of the quadrature in every element; default: degree + 1. Fewer are for comparison "
                                   "with elements that take fewer: at least degree, with plain strain degree - 1"},
    [BEAM_AXIAL_STRAIN] = {"axial_strain", SCENE_CHOICE, .not_3d = true, .choices = axial_strain_names,
                           .initial_text = "mixed",
                           .text = "plain: that of the displacements as they are, which locks (for comparison with "
                                   "elements that do so)"},
    [BEAM_CURVATURE] = {"curvature", SCENE_NUMBER, .unit = "1/m",
                        .text = "of the unstressed beam, an arc that turns from x towards y of its cross-section"},
    [BEAM_WIDTH] = {"width", SCENE_NUMBER, .range = WORKABLE, .unit = "m",
                    .text = "of a rectangular cross-section, across the plane of a 2D scene; with height and "
                            "youngs_modulus"},
    [BEAM_HEIGHT] = {"height", SCENE_NUMBER, .range = WORKABLE, .unit = "m",
                     .text = "of a rectangular cross-section, in the plane of a 2D scene"},
    [BEAM_RADIUS] = {"radius", SCENE_NUMBER, .range = WORKABLE, .unit = "m",
                     .text = "of a round cross-section, in place of width and height"},
    [BEAM_YOUNGS_MODULUS] = {"youngs_modulus", SCENE_NUMBER, .range = WORKABLE, .unit = "Pa",
                             .text = "gives, with the cross-section, the stiffness and with density the mass"},
    [BEAM_POISSON_RATIO] = {"poisson_ratio", SCENE_NUMBER, .not_2d = true, .range = {-0.99, 0.5, false}, .initial = 0.3,
                            .text = "for shear and torsion"},
    [BEAM_DENSITY] = {"density", SCENE_NUMBER, .range = WORKABLE, .unit = "kg/m^3", .text = "with youngs_modulus"},
    [BEAM_MASS_PER_LENGTH] = {"mass_per_length", SCENE_NUMBER, .range = WORKABLE, .unit = "kg/m",
                              .text = "default: from the cross-section"},
    [BEAM_AXIAL_STIFFNESS] = {"axial_stiffness", SCENE_NUMBER, .range = WORKABLE, .unit = "N",
                              .text = "E A; default: from the cross-section"},
    [BEAM_BENDING_STIFFNESS] = {"bending_stiffness", SCENE_NUMBER, .range = WORKABLE, .unit = "N m^2",
                                .text = "E I, in space about both axes; default: from the cross-section"},
    [BEAM_SHEAR_STIFFNESS] = {"shear_stiffness", SCENE_NUMBER, .not_2d = true, .range = WORKABLE, .unit = "N",
                              .text = "G A along both axes; default: from the cross-section"},
    [BEAM_TORSIONAL_STIFFNESS] = {"torsional_stiffness", SCENE_NUMBER, .not_2d = true, .range = WORKABLE,
                                  .unit = "N m^2", .text = "G J; default: from the cross-section"},
    [BEAM_ROTARY_INERTIA] = {"rotary_inertia", SCENE_NUMBER, .not_2d = true, .range = WORKABLE, .unit = "kg m",
                             .text = "rho I about both axes across, about the beam twice that; default: from the "
                                     "cross-section"},
    [BEAM_INEXTENSIBLE] = {"inextensible", SCENE_FLAG,
                           .text = "true: conditions keep its length, in place of the axial stiffness"},
    [BEAM_DAMPING] = {"damping", SCENE_NUMBER, .range = {0, 1e20, false}, .unit = "s",
                      .text = "of the material (Kelvin-Voigt): stress = E (strain + damping * its rate)"},
    [BEAM_STATIONS] = {"stations", SCENE_LIST, .object = &asp_scene_station,
                       .text = "cross-sections that joints, forces and shapes use as bodies"},
    [BEAM_CONTACT] = {"contact", SCENE_OBJECT, .object = &asp_scene_touch,
                      .text = "contact geometry along its length: spheres, in the plane disks, on the centreline"},
};
const SceneObject asp_scene_beam = {"beam", "a slender flexible body", beam_keys, BEAM_COUNT, -1};

static const SceneKey station_keys[STATION_COUNT] = {
    [STATION_NAME] = {"name", SCENE_TEXT, .required = true, .text = "unique among bodies and stations"},
    [STATION_AT] = {"at", SCENE_NUMBER, .required = true, .range = NON_NEGATIVE, .unit = "m",
                    .text = "distance from the start along the unstressed beam"},
    [STATION_SHAPES] = {"shapes", SCENE_LIST, .object = &asp_scene_shape,
                        .text = "contact geometry in the frame of the cross-section: x along the beam"},
};
const SceneObject asp_scene_station = {"station", "a cross-section of a beam", station_keys, STATION_COUNT, -1};

static const SceneKey touch_keys[TOUCH_COUNT] = {
    [TOUCH_RADIUS] = {"radius", SCENE_NUMBER, .required = true, .range = POSITIVE, .unit = "m",
                      .text = "of the spheres or disks, for instance half the height"},
    [TOUCH_POINTS] = {"points", SCENE_INTEGER, .range = {2, 1000, false}, .initial = 9,
                      .text = "number of shapes, evenly spaced from end to end; stations NAME.0, NAME.1, ..."},
    [TOUCH_MATERIAL] = {"material", SCENE_TEXT, .initial_text = "default", .text = "see the scene's materials"},
};
const SceneObject asp_scene_touch = {"contact", "what touches along a beam", touch_keys, TOUCH_COUNT, -1};

/* ---- joints ---- */

static const char *const joint_names[] = {
#define JOINT_ROW(kind, name, coordinates, in_2d, given) name,
    ASP_JOINT_LIST(JOINT_ROW)
#undef JOINT_ROW
        "gear",
    "rack", NULL};
#define JOINT_BIT_2D(kind, name, coordinates, in_2d, given)   | ((in_2d) ? BIT(kind) : 0)
#define JOINT_POINTS(kind, name, coordinates, in_2d, given)   | ((given)&ASP_GIVEN_POINT ? BIT(kind) : 0)
#define JOINT_POINTS_B(kind, name, coordinates, in_2d, given) | ((given)&ASP_GIVEN_POINT_B ? BIT(kind) : 0)
#define JOINT_AXES(kind, name, coordinates, in_2d, given)     | ((given)&ASP_GIVEN_AXIS ? BIT(kind) : 0)
#define JOINT_AXES_B(kind, name, coordinates, in_2d, given)   | ((given)&ASP_GIVEN_AXIS_B ? BIT(kind) : 0)
#define JOINT_OF_TERMS(kind, name, coordinates, in_2d, given) | ((given)&ASP_GIVEN_TERMS ? BIT(kind) : 0)
#define TURNS                                                 BIT(ASP_JOINT_REVOLUTE)
#define SLIDES                                                BIT(ASP_JOINT_PRISMATIC)
#define SCREWS                                                BIT(ASP_JOINT_SCREW)
#define CYLINDERS                                             BIT(ASP_JOINT_CYLINDRICAL)
#define PLANES                                                BIT(ASP_JOINT_PLANAR)
#define GEARS                                                 (BIT(JOINT_GEAR) | BIT(JOINT_RACK))
#define COUPLES                                               (GEARS ASP_JOINT_LIST(JOINT_OF_TERMS))
#define TENDONS                                               BIT(ASP_JOINT_TENDON)
#define ONE_DOF                                               (TURNS | SLIDES | SCREWS | COUPLES | TENDONS)
#define HAS_BODIES                                            ((BIT(ASP_JOINT_COUNT) - 1) & ~(uint32_t)(COUPLES | TENDONS))
#define ROUNDS                                                (BIT(ASP_PATH_SPHERE) | BIT(ASP_PATH_CYLINDER))
#define HAS_POINT                                             (0 ASP_JOINT_LIST(JOINT_POINTS))
#define HAS_POINT_B                                           (0 ASP_JOINT_LIST(JOINT_POINTS_B))
#define HAS_AXIS                                              (0 ASP_JOINT_LIST(JOINT_AXES))
#define HAS_AXIS_B                                            (0 ASP_JOINT_LIST(JOINT_AXES_B))
#define SEVERAL_DOF                                           (CYLINDERS | PLANES | HAS_AXIS_B | BIT(ASP_JOINT_SPHERICAL))

// clang-format off
/* What acts on a coordinate, of a joint and of an axis. */
#define COORDINATE_KEYS(of)                                                                                            \
  [of##_LIMITS] = {"limits", SCENE_LIMITS, .only = ONE_DOF, .unit = "rad or m",                                        \
                    .text = "of the coordinate; of a coupling: its play"},                                             \
  [of##_LIMIT_RESTITUTION] = {"limit_restitution", SCENE_NUMBER, .only = ONE_DOF, .range = FRACTION,                   \
                               .text = "of an impact on a limit"},                                                     \
  [of##_MOTOR] = {"motor", SCENE_OBJECT, .only = ONE_DOF, .object = &asp_scene_motor,                                  \
                   .text = "drives the coordinate"},                                                                   \
  [of##_SERVO] = {"servo", SCENE_OBJECT, .only = ONE_DOF, .object = &asp_scene_servo,                                  \
                   .text = "holds the coordinate at a target, in place of a motor"},                                   \
  [of##_EFFORT] = {"effort", SCENE_EXPRESSION, .only = ONE_DOF, .unit = "N m or N",                                    \
                    .text = "torque or force on the coordinate, beside all else"},                                     \
  [of##_SPRING] = {"spring", SCENE_OBJECT, .only = ONE_DOF | BIT(ASP_JOINT_SPHERICAL), .object = &asp_scene_spring,    \
                    .text = "spring and damper on the coordinate; spherical: on the angle by which B is turned "       \
                            "against A since t = 0, about whatever axis"},                                             \
  [of##_ARMATURE] = {"armature", SCENE_NUMBER, .only = ONE_DOF, .range = NON_NEGATIVE, .unit = "kg m^2 or kg",         \
                      .text = "inertia on the coordinate, as of a motor's rotor: its own times the square of the "     \
                              "gear's ratio"},                                                                         \
  [of##_ANGLE] = {"angle", SCENE_EXPRESSION, .only = TURNS | SCREWS, .unit = "rad",                                    \
                   .text = "prescribed angle over time"},                                                              \
  [of##_DISPLACEMENT] = {"displacement", SCENE_EXPRESSION, .only = SLIDES, .unit = "m",                                \
                          .text = "prescribed displacement over time"},                                                \
  [of##_INITIAL] = {"initial", SCENE_NUMBER, .only = ONE_DOF, .initial = NAN, .unit = "rad or m",                      \
                     .text = "value of the coordinate at t = 0; default: the prescribed value, else 0"}
// clang-format on

static const SceneKey joint_keys[JOINT_COUNT] = {
    [JOINT_NAME] = {"name", SCENE_TEXT, .text = "unique among the joints; default: joint0, joint1, ... by place"},
    [JOINT_TYPE] = {"type", SCENE_CHOICE, .required = true, .choices = joint_names,
                    .choices_in = {0, GEARS ASP_JOINT_LIST(JOINT_BIT_2D)}, .text = "kind"},
    [JOINT_BODIES] = {"bodies", SCENE_TWO_NAMES, .only = HAS_BODIES, .needed = HAS_BODIES,
                      .text = "names of A and B; \"world\" is a fixed body that need not be declared"},
    [JOINT_POINT] = {"point", SCENE_VECTOR, .only = HAS_BODIES & ~BIT(ASP_JOINT_COMPOUND), .needed = HAS_POINT,
                     .unit = "m", .text = "world, at t = 0 (distance: on A); default: the position of B"},
    [JOINT_POINT_B] = {"point_b", SCENE_VECTOR, .only = HAS_POINT_B, .needed = HAS_POINT_B, .unit = "m",
                       .text = "the point on B, world, at t = 0"},
    [JOINT_AXIS] = {"axis", SCENE_VECTOR, .only = HAS_AXIS, .only_2d = SLIDES, .needed = HAS_AXIS,
                    .text = "world, at t = 0, any length: of turning, of sliding, normal of the plane (universal: on "
                            "A); a revolute joint in the plane has none"},
    [JOINT_AXIS_B] = {"axis_b", SCENE_VECTOR, .not_2d = true, .only = HAS_AXIS_B, .needed = HAS_AXIS_B,
                      .text = "the axis on B, perpendicular to axis"},
    [JOINT_PITCH] = {"pitch", SCENE_NUMBER, .only = SCREWS, .needed = SCREWS, .unit = "m",
                     .text = "displacement of B along the axis in a full turn; negative: left-handed"},
    [JOINT_AXES] = {"axes", SCENE_LIST, .not_2d = true, .only = BIT(ASP_JOINT_COMPOUND),
                    .needed = BIT(ASP_JOINT_COMPOUND), .object = &asp_scene_axis,
                    .text = "1 to 6 axes in their order from A to B, each with a coordinate"},
    [JOINT_JOINTS] = {"joints", SCENE_NAMES, .only = COUPLES, .needed = COUPLES,
                      .text =
                          "names of 1 to 6 joints with one coordinate that come before; gear: the driven one first; "
                          "rack: the pinion's, then the rack's"},
    [JOINT_FACTORS] = {"factors", SCENE_FACTORS, .only = BIT(ASP_JOINT_COUPLING), .needed = BIT(ASP_JOINT_COUPLING),
                       .text =
                           "one for each of the joints: the sum of factor times coordinate stays as it is at t = 0. A "
                           "list [a, b, c, d] in place of a number: a q + b q^2 + c q^3 + d q^4 of the coordinate q"},
    [JOINT_PATH] = {"path", SCENE_LIST, .only = TENDONS, .needed = TENDONS, .object = &asp_scene_path,
                    .text = "the way of the tendon, 2 to 64 elements: points of bodies, and between two points a round "
                            "body that it goes around. The coordinate is its length, which stays unless limits or "
                            "something else acts on it"},
    [JOINT_RATIO] = {"ratio", SCENE_NUMBER, .only = BIT(JOINT_GEAR), .needed = BIT(JOINT_GEAR),
                     .text = "turns of the first joint for one turn of the second; negative: they turn opposite ways"},
    [JOINT_RADIUS] = {"radius", SCENE_NUMBER, .only = BIT(JOINT_RACK), .needed = BIT(JOINT_RACK), .unit = "m",
                      .text = "displacement of the rack for one radian of the pinion; negative: the other way"},
    [JOINT_FRICTION] = {"friction", SCENE_NUMBER, .only = ONE_DOF | SEVERAL_DOF, .range = NON_NEGATIVE,
                        .unit = "N m or N",
                        .text = "constant limit of dry friction; cylindrical: of sliding along the axis (N); "
                                "planar: of sliding in any direction (N); universal: of turning about axis; "
                                "spherical: of turning about any axis"},
    [JOINT_FRICTION_TORQUE] = {"friction_torque", SCENE_NUMBER, .only = CYLINDERS | PLANES, .range = NON_NEGATIVE,
                               .unit = "N m", .text = "constant limit of dry friction against turning about the axis"},
    [JOINT_FRICTION_B] = {"friction_b", SCENE_NUMBER, .only = HAS_AXIS_B, .range = NON_NEGATIVE, .unit = "N m",
                          .text = "constant limit of dry friction against turning about axis_b"},
    [JOINT_FRICTION_COEFFICIENT] =
        {"friction_coefficient", SCENE_NUMBER, .only = TURNS | SLIDES, .range = NON_NEGATIVE,
         .text = "friction in proportion to the forces in the joint's bearings, in addition to the "
                 "constant one"},
    [JOINT_BEARING_RADIUS] = {"bearing_radius", SCENE_NUMBER, .only = TURNS, .range = POSITIVE, .unit = "m",
                              .text = "radius at which friction_coefficient acts; needed with it"},
    [JOINT_BEARING_LENGTH] = {"bearing_length", SCENE_NUMBER, .only = TURNS | SLIDES, .range = NON_NEGATIVE,
                              .unit = "m",
                              .text = "distance of two bearings along the axis, centred on the point of B; 0: one "
                                      "bearing, which moments do not load"},
    COORDINATE_KEYS(JOINT),
    [JOINT_CONTACT] = {"contact", SCENE_FLAG, .only = HAS_BODIES,
                       .text = "true: the two bodies (of a station: its whole beam) touch each other; default: they do "
                               "not"},
    [JOINT_ACTIVE] = {"active", SCENE_FLAG, .initial = 1,
                      .text = "given: events may switch the joint, its bodies touch; false: released at first"},
};
const SceneObject asp_scene_joint = {"joint", "a joint between two bodies, a coupling of joints, or a tendon",
                                     joint_keys, JOINT_COUNT, JOINT_TYPE};

static const char *const around_names[] = {"point", "sphere", "cylinder", NULL};
static const SceneKey path_keys[PATH_COUNT] = {
    [PATH_BODY] = {"body", SCENE_TEXT, .required = true,
                   .text = "whose point it is; \"world\" is a fixed body that need not be declared"},
    [PATH_POINT] = {"point", SCENE_VECTOR, .required = true, .range = REACHABLE, .unit = "m",
                    .text = "world, at t = 0; of a round body its centre"},
    [PATH_AROUND] = {"around", SCENE_CHOICE, .initial_text = "point", .choices = around_names,
                     .text = "point: the path goes through it; sphere, cylinder: around it, where the straight way "
                             "between the points beside it would cut it. In the plane a sphere is a circle"},
    [PATH_RADIUS] = {"radius", SCENE_NUMBER, .only = ROUNDS, .needed = ROUNDS, .range = POSITIVE, .unit = "m",
                     .text = "of the round body"},
    [PATH_AXIS] = {"axis", SCENE_VECTOR, .not_2d = true, .only = BIT(ASP_PATH_CYLINDER),
                   .needed = BIT(ASP_PATH_CYLINDER), .text = "of the cylinder, which has no ends: world, any length"},
    [PATH_SIDE] = {"side", SCENE_VECTOR, .only = ROUNDS, .range = REACHABLE, .unit = "m",
                   .text = "a point outside of the round body, world: the path runs on that side of it; default: the "
                           "shorter way"},
    [PATH_BRANCH] = {"branch", SCENE_NUMBER, .only = BIT(ASP_PATH_POINT), .range = POSITIVE,
                     .text = "a new branch begins here, whose length counts divided by this number, as behind a "
                             "pulley; default: the path goes on"},
};
const SceneObject asp_scene_path = {"path", "an element of a tendon's path", path_keys, PATH_COUNT, PATH_AROUND};

static const char *const axis_names[] = {"revolute", "prismatic", NULL};
static const SceneKey axis_keys[AXIS_COUNT] = {
    [AXIS_NAME] = {"name", SCENE_TEXT,
                   .text = "unique among the joints, by which others use it; default: JOINT_0, JOINT_1, ... by place"},
    [AXIS_TYPE] = {"type", SCENE_CHOICE, .required = true, .choices = axis_names,
                   .text = "turns about the axis, or slides along it"},
    [AXIS_AXIS] = {"axis", SCENE_VECTOR, .required = true, .text = "world, at t = 0, any length"},
    [AXIS_POINT] = {"point", SCENE_VECTOR, .needed = TURNS, .unit = "m",
                    .text = "on the axis, world, at t = 0; default: the position of B"},
    [AXIS_FRICTION] = {"friction", SCENE_NUMBER, .range = NON_NEGATIVE, .unit = "N m or N",
                       .text = "constant limit of dry friction"},
    COORDINATE_KEYS(AXIS),
};
const SceneObject asp_scene_axis = {"axis", "an axis of a compound joint", axis_keys, AXIS_COUNT, AXIS_TYPE};

static const SceneKey motor_keys[MOTOR_COUNT] = {
    [MOTOR_VELOCITY] = {"velocity", SCENE_EXPRESSION, .required = true, .unit = "rad/s or m/s",
                        .text = "wanted rate of the coordinate"},
    [MOTOR_EFFORT] = {"effort", SCENE_EXPRESSION, .unit = "N m or N",
                      .text = "largest torque or force, >= 0; default: no limit"},
};
const SceneObject asp_scene_motor = {"motor", "a motor on a joint", motor_keys, MOTOR_COUNT, -1};

static const SceneKey servo_keys[SERVO_COUNT] = {
    [SERVO_KP] = {"kp", SCENE_NUMBER, .range = NON_NEGATIVE, .unit = "N m/rad or N/m",
                  .text = "torque or force per deviation from the target"},
    [SERVO_KD] = {"kd", SCENE_NUMBER, .range = NON_NEGATIVE, .unit = "N m s/rad or N s/m",
                  .text = "torque or force per deviation from the target's velocity"},
    [SERVO_TARGET] = {"target", SCENE_EXPRESSION, .unit = "rad or m", .text = "wanted coordinate; default: 0"},
    [SERVO_VELOCITY] = {"target_velocity", SCENE_EXPRESSION, .unit = "rad/s or m/s",
                        .text = "wanted rate of the coordinate; default: the rate of the target"},
    [SERVO_EFFORT] = {"effort", SCENE_EXPRESSION, .unit = "N m or N",
                      .text = "largest torque or force, >= 0; default: no limit"},
};
const SceneObject asp_scene_servo = {"servo", "a servo on a joint: kp and kd, not both 0", servo_keys, SERVO_COUNT, -1};

static const SceneKey spring_keys[SPRING_COUNT] = {
    [SPRING_STIFFNESS] = {"stiffness", SCENE_NUMBER, .range = NON_NEGATIVE, .unit = "N m/rad or N/m",
                          .text = "stiffness"},
    [SPRING_DAMPING] = {"damping", SCENE_NUMBER, .range = NON_NEGATIVE, .unit = "N m s/rad or N s/m",
                        .text = "damping"},
    [SPRING_REST] = {"rest", SCENE_NUMBER, .unit = "rad or m", .text = "coordinate at which the spring is relaxed"},
};
const SceneObject asp_scene_spring = {"spring", "a spring and damper on a joint", spring_keys, SPRING_COUNT, -1};

/* ---- forces ---- */

static const char *const force_names[] = {[ASP_FORCE_FORCE] = "force",
                                          [ASP_FORCE_TORQUE] = "torque",
                                          [ASP_FORCE_SPRING] = "spring",
                                          [ASP_FORCE_DRAG] = "drag",
                                          NULL};
static const char *const frame_names[] = {"world", "body", NULL};
#define ON_ONE  (BIT(ASP_FORCE_FORCE) | BIT(ASP_FORCE_TORQUE))
#define BETWEEN BIT(ASP_FORCE_SPRING)
#define DRAGS   BIT(ASP_FORCE_DRAG)

static const SceneKey force_keys[FORCE_COUNT] = {
    [FORCE_NAME] = {"name", SCENE_TEXT, .text = "unique among the forces; default: force0, force1, ... by place"},
    [FORCE_TYPE] = {"type", SCENE_CHOICE, .required = true, .choices = force_names, .choices_in = {0, ON_ONE | BETWEEN},
                    .text = "kind; drag: of a fluid on the body, as on a box of its mass and inertia"},
    [FORCE_BODY] = {"body", SCENE_TEXT, .only = ON_ONE | DRAGS, .needed = ON_ONE | DRAGS,
                    .text = "the body it acts on"},
    [FORCE_BODIES] = {"bodies", SCENE_TWO_NAMES, .only = BETWEEN, .needed = BETWEEN,
                      .text = "names of A and B; \"world\" is a fixed body that need not be declared"},
    [FORCE_POINT] = {"point", SCENE_VECTOR, .only = BIT(ASP_FORCE_FORCE) | DRAGS, .unit = "m",
                     .text = "where it acts: world, at t = 0, then moving with the body; default: the centre of mass"},
    [FORCE_POINTS] = {"points", SCENE_TWO_VECTORS, .only = BETWEEN, .needed = BETWEEN, .unit = "m",
                      .text = "its ends on A and on B: world, at t = 0"},
    [FORCE_FORCE] = {"force", SCENE_EXPRESSION_VECTOR, .only = BIT(ASP_FORCE_FORCE), .needed = BIT(ASP_FORCE_FORCE),
                     .unit = "N", .text = "components"},
    [FORCE_TORQUE] = {"torque", SCENE_EXPRESSION_SPIN, .only = BIT(ASP_FORCE_TORQUE), .needed = BIT(ASP_FORCE_TORQUE),
                      .unit = "N m", .text = "components"},
    [FORCE_FRAME] = {"frame", SCENE_CHOICE, .only = ON_ONE, .choices = frame_names, .initial_text = "world",
                     .text = "body: the components turn with the body"},
    [FORCE_STIFFNESS] = {"stiffness", SCENE_NUMBER, .only = BETWEEN, .range = NON_NEGATIVE, .unit = "N/m",
                         .text = "stiffness"},
    [FORCE_DAMPING] = {"damping", SCENE_NUMBER, .only = BETWEEN, .range = NON_NEGATIVE, .unit = "N s/m",
                       .text = "damping along the line between the points"},
    [FORCE_REST_LENGTH] = {"rest_length", SCENE_NUMBER, .only = BETWEEN, .range = NON_NEGATIVE, .initial = -1,
                           .unit = "m", .text = "length of the relaxed spring; default: the distance at t = 0"},
    [FORCE_DENSITY] = {"density", SCENE_NUMBER, .not_2d = true, .only = DRAGS, .range = NON_NEGATIVE, .unit = "kg/m^3",
                       .text = "of the fluid: drag with the square of the velocity"},
    [FORCE_VISCOSITY] = {"viscosity", SCENE_NUMBER, .not_2d = true, .only = DRAGS, .range = NON_NEGATIVE,
                         .unit = "Pa s", .text = "of the fluid: drag in proportion to the velocity"},
    [FORCE_WIND] = {"wind", SCENE_VECTOR, .not_2d = true, .only = DRAGS, .range = REACHABLE, .unit = "m/s",
                    .text = "velocity of the fluid, world; default: at rest"},
    [FORCE_SIZE] = {"size", SCENE_VECTOR, .not_2d = true, .only = DRAGS, .range = NON_NEGATIVE, .unit = "m",
                    .text = "full extents of the box that the fluid sees, its centre at point; default: those of the "
                            "box that has the body's mass and inertia, in its principal axes"},
    [FORCE_ORIENTATION] = {"orientation", SCENE_ORIENTATION, .not_2d = true, .only = DRAGS,
                           .text = "of the box given by size: world, at t = 0"},
};
const SceneObject asp_scene_force = {"force", "a force, torque, spring or drag", force_keys, FORCE_COUNT, FORCE_TYPE};
