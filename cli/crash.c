/* Crashes: see crash.h. Libraries that we use do not survive lack of memory everywhere (HDF5 while it starts):
 * such an end has a message and the exit code of an internal failure, too. Results are whole at any
 * instant (io/file/undo.c). */
#include "crash.h"

#include "command.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define STACK_BYTES 65536 /* of its own: the crash may be a stack that is full */

static void tell(void) {
  static const char text[] =
      "asperity: internal failure: the program, or a library that it uses, crashed; memory may be "
      "too short, otherwise this is a defect: please report it\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
    // nothing is left to be told by
  }
  _exit(EXIT_FAILED);
}

static void end(int number) {
  (void)number;
  tell();
}

void crash_listen(void) {
  static char stack[STACK_BYTES];
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = end, .sa_flags = SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaltstack(&own, NULL);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
  atexit(tell); // the program itself leaves by _exit(): a library has given up (HDF5, where it cannot start)
}
