/* Tendons. The coordinate is the length of a path through points of bodies; between two points it may run around a
 * sphere or a cylinder:
 *
 *   L = sum over branches of (lengths of straight pieces + lengths on round bodies) / divisor
 *
 * Around a round body of radius R with P before and Q behind it, in the plane of P, Q and the centre (cylinder: across
 * its axis), p and q their distances from the centre and theta the angle between them on the side of the path:
 *
 *   l = sqrt(p^2 - R^2) + sqrt(q^2 - R^2) + R (theta - acos(R/p) - acos(R/q)),      cylinder: L = sqrt(l^2 + h^2)
 *
 * with h the difference of their heights along the axis. theta is that of the shorter way, or, with a side point, of
 * the way around that passes it: half way from P to Q it is nearer to that point than the other way is. Where theta is
 * less than the two acos the straight line passes the body on that side, and is taken; so is it where P or Q lies
 * within the body. (As MuJoCo's mju_wrap, except where that takes the way around on the wrong side of a side point
 * since on the right one the path is straight.)
 *
 * A shortest path does not change in length, to first order, when its tangent points move: the gradient is that of the
 * straight pieces with the tangent points fixed in the round body. The bias is the second derivative of L by jets, with
 * accelerations of free bodies 0. Depends on body.c, jet.h.
 */
#include "model/tendon.h"
#include "base/elementary.h"

#include "model/jet.h"

/* ---- jets of points ---- */

typedef struct PointJet {
  AspVec3 x, v, a; /* and its rates, those of free bodies without their acceleration */
} PointJet;

static AspJet jet_dot(const PointJet *p, const PointJet *q) {
  return (AspJet){dot3(p->x, q->x), dot3(p->v, q->x) + dot3(p->x, q->v),
                  dot3(p->a, q->x) + 2 * dot3(p->v, q->v) + dot3(p->x, q->a)};
}

static PointJet jet_minus(const PointJet *p, const PointJet *q) {
  return (PointJet){sub3(p->x, q->x), sub3(p->v, q->v), sub3(p->a, q->a)};
}

static PointJet jet_cross(const PointJet *p, const PointJet *q) {
  return (PointJet){cross3(p->x, q->x), add3(cross3(p->v, q->x), cross3(p->x, q->v)),
                    add3(add3(cross3(p->a, q->x), scale3(2, cross3(p->v, q->v))), cross3(p->x, q->a))};
}

/* p - s n */
static PointJet jet_across(const PointJet *p, AspJet s, const PointJet *n) {
  PointJet part = {scale3(s.value, n->x), add3(scale3(s.rate, n->x), scale3(s.value, n->v)),
                   add3(add3(scale3(s.acceleration, n->x), scale3(2 * s.rate, n->v)), scale3(s.value, n->a))};
  return jet_minus(p, &part);
}

static AspJet jet_root(AspJet u) {
  double root = sqrt(fmax(u.value, 0));
  if (!(root > 0))
    return jet_constant(0);
  return jet_chain(u, root, 0.5 / root, -0.25 / (root * u.value));
}

/* atan2(y, x) */
static AspJet jet_angle(AspJet y, AspJet x) {
  double s = x.value * x.value + y.value * y.value, cross = x.value * y.rate - y.value * x.rate;
  if (!(s > 0))
    return jet_constant(0);
  double second = (x.value * y.acceleration - y.value * x.acceleration) / s -
                  2 * cross * (x.value * x.rate + y.value * y.rate) / (s * s);
  return (AspJet){asp_atan2(y.value, x.value), cross / s, second};
}

static AspJet jet_times(double factor, AspJet u) {
  return (AspJet){factor * u.value, factor * u.rate, factor * u.acceleration};
}

/* ---- bodies of the path ---- */

static BodyMotion motion_of(const AspModel *model, const AspState *state, int body) {
  return state ? asp_body_motion(model, state, body)
               : asp_body_defined_motion(model->dimension, &model->body[body], 0, model->input);
}

