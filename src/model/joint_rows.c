/* Constraint rows and coordinates of joints, composed from a few primitives between body A and body B, each a scalar
 * that vanishes when the joint is in order:
 *
 *   points coincide     e_k . d                      d = p_B - p_A, e_k the axes of the world         3 rows, 2D 2
 *   point on line       t1 . d, t2 . d               t1, t2 fixed in A, across the axis               2 rows, 2D 1
 *   point in plane      n . d                        n fixed in A                                     1 row
 *   axes parallel       -t2 . n_B, t1 . n_B          small rotations of B about t1, t2                2 rows, 2D none
 *   axes perpendicular  n_A . n_B                                                                     1 row
 *   orientations agree  n . t2_B, t1 . n_B, t2 . t1_B   small rotations of B about t1, t2, n          3 rows, 2D 1
 *   distance kept       |d| - length                                                                  1 row
 *   turned as it slid   n . d - pitch/(2 pi) angle                                                    1 row
 *
 * and, over other joints, the coordinate of a coupling: sum of polynomials P of their coordinates, with
 *
 *   P(q)' = P'(q) q',    P(q)'' = P'(q) q'' + P''(q) q'^2
 *
 * Compound joints: compound.c. Tendons: tendon.c.
 *
 * With arms r (world), velocities v, w and accelerations a, dw/dt of the two bodies:
 *
 *   dp/dt = v + w x r,             d2p/dt2 = a + dw/dt x r + w x (w x r)
 *   dn/dt = w x n  (n fixed in a body),       d2n/dt2 = dw/dt x n + w x (w x n)
 *
 * A row's bias is what the quadratic terms leave, plus ja.a_a and jb.a_b of bodies whose acceleration is prescribed.
 * Dot products of axes also vanish in the mirrored position (B turned by pi): the joint starts in the right one, since
 * its frames on A and B are taken from the same axes at the initial poses, and a motion that keeps the rows small
 * cannot get from one to the other. In 2D everything lives in the plane z = 0 with w along z, and the relative
 * orientation is the difference of the angles. Depends on body.c.
 */
#include "base/elementary.h"
#include "model/attach.h"
#include "model/compound.h"
#include "model/joint_friction.h"
#include "model/row_motion.h"
#include "model/tendon.h"

/* ---- two points on two bodies ---- */

/* As asp_body_motion; true: it may have a known acceleration. */
static bool take_motion(const AspModel *model, const AspState *state, int body, BodyMotion *to) {
  bool accelerated = model->body[body].def.kind == ASP_BODY_KINEMATIC || model->body[body].beam >= 0;
  if (accelerated || model->dimension == 2) {
    *to = asp_body_motion(model, state, body);
    return accelerated;
  }
  const double *q = &state->q[7 * (size_t)body], *v = &state->v[6 * (size_t)body];
  to->pose.position = vec3(q[0], q[1], q[2]);
  to->pose.orientation = (AspQuat){q[3], q[4], q[5], q[6]};
  to->v = vec3(v[0], v[1], v[2]);
  to->w = vec3(v[3], v[4], v[5]);
  to->known_a = to->known_w = vec3(0, 0, 0);
  return false;
}

static void pair_bodies(const AspModel *model, const AspState *state, int body_a, int body_b, PointPair *p) {
  p->dimension = model->dimension;
  p->body_a = body_a;
  p->body_b = body_b;
  bool a = take_motion(model, state, body_a, &p->a), b = take_motion(model, state, body_b, &p->b);
  p->accelerated = a || b;
}

static void pair_points(AspVec3 local_a, AspVec3 local_b, PointPair *p) {
  p->arm_a = quat_rotate(p->a.pose.orientation, local_a);
  p->arm_b = quat_rotate(p->b.pose.orientation, local_b);
  AspVec3 spin_a = cross3(p->a.w, p->arm_a), spin_b = cross3(p->b.w, p->arm_b);
  p->d = sub3(add3(p->b.pose.position, p->arm_b), add3(p->a.pose.position, p->arm_a));
  p->d_rate = sub3(add3(p->b.v, spin_b), add3(p->a.v, spin_a));
  p->d_bias = sub3(cross3(p->b.w, spin_b), cross3(p->a.w, spin_a));
}

