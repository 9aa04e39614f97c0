/* Driver of HDF5 with an undo log (see hdf5_driver.h). The same features as HDF5's own driver of plain files (sec2), so
 * that the bytes of a file do not depend on the driver.
 *
 * What is logged. The structure changes where HDF5 asks for other space (the end of what is in use moves) or writes
 * anything but raw data. From then on until the flush raw data are logged, too: they may lie where structure was.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file/hdf5_driver.h"
#include "io/file/undo.h"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRIVER_NUMBER 489 /* of those that HDF5 leaves to others: 256 to 511 */

typedef struct File {
  H5FD_t common; /* HDF5's; first */
  AspH5Driver driver;
  int file;
  haddr_t in_use; /* end of the addresses that HDF5 has given away */
  haddr_t end;    /* of the file, as HDF5 knows it */
  bool changing;  /* structure: since the last flush */
  AspUndo undo;
} File;

/* For the messages of result/table.c, which look for this wording of HDF5's own driver. */
static herr_t fail(const char *what) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
           "%s failed, error message = '%s'", what, strerror(errno));
  return -1;
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most) {
  (void)most;
  const AspH5Driver *driver = H5Pget_driver_info(access);
  int how = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) |
            (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0);
  struct stat status;
  File *made = driver ? calloc(1, sizeof *made) : NULL;
  if (!made)
    return NULL;
  made->driver = *driver;
  made->undo.log = -1;
  made->file = open(name, how | O_CLOEXEC, 0666);
  if (made->file < 0 || fstat(made->file, &status) != 0 ||
      !asp_undo_begin(&made->undo, driver->path, made->file, (uint64_t)status.st_size)) {
    fail("opening");
    if (made->file >= 0)
      close(made->file);
    free(made);
    return NULL;
  }
  made->end = (haddr_t)status.st_size;
  return &made->common;
}

static herr_t keep_change(File *of);

static herr_t close_file(H5FD_t *common) {
  File *of = (File *)common;
  herr_t status = keep_change(of);
  asp_undo_end(&of->undo);
  if (close(of->file) != 0)
    status = fail("closing");
  free(of);
  return status;
}

static int compare(const H5FD_t *a, const H5FD_t *b) {
  int left = ((const File *)a)->file, right = ((const File *)b)->file;
  return left < right ? -1 : left > right;
}

static herr_t query(const H5FD_t *common, unsigned long *flags) {
  (void)common;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t get_in_use(const H5FD_t *common, H5FD_mem_t type) {
  (void)type;
  return ((const File *)common)->in_use;
}

static herr_t set_in_use(H5FD_t *common, H5FD_mem_t type, haddr_t address) {
  File *of = (File *)common;
  (void)type;
  of->changing |= address != of->in_use && of->in_use > 0;
  of->in_use = address;
  return 0;
}

static haddr_t get_end(const H5FD_t *common, H5FD_mem_t type) {
  (void)type;
  return ((const File *)common)->end;
}

static herr_t get_handle(H5FD_t *common, hid_t access, void **handle) {
  (void)access;
  *handle = &((File *)common)->file;
  return 0;
}

static herr_t read_bytes(H5FD_t *common, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t count, void *bytes) {
  const File *of = (const File *)common;
  (void)type;
  (void)transfer;
  for (size_t done = 0; done < count;) {
    ssize_t got = pread(of->file, (char *)bytes + done, count - done, (off_t)(address + done));
    if (got < 0 && errno != EINTR)
      return fail("reading");
    if (got == 0) { // behind the end: zeros, as HDF5's own driver has it
      memset((char *)bytes + done, 0, count - done);
      return 0;
    }
    done += got > 0 ? (size_t)got : 0;
  }
  return 0;
}

static herr_t write_bytes(H5FD_t *common, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t count,
                          const void *bytes) {
  File *of = (File *)common;
  (void)transfer;
  of->changing |= type != H5FD_MEM_DRAW;
  if (of->changing)
    asp_undo_note(&of->undo, address, count);
  for (size_t done = 0; done < count;) {
    if (of->driver.before_write)
      of->driver.before_write(of->driver.of);
    ssize_t put = pwrite(of->file, (const char *)bytes + done, count - done, (off_t)(address + done));
    if (put < 0 && errno != EINTR)
      return fail("writing");
    done += put > 0 ? (size_t)put : 0;
  }
  of->end = address + count > of->end ? address + count : of->end;
  return 0;
}

/* Longer at once; shorter when the change is whole, since what is cut off belongs to the state before it. */
static herr_t set_length(H5FD_t *common, hid_t transfer, hbool_t closing) {
  File *of = (File *)common;
  (void)transfer;
  (void)closing;
  if (of->end < of->in_use && ftruncate(of->file, (off_t)of->in_use) != 0)
    return fail("extending");
  of->changing |= of->end != of->in_use;
  of->end = of->in_use;
  return 0;
}

static herr_t keep_change(File *of) {
  if (!of->changing)
    return 0;
  if (of->driver.before_write)
    of->driver.before_write(of->driver.of);
  asp_undo_keep(&of->undo, of->end);
  of->changing = false;
  return ftruncate(of->file, (off_t)of->end) == 0 ? 0 : fail("cutting to length");
}

static herr_t flush(H5FD_t *common, hid_t transfer, hbool_t closing) {
  (void)transfer;
  (void)closing;
  return keep_change((File *)common);
}

hid_t asp_h5_use_driver(hid_t access, const AspH5Driver *driver) {
  static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION
      .version = H5FD_CLASS_VERSION,
      .value = (H5FD_class_value_t)DRIVER_NUMBER,
#endif
      .name = "asperity-undo",
      .maxaddr = ((haddr_t)1 << 62),
      .fc_degree = H5F_CLOSE_WEAK,
      .fapl_size = sizeof(AspH5Driver),
      .open = open_file,
      .close = close_file,
      .cmp = compare,
      .query = query,
      .get_eoa = get_in_use,
      .set_eoa = set_in_use,
      .get_eof = get_end,
      .get_handle = get_handle,
      .read = read_bytes,
      .write = write_bytes,
      .flush = flush,
      .truncate = set_length,
      .fl_map = H5FD_FLMAP_DICHOTOMY};
  hid_t id = H5FDregister(&class);
  if (id < 0 || H5Pset_driver(access, id, driver) >= 0)
    return id;
  H5FDunregister(id);
  return -1;
}
