/* The table of schemes: every row is complete, what is refused is said from it, and failures leave nothing behind. */
#include "failing_allocator.h"
#include "scheme/scheme.h"

#include "asperity/io.h"

#include <dirent.h>
#include <stdio.h>

static void every_scheme_has_a_way_to_step(void **state) {
  (void)state;
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++) {
    const AspSchemeType *type = asp_scheme_type(scheme);
    assert_non_null(type);
    assert_true((type->step != NULL) != (type->integrate != NULL));
    assert_true((type->formulate != NULL) != (type->not_one_problem != NULL));
    assert_int_equal(type->create != NULL, type->destroy != NULL);
    assert_true(type->late_solves > 0);
    assert_true(type->uses_projection || !type->projects);
    assert_non_null(asp_scheme_names[scheme]);
  }
  assert_null(asp_scheme_names[ASP_SCHEME_COUNT]);
  assert_false(asp_scheme_supports(-1, ASP_FEATURE_SOLVERS));
  assert_false(asp_scheme_supports(ASP_SCHEME_COUNT, ASP_FEATURE_SOLVERS));
}

/* Refused options name schemes: those accept them, the others do not. */
static void refuses_and_names(AspRunOptions options, const char *key) {
  AspContext *context = asp_context_create(NULL);
  char named[512] = "";
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++) {
    options.scheme = scheme;
    if (asp_run_validate(context, &options) == ASP_OK)
      continue;
    assert_non_null(strstr(asp_context_message(context), key));
    const char *list = strstr(asp_context_message(context), " use ");
    assert_non_null(list);
    snprintf(named, sizeof named, "%s", list);
  }
  assert_true(named[0] != '\0');
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++) {
    options.scheme = scheme;
    if (strstr(named, asp_scheme_names[scheme]))
      assert_int_equal(asp_run_validate(context, &options), ASP_OK);
  }
  asp_context_destroy(context);
}

static void refusals_name_the_schemes_that_accept(void **state) {
  (void)state;
  AspRunOptions options = asp_run_default_options();
  options.impact = ASP_IMPACT_POISSON;
  refuses_and_names(options, "impact: poisson is not possible with the scheme ");
  options = asp_run_default_options();
  options.cone = ASP_CONE_INSCRIBED;
  refuses_and_names(options, "friction.model: inscribed is not possible with the scheme ");
  options = asp_run_default_options();
  options.accuracy = 1e-3;
  refuses_and_names(options, "accuracy: steps of varying length is not possible with the scheme ");
}

/* A ball that lies on the floor and one that falls, with a hinge. */
static const char *const small_scene =
    "{\"materials\": [{\"pair\": [\"*\", \"*\"], \"friction\": 0.3}], \"bodies\": ["
    "{\"name\": \"ground\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\"}]},"
    "{\"name\": \"rests\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, 1], \"velocity\": [0.1, 0, 0],"
    " \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]},"
    "{\"name\": \"falls\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [5, 0, 1.0001],"
    " \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]},"
    "{\"name\": \"swings\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 5, 5]}],"
    "\"joints\": [{\"type\": \"revolute\", \"name\": \"hinge\", \"bodies\": [\"world\", \"swings\"],"
    " \"point\": [1, 5, 5], \"axis\": [0, 1, 0]}],"
    "\"run\": {\"dt\": 0.01, \"until\": 0.02}}";

/* Two steps, as far as memory reaches; true: it did. */
static bool runs(AspContext *context, const AspModel *model, const AspRunOptions *options) {
  AspWorld *world;
  AspStepInfo info;
  AspError error = asp_world_create(context, model, options, &world);
  for (int step = 0; step < 2 && error == ASP_OK; step++)
    error = asp_world_step(world, &info);
  assert_true(error == ASP_OK || error == ASP_ERROR_MEMORY);
  asp_world_destroy(world);
  return error == ASP_OK;
}

static void every_kth_allocation_failure_of_a_scheme_is_clean(void **state) {
  (void)state;
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++) {
    FailingAllocator failing;
    AspContext *context = failing_context(&failing);
    AspScene scene;
    assert_ok(context, asp_scene_parse(context, small_scene, strlen(small_scene), "text", &scene, NULL));
    scene.run.scheme = scheme;
    long before = failing.live;
    bool ran = false;
    for (long k = 0; !ran && k < 2000; k++) {
      failing.until_failure = k;
      ran = runs(context, scene.model, &scene.run);
      failing.until_failure = -1;
      assert_int_equal(failing.live, before);
    }
    assert_true(ran);
    asp_scene_destroy(context, &scene);
    asp_context_destroy(context);
  }
}

/* Outside of its layer a scheme is known by its type alone. */
static void no_file_of_the_world_asks_which_scheme_it_runs(void **state) {
  (void)state;
  DIR *folder = opendir(ASP_SOURCE_DIR "/src/world");
  assert_non_null(folder);
  int files = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    char path[1024], line[1024];
    snprintf(path, sizeof path, "%s/src/world/%s", ASP_SOURCE_DIR, entry->d_name);
    FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
    if (!file)
      continue;
    files++;
    while (fgets(line, sizeof line, file))
      if (strstr(line, "ASP_SCHEME_") || strstr(line, "scheme ==") || strstr(line, "scheme !="))
        fail_msg("%s: %s", path, line);
    fclose(file);
  }
  closedir(folder);
  assert_true(files > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_scheme_has_a_way_to_step),
      cmocka_unit_test(refusals_name_the_schemes_that_accept),
      cmocka_unit_test(no_file_of_the_world_asks_which_scheme_it_runs),
      cmocka_unit_test(every_kth_allocation_failure_of_a_scheme_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
