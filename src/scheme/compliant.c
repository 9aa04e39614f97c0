/* Compliant contact: see asperity/compliant.h. The unknowns of the integrator (scheme/smooth.h) are q and v of the
 * dynamic bodies, the impulse of every contact that is near when an advance begins, and those of an observer. Contacts
 * come from the collision layer at every evaluation; joints are constrained (scheme/constrained_acceleration.h), and
 * what is bounded in them is a known force. Depends on model, collide, formulate. */
#include "scheme/compliant.h"
#include "base/elementary.h"

#include "formulate/acceleration.h"
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "problem/cone.h"
#include "scheme/constrained_acceleration.h"
#include "scheme/smooth.h"
#include "scheme/tuning/compliant.h"

#include <float.h>
#include <math.h>

#define COOKIE UINT32_C(0x434d504c)

struct AspCompliant {
  AspContext *context;
  const AspModel *model;
  AspCompliantOptions options;
  AspState state; /* at the end of the last advance */
  AspArena arena; /* one evaluation */
  AspCollision *collision;
  AspCollider *colliders; /* one per shape */
  double size;            /* of the largest body, m */
  double deadline;        /* s on the clock; INFINITY: none */
  AspCompliantContact *contact;
  AspContactFrame *frame; /* contacts: at the start of the run, for `frozen`; else where seen last */
  AspContact *seen;       /* contacts: the geometry of `frame` */
  int contacts, followed; /* known; those with unknowns in the present motion */
  size_t contact_capacity, frame_capacity, seen_capacity;
  AspJointHold *joint; /* joints */
  AspSmoothMotion *motion;
  double error; /* of the last advance: asp_compliant_error */
  bool until_open;
  double *further; /* 3 per followed contact, then the observer's */
  size_t further_capacity;
  AspCompliantObserver observer;
};

AspCompliantOptions asp_compliant_default_options(void) {
  return (AspCompliantOptions){// exact: defaults of options
                               .cookie = COOKIE,
                               .stiffness = 1e6,
                               .damping = 1e3,
                               .slip_damping = 1e3,
                               .tolerance = 1e-9};
}

/* ---- contacts of a state ---- */

static AspError find(AspCompliant *it, const AspState *state, double margin, const AspContact **found, int *count) {
  int shapes = asp_model_shape_count(it->model);
  for (int i = 0; i < shapes; i++) {
    int body;
    const AspShapeAttachment *attachment = asp_model_shape(it->model, i, &body);
    AspPose pose = asp_state_pose(it->model, state, body);
    it->colliders[i].pose = pose_multiply(&pose, &attachment->pose);
  }
  return asp_collision_find(it->collision, it->colliders, shapes, margin, found, count);
}

static AspContactFrame frame_of(const AspCompliant *it, const AspState *state, const AspContact *contact) {
  int a = it->colliders[contact->collider_a].owner, b = it->colliders[contact->collider_b].owner;
  AspContactFrame frame =
      asp_contact_frame(asp_model_dimension(it->model), contact->normal,
                        asp_contact_point(contact->point_a, contact->point_b, asp_model_body_is_free(it->model, a),
                                          asp_model_body_is_free(it->model, b)),
                        asp_state_pose(it->model, state, a).position, asp_state_pose(it->model, state, b).position);
  frame.law = asp_model_pair(it->model, asp_model_shape(it->model, contact->collider_a, NULL)->material,
                             asp_model_shape(it->model, contact->collider_b, NULL)->material);
  frame.body_a = a;
  frame.body_b = b;
  frame.gap = contact->gap;
  asp_contact_frame_apply_law(it->model, state, contact->collider_a, &frame);
  asp_contact_frame_carry(it->model, state, contact->collider_a, contact->collider_b, &frame);
  return frame;
}

/* Index among the known contacts; -1: not known. */
static int known(const AspCompliant *it, const AspContact *contact) {
  for (int i = 0; i < it->contacts; i++)
    if (it->contact[i].shape_a == contact->collider_a && it->contact[i].shape_b == contact->collider_b &&
        it->contact[i].feature == contact->feature)
      return i;
  return -1;
}

static double row_speed(const AspModel *model, const AspState *state, const AspRow *row) {
  int n = asp_body_velocities(asp_model_dimension(model));
  return asp_row_along(n, row, state->v) + row->rate;
}

/* Spring and damper, into the frame's impulse. On an elliptic cone the friction of largest dissipation: with stretched
 * slip s = S u it is -mu r_N S s / |s|. */
