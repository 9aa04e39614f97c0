/* Parts of a result as NumPy arrays: what convert --what names, each column of the result as one array. */
#include "io/export/npz.h"
#include "io/file/text_file.h"
#include "io/result/model.h"
#include "io/result/probes.h"

#define BLOCK 1024 /* rows per read */

/* A column of the result: rows of `inner` numbers. */
static AspError write_column(NpzFile *npz, const ResultFile *result, const char *path, int64_t rows, int rank,
                             const size_t inner[2]) {
  const char *slash = strrchr(path, '/');
  size_t shape[NPZ_RANK_MAX] = {(size_t)rows, inner[0], inner[1]};
  size_t width = (rank > 0 ? inner[0] : 1) * (rank > 1 ? inner[1] : 1);
  ASP_TRY(asp_npz_begin(npz, slash + 1, "<f8", rank + 1, shape));
  double *values = asp_allocate(npz->context, BLOCK * width + 1, sizeof *values);
  AspError error = values ? ASP_OK : ASP_ERROR_MEMORY;
  for (int64_t first = 0; first < rows && error == ASP_OK && width > 0; first += BLOCK) {
    int64_t here = rows - first < BLOCK ? rows - first : BLOCK;
    error = asp_result_rows(result, path, first, here, width, values);
    if (error == ASP_OK)
      asp_npz_bytes(npz, values, (size_t)here * width * sizeof *values);
  }
  asp_release(npz->context, values);
  return error == ASP_OK ? asp_npz_end(npz) : error;
}

static const char *body_name(const void *user, int i) { return asp_result_body_name(user, i); }
static const char *text_of(const void *user, int i) { return asp_result_text_at(user, i); }

static AspError write_bodies(NpzFile *npz, const ResultFile *result) {
  int64_t rows = result->committed.rows[TABLE_FRAMES];
  const size_t q[] = {(size_t)result->bodies, (size_t)asp_result_q_width(result)};
  const size_t v[] = {(size_t)result->bodies, (size_t)asp_result_v_width(result)};
  ASP_TRY(asp_npz_texts(npz, "name", result->bodies, body_name, result));
  ASP_TRY(write_column(npz, result, "/frames/time", rows, 0, q));
  ASP_TRY(write_column(npz, result, "/frames/step", rows, 0, q));
  ASP_TRY(write_column(npz, result, "/frames/q", rows, 2, q));
  return write_column(npz, result, "/frames/v", rows, 2, v);
}

static AspError write_joints(NpzFile *npz, const ResultFile *result) {
  static const char *const vectors[] = {"/joints/force", "/joints/torque"};
  static const char *const numbers[] = {"/joints/coordinate", "/joints/rate",  "/joints/friction",
                                        "/joints/motor",      "/joints/limit", "/joints/drift"};
  int64_t rows = result->committed.rows[TABLE_FRAMES];
  ResultModel model;
  ASP_TRY(asp_result_model_read(result, &model));
  const size_t inner[] = {(size_t)model.joint_count, 3};
  AspError error = asp_npz_texts(npz, "name", model.joint_count, text_of, &model.joints);
  if (error == ASP_OK)
    error = write_column(npz, result, "/frames/time", rows, 0, inner);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && error == ASP_OK && model.joint_count; i++)
    error = write_column(npz, result, numbers[i], rows, 1, inner);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors && error == ASP_OK && model.joint_count; i++)
    error = write_column(npz, result, vectors[i], rows, 2, inner);
  asp_result_model_free(npz->context, &model);
  return error;
}

/* start and count say which rows belong to which frame. */
static AspError write_contacts(NpzFile *npz, const ResultFile *result) {
  static const struct {
    const char *path;
    size_t width;
  } columns[] = {{"/contacts/body", 2}, {"/contacts/point", 3}, {"/contacts/normal", 3}, {"/contacts/gap", 1},
                 {"/contacts/slip", 3}, {"/contacts/force", 3}, {"/contacts/mu", 1},     {"/contacts/mode", 1}};
  int64_t frames = result->committed.rows[TABLE_FRAMES], rows = result->committed.rows[TABLE_CONTACTS];
  ASP_TRY(asp_npz_texts(npz, "name", result->bodies, body_name, result));
  ASP_TRY(write_column(npz, result, "/frames/time", frames, 0, (size_t[2]){0}));
  ASP_TRY(write_column(npz, result, "/contacts/start", frames, 0, (size_t[2]){0}));
  ASP_TRY(write_column(npz, result, "/contacts/count", frames, 0, (size_t[2]){0}));
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    ASP_TRY(write_column(npz, result, columns[i].path, rows, columns[i].width > 1, (size_t[2]){columns[i].width, 0}));
  return ASP_OK;
}

static AspError write_probes(NpzFile *npz, const ResultFile *result) {
  static const char *const paths[] = {RESULT_PROBE_NAME, RESULT_PROBE_UNIT};
  int64_t rows = result->committed.rows[TABLE_PROBES];
  size_t columns = 0;
  if (rows == 0)
    return asp_fail(npz->context, ASP_ERROR_INPUT, "%s: the scene has no probes; add \"probes\"", result->file.path);
  for (int i = 0; i < 2; i++) {
    ResultTexts texts = {0};
    ASP_TRY(asp_result_texts_read(result, paths[i], &texts.count, &texts.bytes, &texts.text));
    AspError error = asp_npz_texts(npz, i ? "unit" : "name", texts.count, text_of, &texts);
    columns = (size_t)texts.count;
    asp_release(npz->context, texts.text);
    ASP_TRY(error);
  }
  ASP_TRY(write_column(npz, result, RESULT_PROBE_TIME, rows, 0, (size_t[2]){0}));
  return write_column(npz, result, RESULT_PROBE_VALUE, rows, 1, (size_t[2]){columns, 0});
}

static AspError write_energies(NpzFile *npz, const ResultFile *result) {
  for (int i = ENERGY_TIME; i <= ENERGY_REMAINDER; i++)
    ASP_TRY(write_column(npz, result, asp_result_energy_columns[i].path, result->committed.rows[TABLE_ENERGY], 0,
                         (size_t[2]){0}));
  return ASP_OK;
}

AspError asp_result_export_npz(AspContext *context, const char *result_path, const char *part, const char *npz_path) {
  static const struct {
    const char *name;
    AspError (*write)(NpzFile *npz, const ResultFile *result);
  } parts[] = {{"bodies", write_bodies},
               {"joints", write_joints},
               {"contacts", write_contacts},
               {"probes", write_probes},
               {"energies", write_energies}};
  size_t i = 0;
  while (i < sizeof parts / sizeof *parts && strcmp(parts[i].name, part) != 0)
    i++;
  if (i == sizeof parts / sizeof *parts)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "part '%s': use bodies, joints, contacts, probes or energies", part);
  ResultFile result;
  ASP_TRY(asp_result_open(context, result_path, &result));
  AspError error = ASP_OK;
  NpzFile npz = {.context = context, .path = npz_path, .file = asp_file_create(context, npz_path, &error)};
  if (npz.file) {
    error = parts[i].write(&npz, &result);
    if (error == ASP_OK)
      error = asp_npz_finish(&npz);
    AspError closing = asp_file_finish(context, npz_path, npz.file);
    error = error == ASP_OK ? closing : error;
  }
  asp_result_shut(&result);
  return error;
}
