/* MJCF: a file with all that it includes, its compiler settings and default classes, then its sections in the order in
 * which they need each other: bodies, tendons, actuators, the keyframe, contacts, constraints, sensors. */
#include "io/import/mjcf.h"

#include "io/file/text_file.h"
#include "linalg/vec3.h"

#include <ctype.h>
#include <stdlib.h>

#define INCLUDES_MAX 64 /* files within files */

/* ---- files ---- */

XmlNode *asp_mjcf_read_file(Mjcf *mjcf, const XmlNode *node, const char *folder, const char *name,
                            const char **its_folder) {
  Import *import = mjcf->robot->import;
  const char *tried = "", *path = asp_import_find(import, folder, name, &tried);
  char *text = NULL;
  size_t length = 0;
  XmlNode *root = NULL;
  if (!path)
    asp_import_fail(import, node, "%s: '%s' was not found; tried: %s", node->name, name, tried);
  if (import->error != ASP_OK)
    return NULL;
  import->error = asp_text_file_read(import->context, path, &text, &length);
  if (import->error == ASP_OK)
    import->error = asp_xml_parse(&import->arena, text, length, path, &root);
  asp_release(import->context, text);
  const char *slash = strrchr(path, '/');
  *its_folder = slash ? asp_import_text(import, "%.*s", (int)(slash - path + 1), path) : "";
  return import->error == ASP_OK ? root : NULL;
}

/* Every <include> is replaced by the children of the file's root. Paths are those of the main file's folder. */
static void include(Mjcf *mjcf, XmlNode *node, const char *folder, int depth) {
  Import *import = mjcf->robot->import;
  for (XmlNode *child = node->child, *before = NULL; child && import->error == ASP_OK; child = child->next) {
    if (strcmp(child->name, "include") == 0) {
      const char *its_folder = "", *file = asp_import_required(import, child, "file");
      if (depth >= INCLUDES_MAX || ++mjcf->includes > INCLUDES_MAX * INCLUDES_MAX)
        asp_import_fail(import, child, "include: files include each other more than %d deep; '%s' includes itself?",
                        INCLUDES_MAX, file);
      XmlNode *root = import->error == ASP_OK ? asp_mjcf_read_file(mjcf, child, folder, file, &its_folder) : NULL;
      if (!root)
        return;
      include(mjcf, root, folder, depth + 1);
      for (XmlNode *part = root->child; part; part = part->next)
        part->parent = node;
      child->used = true;
      asp_import_note(import, ASP_IMPORT_TRANSLATED, child, "include", "%s", "");
      if (!root->child) { // nothing in it
        child->name = "included";
        continue;
      }
      if (before)
        before->next = root->child;
      else
        node->child = root->child;
      root->last->next = child->next;
      if (node->last == child)
        node->last = root->last;
      child = root->last;
    } else {
      include(mjcf, child, folder, depth);
    }
    before = child;
  }
}

/* ---- settings ---- */

/* The text of a compiler's attribute; the last one counts. */
static const char *setting(const MjcfModel *model, const char *name) {
  const char *found = NULL;
  for (XmlNode *node = asp_xml_child(model->root, "compiler"); node; node = asp_xml_next(node)) {
    const char *text = asp_xml_attribute(node, name);
    found = text ? text : found;
  }
  return found;
}

static bool is_set(const MjcfModel *model, const char *name, bool otherwise) {
  const char *text = setting(model, name);
  return text ? strcmp(text, "true") == 0 : otherwise;
}

static double number_of(Mjcf *mjcf, const MjcfModel *model, const char *name) {
  const char *text = setting(model, name);
  double number = 0;
  return text && asp_import_numbers(mjcf->robot->import, model->root, text, &number, 1) == 1 ? number : 0;
}

