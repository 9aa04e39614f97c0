/* What holds bodies and joints together besides the tree: loops, couplings, pairs that do not touch. They are kept
 * until the poses at the start are known, since points and values of scenes are those at the start. */
#include "base/elementary.h"
#include "io/import/robot.h"

#include "io/scene/keys.h"
#include "linalg/vec3.h"

#define START_TOLERANCE 1e-12 /* rad or m: couplings that hold to this at the start are left as they are */
#define PARALLEL        1e-3  /* sine between hinges of a plane loop: numbers of files are rounded */

void asp_robot_exclude(Robot *robot, int body_a, int body_b) {
  RobotExclusion *item = asp_import_take(robot->import, 1, sizeof *item);
  if (!item)
    return;
  *item = (RobotExclusion){body_a, body_b, robot->exclusions};
  robot->exclusions = item;
}

void asp_robot_add_loop(Robot *robot, const RobotLoop *loop) {
  RobotLoop *item = asp_import_take(robot->import, 1, sizeof *item), **end = &robot->loops;
  if (!item)
    return;
  while (*end)
    end = &(*end)->next;
  *item = *loop;
  *end = item;
}

void asp_robot_meet(const Robot *robot, RobotLoop *loop) {
  AspPose nothing = pose_identity(), a = loop->body_a >= 0 ? robot->body[loop->body_a].world : nothing,
          b = loop->body_b >= 0 ? robot->body[loop->body_b].world : nothing;
  AspPose shared = pose_multiply(&a, &loop->frame_a);
  loop->frame_b =
      (AspPose){pose_point_back(&b, shared.position), quat_multiply(quat_conjugate(b.orientation), shared.orientation)};
}

void asp_robot_add_coupling(Robot *robot, const RobotCoupling *coupling) {
  RobotCoupling *item = asp_import_take(robot->import, 1, sizeof *item), **end = &robot->coupled;
  if (!item)
    return;
  while (*end)
    end = &(*end)->next;
  *item = *coupling;
  *end = item;
}

static const RobotBody *root_of(const Robot *robot, int body) {
  int root = body >= 0 ? robot->body[body].root : ROBOT_WORLD;
  return root >= 0 ? &robot->body[root] : NULL;
}

static void add_names(cJSON *list, const RobotBody *a, const RobotBody *b) {
  asp_json_append(list, cJSON_CreateString(a ? a->name : "world"));
  asp_json_append(list, cJSON_CreateString(b ? b->name : "world"));
}

/* Bodies whose joints connect them do not touch anyway, and pairs of scenes name two bodies that exist. */
void asp_robot_write_exclusions(Robot *robot, cJSON *scene) {
  for (const RobotExclusion *item = robot->exclusions; item; item = item->next) {
    const RobotBody *a = root_of(robot, item->a), *b = root_of(robot, item->b);
    if (a == b)
      continue;
    cJSON *pair = cJSON_CreateArray();
    add_names(pair, a, b);
    asp_json_append(asp_json_list(scene, "exclude"), pair);
  }
}

/* ---- loops ---- */

/* Moves the joint one side of the loop and not the other? */
static bool is_between(const Robot *robot, const RobotJoint *joint, const RobotLoop *loop) {
  int sides = 0;
  for (int side = 0; side < 2; side++) {
    int body = side ? loop->body_b : loop->body_a;
    while (body > joint->body)
      body = robot->body[body].parent;
    sides += body == joint->body;
  }
  return sides == 1;
}

/* Across the plane of such a loop its hinges hold it; the loop's own conditions there would follow from them, but not
 * quite, as numbers are rounded: forces without bound. */
bool asp_robot_loop_is_plane(const Robot *robot, const RobotLoop *loop, AspVec3 *normal) {
  *normal = vec3(0, 0, 0);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < robot->joints; i++) {
      const RobotJoint *joint = &robot->joint[i];
      if (joint->frozen || !is_between(robot, joint, loop))
        continue;
      if (joint->kind != ROBOT_HINGE && joint->kind != ROBOT_SLIDE)
        return false;
      bool hinge = joint->kind == ROBOT_HINGE;
      if (pass == 0 && hinge && norm3(*normal) == 0)
        *normal = joint->world_axis;
      double along = fabs(dot3(joint->world_axis, *normal)), across = norm3(cross3(joint->world_axis, *normal));
      if (pass == 1 && (hinge ? across : along) > PARALLEL)
        return false;
    }
  return norm3(*normal) > 0;
}

static void add_axis(cJSON *axes, const char *type, AspVec3 point, AspVec3 axis) {
  cJSON *object = cJSON_CreateObject();
  asp_json_add_text(object, "type", type);
  asp_json_vector(object, "point", point);
  asp_json_vector(object, "axis", axis);
  asp_json_append(axes, object);
}

/* A loop in a plane is held in the plane alone: free across it, and about axes in it. */
static void write_plane_loop(const RobotLoop *loop, cJSON *object, AspVec3 point, AspVec3 normal) {
  AspVec3 other = fabs(normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0), t1 = unit3(cross3(normal, other)),
          t2 = cross3(normal, t1);
  cJSON *axes = asp_json_add_array(object, "axes");
  add_axis(axes, "prismatic", point, normal);
  if (!loop->weld)
    add_axis(axes, "revolute", point, normal);
  add_axis(axes, "revolute", point, t1);
  add_axis(axes, "revolute", point, t2);
}

