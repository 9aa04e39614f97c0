/* Bodies: place and velocity, mass properties, shapes.
 *
 * The scene places a body by its own frame: `position`, `orientation`, `velocity` belong to the frame's origin, shapes
 * are placed in it. The model wants the frame of the centre of mass. Where the mass properties come from the shapes,
 * their centre c (in the body's frame, parallel to it) moves the origin:
 *
 *   x_c = x + R c,    v_c = v + w x (R c),    shapes at p - c
 *
 * Where mass and inertia are given, c is `center_of_mass`, 0 by default, and the inertia about it along axes that are
 * turned by Q (`inertia_orientation`) is Q I Q^T along those of the body's frame.
 */
#include "io/scene/build.h"
#include "linalg/vec3.h"

#include <math.h>

static const char world[] = "world";

/* What is known of a body before it enters the model. */
typedef struct BodyDraft {
  SceneValue values[BODY_COUNT];
  AspBodyDef def;
  SceneShape *shapes, *visual;
  int count, drawn;
  AspVec3 centre; /* of mass, in the body's frame */
} BodyDraft;

static const char *body_key(SceneBodyKey key) { return asp_scene_body.keys[key].key; }

/* ---- shapes and mass ---- */

bool asp_scene_read_shapes(SceneBuild *build, const SceneValue *list, SceneShape **shapes, int *count) {
  SceneReader *reader = &build->reader;
  const cJSON *item = NULL;
  *count = 0;
  *shapes = asp_reader_take(reader, list->node ? (size_t)cJSON_GetArraySize(list->node) : 0, sizeof **shapes);
  if (!*shapes)
    return false;
  bool sound = true;
  size_t mark = asp_reader_enter(reader, list->key->key);
  cJSON_ArrayForEach(item, list->node) {
    size_t inner = asp_reader_enter_index(reader, *count);
    sound = asp_scene_read_shape(build, list->key->object, item, &(*shapes)[(*count)++]) && sound;
    asp_reader_leave(reader, inner);
  }
  asp_reader_leave(reader, mark);
  asp_scene_spread_pieces(build, shapes, count);
  return sound;
}

/* Shapes that can have a density can have mass. */
static bool is_solid(const SceneReader *reader, const AspShape *shape) {
  return asp_scene_key_applies(&asp_scene_shape.keys[SHAPE_DENSITY], reader->dimension, (int)shape->kind);
}

/* Sum over the shapes with a density; when none has one and `uniform` is set, over all solid shapes with density 1.
 * mass = 0: nothing to sum. */
static bool sum_shapes(SceneReader *reader, const BodyDraft *draft, bool uniform, AspMassProperties *sum) {
  memset(sum, 0, sizeof *sum);
  for (int i = 0; i < draft->count; i++)
    uniform = uniform && draft->shapes[i].density == 0;
  for (int i = 0; i < draft->count; i++) {
    const AspShapeAttachment *shape = &draft->shapes[i].attachment;
    double density = uniform ? 1 : draft->shapes[i].density;
    if (density == 0 || !is_solid(reader, &shape->shape))
      continue;
    AspMassProperties own;
    if (!asp_reader_accept(reader, body_key(BODY_SHAPES),
                           asp_shape_mass(reader->context, &shape->shape, reader->dimension, density, &own)))
      return false;
    own = asp_mass_transform(&own, &shape->pose);
    *sum = sum->mass > 0 ? asp_mass_sum(sum, &own) : own;
  }
  return true;
}

/* [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]; in the plane one number */
static AspMat3 read_inertia(const cJSON *node) {
  if (cJSON_IsNumber(node))
    return mat3_diagonal(0, 0, node->valuedouble);
  double x[6] = {0};
  int count = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, node) x[count++] = item->valuedouble;
  return (AspMat3){{x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]}};
}

