/* Height fields of MJCF: a grid of nrow by ncol heights over [-rx, rx] x [-ry, ry], from the file itself or from a
 * binary file (two 32-bit integers nrow, ncol, then 32-bit floats), by rows of equal y. Heights are stretched to lie
 * between 0 and 1, then scaled by the third size. The first row of `elevation` is the one with the largest y. */
#include "io/import/mjcf.h"

#include "linalg/vec3.h"

#include <stdio.h>

#define GRID_MAX 4096 /* heights along a side */

typedef struct Grid {
  int rows, columns;
  double *height; /* rows of ascending y */
} Grid;

static const XmlNode *find_asset(const MjcfModel *model, const char *name) {
  for (XmlNode *section = asp_xml_child(model->root, "asset"); section; section = asp_xml_next(section))
    for (XmlNode *asset = asp_xml_child(section, "hfield"); asset; asset = asp_xml_next(asset)) {
      const char *own = asp_xml_attribute(asset, "name");
      if (own && strcmp(own, name) == 0)
        return asset;
    }
  return NULL;
}

static bool fits(int rows, int columns) { return rows >= 2 && columns >= 2 && rows <= GRID_MAX && columns <= GRID_MAX; }

static bool take_grid(Import *import, Grid *grid) {
  grid->height = asp_import_take(import, (size_t)grid->rows * (size_t)grid->columns, sizeof *grid->height);
  return grid->height != NULL;
}

/* A picture is not read; *problem: why not. */
static bool read_binary(Mjcf *mjcf, const MjcfScope *scope, const char *name, Grid *grid, const char **problem) {
  Import *import = mjcf->robot->import;
  const char *tried = "", *path = asp_import_find(import, scope->model->mesh_folder, name, &tried);
  size_t length = strlen(name);
  *problem = asp_import_text(import, "%s was not found; tried: %s", name, tried);
  if (!path)
    return false;
  *problem = "not simulated: its heights are in a picture; give them as elevation or as a binary file";
  if (length > 4 && strcmp(name + length - 4, ".png") == 0)
    return false;
  *problem = asp_import_text(import, "%s is not two integers nrow, ncol (2 to %d) and as many floats", name, GRID_MAX);
  FILE *file = fopen(path, "rb");
  int32_t size[2];
  bool sound = file && fread(size, sizeof *size, 2, file) == 2 && fits(size[0], size[1]);
  if (sound) {
    grid->rows = size[0];
    grid->columns = size[1];
    sound = take_grid(import, grid);
  }
  for (int i = 0; sound && i < grid->rows * grid->columns; i++) {
    float height;
    sound = fread(&height, sizeof height, 1, file) == 1 && isfinite(height);
    grid->height[i] = sound ? (double)height : 0;
  }
  if (file)
    fclose(file);
  return sound;
}

static bool read_elevation(Mjcf *mjcf, const XmlNode *asset, Grid *grid, const char **problem) {
  Import *import = mjcf->robot->import;
  const char *text = asp_xml_attribute(asset, "elevation");
  double rows = asp_import_number(import, asset, "nrow", 0), columns = asp_import_number(import, asset, "ncol", 0);
  *problem = asp_import_text(import, "not simulated: nrow is %g and ncol %g; both must lie between 2 and %d", rows,
                             columns, GRID_MAX);
  if (!(rows >= 2 && columns >= 2 && rows <= GRID_MAX && columns <= GRID_MAX))
    return false;
  *grid = (Grid){.rows = (int)rows, .columns = (int)columns};
  int all = grid->rows * grid->columns;
  double *number = asp_import_take(import, (size_t)all, sizeof *number);
  if (!number || !take_grid(import, grid))
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

static void stretch(Grid *grid, double top) {
  int all = grid->rows * grid->columns;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < all; i++) {
    low = fmin(low, grid->height[i]);
    high = fmax(high, grid->height[i]);
  }
  for (int i = 0; i < all; i++)
    grid->height[i] = high > low ? top * (grid->height[i] - low) / (high - low) : 0;
}

static void write_grid(const Grid *grid, const double size[4], RobotShape *shape) {
  double spacing[2] = {2 * size[0] / (grid->columns - 1), 2 * size[1] / (grid->rows - 1)};
  shape->type = "height-field";
  shape->data = cJSON_CreateObject();
  asp_json_add(shape->data, "spacing", cJSON_CreateDoubleArray(spacing, 2));
  cJSON *list = asp_json_add_array(shape->data, "heights");
  for (int i = 0; i < grid->rows; i++)
    asp_json_append(list,
                         cJSON_CreateDoubleArray(grid->height + (size_t)i * (size_t)grid->columns, grid->columns));
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
  Grid grid = {0};
  const char *file = asp_xml_attribute(asset, "file");
  ((XmlNode *)asset)->used = true;
  asp_import_vector(import, asset, "size", size, 4);
  bool sound = file ? read_binary(mjcf, scope, file, &grid, &problem) : read_elevation(mjcf, asset, &grid, &problem);
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
