/* Which file was checked last (io/file/hdf5_guard.h), so that a command that opens one several times checks it once. */
#ifndef ASP_BASE_FILE_MARK_H
#define ASP_BASE_FILE_MARK_H

#include "base/base.h"

typedef struct AspFileMark {
  uint64_t device, number;      /* of the file; all zero: none */
  int64_t size;                 /* bytes */
  int64_t seconds, nanoseconds; /* of its last change */
} AspFileMark;

AspFileMark *asp_context_checked(AspContext *context);

#endif
