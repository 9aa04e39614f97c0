/* Options of an import among the settings of a run: "import.keyframe=home" and the like. They are kept with the other
 * settings of a run, so that it can be resumed. */
#include "io/import/scene_file.h"

#define PREFIX "import."

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static AspError read_option(AspContext *context, const char *text, AspImportSettings *parts) {
  const char *value = strchr(text, '=') ? strchr(text, '=') + 1 : "";
  if (begins(text, PREFIX "keyframe=")) {
    parts->options.keyframe = value;
  } else if (strcmp(text, PREFIX "base=fixed") == 0 || strcmp(text, PREFIX "base=floating") == 0) {
    parts->options.floating = strcmp(value, "floating") == 0;
  } else if (begins(text, PREFIX "package=") && strchr(value, '=')) {
    parts->package[parts->options.package_count++] = value;
  } else if (strcmp(text, PREFIX "anywhere=true") == 0 || strcmp(text, PREFIX "anywhere=false") == 0) {
    parts->options.anywhere = strcmp(value, "true") == 0;
  } else if (strcmp(text, PREFIX "hold=true") == 0 || strcmp(text, PREFIX "hold=false") == 0) {
    parts->options.hold = strcmp(value, "true") == 0;
  } else if (begins(text, PREFIX "control=") && strchr(value, '=')) {
    parts->control[parts->options.control_count++] = value;
  } else {
    return asp_fail(context, ASP_ERROR_INPUT,
                    "%s: use import.keyframe=NAME, import.base=fixed or floating, import.package=NAME=FOLDER, "
                    "import.anywhere=true, import.hold=true or import.control=INPUT=EXPRESSION",
                    text);
  }
  return ASP_OK;
}

AspError asp_import_settings(AspContext *context, const AspSettings *settings, AspImportSettings *parts) {
  int count = settings ? settings->count : 0, others = 0;
  *parts = (AspImportSettings){.options = asp_import_default_options()};
  parts->package = asp_allocate(context, (size_t)count + 1, sizeof *parts->package);
  parts->control = asp_allocate(context, (size_t)count + 1, sizeof *parts->control);
  parts->text = asp_allocate(context, (size_t)count + 1, sizeof *parts->text);
  if (!parts->package || !parts->control || !parts->text)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++)
    if (begins(settings->text[i], PREFIX))
      ASP_TRY(read_option(context, settings->text[i], parts));
    else
      parts->text[others++] = settings->text[i];
  parts->options.package = parts->package;
  parts->options.control = parts->control;
  parts->others = (AspSettings){.count = others, .text = parts->text};
  if (settings) {
    parts->others.probe_count = settings->probe_count;
    parts->others.probe = settings->probe;
  }
  return ASP_OK;
}

void asp_import_settings_free(AspContext *context, AspImportSettings *parts) {
  asp_release(context, parts->package);
  asp_release(context, parts->control);
  asp_release(context, parts->text);
}