static void read_compiler(Mjcf *mjcf, MjcfModel *model) {
  Import *import = mjcf->robot->import;
  const char *angle = setting(model, "angle"), *order = setting(model, "eulerseq"),
             *from = setting(model, "inertiafromgeom"), *meshes = setting(model, "meshdir"),
             *assets = setting(model, "assetdir"), *range = setting(model, "inertiagrouprange"),
             *coordinates = setting(model, "coordinate");
  model->degrees = !angle || strcmp(angle, "radian") != 0;
  model->auto_limits = is_set(model, "autolimits", true);
  model->euler_order = order ? order : "xyz";
  for (int i = 0; i < 3; i++)
    if (strlen(model->euler_order) != 3 || !strchr("xyz", tolower(model->euler_order[i])))
      asp_import_fail(import, model->root, "compiler: eulerseq '%s' is not three of x, y, z", model->euler_order);
  model->inertia_from_geoms = !from || strcmp(from, "auto") == 0 ? -1 : strcmp(from, "true") == 0;
  model->group_range[1] = 5;
  if (range)
    asp_import_numbers(import, model->root, range, model->group_range, 2);
  model->bound_mass = number_of(mjcf, model, "boundmass");
  model->bound_inertia = number_of(mjcf, model, "boundinertia");
  model->balance_inertia = is_set(model, "balanceinertia", false);
  model->global = coordinates && strcmp(coordinates, "global") == 0;
  if (coordinates && !model->global && strcmp(coordinates, "local") != 0)
    asp_import_fail(import, model->root,
                    "compiler: coordinate '%s' is not read; save the model by MuJoCo with local ones", coordinates);
  meshes = meshes ? meshes : assets ? assets : "";
  size_t length = strlen(meshes);
  model->mesh_folder = asp_import_text(import, "%s%s%s", *meshes == '/' ? "" : model->folder, meshes,
                                       length > 0 && meshes[length - 1] != '/' ? "/" : "");
}

/* ---- classes ---- */

static void read_classes(Mjcf *mjcf, MjcfModel *model, XmlNode *node, MjcfClass *parent) {
  Import *import = mjcf->robot->import;
  const char *name = asp_xml_attribute(node, "class");
  if (!name && parent)
    asp_import_fail(import, node, "default: a class within a class needs a name");
  MjcfClass *class = asp_import_take(import, 1, sizeof *class), **end = &model->classes;
  if (!class || import->error != ASP_OK)
    return;
  // the outermost one is the main class whatever its name
  *class = (MjcfClass){.name = parent ? name : model->classes->name, .parent = parent, .node = node};
  if (!parent && name && strcmp(name, "main") != 0 && strcmp(model->classes->name, "main") == 0)
    class->name = model->classes->name = name;
  while (*end)
    end = &(*end)->next;
  *end = class;
  for (XmlNode *child = asp_xml_child(node, "default"); child; child = asp_xml_next(child))
    read_classes(mjcf, model, child, class);
}

MjcfModel *asp_mjcf_model(Mjcf *mjcf, XmlNode *root, const char *name, const char *folder) {
  Import *import = mjcf->robot->import;
  MjcfModel *model = asp_import_take(import, 1, sizeof *model), **end = &mjcf->models;
  MjcfClass *main_class = asp_import_take(import, 1, sizeof *main_class);
  if (!model || !main_class)
    return NULL;
  *main_class = (MjcfClass){.name = "main"};
  *model = (MjcfModel){.root = root, .name = name, .folder = folder, .classes = main_class};
  root->used = true;
  include(mjcf, root, folder, 0);
  read_compiler(mjcf, model);
  for (XmlNode *node = asp_xml_child(root, "default"); node; node = asp_xml_next(node))
    read_classes(mjcf, model, node, NULL);
  while (*end)
    end = &(*end)->next;
  return *end = model;
}

const MjcfModel *asp_mjcf_attached(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *name) {
  Import *import = mjcf->robot->import;
  for (MjcfModel *model = mjcf->models; model; model = model->next)
    if (strcmp(model->name, name) == 0)
      return model;
  for (XmlNode *section = asp_xml_child(scope->model->root, "asset"); section; section = asp_xml_next(section))
    for (XmlNode *asset = asp_xml_child(section, "model"); asset; asset = asp_xml_next(asset)) {
      const char *own = asp_xml_attribute(asset, "name"), *folder = "",
                 *file = asp_import_required(import, asset, "file");
      XmlNode *root =
          !own || strcmp(own, name) == 0 ? asp_mjcf_read_file(mjcf, asset, scope->model->folder, file, &folder) : NULL;
      const char *title = root && !own ? asp_xml_attribute(root, "model") : own;
      if (root && title && strcmp(title, name) == 0 && strcmp(root->name, "mujoco") == 0)
        return asp_mjcf_model(mjcf, root, name, folder);
    }
  asp_import_fail(import, node, "%s: there is no model '%s' among the assets", node->name, name);
  return NULL;
}

