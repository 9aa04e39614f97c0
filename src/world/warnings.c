/* Warnings of a run (warnings.h). */
#include "world/warnings.h"

#include <stdarg.h>
#include <stdio.h>

AspError asp_warnings_add(Warnings *warnings, const char *text) {
  int length = (int)strlen(text) + 1;
  ASP_TRY(ASP_GROW(warnings->context, warnings->start, warnings->start_capacity, warnings->count + 1));
  ASP_TRY(ASP_GROW(warnings->context, warnings->text, warnings->text_capacity, warnings->text_count + length));
  memcpy(warnings->text + warnings->text_count, text, (size_t)length);
  warnings->start[warnings->count++] = warnings->text_count;
  warnings->text_count += length;
  return ASP_OK;
}

static AspError give(Warnings *warnings, const char *format, va_list arguments, const char *end) {
  char text[512];
  if (warnings->muted)
    return ASP_OK;
  int length = vsnprintf(text, sizeof text, format, arguments);
  if (end && length >= 0 && (size_t)length < sizeof text)
    snprintf(text + length, sizeof text - (size_t)length, "%s", end);
  ASP_TRY(asp_warnings_add(warnings, text));
  asp_log(warnings->context, ASP_LOG_WARNING, "%s", text);
  return ASP_OK;
}

AspError asp_warn(Warnings *warnings, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  AspError error = give(warnings, format, arguments, NULL);
  va_end(arguments);
  return error;
}

/* Its place among those given, or where it would be. */
static int place_of(const Warnings *warnings, WarningKey key, int64_t index) {
  int low = 0, high = warnings->given_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const WarningCount *it = &warnings->given[middle];
    if (it->key < key || (it->key == key && it->index < index))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_at(const Warnings *warnings, int place, WarningKey key, int64_t index) {
  return place < warnings->given_count && warnings->given[place].key == key && warnings->given[place].index == index;
}

int asp_warnings_given(const Warnings *warnings, WarningKey key, int64_t index) {
  int place = place_of(warnings, key, index);
  return is_at(warnings, place, key, index) ? warnings->given[place].count : 0;
}

AspError asp_warnings_note(Warnings *warnings, WarningKey key, int64_t index) {
  int place = place_of(warnings, key, index);
  if (warnings->muted)
    return ASP_OK;
  if (is_at(warnings, place, key, index)) {
    warnings->given[place].count++;
    return ASP_OK;
  }
  ASP_TRY(ASP_GROW(warnings->context, warnings->given, warnings->given_capacity, warnings->given_count + 1));
  for (int i = warnings->given_count++; i > place; i--)
    warnings->given[i] = warnings->given[i - 1];
  warnings->given[place] = (WarningCount){key, index, 1};
  return ASP_OK;
}

AspError asp_warn_few(Warnings *warnings, WarningKey key, int64_t index, int most, const char *end, const char *format,
                      ...) {
  int given = asp_warnings_given(warnings, key, index);
  if (given >= most)
    return ASP_OK;
  ASP_TRY(asp_warnings_note(warnings, key, index));
  va_list arguments;
  va_start(arguments, format);
  AspError error = give(warnings, format, arguments, given + 1 == most ? end : NULL);
  va_end(arguments);
  return error;
}

void asp_warnings_destroy(Warnings *warnings) {
  asp_release(warnings->context, warnings->text);
  asp_release(warnings->context, warnings->start);
  asp_release(warnings->context, warnings->given);
}

AspError asp_warnings_archive(Warnings *warnings, AspArchive *archive) {
  ASP_ARCHIVE_LIST(archive, warnings->text, warnings->text_capacity, warnings->text_count);
  ASP_ARCHIVE_LIST(archive, warnings->start, warnings->start_capacity, warnings->count);
  ASP_ARCHIVE_LIST(archive, warnings->given, warnings->given_capacity, warnings->given_count);
  return archive->error;
}
