/* Numbers for the viewer as compact bytes (see stream.h). */
#include "io/view/stream.h"

#include <math.h>
#include <zlib.h>

#define MAGIC       "ASPVIEW2"
#define MAGIC_BYTES 8

static const struct {
  const char *name;
  size_t bytes;
} types[] = {[VIEW_BYTE] = {"u8", 1},
             [VIEW_HALF] = {"f16", 2},
             [VIEW_INT] = {"i32", 4},
             [VIEW_FLOAT] = {"f32", 4},
             [VIEW_REAL] = {"f64", 8}};

uint16_t asp_view_half(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  if (isnan(value))
    return 0x7e00;
  if (size == 0)
    return sign;
  int exponent = 0;
  frexp(size, &exponent); // size = f 2^exponent with f in [1/2, 1)
  if (exponent < -13)     // below 2^-14: steps of 2^-24
    return (uint16_t)(sign + (uint16_t)lround(ldexp(size, 24)));
  // 1024 to 2048 steps in every octave; rounding up to 2048 carries into the exponent, as it should
  long steps = lround(ldexp(size, 11 - exponent)), half = ((long)exponent + 13) * 1024 + steps;
  return (uint16_t)(sign + (half > 0x7c00 ? 0x7c00 : half));
}

static uint32_t zigzag(uint32_t x) { return (x << 1) ^ (0U - (x >> 31)); }

/* What the k-th order extrapolation misses, as zigzag; all differences modulo 2^32. */
static uint32_t missed(const int32_t *values, size_t row, size_t width, size_t column, int order) {
  const int32_t *at = values + row * width + column;
  uint32_t now = (uint32_t)*at, before = row > 0 ? (uint32_t) * (at - width) : 0,
           earlier = row > 1 ? (uint32_t) * (at - 2 * width) : before;
  if (order == 0)
    return zigzag(now);
  if (order == 1 || row < 2)
    return zigzag(now - before);
  return zigzag(now - (2 * before - earlier));
}

/* Rows first to first + rows: plane b holds byte b of every number; little-endian whatever the machine is. */
static void split(ViewType type, size_t first, size_t rows, size_t width, int order, const void *values,
                  unsigned char *planes) {
  size_t count = rows * width, bytes = types[type].bytes;
  for (size_t n = 0; n < count; n++) {
    size_t i = first * width + n;
    uint64_t word = 0;
    if (type == VIEW_INT) {
      word = missed(values, i / width, width, i % width, order);
    } else if (type == VIEW_BYTE) {
      word = ((const uint8_t *)values)[i];
    } else if (type == VIEW_HALF) {
      word = ((const uint16_t *)values)[i];
    } else if (type == VIEW_FLOAT) {
      uint32_t bits;
      memcpy(&bits, (const float *)values + i, sizeof bits);
      word = bits;
    } else {
      memcpy(&word, (const double *)values + i, sizeof word);
    }
    for (size_t b = 0; b < bytes; b++)
      planes[b * count + n] = (unsigned char)(word >> (8 * b));
  }
}

/* Deflated into the end of the block, which grows. */
static AspError squeeze(AspContext *context, const unsigned char *from, size_t count, unsigned char **bytes,
                        size_t *length, size_t *capacity) {
  uLong bound = compressBound((uLong)count);
  ASP_TRY(ASP_GROW(context, *bytes, *capacity, *length + bound));
  uLongf used = bound;
  if (compress2(*bytes + *length, &used, from, (uLong)count, 6) != Z_OK)
    return asp_fail(context, ASP_ERROR_MEMORY, "out of memory while deflating %zu bytes", count);
  *length += used;
  return ASP_OK;
}

static bool describe(ViewStream *stream, const char *name, ViewType type, size_t first, size_t rows, size_t width,
                     int order, double scale, size_t start) {
  cJSON *entry = cJSON_CreateObject();
  if (!entry || !cJSON_AddItemToArray(stream->sections, entry)) {
    cJSON_Delete(entry);
    return false;
  }
  return cJSON_AddStringToObject(entry, "name", name) && cJSON_AddStringToObject(entry, "type", types[type].name) &&
         cJSON_AddNumberToObject(entry, "first", (double)first) &&
         cJSON_AddNumberToObject(entry, "rows", (double)rows) &&
         cJSON_AddNumberToObject(entry, "width", (double)width) && cJSON_AddNumberToObject(entry, "order", order) &&
         cJSON_AddNumberToObject(entry, "scale", scale) && cJSON_AddNumberToObject(entry, "start", (double)start) &&
         cJSON_AddNumberToObject(entry, "bytes", (double)(stream->length - start));
}

