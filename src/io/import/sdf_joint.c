/* Joints of SDFormat. The axis is in the frame of the joint, or in that which expressed_in names; in that of the model
 * where use_parent_model_frame says so, and in files before version 1.5. */
#include "io/import/sdf.h"

#include "base/constants.h"
#include "linalg/vec3.h"

static bool is_true(const char *text) { return text && (*text == 't' || *text == 'T' || *text == '1'); }

/* The axis in the frame of the link. */
static void read_direction(Sdf *sdf, const SdfLink *link, const XmlNode *axis, const AspPose *joint_pose,
                           RobotJoint *joint) {
  Import *import = sdf->robot->import;
  const XmlNode *xyz = axis ? asp_xml_child(axis, "xyz") : NULL;
  const SdfModel *model = link->joint_model;
  double v[3] = {0, 0, 1};
  if (xyz)
    asp_import_numbers(import, xyz, xyz->text, v, 3);
  const char *in = xyz ? asp_xml_attribute(xyz, "expressed_in") : NULL;
  AspPose frame = *joint_pose, inner = pose_identity();
  if (axis && (is_true(asp_sdf_text(axis, "use_parent_model_frame")) ||
               (model->is_old && !asp_xml_child(axis, "use_parent_model_frame"))))
    frame = model->pose;
  if (in && *in) {
    if (!asp_sdf_frame(sdf, model->node, in, &inner))
      asp_import_fail(import, xyz, "xyz: there is no link, joint or frame '%s'", in);
    frame = pose_multiply(&model->pose, &inner);
  }
  joint->axis = quat_rotate_back(link->pose.orientation, quat_rotate(frame.orientation, vec3(v[0], v[1], v[2])));
}

static void read_axis(Sdf *sdf, const SdfLink *link, const XmlNode *node, const char *which, const AspPose *joint_pose,
                      RobotJoint *joint) {
  Import *import = sdf->robot->import;
  const XmlNode *axis = asp_xml_child(node, which);
  read_direction(sdf, link, axis, joint_pose, joint);
  const XmlNode *limit = axis ? asp_xml_child(axis, "limit") : NULL,
                *dynamics = axis ? asp_xml_child(axis, "dynamics") : NULL;
  if (limit) {
    double low = asp_import_bound(import, limit, asp_sdf_text(limit, "lower"), -INFINITY),
           high = asp_import_bound(import, limit, asp_sdf_text(limit, "upper"), INFINITY);
    joint->low = low <= high ? low : -INFINITY; // 1e16: the format's "none"
    joint->high = low <= high ? high : INFINITY;
    asp_robot_motor_limits(import, limit, asp_sdf_text(limit, "effort"), asp_sdf_text(limit, "velocity"), joint);
  }
  if (dynamics) {
    joint->damping = fmax(asp_sdf_number(sdf, dynamics, "damping", 0), 0);
    joint->friction = fmax(asp_sdf_number(sdf, dynamics, "friction", 0), 0);
    joint->stiffness = fmax(asp_sdf_number(sdf, dynamics, "spring_stiffness", 0), 0);
    joint->rest = asp_sdf_number(sdf, dynamics, "spring_reference", 0);
  }
}

/* The second axis of a universal joint, on the side of the child. */
static void add_second(Sdf *sdf, const SdfLink *link, const XmlNode *node, const AspPose *joint_pose,
                       const RobotJoint *first) {
  Import *import = sdf->robot->import;
  RobotJoint joint = {.name = asp_import_text(import, "%s_2", first->name),
                      .node = node,
                      .kind = ROBOT_HINGE,
                      .body = first->body,
                      .point = first->point,
                      .low = -INFINITY,
                      .high = INFINITY,
                      .free = first->free};
  read_axis(sdf, link, node, "axis2", joint_pose, &joint);
  if (!(norm3(cross3(joint.axis, first->axis)) > 0))
    asp_import_note(import, ASP_IMPORT_IGNORED, node, "joint axis2", "it has no length, or lies along axis");
  else
    asp_robot_add_joint(sdf->robot, &joint);
}

