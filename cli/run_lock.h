/* One run at a time writes a result: the lock lies beside it, R.h5.lock, and ends with the program. */
#ifndef CLI_RUN_LOCK_H
#define CLI_RUN_LOCK_H

#include "command.h"

typedef struct RunLock {
  int file; /* -1: none */
  char path[4096];
} RunLock;

/* EXIT_DONE, or the code of the failure it reported: another run has the lock. Where no lock can be made (a folder that
 * cannot be written, a file system without locks) the run goes on without. */
int run_lock(const Session *session, const char *result, RunLock *lock);
void run_unlock(RunLock *lock);

#endif
