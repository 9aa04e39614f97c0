/* The keyframe that the run starts from: controls, then coordinates in the order of the joints: 7 numbers of a free
 * joint (position, quaternion), 4 of a ball, 1 of a hinge or slide. */
#include "io/import/mjcf.h"

#include "linalg/vec3.h"

#include <stdio.h>
#include <stdlib.h>

/* The keyframe of that name or number; the others are set aside. */
static XmlNode *find_key(Mjcf *mjcf, const char *wanted) {
  Import *import = mjcf->robot->import;
  const char *names = "";
  XmlNode *found = NULL;
  int place = 0;
  for (XmlNode *section = asp_xml_child(mjcf->models->root, "keyframe"); section; section = asp_xml_next(section))
    for (XmlNode *key = asp_xml_child(section, "key"); key; key = asp_xml_next(key), place++) {
      const char *name = asp_xml_attribute(key, "name");
      char number[16];
      snprintf(number, sizeof number, "%d", place);
      if (wanted && !found && ((name && strcmp(name, wanted) == 0) || strcmp(number, wanted) == 0))
        found = key;
      else
        asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, key, "a keyframe that was not asked for (--keyframe)");
      names = asp_import_text(import, "%s%s%s", names, place ? ", " : "", name ? name : number);
    }
  if (wanted && !found)
    asp_import_fail(import, NULL, "there is no keyframe '%s'%s%s", wanted, place ? "; there are: " : "", names);
  return found;
}

static int read_list(Mjcf *mjcf, const XmlNode *key, const char *name, double **list) {
  const char *text = asp_xml_attribute(key, name);
  int most = text ? (int)(strlen(text) / 2) + 1 : 0;
  *list = asp_import_take(mjcf->robot->import, (size_t)most + 1, sizeof **list);
  return text && *list ? asp_import_numbers(mjcf->robot->import, key, text, *list, most) : 0;
}

void asp_mjcf_find_key(Mjcf *mjcf) {
  mjcf->key = find_key(mjcf, mjcf->robot->import->options->keyframe);
  if (mjcf->key)
    mjcf->controls = read_list(mjcf, mjcf->key, "ctrl", &mjcf->control);
}

static int size_of(const RobotJoint *joint) {
  return joint->kind == ROBOT_FREE ? 7 : joint->kind == ROBOT_BALL ? 4 : 1;
}

static void set_joint(RobotJoint *joint, const double *q) {
  bool free = joint->kind == ROBOT_FREE;
  if (free)
    joint->free.position = vec3(q[0], q[1], q[2]);
  if (free || joint->kind == ROBOT_BALL) {
    const double *w = free ? q + 3 : q;
    joint->free.orientation = quat_normalize((AspQuat){w[0], w[1], w[2], w[3]});
  } else {
    joint->value = q[0];
  }
}

/* Bodies that are moved from outside, in their order: mpos, mquat. */
static void place_guided(Mjcf *mjcf) {
  double *p = NULL, *w = NULL;
  int places = read_list(mjcf, mjcf->key, "mpos", &p) / 3, turns = read_list(mjcf, mjcf->key, "mquat", &w) / 4, k = 0;
  for (int i = 0; i < mjcf->robot->bodies; i++) {
    RobotBody *body = &mjcf->robot->body[i];
    if (!body->guided)
      continue;
    if (k < places)
      body->pose.position = vec3(p[3 * k], p[3 * k + 1], p[3 * k + 2]);
    if (k < turns)
      body->pose.orientation = quat_normalize((AspQuat){w[4 * k], w[4 * k + 1], w[4 * k + 2], w[4 * k + 3]});
    k++;
  }
}

void asp_mjcf_start_at_key(Mjcf *mjcf) {
  Robot *robot = mjcf->robot;
  const char *const others[] = {"qvel", "act"};
  double *q = NULL;
  if (!mjcf->key)
    return;
  asp_xml_attribute(mjcf->key, "time");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    double *list = NULL;
    int count = read_list(mjcf, mjcf->key, others[i], &list);
    bool zero = true;
    for (int k = 0; k < count; k++)
      zero = zero && list[k] == 0;
    if (!zero)
      asp_import_note(robot->import, ASP_IMPORT_IGNORED, mjcf->key,
                      asp_import_text(robot->import, "key %s=", others[i]), "not simulated: the robot starts at rest");
  }
  place_guided(mjcf);
  int count = read_list(mjcf, mjcf->key, "qpos", &q), needed = 0;
  for (int i = 0; i < robot->joints; i++)
    needed += size_of(&robot->joint[i]);
  if (count > 0 && count != needed) {
    asp_import_fail(robot->import, mjcf->key, "key: qpos has %d numbers, the joints have %d", count, needed);
    return;
  }
  for (int i = 0; count > 0 && i < robot->joints; i++) {
    set_joint(&robot->joint[i], q);
    q += size_of(&robot->joint[i]);
  }
}