static void contact_force(const AspCompliant *it, const AspState *state, AspContactFrame *frame, AspRow rows[3]) {
  int dimension = asp_model_dimension(it->model);
  double u[3] = {0, 0, 0}, *force = frame->impulse, mu = frame->mu;
  asp_contact_rows(dimension, frame, rows);
  for (int k = 0; k < dimension; k++)
    u[k] = row_speed(it->model, state, &rows[k]);
  force[0] = frame->gap > 0 ? 0 : -it->options.stiffness * frame->gap - it->options.damping * fmin(u[0], 0);
  double s[2] = {frame->stretch[0] * u[1], frame->stretch[1] * u[2]}, speed = asp_hypot(s[0], s[1]);
  double damper = it->options.slip_damping * speed;
  if (frame->law && frame->law->static_friction > frame->law->friction) {
    // a jump from rest to motion: rest is what the damper alone holds
    bool rests =
        !(frame->law->stribeck_speed > 0) && damper <= frame->law->static_friction / frame->stretch[0] * force[0];
    mu = asp_friction_coefficient(frame->law, rests ? 0 : fmax(asp_hypot(u[1], u[2]), DBL_MIN)) / frame->stretch[0];
  }
  double limit = mu * force[0];
  double share = damper > limit ? limit / speed : it->options.slip_damping;
  force[1] = -share * frame->stretch[0] * s[0];
  force[2] = -share * frame->stretch[1] * s[1];
}

/* The contacts that touch, with their forces; f += J^T r. */
static AspError push_contacts(AspCompliant *it, const AspState *state, double *f, double *rates,
                              AspCompliantMoment *moment) {
  const AspContact *found;
  int n = asp_body_velocities(asp_model_dimension(it->model));
  ASP_TRY(find(it, state, 0, &found, &moment->count));
  moment->frames = ASP_TAKE(&it->arena, AspContactFrame, moment->count);
  if (!moment->frames)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < moment->count; i++) {
    AspContactFrame *frame = &moment->frames[i];
    AspRow rows[3];
    int index = known(it, &found[i]);
    *frame = frame_of(it, state, &found[i]);
    if (it->options.frozen && index >= 0) {
      double gap = frame->gap;
      *frame = it->frame[index];
      frame->gap = gap;
    }
    contact_force(it, state, frame, rows);
    for (int k = 0; k < asp_model_dimension(it->model); k++)
      for (int side = 0; side < 2; side++) {
        int dof = asp_model_body_dof(it->model, side ? frame->body_b : frame->body_a);
        for (int j = 0; dof >= 0 && j < n; j++)
          f[dof + j] += frame->impulse[k] * (side ? rows[k].jb[j] : rows[k].ja[j]);
      }
    if (index >= 0 && index < it->followed)
      memcpy(rates + 3 * (size_t)index, frame->impulse, 3 * sizeof *rates);
  }
  return ASP_OK;
}

/* ---- joints ---- */

/* Which limits are passed: their springs act. */
static void find_limits(AspCompliant *it, const AspState *state) {
  for (int joint = 0; joint < asp_model_joint_count(it->model); joint++) {
    const AspJointDef *def = asp_model_joint_def(it->model, joint);
    AspRow row[ASP_ROW_PARTS];
    it->joint[joint] = (AspJointHold){.motor = 1, .friction = {1, 1, 1}};
    if (!asp_joint_coordinate(it->model, state, joint, row))
      continue;
    it->joint[joint].low = row->value < def->limit_low;
    it->joint[joint].high = row->value > def->limit_high;
  }
}

static double damper(double rate, double coefficient, double limit) {
  return -fmin(fmax(coefficient * rate, -limit), limit);
}

/* The same of several rows. */
static void give_turn(const AspCompliant *it, const AspState *state, const AspRow *row, int rows, AspLaw *law) {
  double rate[3] = {0}, speed;
  for (int k = 0; k < rows; k++)
    rate[k] = row_speed(it->model, state, &row[k]);
  speed = asp_ball_length(rows, rate);
  law->limit = fmin(it->options.slip_damping * speed, law->limit);
  for (int k = 0; k < rows; k++)
    law->direction[k] = speed > 0 ? rate[k] / speed : 1;
}

