/* Names of sensors: SUBJECT.QUANTITY, where the subject is a body, a joint, two bodies (A.B) or `energy`.
 *
 * Names of bodies and joints may hold any character; in expressions everything but letters, digits and '.' is written
 * as '_': "slide left" becomes slide_left. A body goes before a joint of the same name. Depends on names.c.
 */
#include "linalg/vec3.h"
#include "model/model.h"
#include "model/row_motion.h"

#include <stdio.h>

typedef struct Quantity {
  const char *name;
  bool in[2]; /* 3D, 2D */
} Quantity;

#define SENSOR_ROW(code, name, in_3d, in_2d) {name, {in_3d, in_2d}},
static const Quantity of_body[] = {SENSOR_BODY_LIST(SENSOR_ROW)}, of_joint[] = {SENSOR_JOINT_LIST(SENSOR_ROW)},
                      of_pair[] = {SENSOR_PAIR_LIST(SENSOR_ROW)}, of_energy[] = {SENSOR_ENERGY_LIST(SENSOR_ROW)};
#undef SENSOR_ROW

static const struct {
  const Quantity *list;
  int count;
  const char *what;
} subjects[] = {[SENSOR_OF_BODY] = {of_body, SENSOR_BODY_COUNT, "a body"},
                [SENSOR_OF_JOINT] = {of_joint, SENSOR_JOINT_COUNT, "a joint"},
                [SENSOR_OF_PAIR] = {of_pair, SENSOR_PAIR_COUNT, "two bodies"},
                [SENSOR_OF_ENERGY] = {of_energy, SENSOR_ENERGY_COUNT, "energy"}};

static char written(char c) {
  bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  return plain ? c : '_';
}

static bool matches(const char *name, const char *text, size_t length) {
  size_t i = 0;
  while (i < length && name[i] && written(name[i]) == text[i])
    i++;
  return i == length && !name[i];
}

/* The element so written: -1 none, -2 several. */
static int find_element(const NameList *names, const char *text, size_t length) {
  int found = -1;
  for (int i = 0; i < names->count; i++)
    if (matches(names->name[i], text, length))
      found = found == -1 ? i : -2;
  return found;
}

/* Two bodies: every '.' may be the one between them. */
static bool find_pair(const AspModel *model, const char *text, size_t length, ModelSensor *sensor) {
  for (size_t dot = 1; dot + 1 < length; dot++) {
    if (text[dot] != '.')
      continue;
    sensor->a = find_element(&model->body_names, text, dot);
    sensor->b = find_element(&model->body_names, text + dot + 1, length - dot - 1);
    if (sensor->a >= 0 && sensor->b >= 0 && sensor->a != sensor->b)
      return true;
  }
  return false;
}

static int find_quantity(SensorSubject subject, int dimension, const char *name) {
  for (int i = 0; i < subjects[subject].count; i++)
    if (subjects[subject].list[i].in[dimension == 2] && strcmp(subjects[subject].list[i].name, name) == 0)
      return i;
  return -1;
}

