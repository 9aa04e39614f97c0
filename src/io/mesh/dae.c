/* COLLADA 1.4: meshes of <library_geometries> (triangles, polylist, polygons; polygons become fans), placed by the
 * nodes of the scene (matrix, translate, rotate, scale, in their order), in metres by <unit>. The direction that is up
 * is not looked at, as robot viewers do it. `object`: the geometry of that name or id. */
#include "io/import/xml.h"
#include "io/mesh/mesh_file.h"

#include "base/constants.h"
#include "io/file/text_number.h"
#include "linalg/vec3.h"

#define DEPTH_MAX 64

/* x -> A x + p */
typedef struct Placing {
  AspMat3 A;
  AspVec3 p;
} Placing;

typedef struct Dae {
  const MeshText *text;
  AspArena arena;
  const XmlNode *root;
  const char *object;
  AspMesh *mesh;
  int depth;
} Dae;

/* ---- numbers ---- */

/* All numbers of a text; *count may be 0. */
static AspError read_numbers(Dae *dae, const XmlNode *node, double **number, int *count) {
  const char *at = node ? node->text : "";
  size_t most = strlen(at) / 2 + 1;
  *count = 0;
  *number = ASP_TAKE(&dae->arena, double, most);
  if (!*number)
    return ASP_ERROR_MEMORY;
  for (;;) {
    at += strspn(at, " \t\r\n");
    int length = (int)strcspn(at, " \t\r\n");
    char shown[40];
    if (length == 0)
      return ASP_OK;
    if (!asp_text_number(at, length, &(*number)[*count]) || !isfinite((*number)[*count]))
      return asp_fail(dae->text->context, ASP_ERROR_INPUT, "%s: line %d: '%s' is not a number", dae->text->path,
                      node->line, asp_text_show(at, length, shown));
    (*count)++;
    at += length;
  }
}

static AspError fail(Dae *dae, const XmlNode *node, const char *reason) {
  return asp_fail(dae->text->context, ASP_ERROR_INPUT, "%s: line %d: <%s>: %s", dae->text->path, node->line, node->name,
                  reason);
}

/* ---- elements ---- */

static const XmlNode *find_id(const XmlNode *node, const char *name, const char *id) {
  for (const XmlNode *child = node->child; child; child = child->next) {
    const char *own = strcmp(child->name, name) == 0 ? asp_xml_attribute(child, "id") : NULL;
    if (own && strcmp(own, id) == 0)
      return child;
    const XmlNode *found = find_id(child, name, id);
    if (found)
      return found;
  }
  return NULL;
}

static const char *target(const XmlNode *node, const char *attribute) {
  const char *url = asp_xml_attribute(node, attribute);
  return url && *url == '#' ? url + 1 : "";
}

