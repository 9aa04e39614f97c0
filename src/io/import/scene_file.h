/* What the scene reader uses of the importers: a robot model read in place of a scene. Depends on the public header. */
#ifndef ASP_IO_IMPORT_SCENE_FILE_H
#define ASP_IO_IMPORT_SCENE_FILE_H

#include "asperity/io.h"
#include "base/base.h"

/* The file is called or begins like XML: it is a model, no scene. */
bool asp_import_recognise(const char *path, const char *text, size_t length);
/* What was ignored as a warning, what was approximated as a note: a line each, behind those that are there. */
AspError asp_import_tell(AspContext *context, const char *path, const AspImportReport *report, AspMistakes *warnings,
                         AspMistakes *notes);

#endif
