/* Resolved, beside certified. The certificate says that the laws of a step were solved. It does not say that the step
 * was short enough, nor that the state meets the model. Each row of the table below measures one way in which a run of
 * certified steps goes wrong, as a number without unit, and compares it with a threshold (option `resolution`):
 *
 *   joint_drift, limit, penetration, passage   errors of positions, of the smaller body's size
 *   turn, toggling                             steps too long for the motion, or for the load
 *   momentum, energy, impact_gain              errors of velocities, summed since the start
 *   impact_order                               impacts that came one after the other, and are one in the step
 *   lag                                        way that a scheme of first order adds
 *
 * A step is resolved when it exceeds none. Sums stay with the run: where one is exceeded, what follows is not trusted.
 * docs/theory/resolution.md derives the thresholds.
 */
#include "world/resolution.h"
#include "base/disjoint_sets.h"
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "world/tuning/resolution.h"

#include <math.h>
#include <stdio.h>

typedef struct MeasureRow {
  const char *name, *text, *remedy;
} MeasureRow;

static const MeasureRow rows[ASP_MEASURE_COUNT] = {
    [ASP_MEASURE_JOINT_DRIFT] =
        {"joint_drift", "joints of a mechanism apart, in sum, of the smaller body's size and half its way, or rad",
         "shorter steps (dt); large mass ratios and fast swings need them"},
    [ASP_MEASURE_LIMIT] = {"limit", "limits passed, of the smaller body's size and half its way, or rad",
                           "shorter steps (dt), or a slower approach"},
    [ASP_MEASURE_PENETRATION] = {"penetration", "overlap, of the smaller body's size",
                                 "shorter steps (dt); at the start: place the bodies apart"},
    [ASP_MEASURE_PASSAGE] = {"passage", "overlap between start and end of a step, of the thinner shape's width",
                             "shorter steps (dt); prescribed motions must not jump"},
    [ASP_MEASURE_TURN] = {"turn", "rotation of a joint's arms and axes in one step, rad", "shorter steps (dt)"},
    [ASP_MEASURE_TOGGLING] = {"toggling", "steps in which a loaded contact or limit gives no force, share",
                              "shorter steps (dt), or another scheme: forces in single steps are not to be trusted"},
    [ASP_MEASURE_MOMENTUM] = {"momentum", "momentum unaccounted, of what flowed so far", "shorter steps (dt)"},
    [ASP_MEASURE_ENERGY] = {"energy", "energy unaccounted, of what flowed so far, or velocities that it makes late",
                            "shorter steps (dt), or another scheme"},
    [ASP_MEASURE_IMPACT_GAIN] = {"impact_gain", "energy gained in impacts, of what flowed so far",
                                 "\"impact\": \"poisson\", or less restitution: Newton's law with friction can gain"},
    [ASP_MEASURE_IMPACT_ORDER] =
        {"impact_order", "energy of impacts that the step does not tell apart, of the largest kinetic energy so far",
         "shorter steps (dt), or the scheme event-driven: a corner that lands first turns the body, a spring passes a "
         "blow on"},
    [ASP_MEASURE_LAG] = {"lag", "way that the scheme's first order adds, of the body's size and half its way, or rad",
                         "shorter steps (dt), or a scheme of second order (moreau-jean)"},
};

const char *asp_measure_name(AspMeasure measure) {
  return (unsigned)measure < ASP_MEASURE_COUNT ? rows[measure].name : "unknown";
}
const char *asp_measure_text(AspMeasure measure) {
  return (unsigned)measure < ASP_MEASURE_COUNT ? rows[measure].text : "";
}
const char *asp_measure_remedy(AspMeasure measure) {
  return (unsigned)measure < ASP_MEASURE_COUNT ? rows[measure].remedy : "";
}

/* ---- life cycle ---- */

/* A body's size: how far its shapes, joints and forces reach from its centre of mass, at least its radius of
 * gyration. */
