/* Growing tables of an HDF5 file, and the fixed datasets and attributes beside them (see table.h). */
#define _POSIX_C_SOURCE 200809L
#include "io/result/table.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define BLOCK_BYTES     ((size_t)1 << 18) /* of the widest column */
#define STRUCTURE_BYTES ((size_t)1 << 16) /* more than the structure around one dataset or growth takes */

/* ---- types and failures ---- */

static size_t type_bytes(ResultType type) {
  static const size_t bytes[] = {
      [RESULT_REAL] = sizeof(double),  [RESULT_SINGLE] = sizeof(double), [RESULT_INT] = sizeof(int32_t),
      [RESULT_LONG] = sizeof(int64_t), [RESULT_WORD] = sizeof(uint32_t), [RESULT_BYTE] = sizeof(uint8_t)};
  return bytes[type];
}

size_t asp_result_row_bytes(const ResultColumn *column) {
  size_t bytes = type_bytes(column->type);
  for (int i = 0; i < column->rank; i++)
    bytes *= (size_t)column->shape[i];
  return bytes;
}

/* As stored, little-endian everywhere, and in memory. HDF5's names are known only at run time: no table. */
static hid_t stored_type(ResultType type) {
  return type == RESULT_REAL     ? H5T_IEEE_F64LE
         : type == RESULT_SINGLE ? H5T_IEEE_F32LE
         : type == RESULT_INT    ? H5T_STD_I32LE
         : type == RESULT_LONG   ? H5T_STD_I64LE
         : type == RESULT_WORD   ? H5T_STD_U32LE
                                 : H5T_STD_U8LE;
}

static hid_t memory_type(ResultType type) {
  return type == RESULT_REAL || type == RESULT_SINGLE ? H5T_NATIVE_DOUBLE
         : type == RESULT_INT                         ? H5T_NATIVE_INT32
         : type == RESULT_LONG                        ? H5T_NATIVE_INT64
         : type == RESULT_WORD                        ? H5T_NATIVE_UINT32
                                                      : H5T_NATIVE_UINT8;
}

typedef struct Reason {
  char text[256];
} Reason;

/* The first failure on HDF5's stack, counted from the inside, that carries a message of the system. */
static herr_t take_reason(unsigned depth, const H5E_error2_t *entry, void *user) {
  Reason *reason = user;
  const char *system = entry->desc ? strstr(entry->desc, "error message = '") : NULL;
  (void)depth;
  if (system) {
    system += strlen("error message = '");
    snprintf(reason->text, sizeof reason->text, ": %.*s", (int)strcspn(system, "'"), system);
    return 1;
  }
  if (!*reason->text && entry->desc)
    snprintf(reason->text, sizeof reason->text, ": %s", entry->desc);
  return 0;
}

AspError asp_result_fail(const AspH5File *file, const char *path) {
  Reason reason = {""};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason);
  return asp_fail(file->context, ASP_ERROR_STORAGE, "%s: %s cannot be written%s", file->path, path, reason.text);
}

AspError asp_result_reserve(const AspH5File *file, size_t bytes) {
  if (file->part)
    return ASP_OK; // made in memory, written whole
  void *handle = NULL;
  hsize_t size = 0;
  if (H5Fget_vfd_handle(file->id, H5P_DEFAULT, &handle) < 0 || H5Fget_filesize(file->id, &size) < 0)
    return asp_result_fail(file, "the file");
  off_t end = (off_t)size + (off_t)bytes + (off_t)STRUCTURE_BYTES;
  int failure = posix_fallocate(*(const int *)handle, 0, end);
  if (failure)
    return asp_fail(file->context, ASP_ERROR_STORAGE, "%s: no room to write: %s", file->path, strerror(failure));
  return ASP_OK;
}

void asp_result_release(const AspH5File *file) {
  void *handle = NULL;
  hsize_t size = 0;
  H5Fflush(file->id, H5F_SCOPE_LOCAL);
  if (H5Fget_vfd_handle(file->id, H5P_DEFAULT, &handle) < 0 || H5Fget_filesize(file->id, &size) < 0 ||
      ftruncate(*(const int *)handle, (off_t)size) != 0)
    asp_log(file->context, ASP_LOG_DEBUG, "%s: stays longer than needed", file->path);
}

