/* Beams: place and motion at the start, cross-section and material or stiffness, stations with shapes, and what touches
 * along the length. */
#include "io/scene/build.h"
#include "linalg/vec3.h"

static const char *beam_key(SceneBeamKey key) { return asp_scene_beam.keys[key].key; }

/* The cross-section with the material, where a modulus is given. */
static bool read_section(SceneReader *reader, const SceneValue *values, AspBeamDef *def) {
  const SceneValue *width = &values[BEAM_WIDTH], *height = &values[BEAM_HEIGHT], *radius = &values[BEAM_RADIUS];
  bool solid = values[BEAM_YOUNGS_MODULUS].node != NULL, round = radius->node != NULL;
  const SceneValue *part = width->node ? width : height->node ? height : round ? radius : &values[BEAM_DENSITY];
  if (!solid && part->node) {
    asp_reader_mistake(reader, beam_key(BEAM_YOUNGS_MODULUS), "missing; %s is of no use without it", part->key->key);
    return false;
  }
  if (!solid)
    return true;
  if (round && (width->node || height->node)) {
    asp_reader_mistake(reader, beam_key(BEAM_RADIUS), "the cross-section is round or rectangular; remove %s",
                       width->node ? beam_key(BEAM_WIDTH) : beam_key(BEAM_HEIGHT));
    return false;
  }
  SceneBeamKey missing = !values[BEAM_DENSITY].node ? BEAM_DENSITY
                         : !round && !width->node   ? BEAM_WIDTH
                         : !round && !height->node  ? BEAM_HEIGHT
                                                    : BEAM_COUNT;
  if (missing != BEAM_COUNT) {
    asp_reader_mistake(reader, beam_key(missing),
                       "missing; youngs_modulus needs density and the cross-section: width "
                       "and height, or radius");
    return false;
  }
  double youngs = asp_value_number(&values[BEAM_YOUNGS_MODULUS]), density = asp_value_number(&values[BEAM_DENSITY]);
  double poisson = asp_value_number(&values[BEAM_POISSON_RATIO]);
  if (round)
    asp_beam_set_circle(def, asp_value_number(radius), youngs, poisson, density);
  else
    asp_beam_set_rectangle(def, asp_value_number(width), asp_value_number(height), youngs, poisson, density);
  return true;
}

/* What is given directly goes before what follows from the cross-section. */
static void read_stiffness(const SceneValue *values, AspBeamDef *def) {
  double *const numbers[] = {
      [BEAM_MASS_PER_LENGTH] = &def->mass_per_length,         [BEAM_AXIAL_STIFFNESS] = &def->axial_stiffness,
      [BEAM_BENDING_STIFFNESS] = &def->bending_stiffness[0],  [BEAM_SHEAR_STIFFNESS] = &def->shear_stiffness[0],
      [BEAM_TORSIONAL_STIFFNESS] = &def->torsional_stiffness, [BEAM_ROTARY_INERTIA] = &def->rotary_inertia[1]};
  for (int key = BEAM_MASS_PER_LENGTH; key <= BEAM_ROTARY_INERTIA; key++)
    if (values[key].node)
      *numbers[key] = asp_value_number(&values[key]);
  if (values[BEAM_BENDING_STIFFNESS].node)
    def->bending_stiffness[1] = def->bending_stiffness[0];
  if (values[BEAM_SHEAR_STIFFNESS].node)
    def->shear_stiffness[1] = def->shear_stiffness[0];
  if (values[BEAM_ROTARY_INERTIA].node) {
    def->rotary_inertia[2] = def->rotary_inertia[1];
    def->rotary_inertia[0] = 2 * def->rotary_inertia[1];
  }
}

/* Without a cross-section every stiffness that the beam needs must be given. */
static bool stiffness_complete(SceneReader *reader, const SceneValue *values) {
  bool spatial = reader->dimension == 3, inextensible = asp_value_flag(&values[BEAM_INEXTENSIBLE]);
  const bool needed[] = {[BEAM_MASS_PER_LENGTH] = true,        [BEAM_AXIAL_STIFFNESS] = spatial || !inextensible,
                         [BEAM_BENDING_STIFFNESS] = true,      [BEAM_SHEAR_STIFFNESS] = spatial,
                         [BEAM_TORSIONAL_STIFFNESS] = spatial, [BEAM_ROTARY_INERTIA] = spatial};
  bool complete = true;
  for (int key = BEAM_MASS_PER_LENGTH; key <= BEAM_ROTARY_INERTIA; key++)
    if (needed[key] && !values[key].node) {
      asp_reader_mistake(reader, beam_key((SceneBeamKey)key),
                         "missing; give it, or youngs_modulus with density and the cross-section");
      complete = false;
    }
  return complete;
}

static void read_place(SceneReader *reader, const SceneValue *values, AspBeamDef *def) {
  def->length = asp_value_number(&values[BEAM_LENGTH]);
  def->pose.position = asp_value_vector(&values[BEAM_POSITION], vec3(0, 0, 0));
  def->pose.orientation = asp_value_orientation(reader, &values[BEAM_ORIENTATION], &values[BEAM_ANGLE]);
  def->velocity = asp_value_vector(&values[BEAM_VELOCITY], vec3(0, 0, 0));
  def->angular_velocity = asp_value_spin(reader, &values[BEAM_ANGULAR_VELOCITY]);
  def->elements = (int)asp_value_number(&values[BEAM_ELEMENTS]);
  def->degree = (int)asp_value_number(&values[BEAM_DEGREE]);
  if (values[BEAM_GAUSS_POINTS].node)
    def->gauss_points = (int)asp_value_number(&values[BEAM_GAUSS_POINTS]);
  def->axial_strain = (AspAxialStrain)asp_value_choice(&values[BEAM_AXIAL_STRAIN]);
  def->curvature = asp_value_number(&values[BEAM_CURVATURE]);
  def->inextensible = asp_value_flag(&values[BEAM_INEXTENSIBLE]);
  def->damping = asp_value_number(&values[BEAM_DAMPING]);
}

