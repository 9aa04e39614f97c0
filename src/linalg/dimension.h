/* How many numbers a rigid body has, by the dimension of its space: positions (point and quaternion, or point and
 * angle) and velocities (of the point and angular). */
#ifndef ASP_LINALG_DIMENSION_H
#define ASP_LINALG_DIMENSION_H

static inline int asp_body_positions(int dimension) { return dimension == 3 ? 7 : 3; }
static inline int asp_body_velocities(int dimension) { return dimension == 3 ? 6 : 3; }

#endif
