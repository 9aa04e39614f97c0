/* A library to be loaded before all others (LD_PRELOAD) that lets calls of the C library fail.
 *
 *   ASPERITY_FAIL=GROUP:K     the K-th call of the group fails, counted from 1
 *   ASPERITY_FAIL=GROUP:K+    it and all later ones
 *   ASPERITY_FAIL_COUNT=FILE  the number of calls of the group is written to the file at the end
 *
 * Groups: memory (malloc, calloc, realloc, aligned ones: ENOMEM), read (read, pread, fread's reads: EIO), write (write,
 * pwrite, ftruncate: ENOSPC), sync (fsync, fdatasync: EIO), rename (EACCES), lock (flock, fcntl's locks: ENOLCK), open
 * (open, fopen: EMFILE), fork (fork: EAGAIN).
 *
 * Counted are calls of the program and of its libraries from main() on: what the loader and the constructors of
 * libraries do before is not ours. Output of the program itself (file descriptors 1 and 2) does not fail in the group
 * write; closed and full standard output are tested otherwise. Only the first process counts and fails, no child.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char group[16];
static long wanted = -1, count;
static bool and_later, armed;
static pid_t process;

static bool fails(const char *of, int reason) {
  if (!armed || strcmp(group, of) != 0 || getpid() != process)
    return false;
  long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (number != wanted && !(and_later && wanted > 0 && number > wanted))
    return false;
  errno = reason;
  return true;
}

static void report(void) {
  const char *path = getenv("ASPERITY_FAIL_COUNT");
  armed = false;
  if (!path || getpid() != process)
    return;
  FILE *file = fopen(path, "w");
  if (file) {
    fprintf(file, "%ld\n", count);
    fclose(file);
  }
}

static void begin(void) {
  const char *text = getenv("ASPERITY_FAIL"), *colon = text ? strchr(text, ':') : NULL;
  if (!colon || (size_t)(colon - text) >= sizeof group)
    return;
  memcpy(group, text, (size_t)(colon - text));
  wanted = strtol(colon + 1, NULL, 10);
  and_later = text[strlen(text) - 1] == '+';
  process = getpid();
  atexit(report);
  armed = true;
}

/* ---- from main() on ---- */

static int (*program)(int, char **, char **);

static int counted_main(int argument_count, char **arguments, char **environment) {
  begin();
  return program(argument_count, arguments, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argument_count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
  int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
      dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return real(counted_main, argument_count, arguments, init, fini, loader_fini, stack_end);
}

/* ---- the calls ---- */

#define ERROR_SEEN 0x20 /* of the C library (glibc): ferror() is true */
#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t number, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) { return fails("memory", ENOMEM) ? NULL : __libc_malloc(bytes); }
void *calloc(size_t number, size_t bytes) { return fails("memory", ENOMEM) ? NULL : __libc_calloc(number, bytes); }
void *realloc(void *block, size_t bytes) {
  return bytes > 0 && fails("memory", ENOMEM) ? NULL : __libc_realloc(block, bytes);
}
void *memalign(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes) {
  return fails("memory", ENOMEM) ? NULL : __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  return fails("memory", ENOMEM) ? NULL : __libc_memalign(alignment, bytes);
}
int posix_memalign(void **block, size_t alignment, size_t bytes) {
  void *made = fails("memory", ENOMEM) ? NULL : __libc_memalign(alignment, bytes);
  if (!made)
    return ENOMEM;
  *block = made;
  return 0;
}

ssize_t read(int file, void *bytes, size_t size) {
  REAL(read);
  return fails("read", EIO) ? -1 : real(file, bytes, size);
}
ssize_t pread(int file, void *bytes, size_t size, off_t at) {
  REAL(pread);
  return fails("read", EIO) ? -1 : real(file, bytes, size, at);
}
ssize_t pread64(int file, void *bytes, size_t size, off64_t at) {
  REAL(pread64);
  return fails("read", EIO) ? -1 : real(file, bytes, size, at);
}

/* The C library's own streams do not call read() by its name; whole buffers fail here. */
size_t fread(void *bytes, size_t size, size_t number, FILE *stream) {
  REAL(fread);
  if (!fails("read", EIO))
    return real(bytes, size, number, stream);
  stream->_flags |= ERROR_SEEN;
  return 0;
}

ssize_t write(int file, const void *bytes, size_t size) {
  REAL(write);
  return file > 2 && fails("write", ENOSPC) ? -1 : real(file, bytes, size);
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  REAL(pwrite);
  return fails("write", ENOSPC) ? -1 : real(file, bytes, size, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
  REAL(pwrite64);
  return fails("write", ENOSPC) ? -1 : real(file, bytes, size, at);
}
int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  return fails("write", ENOSPC) ? -1 : real(file, size);
}
int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  return fails("write", ENOSPC) ? -1 : real(file, size);
}
size_t fwrite(const void *bytes, size_t size, size_t number, FILE *stream) {
  REAL(fwrite);
  if (stream == stdout || stream == stderr || !fails("write", ENOSPC))
    return real(bytes, size, number, stream);
  stream->_flags |= ERROR_SEEN;
  return 0;
}
int fclose(FILE *stream) {
  REAL(fclose);
  if (!fails("write", ENOSPC))
    return real(stream);
  real(stream);
  errno = ENOSPC;
  return EOF;
}

int fsync(int file) {
  REAL(fsync);
  return fails("sync", EIO) ? -1 : real(file);
}
int fdatasync(int file) {
  REAL(fdatasync);
  return fails("sync", EIO) ? -1 : real(file);
}
int rename(const char *from, const char *to) {
  REAL(rename);
  return fails("rename", EACCES) ? -1 : real(from, to);
}
int flock(int file, int operation) {
  REAL(flock);
  return fails("lock", ENOLCK) ? -1 : real(file, operation);
}

static bool is_lock(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}
int fcntl(int file, int command, ...) {
  REAL(fcntl);
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return is_lock(command) && fails("lock", ENOLCK) ? -1 : real(file, command, argument);
}
int fcntl64(int file, int command, ...) {
  REAL(fcntl64);
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return is_lock(command) && fails("lock", ENOLCK) ? -1 : real(file, command, argument);
}

int open(const char *path, int flags, ...) {
  REAL(open);
  va_list list;
  va_start(list, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
  va_end(list);
  return fails("open", EMFILE) ? -1 : real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  REAL(open64);
  va_list list;
  va_start(list, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
  va_end(list);
  return fails("open", EMFILE) ? -1 : real(path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) {
  REAL(fopen);
  return fails("open", EMFILE) ? NULL : real(path, mode);
}
FILE *fopen64(const char *path, const char *mode) {
  REAL(fopen64);
  return fails("open", EMFILE) ? NULL : real(path, mode);
}
void _exit(int code) { // functions of atexit() are not called
  REAL(_exit);
  report();
  real(code);
  __builtin_unreachable();
}
pid_t fork(void) {
  REAL(fork);
  return fails("fork", EAGAIN) ? -1 : real();
}
