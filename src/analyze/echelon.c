/* Gauss elimination with complete pivoting: see echelon.h. */
#include "analyze/echelon.h"

#include <math.h>

static void swap_rows(double *A, double *b, int columns, int i, int k) {
  for (int j = 0; i != k && j < columns; j++) {
    double t = A[(size_t)i * columns + j];
    A[(size_t)i * columns + j] = A[(size_t)k * columns + j];
    A[(size_t)k * columns + j] = t;
  }
  double t = b[i];
  b[i] = b[k];
  b[k] = t;
}

static double largest_from(const double *A, int rows, int columns, int from, const int *order, int *row, int *place) {
  double largest = 0;
  for (int i = from; i < rows; i++)
    for (int j = from; j < columns; j++) {
      double value = fabs(A[(size_t)i * columns + order[j]]);
      if (value > largest) {
        largest = value;
        *row = i;
        *place = j;
      }
    }
  return largest;
}

/* Reduced form on the pivot columns order[0 .. rank - 1]. */
static int reduce(int rows, int columns, double *A, double *b, double tolerance, int *order) {
  double first = 0;
  int most = rows < columns ? rows : columns, rank = 0;
  for (; rank < most; rank++) {
    int row = rank, place = rank;
    double largest = largest_from(A, rows, columns, rank, order, &row, &place);
    first = rank == 0 ? largest : first;
    if (!(largest > tolerance * first) || largest == 0)
      break;
    int column = order[place];
    order[place] = order[rank];
    order[rank] = column;
    swap_rows(A, b, columns, rank, row);
    double *p = A + (size_t)rank * columns, inverse = 1 / p[column];
    for (int j = 0; j < columns; j++)
      p[j] *= inverse;
    b[rank] *= inverse;
    for (int i = 0; i < rows; i++) {
      double *other = A + (size_t)i * columns, factor = other[column];
      if (i == rank || factor == 0)
        continue;
      for (int j = 0; j < columns; j++)
        other[j] -= factor * p[j];
      b[i] -= factor * b[rank];
    }
  }
  return rank;
}

AspError asp_echelon(AspArena *arena, int rows, int columns, double *A, double *b, double tolerance, AspEchelon *out) {
  *out = (AspEchelon){.rows = rows, .columns = columns, .x = ASP_TAKE(arena, double, columns)};
  int *order = ASP_TAKE(arena, int, columns);
  if (!out->x || !order)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < columns; j++)
    order[j] = j;
  out->rank = reduce(rows, columns, A, b, tolerance, order);
  int nullity = columns - out->rank;
  out->null_space = ASP_TAKE(arena, double, (size_t)nullity *(size_t)columns);
  if (!out->null_space)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < out->rank; i++)
    out->x[order[i]] = b[i];
  for (int i = out->rank; i < rows; i++)
    out->inconsistent = fmax(out->inconsistent, fabs(b[i]));
  for (int k = 0; k < nullity; k++) {
    double *v = out->null_space + (size_t)k * columns, largest = 1;
    v[order[out->rank + k]] = 1;
    for (int i = 0; i < out->rank; i++) {
      v[order[i]] = -A[(size_t)i * columns + order[out->rank + k]];
      largest = fmax(largest, fabs(v[order[i]]));
    }
    for (int j = 0; j < columns; j++)
      v[j] /= largest;
  }
  return ASP_OK;
}
