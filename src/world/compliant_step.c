/* The scheme `compliant`: contacts as springs and dampers (asperity/compliant.h), integrated by CVODE from the end of
 * one step to that of the next. What contacts and joints gave goes along as unknowns of the integrator, and into the
 * records through the tally. The certificate is the tolerance of the integrator: the law claimed is the springs'. */
#include "linalg/vec3.h"
#include "scheme/compliant.h"
#include "world/tally.h"

#include <math.h>

#define SHARP 1e-9 /* tolerance of the integrator at most */

struct SpringRun {
  AspWorld *world;
  AspCompliant *compliant;
  StepTally tally;
  AspState start; /* of the step */
  bool begun;
  double tolerance;
  double *last; /* the observed unknowns at the start of the step */
  double (*impulse)[3];
  int contacts; /* impulses at the start of the step */
  size_t impulse_capacity;
};

static int joint_slots(const AspWorld *world) { return TALLY_SLOTS * asp_model_joint_count(world->model); }

/* ---- what goes along ---- */

static AspError observe(void *user, const AspCompliantMoment *moment, double *rates) {
  SpringRun *run = user;
  AspWorld *world = run->world;
  const AspFormulation *formulation = moment->formulation;
  AspArenaMark mark = asp_arena_mark(&world->arena);
  int slots = joint_slots(world);
  memset(rates, 0, (size_t)slots * sizeof *rates);
  for (int b = 0; b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++)
      rates[TALLY_SLOTS * formulation->tag[b].index + asp_tally_slot(formulation->tag[b].role) + k -
            formulation->offset[b]] = moment->r[k];
  world->work.frames = moment->frames;
  world->work.frame_count = moment->count;
  AspError error = asp_tally_rates(&run->tally, moment->state, formulation, moment->r, rates + slots);
  world->work.frames = NULL;
  world->work.frame_count = 0;
  asp_arena_rewind(&world->arena, mark);
  return error;
}

/* ---- life cycle ---- */

/* Restitution has no place in the equation: say so. */
static AspError report_restitution(AspWorld *world) {
  const AspModel *model = world->model;
  for (int a = 0; a < asp_model_material_count(model); a++)
    for (int b = 0; b <= a; b++) {
      const AspPairLaw *law = asp_model_pair(model, a, b);
      if (law && (law->restitution > 0 || law->tangential_restitution > 0))
        return asp_world_warn(world,
                              "materials %s/%s: the scheme compliant does not look at restitution %g; what a bounce "
                              "gives back follows from compliant.stiffness and compliant.damping",
                              asp_model_material_name(model, a), asp_model_material_name(model, b),
                              fmax(law->restitution, law->tangential_restitution));
    }
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    if (asp_model_joint_def(model, joint)->limit_restitution > 0)
      return asp_world_warn(world,
                            "joint %s: the scheme compliant does not look at limit_restitution %g; what a limit gives "
                            "back follows from compliant.stiffness and compliant.damping",
                            asp_model_joint_name(model, joint), asp_model_joint_def(model, joint)->limit_restitution);
  return ASP_OK;
}

AspError asp_springs_create(AspWorld *world) {
  SpringRun *run = asp_allocate(world->context, 1, sizeof *run);
  if (!run)
    return ASP_ERROR_MEMORY;
  world->springs = run;
  run->world = world;
  run->tolerance = fmin(SHARP, world->options.tolerance);
  AspCompliantOptions options = asp_compliant_default_options();
  options.stiffness = world->options.stiffness;
  options.damping = world->options.damping;
  options.slip_damping = world->options.slip_damping;
  options.tolerance = run->tolerance;
  ASP_TRY(asp_compliant_create(world->context, world->model, &options, &run->compliant));
  ASP_TRY(asp_state_create(world->model, &run->start));
  ASP_TRY(asp_tally_create(&run->tally, world));
  run->last = asp_allocate(world->context, (size_t)joint_slots(world) + TALLY_FLOWS, sizeof *run->last);
  if (!run->last)
    return ASP_ERROR_MEMORY;
  return report_restitution(world);
}

