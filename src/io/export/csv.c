/* Frames of a result as comma-separated values: one line per frame, units in the header (RFC 4180 quoting). After the
 * bodies come the energies at the frame and what flowed since the start. */
#include "io/export/csv.h"
#include "io/file/text_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 256 /* frames per read */

typedef struct CsvColumn {
  const char *name, *unit;
} CsvColumn;

static const CsvColumn space_q[] = {{"x", "m"},  {"y", "m"},  {"z", "m"}, {"qw", "1"},
                                    {"qx", "1"}, {"qy", "1"}, {"qz", "1"}};
static const CsvColumn space_v[] = {{"vx", "m/s"},   {"vy", "m/s"},   {"vz", "m/s"},
                                    {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}};
static const CsvColumn plane_q[] = {{"x", "m"}, {"y", "m"}, {"angle", "rad"}};
static const CsvColumn plane_v[] = {{"vx", "m/s"}, {"vy", "m/s"}, {"w", "rad/s"}};

static const CsvColumn energy_columns[] = {{"kinetic", "J"}, {"gravitational", "J"}, {"elastic", "J"}, {"motors", "J"},
                                           {"forces", "J"},  {"friction", "J"},      {"impacts", "J"}, {"joints", "J"},
                                           {"damping", "J"}, {"remainder", "J"}};
#define ENERGIES (ENERGY_REMAINDER - ENERGY_KINETIC + 1)
#define STATES   (ENERGY_ELASTIC - ENERGY_KINETIC + 1) /* the first of them: energies of a state, not flows */

/* Reads the energies step by step up to a frame's step; flows are summed. */
typedef struct EnergyReader {
  const ResultFile *result;
  int64_t next;         /* first row not yet read */
  int64_t block, count; /* rows in memory: from block on, count of them */
  double *rows;         /* ENERGIES x BLOCK */
  double values[ENERGIES];
} EnergyReader;

static AspError read_energy_to(EnergyReader *reader, int64_t step) {
  int64_t all = reader->result->committed.rows[TABLE_ENERGY];
  for (; reader->next <= step && reader->next < all; reader->next++) {
    if (reader->next >= reader->block + reader->count) {
      reader->block = reader->next;
      reader->count = all - reader->next < BLOCK ? all - reader->next : BLOCK;
      for (int i = 0; i < ENERGIES; i++)
        ASP_TRY(asp_result_rows(reader->result, asp_result_energy_columns[ENERGY_KINETIC + i].path, reader->block,
                                reader->count, 1, reader->rows + (size_t)i * BLOCK));
    }
    for (int i = 0; i < ENERGIES; i++) {
      double value = reader->rows[(size_t)i * BLOCK + (size_t)(reader->next - reader->block)];
      reader->values[i] = i < STATES ? value : reader->values[i] + value;
    }
  }
  return ASP_OK;
}

/* The inside of a quoted field: quotes doubled; an apostrophe before what spreadsheets would take as a formula. */
static void write_doubled(FILE *csv, const char *text) {
  if (*text && strchr("=+-@\t", *text))
    fputc('\'', csv);
  for (const char *c = text; *c; c++) {
    if (*c == '"')
      fputc('"', csv);
    fputc(*c, csv);
  }
}

void asp_csv_text(FILE *csv, const char *text) {
  fputs(",\"", csv);
  write_doubled(csv, text);
  fputc('"', csv);
}

/* Always quoted, since names may hold commas. */
void asp_csv_title(FILE *csv, const char *name, const char *ending) {
  fputs(",\"", csv);
  write_doubled(csv, name);
  fputs(*ending == '[' ? " " : ".", csv);
  write_doubled(csv, ending);
  fputc('"', csv);
}

static void write_title(FILE *csv, const char *body, const CsvColumn *column) {
  char ending[64];
  snprintf(ending, sizeof ending, "%s [%s]", column->name, column->unit);
  asp_csv_title(csv, body, ending);
}

