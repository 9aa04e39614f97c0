/* What is on a link of SDFormat: inertia and shapes; what of it is known and not read. */
#include "base/elementary.h"
#include "io/import/sdf.h"

#include "linalg/vec3.h"

#define DENSITY 1000 /* kg/m^3, where none is given */

static void read_geometry(Sdf *sdf, const XmlNode *geometry, RobotShape *shape);

/* auto="true": the masses of the collisions, by the density of each, or that of the link. */
static void add_masses(Sdf *sdf, const SdfLink *link, const XmlNode *inertial, AspMassProperties *mass) {
  double common = asp_sdf_number(sdf, inertial, "density", DENSITY);
  for (const XmlNode *node = asp_xml_child(link->node, "collision"); node; node = asp_xml_next(node)) {
    const XmlNode *geometry = asp_xml_child(node, "geometry");
    RobotShape shape = {.pose = asp_sdf_pose_in_link(sdf, link, node)};
    double density = asp_sdf_number(sdf, node, "density", common);
    AspMassProperties unit = {0};
    if (geometry)
      read_geometry(sdf, geometry, &shape);
    if (!shape.type || !(density > 0))
      continue;
    if (!asp_robot_unit_mass(sdf->robot, &shape, &unit)) {
      asp_import_note(sdf->robot->import, ASP_IMPORT_IGNORED, node,
                      "inertial auto=", "the mass of a %s is not computed", shape.type);
      continue;
    }
    unit.mass *= density;
    for (int i = 0; i < 9; i++)
      unit.inertia.m[i] *= density;
    AspMassProperties moved = asp_mass_transform(&unit, &shape.pose);
    *mass = mass->mass > 0 ? asp_mass_sum(mass, &moved) : moved;
  }
}

void asp_sdf_inertial(Sdf *sdf, const SdfLink *link, AspMassProperties *mass) {
  Import *import = sdf->robot->import;
  const XmlNode *node = asp_xml_child(link->node, "inertial"), *inertia = node ? asp_xml_child(node, "inertia") : NULL;
  const char *automatic = node ? asp_xml_attribute(node, "auto") : NULL;
  if (automatic && (*automatic == 't' || *automatic == '1')) {
    add_masses(sdf, link, node, mass);
    return;
  }
  if (node && asp_sdf_text(node, "density"))
    asp_import_note(import, ASP_IMPORT_IRRELEVANT, node, "density", "the inertia is given");
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double I[6] = {1, 1, 1, 0, 0, 0}, m = node ? asp_sdf_number(sdf, node, "mass", 1) : 1;
  AspPose pose = node ? asp_sdf_pose_in_link(sdf, link, node) : pose_identity();
  for (int i = 0; inertia && i < 6; i++)
    I[i] = asp_sdf_number(sdf, inertia, names[i], I[i]);
  if (!node && !link->model->is_static)
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, link->node, "link",
                    "no inertia is given: 1 kg and 1 kg m^2, as the format says");
  if (!(m > 0))
    return;
  AspMassProperties own = {m, {0, 0, 0}, {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}}};
  if (asp_import_repair(import, &own))
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, node, "inertia",
                    "not positive definite: eigenvalues that are too small were raised");
  *mass = asp_mass_transform(&own, &pose);
}

/* ---- shapes ---- */

static void read_geometry(Sdf *sdf, const XmlNode *geometry, RobotShape *shape) {
  Import *import = sdf->robot->import;
  const XmlNode *node, *vector;
  double v[3] = {0, 0, 1};
  if ((node = asp_xml_child(geometry, "box")) && (vector = asp_xml_child(node, "size"))) {
    shape->type = "box";
    asp_import_numbers(import, vector, vector->text, shape->size, 3);
  } else if ((node = asp_xml_child(geometry, "sphere"))) {
    shape->type = "sphere";
    shape->size[0] = asp_sdf_number(sdf, node, "radius", 0);
  } else if ((node = asp_xml_child(geometry, "cylinder")) || (node = asp_xml_child(geometry, "capsule"))) {
    shape->type = node->name;
    shape->size[0] = asp_sdf_number(sdf, node, "radius", 0);
    shape->size[1] = asp_sdf_number(sdf, node, "length", 0);
  } else if ((node = asp_xml_child(geometry, "ellipsoid")) && (vector = asp_xml_child(node, "radii"))) {
    shape->type = "ellipsoid";
    asp_import_numbers(import, vector, vector->text, shape->size, 3);
  } else if ((node = asp_xml_child(geometry, "plane"))) {
    shape->type = "half-space";
    if ((vector = asp_xml_child(node, "normal")))
      asp_import_numbers(import, vector, vector->text, v, 3);
    AspVec3 n = vec3(v[0], v[1], v[2]), across = cross3(vec3(0, 0, 1), n);
    AspQuat turn = quat_from_axis_angle(norm3(across) > 0 ? across : vec3(1, 0, 0), asp_atan2(norm3(across), n.z));
    shape->pose.orientation = quat_multiply(shape->pose.orientation, turn);
    asp_sdf_text(node, "size");
  } else if ((node = asp_xml_child(geometry, "mesh"))) {
    v[0] = v[1] = v[2] = 1;
    if ((vector = asp_xml_child(node, "scale")))
      asp_import_numbers(import, vector, vector->text, v, 3);
    shape->type = "convex";
    shape->scale = vec3(v[0], v[1], v[2]);
    asp_robot_mesh(sdf->robot, node, import->folder, asp_sdf_name(sdf, node, "uri"), shape);
  }
}

