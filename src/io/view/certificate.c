/* Certificate and energies for the viewer: curves over the steps, and what the panel says in words.
 *
 * Curves have at most CURVE_MAX points. Longer runs are drawn in groups of steps: of a group the largest residual,
 * penetration and drift, the last time and energy, and whether all of it was certified. The words are about every step.
 */
#include "io/view/data.h"

#include <math.h>
#include <stdlib.h>

#define CURVE_MAX  20000
#define BLOCK      4096
#define FOUND_MAX  50  /* steps of a finding that are listed with their times */
#define MISSED_MAX 200 /* steps without certificate that are listed with their times */
#define COUNTS_MAX 8   /* different values of a count that are told apart */

typedef enum Curve { EXACT, E2, PENETRATION, DRIFT, CONTACTS, ITERATIONS, CERTIFIED, TIME, CURVES } Curve;

static const struct {
  StepColumn column;
  const char *name;
  bool smallest; /* of a group: the smallest instead of the largest */
} curves[CURVES] = {[EXACT] = {STEP_EXACT, "stepExact", false},
                    [E2] = {STEP_E2, "stepResidual", false},
                    [PENETRATION] = {STEP_PENETRATION, "stepPenetration", false},
                    [DRIFT] = {STEP_JOINT_DRIFT, "stepDrift", false},
                    [CONTACTS] = {STEP_CONTACTS, "stepContacts", false},
                    [ITERATIONS] = {STEP_ITERATIONS, "stepIterations", false},
                    [CERTIFIED] = {STEP_CERTIFIED, "stepCertified", true},
                    [TIME] = {STEP_TIME, "stepTime", false}};

/* The worst of a curve and where it is; a NaN is the worst of all. */
typedef struct Worst {
  double value;
  int64_t row;
} Worst;

typedef struct StepReader {
  ViewPacker *packer;
  int64_t steps, group; /* rows, rows per point of a curve */
  size_t points;
  double *value[CURVES]; /* points of each curve */
  Worst worst[CURVES];
  double missed[MISSED_MAX]; /* times of steps without certificate */
  int64_t missed_count;
} StepReader;

static void note(StepReader *reader, Curve c, int64_t row, double value) {
  double *point = &reader->value[c][row / reader->group];
  bool first = row % reader->group == 0;
  if (first || isnan(value) || (curves[c].smallest ? value < *point : value > *point))
    *point = value;
  if (row == 0 || isnan(value) || value > reader->worst[c].value)
    reader->worst[c] = (Worst){value, row};
}

static AspError read_curve(StepReader *reader, Curve c, double *block, double *times) {
  const ResultFile *result = reader->packer->result;
  const char *path = asp_result_step_columns[curves[c].column].path;
  for (int64_t first = 0; first < reader->steps; first += BLOCK) {
    int64_t count = reader->steps - first < BLOCK ? reader->steps - first : BLOCK;
    ASP_TRY(asp_result_rows(result, path, first, count, 1, block));
    if (c == CERTIFIED)
      ASP_TRY(asp_result_rows(result, asp_result_step_columns[STEP_TIME].path, first, count, 1, times));
    for (int64_t i = 0; i < count; i++) {
      note(reader, c, first + i, block[i]);
      if (c != CERTIFIED || block[i] == 1)
        continue;
      if (reader->missed_count < MISSED_MAX)
        reader->missed[reader->missed_count] = times[i];
      reader->missed_count++;
    }
  }
  return ASP_OK;
}

/* "residual": {"value": ..., "step": ..., "time": ...} */
static bool add_worst(cJSON *certificate, const char *key, const StepReader *reader, Curve c) {
  double time = 0;
  int64_t row = reader->worst[c].row;
  if (reader->steps && asp_result_rows(reader->packer->result, "/certificate/time", row, 1, 1, &time) != ASP_OK)
    return false;
  cJSON *entry = cJSON_AddObjectToObject(certificate, key);
  return entry && cJSON_AddNumberToObject(entry, "value", reader->worst[c].value) &&
         cJSON_AddNumberToObject(entry, "step", (double)(reader->steps ? row + 1 : 0)) &&
         cJSON_AddNumberToObject(entry, "time", time);
}

/* ---- counts: what the steps say about themselves in integers, of whatever kind ---- */

/* One value of such a column: how many steps have it, and which is the first. */
typedef struct Count {
  double value;
  int64_t steps, first;
} Count;

/* Columns that are shown elsewhere, or are names and not counts. */
static bool is_counted(int column) {
  static const StepColumn others[] = {STEP_CERTIFIED, STEP_STATUS, STEP_METHOD,  STEP_ITERATIONS,
                                      STEP_CONTACTS,  STEP_BLOCKS, STEP_RESOLVED};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] == (StepColumn)column)
      return false;
  return asp_result_step_columns[column].type == RESULT_INT || asp_result_step_columns[column].type == RESULT_BYTE;
}

/* Different values of the column, at most COUNTS_MAX: those beyond count as the last. A result of an older program may
 * lack the column: none then. */
