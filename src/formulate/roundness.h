/* How round a shape is where it touches: the tensor R of its radii of curvature in the tangent plane (t1, t2).
 *
 * R is the second derivative of the shape's support function: 0 at a vertex, r across a cylinder's side and infinite
 * along it, r in all directions on a sphere, infinite on a face. Infinite parts are kept apart:
 *
 *   R = finite + L flat,   L -> infinity
 *
 * Where a face or a line ends and the normal is still its own, R has two values, one towards each side. Which one
 * counts depends on the other shape (contact_bias.c): a box's corner on a floor is a point, the edge of a tile under a
 * ball is flat. Depends on shapes only.
 */
#ifndef ASP_FORMULATE_ROUNDNESS_H
#define ASP_FORMULATE_ROUNDNESS_H

#include "asperity/shape.h"

/* Symmetric 2 x 2 tensors as (11, 12, 22); in 2D only 11 counts. */
typedef struct AspRoundness {
  double finite[3]; /* m */
  double flat[3];   /* projector onto the directions without curvature */
  double ends[3];   /* projector onto further ones: a face or a line ends here */
} AspRoundness;

/* At the witness point `point` (world) of the shape placed by `pose`, whose outward normal there is `outward`. Where
 * the point lies (face, edge, vertex, side, rim) is seen from its coordinates. Height fields count as flat. */
AspRoundness asp_shape_roundness(int dimension, const AspShape *shape, const AspPose *pose, AspVec3 point,
                                 AspVec3 outward, AspVec3 t1, AspVec3 t2);

#endif
