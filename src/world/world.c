/* World: life cycle, warnings, reading. The step itself is in retry.c and pipeline.c. */
#include "world/tuning/world.h"
#include "linalg/small.h"
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "world/sensors.h"

#include <math.h>
#include <stdio.h>

/* Poisson's law has no tangential restitution; silently dropping it would be wrong. */
static AspError check_restitution(AspContext *context, const AspRunOptions *options, const AspPairLaw *law,
                                  const char *a, const char *b) {
  if (options->impact == ASP_IMPACT_POISSON && law->tangential_restitution > 0)
    return asp_fail(context, ASP_ERROR_INPUT,
                    "materials %s/%s: tangential_restitution %g > 0 has no meaning in Poisson's law of impact; set it "
                    "to 0 or use \"impact\": \"newton\"",
                    a, b, law->tangential_restitution);
  return ASP_OK;
}

static AspError check_materials(AspContext *context, const AspModel *model, const AspRunOptions *options) {
  int count = asp_model_material_count(model);
  for (int a = 0; a < count; a++)
    for (int b = a; b < count; b++) {
      const AspPairLaw *law = asp_model_pair(model, a, b);
      if (law)
        ASP_TRY(check_restitution(context, options, law, asp_model_material_name(model, a),
                                  asp_model_material_name(model, b)));
    }
  return ASP_OK;
}

/* Mass and inertia so far apart that their common matrix counts as singular. */
static AspError check_masses(AspContext *context, const AspModel *model, const AspState *state) {
  int n = asp_body_velocities(asp_model_dimension(model));
  for (int body = 0; body < asp_model_body_count(model); body++) {
    double M[36], smallest = INFINITY, largest = 0;
    int pivot[6];
    if (asp_model_body_dof(model, body) < 0)
      continue;
    asp_body_mass_matrix(model, state, body, M);
    for (int i = 0; i < n; i++) {
      smallest = fmin(smallest, M[i * n + i]);
      largest = fmax(largest, M[i * n + i]);
    }
    if (!asp_small_lu(n, M, pivot))
      return asp_fail(context, ASP_ERROR_INPUT,
                      "body %s: mass and inertia range from %.3g to %.3g (kg, kg m^2), too far apart to be solved for "
                      "together; a body that must not turn needs a joint or a larger inertia, not a tiny one",
                      asp_model_body_name(model, body), smallest, largest);
  }
  return ASP_OK;
}

static void forward_solver_log(void *user, int iteration, const char *method, double residual) {
  AspWorld *world = user;
  if (world->solvers.log)
    world->solvers.log(world->solvers.log_user, world->clock.step + 1, iteration, method, residual);
}

AspError asp_world_make_solver(AspWorld *world, AspMethod method, int max_iterations, double tolerance, bool polish,
                               AspSolver **solver) {
  AspSolverOptions options = asp_solver_default_options();
  options.method = method;
  options.max_iterations = max_iterations;
  options.tolerance = tolerance;
  options.tolerance_contact = world->options.tolerance_contact;
  options.max_time = world->options.step_budget;
  options.threads = world->options.threads;
  options.mixed = world->options.mixed;
  options.rho = world->options.rho;
  options.polish = polish;
  options.progress = forward_solver_log;
  options.progress_user = world;
  return asp_solver_create(world->context, &options, solver);
}

double asp_world_sharp_tolerance(const AspWorld *world) {
  return fmax(WORLD_SHARP * world->options.tolerance, WORLD_SHARPEST);
}

/* The solver of the projection: always `auto`, independent of the method of the steps; a limit of sweeps holds here
 * too, since it limits the cost. */
static AspError make_projector(AspWorld *world) {
  const AspRunOptions *options = &world->options;
  bool limited = options->method == ASP_METHOD_NSGS && options->max_iterations > 0;
  if (limited || options->method == ASP_METHOD_AUTO)
    return ASP_OK; // the solver of the steps
  return asp_world_make_solver(world, ASP_METHOD_AUTO, 0, options->tolerance, false, &world->solvers.projector);
}

static AspError report_inertias(AspWorld *world) {
  for (int body = 0; body < asp_model_body_count(world->model); body++)
    if (!asp_model_inertia_is_real(world->model, body))
      ASP_TRY(asp_warn(&world->warnings,
                       "body %s: one principal moment of inertia exceeds the sum of the other two; no rigid body "
                       "has that, so its rotation is not physical",
                       asp_model_body_name(world->model, body)));
  return ASP_OK;
}

