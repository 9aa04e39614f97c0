/* The bytes that the viewer reads: a JSON header and numbered sections of numbers, each predicted, split into planes of
 * bytes and deflated. docs/reference/view-data.md describes them for other readers. Depends on base, cJSON and zlib.
 *
 *   "ASPVIEW2" | u32 header bytes | u32 deflated header bytes | deflated header | sections
 *
 * Section, integers of order k: every column is replaced by what its value differs from the k-th order extrapolation of
 * the rows before (1: the row before, 2: twice the row before less the one before that), modulo 2^32, as zigzag; then
 * all lowest bytes, all second bytes and so on; then zlib. Reals are stored as they are, split into planes in the same
 * way. A section may come in parts, some of its rows each; rows are predicted from those of the part before.
 */
#ifndef ASP_IO_VIEW_STREAM_H
#define ASP_IO_VIEW_STREAM_H

#include "base/base.h"

#include <cjson/cJSON.h>

typedef enum ViewType { VIEW_BYTE, VIEW_HALF, VIEW_INT, VIEW_FLOAT, VIEW_REAL } ViewType;

typedef struct ViewStream {
  AspContext *context;
  cJSON *sections; /* array, grows with every section; belongs to the header */
  unsigned char *bytes;
  size_t length, capacity;
} ViewStream;

/* rows x width values: uint8_t, uint16_t (half floats), int32_t, float, double. `order` is for integers; `scale` times
 * a stored number is the value. */
AspError asp_view_add(ViewStream *stream, const char *name, ViewType type, size_t rows, size_t width, int order,
                      double scale, const void *values);

/* Rows first to first + rows of such values, of which all are given: one part of a section. */
AspError asp_view_add_part(ViewStream *stream, const char *name, ViewType type, size_t first, size_t rows, size_t width,
                           int order, double scale, const void *values);

/* Header and sections in one block, which the caller releases. */
AspError asp_view_join(const ViewStream *stream, const cJSON *header, unsigned char **bytes, size_t *length);

/* IEEE half float, rounded to nearest; beyond its range infinite. */
uint16_t asp_view_half(double value);

#endif
