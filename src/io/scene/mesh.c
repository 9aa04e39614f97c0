/* Shapes from mesh files: the hull of the mesh, its convex pieces, or all its triangles to be drawn. A file that
 * several shapes name is read once. */
#include "io/mesh/mesh_file.h"
#include "io/scene/build.h"
#include "linalg/vec3.h"

#include <math.h>

static void warn_of_hollows(SceneReader *reader, const char *path, const AspHull *hull, double filled) {
  if (filled >= ASP_HULL_FILLED_CONVEX && filled <= 2 - ASP_HULL_FILLED_CONVEX)
    return;
  const char *key = asp_scene_shape.keys[SHAPE_FILE].key;
  if (filled > 1)
    asp_reader_warn(reader, key,
                    "%s is not a closed surface with all triangles turned outward (it would have %.4g times the volume "
                    "of its hull); the shape is its convex hull of %.6g m^3",
                    path, filled, hull->unit.mass);
  else
    asp_reader_warn(
        reader, key,
        "%s is not convex, or not closed: THE SHAPE IS ITS CONVEX HULL of %.6g m^3, of which the mesh fills "
        "%.4g %%; hollows of %.4g m^3 are filled. Key decompose keeps "
        "them (docs/howto/meshes.md)",
        path, hull->unit.mass, 100 * filled, (1 - filled) * hull->unit.mass);
}

/* The hull of the mesh. */
static AspError read_hull(SceneReader *reader, const char *path, const char *object, AspVec3 scale, AspHull **hull) {
  double filled;
  AspError error = asp_mesh_file_hull(reader->context, path, object, scale, hull, &filled);
  if (error == ASP_OK)
    warn_of_hollows(reader, path, *hull, filled);
  return error;
}

/* Pieces of the mesh behind the hulls that are there. */
static AspError read_pieces(SceneBuild *build, const char *path, const char *object, AspVec3 scale,
                            double error_allowed, int *count) {
  SceneReader *reader = &build->reader;
  AspDecomposition made;
  ASP_TRY(asp_mesh_file_pieces(reader->context, path, object, scale, error_allowed, &made));
  AspError error =
      ASP_GROW(reader->context, build->hull, build->hull_capacity, (size_t)build->hulls + (size_t)made.count);
  for (int i = 0; i < made.count && error == ASP_OK; i++) {
    build->hull[build->hulls + i] = made.piece[i];
    made.piece[i] = NULL;
  }
  *count = made.count;
  if (error == ASP_OK)
    asp_reader_note(reader, asp_scene_shape.keys[SHAPE_DECOMPOSE].key,
                    "%s has %d convex pieces; they exceed its volume of %.6g m^3 by %.2g %%, and reach at most %.2g m "
                    "beyond its surface",
                    path, made.count, made.volume, 100 * fmax(made.excess, 0) / made.volume, made.distance);
  asp_decomposition_destroy(reader->context, &made);
  return error;
}

bool asp_scene_read_mesh(SceneBuild *build, const SceneValue *values, SceneShape *shape) {
  SceneReader *reader = &build->reader;
  const SceneValue *file = &values[SHAPE_FILE], *decompose = &values[SHAPE_DECOMPOSE];
  const char *path = asp_reader_file(reader, asp_value_text(file));
  const char *object = values[SHAPE_OBJECT].node ? asp_value_text(&values[SHAPE_OBJECT]) : NULL;
  double scale = asp_value_number(&values[SHAPE_SCALE]), allowed = decompose->node ? asp_value_number(decompose) : 0;
  if (!values[SHAPE_SCALE].node)
    scale = asp_units_apply(&reader->units, "m", scale); // the file's numbers are lengths of the scene
  AspVec3 stretch = scale3(scale, asp_value_vector(&values[SHAPE_STRETCH], vec3(1, 1, 1)));
  if (stretch.x == 0 || stretch.y == 0 || stretch.z == 0) {
    asp_reader_mistake(reader, values[SHAPE_STRETCH].key->key, "a factor of 0 makes the mesh flat");
    return false;
  }
  const char *name = asp_reader_text(reader, "%s\n%s\n%.17g %.17g %.17g %.17g %d", path, object ? object : "\n",
                                     stretch.x, stretch.y, stretch.z, allowed, shape->drawn);
  int known = asp_scene_names_find(&build->meshes, name);
  if (known < 0) {
    AspError error = ASP_GROW(reader->context, build->hull, build->hull_capacity, build->hulls + 1);
    int count = 1;
    known = build->meshes.count;
    if (error == ASP_OK)
      error = ASP_GROW(reader->context, build->mesh, build->mesh_capacity, known + 1);
    if (error == ASP_OK)
      error = shape->drawn ? asp_mesh_file_triangles(reader->context, path, object, stretch, &build->hull[build->hulls])
              : decompose->node ? read_pieces(build, path, object, stretch, allowed, &count)
                                : read_hull(reader, path, object, stretch, &build->hull[build->hulls]);
    // a missing file is a mistake of the scene too
    const char *key = decompose->node && error == ASP_ERROR_INPUT ? decompose->key->key : file->key->key;
    if (!asp_reader_accept(reader, key, error == ASP_ERROR_FILE ? ASP_ERROR_INPUT : error))
      return false;
    asp_reader_note_file(reader, asp_value_text(file));
    build->mesh[known] = (SceneMesh){build->hulls, count};
    build->hulls += count;
    if (!asp_scene_names_add(reader, &build->meshes, name, known))
      return false;
  }
  shape->mesh = build->mesh[known];
  shape->attachment.shape.hull = build->hull[shape->mesh.first];
  return true;
}

void asp_scene_spread_pieces(SceneBuild *build, SceneShape **shapes, int *count) {
  int total = 0, out = 0;
  for (int i = 0; i < *count; i++)
    total += (*shapes)[i].mesh.count > 1 ? (*shapes)[i].mesh.count : 1;
  if (total == *count)
    return;
  SceneShape *all = asp_reader_take(&build->reader, (size_t)total, sizeof *all);
  for (int i = 0; i < *count && all; i++)
    for (int k = 0; k == 0 || k < (*shapes)[i].mesh.count; k++) {
      all[out] = (*shapes)[i];
      if (k > 0)
        all[out].attachment.shape.hull = build->hull[all[out].mesh.first + k];
      out++;
    }
  *shapes = all ? all : *shapes;
  *count = all ? total : *count;
}
