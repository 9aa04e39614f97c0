/* Where the files lie that a model names. A plain path is relative to a folder of the model; file:// is a plain path.
 * package://NAME/REST and model://NAME/REST are looked for in this order:
 *
 *   1. the folder that the options give for NAME (NAME=FOLDER)
 *   2. folders of the environment, ASPERITY_PACKAGE_PATH, ROS_PACKAGE_PATH, GAZEBO_MODEL_PATH: FOLDER/NAME/REST, and
 *      FOLDER/REST where FOLDER itself is called NAME
 *   3. upwards from the model's folder: FOLDER/NAME/REST, then FOLDER/ with what is left of REST without its first
 *      folders, as long as two parts are left
 *
 * A plain path must lie below the folder that holds the model's folder, unless the options allow all.
 */
#define _XOPEN_SOURCE 700
#include "io/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEVELS_UP   8
#define TRIED_SHOWN 600 /* characters of a message */

typedef struct Search {
  Import *import;
  const char *tried;
  const char *folders; /* where the package itself was looked for */
  bool there;          /* one of them is there */
} Search;

static bool is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The path where there is a file, otherwise NULL and one more that was tried. */
static const char *look(Search *search, const char *path) {
  if (is_file(path))
    return path;
  if (strlen(search->tried) < TRIED_SHOWN)
    search->tried = asp_import_text(search->import, "%s%s%s", search->tried, *search->tried ? ", " : "", path);
  return NULL;
}

static void look_at_folder(Search *search, const char *path) {
  struct stat status;
  search->there = search->there || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
  if (strlen(search->folders) < TRIED_SHOWN)
    search->folders = asp_import_text(search->import, "%s%s%s", search->folders, *search->folders ? ", " : "", path);
}

static const char *last_part(const char *path, size_t length) {
  while (length > 0 && path[length - 1] != '/')
    length--;
  return path + length;
}

/* In one folder of a list: below the package's name, or in the folder that has this name. */
static const char *look_in(Search *search, const char *folder, size_t length, const char *name, const char *rest) {
  while (length > 1 && folder[length - 1] == '/')
    length--;
  look_at_folder(search, asp_import_text(search->import, "%.*s/%s", (int)length, folder, name));
  const char *found = look(search, asp_import_text(search->import, "%.*s/%s/%s", (int)length, folder, name, rest));
  const char *own = last_part(folder, length);
  size_t own_length = (size_t)(folder + length - own);
  bool same = own_length == strlen(name) && strncmp(own, name, own_length) == 0;
  search->there = search->there || same;
  if (!found && same)
    found = look(search, asp_import_text(search->import, "%.*s/%s", (int)length, folder, rest));
  return found;
}

static const char *look_in_environment(Search *search, const char *name, const char *rest) {
  static const char *const variables[] = {"ASPERITY_PACKAGE_PATH", "ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *list = getenv(variables[i]);
    while (list && *list) {
      size_t length = strcspn(list, ":");
      const char *found = length > 0 ? look_in(search, list, length, name, rest) : NULL;
      if (found)
        return found;
      list += length + (list[length] == ':');
    }
  }
  return NULL;
}

static const char *look_upwards(Search *search, const char *name, const char *rest) {
  const char *folder = search->import->folder;
  for (int level = 0; level < LEVELS_UP; level++) {
    look_at_folder(search, asp_import_text(search->import, "%s%s", folder, name));
    const char *found = look(search, asp_import_text(search->import, "%s%s/%s", folder, name, rest));
    for (const char *part = rest; !found && part && strchr(part, '/'); part = strchr(part, '/') + 1) {
      const char *path = asp_import_text(search->import, "%s%s", folder, part);
      found = is_file(path) ? path : NULL;
    }
    if (found)
      return found;
    folder = asp_import_text(search->import, "%s../", folder);
  }
  return NULL;
}

static const char *look_for_package(Search *search, const char *name, const char *rest) {
  const AspImportOptions *options = search->import->options;
  size_t length = strlen(name);
  for (int i = 0; i < options->package_count; i++)
    if (strncmp(options->package[i], name, length) == 0 && options->package[i][length] == '=') {
      look_at_folder(search, options->package[i] + length + 1);
      return look(search, asp_import_text(search->import, "%s/%s", options->package[i] + length + 1, rest));
    }
  const char *found = look_in_environment(search, name, rest);
  return found ? found : look_upwards(search, name, rest);
}

/* Does the file lie below the folder that holds the model's folder, links resolved? */
static bool is_near(Import *import, const char *path) {
  const char *above = asp_import_text(import, "%s..", *import->folder ? import->folder : "./");
  char *top = realpath(above, NULL), *real = realpath(path, NULL);
  size_t length = top ? strlen(top) : 0;
  bool near = top && real && strncmp(real, top, length) == 0 && (real[length] == '/' || length == 1);
  free(top);
  free(real);
  return near;
}

const char *asp_import_find(Import *import, const char *folder, const char *name, const char **tried) {
  Search search = {import, "", "", false};
  const char *found = NULL, *rest = strstr(name, "://");
  if (rest && strncmp(name, "file://", 7) != 0) {
    const char *package = rest + 3, *slash = strchr(package, '/');
    if (slash)
      found = look_for_package(&search, asp_import_text(import, "%.*s", (int)(slash - package), package), slash + 1);
  } else {
    const char *plain = rest ? rest + 3 : name;
    found = look(&search, *plain == '/' ? plain : asp_import_text(import, "%s%s", folder, plain));
    if (found && !import->options->anywhere && !is_near(import, found)) {
      search.tried = asp_import_text(import, "%s lies outside the model's folders; allow it by --anywhere", found);
      found = NULL;
    }
  }
  bool lost = !found && *search.folders && !search.there;
  import->lost = lost ? asp_import_text(import, "%.*s", (int)(rest + 3 + strcspn(rest + 3, "/") - name), name) : NULL;
  *tried = lost ? search.folders : search.tried;
  return found;
}

const char *asp_import_seen_from_scene(Import *import, const char *path) {
  const char *scene = import->options->scene_folder;
  if (!scene) { // the scene is read in place of the model
    size_t length = strlen(import->folder);
    if (*path == '/' || strncmp(path, import->folder, length) == 0)
      return *path == '/' ? path : path + length;
    scene = import->folder;
  }
  char *from = realpath(*scene ? scene : ".", NULL), *to = realpath(path, NULL);
  const char *seen = path;
  if (from && to) {
    size_t common = 0, mark = 0;
    for (; from[common] && from[common] == to[common]; common++)
      if (to[common] == '/')
        mark = common + 1;
    if (!from[common] && to[common] == '/')
      mark = common + 1;
    seen = to + mark;
    for (const char *at = from + (mark < strlen(from) ? mark : strlen(from)); at && *at; at = strchr(at, '/')) {
      at += *at == '/';
      seen = asp_import_text(import, "../%s", seen);
    }
    if (seen == to + mark)
      seen = asp_import_text(import, "%s", seen);
  }
  free(from);
  free(to);
  return seen;
}
