/* base: context, arena, hash, options. */
#include "asperity/options.h"
#include "testing.h"

static void failure_message_is_kept_and_prefixed(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  assert_int_equal(asp_fail(context, ASP_ERROR_INPUT, "mass: %g is not > 0", -1.0), ASP_ERROR_INPUT);
  asp_fail_prefix(context, "scene.json: ");
  assert_string_equal(asp_context_message(context), "scene.json: mass: -1 is not > 0");
  asp_context_destroy(context);
}

static void arena_allocates_nothing_after_the_first_equal_round(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  asp_arena_init(&arena, context);
  uint64_t calls = 0;
  for (int round = 0; round < 5; round++) {
    asp_arena_reset(&arena);
    if (round == 2)
      calls = asp_context_allocation_count(context);
    for (int i = 0; i < 100; i++) {
      double *block = ASP_TAKE(&arena, double, 1 + 37 * i);
      assert_non_null(block);
      assert_int_equal((uintptr_t)block % 64, 0);
      assert_true(block[0] == 0 && block[37 * i] == 0);
      block[37 * i] = block[0] = 1;
    }
  }
  assert_int_equal(asp_context_allocation_count(context), calls);
  asp_arena_free(&arena);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

static void rewinding_the_arena_gives_the_same_memory_again(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  asp_arena_init(&arena, context);
  assert_ok(context, asp_arena_reserve(&arena, 1 << 16));
  AspArenaMark mark = asp_arena_mark(&arena);
  void *first = asp_arena_take(&arena, 100, 8);
  asp_arena_rewind(&arena, mark);
  assert_ptr_equal(asp_arena_take(&arena, 100, 8), first);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void absurd_sizes_are_refused_not_wrapped(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  assert_null(asp_allocate(context, SIZE_MAX / 4, 8));
  AspArena arena;
  asp_arena_init(&arena, context);
  assert_null(asp_arena_take(&arena, SIZE_MAX / 2, 8));
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

typedef struct Options {
  double step;
  int count;
  bool on;
  int kind;
} Options;

static const char *const kinds[] = {"first", "second", NULL};
static const AspField fields[] = {
    {"step", "step", ASP_FIELD_REAL, offsetof(Options, step), 0.5, 1e-9, 10, NULL, "s", "step"},
    {"count", NULL, ASP_FIELD_INTEGER, offsetof(Options, count), 4, 3, 8, NULL, "", "count"},
    {"on", NULL, ASP_FIELD_FLAG, offsetof(Options, on), 1, 0, 1, NULL, "", "on"},
    {"kind", NULL, ASP_FIELD_CHOICE, offsetof(Options, kind), 1, 0, 1, kinds, "", "kind"},
};

static void options_take_what_is_in_range_and_name_what_is_not(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  Options options;
  asp_fields_set_defaults(fields, 4, &options);
  assert_true(options.step == 0.5 && options.count == 4 && options.on && options.kind == 1);
  assert_ok(context, asp_field_set_text(context, &fields[3], &options, "first"));
  assert_int_equal(options.kind, 0);
  assert_int_equal(asp_field_set_text(context, &fields[3], &options, "third"), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(context), "kind: 'third' is not one of first, second");
  assert_int_equal(asp_field_set_text(context, &fields[0], &options, "nan"), ASP_ERROR_INPUT);
  assert_int_equal(asp_field_set_text(context, &fields[0], &options, "0.1s"), ASP_ERROR_INPUT);
  assert_int_equal(asp_field_set_number(context, &fields[1], &options, 4.5), ASP_ERROR_INPUT);
  options.count = 9;
  assert_int_equal(asp_fields_validate(context, fields, 4, &options), ASP_ERROR_INPUT);
  assert_string_equal(asp_context_message(context), "count: 9 is outside [3, 8]");
  asp_context_destroy(context);
}

static void hash_is_fnv1a(void **state) {
  (void)state;
  assert_int_equal(asp_hash_bytes(ASP_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c)); // published test vector
}

static void version_of_headers_and_library_agree(void **state) {
  (void)state;
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", ASP_VERSION_MAJOR, ASP_VERSION_MINOR, ASP_VERSION_PATCH);
  assert_string_equal(asp_version(), text);
  assert_true(asp_version_fits(ASP_VERSION_NUMBER));
  assert_true(asp_version_fits(ASP_VERSION_NUMBER + 1)); // a patch breaks nothing
  assert_false(asp_version_fits(ASP_VERSION_NUMBER + 100));
  assert_false(asp_version_fits(ASP_VERSION_NUMBER + 10000));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_of_headers_and_library_agree),
      cmocka_unit_test(failure_message_is_kept_and_prefixed),
      cmocka_unit_test(arena_allocates_nothing_after_the_first_equal_round),
      cmocka_unit_test(rewinding_the_arena_gives_the_same_memory_again),
      cmocka_unit_test(absurd_sizes_are_refused_not_wrapped),
      cmocka_unit_test(options_take_what_is_in_range_and_name_what_is_not),
      cmocka_unit_test(hash_is_fnv1a),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
