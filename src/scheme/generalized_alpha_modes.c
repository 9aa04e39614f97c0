/* Generalized-alpha where the passes do not converge: contacts go through open, stick and slip in turn, although one
 * mode may be consistent. Those that keep changing, at most three, are held in every combination of modes, so that a
 * pass is a smooth map, and the combination that converges and obeys the laws is taken. Held
 *
 *   open     no reaction;                              must end with g >= 0
 *   stick    value = 0, u = 0;                         kappa >= 0, P_N >= 0, ||P_F|| <= mu P_N
 *   slip     value = 0, normal law, P_F = -mu P_N d;   kappa >= 0, slip along d
 *
 * The last word has a free pass from there: its residuals and changes are the step's certificate. */
#include "base/effort.h"
#include "scheme/generalized_alpha.h"
#include "scheme/tuning/generalized_alpha.h"

#include <math.h>

typedef struct Held {
  int block[ALPHA_MODES_MOST_HELD];
  int count, choices;
} Held;

/* The contacts that changed most often, and more than once. */
static Held find_held(const AlphaStep *step) {
  Held held = {.choices = step->alpha->all.problem.dimension == 2 ? 4 : 3};
  for (int b = 0; b < step->block_count; b++) {
    int at = held.count;
    if (step->alpha->all.tag[b].role != ASP_ROLE_CONTACT || step->flips[b] < 2)
      continue;
    while (at > 0 && step->flips[b] > step->flips[held.block[at - 1]])
      at--;
    held.count += held.count < ALPHA_MODES_MOST_HELD;
    for (int i = held.count - 1; i > at; i--)
      held.block[i] = held.block[i - 1];
    if (at < ALPHA_MODES_MOST_HELD)
      held.block[at] = b;
  }
  return held;
}

/* Passes in this combination, then a free one; *converged: it stayed. */
static AspError try_combination(AlphaStep *step, const Held *held, int combination, bool *converged) {
  for (int i = 0, rest = combination; i < held->count; i++, rest /= held->choices)
    step->hold[held->block[i]] = (AlphaHold)(ALPHA_HOLD_OPEN + rest % held->choices);
  ASP_TRY(asp_alpha_iterate(step, converged));
  for (int i = 0; i < held->count; i++)
    step->hold[held->block[i]] = ALPHA_FREE;
  if (!*converged)
    return ASP_OK;
  ASP_TRY(asp_alpha_evaluate(step));
  ASP_TRY(asp_alpha_pass(step));
  *converged = step->change[0] <= ALPHA_MODES_CONSISTENT && step->change[1] <= ALPHA_MODES_CONSISTENT;
  return ASP_OK;
}

AspError asp_alpha_enumerate(AlphaStep *step, bool *converged) {
  Held held = find_held(step);
  int combinations = 1;
  if (held.count == 0)
    return ASP_OK;
  for (int i = 0; i < held.count; i++)
    combinations *= held.choices;
  const AspEffort *effort = asp_effort(step->work->arena->context);
  for (int c = 0; c < combinations && !*converged && !asp_effort_is_low(effort); c++)
    ASP_TRY(try_combination(step, &held, c, converged));
  step->alpha->combinations = combinations;
  if (!*converged) // leave what free passes come to
    ASP_TRY(asp_alpha_iterate(step, converged));
  return ASP_OK;
}
