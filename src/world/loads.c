/* Loads from step to step. A contact or limit that is pressed together by a steady load gives a force in every step.
 * Where a scheme switches it off for a step, the next one sees an approach that is none, and takes it for an impact:
 * the mean force is wrong, and so is what it does. Counted are steps without force, one or two of them between
 * steps with force, among the last steps:
 *
 *   toggling = misses / (misses + steps with load)
 *
 * for pairs of bodies (points of one pair may share its load in several ways) that carry a good part of the forces on
 * one of the two, and for limits of joints. A step without force is a miss where force is missing: where the impulse
 * that would have kept the gap from closing beyond 0 is itself a good part of the forces. Bodies that part, that have a
 * gap left, or whose load others have taken over, have no reason to push.
 *
 * A contact that stays closed under load does no work along its normal. What it takes all the same is an error of the
 * scheme that the balance books as impacts; it is summed up here.
 */
#include "linalg/vec3.h"
#include "world/resolution.h"
#include "world/tuning/resolution.h"

#include <math.h>
#include <stdlib.h>

AspError asp_loads_create(LoadTable *loads, AspContext *context, const AspModel *model) {
  size_t joints = (size_t)asp_model_joint_count(model);
  loads->limit = asp_allocate(context, joints, sizeof *loads->limit);
  loads->limit_most = asp_allocate(context, joints, sizeof *loads->limit_most);
  loads->body = asp_allocate(context, (size_t)asp_model_body_count(model), sizeof *loads->body);
  bool forces = asp_model_has_applied_forces(model) || asp_model_stiff_count(model) > 0;
  if (forces)
    loads->force = asp_allocate(context, (size_t)asp_model_dof_count(model), sizeof *loads->force);
  bool complete = loads->limit && loads->limit_most && loads->body && (loads->force || !forces);
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

void asp_loads_destroy(LoadTable *loads, AspContext *context) {
  void *blocks[] = {loads->pair[0], loads->pair[1],    loads->contact[0], loads->contact[1],
                    loads->limit,   loads->limit_most, loads->body,       loads->force};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    asp_release(context, blocks[i]);
}

AspError asp_loads_reserve(LoadTable *loads, AspContext *context, int contacts) {
  for (int i = 0; i < 2; i++) {
    ASP_TRY(ASP_GROW(context, loads->pair[i], loads->pair_capacity[i], contacts));
    ASP_TRY(ASP_GROW(context, loads->contact[i], loads->contact_capacity[i], contacts));
  }
  return ASP_OK;
}

/* ---- all forces on a body ---- */

static double impulse_of(const AspContactRecord *record) {
  return fabs(record->impulse[0]) + fabs(record->impulse[1]) + fabs(record->impulse[2]);
}

static void add_joint(const Resolution *resolution, const StepJudged *step, int joint, int body, double *sum) {
  const AspJointRecord *record = &step->records->joints[joint];
  double size = resolution->size[body], along = fabs(record->limit) + fabs(record->motor) + fabs(record->friction);
  bool turns = asp_joint_turns(step->view->model, joint);
  double moment = norm3(record->torque) + (turns ? along : 0);
  *sum += step->view->work->dt * (norm3(record->force) + (turns ? 0 : along) + (size > 0 ? moment / size : 0));
}

/* The scene's forces and springs. */
static void add_forces(Resolution *resolution, const StepView *view) {
  const AspModel *model = view->model;
  bool space = asp_model_dimension(model) == 3;
  double *h = resolution->loads.force, dt = view->work->dt;
  if (!h)
    return;
  memset(h, 0, (size_t)asp_model_dof_count(model) * sizeof *h);
  asp_model_add_applied_forces(model, view->state, h);
  asp_model_add_spring_forces(model, view->state, h);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int dof = asp_model_body_dof(model, body);
    if (dof < 0)
      continue;
    const double *f = h + dof;
    double size = resolution->size[body], force = norm3(vec3(f[0], f[1], space ? f[2] : 0));
    double moment = space ? norm3(vec3(f[3], f[4], f[5])) : fabs(f[2]);
    resolution->loads.body[body] += dt * (force + (size > 0 ? moment / size : 0));
  }
}

