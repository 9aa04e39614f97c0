/* Archives (archive.h). */
#include "base/archive.h"

void asp_archive_note(AspArchive *archive, AspError error) {
  if (archive->error == ASP_OK)
    archive->error = error;
}

void asp_archive_bytes(AspArchive *archive, void *bytes, size_t size) {
  if (archive->error != ASP_OK || size == 0)
    return;
  bool fits = size <= archive->size && archive->at <= archive->size - size;
  if (archive->reading && !fits) {
    asp_archive_note(archive, asp_fail(archive->context, ASP_ERROR_INPUT, "the saved state ends early, after %zu bytes",
                                       archive->size));
    return;
  }
  if (archive->reading)
    memcpy(bytes, archive->bytes + archive->at, size);
  else if (fits)
    memcpy(archive->bytes + archive->at, bytes, size);
  archive->at += size;
}

int asp_archive_count(AspArchive *archive, int count, size_t size) {
  int64_t number = count;
  ASP_ARCHIVE(archive, number);
  if (archive->error != ASP_OK || !archive->reading)
    return archive->error == ASP_OK ? count : 0;
  if (number < 0 || (uint64_t)number > (archive->size - archive->at) / size) {
    asp_archive_note(
        archive, asp_fail(archive->context, ASP_ERROR_INPUT, "the saved state is damaged at byte %zu", archive->at));
    return 0;
  }
  return (int)number;
}

void asp_archive_list(AspArchive *archive, void *array, size_t *capacity, int *count, size_t size) {
  int number = asp_archive_count(archive, *count, size);
  if (archive->reading)
    asp_archive_note(archive, asp_grow(archive->context, array, capacity, (size_t)number, size));
  if (archive->error != ASP_OK)
    return;
  void *first;
  memcpy(&first, array, sizeof first);
  asp_archive_bytes(archive, first, (size_t)number * size);
  *count = number;
}

void asp_archive_text(AspArchive *archive, char **text) {
  bool given = *text != NULL;
  ASP_ARCHIVE(archive, given);
  int length = asp_archive_count(archive, given && !archive->reading ? (int)strlen(*text) : 0, 1);
  if (archive->reading) {
    asp_release(archive->context, *text);
    *text = given ? asp_allocate(archive->context, (size_t)length + 1, 1) : NULL;
    if (given && !*text)
      asp_archive_note(archive, ASP_ERROR_MEMORY);
  }
  if (archive->error == ASP_OK && given)
    asp_archive_bytes(archive, *text, (size_t)length);
}
