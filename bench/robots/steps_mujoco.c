/* A model on MuJoCo: processor time per step and the motion, as one line of JSON for robots.py.
 *
 *   steps_mujoco MODEL.xml STEPS TAIL [KEYFRAME]
 *
 * KEYFRAME: starts there, with position servos at rest where the keyframe has no controls.
 * Built where libmujoco-dev is installed. Poses are those of the frames of inertia: bodies are written with their centre
 * of mass as the origin (mjcf.py). */
#define _POSIX_C_SOURCE 200809L
#include "bench_clock.h"
#include "chunks.h"

#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static double energy(mjModel *model, mjData *data) {
  int flags = model->opt.enableflags;
  model->opt.enableflags |= mjENBL_ENERGY; // only here: it takes time
  mj_forward(model, data);
  mj_energyPos(model, data);
  mj_energyVel(model, data);
  model->opt.enableflags = flags;
  return data->energy[0] + data->energy[1];
}

static void print_poses(const char *key, const mjModel *model, mjData *data) {
  const char *comma = "";
  mj_forward(model, data);
  printf("\"%s\": {", key);
  for (int body = 1; body < model->nbody; body++) {
    mjtNum v[6]; // angular, linear, at the body's origin
    const mjtNum *p = data->xpos + 3 * body, *o = data->xquat + 4 * body;
    mj_objectVelocity(model, data, mjOBJ_XBODY, body, v, 0);
    printf("%s\"%s\": [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", comma,
           mj_id2name(model, mjOBJ_BODY, body), p[0], p[1], p[2], o[0], o[1], o[2], o[3], v[3], v[4], v[5]);
    comma = ", ";
  }
  printf("}, ");
}

/* Velocity of a body's point. */
static void point_velocity(const mjModel *model, const mjData *data, int body, const mjtNum point[3], mjtNum v[3]) {
  mjtNum twist[6], arm[3], turn[3];
  mj_objectVelocity(model, data, mjOBJ_XBODY, body, twist, 0);
  mju_sub3(arm, point, data->xpos + 3 * body);
  mju_cross(turn, twist, arm);
  mju_add3(v, twist + 3, turn);
}

/* Largest speed at which a contact that carries load slides, m/s. */
static double slip(const mjModel *model, mjData *data) {
  double most = 0;
  mj_forward(model, data);
  for (int i = 0; i < data->ncon; i++) {
    const mjContact *contact = &data->contact[i];
    mjtNum force[6], a[3], b[3];
    mj_contactForce(model, data, i, force);
    if (force[0] <= 0)
      continue;
    point_velocity(model, data, model->geom_bodyid[contact->geom1], contact->pos, a);
    point_velocity(model, data, model->geom_bodyid[contact->geom2], contact->pos, b);
    mju_subFrom3(b, a);
    mju_addToScl3(b, contact->frame, -mju_dot3(b, contact->frame));
    most = mju_max(most, mju_norm3(b));
  }
  return most;
}

/* False: there is no such keyframe. */
static bool start_at(const mjModel *model, mjData *data, const char *name) {
  int key = mj_name2id(model, mjOBJ_KEY, name);
  if (key < 0)
    return false;
  mj_resetDataKeyframe(model, data, key);
  mj_forward(model, data);
  for (int i = 0; i < model->nu; i++)
    if (model->actuator_biastype[i] == mjBIAS_AFFINE && data->ctrl[i] == 0)
      data->ctrl[i] = data->actuator_length[i];
  return true;
}

int main(int count, char **word) {
  char message[512] = "";
  if (count < 4)
    return 2;
  mjModel *model = mj_loadXML(word[1], NULL, message, sizeof message);
  if (!model) {
    fprintf(stderr, "steps_mujoco: %s\n", message);
    return 3;
  }
  mjData *data = mj_makeData(model);
  if (count > 4 && !start_at(model, data, word[4])) {
    fprintf(stderr, "steps_mujoco: no keyframe '%s'\n", word[4]);
    return 3;
  }
  long steps = atol(word[2]), tail = atol(word[3]), contacts = 0;
  double start = energy(model, data);
  Chunks chunks = chunks_begin(steps);
  printf("{\"version\": \"%s\", \"mass\": %.17g, ", mj_versionString(), mj_getTotalmass(model));
  for (long i = 0; i < steps; i++) {
    if (i == steps - tail)
      print_poses("tail", model, data);
    chunks_before(&chunks, i);
    mj_step(model, data);
    contacts += data->ncon;
  }
  chunks_end(&chunks);
  print_poses("end", model, data);
  printf("\"contacts\": %ld, \"slip\": %.3g, \"energy\": [%.17g, %.17g], \"us\": %.6g, \"mean\": %.6g}\n", contacts,
         slip(model, data), start, energy(model, data), chunks_median(&chunks), chunks_mean(&chunks));
  mj_deleteData(data);
  mj_deleteModel(model);
  return 0;
}
