/* Instants at which a step is better ended, read off its own solution (docs/theory/time-stepping.md, "Events inside a
 * step").
 *
 *   slip that ends   s- != 0, and s+ = 0 or turned round:   |s-| + s' tau h + s'' (tau h)^2/2 = 0
 *
 * s', s'': by the two steps before. Friction of a step is that of its end: where slip ends within it, the velocity is
 * off by 2 |s-| at most. A step that ends at tau or a little later has s+ = 0 and the friction of sliding; what comes
 * next, rest or slip the other way, begins there.
 *
 *   a second impact   a body that meets something at tau is stopped in the same step by what it would reach next
 *
 * Impacts of one step have one instant. The second one is made after a step that ends behind the first.
 *
 *   an impact without bounce that turns a body   its contact stays closed or opens by the velocities behind it
 *
 * The step has the changes of its rows by the velocities before it: the rest of it is another step.
 *
 *   any impact inside the step   positions go with the velocities of its start and end, and the law of impact holds
 *                                with the forces of the last step, before it and behind it: off by a h^2, a h
 *
 * A part ends just before the impact, one of at most a few LOCATE_SHORTEST_CUT just behind it. So is a corner found
 * that turns in and out within the step.
 *
 *   bodies that meet before their contacts tell   turned.c
 *   a contact that loses its load   lift_off.c
 *   a load that switches with the state   switches.c
 *
 * Instants are continuous functions of state and solution: they differ by no more than what the tolerance leaves. */
#include "linalg/vec3.h"
#include "world/changes.h"
#include "world/step_error.h"
#include "world/tuning/resolution.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>

/* Are the rows of a block those of an angle? */
static bool is_of_angle(const AspWorld *world, int block) {
  const AspBlockTag *tag = &world->work.formulation.tag[block];
  return asp_role_is_of_joint(tag->role) && asp_joint_turns(world->model, tag->index);
}

bool asp_locate_counts(const AspWorld *world, int body_a, int body_b, double speed, bool of_angle) {
  double horizon = asp_locate_horizon(world);
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? body_a : body_b;
    double of_body = of_angle ? speed * asp_error_reach(world, body) : speed;
    if (asp_model_body_is_free(world->model, body) &&
        horizon * of_body >
            LOCATE_CUTS * world->options.locate * asp_locate_allowed(world, &world->state, body, horizon))
      return true;
  }
  return false;
}

/* The part of the step at which one of two bodies, which are connected, meets something; below 0: neither does. */
static double struck_at(const AspWorld *world, int body_a, int body_b) {
  const double *times = world->work.formulation.time_of_impact;
  return !times ? -1 : times[asp_model_body_is_free(world->model, body_a) ? body_a : body_b];
}

/* Gaps up to here are none, m. */
static double closed_up_to(const AspWorld *world, const AspContactFrame *frame) {
  return RESOLUTION_TOGETHER * asp_resolution_size(&world->resolution, &world->view, frame->body_a, frame->body_b);
}

/* Is a contact open at the start of the step? */
static bool is_open(const AspWorld *world, const AspContactFrame *frame) {
  return frame->gap > closed_up_to(world, frame);
}

/* Is a contact closed at both ends of the step? Its own force does not tell: corners of a body share its load in many
 * ways, and whether one of them carries is up to the solver. */
static bool stays_closed(const AspWorld *world, int block) {
  const AspStepWork *work = &world->work;
  const AspContactFrame *frame = &work->frames[work->formulation.tag[block].index];
  int normal = work->formulation.offset[block];
  return !is_open(world, frame) &&
         (work->r[normal] > 0 || work->u[normal] * work->dt <= LOCATE_CLOSED * closed_up_to(world, frame));
}

/* Rows of a block along which friction acts: from *first on; 0: none. */
static int friction_rows(const AspWorld *world, int block, int *first) {
  const AspFormulation *formulation = &world->work.formulation;
  const AspBlockTag *tag = &formulation->tag[block];
  int rows = formulation->offset[block + 1] - formulation->offset[block];
  *first = tag->role == ASP_ROLE_CONTACT;
  if (tag->role == ASP_ROLE_CONTACT)
    return stays_closed(world, block) ? rows : 0;
  return tag->role == ASP_ROLE_FRICTION || tag->role == ASP_ROLE_BEARING ? rows : 0;
}

