/* MuJoCo: the scene as its XML, implicit Euler step, its defaults; and with the elliptic cone and hard friction
 * (impratio 10). It has no law of restitution. */
#include "engines.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct MujocoWorld {
  mjModel *model;
  mjData *data;
  const AspScene *scene;
  int bodies;
} MujocoWorld;

typedef struct Text {
  char *at;
  size_t size, used;
} Text;

static void add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *text, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int wrote = vsnprintf(text->at + text->used, text->size - text->used, format, values);
  va_end(values);
  if (wrote > 0 && text->used + (size_t)wrote < text->size)
    text->used += (size_t)wrote;
}

static void add_pose(Text *text, const AspPose *pose) {
  add(text, " pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"", pose->position.x, pose->position.y,
      pose->position.z, pose->orientation.w, pose->orientation.x, pose->orientation.y, pose->orientation.z);
}

static void add_shape(Text *text, const AspShape *shape, const AspPose *pose, double mu) {
  add(text, "<geom");
  add_pose(text, pose);
  add(text, " friction=\"%.17g 0 0\" condim=\"3\"", mu);
  switch (shape->kind) {
  case ASP_SHAPE_SPHERE:
    add(text, " type=\"sphere\" size=\"%.17g\"/>", shape->radius);
    break;
  case ASP_SHAPE_BOX:
    add(text, " type=\"box\" size=\"%.17g %.17g %.17g\"/>", shape->half_extents.x, shape->half_extents.y,
        shape->half_extents.z);
    break;
  case ASP_SHAPE_CAPSULE:
    add(text, " type=\"capsule\" size=\"%.17g %.17g\"/>", shape->radius, shape->half_length);
    break;
  default:
    add(text, " type=\"plane\" size=\"0 0 1\"/>");
  }
}

static void add_joint(Text *text, const AspModel *model, int body) {
  AspVec3 axis;
  AspMat3 inertia = asp_model_body_inertia(model, body);
  if (peer_guide(model, body, &axis))
    add(text, "<joint type=\"slide\" axis=\"%.17g %.17g %.17g\"/>", axis.x, axis.y, axis.z);
  else
    add(text, "<freejoint/>");
  add(text, "<inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>",
      asp_model_body_mass(model, body), inertia.m[0], inertia.m[4], inertia.m[8]);
}

/* Shapes of fixed bodies belong to the world. */
static void add_body(Text *text, const AspScene *scene, int body, double mu) {
  const AspModel *model = scene->model;
  AspPose pose;
  AspVec3 velocity, angular;
  bool moves = asp_model_body_kind(model, body) == ASP_BODY_DYNAMIC;
  peer_start(scene, body, &pose, &velocity, &angular);
  if (moves) {
    add(text, "<body name=\"b%d\"", body);
    add_pose(text, &pose);
    add(text, ">");
    add_joint(text, model, body);
  }
  for (int shape = 0; shape < asp_model_shape_count(model); shape++) {
    int owner;
    const AspShapeAttachment *attachment = asp_model_shape(model, shape, &owner);
    AspPose placed = peer_shape_pose(scene, shape, &owner);
    if (owner == body)
      add_shape(text, &attachment->shape, moves ? &attachment->pose : &placed, mu);
  }
  if (moves)
    add(text, "</body>");
}

static mjModel *load(const AspScene *scene, double dt, const char *option) {
  AspVec3 g = asp_model_gravity(scene->model);
  int bodies = asp_model_body_count(scene->model);
  Text text = {.size = 4096 + 1024 * (size_t)bodies};
  text.at = calloc(text.size, 1);
  mjVFS *files = malloc(sizeof *files);
  mjModel *model = NULL;
  char message[512] = "";
  if (text.at && files) {
    add(&text,
        "<mujoco><compiler balanceinertia=\"true\"/><option timestep=\"%.17g\" gravity=\"%.17g %.17g %.17g\" "
        "%s/><worldbody>",
        dt, g.x, g.y, g.z, option);
    for (int body = 0; body < bodies; body++)
      add_body(&text, scene, body, peer_law(scene->model).friction);
    add(&text, "</worldbody></mujoco>");
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "scene.xml", (int)text.used);
    memcpy(files->filedata[0], text.at, text.used);
    model = mj_loadXML("scene.xml", files, message, sizeof message);
    if (!model)
      fprintf(stderr, "mujoco: %s\n", message);
    mj_deleteVFS(files);
  }
  free(files);
  free(text.at);
  return model;
}

