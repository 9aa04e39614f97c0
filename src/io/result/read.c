/* Reading a result file (see read.h). Nothing in the file is trusted: formats, extents and counts are checked
 * before memory is asked for. */
#include "io/result/read.h"
#include "linalg/dimension.h"

#include <stdio.h>

static AspError damaged(const AspH5File *file, const char *what) {
  return asp_fail(file->context, asp_h5_input_error(), "%s: %s; the result is damaged or of another version",
                  file->path, what);
}

/* ---- attributes ---- */

/* A text attribute of fixed length, cut to the buffer; false when there is none. */
static bool read_text_attribute(const AspH5File *file, const char *path, const char *name, char *text, size_t size) {
  if (!asp_h5_has(file, path) && strcmp(path, "/") != 0)
    return false;
  if (H5Aexists_by_name(file->id, path, name, H5P_DEFAULT) <= 0)
    return false;
  hid_t attribute = H5Aopen_by_name(file->id, path, name, H5P_DEFAULT, H5P_DEFAULT);
  hid_t stored = H5Aget_type(attribute), space = H5Aget_space(attribute), type = H5Tcopy(H5T_C_S1);
  bool good = attribute >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0 &&
              H5Sget_simple_extent_npoints(space) == 1;
  H5Tset_size(type, size);
  H5Tset_cset(type, good ? H5Tget_cset(stored) : H5T_CSET_ASCII);
  good = good && H5Aread(attribute, type, text) >= 0;
  H5Tclose(type);
  H5Sclose(space);
  H5Tclose(stored);
  H5Aclose(attribute);
  return good;
}

/* `count` numbers; false when the attribute is missing or holds another count. */
static bool read_number_attributes(const AspH5File *file, const char *path, const char *name, int count,
                                   double *values) {
  if (H5Aexists_by_name(file->id, path, name, H5P_DEFAULT) <= 0)
    return false;
  hid_t attribute = H5Aopen_by_name(file->id, path, name, H5P_DEFAULT, H5P_DEFAULT), space = H5Aget_space(attribute);
  bool good = attribute >= 0 && H5Sget_simple_extent_npoints(space) == count &&
              H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0;
  H5Sclose(space);
  H5Aclose(attribute);
  return good;
}

bool asp_result_recognise(const AspH5File *file) {
  char format[sizeof RESULT_FORMAT] = "";
  return read_text_attribute(file, "/", "format", format, sizeof format) && strcmp(format, RESULT_FORMAT) == 0;
}

/* ---- datasets ---- */

/* Extent of an open dataset, at most three numbers; the rank, or -1. */
static int extent_of(hid_t dataset, hsize_t extent[3]) {
  hid_t space = H5Dget_space(dataset);
  int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > 3 || H5Sget_simple_extent_dims(space, extent, NULL) < 0)
    rank = -1;
  H5Sclose(space);
  return rank;
}

static AspError read_rows(const ResultFile *result, const char *path, int64_t first, int64_t count, size_t width,
                          double *values) {
  const AspH5File *file = &result->file;
  if (!asp_h5_has(file, path))
    return damaged(file, path);
  hid_t dataset = H5Dopen2(file->id, path, H5P_DEFAULT);
  hsize_t extent[3] = {0}, start[3] = {(hsize_t)first, 0, 0}, size[3] = {(hsize_t)count, 0, 0};
  int rank = dataset >= 0 ? extent_of(dataset, extent) : -1;
  size_t found = 1;
  for (int i = 1; i < rank; i++) {
    found *= (size_t)extent[i];
    size[i] = extent[i];
  }
  bool good = rank >= 1 && found == width && (hsize_t)first + (hsize_t)count <= extent[0];
  AspError error = good ? ASP_OK : damaged(file, path); // before anything is closed, which ends HDF5's list of errors
  if (good && count > 0) {
    hid_t space = H5Dget_space(dataset), memory = space >= 0 ? H5Screate_simple(rank, size, NULL) : -1;
    good = memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
           H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    error = good ? ASP_OK : damaged(file, path);
    H5Sclose(memory);
    H5Sclose(space);
  }
  if (dataset >= 0)
    H5Dclose(dataset);
  return error;
}

