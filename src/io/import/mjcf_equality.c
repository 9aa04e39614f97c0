/* Pairs that do not touch, and constraints between bodies and joints. */
#include "io/import/mjcf.h"

#include "linalg/vec3.h"

/* False: there is no such body. */
static bool find_body(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *key, int *body) {
  const char *name = asp_xml_attribute(node, key);
  *body = ROBOT_WORLD;
  if (!name || strcmp(name, "world") == 0)
    return true;
  *body = asp_robot_find_body(mjcf->robot, asp_mjcf_reference(mjcf, scope, name));
  if (*body < 0)
    asp_mjcf_missing(mjcf, scope, node, "body", name);
  return *body >= 0;
}

/* ---- contact ---- */

static bool names_geom(const Robot *robot, const char *name) {
  for (int i = 0; i < robot->shapes; i++)
    if (robot->shape[i].name && strcmp(robot->shape[i].name, name) == 0)
      return true;
  return false;
}

void asp_mjcf_contact(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section) {
  Robot *robot = mjcf->robot;
  for (int i = 0; i < mjcf->pairs; i++)
    for (int k = 0; k < 2; k++)
      if (mjcf->pair[i].geom[k] && !names_geom(robot, mjcf->pair[i].geom[k]))
        asp_import_note(robot->import, ASP_IMPORT_IGNORED, section, "pair", "the geom '%s' is not in the scene",
                        mjcf->pair[i].geom[k]);
  for (XmlNode *node = asp_xml_child(section, "exclude"); node; node = asp_xml_next(node)) {
    int a, b;
    asp_xml_attribute(node, "name");
    if (find_body(mjcf, scope, node, "body1", &a) && find_body(mjcf, scope, node, "body2", &b))
      asp_robot_exclude(robot, a, b);
  }
}

/* friction: two tangents, spin, two of rolling. */
void asp_mjcf_pairs(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section) {
  Import *import = mjcf->robot->import;
  for (XmlNode *node = asp_xml_child(section, "pair"); node && import->error == ASP_OK; node = asp_xml_next(node)) {
    double mu[5] = {1, 1, 0.005, 0.0001, 0.0001};
    asp_xml_attribute(node, "name");
    if (mjcf->pairs == MJCF_PAIRS) {
      asp_import_leave_out(import, ASP_IMPORT_IGNORED, node, "not simulated: more than 64 pairs");
      continue;
    }
    asp_mjcf_numbers(mjcf, scope, node, "pair", "friction", mu, 5);
    if (mu[0] != mu[1] || mu[3] != mu[4])
      asp_import_note(import, ASP_IMPORT_APPROXIMATED, node,
                      "pair friction=", "the first coefficient counts in all directions");
    MjcfPair pair = {.dimension = asp_mjcf_integer(mjcf, scope, node, "pair", "condim", 3),
                     .friction = {mu[0], mu[2], mu[3]}};
    pair.geom[0] = asp_mjcf_name(mjcf, scope, asp_import_required(import, node, "geom1"));
    pair.geom[1] = asp_mjcf_name(mjcf, scope, asp_import_required(import, node, "geom2"));
    mjcf->pair[mjcf->pairs++] = pair;
  }
}

/* ---- equality ---- */

static bool is_active(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  if (asp_mjcf_flag(mjcf, scope, node, "equality", "active", 1))
    return true;
  asp_import_leave_out(mjcf->robot->import, ASP_IMPORT_IGNORED, node, "not active at the start");
  return false;
}

const MjcfSite *asp_mjcf_site(const Mjcf *mjcf, const char *name) {
  const MjcfSite *site = mjcf->sites;
  while (site && strcmp(site->name, name) != 0)
    site = site->next;
  return site;
}

/* Which frames meet: by sites, those of the sites; by bodies, those that meet in the reference pose, at an anchor in
 * the frame of body1 (connect), or as relpose says (weld). False: something is missing. */
