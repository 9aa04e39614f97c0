/* Two columns of numbers from a text file (CSV and its relatives). Depends on base. */
#ifndef ASP_IO_COLUMNS_H
#define ASP_IO_COLUMNS_H

#include "base/base.h"

/* A column by its name in the header line, or by its number. */
typedef struct FileColumn {
  const char *name; /* NULL: by number */
  int number;       /* from 1 */
} FileColumn;

typedef struct FileColumns {
  double *x, *y; /* count; the context's */
  int count;
  uint64_t hash; /* of the file's bytes */
} FileColumns;

/* The values of x ascend. ASP_ERROR_FILE, ASP_ERROR_INPUT: the message names file, line, value and what would be right.
 * The caller frees x and y. */
AspError asp_columns_read(AspContext *context, const char *path, FileColumn x, FileColumn y, FileColumns *columns);

#endif
