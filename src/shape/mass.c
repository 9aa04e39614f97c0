/* Mass properties of shapes from a density, and how they move and add:
 *   rotation and shift of the frame:  c' = p + R c,  I' = R I R^T           (I about the centre)
 *   sum:  m = m1 + m2,  c = (m1 c1 + m2 c2)/m,  I = I1 + I2 + (m1 m2/m) (|d|^2 E - d d^T),  d = c2 - c1
 * In 2D only the entry about z has a meaning; the same formulas keep it right because d.z = 0.
 */
#include "asperity/shape.h"
#include "base/base.h"
#include "linalg/vec3.h"

#define PI 3.14159265358979323846

static AspMassProperties box_mass(AspVec3 e, int dimension, double density) {
  double mass = density * 4 * e.x * e.y * (dimension == 3 ? 2 * e.z : 1);
  AspMassProperties p = {.mass = mass};
  if (dimension == 3)
    p.inertia = mat3_diagonal(mass * (e.y * e.y + e.z * e.z) / 3, mass * (e.x * e.x + e.z * e.z) / 3, 0);
  p.inertia.m[8] = mass * (e.x * e.x + e.y * e.y) / 3;
  return p;
}

static AspMassProperties sphere_mass(double r, double density) {
  double mass = density * 4 * PI / 3 * r * r * r, I = 0.4 * mass * r * r;
  return (AspMassProperties){.mass = mass, .inertia = mat3_diagonal(I, I, I)};
}

static AspMassProperties disk_mass(double r, double density) {
  double mass = density * PI * r * r;
  return (AspMassProperties){.mass = mass, .inertia = mat3_diagonal(0, 0, 0.5 * mass * r * r)};
}

AspError asp_shape_mass(AspContext *context, const AspShape *shape, int dimension, double density,
                        AspMassProperties *properties) {
  ASP_TRY(asp_shape_validate(context, shape, dimension));
  if (!(density > 0 && isfinite(density)))
    return asp_fail(context, ASP_ERROR_INPUT, "density: %g is not positive and finite", density);
  switch (shape->kind) {
  case ASP_SHAPE_SPHERE:
    *properties = sphere_mass(shape->radius, density);
    return ASP_OK;
  case ASP_SHAPE_DISK:
    *properties = disk_mass(shape->radius, density);
    return ASP_OK;
  case ASP_SHAPE_BOX:
    *properties = box_mass(shape->half_extents, dimension, density);
    return ASP_OK;
  default:
    return asp_fail(context, ASP_ERROR_ARGUMENT, "density: a %s has no volume; give the body a mass instead",
                    asp_shape_name(shape->kind));
  }
}

AspMassProperties asp_mass_transform(const AspMassProperties *properties, const AspPose *pose) {
  AspMat3 R = mat3_from_quat(pose->orientation);
  return (AspMassProperties){properties->mass, pose_point(pose, properties->centre),
                             mat3_congruence(&R, &properties->inertia)};
}

AspMassProperties asp_mass_sum(const AspMassProperties *a, const AspMassProperties *b) {
  double mass = a->mass + b->mass;
  if (!(mass > 0))
    return *a;
  AspVec3 d = sub3(b->centre, a->centre);
  AspMassProperties sum = {.mass = mass, .centre = axpy3(a->centre, b->mass / mass, d)};
  double reduced = a->mass * (b->mass / mass), square = dot3(d, d);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sum.inertia.m[3 * i + j] = a->inertia.m[3 * i + j] + b->inertia.m[3 * i + j] +
                                 reduced * ((i == j ? square : 0) - get3(d, i) * get3(d, j));
  return sum;
}
