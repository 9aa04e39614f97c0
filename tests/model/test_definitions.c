/* Definitions: what is refused and how it is named, names and materials, what the model gives back, and clean failure
 * of every allocation while a model is built. */
#include "failing_allocator.h"
#include "model_testing.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static AspBodyDef solid(void) {
  AspBodyDef def = asp_body_default();
  def.mass = 1;
  def.inertia = mat3_diagonal(1, 1, 1);
  return def;
}

/* ground (fixed, 0), a (1), b (2), driven (kinematic, 3) */
static AspModel *four_bodies(AspContext *context, int dimension) {
  AspModel *model;
  int body;
  assert_ok(context, asp_model_create(context, dimension, &model));
  AspBodyDef ground = asp_body_default(), a = solid(), b = solid(), driven = asp_body_default();
  ground.kind = ASP_BODY_FIXED;
  ground.name = "ground";
  a.name = "a";
  b.name = "b";
  driven.kind = ASP_BODY_KINEMATIC;
  driven.name = "driven";
  driven.position_expression[0] = "t";
  assert_ok(context, asp_model_add_body(model, &ground, &body));
  assert_ok(context, asp_model_add_body(model, &a, &body));
  assert_ok(context, asp_model_add_body(model, &b, &body));
  assert_ok(context, asp_model_add_body(model, &driven, &body));
  return model;
}

/* ---- bodies ---- */

typedef struct BodyMistake {
  int dimension;
  void (*make)(AspBodyDef *def);
  const char *message;
} BodyMistake;

static void no_mass(AspBodyDef *def) { def->mass = 0; }
static void negative_mass(AspBodyDef *def) { def->mass = -1; }
static void nan_mass(AspBodyDef *def) { def->mass = NAN; }
static void flat_inertia(AspBodyDef *def) { def->inertia = mat3_diagonal(1, 0, 1); }
static void negative_inertia(AspBodyDef *def) { def->inertia.m[8] = -2; }
static void indefinite_inertia(AspBodyDef *def) { def->inertia.m[1] = def->inertia.m[3] = 2; }
static void skew_inertia(AspBodyDef *def) { def->inertia.m[1] = 0.5; }
static void infinite_inertia(AspBodyDef *def) { def->inertia.m[4] = INFINITY; }
static void long_quaternion(AspBodyDef *def) { def->pose.orientation.w = 1.001; }
static void zero_quaternion(AspBodyDef *def) { def->pose.orientation.w = 0; }
static void nan_quaternion(AspBodyDef *def) { def->pose.orientation.x = NAN; }
static void nan_position(AspBodyDef *def) { def->pose.position.y = NAN; }
static void infinite_velocity(AspBodyDef *def) { def->velocity.x = INFINITY; }
static void out_of_plane(AspBodyDef *def) { def->pose.position.z = 1; }
static void tilted(AspBodyDef *def) { def->pose.orientation = quat_from_axis_angle(vec3(1, 0, 0), 0.1); }
static void spins_about_x(AspBodyDef *def) { def->angular_velocity.x = 1; }
static void dynamic_expression(AspBodyDef *def) { def->rotation_expression = "t"; }
static void fixed_velocity(AspBodyDef *def) {
  def->kind = ASP_BODY_FIXED;
  def->velocity.x = 1;
}
static void wrong_kind(AspBodyDef *def) { def->kind = (AspBodyKind)17; }
static void wrong_expression(AspBodyDef *def) {
  def->kind = ASP_BODY_KINEMATIC;
  def->position_expression[1] = "sin(";
}
static void infinite_expression(AspBodyDef *def) {
  def->kind = ASP_BODY_KINEMATIC;
  def->position_expression[0] = "1/t";
}
static void rough_expression(AspBodyDef *def) {
  def->kind = ASP_BODY_KINEMATIC;
  def->rotation_expression = "sqrt(t)";
}
static void no_axis(AspBodyDef *def) {
  def->kind = ASP_BODY_KINEMATIC;
  def->rotation_expression = "t";
  def->rotation_axis = vec3(0, 0, 0);
}
static void z_in_plane(AspBodyDef *def) {
  def->kind = ASP_BODY_KINEMATIC;
  def->position_expression[2] = "t";
}
static void taken_name(AspBodyDef *def) { def->name = "a"; }
static void no_cookie(AspBodyDef *def) { memset(def, 0, sizeof *def); }

