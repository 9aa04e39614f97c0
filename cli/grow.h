/* Arrays that grow: the one place that doubles them. */
#ifndef CLI_GROW_H
#define CLI_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Room for `needed` elements of so many bytes, doubling *capacity. `array` is the address of the pointer to the first
 * element, which may be NULL. False: out of memory, and everything is as before. */
bool grow(void *array, size_t *capacity, size_t needed, size_t size);

#endif
