/* Columns of numbers in text files. A line is a row; fields are separated by ';', tabs, ',' or blanks, whichever of
 * these, in this order, the first row has. Numbers have a decimal point. Lines that are empty or begin with # are
 * skipped. A first row without any number is the header with the columns' names, which may stand in double quotes. A
 * byte order mark and the line ends of other systems do no harm.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file/columns.h"
#include "io/file/text_file.h"
#include "io/file/text_number.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

#define NAMES_SHOWN 200 /* characters of a header in a message */

typedef struct Field {
  const char *text;
  int length;
} Field;

typedef struct Lines {
  AspContext *context;
  const char *path, *at, *end;
  const char *row, *row_end; /* the present one, trimmed */
  int line;                  /* its number, from 1 */
  char separator;            /* ' ': blanks */
} Lines;

static AspError fail(const Lines *lines, const char *format, ...) ASP_PRINTF(2, 3);
static AspError fail(const Lines *lines, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return asp_fail(lines->context, ASP_ERROR_INPUT, "%s: line %d: %s", lines->path, lines->line, message);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

/* The next line with something in it; false: there is none. Tabs at its ends may be separators and stay. */
static bool next_row(Lines *lines) {
  while (lines->at < lines->end) {
    const char *start = lines->at, *stop = start;
    while (stop < lines->end && *stop != '\n' && *stop != '\r')
      stop++;
    lines->at = stop < lines->end ? stop + 1 : stop;
    if (stop + 1 < lines->end && stop[0] == '\r' && stop[1] == '\n')
      lines->at++;
    lines->line++;
    const char *first = start;
    while (first < stop && is_blank(*first))
      first++;
    if (first == stop || *first == '#')
      continue;
    lines->row = start;
    lines->row_end = stop;
    return true;
  }
  return false;
}

static char find_separator(const Lines *lines) {
  static const char candidates[] = {';', '\t', ','};
  for (size_t i = 0; i < sizeof candidates; i++)
    if (memchr(lines->row, candidates[i], (size_t)(lines->row_end - lines->row)))
      return candidates[i];
  return ' ';
}

/* The field at *at, without blanks around it and quotes; *at goes behind its separator, to NULL behind the last. */
static Field next_field(const Lines *lines, const char **at) {
  const char *from = *at, *end = lines->row_end;
  while (from < end && is_blank(*from) && *from != lines->separator)
    from++;
  if (lines->separator == ' ')
    while (from < end && is_blank(*from))
      from++;
  const char *to = from;
  bool quoted = from < end && *from == '"';
  if (quoted)
    for (to = ++from; to < end && *to != '"';)
      to++;
  const char *stop = to;
  while (stop < end && (lines->separator == ' ' ? !is_blank(*stop) : *stop != lines->separator))
    stop++;
  if (!quoted)
    to = stop;
  while (lines->separator == ' ' && stop < end && is_blank(*stop))
    stop++;
  *at = stop < end ? stop + (lines->separator != ' ') : NULL;
  while (to > from && is_blank(to[-1]))
    to--;
  return (Field){from, (int)(to - from)};
}

static bool is_word(Field field, const char *word) {
  return (size_t)field.length == strlen(word) && strncasecmp(field.text, word, strlen(word)) == 0;
}

/* NaN and infinity are numbers, if none that can be used. */
static bool looks_like_number(Field field) {
  double number;
  if (field.length > 0 && (*field.text == '-' || *field.text == '+') && field.length > 1 && field.text[1] > '9')
    field = (Field){field.text + 1, field.length - 1};
  return asp_text_number(field.text, field.length, &number) || is_word(field, "nan") || is_word(field, "inf") ||
         is_word(field, "infinity");
}

static bool is_header(const Lines *lines) {
  const char *at = lines->row;
  while (at)
    if (looks_like_number(next_field(lines, &at)))
      return false;
  return true;
}

/* The number of the column with this name; the names are in the present row. */
static AspError find_column(const Lines *lines, bool header, FileColumn *column) {
  char names[NAMES_SHOWN] = "", shown[40];
  size_t length = 0;
  int number = 0, found = 0;
  if (!column->name)
    return ASP_OK;
  if (!header)
    return fail(lines,
                "there is no header line with names of columns, so that '%.60s' cannot be found; give the "
                "number of the column, or write a header",
                column->name);
  for (const char *at = lines->row; at;) {
    Field field = next_field(lines, &at);
    number++;
    bool same =
        (size_t)field.length == strlen(column->name) && memcmp(field.text, column->name, (size_t)field.length) == 0;
    if (same && found)
      return fail(lines, "columns %d and %d are both called '%.60s'; give the number", found, number, column->name);
    found = same ? number : found;
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", number > 1 ? ", " : "",
                               asp_text_show(field.text, field.length, shown));
    length = length < sizeof names ? length : sizeof names - 1;
  }
  if (!found)
    return fail(lines, "there is no column '%.60s'; the header has: %s", column->name, names);
  column->number = found;
  return ASP_OK;
}

