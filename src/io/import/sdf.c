/* SDFormat: worlds and models with links and joints. Poses are "x y z roll pitch yaw" in the frame that relative_to
 * names: by default that of the model for links, of the child for joints, of the link for what is on it. A link whose
 * joint's parent is known becomes its child; one without a joint is free, or fixed in a static model. Source:
 * sdformat.org, specification 1.9, and "Pose frame semantics". Shapes and inertias are in sdf_link.c.
 */
#include "io/import/sdf.h"
#include "base/constants.h"
#include "base/elementary.h"

#include "linalg/vec3.h"

#define DEPTH_MAX 32

/* ---- texts ---- */

const char *asp_sdf_text(const XmlNode *node, const char *name) {
  const XmlNode *child = node ? asp_xml_child(node, name) : NULL;
  if (!child)
    return NULL;
  const char *text = child->text + strspn(child->text, " \t\r\n");
  return text;
}

double asp_sdf_number(Sdf *sdf, const XmlNode *node, const char *name, double otherwise) {
  const char *text = asp_sdf_text(node, name);
  double number = otherwise;
  if (!text || strncmp(text, "inf", 3) == 0 || strncmp(text, "-inf", 4) == 0)
    return otherwise;
  return asp_import_numbers(sdf->robot->import, node, text, &number, 1) == 1 ? number : otherwise;
}

/* The text without blanks at its ends. */
static const char *name_in(Sdf *sdf, const XmlNode *node, const char *name) {
  const char *text = asp_sdf_text(node, name);
  return text ? asp_import_text(sdf->robot->import, "%.*s", (int)strcspn(text, " \t\r\n"), text) : "";
}

AspPose asp_sdf_pose(Sdf *sdf, const XmlNode *node) {
  const XmlNode *pose = asp_xml_child(node, "pose");
  double v[7] = {0};
  const char *degrees = pose ? asp_xml_attribute(pose, "degrees") : NULL,
             *format = pose ? asp_xml_attribute(pose, "rotation_format") : NULL;
  int count = pose ? asp_import_numbers(sdf->robot->import, pose, pose->text, v, 7) : 0;
  if (format && strcmp(format, "quat_xyzw") == 0 && count == 7)
    return (AspPose){{v[0], v[1], v[2]}, quat_normalize((AspQuat){v[6], v[3], v[4], v[5]})};
  if (count > 6)
    asp_import_fail(sdf->robot->import, pose, "pose: there are %d numbers, 6 are expected", count);
  double unit = degrees && strcmp(degrees, "true") == 0 ? asp_atan(1) / 45 : 1;
  return (AspPose){{v[0], v[1], v[2]}, asp_import_rpy(unit * v[3], unit * v[4], unit * v[5])};
}

/* ---- frames ---- */

static const XmlNode *find_named(const XmlNode *model, const char *name) {
  static const char *const kinds[] = {"link", "joint", "frame"};
  for (int i = 0; i < 3; i++)
    for (const XmlNode *node = asp_xml_child(model, kinds[i]); node; node = asp_xml_next(node)) {
      const char *own = asp_xml_attribute(node, "name");
      if (own && strcmp(own, name) == 0)
        return node;
    }
  return NULL;
}

static AspPose pose_in_model(Sdf *sdf, const XmlNode *model, const XmlNode *node, int depth);

/* The frame of a name that may lie in models within: "inner::link", or that of a model within. False: there is none. */
static bool find_frame(Sdf *sdf, const XmlNode *model, const char *name, int depth, AspPose *pose) {
  const char *rest = strstr(name, "::");
  const XmlNode *own = rest ? NULL : find_named(model, name);
  if (own) {
    *pose = pose_in_model(sdf, model, own, depth + 1);
    return true;
  }
  size_t length = rest ? (size_t)(rest - name) : strlen(name);
  for (const XmlNode *inner = asp_xml_child(model, "model"); inner && depth <= DEPTH_MAX; inner = asp_xml_next(inner)) {
    const char *title = asp_xml_attribute(inner, "name");
    AspPose outer = asp_sdf_pose(sdf, inner), within = pose_identity();
    if (!title || strlen(title) != length || strncmp(title, name, length) != 0)
      continue;
    if (rest && !find_frame(sdf, inner, rest + 2, depth + 1, &within))
      return false;
    *pose = pose_multiply(&outer, &within);
    return true;
  }
  return false;
}

