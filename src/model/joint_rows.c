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
 * and, over other joints, the coordinate of a coupling: sum of factors times their coordinates.
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
#include "model/attach.h"
#include "model/joint_friction.h"

/* ---- two points on two bodies ---- */

PointPair asp_point_pair(const AspModel *model, const AspState *state, int body_a, AspVec3 local_a, int body_b,
                         AspVec3 local_b) {
  PointPair p = {.dimension = model->dimension, .body_a = body_a, .body_b = body_b};
  p.a = asp_body_motion(model, state, body_a);
  p.b = asp_body_motion(model, state, body_b);
  p.arm_a = quat_rotate(p.a.pose.orientation, local_a);
  p.arm_b = quat_rotate(p.b.pose.orientation, local_b);
  AspVec3 spin_a = cross3(p.a.w, p.arm_a), spin_b = cross3(p.b.w, p.arm_b);
  p.d = sub3(add3(p.b.pose.position, p.arm_b), add3(p.a.pose.position, p.arm_a));
  p.d_rate = sub3(add3(p.b.v, spin_b), add3(p.a.v, spin_a));
  p.d_bias = sub3(cross3(p.b.w, spin_b), cross3(p.a.w, spin_a));
  return p;
}

/* Gradient of one body, linear and angular part. */
typedef struct Gradient {
  AspVec3 linear, angular;
} Gradient;

static void pack(int dimension, double j[6], const Gradient *g) {
  double full[6] = {g->linear.x, g->linear.y, g->linear.z, g->angular.x, g->angular.y, g->angular.z};
  double flat[6] = {g->linear.x, g->linear.y, g->angular.z, 0, 0, 0};
  memcpy(j, dimension == 2 ? flat : full, 6 * sizeof *j);
}

/* `quadratic`: what remains of the second derivative when all accelerations vanish; the prescribed ones are added. */
static AspRow make_row(const PointPair *p, Gradient ga, Gradient gb, double value, double quadratic) {
  AspRow row = {.body_a = p->body_a, .body_b = p->body_b, .value = value};
  pack(p->dimension, row.ja, &ga);
  pack(p->dimension, row.jb, &gb);
  row.bias = quadratic + dot3(ga.linear, p->a.known_a) + dot3(ga.angular, p->a.known_w) +
             dot3(gb.linear, p->b.known_a) + dot3(gb.angular, p->b.known_w);
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
  Gradient ga = {neg3(e), cross3(e, p->arm_a)}, gb = {e, cross3(p->arm_b, e)};
  return make_row(p, ga, gb, dot3(e, p->d), dot3(e, p->d_bias));
}

/* n . d with n fixed in A */
static AspRow row_along_axis(const PointPair *p, AspVec3 n) {
  AspVec3 n_rate = cross3(p->a.w, n), n_bias = cross3(p->a.w, n_rate);
  Gradient ga = {neg3(n), cross3(n, add3(p->arm_a, p->d))}, gb = {n, cross3(p->arm_b, n)};
  return make_row(p, ga, gb, dot3(n, p->d), dot3(n_bias, p->d) + 2 * dot3(n_rate, p->d_rate) + dot3(n, p->d_bias));
}

/* m . n with m fixed in A and n fixed in B; its rate too when wanted */
static AspRow row_axes(const PointPair *p, AspVec3 m, AspVec3 n, double *rate) {
  AspVec3 m_rate = cross3(p->a.w, m), n_rate = cross3(p->b.w, n), c = cross3(m, n);
  Gradient ga = {vec3(0, 0, 0), c}, gb = {vec3(0, 0, 0), neg3(c)};
  if (rate)
    *rate = dot3(m_rate, n) + dot3(m, n_rate);
  double quadratic = dot3(cross3(p->a.w, m_rate), n) + 2 * dot3(m_rate, n_rate) + dot3(m, cross3(p->b.w, n_rate));
  return make_row(p, ga, gb, dot3(m, n), quadratic);
}

/* n . (w_B - w_A), where n changes at n_rate; no angle has this rate, the value stays 0. */
static AspRow row_spin(const PointPair *p, AspVec3 n, AspVec3 n_rate) {
  Gradient ga = {vec3(0, 0, 0), neg3(n)}, gb = {vec3(0, 0, 0), n};
  return make_row(p, ga, gb, 0, dot3(n_rate, sub3(p->b.w, p->a.w)));
}

