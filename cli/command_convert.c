/* asperity convert: a result in another format, chosen by the ending of the output file. */
#include "arguments.h"
#include "json.h"

#include "asperity/io.h"

#include <stdio.h>
#include <string.h>

typedef struct Format {
  const char *ending; /* of the output file */
  AspError (*convert)(AspContext *context, const char *input, const char *output);
} Format;

static const Format formats[] = {
    {".csv", asp_result_export_csv},
    {".pvd", asp_result_export_vtk},
    {".glb", asp_result_export_gltf},
    {".svg", asp_result_export_svg},
};
#define FORMAT_COUNT ((int)(sizeof formats / sizeof *formats))

static const Format *find_format(const char *path) {
  size_t length = strlen(path);
  for (int i = 0; i < FORMAT_COUNT; i++) {
    size_t ending = strlen(formats[i].ending);
    if (length > ending && strcmp(path + length - ending, formats[i].ending) == 0)
      return &formats[i];
  }
  return NULL;
}

static int convert(Session *session, int count, char **words) {
  const char *output = NULL;
  const Flag flags[] = {
      {"out", 'o', "FILE", "the file to write; its ending says the format: .csv, .pvd, .glb, .svg", .text = &output}};
  Arguments arguments = {.flags = flags, .flag_count = 1, .least = 1, .most = 1};
  int code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const char *input = arguments.words[0];
  if (!output)
    return session_fail(session, EXIT_USAGE, "where to? asperity convert %s -o FILE.csv", input);
  const Format *format = find_format(output);
  if (!format)
    return session_fail(session, EXIT_USAGE, "%s: the ending says no known format; .csv, .pvd, .glb and .svg would do",
                        output);
  AspError error = format->convert(session->context, input, output);
  if (error != ASP_OK)
    return session_fail_error(session, error);
  if (session->json) {
    Json json = json_start(stdout);
    json_text(&json, "file", input);
    json_text(&json, "out", output);
    json_finish(&json);
  } else if (!session->quiet) {
    printf("%s written\n", output);
  }
  return EXIT_DONE;
}

const Command command_convert = {
    .name = "convert",
    .arguments = "RESULT.h5 -o FILE",
    .summary = "write a result in another format",
    .details =
        "The ending of FILE says the format:\n"
        "  .csv  one line per stored step with time and, for every body, position, orientation (quaternion w x y z),\n"
        "        velocity and angular velocity; the header line has names and units\n"
        "  .pvd  for ParaView: surfaces with velocities, contacts with forces; FILE lists the frames in a folder "
        "beside it\n"
        "  .glb  a glTF animation, for Blender and anything else that plays one\n"
        "  .svg  energies, residual of every step and contacts over time, drawn\n"
        "The contact problem of a step: asperity run --dump-problem STEP.",
    .examples = "  asperity convert sphere-slides-then-rolls.h5 -o sphere.csv\n"
                "  asperity convert sphere-slides-then-rolls.h5 -o sphere.pvd",
    .run = convert,
};
