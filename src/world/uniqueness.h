/* Which contact problems of a run have several solutions, and which were looked at (uniqueness.c,
 * select.c, watch.c). */
#ifndef ASP_WORLD_UNIQUENESS_H
#define ASP_WORLD_UNIQUENESS_H

#include "analyze/enumerated.h"
#include "base/archive.h"
#include "solver/islands.h"
#include "world/records.h"
#include "world/step_view.h"
#include "world/warnings.h"

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

/* The islands of a problem in global form, on the arena. */
AspError asp_uniqueness_of_problem(const StepView *view, AspArena *arena, const AspContactProblem *problem,
                                   UncertainIslands *uncertain);
/* The same of a formulation's problem; islands with too many contacts to be searched need not be listed. */
AspError asp_uniqueness_of(const StepView *view, AspArena *arena, const AspFormulation *formulation,
                           UncertainIslands *uncertain);
/* The islands of the formulation's problem with at most so many blocks that have modes, and at least one; *beyond:
 * there are others with more. *told: false where islands are connected by more than blocks; nothing is listed then. For
 * asp_island_extract; of_block is left out. */
AspError asp_small_islands(const StepView *view, AspArena *arena, const AspFormulation *formulation, int most,
                           AspIslands *islands, bool *beyond, bool *told);
/* What was found before still stands. *same: these are the contacts of the step before. */
AspError asp_uniqueness_is_known(Uniqueness *uniqueness, const StepView *view, const AspStepWork *work, bool *same,
                                 bool *is_known);
/* Keep what was found of them; those that were searched are looked at again after `rest` steps. */
void asp_uniqueness_keep(Uniqueness *uniqueness, const StepView *view, const UncertainIslands *uncertain,
                         const AspStepWork *work, bool same, int64_t rest);

AspError asp_uniqueness_archive(Uniqueness *uniqueness, AspArchive *archive);

/* Are the accelerations of the present state to be looked at (option `watch`)? */
bool asp_watch_is_due(InstantWatch *watch, const StepView *view, const KnownUniqueness *known);
/* Look at them, in the step's work; not formulated: nothing can be said of them. */
AspError asp_watch_look(InstantWatch *watch, const StepView *view, Warnings *warnings, bool formulated);
/* The step just made, of length dt, answers an instant without finite forces by an impulse. */
bool asp_watch_has_impulse(const InstantWatch *watch, const StepRecords *records, double dt);
AspError asp_watch_archive(InstantWatch *watch, AspArchive *archive);
void asp_watch_destroy(AspContext *context, InstantWatch *watch);

#endif
