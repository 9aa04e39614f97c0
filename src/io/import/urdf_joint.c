/* Joints of URDF. The axis is in the frame of the joint, which is that of the child; default x. */
#include "io/import/urdf.h"

#include "linalg/vec3.h"

static void read_mimic(Urdf *urdf, const XmlNode *node, int joint) {
  Import *import = urdf->robot->import;
  const XmlNode *mimic = asp_xml_child(node, "mimic");
  UrdfMimic *item = mimic ? asp_import_take(import, 1, sizeof *item) : NULL;
  if (!item)
    return;
  *item = (UrdfMimic){mimic,
                      joint,
                      asp_import_required(import, mimic, "joint"),
                      asp_import_number(import, mimic, "multiplier", 1),
                      asp_import_number(import, mimic, "offset", 0),
                      NULL};
  if (urdf->last_mimic)
    urdf->last_mimic->next = item;
  else
    urdf->mimics = item;
  urdf->last_mimic = item;
}

static void read_limits(Import *import, const XmlNode *node, bool limited, RobotJoint *joint) {
  const XmlNode *limit = asp_xml_child(node, "limit");
  if (!limit)
    return;
  double low = asp_import_bound(import, limit, asp_xml_attribute(limit, "lower"), 0),
         high = asp_import_bound(import, limit, asp_xml_attribute(limit, "upper"), 0);
  if (limited && low <= high) {
    joint->low = low;
    joint->high = high;
  } else if (limited) {
    asp_import_note(import, ASP_IMPORT_IGNORED, limit, "limit", "lower is above upper: the joint has no limits");
  }
  asp_robot_motor_limits(import, limit, asp_xml_attribute(limit, "effort"), asp_xml_attribute(limit, "velocity"),
                         joint);
}

static void read_dynamics(Import *import, const XmlNode *node, RobotJoint *joint) {
  const XmlNode *dynamics = asp_xml_child(node, "dynamics");
  if (!dynamics)
    dynamics = asp_xml_child(node, "joint_properties"); // its name before 2010, still found
  if (!dynamics)
    return;
  joint->damping = asp_import_number(import, dynamics, "damping", 0);
  joint->friction = asp_import_number(import, dynamics, "friction", 0);
  if (joint->damping < 0 || joint->friction < 0) {
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, dynamics, "dynamics", "negative damping or friction counts as 0");
    joint->damping = fmax(joint->damping, 0);
    joint->friction = fmax(joint->friction, 0);
  }
}

static void leave_out(Import *import, const XmlNode *node) {
  for (const XmlNode *child = node->child; child; child = child->next) {
    if (strcmp(child->name, "safety_controller") == 0)
      asp_import_leave_out(import, ASP_IMPORT_IGNORED, child, "limits of a controller, which is not simulated");
    if (strcmp(child->name, "calibration") == 0)
      asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, child, "positions of reference marks");
  }
}

