/* Actuators of MJCF become inputs of the scene and what they do to a coordinate q (of a joint, or the length of a fixed
 * tendon). With the control u, held within ctrlrange, and the length l = gear q
 *
 *   force = gain u + b0 + b1 l + b2 l',      effort on q = gear force
 *
 * b1 < 0 or b2 < 0 make a servo: kp = -b1 gear^2, kd = -b2 gear^2, target (gain u + b0) / (-b1 gear); otherwise it is
 * an effort. Gains and biases are in mjcf_gains.c. On a site, without a reference site, it is a force and a torque on
 * its body, with the six gears along the axes of the site.
 */
#include "io/import/mjcf.h"

#include "io/scene/keys.h"

#include <math.h>
#include <stdio.h>

typedef struct Actuator {
  const XmlNode *node;
  const char *input, *control; /* name of the input; the expression that holds it within its range */
  double gear, gain, bias[3];
  double low, high;        /* of the effort on q; -INFINITY, INFINITY: none */
  double control_range[2]; /* of u */
  RobotJoint *joint;
  MjcfTendon *tendon;   /* where there is no joint */
  const MjcfSite *site; /* where there is neither: a force and torque along its axes */
  double gears[6];
  const char *dynamics; /* dyntype */
  double factor;        /* of the coordinate in the length of a tendon that has no other */
} Actuator;

static const char *shared(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *name) {
  return asp_mjcf_attribute(mjcf, scope, node, "actuator", name);
}

static int range_of(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *name, double range[2]) {
  const char *text = shared(mjcf, scope, node, name);
  return text ? asp_import_numbers(mjcf->robot->import, node, text, range, 2) : 0;
}

/* ---- gains ---- */

/* What a sum of coordinates moves, by MuJoCo's rule: the sum over them of inertia / (gear factor)^2. */
static double reflected_to_sum(const Mjcf *mjcf, const Actuator *actuator) {
  double sum = 0;
  const cJSON *name = NULL, *factor = cJSON_GetObjectItemCaseSensitive(actuator->tendon->coupling, "factors")->child;
  cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(actuator->tendon->coupling, "joints")) {
    double by = actuator->gear * factor->valuedouble;
    int joint = asp_robot_find_joint(mjcf->robot, name->valuestring);
    sum += joint >= 0 ? asp_robot_reflected(mjcf->robot, joint) / (by * by) : 0;
    factor = factor->next;
  }
  return sum;
}

/* The damping that dampratio asks for: 1 is critical for what the actuator moves. */
static double damping_of(Mjcf *mjcf, const Actuator *actuator, double ratio) {
  double kp = -actuator->bias[1];
  if (actuator->joint) {
    double moved = asp_robot_reflected(mjcf->robot, (int)(actuator->joint - mjcf->robot->joint));
    return 2 * ratio * sqrt(kp * moved / (actuator->gear * actuator->gear));
  }
  if (actuator->tendon && !actuator->tendon->path)
    return 2 * ratio * sqrt(kp * reflected_to_sum(mjcf, actuator));
  asp_import_note(mjcf->robot->import, ASP_IMPORT_IGNORED, actuator->node,
                  "position dampratio=", "not simulated on a tendon through space");
  return 0;
}

static bool read_gains(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, Actuator *actuator) {
  MjcfGains gains;
  bool simulated = asp_mjcf_gains(mjcf, scope, node, &gains);
  actuator->dynamics = gains.dynamics;
  if (!simulated)
    return false;
  bool filtered = gains.dynamics && strncmp(gains.dynamics, "filter", 6) == 0;
  if (!filtered && gains.dynamics && strcmp(gains.dynamics, "none") != 0)
    return false;
  if (filtered)
    asp_import_note(mjcf->robot->import, ASP_IMPORT_APPROXIMATED, node,
                    gains.lag > 0 ? "actuator timeconst=" : "dyntype filter",
                    "the actuator follows its control at once, without the filter's lag");
  actuator->gain = gains.gain;
  memcpy(actuator->bias, gains.bias, sizeof actuator->bias);
  if (gains.ratio > 0 && gains.bias[1] < 0)
    actuator->bias[2] = -damping_of(mjcf, actuator, gains.ratio);
  return true;
}

/* ---- what it acts on ---- */

