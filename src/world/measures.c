/* Measures of one step for the verdict on its resolution (resolution.c): joints, limits, overlaps, balances. Lengths
 * are divided by the size of the smaller body that forces move, so that no unit matters. */
#include "linalg/vec3.h"
#include "model/joint_motions.h"
#include "world/resolution.h"
#include "world/tuning/resolution.h"

#include <math.h>
#include <string.h>

/* ---- joints ---- */

/* A row's value against the size of the smaller body, or rad. */
static double relative(const RowMotion *row, double value, double size) {
  double off = fabs(value);
  return row->is_length ? (isfinite(size) ? off / size : 0) : off;
}

static double joint_drift(const StepView *view, int joint, double size) {
  RowMotion rows[ASP_JOINT_ROWS_MAX], row;
  AspJet motion;
  double most = 0;
  JointMotions *motions = view->work->motions;
  int count = asp_kept_row_motions(motions, view->model, view->state, joint, rows);
  for (int k = 0; k < count; k++)
    most = fmax(most, relative(&rows[k], rows[k].value, size));
  if (asp_joint_motion(view->model, view->state, joint, view->state->t, &motion) &&
      asp_kept_motion_of_coordinate(motions, view->model, view->state, joint, &row))
    most = fmax(most, relative(&row, row.value - motion.value, size));
  return most;
}

/* How far the coordinate is beyond its limits. */
static double limit_passed(const StepJudged *step, int joint, double size) {
  const AspJointDef *def = asp_model_joint_def(step->view->model, joint);
  double at = step->records->joints[joint].coordinate, past = fmax(def->limit_low - at, at - def->limit_high);
  if (!(past > 0))
    return 0;
  return asp_joint_turns(step->view->model, joint) ? past : isfinite(size) ? past / size : 0;
}

/* Rotation of an arm or axis that turns with a body, in one step. */
static double turned(const StepView *view, int body, AspVec3 arm, double shortest) {
  AspVec3 spin = asp_state_angular_velocity(view->model, view->state, body);
  double length = norm3(arm);
  return length > shortest ? view->work->dt * norm3(cross3(spin, arm)) / length : 0;
}

/* The arms from both centres of mass, and the axis, which is fixed in A; of universal joints the other one, too. */
static double joint_turn(const Resolution *resolution, const StepView *view, int joint) {
  const AspModel *model = view->model;
  const AspJointDef *def = asp_model_joint_def(model, joint);
  AspVec3 axes[3], point = asp_joint_place(model, view->state, joint, axes), z = vec3(0, 0, 1);
  int a = def->body_a, b = def->body_b;
  double most =
      turned(view, b, sub3(point, asp_body_position(model, view->state, b)), RESOLUTION_ARM * resolution->size[b]);
  most = fmax(most, turned(view, a, sub3(point, asp_body_position(model, view->state, a)),
                           RESOLUTION_ARM * resolution->size[a]));
  if (def->kind != ASP_JOINT_SPHERICAL && def->kind != ASP_JOINT_DISTANCE && def->kind != ASP_JOINT_COMPOUND)
    most = fmax(most,
                turned(view, a, asp_model_dimension(model) == 2 && def->kind == ASP_JOINT_REVOLUTE ? z : axes[2], 0));
  if (def->kind == ASP_JOINT_UNIVERSAL)
    most = fmax(most, turned(view, b, asp_joint_axis_of_b(model, view->state, joint), 0));
  return most;
}

void asp_measure_drift(const Resolution *resolution, const StepView *view, MeasuredNow *drift) {
  int joints = asp_model_joint_count(view->model);
  asp_joint_motions_take(view->work->motions, view->model, view->state);
  if (joints > 0)
    memset(resolution->apart, 0, (size_t)joints * sizeof *resolution->apart);
  for (int joint = 0; joint < joints; joint++) {
    const AspJointDef *def = asp_model_joint_def(view->model, joint);
    double apart = joint_drift(view, joint, asp_resolution_length(resolution, view, def->body_a, def->body_b));
    resolution->apart[resolution->mechanism[joint]] += apart;
    asp_measure_worse(drift, apart, joint, def->body_a, def->body_b);
  }
  // a body is off by what all joints between it and its support are apart: the sum, named by the worst of them
  double most = 0;
  for (int i = 0; i < joints; i++)
    most = fmax(most, resolution->apart[i]);
  drift->value = fmax(drift->value, most);
}

