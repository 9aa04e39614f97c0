/* Error control as JSON, as text, and as a miss: see run_accuracy.h. */
#include "run_accuracy.h"

#include "terminal.h"

#include <math.h>

void accuracy_write(Json *json, const AspWorld *world) {
  const AspAccuracy *accuracy = asp_world_accuracy(world);
  const AspRunOptions *options = asp_world_options(world);
  if (!accuracy) {
    json_null(json, "accuracy");
    return;
  }
  json_object(json, "accuracy");
  json_number(json, "asked", options->accuracy);
  json_number(json, "asked_relative", options->accuracy_relative);
  json_number(json, "asked_velocity", options->accuracy_velocity);
  json_number(json, "estimated", accuracy->estimated);
  json_number(json, "share", accuracy->share);
  json_integer(json, "steps_accepted", accuracy->steps);
  json_integer(json, "steps_rejected", accuracy->rejected);
  json_number(json, "dt_min", accuracy->dt_min);
  json_number(json, "dt_max", accuracy->dt_max);
  json_number(json, "lost_at", accuracy->lost_at);
  json_end(json);
}

void accuracy_print(const AspWorld *world) {
  const AspAccuracy *accuracy = asp_world_accuracy(world);
  if (!accuracy || accuracy->steps == 0)
    return;
  bool kept = accuracy->share <= 1 && isnan(accuracy->lost_at);
  printf("  %-12s %s%s%s, estimated error %.2g m, %.2g of what was asked\n", "accuracy",
         terminal_style(stdout, kept ? STYLE_GOOD : STYLE_BAD), kept ? "kept" : "not kept",
         terminal_style(stdout, STYLE_PLAIN), accuracy->estimated, accuracy->share);
  printf("  %-12s %.2g to %.2g s, %lld rejected\n", "steps", accuracy->dt_min, accuracy->dt_max,
         (long long)accuracy->rejected);
}

bool accuracy_missed(const AspWorld *world) {
  const AspAccuracy *accuracy = asp_world_accuracy(world);
  if (!accuracy)
    return false;
  if (!isnan(accuracy->lost_at))
    fprintf(stderr, "asperity run: the asked accuracy is lost at t = %.9g s: the motion has no limit beyond\n",
            accuracy->lost_at);
  else if (accuracy->share > 1)
    fprintf(stderr,
            "asperity run: the asked accuracy is not kept: estimated error %.3g m, %.3g times what was asked; what the "
            "solver leaves adds up, too: a smaller tolerance (--tol) makes it less\n",
            accuracy->estimated, accuracy->share);
  return !isnan(accuracy->lost_at) || accuracy->share > 1;
}
