/* Compound joints: several axes between the same two bodies, each a turn about a line or a slide along one, in their
 * order from A to B. With axes that are held between them they make a chain of three turns and three slides,
 *
 *   pose of B against A = E_1(s_1) E_2(s_2) ... E_6(s_6) (the pose at the start),
 *
 * whose six numbers s are coordinates near the joint's own positions: those of the free axes are the joint's
 * coordinates, those of held ones its rows, zero when it is in order. s follows from the pose by Newton's method from
 * the last coordinates, so that angles count full turns. With the twists S_i = (w_i, p_i x w_i) of turns and (0, a_i)
 * of slides about a point o of A, and V = (angular velocity, velocity of B at o) seen from A,
 *
 *   s' = S^-1 V,     s'' = S^-1 (V' - sum_k s'_k [sum_{j<k} s'_j S_j, S_k])
 *
 * [(w, v), (x, y)] = (w x x, w x y + v x x) (Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation,
 * 1994, section 3.4). The held axes are chosen so that S is singular only where the joint's own axes are dependent:
 *
 *   turns     none: three at the end;  one: two across it behind it;  two: one across both between them
 *   slides    none: three at A;  one: two across it behind it;  two: one across both behind the first
 *
 * (two slides with turns between them: also where the second leaves the plane that was across at the start, unless a
 * single turn across both is between them). Depends on joint_rows.c, tuning. */
#include "model/compound.h"
#include "base/elementary.h"

#include "model/attach.h"

/* ---- the chain ---- */

typedef struct Twist {
  AspVec3 w, v;
} Twist;

/* The chain at some numbers s. */
typedef struct ChainNow {
  Twist twist[CHAIN];
  Twist dual[CHAIN]; /* rows of S^-1 */
  AspVec3 axis[CHAIN], point[CHAIN];
  AspPose end; /* of B */
  double sine; /* of turns times that of slides: 0 where axes are dependent */
} ChainNow;

static void follow(const Compound *chain, const double s[CHAIN], ChainNow *now) {
  AspPose at = pose_identity();
  for (int i = 0; i < CHAIN; i++) {
    const ChainAxis *it = &chain->element[i];
    AspVec3 u = now->axis[i] = quat_rotate(at.orientation, it->axis), p = now->point[i] = pose_point(&at, it->point);
    now->twist[i] = it->slides ? (Twist){vec3(0, 0, 0), u} : (Twist){u, cross3(p, u)};
    if (it->slides) {
      at.position = axpy3(at.position, s[i], u);
    } else {
      AspQuat turn = quat_from_axis_angle(u, s[i]);
      at.position = add3(p, quat_rotate(turn, sub3(at.position, p)));
      at.orientation = quat_normalize(quat_multiply(turn, at.orientation));
    }
  }
  now->end = pose_multiply(&at, &chain->start);
}

/* Rows of the inverse of the matrix with these columns; its determinant. */
static double invert(const AspVec3 column[3], AspVec3 row[3]) {
  double det = dot3(column[0], cross3(column[1], column[2]));
  for (int i = 0; i < 3; i++)
    row[i] = scale3(det != 0 ? 1 / det : 0, cross3(column[(i + 1) % 3], column[(i + 2) % 3]));
  return det;
}

/* S^-1: turns alone turn, so that S is triangular by blocks. */
static void find_duals(const Compound *chain, ChainNow *now) {
  AspVec3 column[2][3], row[2][3];
  int of[2][3], count[2] = {0, 0};
  for (int i = 0; i < CHAIN; i++) {
    int kind = chain->element[i].slides;
    of[kind][count[kind]] = i;
    column[kind][count[kind]++] = now->axis[i];
  }
  now->sine = fabs(invert(column[0], row[0]) * invert(column[1], row[1]));
  for (int k = 0; k < 3; k++) {
    Twist *turn = &now->dual[of[0][k]], *slide = &now->dual[of[1][k]];
    *turn = (Twist){row[0][k], vec3(0, 0, 0)};
    *slide = (Twist){vec3(0, 0, 0), row[1][k]};
    for (int r = 0; r < 3; r++)
      slide->w = axpy3(slide->w, -dot3(row[1][k], now->twist[of[0][r]].v), row[0][r]);
  }
}

/* The rotation vector of a turn. */
static AspVec3 vector_of(AspQuat q) {
  AspVec3 v = vec3(q.x, q.y, q.z);
  double size = norm3(v), angle = 2 * asp_atan2(size, fabs(q.w));
  return size > 0 ? scale3((q.w < 0 ? -angle : angle) / size, v) : v;
}

/* One step of Newton's method towards the pose, its turns at most COMPOUND_TURN, so that it stays on the branch of its
 * start; its size. */
