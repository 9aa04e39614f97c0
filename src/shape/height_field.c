/* Height fields: a copied grid of heights. */
#include "asperity/shape.h"
#include "base/base.h"
#include "shape/tuning/shape.h"

#include <math.h>

static AspError check(AspContext *context, int columns, int rows, double dx, double dy, const double *heights) {
  if (columns < 2 || rows < 2 || columns > HEIGHT_FIELD_GRID_MOST || rows > HEIGHT_FIELD_GRID_MOST ||
      (int64_t)columns * rows > 1 << 28)
    return asp_fail(context, ASP_ERROR_INPUT, "columns, rows: %d x %d grid points, expected 2 to %d each, 2^28 in all",
                    columns, rows, HEIGHT_FIELD_GRID_MOST);
  if (!(dx >= HEIGHT_FIELD_SPACING_LEAST && dx <= HEIGHT_FIELD_SPACING_MOST && dy >= HEIGHT_FIELD_SPACING_LEAST &&
        dy <= HEIGHT_FIELD_SPACING_MOST))
    return asp_fail(context, ASP_ERROR_INPUT, "spacing: %g x %g is not in [1e-30, HEIGHT_FIELD_SPACING_MOST] m", dx,
                    dy);
  for (size_t i = 0; i < (size_t)columns * (size_t)rows; i++)
    if (!(fabs(heights[i]) <= HEIGHT_FIELD_SPACING_MOST))
      return asp_fail(context, ASP_ERROR_INPUT, "heights[%zu]: %g is not within +-HEIGHT_FIELD_SPACING_MOST m", i,
                      heights[i]);
  return ASP_OK;
}

AspError asp_height_field_create(AspContext *context, int columns, int rows, double dx, double dy,
                                 const double *heights, AspHeightField **field) {
  *field = NULL;
  ASP_TRY(check(context, columns, rows, dx, dy, heights));
  size_t count = (size_t)columns * (size_t)rows;
  AspHeightField *made = asp_allocate(context, 1, sizeof *made + count * sizeof *heights);
  if (!made)
    return ASP_ERROR_MEMORY;
  double *copy = (double *)(made + 1);
  memcpy(copy, heights, count * sizeof *heights);
  *made = (AspHeightField){columns, rows, dx, dy, copy, copy[0], copy[0]};
  for (size_t i = 1; i < count; i++) {
    made->low = fmin(made->low, copy[i]);
    made->high = fmax(made->high, copy[i]);
  }
  *field = made;
  return ASP_OK;
}

void asp_height_field_destroy(AspContext *context, AspHeightField *field) { asp_release(context, field); }
