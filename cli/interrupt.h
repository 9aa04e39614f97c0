/* Ctrl-C and other signals: the first SIGINT or SIGTERM asks the running command to end cleanly, a second
 * one ends at once. So does the first when nothing looks at it for a second. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "asperity/base.h"

/* Long calls of the library on this context end soon after a signal, with ASP_ERROR_INTERRUPTED. */
void interrupt_listen(AspContext *context);
/* The number of the signal that asked for the end; 0: none. */
int interrupt_signal(void);

#endif