static AspError unknown_quantity(const AspModel *model, SensorSubject subject, const char *name, const char *quantity) {
  char list[256] = "";
  size_t used = 0;
  for (int i = 0; i < subjects[subject].count && used < sizeof list; i++)
    if (subjects[subject].list[i].in[model->dimension == 2])
      used +=
          (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", subjects[subject].list[i].name);
  return asp_fail(model->context, ASP_ERROR_INPUT, "'%.80s': %s has no '%.40s'; known: %s", name,
                  subjects[subject].what, quantity, list);
}

static AspError resolve(const AspModel *model, const char *name, ModelSensor *sensor) {
  const char *dot = strrchr(name, '.');
  size_t length = dot ? (size_t)(dot - name) : 0;
  if (!dot || length == 0 || !dot[1])
    return asp_fail(model->context, ASP_ERROR_INPUT, "'%.80s' is not of the form BODY.QUANTITY", name);
  int body = find_element(&model->body_names, name, length), joint = find_element(&model->joint_names, name, length);
  *sensor = (ModelSensor){.a = -1, .b = -1};
  if (body == -2 || (body == -1 && joint == -2))
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "'%.80s': several bodies or joints are written like that; rename one", name);
  if (length == 6 && strncmp(name, "energy", 6) == 0 && body < 0 && joint < 0)
    sensor->subject = SENSOR_OF_ENERGY;
  else if (body >= 0 && (joint < 0 || find_quantity(SENSOR_OF_BODY, model->dimension, dot + 1) >= 0))
    *sensor = (ModelSensor){SENSOR_OF_BODY, body, -1, 0, false};
  else if (joint >= 0)
    *sensor = (ModelSensor){SENSOR_OF_JOINT, joint, -1, 0, false};
  else if (find_pair(model, name, length, sensor))
    sensor->subject = SENSOR_OF_PAIR;
  else
    return asp_fail(model->context, ASP_ERROR_INPUT, "'%.80s': there is no body or joint '%.*s', and no two bodies",
                    name, (int)length, name);
  sensor->quantity = find_quantity(sensor->subject, model->dimension, dot + 1);
  return sensor->quantity >= 0 ? ASP_OK : unknown_quantity(model, sensor->subject, name, dot + 1);
}

AspError asp_model_check_sensor(const AspModel *model, const char *name) {
  ModelSensor sensor;
  return resolve(model, name, &sensor);
}

static void mark(AspModel *model, const TimeFunction *function) {
  int slot = -1;
  const AspTable *table = NULL;
  for (int i = 0; function->expression && asp_expression_operation(function->expression, i, &slot, &table); i++)
    if (slot >= 0)
      model->sensor[slot].acts = true;
}

static void mark_acting(AspModel *model) {
  for (int i = 0; i < model->body_count; i++) {
    mark(model, &model->body[i].rotation);
    for (int k = 0; k < 3; k++)
      mark(model, &model->body[i].position[k]);
  }
  for (int i = 0; i < model->joint_count; i++) {
    const ModelJoint *joint = &model->joint[i];
    const TimeFunction *functions[] = {&joint->motor,  &joint->motion,          &joint->effort,
                                       &joint->target, &joint->target_velocity, &joint->load};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
      mark(model, functions[k]);
  }
  for (int i = 0; i < model->force_count; i++)
    for (int k = 0; k < 3; k++)
      mark(model, &model->force[i].component[k]);
  for (int i = 0; i < model->shape_count; i++)
    for (int k = 0; model->shape[i].surface && k < 3; k++) {
      mark(model, &model->shape[i].surface->velocity[k]);
      mark(model, &model->shape[i].surface->spin[k]);
    }
}

/* ---- sensors of motion ---- */

static bool sense_body(const AspModel *model, const AspState *state, int body, SensorBody quantity, AspJet *sensed) {
  AspVec3 x = asp_state_pose(model, state, body).position, v = asp_state_velocity(model, state, body),
          w = asp_state_angular_velocity(model, state, body);
  switch (quantity) {
  case SENSOR_BODY_X:
  case SENSOR_BODY_Y:
  case SENSOR_BODY_Z: {
    int i = (int)quantity - (int)SENSOR_BODY_X;
    *sensed = (AspJet){get3(x, i), get3(v, i), 0};
    return true;
  }
  case SENSOR_BODY_ANGLE:
    *sensed = (AspJet){state->q[3 * body + 2], w.z, 0};
    return true;
  case SENSOR_BODY_VX:
  case SENSOR_BODY_VY:
  case SENSOR_BODY_VZ:
    *sensed = (AspJet){get3(v, (int)quantity - (int)SENSOR_BODY_VX), 0, 0};
    return true;
  case SENSOR_BODY_WX:
  case SENSOR_BODY_WY:
  case SENSOR_BODY_WZ:
    *sensed = (AspJet){get3(w, (int)quantity - (int)SENSOR_BODY_WX), 0, 0};
    return true;
  case SENSOR_BODY_SPEED:
    *sensed = (AspJet){norm3(v), 0, 0};
    return true;
  default:
    return false;
  }
}

