/* Where a contact loses its load inside a step (docs/theory/time-stepping.md, "Events inside a step").
 *
 * A contact of a step carries through all of it or not at all, by its mean force N over the step. One that loses its
 * load inside is released at the start (N < 0) or held to the end (N > 0), and bodies are off by the force from there:
 *
 *   N(x) through the means of the last step and of this one;   N(x0) = 0 with 0 < x0 < h
 *   released: w N(0) x0 / 2,   held: w |N(h)| (h - x0) / 2      velocity, w: mobility along the normal
 *
 * N of a contact that opens is -u+ / (w h). A part that ends at x0 is the remedy. Where nothing is known of the last
 * step, as in the first one, a short part tells. Depends on locate_cuts.c. */
#include "world/step_error.h"
#include "world/tuning/resolution.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>

/* J M^-1 J^T of the normal's row, 1/kg, with the largest moments of inertia. */
static double mobility(const AspWorld *world, const AspRow *row) {
  const AspModel *model = world->model;
  int d = asp_model_dimension(model), n = asp_body_velocities(d);
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? row->body_a : row->body_b;
    const double *j = side == 0 ? row->ja : row->jb;
    if (!asp_model_body_is_free(model, body))
      continue;
    for (int i = 0; i < n; i++)
      sum += j[i] * j[i] / (i < d ? asp_model_body_mass(model, body) : world->resolution.spin[body]);
  }
  return sum;
}

/* A contact in the step just made. */
typedef struct Pressed {
  const AspContactFrame *frame;
  const AspContact *contact;
  double impulse; /* along its normal, N s */
} Pressed;

/* Mean normal forces of the two steps before, N; false: not known, or not those of a contact that stays. */
static bool known_loads(const AspWorld *world, const AspContact *contact, double load[2]) {
  const WarmStore *store = &world->warm.store;
  AspBlockKey key = {ASP_ROLE_CONTACT, contact->collider_a, contact->collider_b, contact->feature};
  int found = asp_warm_find(&world->warm, &key);
  if (found < 0 || !(store->dt > 0) || !store->frames || store->frames[store->index[found]].met ||
      store->offset[found + 1] == store->offset[found])
    return false;
  load[0] = store->r[store->offset[found]] / store->dt;
  load[1] = store->earlier[store->offset[found]] / store->dt;
  return load[0] > 0;
}

/* Was it closed at the start, and not by an impact of this step? */
static bool was_closed(const AspWorld *world, const AspContactFrame *frame) {
  const double *times = world->work.formulation.time_of_impact;
  double size = asp_resolution_size(&world->resolution, &world->view, frame->body_a, frame->body_b);
  return !frame->met && !frame->later && fabs(frame->gap) <= RESOLUTION_TOGETHER * size &&
         !(times && (times[frame->body_a] >= 0 || times[frame->body_b] >= 0));
}

/* The speed at which it opened by the end of the step, m/s; 0: it did not, or was about to before. */
static double opening_speed(const AspWorld *world, const AspContactFrame *frame, const AspRow *row) {
  int n = asp_body_velocities(asp_model_dimension(world->model));
  double parting = asp_row_along(n, row, world->before.v) + row->rate - frame->bias[0],
         opening = asp_row_along(n, row, world->state.v) + row->rate + frame->bias[0];
  double size = asp_resolution_size(&world->resolution, &world->view, frame->body_a, frame->body_b);
  bool opens = opening * world->work.dt > LOCATE_CLOSED * RESOLUTION_TOGETHER * size; // more than a solver leaves
  return opens && parting <= LIFT_OFF_PARTING * opening ? opening : 0;
}

/* Where a contact loses its load, s from the start of the step, and the velocity that the step is off by, m/s; h, 0:
 * not inside. */
typedef struct LiftOff {
  double at, off;
} LiftOff;

static LiftOff lift_off_at(const AspWorld *world, double h, double now, double last, double w) {
  double slope = (now - last) / (0.5 * (h + world->warm.store.dt)), begin = now - 0.5 * h * slope,
         end = now + 0.5 * h * slope, x = -begin / slope;
  if (!(slope < 0) || !(end < 0) || !(begin > 0))
    return (LiftOff){h, 0};
  return (LiftOff){x, 0.5 * w * (now > 0 ? -end * (h - x) : begin * x)};
}

