/* SDFormat: worlds and models with links and joints. All links of a file are listed first, in models within models too,
 * then each joint is given to its child. A link whose joint's parent is known becomes its child; one without a joint is
 * free, or fixed in a static model. Source: sdformat.org, specification 1.9. Frames are in sdf_frame.c, joints in
 * sdf_joint.c, shapes and inertias in sdf_link.c.
 */
#include "io/import/sdf.h"

#include "linalg/vec3.h"

#include <stdlib.h>

/* ---- models and links ---- */

static bool is_set(const XmlNode *node, const char *name, bool otherwise) {
  const char *text = asp_sdf_text(node, name);
  return text ? *text == 't' || *text == 'T' || *text == '1' : otherwise;
}

/* Links of a model do not touch each other unless self_collide, of the model or of a link, says so. */
static int group_of(Sdf *sdf, const XmlNode *model) {
  Robot *robot = sdf->robot;
  const XmlNode *first = asp_xml_child(model, "link");
  bool itself = is_set(model, "self_collide", false),
       several = (first && asp_xml_next(first)) || asp_xml_child(model, "model");
  for (const XmlNode *link = first; link; link = asp_xml_next(link))
    itself = is_set(link, "self_collide", false) || itself;
  if (itself || !several)
    return 0;
  if (robot->groups == SDF_GROUPS_MAX) {
    asp_import_note(robot->import, ASP_IMPORT_APPROXIMATED, model, "self_collide",
                    "more than %d models of several links: links of further ones touch each other", SDF_GROUPS_MAX - 1);
    return 0;
  }
  robot->touches[robot->groups] = ~(UINT32_C(1) << robot->groups);
  return robot->groups++;
}

/* Before version 1.5 axes were in the frame of the model. */
static bool is_old(const Sdf *sdf, const XmlNode *node) {
  for (const SdfFile *file = sdf->files; file; file = file->next)
    if (strcmp(file->name, node->file) == 0)
      return file->is_old;
  return false;
}

static void list_links(Sdf *sdf, SdfModel *model, int depth) {
  Import *import = sdf->robot->import;
  if (depth > SDF_DEPTH_MAX)
    asp_import_fail(import, model->node, "models within models, too deep");
  for (XmlNode *link = asp_xml_child(model->node, "link"); link && import->error == ASP_OK; link = asp_xml_next(link)) {
    asp_import_required(import, link, "name");
    if (sdf->links >= SDF_LINKS_MAX)
      asp_import_fail(import, link, "more than %d links", SDF_LINKS_MAX);
    else
      sdf->link[sdf->links++] = (SdfLink){.node = link, .model = model, .body = -1};
  }
  for (XmlNode *node = asp_xml_child(model->node, "model"); node && import->error == ASP_OK;
       node = asp_xml_next(node)) {
    SdfModel *inner = asp_import_take(import, 1, sizeof *inner);
    const char *name = asp_import_required(import, node, "name");
    if (!inner)
      return;
    AspPose pose = asp_sdf_pose(sdf, model->node, node, 0);
    *inner = (SdfModel){.node = node,
                        .prefix = asp_import_text(import, "%s%s::", model->prefix, name),
                        .pose = pose_multiply(&model->pose, &pose),
                        .is_static = model->is_static || is_set(node, "static", false),
                        .is_old = is_old(sdf, node),
                        .group = depth == 0 ? group_of(sdf, node) : model->group};
    *sdf->last_model = inner;
    sdf->last_model = &inner->next;
    list_links(sdf, inner, depth + 1);
  }
}