/* Columns of frames that have an entry for every recorded body. */
static bool is_of_bodies(const char *path) {
  static const char *const paths[] = {"/frames/q", "/frames/v", "/frames/contact_force", "/frames/contact_torque"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (strcmp(paths[i], path) == 0)
      return true;
  return false;
}

AspError asp_result_rows(const ResultFile *result, const char *path, int64_t first, int64_t count, size_t width,
                         double *values) {
  if (!result->recorded || !is_of_bodies(path))
    return read_rows(result, path, first, count, width, values);
  bool is_q = strcmp(path, "/frames/q") == 0;
  size_t bodies = (size_t)result->bodies, each = bodies ? width / bodies : 0,
         few = each * (size_t)result->recorded_count;
  double *row = asp_allocate(result->file.context, few + 1, sizeof *row);
  AspError error = row ? ASP_OK : ASP_ERROR_MEMORY;
  for (int64_t k = 0; error == ASP_OK && k < count; k++) {
    error = read_rows(result, path, first + k, 1, few, row);
    for (size_t b = 0; error == ASP_OK && b < bodies; b++) {
      double *to = values + ((size_t)k * bodies + b) * each;
      if (result->recorded[b])
        memcpy(to, row + (size_t)result->place[b] * each, each * sizeof *to);
      else if (is_q)
        memcpy(to, result->initial_q + b * each, each * sizeof *to);
      else
        memset(to, 0, each * sizeof *to);
    }
  }
  asp_release(result->file.context, row);
  return error;
}

/* Which bodies the frames have. */
static AspError read_recorded(ResultFile *result) {
  AspContext *context = result->file.context;
  size_t bodies = (size_t)result->bodies, each = (size_t)asp_body_positions(result->dimension);
  int64_t count = 0;
  if (!asp_h5_has(&result->file, RESULT_RECORDED))
    return ASP_OK;
  ASP_TRY(asp_result_row_count(result, RESULT_RECORDED, &count));
  if (count > result->bodies)
    return damaged(&result->file, RESULT_RECORDED);
  result->recorded = asp_allocate(context, bodies + 1, sizeof *result->recorded);
  result->place = asp_allocate(context, bodies + 1, sizeof *result->place);
  result->initial_q = asp_allocate(context, bodies * each + 1, sizeof *result->initial_q);
  double *list = asp_allocate(context, (size_t)count + 1, sizeof *list);
  AspError error = result->recorded && result->place && result->initial_q && list ? ASP_OK : ASP_ERROR_MEMORY;
  if (error == ASP_OK)
    error = read_rows(result, RESULT_RECORDED, 0, count, 1, list);
  if (error == ASP_OK)
    error = read_rows(result, RESULT_INITIAL, 0, result->bodies, each, result->initial_q);
  for (int64_t i = 0; error == ASP_OK && i < count; i++) {
    if (!(list[i] >= 0 && list[i] < result->bodies) || result->recorded[(int)list[i]]) {
      error = damaged(&result->file, RESULT_RECORDED);
      break;
    }
    result->recorded[(int)list[i]] = true;
    result->place[(int)list[i]] = (int)i;
  }
  result->recorded_count = (int)count;
  asp_release(context, list);
  return error;
}

bool asp_result_is_recorded(const ResultFile *result, int body) { return !result->recorded || result->recorded[body]; }

/* Whether the tables have the rows that the record claims: memory is asked for by it. */
static bool has_rows(const AspH5File *file, const char *path, int64_t rows) {
  hsize_t extent[3] = {0};
  hid_t dataset = asp_h5_has(file, path) ? H5Dopen2(file->id, path, H5P_DEFAULT) : -1;
  bool good = rows == 0 || (dataset >= 0 && extent_of(dataset, extent) >= 1 && (hsize_t)rows <= extent[0] &&
                            extent[0] <= H5Dget_storage_size(dataset));
  if (dataset >= 0)
    H5Dclose(dataset);
  return good;
}

/* Are the members of the stored type whole numbers that lie within it? HDF5 converts others out of bounds. */
static bool is_record(hid_t dataset) {
  hid_t stored = dataset >= 0 ? H5Dget_type(dataset) : -1;
  bool good =
      stored >= 0 && H5Tget_class(stored) == H5T_COMPOUND && H5Tget_size(stored) <= H5Dget_storage_size(dataset);
  for (int i = 0; good && i < H5Tget_nmembers(stored); i++) {
    hid_t member = H5Tget_member_type(stored, (unsigned)i);
    size_t offset = H5Tget_member_offset(stored, (unsigned)i), size = member >= 0 ? H5Tget_size(member) : 0;
    good = member >= 0 && H5Tget_class(member) == H5T_INTEGER && size > 0 && size <= H5Tget_size(stored) &&
           offset <= H5Tget_size(stored) - size;
    if (member >= 0)
      H5Tclose(member);
  }
  if (stored >= 0)
    H5Tclose(stored);
  return good;
}

static AspError read_committed(ResultFile *result) {
  static const char *const columns[TABLE_COUNT] = {[TABLE_FRAMES] = "/frames/time",
                                                   [TABLE_CONTACTS] = "/contacts/gap",
                                                   [TABLE_STEPS] = "/certificate/time",
                                                   [TABLE_ENERGY] = "/energy/time",
                                                   [TABLE_PROBES] = "/probes/time"};
  const AspH5File *file = &result->file;
  if (!asp_h5_has(file, RESULT_COMMITTED))
    return damaged(file, RESULT_COMMITTED " is missing");
  hid_t dataset = H5Dopen2(file->id, RESULT_COMMITTED, H5P_DEFAULT), type = asp_result_committed_type();
  hsize_t extent[3];
  bool good = dataset >= 0 && extent_of(dataset, extent) == 0 && is_record(dataset) &&
              H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &result->committed) >= 0;
  H5Tclose(type);
  if (dataset >= 0)
    H5Dclose(dataset);
  for (int i = 0; i < TABLE_COUNT; i++)
    good = good && result->committed.rows[i] >= 0 && has_rows(file, columns[i], result->committed.rows[i]);
  return good ? ASP_OK : damaged(file, RESULT_COMMITTED);
}

