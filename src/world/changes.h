/* Where functions of time end a part of a step (changes.c). */
#ifndef ASP_WORLD_CHANGES_H
#define ASP_WORLD_CHANGES_H

#include "world/world_data.h"

typedef struct NextChange {
  double length;  /* of the part up to it, s */
  double behind;  /* the instant from which on the function is another one, s */
  bool is_change; /* there is one at the end of the part */
  double missed;  /* impulse of loads that the part does not see, N s and N m s */
} NextChange;

/* Within what is left of a step, h. */
NextChange asp_next_change(const AspWorld *world, double h);

#endif