static bool sense_joint(const AspModel *model, const AspState *state, int joint, SensorJoint quantity, AspJet *sensed) {
  RowMotion row;
  if ((quantity != SENSOR_JOINT_COORDINATE && quantity != SENSOR_JOINT_RATE) ||
      !asp_joint_motion_of_coordinate(model, state, joint, &row))
    return false;
  *sensed = quantity == SENSOR_JOINT_RATE ? (AspJet){row.rate, 0, 0} : (AspJet){row.value, row.rate, 0};
  return true;
}

bool asp_sense_motion(const AspModel *model, const AspState *state, const ModelSensor *sensor, AspJet *sensed) {
  if (sensor->subject == SENSOR_OF_BODY)
    return sense_body(model, state, sensor->a, (SensorBody)sensor->quantity, sensed);
  return sensor->subject == SENSOR_OF_JOINT &&
         sense_joint(model, state, sensor->a, (SensorJoint)sensor->quantity, sensed);
}

static bool is_of_velocity(const ModelSensor *sensor) {
  int quantity = sensor->quantity;
  if (sensor->subject == SENSOR_OF_JOINT)
    return quantity == SENSOR_JOINT_RATE;
  return sensor->subject == SENSOR_OF_BODY &&
         ((quantity >= SENSOR_BODY_VX && quantity <= SENSOR_BODY_WZ) || quantity == SENSOR_BODY_SPEED);
}

bool asp_sensor_is_of_motion(const ModelSensor *sensor) {
  int quantity = sensor->quantity;
  return is_of_velocity(sensor) || (sensor->subject == SENSOR_OF_JOINT && quantity == SENSOR_JOINT_COORDINATE) ||
         (sensor->subject == SENSOR_OF_BODY && quantity >= SENSOR_BODY_X && quantity <= SENSOR_BODY_ANGLE);
}

bool asp_model_senses_velocity(const AspModel *model) { return model->senses_velocity; }

void asp_state_sense(const AspModel *model, AspState *state, double *velocity) {
  AspState at = *state;
  at.v = velocity;
  for (int i = 0; i < model->input_names.count; i++) {
    AspJet sensed;
    if (model->sensor[i].acts && asp_sense_motion(model, &at, &model->sensor[i], &sensed))
      state->input[i] = (AspInput){state->t, sensed};
  }
}

bool asp_inputs_differ(const AspModel *model, const AspState *a, const AspState *b) {
  for (int i = 0; i < model->input_names.count; i++) {
    const AspInput *x = &a->input[i], *y = &b->input[i];
    bool same = x->since == y->since && x->set.value == y->set.value && x->set.rate == y->set.rate &&
                x->set.acceleration == y->set.acceleration;
    if (model->sensor[i].acts && !same)
      return true;
  }
  return false;
}

AspError asp_sensors_resolve(AspModel *model) {
  for (int i = 0; i < model->input_names.count; i++)
    if (asp_model_is_sensor(model, i) && model->sensor[i].subject != SENSOR_OF_EVENT)
      ASP_TRY(resolve(model, model->input_names.name[i], &model->sensor[i]));
  mark_acting(model);
  for (int i = 0; i < model->input_names.count; i++)
    model->senses_velocity = model->senses_velocity || (model->sensor[i].acts && is_of_velocity(&model->sensor[i]));
  return ASP_OK;
}

const ModelSensor *asp_model_sensor(const AspModel *model, int input) { return &model->sensor[input]; }

bool asp_model_is_sensor(const AspModel *model, int input) {
  return strchr(model->input_names.name[input], '.') != NULL;
}

bool asp_model_input_is_memory(const AspModel *model, int input) {
  SensorSubject subject = model->sensor[input].subject;
  return subject == SENSOR_OF_NOTHING || subject == SENSOR_OF_EVENT;
}
