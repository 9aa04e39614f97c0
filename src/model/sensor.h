/* Sensors: quantities of the state that expressions use by name, "box.z", "hinge.rate", "box.ground.fz",
 * "energy.kinetic". A sensor is an input of the model (input.c) that no caller sets: the world does, at the
 * end of every step. Depends on the public header.
 */
#ifndef ASP_MODEL_SENSOR_H
#define ASP_MODEL_SENSOR_H

#include "asperity/model.h"

/* of a body: name, in space, in the plane. Forces and torques are those of all its contacts. */
#define SENSOR_BODY_LIST(X)                                                                                            \
  X(BODY_X, "x", true, true)                                                                                           \
  X(BODY_Y, "y", true, true)                                                                                           \
  X(BODY_Z, "z", true, false)                                                                                          \
  X(BODY_ANGLE, "angle", false, true)                                                                                  \
  X(BODY_VX, "vx", true, true)                                                                                         \
  X(BODY_VY, "vy", true, true)                                                                                         \
  X(BODY_VZ, "vz", true, false)                                                                                        \
  X(BODY_WX, "wx", true, false)                                                                                        \
  X(BODY_WY, "wy", true, false)                                                                                        \
  X(BODY_WZ, "wz", true, true)                                                                                         \
  X(BODY_AX, "ax", true, true)                                                                                         \
  X(BODY_AY, "ay", true, true)                                                                                         \
  X(BODY_AZ, "az", true, false)                                                                                        \
  X(BODY_FX, "fx", true, true)                                                                                         \
  X(BODY_FY, "fy", true, true)                                                                                         \
  X(BODY_FZ, "fz", true, false)                                                                                        \
  X(BODY_TX, "tx", true, false)                                                                                        \
  X(BODY_TY, "ty", true, false)                                                                                        \
  X(BODY_TZ, "tz", true, true)                                                                                         \
  X(BODY_SPEED, "speed", true, true)                                                                                   \
  X(BODY_FORCE, "force", true, true)

/* of a joint: on body B */
#define SENSOR_JOINT_LIST(X)                                                                                           \
  X(JOINT_COORDINATE, "coordinate", true, true)                                                                        \
  X(JOINT_RATE, "rate", true, true)                                                                                    \
  X(JOINT_FX, "fx", true, true)                                                                                        \
  X(JOINT_FY, "fy", true, true)                                                                                        \
  X(JOINT_FZ, "fz", true, false)                                                                                       \
  X(JOINT_TX, "tx", true, false)                                                                                       \
  X(JOINT_TY, "ty", true, false)                                                                                       \
  X(JOINT_TZ, "tz", true, true)                                                                                        \
  X(JOINT_FORCE, "force", true, true)                                                                                  \
  X(JOINT_TORQUE, "torque", true, true)                                                                                \
  X(JOINT_MOTOR, "motor", true, true)                                                                                  \
  X(JOINT_FRICTION, "friction", true, true)                                                                            \
  X(JOINT_LIMIT, "limit", true, true)

/* of two bodies that touch: on the first one by the second */
#define SENSOR_PAIR_LIST(X)                                                                                            \
  X(PAIR_FX, "fx", true, true)                                                                                         \
  X(PAIR_FY, "fy", true, true)                                                                                         \
  X(PAIR_FZ, "fz", true, false)                                                                                        \
  X(PAIR_FORCE, "force", true, true)                                                                                   \
  X(PAIR_NORMAL, "normal", true, true)                                                                                 \
  X(PAIR_CONTACTS, "contacts", true, true)

#define SENSOR_ENERGY_LIST(X)                                                                                          \
  X(ENERGY_KINETIC, "kinetic", true, true)                                                                             \
  X(ENERGY_GRAVITATIONAL, "gravitational", true, true)                                                                 \
  X(ENERGY_ELASTIC, "elastic", true, true)                                                                             \
  X(ENERGY_TOTAL, "total", true, true)

#define SENSOR_ENUM(code, name, in_3d, in_2d) SENSOR_##code,
typedef enum SensorBody { SENSOR_BODY_LIST(SENSOR_ENUM) SENSOR_BODY_COUNT } SensorBody;
typedef enum SensorJoint { SENSOR_JOINT_LIST(SENSOR_ENUM) SENSOR_JOINT_COUNT } SensorJoint;
typedef enum SensorPair { SENSOR_PAIR_LIST(SENSOR_ENUM) SENSOR_PAIR_COUNT } SensorPair;
typedef enum SensorEnergy { SENSOR_ENERGY_LIST(SENSOR_ENUM) SENSOR_ENERGY_COUNT } SensorEnergy;
#undef SENSOR_ENUM

typedef enum SensorSubject {
  SENSOR_OF_NOTHING,
  SENSOR_OF_BODY,
  SENSOR_OF_JOINT,
  SENSOR_OF_PAIR,
  SENSOR_OF_ENERGY,
  SENSOR_OF_EVENT /* what an event remembers: written by rule.c */
} SensorSubject;

typedef struct ModelSensor {
  SensorSubject subject; /* NOTHING: an input, not a sensor */
  int a, b;              /* body or joint; PAIR: both bodies */
  int quantity;          /* of the list of its subject */
  bool acts;             /* bodies, joints or forces depend on it; others only stop conditions, events, probes */
} ModelSensor;

const ModelSensor *asp_model_sensor(const AspModel *model, int input);

/* Place or velocity of a body or joint, as the state has it; false: a sensor of something else. */
bool asp_sense_motion(const AspModel *model, const AspState *state, const ModelSensor *sensor, AspJet *sensed);
/* Is it a place or a velocity? */
bool asp_sensor_is_of_motion(const ModelSensor *sensor);
/* Does the motion depend on sensors of velocities? */
bool asp_model_senses_velocity(const AspModel *model);
/* All of them on which the motion depends become those of the state itself, with these velocities. */
void asp_state_sense(const AspModel *model, AspState *state, double *velocity);
/* An input on which the motion depends differs between the two states. */
bool asp_inputs_differ(const AspModel *model, const AspState *a, const AspState *b);
/* What every sensor means, and which inputs act; called by finish. */
AspError asp_sensors_resolve(AspModel *model);

#endif
