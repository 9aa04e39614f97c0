/* The error of a step: its end against that of two steps of half its length (docs/theory/error-control.md).
 *
 *   e_x = |x_h - x_h/2| + R |angle between them|      e_v = |v_h - v_h/2| + R |w_h - w_h/2|      R: the body's reach
 *   e   = (e_x + (T - t) e_v) / (1 - 2^-p)            error at the end T that the step leaves, m (p: order)
 *   a   = position + relative (R + way so far)        what is asked of the body, m
 *
 * Of v_h - v_h/2 counts what goes on: what joints, closed contacts and sticking friction take back does not. The step's
 * share of what is asked is max_b e / a; with an accuracy of velocities, also e_v over it. */
#include "world/step_error.h"
#include "base/elementary.h"
#include "linalg/vec3.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>
#include <string.h>

double asp_error_reach(const AspWorld *world, int body) {
  double reach = world->geometry.body_radius[body], mass = asp_model_body_mass(world->model, body);
  if (reach > 0 && isfinite(reach))
    return reach;
  AspMat3 inertia = asp_model_body_inertia(world->model, body);
  double largest = fmax(fmax(inertia.m[0], inertia.m[4]), inertia.m[8]);
  return mass > 0 && largest > 0 ? sqrt(largest / mass) : 0;
}

/* Angle between two orientations, to first order: q and -q are the same. */
static double angle_between(AspQuat a, AspQuat b) {
  double same = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, sign = same < 0 ? -1 : 1;
  double w = a.w - sign * b.w, x = a.x - sign * b.x, y = a.y - sign * b.y, z = a.z - sign * b.z;
  return 2 * sqrt(w * w + x * x + y * y + z * z);
}

double asp_error_speed(const AspWorld *world, const AspState *state, int body, double reach) {
  return norm3(asp_state_velocity(world->model, state, body)) +
         reach * norm3(asp_state_angular_velocity(world->model, state, body));
}

double asp_error_asked(const AspWorld *world, int body, double reach) {
  const AspRunOptions *options = &world->options;
  const ErrorControl *control = world->clock.control;
  if (control->locating.on)
    return asp_locate_allowed(world, &control->fine, body, asp_locate_horizon(world));
  return options->accuracy + options->accuracy_relative * (reach + control->path[body]);
}

/* ---- what of a difference of velocities goes on ---- */

/* Does the row hold its relative velocity at both ends: joints, contacts that stay closed, friction that sticks? */
static bool is_held(const AspStepWork *work, int block, int row) {
  const AspFormulation *formulation = &work->formulation;
  int first = formulation->offset[block];
  AspBlockRole role = formulation->tag[block].role;
  if (role == ASP_ROLE_JOINT || role == ASP_ROLE_MOTION)
    return true;
  if (role == ASP_ROLE_LIMIT_LOW || role == ASP_ROLE_LIMIT_HIGH)
    return work->r[first] > 0 && !asp_block_gives_back(formulation, block);
  if (role != ASP_ROLE_CONTACT || !(work->r[first] > 0) || asp_block_gives_back(formulation, block))
    return false;
  int rows = formulation->offset[block + 1] - first;
  double t1 = rows > 1 ? work->r[first + 1] : 0, t2 = rows > 2 ? work->r[first + 2] : 0;
  return row == 0 || asp_hypot(t1, t2) < (1 - ACCURACY_STICKS) * formulation->law[block].mu * work->r[first];
}

/* 1/m, or 1/(m R^2) of a body's rotation: masses and inertias by size alone. */
static double mobility(const AspWorld *world, int body, bool turns) {
  double mass = asp_model_body_mass(world->model, body), reach = asp_error_reach(world, body);
  if (!asp_model_body_is_free(world->model, body) || !(mass > 0) || (turns && !(reach > 0)))
    return 0;
  return turns ? 1 / (mass * reach * reach) : 1 / mass;
}

