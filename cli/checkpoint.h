/* Checkpoints: what is needed to go on with a run that was stopped or killed, beside its result: R.h5.checkpoint. The
 * file is replaced in one piece, after the result holds the steps that it counts, so that either is whole at any time.
 *
 *   mark, version, size, checksum
 *   scene (path, hash of its text, files, settings), options, place in the result, summary, the world
 *   (asp_world_save), the probes (asp_probes_save)
 */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "simulate.h"

/* Of the run that is resumed; texts and bytes belong to it. */
typedef struct Checkpoint {
  char *scene; /* path */
  uint64_t scene_hash;
  const char *files; /* that the scene depends on: a line "HASH PATH" for each */
  FlagList settings;
  AspRunOptions options;
  AspResultMark mark;
  SimulationSummary summary;
  unsigned char *file, *world, *probes; /* the whole file; the saved world and probes in it */
  size_t world_size, probes_size;
} Checkpoint;

/* Write the checkpoint of a run. Returns EXIT_DONE, or the code of the failure it reported. */
int checkpoint_write(const Session *session, const SimulationOutput *output, const AspScene *scene, AspWorld *world,
                     AspResultWriter *writer, const SimulationSummary *summary);
/* Read that of a result; a missing, damaged or old one is refused by name. */
int checkpoint_read(const Session *session, const char *result, Checkpoint *checkpoint);
void checkpoint_free(Checkpoint *checkpoint);
/* The run has ended: nothing is left to go on with. */
void checkpoint_remove(const char *result);

/* Whether the scene and the files that it names are still those of the run: EXIT_DONE, or the code of the failure it
 * reported. */
int checkpoint_check(const Session *session, const Checkpoint *checkpoint, const AspScene *scene);

#endif
