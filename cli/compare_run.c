/* The combinations of `asperity compare`, each run in turn: see compare.h. */
#include "compare.h"

#include "grow.h"
#include "interrupt.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME_FACTOR   1e3 /* differences up to this many tolerances, in sizes of the motion, are none */
#define BRANCH_FACTOR 1e3 /* a difference that grows by this much in one step is a branch */

/* The methods that solve a friction model; the first one is the default. */
static const AspMethod exact_methods[] = {ASP_METHOD_AUTO, ASP_METHOD_NSGS,   ASP_METHOD_ADMM,
                                          ASP_METHOD_IPM,  ASP_METHOD_NEWTON, ASP_METHOD_ACLM};
static const AspMethod polygon_methods[] = {ASP_METHOD_LEMKE, ASP_METHOD_PGS};
static const AspMethod relaxed_methods[] = {ASP_METHOD_IPM, ASP_METHOD_NEWTON};

typedef struct Choice {
  AspConeKind cone;
  const AspMethod *methods;
  int count;
} Choice;

static const Choice choices[] = {
    {ASP_CONE_EXACT, exact_methods, sizeof exact_methods / sizeof *exact_methods},
    {ASP_CONE_INSCRIBED, polygon_methods, sizeof polygon_methods / sizeof *polygon_methods},
    {ASP_CONE_CIRCUMSCRIBED, polygon_methods, sizeof polygon_methods / sizeof *polygon_methods},
    {ASP_CONE_RELAXED, relaxed_methods, sizeof relaxed_methods / sizeof *relaxed_methods}};
#define CHOICE_COUNT ((int)(sizeof choices / sizeof *choices))

/* Schemes with one friction model, or without contact problems to solve, do not repeat themselves. */
static bool applies(int scheme, AspConeKind cone, AspMethod method) {
  return (cone == ASP_CONE_EXACT || asp_scheme_supports(scheme, ASP_FEATURE_FRICTION_MODELS)) &&
         (method == ASP_METHOD_AUTO || asp_scheme_supports(scheme, ASP_FEATURE_SOLVERS));
}

CompareRow *compare_rows(const AspScene *scene, int *count) {
  int most = 0;
  for (int c = 0; c < CHOICE_COUNT; c++)
    most += choices[c].count;
  CompareRow *rows = calloc((size_t)(ASP_SCHEME_COUNT * most), sizeof *rows);
  *count = 0;
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT && rows; scheme++)
    for (int c = 0; c < CHOICE_COUNT; c++)
      for (int m = 0; m < choices[c].count; m++) {
        if (!applies(scheme, choices[c].cone, choices[c].methods[m]))
          continue;
        CompareRow *row = &rows[*count];
        row->options = scene->run;
        row->options.scheme = scheme;
        row->options.retry = false; // compare the method itself, without retries
        row->options.cone = (int)choices[c].cone;
        row->options.method = (int)choices[c].methods[m];
        // a circumscribed polygon has pairs of edges
        if (choices[c].cone == ASP_CONE_CIRCUMSCRIBED)
          row->options.directions += row->options.directions % 2;
        ++*count;
      }
  return rows;
}

/* ---- the track of the first row ---- */

static bool track_append(CompareTrack *track, const AspModel *model, const AspState *state) {
  size_t bytes = 3 * (size_t)track->bodies * sizeof *track->position;
  if (bytes > 0 && !grow(&track->position, &track->capacity, (size_t)track->steps + 1, bytes))
    return false;
  double *to = track->position + 3 * (size_t)track->bodies * (size_t)track->steps++;
  for (int body = 0; body < track->bodies; body++) {
    AspVec3 at = asp_state_pose(model, state, body).position;
    memcpy(to + 3 * body, (double[]){at.x, at.y, at.z}, 3 * sizeof *to);
  }
  return true;
}

/* Largest distance of a body from the track after `step` steps; NaN beyond its end. */
static double track_distance(const CompareTrack *track, const AspModel *model, const AspState *state, int64_t step) {
  double largest = 0;
  if (step > track->steps)
    return NAN;
  const double *from = track->position + 3 * (size_t)track->bodies * (size_t)(step - 1);
  for (int body = 0; body < track->bodies; body++) {
    AspVec3 at = asp_state_pose(model, state, body).position;
    double away = hypot(hypot(at.x - from[3 * body], at.y - from[3 * body + 1]), at.z - from[3 * body + 2]);
    largest = fmax(largest, away);
  }
  return largest;
}

/* ---- one row ---- */

