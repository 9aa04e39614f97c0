/* What moves a robot from outside. Each actuator is an input u of the scene:
 *
 *   servo    target = slope u + offset, effort kp (target - q)
 *   motor    effort = slope u + offset
 *
 * hold: the robot stays as it starts. Inputs of servos are set so that their targets are the coordinates at the start;
 * where the tree hangs on the world, plus what gravity asks for,
 *
 *   target = q + g/kp,     g = -sum over bodies that the joint carries of m gravity . dc/dq
 *
 * (standing robots are carried by the ground, which is not known here). Motors become brakes: they want the rate 0 with
 * the most that the actuator can give.
 *
 * control: an input becomes an expression of time, or a column of a file. Its name is replaced in all expressions.
 */
#define _XOPEN_SOURCE 700
#include "io/import/robot.h"

#include "linalg/vec3.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

void asp_robot_add_drive(Robot *robot, const RobotDrive *drive) {
  RobotDrive *item = asp_import_take(robot->import, 1, sizeof *item), **end = &robot->drives;
  if (!item)
    return;
  while (*end)
    end = &(*end)->next;
  *item = *drive;
  *end = item;
  cJSON *input = cJSON_CreateObject();
  asp_json_add_text(input, "name", drive->input);
  asp_json_add_number(input, "value", drive->control);
  asp_json_append(asp_json_list(robot->scene, "inputs"), input);
}

/* Letters, digits and '_', beginning with a letter, and nothing that expressions know. */
const char *asp_robot_input_name(Robot *robot, const char *name) {
  static const char *const taken[] = {"t",     "pi",    "e",    "sin",  "cos",       "tan", "asin", "acos",
                                      "atan",  "atan2", "sinh", "cosh", "tanh",      "exp", "log",  "sqrt",
                                      "pow",   "abs",   "sign", "min",  "max",       "if",  "step", "clamp",
                                      "table", "and",   "or",   "not",  "smoothstep"};
  bool plain = isalpha((unsigned char)name[0]);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    plain = plain && strcmp(taken[i], name) != 0;
  char *copy = (char *)asp_import_text(robot->import, "%s%s", plain ? "" : "u_", name);
  for (char *c = copy; *c; c++)
    if (!isalnum((unsigned char)*c))
      *c = '_';
  return copy;
}

static bool is_input(const Robot *robot, const char *name) {
  const cJSON *input = NULL;
  cJSON_ArrayForEach(input, cJSON_GetObjectItemCaseSensitive(robot->scene, "inputs")) {
    if (strcmp(cJSON_GetObjectItemCaseSensitive(input, "name")->valuestring, name) == 0)
      return true;
  }
  return false;
}

const char *asp_robot_new_input(Robot *robot, const char *name) {
  const char *plain = asp_robot_input_name(robot, name), *made = plain;
  for (int k = 2; is_input(robot, made); k++)
    made = asp_import_text(robot->import, "%s_%d", plain, k);
  return made;
}

/* ---- motors of formats that only give their limits ---- */

void asp_robot_motor_limits(Import *import, const XmlNode *node, const char *effort, const char *velocity,
                            RobotJoint *joint) {
  double most = 0;
  most = asp_import_bound(import, node, effort, 0);
  if (most > 0 && isfinite(most)) {
    joint->drive_low = -most;
    joint->drive_high = most;
  }
  if (velocity)
    asp_import_note(import, ASP_IMPORT_IGNORED, node, asp_import_text(import, "%s velocity", node->name),
                    "limits a drive's speed; the drive is a force");
}

static bool follows(const Robot *robot, int joint) {
  for (const RobotCoupling *item = robot->coupled; item; item = item->next)
    if (item->driven == joint)
      return true;
  return false;
}

void asp_robot_add_motors(Robot *robot) {
  Import *import = robot->import;
  for (int i = 0; i < robot->joints && import->error == ASP_OK; i++) {
    RobotJoint *joint = &robot->joint[i];
    if (!(joint->drive_high > 0) || (joint->kind != ROBOT_HINGE && joint->kind != ROBOT_SLIDE) || joint->extra ||
        follows(robot, i))
      continue;
    RobotDrive drive = {.input = asp_robot_new_input(robot, joint->name),
                        .node = joint->node,
                        .joint = i,
                        .slope = 1,
                        .low = joint->drive_low,
                        .high = joint->drive_high,
                        .most = joint->drive_high};
    joint->extra = asp_import_object(robot->import);
    asp_json_add_text(joint->extra, "effort", drive.input); // within the joint's range: when it is written
    asp_robot_add_drive(robot, &drive);
  }
}

void asp_robot_drop_coupling(Robot *robot, cJSON *coupling) {
  for (RobotDrive *drive = robot->drives; drive; drive = drive->next)
    if (drive->coupling == coupling)
      drive->coupling = NULL;
  cJSON_Delete(coupling);
}

