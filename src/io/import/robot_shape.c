/* Shapes that scenes take: sizes that are positive, meshes that can be read. A mesh is looked for and read here too, so
 * that one that is missing or damaged is left out by name in place of ending the import. */
#include "io/import/robot.h"

#include "io/mesh/mesh_file.h"
#include "linalg/vec3.h"

#include <stdio.h>

/* Can the scene reader make a shape of this file? Otherwise the context has the reason. */
static AspError try_mesh(Robot *robot, const char *path, const RobotShape *shape) {
  AspContext *context = robot->import->context;
  AspHull *hull = NULL;
  double filled;
  AspError error = shape->drawn ? asp_mesh_file_triangles(context, path, NULL, shape->scale, &hull)
                                : asp_mesh_file_hull(context, path, NULL, shape->scale, &hull, &filled);
  asp_hull_destroy(context, hull);
  return error;
}

/* Each file is tried once for each use and scale. */
static const RobotMesh *known_mesh(Robot *robot, const char *path, const RobotShape *shape) {
  Import *import = robot->import;
  RobotMesh **at = &robot->meshes;
  for (; *at; at = &(*at)->next) {
    const RobotMesh *mesh = *at;
    if (mesh->drawn == shape->drawn && mesh->scale.x == shape->scale.x && mesh->scale.y == shape->scale.y &&
        mesh->scale.z == shape->scale.z && strcmp(mesh->path, path) == 0)
      return mesh;
  }
  RobotMesh *mesh = *at = asp_import_take(import, 1, sizeof *mesh);
  if (!mesh)
    return NULL;
  *mesh = (RobotMesh){.path = path, .scale = shape->scale, .drawn = shape->drawn, .problem = ""};
  AspError error = try_mesh(robot, path, shape);
  if (error == ASP_ERROR_MEMORY)
    import->error = error;
  else if (error != ASP_OK)
    mesh->problem = asp_import_text(import, "%s", asp_context_message(import->context));
  return mesh;
}

void asp_robot_mesh(Robot *robot, const XmlNode *node, const char *folder, const char *name, RobotShape *shape) {
  Import *import = robot->import;
  const char *tried = "", *path = asp_import_find(import, folder, name, &tried);
  const char *what = shape->drawn ? "mesh that is drawn" : "mesh";
  AspImportKind kind = shape->drawn ? ASP_IMPORT_IRRELEVANT : ASP_IMPORT_IGNORED;
  if (!path) {
    asp_import_note(import, kind, node, what, "%s was not found; tried: %s", import->lost ? import->lost : name, tried);
    shape->type = NULL;
    return;
  }
  const RobotMesh *mesh = known_mesh(robot, path, shape);
  if (!mesh || *mesh->problem) {
    asp_import_note(import, kind, node, what, "%s", mesh ? mesh->problem : "");
    shape->type = NULL;
    return;
  }
  shape->path = path;
  shape->file = asp_import_seen_from_scene(import, path);
}

void asp_robot_add_sized(Robot *robot, const XmlNode *node, const RobotShape *shape) {
  bool box = strcmp(shape->type, "box") == 0 || strcmp(shape->type, "ellipsoid") == 0,
       round = strcmp(shape->type, "sphere") == 0,
       solid = strcmp(shape->type, "cylinder") == 0 || strcmp(shape->type, "capsule") == 0;
  int sizes = box ? 3 : solid ? 2 : round ? 1 : 0;
  for (int i = 0; i < sizes; i++)
    if (!(shape->size[i] >= 1e-30)) { // the least that scenes take
      asp_import_note(robot->import, ASP_IMPORT_IGNORED, node, shape->type, "a size is not positive");
      return;
    }
  asp_robot_add_shape(robot, shape);
}

bool asp_robot_is_solid(const char *type) {
  static const char *const solids[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid"};
  for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
    if (strcmp(type, solids[i]) == 0)
      return true;
  return false;
}

bool asp_robot_unit_mass(const Robot *robot, const RobotShape *shape, AspMassProperties *unit) {
  const double *size = shape->size;
  AspShape solid = {0};
  if (!asp_robot_is_solid(shape->type))
    return false;
  if (strcmp(shape->type, "ellipsoid") == 0) {
    solid.kind = ASP_SHAPE_ELLIPSOID;
    solid.half_extents = vec3(size[0], size[1], size[2]);
  } else if (strcmp(shape->type, "box") == 0) {
    solid.kind = ASP_SHAPE_BOX;
    solid.half_extents = vec3(size[0] / 2, size[1] / 2, size[2] / 2);
  } else {
    solid.kind = strcmp(shape->type, "sphere") == 0    ? ASP_SHAPE_SPHERE
                 : strcmp(shape->type, "capsule") == 0 ? ASP_SHAPE_CAPSULE
                                                       : ASP_SHAPE_CYLINDER;
    solid.radius = size[0];
    solid.half_length = size[1] / 2;
  }
  return asp_shape_mass(robot->import->context, &solid, 3, 1, unit) == ASP_OK;
}