PointPair asp_point_pair(const AspModel *model, const AspState *state, int body_a, AspVec3 local_a, int body_b,
                         AspVec3 local_b) {
  PointPair p;
  pair_bodies(model, state, body_a, body_b, &p);
  pair_points(local_a, local_b, &p);
  return p;
}

static void pack(int dimension, double j[6], AspGradient g) {
  bool plane = dimension == 2;
  j[0] = g.linear.x;
  j[1] = g.linear.y;
  j[2] = plane ? g.angular.z : g.linear.z;
  j[3] = plane ? 0 : g.angular.x;
  j[4] = plane ? 0 : g.angular.y;
  j[5] = plane ? 0 : g.angular.z;
}

AspRow asp_row_make(const PointPair *p, AspGradient ga, AspGradient gb, double value, double quadratic) {
  AspRow row;
  row.body_a = p->body_a;
  row.body_b = p->body_b;
  row.value = value;
  row.rate = 0;
  row.more = NULL;
  pack(p->dimension, row.ja, ga);
  pack(p->dimension, row.jb, gb);
  row.bias = quadratic;
  if (p->accelerated)
    row.bias += dot3(ga.linear, p->a.known_a) + dot3(ga.angular, p->a.known_w) + dot3(gb.linear, p->b.known_a) +
                dot3(gb.angular, p->b.known_w);
  return row;
}

double asp_row_rate(const AspModel *model, const AspState *state, const AspRow *row, const double *velocity) {
  int n = asp_model_velocities(model);
  const double *va = asp_body_is_free(&model->body[row->body_a]) ? velocity : state->v;
  const double *vb = asp_body_is_free(&model->body[row->body_b]) ? velocity : state->v;
  va += (size_t)n * (size_t)row->body_a;
  vb += (size_t)n * (size_t)row->body_b;
  double rate = row->rate;
  for (int i = 0; i < n; i++)
    rate += row->ja[i] * va[i] + row->jb[i] * vb[i];
  return row->more ? rate + asp_row_rate(model, state, row->more, velocity) : rate;
}

/* ---- scalar functions ---- */

AspRow asp_row_point(const PointPair *p, AspVec3 e) {
  AspGradient ga = {neg3(e), cross3(e, p->arm_a)}, gb = {e, cross3(p->arm_b, e)};
  return asp_row_make(p, ga, gb, dot3(e, p->d), dot3(e, p->d_bias));
}

/* n . d with n fixed in A */
static AspRow row_along_axis(const PointPair *p, AspVec3 n) {
  AspVec3 n_rate = cross3(p->a.w, n), n_bias = cross3(p->a.w, n_rate);
  AspGradient ga = {neg3(n), cross3(n, add3(p->arm_a, p->d))}, gb = {n, cross3(p->arm_b, n)};
  return asp_row_make(p, ga, gb, dot3(n, p->d), dot3(n_bias, p->d) + 2 * dot3(n_rate, p->d_rate) + dot3(n, p->d_bias));
}

/* m . n with m fixed in A and n fixed in B: its gradient is m x n over the spin of A and the opposite over that of B */
typedef struct AxesProduct {
  double value, rate, quadratic;
  AspVec3 gradient;
} AxesProduct;

static inline AxesProduct multiply_axes(const PointPair *p, AspVec3 m, AspVec3 n) {
  AspVec3 m_rate = cross3(p->a.w, m), n_rate = cross3(p->b.w, n);
  return (AxesProduct){.value = dot3(m, n),
                       .rate = dot3(m_rate, n) + dot3(m, n_rate),
                       .quadratic =
                           dot3(cross3(p->a.w, m_rate), n) + 2 * dot3(m_rate, n_rate) + dot3(m, cross3(p->b.w, n_rate)),
                       .gradient = cross3(m, n)};
}

static AspRow row_of_spins(const PointPair *p, AspVec3 gradient, double value, double quadratic) {
  AspGradient ga = {vec3(0, 0, 0), gradient}, gb = {vec3(0, 0, 0), neg3(gradient)};
  return asp_row_make(p, ga, gb, value, quadratic);
}

