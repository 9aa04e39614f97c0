/* B-splines by the recursion of Cox and de Boor,
 *
 *   N_{i,0}  = 1 in [t_i, t_{i+1}), else 0
 *   N_{i,p}  = (s - t_i)/(t_{i+p} - t_i) N_{i,p-1} + (t_{i+p+1} - s)/(t_{i+p+1} - t_{i+1}) N_{i+1,p-1}
 *   N'_{i,p} = p (N_{i,p-1}/(t_{i+p} - t_i) - N_{i+1,p-1}/(t_{i+p+1} - t_{i+1}))
 *
 * (t_i: knots, p: degree, N': derivative by s), and the nodes of Gauss's rule as roots of Legendre polynomials by
 * Newton's method. Source: de Boor, A Practical Guide to Splines, 2001. */
#include "flex/spline.h"
#include "base/elementary.h"

#include "base/constants.h"
#include "flex/flex.h"
#include "flex/tuning/flex.h"

#include <math.h>

static double knot(const AspSplines *splines, int degree, int i) {
  int element = i - degree;
  element = element < 0 ? 0 : element > splines->elements ? splines->elements : element;
  return splines->length * element / splines->elements;
}

int asp_spline_element(const AspSplines *splines, double s) {
  int element = (int)floor(s / splines->length * splines->elements);
  return element < 0 ? 0 : element >= splines->elements ? splines->elements - 1 : element;
}

/* The degree + 1 functions of this degree in the element; their knots are those of that degree. */
static void functions(const AspSplines *splines, int degree, int element, double s, double *N) {
  N[0] = 1;
  for (int p = 1; p <= degree; p++) {
    // function k of degree p in the element rises from knot e + k - p, falls to knot e + k + 1 (breakpoints, clamped)
    double carried = 0;
    for (int k = 0; k < p; k++) {
      double low = knot(splines, 0, element + k - p + 1), high = knot(splines, 0, element + k + 1);
      double part = N[k] / (high - low);
      N[k] = carried + (high - s) * part;
      carried = (s - low) * part;
    }
    N[p] = carried;
  }
}

/* derivative of the functions of degree p from the values (or derivatives) of those of degree p - 1 */
static void differentiate(const AspSplines *splines, int p, int element, const double *lower, double *out) {
  for (int k = 0; k <= p; k++) {
    double rise = 0, fall = 0;
    if (k > 0)
      rise = lower[k - 1] / (knot(splines, 0, element + k) - knot(splines, 0, element + k - p));
    if (k < p)
      fall = lower[k] / (knot(splines, 0, element + k + 1) - knot(splines, 0, element + k - p + 1));
    out[k] = p * (rise - fall);
  }
}

void asp_spline_values(const AspSplines *splines, int element, double s, int derivatives, double *const *values) {
  double lower[ASP_FLEX_DEGREE_MAX + 1], middle[ASP_FLEX_DEGREE_MAX + 1];
  int p = splines->degree;
  functions(splines, p, element, s, values[0]);
  if (derivatives >= 1) {
    functions(splines, p - 1, element, s, lower);
    differentiate(splines, p, element, lower, values[1]);
  }
  if (derivatives >= 2) {
    functions(splines, p - 2, element, s, lower);
    differentiate(splines, p - 1, element, lower, middle);
    differentiate(splines, p, element, middle, values[2]);
  }
}

double asp_spline_greville(const AspSplines *splines, int i) {
  double sum = 0;
  for (int k = 1; k <= splines->degree; k++)
    sum += knot(splines, splines->degree, i + k);
  return splines->degree > 0 ? sum / splines->degree : 0;
}

void asp_gauss_rule(int n, double *node, double *weight) {
  for (int i = 0; i < n; i++) {
    // exact: Tricomi's start
    double x = -asp_cos(ASP_PI * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int iteration = 0; iteration < SPLINE_NEWTON_STEPS; iteration++) {
      double P = 1, before = 0;
      for (int k = 1; k <= n; k++) {
        double next = ((2 * k - 1) * x * P - (k - 1) * before) / k;
        before = P;
        P = next;
      }
      slope = n * (before - x * P) / (1 - x * x);
      double step = P / slope;
      x -= step;
      if (fabs(step) < SPLINE_ROUNDING)
        break;
    }
    node[i] = x;
    weight[i] = 2 / ((1 - x * x) * slope * slope);
  }
}
