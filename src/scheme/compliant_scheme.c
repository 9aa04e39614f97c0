/* The scheme `compliant`: contacts as springs and dampers (asperity/compliant.h), integrated by CVODE from the end of
 * one step to that of the next. The impulses of contacts and joints are integrated as further unknowns, and go into the
 * records through the totals of the step (step_totals.h). The certificate is the local error that the integrator
 * estimates, in the unit of its tolerance: the law claimed is the springs'. */
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "model/sensor.h"
#include "scheme/compliant.h"
#include "scheme/step_totals.h"
#include "scheme/tuning/compliant.h"

#include <math.h>

typedef struct SpringRun {
  const AspSchemeHost *host;
  AspCompliant *compliant;
  StepTotals totals;
  AspState start; /* of the step */
  bool begun;
  double tolerance;
  double *last; /* the observed unknowns at the start of the step */
  double (*impulse)[3];
  int contacts; /* impulses at the start of the step */
  size_t impulse_capacity;
} SpringRun;

static int joint_slots(const AspSchemeHost *host) { return TOTAL_SLOTS * asp_model_joint_count(host->model); }

/* ---- what goes along ---- */

static AspError observe(void *user, const AspCompliantMoment *moment, double *rates) {
  SpringRun *run = user;
  const AspSchemeHost *host = run->host;
  const AspFormulation *formulation = moment->formulation;
  AspArenaMark mark = asp_arena_mark(host->arena);
  int slots = joint_slots(host);
  memset(rates, 0, (size_t)slots * sizeof *rates);
  for (int b = 0; b < formulation->blocks; b++)
    for (int k = formulation->offset[b]; k < formulation->offset[b + 1]; k++)
      rates[TOTAL_SLOTS * formulation->tag[b].index + asp_totals_slot(&formulation->tag[b]) + k -
            formulation->offset[b]] = moment->r[k];
  host->work->frames = moment->frames;
  host->work->frame_count = moment->count;
  AspError error = asp_totals_rates(&run->totals, moment->state, formulation, moment->r, rates + slots);
  host->work->frames = NULL;
  host->work->frame_count = 0;
  asp_arena_rewind(host->arena, mark);
  return error;
}

/* ---- life cycle ---- */

/* Restitution is not part of the equation: warn where a scene gives it. */
static AspError report_restitution(const AspSchemeHost *host) {
  const AspModel *model = host->model;
  for (int a = 0; a < asp_model_material_count(model); a++)
    for (int b = 0; b <= a; b++) {
      const AspPairLaw *law = asp_model_pair(model, a, b);
      if (law && (law->restitution > 0 || law->tangential_restitution > 0))
        return asp_scheme_warn(host,
                               "materials %s/%s: the scheme compliant ignores restitution %g; what a bounce "
                               "returns follows from compliant.stiffness and compliant.damping",
                               asp_model_material_name(model, a), asp_model_material_name(model, b),
                               fmax(law->restitution, law->tangential_restitution));
    }
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    if (asp_model_joint_def(model, joint)->limit_restitution > 0)
      return asp_scheme_warn(host,
                             "joint %s: the scheme compliant ignores limit_restitution %g; what a limit gives "
                             "back follows from compliant.stiffness and compliant.damping",
                             asp_model_joint_name(model, joint), asp_model_joint_def(model, joint)->limit_restitution);
  return ASP_OK;
}

static AspError create(const AspSchemeHost *host, void **out) {
  SpringRun *run = asp_allocate(host->context, 1, sizeof *run);
  if (!run)
    return ASP_ERROR_MEMORY;
  *out = run;
  run->host = host;
  run->tolerance = fmin(COMPLIANT_SCHEME_SHARP, host->options->tolerance);
  AspCompliantOptions options = asp_compliant_default_options();
  options.stiffness = host->options->stiffness;
  options.damping = host->options->damping;
  options.slip_damping = host->options->slip_damping;
  options.tolerance = run->tolerance;
  ASP_TRY(asp_compliant_create(host->context, host->model, &options, &run->compliant));
  ASP_TRY(asp_state_create_on(host->context, host->model, &run->start));
  ASP_TRY(asp_totals_create(&run->totals, host));
  run->last = asp_allocate(host->context, (size_t)joint_slots(host) + STEP_TOTALS_TOTAL_FLOWS, sizeof *run->last);
  if (!run->last)
    return ASP_ERROR_MEMORY;
  return report_restitution(host);
}

static void destroy(const AspSchemeHost *host, void *data) {
  SpringRun *run = data;
  asp_compliant_destroy(run->compliant);
  asp_state_destroy_on(host->context, &run->start);
  asp_totals_destroy(&run->totals);
  asp_release(host->context, run->last);
  asp_release(host->context, run->impulse);
  asp_release(host->context, run);
}

/* ---- the step ---- */