static void grow_to_point(const StepView *view, double *size, int body, AspVec3 point) {
  if (body >= 0)
    size[body] = fmax(size[body], norm3(sub3(point, asp_state_pose(view->model, view->state, body).position)));
}

static void find_sizes(const StepView *view, double *size, double *spin) {
  const AspModel *model = view->model;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int beam = asp_model_station_beam(model, body, NULL);
    size[body] = fmax(view->geometry->body_radius[body], beam >= 0 ? asp_model_beam_def(model, beam)->length : 0);
    if (!view->geometry->body_free[body] || asp_model_body_dof(model, body) < 0)
      continue;
    AspMat3 J = asp_model_body_inertia(model, body);
    double mass = asp_model_body_mass(model, body);
    spin[body] = fmax(fmax(J.m[0], J.m[4]), J.m[8]);
    size[body] = fmax(size[body], mass > 0 ? sqrt(spin[body] / mass) : 0);
  }
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    grow_to_point(view, size, def->body_a, def->point);
    grow_to_point(view, size, def->body_b, def->kind == ASP_JOINT_DISTANCE ? def->point_b : def->point);
  }
}

/* Bodies whose answer to an impulse is not theirs alone: in joints, and stations of beams. */
static void find_jointed(const AspModel *model, bool *jointed) {
  for (int body = 0; body < asp_model_body_count(model); body++)
    jointed[body] = asp_model_station_beam(model, body, NULL) >= 0;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    jointed[def->body_a] = jointed[def->body_a] || asp_model_body_is_free(model, def->body_a);
    jointed[def->body_b] = jointed[def->body_b] || asp_model_body_is_free(model, def->body_b);
  }
}

/* Joints whose bodies are connected by joints; bodies that forces do not move connect nothing. */
static AspError find_mechanisms(Resolution *resolution, const StepView *view) {
  const AspModel *model = view->model;
  int bodies = asp_model_body_count(model), joints = asp_model_joint_count(model);
  int *parent = asp_allocate(view->context, (size_t)bodies, sizeof *parent);
  int *number = asp_allocate(view->context, (size_t)bodies, sizeof *number);
  if (parent && number) {
    asp_sets_begin(bodies, parent);
    for (int joint = 0; joint < joints; joint++)
      asp_joint_unite(model, joint, parent);
    for (int body = 0; body < bodies; body++)
      number[body] = -1;
    for (int joint = 0, count = 0; joint < joints; joint++) {
      const AspJointDef *def = asp_model_joint_def(model, joint);
      int set = asp_set_of(parent, view->geometry->body_free[def->body_b] ? def->body_b : def->body_a);
      number[set] = number[set] < 0 ? count++ : number[set];
      resolution->mechanism[joint] = number[set];
    }
  }
  AspError error = parent && number ? ASP_OK : ASP_ERROR_MEMORY;
  asp_release(view->context, parent);
  asp_release(view->context, number);
  return error;
}

/* Where a measure says nothing: schemes that integrate smooth motion under error control do not depend on the step;
 * springs in place of contacts overlap by design. */
static bool applies(AspMeasure measure, const AspModel *model, const AspSchemeType *scheme) {
  bool joints = asp_model_joint_count(model) > 0, shapes = asp_model_shape_count(model) > 1, limits = false;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    limits = limits || isfinite(def->limit_low) || isfinite(def->limit_high);
  }
  switch (measure) {
  case ASP_MEASURE_JOINT_DRIFT:
    return joints;
  case ASP_MEASURE_LIMIT:
    return limits && !scheme->no_impacts;
  case ASP_MEASURE_PENETRATION:
    return shapes && !scheme->no_impacts;
  case ASP_MEASURE_PASSAGE:
    return shapes;
  case ASP_MEASURE_TURN:
    return joints && !scheme->integrate;
  case ASP_MEASURE_TOGGLING:
    return (shapes || limits) && !scheme->integrate;
  case ASP_MEASURE_IMPACT_GAIN:
    return (shapes || limits) && !scheme->no_impacts;
  case ASP_MEASURE_IMPACT_ORDER:
    return (shapes || limits) && scheme->meet;
  case ASP_MEASURE_LAG:
    return scheme->mean_velocities && asp_model_dof_count(model) > 0;
  default:
    return asp_model_dof_count(model) > 0;
  }
}

