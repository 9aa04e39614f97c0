/* One step of a world, in this order:
 *   1. place the shapes, find contacts (contact_search.c)
 *   2. give each contact its law and frame
 *   3. the scheme: assemble, solve, advance (scheme/)
 *   4. check that the new state is finite; where bodies left their expected path and met others, again from 2.
 *   5. records, warnings, certificate, balance of energy and momentum (balance.c), resolution (resolution.c)
 * 1 to 4 are an attempt, which retry.c may repeat from the same state; 5 accepts it. Everything of a step lives on the
 * world's arena until the next one. */
#include "base/parallel.h"
#include "linalg/sparse.h"
#include "linalg/vec3.h"
#include "problem/verdict.h"
#include "world/step_parts.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

/* A contact without law is named once for its materials. */
static AspError report_lawless(AspWorld *world, const AspContact *contact) {
  const AspModel *model = world->model;
  int a = world->geometry.shape_material[contact->collider_a], b = world->geometry.shape_material[contact->collider_b];
  int64_t pair = (int64_t)a * asp_model_material_count(model) + b;
  return asp_warn_few(&world->warnings, WARNING_LAWLESS_PAIR, pair, 1, NULL,
                      "materials %s/%s touch at t = %g s but have no law: taken as frictionless",
                      asp_model_material_name(model, a), asp_model_material_name(model, b), world->state.t);
}

AspError asp_world_make_frames(AspWorld *world, const AspContact *contacts, int count) {
  bool lawless;
  ASP_TRY(asp_frames_make(&world->frames, &world->view, contacts, count, &lawless));
  AspContactFrame *frames = world->frames.list[world->frames.now];
  for (int i = 0; lawless && i < count; i++)
    if (!frames[i].law)
      ASP_TRY(report_lawless(world, &contacts[i]));
  world->work.frames = frames;
  world->work.frame_count = count;
  return ASP_OK;
}

/* A state that is not finite names its body; the state of before the step is restored. */
static AspError check_finite(AspWorld *world) {
  const AspModel *model = world->model;
  if (asp_all_finite(world->state.q, (size_t)asp_model_q_size(model)) &&
      asp_all_finite(world->state.v, (size_t)asp_model_v_size(model)))
    return ASP_OK;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspPose pose = asp_state_pose(model, &world->state, body);
    AspVec3 v = asp_state_velocity(model, &world->state, body);
    AspVec3 w = asp_state_angular_velocity(model, &world->state, body);
    if (finite3(pose.position) && isfinite(pose.orientation.w) && finite3(v) && finite3(w))
      continue;
    asp_state_copy(model, &world->before, &world->state);
    return asp_fail(world->context, ASP_ERROR_DIVERGED,
                    "body %s: its motion is not finite after t = %g s; look for huge values, or a force or motion "
                    "whose expression is not finite there",
                    asp_model_body_name(model, body), world->before.t);
  }
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) { // its stations are bodies, but not all of it
    int count, first = asp_model_beam_q(model, beam, &count);
    for (int i = 0; i < count; i++)
      if (!isfinite(world->state.q[first + i])) {
        asp_state_copy(model, &world->before, &world->state);
        return asp_fail(world->context, ASP_ERROR_DIVERGED,
                        "beam %s: its motion is not finite after t = %g s; shorter "
                        "steps (dt), or more damping may help",
                        asp_model_beam_name(model, beam), world->before.t);
      }
  }
  return ASP_OK;
}

/* Name each joint once whose rows follow from those of joints before it. */
static AspError report_redundancy(AspWorld *world) {
  const AspFormulation *formulation = &world->work.formulation;
  for (int b = 0; world->work.redundant_count && b < formulation->blocks; b++) {
    int joint = formulation->tag[b].index, dependent = 0, first = formulation->offset[b];
    if (!asp_role_is_of_joint(formulation->tag[b].role))
      continue;
    for (int k = first; k < formulation->offset[b + 1]; k++)
      dependent += world->work.redundant[k];
    if (!dependent)
      continue;
    ASP_TRY(asp_warn_few(&world->warnings, WARNING_REDUNDANT_JOINT, joint, 1, NULL,
                         "joint %s is redundant at t = %g s: %d of its %d conditions follow from the others; their "
                         "forces are chosen smallest",
                         asp_model_joint_name(world->model, joint), world->before.t, dependent,
                         formulation->offset[b + 1] - first));
  }
  return ASP_OK;
}

