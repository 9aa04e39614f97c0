/* Asperity studies: one scene at many values of its parameters, described by a file (schema/study.schema.json,
 * docs/reference/study.md).
 *
 * A study has points, numbered from 0. Each is known by a key, a hash of everything that its row depends on: the scene,
 * the values of the parameters, outputs, search and options of the run. The rows lie in a folder, one file each, put
 * there whole and once (rows/KEY.json); a point with a row is done. Any number of processes on any number of machines
 * that share the folder may run points at the same time: a point is claimed by a lock that ends with its process.
 *
 * Threads and ownership: base.h.
 */
#ifndef ASPERITY_STUDY_H
#define ASPERITY_STUDY_H

#include "asperity/io.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AspStudy AspStudy;

/* Read a study and the scene it names, and check one against the other. Mistakes as asp_scene_read.
 * [one thread, yours: asp_study_destroy, yours: asp_mistakes_destroy] */
ASP_API AspError asp_study_read(AspContext *context, const char *path, AspStudy **study, AspMistakes *mistakes);
ASP_API void asp_study_destroy(AspStudy *study); /* [one thread, ends it] */
/* True when the file is JSON with the key `scene`, which only studies have. [one thread] */
ASP_API bool asp_study_recognise(AspContext *context, const char *path);
/* The JSON Schema (draft 2020-12) of studies. [one thread, yours: asp_text_destroy] */
ASP_API AspError asp_study_schema(AspContext *context, char **text);

ASP_API const char *asp_study_name(const AspStudy *study);    /* [many readers, lent] */
ASP_API const char *asp_study_scene(const AspStudy *study);   /* path of the scene [many readers, lent] */
ASP_API int64_t asp_study_point_count(const AspStudy *study); /* [many readers] */
/* The key of a point: 16 hexadecimal digits and a zero. [many readers] */
ASP_API void asp_study_key(const AspStudy *study, int64_t point, char key[17]);

/* What a column of the table of rows holds. */
typedef enum AspStudyColumn {
  ASP_STUDY_PARAMETER, /* given by the study */
  ASP_STUDY_FOUND,     /* by the search: the value, the ends of its bracket, the number of runs */
  ASP_STUDY_OUTPUT,
  ASP_STUDY_RUN /* steps, time reached, seconds taken */
} AspStudyColumn;
ASP_API const char *asp_study_column_name(AspStudyColumn kind); /* [any thread, lent] */

/* Columns of every row, in this order of kinds. [many readers] */
ASP_API int asp_study_column_count(const AspStudy *study);
ASP_API const char *asp_study_column_title(const AspStudy *study, int column);   /* [many readers, lent] */
ASP_API const char *asp_study_column_unit(const AspStudy *study, int column);    /* [many readers, lent] */
ASP_API AspStudyColumn asp_study_column_kind(const AspStudy *study, int column); /* [many readers] */
/* The value of a column of kind ASP_STUDY_PARAMETER, known before the point is run; else NaN. [many readers] */
ASP_API double asp_study_parameter(const AspStudy *study, int64_t point, int column);

/* ---- rows in a folder ---- */

typedef enum AspRowState {
  ASP_ROW_OPEN,   /* no row yet */
  ASP_ROW_DONE,   /* run to the end, certified and resolved */
  ASP_ROW_MISSED, /* the same, but something missed its tolerance */
  ASP_ROW_FAILED  /* no outputs: the message says why */
} AspRowState;
ASP_API const char *asp_row_state_name(AspRowState state); /* [any thread, lent] */

typedef struct AspStudyRow {
  AspRowState state;
  int exit_code; /* as of the program: 0 done, 1 missed, 2 input, 3 internal, 128 + signal */
  char *message; /* "" where there is nothing to say */
  char *result;  /* result file below the folder; "" for none */
  double *value; /* column_count; NaN where not known */
} AspStudyRow;
ASP_API void asp_study_row_destroy(AspContext *context, AspStudyRow *row); /* [one thread, ends it] */

/* Make the folder and write plan.csv, a line for every point: number from 1 on, key, parameters; and study.json, a copy
 * of the file. [one thread] */
ASP_API AspError asp_study_plan(const AspStudy *study, const char *folder);

/* Run a point and put its row into the folder, unless it has one or another process is at it: *taken is false then.
 * What goes wrong in the run is a row; what goes wrong with the folder, and an interruption (asp_context_set_stop), is
 * an error, and the point stays open. [one thread] */
ASP_API AspError asp_study_run_point(const AspStudy *study, const char *folder, int64_t point, bool *taken);
/* A row for a point whose process died. *taken as above. [one thread] */
ASP_API AspError asp_study_fail_point(const AspStudy *study, const char *folder, int64_t point, int exit_code,
                                      const char *message, bool *taken);
/* Take the rows of failed points away, so that they are open again; *count: how many. [one thread] */
ASP_API AspError asp_study_reopen(const AspStudy *study, const char *folder, int64_t *count);

/* The row of a point. [one thread, yours: asp_study_row_destroy] */
ASP_API AspError asp_study_row(const AspStudy *study, const char *folder, int64_t point, AspStudyRow *row);
/* How many points are in each state, indexed by AspRowState. [one thread] */
ASP_API AspError asp_study_count(const AspStudy *study, const char *folder, int64_t count[4]);

/* All rows so far as rows.csv and rows.h5 in the folder. [one thread] */
ASP_API AspError asp_study_collect(const AspStudy *study, const char *folder);
/* index.html in the folder: table, plots, and links to the reports (results/KEY.html) that are there. [one thread] */
ASP_API AspError asp_study_page(const AspStudy *study, const char *folder);

#ifdef __cplusplus
}
#endif
#endif
