/* Tuning numbers of src/model: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_MODEL_TUNING_MODEL_H
#define ASP_MODEL_TUNING_MODEL_H

#define CHECK_UNIT_TOLERANCE          1e-6   /* 1 | how far a quaternion's length may be from 1 | tests/model */
#define CHECK_SYMMETRY_TOLERANCE      1e-9   /* 1 | of an inertia, relative to its largest entry | tests/model */
#define EXPRESSION_TEXT_MAX           65536  /* characters | of an expression at most | tests/model */
#define EXPRESSION_NESTING_MAX        64     /* levels | of brackets, signs and powers inside one another | tests/model */
#define EXPRESSION_STACK_MAX          128    /* values | operands waiting at a time | tests/model */
#define EXPRESSION_DIGITS_MAX         100    /* digits | of one number | tests/model */
#define EXPRESSION_EXPONENT_MOST      100000 /* 1 | decimal exponent beyond which digits no longer count | tests/model */
#define EXPRESSION_NAME_MAX           80     /* characters | of the name of a variable | tests/model */
#define EXPRESSION_TABLE_MAX          1024   /* characters | of the name of a table, which may be a path | tests/model */
#define EXPRESSION_NAMED_CHARACTERS   40     /* characters | of an unknown name that a message shows | tests/model */
#define TABLE_PIECES_AT_ONCE          64     /* pieces | of a table that an interval may cover to get bounds: wider ones are halved first | tests/model */
#define TIMED_LOOKS                   16     /* parts | of a step in which a load is looked at that may be uneven | bench/truth/loads_known.py */
#define TIMED_EVALUATIONS             4000   /* intervals | that are looked at for one change: halving down to rounding takes about 100 | tests/model */
#define TIMED_ROUNDINGS               8.0    /* roundings | of the time: closer instants are one | tests/model */
#define TIMED_SAME                    1e-12  /* share | of the value or slope: a smaller jump is none | tests/model */
#define JOINT_PERPENDICULAR_TOLERANCE 1e-6   /* 1 | on the cosine between a universal joint's axes | tests/model */
#define JOINT_INITIAL_TOLERANCE       1e-6   /* 1 | between the initial coordinate and the prescribed motion at t = 0 | tests/model */
#define COMPOUND_STEPS                30     /* steps | of Newton's method for the coordinates of a compound joint at most | tests/model */
#define COMPOUND_STEP_LAST            1e-9   /* rad, m | a step below this is the last: it converges quadratically | tests/model */
#define COMPOUND_TURN                 0.5    /* rad | of a step at most: longer ones lead to other angles of the same pose | tests/model */
#define COMPOUND_ACROSS               1e-9   /* 1 | sum of cosines below which a turn is across two slides | tests/model */
#define COMPOUND_SINGULAR             1e-5   /* 1 | sine of the axes of a compound joint below which they are dependent | tests/model */
#define JOINT_STATE_MET               1e-12  /* m, rad | joints are closed below this | tests/model */
#define JOINT_STATE_STEPS             40     /* steps | of Newton's method at most | tests/model */
#define JOINT_STATE_TURN              0.2    /* rad, m | of a coordinate in a loop, at a time | tests/model */
#define JOINT_STATE_TURNS             1000   /* steps | of such at most | tests/model */
#define JOINT_STATE_SINGULAR          1e-12  /* 1 | pivots below this part of the largest belong to redundant rows | tests/model */
#define ASP_LABEL_BYTES               96     /* bytes | of a name in messages | tests/model */
#define NAMES_FIRST_SLOTS             16     /* entries | of a table of names at first | tests/model */
#define SPLINE_PERIODIC_LEAST         4      /* points | of a periodic spline at least, the last with the value of the first | tests/model */
#define TABLE_POINTS_MAX              20000000 /* points | of one table at most, so that sizes fit in an int | tests/model */
#define TABLE_CLOSED                  1e-9   /* 1 | between first and last value of a table that repeats, relative to its largest: files have rounded numbers | tests/model */
#define TABLE_EVEN                    0.01   /* 1 | points within this part of a spacing from an even grid are found by a division | tests/model */
#define STATE_GRAIN                   128    /* bodies | least number of bodies for one thread | bench/piles -c threads */

#endif
// clang-format on
