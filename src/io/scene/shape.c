/* Shapes: kind, sizes, place on the body, collision groups. */
#include "base/elementary.h"
#include "io/scene/build.h"
#include "linalg/vec3.h"

#define MAX_GROUPS 32

/* ---- collision groups ---- */

static void collect_from_shape(SceneBuild *build, const cJSON *shape) {
  SceneReader *reader = &build->reader;
  const cJSON *label = NULL;
  cJSON_ArrayForEach(label, cJSON_GetObjectItemCaseSensitive(shape, asp_scene_shape.keys[SHAPE_GROUP].key)) {
    if (cJSON_IsString(label) && build->groups.count < MAX_GROUPS)
      asp_scene_names_add(reader, &build->groups, label->valuestring, build->groups.count);
  }
}

static void collect_from_bodies(SceneBuild *build, const cJSON *bodies) {
  const cJSON *body = NULL, *shape = NULL;
  cJSON_ArrayForEach(body, bodies) {
    cJSON_ArrayForEach(shape, cJSON_GetObjectItemCaseSensitive(body, asp_scene_body.keys[BODY_SHAPES].key))
        collect_from_shape(build, shape);
  }
}

void asp_scene_collect_groups(SceneBuild *build, const cJSON *bodies, const cJSON *beams) {
  const cJSON *beam = NULL;
  collect_from_bodies(build, bodies);
  cJSON_ArrayForEach(beam, beams) // stations have shapes under the same key as bodies
      collect_from_bodies(build, cJSON_GetObjectItemCaseSensitive(beam, asp_scene_beam.keys[BEAM_STATIONS].key));
}

/* Bits of a list of groups; names must be the group of some shape. A scene uses names or numbers, not both. */
static bool read_labels(SceneBuild *build, const SceneValue *value, uint32_t *bits) {
  SceneReader *reader = &build->reader;
  if (!value->node)
    return true;
  *bits = 0;
  bool sound = true;
  const cJSON *label = NULL;
  cJSON_ArrayForEach(label, value->node) {
    int found = cJSON_IsString(label) ? asp_scene_names_find(&build->groups, label->valuestring) : -1;
    if (cJSON_IsNumber(label) && build->groups.count == 0) {
      *bits |= UINT32_C(1) << (int)label->valuedouble;
    } else if (found >= 0) {
      *bits |= UINT32_C(1) << build->groups.value[found];
    } else {
      sound = false;
      if (cJSON_IsNumber(label))
        asp_reader_mistake(reader, value->key->key, "the group %d is a number, others are names; use one kind",
                           (int)label->valuedouble);
      else if (build->groups.count == MAX_GROUPS)
        asp_reader_mistake(reader, value->key->key, "%s: there are more than %d groups",
                           asp_reader_quote(reader, label->valuestring), MAX_GROUPS);
      else
        asp_reader_mistake(reader, value->key->key, "no shape has the group %s%s",
                           asp_reader_quote(reader, label->valuestring),
                           asp_reader_suggestion(reader, label->valuestring, build->groups.name, build->groups.count));
    }
  }
  return sound;
}

/* ---- place ---- */

/* The rotation that takes the default normal (z, in the plane y) to n, by the shortest way. */
static AspQuat turn_to(int dimension, AspVec3 n) {
  n = unit3(n);
  if (dimension == 2)
    return quat_from_axis_angle(vec3(0, 0, 1), asp_atan2(-n.x, n.y));
  AspVec3 axis = cross3(vec3(0, 0, 1), n);
  double sine = norm3(axis);
  return quat_from_axis_angle(sine > 0 ? axis : vec3(1, 0, 0), asp_atan2(sine, n.z));
}

static bool read_pose(SceneBuild *build, const SceneValue *values, AspPose *pose) {
  SceneReader *reader = &build->reader;
  pose->position = asp_value_vector(&values[SHAPE_POSITION], vec3(0, 0, 0));
  pose->orientation = asp_value_orientation(reader, &values[SHAPE_ORIENTATION], &values[SHAPE_ANGLE]);
  const SceneValue *normal = &values[SHAPE_NORMAL];
  if (!normal->node)
    return true;
  AspVec3 n = asp_value_vector(normal, vec3(0, 0, 0));
  const SceneValue *turned = values[SHAPE_ANGLE].node ? &values[SHAPE_ANGLE] : &values[SHAPE_ORIENTATION];
  if (turned->node)
    asp_reader_mistake(reader, normal->key->key, "%s and %s are both given; keep one", normal->key->key,
                       turned->key->key);
  else if (!(norm3(n) > 0))
    asp_reader_mistake(reader, normal->key->key, "the normal has no length");
  else {
    pose->orientation = turn_to(reader->dimension, n);
    return true;
  }
  return false;
}

/* ---- hulls and height fields ---- */

