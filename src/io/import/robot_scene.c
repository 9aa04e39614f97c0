/* A robot as a scene: one body for all that is welded together, a joint for each that moves, points and axes in the
 * world at the start. What the scene format has no word for is reported as ignored. */
#include "io/import/robot.h"

#include "io/scene/keys.h"
#include "linalg/vec3.h"

#include <stdio.h>

#define RATE_OUT_OF_REACH 1e4 /* rad/s or m/s: a motor that wants this gives its whole effort */

/* ---- JSON ---- */

static cJSON *numbers(const double *value, int count) { return cJSON_CreateDoubleArray(value, count); }

void asp_json_vector(cJSON *object, const char *key, AspVec3 v) {
  asp_json_add(object, key, numbers((double[]){v.x, v.y, v.z}, 3));
}

cJSON *asp_import_object(Import *import) {
  cJSON *made = cJSON_CreateObject();
  if (!made && import->error == ASP_OK)
    import->error = asp_fail(import->context, ASP_ERROR_MEMORY, "out of memory");
  return made;
}

cJSON *asp_json_list(cJSON *object, const char *key) {
  cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
  return list ? list : asp_json_add_array(object, key);
}

static void add_pose(cJSON *object, const AspPose *pose) {
  AspVec3 p = pose->position;
  AspQuat q = pose->orientation;
  if (p.x != 0 || p.y != 0 || p.z != 0)
    asp_json_vector(object, "position", p);
  if (q.x != 0 || q.y != 0 || q.z != 0)
    asp_json_add(object, "orientation", numbers((double[]){q.w, q.x, q.y, q.z}, 4));
}

static int find_type(const SceneObject *object, const char *type) {
  const char *const *choice = object->keys[object->type_key].choices;
  for (int i = 0; choice[i]; i++)
    if (strcmp(choice[i], type) == 0)
      return i;
  return -1;
}

static bool has_type(const SceneObject *object, const char *type) { return find_type(object, type) >= 0; }

bool asp_robot_scene_has(const SceneObject *object, const char *type, const char *key) {
  int choice = type ? find_type(object, type) : -1;
  for (int i = 0; i < object->count; i++)
    if (strcmp(object->keys[i].key, key) == 0)
      return asp_scene_key_applies(&object->keys[i], 3, choice);
  return false;
}

bool asp_robot_is_written(const Robot *robot, int joint) {
  const RobotJoint *item = &robot->joint[joint];
  return !item->frozen && (item->kind == ROBOT_HINGE || item->kind == ROBOT_SLIDE) &&
         (robot->body[item->body].joints == 1 || has_type(&asp_scene_joint, "compound"));
}

/* ---- shapes ---- */

static void add_groups(const Robot *robot, const RobotShape *shape, cJSON *object) {
  uint32_t all = robot->groups < 32 ? (UINT32_C(1) << robot->groups) - 1 : UINT32_MAX;
  if (shape->group < 0 || (robot->groups < 2 && robot->touches[shape->group]))
    return;
  if (!(robot->touches[shape->group] & all)) { // it touches none of them
    asp_json_add_false(object, "contact");
    return;
  }
  cJSON *group = asp_json_add_array(object, "group"), *mask = asp_json_add_array(object, "mask");
  asp_json_append(group, cJSON_CreateNumber(shape->group));
  for (int i = 0; i < robot->groups; i++)
    if (robot->touches[shape->group] >> i & 1)
      asp_json_append(mask, cJSON_CreateNumber(i));
}

static void add_size(const RobotShape *shape, cJSON *object) {
  const char *type = shape->type;
  const double *size = shape->size;
  bool round = strcmp(type, "sphere") == 0, solid = strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0;
  if (round || solid)
    asp_json_add_number(object, "radius", size[0]);
  if (solid)
    asp_json_add_number(object, "length", size[1]);
  if (strcmp(type, "box") == 0)
    asp_json_add(object, "size", numbers(size, 3));
  if (strcmp(type, "ellipsoid") == 0)
    asp_json_add(object, "radii", numbers(size, 3));
  if (shape->file) {
    AspVec3 scale = shape->scale;
    asp_json_add_text(object, "file", shape->file);
    if (scale.x == scale.y && scale.x == scale.z && scale.x > 0) {
      if (scale.x != 1)
        asp_json_add_number(object, "scale", scale.x);
    } else {
      asp_json_vector(object, "stretch", scale);
    }
  }
}

