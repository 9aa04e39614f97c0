/* Warnings of a run, and which of those that are given once were given. */
#ifndef ASP_WORLD_WARNINGS_H
#define ASP_WORLD_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Warnings {
  char **text; /* count of them */
  size_t capacity;
  int count;
  bool *joint_named;                    /* joints whose redundancy was reported */
  bool *pair_named;                     /* materials^2: pairs without law that were reported */
  bool projection_named, contact_named; /* these warnings were given */
  bool overlap_named;                   /* a deep overlap was reported */
  int depths_named;                     /* steps that began with bodies deep in each other and were named */
  int64_t depth_step;                   /* the last of them */
  int gains_named;                      /* impacts that gained energy and were named */
  bool uncertified_named;               /* the first step that missed its tolerance was reported */
  int choices_named;                    /* episodes of steps with several solutions that were named */
} Warnings;

#endif
