/* Bodies of MJCF, with the frames, replicas and attached models between them. The joints of a body are read first, then
 * its geoms, then the bodies in it, so that joints come in the order of qpos. */
#include "io/import/mjcf.h"

#include "linalg/vec3.h"

#include <stdio.h>

#define BODIES_MAX 200000

/* What of a body's content is read. */
typedef enum Pass { PASS_GEOMS, PASS_BODIES } Pass;

typedef struct Walk {
  Mjcf *mjcf;
  Pass pass;
  int body;
  AspMassProperties *mass; /* of the geoms */
} Walk;

static void walk(const Walk *walk, MjcfScope scope, const XmlNode *node, AspPose frame);

static MjcfScope inherit(Mjcf *mjcf, MjcfScope scope, const XmlNode *node) {
  const char *name = asp_xml_attribute(node, "childclass");
  if (!name)
    return scope;
  scope.inherited = asp_mjcf_find_class(scope.model, name);
  if (!scope.inherited)
    asp_import_fail(mjcf->robot->import, node, "%s: there is no default class '%s'", node->name, name);
  return scope;
}

static void read_site(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, int body, AspPose frame) {
  MjcfSite *site = asp_import_take(mjcf->robot->import, 1, sizeof *site);
  const char *name = asp_mjcf_title(mjcf, scope, node);
  if (!site)
    return;
  AspPose pose = asp_mjcf_pose(mjcf, scope, node, "site");
  *site = (MjcfSite){name ? name : "", body, pose_multiply(&frame, &pose), mjcf->sites};
  mjcf->sites = site;
}

/* ---- replicas ---- */

static void replicate(const Walk *state, MjcfScope scope, const XmlNode *node, AspPose frame) {
  Mjcf *mjcf = state->mjcf;
  Import *import = mjcf->robot->import;
  double count = asp_import_number(import, node, "count", 1), offset[3] = {0}, euler[3] = {0};
  const char *between = asp_xml_attribute(node, "sep");
  asp_import_vector(import, node, "offset", offset, 3);
  asp_import_vector(import, node, "euler", euler, 3);
  if (!(count >= 0 && count <= MJCF_COPIES_MAX)) {
    asp_import_fail(import, node, "replicate: count is %g, expected 0 to %d", count, MJCF_COPIES_MAX);
    return;
  }
  int digits = snprintf(NULL, 0, "%d", (int)count); // 10 copies are 00 to 09
  AspPose at = pose_identity();
  for (int i = 0; i < (int)count && import->error == ASP_OK; i++) {
    double angle[3];
    for (int k = 0; k < 3; k++)
      angle[k] = asp_mjcf_angle(scope.model, i * euler[k]);
    at.orientation = asp_mjcf_euler(scope.model, angle);
    MjcfScope copy = scope;
    copy.suffix = asp_import_text(import, "%s%0*d%s", between ? between : "", digits, i, scope.suffix); // inner first
    asp_mjcf_enter_replica(mjcf, &copy, node);
    walk(state, copy, node, pose_multiply(&frame, &at));
    at.position = pose_point(&at, vec3(offset[0], offset[1], offset[2]));
  }
}

/* ---- attached models ---- */

static const XmlNode *find_named(const XmlNode *node, const char *element, const char *name) {
  for (const XmlNode *child = node->child; child; child = child->next) {
    const char *own = strcmp(child->name, element) == 0 ? asp_xml_attribute(child, "name") : NULL;
    if (own && strcmp(own, name) == 0)
      return child;
    const XmlNode *found = find_named(child, element, name);
    if (found)
      return found;
  }
  return NULL;
}

static void enter_instance(Mjcf *mjcf, MjcfScope scope) {
  MjcfInstance *instance = asp_import_take(mjcf->robot->import, 1, sizeof *instance);
  if (!instance)
    return;
  instance->scope = scope;
  mjcf->last_instance->next = instance;
  mjcf->last_instance = instance;
}

