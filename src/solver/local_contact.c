/* The exact solution of one contact: see local_contact.h. */
#include "solver/local_contact.h"

#include "problem/cone.h"
#include "solver/tuning/nsgs.h"

#include <float.h>

static void set_schur(AspLocalContact *c) {
  int d = c->size - 1;
  for (int l = 0; l < d; l++)
    for (int k = 0; k < d; k++)
      c->S[k + 2 * l] = c->W[k + 1 + 3 * (l + 1)] - c->gamma[k] * c->W[3 * (l + 1)];
  if (d == 1) {
    c->invertible = c->S[0] > 4 * DBL_EPSILON * fabs(c->W[4]);
    c->inverse[0] = c->invertible ? 1 / c->S[0] : 0;
    return;
  }
  double determinant = c->S[0] * c->S[3] - c->S[1] * c->S[2];
  double largest = fmax(fabs(c->W[4]), fabs(c->W[8]));
  c->invertible = determinant > LOCAL_CONTACT_ROUNDINGS * DBL_EPSILON * largest * largest;
  if (!c->invertible)
    return;
  c->inverse[0] = c->S[3] / determinant;
  c->inverse[1] = -c->S[1] / determinant;
  c->inverse[2] = -c->S[2] / determinant;
  c->inverse[3] = c->S[0] / determinant;
}

void asp_local_contact_set(AspLocalContact *c, int size, const double *W) {
  *c = (AspLocalContact){.size = size, .a = -1};
  double largest = 0, trace = 0;
  for (int l = 0; l < size; l++)
    for (int k = 0; k < size; k++) {
      c->W[k + 3 * l] = W[k + 3 * l];
      largest = fmax(largest, fabs(W[k + 3 * l]));
      trace += k == l ? W[k + 3 * l] : 0;
    }
  // the natural map with the shift has a Lipschitz constant of at most 2 ||W||
  c->step = largest > 0 ? 0.5 / (size * largest) : 0;
  c->usable = isfinite(trace) && W[0] > 4 * DBL_EPSILON * largest;
  if (!c->usable)
    return;
  c->inverse_NN = 1 / W[0];
  for (int k = 1; k < size; k++) {
    c->beta[k - 1] = W[3 * k] * c->inverse_NN;
    c->gamma[k - 1] = W[k] * c->inverse_NN;
  }
  set_schur(c);
}

/* One step r <- P(r - step (u + ||u_T|| n)). */
static void projection_step(const AspLocalContact *c, const double *b, double *r) {
  double u[3] = {0}, x[3] = {0};
  for (int k = 0; k < c->size; k++) {
    u[k] = b[k];
    for (int l = 0; l < c->size; l++)
      u[k] += c->W[k + 3 * l] * r[l];
  }
  double slip = c->size == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
  x[0] = r[0] - c->step * (u[0] + slip);
  for (int k = 1; k < c->size; k++)
    x[k] = r[k] - c->step * u[k];
  asp_cone_project(c->size - 1, 1, x, r);
}

/* r_T(a) = -(S + a)^-1 c and its derivative; false when S + a is not regular. */
static bool tangential_at(const AspLocalContact *c, double a, const double *rhs, double *t, double *slope) {
  if (c->size == 2) {
    double s = c->S[0] + a;
    if (!(s > 0))
      return false;
    t[0] = -rhs[0] / s;
    slope[0] = -t[0] / s;
    t[1] = slope[1] = 0;
    return true;
  }
  double s00 = c->S[0] + a, s11 = c->S[3] + a, s10 = c->S[1], s01 = c->S[2];
  double determinant = s00 * s11 - s10 * s01;
  if (!(determinant > 0) || !(s00 + s11 > 0))
    return false;
  double inverse = 1 / determinant;
  t[0] = -(s11 * rhs[0] - s01 * rhs[1]) * inverse;
  t[1] = -(s00 * rhs[1] - s10 * rhs[0]) * inverse;
  slope[0] = -(s11 * t[0] - s01 * t[1]) * inverse;
  slope[1] = -(s00 * t[1] - s10 * t[0]) * inverse;
  return true;
}