/* A vector fixed in the body. */
static PointJet turned(const BodyMotion *body, AspVec3 local) {
  AspVec3 x = quat_rotate(body->pose.orientation, local), v = cross3(body->w, x);
  return (PointJet){x, v, add3(cross3(body->known_w, x), cross3(body->w, v))};
}

static PointJet moved(const BodyMotion *body, AspVec3 local) {
  PointJet arm = turned(body, local);
  return (PointJet){add3(body->pose.position, arm.x), add3(body->v, arm.v), add3(body->known_a, arm.a)};
}

/* ---- the row ---- */

typedef struct Pull {
  const AspModel *model;
  AspRow *row; /* NULL: the length alone */
  int parts;
  AspJet length;
} Pull;

static AspRow *part_of(Pull *pull, int body_a, int body_b) {
  for (int i = 0; i < pull->parts; i++)
    if ((pull->row[i].body_a == body_a && pull->row[i].body_b == body_b) ||
        (pull->row[i].body_a == body_b && pull->row[i].body_b == body_a))
      return &pull->row[i];
  pull->row[pull->parts] = (AspRow){.body_a = body_a, .body_b = body_b};
  if (pull->parts > 0)
    pull->row[pull->parts - 1].more = &pull->row[pull->parts];
  return &pull->row[pull->parts++];
}

/* j += gradient of direction . point, the point of a body at `arm` from its centre */
static void add_end(int dimension, double *j, AspVec3 direction, AspVec3 arm) {
  AspVec3 torque = cross3(arm, direction);
  const double plane[6] = {direction.x, direction.y, torque.z},
               space[6] = {direction.x, direction.y, direction.z, torque.x, torque.y, torque.z};
  for (int i = 0; i < 6; i++)
    j[i] += dimension == 2 ? plane[i] : space[i];
}

/* A straight piece from x on body a to y on body b. */
static void pull_straight(Pull *pull, double share, int a, const BodyMotion *motion_a, AspVec3 x, int b,
                          const BodyMotion *motion_b, AspVec3 y) {
  if (!pull->row || a == b)
    return;
  AspVec3 u = scale3(share, unit3(sub3(y, x)));
  AspRow *part = part_of(pull, a, b);
  bool same = part->body_a == a;
  add_end(pull->model->dimension, same ? part->ja : part->jb, neg3(u), sub3(x, motion_a->pose.position));
  add_end(pull->model->dimension, same ? part->jb : part->ja, u, sub3(y, motion_b->pose.position));
}

/* ---- around a round body ---- */

typedef struct Around {
  PointJet a, b;         /* from the centre to P and Q */
  PointJet na, nb;       /* across the axis */
  AspJet p, q, rise;     /* distances, and what Q is higher along the axis */
  AspVec3 e1, e2;        /* plane: towards P, and across */
  AspVec3 axis;          /* unit normal of the plane */
  AspJet angle;          /* from P to Q about the axis */
  double height, radius; /* of P along the axis */
} Around;

/* False: there is no way around, or no plane. */
static bool look_along(const TendonNode *node, const BodyMotion *body, const PointJet *P, const PointJet *Q,
                       Around *it) {
  PointJet centre = moved(body, node->point);
  it->radius = node->radius;
  it->a = it->na = jet_minus(P, &centre);
  it->b = it->nb = jet_minus(Q, &centre);
  it->rise = jet_constant(0);
  it->height = 0;
  AspJet sine;
  if (node->kind == ASP_PATH_CYLINDER) {
    PointJet n = turned(body, node->axis);
    AspJet low = jet_dot(&it->a, &n), high = jet_dot(&it->b, &n);
    it->na = jet_across(&it->a, low, &n);
    it->nb = jet_across(&it->b, high, &n);
    it->rise = jet_difference(high, low);
    it->height = low.value;
    it->axis = n.x;
    PointJet normal = jet_cross(&it->na, &it->nb);
    sine = jet_dot(&normal, &n);
  } else {
    PointJet normal = jet_cross(&it->a, &it->b);
    sine = jet_root(jet_dot(&normal, &normal));
    AspVec3 t1, t2;
    tangents3(unit3(it->a.x), &t1, &t2);
    it->axis = sine.value > 0 ? scale3(1 / sine.value, normal.x) : t2; // P, centre, Q on a line: any plane
  }
  it->p = jet_root(jet_dot(&it->na, &it->na));
  it->q = jet_root(jet_dot(&it->nb, &it->nb));
  if (!(it->p.value > node->radius && it->q.value > node->radius))
    return false;
  it->angle = jet_angle(sine, jet_dot(&it->na, &it->nb));
  it->e1 = scale3(1 / it->p.value, it->na.x);
  it->e2 = cross3(it->axis, it->e1);
  return true;
}

