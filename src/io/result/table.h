/* Tables of an HDF5 file that grow row by row and can be read after a crash. A table is a set of columns of equal
 * length, each a dataset of its own with any number of values per row.
 *
 * The file is changed in two ways only. Rows go into space that the file already has: `write` puts them there. When the
 * space is full, `grow` adds a block of rows to every column at once. Between growths no structure of the file changes,
 * so writing rows at any moment leaves the bytes of the finished file the same, and a program that dies between two
 * growths leaves a sound file behind; one that dies during a growth, a file that is put back (hdf5_driver.h). Space not
 * yet written holds NaN and zeros; how many rows count is for the owner to record. Depends on base and HDF5.
 */
#ifndef ASP_IO_RESULT_TABLE_H
#define ASP_IO_RESULT_TABLE_H

#include "io/file/hdf5_data.h"

typedef enum ResultType { RESULT_REAL, RESULT_SINGLE, RESULT_INT, RESULT_LONG, RESULT_WORD, RESULT_BYTE } ResultType;

/* What a dataset is: where it lies, what a row holds. */
typedef struct ResultColumn {
  const char *path; /* "/frames/q" */
  const char *unit; /* "" for pure numbers */
  const char *text; /* one line; stored in the file */
  ResultType type;  /* double, double (stored in 4 bytes), int32_t, int64_t, uint32_t, uint8_t */
  int rank;         /* 0: one value per row */
  hsize_t shape[2]; /* of a row */
} ResultColumn;

typedef struct ResultSlot {
  ResultColumn column;
  hid_t dataset; /* 0: left out, its rows are empty */
  size_t row_bytes;
  unsigned char *rows; /* `block` rows not yet written */
} ResultSlot;

typedef struct ResultTable {
  const AspH5File *file;
  int count;
  ResultSlot *slot;
  hsize_t rows;    /* added so far */
  hsize_t written; /* of them in the file */
  hsize_t room;    /* rows the file has space for */
  hsize_t block;   /* rows per growth, per chunk and in memory */
} ResultTable;

/* Grows by `block` rows at a time, less where a row is large. A column whose rows are empty (no joints) is not made;
 * its rows can be filled all the same. */
AspError asp_table_create(const AspH5File *file, const ResultColumn *columns, int count, int block, ResultTable *table);
/* The same table of a file that has it, to go on behind its first `rows` rows. ASP_ERROR_INPUT: it has fewer, or
 * others. */
AspError asp_table_open(const AspH5File *file, const ResultColumn *columns, int count, int block, hsize_t rows,
                        ResultTable *table);
/* Frees memory and closes the datasets. Safe on a zeroed table. */
void asp_table_close(ResultTable *table);

/* Make room for one more row where there is none. *grown is set when the file changed. */
AspError asp_table_reserve(ResultTable *table, bool *grown);
/* The place of the next row in a column, to be filled; after all columns, asp_table_next. */
void *asp_table_row(ResultTable *table, int column);
void asp_table_next(ResultTable *table);
/* All rows so far into the file's space. */
AspError asp_table_write(ResultTable *table);
/* Give back the space that no row needed. */
AspError asp_table_trim(ResultTable *table);

/* ---- datasets of fixed size and attributes ---- */

size_t asp_result_row_bytes(const ResultColumn *column);

/* ASP_ERROR_STORAGE with HDF5's innermost reason ("No space left on device"). */
AspError asp_result_fail(const AspH5File *file, const char *path);

/* Have the disk give room for `bytes` more and the structure around them, before HDF5 needs it: a full disk shows here,
 * while the file is sound and can still be closed. (HDF5 1.10 cannot close a file whose last writes failed.) */
AspError asp_result_reserve(const AspH5File *file, size_t bytes);
/* Give back what HDF5 did not need, before the file is closed. */
void asp_result_release(const AspH5File *file);

/* rows x shape of the column; values in memory as the type says. */
AspError asp_result_array(const AspH5File *file, const ResultColumn *column, hsize_t rows, const void *values);
/* An array of texts, stored with fixed length; text(user, i) gives the i-th. */
AspError asp_result_texts(const AspH5File *file, const char *path, const char *description, int rows,
                          const char *(*text)(const void *user, int index), const void *user);
/* One text of any length. */
AspError asp_result_text(const AspH5File *file, const char *path, const char *description, const char *text);
/* Attributes of the object at `path`. */
AspError asp_result_text_attribute(const AspH5File *file, const char *path, const char *name, const char *text);
AspError asp_result_number_attribute(const AspH5File *file, const char *path, const char *name, int count,
                                     const double *values);

#endif