AspError asp_resolution_create(Resolution *resolution, const StepView *view, const AspSchemeType *scheme) {
  const AspModel *model = view->model;
  const AspRunOptions *options = view->options;
  const double threshold[ASP_MEASURE_COUNT] = {
#define ASP_MEASURE_OPTION(code, name, option) options->option,
      ASP_MEASURE_LIST(ASP_MEASURE_OPTION)
#undef ASP_MEASURE_OPTION
  };
  for (int i = 0; i < ASP_MEASURE_COUNT; i++)
    resolution->table[i] = (AspMeasured){.applies = applies((AspMeasure)i, model, scheme),
                                         .threshold = threshold[i],
                                         .t = view->state->t,
                                         .joint = -1,
                                         .body_a = -1,
                                         .body_b = -1};
  resolution->start = view->state->t;
  resolution->gain_a = resolution->gain_b = -1;
  resolution->size = asp_allocate(view->context, (size_t)asp_model_body_count(model), sizeof *resolution->size);
  resolution->way = asp_allocate(view->context, (size_t)asp_model_body_count(model), sizeof *resolution->way);
  resolution->spin = asp_allocate(view->context, (size_t)asp_model_body_count(model), sizeof *resolution->spin);
  resolution->missed.pace =
      asp_allocate(view->context, (size_t)asp_model_body_count(model), sizeof *resolution->missed.pace);
  if (!resolution->size || !resolution->way || !resolution->spin || !resolution->missed.pace)
    return ASP_ERROR_MEMORY;
  size_t joints = (size_t)asp_model_joint_count(model);
  resolution->jointed = asp_allocate(view->context, (size_t)asp_model_body_count(model), sizeof *resolution->jointed);
  resolution->mechanism = asp_allocate(view->context, joints, sizeof *resolution->mechanism);
  resolution->apart = asp_allocate(view->context, joints, sizeof *resolution->apart);
  if (!resolution->jointed || !resolution->mechanism || !resolution->apart)
    return ASP_ERROR_MEMORY;
  find_jointed(model, resolution->jointed);
  find_sizes(view, resolution->size, resolution->spin);
  ASP_TRY(find_mechanisms(resolution, view));
  resolution->kinetic_most = asp_model_energy(model, view->state).kinetic;
  ASP_TRY(asp_state_create_on(view->context, model, &resolution->last));
  asp_state_copy(model, view->state, &resolution->last);
  ASP_TRY(asp_loads_create(&resolution->loads, view->context, model));
  if (resolution->table[ASP_MEASURE_LAG].applies)
    ASP_TRY(asp_lag_create(resolution, view));
  return resolution->table[ASP_MEASURE_PASSAGE].applies ? asp_passage_create(&resolution->passage, view) : ASP_OK;
}

void asp_resolution_destroy(Resolution *resolution, AspContext *context) {
  asp_release(context, resolution->size);
  asp_release(context, resolution->way);
  asp_release(context, resolution->spin);
  asp_release(context, resolution->missed.pace);
  asp_release(context, resolution->jointed);
  asp_release(context, resolution->mechanism);
  asp_release(context, resolution->apart);
  asp_release(context, resolution->lag);
  asp_state_destroy_on(context, &resolution->last);
  asp_loads_destroy(&resolution->loads, context);
  asp_passage_destroy(&resolution->passage, context);
}

AspError asp_resolution_reserve(Resolution *resolution, const StepView *view, int contacts) {
  if (resolution->passage.collision)
    ASP_TRY(asp_collision_reserve(resolution->passage.collision, asp_model_shape_count(view->model), contacts));
  return asp_loads_reserve(&resolution->loads, view->context, contacts);
}

void asp_resolution_miss(Resolution *resolution, double impulse) { resolution->loads.missed += impulse; }

