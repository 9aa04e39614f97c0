/* Loads and rates that switch with the state inside a step: relays, stages of controllers, forces of a region, motors
 * that a place stops.
 *
 * A step takes one value of a load for all of it, in its middle, at its ends or at its start. Where the value jumps
 * inside by J, momentum is off by up to J h / 2; a rate that jumps is late, and the way off by J h. The motion of the
 * step just made tells where: along
 *
 *   v(x) = v- + (v+ - v-) x / h,   q(x) = q- + x (v- + v(x)) / 2
 *
 * the functions are looked at a few times, and between two looks that differ by more than what counts halving finds the
 * change. What stays as large over a rounding is a jump, and a part that ends behind it is the remedy. A function that
 * changes and changes back between two looks is not seen. Jumps that are left, because parts are as many as they may be
 * or because events are not located (option `locate`), are momentum that the step misses, of ways over the time so
 * far, and add to what is unaccounted (resolution.c). Depends on changes.c. */
#include "model/sensor.h"
#include "world/changes.h"
#include "world/tuning/world.h"

#include <math.h>

/* The motion over the step just made, and the place on it that is looked at. */
typedef struct StepPath {
  const AspWorld *world;
  double h;
  bool rates; /* these alone */
  bool asked; /* what counts is a part of the asked accuracy, else of what events may leave */
  AspState at;
} StepPath;

/* Schemes that integrate meet switches of loads, not those of rates. Steps of first order end at those of rates alone:
 * a load goes with the positions of whole steps, whose lag a shorter one would turn into energy. */
static bool may_switch(const AspWorld *world, int timed, bool rates) {
  return asp_timed_switches(world->model, timed) && !(rates && asp_timed_kind(world->model, timed) == TIMED_LOAD);
}

static bool has_switches(const AspWorld *world, bool rates) {
  for (int i = 0; i < asp_model_timed_count(world->model); i++)
    if (may_switch(world, i, rates))
      return true;
  return false;
}

/* The state at a time x after the start, with what expressions sense there. */
static void go_to(StepPath *path, double x) {
  const AspWorld *world = path->world;
  const AspModel *model = world->model;
  const double *v0 = world->before.v, *v1 = world->state.v, part = x / path->h;
  int size = asp_model_v_size(model);
  asp_state_copy(model, &world->before, &path->at);
  for (int i = 0; i < size; i++)
    path->at.v[i] += 0.5 * part * (v1[i] - v0[i]);
  asp_state_advance(model, &path->at, path->at.v, x);
  for (int i = 0; i < size; i++)
    path->at.v[i] = v0[i] + part * (v1[i] - v0[i]);
  asp_state_sense(model, &path->at, path->at.v);
}

static double value_at(StepPath *path, int timed, double x) {
  go_to(path, x);
  return asp_timed_value(path->world->model, &path->at, timed);
}

/* The jump of a function between two places; *high: just behind it. */
static double find_jump(StepPath *path, int timed, double low, double *high) {
  double before = value_at(path, timed, low), behind = value_at(path, timed, *high), whole = fabs(behind - before);
  double apart = CHANGES_SHORTEST * path->world->options.dt;
  while (*high - low > apart) {
    double middle = 0.5 * (low + *high), between = value_at(path, timed, middle);
    if (fabs(between - before) > fabs(behind - between)) {
      *high = middle;
      behind = between;
    } else {
      low = middle;
      before = between;
    }
  }
  double jump = fabs(behind - before);
  return jump > SWITCHES_JUMP * whole ? jump : 0;
}

/* A function that switched. */
typedef struct Switch {
  int timed;
  double behind; /* s from the start of the step; 0: none did */
  double jump;
} Switch;

static void read_values(StepPath *path, double x, double *values) {
  const AspModel *model = path->world->model;
  go_to(path, x);
  for (int i = 0; i < asp_model_timed_count(model); i++)
    values[i] = may_switch(path->world, i, path->rates) ? asp_timed_value(model, &path->at, i) : 0;
}

static bool counts(const StepPath *path, int timed, double jump) {
  StepError error = {0};
  if (!path->asked)
    return asp_change_counts(path->world, timed, &(TimeChange){.jump = jump}, path->h);
  asp_error_add_jump(path->world, timed, jump, path->h, &error);
  return error.share > SWITCHES_ASKED;
}

