/* JSON, read strictly. cJSON builds the tree; before it does, a scanner goes over the text once and refuses what cJSON
 * would let pass (leading zeros, raw control characters, a zero inside a string, broken UTF-8) or would report without
 * a reason (NaN, comments, trailing commas, deep nesting), so that every mistake has a line, a column and a remedy.
 * Source of the grammar: RFC 8259.
 */
#include "io/file/json.h"

#include <stdio.h>
#include <stdlib.h>

/* scenes nest 6 levels; cJSON itself stops at 1000 */
#define MAX_DEPTH 64

typedef struct Scanner {
  AspContext *context;
  const unsigned char *text; /* text[length] = 0 */
  size_t length, at;
  int depth;
  char open[MAX_DEPTH]; /* '[' or '{' per level */
} Scanner;

/* Line and column (both from 1, the column in characters) of a byte offset. */
static AspError fail_at(const Scanner *scanner, size_t offset, const char *message) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < offset && i < scanner->length; i++) {
    if (scanner->text[i] == '\n') {
      line++;
      column = 1;
    } else if ((scanner->text[i] & 0xC0) != 0x80) {
      column++;
    }
  }
  return asp_fail(scanner->context, ASP_ERROR_INPUT, "line %zu, column %zu: %s", line, column, message);
}

/* Bytes of the UTF-8 character at s, 0 when it is not one (overlong forms, surrogates and codes above 10FFFF
 * included). */
static size_t utf8_bytes(const unsigned char *s, size_t left) {
  if (s[0] < 0x80)
    return 1;
  size_t bytes = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
  if (bytes == 0 || bytes > left)
    return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((s[i] & 0xC0) != 0x80)
      return 0;
  if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF0 && s[1] < 0x90) ||
      (s[0] == 0xF4 && s[1] > 0x8F))
    return 0;
  return bytes;
}