void asp_resolution_forgive(Resolution *resolution, double energy) {
  resolution->missed.sum -= energy;
  resolution->missed.carried -= energy;
}

double asp_resolution_size(const Resolution *resolution, const StepView *view, int body_a, int body_b) {
  double a = view->geometry->body_free[body_a] ? resolution->size[body_a] : 0,
         b = view->geometry->body_free[body_b] ? resolution->size[body_b] : 0;
  return fmin(a > 0 ? a : INFINITY, b > 0 ? b : INFINITY);
}

/* Allowed is a share of 2 size + way. A long way excuses no more than so many sizes. */
static double length_of(const Resolution *resolution, const StepView *view, int body) {
  double size = resolution->size[body];
  if (!view->geometry->body_free[body] || !(size > 0))
    return INFINITY;
  return fmin(size + 0.5 * resolution->way[body], RESOLUTION_FAR * size);
}

double asp_resolution_length(const Resolution *resolution, const StepView *view, int body_a, int body_b) {
  return fmin(length_of(resolution, view, body_a), length_of(resolution, view, body_b));
}

static void add_ways(Resolution *resolution, const StepView *view) {
  for (int body = 0; body < asp_model_body_count(view->model); body++)
    resolution->way[body] += norm3(sub3(asp_body_position(view->model, view->state, body),
                                        asp_body_position(view->model, &resolution->last, body)));
}

/* ---- the verdict ---- */

const char *asp_measure_place(const AspModel *model, const AspMeasured *measured, char *text, size_t size) {
  if (measured->joint >= 0)
    snprintf(text, size, "joint %s", asp_model_joint_name(model, measured->joint));
  else if (measured->body_a >= 0 && measured->body_b >= 0)
    snprintf(text, size, "%s and %s", asp_model_body_name(model, measured->body_a),
             asp_model_body_name(model, measured->body_b));
  else if (measured->body_a >= 0)
    snprintf(text, size, "%s", asp_model_body_name(model, measured->body_a));
  else
    snprintf(text, size, "%s", "all bodies");
  return text;
}

/* Name a measure the first time it is exceeded. */
static AspError report(const StepView *view, Warnings *warnings, AspMeasure measure, const AspMeasured *here) {
  char place[256];
  return asp_warn_few(warnings, WARNING_UNRESOLVED, measure, 1, NULL,
                      "not resolved from t = %g s (step %lld): %s = %.3g, threshold %g, %s (%s); %s", here->t,
                      (long long)view->clock->step, rows[measure].name, here->worst, here->threshold,
                      asp_measure_place(view->model, here, place, sizeof place), rows[measure].text,
                      rows[measure].remedy);
}

static AspError judge_measure(Resolution *resolution, const StepView *view, Warnings *warnings, AspMeasure measure,
                              const MeasuredNow *now, AspStepInfo *info) {
  AspMeasured *measured = &resolution->table[measure];
  info->measure[measure] = measured->applies ? now->value : NAN;
  if (!measured->applies)
    return ASP_OK;
  if (now->value > measured->worst || isnan(now->value) || measured->steps + info->step == 1) {
    measured->worst = now->value;
    measured->t = info->t;
    measured->joint = now->joint;
    measured->body_a = now->body_a;
    measured->body_b = now->body_b;
  }
  if (measured->threshold == 0 || now->value <= measured->threshold)
    return ASP_OK;
  measured->steps += resolution->counted[measure] != info->step;
  resolution->counted[measure] = info->step;
  info->resolved = false;
  return report(view, warnings, measure, measured);
}

bool asp_resolution_is_apart(const Resolution *resolution, const StepView *view) {
  const AspMeasured *measured = &resolution->table[ASP_MEASURE_JOINT_DRIFT];
  MeasuredNow drift = {0, -1, -1, -1};
  if (!measured->applies || measured->threshold == 0)
    return false;
  asp_measure_drift(resolution, view, &drift);
  return drift.value > measured->threshold;
}

