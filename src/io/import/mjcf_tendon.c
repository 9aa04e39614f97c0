/* Tendons. Fixed: length = sum of coef times coordinate; spatial: the length of a path through sites and around geoms.
 * One that has limits, friction, a spring or an actuator becomes a coupling or a tendon of the scene with these on it;
 * the others do nothing. */
#include "io/import/mjcf.h"

#include "io/scene/keys.h"
#include "linalg/vec3.h"

/* Does nothing where the scene format cannot have it on a coupling: that is reported. */
bool asp_mjcf_put(Mjcf *mjcf, MjcfTendon *tendon, const char *key, cJSON *value) {
  // springs and servos of couplings came together
  const char *word = strcmp(key, "servo") == 0 ? "spring" : key;
  if (strcmp(key, "effort") == 0 && !asp_robot_scene_has(&asp_scene_joint, "coupling", key)) {
    asp_json_add(tendon->coupling, "motor", asp_robot_force_motor(mjcf->robot->import, value->valuestring));
    cJSON_Delete(value);
    return tendon->acts = true;
  }
  if (!asp_robot_scene_has(&asp_scene_joint, "coupling", word)) {
    asp_import_note(mjcf->robot->import, ASP_IMPORT_IGNORED, tendon->node,
                    asp_import_text(mjcf->robot->import, "tendon %s", key), "not simulated on a sum of coordinates");
    cJSON_Delete(value);
    return false;
  }
  asp_json_add(tendon->coupling, key, value);
  return tendon->acts = true;
}

MjcfTendon *asp_mjcf_tendon(Mjcf *mjcf, const char *name) {
  MjcfTendon *tendon = mjcf->tendons;
  while (tendon && strcmp(tendon->name, name) != 0)
    tendon = tendon->next;
  return tendon;
}

static void read_forces(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, MjcfTendon *tendon) {
  double range[2], rest[2] = {0}, number;
  bool given = asp_mjcf_numbers(mjcf, scope, node, "tendon", "range", range, 2) == 2;
  if (asp_mjcf_flag(mjcf, scope, node, "tendon", "limited", scope->model->auto_limits && given) && given &&
      !mjcf->off.limit)
    asp_mjcf_put(mjcf, tendon, "limits", cJSON_CreateDoubleArray(range, 2));
  if ((number = asp_mjcf_number(mjcf, scope, node, "tendon", "frictionloss", 0)) > 0 && !mjcf->off.frictionloss)
    asp_mjcf_put(mjcf, tendon, "friction", cJSON_CreateNumber(number));
  if ((number = asp_mjcf_number(mjcf, scope, node, "tendon", "armature", 0)) > 0)
    asp_mjcf_put(mjcf, tendon, "armature", cJSON_CreateNumber(number));
  double stiffness = asp_mjcf_number(mjcf, scope, node, "tendon", "stiffness", 0),
         damping = asp_mjcf_number(mjcf, scope, node, "tendon", "damping", 0);
  stiffness = mjcf->off.spring ? 0 : stiffness;
  damping = mjcf->off.damper ? 0 : damping;
  const char *lengths = asp_mjcf_attribute(mjcf, scope, node, "tendon", "springlength");
  int rests = lengths ? asp_import_numbers(mjcf->robot->import, node, lengths, rest, 2) : 0;
  if (rests == 2 && rest[0] != rest[1] && stiffness > 0) {
    asp_import_note(mjcf->robot->import, ASP_IMPORT_IGNORED, node,
                    "tendon springlength=", "not simulated: a spring with a dead band; give the tendon a range");
    stiffness = 0;
  }
  if (!(stiffness > 0 || damping > 0))
    return;
  cJSON *spring = cJSON_CreateObject();
  asp_json_add_number(spring, "stiffness", stiffness);
  asp_json_add_number(spring, "damping", damping);
  asp_json_add_number(spring, "rest", rests > 0 && rest[0] >= 0 ? rest[0] : tendon->length_at_rest);
  asp_mjcf_put(mjcf, tendon, "spring", spring);
}