static double approach(const Compound *chain, const AspPose *pose, const ChainNow *now, double s[CHAIN]) {
  AspVec3 turn = vector_of(quat_multiply(pose->orientation, quat_conjugate(now->end.orientation)));
  AspVec3 way = sub3(sub3(pose->position, now->end.position), cross3(turn, now->end.position));
  double by[CHAIN], step = 0, turned = 0;
  for (int i = 0; i < CHAIN; i++) {
    by[i] = dot3(now->dual[i].w, turn) + dot3(now->dual[i].v, way);
    step = fmax(step, fabs(by[i]));
    turned = chain->element[i].slides ? turned : fmax(turned, fabs(by[i]));
  }
  for (int i = 0; i < CHAIN; i++)
    s[i] += turned > COMPOUND_TURN ? COMPOUND_TURN / turned * by[i] : by[i];
  return step;
}

/* The numbers s of a pose of B, from those that they are near to; `now` is the chain there. */
static void solve(const Compound *chain, const AspPose *pose, double s[CHAIN], ChainNow *now) {
  double step = INFINITY;
  for (int k = 0;; k++) {
    follow(chain, s, now);
    find_duals(chain, now);
    if (step < COMPOUND_STEP_LAST || !(now->sine > 0))
      return;
    if (k == COMPOUND_STEPS) { // three turns that are not across each other do not reach all orientations
      now->sine = 0;
      return;
    }
    step = approach(chain, pose, now, s);
  }
}

/* ---- the joint at a state ---- */

typedef struct CompoundNow {
  PointPair pair;
  ChainNow chain;
  double s[CHAIN], rate[CHAIN];
  AspVec3 arm_a, arm_b; /* from the centres of mass to o, world */
  Twist dual[CHAIN];    /* world */
  Twist quadratic;      /* what is left of V' minus the brackets when no body accelerates, world */
} CompoundNow;

static Twist bracket(Twist a, Twist b) { return (Twist){cross3(a.w, b.w), add3(cross3(a.w, b.v), cross3(a.v, b.w))}; }

static Twist add_twist(Twist a, double s, Twist b) { return (Twist){axpy3(a.w, s, b.w), axpy3(a.v, s, b.v)}; }

static Twist rotate_twist(AspQuat q, Twist t) { return (Twist){quat_rotate(q, t.w), quat_rotate(q, t.v)}; }

static void place_chain(const AspModel *model, const AspState *state, int joint, CompoundNow *now) {
  const ModelJoint *it = &model->joint[joint];
  const Compound *chain = &it->chain;
  now->pair = asp_point_pair(model, state, it->def.body_a, chain->origin, it->def.body_b, vec3(0, 0, 0));
  const AspPose *a = &now->pair.a.pose, *b = &now->pair.b.pose;
  AspPose seen = {sub3(pose_point_back(a, b->position), chain->origin),
                  quat_multiply(quat_conjugate(a->orientation), b->orientation)};
  for (int i = 0; i < CHAIN; i++) {
    int of = chain->element[i].joint;
    now->s[i] = of >= 0 && state->angle ? state->angle[of] - model->joint[of].def.initial : 0;
  }
  solve(chain, &seen, now->s, &now->chain);
  now->arm_a = now->pair.arm_a;
  now->arm_b = sub3(add3(a->position, now->arm_a), b->position);
}

static void find_rates(CompoundNow *now) {
  const BodyMotion *a = &now->pair.a, *b = &now->pair.b;
  AspQuat q = a->pose.orientation;
  AspVec3 at_o = add3(a->v, cross3(a->w, now->arm_a));
  Twist V = {sub3(b->w, a->w), sub3(add3(b->v, cross3(b->w, now->arm_b)), at_o)};
  Twist sum = {{0, 0, 0}, {0, 0, 0}}, moved = sum;
  for (int i = 0; i < CHAIN; i++) {
    now->dual[i] = rotate_twist(q, now->chain.dual[i]);
    now->rate[i] = dot3(now->dual[i].w, V.w) + dot3(now->dual[i].v, V.v);
    sum = add_twist(sum, now->rate[i], bracket(moved, now->chain.twist[i]));
    moved = add_twist(moved, now->rate[i], now->chain.twist[i]);
  }
  sum = rotate_twist(q, sum);
  AspVec3 turning = cross3(a->w, V.w), moving = cross3(a->w, V.v);
  AspVec3 quick = sub3(cross3(b->w, sub3(at_o, b->v)), cross3(a->w, cross3(a->w, now->arm_a)));
  now->quadratic = (Twist){neg3(add3(turning, sum.w)), sub3(quick, add3(moving, sum.v))};
}

