/* Colours and progress bar: see terminal.h. */
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_capable_terminal(FILE *stream) {
  const char *kind = getenv("TERM");
  return isatty(fileno(stream)) && kind && strcmp(kind, "dumb") != 0;
}

const char *terminal_style(FILE *stream, Style style) {
  static const char *const sequences[] = {
      [STYLE_PLAIN] = "\033[0m", [STYLE_STRONG] = "\033[1m", [STYLE_GOOD] = "\033[32m", [STYLE_BAD] = "\033[31m"};
  const char *no_color = getenv("NO_COLOR");
  if ((no_color && *no_color) || !is_capable_terminal(stream))
    return "";
  return sequences[style];
}

void terminal_print_plain(FILE *stream, const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    bool two = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F;
    putc((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7F || two ? '?' : *c, stream);
    c += two;
  }
}

double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Progress progress_start(bool wanted) {
  double now = clock_seconds();
  return (Progress){.shown = wanted && is_capable_terminal(stderr), .started = now, .last = now};
}

static void format_duration(double seconds, char *buffer, size_t size) {
  if (!(seconds < 360000))
    snprintf(buffer, size, "over 100 h");
  else if (seconds < 60)
    snprintf(buffer, size, "%.0f s", ceil(seconds));
  else if (seconds < 3600)
    snprintf(buffer, size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
  else
    snprintf(buffer, size, "%d h %02d min", (int)seconds / 3600, (int)seconds % 3600 / 60);
}

void progress_update(Progress *progress, double fraction, const char *text) {
  if (!progress->shown)
    return;
  double now = clock_seconds();
  if (now - progress->last < 0.1)
    return;
  progress->last = now;
  fraction = fmin(fmax(fraction, 0), 1);
  char bar[31], left[32];
  int filled = (int)(fraction * (double)(sizeof bar - 1));
  memset(bar, '.', sizeof bar - 1);
  memset(bar, '#', (size_t)filled);
  bar[sizeof bar - 1] = '\0';
  format_duration((now - progress->started) * (1 - fraction) / fmax(fraction, 1e-12), left, sizeof left);
  fprintf(stderr, "\r[%s] %3.0f %%  %s, %s left\033[K", bar, 100 * fraction, text, left);
  fflush(stderr);
}

void progress_finish(Progress *progress) {
  if (progress->shown)
    fputs("\r\033[K", stderr);
  progress->shown = false;
}