/* Mass and inertia given: taken. Mass alone: distribution from the shapes. Neither: from the shapes' densities. */
static bool read_mass(SceneReader *reader, BodyDraft *draft) {
  const SceneValue *mass = &draft->values[BODY_MASS], *inertia = &draft->values[BODY_INERTIA];
  AspBodyDef *def = &draft->def;
  if (mass->node && inertia->node) {
    def->mass = asp_value_number(mass);
    def->inertia = read_inertia(inertia->node);
    if (draft->values[BODY_INERTIA_ORIENTATION].node) {
      AspMat3 Q = mat3_from_quat(
          asp_value_orientation(reader, &draft->values[BODY_INERTIA_ORIENTATION], &(SceneValue){.node = NULL}));
      def->inertia = mat3_congruence(&Q, &def->inertia);
    }
    draft->centre = asp_value_vector(&draft->values[BODY_CENTER_OF_MASS], vec3(0, 0, 0));
    for (int i = 0; i < draft->count; i++)
      if (draft->shapes[i].density > 0) {
        asp_reader_mistake(reader, body_key(BODY_INERTIA),
                           "mass and inertia are given, so is a density of shape %d; "
                           "keep one of the two",
                           i);
        return false;
      }
    return true;
  }
  if (inertia->node) {
    asp_reader_mistake(reader, body_key(BODY_MASS), "missing; inertia is given without mass");
    return false;
  }
  for (int key = BODY_INERTIA_ORIENTATION; key <= BODY_CENTER_OF_MASS; key++)
    if (draft->values[key].node) {
      asp_reader_mistake(reader, body_key(key),
                         "is given without inertia; add inertia, or remove it: the shapes say where the mass is");
      return false;
    }
  AspMassProperties sum;
  if (!sum_shapes(reader, draft, mass->node != NULL, &sum))
    return false;
  if (!(sum.mass > 0)) {
    if (mass->node)
      asp_reader_mistake(reader, body_key(BODY_INERTIA),
                         "missing; no shape of the body has a volume to compute it from");
    else
      asp_reader_mistake(reader, body_key(BODY_MASS),
                         "missing; a free body needs a mass, or a density on its shapes (or \"fixed\": true)");
    return false;
  }
  double scale = mass->node ? asp_value_number(mass) / sum.mass : 1;
  def->mass = scale * sum.mass;
  for (int i = 0; i < 9; i++)
    def->inertia.m[i] = scale * sum.inertia.m[i];
  draft->centre = sum.centre;
  return true;
}

/* ---- motion ---- */

/* A checked expression at t = 0. */
static double value_at_start(SceneReader *reader, const char *text) {
  AspExpression *expression = NULL;
  double value = 0;
  if (asp_reader_accept(reader, NULL,
                        asp_expression_parse_with(reader->context, text, &reader->variables, &expression)))
    value = asp_expression_evaluate_with(expression, 0, reader->inputs).value;
  asp_expression_destroy(reader->context, expression);
  return value;
}

static bool read_motion(SceneReader *reader, BodyDraft *draft) {
  const SceneValue *motion = &draft->values[BODY_MOTION];
  if (!motion->node)
    return true;
  SceneValue values[MOTION_COUNT];
  size_t mark = asp_reader_enter(reader, body_key(BODY_MOTION));
  bool sound = asp_reader_object(reader, &asp_scene_motion, motion->node, values);
  asp_reader_leave(reader, mark);
  AspBodyDef *def = &draft->def;
  def->kind = ASP_BODY_KINEMATIC;
  if (asp_value_flag(&draft->values[BODY_FIXED])) {
    asp_reader_mistake(reader, body_key(BODY_MOTION), "the body is fixed; it cannot have a motion");
    sound = false;
  }
  if (sound && values[MOTION_POSITION].node && draft->values[BODY_POSITION].node) {
    asp_reader_mistake(reader, body_key(BODY_POSITION), "the body's motion says where it is; remove one of the two");
    sound = false;
  }
  if (!sound)
    return false;
  double start[3] = {def->pose.position.x, def->pose.position.y, def->pose.position.z};
  for (int i = 0; i < reader->dimension; i++) {
    def->position_expression[i] = asp_value_expression(reader, &values[MOTION_POSITION], i);
    if (def->position_expression[i])
      start[i] = value_at_start(reader, def->position_expression[i]);
  }
  def->pose.position = vec3(start[0], start[1], start[2]);
  def->rotation_expression = asp_value_expression(reader, &values[MOTION_ROTATION], -1);
  def->rotation_axis = asp_value_vector(&values[MOTION_AXIS], vec3(0, 0, 1));
  return true;
}

/* A body that does not move freely takes no velocity of its own. */
static bool check_velocity(SceneReader *reader, const BodyDraft *draft) {
  const SceneValue *velocity = &draft->values[BODY_VELOCITY];
  if (!velocity->node)
    velocity = &draft->values[BODY_ANGULAR_VELOCITY];
  if (!velocity->node || draft->def.kind == ASP_BODY_DYNAMIC)
    return true;
  asp_reader_mistake(reader, velocity->key->key, "a %s body takes no velocity",
                     draft->def.kind == ASP_BODY_FIXED ? "fixed" : "prescribed");
  return false;
}

static bool read_state(SceneReader *reader, BodyDraft *draft) {
  const SceneValue *values = draft->values;
  AspBodyDef *def = &draft->def;
  def->kind = asp_value_flag(&values[BODY_FIXED]) ? ASP_BODY_FIXED : ASP_BODY_DYNAMIC;
  def->pose.position = asp_value_vector(&values[BODY_POSITION], vec3(0, 0, 0));
  def->pose.orientation = asp_value_orientation(reader, &values[BODY_ORIENTATION], &values[BODY_ANGLE]);
  def->velocity = asp_value_vector(&values[BODY_VELOCITY], vec3(0, 0, 0));
  def->angular_velocity = asp_value_spin(reader, &values[BODY_ANGULAR_VELOCITY]);
  return read_motion(reader, draft) && check_velocity(reader, draft);
}