/* ---- sections ---- */

static void read_options(Mjcf *mjcf) {
  Robot *robot = mjcf->robot;
  Import *import = robot->import;
  double gravity[3] = {0, 0, -9.81}, dt = 0.002, wind[3] = {0};
  for (XmlNode *node = asp_xml_child(mjcf->models->root, "option"); node; node = asp_xml_next(node)) {
    asp_import_vector(import, node, "gravity", gravity, 3);
    dt = asp_import_number(import, node, "timestep", dt);
    robot->density = fmax(0, asp_import_number(import, node, "density", robot->density));
    robot->viscosity = fmax(0, asp_import_number(import, node, "viscosity", robot->viscosity));
    asp_import_vector(import, node, "wind", wind, 3);
    const XmlNode *flag = asp_xml_child(node, "flag");
    const char *off = flag ? asp_xml_attribute(flag, "gravity") : NULL,
               *apart = flag ? asp_xml_attribute(flag, "contact") : NULL;
    if (off && strcmp(off, "disable") == 0)
      gravity[0] = gravity[1] = gravity[2] = 0;
    robot->no_contact = robot->no_contact || (apart && strcmp(apart, "disable") == 0);
  }
  robot->wind = vec3(wind[0], wind[1], wind[2]);
  asp_json_vector(robot->scene, "gravity", vec3(gravity[0], gravity[1], gravity[2]));
  for (MjcfLift *lift = mjcf->lifts; lift; lift = lift->next) {
    const RobotBody *body = &robot->body[lift->body];
    RobotPush push = {.name = asp_import_text(import, "%s.gravcomp", body->name),
                      .body = lift->body,
                      .pose = {body->mass.centre, quat_identity()},
                      .in_world = true};
    for (int i = 0; i < 3; i++)
      push.force[i] = -lift->share * body->mass.mass * gravity[i];
    asp_robot_add_push(robot, &push);
  }
  cJSON *run = asp_json_add_object(robot->scene, "run");
  if (dt > 0)
    asp_json_add_number(run, "dt", dt);
}

static void read_sections(Mjcf *mjcf, const char *name, MjcfReader read) {
  for (MjcfInstance *instance = mjcf->instances; instance; instance = instance->next)
    for (XmlNode *node = asp_xml_child(instance->scope.model->root, name); node && mjcf->robot->import->error == ASP_OK;
         node = asp_xml_next(node))
      asp_mjcf_read_copies(mjcf, &instance->scope, node, read);
}

/* settotalmass: all masses by one factor. */
static void scale_masses(Mjcf *mjcf) {
  Robot *robot = mjcf->robot;
  double wanted = number_of(mjcf, mjcf->models, "settotalmass"), sum = 0;
  for (int i = 0; i < robot->bodies; i++)
    sum += robot->body[i].mass.mass;
  for (int i = 0; i < robot->bodies && wanted > 0 && sum > 0; i++) {
    AspMassProperties *mass = &robot->body[i].mass;
    mass->mass *= wanted / sum;
    for (int k = 0; k < 9; k++)
      mass->inertia.m[k] *= wanted / sum;
  }
}

/* The largest number in names such as body7, which bodies without a name are not given. */
static int largest_number(const XmlNode *node) {
  int largest = 0;
  for (const XmlNode *child = node->child; child; child = child->next) {
    int in = largest_number(child);
    largest = in > largest ? in : largest;
    if (strcmp(child->name, "body") != 0)
      continue;
    const char *name = asp_xml_attribute(child, "name");
    bool like = name && strncmp(name, "body", 4) == 0 && strlen(name) < 12 && name[4] &&
                strspn(name + 4, "0123456789") == strlen(name + 4);
    int number = like ? atoi(name + 4) : 0;
    largest = number > largest ? number : largest;
  }
  return largest;
}