static void write_loop(Robot *robot, const RobotLoop *loop, int number, cJSON *joints) {
  const RobotBody *a = root_of(robot, loop->body_a), *b = root_of(robot, loop->body_b);
  if (a == b)
    return; // parts of one body
  AspPose world = loop->body_a >= 0 ? robot->body[loop->body_a].world : pose_identity();
  AspVec3 point = pose_point(&world, loop->frame_a.position), normal;
  bool plane = asp_robot_loop_is_plane(robot, loop, &normal);
  cJSON *object = cJSON_CreateObject();
  asp_json_add_text(object, "name", loop->name ? loop->name : asp_import_text(robot->import, "loop%d", number));
  asp_json_add_text(object, "type", plane ? "compound" : loop->weld ? "fixed" : "spherical");
  add_names(asp_json_add_array(object, "bodies"), a, b);
  if (plane)
    write_plane_loop(loop, object, point, normal);
  else
    asp_json_vector(object, "point", point);
  asp_json_add_true(object, "contact");
  asp_json_append(joints, object);
}

/* ---- couplings ---- */

/* A joint may follow one that follows another: as often as there are such joints, then all have their values. */
void asp_robot_follow(Robot *robot) {
  bool moved = true;
  for (const RobotCoupling *pass = robot->coupled; pass && moved; pass = pass->next) {
    moved = false;
    for (const RobotCoupling *item = robot->coupled; item; item = item->next) {
      RobotJoint *a = &robot->joint[item->driven];
      const RobotJoint *b = &robot->joint[item->driver];
      double x = b->value - b->reference, value = 0;
      for (int i = 4; i >= 0; i--)
        value = value * x + item->polynomial[i];
      value += a->reference;
      if (fabs(value - a->value) > START_TOLERANCE) {
        a->value = value;
        moved = true;
      }
    }
  }
}

/* Limits of a joint that follows another count as limits of the other: two limits that are reached together would
 * share their force in no definite way. */
void asp_robot_merge_limits(Robot *robot) {
  for (const RobotCoupling *item = robot->coupled; item; item = item->next) {
    RobotJoint *a = &robot->joint[item->driven], *b = &robot->joint[item->driver];
    const double *c = item->polynomial;
    if (c[2] != 0 || c[3] != 0 || c[4] != 0 || c[1] == 0 || item->driven == item->driver)
      continue;
    double one = b->reference + (a->low - a->reference - c[0]) / c[1],
           other = b->reference + (a->high - a->reference - c[0]) / c[1], low = fmax(b->low, fmin(one, other)),
           high = fmin(b->high, fmax(one, other));
    if (!(low < high))
      continue; // they contradict each other: left as they are
    b->low = low;
    b->high = high;
    a->low = -INFINITY;
    a->high = INFINITY;
  }
}

/* -P(q - r) = constant + sum of power_k q^(k+1) */
static void expand(const double c[5], double r, double power[4]) {
  static const int binomial[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
  for (int k = 1; k <= 4; k++) {
    double sum = 0;
    for (int m = k; m <= 4; m++)
      sum += c[m] * binomial[m][k] * asp_pow(-r, m - k);
    power[k - 1] = -sum;
  }
}

static void write_coupling(Robot *robot, const RobotCoupling *coupling, int number, cJSON *joints) {
  const RobotJoint *a = &robot->joint[coupling->driven], *b = &robot->joint[coupling->driver];
  const double *c = coupling->polynomial;
  if (!asp_robot_is_written(robot, coupling->driven) || !asp_robot_is_written(robot, coupling->driver)) {
    asp_import_note(robot->import, ASP_IMPORT_IGNORED, coupling->node, coupling->node->name,
                    "couples a joint that does not move");
    return;
  }
  cJSON *object = cJSON_CreateObject(), *names, *list;
  asp_json_add_text(object, "name",
                    coupling->name ? coupling->name : asp_import_text(robot->import, "coupling%d", number));
  asp_json_add_text(object, "type", "coupling");
  names = asp_json_add_array(object, "joints");
  asp_json_append(names, cJSON_CreateString(a->name));
  asp_json_append(names, cJSON_CreateString(b->name));
  list = asp_json_add_array(object, "factors");
  asp_json_append(list, cJSON_CreateNumber(1));
  if (c[2] == 0 && c[3] == 0 && c[4] == 0) {
    asp_json_append(list, cJSON_CreateNumber(-c[1]));
  } else {
    double about_zero[4];
    expand(c, b->reference, about_zero);
    asp_json_append(list, cJSON_CreateDoubleArray(about_zero, 4));
  }
  asp_json_append(joints, object);
}

void asp_robot_write_loops(Robot *robot, cJSON *joints) {
  int number = 0;
  for (const RobotLoop *loop = robot->loops; loop; loop = loop->next)
    write_loop(robot, loop, number++, joints);
  number = 0;
  for (const RobotCoupling *coupling = robot->coupled; coupling; coupling = coupling->next)
    write_coupling(robot, coupling, number++, joints);
}
