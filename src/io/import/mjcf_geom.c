/* Geoms of MJCF: shapes, their masses, and which of them touch.
 *
 * Two geoms can touch where the type of one meets the affinity of the other, in at least one direction:
 *
 *   (contype_1 & conaffinity_2) || (contype_2 & conaffinity_1)
 *
 * Each pair (contype, conaffinity) that occurs becomes one group of the scene. Friction of two geoms is the larger one,
 * or that of the geom with the higher priority; its dimension (condim) says whether there is friction at all, and
 * resistance to spinning and rolling.
 */
#include "io/import/mjcf.h"

#include "base/constants.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

#include <stdio.h>

#define GROUPS_MAX 32
#define DENSITY    1000 /* kg/m^3, where none is given */

/* ---- contact ---- */

static int find_group(Mjcf *mjcf, const XmlNode *node, uint32_t type, uint32_t affinity, uint64_t pairs) {
  Robot *robot = mjcf->robot;
  for (int i = 0; i < robot->groups; i++)
    if (mjcf->type[i] == type && mjcf->affinity[i] == affinity && mjcf->paired[i] == pairs)
      return i;
  if (robot->groups == GROUPS_MAX) {
    asp_import_note(robot->import, ASP_IMPORT_APPROXIMATED, node, "geom contype=",
                    "more than %d different contype, conaffinity and sets of pairs: the geom counts as the first",
                    GROUPS_MAX);
    return 0;
  }
  mjcf->type[robot->groups] = type;
  mjcf->affinity[robot->groups] = affinity;
  mjcf->paired[robot->groups] = pairs;
  return robot->groups++;
}

static const char *find_material(Mjcf *mjcf, const MjcfMaterial *material) {
  Import *import = mjcf->robot->import;
  int i = 0;
  while (i < mjcf->materials && memcmp(&mjcf->material[i], material, sizeof *material) != 0)
    i++;
  if (i == mjcf->materials) {
    if (ASP_GROW(import->context, mjcf->material, mjcf->material_capacity, i + 1) != ASP_OK) {
      import->error = import->error == ASP_OK ? ASP_ERROR_MEMORY : import->error;
      return NULL;
    }
    mjcf->material[mjcf->materials++] = *material;
  }
  return asp_import_text(import, "geom%d", i);
}

/* The pairs that the geom is in. */
static uint64_t pairs_of(const Mjcf *mjcf, const char *name) {
  uint64_t in = 0;
  for (int i = 0; name && i < mjcf->pairs; i++)
    for (int k = 0; k < 2; k++)
      if (mjcf->pair[i].geom[k] && strcmp(mjcf->pair[i].geom[k], name) == 0)
        in |= UINT64_C(1) << i;
  return in;
}

static void read_contact(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, RobotShape *shape) {
  uint32_t type = (uint32_t)asp_mjcf_integer(mjcf, scope, node, "geom", "contype", 1),
           affinity = (uint32_t)asp_mjcf_integer(mjcf, scope, node, "geom", "conaffinity", 1);
  MjcfMaterial material;
  memset(&material, 0, sizeof material); // compared as bytes
  material.friction[0] = 1;
  material.friction[1] = 0.005;
  material.friction[2] = 0.0001;
  asp_mjcf_numbers(mjcf, scope, node, "geom", "friction", material.friction, 3);
  material.dimension = asp_mjcf_integer(mjcf, scope, node, "geom", "condim", 3);
  material.priority = asp_mjcf_integer(mjcf, scope, node, "geom", "priority", 0);
  material.pairs = pairs_of(mjcf, shape->name);
  shape->group = -1;
  shape->drawn = type == 0 && affinity == 0 && material.pairs == 0;
  if (shape->drawn)
    return;
  shape->group = find_group(mjcf, node, type, affinity, material.pairs);
  shape->material = find_material(mjcf, &material);
}

static cJSON *write_law(int dimension, const double mu[3]) {
  cJSON *law = cJSON_CreateObject();
  asp_json_add_number(law, "friction", dimension >= 3 ? mu[0] : 0);
  if (dimension >= 4 && mu[1] > 0)
    asp_json_add_number(law, "spinning", mu[1]);
  if (dimension >= 6 && mu[2] > 0)
    asp_json_add_number(law, "rolling", mu[2]);
  return law;
}

static cJSON *law_of(const Mjcf *mjcf, const MjcfMaterial *a, const MjcfMaterial *b) {
  for (int i = 0; i < mjcf->pairs; i++)
    if (a->pairs & b->pairs & UINT64_C(1) << i)
      return write_law(mjcf->pair[i].dimension, mjcf->pair[i].friction);
  const MjcfMaterial *higher = a->priority > b->priority ? a : b->priority > a->priority ? b : NULL;
  int dimension = higher ? higher->dimension : a->dimension > b->dimension ? a->dimension : b->dimension;
  double mu[3];
  for (int i = 0; i < 3; i++)
    mu[i] = higher ? higher->friction[i] : fmax(a->friction[i], b->friction[i]);
  return write_law(dimension, mu);
}