/* The roots of D of all velocities, into `root`: v_size. */
static void find_roots(const AspWorld *world, double *root) {
  int n = asp_body_velocities(asp_model_dimension(world->model)), linear = asp_model_dimension(world->model);
  for (int body = 0; body < asp_model_body_count(world->model); body++)
    for (int turns = 0; turns < 2; turns++) {
      double inverse = sqrt(mobility(world, body, turns));
      for (int k = turns ? linear : 0; k < (turns ? n : linear); k++)
        root[n * body + k] = inverse;
    }
}

/* One of the bodies that a row acts on: g = j D^1/2 / (j D j^T)^1/2, D: mobilities; zeros where a body is short of
 * velocities. */
typedef struct HeldPart {
  int first;   /* velocity of the body */
  bool begins; /* a row */
  double g[6];
} HeldPart;

/* All rows g of the step just made that hold, g g^T = 1, over the velocities D^-1/2 x. */
typedef struct HeldRows {
  int n, count;   /* velocities of a body; parts */
  HeldPart *part; /* and one more behind them, which begins a row */
} HeldRows;

static int count_parts(const AspRow *row) {
  int parts = 0;
  for (const AspRow *part = row; part; part = part->more)
    parts += 2;
  return parts;
}

/* Append a row, unless it moves nothing. */
static void add_held(const AspRow *row, const double *root, HeldRows *held) {
  int n = held->n, parts = 0;
  HeldPart *list = held->part + held->count;
  double square = 0;
  for (const AspRow *part = row; part; part = part->more)
    for (int side = 0; side < 2; side++) {
      HeldPart *one = &list[parts++];
      const double *j = side == 0 ? part->ja : part->jb;
      *one = (HeldPart){.first = n * (side == 0 ? part->body_a : part->body_b), .begins = parts == 1};
      for (int k = 0; k < n; k++) {
        one->g[k] = j[k] * root[one->first + k];
        square += one->g[k] * one->g[k];
      }
    }
  if (!(square > 0))
    return;
  double scale = 1 / sqrt(square);
  for (int i = 0; i < parts; i++)
    for (int k = 0; k < n; k++)
      list[i].g[k] *= scale;
  held->count += parts;
}

/* On the arena; without memory for it there are none. */
static HeldRows list_held(AspWorld *world, const double *root) {
  const AspFormulation *formulation = &world->work.formulation;
  HeldRows held = {.n = asp_body_velocities(asp_model_dimension(world->model))};
  int parts = 1;
  AspRow room[3];
  for (int b = 0; b < formulation->blocks; b++) {
    const AspRow *rows = asp_block_rows(formulation, b, room);
    for (int k = 0; k < formulation->offset[b + 1] - formulation->offset[b]; k++)
      parts += is_held(&world->work, b, k) ? count_parts(&rows[k]) : 0;
  }
  held.part = ASP_TAKE_UNCLEARED(&world->arena, HeldPart, parts);
  for (int b = 0; held.part && b < formulation->blocks; b++) {
    const AspRow *rows = asp_block_rows(formulation, b, room);
    for (int k = 0; k < formulation->offset[b + 1] - formulation->offset[b]; k++)
      if (is_held(&world->work, b, k))
        add_held(&rows[k], root, &held);
  }
  if (held.part)
    held.part[held.count].begins = true;
  return held;
}

/* y = sum g^T (g x) over all rows; returns x y. n: a constant where it is called. */
static inline __attribute__((always_inline)) double multiply_by(const int n, const HeldRows *held, const double *x,
                                                                double *y) {
  double sum = 0;
  for (const HeldPart *row = held->part, *end = row + held->count, *next; row < end; row = next) {
    double rate = 0;
    next = row;
    do {
      for (int k = 0; k < n; k++)
        rate += next->g[k] * x[next->first + k];
      next++;
    } while (!next->begins);
    for (const HeldPart *part = row; part < next; part++)
      for (int k = 0; k < n; k++)
        y[part->first + k] += part->g[k] * rate;
    sum += rate * rate;
  }
  return sum;
}

static double multiply_held(const HeldRows *held, size_t size, const double *x, double *y) {
  memset(y, 0, size * sizeof *y);
  if (!held->part)
    return 0;
  return held->n == 6 ? multiply_by(6, held, x, y) : multiply_by(3, held, x, y);
}

