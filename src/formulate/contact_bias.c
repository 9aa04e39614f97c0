/* What remains of the second derivative of a contact when no dynamic body accelerates: of the gap (normal) and of the
 * slip (tangents).
 *
 * The gap of convex shapes is g = max over unit n of F(n), F = -h_A(n) - h_B(-n), h the support functions. At the
 * maximum, with R_A, R_B the radii of curvature (roundness.h), v the relative velocity at the witness points, a their
 * accelerations as points of the bodies and w = omega x n for each body:
 *
 *   F_nn = -S,   S = R_A + R_B + g        F_nt = c = v_T + R_A w_A + R_B w_B        n' = S^-1 c
 *   g'' = n . (a_B - a_A) - w_A . R_A w_A - w_B . R_B w_B + c . n'
 *
 * The witness points wander over the bodies with R_A (n' - w_A) and -R_B (n' - w_B), so that where the contact sticks
 *
 *   u_T' = a_B - a_A + omega_B x (wander of B) - omega_A x (wander of A),   tangential part
 *
 * (docs/theory/existence.md). Flat parts have R = L -> infinity: all of it is a rational function of 1/L, evaluated at
 * L and 2 L in long doubles and extrapolated (the terms of order L cancel, the error is of order 1/L^2). Depends on
 * model. */
#include "formulate/acceleration.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"
#include "model/model.h"

#include <math.h>

typedef long double Real;

typedef struct Side {
  AspVec3 w;      /* angular velocity, world */
  AspVec3 a;      /* acceleration of the witness point as a point of the body, dynamic bodies not accelerating */
  Real turn[2];   /* omega x n in (t1, t2) */
  AspRoundness R; /* its flat parts are those that count */
} Side;

static AspVec3 point_velocity(const BodyMotion *body, AspVec3 arm) { return add3(body->v, cross3(body->w, arm)); }

static Side make_side(const BodyMotion *body, const AspContactFrame *frame, AspVec3 arm, const AspRoundness *R) {
  Side side = {.w = body->w, .R = *R};
  side.a = add3(add3(body->known_a, cross3(body->known_w, arm)), cross3(body->w, cross3(body->w, arm)));
  AspVec3 turn = cross3(body->w, frame->normal);
  side.turn[0] = dot3(turn, frame->t1);
  side.turn[1] = dot3(turn, frame->t2);
  return side;
}

static double trace_of_product(const double a[3], const double b[3]) {
  return a[0] * b[0] + 2 * a[1] * b[1] + a[2] * b[2];
}

/* Where a face or a line ends (R has two values there), it counts as going on in the directions in which the other body
 * is not flat: flat + P ends P with P = 1 - flat of the other. */
static void extend_faces(const AspRoundness *other, AspRoundness *R) {
  const double *e = R->ends, P[3] = {1 - other->flat[0], -other->flat[1], 1 - other->flat[2]};
  double row[2][2] = {{P[0] * e[0] + P[1] * e[1], P[0] * e[1] + P[1] * e[2]},
                      {P[1] * e[0] + P[2] * e[1], P[1] * e[1] + P[2] * e[2]}};
  R->flat[0] += row[0][0] * P[0] + row[0][1] * P[1];
  R->flat[1] += row[0][0] * P[1] + row[0][1] * P[2];
  R->flat[2] += row[1][0] * P[1] + row[1][1] * P[2];
}

/* Flat on flat has no definite nearest point: the contact is then a point of the less flat body on the other's face. */
static void resolve_flatness(Side *a, Side *b) {
  double flat_a = a->R.flat[0] + a->R.flat[2], flat_b = b->R.flat[0] + b->R.flat[2];
  if (trace_of_product(a->R.flat, b->R.flat) < fmin(flat_a, flat_b) - CONTACT_BIAS_SAME_FLAT)
    return; // crossing edges
  Side *point = flat_b <= flat_a ? b : a;
  for (int k = 0; k < 3; k++)
    point->R.flat[k] = 0;
}

/* R x for R = finite + L flat */
static void times(const AspRoundness *R, Real L, const Real x[2], Real y[2]) {
  Real r[3];
  for (int k = 0; k < 3; k++)
    r[k] = R->finite[k] + L * R->flat[k];
  y[0] = r[0] * x[0] + r[1] * x[1];
  y[1] = r[1] * x[0] + r[2] * x[1];
}

/* y = S^-1 x for a symmetric S; directions in which S vanishes (vertex on vertex) are left alone: y = 0 there. */
static void solve(int dimension, const Real S[3], Real smallest, const Real x[2], Real y[2]) {
  y[0] = y[1] = 0;
  if (dimension == 2) {
    y[0] = fabsl(S[0]) > smallest ? x[0] / S[0] : 0;
    return;
  }
  Real mean = (S[0] + S[2]) / 2, half = (S[0] - S[2]) / 2, radius = hypotl(half, S[1]);
  Real angle = radius > 0 ? atan2l(S[1], half) / 2 : 0;
  for (int k = 0; k < 2; k++) {
    Real e[2] = {k ? -sinl(angle) : cosl(angle), k ? cosl(angle) : sinl(angle)};
    // the smaller one from the determinant: no cancellation
    Real large = mean + (mean < 0 ? -radius : radius), det = S[0] * S[2] - S[1] * S[1];
    Real other = large != 0 ? det / large : 0, value = (k == 0) == (mean >= 0) ? large : other;
    if (fabsl(value) <= smallest)
      continue;
    Real part = (e[0] * x[0] + e[1] * x[1]) / value;
    y[0] += part * e[0];
    y[1] += part * e[1];
  }
}