void asp_mjcf_write_contacts(Mjcf *mjcf) {
  Robot *robot = mjcf->robot;
  for (int i = 0; i < robot->groups; i++)
    for (int k = 0; k < robot->groups; k++)
      if ((mjcf->type[i] & mjcf->affinity[k]) || (mjcf->type[k] & mjcf->affinity[i]) ||
          (mjcf->paired[i] & mjcf->paired[k]))
        robot->touches[i] |= UINT32_C(1) << k;
  cJSON *laws = asp_json_list(robot->scene, "materials");
  for (int i = 0; i < mjcf->materials; i++)
    for (int k = i; k < mjcf->materials; k++) {
      cJSON *law = law_of(mjcf, &mjcf->material[i], &mjcf->material[k]), *pair = cJSON_CreateArray();
      asp_json_append(pair, cJSON_CreateString(asp_import_text(robot->import, "geom%d", i)));
      asp_json_append(pair, cJSON_CreateString(asp_import_text(robot->import, "geom%d", k)));
      cJSON_InsertItemInArray(laws, cJSON_GetArraySize(laws), law);
      asp_json_add(law, "pair", pair);
    }
}

/* ---- sizes ---- */

/* A segment in place of size and pose; true: it was given. */
static bool read_segment(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, double *half, AspPose *pose) {
  double ends[6];
  if (asp_mjcf_numbers(mjcf, scope, node, "geom", "fromto", ends, 6) != 6)
    return false;
  AspVec3 from = vec3(ends[0], ends[1], ends[2]), to = vec3(ends[3], ends[4], ends[5]), along = sub3(from, to);
  *half = norm3(along) / 2;
  pose->position = scale3(0.5, add3(from, to));
  pose->orientation = asp_mjcf_turn_to(along);
  return true;
}

static void read_size(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *type, RobotShape *shape) {
  double size[3] = {0}, half;
  asp_mjcf_numbers(mjcf, scope, node, "geom", "size", size, 3);
  bool round = strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0, box = strcmp(type, "box") == 0;
  if (read_segment(mjcf, scope, node, &half, &shape->pose)) {
    size[round ? 1 : 2] = half;
    if (!round)
      size[1] = size[0];
  }
  shape->type = strcmp(type, "plane") == 0 ? "half-space" : asp_import_text(mjcf->robot->import, "%s", type);
  shape->size[0] = box ? 2 * size[0] : size[0];
  shape->size[1] = box || round ? 2 * size[1] : size[1];
  shape->size[2] = box ? 2 * size[2] : size[2];
}

/* ---- geoms ---- */

/* Would the mass of a geom count that has no volume here? */
static bool has_mass(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node) {
  double group = asp_mjcf_number(mjcf, scope, node, "geom", "group", 0);
  double mass = asp_mjcf_number(mjcf, scope, node, "geom", "mass", -1),
         density = asp_mjcf_number(mjcf, scope, node, "geom", "density", DENSITY);
  return group >= scope->model->group_range[0] && group <= scope->model->group_range[1] &&
         (mass > 0 || (mass < 0 && density > 0));
}

static void add_mass(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, AspPose pose, AspMassProperties unit,
                     AspMassProperties *sum) {
  double group = asp_mjcf_number(mjcf, scope, node, "geom", "group", 0);
  double mass = asp_mjcf_number(mjcf, scope, node, "geom", "mass", -1),
         density = asp_mjcf_number(mjcf, scope, node, "geom", "density", DENSITY);
  bool counts = group >= scope->model->group_range[0] && group <= scope->model->group_range[1];
  double factor = mass >= 0 ? mass / unit.mass : density;
  if (!counts || !(unit.mass > 0) || !(factor > 0))
    return;
  unit.mass *= factor;
  for (int i = 0; i < 9; i++)
    unit.inertia.m[i] *= factor;
  AspMassProperties moved = asp_mass_transform(&unit, &pose);
  *sum = sum->mass > 0 ? asp_mass_sum(sum, &moved) : moved;
}

/* Surfaces that move while their geom stays: velocity and spin in the geom's frame. */
static void read_belt(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, RobotShape *shape) {
  double v[6];
  if (asp_mjcf_numbers(mjcf, scope, node, "geom", "surfacevel", v, 6) != 6 || shape->drawn)
    return;
  AspVec3 slide = quat_rotate(shape->pose.orientation, vec3(v[0], v[1], v[2])),
          spin = quat_rotate(shape->pose.orientation, vec3(v[3], v[4], v[5]));
  shape->data = shape->data ? shape->data : asp_import_object(mjcf->robot->import);
  if (norm3(slide) > 0)
    asp_json_vector(shape->data, "surface_velocity", slide);
  if (norm3(spin) > 0)
    asp_json_vector(shape->data, "surface_spin", spin);
}

