/* Elementary functions with the same bits on every processor, with every compiler and every C library.
 *
 * The C library's functions are not that: it chooses their code by processor (with fused multiply-add or without), and
 * their last bits change from version to version. Here nothing but sums, products, quotients and roots is used, which
 * IEEE 754 rounds in one way, in one order. All code of src/ calls these; the test source/elementary looks for others.
 * What the C library computes exactly stays its: sqrt, floor, rint, fmod, frexp, ldexp.
 *
 * Errors are below 0.9 units in the last place where results are normal numbers (tests/base/test_elementary.c),
 * special values those of ISO C; errno and the floating-point flags mean nothing. Depends on nothing.
 */
#ifndef ASP_BASE_ELEMENTARY_H
#define ASP_BASE_ELEMENTARY_H

/* elementary_exp.c */
double asp_exp(double x);
double asp_exp2(double x);
double asp_ln(double x); /* to base e: asp_log writes messages */
double asp_log2(double x);
double asp_log10(double x);
double asp_pow(double x, double y);
double asp_sinh(double x);
double asp_cosh(double x);
double asp_tanh(double x);

/* elementary_angle.c */
double asp_sin(double x);
double asp_cos(double x);
double asp_tan(double x);
double asp_asin(double x);
double asp_acos(double x);
double asp_atan(double x);
double asp_atan2(double y, double x);

/* elementary_root.c */
double asp_cbrt(double x);
double asp_hypot(double x, double y);

#endif