/* 2D: angle of B minus angle of A minus `initial` */
static AspRow row_turn(const PointPair *p, double initial) {
  Gradient ga = {vec3(0, 0, 0), vec3(0, 0, -1)}, gb = {vec3(0, 0, 0), vec3(0, 0, 1)};
  return make_row(p, ga, gb, p->b.angle - p->a.angle - initial, 0);
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
  AspVec3 a[3], b[3]; /* t1, t2, axis: fixed in A, fixed in B; world */
  double turn;        /* 2D: angle of B minus angle of A where it closed */
} JointPlace;

static JointPlace place_joint(const AspModel *model, const AspState *state, int index) {
  const ModelJoint *joint = &model->joint[index];
  JointPlace place = {.joint = joint, .turn = joint->turn, .angle = state->angle ? state->angle[index] : 0};
  AspVec3 local_a = joint->local_a, frame_a[3];
  memcpy(frame_a, joint->frame_a, sizeof frame_a);
  asp_joint_closed_at(model, state, index, &local_a, frame_a, &place.turn);
  place.points = asp_point_pair(model, state, joint->def.body_a, local_a, joint->def.body_b, joint->local_b);
  for (int i = 0; i < 3; i++) {
    place.a[i] = quat_rotate(place.points.a.pose.orientation, frame_a[i]);
    place.b[i] = quat_rotate(place.points.b.pose.orientation, joint->frame_b[i]);
  }
  return place;
}

/* Angle from t1 of A to t1 of B about A's axis, with y = t2_A . t1_B, x = t1_A . t1_B, s = x^2 + y^2:
 *
 *   phi   = atan2(y, x)
 *   phi'  = (x y' - y x')/s
 *   phi'' = (x y'' - y x'')/s - 2 (x y' - y x')(x x' + y y')/s^2
 *
 * Exact also while the joint has drifted, not only where the axes are parallel. */
static AspRow row_angle(const JointPlace *place) {
  double x_rate, y_rate;
  AspRow x = row_axes(&place->points, place->a[0], place->b[0], &x_rate);
  AspRow y = row_axes(&place->points, place->a[1], place->b[0], &y_rate);
  double s = x.value * x.value + y.value * y.value, cx = x.value / s, cy = y.value / s;
  AspRow row = {.body_a = x.body_a, .body_b = x.body_b, .value = atan2(y.value, x.value)};
  for (int i = 0; i < 6; i++) {
    row.ja[i] = cx * y.ja[i] - cy * x.ja[i];
    row.jb[i] = cx * y.jb[i] - cy * x.jb[i];
  }
  row.bias = cx * y.bias - cy * x.bias - 2 * (cx * y_rate - cy * x_rate) * (cx * x_rate + cy * y_rate);
  return row;
}

/* Angle of B relative to A about the joint's axis plus its initial value; in 3D it is known up to full turns: the one
 * nearest to the last value. */
static AspRow row_hinge(const JointPlace *place) {
  AspRow row = place->points.dimension == 2 ? row_turn(&place->points, place->turn) : row_angle(place);
  row.value += place->joint->def.initial;
  if (place->points.dimension == 3)
    row.value += 2 * ASP_PI * round((place->angle - row.value) / (2 * ASP_PI));
  return row;
}

typedef int (*RowGroup)(const JointPlace *place, AspRow *rows);

static int points_coincide(const JointPlace *place, AspRow *rows) {
  const AspVec3 e[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < place->points.dimension; k++)
    rows[k] = asp_row_point(&place->points, e[k]);
  return place->points.dimension;
}

static int point_on_line(const JointPlace *place, AspRow *rows) {
  rows[0] = row_along_axis(&place->points, place->a[0]);
  if (place->points.dimension == 2)
    return 1;
  rows[1] = row_along_axis(&place->points, place->a[1]);
  return 2;
}

static int point_in_plane(const JointPlace *place, AspRow *rows) {
  rows[0] = row_along_axis(&place->points, place->a[2]);
  return 1;
}

static int axes_parallel(const JointPlace *place, AspRow *rows) {
  if (place->points.dimension == 2)
    return 0;
  rows[0] = row_axes(&place->points, neg3(place->a[1]), place->b[2], NULL);
  rows[1] = row_axes(&place->points, place->a[0], place->b[2], NULL);
  return 2;
}

static int axes_perpendicular(const JointPlace *place, AspRow *rows) {
  rows[0] = row_axes(&place->points, place->a[2], place->b[2], NULL);
  return 1;
}

