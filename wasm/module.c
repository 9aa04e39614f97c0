/* The life of a world in the module: load, start, step, pull. See live.h. */
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_MAX 64

/* ---- memory and texts ---- */

void *live_allocate(size_t bytes) { return malloc(bytes); }
void live_free(void *block) { free(block); }
const char *live_text(const Live *live) { return live->text ? live->text : ""; }
const char *live_version(void) { return asp_version(); }

int live_answer(Live *live, cJSON *json) {
  free(live->text);
  live->text = json ? cJSON_PrintUnformatted(json) : NULL;
  cJSON_Delete(json);
  return live->text ? ASP_OK : ASP_ERROR_MEMORY;
}

int live_failed(Live *live, AspError error) {
  live_answer(live, cJSON_CreateString(asp_context_message(live->context)));
  return (int)error;
}

double *live_room(Live *live, size_t count) {
  if (count > live->capacity) {
    double *more = realloc(live->numbers, count * sizeof *more);
    if (!more)
      return NULL;
    live->numbers = more;
    live->capacity = count;
  }
  return live->numbers;
}

Live *live_create(void) {
  Live *live = calloc(1, sizeof *live);
  if (live && !(live->context = asp_context_create(NULL))) {
    free(live);
    return NULL;
  }
  if (live)
    live->pull.body = -1;
  return live;
}

static void end_world(Live *live) {
  if (live->probes)
    asp_probes_destroy(live->probes);
  if (live->world)
    asp_world_destroy(live->world);
  live->probes = NULL;
  live->world = NULL;
}

static void end_scene(Live *live) {
  end_world(live);
  if (live->scene.model)
    asp_scene_destroy(live->context, &live->scene);
  live->scene = (AspScene){0};
}

void live_destroy(Live *live) {
  end_scene(live);
  asp_context_destroy(live->context);
  free(live->numbers);
  free(live->text);
  free(live);
}

/* ---- scenes ---- */

static cJSON *lines_of(const AspMistakes *mistakes) {
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < mistakes->count; i++)
    cJSON_AddItemToArray(list, cJSON_CreateString(mistakes->line[i]));
  return list;
}

/* "NAME=VALUE" on lines; the text is cut up. */
static AspSettings split(char *settings, const char **line) {
  int count = 0;
  for (char *at = settings; *at && count < SETTINGS_MAX;) {
    char *end = strchr(at, '\n');
    line[count++] = at;
    if (!end)
      break;
    *end = 0;
    at = end + 1;
  }
  return (AspSettings){.count = count, .text = line};
}

/* What is wrong with a scene, what was done otherwise than written, what is worth knowing: lists of lines. */
static cJSON *judge(Live *live, const char *text, size_t length, const AspSettings *settings, AspScene *scene,
                    AspError *error) {
  AspMistakes mistakes = {0}, notes = {0};
  *error = asp_scene_parse_set(live->context, text, length, "scene", settings, scene, &mistakes);
  cJSON *all = cJSON_CreateObject();
  cJSON_AddItemToObject(all, "mistakes", lines_of(&mistakes));
  asp_mistakes_destroy(live->context, &mistakes);
  if (*error != ASP_OK)
    return all;
  cJSON_AddItemToObject(all, "warnings", lines_of(&scene->warnings));
  if (asp_scene_notes(live->context, scene, "scene", &notes) == ASP_OK)
    cJSON_AddItemToObject(all, "notes", lines_of(&notes));
  asp_mistakes_destroy(live->context, &notes);
  return all;
}

/* The answer: {"mistakes": [...], "warnings": [...], "notes": [...]}. */
int live_validate(Live *live, const char *text, size_t length, char *settings) {
  AspScene scene;
  AspError error;
  const char *line[SETTINGS_MAX];
  AspSettings set = split(settings, line);
  cJSON *all = judge(live, text, length, &set, &scene, &error);
  AspWorld *world = NULL;
  if (error == ASP_OK && asp_world_create(live->context, scene.model, &scene.run, &world) != ASP_OK) {
    error = ASP_ERROR_INPUT;
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(all, "mistakes"),
                         cJSON_CreateString(asp_context_message(live->context)));
  }
  if (world)
    asp_world_destroy(world);
  if (scene.model)
    asp_scene_destroy(live->context, &scene);
  int stored = live_answer(live, all);
  return stored == ASP_OK ? (int)error : stored;
}