static const BodyMistake body_mistakes[] = {
    {3, no_mass, "body 'x': mass: 0 is not > 0"},
    {3, negative_mass, "body 'x': mass: -1 is not > 0"},
    {3, nan_mass, "body 'x': mass: nan is not finite"},
    {3, flat_inertia, "body 'x': inertia: [1 0 0; 0 0 0; 0 0 1] is not positive definite"},
    {3, negative_inertia, "body 'x': inertia: [1 0 0; 0 1 0; 0 0 -2] is not positive definite"},
    {2, negative_inertia, "body 'x': inertia: -2 is not > 0"},
    {3, indefinite_inertia, "body 'x': inertia: [1 2 0; 2 1 0; 0 0 1] is not positive definite"},
    {3, skew_inertia, "body 'x': inertia: [1 0.5 0; 0 1 0; 0 0 1] is not symmetric"},
    {3, infinite_inertia, "body 'x': inertia: [1 0 0; 0 inf 0; 0 0 1] is not finite"},
    {3, long_quaternion,
     "body 'x': orientation: (1.001, 0, 0, 0) has length 1.001; a unit quaternion (w, x, y, z) is needed"},
    {3, zero_quaternion, "body 'x': orientation: (0, 0, 0, 0) has length 0; a unit quaternion (w, x, y, z) is needed"},
    {3, nan_quaternion, "has length nan"},
    {3, nan_position, "body 'x': position: (0, nan, 0) is not finite"},
    {3, infinite_velocity, "body 'x': velocity: (inf, 0, 0) is not finite"},
    {2, out_of_plane, "body 'x': position: (0, 0, 1) must have z = 0 in 2D"},
    {2, tilted, "must turn about z in 2D (x = y = 0)"},
    {2, spins_about_x, "body 'x': angular_velocity: (1, 0, 0) must have x = y = 0 in 2D"},
    {3, dynamic_expression, "body 'x': only a kinematic body can have position or rotation expressions"},
    {3, fixed_velocity, "body 'x': velocity: only a dynamic body can be given one"},
    {3, wrong_kind, "body 'x': kind: 17 is not dynamic, fixed or kinematic"},
    {3, wrong_expression, "body 'x': position[1]: 'sin(', column 5: expected a number"},
    {3, infinite_expression, "body 'x': position[0]: '1/t' is inf at t = 0; it must be finite"},
    {3, rough_expression, "body 'x': rotation: 'sqrt(t)' has derivatives inf and -inf at t = 0"},
    {3, no_axis, "body 'x': rotation_axis: (0, 0, 0) has no direction; it must not be zero"},
    {2, z_in_plane, "body 'x': position[2]: there is no z in 2D"},
    {3, taken_name, "body 'a': the name is already taken by number 1; names must be unique"},
    {3, no_cookie, "the body's definition was not made by asp_body_default()"},
};

static void assert_message(AspContext *context, const char *expected) {
  if (!strstr(asp_context_message(context), expected))
    fail_msg("message '%s' lacks '%s'", asp_context_message(context), expected);
}

