/* What `run` tells of a run: as JSON, as a summary for readers, and on stderr what missed. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "simulate.h"

/* One JSON object on stdout. */
void run_write_json(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                    const SimulationOutput *output);
/* The summary on stdout. */
void run_print_summary(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                       const SimulationOutput *output);
/* A line on stderr for steps that missed the tolerance, and one for steps that are not resolved, where there are. */
void run_report_missed(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                       const char *result);

#endif
