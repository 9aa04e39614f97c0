/* Signals: see interrupt.h. The flag is the program's only global: a handler has no other way to report. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t received;

static void remember(int number) { received = number; }

static bool is_interrupted(void *user) {
  (void)user;
  return received != 0;
}

void interrupt_listen(AspContext *context) {
  /* SA_RESETHAND: the second signal finds the default action, should the clean end take too long */
  struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  asp_context_set_stop(context, is_interrupted, NULL);
}

int interrupt_signal(void) { return received; }