static void add_shape(Robot *robot, RobotShape *shape, cJSON *body, const AspPose *in_root) {
  if (!has_type(&asp_scene_shape, shape->type)) {
    asp_import_note(robot->import, ASP_IMPORT_IGNORED, NULL, shape->type, "scenes have no such shape");
    return;
  }
  cJSON *object = cJSON_CreateObject();
  AspPose pose = pose_multiply(in_root, &shape->pose);
  asp_json_add_text(object, "type", shape->type);
  add_size(shape, object);
  add_pose(object, &pose);
  asp_json_inherit_gap(object, shape->data);
  while (shape->data && shape->data->child) {
    cJSON *member = cJSON_DetachItemViaPointer(shape->data, shape->data->child);
    asp_json_add(object, member->string, member);
  }
  if (shape->material)
    asp_json_add_text(object, "material", shape->material);
  if (!shape->drawn && robot->no_contact)
    asp_json_add_false(object, "contact");
  else if (!shape->drawn)
    add_groups(robot, shape, object);
  asp_json_append(asp_json_list(body, shape->drawn ? "visual" : "shapes"), object);
}

/* ---- bodies ---- */

static void add_mass(cJSON *object, const AspMassProperties *mass) {
  const double *I = mass->inertia.m;
  asp_json_add_number(object, "mass", mass->mass);
  bool diagonal = I[1] == 0 && I[2] == 0 && I[5] == 0;
  asp_json_add(object, "inertia", numbers((double[]){I[0], I[4], I[8], I[1], I[2], I[5]}, diagonal ? 3 : 6));
  if (norm3(mass->centre) > 0)
    asp_json_vector(object, "center_of_mass", mass->centre);
}

static cJSON *new_world(void) {
  cJSON *world = cJSON_CreateObject();
  asp_json_add_text(world, "name", "world");
  asp_json_add_true(world, "fixed");
  return world;
}

/* Three inputs, which are where the body is until they are set. */
static void add_guide(Robot *robot, const RobotBody *body, cJSON *object) {
  const double p[] = {body->world.position.x, body->world.position.y, body->world.position.z};
  AspPose turned = {{0, 0, 0}, body->world.orientation};
  add_pose(object, &turned);
  cJSON *list = asp_json_add_array(asp_json_add_object(object, "motion"), "position");
  for (int k = 0; k < 3; k++) {
    const char *name = asp_robot_new_input(robot, asp_import_text(robot->import, "%s_%c", body->name, "xyz"[k]));
    cJSON *input = cJSON_CreateObject();
    asp_json_add_text(input, "name", name);
    asp_json_add_number(input, "value", p[k]);
    asp_json_append(asp_json_list(robot->scene, "inputs"), input);
    asp_json_append(list, cJSON_CreateString(name));
  }
}

/* The shapes of each body lie one after the other, in the order of the file. */
static void add_bodies(Robot *robot, cJSON *list) {
  cJSON **object = asp_import_take(robot->import, (size_t)robot->bodies + 1, sizeof *object);
  if (!object)
    return;
  cJSON *world = NULL;
  for (int i = 0; i < robot->bodies; i++)
    if (robot->body[i].root == i) {
      object[i] = cJSON_CreateObject();
      asp_json_add_text(object[i], "name", robot->body[i].name);
      if (robot->body[i].guided) {
        add_guide(robot, &robot->body[i], object[i]);
        continue;
      }
      add_mass(object[i], &robot->body[i].mass);
      add_pose(object[i], &robot->body[i].world);
    }
  for (int i = 0; i < robot->shapes; i++) {
    RobotShape *shape = &robot->shape[i];
    const RobotBody *body = shape->body >= 0 ? &robot->body[shape->body] : NULL;
    int root = body ? body->root : ROBOT_WORLD;
    AspPose nothing = pose_identity();
    if (root < 0 && !world)
      asp_json_append(list, world = new_world());
    add_shape(robot, shape, root < 0 ? world : object[root], body ? &body->in_root : &nothing);
  }
  bool moves = false;
  for (int i = 0; i < robot->bodies; i++)
    if (object[i]) {
      asp_json_append(list, object[i]);
      moves = true;
    }
  if (!moves && !world)
    asp_json_append(list, new_world());
}