/* Friction, motors and limits become known forces: BOX blocks whose reaction is -direction limit (acceleration.h). */
static void give_forces(const AspCompliant *it, const AspState *state, AspFormulation *formulation) {
  const AspModel *model = it->model;
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    AspLaw *law = &formulation->law[b];
    const AspRow *row = &formulation->row[formulation->offset[b]];
    const AspJointDef *def = asp_model_joint_def(model, tag->index);
    double force, effort, c = it->options.slip_damping;
    AspJet wanted = {0, 0, 0};
    bool known = tag->role == ASP_ROLE_MOTOR && def->has_servo;
    if (tag->role == ASP_ROLE_JOINT || tag->role == ASP_ROLE_MOTION || law->kind == ASP_LAW_EQUALITY || known)
      continue;
    if (law->kind == ASP_LAW_BALL) {
      give_turn(it, state, row, formulation->offset[b + 1] - formulation->offset[b], law);
      continue;
    }
    double rate = row_speed(model, state, row);
    if (tag->role == ASP_ROLE_LIMIT_LOW || tag->role == ASP_ROLE_LIMIT_HIGH) {
      double past = tag->role == ASP_ROLE_LIMIT_LOW ? def->limit_low - row->value : row->value - def->limit_high;
      force = it->options.stiffness * past - it->options.damping * fmin(rate, 0);
    } else {
      if (tag->role == ASP_ROLE_MOTOR)
        asp_joint_motor(model, state, tag->index, state->t, &wanted, &effort);
      force = damper(rate - wanted.value, c, law->limit);
    }
    *law = (AspLaw){.kind = ASP_LAW_BOX, .limit = -force, .direction = {1, 0, 0}};
  }
}

/* ---- the equation ---- */

static AspError evaluate(AspCompliant *it, const AspState *state, double *acceleration, double *rates) {
  AspFormulation formulation;
  AspConstrainedMotion motion;
  AspFrictionModel friction = {0};
  AspInstant instant = {.joints = it->joint};
  AspCompliantMoment moment = {.state = state, .formulation = &formulation};
  int approaching;
  find_limits(it, state);
  ASP_TRY(asp_formulation_begin(&formulation, &it->arena, it->model, NULL, 0));
  ASP_TRY(asp_formulate_acceleration(&formulation, state, NULL, NULL, 0, &friction, &instant, &approaching));
  give_forces(it, state, &formulation);
  memset(rates, 0, 3 * (size_t)it->followed * sizeof *rates);
  ASP_TRY(push_contacts(it, state, formulation.problem.f, rates, &moment));
  ASP_TRY(asp_solve_constrained(&formulation, state, NULL, &motion));
  memcpy(acceleration, motion.acceleration, (size_t)asp_model_dof_count(it->model) * sizeof *acceleration);
  moment.r = motion.r;
  return it->observer.rates ? it->observer.rates(it->observer.user, &moment, rates + 3 * (size_t)it->followed) : ASP_OK;
}

static AspError rates_of(void *user, const AspState *state, double *acceleration, double *further, bool *fits) {
  AspCompliant *it = user;
  asp_arena_reset(&it->arena);
  *fits = true;
  return evaluate(it, state, acceleration, further);
}

/* How far the nearest contact without unknowns is from getting them; then the smallest gap. */
static AspError root_values(void *user, const AspState *state, double *value) {
  AspCompliant *it = user;
  const AspContact *found;
  double near = COMPLIANT_NEAR * it->size, unknown = near, smallest = near;
  int count;
  ASP_TRY(find(it, state, near, &found, &count));
  for (int i = 0; i < count; i++) {
    int index = known(it, &found[i]);
    smallest = fmin(smallest, found[i].gap);
    if (index < 0 || index >= it->followed)
      unknown = fmin(unknown, found[i].gap);
  }
  value[0] = unknown - 0.5 * near;
  if (it->until_open)
    value[1] = smallest;
  return ASP_OK;
}

/* ---- life cycle ---- */

static AspError check_numbers(AspContext *context, const AspCompliantOptions *options) {
  if (options->cookie != COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "compliant options must come from asp_compliant_default_options()");
  const struct {
    const char *name;
    double value;
  } fields[] = {{"stiffness", options->stiffness}, {"tolerance", options->tolerance}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!(fields[i].value > 0 && isfinite(fields[i].value)))
      return asp_fail(context, ASP_ERROR_ARGUMENT, "compliant contact: %s %g must be > 0", fields[i].name,
                      fields[i].value);
  if (!(options->damping >= 0 && options->slip_damping >= 0 && isfinite(options->damping + options->slip_damping)))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "compliant contact: damping %g and slip_damping %g must be >= 0",
                    options->damping, options->slip_damping);
  return ASP_OK;
}