static AspRow row_axes(const PointPair *p, AspVec3 m, AspVec3 n) {
  AxesProduct product = multiply_axes(p, m, n);
  return row_of_spins(p, product.gradient, product.value, product.quadratic);
}

/* n . (w_B - w_A), where n changes at n_rate; no angle has this rate, the value stays 0. */
static AspRow row_spin(const PointPair *p, AspVec3 n, AspVec3 n_rate) {
  AspGradient ga = {vec3(0, 0, 0), neg3(n)}, gb = {vec3(0, 0, 0), n};
  return asp_row_make(p, ga, gb, 0, dot3(n_rate, sub3(p->b.w, p->a.w)));
}

/* 2D: angle of B minus angle of A minus `initial` */
static AspRow row_turn(const PointPair *p, double initial) {
  AspGradient ga = {vec3(0, 0, 0), vec3(0, 0, -1)}, gb = {vec3(0, 0, 0), vec3(0, 0, 1)};
  return asp_row_make(p, ga, gb, p->b.angle - p->a.angle - initial, 0);
}

/* |d| - length: u = d/|d|,  rate u . d',  second derivative u . d'' + (|d'|^2 - (u . d')^2)/|d|. At d = 0 there is no
 * direction and the gradient is zero. */
AspRow asp_row_distance(const PointPair *p, double length) {
  double distance = norm3(p->d);
  AspRow row = asp_row_point(p, unit3(p->d));
  row.value = distance - length;
  if (distance > 0) {
    AspVec3 across = axpy3(p->d_rate, -dot3(p->d_rate, p->d) / (distance * distance), p->d);
    row.bias += dot3(across, across) / distance;
  }
  return row;
}

/* ---- groups of rows: the joint in the world at one state ---- */

typedef struct JointPlace {
  const ModelJoint *joint;
  double angle; /* the last one, rad */
  PointPair points;
  AspVec3 local_a;        /* point fixed in A */
  const AspVec3 *frame_a; /* axes t1, t2, n fixed in A: the joint's, or `closed` */
  AspVec3 closed[3];
  double turn; /* 2D: angle of B minus angle of A where it closed */
} JointPlace;

/* The bodies; points are found by pair_points where they are wanted. */
static void place_joint(const AspModel *model, const AspState *state, int index, JointPlace *place) {
  const ModelJoint *joint = &model->joint[index];
  place->joint = joint;
  place->turn = joint->turn;
  place->angle = state->angle ? state->angle[index] : 0;
  place->local_a = joint->local_a;
  place->frame_a = joint->frame_a;
  if (joint->memory > 0 && asp_joint_closed_at(model, state, index, &place->local_a, place->closed, &place->turn))
    place->frame_a = place->closed;
  pair_bodies(model, state, joint->def.body_a, joint->def.body_b, &place->points);
}

static void find_points(JointPlace *place) { pair_points(place->local_a, place->joint->local_b, &place->points); }

/* Axis i (t1, t2, n), in the world: fixed in A, fixed in B. */
static AspVec3 axis_a(const JointPlace *place, int i) {
  return quat_rotate(place->points.a.pose.orientation, place->frame_a[i]);
}

static AspVec3 axis_b(const JointPlace *place, int i) {
  return quat_rotate(place->points.b.pose.orientation, place->joint->frame_b[i]);
}

/* Angle from t1 of A to t1 of B about A's axis, with y = t2_A . t1_B, x = t1_A . t1_B, s = x^2 + y^2:
 *
 *   phi   = atan2(y, x)
 *   phi'  = (x y' - y x')/s
 *   phi'' = (x y'' - y x'')/s - 2 (x y' - y x')(x x' + y y')/s^2
 *
 * Exact also while the joint has drifted, not only where the axes are parallel. */