static bool read_frames(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, RobotLoop *loop) {
  Import *import = mjcf->robot->import;
  const char *site1 = asp_xml_attribute(node, "site1"), *site2 = asp_xml_attribute(node, "site2");
  double anchor[3] = {0}, r[7];
  if (site1 && site2) {
    const MjcfSite *a = asp_mjcf_site(mjcf, asp_mjcf_reference(mjcf, scope, site1)),
                   *b = asp_mjcf_site(mjcf, asp_mjcf_reference(mjcf, scope, site2));
    if (!a || !b) {
      asp_mjcf_missing(mjcf, scope, node, "site", a ? site2 : site1);
      return false;
    }
    loop->body_a = a->body;
    loop->body_b = b->body;
    loop->frame_a = a->pose;
    loop->frame_b = b->pose;
    return true;
  }
  if (!find_body(mjcf, scope, node, "body1", &loop->body_a) || !find_body(mjcf, scope, node, "body2", &loop->body_b))
    return false;
  asp_import_vector(import, node, "anchor", anchor, 3);
  loop->frame_a = loop->frame_b = pose_identity();
  if (loop->weld) {
    if (asp_import_vector(import, node, "relpose", r, 7) && (r[3] != 0 || r[4] != 0 || r[5] != 0 || r[6] != 0))
      loop->frame_a = (AspPose){vec3(r[0], r[1], r[2]), quat_normalize((AspQuat){r[3], r[4], r[5], r[6]})};
    else
      asp_robot_meet(mjcf->robot, loop);
  } else {
    loop->frame_a.position = vec3(anchor[0], anchor[1], anchor[2]);
    asp_robot_meet(mjcf->robot, loop);
  }
  return import->error == ASP_OK;
}

/* connect: a point of two bodies; weld: all of them. */
static void read_joint(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, bool weld) {
  RobotLoop loop = {.name = asp_mjcf_title(mjcf, scope, node), .node = node, .weld = weld};
  if (read_frames(mjcf, scope, node, &loop))
    asp_robot_add_loop(mjcf->robot, &loop);
}

static int find_joint(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *name) {
  int joint = asp_robot_find_joint(mjcf->robot, asp_mjcf_reference(mjcf, scope, name));
  if (joint < 0)
    asp_mjcf_missing(mjcf, scope, node, "joint", name);
  return joint;
}

/* joint1 - ref1 = polynomial of (joint2 - ref2); without joint2 a constant. */
static void read_polynomial(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  Robot *robot = mjcf->robot;
  Import *import = robot->import;
  const char *first = asp_import_required(import, node, "joint1"), *second = asp_xml_attribute(node, "joint2");
  const char *name = asp_mjcf_title(mjcf, scope, node);
  double c[5] = {0, 1, 0, 0, 0};
  asp_mjcf_numbers(mjcf, scope, node, "equality", "polycoef", c, 5);
  int a = find_joint(mjcf, scope, node, first), b = second ? find_joint(mjcf, scope, node, second) : -1;
  if (import->error != ASP_OK || a < 0 || (second && b < 0))
    return;
  RobotJoint *driven = &robot->joint[a];
  bool linear = c[2] == 0 && c[3] == 0 && c[4] == 0;
  if (b < 0 || (linear && c[1] == 0)) {
    driven->value = driven->reference + c[0];
    driven->extra = driven->extra ? driven->extra : asp_import_object(mjcf->robot->import);
    asp_json_add_number(driven->extra, driven->kind == ROBOT_HINGE ? "angle" : "displacement", driven->value);
    return;
  }
  RobotCoupling coupling = {.name = name, .node = node, .driven = a, .driver = b};
  memcpy(coupling.polynomial, c, sizeof c);
  asp_robot_add_coupling(robot, &coupling);
}

