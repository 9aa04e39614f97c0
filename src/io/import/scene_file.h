/* What the scene reader uses of the importers: a robot model read in place of a scene. Depends on the public header. */
#ifndef ASP_IO_IMPORT_SCENE_FILE_H
#define ASP_IO_IMPORT_SCENE_FILE_H

#include "asperity/io.h"
#include "base/base.h"

/* Settings of a run apart: those that begin with "import." as options, all others. */
typedef struct AspImportSettings {
  AspImportOptions options;
  AspSettings others;
  const char **package, **control, **text; /* of the lists in them */
} AspImportSettings;
AspError asp_import_settings(AspContext *context, const AspSettings *settings, AspImportSettings *parts);
void asp_import_settings_free(AspContext *context, AspImportSettings *parts);

/* The file is called or begins like XML: it is a model, no scene. */
bool asp_import_recognise(const char *path, const char *text, size_t length);
/* What was ignored as a warning, what was approximated as a note: a line each, behind those that are there. */
AspError asp_import_tell(AspContext *context, const char *path, const AspImportReport *report, AspMistakes *warnings,
                         AspMistakes *notes);

#endif
