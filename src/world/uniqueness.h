/* Which contact problems of a run have several solutions, and which were looked at (uniqueness.c,
 * select.c, watch.c). */
#ifndef ASP_WORLD_UNIQUENESS_H
#define ASP_WORLD_UNIQUENESS_H

#include "asperity/world.h"
#include "solver/islands.h"

/* Islands of a problem that may have several solutions. */
typedef struct UncertainIslands {
  AspIslands islands;
  bool *to_search;  /* islands: to be searched */
  bool any, beyond; /* some are; some may have several solutions and are too large to be searched */
  bool single;      /* those to be searched have one contact each */
  double kappa;     /* largest value of the test that did not fail (analyze/small_friction.h) */
} UncertainIslands;

/* What was found of the contacts of the last step, and until when it stands. */
typedef struct KnownUniqueness {
  uint64_t contacts; /* hash of contacts and laws */
  uint64_t modes;    /* hash of what the solver's answer does with them; where they were searched */
  int64_t again;     /* the step from which the same contacts are looked at again */
  int alternatives;  /* as in AspStepInfo */
  bool searched;     /* some island failed the test and was searched */
  bool watchful;     /* or may fail it within the next step */
  double kappa;      /* largest value of the test that did not fail */
  int64_t tested;    /* the step of that value */
} KnownUniqueness;

/* Of steps. */
typedef struct Uniqueness {
  KnownUniqueness known;
  int alternatives; /* of the step under way, as in AspStepInfo */
  bool choosing;    /* the last step had several solutions (select.c) */
} Uniqueness;

/* Of the accelerations at the start of steps (option `watch`). */
typedef struct InstantWatch {
  int solutions;                    /* of the step under way, as AspStepInfo.instant_solutions */
  double force;                     /* N: largest sum of finite normal forces at an instant of an episode */
  bool in_episode, episode_is_none; /* the last instant looked at was without solution, or had several */
  AspEpisode *episode;
  size_t episode_capacity;
  int episode_count;
} InstantWatch;

#endif
