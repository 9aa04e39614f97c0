/* A step that is made in parts: what they leave, in sum (step_parts.c). */
#ifndef ASP_WORLD_STEP_PARTS_H
#define ASP_WORLD_STEP_PARTS_H

#include "world/records.h"

AspError asp_parts_create(AspContext *context, const AspModel *model, StepParts *parts);
void asp_parts_destroy(AspContext *context, StepParts *parts);
AspError asp_parts_reserve(StepParts *parts, AspContext *context, int contacts);
/* A step begins. */
void asp_parts_begin(StepParts *parts);
/* Add the records of a part of dt. */
AspError asp_parts_add(StepParts *parts, AspContext *context, const AspModel *model, const StepRecords *records,
                       double dt);
/* The records become those of the whole step, contacts on the arena. */
AspError asp_parts_tell(const StepParts *parts, AspArena *arena, const AspModel *model, StepRecords *records);
/* What is known of the last part becomes what is known of it and the parts before. */
void asp_info_add(const AspStepInfo *before, AspStepInfo *info);

#endif
