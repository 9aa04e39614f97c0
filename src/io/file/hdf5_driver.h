/* Driver of HDF5 for files that grow while a run goes on: every change of the file's structure is whole or undone.
 *
 * HDF5 writes its structure (headers, indices) in place and in no particular order when it is flushed. A program that
 * dies in the middle of a flush leaves a file that HDF5 can no longer read. With this driver the bytes that a flush
 * overwrites go to an undo log first (undo.h); H5Fflush ends the change. Rows written into space that the file has,
 * while its structure stays as it is, are not logged: they count when the owner says so. Depends on base and HDF5.
 */
#ifndef ASP_IO_HDF5_DRIVER_H
#define ASP_IO_HDF5_DRIVER_H

#include <hdf5.h>

typedef struct AspH5Driver {
  const char *path;               /* where the file belongs, while it is open; its log is PATH.undo */
  void (*before_write)(void *of); /* NULL, or called before each change of the file on disk (for tests) */
  void *of;
} AspH5Driver;

/* Files that are created or opened with `access` use this driver. The caller unregisters what it returns once they are
 * closed (H5FDunregister): H5Fclose of HDF5 1.10 calls the driver after giving up its own reference. Negative on
 * failure. */
hid_t asp_h5_use_driver(hid_t access, const AspH5Driver *driver);

#endif