static bool is_disabled(const XmlNode *flag, const char *name) {
  const char *text = flag ? asp_xml_attribute(flag, name) : NULL;
  return text && strcmp(text, "disable") == 0;
}

static void read_flags(Mjcf *mjcf) {
  MjcfOff *off = &mjcf->off;
  const struct {
    const char *name;
    bool *off;
  } rows[] = {{"equality", &off->equality}, {"frictionloss", &off->frictionloss},
              {"limit", &off->limit},       {"actuation", &off->actuation},
              {"spring", &off->spring},     {"damper", &off->damper}};
  for (XmlNode *node = asp_xml_child(mjcf->models->root, "option"); node; node = asp_xml_next(node))
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      const XmlNode *flag = asp_xml_child(node, "flag");
      const char *text = flag ? asp_xml_attribute(flag, rows[i].name) : NULL;
      *rows[i].off = text ? strcmp(text, "disable") == 0 : *rows[i].off;
      if (is_disabled(flag, "constraint") && i < 3) // all of these, and contact
        *rows[i].off = mjcf->robot->no_contact = true;
      if (is_disabled(flag, "passive") && i > 3)
        *rows[i].off = true;
    }
}

static void read_model(Mjcf *mjcf, MjcfInstance *instance) {
  Import *import = mjcf->robot->import;
  read_flags(mjcf);
  mjcf->unnamed = largest_number(mjcf->models->root);
  read_sections(mjcf, "contact", asp_mjcf_pairs); // those of models that are attached are not known yet
  for (XmlNode *node = asp_xml_child(mjcf->models->root, "worldbody"); node && import->error == ASP_OK;
       node = asp_xml_next(node))
    asp_mjcf_walk(mjcf, instance->scope, node, ROBOT_WORLD, pose_identity());
  if (import->error != ASP_OK)
    return;
  scale_masses(mjcf);
  asp_robot_forward(mjcf->robot);
  read_sections(mjcf, "tendon", asp_mjcf_tendons);
  asp_mjcf_find_key(mjcf);
  read_sections(mjcf, "actuator", asp_mjcf_actuators);
  asp_mjcf_start_at_key(mjcf);
  read_sections(mjcf, "contact", asp_mjcf_contact);
  read_sections(mjcf, "equality", asp_mjcf_equality);
  read_sections(mjcf, "sensor", asp_mjcf_sensors);
  asp_mjcf_write_contacts(mjcf);
  read_options(mjcf);
}

/* What an attached model has beside the part that is attached. */
static void leave_rest(Import *import, const XmlNode *root) {
  for (XmlNode *node = root->child; node; node = node->next) {
    bool world = strcmp(node->name, "worldbody") == 0;
    for (XmlNode *child = world ? node->child : NULL; child; child = child->next)
      if (!child->used)
        asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, child, "of a part that is not attached");
    if (!node->used && (strcmp(node->name, "option") == 0 || strcmp(node->name, "keyframe") == 0))
      asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, node, "of a model that is attached");
  }
}

void asp_import_mjcf(Import *import, XmlNode *root, Robot *robot) {
  Mjcf mjcf = {.robot = robot};
  MjcfInstance instance = {.scope = {.prefix = "", .suffix = ""}};
  const char *name = asp_xml_attribute(root, "model");
  robot->name = name ? name : "robot";
  instance.scope.model = asp_mjcf_model(&mjcf, root, "", import->folder);
  mjcf.instances = mjcf.last_instance = &instance;
  if (import->error == ASP_OK)
    read_model(&mjcf, &instance);
  asp_mjcf_write_tendons(&mjcf);
  for (MjcfModel *model = mjcf.models; model && import->error == ASP_OK; model = model->next)
    asp_mjcf_set_aside(import, model->root);
  for (MjcfModel *model = mjcf.models ? mjcf.models->next : NULL; model && import->error == ASP_OK;
       model = model->next) {
    leave_rest(import, model->root);
    asp_import_sweep(import, model->root);
  }
  asp_release(import->context, mjcf.material);
}