/* The first one between two looks, whose values are given. */
static Switch switch_between(StepPath *path, double low, double high, const double *before, const double *after) {
  Switch first = {.behind = 0};
  for (int i = 0; i < asp_model_timed_count(path->world->model); i++) {
    double behind = high;
    if (!counts(path, i, fabs(after[i] - before[i])))
      continue;
    double jump = find_jump(path, i, low, &behind);
    if (counts(path, i, jump) && (first.behind == 0 || behind < first.behind))
      first = (Switch){i, behind, jump};
  }
  return first;
}

/* The first one from `from` on; values: room for two of each function. */
static Switch first_switch(StepPath *path, double from, double to, double *values) {
  double *before = values, *after = values + asp_model_timed_count(path->world->model);
  Switch first = {.behind = 0};
  read_values(path, from, before);
  for (int k = 1; k <= SWITCHES_LOOKS && first.behind == 0; k++) {
    double low = from + (k - 1) * (to - from) / SWITCHES_LOOKS, high = from + k * (to - from) / SWITCHES_LOOKS;
    read_values(path, high, after);
    first = switch_between(path, low, high, before, after);
    double *swap = before;
    before = after;
    after = swap;
  }
  return first;
}

/* Room for a search on the arena; false: out of memory. */
static bool begin(StepPath *path, const AspWorld *world, double h, bool rates, AspArena *arena, double **values) {
  *path = (StepPath){world, h, rates, false, asp_state_copied(world->model, arena, &world->before)};
  *values = ASP_TAKE(arena, double, 2 * asp_model_timed_count(world->model));
  return path->at.q && *values;
}

double asp_locate_switch(const AspWorld *world, double h) {
  double least = LOCATE_SHORTEST_CUT * world->options.dt, *values, length = h;
  AspArena *arena = world->view.arena;
  StepPath path;
  bool rates = !world->scheme->locates;
  if (!has_switches(world, rates) || h <= 2 * least)
    return h;
  AspArenaMark mark = asp_arena_mark(arena);
  if (begin(&path, world, h, rates, arena, &values)) {
    Switch first = first_switch(&path, 0, h - least, values); // a part may have ended a rounding before one
    length = first.behind > 0 ? fmax(first.behind, least) : h;
  }
  asp_arena_rewind(arena, mark);
  return length;
}

/* What a jump inside a step of h leaves out, N s and N m s; 0: it is small. */
static double missed_by(const AspWorld *world, const Switch *it, double h) {
  const AspModel *model = world->model;
  if (asp_timed_kind(model, it->timed) == TIMED_LOAD) {
    double impulse = 0.5 * h * it->jump;
    return asp_change_share(world, it->timed, impulse, 0) > CHANGES_PULSE ? impulse : 0;
  }
  int bodies[2];
  bool turns = asp_timed_bodies(model, it->timed, bodies);
  double way = h * it->jump, inertia = 0, so_far = fmax(world->state.t - world->resolution.start, h);
  for (int side = 0; side < 2; side++)
    if (bodies[side] >= 0 && asp_model_body_is_free(model, bodies[side]))
      inertia += turns ? world->resolution.spin[bodies[side]] : asp_model_body_mass(model, bodies[side]);
  return asp_change_share(world, it->timed, 0, way) > CHANGES_PULSE ? inertia * way / so_far : 0;
}

double asp_switches_missed(const AspWorld *world, double h) {
  double least = LOCATE_SHORTEST_CUT * world->options.dt, *values, missed = 0, from = least;
  AspArena *arena = world->view.arena;
  StepPath path;
  bool rates = world->scheme->integrate;
  if (!has_switches(world, rates) || h <= 2 * least)
    return 0;
  AspArenaMark mark = asp_arena_mark(arena);
  bool more = begin(&path, world, h, rates, arena, &values);
  for (int i = 0; more && i < SWITCHES_LOOKS; i++) {
    Switch next = first_switch(&path, from, h - least, values);
    more = next.behind > 0 && next.behind < h - least;
    missed += next.behind > 0 ? missed_by(world, &next, h) : 0;
    from = next.behind;
  }
  asp_arena_rewind(arena, mark);
  return missed;
}

void asp_error_add_switches(const AspWorld *world, double h, StepError *error) {
  AspArena *arena = world->view.arena;
  double *values, edge = SWITCHES_EDGE * h; // a step that begins or ends at a switch has it a rounding inside
  StepPath path;
  if (!has_switches(world, false))
    return;
  AspArenaMark mark = asp_arena_mark(arena);
  if (begin(&path, world, h, false, arena, &values)) {
    path.asked = true;
    Switch first = first_switch(&path, edge, h - edge, values);
    if (first.behind > 0)
      asp_error_add_jump(world, first.timed, first.jump, h, error);
  }
  asp_arena_rewind(arena, mark);
}