/* A world, or the root as one: frames and models. A model that is alone gives its names no prefix. */
static void list_models(Sdf *sdf, XmlNode *node) {
  Import *import = sdf->robot->import;
  SdfModel *world = asp_import_take(import, 1, sizeof *world);
  if (!world)
    return;
  *world = (SdfModel){.node = node, .prefix = "", .pose = pose_identity()};
  *sdf->last_model = world;
  sdf->last_model = &world->next;
  const XmlNode *first = asp_xml_child(node, "model");
  bool alone = first && !asp_xml_next(first) && sdf->links == 0;
  list_links(sdf, world, 0);
  const char *title = asp_xml_attribute(alone ? first : node, "name");
  if (first && title)
    sdf->robot->name = title;
  if (!alone || !world->next)
    return;
  size_t skip = strlen(world->next->prefix);
  for (SdfModel *model = world->next; model; model = model->next)
    model->prefix += skip;
}

/* ---- joints to links ---- */

static bool is_gearbox(const XmlNode *joint) {
  const char *type = asp_xml_attribute(joint, "type");
  return type && strcmp(type, "gearbox") == 0;
}

static void give_joint(Sdf *sdf, const SdfModel *model, XmlNode *joint) {
  Import *import = sdf->robot->import;
  const char *above = asp_sdf_name(sdf, joint, "parent"), *below = asp_sdf_name(sdf, joint, "child");
  SdfLink *child = asp_sdf_resolve(sdf, model->node, below),
          *parent = strcmp(above, "world") == 0 ? NULL : asp_sdf_resolve(sdf, model->node, above);
  bool to_world = strcmp(above, "world") == 0;
  bool there = child && (parent || to_world);
  if (!there && (sdf->missing > 0 || strstr(above, "::") || strstr(below, "::")))
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, joint,
                         asp_import_text(import, "there is no link '%s'", child ? above : below));
  else if (!there)
    asp_import_fail(import, joint, "joint: there is no link '%s'", child ? above : below);
  else if (child == parent)
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, joint, "not simulated: it joins a link to itself");
  else if (child->joint)
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, joint, "not simulated: a second joint on one link");
  if (import->error != ASP_OK || joint->reported)
    return;
  child->joint = joint;
  child->joint_model = model;
  child->parent = parent;
}

/* A ring of joints is cut: each link in it would wait for another. */
static void cut_rings(Sdf *sdf) {
  for (int i = 0; i < sdf->links; i++) {
    const SdfLink *up = &sdf->link[i];
    for (int steps = 0; up && steps <= sdf->links; steps++)
      up = up->parent;
    if (!up)
      continue;
    asp_import_leave_out(sdf->robot->import, ASP_IMPORT_IGNORED, sdf->link[i].joint,
                         "not simulated: joints in a ring, of which no link begins");
    sdf->link[i].joint = NULL;
    sdf->link[i].parent = NULL;
  }
}

/* ---- bodies ---- */

/* A link without weight: a force against it. */
static void lift(Sdf *sdf, const SdfLink *link) {
  Robot *robot = sdf->robot;
  const RobotBody *body = &robot->body[link->body];
  RobotPush push = {.name = asp_import_text(robot->import, "%s.no_gravity", body->name),
                    .body = link->body,
                    .pose = {body->mass.centre, quat_identity()},
                    .in_world = true};
  for (int i = 0; i < 3; i++)
    push.force[i] = -body->mass.mass * sdf->gravity[i];
  asp_robot_add_push(robot, &push);
}

