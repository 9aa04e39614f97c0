/* Free robots that start in the ground. MuJoCo's contacts are soft: keyframes of standing robots have their feet in the
 * floor. Here they are rigid, so a free tree is raised by its depth in the planes of the world.
 */
#include "base/elementary.h"
#include "io/import/robot.h"

#include "linalg/vec3.h"

/* How far a shape reaches along a direction from its own origin; -INFINITY where that is not known here. */
static double reach(const RobotShape *shape, AspVec3 along) {
  const double *s = shape->size;
  double across = asp_hypot(along.x, along.y), up = fabs(along.z);
  if (strcmp(shape->type, "sphere") == 0)
    return s[0];
  if (strcmp(shape->type, "capsule") == 0)
    return s[0] + s[1] / 2 * up;
  if (strcmp(shape->type, "cylinder") == 0)
    return s[0] * across + s[1] / 2 * up;
  if (strcmp(shape->type, "box") == 0)
    return (s[0] * fabs(along.x) + s[1] * fabs(along.y) + s[2] * up) / 2;
  if (strcmp(shape->type, "ellipsoid") == 0)
    return norm3(vec3(s[0] * along.x, s[1] * along.y, s[2] * along.z));
  return -INFINITY;
}

static bool can_touch(const Robot *robot, const RobotShape *a, const RobotShape *b) {
  return a->group < 0 || b->group < 0 || (robot->touches[a->group] >> b->group & 1);
}

/* For each body the free joint that it hangs on, -1: none. */
static int *free_roots(Robot *robot) {
  int *root = asp_import_take(robot->import, (size_t)robot->bodies + 1, sizeof *root);
  for (int i = 0; root && i < robot->bodies; i++) {
    const RobotBody *body = &robot->body[i];
    root[i] = body->parent >= 0 ? root[body->parent] : -1;
    for (int k = 0; k < body->joints; k++)
      if (robot->joint[body->first_joint + k].kind == ROBOT_FREE)
        root[i] = body->first_joint + k;
  }
  return root;
}

/* How deep the shapes of each free tree are in a plane of the world, by joint. */
static void find_depths(const Robot *robot, const RobotShape *plane, const int *root, double *depth) {
  AspVec3 normal = quat_rotate(plane->pose.orientation, vec3(0, 0, 1));
  for (int i = 0; i < robot->joints; i++)
    depth[i] = 0;
  for (int i = 0; i < robot->shapes; i++) {
    const RobotShape *shape = &robot->shape[i];
    if (shape->drawn || shape->body < 0 || root[shape->body] < 0 || !can_touch(robot, plane, shape))
      continue;
    AspPose pose = pose_multiply(&robot->body[shape->body].world, &shape->pose);
    double height = dot3(normal, sub3(pose.position, plane->pose.position)),
           deep = reach(shape, quat_rotate_back(pose.orientation, normal)) - height;
    depth[root[shape->body]] = fmax(depth[root[shape->body]], deep);
  }
}

static void lift_from(Robot *robot, const RobotShape *plane, const double *depth) {
  AspVec3 normal = quat_rotate(plane->pose.orientation, vec3(0, 0, 1));
  for (int i = 0; i < robot->joints; i++) {
    RobotJoint *joint = &robot->joint[i];
    if (!(depth[i] > 0) || !isfinite(depth[i]))
      continue;
    joint->free.position = axpy3(joint->free.position, depth[i], normal);
    if (depth[i] > 1e-9)
      asp_import_note(robot->import, ASP_IMPORT_APPROXIMATED, joint->node, joint->node->name,
                      "it started %.2g m deep in a plane of the world: raised by that, since contact is rigid",
                      depth[i]);
  }
}

void asp_robot_lift(Robot *robot) {
  asp_robot_forward(robot);
  int *root = free_roots(robot);
  double *depth = asp_import_take(robot->import, (size_t)robot->joints + 1, sizeof *depth);
  for (int k = 0; root && depth && k < robot->shapes && !robot->no_contact; k++) {
    const RobotShape *plane = &robot->shape[k];
    if (plane->body >= 0 || plane->drawn || strcmp(plane->type, "half-space") != 0)
      continue;
    find_depths(robot, plane, root, depth);
    lift_from(robot, plane, depth);
    asp_robot_forward(robot);
  }
}
