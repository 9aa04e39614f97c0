/* A whole text file in memory. Depends on base. */
#ifndef ASP_IO_TEXT_FILE_H
#define ASP_IO_TEXT_FILE_H

#include "base/base.h"

#define ASP_TEXT_FILE_MAX_MB 256

/* *text gets the file's bytes and a zero behind them, from the context. ASP_ERROR_FILE names the path and the reason:
 * missing, a directory, not permitted, too large. */
AspError asp_text_file_read(AspContext *context, const char *path, char **text, size_t *length);

#endif
