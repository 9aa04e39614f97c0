/* One context for all tests of a program, in their *state, with a check at the end that nothing is still allocated:
 * cmocka_run_group_tests(tests, make_context, free_context). */
#ifndef ASP_CONTEXT_IN_STATE_H
#define ASP_CONTEXT_IN_STATE_H

#include "testing.h"

static int make_context(void **state) {
  *state = asp_context_create(NULL);
  return *state ? 0 : -1;
}

static int free_context(void **state) {
  size_t leaked = asp_context_memory_in_use(*state);
  asp_context_destroy(*state);
  return leaked == 0 ? 0 : -1;
}

#endif