static bool find_target(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, Actuator *actuator) {
  Robot *robot = mjcf->robot;
  const char *joint = shared(mjcf, scope, node, "joint"), *inside = shared(mjcf, scope, node, "jointinparent"),
             *tendon = shared(mjcf, scope, node, "tendon"), *site = shared(mjcf, scope, node, "site");
  joint = joint ? joint : inside; // the same for one coordinate
  int index = joint ? asp_robot_find_joint(robot, asp_mjcf_reference(mjcf, scope, joint)) : -1;
  if (joint && index < 0) {
    asp_mjcf_missing(mjcf, scope, node, "joint", joint);
    return false;
  }
  if (index >= 0 && asp_robot_is_written(robot, index))
    actuator->joint = &robot->joint[index];
  else if (tendon)
    actuator->tendon = asp_mjcf_tendon(mjcf, asp_mjcf_reference(mjcf, scope, tendon));
  else if (site && !shared(mjcf, scope, node, "refsite"))
    actuator->site = asp_mjcf_site(mjcf, asp_mjcf_reference(mjcf, scope, site));
  if (tendon && !actuator->joint && !actuator->tendon)
    asp_mjcf_missing(mjcf, scope, node, "tendon", tendon);
  if (actuator->tendon && actuator->tendon->alone >= 0) { // a sum of one coordinate
    actuator->joint = &robot->joint[actuator->tendon->alone];
    actuator->factor = actuator->tendon->factor;
    actuator->tendon = NULL;
  }
  return actuator->joint || actuator->tendon || (actuator->site && actuator->site->body >= 0);
}

static void read_ranges(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, Actuator *actuator) {
  Import *import = mjcf->robot->import;
  double range[2], inherit = asp_mjcf_number(mjcf, scope, node, node->name, "inheritrange", 0), gear[6] = {1};
  const char *text;
  asp_mjcf_numbers(mjcf, scope, node, "actuator", "gear", gear, 6);
  actuator->gear = actuator->site ? 1 : gear[0] * actuator->factor;
  memcpy(actuator->gears, gear, sizeof gear);
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
  actuator->control_range[0] = limited && given ? range[0] : -INFINITY;
  actuator->control_range[1] = limited && given ? range[1] : INFINITY;
  actuator->control = limited && given
                          ? asp_import_text(import, "clamp(%s, %.17g, %.17g)", actuator->input, range[0], range[1])
                          : actuator->input;
  actuator->low = -INFINITY;
  actuator->high = INFINITY;
  given = range_of(mjcf, scope, node, "forcerange", range) == 2;
  text = shared(mjcf, scope, node, "forcelimited");
  limited = text && strcmp(text, "auto") != 0 ? strcmp(text, "true") == 0 : scope->model->auto_limits && given;
  if (limited && given && actuator->gear != 0) {
    actuator->low = fmin(actuator->gear * range[0], actuator->gear * range[1]);
    actuator->high = fmax(actuator->gear * range[0], actuator->gear * range[1]);
  }
}

/* What a joint or tendon lets all its actuators give. Efforts on a joint are held within it in sum, when the joint is
 * written; servos and what acts on a tendon each by itself. */
static void keep_to_range(Mjcf *mjcf, Actuator *actuator, bool servo) {
  Import *import = mjcf->robot->import;
  const RobotJoint *joint = actuator->joint;
  const MjcfTendon *tendon = actuator->tendon;
  double low = joint    ? joint->drive_low
               : tendon ? tendon->drive_low
                        : 0,
         high = joint    ? joint->drive_high
                : tendon ? tendon->drive_high
                         : 0;
  const cJSON *there = joint ? joint->extra : tendon ? tendon->coupling : NULL;
  if ((low == 0 && high == 0) || (joint && !servo))
    return;
  if (there && (cJSON_HasObjectItem(there, "effort") || cJSON_HasObjectItem(there, "servo")))
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, actuator->node,
                    "actuatorfrcrange=", "several actuators on it: each alone keeps to it, not their sum");
  actuator->low = fmax(actuator->low, low);
  actuator->high = fmin(actuator->high, high);
}

/* Does a joint of a fixed tendon hold its actuators within a range? */
static bool joints_have_ranges(const Mjcf *mjcf, const MjcfTendon *tendon) {
  const cJSON *name = NULL;
  cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(tendon->coupling, "joints")) {
    int joint = asp_robot_find_joint(mjcf->robot, name->valuestring);
    if (joint >= 0 && (mjcf->robot->joint[joint].drive_low != 0 || mjcf->robot->joint[joint].drive_high != 0))
      return true;
  }
  return false;
}

/* ---- into the scene ---- */

static double number_in(const cJSON *servo, const char *key) {
  return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(servo, key));
}

