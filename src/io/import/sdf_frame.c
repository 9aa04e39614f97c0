/* Texts, poses and frames of SDFormat. A pose is "x y z roll pitch yaw" in the frame that relative_to names; by default
 * that of the model for links and models within, of the child for joints, of attached_to for frames, of the link for
 * what is on it. Names reach into models within: "inner::link". placement_frame: it is this frame of the model, and not
 * its own, that its pose places. Source: sdformat.org, specification 1.9, and "Pose frame semantics".
 */
#include "base/elementary.h"
#include "io/import/sdf.h"

#include "linalg/vec3.h"

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

const char *asp_sdf_trim(Import *import, const char *text) {
  const char *first = text ? text + strspn(text, " \t\r\n") : "";
  size_t length = strlen(first);
  while (length > 0 && strchr(" \t\r\n", first[length - 1]))
    length--;
  char *copy = asp_import_take(import, length + 1, 1);
  for (size_t i = 0; copy && i < length; i++)
    copy[i] = strchr("\t\r\n", first[i]) ? ' ' : first[i]; // names stand in messages of one line
  return copy ? copy : "";
}

const char *asp_sdf_name(Sdf *sdf, const XmlNode *node, const char *name) {
  return asp_sdf_trim(sdf->robot->import, asp_sdf_text(node, name));
}