AspError asp_resolution_judge(Resolution *resolution, const StepView *view, const StepRecords *records,
                              const AspSchemeType *scheme, Warnings *warnings, AspStepInfo *info) {
  MeasuredNow now[ASP_MEASURE_COUNT];
  StepJudged step = {view, records, scheme, info};
  for (int i = 0; i < ASP_MEASURE_COUNT; i++)
    now[i] = (MeasuredNow){0, -1, -1, -1};
  add_ways(resolution, view);
  ASP_TRY(asp_loads_note(resolution, &step, &now[ASP_MEASURE_TOGGLING]));
  asp_measure_joints(resolution, &step, &now[ASP_MEASURE_JOINT_DRIFT], &now[ASP_MEASURE_LIMIT], &now[ASP_MEASURE_TURN]);
  asp_measure_penetration(resolution, &step, &now[ASP_MEASURE_PENETRATION]);
  asp_measure_balance(resolution, &step, &now[ASP_MEASURE_ENERGY], &now[ASP_MEASURE_MOMENTUM],
                      &now[ASP_MEASURE_IMPACT_GAIN]);
  if (resolution->table[ASP_MEASURE_IMPACT_ORDER].applies)
    asp_measure_impact_order(resolution, &step, &now[ASP_MEASURE_IMPACT_ORDER]);
  if (resolution->lag)
    asp_measure_lag(resolution, &step, &now[ASP_MEASURE_LAG]);
  if (resolution->table[ASP_MEASURE_PASSAGE].applies)
    ASP_TRY(asp_passage_measure(resolution, &step, &now[ASP_MEASURE_PASSAGE]));
  info->resolved = true;
  for (int i = 0; i < ASP_MEASURE_COUNT; i++)
    ASP_TRY(judge_measure(resolution, view, warnings, (AspMeasure)i, &now[i], info));
  asp_state_copy(view->model, view->state, &resolution->last);
  return ASP_OK;
}

static void archive_sums(Resolution *resolution, AspArchive *archive) {
  ASP_ARCHIVE(archive, resolution->start);
  ASP_ARCHIVE(archive, resolution->kinetic_most);
  ASP_ARCHIVE(archive, resolution->flowed);
  ASP_ARCHIVE(archive, resolution->missed.sum);
  ASP_ARCHIVE(archive, resolution->missed.carried);
  ASP_ARCHIVE(archive, resolution->missed.late);
  ASP_ARCHIVE(archive, resolution->gained);
  ASP_ARCHIVE(archive, resolution->gain_a);
  ASP_ARCHIVE(archive, resolution->gain_b);
  ASP_ARCHIVE(archive, resolution->linear_most);
  ASP_ARCHIVE(archive, resolution->angular_most);
  ASP_ARCHIVE(archive, resolution->pushed);
  ASP_ARCHIVE(archive, resolution->turned);
  ASP_ARCHIVE(archive, resolution->path);
  ASP_ARCHIVE(archive, resolution->momentum);
  ASP_ARCHIVE(archive, resolution->counted);
}

AspError asp_resolution_archive(Resolution *resolution, const AspModel *model, AspArchive *archive) {
  for (int i = 0; i < ASP_MEASURE_COUNT; i++) { // whether it applies, and its threshold, are of the options
    AspMeasured *measured = &resolution->table[i];
    ASP_ARCHIVE(archive, measured->worst);
    ASP_ARCHIVE(archive, measured->t);
    ASP_ARCHIVE(archive, measured->joint);
    ASP_ARCHIVE(archive, measured->body_a);
    ASP_ARCHIVE(archive, measured->body_b);
    ASP_ARCHIVE(archive, measured->steps);
  }
  asp_state_archive(archive, model, &resolution->last);
  ASP_ARCHIVE_ARRAY(archive, resolution->way, asp_model_body_count(model));
  ASP_ARCHIVE_ARRAY(archive, resolution->missed.pace, asp_model_body_count(model));
  if (resolution->lag)
    ASP_ARCHIVE_ARRAY(archive, resolution->lag, asp_model_body_count(model));
  archive_sums(resolution, archive);
  return asp_loads_archive(&resolution->loads, model, archive);
}
