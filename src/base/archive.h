/* Archive: what a thing remembers, written into a buffer or read back from it, bit for bit. Every memory has one
 * function that lists its fields to an archive, for both directions:
 *
 *   ASP_ARCHIVE(archive, memory->steps);
 *   ASP_ARCHIVE_LIST(archive, memory->value, memory->capacity, memory->count);
 *
 * Failures are latched: the first one stays in archive->error, and nothing is read after it. Bytes as they lie in
 * memory: for the same build of the library. Depends on base. */
#ifndef ASP_BASE_ARCHIVE_H
#define ASP_BASE_ARCHIVE_H

#include "base/base.h"

typedef struct AspArchive {
  AspContext *context;
  bool reading;
  bool rewinds;         /* back to an earlier step of the same memory: lists that only grow are kept as their length */
  unsigned char *bytes; /* written or read; writing: may be NULL */
  size_t size;          /* room, or bytes to be read */
  size_t at;            /* bytes so far; writing: also those that found no room */
  AspError error;
} AspArchive;

void asp_archive_bytes(AspArchive *archive, void *bytes, size_t size);
/* The number of elements; what a damaged archive says is bounded by its own length. */
int asp_archive_count(AspArchive *archive, int count, size_t size);
/* `count` elements of an array that grows to hold them. */
void asp_archive_list(AspArchive *archive, void *array, size_t *capacity, int *count, size_t size);
/* A text that the context's memory holds; NULL is kept apart from "". */
void asp_archive_text(AspArchive *archive, char **text);
/* Keep the first failure. */
void asp_archive_note(AspArchive *archive, AspError error);

/* Bytes between the fields of a struct are made zero, where the compiler can: equal memories give equal bytes. */
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
#define ASP_CLEAR_PADDING(pointer) __builtin_clear_padding(pointer)
#endif
#endif
#ifndef ASP_CLEAR_PADDING
#define ASP_CLEAR_PADDING(pointer) ((void)(pointer))
#endif

#define ASP_ARCHIVE(archive, field) (ASP_CLEAR_PADDING(&(field)), asp_archive_bytes((archive), &(field), sizeof(field)))
/* An array whose length both sides know. */
#define ASP_ARCHIVE_ARRAY(archive, array, count)                                                                       \
  do {                                                                                                                 \
    for (size_t element_ = 0; !(archive)->reading && element_ < (size_t)(count); element_++)                           \
      ASP_CLEAR_PADDING(&(array)[element_]);                                                                           \
    asp_archive_bytes((archive), (array), (size_t)(count) * sizeof *(array));                                          \
  } while (0)
#define ASP_ARCHIVE_LIST(archive, array, capacity, count)                                                              \
  do {                                                                                                                 \
    for (int element_ = 0; !(archive)->reading && element_ < (count); element_++)                                      \
      ASP_CLEAR_PADDING(&(array)[element_]);                                                                           \
    asp_archive_list((archive), &(array), &(capacity), &(count), sizeof *(array));                                     \
  } while (0)

/* A list that only grows, and whose elements stay as they are. */
#define ASP_ARCHIVE_GROWING(archive, array, capacity, count)                                                           \
  do {                                                                                                                 \
    if ((archive)->rewinds)                                                                                            \
      ASP_ARCHIVE(archive, count);                                                                                     \
    else                                                                                                               \
      ASP_ARCHIVE_LIST(archive, array, capacity, count);                                                               \
  } while (0)

#endif