void asp_springs_destroy(AspWorld *world) {
  SpringRun *run = world->springs;
  if (!run)
    return;
  asp_compliant_destroy(run->compliant);
  asp_state_destroy(world->model, &run->start);
  asp_tally_destroy(&run->tally);
  asp_release(world->context, run->last);
  asp_release(world->context, run->impulse);
  asp_release(world->context, run);
  world->springs = NULL;
}

/* ---- the step ---- */

/* What the unknowns are at the start of the step; contacts that come later start at zero. */
static AspError remember(SpringRun *run) {
  AspWorld *world = run->world;
  const AspCompliantContact *contacts;
  void *list = run->impulse;
  run->contacts = asp_compliant_contacts(run->compliant, &contacts);
  AspError error = asp_grow(world->context, &list, &run->impulse_capacity, (size_t)run->contacts, sizeof *run->impulse);
  run->impulse = list;
  ASP_TRY(error);
  for (int i = 0; i < run->contacts; i++)
    memcpy(run->impulse[i], contacts[i].impulse, sizeof run->impulse[i]);
  memcpy(run->last, asp_compliant_observed(run->compliant),
         (size_t)(joint_slots(world) + TALLY_FLOWS) * sizeof *run->last);
  return ASP_OK;
}

/* What the step added to them, into the tally. */
static AspError count(SpringRun *run) {
  AspWorld *world = run->world;
  const double none[3] = {0, 0, 0}, *now = asp_compliant_observed(run->compliant);
  const AspCompliantContact *contacts;
  int slots = joint_slots(world), known = asp_compliant_contacts(run->compliant, &contacts);
  double grown[TALLY_FLOWS];
  for (int i = 0; i < slots; i++)
    run->tally.joint[i] = now[i] - run->last[i];
  for (int i = 0; i < TALLY_FLOWS; i++)
    grown[i] = now[slots + i] - run->last[slots + i];
  asp_tally_flows(&run->tally, grown);
  for (int i = 0; i < known; i++) {
    AspContact geometry;
    const AspContactFrame *frame = asp_compliant_frame(run->compliant, i, &geometry);
    double impulse[3];
    for (int k = 0; k < 3; k++)
      impulse[k] = contacts[i].impulse[k] - (i < run->contacts ? run->impulse[i][k] : 0);
    world->frames.penetration = fmax(world->frames.penetration, -contacts[i].gap);
    if (impulse[0] != 0)
      ASP_TRY(asp_tally_contact(&run->tally, &geometry, frame, impulse, none));
  }
  return ASP_OK;
}

static AspError begin(SpringRun *run, double dt) {
  AspWorld *world = run->world;
  AspCompliantObserver observer = {.user = run, .further = joint_slots(world) + TALLY_FLOWS, .rates = observe};
  ASP_TRY(asp_world_make_consistent(world, dt));
  ASP_TRY(asp_compliant_begin(run->compliant, &world->state, &observer));
  run->begun = true;
  return ASP_OK;
}

AspError asp_springs_step(AspWorld *world, double dt) {
  SpringRun *run = world->springs;
  double t = world->state.t + dt;
  bool opened;
  if (!run->begun)
    ASP_TRY(begin(run, dt));
  asp_world_prepare_work(world, dt);
  asp_tally_clear(&run->tally);
  world->frames.penetration = 0;
  world->balance.integrated = true;
  ASP_TRY(remember(run));
  asp_state_copy(world->model, &world->state, &run->start);
  if (asp_model_dof_count(world->model) > 0) {
    AspError error = asp_compliant_advance(run->compliant, t, false, &opened);
    if (error != ASP_OK) {
      run->begun = false; // from the state before the step, where it is tried again
      return error;
    }
    asp_state_copy(world->model, asp_compliant_state(run->compliant), &world->state);
  } else {
    asp_state_advance(world->model, &world->state, world->state.v, dt);
  }
  asp_state_copy(world->model, &run->start, &world->before);
  world->state.t = t;
  ASP_TRY(count(run));
  AspResidual *residual = &run->tally.solved.residual;
  residual->E1 = residual->E2 = residual->E3 = run->tolerance;
  residual->exact = NAN; // springs overlap and creep: another law
  return asp_tally_describe(&run->tally, dt);
}
