/* Actuators of MJCF become inputs of the scene and what they do to a coordinate q (of a joint, or the length of a fixed
 * tendon). With the control u, held within ctrlrange, and the length l = gear q
 *
 *   force = gain u + b0 + b1 l + b2 l',      effort on q = gear force
 *
 * b1 < 0 or b2 < 0 make a servo: kp = -b1 gear^2, kd = -b2 gear^2, target (gain u + b0) / (-b1 gear); otherwise it is
 * an effort. motor: gain 1. position: gain kp, b1 = -kp, b2 = -kv. velocity: gain kv, b2 = -kv.
 */
#include "io/import/mjcf.h"

#include "io/scene/keys.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

typedef struct Actuator {
  const XmlNode *node;
  const char *input, *control; /* name of the input; the expression that holds it within its range */
  double gear, gain, bias[3];
  double limit; /* of the force; INFINITY: none */
  RobotJoint *joint;
  MjcfTendon *tendon; /* where there is no joint */
} Actuator;

static const char *shared(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *name) {
  const char *text = asp_mjcf_attribute(mjcf, scope, node, node->name, name);
  return text ? text : asp_mjcf_attribute(mjcf, scope, node, "general", name);
}

static int range_of(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *name, double range[2]) {
  const char *text = shared(mjcf, scope, node, name);
  return text ? asp_import_numbers(mjcf->robot->import, node, text, range, 2) : 0;
}

/* Letters, digits and '_', beginning with a letter, and nothing that expressions know. */
static const char *input_name(Mjcf *mjcf, const char *name) {
  static const char *const taken[] = {"t",     "pi",    "e",    "sin",  "cos",       "tan", "asin", "acos",
                                      "atan",  "atan2", "sinh", "cosh", "tanh",      "exp", "log",  "sqrt",
                                      "pow",   "abs",   "sign", "min",  "max",       "if",  "step", "clamp",
                                      "table", "and",   "or",   "not",  "smoothstep"};
  bool plain = isalpha((unsigned char)name[0]);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    plain = plain && strcmp(taken[i], name) != 0;
  char *copy = (char *)asp_import_text(mjcf->robot->import, "%s%s", plain ? "" : "u_", name);
  for (char *c = copy; *c; c++)
    if (!isalnum((unsigned char)*c))
      *c = '_';
  return copy;
}

/* ---- gains ---- */

static void read_position(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, Actuator *actuator) {
  double kp = asp_mjcf_number(mjcf, scope, node, "position", "kp", 1),
         kv = asp_mjcf_number(mjcf, scope, node, "position", "kv", 0),
         ratio = asp_mjcf_number(mjcf, scope, node, "position", "dampratio", 0);
  if (ratio > 0 && actuator->joint) {
    double moved = asp_robot_reflected(mjcf->robot, (int)(actuator->joint - mjcf->robot->joint));
    kv = 2 * ratio * sqrt(kp * moved / (actuator->gear * actuator->gear));
  } else if (ratio > 0) {
    asp_import_note(mjcf->robot->import, ASP_IMPORT_IGNORED, node, "position dampratio=", "not simulated on a tendon");
  }
  actuator->gain = kp;
  actuator->bias[1] = -kp;
  actuator->bias[2] = -kv;
}

/* gaintype fixed or affine without dependence on the state, biastype none or affine. */
static bool read_general(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, Actuator *actuator) {
  const char *gain = asp_mjcf_attribute(mjcf, scope, node, "general", "gaintype"),
             *bias = asp_mjcf_attribute(mjcf, scope, node, "general", "biastype");
  double gains[10] = {1}, biases[10] = {0};
  asp_mjcf_numbers(mjcf, scope, node, "general", "gainprm", gains, 10);
  asp_mjcf_numbers(mjcf, scope, node, "general", "biasprm", biases, 10);
  actuator->gain = gains[0];
  if (gain && strcmp(gain, "fixed") != 0 && !(strcmp(gain, "affine") == 0 && gains[1] == 0 && gains[2] == 0))
    return false;
  if (!bias || strcmp(bias, "none") == 0)
    return true;
  memcpy(actuator->bias, biases, sizeof actuator->bias);
  return strcmp(bias, "affine") == 0;
}

