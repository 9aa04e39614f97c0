/* Sensors of the model as inputs of the state (sensors.c). */
#ifndef ASP_WORLD_SENSORS_H
#define ASP_WORLD_SENSORS_H

#include "world/world_data.h"

/* From the present state, the records of the last step and its start; then events act. */
AspError asp_world_sense(AspWorld *world);

#endif