bool asp_step_is_certified(const StepView *view) {
  const AspRunOptions *options = view->options;
  AspTolerances asked = {.residual = options->tolerance, .contact = options->tolerance_contact};
  return asp_verdict_is_met(&asked, &view->work->solved.residual); // the judge decides, not the method
}

/* Newton's law of impact with friction can increase the energy: warn where, at most a few times. What is less than the
 * rounding of the energy that bodies had, or than what the tolerance leaves of it, is not told from none. */
static AspError report_gain(AspWorld *world) {
  const AspStepWork *work = &world->work;
  if (!(work->gain > fmax(DBL_EPSILON, world->options.tolerance) * world->resolution.kinetic_most))
    return ASP_OK;
  const AspContactFrame *frame = &work->frames[work->gain_frame];
  return asp_warn_few(&world->warnings, WARNING_ENERGY_GAIN, 0, PIPELINE_GAINS_NAMED, "; further ones are not named",
                      "Newton's law of impact gains %.4g J at t = %g s where %s and %s touch at (%.4g, %.4g, %.4g): "
                      "restitution %g with friction %g turns the slip back; \"impact\": \"poisson\" does not",
                      work->gain, world->before.t, asp_model_body_name(world->model, frame->body_a),
                      asp_model_body_name(world->model, frame->body_b), frame->point.x, frame->point.y, frame->point.z,
                      frame->restitution, frame->mu);
}

/* A contact's error relative to what contacts carried so far, or would carry under gravity in this step: relative to a
 * load of nearly zero it would be meaningless. */
static bool contact_is_off(AspWorld *world, const AspResidual *residual) {
  double weight = residual->rho * norm3(asp_model_gravity(world->model)) * world->work.dt;
  world->so_far.normal_most = fmax(world->so_far.normal_most, residual->mean_normal);
  double error = residual->contact * (residual->mean_normal > 0 ? residual->mean_normal : 1); // as the judge divides
  return error > PIPELINE_WEIGHT_ERROR * fmax(world->so_far.normal_most, weight);
}

static AspError certify(AspWorld *world, AspStepInfo *info) {
  const AspStepWork *work = &world->work;
  *info = (AspStepInfo){.step = world->clock.step,
                        .t = world->state.t,
                        .dt = work->dt,
                        .certified = asp_step_is_certified(&world->view),
                        .status = work->solved.status,
                        .method = work->solved.method,
                        .iterations = work->solved.iterations,
                        .residual = work->solved.residual,
                        .contacts = work->frame_count,
                        .blocks = work->formulation.blocks,
                        .penetration = world->frames.penetration,
                        .joint_drift = asp_world_joint_drift(world),
                        .alternatives = world->uniqueness.alternatives,
                        .instant_solutions = world->watch.solutions,
                        .load_sharing = world->so_far.sharing.chosen,
                        .impulse = asp_watch_has_impulse(&world->watch, &world->records, work->dt)};
  if (info->certified && contact_is_off(world, &info->residual))
    return asp_warn_few(
        &world->warnings, WARNING_CONTACT_OFF, 0, 1, NULL,
        "step %lld (t = %g s) meets its tolerance, but a contact is off by %.3g of the mean normal impulse: speeds are "
        "huge against what contacts change in a step; lower the tolerance",
        (long long)world->clock.step, world->state.t, info->residual.contact);
  if (info->certified)
    return ASP_OK;
  return asp_warn_few(&world->warnings, WARNING_UNCERTIFIED, 0, 1, NULL,
                      "step %lld (t = %g s) misses its tolerance %.3g: residual E2 = %.3g, relative to the data E3 = "
                      "%.3g, worst contact %.3g, status of the solver: %s",
                      (long long)world->clock.step, world->state.t, world->options.tolerance, info->residual.E2,
                      info->residual.E3, info->residual.contact, asp_status_name(info->status));
}

