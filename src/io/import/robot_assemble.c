/* The start of a robot with closed loops: coordinates that are nearest to those of the file and close all loops.
 *
 * Unknown are the coordinates q of all joints: one of a hinge or slide, three turns of a ball, six of a free body.
 * Residuals g(q): the distance of the two anchors of each loop (welds: and the turn between their frames), and
 * driven - polynomial(driver) of each coupling. Gauss-Newton with the smallest change,
 *
 *   dq = -J^T (J J^T + e 1)^-1 g,
 *
 * where e keeps redundant loops harmless. A coordinate on its limit that would leave it stays out of the step.
 * Derivatives: a point p moves by axis x (p - point) with a hinge, by axis with a slide. Depends on robot.h.
 */
#include "base/elementary.h"
#include "io/import/robot.h"

#include "linalg/dense.h"
#include "linalg/vec3.h"

#define ITERATIONS_MAX 200
#define CLOSED         1e-12 /* m or rad */
#define ROWS_MAX       1500  /* dense: robots have a few dozens */
#define STEP_MAX       0.5   /* rad or m: longest change of a coordinate in one iteration */

typedef struct Unknown {
  int joint, part; /* 0..2: turns, 3..5: ways of ball and free joints; 0 of others */
  bool held;       /* on its limit */
} Unknown;

typedef struct Assembly {
  Robot *robot;
  Unknown *unknown;
  int unknowns, rows;
  double *J; /* rows x unknowns, by rows */
  double *A; /* rows x rows */
  double *g; /* rows: residuals, then the multipliers */
} Assembly;

static AspVec3 unit_vector(int axis) { return vec3(axis == 0, axis == 1, axis == 2); }

/* ---- residuals ---- */

static AspPose frame_of(const Robot *robot, int body, const AspPose *local) {
  AspPose world = body >= 0 ? robot->body[body].world : pose_identity();
  return pose_multiply(&world, local);
}

/* The turn from a to b as a vector in the world. */
static AspVec3 turn_between(AspQuat a, AspQuat b) {
  AspQuat q = quat_multiply(b, quat_conjugate(a));
  AspVec3 v = vec3(q.x, q.y, q.z);
  double sine = norm3(v), angle = 2 * asp_atan2(sine, fabs(q.w));
  return sine > 0 ? scale3((q.w < 0 ? -angle : angle) / sine, v) : v;
}

static double polynomial(const double c[5], double x, double *slope) {
  double value = 0;
  *slope = 0;
  for (int i = 4; i >= 0; i--) {
    *slope = *slope * x + value;
    value = value * x + c[i];
  }
  return value;
}

/* What counts of a way and a turn: in loops of a plane the way in it and the turn about its normal. */
static void keep_in_plane(bool plane, AspVec3 normal, AspVec3 part[2]) {
  if (!plane)
    return;
  part[0] = axpy3(part[0], -dot3(part[0], normal), normal);
  part[1] = scale3(dot3(part[1], normal), normal);
}

static double measure(const Assembly *all) {
  const Robot *robot = all->robot;
  double *g = all->g, largest = 0, slope;
  for (const RobotLoop *loop = robot->loops; loop; loop = loop->next) {
    AspPose a = frame_of(robot, loop->body_a, &loop->frame_a), b = frame_of(robot, loop->body_b, &loop->frame_b);
    AspVec3 part[2] = {sub3(b.position, a.position), turn_between(a.orientation, b.orientation)};
    AspVec3 normal;
    keep_in_plane(asp_robot_loop_is_plane(robot, loop, &normal), normal, part);
    for (int k = 0; k < (loop->weld ? 6 : 3); k++)
      *g++ = get3(part[k / 3], k % 3);
  }
  for (const RobotCoupling *item = robot->coupled; item; item = item->next) {
    const RobotJoint *driven = &robot->joint[item->driven], *driver = &robot->joint[item->driver];
    *g++ = driven->value - driven->reference - polynomial(item->polynomial, driver->value - driver->reference, &slope);
  }
  for (int i = 0; i < all->rows; i++)
    largest = fmax(largest, fabs(all->g[i]));
  return largest;
}

/* ---- derivatives ---- */

static bool carries(const Robot *robot, int body, int carried) {
  while (carried > body)
    carried = robot->body[carried].parent;
  return carried == body;
}

