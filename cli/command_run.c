/* asperity run: simulate a scene, write its result, print a summary with the certificate. */
#include "analyze.h"
#include "arguments.h"
#include "checkpoint.h"
#include "interrupt.h"
#include "json.h"
#include "run_accuracy.h"
#include "scene_flags.h"
#include "simulate.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE          4096
#define CHECKPOINT_SECONDS 10
#define BODIES_SHOWN_MAX   6     /* of the final state in the summary */
#define SHOWN_AS_ZERO      1e-12 /* m, m/s: rounding, to a reader */

/* ---- where the result goes ---- */

/* scenes/sphere.json -> sphere.h5, in the current folder */
static bool default_result_path(const char *scene_path, char *buffer, size_t size) {
  const char *slash = strrchr(scene_path, '/');
  const char *name = slash ? slash + 1 : scene_path;
  const char *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  int written = snprintf(buffer, size, "%.*s.h5", length, name);
  return written > 0 && (size_t)written < size;
}

/* ---- as JSON ---- */

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

static void write_json(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                       const SimulationOutput *output) {
  const char *result = output->result, *result_path = output->no_result ? NULL : result;
  Json json = json_start(stdout);
  write_parameters(&json, scene);
  write_probes(&json, summary->probes);
  json_integer(&json, "steps", summary->steps);
  json_number(&json, "time", summary->time);
  json_number(&json, "wall_s", summary->wall);
  json_integer(&json, "steps_uncertified", summary->steps_uncertified);
  json_integer(&json, "steps_unresolved", summary->steps_unresolved);
  write_resolution(&json, world);
  json_integer(&json, "instants_without_solution", summary->instants_none);
  json_integer(&json, "instants_with_several_solutions", summary->instants_several);
  json_integer(&json, "instants_not_checked", summary->instants_unchecked);
  json_integer(&json, "steps_with_several_solutions", summary->steps_chosen);
  json_integer(&json, "steps_not_checked", summary->steps_unchecked);
  json_integer(&json, "steps_with_load_sharing", summary->steps_shared);
  json_integer(&json, "steps_with_load_sharing_not_chosen", summary->steps_unshared);
  json_integer(&json, "alternatives_max", summary->alternatives_max);
  json_text(&json, "selection", asp_selection_names[asp_world_options(world)->selection]);
  json_integer(&json, "steps_with_impulse_without_collision", summary->steps_impulse);
  write_episodes(&json, world);
  json_integer(&json, "steps_retried", summary->steps_retried);
  accuracy_write(&json, world);
  json_number(&json, "residual_max", summary->residual_max);
  json_number(&json, "residual_data_max", summary->residual_data_max);
  json_number(&json, "residual_exact_max", summary->residual_exact_max);
  json_number(&json, "residual_contact_max", summary->residual_contact_max);
  json_number(&json, "penetration_max", summary->penetration_max);
  json_number(&json, "joint_drift_max", summary->joint_drift_max);
  json_number(&json, "energy_initial", summary->energy_initial);
  json_number(&json, "energy_final", summary->energy_final);
  write_flow(&json, &summary->flow);
  json_integer(&json, "contacts_max", summary->contacts_max);
  json_object(&json, "final");
  write_bodies(&json, world);
  json_end(&json);
  json_array(&json, "warnings");
  for (int i = 0; i < asp_world_warning_count(world); i++)
    json_text(&json, NULL, asp_world_warning(world, i));
  json_end(&json);
  if (asp_scheme_supports(asp_world_options(world)->scheme, ASP_FEATURE_EVENTS))
    write_events(&json, world);
  json_array(&json, "problems");
  for (int i = 0; i < summary->dump_count; i++) {
    char path[PATH_SIZE];
    json_text(&json, NULL, dump_path(result, summary->dumped[i], path, sizeof path) ? path : NULL);
  }
  json_end(&json);
  json_flag(&json, "interrupted", summary->interrupted != 0);
  json_text(&json, "end_reason", end_reason(summary));
  if (summary->stopped >= 0)
    json_text(&json, "stop", asp_model_stop_message(scene->model, summary->stopped));
  json_object(&json, "event_actions");
  for (int i = 0; i < asp_model_event_count(scene->model); i++)
    json_integer(&json, asp_model_event_name(scene->model, i),
                 asp_state_event_actions(scene->model, asp_world_state(world), i));
  json_end(&json);
  json_text(&json, "result", result_path);
  json_finish(&json);
}

/* ---- as text ---- */

