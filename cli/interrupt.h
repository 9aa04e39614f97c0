/* Ctrl-C and its kin: the first SIGINT or SIGTERM asks the running command to end cleanly, a second one ends at once.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

void interrupt_listen(void);
/* The number of the signal that asked for the end; 0: none. */
int interrupt_signal(void);

#endif
