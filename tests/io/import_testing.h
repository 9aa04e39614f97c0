/* Robot models in tests: read as scenes, written by the test, refused with a message. */
#ifndef ASP_TESTS_IO_IMPORT_TESTING_H
#define ASP_TESTS_IO_IMPORT_TESTING_H

#include "io/scene_testing.h"

#include <stdio.h>
#include <unistd.h>

/* With one setting, such as "import.base=floating"; NULL: none. */
static inline TestScene test_import(const char *path, const char *set) {
  TestScene test = {.context = asp_context_create(NULL)};
  const AspSettings settings = {.count = set != NULL, .text = &set};
  if (asp_scene_read_set(test.context, path, &settings, &test.scene, NULL) != ASP_OK ||
      asp_world_create(test.context, test.scene.model, &test.scene.run, &test.world) != ASP_OK)
    fail_msg("%s", asp_context_message(test.context));
  return test;
}

/* The text, with ' as ", in a file of this test's own. */
static inline void test_import_write(const char *text, char *path, size_t size) {
  snprintf(path, size, "%s/tests/import_%ld.xml", ASP_BINARY_DIR, (long)getpid());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  char *copy = test_scene_text(text);
  fputs(copy, file);
  free(copy);
  assert_int_equal(fclose(file), 0);
}

/* The text as a scene, with one setting; NULL: none. */
static inline TestScene test_import_text(const char *text, const char *set) {
  char path[512];
  test_import_write(text, path, sizeof path);
  TestScene test = test_import(path, set);
  remove(path);
  return test;
}

/* The same, run to a time. */
static inline TestScene test_import_run(const char *text, const char *set, double until) {
  TestScene test = test_import_text(text, set);
  test.scene.run.until = until;
  test_scene_run(&test);
  return test;
}

static inline const AspJointDef *test_joint_def(const TestScene *test, const char *name) {
  return asp_model_joint_def(test->scene.model, asp_model_find_joint(test->scene.model, name));
}

/* The text becomes a scene that has this piece of JSON. */
static inline void assert_import_gives(const char *text, const char *piece) {
  AspContext *context = asp_context_create(NULL);
  char path[512], *scene = NULL;
  test_import_write(text, path, sizeof path);
  AspImportReport report;
  if (asp_import_read(context, path, NULL, &scene, &report) != ASP_OK)
    fail_msg("%s", asp_context_message(context));
  if (!strstr(scene, piece))
    fail_msg("no '%s' in %s", piece, scene);
  asp_text_destroy(context, scene);
  asp_import_report_destroy(context, &report);
  asp_context_destroy(context);
  remove(path);
}

static inline void assert_import_refused(const char *text, const char *fragment) {
  AspContext *context = asp_context_create(NULL);
  char path[512], *scene = NULL;
  test_import_write(text, path, sizeof path);
  AspImportReport report;
  assert_int_equal(asp_import_read(context, path, NULL, &scene, &report), ASP_ERROR_INPUT);
  const char *message = asp_context_message(context);
  if (!strstr(message, fragment) || strncmp(message, path, strlen(path)) != 0)
    fail_msg("'%s' does not say '%s'", message, fragment);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
  remove(path);
}

static inline int test_report_count(const AspImportReport *report, AspImportKind kind, const char *what) {
  int count = 0;
  for (int i = 0; i < report->count; i++)
    if (report->entry[i].kind == kind && strcmp(report->entry[i].what, what) == 0)
      count += report->entry[i].count;
  return count;
}

static inline void assert_point(AspVec3 found, double x, double y, double z, double tolerance) {
  assert_near(found.x, x, tolerance);
  assert_near(found.y, y, tolerance);
  assert_near(found.z, z, tolerance);
}

#endif