/* ---- attributes ---- */

static hid_t text_type(size_t length) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length ? length : 1);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

static bool write_attribute(hid_t object, const char *name, hid_t stored, hid_t memory, hid_t space,
                            const void *values) {
  hid_t attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
  return attribute >= 0 && H5Awrite(attribute, memory, values) >= 0 && H5Aclose(attribute) >= 0;
}

static bool write_text_attribute(hid_t object, const char *name, const char *text) {
  hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
  bool good = write_attribute(object, name, type, type, space, text);
  H5Sclose(space);
  H5Tclose(type);
  return good;
}

static bool describe(hid_t dataset, const char *unit, const char *text) {
  return (!*unit || write_text_attribute(dataset, "unit", unit)) &&
         (!*text || write_text_attribute(dataset, "description", text));
}

AspError asp_result_text_attribute(const AspH5File *file, const char *path, const char *name, const char *text) {
  hid_t object = H5Oopen(file->id, path, H5P_DEFAULT);
  bool good = object >= 0 && write_text_attribute(object, name, text) && H5Oclose(object) >= 0;
  return good ? ASP_OK : asp_result_fail(file, path);
}

AspError asp_result_number_attribute(const AspH5File *file, const char *path, const char *name, int count,
                                     const double *values) {
  hsize_t size = (hsize_t)count;
  hid_t object = H5Oopen(file->id, path, H5P_DEFAULT);
  hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
  bool good = object >= 0 && write_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, values) &&
              H5Oclose(object) >= 0;
  H5Sclose(space);
  return good ? ASP_OK : asp_result_fail(file, path);
}

/* ---- fixed datasets ---- */

static bool write_dataset(const AspH5File *file, const ResultColumn *column, hid_t stored, hid_t memory, hid_t space,
                          const void *values) {
  hid_t properties = asp_h5_timeless(H5P_DATASET_CREATE);
  hid_t dataset = H5Dcreate2(file->id, column->path, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Pclose(properties);
  bool good = dataset >= 0 && describe(dataset, column->unit, column->text);
  if (good && H5Sget_simple_extent_npoints(space) > 0)
    good = H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  return good && H5Dclose(dataset) >= 0;
}

/* Extent of `rows` rows of a column; returns the rank. */
static int extent_of(const ResultColumn *column, hsize_t rows, hsize_t extent[3]) {
  extent[0] = rows;
  for (int i = 0; i < column->rank; i++)
    extent[1 + i] = column->shape[i];
  return 1 + column->rank;
}

AspError asp_result_array(const AspH5File *file, const ResultColumn *column, hsize_t rows, const void *values) {
  hsize_t extent[3];
  int rank = extent_of(column, rows, extent);
  ASP_TRY(asp_result_reserve(file, (size_t)rows * asp_result_row_bytes(column)));
  hid_t space = H5Screate_simple(rank, extent, NULL);
  bool good = write_dataset(file, column, stored_type(column->type), memory_type(column->type), space, values);
  H5Sclose(space);
  return good ? ASP_OK : asp_result_fail(file, column->path);
}

/* `rows` texts of equal length, one behind the other. */
static AspError write_text_block(const AspH5File *file, const char *path, const char *description, size_t length,
                                 hsize_t rows, bool scalar, const char *block) {
  ResultColumn column = {.path = path, .unit = "", .text = description};
  ASP_TRY(asp_result_reserve(file, (size_t)rows * length));
  hid_t space = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &rows, NULL);
  hid_t type = text_type(length);
  bool good = write_dataset(file, &column, type, type, space, block);
  H5Sclose(space);
  H5Tclose(type);
  return good ? ASP_OK : asp_result_fail(file, path);
}

AspError asp_result_text(const AspH5File *file, const char *path, const char *description, const char *text) {
  return write_text_block(file, path, description, strlen(text), 1, true, text);
}

