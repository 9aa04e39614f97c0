/* asperity run: a scene simulated, its result written, its certificate summed up. */
#include "arguments.h"
#include "interrupt.h"
#include "json.h"
#include "simulate.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE        4096
#define BODIES_SHOWN_MAX 6     /* of the final state in the summary */
#define SHOWN_AS_ZERO    1e-12 /* m, m/s: rounding, to a reader */

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

static bool same_file(const char *a, const char *b) {
  struct stat status_a, status_b;
  return stat(a, &status_a) == 0 && stat(b, &status_b) == 0 && status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
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

static void write_json(const AspWorld *world, const SimulationSummary *summary, const char *result) {
  Json json = json_start(stdout);
  json_integer(&json, "steps", summary->steps);
  json_number(&json, "time", summary->time);
  json_number(&json, "wall_s", summary->wall);
  json_integer(&json, "steps_uncertified", summary->steps_uncertified);
  json_number(&json, "residual_max", summary->residual_max);
  json_number(&json, "residual_exact_max", summary->residual_exact_max);
  json_number(&json, "residual_contact_max", summary->residual_contact_max);
  json_number(&json, "penetration_max", summary->penetration_max);
  json_number(&json, "joint_drift_max", summary->joint_drift_max);
  json_number(&json, "energy_initial", summary->energy_initial);
  json_number(&json, "energy_final", summary->energy_final);
  json_integer(&json, "contacts_max", summary->contacts_max);
  json_object(&json, "final");
  write_bodies(&json, world);
  json_end(&json);
  json_array(&json, "warnings");
  for (int i = 0; i < asp_world_warning_count(world); i++)
    json_text(&json, NULL, asp_world_warning(world, i));
  json_end(&json);
  json_flag(&json, "interrupted", summary->interrupted != 0);
  json_text(&json, "result", result);
  json_finish(&json);
}

/* ---- as text ---- */

static void print_verdict(const AspRunOptions *options, const SimulationSummary *summary) {
  long long missed = (long long)summary->steps_uncertified;
  if (missed == 0)
    printf("  %-12s %sall steps%s, residual at most %.2g (tolerance %g)\n", "certified",
           terminal_style(stdout, STYLE_GOOD), terminal_style(stdout, STYLE_PLAIN), summary->residual_max,
           options->tolerance);
  else
    printf("  %-12s %s%lld of %lld steps missed%s, residual up to %.2g (tolerance %g)\n", "certified",
           terminal_style(stdout, STYLE_BAD), missed, (long long)summary->steps, terminal_style(stdout, STYLE_PLAIN),
           summary->residual_max, options->tolerance);
  printf("  %-12s %s friction; against the exact cone the residual is at most %.2g\n", "law",
         asp_cone_names[options->cone], summary->residual_exact_max);
}

static double readable(double value) { return fabs(value) < SHOWN_AS_ZERO ? 0 : value; }

static void print_vector(const char *before, AspVec3 v, const char *after) {
  printf("%s(%.6g, %.6g, %.6g)%s", before, readable(v.x), readable(v.y), readable(v.z), after);
}

/* The first few bodies that can move. */
static void print_bodies(const AspWorld *world) {
  const AspModel *model = asp_world_model(world);
  const AspState *state = asp_world_state(world);
  int moving = 0;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_body_kind(model, body) == ASP_BODY_FIXED || ++moving > BODIES_SHOWN_MAX)
      continue;
    printf("  %-12s %s at ", moving == 1 ? "final" : "", asp_model_body_name(model, body));
    print_vector("", asp_state_pose(model, state, body).position, " m, ");
    print_vector("velocity ", asp_state_velocity(model, state, body), " m/s\n");
  }
  if (moving > BODIES_SHOWN_MAX)
    printf("  %-12s and %d more bodies\n", "", moving - BODIES_SHOWN_MAX);
}

static void print_summary(const AspScene *scene, const AspWorld *world, const SimulationSummary *summary,
                          const char *result) {
  const AspRunOptions *options = &scene->run;
  printf("%s%s%s: %lld steps to t = %.6g s in %.3g s%s\n", terminal_style(stdout, STYLE_STRONG), scene->name,
         terminal_style(stdout, STYLE_PLAIN), (long long)summary->steps, summary->time, summary->wall,
         summary->interrupted ? ", then interrupted" : "");
  print_verdict(options, summary);
  printf("  %-12s at most %d, penetration at most %.2g m\n", "contacts", summary->contacts_max,
         summary->penetration_max);
  if (asp_model_joint_count(scene->model))
    printf("  %-12s drift at most %.2g\n", "joints", summary->joint_drift_max);
  printf("  %-12s %.6g J at the start, %.6g J at the end\n", "energy", summary->energy_initial, summary->energy_final);
  print_bodies(world);
  for (int i = 0; i < asp_world_warning_count(world); i++)
    printf("  %-12s %s\n", i ? "" : "warnings", asp_world_warning(world, i));
  printf("  %-12s %s\n", "result", result);
  printf("next: asperity info %s, or asperity convert %s -o FILE.csv\n", result, result);
}