/* ---- hold ---- */

static AspVec3 gravity_of(const Robot *robot) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(robot->scene, "gravity");
  double g[3] = {0, 0, -9.81};
  for (int i = 0; list && i < 3; i++)
    g[i] = cJSON_GetArrayItem(list, i) ? cJSON_GetArrayItem(list, i)->valuedouble : 0;
  return vec3(g[0], g[1], g[2]);
}

static bool hangs_on_world(const Robot *robot, int body) {
  for (; body >= 0; body = robot->body[body].parent)
    for (int k = 0; k < robot->body[body].joints; k++)
      if (robot->joint[robot->body[body].first_joint + k].kind == ROBOT_FREE)
        return false;
  return true;
}

/* What the coordinate must be given against gravity, N m or N. */
static double against_gravity(const Robot *robot, int joint) {
  const RobotJoint *own = &robot->joint[joint];
  AspVec3 gravity = gravity_of(robot);
  double sum = 0;
  if (!hangs_on_world(robot, own->body))
    return 0;
  for (int i = own->body; i < robot->bodies; i++) {
    const RobotBody *body = &robot->body[i];
    int up = i;
    while (up > own->body)
      up = robot->body[up].parent;
    if (up != own->body || !(body->own.mass > 0))
      continue;
    AspVec3 centre = pose_point(&body->world, body->own.centre),
            way = own->kind == ROBOT_SLIDE ? own->world_axis : cross3(own->world_axis, sub3(centre, own->world_point));
    sum -= body->own.mass * dot3(gravity, way);
  }
  return sum;
}

static double sum_at_start(const Robot *robot, const cJSON *coupling) {
  const cJSON *factor = cJSON_GetObjectItemCaseSensitive(coupling, "factors")->child, *name = NULL;
  double sum = 0;
  cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(coupling, "joints")) {
    int joint = asp_robot_find_joint(robot, name->valuestring);
    sum += joint >= 0 ? factor->valuedouble * robot->joint[joint].value : 0;
    factor = factor->next;
  }
  return sum;
}

static double length_at_start(Robot *robot, const RobotPath *path) {
  double length;
  return asp_robot_path_length(robot, path, &length) ? length : 0;
}

static void set_input(Robot *robot, const char *name, double value) {
  cJSON *input = NULL;
  cJSON_ArrayForEach(input, cJSON_GetObjectItemCaseSensitive(robot->scene, "inputs")) {
    if (strcmp(cJSON_GetObjectItemCaseSensitive(input, "name")->valuestring, name) == 0)
      cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(input, "value"), value);
  }
}

static void hold_servo(Robot *robot, const RobotDrive *drive) {
  double wanted = drive->joint >= 0
                      ? robot->joint[drive->joint].value + against_gravity(robot, drive->joint) / drive->kp
                  : drive->path ? length_at_start(robot, drive->path)
                                : sum_at_start(robot, drive->coupling);
  double u = (wanted - drive->offset) / drive->slope;
  if (u < drive->low || u > drive->high)
    asp_import_note(robot->import, ASP_IMPORT_APPROXIMATED, drive->node, drive->node->name,
                    "cannot be held as it starts: that asks for the control %.6g, its range is [%.6g, %.6g]", u,
                    drive->low, drive->high);
  set_input(robot, drive->input, fmin(fmax(u, drive->low), drive->high));
}

/* The effort becomes a brake with the most that the motor can give. */
static void hold_motor(Robot *robot, const RobotDrive *drive) {
  cJSON *members = drive->joint >= 0 ? robot->joint[drive->joint].extra : drive->coupling;
  double one = drive->slope * drive->low + drive->offset, other = drive->slope * drive->high + drive->offset,
         most = fmin(fmax(fabs(one), fabs(other)), drive->most);
  const RobotJoint *joint = drive->joint >= 0 ? &robot->joint[drive->joint] : NULL;
  if (joint && (joint->drive_low != 0 || joint->drive_high != 0))
    most = fmin(most, fmax(fabs(joint->drive_low), fabs(joint->drive_high)));
  if (!members || !cJSON_HasObjectItem(members, "effort"))
    return; // a second motor on the same coordinate
  cJSON_DeleteItemFromObjectCaseSensitive(members, "effort");
  cJSON *motor = asp_json_add_object(members, "motor");
  asp_json_add_number(motor, "velocity", 0);
  if (isfinite(most))
    asp_json_add_number(motor, "effort", most);
}

void asp_robot_hold(Robot *robot) {
  for (const RobotDrive *drive = robot->drives; drive; drive = drive->next) {
    if (drive->joint < 0 && !drive->coupling)
      continue; // on a site, or on a tendon that is left out
    if (!drive->servo)
      hold_motor(robot, drive);
    else if (drive->kp > 0 && drive->slope != 0)
      hold_servo(robot, drive);
  }
}

