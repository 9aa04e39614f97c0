/* Sensors (model/sensor.h): the quantities of the state that expressions name, set as inputs from the end of a step on,
 *
 *   value + rate (t - since),
 *
 * with the velocity as the rate of a position and of a joint's coordinate: within the next step they follow to first
 * order, so that a force that depends on them is of second order in dt. Velocities, accelerations, forces and energies
 * stay as they were: those of contacts and joints are means over the last step. Before the first step forces and
 * accelerations are zero.
 */
#include "world/sensors.h"
#include "linalg/vec3.h"
#include "model/rules.h"
#include "model/sensor.h"

#include <math.h>

static AspJet constant(double value) { return (AspJet){value, 0, 0}; }

static AspVec3 acceleration(const AspWorld *world, int body) {
  double dt = world->clock.step > 0 ? world->state.t - world->before.t : 0;
  AspVec3 change = sub3(asp_state_velocity(world->model, &world->state, body),
                        asp_state_velocity(world->model, &world->before, body));
  return dt > 0 ? scale3(1 / dt, change) : vec3(0, 0, 0);
}

static AspJet sense_body(const AspWorld *world, int body, SensorBody quantity) {
  const AspModel *model = world->model;
  const AspState *state = &world->state;
  AspVec3 x = asp_state_pose(model, state, body).position, v = asp_state_velocity(model, state, body);
  const AspWrench *contact = &world->records.totals[body];
  switch (quantity) {
  case SENSOR_BODY_X:
  case SENSOR_BODY_Y:
  case SENSOR_BODY_Z: {
    int i = quantity == SENSOR_BODY_X ? 0 : quantity == SENSOR_BODY_Y ? 1 : 2;
    return (AspJet){get3(x, i), get3(v, i), 0};
  }
  case SENSOR_BODY_ANGLE:
    return (AspJet){state->q[3 * body + 2], asp_state_angular_velocity(model, state, body).z, 0};
  case SENSOR_BODY_VX:
  case SENSOR_BODY_VY:
  case SENSOR_BODY_VZ:
    return constant(get3(v, quantity == SENSOR_BODY_VX ? 0 : quantity == SENSOR_BODY_VY ? 1 : 2));
  case SENSOR_BODY_WX:
  case SENSOR_BODY_WY:
  case SENSOR_BODY_WZ:
    return constant(get3(asp_state_angular_velocity(model, state, body), (int)quantity - (int)SENSOR_BODY_WX));
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
  case SENSOR_BODY_SPEED:
    return constant(norm3(v));
  case SENSOR_BODY_FORCE:
    return constant(norm3(contact->force));
  case SENSOR_BODY_COUNT:
    break;
  }
  return constant(0);
}

static AspJet sense_joint(const AspJointRecord *joint, SensorJoint quantity) {
  switch (quantity) {
  case SENSOR_JOINT_COORDINATE:
    return (AspJet){joint->coordinate, joint->rate, 0};
  case SENSOR_JOINT_RATE:
    return constant(joint->rate);
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
  case SENSOR_JOINT_COUNT:
    break;
  }
  return constant(0);
}

/* On the first body by the second. */
static AspJet sense_pair(const AspWorld *world, const ModelSensor *sensor) {
  AspVec3 force = vec3(0, 0, 0);
  double normal = 0;
  int contacts = 0;
  for (int i = 0; i < world->records.contact_count; i++) {
    const AspContactRecord *record = &world->records.contacts[i];
    bool on_b = record->body_b == sensor->a && record->body_a == sensor->b;
    if (!on_b && !(record->body_a == sensor->a && record->body_b == sensor->b))
      continue;
    force = axpy3(force, on_b ? 1 : -1, record->force);
    normal += dot3(record->force, record->normal);
    contacts += record->mode != ASP_MODE_OPEN;
  }
  switch ((SensorPair)sensor->quantity) {
  case SENSOR_PAIR_FX:
  case SENSOR_PAIR_FY:
  case SENSOR_PAIR_FZ:
    return constant(get3(force, sensor->quantity - (int)SENSOR_PAIR_FX));
  case SENSOR_PAIR_FORCE:
    return constant(norm3(force));
  case SENSOR_PAIR_NORMAL:
    return constant(normal);
  case SENSOR_PAIR_CONTACTS:
    return constant(contacts);
  case SENSOR_PAIR_COUNT:
    break;
  }
  return constant(0);
}

static AspJet sense_energy(const AspWorld *world, SensorEnergy quantity) {
  AspEnergy energy = asp_model_energy(world->model, &world->state);
  const double parts[] = {[SENSOR_ENERGY_KINETIC] = energy.kinetic,
                          [SENSOR_ENERGY_GRAVITATIONAL] = energy.gravitational,
                          [SENSOR_ENERGY_ELASTIC] = energy.elastic,
                          [SENSOR_ENERGY_TOTAL] = energy.kinetic + energy.gravitational + energy.elastic};
  return constant(parts[quantity]);
}

AspError asp_world_sense(AspWorld *world) {
  for (int i = 0; i < asp_model_input_count(world->model); i++) {
    const ModelSensor *sensor = asp_model_sensor(world->model, i);
    AspJet set = constant(0);
    if (sensor->subject == SENSOR_OF_NOTHING || sensor->subject == SENSOR_OF_EVENT)
      continue;
    if (sensor->subject == SENSOR_OF_BODY)
      set = sense_body(world, sensor->a, (SensorBody)sensor->quantity);
    else if (sensor->subject == SENSOR_OF_JOINT)
      set = sense_joint(&world->records.joints[sensor->a], (SensorJoint)sensor->quantity);
    else if (sensor->subject == SENSOR_OF_PAIR)
      set = sense_pair(world, sensor);
    else
      set = sense_energy(world, (SensorEnergy)sensor->quantity);
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