static void read_body(const Walk *state, MjcfScope scope, const XmlNode *node, AspPose frame);

static void attach(const Walk *state, MjcfScope scope, const XmlNode *node, AspPose frame) {
  Import *import = state->mjcf->robot->import;
  const char *model = asp_xml_attribute(node, "model"), *body = asp_xml_attribute(node, "body"),
             *piece = asp_xml_attribute(node, "frame"), *prefix = asp_xml_attribute(node, "prefix");
  MjcfScope inner = scope;
  inner.prefix = asp_import_text(import, "%s%s", scope.prefix, prefix ? prefix : "");
  if (model) {
    inner.model = asp_mjcf_attached(state->mjcf, &scope, node, model);
    inner.inherited = NULL;
  }
  const XmlNode *world = inner.model ? asp_xml_child(inner.model->root, "worldbody") : NULL;
  if (!world) {
    asp_import_fail(import, node, "attach: there is no model '%s' with a worldbody", model ? model : "");
    return;
  }
  const XmlNode *target = body    ? find_named(inner.model->root, "body", body)
                          : piece ? find_named(inner.model->root, "frame", piece)
                                  : NULL;
  for (const XmlNode *up = node; up && target; up = up->parent)
    if (up == target)
      asp_import_fail(import, node, "attach: '%s' would hold itself", body ? body : piece);
  if ((body || piece) && !target)
    asp_import_fail(import, node, "attach: there is no %s '%s'", body ? "body" : "frame", body ? body : piece);
  if (import->error != ASP_OK)
    return;
  if (model && state->pass == PASS_BODIES)
    enter_instance(state->mjcf, inner);
  if (body && state->pass == PASS_BODIES)
    read_body(state, inner, target, frame);
  else if (!body)
    walk(state, inherit(state->mjcf, inner, target ? target : world), target ? target : world, frame);
}

/* ---- bodies ---- */

static void read_body(const Walk *state, MjcfScope scope, const XmlNode *node, AspPose frame) {
  Mjcf *mjcf = state->mjcf;
  Import *import = mjcf->robot->import;
  const char *name = asp_mjcf_title(mjcf, &scope, node);
  AspPose pose = asp_mjcf_pose(mjcf, &scope, node, NULL);
  ((XmlNode *)node)->used = true;
  RobotBody body = {.name = name, .node = node, .parent = state->body, .pose = pose_multiply(&frame, &pose)};
  if (!name || strcmp(name, "world") == 0)
    body.name = asp_import_text(import, "body%d", ++mjcf->unnamed);
  scope = inherit(mjcf, scope, node);
  if (name && asp_robot_find_body(mjcf->robot, body.name) >= 0)
    asp_import_fail(import, node, "there are two bodies '%s'", body.name);
  if (mjcf->robot->bodies >= BODIES_MAX)
    asp_import_fail(import, node, "more than %d bodies", BODIES_MAX);
  int index = import->error == ASP_OK ? asp_robot_add_body(mjcf->robot, &body) : -1;
  if (index < 0)
    return;
  const char *guided = asp_xml_attribute(node, "mocap");
  if (guided && strcmp(guided, "true") == 0 && state->body < 0) {
    mjcf->robot->body[index].guided = true;
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, node, "body mocap=", "inputs for its position; it does not turn");
  }
  double share = asp_import_number(import, node, "gravcomp", 0);
  MjcfLift *lift = share != 0 ? asp_import_take(import, 1, sizeof *lift) : NULL;
  if (lift) {
    *lift = (MjcfLift){index, share, mjcf->lifts};
    mjcf->lifts = lift;
  }
  AspPose inside = pose_identity();
  if (scope.model->global) { // all that is in the body has its place in the world, as files before MuJoCo 2.3.4 may say
    inside.orientation = quat_conjugate(pose.orientation);
    inside.position = quat_rotate(inside.orientation, scale3(-1, pose.position));
    if (!asp_xml_attribute(node, "pos"))
      asp_import_fail(import, node, "body '%s': with coordinate 'global' it needs a pos", body.name);
  }
  asp_mjcf_walk(mjcf, scope, node, index, inside);
}