/* Refuse what springs and dampers cannot represent: ignoring it would simulate another scene. */
static AspError check_model(AspContext *context, const AspModel *model) {
  if (asp_model_beam_count(model) > 0)
    return asp_fail(context, ASP_ERROR_UNSUPPORTED, "compliant contact: beam %s is flexible, which is not supported",
                    asp_model_beam_name(model, 0));
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    if (asp_model_joint_def(model, joint)->friction_coefficient > 0)
      return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                      "compliant contact: joint %s has a \"friction_coefficient\", which is not supported; use a "
                      "constant \"friction\"",
                      asp_model_joint_name(model, joint));
  for (int a = 0; a < asp_model_material_count(model); a++)
    for (int b = 0; b <= a; b++) {
      const char *key = asp_pair_law_beyond_friction(asp_model_pair(model, a, b));
      if (key)
        return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                        "compliant contact: the pair of %s and %s has \"%s\", which is not supported",
                        asp_model_material_name(model, a), asp_model_material_name(model, b), key);
    }
  return ASP_OK;
}

static AspError make_colliders(AspCompliant *it) {
  int shapes = asp_model_shape_count(it->model);
  it->colliders = asp_allocate(it->context, (size_t)shapes, sizeof *it->colliders);
  if (shapes && !it->colliders)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < shapes; i++) {
    int body;
    const AspShapeAttachment *attachment = asp_model_shape(it->model, i, &body);
    it->colliders[i] = (AspCollider){.shape = &attachment->shape,
                                     .owner = body,
                                     .immobile = asp_model_body_kind(it->model, body) != ASP_BODY_DYNAMIC,
                                     .group = attachment->group,
                                     .mask = attachment->mask};
    double reach = asp_shape_reach(&attachment->shape) + norm3(attachment->pose.position);
    if (isfinite(reach))
      it->size = fmax(it->size, reach);
  }
  it->size = it->size > 0 ? it->size : 1;
  return ASP_OK;
}

/* Refuse springs whose deflection under a body's weight is near the rounding of positions. */
static AspError check_deflection(const AspCompliant *it) {
  double g = norm3(asp_model_gravity(it->model));
  for (int i = 0; g > 0 && i < asp_model_shape_count(it->model); i++) {
    int body;
    asp_model_shape(it->model, i, &body);
    double weight = g * asp_model_body_mass(it->model, body), least = COMPLIANT_FINEST * it->size;
    if (asp_model_body_kind(it->model, body) == ASP_BODY_DYNAMIC && weight < least * it->options.stiffness)
      return asp_fail(
          it->context, ASP_ERROR_INPUT,
          "compliant contact: the weight of body %s bends a spring of %g N/m by %.2g m, which is lost in the "
          "rounding of positions of %.2g m; choose a stiffness of at most %.2g N/m",
          asp_model_body_name(it->model, body), it->options.stiffness, weight / it->options.stiffness, it->size,
          weight / least);
  }
  return ASP_OK;
}

AspError asp_compliant_create(AspContext *context, const AspModel *model, const AspCompliantOptions *options,
                              AspCompliant **out) {
  *out = NULL;
  ASP_TRY(check_numbers(context, options));
  ASP_TRY(check_model(context, model));
  AspCompliant *it = asp_allocate(context, 1, sizeof *it);
  if (!it)
    return ASP_ERROR_MEMORY;
  it->context = context;
  it->model = model;
  it->options = *options;
  it->deadline = options->max_time > 0 ? asp_clock_seconds() + options->max_time : INFINITY;
  asp_arena_init(&it->arena, context);
  AspError error;
  ASP_CHECK(asp_state_create_on(context, model, &it->state));
  ASP_CHECK(asp_collision_of_model(context, model, &it->collision));
  ASP_CHECK(make_colliders(it));
  ASP_CHECK(check_deflection(it));
  it->joint = asp_allocate(context, (size_t)asp_model_joint_count(model), sizeof *it->joint);
  error = it->joint ? ASP_OK : ASP_ERROR_MEMORY;
done:
  if (error != ASP_OK) {
    asp_compliant_destroy(it);
    return error;
  }
  *out = it;
  return ASP_OK;
}

void asp_compliant_destroy(AspCompliant *it) {
  if (!it)
    return;
  AspContext *context = it->context;
  asp_smooth_close(it->motion);
  asp_state_destroy_on(context, &it->state);
  asp_collision_destroy(it->collision);
  asp_arena_free(&it->arena);
  void *blocks[] = {it->colliders, it->contact, it->frame, it->seen, it->joint, it->further};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    asp_release(context, blocks[i]);
  asp_release(context, it);
}