static AspError read_number(const Lines *lines, Field field, int column, double *number) {
  char shown[40];
  asp_text_show(field.text, field.length, shown);
  if (field.length == 0)
    return fail(lines, "column %d is empty; fill it or leave the line out", column);
  if (asp_text_number(field.text, field.length, number))
    return isfinite(*number) ? ASP_OK : fail(lines, "'%s' in column %d is too large", shown, column);
  if (looks_like_number(field))
    return fail(lines, "'%s' in column %d is not finite; fill it or leave the line out", shown, column);
  return fail(lines, "'%s' in column %d is not a number%s", shown, column,
              memchr(field.text, ',', (size_t)field.length) ? "; write a decimal point in place of the comma" : "");
}

static AspError read_row(const Lines *lines, int x_column, int y_column, double *x, double *y) {
  int number = 0, last = x_column > y_column ? x_column : y_column;
  for (const char *at = lines->row; at && number < last;) {
    Field field = next_field(lines, &at);
    number++;
    if (number == x_column)
      ASP_TRY(read_number(lines, field, number, x));
    if (number == y_column)
      ASP_TRY(read_number(lines, field, number, y));
  }
  if (number < last)
    return fail(lines, "%d column%s; column %d is needed", number, number == 1 ? "" : "s", last);
  return ASP_OK;
}

static AspError read_rows(Lines *lines, FileColumn x, FileColumn y, FileColumns *columns) {
  size_t x_room = 0, y_room = 0;
  bool more = next_row(lines);
  if (!more)
    return asp_fail(lines->context, ASP_ERROR_INPUT, "%s: there are no numbers in it", lines->path);
  lines->separator = find_separator(lines);
  bool header = is_header(lines);
  ASP_TRY(find_column(lines, header, &x));
  ASP_TRY(find_column(lines, header, &y));
  int last_line = 0;
  for (more = header ? next_row(lines) : more; more; more = next_row(lines)) {
    int i = columns->count;
    ASP_TRY(ASP_GROW(lines->context, columns->x, x_room, i + 1));
    ASP_TRY(ASP_GROW(lines->context, columns->y, y_room, i + 1));
    ASP_TRY(read_row(lines, x.number, y.number, &columns->x[i], &columns->y[i]));
    if (i > 0 && !(columns->x[i] > columns->x[i - 1]))
      return fail(lines,
                  "%.15g in column %d is not above %.15g of line %d; sort the lines, each with a value of its own",
                  columns->x[i], x.number, columns->x[i - 1], last_line);
    last_line = lines->line;
    columns->count++;
  }
  if (columns->count < 2)
    return asp_fail(lines->context, ASP_ERROR_INPUT, "%s: %d line%s with numbers; a table needs 2 or more", lines->path,
                    columns->count, columns->count == 1 ? "" : "s");
  return ASP_OK;
}

AspError asp_columns_read(AspContext *context, const char *path, FileColumn x, FileColumn y, FileColumns *columns) {
  static const char mark[] = "\xEF\xBB\xBF";
  struct stat status;
  char *bytes = NULL;
  size_t length = 0;
  *columns = (FileColumns){0};
  if (stat(path, &status) != 0)
    return asp_fail(context, asp_file_error(errno), "%s: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return asp_fail(context, ASP_ERROR_FILE, "%s: not a file", path);
  ASP_TRY(asp_text_file_read(context, path, &bytes, &length));
  columns->hash = asp_hash_bytes(ASP_HASH_START, bytes, length);
  Lines lines = {.context = context, .path = path, .at = bytes, .end = bytes + length};
  if (length >= 3 && memcmp(bytes, mark, 3) == 0)
    lines.at += 3;
  AspError error = read_rows(&lines, x, y, columns);
  asp_release(context, bytes);
  if (error != ASP_OK) {
    asp_release(context, columns->x);
    asp_release(context, columns->y);
    *columns = (FileColumns){0};
  }
  return error;
}
