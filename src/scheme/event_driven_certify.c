/* The certificate of an event-driven step: the reactions of the present modes at its end, before the judge of the
 * contact problem of accelerations there; where an event falls on that instant, those of the modes that begin. */
#include "scheme/event_driven.h"

#include "problem/residual.h"
#include "problem/verdict.h"

#include <math.h>

/* The reaction of a block of accelerations in the present modes; NULL: it is open or known. */
static const double *reaction_of(const EventRun *run, const AspFormulation *modes, const double *r,
                                 const AspBlockTag *tag) {
  const AspSchemeHost *host = run->host;
  for (int b = 0; b < modes->blocks; b++) {
    bool same = modes->tag[b].role == tag->role && modes->tag[b].index == tag->index && modes->tag[b].part == tag->part;
    if (tag->role == ASP_ROLE_CONTACT && modes->tag[b].role == tag->role) {
      const AspContact *a = &run->track[modes->tag[b].index].contact, *c = &(*host->found)[tag->index];
      same = a->collider_a == c->collider_a && a->collider_b == c->collider_b && a->feature == c->feature;
    }
    if (same)
      return r + modes->offset[b];
  }
  return NULL;
}

/* Forces at the end of the step, in the modes and frames that `modes` was made with. */
static AspError note_forces(EventRun *run, const AspFormulation *modes, const double *r) {
  AspContact *contacts = ASP_TAKE(run->host->arena, AspContact, run->tracks);
  if (!contacts)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < run->tracks; i++)
    contacts[i] = run->track[i].contact;
  return asp_totals_instant(&run->totals, modes, contacts, r);
}

/* The present modes at the end of the step: host->work->solved is their certificate. */
static AspError judge_modes(EventRun *run, bool *lasts) {
  const AspSchemeHost *host = run->host;
  AspFormulation modes;
  AspConstrainedMotion answer;
  AspSolverInfo judged = {.status = ASP_STATUS_SOLVED};
  double drift, rates;
  bool begins = false; // slip that has no direction of its own yet counts as rest
  for (int i = 0; i < run->tracks; i++)
    begins = begins || run->track[i].hold.begins;
  for (int joint = 0; joint < asp_model_joint_count(host->model); joint++)
    begins = begins || run->joint[joint].begins;
  ASP_TRY(asp_events_gather(run));
  AspContactFrame *frames = host->work->frames;
  int frame_count = host->work->frame_count;
  ASP_TRY(asp_events_formulate(run, host->state, &modes));
  double *last = asp_events_last_reactions(run, &modes);
  if (!last || !asp_events_row_errors(run, &modes, false, &drift) || !asp_events_row_errors(run, &modes, true, &rates))
    return ASP_ERROR_MEMORY;
  *lasts = fmax(drift, rates) <= EVENT_MODES_DRIFT * EVENT_MODES_EXACT;
  ASP_TRY(asp_solve_constrained(&modes, host->state, last, &answer));
  ASP_TRY(note_forces(run, &modes, answer.r));
  host->work->frames = frames;
  host->work->frame_count = frame_count;
  ASP_TRY(asp_events_formulate_accelerations(run, begins ? EVENT_BEGUN * run->speed : run->speed));
  const AspFormulation *formulation = &host->work->formulation;
  host->work->solved = judged;
  if (formulation->rows == 0)
    return ASP_OK;
  for (int b = 0; b < formulation->blocks; b++) {
    const double *r = reaction_of(run, &modes, answer.r, &formulation->tag[b]);
    int first = formulation->offset[b], rows = formulation->offset[b + 1] - first;
    if (r && rows > 0)
      memcpy(host->work->r + first, r, (size_t)rows * sizeof *r);
  }
  ASP_TRY(asp_judge_reset(run->judge, &formulation->problem));
  ASP_TRY(asp_judge_certify(run->judge, &(AspTolerances){.residual = host->options->tolerance}, host->work->r,
                            &judged.residual, host->work->u, host->work->x));
  asp_residual_floor(&judged.residual, EVENT_MODES_SLOW * run->strongest); // at rest q is rounding
  host->work->solved = judged;
  return ASP_OK;
}

/* An event at the very end of the step: its modes end there, and those that begin there are judged. */
static AspError judge_next_modes(EventRun *run, bool *found) {
  const AspSchemeHost *host = run->host;
  bool lasts;
  asp_events_end_motion(run);
  ASP_TRY(asp_events_find_modes(run, found));
  if (!*found)
    return ASP_OK;
  asp_state_copy(host->model, host->state, &run->base);
  return judge_modes(run, &lasts);
}

AspError asp_events_certify(EventRun *run, bool *lasts) {
  const AspSchemeHost *host = run->host;
  ASP_TRY(judge_modes(run, lasts));
  AspSolverInfo judged = host->work->solved;
  if (!host->call->is_certified(host->user)) {
    bool found;
    *lasts = false;
    ASP_TRY(judge_next_modes(run, &found));
    if (found && host->call->is_certified(host->user))
      judged = host->work->solved;
  }
  asp_solved_combine(&run->totals.solved, &judged);
  host->work->solved = judged;
  return ASP_OK;
}