AspError asp_result_texts_read(const ResultFile *result, const char *path, int *count, size_t *bytes, char **texts) {
  const AspH5File *file = &result->file;
  if (!asp_h5_has(file, path))
    return damaged(file, path);
  hid_t dataset = H5Dopen2(file->id, path, H5P_DEFAULT), stored = dataset >= 0 ? H5Dget_type(dataset) : -1;
  hsize_t extent[3] = {0};
  AspError error = damaged(file, path);
  if (dataset >= 0 && extent_of(dataset, extent) == 1 && H5Tget_class(stored) == H5T_STRING &&
      H5Tis_variable_str(stored) == 0 && extent[0] * H5Tget_size(stored) <= H5Dget_storage_size(dataset)) {
    *count = (int)extent[0];
    *bytes = H5Tget_size(stored) + 1;
    *texts = asp_allocate(file->context, (size_t)extent[0], *bytes);
    error = *texts ? ASP_OK : ASP_ERROR_MEMORY;
  }
  if (error == ASP_OK && *count > 0) {
    hid_t terminated = H5Tcopy(stored); // a data set's own type cannot be changed
    if (H5Tset_size(terminated, *bytes) < 0 || H5Tset_strpad(terminated, H5T_STR_NULLTERM) < 0 ||
        H5Dread(dataset, terminated, H5S_ALL, H5S_ALL, H5P_DEFAULT, *texts) < 0)
      error = damaged(file, path);
    H5Tclose(terminated);
  }
  if (stored >= 0)
    H5Tclose(stored);
  if (dataset >= 0)
    H5Dclose(dataset);
  return error;
}

AspError asp_result_row_count(const ResultFile *result, const char *path, int64_t *rows) {
  const AspH5File *file = &result->file;
  hid_t dataset = asp_h5_has(file, path) ? H5Dopen2(file->id, path, H5P_DEFAULT) : -1;
  hsize_t extent[3] = {0};
  bool good = dataset >= 0 && extent_of(dataset, extent) >= 1 && extent[0] <= H5Dget_storage_size(dataset);
  *rows = (int64_t)extent[0];
  if (dataset >= 0)
    H5Dclose(dataset);
  return good && *rows <= INT32_MAX ? ASP_OK : damaged(file, path);
}

