/* The folder of a study: claims on points, and their rows.
 *
 * A claim is a lock on one byte of the file `claims`, at the place that the point's key gives. Locks end with their
 * process however it ends, and NFS knows them. Where a file system has none, points are run without: two processes may
 * then do the same work, but a row is put in place by link(2), which succeeds once (under the lock by rename).
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "io/study/study.h"

#include "io/file/json.h"
#include "io/file/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef F_OFD_SETLK
#define SET_LOCK F_OFD_SETLK /* of the open file: threads of one process exclude each other, too */
#else
#define SET_LOCK F_SETLK
#endif
#define PLACE_BITS 62

/* ---- paths ---- */

char *asp_study_path(const AspStudy *study, const char *folder, const char *format, ...) {
  char name[128];
  va_list values;
  va_start(values, format);
  vsnprintf(name, sizeof name, format, values);
  va_end(values);
  size_t room = strlen(folder) + strlen(name) + 2;
  char *path = asp_allocate(study->context, room, 1);
  if (path)
    snprintf(path, room, "%s/%s", folder, name);
  return path;
}

static AspError make_folder(const AspStudy *study, const char *folder, const char *name) {
  char *path = *name ? asp_study_path(study, folder, "%s", name) : asp_copy_text(study->context, folder);
  if (!path)
    return ASP_ERROR_MEMORY;
  struct stat status;
  AspError error = ASP_OK;
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
    error = asp_fail(study->context, asp_file_error(errno), "%s: the folder cannot be made: %s", path, strerror(errno));
  else if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
    error = asp_fail(study->context, ASP_ERROR_FILE, "%s: not a folder; give another one with --out", path);
  asp_release(study->context, path);
  return error;
}

static AspError make_folders(const AspStudy *study, const char *folder) {
  ASP_TRY(make_folder(study, folder, ""));
  ASP_TRY(make_folder(study, folder, "rows"));
  return study->keep_results ? make_folder(study, folder, "results") : ASP_OK;
}

/* ---- claims ---- */

typedef struct Claim {
  int file;    /* -1: no lock could be made */
  bool locked; /* false with file < 0: go on without */
} Claim;

/* False: another process is at the point. */
static bool claim_point(const AspStudy *study, const char *folder, uint64_t key, Claim *claim) {
  *claim = (Claim){.file = -1};
  char *path = asp_study_path(study, folder, "claims");
  if (path)
    claim->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  asp_release(study->context, path);
  if (claim->file < 0)
    return true;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  lock.l_start = (off_t)(key & ((UINT64_C(1) << PLACE_BITS) - 1));
  claim->locked = fcntl(claim->file, SET_LOCK, &lock) == 0;
  if (claim->locked)
    return true;
  bool taken = errno == EAGAIN || errno == EACCES;
  close(claim->file);
  claim->file = -1;
  return !taken;
}

static void release_claim(Claim *claim) {
  if (claim->file >= 0)
    close(claim->file);
}

/* ---- rows ---- */

static uint64_t key_of(const AspStudy *study, int64_t point) {
  uint64_t hash = study->hash;
  for (int i = 0; i < study->parameter_count; i++) {
    double value = asp_study_value(study, point, i);
    hash = asp_hash_bytes(hash, study->parameter[i].name, strlen(study->parameter[i].name) + 1);
    hash = asp_hash_bytes(hash, &value, sizeof value);
  }
  return hash;
}

void asp_study_key(const AspStudy *study, int64_t point, char key[17]) {
  snprintf(key, 17, "%016llx", (unsigned long long)key_of(study, point));
}

static bool exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0;
}

/* Text into a file beside its place, on the disk, then put in place. `alone`: under a lock, what another process left
 * there when it died is written over. *taken: false where a row was there. */