AspError asp_view_add_part(ViewStream *stream, const char *name, ViewType type, size_t first, size_t rows, size_t width,
                           int order, double scale, const void *values) {
  size_t bytes = rows * width * types[type].bytes, start = stream->length;
  unsigned char *planes = asp_allocate(stream->context, bytes + 1, 1);
  if (!planes)
    return ASP_ERROR_MEMORY;
  split(type, first, rows, width, order, values, planes);
  AspError error = squeeze(stream->context, planes, bytes, &stream->bytes, &stream->length, &stream->capacity);
  asp_release(stream->context, planes);
  ASP_TRY(error);
  return describe(stream, name, type, first, rows, width, order, scale, start)
             ? ASP_OK
             : asp_fail(stream->context, ASP_ERROR_MEMORY, "out of memory");
}

AspError asp_view_add(ViewStream *stream, const char *name, ViewType type, size_t rows, size_t width, int order,
                      double scale, const void *values) {
  return asp_view_add_part(stream, name, type, 0, rows, width, order, scale, values);
}

static void put_u32(unsigned char *at, size_t value) {
  for (int b = 0; b < 4; b++)
    at[b] = (unsigned char)(value >> (8 * b));
}

static const char *name_of(const cJSON *entry) { return cJSON_GetObjectItemCaseSensitive(entry, "name")->valuestring; }

/* Sections were added one by one; their bytes go part by part, the first ones of all before any second one. */
static void lay_out(const ViewStream *stream, unsigned char *bytes) {
  size_t length = 0;
  for (int part = 0; length < stream->length; part++) {
    int number = 0; // of the entry among the parts of its section
    for (cJSON *entry = stream->sections->child, *before = NULL; entry; before = entry, entry = entry->next) {
      number = before && strcmp(name_of(before), name_of(entry)) == 0 ? number + 1 : 0;
      if (number != part)
        continue;
      cJSON *start = cJSON_GetObjectItemCaseSensitive(entry, "start");
      size_t count = (size_t)cJSON_GetObjectItemCaseSensitive(entry, "bytes")->valuedouble;
      memcpy(bytes + length, stream->bytes + (size_t)start->valuedouble, count);
      cJSON_SetNumberValue(start, (double)length);
      length += count;
    }
  }
}

static AspError join(AspContext *context, const cJSON *header, const unsigned char *sections, size_t count,
                     unsigned char **bytes, size_t *length) {
  char *text = cJSON_PrintUnformatted(header);
  if (!text)
    return asp_fail(context, ASP_ERROR_MEMORY, "out of memory");
  enum { HEAD = MAGIC_BYTES + 8 };
  size_t capacity = 0, plain = strlen(text);
  *bytes = NULL;
  *length = HEAD;
  AspError error = ASP_GROW(context, *bytes, capacity, HEAD);
  if (error == ASP_OK)
    error = squeeze(context, (const unsigned char *)text, plain, bytes, length, &capacity);
  cJSON_free(text);
  if (error == ASP_OK) {
    memcpy(*bytes, MAGIC, MAGIC_BYTES);
    put_u32(*bytes + MAGIC_BYTES, plain);
    put_u32(*bytes + MAGIC_BYTES + 4, *length - HEAD);
    error = ASP_GROW(context, *bytes, capacity, *length + count);
  }
  if (error == ASP_OK) {
    if (count)
      memcpy(*bytes + *length, sections, count);
    *length += count;
    return ASP_OK;
  }
  asp_release(context, *bytes);
  *bytes = NULL;
  return error;
}

AspError asp_view_join(const ViewStream *stream, const cJSON *header, unsigned char **bytes, size_t *length) {
  AspContext *context = stream->context;
  unsigned char *sections = asp_allocate(context, stream->length + 1, 1);
  if (!sections)
    return ASP_ERROR_MEMORY;
  lay_out(stream, sections);
  AspError error = join(context, header, sections, stream->length, bytes, length);
  asp_release(context, sections);
  return error;
}