/* Schemes that cannot choose: set the option to what they do, and warn about a rule given by the scene. */
static AspError settle_selection(AspWorld *world) {
  AspSelection asked = world->options.selection;
  if (world->scheme->selects)
    return ASP_OK;
  world->options.selection = ASP_SELECT_SOLVER;
  if (asked == ASP_SELECT_SOLVER || asked == asp_run_default_options().selection)
    return ASP_OK;
  char names[128];
  return asp_warn(&world->warnings, "select: the scheme %s takes what its solver finds; the rule %s is for %s",
                  asp_scheme_names[world->options.scheme], asp_selection_names[asked],
                  asp_scheme_selecting(names, sizeof names));
}

/* Of the compliant problems by which loads are shared: small, and solved far below the tolerance of the step, so that
 * the answer does not depend on the method. */
static AspError make_sharing_solver(void *user, AspSolver **solver) {
  AspWorld *world = user;
  double tolerance = fmax(SHARING_SHARP * SHARING_INNER * world->options.tolerance, SHARING_SHARPEST);
  return asp_world_make_solver(world, ASP_METHOD_NEWTON, SHARING_STEPS, tolerance, false, solver);
}

/* What the parts may read of each other. */
static void connect_parts(AspWorld *world) {
  world->view = (StepView){.context = world->context,
                           .model = world->model,
                           .options = &world->options,
                           .state = &world->state,
                           .before = &world->before,
                           .arena = &world->arena,
                           .work = &world->work,
                           .clock = &world->clock,
                           .geometry = &world->geometry,
                           .search = &world->search};
  world->warnings.context = world->context;
  world->warm.view = &world->view;
  world->choice = (SolutionChoice){&world->view,           &world->uniqueness,  &world->warm, &world->warnings,
                                   &world->so_far.sharing, make_sharing_solver, world,        false};
}

AspError asp_world_create(AspContext *context, const AspModel *model, const AspRunOptions *options, AspWorld **out) {
  *out = NULL;
  ASP_TRY(asp_run_validate(context, options));
  ASP_TRY(check_materials(context, model, options));
  ASP_TRY(asp_scheme_check_model(context, model, options->scheme));
  AspWorld *world = asp_allocate(context, 1, sizeof *world);
  if (!world)
    return ASP_ERROR_MEMORY;
  world->context = context;
  world->model = model;
  world->options = *options;
  world->scheme = asp_scheme_type(options->scheme);
  asp_arena_init(&world->arena, context);
  connect_parts(world);
  AspError error;
  ASP_CHECK(asp_state_create_on(context, model, &world->state));
  ASP_CHECK(asp_state_create_on(context, model, &world->before));
  ASP_CHECK(asp_joint_motions_create(&world->so_far.motions, context, model));
  asp_state_initial(model, &world->state);
  ASP_CHECK(check_masses(context, model, &world->state));
  ASP_CHECK(asp_geometry_create(context, model, &world->geometry));
  ASP_CHECK(asp_search_create(&world->search, &world->view));
  ASP_CHECK(asp_records_create(context, model, &world->state, &world->records));
  ASP_CHECK(asp_world_make_solver(world, (AspMethod)options->method, options->max_iterations, options->tolerance, false,
                                  &world->solvers.chosen));
  if (options->method == ASP_METHOD_AUTO && options->cone == ASP_CONE_EXACT)
    ASP_CHECK(asp_world_make_solver(world, ASP_METHOD_NEWTON, WORLD_SHARP_STEPS, asp_world_sharp_tolerance(world),
                                    false, &world->solvers.sharp));
  if (world->scheme->uses_projection)
    ASP_CHECK(make_projector(world));
  ASP_CHECK(asp_world_create_scheme(world));
  ASP_CHECK(asp_control_create(world));
  world->balance.energy = asp_model_energy(model, &world->state);
  ASP_CHECK(asp_resolution_create(&world->resolution, &world->view, world->scheme));
  ASP_CHECK(report_inertias(world));
  ASP_CHECK(settle_selection(world));
  ASP_CHECK(asp_overlaps_name(&world->search, &world->view, &world->warnings));
  ASP_CHECK(asp_sensors_create(context, model, &world->so_far.sensing));
  ASP_CHECK(asp_world_sense(world));
done:
  if (error != ASP_OK) {
    asp_world_destroy(world);
    return error;
  }
  *out = world;
  return ASP_OK;
}