static void walk(const Walk *state, MjcfScope scope, const XmlNode *node, AspPose frame) {
  Mjcf *mjcf = state->mjcf;
  Import *import = mjcf->robot->import;
  for (XmlNode *child = node->child; child && import->error == ASP_OK; child = child->next) {
    bool geoms = state->pass == PASS_GEOMS;
    if (strcmp(child->name, "geom") == 0 || strcmp(child->name, "site") == 0) {
      child->used = true;
      if (geoms && child->name[0] == 'g')
        asp_mjcf_geom(mjcf, &scope, child, state->body, frame, state->mass);
      else if (geoms)
        read_site(mjcf, &scope, child, state->body, frame);
    } else if (strcmp(child->name, "body") == 0) {
      if (!geoms)
        read_body(state, scope, child, frame);
    } else if (strcmp(child->name, "frame") == 0) {
      AspPose pose = asp_mjcf_pose(mjcf, &scope, child, NULL);
      child->used = true;
      asp_xml_attribute(child, "name");
      walk(state, inherit(mjcf, scope, child), child, pose_multiply(&frame, &pose));
    } else if (strcmp(child->name, "replicate") == 0) {
      child->used = true;
      replicate(state, scope, child, frame);
    } else if (strcmp(child->name, "attach") == 0) {
      child->used = true;
      attach(state, scope, child, frame);
    }
  }
}

/* The inertial of a body, which may stand in frames. */
static const XmlNode *find_inertial(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, AspPose *frame) {
  const XmlNode *found = asp_xml_child(node, "inertial");
  for (XmlNode *inner = asp_xml_child(node, "frame"); inner && !found; inner = asp_xml_next(inner)) {
    AspPose pose = asp_mjcf_pose(mjcf, scope, inner, NULL), within = pose_multiply(frame, &pose);
    found = find_inertial(mjcf, scope, inner, &within);
    *frame = found ? within : *frame;
  }
  return found;
}

void asp_mjcf_walk(Mjcf *mjcf, MjcfScope scope, const XmlNode *node, int parent, AspPose frame) {
  AspMassProperties mass = {0};
  Walk state = {mjcf, PASS_GEOMS, parent, &mass};
  if (parent >= 0)
    asp_mjcf_joints(mjcf, scope, node, parent, frame);
  mjcf->lost = NULL;
  walk(&state, scope, node, frame);
  if (parent >= 0) {
    AspPose around = frame;
    const XmlNode *inertial = find_inertial(mjcf, &scope, node, &around);
    if (inertial && scope.model->inertia_from_geoms != 1)
      asp_mjcf_inertial(mjcf, &scope, inertial, around, &mass);
    else if (inertial)
      asp_import_leave_out(mjcf->robot->import, ASP_IMPORT_IRRELEVANT, inertial, "inertiafromgeom: that of the geoms");
    else if (scope.model->inertia_from_geoms == 0)
      mass = (AspMassProperties){0};
    if (mjcf->lost && mjcf->robot->body[parent].joints > 0 && scope.model->inertia_from_geoms != 0 &&
        (!inertial || scope.model->inertia_from_geoms == 1))
      asp_import_fail(mjcf->robot->import, mjcf->lost,
                      "geom: %s cannot be read, and the mass of the body follows from it; give the body an <inertial>, "
                      "or the geom mass=\"0\"",
                      mjcf->lost_file);
    asp_mjcf_bound(mjcf, &scope, node, &mass);
    mjcf->robot->body[parent].mass = mass;
  }
  state.pass = PASS_BODIES;
  walk(&state, scope, node, frame);
}
