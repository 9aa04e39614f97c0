/* The page of a study: page.html with the table of rows as JSON in the place that it marks. The page is compiled into
 * the library by cmake/EmbedPage.cmake. In the JSON '<' is written \u003c, so that nothing in a
 * study can end the element it stands in. */
#include "io/study/study.h"

#include "io/study/study_page.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

static void write_text(FILE *file, const char *text) {
  fputc('"', file);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c < 0x20 || *c == '"' || *c == '\\' || *c == '<' || *c == 0x7F)
      fprintf(file, "\\u%04x", *c);
    else
      fputc(*c, file);
  fputc('"', file);
}

static void write_member(FILE *file, const char *key, const char *text) {
  fprintf(file, "\"%s\": ", key);
  write_text(file, text);
}

static void write_columns(FILE *file, const AspStudy *study) {
  fputs("\"columns\": [", file);
  for (int c = 0; c < asp_study_column_count(study); c++) {
    fputs(c ? ", {" : "{", file);
    write_member(file, "name", asp_study_column_title(study, c));
    fputs(", ", file);
    write_member(file, "unit", asp_study_column_unit(study, c));
    fputs(", ", file);
    write_member(file, "kind", asp_study_column_name(asp_study_column_kind(study, c)));
    int output = c - (asp_study_column_count(study) - 3 - study->output_count);
    if (output >= 0 && output < study->output_count) {
      fputs(", ", file);
      write_member(file, "expression", study->output[output].text);
    }
    fputs("}", file);
  }
  fputs("]", file);
}

/* How to run the point by hand. */
static void write_command(FILE *file, const AspStudy *study, int64_t point) {
  fputs("\"command\": \"asperity run", file);
  for (int i = 0; i < study->parameter_count; i++)
    if (study->parameter[i].field)
      fprintf(file, " --%s %.17g", study->parameter[i].field->flag ? study->parameter[i].field->flag : "?",
              asp_study_value(study, point, i));
    else
      fprintf(file, " --set %s=%.17g", study->parameter[i].name, asp_study_value(study, point, i));
  fputs("\"", file);
}

static AspError write_rows(FILE *file, const AspStudy *study, const char *folder) {
  int columns = asp_study_column_count(study);
  fputs("\"rows\": [", file);
  for (int64_t point = 0; point < asp_study_point_count(study); point++) {
    AspStudyRow row;
    char key[17];
    ASP_TRY(asp_study_row(study, folder, point, &row));
    asp_study_key(study, point, key);
    char *report = asp_study_path(study, folder, "results/%s.html", key);
    struct stat status;
    fprintf(file, "%s\n{\"point\": %lld, \"key\": \"%s\", \"state\": \"%s\", \"exit_code\": %d, ", point ? "," : "",
            (long long)(point + 1), key, asp_row_state_name(row.state), row.exit_code);
    write_member(file, "message", row.message);
    fputs(", ", file);
    write_member(file, "result", row.result);
    fprintf(file, ", \"report\": %s, ", report && stat(report, &status) == 0 ? "true" : "false");
    write_command(file, study, point);
    fputs(", \"values\": [", file);
    for (int c = 0; c < columns; c++)
      if (isfinite(row.value[c]))
        fprintf(file, "%s%.10g", c ? ", " : "", row.value[c]);
      else
        fputs(c ? ", null" : "null", file);
    fputs("]}", file);
    asp_release(study->context, report);
    asp_study_row_destroy(study->context, &row);
  }
  fputs("]", file);
  return ASP_OK;
}

static AspError write_page(const AspStudy *study, const char *folder, FILE *file) {
  const char *page = (const char *)study_page, *slot = strstr(page, ASP_PAGE_SLOT);
  if (!slot)
    return asp_fail(study->context, ASP_ERROR_INTERNAL, "the page of studies has no place for data");
  fwrite(page, 1, (size_t)(slot - page), file);
  fputs("<script type=\"application/json\" id=\"study\">{", file);
  write_member(file, "name", study->name);
  fputs(", ", file);
  write_member(file, "description", study->description);
  fputs(", ", file);
  write_member(file, "scene", study->scene_path);
  fputs(", ", file);
  write_columns(file, study);
  fputs(", ", file);
  AspError error = write_rows(file, study, folder);
  fputs("}</script>", file);
  fputs(slot + strlen(ASP_PAGE_SLOT), file);
  return error;
}

AspError asp_study_page(const AspStudy *study, const char *folder) {
  return asp_study_replace(study, folder, "index.html", write_page);
}
