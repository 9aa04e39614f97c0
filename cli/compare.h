/* What `asperity compare` draws: how friction depends on direction. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "command.h"

#include "asperity/compare.h"

/* The largest tangential force that a contact of each friction model resists, over mu times the normal force, by
 * direction, found by solving: a polar plot as SVG. */
int compare_write_polar(const Session *session, const AspRunOptions *options, const char *path);

#endif