static void add_link(Sdf *sdf, SdfLink *link) {
  Robot *robot = sdf->robot;
  Import *import = robot->import;
  const SdfModel *model = link->model;
  AspPose in_model = asp_sdf_pose(sdf, model->node, link->node, 0);
  int parent = link->parent ? link->parent->body : ROBOT_WORLD;
  link->pose = pose_multiply(&model->pose, &in_model);
  RobotBody body = {.name =
                        asp_import_text(import, "%s%s", model->prefix, asp_import_required(import, link->node, "name")),
                    .node = link->node,
                    .parent = parent,
                    .pose = link->pose};
  if (link->parent) {
    const AspPose *outer = &link->parent->pose;
    body.pose = (AspPose){pose_point_back(outer, link->pose.position),
                          quat_multiply(quat_conjugate(outer->orientation), link->pose.orientation)};
  }
  if (asp_robot_find_body(robot, body.name) >= 0)
    asp_import_fail(import, link->node, "there are two links '%s'", body.name);
  asp_sdf_inertial(sdf, link, &body.mass);
  link->body = import->error == ASP_OK ? asp_robot_add_body(robot, &body) : -1;
  if (link->body < 0)
    return;
  asp_sdf_shapes(sdf, link);
  if (!is_set(link->node, "gravity", true))
    lift(sdf, link);
  if (is_set(link->node, "kinematic", false))
    asp_import_note(import, ASP_IMPORT_IGNORED, link->node, "link kinematic", "not simulated: forces act on it");
  if (link->joint)
    asp_sdf_joint(sdf, link);
  else if (!model->is_static)
    asp_robot_add_joint(
        robot,
        &(RobotJoint){.name = "", .node = link->node, .kind = ROBOT_FREE, .body = link->body, .free = link->pose});
}

static void add_links(Sdf *sdf) {
  Import *import = sdf->robot->import;
  int before = -1;
  while (import->error == ASP_OK && before != sdf->robot->bodies) {
    before = sdf->robot->bodies;
    for (int i = 0; i < sdf->links && import->error == ASP_OK; i++)
      if (sdf->link[i].body < 0 && (!sdf->link[i].parent || sdf->link[i].parent->body >= 0))
        add_link(sdf, &sdf->link[i]);
  }
}

static void read_joints(Sdf *sdf) {
  Import *import = sdf->robot->import;
  for (SdfModel *model = sdf->models; model; model = model->next)
    for (XmlNode *joint = asp_xml_child(model->node, "joint"); joint && import->error == ASP_OK;
         joint = asp_xml_next(joint))
      if (!is_gearbox(joint))
        give_joint(sdf, model, joint);
  cut_rings(sdf);
  add_links(sdf);
  for (SdfModel *model = sdf->models; model; model = model->next)
    for (XmlNode *joint = asp_xml_child(model->node, "joint"); joint && import->error == ASP_OK;
         joint = asp_xml_next(joint))
      if (is_gearbox(joint))
        asp_sdf_gearbox(sdf, model, joint);
      else if (!joint->reported)
        asp_sdf_mimic(sdf, model, joint);
}

void asp_import_sdf(Import *import, XmlNode *root, Robot *robot) {
  Sdf sdf = {
      .robot = robot, .gravity = {0, 0, -9.81}, .link = asp_import_take(import, SDF_LINKS_MAX, sizeof *sdf.link)};
  double *gravity = sdf.gravity;
  root->used = true;
  robot->name = "robot";
  robot->joined_apart = true;
  sdf.last_model = &sdf.models;
  robot->groups = 1; // what touches everything
  robot->touches[0] = UINT32_MAX;
  if (!sdf.link)
    return;
  asp_sdf_note_version(&sdf, root);
  asp_sdf_include(&sdf, root, import->folder, 0);
  for (XmlNode *world = asp_xml_child(root, "world"); world && import->error == ASP_OK; world = asp_xml_next(world)) {
    const XmlNode *node = asp_xml_child(world, "gravity");
    gravity[2] = -9.8; // the format's default
    if (node)
      asp_import_numbers(import, node, node->text, gravity, 3);
    asp_xml_attribute(world, "name");
    list_models(&sdf, world);
  }
  if (import->error == ASP_OK)
    list_models(&sdf, root);
  if (import->error == ASP_OK)
    read_joints(&sdf);
  if (import->error == ASP_OK && robot->bodies == 0)
    asp_import_fail(import, root, "there is no model with a link in it");
  asp_robot_add_motors(robot);
  asp_sdf_set_aside(import, root);
  asp_json_vector(robot->scene, "gravity", vec3(gravity[0], gravity[1], gravity[2]));
  asp_sdf_write_surfaces(&sdf);
}
