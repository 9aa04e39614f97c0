/* The problem files of a folder and its subfolders, in the order of their names. */
#ifndef CLI_BENCH_FILES_H
#define CLI_BENCH_FILES_H

#include "asperity/base.h"

typedef struct FileList {
  int count;
  size_t capacity;
  char **path;
} FileList;

/* Adds the FCLIB files below `folder` (or the file itself). ASP_ERROR_FILE with errno set when it cannot be read. */
AspError file_list_add(AspContext *context, FileList *list, const char *folder);
void file_list_free(FileList *list);

#endif
