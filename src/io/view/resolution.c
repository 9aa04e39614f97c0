/* The verdict on the resolution for the viewer: which steps are not resolved, and the measures with their worst values,
 * thresholds, places and remedies. A result of an older program has none: the header lacks "resolution" then. */
#include "io/view/data.h"

#include <math.h>

#define BLOCK     4096
#define TIMES_MAX 200 /* unresolved steps that are listed with their times */

typedef struct Unresolved {
  double time[TIMES_MAX];
  int64_t count;
} Unresolved;

static AspError read_steps(const ResultFile *result, AspArena *scratch, Unresolved *unresolved) {
  int64_t steps = result->committed.rows[TABLE_STEPS];
  double *block = ASP_TAKE(scratch, double, BLOCK), *times = ASP_TAKE(scratch, double, BLOCK);
  if (!block || !times)
    return ASP_ERROR_MEMORY;
  for (int64_t first = 0; first < steps; first += BLOCK) {
    int64_t count = steps - first < BLOCK ? steps - first : BLOCK;
    ASP_TRY(asp_result_rows(result, asp_result_step_columns[STEP_RESOLVED].path, first, count, 1, block));
    ASP_TRY(asp_result_rows(result, asp_result_step_columns[STEP_TIME].path, first, count, 1, times));
    for (int64_t i = 0; i < count; i++) {
      if (block[i] == 1)
        continue;
      if (unresolved->count < TIMES_MAX)
        unresolved->time[unresolved->count] = times[i];
      unresolved->count++;
    }
  }
  return ASP_OK;
}

/* Texts of the measures: name, text, remedy, where. */
typedef struct MeasureTexts {
  char *all;
  size_t bytes;
  int count;
} MeasureTexts;

static const char *text_of(const MeasureTexts *texts, int i) {
  return i < texts->count ? texts->all + (size_t)i * texts->bytes : "";
}

static bool add_measure(cJSON *list, const MeasureTexts texts[4], const double values[4], int i) {
  static const char *const words[] = {"name", "text", "remedy", "where"};
  static const char *const numbers[] = {"threshold", "worst", "time", "steps"};
  cJSON *entry = cJSON_CreateObject();
  bool good = entry && cJSON_AddItemToArray(list, entry);
  for (int k = 0; k < 4; k++)
    good = good && cJSON_AddStringToObject(entry, words[k], text_of(&texts[k], i)) &&
           cJSON_AddNumberToObject(entry, numbers[k], values[k]);
  return good;
}

/* The table of the run, where it came to its end; measures that do not apply are left out. */
static AspError add_measures(ViewPacker *packer, cJSON *list) {
  static const char *const columns[] = {"/resolution/threshold", "/resolution/worst", "/resolution/worst_time",
                                        "/resolution/steps"};
  static const char *const paths[] = {"/resolution/name", "/resolution/text", "/resolution/remedy",
                                      "/resolution/where"};
  const ResultFile *result = packer->result;
  AspContext *context = result->file.context;
  MeasureTexts texts[4] = {{0}};
  bool good = true;
  if (!asp_h5_has(&result->file, paths[3])) // cut off
    return ASP_OK;
  AspError error = ASP_OK;
  for (int k = 0; k < 4; k++)
    ASP_CHECK(asp_result_texts_read(result, paths[k], &texts[k].count, &texts[k].bytes, &texts[k].all));
  for (int i = 0; i < texts[0].count && good; i++) {
    double values[4];
    for (int k = 0; k < 4; k++)
      ASP_CHECK(asp_result_rows(result, columns[k], i, 1, 1, &values[k]));
    good = isnan(values[1]) || add_measure(list, texts, values, i);
  }
  if (!good)
    error = asp_fail(context, ASP_ERROR_MEMORY, "out of memory");
done:
  for (int k = 0; k < 4; k++)
    asp_release(context, texts[k].all);
  return error;
}

AspError asp_view_pack_resolution(ViewPacker *packer) {
  Unresolved unresolved = {.count = 0};
  AspContext *context = packer->result->file.context;
  AspArena scratch;
  if (!asp_h5_has(&packer->result->file, asp_result_step_columns[STEP_RESOLVED].path))
    return ASP_OK;
  asp_arena_init(&scratch, context);
  AspError error = read_steps(packer->result, &scratch, &unresolved);
  asp_arena_free(&scratch);
  ASP_TRY(error);
  int listed = unresolved.count < TIMES_MAX ? (int)unresolved.count : TIMES_MAX;
  cJSON *words = cJSON_AddObjectToObject(packer->header, "resolution");
  cJSON *list = words ? cJSON_AddArrayToObject(words, "measures") : NULL;
  if (!list || !cJSON_AddNumberToObject(words, "unresolved", (double)unresolved.count) ||
      !cJSON_AddItemToObject(words, "unresolvedTimes", cJSON_CreateDoubleArray(unresolved.time, listed)))
    return asp_fail(context, ASP_ERROR_MEMORY, "out of memory");
  return add_measures(packer, list);
}
