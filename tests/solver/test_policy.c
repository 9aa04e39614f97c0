/* The ladders of stages: docs/decisions/auto.md prints what the tables say, and the walk obeys its conditions. With
 * ASPERITY_UPDATE=1 in the environment this program writes the page's tables again instead of complaining. */
#define _POSIX_C_SOURCE 200809L
#include "solver/policy.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#define PAGE  ASP_SOURCE_DIR "/docs/decisions/auto.md"
#define BEGIN "<!-- ladders: made by tests/solver/test_policy.c -->\n"
#define END   "<!-- end of the ladders -->\n"

static char *read_page(void) {
  FILE *file = fopen(PAGE, "rb");
  char *text = calloc(1, 1 << 18);
  assert_true(file && text);
  assert_true(fread(text, 1, (1 << 18) - 1, file) < (1 << 18) - 1);
  fclose(file);
  return text;
}

/* All ladders, as the page should have them. */
static char *print_ladders(void) {
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  for (int k = 0; k < ASP_LADDER_COUNT; k++) {
    fputs("\n", out);
    asp_ladder_print(out, asp_ladder((AspLadderKind)k));
  }
  fputs("\n", out);
  fclose(out);
  return text;
}

static void the_page_prints_the_ladders_of_the_tables(void **state) {
  (void)state;
  const char *update = getenv("ASPERITY_UPDATE");
  char *page = read_page(), *expected = print_ladders();
  char *begin = strstr(page, BEGIN), *end = strstr(page, END);
  assert_true(begin && end);
  begin += strlen(BEGIN);
  if ((size_t)(end - begin) != strlen(expected) || strncmp(begin, expected, strlen(expected)) != 0) {
    if (!update || strcmp(update, "1") != 0)
      fail_msg("%s is not up to date: run this test with ASPERITY_UPDATE=1", PAGE);
    FILE *file = fopen(PAGE, "wb");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(begin - page), page, expected, end);
    assert_int_equal(fclose(file), 0);
  }
  free(page);
  free(expected);
}

typedef struct Walker {
  unsigned held;       /* conditions that hold */
  int over_after, ran; /* stages until it is over; those that ran */
  int kind[8];
} Walker;

static bool is_over(const void *walker) {
  return ((const Walker *)walker)->ran >= ((const Walker *)walker)->over_after;
}

static bool holds(const void *walker, unsigned condition) { return ((const Walker *)walker)->held & condition; }

static AspError run(void *walker, const AspStage *stage) {
  Walker *it = walker;
  it->kind[it->ran++] = stage->kind;
  return ASP_OK;
}

static const AspLadderActs acts = {is_over, holds, run};
static const AspStage stages[] = {
    {.kind = ASP_METHOD_NSGS, .when = ASP_WHEN_START | ASP_WHEN_NEAR},
    {.kind = ASP_METHOD_IPM, .ends = ASP_WHEN_ROUNDED},
    {.kind = ASP_METHOD_NEWTON, .when = ASP_WHEN_SMALL},
    {.kind = ASP_METHOD_ADMM},
};
static const AspLadder ladder = {"a ladder", stages, 4};

static void a_stage_runs_where_all_its_conditions_hold(void **state) {
  (void)state;
  Walker walker = {.held = ASP_WHEN_START | ASP_WHEN_SMALL, .over_after = 8};
  assert_int_equal(asp_ladder_walk(&ladder, &acts, &walker, false), ASP_OK);
  assert_int_equal(walker.ran, 3);
  assert_int_equal(walker.kind[0], ASP_METHOD_IPM);
  assert_int_equal(walker.kind[1], ASP_METHOD_NEWTON);
  assert_int_equal(walker.kind[2], ASP_METHOD_ADMM);
}

static void the_walk_ends_where_it_is_over_or_a_stage_says_so(void **state) {
  (void)state;
  Walker early = {.over_after = 1}, rounded = {.held = ASP_WHEN_ROUNDED, .over_after = 8};
  assert_int_equal(asp_ladder_walk(&ladder, &acts, &early, false), ASP_OK);
  assert_int_equal(early.ran, 1);
  assert_int_equal(asp_ladder_walk(&ladder, &acts, &rounded, false), ASP_OK);
  assert_int_equal(rounded.ran, 1);
}

static void a_walk_that_has_begun_may_be_over_at_once(void **state) {
  (void)state;
  Walker walker = {.over_after = 0};
  assert_int_equal(asp_ladder_walk(&ladder, &acts, &walker, true), ASP_OK);
  assert_int_equal(walker.ran, 0);
  assert_int_equal(asp_ladder_walk(&ladder, &acts, &walker, false), ASP_OK);
  assert_int_equal(walker.ran, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_page_prints_the_ladders_of_the_tables),
      cmocka_unit_test(a_stage_runs_where_all_its_conditions_hold),
      cmocka_unit_test(the_walk_ends_where_it_is_over_or_a_stage_says_so),
      cmocka_unit_test(a_walk_that_has_begun_may_be_over_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
