/* Tuning numbers of packed Gauss-Seidel of large problems (packed*.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_PACKED_H
#define ASP_SOLVER_TUNING_PACKED_H

#define PACKED_BLOCKS              128   /* blocks | per part of a parallel loop | bench/piles */
#define PACKED_BODIES              128   /* bodies | per part of a parallel loop | bench/piles */
#define ASP_ROUNDING               1e-12 /* 1 | of what is equal but for rounding, relative | bench/piles */
#define ASP_LANES                  16    /* contacts | of a batch: lanes of the widest registers in floats | bench/piles */
#define ASP_LINES                  2     /* bodies | bodies come in multiples of this: what fills the widest vector | bench/piles */
#define ASP_GROUND_LINES           4     /* lines | lines of the ground in a set, taken in turn: a batch need not wait for the one before | bench/piles */
#define ASP_LONGEST_WINDOW         16    /* looks | by which the rate of convergence is measured at most | bench/piles */
#define PACKED_ORDER_SLAB_CONTACTS 1024  /* contacts | of a slab that stays in the cache | bench/piles */
#define PACKED_ORDER_OPEN          16    /* batches | batches open at a time: fills the lanes of a pile to more than 95 % | bench/piles */
#define PACKED_SOLVE_CHECK_EVERY   8     /* sweeps | sweeps between looks at the residual | bench/piles */
#define PACKED_SOLVE_LIGHT_EVERY   16    /* sweeps | between looks at the residual while sweeping in floats | bench/piles */
#define PACKED_SOLVE_LIGHT         1e-5  /* 1 | AspResidual.contact down to which floats do | bench/piles */
#define PACKED_SOLVE_FLOAT_LEAST   1e-10 /* 1 | mean normal reactions between which squares of floats are safe | bench/piles */
#define PACKED_SOLVE_FLOAT_MOST    1e10  /* N s | mean normal reaction above which squares of floats overflow | bench/piles */
#define PACKED_SOLVE_FRESH_EVERY   16    /* looks | looks between velocities afresh from r | bench/piles */
#define PACKED_SOLVE_MOMENTUM      0.8   /* 1 | beta at the start | bench/piles */
#define PACKED_SOLVE_GENTLE        0.5   /* 1 | where the start is as good as AspResidual.contact = CLOSE, so that little is to be moved | bench/piles */
#define PACKED_SOLVE_CLOSE         1e-2  /* 1 | AspResidual.contact of a start that counts as close | bench/piles */
#define PACKED_SOLVE_MOST          0.93  /* 1 | its cap, and what is tried after stagnation: CAREFUL, then 0 | bench/piles */
#define PACKED_SOLVE_CAREFUL       0.6   /* 1 | beta that is tried after stagnation | bench/piles */
#define PACKED_SOLVE_LEAST         0.75  /* share | share of it that is left where the residual keeps rising | bench/piles */
#define PACKED_SOLVE_FASTER        0.9   /* factor | factors of 1 - beta where the residual fell, and where it rose | bench/piles */
#define PACKED_SOLVE_SLOWER        2     /* factor | on 1 - beta where the residual rose | bench/piles */
#define PACKED_SOLVE_HOT           0.96  /* share | beta of the first and of the last of a limited number of sweeps that will not do | bench/piles */
#define PACKED_SOLVE_COLD          0.5   /* 1 | beta of the last of a limited number of sweeps | bench/piles */
#define PACKED_SOLVE_HOT_EVERY     96    /* sweeps | sweeps between looks meanwhile, until the last | bench/piles */
#define PACKED_SOLVE_LAST_SWEEPS   96    /* sweeps | at the end of a limit with looks as often as usual | bench/piles */
#define PACKED_SOLVE_CALM_SWEEPS   32    /* sweeps | last sweeps of a limit that will not do | bench/piles */
#define PACKED_SOLVE_CALM          0.5   /* 1 | and their beta at most: what swings dies down | bench/piles */
#define PACKED_SOLVE_AIM           0.5   /* share | share of the tolerances at which sweeping ends | bench/piles */
#define PACKED_SOLVE_FAR           100   /* starts | excess beyond which other starts are looked at and the tolerance is not in sight | bench/piles */
#define PACKED_SOLVE_ROUGH         0.1   /* 1 | of starts unless AspResidual.contact says that none is any good | bench/piles */
#define PACKED_SOLVE_WINDOW        4     /* checks | checks over which the rate is measured | bench/piles */
#define PACKED_SOLVE_HOPE          12    /* checks | checks without progress after which a residual that rises counts as stuck | bench/piles */
#define PACKED_SOLVE_STAGNATION    12    /* checks | checks without progress | bench/piles */
#define PACKED_SOLVE_BATCHES       32    /* batches | per part of a parallel loop | bench/piles */
#define PACKED_SOLVE_BODIES        256   /* bodies | per part of a parallel loop | bench/piles */
#define PACKED_SOLVE_EXTRAPOLATED  2048  /* bodies | per part of the loop of momentum | bench/piles */
#define PACKED_SOLVE_PROGRESS      0.95  /* share | of the least excess: less is progress | bench/piles */
#define PARTS_TOLERANCE            1e-6  /* 1 | of a solve in parts, where none is given | bench/cells */
#define PARTS_SWEEPS               2000  /* sweeps | of a solve in parts at most, where nothing is given | bench/cells */

#endif
// clang-format on
