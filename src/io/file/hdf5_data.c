/* HDF5 files for our readers and writers: whole one-dimensional datasets in and out (see hdf5_data.h). */
#define _POSIX_C_SOURCE 200809L
#include "io/file/hdf5_data.h"
#include "io/file/hdf5_guard.h"
#include "io/file/text_file.h"
#include "io/file/undo.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A compressed dataset cannot honestly unfold by more than this; what claims to is refused before memory is asked for
 * (deflate's limit is 1032). */
#define IMAGE_GROWTH  (1 << 20) /* bytes by which a file in memory grows */
#define MAX_UNFOLDING 2048
#define LITTLE_ROOM   65536 /* bytes that reading a part of a file needs at least */

void asp_h5_silence(AspH5File *file) {
  H5Eget_auto2(H5E_DEFAULT, &file->error_print, &file->error_print_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void asp_h5_restore(AspH5File *file) { H5Eset_auto2(H5E_DEFAULT, file->error_print, file->error_print_data); }

/* Goes through HDF5's error stack: was it memory that it lacked? */
static herr_t note_memory(unsigned n, const H5E_error2_t *entry, void *lacked) {
  (void)n;
  *(bool *)lacked = *(bool *)lacked || entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC;
  return 0;
}

static bool lacked_memory(void) {
  bool lacked = false;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_memory, &lacked);
  return lacked;
}

AspError asp_h5_start(AspContext *context, const char *path) {
  if (H5open() >= 0)
    return ASP_OK;
  return asp_fail(context, ASP_ERROR_MEMORY, "%s: the HDF5 library does not start: out of memory", path);
}

AspError asp_h5_input_error(void) {
  if (lacked_memory())
    return ASP_ERROR_MEMORY;
  void *volatile room = malloc(LITTLE_ROOM);
  free(room);
  return room ? ASP_ERROR_INPUT : ASP_ERROR_MEMORY;
}

AspError asp_h5_unreadable(AspContext *context, const char *path) {
  bool lacked = lacked_memory();
  FILE *probe = lacked ? NULL : fopen(path, "rb");
  if (lacked)
    return asp_fail(context, ASP_ERROR_MEMORY, "%s: out of memory while it was read", path);
  if (!probe)
    return asp_fail(context, asp_file_error(errno), "%s: cannot be opened: %s", path, strerror(errno));
  fclose(probe);
  return asp_fail(context, ASP_ERROR_INPUT, "%s: HDF5 file is truncated or damaged", path);
}

AspError asp_h5_open(AspContext *context, const char *path, AspH5File *file) {
  *file = (AspH5File){.context = context, .path = path, .id = -1};
  FILE *probe = fopen(path, "rb");
  if (!probe)
    return asp_fail(context, asp_file_error(errno), "%s: cannot be opened: %s", path, strerror(errno));
  fclose(probe);
  ASP_TRY(asp_undo_recover(context, path));
  ASP_TRY(asp_h5_start(context, path));
  asp_h5_silence(file);
  htri_t known = H5Fis_hdf5(path);
  AspError error = known > 0    ? asp_h5_guard(context, path)
                   : known == 0 ? asp_fail(context, ASP_ERROR_INPUT, "%s: not an HDF5 file", path)
                                : asp_h5_unreadable(context, path);
  if (error == ASP_OK) {
    // no lock: a result may be read while its run goes on writing
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    file->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file->id < 0)
      error = asp_h5_unreadable(context, path); // before the next call clears HDF5's error stack
    H5Pclose(access);
  }
  if (error != ASP_OK)
    asp_h5_restore(file);
  return error;
}

AspError asp_h5_check_target(AspContext *context, const char *path) {
  struct stat status;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return asp_fail(context, ASP_ERROR_FILE, "%s: %s; a file of its own is needed", path,
                    S_ISDIR(status.st_mode) ? "is a folder" : "is not an ordinary file");
  return ASP_OK;
}

AspError asp_h5_not_created(AspContext *context, const char *path, const char *part) {
  FILE *probe = fopen(part, "ab");
  if (!probe)
    return asp_fail(context, asp_file_error(errno), "%s: cannot be created: %s", path, strerror(errno));
  fclose(probe);
  remove(part);
  return asp_fail(context, ASP_ERROR_MEMORY, "%s: HDF5 does not create the file: out of memory", path);
}

AspError asp_h5_create(AspContext *context, const char *path, AspH5File *file) {
  *file = (AspH5File){.context = context, .path = path, .id = -1};
  size_t bytes = strlen(path) + sizeof ".part";
  AspError error;
  file->part = asp_allocate(context, bytes, 1);
  ASP_CHECK(file->part ? ASP_OK : ASP_ERROR_MEMORY);
  snprintf(file->part, bytes, "%s.part", path);
  ASP_CHECK(asp_h5_check_target(context, path));
  ASP_CHECK(asp_h5_check_target(context, file->part));
  ASP_CHECK(asp_h5_start(context, path));
  asp_h5_silence(file);
  // in memory until asp_h5_finish: HDF5 does not survive a disk that fills up while it writes
  hid_t in_memory = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(in_memory, IMAGE_GROWTH, false);
  file->id = H5Fcreate(file->part, H5F_ACC_TRUNC, H5P_DEFAULT, in_memory);
  H5Pclose(in_memory);
  if (file->id >= 0)
    return ASP_OK;
  asp_h5_restore(file);
  error = asp_h5_not_created(context, path, file->part);
done:
  asp_release(context, file->part);
  file->part = NULL;
  return error;
}

AspError asp_h5_close(AspH5File *file) {
  if (!file->context || file->id < 0)
    return ASP_OK;
  herr_t status = H5Fclose(file->id);
  AspError error = status >= 0 ? ASP_OK : lacked_memory() ? ASP_ERROR_MEMORY : ASP_ERROR_STORAGE;
  file->id = -1;
  asp_h5_restore(file);
  return error == ASP_OK ? ASP_OK : asp_fail(file->context, error, "%s: closing failed", file->path);
}

/* The file as it stands in memory, to the disk. */
static AspError write_image(const AspH5File *file) {
  ssize_t size = H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file->id, NULL, 0);
  if (size <= 0)
    return asp_fail(file->context, ASP_ERROR_FILE, "%s: cannot be put together", file->path);
  void *image = asp_allocate(file->context, (size_t)size, 1);
  if (!image)
    return ASP_ERROR_MEMORY;
  bool good = H5Fget_file_image(file->id, image, (size_t)size) == size;
  errno = 0;
  FILE *out = good ? fopen(file->part, "wb") : NULL;
  good = out && fwrite(image, 1, (size_t)size, out) == (size_t)size;
  if (out)
    good = fclose(out) == 0 && good;
  int reason = errno;
  asp_release(file->context, image);
  if (good)
    return ASP_OK;
  return asp_fail(file->context, out ? ASP_ERROR_STORAGE : ASP_ERROR_FILE, "%s: cannot be written: %s", file->path,
                  reason ? strerror(reason) : "write error");
}

