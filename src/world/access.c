/* The world from outside: inputs, from step to step. */
#include "world/world_data.h"

/* The motion does not go on as the scheme's memory says. */
static void disturb(AspWorld *world, bool moved) {
  if (world->scheme->disturb && world->scheme_run)
    world->scheme->disturb(&world->host, world->scheme_run, moved);
}

AspError asp_world_set_input(AspWorld *world, int input, double value) {
  return asp_world_set_input_motion(world, input, (AspJet){value, 0, 0});
}

AspError asp_world_set_input_motion(AspWorld *world, int input, AspJet value) {
  ASP_TRY(asp_state_set_input(world->context, world->model, &world->state, input, value));
  disturb(world, false);
  return ASP_OK;
}

int asp_world_stopped(const AspWorld *world) { return asp_state_stop(world->model, &world->state); }

AspJet asp_world_input(const AspWorld *world, int input) { return asp_state_input(world->model, &world->state, input); }
