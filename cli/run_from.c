/* The first state of a new run from a result: see run_from.h. */
#include "run_from.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool run_from_time(const char *text, double *at) {
  char *end = NULL;
  errno = 0;
  *at = strtod(text, &end);
  return errno == 0 && end != text && *end == '\0' && isfinite(*at);
}

/* Bodies that the result does not have start as the scene says. */
static void tell_others(const Session *session, const SimulationOutput *output, const AspModel *model, int matched) {
  int free_bodies = 0;
  for (int i = 0; i < asp_model_body_count(model); i++)
    free_bodies += asp_model_body_kind(model, i) == ASP_BODY_DYNAMIC;
  if (free_bodies > matched && !session->quiet)
    fprintf(stderr, "asperity run: %d of %d free bodies are not in %s and start as the scene says\n",
            free_bodies - matched, free_bodies, output->from);
}

int run_from(const Session *session, const SimulationOutput *output, const AspScene *scene, AspWorld *world,
             SimulationSummary *summary) {
  const AspModel *model = scene->model;
  AspState state = {0};
  int matched = 0;
  if (!output->from || output->resume)
    return EXIT_DONE;
  AspError error = asp_state_create(model, &state);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  error = asp_result_state(session->context, output->from, output->at, model, &state, &matched);
  if (error == ASP_OK)
    error = asp_world_set_state(world, &state);
  double t = state.t;
  asp_state_destroy(model, &state);
  if (error != ASP_OK)
    return session_fail_result(session, error, output->from);
  if (t >= scene->run.until)
    return session_fail(session, EXIT_USAGE,
                        "--from: the state is of t = %.9g s, and the run ends at %.9g s; use a later "
                        "--until",
                        t, scene->run.until);
  snprintf(summary->from, sizeof summary->from, "%.400s at t = %.9g s", output->from, t);
  tell_others(session, output, model, matched);
  return EXIT_DONE;
}
