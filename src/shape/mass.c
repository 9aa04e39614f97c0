/* Mass properties of shapes from a density, and how they move and add:
 *
 *   rotation and shift of the frame:  c' = p + R c,  I' = R I R^T
 *   sum:  m = m1 + m2,  c = (m1 c1 + m2 c2)/m,  I = I1 + I2 + (m1 m2/m) (|d|^2 E - d d^T),  d = c2 - c1
 *
 * m: mass, c: centre of mass, I: inertia about the centre, E: identity. In 2D only the entry about z has a meaning; the
 * same formulas keep it right because d.z = 0.
 */
#include "asperity/shape.h"
#include "base/base.h"
#include "base/constants.h"
#include "linalg/vec3.h"

static AspMassProperties box_mass(AspVec3 e, int dimension, double density) {
  double mass = density * 4 * e.x * e.y * (dimension == 3 ? 2 * e.z : 1);
  AspMassProperties p = {.mass = mass};
  if (dimension == 3)
    p.inertia = mat3_diagonal(mass * (e.y * e.y + e.z * e.z) / 3, mass * (e.x * e.x + e.z * e.z) / 3, 0);
  p.inertia.m[8] = mass * (e.x * e.x + e.y * e.y) / 3;
  return p;
}

static AspMassProperties sphere_mass(double r, double density) {
  // exact: sphere
  double mass = density * 4 * ASP_PI / 3 * r * r * r, I = 0.4 * mass * r * r;
  return (AspMassProperties){.mass = mass, .inertia = mat3_diagonal(I, I, I)};
}

static AspMassProperties disk_mass(double r, double density) {
  double mass = density * ASP_PI * r * r;
  return (AspMassProperties){.mass = mass, .inertia = mat3_diagonal(0, 0, 0.5 * mass * r * r)};
}

/* 3D: a cylinder of length 2h and two half spheres; 2D: a rectangle and two half disks.
 *
 *   half sphere   centre 3r/8 from its flat side,         inertia m r^2 (83/320) across its axis about that centre
 *   half disk     centre 4r/(3 pi) from its flat side,    inertia m r^2 (1/2 - 16/(9 pi^2)) about that centre
 */
static AspMassProperties capsule_mass(double r, double h, int dimension, double density) {
  if (dimension == 2) {
    double body = density * 4 * r * h, ends = density * ASP_PI * r * r, c = 4 * r / (3 * ASP_PI);
    double I = body * (r * r + h * h) / 3 + ends * (0.5 * r * r - c * c + (h + c) * (h + c));
    return (AspMassProperties){.mass = body + ends, .inertia = mat3_diagonal(0, 0, I)};
  }
  // exact: centre of a half ball
  double body = density * 2 * ASP_PI * r * r * h, ends = density * 4 * ASP_PI / 3 * r * r * r, c = 0.375 * r + h;
  // exact: half ball
  double across = body * (r * r / 4 + h * h / 3) + ends * (83.0 / 320 * r * r + c * c);
  // exact: ball
  double along = 0.5 * body * r * r + 0.4 * ends * r * r;
  return (AspMassProperties){.mass = body + ends, .inertia = mat3_diagonal(across, across, along)};
}

static AspMassProperties cylinder_mass(double r, double h, double density) {
  double mass = density * 2 * ASP_PI * r * r * h, across = mass * (r * r / 4 + h * h / 3);
  return (AspMassProperties){.mass = mass, .inertia = mat3_diagonal(across, across, 0.5 * mass * r * r)};
}

/* Height H = 2h: centre H/4 above the base, m (3/20 r^2 + 3/80 H^2) across about it. */
static AspMassProperties cone_mass(double r, double h, double density) {
  // exact: cone
  double H = 2 * h, mass = density * ASP_PI / 3 * r * r * H, across = mass * (0.15 * r * r + 0.0375 * H * H);
  return (AspMassProperties){// exact: cone
                             .mass = mass,
                             .centre = {0, 0, 0.25 * H - h},
                             .inertia = mat3_diagonal(across, across, 0.3 * mass * r * r)};
}

/* m (b^2 + c^2)/5 about the axis of a. */
static AspMassProperties ellipsoid_mass(AspVec3 e, double density) {
  double mass = density * 4 * ASP_PI / 3 * e.x * e.y * e.z, x = e.x * e.x, y = e.y * e.y, z = e.z * e.z;
  // exact: ellipsoid
  double part = 0.2 * mass;
  return (AspMassProperties){.mass = mass, .inertia = mat3_diagonal(part * (y + z), part * (x + z), part * (x + y))};
}

static AspMassProperties hull_mass(const AspHull *hull, double density) {
  AspMassProperties p = hull->unit;
  p.mass *= density;
  for (int i = 0; i < 9; i++)
    p.inertia.m[i] *= density;
  return p;
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
  case ASP_SHAPE_CAPSULE:
    *properties = capsule_mass(shape->radius, shape->half_length, dimension, density);
    return ASP_OK;
  case ASP_SHAPE_CYLINDER:
    *properties = cylinder_mass(shape->radius, shape->half_length, density);
    return ASP_OK;
  case ASP_SHAPE_CONE:
    *properties = cone_mass(shape->radius, shape->half_length, density);
    return ASP_OK;
  case ASP_SHAPE_ELLIPSOID:
    *properties = ellipsoid_mass(shape->half_extents, density);
    return ASP_OK;
  case ASP_SHAPE_CONVEX:
  case ASP_SHAPE_POLYGON:
    *properties = hull_mass(shape->hull, density);
    return ASP_OK;
  default:
    return asp_fail(context, ASP_ERROR_ARGUMENT, "density: a %s has no volume; give the body a mass instead",
                    asp_shape_kind_name(shape->kind));
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
