/* Undo log of a file that is changed in place (see undo.h). */
#define _DEFAULT_SOURCE
#include "io/file/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'a', 's', 'p', '-', 'u', 'n', 'd', 'o'};

typedef struct Head {
  char magic[sizeof magic];
  uint64_t length;
} Head;

typedef struct Record {
  uint64_t address, count, hash;
} Record;

static uint64_t hash_of(const Record *record, const void *bytes) {
  uint64_t hash = asp_hash_word(asp_hash_word(0, record->address), record->count);
  return asp_hash_bytes(hash, bytes, (size_t)record->count);
}

static char *log_path(const char *of) {
  size_t bytes = strlen(of) + sizeof ".undo";
  char *path = malloc(bytes);
  if (path)
    snprintf(path, bytes, "%s.undo", of);
  return path;
}

/* ---- whole reads and writes ---- */

static bool read_at(int file, uint64_t address, void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t got = pread(file, (char *)bytes + done, count - done, (off_t)(address + done));
    if (got == 0)
      errno = EIO;
    if (got == 0 || (got < 0 && errno != EINTR))
      return false;
    done += got > 0 ? (size_t)got : 0;
  }
  return true;
}

static bool write_at(int file, uint64_t address, const void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t put = pwrite(file, (const char *)bytes + done, count - done, (off_t)(address + done));
    if (put < 0 && errno != EINTR)
      return false;
    done += put > 0 ? (size_t)put : 0;
  }
  return true;
}

/* ---- writing ---- */

bool asp_undo_begin(AspUndo *undo, const char *of, int target, uint64_t length) {
  *undo = (AspUndo){.path = log_path(of), .of = of, .target = target, .log = -1, .length = length};
  return undo->path != NULL;
}

static bool is_in_place(const AspUndo *undo) {
  struct stat mine, named;
  return fstat(undo->target, &mine) == 0 && stat(undo->of, &named) == 0 && mine.st_dev == named.st_dev &&
         mine.st_ino == named.st_ino;
}

static bool begin_log(AspUndo *undo) {
  if (undo->begun)
    return true;
  if (!is_in_place(undo))
    return false;
  if (undo->log < 0)
    undo->log = open(undo->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (undo->log < 0 || flock(undo->log, LOCK_EX | LOCK_NB) != 0 || ftruncate(undo->log, 0) != 0)
    return false;
  Head head = {.length = undo->length};
  memcpy(head.magic, magic, sizeof magic);
  undo->used = sizeof head;
  undo->begun = write_at(undo->log, 0, &head, sizeof head);
  return undo->begun;
}

static bool log_bytes(AspUndo *undo, uint64_t address, uint64_t count) {
  unsigned char *bytes = begin_log(undo) ? malloc(sizeof(Record) + (size_t)count) : NULL;
  if (!bytes)
    return false;
  Record record = {.address = address, .count = count};
  bool good = read_at(undo->target, address, bytes + sizeof record, (size_t)count);
  record.hash = good ? hash_of(&record, bytes + sizeof record) : 0;
  memcpy(bytes, &record, sizeof record);
  good = good && write_at(undo->log, undo->used, bytes, sizeof record + (size_t)count);
  undo->used += sizeof record + count;
  free(bytes);
  return good;
}

static void empty_log(AspUndo *undo) {
  if (undo->log >= 0 && ftruncate(undo->log, 0) != 0)
    unlink(undo->path);
  undo->begun = false;
}

void asp_undo_note(AspUndo *undo, uint64_t address, uint64_t count) {
  if (undo->given_up || address >= undo->length)
    return;
  count = count < undo->length - address ? count : undo->length - address;
  undo->given_up = !log_bytes(undo, address, count);
  if (undo->given_up)
    empty_log(undo); // part of a log is worse than none
}

void asp_undo_keep(AspUndo *undo, uint64_t length) {
  if (undo->begun)
    empty_log(undo);
  undo->length = length;
  undo->given_up = false;
}

void asp_undo_end(AspUndo *undo) {
  if (undo->path && undo->log >= 0) {
    unlink(undo->path);
    close(undo->log);
  }
  free(undo->path);
  *undo = (AspUndo){.log = -1};
}

/* ---- putting back ---- */

/* The records of a log of `size` bytes that are whole, put back from the last to the first. */
static bool put_back(int target, const unsigned char *log, size_t size, uint64_t length) {
  size_t *at = malloc((size / sizeof(Record) + 1) * sizeof *at), count = 0;
  bool good = at != NULL;
  for (size_t next = sizeof(Head); good && size - next >= sizeof(Record);) {
    Record record;
    memcpy(&record, log + next, sizeof record);
    const unsigned char *bytes = log + next + sizeof record;
    if (record.count > size - next - sizeof record || record.address > length ||
        record.count > length - record.address || record.hash != hash_of(&record, bytes))
      break;
    at[count++] = next;
    next += sizeof record + (size_t)record.count;
  }
  while (good && count > 0) {
    Record record;
    memcpy(&record, log + at[--count], sizeof record);
    good = write_at(target, record.address, log + at[count] + sizeof record, (size_t)record.count);
  }
  free(at);
  return good;
}

/* The log, open and locked, of a file whose writer is dead. */
static AspError recover(AspContext *context, const char *path, int log) {
  struct stat size_of_log, size_of_file;
  Head head;
  if (fstat(log, &size_of_log) != 0 || size_of_log.st_size < (off_t)sizeof head || !read_at(log, 0, &head, sizeof head))
    return ASP_OK; // between two changes
  int target = open(path, O_RDWR | O_CLOEXEC);
  size_t size = (size_t)size_of_log.st_size;
  unsigned char *bytes = asp_allocate(context, size, 1);
  bool good = target >= 0 && bytes && fstat(target, &size_of_file) == 0 && read_at(log, 0, bytes, size);
  bool belongs = good && memcmp(head.magic, magic, sizeof magic) == 0 && head.length <= (uint64_t)size_of_file.st_size;
  if (belongs)
    good = put_back(target, bytes, size, head.length) && ftruncate(target, (off_t)head.length) == 0;
  int reason = errno;
  if (target >= 0)
    close(target);
  asp_release(context, bytes);
  if (!good)
    return asp_fail(
        context, ASP_ERROR_FILE,
        "%s: its run was cut off while the file changed, and %s.undo, which mends it, could not be applied: "
        "%s",
        path, path, strerror(reason));
  if (!belongs)
    return asp_fail(context, ASP_ERROR_INPUT, "%s.undo does not belong to %s; remove it if the file is sound", path,
                    path);
  asp_log(context, ASP_LOG_INFO, "%s: cut off while it changed; put back to its last whole state", path);
  return ASP_OK;
}

AspError asp_undo_recover(AspContext *context, const char *path) {
  char *name = log_path(path);
  if (!name)
    return asp_fail(context, ASP_ERROR_MEMORY, "%s: no memory", path);
  AspError error = ASP_OK;
  int log = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW); // a lock needs no right to write
  if (log < 0 && errno != ENOENT)
    error =
        asp_fail(context, ASP_ERROR_FILE, "%s: cannot be opened: %s; it is needed to mend %s, whose run was cut off",
                 name, strerror(errno), path);
  if (log >= 0 && flock(log, LOCK_EX | LOCK_NB) == 0) { // else its writer lives
    error = recover(context, path, log);
    if (error == ASP_OK)
      unlink(name);
  }
  if (log >= 0)
    close(log);
  free(name);
  return error;
}

void asp_undo_forget(const char *path) {
  char *name = log_path(path);
  if (name)
    unlink(name);
  free(name);
}
