/* Siconos' lexicographic Lemke behind plain arrays, so that its headers stay in one file. */
#ifndef ASP_BENCH_SICONOS_LEMKE_H
#define ASP_BENCH_SICONOS_LEMKE_H

/* M: n x n, column-major. Returns Siconos' info (0: solved); *seconds is the time of its solver call alone, *pivots its
 * count. */
int siconos_lemke(int n, const double *M, const double *q, double *z, double *seconds, int *pivots);

#endif