static bool read_gains(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, Actuator *actuator) {
  const char *kind = node->name, *dynamics = asp_mjcf_attribute(mjcf, scope, node, "general", "dyntype");
  double lag = asp_mjcf_number(mjcf, scope, node, "position", "timeconst", 0);
  actuator->gain = 1;
  if ((dynamics && strcmp(dynamics, "none") != 0) || lag > 0)
    return false;
  if (strcmp(kind, "motor") == 0)
    return true;
  if (strcmp(kind, "position") == 0) {
    read_position(mjcf, scope, node, actuator);
    return true;
  }
  if (strcmp(kind, "velocity") == 0) {
    actuator->gain = asp_mjcf_number(mjcf, scope, node, "velocity", "kv", 1);
    actuator->bias[2] = -actuator->gain;
    return true;
  }
  return strcmp(kind, "general") == 0 && read_general(mjcf, scope, node, actuator);
}

/* ---- what it acts on ---- */

static bool find_target(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, Actuator *actuator) {
  Robot *robot = mjcf->robot;
  const char *joint = shared(mjcf, scope, node, "joint"), *tendon = shared(mjcf, scope, node, "tendon");
  int index = joint ? asp_robot_find_joint(robot, asp_mjcf_name(mjcf, scope, joint)) : -1;
  if (joint && index < 0) {
    asp_mjcf_missing(mjcf, scope, node, "joint", joint);
    return false;
  }
  if (index >= 0 && asp_robot_is_written(robot, index))
    actuator->joint = &robot->joint[index];
  else if (tendon)
    actuator->tendon = asp_mjcf_tendon(mjcf, asp_mjcf_name(mjcf, scope, tendon));
  return actuator->joint || actuator->tendon;
}

static void read_ranges(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, Actuator *actuator) {
  Import *import = mjcf->robot->import;
  double range[2], inherit = asp_mjcf_number(mjcf, scope, node, node->name, "inheritrange", 0), gear[6] = {1};
  const char *text = shared(mjcf, scope, node, "gear");
  if (text)
    asp_import_numbers(import, node, text, gear, 6);
  actuator->gear = gear[0];
  bool given = range_of(mjcf, scope, node, "ctrlrange", range) == 2;
  text = shared(mjcf, scope, node, "ctrllimited");
  bool limited = text && strcmp(text, "auto") != 0 ? strcmp(text, "true") == 0 : scope->model->auto_limits && given;
  if (inherit > 0 && actuator->joint && isfinite(actuator->joint->low)) {
    double middle = (actuator->joint->low + actuator->joint->high) / 2,
           half = inherit * (actuator->joint->high - actuator->joint->low) / 2;
    range[0] = middle - half;
    range[1] = middle + half;
    given = limited = true;
  }
  actuator->control = limited && given
                          ? asp_import_text(import, "clamp(%s, %.17g, %.17g)", actuator->input, range[0], range[1])
                          : actuator->input;
  actuator->limit = INFINITY;
  given = range_of(mjcf, scope, node, "forcerange", range) == 2;
  text = shared(mjcf, scope, node, "forcelimited");
  limited = text && strcmp(text, "auto") != 0 ? strcmp(text, "true") == 0 : scope->model->auto_limits && given;
  if (limited && given) {
    actuator->limit = fmax(fabs(range[0]), fabs(range[1]));
    if (range[0] != -range[1])
      asp_import_note(import, ASP_IMPORT_APPROXIMATED, node,
                      "actuator forcerange=", "the larger limit counts in both directions");
  }
}

/* ---- into the scene ---- */

/* A member of the joint or coupling; a joint that has one already keeps it. */
static void put(Mjcf *mjcf, Actuator *actuator, const char *key, cJSON *value) {
  Import *import = mjcf->robot->import;
  RobotJoint *joint = actuator->joint;
  if (joint && !joint->extra)
    joint->extra = cJSON_CreateObject();
  const cJSON *there = cJSON_GetObjectItemCaseSensitive(joint ? joint->extra : actuator->tendon->coupling, key);
  if (there && cJSON_IsString(there) && cJSON_IsString(value)) { // efforts add up
    cJSON *sum = cJSON_CreateString(asp_import_text(import, "%s + %s", there->valuestring, value->valuestring));
    cJSON_ReplaceItemInObjectCaseSensitive(joint ? joint->extra : actuator->tendon->coupling, key, sum);
    cJSON_Delete(value);
  } else if (there) {
    asp_import_note(import, ASP_IMPORT_IGNORED, actuator->node, actuator->node->name,
                    "not simulated: a second %s on the same coordinate", key);
    cJSON_Delete(value);
  } else if (joint) {
    cJSON_AddItemToObject(joint->extra, key, value);
  } else {
    asp_mjcf_put(mjcf, actuator->tendon, key, value);
  }
}

