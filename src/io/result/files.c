/* Tables and meshes that the scene of a result names: their paths as the scene writes them, and what was in them, as a
 * hash. */
#include "io/result/files.h"

static const char path_path[] = "/files/path", hash_path[] = "/files/hash";

static const char *path_of(const void *user, int i) { return ((const AspScene *)user)->file[i].path; }
static const char *hash_of(const void *user, int i) { return ((const AspScene *)user)->file[i].hash; }

AspError asp_result_files_write(const AspH5File *file, const AspScene *scene) {
  int count = scene ? scene->file_count : 0;
  if (count == 0)
    return ASP_OK;
  ASP_TRY(asp_h5_make_group(file, "/files"));
  ASP_TRY(
      asp_result_texts(file, path_path, "tables and meshes of the scene, as it writes them", count, path_of, scene));
  return asp_result_texts(file, hash_path, "of their bytes: FNV-1a, 64 bits, hexadecimal", count, hash_of, scene);
}

AspError asp_result_files_read(const ResultFile *result, ResultFiles *files) {
  AspContext *context = result->file.context;
  AspError error = ASP_OK;
  *files = (ResultFiles){0};
  if (!asp_h5_has(&result->file, "/files") || !asp_h5_has(&result->file, hash_path))
    return ASP_OK;
  ASP_CHECK(asp_result_texts_read(result, path_path, &files->path.count, &files->path.bytes, &files->path.text));
  ASP_CHECK(asp_result_texts_read(result, hash_path, &files->hash.count, &files->hash.bytes, &files->hash.text));
  if (files->path.count != files->hash.count)
    ASP_CHECK(asp_fail(context, ASP_ERROR_INPUT, "%s: /files: not as many hashes as paths", result->file.path));
done:
  if (error != ASP_OK)
    asp_result_files_free(context, files);
  return error;
}

void asp_result_files_free(AspContext *context, ResultFiles *files) {
  asp_release(context, files->path.text);
  asp_release(context, files->hash.text);
  *files = (ResultFiles){0};
}
