/* asperity run: simulate a scene, write its result, print a summary with the certificate. */
#include "arguments.h"
#include "checkpoint.h"
#include "interrupt.h"
#include "run_accuracy.h"
#include "run_from.h"
#include "run_lock.h"
#include "run_report.h"
#include "scene_flags.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE          4096
#define CHECKPOINT_SECONDS 10

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

/* ---- the command ---- */

static int conclude(const Session *session, const AspScene *scene, const AspWorld *world,
                    const SimulationSummary *summary, const SimulationOutput *output) {
  const char *result = output->result;
  if (session->json)
    run_write_json(scene, world, summary, output);
  else if (!session->quiet)
    run_print_summary(scene, world, summary, output);
  if (summary->impossible)
    fprintf(stderr, "asperity run: %s\n", asp_world_warning(world, asp_world_warning_count(world) - 1));
  run_report_missed(scene, world, summary, result);
  bool inaccurate = accuracy_missed(world);
  if (summary->interrupted)
    return 128 + summary->interrupted;
  return summary->run.steps_uncertified || summary->run.steps_unresolved || summary->impossible || inaccurate
             ? EXIT_MISSED
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

/* Ranks go through the same steps: what would end one of them alone is refused. */
static int check_ranks(const Session *session, const AspScene *scene) {
  if (!session->ranks || !(scene->run.step_budget > 0))
    return EXIT_DONE;
  return session_fail(
      session, EXIT_USAGE,
      "step_budget: wall clock time is another one on every rank; limit steps by step_effort, or set it "
      "to 0");
}

/* The options of the run, checked. */
static int settle_run(const Session *session, const Arguments *arguments, AspScene *scene,
                      const SimulationOutput *output) {
  if (output->resume)
    scene->run = output->resume->options;
  int code = settle_options(session, arguments, scene);
  if (code != EXIT_DONE)
    return code;
  if (output->resume)
    code = checkpoint_check(session, output->resume, scene);
  return code == EXIT_DONE ? check_ranks(session, scene) : code;
}

static int run_scene(const Session *session, const AspScene *scene, const SimulationOutput *output) {
  AspWorld *world = NULL;
  SimulationSummary summary = {0};
  if (!session->ranks) // a rank that is ended ends all: they go on from the last checkpoint
    interrupt_listen(session->context);
  int code = simulate(session, scene, output, &world, &summary);
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
  int code = error == ASP_OK ? settle_run(session, arguments, &scene, output)
                             : session_fail_scene(session, error, path, &mistakes);
  code = session_agree(session, code);
  if (code == EXIT_DONE)
    code = run_scene(session, &scene, output);
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
  Checkpoint checkpoint = {0};
  RunLock lock = {.file = -1};
  int code = session_leads(session) ? run_lock(session, result, &lock) : EXIT_DONE;
  if (code == EXIT_DONE)
    code = checkpoint_read(session, result, &checkpoint);
  if (code != EXIT_DONE) {
    run_unlock(&lock);
    return session_agree(session, code);
  }
  output->result = result;
  output->no_result = output->no_files;
  output->scene = checkpoint.scene;
  output->settings = &checkpoint.settings;
  output->resume = &checkpoint;
  const AspSettings settings = settings_of(&checkpoint.settings);
  code = run_file(session, arguments, checkpoint.scene, &settings, output);
  checkpoint_free(&checkpoint);
  run_unlock(&lock);
  return code;
}

static bool read_seconds(const char *text, double *seconds) {
  char *end = NULL;
  errno = 0;
  *seconds = strtod(text, &end);
  return errno == 0 && end != text && *end == '\0' && *seconds >= 0 && isfinite(*seconds);
}

/* Files that the run writes must not replace what it reads. */
static int check_paths(const Session *session, const char *scene_path, const SimulationOutput *output) {
  if (output->solver_log && same_file(scene_path, output->solver_log))
    return session_fail(session, EXIT_USAGE, "%s: the solver log would replace the scene; choose another --solver-log",
                        output->solver_log);
  if (!output->no_result && same_file(scene_path, output->result))
    return session_fail(session, EXIT_USAGE, "%s: the result would replace the scene; choose another --out",
                        output->result);
  if (output->from && !output->no_result && same_file(output->from, output->result))
    return session_fail(session, EXIT_USAGE, "%s: the result would replace the one of --from; choose another --out",
                        output->result);
  return EXIT_DONE;
}

/* A new run, where its result goes. */
static int start(const Session *session, const Arguments *arguments, const FlagList *set, SimulationOutput *output) {
  const char *scene_path = arguments->words[0];
  char path[PATH_SIZE];
  bool none = output->result && strcmp(output->result, "none") == 0;
  output->no_result = output->no_files || none;
  if (!output->result || none) {
    if (!default_result_path(scene_path, path, sizeof path))
      return session_fail(session, EXIT_USAGE, "the scene's file name is too long; name the result with --out");
    output->result = path;
  }
  RunLock lock = {.file = -1};
  int code = check_paths(session, scene_path, output);
  if (code == EXIT_DONE && !output->no_result)
    code = run_lock(session, output->result, &lock);
  if (code != EXIT_DONE)
    return session_agree(session, code);
  char *whole = realpath(scene_path, NULL); // a run may be resumed from another folder
  output->scene = whole ? whole : scene_path;
  output->settings = set;
  const AspSettings settings = settings_of(set);
  code = run_file(session, arguments, scene_path, &settings, output);
  run_unlock(&lock);
  free(whole);
  return code;
}

static int run(Session *session, int count, char **words) {
  SimulationOutput output = {.checkpoint_every = CHECKPOINT_SECONDS, .at = INFINITY};
  const char *bodies = NULL, *dump = NULL, *every = NULL, *resumed = NULL, *at = NULL;
  FlagList set = {0};
  const Flag flags[] = {
      {"out", 'o', "FILE", "result file (default: the scene file's name with .h5, in this folder); none: no file",
       .text = &output.result},
      SET_FLAG(&set),
      {"output-bodies", 0, "NAME,...", "free bodies whose motion the result keeps; NAME* for any ending (default: all)",
       .text = &bodies},
      {"solver-log", 0, "FILE", "every solver iteration as CSV: step, iteration, method, residual",
       .text = &output.solver_log},
      {"dump-problem", 0, "STEP", "write the contact problem of this step beside the result (FCLIB)", .text = &dump},
      {"resume", 0, "RESULT.h5", "go on with a run that was stopped or killed, in place of SCENE.json",
       .text = &resumed},
      {"from", 0, "RESULT.h5", "start from the last state of a result, given to the bodies of the same names",
       .text = &output.from},
      {"at", 0, "T", "with --from: the last state at or before this time, s", .text = &at},
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
  if (at && !run_from_time(at, &output.at))
    return session_fail(session, EXIT_USAGE, "--at: '%s' is not a time in seconds", at);
  if (at && !output.from)
    return session_fail(session, EXIT_USAGE, "--at says which state of a result --from takes; add --from RESULT.h5");
  char kept[PATH_SIZE];
  if (bodies && snprintf(kept, sizeof kept, "output.bodies=%s", bodies) >= (int)sizeof kept)
    return session_fail(session, EXIT_USAGE, "--output-bodies: too many names; name them in the scene, output_bodies");
  if (bodies && set.count < FLAG_REPEATS_MAX)
    set.text[set.count++] = kept; // kept with the settings of the run for --resume
  if (resumed && (arguments.word_count || output.result || set.count || output.from))
    return session_fail(session, EXIT_USAGE,
                        "--resume goes on with the scene, the settings and the result of the run; remove %s",
                        arguments.word_count ? arguments.words[0]
                        : output.result      ? "--out"
                        : output.from        ? "--from"
                        : bodies             ? "--output-bodies"
                                             : "--set");
  output.no_files = !session_leads(session);
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
        "goes on with --resume RESULT.h5 from its last checkpoint, to the same result as if it had not been.\n"
        "--from RESULT.h5 starts a new run of this scene, which may be another one, from a state of an old run: time,\n"
        "positions and velocities of bodies of the same names, inputs that it had changed, what its events did. Two\n"
        "runs cannot write one result at the same time.",
    .examples =
        "  asperity run scenes/sphere-slides-then-rolls.json\n"
        "  asperity run --dt 0.001 --until 2 --out fine.h5 scenes/sphere-slides-then-rolls.json\n"
        "  asperity run --set squeeze=7.5 --set mu=0.5 scenes/gripper-squeeze.json   other values of parameters\n"
        "  asperity run --from fine.h5 --until 3 scenes/sphere-slides-then-rolls.json   a new run from the end of "
        "another\n"
        "  asperity run --json --quiet --solver-log log.csv scenes/sphere-slides-then-rolls.json",
    .run = run,
};