static AspRow row_of(const CompoundNow *now, int i) {
  Twist g = now->dual[i];
  AspGradient ga = {neg3(g.v), neg3(add3(g.w, cross3(now->arm_a, g.v)))};
  AspGradient gb = {g.v, add3(g.w, cross3(now->arm_b, g.v))};
  return asp_row_make(&now->pair, ga, gb, now->s[i], dot3(g.w, now->quadratic.w) + dot3(g.v, now->quadratic.v));
}

int asp_compound_rows(const AspModel *model, const AspState *state, int joint, AspRow rows[ASP_JOINT_ROWS_MAX]) {
  CompoundNow now;
  int count = 0;
  place_chain(model, state, joint, &now);
  find_rates(&now);
  for (int i = 0; i < CHAIN; i++)
    if (model->joint[joint].chain.element[i].joint < 0)
      rows[count++] = row_of(&now, i);
  return count;
}

/* Where the axis is in its chain. */
static int element_of(const AspModel *model, int axis) {
  const Compound *chain = &model->joint[model->joint[axis].def.compound].chain;
  int i = 0;
  while (chain->element[i].joint != axis)
    i++;
  return i;
}

AspRow asp_compound_coordinate(const AspModel *model, const AspState *state, int axis) {
  CompoundNow now;
  int i = element_of(model, axis);
  place_chain(model, state, model->joint[axis].def.compound, &now);
  find_rates(&now);
  AspRow row = row_of(&now, i);
  row.value += model->joint[axis].def.initial;
  return row;
}

double asp_compound_value(const AspModel *model, const AspState *state, int axis) {
  CompoundNow now;
  place_chain(model, state, model->joint[axis].def.compound, &now);
  return now.s[element_of(model, axis)] + model->joint[axis].def.initial;
}

void asp_compound_refresh(const AspModel *model, AspState *state, int joint) {
  CompoundNow now;
  place_chain(model, state, joint, &now);
  for (int i = 0; i < CHAIN; i++) {
    int axis = model->joint[joint].chain.element[i].joint;
    if (axis >= 0)
      state->angle[axis] = now.s[i] + model->joint[axis].def.initial;
  }
}

void asp_compound_expect(const AspModel *model, AspState *state, int joint, const double *velocity, double dt) {
  CompoundNow now;
  place_chain(model, state, joint, &now);
  find_rates(&now);
  for (int i = 0; i < CHAIN; i++) {
    int axis = model->joint[joint].chain.element[i].joint;
    if (axis < 0)
      continue;
    AspRow row = row_of(&now, i);
    state->angle[axis] += dt * asp_row_rate(model, state, &row, velocity);
  }
}

AspVec3 asp_compound_place(const AspModel *model, const AspState *state, int axis, AspVec3 axes[3]) {
  CompoundNow now;
  int i = element_of(model, axis);
  place_chain(model, state, model->joint[axis].def.compound, &now);
  const AspPose *a = &now.pair.a.pose;
  axes[2] = quat_rotate(a->orientation, now.chain.axis[i]);
  tangents3(axes[2], &axes[0], &axes[1]);
  return pose_point(a, add3(now.chain.point[i], model->joint[model->joint[axis].def.compound].chain.origin));
}

double asp_joint_sine(const AspModel *model, const AspState *state, int joint) {
  CompoundNow now;
  if (model->joint[joint].def.kind != ASP_JOINT_COMPOUND)
    return 1;
  place_chain(model, state, joint, &now);
  return now.chain.sine;
}

/* ---- making it ---- */

/* The axes as given, seen from A at the initial poses. */
typedef struct Given {
  ChainAxis axis[CHAIN];
  int count, turns, slides;
} Given;

static AspError gather(const AspModel *model, int joint, Given *given) {
  const ModelJoint *it = &model->joint[joint];
  const AspPose a = asp_body_defined_motion(3, &model->body[it->def.body_a], 0, model->input).pose;
  *given = (Given){.count = 0};
  for (int i = 0; i < model->joint_count; i++) {
    const AspJointDef *def = &model->joint[i].def;
    bool slides = def->kind == ASP_JOINT_PRISMATIC;
    if (def->compound != joint)
      continue;
    int *most = slides ? &given->slides : &given->turns;
    if (++*most > 3)
      return asp_fail(model->context, ASP_ERROR_INPUT, "joint '%s': more than 3 of its axes %s; they are dependent",
                      it->def.name, slides ? "slide" : "turn");
    given->axis[given->count++] = (ChainAxis){.slides = slides,
                                              .joint = i,
                                              .axis = quat_rotate_back(a.orientation, def->axis),
                                              .point = pose_point_back(&a, def->point)};
  }
  if (given->count == 0)
    return asp_fail(model->context, ASP_ERROR_INPUT, "joint '%s': a compound joint has 1 to 6 axes; it has none",
                    it->def.name);
  return ASP_OK;
}

