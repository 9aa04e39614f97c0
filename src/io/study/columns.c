/* A study from outside: its points and the columns of its table. */
#include "io/study/study.h"

#include <math.h>

const char *asp_study_name(const AspStudy *study) { return study->name; }
const char *asp_study_scene(const AspStudy *study) { return study->scene_path; }
int64_t asp_study_point_count(const AspStudy *study) { return study->points; }

const char *asp_study_column_name(AspStudyColumn kind) {
  static const char *const names[] = {"parameter", "found", "output", "run"};
  return ASP_NAME_OF(names, kind);
}
const char *asp_row_state_name(AspRowState state) {
  static const char *const names[] = {"open", "done", "missed", "failed"};
  return ASP_NAME_OF(names, state);
}

/* The kind of a column, and its number among those of its kind. */
static AspStudyColumn locate(const AspStudy *study, int column, int *index) {
  int found = study->search.method == SEARCH_NONE ? 0 : 4;
  *index = column;
  if (*index < study->parameter_count)
    return ASP_STUDY_PARAMETER;
  *index -= study->parameter_count;
  if (*index < found)
    return ASP_STUDY_FOUND;
  *index -= found;
  if (*index < study->output_count)
    return ASP_STUDY_OUTPUT;
  *index -= study->output_count;
  return ASP_STUDY_RUN;
}

int asp_study_column_count(const AspStudy *study) {
  return study->parameter_count + (study->search.method == SEARCH_NONE ? 0 : 4) + study->output_count + 3;
}

AspStudyColumn asp_study_column_kind(const AspStudy *study, int column) {
  int index = 0;
  return locate(study, column, &index);
}

const char *asp_study_column_title(const AspStudy *study, int column) {
  static const char *const of_run[] = {"steps", "time", "wall_s"};
  int index = 0;
  switch (locate(study, column, &index)) {
  case ASP_STUDY_PARAMETER:
    return study->parameter[index].name;
  case ASP_STUDY_FOUND:
    return study->search.title[index];
  case ASP_STUDY_OUTPUT:
    return study->output[index].name;
  case ASP_STUDY_RUN:
    break;
  }
  return of_run[index];
}

const char *asp_study_column_unit(const AspStudy *study, int column) {
  static const char *const of_run[] = {"", "s", "s"};
  int index = 0;
  switch (locate(study, column, &index)) {
  case ASP_STUDY_PARAMETER:
    return study->parameter[index].unit;
  case ASP_STUDY_FOUND:
    return index < 3 ? study->search.unit : "";
  case ASP_STUDY_OUTPUT:
    return study->output[index].unit;
  case ASP_STUDY_RUN:
    break;
  }
  return of_run[index];
}

double asp_study_parameter(const AspStudy *study, int64_t point, int column) {
  int index = 0;
  return locate(study, column, &index) == ASP_STUDY_PARAMETER ? asp_study_value(study, point, index) : NAN;
}
