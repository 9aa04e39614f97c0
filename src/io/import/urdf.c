/* URDF: links and joints by name, from the roots down. The frame of a link is that of the joint it hangs on; inertias,
 * shapes and joints have an origin (xyz, then rpy about fixed axes) in it. Source: wiki.ros.org/urdf/XML. Joints are in
 * urdf_joint.c, shapes in urdf_shape.c.
 */
#include "io/import/urdf.h"

#include "linalg/vec3.h"

#include <stdlib.h>

AspPose asp_urdf_origin(Import *import, const XmlNode *node) {
  const XmlNode *origin = asp_xml_child(node, "origin");
  double xyz[3] = {0}, rpy[3] = {0};
  if (origin) {
    asp_import_vector(import, origin, "xyz", xyz, 3);
    asp_import_vector(import, origin, "rpy", rpy, 3);
  }
  return (AspPose){{xyz[0], xyz[1], xyz[2]}, asp_import_rpy(rpy[0], rpy[1], rpy[2])};
}

/* ---- inertia ---- */

static void read_inertial(Import *import, const XmlNode *link, AspMassProperties *mass) {
  const XmlNode *node = asp_xml_child(link, "inertial");
  const XmlNode *weight = node ? asp_xml_child(node, "mass") : NULL,
                *inertia = node ? asp_xml_child(node, "inertia") : NULL;
  if (!node)
    return;
  AspPose origin = asp_urdf_origin(import, node);
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double m = weight ? asp_import_number(import, weight, "value", 0) : 0, I[6] = {0};
  for (int i = 0; inertia && i < 6; i++)
    I[i] = asp_import_number(import, inertia, names[i], 0);
  if (m < 0)
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, node, "inertial", "a negative mass counts as none");
  if (m == 0 && (I[0] != 0 || I[1] != 0 || I[2] != 0))
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, node, "inertial", "without mass its inertia does not count");
  if (!(m > 0))
    return;
  AspMassProperties own = {m, {0, 0, 0}, {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}}};
  if (asp_import_repair(import, &own))
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, node, "inertia",
                    "not positive definite: eigenvalues that are too small were raised");
  *mass = asp_mass_transform(&own, &origin);
}

/* ---- links ---- */

static int read_link(Urdf *urdf, XmlNode *link, int parent, AspPose pose) {
  Import *import = urdf->robot->import;
  RobotBody body = {.name = asp_import_required(import, link, "name"), .node = link, .parent = parent, .pose = pose};
  read_inertial(import, link, &body.mass);
  if (asp_robot_find_body(urdf->robot, body.name) >= 0)
    asp_import_fail(import, link, "there are two links '%s', or joints that close a loop", body.name);
  int index = import->error == ASP_OK ? asp_robot_add_body(urdf->robot, &body) : -1;
  if (index >= 0)
    asp_urdf_shapes(urdf, link, index);
  return index;
}

static const char *end_of(const XmlNode *joint, const char *which) {
  const XmlNode *node = asp_xml_child(joint, which);
  const char *name = node ? asp_xml_attribute(node, "link") : NULL;
  return name ? name : "";
}

static int compare(const void *a, const void *b) {
  const struct UrdfNamed *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : x->place - y->place;
}

/* All elements of that kind below the root, by what `name_of` says. */
static void make_index(Urdf *urdf, UrdfIndex *index, const char *element, const char *(*name_of)(const XmlNode *)) {
  int count = 0;
  for (const XmlNode *node = urdf->root->child; node; node = node->next)
    count += strcmp(node->name, element) == 0;
  index->item = asp_import_take(urdf->robot->import, (size_t)count + 1, sizeof *index->item);
  for (XmlNode *node = urdf->root->child; node && index->item; node = node->next) {
    const char *name = strcmp(node->name, element) == 0 ? name_of(node) : NULL;
    if (name)
      index->item[index->count++] = (struct UrdfNamed){name, node, index->count};
  }
  if (index->item)
    qsort(index->item, (size_t)index->count, sizeof *index->item, compare);
}

static const char *name_of(const XmlNode *node) { return asp_xml_attribute(node, "name"); }
static const char *parent_of(const XmlNode *node) { return end_of(node, "parent"); }
static const char *child_of(const XmlNode *node) { return end_of(node, "child"); }
static const char *reference_of(const XmlNode *node) { return asp_xml_attribute(node, "reference"); }

