/* The lock of a result: see run_lock.h. flock(2) belongs to the open file, so that the system gives it back when the
 * program dies. The file is removed by who holds the lock; who gets the lock of a file that was removed in between
 * looks again. */
#define _DEFAULT_SOURCE
#include "run_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 100

/* Is the open file still the one with this name? */
static bool is_current(int file, const char *path) {
  struct stat mine, named;
  return fstat(file, &mine) == 0 && stat(path, &named) == 0 && mine.st_dev == named.st_dev &&
         mine.st_ino == named.st_ino;
}

static int fail_locked(const Session *session, const char *result, int file) {
  char text[32] = "";
  ssize_t length = read(file, text, sizeof text - 2);
  text[length > 0 ? strspn(text, "0123456789") : 0] = '\0';
  close(file);
  return session_fail(session, EXIT_USAGE,
                      "%s: another run%s%s is writing it; wait for it, stop it, or write elsewhere", result,
                      *text ? ", process " : "", *text ? strcat(text, ",") : "");
}

int run_lock(const Session *session, const char *result, RunLock *lock) {
  lock->file = -1;
  int written = snprintf(lock->path, sizeof lock->path, "%s.lock", result);
  if (written < 0 || written >= (int)sizeof lock->path)
    return EXIT_DONE;
  for (int i = 0; i < ATTEMPTS; i++) {
    int file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0)
      return EXIT_DONE;
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        return fail_locked(session, result, file);
      close(file);
      return EXIT_DONE;
    }
    if (is_current(file, lock->path)) {
      char text[32];
      int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
      if (ftruncate(file, 0) != 0 || write(file, text, (size_t)length) != length)
        errno = 0; // the number is for messages only
      lock->file = file;
      return EXIT_DONE;
    }
    close(file);
  }
  return EXIT_DONE;
}

void run_unlock(RunLock *lock) {
  if (lock->file < 0)
    return;
  unlink(lock->path);
  close(lock->file);
  lock->file = -1;
}