void asp_measure_joints(const Resolution *resolution, const StepJudged *step, MeasuredNow *drift, MeasuredNow *limit,
                        MeasuredNow *turn) {
  const StepView *view = step->view;
  bool turns = resolution->table[ASP_MEASURE_TURN].applies;
  asp_measure_drift(resolution, view, drift);
  for (int joint = 0; joint < asp_model_joint_count(view->model); joint++) {
    const AspJointDef *def = asp_model_joint_def(view->model, joint);
    double size = asp_resolution_length(resolution, view, def->body_a, def->body_b);
    asp_measure_worse(limit, limit_passed(step, joint, size), joint, def->body_a, def->body_b);
    if (turns)
      asp_measure_worse(turn, joint_turn(resolution, view, joint), joint, def->body_a, def->body_b);
  }
}

/* ---- overlaps ---- */

/* The length that an overlap is measured by: the smaller body, and no more than a few widths of the thinner shape. */
static double overlap_size(const Resolution *resolution, const StepView *view, const AspContactRecord *contact) {
  const double *thickness = view->geometry->shape_thickness;
  double a = thickness[contact->shape_a], b = thickness[contact->shape_b];
  double thinner = fmin(a > 0 ? a : INFINITY, b > 0 ? b : INFINITY);
  return fmin(asp_resolution_size(resolution, view, contact->body_a, contact->body_b), RESOLUTION_THIN * thinner);
}

void asp_measure_penetration(const Resolution *resolution, const StepJudged *step, MeasuredNow *worst) {
  for (int i = 0; i < step->records->contact_count; i++) {
    const AspContactRecord *contact = &step->records->contacts[i];
    if (contact->gap < 0)
      asp_measure_worse(worst, -contact->gap / overlap_size(resolution, step->view, contact), -1, contact->body_a,
                        contact->body_b);
  }
}

/* ---- balances ---- */

/* Sums over all bodies that forces move. */
typedef struct Scales {
  double linear, angular; /* sizes of momenta, kg m/s, kg m^2/s */
  double shift, turn;     /* m L, kg m; m L^2, kg m^2 */
  double load;            /* force x size, N m */
  double push, push_turn; /* impulses of the step, absolute, N s; times arms, N m s */
  double path;            /* ways in the step x mass, kg m */
  double far;             /* (size + way) / way of the body that its way excuses least, of those with energy */
} Scales;

/* How far E counts for a body with a share of the energy: its own way and size, since a large body of a mechanism does
 * not excuse a small one that went around many times. An error that grows evenly changes the way by half of itself. */
static double excused(const Resolution *resolution, int body, double kinetic) {
  double way = resolution->way[body], size = resolution->size[body];
  if (!(kinetic > RESOLUTION_SHARE * resolution->kinetic_most) || !(way > 0) || !(size > 0))
    return INFINITY;
  return 2 * (fmin(way, RESOLUTION_FAR * size) + size) / way;
}

/* Beams count like bodies of their mass and length that move as fast as their kinetic energy says. */
static void measure_beams(const Resolution *resolution, const StepView *view, Scales *scales) {
  const AspModel *model = view->model;
  double fall = norm3(asp_model_gravity(model)) * view->work->dt, dt = view->work->dt;
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    double m = asp_model_beam_mass(model, beam), L = asp_model_beam_def(model, beam)->length;
    double v = sqrt(2 * asp_beam_kinetic(model, view->state, view->state->v, beam) / m), pushed = m * fall;
    for (int body = 0; body < asp_model_body_count(model); body++)
      pushed += asp_model_station_beam(model, body, NULL) == beam ? resolution->loads.body[body] : 0;
    scales->linear += m * v;
    scales->angular += m * v * L;
    scales->shift += m * L;
    scales->turn += m * L * L;
    scales->load += pushed / dt * L;
    scales->push += pushed;
    scales->push_turn += pushed * (L + v * dt);
    scales->path += m * dt * v;
  }
}

