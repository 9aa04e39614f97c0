/* Laws whose data depend on the solution: the coefficient of friction falls with the slip speed s,
 *
 *   mu(s) = mu_k + (mu_s - mu_k) exp(-(s / v)^d),     v = 0: mu_s at rest, mu_k in motion.
 *
 * The step is solved with fixed coefficients, then they are taken at the slip that came out, until both agree:
 *   jump     a contact at rest begins with mu_s and changes to mu_k once it slips, never back within the step; one that
 *            slips begins with mu_k. At most one change per contact, and where it ends every contact either rests
 *            within its cone or slips with mu_k.
 *   curve    fixed point mu := mu(s(mu)), sped up by the slope of its last two values. More friction makes less slip
 *            and that more friction, so the map rises and the iteration goes one way, to the solution nearest to the
 *            coefficient at the start of the step.
 *   patch    (contact_radius) with w = k |spin|, k = 2/3 a, sliding gets the part s / |(s, w)| of mu and spinning the
 *            part w / |(s, w)| of mu k: the force of largest dissipation over |(F, M / k)| <= mu N. More friction
 *            means less slip, and less slip means less friction: a falling map with one root, found by secants. At rest
 *            in both, any force within the limit is a solution.
 *
 * What is left of the difference counts in the certificate as an impulse |mu - mu(s)| r_N.
 *
 * Likewise the directions of the forces in joint bearings (formulate/bearings.c), which begin at those of the last
 * step; there mu times the difference of load and carried load is left. */
#include "base/elementary.h"
#include "base/parallel.h"
#include "formulate/blocks.h"
#include "problem/residual.h"
#include "scheme/step.h"
#include "scheme/tuning/scheme.h"

#include <math.h>
#include <stdatomic.h>

static bool is_patch(const AspPairLaw *law) { return law && asp_pair_law_is_patch(law); }

static bool varies(const AspStepWork *work, int block) {
  const AspBlockTag *tag = &work->formulation.tag[block];
  if (tag->role == ASP_ROLE_SPINNING)
    return is_patch(work->frames[tag->index].law);
  if (tag->role != ASP_ROLE_CONTACT)
    return false;
  const AspPairLaw *law = work->frames[tag->index].law;
  return law && asp_pair_law_varies(law);
}

/* Slip speed from the block's velocities, u less what the scheme added. */
static double slip_speed(const AspStepWork *work, int block, const double *u) {
  const AspFormulation *formulation = &work->formulation;
  const AspContactFrame *frame = &work->frames[formulation->tag[block].index];
  double squares = 0;
  for (int k = formulation->offset[block] + 1; k < formulation->offset[block + 1]; k++) {
    int row = k - formulation->offset[block];
    double slip = (u[k] - formulation->shift[k]) / frame->stretch[row - 1] + frame->bias[row];
    squares += slip * slip;
  }
  return sqrt(squares);
}

/* Sizes of the velocities that the block's slip is the difference of, and what gravity gives in a step. */
static double speed_scale(const AspStepWork *work, int block, const AspState *state) {
  const AspFormulation *formulation = &work->formulation;
  int n = asp_body_velocities(asp_model_dimension(work->model));
  AspVec3 g = asp_model_gravity(work->model);
  double scale = work->dt * (fabs(g.x) + fabs(g.y) + fabs(g.z));
  AspRow room[3];
  const AspRow *rows = asp_block_rows(formulation, block, room);
  for (int k = 1; k < formulation->offset[block + 1] - formulation->offset[block]; k++) {
    const AspRow *row = &rows[k];
    for (int i = 0; i < n; i++)
      scale += fabs(row->ja[i] * state->v[n * row->body_a + i]) + fabs(row->jb[i] * state->v[n * row->body_b + i]);
  }
  return scale;
}

/* The other block of a patch: that of spinning for the contact's, and the reverse; -1: none. */
static int partner_of(const AspStepWork *work, int block) {
  const AspFormulation *formulation = &work->formulation;
  const AspBlockTag *tag = &formulation->tag[block];
  AspBlockRole role = tag->role == ASP_ROLE_CONTACT ? ASP_ROLE_SPINNING : ASP_ROLE_CONTACT;
  if (!is_patch(work->frames[tag->index].law))
    return -1;
  for (int b = 0; b < formulation->blocks; b++)
    if (formulation->tag[b].role == role && formulation->tag[b].index == tag->index)
      return b;
  return -1;
}

