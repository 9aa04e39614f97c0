/* Forces of the scene: those of actuators and of weight that is taken off, the drag of a fluid on every body, and the
 * damping of free joints. */
#include "io/import/robot.h"

#include "base/constants.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

void asp_robot_add_push(Robot *robot, const RobotPush *push) {
  RobotPush *made = asp_import_take(robot->import, 1, sizeof *made), **end = &robot->pushes;
  if (!made)
    return;
  *made = *push;
  made->next = NULL;
  while (*end)
    end = &(*end)->next;
  *end = made;
}

/* The three numbers times an expression. */
static void add_components(Robot *robot, cJSON *object, const char *key, AspVec3 of, const char *by) {
  cJSON *list = asp_json_add_array(object, key);
  for (int i = 0; i < 3; i++) {
    double x = get3(of, i);
    asp_json_append(list, x == 0 || !by ? cJSON_CreateNumber(x)
                                        : cJSON_CreateString(asp_import_text(robot->import, "%.17g*(%s)", x, by)));
  }
}

static void write_part(Robot *robot, const RobotPush *push, const char *kind, const double part[3], cJSON *scene) {
  const RobotBody *body = &robot->body[push->body], *root = &robot->body[body->root];
  AspVec3 vector = vec3(part[0], part[1], part[2]);
  if (norm3(vector) == 0)
    return;
  bool force = strcmp(kind, "force") == 0;
  cJSON *object = cJSON_CreateObject();
  asp_json_add_text(object, "name", asp_import_text(robot->import, "%s.%s", push->name, kind));
  asp_json_add_text(object, "type", kind);
  asp_json_add_text(object, "body", root->name);
  if (force)
    asp_json_vector(object, "point", pose_point(&body->world, push->pose.position));
  if (!push->in_world) { // along axes of the body in the scene
    AspQuat turn = quat_multiply(body->in_root.orientation, push->pose.orientation);
    vector = quat_rotate(turn, vector);
    asp_json_add_text(object, "frame", "body");
  }
  add_components(robot, object, kind, vector, push->by);
  asp_json_append(asp_json_list(scene, "forces"), object);
}

/* Each body of the file has its own box; parts that are welded to others have a size of their own here. */
static void write_drag(Robot *robot, int index, cJSON *scene) {
  const RobotBody *body = &robot->body[index];
  double moment[3], V[9], b[3];
  AspMassProperties own = asp_mass_transform(&body->own, &body->world);
  cJSON *object = cJSON_CreateObject();
  asp_json_add_text(object, "name", asp_import_text(robot->import, "%s.drag", body->name));
  asp_json_add_text(object, "type", "drag");
  asp_json_add_text(object, "body", robot->body[body->root].name);
  asp_json_add_number(object, "density", robot->density);
  asp_json_add_number(object, "viscosity", robot->viscosity);
  if (norm3(robot->wind) > 0)
    asp_json_vector(object, "wind", robot->wind);
  if (body->root != index || robot->body[index].mass.mass != body->own.mass) {
    asp_small_principal(own.inertia.m, moment, V);
    for (int i = 0; i < 3; i++)
      b[i] = sqrt(fmax(0, moment[(i + 1) % 3] + moment[(i + 2) % 3] - moment[i]) / own.mass * 6);
    AspQuat q = asp_import_from_axes(vec3(V[0], V[1], V[2]), vec3(V[3], V[4], V[5]), vec3(V[6], V[7], V[8]));
    asp_json_vector(object, "point", own.centre);
    asp_json_vector(object, "size", vec3(b[0], b[1], b[2]));
    asp_json_add(object, "orientation", cJSON_CreateDoubleArray((double[]){q.w, q.x, q.y, q.z}, 4));
  }
  asp_json_append(asp_json_list(scene, "forces"), object);
}

/* Damping c of a free joint: the force -c v at the origin of its frame and the torque -c w. A cube of the size b in a
 * fluid of the viscosity n gives -3 pi b n v and -pi b^3 n w, both of them c at b = sqrt(3). */
static void write_free_damping(Robot *robot, const RobotJoint *joint, cJSON *scene) {
  const RobotBody *body = &robot->body[joint->body];
  double b = sqrt(3);
  cJSON *object = cJSON_CreateObject();
  asp_json_add_text(object, "name", asp_import_text(robot->import, "%s.damping", body->name));
  asp_json_add_text(object, "type", "drag");
  asp_json_add_text(object, "body", robot->body[body->root].name);
  asp_json_add_number(object, "viscosity", joint->damping / (3 * ASP_PI * b));
  asp_json_vector(object, "point", body->world.position);
  asp_json_vector(object, "size", vec3(b, b, b));
  asp_json_append(asp_json_list(scene, "forces"), object);
}

static bool is_moved(const Robot *robot, int body) {
  int root = body >= 0 ? robot->body[body].root : ROBOT_WORLD;
  return root >= 0 && !robot->body[root].guided;
}

void asp_robot_write_pushes(Robot *robot, cJSON *scene) {
  for (const RobotPush *push = robot->pushes; push; push = push->next) {
    if (!is_moved(robot, push->body))
      continue;
    write_part(robot, push, "force", push->force, scene);
    write_part(robot, push, "torque", push->torque, scene);
  }
  for (int i = 0; i < robot->joints; i++)
    if (robot->joint[i].kind == ROBOT_FREE && robot->joint[i].damping > 0 && is_moved(robot, robot->joint[i].body))
      write_free_damping(robot, &robot->joint[i], scene);
  for (int i = 0; (robot->density > 0 || robot->viscosity > 0) && i < robot->bodies; i++)
    if (is_moved(robot, i) && robot->body[i].own.mass > 0)
      write_drag(robot, i, scene);
}