static bool is_hex(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* u0001 to u001f but for tab and line ends, u007f to u009f: terminals take these as commands. */
static bool is_control_escape(const unsigned char *u) {
  char digits[5] = {(char)u[1], (char)u[2], (char)u[3], (char)u[4], 0};
  long code = strtol(digits, NULL, 16);
  return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || (code >= 0x7F && code <= 0x9F);
}

/* The same characters written as such. */
static bool is_raw_control(const unsigned char *s) {
  return *s < 0x20 || *s == 0x7F || (s[0] == 0xC2 && s[1] >= 0x80 && s[1] <= 0x9F);
}

/* One character beyond the first 65,536 is a pair, D800 to DBFF and DC00 to DFFF; either alone is none. `s` is at the u
 * of the first. */
static bool is_half_pair(const unsigned char *s) {
  if ((s[1] != 'd' && s[1] != 'D') || s[2] < '8')
    return false;
  bool first = strchr("89aAbB", s[2]) != NULL;
  bool second = s[5] == '\\' && s[6] == 'u' && (s[7] == 'd' || s[7] == 'D') && s[8] != 0 && strchr("cdefCDEF", s[8]) &&
                is_hex(s[9]) && is_hex(s[10]);
  return !(first && second);
}

/* The escape behind a backslash; moves past it. */
static AspError scan_escape(Scanner *scanner) {
  const unsigned char *s = scanner->text + scanner->at + 1;
  if (*s == 'u') {
    for (int i = 1; i <= 4; i++)
      if (!is_hex(s[i]))
        return fail_at(scanner, scanner->at, "\\u needs four hexadecimal digits");
    if (memcmp(s, "u0000", 5) == 0)
      return fail_at(scanner, scanner->at, "the character \\u0000 is not allowed in texts");
    if (is_control_escape(s))
      return fail_at(scanner, scanner->at, "control character in a text; \\n and \\t are allowed");
    if (is_half_pair(s))
      return fail_at(scanner, scanner->at, "half of a \\u pair, which is no character");
    scanner->at += s[1] == 'd' || s[1] == 'D' ? (s[2] < '8' ? 6 : 12) : 6;
    return ASP_OK;
  }
  if (*s == 'b' || *s == 'f')
    return fail_at(scanner, scanner->at, "control character in a text; \\n and \\t are allowed");
  if (*s == 0 || !strchr("\"\\/nrt", *s))
    return fail_at(scanner, scanner->at, "unknown escape in a text; a backslash itself is written \\\\");
  scanner->at += 2;
  return ASP_OK;
}

static AspError scan_string(Scanner *scanner) {
  size_t start = scanner->at++;
  while (scanner->at < scanner->length && scanner->text[scanner->at] != '"') {
    unsigned char c = scanner->text[scanner->at];
    if (c == '\\')
      ASP_TRY(scan_escape(scanner));
    else if (c == '\n' || c == '\r')
      return fail_at(scanner, start, "this text is not closed on its line");
    else if (is_raw_control(scanner->text + scanner->at))
      return fail_at(scanner, scanner->at, "control character in a text");
    else {
      size_t bytes = utf8_bytes(scanner->text + scanner->at, scanner->length - scanner->at);
      if (bytes == 0)
        return fail_at(scanner, scanner->at, "not UTF-8; save the file as UTF-8");
      scanner->at += bytes;
    }
  }
  if (scanner->at >= scanner->length)
    return fail_at(scanner, start, "this text is not closed");
  scanner->at++;
  return ASP_OK;
}

static size_t skip_digits(const Scanner *scanner, size_t at) {
  while (scanner->text[at] >= '0' && scanner->text[at] <= '9')
    at++;
  return at;
}

/* -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static AspError scan_number(Scanner *scanner) {
  const unsigned char *s = scanner->text;
  size_t start = scanner->at, at = start + (s[start] == '-'), end = skip_digits(scanner, at);
  bool sound = end > at && !(s[at] == '0' && end > at + 1);
  if (sound && s[end] == '.') {
    at = end + 1;
    end = skip_digits(scanner, at);
    sound = end > at;
  }
  if (sound && (s[end] == 'e' || s[end] == 'E')) {
    at = end + 1;
    at += s[at] == '+' || s[at] == '-';
    end = skip_digits(scanner, at);
    sound = end > at;
  }
  if (!sound || (s[end] && strchr("0123456789.eE+-_xX", s[end])))
    return fail_at(scanner, start, "not a number of JSON (like 1, -0.5 or 2.5e-3)");
  scanner->at = end;
  return ASP_OK;
}

static bool is_letter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* true, false, null; anything else that begins like a word has a message of its own */
static AspError scan_word(Scanner *scanner) {
  const char *s = (const char *)scanner->text + scanner->at;
  size_t length = 0;
  while (is_letter((unsigned char)s[length]))
    length++;
  if ((length == 4 && (memcmp(s, "true", 4) == 0 || memcmp(s, "null", 4) == 0)) ||
      (length == 5 && memcmp(s, "false", 5) == 0)) {
    scanner->at += length;
    return ASP_OK;
  }
  char message[120];
  snprintf(message, sizeof message, "'%.*s' is not a JSON value; %s", (int)(length < 20 ? length : 20), s,
           (s[0] | 32) == 'n' || (s[0] | 32) == 'i' ? "numbers must be finite" : "texts stand in double quotes");
  return fail_at(scanner, scanner->at, message);
}

static AspError fail_unexpected(const Scanner *scanner, const char *expected) {
  const unsigned char *s = scanner->text + scanner->at;
  char message[160];
  size_t bytes = scanner->at < scanner->length ? utf8_bytes(s, scanner->length - scanner->at) : 0;
  if (scanner->at >= scanner->length)
    snprintf(message, sizeof message, "the text ends where %s should follow", expected);
  else if (*s == '/' && (s[1] == '/' || s[1] == '*'))
    snprintf(message, sizeof message, "JSON has no comments; expected %s", expected);
  else if (bytes == 0)
    snprintf(message, sizeof message, "not UTF-8; save the file as UTF-8");
  else if (*s < 0x20 || *s == 0x7F)
    snprintf(message, sizeof message, "control character %d; expected %s", *s, expected);
  else
    snprintf(message, sizeof message, "'%.*s' where %s should be", (int)bytes, (const char *)s, expected);
  return fail_at(scanner, scanner->at, message);
}

static void skip_blanks(Scanner *scanner) {
  while (scanner->at < scanner->length && strchr(" \t\r\n", scanner->text[scanner->at]) && scanner->text[scanner->at])
    scanner->at++;
}

/* "key" : */
static AspError scan_key(Scanner *scanner) {
  skip_blanks(scanner);
  if (scanner->text[scanner->at] != '"')
    return fail_unexpected(scanner, "a key in double quotes");
  ASP_TRY(scan_string(scanner));
  skip_blanks(scanner);
  if (scanner->text[scanner->at] != ':')
    return fail_unexpected(scanner, "':'");
  scanner->at++;
  return ASP_OK;
}

/* The beginning of a value: a whole scalar, or an opening bracket. *complete: no items of its own are to follow. */
static AspError scan_value(Scanner *scanner, bool *complete) {
  skip_blanks(scanner);
  unsigned char c = scanner->text[scanner->at];
  *complete = true;
  if (c == '"')
    return scan_string(scanner);
  if (c == '-' && is_letter(scanner->text[scanner->at + 1])) {
    scanner->at++;
    return scan_word(scanner);
  }
  if (c == '-' || (c >= '0' && c <= '9'))
    return scan_number(scanner);
  if (is_letter(c))
    return scan_word(scanner);
  if (c != '[' && c != '{')
    return fail_unexpected(scanner, "a value");
  if (scanner->depth == MAX_DEPTH)
    return fail_at(scanner, scanner->at, "brackets nested deeper than 64 levels");
  scanner->open[scanner->depth++] = (char)c;
  scanner->at++;
  skip_blanks(scanner);
  *complete = scanner->text[scanner->at] == (c == '[' ? ']' : '}');
  if (*complete) {
    scanner->at++;
    scanner->depth--;
  } else if (c == '{') {
    return scan_key(scanner);
  }
  return ASP_OK;
}

/* Behind a complete value: closing brackets, then a comma (and a key) before the next value, or the end. */
static AspError scan_separator(Scanner *scanner) {
  for (;;) {
    skip_blanks(scanner);
    unsigned char c = scanner->text[scanner->at];
    if (scanner->depth == 0)
      return scanner->at == scanner->length ? ASP_OK : fail_unexpected(scanner, "the end of the file");
    bool list = scanner->open[scanner->depth - 1] == '[';
    if (c == (list ? ']' : '}')) {
      scanner->at++;
      scanner->depth--;
      continue;
    }
    if (c != ',')
      return fail_unexpected(scanner, list ? "',' or ']'" : "',' or '}'");
    size_t comma = scanner->at++;
    skip_blanks(scanner);
    c = scanner->text[scanner->at];
    if (c == ']' || c == '}')
      return fail_at(scanner, comma, "comma before a closing bracket; remove it");
    return list ? ASP_OK : scan_key(scanner);
  }
}

static AspError scan(Scanner *scanner) {
  if (scanner->length >= 2 && (memcmp(scanner->text, "\xFF\xFE", 2) == 0 || memcmp(scanner->text, "\xFE\xFF", 2) == 0))
    return fail_at(scanner, 0, "this is UTF-16; save the file as UTF-8");
  skip_blanks(scanner);
  if (scanner->at == scanner->length)
    return asp_fail(scanner->context, ASP_ERROR_INPUT, "the file is empty");
  do {
    bool complete = false;
    ASP_TRY(scan_value(scanner, &complete));
    if (complete)
      ASP_TRY(scan_separator(scanner));
  } while (scanner->depth > 0);
  return ASP_OK;
}

AspError asp_json_parse(AspContext *context, const char *text, size_t length, cJSON **root) {
  *root = NULL;
  size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  Scanner scanner = {.context = context, .text = (const unsigned char *)text + mark, .length = length - mark};
  ASP_TRY(scan(&scanner));
  *root = cJSON_ParseWithLengthOpts(text + mark, length - mark + 1, NULL, 1);
  if (*root)
    return ASP_OK;
  return asp_fail(context, ASP_ERROR_MEMORY, "out of memory while JSON was read"); // the text itself is sound
}

/* ---- printing ---- */

typedef struct Printer {
  AspContext *context;
  char *text;
  size_t length, capacity;
} Printer;

static AspError put(Printer *printer, const char *piece) {
  size_t bytes = strlen(piece);
  ASP_TRY(ASP_GROW(printer->context, printer->text, printer->capacity, printer->length + bytes + 1));
  memcpy(printer->text + printer->length, piece, bytes + 1);
  printer->length += bytes;
  return ASP_OK;
}

static AspError put_scalar(Printer *printer, const cJSON *item) {
  char *piece = cJSON_PrintUnformatted(item);
  if (!piece)
    return asp_fail(printer->context, ASP_ERROR_MEMORY, "out of memory");
  AspError error = put(printer, piece);
  cJSON_free(piece);
  return error;
}

static AspError put_text(Printer *printer, const char *text) {
  cJSON *item = cJSON_CreateStringReference(text);
  AspError error = item ? put_scalar(printer, item) : asp_fail(printer->context, ASP_ERROR_MEMORY, "out of memory");
  cJSON_Delete(item);
  return error;
}

static bool has_objects(const cJSON *list) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, list) if (cJSON_IsObject(item) || cJSON_IsArray(item)) return true;
  return false;
}

