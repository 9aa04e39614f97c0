/* How far a shape extends from the origin of its frame, and how thin it is. */
#include "asperity/shape.h"
#include "base/elementary.h"
#include "linalg/vec3.h"

double asp_shape_reach(const AspShape *shape) {
  switch (shape->kind) {
  case ASP_SHAPE_POINT:
    return 0;
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
    return shape->radius;
  case ASP_SHAPE_BOX:
    return norm3(shape->half_extents);
  case ASP_SHAPE_ELLIPSOID:
    return fmax(shape->half_extents.x, fmax(shape->half_extents.y, shape->half_extents.z));
  case ASP_SHAPE_CAPSULE:
    return shape->radius + shape->half_length;
  case ASP_SHAPE_CYLINDER:
  case ASP_SHAPE_CONE:
    return asp_hypot(shape->radius, shape->half_length);
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON:
    return shape->hull->radius;
  case ASP_SHAPE_HALF_SPACE:
  case ASP_SHAPE_HALF_PLANE:
  case ASP_SHAPE_HEIGHT_FIELD:
  case ASP_SHAPE_COUNT:
    break;
  }
  return INFINITY;
}

double asp_shape_thickness(const AspShape *shape, int dimension) {
  AspVec3 e = shape->half_extents;
  switch (shape->kind) {
  case ASP_SHAPE_POINT:
    return 0;
  case ASP_SHAPE_SPHERE:
  case ASP_SHAPE_DISK:
  case ASP_SHAPE_CAPSULE:
    return 2 * shape->radius;
  case ASP_SHAPE_BOX:
  case ASP_SHAPE_ELLIPSOID:
    return 2 * fmin(fmin(e.x, e.y), dimension == 3 ? e.z : INFINITY);
  case ASP_SHAPE_CYLINDER:
    return 2 * fmin(shape->radius, shape->half_length);
  case ASP_SHAPE_CONE: // along the axis, or across a side line to the rim opposite
    return 2 * shape->half_length * fmin(1, 2 * shape->radius / asp_hypot(shape->radius, 2 * shape->half_length));
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON:
    return shape->hull->thickness;
  default:
    return INFINITY;
  }
}