/* The mean of what two servos want, by their gains; it replaces that of the first. */
static void mix(Import *import, cJSON *first, const cJSON *second, const char *gain, const char *wanted) {
  double a = number_in(first, gain), b = number_in(second, gain);
  a = isfinite(a) ? a : 0;
  b = isfinite(b) ? b : 0;
  const cJSON *x = cJSON_GetObjectItemCaseSensitive(first, wanted),
              *y = cJSON_GetObjectItemCaseSensitive(second, wanted);
  const char *one = cJSON_IsString(x) ? x->valuestring : "0", *other = cJSON_IsString(y) ? y->valuestring : "0";
  if (!(b > 0))
    return;
  cJSON *text = cJSON_CreateString(
      a > 0 ? asp_import_text(import, "(%.17g*(%s) + %.17g*(%s))/%.17g", a, one, b, other, a + b) : other);
  cJSON_DeleteItemFromObjectCaseSensitive(first, gain);
  cJSON_DeleteItemFromObjectCaseSensitive(first, wanted);
  asp_json_add_number(first, gain, a + b);
  asp_json_add(first, wanted, text);
}

/* Two servos on a coordinate are one: gains add up. Not where one has a limit of its own. */
static bool add_servo(Import *import, cJSON *first, const cJSON *second) {
  if (!cJSON_IsObject(first) || cJSON_HasObjectItem(first, "effort") || cJSON_HasObjectItem(second, "effort"))
    return false;
  mix(import, first, second, "kp", "target");
  mix(import, first, second, "kd", "target_velocity");
  return true;
}

/* A member of the joint or coupling; a joint that has one already keeps it. */
static void put(Mjcf *mjcf, Actuator *actuator, const char *key, cJSON *value) {
  Import *import = mjcf->robot->import;
  RobotJoint *joint = actuator->joint;
  if (joint && !joint->extra)
    joint->extra = asp_import_object(import);
  const cJSON *there = cJSON_GetObjectItemCaseSensitive(joint ? joint->extra : actuator->tendon->coupling, key);
  if (there && cJSON_IsString(there) && cJSON_IsString(value)) { // efforts add up
    cJSON *sum = cJSON_CreateString(asp_import_text(import, "%s + %s", there->valuestring, value->valuestring));
    cJSON_ReplaceItemInObjectCaseSensitive(joint ? joint->extra : actuator->tendon->coupling, key, sum);
    cJSON_Delete(value);
  } else if (there && add_servo(import, (cJSON *)there, value)) {
    cJSON_Delete(value);
  } else if (there) {
    asp_import_note(import, ASP_IMPORT_IGNORED, actuator->node, actuator->node->name,
                    "not simulated: a second %s on the same coordinate", key);
    cJSON_Delete(value);
  } else if (joint) {
    asp_json_add(joint->extra, key, value);
  } else {
    asp_mjcf_put(mjcf, actuator->tendon, key, value);
  }
}

static void write_servo(Mjcf *mjcf, Actuator *actuator) {
  Import *import = mjcf->robot->import;
  double gear = actuator->gear, kp = -actuator->bias[1], kd = -actuator->bias[2];
  cJSON *servo = cJSON_CreateObject();
  if (kp > 0) {
    asp_json_add_number(servo, "kp", kp * gear * gear);
    bool plain = actuator->gain == kp * gear && actuator->bias[0] == 0;
    asp_json_add_text(servo, "target",
                      plain ? actuator->control
                            : asp_import_text(import, "(%.17g*%s + %.17g)/%.17g", actuator->gain, actuator->control,
                                              actuator->bias[0], kp * gear));
    if (kd > 0)
      asp_json_add_number(servo, "target_velocity", 0);
  } else {
    asp_json_add_text(servo, "target_velocity",
                      asp_import_text(import, "(%.17g*%s + %.17g)/%.17g", actuator->gain, actuator->control,
                                      actuator->bias[0], kd * gear));
  }
  if (kd > 0)
    asp_json_add_number(servo, "kd", kd * gear * gear);
  if (isfinite(actuator->low) || isfinite(actuator->high)) {
    if (actuator->low != -actuator->high)
      asp_import_note(import, ASP_IMPORT_APPROXIMATED, actuator->node,
                      "actuator forcerange=", "of a servo: the larger limit counts in both directions");
    asp_json_add_number(servo, "effort", fmax(fabs(actuator->low), fabs(actuator->high)));
  }
  put(mjcf, actuator, "servo", servo);
}

/* An effort on a fixed tendon, as efforts on its joints: each times the joint's factor. */
static void spread_effort(Mjcf *mjcf, const Actuator *actuator, const char *force) {
  const cJSON *name = NULL, *factor = cJSON_GetObjectItemCaseSensitive(actuator->tendon->coupling, "factors")->child;
  cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(actuator->tendon->coupling, "joints")) {
    int joint = asp_robot_find_joint(mjcf->robot, name->valuestring);
    Actuator part = *actuator;
    part.tendon = NULL;
    part.joint = &mjcf->robot->joint[joint];
    put(mjcf, &part, "effort",
        cJSON_CreateString(asp_import_text(mjcf->robot->import, "%.17g*(%s)", factor->valuedouble, force)));
    factor = factor->next;
  }
}