/* The points of <vertices>, or of a source named directly. */
static AspError add_points(Dae *dae, const XmlNode *mesh, const char *id, const Placing *placing, int *first,
                           int *count) {
  const XmlNode *vertices = find_id(mesh, "vertices", id), *input = vertices ? asp_xml_child(vertices, "input") : NULL;
  while (input && strcmp(asp_xml_attribute(input, "semantic") ? asp_xml_attribute(input, "semantic") : "", "POSITION"))
    input = asp_xml_next(input);
  const XmlNode *source = find_id(mesh, "source", input ? target(input, "source") : id);
  const XmlNode *array = source ? asp_xml_child(source, "float_array") : NULL;
  double *x;
  if (!array)
    return fail(dae, mesh, "the positions of its points are missing");
  ASP_TRY(read_numbers(dae, array, &x, count));
  *first = dae->mesh->points;
  *count /= 3;
  for (int i = 0; i < *count; i++) {
    AspVec3 q = mat3_times(&placing->A, vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
    ASP_TRY(asp_mesh_add_point(dae->mesh, add3(q, placing->p)));
  }
  return ASP_OK;
}

typedef struct Faces {
  const XmlNode *node;
  int first, count;   /* points of the mesh */
  int offset, stride; /* of their indices in <p> */
  bool mirrored;
} Faces;

/* A polygon of `corners` indices from the place `at` on. */
static AspError add_polygon(Dae *dae, const Faces *faces, const double *index, int at, int corners) {
  int corner[3];
  for (int i = 0; i < corners; i++) {
    double k = index[(size_t)(at + i) * (size_t)faces->stride + (size_t)faces->offset];
    if (!(k >= 0 && k < faces->count))
      return fail(dae, faces->node, "an index is not that of a point");
    corner[i == 0 ? 0 : i == 1 ? 1 : 2] = faces->first + (int)k;
    if (i < 2)
      continue;
    ASP_TRY(
        asp_mesh_add_triangle(dae->mesh, corner[0], corner[faces->mirrored ? 2 : 1], corner[faces->mirrored ? 1 : 2]));
    corner[1] = corner[2];
  }
  return ASP_OK;
}

static AspError add_faces(Dae *dae, const Faces *faces) {
  bool triangles = strcmp(faces->node->name, "triangles") == 0, polygons = strcmp(faces->node->name, "polygons") == 0;
  double *sizes, *index;
  int polygon_count, count;
  ASP_TRY(read_numbers(dae, asp_xml_child(faces->node, "vcount"), &sizes, &polygon_count));
  for (const XmlNode *p = asp_xml_child(faces->node, "p"); p; p = asp_xml_next(p)) {
    ASP_TRY(read_numbers(dae, p, &index, &count));
    int corners = count / faces->stride, at = 0;
    if (polygons)
      ASP_TRY(add_polygon(dae, faces, index, 0, corners));
    for (int i = 0; !polygons && (triangles ? at + 3 <= corners : i < polygon_count); i++) {
      double size = triangles ? 3 : sizes[i];
      if (!(size >= 0 && size <= corners - at))
        return fail(dae, faces->node, "there are fewer indices than its polygons need");
      ASP_TRY(add_polygon(dae, faces, index, at, (int)size));
      at += (int)size;
    }
  }
  return ASP_OK;
}

static double determinant(const AspMat3 *A) {
  const double *m = A->m;
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static AspError add_geometry(Dae *dae, const XmlNode *geometry, const Placing *placing) {
  const XmlNode *mesh = asp_xml_child(geometry, "mesh");
  const char *id = asp_xml_attribute(geometry, "id"), *name = asp_xml_attribute(geometry, "name");
  if (!mesh || (dae->object && (!id || strcmp(id, dae->object) != 0) && (!name || strcmp(name, dae->object) != 0)))
    return ASP_OK;
  for (const XmlNode *node = mesh->child; node; node = node->next) {
    if (strcmp(node->name, "triangles") != 0 && strcmp(node->name, "polylist") != 0 &&
        strcmp(node->name, "polygons") != 0)
      continue;
    Faces faces = {.node = node, .stride = 1, .mirrored = determinant(&placing->A) < 0};
    const char *points = NULL;
    for (const XmlNode *input = asp_xml_child(node, "input"); input; input = asp_xml_next(input)) {
      const char *offset = asp_xml_attribute(input, "offset"), *kind = asp_xml_attribute(input, "semantic");
      double number = 0;
      if (offset && (!asp_text_number(offset, (int)strlen(offset), &number) || !(number >= 0 && number < 64)))
        return fail(dae, input, "the offset is not a number from 0 to 63");
      faces.stride = (int)number + 1 > faces.stride ? (int)number + 1 : faces.stride;
      if (kind && strcmp(kind, "VERTEX") == 0) {
        faces.offset = (int)number;
        points = target(input, "source");
      }
    }
    if (!points)
      return fail(dae, node, "there is no input VERTEX");
    ASP_TRY(add_points(dae, mesh, points, placing, &faces.first, &faces.count));
    ASP_TRY(add_faces(dae, &faces));
  }
  return ASP_OK;
}

/* ---- scene ---- */

static Placing combine(const Placing *outer, const Placing *inner) {
  return (Placing){mat3_multiply(&outer->A, &inner->A), add3(outer->p, mat3_times(&outer->A, inner->p))};
}

static AspError read_placing(Dae *dae, const XmlNode *node, Placing *step) {
  double *x;
  int count;
  *step = (Placing){mat3_diagonal(1, 1, 1), {0, 0, 0}};
  bool matrix = strcmp(node->name, "matrix") == 0, move = strcmp(node->name, "translate") == 0,
       turn = strcmp(node->name, "rotate") == 0, scale = strcmp(node->name, "scale") == 0;
  if (!matrix && !move && !turn && !scale)
    return ASP_OK;
  ASP_TRY(read_numbers(dae, node, &x, &count));
  if (count != (matrix ? 16 : turn ? 4 : 3))
    return fail(dae, node, "has a wrong number of numbers");
  if (matrix) {
    step->A = (AspMat3){{x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]}};
    step->p = vec3(x[3], x[7], x[11]);
  } else if (move) {
    step->p = vec3(x[0], x[1], x[2]);
  } else if (turn) {
    step->A = mat3_from_quat(quat_from_axis_angle(vec3(x[0], x[1], x[2]), x[3] * ASP_PI / 180));
  } else {
    step->A = mat3_diagonal(x[0], x[1], x[2]);
  }
  return ASP_OK;
}

static AspError add_node(Dae *dae, const XmlNode *node, Placing placing) {
  if (++dae->depth > DEPTH_MAX)
    return fail(dae, node, "nodes within nodes, too deep");
  for (const XmlNode *child = node->child; child; child = child->next) {
    const XmlNode *instance =
        strcmp(child->name, "instance_node") == 0 ? find_id(dae->root, "node", target(child, "url")) : NULL;
    Placing step;
    ASP_TRY(read_placing(dae, child, &step));
    placing = combine(&placing, &step);
    if (strcmp(child->name, "node") == 0 || instance)
      ASP_TRY(add_node(dae, instance ? instance : child, placing));
    const XmlNode *geometry =
        strcmp(child->name, "instance_geometry") == 0 ? find_id(dae->root, "geometry", target(child, "url")) : NULL;
    if (geometry)
      ASP_TRY(add_geometry(dae, geometry, &placing));
  }
  dae->depth--;
  return ASP_OK;
}

static AspError read_document(Dae *dae) {
  const XmlNode *asset = asp_xml_child(dae->root, "asset"), *unit = asset ? asp_xml_child(asset, "unit") : NULL;
  const char *text = unit ? asp_xml_attribute(unit, "meter") : NULL;
  double metre = 1;
  if (strcmp(dae->root->name, "COLLADA") != 0)
    return fail(dae, dae->root, "a COLLADA file begins with <COLLADA>");
  if (text && (!asp_text_number(text, (int)strlen(text), &metre) || !(metre > 0 && isfinite(metre))))
    return fail(dae, unit, "meter is not a positive number");
  Placing placing = {mat3_diagonal(metre, metre, metre), {0, 0, 0}};
  const XmlNode *library = asp_xml_child(dae->root, "library_visual_scenes"),
                *scene = library ? asp_xml_child(library, "visual_scene") : NULL;
  if (scene)
    return add_node(dae, scene, placing);
  library = asp_xml_child(dae->root, "library_geometries");
  for (const XmlNode *geometry = library ? asp_xml_child(library, "geometry") : NULL; geometry;
       geometry = asp_xml_next(geometry))
    ASP_TRY(add_geometry(dae, geometry, &placing));
  return ASP_OK;
}

AspError asp_mesh_read_dae(MeshText *text, const char *object, AspMesh *mesh) {
  Dae dae = {.text = text, .object = object, .mesh = mesh};
  XmlNode *root = NULL;
  asp_arena_init(&dae.arena, text->context);
  AspError error = asp_xml_parse(&dae.arena, text->at, (size_t)(text->end - text->at), text->path, &root);
  dae.root = root;
  if (error == ASP_OK)
    error = read_document(&dae);
  asp_arena_free(&dae.arena);
  return error;
}
