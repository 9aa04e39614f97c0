/* Robot models: from the file to the text of a scene. The root element sets the format; each format is a reader of its
 * own that fills a robot (robot.h). */
#include "io/import/scene_file.h"

#include "io/file/json.h"
#include "io/file/text_file.h"
#include "io/import/robot.h"

#include <stdio.h>

#define COOKIE UINT32_C(0x1a905701)

typedef struct Format {
  const char *root; /* name of the root element */
  void (*read)(Import *import, XmlNode *root, Robot *robot);
} Format;

static const Format formats[] = {{"robot", asp_import_urdf},
                                 {"mujoco", asp_import_mjcf},
                                 {"sdf", asp_import_sdf},
                                 {"gazebo", asp_import_sdf}}; // SDFormat up to 1.2
#define FORMAT_COUNT ((int)(sizeof formats / sizeof *formats))

AspImportOptions asp_import_default_options(void) { return (AspImportOptions){.cookie = COOKIE}; }

/* The folder of a path, with its last '/'. */
static const char *folder_of(Import *import, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? asp_import_text(import, "%.*s", (int)(slash - path + 1), path) : "";
}

static const Format *find_format(Import *import, const XmlNode *root) {
  for (int i = 0; root && i < FORMAT_COUNT; i++)
    if (strcmp(root->name, formats[i].root) == 0)
      return &formats[i];
  asp_import_fail(import, root,
                  "the root element is <%s>; a robot model begins with <mujoco> (MJCF), <robot> (URDF) or <sdf>",
                  root->name);
  return NULL;
}

static void translate(Import *import, XmlNode *root, char **text) {
  Robot robot = {.import = import, .scene = cJSON_CreateObject(), .sums = cJSON_CreateArray(), .name = ""};
  const Format *format = find_format(import, root);
  if (!robot.scene || !robot.sums)
    import->error = ASP_ERROR_MEMORY;
  if (format && import->error == ASP_OK)
    format->read(import, root, &robot);
  cJSON *scene = import->error == ASP_OK ? asp_robot_scene(&robot) : NULL;
  if (import->error == ASP_OK)
    asp_import_sweep(import, root);
  if (scene && import->error == ASP_OK)
    import->error = asp_json_has_gap(scene) ? asp_fail(import->context, ASP_ERROR_MEMORY, "out of memory")
                                            : asp_json_print(import->context, scene, text);
  cJSON_Delete(scene);
  asp_robot_free(&robot);
}

/* The text of a model to that of a scene. */
static AspError translate_text(AspContext *context, const char *path, const AspImportOptions *options, const char *text,
                               size_t length, AspImportReport *report, char **scene) {
  Import import = {.context = context, .path = path, .options = options, .report = report};
  asp_arena_init(&import.arena, context);
  import.folder = folder_of(&import, path);
  XmlNode *root = NULL;
  if (import.error == ASP_OK)
    import.error = asp_xml_parse(&import.arena, text, length, path, &root);
  if (import.error == ASP_OK)
    translate(&import, root, scene);
  if (import.error != ASP_OK && *import.message)
    asp_fail(context, import.error, "%s", import.message);
  asp_arena_free(&import.arena);
  return import.error;
}

AspError asp_import_read(AspContext *context, const char *path, const AspImportOptions *options, char **scene,
                         AspImportReport *report) {
  AspImportOptions standard = asp_import_default_options();
  AspImportReport own = {0};
  char *text = NULL;
  size_t length = 0;
  *scene = NULL;
  if (report)
    *report = (AspImportReport){0};
  if (options && options->cookie != COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "options of an import come from asp_import_default_options");
  ASP_TRY(asp_text_file_read(context, path, &text, &length));
  AspError error =
      translate_text(context, path, options ? options : &standard, text, length, report ? report : &own, scene);
  asp_release(context, text);
  asp_import_report_destroy(context, &own);
  if (error != ASP_OK)
    asp_import_report_destroy(context, report);
  return error;
}

/* ---- a model in place of a scene ---- */

bool asp_import_recognise(const char *path, const char *text, size_t length) {
  static const char *const endings[] = {".xml", ".urdf", ".sdf", ".mjcf", ".world"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
    if (strcmp(dot, endings[i]) == 0)
      return true;
  size_t i = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  while (i < length && strchr(" \t\r\n", text[i]) && text[i])
    i++;
  return i < length && text[i] == '<';
}

static AspError add_line(AspContext *context, AspMistakes *lines, const char *text) {
  char **longer = asp_allocate(context, (size_t)lines->count + 1, sizeof *longer), *copy = asp_copy_text(context, text);
  if (!longer || !copy) {
    asp_release(context, longer);
    asp_release(context, copy);
    return ASP_ERROR_MEMORY;
  }
  for (int i = 0; i < lines->count; i++)
    longer[i] = lines->line[i];
  longer[lines->count] = copy;
  asp_release(context, lines->line);
  lines->line = longer;
  lines->count++;
  return ASP_OK;
}

/* Is this the first entry of its kind for that element? *count: of all of them. */
static bool is_first(const AspImportReport *report, int place, int *count) {
  const AspImportEntry *entry = report->entry;
  *count = 0;
  for (int i = 0; i < report->count; i++)
    if (entry[i].kind == entry[place].kind && strcmp(entry[i].what, entry[place].what) == 0) {
      if (i < place)
        return false;
      *count += entry[i].count;
    }
  return true;
}

AspError asp_import_tell(AspContext *context, const char *path, const AspImportReport *report, AspMistakes *warnings,
                         AspMistakes *notes) {
  static const AspImportKind told[] = {ASP_IMPORT_IGNORED, ASP_IMPORT_APPROXIMATED};
  for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
    char line[1024], end[] = "; asperity import lists them";
    int room = (int)(sizeof line - sizeof end), count;
    int used = snprintf(line, (size_t)room, "%.400s: %s:", path, asp_import_kind_name(told[k])), begin = used;
    for (int i = 0; i < report->count && used < room; i++)
      if (report->entry[i].kind == told[k] && is_first(report, i, &count))
        used += snprintf(line + used, (size_t)(room - used), "%s %.60s (%d)", used == begin ? "" : ",",
                         report->entry[i].what, count);
    if (used == begin)
      continue;
    memcpy(line + (used < room ? used : room - 1), end, sizeof end);
    ASP_TRY(add_line(context, k == 0 ? warnings : notes, line));
  }
  return ASP_OK;
}
