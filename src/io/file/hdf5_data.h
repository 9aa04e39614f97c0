/* HDF5 files for our readers and writers: whole one-dimensional datasets in and out, every failure as an AspError whose
 * message names file and dataset. HDF5's own printing is off between open and close. Depends on base and HDF5.
 */
#ifndef ASP_IO_HDF5_DATA_H
#define ASP_IO_HDF5_DATA_H

#include "base/base.h"

#include <hdf5.h>

/* An open file. Names are absolute paths inside it ("/fclib_local/W/p"). */
typedef struct AspH5File {
  AspContext *context;
  const char *path; /* as the user gave it, for messages */
  char *part;       /* where it is begun, when it is being made; else NULL */
  hid_t id;
  H5E_auto2_t error_print; /* the caller's error printing, put back on close */
  void *error_print_data;
} AspH5File;

/* Open for reading; a file whose writer died in the middle of a change is put back first (undo.h). A missing file is
 * ASP_ERROR_FILE, one that is not (or no longer) HDF5 is ASP_ERROR_INPUT. */
AspError asp_h5_open(AspContext *context, const char *path, AspH5File *file);
/* Before the first call of HDF5: what it needs once, which fails for lack of memory alone. */
AspError asp_h5_start(AspContext *context, const char *path);
/* Why a new file could not be made under the name of its unfinished part. */
AspError asp_h5_not_created(AspContext *context, const char *path, const char *part);
/* ASP_ERROR_INPUT, for what HDF5 cannot read; ASP_ERROR_MEMORY where there is none left to read it with. */
AspError asp_h5_input_error(void);
/* The failure of HDF5 that has just been met on this file: lack of memory, a file that cannot be opened, or damage. */
AspError asp_h5_unreadable(AspContext *context, const char *path);
/* A file may be replaced, but not a device, a pipe or a folder. */
AspError asp_h5_check_target(AspContext *context, const char *path);
/* Begin a new file as PATH.part, so that `path` is only ever replaced by a whole file. Fails where the path is no place
 * for a file. */
AspError asp_h5_create(AspContext *context, const char *path, AspH5File *file);
/* Close a file that was begun: it takes its place when `error`, how the writing went, is ASP_OK, and is removed
 * otherwise. Returns the first failure. */
AspError asp_h5_finish(AspH5File *file, AspError error);
/* Safe on a file that was zeroed and never opened. Fails only when what was written could not reach the disk. */
AspError asp_h5_close(AspH5File *file);

/* HDF5's own printing off, and as it was before; open, create and close do this by themselves. */
void asp_h5_silence(AspH5File *file);
void asp_h5_restore(AspH5File *file);
/* Creation properties without time stamps: equal contents give equal files. */
hid_t asp_h5_timeless(hid_t class);

/* True when every link of the path exists. */
bool asp_h5_has(const AspH5File *file, const char *name);

/* Number of elements of a dataset of numbers: its type, its rank (0 or 1) and that the file really stores them are
 * checked, so that the count is safe to allocate. `whole`: only integer types are right. */
AspError asp_h5_count(const AspH5File *file, const char *name, bool whole, size_t *count);

/* Read exactly `count` elements; another length is an error. Reals are checked to be finite. */
AspError asp_h5_read_reals(const AspH5File *file, const char *name, size_t count, double *values);
AspError asp_h5_read_integers(const AspH5File *file, const char *name, size_t count, int64_t *values);
/* One integer within [low, high]. */
AspError asp_h5_read_integer(const AspH5File *file, const char *name, int64_t low, int64_t high, int *value);
/* Text, fixed or variable length, on the context; the caller releases it. */
AspError asp_h5_read_text(const AspH5File *file, const char *name, char **text);

AspError asp_h5_make_group(const AspH5File *file, const char *name);
AspError asp_h5_write_reals(const AspH5File *file, const char *name, size_t count, const double *values);
AspError asp_h5_write_integers(const AspH5File *file, const char *name, size_t count, const int *values);
AspError asp_h5_write_text(const AspH5File *file, const char *name, const char *text);

#endif
