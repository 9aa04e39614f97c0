/* Tuning numbers of compliant contact: name, value, unit, what it is and trades, where it was measured or what guards it. One
 * row per number; docs/reference/tuning.md is made of them. Depends on nothing. */
// clang-format off
#ifndef ASP_SCHEME_TUNING_COMPLIANT_H
#define ASP_SCHEME_TUNING_COMPLIANT_H

#define COMPLIANT_NEAR         0.05  /* share | of the largest body: contacts this near get an impulse of their own | tests/world */
#define COMPLIANT_ABSOLUTE     1e-3  /* share | of the size: absolute tolerance of lengths over the relative one; deflections are small | tests/world */
#define COMPLIANT_FINEST       1e-12 /* share | of the size: smaller deflections drown in the rounding of positions | tests/world */
#define COMPLIANT_SCHEME_SHARP 1e-9  /* share | tolerance of the integrator at most | tests/world */

#endif
// clang-format on
