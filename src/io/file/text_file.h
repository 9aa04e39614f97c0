/* Files as a whole: read into memory, written to the end. Depends on base. */
#ifndef ASP_IO_TEXT_FILE_H
#define ASP_IO_TEXT_FILE_H

#include "base/base.h"

#include <stdio.h>

#define ASP_TEXT_FILE_MAX_MB 256

/* The error of a call that left `reason` in errno: lack of memory, a full and a failing disk are not the
 * fault of the file's name. */
AspError asp_file_error(int reason);
/* *text gets the file's bytes and a zero behind them, from the context. ASP_ERROR_FILE names the path and the reason:
 * missing, a directory, not permitted, too large. */
AspError asp_text_file_read(AspContext *context, const char *path, char **text, size_t *length);

/* NULL with ASP_ERROR_FILE in *error (path and reason) when it cannot be made. */
FILE *asp_file_create(AspContext *context, const char *path, AspError *error);
/* Closes what was written. ASP_ERROR_STORAGE (path and reason) when not all of it has arrived;
 * the file is removed then. */
AspError asp_file_finish(AspContext *context, const char *path, FILE *file);
/* Closes and removes what was begun: the rest cannot be made. */
void asp_file_abandon(const char *path, FILE *file);

#endif