void asp_world_prepare_work(AspWorld *world, double dt) {
  asp_arena_reset(&world->arena);
  asp_warm_forget(&world->warm);
  world->work =
      (AspStepWork){.model = world->model,
                    .arena = &world->arena,
                    .solver = world->solvers.chosen,
                    .projector = world->solvers.projector ? world->solvers.projector : world->solvers.chosen,
                    .sharp = world->solvers.sharp,
                    .sharp_tolerance = asp_world_sharp_tolerance(world),
                    .tolerance = world->options.tolerance,
                    .friction = {(AspConeKind)world->options.cone, world->options.directions, world->options.angle},
                    .impact = (AspImpactLaw)world->options.impact,
                    .dt = dt,
                    .whole = world->options.dt,
                    .separation = world->options.separation_speed,
                    .theta = world->options.theta,
                    .reach = world->geometry.body_radius,
                    .slop = world->geometry.slop,
                    .slop_turn = WORLD_SLOP,
                    .gap_tolerance = world->options.gap_tolerance,
                    .guess = asp_warm_guess,
                    .guess_user = &world->warm,
                    .choose = asp_solution_choose,
                    .choose_user = &world->choice,
                    .is_trial = world->choice.trial || asp_locate_is_tentative(world),
                    .gap_at = asp_world_gap_at,
                    .gap_user = world,
                    .motions = &world->so_far.motions};
}

/* Where the scheme ends every overlap within the step, deep ones of the initial state fly apart. */
static AspError report_overlap(AspWorld *world, double dt) {
  if (!world->scheme->throws_apart || world->options.separation_speed > 0 ||
      asp_warnings_given(&world->warnings, WARNING_THROWN_APART, 0) > 0)
    return ASP_OK;
  for (int i = 0; world->frames.deep && i < world->work.frame_count; i++) {
    const AspContactFrame *frame = &world->work.frames[i];
    if (!asp_frame_is_deep(&world->geometry, frame))
      continue;
    return asp_warn_few(&world->warnings, WARNING_THROWN_APART, 0, 1, NULL,
                        "%s and %s overlap by %.3g m at t = %g s: %s throws them apart with %.3g m/s; set "
                        "separation_speed, or use moreau-jean",
                        asp_model_body_name(world->model, frame->body_a),
                        asp_model_body_name(world->model, frame->body_b), -frame->gap, world->state.t,
                        asp_scheme_names[world->options.scheme], -frame->gap / dt);
  }
  return ASP_OK;
}

/* The smaller width of a contact's two shapes that has one, m; else infinity. */
static double smaller_width(const AspWorld *world, const AspContact *contact) {
  double a = world->geometry.shape_thickness[contact->collider_a],
         b = world->geometry.shape_thickness[contact->collider_b];
  return fmin(a > 0 ? a : INFINITY, b > 0 ? b : INFINITY);
}

/* A step may be certified, since its velocities obey the laws, and still leave bodies deep in each other: warn which,
 * at most a few times. */
static AspError report_depth(AspWorld *world) {
  const AspContactFrame *worst = NULL;
  double most = PIPELINE_THROUGH;
  if (world->clock.step == 0 || !world->frames.deep || // those of the start were named (initial_overlaps.c)
      asp_warnings_given(&world->warnings, WARNING_DEPTH, 0) >= PIPELINE_DEPTHS_NAMED ||
      asp_warnings_given(&world->warnings, WARNING_DEPTH_OF_STEP, world->clock.step + 1) > 0)
    return ASP_OK;
  for (int i = 0; i < world->work.frame_count; i++) {
    double part = -world->search.found[i].gap / smaller_width(world, &world->search.found[i]);
    if (part > most) {
      most = part;
      worst = &world->work.frames[i];
    }
  }
  if (!worst)
    return ASP_OK;
  ASP_TRY(asp_warnings_note(&world->warnings, WARNING_DEPTH_OF_STEP, world->clock.step + 1));
  return asp_warn_few(
      &world->warnings, WARNING_DEPTH, 0, PIPELINE_DEPTHS_NAMED, "; further ones are not named",
      "%s and %s overlap by %.3g m at t = %g s, %.0f %% of the smaller one's width; shorter steps (dt) make it "
      "less",
      asp_model_body_name(world->model, worst->body_a),
      // exact: percent
      asp_model_body_name(world->model, worst->body_b), -worst->gap, world->state.t, 100 * most);
}

AspError asp_world_refine(AspWorld *world) {
  if (world->scheme->meet) {
    ASP_TRY(asp_contacts_foresee(&world->view, &world->work));
    ASP_TRY(world->scheme->meet(&world->work, &world->state));
  }
  return world->scheme->refines_contacts ? asp_contacts_refine(&world->view, &world->work) : ASP_OK;
}

/* Are joints apart that were not so before? What the next step has to move bodies by is in no velocity: a long chain
 * gains energy by it. */