/* Joints of a tendon and their factors, times `by`. */
static void add_terms(cJSON *coupling, const MjcfTendon *tendon, double by) {
  const cJSON *name = NULL, *factor = cJSON_GetObjectItemCaseSensitive(tendon->coupling, "factors")->child;
  cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(tendon->coupling, "joints")) {
    asp_json_append(asp_json_list(coupling, "joints"), cJSON_CreateString(name->valuestring));
    asp_json_append(asp_json_list(coupling, "factors"), cJSON_CreateNumber(by * factor->valuedouble));
    factor = factor->next;
  }
}

static bool share_a_joint(const MjcfTendon *a, const MjcfTendon *b) {
  const cJSON *one = NULL, *other = NULL;
  cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(a->coupling, "joints")) cJSON_ArrayForEach(
      other, cJSON_GetObjectItemCaseSensitive(b->coupling, "joints")) if (strcmp(one->valuestring,
                                                                                 other->valuestring) == 0) return true;
  return false;
}

static int terms_of(const MjcfTendon *tendon) {
  return tendon ? cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(tendon->coupling, "joints")) : 0;
}

static bool is_sum(const MjcfTendon *tendon) { return tendon && !tendon->stuck && !tendon->path; }

/* A tendon whose length stays, or follows that of another in a line. */
static void hold_tendon(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  Import *import = mjcf->robot->import;
  const char *first = asp_import_required(import, node, "tendon1"), *second = asp_xml_attribute(node, "tendon2"),
             *name = asp_mjcf_title(mjcf, scope, node);
  const MjcfTendon *tendon = asp_mjcf_tendon(mjcf, asp_mjcf_reference(mjcf, scope, first)),
                   *other = second ? asp_mjcf_tendon(mjcf, asp_mjcf_reference(mjcf, scope, second)) : NULL;
  double c[5] = {0, 1, 0, 0, 0};
  asp_mjcf_numbers(mjcf, scope, node, "equality", "polycoef", c, 5);
  if (import->error != ASP_OK)
    return;
  bool line = c[2] == 0 && c[3] == 0 && c[4] == 0 && c[1] != 0;
  if (!is_sum(tendon) || (second && (!is_sum(other) || !line || share_a_joint(tendon, other))) ||
      (!second && tendon->alone >= 0) || terms_of(tendon) + terms_of(other) > MJCF_TERMS_MAX) {
    asp_import_leave_out(import, ASP_IMPORT_IGNORED, node,
                         "not simulated: a tendon that is not fixed, has joints that do not move or one alone, or "
                         "follows another by a curve, through a joint of its own, or through too many");
    return;
  }
  cJSON *held = cJSON_CreateObject();
  asp_json_add_text(held, "name", asp_import_text(import, "%s.held", name ? name : tendon->name));
  asp_json_add_text(held, "type", "coupling");
  add_terms(held, tendon, 1);
  if (other)
    add_terms(held, other, -c[1]);
  asp_import_note(import, ASP_IMPORT_APPROXIMATED, node, "equality tendon", "%s",
                  other ? "the difference of the lengths stays as it is at the start"
                        : "its length stays as it is at the start");
  asp_json_append(mjcf->robot->sums, held);
}

void asp_mjcf_equality(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section) {
  Import *import = mjcf->robot->import;
  for (XmlNode *node = section->child; node && import->error == ASP_OK; node = node->next) {
    bool tendon = strcmp(node->name, "tendon") == 0;
    bool joint = strcmp(node->name, "joint") == 0, connect = strcmp(node->name, "connect") == 0,
         weld = strcmp(node->name, "weld") == 0;
    if (!joint && !connect && !weld && !tendon) {
      asp_import_leave_out(import, ASP_IMPORT_IGNORED, node, "not simulated");
      continue;
    }
    node->used = true;
    if (mjcf->off.equality)
      asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, node, "turned off by a flag");
    if (node->reported || !is_active(mjcf, scope, node))
      continue;
    if (tendon)
      hold_tendon(mjcf, scope, node);
    else if (joint)
      read_polynomial(mjcf, scope, node);
    else
      read_joint(mjcf, scope, node, weld);
  }
}