/* What the unknowns are at the start of the step; contacts that come later start at zero. */
static AspError remember(SpringRun *run) {
  const AspSchemeHost *host = run->host;
  const AspCompliantContact *contacts = asp_compliant_contacts(run->compliant);
  run->contacts = asp_compliant_contact_count(run->compliant);
  ASP_TRY(ASP_GROW(host->context, run->impulse, run->impulse_capacity, run->contacts));
  for (int i = 0; i < run->contacts; i++)
    memcpy(run->impulse[i], contacts[i].impulse, sizeof run->impulse[i]);
  memcpy(run->last, asp_compliant_observed(run->compliant),
         (size_t)(joint_slots(host) + STEP_TOTALS_TOTAL_FLOWS) * sizeof *run->last);
  return ASP_OK;
}

/* What the step added to them, into the totals. */
static AspError count(SpringRun *run) {
  const AspSchemeHost *host = run->host;
  const double none[3] = {0, 0, 0}, *now = asp_compliant_observed(run->compliant);
  const AspCompliantContact *contacts = asp_compliant_contacts(run->compliant);
  int slots = joint_slots(host), known = asp_compliant_contact_count(run->compliant);
  double grown[STEP_TOTALS_TOTAL_FLOWS];
  for (int i = 0; i < slots; i++)
    run->totals.joint[i] = now[i] - run->last[i];
  for (int i = 0; i < STEP_TOTALS_TOTAL_FLOWS; i++)
    grown[i] = now[slots + i] - run->last[slots + i];
  asp_totals_flows(&run->totals, grown);
  for (int i = 0; i < known; i++) {
    AspContact geometry;
    const AspContactFrame *frame = asp_compliant_frame(run->compliant, i, &geometry);
    double impulse[3];
    for (int k = 0; k < 3; k++)
      impulse[k] = contacts[i].impulse[k] - (i < run->contacts ? run->impulse[i][k] : 0);
    *host->penetration = fmax(*host->penetration, -contacts[i].gap);
    if (impulse[0] != 0)
      ASP_TRY(asp_totals_contact(&run->totals, &geometry, frame, impulse, none));
  }
  return ASP_OK;
}

static AspCompliantObserver observer_of(SpringRun *run) {
  return (AspCompliantObserver){
      .user = run, .further = joint_slots(run->host) + STEP_TOTALS_TOTAL_FLOWS, .rates = observe};
}

static AspError archive(const AspSchemeHost *host, void *data, AspArchive *archive) {
  SpringRun *run = data;
  AspCompliantObserver observer = observer_of(run);
  ASP_ARCHIVE(archive, run->begun);
  asp_state_archive(archive, host->model, &run->start);
  ASP_ARCHIVE_ARRAY(archive, run->last, observer.further);
  ASP_ARCHIVE_LIST(archive, run->impulse, run->impulse_capacity, run->contacts);
  return asp_compliant_archive(run->compliant, &observer, archive);
}

/* From the state as it is then. */
static void disturb(const AspSchemeHost *host, void *data, bool moved) {
  (void)host;
  (void)moved;
  ((SpringRun *)data)->begun = false;
}

static AspError begin(SpringRun *run, double dt) {
  const AspSchemeHost *host = run->host;
  AspCompliantObserver observer = observer_of(run);
  ASP_TRY(host->call->make_consistent(host->user, dt));
  ASP_TRY(asp_compliant_begin(run->compliant, host->state, &observer));
  run->begun = true;
  return ASP_OK;
}

static AspError integrate(const AspSchemeHost *host, void *data, double dt) {
  SpringRun *run = data;
  double t = host->state->t + dt;
  bool opened;
  if (!run->begun || asp_inputs_differ(host->model, host->state, asp_compliant_state(run->compliant)))
    ASP_TRY(begin(run, dt));
  host->call->prepare_work(host->user, dt);
  asp_totals_clear(&run->totals);
  *host->penetration = 0;
  ASP_TRY(remember(run));
  asp_state_copy(host->model, host->state, &run->start);
  if (asp_model_dof_count(host->model) > 0) {
    AspError error = asp_compliant_advance(run->compliant, t, false, &opened);
    if (error != ASP_OK) {
      run->begun = false; // from the state before the step, where it is tried again
      return error;
    }
    asp_state_copy(host->model, asp_compliant_state(run->compliant), host->state);
  } else {
    asp_state_advance(host->model, host->state, host->state->v, dt);
  }
  asp_state_copy(host->model, &run->start, host->before);
  host->state->t = t;
  ASP_TRY(count(run));
  AspResidual *residual = &run->totals.solved.residual;
  residual->E1 = residual->E2 = residual->E3 = run->tolerance * asp_compliant_error(run->compliant);
  residual->exact = NAN; // springs overlap and creep: another law
  return asp_totals_describe(&run->totals, dt);
}

const AspSchemeType asp_scheme_compliant = {
    .no_impacts = true,
    .armature = true,
    .turning_surfaces = true,
    .no_solver = true,
    .gives_way = true,
    .own_search = true,
    .single_solutions = true,
    .makes_consistent = true,
    .impacts_before = true,
    .late_solves = ASP_LATE_SOLVES,
    .create = create,
    .destroy = destroy,
    .archive = archive,
    .disturb = disturb,
    .integrate = integrate,
    .formulate = asp_formulate_stewart_trinkle,
    .rehearse = asp_step_moreau_jean,
};
