/* Reading a result file, whole or cut short by a crash: only rows that were committed are seen. Depends
 * on the layout. */
#ifndef ASP_IO_RESULT_READ_H
#define ASP_IO_RESULT_READ_H

#include "io/result/layout.h"

typedef struct ResultFile {
  AspH5File file;
  ResultCommitted committed;
  int dimension, bodies;
  char *name;       /* of the scene */
  char *body_names; /* bodies texts of body_name_bytes each, zero-terminated */
  size_t body_name_bytes;
  bool *recorded; /* per body: its motion is in the frames; NULL: all */
  int *place;     /* per body: among the recorded ones */
  int recorded_count;
  double *initial_q; /* of all bodies, where `recorded` */
} ResultFile;

/* True when the open HDF5 file says that it is a result. */
bool asp_result_recognise(const AspH5File *file);
/* ASP_ERROR_INPUT names what is missing or does not fit. */
AspError asp_result_open(AspContext *context, const char *path, ResultFile *result);
/* Safe on a zeroed struct. */
void asp_result_shut(ResultFile *result);

/* False: its motion was left out (scene key `output_bodies`), rows give its initial place. */
bool asp_result_is_recorded(const ResultFile *result, int body);
const char *asp_result_body_name(const ResultFile *result, int body);
/* Values per body in q and in v. */
int asp_result_q_width(const ResultFile *result);
int asp_result_v_width(const ResultFile *result);

/* Rows first .. first + count - 1 of a column as doubles, count * width values; the column must have that width. */
AspError asp_result_rows(const ResultFile *result, const char *path, int64_t first, int64_t count, size_t width,
                         double *values);

/* Number of rows of a column whatever was committed; the file really stores them. */
AspError asp_result_row_count(const ResultFile *result, const char *path, int64_t *rows);
/* An array of texts: how many, their room in bytes with the zero, and the texts, which the caller releases. */
AspError asp_result_texts_read(const ResultFile *result, const char *path, int *count, size_t *bytes, char **texts);
/* An option of the run as text ("dt": "0.01 s"), gravity in m/s^2, the program's version; false: the
 * file does not say. */
bool asp_result_option(const ResultFile *result, const char *key, char *text, size_t size);
bool asp_result_gravity(const ResultFile *result, double gravity[3]);
bool asp_result_version(const ResultFile *result, char *text, size_t size);
/* Where the first state comes from, where that is another result; the stop condition that ended the run. */
bool asp_result_from(const ResultFile *result, char *text, size_t size);
bool asp_result_stop(const ResultFile *result, char *text, size_t size);

/* The length of the step that ends at each of these frames (times in order, the first is the initial state: 0), s. */
AspError asp_result_step_lengths(const ResultFile *result, AspArena *scratch, const double *time, int64_t frames,
                                 double *dt);

#endif