void asp_urdf_joint(Urdf *urdf, const XmlNode *node, int body) {
  Import *import = urdf->robot->import;
  const char *type = asp_import_required(import, node, "type");
  RobotJoint joint = {.name = asp_import_required(import, node, "name"),
                      .node = node,
                      .body = body,
                      .low = -INFINITY,
                      .high = INFINITY};
  static const struct {
    const char *type;
    RobotJointKind kind;
    bool limited;
  } kinds[] = {{"revolute", ROBOT_HINGE, true}, {"continuous", ROBOT_HINGE, false}, {"prismatic", ROBOT_SLIDE, true},
               {"planar", ROBOT_PLANE, false},  {"floating", ROBOT_FREE, false},    {"spherical", ROBOT_BALL, false}};
  const XmlNode *axis = asp_xml_child(node, "axis");
  double xyz[3] = {1, 0, 0};
  if (axis)
    asp_import_vector(import, axis, "xyz", xyz, 3);
  if (axis && asp_xml_attribute(axis, "rpy"))
    asp_import_note(import, ASP_IMPORT_IRRELEVANT, axis, "axis rpy=", "an axis has no orientation");
  joint.axis = vec3(xyz[0], xyz[1], xyz[2]);
  leave_out(import, node);
  if (strcmp(type, "fixed") == 0) { // a part of its parent
    for (const XmlNode *child = node->child; child; child = child->next)
      if (!child->used && !child->reported &&
          (strcmp(child->name, "limit") == 0 || strcmp(child->name, "dynamics") == 0 ||
           strcmp(child->name, "mimic") == 0))
        asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, child, "of a fixed joint");
    return;
  }
  size_t k = 0;
  while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].type, type) != 0)
    k++;
  if (k == sizeof kinds / sizeof *kinds) {
    asp_import_fail(import, node,
                    "joint type '%s' is not known; revolute, continuous, prismatic, fixed, floating, planar and "
                    "spherical are",
                    type);
    return;
  }
  joint.kind = kinds[k].kind;
  if (asp_robot_find_joint(urdf->robot, joint.name) >= 0)
    asp_import_fail(import, node, "there are two joints '%s'", joint.name);
  if (!(norm3(joint.axis) > 0) && joint.kind != ROBOT_FREE && joint.kind != ROBOT_BALL) {
    asp_import_fail(import, node, "the axis of the joint '%s' has no length", joint.name);
    return;
  }
  read_limits(import, node, kinds[k].limited, &joint);
  read_dynamics(import, node, &joint);
  joint.free = (AspPose){{0, 0, 0}, quat_identity()};
  for (int up = body; up >= 0 && joint.kind == ROBOT_FREE; up = urdf->robot->body[up].parent)
    joint.free = pose_multiply(&urdf->robot->body[up].pose, &joint.free); // where all joints have 0
  int index = asp_robot_add_joint(urdf->robot, &joint);
  if (index >= 0)
    read_mimic(urdf, node, index);
}

/* ---- mimic ---- */

static bool has_coordinate(const RobotJoint *joint) { return joint->kind == ROBOT_HINGE || joint->kind == ROBOT_SLIDE; }

/* The joint stays where it is. */
static void hold(Urdf *urdf, const UrdfMimic *mimic) {
  RobotJoint *joint = &urdf->robot->joint[mimic->joint];
  joint->extra = asp_import_object(urdf->robot->import);
  joint->value = mimic->offset;
  asp_json_add_number(joint->extra, joint->kind == ROBOT_HINGE ? "angle" : "displacement", mimic->offset);
}

static bool is_fixed(const Urdf *urdf, const char *name) {
  for (XmlNode *joint = asp_xml_child(urdf->root, "joint"); joint; joint = asp_xml_next(joint)) {
    const char *own = asp_xml_attribute(joint, "name"), *type = asp_xml_attribute(joint, "type");
    if (own && type && strcmp(own, name) == 0 && strcmp(type, "fixed") == 0)
      return true;
  }
  return false;
}

void asp_urdf_couple(Urdf *urdf) {
  Robot *robot = urdf->robot;
  Import *import = robot->import;
  for (UrdfMimic *mimic = urdf->mimics; mimic && import->error == ASP_OK; mimic = mimic->next) {
    int other = asp_robot_find_joint(robot, mimic->other);
    const RobotJoint *joint = &robot->joint[mimic->joint];
    bool fixed = other < 0 && is_fixed(urdf, mimic->other); // its coordinate is 0
    if (!has_coordinate(joint) || joint->extra ||
        (!fixed && (other < 0 || other == mimic->joint || !has_coordinate(&robot->joint[other])))) {
      asp_import_leave_out(import, ASP_IMPORT_IGNORED, mimic->node,
                           asp_import_text(import, "'%s' is not another joint with one coordinate", mimic->other));
      continue;
    }
    RobotCoupling coupling = {.name = asp_import_text(import, "%s.mimic", joint->name),
                              .node = mimic->node,
                              .driven = mimic->joint,
                              .driver = other,
                              .polynomial = {mimic->offset, mimic->multiplier}};
    if (fixed || mimic->multiplier == 0)
      hold(urdf, mimic);
    else
      asp_robot_add_coupling(robot, &coupling);
  }
}
