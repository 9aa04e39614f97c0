/* What depends on a terminal: colours (NO_COLOR respected) and the progress bar (stderr, a terminal only). */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

typedef enum Style { STYLE_PLAIN, STYLE_STRONG, STYLE_GOOD, STYLE_BAD } Style;

/* The escape sequence that switches to the style; "" where the stream is no terminal or colours are not wanted. */
const char *terminal_style(FILE *stream, Style style);

/* The text with '?' for control characters but line ends and tabs: terminals take them as commands. */
void terminal_print_plain(FILE *stream, const char *text);

/* Seconds on a monotonic clock. */
double clock_seconds(void);

typedef struct Progress {
  bool shown;     /* false: every call does nothing */
  double started; /* clock_seconds() at the start */
  double last;    /* and at the last redraw */
} Progress;

/* Shown only when wanted and stderr is a terminal. */
Progress progress_start(bool wanted);
/* Redraws at most ten times a second: a bar for `fraction` in [0, 1], `text`, and the time left. */
void progress_update(Progress *progress, double fraction, const char *text);
/* Wipes the bar. */
void progress_finish(Progress *progress);

#endif