static bool parts_joints(const AspWorld *world) {
  StepView start = world->view;
  start.state = &world->before;
  return asp_resolution_is_apart(&world->resolution, &world->view) &&
         !asp_resolution_is_apart(&world->resolution, &start);
}

/* Steps 2 to 4 for the contacts found, from the state of before. */
static AspError advance(AspWorld *world, double dt, AspSolver *solver, bool warm, int count) {
  asp_world_prepare_work(world, dt);
  world->work.solver = solver;
  world->work.guess = warm ? asp_warm_guess : NULL;
  if (world->scheme->prepare)
    ASP_TRY(world->scheme->prepare(&world->host, world->scheme_run));
  asp_state_copy(world->model, &world->before, &world->state);
  world->frames.penetration = 0;
  ASP_TRY(asp_world_make_frames(world, world->search.found, count));
  ASP_TRY(report_overlap(world, dt));
  ASP_TRY(report_depth(world));
  ASP_TRY(asp_drives_check(&world->so_far.drives, &world->view, &world->arena, dt));
  if (asp_world_projects(world))
    ASP_TRY(asp_world_project(world, PIPELINE_PROJECTIONS));
  ASP_TRY(asp_world_refine(world));
  ASP_TRY(world->scheme->step(&world->work, &world->state));
  if (world->scheme->restitution)
    ASP_TRY(asp_impact_balance(&world->work, world->before.v, &world->state));
  if (!asp_world_projects(world))
    return check_finite(world);
  bool met;
  ASP_TRY(asp_project_end(&world->work, &world->state, &met));
  ASP_TRY(check_finite(world));
  world->work.too_long = !met && parts_joints(world);
  return ASP_OK;
}

AspError asp_world_make_consistent(AspWorld *world, double dt) {
  int joint;
  double violation;
  bool begins = world->clock.step == 0; // later a joint was closed or released
  if (world->so_far.consistent || (begins && !world->scheme->makes_consistent) ||
      asp_model_joint_count(world->model) == 0)
    return ASP_OK;
  world->so_far.consistent = true;
  asp_world_prepare_work(world, dt);
  double energy = asp_model_energy(world->model, &world->state).kinetic;
  ASP_TRY(asp_make_consistent(&world->work, &world->state, &joint, &violation));
  double gain = asp_model_energy(world->model, &world->state).kinetic - energy;
  if (!begins)
    asp_balance_capture(&world->balance, world->model, &world->state, -gain);
  else
    asp_resolution_forgive(&world->resolution, gain);
  if (joint < 0 || !begins)
    return ASP_OK;
  return asp_warn(&world->warnings,
                  "joint %s: the velocities given at the start part it with %.3g m/s or rad/s; the run begins "
                  "with the nearest ones that its joints allow",
                  asp_model_joint_name(world->model, joint), violation);
}

/* Contacts that the last solve ran into besides. A step that led through a shape is none: a shorter one may be. */
static AspError find_more(AspWorld *world, int *count, bool *more) {
  bool at_end = world->scheme->late == ASP_LATE_AT_THE_END, crossed = false;
  double began = asp_clock_seconds();
  AspError error = at_end ? asp_search_find_at_end(&world->search, &world->view, count, more, &crossed)
                          : asp_search_find_missed(&world->search, &world->view, world->scheme, count, more);
  world->clock.times.collide += asp_clock_seconds() - began;
  if (crossed) {
    *more = false;
    world->work.unconverged = true;
    world->work.solved.residual.E2 = INFINITY;
  }
  return error;
}

/* From the state of before. */
static AspError attempt(AspWorld *world, double dt, AspSolver *solver, bool warm) {
  int count;
  asp_records_clear(&world->records);
  asp_search_begin(&world->search);
  double began = asp_clock_seconds();
  ASP_TRY(asp_search_find(&world->search, &world->view, dt, &count));
  world->clock.times.collide += asp_clock_seconds() - began;
  bool more = true;
  int most = world->scheme->late_solves;
  for (int solves = 0; more && solves < most; solves++) {
    ASP_TRY(advance(world, dt, solver, warm, count));
    const AspSolverInfo *solved = &world->work.solved;
    world->clock.times.solve += solved->setup_time + solved->time - solved->judge_time;
    world->clock.times.solve += world->work.aside_time - world->work.aside_judge;
    world->clock.times.judge += solved->judge_time + world->work.aside_judge;
    more = false;
    if (solves + 1 < most)
      ASP_TRY(find_more(world, &count, &more));
  }
  world->work.too_long =
      world->work.too_long || (world->scheme->late == ASP_LATE_ON_THE_WAY && !world->scheme->integrate &&
                               asp_step_turns_deep(&world->view, count));
  return ASP_OK;
}

