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

/* "actuator": an element of any of these, as they share their defaults. */
static bool is_of(const char *element, const char *kind) {
  static const char *const actuators[] = {"general",  "motor",  "position", "velocity", "intvelocity", "damper",
                                          "cylinder", "muscle", "adhesion", "dcmotor",  "plugin"};
  if (strcmp(kind, "actuator") != 0)
    return strcmp(element, kind) == 0;
  for (size_t i = 0; i < sizeof actuators / sizeof *actuators; i++)
    if (strcmp(actuators[i], element) == 0)
      return true;
  return false;
}

void asp_mjcf_each_default(const MjcfClass *class, const char *kind, MjcfVisitor visit, void *state) {
  if (!class)
    return;
  asp_mjcf_each_default(class->parent, kind, visit, state);
  for (const MjcfClass *part = class; part; part = part->next)
    for (XmlNode *element = part->node && strcmp(part->name, class->name) == 0 ? part->node->child : NULL; element;
         element = element->next)
      if (is_of(element->name, kind)) {
        element->used = true;
        visit(element, state);
      }
}

typedef struct Search {
  const char *name, *text;
} Search;

static void take_text(const XmlNode *element, void *state) {
  Search *search = state;
  const char *found = asp_xml_attribute(element, search->name);
  search->text = found ? found : search->text; // the last one counts
}

const char *asp_mjcf_attribute(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind,
                               const char *name) {
  Search search = {name, asp_xml_attribute(node, name)};
  if (!search.text && kind)
    asp_mjcf_each_default(asp_mjcf_class(mjcf, scope, node), kind, take_text, &search);
  return search.text;
}

typedef struct Numbers {
  Mjcf *mjcf;
  const char *name;
  double *number;
  int most, count;
} Numbers;

/* A list that is shorter than one of the defaults leaves the rest of it as it is. */
static void take_numbers(const XmlNode *element, void *state) {
  Numbers *list = state;
  Import *import = list->mjcf->robot->import;
  const char *text = import->error == ASP_OK ? asp_xml_attribute(element, list->name) : NULL;
  int count = text ? asp_import_numbers(import, element, text, list->number, list->most) : 0;
  if (count > list->most)
    asp_import_fail(import, element, "%s: %s has %d numbers, at most %d are expected", element->name, list->name, count,
                    list->most);
  list->count = count > list->count ? count : list->count;
}

int asp_mjcf_numbers(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                     double *numbers, int most) {
  Numbers list = {mjcf, name, numbers, most, 0};
  if (kind)
    asp_mjcf_each_default(asp_mjcf_class(mjcf, scope, node), kind, take_numbers, &list);
  take_numbers(node, &list);
  return list.count > most || mjcf->robot->import->error != ASP_OK ? 0 : list.count;
}

double asp_mjcf_number(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                       double otherwise) {
  double number;
  return asp_mjcf_numbers(mjcf, scope, node, kind, name, &number, 1) == 1 ? number : otherwise;
}

int asp_mjcf_integer(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                     int otherwise) {
  double number = asp_mjcf_number(mjcf, scope, node, kind, name, otherwise);
  if (number == floor(number) && fabs(number) <= UINT32_MAX)
    return (int)(uint32_t)(int64_t)number; // masks of bits may be given without a sign
  asp_import_fail(mjcf->robot->import, node, "%s: %s is %g, expected a whole number", node->name, name, number);
  return otherwise;
}

int asp_mjcf_flag(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind, const char *name,
                  int otherwise) {
  const char *text = asp_mjcf_attribute(mjcf, scope, node, kind, name);
  return !text || strcmp(text, "auto") == 0 ? otherwise : strcmp(text, "true") == 0 || strcmp(text, "enable") == 0;
}

const char *asp_mjcf_name(Mjcf *mjcf, const MjcfScope *scope, const char *name) {
  return name ? asp_import_text(mjcf->robot->import, "%s%s%s", scope->prefix, name, scope->suffix) : NULL;
}

const char *asp_mjcf_title(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  const char *name = asp_xml_attribute(node, "name");
  return name && *name ? asp_mjcf_name(mjcf, scope, name) : NULL;
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

/* Which way of giving an orientation holds: one of the element before one of its defaults, any before quat. */
static const char *way_of(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind) {
  static const char *const ways[] = {"axisangle", "euler", "xyaxes", "zaxis"};
  asp_xml_attribute(node, "quat"); // read, whether it counts or not
  for (int defaults = 0; defaults < 2; defaults++)
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
      if (asp_mjcf_attribute(mjcf, scope, node, defaults ? kind : NULL, ways[i]))
        return ways[i];
  return "quat";
}

AspPose asp_mjcf_pose(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *kind) {
  AspPose pose = pose_identity();
  double v[6] = {0};
  if (asp_mjcf_numbers(mjcf, scope, node, kind, "pos", v, 3) == 3)
    pose.position = vec3(v[0], v[1], v[2]);
  const char *way = way_of(mjcf, scope, node, kind);
  int count = asp_mjcf_numbers(mjcf, scope, node, kind, way, v, 6);
  if (way[0] == 'q' && count == 4) {
    if (v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 0)
      asp_import_fail(mjcf->robot->import, node, "%s: quat has no length", node->name);
    pose.orientation = quat_normalize((AspQuat){v[0], v[1], v[2], v[3]});
  } else if (way[0] == 'a' && count == 4) {
    pose.orientation = quat_from_axis_angle(vec3(v[0], v[1], v[2]), asp_mjcf_angle(scope->model, v[3]));
  } else if (way[0] == 'e' && count == 3) {
    double angle[3] = {asp_mjcf_angle(scope->model, v[0]), asp_mjcf_angle(scope->model, v[1]),
                       asp_mjcf_angle(scope->model, v[2])};
    pose.orientation = asp_mjcf_euler(scope->model, angle);
  } else if (way[0] == 'x' && count == 6) {
    AspVec3 x = unit3(vec3(v[0], v[1], v[2])), y = vec3(v[3], v[4], v[5]);
    y = unit3(axpy3(y, -dot3(x, y), x));
    pose.orientation = asp_import_from_axes(x, y, cross3(x, y));
  } else if (way[0] == 'z' && count == 3) {
    pose.orientation = asp_mjcf_turn_to(vec3(v[0], v[1], v[2]));
  } else if (count > 0) {
    asp_import_fail(mjcf->robot->import, node, "%s: %s has %d numbers", node->name, way, count);
  }
  return pose;
}