AspError asp_h5_finish(AspH5File *file, AspError error) {
  if (error == ASP_OK)
    error = write_image(file);
  AspError closed = asp_h5_close(file);
  error = error != ASP_OK ? error : closed;
  if (error == ASP_OK && rename(file->part, file->path) != 0)
    error = asp_fail(file->context, asp_file_error(errno), "%s: cannot be replaced: %s", file->path, strerror(errno));
  if (error != ASP_OK)
    remove(file->part);
  asp_release(file->context, file->part);
  file->part = NULL;
  return error;
}

bool asp_h5_has(const AspH5File *file, const char *name) {
  char part[256];
  size_t length = strlen(name);
  if (length >= sizeof part)
    return false;
  for (size_t i = 1; i <= length; i++) {
    if (name[i] != '/' && name[i] != '\0')
      continue;
    memcpy(part, name, i);
    part[i] = '\0';
    if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0 || H5Oexists_by_name(file->id, part, H5P_DEFAULT) <= 0)
      return false;
  }
  return true;
}

static AspError open_dataset(const AspH5File *file, const char *name, hid_t *dataset) {
  *dataset = -1;
  if (!asp_h5_has(file, name))
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: dataset %s is missing", file->path, name);
  *dataset = H5Dopen2(file->id, name, H5P_DEFAULT);
  if (*dataset < 0)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s is not a readable dataset", file->path, name);
  return ASP_OK;
}

/* Type, rank and stored size of an open dataset of numbers. */
static AspError measure(const AspH5File *file, const char *name, hid_t dataset, bool whole, size_t *count) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  H5T_class_t class = H5Tget_class(type);
  size_t element = H5Tget_size(type);
  int rank = H5Sget_simple_extent_ndims(space);
  hssize_t points = H5Sget_simple_extent_npoints(space);
  H5Tclose(type);
  H5Sclose(space);
  if (class != H5T_INTEGER && (whole || class != H5T_FLOAT))
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s does not hold %s numbers", file->path, name,
                    whole ? "integer" : "real");
  if (rank != 0 && rank != 1)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s has %d dimensions, expected 1", file->path, name, rank);
  if (points < 0)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s has no readable size", file->path, name);
  // the file must really hold what the header declares
  double stored = (double)H5Dget_storage_size(dataset);
  if ((double)points * (double)element > MAX_UNFOLDING * stored || points > INT_MAX)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s declares %lld elements, the file stores %.0f bytes of it",
                    file->path, name, (long long)points, stored);
  *count = (size_t)points;
  return ASP_OK;
}

AspError asp_h5_count(const AspH5File *file, const char *name, bool whole, size_t *count) {
  hid_t dataset;
  ASP_TRY(open_dataset(file, name, &dataset));
  AspError error = measure(file, name, dataset, whole, count);
  H5Dclose(dataset);
  return error;
}

