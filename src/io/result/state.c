/* A state from a result: a frame's positions and velocities, given to the bodies, beams and joints of the same names in
 * a model, which may be another one. What follows from expressions (kinematic bodies, stations) is left to them. Inputs
 * that the run had changed by then, with what events and switched joints remember, are taken over by name; others are
 * as the model has them at first.
 */
#include "io/result/model.h"
#include "linalg/dimension.h"

#include <math.h>

#define TIME_SLACK 1e-12 /* of the times: rounding of what a user types */

/* The last frame at or before the time; -1: there is none. */
static AspError find_frame(const ResultFile *result, double at, int64_t *frame, double *time) {
  int64_t frames = result->committed.rows[TABLE_FRAMES];
  double *times = asp_allocate(result->file.context, (size_t)frames + 1, sizeof *times);
  if (!times)
    return ASP_ERROR_MEMORY;
  AspError error = asp_result_rows(result, "/frames/time", 0, frames, 1, times);
  *frame = -1;
  double slack = frames ? TIME_SLACK * fmax(fabs(times[0]), fabs(times[frames - 1])) : 0;
  for (int64_t i = 0; error == ASP_OK && i < frames && times[i] <= at + slack; i++)
    *frame = i;
  double last = frames ? times[frames - 1] : 0, first = frames ? times[0] : 0;
  if (*frame >= 0)
    *time = times[*frame];
  asp_release(result->file.context, times);
  if (error == ASP_OK && (*frame < 0 || (isfinite(at) && at > last + slack)))
    error = asp_fail(result->file.context, ASP_ERROR_INPUT,
                     "%s: there is no state at t = %.9g s; it has %.9g to %.9g s", result->file.path, at, first, last);
  return error;
}

/* Bodies by name; *matched: how many. */
static AspError take_bodies(const ResultFile *result, int64_t frame, const AspModel *model, AspState *state,
                            int *matched) {
  AspContext *context = result->file.context;
  int dimension = asp_model_dimension(model), nq = asp_body_positions(dimension), nv = asp_body_velocities(dimension);
  size_t rows_q = (size_t)result->bodies * (size_t)nq, rows_v = (size_t)result->bodies * (size_t)nv;
  double *q = asp_allocate(context, rows_q + rows_v + 1, sizeof *q);
  if (!q)
    return ASP_ERROR_MEMORY;
  double *v = q + rows_q;
  AspError error = asp_result_rows(result, "/frames/q", frame, 1, rows_q, q);
  if (error == ASP_OK)
    error = asp_result_rows(result, "/frames/v", frame, 1, rows_v, v);
  *matched = 0;
  for (int i = 0; error == ASP_OK && i < result->bodies; i++) {
    int body = asp_model_find_body(model, asp_result_body_name(result, i));
    if (body < 0 || asp_model_body_kind(model, body) != ASP_BODY_DYNAMIC || !asp_result_is_recorded(result, i))
      continue;
    memcpy(state->q + body * nq, q + i * nq, (size_t)nq * sizeof *q);
    memcpy(state->v + body * nv, v + i * nv, (size_t)nv * sizeof *v);
    ++*matched;
  }
  asp_release(context, q);
  return error;
}

/* All beams or none: their coordinates have the length of the model's elements. */
static AspError take_beams(const ResultFile *result, const ResultModel *found, int64_t frame, const AspModel *model,
                           AspState *state) {
  int beams = asp_model_beam_count(model), dimension = asp_model_dimension(model);
  int bodies = asp_model_body_count(model);
  int q_at = asp_body_positions(dimension) * bodies, v_at = asp_body_velocities(dimension) * bodies;
  bool same = found->beam_count == beams;
  for (int i = 0; same && i < beams; i++)
    same = strcmp(asp_result_text_at(&found->beams, i), asp_model_beam_name(model, i)) == 0;
  if (!same)
    return asp_fail(result->file.context, ASP_ERROR_INPUT,
                    "%s: it has %d beams, the scene %d, or other names; beams must be the same to take their state",
                    result->file.path, found->beam_count, beams);
  if (beams == 0)
    return ASP_OK;
  ASP_TRY(asp_result_rows(result, "/beams/q", frame, 1, (size_t)(asp_model_q_size(model) - q_at), state->q + q_at));
  return asp_result_rows(result, "/beams/v", frame, 1, (size_t)(asp_model_v_size(model) - v_at), state->v + v_at);
}

