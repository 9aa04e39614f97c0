/* Tuning numbers of the time-stepping schemes and what they share: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SCHEME_TUNING_SCHEME_H
#define ASP_SCHEME_TUNING_SCHEME_H

#define CONSISTENT_ALIKE            1e-9    /* share | of the velocities' size: they fit already | tests/world */
#define CONSTRAINED_DEPENDENT       1e-10   /* share | of the largest pivot of the scaled system | tests/world */
#define DEPENDENT_REST              1e-6    /* share | slip below this share of the bodies' own speeds is rest | tests/world */
#define DEPENDENT_STEEPEST          0.9     /* share | slope of the fixed point up to which it is extrapolated | tests/world */
#define DEPENDENT_ITERATIONS        60      /* iterations | of the fixed point for friction that depends on the motion | tests/world */
#define DEPENDENT_AGREE             0.01    /* share | of the tolerance: coefficients that differ less agree | tests/world */
#define DEPENDENT_EXTRAPOLATE       2       /* iterations | iterations before the slope is known | tests/world */
#define DEPENDENT_GRAIN             256     /* blocks | blocks for one thread at least | bench/piles -c threads */
#define IMPACT_TIE                  1e-6    /* 1 | approaches that differ less, relatively, are equal | tests/world */
#define IMPACT_MOST_PER_CONTACT     200     /* impacts | single ones per contact, on average, at most | tests/world */
#define IMPACT_BALANCE_ROUNDING     1e-9    /* share | of the sum of the sizes of all terms | tests/world */
#define KNOWN_VELOCITY_SERIES_BELOW 1e-12   /* 1 | sine of the half angle below which the series is used | tests/world */
#define PREDICTOR_SOLVES         2      /* solves | of a step's joints for its expected end at most | bench/orders */
#define PREDICTOR_TURN           1e-4   /* rad | change of the middle's orientations at which prediction ends | bench/orders */
#define PREDICTOR_CONTRACTION    0.5    /* factor | by which each prediction must change less than the one before | tests/scheme */
#define PREDICTOR_REST           1e-8   /* rad | turn of the middle by the last accelerations below which nothing is predicted | tests/scheme, bench/robots */
#define PREDICTOR_SURPRISE       1e-6   /* rad | error of the middle's orientations in the last step up to which accelerations are extrapolated instead of solved for | tests/scheme, bench/robots */
#define PREDICTOR_KNOWN          8      /* steps | for which the error of the last solve stands for that of the next one | bench/robots */
#define PREDICTOR_RESIDUAL       1e-6   /* 1 | E2 of a prediction that is used | tests/scheme */
#define STEP_MEMORY_AHEAD        2      /* factor | on the time between the last two steps: no farther are accelerations extrapolated, only kept | tests/scheme */
#define PROJECT_END_PASSES          4       /* solves | with the factors of the step's middle for the joints at its end | bench/robots */
#define PROJECT_END_FALLS           0.5     /* factor | on what is off, by which each of them must make it less | tests/scheme */
#define PROJECT_FARTHEST            0.125   /* 1 | of a body's reach; spheres: the gap that a tangential move misjudges is 1/128 of it | tests/world */
#define ASP_LATE_SOLVES             5       /* solves | solves of a step at most: what is still missed then is the next step's | tests/world */
#define SENSED_SOLVES               8       /* solves | of a step for the velocities that loads depend on, at most | bench/truth/loads_known.py */
#define SENSED_NEAR                 1e-6    /* share | of the velocities: a smaller change ends that | bench/truth/loads_known.py */
#define SENSED_LEAST                0.05    /* factor | on the relaxation from one solve to the next at least | tests/world */
#define SENSED_MOST                 4.0     /* factor | the same at most | tests/world */
#define SMALLEST_MOST               400     /* rows | up to which the smallest reactions are computed densely | tests/world */
#define SMOOTH_MOST_STEPS           2000000 /* steps | of the integrator in one motion at most | tests/world */
#define SMOOTH_MOST_RATE            1e150   /* m/s, m/s^2, 1/s, rad/s^2 | of a variable: larger ones have squares that overflow | tests/world */
#define SMOOTH_EFFORT               400     /* operations | of counted effort per unknown of an evaluation of the forces | callgrind, small scenes */
#define SMOOTH_DIFFERENCE           1e-7    /* share | of a variable: step of the difference quotient | tests/world */
#define SMOOTH_DIFFERENCE_LEAST     1e-3    /* share | of the size: least variable for that step | tests/world */
#define STEP_SMALL                  150     /* rows | rows: to go on costs little | tests/world */
#define STEP_CONFIRMED                1e-12   /* share | of the largest velocity: so far those of a trial may be from the judge's | tests/world */
#define STEP_SLOW                   100     /* factor | times what gravity gives in a step: slower is near rest | tests/world */
#define STEP_TOTALS_TOTAL_FLOWS     12      /* count | Rates of energy's flow (six parts) and of the outside impulse and its moment, as unknowns of the integrator. | tests/world */

#endif
// clang-format on