static AspError read_all(const AspH5File *file, const char *name, bool whole, size_t count, void *values) {
  hid_t dataset;
  ASP_TRY(open_dataset(file, name, &dataset));
  size_t found = 0;
  AspError error = measure(file, name, dataset, whole, &found);
  if (error == ASP_OK && found != count)
    error = asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s has %zu elements, expected %zu", file->path, name, found,
                     count);
  if (error == ASP_OK && count &&
      H5Dread(dataset, whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    error = asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s cannot be read: the file is damaged", file->path, name);
  H5Dclose(dataset);
  return error;
}

AspError asp_h5_read_reals(const AspH5File *file, const char *name, size_t count, double *values) {
  ASP_TRY(read_all(file, name, false, count, values));
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s: element %zu is %g, expected a finite number", file->path,
                      name, i, values[i]);
  return ASP_OK;
}

AspError asp_h5_read_integers(const AspH5File *file, const char *name, size_t count, int64_t *values) {
  return read_all(file, name, true, count, values);
}

AspError asp_h5_read_integer(const AspH5File *file, const char *name, int64_t low, int64_t high, int *value) {
  int64_t wide = 0;
  ASP_TRY(asp_h5_read_integers(file, name, 1, &wide));
  if (wide < low || wide > high)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s is %lld, expected %lld to %lld", file->path, name,
                    (long long)wide, (long long)low, (long long)high);
  *value = (int)wide;
  return ASP_OK;
}

static AspError read_fixed_text(const AspH5File *file, const char *name, hid_t dataset, hid_t type, char **text) {
  size_t size = H5Tget_size(type);
  if (size > (size_t)1 << 24)
    return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s: text of %zu bytes is too long", file->path, name, size);
  *text = asp_allocate(file->context, size + 1, 1);
  if (!*text)
    return ASP_ERROR_MEMORY;
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) >= 0)
    return ASP_OK;
  asp_release(file->context, *text);
  *text = NULL;
  return asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s cannot be read: the file is damaged", file->path, name);
}

static AspError read_variable_text(const AspH5File *file, const char *name, hid_t dataset, char **text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  hid_t stored = H5Dget_type(dataset);
  H5Tset_cset(type, H5Tget_cset(stored));
  H5Tclose(stored);
  char *found = NULL;
  AspError error = ASP_OK;
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found) < 0 || !found)
    error = asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s cannot be read: the file is damaged", file->path, name);
  else if (!(*text = asp_copy_text(file->context, found)))
    error = ASP_ERROR_MEMORY;
  H5free_memory(found);
  H5Tclose(type);
  return error;
}

AspError asp_h5_read_text(const AspH5File *file, const char *name, char **text) {
  *text = NULL;
  hid_t dataset;
  ASP_TRY(open_dataset(file, name, &dataset));
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  AspError error;
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
    error = asp_fail(file->context, ASP_ERROR_INPUT, "%s: %s does not hold one text", file->path, name);
  else if (H5Tis_variable_str(type) > 0)
    error = read_variable_text(file, name, dataset, text);
  else
    error = read_fixed_text(file, name, dataset, type, text);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(dataset);
  return error;
}

hid_t asp_h5_timeless(hid_t class) {
  hid_t properties = H5Pcreate(class);
  H5Pset_obj_track_times(properties, false);
  return properties;
}

AspError asp_h5_make_group(const AspH5File *file, const char *name) {
  hid_t properties = asp_h5_timeless(H5P_GROUP_CREATE);
  hid_t group = H5Gcreate2(file->id, name, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Pclose(properties);
  if (group < 0)
    return asp_fail(file->context, ASP_ERROR_FILE, "%s: group %s cannot be written", file->path, name);
  H5Gclose(group);
  return ASP_OK;
}

/* Everything that is written goes through here: a dataset of `type` over `space`, both consumed. */
static AspError write_all(const AspH5File *file, const char *name, hid_t type, hid_t space, const void *values) {
  hid_t properties = asp_h5_timeless(H5P_DATASET_CREATE);
  hid_t dataset = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Pclose(properties);
  bool good = dataset >= 0;
  if (good && H5Sget_simple_extent_npoints(space) > 0)
    good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (dataset >= 0)
    good = H5Dclose(dataset) >= 0 && good;
  H5Sclose(space);
  H5Tclose(type);
  return good ? ASP_OK : asp_fail(file->context, ASP_ERROR_FILE, "%s: %s cannot be written", file->path, name);
}

static hid_t line_of(size_t count) {
  hsize_t size = count;
  return H5Screate_simple(1, &size, NULL);
}

AspError asp_h5_write_reals(const AspH5File *file, const char *name, size_t count, const double *values) {
  return write_all(file, name, H5Tcopy(H5T_NATIVE_DOUBLE), line_of(count), values);
}

AspError asp_h5_write_integers(const AspH5File *file, const char *name, size_t count, const int *values) {
  return write_all(file, name, H5Tcopy(H5T_NATIVE_INT), line_of(count), values);
}

AspError asp_h5_write_text(const AspH5File *file, const char *name, const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text) + 1);
  return write_all(file, name, type, H5Screate(H5S_SCALAR), text);
}