/* ---- following contacts ---- */

/* Room for one more known contact. */
static AspError reserve_contact(AspCompliant *it) {
  size_t needed = (size_t)it->contacts + 1;
  ASP_TRY(ASP_GROW(it->context, it->contact, it->contact_capacity, needed));
  ASP_TRY(ASP_GROW(it->context, it->frame, it->frame_capacity, needed));
  return ASP_GROW(it->context, it->seen, it->seen_capacity, needed);
}

/* Contacts near the present state that are not known yet. */
static AspError follow(AspCompliant *it) {
  const AspContact *found;
  int count;
  ASP_TRY(find(it, &it->state, COMPLIANT_NEAR * it->size, &found, &count));
  for (int i = 0; i < count; i++) {
    if (known(it, &found[i]) >= 0)
      continue;
    ASP_TRY(reserve_contact(it));
    it->seen[it->contacts] = found[i];
    it->frame[it->contacts] = frame_of(it, &it->state, &found[i]);
    it->contact[it->contacts++] = (AspCompliantContact){.body_a = it->colliders[found[i].collider_a].owner,
                                                        .body_b = it->colliders[found[i].collider_b].owner,
                                                        .shape_a = found[i].collider_a,
                                                        .shape_b = found[i].collider_b,
                                                        .feature = found[i].feature};
  }
  return ASP_OK;
}

/* Gaps and forces at the state reached. */
static AspError refresh(AspCompliant *it) {
  const AspContact *found;
  int count;
  ASP_TRY(find(it, &it->state, COMPLIANT_NEAR * it->size, &found, &count));
  for (int i = 0; i < it->contacts; i++) {
    it->contact[i].gap = HUGE_VAL;
    memset(it->contact[i].force, 0, sizeof it->contact[i].force);
  }
  for (int i = 0; i < count; i++) {
    int index = known(it, &found[i]);
    AspContactFrame frame = frame_of(it, &it->state, &found[i]);
    AspRow rows[3];
    if (index < 0)
      continue;
    it->contact[index].gap = frame.gap;
    contact_force(it, &it->state, &frame, rows);
    memcpy(it->contact[index].force, frame.impulse, sizeof it->contact[index].force);
    if (!it->options.frozen) {
      it->frame[index] = frame;
      it->seen[index] = found[i];
    }
  }
  return ASP_OK;
}

/* ---- motion ---- */

/* What the integrator asks. */
static AspSmooth calls_of(AspCompliant *it) {
  static const int directions[] = {-1, 1};
  return (AspSmooth){.context = it->context,
                     .model = it->model,
                     .user = it,
                     .rates = rates_of,
                     .roots = root_values,
                     .direction = directions,
                     .deadline = it->deadline};
}

/* The integrator from the present state; the impulses of all known contacts go along. */
static AspError open_motion(AspCompliant *it) {
  int before = it->followed, observed = it->observer.further;
  size_t unknowns = 3 * (size_t)it->contacts + (size_t)observed;
  ASP_TRY(ASP_GROW(it->context, it->further, it->further_capacity, unknowns));
  if (observed > 0)
    memmove(it->further + 3 * (size_t)it->contacts, it->further + 3 * (size_t)before,
            (size_t)observed * sizeof *it->further);
  for (int i = 0; i < it->contacts; i++)
    memcpy(it->further + 3 * (size_t)i, it->contact[i].impulse, sizeof it->contact[i].impulse);
  it->followed = it->contacts;
  double finest = COMPLIANT_ABSOLUTE * fmin(it->size, 1);
  AspSmooth smooth = calls_of(it);
  smooth.further = (int)unknowns;
  smooth.root_count = it->until_open ? 2 : 1;
  smooth.stiff = true;
  smooth.tolerance = it->options.tolerance;
  smooth.size = finest;
  smooth.speed = fmin(it->size, 1);
  smooth.allowed = it->options.tolerance;
  return asp_smooth_open(&smooth, &it->state, it->further, &it->motion);
}

static void close_motion(AspCompliant *it) {
  asp_smooth_close(it->motion);
  it->motion = NULL;
}

