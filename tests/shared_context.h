/* One context for all tests of a program, with a check at the end that nothing is still allocated:
 * cmocka_run_group_tests(tests, open_context, close_context). */
#ifndef ASP_SHARED_CONTEXT_H
#define ASP_SHARED_CONTEXT_H

#include "testing.h"

static AspContext *context;

static int open_context(void **state) {
  (void)state;
  context = asp_context_create(NULL);
  return context ? 0 : -1;
}

static int close_context(void **state) {
  (void)state;
  size_t leaked = asp_context_memory_in_use(context);
  asp_context_destroy(context);
  return leaked == 0 ? 0 : -1;
}

#endif