typedef struct Touch {
  int dimension;
  const AspContactFrame *frame;
  Side a, b;
  Real slip[2]; /* v_T */
  Real size;    /* a length of the contact, m */
} Touch;

static void evaluate(const Touch *touch, Real L, Real bias[3]) {
  const AspContactFrame *frame = touch->frame;
  Real S[3], Ra[2], Rb[2], c[2], turn[2];
  for (int k = 0; k < 3; k++)
    S[k] = touch->a.R.finite[k] + touch->b.R.finite[k] + L * (touch->a.R.flat[k] + touch->b.R.flat[k]);
  S[0] += frame->gap;
  S[2] += frame->gap;
  times(&touch->a.R, L, touch->a.turn, Ra);
  times(&touch->b.R, L, touch->b.turn, Rb);
  for (int k = 0; k < 2; k++)
    c[k] = touch->slip[k] + Ra[k] + Rb[k];
  solve(touch->dimension, S, CONTACT_BIAS_DEPENDENT * touch->size, c, turn);

  AspVec3 apart = sub3(touch->b.a, touch->a.a);
  bias[0] = dot3(frame->normal, apart);
  for (int k = 0; k < touch->dimension - 1; k++)
    bias[0] += c[k] * turn[k] - touch->a.turn[k] * Ra[k] - touch->b.turn[k] * Rb[k];

  // how the witness points wander
  Real from_a[2], from_b[2], ways_a[2], ways_b[2];
  for (int k = 0; k < 2; k++) {
    from_a[k] = turn[k] - touch->a.turn[k];
    from_b[k] = touch->b.turn[k] - turn[k];
  }
  times(&touch->a.R, L, from_a, ways_a);
  times(&touch->b.R, L, from_b, ways_b);
  AspVec3 wander_a = axpy3(scale3((double)ways_a[0], frame->t1), (double)ways_a[1], frame->t2);
  AspVec3 wander_b = axpy3(scale3((double)ways_b[0], frame->t1), (double)ways_b[1], frame->t2);
  AspVec3 drift = add3(apart, sub3(cross3(touch->b.w, wander_b), cross3(touch->a.w, wander_a)));
  bias[1] = dot3(drift, frame->t1);
  bias[2] = dot3(drift, frame->t2);
}

void asp_contact_bias(const AspModel *model, const AspState *state, const AspContactFrame *frame,
                      const AspRoundness round[2], double bias[3]) {
  BodyMotion a = asp_body_motion(model, state, frame->body_a), b = asp_body_motion(model, state, frame->body_b);
  // the frame has one point, that of the dynamic body or midway; the witness points are off it along the normal
  double off_b = !asp_model_body_is_free(model, frame->body_a)   ? 0
                 : !asp_model_body_is_free(model, frame->body_b) ? frame->gap
                                                                 : 0.5 * frame->gap;
  AspVec3 arm_a = sub3(frame->arm_a, scale3(frame->gap - off_b, frame->normal));
  AspVec3 arm_b = add3(frame->arm_b, scale3(off_b, frame->normal));
  Touch touch = {.dimension = asp_model_dimension(model),
                 .frame = frame,
                 .a = make_side(&a, frame, arm_a, &round[0]),
                 .b = make_side(&b, frame, arm_b, &round[1])};
  AspVec3 slip = sub3(point_velocity(&b, arm_b), point_velocity(&a, arm_a));
  touch.slip[0] = dot3(slip, frame->t1);
  touch.slip[1] = dot3(slip, frame->t2);
  if (touch.dimension == 2)
    touch.slip[1] = touch.a.turn[1] = touch.b.turn[1] = 0;
  touch.size = fmax(fmax(norm3(frame->arm_a), norm3(frame->arm_b)), CONTACT_BIAS_SIZE_LEAST);
  for (int k = 0; k < 3; k++)
    touch.size = fmaxl(touch.size, fmax(fabs(round[0].finite[k]), fabs(round[1].finite[k])));
  extend_faces(&round[1], &touch.a.R);
  extend_faces(&round[0], &touch.b.R);
  resolve_flatness(&touch.a, &touch.b);
  Real L = CONTACT_BIAS_FLAT_RADIUS * touch.size, once[3], twice[3];
  evaluate(&touch, L, once);
  evaluate(&touch, 2 * L, twice);
  for (int k = 0; k < 3; k++)
    bias[k] = (double)(2 * twice[k] - once[k]);
}
