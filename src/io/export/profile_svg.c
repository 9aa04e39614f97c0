/* Performance profiles: how often each method is within a given multiple of the best one (Dolan and More 2002).
 *
 *   ratio(m, p) = (t(m, p) + shift) / (min over methods t(., p) + shift),   rho_m(tau) = #{p : ratio(m, p) <= tau} / #p
 *
 * A problem that no method solves stays in the denominator. Depends on base and the public headers.
 */
#include "asperity/io.h"
#include "base/base.h"
#include "base/elementary.h"
#include "io/export/svg.h"
#include "io/file/text_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* the drawing, in SVG units */
#define WIDTH    760.0
#define HEIGHT   440.0
#define LEFT     60.0
#define RIGHT    580.0
#define TOP      40.0
#define BOTTOM   380.0
#define FURTHEST 1024.0 /* largest ratio shown */

static double time_of(const AspProfile *profile, int method, int problem) {
  double t = profile->time[(size_t)method * (size_t)profile->problems + (size_t)problem];
  return isfinite(t) && t >= 0 ? t : INFINITY;
}

static double ratio_of(const AspProfile *profile, int method, int problem) {
  double best = INFINITY;
  for (int m = 0; m < profile->methods; m++)
    best = fmin(best, time_of(profile, m, problem));
  double own = time_of(profile, method, problem);
  if (!isfinite(own))
    return INFINITY;
  return own == best ? 1 : (own + profile->shift) / (best + profile->shift);
}

double asp_profile_value(const AspProfile *profile, int method, double ratio) {
  int within = 0;
  for (int p = 0; p < profile->problems; p++)
    within += ratio_of(profile, method, p) <= ratio;
  return profile->problems ? (double)within / profile->problems : 0;
}

void asp_profile_print(const AspProfile *profile, void (*print)(void *user, const char *line), void *user) {
  static const double ratios[] = {1, 1.5, 2, 4, 10, 100};
  char line[256];
  int length = snprintf(line, sizeof line, "%-18s %9s", "method", "solved");
  for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++)
    length += snprintf(line + length, sizeof line - (size_t)length, " %6s%-4g", "<= ", ratios[k]);
  print(user, line);
  for (int m = 0; m < profile->methods; m++) {
    int solved = 0;
    for (int p = 0; p < profile->problems; p++)
      solved += isfinite(time_of(profile, m, p));
    length = snprintf(line, sizeof line, "%-18.40s %4d/%-4d", profile->name[m], solved, profile->problems);
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++)
      length +=
          snprintf(line + length, sizeof line - (size_t)length, " %10.3f", asp_profile_value(profile, m, ratios[k]));
    print(user, line);
  }
}

/* ---- SVG ---- */

static int compare_reals(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double x_of(double ratio, double furthest) { return LEFT + (RIGHT - LEFT) * asp_ln(ratio) / asp_ln(furthest); }
static double y_of(double fraction) { return BOTTOM - (BOTTOM - TOP) * fraction; }

/* Colours that stay apart for colour-blind readers; dashes tell further methods apart. */
static void style_of(int method, const char **colour, const char **dash) {
  static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"};
  static const char *const dashes[] = {"none", "6 3", "2 2", "8 3 2 3"};
  *colour = colours[method % 7];
  *dash = dashes[method / 7 % 4];
}

void asp_svg_text(FILE *file, const char *text) {
  for (; *text; text++)
    switch (*text) {
    case '&':
      fputs("&amp;", file);
      break;
    case '<':
      fputs("&lt;", file);
      break;
    case '>':
      fputs("&gt;", file);
      break;
    default:
      fputc(*text, file);
    }
}

static void write_axes(FILE *file, double furthest) {
  for (double ratio = 1; ratio <= furthest * 1.0001; ratio *= 2)
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
            x_of(ratio, furthest), TOP, x_of(ratio, furthest), BOTTOM, x_of(ratio, furthest), BOTTOM + 18, ratio);
  for (int tenths = 0; tenths <= 10; tenths += 2)
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
            LEFT, y_of(0.1 * tenths), RIGHT, y_of(0.1 * tenths), LEFT - 6, y_of(0.1 * tenths) + 4, 0.1 * tenths);
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">time / best time</text>\n", 0.5 * (LEFT + RIGHT),
          BOTTOM + 40);
  fprintf(file,
          "<text transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\">fraction of problems</text>\n",
          0.5 * (TOP + BOTTOM));
}

/* One method's curve: a staircase that rises at each of its ratios. */
static void write_curve(FILE *file, const AspProfile *profile, int method, double *ratios, double furthest) {
  const char *colour, *dash;
  style_of(method, &colour, &dash);
  for (int p = 0; p < profile->problems; p++)
    ratios[p] = ratio_of(profile, method, p);
  qsort(ratios, (size_t)profile->problems, sizeof *ratios, compare_reals);
  fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"M%.1f %.1f", colour,
          dash, LEFT, BOTTOM);
  for (int p = 0; p < profile->problems && ratios[p] <= furthest; p++)
    fprintf(file, "H%.2fV%.2f", x_of(ratios[p], furthest), y_of((p + 1.0) / profile->problems));
  fprintf(file, "H%.1f\"/>\n", RIGHT);
  double y = TOP + 10 + 18 * method;
  fprintf(
      file,
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>"
      "<text x=\"%.1f\" y=\"%.1f\">",
      RIGHT + 16, y, RIGHT + 44, y, colour, dash, RIGHT + 50, y + 4);
  asp_svg_text(file, profile->name[method]);
  fputs("</text>\n", file);
}

/* Smallest power of two beyond every ratio, between 2 and FURTHEST. */
static double last_ratio(const AspProfile *profile) {
  double largest = 2;
  for (int m = 0; m < profile->methods; m++)
    for (int p = 0; p < profile->problems; p++) {
      double ratio = ratio_of(profile, m, p);
      largest = isfinite(ratio) ? fmax(largest, ratio) : largest;
    }
  return fmin(FURTHEST, asp_pow(2, ceil(asp_log2(largest))));
}

AspError asp_profile_write_svg(AspContext *context, const char *path, const char *title, const AspProfile *profile) {
  double *ratios = asp_allocate(context, (size_t)profile->problems, sizeof *ratios);
  if (!ratios)
    return ASP_ERROR_MEMORY;
  AspError error;
  FILE *file = asp_file_create(context, path, &error);
  if (!file) {
    asp_release(context, ratios);
    return error;
  }
  double furthest = last_ratio(profile), height = fmax(HEIGHT, TOP + 30 + 18 * profile->methods);
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
          "<text x=\"%.1f\" y=\"24\" text-anchor=\"middle\" font-size=\"14\">",
          WIDTH, height, 0.5 * (LEFT + RIGHT));
  asp_svg_text(file, title);
  fputs("</text>\n", file);
  write_axes(file, furthest);
  for (int m = 0; m < profile->methods; m++)
    write_curve(file, profile, m, ratios, furthest);
  fputs("</svg>\n", file);
  asp_release(context, ratios);
  return asp_file_finish(context, path, file);
}
