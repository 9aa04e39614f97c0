/* Numbers with their derivatives along up to 12 directions, carried through every operation by the rules of
 * differentiation, and vectors and quaternions of them: exact tangents of formulas that are written once. Depends on
 * nothing.
 */
#ifndef ASP_FLEX_DUAL_H
#define ASP_FLEX_DUAL_H

#include "flex/tuning/flex.h"
#include "linalg/vec3.h"

typedef struct Dual {
  double value, d[DUAL_DIRECTIONS];
} Dual;

static inline Dual dual_constant(double value) {
  Dual x = {.value = value};
  return x;
}
/* a x + b y */
static inline Dual dual_combine(double a, const Dual *x, double b, const Dual *y) {
  Dual z = {.value = a * x->value + b * y->value};
  for (int k = 0; k < DUAL_DIRECTIONS; k++)
    z.d[k] = a * x->d[k] + b * y->d[k];
  return z;
}
static inline Dual dual_add(Dual x, Dual y) { return dual_combine(1, &x, 1, &y); }
static inline Dual dual_subtract(Dual x, Dual y) { return dual_combine(1, &x, -1, &y); }
static inline Dual dual_multiply(Dual x, Dual y) {
  Dual z = {.value = x.value * y.value};
  for (int k = 0; k < DUAL_DIRECTIONS; k++)
    z.d[k] = x.d[k] * y.value + x.value * y.d[k];
  return z;
}
/* f(x) with f and f' at x */
static inline Dual dual_chain(Dual x, double f, double slope) {
  Dual z = {.value = f};
  for (int k = 0; k < DUAL_DIRECTIONS; k++)
    z.d[k] = slope * x.d[k];
  return z;
}
static inline Dual dual_inverse(Dual x) { return dual_chain(x, 1 / x.value, -1 / (x.value * x.value)); }
static inline Dual dual_root(Dual x) { return dual_chain(x, sqrt(x.value), 0.5 / sqrt(x.value)); }

typedef struct Dual3 {
  Dual c[3];
} Dual3;

static inline Dual3 dual3_constant(AspVec3 a) {
  return (Dual3){{dual_constant(a.x), dual_constant(a.y), dual_constant(a.z)}};
}
static inline Dual3 dual3_combine(double a, const Dual3 *x, double b, const Dual3 *y) {
  Dual3 z;
  for (int i = 0; i < 3; i++)
    z.c[i] = dual_combine(a, &x->c[i], b, &y->c[i]);
  return z;
}
static inline Dual3 dual3_add(Dual3 x, Dual3 y) { return dual3_combine(1, &x, 1, &y); }
static inline Dual3 dual3_subtract(Dual3 x, Dual3 y) { return dual3_combine(1, &x, -1, &y); }
static inline Dual3 dual3_scale(Dual s, Dual3 x) {
  for (int i = 0; i < 3; i++)
    x.c[i] = dual_multiply(s, x.c[i]);
  return x;
}
static inline Dual dual3_dot(Dual3 x, Dual3 y) {
  Dual sum = dual_multiply(x.c[0], y.c[0]);
  for (int i = 1; i < 3; i++)
    sum = dual_add(sum, dual_multiply(x.c[i], y.c[i]));
  return sum;
}
static inline Dual3 dual3_cross(Dual3 x, Dual3 y) {
  Dual3 z;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    z.c[i] = dual_subtract(dual_multiply(x.c[j], y.c[k]), dual_multiply(x.c[k], y.c[j]));
  }
  return z;
}

typedef struct Dual4 {
  Dual w;
  Dual3 u;
} Dual4;

static inline Dual4 dual4_conjugate(Dual4 q) {
  q.u = dual3_scale(dual_constant(-1), q.u);
  return q;
}
static inline Dual4 dual4_multiply(Dual4 a, Dual4 b) {
  Dual3 sum = dual3_add(dual3_scale(a.w, b.u), dual3_scale(b.w, a.u));
  return (Dual4){dual_subtract(dual_multiply(a.w, b.w), dual3_dot(a.u, b.u)), dual3_add(sum, dual3_cross(a.u, b.u))};
}
static inline Dual4 dual4_scale(Dual s, Dual4 q) { return (Dual4){dual_multiply(s, q.w), dual3_scale(s, q.u)}; }
static inline Dual4 dual4_normalize(Dual4 q) {
  return dual4_scale(dual_inverse(dual_root(dual_add(dual_multiply(q.w, q.w), dual3_dot(q.u, q.u)))), q);
}
static inline Dual3 dual4_rotate(Dual4 q, Dual3 a) {
  Dual3 c = dual3_scale(dual_constant(2), dual3_cross(q.u, a));
  return dual3_add(dual3_add(a, dual3_scale(q.w, c)), dual3_cross(q.u, c));
}
static inline Dual3 dual4_rotate_back(Dual4 q, Dual3 a) { return dual4_rotate(dual4_conjugate(q), a); }

#endif
