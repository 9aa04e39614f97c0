/* Attributes of MJCF with their defaults, names, orientations. */
#include "base/elementary.h"
#include "io/import/mjcf.h"

#include "base/constants.h"
#include "linalg/vec3.h"

#include <ctype.h>

/* ---- classes ---- */

const MjcfClass *asp_mjcf_find_class(const MjcfModel *model, const char *name) {
  for (const MjcfClass *class = model->classes; class; class = class->next)
    if (strcmp(class->name, name) == 0)
      return class;
  return NULL;
}

const MjcfClass *asp_mjcf_class(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  const char *name = asp_xml_attribute(node, "class");
  if (!name)
    return scope->inherited ? scope->inherited : scope->model->classes;
  const MjcfClass *class = asp_mjcf_find_class(scope->model, name);
  if (!class)
    asp_import_fail(mjcf->robot->import, node, "%s: there is no default class '%s'", node->name, name);
  return class ? class : scope->model->classes;
}

const char *asp_mjcf_attribute(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind,
                               const char *name) {
  const char *text = asp_xml_attribute(node, name);
  const MjcfClass *class = text || !kind ? NULL : asp_mjcf_class(mjcf, scope, node);
  for (; class && !text; class = class->parent)
    for (const MjcfClass *part = class; part && !text; part = part->next) {
      if (strcmp(part->name, class->name) != 0 || !part->node)
        continue;
      for (XmlNode *element = asp_xml_child(part->node, kind); element; element = asp_xml_next(element)) {
        const char *found = asp_xml_attribute(element, name);
        text = found ? found : text; // the last one counts
      }
    }
  return text;
}

int asp_mjcf_numbers(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                     double *numbers, int most) {
  const char *text = asp_mjcf_attribute(mjcf, scope, node, kind, name);
  if (!text)
    return 0;
  int count = asp_import_numbers(mjcf->robot->import, node, text, numbers, most);
  if (count > most)
    asp_import_fail(mjcf->robot->import, node, "%s: %s has %d numbers, at most %d are expected", node->name, name,
                    count, most);
  return count < 0 || count > most ? 0 : count;
}

double asp_mjcf_number(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                       double otherwise) {
  double number;
  return asp_mjcf_numbers(mjcf, scope, node, kind, name, &number, 1) == 1 ? number : otherwise;
}

int asp_mjcf_flag(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                  int otherwise) {
  const char *text = asp_mjcf_attribute(mjcf, scope, node, kind, name);
  return !text || strcmp(text, "auto") == 0 ? otherwise : strcmp(text, "true") == 0 || strcmp(text, "enable") == 0;
}

const char *asp_mjcf_name(Mjcf *mjcf, const MjcfScope *scope, const char *name) {
  return name ? asp_import_text(mjcf->robot->import, "%s%s%s", scope->prefix, name, scope->suffix) : NULL;
}

void asp_mjcf_missing(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name) {
  if (scope->model == mjcf->models)
    asp_import_fail(mjcf->robot->import, node, "%s: there is no %s '%s'", node->name, kind, name);
  else
    asp_import_leave_out(mjcf->robot->import, ASP_IMPORT_IRRELEVANT, node, "of a part that is not attached");
}

/* ---- orientation ---- */

double asp_mjcf_angle(const MjcfModel *model, double angle) { return model->degrees ? angle * ASP_PI / 180 : angle; }

AspQuat asp_mjcf_turn_to(AspVec3 vector) {
  AspVec3 axis = cross3(vec3(0, 0, 1), vector);
  double sine = norm3(axis);
  return quat_from_axis_angle(sine > 0 ? axis : vec3(1, 0, 0), asp_atan2(sine, vector.z));
}

AspQuat asp_mjcf_euler(const MjcfModel *model, const double angle[3]) {
  AspQuat turn = quat_identity();
  for (int i = 0; i < 3; i++) {
    char letter = (char)tolower(model->euler_order[i]);
    AspVec3 axis = vec3(letter == 'x', letter == 'y', letter == 'z');
    AspQuat part = quat_from_axis_angle(axis, angle[i]);
    bool fixed = letter != model->euler_order[i];
    turn = fixed ? quat_multiply(part, turn) : quat_multiply(turn, part);
  }
  return quat_normalize(turn);
}

/* The columns of a rotation matrix as a quaternion. */
AspQuat asp_import_from_axes(AspVec3 x, AspVec3 y, AspVec3 z) {
  double trace = x.x + y.y + z.z;
  AspQuat q;
  if (trace > 0)
    q = (AspQuat){1 + trace, y.z - z.y, z.x - x.z, x.y - y.x};
  else if (x.x >= y.y && x.x >= z.z)
    q = (AspQuat){y.z - z.y, 1 + x.x - y.y - z.z, y.x + x.y, z.x + x.z};
  else if (y.y >= z.z)
    q = (AspQuat){z.x - x.z, y.x + x.y, 1 - x.x + y.y - z.z, z.y + y.z};
  else
    q = (AspQuat){x.y - y.x, z.x + x.z, z.y + y.z, 1 - x.x - y.y + z.z};
  return quat_normalize(q);
}

AspPose asp_mjcf_pose(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind) {
  AspPose pose = pose_identity();
  double v[6] = {0};
  if (asp_mjcf_numbers(mjcf, scope, node, kind, "pos", v, 3) == 3)
    pose.position = vec3(v[0], v[1], v[2]);
  if (asp_mjcf_numbers(mjcf, scope, node, kind, "quat", v, 4) == 4) {
    if (v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 0)
      asp_import_fail(mjcf->robot->import, node, "%s: quat has no length", node->name);
    pose.orientation = quat_normalize((AspQuat){v[0], v[1], v[2], v[3]});
  } else if (asp_mjcf_numbers(mjcf, scope, node, kind, "axisangle", v, 4) == 4) {
    pose.orientation = quat_from_axis_angle(vec3(v[0], v[1], v[2]), asp_mjcf_angle(scope->model, v[3]));
  } else if (asp_mjcf_numbers(mjcf, scope, node, kind, "euler", v, 3) == 3) {
    double angle[3] = {asp_mjcf_angle(scope->model, v[0]), asp_mjcf_angle(scope->model, v[1]),
                       asp_mjcf_angle(scope->model, v[2])};
    pose.orientation = asp_mjcf_euler(scope->model, angle);
  } else if (asp_mjcf_numbers(mjcf, scope, node, kind, "xyaxes", v, 6) == 6) {
    AspVec3 x = unit3(vec3(v[0], v[1], v[2])), y = vec3(v[3], v[4], v[5]);
    y = unit3(axpy3(y, -dot3(x, y), x));
    pose.orientation = asp_import_from_axes(x, y, cross3(x, y));
  } else if (asp_mjcf_numbers(mjcf, scope, node, kind, "zaxis", v, 3) == 3) {
    pose.orientation = asp_mjcf_turn_to(vec3(v[0], v[1], v[2]));
  }
  return pose;
}
