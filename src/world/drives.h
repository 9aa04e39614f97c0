/* Drives that meet what cannot give way (drives.c). */
#ifndef ASP_WORLD_DRIVES_H
#define ASP_WORLD_DRIVES_H

#include "world/step_view.h"

/* From step to step. */
typedef struct DriveCheck {
  bool known, any; /* whether the model has drives */
  int pairs;       /* shapes of prescribed bodies can meet each other, or fixed ones: 1, -1: no, 0: not known yet */
  int64_t again;   /* large sets of contacts are decided again from this step on */
  int64_t pause;   /* steps that the last such decision was good for */
} DriveCheck;

/* Has the model drives, so that contacts are to be looked at? */
bool asp_drives_exist(DriveCheck *check, const StepView *view);

/* ASP_ERROR_IMPOSSIBLE, with drive, bodies and rate named, where no velocities agree with the drives over the step of
 * dt that begins at the state, given the work's frames there. Leaves the arena as it was. */
AspError asp_drives_check(DriveCheck *check, const StepView *view, AspArena *arena, double dt);

/* Of it prescribed bodies that are driven into each other, or into fixed ones: no scheme lets these give way. */
AspError asp_drives_check_pairs(DriveCheck *check, const StepView *view, AspArena *arena, double dt);

/* driven_pairs.c: are there shapes of prescribed bodies that can meet what no force moves? */
bool asp_driven_pairs_exist(const StepView *view);
/* The same error where one of them is driven into another one within dt. Takes memory of the arena. */
AspError asp_driven_pairs_check(const StepView *view, AspArena *arena, double dt);

#endif
