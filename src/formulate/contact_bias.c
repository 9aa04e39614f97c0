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
 * (docs/theory/existence.md). Flat parts have R = F + L P with L -> infinity; then S = S0 + L K with K = P_A + P_B.
 * Since d = P_A w_A + P_B w_B lies in the range of K, the limit is finite. With c0 = v_T + F_A w_A + F_B w_B, K z = d
 * and e = c0 - S0 z:
 *
 *   n' = z + y0 + y1/L + ...,   y0 in the kernel of K: S0 y0 = e there,   K y1 = e - S0 y0 on its range
 *   c . n' - w_A . R_A w_A - w_B . R_B w_B  ->  c0 . z + z . e + e . y0 - w_A . F_A w_A - w_B . F_B w_B
 *   R_A (n' - w_A)  ->  F_A (n' - w_A) + P_A y1
 *
 * because P_A z = P_A w_A and P_B z = P_B w_B where the flat directions of A and B differ (resolve_flatness). Only
 * sums, products, quotients and square roots: the same bits on every machine. Depends on model. */
#include "formulate/acceleration.h"
#include "formulate/tuning/formulate.h"
#include "linalg/vec3.h"
#include "model/model.h"

#include <math.h>
#include <stdbool.h>

typedef struct Side {
  AspVec3 w;      /* angular velocity, world */
  AspVec3 a;      /* acceleration of the witness point as a point of the body, dynamic bodies not accelerating */
  double turn[2]; /* omega x n in (t1, t2) */
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

static double dot2(const double a[2], const double b[2]) { return a[0] * b[0] + a[1] * b[1]; }

/* T x of a symmetric T */
static void times(const double T[3], const double x[2], double y[2]) {
  double first = T[0] * x[0] + T[1] * x[1], second = T[1] * x[0] + T[2] * x[1];
  y[0] = first, y[1] = second;
}

/* Eigenvalues of a symmetric tensor and its eigenvectors, in 2D the entry 11 alone; returns how many. */
static int principal(int dimension, const double T[3], double value[2], double axis[2][2]) {
  axis[0][0] = 1, axis[0][1] = 0;
  value[0] = T[0];
  if (dimension == 2)
    return 1;
  double mean = (T[0] + T[2]) / 2, half = (T[0] - T[2]) / 2, radius = sqrt(half * half + T[1] * T[1]);
  double x = half >= 0 ? radius + half : T[1], y = half >= 0 ? T[1] : radius - half, length = sqrt(x * x + y * y);
  if (length > 0)
    axis[0][0] = x / length, axis[0][1] = y / length;
  axis[1][0] = -axis[0][1], axis[1][1] = axis[0][0];
  // of the two the one nearer to zero comes from the determinant: no cancellation
  double large = mean + (mean < 0 ? -radius : radius);
  double small = large != 0 ? (T[0] * T[2] - T[1] * T[1]) / large : 0;
  value[0] = mean < 0 ? small : large;
  value[1] = mean < 0 ? large : small;
  return 2;
}

typedef struct Touch {
  int dimension;
  const AspContactFrame *frame;
  Side a, b;
  double slip[2]; /* v_T */
  double size;    /* a length of the contact, m */
} Touch;

/* The limit of the file's head. */
typedef struct Limit {
  double K[3], S0[3], c0[2], Fa[2], Fb[2]; /* F w of both sides */
  double z[2], e[2], y0[2], y1[2];
} Limit;

/* y += (axis . x / value) axis */
static void add_along(const double axis[2], double value, const double x[2], double y[2]) {
  double part = dot2(axis, x) / value;
  y[0] += part * axis[0], y[1] += part * axis[1];
}

static Limit find_limit(const Touch *touch) {
  const Side *a = &touch->a, *b = &touch->b;
  Limit limit = {0};
  double pa[2], pb[2], d[2], value[2], axis[2][2], rest[2];
  for (int k = 0; k < 3; k++) {
    limit.K[k] = a->R.flat[k] + b->R.flat[k];
    limit.S0[k] = a->R.finite[k] + b->R.finite[k] + (k == 1 ? 0 : touch->frame->gap);
  }
  times(a->R.finite, a->turn, limit.Fa);
  times(b->R.finite, b->turn, limit.Fb);
  times(a->R.flat, a->turn, pa);
  times(b->R.flat, b->turn, pb);
  for (int k = 0; k < 2; k++) {
    limit.c0[k] = touch->slip[k] + limit.Fa[k] + limit.Fb[k];
    d[k] = pa[k] + pb[k];
  }
  int count = principal(touch->dimension, limit.K, value, axis);
  // lines that differ have a smaller eigenvalue above half of CONTACT_BIAS_SAME_FLAT
  bool flat[2] = {value[0] > 0.25 * CONTACT_BIAS_SAME_FLAT, count > 1 && value[1] > 0.25 * CONTACT_BIAS_SAME_FLAT};
  for (int i = 0; i < count; i++)
    if (flat[i])
      add_along(axis[i], value[i], d, limit.z);
  times(limit.S0, limit.z, rest);
  for (int k = 0; k < 2; k++)
    limit.e[k] = limit.c0[k] - rest[k];
  // directions in which S vanishes (vertex on vertex) are left alone
  double smallest = CONTACT_BIAS_DEPENDENT * touch->size, own[2], own_axis[2][2];
  if (!flat[0] && !flat[1]) {
    principal(touch->dimension, limit.S0, own, own_axis);
    for (int i = 0; i < count; i++)
      if (fabs(own[i]) > smallest)
        add_along(own_axis[i], own[i], limit.e, limit.y0);
  } else if (count > 1 && !flat[1]) {
    times(limit.S0, axis[1], rest);
    if (fabs(dot2(axis[1], rest)) > smallest)
      add_along(axis[1], dot2(axis[1], rest), limit.e, limit.y0);
  }
  times(limit.S0, limit.y0, rest);
  for (int k = 0; k < 2; k++)
    rest[k] = limit.e[k] - rest[k];
  for (int i = 0; i < count; i++)
    if (flat[i])
      add_along(axis[i], value[i], rest, limit.y1);
  return limit;
}

/* How the witness point wanders over its body: sign (F (n' - w) + P y1) */
static AspVec3 wander(const Touch *touch, const Side *side, const Limit *limit, double sign) {
  double from[2] = {limit->z[0] + limit->y0[0] - side->turn[0], limit->z[1] + limit->y0[1] - side->turn[1]};
  double way[2], more[2];
  times(side->R.finite, from, way);
  times(side->R.flat, limit->y1, more);
  return axpy3(scale3(sign * (way[0] + more[0]), touch->frame->t1), sign * (way[1] + more[1]), touch->frame->t2);
}

static void evaluate(const Touch *touch, double bias[3]) {
  const AspContactFrame *frame = touch->frame;
  const Side *a = &touch->a, *b = &touch->b;
  Limit limit = find_limit(touch);
  AspVec3 apart = sub3(b->a, a->a);
  bias[0] = dot3(frame->normal, apart) + dot2(limit.c0, limit.z) + dot2(limit.z, limit.e) + dot2(limit.e, limit.y0) -
            dot2(a->turn, limit.Fa) - dot2(b->turn, limit.Fb);
  AspVec3 wander_a = wander(touch, a, &limit, 1), wander_b = wander(touch, b, &limit, -1);
  AspVec3 drift = add3(apart, sub3(cross3(b->w, wander_b), cross3(a->w, wander_a)));
  bias[1] = dot3(drift, frame->t1);
  bias[2] = dot3(drift, frame->t2);
}

/* The flat parts that count. */
static void choose_flatness(const AspRoundness round[2], Side *a, Side *b) {
  extend_faces(&round[1], &a->R);
  extend_faces(&round[0], &b->R);
  resolve_flatness(a, b);
}

int asp_contact_parts(const AspRoundness round[2]) {
  Side a = {.R = round[0]}, b = {.R = round[1]};
  choose_flatness(round, &a, &b);
  return (int)(a.R.flat[0] + a.R.flat[2] + 0.5) + 3 * (int)(b.R.flat[0] + b.R.flat[2] + 0.5);
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
    touch.size = fmax(touch.size, fmax(fabs(round[0].finite[k]), fabs(round[1].finite[k])));
  choose_flatness(round, &touch.a, &touch.b);
  evaluate(&touch, bias);
}