/* Length of a block's tangential reaction over its normal one, that of spinning as a force at the patch's lever. */
static double loading(const AspStepWork *work, int block, double lever_over_patch) {
  const AspFormulation *formulation = &work->formulation;
  const double *r = work->r + formulation->offset[block];
  double squares = 0;
  for (int k = 1; k < formulation->offset[block + 1] - formulation->offset[block]; k++)
    squares += r[k] * r[k];
  return r[0] > 0 ? lever_over_patch * sqrt(squares) / r[0] : 0;
}

/* The fraction of friction that a block of a patch has: s / |(s, w)| or w / |(s, w)|; at rest in both by the reactions,
 * 1 while they are within the limit. `solved`: there are reactions. */
static double share(const AspStepWork *work, const AspDependent *dependent, const double *u, bool solved) {
  const AspBlockTag *tag = &work->formulation.tag[dependent->block];
  const AspContactFrame *frame = &work->frames[tag->index];
  bool spins = tag->role == ASP_ROLE_SPINNING;
  int contact = spins ? dependent->partner : dependent->block, spin = spins ? dependent->block : dependent->partner;
  double lever = asp_contact_lever(work->model, frame) / asp_patch_lever(frame->law);
  double s = slip_speed(work, contact, u), w = slip_speed(work, spin, u) / lever, both = asp_hypot(s, w);
  if (both > dependent->rest)
    return (spins ? w : s) / both;
  if (!solved)
    return 1;
  double force = loading(work, contact, 1), moment = loading(work, spin, lever), load = asp_hypot(force, moment);
  return load > frame->law->friction ? (spins ? moment : force) / load : 1;
}

/* The coefficient that goes with the velocities u, that of the block's scaled rows. */
static double coefficient(const AspStepWork *work, const AspDependent *dependent, const double *u, bool solved) {
  const AspBlockTag *tag = &work->formulation.tag[dependent->block];
  const AspContactFrame *frame = &work->frames[tag->index];
  double part = dependent->partner >= 0 ? share(work, dependent, u, solved) : 1;
  if (tag->role == ASP_ROLE_SPINNING)
    return (frame->law->spinning + part * frame->law->friction * asp_patch_lever(frame->law)) /
           asp_contact_lever(work->model, frame);
  double slip = slip_speed(work, dependent->block, u);
  return part * asp_friction_coefficient(frame->law, slip > dependent->rest ? slip : 0) / frame->stretch[0];
}

typedef struct Variations {
  const AspStepWork *work;
  atomic_int count;
} Variations;

static void count_variations(void *data, int from, int end) {
  Variations *variations = data;
  int count = 0;
  for (int b = from; b < end; b++)
    count += varies(variations->work, b);
  atomic_fetch_add_explicit(&variations->count, count, memory_order_relaxed);
}

AspError asp_dependent_begin(AspStepWork *work, const AspState *state) {
  AspFormulation *formulation = &work->formulation;
  for (int i = 0; i < formulation->bearings; i++) {
    double d[2][2];
    asp_bearing_load(&formulation->bearing[i], work->r, d);
    asp_bearing_turn(formulation, &formulation->bearing[i], d);
  }
  Variations variations = {.work = work};
  asp_parallel_for(work->arena->context, formulation->varying > 0 ? formulation->blocks : 0, DEPENDENT_GRAIN,
                   count_variations, &variations);
  work->dependent_count = variations.count;
  work->dependent = ASP_TAKE(work->arena, AspDependent, work->dependent_count);
  double *u = work->dependent_count > 0 ? ASP_TAKE(work->arena, double, formulation->rows) : NULL;
  if (!work->dependent || (work->dependent_count > 0 && !u))
    return ASP_ERROR_MEMORY;
  int count = 0;
  for (int b = 0; count < work->dependent_count && b < formulation->blocks; b++) {
    if (!varies(work, b))
      continue;
    AspRow room[3];
    const AspRow *row = asp_block_rows(formulation, b, room);
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++)
      u[k] = row_rate(work->model, state, row++) + formulation->shift[k];
    AspDependent *dependent = &work->dependent[count++];
    dependent->block = b;
    dependent->partner = partner_of(work, b);
    dependent->rest = DEPENDENT_REST * speed_scale(work, b, state);
  }
  for (int i = 0; i < count; i++)
    formulation->law[work->dependent[i].block].mu = coefficient(work, &work->dependent[i], u, false);
  return ASP_OK;
}