static MjcfTendon *new_tendon(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *type) {
  Import *import = mjcf->robot->import;
  MjcfTendon *tendon = asp_import_take(import, 1, sizeof *tendon);
  const char *name = asp_mjcf_title(mjcf, scope, node);
  if (!tendon)
    return NULL;
  *tendon = (MjcfTendon){.name = name ? name : "", .node = node, .coupling = cJSON_CreateObject(), .alone = -1};
  tendon->next = mjcf->tendons;
  mjcf->tendons = tendon;
  asp_json_add_text(tendon->coupling, "name", name ? name : asp_import_text(import, "tendon%d", ++mjcf->unnamed));
  asp_json_add_text(tendon->coupling, "type", type);
  double range[2];
  bool given = asp_mjcf_numbers(mjcf, scope, node, "tendon", "actuatorfrcrange", range, 2) == 2;
  if (asp_mjcf_flag(mjcf, scope, node, "tendon", "actuatorfrclimited", scope->model->auto_limits && given) && given) {
    tendon->drive_low = range[0];
    tendon->drive_high = range[1];
  }
  return tendon;
}

static double number_in(const cJSON *object, const char *key) {
  double number = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return isfinite(number) ? number : 0;
}

/* A sum of one coordinate is no coupling: what is on it goes to the joint. With f the factor, limits are divided by f,
 * friction is multiplied by |f|, armature, stiffness and damping by f^2. */
static void give_to_joint(Mjcf *mjcf, MjcfTendon *tendon) {
  double f = cJSON_GetObjectItemCaseSensitive(tendon->coupling, "factors")->child->valuedouble;
  int index = asp_robot_find_joint(mjcf->robot,
                                   cJSON_GetObjectItemCaseSensitive(tendon->coupling, "joints")->child->valuestring);
  RobotJoint *joint = &mjcf->robot->joint[index];
  const cJSON *limits = cJSON_GetObjectItemCaseSensitive(tendon->coupling, "limits"),
              *spring = cJSON_GetObjectItemCaseSensitive(tendon->coupling, "spring");
  if (limits) {
    double a = limits->child->valuedouble / f, b = limits->child->next->valuedouble / f;
    joint->low = fmax(joint->low, fmin(a, b));
    joint->high = fmin(joint->high, fmax(a, b));
  }
  joint->friction += fabs(f) * number_in(tendon->coupling, "friction");
  joint->armature += f * f * number_in(tendon->coupling, "armature");
  joint->damping += f * f * number_in(spring, "damping");
  double more = f * f * number_in(spring, "stiffness"), all = joint->stiffness + more;
  if (more > 0)
    joint->rest = (joint->stiffness * joint->rest + more * number_in(spring, "rest") / f) / all;
  joint->stiffness = all;
  tendon->alone = index;
  tendon->factor = f;
  tendon->acts = false;
}

static void read_fixed(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  Robot *robot = mjcf->robot;
  Import *import = robot->import;
  MjcfTendon *tendon = new_tendon(mjcf, scope, node, "coupling");
  if (!tendon)
    return;
  cJSON *joints = asp_json_add_array(tendon->coupling, "joints"),
        *factors = asp_json_add_array(tendon->coupling, "factors");
  for (XmlNode *part = asp_xml_child(node, "joint"); part && import->error == ASP_OK; part = asp_xml_next(part)) {
    const char *which = asp_import_required(import, part, "joint");
    int joint = asp_robot_find_joint(robot, asp_mjcf_reference(mjcf, scope, which));
    double factor = asp_import_number(import, part, "coef", 0);
    if (joint < 0)
      asp_mjcf_missing(mjcf, scope, part, "joint", which);
    tendon->stuck = tendon->stuck || joint < 0;
    if (joint < 0 || factor == 0)
      continue;
    tendon->moves = tendon->moves || asp_robot_is_written(robot, joint);
    tendon->stuck = tendon->stuck || !asp_robot_is_written(robot, joint);
    tendon->length_at_rest += factor * robot->joint[joint].rest;
    asp_json_append(joints, cJSON_CreateString(robot->joint[joint].name));
    asp_json_append(factors, cJSON_CreateNumber(factor));
  }
  read_forces(mjcf, scope, node, tendon);
  if (cJSON_GetArraySize(joints) == 1 && !tendon->stuck)
    give_to_joint(mjcf, tendon);
}