static int orientations_agree(const JointPlace *place, AspRow *rows) {
  if (place->points.dimension == 2) {
    rows[0] = row_turn(&place->points, place->turn);
    return 1;
  }
  rows[0] = row_axes(&place->points, place->a[2], place->b[1], NULL);
  rows[1] = row_axes(&place->points, place->a[0], place->b[2], NULL);
  rows[2] = row_axes(&place->points, place->a[1], place->b[0], NULL);
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
  rows[0] = row_along_axis(&place->points, place->a[2]);
  add_part(&rows[0], -place->joint->def.pitch / (2 * ASP_PI), &hinge);
  return 1;
}

/* ---- joints ---- */

static const RowGroup composition[ASP_JOINT_COUNT][3] = {
    [ASP_JOINT_REVOLUTE] = {points_coincide, axes_parallel},
    [ASP_JOINT_PRISMATIC] = {point_on_line, orientations_agree},
    [ASP_JOINT_CYLINDRICAL] = {point_on_line, axes_parallel},
    [ASP_JOINT_SPHERICAL] = {points_coincide},
    [ASP_JOINT_UNIVERSAL] = {points_coincide, axes_perpendicular},
    [ASP_JOINT_PLANAR] = {point_in_plane, axes_parallel},
    [ASP_JOINT_FIXED] = {points_coincide, orientations_agree},
    [ASP_JOINT_DISTANCE] = {distance_kept},
    [ASP_JOINT_SCREW] = {point_on_line, axes_parallel, slid_as_turned},
};

AspVec3 asp_joint_place(const AspModel *model, const AspState *state, int joint, AspVec3 axes[3]) {
  JointPlace place = place_joint(model, state, joint);
  for (int i = 0; i < 3; i++)
    axes[i] = place.a[i];
  return add3(place.points.b.pose.position, place.points.arm_b);
}

int asp_joint_rows(const AspModel *model, const AspState *state, int joint, AspRow rows[ASP_JOINT_ROWS_MAX]) {
  const AspJointDef *def = &model->joint[joint].def;
  if (def->kind == ASP_JOINT_COUPLING) {
    bool held = asp_coupling_is_held(def);
    if (held && asp_joint_coordinate(model, state, joint, rows))
      rows[0].value -= def->initial;
    return held;
  }
  if (!asp_joint_is_active(model, state, joint))
    return 0;
  JointPlace place = place_joint(model, state, joint);
  int count = 0;
  for (int i = 0; i < 3; i++)
    if (composition[place.joint->def.kind][i])
      count += composition[place.joint->def.kind][i](&place, rows + count);
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
    add_part(&row[i], def->term[i].factor, term);
    value += row[i].value;
    bias += row[i].bias;
    row[i].value = row[i].bias = 0;
    row[i].more = i + 1 < def->term_count ? &row[i + 1] : NULL;
  }
  row->value = value;
  row->bias = bias;
}

bool asp_joint_coordinate(const AspModel *model, const AspState *state, int joint, AspRow row[ASP_ROW_PARTS]) {
  AspJointKind kind = model->joint[joint].def.kind;
  if (kind == ASP_JOINT_COUPLING) {
    couple(model, state, joint, row);
    return true;
  }
  bool one = kind == ASP_JOINT_REVOLUTE || kind == ASP_JOINT_PRISMATIC || kind == ASP_JOINT_SCREW;
  if (!one || !asp_joint_is_active(model, state, joint))
    return false;
  JointPlace place = place_joint(model, state, joint);
  if (kind != ASP_JOINT_PRISMATIC) {
    *row = row_hinge(&place);
    return true;
  }
  *row = row_along_axis(&place.points, place.a[2]);
  row->value += place.joint->def.initial;
  return true;
}

static int along_and_about(const JointPlace *place, AspRow *rows) {
  rows[0] = row_along_axis(&place->points, place->a[2]);
  rows[1] = row_angle(place);
  return 2;
}

static int about_both_axes(const JointPlace *place, AspRow *rows) {
  AspVec3 a = place->a[2], b = place->b[2];
  rows[0] = row_spin(&place->points, a, cross3(place->points.a.w, a));
  rows[1] = row_spin(&place->points, b, cross3(place->points.b.w, b));
  return 2;
}

int asp_joint_free_rows(const AspModel *model, const AspState *state, int joint, AspRow rows[ASP_ROW_PARTS]) {
  static const RowGroup freedom[ASP_JOINT_COUNT] = {
      [ASP_JOINT_CYLINDRICAL] = along_and_about,
      [ASP_JOINT_UNIVERSAL] = about_both_axes,
  };
  RowGroup group = freedom[model->joint[joint].def.kind];
  if (!group)
    return asp_joint_coordinate(model, state, joint, rows);
  if (!asp_joint_is_active(model, state, joint))
    return 0;
  JointPlace place = place_joint(model, state, joint);
  return group(&place, rows);
}
