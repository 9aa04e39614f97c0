/* Impacts whose order a step does not tell (docs/theory/resolution.md, "Order of impacts").
 *
 * Two impacts of one body that came one after the other are made at once by a step, or the second one is begun in it
 * and finished in the next. With the impulses r, the row n of the second impact, its approach u- at the start, and the
 * impulse p of its own contact, everything else in the step changes its approach by
 *
 *   d = n (v+ - v-) - n M^-1 n^T p
 *
 * Had the first impact come first, the second one would have met u- + d in place of u-. So what is unknown is a
 * velocity of min(|d|, |u-|) along n, and its energy E = m d^2/2 with the mass m that the impact sees,
 *
 *   m = max(1 / n M^-1 n^T, p_N / (1 + e) |u-|)         the second where joints and other contacts hold the bodies
 *
 * Where the others press the two together (d < 0) and nothing bounces, both contacts are closed behind the impacts in
 * any order: u = 0 at both, and E = 0. Where the second contact has no impulse in the step, it waits for the next one,
 * and the order is told. Bodies in joints: M^-1 is not theirs, d is not known, and u- stands for it.
 *
 * A blow that a stiff spring passes on comes back as a second one. Where the step does not follow the spring, row j
 * with lead j j^T in M, it makes both at once. Without the spring the impact would have changed the rate along j by
 *
 *   d = (1 + lead W) j (v+ - v-),    W = j M^-1 j^T with joints as they hold its bodies
 *
 * which is what the step does not tell: E = d^2 / 2 W. */
#include "formulate/mass_matrix.h"
#include "linalg/vec3.h"
#include "world/resolution.h"
#include "world/tuning/resolution.h"

#include <math.h>

/* n M^-1 g^T over the two bodies of a contact: of one impulse g for every row k of it. */
static double answer(const StepView *view, const AspRow rows[3], const double impulse[3]) {
  const AspModel *model = view->model;
  int dimension = asp_model_dimension(model), n = asp_body_velocities(dimension);
  double sum = 0, M[36], g[6], along[6], across[6];
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? rows[0].body_a : rows[0].body_b;
    if (asp_model_body_dof(model, body) < 0)
      continue;
    for (int i = 0; i < n; i++) {
      g[i] = 0;
      for (int k = 0; k < dimension; k++)
        g[i] += impulse[k] * (side == 0 ? rows[k].ja : rows[k].jb)[i];
    }
    asp_body_mass_matrix(model, view->before, body, M);
    asp_mass_weigh(M, n, side == 0 ? rows[0].ja : rows[0].jb, along);
    asp_mass_weigh(M, n, g, across);
    for (int i = 0; i < n; i++)
      sum += along[i] * across[i];
  }
  return sum;
}

/* Does an impact of the step give something back? */
static bool bounces(const AspStepWork *work) {
  for (int i = 0; i < work->frame_count; i++)
    if ((work->frames[i].met || work->frames[i].later) && work->frames[i].restitution > 0)
      return true;
  return false;
}

/* E of the file's head for a contact with impulses along its rows, N s. */
static double energy_of_order(const Resolution *resolution, const StepView *view, const AspContactFrame *frame,
                              const double impulse[3]) {
  const AspModel *model = view->model;
  double approach = asp_contact_approach(model, frame, view->before), meets = fabs(approach);
  if (!(impulse[0] > 0) || !(meets > 0))
    return 0;
  AspRow rows[3];
  asp_contact_rows(asp_model_dimension(model), frame, rows);
  double mobility = answer(view, rows, (double[]){1, 0, 0}), unknown = meets;
  if (!resolution->jointed[frame->body_a] && !resolution->jointed[frame->body_b]) {
    double others = asp_contact_approach(model, frame, view->state) - approach - answer(view, rows, impulse);
    unknown = others > 0 || bounces(view->work) ? fmin(fabs(others), meets) : 0;
  }
  double mass = fmax(mobility > 0 ? 1 / mobility : 0, impulse[0] / ((1 + frame->restitution) * meets));
  return 0.5 * mass * unknown * unknown;
}