/* ---- through space ---- */

static bool read_site(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, RobotPathPoint *point) {
  const char *name = asp_import_required(mjcf->robot->import, node, "site");
  const MjcfSite *site = name ? asp_mjcf_site(mjcf, asp_mjcf_reference(mjcf, scope, name)) : NULL;
  if (!site) {
    asp_mjcf_missing(mjcf, scope, node, "site", name ? name : "");
    return false;
  }
  *point = (RobotPathPoint){site->body, {.kind = ASP_PATH_POINT, .point = site->pose.position}};
  return true;
}

/* A sphere or cylinder, and perhaps the side of it that the path takes. */
static bool read_round(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, RobotPathPoint *point) {
  Import *import = mjcf->robot->import;
  const char *name = asp_import_required(import, node, "geom"), *side = asp_xml_attribute(node, "sidesite");
  const RobotShape *shape = name ? asp_mjcf_find_geom(mjcf, asp_mjcf_reference(mjcf, scope, name)) : NULL;
  const MjcfSite *at = side ? asp_mjcf_site(mjcf, asp_mjcf_reference(mjcf, scope, side)) : NULL;
  if (!shape || (side && !at)) {
    asp_mjcf_missing(mjcf, scope, node, shape ? "site" : "geom", shape ? side : name ? name : "");
    return false;
  }
  bool sphere = strcmp(shape->type, "sphere") == 0;
  if (!sphere && strcmp(shape->type, "cylinder") != 0) {
    asp_import_fail(import, node, "geom: '%s' is not a sphere or cylinder", name);
    return false;
  }
  AspVec3 axis = quat_rotate(shape->pose.orientation, vec3(0, 0, 1));
  *point = (RobotPathPoint){shape->body,
                            {.kind = sphere ? ASP_PATH_SPHERE : ASP_PATH_CYLINDER,
                             .point = shape->pose.position,
                             .axis = axis,
                             .radius = shape->size[0],
                             .has_side = at != NULL}};
  if (!at)
    return true;
  point->at.side = at->pose.position;
  AspVec3 arm = sub3(at->pose.position, shape->pose.position),
          across = sphere ? arm : axpy3(arm, -dot3(arm, axis), axis);
  if (at->body == shape->body && norm3(across) > shape->size[0])
    return true;
  point->at.kind = ASP_PATH_POINT; // as if it were not there
  point->at.has_side = false;
  asp_import_note(import, ASP_IMPORT_IGNORED, node, "spatial geom",
                  at->body == shape->body
                      ? "not simulated: a path through the inside of a geom (sidesite in it); it runs straight"
                      : "not simulated: a sidesite on another body than its geom; the path runs straight");
  return false;
}

/* All elements; a pulley begins a branch at the next site. */
static void read_path(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, RobotPath *path) {
  Import *import = mjcf->robot->import;
  double divisor = 0;
  for (XmlNode *part = node->child; part && import->error == ASP_OK; part = part->next) {
    part->used = true;
    if (strcmp(part->name, "pulley") == 0) {
      divisor = asp_import_number(import, part, "divisor", 1);
      if (!(divisor > 0))
        asp_import_fail(import, part, "pulley: divisor is %g, expected > 0", divisor);
    } else if (strcmp(part->name, "site") == 0 && read_site(mjcf, scope, part, &path->point[path->count])) {
      path->point[path->count++].at.divisor = divisor;
      divisor = 0;
    } else if (strcmp(part->name, "geom") == 0 && read_round(mjcf, scope, part, &path->point[path->count])) {
      path->count++;
    }
  }
}

/* The length where springs of joints are relaxed. */
static double rest_length(Robot *robot, const RobotPath *path, bool *sound) {
  double *kept = asp_import_take(robot->import, (size_t)robot->joints + 1, sizeof *kept), length = 0;
  for (int i = 0; kept && i < robot->joints; i++) {
    kept[i] = robot->joint[i].value;
    robot->joint[i].value = robot->joint[i].rest;
  }
  asp_robot_forward(robot);
  *sound = asp_robot_path_length(robot, path, &length);
  for (int i = 0; kept && i < robot->joints; i++)
    robot->joint[i].value = kept[i];
  asp_robot_forward(robot);
  return length;
}