/* The scale on which differences count: how far bodies are from each other and from the start. */
static double size_of(const AspModel *model, const AspState *state) {
  double size = 0;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspVec3 at = asp_state_pose(model, state, body).position;
    size = fmax(size, hypot(hypot(at.x, at.y), at.z));
  }
  return size > 0 ? size : 1;
}

static double height(const AspModel *model, const AspState *state, int body) {
  AspVec3 g = asp_model_gravity(model), at = asp_state_pose(model, state, body).position;
  double strength = hypot(hypot(g.x, g.y), g.z);
  return strength > 0 ? -(g.x * at.x + g.y * at.y + g.z * at.z) / strength : 0;
}

typedef struct Observation {
  const AspModel *model;
  double *start; /* heights at the start, one per body */
  double size;
  double before; /* difference after the step before */
} Observation;

static void observe(Observation *seen, const AspWorld *world, const AspStepInfo *info, CompareTrack *track, bool first,
                    CompareRow *row) {
  const AspState *state = asp_world_state(world);
  for (int body = 0; body < track->bodies; body++)
    row->rise = fmax(row->rise, height(seen->model, state, body) - seen->start[body]);
  double difference = first ? 0 : track_distance(track, seen->model, state, info->step);
  if (isnan(difference))
    return;
  double none = SAME_FACTOR * row->options.tolerance * seen->size;
  if (row->relation == RELATION_SAME && difference > none) {
    bool jumped = difference > BRANCH_FACTOR * fmax(seen->before, row->options.tolerance * seen->size);
    row->relation = row->summary.run.steps_uncertified > 0 ? RELATION_MISSED
                    : jumped                               ? RELATION_BRANCH
                                                           : RELATION_DRIFT;
    row->parted = info->t;
  }
  seen->before = row->difference = difference;
}

static void refuse(CompareRow *row, const Session *session) {
  row->state = ROW_REFUSED;
  snprintf(row->message, sizeof row->message, "%s", asp_context_message(session->context));
}

/* The time of a row is up, or Ctrl-C was pressed. */
static bool is_over(void *until) { return interrupt_signal() || clock_seconds() > *(const double *)until; }

static bool make_steps(const Session *session, AspWorld *world, Observation *seen, CompareTrack *track, bool first,
                       double until, CompareRow *row) {
  asp_context_set_stop(session->context, is_over, &until);
  while (!asp_world_at_end(world)) {
    AspStepInfo info;
    AspError error = is_over(&until) ? ASP_ERROR_INTERRUPTED : asp_world_step(world, &info);
    if (error == ASP_ERROR_INTERRUPTED) {
      row->state = ROW_CUT;
      return true;
    }
    if (error != ASP_OK) {
      refuse(row, session);
      return true;
    }
    asp_run_summary_add(&row->summary.run, &info);
    if (first && !track_append(track, seen->model, asp_world_state(world)))
      return false;
    observe(seen, world, &info, track, first, row);
  }
  row->state = ROW_DONE;
  return true;
}

void compare_run(const Session *session, const AspScene *scene, CompareRow *row, CompareTrack *track, double seconds) {
  AspWorld *world = NULL;
  bool first = track->position == NULL;
  bool polygon = row->options.cone == ASP_CONE_INSCRIBED || row->options.cone == ASP_CONE_CIRCUMSCRIBED;
  bool same_law = row->options.cone == ASP_CONE_EXACT || (polygon && asp_model_dimension(scene->model) == 2);
  row->relation = first ? RELATION_REFERENCE : same_law ? RELATION_SAME : RELATION_OTHER_LAW;
  if (asp_run_validate(session->context, &row->options) != ASP_OK ||
      asp_world_create(session->context, scene->model, &row->options, &world) != ASP_OK) {
    refuse(row, session);
    return;
  }
  track->bodies = asp_model_body_count(scene->model);
  Observation seen = {.model = scene->model, .start = calloc((size_t)track->bodies + 1, sizeof *seen.start)};
  seen.size = size_of(scene->model, asp_world_state(world));
  double began = clock_seconds();
  asp_run_summary_start(&row->summary.run, world);
  for (int body = 0; body < track->bodies && seen.start; body++)
    seen.start[body] = height(scene->model, asp_world_state(world), body);
  if (!seen.start || !make_steps(session, world, &seen, track, first, began + seconds, row)) {
    row->state = ROW_REFUSED;
    snprintf(row->message, sizeof row->message, "out of memory");
  }
  asp_context_set_stop(session->context, NULL, NULL);
  row->summary.wall = clock_seconds() - began;
  free(seen.start);
  asp_world_destroy(world);
}
