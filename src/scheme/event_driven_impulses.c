/* Impulses of the event-driven scheme at an instant.
 *
 *   impacts   closed contacts and limits (gap within run->gap) that approach faster than run->speed: scheme/impact.c
 *   without   no finite force exists (Painleve): the limit for d -> 0 of
 *   collision     M v+ = M v + d h + H r,  contacts inelastic
 */
#include "scheme/event_driven.h"

#include <math.h>

/* ---- impacts ---- */

/* Speed with which a joint runs into a limit it has reached; 0: it does not. */
static double limit_speed(const EventRun *run, int joint) {
  const AspSchemeHost *host = run->host;
  const AspJointDef *def = asp_model_joint_def(host->model, joint);
  AspRow row[ASP_ROW_PARTS];
  if (!asp_joint_coordinate(host->model, host->state, joint, row))
    return 0;
  double rate = asp_events_rate(host, row);
  if (row->value <= def->limit_low + run->gap && rate < -run->speed)
    return -rate;
  return row->value >= def->limit_high - run->gap && rate > run->speed ? rate : 0;
}

/* The fastest approach of anything closed; *event names it. */
double asp_events_fastest_approach(const EventRun *run, AspEvent *event) {
  const AspSchemeHost *host = run->host;
  double fastest = 0;
  for (int i = 0; i < host->work->frame_count; i++) {
    const AspContactFrame *frame = &host->work->frames[i];
    double speed = -asp_contact_approach(host->model, frame, host->state);
    if (frame->gap > run->gap || speed <= fmax(run->speed, fastest))
      continue;
    fastest = speed;
    event->joint = -1;
    event->body_a = frame->body_a;
    event->body_b = frame->body_b;
  }
  for (int joint = 0; joint < asp_model_joint_count(host->model); joint++) {
    double speed = limit_speed(run, joint);
    if (speed <= fastest)
      continue;
    fastest = speed;
    event->joint = joint;
    event->body_a = asp_model_joint_def(host->model, joint)->body_a;
    event->body_b = asp_model_joint_def(host->model, joint)->body_b;
  }
  event->speed = fastest;
  return fastest;
}

typedef struct Sight {
  EventRun *run;
  double (*seen)[3]; /* frames: impulses counted so far */
  AspError error;
} Sight;

/* A problem of the impact was solved, the velocities are those before it: joint impulses and flows. */
static void see_problem(void *user, const AspStepWork *solved) {
  Sight *sight = user;
  EventRun *run = sight->run;
  const AspSchemeHost *host = run->host;
  AspArenaMark mark = asp_arena_mark(host->arena);
  AspFormulation joints = solved->formulation; // they come first
  AspState mean = asp_state_ahead(host->model, host->arena, host->state, 0);
  AspContactFrame *now = solved->frames, *part = ASP_TAKE(host->arena, AspContactFrame, solved->frame_count);
  if (!mean.q || !part) {
    sight->error = ASP_ERROR_MEMORY;
    return;
  }
  joints.blocks = 0;
  while (joints.blocks < solved->formulation.blocks && !asp_role_is_of_contact(joints.tag[joints.blocks].role))
    joints.blocks++;
  joints.rows = joints.offset[joints.blocks];
  for (int i = 0; i < solved->frame_count; i++) {
    part[i] = now[i];
    for (int k = 0; k < 3; k++) {
      part[i].impulse[k] -= sight->seen[i][k];
      sight->seen[i][k] = now[i].impulse[k];
    }
  }
  asp_state_spread(host->model, &mean, solved->x, mean.v);
  for (int i = 0; i < asp_model_v_size(host->model); i++)
    mean.v[i] = 0.5 * (mean.v[i] + host->state->v[i]);
  host->work->frames = part;
  sight->error = host->call->count_flow(host->user, &mean, 0, &joints, solved->r, host->flow, host->outside);
  if (sight->error == ASP_OK)
    sight->error = asp_totals_count(&run->totals, &joints, *host->found, solved->r);
  host->work->frames = now;
  asp_arena_rewind(host->arena, mark);
}

AspError asp_events_collide(EventRun *run, AspEvent *event) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  Sight sight = {.run = run, .seen = asp_arena_take(host->arena, (size_t)work->frame_count, sizeof *sight.seen)};
  if (!sight.seen)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_impact_at(work, host->state, run->gap, run->speed, see_problem, &sight));
  ASP_TRY(sight.error);
  asp_solved_combine(&run->totals.solved, &work->solved);
  for (int i = 0; i < work->frame_count; i++) {
    const double *impulse = work->frames[i].impulse;
    if (impulse[0] != 0)
      ASP_TRY(asp_totals_contact(&run->totals, &(*host->found)[i], &work->frames[i], impulse, work->frames[i].moment));
    event->impulse = fmax(event->impulse, impulse[0]);
  }
  if (work->gain > 0)
    ASP_TRY(
        asp_totals_gain(&run->totals, &(*host->found)[work->gain_frame], &work->frames[work->gain_frame], work->gain));
  event->kind = ASP_EVENT_IMPACT;
  return asp_events_note(run, *event);
}

/* ---- without collision ---- */

AspError asp_events_push(EventRun *run) {
  const AspSchemeHost *host = run->host;
  AspStepWork *work = host->work;
  double dt = work->dt;
  AspState mean = asp_state_ahead(host->model, host->arena, host->state, 0);
  double *known = asp_known_velocity(host->model, host->arena, host->state, 0, false);
  if (!mean.q || !known)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < work->frame_count; i++)
    work->frames[i].closed = work->frames[i].hit = work->frames[i].gap <= run->gap;
  work->dt = EVENT_MODES_INSTANT * dt;
  AspStepTerms terms = {.level = ASP_LEVEL_VELOCITY,
                        .phase = ASP_PHASE_AFTER,
                        .dt = work->dt,
                        .effort_time = work->dt,
                        .slop = run->gap,
                        .slop_turn = run->gap,
                        .known_velocity = known};
  host->before->t = host->state->t; // for the message of a choice among solutions
  ASP_TRY(asp_formulate_step(work, host->state, host->state, 1, &terms));
  ASP_TRY(asp_solve_step(work, host->state));
  for (int i = 0; i < asp_model_v_size(host->model); i++)
    mean.v[i] = 0.5 * (mean.v[i] + host->state->v[i]);
  ASP_TRY(host->call->count_flow(host->user, &mean, 0, &work->formulation, work->r, host->flow, host->outside));
  ASP_TRY(asp_totals_count(&run->totals, &work->formulation, *host->found, work->r));
  asp_solved_combine(&run->totals.solved, &work->solved);
  AspEvent event = {.kind = ASP_EVENT_IMPULSE,
                    .t = host->state->t,
                    .joint = -1,
                    .body_a = -1,
                    .body_b = -1,
                    .A = NAN,
                    .b = NAN,
                    .force = NAN};
  for (int b = 0; b < work->formulation.blocks; b++)
    if (work->formulation.tag[b].role == ASP_ROLE_CONTACT && work->r[work->formulation.offset[b]] > event.impulse) {
      event.impulse = work->r[work->formulation.offset[b]];
      event.body_a = work->frames[work->formulation.tag[b].index].body_a;
      event.body_b = work->frames[work->formulation.tag[b].index].body_b;
    }
  work->dt = dt;
  return asp_events_note(run, event);
}