static AspError put_line(Printer *printer, int level) {
  ASP_TRY(put(printer, "\n"));
  for (int i = 0; i < level; i++)
    ASP_TRY(put(printer, "  "));
  return ASP_OK;
}

static AspError put_item(Printer *printer, const cJSON *item, int level) {
  if (!cJSON_IsObject(item) && !cJSON_IsArray(item))
    return put_scalar(printer, item);
  bool object = cJSON_IsObject(item), lines = object || has_objects(item);
  if (!item->child)
    return put(printer, object ? "{}" : "[]");
  ASP_TRY(put(printer, object ? "{" : "["));
  const cJSON *child = NULL;
  cJSON_ArrayForEach(child, item) {
    if (child != item->child)
      ASP_TRY(put(printer, lines ? "," : ", "));
    if (lines)
      ASP_TRY(put_line(printer, level + 1));
    if (object) {
      ASP_TRY(put_text(printer, child->string));
      ASP_TRY(put(printer, ": "));
    }
    ASP_TRY(put_item(printer, child, level + 1));
  }
  if (lines)
    ASP_TRY(put_line(printer, level));
  return put(printer, object ? "}" : "]");
}

AspError asp_json_print(AspContext *context, const cJSON *root, char **text) {
  Printer printer = {.context = context};
  AspError error = put_item(&printer, root, 0);
  if (error == ASP_OK)
    error = put(&printer, "\n");
  if (error != ASP_OK)
    asp_release(context, printer.text);
  *text = error == ASP_OK ? printer.text : NULL;
  return error;
}
