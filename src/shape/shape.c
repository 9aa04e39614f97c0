/* Shapes: names and validation. One row per kind in ASP_SHAPE_LIST (asperity/shape.h). */
#include "asperity/shape.h"
#include "base/base.h"
#include "linalg/vec3.h"
#include "shape/tuning/shape.h"

typedef struct KindRow {
  const char *name;
  bool in_3d, in_2d;
} KindRow;

static const KindRow kinds[ASP_SHAPE_COUNT] = {
#define ASP_SHAPE_ROW(kind, text, three, two) [kind] = {.name = (text), .in_3d = (three), .in_2d = (two)},
    ASP_SHAPE_LIST(ASP_SHAPE_ROW)
#undef ASP_SHAPE_ROW
};

static bool known(AspShapeKind kind) { return (int)kind >= 0 && kind < ASP_SHAPE_COUNT; }

AspShape asp_shape_default(AspShapeKind kind) { return (AspShape){.kind = kind}; }

const char *asp_shape_kind_name(AspShapeKind kind) { return known(kind) ? kinds[kind].name : "unknown"; }

bool asp_shape_kind_from_name(const char *name, AspShapeKind *kind) {
  for (int i = 0; name && i < ASP_SHAPE_COUNT; i++)
    if (strcmp(name, kinds[i].name) == 0) {
      *kind = (AspShapeKind)i;
      return true;
    }
  return false;
}

static AspError check_size(AspContext *context, const char *field, double value) {
  if (value >= SHAPE_SIZE_LEAST && value <= SHAPE_SIZE_GREATEST)
    return ASP_OK;
  return asp_fail(context, ASP_ERROR_INPUT, "%s: %g is not a size in [%g, %g] m", field, value, SHAPE_SIZE_LEAST,
                  SHAPE_SIZE_GREATEST);
}

AspError asp_shape_validate(AspContext *context, const AspShape *shape, int dimension) {
  if (!shape)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "shape: none given");
  if (!known(shape->kind))
    return asp_fail(context, ASP_ERROR_INPUT, "type: %d is not a kind of shape", (int)shape->kind);
  if (dimension != 2 && dimension != 3)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "dimension: %d is not 2 or 3", dimension);
  const KindRow *row = &kinds[shape->kind];
  if (!(dimension == 3 ? row->in_3d : row->in_2d))
    return asp_fail(context, ASP_ERROR_INPUT, "type: a %s exists in %dD scenes only", row->name, row->in_3d ? 3 : 2);
  switch (shape->kind) {
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
    return check_size(context, "radius", shape->radius);
  case ASP_SHAPE_CAPSULE:
  case ASP_SHAPE_CYLINDER:
  case ASP_SHAPE_CONE:
    ASP_TRY(check_size(context, "radius", shape->radius));
    return check_size(context, "half_length", shape->half_length);
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON:
    if (!shape->hull || shape->hull->dimension != dimension)
      return asp_fail(context, ASP_ERROR_INPUT, "hull: a %s needs a hull made in %dD", row->name, dimension);
    return ASP_OK;
  case ASP_SHAPE_HEIGHT_FIELD:
    return shape->field ? ASP_OK : asp_fail(context, ASP_ERROR_INPUT, "field: a height-field needs its heights");
  case ASP_SHAPE_BOX:
  case ASP_SHAPE_ELLIPSOID:
    ASP_TRY(check_size(context, "half_extents[0]", shape->half_extents.x));
    ASP_TRY(check_size(context, "half_extents[1]", shape->half_extents.y));
    return dimension == 3 ? check_size(context, "half_extents[2]", shape->half_extents.z) : ASP_OK;
  default:
    return ASP_OK;
  }
}