void asp_sdf_shapes(Sdf *sdf, const SdfLink *link) {
  for (int drawn = 0; drawn < 2; drawn++)
    for (const XmlNode *node = asp_xml_child(link->node, drawn ? "visual" : "collision"); node;
         node = asp_xml_next(node)) {
      const XmlNode *geometry = asp_xml_child(node, "geometry");
      RobotShape shape = {.body = link->body,
                          .drawn = drawn,
                          .group = drawn ? -1 : link->model->group,
                          .pose = asp_sdf_pose_in_link(sdf, link, node)};
      asp_xml_attribute(node, "name");
      if (!drawn)
        shape.material = asp_sdf_surface(sdf, node);
      if (geometry)
        read_geometry(sdf, geometry, &shape);
      if (shape.type && strcmp(shape.type, "half-space") == 0 && drawn)
        continue; // drawn with the body's own
      if (shape.type)
        asp_robot_add_sized(sdf->robot, node, &shape);
    }
}

/* ---- what is known, and not read ---- */

/* Nothing but zeros in it and below it. */
static bool is_zero(const XmlNode *node) {
  const char *text = node->text;
  while (*text && strchr("0.+- \t\r\n", *text))
    text++;
  bool zero = !*text;
  for (const XmlNode *child = node->child; child && zero; child = child->next)
    zero = is_zero(child);
  return zero;
}

static bool acts_unless_zero(const XmlNode *node) {
  static const char *const names[] = {"slip1", "slip2", "fdir1", "velocity_decay"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(node->name, names[i]) == 0)
      return true;
  return false;
}

void asp_sdf_set_aside(Import *import, XmlNode *root) {
  static const struct {
    const char *name, *reason;
    AspImportKind kind;
  } known[] = {
      {"material", "appearance", ASP_IMPORT_IRRELEVANT},
      {"light", "appearance", ASP_IMPORT_IRRELEVANT},
      {"scene", "appearance", ASP_IMPORT_IRRELEVANT},
      {"gui", "appearance", ASP_IMPORT_IRRELEVANT},
      {"state", "a saved state of another program", ASP_IMPORT_IGNORED},
      {"physics", "settings of another program", ASP_IMPORT_IRRELEVANT},
      {"plugin", "not simulated", ASP_IMPORT_IGNORED},
      {"sensor", "a sensor without a probe in scenes", ASP_IMPORT_IRRELEVANT},
      {"audio", "not simulated", ASP_IMPORT_IRRELEVANT},
      {"mu2", "the first coefficient counts in all directions", ASP_IMPORT_APPROXIMATED},
      {"contact", "contacts are rigid", ASP_IMPORT_APPROXIMATED},
      {"torsional", "contacts resist spinning where coefficient and patch_radius are given", ASP_IMPORT_APPROXIMATED},
      {"slip1", "where it sticks, friction does not give way", ASP_IMPORT_APPROXIMATED},
      {"slip2", "where it sticks, friction does not give way", ASP_IMPORT_APPROXIMATED},
      {"fdir1", "the first coefficient counts in all directions", ASP_IMPORT_APPROXIMATED},
      {"velocity_decay", "not simulated: a damping of links by the step", ASP_IMPORT_IGNORED},
      {"cast_shadows", "appearance", ASP_IMPORT_IRRELEVANT},
      {"transparency", "appearance", ASP_IMPORT_IRRELEVANT},
      {"visibility_flags", "appearance", ASP_IMPORT_IRRELEVANT},
      {"laser_retro", "for sensors", ASP_IMPORT_IRRELEVANT},
      {"verbose", "settings of another program", ASP_IMPORT_IRRELEVANT},
      {"provide_feedback", "settings of another program", ASP_IMPORT_IRRELEVANT},
      {"enable_wind", "there is no wind", ASP_IMPORT_IRRELEVANT},
      {"wind", "not simulated", ASP_IMPORT_IGNORED},
      {"actor", "an animation", ASP_IMPORT_IRRELEVANT},
      {"surface_radius", "of torsional friction", ASP_IMPORT_IRRELEVANT},
      {"max_contacts", "settings of another program", ASP_IMPORT_IRRELEVANT},
      {"kinematic", "settings of another program", ASP_IMPORT_IRRELEVANT},
      {"spherical_coordinates", "where on earth it is", ASP_IMPORT_IRRELEVANT},
      {"magnetic_field", "for sensors", ASP_IMPORT_IRRELEVANT},
      {"atmosphere", "for sensors", ASP_IMPORT_IRRELEVANT},
      {"surface", "contacts are rigid", ASP_IMPORT_APPROXIMATED}};
  for (XmlNode *node = root->child; node; node = node->next) {
    if (strcmp(node->name, "bounce") == 0 && !node->child)
      asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, node, "empty");
    for (size_t i = 0; i < sizeof known / sizeof *known && !node->used; i++)
      if (strcmp(node->name, known[i].name) == 0)
        asp_import_leave_out(import, acts_unless_zero(node) && is_zero(node) ? ASP_IMPORT_IRRELEVANT : known[i].kind,
                             node, known[i].reason);
    if (node->used && !node->reported)
      asp_sdf_set_aside(import, node);
  }
}