static void sum_bodies(Resolution *resolution, const StepJudged *step) {
  const AspModel *model = step->view->model;
  double *sum = resolution->loads.body, fall = norm3(asp_model_gravity(model)) * step->view->work->dt;
  for (int body = 0; body < asp_model_body_count(model); body++)
    sum[body] = asp_model_body_dof(model, body) >= 0 ? fall * asp_model_body_mass(model, body) : 0;
  for (int i = 0; i < step->records->contact_count; i++) {
    const AspContactRecord *record = &step->records->contacts[i];
    double impulse = impulse_of(record);
    sum[record->body_a] += impulse;
    sum[record->body_b] += impulse;
  }
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    add_joint(resolution, step, joint, def->body_a, &sum[def->body_a]);
    add_joint(resolution, step, joint, def->body_b, &sum[def->body_b]);
  }
  add_forces(resolution, step->view);
}

/* The largest share that an impulse has in the forces on one of two bodies that forces move. */
static double share_of(const LoadTable *loads, const StepView *view, int a, int b, double impulse) {
  const bool *is_free = view->geometry->body_free;
  double of_a = is_free[a] && loads->body[a] > 0 ? impulse / loads->body[a] : 0;
  double of_b = is_free[b] && loads->body[b] > 0 ? impulse / loads->body[b] : 0;
  return fmax(of_a, of_b);
}

/* ---- histories ---- */

void asp_load_note(LoadHistory *history, bool loaded, bool pressed) {
  double keep = 1 - 1.0 / RESOLUTION_WINDOW;
  if (!loaded && history->steps & 1)
    history->pressed = pressed;
  history->steps = history->steps << 1 | loaded;
  history->loads = keep * history->loads + loaded;
  bool one = (history->steps & 0x7) == 0x5, two = (history->steps & 0xf) == 0x9; // 101, 1001
  history->misses = keep * history->misses + (history->pressed ? one + 2 * two : 0);
}

double asp_load_toggling(const LoadHistory *history) {
  return history->misses >= RESOLUTION_MISSES ? history->misses / (history->misses + history->loads) : 0;
}

static int compare_pairs(const void *x, const void *y) {
  const PairLoad *a = x, *b = y;
  if (a->body_a != b->body_a)
    return a->body_a < b->body_a ? -1 : 1;
  return (a->body_b > b->body_b) - (a->body_b < b->body_b);
}

/* Another contact of the same pair. */
static void join(PairLoad *pair, const PairLoad *other) {
  pair->load += other->load;
  if (other->gap < pair->gap) {
    pair->gap = other->gap;
    pair->rate = other->rate;
  }
}

/* The pairs of this step with their loads, ascending, each once. Rows are those of the middle of the step: what they
 * change by to its end is no approach (spheres that roll past each other). */
static int gather_pairs(const StepJudged *step, PairLoad *pair) {
  int count = 0;
  bool sorted = true;
  for (int i = 0; i < step->records->contact_count; i++) {
    const AspContactRecord *record = &step->records->contacts[i];
    bool ordered = record->body_a < record->body_b;
    PairLoad one = {.body_a = ordered ? record->body_a : record->body_b,
                    .body_b = ordered ? record->body_b : record->body_a,
                    .load = record->impulse[0],
                    .gap = record->gap,
                    .rate = record->slip[0] + step->view->work->frames[i].bias[0]};
    int order = count ? compare_pairs(&pair[count - 1], &one) : -1;
    if (order == 0)
      join(&pair[count - 1], &one);
    else
      pair[count++] = one;
    sorted = sorted && order <= 0;
  }
  if (sorted)
    return count;
  qsort(pair, (size_t)count, sizeof *pair, compare_pairs);
  int kept = 0;
  for (int i = 1; i < count; i++)
    if (compare_pairs(&pair[kept], &pair[i]) == 0)
      join(&pair[kept], &pair[i]);
    else
      pair[++kept] = pair[i];
  return kept + 1;
}

