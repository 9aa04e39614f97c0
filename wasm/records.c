/* What a world says of its present state, as numbers in place and as JSON. See live.h. */
#include "live.h"

#include <math.h>
#include <string.h>

#define LINE_POINTS 33 /* of a beam's centreline, as in result files */

double live_time(const Live *live) { return live->world ? asp_world_state(live->world)->t : 0; }
const double *live_q(const Live *live) { return asp_world_state(live->world)->q; }
const double *live_v(const Live *live) { return asp_world_state(live->world)->v; }
int live_q_size(const Live *live) { return asp_model_q_size(live->scene.model); }
int live_v_size(const Live *live) { return asp_model_v_size(live->scene.model); }

/* Hash of time, q and v as two halves; the same as `asperity run` prints. */
double live_hash(const Live *live, int high) {
  uint64_t hash = asp_world_state_hash(live->world);
  return (double)(uint32_t)(high ? hash >> 32 : hash);
}

int live_contact_count(const Live *live) { return live->world ? asp_world_contact_count(live->world) : 0; }

/* 18 numbers of each contact: bodies A and B, mode, point (3), normal (3), mean force on B (3), slip u_N, u_T1, u_T2,
 * gap, mu, feature */
const double *live_contacts(Live *live) {
  int count = live_contact_count(live);
  const AspContactRecord *record = asp_world_contacts(live->world);
  double *out = live_room(live, 18 * (size_t)count + 1), *at = out;
  for (int i = 0; out && i < count; i++, at += 18) {
    const AspContactRecord *c = &record[i];
    const double row[18] = {c->body_a,   c->body_b,   c->mode,     c->point.x, c->point.y, c->point.z,
                            c->normal.x, c->normal.y, c->normal.z, c->force.x, c->force.y, c->force.z,
                            c->slip[0],  c->slip[1],  c->slip[2],  c->gap,     c->mu,      c->feature};
    memcpy(at, row, sizeof row);
  }
  return out;
}

/* Of the last step: step, t, dt, certified, resolved, iterations, attempts, parts, residual E2, exact, contacts,
 * alternatives, instant solutions, impulse, penetration, joint drift, energies (kinetic, of gravity, elastic), flows
 * (motors, forces, friction, impacts, joints, damping, unaccounted), steps not certified and not resolved so far, seconds
 * (collide, assemble, solve, judge, record), measures (10) */
const double *live_info(Live *live) {
  const AspStepInfo *i = &live->info;
  const double values[] = {(double)i->step,
                           i->t,
                           i->dt,
                           i->certified,
                           i->resolved,
                           i->iterations,
                           i->attempts,
                           i->parts,
                           i->residual.E2,
                           i->residual.exact,
                           i->contacts,
                           i->alternatives,
                           i->instant_solutions,
                           i->impulse,
                           i->penetration,
                           i->joint_drift,
                           i->energy.kinetic,
                           i->energy.gravitational,
                           i->energy.elastic,
                           i->flow.motors,
                           i->flow.forces,
                           i->flow.friction,
                           i->flow.impacts,
                           i->flow.joints,
                           i->flow.damping,
                           i->flow.remainder,
                           (double)live->uncertified,
                           (double)live->unresolved,
                           i->times.collide,
                           i->times.assemble,
                           i->times.solve,
                           i->times.judge,
                           i->times.record};
  memcpy(live->about, values, sizeof values);
  memcpy(live->about + sizeof values / sizeof *values, i->measure, sizeof i->measure);
  return live->about;
}

const double *live_joints(Live *live) { // coordinate, drift, force (3), motor
  int count = asp_model_joint_count(live->scene.model);
  const AspJointRecord *record = asp_world_joints(live->world);
  double *out = live_room(live, 6 * (size_t)count + 1);
  for (int i = 0; out && i < count; i++) {
    const double row[6] = {record[i].coordinate, record[i].drift,   record[i].force.x,
                           record[i].force.y,    record[i].force.z, record[i].motor};
    memcpy(out + 6 * (size_t)i, row, sizeof row);
  }
  return out;
}

const double *live_forces(Live *live) { // three numbers each
  const AspModel *model = live->scene.model;
  int count = asp_model_force_count(model);
  double *out = live_room(live, 3 * (size_t)count + 1);
  for (int i = 0; out && i < count; i++) {
    AspVec3 F = asp_model_force_now(model, asp_world_state(live->world), i);
    const double row[3] = {F.x, F.y, F.z};
    memcpy(out + 3 * (size_t)i, row, sizeof row);
  }
  return out;
}

const double *live_beam_points(Live *live) { // LINE_POINTS x 3 of each beam
  const AspModel *model = live->scene.model;
  int beams = asp_model_beam_count(model);
  double *out = live_room(live, 3 * LINE_POINTS * (size_t)beams + 1);
  for (int beam = 0; out && beam < beams; beam++)
    for (int i = 0; i < LINE_POINTS; i++) {
      double s = asp_model_beam_def(model, beam)->length * i / (LINE_POINTS - 1);
      AspVec3 x = asp_state_beam_pose(model, asp_world_state(live->world), beam, s).position;
      const double row[3] = {x.x, x.y, x.z};
      memcpy(out + 3 * ((size_t)beam * LINE_POINTS + (size_t)i), row, sizeof row);
    }
  return out;
}

int live_probe_count(const Live *live) { return live->probes ? asp_probes_count(live->probes) : 0; }
const double *live_probe_values(Live *live) {
  int count = live_probe_count(live);
  double *out = live_room(live, (size_t)count + 1);
  for (int i = 0; out && i < count; i++)
    out[i] = asp_probes_value(live->probes, i);
  return out;
}

/* {"unresolved": n, "measures": [...], "warnings": [...], "stopped": "..."} */
int live_verdict(Live *live) {
  if (!live->world)
    return ASP_ERROR_ARGUMENT;
  cJSON *all = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(all, "measures");
  const AspMeasured *measured = asp_world_resolution(live->world);
  for (int i = 0; i < ASP_MEASURE_COUNT; i++) {
    char where[256];
    if (!measured[i].applies)
      continue;
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(list, entry);
    cJSON_AddStringToObject(entry, "name", asp_measure_name((AspMeasure)i));
    cJSON_AddStringToObject(entry, "text", asp_measure_text((AspMeasure)i));
    cJSON_AddStringToObject(entry, "remedy", asp_measure_remedy((AspMeasure)i));
    cJSON_AddStringToObject(entry, "where", asp_world_measure_place(live->world, (AspMeasure)i, where, sizeof where));
    cJSON_AddNumberToObject(entry, "threshold", measured[i].threshold);
    cJSON_AddNumberToObject(entry, "worst", measured[i].worst);
    cJSON_AddNumberToObject(entry, "time", measured[i].t);
    cJSON_AddNumberToObject(entry, "steps", (double)measured[i].steps);
  }
  cJSON *warnings = cJSON_AddArrayToObject(all, "warnings");
  for (int i = 0; i < asp_world_warning_count(live->world); i++)
    cJSON_AddItemToArray(warnings, cJSON_CreateString(asp_world_warning(live->world, i)));
  const char *stopped = asp_world_stop_reason(live->world);
  if (stopped)
    cJSON_AddStringToObject(all, "stopped", stopped);
  return live_answer(live, all);
}
