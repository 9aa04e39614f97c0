/* Tuning numbers of src/flex: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_FLEX_TUNING_FLEX_H
#define ASP_FLEX_TUNING_FLEX_H

#define DUAL_DIRECTIONS               12    /* directions | derivatives that a dual number carries | tests/flex, bench/beams */
#define ASP_FLEX_DEGREE_MAX           12    /* 1 | largest degree of the splines | tests/flex, bench/beams */
#define ASP_FLEX_ELEMENTS_MAX         4096  /* elements | of a beam at most | tests/flex, bench/beams */
#define ASP_FLEX_SERIES_BELOW         1e-4  /* rad | turn below which the series of an arc is used | tests/flex, bench/beams */
#define SPATIAL_ROD_HALF_ANGLE_SERIES 1e-4  /* 1 | square of the half angle's sine below which the series is used | tests/flex, bench/beams */
#define SPATIAL_ROD_STRAIGHT_ANGLE    1e-16 /* 1 | least 1 - z that is divided by | tests/flex, bench/beams */
#define SPATIAL_ROD_SERIES_BELOW      1e-3  /* rad^2 | square of the angle below which the series is used | tests/flex, bench/beams */
#define SPLINE_NEWTON_STEPS           100   /* steps | of Newton's method for a Gauss point at most | tests/flex, bench/beams */
#define SPLINE_ROUNDING               1e-15 /* 1 | step of Newton's method at which a Gauss point is found | tests/flex, bench/beams */

#endif
// clang-format on
