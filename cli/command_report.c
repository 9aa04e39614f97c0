/* asperity report: one HTML file with replay, plots and certificate of a result. */
#include "arguments.h"
#include "json.h"
#include "page.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 4096

/* RESULT.h5 -> RESULT.html, beside it. */
static bool default_path(const char *input, char *path, size_t size) {
  const char *slash = strrchr(input, '/'), *dot = strrchr(slash ? slash : input, '.');
  int stem = dot ? (int)(dot - input) : (int)strlen(input);
  return (size_t)snprintf(path, size, "%.*s.html", stem, input) < size;
}

static int report(Session *session, int count, char **words) {
  const char *output = NULL, *every = NULL, *contacts = NULL, *beside = NULL;
  const Flag flags[] = {
      {"out", 'o', "FILE", "the page to write (default: the result's name with .html)", .text = &output},
      {"beside", 0, "OTHER.h5", "another run, drawn as a ghost at the same times", .text = &beside},
      VIEW_OPTION_FLAGS(every, contacts)};
  Arguments arguments = {.flags = flags, .flag_count = 4, .least = 1, .most = 1};
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const char *input = arguments.words[0], *page = NULL;
  char path[PATH_SIZE];
  size_t length = 0;
  AspViewOptions options;
  if (!output && !default_path(input, path, sizeof path))
    return session_fail(session, EXIT_USAGE, "the result's file name is too long; name the page with -o");
  output = output ? output : path;
  code = session_view_options(session, every, contacts, &options);
  if (code == EXIT_DONE)
    code = session_page(session, &page, &length);
  if (code != EXIT_DONE)
    return code;
  options.beside = beside;
  if (strcmp(input, output) == 0 || (beside && strcmp(beside, output) == 0))
    return session_fail(session, EXIT_USAGE, "%s: the page would replace the result; choose another -o", output);
  AspError error = asp_report_write(session->context, input, &options, page, length, output);
  if (error != ASP_OK)
    return session_fail_result(session, error, beside ? beside : input);
  struct stat status = {0};
  stat(output, &status);
  if (session->json) {
    Json json = json_start(stdout);
    json_text(&json, "file", input);
    json_text(&json, "out", output);
    json_integer(&json, "bytes", (int64_t)status.st_size);
    json_finish(&json);
  } else if (!session->quiet) {
    printf("%s written, %.1f MB: open it in a browser\n", output, (double)status.st_size / 1e6);
  }
  return EXIT_DONE;
}

const Command command_report = {
    .name = "report",
    .arguments = "RESULT.h5 [-o PAGE.html]",
    .summary = "one page with replay, plots and certificate",
    .details =
        "Writes one self-contained HTML file: the motion in 3D or 2D with contact forces, plots, the certificate\n"
        "of every step. It opens by double click in any current browser and loads nothing from the network.\n"
        "--beside shows a second run in the same picture, to compare two schemes, steps or parameters.\n"
        "Numbers in it are rounded; the page says by how much. The result file keeps every digit.",
    .examples = "  asperity report sphere-slides-then-rolls.h5\n"
                "  asperity report sphere-slides-then-rolls.h5 -o sphere.html --every 5\n"
                "  asperity report fine.h5 --beside coarse.h5 -o both.html",
    .run = report,
};
