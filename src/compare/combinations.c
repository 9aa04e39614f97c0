/* asp_compare: which combinations of scheme, friction model and solver there are, each run in turn and held against the
 * first one of its scheme. */
#include "asperity/compare.h"
#include "base/base.h"
#include "base/elementary.h"
#include "compare/tuning/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COOKIE UINT32_C(0x61c03a7e)

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

static AspError list_rows(AspContext *context, const AspRunOptions *run, AspComparison *found) {
  int most = 0;
  for (int c = 0; c < CHOICE_COUNT; c++)
    most += choices[c].count;
  found->row = asp_allocate(context, (size_t)(ASP_SCHEME_COUNT * most), sizeof *found->row);
  if (!found->row)
    return ASP_ERROR_MEMORY;
  for (int scheme = 0; scheme < ASP_SCHEME_COUNT; scheme++)
    for (int c = 0; c < CHOICE_COUNT; c++)
      for (int m = 0; m < choices[c].count; m++) {
        if (!applies(scheme, choices[c].cone, choices[c].methods[m]))
          continue;
        AspCompareRow *row = &found->row[found->count++];
        row->state = ASP_COMPARE_SKIPPED;
        row->options = *run;
        row->options.scheme = scheme;
        row->options.retry = false; // compare the method itself, without retries
        row->options.cone = (int)choices[c].cone;
        row->options.method = (int)choices[c].methods[m];
        // a circumscribed polygon has pairs of edges
        if (choices[c].cone == ASP_CONE_CIRCUMSCRIBED)
          row->options.directions += row->options.directions % 2;
      }
  return ASP_OK;
}

/* ---- the track of the first row ---- */

/* Positions of all bodies, step by step, of the first row of a scheme. */
typedef struct Track {
  double *position; /* 3 per body and step */
  int bodies;
  int64_t steps;
  size_t capacity; /* numbers */
} Track;

static AspError track_append(AspContext *context, Track *track, const AspModel *model, const AspState *state) {
  size_t width = 3 * (size_t)track->bodies;
  ASP_TRY(ASP_GROW(context, track->position, track->capacity, width * ((size_t)track->steps + 1) + 1));
  double *to = track->position + width * (size_t)track->steps++;
  for (int body = 0; body < track->bodies; body++) {
    AspVec3 at = asp_state_pose(model, state, body).position;
    memcpy(to + 3 * body, (double[]){at.x, at.y, at.z}, 3 * sizeof *to);
  }
  return ASP_OK;
}

/* Largest distance of a body from the track after `step` steps; NaN beyond its end. */
static double track_distance(const Track *track, const AspModel *model, const AspState *state, int64_t step) {
  double largest = 0;
  if (step > track->steps)
    return NAN;
  const double *from = track->position + 3 * (size_t)track->bodies * (size_t)(step - 1);
  for (int body = 0; body < track->bodies; body++) {
    AspVec3 at = asp_state_pose(model, state, body).position;
    double away = asp_hypot(asp_hypot(at.x - from[3 * body], at.y - from[3 * body + 1]), at.z - from[3 * body + 2]);
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
    size = fmax(size, asp_hypot(asp_hypot(at.x, at.y), at.z));
  }
  return size > 0 ? size : 1;
}

static double height(const AspModel *model, const AspState *state, int body) {
  AspVec3 g = asp_model_gravity(model), at = asp_state_pose(model, state, body).position;
  double strength = asp_hypot(asp_hypot(g.x, g.y), g.z);
  return strength > 0 ? -(g.x * at.x + g.y * at.y + g.z * at.z) / strength : 0;
}

typedef struct Observation {
  const AspModel *model;
  double *start; /* heights at the start, one per body */
  double size;
  double before; /* difference after the step before */
} Observation;

static void observe(Observation *seen, const AspWorld *world, const AspStepInfo *info, Track *track, bool first,
                    AspCompareRow *row) {
  const AspState *state = asp_world_state(world);
  for (int body = 0; body < track->bodies; body++)
    row->rise = fmax(row->rise, height(seen->model, state, body) - seen->start[body]);
  double difference = first ? 0 : track_distance(track, seen->model, state, info->step);
  if (isnan(difference))
    return;
  double none = COMPARE_SAME_FACTOR * row->options.tolerance * seen->size;
  if (row->relation == ASP_RELATION_SAME && difference > none) {
    bool jumped = difference > COMPARE_BRANCH_FACTOR * fmax(seen->before, row->options.tolerance * seen->size);
    row->relation = row->summary.steps_uncertified > 0 ? ASP_RELATION_MISSED
                    : jumped                           ? ASP_RELATION_BRANCH
                                                       : ASP_RELATION_DRIFT;
    row->parted = info->t;
  }
  seen->before = row->difference = difference;
}

static void refuse(AspCompareRow *row, const AspContext *context) {
  row->state = ASP_COMPARE_REFUSED;
  snprintf(row->message, sizeof row->message, "%s", asp_context_message(context));
}

/* The time of a row, and the caller's own wish to stop. */
typedef struct Limit {
  AspStop outer;
  bool stopped; /* by the caller */
  double until; /* on the clock */
} Limit;

static bool is_over(void *user) {
  Limit *limit = user;
  limit->stopped = limit->stopped || (limit->outer.ask && limit->outer.ask(limit->outer.user));
  return limit->stopped || asp_clock_seconds() > limit->until;
}

