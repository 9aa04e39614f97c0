/* What a step leaves for the reader: contacts, joints, totals of bodies (records.c). */
#ifndef ASP_WORLD_RECORDS_H
#define ASP_WORLD_RECORDS_H

#include "asperity/world.h"

typedef struct StepRecords {
  AspContactRecord *contacts; /* on the arena */
  AspWrench *totals;          /* bodies, allocated once */
  bool *recorded;             /* one: contacts and totals are those of the last step */
  int contact_count;
  AspJointRecord *joints; /* joint_count, allocated once */
  AspVec3 *joint_anchor;  /* joints: the joint's point in the frame of body B */
  double normal_most;     /* largest mean normal impulse of a step's contacts so far, N s */
} StepRecords;

#endif
