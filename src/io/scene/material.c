/* Materials: the laws of the scene, and which pairs of materials can meet. A law for the pair itself goes before one
 * with a wildcard, that before the one with two.
 */
#include "io/scene/build.h"

static const char any[] = "*";

/* The pair's name in the index of laws, the same for both orders; lengths keep different pairs apart. */
static const char *pair_key(SceneReader *reader, const char *a, const char *b) {
  bool swap = strcmp(a, b) > 0;
  const char *first = swap ? b : a, *second = swap ? a : b;
  return asp_reader_text(reader, "%zu %s %s", strlen(first), first, second);
}

static AspPairLaw law_of(const SceneValue *values) {
  return (AspPairLaw){.friction = asp_value_number(&values[MATERIAL_FRICTION]),
                      .restitution = asp_value_number(&values[MATERIAL_RESTITUTION]),
                      .tangential_restitution = asp_value_number(&values[MATERIAL_TANGENTIAL_RESTITUTION]),
                      .static_friction = asp_value_number(&values[MATERIAL_STATIC_FRICTION]),
                      .stribeck_speed = asp_value_number(&values[MATERIAL_STRIBECK_SPEED]),
                      .stribeck_exponent = asp_value_number(&values[MATERIAL_STRIBECK_EXPONENT]),
                      .friction_across = asp_value_number(&values[MATERIAL_FRICTION_ACROSS]),
                      .direction = asp_value_vector(&values[MATERIAL_DIRECTION], (AspVec3){0, 0, 0}),
                      .rolling = asp_value_number(&values[MATERIAL_ROLLING]),
                      .spinning = asp_value_number(&values[MATERIAL_SPINNING]),
                      .contact_radius = asp_value_number(&values[MATERIAL_CONTACT_RADIUS])};
}

void asp_scene_read_law(SceneBuild *build, const cJSON *json, int place) {
  (void)place;
  SceneReader *reader = &build->reader;
  SceneValue values[MATERIAL_COUNT];
  if (!asp_reader_object(reader, &asp_scene_material, json, values))
    return;
  const char *a = asp_value_name(&values[MATERIAL_PAIR], 0), *b = asp_value_name(&values[MATERIAL_PAIR], 1);
  if (values[MATERIAL_FRICTION_ACROSS].node && strcmp(a, any) == 0) {
    asp_reader_mistake(reader, values[MATERIAL_FRICTION_ACROSS].key->key,
                       "the first material of the pair carries the direction; name it instead of \"*\"");
    return;
  }
  int index = build->laws.count;
  AspError error = ASP_GROW(reader->context, build->law, build->law_capacity, index + 1);
  if (!asp_reader_accept(reader, NULL, error))
    return;
  build->law[index] = (SceneLaw){a, law_of(values)};
  if (!asp_scene_names_add(reader, &build->laws, pair_key(reader, a, b), index) && reader->error == ASP_OK)
    asp_reader_mistake(reader, values[MATERIAL_PAIR].key->key, "the pair %s, %s is given twice",
                       asp_reader_quote(reader, a), asp_reader_quote(reader, b));
}

/* Bodies come in ascending order. */
static void add_body(SceneBuild *build, SceneCollider *collider, int body) {
  AspContext *context = build->reader.context;
  if (collider->count > 0 && collider->bodies[collider->count - 1] == body)
    return;
  AspError error = ASP_GROW(context, collider->bodies, collider->capacity, collider->count + 1);
  if (asp_reader_accept(&build->reader, NULL, error))
    collider->bodies[collider->count++] = body;
}

void asp_scene_note_collider(SceneBuild *build, const AspShapeAttachment *shape, int body, bool immobile) {
  bool point = shape->shape.kind == ASP_SHAPE_POINT;
  for (int i = 0; i < build->collider_count; i++) {
    SceneCollider *known = &build->colliders[i];
    if (known->material == shape->material && known->immobile == immobile && known->point == point &&
        known->group == shape->group && known->mask == shape->mask) {
      add_body(build, known, body);
      return;
    }
  }
  AspError error =
      ASP_GROW(build->reader.context, build->colliders, build->collider_capacity, build->collider_count + 1);
  if (!asp_reader_accept(&build->reader, NULL, error))
    return;
  SceneCollider *collider = &build->colliders[build->collider_count++];
  *collider = (SceneCollider){
      .material = shape->material, .immobile = immobile, .point = point, .group = shape->group, .mask = shape->mask};
  add_body(build, collider, body);
}

