/* Fast bodies at velocity level: time of impact within a step. The theta rule moves a body along its old velocity for
 * the part (1 - theta) dt of a step, also beyond its impact; a fast body would pass through a thin one. A contact that
 * would be passed by more than `depth` in this way is urgent. It is met at the part tau of the step, its impact law
 * acts in this step, and both bodies move with their old velocity until tau and with the new one from there on:
 *
 *   tau = gap / (dt |u-|),    q+ = q + dt (tau v- + (1 - tau) v+)
 *
 * Since u+ >= -e u- >= 0, nothing closes after tau. All bodies that are connected by contacts of the step, joints and
 * beams take the earliest tau of them (contacts of beams: those that are urgent).
 *
 * Beams meet everything within the step. Their strain changes along dt ((1 - tau') v+ + tau' v-), the work of its
 * forces on the velocities is along dt (v+ + v-)/2: the difference, dt (1/2 - tau') (v+ - v-) . h, is energy of either
 * sign, up to (1 + e) |1/2 - tau'| r |u-|, while the impact takes (1 - e)/2 r |u-|. So with restitution
 *
 *   tau' = 1/2 - (1/2 - tau) (1 - e)/(1 + e)
 *
 * which gains nothing, and leaves a gap of e tau dt |u-| at least: nothing overlaps.
 *
 * A limit of a joint that is met in the step is met at its own tau in the same way, whatever its depth.
 *
 * A barrier is a contact that a body meets unexpectedly in the step, because it was struck. Its own impact is left to
 * the next step; here the gap must only not become negative:
 *
 *   gap + dt (tau u- + (1 - tau) u+) >= 0
 */
#include "formulate/blocks.h"
#include "formulate/tuning/formulate.h"

#include <math.h>

bool asp_contact_is_urgent(const AspContactFrame *frame, double approach, double dt) {
  return frame->gap + dt * approach < -frame->depth;
}

bool asp_contact_is_of_beam(const AspModel *model, const AspContactFrame *frame) {
  return asp_model_station_beam(model, frame->body_a, NULL) >= 0 ||
         asp_model_station_beam(model, frame->body_b, NULL) >= 0;
}

/* tau' of a beam */
static double mean_time(double tau, double e) { return 0.5 - (0.5 - tau) * (1 - e) / (1 + e); }

void asp_offer_time_of_impact(AspFormulation *formulation, int body, double tau) {
  double *time_of_impact = &formulation->time_of_impact[body];
  if (*time_of_impact < 0 || tau < *time_of_impact)
    *time_of_impact = tau;
}

/* A limit is met in the step (joints.c). */
static bool meets_limit(const AspFormulation *formulation) {
  bool any = false;
  for (int joint = 0; !any && joint < asp_model_joint_count(formulation->model); joint++) {
    const AspJointDef *def = asp_model_joint_def(formulation->model, joint);
    any = formulation->time_of_impact[def->body_a] >= 0 || formulation->time_of_impact[def->body_b] >= 0;
  }
  return any;
}

/* Both bodies take the earlier of their times; true when that changed something. */
static bool share(const AspFormulation *formulation, int a, int b) {
  double *m = formulation->time_of_impact;
  if (!asp_model_body_is_free(formulation->model, a) || !asp_model_body_is_free(formulation->model, b) || m[a] == m[b])
    return false;
  double earlier = m[a] < 0 ? m[b] : m[b] < 0 ? m[a] : fmin(m[a], m[b]);
  m[a] = m[b] = earlier;
  return true;
}

static void spread_times(const AspFormulation *formulation, const AspContactFrame *frames, int count,
                         const AspState *state, double dt) {
  const AspModel *model = formulation->model;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < count; i++)
      if (frames[i].barrier || !asp_contact_is_of_beam(model, &frames[i]) ||
          asp_contact_is_urgent(&frames[i], asp_contact_approach(formulation->model, &frames[i], state), dt))
        changed |= share(formulation, frames[i].body_a, frames[i].body_b);
    for (int joint = 0; joint < asp_model_joint_count(model); joint++)
      changed |=
          share(formulation, asp_model_joint_def(model, joint)->body_a, asp_model_joint_def(model, joint)->body_b);
    for (int body = 0; body < asp_model_body_count(model); body++) { // a beam has one time for all of it
      int beam = asp_model_station_beam(model, body, NULL);
      if (beam >= 0)
        changed |= share(formulation, body, asp_model_beam_station(model, beam, false));
    }
  }
}

void asp_find_times_of_impact(AspFormulation *formulation, const AspContactFrame *frames, int count,
                              const AspState *state, double dt) {
  bool any = meets_limit(formulation);
  for (int i = 0; i < count; i++) {
    double approach = asp_contact_approach(formulation->model, &frames[i], state);
    if (!asp_contact_is_urgent(&frames[i], approach, dt) && !frames[i].barrier)
      continue;
    // a barrier has no time of its own: from the start, unless its bodies meet something later
    double tau = frames[i].barrier ? 1 : fmin(fmax(frames[i].gap / (-dt * approach), 0), 1);
    if (asp_contact_is_of_beam(formulation->model, &frames[i]))
      tau = frames[i].barrier ? 0.5 : mean_time(tau, frames[i].restitution);
    asp_offer_time_of_impact(formulation, frames[i].body_a, tau);
    asp_offer_time_of_impact(formulation, frames[i].body_b, tau);
    any = true;
  }
  if (!any)
    return;
  spread_times(formulation, frames, count, state, dt);
  for (int body = 0; body < asp_model_body_count(formulation->model); body++)
    if (formulation->time_of_impact[body] == 1)
      formulation->time_of_impact[body] = 0;
}

double asp_barrier_shift(const AspFormulation *formulation, const AspContactFrame *frame, double approach, double dt) {
  bool of_a = asp_model_body_is_free(formulation->model, frame->body_a);
  double tau = formulation->time_of_impact[of_a ? frame->body_a : frame->body_b];
  return (fmax(frame->gap, 0) + tau * dt * approach) / (fmax(1 - tau, TIME_OF_IMPACT_SHORTEST) * dt);
}
