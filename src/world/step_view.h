/* What the parts of a world may read of it and of each other: everything here is const but for the arena, the memory of
 * the step. A part is written by its own file alone, and by those that put a step together (pipeline.c, retry.c). */
#ifndef ASP_WORLD_STEP_VIEW_H
#define ASP_WORLD_STEP_VIEW_H

#include "asperity/world.h"
#include "scheme/step.h"
#include "world/contact_geometry.h"
#include "world/step_clock.h"

typedef struct ContactSearch ContactSearch;

typedef struct StepView {
  AspContext *context;
  const AspModel *model;
  const AspRunOptions *options;
  const AspState *state;  /* the present one */
  const AspState *before; /* at the start of the step */
  AspArena *arena;        /* one step */
  const AspStepWork *work;
  const StepClock *clock;
  const ContactGeometry *geometry;
  const ContactSearch *search;
} StepView;

/* Does the step under way meet its tolerance, as measured by the judge? */
bool asp_step_is_certified(const StepView *view);

/* What a block of the step's problem is (instant_problem.c). */
AspProblemBlock asp_block_describe(const StepView *view, int block);

#endif