int asp_urdf_find(const UrdfIndex *index, const char *name) {
  int low = 0, high = index->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (strcmp(index->item[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < index->count && strcmp(index->item[low].name, name) == 0 ? low : index->count;
}

static XmlNode *find_in(const UrdfIndex *index, const char *name) {
  int at = asp_urdf_find(index, name);
  return at < index->count ? index->item[at].node : NULL;
}

/* The world, where a file takes it for granted. */
static bool is_world(const Urdf *urdf, const char *name) {
  return strcmp(name, "world") == 0 && !find_in(&urdf->links, name);
}

/* All that hangs on a body or the world, in the order of the file. The list of the robot's bodies is the queue. */
static void read_children(Urdf *urdf, int parent) {
  Import *import = urdf->robot->import;
  const char *name = parent >= 0 ? urdf->robot->body[parent].name : "world";
  const UrdfIndex *index = &urdf->by_parent;
  for (int at = asp_urdf_find(index, name);
       at < index->count && strcmp(index->item[at].name, name) == 0 && import->error == ASP_OK; at++) {
    const XmlNode *joint = index->item[at].node;
    XmlNode *link = find_in(&urdf->links, end_of(joint, "child"));
    int body = link ? read_link(urdf, link, parent, asp_urdf_origin(import, joint)) : -1;
    if (body >= 0)
      asp_urdf_joint(urdf, joint, body);
  }
}

static void check_joints(const Urdf *urdf) {
  Import *import = urdf->robot->import;
  for (XmlNode *joint = asp_xml_child(urdf->root, "joint"); joint && import->error == ASP_OK;
       joint = asp_xml_next(joint)) {
    static const char *const ends[] = {"parent", "child"};
    for (int i = 0; i < 2 && import->error == ASP_OK; i++)
      if (!find_in(&urdf->links, end_of(joint, ends[i])) && !(i == 0 && is_world(urdf, end_of(joint, ends[i]))))
        asp_import_fail(import, joint, "the %s of the joint '%s' is the link '%s', which does not exist", ends[i],
                        asp_import_required(import, joint, "name"), end_of(joint, ends[i]));
  }
}

/* ---- what is known, and not for motion ---- */

static void leave_out(Import *import, const XmlNode *root) {
  static const struct {
    const char *name, *reason;
    AspImportKind kind;
  } known[] = {{"material", "appearance", ASP_IMPORT_IRRELEVANT},
               {"transmission", "drives of other programs; give the joint a servo or an effort", ASP_IMPORT_IGNORED},
               {"gazebo", "settings of another program", ASP_IMPORT_IGNORED},
               {"sensor", "not simulated", ASP_IMPORT_IGNORED}};
  for (const XmlNode *node = root->child; node; node = node->next) {
    for (size_t i = 0; i < sizeof known / sizeof *known && !node->used; i++)
      if (strcmp(node->name, known[i].name) == 0)
        asp_import_leave_out(import, known[i].kind, node, known[i].reason);
    if (strncmp(node->name, "xacro:", 6) == 0)
      asp_import_leave_out(import, ASP_IMPORT_IGNORED, node,
                           "a macro that was not expanded; make the URDF by xacro first");
  }
}

void asp_import_urdf(Import *import, XmlNode *root, Robot *robot) {
  Urdf urdf = {.robot = robot, .root = root};
  root->used = true;
  const char *name = asp_xml_attribute(root, "name");
  asp_xml_attribute(root, "version");
  robot->name = name ? name : "robot";
  robot->joined_apart = true;
  make_index(&urdf, &urdf.links, "link", name_of);
  make_index(&urdf, &urdf.by_parent, "joint", parent_of);
  make_index(&urdf, &urdf.by_child, "joint", child_of);
  make_index(&urdf, &urdf.gazebo, "gazebo", reference_of);
  if (urdf.links.count > URDF_LINKS_MAX)
    asp_import_fail(import, root, "there are %d links; %d are the most", urdf.links.count, URDF_LINKS_MAX);
  check_joints(&urdf);
  for (XmlNode *link = asp_xml_child(root, "link"); link && import->error == ASP_OK; link = asp_xml_next(link)) {
    const char *own = asp_import_required(import, link, "name");
    if (find_in(&urdf.by_child, own))
      continue;
    int body = read_link(&urdf, link, ROBOT_WORLD, pose_identity());
    if (body >= 0 && import->options->floating)
      asp_robot_add_joint(
          robot, &(RobotJoint){.name = "", .node = link, .kind = ROBOT_FREE, .body = body, .free = pose_identity()});
    else if (body >= 0)
      asp_import_note(import, ASP_IMPORT_TRANSLATED, link, "base",
                      "'%s' is fixed to the world; --base floating frees it", own);
    for (; body >= 0 && body < robot->bodies && import->error == ASP_OK; body++)
      read_children(&urdf, body);
  }
  if (is_world(&urdf, "world") && import->error == ASP_OK) {
    int body = robot->bodies;
    read_children(&urdf, ROBOT_WORLD);
    for (; body < robot->bodies && import->error == ASP_OK; body++)
      read_children(&urdf, body);
  }
  if (import->error == ASP_OK && robot->bodies == 0)
    asp_import_fail(import, root, "the robot has no link that is no child of a joint: there is nothing to begin with");
  asp_urdf_couple(&urdf);
  asp_robot_add_motors(robot);
  leave_out(import, root);
  asp_json_vector(robot->scene, "gravity", vec3(0, 0, -9.81));
  asp_urdf_write_surfaces(&urdf);
}
