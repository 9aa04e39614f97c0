/* io: performance profiles, against values counted by hand. */
#include "asperity/io.h"
#include "testing.h"

#include <string.h>

#define PATH ASP_BINARY_DIR "/test_profile.svg"

static const char *const names[] = {"fast", "sure <&>"};
/* fast: 1, 1, fails, 3; sure: 2, 1, 5, 30; no method solves the fifth */
static const double times[] = {1, 1, NAN, 3, -1, 2, 1, 5, 30, INFINITY};
static const AspProfile profile = {.methods = 2, .problems = 5, .name = names, .time = times};

static void values_are_fractions_of_all_problems(void **state) {
  (void)state;
  assert_near(asp_profile_value(&profile, 0, 1), 3.0 / 5, 0);
  assert_near(asp_profile_value(&profile, 0, 1e9), 3.0 / 5, 0);
  assert_near(asp_profile_value(&profile, 1, 1), 2.0 / 5, 0); // the tie and the one that only it solves
  assert_near(asp_profile_value(&profile, 1, 1.99), 2.0 / 5, 0);
  assert_near(asp_profile_value(&profile, 1, 2), 3.0 / 5, 0);
  assert_near(asp_profile_value(&profile, 1, 10), 4.0 / 5, 0);
}

static void a_shift_brings_short_times_together(void **state) {
  (void)state;
  AspProfile shifted = profile;
  shifted.shift = 1; // 2 against 1 becomes 3 against 2
  assert_near(asp_profile_value(&shifted, 1, 1.5), 3.0 / 5, 0);
  assert_near(asp_profile_value(&shifted, 1, 1.49), 2.0 / 5, 0);
}

static void no_problems_and_no_methods_are_harmless(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspProfile empty = {.methods = 1, .name = names};
  assert_near(asp_profile_value(&empty, 0, 1), 0, 0);
  assert_ok(context, asp_profile_write_svg(context, PATH, "empty", &empty));
  empty.methods = 0;
  assert_ok(context, asp_profile_write_svg(context, PATH, "empty", &empty));
  asp_context_destroy(context);
}

static void keep_line(void *user, const char *line) {
  char *text = user;
  strcat(text, line);
  strcat(text, "\n");
}

static void table_has_a_line_per_method(void **state) {
  (void)state;
  char text[1024] = "";
  asp_profile_print(&profile, keep_line, text);
  assert_non_null(strstr(text, "fast                  3/5         0.600      0.600"));
  assert_non_null(strstr(text, "sure <&>              4/5         0.400      0.400      0.600"));
}

static void svg_is_well_formed_and_shows_every_method(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  assert_ok(context, asp_profile_write_svg(context, PATH, "times & ratios", &profile));
  FILE *file = fopen(PATH, "r");
  char text[16384];
  size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = '\0';
  fclose(file);
  assert_non_null(strstr(text, "times &amp; ratios"));
  assert_non_null(strstr(text, "sure &lt;&amp;&gt;"));
  int opened = 0, closed = 0, curves = 0;
  for (const char *at = text; (at = strchr(at, '<')); at++) {
    opened += at[1] != '/';
    curves += strncmp(at, "<path", 5) == 0;
  }
  for (const char *at = text; (at = strchr(at, '>')); at++)
    closed += at[-1] == '/';
  for (const char *at = text; (at = strstr(at, "</")); at++)
    closed++;
  assert_int_equal(opened, closed);
  assert_int_equal(curves, 2);
  assert_int_equal(asp_profile_write_svg(context, "no/such/folder/x.svg", "", &profile), ASP_ERROR_FILE);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  remove(PATH);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_fractions_of_all_problems),
      cmocka_unit_test(a_shift_brings_short_times_together),
      cmocka_unit_test(no_problems_and_no_methods_are_harmless),
      cmocka_unit_test(table_has_a_line_per_method),
      cmocka_unit_test(svg_is_well_formed_and_shows_every_method),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
