/* The world as its scheme sees it (scheme/scheme.h): the contact search, balance and warnings behind AspSchemeCalls,
 * and the life of the scheme's own memory. */
#include "world/world_data.h"

static AspError warn(void *user, const char *text) { return asp_warn(&((AspWorld *)user)->warnings, "%s", text); }

static AspError make_solver(void *user, AspMethod method, int max_iterations, double tolerance, bool polish,
                            AspSolver **solver) {
  return asp_world_make_solver(user, method, max_iterations, tolerance, polish, solver);
}

static void prepare_work(void *user, double dt) { asp_world_prepare_work(user, dt); }

static AspError make_consistent(void *user, double dt) { return asp_world_make_consistent(user, dt); }

static bool is_certified(void *user) { return asp_step_is_certified(&((AspWorld *)user)->view); }

/* ---- contacts ---- */

static AspError gather(void *user, double dt) { return asp_world_gather(user, dt); }

static AspError gather_within(void *user, double gap) {
  AspWorld *world = user;
  int count;
  asp_world_prepare_work(world, world->options.dt);
  asp_records_clear(&world->records);
  asp_search_begin(&world->search);
  ASP_TRY(asp_search_find_within(&world->search, &world->view, gap, &count));
  return asp_world_make_frames(world, world->search.found, count);
}

static AspError find_at(void *user, const AspState *state, double gap, AspCollider *colliders, const AspContact **found,
                        int *count) {
  const AspWorld *world = user;
  int shapes = asp_model_shape_count(world->model);
  for (int i = 0; i < shapes; i++) {
    colliders[i] = asp_collider_at(&world->view, state, i); // without margin or sweep
    colliders[i].margin = 0;
  }
  return asp_collision_find(world->search.collision, colliders, shapes, gap, found, count);
}

static double follow(void *user, const AspState *from, const AspState *to, double reach, AspContact *contact) {
  return asp_contact_follow(&((AspWorld *)user)->view, from, to, reach, contact);
}

static void place_frame(void *user, const AspState *state, const AspContact *contact, AspContactFrame *frame) {
  asp_contact_place_frame(&((AspWorld *)user)->view, state, contact, frame);
}

static AspRoundness roundness(void *user, const AspState *state, const AspContact *contact,
                              const AspContactFrame *frame, bool of_b) {
  return asp_contact_roundness(&((AspWorld *)user)->view, state, contact, frame, of_b);
}

/* ---- steps and their balance ---- */

static AspError project(void *user, int most) { return asp_world_project(user, most); }

static AspError step_by(void *user, AspScheme scheme, double dt) {
  AspWorld *world = user;
  const AspSchemeType *own = world->scheme;
  void *own_run = world->scheme_run;
  world->scheme = asp_scheme_type(scheme);
  world->scheme_run = NULL; // its memory is of another kind: the step is made without one
  AspError error = asp_world_attempt(world, dt, world->solvers.chosen, false);
  world->scheme = own;
  world->scheme_run = own_run;
  return error;
}

static AspError count_flow(void *user, const AspState *middle, double dt, const AspFormulation *formulation,
                           const double *r, AspEnergyFlow *flow, AspOutsideImpulse *outside) {
  const AspWorld *world = user;
  return asp_balance_count_flow(&world->view, world->scheme, middle, dt, formulation, r, flow, outside);
}

static AspError middle_of_step(void *user, AspState *middle) {
  return asp_balance_middle(&((AspWorld *)user)->view, middle);
}

/* ---- life cycle ---- */

AspError asp_world_create_scheme(AspWorld *world) {
  static const AspSchemeCalls calls = {.warn = warn,
                                       .make_solver = make_solver,
                                       .prepare_work = prepare_work,
                                       .make_consistent = make_consistent,
                                       .is_certified = is_certified,
                                       .gather = gather,
                                       .gather_within = gather_within,
                                       .find_at = find_at,
                                       .follow = follow,
                                       .place_frame = place_frame,
                                       .roundness = roundness,
                                       .project = project,
                                       .step_by = step_by,
                                       .count_flow = count_flow,
                                       .middle_of_step = middle_of_step};
  world->host = (AspSchemeHost){.call = &calls,
                                .user = world,
                                .context = world->context,
                                .model = world->model,
                                .options = &world->options,
                                .arena = &world->arena,
                                .work = &world->work,
                                .solver = world->solvers.chosen,
                                .state = &world->state,
                                .before = &world->before,
                                .steps = &world->clock.step,
                                .found = &world->search.found,
                                .body_radius = world->geometry.body_radius,
                                .slop = world->geometry.slop,
                                .thinnest = world->geometry.thinnest,
                                .penetration = &world->frames.penetration,
                                .flow = &world->balance.flow,
                                .outside = &world->balance.outside};
  return world->scheme->create ? world->scheme->create(&world->host, &world->scheme_run) : ASP_OK;
}

void asp_world_destroy_scheme(AspWorld *world) {
  if (world->scheme_run)
    world->scheme->destroy(&world->host, world->scheme_run);
  world->scheme_run = NULL;
}

const AspEvent *asp_world_events(const AspWorld *world) {
  const AspEvent *events = NULL;
  if (world->scheme->events)
    world->scheme->events(world->scheme_run, &events);
  return events;
}

int asp_world_event_count(const AspWorld *world) {
  const AspEvent *events = NULL;
  return world->scheme->events ? world->scheme->events(world->scheme_run, &events) : 0;
}