static AspRow row_angle(const JointPlace *place) {
  AspVec3 n = axis_b(place, 0); // t1 of B
  AxesProduct x = multiply_axes(&place->points, axis_a(place, 0), n);
  AxesProduct y = multiply_axes(&place->points, axis_a(place, 1), n);
  double s = x.value * x.value + y.value * y.value, cx = x.value / s, cy = y.value / s;
  double quadratic =
      cx * y.quadratic - cy * x.quadratic - 2 * (cx * y.rate - cy * x.rate) * (cx * x.rate + cy * y.rate);
  return row_of_spins(&place->points, sub3(scale3(cx, y.gradient), scale3(cy, x.gradient)), asp_atan2(y.value, x.value),
                      quadratic);
}

/* An angle of B relative to A about the joint's axis plus its initial value; in 3D it is known up to full turns: the
 * one nearest to the last value. */
static double count_turns(const JointPlace *place, double angle) {
  double value = angle + place->joint->def.initial;
  return place->points.dimension == 2 ? value : value + 2 * ASP_PI * round((place->angle - value) / (2 * ASP_PI));
}

static AspRow row_hinge(const JointPlace *place) {
  AspRow row = place->points.dimension == 2 ? row_turn(&place->points, place->turn) : row_angle(place);
  row.value = count_turns(place, row.value);
  return row;
}

/* value of row_hinge */
static double hinge_value(const JointPlace *place) {
  if (place->points.dimension == 2)
    return row_hinge(place).value;
  AspVec3 n = axis_b(place, 0);
  return count_turns(place, asp_atan2(dot3(axis_a(place, 1), n), dot3(axis_a(place, 0), n)));
}

typedef int (*RowGroup)(const JointPlace *place, AspRow *rows);

static int points_coincide(const JointPlace *place, AspRow *rows) {
  const AspVec3 e[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < place->points.dimension; k++)
    rows[k] = asp_row_point(&place->points, e[k]);
  return place->points.dimension;
}

static int point_on_line(const JointPlace *place, AspRow *rows) {
  rows[0] = row_along_axis(&place->points, axis_a(place, 0));
  if (place->points.dimension == 2)
    return 1;
  rows[1] = row_along_axis(&place->points, axis_a(place, 1));
  return 2;
}

static int point_in_plane(const JointPlace *place, AspRow *rows) {
  rows[0] = row_along_axis(&place->points, axis_a(place, 2));
  return 1;
}

static int axes_parallel(const JointPlace *place, AspRow *rows) {
  if (place->points.dimension == 2)
    return 0;
  AspVec3 n = axis_b(place, 2);
  rows[0] = row_axes(&place->points, neg3(axis_a(place, 1)), n);
  rows[1] = row_axes(&place->points, axis_a(place, 0), n);
  return 2;
}

static int axes_perpendicular(const JointPlace *place, AspRow *rows) {
  rows[0] = row_axes(&place->points, axis_a(place, 2), axis_b(place, 2));
  return 1;
}

static int orientations_agree(const JointPlace *place, AspRow *rows) {
  if (place->points.dimension == 2) {
    rows[0] = row_turn(&place->points, place->turn);
    return 1;
  }
  rows[0] = row_axes(&place->points, axis_a(place, 2), axis_b(place, 1));
  rows[1] = row_axes(&place->points, axis_a(place, 0), axis_b(place, 2));
  rows[2] = row_axes(&place->points, axis_a(place, 1), axis_b(place, 0));
  return 3;
}

static int distance_kept(const JointPlace *place, AspRow *rows) {
  rows[0] = asp_row_distance(&place->points, place->joint->length);
  return 1;
}

/* row += factor part, both on the same two bodies */
static void add_part(AspRow *row, double factor, const AspRow *part) {
  for (int i = 0; i < 6; i++) {
    row->ja[i] += factor * part->ja[i];
    row->jb[i] += factor * part->jb[i];
  }
  row->value += factor * part->value;
  row->bias += factor * part->bias;
}

static int slid_as_turned(const JointPlace *place, AspRow *rows) {
  AspRow hinge = row_hinge(place);
  hinge.value -= place->joint->def.initial;
  rows[0] = row_along_axis(&place->points, axis_a(place, 2));
  add_part(&rows[0], -place->joint->def.pitch / (2 * ASP_PI), &hinge);
  return 1;
}

/* ---- the same rows without gradients: values and rates ---- */

typedef int (*MotionGroup)(const JointPlace *place, RowMotion *motion);

