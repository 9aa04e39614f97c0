/* Reading a whole file, with a bound on its size that also holds for devices and pipes; writing one to the end. */
#define _POSIX_C_SOURCE 200809L
#include "io/file/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define MAX_BYTES ((size_t)ASP_TEXT_FILE_MAX_MB << 20)

static AspError fail_too_large(AspContext *context, const char *path) {
  return asp_fail(context, ASP_ERROR_FILE, "%s: larger than %d MB, the limit", path, ASP_TEXT_FILE_MAX_MB);
}

/* All bytes of the open file, growing *text; one byte is kept for the zero behind them. */
static AspError read_all(AspContext *context, const char *path, FILE *file, char **text, size_t *length) {
  size_t capacity = 0;
  *length = 0;
  for (;;) {
    ASP_TRY(ASP_GROW(context, *text, capacity, *length + 65536 + 1));
    errno = 0;
    size_t got = fread(*text + *length, 1, capacity - 1 - *length, file);
    *length += got;
    if (ferror(file))
      return asp_fail(context, asp_file_error(errno), "%s: %s", path, strerror(errno ? errno : EIO));
    if (*length > MAX_BYTES)
      return fail_too_large(context, path);
    if (got == 0)
      return ASP_OK;
  }
}

AspError asp_file_error(int reason) {
  switch (reason) {
  case ENOMEM:
    return ASP_ERROR_MEMORY;
  case ENOSPC:
  case EDQUOT:
  case EIO:
    return ASP_ERROR_STORAGE;
  default:
    return ASP_ERROR_FILE;
  }
}

AspError asp_text_file_read(AspContext *context, const char *path, char **text, size_t *length) {
  *text = NULL;
  *length = 0;
  struct stat status;
  if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > (off_t)MAX_BYTES)
    return fail_too_large(context, path);
  FILE *file = fopen(path, "rb");
  if (!file)
    return asp_fail(context, asp_file_error(errno), "%s: %s", path, strerror(errno));
  AspError error = read_all(context, path, file, text, length);
  fclose(file);
  if (error == ASP_OK) {
    (*text)[*length] = 0;
    return ASP_OK;
  }
  asp_release(context, *text);
  *text = NULL;
  return error;
}

FILE *asp_file_create(AspContext *context, const char *path, AspError *error) {
  FILE *file = fopen(path, "wb");
  *error = file ? ASP_OK : asp_fail(context, asp_file_error(errno), "%s: %s", path, strerror(errno));
  return file;
}

/* Half a file must not be taken for a whole one. Devices stay. */
static void remove_half(const char *path) {
  struct stat status;
  if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
    remove(path);
}

void asp_file_abandon(const char *path, FILE *file) {
  fclose(file);
  remove_half(path);
}

AspError asp_file_finish(AspContext *context, const char *path, FILE *file) {
  errno = 0;
  bool lost = fflush(file) != 0 || ferror(file);
  int reason = errno;
  lost = fclose(file) != 0 || lost;
  if (!lost)
    return ASP_OK;
  remove_half(path);
  return asp_fail(context, ASP_ERROR_STORAGE, "%s: cannot be written to its end: %s", path,
                  reason ? strerror(reason) : "write error, is the disk full?");
}
