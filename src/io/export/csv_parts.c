/* Parts of a result as comma-separated values: joints and energies one line per frame or step, contacts one line each,
 * probes one line per sample. Titles are "name.quantity [unit]", quoted (RFC 4180). */
#include "io/export/csv.h"
#include "io/file/text_file.h"
#include "io/result/model.h"
#include "io/result/probes.h"

#include <math.h>

#define BLOCK 256 /* rows per read */

/* A column of the file: `names` x `width` numbers in a row. */
typedef struct Part {
  const char *path;
  const char *const *title; /* width of them, behind the name */
  size_t width;
} Part;

/* One line per row of these columns, the time first. */
static AspError write_rows(FILE *csv, const ResultFile *result, AspArena *scratch, const char *time_path, int64_t rows,
                           const Part *parts, int count, size_t names) {
  double *time = ASP_TAKE(scratch, double, BLOCK), **value = ASP_TAKE(scratch, double *, count);
  if (!time || !value)
    return ASP_ERROR_MEMORY;
  for (int p = 0; p < count; p++)
    if (!(value[p] = ASP_TAKE(scratch, double, BLOCK *names *parts[p].width)))
      return ASP_ERROR_MEMORY;
  for (int64_t first = 0; first < rows && !ferror(csv); first += BLOCK) {
    int64_t here = rows - first < BLOCK ? rows - first : BLOCK;
    ASP_TRY(asp_result_rows(result, time_path, first, here, 1, time));
    for (int p = 0; p < count; p++)
      ASP_TRY(asp_result_rows(result, parts[p].path, first, here, names * parts[p].width, value[p]));
    for (int64_t i = 0; i < here; i++) {
      fprintf(csv, "%.17g", time[i]);
      for (size_t name = 0; name < names; name++)
        for (int p = 0; p < count; p++)
          for (size_t k = 0; k < parts[p].width; k++)
            fprintf(csv, ",%.17g", value[p][((size_t)i * names + name) * parts[p].width + k]);
      fputc('\n', csv);
    }
  }
  return ASP_OK;
}

static void write_titles(FILE *csv, const char *name, const Part *parts, int count) {
  for (int p = 0; p < count; p++)
    for (size_t k = 0; k < parts[p].width; k++)
      asp_csv_title(csv, name, parts[p].title[k]);
}

static AspError write_joints(FILE *csv, const ResultFile *result, AspArena *scratch) {
  static const char *const coordinate[] = {"coordinate [rad or m]"}, *const rate[] = {"rate [rad/s or m/s]"},
                           *const force[] = {"fx [N]", "fy [N]", "fz [N]"},
                           *const torque[] = {"tx [N m]", "ty [N m]", "tz [N m]"},
                           *const friction[] = {"friction [N or N m]"}, *const motor[] = {"motor [N or N m]"},
                           *const limit[] = {"limit [N or N m]"}, *const drift[] = {"drift [m or rad]"};
  static const Part parts[] = {{"/joints/coordinate", coordinate, 1}, {"/joints/rate", rate, 1},
                               {"/joints/force", force, 3},           {"/joints/torque", torque, 3},
                               {"/joints/friction", friction, 1},     {"/joints/motor", motor, 1},
                               {"/joints/limit", limit, 1},           {"/joints/drift", drift, 1}};
  enum { COUNT = sizeof parts / sizeof *parts };
  ResultModel model;
  ASP_TRY(asp_result_model_read(result, &model));
  fputs("\"time [s]\"", csv);
  for (int i = 0; i < model.joint_count; i++)
    write_titles(csv, asp_result_text_at(&model.joints, i), parts, COUNT);
  fputc('\n', csv);
  size_t joints = (size_t)model.joint_count;
  asp_result_model_free(result->file.context, &model);
  // columns of single numbers come joint by joint, so does the line
  return write_rows(csv, result, scratch, "/frames/time", result->committed.rows[TABLE_FRAMES], parts,
                    joints ? COUNT : 0, joints);
}

static AspError write_energies(FILE *csv, const ResultFile *result, AspArena *scratch) {
  static const char *const titles[] = {"kinetic [J]", "gravitational [J]", "elastic [J]", "motors [J]",
                                       "forces [J]",  "friction [J]",      "impacts [J]", "joints [J]",
                                       "damping [J]", "remainder [J]"};
  enum { COUNT = sizeof titles / sizeof *titles };
  Part parts[COUNT];
  for (int i = 0; i < COUNT; i++)
    parts[i] = (Part){asp_result_energy_columns[ENERGY_KINETIC + i].path, &titles[i], 1};
  fputs("\"time [s]\"", csv);
  write_titles(csv, "energy", parts, COUNT);
  fputc('\n', csv);
  return write_rows(csv, result, scratch, "/energy/time", result->committed.rows[TABLE_ENERGY], parts, COUNT, 1);
}

