/* Series that end: c_0 + c_1 x + ... + c_(n - 1) x^(n - 1), from the last term on (Horner). Depends on nothing. */
#ifndef ASP_BASE_SERIES_H
#define ASP_BASE_SERIES_H

static inline double asp_series(int n, const double *c, double x) {
  double sum = c[n - 1];
  for (int i = n - 2; i >= 0; i--)
    sum = sum * x + c[i];
  return sum;
}

/* The same, with all coefficients of the array c. */
#define ASP_SERIES(c, x) asp_series((int)(sizeof(c) / sizeof *(c)), c, x)

#endif
