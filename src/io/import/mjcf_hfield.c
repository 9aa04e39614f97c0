/* Height fields of MJCF: a grid of nrow by ncol heights over [-rx, rx] x [-ry, ry], from the file itself, a picture
 * (mjcf_png.c), or from a binary file (two 32-bit integers nrow, ncol, then 32-bit floats), by rows of equal y.
 * Heights are stretched to lie between 0 and 1, then scaled by the third size. The first row of `elevation` is the one
 * with the largest y. */
#include "io/import/mjcf.h"

#include "io/file/text_file.h"
#include "linalg/vec3.h"

#include <strings.h>

static const XmlNode *find_asset(const MjcfModel *model, const char *name) {
  for (XmlNode *section = asp_xml_child(model->root, "asset"); section; section = asp_xml_next(section))
    for (XmlNode *asset = section->child; asset; asset = asset->next) {
      const char *own = strcmp(asset->name, "hfield") == 0 ? asp_xml_attribute(asset, "name") : NULL;
      if (own && strcmp(own, name) == 0)
        return asset;
    }
  return NULL;
}

static bool fits(int rows, int columns) {
  return rows >= 2 && columns >= 2 && rows <= MJCF_GRID_MAX && columns <= MJCF_GRID_MAX;
}

bool asp_mjcf_take_grid(Import *import, int rows, int columns, MjcfGrid *grid) {
  *grid = (MjcfGrid){rows, columns, asp_import_take(import, (size_t)rows * (size_t)columns, sizeof *grid->height)};
  return grid->height != NULL;
}

/* Two integers nrow, ncol and as many floats. */
static bool read_binary(Import *import, const char *text, size_t length, MjcfGrid *grid) {
  int32_t size[2];
  if (length < sizeof size)
    return false;
  memcpy(size, text, sizeof size);
  if (!fits(size[0], size[1]) || !asp_mjcf_take_grid(import, size[0], size[1], grid))
    return false;
  size_t all = (size_t)grid->rows * (size_t)grid->columns;
  for (size_t i = 0; i < all && length >= sizeof size + all * sizeof(float); i++) {
    float height;
    memcpy(&height, text + sizeof size + i * sizeof height, sizeof height);
    if (!isfinite(height))
      return false;
    grid->height[i] = (double)height;
  }
  return length >= sizeof size + all * sizeof(float);
}

static bool read_file(Mjcf *mjcf, const MjcfScope *scope, const char *name, MjcfGrid *grid, const char **problem) {
  Import *import = mjcf->robot->import;
  const char *tried = "", *path = asp_import_find(import, scope->model->mesh_folder, name, &tried);
  size_t length = strlen(name), size = 0;
  bool picture = length > 4 && strcasecmp(name + length - 4, ".png") == 0;
  char *text = NULL;
  *problem = asp_import_text(import, "%s was not found; tried: %s", name, tried);
  if (!path || asp_text_file_read(import->context, path, &text, &size) != ASP_OK)
    return false;
  *problem = picture ? asp_import_text(import, "%s is not a PNG picture of 2 to %d pixels along a side, not interlaced",
                                       name, MJCF_GRID_MAX)
                     : asp_import_text(import, "%s is not two integers nrow, ncol (2 to %d) and as many floats", name,
                                       MJCF_GRID_MAX);
  bool sound = picture ? asp_mjcf_png(import, text, size, grid) : read_binary(import, text, size, grid);
  asp_release(import->context, text);
  return sound;
}

static bool read_elevation(Mjcf *mjcf, const XmlNode *asset, MjcfGrid *grid, const char **problem) {
  Import *import = mjcf->robot->import;
  const char *text = asp_xml_attribute(asset, "elevation");
  double rows = asp_import_number(import, asset, "nrow", 0), columns = asp_import_number(import, asset, "ncol", 0);
  *problem = asp_import_text(import, "not simulated: nrow is %g and ncol %g; both must lie between 2 and %d", rows,
                             columns, MJCF_GRID_MAX);
  if (!(rows >= 2 && columns >= 2 && rows <= MJCF_GRID_MAX && columns <= MJCF_GRID_MAX))
    return false;
  int all = (int)rows * (int)columns;
  double *number = asp_import_take(import, (size_t)all, sizeof *number);
  if (!number || !asp_mjcf_take_grid(import, (int)rows, (int)columns, grid))
    return false;
  int count = text ? asp_import_numbers(import, asset, text, number, all) : 0;
  *problem = asp_import_text(import, "elevation has %d numbers, nrow times ncol is %d", count, all);
  if (text && count != all)
    return false;
  for (int i = 0; i < grid->rows; i++)
    memcpy(grid->height + (size_t)(grid->rows - 1 - i) * (size_t)grid->columns,
           number + (size_t)i * (size_t)grid->columns, (size_t)grid->columns * sizeof *number);
  return true;
}

static void stretch(MjcfGrid *grid, double top) {
  int all = grid->rows * grid->columns;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < all; i++) {
    low = fmin(low, grid->height[i]);
    high = fmax(high, grid->height[i]);
  }
  for (int i = 0; i < all; i++)
    grid->height[i] = high > low ? top * (grid->height[i] - low) / (high - low) : 0;
}

static void write_grid(const MjcfGrid *grid, const double size[4], RobotShape *shape) {
  double spacing[2] = {2 * size[0] / (grid->columns - 1), 2 * size[1] / (grid->rows - 1)};
  shape->type = "height-field";
  shape->data = cJSON_CreateObject();
  asp_json_add(shape->data, "spacing", cJSON_CreateDoubleArray(spacing, 2));
  cJSON *list = asp_json_add_array(shape->data, "heights");
  for (int i = 0; i < grid->rows; i++)
    asp_json_append(list, cJSON_CreateDoubleArray(grid->height + (size_t)i * (size_t)grid->columns, grid->columns));
  shape->pose.position = add3(shape->pose.position, quat_rotate(shape->pose.orientation, vec3(-size[0], -size[1], 0)));
}

bool asp_mjcf_hfield(Mjcf *mjcf, const MjcfScope *scope, const XmlNode *geom, RobotShape *shape) {
  Import *import = mjcf->robot->import;
  const char *name = asp_mjcf_attribute(mjcf, scope, geom, "geom", "hfield"), *problem = "";
  const XmlNode *asset = name ? find_asset(scope->model, name) : NULL;
  if (!asset) {
    asp_import_fail(import, geom, "geom: there is no hfield '%s'", name ? name : "");
    return false;
  }
  double size[4] = {0};
  MjcfGrid grid = {0};
  const char *file = asp_xml_attribute(asset, "file");
  ((XmlNode *)asset)->used = true;
  asp_import_vector(import, asset, "size", size, 4);
  bool sound = file ? read_file(mjcf, scope, file, &grid, &problem) : read_elevation(mjcf, asset, &grid, &problem);
  if (sound && !(size[0] > 0 && size[1] > 0 && size[2] > 0)) {
    problem = "a size is not positive";
    sound = false;
  }
  if (sound && shape->drawn) {
    asp_import_note(import, ASP_IMPORT_IRRELEVANT, geom, "geom hfield=", "a height field that is drawn only");
    return false;
  }
  if (sound) {
    stretch(&grid, size[2]);
    write_grid(&grid, size, shape);
  } else if (import->error == ASP_OK) {
    asp_import_note(import, shape->drawn ? ASP_IMPORT_IRRELEVANT : ASP_IMPORT_IGNORED, geom, "geom hfield=", "%s",
                    problem);
  }
  return sound && import->error == ASP_OK;
}
