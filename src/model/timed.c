/* Functions of time, and of the state, that act on the motion, and where the former jump or bend.
 *
 * Over an interval of time the ranges of a function tell whether one of its branches may change inside (range.c). Where
 * none does, there is no jump and no kink; where one may, the halves of the interval are looked at, the first one
 * first, down to a few roundings. A load is uneven where its mean over a step differs from its value in the middle: by
 *
 *   |mean - middle| <= h/8 (largest - smallest derivative)
 *
 * at most, which is taken over parts of the step where it is large. Depends on range.c. */
#include "model/model.h"
#include "model/range.h"

#include <float.h>

/* ---- the list ---- */

/* Does it depend on places or velocities? */
static bool senses_motion(const AspModel *model, const TimeFunction *function) {
  int slot = -1;
  const AspTable *table = NULL;
  for (int i = 0; function->expression && asp_expression_operation(function->expression, i, &slot, &table); i++)
    if (slot >= 0 && asp_sensor_is_of_motion(&model->sensor[slot]))
      return true;
  return false;
}

static AspError list(AspModel *model, const TimeFunction *function, TimedKind kind, int a, int b, bool turns) {
  TimedFunction timed = {.function = function, .kind = kind, .body_a = a, .body_b = b, .turns = turns};
  timed.of_time = asp_expression_has_time(function->expression, &timed.sudden);
  bool switches = timed.sudden && senses_motion(model, function);
  timed.switches = switches && kind != TIMED_PLACE;
  timed.of_time = timed.of_time || (switches && kind != TIMED_LOAD); // of places as the start of the step expects them
  if (!timed.of_time && !timed.switches)
    return ASP_OK;
  ASP_TRY(ASP_GROW(model->context, model->timed, model->timed_capacity, model->timed_count + 1));
  model->timed[model->timed_count++] = timed;
  return ASP_OK;
}

static AspError list_joint(AspModel *model, int joint) {
  const ModelJoint *it = &model->joint[joint];
  int a = it->def.body_a, b = it->def.body_b;
  bool turns = asp_joint_turns(model, joint);
  ASP_TRY(list(model, &it->motor, TIMED_RATE, a, b, turns));
  ASP_TRY(list(model, &it->motion, TIMED_PLACE, a, b, turns));
  ASP_TRY(list(model, &it->effort, TIMED_LOAD, a, b, turns));
  ASP_TRY(list(model, &it->load, TIMED_LOAD, a, b, turns));
  ASP_TRY(list(model, &it->target, TIMED_PLACE, a, b, turns));
  return list(model, &it->target_velocity, TIMED_RATE, a, b, turns);
}

AspError asp_timed_list(AspModel *model) {
  model->timed_count = 0;
  for (int i = 0; i < model->body_count; i++) {
    for (int k = 0; k < 3; k++)
      ASP_TRY(list(model, &model->body[i].position[k], TIMED_PLACE, i, -1, false));
    ASP_TRY(list(model, &model->body[i].rotation, TIMED_PLACE, i, -1, true));
  }
  for (int i = 0; i < model->joint_count; i++)
    ASP_TRY(list_joint(model, i));
  for (int i = 0; i < model->force_count; i++) {
    const ModelForce *it = &model->force[i];
    for (int k = 0; k < 3; k++)
      ASP_TRY(list(model, &it->component[k], TIMED_LOAD, it->def.body, -1, it->def.kind == ASP_FORCE_TORQUE));
  }
  for (int i = 0; i < model->shape_count; i++)
    for (int k = 0; model->shape[i].surface && k < 3; k++) {
      ASP_TRY(list(model, &model->shape[i].surface->velocity[k], TIMED_RATE, model->shape[i].body, -1, false));
      ASP_TRY(list(model, &model->shape[i].surface->spin[k], TIMED_RATE, model->shape[i].body, -1, true));
    }
  return ASP_OK;
}

int asp_model_timed_count(const AspModel *model) { return model->timed_count; }
bool asp_timed_is_of_time(const AspModel *model, int timed) { return model->timed[timed].of_time; }
bool asp_timed_switches(const AspModel *model, int timed) { return model->timed[timed].switches; }

