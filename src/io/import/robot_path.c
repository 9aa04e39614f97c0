/* Tendons through space, as joints of the scene: points of the path in the world at the start. The length in a pose is
 * asked of the model layer, by a model of nothing but the bodies that the path touches. */
#include "io/import/robot.h"

#include "linalg/vec3.h"

static AspPose world_of(const Robot *robot, int body) { return body >= 0 ? robot->body[body].world : pose_identity(); }

static int root_of(const Robot *robot, int body) { return body >= 0 ? robot->body[body].root : ROBOT_WORLD; }

static AspPathPoint placed(const Robot *robot, const RobotPathPoint *point) {
  AspPose pose = world_of(robot, point->body);
  AspPathPoint at = point->at;
  at.point = pose_point(&pose, at.point);
  at.axis = quat_rotate(pose.orientation, at.axis);
  at.side = pose_point(&pose, at.side);
  return at;
}

/* The body of the model for a body of the robot: the world is the first one. */
static AspError enter_body(AspModel *model, const Robot *robot, int body, int *index) {
  AspBodyDef def = asp_body_default();
  const char *name = body >= 0 ? robot->body[body].name : "world";
  *index = asp_model_find_body(model, name);
  if (*index >= 0)
    return ASP_OK;
  def.name = name;
  def.kind = body >= 0 ? ASP_BODY_DYNAMIC : ASP_BODY_FIXED;
  def.mass = 1;
  def.inertia = mat3_diagonal(1, 1, 1);
  def.pose = world_of(robot, body);
  return asp_model_add_body(model, &def, index);
}

static AspError ask_model(const Robot *robot, const RobotPath *path, AspModel *model, double *length) {
  Import *import = robot->import;
  AspJointDef def = asp_joint_default();
  AspPathPoint *point = asp_import_take(import, (size_t)path->count + 1, sizeof *point);
  int joint;
  if (!point)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < path->count; i++) {
    point[i] = placed(robot, &path->point[i]);
    ASP_TRY(enter_body(model, robot, path->point[i].body, &point[i].body));
  }
  def.kind = ASP_JOINT_TENDON;
  def.path = point;
  def.path_count = path->count;
  def.effort = "0"; // so that it is not held, which allows fewer bodies
  ASP_TRY(asp_model_add_joint(model, &def, &joint));
  *length = asp_model_joint_def(model, joint)->initial;
  return ASP_OK;
}

bool asp_robot_path_length(Robot *robot, const RobotPath *path, double *length) {
  Import *import = robot->import;
  AspModel *model = NULL;
  *length = 0;
  if (import->error != ASP_OK)
    return false;
  AspError error = asp_model_create(import->context, 3, &model);
  if (error == ASP_OK)
    error = ask_model(robot, path, model, length);
  asp_model_destroy(model);
  if (error == ASP_ERROR_MEMORY)
    import->error = error;
  else if (error != ASP_OK)
    asp_import_note(import, ASP_IMPORT_IGNORED, path->node, path->node->name, "not simulated: %s",
                    asp_context_message(import->context));
  return error == ASP_OK;
}

static void write_point(const Robot *robot, const RobotPathPoint *point, cJSON *list) {
  static const char *const kinds[] = {"point", "sphere", "cylinder"};
  AspPathPoint at = placed(robot, point);
  int root = root_of(robot, point->body);
  cJSON *object = cJSON_CreateObject();
  asp_json_append(list, object);
  asp_json_add_text(object, "body", root >= 0 ? robot->body[root].name : "world");
  asp_json_vector(object, "point", at.point);
  if (at.kind != ASP_PATH_POINT) {
    asp_json_add_text(object, "around", kinds[at.kind]);
    asp_json_add_number(object, "radius", at.radius);
  }
  if (at.kind == ASP_PATH_CYLINDER)
    asp_json_vector(object, "axis", at.axis);
  if (at.has_side)
    asp_json_vector(object, "side", at.side);
  if (at.divisor > 0)
    asp_json_add_number(object, "branch", at.divisor);
}

/* Limits that do not hold at the start cannot be kept. The scene computes the length again: a rounding is left. */
static void check_limits(Robot *robot, const RobotPath *path, double length) {
  const cJSON *limits = cJSON_GetObjectItemCaseSensitive(path->object, "limits");
  if (!limits)
    return;
  double low = limits->child->valuedouble, high = limits->child->next->valuedouble;
  if (length >= low && length <= high)
    return;
  double rounding = 1e-12 * fabs(length), by[2] = {fmin(low, length - rounding), fmax(high, length + rounding)};
  asp_import_note(robot->import, ASP_IMPORT_APPROXIMATED, path->node,
                  "spatial range=", "the length at the start, %.6g m, is outside [%.6g, %.6g]: it becomes the limit",
                  length, low, high);
  cJSON_ReplaceItemInObjectCaseSensitive(path->object, "limits", cJSON_CreateDoubleArray(by, 2));
}

void asp_robot_write_paths(Robot *robot, cJSON *joints) {
  for (RobotPath *path = robot->paths; path; path = path->next) {
    double length;
    bool moves = false;
    for (int i = 0; i < path->count; i++)
      moves = moves || root_of(robot, path->point[i].body) != root_of(robot, path->point[0].body);
    if (!path->object)
      continue;
    if (!moves) {
      asp_import_note(robot->import, ASP_IMPORT_IGNORED, path->node, path->node->name,
                      "not simulated: all of it is on one body of the scene");
      asp_robot_drop_coupling(robot, path->object);
      path->object = NULL;
      continue;
    }
    if (asp_robot_path_length(robot, path, &length))
      check_limits(robot, path, length);
    cJSON *list = asp_json_add_array(path->object, "path");
    for (int i = 0; i < path->count; i++)
      write_point(robot, &path->point[i], list);
    asp_json_append(joints, path->object);
    path->object = NULL; // the scene has it
  }
}