/* How deep a point lies inside a hull in the plane; <= 0: on its edge or a corner. */
static double depth_in(const AspHull *hull, AspVec3 point) {
  double depth = HUGE_VAL;
  for (int i = 0; i < hull->vertex_count; i++) {
    AspVec3 a = hull->vertices[i], edge = sub3(hull->vertices[(i + 1) % hull->vertex_count], a);
    depth = fmin(depth, cross3(edge, sub3(point, a)).z / norm3(edge));
  }
  return depth;
}

#define HOLLOW 1e-6 /* of the polygon's size: a corner that lies deeper is no rounding */

/* A polygon with a corner inside the hull of the others is not what will be simulated. */
static void warn_of_corners(SceneReader *reader, const char *key, const AspHull *hull, const AspVec3 *point,
                            int count) {
  double size = 0;
  for (int i = 0; i < hull->vertex_count; i++)
    size = fmax(size, norm3(sub3(hull->vertices[i], hull->vertices[0])));
  for (int i = 0; i < count; i++)
    if (depth_in(hull, point[i]) > HOLLOW * size) {
      asp_reader_warn(reader, key,
                      "point %d lies inside the hull of the others, by %.3g m: the polygon is not convex, and its "
                      "hull is used; make the body of several convex shapes",
                      i, depth_in(hull, point[i]));
      return;
    }
}

static bool read_hull(SceneBuild *build, const SceneValue *points, AspShape *shape) {
  SceneReader *reader = &build->reader;
  int count = cJSON_GetArraySize(points->node), index = 0;
  AspVec3 *all = asp_reader_take(reader, (size_t)count, sizeof *all);
  const cJSON *item = NULL;
  AspHull *hull = NULL;
  if (!all ||
      !asp_reader_accept(reader, NULL, ASP_GROW(reader->context, build->hull, build->hull_capacity, build->hulls + 1)))
    return false;
  cJSON_ArrayForEach(item, points->node) all[index++] = asp_node_vector(item);
  if (!asp_reader_accept(reader, points->key->key,
                         asp_hull_create(reader->context, reader->dimension, all, count, &hull)))
    return false;
  build->hull[build->hulls++] = hull;
  shape->hull = hull;
  if (reader->dimension == 2)
    warn_of_corners(reader, points->key->key, hull, all, count);
  return true;
}

/* A convex has either points or a file. */
static bool read_convex(SceneBuild *build, const SceneValue *values, SceneShape *shape) {
  SceneReader *reader = &build->reader;
  const SceneValue *points = &values[SHAPE_POINTS], *file = &values[SHAPE_FILE];
  if (points->wrong || file->wrong)
    return false; // noted already
  if ((points->node != NULL) == (file->node != NULL)) {
    asp_reader_mistake(reader, NULL, points->node ? "%s and %s are both given; keep one" : "%s or %s is missing",
                       points->key->key, file->key->key);
    return false;
  }
  static const SceneShapeKey of_file[] = {SHAPE_OBJECT, SHAPE_SCALE, SHAPE_STRETCH, SHAPE_DECOMPOSE};
  for (size_t i = 0; i < sizeof of_file / sizeof *of_file; i++)
    if (values[of_file[i]].node && points->node)
      asp_reader_mistake(reader, values[of_file[i]].key->key, "belongs to a %s; there is none", file->key->key);
  return points->node ? read_hull(build, points, &shape->attachment.shape) : asp_scene_read_mesh(build, values, shape);
}

/* All heights row by row; NULL when rows differ in length. */
static double *read_heights(SceneReader *reader, const SceneValue *heights, int rows, int columns) {
  double *all = asp_reader_take(reader, (size_t)rows * (size_t)columns, sizeof *all);
  const cJSON *row = NULL, *item = NULL;
  size_t count = 0;
  int index = 0;
  cJSON_ArrayForEach(row, heights->node) {
    if (cJSON_GetArraySize(row) != columns) {
      asp_reader_mistake(reader, heights->key->key, "list %d has %d numbers, the first one %d", index,
                         cJSON_GetArraySize(row), columns);
      return NULL;
    }
    cJSON_ArrayForEach(item, row) if (all) all[count++] = item->valuedouble;
    index++;
  }
  return all;
}

static bool read_field(SceneBuild *build, const SceneValue *spacing, const SceneValue *heights, AspShape *shape) {
  SceneReader *reader = &build->reader;
  int rows = cJSON_GetArraySize(heights->node), columns = cJSON_GetArraySize(heights->node->child);
  AspVec3 cell = asp_node_vector(spacing->node);
  double *all = read_heights(reader, heights, rows, columns);
  AspHeightField *field = NULL;
  if (!all || !asp_reader_accept(reader, NULL,
                                 ASP_GROW(reader->context, build->field, build->field_capacity, build->fields + 1)))
    return false;
  if (!asp_reader_accept(reader, heights->key->key,
                         asp_height_field_create(reader->context, columns, rows, cell.x, cell.y, all, &field)))
    return false;
  build->field[build->fields++] = field;
  shape->field = field;
  return true;
}

