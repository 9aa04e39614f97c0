/* Cubic splines: second derivatives at the points (spline.c). Depends on base. */
#ifndef ASP_MODEL_SPLINE_H
#define ASP_MODEL_SPLINE_H

#include "base/base.h"

typedef enum SplineEnds {
  SPLINE_NATURAL, /* no curvature at the ends */
  SPLINE_CLAMPED, /* no slope at the ends */
  SPLINE_PERIODIC /* slope and curvature are equal at both ends, as the values are */
} SplineEnds;

/* curve: count. x ascends. Unchecked: numbers may overflow to infinity. */
AspError asp_spline_curvature(AspContext *context, int count, const double *x, const double *y, SplineEnds ends,
                              double *curve);

#endif
