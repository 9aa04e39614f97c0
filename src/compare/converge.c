/* asp_converge: choose the quantities, run every length of step, judge the differences. */
#include "compare/converge.h"
#include "compare/tuning/compare.h"

#include <stdio.h>

#define COOKIE UINT32_C(0x61c0e7a1)

AspConvergeOptions asp_converge_default_options(void) {
  return (AspConvergeOptions){.cookie = COOKIE, .levels = CONVERGE_LEVELS_DEFAULT};
}

static AspError check(AspContext *context, const AspRunOptions *run, const AspConvergeOptions *options) {
  if (options->cookie != COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "options: take them from asp_converge_default_options()");
  if (options->levels < ASP_CONVERGE_LEVELS_MIN || options->levels > ASP_CONVERGE_LEVELS_MAX)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "levels: %d is outside %d to %d", options->levels,
                    ASP_CONVERGE_LEVELS_MIN, ASP_CONVERGE_LEVELS_MAX);
  ASP_TRY(asp_run_validate(context, run));
  if (!(run->until > 0))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "until: %g s leaves no steps to compare", run->until);
  return ASP_OK;
}

static void release(Converge *converge) {
  for (int l = 0; l < ASP_CONVERGE_LEVELS_MAX; l++) {
    asp_release(converge->context, converge->level[l].value);
    asp_release(converge->context, converge->level[l].track);
  }
  asp_release(converge->context, converge->sample_time);
  asp_release(converge->context, converge->quantities.list);
}

AspError asp_converge(AspContext *context, const AspModel *model, const AspRunOptions *run,
                      const AspConvergeOptions *options, AspConvergence *found) {
  const AspConvergeOptions defaults = asp_converge_default_options();
  Converge converge = {
      .context = context, .model = model, .run = run, .options = options ? options : &defaults, .found = found};
  *found = (AspConvergence){0};
  ASP_TRY(check(context, run, converge.options));
  found->level_count = converge.options->levels;
  AspError error = asp_quantities_choose(context, model, converge.options->output, &converge.quantities);
  if (error == ASP_OK)
    error = asp_converge_run(&converge);
  if (error == ASP_OK || error == ASP_ERROR_INTERRUPTED) {
    AspError concluded = asp_converge_conclude(&converge);
    error = concluded == ASP_OK ? error : concluded;
  }
  release(&converge);
  if (error != ASP_OK && error != ASP_ERROR_INTERRUPTED)
    asp_convergence_destroy(context, found);
  return error;
}

void asp_convergence_destroy(AspContext *context, AspConvergence *found) {
  asp_release(context, found->row);
  *found = (AspConvergence){0};
}
