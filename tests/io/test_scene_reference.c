/* The published schemas and the tables of docs/reference/scene.md and study.md are what the tables of keys say. With
 * ASPERITY_UPDATE=1 in the environment this program writes them again instead of complaining. */
#define _POSIX_C_SOURCE 200809L
#include "asperity/study.h"
#include "io/study/keys.h"
#include "testing.h"

#define SCHEMA_PATH    ASP_SOURCE_DIR "/schema/scene.schema.json"
#define REFERENCE_PATH ASP_SOURCE_DIR "/docs/reference/scene.md"
#define STUDY_SCHEMA   ASP_SOURCE_DIR "/schema/study.schema.json"
#define STUDY_PAGE     ASP_SOURCE_DIR "/docs/reference/study.md"

static bool updating(void) {
  const char *update = getenv("ASPERITY_UPDATE");
  return update && strcmp(update, "1") == 0;
}

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return calloc(1, 1);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  size_t length = fread(text, 1, (1 << 20) - 1, file);
  assert_true(length < (1 << 20) - 1);
  fclose(file);
  return text;
}

/* Equal to the file's text; when updating, made so. */
static void assert_published(const char *path, const char *expected) {
  char *found = read_text(path);
  if (strcmp(found, expected) != 0) {
    if (!updating())
      fail_msg("%s is not up to date: run this test with ASPERITY_UPDATE=1", path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(expected, file) >= 0 && fclose(file) == 0, 1);
  }
  free(found);
}

