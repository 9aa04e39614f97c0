/* The axes of a compound joint: joints of the model with one coordinate each. Their keys have the names of those of
 * joints, and are read as such. */
#include "io/scene/build.h"
#include "linalg/vec3.h"

#define AXIS_KEY(word)                                                                                                 \
  { JOINT_##word, AXIS_##word }

static const struct {
  SceneJointKey joint;
  SceneAxisKey axis;
} same[] = {AXIS_KEY(NAME),         AXIS_KEY(POINT),  AXIS_KEY(AXIS),
            AXIS_KEY(FRICTION),     AXIS_KEY(LIMITS), AXIS_KEY(LIMIT_RESTITUTION),
            AXIS_KEY(MOTOR),        AXIS_KEY(SERVO),  AXIS_KEY(SPRING),
            AXIS_KEY(ARMATURE),     AXIS_KEY(EFFORT), AXIS_KEY(ANGLE),
            AXIS_KEY(DISPLACEMENT), AXIS_KEY(INITIAL)};

/* As the values of a joint. */
static void as_joint(const SceneValue *values, SceneValue *of_joint) {
  for (int i = 0; i < JOINT_COUNT; i++)
    of_joint[i] = (SceneValue){.key = &asp_scene_joint.keys[i]};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    of_joint[same[i].joint] = values[same[i].axis];
}

static void read_axis(SceneBuild *build, const cJSON *json, int place, const AspJointDef *of, int compound) {
  SceneReader *reader = &build->reader;
  SceneValue own[AXIS_COUNT], values[JOINT_COUNT];
  AspJointDef def = asp_joint_default();
  bool sound = asp_reader_object(reader, &asp_scene_axis, json, own);
  if (!own[AXIS_TYPE].node)
    return;
  as_joint(own, values);
  def.kind = (AspJointKind)asp_value_choice(&own[AXIS_TYPE]);
  def.compound = compound;
  sound = asp_scene_read_coordinate(reader, values, def.kind == ASP_JOINT_REVOLUTE, &def) && sound;
  if (!sound)
    return;
  const char *name = asp_value_text(&values[JOINT_NAME]);
  def.name = name && *name ? name : asp_reader_text(reader, "%s_%d", of->name, place);
  def.point = asp_value_vector(&values[JOINT_POINT], build->pose[of->body_b].position);
  def.contact = true; // the compound joint says it
  int joint;
  if (asp_reader_accept(reader, NULL, asp_model_add_joint(build->model, &def, &joint)))
    asp_scene_note_joint(build, joint, &def, true);
}

void asp_scene_read_axes(SceneBuild *build, const SceneValue *list, const AspJointDef *of, int compound) {
  SceneReader *reader = &build->reader;
  size_t outer = asp_reader_enter(reader, list->key->key);
  const cJSON *json = NULL;
  int place = 0;
  cJSON_ArrayForEach(json, list->node) {
    size_t mark = asp_reader_enter_index(reader, place);
    read_axis(build, json, place++, of, compound);
    asp_reader_leave(reader, mark);
  }
  asp_reader_leave(reader, outer);
}
