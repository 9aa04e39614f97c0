/* What `asperity converge` draws. */
#ifndef CLI_CONVERGE_H
#define CLI_CONVERGE_H

#include "command.h"

#include "asperity/compare.h"

/* Differences between levels over dt, each relative to the size of its kind, as SVG. */
int converge_plot(const Session *session, const AspConvergence *found, const char *title, const char *path);

#endif
