/* The files that a scene depended on, in its result. Depends on the layout and the reader. */
#ifndef ASP_IO_RESULT_FILES_H
#define ASP_IO_RESULT_FILES_H

#include "io/result/model.h"

typedef struct ResultFiles {
  ResultTexts path, hash;
} ResultFiles;

/* Nothing is written where the scene has none. */
AspError asp_result_files_write(const AspH5File *file, const AspScene *scene);
/* None where the file has none. */
AspError asp_result_files_read(const ResultFile *result, ResultFiles *files);
/* Safe on a zeroed struct. */
void asp_result_files_free(AspContext *context, ResultFiles *files);

#endif