/* From the body's frame to that of its centre of mass. */
static void move_to_centre(BodyDraft *draft) {
  AspBodyDef *def = &draft->def;
  AspVec3 arm = quat_rotate(def->pose.orientation, draft->centre);
  def->pose.position = add3(def->pose.position, arm);
  def->velocity = add3(def->velocity, cross3(def->angular_velocity, arm));
  for (int i = 0; i < draft->count; i++)
    draft->shapes[i].attachment.pose.position = sub3(draft->shapes[i].attachment.pose.position, draft->centre);
  for (int i = 0; i < draft->drawn; i++)
    draft->visual[i].attachment.pose.position = sub3(draft->visual[i].attachment.pose.position, draft->centre);
}

/* ---- into the model ---- */

bool asp_scene_enter_body(SceneBuild *build, int index, const AspPose *pose, AspVec3 centre, const SceneShape *shapes,
                          int count, int owner, bool immobile) {
  SceneReader *reader = &build->reader;
  size_t needed = (size_t)index + 1;
  AspContext *context = reader->context;
  AspError error = ASP_GROW(context, build->pose, build->pose_capacity, needed);
  if (error == ASP_OK)
    error = ASP_GROW(context, build->centre, build->centre_capacity, needed);
  if (!asp_reader_accept(reader, NULL, error))
    return false;
  build->pose[index] = *pose;
  build->centre[index] = centre;
  for (int i = 0; i < count; i++) {
    const AspShapeAttachment *shape = &shapes[i].attachment;
    if (asp_reader_accept(reader, body_key(BODY_SHAPES), asp_model_attach_shape(build->model, index, shape)))
      asp_scene_note_collider(build, shape, owner, immobile);
  }
  return true;
}

static int add_body(SceneBuild *build, const BodyDraft *draft) {
  int index = SCENE_BROKEN;
  if (!asp_reader_accept(&build->reader, NULL, asp_model_add_body(build->model, &draft->def, &index)))
    return SCENE_BROKEN;
  bool entered = asp_scene_enter_body(build, index, &draft->def.pose, draft->centre, draft->shapes, draft->count, index,
                                      draft->def.kind != ASP_BODY_DYNAMIC);
  for (int i = 0; i < draft->drawn && entered; i++)
    asp_reader_accept(&build->reader, body_key(BODY_VISUAL),
                      asp_model_add_drawing(build->model, index, &draft->visual[i].attachment));
  return entered ? index : SCENE_BROKEN;
}

void asp_scene_read_body(SceneBuild *build, const cJSON *json, int place) {
  SceneReader *reader = &build->reader;
  BodyDraft draft = {.def = asp_body_default()};
  bool sound = asp_reader_object(reader, &asp_scene_body, json, draft.values);
  sound = asp_scene_read_shapes(build, &draft.values[BODY_SHAPES], &draft.shapes, &draft.count) && sound;
  sound = asp_scene_read_shapes(build, &draft.values[BODY_VISUAL], &draft.visual, &draft.drawn) && sound;
  sound = read_state(reader, &draft) && sound;
  const char *name = asp_value_text(&draft.values[BODY_NAME]);
  draft.def.name = name && *name ? name : asp_reader_text(reader, "body%d", place);
  if (asp_scene_names_find(&build->bodies, draft.def.name) >= 0) {
    asp_reader_mistake(reader, body_key(BODY_NAME), "another body is called %s",
                       asp_reader_quote(reader, draft.def.name));
    return;
  }
  if (sound && draft.def.kind == ASP_BODY_DYNAMIC)
    sound = read_mass(reader, &draft);
  int index = SCENE_BROKEN;
  if (sound) {
    move_to_centre(&draft);
    index = add_body(build, &draft);
  }
  asp_scene_names_add(reader, &build->bodies, draft.def.name, index);
}

int asp_scene_find_body(SceneBuild *build, const char *key, const char *name) {
  SceneReader *reader = &build->reader;
  int found = asp_scene_names_find(&build->bodies, name);
  if (found >= 0)
    return build->bodies.value[found];
  if (strcmp(name, world) == 0) {
    BodyDraft draft = {.def = asp_body_default()};
    draft.def.name = world;
    draft.def.kind = ASP_BODY_FIXED;
    draft.def.pose = pose_identity();
    int index = add_body(build, &draft);
    asp_scene_names_add(reader, &build->bodies, world, index);
    return index;
  }
  asp_reader_mistake(reader, key, "no body is called %s%s", asp_reader_quote(reader, name),
                     asp_reader_suggestion(reader, name, build->bodies.name, build->bodies.count));
  return SCENE_BROKEN;
}