/* What missed: the residual, or (an inflated reaction) the residual relative to the data. */
static void describe_miss(const AspRunOptions *options, const SimulationSummary *summary, char *text, size_t size) {
  bool by_data = summary->residual_max <= options->tolerance;
  if (by_data)
    snprintf(text, size, "E3, the residual relative to the data, up to %.3g (at most %g allowed)",
             summary->residual_data_max, ASP_INFLATION * options->tolerance);
  else
    snprintf(text, size, "residual up to %.3g (tolerance %g)", summary->residual_max, options->tolerance);
}

/* What was not decided, and how redundant contacts that slide share their load. */
static void print_unchecked(const SimulationSummary *summary) {
  long long steps = (long long)summary->steps;
  if (summary->steps_unchecked)
    printf("  %-12s of the steps' solutions not checked in %lld of %lld steps\n", "uniqueness",
           (long long)summary->steps_unchecked, steps);
  if (summary->instants_unchecked)
    printf("  %-12s of accelerations not checked at the start of %lld of %lld steps\n",
           summary->steps_unchecked ? "" : "uniqueness", (long long)summary->instants_unchecked, steps);
  if (summary->steps_shared)
    printf("  %-12s chosen in %lld steps: as contacts of equal small compliance share it\n", "load sharing",
           (long long)summary->steps_shared);
  if (summary->steps_unshared)
    printf("  %-12s %s in %lld steps, as the solver left it\n", summary->steps_shared ? "" : "load sharing",
           "not chosen", (long long)summary->steps_unshared);
}

/* Steps with no solution in forces, or with several solutions; counts of zero are left out. */
static void print_uniqueness(const AspRunOptions *options, const SimulationSummary *summary) {
  if (summary->instants_none)
    printf("  %-12s %lld steps start without finite forces\n", "no solution", (long long)summary->instants_none);
  if (summary->steps_impulse)
    printf("  %-12s %lld steps with an impulse without collision\n", "jam", (long long)summary->steps_impulse);
  if (summary->instants_several)
    printf("  %-12s %lld steps start with several possible accelerations\n", "not unique",
           (long long)summary->instants_several);
  if (summary->steps_chosen)
    printf("  %-12s %lld steps with several solutions; chosen by '%s'\n", "not unique",
           (long long)summary->steps_chosen, asp_selection_names[options->selection]);
  print_unchecked(summary);
}

/* Resolved, or which measures were exceeded. */
static void print_resolution(const AspWorld *world, const SimulationSummary *summary) {
  const AspMeasured *table = asp_world_resolution(world);
  if (summary->steps_unresolved == 0) {
    printf("  %-12s %sall steps%s\n", "resolved", terminal_style(stdout, STYLE_GOOD),
           terminal_style(stdout, STYLE_PLAIN));
    return;
  }
  printf("  %-12s %s%lld of %lld steps are not%s\n", "resolved", terminal_style(stdout, STYLE_BAD),
         (long long)summary->steps_unresolved, (long long)summary->steps, terminal_style(stdout, STYLE_PLAIN));
  for (int i = 0; i < ASP_MEASURE_COUNT; i++) {
    char place[256];
    if (table[i].steps)
      printf("  %-12s %s %.3g (threshold %g) at t = %.6g s, %s; %lld steps\n", "", asp_measure_name((AspMeasure)i),
             table[i].worst, table[i].threshold, table[i].t,
             asp_world_measure_place(world, (AspMeasure)i, place, sizeof place), (long long)table[i].steps);
  }
}

static void print_verdict(const AspRunOptions *options, const SimulationSummary *summary) {
  long long missed = (long long)summary->steps_uncertified;
  char miss[160];
  describe_miss(options, summary, miss, sizeof miss);
  if (missed == 0)
    printf("  %-12s %sall steps%s, residual at most %.2g (tolerance %g)\n", "certified",
           terminal_style(stdout, STYLE_GOOD), terminal_style(stdout, STYLE_PLAIN), summary->residual_max,
           options->tolerance);
  else
    printf("  %-12s %s%lld of %lld steps missed%s, %s\n", "certified", terminal_style(stdout, STYLE_BAD), missed,
           (long long)summary->steps, terminal_style(stdout, STYLE_PLAIN), miss);
  if (summary->steps_retried)
    printf("  %-12s %lld steps, by a stronger method or half the step\n", "retried", (long long)summary->steps_retried);
  print_uniqueness(options, summary);
  if (options->cone != ASP_CONE_EXACT)
    printf("  %-12s %s model; residual against exact Coulomb friction at most %.2g\n", "friction",
           asp_cone_kind_names[options->cone], summary->residual_exact_max);
}

