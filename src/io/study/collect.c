/* The rows of a study as tables: rows.csv and rows.h5. */
#include "io/study/study.h"

#include "io/export/csv.h"
#include "io/result/table.h"

#include <math.h>
#include <stdio.h>

/* ---- CSV ---- */

static void write_number(FILE *csv, double value) {
  if (isnan(value))
    fputs(",", csv);
  else
    fprintf(csv, ",%.17g", value);
}

static AspError write_csv(const AspStudy *study, const char *folder, FILE *csv) {
  int columns = asp_study_column_count(study);
  fputs("point,key,state,exit_code", csv);
  for (int c = 0; c < columns; c++) {
    char ending[64] = "";
    if (*asp_study_column_unit(study, c))
      snprintf(ending, sizeof ending, "[%.50s]", asp_study_column_unit(study, c));
    if (*ending)
      asp_csv_title(csv, asp_study_column_title(study, c), ending);
    else
      asp_csv_text(csv, asp_study_column_title(study, c));
  }
  fputs(",result,message\n", csv);
  for (int64_t point = 0; point < asp_study_point_count(study); point++) {
    AspStudyRow row;
    char key[17];
    asp_study_key(study, point, key);
    ASP_TRY(asp_study_row(study, folder, point, &row));
    fprintf(csv, "%lld,%s,%s,", (long long)(point + 1), key, asp_row_state_name(row.state));
    if (row.state != ASP_ROW_OPEN)
      fprintf(csv, "%d", row.exit_code);
    for (int c = 0; c < columns; c++)
      write_number(csv, row.value[c]);
    asp_csv_text(csv, row.result);
    asp_csv_text(csv, row.message);
    fputs("\n", csv);
    asp_study_row_destroy(study->context, &row);
  }
  return ASP_OK;
}

/* ---- HDF5 ---- */

typedef struct Rows {
  const AspStudy *study;
  AspStudyRow *row; /* point_count */
} Rows;

static const char *key_text(const void *user, int index) {
  const Rows *rows = user;
  static _Thread_local char key[17];
  asp_study_key(rows->study, index, key);
  return key;
}
static const char *state_text(const void *user, int index) {
  return asp_row_state_name(((const Rows *)user)->row[index].state);
}
static const char *message_text(const void *user, int index) { return ((const Rows *)user)->row[index].message; }
static const char *result_text(const void *user, int index) { return ((const Rows *)user)->row[index].result; }

static AspError write_columns(const AspH5File *file, const Rows *rows) {
  const AspStudy *study = rows->study;
  int64_t points = asp_study_point_count(study);
  size_t room = (size_t)points + 1;
  double *values = asp_allocate(study->context, room, sizeof *values);
  int *codes = asp_allocate(study->context, room, sizeof *codes);
  AspError error = values && codes ? asp_h5_make_group(file, "/values") : ASP_ERROR_MEMORY;
  for (int c = 0; error == ASP_OK && c < asp_study_column_count(study); c++) {
    char path[300];
    snprintf(path, sizeof path, "/values/%.280s", asp_study_column_title(study, c));
    for (int64_t point = 0; point < points; point++)
      values[point] = rows->row[point].value[c];
    ResultColumn column = {.path = path,
                           .unit = asp_study_column_unit(study, c),
                           .text = asp_study_column_name(asp_study_column_kind(study, c)),
                           .type = RESULT_REAL};
    error = asp_result_array(file, &column, (hsize_t)points, values);
  }
  for (int64_t point = 0; error == ASP_OK && point < points; point++)
    codes[point] = rows->row[point].state == ASP_ROW_OPEN ? -1 : rows->row[point].exit_code;
  if (error == ASP_OK)
    error = asp_h5_write_integers(file, "/exit_code", (size_t)points, codes);
  asp_release(study->context, values);
  asp_release(study->context, codes);
  return error;
}

static AspError write_texts(const AspH5File *file, const Rows *rows) {
  int points = (int)asp_study_point_count(rows->study);
  ASP_TRY(asp_result_text(file, "/study", "the study's file", rows->study->text));
  ASP_TRY(asp_result_text(file, "/name", "name of the study", rows->study->name));
  ASP_TRY(asp_result_texts(file, "/key", "hash of all that the row depends on", points, key_text, rows));
  ASP_TRY(asp_result_texts(file, "/state", "open, done, missed or failed", points, state_text, rows));
  ASP_TRY(asp_result_texts(file, "/message", "what went wrong", points, message_text, rows));
  return asp_result_texts(file, "/result", "result file in the study's folder", points, result_text, rows);
}

static AspError write_h5(const AspStudy *study, const char *path, const Rows *rows) {
  AspH5File file = {0};
  ASP_TRY(asp_h5_create(study->context, path, &file));
  AspError error = write_columns(&file, rows);
  if (error == ASP_OK)
    error = write_texts(&file, rows);
  return asp_h5_finish(&file, error);
}

AspError asp_study_collect(const AspStudy *study, const char *folder) {
  ASP_TRY(asp_study_replace(study, folder, "rows.csv", write_csv));
  int64_t points = asp_study_point_count(study), read = 0;
  Rows rows = {study, asp_allocate(study->context, (size_t)points + 1, sizeof *rows.row)};
  char *path = asp_study_path(study, folder, "rows.h5");
  AspError error = rows.row && path ? ASP_OK : ASP_ERROR_MEMORY;
  while (error == ASP_OK && read < points) {
    error = asp_study_row(study, folder, read, &rows.row[read]);
    read += error == ASP_OK;
  }
  if (error == ASP_OK)
    error = write_h5(study, path, &rows);
  for (int64_t point = 0; point < read; point++)
    asp_study_row_destroy(study->context, &rows.row[point]);
  asp_release(study->context, rows.row);
  asp_release(study->context, path);
  return error;
}
