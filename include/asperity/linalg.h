/* Asperity linalg: the plain data types that cross layer borders. Vectors and matrices of three dimensions by value,
 * sparse matrices as plain compressed columns. No functions.
 */
#ifndef ASPERITY_LINALG_H
#define ASPERITY_LINALG_H

#include "asperity/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AspVec3 {
  double x, y, z;
} AspVec3;

/* Unit quaternion, rotates body vectors into the world: x_world = q x_body q*. */
typedef struct AspQuat {
  double w, x, y, z;
} AspQuat;

/* Row-major: m[3 * row + column]. */
typedef struct AspMat3 {
  double m[9];
} AspMat3;

/* Position of the body's centre of mass and its orientation. In 2D scenes z = 0 and the rotation is about z. */
typedef struct AspPose {
  AspVec3 position;
  AspQuat orientation;
} AspPose;

/* Compressed columns: the entries of column j are value[k], at row row[k], for start[j] <= k < start[j + 1], rows
 * ascending within a column, no duplicates. Plain data: the arrays belong to their creator. */
typedef struct AspSparse {
  int rows, columns;
  int *start;    /* columns + 1 */
  int *row;      /* start[columns] */
  double *value; /* start[columns] */
} AspSparse;

#ifdef __cplusplus
}
#endif
#endif