/* The angle on the circle about +axis (sense 1) or -axis (-1), less than 0: tangents cross. */
static AspJet arc_of(const Around *it, int sense, double *alpha, double *beta) {
  double R = it->radius;
  *alpha = asp_acos(R / it->p.value);
  *beta = asp_acos(R / it->q.value);
  AspJet arc = jet_times(sense, it->angle);
  if (arc.value < 0)
    arc.value += 2 * ASP_PI;
  AspJet tp = jet_root((AspJet){it->p.value * it->p.value - R * R, 2 * it->p.value * it->p.rate,
                                2 * (it->p.rate * it->p.rate + it->p.value * it->p.acceleration)});
  AspJet tq = jet_root((AspJet){it->q.value * it->q.value - R * R, 2 * it->q.value * it->q.rate,
                                2 * (it->q.rate * it->q.rate + it->q.value * it->q.acceleration)});
  arc = jet_difference(arc, jet_angle(tp, jet_constant(R)));
  return jet_difference(arc, jet_angle(tq, jet_constant(R)));
}

/* Tangent points in the plane, by the angles of P's and Q's ends of the arc. */
static AspVec3 on_circle(const Around *it, double angle) {
  return add3(scale3(it->radius * asp_cos(angle), it->e1), scale3(it->radius * asp_sin(angle), it->e2));
}

/* About +axis (1) or -axis (-1): past the side point, or the shorter way. */
static int choose_sense(const Around *it, const AspVec3 *side) {
  double turn = it->angle.value;
  if (!side)
    return turn >= 0 ? 1 : -1;
  return dot3(on_circle(it, 0.5 * (turn < 0 ? turn + 2 * ASP_PI : turn)), *side) >= 0 ? 1 : -1;
}

/* The piece from P to Q around the node; false: it is straight. */
static bool pull_around(Pull *pull, const AspState *state, const TendonNode *from, const TendonNode *node,
                        const TendonNode *to) {
  const AspModel *model = pull->model;
  BodyMotion first = motion_of(model, state, from->body), body = motion_of(model, state, node->body),
             last = motion_of(model, state, to->body);
  PointJet P = moved(&first, from->point), Q = moved(&last, to->point);
  Around it;
  AspVec3 side = quat_rotate(body.pose.orientation, node->side);
  if (!look_along(node, &body, &P, &Q, &it))
    return false;
  side = unit3(axpy3(side, -dot3(side, it.axis), it.axis));
  int sense = choose_sense(&it, node->sided ? &side : NULL);
  double alpha, beta, R = it.radius;
  AspJet arc = jet_times(R, arc_of(&it, sense, &alpha, &beta));
  if (arc.value < 0) // the tangents cross: the straight line passes the body on this side
    return false;
  double tangent = sqrt(it.p.value * it.p.value - R * R), behind = sqrt(it.q.value * it.q.value - R * R);
  AspJet square_p = jet_product(it.p, it.p), square_q = jet_product(it.q, it.q);
  square_p.value -= R * R;
  square_q.value -= R * R;
  AspJet plane = jet_sum(arc, jet_sum(jet_root(square_p), jet_root(square_q)));
  AspJet length = node->kind == ASP_PATH_CYLINDER
                      ? jet_root(jet_sum(jet_product(plane, plane), jet_product(it.rise, it.rise)))
                      : plane;
  pull->length = jet_sum(pull->length, jet_times(from->share, length));
  double slope = plane.value > 0 ? it.rise.value / plane.value : 0;
  AspVec3 centre = moved(&body, node->point).x, up = node->kind == ASP_PATH_CYLINDER ? it.axis : vec3(0, 0, 0);
  AspVec3 t1 = axpy3(on_circle(&it, sense * alpha), it.height + slope * tangent, up),
          t2 = axpy3(on_circle(&it, it.angle.value - sense * beta), it.height + it.rise.value - slope * behind, up);
  pull_straight(pull, from->share, from->body, &first, P.x, node->body, &body, add3(centre, t1));
  pull_straight(pull, from->share, node->body, &body, add3(centre, t2), to->body, &last, Q.x);
  return true;
}

