/* Drag of a fluid on a body (drag.c), as springs and dampers have it (force.c). */
#ifndef ASP_MODEL_DRAG_H
#define ASP_MODEL_DRAG_H

#include "model/model.h"

/* Checks a definition and finds the box and its frame. */
AspError asp_drag_prepare(const AspModel *model, ModelForce *force);
/* Three directions and three axes: the force along row i is -c[i] times its rate, and changes by -slope[i] with it. */
void asp_drag_rows(const AspModel *model, const AspState *state, const ModelForce *force, AspRow row[6], double c[6],
                   double slope[6]);

#endif