static double square_of(int size, const double *x) {
  double sum = 0;
  for (int i = 0; i < size; i++)
    sum += x[i] * x[i];
  return sum;
}

/* The difference of two velocities without what joints and closed contacts take back in the next step: only the rest is
 * carried to the end of the run. It is the projection along the rows of the step just made, by conjugate gradients on
 * A = sum g^T g over x = D^-1/2 dv: whatever the order of the rows is, so that mirrored steps have mirrored errors. */
static void take_out_held(AspWorld *world, double *dv) {
  int size = asp_model_v_size(world->model);
  double *gradient = dv + size, *direction = gradient + size, *image = direction + size, *root = image + size;
  find_roots(world, root);
  HeldRows held = list_held(world, root);
  for (int i = 0; i < size; i++)
    image[i] = root[i] > 0 ? dv[i] / root[i] : 0;
  multiply_held(&held, (size_t)size, image, gradient);
  memcpy(direction, gradient, (size_t)size * sizeof *direction);
  double first = square_of(size, gradient), now = first;
  for (int k = 0; k < ACCURACY_SWEEPS && now > ACCURACY_HELD * ACCURACY_HELD * first; k++) {
    double bend = multiply_held(&held, (size_t)size, direction, image);
    if (!(bend > 0))
      return;
    for (int i = 0; i < size; i++) {
      dv[i] -= now / bend * root[i] * direction[i];
      gradient[i] -= now / bend * image[i];
    }
    double next = square_of(size, gradient);
    for (int i = 0; i < size; i++)
      direction[i] = gradient[i] + next / now * direction[i];
    now = next;
  }
}

static double speed_in(const AspWorld *world, const double *dv, int body, double reach) {
  int n = asp_body_velocities(asp_model_dimension(world->model)), linear = asp_model_dimension(world->model);
  double moved = 0, turned = 0;
  for (int k = 0; k < n; k++)
    *(k < linear ? &moved : &turned) += dv[n * body + k] * dv[n * body + k];
  return sqrt(moved) + reach * sqrt(turned);
}

static void add_body_error(const AspWorld *world, const AspState *coarse, const AspState *fine, const double *dv,
                           int body, double left, StepError *error) {
  const AspModel *model = world->model;
  const AspRunOptions *options = &world->options;
  AspPose a = asp_state_pose(model, coarse, body), b = asp_state_pose(model, fine, body);
  double reach = asp_error_reach(world, body), asked = asp_error_asked(world, body, reach);
  double estimate = 1 / (1 - asp_exp2(-world->scheme->order));
  double e_x = estimate * (norm3(sub3(a.position, b.position)) + reach * angle_between(a.orientation, b.orientation));
  double e_v = estimate * speed_in(world, dv, body, reach), e = e_x + left * e_v;
  error->share = fmax(error->share, e / asked);
  if (options->accuracy_velocity > 0)
    error->share = fmax(error->share, e_v / options->accuracy_velocity);
  error->length = fmax(error->length, e);
  error->speed = fmax(error->speed, e_v);
  double noise = ACCURACY_NOISE * options->tolerance * asp_error_speed(world, fine, body, reach) * left;
  error->noise = fmax(error->noise, noise / asked);
}

StepError asp_error_compare(AspWorld *world, const AspState *coarse, const AspState *fine) {
  StepError error = {0};
  double left = world->clock.control->locating.on ? asp_locate_horizon(world) : fmax(world->options.until - fine->t, 0),
         *dv = world->clock.control->difference;
  for (int i = 0; i < asp_model_v_size(world->model); i++)
    dv[i] = coarse->v[i] - fine->v[i];
  take_out_held(world, dv);
  for (int body = 0; body < asp_model_body_count(world->model); body++)
    if (asp_model_body_is_free(world->model, body))
      add_body_error(world, coarse, fine, dv, body, left, &error);
  if (!isfinite(error.share) || !isfinite(error.length))
    error.share = error.length = error.speed = INFINITY;
  return error;
}

