/* The measures of peer_judge.h, by scene (docs/reference/cases.md). Step 0.01 s unless said; x(t) is the position of
 * the scene's one body that matters.
 *
 *   sphere_rolls   slides with v0 = 2, mu = 0.2, rolls from t = 2 v0 / (7 mu g) on with 5/7 v0; |x(0.6) - exact|
 *   slope_stick    tan(slope) = 0.99 mu: creep |x(10) - x(9)| / 1 s
 *   slope_slip     tan(slope) = 1.01 mu: error of the friction force, from v(T) / T
 *   box_stops      after v0^2 / (2 mu g), v0 = 3; lift: largest change of height
 *   stack_*        largest way of a box from its place, deepest overlap of neighbours
 *   bouncing_ball  bounces end at 9 sqrt(2 / g); tops of the first four at 0.64^k, error in steps of h times 1 m/s
 *   painleve_rod   impulse (3 sqrt 3 / 16, 7 / 16) (normal, tangential): change of velocity less that of gravity,
 *                  after one or two steps, whichever is nearer
 *   ladder_*       way of the one that must stand; height that the other is left with
 *   flat_cube      stops after v0^2 / (2 mu g), v0 = 6
 *   pinch_*        fall of the capsule in 60 s
 */
#include "peer_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81

/* ---- Asperity itself ---- */

typedef struct OwnWorld {
  AspContext *context;
  AspWorld *world;
  const AspModel *model;
  bool missed; /* a step was not certified */
} OwnWorld;

static void *own_create(const AspScene *scene, double dt) {
  OwnWorld *own = calloc(1, sizeof *own);
  AspRunOptions options = scene->run;
  options.dt = dt;
  options.tolerance = 1e-10;
  options.until = 1e6;
  if (own)
    own->context = asp_context_create(NULL);
  if (!own || !own->context || asp_world_create(own->context, scene->model, &options, &own->world) != ASP_OK) {
    if (own)
      asp_context_destroy(own->context);
    free(own);
    return NULL;
  }
  own->model = scene->model;
  return own;
}

static bool own_step(void *world) {
  OwnWorld *own = world;
  AspStepInfo info;
  return asp_world_step(own->world, &info) == ASP_OK && info.certified;
}

static void own_state(void *world, int body, PeerState *state) {
  const OwnWorld *own = world;
  const AspState *now = asp_world_state(own->world);
  state->position = asp_state_pose(own->model, now, body).position;
  state->velocity = asp_state_velocity(own->model, now, body);
}

static void own_destroy(void *world) {
  OwnWorld *own = world;
  asp_world_destroy(own->world);
  asp_context_destroy(own->context);
  free(own);
}

const PeerEngine peer_asperity = {"asperity", own_create, own_step, own_state, own_destroy};

/* ---- a run that is watched ---- */

typedef struct Watch Watch;
struct Watch {
  AspScene scene;
  const PeerEngine *engine;
  void *world;
  int bodies;
  double t, dt;
  PeerState *start, *now; /* bodies */
  bool failed;            /* the engine gave up, or a step of Asperity was not certified */
};

static void look(Watch *watch, PeerState *states) {
  for (int body = 0; body < watch->bodies; body++)
    watch->engine->state(watch->world, body, &states[body]);
}

static void close_watch(AspContext *context, Watch *watch) {
  if (watch->world)
    watch->engine->destroy(watch->world);
  free(watch->start);
  free(watch->now);
  asp_scene_destroy(context, &watch->scene);
}

static AspError open_watch(AspContext *context, const char *folder, const char *name, const PeerEngine *engine,
                           double dt, Watch *watch) {
  char path[1024];
  *watch = (Watch){.engine = engine, .dt = dt};
  snprintf(path, sizeof path, "%s/%s.json", folder, name);
  AspError error = asp_scene_read(context, path, &watch->scene, NULL);
  if (error != ASP_OK)
    return error;
  watch->bodies = asp_model_body_count(watch->scene.model);
  watch->start = calloc((size_t)watch->bodies, sizeof *watch->start);
  watch->now = calloc((size_t)watch->bodies, sizeof *watch->now);
  watch->world = engine->create(&watch->scene, dt);
  if (!watch->world || !watch->start || !watch->now) {
    watch->failed = true;
    return ASP_OK;
  }
  look(watch, watch->start);
  look(watch, watch->now);
  return ASP_OK;
}

/* One step; false when the time is over or the engine failed. */
static bool step_watch(Watch *watch, double until) {
  if (watch->failed || watch->t >= until - 0.5 * watch->dt)
    return false;
  watch->failed = !watch->engine->step(watch->world);
  watch->t += watch->dt;
  look(watch, watch->now);
  return !watch->failed;
}

static void run_watch(Watch *watch, double until) {
  while (step_watch(watch, until)) {
  }
}