/* Time, and pose and velocity of every body that forces move, from one world to the next of a model with the same
 * bodies. */
static AspError carry_over(const AspWorld *from, AspWorld *to) {
  const AspModel *old = asp_world_model(from), *new = asp_world_model(to);
  const AspState *now = asp_world_state(from);
  if (asp_model_body_count(old) != asp_model_body_count(new) || asp_model_dimension(old) != asp_model_dimension(new))
    return ASP_OK;
  AspState state;
  AspError error = asp_state_create(new, &state);
  if (error != ASP_OK)
    return error;
  asp_state_copy(new, asp_world_state(to), &state);
  state.t = now->t;
  error = asp_world_set_state(to, &state);
  asp_state_destroy(new, &state);
  for (int body = 0; body < asp_model_body_count(new) && error == ASP_OK; body++) {
    if (asp_model_body_kind(old, body) != ASP_BODY_DYNAMIC || asp_model_body_kind(new, body) != ASP_BODY_DYNAMIC)
      continue;
    AspPose pose = asp_state_pose(old, now, body);
    AspVec3 velocity = asp_state_velocity(old, now, body), spin = asp_state_angular_velocity(old, now, body);
    error = asp_world_set_body(to, body, &pose, &velocity, &spin);
  }
  return error;
}

/* The scene in place of the one before, and a world of it at its start; keep: bodies go on from where they are. On
 * failure the world before stays. The answer: as live_validate. */
int live_load(Live *live, const char *text, size_t length, char *settings, int keep) {
  AspScene scene;
  AspError error;
  const char *line[SETTINGS_MAX];
  AspSettings set = split(settings, line);
  cJSON *all = judge(live, text, length, &set, &scene, &error);
  if (error != ASP_OK) {
    live_answer(live, all);
    return (int)error;
  }
  AspWorld *world = NULL;
  AspProbes *probes = NULL;
  scene.run.threads = 1;
  error = asp_world_create(live->context, scene.model, &scene.run, &world);
  if (error == ASP_OK && keep && live->world)
    error = carry_over(live->world, world);
  if (error == ASP_OK && scene.probe_count > 0)
    error = asp_probes_create(live->context, &scene, world, &probes);
  if (error != ASP_OK) {
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(all, "mistakes"),
                         cJSON_CreateString(asp_context_message(live->context)));
    if (world)
      asp_world_destroy(world);
    asp_scene_destroy(live->context, &scene);
    live_answer(live, all);
    return (int)error;
  }
  bool kept = keep && live->world;
  end_scene(live);
  live->scene = scene;
  live->world = world;
  live->probes = probes;
  if (!kept) {
    live->info = (AspStepInfo){.certified = true, .resolved = true};
    live->uncertified = live->unresolved = 0;
  }
  live->info.t = asp_world_state(world)->t;
  live->info.energy = asp_model_energy(scene.model, asp_world_state(world));
  live->pull.body = -1;
  return live_answer(live, all);
}

int live_schema(Live *live) {
  char *text = NULL;
  AspError error = asp_scene_schema(live->context, &text);
  if (error != ASP_OK)
    return live_failed(live, error);
  free(live->text);
  live->text = strdup(text);
  asp_text_destroy(live->context, text);
  return live->text ? ASP_OK : ASP_ERROR_MEMORY;
}

int live_describe(Live *live) { return live_answer(live, live_describe_model(live)); }

/* ---- steps ---- */

static AspVec3 turn(AspQuat q, AspVec3 a) {
  AspVec3 u = {q.x, q.y, q.z};
  AspVec3 c = {u.y * a.z - u.z * a.y + q.w * a.x, u.z * a.x - u.x * a.z + q.w * a.y, u.x * a.y - u.y * a.x + q.w * a.z};
  return (AspVec3){a.x + 2 * (u.y * c.z - u.z * c.y), a.y + 2 * (u.z * c.x - u.x * c.z),
                   a.z + 2 * (u.x * c.y - u.y * c.x)};
}