/* Does one of two bodies, or one that is connected with them, meet something in the step? */
static bool is_struck(const AspFormulation *formulation, const int body[2]) {
  const double *times = formulation->time_of_impact;
  return times && (times[body[0]] >= 0 || times[body[1]] >= 0);
}

/* E of a gap that a body closes which is struck in the step: what its contact does to the body in place of the impact
 * that comes next. Before the blow nothing was known of it. */
static double energy_of_next(const StepView *view, const AspContactFrame *frame, const double impulse[3]) {
  bool struck = is_struck(&view->work->formulation, (int[]){frame->body_a, frame->body_b});
  if (frame->met || frame->later || !struck || !(frame->gap > view->geometry->slop) || !(frame->restitution > 0))
    return 0;
  AspRow rows[3];
  asp_contact_rows(asp_model_dimension(view->model), frame, rows);
  return 0.5 * impulse[0] * answer(view, rows, (double[]){impulse[0], 0, 0});
}

/* The kinetic energy of a body at a state, J. */
static double kinetic_of(const Resolution *resolution, const StepView *view, const AspState *state, int body) {
  if (!view->geometry->body_free[body] || asp_model_body_dof(view->model, body) < 0)
    return 0;
  double v = norm3(asp_state_velocity(view->model, state, body)),
         w = norm3(asp_state_angular_velocity(view->model, state, body));
  return 0.5 * (asp_model_body_mass(view->model, body) * v * v + resolution->spin[body] * w * w);
}

/* What an energy of two bodies counts against, J: theirs, before or behind the step, and a share of all. */
static double energy_around(const Resolution *resolution, const StepView *view, int body_a, int body_b) {
  double before = 0, after = 0;
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? body_a : body_b;
    before += kinetic_of(resolution, view, view->before, body);
    after += kinetic_of(resolution, view, view->state, body);
  }
  return fmax(fmax(before, after), RESOLUTION_SHARE * resolution->kinetic_most);
}

/* Blows on springs that the step damps. */
static void measure_springs(const Resolution *resolution, const StepView *view, MeasuredNow *worst) {
  const AspFormulation *formulation = &view->work->formulation;
  int n = asp_body_velocities(asp_model_dimension(view->model));
  for (int k = 0; formulation->unresolved > 0 && k < formulation->stiff.count; k++) {
    const AspStiffRow *it = &formulation->stiff.row[k];
    double jump = 0;
    if (!(it->damped > 0) || !is_struck(formulation, it->body))
      continue;
    for (int side = 0; side < 2; side++)
      for (int i = n * it->body[side], c = 0; c < n; i++, c++)
        jump += it->j[side][c] * (view->state->v[i] - view->before->v[i]);
    jump *= 1 + it->lead * it->damped;
    asp_measure_worse(worst, 0.5 * jump * jump / it->damped / energy_around(resolution, view, it->body[0], it->body[1]),
                      -1, it->body[0], it->body[1]);
  }
}

void asp_measure_impact_order(const Resolution *resolution, const StepJudged *step, MeasuredNow *worst) {
  const StepView *view = step->view;
  if (!(resolution->kinetic_most > 0))
    return;
  measure_springs(resolution, view, worst);
  for (int i = 0; i < view->work->frame_count; i++) {
    const AspContactFrame *frame = &view->work->frames[i];
    const double *impulse = step->records->contacts[i].impulse;
    double least = frame->met ? RESOLUTION_TOGETHER : RESOLUTION_POSTPONED;
    asp_measure_worse(worst, energy_of_next(view, frame, impulse) / resolution->kinetic_most, -1, frame->body_a,
                      frame->body_b);
    if (!(frame->met || frame->later) ||
        !(frame->merged > least * asp_resolution_size(resolution, view, frame->body_a, frame->body_b)))
      continue;
    double energy = energy_of_order(resolution, view, frame, impulse);
    asp_measure_worse(worst, energy / resolution->kinetic_most, -1, frame->body_a, frame->body_b);
  }
}
