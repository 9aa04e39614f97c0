/* The plot of `asperity converge`: differences between consecutive levels over dt, on logarithmic axes. */
#include "converge.h"

#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINES_MOST 10

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                      "#56b4e9", "#000000", "#999933", "#882255", "#44aa99"};

/* Text that XML takes. */
static const char *escaped(const char *text, char *buffer, size_t size) {
  size_t used = 0;
  for (; *text && used + 7 < size; text++) {
    const char *as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
    if (as)
      used += (size_t)snprintf(buffer + used, size - used, "%s", as);
    else
      buffer[used++] = *text;
  }
  buffer[used] = '\0';
  return buffer;
}

static double difference(const AspConvergeRow *row, int level) {
  return fabs(row->value[level + 1] - row->value[level]) / row->scale;
}

/* Is its line worth drawing: differences above rounding? */
static bool is_drawn(const AspConvergeRow *row, int levels) {
  for (int l = 0; l + 1 < levels; l++)
    if (row->scale > 0 && difference(row, l) > 1e-15)
      return true;
  return false;
}

/* Rows that do not converge come first. */
static int choose_lines(const AspConvergence *found, const AspConvergeRow *lines[LINES_MOST]) {
  int count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < found->row_count && count < LINES_MOST; i++)
      if ((found->row[i].state == ASP_CONVERGE_NONE) == (pass == 0) && is_drawn(&found->row[i], found->levels))
        lines[count++] = &found->row[i];
  return count;
}

/* A dashed line of this order through the upper right corner. */
static void draw_slope(Plot *plot, const PlotFrame *frame, int order) {
  char label[32];
  double x[2] = {frame->x[0], frame->x[1]}, y[2] = {frame->y[1] * pow(x[0] / x[1], order), frame->y[1]};
  snprintf(label, sizeof label, "order %d", order);
  plot_line(plot, &(PlotPen){.colour = order == 1 ? "#bbbbbb" : "#777777", .label = label, .width = 1, .dashed = true},
            x, y, 2);
}

int converge_plot(const Session *session, const AspConvergence *found, const char *title, const char *path) {
  const AspConvergeRow *lines[LINES_MOST];
  int count = choose_lines(found, lines), points = found->levels - 1;
  double low = 1, high = 0;
  for (int i = 0; i < count; i++)
    for (int l = 0; l < points; l++) {
      double d = difference(lines[i], l);
      low = d > 1e-16 ? fmin(low, d) : low;
      high = fmax(high, d);
    }
  if (count == 0 || !(high > 0)) {
    low = 1e-16;
    high = 1e-12;
  }
  char head[200], text[1200];
  snprintf(head, sizeof head, "%s", title);
  PlotFrame frame = {.title = escaped(head, text, sizeof text),
                     .x_label = "dt [s]",
                     .y_label = "difference between dt and dt/2, relative to the size of the kind",
                     .x = {found->dt[points - 1] / 1.5, found->dt[0] * 1.5},
                     .y = {low / 2, high * 2},
                     .x_log = true,
                     .y_log = true};
  Plot plot;
  if (!plot_open(&plot, path, &frame))
    return session_fail(session, exit_code_of_system(errno), "--svg %s: %s", path, strerror(errno));
  draw_slope(&plot, &frame, 1);
  draw_slope(&plot, &frame, 2);
  for (int i = 0; i < count; i++) {
    double y[ASP_CONVERGE_LEVELS_MAX];
    char name[1200];
    for (int l = 0; l < points; l++)
      y[l] = difference(lines[i], l) > 1e-16 ? difference(lines[i], l) : NAN;
    PlotPen pen = {.colour = colours[i], .label = escaped(lines[i]->name, name, sizeof name)};
    plot_line(&plot, &pen, found->dt, y, points);
  }
  return plot_close(&plot) ? EXIT_DONE : session_fail(session, EXIT_FAILED, "--svg %s: write error", path);
}
