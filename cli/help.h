/* The help of one command from its tables: as text, and as JSON, of which pages/ makes man pages and completions. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "arguments.h"

void help_print(const Arguments *arguments, const Command *command);
void help_write(const Arguments *arguments, const Command *command);

#endif