/* The impulse that would have kept two bodies from closing their gap further than to 0 in the step, with the smaller
 * mass, N s: what the contact fails to give where it has no force. */
static double missing_impulse(const StepView *view, const PairLoad *pair) {
  double mass = INFINITY, closing = -(pair->rate + fmax(pair->gap, 0) / view->work->dt);
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? pair->body_a : pair->body_b;
    if (view->geometry->body_free[body])
      mass = fmin(mass, asp_model_body_mass(view->model, body));
  }
  return closing > 0 && isfinite(mass) ? mass * closing : 0;
}

static void note_pairs(LoadTable *loads, const StepJudged *step, MeasuredNow *worst) {
  const PairLoad *last = loads->pair[1 - loads->now];
  PairLoad *pair = loads->pair[loads->now];
  int count = gather_pairs(step, pair), old = loads->pairs[1 - loads->now], at = 0;
  for (int i = 0; i < count; i++) {
    while (at < old && compare_pairs(&last[at], &pair[i]) < 0)
      at++;
    if (at < old && compare_pairs(&last[at], &pair[i]) == 0)
      pair[i].history = last[at].history;
    double share = share_of(loads, step->view, pair[i].body_a, pair[i].body_b, pair[i].load);
    bool carried = pair[i].history.steps & 1; // a load between the two bounds stays what it was
    double missing = missing_impulse(step->view, &pair[i]);
    if (loads->counts)
      asp_load_note(&pair[i].history, share > RESOLUTION_SHARE || (carried && share > RESOLUTION_NOTHING),
                    share_of(loads, step->view, pair[i].body_a, pair[i].body_b, missing) > RESOLUTION_SHARE);
    asp_measure_worse(worst, asp_load_toggling(&pair[i].history), -1, pair[i].body_a, pair[i].body_b);
  }
  loads->pairs[loads->now] = count;
}

/* The share that a limit has in the forces on its two bodies, its moment at the end of the body. */
static double limit_share(const Resolution *resolution, const StepJudged *step, int joint) {
  const AspJointDef *def = asp_model_joint_def(step->view->model, joint);
  double size = fmax(resolution->size[def->body_a], resolution->size[def->body_b]),
         impulse = step->view->work->dt * fabs(step->records->joints[joint].limit);
  if (asp_joint_turns(step->view->model, joint) && size > 0)
    impulse /= size;
  return share_of(&resolution->loads, step->view, def->body_a, def->body_b, impulse);
}

static void note_limits(Resolution *resolution, const StepJudged *step, MeasuredNow *worst) {
  LoadTable *loads = &resolution->loads;
  const AspModel *model = step->view->model;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    const AspJointDef *def = asp_model_joint_def(model, joint);
    const AspJointRecord *record = &step->records->joints[joint];
    double force = fabs(record->limit);
    bool low = record->coordinate - def->limit_low < def->limit_high - record->coordinate; // nearer to it
    loads->limit_most[joint] = fmax(loads->limit_most[joint], force);
    if (loads->counts)
      asp_load_note(&loads->limit[joint],
                    force > RESOLUTION_NOTHING * loads->limit_most[joint] &&
                        limit_share(resolution, step, joint) > RESOLUTION_NOTHING, // not the rounding of a fall
                    (low ? record->rate : -record->rate) < 0);
    asp_measure_worse(worst, asp_load_toggling(&loads->limit[joint]), joint, def->body_a, def->body_b);
  }
}

/* ---- contacts that stay closed ---- */

static AspVec3 point_velocity(const AspModel *model, const AspState *state, int body, AspVec3 arm) {
  return add3(asp_state_velocity(model, state, body), cross3(asp_state_angular_velocity(model, state, body), arm));
}

