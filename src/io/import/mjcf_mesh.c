/* Meshes of MJCF. Vertices are moved by -refpos, turned back by refquat, then scaled. The mass is that of the pyramids
 * over all faces with their tip in one point: each with its sign ("exact", the volume of a closed mesh), or each as
 * positive (MuJoCo's rule "legacy", its default: the tip in the middle of the surface for the centre of mass, then
 * there for mass and inertia). In a closed mesh that is star-shaped both agree. "convex": the solid hull; "shell": the
 * surface alone, its density per area.
 */
#include "io/import/mjcf.h"

#include "io/mesh/mesh_file.h"
#include "linalg/vec3.h"

#include <math.h>

typedef enum MassRule { RULE_LEGACY, RULE_EXACT, RULE_CONVEX, RULE_SHELL } MassRule;

/* ---- mass ---- */

static void corners(const AspMesh *mesh, int t, AspVec3 tip, AspVec3 corner[3]) {
  for (int i = 0; i < 3; i++)
    corner[i] = sub3(mesh->point[mesh->triangle[t][i]], tip);
}

static double pyramid(const AspVec3 c[3], MassRule rule) {
  double volume = dot3(c[0], cross3(c[1], c[2])) / 6;
  return rule == RULE_LEGACY ? fabs(volume) : volume;
}

/* The middle of the surface: of its triangles, by their areas. */
static AspVec3 middle_of(const AspMesh *mesh) {
  AspVec3 sum = {0, 0, 0};
  double area = 0;
  for (int t = 0; t < mesh->triangles; t++) {
    AspVec3 c[3];
    corners(mesh, t, vec3(0, 0, 0), c);
    double a = norm3(cross3(sub3(c[1], c[0]), sub3(c[2], c[0]))) / 2;
    sum = axpy3(sum, a / 3, add3(c[0], add3(c[1], c[2])));
    area += a;
  }
  return area > 0 ? scale3(1 / area, sum) : sum;
}

/* Second moments of the pyramids about the origin, 1/20 of the volume times sums over corners. */
static void add_moments(const AspVec3 c[3], double volume, double moment[6]) {
  AspVec3 sum = add3(c[0], add3(c[1], c[2]));
  for (int k = 0; k < 6; k++) {
    int i = k < 3 ? k : k == 5 ? 1 : 0, j = k < 3 ? k : k == 3 ? 1 : 2;
    double products = get3(sum, i) * get3(sum, j);
    for (int n = 0; n < 3; n++)
      products += get3(c[n], i) * get3(c[n], j);
    moment[k] += volume / 20 * products;
  }
}

static AspMassProperties with_moments(double mass, AspVec3 centre, const double m[6]) {
  return (AspMassProperties){
      mass, centre, {{m[1] + m[2], -m[3], -m[4], -m[3], m[0] + m[2], -m[5], -m[4], -m[5], m[0] + m[1]}}};
}

/* The surface: second moments of a triangle are area/12 times the sums over corners that a pyramid has with 1/20. */
static AspMassProperties shell_of(const AspMesh *mesh) {
  AspVec3 middle = middle_of(mesh), c[3];
  double area = 0, m[6] = {0};
  for (int t = 0; t < mesh->triangles; t++) {
    corners(mesh, t, middle, c);
    double a = norm3(cross3(sub3(c[1], c[0]), sub3(c[2], c[0]))) / 2;
    add_moments(c, a * 20 / 12, m);
    area += a;
  }
  return with_moments(area, middle, m);
}

static AspMassProperties hull_of(AspContext *context, const AspMesh *mesh) {
  AspHull *hull = NULL;
  if (asp_hull_create(context, 3, mesh->point, mesh->points, &hull) != ASP_OK)
    return (AspMassProperties){0};
  AspMassProperties unit = hull->unit;
  asp_hull_destroy(context, hull);
  return unit;
}

static AspMassProperties mass_of(AspContext *context, const AspMesh *mesh, MassRule rule) {
  if (rule == RULE_SHELL)
    return shell_of(mesh);
  if (rule == RULE_CONVEX)
    return hull_of(context, mesh);
  AspVec3 middle = middle_of(mesh), centre = {0, 0, 0}, c[3];
  double volume = 0, m[6] = {0};
  for (int t = 0; t < mesh->triangles; t++) {
    corners(mesh, t, middle, c);
    double part = pyramid(c, rule);
    centre = axpy3(centre, part / 4, add3(c[0], add3(c[1], c[2])));
    volume += part;
  }
  if (!(volume > 0))
    return (AspMassProperties){0};
  centre = axpy3(middle, 1 / volume, centre);
  volume = 0; // now about the centre of mass; the same where signs count
  for (int t = 0; t < mesh->triangles; t++) {
    corners(mesh, t, centre, c);
    add_moments(c, pyramid(c, rule), m);
    volume += pyramid(c, rule);
  }
  return with_moments(volume, centre, m);
}

