/* Beams for the viewer: which there are, and the points of their centrelines in every kept frame, as integers like the
 * positions of bodies (data.c).
 */
#include "io/view/data.h"

static bool add_stations(const ViewPacker *packer, cJSON *entry, int beam) {
  cJSON *bodies = cJSON_AddArrayToObject(entry, "bodies");
  for (int i = 0; bodies && i < packer->result->bodies; i++)
    if (packer->model->body_beam[i] == beam && !cJSON_AddItemToArray(bodies, cJSON_CreateNumber(i)))
      return false;
  return bodies != NULL;
}

static bool add_beams(const ViewPacker *packer) {
  const ResultModel *model = packer->model;
  cJSON *beams = cJSON_AddArrayToObject(packer->header, "beams");
  for (int i = 0; beams && i < model->beam_count; i++) {
    cJSON *entry = cJSON_CreateObject();
    if (!entry || !cJSON_AddItemToArray(beams, entry) ||
        !cJSON_AddStringToObject(entry, "name", asp_result_text_at(&model->beams, i)) ||
        !cJSON_AddNumberToObject(entry, "points", RESULT_LINE_POINTS) ||
        !cJSON_AddNumberToObject(entry, "radius", model->beam[i].radius) || !add_stations(packer, entry, i))
      return false;
  }
  return beams != NULL;
}

AspError asp_view_pack_beams(ViewPacker *packer, AspArena *scratch) {
  const ResultFile *result = packer->result;
  size_t width = 3 * RESULT_LINE_POINTS * (size_t)packer->model->beam_count, frames = (size_t)packer->frames;
  double *row = ASP_TAKE(scratch, double, width + 1);
  int32_t *points = ASP_TAKE(scratch, int32_t, width * frames + 1);
  if (!row || !points)
    return ASP_ERROR_MEMORY;
  if (!add_beams(packer))
    return asp_fail(result->file.context, ASP_ERROR_MEMORY, "out of memory");
  for (size_t k = 0; width && k < frames; k++) {
    ASP_TRY(asp_result_rows(result, "/beams/line", asp_view_frame_row(packer, (int64_t)k), 1, width, row));
    for (size_t i = 0; i < width; i++)
      points[k * width + i] = asp_view_quantise(row[i], packer->position_step);
  }
  return asp_view_add_frames(packer, "beamPoint", VIEW_INT, width, 2, packer->position_step, points);
}
