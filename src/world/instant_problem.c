/* The contact problem of the present state at a level: acceleration, impulse, or the next step of the scheme. Also
 * what its blocks mean. Uses the pipeline's contacts; the records of the last step are lost afterwards. */
#include "base/elementary.h"
#include "formulate/acceleration.h"
#include "linalg/vec3.h"
#include "world/tuning/world.h"
#include "world/world_data.h"

#include <math.h>

const char *const asp_problem_level_names[] = {"acceleration", "impulse", "step", "static", NULL};

const char *asp_problem_level_name(AspProblemLevel level) {
  return (unsigned)level <= ASP_PROBLEM_STATIC ? asp_problem_level_names[level] : "unknown";
}

/* `dt` > 0: the state is the end of a step of this length; errors of its size count as zero. */
static AspInstant instant_of(const AspWorld *world, double dt) {
  const AspModel *model = world->model;
  double gravity = norm3(asp_model_gravity(model)), bend = gravity;
  AspInstant instant = {.gap = INSTANT_PROBLEM_CLOSED * world->geometry.slop};
  // exact: the slop is 1e-9 of the size
  double speed = sqrt(gravity * world->geometry.slop / 1e-9);
  for (int i = 0; i < asp_model_v_size(model); i++)
    speed = fmax(speed, fabs(world->state.v[i]));
  instant.speed = speed > 0 ? INSTANT_PROBLEM_REST * speed : INSTANT_PROBLEM_REST;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspVec3 w = asp_state_angular_velocity(model, &world->state, body);
    bend = fmax(bend, gravity + dot3(w, w) * world->geometry.body_radius[body]);
  }
  instant.speed += 2 * dt * bend;
  instant.gap += dt * dt * bend;
  return instant;
}

static AspError roundness_of(AspWorld *world, AspRoundness **round) {
  AspStepWork *work = &world->work;
  *round = ASP_TAKE(&world->arena, AspRoundness, 2 * work->frame_count);
  if (!*round)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < work->frame_count; i++)
    for (int side = 0; side < 2; side++)
      (*round)[2 * i + side] =
          asp_contact_roundness(&world->view, &world->state, &world->search.found[i], &work->frames[i], side == 1);
  return ASP_OK;
}

static AspError formulate_instant(AspWorld *world, AspProblemLevel level, double dt, int *approaching) {
  AspStepWork *work = &world->work;
  AspFormulation *formulation = &work->formulation;
  AspInstant instant = instant_of(world, dt);
  AspState state = asp_state_ahead(world->model, &world->arena, &world->state, 0);
  if (!state.q)
    return ASP_ERROR_MEMORY;
  for (int i = 0; level == ASP_PROBLEM_STATIC && i < asp_model_v_size(world->model); i++)
    state.v[i] = 0;
  ASP_TRY(asp_formulation_begin(formulation, &world->arena, world->model, work->frames, work->frame_count));
  if (level != ASP_PROBLEM_IMPULSE) {
    AspRoundness *round;
    ASP_TRY(roundness_of(world, &round));
    ASP_TRY(asp_formulate_acceleration(formulation, &state, work->frames, round, work->frame_count, &work->friction,
                                       &instant, approaching));
  } else {
    ASP_TRY(asp_formulate_impulse(formulation, &state, work->frames, work->frame_count, &work->friction, &instant));
  }
  work->redundant = ASP_TAKE(&world->arena, bool, formulation->rows);
  if (!work->redundant)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_formulate_redundancy(formulation, work->redundant, &work->redundant_count));
  return asp_formulation_finish(formulation);
}

/* The problem that the scheme's step would solve, without solving it. */
static AspError formulate_step(AspWorld *world) {
  ASP_TRY(asp_world_refine(world));
  return world->scheme->formulate(&world->work, &world->state);
}

/* ---- what the blocks mean ---- */

AspProblemBlock asp_block_describe(const StepView *view, int index) {
  const AspBlockTag *tag = &view->work->formulation.tag[index];
  AspProblemBlock block = {.role = tag->role, .joint = -1};
  if (asp_role_is_of_joint(tag->role)) {
    const AspJointDef *def = asp_model_joint_def(view->model, tag->index);
    block.joint = tag->index;
    block.body_a = def->body_a;
    block.body_b = def->body_b;
    return block;
  }
  if (tag->role == ASP_ROLE_STRETCH) {
    block.body_a = asp_model_beam_station(view->model, tag->index, false);
    block.body_b = asp_model_beam_station(view->model, tag->index, true);
    return block;
  }
  const AspContactFrame *frame = &view->work->frames[tag->index];
  const AspContact *contact = &view->search->found[tag->index];
  block.body_a = frame->body_a;
  block.body_b = frame->body_b;
  block.feature = contact->feature;
  block.point = scale3(0.5, add3(contact->point_a, contact->point_b));
  block.normal = frame->normal;
  block.t1 = frame->t1;
  block.t2 = frame->t2;
  block.gap = frame->gap;
  return block;
}

/* Key of the pair's law that the level cannot state as blocks of one problem, NULL: none. Sliding fast enough, and with
 * Stribeck's curve also at rest, the coefficient at the present slip counts; with a jump from static to kinetic
 * friction a resting contact obeys neither alone. */
