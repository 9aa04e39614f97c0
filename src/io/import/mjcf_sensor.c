/* Sensors of MJCF that are probes of scenes: coordinates and rates of joints and tendons, points of bodies along the
 * axes of the world, the time and energies. What is seen from a moving frame (gyro, accelerometer, reftype) has no
 * probe. */
#include "io/import/mjcf.h"

#include "linalg/vec3.h"

#include <ctype.h>

typedef enum Subject { OF_NOTHING, OF_JOINT, OF_TENDON, OF_POINT, OF_TURN } Subject;

static const struct {
  const char *element;
  Subject subject;
  const char *quantity; /* of the joint, or of the point; without a subject an expression */
} rows[] = {{"jointpos", OF_JOINT, "coordinate"},
            {"jointvel", OF_JOINT, "rate"},
            {"tendonpos", OF_TENDON, "coordinate"},
            {"tendonvel", OF_TENDON, "rate"},
            {"framepos", OF_POINT, "position"},
            {"framelinvel", OF_POINT, "velocity"},
            {"framelinacc", OF_POINT, "acceleration"},
            {"frameangvel", OF_TURN, ""},
            {"clock", OF_NOTHING, "t"},
            {"e_kinetic", OF_NOTHING, "energy.kinetic"},
            {"e_potential", OF_NOTHING, "energy.gravitational + energy.elastic"}};
#define ROW_COUNT (sizeof rows / sizeof *rows)

/* A name as expressions write it. */
static char *subject_name(Import *import, const char *name) {
  char *text = (char *)asp_import_text(import, "%s", name);
  for (char *c = text; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '.')
      *c = '_';
  return text;
}

static void add_expression(Robot *robot, const char *name, const char *value) {
  cJSON *probe = cJSON_CreateObject();
  asp_json_add_text(probe, "name", name);
  asp_json_add_text(probe, "value", value);
  asp_json_append(asp_json_list(robot->scene, "probes"), probe);
}

static const char *title(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *subject,
                         const char *quantity) {
  const char *own = asp_mjcf_title(mjcf, scope, node);
  return own ? own : asp_import_text(mjcf->robot->import, "%s.%s", subject, quantity);
}

static void read_joint(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *quantity) {
  Robot *robot = mjcf->robot;
  const char *joint = asp_import_required(robot->import, node, "joint");
  int index = asp_robot_find_joint(robot, asp_mjcf_reference(mjcf, scope, joint));
  if (index < 0) {
    asp_mjcf_missing(mjcf, scope, node, "joint", joint);
    return;
  }
  const char *called = robot->joint[index].name;
  if (!asp_robot_is_written(robot, index))
    asp_import_leave_out(robot->import, ASP_IMPORT_IRRELEVANT, node, "a sensor of a joint that is not in the scene");
  else
    add_expression(robot, title(mjcf, scope, node, called, quantity),
                   asp_import_text(robot->import, "%s.%s", subject_name(robot->import, called), quantity));
}

/* Of tendons that something acts on; the others are not in the scene. */
static void read_tendon(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *quantity) {
  Import *import = mjcf->robot->import;
  const char *name = asp_import_required(import, node, "tendon");
  const MjcfTendon *tendon = asp_mjcf_tendon(mjcf, asp_mjcf_reference(mjcf, scope, name));
  if (!tendon)
    asp_mjcf_missing(mjcf, scope, node, "tendon", name);
  else if (!tendon->acts || tendon->stuck)
    asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, node, "a sensor of a tendon that is not in the scene");
  else
    add_expression(mjcf->robot, title(mjcf, scope, node, tendon->name, quantity),
                   asp_import_text(import, "%s.%s", subject_name(import, tendon->name), quantity));
}

/* The body of the scene that something is a part of, and the pose there; ROBOT_WORLD: it stands still. */
static int moving_body(const Robot *robot, int body, AspPose *pose) {
  for (; body >= 0 && robot->body[body].joints == 0 && !robot->body[body].guided; body = robot->body[body].parent)
    *pose = pose_multiply(&robot->body[body].pose, pose);
  return body;
}

