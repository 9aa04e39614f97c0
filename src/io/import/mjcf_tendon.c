/* Fixed tendons: length = sum of coef times coordinate. One that has limits, friction, a spring or an actuator becomes
 * a coupling of the scene with these on it; the others do nothing. Spatial tendons are reported. */
#include "io/import/mjcf.h"

#include "io/scene/keys.h"

#define TERMS_MAX 6 /* joints of a coupling */

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
  if (asp_mjcf_flag(mjcf, scope, node, "tendon", "limited", scope->model->auto_limits && given) && given)
    asp_mjcf_put(mjcf, tendon, "limits", cJSON_CreateDoubleArray(range, 2));
  if ((number = asp_mjcf_number(mjcf, scope, node, "tendon", "frictionloss", 0)) > 0)
    asp_mjcf_put(mjcf, tendon, "friction", cJSON_CreateNumber(number));
  if ((number = asp_mjcf_number(mjcf, scope, node, "tendon", "armature", 0)) > 0)
    asp_mjcf_put(mjcf, tendon, "armature", cJSON_CreateNumber(number));
  double stiffness = asp_mjcf_number(mjcf, scope, node, "tendon", "stiffness", 0),
         damping = asp_mjcf_number(mjcf, scope, node, "tendon", "damping", 0);
  int rests = asp_mjcf_numbers(mjcf, scope, node, "tendon", "springlength", rest, 2);
  if (!(stiffness > 0 || damping > 0))
    return;
  cJSON *spring = cJSON_CreateObject();
  asp_json_add_number(spring, "stiffness", stiffness);
  asp_json_add_number(spring, "damping", damping);
  asp_json_add_number(spring, "rest", rests > 0 && rest[0] >= 0 ? rest[0] : tendon->length_at_reference);
  asp_mjcf_put(mjcf, tendon, "spring", spring);
  if (rests == 2 && rest[0] != rest[1])
    asp_import_note(mjcf->robot->import, ASP_IMPORT_APPROXIMATED, node,
                    "tendon springlength=", "the spring has no dead band");
}

static void read_fixed(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  Robot *robot = mjcf->robot;
  Import *import = robot->import;
  MjcfTendon *tendon = asp_import_take(import, 1, sizeof *tendon);
  const char *name = asp_mjcf_name(mjcf, scope, asp_xml_attribute(node, "name"));
  if (!tendon)
    return;
  *tendon = (MjcfTendon){.name = name ? name : "", .node = node, .coupling = cJSON_CreateObject()};
  tendon->next = mjcf->tendons;
  mjcf->tendons = tendon;
  asp_json_add_text(tendon->coupling, "name", name ? name : asp_import_text(import, "tendon%d", ++mjcf->unnamed));
  asp_json_add_text(tendon->coupling, "type", "coupling");
  cJSON *joints = asp_json_add_array(tendon->coupling, "joints"),
        *factors = asp_json_add_array(tendon->coupling, "factors");
  for (XmlNode *part = asp_xml_child(node, "joint"); part && import->error == ASP_OK; part = asp_xml_next(part)) {
    const char *which = asp_import_required(import, part, "joint");
    int joint = asp_robot_find_joint(robot, asp_mjcf_name(mjcf, scope, which));
    double factor = asp_import_number(import, part, "coef", 0);
    if (joint < 0)
      asp_mjcf_missing(mjcf, scope, part, "joint", which);
    tendon->stuck = tendon->stuck || joint < 0;
    if (joint < 0 || factor == 0)
      continue;
    tendon->moves = tendon->moves || asp_robot_is_written(robot, joint);
    tendon->stuck = tendon->stuck || !asp_robot_is_written(robot, joint);
    tendon->length_at_reference += factor * robot->joint[joint].reference;
    asp_json_append(joints, cJSON_CreateString(robot->joint[joint].name));
    asp_json_append(factors, cJSON_CreateNumber(factor));
  }
  read_forces(mjcf, scope, node, tendon);
}

void asp_mjcf_tendons(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section) {
  for (XmlNode *node = section->child; node && mjcf->robot->import->error == ASP_OK; node = node->next)
    if (strcmp(node->name, "fixed") == 0) {
      node->used = true;
      read_fixed(mjcf, scope, node);
    } else {
      asp_import_leave_out(mjcf->robot->import, ASP_IMPORT_IGNORED, node, "not simulated: a tendon through space");
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
    int terms = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(tendon->coupling, "joints"));
    double length = length_at_start(mjcf, tendon);
    const cJSON *limits = cJSON_GetObjectItemCaseSensitive(tendon->coupling, "limits");
    bool outside = limits && (length < limits->child->valuedouble || length > limits->child->next->valuedouble);
    bool fits = !tendon->stuck && terms >= 2 && terms <= TERMS_MAX && !outside;
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
    cJSON_Delete(tendon->coupling);
  }
}
