/* Plots as SVG files: axes with ticks, lines, points, a legend. Plain files that any browser shows.
 *
 *   Plot plot;
 *   if (plot_open(&plot, "dir/name.svg", &(PlotFrame){.title = ..., .x = {0, 1}, .y = {0, 2}}))
 *     plot_line(&plot, &(PlotPen){"#0072b2", "label"}, x, y, count);
 *   bool written = plot_close(&plot);
 */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct PlotFrame {
  const char *title, *x_label, *y_label;
  double x[2], y[2]; /* ranges; > 0 where logarithmic */
  bool x_log, y_log;
} PlotFrame;

typedef struct PlotPen {
  const char *colour, *label; /* label NULL: not in the legend */
  double width;               /* 0: 1.5 */
  bool dashed;
} PlotPen;

typedef struct Plot {
  FILE *file;
  PlotFrame frame;
  int legend; /* lines in it */
} Plot;

/* False when the file cannot be made; the other calls do nothing then. */
bool plot_open(Plot *plot, const char *path, const PlotFrame *frame);
/* Points that are not finite break the line. */
void plot_line(Plot *plot, const PlotPen *pen, const double *x, const double *y, int count);
void plot_point(Plot *plot, const PlotPen *pen, double x, double y);
/* False when something could not be written. */
bool plot_close(Plot *plot);

#endif