/* Two points never touch, nor two bodies that are both prescribed, nor shapes of one body or of an excluded pair; out:
 * the first two bodies that can. */
static bool can_touch(SceneBuild *build, const SceneCollider *a, const SceneCollider *b, int body[2]) {
  if ((a->immobile && b->immobile) || (a->point && b->point) || (a->group & b->mask) == 0 || (b->group & a->mask) == 0)
    return false;
  for (int i = 0; i < a->count; i++)
    for (int j = 0; j < b->count; j++)
      if (a->bodies[i] != b->bodies[j] && !asp_scene_is_excluded(build, a->bodies[i], b->bodies[j])) {
        body[0] = a->bodies[i];
        body[1] = b->bodies[j];
        return true;
      }
  return false;
}

static const SceneLaw *find_law(SceneBuild *build, const char *a, const char *b) {
  int found = asp_scene_names_find(&build->laws, pair_key(&build->reader, a, b));
  return found < 0 ? NULL : &build->law[found];
}

/* A direction belongs to one of the two materials, so such laws are never the same. */
static bool equal_laws(const AspPairLaw *a, const AspPairLaw *b) {
  return a->friction == b->friction && a->restitution == b->restitution &&
         a->tangential_restitution == b->tangential_restitution && a->static_friction == b->static_friction &&
         a->stribeck_speed == b->stribeck_speed && a->stribeck_exponent == b->stribeck_exponent &&
         a->friction_across == 0 && b->friction_across == 0 && a->rolling == b->rolling && a->spinning == b->spinning &&
         a->contact_radius == b->contact_radius;
}

/* The law that governs two materials; NULL with a mistake when there is none, or when two laws with one wildcard
 * disagree. */
static const SceneLaw *govern(SceneBuild *build, const char *a, const char *b, const int body[2]) {
  SceneReader *reader = &build->reader;
  const SceneLaw *exact = find_law(build, a, b);
  if (exact)
    return exact;
  const SceneLaw *half_a = find_law(build, a, any), *half_b = find_law(build, b, any);
  if (half_a && half_b && !equal_laws(&half_a->law, &half_b->law)) {
    asp_reader_mistake(reader, NULL, "%s meets %s, and the laws of both with \"*\" differ; add the pair itself",
                       asp_reader_quote(reader, a), asp_reader_quote(reader, b));
    return NULL;
  }
  const SceneLaw *law = half_a ? half_a : half_b ? half_b : find_law(build, any, any);
  if (!law)
    asp_reader_mistake(reader, NULL,
                       "%s and %s can touch (bodies %s and %s), but no law is given; add {\"pair\": [\"%s\", \"%s\"], "
                       "\"friction\": ...}",
                       asp_reader_quote(reader, a), asp_reader_quote(reader, b),
                       asp_reader_quote(reader, asp_model_body_name(build->model, body[0])),
                       asp_reader_quote(reader, asp_model_body_name(build->model, body[1])), a, b);
  return law;
}

/* Both orders of one pair of materials may come up through different colliders: the first decides. */
void asp_scene_set_pairs(SceneBuild *build) {
  SceneReader *reader = &build->reader;
  SceneNames seen = {0};
  size_t mark = asp_reader_enter(reader, asp_scene_top.keys[TOP_MATERIALS].key);
  for (int i = 0; i < build->collider_count; i++)
    for (int j = i; j < build->collider_count; j++) {
      const SceneCollider *a = &build->colliders[i], *b = &build->colliders[j];
      const char *name_a = asp_model_material_name(build->model, a->material),
                 *name_b = asp_model_material_name(build->model, b->material);
      const char *key = pair_key(reader, name_a, name_b);
      int body[2];
      if (asp_scene_names_find(&seen, key) >= 0 || !can_touch(build, a, b, body) ||
          !asp_scene_names_add(reader, &seen, key, 0))
        continue;
      const SceneLaw *found = govern(build, name_a, name_b, body);
      if (!found)
        continue;
      bool swap = strcmp(name_b, found->first) == 0;
      asp_reader_accept(reader, NULL,
                        asp_model_set_pair(build->model, swap ? b->material : a->material,
                                           swap ? a->material : b->material, &found->law));
    }
  asp_reader_leave(reader, mark);
  asp_scene_names_free(reader, &seen);
}