double asp_timed_value(const AspModel *model, const AspState *state, int timed) {
  return asp_time_function_at(model->timed[timed].function, state->t, state->input, 0).value;
}

TimedKind asp_timed_kind(const AspModel *model, int timed) { return model->timed[timed].kind; }

bool asp_timed_bodies(const AspModel *model, int timed, int body[2]) {
  body[0] = model->timed[timed].body_a;
  body[1] = model->timed[timed].body_b;
  return model->timed[timed].turns;
}

bool asp_timed_is_sudden(const AspModel *model, int timed) { return model->timed[timed].sudden; }

bool asp_model_is_sudden(const AspModel *model) {
  for (int i = 0; i < model->timed_count; i++)
    if (model->timed[i].of_time && model->timed[i].sudden)
      return true;
  return false;
}

/* ---- changes ---- */

/* A search for a change. */
typedef struct Search {
  const TimeFunction *function;
  const AspInput *input;
  double apart; /* s: instants that are not told apart */
  int left;     /* evaluations */
  TimeChange *change;
} Search;

static RangeJet range_of(const Search *search, double low, double high) {
  return asp_expression_range(search->function->expression, (Range){low, high}, search->input);
}

static AspJet value_of(const Search *search, double t) {
  return asp_time_function_at(search->function, t, search->input, 0);
}

/* Do value or derivative jump between low and high? */
static bool take_change(const Search *search, double low, double high) {
  TimeChange *change = search->change;
  change->low = low - search->apart; // times that are sums are on the right side, too
  change->high = high + search->apart;
  AspJet before = value_of(search, change->low), behind = value_of(search, change->high);
  change->jump = fabs(behind.value - before.value);
  change->bend = fabs(behind.rate - before.rate);
  double rounding = (change->high - change->low) * fmax(fabs(before.rate), fabs(behind.rate));
  if (!(change->jump > TIMED_SAME * fmax(fabs(before.value), fabs(behind.value)) + rounding))
    change->jump = 0;
  double turning = (change->high - change->low) * fmax(fabs(before.acceleration), fabs(behind.acceleration));
  if (!(change->bend > TIMED_SAME * fmax(fabs(before.rate), fabs(behind.rate)) + turning))
    change->bend = 0;
  return change->jump > 0 || change->bend > 0;
}

static bool find_change(Search *search, double low, double high) {
  if (search->left-- <= 0 || !range_of(search, low, high).changes)
    return false;
  double middle = 0.5 * (low + high);
  if (high - low <= search->apart || !(middle > low && middle < high))
    return take_change(search, low, high);
  return find_change(search, low, middle) || find_change(search, middle, high);
}

/* Times are told apart from here on, s. */
static double rounding(double from, double to) { return TIMED_ROUNDINGS * DBL_EPSILON * fmax(fabs(from), fabs(to)); }

bool asp_timed_change(const AspModel *model, const AspState *state, int timed, double from, double to,
                      TimeChange *change) {
  Search search = {model->timed[timed].function, state->input, rounding(from, to), TIMED_EVALUATIONS, change};
  return find_change(&search, from, to);
}

double asp_timed_uneven(const AspModel *model, const AspState *state, int timed, double from, double to, bool closely) {
  Search search = {.function = model->timed[timed].function, .input = state->input};
  int parts = closely ? TIMED_LOOKS : 1;
  double bound = 0, mean = 0, part = (to - from) / parts;
  for (int i = 0; i < parts; i++) {
    RangeJet of = range_of(&search, from + i * part, from + (i + 1) * part);
    double height = of.value.high - of.value.low, steep = of.rate.high - of.rate.low; // a jump is no derivative
    // exact: of a function with bounded derivative
    bound += (of.changes ? height : steep * part / 8) / parts;
    mean += closely ? value_of(&search, from + (i + 0.5) * part).value / parts : 0;
  }
  return closely ? fabs(mean - value_of(&search, 0.5 * (from + to)).value) + bound : bound;
}
