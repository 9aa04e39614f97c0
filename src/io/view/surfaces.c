/* Moving surfaces for the viewer: which shapes have them, and how they move in every kept frame, in the frames of their
 * bodies (model/surface.c). Results of earlier versions have none.
 */
#include "io/view/data.h"

AspError asp_view_pack_vectors(ViewPacker *packer, AspArena *scratch, const char *path, const char *name, size_t width,
                               bool parts) {
  size_t frames = (size_t)packer->frames;
  double *row = ASP_TAKE(scratch, double, width);
  float *values = ASP_TAKE(scratch, float, width *frames);
  if (!row || !values)
    return ASP_ERROR_MEMORY;
  for (size_t k = 0; k < frames; k++) {
    ASP_TRY(asp_result_rows(packer->result, path, asp_view_frame_row(packer, (int64_t)k), 1, width, row));
    for (size_t i = 0; i < width; i++)
      values[k * width + i] = (float)row[i];
  }
  return parts ? asp_view_add_frames(packer, name, VIEW_FLOAT, width, 0, 1, values)
               : asp_view_add(&packer->stream, name, VIEW_FLOAT, frames, width, 0, 1, values);
}

AspError asp_view_pack_surfaces(ViewPacker *packer, AspArena *scratch) {
  size_t count = (size_t)packer->model->surface_count;
  if (count == 0)
    return ASP_OK;
  int32_t *shape = ASP_TAKE(scratch, int32_t, count);
  if (!shape)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++)
    shape[i] = packer->model->surface_shape[i];
  ASP_TRY(asp_view_add(&packer->stream, "surfaceShape", VIEW_INT, count, 1, 0, 1, shape));
  ASP_TRY(asp_view_pack_vectors(packer, scratch, RESULT_SURFACES "/velocity", "surfaceVelocity", 3 * count, false));
  return asp_view_pack_vectors(packer, scratch, RESULT_SURFACES "/spin", "surfaceSpin", 3 * count, false);
}
