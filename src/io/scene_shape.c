/* Shapes: kind, sizes, place on the body, collision groups. */
#include "io/scene_build.h"
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

void asp_scene_collect_groups(SceneBuild *build, const cJSON *bodies) {
  const cJSON *body = NULL, *shape = NULL;
  cJSON_ArrayForEach(body, bodies) {
    cJSON_ArrayForEach(shape, cJSON_GetObjectItemCaseSensitive(body, asp_scene_body.keys[BODY_SHAPES].key))
        collect_from_shape(build, shape);
  }
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
    return quat_from_axis_angle(vec3(0, 0, 1), atan2(-n.x, n.y));
  AspVec3 axis = cross3(vec3(0, 0, 1), n);
  double sine = norm3(axis);
  return quat_from_axis_angle(sine > 0 ? axis : vec3(1, 0, 0), atan2(sine, n.z));
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

bool asp_scene_read_shape(SceneBuild *build, const cJSON *json, SceneShape *shape) {
  SceneReader *reader = &build->reader;
  SceneValue values[SHAPE_COUNT];
  if (!asp_reader_object(reader, &asp_scene_shape, json, values))
    return false;
  AspShapeAttachment *attachment = &shape->attachment;
  *shape = (SceneShape){.attachment = {.group = UINT32_MAX, .mask = UINT32_MAX},
                        .density = asp_value_number(&values[SHAPE_DENSITY])};
  attachment->shape = (AspShape){.kind = (AspShapeKind)asp_value_choice(&values[SHAPE_TYPE]),
                                 .radius = asp_value_number(&values[SHAPE_RADIUS]),
                                 .half_extents = scale3(0.5, asp_value_vector(&values[SHAPE_SIZE], vec3(0, 0, 0)))};
  bool sound = read_pose(build, values, &attachment->pose);
  sound = read_labels(build, &values[SHAPE_GROUP], &attachment->group) && sound;
  sound = read_labels(build, &values[SHAPE_MASK], &attachment->mask) && sound;
  sound = asp_reader_accept(reader, NULL, asp_shape_validate(reader->context, &attachment->shape, reader->dimension)) &&
          sound;
  const char *material = asp_value_text(&values[SHAPE_MATERIAL]);
  if (strcmp(material, "*") == 0) {
    asp_reader_mistake(reader, values[SHAPE_MATERIAL].key->key, "'*' stands for any material; a shape has one");
    return false;
  }
  return asp_reader_accept(reader, values[SHAPE_MATERIAL].key->key,
                           asp_model_material(build->model, material, &attachment->material)) &&
         sound;
}