/* When slip of the speed s ends that changed by rate[0] and rate[1] in the last step and the one before, s; below 0: it
 * does not. */
static double time_to_rest(const StepLocating *locating, double s, const double rate[2]) {
  double apart = 0.5 * (locating->length[0] + locating->length[1]), half = 0.5 * locating->length[0];
  double bend = apart > 0 ? (rate[0] - rate[1]) / apart : 0, now = rate[0] + half * bend;
  if (fabs(half * bend) > LOCATE_BENDS * fabs(rate[0]) || now * now - 2 * bend * s < 0) { // something else happened
    bend = 0;
    now = rate[0];
  }
  return now < 0 ? 2 * s / (sqrt(now * now - 2 * bend * s) - now) : -1;
}

/* The smaller mass of two bodies that forces move, kg. */
static double smaller_mass(const AspWorld *world, int body_a, int body_b) {
  double mass = INFINITY;
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? body_a : body_b;
    if (asp_model_body_is_free(world->model, body))
      mass = fmin(mass, asp_model_body_mass(world->model, body));
  }
  return mass;
}

/* The impulse between two bodies along the normals of all their contacts, N s. */
static double pair_impulse(const AspWorld *world, int body_a, int body_b) {
  const AspFormulation *formulation = &world->work.formulation;
  double sum = 0;
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    if (tag->role == ASP_ROLE_CONTACT && tag->body_a == body_a && tag->body_b == body_b &&
        formulation->offset[b + 1] > formulation->offset[b])
      sum += world->work.r[formulation->offset[b]];
  }
  return sum;
}

/* The error of a velocity where slip of this speed ends unseen, m/s: no more than twice the slip, and what friction
 * between its bodies can do in the step. */
static double slip_error(const AspWorld *world, int block, double slip) {
  const AspFormulation *formulation = &world->work.formulation;
  const AspBlockTag *tag = &formulation->tag[block];
  if (tag->role != ASP_ROLE_CONTACT)
    return slip;
  double normal = pair_impulse(world, tag->body_a, tag->body_b);
  return fmin(slip, formulation->law[block].mu * normal / smaller_mass(world, tag->body_a, tag->body_b));
}

bool asp_slip_in_step(const AspWorld *world, int block, StepSlip *slip) {
  const double *const *last = (const double *const *)world->clock.control->locating.acceleration;
  int n = asp_body_velocities(asp_model_dimension(world->model)), first, rows = friction_rows(world, block, &first);
  AspRow room[3];
  *slip = (StepSlip){0};
  if (rows <= first)
    return false;
  const AspRow *row = asp_block_rows(&world->work.formulation, block, room);
  slip->body_a = row[first].body_a;
  slip->body_b = row[first].body_b;
  if (struck_at(world, slip->body_a, slip->body_b) >= 0)
    return false;
  const AspBlockTag *tag = &world->work.formulation.tag[block];
  for (int k = first; k < rows; k++) {
    // rows are those of the middle of the step: what they change by from its start and to its end is no slip
    double bias = tag->role == ASP_ROLE_CONTACT ? world->work.frames[tag->index].bias[k] : 0;
    double before = asp_row_along(n, &row[k], world->before.v) + row[k].rate - bias;
    slip->square += before * before;
    slip->along += before * (asp_row_along(n, &row[k], world->state.v) + row[k].rate + bias);
    for (int i = 0; i < 2; i++)
      slip->rate[i] += before * asp_row_along(n, &row[k], last[i]);
  }
  return true;
}

