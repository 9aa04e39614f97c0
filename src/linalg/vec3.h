/* Vectors, rotations and 3x3 matrices by value, inline. Quaternions are (w, x, y, z) and rotate body vectors into the
 * world. */
#ifndef ASP_LINALG_VEC3_H
#define ASP_LINALG_VEC3_H

#include "asperity/linalg.h"
#include "base/elementary.h"
#include "linalg/tuning/linalg.h"

#include <math.h>

static inline AspVec3 vec3(double x, double y, double z) { return (AspVec3){x, y, z}; }
static inline AspVec3 add3(AspVec3 a, AspVec3 b) { return (AspVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline AspVec3 sub3(AspVec3 a, AspVec3 b) { return (AspVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline AspVec3 scale3(double s, AspVec3 a) { return (AspVec3){s * a.x, s * a.y, s * a.z}; }
static inline AspVec3 neg3(AspVec3 a) { return (AspVec3){-a.x, -a.y, -a.z}; }
/* a + s b */
static inline AspVec3 axpy3(AspVec3 a, double s, AspVec3 b) {
  return (AspVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double dot3(AspVec3 a, AspVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline AspVec3 cross3(AspVec3 a, AspVec3 b) {
  return (AspVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double norm3(AspVec3 a) { return sqrt(dot3(a, a)); }
/* a / |a|; the zero vector stays zero */
static inline AspVec3 unit3(AspVec3 a) {
  double n = norm3(a);
  return n > 0 ? scale3(1 / n, a) : a;
}
static inline bool finite3(AspVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
static inline double get3(AspVec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

/* A deterministic pair of unit tangents so that (n, t1, t2) is right-handed: t1 is the coordinate axis least aligned
 * with n, made orthogonal (ties: the earlier axis). For n = z this gives t1 = x, t2 = y. */
static inline void tangents3(AspVec3 n, AspVec3 *t1, AspVec3 *t2) {
  double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
  AspVec3 e = ax <= ay && ax <= az ? vec3(1, 0, 0) : ay <= az ? vec3(0, 1, 0) : vec3(0, 0, 1);
  *t1 = unit3(axpy3(e, -dot3(e, n), n));
  *t2 = cross3(n, *t1);
}

static inline AspQuat quat_identity(void) { return (AspQuat){1, 0, 0, 0}; }
static inline AspQuat quat_conjugate(AspQuat q) { return (AspQuat){q.w, -q.x, -q.y, -q.z}; }
static inline AspQuat quat_multiply(AspQuat a, AspQuat b) {
  return (AspQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline AspQuat quat_normalize(AspQuat q) {
  double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return n > 0 ? (AspQuat){q.w / n, q.x / n, q.y / n, q.z / n} : quat_identity();
}
static inline AspVec3 quat_rotate(AspQuat q, AspVec3 a) {
  AspVec3 u = {q.x, q.y, q.z};
  AspVec3 c = scale3(2, cross3(u, a));
  return add3(axpy3(a, q.w, c), cross3(u, c));
}
static inline AspVec3 quat_rotate_back(AspQuat q, AspVec3 a) { return quat_rotate(quat_conjugate(q), a); }
/* Rotation by |w| about w: exponential map of a rotation vector. */
static inline AspQuat quat_from_vector(AspVec3 w) {
  double angle = norm3(w);
  // exact: series
  double s = angle > ASP_QUAT_SERIES_BELOW ? asp_sin(0.5 * angle) / angle : 0.5 - angle * angle / 48;
  return (AspQuat){asp_cos(0.5 * angle), s * w.x, s * w.y, s * w.z};
}
static inline AspQuat quat_from_axis_angle(AspVec3 axis, double angle) {
  return quat_from_vector(scale3(angle, unit3(axis)));
}

/* The rotation vector from one orientation to another, of at most half a turn. */
static inline AspVec3 quat_turn_between(AspQuat from, AspQuat to) {
  AspQuat q = quat_multiply(to, quat_conjugate(from));
  AspVec3 axis = q.w < 0 ? vec3(-q.x, -q.y, -q.z) : vec3(q.x, q.y, q.z);
  double sine = norm3(axis);
  return sine > 0 ? scale3(2 * asp_atan2(sine, fabs(q.w)) / sine, axis) : axis;
}

static inline AspVec3 pose_point(const AspPose *pose, AspVec3 local) {
  return add3(pose->position, quat_rotate(pose->orientation, local));
}
static inline AspVec3 pose_point_back(const AspPose *pose, AspVec3 world) {
  return quat_rotate_back(pose->orientation, sub3(world, pose->position));
}
/* The pose that first applies `inner`, then `outer`. */
static inline AspPose pose_multiply(const AspPose *outer, const AspPose *inner) {
  return (AspPose){pose_point(outer, inner->position),
                   quat_normalize(quat_multiply(outer->orientation, inner->orientation))};
}
static inline AspPose pose_identity(void) { return (AspPose){{0, 0, 0}, {1, 0, 0, 0}}; }

/* The same about every axis: turning changes nothing. */
static inline bool mat3_is_isotropic(const AspMat3 *A) {
  const double *m = A->m;
  return m[0] == m[4] && m[0] == m[8] && m[1] == 0 && m[2] == 0 && m[3] == 0 && m[5] == 0 && m[6] == 0 && m[7] == 0;
}
static inline AspMat3 mat3_diagonal(double a, double b, double c) { return (AspMat3){{a, 0, 0, 0, b, 0, 0, 0, c}}; }
static inline AspMat3 mat3_from_quat(AspQuat q) {
  AspVec3 x = quat_rotate(q, vec3(1, 0, 0)), y = quat_rotate(q, vec3(0, 1, 0)), z = quat_rotate(q, vec3(0, 0, 1));
  return (AspMat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}
static inline AspVec3 mat3_times(const AspMat3 *A, AspVec3 x) {
  const double *m = A->m;
  return (AspVec3){m[0] * x.x + m[1] * x.y + m[2] * x.z, m[3] * x.x + m[4] * x.y + m[5] * x.z,
                   m[6] * x.x + m[7] * x.y + m[8] * x.z};
}
static inline AspMat3 mat3_multiply(const AspMat3 *A, const AspMat3 *B) {
  AspMat3 C;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C.m[3 * i + j] = A->m[3 * i] * B->m[j] + A->m[3 * i + 1] * B->m[3 + j] + A->m[3 * i + 2] * B->m[6 + j];
  return C;
}
static inline AspMat3 mat3_transpose(const AspMat3 *A) {
  const double *m = A->m;
  return (AspMat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
/* R A R^T */
static inline AspMat3 mat3_congruence(const AspMat3 *R, const AspMat3 *A) {
  AspMat3 RA = mat3_multiply(R, A), Rt = mat3_transpose(R);
  return mat3_multiply(&RA, &Rt);
}

#endif
