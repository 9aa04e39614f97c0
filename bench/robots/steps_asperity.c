/* A scene on Asperity: processor time per step and the motion, as one line of JSON for robots.py.
 *
 *   steps_asperity SCENE.json STEPS TAIL [DT]
 *
 * TAIL: so many steps before the end the poses are written as well; DT: s, in place of the scene's. */
#define _POSIX_C_SOURCE 200809L
#include "asperity/asperity.h"
#include "bench_clock.h"
#include "chunks.h"

#include <math.h>
#include <stdio.h>

static void must(AspContext *context, AspError error) {
  if (error == ASP_OK)
    return;
  fprintf(stderr, "steps_asperity: %s\n", asp_context_message(context));
  exit(3);
}

static double energy(const AspWorld *world) {
  AspEnergy e = asp_model_energy(asp_world_model(world), asp_world_state(world));
  return e.kinetic + e.gravitational + e.elastic;
}

/* "name": [x, y, z, w, x, y, z, vx, vy, vz] of every body that forces move */
static void print_poses(const char *key, const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspState *state = asp_world_state(world);
  const char *comma = "";
  printf("\"%s\": {", key);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_body_dof(model, body) < 0)
      continue;
    AspPose pose = asp_state_pose(model, state, body);
    AspVec3 p = pose.position, v = asp_state_velocity(model, state, body);
    AspQuat o = pose.orientation;
    printf("%s\"%s\": [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", comma,
           asp_model_body_name(model, body), p.x, p.y, p.z, o.w, o.x, o.y, o.z, v.x, v.y, v.z);
    comma = ", ";
  }
  printf("}, ");
}

/* Largest speed at which a contact that carries load slides, m/s. */
static double slip(const AspWorld *world) {
  const AspContactRecord *contact = asp_world_contacts(world);
  double most = 0;
  for (int i = 0; i < asp_world_contact_count(world); i++)
    if (contact[i].impulse[0] > 0)
      most = fmax(most, hypot(contact[i].slip[1], contact[i].slip[2]));
  return most;
}

typedef struct Sums {
  long long uncertified, unresolved, iterations, contacts;
  int contacts_max;
  double drift;   /* m or rad */
  double kinetic; /* largest, J */
} Sums;

static void add(Sums *sums, const AspStepInfo *info) {
  sums->uncertified += !info->certified;
  sums->unresolved += !info->resolved;
  sums->iterations += info->iterations;
  sums->contacts += info->contacts;
  if (info->contacts > sums->contacts_max)
    sums->contacts_max = info->contacts;
  if (info->joint_drift > sums->drift)
    sums->drift = info->joint_drift;
  if (info->energy.kinetic > sums->kinetic)
    sums->kinetic = info->energy.kinetic;
}

int main(int count, char **word) {
  if (count < 4)
    return 2;
  AspContext *context = asp_context_create(NULL);
  AspScene scene;
  AspWorld *world;
  Sums sums = {0};
  long steps = atol(word[2]), tail = atol(word[3]);
  must(context, asp_scene_read(context, word[1], &scene, NULL));
  if (count > 4)
    scene.run.dt = atof(word[4]);
  scene.run.until = 1e9;
  must(context, asp_world_create(context, scene.model, &scene.run, &world));
  Chunks chunks = chunks_begin(steps);
  double start = energy(world);
  printf("{");
  for (long i = 0; i < steps; i++) {
    AspStepInfo info;
    if (i == steps - tail)
      print_poses("tail", world);
    chunks_before(&chunks, i);
    must(context, asp_world_step(world, &info));
    add(&sums, &info);
  }
  chunks_end(&chunks);
  print_poses("end", world);
  printf("\"uncertified\": %lld, \"unresolved\": %lld, \"iterations\": %lld, \"contacts\": %lld, \"contacts_max\": %d, "
         "\"drift\": %.3g, \"kinetic\": %.6g, ",
         sums.uncertified, sums.unresolved, sums.iterations, sums.contacts, sums.contacts_max, sums.drift,
         sums.kinetic);
  printf("\"slip\": %.3g, \"energy\": [%.17g, %.17g], \"us\": %.6g, \"mean\": %.6g}\n", slip(world), start,
         energy(world), chunks_median(&chunks), chunks_mean(&chunks));
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  asp_context_destroy(context);
  return 0;
}
