/* Forces and powers of springs in one pass (force.c). Depends on the public headers only. */
#ifndef ASP_MODEL_SPRING_WORK_H
#define ASP_MODEL_SPRING_WORK_H

#include "asperity/model.h"

/* As asp_model_spring_power, and the forces of asp_model_add_spring_forces, unless h is NULL. */
AspSpringPower asp_model_spring_work(const AspModel *model, const AspState *state, const double *velocity, double *h);

#endif
