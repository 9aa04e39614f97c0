/* Numbers in text files: see text_number.h. */
#include "io/file/text_number.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The exponent behind the e. */
static bool read_exponent(const char *text, int length, long *exponent) {
  char copy[12] = {0}, *end = NULL;
  if (length < 1 || length > 10 || !(is_digit(text[0]) || text[0] == '-' || text[0] == '+'))
    return false;
  memcpy(copy, text, (size_t)length);
  *exponent = strtol(copy, &end, 10);
  return end == copy + length;
}

/* strtod's point depends on the locale: it gets the number without its point ("1.25e3" as "125e1"). */
bool asp_text_number(const char *text, int length, double *number) {
  char buffer[80];
  int i = 0, out = 0, digits = 0, behind = 0;
  bool point = false;
  if (i < length && (text[i] == '-' || text[i] == '+'))
    buffer[out++] = text[i++];
  for (; i < length && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    digits++;
    if (out < 48) {
      buffer[out++] = text[i];
      behind += point;
    } else {
      behind -= !point; // beyond what a double can hold: only its place counts
    }
  }
  long exponent = 0;
  if (digits > 0 && i < length && (text[i] == 'e' || text[i] == 'E')) {
    if (!read_exponent(text + i + 1, length - i - 1, &exponent))
      return false;
    i = length;
  }
  snprintf(buffer + out, sizeof buffer - (size_t)out, "e%ld", exponent - behind);
  *number = strtod(buffer, NULL);
  return digits > 0 && i == length;
}

const char *asp_text_show(const char *text, int length, char buffer[40]) {
  int shown = length < 32 ? length : 32;
  for (int i = 0; i < shown; i++)
    buffer[i] = (unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e ? '?' : text[i];
  memcpy(buffer + shown, length > 32 ? "..." : "", length > 32 ? 4 : 1);
  return buffer;
}
