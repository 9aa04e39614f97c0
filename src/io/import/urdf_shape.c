/* Shapes of URDF links: `collision` touches, `visual` is drawn. */
#include "io/import/urdf.h"

#include "linalg/vec3.h"

static void read_mesh(Robot *robot, const XmlNode *mesh, RobotShape *shape) {
  Import *import = robot->import;
  double scale[3] = {1, 1, 1};
  asp_import_vector(import, mesh, "scale", scale, 3);
  shape->type = "convex";
  shape->scale = vec3(scale[0], scale[1], scale[2]);
  asp_robot_mesh(robot, mesh, import->folder, asp_import_required(import, mesh, "filename"), shape);
}

static void read_geometry(Robot *robot, const XmlNode *geometry, RobotShape *shape) {
  Import *import = robot->import;
  const XmlNode *node;
  if ((node = asp_xml_child(geometry, "box"))) {
    shape->type = "box";
    asp_import_vector(import, node, "size", shape->size, 3);
  } else if ((node = asp_xml_child(geometry, "sphere"))) {
    shape->type = "sphere";
    shape->size[0] = asp_import_number(import, node, "radius", 0);
  } else if ((node = asp_xml_child(geometry, "cylinder")) || (node = asp_xml_child(geometry, "capsule"))) {
    shape->type = node->name;
    shape->size[0] = asp_import_number(import, node, "radius", 0);
    shape->size[1] = asp_import_number(import, node, "length", 0);
  } else if ((node = asp_xml_child(geometry, "mesh"))) {
    read_mesh(robot, node, shape);
  }
}

static void read_shapes(Robot *robot, const XmlNode *link, int body, bool drawn, const char *made_of) {
  Import *import = robot->import;
  for (const XmlNode *node = asp_xml_child(link, drawn ? "visual" : "collision"); node; node = asp_xml_next(node)) {
    const XmlNode *geometry = asp_xml_child(node, "geometry"), *material = asp_xml_child(node, "material");
    RobotShape shape = {
        .body = body, .drawn = drawn, .material = made_of, .group = -1, .pose = asp_urdf_origin(import, node)};
    asp_xml_attribute(node, "name");
    if (material)
      asp_import_leave_out(import, ASP_IMPORT_IRRELEVANT, material, "appearance");
    if (geometry)
      read_geometry(robot, geometry, &shape);
    if (shape.type)
      asp_robot_add_sized(robot, node, &shape);
  }
}

void asp_urdf_shapes(Urdf *urdf, const XmlNode *link, int body) {
  read_shapes(urdf->robot, link, body, false, asp_urdf_surface(urdf, link));
  read_shapes(urdf->robot, link, body, true, NULL);
}