/* A screw: a slide along the axis of its hinge, coupled by the lead: screw_thread_pitch (m per turn), or thread_pitch
 * of older files (rad per m, with the other sign). */
static void add_thread(Sdf *sdf, const XmlNode *node, const RobotJoint *hinge) {
  Robot *robot = sdf->robot;
  Import *import = robot->import;
  double older = asp_sdf_number(sdf, node, "thread_pitch", 0),
         lead = asp_sdf_number(sdf, node, "screw_thread_pitch", 0) / (2 * ASP_PI);
  RobotJoint slide = {.name = asp_import_text(import, "%s_slide", hinge->name),
                      .node = node,
                      .kind = ROBOT_SLIDE,
                      .body = hinge->body,
                      .point = hinge->point,
                      .axis = hinge->axis,
                      .low = -INFINITY,
                      .high = INFINITY,
                      .free = hinge->free};
  lead = lead == 0 && older != 0 ? -1 / older : lead;
  if (lead == 0) {
    asp_import_note(import, ASP_IMPORT_IGNORED, node, "joint", "a screw without a pitch turns only");
    return;
  }
  int driven = asp_robot_add_joint(robot, &slide);
  RobotCoupling coupling = {.name = asp_import_text(import, "%s.thread", hinge->name),
                            .node = node,
                            .driven = driven,
                            .driver = driven - 1,
                            .polynomial = {0, lead}};
  if (driven > 0)
    asp_robot_add_coupling(robot, &coupling);
}

void asp_sdf_joint(Sdf *sdf, const SdfLink *link) {
  static const struct {
    const char *type;
    RobotJointKind kind;
  } kinds[] = {{"revolute", ROBOT_HINGE}, {"continuous", ROBOT_HINGE}, {"prismatic", ROBOT_SLIDE},
               {"ball", ROBOT_BALL},      {"universal", ROBOT_HINGE},  {"revolute2", ROBOT_HINGE},
               {"screw", ROBOT_HINGE}};
  Import *import = sdf->robot->import;
  const XmlNode *node = link->joint;
  const SdfModel *model = link->joint_model;
  const char *type = asp_import_required(import, node, "type"), *name = asp_import_required(import, node, "name");
  RobotJoint joint = {.name = asp_import_text(import, "%s%s", model->prefix, name),
                      .node = node,
                      .body = link->body,
                      .low = -INFINITY,
                      .high = INFINITY,
                      .free = {{0, 0, 0}, quat_identity()}};
  size_t k = 0;
  while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].type, type) != 0)
    k++;
  if (strcmp(type, "fixed") == 0)
    return;
  if (k == sizeof kinds / sizeof *kinds) {
    asp_import_note(import, ASP_IMPORT_IGNORED, node, "joint",
                    "type '%s' is not simulated: its link is fixed to the parent", type);
    return;
  }
  AspPose in_model = asp_sdf_pose(sdf, model->node, node, 0), own = pose_multiply(&model->pose, &in_model);
  joint.kind = kinds[k].kind;
  joint.point = pose_point_back(&link->pose, own.position);
  read_axis(sdf, link, node, "axis", &own, &joint);
  if (strcmp(type, "continuous") == 0) {
    joint.low = -INFINITY;
    joint.high = INFINITY;
  }
  if (asp_robot_find_joint(sdf->robot, joint.name) >= 0)
    asp_import_fail(import, node, "there are two joints '%s'", joint.name);
  if (!(norm3(joint.axis) > 0))
    asp_import_fail(import, node, "joint: the axis has no length");
  else
    asp_robot_add_joint(sdf->robot, &joint);
  if (strcmp(type, "universal") == 0 || strcmp(type, "revolute2") == 0)
    add_second(sdf, link, node, &own, &joint);
  if (strcmp(type, "screw") == 0)
    add_thread(sdf, node, &joint);
}

