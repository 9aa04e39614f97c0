/* Steps that end where a rule of the scene comes to act (locate_rules.c). */
#ifndef ASP_WORLD_LOCATE_RULES_H
#define ASP_WORLD_LOCATE_RULES_H

#include "world/world_data.h"

/* How a step of at most this length is made from the present state. */
typedef struct LocatedStep {
  AspError (*make)(void *user, double longest);
  void *user;
} LocatedStep;

/* The scene has rules, and the scheme finds when they act. */
bool asp_rules_are_located(const AspWorld *world);
/* One step; it is shorter where a rule acts. */
AspError asp_step_to_rules(AspWorld *world, const LocatedStep *step);

#endif