static AspError publish(const AspStudy *study, const char *path, bool alone, const char *text, bool *taken) {
  size_t room = strlen(path) + 40;
  char *partial = asp_allocate(study->context, room, 1);
  if (!partial)
    return ASP_ERROR_MEMORY;
  if (alone)
    snprintf(partial, room, "%s.part", path);
  else
    snprintf(partial, room, "%s.%ld.part", path, (long)getpid());
  AspError error;
  FILE *file = asp_file_create(study->context, partial, &error);
  if (file) {
    fputs(text, file);
    bool safe = fflush(file) == 0 && fsync(fileno(file)) == 0;
    error = asp_file_finish(study->context, partial, file);
    if (error == ASP_OK && !safe)
      error = asp_fail(study->context, ASP_ERROR_STORAGE, "%s: cannot be written to its end", path);
  }
  if (error == ASP_OK) {
    // under the lock no other process places this row, and a rename leaves nothing behind whenever the process dies
    bool placed = !alone && link(partial, path) == 0, late = !alone && !placed && errno == EEXIST;
    *taken = !late;
    if (placed || late)
      unlink(partial);
    else if (rename(partial, path) != 0) // under the lock, or no links on this file system
      error = asp_fail(study->context, ASP_ERROR_STORAGE, "%s: %s", path, strerror(errno));
  } else {
    unlink(partial);
  }
  asp_release(study->context, partial);
  return error;
}

static void add_number(cJSON *parent, const char *key, double value) {
  if (isfinite(value))
    cJSON_AddNumberToObject(parent, key, value);
  else
    cJSON_AddNullToObject(parent, key);
}

/* The values of all columns, in their order. */
static double column_value(const AspStudy *study, int64_t point, int column, const StudyOutcome *outcome) {
  int i = column;
  if (i < study->parameter_count)
    return asp_study_value(study, point, i);
  i -= study->parameter_count;
  if (study->search.method != SEARCH_NONE && i < 4)
    return (const double[]){outcome->found, outcome->low, outcome->high, (double)outcome->runs}[i];
  i -= study->search.method == SEARCH_NONE ? 0 : 4;
  if (i < study->output_count)
    return outcome->exit_code <= 1 && outcome->output ? outcome->output[i] : NAN;
  return (const double[]){(double)outcome->summary.steps, outcome->summary.time,
                          outcome->wall}[i - study->output_count];
}

/* What happens under a claim: run the point, or note why it cannot be. */
typedef struct PointWork {
  int64_t point;
  char key[17];
  const char *folder, *row; /* path of the row */
  const char *message;      /* of a process that died; NULL: run */
  int exit_code;
  bool locked;
} PointWork;

static AspError write_row(const AspStudy *study, const PointWork *work, const StudyOutcome *outcome, bool result,
                          bool *taken) {
  cJSON *root = cJSON_CreateObject(), *values = NULL;
  AspRowState state = outcome->exit_code == 0   ? ASP_ROW_DONE
                      : outcome->exit_code == 1 ? ASP_ROW_MISSED
                                                : ASP_ROW_FAILED;
  char file[48] = "";
  if (result)
    snprintf(file, sizeof file, "results/%s.h5", work->key);
  cJSON_AddNumberToObject(root, "point", (double)(work->point + 1));
  cJSON_AddStringToObject(root, "key", work->key);
  cJSON_AddStringToObject(root, "state", asp_row_state_name(state));
  cJSON_AddNumberToObject(root, "exit_code", outcome->exit_code);
  cJSON_AddStringToObject(root, "message", outcome->message);
  cJSON_AddStringToObject(root, "result", file);
  cJSON_AddStringToObject(root, "version", asp_version());
  values = cJSON_AddObjectToObject(root, "values");
  for (int c = 0; c < asp_study_column_count(study); c++)
    add_number(values, asp_study_column_title(study, c), column_value(study, work->point, c, outcome));
  char *text = NULL;
  AspError error = values ? asp_json_print(study->context, root, &text) : ASP_ERROR_MEMORY;
  if (error == ASP_OK)
    error = publish(study, work->row, work->locked, text, taken);
  asp_release(study->context, text);
  cJSON_Delete(root);
  return error;
}

static AspError do_work(const AspStudy *study, const PointWork *work, bool *taken) {
  StudyOutcome outcome = {.exit_code = work->exit_code, .found = NAN, .low = NAN, .high = NAN};
  outcome.output = asp_allocate(study->context, (size_t)study->output_count + 1, sizeof *outcome.output);
  char *result = NULL;
  AspError error = outcome.output ? ASP_OK : ASP_ERROR_MEMORY;
  if (work->message) {
    snprintf(outcome.message, sizeof outcome.message, "%s", work->message);
    outcome.summary.time = outcome.wall = NAN;
  } else {
    if (error == ASP_OK && study->keep_results) {
      result = asp_study_path(study, work->folder, "results/%s.h5", work->key);
      error = result ? ASP_OK : ASP_ERROR_MEMORY;
    }
    if (error == ASP_OK)
      error = asp_study_find(study, work->point, result, &outcome);
  }
  if (error == ASP_OK)
    error = write_row(study, work, &outcome, result && exists(result), taken);
  asp_release(study->context, result);
  asp_release(study->context, outcome.output);
  return error;
}

