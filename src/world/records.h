/* What a step leaves for the reader: contacts, joints, totals of bodies (records.c). Filled at the end of each step;
 * constant from then on to the next one. */
#ifndef ASP_WORLD_RECORDS_H
#define ASP_WORLD_RECORDS_H

#include "asperity/collide.h"
#include "asperity/world.h"
#include "base/archive.h"
#include "scheme/step.h"

/* Sums over the parts of the step under way (step_parts.c). */
typedef struct StepParts {
  int count;                  /* parts so far */
  double length;              /* s */
  AspContactRecord *contacts; /* force and moment: impulses in world axes */
  size_t capacity;
  int contact_count;
  AspWrench *totals;      /* bodies: N s, N m s */
  AspJointRecord *joints; /* joints: the same */
} StepParts;

typedef struct StepRecords {
  AspContactRecord *contacts; /* on the arena */
  int contact_count;
  AspWrench *totals;      /* bodies, allocated once */
  AspJointRecord *joints; /* joint_count, allocated once */
  AspVec3 *joint_anchor;  /* joints: the joint's point in the frame of body B */
  StepParts parts;
} StepRecords;

/* What a step was: read by the records. */
typedef struct StepOutcome {
  const AspModel *model;
  const AspState *before, *state; /* at its start and end */
  const AspStepWork *work;        /* its problem and reactions */
  const AspContact *found;        /* the contacts of work->frames */
  double tolerance;               /* on E2 */
} StepOutcome;

AspError asp_records_create(AspContext *context, const AspModel *model, const AspState *state, StepRecords *records);
void asp_records_destroy(AspContext *context, StepRecords *records);
/* No contacts: an attempt begins. */
void asp_records_clear(StepRecords *records);
/* All of them from the step just done; contacts on the arena. */
AspError asp_records_fill(StepRecords *records, AspArena *arena, const StepOutcome *step);
/* Coordinates and drift of the joints at a state. */
void asp_records_joint_state(StepRecords *records, JointMotions *motions, const AspModel *model, const AspState *state);
/* The largest drift of these joints, m or rad. */
double asp_records_joint_drift(const StepRecords *records, int joints);
/* Written or read back; contacts into the arena. */
AspError asp_records_archive(StepRecords *records, AspArena *arena, const AspModel *model, AspArchive *archive);

#endif
