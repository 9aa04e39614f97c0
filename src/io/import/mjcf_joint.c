/* Joints of MJCF bodies. Positions and axes are in the frame of the body; `ref` is the coordinate in the pose that the
 * file gives. */
#include "io/import/mjcf.h"

#include "linalg/vec3.h"

#include <stdio.h>

static const struct {
  const char *name;
  RobotJointKind kind;
} kinds[] = {{"hinge", ROBOT_HINGE}, {"slide", ROBOT_SLIDE}, {"ball", ROBOT_BALL}, {"free", ROBOT_FREE}};

static bool find_kind(const char *name, RobotJointKind *kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0) {
      *kind = kinds[i].kind;
      return true;
    }
  return false;
}

/* The first of up to three coefficients; the others belong to powers of the coordinate. */
static double first_of(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *name) {
  double number[3] = {0};
  int count = asp_mjcf_numbers(mjcf, scope, node, "joint", name, number, 3);
  if (count > 1 && (number[1] != 0 || number[2] != 0))
    asp_import_note(mjcf->robot->import, ASP_IMPORT_IGNORED, node,
                    asp_import_text(mjcf->robot->import, "joint %s=", name),
                    "not simulated: coefficients of higher powers");
  return count > 0 ? number[0] : 0;
}

static void read_coordinate(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, RobotJoint *joint) {
  const MjcfModel *model = scope->model;
  bool turns = joint->kind == ROBOT_HINGE;
  double range[2] = {0}, number;
  bool given = asp_mjcf_numbers(mjcf, scope, node, "joint", "range", range, 2) == 2;
  bool limited = asp_mjcf_flag(mjcf, scope, node, "joint", "limited", model->auto_limits && given);
  if (limited && given && range[0] < range[1] && joint->kind == ROBOT_BALL)
    asp_import_note(mjcf->robot->import, ASP_IMPORT_IGNORED, node,
                    "ball joint range=", "not simulated: the angle is not limited");
  else if (limited && given && range[0] < range[1] && !mjcf->off.limit) {
    joint->low = turns ? asp_mjcf_angle(model, range[0]) : range[0];
    joint->high = turns ? asp_mjcf_angle(model, range[1]) : range[1];
  }
  double drive[2] = {0};
  given = asp_mjcf_numbers(mjcf, scope, node, "joint", "actuatorfrcrange", drive, 2) == 2;
  if (asp_mjcf_flag(mjcf, scope, node, "joint", "actuatorfrclimited", model->auto_limits && given) && given) {
    joint->drive_low = drive[0];
    joint->drive_high = drive[1];
  }
  number = asp_mjcf_number(mjcf, scope, node, "joint", "ref", 0);
  joint->reference = joint->value = turns ? asp_mjcf_angle(model, number) : number;
  number = asp_mjcf_number(mjcf, scope, node, "joint", "springref", 0);
  joint->rest = turns ? asp_mjcf_angle(model, number) : number;
}

static void read_damping(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, RobotJoint *joint) {
  Import *import = mjcf->robot->import;
  joint->damping = first_of(mjcf, scope, node, "damping");
  joint->stiffness = first_of(mjcf, scope, node, "stiffness");
  joint->friction = asp_mjcf_number(mjcf, scope, node, "joint", "frictionloss", 0);
  joint->armature = asp_mjcf_number(mjcf, scope, node, "joint", "armature", 0);
  if (mjcf->off.frictionloss)
    joint->friction = 0;
  if (mjcf->off.spring)
    joint->stiffness = 0;
  if (mjcf->off.damper)
    joint->damping = 0;
  double spring[2];
  if (asp_mjcf_numbers(mjcf, scope, node, "joint", "springdamper", spring, 2) == 2 && (spring[0] > 0 || spring[1] > 0))
    asp_import_note(import, ASP_IMPORT_IGNORED, node,
                    "joint springdamper=", "not simulated; give stiffness and damping");
  if (joint->kind == ROBOT_HINGE || joint->kind == ROBOT_SLIDE)
    return;
  bool ball = joint->kind == ROBOT_BALL;
  if (ball && joint->friction > 0)
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, node,
                    "ball joint frictionloss=", "limits the size of the torque, not each of its components");
  const struct {
    const char *name;
    double *value;
  } parts[] = {{"damping", &joint->damping},
               {"stiffness", &joint->stiffness},
               {"frictionloss", &joint->friction},
               {"armature", &joint->armature}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (*parts[i].value != 0 && !(ball && i < 3) && !(joint->kind == ROBOT_FREE && i == 0 && joint->damping > 0)) {
      *parts[i].value = 0;
      asp_import_note(import, ASP_IMPORT_IGNORED, node,
                      asp_import_text(import, "%s joint %s=", ball ? "ball" : "free", parts[i].name), "not simulated");
    }
}

static void read_joint(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, int body, AspPose frame) {
  Robot *robot = mjcf->robot;
  bool free = strcmp(node->name, "freejoint") == 0;
  const char *type = free ? "free" : asp_mjcf_attribute(mjcf, scope, node, "joint", "type");
  const char *name = asp_mjcf_title(mjcf, scope, node);
  RobotJoint joint = {.name = name,
                      .node = node,
                      .body = body,
                      .low = -INFINITY,
                      .high = INFINITY,
                      .free = {{0, 0, 0}, quat_identity()}};
  double v[3] = {0, 0, 1};
  if (!find_kind(type ? type : "hinge", &joint.kind)) {
    asp_import_fail(robot->import, node, "joint: type '%s' is not hinge, slide, ball or free", type);
    return;
  }
  int place = robot->body[body].joints;
  if (!name)
    joint.name = asp_import_text(robot->import, place ? "%s.joint%d" : "%s.joint", robot->body[body].name, place);
  if (!free) {
    asp_mjcf_numbers(mjcf, scope, node, "joint", "axis", v, 3);
    joint.axis = quat_rotate(frame.orientation, vec3(v[0], v[1], v[2]));
    v[0] = v[1] = v[2] = 0;
    asp_mjcf_numbers(mjcf, scope, node, "joint", "pos", v, 3);
    joint.point = pose_point(&frame, vec3(v[0], v[1], v[2]));
    read_coordinate(mjcf, scope, node, &joint);
    read_damping(mjcf, scope, node, &joint);
  }
  if (!(norm3(joint.axis) > 0) && (joint.kind == ROBOT_HINGE || joint.kind == ROBOT_SLIDE))
    asp_import_fail(robot->import, node, "joint: the axis has no length");
  if (name && asp_robot_find_joint(robot, joint.name) >= 0)
    asp_import_fail(robot->import, node, "there are two joints '%s'", joint.name);
  if (joint.kind == ROBOT_FREE)
    joint.free = robot->body[body].pose; // a child of the world
  asp_robot_add_joint(robot, &joint);
}

void asp_mjcf_joints(Mjcf *mjcf, MjcfScope scope, const XmlNode *node, int body, AspPose frame) {
  for (XmlNode *child = node->child; child && mjcf->robot->import->error == ASP_OK; child = child->next) {
    if (strcmp(child->name, "joint") == 0 || strcmp(child->name, "freejoint") == 0) {
      child->used = true;
      read_joint(mjcf, &scope, child, body, frame);
    } else if (strcmp(child->name, "frame") == 0) {
      AspPose pose = asp_mjcf_pose(mjcf, &scope, child, NULL);
      asp_mjcf_joints(mjcf, scope, child, body, pose_multiply(&frame, &pose));
    }
  }
}
