/* What the WebAssembly module does not read: robot models and COLLADA meshes (both want expat). Refused by name. */
#include "io/import/scene_file.h"
#include "io/mesh/mesh_file.h"

AspImportOptions asp_import_default_options(void) { return (AspImportOptions){0}; }

AspError asp_import_settings(AspContext *context, const AspSettings *settings, AspImportSettings *parts) {
  (void)context;
  *parts = (AspImportSettings){.others = settings ? *settings : (AspSettings){0}};
  return ASP_OK;
}

void asp_import_settings_free(AspContext *context, AspImportSettings *parts) {
  (void)context;
  (void)parts;
}

bool asp_import_recognise(const char *path, const char *text, size_t length) {
  (void)path;
  return length > 0 && text[0] == '<';
}

AspError asp_import_read(AspContext *context, const char *path, const AspImportOptions *options, char **scene,
                         AspImportReport *report) {
  (void)options;
  (void)report;
  *scene = NULL;
  return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                  "%s: robot models are not read here; make a scene of it with: asperity import %s -o scene.json", path,
                  path);
}

void asp_import_report_destroy(AspContext *context, AspImportReport *report) {
  (void)context;
  (void)report;
}

AspError asp_import_tell(AspContext *context, const char *path, const AspImportReport *report, AspMistakes *warnings,
                         AspMistakes *notes) {
  (void)context;
  (void)path;
  (void)report;
  (void)warnings;
  (void)notes;
  return ASP_OK;
}

AspError asp_mesh_read_dae(MeshText *text, const char *object, AspMesh *mesh) {
  (void)object;
  return asp_fail(mesh->context, ASP_ERROR_UNSUPPORTED, "%s: COLLADA meshes are not read here; save it as OBJ or STL",
                  text->path);
}