/* ---- stations ---- */

/* A station of the model under its name, with shapes. */
static void enter_station(SceneBuild *build, int beam, int body, const SceneShape *shapes, int count) {
  AspPose pose = asp_model_body_pose(build->model, body);
  const char *name = asp_model_body_name(build->model, body);
  bool entered = asp_scene_enter_body(build, body, &pose, vec3(0, 0, 0), shapes, count,
                                      asp_model_beam_station(build->model, beam, false), false);
  asp_scene_names_add(&build->reader, &build->bodies, name, entered ? body : SCENE_BROKEN);
}

static void read_station(SceneBuild *build, int beam, const cJSON *json) {
  SceneReader *reader = &build->reader;
  SceneValue values[STATION_COUNT];
  SceneShape *shapes;
  int count, body;
  bool sound = asp_reader_object(reader, &asp_scene_station, json, values);
  sound = asp_scene_read_shapes(build, &values[STATION_SHAPES], &shapes, &count) && sound;
  if (!sound)
    return;
  const char *name = asp_value_text(&values[STATION_NAME]);
  for (int i = 0; i < count; i++)
    if (shapes[i].density > 0)
      asp_reader_mistake(reader, values[STATION_SHAPES].key->key,
                         "shape %d has a density; the mass of a beam is that of its cross-section", i);
  if (asp_reader_accept(reader, NULL,
                        asp_model_add_station(build->model, beam, name, asp_value_number(&values[STATION_AT]), &body)))
    enter_station(build, beam, body, shapes, count);
}

static void read_stations(SceneBuild *build, int beam, const SceneValue *list) {
  SceneReader *reader = &build->reader;
  size_t outer = asp_reader_enter(reader, list->key->key);
  int place = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, list->node) {
    size_t mark = asp_reader_enter_index(reader, place++);
    read_station(build, beam, item);
    asp_reader_leave(reader, mark);
  }
  asp_reader_leave(reader, outer);
}

/* Spheres or disks from end to end. */
static void read_contact(SceneBuild *build, int beam, const SceneValue *contact) {
  SceneReader *reader = &build->reader;
  SceneValue values[TOUCH_COUNT];
  if (!contact->node)
    return;
  size_t mark = asp_reader_enter(reader, contact->key->key);
  bool sound = asp_reader_object(reader, &asp_scene_touch, contact->node, values);
  SceneShape ball = {
      .attachment = {.shape = asp_shape_default(reader->dimension == 3 ? ASP_SHAPE_SPHERE : ASP_SHAPE_DISK),
                     .pose = pose_identity(),
                     .group = UINT32_MAX,
                     .mask = UINT32_MAX}};
  if (sound) {
    ball.attachment.shape.radius = asp_value_number(&values[TOUCH_RADIUS]);
    sound = asp_reader_accept(
        reader, values[TOUCH_MATERIAL].key->key,
        asp_model_material(build->model, asp_value_text(&values[TOUCH_MATERIAL]), &ball.attachment.material));
  }
  int points = sound ? (int)asp_value_number(&values[TOUCH_POINTS]) : 0, body;
  const AspBeamDef *def = asp_model_beam_def(build->model, beam);
  for (int i = 0; i < points; i++) {
    const char *name = asp_reader_text(reader, "%s.%d", def->name, i);
    if (name && asp_reader_accept(
                    reader, NULL,
                    asp_model_add_station(build->model, beam, name, def->length * ((double)i / (points - 1)), &body)))
      enter_station(build, beam, body, &ball, 1);
  }
  asp_reader_leave(reader, mark);
}

/* The stations of a beam with a mistake: what refers to them is no mistake of its own. */
static void enter_broken(SceneBuild *build, const char *beam, const SceneValue *stations) {
  SceneReader *reader = &build->reader;
  const char *ends[] = {asp_reader_text(reader, "%s.start", beam), asp_reader_text(reader, "%s.end", beam)};
  for (int i = 0; i < 2; i++)
    if (ends[i])
      asp_scene_names_add(reader, &build->bodies, ends[i], SCENE_BROKEN);
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, stations->node) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, asp_scene_station.keys[STATION_NAME].key);
    if (cJSON_IsString(name))
      asp_scene_names_add(reader, &build->bodies, name->valuestring, SCENE_BROKEN);
  }
}

void asp_scene_read_beam(SceneBuild *build, const cJSON *json, int place) {
  SceneReader *reader = &build->reader;
  SceneValue values[BEAM_COUNT];
  bool sound = asp_reader_object(reader, &asp_scene_beam, json, values);
  AspBeamDef def = asp_beam_default();
  const char *name = asp_value_text(&values[BEAM_NAME]);
  def.name = name && *name ? name : asp_reader_text(reader, "beam%d", place);
  sound = sound && read_section(reader, values, &def);
  sound = sound && (values[BEAM_YOUNGS_MODULUS].node || stiffness_complete(reader, values));
  if (sound) {
    read_stiffness(values, &def);
    read_place(reader, values, &def);
  }
  int beam;
  if (!sound || !asp_reader_accept(reader, NULL, asp_model_add_beam(build->model, &def, &beam))) {
    enter_broken(build, def.name, &values[BEAM_STATIONS]);
    return;
  }
  for (int end = 0; end < 2; end++)
    enter_station(build, beam, asp_model_beam_station(build->model, beam, end), NULL, 0);
  read_stations(build, beam, &values[BEAM_STATIONS]);
  read_contact(build, beam, &values[BEAM_CONTACT]);
}
