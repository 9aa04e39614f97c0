/* The path of a tendon: points of bodies, and round bodies between them. */
#include "io/scene/build.h"
#include "linalg/vec3.h"

static bool read_element(SceneBuild *build, const cJSON *json, AspPathPoint *to) {
  SceneReader *reader = &build->reader;
  SceneValue values[PATH_COUNT];
  bool sound = asp_reader_object(reader, &asp_scene_path, json, values);
  if (!values[PATH_BODY].node || !values[PATH_POINT].node)
    return false;
  *to = (AspPathPoint){.body =
                           asp_scene_find_body(build, values[PATH_BODY].key->key, asp_value_text(&values[PATH_BODY]))};
  if (!sound || to->body == SCENE_BROKEN)
    return false;
  to->kind = (AspPathKind)asp_value_choice(&values[PATH_AROUND]);
  to->point = asp_value_vector(&values[PATH_POINT], vec3(0, 0, 0));
  to->axis = asp_value_vector(&values[PATH_AXIS], vec3(0, 0, 1));
  to->radius = asp_value_number(&values[PATH_RADIUS]);
  to->has_side = values[PATH_SIDE].node != NULL;
  to->side = asp_value_vector(&values[PATH_SIDE], to->point);
  to->divisor = asp_value_number(&values[PATH_BRANCH]);
  return true;
}

bool asp_scene_read_path(SceneBuild *build, const SceneValue *list, AspPathPoint path[ASP_PATH_POINTS],
                         AspJointDef *def) {
  SceneReader *reader = &build->reader;
  int count = cJSON_GetArraySize(list->node), place = 0;
  if (count < 2 || count > ASP_PATH_POINTS) {
    asp_reader_mistake(reader, list->key->key, "%d elements; a tendon has 2 to %d", count, ASP_PATH_POINTS);
    return false;
  }
  bool sound = true;
  size_t outer = asp_reader_enter(reader, list->key->key);
  const cJSON *json = NULL;
  cJSON_ArrayForEach(json, list->node) {
    size_t mark = asp_reader_enter_index(reader, place);
    sound = read_element(build, json, &path[place++]) && sound;
    asp_reader_leave(reader, mark);
  }
  asp_reader_leave(reader, outer);
  def->path = path;
  def->path_count = count;
  return sound;
}