static int move_points(const JointPlace *place, RowMotion *motion) {
  const PointPair *p = &place->points;
  motion[0] = (RowMotion){p->d.x, p->d_rate.x, true};
  motion[1] = (RowMotion){p->d.y, p->d_rate.y, true};
  if (p->dimension == 3)
    motion[2] = (RowMotion){p->d.z, p->d_rate.z, true};
  return p->dimension;
}

static RowMotion move_along(const PointPair *p, AspVec3 n) {
  return (RowMotion){dot3(n, p->d), dot3(n, p->d_rate) + dot3(cross3(p->a.w, n), p->d), true};
}

static int move_on_line(const JointPlace *place, RowMotion *motion) {
  motion[0] = move_along(&place->points, axis_a(place, 0));
  if (place->points.dimension == 2)
    return 1;
  motion[1] = move_along(&place->points, axis_a(place, 1));
  return 2;
}

static int move_in_plane(const JointPlace *place, RowMotion *motion) {
  motion[0] = move_along(&place->points, axis_a(place, 2));
  return 1;
}

/* m . n; its gradient is m x n over w_A, the opposite over w_B */
static RowMotion move_axes(const PointPair *p, AspVec3 m, AspVec3 n) {
  return (RowMotion){dot3(m, n), dot3(cross3(m, n), sub3(p->a.w, p->b.w)), false};
}

static int move_parallel(const JointPlace *place, RowMotion *motion) {
  if (place->points.dimension == 2)
    return 0;
  AspVec3 n = axis_b(place, 2);
  motion[0] = move_axes(&place->points, neg3(axis_a(place, 1)), n);
  motion[1] = move_axes(&place->points, axis_a(place, 0), n);
  return 2;
}

static int move_perpendicular(const JointPlace *place, RowMotion *motion) {
  motion[0] = move_axes(&place->points, axis_a(place, 2), axis_b(place, 2));
  return 1;
}

static int move_orientations(const JointPlace *place, RowMotion *motion) {
  const PointPair *p = &place->points;
  if (p->dimension == 2) {
    motion[0] = (RowMotion){p->b.angle - p->a.angle - place->turn, p->b.w.z - p->a.w.z, false};
    return 1;
  }
  motion[0] = move_axes(p, axis_a(place, 2), axis_b(place, 1));
  motion[1] = move_axes(p, axis_a(place, 0), axis_b(place, 2));
  motion[2] = move_axes(p, axis_a(place, 1), axis_b(place, 0));
  return 3;
}

static int move_distance(const JointPlace *place, RowMotion *motion) {
  const PointPair *p = &place->points;
  motion[0] = (RowMotion){norm3(p->d) - place->joint->length, dot3(unit3(p->d), p->d_rate), true};
  return 1;
}

/* Value and rate of row_hinge. */
static RowMotion move_hinge(const JointPlace *place) {
  const PointPair *p = &place->points;
  if (p->dimension == 2)
    return (RowMotion){count_turns(place, p->b.angle - p->a.angle - place->turn), p->b.w.z - p->a.w.z, false};
  AspVec3 n = axis_b(place, 0);
  RowMotion x = move_axes(p, axis_a(place, 0), n), y = move_axes(p, axis_a(place, 1), n);
  return (RowMotion){count_turns(place, asp_atan2(y.value, x.value)),
                     (x.value * y.rate - y.value * x.rate) / (x.value * x.value + y.value * y.value), false};
}

static int move_screw(const JointPlace *place, RowMotion *motion) {
  RowMotion hinge = move_hinge(place);
  double per_angle = place->joint->def.pitch / (2 * ASP_PI);
  motion[0] = move_along(&place->points, axis_a(place, 2));
  motion[0].value -= per_angle * (hinge.value - place->joint->def.initial);
  motion[0].rate -= per_angle * hinge.rate;
  return 1;
}

static RowMotion motion_of_row(const AspModel *model, const AspState *state, const AspRow *row) {
  bool plane = model->dimension == 2;
  return (RowMotion){row->value, asp_row_rate(model, state, row, state->v),
                     row->jb[0] != 0 || row->jb[1] != 0 || (!plane && row->jb[2] != 0)};
}