/* The gap at the end of the step follows from the velocities at both ends. */
void asp_error_add_overlaps(const AspWorld *world, StepError *error) {
  const AspStepWork *work = &world->work;
  for (int i = 0; i < work->frame_count; i++) {
    const AspContactFrame *frame = &work->frames[i];
    double way = 0.5 * work->dt *
                 (asp_contact_approach(world->model, frame, &world->before) +
                  asp_contact_approach(world->model, frame, &world->state));
    double deeper = fmax(-(frame->gap + way), 0) - fmax(-frame->gap, 0);
    if (!(deeper > 0))
      continue;
    for (int side = 0; side < 2; side++) {
      int body = side == 0 ? frame->body_a : frame->body_b;
      if (asp_model_body_is_free(world->model, body))
        error->share = fmax(error->share, deeper / asp_error_asked(world, body, asp_error_reach(world, body)));
    }
    error->length = fmax(error->length, deeper);
  }
}

/* How far a joint is beyond its limits, m or rad; its bodies into row. */
static double beyond_limit(const AspModel *model, const AspState *state, int joint, AspRow row[ASP_ROW_PARTS]) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  if (!asp_joint_coordinate(model, state, joint, row))
    return 0;
  return fmax(fmax(def->limit_low - row->value, row->value - def->limit_high), 0);
}

void asp_error_add_limits(const AspWorld *world, StepError *error) {
  const AspModel *model = world->model;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++) {
    AspRow row[ASP_ROW_PARTS];
    if (isinf(asp_model_joint_def(model, joint)->limit_low) && isinf(asp_model_joint_def(model, joint)->limit_high))
      continue;
    double before = beyond_limit(model, &world->before, joint, row);
    double further = beyond_limit(model, &world->state, joint, row) - before;
    bool turns = asp_joint_turns(model, joint);
    for (int side = 0; side < 2 && further > 0; side++) {
      int body = side == 0 ? row->body_a : row->body_b;
      double reach = asp_error_reach(world, body);
      if (!asp_model_body_is_free(model, body))
        continue;
      error->share = fmax(error->share, further * (turns ? reach : 1) / asp_error_asked(world, body, reach));
      error->length = fmax(error->length, further * (turns ? reach : 1));
    }
  }
}

/* Friction r of the step acts against the slip at its end; up to the part tau where slip ended it acted the other way:
 * the slip at the end is off by 2 tau r W. Slip that does not stop but turns round is driven by more than friction, so
 * that it is no more than s- either. tau is no later than by the mean of the slips at both ends. */
static double reversal_error(const AspWorld *world, int block, const StepSlip *slip) {
  const AspFormulation *formulation = &world->work.formulation;
  AspRow room[3];
  int first = formulation->offset[block], skipped = formulation->tag[block].role == ASP_ROLE_CONTACT;
  double friction = 0;
  for (int k = first + skipped; k < formulation->offset[block + 1]; k++)
    friction += world->work.r[k] * world->work.r[k];
  const AspRow *rows = asp_block_rows(formulation, block, room);
  double mobility = asp_row_mobility(world->model, &world->before, &rows[skipped]);
  double part = slip->square / (slip->square - slip->along);
  return fmin(sqrt(slip->square), 2 * part * sqrt(friction) * mobility);
}

void asp_error_add_reversals(const AspWorld *world, StepError *error) {
  const AspFormulation *formulation = &world->work.formulation;
  double left = fmax(world->options.until - world->state.t, 0);
  for (int b = 0; b < formulation->blocks; b++) {
    StepSlip slip;
    if (!asp_slip_in_step(world, b, &slip) || !(slip.along < -LOCATE_STOPPED * slip.square))
      continue;
    bool turns =
        asp_role_is_of_joint(formulation->tag[b].role) && asp_joint_turns(world->model, formulation->tag[b].index);
    for (int side = 0; side < 2; side++) {
      int body = side == 0 ? slip.body_a : slip.body_b;
      if (!asp_model_body_is_free(world->model, body))
        continue;
      double reach = asp_error_reach(world, body), e_v = reversal_error(world, b, &slip) * (turns ? reach : 1);
      error->share = fmax(error->share, left * e_v / asp_error_asked(world, body, reach));
      error->length = fmax(error->length, left * e_v);
      error->speed = fmax(error->speed, e_v);
    }
  }
}