/* Where the energy went; parts that are zero are left out. */
static void print_energy(const SimulationSummary *summary) {
  const AspEnergyFlow *flow = &summary->flow;
  double scale = fabs(summary->energy_initial) + fabs(summary->energy_final);
  const struct {
    const char *text;
    double value;
  } parts[] = {{"motors", flow->motors},    {"forces", flow->forces},  {"friction", -flow->friction},
               {"impacts", -flow->impacts}, {"joints", -flow->joints}, {"dampers", -flow->damping}};
  printf("  %-12s %.6g J at the start, %.6g J at the end\n  %-12s ", "energy", summary->energy_initial,
         summary->energy_final, "");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    scale += fabs(parts[i].value);
    if (fabs(parts[i].value) > SHOWN_AS_ZERO * scale)
      printf("%s %+.6g J, ", parts[i].text, parts[i].value);
  }
  printf("unaccounted %.2g J\n", fabs(flow->remainder) > SHOWN_AS_ZERO * scale ? flow->remainder : 0);
}

static double readable(double value) { return fabs(value) < SHOWN_AS_ZERO ? 0 : value; }

/* In the plane two numbers. */
static void print_vector(const char *before, AspVec3 v, int dimension, const char *after) {
  printf("%s(%.6g, %.6g", before, readable(v.x), readable(v.y));
  if (dimension == 3)
    printf(", %.6g", readable(v.z));
  printf(")%s", after);
}

/* The first few bodies that can move, free ones first. */
static void print_bodies(const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspState *state = asp_world_state(world);
  int moving = 0, dimension = asp_model_dimension(model);
  int bodies = asp_model_body_count(model);
  for (int i = 0; i < 2 * bodies; i++) { // those that move freely, then those that are prescribed
    int body = i % bodies;
    bool prescribed = asp_model_body_kind(model, body) == ASP_BODY_KINEMATIC;
    if (asp_model_body_kind(model, body) == ASP_BODY_FIXED || prescribed != (i >= bodies) ||
        ++moving > BODIES_SHOWN_MAX)
      continue;
    printf("  %-12s %s at ", moving == 1 ? "final" : "", asp_model_body_name(model, body));
    print_vector("", asp_state_pose(model, state, body).position, dimension, " m, ");
    if (dimension == 2) // x, y, angle per body
      printf("angle %.6g rad, ", readable(state->q[3 * body + 2]));
    print_vector("velocity ", asp_state_velocity(model, state, body), dimension, " m/s\n");
  }
  if (moving > BODIES_SHOWN_MAX)
    printf("  %-12s and %d more %s\n", "", moving - BODIES_SHOWN_MAX,
           moving - BODIES_SHOWN_MAX == 1 ? "body" : "bodies");
}

#define PARADOXES_SHOWN_MAX 3

/* How often each kind of event was; instants without finite force by name. */
static void print_events(const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspEvent *events = asp_world_events(world);
  int count = asp_world_event_count(world), of_kind[ASP_EVENT_TIME_STEPPING + 1] = {0}, shown = 0;
  for (int i = 0; i < count; i++)
    of_kind[events[i].kind]++;
  printf("  %-12s", "events");
  for (int kind = 0; kind <= ASP_EVENT_TIME_STEPPING; kind++)
    if (of_kind[kind])
      printf(" %s %d,", asp_event_kind_name((AspEventKind)kind), of_kind[kind]);
  printf(" %d in all\n", count);
  for (int i = 0; i < count && shown < PARADOXES_SHOWN_MAX; i++) {
    const AspEvent *event = &events[i];
    if (event->kind == ASP_EVENT_NO_FORCE && isfinite(event->A))
      printf("  %-12s no finite force at t = %.9f s between %s and %s: A = %.3g, b = %.3g, r_n = %.4g N\n", "",
             event->t, asp_model_body_name(model, event->body_a), asp_model_body_name(model, event->body_b), event->A,
             event->b, event->force);
    else if (event->kind == ASP_EVENT_NO_FORCE)
      printf("  %-12s no finite force found at t = %.9f s\n", "", event->t);
    else if (event->kind == ASP_EVENT_IMPULSE)
      printf("  %-12s an impulse of %.4g N s without collision at t = %.9f s\n", "", event->impulse, event->t);
    else
      continue;
    shown += event->kind == ASP_EVENT_IMPULSE;
  }
}