static const char *law_beyond(const AspWorld *world, AspProblemLevel level, const AspContactFrame *frame,
                              const AspInstant *instant) {
  const AspPairLaw *law = frame->law;
  if (level == ASP_PROBLEM_STEP || level == ASP_PROBLEM_IMPULSE)
    return asp_pair_law_beyond_coulomb(law, true);
  if (law && law->contact_radius > 0)
    return "contact_radius";
  bool jumps = law && law->static_friction > law->friction && !(law->stribeck_speed > 0);
  if (!jumps || level == ASP_PROBLEM_STATIC || frame->gap > instant->gap)
    return NULL;
  int dimension = asp_model_dimension(world->model), n = asp_body_velocities(dimension);
  double slip = 0;
  AspRow rows[3];
  asp_contact_rows(dimension, frame, rows);
  for (int k = 1; k < dimension; k++)
    slip = asp_hypot(slip, asp_row_dot(n, rows[k].ja, world->state.v + (size_t)n * frame->body_a) +
                               asp_row_dot(n, rows[k].jb, world->state.v + (size_t)n * frame->body_b) + rows[k].rate);
  return slip > instant->speed ? NULL : "static_friction";
}

/* Refuse laws that the level cannot state: ignoring them would analyze another scene. */
static AspError refuse_laws(AspWorld *world, AspProblemLevel level, double dt) {
  const AspModel *model = world->model;
  AspInstant instant = instant_of(world, dt);
  for (int i = 0; i < world->work.frame_count; i++) {
    const AspContactFrame *frame = &world->work.frames[i];
    const char *key = law_beyond(world, level, frame, &instant);
    if (key)
      return asp_fail(world->context, ASP_ERROR_UNSUPPORTED,
                      "%s and %s touch with \"%s\", which the %s level cannot state as one contact problem; remove it "
                      "from the scene's materials, or simulate with asperity run",
                      asp_model_body_name(model, frame->body_a), asp_model_body_name(model, frame->body_b), key,
                      asp_problem_level_names[level]);
  }
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    if (asp_model_joint_def(model, joint)->friction_coefficient > 0)
      return asp_fail(
          world->context, ASP_ERROR_UNSUPPORTED,
          "joint %s has a \"friction_coefficient\": its friction follows the size of the joint's own load, which is no "
          "block of one contact problem; a constant \"friction\" is",
          asp_model_joint_name(model, joint));
  if (level == ASP_PROBLEM_STATIC && asp_model_beam_count(model) > 0)
    return asp_fail(world->context, ASP_ERROR_UNSUPPORTED,
                    "beam %s: statics balances rigid bodies, and a beam bends until its elastic forces balance the "
                    "loads; give it \"damping\" and simulate with asperity run until it rests",
                    asp_model_beam_name(model, 0));
  return ASP_OK;
}

AspError asp_world_formulate(AspWorld *world, AspProblemLevel level, double dt, int *approaching) {
  *approaching = 0;
  if (level == ASP_PROBLEM_STEP && world->scheme->not_one_problem)
    return asp_fail(world->context, ASP_ERROR_UNSUPPORTED,
                    "a step of %s is %s, not one; look at level acceleration or impulse, or at the step of another "
                    "scheme",
                    asp_scheme_names[world->options.scheme], world->scheme->not_one_problem);
  ASP_TRY(asp_world_gather(world, world->options.dt));
  ASP_TRY(refuse_laws(world, level, dt));
  return level == ASP_PROBLEM_STEP ? formulate_step(world) : formulate_instant(world, level, dt, approaching);
}

AspError asp_world_watch(AspWorld *world) {
  int approaching;
  if (!asp_watch_is_due(&world->watch, &world->view, &world->uniqueness.known))
    return ASP_OK;
  AspError error = asp_world_formulate(world, ASP_PROBLEM_ACCELERATION, world->options.dt, &approaching);
  bool formulated = error == ASP_OK && approaching == 0;
  AspError looked = asp_watch_look(&world->watch, &world->view, &world->warnings, formulated);
  error = formulated ? looked : error;
  return error == ASP_ERROR_UNSUPPORTED ? ASP_OK : error; // laws that the level cannot state
}

AspError asp_world_problem_at(AspWorld *world, AspProblemLevel level, AspLevelProblem *out) {
  *out = (AspLevelProblem){.level = level};
  ASP_TRY(asp_world_formulate(world, level, 0, &out->approaching));
  const AspFormulation *formulation = &world->work.formulation;
  ASP_TRY(asp_problem_copy(world->context, &formulation->problem, &out->problem));
  out->block = asp_allocate(world->context, (size_t)formulation->blocks, sizeof *out->block);
  if (!out->block) {
    asp_level_problem_destroy(world->context, out);
    return ASP_ERROR_MEMORY;
  }
  for (int b = 0; b < formulation->blocks; b++)
    out->block[b] = asp_block_describe(&world->view, b);
  return ASP_OK;
}

void asp_level_problem_destroy(AspContext *context, AspLevelProblem *it) {
  if (!it)
    return;
  asp_problem_destroy(context, &it->problem);
  asp_release(context, it->block);
  *it = (AspLevelProblem){0};
}