/* ---- couplings ---- */

/* The hinge of a link; -1: none. */
static int hinge_of(Sdf *sdf, const SdfModel *model, const char *name) {
  const SdfLink *link = asp_sdf_resolve(sdf, model->node, name);
  const RobotBody *at = link && link->body >= 0 ? &sdf->robot->body[link->body] : NULL;
  return at && at->joints == 1 && sdf->robot->joint[at->first_joint].kind == ROBOT_HINGE ? at->first_joint : -1;
}

/* Angles of two links that turn against one body: that of the child = -gearbox_ratio that of the parent. */
void asp_sdf_gearbox(Sdf *sdf, const SdfModel *model, XmlNode *node) {
  Import *import = sdf->robot->import;
  const char *reference = asp_sdf_name(sdf, node, "gearbox_reference_body");
  int driver = hinge_of(sdf, model, asp_sdf_name(sdf, node, "parent")),
      driven = hinge_of(sdf, model, asp_sdf_name(sdf, node, "child"));
  double ratio = asp_sdf_number(sdf, node, "gearbox_ratio", 1);
  node->used = true;
  if (driver < 0 || driven < 0 || driver == driven || ratio == 0) {
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, node,
                         "not simulated: a gearbox of links that do not turn on one axis each");
    return;
  }
  const RobotBody *body = sdf->robot->body;
  const RobotJoint *joint = sdf->robot->joint;
  if (body[joint[driver].body].parent != body[joint[driven].body].parent)
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, node, "joint gearbox",
                    "couples the hinges of its two links, which do not turn on one body (%s)", reference);
  for (const XmlNode *part = node->child; part; part = part->next)
    if (strncmp(part->name, "axis", 4) == 0)
      asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, part, "of a gearbox: the axes are those of the hinges");
  RobotCoupling coupling = {
      .name = asp_import_text(import, "%s%s", model->prefix, asp_import_required(import, node, "name")),
      .node = node,
      .driven = driven,
      .driver = driver,
      .polynomial = {0, -ratio}};
  asp_robot_add_coupling(sdf->robot, &coupling);
}

/* mimic: coordinate = multiplier (that of the other - reference) + offset. */
void asp_sdf_mimic(Sdf *sdf, const SdfModel *model, const XmlNode *node) {
  Robot *robot = sdf->robot;
  Import *import = robot->import;
  const XmlNode *axis = asp_xml_child(node, "axis"), *mimic = axis ? asp_xml_child(axis, "mimic") : NULL;
  if (!mimic)
    return;
  const char *leader = asp_import_text(import, "%s%s", model->prefix, asp_import_required(import, mimic, "joint")),
             *own = asp_import_text(import, "%s%s", model->prefix, asp_import_required(import, node, "name"));
  int driver = asp_robot_find_joint(robot, leader), driven = asp_robot_find_joint(robot, own);
  double by = asp_sdf_number(sdf, mimic, "multiplier", 1), offset = asp_sdf_number(sdf, mimic, "offset", 0),
         reference = asp_sdf_number(sdf, mimic, "reference", 0);
  const char *which = asp_xml_attribute(mimic, "axis");
  if (driver < 0 || driven < 0 || driver == driven || by == 0 || (which && strcmp(which, "axis") != 0) ||
      robot->joint[driver].kind > ROBOT_SLIDE || robot->joint[driven].kind > ROBOT_SLIDE) {
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, mimic,
                         "not simulated: it needs two joints of one coordinate each, and a multiplier");
    return;
  }
  RobotCoupling coupling = {.name = asp_import_text(import, "%s.mimic", own),
                            .node = mimic,
                            .driven = driven,
                            .driver = driver,
                            .polynomial = {offset - by * reference, by}};
  asp_robot_add_coupling(robot, &coupling);
}
