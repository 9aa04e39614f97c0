/* What every cmocka test program includes: cmocka with its prerequisites, and comparisons that print both numbers. */
#ifndef ASP_TESTING_H
#define ASP_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"

/* |actual - expected| <= tolerance; NaN fails */
#define assert_near(actual, expected, tolerance)                                                                       \
  do {                                                                                                                 \
    double near_a_ = (actual), near_e_ = (expected), near_t_ = (tolerance);                                            \
    if (!(fabs(near_a_ - near_e_) <= near_t_))                                                                         \
      fail_msg("%s = %.17g, expected %.17g +- %g", #actual, near_a_, near_e_, near_t_);                                \
  } while (0)

/* value <= bound; NaN fails */
#define assert_at_most(value, bound)                                                                                   \
  do {                                                                                                                 \
    double most_v_ = (value), most_b_ = (bound);                                                                       \
    if (!(most_v_ <= most_b_))                                                                                         \
      fail_msg("%s = %.17g, expected at most %g", #value, most_v_, most_b_);                                           \
  } while (0)

/* an AspError that must be ASP_OK; prints the context's message */
#define assert_ok(context, expression)                                                                                 \
  do {                                                                                                                 \
    AspError ok_e_ = (expression);                                                                                     \
    if (ok_e_ != ASP_OK)                                                                                               \
      fail_msg("%s: %s: %s", #expression, asp_error_name(ok_e_), asp_context_message(context));                        \
  } while (0)

#endif
