/* asperity convert: a result in another format, chosen by the file type (extension) of the output file. */
#include "arguments.h"
#include "json.h"
#include "pictures.h"

#include "asperity/io.h"

#include <stdio.h>
#include <string.h>

typedef struct Format {
  const char *ending; /* of the output file */
  AspError (*convert)(AspContext *context, const char *input, const char *output);
} Format;

static AspError export_npz(AspContext *context, const char *input, const char *output) {
  return asp_result_export_npz(context, input, "bodies", output);
}

static const Format formats[] = {
    {".csv", asp_result_export_csv}, {".npz", export_npz},
    {".pvd", asp_result_export_vtk}, {".glb", asp_result_export_gltf},
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

/* The result in one file, by the library. */
static int write_file(const Session *session, const char *input, const char *output, const char *part) {
  const Format *format = find_format(output);
  static const char *const parts[] = {"bodies", "joints", "contacts", "probes", "energies"};
  bool known = !part;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    known = known || strcmp(part, parts[i]) == 0;
  if (!known)
    return session_fail(session, EXIT_USAGE, "--what %s: use bodies, joints, contacts, probes or energies", part);
  bool npz = format && format->convert == export_npz;
  if (part && !npz && (!format || format->convert != asp_result_export_csv))
    return session_fail(session, EXIT_USAGE, "--what applies to tables only: -o FILE.csv or FILE.npz");
  if (part) {
    AspError error = (npz ? asp_result_export_npz : asp_result_export_part)(session->context, input, part, output);
    return error == ASP_OK ? EXIT_DONE : session_fail_result(session, error, input);
  }
  if (!format)
    return session_fail(session, EXIT_USAGE,
                        "%s: unknown file type; use .csv, .npz, .pvd, .glb, .svg, .png, .mp4, .webm or .gif", output);
  AspError error = format->convert(session->context, input, output);
  return error == ASP_OK ? EXIT_DONE : session_fail_result(session, error, input);
}

static int convert(Session *session, int count, char **words) {
  const char *output = NULL, *part = NULL;
  PictureOptions picture = {0};
  const Flag flags[] = {
      {"out", 'o', "FILE",
       "the file to write; its extension sets the format: .csv, .npz, .pvd, .glb, .svg, .png, .mp4, .webm, .gif",
       .text = &output},
      {"what", 0, "PART", ".csv, .npz: bodies (default), joints, contacts, probes or energies", .text = &part},
      {"view", 0, "VIEW", "pictures, films: time, camera and theme as in the page's address: 't=5&az=-62&theme=dark'",
       .text = &picture.view},
      {"size", 0, "WxH", "pictures, films: pixels (default 1200x750)", .text = &picture.size},
      {"frames", 0, "N",
       ".png with %04d in its name, films: pictures over the whole run (default 100; films: as the page plays)",
       .text = &picture.frames},
      {"fps", 0, "N", "films: pictures a second (default 30)", .text = &picture.rate},
      {"panel", 0, NULL, "pictures, films: with the panel of plots and numbers", .on = &picture.panel}};
  Arguments arguments = {.flags = flags, .flag_count = 7, .least = 1, .most = 1};
  int pictures = 0, code = EXIT_DONE;
  if (!arguments_read(&arguments, session, count, words, &code))
    return code;
  const char *input = arguments.words[0];
  if (!output)
    return session_fail(session, EXIT_USAGE, "no output file given; for example: asperity convert %s -o FILE.csv",
                        input);
  if (same_file(input, output))
    return session_fail(session, EXIT_USAGE, "%s: the output would replace the result; choose another name", output);
  bool drawn = is_picture(output);
  if (!drawn && (picture.view || picture.size || picture.frames || picture.rate || picture.panel))
    return session_fail(
        session, EXIT_USAGE,
        "--view, --size, --frames, --fps and --panel apply to pictures and films only: -o FILE.png, .mp4, .webm "
        "or .gif");
  code = drawn ? pictures_write(session, input, output, &picture, &pictures) : write_file(session, input, output, part);
  if (code != EXIT_DONE)
    return code;
  if (session->json) {
    Json json = json_start(stdout);
    json_text(&json, "file", input);
    json_text(&json, "out", output);
    if (drawn)
      json_integer(&json, "pictures", pictures);
    json_finish(&json);
  } else if (!session->quiet) {
    printf(pictures > 1 ? "%s written, %d pictures\n" : "%s written\n", output, pictures);
  }
  return EXIT_DONE;
}

const Command command_convert = {
    .name = "convert",
    .arguments = "RESULT.h5 -o FILE",
    .summary = "write a result in another format",
    .details =
        "The extension of FILE sets the format:\n"
        "  .csv  one line per stored step with time and, for every body, position, orientation (quaternion w x y z),\n"
        "        velocity and angular velocity; the header line has names and units. --what joints, contacts, probes "
        "or\n"
        "        energies writes those instead: per frame, per contact, per sample, per step\n"
        "  .npz  the same parts as NumPy arrays, numpy.load(FILE)['q'] of frames x bodies x 7; --what as for .csv\n"
        "  .pvd  for ParaView: surfaces with velocities, contacts with forces; FILE lists the frames in a folder "
        "beside it\n"
        "  .glb  a glTF animation, for Blender and anything else that plays one\n"
        "  .svg  energies, residual of every step and contacts over time, drawn\n"
        "  .png  a picture of the page of `asperity report`, or with %04d in FILE many over the whole run, for a "
        "film;\n"
        "        drawn by Chromium, which must be installed. --view takes what the page takes after its #: t (s), "
        "theme,\n"
        "        contacts, cones, trails, joints, ghost, az, el (degrees), zoom, title=0, pick (a body's name)\n"
        "  .mp4, .webm, .gif  a film of the whole run, drawn by Chromium as .png and put together by ffmpeg: both must "
        "be\n"
        "        installed. As long as the page plays; --frames and --fps set it otherwise\n"
        "The contact problem of a step: asperity run --dump-problem STEP.",
    .examples = "  asperity convert sphere-slides-then-rolls.h5 -o sphere.csv\n"
                "  asperity convert sphere-slides-then-rolls.h5 --what contacts -o contacts.csv\n"
                "  asperity convert sphere-slides-then-rolls.h5 --what energies -o energies.npz\n"
                "  asperity convert sphere-slides-then-rolls.h5 -o sphere.pvd\n"
                "  asperity convert sphere-slides-then-rolls.h5 -o sphere.png --view 't=0.5&theme=dark'\n"
                "  asperity convert sphere-slides-then-rolls.h5 -o frames/%04d.png --frames 120\n"
                "  asperity convert sphere-slides-then-rolls.h5 -o film.mp4 --size 800x500",
    .run = convert,
};
