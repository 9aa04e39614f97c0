/* Meshes of MJCF. Vertices are moved by -refpos, turned back by refquat, then scaled. The mass is that of the pyramids
 * over all faces with their tip in one point: each with its sign ("exact", the volume of a closed mesh), or each as
 * positive (MuJoCo's rule "legacy", its default: the tip in the middle of the surface for the centre of mass, then
 * there for mass and inertia). In a closed mesh that is star-shaped both agree.
 */
#include "io/import/mjcf.h"

#include "io/mesh/mesh_file.h"
#include "linalg/vec3.h"

typedef enum MassRule { RULE_LEGACY, RULE_EXACT } MassRule;

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

static AspMassProperties mass_of(const AspMesh *mesh, MassRule rule) {
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
  return (AspMassProperties){
      volume, centre, {{m[1] + m[2], -m[3], -m[4], -m[3], m[0] + m[2], -m[5], -m[4], -m[5], m[0] + m[1]}}};
}

static MassRule rule_of(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *asset) {
  const char *name = asp_mjcf_attribute(mjcf, scope, asset, "mesh", "inertia");
  if (name && (strcmp(name, "convex") == 0 || strcmp(name, "shell") == 0))
    asp_import_note(mjcf->robot->import, ASP_IMPORT_APPROXIMATED, asset,
                    "mesh inertia=", "that of the solid inside the surface is taken");
  return name && strcmp(name, "exact") == 0 ? RULE_EXACT : RULE_LEGACY;
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
  *made = (MjcfMesh){asset, mass_of(&mesh, rule_of(mjcf, scope, asset)), mjcf->meshes};
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
    for (XmlNode *asset = asp_xml_child(section, "mesh"); asset; asset = asp_xml_next(asset))
      if (is_called(asset, name))
        return asset;
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
  *unit = mass_of(&mesh, rule_of(mjcf, scope, asset));
  asp_mesh_free(&mesh);
  return sound;
}

/* Points that stand in the file itself: their hull. */
static bool inline_points(Mjcf *mjcf, const XmlNode *asset, const char *text, AspVec3 scale, RobotShape *shape,
                          AspMassProperties *unit) {
  Import *import = mjcf->robot->import;
  const char *rule = asp_xml_attribute(asset, "inertia");
  if (rule && strcmp(rule, "shell") == 0)
    asp_import_note(import, ASP_IMPORT_APPROXIMATED, asset, "mesh inertia=", "that of the solid hull is taken");
  int most = (int)(strlen(text) / 2) + 1;
  double *number = asp_import_take(import, (size_t)most, sizeof *number);
  int count = number ? asp_import_numbers(import, asset, text, number, most) / 3 : 0;
  AspVec3 *point = asp_import_take(import, (size_t)count + 1, sizeof *point);
  for (int i = 0; point && i < count; i++)
    point[i] = vec3(scale.x * number[3 * i], scale.y * number[3 * i + 1], scale.z * number[3 * i + 2]);
  return write_hull(import, asset, point, count, shape, unit);
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
  } else if (!points || !inline_points(mjcf, asset, points, shape->scale, shape, unit)) {
    if (!points)
      asp_import_note(import, shape->drawn ? ASP_IMPORT_IRRELEVANT : ASP_IMPORT_IGNORED, geom,
                      "geom mesh=", "not simulated: the mesh has neither file nor vertices");
    return false;
  }
  shape->pose = pose_multiply(&shape->pose, &reference);
  return shape->type != NULL;
}