static void pull_piece(Pull *pull, const AspState *state, const TendonNode *from, const TendonNode *around,
                       const TendonNode *to) {
  const AspModel *model = pull->model;
  if (around && pull_around(pull, state, from, around, to))
    return;
  BodyMotion first = motion_of(model, state, from->body), last = motion_of(model, state, to->body);
  PointJet P = moved(&first, from->point), Q = moved(&last, to->point), d = jet_minus(&Q, &P);
  if (from->body == to->body) // keeps its length
    d.v = d.a = vec3(0, 0, 0);
  pull->length = jet_sum(pull->length, jet_times(from->share, jet_root(jet_dot(&d, &d))));
  pull_straight(pull, from->share, from->body, &first, P.x, to->body, &last, Q.x);
}

static void pull_path(Pull *pull, const AspState *state, const Tendon *tendon) {
  for (int i = 0; i + 1 < tendon->count;) {
    const TendonNode *from = &tendon->node[i], *next = from + 1;
    bool round = next->kind != ASP_PATH_POINT;
    if (!next->begins)
      pull_piece(pull, state, from, round ? next : NULL, round ? next + 1 : next);
    i += round ? 2 : 1;
  }
}

void asp_tendon_row(const AspModel *model, const AspState *state, int joint, AspRow row[ASP_ROW_PARTS]) {
  const ModelJoint *it = &model->joint[joint];
  Pull pull = {.model = model, .row = row};
  pull_path(&pull, state, it->tendon);
  if (pull.parts == 0) // it runs from body to itself now
    row[0] = (AspRow){.body_a = it->def.body_a, .body_b = it->def.body_b};
  row->value = pull.length.value;
  row->bias = pull.length.acceleration;
}

/* ---- definitions ---- */

static AspError check_point(const AspModel *model, const AspPathPoint *point, int i) {
  AspContext *context = model->context;
  ASP_TRY(asp_model_check_body(model, "body", point->body));
  ASP_TRY(asp_check_in_plane(context, model->dimension, "point", point->point));
  if (!(isfinite(point->divisor) && point->divisor >= 0))
    return asp_fail(context, ASP_ERROR_INPUT, "branch: %.15g is not > 0", point->divisor);
  if (point->kind == ASP_PATH_POINT)
    return ASP_OK;
  if (point->kind != ASP_PATH_SPHERE && point->kind != ASP_PATH_CYLINDER)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "kind: %d is not point, sphere or cylinder", (int)point->kind);
  if (model->dimension == 2 && point->kind == ASP_PATH_CYLINDER)
    return asp_fail(context, ASP_ERROR_INPUT, "around: there is no cylinder in 2D; a sphere is a circle there");
  ASP_TRY(asp_check_positive(context, "radius", point->radius));
  ASP_TRY(asp_check_vector(context, "side", point->side));
  bool last = i == 0 || point->divisor > 0;
  if (last)
    return asp_fail(context, ASP_ERROR_INPUT, "around: a branch begins and ends with a point");
  return ASP_OK;
}

