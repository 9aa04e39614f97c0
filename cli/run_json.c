/* The JSON of `run`. */
#include "analyze.h"
#include "json.h"
#include "run_accuracy.h"
#include "run_report.h"
#include "scene_flags.h"

#include <math.h>

#define PATH_SIZE 4096

static void write_vector(Json *json, const char *key, AspVec3 vector) {
  json_numbers(json, key, (double[]){vector.x, vector.y, vector.z}, 3);
}

static void write_bodies(Json *json, const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspState *state = asp_world_state(world);
  json_array(json, "bodies");
  for (int body = 0; body < asp_model_body_count(model); body++) {
    AspPose pose = asp_state_pose(model, state, body);
    AspQuat q = pose.orientation;
    json_object(json, NULL);
    json_text(json, "name", asp_model_body_name(model, body));
    write_vector(json, "position", pose.position);
    json_numbers(json, "orientation", (double[]){q.w, q.x, q.y, q.z}, 4);
    write_vector(json, "velocity", asp_state_velocity(model, state, body));
    write_vector(json, "angular_velocity", asp_state_angular_velocity(model, state, body));
    json_end(json);
  }
  json_end(json);
}

static void write_flow(Json *json, const AspEnergyFlow *flow) {
  json_object(json, "energy_flow");
  json_number(json, "motors", flow->motors);
  json_number(json, "forces", flow->forces);
  json_number(json, "friction", flow->friction);
  json_number(json, "impacts", flow->impacts);
  json_number(json, "joints", flow->joints);
  json_number(json, "damping", flow->damping);
  json_number(json, "remainder", flow->remainder);
  json_end(json);
}

/* Of the event-driven scheme. */
static void write_events(Json *json, const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspEvent *events = asp_world_events(world);
  int count = asp_world_event_count(world);
  json_array(json, "events");
  for (int i = 0; i < count; i++) {
    const AspEvent *event = &events[i];
    json_object(json, NULL);
    json_text(json, "kind", asp_event_kind_name(event->kind));
    json_number(json, "time", event->t);
    if (event->joint >= 0)
      json_text(json, "joint", asp_model_joint_name(model, event->joint));
    if (event->body_a >= 0) {
      json_array(json, "bodies");
      json_text(json, NULL, asp_model_body_name(model, event->body_a));
      json_text(json, NULL, asp_model_body_name(model, event->body_b));
      json_end(json);
    }
    if (event->kind == ASP_EVENT_IMPACT)
      json_number(json, "speed", event->speed);
    if (event->kind == ASP_EVENT_IMPACT || event->kind == ASP_EVENT_IMPULSE)
      json_number(json, "impulse", event->impulse);
    if ((event->kind == ASP_EVENT_JAM || event->kind == ASP_EVENT_NO_FORCE) && isfinite(event->A)) {
      json_number(json, "A", event->A);
      json_number(json, "b", event->b);
      json_number(json, "force", event->force);
    }
    json_end(json);
  }
  json_end(json);
}

static void write_episodes(Json *json, const AspWorld *world) {
  json_array(json, "episodes");
  for (int i = 0; i < asp_world_episode_count(world); i++) {
    const AspEpisode *episode = &asp_world_episodes(world)[i];
    json_object(json, NULL);
    json_integer(json, "solutions", episode->solutions);
    json_number(json, "from", episode->from);
    json_number(json, "to", episode->to);
    json_integer(json, "instants", episode->instants);
    json_array(json, "blocks");
    for (int b = 0; b < episode->blocks; b++) {
      char name[256];
      analyze_block_name(asp_world_model(world), &episode->block[b], name, sizeof name);
      json_text(json, NULL, name);
    }
    json_end(json);
    if (episode->A) {
      json_array(json, "A");
      for (int b = 0; b < episode->blocks; b++)
        json_numbers(json, NULL, episode->A + (size_t)b * (size_t)episode->blocks, episode->blocks);
      json_end(json);
      json_numbers(json, "b", episode->b, episode->blocks);
    }
    json_end(json);
  }
  json_end(json);
}

/* Why the run ended where it did. */
static const char *end_reason(const SimulationSummary *summary) {
  return summary->interrupted    ? "interrupted"
         : summary->impossible   ? "impossible drive"
         : summary->stopped >= 0 ? "stop"
                                 : "until";
}

/* The measures of resolution: where each was worst, and how often it was exceeded. */
static void write_resolution(Json *json, const AspWorld *world) {
  const AspMeasured *table = asp_world_resolution(world);
  json_object(json, "resolution");
  for (int i = 0; i < ASP_MEASURE_COUNT; i++) {
    char place[256];
    const AspMeasured *measured = &table[i];
    json_object(json, asp_measure_name((AspMeasure)i));
    json_flag(json, "applies", measured->applies);
    if (measured->applies) {
      json_number(json, "worst", measured->worst);
      json_number(json, "threshold", measured->threshold);
      json_text(json, "where", asp_world_measure_place(world, (AspMeasure)i, place, sizeof place));
      json_number(json, "t", measured->t);
      json_integer(json, "steps", measured->steps);
    }
    json_end(json);
  }
  json_end(json);
}