/* The coefficient for the next iteration, given the present one and the one that belongs to its slip. */
static double next_coefficient(const AspPairLaw *law, AspDependent *dependent, int iteration, double mu, double asked) {
  bool patch = dependent->partner >= 0;
  if (!patch && !(law->stribeck_speed > 0))
    return fmin(mu, asked); // a contact that slipped keeps the coefficient of motion
  double slope =
      iteration >= (patch ? 1 : DEPENDENT_EXTRAPOLATE) ? (asked - dependent->asked) / (mu - dependent->mu) : 0;
  if (!(patch ? slope <= 0 : slope >= 0)) // NaN too: the coefficient did not move
    slope = 0;
  dependent->mu = mu;
  dependent->asked = asked;
  return mu + (asked - mu) / (1 - fmin(slope, DEPENDENT_STEEPEST));
}

/* By how much the load coupling's load along the directions in use falls short of the bearings' load. */
static double bearing_off(const AspStepWork *work, const AspBearingLoad *bearing, double *load, double d[2][2]) {
  double carried = 0;
  *load = asp_bearing_load(bearing, work->r, d);
  for (int e = 0; e < bearing->bearings; e++)
    for (int k = 0; k < bearing->rows; k++)
      carried +=
          (bearing->direction[e][0] * bearing->part[e][0][k] + bearing->direction[e][1] * bearing->part[e][1][k]) *
          work->r[bearing->first + k];
  return fabs(*load - carried);
}

static bool update_bearings(AspStepWork *work, int iteration, double tolerance) {
  AspFormulation *formulation = &work->formulation;
  bool unchanged = true;
  for (int i = 0; i < formulation->bearings && iteration < DEPENDENT_ITERATIONS; i++) {
    double load, d[2][2], off = bearing_off(work, &formulation->bearing[i], &load, d);
    if (off <= DEPENDENT_AGREE * tolerance * load)
      continue;
    unchanged = false;
    asp_bearing_turn(formulation, &formulation->bearing[i], d);
  }
  return unchanged;
}

bool asp_dependent_update(AspStepWork *work, int iteration, double tolerance) {
  AspFormulation *formulation = &work->formulation;
  bool unchanged = update_bearings(work, iteration, tolerance);
  for (int i = 0; i < work->dependent_count; i++) {
    AspDependent *dependent = &work->dependent[i];
    AspLaw *law = &formulation->law[dependent->block];
    const AspPairLaw *pair = work->frames[formulation->tag[dependent->block].index].law;
    double asked = coefficient(work, dependent, work->u, true);
    bool jumps = dependent->partner < 0 && !(pair->stribeck_speed > 0);
    // at rest with the coefficient of motion: within the smaller cone, so within the larger one
    dependent->off = jumps && asked > law->mu ? 0 : fabs(asked - law->mu);
    if (dependent->off <= DEPENDENT_AGREE * tolerance * fmax(asked, law->mu) || iteration == DEPENDENT_ITERATIONS)
      continue;
    unchanged = false;
    law->mu = next_coefficient(pair, dependent, iteration, law->mu, asked);
  }
  return unchanged;
}

void asp_dependent_judge(const AspStepWork *work, AspResidual *residual) {
  double squares = 0, largest = 0, loads = 0;
  for (int i = 0; i < work->dependent_count; i++) {
    double load = fabs(work->r[work->formulation.offset[work->dependent[i].block]]);
    double off = work->dependent[i].off * load;
    squares += off * off;
    largest = fmax(largest, off);
    loads += load;
  }
  if (largest > 0)
    residual->contact = fmax(residual->contact, largest * work->dependent_count / loads);
  for (int i = 0; i < work->formulation.bearings; i++) {
    const AspBearingLoad *bearing = &work->formulation.bearing[i];
    double load, d[2][2];
    double off = work->formulation.law[bearing->block].mu * bearing_off(work, bearing, &load, d);
    squares += off * off;
  }
  if (squares > 0)
    asp_residual_add(residual, sqrt(squares));
}
