/* Shapes of a result as triangles, for exports. Depends on the result's model and the public header of shapes. */
#ifndef ASP_IO_SHAPE_MESH_H
#define ASP_IO_SHAPE_MESH_H

#include "io/result/model.h"

/* Points and triangles (three indices each, counterclockwise from outside). */
typedef struct ShapeMesh {
  AspVec3 *point; /* m, in the frame of the body's centre of mass */
  int32_t *corner;
  size_t point_count, corner_count, point_capacity, corner_capacity;
} ShapeMesh;

/* Adds the shape. Shapes in the plane become flat faces; points and unbounded shapes add nothing. */
AspError asp_shape_mesh_add(AspContext *context, const ResultModel *model, const ResultShape *shape, int dimension,
                            ShapeMesh *mesh);
void asp_shape_mesh_free(AspContext *context, ShapeMesh *mesh);

#endif
