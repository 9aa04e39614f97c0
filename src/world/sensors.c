/* Sensors (model/sensor.h): the quantities of the state that expressions name, set as inputs from the end of a step on,
 *
 *   value + rate (t - since),
 *
 * with the velocity as the rate of a position and of a joint's coordinate. Loads of the next step take places and
 * velocities where they act (model/sensor.c, scheme/sensed.c). Accelerations, forces and energies stay as they were:
 * those of contacts and joints are means over the last step. Before the first step forces and accelerations are zero.
 */
#include "world/sensors.h"
#include "linalg/vec3.h"
#include "model/rules.h"
#include "model/sensor.h"

#include <math.h>
#include <stdlib.h>

static AspJet constant(double value) { return (AspJet){value, 0, 0}; }

void asp_sensors_begin_step(Sensing *sensing, const AspModel *model, const AspState *state) {
  sensing->t = state->t;
  memcpy(sensing->v, state->v, (size_t)asp_model_v_size(model) * sizeof *sensing->v);
}

/* Of all the step, whatever parts it was made in. */
static AspVec3 acceleration(const AspWorld *world, int body) {
  AspState start = world->before;
  start.v = world->so_far.sensing.v;
  double dt = world->clock.step > 0 ? world->state.t - world->so_far.sensing.t : 0;
  AspVec3 change =
      sub3(asp_state_velocity(world->model, &world->state, body), asp_state_velocity(world->model, &start, body));
  return dt > 0 ? scale3(1 / dt, change) : vec3(0, 0, 0);
}

static AspJet sense_body(const AspWorld *world, int body, SensorBody quantity) {
  const AspWrench *contact = &world->records.totals[body];
  switch (quantity) {
  case SENSOR_BODY_AX:
  case SENSOR_BODY_AY:
  case SENSOR_BODY_AZ:
    return constant(get3(acceleration(world, body), (int)quantity - (int)SENSOR_BODY_AX));
  case SENSOR_BODY_FX:
  case SENSOR_BODY_FY:
  case SENSOR_BODY_FZ:
    return constant(get3(contact->force, (int)quantity - (int)SENSOR_BODY_FX));
  case SENSOR_BODY_TX:
  case SENSOR_BODY_TY:
  case SENSOR_BODY_TZ:
    return constant(get3(contact->torque, (int)quantity - (int)SENSOR_BODY_TX));
  case SENSOR_BODY_FORCE:
    return constant(norm3(contact->force));
  default:
    return constant(0);
  }
}

static AspJet sense_joint(const AspJointRecord *joint, SensorJoint quantity) {
  switch (quantity) {
  case SENSOR_JOINT_FX:
  case SENSOR_JOINT_FY:
  case SENSOR_JOINT_FZ:
    return constant(get3(joint->force, (int)quantity - (int)SENSOR_JOINT_FX));
  case SENSOR_JOINT_TX:
  case SENSOR_JOINT_TY:
  case SENSOR_JOINT_TZ:
    return constant(get3(joint->torque, (int)quantity - (int)SENSOR_JOINT_TX));
  case SENSOR_JOINT_FORCE:
    return constant(norm3(joint->force));
  case SENSOR_JOINT_TORQUE:
    return constant(norm3(joint->torque));
  case SENSOR_JOINT_MOTOR:
    return constant(joint->motor);
  case SENSOR_JOINT_FRICTION:
    return constant(joint->friction);
  case SENSOR_JOINT_LIMIT:
    return constant(joint->limit);
  default:
    return constant(0);
  }
}

/* ---- pairs of bodies: one pass over the contacts for all sensors ---- */

