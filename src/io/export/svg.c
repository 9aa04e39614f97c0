/* A result's curves as one SVG drawing, without any browser: energies, residual of every step against its tolerance
 * (logarithmic), contacts in the problem. A curve of many points is drawn through the smallest and the largest of each
 * of POINTS_MAX groups, so that no peak is lost.
 */
#include "io/export/svg.h"
#include "base/elementary.h"
#include "io/file/text_file.h"
#include "io/result/read.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH      820.0
#define LEFT       90.0
#define RIGHT      640.0
#define PANEL      190.0 /* height of a panel with its captions */
#define INSIDE     140.0
#define TOP        50.0
#define POINTS_MAX 1000
#define TINY       1e-18 /* zeros on a logarithmic axis */

typedef struct Curve {
  const char *label, *colour;
  const double *x, *y;
  int64_t count;
} Curve;

typedef struct Panel {
  const char *title;
  bool logarithmic;
  Curve curve[4];
  int count;
  double top;                      /* y of its upper edge */
  double x_low, x_high, low, high; /* shown; low and high as log10 on a logarithmic axis */
} Panel;

static double height_of(const Panel *panel, double y) {
  return panel->logarithmic ? asp_log10(y > TINY ? y : TINY) : y;
}

static void find_range(Panel *panel) {
  panel->low = INFINITY;
  panel->high = -INFINITY;
  for (int c = 0; c < panel->count; c++)
    for (int64_t i = 0; i < panel->curve[c].count; i++) {
      double y = height_of(panel, panel->curve[c].y[i]);
      if (isfinite(y)) {
        panel->low = fmin(panel->low, y);
        panel->high = fmax(panel->high, y);
      }
    }
  if (!(panel->low <= panel->high))
    panel->low = panel->high = 0;
  double margin = panel->high > panel->low ? 0.04 * (panel->high - panel->low) : fmax(1e-12, 0.5 * fabs(panel->high));
  panel->low -= margin;
  panel->high += margin;
}

static double x_at(const Panel *panel, double x) {
  return LEFT + (RIGHT - LEFT) * (x - panel->x_low) / (panel->x_high - panel->x_low);
}
static double y_at(const Panel *panel, double height) {
  return panel->top + INSIDE * (panel->high - height) / (panel->high - panel->low);
}

/* 1, 2 or 5 times a power of ten, for about `count` ticks over the range. */
static double tick_step(double range, int count) {
  double power = asp_pow(10, floor(asp_log10(range / count))), part = range / count / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void write_heights(FILE *file, const Panel *panel) {
  double step = tick_step(panel->high - panel->low, 4);
  step = panel->logarithmic ? ceil(step) : step; // whole decades
  for (double k = ceil(panel->low / step); k * step <= panel->high; k++) {
    double height = k * step, y = y_at(panel, height);
    fprintf(file,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
            LEFT, RIGHT, y, y, LEFT - 6, y + 4,
            panel->logarithmic ? asp_pow(10, height)
            : k == 0           ? 0
                               : height);
  }
}

static void write_axes(FILE *file, const Panel *panel) {
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"13\" font-weight=\"bold\">%s</text>\n", LEFT, panel->top - 8,
          panel->title);
  write_heights(file, panel);
  double step = tick_step(panel->x_high - panel->x_low, 4);
  for (double k = ceil(panel->x_low / step); k * step <= panel->x_high * (1 + 1e-9); k++)
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.6g%s</text>\n", x_at(panel, k * step),
            panel->top + INSIDE + 16, k == 0 ? 0 : k * step, (k + 1) * step > panel->x_high * (1 + 1e-9) ? " s" : "");
}

static void write_curve(FILE *file, const Panel *panel, int number) {
  const Curve *curve = &panel->curve[number];
  int64_t group = curve->count > 2 * POINTS_MAX ? (curve->count + POINTS_MAX - 1) / POINTS_MAX : 1;
  bool pen = false;
  fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", curve->colour);
  for (int64_t first = 0; first < curve->count; first += group) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = first; i < first + group && i < curve->count; i++) {
      double y = height_of(panel, curve->y[i]);
      low = isfinite(y) ? fmin(low, y) : low;
      high = isfinite(y) ? fmax(high, y) : high;
    }
    if (!(low <= high)) {
      pen = false;
      continue;
    }
    fprintf(file, "%c%.1f %.1f", pen ? 'L' : 'M', x_at(panel, curve->x[first]), y_at(panel, low));
    if (high > low)
      fprintf(file, "V%.1f", y_at(panel, high));
    pen = true;
  }
  double y = panel->top + 12 + 18 * number;
  fprintf(file,
          "\"/>\n<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"/>"
          "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
          RIGHT + 16, RIGHT + 40, y, y, curve->colour, RIGHT + 46, y + 4, curve->label);
}

