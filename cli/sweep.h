/* What the files of `asperity sweep` share. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "command.h"
#include "json.h"

#include "asperity/study.h"

typedef struct Sweep {
  AspStudy *study;
  const char *path;    /* of the study */
  const char *folder;  /* with its rows */
  int64_t first, last; /* points to be run, from 0 on, both ends included */
  int cores;
  bool spread;    /* several processes take the same points: each begins elsewhere */
  bool wait;      /* until points that other processes are at have rows, too */
  double seconds; /* a point may take; 0: any */
  double memory;  /* MB it may take; 0: any */
} Sweep;

/* Run the open points of the range in child processes, as many at a time as there are cores. A point whose process
 * dies is a failed row. EXIT_DONE, 128 + signal after an interruption, or the code of the failure it reported. */
int sweep_run(const Session *session, const Sweep *sweep);

/* Scripts for other engines: FOLDER/slurm.sh, parallel.sh, mpi.sh. EXIT_DONE, or the code of the failure it reported;
 * path (4096) gets where it lies. */
typedef enum SweepEngine { ENGINE_SLURM, ENGINE_PARALLEL, ENGINE_MPI } SweepEngine;
int sweep_script(const Session *session, const Sweep *sweep, SweepEngine engine, int64_t chunk, char *path);

/* Reports of the points that have results and no report yet. */
int sweep_reports(const Session *session, const Sweep *sweep);

#endif