/* To t, to the opening, or to where a contact must be followed that was not. */
static AspError advance(AspCompliant *it, double t, AspSmoothEnd *end, bool *opened) {
  int flag = 0, fired[2] = {0, 0};
  ASP_TRY(follow(it));
  if (it->motion && it->followed != it->contacts)
    close_motion(it);
  if (!it->motion)
    ASP_TRY(open_motion(it));
  ASP_TRY(asp_smooth_advance(it->motion, t, &it->state, it->further, fired, end, &flag));
  it->error = fmax(it->error, asp_smooth_error(it->motion));
  if (*end != ASP_SMOOTH_REACHED)
    close_motion(it);
  if (*end == ASP_SMOOTH_STUCK)
    return asp_fail(
        it->context, ASP_ERROR_INTERNAL,
        "compliant contact: the integrator stopped at t = %g s (CVODE flag %d); a larger tolerance or softer "
        "contacts may help",
        it->state.t, flag);
  *opened = fired[1] != 0;
  for (int i = 0; i < it->followed; i++)
    memcpy(it->contact[i].impulse, it->further + 3 * (size_t)i, sizeof it->contact[i].impulse);
  return ASP_OK;
}

AspError asp_compliant_advance(AspCompliant *it, double t, bool until_open, bool *opened) {
  AspSmoothEnd end = ASP_SMOOTH_ROOT;
  *opened = false;
  if (!(t > it->state.t))
    return asp_fail(it->context, ASP_ERROR_ARGUMENT, "compliant contact: t = %g s is not after %g s", t, it->state.t);
  if (asp_model_dof_count(it->model) == 0)
    return asp_fail(it->context, ASP_ERROR_ARGUMENT, "compliant contact: the model has no dynamic body");
  if (it->until_open != until_open)
    close_motion(it);
  it->until_open = until_open;
  it->error = 0;
  while (end == ASP_SMOOTH_ROOT && !*opened)
    ASP_TRY(advance(it, t, &end, opened));
  return refresh(it);
}

double asp_compliant_error(const AspCompliant *it) { return it->error; }

AspError asp_compliant_begin(AspCompliant *it, const AspState *state, const AspCompliantObserver *observer) {
  close_motion(it);
  asp_state_copy(it->model, state, &it->state);
  it->observer = *observer;
  ASP_TRY(
      ASP_GROW(it->context, it->further, it->further_capacity, 3 * (size_t)it->followed + (size_t)observer->further));
  if (observer->further > 0)
    memset(it->further + 3 * (size_t)it->followed, 0, (size_t)observer->further * sizeof *it->further);
  return ASP_OK;
}

/* Frames of contacts point to their law in the model: found again by the shapes. */
static void archive_contacts(AspCompliant *it, AspArchive *archive) {
  ASP_ARCHIVE_LIST(archive, it->contact, it->contact_capacity, it->contacts);
  ASP_ARCHIVE_LIST(archive, it->frame, it->frame_capacity, it->contacts);
  ASP_ARCHIVE_LIST(archive, it->seen, it->seen_capacity, it->contacts);
  for (int i = 0; archive->reading && archive->error == ASP_OK && i < it->contacts; i++)
    it->frame[i].law = asp_model_pair(it->model, asp_model_shape(it->model, it->seen[i].collider_a, NULL)->material,
                                      asp_model_shape(it->model, it->seen[i].collider_b, NULL)->material);
}

AspError asp_compliant_archive(AspCompliant *it, const AspCompliantObserver *observer, AspArchive *archive) {
  it->observer = *observer;
  asp_state_archive(archive, it->model, &it->state);
  archive_contacts(it, archive);
  ASP_ARCHIVE(archive, it->followed);
  ASP_ARCHIVE(archive, it->error);
  ASP_ARCHIVE(archive, it->until_open);
  int unknowns = it->further ? 3 * it->followed + observer->further : 0;
  ASP_ARCHIVE_LIST(archive, it->further, it->further_capacity, unknowns);
  ASP_ARCHIVE_ARRAY(archive, it->joint, asp_model_joint_count(it->model));
  AspSmooth calls = calls_of(it);
  return asp_smooth_archive(archive, &calls, &it->motion);
}

/* ---- reading ---- */

const AspState *asp_compliant_state(const AspCompliant *it) { return &it->state; }

int asp_compliant_contact_count(const AspCompliant *it) { return it->contacts; }
const AspCompliantContact *asp_compliant_contacts(const AspCompliant *it) { return it->contact; }

const double *asp_compliant_observed(const AspCompliant *it) { return it->further + 3 * (size_t)it->followed; }

const AspContactFrame *asp_compliant_frame(const AspCompliant *it, int contact, AspContact *geometry) {
  *geometry = it->seen[contact];
  return &it->frame[contact];
}
