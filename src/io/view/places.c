/* Where a run takes place, for the viewer: positions of bodies that move and points of beams at few times, so that the
 * picture can be framed before all frames are unpacked. They are copies of what `q` and `beamPoint` hold in those
 * frames.
 *
 *   placedBody   the bodies, at most BODIES_MAX, evenly chosen of those that move (of all where none does)
 *   placed       row: a time; x, y, z of each of these bodies, then of each point of the beams, in position steps
 *
 * Times are equally spaced from the first frame to the last; each is the last frame before it.
 */
#include "io/view/data.h"

#define TIMES_MAX  40
#define BODIES_MAX 200

/* Every n-th of those that move. Returns how many. */
static size_t choose(const ViewPacker *packer, int32_t *chosen) {
  const AspBodyKind *kind = packer->model->body_kind;
  size_t bodies = (size_t)packer->result->bodies, moving = 0, count = 0;
  for (size_t b = 0; b < bodies; b++)
    moving += kind[b] != ASP_BODY_FIXED;
  size_t of = moving ? moving : bodies, skip = (of + BODIES_MAX - 1) / BODIES_MAX, at = 0;
  for (size_t b = 0; b < bodies; b++)
    if ((moving == 0 || kind[b] != ASP_BODY_FIXED) && at++ % skip == 0)
      chosen[count++] = (int32_t)b;
  return count;
}

/* The last frame at or before the i-th of so many equally spaced times. */
static int64_t frame_at(const ViewPacker *packer, int64_t i, int64_t times, int64_t from) {
  double first = packer->time[0], last = packer->time[packer->frames - 1];
  double t = times > 1 ? first + (last - first) * (double)i / (double)(times - 1) : first;
  while (from + 1 < packer->frames && packer->time[from + 1] <= t)
    from++;
  return from;
}

AspError asp_view_pack_places(ViewPacker *packer, AspArena *scratch, const int32_t *q) {
  const ResultFile *result = packer->result;
  size_t bodies = (size_t)result->bodies, qw = (size_t)asp_result_q_width(result);
  size_t points = RESULT_LINE_POINTS * (size_t)packer->model->beam_count, lengths = result->dimension == 2 ? 2 : 3;
  int64_t times = packer->frames < TIMES_MAX ? packer->frames : TIMES_MAX, frame = 0;
  int32_t *chosen = ASP_TAKE(scratch, int32_t, bodies + 1);
  double *line = ASP_TAKE(scratch, double, 3 * points + 1);
  if (!chosen || !line)
    return ASP_ERROR_MEMORY;
  size_t count = choose(packer, chosen), width = 3 * (count + points);
  int32_t *placed = ASP_TAKE(scratch, int32_t, (size_t)times * width + 1);
  if (!placed)
    return ASP_ERROR_MEMORY;
  for (int64_t i = 0; i < times; i++) {
    int32_t *row = placed + (size_t)i * width;
    frame = frame_at(packer, i, times, frame);
    for (size_t b = 0; b < count; b++)
      for (size_t k = 0; k < lengths; k++)
        row[3 * b + k] = q[((size_t)frame * bodies + (size_t)chosen[b]) * qw + k];
    if (points)
      ASP_TRY(asp_result_rows(result, "/beams/line", asp_view_frame_row(packer, frame), 1, 3 * points, line));
    for (size_t k = 0; k < 3 * points; k++)
      row[3 * count + k] = asp_view_quantise(line[k], packer->position_step);
  }
  ASP_TRY(asp_view_add(&packer->stream, "placedBody", VIEW_INT, count, 1, 1, 1, chosen));
  return asp_view_add(&packer->stream, "placed", VIEW_INT, (size_t)times, width, 1, packer->position_step, placed);
}