static Scales measure_bodies(const Resolution *resolution, const StepView *view) {
  const AspModel *model = view->model;
  double gravity = norm3(asp_model_gravity(model)), dt = view->work->dt;
  Scales scales = {.far = INFINITY};
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (!view->geometry->body_free[body] || asp_model_body_dof(model, body) < 0)
      continue;
    double m = asp_model_body_mass(model, body), L = resolution->size[body];
    double v = norm3(asp_state_velocity(model, view->state, body)),
           first = norm3(asp_state_velocity(model, view->before, body));
    double w = norm3(asp_state_angular_velocity(model, view->state, body));
    scales.linear += m * v;
    scales.angular += m * v * L + resolution->spin[body] * w;
    scales.shift += m * L;
    scales.turn += m * L * L;
    scales.load += fmax(m * gravity, resolution->loads.body[body] / dt) * L;
    scales.push += resolution->loads.body[body];
    scales.push_turn +=
        resolution->loads.body[body] * (L + fmax(first, v) * dt); // where it acts is known to the way of a step
    scales.path += m * dt * (v + w * L);
    scales.far = fmin(scales.far, excused(resolution, body, 0.5 * (m * v * v + resolution->spin[body] * w * w)));
  }
  measure_beams(resolution, view, &scales);
  return scales;
}

static double total_flow(const AspEnergyFlow *flow) {
  return fabs(flow->motors) + fabs(flow->forces) + fabs(flow->friction) + fabs(flow->impacts) + fabs(flow->joints) +
         fabs(flow->damping);
}

/* Energy that an error is measured by. An error dE of the energy E changes velocities by dE / 2E of themselves, and
 * positions by that share of the path; what a drive gave and what bodies have from it is one E. Allowed is a share of
 * path and size, so that E counts by 1 + size / path, of all bodies and of the least excused one. At rest, an error of
 * e^2/2 force x size moves a body by e of its size at most; so does e^2/2 m (size / time)^2. */
static double energy_scale(const Resolution *resolution, const Scales *scales) {
  double flowed = fmax(resolution->kinetic_most, resolution->flowed);
  double sizes = resolution->path > 0 ? scales->shift / resolution->path : 1;
  double far = fmin(fmin(1, RESOLUTION_FAR * sizes) + sizes, scales->far);
  return flowed * far;
}

/* Time that energy unaccounted makes the motion lose: it changes speeds by dE / 2E of themselves, so that time is lost
 * at that rate. What friction, damping and impacts took of the energy so often is forgotten: motion that is driven
 * against them goes by its drive. */
static void add_late(Resolution *resolution, const AspStepInfo *info, double remainder, double dt, double at_rest) {
  const AspEnergyFlow *flow = &info->flow;
  MissedEnergy *missed = &resolution->missed;
  double taken = fabs(flow->friction) + fabs(flow->impacts) + fabs(flow->damping), most = resolution->kinetic_most;
  double keep = most > 0 ? 1 / (1 + taken / most) : 1, E = fmax(most, resolution->flowed) + at_rest;
  missed->carried = keep * missed->carried + remainder;
  missed->late = keep * missed->late + (E > 0 ? 0.5 * dt * missed->carried / E : 0);
}

/* How a body's velocity changes where its motion is smooth, m/s^2: the least of the last steps, since a jump may be
 * late; 0 where an impact was among them. */
static double smooth_pace(BodyPace *pace, double speed, double changed) {
  double least = changed;
  for (int i = RESOLUTION_SMOOTH_STEPS - 1; i >= 0; i--) {
    least = fmin(least, pace->changed[i]);
    pace->changed[i] = i > 0 ? pace->changed[i - 1] : changed;
  }
  pace->fastest = fmax(pace->fastest, speed);
  return least;
}