/* The numbers of an element's own pose. */
static AspPose own_pose(Sdf *sdf, const XmlNode *node) {
  const XmlNode *pose = asp_xml_child(node, "pose");
  double v[7] = {0};
  const char *degrees = pose ? asp_xml_attribute(pose, "degrees") : NULL,
             *format = pose ? asp_xml_attribute(pose, "rotation_format") : NULL;
  int count = pose ? asp_import_numbers(sdf->robot->import, pose, pose->text, v, 7) : 0;
  if (format && strcmp(format, "quat_xyzw") == 0 && count == 7)
    return (AspPose){{v[0], v[1], v[2]}, quat_normalize((AspQuat){v[6], v[3], v[4], v[5]})};
  const char *older = pose ? asp_xml_attribute(pose, "frame") : NULL; // of versions 1.5 and 1.6, without effect there
  if (older && *older)
    asp_import_note(sdf->robot->import, ASP_IMPORT_IRRELEVANT, pose,
                    "pose frame=", "it has no effect; relative_to has");
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

/* The model within of that name, of `length` characters. */
static const XmlNode *find_inner(const XmlNode *model, const char *name, size_t length) {
  for (const XmlNode *inner = asp_xml_child(model, "model"); inner; inner = asp_xml_next(inner)) {
    const char *title = asp_xml_attribute(inner, "name");
    if (title && strlen(title) == length && strncmp(title, name, length) == 0)
      return inner;
  }
  return NULL;
}

/* The model within, included with merge, that has a part of that name. */
static const XmlNode *find_merged(const Sdf *sdf, const XmlNode *model, const char *name) {
  for (const SdfMerged *item = sdf->merged; item; item = item->next)
    if (item->model->parent == model && find_named(item->model, name))
      return item->model;
  return NULL;
}

static const char *placed_frame(Sdf *sdf, const XmlNode *model) {
  const char *name = asp_xml_attribute(model, "placement_frame");
  return name && *name ? name : asp_sdf_name(sdf, model, "placement_frame");
}

static AspPose pose_back(const AspPose *outer, const AspPose *pose) {
  return (AspPose){pose_point_back(outer, pose->position),
                   quat_multiply(quat_conjugate(outer->orientation), pose->orientation)};
}

/* The frame of a name in that of the model; false: there is none, or they hang on each other in a ring. */
static bool find_frame(Sdf *sdf, const XmlNode *model, const char *name, int depth, AspPose *pose) {
  const char *rest = strstr(name, "::");
  const XmlNode *own = find_named(model, name),
                *inner = own ? NULL : find_inner(model, name, rest ? (size_t)(rest - name) : strlen(name));
  *pose = pose_identity();
  if (depth > SDF_DEPTH_MAX || sdf->robot->import->error != ASP_OK)
    return false;
  if (strcmp(name, "__model__") == 0 || (strcmp(name, "world") == 0 && strcmp(model->name, "world") == 0))
    return true;
  if (own) {
    *pose = asp_sdf_pose(sdf, model, own, depth + 1);
    return true;
  }
  AspPose within = pose_identity();
  const XmlNode *merged = inner ? NULL : find_merged(sdf, model, name);
  if (merged) {
    inner = merged;
    find_frame(sdf, merged, name, depth + 1, &within);
  }
  if (!inner || (rest && !find_frame(sdf, inner, rest + 2, depth + 1, &within)))
    return false;
  AspPose outer = asp_sdf_pose(sdf, model, inner, depth + 1);
  *pose = pose_multiply(&outer, &within);
  return true;
}

bool asp_sdf_frame(Sdf *sdf, const XmlNode *model, const char *name, AspPose *pose) {
  return find_frame(sdf, model, name, 0, pose);
}

AspPose asp_sdf_pose(Sdf *sdf, const XmlNode *model, const XmlNode *node, int depth) {
  const XmlNode *pose = asp_xml_child(node, "pose");
  const char *attached = asp_xml_attribute(node, "attached_to");
  const char *to = pose ? asp_xml_attribute(pose, "relative_to") : NULL;
  AspPose own = own_pose(sdf, node), outer = pose_identity(), held = pose_identity();
  if (!to || !*to)
    to = strcmp(node->name, "joint") == 0   ? asp_sdf_name(sdf, node, "child")
         : strcmp(node->name, "frame") == 0 ? attached
                                            : NULL;
  if (to && *to && !find_frame(sdf, model, to, depth, &outer))
    asp_import_fail(sdf->robot->import, node,
                    depth > SDF_DEPTH_MAX ? "%s: frames that hang on each other in a ring: '%s'"
                                          : "%s: there is no link, joint or frame '%s'",
                    node->name, to);
  own = pose_multiply(&outer, &own);
  const char *placed = strcmp(node->name, "model") == 0 ? placed_frame(sdf, node) : "";
  if (!*placed)
    return own;
  if (!find_frame(sdf, node, placed, depth + 1, &held))
    asp_import_fail(sdf->robot->import, node, "model: there is no link, joint or frame '%s'", placed);
  AspPose origin = pose_identity(), back = pose_back(&held, &origin);
  return pose_multiply(&own, &back);
}

AspPose asp_sdf_pose_in_link(Sdf *sdf, const SdfLink *link, const XmlNode *node) {
  const XmlNode *pose = asp_xml_child(node, "pose");
  const char *to = pose ? asp_xml_attribute(pose, "relative_to") : NULL;
  if (!to || !*to)
    return own_pose(sdf, node);
  AspPose there = asp_sdf_pose(sdf, link->model->node, node, 0),
          own = asp_sdf_pose(sdf, link->model->node, link->node, 0);
  return pose_back(&own, &there);
}

/* ---- links that names stand for ---- */

static SdfLink *link_at(const Sdf *sdf, const XmlNode *node) {
  for (int i = 0; i < sdf->links; i++)
    if (sdf->link[i].node == node)
      return &sdf->link[i];
  return NULL;
}

static SdfLink *resolve(Sdf *sdf, const XmlNode *model, const char *name, int depth);

/* The link that carries a model's own frame: canonical_link, or the first. */
static SdfLink *canonical(Sdf *sdf, const XmlNode *model, int depth) {
  const char *name = asp_xml_attribute(model, "canonical_link");
  const XmlNode *first = asp_xml_child(model, "link"), *inner = asp_xml_child(model, "model");
  if (name && *name)
    return resolve(sdf, model, name, depth + 1);
  return first ? link_at(sdf, first) : inner && depth <= SDF_DEPTH_MAX ? canonical(sdf, inner, depth + 1) : NULL;
}

static SdfLink *resolve(Sdf *sdf, const XmlNode *model, const char *name, int depth) {
  const char *rest = strstr(name, "::");
  const XmlNode *own = find_named(model, name),
                *inner = own ? NULL : find_inner(model, name, rest ? (size_t)(rest - name) : strlen(name));
  if (depth > SDF_DEPTH_MAX)
    return NULL;
  if (strcmp(name, "__model__") == 0)
    return canonical(sdf, model, depth + 1);
  const XmlNode *merged = own || inner ? NULL : find_merged(sdf, model, name);
  if (merged)
    return resolve(sdf, merged, name, depth + 1);
  if (inner)
    return rest ? resolve(sdf, inner, rest + 2, depth + 1) : canonical(sdf, inner, depth + 1);
  if (!own || strcmp(own->name, "link") == 0)
    return own ? link_at(sdf, own) : NULL;
  const char *on =
      strcmp(own->name, "joint") == 0 ? asp_sdf_name(sdf, own, "child") : asp_xml_attribute(own, "attached_to");
  return on && *on ? resolve(sdf, model, on, depth + 1) : canonical(sdf, model, depth + 1);
}

SdfLink *asp_sdf_resolve(Sdf *sdf, const XmlNode *model, const char *name) { return resolve(sdf, model, name, 0); }