static AspError with_claim(const AspStudy *study, PointWork *work, bool *taken) {
  *taken = false;
  ASP_TRY(make_folders(study, work->folder));
  asp_study_key(study, work->point, work->key);
  char *path = asp_study_path(study, work->folder, "rows/%s.json", work->key);
  if (!path)
    return ASP_ERROR_MEMORY;
  Claim claim = {.file = -1};
  AspError error = ASP_OK;
  work->row = path;
  // looked at again under the claim: another process may just have finished it
  if (!exists(path) && claim_point(study, work->folder, key_of(study, work->point), &claim)) {
    work->locked = claim.locked;
    if (!exists(path))
      error = do_work(study, work, taken);
    release_claim(&claim);
  }
  asp_release(study->context, path);
  return error;
}

static AspError check_point(const AspStudy *study, int64_t point) {
  if (point >= 0 && point < study->points)
    return ASP_OK;
  return asp_fail(study->context, ASP_ERROR_ARGUMENT, "the study has no point %lld; it has %lld",
                  (long long)(point + 1), (long long)study->points);
}

AspError asp_study_run_point(const AspStudy *study, const char *folder, int64_t point, bool *taken) {
  ASP_TRY(check_point(study, point));
  return with_claim(study, &(PointWork){.point = point, .folder = folder}, taken);
}

AspError asp_study_fail_point(const AspStudy *study, const char *folder, int64_t point, int exit_code,
                              const char *message, bool *taken) {
  ASP_TRY(check_point(study, point));
  return with_claim(study, &(PointWork){.point = point, .folder = folder, .exit_code = exit_code, .message = message},
                    taken);
}

/* ---- reading rows ---- */

void asp_study_row_destroy(AspContext *context, AspStudyRow *row) {
  if (!row)
    return;
  asp_release(context, row->message);
  asp_release(context, row->result);
  asp_release(context, row->value);
  *row = (AspStudyRow){0};
}

static const char *text_of(const cJSON *root, const char *key) {
  const cJSON *node = cJSON_GetObjectItemCaseSensitive(root, key);
  return cJSON_IsString(node) ? node->valuestring : "";
}

static AspError take_row(const AspStudy *study, const char *path, const cJSON *root, AspStudyRow *row) {
  const cJSON *values = cJSON_GetObjectItemCaseSensitive(root, "values"),
              *code = cJSON_GetObjectItemCaseSensitive(root, "exit_code");
  const char *state = text_of(root, "state");
  for (int s = ASP_ROW_DONE; s <= ASP_ROW_FAILED; s++)
    if (strcmp(asp_row_state_name((AspRowState)s), state) == 0)
      row->state = (AspRowState)s;
  if (row->state == ASP_ROW_OPEN || !cJSON_IsObject(values) || !cJSON_IsNumber(code))
    return asp_fail(study->context, ASP_ERROR_INPUT, "%s: not a row of a study; remove the file, and the point is run",
                    path);
  row->exit_code = code->valueint;
  row->message = asp_copy_text(study->context, text_of(root, "message"));
  row->result = asp_copy_text(study->context, text_of(root, "result"));
  for (int c = asp_study_column_count(study) - 1; c >= 0; c--) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(values, asp_study_column_title(study, c));
    if (cJSON_IsNumber(value))
      row->value[c] = value->valuedouble;
  }
  return row->message && row->result ? ASP_OK : ASP_ERROR_MEMORY;
}