/* ---- joints ---- */

cJSON *asp_robot_force_motor(Import *import, const char *force) {
  cJSON *motor = cJSON_CreateObject();
  asp_json_add_text(motor, "velocity",
                    asp_import_text(import, "if(%s, %g, -%g)", force, RATE_OUT_OF_REACH, RATE_OUT_OF_REACH));
  asp_json_add_text(motor, "effort", asp_import_text(import, "abs(%s)", force));
  return motor;
}

/* A member that a reader gave, as the scene can have it. */
static void add_member(Robot *robot, const RobotJoint *joint, cJSON *object, cJSON *member) {
  bool force = strcmp(member->string, "effort") == 0 && cJSON_IsString(member),
       driven =
           cJSON_GetObjectItemCaseSensitive(object, "servo") || cJSON_GetObjectItemCaseSensitive(joint->extra, "servo");
  if (asp_robot_scene_has(&asp_scene_joint, joint->kind == ROBOT_SLIDE ? "prismatic" : "revolute", member->string)) {
    asp_json_add(object, member->string, member);
    return;
  }
  if (force && !driven)
    asp_json_add(object, "motor", asp_robot_force_motor(robot->import, member->valuestring));
  else
    asp_import_note(robot->import, ASP_IMPORT_IGNORED, joint->node, member->string, "not simulated on a joint");
  cJSON_Delete(member);
}

/* The sum of what actuators give, held within the joint's range. */
static void keep_to_range(Robot *robot, RobotJoint *joint) {
  cJSON *effort = cJSON_GetObjectItemCaseSensitive(joint->extra, "effort");
  if (!cJSON_IsString(effort) || (joint->drive_low == 0 && joint->drive_high == 0))
    return;
  const char *text = asp_import_text(robot->import, "clamp(%s, %.17g, %.17g)", effort->valuestring, joint->drive_low,
                                     joint->drive_high);
  if (!cJSON_SetValuestring(effort, text))
    robot->import->error = ASP_ERROR_MEMORY;
}

/* What acts on a coordinate. */
static void add_coordinate(Robot *robot, RobotJoint *joint, cJSON *object) {
  if (joint->value != 0)
    asp_json_add_number(object, "initial", joint->value);
  if (isfinite(joint->low) || isfinite(joint->high)) {
    cJSON *limits = asp_json_add_array(object, "limits");
    asp_json_append(limits, isfinite(joint->low) ? cJSON_CreateNumber(joint->low) : cJSON_CreateNull());
    asp_json_append(limits, isfinite(joint->high) ? cJSON_CreateNumber(joint->high) : cJSON_CreateNull());
  }
  if (joint->friction > 0)
    asp_json_add_number(object, "friction", joint->friction);
  if (joint->stiffness > 0 || joint->damping > 0) {
    cJSON *spring = asp_json_add_object(object, "spring");
    if (joint->stiffness > 0) {
      asp_json_add_number(spring, "stiffness", joint->stiffness);
      asp_json_add_number(spring, "rest", joint->rest);
    }
    if (joint->damping > 0)
      asp_json_add_number(spring, "damping", joint->damping);
  }
  if (joint->armature > 0 && asp_robot_scene_has(&asp_scene_joint, NULL, "armature"))
    asp_json_add_number(object, "armature", joint->armature);
  else if (joint->armature > 0)
    asp_import_note(robot->import, ASP_IMPORT_IGNORED, joint->node, "joint armature=", "not simulated");
  keep_to_range(robot, joint);
  asp_json_inherit_gap(object, joint->extra);
  while (joint->extra && joint->extra->child)
    add_member(robot, joint, object, cJSON_DetachItemViaPointer(joint->extra, joint->extra->child));
}