static void bad_bodies_are_refused_by_name_and_value(void **unused) {
  (void)unused;
  for (size_t i = 0; i < LENGTH(body_mistakes); i++) {
    AspContext *context = asp_context_create(NULL);
    AspModel *model = four_bodies(context, body_mistakes[i].dimension);
    AspBodyDef def = solid();
    def.name = "x";
    body_mistakes[i].make(&def);
    int body = -7;
    AspError error = asp_model_add_body(model, &def, &body);
    assert_true(error == ASP_ERROR_INPUT || error == ASP_ERROR_ARGUMENT);
    assert_message(context, body_mistakes[i].message);
    assert_true(body == -7 && asp_model_body_count(model) == 4);
    assert_int_equal(asp_model_find_body(model, "x"), -1);
    asp_model_destroy(model);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

/* ---- joints ---- */

typedef struct JointMistake {
  int dimension;
  void (*make)(AspJointDef *def);
  const char *message;
} JointMistake;

static void dangling_a(AspJointDef *def) { def->body_a = -1; }
static void dangling_b(AspJointDef *def) { def->body_b = 4; }
static void to_itself(AspJointDef *def) { def->body_b = 1; }
static void nobody_moves(AspJointDef *def) {
  def->body_a = 0;
  def->body_b = 3;
}
static void spherical(AspJointDef *def) { def->kind = ASP_JOINT_SPHERICAL; }
static void unknown_kind(AspJointDef *def) { def->kind = ASP_JOINT_COUNT; }
static void zero_axis(AspJointDef *def) { def->axis = vec3(0, 0, 0); }
static void nan_axis(AspJointDef *def) { def->axis.x = NAN; }
static void axis_in_plane(AspJointDef *def) { def->axis = vec3(1, 0, 0); }
static void axis_out_of_plane(AspJointDef *def) { def->kind = ASP_JOINT_PRISMATIC; }
static void point_out_of_plane(AspJointDef *def) { def->point.z = 2; }
static void infinite_point(AspJointDef *def) { def->point.x = -INFINITY; }
static void oblique_universal(AspJointDef *def) {
  def->kind = ASP_JOINT_UNIVERSAL;
  def->axis_b = vec3(0, 1, 1);
}
static void no_distance(AspJointDef *def) { def->kind = ASP_JOINT_DISTANCE; }
static void fixed_friction(AspJointDef *def) {
  def->kind = ASP_JOINT_FIXED;
  def->friction = 1;
}
static void revolute_friction_torque(AspJointDef *def) { def->friction_torque = 1; }
static void cylindrical_friction_b(AspJointDef *def) {
  def->kind = ASP_JOINT_CYLINDRICAL;
  def->friction_b = 1;
}
static void negative_friction_torque(AspJointDef *def) {
  def->kind = ASP_JOINT_CYLINDRICAL;
  def->friction_torque = -1;
}
static void cylindrical_coefficient(AspJointDef *def) {
  def->kind = ASP_JOINT_CYLINDRICAL;
  def->friction_coefficient = 0.1;
}
static void cylindrical_limits(AspJointDef *def) {
  def->kind = ASP_JOINT_CYLINDRICAL;
  def->limit_low = 0;
}
static void fixed_motor(AspJointDef *def) {
  def->kind = ASP_JOINT_FIXED;
  def->has_motor = true;
  def->motor_velocity = "1";
}
static void planar_spring(AspJointDef *def) {
  def->kind = ASP_JOINT_PLANAR;
  def->stiffness = 1;
}
static void universal_motion(AspJointDef *def) {
  def->kind = ASP_JOINT_UNIVERSAL;
  def->motion = "t";
}
static void motor_and_motion(AspJointDef *def) {
  def->has_motor = true;
  def->motor_velocity = "1";
  def->motion = "t";
}
static void motor_without_velocity(AspJointDef *def) { def->has_motor = true; }
static void negative_effort(AspJointDef *def) { def->motor_effort = -3; }
static void coefficient_without_radius(AspJointDef *def) { def->friction_coefficient = 0.1; }
static void negative_bearing(AspJointDef *def) { def->bearing_length = -1; }
static void nan_effort(AspJointDef *def) { def->motor_effort = NAN; }
static void negative_friction(AspJointDef *def) { def->friction = -0.5; }
static void infinite_friction(AspJointDef *def) { def->friction = INFINITY; }
static void negative_stiffness(AspJointDef *def) { def->stiffness = -4; }
static void large_restitution(AspJointDef *def) { def->limit_restitution = 1.5; }
static void crossed_limits(AspJointDef *def) {
  def->limit_low = 1;
  def->limit_high = -1;
}
static void nan_limit(AspJointDef *def) { def->limit_low = NAN; }
static void outside_limits(AspJointDef *def) {
  def->limit_low = 0.5;
  def->limit_high = 1;
}
static void motion_outside_limits(AspJointDef *def) {
  def->limit_high = 1;
  def->motion = "2 + t";
}
static void motion_elsewhere(AspJointDef *def) {
  def->motion = "2 + t";
  def->has_initial = true;
  def->initial = 1;
}
static void rough_motion(AspJointDef *def) { def->motion = "t^1.5"; }
static void wrong_motor(AspJointDef *def) {
  def->has_motor = true;
  def->motor_velocity = "2*";
}
static void taken_joint(AspJointDef *def) { def->name = "hinge"; }
static void no_joint_cookie(AspJointDef *def) { def->cookie = 0; }

static const JointMistake joint_mistakes[] = {
    {3, dangling_a, "joint 'x': body_a: -1 is not a body of the model; it has 4"},
    {3, dangling_b, "joint 'x': body_b: 4 is not a body of the model; it has 4"},
    {3, to_itself, "joint 'x': joins the body 'a' to itself"},
    {3, nobody_moves, "joint 'x': neither 'ground' nor 'driven' is dynamic; one must be"},
    {2, spherical,
     "joint 'x': a spherical joint does not exist in 2D; use revolute, prismatic, fixed, distance, coupling or tendon"},
    {3, unknown_kind, "joint 'x': kind: 12 is not a kind of joint"},
    {3, zero_axis, "joint 'x': axis: (0, 0, 0) has no direction; it must not be zero"},
    {3, nan_axis, "joint 'x': axis: (nan, 0, 1) is not finite"},
    {2, axis_in_plane, "joint 'x': axis: (1, 0, 0) is not +z, the only one in 2D"},
    {2, axis_out_of_plane, "joint 'x': axis: (0, 0, 1) must have z = 0 in 2D"},
    {2, point_out_of_plane, "joint 'x': point: (0, 0, 2) must have z = 0 in 2D"},
    {3, infinite_point, "joint 'x': point: (-inf, 0, 0) is not finite"},
    {3, oblique_universal,
     "joint 'x': axis_b: its cosine with axis is 0.707106781; the axes of a universal joint must"},
    {3, no_distance, "joint 'x': point_b: its distance from point is 0; it must be positive"},
    {3, fixed_friction, "joint 'x': a fixed joint cannot have friction; these joints can: revolute, prismatic, cyl"},
    {3, revolute_friction_torque, "joint 'x': a revolute joint cannot have friction_torque; these joints can: cylin"},
    {3, cylindrical_friction_b, "joint 'x': a cylindrical joint cannot have friction_b; these joints can: universal"},
    {3, negative_friction_torque, "joint 'x': friction_torque: -1 is not >= 0"},
    {3, cylindrical_coefficient, "joint 'x': a cylindrical joint cannot have a friction_coefficient; only joints"},
    {3, cylindrical_limits, "joint 'x': a cylindrical joint cannot have limits"},
    {3, fixed_motor, "joint 'x': a fixed joint cannot have a motor"},
    {3, planar_spring, "joint 'x': a planar joint cannot have a spring"},
    {3, universal_motion, "joint 'x': a universal joint cannot have a prescribed motion"},
    {3, motor_and_motion, "joint 'x': a joint cannot have a motor and a prescribed motion at the same time"},
    {3, motor_without_velocity, "joint 'x': the motor has no velocity; \"0\" makes it a brake"},
    {3, negative_effort, "joint 'x': effort: -3 is not >= 0"},
    {3, coefficient_without_radius, "joint 'x': bearing_radius: missing; a friction_coefficient of 0.1 acts"},
    {3, negative_bearing, "joint 'x': bearing_length: -1 is not >= 0"},
    {3, nan_effort, "joint 'x': effort: nan is not >= 0"},
    {3, negative_friction, "joint 'x': friction: -0.5 is not >= 0"},
    {3, infinite_friction, "joint 'x': friction: inf is not finite"},
    {3, negative_stiffness, "joint 'x': stiffness: -4 is not >= 0"},
    {3, large_restitution, "joint 'x': limit_restitution: 1.5 is outside [0, 1]"},
    {3, crossed_limits, "joint 'x': limits: [1, -1] is empty; the lower limit comes first"},
    {3, nan_limit, "joint 'x': limits: [nan, inf] is empty"},
    {3, outside_limits, "joint 'x': limits: the initial coordinate 0 is outside [0.5, 1]"},
    {3, motion_outside_limits, "joint 'x': limits: the initial coordinate 2 is outside [-inf, 1]"},
    {3, motion_elsewhere, "joint 'x': initial: the coordinate is 1 at the initial poses, but the motion starts at 2"},
    {3, rough_motion, "joint 'x': motion: 't^1.5' has derivatives 0 and inf at t = 0"},
    {3, wrong_motor, "joint 'x': motor velocity: '2*', column 3: expected a number"},
    {3, taken_joint, "joint 'hinge': the name is already taken by number 0"},
    {3, no_joint_cookie, "the joint's definition was not made by asp_joint_default()"},
};

static void bad_joints_are_refused_by_name_and_value(void **unused) {
  (void)unused;
  for (size_t i = 0; i < LENGTH(joint_mistakes); i++) {
    AspContext *context = asp_context_create(NULL);
    AspModel *model = four_bodies(context, joint_mistakes[i].dimension);
    AspJointDef def = asp_joint_default();
    def.name = "hinge";
    def.body_a = 1;
    def.body_b = 2;
    int joint;
    assert_ok(context, asp_model_add_joint(model, &def, &joint));
    def.name = "x";
    joint_mistakes[i].make(&def);
    joint = -7;
    AspError error = asp_model_add_joint(model, &def, &joint);
    assert_true(error == ASP_ERROR_INPUT || error == ASP_ERROR_ARGUMENT);
    assert_message(context, joint_mistakes[i].message);
    assert_true(joint == -7 && asp_model_joint_count(model) == 1);
    asp_model_destroy(model);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

/* ---- forces ---- */

typedef struct ForceMistake {
  int dimension;
  AspForceKind kind;
  void (*make)(AspForceDef *def);
  const char *message;
} ForceMistake;

static void force_on_nobody(AspForceDef *def) { def->body = 9; }
static void force_on_ground(AspForceDef *def) { def->body = 0; }
static void unknown_force(AspForceDef *def) { def->kind = (AspForceKind)5; }
static void wrong_component(AspForceDef *def) { def->component[1] = "1 +"; }
static void infinite_component(AspForceDef *def) { def->component[0] = "log(t)"; }
static void z_component(AspForceDef *def) { def->component[2] = "1"; }
static void x_component(AspForceDef *def) { def->component[0] = "1"; }
static void nan_point(AspForceDef *def) { def->point.y = NAN; }
static void spring_to_nobody(AspForceDef *def) { def->body_b = -1; }
static void spring_to_itself(AspForceDef *def) { def->body_b = def->body; }
static void spring_without_dynamic(AspForceDef *def) {
  def->body = 0;
  def->body_b = 3;
}
static void spring_pushes(AspForceDef *def) { def->stiffness = -1; }
static void spring_drives(AspForceDef *def) { def->damping = -1; }
static void spring_nan_rest(AspForceDef *def) { def->rest_length = NAN; }
static void spring_point_b(AspForceDef *def) { def->point_b.x = INFINITY; }
static void taken_force(AspForceDef *def) { def->name = "pull"; }
static void no_force_cookie(AspForceDef *def) { def->cookie = 1; }

static const ForceMistake force_mistakes[] = {
    {3, ASP_FORCE_FORCE, force_on_nobody, "force 'x': body: 9 is not a body of the model; it has 4"},
    {3, ASP_FORCE_TORQUE, force_on_ground, "force 'x': the body 'ground' is not dynamic; a force on it has no effect"},
    {3, ASP_FORCE_FORCE, unknown_force, "force 'x': kind: 5 is not force, torque, spring or drag"},
    {3, ASP_FORCE_FORCE, wrong_component, "force 'x': component[1]: '1 +', column 4: expected a number"},
    {3, ASP_FORCE_FORCE, infinite_component, "force 'x': component[0]: 'log(t)' is nan at t = 0; it must be finite"},
    {2, ASP_FORCE_FORCE, z_component, "force 'x': component[2]: in 2D a force has components 0 and 1, a torque 2"},
    {2, ASP_FORCE_TORQUE, x_component, "force 'x': component[0]: in 2D a force has components 0 and 1, a torque 2"},
    {3, ASP_FORCE_FORCE, nan_point, "force 'x': point: (0, nan, 0) is not finite"},
    {3, ASP_FORCE_SPRING, spring_to_nobody, "force 'x': body_b: -1 is not a body of the model; it has 4"},
    {3, ASP_FORCE_SPRING, spring_to_itself, "force 'x': joins the body 'a' to itself; two bodies are needed"},
    {3, ASP_FORCE_SPRING, spring_without_dynamic, "force 'x': neither 'ground' nor 'driven' is dynamic"},
    {3, ASP_FORCE_SPRING, spring_pushes, "force 'x': stiffness: -1 is not >= 0"},
    {3, ASP_FORCE_SPRING, spring_drives, "force 'x': damping: -1 is not >= 0"},
    {3, ASP_FORCE_SPRING, spring_nan_rest, "force 'x': rest_length: nan is not finite"},
    {3, ASP_FORCE_SPRING, spring_point_b, "force 'x': point_b: (inf, 0, 0) is not finite"},
    {3, ASP_FORCE_FORCE, taken_force, "force 'pull': the name is already taken by number 0"},
    {3, ASP_FORCE_FORCE, no_force_cookie, "the force's definition was not made by asp_force_default()"},
};

static void bad_forces_are_refused_by_name_and_value(void **unused) {
  (void)unused;
  for (size_t i = 0; i < LENGTH(force_mistakes); i++) {
    AspContext *context = asp_context_create(NULL);
    AspModel *model = four_bodies(context, force_mistakes[i].dimension);
    AspForceDef def = asp_force_default();
    def.name = "pull";
    def.body = 1;
    def.body_b = 2;
    int force;
    assert_ok(context, asp_model_add_force(model, &def, &force));
    def.name = "x";
    def.kind = force_mistakes[i].kind;
    force_mistakes[i].make(&def);
    AspError error = asp_model_add_force(model, &def, &force);
    assert_true(error == ASP_ERROR_INPUT || error == ASP_ERROR_ARGUMENT);
    assert_message(context, force_mistakes[i].message);
    assert_int_equal(asp_model_force_count(model), 1);
    asp_model_destroy(model);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

/* ---- names, materials, shapes ---- */

static void missing_names_are_made_from_kind_and_number(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model = four_bodies(context, 3);
  AspBodyDef body_def = solid();
  AspJointDef joint_def = asp_joint_default();
  AspForceDef force_def = asp_force_default();
  int index;
  assert_ok(context, asp_model_add_body(model, &body_def, &index));
  assert_string_equal(asp_model_body_name(model, index), "body4");
  body_def.name = "";
  assert_ok(context, asp_model_add_body(model, &body_def, &index));
  assert_string_equal(asp_model_body_name(model, index), "body5");
  joint_def.body_a = 1;
  joint_def.body_b = 2;
  assert_ok(context, asp_model_add_joint(model, &joint_def, &index));
  assert_string_equal(asp_model_joint_name(model, index), "joint0");
  assert_int_equal(asp_model_find_joint(model, "joint0"), 0);
  assert_int_equal(asp_model_find_joint(model, "joint1"), -1);
  force_def.body = 1;
  assert_ok(context, asp_model_add_force(model, &force_def, &index));
  assert_string_equal(asp_model_force_name(model, index), "force0");
  assert_string_equal(asp_model_force_def(model, index)->name, "force0");
  asp_model_destroy(model);
  asp_context_destroy(context);
}

static void thousands_of_bodies_are_found_by_name(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  assert_ok(context, asp_model_create(context, 2, &model));
  for (int i = 0; i < 5000; i++) {
    char name[32];
    snprintf(name, sizeof name, "stone %d", 7 * i);
    AspBodyDef def = solid();
    def.name = name;
    int body;
    assert_ok(context, asp_model_add_body(model, &def, &body));
    assert_int_equal(body, i);
  }
  assert_int_equal(asp_model_find_body(model, "stone 34993"), 4999);
  assert_int_equal(asp_model_find_body(model, "stone 0"), 0);
  assert_int_equal(asp_model_find_body(model, "stone 1"), -1);
  assert_int_equal(asp_model_dof_count(model), 15000);
  asp_model_destroy(model);
  asp_context_destroy(context);
}

static void pairs_of_materials_have_one_law_in_either_order(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  assert_ok(context, asp_model_create(context, 3, &model));
  int material[6];
  static const char *const names[] = {"steel", "ice", "rubber", "wood", "steel", "stone"};
  for (int i = 0; i < 6; i++)
    assert_ok(context, asp_model_material(model, names[i], &material[i]));
  assert_int_equal(asp_model_material_count(model), 5);
  assert_int_equal(material[4], material[0]);
  assert_string_equal(asp_model_material_name(model, material[2]), "rubber");
  for (int a = 3; a >= 0; a--)
    for (int b = 0; b <= a; b++)
      assert_ok(context, asp_model_set_pair(model, material[a], material[b],
                                            &(AspPairLaw){.friction = 10 * a + b, .restitution = 0.1 * a}));
  for (int a = 0; a < 4; a++)
    for (int b = 0; b <= a; b++) {
      assert_true(asp_model_pair(model, material[a], material[b])->friction == 10 * a + b);
      assert_ptr_equal(asp_model_pair(model, material[a], material[b]),
                       asp_model_pair(model, material[b], material[a]));
    }
  assert_null(asp_model_pair(model, material[5], material[0]));
  assert_ok(context, asp_model_set_pair(
                         model, material[1], material[2],
                         &(AspPairLaw){.friction = 0.5, .restitution = 1, .tangential_restitution = 1})); // said again
  assert_true(asp_model_pair(model, material[2], material[1])->friction == 0.5);

  static const struct {
    AspPairLaw law;
    const char *message;
  } wrong[] = {{{.friction = -0.1}, "materials 'ice' and 'steel': friction: -0.1 is not >= 0"},
               {{.friction = NAN}, "friction: nan is not finite"},
               {{.friction = 0.1, .restitution = 1.1}, "restitution: 1.1 is outside [0, 1]"},
               {{.tangential_restitution = -1}, "tangential_restitution: -1 is outside [0, 1]"},
               {{.friction = 0.5, .static_friction = 0.4}, "static_friction: 0.4 is below friction = 0.5"},
               {{.friction = 0.5, .stribeck_speed = 0.1}, "stribeck_speed: 0.1 m/s needs a static_friction"},
               {{.friction = 0.5, .friction_across = 0.1}, "direction: "},
               {{.friction_across = 0.1, .direction = {1, 0, 0}}, "friction: 0, must be > 0 where friction_across is"},
               {{.rolling = -1}, "rolling: -1 is not >= 0"},
               {{.spinning = INFINITY}, "spinning: inf is not finite"}};
  for (size_t i = 0; i < LENGTH(wrong); i++) {
    assert_int_equal(asp_model_set_pair(model, material[1], material[0], &wrong[i].law), ASP_ERROR_INPUT);
    assert_message(context, wrong[i].message);
  }
  assert_int_equal(asp_model_set_pair(model, 0, 5, &(AspPairLaw){0}), ASP_ERROR_ARGUMENT);
  assert_message(context, "material: 5 is not a material of the model; it has 5");
  assert_int_equal(asp_model_material(model, "", &material[0]), ASP_ERROR_ARGUMENT);
  asp_model_destroy(model);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void shapes_are_checked_and_numbered_over_the_model(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model = four_bodies(context, 3);
  int material, body;
  assert_ok(context, asp_model_material(model, "steel", &material));
  AspShapeAttachment ball = {.shape = {.kind = ASP_SHAPE_SPHERE, .radius = 0.5}, .pose = pose_identity()};
  assert_ok(context, asp_model_attach_shape(model, 2, &ball));
  ball.group = 4;
  assert_ok(context, asp_model_attach_shape(model, 1, &ball));
  assert_int_equal(asp_model_shape_count(model), 2);
  assert_true(asp_model_shape(model, 0, &body)->group == UINT32_MAX);
  assert_int_equal(body, 2);
  assert_true(asp_model_shape(model, 1, &body)->mask == 0);
  assert_int_equal(body, 1);

  AspShapeAttachment wrong = ball;
  wrong.shape.radius = -1;
  assert_int_equal(asp_model_attach_shape(model, 1, &wrong), ASP_ERROR_INPUT);
  assert_message(context, "body 'a': shape: ");
  wrong = ball;
  wrong.pose.orientation.w = 2;
  assert_int_equal(asp_model_attach_shape(model, 1, &wrong), ASP_ERROR_INPUT);
  assert_message(context, "body 'a': shape: orientation: (2, 0, 0, 0) has length 2");
  wrong = ball;
  wrong.material = 1;
  assert_int_equal(asp_model_attach_shape(model, 1, &wrong), ASP_ERROR_ARGUMENT);
  assert_message(context, "material: 1 is not a material of the model; it has 1");
  assert_int_equal(asp_model_attach_shape(model, 4, &ball), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_model_shape_count(model), 2);
  asp_model_destroy(model);
  asp_context_destroy(context);
}

/* ---- the whole ---- */

static void finished_models_take_nothing_more(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model = four_bodies(context, 2);
  int index;
  assert_ok(context, asp_model_material(model, "steel", &index));
  asp_model_set_gravity(model, vec3(0, -9.81, 1));
  assert_int_equal(asp_model_finish(model), ASP_ERROR_INPUT);
  assert_message(context, "gravity: (0, -9.81, 1) must have z = 0 in 2D");
  asp_model_set_gravity(model, vec3(0, NAN, 0));
  assert_int_equal(asp_model_finish(model), ASP_ERROR_INPUT);
  asp_model_set_gravity(model, vec3(0, -9.81, 0));
  assert_ok(context, asp_model_finish(model));
  assert_ok(context, asp_model_finish(model)); // again does nothing
  AspBodyDef body = solid();
  AspJointDef joint = asp_joint_default();
  AspForceDef force = asp_force_default();
  AspShapeAttachment shape = {.shape = {.kind = ASP_SHAPE_POINT}, .pose = pose_identity()};
  assert_int_equal(asp_model_add_body(model, &body, &index), ASP_ERROR_ARGUMENT);
  assert_message(context, "the model is finished; no body can be added any more");
  assert_int_equal(asp_model_add_joint(model, &joint, &index), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_model_add_force(model, &force, &index), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_model_attach_shape(model, 1, &shape), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_model_material(model, "wood", &index), ASP_ERROR_ARGUMENT);
  assert_int_equal(asp_model_set_pair(model, 0, 0, &(AspPairLaw){0}), ASP_ERROR_ARGUMENT);
  assert_ok(context, asp_model_material(model, "steel", &index)); // known: can still be asked for
  asp_model_destroy(model);
  AspModel *none;
  assert_int_equal(asp_model_create(context, 4, &none), ASP_ERROR_ARGUMENT);
  assert_null(none);
  asp_context_destroy(context);
}

static void definitions_come_back_with_defaults_filled_in(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model = four_bodies(context, 3);
  AspJointDef joint_def = asp_joint_default();
  char motion[] = "1 + t";
  joint_def.body_a = 1;
  joint_def.body_b = 2;
  joint_def.axis = vec3(0, 3e200, 4e200);
  joint_def.motion = motion;
  int joint, force;
  assert_ok(context, asp_model_add_joint(model, &joint_def, &joint));
  motion[0] = '?'; // the model has its own copy
  const AspJointDef *understood = asp_model_joint_def(model, joint);
  assert_near(norm3(sub3(understood->axis, vec3(0, 0.6, 0.8))), 0, 1e-15);
  assert_true(understood->initial == 1);
  assert_string_equal(understood->motion, "1 + t");
  AspForceDef spring = asp_force_default();
  spring.kind = ASP_FORCE_SPRING;
  spring.body = 1;
  spring.body_b = 0;
  spring.point_b = vec3(3, 4, 0);
  spring.stiffness = 2;
  assert_ok(context, asp_model_add_force(model, &spring, &force));
  assert_true(asp_model_force_def(model, force)->rest_length == 5);
  for (int kind = 0; kind < ASP_JOINT_COUNT; kind++) {
    AspJointKind found;
    assert_true(asp_joint_kind_from_name(asp_joint_kind_name((AspJointKind)kind), &found));
    assert_int_equal(found, kind);
  }
  AspJointKind untouched = ASP_JOINT_FIXED;
  assert_false(asp_joint_kind_from_name("hinge", &untouched));
  assert_int_equal(untouched, ASP_JOINT_FIXED);
  asp_model_destroy(model);
  asp_context_destroy(context);
}

static void impossible_inertia_is_taken_and_told(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model;
  assert_ok(context, asp_model_create(context, 3, &model));
  AspBodyDef def = solid();
  int flat, dumbbell;
  def.inertia = mat3_diagonal(1, 1, 2); // a flat disk: the limit of what is possible
  assert_ok(context, asp_model_add_body(model, &def, &flat));
  def.name = "dumbbell";
  def.inertia = mat3_diagonal(1, 1, 2.1);
  assert_ok(context, asp_model_add_body(model, &def, &dumbbell));
  assert_true(asp_model_inertia_is_real(model, flat));
  assert_false(asp_model_inertia_is_real(model, dumbbell));
  asp_model_destroy(model);
  asp_context_destroy(context);
}

static void longest_names_and_texts_do_not_break_messages(void **unused) {
  (void)unused;
  AspContext *context = asp_context_create(NULL);
  AspModel *model = four_bodies(context, 3);
  char *name = malloc(2000001);
  assert_non_null(name);
  memset(name, 'n', 2000000);
  name[2000000] = 0;
  AspBodyDef def = solid();
  def.name = name;
  int body;
  assert_ok(context, asp_model_add_body(model, &def, &body));
  assert_int_equal(asp_model_find_body(model, name), body);
  assert_int_equal(asp_model_add_body(model, &def, &body), ASP_ERROR_INPUT);
  AspJointDef joint = asp_joint_default();
  joint.name = name;
  joint.body_a = joint.body_b = body;
  joint.motion = name;
  assert_int_equal(asp_model_add_joint(model, &joint, &body), ASP_ERROR_INPUT);
  free(name);
  asp_model_destroy(model);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

/* ---- allocation failure ---- */

/* A model with something of everything. */
static AspError build(AspContext *context, AspModel **model, AspState *state) {
  int index, material, compound = 0;
  const AspPathPoint path[] = {{.body = 3, .point = {0, 0, 1}}, {.body = 20, .point = {0, 1, 1}}};
  ASP_TRY(asp_model_create(context, 3, model));
  AspBodyDef body = solid(), driven = asp_body_default();
  driven.kind = ASP_BODY_KINEMATIC;
  driven.position_expression[0] = "sin(t)";
  driven.rotation_expression = "2*t + exp(-t)*cos(3*t)";
  for (int i = 0; i < 20; i++)
    ASP_TRY(asp_model_add_body(*model, &body, &index));
  ASP_TRY(asp_model_add_body(*model, &driven, &index));
  AspJointDef joint = asp_joint_default();
  joint.body_b = 20;
  joint.pitch = 0.1;
  joint.term_count = 2;
  joint.term[0] = (AspCouplingTerm){.joint = 0, .factor = 1};
  joint.term[1] = (AspCouplingTerm){.joint = 1, .factor = 2};
  joint.path = path;
  joint.path_count = 2;
  joint.axis_b = vec3(0, 1, 0);
  joint.point_b = vec3(1, 1, 1);
  for (int i = 0; i < ASP_JOINT_COUNT; i++) {
    joint.kind = (AspJointKind)i;
    joint.body_a = i;
    joint.stiffness = i < 2 ? 1 : 0;
    joint.motion = i == 0 ? "3*t" : NULL;
    joint.has_motor = i == 1;
    joint.motor_velocity = i == 1 ? "cos(t)" : NULL;
    ASP_TRY(asp_model_add_joint(*model, &joint, &index));
    compound = i == ASP_JOINT_COMPOUND ? index : compound;
  }
  joint.kind = ASP_JOINT_PRISMATIC;
  joint.compound = compound;
  ASP_TRY(asp_model_add_joint(*model, &joint, &index));
  AspForceDef force = asp_force_default();
  force.body = 3;
  force.body_b = 4;
  force.component[1] = "1 - t";
  ASP_TRY(asp_model_add_force(*model, &force, &index));
  force.kind = ASP_FORCE_SPRING;
  force.stiffness = 1;
  ASP_TRY(asp_model_add_force(*model, &force, &index));
  force.kind = ASP_FORCE_DRAG;
  force.density = 1;
  ASP_TRY(asp_model_add_force(*model, &force, &index));
  ASP_TRY(asp_model_material(*model, "steel", &material));
  ASP_TRY(asp_model_set_pair(*model, material, material, &(AspPairLaw){.friction = 0.2}));
  AspShapeAttachment shape = {.shape = {.kind = ASP_SHAPE_POINT}, .pose = pose_identity(), .material = material};
  ASP_TRY(asp_model_attach_shape(*model, 0, &shape));
  ASP_TRY(asp_model_finish(*model));
  return asp_state_create(*model, state);
}

static void every_kth_allocation_failure_is_clean(void **unused) {
  (void)unused;
  AspError error = ASP_ERROR_MEMORY;
  int k = 1;
  for (; error != ASP_OK; k++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    assert_non_null(context);
    failing.until_failure = k - 1;
    AspModel *model = NULL;
    AspState state = {0};
    error = build(context, &model, &state);
    if (error != ASP_OK) {
      assert_int_equal(error, ASP_ERROR_MEMORY);
      assert_message(context, "out of memory");
    }
    if (model)
      asp_state_destroy(model, &state);
    asp_model_destroy(model);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
  assert_true(k > 60); // every call of the whole was made to fail once
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_bodies_are_refused_by_name_and_value),
      cmocka_unit_test(bad_joints_are_refused_by_name_and_value),
      cmocka_unit_test(bad_forces_are_refused_by_name_and_value),
      cmocka_unit_test(missing_names_are_made_from_kind_and_number),
      cmocka_unit_test(thousands_of_bodies_are_found_by_name),
      cmocka_unit_test(pairs_of_materials_have_one_law_in_either_order),
      cmocka_unit_test(shapes_are_checked_and_numbered_over_the_model),
      cmocka_unit_test(finished_models_take_nothing_more),
      cmocka_unit_test(definitions_come_back_with_defaults_filled_in),
      cmocka_unit_test(impossible_inertia_is_taken_and_told),
      cmocka_unit_test(longest_names_and_texts_do_not_break_messages),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
