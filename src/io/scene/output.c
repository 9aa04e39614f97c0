/* Which bodies' motion results keep: `output_bodies` of the scene, or the setting "output.bodies=a,b*" in its place.
 * Fixed and kinematic bodies are always kept: they are few, and pictures need them. */
#include "io/scene/build.h"
#include "io/scene/parameters.h"

/* "ball" or "ball*" */
static bool fits(const char *name, const char *pattern, size_t length) {
  if (length && pattern[length - 1] == '*')
    return strncmp(name, pattern, length - 1) == 0;
  return strlen(name) == length && strncmp(name, pattern, length) == 0;
}

/* Mark the bodies that fit; that none does is noted. */
static void mark(SceneBuild *build, bool *recorded, const char *pattern, size_t length) {
  SceneReader *reader = &build->reader;
  int bodies = asp_model_body_count(build->model), found = 0;
  for (int body = 0; body < bodies; body++)
    if (fits(asp_model_body_name(build->model, body), pattern, length)) {
      recorded[body] = true;
      found++;
    }
  const char *name = asp_reader_text(reader, "%.*s", (int)length, pattern);
  if (found == 0)
    asp_reader_mistake(reader, asp_scene_top.keys[TOP_OUTPUT_BODIES].key, "no body is called %s%s",
                       asp_reader_quote(reader, name),
                       asp_reader_suggestion(reader, name, build->bodies.name, build->bodies.count));
}

static const char *find_setting(const AspSettings *settings) {
  for (int i = 0; settings && i < settings->count; i++)
    if (strncmp(settings->text[i], SCENE_OUTPUT_SETTING, strlen(SCENE_OUTPUT_SETTING)) == 0)
      return settings->text[i] + strlen(SCENE_OUTPUT_SETTING);
  return NULL;
}

bool *asp_scene_read_recorded(SceneBuild *build, const SceneValue *names) {
  SceneReader *reader = &build->reader;
  const char *setting = find_setting(build->settings);
  int bodies = asp_model_body_count(build->model);
  if (!setting && !names->node)
    return NULL;
  bool *recorded = asp_allocate(reader->context, (size_t)bodies + 1, sizeof *recorded);
  if (!asp_reader_accept(reader, NULL, recorded ? ASP_OK : ASP_ERROR_MEMORY))
    return NULL;
  for (int body = 0; body < bodies; body++)
    recorded[body] = asp_model_body_kind(build->model, body) != ASP_BODY_DYNAMIC;
  const cJSON *item = NULL;
  if (!setting)
    cJSON_ArrayForEach(item, names->node) mark(build, recorded, item->valuestring, strlen(item->valuestring));
  while (setting) {
    const char *comma = strchr(setting, ',');
    mark(build, recorded, setting, comma ? (size_t)(comma - setting) : strlen(setting));
    setting = comma ? comma + 1 : NULL;
  }
  return recorded;
}