static void push(Compound *chain, int *count, ChainAxis element) {
  if (*count < CHAIN)
    chain->element[(*count)++] = element;
}

static ChainAxis held(bool slides, AspVec3 axis, AspVec3 point) {
  return (ChainAxis){.slides = slides, .joint = -1, .axis = axis, .point = point};
}

/* Across two slides: the turn between them where it is the only one and across both, else both as they are now. */
static AspVec3 across_slides(const Given *given, int first, int second) {
  const ChainAxis *between = NULL;
  AspVec3 a = given->axis[first].axis, b = given->axis[second].axis;
  if (second == first + 2)
    between = &given->axis[first + 1];
  if (between && fabs(dot3(between->axis, a)) + fabs(dot3(between->axis, b)) < COMPOUND_ACROSS)
    return between->axis;
  return unit3(cross3(a, b));
}

/* The next axis of the same kind behind i; -1: none. */
static int next_of(const Given *given, int i) {
  for (int k = i + 1; k < given->count; k++)
    if (given->axis[k].slides == given->axis[i].slides)
      return k;
  return -1;
}

/* Axis i, and behind it what is held of its kind. */
static void push_axis(const Given *given, int i, Compound *chain, int *count) {
  const ChainAxis *it = &given->axis[i];
  int of_kind = it->slides ? given->slides : given->turns, next = next_of(given, i);
  AspVec3 t[2];
  push(chain, count, *it);
  if (of_kind == 1) {
    tangents3(it->axis, &t[0], &t[1]);
    push(chain, count, held(it->slides, t[0], it->point));
    push(chain, count, held(it->slides, t[1], it->point));
  } else if (of_kind == 2 && next >= 0) {
    AspVec3 across = it->slides ? across_slides(given, i, next) : unit3(cross3(it->axis, given->axis[next].axis));
    push(chain, count, held(it->slides, across, it->point));
  }
}

static AspError make_chain(AspModel *model, int joint) {
  const AspVec3 e[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  ModelJoint *it = &model->joint[joint];
  Compound *chain = &it->chain;
  Given given;
  int count = 0;
  ASP_TRY(gather(model, joint, &given));
  const AspPose a = asp_body_defined_motion(3, &model->body[it->def.body_a], 0, model->input).pose;
  const AspPose b = asp_body_defined_motion(3, &model->body[it->def.body_b], 0, model->input).pose;
  chain->origin = given.axis[0].point;
  chain->start = (AspPose){sub3(pose_point_back(&a, b.position), chain->origin),
                           quat_multiply(quat_conjugate(a.orientation), b.orientation)};
  it->local_a = chain->origin; // where its force is recorded
  it->local_b = pose_point_back(&b, pose_point(&a, chain->origin));
  for (int i = 0; i < given.count; i++)
    given.axis[i].point = sub3(given.axis[i].point, chain->origin);
  for (int k = 0; k < 3 && given.slides == 0; k++)
    push(chain, &count, held(true, e[k], vec3(0, 0, 0)));
  for (int i = 0; i < given.count; i++)
    push_axis(&given, i, chain, &count);
  for (int k = 0; k < 3 && given.turns == 0; k++)
    push(chain, &count, held(false, e[k], chain->start.position));
  double still[CHAIN] = {0};
  ChainNow now;
  follow(chain, still, &now);
  find_duals(chain, &now);
  if (!(now.sine > COMPOUND_SINGULAR))
    return asp_fail(model->context, ASP_ERROR_INPUT,
                    "joint '%s': its axes are dependent at the initial poses (sine %.3g); turn one of them, or leave "
                    "it out",
                    it->def.name, now.sine);
  return ASP_OK;
}

AspError asp_compounds_finish(AspModel *model) {
  for (int joint = 0; joint < model->joint_count; joint++)
    if (model->joint[joint].def.kind == ASP_JOINT_COMPOUND)
      ASP_TRY(make_chain(model, joint));
  return ASP_OK;
}

AspError asp_compound_check_axis(const AspModel *model, const AspJointDef *def) {
  AspContext *context = model->context;
  if (def->compound < 0)
    return ASP_OK;
  if (def->compound >= model->joint_count || model->joint[def->compound].def.kind != ASP_JOINT_COMPOUND)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "compound: %d is not a compound joint before it", def->compound);
  if (def->kind != ASP_JOINT_REVOLUTE && def->kind != ASP_JOINT_PRISMATIC)
    return asp_fail(context, ASP_ERROR_INPUT, "an axis of a compound joint is revolute or prismatic, not %s",
                    asp_joint_kind_name(def->kind));
  if (def->friction_coefficient != 0)
    return asp_fail(context, ASP_ERROR_INPUT,
                    "friction_coefficient: an axis of a compound joint has no bearings; give it friction");
  return ASP_OK;
}
