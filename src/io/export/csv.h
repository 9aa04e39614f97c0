/* What CSV files of results share. Depends on the reader of results. */
#ifndef ASP_IO_EXPORT_CSV_H
#define ASP_IO_EXPORT_CSV_H

#include "io/result/read.h"

#include <stdio.h>

/* ,"text" with quotes doubled. */
void asp_csv_text(FILE *csv, const char *text);
/* ,"name.ending", or ,"name [unit]" where the ending begins with a bracket. */
void asp_csv_title(FILE *csv, const char *name, const char *ending);
/* Opens the result, creates the file, writes it. */
AspError asp_csv_write(AspContext *context, const char *result_path, const char *csv_path,
                       AspError (*write)(FILE *csv, const ResultFile *result, AspArena *scratch));

#endif