#define PROBES_SHOWN_MAX 12

static void print_probes(const AspProbes *probes) {
  int count = asp_probes_count(probes);
  for (int i = 0; i < count && i < PROBES_SHOWN_MAX; i++)
    printf("  %-12s %s = %.6g %s, from %.6g to %.6g\n", i ? "" : "probes", asp_probes_name(probes, i),
           asp_probes_value(probes, i), asp_probes_unit(probes, i), asp_probes_low(probes, i),
           asp_probes_high(probes, i));
  if (count > PROBES_SHOWN_MAX)
    printf("  %-12s and %d more\n", "", count - PROBES_SHOWN_MAX);
}

static void print_actions(const AspModel *model, const AspWorld *world) {
  for (int i = 0; i < asp_model_event_count(model); i++) {
    int actions = asp_state_event_actions(model, asp_world_state(world), i);
    printf("  %-12s %s: acted %d time%s\n", i ? "" : "rules", asp_model_event_name(model, i), actions,
           actions == 1 ? "" : "s");
  }
}

static void print_parameters(const AspScene *scene) {
  for (int i = 0; i < scene->parameter_count; i++) {
    const AspParameter *parameter = &scene->parameter[i];
    printf("  %-12s %s = %.6g%s%s%s\n", i ? "" : "parameters", parameter->name, parameter->value,
           *parameter->unit ? " " : "", parameter->unit, parameter->set ? " (set)" : "");
  }
}

static void print_summary(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                          const SimulationOutput *output) {
  const char *result = output->result;
  const AspRunOptions *options = &scene->run;
  printf("%s%s%s: %lld steps to t = %.6g s in %.3g s%s\n", terminal_style(stdout, STYLE_STRONG), scene->name,
         terminal_style(stdout, STYLE_PLAIN), (long long)summary->steps, summary->time, summary->wall,
         summary->interrupted  ? ", then interrupted"
         : summary->impossible ? ", then ended by an impossible drive"
                               : "");
  if (summary->stopped >= 0)
    printf("  %-12s %s\n", "stopped", asp_model_stop_message(scene->model, summary->stopped));
  print_actions(scene->model, world);
  print_parameters(scene);
  print_verdict(options, summary);
  print_resolution(world, summary);
  accuracy_print(world);
  printf("  %-12s at most %d, penetration at most %.2g m\n", "contacts", summary->contacts_max,
         summary->penetration_max);
  if (asp_model_joint_count(scene->model))
    printf("  %-12s drift at most %.2g\n", "joints", summary->joint_drift_max);
  if (asp_scheme_supports(options->scheme, ASP_FEATURE_EVENTS))
    print_events(world);
  print_energy(summary);
  print_probes(summary->probes);
  print_bodies(world);
  for (int i = 0; i < asp_world_warning_count(world); i++)
    printf("  %-12s %s\n", i ? "" : "warnings", asp_world_warning(world, i));
  if (!output->no_result)
    printf("  %-12s %s\n", "result", result);
  for (int i = 0; i < summary->dump_count; i++) {
    char path[PATH_SIZE];
    if (dump_path(result, summary->dumped[i], path, sizeof path))
      printf("  %-12s %s\n", i ? "" : "problems", path);
  }
  if (!output->no_result)
    printf("next: asperity report %s (page with replay and plots), asperity info %s (summary)\n", result, result);
}

/* ---- the command ---- */

static void report_miss(const AspScene *scene, const SimulationSummary *summary, const char *result) {
  char miss[160], path[PATH_SIZE] = "";
  describe_miss(&scene->run, summary, miss, sizeof miss);
  if (summary->dump_count)
    dump_path(result, summary->dumped[0], path, sizeof path);
  fprintf(stderr, "asperity run: %lld of %lld steps missed the tolerance: %s%s%s%s\n",
          (long long)summary->steps_uncertified, (long long)summary->steps, miss,
          *path ? "; problem of the first: " : "", path, summary->dump_count > 1 ? " and more" : "");
}

/* The measure that was exceeded most often. */
static void report_unresolved(const AspWorld *world, const SimulationSummary *summary) {
  const AspMeasured *table = asp_world_resolution(world);
  int most = 0;
  char place[256];
  for (int i = 1; i < ASP_MEASURE_COUNT; i++)
    most = table[i].steps > table[most].steps ? i : most;
  fprintf(stderr, "asperity run: %lld of %lld steps are not resolved: %s up to %.3g (threshold %g), %s; %s\n",
          (long long)summary->steps_unresolved, (long long)summary->steps, asp_measure_name((AspMeasure)most),
          table[most].worst, table[most].threshold,
          asp_world_measure_place(world, (AspMeasure)most, place, sizeof place), asp_measure_remedy((AspMeasure)most));
}

