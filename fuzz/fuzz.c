/* What the harnesses share: see fuzz.h. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

_Noreturn void fuzz_complain(const char *text) {
  fprintf(stderr, "fuzz: %s\n", text);
  abort();
}

/* ---- contexts ---- */

static bool is_enough(void *user) { return ++*(long *)user > *((long *)user + 1); }

AspContext *fuzz_context(long calls) {
  static long state[2];
  AspContext *context = asp_context_create(NULL);
  if (!context)
    fuzz_complain("no context");
  state[0] = 0;
  state[1] = calls;
  asp_context_set_stop(context, is_enough, state);
  return context;
}

void fuzz_context_end(AspContext *context) {
  if (asp_context_memory_in_use(context) != 0)
    fuzz_complain("memory is left on the context");
  asp_context_destroy(context);
}

void fuzz_check_error(const AspContext *context, AspError error) {
  const char *message = asp_context_message(context);
  if (error == ASP_OK)
    return;
  if (error == ASP_ERROR_INTERNAL || error == ASP_ERROR_ARGUMENT) {
    fprintf(stderr, "fuzz: %s: %s\n", asp_error_name(error), message);
    abort();
  }
  if (message[0] == '\0')
    fuzz_complain("an error without a message");
  for (const char *c = message; *c; c++)
    if (((unsigned char)*c < 32 && *c != '\t') || *c == 127) {
      fprintf(stderr, "fuzz: control character %d in: %s\n", *c, message);
      abort();
    }
}

/* ---- files ---- */

static void remove_folder(void) {
  DIR *open = opendir(folder);
  const struct dirent *entry;
  while (open && (entry = readdir(open)))
    if (entry->d_name[0] != '.') {
      char path[sizeof folder + NAME_MAX + 2];
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      unlink(path);
    }
  if (open)
    closedir(open);
  rmdir(folder);
}

static void make_folder(void) {
  if (folder[0])
    return;
  struct stat status; // memory where there is such a file system
  snprintf(folder, sizeof folder, "%s/asperity-fuzz-XXXXXX",
           stat("/dev/shm", &status) == 0 && S_ISDIR(status.st_mode) ? "/dev/shm" : "/tmp");
  if (!mkdtemp(folder))
    fuzz_complain("no folder for files");
  atexit(remove_folder);
}

const char *fuzz_path(const char *name) {
  static char paths[8][sizeof folder + 64];
  static unsigned next;
  make_folder();
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

const char *fuzz_file(const char *name, const void *bytes, size_t size) {
  const char *path = fuzz_path(name);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, bytes, size) != (ssize_t)size || close(file) != 0)
    fuzz_complain("a file cannot be written");
  return path;
}

uint8_t *fuzz_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    fuzz_complain("a file cannot be read");
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*size + 1);
  if (!bytes || fread(bytes, 1, *size, file) != *size)
    fuzz_complain("a file cannot be read");
  fclose(file);
  return bytes;
}

char *fuzz_text(const uint8_t *bytes, size_t size) {
  char *text = malloc(size + 1);
  if (!text)
    fuzz_complain("no memory");
  if (size)
    memcpy(text, bytes, size);
  text[size] = '\0';
  return text;
}

void fuzz_patch(uint8_t *file, size_t file_size, const uint8_t *changes, size_t size) {
  for (size_t at = 0; at + 4 < size;) {
    size_t place = (size_t)changes[at] | (size_t)changes[at + 1] << 8 | (size_t)changes[at + 2] << 16;
    size_t length = changes[at + 3] % 17;
    at += 4;
    for (size_t i = 0; i < length && at < size; i++, at++)
      file[(place + i) % file_size] = changes[at];
  }
}
