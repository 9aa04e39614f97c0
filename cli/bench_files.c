/* Problem files of a folder: see bench_files.h. */
#include "bench_files.h"

#include "asperity/io.h"
#include "grow.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static AspError append(FileList *list, const char *path) {
  if (!grow(&list->path, &list->capacity, (size_t)list->count + 1, sizeof *list->path))
    return ASP_ERROR_MEMORY;
  list->path[list->count] = strdup(path);
  return list->path[list->count] ? (list->count++, ASP_OK) : ASP_ERROR_MEMORY;
}

static bool is_shown(const char *name) { return name[0] != '.'; }

static AspError walk(AspContext *context, FileList *list, const char *folder) {
  DIR *stream = opendir(folder);
  AspError error = ASP_OK;
  if (!stream)
    return ASP_ERROR_FILE;
  for (struct dirent *entry = readdir(stream); entry && error == ASP_OK; entry = readdir(stream)) {
    if (!is_shown(entry->d_name))
      continue;
    size_t length = strlen(folder) + strlen(entry->d_name) + 2;
    char *path = malloc(length);
    if (!path) {
      error = ASP_ERROR_MEMORY;
      break;
    }
    snprintf(path, length, "%s/%s", folder, entry->d_name);
    error = file_list_add(context, list, path);
    free(path);
  }
  closedir(stream);
  return error;
}

static int compare(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

AspError file_list_add(AspContext *context, FileList *list, const char *folder) {
  struct stat status;
  if (stat(folder, &status) != 0)
    return ASP_ERROR_FILE;
  AspError error = ASP_OK;
  if (S_ISDIR(status.st_mode))
    error = walk(context, list, folder);
  else if (S_ISREG(status.st_mode) && asp_fclib_recognise(context, folder))
    error = append(list, folder);
  if (list->count > 0)
    qsort(list->path, (size_t)list->count, sizeof *list->path, compare);
  return error;
}

void file_list_free(FileList *list) {
  for (int i = 0; i < list->count; i++)
    free(list->path[i]);
  free(list->path);
}
