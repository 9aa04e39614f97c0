/* What `run` shows of error control (option `accuracy`). */
#ifndef CLI_RUN_ACCURACY_H
#define CLI_RUN_ACCURACY_H

#include "json.h"

#include "asperity/world.h"

/* The member "accuracy" of the JSON object; null without the option. */
void accuracy_write(Json *json, const AspWorld *world);
/* Lines of the summary; none without the option. */
void accuracy_print(const AspWorld *world);
/* Was an accuracy asked for and not kept? Then one line on stderr. */
bool accuracy_missed(const AspWorld *world);

#endif