static AspError count_values(const StepReader *reader, const char *path, double *block, Count *counts, int *found) {
  const ResultFile *result = reader->packer->result;
  *found = 0;
  for (int64_t first = 0; asp_h5_has(&result->file, path) && first < reader->steps; first += BLOCK) {
    int64_t rows = reader->steps - first < BLOCK ? reader->steps - first : BLOCK;
    ASP_TRY(asp_result_rows(result, path, first, rows, 1, block));
    for (int64_t i = 0; i < rows; i++) {
      int k = 0;
      while (k < *found && counts[k].value != block[i])
        k++;
      if (k == *found && *found < COUNTS_MAX)
        counts[(*found)++] = (Count){block[i], 0, first + i};
      counts[k < *found ? k : *found - 1].steps++;
    }
  }
  return ASP_OK;
}

/* {"name": "attempts", "text": ..., "values": [{"value": 1, "steps": 99, "time": ...}, ...]}, where values differ. */
static AspError add_counts(const StepReader *reader, cJSON *list, double *block) {
  const ResultFile *result = reader->packer->result;
  Count counts[COUNTS_MAX];
  for (int c = 0; c < STEP_COLUMNS; c++) {
    const ResultColumn *column = &asp_result_step_columns[c];
    int found = 0;
    if (!is_counted(c))
      continue;
    ASP_TRY(count_values(reader, column->path, block, counts, &found));
    if (found < 2)
      continue;
    cJSON *entry = cJSON_CreateObject(), *values = entry ? cJSON_AddArrayToObject(entry, "values") : NULL;
    bool good = entry && cJSON_AddItemToArray(list, entry) && values &&
                cJSON_AddStringToObject(entry, "name", strrchr(column->path, '/') + 1) &&
                cJSON_AddStringToObject(entry, "text", column->text);
    for (int i = 0; good && i < found; i++) {
      double time = 0;
      cJSON *value = cJSON_CreateObject();
      ASP_TRY(asp_result_rows(result, "/certificate/time", counts[i].first, 1, 1, &time));
      good = value && cJSON_AddItemToArray(values, value) && cJSON_AddNumberToObject(value, "value", counts[i].value) &&
             cJSON_AddNumberToObject(value, "steps", (double)counts[i].steps) &&
             cJSON_AddNumberToObject(value, "time", time);
    }
    if (!good)
      return asp_fail(result->file.context, ASP_ERROR_MEMORY, "out of memory");
  }
  return ASP_OK;
}

static bool add_words(const StepReader *reader) {
  const ViewPacker *packer = reader->packer;
  char text[64] = "";
  double tolerance = asp_result_option(packer->result, "tolerance", text, sizeof text) ? strtod(text, NULL) : NAN;
  int listed = reader->missed_count < MISSED_MAX ? (int)reader->missed_count : MISSED_MAX;
  cJSON *words = cJSON_AddObjectToObject(packer->header, "certificate");
  return words && cJSON_AddNumberToObject(words, "tolerance", tolerance) &&
         cJSON_AddNumberToObject(words, "steps", (double)reader->steps) &&
         cJSON_AddNumberToObject(words, "group", (double)reader->group) &&
         cJSON_AddNumberToObject(words, "uncertified", (double)reader->missed_count) &&
         cJSON_AddItemToObject(words, "uncertifiedTimes", cJSON_CreateDoubleArray(reader->missed, listed)) &&
         add_worst(words, "residual", reader, E2) && add_worst(words, "exact", reader, EXACT) &&
         add_worst(words, "penetration", reader, PENETRATION) && add_worst(words, "drift", reader, DRIFT) &&
         add_worst(words, "contactsMost", reader, CONTACTS) && add_worst(words, "iterationsMost", reader, ITERATIONS);
}

/* Steps of which a column holds what was found: how many, and the times of the first ones. */
typedef struct Finding {
  const char *key;
  StepColumn column;
  bool (*is_one)(double value);
  double time[FOUND_MAX];
  int64_t count;
} Finding;

static bool is_none(double value) { return value == 0; }
static bool is_several(double value) { return value > 1; }
static bool is_set(double value) { return value == 1; }

static AspError read_finding(const ViewPacker *packer, int64_t steps, double *block, double *times, Finding *finding) {
  const char *path = asp_result_step_columns[finding->column].path;
  bool known = asp_h5_has(&packer->result->file, path); // a result of an older program may lack the column
  for (int64_t first = 0; known && first < steps; first += BLOCK) {
    int64_t count = steps - first < BLOCK ? steps - first : BLOCK;
    ASP_TRY(asp_result_rows(packer->result, path, first, count, 1, block));
    ASP_TRY(asp_result_rows(packer->result, asp_result_step_columns[STEP_TIME].path, first, count, 1, times));
    for (int64_t i = 0; i < count; i++) {
      if (!finding->is_one(block[i]))
        continue;
      if (finding->count < FOUND_MAX)
        finding->time[finding->count] = times[i];
      finding->count++;
    }
  }
  return ASP_OK;
}

