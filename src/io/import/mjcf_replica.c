/* What refers to copies. <replicate> makes copies of bodies, sites and geoms, whose names end in a number. An element
 * (tendon, actuator, sensor, equality, contact) that refers to a name which is there in copies only stands for one
 * element for each copy. */
#include "io/import/mjcf.h"

void asp_mjcf_enter_replica(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  for (const MjcfReplica *known = mjcf->replicas; known; known = known->next)
    if (known->model == scope->model && strcmp(known->suffix, scope->suffix) == 0 &&
        strcmp(known->prefix, scope->prefix) == 0)
      return;
  if (++mjcf->copies > MJCF_COPIES_MAX)
    asp_import_fail(mjcf->robot->import, node, "replicate: more than %d copies in all", MJCF_COPIES_MAX);
  MjcfReplica *made = asp_import_take(mjcf->robot->import, 1, sizeof *made);
  if (!made)
    return;
  *made = (MjcfReplica){scope->model, scope->prefix, scope->suffix, NULL};
  if (mjcf->last_replica)
    mjcf->last_replica->next = made;
  else
    mjcf->replicas = made;
  mjcf->last_replica = made;
}

const RobotShape *asp_mjcf_find_geom(const Mjcf *mjcf, const char *name) {
  const Robot *robot = mjcf->robot;
  for (int i = 0; i < robot->shapes; i++)
    if (robot->shape[i].name && strcmp(robot->shape[i].name, name) == 0)
      return &robot->shape[i];
  return NULL;
}

static bool is_there(Mjcf *mjcf, const char *name) {
  return asp_robot_find_joint(mjcf->robot, name) >= 0 || asp_robot_find_body(mjcf->robot, name) >= 0 ||
         asp_mjcf_site(mjcf, name) || asp_mjcf_tendon(mjcf, name) || asp_mjcf_find_geom(mjcf, name);
}

const char *asp_mjcf_reference(Mjcf *mjcf, const MjcfScope *scope, const char *name) {
  const char *own = asp_mjcf_name(mjcf, scope, name);
  MjcfScope outside = *scope;
  outside.suffix = "";
  return !own || !*scope->suffix || is_there(mjcf, own) ? own : asp_mjcf_name(mjcf, &outside, name);
}

static bool refers(const char *attribute) {
  static const char *const words[] = {"joint", "joint1",   "joint2",     "tendon",    "tendon1", "tendon2", "site",
                                      "site1", "site2",    "body",       "body1",     "body2",   "geom",    "geom1",
                                      "geom2", "sidesite", "slidersite", "cranksite", "refsite", "objname"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], attribute) == 0)
      return true;
  return false;
}

/* *own: something that it refers to is in this copy; false: something is nowhere. */
static bool is_whole(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, bool *own) {
  MjcfScope outside = *scope;
  outside.suffix = "";
  for (int i = 0; i < node->attributes; i++) {
    if (!refers(node->attribute[i].name))
      continue;
    const char *text = node->attribute[i].value;
    bool here = is_there(mjcf, asp_mjcf_name(mjcf, scope, text));
    if (!here && !is_there(mjcf, asp_mjcf_name(mjcf, &outside, text)))
      return false;
    *own = *own || here;
  }
  for (const XmlNode *child = node->child; child; child = child->next)
    if (!is_whole(mjcf, scope, child, own))
      return false;
  return true;
}

static void read_copies_of(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section, MjcfReader read) {
  bool own = false, any = false;
  if (mjcf->replicas && !is_whole(mjcf, scope, section->child, &own))
    for (const MjcfReplica *copy = mjcf->replicas; copy && mjcf->robot->import->error == ASP_OK; copy = copy->next) {
      MjcfScope inner = *scope;
      inner.suffix = copy->suffix;
      own = false;
      if (copy->model != scope->model || strcmp(copy->prefix, scope->prefix) != 0 ||
          !is_whole(mjcf, &inner, section->child, &own) || !own)
        continue;
      any = true;
      read(mjcf, &inner, section);
    }
  if (!any)
    read(mjcf, scope, section);
}

void asp_mjcf_read_copies(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *section, MjcfReader read) {
  for (XmlNode *node = section->child, *next; node && mjcf->robot->import->error == ASP_OK; node = next) {
    XmlNode alone = *section; // the element by itself
    next = node->next;
    alone.child = alone.last = node;
    node->next = NULL;
    read_copies_of(mjcf, scope, &alone, read);
    node->next = next;
  }
  ((XmlNode *)section)->used = true;
}