/* ---- joints ---- */

typedef enum Group {
  NONE,
  POINTS_COINCIDE,
  POINT_ON_LINE,
  POINT_IN_PLANE,
  AXES_PARALLEL,
  AXES_PERPENDICULAR,
  ORIENTATIONS_AGREE,
  DISTANCE_KEPT,
  SLID_AS_TURNED,
  GROUPS
} Group;

static const struct {
  RowGroup rows;
  MotionGroup motions;
} groups[GROUPS] = {
    [POINTS_COINCIDE] = {points_coincide, move_points},
    [POINT_ON_LINE] = {point_on_line, move_on_line},
    [POINT_IN_PLANE] = {point_in_plane, move_in_plane},
    [AXES_PARALLEL] = {axes_parallel, move_parallel},
    [AXES_PERPENDICULAR] = {axes_perpendicular, move_perpendicular},
    [ORIENTATIONS_AGREE] = {orientations_agree, move_orientations},
    [DISTANCE_KEPT] = {distance_kept, move_distance},
    [SLID_AS_TURNED] = {slid_as_turned, move_screw},
};

static const Group composition[ASP_JOINT_COUNT][3] = {
    [ASP_JOINT_REVOLUTE] = {POINTS_COINCIDE, AXES_PARALLEL},
    [ASP_JOINT_PRISMATIC] = {POINT_ON_LINE, ORIENTATIONS_AGREE},
    [ASP_JOINT_CYLINDRICAL] = {POINT_ON_LINE, AXES_PARALLEL},
    [ASP_JOINT_SPHERICAL] = {POINTS_COINCIDE},
    [ASP_JOINT_UNIVERSAL] = {POINTS_COINCIDE, AXES_PERPENDICULAR},
    [ASP_JOINT_PLANAR] = {POINT_IN_PLANE, AXES_PARALLEL},
    [ASP_JOINT_FIXED] = {POINTS_COINCIDE, ORIENTATIONS_AGREE},
    [ASP_JOINT_DISTANCE] = {DISTANCE_KEPT},
    [ASP_JOINT_SCREW] = {POINT_ON_LINE, AXES_PARALLEL, SLID_AS_TURNED},
};

AspVec3 asp_joint_place(const AspModel *model, const AspState *state, int joint, AspVec3 axes[3]) {
  if (model->joint[joint].def.compound >= 0)
    return asp_compound_place(model, state, joint, axes);
  JointPlace place;
  place_joint(model, state, joint, &place);
  find_points(&place);
  for (int i = 0; i < 3; i++)
    axes[i] = axis_a(&place, i);
  return add3(place.points.b.pose.position, place.points.arm_b);
}

AspVec3 asp_joint_axis_of_b(const AspModel *model, const AspState *state, int joint) {
  JointPlace place;
  place_joint(model, state, joint, &place);
  return axis_b(&place, 2);
}

int asp_joint_rows(const AspModel *model, const AspState *state, int joint, AspRow rows[ASP_JOINT_ROWS_MAX]) {
  const AspJointDef *def = &model->joint[joint].def;
  if (asp_joint_is_sum(def)) {
    AspRow part[ASP_ROW_PARTS];
    bool held = asp_coupling_is_held(def);
    if (held && asp_joint_coordinate(model, state, joint, part)) {
      int count = 0; // its parts fit: checked when it was added
      do
        rows[count] = part[count];
      while (part[count++].more && count < ASP_JOINT_ROWS_MAX);
      for (int i = 0; i < count; i++)
        rows[i].more = i + 1 < count ? &rows[i + 1] : NULL;
      rows[0].value -= def->initial;
    }
    return held;
  }
  if (def->kind == ASP_JOINT_COMPOUND)
    return asp_compound_rows(model, state, joint, rows);
  if (def->compound >= 0 || !asp_joint_is_active(model, state, joint))
    return 0;
  JointPlace place;
  place_joint(model, state, joint, &place);
  find_points(&place);
  int count = 0;
  for (int i = 0; i < 3 && composition[def->kind][i] != NONE; i++)
    count += groups[composition[def->kind][i]].rows(&place, rows + count);
  return count;
}