/* ---- data ---- */

static AspError take(const ResultFile *result, AspArena *scratch, const char *path, int64_t rows, double **values) {
  *values = ASP_TAKE(scratch, double, rows + 1);
  return *values ? asp_result_rows(result, path, 0, rows, 1, *values) : ASP_ERROR_MEMORY;
}

static void add_curve(Panel *panel, const char *label, const char *colour, const double *x, const double *y,
                      int64_t count) {
  panel->curve[panel->count++] = (Curve){label, colour, x, y, count};
}

static AspError fill_panels(const ResultFile *result, AspArena *scratch, Panel panel[3]) {
  int64_t steps = result->committed.rows[TABLE_STEPS], rows = result->committed.rows[TABLE_ENERGY];
  double *time, *kinetic, *gravity, *elastic, *end, *residual, *contacts;
  ASP_TRY(take(result, scratch, "/energy/time", rows, &time));
  ASP_TRY(take(result, scratch, "/energy/kinetic", rows, &kinetic));
  ASP_TRY(take(result, scratch, "/energy/gravitational", rows, &gravity));
  ASP_TRY(take(result, scratch, "/energy/elastic", rows, &elastic));
  ASP_TRY(take(result, scratch, "/certificate/time", steps, &end));
  ASP_TRY(take(result, scratch, "/certificate/E2", steps, &residual));
  ASP_TRY(take(result, scratch, "/certificate/contacts", steps, &contacts));
  double *total = ASP_TAKE(scratch, double, rows + 1), *tolerance = ASP_TAKE(scratch, double, steps + 1);
  if (!total || !tolerance)
    return ASP_ERROR_MEMORY;
  char text[64] = "";
  double wanted = asp_result_option(result, "tolerance", text, sizeof text) ? strtod(text, NULL) : NAN;
  for (int64_t i = 0; i < rows; i++)
    total[i] = kinetic[i] + gravity[i] + elastic[i];
  for (int64_t i = 0; i < steps; i++)
    tolerance[i] = wanted;
  panel[0] = (Panel){.title = "energy [J]"};
  add_curve(&panel[0], "kinetic", "#d55e00", time, kinetic, rows);
  add_curve(&panel[0], "of gravity", "#0072b2", time, gravity, rows);
  add_curve(&panel[0], "elastic", "#009e73", time, elastic, rows);
  add_curve(&panel[0], "total", "#555555", time, total, rows);
  panel[1] = (Panel){.title = "residual E2 of every step", .logarithmic = true};
  add_curve(&panel[1], "residual", "#0072b2", end, residual, steps);
  add_curve(&panel[1], "tolerance", "#c8372d", end, tolerance, steps);
  panel[2] = (Panel){.title = "contacts in the problem"};
  add_curve(&panel[2], "contacts", "#0072b2", end, contacts, steps);
  for (int i = 0; i < 3; i++) {
    panel[i].top = TOP + 30 + PANEL * i;
    panel[i].x_low = rows ? time[0] : 0;
    panel[i].x_high = rows && time[rows - 1] > panel[i].x_low ? time[rows - 1] : panel[i].x_low + 1;
    find_range(&panel[i]);
  }
  return ASP_OK;
}

static AspError draw(const ResultFile *result, const Panel panel[3], const char *path) {
  AspContext *context = result->file.context;
  AspError error;
  FILE *file = asp_file_create(context, path, &error);
  if (!file)
    return error;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
          "<text x=\"%.1f\" y=\"28\" font-size=\"16\">",
          WIDTH, TOP + 30 + 3 * PANEL, LEFT);
  asp_svg_text(file, result->name);
  fputs("</text>\n", file);
  for (int i = 0; i < 3; i++) {
    write_axes(file, &panel[i]);
    for (int c = 0; c < panel[i].count; c++)
      write_curve(file, &panel[i], c);
  }
  fputs("</svg>\n", file);
  return asp_file_finish(context, path, file);
}

AspError asp_result_export_svg(AspContext *context, const char *result_path, const char *svg_path) {
  ResultFile result;
  ASP_TRY(asp_result_open(context, result_path, &result));
  AspArena scratch;
  asp_arena_init(&scratch, context);
  Panel panel[3];
  AspError error = fill_panels(&result, &scratch, panel);
  if (error == ASP_OK)
    error = draw(&result, panel, svg_path);
  asp_arena_free(&scratch);
  asp_result_shut(&result);
  return error;
}