/* The part of the step at which a block's slip ends; 1: it does not. */
static double end_of_slip(const AspWorld *world, int block, double h) {
  const StepLocating *locating = &world->clock.control->locating;
  StepSlip slip;
  if (!asp_slip_in_step(world, block, &slip) || slip.along > LOCATE_STOPPED * slip.square ||
      !asp_locate_counts(world, slip.body_a, slip.body_b, slip_error(world, block, sqrt(slip.square)),
                         is_of_angle(world, block)))
    return 1;
  double latest = slip.square / (slip.square - slip.along), speed = sqrt(slip.square);
  double at = time_to_rest(locating, speed, (double[]){slip.rate[0] / speed, slip.rate[1] / speed});
  return at > 0 ? fmin(at / h, latest) : 0.5 * latest;
}

/* The speed that a struck body loses or gains at what it reaches after its impact, m/s; 0: there is nothing. */
static double second_impact(const AspWorld *world, int block) {
  const AspStepWork *work = &world->work;
  const AspBlockTag *tag = &work->formulation.tag[block];
  if (tag->role != ASP_ROLE_CONTACT || struck_at(world, tag->body_a, tag->body_b) < 0)
    return 0;
  const AspContactFrame *frame = &work->frames[tag->index];
  double size = asp_resolution_size(&world->resolution, &world->view, tag->body_a, tag->body_b);
  if (frame->later || (frame->met && frame->merged > RESOLUTION_TOGETHER * size))
    return -fmin(asp_contact_approach(world->model, frame, &world->before), 0);
  if (frame->met || !is_open(world, frame))
    return 0;
  return work->r[work->formulation.offset[block]] / smaller_mass(world, tag->body_a, tag->body_b);
}

/* How the rotation of both bodies accelerates the gap of a point that is fixed in them, m/s^2. */
static double turning(const AspModel *model, const AspContactFrame *frame, const AspState *state) {
  AspVec3 a = asp_state_angular_velocity(model, state, frame->body_a),
          b = asp_state_angular_velocity(model, state, frame->body_b);
  return dot3(frame->normal, sub3(cross3(b, cross3(b, frame->arm_b)), cross3(a, cross3(a, frame->arm_a))));
}

/* A ball's point of contact is not fixed in it. */
static bool is_of_ball(const AspWorld *world, const AspContact *contact) {
  for (int side = 0; side < 2; side++) {
    int shape = side == 0 ? contact->collider_a : contact->collider_b;
    AspShapeKind kind = asp_model_shape(world->model, shape, NULL)->shape.kind;
    if (kind == ASP_SHAPE_SPHERE || kind == ASP_SHAPE_DISK)
      return true;
  }
  return false;
}

/* The speed by which the end of the step is off behind an impact without bounce, m/s: with the rest x of the step, the
 * gap stays closed, u+ = -x c, or opens under the forces, u+ = x a, whichever is more; the step has c of before. */
static double turned_by_impact(const AspWorld *world, int block, double h) {
  const AspStepWork *work = &world->work;
  const AspBlockTag *tag = &work->formulation.tag[block];
  int first = work->formulation.offset[block], n = asp_body_velocities(asp_model_dimension(world->model));
  AspRow room[3];
  if (tag->role != ASP_ROLE_CONTACT || !(work->r[first] > 0) || asp_block_gives_back(&work->formulation, block))
    return 0;
  const AspContactFrame *frame = &work->frames[tag->index];
  double tau = struck_at(world, tag->body_a, tag->body_b), x = (1 - tau) * h;
  if (!frame->met || tau < 0 || is_of_ball(world, &world->search.found[tag->index]))
    return 0;
  const AspRow *normal = asp_block_rows(&work->formulation, block, room);
  double opens = -asp_row_along(n, normal, world->clock.control->locating.acceleration[0]);
  return x *
         fabs(fmin(turning(world->model, frame, &world->state), opens) - turning(world->model, frame, &world->before));
}

/* An impact in the step: its row, when it is met, s, how fast, and the velocity by which the step is off if it stays
 * whole, m/s, of angles rad/s. */
typedef struct InnerImpact {
  AspRow row;
  double at, speed, error;
  bool of_angle;
} InnerImpact;

