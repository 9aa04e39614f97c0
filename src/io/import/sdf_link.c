/* What is on a link of SDFormat: inertia, shapes, friction (of two shapes the smaller coefficient, as ODE takes it). */
#include "base/elementary.h"
#include "io/import/sdf.h"

#include "linalg/vec3.h"

#define FRICTIONS_MAX 32

void asp_sdf_inertial(Sdf *sdf, const SdfLink *link, AspMassProperties *mass) {
  Import *import = sdf->robot->import;
  const XmlNode *node = asp_xml_child(link->node, "inertial"), *inertia = node ? asp_xml_child(node, "inertia") : NULL;
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double I[6] = {1, 1, 1, 0, 0, 0}, m = node ? asp_sdf_number(sdf, node, "mass", 1) : 1;
  AspPose pose = node ? asp_sdf_pose_in_link(sdf, link, node) : pose_identity();
  for (int i = 0; inertia && i < 6; i++)
    I[i] = asp_sdf_number(sdf, inertia, names[i], I[i]);
  if (!node)
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
    const char *uri = asp_sdf_text(node, "uri");
    v[0] = v[1] = v[2] = 1;
    if ((vector = asp_xml_child(node, "scale")))
      asp_import_numbers(import, vector, vector->text, v, 3);
    shape->type = "convex";
    shape->scale = vec3(v[0], v[1], v[2]);
    asp_robot_mesh(sdf->robot, node, import->folder,
                   asp_import_text(import, "%.*s", (int)strcspn(uri ? uri : "", " \t\r\n"), uri ? uri : ""), shape);
  }
}

static const char *read_friction(Sdf *sdf, const XmlNode *collision) {
  const XmlNode *surface = asp_xml_child(collision, "surface"),
                *part = surface ? asp_xml_child(surface, "friction") : NULL;
  part = part ? asp_xml_child(part, "ode") : NULL;
  double mu = part ? asp_sdf_number(sdf, part, "mu", 1) : 1;
  int i = 0;
  while (i < sdf->frictions && sdf->friction[i] != mu)
    i++;
  if (i == FRICTIONS_MAX) {
    asp_import_note(sdf->robot->import, ASP_IMPORT_APPROXIMATED, collision, "friction",
                    "too many different coefficients: the first counts");
    i = 0;
  } else if (i == sdf->frictions) {
    sdf->friction[sdf->frictions++] = fmax(mu, 0);
  }
  return asp_import_text(sdf->robot->import, "surface%d", i);
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
        shape.material = read_friction(sdf, node);
      if (geometry)
        read_geometry(sdf, geometry, &shape);
      if (shape.type && strcmp(shape.type, "half-space") == 0 && drawn)
        continue; // drawn with the body's own
      if (shape.type)
        asp_robot_add_sized(sdf->robot, node, &shape);
    }
}

void asp_sdf_write_friction(Sdf *sdf) {
  Import *import = sdf->robot->import;
  for (int i = 0; i < sdf->frictions; i++)
    for (int k = i; k < sdf->frictions; k++) {
      cJSON *law = cJSON_CreateObject(), *pair = asp_json_add_array(law, "pair");
      asp_json_append(pair, cJSON_CreateString(asp_import_text(import, "surface%d", i)));
      asp_json_append(pair, cJSON_CreateString(asp_import_text(import, "surface%d", k)));
      asp_json_add_number(law, "friction", fmin(sdf->friction[i], sdf->friction[k]));
      asp_json_append(asp_json_list(sdf->robot->scene, "materials"), law);
    }
}

/* ---- what is known, and not read ---- */

void asp_sdf_set_aside(Import *import, XmlNode *root) {
  static const struct {
    const char *name, *reason;
    AspImportKind kind;
  } known[] = {{"material", "appearance", ASP_IMPORT_IRRELEVANT},
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
               {"torsional", "contacts do not resist spinning", ASP_IMPORT_APPROXIMATED},
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
        asp_import_leave_out(import, known[i].kind, node, known[i].reason);
    if (node->used && !node->reported)
      asp_sdf_set_aside(import, node);
  }
}
