/* B-splines over [0, L] in equal elements, knots repeated at the ends (Cox and de Boor), and Gauss's quadrature.
 * Depends on nothing.
 */
#ifndef ASP_FLEX_SPLINE_H
#define ASP_FLEX_SPLINE_H

/* The functions that are not zero in an element are degree + 1: numbers element .. element + degree. */
typedef struct AspSplines {
  int degree, elements;
  double length;
} AspSplines;

int asp_spline_element(const AspSplines *splines, double s);
/* values[d][k]: derivative d = 0 .. derivatives (at most 2) of function element + k at s */
void asp_spline_values(const AspSplines *splines, int element, double s, int derivatives, double *const *values);
/* Greville's abscissa: the mean of the knots of function i; the coefficients of the identity. */
double asp_spline_greville(const AspSplines *splines, int i);

/* Nodes in (-1, 1) and weights of the rule with n points, exact to degree 2 n - 1. */
void asp_gauss_rule(int n, double *node, double *weight);

#endif