static void write_header(FILE *csv, const ResultFile *result) {
  bool plane = result->dimension == 2;
  fputs("\"time [s]\"", csv);
  for (int body = 0; body < result->bodies; body++) {
    for (int i = 0; i < asp_result_q_width(result); i++)
      write_title(csv, asp_result_body_name(result, body), plane ? &plane_q[i] : &space_q[i]);
    for (int i = 0; i < asp_result_v_width(result); i++)
      write_title(csv, asp_result_body_name(result, body), plane ? &plane_v[i] : &space_v[i]);
  }
  for (int i = 0; i < ENERGIES; i++)
    write_title(csv, "energy", &energy_columns[i]);
  fputc('\n', csv);
}

static void write_frame(FILE *csv, const ResultFile *result, double time, const double *q, const double *v,
                        const double *energies) {
  int q_width = asp_result_q_width(result), v_width = asp_result_v_width(result);
  fprintf(csv, "%.17g", time);
  for (int body = 0; body < result->bodies; body++) {
    for (int i = 0; i < q_width; i++)
      fprintf(csv, ",%.17g", q[body * q_width + i]);
    for (int i = 0; i < v_width; i++)
      fprintf(csv, ",%.17g", v[body * v_width + i]);
  }
  for (int i = 0; i < ENERGIES; i++)
    fprintf(csv, ",%.17g", energies[i]);
  fputc('\n', csv);
}

/* Frames in blocks, so that memory does not grow with the run. */
static AspError write_frames(FILE *csv, const ResultFile *result, AspArena *scratch) {
  size_t q_width = (size_t)result->bodies * (size_t)asp_result_q_width(result);
  size_t v_width = (size_t)result->bodies * (size_t)asp_result_v_width(result);
  EnergyReader reader = {.result = result, .rows = ASP_TAKE(scratch, double, ENERGIES *BLOCK)};
  double *time = ASP_TAKE(scratch, double, BLOCK), *step = ASP_TAKE(scratch, double, BLOCK),
         *q = ASP_TAKE(scratch, double, BLOCK *q_width), *v = ASP_TAKE(scratch, double, BLOCK *v_width);
  if (!reader.rows || !time || !step || !q || !v)
    return ASP_ERROR_MEMORY;
  int64_t frames = result->committed.rows[TABLE_FRAMES];
  for (int64_t first = 0; first < frames && !ferror(csv); first += BLOCK) {
    int64_t count = frames - first < BLOCK ? frames - first : BLOCK;
    ASP_TRY(asp_result_rows(result, "/frames/time", first, count, 1, time));
    ASP_TRY(asp_result_rows(result, "/frames/step", first, count, 1, step));
    ASP_TRY(asp_result_rows(result, "/frames/q", first, count, q_width, q));
    ASP_TRY(asp_result_rows(result, "/frames/v", first, count, v_width, v));
    for (int64_t i = 0; i < count; i++) {
      ASP_TRY(read_energy_to(&reader, (int64_t)fmin(fmax(step[i], 0), 1e15)));
      write_frame(csv, result, time[i], q + (size_t)i * q_width, v + (size_t)i * v_width, reader.values);
    }
  }
  return ASP_OK;
}

AspError asp_csv_write(AspContext *context, const char *result_path, const char *csv_path,
                       AspError (*write)(FILE *csv, const ResultFile *result, AspArena *scratch)) {
  ResultFile result;
  ASP_TRY(asp_result_open(context, result_path, &result));
  AspArena scratch;
  asp_arena_init(&scratch, context);
  AspError error;
  FILE *csv = asp_file_create(context, csv_path, &error);
  if (csv) {
    error = write(csv, &result, &scratch);
    if (error == ASP_OK)
      error = asp_file_finish(context, csv_path, csv);
    else
      asp_file_abandon(csv_path, csv);
  }
  asp_arena_free(&scratch);
  asp_result_shut(&result);
  return error;
}

static AspError write_bodies(FILE *csv, const ResultFile *result, AspArena *scratch) {
  write_header(csv, result);
  return write_frames(csv, result, scratch);
}

AspError asp_result_export_csv(AspContext *context, const char *result_path, const char *csv_path) {
  return asp_csv_write(context, result_path, csv_path, write_bodies);
}