static void read_spatial(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  Robot *robot = mjcf->robot;
  Import *import = robot->import;
  MjcfTendon *tendon = new_tendon(mjcf, scope, node, "tendon");
  RobotPath *path = asp_import_take(import, 1, sizeof *path), **end = &robot->paths;
  int parts = 0;
  for (const XmlNode *part = node->child; part; part = part->next)
    parts++;
  RobotPathPoint *point = asp_import_take(import, (size_t)parts + 1, sizeof *point);
  if (!tendon || !path || !point)
    return;
  *path = (RobotPath){.node = node, .point = point};
  read_path(mjcf, scope, node, path);
  tendon->path = path;
  bool sound = import->error == ASP_OK;
  if (sound)
    tendon->length_at_rest = rest_length(robot, path, &sound);
  tendon->stuck = !sound;
  while (*end)
    end = &(*end)->next;
  *end = path;
  read_forces(mjcf, scope, node, tendon);
}

void asp_mjcf_tendons(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section) {
  for (XmlNode *node = section->child; node && mjcf->robot->import->error == ASP_OK; node = node->next) {
    bool fixed = strcmp(node->name, "fixed") == 0, spatial = strcmp(node->name, "spatial") == 0;
    if (!fixed && !spatial)
      continue; // nothing of MJCF: reported with what was never heard of
    node->used = true;
    if (fixed)
      read_fixed(mjcf, scope, node);
    else
      read_spatial(mjcf, scope, node);
  }
}

static double length_at_start(const Mjcf *mjcf, const MjcfTendon *tendon) {
  double length = 0;
  const cJSON *factor = cJSON_GetObjectItemCaseSensitive(tendon->coupling, "factors")->child, *name = NULL;
  cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(tendon->coupling, "joints")) {
    int joint = asp_robot_find_joint(mjcf->robot, name->valuestring);
    length += factor->valuedouble * mjcf->robot->joint[joint].value;
    factor = factor->next;
  }
  return length;
}

/* Its joint goes into the scene when all poses are known; one that nothing acts on does nothing. */
static void write_path(Robot *robot, MjcfTendon *tendon) {
  if (tendon->acts && !tendon->stuck) {
    tendon->path->object = tendon->coupling;
    return;
  }
  if (!tendon->acts && !tendon->stuck)
    asp_import_note(robot->import, ASP_IMPORT_IRRELEVANT, tendon->node, "spatial", "a tendon that nothing acts on");
  asp_robot_drop_coupling(robot, tendon->coupling);
}

void asp_mjcf_write_tendons(Mjcf *mjcf) {
  Robot *robot = mjcf->robot;
  MjcfTendon *list = NULL;
  for (MjcfTendon *tendon = mjcf->tendons, *next; tendon; tendon = next) { // into the order of the file
    next = tendon->next;
    tendon->next = list;
    list = tendon;
  }
  mjcf->tendons = NULL;
  for (MjcfTendon *tendon = list; tendon; tendon = tendon->next) {
    if (tendon->path) {
      write_path(robot, tendon);
      continue;
    }
    int terms = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(tendon->coupling, "joints"));
    double length = length_at_start(mjcf, tendon);
    const cJSON *limits = cJSON_GetObjectItemCaseSensitive(tendon->coupling, "limits");
    bool outside = limits && (length < limits->child->valuedouble || length > limits->child->next->valuedouble);
    bool fits = !tendon->stuck && terms >= 2 && terms <= MJCF_TERMS_MAX && !outside;
    if (tendon->acts && fits) {
      asp_json_add_number(tendon->coupling, "initial", length);
      asp_json_append(robot->sums, tendon->coupling);
      continue;
    }
    if (tendon->acts)
      asp_import_note(robot->import, ASP_IMPORT_IGNORED, tendon->node, "fixed",
                      outside ? "not simulated: its length at the start is outside its range"
                              : "not simulated: a sum of %d coordinates, or of joints that are not in the scene",
                      terms);
    asp_robot_drop_coupling(robot, tendon->coupling);
  }
}