/* How fast bodies are accelerated along an impact's row on their smooth way, m/s^2 or rad/s^2: by the last two steps,
 * one of which may have had an event, by the known forces, or by gravity, whichever is more. */
static double smooth_change(const AspWorld *world, const InnerImpact *impact) {
  const AspRow *row = &impact->row;
  int n = asp_body_velocities(asp_model_dimension(world->model));
  double *const *last = world->clock.control->locating.acceleration;
  double change = fmin(fabs(asp_row_along(n, row, last[0])), fabs(asp_row_along(n, row, last[1])));
  change = fmax(change, fabs(asp_row_along(n, row, world->work.formulation.acceleration)));
  return impact->of_angle ? change : fmax(change, norm3(asp_model_gravity(world->model)));
}

/* The smallest acceleration along a row: of the last two steps, and by the known forces, m/s^2. */
static double fastest_towards(const AspWorld *world, const AspRow *row) {
  int n = asp_body_velocities(asp_model_dimension(world->model));
  double *const *last = world->clock.control->locating.acceleration;
  double along = fmin(asp_row_along(n, row, last[0]), asp_row_along(n, row, last[1]));
  return fmin(along, asp_row_along(n, row, world->work.formulation.acceleration));
}

/* A corner that turns into something and out again within the step, too slow for an impact of its length: seen by its
 * way gap + u x + b x^2/2 along the velocities of the start, with the known forces or those of the last two steps. */
static bool is_grazing(const AspWorld *world, const AspContactFrame *frame, double h, InnerImpact *impact) {
  // the frame is that of the middle of the step (refine.c)
  double u = asp_contact_approach(world->model, frame, &world->before) - frame->bias[0],
         b = frame->bend + fastest_towards(world, &impact->row), x = b > 0 ? fmin(-u / b, h) : h;
  double gap = fmax(frame->gap, 0), square = u * u - 2 * b * gap, none = closed_up_to(world, frame);
  // what touches already is not met once more: short parts would follow short parts, and leave none for impacts
  if (frame->met || frame->later || frame->barrier || !(u < 0) || frame->gap <= world->geometry.slop ||
      !(square > 2 * fabs(b) * none) || // a hop that is no gap
      !(gap + x * (u + 0.5 * x * b) < -none))
    return false;
  impact->speed = sqrt(square);
  impact->at = 2 * gap / (impact->speed - u);
  impact->error = impact->speed;
  return true;
}

/* Is a block, of a contact or a limit, met by an impact inside the step? */
static bool find_impact(const AspWorld *world, int block, double h, InnerImpact *impact) {
  const AspStepWork *work = &world->work;
  const AspBlockTag *tag = &work->formulation.tag[block];
  int first = work->formulation.offset[block], n = asp_body_velocities(asp_model_dimension(world->model));
  bool contact = tag->role == ASP_ROLE_CONTACT,
       limit = tag->role == ASP_ROLE_LIMIT_LOW || tag->role == ASP_ROLE_LIMIT_HIGH;
  AspRow room[3];
  if ((!contact && !limit) || work->formulation.offset[block + 1] == first)
    return false;
  impact->row = *asp_block_rows(&work->formulation, block, room);
  impact->of_angle = is_of_angle(world, block);
  if (!(work->r[first] > 0))
    return contact && is_grazing(world, &work->frames[tag->index], h, impact);
  double approach = asp_row_along(n, &impact->row, world->before.v) + impact->row.rate,
         at = struck_at(world, impact->row.body_a, impact->row.body_b) * h;
  const AspContactFrame *frame = contact ? &work->frames[tag->index] : NULL;
  if (!(approach < 0) || at < 0 || !(frame ? frame->met : tag->met) ||
      (frame && frame->gap < -closed_up_to(world, frame)))
    return false; // what overlaps was met long ago
  impact->at = at;
  impact->speed = -approach;
  impact->error = smooth_change(world, impact) * fmax(at, h - at); // forces behind it are not those before it
  if (world->scheme->impacts_at_end)                               // its bodies are late by the way of the rest
    impact->error = fmax(impact->error, 2 * impact->speed * (h - at) / asp_locate_horizon(world));
  return true;
}