/* How a point of the body, and the body's turn, change with the unknown. */
static void motion_of(const Robot *robot, const Unknown *unknown, int body, AspVec3 point, AspVec3 change[2]) {
  const RobotJoint *joint = &robot->joint[unknown->joint];
  const RobotBody *own = &robot->body[joint->body];
  change[0] = change[1] = vec3(0, 0, 0);
  if (body < 0 || !carries(robot, joint->body, body))
    return;
  AspVec3 axis = joint->world_axis, pivot = joint->world_point;
  if (joint->kind == ROBOT_BALL || joint->kind == ROBOT_FREE) {
    axis = quat_rotate(own->world.orientation, unit_vector(unknown->part % 3));
    pivot = joint->kind == ROBOT_FREE ? own->world.position : pivot;
  }
  if (joint->kind == ROBOT_SLIDE || unknown->part >= 3) {
    change[0] = axis;
    return;
  }
  change[0] = cross3(axis, sub3(point, pivot));
  change[1] = axis;
}

static void differentiate(const Assembly *all) {
  const Robot *robot = all->robot;
  int n = all->unknowns;
  double *row = all->J, slope;
  for (const RobotLoop *loop = robot->loops; loop; loop = loop->next) {
    AspPose a = frame_of(robot, loop->body_a, &loop->frame_a), b = frame_of(robot, loop->body_b, &loop->frame_b);
    AspVec3 normal;
    bool plane = asp_robot_loop_is_plane(robot, loop, &normal);
    int rows = loop->weld ? 6 : 3;
    for (int j = 0; j < n; j++) {
      AspVec3 of_a[2], of_b[2];
      int moved = robot->joint[all->unknown[j].joint].body;
      // what carries both sides only turns what is between them
      bool both = loop->body_a >= 0 && loop->body_b >= 0 && carries(robot, moved, loop->body_a) &&
                  carries(robot, moved, loop->body_b);
      motion_of(robot, &all->unknown[j], loop->body_a, a.position, of_a);
      motion_of(robot, &all->unknown[j], loop->body_b, b.position, of_b);
      AspVec3 part[2] = {sub3(of_b[0], of_a[0]), sub3(of_b[1], of_a[1])};
      keep_in_plane(plane, normal, part);
      for (int k = 0; k < rows; k++)
        row[k * n + j] = both ? 0 : get3(part[k / 3], k % 3);
    }
    row += rows * n;
  }
  for (const RobotCoupling *item = robot->coupled; item; item = item->next, row += n) {
    const RobotJoint *driver = &robot->joint[item->driver];
    polynomial(item->polynomial, driver->value - driver->reference, &slope);
    for (int j = 0; j < n; j++)
      row[j] = (all->unknown[j].joint == item->driven) - (all->unknown[j].joint == item->driver) * slope;
  }
}

/* ---- steps ---- */

/* g becomes the multipliers (J J^T + e 1)^-1 g over the unknowns that are not held. */
static bool solve(const Assembly *all) {
  int m = all->rows, n = all->unknowns;
  double trace = 0;
  for (int i = 0; i < m; i++)
    for (int k = 0; k <= i; k++) {
      double sum = 0;
      for (int j = 0; j < n; j++)
        if (!all->unknown[j].held)
          sum += all->J[i * n + j] * all->J[k * n + j];
      all->A[k * m + i] = sum; // lower triangle, by columns
      trace += i == k ? sum : 0;
    }
  for (int i = 0; i < m; i++)
    all->A[i * m + i] += 1e-10 * trace / m + 1e-300;
  if (asp_dense_cholesky(m, all->A, m) >= 0)
    return false;
  asp_dense_cholesky_solve(m, all->A, m, 1, all->g, m);
  return true;
}

static double change_of(const Assembly *all, int unknown) {
  double sum = 0;
  for (int i = 0; i < all->rows; i++)
    sum -= all->J[i * all->unknowns + unknown] * all->g[i];
  return sum;
}

/* Unknowns on a limit that the step would pass. True: there are new ones. */
static bool hold_at_limits(const Assembly *all) {
  bool more = false;
  for (int j = 0; j < all->unknowns; j++) {
    Unknown *unknown = &all->unknown[j];
    const RobotJoint *joint = &all->robot->joint[unknown->joint];
    if (unknown->held || joint->kind == ROBOT_BALL || joint->kind == ROBOT_FREE)
      continue;
    double change = change_of(all, j);
    if ((joint->value >= joint->high && change > 0) || (joint->value <= joint->low && change < 0))
      unknown->held = more = true;
  }
  return more;
}

