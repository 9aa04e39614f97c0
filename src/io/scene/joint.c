/* Joints: bodies by name, geometry in world coordinates at t = 0, and what acts on the coordinate where there is one.
 * Couplings, gears and racks name joints in place of bodies (coupling.c), compound joints have axes (compound.c),
 * tendons a path (tendon.c). */
#include "io/scene/build.h"
#include "linalg/vec3.h"

#include <math.h>

static const char *joint_key(SceneJointKey key) { return asp_scene_joint.keys[key].key; }

/* Degrees are for angles. */
static bool check_degrees(SceneReader *reader, const SceneValue *values, int count, bool turns) {
  bool sound = true;
  for (int i = 0; i < count; i++)
    if (values[i].degrees && !turns) {
      asp_reader_mistake(reader, asp_reader_text(reader, "%s_deg", values[i].key->key),
                         "the joint slides: give %s, in metres", values[i].key->key);
      sound = false;
    }
  return sound;
}

/* An object within the joint: its values, checked. */
static bool read_inner(SceneReader *reader, const SceneValue *value, bool turns, SceneValue *values) {
  size_t mark = asp_reader_enter(reader, value->key->key);
  const SceneObject *object = value->key->object;
  bool sound =
      asp_reader_object(reader, object, value->node, values) && check_degrees(reader, values, object->count, turns);
  asp_reader_leave(reader, mark);
  return sound;
}

/* A number, or an expression; without: no limit. */
static void read_effort(SceneReader *reader, const SceneValue *effort, AspJointDef *def) {
  if (cJSON_IsNumber(effort->node))
    def->motor_effort = effort->node->valuedouble;
  else
    def->motor_effort_expression = asp_value_expression(reader, effort, -1);
}

static bool read_motor(SceneReader *reader, const SceneValue *motor, bool turns, AspJointDef *def) {
  SceneValue values[MOTOR_COUNT];
  if (!motor->node)
    return true;
  if (!read_inner(reader, motor, turns, values))
    return false;
  def->has_motor = true;
  def->motor_velocity = asp_value_expression(reader, &values[MOTOR_VELOCITY], -1);
  read_effort(reader, &values[MOTOR_EFFORT], def);
  return true;
}

static bool read_servo(SceneReader *reader, const SceneValue *servo, bool turns, AspJointDef *def) {
  SceneValue values[SERVO_COUNT];
  if (!servo->node)
    return true;
  if (!read_inner(reader, servo, turns, values))
    return false;
  def->has_servo = true;
  def->servo_kp = asp_value_number(&values[SERVO_KP]);
  def->servo_kd = asp_value_number(&values[SERVO_KD]);
  def->servo_target = asp_value_expression(reader, &values[SERVO_TARGET], -1);
  def->servo_velocity = asp_value_expression(reader, &values[SERVO_VELOCITY], -1);
  read_effort(reader, &values[SERVO_EFFORT], def);
  return true;
}

static bool read_spring(SceneReader *reader, const SceneValue *spring, bool turns, AspJointDef *def) {
  SceneValue values[SPRING_COUNT];
  if (!spring->node)
    return true;
  if (!read_inner(reader, spring, turns, values))
    return false;
  def->stiffness = asp_value_number(&values[SPRING_STIFFNESS]);
  def->damping = asp_value_number(&values[SPRING_DAMPING]);
  def->rest = asp_value_number(&values[SPRING_REST]);
  return true;
}

static void read_limits(const SceneValue *limits, AspJointDef *def) {
  if (!limits->node)
    return;
  const cJSON *low = limits->node->child, *high = low->next;
  double scale = limits->degrees ? asp_radians_per_degree : 1;
  def->limit_low = cJSON_IsNull(low) ? -INFINITY : scale * low->valuedouble;
  def->limit_high = cJSON_IsNull(high) ? INFINITY : scale * high->valuedouble;
}

static bool read_axis_vectors(SceneReader *reader, const SceneValue *values, AspJointDef *def) {
  const SceneJointKey keys[] = {JOINT_AXIS, JOINT_AXIS_B};
  for (int i = 0; i < 2; i++)
    if (values[keys[i]].node && !(norm3(asp_value_vector(&values[keys[i]], vec3(0, 0, 0))) > 0)) {
      asp_reader_mistake(reader, joint_key(keys[i]), "the axis has no length");
      return false;
    }
  def->axis = asp_value_vector(&values[JOINT_AXIS], vec3(0, 0, 1));
  def->axis_b = asp_value_vector(&values[JOINT_AXIS_B], def->axis_b);
  return true;
}