/* The root of g in a > 0; t receives r_T there. */
static bool find_slip(AspLocalContact *c, double alpha, const double *rhs, double *t) {
  double low = 0, high = HUGE_VAL, slope[2];
  double drive = sqrt(rhs[0] * rhs[0] + rhs[1] * rhs[1]);
  double mean = c->size == 2 ? c->S[0] : 0.5 * (c->S[0] + c->S[3]);
  double a = c->a >= 0 ? c->a : fmax(drive / alpha - mean, LOCAL_CONTACT_SHIFT_LEAST * fabs(mean));
  for (int search = 0; search < LOCAL_CONTACT_MAX_SEARCH; search++) {
    double next = HUGE_VAL;
    if (!tangential_at(c, a, rhs, t, slope)) // below an eigenvalue of -S
      low = a;
    else {
      double length = sqrt(t[0] * t[0] + t[1] * t[1]);
      double normal = alpha - c->beta[0] * t[0] - c->beta[1] * t[1];
      double g = normal / length - 1;
      if (!(length > 0))
        return false;
      double change = (t[0] * slope[0] + t[1] * slope[1]) / length;
      double g_slope = (-(c->beta[0] * slope[0] + c->beta[1] * slope[1]) - (g + 1) * change) / length;
      if (g < 0)
        low = a;
      else
        high = a;
      next = a - g / g_slope;
      if (fabs(g) <= 4 * DBL_EPSILON || fabs(next - a) <= 2 * DBL_EPSILON * a || high - low <= 2 * DBL_EPSILON * low) {
        c->a = a;
        return true;
      }
    }
    if (!(next > low && next < high))
      next = high < HUGE_VAL ? 0.5 * (low + high) : 4 * a + fabs(mean) + drive / alpha;
    a = next;
    if (!isfinite(a))
      return false;
  }
  c->a = a;
  return true;
}

void asp_local_contact_solve(AspLocalContact *c, const double *b, double *r) {
  if (b[0] >= 0) {
    for (int k = 0; k < c->size; k++)
      r[k] = 0;
    return;
  }
  if (!c->usable) {
    projection_step(c, b, r);
    return;
  }
  double alpha = -b[0] * c->inverse_NN, rhs[2] = {b[1] - c->gamma[0] * b[0], 0}, t[2] = {0};
  if (c->size == 3)
    rhs[1] = b[2] - c->gamma[1] * b[0];
  if (c->invertible) {
    t[0] = -(c->inverse[0] * rhs[0] + c->inverse[2] * rhs[1]);
    t[1] = -(c->inverse[1] * rhs[0] + c->inverse[3] * rhs[1]);
    double normal = alpha - c->beta[0] * t[0] - c->beta[1] * t[1];
    if (normal >= 0 && t[0] * t[0] + t[1] * t[1] <= normal * normal) {
      r[0] = normal;
      for (int k = 1; k < c->size; k++)
        r[k] = t[k - 1];
      return;
    }
  } else if (rhs[0] == 0 && rhs[1] == 0) { // no tangential drive: stick without friction force
    r[0] = alpha;
    for (int k = 1; k < c->size; k++)
      r[k] = 0;
    return;
  }
  if (!find_slip(c, alpha, rhs, t)) {
    projection_step(c, b, r);
    return;
  }
  double length = sqrt(t[0] * t[0] + t[1] * t[1]), lean = c->beta[0] * t[0] + c->beta[1] * t[1];
  double normal = alpha - lean;
  if (normal < (1 + LOCAL_CONTACT_INSIDE) * length) { // on the cone exactly: r_T = r_N direction, with u_N = 0
    double exact = alpha / (1 + lean / length);
    normal = fabs(exact - length) <= LOCAL_CONTACT_INSIDE * length ? exact : length;
  } else // S is singular, a went to 0: stick
    length = normal;
  r[0] = normal;
  for (int k = 1; k < c->size; k++)
    r[k] = normal * t[k - 1] / length;
}