static int conclude(const Session *session, const AspScene *scene, const AspWorld *world,
                    const SimulationSummary *summary, const SimulationOutput *output) {
  const char *result = output->result;
  if (session->json)
    write_json(scene, world, summary, output);
  else if (!session->quiet)
    print_summary(scene, world, summary, output);
  if (summary->impossible)
    fprintf(stderr, "asperity run: %s\n", asp_world_warning(world, asp_world_warning_count(world) - 1));
  if (summary->steps_uncertified)
    report_miss(scene, summary, result);
  bool inaccurate = accuracy_missed(world);
  if (summary->steps_unresolved)
    report_unresolved(world, summary);
  if (summary->interrupted)
    return 128 + summary->interrupted;
  return summary->steps_uncertified || summary->steps_unresolved || summary->impossible || inaccurate ? EXIT_MISSED
                                                                                                      : EXIT_DONE;
}

/* Flags over the scene's own values, then the whole checked. */
static int settle_options(const Session *session, const Arguments *arguments, AspScene *scene) {
  int code = arguments_apply(arguments, session, &scene->run);
  if (code != EXIT_DONE)
    return code;
  for (int i = 0; i < arguments->field_count; i++)
    if (strcmp(arguments->fields[i].key, "select") == 0 && arguments->field_text[i] &&
        scene->run.selection != ASP_SELECT_SOLVER && !asp_scheme_supports(scene->run.scheme, ASP_FEATURE_SELECTION))
      return session_fail(session, EXIT_USAGE,
                          "--select: the scheme %s keeps the solution of its solver and cannot choose; remove the flag",
                          asp_scheme_names[scene->run.scheme]);
  AspError error = asp_run_validate(session->context, &scene->run);
  return error == ASP_OK ? EXIT_DONE : session_fail_error(session, error);
}

static int run_scene(const Session *session, const Arguments *arguments, AspScene *scene,
                     const SimulationOutput *output) {
  AspWorld *world = NULL;
  SimulationSummary summary = {0};
  if (output->resume)
    scene->run = output->resume->options;
  int code = settle_options(session, arguments, scene);
  if (code != EXIT_DONE)
    return code;
  if (output->resume)
    code = checkpoint_check(session, output->resume, scene);
  if (code != EXIT_DONE)
    return code;
  interrupt_listen(session->context);
  code = simulate(session, scene, output, &world, &summary);
  if (code == EXIT_DONE)
    code = conclude(session, scene, world, &summary, output);
  asp_probes_destroy(summary.probes);
  asp_world_destroy(world);
  return code;
}

static int run_file(const Session *session, const Arguments *arguments, const char *path, const AspSettings *settings,
                    const SimulationOutput *output) {
  AspScene scene = {0};
  AspMistakes mistakes = {0};
  AspError error = asp_scene_read_set(session->context, path, settings, &scene, &mistakes);
  int code = error == ASP_OK ? run_scene(session, arguments, &scene, output)
                             : session_fail_scene(session, error, path, &mistakes);
  asp_mistakes_destroy(session->context, &mistakes);
  if (error == ASP_OK)
    asp_scene_destroy(session->context, &scene);
  return code;
}

