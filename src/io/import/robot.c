/* Putting a robot together, and the pose of everything at the start:
 *
 *   T_body = T_parent T_rel T_joint1 T_joint2 ...
 *
 * T_rel is the body's pose in its parent, T_joint the motion of a joint by its value minus its reference: a turn about
 * an axis through a point, a slide along an axis, both fixed in the child. A body without joints is a part of its
 * parent: one rigid body with the sum of the masses, which is exact and has fewer unknowns than a fixed joint. So is a
 * body that has joints but no mass: it could not move, and that is reported.
 */
#include "io/import/robot.h"

#include "linalg/vec3.h"

/* ---- parts ---- */

#define ADD(robot, list, item)                                                                                         \
  if (ASP_GROW((robot)->import->context, (robot)->list, (robot)->list##_capacity, *count + 1) != ASP_OK) {             \
    (robot)->import->error = (robot)->import->error == ASP_OK ? ASP_ERROR_MEMORY : (robot)->import->error;             \
    return -1;                                                                                                         \
  }                                                                                                                    \
  (robot)->list[*count] = *(item);                                                                                     \
  return (*count)++

int asp_robot_add_body(Robot *robot, const RobotBody *body) {
  int *count = &robot->bodies;
  ADD(robot, body, body);
}

int asp_robot_add_shape(Robot *robot, const RobotShape *shape) {
  int *count = &robot->shapes;
  ADD(robot, shape, shape);
}

static int append_joint(Robot *robot, const RobotJoint *joint) {
  int *count = &robot->joints;
  ADD(robot, joint, joint);
}

int asp_robot_add_joint(Robot *robot, const RobotJoint *joint) {
  int index = append_joint(robot, joint);
  RobotBody *body = &robot->body[joint->body];
  if (index >= 0 && body->joints++ == 0)
    body->first_joint = index;
  return index;
}

int asp_robot_find_joint(const Robot *robot, const char *name) {
  for (int i = 0; i < robot->joints; i++)
    if (strcmp(robot->joint[i].name, name) == 0)
      return i;
  return -1;
}

int asp_robot_find_body(const Robot *robot, const char *name) {
  for (int i = 0; i < robot->bodies; i++)
    if (strcmp(robot->body[i].name, name) == 0)
      return i;
  return -1;
}

void asp_robot_free(Robot *robot) {
  AspContext *context = robot->import->context;
  for (int i = 0; i < robot->joints; i++)
    cJSON_Delete(robot->joint[i].extra);
  for (int i = 0; i < robot->shapes; i++)
    cJSON_Delete(robot->shape[i].data);
  for (RobotPath *path = robot->paths; path; path = path->next)
    cJSON_Delete(path->object);
  cJSON_Delete(robot->scene);
  cJSON_Delete(robot->sums);
  asp_release(context, robot->body);
  asp_release(context, robot->joint);
  asp_release(context, robot->shape);
}

/* ---- poses ---- */

static AspPose inverse(const AspPose *pose) {
  return (AspPose){quat_rotate_back(pose->orientation, neg3(pose->position)), quat_conjugate(pose->orientation)};
}

/* Turn the pose about a point of its own frame that stays where it is. */
static void turn_about(AspPose *pose, AspVec3 point, AspQuat turn) {
  AspVec3 anchor = pose_point(pose, point);
  pose->orientation = quat_normalize(quat_multiply(pose->orientation, turn));
  pose->position = sub3(anchor, quat_rotate(pose->orientation, point));
}

static void move_joint(RobotJoint *joint, AspPose *pose) {
  double by = joint->value - joint->reference;
  switch (joint->kind) {
  case ROBOT_HINGE:
    turn_about(pose, joint->point, quat_from_axis_angle(joint->axis, by));
    break;
  case ROBOT_SLIDE:
    pose->position = axpy3(pose->position, by, quat_rotate(pose->orientation, unit3(joint->axis)));
    break;
  case ROBOT_BALL:
    turn_about(pose, joint->point, joint->free.orientation);
    break;
  case ROBOT_FREE:
    *pose = joint->free;
    break;
  case ROBOT_PLANE:
    break;
  }
}

/* A joint whose body has no mass cannot move: the body is a part of its parent. From the leaves to the roots. */
static void freeze_massless(Robot *robot) {
  Import *import = robot->import;
  double *mass = asp_import_take(import, (size_t)robot->bodies + 1, sizeof *mass);
  for (int i = robot->bodies - 1; mass && i >= 0; i--) {
    RobotBody *body = &robot->body[i];
    mass[i] += body->mass.mass;
    bool welded = body->joints == 0;
    if (!welded && !(mass[i] > 0)) {
      for (int k = 0; k < body->joints; k++)
        robot->joint[body->first_joint + k].frozen = true;
      asp_import_note(import, ASP_IMPORT_APPROXIMATED, body->node, body->node->name,
                      "has joints but no mass: it stays as it is at the start, a part of its parent");
      welded = true;
    }
    if (welded && body->parent >= 0)
      mass[body->parent] += mass[i];
  }
}

static void place_joints(Robot *robot, RobotBody *body) {
  for (int k = 0; k < body->joints; k++)
    move_joint(&robot->joint[body->first_joint + k], &body->world);
  // what later joints of the body do has moved the earlier axes, which are fixed in the child only through them
  AspPose at = body->world;
  for (int k = body->joints - 1; k >= 0; k--) {
    RobotJoint *joint = &robot->joint[body->first_joint + k];
    joint->world_point = pose_point(&at, joint->point);
    joint->world_axis = quat_rotate(at.orientation, unit3(joint->axis));
    RobotJoint back = *joint;
    back.value = joint->reference - (joint->value - joint->reference);
    back.free.orientation = quat_conjugate(joint->free.orientation);
    if (joint->kind != ROBOT_FREE)
      move_joint(&back, &at);
  }
}

void asp_robot_forward(Robot *robot) {
  for (int i = 0; i < robot->bodies; i++) {
    RobotBody *body = &robot->body[i];
    body->world = body->parent >= 0 ? pose_multiply(&robot->body[body->parent].world, &body->pose) : body->pose;
    place_joints(robot, body);
  }
}

double asp_robot_reflected(const Robot *robot, int joint) {
  const RobotJoint *own = &robot->joint[joint];
  double sum = own->armature;
  for (int i = own->body; i < robot->bodies; i++) {
    const RobotBody *body = &robot->body[i];
    int up = i;
    while (up > own->body)
      up = robot->body[up].parent;
    if (up != own->body || !(body->mass.mass > 0))
      continue;
    AspMassProperties mass = asp_mass_transform(&body->mass, &body->world);
    AspVec3 across = cross3(own->world_axis, sub3(mass.centre, own->world_point));
    sum += own->kind == ROBOT_SLIDE
               ? mass.mass
               : mass.mass * dot3(across, across) + dot3(own->world_axis, mat3_times(&mass.inertia, own->world_axis));
  }
  return sum;
}

/* The body that everything is a part of, and its pose there. */
static void find_root(Robot *robot, int index) {
  RobotBody *body = &robot->body[index];
  bool welded = !body->guided && (body->joints == 0 || robot->joint[body->first_joint].frozen);
  body->root = !welded ? index : body->parent >= 0 ? robot->body[body->parent].root : ROBOT_WORLD;
  body->in_root = body->world;
  if (body->root >= 0) {
    AspPose back = inverse(&robot->body[body->root].world);
    body->in_root = body->root == index ? pose_identity() : pose_multiply(&back, &body->world);
  }
}

void asp_robot_place(Robot *robot) {
  freeze_massless(robot);
  asp_robot_forward(robot);
  for (int i = 0; i < robot->bodies; i++) {
    find_root(robot, i);
    robot->body[i].own = robot->body[i].mass;
  }
  // the sum of what is welded together, in the frame of the root
  for (int i = 0; i < robot->bodies; i++) {
    RobotBody *body = &robot->body[i];
    if (body->root < 0 || body->root == i || !(body->mass.mass > 0))
      continue;
    RobotBody *root = &robot->body[body->root];
    AspMassProperties moved = asp_mass_transform(&body->mass, &body->in_root);
    root->mass = root->mass.mass > 0 ? asp_mass_sum(&root->mass, &moved) : moved;
  }
}
