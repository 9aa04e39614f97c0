/* Checks that several definitions share. Each names the field, the value and what would be right; the caller puts the
 * element's name in front. Depends on base, linalg.
 */
#include "model/model.h"
#include "model/tuning/model.h"

AspError asp_check_number(AspContext *context, const char *field, double value) {
  return isfinite(value) ? ASP_OK : asp_fail(context, ASP_ERROR_INPUT, "%s: %g is not finite", field, value);
}

AspError asp_check_positive(AspContext *context, const char *field, double value) {
  ASP_TRY(asp_check_number(context, field, value));
  return value > 0 ? ASP_OK : asp_fail(context, ASP_ERROR_INPUT, "%s: %.15g is not > 0", field, value);
}

AspError asp_check_not_negative(AspContext *context, const char *field, double value) {
  ASP_TRY(asp_check_number(context, field, value));
  return value >= 0 ? ASP_OK : asp_fail(context, ASP_ERROR_INPUT, "%s: %.15g is not >= 0", field, value);
}

AspError asp_check_fraction(AspContext *context, const char *field, double value) {
  if (value >= 0 && value <= 1)
    return ASP_OK;
  return asp_fail(context, ASP_ERROR_INPUT, "%s: %.15g is outside [0, 1]", field, value);
}

static AspError fail_vector(AspContext *context, const char *field, AspVec3 value, const char *problem) {
  return asp_fail(context, ASP_ERROR_INPUT, "%s: (%.15g, %.15g, %.15g) %s", field, value.x, value.y, value.z, problem);
}

AspError asp_check_vector(AspContext *context, const char *field, AspVec3 value) {
  return finite3(value) ? ASP_OK : fail_vector(context, field, value, "is not finite");
}

AspError asp_check_in_plane(AspContext *context, int dimension, const char *field, AspVec3 value) {
  ASP_TRY(asp_check_vector(context, field, value));
  return dimension == 3 || value.z == 0 ? ASP_OK : fail_vector(context, field, value, "must have z = 0 in 2D");
}

AspError asp_check_about_z(AspContext *context, int dimension, const char *field, AspVec3 value) {
  ASP_TRY(asp_check_vector(context, field, value));
  return dimension == 3 || (value.x == 0 && value.y == 0)
             ? ASP_OK
             : fail_vector(context, field, value, "must have x = y = 0 in 2D");
}

AspError asp_check_direction(AspContext *context, const char *field, AspVec3 *direction) {
  ASP_TRY(asp_check_vector(context, field, *direction));
  double largest = fmax(fmax(fabs(direction->x), fabs(direction->y)), fabs(direction->z));
  if (largest == 0)
    return fail_vector(context, field, *direction, "has no direction; it must not be zero");
  // by the largest entry first, so that neither huge nor tiny vectors leave the range of doubles
  *direction = unit3(vec3(direction->x / largest, direction->y / largest, direction->z / largest));
  return ASP_OK;
}

AspError asp_check_pose(AspContext *context, int dimension, AspPose *pose) {
  ASP_TRY(asp_check_in_plane(context, dimension, "position", pose->position));
  AspQuat q = pose->orientation;
  double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(fabs(length - 1) <= CHECK_UNIT_TOLERANCE))
    return asp_fail(
        context, ASP_ERROR_INPUT,
        "orientation: (%.15g, %.15g, %.15g, %.15g) has length %.9g; a unit quaternion (w, x, y, z) is needed", q.w, q.x,
        q.y, q.z, length);
  if (dimension == 2 && (q.x != 0 || q.y != 0))
    return asp_fail(context, ASP_ERROR_INPUT,
                    "orientation: (%.15g, %.15g, %.15g, %.15g) must turn about z in 2D (x = y = 0)", q.w, q.x, q.y,
                    q.z);
  pose->orientation = quat_normalize(q);
  return ASP_OK;
}

/* Cholesky pivots of a symmetric 3x3 matrix plus shift on its diagonal. */
static bool positive_definite(const AspMat3 *A, double shift) {
  const double *m = A->m;
  double a = m[0] + shift;
  if (!(a > 0))
    return false;
  double l = m[3] / a, k = m[6] / a, b = m[4] + shift - l * m[3];
  if (!(b > 0))
    return false;
  double n = m[7] - k * m[3];
  return m[8] + shift - k * m[6] - n * n / b > 0;
}

static AspError fail_inertia(AspContext *context, const AspMat3 *inertia, const char *problem) {
  const double *m = inertia->m;
  return asp_fail(context, ASP_ERROR_INPUT, "inertia: [%.9g %.9g %.9g; %.9g %.9g %.9g; %.9g %.9g %.9g] %s", m[0], m[1],
                  m[2], m[3], m[4], m[5], m[6], m[7], m[8], problem);
}

/* Triangle inequality of the principal moments: (trace/2) E - I must be positive semidefinite. */
bool asp_inertia_is_real(const AspMat3 *inertia) {
  double half_trace = 0.5 * (inertia->m[0] + inertia->m[4] + inertia->m[8]);
  AspMat3 rest;
  for (int i = 0; i < 9; i++)
    rest.m[i] = (i % 4 == 0 ? 1 : 0) - inertia->m[i] / half_trace;
  return positive_definite(&rest, CHECK_SYMMETRY_TOLERANCE);
}

AspError asp_check_inertia(AspContext *context, int dimension, AspMat3 *inertia) {
  if (dimension == 2)
    return asp_check_positive(context, "inertia", inertia->m[8]);
  double largest = 0;
  for (int i = 0; i < 9; i++) {
    if (!isfinite(inertia->m[i]))
      return fail_inertia(context, inertia, "is not finite");
    largest = fmax(largest, fabs(inertia->m[i]));
  }
  if (largest == 0)
    return fail_inertia(context, inertia, "is zero; it must be positive definite");
  AspMat3 scaled; // symmetric part, largest entry 1: no overflow in products
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double entry = inertia->m[3 * i + j] / largest, mirrored = inertia->m[3 * j + i] / largest;
      if (fabs(entry - mirrored) > CHECK_SYMMETRY_TOLERANCE)
        return fail_inertia(context, inertia, "is not symmetric");
      scaled.m[3 * i + j] = 0.5 * (entry + mirrored);
    }
  if (!positive_definite(&scaled, 0))
    return fail_inertia(context, inertia, "is not positive definite");
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      inertia->m[3 * i + j] = inertia->m[3 * j + i] = 0.5 * inertia->m[3 * i + j] + 0.5 * inertia->m[3 * j + i];
  return ASP_OK;
}