static int first_dof(const MujocoWorld *world, int body) {
  char name[16];
  snprintf(name, sizeof name, "b%d", body);
  int id = mj_name2id(world->model, mjOBJ_BODY, name);
  return id < 0 ? -1 : world->model->body_dofadr[id];
}

static void set_start(MujocoWorld *world) {
  for (int body = 0; body < world->bodies; body++) {
    AspPose pose;
    AspVec3 velocity, angular, axis;
    int dof = first_dof(world, body);
    if (dof < 0 || peer_guide(world->scene->model, body, &axis))
      continue;
    peer_start(world->scene, body, &pose, &velocity, &angular);
    const double linear[3] = {velocity.x, velocity.y, velocity.z};
    memcpy(world->data->qvel + dof, linear, sizeof linear);
    // angular velocities of free bodies are in the body's frame
    mjtNum turned[3], spin[3] = {angular.x, angular.y, angular.z},
                      back[4] = {pose.orientation.w, -pose.orientation.x, -pose.orientation.y, -pose.orientation.z};
    mju_rotVecQuat(turned, spin, back);
    memcpy(world->data->qvel + dof + 3, turned, sizeof turned);
  }
}

static void *create(const AspScene *scene, double dt, const char *option) {
  MujocoWorld *world = calloc(1, sizeof *world);
  if (!world)
    return NULL;
  world->scene = scene;
  world->bodies = asp_model_body_count(scene->model);
  world->model = load(scene, dt, option);
  world->data = world->model ? mj_makeData(world->model) : NULL;
  if (!world->data) {
    free(world);
    return NULL;
  }
  set_start(world);
  mj_forward(world->model, world->data);
  return world;
}

static void *create_default(const AspScene *scene, double dt) { return create(scene, dt, ""); }
static void *create_elliptic(const AspScene *scene, double dt) {
  return create(scene, dt, "cone=\"elliptic\" impratio=\"10\" iterations=\"200\" tolerance=\"1e-12\"");
}

static bool step(void *world) {
  MujocoWorld *mujoco = world;
  for (int body = 0; body < mujoco->bodies; body++) {
    AspVec3 force = peer_force(mujoco->scene->model, body), axis;
    if (peer_guide(mujoco->scene->model, body, &axis))
      mujoco->data->qfrc_applied[first_dof(mujoco, body)] = force.x * axis.x + force.y * axis.y + force.z * axis.z;
  }
  mj_step(mujoco->model, mujoco->data);
  mj_kinematics(mujoco->model, mujoco->data);
  for (int i = 0; i < mujoco->model->nq; i++)
    if (!isfinite(mujoco->data->qpos[i]))
      return false;
  return true;
}

static void state(void *world, int body, PeerState *out) {
  MujocoWorld *mujoco = world;
  char name[16];
  snprintf(name, sizeof name, "b%d", body);
  int id = mj_name2id(mujoco->model, mjOBJ_BODY, name), dof = first_dof(mujoco, body);
  *out = (PeerState){{0, 0, 0}, {0, 0, 0}};
  if (id < 0)
    return; // fixed
  const mjtNum *p = mujoco->data->xpos + 3 * id, *v = mujoco->data->qvel + dof;
  AspVec3 axis;
  out->position = (AspVec3){p[0], p[1], p[2]};
  if (dof >= 0 && peer_guide(mujoco->scene->model, body, &axis))
    out->velocity = (AspVec3){v[0] * axis.x, v[0] * axis.y, v[0] * axis.z};
  else if (dof >= 0)
    out->velocity = (AspVec3){v[0], v[1], v[2]};
}

static void destroy(void *world) {
  MujocoWorld *mujoco = world;
  mj_deleteData(mujoco->data);
  mj_deleteModel(mujoco->model);
  free(mujoco);
}

const PeerEngine peer_mujoco = {"mujoco", create_default, step, state, destroy};
const PeerEngine peer_mujoco_elliptic = {"mujoco elliptic", create_elliptic, step, state, destroy};
