/* asperity playground: one HTML file with the library in it, where scenes run, are changed and pulled at. */
#include "arguments.h"
#include "json.h"

#include "playground_page.h"

#include "asperity/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PLACE "<!--asperity-scene-->"

/* What the page cannot do is said here, where the scene is named. */
static int check_scene(Session *session, const char *path, const AspScene *scene) {
  if (scene->file_count > 0)
    return session_fail(session, EXIT_USAGE,
                        "%s: the scene needs the file %s, and the playground has no files; write the "
                        "numbers into the scene",
                        path, scene->file[0].path);
  if (scene->run.scheme == ASP_SCHEME_EVENT_DRIVEN || scene->run.scheme == ASP_SCHEME_COMPLIANT)
    return session_fail(session, EXIT_USAGE,
                        "%s: the scheme %s is not in the playground (it needs CVODE); use \"scheme\": \"moreau-jean\"",
                        path, asp_scheme_name(scene->run.scheme));
  return EXIT_DONE;
}

/* In JSON a '<' stands in texts only, where it may be written by its number: no text can end the element. */
static void put_scene(FILE *file, const char *text) {
  fputs("<script type=\"application/json\" id=\"asperity-scene\">", file);
  for (; *text; text++) {
    if (*text == '<')
      fputs("\\u003c", file);
    else
      fputc(*text, file);
  }
  fputs("</script>", file);
}

/* The page with the scene, or as it is (scene NULL). */
static int write_page(Session *session, const char *output, const char *scene) {
  const char *page = (const char *)playground_page;
  const char *place = strstr(page, PLACE); // the array ends with a zero
  FILE *file = fopen(output, "wb");
  if (!file)
    return session_fail(session, exit_code_of_system(errno), "%s: %s", output, strerror(errno));
  if (scene && place) {
    fwrite(page, 1, (size_t)(place - page), file);
    put_scene(file, scene);
    page = place + strlen(PLACE);
  }
  fwrite(page, 1, playground_page_length - (size_t)(page - (const char *)playground_page), file);
  bool good = !ferror(file);
  good = fclose(file) == 0 && good;
  return good ? EXIT_DONE
              : session_fail(session, exit_code_of_system(errno), "%s: cannot be written: %s", output, strerror(errno));
}

static int playground(Session *session, int count, char **words) {
  const char *output = "playground.html";
  const Flag flags[] = {{"out", 'o', "FILE", "the page to write (default: playground.html)", .text = &output}};
  Arguments arguments = {.flags = flags, .flag_count = 1, .least = 0, .most = 1};
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  if (!playground_page_length)
    return session_fail(
        session, EXIT_USAGE,
        "this program was built without the playground; ./quickstart builds it in (it needs node, npm, clang, "
        "lld, wasi-libc and libclang-rt-dev-wasm32), or cmake -DASPERITY_PLAYGROUND_PAGE=PAGE.html with a page "
        "built elsewhere");
  const char *input = arguments.word_count > 0 ? arguments.words[0] : NULL;
  AspScene scene = {0};
  if (input && strcmp(input, output) == 0)
    return session_fail(session, EXIT_USAGE, "%s: the page would replace the scene; choose another -o", output);
  if (input && asp_scene_read(session->context, input, &scene, NULL) != ASP_OK)
    return session_fail(session, EXIT_USAGE, "%s", asp_context_message(session->context));
  if (input)
    code = check_scene(session, input, &scene);
  if (code == EXIT_DONE)
    code = write_page(session, output, scene.text);
  if (scene.model)
    asp_scene_destroy(session->context, &scene);
  if (code != EXIT_DONE)
    return code;
  if (session->json) {
    Json json = json_start(stdout);
    json_text(&json, "file", input ? input : "");
    json_text(&json, "out", output);
    json_finish(&json);
  } else if (!session->quiet) {
    printf("%s written: open it in a browser\n", output);
  }
  return EXIT_DONE;
}

const Command command_playground = {
    .name = "playground",
    .arguments = "[SCENE.json] [-o PAGE.html]",
    .summary = "one page in which scenes run, with sliders and an editor",
    .details =
        "Writes one self-contained HTML file with the library itself (WebAssembly): scenes of the gallery and a\n"
        "course, or SCENE.json first; run, pause, step, pull bodies with the pointer, sliders for every\n"
        "parameter and coefficient of friction, an editor that names mistakes at their lines, plots and\n"
        "certificate while it runs, links that hold a scene. It opens by double click and loads nothing.\n"
        "Not in it: tables and meshes in files, the schemes event-driven and compliant.",
    .examples = "  asperity playground -o play.html\n"
                "  asperity playground scenes/gallery/card-house.json -o cards.html",
    .run = playground,
};