/* Kind and sizes; `values` were checked, so that what the kind needs is there. */
static bool read_geometry(SceneBuild *build, const SceneValue *values, SceneShape *described) {
  SceneReader *reader = &build->reader;
  AspShape *shape = &described->attachment.shape;
  *shape = (AspShape){.kind = (AspShapeKind)asp_value_choice(&values[SHAPE_TYPE]),
                      .radius = asp_value_number(&values[SHAPE_RADIUS]),
                      .half_extents = scale3(0.5, asp_value_vector(&values[SHAPE_SIZE], vec3(0, 0, 0))),
                      .half_length = 0.5 * asp_value_number(&values[SHAPE_LENGTH])};
  if (shape->kind == ASP_SHAPE_ELLIPSOID)
    shape->half_extents = asp_value_vector(&values[SHAPE_RADII], vec3(0, 0, 0));
  if (shape->kind == ASP_SHAPE_CONVEX && !read_convex(build, values, described))
    return false;
  if (shape->kind == ASP_SHAPE_POLYGON && !read_hull(build, &values[SHAPE_POINTS], shape))
    return false;
  if (values[SHAPE_HEIGHTS].node && !read_field(build, &values[SHAPE_SPACING], &values[SHAPE_HEIGHTS], shape))
    return false;
  return asp_reader_accept(reader, NULL, asp_shape_validate(reader->context, shape, reader->dimension));
}

/* "contact": false is a mask without groups. */
static bool read_contact(SceneReader *reader, const SceneValue *values, AspShapeAttachment *attachment) {
  if (asp_value_flag(&values[SHAPE_CONTACT]))
    return true;
  for (int key = SHAPE_GROUP; key <= SHAPE_MASK; key++)
    if (values[key].node) {
      asp_reader_mistake(reader, values[key].key->key,
                         "the shape has \"contact\": false, so that %s has no effect; "
                         "remove one of the two",
                         values[key].key->key);
      return false;
    }
  attachment->mask = 0;
  return true;
}

/* Expressions of a moving surface; in the plane there is one, the component `plane`. */
static void read_surface(SceneReader *reader, const SceneValue *value, int plane, const char *text[3]) {
  for (int k = 0; value->node && k < 3; k++)
    if (reader->dimension == 3)
      text[k] = asp_value_expression(reader, value, k);
    else if (k == plane)
      text[k] = asp_value_expression(reader, value, -1);
}

/* What a shape in `shapes` has beyond one in `visual`. */
static bool read_touch(SceneBuild *build, const SceneValue *values, SceneShape *shape) {
  SceneReader *reader = &build->reader;
  AspShapeAttachment *attachment = &shape->attachment;
  shape->density = asp_value_number(&values[SHAPE_DENSITY]);
  bool sound = read_labels(build, &values[SHAPE_GROUP], &attachment->group);
  sound = read_labels(build, &values[SHAPE_MASK], &attachment->mask) && sound;
  sound = read_contact(reader, values, attachment) && sound;
  if (attachment->group == 0 && attachment->mask == 0)
    attachment->group = UINT32_MAX; // touches nothing; for the model, two zeros stand for everything
  read_surface(reader, &values[SHAPE_SURFACE_VELOCITY], 0, attachment->surface_velocity);
  read_surface(reader, &values[SHAPE_SURFACE_SPIN], 2, attachment->surface_spin);
  return sound;
}

bool asp_scene_read_shape(SceneBuild *build, const SceneObject *object, const cJSON *json, SceneShape *shape) {
  SceneReader *reader = &build->reader;
  SceneValue values[SHAPE_COUNT] = {{0}};
  if (!asp_reader_object(reader, object, json, values))
    return false;
  AspShapeAttachment *attachment = &shape->attachment;
  *shape = (SceneShape){.attachment = {.group = UINT32_MAX, .mask = UINT32_MAX}, .drawn = object == &asp_scene_visual};
  bool sound = read_geometry(build, values, shape);
  sound = read_pose(build, values, &attachment->pose) && sound;
  sound = (shape->drawn || read_touch(build, values, shape)) && sound;
  const char *material = asp_value_text(&values[SHAPE_MATERIAL]);
  if (strcmp(material, "*") == 0) {
    asp_reader_mistake(reader, values[SHAPE_MATERIAL].key->key, "'*' stands for any material; a shape has one");
    return false;
  }
  return asp_reader_accept(reader, values[SHAPE_MATERIAL].key->key,
                           asp_model_material(build->model, material, &attachment->material)) &&
         sound;
}