static MassRule rule_of(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *asset) {
  static const char *const names[] = {
      [RULE_LEGACY] = "legacy", [RULE_EXACT] = "exact", [RULE_CONVEX] = "convex", [RULE_SHELL] = "shell"};
  const char *name = asp_mjcf_attribute(mjcf, scope, asset, "mesh", "inertia");
  for (int i = 0; name && i <= RULE_SHELL; i++)
    if (strcmp(name, names[i]) == 0)
      return (MassRule)i;
  return RULE_LEGACY;
}

static const MjcfMesh *read_mesh(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *asset, const char *path,
                                 AspVec3 scale) {
  Import *import = mjcf->robot->import;
  for (MjcfMesh *known = mjcf->meshes; known; known = known->next)
    if (known->node == asset)
      return known;
  MjcfMesh *made = asp_import_take(import, 1, sizeof *made);
  AspMesh mesh;
  if (!made || asp_mesh_file_scaled(import->context, path, NULL, scale, &mesh) != ASP_OK)
    return NULL; // reported by the shape's own attempt
  *made = (MjcfMesh){asset, mass_of(import->context, &mesh, rule_of(mjcf, scope, asset)), mjcf->meshes};
  asp_mesh_free(&mesh);
  return mjcf->meshes = made;
}

/* ---- assets ---- */

/* The name of a mesh is that of its file where none is given. */
static bool is_called(const XmlNode *asset, const char *name) {
  const char *own = asp_xml_attribute(asset, "name");
  if (own)
    return strcmp(own, name) == 0;
  const char *file = asp_xml_attribute(asset, "file"), *slash = file ? strrchr(file, '/') : NULL;
  file = slash ? slash + 1 : file;
  size_t length = file ? strcspn(file, ".") : 0;
  const char *dot = file ? strrchr(file, '.') : NULL;
  length = dot ? (size_t)(dot - file) : length;
  return file && strlen(name) == length && strncmp(file, name, length) == 0;
}

static const XmlNode *find_asset(const MjcfModel *model, const char *name) {
  for (XmlNode *section = asp_xml_child(model->root, "asset"); section; section = asp_xml_next(section))
    for (XmlNode *asset = section->child; asset; asset = asset->next)
      if (strcmp(asset->name, "mesh") == 0 && is_called(asset, name)) {
        asset->used = true;
        return asset;
      }
  return NULL;
}

/* The hull of the points, as points of the shape. */
static bool write_hull(Import *import, const XmlNode *asset, const AspVec3 *point, int count, RobotShape *shape,
                       AspMassProperties *unit) {
  AspHull *hull = NULL;
  if (!point || asp_hull_create(import->context, 3, point, count, &hull) != ASP_OK) {
    asp_import_note(import, ASP_IMPORT_IGNORED, asset, "mesh", "%s", asp_context_message(import->context));
    return false;
  }
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < hull->vertex_count; i++)
    asp_json_append(
        list, cJSON_CreateDoubleArray((double[]){hull->vertices[i].x, hull->vertices[i].y, hull->vertices[i].z}, 3));
  *unit = hull->unit;
  asp_hull_destroy(import->context, hull);
  shape->data = asp_import_object(import);
  asp_json_add(shape->data, "points", list);
  return true;
}

/* A mesh that MuJoCo builds: its hull, and the mass inside its surface. */
static bool built_points(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *asset, const char *kind, AspVec3 scale,
                         RobotShape *shape, AspMassProperties *unit) {
  AspMesh mesh;
  AspMassProperties of_hull;
  if (!asp_mjcf_builtin(mjcf, asset, kind, scale, &mesh))
    return false;
  bool sound = write_hull(mjcf->robot->import, asset, mesh.point, mesh.points, shape, &of_hull);
  *unit = mass_of(mjcf->robot->import->context, &mesh, rule_of(mjcf, scope, asset));
  asp_mesh_free(&mesh);
  return sound;
}

/* All numbers of a text; *count: how many. */
static double *numbers_of(Import *import, const XmlNode *asset, const char *text, int *count) {
  int most = (int)(strlen(text) / 2) + 1;
  double *number = asp_import_take(import, (size_t)most, sizeof *number);
  *count = number ? asp_import_numbers(import, asset, text, number, most) : 0;
  return number;
}

