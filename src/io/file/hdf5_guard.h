/* Files of unknown origin, before HDF5 reads them in this process (docs/decisions/damaged-hdf5.md).
 *
 * HDF5 does not survive every damaged file: it follows wrong addresses, divides by zero, recurses without end. So a
 * child process walks the file's whole structure first, with limits on memory and time: every link, object, attribute
 * and index of chunks, and the data where reading them is more than copying bytes (filters, texts of variable length).
 * Depends on base and HDF5.
 */
#ifndef ASP_IO_HDF5_GUARD_H
#define ASP_IO_HDF5_GUARD_H

#include "base/base.h"

/* ASP_ERROR_INPUT: HDF5 does not survive reading the file, takes too long over it, cannot walk it, or would read other
 * files that it names. ASP_ERROR_MEMORY: there is no memory or no process for the check. */
AspError asp_h5_guard(AspContext *context, const char *path);

#endif
