/* run --from: the first state of a new run from a result. */
#ifndef CLI_RUN_FROM_H
#define CLI_RUN_FROM_H

#include "simulate.h"

/* "--at" as a time; false: it is none. */
bool run_from_time(const char *text, double *at);
/* The world of the scene gets the state that output->from and output->at ask for, and summary->from says so; nothing
 * where they ask for none. Returns EXIT_DONE, or the code of the failure it reported. */
int run_from(const Session *session, const SimulationOutput *output, const AspScene *scene, AspWorld *world,
             SimulationSummary *summary);

#endif