/* Joint coordinates, so that angles count full turns. */
static AspError take_turns(const ResultFile *result, const ResultModel *found, int64_t frame, const AspModel *model,
                           AspState *state) {
  AspContext *context = result->file.context;
  double *coordinate = asp_allocate(context, (size_t)found->joint_count + 1, sizeof *coordinate);
  if (!coordinate)
    return ASP_ERROR_MEMORY;
  AspError error = found->joint_count
                       ? asp_result_rows(result, "/joints/coordinate", frame, 1, (size_t)found->joint_count, coordinate)
                       : ASP_OK;
  for (int i = 0; error == ASP_OK && i < found->joint_count; i++) {
    int joint = asp_model_find_joint(model, asp_result_text_at(&found->joints, i));
    if (joint >= 0)
      state->angle[joint] = coordinate[i];
  }
  asp_release(context, coordinate);
  return error;
}

/* What events and switched joints remember (names with a point), and inputs that are not as their scene has them. */
static AspError take_inputs(const ResultFile *result, int64_t frame, const AspModel *model, AspState *state) {
  AspContext *context = result->file.context;
  ResultTexts name = {0};
  if (!asp_h5_has(&result->file, RESULT_INPUT_NAME))
    return ASP_OK; // none, or a result of an earlier version
  ASP_TRY(asp_result_texts_read(result, RESULT_INPUT_NAME, &name.count, &name.bytes, &name.text));
  size_t width = RESULT_INPUT_WIDTH * (size_t)name.count;
  double *first = asp_allocate(context, width + (size_t)name.count + 1, sizeof *first), *now = first + name.count;
  AspError error = first ? asp_result_rows(result, RESULT_INPUT_INITIAL, 0, name.count, 1, first) : ASP_ERROR_MEMORY;
  if (error == ASP_OK)
    error = asp_result_rows(result, RESULT_INPUT_VALUE, frame, 1, width, now);
  for (int i = 0; error == ASP_OK && i < name.count; i++) {
    const double *row = now + RESULT_INPUT_WIDTH * i;
    int input = asp_model_find_input(model, asp_result_text_at(&name, i));
    bool changed = row[1] != first[i] || row[2] != 0 || row[3] != 0 || strchr(asp_result_text_at(&name, i), '.');
    if (input >= 0 && changed && asp_model_input_is_memory(model, input))
      state->input[input] = (AspInput){row[0], {row[1], row[2], row[3]}};
  }
  asp_release(context, first);
  asp_release(context, name.text);
  return error;
}

static AspError take_state(const ResultFile *result, double at, const AspModel *model, AspState *state, int *matched) {
  AspContext *context = result->file.context;
  int64_t frame = -1;
  ResultModel found = {0};
  if (result->dimension != asp_model_dimension(model))
    return asp_fail(context, ASP_ERROR_INPUT, "%s: it has %d dimensions, the scene %d", result->file.path,
                    result->dimension, asp_model_dimension(model));
  ASP_TRY(find_frame(result, at, &frame, &state->t));
  ASP_TRY(asp_result_model_read(result, &found));
  AspError error = take_bodies(result, frame, model, state, matched);
  if (error == ASP_OK)
    error = take_beams(result, &found, frame, model, state);
  if (error == ASP_OK)
    error = take_turns(result, &found, frame, model, state);
  if (error == ASP_OK)
    error = take_inputs(result, frame, model, state);
  if (error == ASP_OK && *matched == 0 && found.beam_count == 0)
    error = asp_fail(context, ASP_ERROR_INPUT,
                     "%s: no free body of the scene has the name of one of its bodies ('%s'%s)", result->file.path,
                     result->bodies ? asp_result_body_name(result, 0) : "", result->bodies > 1 ? ", ..." : "");
  asp_result_model_free(context, &found);
  return error;
}

AspError asp_result_state(AspContext *context, const char *path, double at, const AspModel *model, AspState *state,
                          int *matched) {
  ResultFile result;
  ASP_TRY(asp_result_open(context, path, &result));
  AspError error = take_state(&result, at, model, state, matched);
  asp_result_shut(&result);
  return error;
}