/* F = k (target - p) - c p', at most `most` in size, on the body at p */
static AspError apply_pull(Live *live) {
  LivePull *pull = &live->pull;
  const AspModel *model = live->scene.model;
  const AspState *state = asp_world_state(live->world);
  AspPose pose = asp_state_pose(model, state, pull->body);
  AspVec3 v = asp_state_velocity(model, state, pull->body), w = asp_state_angular_velocity(model, state, pull->body);
  AspVec3 arm = turn(pose.orientation, pull->point);
  AspVec3 p = {pose.position.x + arm.x, pose.position.y + arm.y, pose.position.z + arm.z};
  AspVec3 speed = {v.x + w.y * arm.z - w.z * arm.y, v.y + w.z * arm.x - w.x * arm.z, v.z + w.x * arm.y - w.y * arm.x};
  AspVec3 force = {
      pull->stiffness * (pull->target.x - p.x) - pull->damping * speed.x,
      pull->stiffness * (pull->target.y - p.y) - pull->damping * speed.y,
      asp_model_dimension(model) == 2 ? 0 : pull->stiffness * (pull->target.z - p.z) - pull->damping * speed.z};
  double size = sqrt(force.x * force.x + force.y * force.y + force.z * force.z);
  double scale = size > pull->most ? pull->most / size : 1;
  pull->force = (AspVec3){scale * force.x, scale * force.y, scale * force.z};
  pull->at = p;
  AspWrench wrench = {.force = pull->force};
  return asp_world_apply_wrench(live->world, pull->body, &wrench, &p);
}

/* Up to `count` steps; less where a stop condition is met or time has passed `until` (s). *made receives how many. */
int live_step(Live *live, int count, double until, int *made) {
  *made = 0;
  if (!live->world)
    return ASP_ERROR_ARGUMENT;
  while (*made < count && asp_world_state(live->world)->t < until && !asp_world_stop_reason(live->world)) {
    if (live->pull.body >= 0) {
      AspError error = apply_pull(live);
      if (error != ASP_OK)
        return live_failed(live, error);
    }
    AspError error = asp_world_step(live->world, &live->info);
    if (error != ASP_OK)
      return live_failed(live, error);
    if (live->probes)
      asp_probes_update(live->probes, live->world);
    live->uncertified += !live->info.certified;
    live->unresolved += !live->info.resolved;
    ++*made;
  }
  return ASP_OK;
}

/* Pull at a point of a body (its frame) towards a point of the world; body -1: let go. */
int live_pull(Live *live, int body, double px, double py, double pz, double tx, double ty, double tz, double stiffness,
              double damping, double most) {
  const AspModel *model = live->scene.model;
  live->pull.body = -1;
  if (!model || body < 0)
    return ASP_OK;
  if (body >= asp_model_body_count(model) || !asp_model_body_is_free(model, body))
    return ASP_ERROR_ARGUMENT;
  live->pull = (LivePull){.body = body,
                          .point = {px, py, pz},
                          .target = {tx, ty, tz},
                          .stiffness = stiffness,
                          .damping = damping,
                          .most = most};
  return ASP_OK;
}

/* Force of the pull in the last step, and where: 6 numbers. */
const double *live_pulled(Live *live) {
  const LivePull *pull = &live->pull;
  const double values[6] = {pull->force.x, pull->force.y, pull->force.z, pull->at.x, pull->at.y, pull->at.z};
  double *out = live_room(live, 6);
  return out ? memcpy(out, values, sizeof values) : NULL;
}

int live_set_input(Live *live, const char *name, double value) {
  int input = live->world ? asp_model_find_input(live->scene.model, name) : -1;
  if (input < 0) {
    live_answer(live, cJSON_CreateString("no input of that name"));
    return ASP_ERROR_ARGUMENT;
  }
  AspError error = asp_world_set_input(live->world, input, value);
  return error == ASP_OK ? ASP_OK : live_failed(live, error);
}