bool asp_result_gravity(const ResultFile *result, double gravity[3]) {
  return read_number_attributes(&result->file, "/scene", "gravity", 3, gravity);
}

bool asp_result_option(const ResultFile *result, const char *key, char *text, size_t size) {
  return read_text_attribute(&result->file, "/scene/run", key, text, size);
}

bool asp_result_version(const ResultFile *result, char *text, size_t size) {
  return read_text_attribute(&result->file, "/", "asperity_version", text, size);
}

bool asp_result_from(const ResultFile *result, char *text, size_t size) {
  return read_text_attribute(&result->file, "/scene", "from", text, size);
}

bool asp_result_stop(const ResultFile *result, char *text, size_t size) {
  return read_text_attribute(&result->file, "/scene", "stop", text, size);
}

static AspError read_head(ResultFile *result) {
  const AspH5File *file = &result->file;
  if (!asp_result_recognise(file))
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: not a result of asperity", file->path);
  double version = 0, dimension = 0;
  if (!read_number_attributes(file, "/", "format_version", 1, &version) || version != RESULT_FORMAT_VERSION)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: format version %g, expected %d", file->path, version,
                    RESULT_FORMAT_VERSION);
  result->name = asp_allocate(file->context, 1024, 1);
  if (!result->name)
    return ASP_ERROR_MEMORY;
  if (!read_text_attribute(file, "/scene", "name", result->name, 1024) ||
      !read_number_attributes(file, "/scene", "dimension", 1, &dimension) || (dimension != 2 && dimension != 3))
    return damaged(file, "/scene");
  result->dimension = (int)dimension;
  ASP_TRY(read_committed(result));
  ASP_TRY(
      asp_result_texts_read(result, "/bodies/name", &result->bodies, &result->body_name_bytes, &result->body_names));
  return read_recorded(result);
}

AspError asp_result_open(AspContext *context, const char *path, ResultFile *result) {
  *result = (ResultFile){0};
  ASP_TRY(asp_h5_open(context, path, &result->file));
  AspError error = read_head(result);
  if (error != ASP_OK)
    asp_result_shut(result);
  return error;
}

void asp_result_shut(ResultFile *result) {
  AspContext *context = result->file.context;
  if (!context)
    return;
  asp_release(context, result->name);
  asp_release(context, result->body_names);
  asp_release(context, result->recorded);
  asp_release(context, result->place);
  asp_release(context, result->initial_q);
  asp_h5_close(&result->file);
  *result = (ResultFile){0};
}

const char *asp_result_body_name(const ResultFile *result, int body) {
  return result->body_names + (size_t)body * result->body_name_bytes;
}

int asp_result_q_width(const ResultFile *result) { return asp_body_positions(result->dimension); }
int asp_result_v_width(const ResultFile *result) { return asp_body_velocities(result->dimension); }

AspError asp_result_step_lengths(const ResultFile *result, AspArena *scratch, const double *time, int64_t frames,
                                 double *dt) {
  int64_t steps = result->committed.rows[TABLE_STEPS], row = 0;
  double *end = ASP_TAKE(scratch, double, steps + 1), *length = ASP_TAKE(scratch, double, steps + 1);
  if (!end || !length)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_result_rows(result, asp_result_step_columns[STEP_TIME].path, 0, steps, 1, end));
  ASP_TRY(asp_result_rows(result, asp_result_step_columns[STEP_DT].path, 0, steps, 1, length));
  for (int64_t k = 0; k < frames; k++) { // both tables are in order of time
    while (row + 1 < steps && end[row] < time[k])
      row++;
    dt[k] = k > 0 && steps ? length[row] : 0;
  }
  return ASP_OK;
}

AspError asp_result_progress(AspContext *context, const char *path, int64_t *frames, bool *complete) {
  ResultFile result;
  ASP_TRY(asp_result_open(context, path, &result));
  *frames = result.committed.rows[TABLE_FRAMES];
  *complete = result.committed.complete == 1;
  asp_result_shut(&result);
  return ASP_OK;
}
