/* asperity import: a robot model (MJCF, URDF, SDFormat) as a scene, and a report of what became of everything in it. */
#include "arguments.h"
#include "json.h"
#include "terminal.h"

#include "asperity/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void print_report(const AspImportReport *report) {
  for (int kind = ASP_IMPORT_KINDS - 1; kind >= 0; kind--) {
    printf("%s: %d\n", asp_import_kind_name((AspImportKind)kind), report->total[kind]);
    for (int i = 0; i < report->count; i++) {
      const AspImportEntry *entry = &report->entry[i];
      if (entry->kind != (AspImportKind)kind)
        continue;
      printf("  %5d  %s", entry->count, entry->what);
      if (*entry->reason)
        printf(": %s", entry->reason);
      if (entry->file)
        printf(" (%s%s:%d)", entry->count > 1 ? "first: " : "", entry->file, entry->line);
      printf("\n");
    }
  }
}

static void write_report(const char *path, const char *output, const AspImportReport *report) {
  Json json = json_start(stdout);
  json_text(&json, "file", path);
  json_text(&json, "out", output);
  for (int kind = 0; kind < ASP_IMPORT_KINDS; kind++)
    json_integer(&json, asp_import_kind_name((AspImportKind)kind), report->total[kind]);
  json_array(&json, "entries");
  for (int i = 0; i < report->count; i++) {
    const AspImportEntry *entry = &report->entry[i];
    json_object(&json, NULL);
    json_text(&json, "kind", asp_import_kind_name(entry->kind));
    json_text(&json, "what", entry->what);
    json_text(&json, "reason", entry->reason);
    json_integer(&json, "count", entry->count);
    json_text(&json, "file", entry->file);
    json_integer(&json, "line", entry->line);
    json_end(&json);
  }
  json_end(&json);
  json_finish(&json);
}

static int write_scene(const Session *session, const char *output, const char *text) {
  FILE *file = fopen(output, "wb");
  bool written = file && fwrite(text, 1, strlen(text), file) == strlen(text);
  if (file && fclose(file) != 0)
    written = false;
  int reason = errno;
  if (file && !written)
    remove(output); // half a scene
  return written ? EXIT_DONE : session_fail(session, exit_code_of_system(reason), "%s: %s", output, strerror(reason));
}

/* The folder of the scene that is written, "." for the present one. */
static void folder_of(const char *output, char *folder, size_t size) {
  const char *slash = strrchr(output, '/');
  int length = slash ? (int)(slash - output) : 0;
  snprintf(folder, size, "%.*s", slash == output ? 1 : length, output);
  if (!slash)
    snprintf(folder, size, ".");
}

static int finish(const Session *session, const char *path, const char *output, const char *text, bool strict,
                  const AspImportReport *report) {
  int code = output ? write_scene(session, output, text) : EXIT_DONE;
  if (code != EXIT_DONE)
    return code;
  if (session->json)
    write_report(path, output, report);
  else if (!session->quiet)
    print_report(report);
  if (strict && report->total[ASP_IMPORT_IGNORED] > 0) {
    fprintf(stderr, "%sasperity import:%s %s: %d ignored (--strict)\n", terminal_style(stderr, STYLE_BAD),
            terminal_style(stderr, STYLE_PLAIN), path, report->total[ASP_IMPORT_IGNORED]);
    return EXIT_USAGE;
  }
  if (output && !session->json && !session->quiet)
    printf("%s written\n", output);
  return EXIT_DONE;
}

static int import_model(Session *session, int count, char **words) {
  const char *output = NULL, *base = NULL;
  FlagList packages = {0}, controls = {0};
  bool strict = false;
  AspImportOptions options = asp_import_default_options();
  const Flag flags[] = {
      {"out", 'o', "SCENE.json", "the scene to write; without it the report alone", .text = &output},
      {"base", 0, "fixed|floating", "URDF: is the root link fixed to the world (default) or free", .text = &base},
      {"keyframe", 0, "NAME", "MJCF: start at this keyframe, by name or number", .text = &options.keyframe},
      {"package", 0, "NAME=FOLDER", "where package://NAME and model://NAME lie; may be given several times",
       .list = &packages},
      {"hold", 0, NULL, "actuators hold the robot as it starts: servos by their targets, motors as brakes",
       .on = &options.hold},
      {"control", 0, "INPUT=EXPR", "an actuator's input over time: an expression of t, or FILE.csv:COLUMN",
       .list = &controls},
      {"anywhere", 0, NULL, "files that the model names may lie outside its folders", .on = &options.anywhere},
      {"strict", 0, NULL, "end with code 2 if anything that acts on the motion was ignored", .on = &strict}};
  Arguments arguments = {.flags = flags, .flag_count = 8, .least = 1, .most = 1};
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const char *path = arguments.words[0];
  if (base && strcmp(base, "fixed") != 0 && strcmp(base, "floating") != 0)
    return session_fail(session, EXIT_USAGE, "--base %s: use fixed or floating", base);
  if (output && same_file(path, output))
    return session_fail(session, EXIT_USAGE, "%s: the output would replace the model; choose another name", output);
  char folder[4096];
  folder_of(output ? output : "", folder, sizeof folder);
  options.floating = base && strcmp(base, "floating") == 0;
  options.package = packages.text;
  options.package_count = packages.count;
  options.control = controls.text;
  options.control_count = controls.count;
  options.scene_folder = folder;
  AspImportReport report;
  char *text = NULL;
  AspError error = asp_import_read(session->context, path, &options, &text, &report);
  code = error == ASP_OK ? finish(session, path, output, text, strict, &report) : session_fail_error(session, error);
  asp_text_destroy(session->context, text);
  asp_import_report_destroy(session->context, &report);
  return code;
}

const Command command_import = {
    .name = "import",
    .arguments = "ROBOT.xml -o SCENE.json",
    .summary = "write a robot model (MJCF, URDF, SDFormat) as a scene",
    .details =
        "Translates the model to a scene that can be read and edited; meshes are named by their paths, not copied.\n"
        "Prints what was translated, approximated, ignored (it would act on the motion and is not simulated) and\n"
        "irrelevant (it does not), with counts and the first line. `run`, `validate` and `info` take models too.\n"
        "package://NAME is looked for in --package, in the folders of ASPERITY_PACKAGE_PATH, ROS_PACKAGE_PATH and\n"
        "GAZEBO_MODEL_PATH, and upwards from the model's folder. --control NAME=\"0.5*sin(2*t)\" and --control\n"
        "NAME=moves.csv:elbow (first column: time) drive an actuator. The commands that take models directly have "
        "these\n"
        "as --set import.keyframe=home, import.hold=true, import.control=NAME=EXPR, import.base=floating.",
    .examples = "  asperity import --hold --keyframe bent scenes/robots/leg.xml -o leg.json\n"
                "  asperity import scenes/robots/arm.urdf -o arm.json              then: asperity run arm.json\n"
                "  asperity import --base floating scenes/robots/arm.urdf          the report alone\n"
                "  asperity import --package arm=/opt/arm scenes/robots/arm.urdf   where package://arm lies",
    .run = import_model,
};