AspError asp_world_attempt(AspWorld *world, double dt, AspSolver *solver, bool warm) {
  ASP_TRY(asp_world_make_consistent(world, dt));
  asp_state_copy(world->model, &world->state, &world->before);
  AspError error = attempt(world, dt, solver, warm);
  if (error == ASP_ERROR_INTERRUPTED || error == ASP_ERROR_IMPOSSIBLE)
    asp_state_copy(world->model, &world->before, &world->state);
  return error;
}

/* What the next step starts its solve from. */
static AspError keep_reactions(AspWorld *world) {
  const AspContactFrame *frames;
  ASP_TRY(asp_frames_keep(&world->frames, &world->view, &frames));
  return asp_warm_store(&world->warm, frames);
}

AspError asp_world_accept(AspWorld *world, AspStepInfo *info) {
  world->clock.step++;
  StepOutcome outcome = {.model = world->model,
                         .before = &world->before,
                         .state = &world->state,
                         .work = &world->work,
                         .found = world->search.found,
                         .tolerance = world->options.tolerance};
  ASP_TRY(asp_records_fill(&world->records, &world->arena, &outcome));
  if (!world->scheme->integrate) // its impulses belong to no problem
    ASP_TRY(keep_reactions(world));
  if (world->scheme->accept && world->scheme_run) // a scheme that stands in for another one has no memory
    ASP_TRY(world->scheme->accept(&world->host, world->scheme_run));
  ASP_TRY(report_redundancy(world));
  ASP_TRY(report_gain(world));
  ASP_TRY(certify(world, info));
  if (world->scheme->report)
    ASP_TRY(world->scheme->report(&world->host, world->scheme_run, info->certified));
  ASP_TRY(asp_balance_close(&world->balance, &world->view, world->scheme, info));
  return asp_resolution_judge(&world->resolution, &world->view, &world->records, world->scheme, &world->warnings, info);
}

AspError asp_world_gather(AspWorld *world, double dt) {
  int count;
  asp_world_prepare_work(world, dt);
  asp_records_clear(&world->records);
  asp_search_begin(&world->search);
  world->frames.penetration = 0;
  ASP_TRY(asp_search_find(&world->search, &world->view, dt, &count));
  return asp_world_make_frames(world, world->search.found, count);
}

/* ---- reserve: a trial step with made-up contacts, so that every buffer has its size before the first step ---- */

/* The pair law that makes the most blocks of a contact: rolling, spinning, friction that depends on the slip. */
static const AspPairLaw *richest_law(const AspModel *model) {
  const AspPairLaw *richest = NULL;
  int most = 0, materials = asp_model_material_count(model);
  for (int a = 0; a < materials; a++)
    for (int b = a; b < materials; b++) {
      const AspPairLaw *law = asp_model_pair(model, a, b);
      int blocks = law ? 2 * ((law->rolling > 0) + (asp_spinning_length(law) > 0)) + (law->static_friction > 0) : 0;
      richest = blocks > most ? law : richest;
      most = blocks > most ? blocks : most;
    }
  return richest;
}

/* A chain of closed contacts over the dynamic bodies (and the ground where there is one body only). */
static AspError rehearsal_frames(AspWorld *world, int contacts) {
  const AspModel *model = world->model;
  int bodies = asp_model_body_count(model), a = 0;
  const AspPairLaw *law = richest_law(model);
  AspContactFrame *frames = ASP_TAKE(&world->arena, AspContactFrame, contacts);
  AspContactRecord *records = ASP_TAKE(&world->arena, AspContactRecord, contacts); // room for those of a step
  if (!frames || !records)
    return ASP_ERROR_MEMORY;
  AspVec3 up = asp_model_dimension(model) == 3 ? vec3(0, 0, 1) : vec3(0, 1, 0);
  for (int i = 0; i < contacts; i++) {
    int b = (a + 1) % bodies;
    while (!asp_model_body_is_free(model, b))
      b = (b + 1) % bodies;
    AspVec3 arm = vec3(PIPELINE_TRIAL_ARM * (i % 3), PIPELINE_TRIAL_ARM * (i % 2), 0);
    frames[i] = asp_contact_frame(asp_model_dimension(model), up, arm, vec3(0, 0, 0), vec3(0, 0, 0));
    frames[i].body_a = a == b ? (b + 1) % bodies : a;
    frames[i].body_b = b;
    frames[i].mu = 0.5;
    frames[i].law = law;
    frames[i].gap = -PIPELINE_TRIAL_DEPTH; // so that a projection takes its memory too
    a = b;
  }
  world->work.frames = frames;
  world->work.frame_count = contacts;
  return ASP_OK;
}

