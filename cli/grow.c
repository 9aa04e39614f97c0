/* Arrays that grow: see grow.h. */
#include "grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 32 /* elements at first */

bool grow(void *array, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity)
    return true;
  size_t wanted = *capacity > SIZE_MAX / 2 ? needed : 2 * *capacity;
  wanted = wanted < needed ? needed : wanted;
  wanted = wanted < SMALLEST ? SMALLEST : wanted;
  void *block; // copied as bytes: the caller's pointer has a type of its own
  memcpy(&block, array, sizeof block);
  void *larger = wanted > SIZE_MAX / size ? NULL : realloc(block, wanted * size);
  if (!larger)
    return false;
  memcpy(array, &larger, sizeof larger);
  *capacity = wanted;
  return true;
}