static AspError check_order(const AspModel *model, const AspJointDef *def) {
  for (int i = 0; i < def->path_count; i++) {
    const AspPathPoint *it = &def->path[i], *next = i + 1 < def->path_count ? it + 1 : NULL;
    AspError error = check_point(model, it, i);
    if (error == ASP_OK && it->kind != ASP_PATH_POINT && (!next || next->kind != ASP_PATH_POINT || next->divisor > 0))
      error = asp_fail(model->context, ASP_ERROR_INPUT,
                       "around: a point must follow; between two points the path runs around one round body");
    if (error == ASP_OK && it->kind == ASP_PATH_POINT && (i == 0 || it->divisor > 0) && (!next || next->divisor > 0))
      error = asp_fail(model->context, ASP_ERROR_INPUT, "branch: only one point; it needs two");
    if (error != ASP_OK) {
      asp_fail_prefix(model->context, "path, element %d: ", i);
      return error;
    }
  }
  return ASP_OK;
}

static AspError make_node(const AspModel *model, const AspPathPoint *point, TendonNode *node) {
  BodyMotion body = motion_of(model, NULL, point->body);
  AspVec3 axis = model->dimension == 2 ? vec3(0, 0, 1) : point->axis;
  bool round = point->kind != ASP_PATH_POINT,
       cylinder = round && (point->kind == ASP_PATH_CYLINDER || model->dimension == 2);
  if (cylinder)
    ASP_TRY(asp_check_direction(model->context, "axis", &axis));
  AspVec3 side = sub3(point->side, point->point);
  AspVec3 across = cylinder ? axpy3(side, -dot3(side, axis), axis) : side;
  if (round && point->has_side && !(norm3(across) > point->radius))
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "side: %.6g m from the axis or centre, within the radius %.6g; paths run around the outside",
                    norm3(across), point->radius);
  *node = (TendonNode){.kind = cylinder ? ASP_PATH_CYLINDER : point->kind,
                       .body = point->body,
                       .point = pose_point_back(&body.pose, point->point),
                       .axis = quat_rotate_back(body.pose.orientation, axis),
                       .side = quat_rotate_back(body.pose.orientation, side),
                       .sided = round && point->has_side,
                       .radius = point->radius,
                       .begins = point->divisor > 0};
  return ASP_OK;
}

static bool moves(const AspModel *model, int body) { return asp_body_is_free(&model->body[body]); }

/* All pairs of bodies that straight pieces can join; *pairs: how many, the first with a free body in a and b. */
static void count_pairs(const AspModel *model, const Tendon *tendon, int *pairs, int *a, int *b) {
  int seen[3 * ASP_PATH_POINTS][2], count = 0;
  *a = *b = -1;
  for (int i = 0; i + 1 < tendon->count; i++) {
    const TendonNode *from = &tendon->node[i], *next = from + 1;
    const int ends[2] = {next->body, next->kind != ASP_PATH_POINT ? next[1].body : next->body};
    for (int k = 0; k < 2 && !next->begins; k++) {
      int one = from->body, other = ends[k];
      bool known = one == other;
      for (int n = 0; n < count && !known; n++)
        known = (seen[n][0] == one && seen[n][1] == other) || (seen[n][0] == other && seen[n][1] == one);
      if (known)
        continue;
      seen[count][0] = one;
      seen[count++][1] = other;
      if (*a < 0 && (moves(model, one) || moves(model, other))) {
        *a = one;
        *b = other;
      }
    }
  }
  *pairs = count;
}