AspError asp_world_reserve(AspWorld *world, int contacts) {
  if (contacts < 0)
    return asp_fail(world->context, ASP_ERROR_ARGUMENT, "asp_world_reserve: %d contacts is negative", contacts);
  if (asp_model_dof_count(world->model) == 0 || asp_model_body_count(world->model) < 2)
    contacts = 0;
  int found;
  bool more; // these contacts were not found: they cannot be looked at again
  ASP_TRY(asp_frames_reserve(&world->frames, world->context, contacts));
  ASP_TRY(asp_search_reserve(&world->search, &world->view, contacts));
  ASP_TRY(asp_resolution_reserve(&world->resolution, &world->view, contacts));
  ASP_TRY(asp_parts_reserve(&world->records.parts, world->context, PIPELINE_PARTS * contacts));
  if (!world->scheme->rehearse)
    return ASP_OK;
  ASP_TRY(asp_search_find(&world->search, &world->view, world->options.dt, &found));
  asp_state_copy(world->model, &world->state, &world->before);
  AspError error = ASP_OK;
  // the second trial finds every chain of blocks merged into one, the third is small enough to be sharpened
  for (int trial = 0; trial < 3 && error == ASP_OK; trial++) {
    int closed = trial == 2 && contacts > PIPELINE_SMALL_CONTACTS ? PIPELINE_SMALL_CONTACTS : contacts;
    asp_world_prepare_work(world, world->options.dt);
    error = rehearsal_frames(world, closed);
    if (error == ASP_OK && asp_world_projects(world))
      error = asp_project_positions(&world->work, &world->state, &more);
    if (error == ASP_OK && world->work.formulation.problem.rows > 0)
      error = asp_solver_reserve(world->work.projector, &world->work.formulation.problem);
    for (int i = 0; i < closed && error == ASP_OK; i++)
      world->work.frames[i].gap = -1; // closed whatever the projection made of it
    world->work.guess = NULL;
    world->work.choose = NULL; // these contacts were made up: no warnings about them
    if (error == ASP_OK)
      error = world->scheme->rehearse(&world->work, &world->state);
    if (error == ASP_OK)
      error = asp_solver_reserve(world->solvers.chosen, &world->work.formulation.problem);
    for (int pass = 0; pass < 2 && error == ASP_OK && trial == 2 && world->solvers.sharp; pass++) // it is reset once
      if (world->work.formulation.rows > 0)
        error = asp_solver_reserve(world->solvers.sharp, &world->work.formulation.problem);
    if (error == ASP_OK)
      error = asp_warm_reserve(&world->warm, world->work.formulation.blocks, world->work.formulation.rows);
    UncertainIslands uncertain;
    if (error == ASP_OK && world->work.formulation.rows > 0)
      error = asp_uniqueness_of_problem(&world->view, &world->arena, &world->work.formulation.problem, &uncertain);
    if (error == ASP_OK)
      error = asp_sharing_reserve(&world->so_far.sharing, &world->view, &world->work, world->choice.make_solver, world);
    // the second start of the solve, and what the warm start keeps of both
    size_t rows = (size_t)world->work.formulation.rows, blocks = (size_t)world->work.formulation.blocks;
    if (error == ASP_OK && (!ASP_TAKE(&world->arena, double, 3 * rows + 4 * blocks + PIPELINE_TRIAL_SPARE) ||
                            !ASP_TAKE_UNCLEARED(&world->arena, AspContact, contacts))) // of an attempt that is kept
      error = ASP_ERROR_MEMORY;
    asp_state_copy(world->model, &world->before, &world->state);
  }
  asp_arena_reset(&world->arena);
  return error == ASP_OK ? asp_attempts_reserve(world, contacts) : error;
}