/* `face`: three corners each, which face outward. */
static bool inline_faces(Import *import, const XmlNode *asset, const char *text, bool mirrored, AspMesh *mesh) {
  int count;
  const double *number = numbers_of(import, asset, text, &count);
  mesh->triangles = count / 3;
  mesh->triangle = asp_import_take(import, (size_t)mesh->triangles + 1, sizeof *mesh->triangle);
  bool sound = count % 3 == 0;
  for (int i = 0; i < 3 * mesh->triangles && mesh->triangle && sound; i++) {
    sound = number[i] >= 0 && number[i] < mesh->points && number[i] == floor(number[i]);
    mesh->triangle[i / 3][mirrored ? 2 - i % 3 : i % 3] = sound ? (int)number[i] : 0;
  }
  if (!sound)
    asp_import_fail(import, asset, "mesh: face must be three numbers of vertices each, 0 to %d", mesh->points - 1);
  return sound && import->error == ASP_OK;
}

/* Points that stand in the file itself: their hull, and the mass inside their faces or the hull. */
static bool inline_points(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *asset, const char *text, RobotShape *shape,
                          AspMassProperties *unit) {
  Import *import = mjcf->robot->import;
  AspVec3 scale = shape->scale;
  MassRule rule = rule_of(mjcf, scope, asset);
  const char *faces = asp_xml_attribute(asset, "face");
  AspMesh mesh = {.context = import->context};
  const double *number = numbers_of(import, asset, text, &mesh.points);
  mesh.points /= 3;
  mesh.point = asp_import_take(import, (size_t)mesh.points + 1, sizeof *mesh.point);
  for (int i = 0; mesh.point && i < mesh.points; i++)
    mesh.point[i] = vec3(scale.x * number[3 * i], scale.y * number[3 * i + 1], scale.z * number[3 * i + 2]);
  if (!write_hull(import, asset, mesh.point, mesh.points, shape, unit))
    return false;
  if (faces && inline_faces(import, asset, faces, scale.x * scale.y * scale.z < 0, &mesh))
    *unit = mass_of(import->context, &mesh, rule);
  else if (rule == RULE_SHELL)
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, asset, "mesh inertia=", "that of the solid hull is taken");
  return import->error == ASP_OK;
}

bool asp_mjcf_mesh(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *geom, RobotShape *shape,
                   AspMassProperties *unit) {
  Import *import = mjcf->robot->import;
  const char *name = asp_mjcf_attribute(mjcf, scope, geom, "geom", "mesh");
  const XmlNode *asset = name ? find_asset(scope->model, name) : NULL;
  if (!asset) {
    asp_import_fail(import, geom, "geom: there is no mesh '%s'", name ? name : "");
    return false;
  }
  const char *built = asp_xml_attribute(asset, "builtin");
  bool builds = built && strcmp(built, "none") != 0 && !asp_xml_attribute(asset, "file");
  double s[3] = {1, 1, 1}, p[3] = {0}, q[4] = {1, 0, 0, 0};
  asp_mjcf_numbers(mjcf, scope, asset, "mesh", "scale", s, 3);
  asp_import_vector(import, asset, "refpos", p, 3);
  bool turned = asp_import_vector(import, asset, "refquat", q, 4);
  const char *file = asp_xml_attribute(asset, "file"), *points = asp_xml_attribute(asset, "vertex");
  shape->type = "convex";
  shape->scale = vec3(s[0], s[1], s[2]);
  AspPose reference = {vec3(-s[0] * p[0], -s[1] * p[1], -s[2] * p[2]), quat_identity()};
  if (turned) {
    AspQuat back = quat_conjugate(quat_normalize((AspQuat){q[0], q[1], q[2], q[3]}));
    reference.position = quat_rotate(back, reference.position);
    reference.orientation = back;
    if (s[0] != s[1] || s[0] != s[2])
      asp_import_note(import, ASP_IMPORT_APPROXIMATED, asset,
                      "mesh refquat=", "with unequal scales: scaled, then turned");
  }
  if (builds) {
    if (!built_points(mjcf, scope, asset, built, shape->scale, shape, unit))
      return false;
  } else if (file) {
    asp_robot_mesh(mjcf->robot, asset, scope->model->mesh_folder, file, shape);
    const MjcfMesh *mesh = shape->type ? read_mesh(mjcf, scope, asset, shape->path, shape->scale) : NULL;
    if (mesh)
      *unit = mesh->unit;
  } else if (!points || !inline_points(mjcf, scope, asset, points, shape, unit)) {
    if (!points)
      asp_import_note(import, shape->drawn ? ASP_IMPORT_IRRELEVANT : ASP_IMPORT_IGNORED, geom,
                      "geom mesh=", "not simulated: the mesh has neither file nor vertices");
    return false;
  }
  shape->pose = pose_multiply(&shape->pose, &reference);
  return shape->type != NULL;
}