/* Value at the end, least and largest of every column. */
static void write_probes(Json *json, const AspProbes *probes) {
  json_object(json, "probes");
  for (int i = 0; i < asp_probes_count(probes); i++) {
    json_object(json, asp_probes_name(probes, i));
    json_number(json, "final", asp_probes_value(probes, i));
    json_number(json, "min", asp_probes_low(probes, i));
    json_number(json, "max", asp_probes_high(probes, i));
    json_text(json, "unit", asp_probes_unit(probes, i));
    json_end(json);
  }
  json_end(json);
}

static void write_residuals(Json *json, const SimulationSummary *summary) {
  json_number(json, "residual_max", summary->run.residual_max);
  json_number(json, "residual_data_max", summary->run.residual_data_max);
  json_number(json, "residual_exact_max", summary->run.residual_exact_max);
  json_number(json, "residual_contact_max", summary->run.residual_contact_max);
}

/* Where the problems of single steps lie. */
static void write_problems(Json *json, const SimulationSummary *summary, const char *result) {
  json_array(json, "problems");
  for (int i = 0; i < summary->dump_count; i++) {
    char path[PATH_SIZE];
    json_text(json, NULL, dump_path(result, summary->dumped[i], path, sizeof path) ? path : NULL);
  }
  json_end(json);
}

void run_write_json(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                    const SimulationOutput *output) {
  const char *result = output->result, *result_path = output->no_result ? NULL : result;
  Json json = json_start(stdout);
  write_parameters(&json, scene);
  write_probes(&json, summary->probes);
  json_integer(&json, "steps", summary->run.steps);
  json_number(&json, "time", summary->run.time);
  json_number(&json, "wall_s", summary->wall);
  json_integer(&json, "steps_uncertified", summary->run.steps_uncertified);
  json_integer(&json, "steps_unresolved", summary->run.steps_unresolved);
  write_resolution(&json, world);
  json_integer(&json, "instants_without_solution", summary->run.instants_none);
  json_integer(&json, "instants_with_several_solutions", summary->run.instants_several);
  json_integer(&json, "instants_not_checked", summary->run.instants_unchecked);
  json_integer(&json, "steps_with_several_solutions", summary->run.steps_chosen);
  json_integer(&json, "steps_not_checked", summary->run.steps_unchecked);
  json_integer(&json, "steps_with_load_sharing", summary->run.steps_shared);
  json_integer(&json, "steps_with_load_sharing_not_chosen", summary->run.steps_unshared);
  json_integer(&json, "alternatives_max", summary->run.alternatives_max);
  json_text(&json, "selection", asp_selection_names[asp_world_options(world)->selection]);
  json_integer(&json, "steps_with_impulse_without_collision", summary->run.steps_impulse);
  write_episodes(&json, world);
  json_integer(&json, "steps_retried", summary->run.steps_retried);
  json_integer(&json, "steps_divided", summary->run.steps_divided);
  accuracy_write(&json, world);
  write_residuals(&json, summary);
  json_number(&json, "penetration_max", summary->run.penetration_max);
  json_number(&json, "joint_drift_max", summary->run.joint_drift_max);
  json_number(&json, "energy_initial", summary->run.energy_initial);
  json_number(&json, "energy_final", summary->run.energy_final);
  write_flow(&json, &summary->run.flow);
  json_integer(&json, "contacts_max", summary->run.contacts_max);
  json_object(&json, "final");
  write_bodies(&json, world);
  json_end(&json);
  json_array(&json, "warnings");
  for (int i = 0; i < asp_world_warning_count(world); i++)
    json_text(&json, NULL, asp_world_warning(world, i));
  json_end(&json);
  if (asp_scheme_supports(asp_world_options(world)->scheme, ASP_FEATURE_EVENTS))
    write_events(&json, world);
  write_problems(&json, summary, result);
  json_flag(&json, "interrupted", summary->interrupted != 0);
  json_text(&json, "end_reason", end_reason(summary));
  if (summary->stopped >= 0)
    json_text(&json, "stop", asp_model_stop_message(scene->model, summary->stopped));
  json_object(&json, "event_actions");
  for (int i = 0; i < asp_model_event_count(scene->model); i++)
    json_integer(&json, asp_model_event_name(scene->model, i),
                 asp_state_event_actions(scene->model, asp_world_state(world), i));
  json_end(&json);
  json_text(&json, "from", *summary->from ? summary->from : NULL);
  json_text(&json, "result", result_path);
  json_finish(&json);
}