/* Velocities of a motion that is late are those of another instant: off by the acceleration times what is lost, of the
 * body's largest speed so far. The energy that is lost with beams is that of modes faster than the step, which its
 * implicit rule damps: it makes nothing late. */
static double velocity_late(const Resolution *resolution, const StepView *view, const AspStepInfo *info) {
  const AspModel *model = view->model;
  double most = 0;
  if (asp_model_beam_count(model) > 0)
    return 0;
  bool struck = fabs(info->flow.impacts) > RESOLUTION_NOTHING * resolution->kinetic_most;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (!view->geometry->body_free[body] || asp_model_body_dof(model, body) < 0)
      continue;
    BodyPace *pace = &resolution->missed.pace[body];
    AspVec3 v = asp_state_velocity(model, view->state, body), w = asp_state_angular_velocity(model, view->state, body);
    AspVec3 faster = sub3(v, asp_state_velocity(model, view->before, body)),
            turned = sub3(w, asp_state_angular_velocity(model, view->before, body));
    double size = resolution->size[body], changed = (norm3(faster) + size * norm3(turned)) / view->work->dt;
    double smooth = smooth_pace(pace, norm3(v) + size * norm3(w), struck ? 0 : changed);
    double kinetic = 0.5 * (asp_model_body_mass(model, body) * dot3(v, v) + resolution->spin[body] * dot3(w, w));
    if (kinetic > RESOLUTION_SHARE * resolution->kinetic_most && pace->fastest > 0)
      most = fmax(most, smooth * fabs(resolution->missed.late) / pace->fastest);
  }
  return most;
}

/* a / b; 0 for 0 / 0. What overflowed measures nothing: not a number, which no threshold admits. */
static double quotient(double a, double b) { return a == 0 ? 0 : isfinite(b) ? fabs(a) / b : NAN; }

static double larger(double a, double b) { return isnan(a) || isnan(b) ? NAN : fmax(a, b); }

void asp_measure_balance(Resolution *resolution, const StepJudged *step, MeasuredNow *energy, MeasuredNow *momentum,
                         MeasuredNow *gain) {
  const StepView *view = step->view;
  const AspStepInfo *info = step->info;
  Scales scales = measure_bodies(resolution, view);
  double T = info->t - resolution->start;
  resolution->kinetic_most = fmax(resolution->kinetic_most, info->energy.kinetic);
  resolution->flowed += total_flow(&info->flow);
  double remainder = info->flow.remainder - resolution->loads.contact_work;
  resolution->missed.sum += remainder;
  resolution->gained += view->work->gain;
  resolution->path += scales.path;
  double at_rest = RESOLUTION_AT_REST * (scales.load + scales.turn / (T * T)),
         flowed = energy_scale(resolution, &scales) + at_rest;
  add_late(resolution, info, remainder, view->work->dt, at_rest);
  energy->value = larger(quotient(resolution->missed.sum, flowed), velocity_late(resolution, view, info));
  gain->value = quotient(resolution->gained, flowed);
  if (view->work->gain > 0) {
    const AspContactFrame *frame = &view->work->frames[view->work->gain_frame];
    resolution->gain_a = frame->body_a;
    resolution->gain_b = frame->body_b;
  }
  gain->body_a = resolution->gain_a;
  gain->body_b = resolution->gain_b;
  resolution->linear_most = fmax(resolution->linear_most, fmax(scales.linear, norm3(info->momentum.linear)));
  resolution->angular_most = fmax(resolution->angular_most, scales.angular);
  resolution->pushed += scales.push;
  resolution->turned += scales.push_turn;
  AspMomentumSum *sum = &resolution->momentum;
  sum->linear = add3(sum->linear, info->momentum.linear_remainder);
  sum->angular = add3(sum->angular, info->momentum.angular_remainder);
  double linear = quotient(norm3(sum->linear) + resolution->loads.missed,
                           resolution->linear_most + resolution->pushed + scales.shift / T);
  double angular = quotient(norm3(sum->angular), resolution->angular_most + resolution->turned + scales.turn / T);
  momentum->value = larger(linear, angular);
}