/* The value at the start must lie within the limits. */
static void keep_within(Robot *robot, RobotJoint *joint) {
  double value = fmin(fmax(joint->value, joint->low), joint->high);
  if ((joint->kind == ROBOT_HINGE || joint->kind == ROBOT_SLIDE) && value != joint->value) {
    if (fabs(value - joint->value) > 1e-9)
      asp_import_note(robot->import, ASP_IMPORT_APPROXIMATED, joint->node, "joint",
                      "the coordinate at the start was outside the limits: it starts at the limit");
    joint->value = value;
  }
}

/* Does a body, with all that is one with it, have shapes that touch? */
static bool touches(const Robot *robot, int root) {
  for (int i = 0; i < robot->shapes; i++) {
    const RobotShape *shape = &robot->shape[i];
    int on = shape->body >= 0 ? robot->body[shape->body].root : ROBOT_WORLD;
    if (!shape->drawn && (on == root || (on < 0 && root < 0)))
      return true;
  }
  return false;
}

static cJSON *new_joint(const Robot *robot, const RobotBody *body, const char *name, const char *type, bool touching) {
  int parent = body->parent >= 0 ? robot->body[body->parent].root : ROBOT_WORLD;
  cJSON *object = cJSON_CreateObject(), *bodies;
  asp_json_add_text(object, "name", name);
  asp_json_add_text(object, "type", type);
  bodies = asp_json_add_array(object, "bodies");
  asp_json_append(bodies, cJSON_CreateString(parent >= 0 ? robot->body[parent].name : "world"));
  asp_json_append(bodies, cJSON_CreateString(body->name));
  if (touching || (parent < 0 && !robot->joined_apart))
    asp_json_add_true(object, "contact");
  else if (touches(robot, parent) && touches(robot, body->root)) // the format says so: nothing to ask
    asp_json_add_false(object, "contact");
  return object;
}

/* What acts on the turn of a ball joint. */
static void add_ball(const RobotJoint *joint, cJSON *object) {
  if (joint->friction > 0)
    asp_json_add_number(object, "friction", joint->friction);
  if (!(joint->stiffness > 0 || joint->damping > 0))
    return;
  cJSON *spring = asp_json_add_object(object, "spring");
  if (joint->stiffness > 0)
    asp_json_add_number(spring, "stiffness", joint->stiffness);
  if (joint->damping > 0)
    asp_json_add_number(spring, "damping", joint->damping);
}

static void add_single(Robot *robot, RobotBody *body, RobotJoint *joint, cJSON *list) {
  static const char *const types[] = {"revolute", "prismatic", "spherical", "planar", ""};
  cJSON *object = new_joint(robot, body, joint->name, types[joint->kind], joint->touching);
  asp_json_vector(object, "point", joint->world_point);
  if (joint->kind != ROBOT_BALL)
    asp_json_vector(object, "axis", joint->world_axis);
  if (joint->kind == ROBOT_HINGE || joint->kind == ROBOT_SLIDE)
    add_coordinate(robot, joint, object);
  if (joint->kind == ROBOT_BALL)
    add_ball(joint, object);
  asp_json_append(list, object);
}

/* Several joints between two bodies. */
/* More than three axes that turn, or slide, are dependent. */
static bool check_axes(Robot *robot, const RobotBody *body) {
  const RobotJoint *joint = &robot->joint[body->first_joint];
  int turning = 0;
  for (int k = 0; k < body->joints; k++)
    turning += joint[k].kind == ROBOT_HINGE;
  if (turning <= 3 && body->joints - turning <= 3)
    return true;
  asp_import_fail(robot->import, joint->node,
                  "body '%s': %d hinges and %d slides on one body; of each there may be three, more are dependent",
                  body->name, turning, body->joints - turning);
  return false;
}

