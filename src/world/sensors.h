/* Sensors of the model as inputs of the state (sensors.c). */
#ifndef ASP_WORLD_SENSORS_H
#define ASP_WORLD_SENSORS_H

#include "world/world_data.h"

AspError asp_sensors_create(AspContext *context, const AspModel *model, Sensing *sensing);
void asp_sensors_destroy(AspContext *context, Sensing *sensing);
/* Before a step: accelerations are changes of velocity from here. */
void asp_sensors_begin_step(Sensing *sensing, const AspModel *model, const AspState *state);
/* From the present state, the records of the last step and its start; then events act. */
AspError asp_world_sense(AspWorld *world);

#endif