static AspError make_steps(AspContext *context, AspWorld *world, Observation *seen, Track *track, bool first,
                           Limit *limit, AspCompareRow *row) {
  while (!asp_world_at_end(world)) {
    AspStepInfo info;
    AspError error = is_over(limit) ? ASP_ERROR_INTERRUPTED : asp_world_step(world, &info);
    if (error == ASP_ERROR_INTERRUPTED) {
      row->state = ASP_COMPARE_CUT;
      return limit->stopped ? error : ASP_OK;
    }
    if (error != ASP_OK) {
      refuse(row, context);
      return error == ASP_ERROR_MEMORY ? error : ASP_OK;
    }
    asp_run_summary_add(&row->summary, &info);
    if (first)
      ASP_TRY(track_append(context, track, seen->model, asp_world_state(world)));
    observe(seen, world, &info, track, first, row);
  }
  row->state = ASP_COMPARE_DONE;
  return ASP_OK;
}

static AspError run_world(AspContext *context, AspWorld *world, Track *track, bool first, Limit *limit,
                          AspCompareRow *row) {
  const AspModel *model = asp_world_model(world);
  track->bodies = asp_model_body_count(model);
  Observation seen = {.model = model,
                      .start = asp_allocate(context, (size_t)track->bodies + 1, sizeof *seen.start),
                      .size = size_of(model, asp_world_state(world))};
  if (!seen.start)
    return ASP_ERROR_MEMORY;
  double began = asp_clock_seconds();
  limit->until += began;
  asp_run_summary_start(&row->summary, world);
  for (int body = 0; body < track->bodies; body++)
    seen.start[body] = height(model, asp_world_state(world), body);
  asp_context_set_stop(context, is_over, limit);
  AspError error = make_steps(context, world, &seen, track, first, limit, row);
  asp_context_set_stop(context, limit->outer.ask, limit->outer.user);
  row->wall = asp_clock_seconds() - began;
  asp_release(context, seen.start);
  return error;
}

/* The first row of a scheme writes the track, the others are held against it. */
static AspError run_row(AspContext *context, const AspModel *model, double seconds, Track *track, AspCompareRow *row) {
  AspWorld *world = NULL;
  bool first = track->position == NULL;
  bool polygon = row->options.cone == ASP_CONE_INSCRIBED || row->options.cone == ASP_CONE_CIRCUMSCRIBED;
  bool same_law = row->options.cone == ASP_CONE_EXACT || (polygon && asp_model_dimension(model) == 2);
  row->relation = first ? ASP_RELATION_REFERENCE : same_law ? ASP_RELATION_SAME : ASP_RELATION_OTHER_LAW;
  if (asp_run_validate(context, &row->options) != ASP_OK ||
      asp_world_create(context, model, &row->options, &world) != ASP_OK) {
    refuse(row, context);
    return ASP_OK;
  }
  Limit limit = {.outer = asp_context_stop(context), .until = seconds};
  AspError error = run_world(context, world, track, first, &limit, row);
  asp_world_destroy(world);
  return error;
}

/* ---- all rows ---- */

static AspError run_rows(AspContext *context, const AspModel *model, const AspCompareOptions *options,
                         AspComparison *found, Track *track) {
  AspScheme scheme = ASP_SCHEME_COUNT; // none yet
  for (int i = 0; i < found->count; i++) {
    AspCompareRow *row = &found->row[i];
    char text[80];
    if (row->options.scheme != scheme) { // the first row of a scheme is the others' reference
      scheme = row->options.scheme;
      asp_release(context, track->position);
      *track = (Track){0};
    }
    snprintf(text, sizeof text, "%s, %s, %s", asp_scheme_names[scheme], asp_cone_kind_names[row->options.cone],
             asp_method_names[row->options.method]);
    if (options->progress)
      options->progress(options->progress_user, (double)i / found->count, text);
    if (asp_stop_is_asked(context))
      return ASP_ERROR_INTERRUPTED;
    ASP_TRY(run_row(context, model, options->row_time, track, row));
  }
  return ASP_OK;
}

AspCompareOptions asp_compare_default_options(void) {
  return (AspCompareOptions){.cookie = COOKIE, .row_time = COMPARE_ROW_TIME};
}

AspError asp_compare(AspContext *context, const AspModel *model, const AspRunOptions *run,
                     const AspCompareOptions *options, AspComparison *found) {
  const AspCompareOptions defaults = asp_compare_default_options();
  const AspCompareOptions *chosen = options ? options : &defaults;
  Track track = {0};
  *found = (AspComparison){0};
  if (chosen->cookie != COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "options: take them from asp_compare_default_options()");
  if (!(chosen->row_time > 0) || isinf(chosen->row_time))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "row_time: %g is not a positive number of seconds", chosen->row_time);
  ASP_TRY(asp_run_validate(context, run));
  AspError error = list_rows(context, run, found);
  if (error == ASP_OK)
    error = run_rows(context, model, chosen, found, &track);
  asp_release(context, track.position);
  if (error != ASP_OK && error != ASP_ERROR_INTERRUPTED)
    asp_comparison_destroy(context, found);
  return error;
}

void asp_comparison_destroy(AspContext *context, AspComparison *found) {
  asp_release(context, found->row);
  *found = (AspComparison){0};
}

const char *asp_compare_state_name(AspCompareState state) {
  static const char *const names[ASP_COMPARE_STATES] = {"done", "cut", "refused", "skipped"};
  return ASP_NAME_OF(names, state);
}

const char *asp_compare_relation_name(AspCompareRelation relation) {
  static const char *const names[ASP_RELATION_COUNT] = {"reference", "same", "other law", "branch", "drift", "missed"};
  return ASP_NAME_OF(names, relation);
}