void asp_world_destroy(AspWorld *world) {
  if (!world)
    return;
  AspContext *context = world->context;
  asp_control_destroy(world);
  asp_world_destroy_scheme(world);
  asp_state_destroy_on(world->context, &world->state);
  asp_state_destroy_on(world->context, &world->before);
  asp_joint_motions_destroy(&world->so_far.motions, world->context);
  asp_solver_destroy(world->solvers.chosen);
  asp_solver_destroy(world->solvers.projector);
  asp_solver_destroy(world->solvers.sharp);
  asp_solver_destroy(world->solvers.stronger);
  asp_warnings_destroy(&world->warnings);
  asp_geometry_destroy(context, &world->geometry);
  asp_search_destroy(context, &world->search);
  asp_frames_destroy(context, &world->frames);
  asp_warm_destroy(context, &world->warm);
  asp_records_destroy(context, &world->records);
  asp_sensors_destroy(context, &world->so_far.sensing);
  asp_release(context, world->so_far.rewind.bytes);
  asp_watch_destroy(context, &world->watch);
  asp_resolution_destroy(&world->resolution, context);
  asp_sharing_destroy(&world->so_far.sharing);
  asp_release(context, world->so_far.callers.stop_reason);
  asp_arena_free(&world->arena);
  asp_release(context, world);
}

AspError asp_world_add_warning(AspWorld *world, const char *text) { return asp_warnings_add(&world->warnings, text); }

const AspModel *asp_world_model(const AspWorld *world) { return world->model; }
const AspRunOptions *asp_world_options(const AspWorld *world) { return &world->options; }
const AspState *asp_world_state(const AspWorld *world) { return &world->state; }
int asp_world_contact_count(const AspWorld *world) { return world->records.contact_count; }

const AspContactRecord *asp_world_contacts(const AspWorld *world) { return world->records.contacts; }
const AspWrench *asp_world_contact_totals(const AspWorld *world) { return world->records.totals; }
const AspJointRecord *asp_world_joints(const AspWorld *world) { return world->records.joints; }
int asp_world_warning_count(const AspWorld *world) { return world->warnings.count; }
const char *asp_world_warning(const AspWorld *world, int index) {
  return world->warnings.text + world->warnings.start[index];
}

const AspMeasured *asp_world_resolution(const AspWorld *world) { return world->resolution.table; }

const char *asp_world_measure_place(const AspWorld *world, AspMeasure measure, char *text, size_t size) {
  if (size > 0)
    text[0] = '\0';
  if ((unsigned)measure >= ASP_MEASURE_COUNT || world->clock.step == 0)
    return text;
  return asp_measure_place(world->model, &world->resolution.table[measure], text, size);
}

int asp_world_episode_count(const AspWorld *world) { return world->watch.episode_count; }
const AspEpisode *asp_world_episodes(const AspWorld *world) { return world->watch.episode; }

const AspContactProblem *asp_world_problem(const AspWorld *world, const double **r, const double **u) {
  if (world->clock.step == 0 || world->scheme->integrate || !world->work.r)
    return NULL;
  *r = world->work.r;
  *u = world->work.u;
  return &world->work.formulation.problem;
}

double asp_world_joint_drift(const AspWorld *world) {
  return asp_records_joint_drift(&world->records, asp_model_joint_count(world->model));
}

void asp_world_set_solver_log(AspWorld *world, SolverLog log, void *user) {
  world->solvers.log = log;
  world->solvers.log_user = user;
}

uint64_t asp_world_state_hash(const AspWorld *world) {
  const AspState *state = &world->state;
  uint64_t hash = asp_hash_bytes(ASP_HASH_START, &state->t, sizeof state->t);
  hash = asp_hash_bytes(hash, state->q, (size_t)asp_model_q_size(world->model) * sizeof(double));
  return asp_hash_bytes(hash, state->v, (size_t)asp_model_v_size(world->model) * sizeof(double));
}