/* A contact of the step, by its frame; *block: where to look for its block from, both are in one order. */
static Pressed pressed_at(const AspWorld *world, int frame, int *block) {
  const AspStepWork *work = &world->work;
  const AspFormulation *formulation = &work->formulation;
  Pressed it = {&work->frames[frame], &world->search.found[frame], 0};
  while (*block < formulation->blocks &&
         (formulation->tag[*block].role < ASP_ROLE_CONTACT || formulation->tag[*block].index < frame))
    ++*block;
  if (*block < formulation->blocks && formulation->tag[*block].role == ASP_ROLE_CONTACT &&
      formulation->tag[*block].index == frame && formulation->offset[*block + 1] > formulation->offset[*block])
    it.impulse = work->r[formulation->offset[*block]];
  return it;
}

/* What all closed contacts of the same two bodies carry, now and in the last two steps, where they are more than the
 * dimension: these share a load in many ways, and the force of one of them, which is up to the solver, tells nothing.
 */
static void take_shared(const AspWorld *world, Pressed *it, double load[2]) {
  double sum[2] = {0, 0}, impulse = 0;
  int closed = 0;
  for (int i = 0, b = 0; i < world->work.frame_count; i++) {
    Pressed one = pressed_at(world, i, &b);
    double carried[2] = {0, 0};
    if (one.frame->body_a != it->frame->body_a || one.frame->body_b != it->frame->body_b ||
        !was_closed(world, one.frame))
      continue;
    closed++;
    impulse += one.impulse;
    known_loads(world, one.contact, carried);
    sum[0] += carried[0];
    sum[1] += carried[1];
  }
  if (closed <= asp_model_dimension(world->model))
    return;
  it->impulse = impulse;
  load[0] = sum[0];
  load[1] = sum[1];
}

/* known: its loads of the last steps are, else `off` is all that it opened by. */
static LiftOff lift_off(const AspWorld *world, Pressed it, double h, bool *known) {
  AspRow rows[3];
  double load[2], opening = 0;
  bool held = it.impulse > 0;
  *known = known_loads(world, it.contact, load);
  if (held && *known)
    take_shared(world, &it, load);
  if (held && !(*known && load[1] >= load[0] && load[0] * h > it.impulse)) // its force must be falling
    return (LiftOff){h, 0};
  asp_contact_rows(asp_model_dimension(world->model), it.frame, rows);
  if (!held && !((opening = opening_speed(world, it.frame, rows)) > 0))
    return (LiftOff){h, 0};
  double w = mobility(world, rows);
  return *known ? lift_off_at(world, h, held ? it.impulse / h : -opening / (w * h), load[0], w)
                : (LiftOff){LIFT_OFF_LOOK * h, opening};
}

/* The length up to there; h: it is not inside, or does not count. */
static double length_of(const AspWorld *world, Pressed it, double h) {
  double near = LOCATE_NEAR * LOCATE_SHORTEST_CUT * world->options.dt;
  bool known, whole = h > (1 - RETRY_ROUNDING) * world->options.dt;
  LiftOff lift = lift_off(world, it, h, &known);
  if (lift.off == 0 || (known ? lift.at < near || h - lift.at < near : !whole))
    return h;
  return asp_locate_counts(world, it.frame->body_a, it.frame->body_b, lift.off, false) ? lift.at : h;
}

double asp_locate_lift_off(const AspWorld *world, double h) {
  double length = h;
  for (int i = 0, b = 0; i < world->work.frame_count; i++) {
    Pressed it = pressed_at(world, i, &b);
    if (was_closed(world, it.frame))
      length = fmin(length, length_of(world, it, h));
  }
  return length;
}

/* Of contacts of which nothing is known only those of the first step count: later ones had no load to lose. */
void asp_error_add_lift_offs(const AspWorld *world, StepError *error) {
  double left = fmax(world->options.until - world->state.t, 0);
  for (int i = 0, b = 0; i < world->work.frame_count; i++) {
    Pressed it = pressed_at(world, i, &b);
    bool known;
    LiftOff lift = was_closed(world, it.frame) ? lift_off(world, it, world->work.dt, &known) : (LiftOff){0, 0};
    if (!(lift.off > 0) || (!known && world->clock.step > 0))
      continue;
    for (int side = 0; side < 2; side++) {
      int body = side == 0 ? it.frame->body_a : it.frame->body_b;
      if (!asp_model_body_is_free(world->model, body))
        continue;
      error->share = fmax(error->share, left * lift.off / asp_error_asked(world, body, asp_error_reach(world, body)));
      error->length = fmax(error->length, left * lift.off);
      error->speed = fmax(error->speed, lift.off);
    }
  }
}