/* How long the step had better be by an impact of a block, s; h: it may stay as it is. */
static double cut_at_impact(const AspWorld *world, int block, double h) {
  InnerImpact impact;
  double least = LOCATE_SHORTEST_CUT * world->options.dt;
  if (!find_impact(world, block, h, &impact) ||
      !asp_locate_counts(world, impact.row.body_a, impact.row.body_b, impact.error, impact.of_angle))
    return h;
  // before it, and not later than it is met with all forces towards it: speed x + change x^2/2 = speed at
  double change = smooth_change(world, &impact), speed = impact.speed;
  double before = 2 * speed * impact.at / (speed + sqrt(speed * speed + 2 * change * speed * impact.at)) - least;
  double length = before > LOCATE_NEAR * least ? before : impact.at + least;
  return length < (1 - RETRY_ROUNDING) * h ? length : h;
}

void asp_error_add_late_impacts(const AspWorld *world, double h, StepError *error) {
  double left = fmax(world->options.until - world->state.t, 0);
  for (int b = 0; world->scheme->impacts_at_end && b < world->work.formulation.blocks; b++) {
    InnerImpact impact;
    if (!find_impact(world, b, h, &impact))
      continue;
    double late = h - impact.at, off = fmin(smooth_change(world, &impact) * late, 2 * impact.speed);
    for (int side = 0; side < 2; side++) {
      int body = side == 0 ? impact.row.body_a : impact.row.body_b;
      if (!asp_model_body_is_free(world->model, body))
        continue;
      double reach = asp_error_reach(world, body), arm = impact.of_angle ? reach : 1;
      double e = arm * (2 * impact.speed * late + left * off);
      error->share = fmax(error->share, e / asp_error_asked(world, body, reach));
      error->length = fmax(error->length, e);
      error->speed = fmax(error->speed, arm * off);
    }
  }
}

/* The length at which bodies that turn meet before their contacts tell (turned.c), s; h: they do not. */
static double cut_at_early_meeting(const AspWorld *world, double h) {
  const AspStepWork *work = &world->work;
  const AspFormulation *formulation = &work->formulation;
  AspArenaMark mark = asp_arena_mark(world->view.arena);
  bool *carries = ASP_TAKE(world->view.arena, bool, work->frame_count);
  for (int b = 0; carries && b < formulation->blocks; b++)
    if (formulation->tag[b].role == ASP_ROLE_CONTACT && formulation->offset[b + 1] > formulation->offset[b])
      carries[formulation->tag[b].index] = work->r[formulation->offset[b]] > 0;
  double part = carries ? asp_step_meets_early(&world->view, carries, work->frame_count, RESOLUTION_TOGETHER) : 1;
  asp_arena_rewind(world->view.arena, mark);
  return part < LOCATE_LATEST && part * h > LOCATE_NEAR * LOCATE_SHORTEST_CUT * world->options.dt ? part * h : h;
}

double asp_locate_cut(const AspWorld *world, double h) {
  const AspFormulation *formulation = &world->work.formulation;
  double part = 1, least = LOCATE_SHORTEST_CUT * world->options.dt / h,
         impact =
             fmin(fmin(asp_locate_lift_off(world, h), asp_locate_switch(world, h)), cut_at_early_meeting(world, h));
  for (int b = 0; b < formulation->blocks; b++) {
    const AspBlockTag *tag = &formulation->tag[b];
    double speed = fmax(second_impact(world, b), turned_by_impact(world, b, h));
    if (speed > 0 && asp_locate_counts(world, tag->body_a, tag->body_b, speed, false))
      part = fmin(part, struck_at(world, tag->body_a, tag->body_b));
    else
      part = fmin(part, end_of_slip(world, b, h));
    impact = fmin(impact, cut_at_impact(world, b, h));
  }
  part = LOCATE_BEHIND * fmax(part, least);
  return fmin(impact, part < LOCATE_LATEST ? part * h : h);
}
