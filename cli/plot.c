/* SVG plots: see plot.h. */
#include "plot.h"

#include <math.h>

#define WIDTH  640.0
#define HEIGHT 440.0
#define LEFT   70.0
#define RIGHT  470.0
#define TOP    40.0
#define BOTTOM 390.0

static double fraction(double value, const double range[2], bool is_log) {
  return is_log ? log(value / range[0]) / log(range[1] / range[0]) : (value - range[0]) / (range[1] - range[0]);
}
static double x_of(const Plot *plot, double x) {
  return LEFT + (RIGHT - LEFT) * fraction(x, plot->frame.x, plot->frame.x_log);
}
static double y_of(const Plot *plot, double y) {
  return BOTTOM - (BOTTOM - TOP) * fraction(y, plot->frame.y, plot->frame.y_log);
}

/* 1, 2 or 5 times a power of ten: about five ticks over the range */
static double tick_step(const double range[2]) {
  double raw = (range[1] - range[0]) / 5, power = pow(10, floor(log10(raw))), digit = raw / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static void tick(Plot *plot, bool on_x, double value) {
  const char *line = "<line x1='%.2f' y1='%.2f' x2='%.2f' y2='%.2f' stroke='#ddd'/>\n";
  char text[32];
  snprintf(text, sizeof text, "%.4g", fabs(value) < 1e-14 ? 0 : value);
  if (on_x) {
    double x = x_of(plot, value);
    fprintf(plot->file, line, x, TOP, x, BOTTOM);
    fprintf(plot->file, "<text x='%.2f' y='%.2f' text-anchor='middle'>%s</text>\n", x, BOTTOM + 16, text);
  } else {
    double y = y_of(plot, value);
    fprintf(plot->file, line, LEFT, y, RIGHT, y);
    fprintf(plot->file, "<text x='%.2f' y='%.2f' text-anchor='end'>%s</text>\n", LEFT - 6, y + 4, text);
  }
}

static void axis(Plot *plot, bool on_x) {
  const double *range = on_x ? plot->frame.x : plot->frame.y;
  bool is_log = on_x ? plot->frame.x_log : plot->frame.y_log;
  if (is_log) {
    for (double value = pow(10, ceil(log10(range[0]) - 1e-9)); value <= range[1] * (1 + 1e-9); value *= 10)
      tick(plot, on_x, value);
    return;
  }
  double step = tick_step(range);
  for (double k = ceil(range[0] / step - 1e-9); k * step <= range[1] + 1e-9 * step; k++)
    tick(plot, on_x, k * step);
}

bool plot_open(Plot *plot, const char *path, const PlotFrame *frame) {
  *plot = (Plot){.file = fopen(path, "w"), .frame = *frame};
  if (!plot->file)
    return false;
  fprintf(plot->file,
          "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %g %g' font-family='sans-serif' font-size='12'>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n"
          "<clipPath id='inside'><rect x='%g' y='%g' width='%g' height='%g'/></clipPath>\n"
          "<text x='%g' y='22' font-size='14'>%s</text>\n",
          WIDTH, HEIGHT, LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP, LEFT, frame->title);
  axis(plot, true);
  axis(plot, false);
  fprintf(plot->file, "<rect x='%g' y='%g' width='%g' height='%g' fill='none' stroke='#444'/>\n", LEFT, TOP,
          RIGHT - LEFT, BOTTOM - TOP);
  fprintf(plot->file, "<text x='%g' y='%g' text-anchor='middle'>%s</text>\n", 0.5 * (LEFT + RIGHT), BOTTOM + 36,
          frame->x_label);
  fprintf(plot->file, "<text transform='translate(16 %g) rotate(-90)' text-anchor='middle'>%s</text>\n",
          0.5 * (TOP + BOTTOM), frame->y_label);
  return true;
}

static void legend(Plot *plot, const PlotPen *pen) {
  if (!pen->label)
    return;
  double y = TOP + 10 + 18 * plot->legend++;
  fprintf(plot->file, "<line x1='%g' y1='%g' x2='%g' y2='%g' stroke='%s' stroke-width='2'%s/>\n", RIGHT + 12, y,
          RIGHT + 32, y, pen->colour, pen->dashed ? " stroke-dasharray='5 3'" : "");
  fprintf(plot->file, "<text x='%g' y='%g' font-size='11'>%s</text>\n", RIGHT + 36, y + 4, pen->label);
}

void plot_line(Plot *plot, const PlotPen *pen, const double *x, const double *y, int count) {
  if (!plot->file)
    return;
  bool down = false;
  fprintf(plot->file, "<path clip-path='url(#inside)' fill='none' stroke='%s' stroke-width='%g'%s d='", pen->colour,
          pen->width > 0 ? pen->width : 1.5, pen->dashed ? " stroke-dasharray='5 3'" : "");
  for (int i = 0; i < count; i++) {
    double px = x_of(plot, x[i]), py = y_of(plot, y[i]);
    bool drawn = isfinite(px) && isfinite(py) && fabs(px) < 1e5 && fabs(py) < 1e5;
    if (drawn)
      fprintf(plot->file, "%c%.2f %.2f", down ? 'L' : 'M', px, py);
    down = drawn;
  }
  fprintf(plot->file, "'/>\n");
  legend(plot, pen);
}

void plot_point(Plot *plot, const PlotPen *pen, double x, double y) {
  if (!plot->file)
    return;
  fprintf(plot->file, "<circle clip-path='url(#inside)' cx='%.2f' cy='%.2f' r='4' fill='%s'/>\n", x_of(plot, x),
          y_of(plot, y), pen->colour);
  legend(plot, pen);
}

bool plot_close(Plot *plot) {
  if (!plot->file)
    return false;
  fprintf(plot->file, "</svg>\n");
  bool failed = ferror(plot->file) != 0;
  failed = fclose(plot->file) != 0 || failed;
  plot->file = NULL;
  return !failed;
}