/* A body, its centre of mass or a site, or a geom; false: there is none, or not in the scene. */
static bool find_object(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, int *body, AspPose *pose) {
  Robot *robot = mjcf->robot;
  const char *type = asp_import_required(robot->import, node, "objtype"),
             *name = asp_mjcf_reference(mjcf, scope, asp_import_required(robot->import, node, "objname"));
  *pose = pose_identity();
  *body = ROBOT_WORLD;
  if (strcmp(type, "site") == 0) {
    const MjcfSite *site = asp_mjcf_site(mjcf, name);
    *body = site ? site->body : ROBOT_WORLD;
    *pose = site ? site->pose : *pose;
  } else if (strcmp(type, "geom") == 0) {
    const RobotShape *shape = asp_mjcf_find_geom(mjcf, name);
    *body = shape ? shape->body : ROBOT_WORLD;
    *pose = shape ? shape->pose : *pose;
  } else if (strcmp(type, "body") == 0 || strcmp(type, "xbody") == 0) {
    *body = asp_robot_find_body(robot, name);
    if (*body >= 0 && type[0] == 'b')
      pose->position = robot->body[*body].mass.centre;
  }
  *body = moving_body(robot, *body, pose);
  return *body >= 0;
}

static void read_frame(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, size_t row) {
  Robot *robot = mjcf->robot;
  AspPose pose;
  int body;
  if (asp_xml_attribute(node, "reftype") || !find_object(mjcf, scope, node, &body, &pose)) {
    asp_import_leave_out(robot->import, ASP_IMPORT_IRRELEVANT, node,
                         "a sensor without a probe in scenes: in a moving frame, or of what does not move");
    return;
  }
  const char *called = robot->body[body].name;
  if (rows[row].subject == OF_POINT) {
    cJSON *probe = cJSON_CreateObject();
    asp_json_add_text(probe, "name", title(mjcf, scope, node, asp_xml_attribute(node, "objname"), rows[row].quantity));
    asp_json_add_text(probe, "type", "point");
    asp_json_add_text(probe, "body", called);
    asp_json_vector(probe, "point", pose.position);
    asp_json_add_text(probe, "quantity", rows[row].quantity);
    asp_json_append(asp_json_list(robot->scene, "probes"), probe);
    return;
  }
  static const char *const parts[] = {"wx", "wy", "wz"};
  for (int i = 0; i < 3; i++)
    add_expression(robot, asp_import_text(robot->import, "%s.%c", title(mjcf, scope, node, called, "turn"), 'x' + i),
                   asp_import_text(robot->import, "%s.%s", subject_name(robot->import, called), parts[i]));
}

static void read_sensor(Mjcf *mjcf, const MjcfScope *scope, XmlNode *node) {
  size_t row = 0;
  while (row < ROW_COUNT && strcmp(rows[row].element, node->name) != 0)
    row++;
  if (row == ROW_COUNT) {
    asp_import_leave_out(mjcf->robot->import, ASP_IMPORT_IRRELEVANT, node, "a sensor without a probe in scenes");
    return;
  }
  node->used = true;
  if (rows[row].subject == OF_JOINT)
    read_joint(mjcf, scope, node, rows[row].quantity);
  else if (rows[row].subject == OF_TENDON)
    read_tendon(mjcf, scope, node, rows[row].quantity);
  else if (rows[row].subject == OF_NOTHING)
    add_expression(mjcf->robot, title(mjcf, scope, node, "world", node->name), rows[row].quantity);
  else
    read_frame(mjcf, scope, node, row);
}

void asp_mjcf_sensors(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section) {
  for (XmlNode *node = section->child; node && mjcf->robot->import->error == ASP_OK; node = node->next)
    read_sensor(mjcf, scope, node);
}
