/* JSON writer: see json.h. */
#include "json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static void open_level(Json *json, char opening, char closing) {
  assert(json->depth < JSON_DEPTH_MAX);
  fputc(opening, json->stream);
  json->closing[json->depth] = closing;
  json->has_member[json->depth] = false;
  json->depth++;
}

/* Length of the UTF-8 sequence at `text` (1 to 4); 0 when it is not one (overlong forms and surrogates included). */
static int sequence_length(const unsigned char *text) {
  unsigned char lead = text[0];
  if (lead < 0x80)
    return 1;
  int length = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (lead > 0xF4 || length == 0)
    return 0;
  for (int i = 1; i < length; i++)
    if ((text[i] & 0xC0) != 0x80)
      return 0;
  bool overlong = (lead == 0xE0 && text[1] < 0xA0) || (lead == 0xF0 && text[1] < 0x90);
  bool out_of_range = (lead == 0xED && text[1] >= 0xA0) || (lead == 0xF4 && text[1] >= 0x90);
  return overlong || out_of_range ? 0 : length;
}

static void write_quoted(FILE *stream, const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  fputc('"', stream);
  while (*at) {
    int length = sequence_length(at);
    if (length == 0)
      fputs("\\ufffd", stream);
    else if (*at == '"' || *at == '\\')
      fprintf(stream, "\\%c", *at);
    else if (*at < 0x20 || *at == 0x7F)
      fprintf(stream, "\\u%04x", *at);
    else
      fwrite(at, 1, (size_t)length, stream);
    at += length ? length : 1;
  }
  fputc('"', stream);
}

static void begin_member(Json *json, const char *key) {
  int level = json->depth - 1;
  assert(level >= 0 && (key != NULL) == (json->closing[level] == '}'));
  if (json->has_member[level])
    fputs(", ", json->stream);
  json->has_member[level] = true;
  if (key) {
    write_quoted(json->stream, key);
    fputs(": ", json->stream);
  }
}

static void write_number(FILE *stream, double value) {
  if (!isfinite(value)) {
    fputs("null", stream);
    return;
  }
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  fputs(text, stream);
}

Json json_start(FILE *stream) {
  Json json = {.stream = stream};
  open_level(&json, '{', '}');
  return json;
}

void json_object(Json *json, const char *key) {
  begin_member(json, key);
  open_level(json, '{', '}');
}

void json_array(Json *json, const char *key) {
  begin_member(json, key);
  open_level(json, '[', ']');
}

void json_end(Json *json) {
  assert(json->depth > 0);
  json->depth--;
  fputc(json->closing[json->depth], json->stream);
}

void json_number(Json *json, const char *key, double value) {
  begin_member(json, key);
  write_number(json->stream, value);
}

void json_integer(Json *json, const char *key, int64_t value) {
  begin_member(json, key);
  fprintf(json->stream, "%lld", (long long)value);
}

void json_flag(Json *json, const char *key, bool value) {
  begin_member(json, key);
  fputs(value ? "true" : "false", json->stream);
}

void json_null(Json *json, const char *key) {
  begin_member(json, key);
  fputs("null", json->stream);
}

void json_text(Json *json, const char *key, const char *text) {
  if (!text) {
    json_null(json, key);
    return;
  }
  begin_member(json, key);
  write_quoted(json->stream, text);
}

void json_numbers(Json *json, const char *key, const double *values, int count) {
  json_array(json, key);
  for (int i = 0; i < count; i++)
    json_number(json, NULL, values[i]);
  json_end(json);
}

void json_finish(Json *json) {
  assert(json->depth == 1);
  json_end(json);
  fputc('\n', json->stream);
}