int asp_joint_row_motions(const AspModel *model, const AspState *state, int joint,
                          RowMotion motion[ASP_JOINT_ROWS_MAX]) {
  const AspJointDef *def = &model->joint[joint].def;
  JointPlace place;
  int count = 0;
  if (asp_joint_is_sum(def) || def->kind == ASP_JOINT_COMPOUND) {
    AspRow rows[ASP_JOINT_ROWS_MAX];
    count = asp_joint_rows(model, state, joint, rows);
    for (int k = 0; k < count; k++)
      motion[k] = motion_of_row(model, state, &rows[k]);
    return count;
  }
  if (def->compound >= 0 || !asp_joint_is_active(model, state, joint))
    return 0;
  place_joint(model, state, joint, &place);
  find_points(&place);
  for (int i = 0; i < 3 && composition[def->kind][i] != NONE; i++)
    count += groups[composition[def->kind][i]].motions(&place, motion + count);
  return count;
}

/* One part for each term; what the terms have of value and bias is in the first. */
static void couple(const AspModel *model, const AspState *state, int joint, AspRow *row) {
  const AspJointDef *def = &model->joint[joint].def;
  double value = def->initial - model->joint[joint].start, bias = 0;
  for (int i = 0; i < def->term_count; i++) {
    AspRow term[ASP_ROW_PARTS];
    asp_joint_coordinate(model, state, def->term[i].joint, term);
    row[i] = (AspRow){.body_a = term->body_a, .body_b = term->body_b};
    AspJet polynomial = asp_coupling_term(&def->term[i], term->value);
    add_part(&row[i], polynomial.rate, term);
    value += polynomial.value;
    bias += row[i].bias;
    if (polynomial.acceleration != 0) {
      double rate = asp_row_rate(model, state, term, state->v);
      bias += polynomial.acceleration * rate * rate;
    }
    row[i].value = row[i].bias = 0;
    row[i].more = i + 1 < def->term_count ? &row[i + 1] : NULL;
  }
  row->value = value;
  row->bias = bias;
}

static bool has_coordinate(const AspModel *model, const AspState *state, int joint) {
  AspJointKind kind = model->joint[joint].def.kind;
  bool one = kind == ASP_JOINT_REVOLUTE || kind == ASP_JOINT_PRISMATIC || kind == ASP_JOINT_SCREW;
  return one && asp_joint_is_active(model, state, joint);
}

bool asp_joint_coordinate(const AspModel *model, const AspState *state, int joint, AspRow row[ASP_ROW_PARTS]) {
  AspJointKind kind = model->joint[joint].def.kind;
  if (kind == ASP_JOINT_COUPLING) {
    couple(model, state, joint, row);
    return true;
  }
  if (kind == ASP_JOINT_TENDON) {
    asp_tendon_row(model, state, joint, row);
    return true;
  }
  if (model->joint[joint].def.compound >= 0) {
    *row = asp_compound_coordinate(model, state, joint);
    return true;
  }
  if (!has_coordinate(model, state, joint))
    return false;
  JointPlace place;
  place_joint(model, state, joint, &place);
  if (kind != ASP_JOINT_PRISMATIC) {
    *row = row_hinge(&place);
    return true;
  }
  find_points(&place);
  *row = row_along_axis(&place.points, axis_a(&place, 2));
  row->value += place.joint->def.initial;
  return true;
}

bool asp_joint_motion_of_coordinate(const AspModel *model, const AspState *state, int joint, RowMotion *motion) {
  AspJointKind kind = model->joint[joint].def.kind;
  if (asp_joint_is_sum(&model->joint[joint].def) || model->joint[joint].def.compound >= 0) {
    AspRow row[ASP_ROW_PARTS];
    asp_joint_coordinate(model, state, joint, row);
    *motion = motion_of_row(model, state, row);
    return true;
  }
  if (!has_coordinate(model, state, joint))
    return false;
  JointPlace place;
  place_joint(model, state, joint, &place);
  if (kind != ASP_JOINT_PRISMATIC) {
    *motion = move_hinge(&place);
    return true;
  }
  find_points(&place);
  *motion = move_along(&place.points, axis_a(&place, 2));
  motion->value += place.joint->def.initial;
  return true;
}