static void add_compound(Robot *robot, RobotBody *body, cJSON *list) {
  RobotJoint *joint = &robot->joint[body->first_joint];
  if (!check_axes(robot, body))
    return;
  cJSON *object = new_joint(robot, body, asp_import_text(robot->import, "%s.joints", body->name), "compound",
                            joint->touching),
        *axes = asp_json_add_array(object, "axes");
  for (int k = 0; k < body->joints; k++) {
    cJSON *axis = cJSON_CreateObject();
    asp_json_add_text(axis, "name", joint[k].name);
    asp_json_add_text(axis, "type", joint[k].kind == ROBOT_HINGE ? "revolute" : "prismatic");
    asp_json_vector(axis, "point", joint[k].world_point);
    asp_json_vector(axis, "axis", joint[k].world_axis);
    add_coordinate(robot, &joint[k], axis);
    asp_json_append(axes, axis);
  }
  asp_json_append(list, object);
}

/* A spring beside a servo or motor on a sum of coordinates, or on a tendon, stands on one of its own. */
static void add_sum(Robot *robot, cJSON *list, cJSON *sum) {
  asp_json_append(list, sum);
  if (!cJSON_HasObjectItem(sum, "spring") || !(cJSON_HasObjectItem(sum, "servo") || cJSON_HasObjectItem(sum, "motor")))
    return;
  cJSON *own = cJSON_CreateObject(), *item = NULL;
  const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(sum, "name"));
  asp_json_add_text(own, "name", asp_import_text(robot->import, "%s.spring", name ? name : "tendon"));
  static const char *const same[] = {"type", "joints", "factors", "path", "initial"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if ((item = cJSON_GetObjectItemCaseSensitive(sum, same[i])))
      asp_json_add(own, same[i], cJSON_Duplicate(item, true));
  asp_json_add(own, "spring", cJSON_DetachItemFromObjectCaseSensitive(sum, "spring"));
  asp_json_append(list, own);
}

static void add_joints(Robot *robot, cJSON *list) {
  for (int i = 0; i < robot->bodies; i++) {
    RobotBody *body = &robot->body[i];
    if (body->root != i)
      continue;
    RobotJoint *joint = &robot->joint[body->first_joint];
    bool simple = true;
    for (int k = 0; k < body->joints; k++)
      simple = simple && (joint[k].kind == ROBOT_HINGE || joint[k].kind == ROBOT_SLIDE);
    if (body->joints == 1 && joint->kind != ROBOT_FREE)
      add_single(robot, body, joint, list);
    else if (body->joints > 1 && simple && has_type(&asp_scene_joint, "compound"))
      add_compound(robot, body, list);
    else if (body->joints > 1)
      asp_import_note(robot->import, ASP_IMPORT_IGNORED, joint->node, "joint",
                      "not simulated: %d joints on one body (the body is free)", body->joints);
  }
  asp_robot_write_loops(robot, list);
  cJSON *sums = cJSON_CreateArray();
  while (robot->sums && robot->sums->child)
    asp_json_append(sums, cJSON_DetachItemFromArray(robot->sums, 0));
  asp_robot_write_paths(robot, sums);
  while (sums && sums->child)
    add_sum(robot, list, cJSON_DetachItemFromArray(sums, 0));
  cJSON_Delete(sums);
}

/* ---- all of it ---- */

cJSON *asp_robot_scene(Robot *robot) {
  asp_robot_merge_limits(robot);
  for (int i = 0; i < robot->joints; i++)
    keep_within(robot, &robot->joint[i]);
  asp_robot_follow(robot);
  asp_robot_assemble(robot);
  asp_robot_lift(robot);
  asp_robot_place(robot);
  if (robot->import->options->hold)
    asp_robot_hold(robot);
  cJSON *scene = cJSON_CreateObject();
  asp_json_add_text(scene, "name", robot->name);
  cJSON *bodies = cJSON_CreateArray();
  add_bodies(robot, bodies);
  asp_json_inherit_gap(scene, robot->scene);
  cJSON *member = robot->scene ? robot->scene->child : NULL;
  for (cJSON *next; member; member = next) {
    next = member->next;
    asp_json_add(scene, member->string, cJSON_DetachItemViaPointer(robot->scene, member));
  }
  asp_json_add(scene, "bodies", bodies);
  add_joints(robot, asp_json_add_array(scene, "joints"));
  asp_robot_write_pushes(robot, scene);
  asp_robot_write_exclusions(robot, scene);
  asp_robot_control(robot, scene);
  return scene;
}
