/* Drift of positions is corrected before a step that works on velocities (scheme/project.c). Where bodies would
 * move farther than the contacts are valid, they move a part of the way, and the contacts are found again there: a body
 * is then pressed from every side, and not through its neighbours. What is left after a few iterations is left to the
 * next step. */
#include "world/world_data.h"

#include <math.h>

/* A contact that was found at the start of the step, at another state. */
static AspContact contact_at(const AspWorld *world, int i, const AspState *state) {
  const AspContactFrame *frame = &world->work.frames[i];
  AspContact contact = world->search.found[i];
  double reach = world->geometry.body_radius[frame->body_a] + world->geometry.body_radius[frame->body_b];
  asp_contact_follow(&world->view, &world->before, state, fmax(contact.gap, 0) + reach, &contact);
  return contact;
}

double asp_world_gap_at(void *user, int frame, const AspState *state) { return contact_at(user, frame, state).gap; }

/* The frames where a projection took their bodies. */
static void follow_frames(AspWorld *world) {
  for (int i = 0; i < world->work.frame_count; i++) {
    AspContactFrame *frame = &world->work.frames[i];
    AspContact contact = contact_at(world, i, &world->state);
    frame->gap = contact.gap;
    asp_contact_place_frame(&world->view, &world->state, &contact, frame);
  }
}

bool asp_world_projects(const AspWorld *world) { return world->scheme->projects && world->options.project; }

AspError asp_world_project(AspWorld *world, int most) {
  AspStepWork *work = &world->work;
  bool more = true;
  work->solved = (AspSolverInfo){.status = ASP_STATUS_SOLVED};
  // where one is not solved the next one is not either: no position meets the conditions, and all ways were tried
  for (int pass = 0; more && work->solved.status == ASP_STATUS_SOLVED && pass < most; pass++) {
    if (pass > 0)
      follow_frames(world);
    ASP_TRY(asp_project_positions(work, &world->state, &more));
  }
  if (work->solved.status == ASP_STATUS_SOLVED)
    return ASP_OK;
  return asp_warn_few(&world->warnings, WARNING_PROJECTION, 0, 1, NULL,
                      "overlaps or joints were not corrected at t = %g s (%s, residual %.3g): no position meets them "
                      "all, or none is found",
                      world->state.t, asp_status_name(work->solved.status), work->solved.residual.E2);
}