static AspVec3 difference(AspVec3 a, AspVec3 b) { return (AspVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double length(AspVec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

/* ---- measures ---- */

typedef struct Judge {
  AspContext *context;
  const char *folder;
  const PeerEngine *engine;
  void (*tell)(void *user, const PeerMeasure *measure);
  void *user;
} Judge;

static void tell(const Judge *judge, const Watch *watch, const char *scene, const char *quantity, const char *unit,
                 double asked, double value) {
  judge->tell(judge->user, &(PeerMeasure){scene, quantity, unit, asked, watch && watch->failed ? (double)NAN : value});
}

static AspError open_judged(const Judge *judge, const char *name, double dt, Watch *watch) {
  return open_watch(judge->context, judge->folder, name, judge->engine, dt, watch);
}

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    AspError error_ = (call);                                                                                          \
    if (error_ != ASP_OK)                                                                                              \
      return error_;                                                                                                   \
  } while (0)

static AspError judge_s1(const Judge *judge) {
  static const char *const names[] = {"sphere_rolls_dir0", "sphere_rolls_dir30"};
  const double angle[] = {0, acos(-1) / 6};
  const double slide = 2 * 2 / (7 * 0.2 * GRAVITY);
  double exact = 2 * slide - 0.1 * GRAVITY * slide * slide + 10.0 / 7 * (0.6 - slide), way[2] = {0, 0};
  bool failed = false;
  for (int i = 0; i < 2; i++) {
    Watch watch;
    TRY(open_judged(judge, names[i], 0.01, &watch));
    run_watch(&watch, 0.6);
    AspVec3 moved = difference(watch.now[1].position, watch.start[1].position);
    AspVec3 right = {exact * cos(angle[i]), exact * sin(angle[i]), 0};
    tell(judge, &watch, names[i], "position error at 0.6 s", "m", 6e-5, length(difference(moved, right)));
    way[i] = moved.x * cos(angle[i]) + moved.y * sin(angle[i]);
    failed = failed || watch.failed;
    close_watch(judge->context, &watch);
  }
  tell(judge, NULL, "sphere_rolls", "difference between directions", "m", 1e-10,
       failed ? (double)NAN : fabs(way[0] - way[1]));
  return ASP_OK;
}

static AspError judge_s2(const Judge *judge) {
  static const char *const stick[] = {"slope_stick_dir0", "slope_stick_dir30"}, *const slip[] = {"slope_slip_dir0",
                                                                                                 "slope_slip_dir30"};
  for (int i = 0; i < 2; i++) {
    Watch watch;
    TRY(open_judged(judge, stick[i], 0.01, &watch));
    run_watch(&watch, 9);
    AspVec3 before = watch.now[1].position;
    run_watch(&watch, 10);
    tell(judge, &watch, stick[i], "creep after 10 s", "m/s", 1e-12, length(difference(watch.now[1].position, before)));
    close_watch(judge->context, &watch);
  }
  for (int i = 0; i < 2; i++) {
    Watch watch;
    TRY(open_judged(judge, slip[i], 0.01, &watch));
    run_watch(&watch, watch.scene.run.until);
    // a = g (sin - mu' cos) gives the coefficient mu' that acted
    double slope = atan(1.01 * 0.5), a = length(watch.now[1].velocity) / watch.t;
    double acted = tan(slope) - a / (GRAVITY * cos(slope));
    tell(judge, &watch, slip[i], "error of friction", "of mu", 1e-8, fabs(acted / 0.5 - 1));
    close_watch(judge->context, &watch);
  }
  return ASP_OK;
}

/* A box thrown flat: how far it goes, by how much it lifts. */
static AspError judge_stop(const Judge *judge, const char *name, double exact, double until, double asked,
                           double lift_asked, double *way) {
  Watch watch;
  TRY(open_judged(judge, name, 0.01, &watch));
  double lift = 0;
  while (step_watch(&watch, until))
    lift = fmax(lift, fabs(watch.now[1].position.z - watch.start[1].position.z));
  AspVec3 moved = difference(watch.now[1].position, watch.start[1].position);
  *way = watch.failed ? (double)NAN : hypot(moved.x, moved.y);
  tell(judge, &watch, name, "error of the stopping distance", "m", asked, fabs(*way - exact));
  tell(judge, &watch, name, "lift-off", "m", lift_asked, lift);
  close_watch(judge->context, &watch);
  return ASP_OK;
}

static AspError judge_s3(const Judge *judge) {
  static const char *const names[] = {"box_stops_dir0", "box_stops_dir30", "box_stops_dir45"};
  double way[3];
  for (int i = 0; i < 3; i++) // O(h): what it goes in the last moving step, mu g h^2 / 2
    TRY(judge_stop(judge, names[i], 9 / (GRAVITY), 2, 0.5 * 0.5 * GRAVITY * 1e-4, 1e-9, &way[i]));
  double most = fmax(fmax(way[0], way[1]), way[2]), least = fmin(fmin(way[0], way[1]), way[2]);
  tell(judge, NULL, "box_stops", "difference between directions", "m", 1e-9,
       isnan(way[0] + way[1] + way[2]) ? (double)NAN : most - least);
  return ASP_OK;
}

static AspError judge_s4(const Judge *judge) {
  static const char *const names[] = {"stack_of_ten", "stack_heavy_top"};
  for (int i = 0; i < 2; i++) {
    Watch watch;
    TRY(open_judged(judge, names[i], 0.01, &watch));
    double drift = 0, overlap = 0;
    while (step_watch(&watch, 10))
      for (int body = 1; body < watch.bodies; body++) {
        double below = body > 1 ? watch.now[body - 1].position.z + 0.5 : 0;
        overlap = fmax(overlap, below - (watch.now[body].position.z - 0.5));
        drift = fmax(drift, length(difference(watch.now[body].position, watch.start[body].position)));
      }
    tell(judge, &watch, names[i], "drift in 10 s", "m", 1e-6, drift);
    tell(judge, &watch, names[i], "penetration", "m", 1e-6, overlap);
    close_watch(judge->context, &watch);
  }
  return ASP_OK;
}

static AspError judge_s5(const Judge *judge) {
  static const char *const settled_text[] = {"settling time error, h = 0.01", "settling time error, h = 0.001",
                                             "settling time error, h = 1e-4"},
                           *const height_text[] = {"bounce heights, h = 0.01", "bounce heights, h = 0.001",
                                                   "bounce heights, h = 1e-4"};
  double h = 0.01;
  for (int i = 0; i < 3; i++, h *= 0.1) {
    Watch watch;
    TRY(open_judged(judge, "bouncing_ball", h, &watch));
    double settled = 0, last = 0, error = 0, top = 0;
    int bounces = 0;
    while (step_watch(&watch, 6)) {
      double height = watch.now[1].position.z - 0.1, speed = watch.now[1].velocity.z;
      if (fabs(speed) > 1e-4)
        settled = watch.t;
      top = speed > 0 ? height : fmax(top, height);
      if (last > 0 && speed <= 0 && ++bounces <= 4)
        error = fmax(error, fabs(top - pow(0.64, bounces)));
      last = speed;
    }
    if (bounces < 4)
      error = 1;
    tell(judge, &watch, "bouncing_ball", settled_text[i], "s", 20 * h, fabs(settled - 9 * sqrt(2 / GRAVITY)));
    tell(judge, &watch, "bouncing_ball", height_text[i], "m", 2 * h, error);
    close_watch(judge->context, &watch);
  }
  return ASP_OK;
}

static AspError judge_s6(const Judge *judge) {
  Watch watch;
  TRY(open_judged(judge, "painleve_rod", 0.01, &watch));
  double error = INFINITY;
  while (step_watch(&watch, 0.02)) {
    AspVec3 impulse = difference(watch.now[1].velocity, watch.start[1].velocity);
    error = fmin(error, hypot(impulse.x - 7.0 / 16, impulse.z + 1 * watch.t - 3 * sqrt(3) / 16));
  }
  tell(judge, &watch, "painleve_rod", "error of the impulse", "N s", 0.9 * 0.01, error);
  close_watch(judge->context, &watch);
  return ASP_OK;
}

static AspError judge_s8(const Judge *judge) {
  Watch watch;
  TRY(open_judged(judge, "ladder_stands", 0.01, &watch));
  run_watch(&watch, watch.scene.run.until);
  tell(judge, &watch, "ladder_stands", "way of the ladder that stands", "m", 1e-7,
       length(difference(watch.now[1].position, watch.start[1].position)));
  close_watch(judge->context, &watch);
  TRY(open_judged(judge, "ladder_falls", 0.01, &watch));
  run_watch(&watch, watch.scene.run.until);
  tell(judge, &watch, "ladder_falls", "height of the ladder that falls", "m", 0.5, watch.now[1].position.z);
  close_watch(judge->context, &watch);
  return ASP_OK;
}

static AspError judge_pinch(const Judge *judge) {
  static const char *const names[] = {"pinch_12", "pinch_60"};
  for (int i = 0; i < 2; i++) {
    Watch watch;
    TRY(open_judged(judge, names[i], 0.01, &watch));
    run_watch(&watch, 60);
    tell(judge, &watch, names[i], "creep over 60 s", "m/s", 1e-9,
         length(difference(watch.now[3].position, watch.start[3].position)) / 60);
    close_watch(judge->context, &watch);
  }
  return ASP_OK;
}

AspError peer_judge(AspContext *context, const char *folder, const PeerEngine *engine,
                    void (*tell_measure)(void *user, const PeerMeasure *measure), void *user) {
  Judge judge = {context, folder, engine, tell_measure, user};
  double way;
  TRY(judge_s1(&judge));
  TRY(judge_s2(&judge));
  TRY(judge_s3(&judge));
  TRY(judge_s4(&judge));
  TRY(judge_s5(&judge));
  TRY(judge_s6(&judge));
  TRY(judge_s8(&judge));
  TRY(judge_stop(&judge, "flat_cube", 36 / GRAVITY, 2, 0.5 * 0.5 * GRAVITY * 1e-4, 1e-9, &way));
  return judge_pinch(&judge);
}