AspError asp_study_row(const AspStudy *study, const char *folder, int64_t point, AspStudyRow *row) {
  AspContext *context = study->context;
  int columns = asp_study_column_count(study);
  char key[17], *text = NULL;
  size_t length = 0;
  *row = (AspStudyRow){0};
  ASP_TRY(check_point(study, point));
  asp_study_key(study, point, key);
  char *path = asp_study_path(study, folder, "rows/%s.json", key);
  row->value = asp_allocate(context, (size_t)columns + 1, sizeof *row->value);
  AspError error = path && row->value ? ASP_OK : ASP_ERROR_MEMORY;
  for (int c = 0; error == ASP_OK && c < columns; c++)
    row->value[c] = asp_study_parameter(study, point, c);
  if (error == ASP_OK && exists(path)) {
    cJSON *root = NULL;
    error = asp_text_file_read(context, path, &text, &length);
    if (error == ASP_OK)
      error = asp_json_parse(context, text, length, &root);
    if (error == ASP_OK)
      error = take_row(study, path, root, row);
    cJSON_Delete(root);
    asp_release(context, text);
  } else if (error == ASP_OK) {
    row->message = asp_copy_text(context, "");
    row->result = asp_copy_text(context, "");
    error = row->message && row->result ? ASP_OK : ASP_ERROR_MEMORY;
  }
  asp_release(context, path);
  if (error != ASP_OK)
    asp_study_row_destroy(context, row);
  return error;
}

AspError asp_study_count(const AspStudy *study, const char *folder, int64_t count[4]) {
  memset(count, 0, 4 * sizeof *count);
  for (int64_t point = 0; point < study->points; point++) {
    AspStudyRow row;
    ASP_TRY(asp_study_row(study, folder, point, &row));
    count[row.state]++;
    asp_study_row_destroy(study->context, &row);
  }
  return ASP_OK;
}

AspError asp_study_reopen(const AspStudy *study, const char *folder, int64_t *count) {
  *count = 0;
  for (int64_t point = 0; point < study->points; point++) {
    AspStudyRow row;
    char key[17];
    ASP_TRY(asp_study_row(study, folder, point, &row));
    bool failed = row.state == ASP_ROW_FAILED;
    asp_study_row_destroy(study->context, &row);
    if (!failed)
      continue;
    asp_study_key(study, point, key);
    char *path = asp_study_path(study, folder, "rows/%s.json", key);
    if (!path)
      return ASP_ERROR_MEMORY;
    *count += unlink(path) == 0;
    asp_release(study->context, path);
  }
  return ASP_OK;
}

/* ---- the plan ---- */

AspError asp_study_replace(const AspStudy *study, const char *folder, const char *name,
                           AspError (*write)(const AspStudy *study, const char *folder, FILE *file)) {
  char *path = asp_study_path(study, folder, "%s", name),
       *partial = asp_study_path(study, folder, "%s.%ld.part", name, (long)getpid());
  AspError error = path && partial ? ASP_OK : ASP_ERROR_MEMORY;
  FILE *file = error == ASP_OK ? asp_file_create(study->context, partial, &error) : NULL;
  if (file) {
    AspError written = write(study, folder, file);
    error = asp_file_finish(study->context, path, file);
    error = written == ASP_OK ? error : written;
    if (error == ASP_OK && rename(partial, path) != 0)
      error = asp_fail(study->context, ASP_ERROR_STORAGE, "%s: %s", path, strerror(errno));
    if (error != ASP_OK)
      unlink(partial);
  }
  asp_release(study->context, path);
  asp_release(study->context, partial);
  return error;
}

static AspError write_plan(const AspStudy *study, const char *folder, FILE *file) {
  (void)folder;
  fputs("point,key", file);
  for (int i = 0; i < study->parameter_count; i++)
    fprintf(file, ",%s", study->parameter[i].name);
  fputs("\n", file);
  for (int64_t point = 0; point < study->points; point++) {
    char key[17];
    asp_study_key(study, point, key);
    fprintf(file, "%lld,%s", (long long)(point + 1), key);
    for (int i = 0; i < study->parameter_count; i++)
      fprintf(file, ",%.17g", asp_study_value(study, point, i));
    fputs("\n", file);
  }
  return ASP_OK;
}

static AspError write_copy(const AspStudy *study, const char *folder, FILE *file) {
  (void)folder;
  fputs(study->text, file);
  return ASP_OK;
}

AspError asp_study_plan(const AspStudy *study, const char *folder) {
  ASP_TRY(make_folders(study, folder));
  ASP_TRY(asp_study_replace(study, folder, "plan.csv", write_plan));
  return asp_study_replace(study, folder, "study.json", write_copy);
}
