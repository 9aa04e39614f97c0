/* The conditions that drives meet: what moves as prescribed, and all that can stand in its way (drives.c).
 *
 * Drives are prescribed bodies, prescribed joint coordinates and motors without limit of effort. */
#ifndef ASP_FORMULATE_DRIVES_H
#define ASP_FORMULATE_DRIVES_H

#include "formulate/formulate.h"

typedef struct AspDriveRows {
  AspFormulation formulation; /* rows with their tags, `known`: the mean rate over the step; no dynamics */
  double *rate;               /* rows: the known rate at the start of the step, m/s or rad/s */
  double *distance;           /* rows: gap, or distance to the limit, m or rad; equalities: 0 */
} AspDriveRows;

/* Does the model have drives at all? */
bool asp_model_has_drives(const AspModel *model);

/* Joints, prescribed coordinates, unlimited motors, limits, and the normals of contacts that are nearer than
 * DRIVES_NEAR of the smaller reach (bodies, m). known_velocity: of prescribed bodies, mean over the step. What is
 * left out (friction, limited motors, conditions on beams) would only add conditions. On the arena. */
AspError asp_formulate_drives(AspArena *arena, const AspModel *model, const AspState *state,
                              const AspContactFrame *frames, int count, const double *reach, double dt,
                              const double *known_velocity, AspDriveRows *drives);

#endif