/* Energy that the normal impulse takes, with the mean of the velocities at both ends of the step. */
static double normal_work(const StepView *view, const AspContactFrame *frame, double impulse) {
  double rate = 0;
  const AspState *ends[] = {view->before, view->state};
  for (int i = 0; i < 2; i++)
    rate += dot3(sub3(point_velocity(view->model, ends[i], frame->body_b, frame->arm_b),
                      point_velocity(view->model, ends[i], frame->body_a, frame->arm_a)),
                 frame->normal);
  return -0.5 * impulse * rate;
}

static int compare_contacts(const ContactLoad *a, const ContactLoad *b) {
  if (a->shape_a != b->shape_a)
    return a->shape_a < b->shape_a ? -1 : 1;
  if (a->shape_b != b->shape_b)
    return a->shape_b < b->shape_b ? -1 : 1;
  return (a->feature > b->feature) - (a->feature < b->feature);
}

/* Records ascend by shapes and feature. */
static void note_contacts(LoadTable *loads, const StepJudged *step) {
  const ContactLoad *last = loads->contact[1 - loads->now];
  ContactLoad *contact = loads->contact[loads->now];
  int count = step->records->contact_count, old = loads->contacts[1 - loads->now], at = 0;
  const AspContactFrame *frames = asp_step_balanced(step->view->work).frames;
  loads->contact_work = 0;
  for (int i = 0; i < count; i++) {
    const AspContactRecord *record = &step->records->contacts[i];
    contact[i] = (ContactLoad){record->shape_a, record->shape_b, record->feature, 0};
    while (at < old && compare_contacts(&last[at], &contact[i]) < 0)
      at++;
    if (at < old && compare_contacts(&last[at], &contact[i]) == 0)
      contact[i].steps = last[at].steps;
    bool loaded = record->impulse[0] > 0 &&
                  share_of(loads, step->view, record->body_a, record->body_b, record->impulse[0]) > RESOLUTION_NOTHING;
    contact[i].steps = contact[i].steps << 1 | loaded;
    if ((contact[i].steps & 0x7) == 0x7) // in this step and in both before it
      loads->contact_work += normal_work(step->view, &frames[i], record->impulse[0]);
  }
  loads->contacts[loads->now] = count;
}

AspError asp_loads_note(Resolution *resolution, const StepJudged *step, MeasuredNow *toggling) {
  LoadTable *loads = &resolution->loads;
  sum_bodies(resolution, step);
  if (step->scheme->integrate) // contacts close and open at their own instants
    return ASP_OK;
  loads->now = 1 - loads->now;
  AspContext *context = step->view->context;
  int count = step->records->contact_count, now = loads->now;
  ASP_TRY(ASP_GROW(context, loads->pair[now], loads->pair_capacity[now], count));
  ASP_TRY(ASP_GROW(context, loads->contact[now], loads->contact_capacity[now], count));
  // parts of a step would count as misses what comes and goes within it
  loads->counts = step->view->work->dt >= (1 - RESOLUTION_WHOLE) * step->view->options->dt;
  note_pairs(loads, step, toggling);
  note_contacts(loads, step);
  note_limits(resolution, step, toggling);
  return ASP_OK;
}

AspError asp_loads_archive(LoadTable *loads, const AspModel *model, AspArchive *archive) {
  ASP_ARCHIVE(archive, loads->now);
  loads->now = loads->now != 0;
  for (int i = 0; i < 2; i++) {
    ASP_ARCHIVE_LIST(archive, loads->pair[i], loads->pair_capacity[i], loads->pairs[i]);
    ASP_ARCHIVE_LIST(archive, loads->contact[i], loads->contact_capacity[i], loads->contacts[i]);
  }
  ASP_ARCHIVE_ARRAY(archive, loads->limit, asp_model_joint_count(model));
  ASP_ARCHIVE_ARRAY(archive, loads->limit_most, asp_model_joint_count(model));
  ASP_ARCHIVE_ARRAY(archive, loads->body, asp_model_body_count(model));
  if (loads->force)
    ASP_ARCHIVE_ARRAY(archive, loads->force, asp_model_dof_count(model));
  ASP_ARCHIVE(archive, loads->missed);
  ASP_ARCHIVE(archive, loads->contact_work);
  return archive->error;
}