static void write_push(Mjcf *mjcf, const Actuator *actuator, const char *force) {
  RobotPush push = {.name = actuator->input, .body = actuator->site->body, .pose = actuator->site->pose, .by = force};
  memcpy(push.force, actuator->gears, sizeof push.force);
  memcpy(push.torque, actuator->gears + 3, sizeof push.torque);
  asp_robot_add_push(mjcf->robot, &push);
}

static void write_effort(Mjcf *mjcf, Actuator *actuator) {
  Import *import = mjcf->robot->import;
  const char *force = asp_import_text(import, "%.17g*%s", actuator->gear * actuator->gain, actuator->control);
  double constant = actuator->gear * actuator->bias[0];
  if (constant != 0)
    force = asp_import_text(import, "%s + %.17g", force, constant);
  if (isfinite(actuator->low) && isfinite(actuator->high))
    force = asp_import_text(import, "clamp(%s, %.17g, %.17g)", force, actuator->low, actuator->high);
  bool fixed = actuator->tendon && !actuator->tendon->path && !actuator->tendon->stuck;
  if (actuator->site)
    write_push(mjcf, actuator, force);
  else if (fixed && joints_have_ranges(mjcf, actuator->tendon))
    spread_effort(mjcf, actuator, force);
  else
    put(mjcf, actuator, "effort", cJSON_CreateString(force));
}

static void read_actuator(Mjcf *mjcf, const MjcfScope *scope, XmlNode *node, double control) {
  Import *import = mjcf->robot->import;
  const char *name = asp_mjcf_title(mjcf, scope, node);
  Actuator actuator = {.node = node, .gear = 1, .factor = 1};
  node->used = true;
  if (mjcf->off.actuation) {
    asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, node, "turned off by a flag");
    return;
  }
  if (!find_target(mjcf, scope, node, &actuator)) {
    if (node->reported || import->error != ASP_OK)
      return;
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, node,
                         "not simulated: it does not act on a joint with one coordinate that is in the scene, on a "
                         "tendon, or on a site by itself");
    return;
  }
  const char *target = actuator.joint    ? actuator.joint->name
                       : actuator.tendon ? actuator.tendon->name
                                         : actuator.site->name;
  actuator.input = asp_robot_new_input(mjcf->robot, name ? name : asp_import_text(import, "%s_%s", target, node->name));
  read_ranges(mjcf, scope, node, &actuator);
  if (!read_gains(mjcf, scope, node, &actuator) || actuator.gear == 0 || actuator.bias[1] > 0 || actuator.bias[2] > 0 ||
      (actuator.bias[1] == 0 && actuator.bias[2] < 0 && actuator.gain == 0)) {
    const char *dynamics = actuator.dynamics && strcmp(actuator.dynamics, "none") != 0 ? actuator.dynamics : NULL;
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, node,
                         asp_import_text(import,
                                         "not simulated: %s%s; actuators are fixed gains, with a bias of position and "
                                         "velocity that brakes, without a state of their own",
                                         dynamics ? "dyntype " : "an actuator of this kind", dynamics ? dynamics : ""));
    return;
  }
  bool servo = actuator.bias[1] < 0 || actuator.bias[2] < 0;
  if (servo && actuator.site) {
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, node, "not simulated: a servo on a site");
    return;
  }
  keep_to_range(mjcf, &actuator, servo);
  if (servo && actuator.tendon && joints_have_ranges(mjcf, actuator.tendon))
    asp_import_note(import, ASP_IMPORT_IGNORED, node, "joint actuatorfrcrange=", "not simulated for servos on tendons");
  double by = actuator.gear * (servo ? -actuator.bias[1] : 1), factor = servo ? 1 / by : by;
  RobotDrive drive = {.input = actuator.input,
                      .node = node,
                      .joint = actuator.joint ? (int)(actuator.joint - mjcf->robot->joint) : -1,
                      .coupling = actuator.tendon ? actuator.tendon->coupling : NULL,
                      .path = actuator.tendon ? actuator.tendon->path : NULL,
                      .servo = servo,
                      .slope = actuator.gain * factor,
                      .offset = actuator.bias[0] * factor,
                      .kp = -actuator.bias[1] * actuator.gear * actuator.gear,
                      .low = actuator.control_range[0],
                      .high = actuator.control_range[1],
                      .most = fmax(fabs(actuator.low), fabs(actuator.high)),
                      .control = control};
  asp_robot_add_drive(mjcf->robot, &drive);
  if (servo)
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