static void move(const Assembly *all) {
  double longest = 0;
  for (int j = 0; j < all->unknowns; j++)
    longest = all->unknown[j].held ? longest : fmax(longest, fabs(change_of(all, j)));
  double share = longest > STEP_MAX ? STEP_MAX / longest : 1;
  for (int j = 0; j < all->unknowns; j++) {
    const Unknown *unknown = &all->unknown[j];
    RobotJoint *joint = &all->robot->joint[unknown->joint];
    double change = unknown->held ? 0 : share * change_of(all, j);
    if (joint->kind != ROBOT_BALL && joint->kind != ROBOT_FREE) {
      joint->value = fmin(fmax(joint->value + change, joint->low), joint->high);
    } else if (unknown->part < 3) {
      AspQuat turn = quat_from_axis_angle(unit_vector(unknown->part), change);
      joint->free.orientation = quat_normalize(quat_multiply(joint->free.orientation, turn));
    } else {
      AspVec3 way = quat_rotate(all->robot->body[joint->body].world.orientation, unit_vector(unknown->part - 3));
      joint->free.position = axpy3(joint->free.position, change, way);
    }
  }
}

/* One iteration; the residual at its end. */
static double improve(const Assembly *all) {
  differentiate(all);
  for (int j = 0; j < all->unknowns; j++)
    all->unknown[j].held = false;
  for (bool again = true; again;) {
    measure(all);
    if (!solve(all))
      break;
    again = hold_at_limits(all);
  }
  move(all);
  asp_robot_forward(all->robot);
  return measure(all);
}

/* ---- all of it ---- */

static int parts_of(const Robot *robot, const RobotJoint *joint) {
  bool alone = robot->body[joint->body].joints == 1;
  return joint->kind == ROBOT_FREE    ? 6
         : joint->kind == ROBOT_BALL  ? (alone ? 3 : 0)
         : joint->kind == ROBOT_PLANE ? 0
                                      : 1;
}

static bool prepare(Assembly *all) {
  Robot *robot = all->robot;
  Import *import = robot->import;
  int n = 0;
  for (const RobotLoop *loop = robot->loops; loop; loop = loop->next)
    all->rows += loop->weld ? 6 : 3;
  for (const RobotCoupling *item = robot->coupled; item; item = item->next)
    all->rows++;
  for (int i = 0; i < robot->joints; i++)
    n += parts_of(robot, &robot->joint[i]);
  if (all->rows == 0 || all->rows > ROWS_MAX || n == 0)
    return false;
  size_t m = (size_t)all->rows;
  all->unknowns = n;
  all->unknown = asp_import_take(import, (size_t)n, sizeof *all->unknown);
  all->J = asp_import_take(import, m * (size_t)n, sizeof *all->J);
  all->A = asp_import_take(import, m * m, sizeof *all->A);
  all->g = asp_import_take(import, m, sizeof *all->g);
  if (!all->unknown || !all->J || !all->A || !all->g)
    return false;
  n = 0;
  for (int i = 0; i < robot->joints; i++)
    for (int k = 0; k < parts_of(robot, &robot->joint[i]); k++)
      all->unknown[n++] = (Unknown){.joint = i, .part = k};
  return true;
}

static double farthest(const Robot *robot, const double *before) {
  double most = 0;
  for (int i = 0; i < robot->joints; i++)
    most = fmax(most, fabs(robot->joint[i].value - before[i]));
  return most;
}

void asp_robot_assemble(Robot *robot) {
  Import *import = robot->import;
  Assembly all = {.robot = robot};
  double *before = asp_import_take(import, (size_t)robot->joints + 1, sizeof *before);
  if (!before || !prepare(&all))
    return;
  for (int i = 0; i < robot->joints; i++)
    before[i] = robot->joint[i].value;
  asp_robot_forward(robot);
  double first = measure(&all), open = first;
  for (int i = 0; i < ITERATIONS_MAX && open > CLOSED; i++) {
    double now = improve(&all);
    if (now < 1e-9 && now >= open) // rounding
      break;
    open = now;
  }
  const XmlNode *node = robot->loops ? robot->loops->node : robot->coupled->node;
  if (first > 1e-9)
    asp_import_note(
        import, ASP_IMPORT_APPROXIMATED, node, node->name,
        "loops were open by up to %.2g (m, rad) at the start: coordinates moved by up to %.2g to close them", first,
        farthest(robot, before));
  if (open > 1e-9)
    asp_import_note(
        import, ASP_IMPORT_IGNORED, node, node->name,
        "cannot be closed at the start: open by %.2g (m, rad) within the limits of the joints; held as it is", open);
}
