/* A scene in motion: steps to the end or to an interruption, writes the result, keeps the worst of all certificates. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "arguments.h"
#include "command.h"

#include "asperity/io.h"

#define DUMPS_MAX 16 /* problems of uncertified steps that are kept, the first ones */

/* Over all steps. Residuals are the largest seen; a NaN stays once seen. */
typedef struct SimulationSummary {
  int64_t steps;
  int64_t steps_uncertified;
  int64_t steps_unresolved;
  int64_t instants_none, instants_several; /* option watch: steps that began without, or with several, accelerations */
  int64_t instants_unchecked;              /* steps at whose start accelerations were not decided */
  int64_t steps_chosen;                    /* option select: steps with several solutions */
  int64_t steps_unchecked;                 /* whose own problem was not decided */
  int64_t steps_shared, steps_unshared; /* loads of redundant contacts: shared by the rule, or as the solver left it */
  int64_t steps_impulse;                /* with an impulse where nothing collides */
  int alternatives_max;                 /* most solutions of a step */
  int64_t steps_divided;                /* made in several parts */
  int64_t steps_retried;                /* took more than one solve */
  double time;                          /* reached, s */
  double wall;                          /* of the steps and of writing them, s */
  double residual_max;                  /* E2 of the claimed law */
  double residual_data_max;             /* E3: the same relative to the data alone */
  double residual_exact_max;            /* against the exact cone */
  double residual_contact_max;          /* worst contact over the mean normal impulse */
  double penetration_max;               /* m */
  double joint_drift_max;               /* m or rad; the initial state counts */
  double energy_initial;                /* J */
  double energy_final;                  /* J */
  AspEnergyFlow flow;                   /* summed over all steps, J */
  int contacts_max;
  int64_t dumped[DUMPS_MAX]; /* steps whose problems were written, see dump_path */
  int dump_count;
  int interrupted;   /* number of the signal; 0: ran to the end */
  AspProbes *probes; /* of the scene; the caller destroys them */
  int stopped;       /* the stop condition that ended it; -1: none */
  char from[512];    /* "settled.h5 at t = 2 s": another result that the first state is of; "": the scene's */
  bool impossible;   /* ended by a drive that meets what cannot give way; the last warning says which */
} SimulationSummary;

struct Checkpoint;

typedef struct SimulationOutput {
  const char *result;              /* path */
  bool no_result;                  /* nothing is written to it; problems of steps lie beside it */
  const char *solver_log;          /* path; NULL: none */
  int64_t dump_step;               /* its problem is written, whatever its certificate; 0: none */
  const char *scene;               /* path, for checkpoints */
  const FlagList *settings;        /* --set */
  double checkpoint_every;         /* s of wall clock between checkpoints; 0: after every step */
  const char *from;                /* result with the first state; NULL: the scene's */
  double at;                       /* time of that state, s; INFINITY: its last */
  const struct Checkpoint *resume; /* go on from it; NULL: from the start */
} SimulationOutput;

/* Returns EXIT_DONE when all steps up to the end or the interruption were made and written, certified or not; otherwise
 * the code of the failure it reported: the result file holds the steps before it. *world is at the last state and goes
 * to the caller; NULL when it could not be made. */
int simulate(const Session *session, const AspScene *scene, const SimulationOutput *output, AspWorld **world,
             SimulationSummary *summary);

/* A scene that could not be read: its first mistake, and how many more there are. */
int session_fail_scene(const Session *session, AspError error, const char *path, const AspMistakes *mistakes);

/* For callers with a loop of their own: the summary before the first step, after each, and whether the last is done. */
void simulation_note_start(SimulationSummary *summary, const AspWorld *world);
void simulation_note_step(SimulationSummary *summary, const AspStepInfo *info);
bool simulation_at_end(const AspWorld *world);

/* Where the problem of a step is written, beside the result: sphere.h5 -> sphere-step12.hdf5. False when it does not
 * fit. */
bool dump_path(const char *result, int64_t step, char *buffer, size_t size);

#endif
