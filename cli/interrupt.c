/* Signals: see interrupt.h. The flag is the program's only global: a handler has no other way to report. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

/* Until the program must have seen the flag: its end takes less than a second in all. */
#define GRACE_MICROSECONDS 800000

static volatile sig_atomic_t received, seen;

static void set_alarm(suseconds_t microseconds) {
  setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = microseconds}, NULL);
}

static void remember(int number) {
  received = number;
  if (!seen)
    set_alarm(GRACE_MICROSECONDS);
}

/* Nobody has looked at the flag: the program is inside something that does not ask (a library that waits, a huge
 * allocation). Results are whole at any instant (io/file/undo.c), so it may end here. */
static void end_now(int number) {
  (void)number;
  static const char text[] = "asperity: ended at once: the running call did not stop within 0.8 s\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
    // nothing is left to be told by
  }
  _exit(128 + received);
}

/* Once seen, the clean end may take its time. */
static void mark_seen(void) {
  if (received && !seen) {
    seen = 1;
    set_alarm(0);
  }
}

static bool is_interrupted(void *user) {
  (void)user;
  mark_seen();
  return received != 0;
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void interrupt_listen(AspContext *context) {
  /* SA_RESETHAND: the second signal finds the default action, should the clean end take too long */
  handle(SIGINT, remember, (int)SA_RESETHAND);
  handle(SIGTERM, remember, (int)SA_RESETHAND);
  handle(SIGALRM, end_now, 0);
  asp_context_set_stop(context, is_interrupted, NULL);
}

int interrupt_signal(void) {
  mark_seen();
  return received;
}