AspError asp_result_texts(const AspH5File *file, const char *path, const char *description, int rows,
                          const char *(*text)(const void *user, int index), const void *user) {
  size_t longest = 1;
  for (int i = 0; i < rows; i++)
    if (strlen(text(user, i)) > longest)
      longest = strlen(text(user, i));
  char *block = asp_allocate(file->context, (size_t)rows + 1, longest);
  if (!block)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < rows; i++)
    memcpy(block + (size_t)i * longest, text(user, i), strlen(text(user, i)));
  AspError error = write_text_block(file, path, description, longest, (hsize_t)rows, false, block);
  asp_release(file->context, block);
  return error;
}

/* ---- growing tables ---- */

/* Chunked, without limit, space allocated and filled as soon as the extent grows. */
static hid_t growing_properties(const ResultColumn *column, hsize_t block) {
  hsize_t chunk[3];
  int rank = extent_of(column, block, chunk);
  hid_t properties = asp_h5_timeless(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, rank, chunk);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_ALLOC);
  double nothing = NAN;
  if (column->type == RESULT_REAL || column->type == RESULT_SINGLE)
    H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &nothing);
  return properties;
}

static AspError create_slot(ResultTable *table, ResultSlot *slot) {
  const AspH5File *file = table->file;
  if (slot->row_bytes == 0)
    return ASP_OK;
  hsize_t extent[3], most[3];
  int rank = extent_of(&slot->column, 0, extent);
  extent_of(&slot->column, H5S_UNLIMITED, most);
  hid_t space = H5Screate_simple(rank, extent, most), properties = growing_properties(&slot->column, table->block);
  hid_t dataset = H5Dcreate2(file->id, slot->column.path, stored_type(slot->column.type), space, H5P_DEFAULT,
                             properties, H5P_DEFAULT);
  H5Pclose(properties);
  H5Sclose(space);
  if (dataset < 0)
    return asp_result_fail(file, slot->column.path);
  slot->dataset = dataset;
  return describe(dataset, slot->column.unit, slot->column.text) ? ASP_OK : asp_result_fail(file, slot->column.path);
}

/* The slots with their rows in memory, without datasets. */
static AspError make_slots(const AspH5File *file, const ResultColumn *columns, int count, int block,
                           ResultTable *table) {
  *table = (ResultTable){.file = file, .block = (hsize_t)block};
  table->slot = asp_allocate(file->context, (size_t)count, sizeof *table->slot);
  if (!table->slot)
    return ASP_ERROR_MEMORY;
  table->count = count;
  for (int i = 0; i < count; i++) {
    ResultSlot *slot = &table->slot[i];
    slot->column = columns[i];
    slot->row_bytes = asp_result_row_bytes(&columns[i]);
    hsize_t fitting = slot->row_bytes ? BLOCK_BYTES / slot->row_bytes : table->block;
    table->block = fitting < table->block ? (fitting ? fitting : 1) : table->block;
  }
  for (int i = 0; i < count; i++) {
    table->slot[i].rows = asp_allocate(file->context, (size_t)table->block, table->slot[i].row_bytes);
    if (!table->slot[i].rows)
      return ASP_ERROR_MEMORY;
  }
  return ASP_OK;
}

AspError asp_table_create(const AspH5File *file, const ResultColumn *columns, int count, int block,
                          ResultTable *table) {
  ASP_TRY(make_slots(file, columns, count, block, table));
  for (int i = 0; i < count; i++)
    ASP_TRY(create_slot(table, &table->slot[i]));
  return ASP_OK;
}

/* The dataset of a column, with at least `rows` rows of its shape; *room: how many it has. */
static bool open_slot(const AspH5File *file, ResultSlot *slot, hsize_t rows, hsize_t *room) {
  hsize_t wanted[3], found[3] = {0};
  int rank = extent_of(&slot->column, rows, wanted);
  slot->dataset = asp_h5_has(file, slot->column.path) ? H5Dopen2(file->id, slot->column.path, H5P_DEFAULT) : 0;
  if (slot->dataset <= 0)
    return false;
  hid_t space = H5Dget_space(slot->dataset);
  bool fits = H5Sget_simple_extent_ndims(space) == rank && H5Sget_simple_extent_dims(space, found, NULL) >= 0;
  H5Sclose(space);
  for (int i = 1; i < rank; i++)
    fits = fits && found[i] == wanted[i];
  *room = found[0];
  return fits && found[0] >= rows;
}