/* ---- controls ---- */

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The text with every occurrence of the name replaced. */
static const char *replace(Import *import, const char *text, const char *name, const char *with) {
  const char *done = "", *from = text;
  size_t length = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
    if ((at > text && (is_name(at[-1]) || at[-1] == '.')) || is_name(at[length]))
      continue;
    done = asp_import_text(import, "%s%.*s(%s)", done, (int)(at - from), from, with);
    from = at + length;
  }
  return from == text ? NULL : asp_import_text(import, "%s%s", done, from);
}

static bool is_expression(const char *key) {
  static const char *const keys[] = {"target", "target_velocity", "effort", "velocity"};
  for (size_t i = 0; key && i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i], key) == 0)
      return true;
  return false;
}

static bool is_list(const char *key) {
  return strcmp(key, "position") == 0 || strcmp(key, "force") == 0 || strcmp(key, "torque") == 0;
}

/* In forces, targets and the positions of guided bodies. */
static void replace_all(Import *import, cJSON *node, const char *name, const char *with) {
  cJSON *child = NULL;
  cJSON_ArrayForEach(child, node) {
    bool expression = is_expression(child->string) || (node->string && is_list(node->string));
    const char *text = cJSON_IsString(child) && expression ? replace(import, child->valuestring, name, with) : NULL;
    if (text)
      cJSON_SetValuestring(child, text);
    replace_all(import, child, name, with);
  }
}

/* FILE.csv or FILE.csv:COLUMN becomes a table; NULL: it is an expression. */
static const char *table_of(Robot *robot, cJSON *scene, const char *name, const char *text) {
  Import *import = robot->import;
  const char *ending = strstr(text, ".csv");
  if (!ending || (ending[4] && ending[4] != ':'))
    return NULL;
  const char *file = asp_import_text(import, "%.*s", (int)(ending + 4 - text), text);
  char *real = realpath(file, NULL);
  if (!real) {
    asp_import_fail(import, NULL, "control %s: there is no file '%s'", name, file);
    return NULL;
  }
  const char *path = asp_import_text(import, "%s", real);
  free(real);
  cJSON *table = cJSON_CreateObject();
  const char *title = asp_import_text(import, "%s_table", name);
  asp_json_add_text(table, "name", title);
  asp_json_add_text(table, "file", import->options->scene_folder ? asp_import_seen_from_scene(import, path) : path);
  char *end;
  double column = ending[4] ? strtod(ending + 5, &end) : 2;
  if (ending[4] && *end)
    asp_json_add_text(table, "column", ending + 5);
  else
    asp_json_add_number(table, "column", column);
  asp_json_append(asp_json_list(scene, "tables"), table);
  return asp_import_text(import, "table(%s, t)", title);
}

/* Take the input of that name out of the scene; false: there is none. *names: those that there are. */
static bool take_input(Import *import, cJSON *scene, const char *name, const char **names) {
  cJSON *list = cJSON_GetObjectItemCaseSensitive(scene, "inputs"), *input = NULL;
  *names = "";
  cJSON_ArrayForEach(input, list) {
    const char *own = cJSON_GetObjectItemCaseSensitive(input, "name")->valuestring;
    if (strcmp(own, name) == 0) {
      cJSON_Delete(cJSON_DetachItemViaPointer(list, input));
      return true;
    }
    *names = asp_import_text(import, "%s%s%s", *names, **names ? ", " : "", own);
  }
  return false;
}

void asp_robot_control(Robot *robot, cJSON *scene) {
  Import *import = robot->import;
  const AspImportOptions *options = import->options;
  for (int i = 0; i < options->control_count && import->error == ASP_OK; i++) {
    const char *equals = strchr(options->control[i], '='), *names;
    if (!equals || !equals[1]) {
      asp_import_fail(import, NULL, "control '%s': use NAME=EXPRESSION or NAME=FILE.csv", options->control[i]);
      return;
    }
    const char *given = asp_import_text(import, "%.*s", (int)(equals - options->control[i]), options->control[i]),
               *name = asp_robot_input_name(robot, given);
    if (!take_input(import, scene, name, &names)) {
      asp_import_fail(import, NULL, "control '%s': the model has no such input%s%s", given,
                      *names ? "; there are: " : "", names);
      return;
    }
    const char *table = table_of(robot, scene, name, equals + 1);
    replace_all(import, cJSON_GetObjectItemCaseSensitive(scene, "joints"), name, table ? table : equals + 1);
    replace_all(import, cJSON_GetObjectItemCaseSensitive(scene, "bodies"), name, table ? table : equals + 1);
    replace_all(import, cJSON_GetObjectItemCaseSensitive(scene, "forces"), name, table ? table : equals + 1);
  }
  cJSON *list = cJSON_GetObjectItemCaseSensitive(scene, "inputs");
  if (list && !list->child)
    cJSON_DeleteItemFromObjectCaseSensitive(scene, "inputs");
}
