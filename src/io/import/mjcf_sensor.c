/* Sensors of MJCF that are probes of scenes: coordinates and rates of joints. */
#include "io/import/mjcf.h"

#include <ctype.h>

static void read_sensor(Mjcf *mjcf, const MjcfScope *scope, XmlNode *node, const char *quantity) {
  Robot *robot = mjcf->robot;
  const char *joint = asp_import_required(robot->import, node, "joint"),
             *name = asp_mjcf_name(mjcf, scope, asp_xml_attribute(node, "name"));
  node->used = true;
  int index = asp_robot_find_joint(robot, asp_mjcf_reference(mjcf, scope, joint));
  if (index < 0)
    asp_mjcf_missing(mjcf, scope, node, "joint", joint);
  if (index < 0)
    return;
  if (!asp_robot_is_written(robot, index)) {
    asp_import_leave_out(robot->import, ASP_IMPORT_IRRELEVANT, node, "a sensor of a joint that is not in the scene");
    return;
  }
  char *value = (char *)asp_import_text(robot->import, "%s.%s", robot->joint[index].name, quantity);
  for (char *c = value; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '.')
      *c = '_';
  cJSON *probe = cJSON_CreateObject();
  asp_json_add_text(probe, "name",
                    name ? name : asp_import_text(robot->import, "%s.%s", robot->joint[index].name, quantity));
  asp_json_add_text(probe, "value", value);
  asp_json_append(asp_json_list(robot->scene, "probes"), probe);
}

void asp_mjcf_sensors(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section) {
  for (XmlNode *node = section->child; node && mjcf->robot->import->error == ASP_OK; node = node->next)
    if (strcmp(node->name, "jointpos") == 0)
      read_sensor(mjcf, scope, node, "coordinate");
    else if (strcmp(node->name, "jointvel") == 0)
      read_sensor(mjcf, scope, node, "rate");
    else
      asp_import_leave_out(mjcf->robot->import, ASP_IMPORT_IRRELEVANT, node, "a sensor without a probe in scenes");
}