static AspError make_path(const AspModel *model, ModelJoint *joint) {
  AspContext *context = model->context;
  AspJointDef *def = &joint->def;
  Tendon *tendon = asp_allocate(context, 1, sizeof *tendon);
  joint->tendon = tendon;
  if (!tendon)
    return ASP_ERROR_MEMORY;
  tendon->given = asp_allocate(context, (size_t)def->path_count, sizeof *tendon->given);
  tendon->node = asp_allocate(context, (size_t)def->path_count, sizeof *tendon->node);
  if (!tendon->given || !tendon->node)
    return ASP_ERROR_MEMORY;
  memcpy(tendon->given, def->path, (size_t)def->path_count * sizeof *tendon->given);
  tendon->count = def->path_count;
  def->path = tendon->given;
  double share = 1;
  for (int i = 0; i < tendon->count; i++) {
    AspError error = make_node(model, &tendon->given[i], &tendon->node[i]);
    if (error != ASP_OK) {
      asp_fail_prefix(context, "path, element %d: ", i);
      return error;
    }
    share = tendon->given[i].divisor > 0 ? 1 / tendon->given[i].divisor : share;
    tendon->node[i].share = share;
  }
  return ASP_OK;
}

AspError asp_tendon_make(const AspModel *model, ModelJoint *joint) {
  AspContext *context = model->context;
  AspJointDef *def = &joint->def;
  const AspPathPoint *path = def->path;
  int pairs, held = asp_coupling_is_held(def) && def->stiffness == 0 && def->damping == 0;
  def->path = NULL;
  if (!path || def->path_count < 2 || def->path_count > ASP_PATH_POINTS)
    return asp_fail(context, ASP_ERROR_INPUT, "path: %d elements; a tendon has 2 to %d", path ? def->path_count : 0,
                    ASP_PATH_POINTS);
  def->path = path;
  AspError error = check_order(model, def);
  if (error == ASP_OK)
    error = make_path(model, joint);
  if (error != ASP_OK) {
    def->path = NULL;
    return error;
  }
  count_pairs(model, joint->tendon, &pairs, &def->body_a, &def->body_b);
  if (def->body_a < 0)
    return asp_fail(context, ASP_ERROR_INPUT, "path: no piece of it ends on a dynamic body; its length never changes");
  int most = held ? ASP_JOINT_ROWS_MAX : ASP_ROW_PARTS;
  if (pairs > most)
    return asp_fail(context, ASP_ERROR_INPUT, "path: joins %d pairs of bodies; a tendon %sjoins at most %d", pairs,
                    held ? "that keeps its length " : "", most);
  if (def->has_initial)
    return asp_fail(context, ASP_ERROR_INPUT, "initial: %.15g; the coordinate of a tendon is the length of its path",
                    def->initial);
  Pull pull = {.model = model};
  pull_path(&pull, NULL, joint->tendon);
  def->has_initial = true;
  def->initial = pull.length.value;
  return ASP_OK;
}

AspError asp_tendon_copy(AspContext *context, const Tendon *from, Tendon **to) {
  *to = NULL;
  if (!from)
    return ASP_OK;
  Tendon *tendon = *to = asp_allocate(context, 1, sizeof *tendon);
  if (!tendon)
    return ASP_ERROR_MEMORY;
  tendon->count = from->count;
  tendon->given = asp_allocate(context, (size_t)from->count, sizeof *tendon->given);
  tendon->node = asp_allocate(context, (size_t)from->count, sizeof *tendon->node);
  if (!tendon->given || !tendon->node)
    return ASP_ERROR_MEMORY;
  memcpy(tendon->given, from->given, (size_t)from->count * sizeof *tendon->given);
  memcpy(tendon->node, from->node, (size_t)from->count * sizeof *tendon->node);
  return ASP_OK;
}

void asp_tendon_release(AspContext *context, Tendon *tendon) {
  if (!tendon)
    return;
  asp_release(context, tendon->given);
  asp_release(context, tendon->node);
  asp_release(context, tendon);
}

int asp_tendon_body(const AspModel *model, int joint, int k) {
  const Tendon *tendon = model->joint[joint].tendon;
  return tendon && k < tendon->count ? tendon->node[k].body : -1;
}