static void the_published_schema_is_the_one_of_the_tables(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  char *schema = NULL;
  assert_ok(context, asp_scene_schema(context, &schema));
  assert_published(SCHEMA_PATH, schema);
  asp_text_destroy(context, schema);
  assert_ok(context, asp_study_schema(context, &schema));
  assert_published(STUDY_SCHEMA, schema);
  asp_text_destroy(context, schema);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

/* ---- reference page ---- */

static void print_choices(FILE *out, const SceneKey *key, uint32_t bits) {
  const char *gap = "";
  for (int i = 0; key->choices[i]; i++)
    if (bits == 0 || (bits >> i & 1)) {
      fprintf(out, "%s%s", gap, key->choices[i]);
      gap = ", ";
    }
}

static void print_range(FILE *out, const SceneRange *range) {
  if (range->low == 0 && range->high == 0)
    return;
  if (isfinite(range->high))
    fprintf(out, " in [%g, %g]", range->low, range->high);
  else
    fprintf(out, " %s %g", range->above ? ">" : ">=", range->low);
}

/* What may stand behind the key. */
static void print_value(FILE *out, const SceneKey *key) {
  const SceneTypeInfo *type = asp_scene_type(key->type);
  if (key->type == SCENE_CHOICE) {
    print_choices(out, key, 0);
    return;
  }
  bool in_3d = !key->not_3d, in_2d = !key->not_2d;
  if (in_3d)
    fputs(type->text[0], out);
  if (in_2d && (!in_3d || strcmp(type->text[0], type->text[1]) != 0))
    fprintf(out, "%s%s", in_3d ? "; 2D: " : "", type->text[1]);
  print_range(out, &key->range);
}

static void print_types(FILE *out, const char *what, const SceneObject *object, uint32_t bits) {
  fprintf(out, " %s ", what);
  print_choices(out, &object->keys[object->type_key], bits);
  fputs(".", out);
}

static void print_conditions(FILE *out, const SceneObject *object, const SceneKey *key) {
  if (key->not_2d || key->not_3d)
    fprintf(out, " %s scenes only.", key->not_2d ? "3D" : "2D");
  if (key->required)
    fputs(" **Required.**", out);
  if (key->only && key->only == key->needed) {
    print_types(out, "**Required** for and only for", object, key->only);
    return;
  }
  if (key->only)
    print_types(out, "Only for", object, key->only);
  if (key->needed)
    print_types(out, "**Required** for", object, key->needed);
}

static void print_default(FILE *out, const SceneKey *key) {
  char value[64];
  AspRunOptions options = asp_run_default_options();
  if (key->field) {
    asp_field_print(key->field, &options, value, sizeof value);
    fprintf(out, " Default: %s.", value);
  } else if (key->initial_text) {
    fprintf(out, " Default: %s.", key->initial_text);
  } else if (key->type == SCENE_INTEGER && key->initial >= key->range.low) {
    fprintf(out, " Default: %g.", key->initial);
  }
}

static void print_table(FILE *out, const SceneObject *object) {
  fputs("| key | value | unit | meaning |\n|---|---|---|---|\n", out);
  for (int i = 0; i < object->count; i++) {
    const SceneKey *key = &object->keys[i];
    fprintf(out, "| `%s`", key->key);
    if (asp_scene_key_has_degrees(key))
      fprintf(out, ", `%s_deg`", key->key);
    fputs(" | ", out);
    print_value(out, key);
    fprintf(out, " | %s | %s.", key->unit ? key->unit : "", key->text);
    print_conditions(out, object, key);
    print_default(out, key);
    fputs(" |\n", out);
  }
}

typedef struct Section {
  const SceneObject *object;
  bool seen;
} Section;

/* Every object of a scene, from the top down. */
static int collect(const SceneObject *object, Section *sections, int count) {
  for (int i = 0; i < count; i++)
    if (sections[i].object == object)
      return count;
  sections[count++].object = object;
  for (int i = 0; i < object->count; i++)
    if (object->keys[i].object)
      count = collect(object->keys[i].object, sections, count);
  return count;
}

/* The page with what stands between "<!-- keys of NAME -->" and "<!-- end -->" made again. */
static char *page_with_tables(const char *page, Section *sections, int count) {
  static const char begin[] = "<!-- keys of ", close[] = " -->\n", end[] = "<!-- end -->";
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  for (const char *mark = strstr(page, begin); mark; mark = strstr(page, begin)) {
    const char *name = mark + strlen(begin), *behind = strstr(name, close), *stop = strstr(name, end);
    assert_true(behind && stop && behind < stop);
    behind += strlen(close);
    fwrite(page, 1, (size_t)(behind - page), out);
    int found = -1;
    for (int i = 0; i < count; i++)
      if (strncmp(name, sections[i].object->name, strlen(sections[i].object->name)) == 0 &&
          strncmp(name + strlen(sections[i].object->name), close, strlen(close)) == 0)
        found = i;
    if (found < 0)
      fail_msg("a reference page: no object is called '%.20s'", name);
    sections[found].seen = true;
    print_table(out, sections[found].object);
    page = stop;
  }
  fputs(page, out);
  fclose(out);
  return text;
}

#define SECTIONS_MOST 64

static void the_reference_page_has_the_table_of_every_object(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  asp_arena_init(&arena, context);
  Section sections[SECTIONS_MOST] = {0};
  const SceneObject *run = asp_scene_run_object(&arena);
  assert_non_null(run);
  int count = collect(&asp_scene_top, sections, 0);
  count = collect(run, sections, count);
  count = collect(&asp_scene_orientation, sections, count);
  assert_true(count >= 12 && count < SECTIONS_MOST);
  char *page = read_text(REFERENCE_PATH), *expected = page_with_tables(page, sections, count);
  for (int i = 0; i < count; i++)
    if (!sections[i].seen)
      fail_msg("docs/reference/scene.md has no table of the keys of '%s'", sections[i].object->name);
  assert_published(REFERENCE_PATH, expected);
  free(page);
  free(expected);
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

static void the_page_of_studies_has_the_table_of_every_object(void **state) {
  (void)state;
  Section sections[SECTIONS_MOST] = {0};
  int count = collect(&asp_study_top, sections, 0);
  char *page = read_text(STUDY_PAGE), *expected = page_with_tables(page, sections, count);
  for (int i = 0; i < count; i++)
    if (!sections[i].seen)
      fail_msg("docs/reference/study.md has no table of the keys of '%s'", sections[i].object->name);
  assert_published(STUDY_PAGE, expected);
  free(page);
  free(expected);
}

static void every_row_of_the_tables_is_complete(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  asp_arena_init(&arena, context);
  Section sections[SECTIONS_MOST] = {0};
  int count = collect(&asp_scene_top, sections, 0);
  count = collect(asp_scene_run_object(&arena), sections, count);
  count = collect(&asp_study_top, sections, count);
  assert_true(count < SECTIONS_MOST);
  for (int s = 0; s < count; s++)
    for (int i = 0; i < sections[s].object->count; i++) {
      const SceneKey *key = &sections[s].object->keys[i];
      assert_non_null(key->key);
      assert_non_null(key->text);
      assert_true(strlen(key->text) > 3);
      for (int k = 0; k < i; k++)
        assert_string_not_equal(key->key, sections[s].object->keys[k].key);
    }
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_schema_is_the_one_of_the_tables),
      cmocka_unit_test(the_reference_page_has_the_table_of_every_object),
      cmocka_unit_test(the_page_of_studies_has_the_table_of_every_object),
      cmocka_unit_test(every_row_of_the_tables_is_complete),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