static bool read_step(const char *text, int64_t *step) {
  char *end = NULL;
  errno = 0;
  *step = strtoll(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && *step >= 1;
}

/* Go on with the run that made this result. */
static int resume(const Session *session, const Arguments *arguments, const char *result, SimulationOutput *output) {
  Checkpoint checkpoint;
  int code = checkpoint_read(session, result, &checkpoint);
  if (code != EXIT_DONE)
    return code;
  output->result = result;
  output->scene = checkpoint.scene;
  output->settings = &checkpoint.settings;
  output->resume = &checkpoint;
  const AspSettings settings = settings_of(&checkpoint.settings);
  code = run_file(session, arguments, checkpoint.scene, &settings, output);
  checkpoint_free(&checkpoint);
  return code;
}

static bool read_seconds(const char *text, double *seconds) {
  char *end = NULL;
  errno = 0;
  *seconds = strtod(text, &end);
  return errno == 0 && end != text && *end == '\0' && *seconds >= 0 && isfinite(*seconds);
}

/* A new run, where its result goes. */
static int start(const Session *session, const Arguments *arguments, const FlagList *set, SimulationOutput *output) {
  const char *scene_path = arguments->words[0];
  char path[PATH_SIZE], *whole = NULL;
  output->no_result = output->result && strcmp(output->result, "none") == 0;
  if (!output->result || output->no_result) {
    if (!default_result_path(scene_path, path, sizeof path))
      return session_fail(session, EXIT_USAGE, "the scene's file name is too long; name the result with --out");
    output->result = path;
  }
  if (output->solver_log && same_file(scene_path, output->solver_log))
    return session_fail(session, EXIT_USAGE, "%s: the solver log would replace the scene; choose another --solver-log",
                        output->solver_log);
  if (!output->no_result && same_file(scene_path, output->result))
    return session_fail(session, EXIT_USAGE, "%s: the result would replace the scene; choose another --out",
                        output->result);
  whole = realpath(scene_path, NULL); // a run may be resumed from another folder
  output->scene = whole ? whole : scene_path;
  output->settings = set;
  const AspSettings settings = settings_of(set);
  int code = run_file(session, arguments, scene_path, &settings, output);
  free(whole);
  return code;
}

static int run(Session *session, int count, char **words) {
  SimulationOutput output = {.checkpoint_every = CHECKPOINT_SECONDS};
  const char *dump = NULL, *every = NULL, *resumed = NULL;
  FlagList set = {0};
  const Flag flags[] = {
      {"out", 'o', "FILE", "result file (default: the scene file's name with .h5, in this folder); none: no file",
       .text = &output.result},
      SET_FLAG(&set),
      {"solver-log", 0, "FILE", "every solver iteration as CSV: step, iteration, method, residual",
       .text = &output.solver_log},
      {"dump-problem", 0, "STEP", "write the contact problem of this step beside the result (FCLIB)", .text = &dump},
      {"resume", 0, "RESULT.h5", "go on with a run that was stopped or killed, in place of SCENE.json",
       .text = &resumed},
      {"checkpoint-every", 0, "S", "seconds between checkpoints for --resume; 0: after every step (default: 10)",
       .text = &every}};
  Arguments arguments = {.flags = flags, .flag_count = sizeof flags / sizeof *flags, .least = 0, .most = 1};
  arguments.fields = asp_run_fields();
  arguments.field_count = asp_run_field_count();
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  if (dump && !read_step(dump, &output.dump_step))
    return session_fail(session, EXIT_USAGE, "--dump-problem: '%s' is not the number of a step, 1 or more", dump);
  if (every && !read_seconds(every, &output.checkpoint_every))
    return session_fail(session, EXIT_USAGE, "--checkpoint-every: '%s' is not a number of seconds, 0 or more", every);
  if (resumed && (arguments.word_count || output.result || set.count))
    return session_fail(session, EXIT_USAGE,
                        "--resume goes on with the scene, the settings and the result of the run; remove %s",
                        arguments.word_count ? arguments.words[0]
                        : output.result      ? "--out"
                                             : "--set");
  if (resumed)
    return resume(session, &arguments, resumed, &output);
  if (arguments.word_count == 0)
    return session_fail(session, EXIT_USAGE, "expected: asperity run %s", session->command->arguments);
  return start(session, &arguments, &set, &output);
}

const Command command_run = {
    .name = "run",
    .arguments = "SCENE.json",
    .summary = "simulate a scene",
    .details =
        "Simulates the scene and writes one HDF5 file: states, contacts with their impulses, energies and the\n"
        "certificate of every step. Flags override what the scene says under \"run\". A step that\n"
        "misses its tolerance is retried by a stronger method, then with half its length. Steps that still\n"
        "miss are counted, their problems are written next to the result, and the exit code is 1. Steps are\n"
        "also judged on whether they were short enough and met the model (resolved): exit code 1 if not. Ctrl-C\n"
        "stops the run before the current step; the file holds the steps so far. A run that was stopped, or killed,\n"
        "goes on with --resume RESULT.h5 from its last checkpoint, to the same result as if it had not been.",
    .examples =
        "  asperity run scenes/sphere-slides-then-rolls.json\n"
        "  asperity run --dt 0.001 --until 2 --out fine.h5 scenes/sphere-slides-then-rolls.json\n"
        "  asperity run --set squeeze=7.5 --set mu=0.5 scenes/gripper-squeeze.json   other values of parameters\n"
        "  asperity run --json --quiet --solver-log log.csv scenes/sphere-slides-then-rolls.json",
    .run = run,
};