static int along_and_about(const JointPlace *place, AspRow *rows) {
  rows[0] = row_along_axis(&place->points, axis_a(place, 2));
  rows[1] = row_angle(place);
  return 2;
}

static int about_both_axes(const JointPlace *place, AspRow *rows) {
  AspVec3 a = axis_a(place, 2), b = axis_b(place, 2);
  rows[0] = row_spin(&place->points, a, cross3(place->points.a.w, a));
  rows[1] = row_spin(&place->points, b, cross3(place->points.b.w, b));
  return 2;
}

static int about_the_point(const JointPlace *place, AspRow *rows) {
  const AspVec3 e[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 3; k++)
    rows[k] = row_spin(&place->points, e[k], vec3(0, 0, 0));
  return 3;
}

static int in_plane_and_about(const JointPlace *place, AspRow *rows) {
  rows[0] = row_along_axis(&place->points, axis_a(place, 0));
  rows[1] = row_along_axis(&place->points, axis_a(place, 1));
  rows[2] = row_angle(place);
  return 3;
}

int asp_joint_free_rows(const AspModel *model, const AspState *state, int joint, AspRow rows[ASP_ROW_PARTS]) {
  static const RowGroup freedom[ASP_JOINT_COUNT] = {
      [ASP_JOINT_CYLINDRICAL] = along_and_about,
      [ASP_JOINT_UNIVERSAL] = about_both_axes,
      [ASP_JOINT_SPHERICAL] = about_the_point,
      [ASP_JOINT_PLANAR] = in_plane_and_about,
  };
  RowGroup group = freedom[model->joint[joint].def.kind];
  if (!group)
    return asp_joint_coordinate(model, state, joint, rows);
  if (!asp_joint_is_active(model, state, joint))
    return 0;
  JointPlace place;
  place_joint(model, state, joint, &place);
  find_points(&place);
  return group(&place, rows);
}

bool asp_joint_value(const AspModel *model, const AspState *state, int joint, double *value) {
  const AspJointDef *def = &model->joint[joint].def;
  if (def->kind == ASP_JOINT_COUPLING) {
    double term = 0;
    *value = def->initial - model->joint[joint].start;
    for (int i = 0; i < def->term_count; i++) {
      asp_joint_value(model, state, def->term[i].joint, &term);
      *value += asp_coupling_term(&def->term[i], term).value;
    }
    return true;
  }
  if (def->kind == ASP_JOINT_TENDON) {
    AspRow row[ASP_ROW_PARTS];
    asp_tendon_row(model, state, joint, row);
    *value = row->value;
    return true;
  }
  if (def->compound >= 0) {
    *value = asp_compound_value(model, state, joint);
    return true;
  }
  if (!has_coordinate(model, state, joint))
    return false;
  JointPlace place;
  place_joint(model, state, joint, &place);
  if (def->kind == ASP_JOINT_PRISMATIC) {
    find_points(&place);
    *value = dot3(axis_a(&place, 2), place.points.d) + def->initial;
  } else {
    *value = hinge_value(&place);
  }
  return true;
}

double asp_joint_turn_rate(const AspModel *model, const AspState *state, int joint, const double *velocity) {
  const ModelJoint *it = &model->joint[joint];
  bool hinge = it->def.kind == ASP_JOINT_REVOLUTE || it->def.kind == ASP_JOINT_SCREW;
  if (!hinge || it->def.compound >= 0 || model->dimension == 2 || !asp_joint_is_active(model, state, joint))
    return 0;
  const double *va = asp_body_is_free(&model->body[it->def.body_a]) ? velocity : state->v;
  const double *vb = asp_body_is_free(&model->body[it->def.body_b]) ? velocity : state->v;
  va += 6 * (size_t)it->def.body_a + 3;
  vb += 6 * (size_t)it->def.body_b + 3;
  AspVec3 n = quat_rotate(asp_state_pose(model, state, it->def.body_b).orientation, it->frame_b[2]);
  return dot3(n, vec3(vb[0] - va[0], vb[1] - va[1], vb[2] - va[2]));
}