/* ---- the command ---- */

static int conclude(const Session *session, const AspScene *scene, const AspWorld *world,
                    const SimulationSummary *summary, const char *result) {
  if (session->json)
    write_json(world, summary, result);
  else if (!session->quiet)
    print_summary(scene, world, summary, result);
  if (summary->steps_uncertified)
    fprintf(stderr, "asperity run: %lld of %lld steps missed the tolerance %g (largest residual %.3g)\n",
            (long long)summary->steps_uncertified, (long long)summary->steps, scene->run.tolerance,
            summary->residual_max);
  if (summary->interrupted)
    return 128 + summary->interrupted;
  return summary->steps_uncertified ? EXIT_MISSED : EXIT_DONE;
}

/* Flags over the scene's own values, then the whole checked. */
static int settle_options(const Session *session, const Arguments *arguments, AspScene *scene) {
  int code = arguments_apply(arguments, session, &scene->run);
  if (code != EXIT_DONE)
    return code;
  AspError error = asp_run_validate(session->context, &scene->run);
  return error == ASP_OK ? EXIT_DONE : session_fail_error(session, error);
}

static int run_scene(const Session *session, const Arguments *arguments, AspScene *scene,
                     const SimulationOutput *output) {
  AspWorld *world = NULL;
  SimulationSummary summary = {0};
  int code = settle_options(session, arguments, scene);
  if (code != EXIT_DONE)
    return code;
  interrupt_listen();
  code = simulate(session, scene, output, &world, &summary);
  if (code == EXIT_DONE)
    code = conclude(session, scene, world, &summary, output->result);
  asp_world_destroy(world);
  return code;
}

static int run_file(const Session *session, const Arguments *arguments, const char *path,
                    const SimulationOutput *output) {
  AspScene scene = {0};
  AspMistakes mistakes = {0};
  AspError error = asp_scene_read(session->context, path, &scene, &mistakes);
  int code = error == ASP_OK ? run_scene(session, arguments, &scene, output)
                             : session_fail_scene(session, error, path, &mistakes);
  asp_mistakes_destroy(session->context, &mistakes);
  if (error == ASP_OK)
    asp_scene_destroy(session->context, &scene);
  return code;
}

static int run(Session *session, int count, char **words) {
  SimulationOutput output = {0};
  const Flag flags[] = {{"out", 'o', "FILE", "result file (default: the scene file's name with .h5, in this folder)",
                         .text = &output.result},
                        {"solver-log", 0, "FILE", "every solver iteration as CSV: step, iteration, method, residual",
                         .text = &output.solver_log}};
  Arguments arguments = {.flags = flags, .flag_count = 2, .least = 1, .most = 1};
  arguments.fields = asp_run_fields(&arguments.field_count);
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const char *scene_path = arguments.words[0];
  char path[PATH_SIZE];
  if (!output.result) {
    if (!default_result_path(scene_path, path, sizeof path))
      return session_fail(session, EXIT_USAGE, "the scene's file name is too long; name the result with --out");
    output.result = path;
  }
  if (same_file(scene_path, output.result))
    return session_fail(session, EXIT_USAGE, "%s: the result would replace the scene; choose another --out",
                        output.result);
  return run_file(session, &arguments, scene_path, &output);
}

const Command command_run = {
    .name = "run",
    .arguments = "SCENE.json",
    .summary = "simulate a scene",
    .details = "Simulates the scene and writes one HDF5 file: states, contacts with their impulses, energies and the\n"
               "certificate of every step. Flags override what the scene says under \"run\". Ends with 1 when a step\n"
               "missed its tolerance. Ctrl-C ends after the current step; the file holds the steps so far.",
    .examples = "  asperity run scenes/sphere-slides-then-rolls.json\n"
                "  asperity run --dt 0.001 --until 2 --out fine.h5 scenes/sphere-slides-then-rolls.json\n"
                "  asperity run --json --quiet --solver-log log.csv scenes/sphere-slides-then-rolls.json",
    .run = run,
};