static int compare_pairs(const void *a, const void *b) {
  const AspBodyPair *x = a, *y = b;
  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static AspBodyPair ordered(int a, int b) { return a < b ? (AspBodyPair){a, b} : (AspBodyPair){b, a}; }

/* NULL: nothing senses them. */
static PairSum *find_pair(const Sensing *sensing, int a, int b) {
  AspBodyPair key = ordered(a, b);
  return sensing->count ? bsearch(&key, sensing->sum, (size_t)sensing->count, sizeof *sensing->sum, compare_pairs)
                        : NULL;
}

AspError asp_sensors_create(AspContext *context, const AspModel *model, Sensing *sensing) {
  int inputs = asp_model_input_count(model), sensed = 0;
  for (int i = 0; i < inputs; i++)
    sensed += asp_model_sensor(model, i)->subject == SENSOR_OF_PAIR;
  sensing->sum = asp_allocate(context, (size_t)sensed, sizeof *sensing->sum);
  sensing->v = asp_allocate(context, (size_t)asp_model_v_size(model) + 1, sizeof *sensing->v);
  if ((!sensing->sum && sensed > 0) || !sensing->v)
    return ASP_ERROR_MEMORY;
  sensed = 0;
  for (int i = 0; i < inputs; i++) {
    const ModelSensor *sensor = asp_model_sensor(model, i);
    if (sensor->subject == SENSOR_OF_PAIR)
      sensing->sum[sensed++].bodies = ordered(sensor->a, sensor->b);
  }
  if (sensed > 0)
    qsort(sensing->sum, (size_t)sensed, sizeof *sensing->sum, compare_pairs);
  for (int i = 0; i < sensed; i++) // each once
    if (i == 0 || compare_pairs(&sensing->sum[i], &sensing->sum[i - 1]) != 0)
      sensing->sum[sensing->count++].bodies = sensing->sum[i].bodies;
  return ASP_OK;
}

void asp_sensors_destroy(AspContext *context, Sensing *sensing) {
  asp_release(context, sensing->sum);
  asp_release(context, sensing->v);
}

static void sum_pairs(const StepRecords *records, Sensing *sensing) {
  for (int i = 0; i < sensing->count; i++)
    sensing->sum[i] = (PairSum){.bodies = sensing->sum[i].bodies};
  for (int i = 0; sensing->count > 0 && i < records->contact_count; i++) {
    const AspContactRecord *record = &records->contacts[i];
    PairSum *sum = find_pair(sensing, record->body_a, record->body_b);
    if (!sum)
      continue;
    sum->force = axpy3(sum->force, record->body_b == sum->bodies.a ? 1 : -1, record->force);
    sum->normal += dot3(record->force, record->normal);
    sum->contacts += record->mode != ASP_MODE_OPEN;
  }
}

/* On the first body by the second. */
static AspJet sense_pair(const Sensing *sensing, const ModelSensor *sensor) {
  const PairSum *sum = find_pair(sensing, sensor->a, sensor->b);
  AspVec3 force = sensor->a == sum->bodies.a ? sum->force : sub3(vec3(0, 0, 0), sum->force);
  switch ((SensorPair)sensor->quantity) {
  case SENSOR_PAIR_FX:
  case SENSOR_PAIR_FY:
  case SENSOR_PAIR_FZ:
    return constant(get3(force, sensor->quantity - (int)SENSOR_PAIR_FX));
  case SENSOR_PAIR_FORCE:
    return constant(norm3(force));
  case SENSOR_PAIR_NORMAL:
    return constant(sum->normal);
  case SENSOR_PAIR_CONTACTS:
    return constant((double)sum->contacts);
  case SENSOR_PAIR_COUNT:
    break;
  }
  return constant(0);
}

static AspJet sense_energy(AspEnergy energy, SensorEnergy quantity) {
  const double parts[] = {[SENSOR_ENERGY_KINETIC] = energy.kinetic,
                          [SENSOR_ENERGY_GRAVITATIONAL] = energy.gravitational,
                          [SENSOR_ENERGY_ELASTIC] = energy.elastic,
                          [SENSOR_ENERGY_TOTAL] = energy.kinetic + energy.gravitational + energy.elastic};
  return constant(parts[quantity]);
}

static bool senses_energy(const AspModel *model) {
  for (int i = 0; i < asp_model_input_count(model); i++)
    if (asp_model_sensor(model, i)->subject == SENSOR_OF_ENERGY)
      return true;
  return false;
}

/* What is none of place and velocity. */
static AspJet sense_other(const AspWorld *world, const ModelSensor *sensor, AspEnergy energy) {
  switch (sensor->subject) {
  case SENSOR_OF_BODY:
    return sense_body(world, sensor->a, (SensorBody)sensor->quantity);
  case SENSOR_OF_JOINT:
    return sense_joint(&world->records.joints[sensor->a], (SensorJoint)sensor->quantity);
  case SENSOR_OF_PAIR:
    return sense_pair(&world->so_far.sensing, sensor);
  default:
    return sense_energy(energy, (SensorEnergy)sensor->quantity);
  }
}

AspError asp_world_sense(AspWorld *world) {
  AspEnergy energy = {0};
  if (senses_energy(world->model))
    energy = asp_model_energy(world->model, &world->state);
  sum_pairs(&world->records, &world->so_far.sensing);
  for (int i = 0; i < asp_model_input_count(world->model); i++) {
    const ModelSensor *sensor = asp_model_sensor(world->model, i);
    AspJet set;
    if (sensor->subject == SENSOR_OF_NOTHING || sensor->subject == SENSOR_OF_EVENT)
      continue;
    if (!asp_sense_motion(world->model, &world->state, sensor, &set))
      set = sense_other(world, sensor, energy);
    world->state.input[i] = (AspInput){world->state.t, set};
  }
  bool switched;
  ASP_TRY(asp_rules_apply(world->context, world->model, &world->state, &switched));
  if (switched && world->scheme->disturb && world->scheme_run)
    world->scheme->disturb(&world->host, world->scheme_run, true);
  if (switched)
    world->so_far.consistent = false; // joints that closed take bodies along, without bouncing
  return ASP_OK;
}
