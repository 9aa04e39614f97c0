/* A scene in motion: steps to the end or to an interruption, writes the result, keeps the worst of all certificates. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "arguments.h"
#include "command.h"

#include "asperity/io.h"

#define DUMPS_MAX 16 /* problems of uncertified steps that are kept, the first ones */

/* What is known of a run when it ends. */
typedef struct SimulationSummary {
  AspRunSummary run;         /* over all steps */
  double wall;               /* of the steps and of writing them, s */
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
  bool no_files;                   /* nor are these, nor a log: another rank writes them */
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

/* Where the problem of a step is written, beside the result: sphere.h5 -> sphere-step12.hdf5. False when it does not
 * fit. */
bool dump_path(const char *result, int64_t step, char *buffer, size_t size);

#endif