static void write_servo(Mjcf *mjcf, Actuator *actuator) {
  Import *import = mjcf->robot->import;
  double gear = actuator->gear, kp = -actuator->bias[1], kd = -actuator->bias[2];
  cJSON *servo = cJSON_CreateObject();
  if (kp > 0) {
    cJSON_AddNumberToObject(servo, "kp", kp * gear * gear);
    bool plain = actuator->gain == kp * gear && actuator->bias[0] == 0;
    cJSON_AddStringToObject(servo, "target",
                            plain ? actuator->control
                                  : asp_import_text(import, "(%.17g*%s + %.17g)/%.17g", actuator->gain,
                                                    actuator->control, actuator->bias[0], kp * gear));
    if (kd > 0)
      cJSON_AddNumberToObject(servo, "target_velocity", 0);
  } else {
    cJSON_AddStringToObject(servo, "target_velocity",
                            asp_import_text(import, "(%.17g*%s + %.17g)/%.17g", actuator->gain, actuator->control,
                                            actuator->bias[0], kd * gear));
  }
  if (kd > 0)
    cJSON_AddNumberToObject(servo, "kd", kd * gear * gear);
  if (isfinite(actuator->limit))
    cJSON_AddNumberToObject(servo, "effort", actuator->limit * fabs(gear));
  put(mjcf, actuator, "servo", servo);
}

static void write_effort(Mjcf *mjcf, Actuator *actuator) {
  Import *import = mjcf->robot->import;
  const char *force = asp_import_text(import, "%.17g*%s", actuator->gear * actuator->gain, actuator->control);
  double constant = actuator->gear * actuator->bias[0], limit = actuator->limit * fabs(actuator->gear);
  if (constant != 0)
    force = asp_import_text(import, "%s + %.17g", force, constant);
  if (isfinite(limit))
    force = asp_import_text(import, "clamp(%s, %.17g, %.17g)", force, -limit, limit);
  put(mjcf, actuator, "effort", cJSON_CreateString(force));
}

static void read_actuator(Mjcf *mjcf, const MjcfScope *scope, XmlNode *node, double control) {
  Import *import = mjcf->robot->import;
  const char *name = asp_mjcf_name(mjcf, scope, asp_xml_attribute(node, "name"));
  Actuator actuator = {.node = node, .gear = 1};
  node->used = true;
  if (!find_target(mjcf, scope, node, &actuator)) {
    if (node->reported || import->error != ASP_OK)
      return;
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, node,
                         "not simulated: it does not act on a joint with one coordinate that is "
                         "in the scene, or on a fixed tendon");
    return;
  }
  const char *target = actuator.joint ? actuator.joint->name : actuator.tendon->name;
  actuator.input = input_name(mjcf, name ? name : asp_import_text(import, "%s_%s", target, node->name));
  read_ranges(mjcf, scope, node, &actuator);
  if (!read_gains(mjcf, scope, node, &actuator) || actuator.gear == 0 || actuator.bias[1] > 0 || actuator.bias[2] > 0 ||
      (actuator.bias[1] == 0 && actuator.bias[2] < 0 && actuator.gain == 0)) {
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, node, "not simulated: an actuator of this kind");
    return;
  }
  cJSON *input = cJSON_CreateObject();
  cJSON_AddStringToObject(input, "name", actuator.input);
  cJSON_AddNumberToObject(input, "value", control);
  cJSON_AddItemToArray(asp_json_list(mjcf->robot->scene, "inputs"), input);
  if (actuator.bias[1] < 0 || actuator.bias[2] < 0)
    write_servo(mjcf, &actuator);
  else
    write_effort(mjcf, &actuator);
}

void asp_mjcf_actuators(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section) {
  for (XmlNode *node = section->child; node && mjcf->robot->import->error == ASP_OK; node = node->next) {
    int place = mjcf->actuators++;
    read_actuator(mjcf, scope, node, place < mjcf->controls ? mjcf->control[place] : 0);
  }
}