/* The pose of a link, joint or frame in its model. */
static AspPose pose_in_model(Sdf *sdf, const XmlNode *model, const XmlNode *node, int depth) {
  const XmlNode *pose = asp_xml_child(node, "pose");
  const char *attached = asp_xml_attribute(node, "attached_to");
  const char *to = pose ? asp_xml_attribute(pose, "relative_to") : NULL;
  AspPose own = asp_sdf_pose(sdf, node);
  if (!to || !*to)
    to = strcmp(node->name, "joint") == 0   ? name_in(sdf, node, "child")
         : strcmp(node->name, "frame") == 0 ? attached
                                            : NULL;
  if (!to || !*to || strcmp(to, "__model__") == 0)
    return own;
  AspPose outer = pose_identity();
  if (depth > DEPTH_MAX || !find_frame(sdf, model, to, depth, &outer)) {
    asp_import_fail(sdf->robot->import, node,
                    depth > DEPTH_MAX ? "%s: frames that hang on each other in a ring: '%s'"
                                      : "%s: there is no link, joint or frame '%s'",
                    node->name, to);
    return own;
  }
  return pose_multiply(&outer, &own);
}

/* ---- joints ---- */

static void read_axis(Sdf *sdf, const SdfModel *model, const XmlNode *node, const char *which, const AspPose *in_link,
                      RobotJoint *joint) {
  Import *import = sdf->robot->import;
  const XmlNode *axis = asp_xml_child(node, which), *xyz = axis ? asp_xml_child(axis, "xyz") : NULL;
  double v[3] = {0, 0, 1};
  if (xyz)
    asp_import_numbers(import, xyz, xyz->text, v, 3);
  joint->axis = quat_rotate(in_link->orientation, vec3(v[0], v[1], v[2]));
  const char *in = xyz ? asp_xml_attribute(xyz, "expressed_in") : NULL;
  if (in && *in) {
    AspPose outer = pose_identity();
    if (strcmp(in, "__model__") != 0 && !find_frame(sdf, model->node, in, 0, &outer))
      asp_import_fail(import, xyz, "xyz: there is no link, joint or frame '%s'", in);
    AspPose link = pose_in_model(sdf, model->node, sdf->robot->body[joint->body].node, 0);
    joint->axis = quat_rotate_back(link.orientation, quat_rotate(outer.orientation, vec3(v[0], v[1], v[2])));
  }
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
static void add_second(Sdf *sdf, const SdfModel *model, const XmlNode *node, const AspPose *in_link,
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
  read_axis(sdf, model, node, "axis2", in_link, &joint);
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

static void read_joint(Sdf *sdf, const SdfModel *model, const XmlNode *node, int body) {
  static const struct {
    const char *type;
    RobotJointKind kind;
  } kinds[] = {{"revolute", ROBOT_HINGE}, {"continuous", ROBOT_HINGE}, {"prismatic", ROBOT_SLIDE},
               {"ball", ROBOT_BALL},      {"universal", ROBOT_HINGE},  {"revolute2", ROBOT_HINGE},
               {"screw", ROBOT_HINGE}};
  Import *import = sdf->robot->import;
  const char *type = asp_import_required(import, node, "type"), *name = asp_import_required(import, node, "name");
  RobotJoint joint = {.name = asp_import_text(import, "%s%s", model->prefix, name),
                      .node = node,
                      .body = body,
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
  AspPose own = pose_in_model(sdf, model->node, node, 0),
          link = pose_in_model(sdf, model->node, sdf->robot->body[body].node, 0);
  AspPose in_link = {quat_rotate_back(link.orientation, sub3(own.position, link.position)),
                     quat_multiply(quat_conjugate(link.orientation), own.orientation)};
  joint.kind = kinds[k].kind;
  joint.point = in_link.position;
  read_axis(sdf, model, node, "axis", &in_link, &joint);
  if (strcmp(type, "continuous") == 0) {
    joint.low = -INFINITY;
    joint.high = INFINITY;
  }
  if (!(norm3(joint.axis) > 0))
    asp_import_fail(import, node, "joint: the axis has no length");
  else
    asp_robot_add_joint(sdf->robot, &joint);
  if (strcmp(type, "universal") == 0 || strcmp(type, "revolute2") == 0)
    add_second(sdf, model, node, &in_link, &joint);
  if (strcmp(type, "screw") == 0)
    add_thread(sdf, node, &joint);
}

/* ---- models ---- */

static int find_link(const Sdf *sdf, const XmlNode *link, int first) {
  for (int i = first; i < sdf->robot->bodies; i++)
    if (sdf->robot->body[i].node == link)
      return i;
  return -1;
}

static bool is_gearbox(const XmlNode *joint) {
  const char *type = asp_xml_attribute(joint, "type");
  return type && strcmp(type, "gearbox") == 0;
}

static XmlNode *joint_above(Sdf *sdf, const SdfModel *model, const char *link) {
  for (XmlNode *joint = asp_xml_child(model->node, "joint"); joint; joint = asp_xml_next(joint))
    if (!is_gearbox(joint) && strcmp(name_in(sdf, joint, "child"), link) == 0)
      return joint;
  return NULL;
}

/* The hinge of a link; -1: none. */
static int hinge_of(const Sdf *sdf, const SdfModel *model, const char *name, int first) {
  const XmlNode *link = find_named(model->node, name);
  int body = link ? find_link(sdf, link, first) : -1;
  const RobotBody *at = body >= 0 ? &sdf->robot->body[body] : NULL;
  return at && at->joints == 1 && sdf->robot->joint[at->first_joint].kind == ROBOT_HINGE ? at->first_joint : -1;
}

/* Angles of two links that turn against one body: that of the child = -gearbox_ratio that of the parent. */
static void couple_gearbox(Sdf *sdf, const SdfModel *model, XmlNode *node, int first) {
  Import *import = sdf->robot->import;
  const char *reference = name_in(sdf, node, "gearbox_reference_body");
  int driver = hinge_of(sdf, model, name_in(sdf, node, "parent"), first),
      driven = hinge_of(sdf, model, name_in(sdf, node, "child"), first);
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
static void couple_mimic(Sdf *sdf, const SdfModel *model, const XmlNode *node) {
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

static void add_link(Sdf *sdf, const SdfModel *model, XmlNode *link, const XmlNode *joint, int parent) {
  Robot *robot = sdf->robot;
  Import *import = robot->import;
  AspPose in_model = pose_in_model(sdf, model->node, link, 0), world = pose_multiply(&model->pose, &in_model);
  RobotBody body = {.name = asp_import_text(import, "%s%s", model->prefix, asp_import_required(import, link, "name")),
                    .node = link,
                    .parent = parent,
                    .pose = world};
  if (parent >= 0) {
    AspPose outer = sdf->world[parent];
    body.pose = (AspPose){pose_point_back(&outer, world.position),
                          quat_multiply(quat_conjugate(outer.orientation), world.orientation)};
  }
  asp_sdf_inertial(sdf, link, &body.mass);
  if (robot->bodies >= SDF_LINKS_MAX)
    asp_import_fail(import, link, "more than %d links", SDF_LINKS_MAX);
  int index = import->error == ASP_OK ? asp_robot_add_body(robot, &body) : -1;
  if (index < 0)
    return;
  sdf->world[index] = world;
  asp_sdf_shapes(sdf, link, index);
  if (joint)
    read_joint(sdf, model, joint, index);
  else if (!model->is_static)
    asp_robot_add_joint(robot,
                        &(RobotJoint){.name = "", .node = link, .kind = ROBOT_FREE, .body = index, .free = world});
}

/* Links whose parent is there already, until no more can be added. */
static void add_links(Sdf *sdf, const SdfModel *model) {
  Import *import = sdf->robot->import;
  int first = sdf->robot->bodies, before = -1;
  for (bool last = false; import->error == ASP_OK && !last; before = sdf->robot->bodies) {
    last = before == sdf->robot->bodies;
    for (XmlNode *link = asp_xml_child(model->node, "link"); link && import->error == ASP_OK;
         link = asp_xml_next(link)) {
      const XmlNode *joint = joint_above(sdf, model, asp_import_required(import, link, "name")), *parent = NULL;
      if (find_link(sdf, link, first) >= 0)
        continue;
      const char *above = joint ? name_in(sdf, joint, "parent") : "";
      if (joint && strcmp(above, "world") != 0) {
        parent = find_named(model->node, above);
        int index = parent ? find_link(sdf, parent, first) : -1;
        if (!parent && strstr(above, "::"))
          add_link(sdf, model, link, NULL, ROBOT_WORLD); // reported below
        else if (!parent)
          asp_import_fail(import, joint, "joint: there is no link '%s'", above);
        else if (index >= 0 || last)
          add_link(sdf, model, link, joint, index);
      } else {
        add_link(sdf, model, link, joint, ROBOT_WORLD);
      }
    }
  }
  for (XmlNode *joint = asp_xml_child(model->node, "joint"); joint; joint = asp_xml_next(joint))
    if (strstr(name_in(sdf, joint, "child"), "::") || strstr(name_in(sdf, joint, "parent"), "::"))
      asp_import_leave_out(import, ASP_IMPORT_IGNORED, joint, "not simulated: a joint to a link of another model");
    else if (is_gearbox(joint))
      couple_gearbox(sdf, model, joint, first);
    else if (joint_above(sdf, model, name_in(sdf, joint, "child")) == joint)
      couple_mimic(sdf, model, joint);
    else
      asp_import_leave_out(import, ASP_IMPORT_IGNORED, joint, "not simulated: a second joint on one link");
}

static void read_model(Sdf *sdf, XmlNode *node, AspPose outer, const char *prefix, int depth) {
  Import *import = sdf->robot->import;
  const char *still = asp_sdf_text(node, "static");
  asp_xml_attribute(node, "canonical_link"); // says where the model's frame is when it moves
  AspPose pose = asp_sdf_pose(sdf, node);
  SdfModel model = {node, prefix, pose_multiply(&outer, &pose), still && (*still == 't' || *still == '1')};
  if (depth > DEPTH_MAX)
    asp_import_fail(import, node, "models within models, too deep");
  if (import->error != ASP_OK)
    return;
  add_links(sdf, &model);
  for (XmlNode *inner = asp_xml_child(node, "model"); inner; inner = asp_xml_next(inner)) {
    const char *name = asp_import_required(import, inner, "name");
    read_model(sdf, inner, model.pose, asp_import_text(import, "%s%s::", prefix, name), depth + 1);
  }
}

static void read_all(Sdf *sdf, XmlNode *node) {
  Import *import = sdf->robot->import;
  for (XmlNode *model = asp_xml_child(node, "model"); model && import->error == ASP_OK; model = asp_xml_next(model)) {
    const char *name = asp_xml_attribute(model, "name");
    bool alone = !asp_xml_next(model) && sdf->robot->bodies == 0;
    sdf->robot->name = name ? name : "robot";
    read_model(sdf, model, pose_identity(), alone ? "" : asp_import_text(import, "%s::", name ? name : ""), 0);
  }
}

void asp_import_sdf(Import *import, XmlNode *root, Robot *robot) {
  Sdf sdf = {.robot = robot, .world = asp_import_take(import, SDF_LINKS_MAX, sizeof *sdf.world)};
  double gravity[3] = {0, 0, -9.81};
  root->used = true;
  robot->name = "robot";
  robot->joined_apart = true;
  asp_xml_attribute(root, "version");
  if (!sdf.world)
    return;
  asp_sdf_include(&sdf, root, import->folder, 0);
  for (XmlNode *world = asp_xml_child(root, "world"); world; world = asp_xml_next(world)) {
    const XmlNode *node = asp_xml_child(world, "gravity");
    if (node)
      asp_import_numbers(import, node, node->text, gravity, 3);
    asp_xml_attribute(world, "name");
    read_all(&sdf, world);
  }
  read_all(&sdf, root);
  if (import->error == ASP_OK && robot->bodies == 0)
    asp_import_fail(import, root, "there is no model with a link in it");
  asp_robot_add_motors(robot);
  asp_sdf_set_aside(import, root);
  asp_json_vector(robot->scene, "gravity", vec3(gravity[0], gravity[1], gravity[2]));
  asp_sdf_write_friction(&sdf);
}