AspError asp_table_open(const AspH5File *file, const ResultColumn *columns, int count, int block, hsize_t rows,
                        ResultTable *table) {
  hsize_t room = 0;
  bool any = false;
  ASP_TRY(make_slots(file, columns, count, block, table));
  for (int i = 0; i < count; i++) {
    ResultSlot *slot = &table->slot[i];
    hsize_t of_slot = 0;
    if (slot->row_bytes == 0)
      continue;
    if (!open_slot(file, slot, rows, &of_slot))
      return asp_fail(file->context, ASP_ERROR_INPUT,
                      "%s: %s does not have the %llu rows of the checkpoint; the result is damaged, or of another run",
                      file->path, slot->column.path, (unsigned long long)rows);
    room = any && room < of_slot ? room : of_slot;
    any = true;
  }
  table->rows = table->written = rows;
  table->room = room;
  return ASP_OK;
}

void asp_table_close(ResultTable *table) {
  for (int i = 0; i < table->count; i++) {
    if (table->slot[i].dataset > 0)
      H5Dclose(table->slot[i].dataset);
    asp_release(table->file->context, table->slot[i].rows);
  }
  if (table->slot)
    asp_release(table->file->context, table->slot);
  *table = (ResultTable){0};
}

static AspError set_room(ResultTable *table, hsize_t room) {
  for (int i = 0; i < table->count; i++) {
    ResultSlot *slot = &table->slot[i];
    hsize_t extent[3];
    extent_of(&slot->column, room, extent);
    if (slot->dataset > 0 && H5Dset_extent(slot->dataset, extent) < 0)
      return asp_result_fail(table->file, slot->column.path);
  }
  table->room = room;
  return ASP_OK;
}

AspError asp_table_reserve(ResultTable *table, bool *grown) {
  if (table->rows < table->room && table->rows - table->written < table->block)
    return ASP_OK;
  ASP_TRY(asp_table_write(table));
  if (table->rows < table->room) // a file that is gone on with has room for more than a block
    return ASP_OK;
  size_t bytes = 0;
  for (int i = 0; i < table->count; i++)
    bytes += (size_t)table->block * table->slot[i].row_bytes;
  ASP_TRY(asp_result_reserve(table->file, bytes));
  *grown = true;
  return set_room(table, table->room + table->block);
}

void *asp_table_row(ResultTable *table, int column) {
  ResultSlot *slot = &table->slot[column];
  return slot->rows + (size_t)(table->rows - table->written) * slot->row_bytes;
}

void asp_table_next(ResultTable *table) { table->rows++; }

static AspError write_slot(const ResultTable *table, const ResultSlot *slot) {
  hsize_t start[3] = {table->written, 0, 0}, extent[3];
  int rank = extent_of(&slot->column, table->rows - table->written, extent);
  hid_t memory = H5Screate_simple(rank, extent, NULL), file = H5Dget_space(slot->dataset);
  bool good = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
              H5Dwrite(slot->dataset, memory_type(slot->column.type), memory, file, H5P_DEFAULT, slot->rows) >= 0;
  AspError error = good ? ASP_OK : asp_result_fail(table->file, slot->column.path); // before HDF5 forgets why
  H5Sclose(file);
  H5Sclose(memory);
  return error;
}

AspError asp_table_write(ResultTable *table) {
  if (table->written == table->rows)
    return ASP_OK;
  for (int i = 0; i < table->count; i++)
    if (table->slot[i].dataset > 0)
      ASP_TRY(write_slot(table, &table->slot[i]));
  table->written = table->rows;
  return ASP_OK;
}

AspError asp_table_trim(ResultTable *table) {
  ASP_TRY(asp_table_write(table));
  return table->room > table->rows ? set_room(table, table->rows) : ASP_OK;
}
