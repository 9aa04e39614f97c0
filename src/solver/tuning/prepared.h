/* Tuning numbers of the prepared problem (prepared.c): name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SOLVER_TUNING_PREPARED_H
#define ASP_SOLVER_TUNING_PREPARED_H

#define PREPARED_LEAST_FRICTION      1e-100 /* 1 | coefficient of friction up to which a contact counts as frictionless: far below rounding, and its square does not underflow | tests/solver/test_prepared.c */

#endif
// clang-format on