/* "findings": {"withoutSolution": {"steps": 1, "times": [...]}, ...} (docs/theory/existence.md) */
static AspError pack_findings(ViewPacker *packer, int64_t steps, double *block, double *times) {
  Finding findings[] = {{.key = "withoutSolution", .column = STEP_INSTANT_SOLUTIONS, .is_one = is_none},
                        {.key = "severalSolutions", .column = STEP_INSTANT_SOLUTIONS, .is_one = is_several},
                        {.key = "alternatives", .column = STEP_ALTERNATIVES, .is_one = is_several},
                        {.key = "impulses", .column = STEP_IMPULSE, .is_one = is_set}};
  cJSON *all = cJSON_AddObjectToObject(packer->header, "findings");
  bool added = all != NULL;
  for (size_t i = 0; added && i < sizeof findings / sizeof *findings; i++) {
    Finding *finding = &findings[i];
    ASP_TRY(read_finding(packer, steps, block, times, finding));
    int listed = finding->count < FOUND_MAX ? (int)finding->count : FOUND_MAX;
    cJSON *entry = cJSON_AddObjectToObject(all, finding->key);
    added = entry && cJSON_AddNumberToObject(entry, "steps", (double)finding->count) &&
            cJSON_AddItemToObject(entry, "times", cJSON_CreateDoubleArray(finding->time, listed));
  }
  return added ? ASP_OK : asp_fail(packer->result->file.context, ASP_ERROR_MEMORY, "out of memory");
}

static AspError pack_steps(ViewPacker *packer, AspArena *scratch) {
  StepReader reader = {.packer = packer, .steps = packer->result->committed.rows[TABLE_STEPS]};
  reader.group = reader.steps > CURVE_MAX ? (reader.steps + CURVE_MAX - 1) / CURVE_MAX : 1;
  reader.points = (size_t)((reader.steps + reader.group - 1) / reader.group);
  double *block = ASP_TAKE(scratch, double, BLOCK), *times = ASP_TAKE(scratch, double, BLOCK);
  float *values = ASP_TAKE(scratch, float, reader.points + 1);
  if (!block || !times || !values)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < CURVES; c++) {
    reader.value[c] = ASP_TAKE(scratch, double, reader.points + 1);
    if (!reader.value[c])
      return ASP_ERROR_MEMORY;
    ASP_TRY(read_curve(&reader, (Curve)c, block, times));
    for (size_t i = 0; i < reader.points; i++)
      values[i] = (float)reader.value[c][i];
    bool exact = c == TIME;
    ASP_TRY(asp_view_add(&packer->stream, curves[c].name, exact ? VIEW_REAL : VIEW_FLOAT, reader.points, 1, 0, 1,
                         exact ? (const void *)reader.value[c] : values));
  }
  cJSON *counts =
      add_words(&reader)
          ? cJSON_AddArrayToObject(cJSON_GetObjectItemCaseSensitive(packer->header, "certificate"), "counts")
          : NULL;
  if (!counts)
    return asp_fail(packer->result->file.context, ASP_ERROR_MEMORY, "out of memory");
  ASP_TRY(add_counts(&reader, counts, block));
  return pack_findings(packer, reader.steps, block, times);
}

static AspError pack_energy(ViewPacker *packer, AspArena *scratch) {
  static const char *const names[ENERGY_COLUMNS] = {[ENERGY_TIME] = "energyTime",
                                                    [ENERGY_KINETIC] = "energyKinetic",
                                                    [ENERGY_GRAVITATIONAL] = "energyGravitational",
                                                    [ENERGY_ELASTIC] = "energyElastic"};
  int64_t rows = packer->result->committed.rows[TABLE_ENERGY], group = (rows + CURVE_MAX - 1) / CURVE_MAX;
  group = group > 0 ? group : 1;
  size_t points = (size_t)((rows + group - 1) / group);
  double *block = ASP_TAKE(scratch, double, BLOCK), *values = ASP_TAKE(scratch, double, points + 1);
  if (!block || !values)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c <= ENERGY_ELASTIC; c++) { // what is stored; flows of a step come after
    const char *path = asp_result_energy_columns[c].path;
    for (int64_t first = 0; first < rows; first += BLOCK) {
      int64_t count = rows - first < BLOCK ? rows - first : BLOCK;
      ASP_TRY(asp_result_rows(packer->result, path, first, count, 1, block));
      for (int64_t i = 0; i < count; i++)
        values[(first + i) / group] = block[i];
    }
    ASP_TRY(asp_view_add(&packer->stream, names[c], VIEW_REAL, points, 1, 0, 1, values));
  }
  return ASP_OK;
}

AspError asp_view_pack_certificate(ViewPacker *packer) {
  AspArena scratch;
  asp_arena_init(&scratch, packer->result->file.context);
  AspError error = pack_steps(packer, &scratch);
  if (error == ASP_OK)
    error = pack_energy(packer, &scratch);
  asp_arena_free(&scratch);
  return error;
}