/* Axes, and what acts on the joint's coordinate. */
bool asp_scene_read_coordinate(SceneReader *reader, const SceneValue *values, bool turns, AspJointDef *def) {
  if (!read_axis_vectors(reader, values, def))
    return false;
  def->friction = asp_value_number(&values[JOINT_FRICTION]);
  def->friction_torque = asp_value_number(&values[JOINT_FRICTION_TORQUE]);
  def->friction_b = asp_value_number(&values[JOINT_FRICTION_B]);
  def->friction_coefficient = asp_value_number(&values[JOINT_FRICTION_COEFFICIENT]);
  def->bearing_radius = asp_value_number(&values[JOINT_BEARING_RADIUS]);
  def->bearing_length = asp_value_number(&values[JOINT_BEARING_LENGTH]);
  def->effort = asp_value_expression(reader, &values[JOINT_EFFORT], -1);
  def->armature = asp_value_number(&values[JOINT_ARMATURE]);
  def->limit_restitution = asp_value_number(&values[JOINT_LIMIT_RESTITUTION]);
  read_limits(&values[JOINT_LIMITS], def);
  const SceneValue *motion = values[JOINT_ANGLE].node ? &values[JOINT_ANGLE] : &values[JOINT_DISPLACEMENT];
  def->motion = asp_value_expression(reader, motion, -1);
  def->has_initial = values[JOINT_INITIAL].node != NULL;
  if (def->has_initial)
    def->initial = asp_value_number(&values[JOINT_INITIAL]);
  bool sound = check_degrees(reader, values, JOINT_COUNT, turns);
  sound = read_motor(reader, &values[JOINT_MOTOR], turns, def) && sound;
  sound = read_servo(reader, &values[JOINT_SERVO], turns, def) && sound;
  return read_spring(reader, &values[JOINT_SPRING], turns, def) && sound;
}

static bool read_bodies(SceneBuild *build, const SceneValue *bodies, AspJointDef *def) {
  SceneReader *reader = &build->reader;
  const char *a = asp_value_name(bodies, 0), *b = asp_value_name(bodies, 1);
  if (strcmp(a, b) == 0) {
    asp_reader_mistake(reader, bodies->key->key, "both are %s; a joint holds two different bodies",
                       asp_reader_quote(reader, a));
    return false;
  }
  size_t mark = asp_reader_enter(reader, bodies->key->key);
  def->body_a = asp_scene_find_body(build, "0", a);
  def->body_b = asp_scene_find_body(build, "1", b);
  asp_reader_leave(reader, mark);
  return def->body_a != SCENE_BROKEN && def->body_b != SCENE_BROKEN;
}

void asp_scene_read_joint(SceneBuild *build, const cJSON *json, int place) {
  SceneReader *reader = &build->reader;
  SceneValue values[JOINT_COUNT];
  bool sound = asp_reader_object(reader, &asp_scene_joint, json, values);
  AspJointDef def = asp_joint_default();
  if (values[JOINT_BODIES].node)
    sound = read_bodies(build, &values[JOINT_BODIES], &def) && sound;
  if (!values[JOINT_TYPE].node)
    return;
  int type = asp_value_choice(&values[JOINT_TYPE]);
  bool couples = type == ASP_JOINT_COUPLING || type >= ASP_JOINT_COUNT;
  def.kind = couples ? ASP_JOINT_COUPLING : (AspJointKind)type;
  if (couples)
    sound = asp_scene_read_terms(build, values, type, &def) && sound;
  AspPathPoint path[ASP_PATH_POINTS];
  if (values[JOINT_PATH].node)
    sound = asp_scene_read_path(build, &values[JOINT_PATH], path, &def) && sound;
  bool turns = couples ? def.term_count > 0 && asp_joint_turns(build->model, def.term[0].joint)
                       : def.kind == ASP_JOINT_REVOLUTE || def.kind == ASP_JOINT_SCREW;
  def.pitch = asp_value_number(&values[JOINT_PITCH]);
  sound = asp_scene_read_coordinate(reader, values, turns, &def) && sound;
  if (!sound)
    return;
  const char *name = asp_value_text(&values[JOINT_NAME]);
  def.name = name && *name ? name : asp_reader_text(reader, "joint%d", place);
  if (!couples && def.kind != ASP_JOINT_TENDON)
    def.point = asp_value_vector(&values[JOINT_POINT], build->pose[def.body_b].position);
  def.point_b = asp_value_vector(&values[JOINT_POINT_B], def.point);
  def.contact = asp_value_flag(&values[JOINT_CONTACT]);
  def.has_switch = values[JOINT_ACTIVE].node != NULL;
  def.starts_active = asp_value_flag(&values[JOINT_ACTIVE]);
  int joint;
  if (!asp_reader_accept(reader, NULL, asp_model_add_joint(build->model, &def, &joint)))
    return;
  asp_scene_note_joint(build, joint, &def, values[JOINT_CONTACT].node != NULL || def.has_switch);
  if (values[JOINT_AXES].node)
    asp_scene_read_axes(build, &values[JOINT_AXES], &def, joint);
}