/* A primitive in place of a mesh: with the box of the same mass and inertia, half sizes b along the principal axes in
 * ascending order, a sphere has the mean of b, a capsule and a cylinder the mean of the two smaller ones as radius and
 * half a length of b2 - radius/2 and b2; all times fitscale. Sizes that are given count no more. */
static bool fit(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, const char *type, RobotShape *shape) {
  RobotShape mesh = {.body = shape->body, .pose = shape->pose, .drawn = shape->drawn};
  AspMassProperties unit = {0};
  double moment[3], V[9], b[3], scale = asp_mjcf_number(mjcf, scope, node, "geom", "fitscale", 1);
  bool read = asp_mjcf_mesh(mjcf, scope, node, &mesh, &unit);
  cJSON_Delete(mesh.data);
  if (!read || !(unit.mass > 0))
    return false;
  asp_small_principal(unit.inertia.m, moment, V);
  int order[3] = {0, 1, 2}; // the largest moment is about the shortest side
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      if (moment[order[k]] < moment[order[k + 1]]) {
        int kept = order[k];
        order[k] = order[k + 1];
        order[k + 1] = kept;
      }
  AspVec3 axis[3];
  double sum = moment[0] + moment[1] + moment[2];
  for (int i = 0; i < 3; i++) {
    int k = order[i];
    b[i] = scale * sqrt(fmax(0, 6 * (sum - 2 * moment[k]) / unit.mass)) / 2;
    axis[i] = vec3(V[3 * k], V[3 * k + 1], V[3 * k + 2]);
  }
  AspPose in_mesh = {unit.centre, asp_import_from_axes(axis[0], axis[1], cross3(axis[0], axis[1]))};
  shape->pose = pose_multiply(&mesh.pose, &in_mesh);
  shape->type = asp_import_text(mjcf->robot->import, "%s", type);
  bool sphere = strcmp(type, "sphere") == 0, capsule = strcmp(type, "capsule") == 0, flat = strcmp(type, "box") == 0;
  if (sphere) {
    shape->size[0] = (b[0] + b[1] + b[2]) / 3;
  } else if (capsule || strcmp(type, "cylinder") == 0) {
    shape->size[0] = (b[0] + b[1]) / 2;
    shape->size[1] = 2 * fmax(0, capsule ? b[2] - shape->size[0] / 2 : b[2]);
  } else {
    for (int i = 0; i < 3; i++)
      shape->size[i] = flat ? 2 * b[i] : b[i];
  }
  return true;
}

void asp_mjcf_geom(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *node, int body, AspPose frame,
                   AspMassProperties *mass) {
  Import *import = mjcf->robot->import;
  const char *type = asp_mjcf_attribute(mjcf, scope, node, "geom", "type");
  const char *mesh = asp_mjcf_attribute(mjcf, scope, node, "geom", "mesh");
  RobotShape shape = {.body = body, .pose = asp_mjcf_pose(mjcf, scope, node, "geom")};
  AspMassProperties unit = {0};
  shape.name = asp_mjcf_title(mjcf, scope, node);
  type = type ? type : "sphere";
  for (const char *const *word = (const char *const[]){"mass", "density", "group", "size", NULL}; *word; word++)
    asp_mjcf_attribute(mjcf, scope, node, "geom",
                       *word); // known also where they do not count: of meshes, of what is fixed
  read_contact(mjcf, scope, node, &shape);
  bool known = true;
  bool field = strcmp(type, "hfield") == 0;
  if (field)
    known = asp_mjcf_hfield(mjcf, scope, node, &shape);
  else if (strcmp(type, "mesh") == 0)
    known = asp_mjcf_mesh(mjcf, scope, node, &shape, &unit);
  else if (mesh && asp_robot_is_solid(type))
    known = fit(mjcf, scope, node, type, &shape);
  else if ((strcmp(type, "plane") == 0 || asp_robot_is_solid(type)) && !mesh)
    read_size(mjcf, scope, node, type, &shape);
  else
    known = false;
  if (!known && !field && strcmp(type, "mesh") != 0)
    asp_import_leave_out(
        import, shape.drawn ? ASP_IMPORT_IRRELEVANT : ASP_IMPORT_IGNORED, node,
        asp_import_text(import, "type '%s'%s is not simulated", type, mesh ? " fitted to a mesh" : ""));
  if (!known && strcmp(type, "mesh") == 0 && has_mass(mjcf, scope, node)) {
    mjcf->lost = node;
    mjcf->lost_file = asp_import_text(import, "the mesh '%s' was not found, or", mesh ? mesh : "");
  }
  shape.pose = pose_multiply(&frame, &shape.pose);
  read_belt(mjcf, scope, node, &shape);
  if (known && asp_robot_is_solid(type) && shape.size[0] > 0)
    asp_robot_unit_mass(mjcf->robot, &shape, &unit);
  if (unit.mass > 0)
    add_mass(mjcf, scope, node, shape.pose, unit, mass);
  if (known && shape.type && import->error == ASP_OK)
    asp_robot_add_sized(mjcf->robot, node, &shape);
  else
    cJSON_Delete(shape.data);
}
