/* Pairs of bodies that never touch: the scene's list, and the two bodies of every joint that does not ask for their
 * contact. A beam's name stands for all its stations. */
#include "io/scene/build.h"

static const char *key_of(SceneBuild *build, int owner_a, int owner_b) {
  int low = owner_a < owner_b ? owner_a : owner_b, high = owner_a < owner_b ? owner_b : owner_a;
  return asp_reader_text(&build->reader, "%d %d", low, high);
}

static void enter(SceneBuild *build, int body_a, int body_b) {
  const char *key =
      key_of(build, asp_model_body_owner(build->model, body_a), asp_model_body_owner(build->model, body_b));
  asp_scene_names_add(&build->reader, &build->excluded, key, 0);
}

bool asp_scene_is_excluded(SceneBuild *build, int owner_a, int owner_b) {
  return build->excluded.count > 0 && asp_scene_names_find(&build->excluded, key_of(build, owner_a, owner_b)) >= 0;
}

void asp_scene_note_joint(SceneBuild *build, int joint, const AspJointDef *def, bool given) {
  SceneReader *reader = &build->reader;
  AspError error = ASP_GROW(reader->context, build->contact_given, build->contact_given_capacity, (size_t)joint + 1);
  if (!asp_reader_accept(reader, NULL, error))
    return;
  bool couples = def->kind == ASP_JOINT_COUPLING || def->kind == ASP_JOINT_TENDON; // says nothing about contact
  build->contact_given[joint] = given || couples;
  if (!def->contact && !couples)
    enter(build, def->body_a, def->body_b);
}

/* A body or station, or a beam by its first station. */
static int find(SceneBuild *build, const char *key, const char *name) {
  int beam = asp_model_find_beam(build->model, name);
  return beam >= 0 ? asp_model_beam_station(build->model, beam, false) : asp_scene_find_body(build, key, name);
}

void asp_scene_read_exclusions(SceneBuild *build, const SceneValue *list) {
  SceneReader *reader = &build->reader;
  size_t outer = asp_reader_enter(reader, list->key->key);
  int place = 0;
  const cJSON *pair = NULL;
  cJSON_ArrayForEach(pair, list->node) {
    size_t mark = asp_reader_enter_index(reader, place++);
    const char *name_a = pair->child->valuestring, *name_b = pair->child->next->valuestring;
    int a = find(build, "0", name_a), b = find(build, "1", name_b);
    bool known = a != SCENE_BROKEN && b != SCENE_BROKEN;
    if (known && asp_model_body_owner(build->model, a) == asp_model_body_owner(build->model, b))
      asp_reader_mistake(reader, NULL, "%s and %s are parts of one body, whose shapes never touch each other",
                         asp_reader_quote(reader, name_a), asp_reader_quote(reader, name_b));
    else if (known && asp_reader_accept(reader, NULL, asp_model_exclude(build->model, a, b)))
      enter(build, a, b);
    asp_reader_leave(reader, mark);
  }
  asp_reader_leave(reader, outer);
}
