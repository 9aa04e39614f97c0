/* Forces, torques, springs and drag. */
#include "io/scene/build.h"

static bool read_bodies(SceneBuild *build, const SceneValue *values, AspForceDef *def) {
  SceneReader *reader = &build->reader;
  const SceneValue *bodies = &values[FORCE_BODIES];
  if (values[FORCE_BODY].node) {
    def->body = asp_scene_find_body(build, values[FORCE_BODY].key->key, asp_value_text(&values[FORCE_BODY]));
    return def->body != SCENE_BROKEN;
  }
  if (!bodies->node)
    return false; // noted as missing
  size_t mark = asp_reader_enter(reader, bodies->key->key);
  def->body = asp_scene_find_body(build, "0", asp_value_name(bodies, 0));
  def->body_b = asp_scene_find_body(build, "1", asp_value_name(bodies, 1));
  asp_reader_leave(reader, mark);
  return def->body != SCENE_BROKEN && def->body_b != SCENE_BROKEN;
}

static void read_components(SceneReader *reader, const SceneValue *values, AspForceDef *def) {
  const SceneValue *components = def->kind == ASP_FORCE_TORQUE ? &values[FORCE_TORQUE] : &values[FORCE_FORCE];
  if (def->kind == ASP_FORCE_TORQUE && reader->dimension == 2)
    def->component[2] = asp_value_expression(reader, components, -1);
  else
    for (int i = 0; i < reader->dimension; i++)
      def->component[i] = asp_value_expression(reader, components, i);
  def->in_body_frame = asp_value_choice(&values[FORCE_FRAME]) == 1;
}

static void read_spring(const SceneValue *values, AspForceDef *def) {
  SceneValue end = values[FORCE_POINTS];
  end.node = values[FORCE_POINTS].node->child;
  def->point = asp_value_vector(&end, def->point);
  end.node = end.node->next;
  def->point_b = asp_value_vector(&end, def->point_b);
  def->stiffness = asp_value_number(&values[FORCE_STIFFNESS]);
  def->damping = asp_value_number(&values[FORCE_DAMPING]);
  def->rest_length = asp_value_number(&values[FORCE_REST_LENGTH]);
}

static bool read_drag(SceneReader *reader, const SceneValue *values, AspForceDef *def) {
  if (values[FORCE_ORIENTATION].node && !values[FORCE_SIZE].node) {
    asp_reader_mistake(reader, "orientation", "of no box; give its size too");
    return false;
  }
  def->density = asp_value_number(&values[FORCE_DENSITY]);
  def->viscosity = asp_value_number(&values[FORCE_VISCOSITY]);
  def->wind = asp_value_vector(&values[FORCE_WIND], def->wind);
  def->size = asp_value_vector(&values[FORCE_SIZE], def->size);
  def->orientation = asp_value_orientation(reader, &values[FORCE_ORIENTATION], &(SceneValue){0});
  if (def->density > 0 || def->viscosity > 0)
    return true;
  asp_reader_mistake(reader, NULL, "a fluid without density and viscosity; give one of them, > 0");
  return false;
}

void asp_scene_read_force(SceneBuild *build, const cJSON *json, int place) {
  SceneReader *reader = &build->reader;
  SceneValue values[FORCE_COUNT];
  bool sound = asp_reader_object(reader, &asp_scene_force, json, values);
  AspForceDef def = asp_force_default();
  sound = read_bodies(build, values, &def) && sound;
  if (!sound)
    return;
  def.kind = (AspForceKind)asp_value_choice(&values[FORCE_TYPE]);
  const char *name = asp_value_text(&values[FORCE_NAME]);
  def.name = name && *name ? name : asp_reader_text(reader, "force%d", place);
  if (def.kind == ASP_FORCE_SPRING) {
    read_spring(values, &def);
  } else if (def.kind == ASP_FORCE_DRAG) {
    def.point = asp_value_vector(&values[FORCE_POINT], build->pose[def.body].position);
    if (!read_drag(reader, values, &def))
      return;
  } else {
    def.point = asp_value_vector(&values[FORCE_POINT], build->pose[def.body].position);
    read_components(reader, values, &def);
  }
  asp_reader_accept(reader, NULL, asp_model_add_force(build->model, &def, &place));
}