static AspError write_probes(FILE *csv, const ResultFile *result, AspArena *scratch) {
  ResultTexts name = {0}, unit = {0};
  AspContext *context = result->file.context;
  if (result->committed.rows[TABLE_PROBES] == 0)
    return asp_fail(context, ASP_ERROR_INPUT, "%s: the scene has no probes; add \"probes\"", result->file.path);
  AspError error = asp_result_texts_read(result, RESULT_PROBE_NAME, &name.count, &name.bytes, &name.text);
  if (error == ASP_OK)
    error = asp_result_texts_read(result, RESULT_PROBE_UNIT, &unit.count, &unit.bytes, &unit.text);
  if (error == ASP_OK && name.count != unit.count)
    error = asp_fail(context, ASP_ERROR_INPUT, "%s: /probes: not as many units as names", result->file.path);
  fputs("\"time [s]\"", csv);
  for (int i = 0; error == ASP_OK && i < name.count; i++) {
    char title[80];
    snprintf(title, sizeof title, "[%.70s]", asp_result_text_at(&unit, i));
    asp_csv_title(csv, asp_result_text_at(&name, i), title);
  }
  fputc('\n', csv);
  size_t width = (size_t)name.count;
  asp_release(context, name.text);
  asp_release(context, unit.text);
  ASP_TRY(error);
  const Part part = {RESULT_PROBE_VALUE, NULL, width};
  return write_rows(csv, result, scratch, RESULT_PROBE_TIME, result->committed.rows[TABLE_PROBES], &part, 1, 1);
}

/* The numbers of one contact, read row by row of its frame. */
static AspError write_contacts(FILE *csv, const ResultFile *result, AspArena *scratch) {
  static const struct {
    const char *path, *title;
    size_t width;
  } columns[] = {{"/contacts/point", "\"x [m]\",\"y [m]\",\"z [m]\"", 3},
                 {"/contacts/normal", "\"nx\",\"ny\",\"nz\"", 3},
                 {"/contacts/gap", "\"gap [m]\"", 1},
                 {"/contacts/slip", "\"un [m/s]\",\"ut1 [m/s]\",\"ut2 [m/s]\"", 3},
                 {"/contacts/force", "\"fx [N]\",\"fy [N]\",\"fz [N]\"", 3},
                 {"/contacts/mu", "\"mu\"", 1},
                 {"/contacts/mode", "\"mode\"", 1}};
  enum { COUNT = sizeof columns / sizeof *columns };
  double *body = ASP_TAKE(scratch, double, 2 * BLOCK), *value[COUNT], time = 0, start = 0, count = 0;
  for (int c = 0; c < COUNT; c++)
    if (!(value[c] = ASP_TAKE(scratch, double, BLOCK *columns[c].width)) || !body)
      return ASP_ERROR_MEMORY;
  fputs("\"time [s]\",\"body A\",\"body B\"", csv);
  for (int c = 0; c < COUNT; c++)
    fprintf(csv, ",%s", columns[c].title);
  fputc('\n', csv);
  for (int64_t frame = 0; frame < result->committed.rows[TABLE_FRAMES] && !ferror(csv); frame++) {
    ASP_TRY(asp_result_rows(result, "/frames/time", frame, 1, 1, &time));
    ASP_TRY(asp_result_rows(result, "/contacts/start", frame, 1, 1, &start));
    ASP_TRY(asp_result_rows(result, "/contacts/count", frame, 1, 1, &count));
    for (int64_t first = 0; first < (int64_t)count; first += BLOCK) {
      int64_t here = (int64_t)count - first < BLOCK ? (int64_t)count - first : BLOCK;
      ASP_TRY(asp_result_rows(result, "/contacts/body", (int64_t)start + first, here, 2, body));
      for (int c = 0; c < COUNT; c++)
        ASP_TRY(asp_result_rows(result, columns[c].path, (int64_t)start + first, here, columns[c].width, value[c]));
      for (int64_t i = 0; i < here; i++) {
        fprintf(csv, "%.17g", time);
        for (int side = 0; side < 2; side++) {
          double b = body[2 * i + side];
          asp_csv_text(csv, b >= 0 && b < result->bodies ? asp_result_body_name(result, (int)b) : "");
        }
        for (int c = 0; c < COUNT; c++)
          for (size_t k = 0; k < columns[c].width; k++)
            fprintf(csv, ",%.17g", value[c][(size_t)i * columns[c].width + k]);
        fputc('\n', csv);
      }
    }
  }
  return ASP_OK;
}

AspError asp_result_export_part(AspContext *context, const char *result_path, const char *part, const char *csv_path) {
  static const struct {
    const char *name;
    AspError (*write)(FILE *csv, const ResultFile *result, AspArena *scratch);
  } parts[] = {
      {"joints", write_joints}, {"contacts", write_contacts}, {"probes", write_probes}, {"energies", write_energies}};
  if (strcmp(part, "bodies") == 0)
    return asp_result_export_csv(context, result_path, csv_path);
  size_t i = 0;
  while (i < sizeof parts / sizeof *parts && strcmp(parts[i].name, part) != 0)
    i++;
  if (i == sizeof parts / sizeof *parts)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "part '%s': use bodies, joints, contacts, probes or energies", part);
  return asp_csv_write(context, result_path, csv_path, parts[i].write);
}
