/* Sums of doubles that do not depend on the order of their terms: fixed point in many words.
 *
 *   sum = sum_i word[i] 2^(EXACT_BITS i - EXACT_LOWEST)
 *
 * A term of 53 bits goes into two or three neighbouring words without rounding; bits below 2^-EXACT_LOWEST are cut off,
 * the same ones wherever the term is added. Words have 63 - EXACT_BITS bits of room, so that 2^20 terms may be added
 * before carries are passed on, and that many ranks' sums after that: integer sums over ranks are exact, too.
 * Terms that are not finite or too large are counted and make the sum infinite. Depends on nothing.
 */
#ifndef ASP_PROBLEM_EXACT_SUM_H
#define ASP_PROBLEM_EXACT_SUM_H

#include "problem/tuning/problem.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum {
  EXACT_LENGTH = EXACT_WORDS + 1, /* int64 of one sum: words, then the number of unusable terms */
  EXACT_HIGHEST = EXACT_BITS * (EXACT_WORDS - 1) - EXACT_LOWEST /* terms are smaller than 2^this */
};

/* sum: EXACT_LENGTH values, zero at the start. */
static inline void asp_exact_add(int64_t *sum, double term) {
  const int64_t mask = ((int64_t)1 << EXACT_BITS) - 1;
  int exponent;
  double fraction = frexp(fabs(term), &exponent);
  if (!(fabs(term) < ldexp(1, EXACT_HIGHEST))) { // NaN, too
    sum[EXACT_WORDS]++;
    return;
  }
  int64_t bits = (int64_t)ldexp(fraction, DBL_MANT_DIG);
  int place = exponent - DBL_MANT_DIG + EXACT_LOWEST;
  if (place < 0) {
    bits = place > -DBL_MANT_DIG ? bits >> -place : 0;
    place = 0;
  }
  int word = place / EXACT_BITS, shift = place % EXACT_BITS;
  int64_t low = (bits & (mask >> shift)) << shift, middle = (bits >> (EXACT_BITS - shift)) & mask;
  int64_t high = 2 * EXACT_BITS - shift < DBL_MANT_DIG ? bits >> (2 * EXACT_BITS - shift) : 0;
  int64_t sign = term < 0 ? -1 : 1;
  sum[word] += sign * low;
  sum[word + 1] += sign * middle;
  if (high)
    sum[word + 2] += sign * high;
}

/* All words but the last between 0 and 2^EXACT_BITS - 1; the value stays the same. */
static inline void asp_exact_carry(int64_t *sum) {
  const int64_t base = (int64_t)1 << EXACT_BITS;
  for (int i = 0; i + 1 < EXACT_WORDS; i++) {
    int64_t digit = sum[i] % base;
    digit += digit < 0 ? base : 0;
    sum[i + 1] += (sum[i] - digit) / base;
    sum[i] = digit;
  }
}

/* The sum as a double. */
static inline double asp_exact_value(const int64_t *sum) {
  int64_t word[EXACT_LENGTH];
  double value = 0;
  for (int i = 0; i < EXACT_LENGTH; i++)
    word[i] = sum[i];
  asp_exact_carry(word);
  double sign = word[EXACT_WORDS - 1] < 0 ? -1 : 1;
  if (sign < 0) {
    for (int i = 0; i < EXACT_WORDS; i++)
      word[i] = -word[i];
    asp_exact_carry(word);
  }
  for (int i = EXACT_WORDS - 1; i >= 0; i--)
    value += ldexp((double)word[i], EXACT_BITS * i - EXACT_LOWEST);
  return word[EXACT_WORDS] ? (double)INFINITY : sign * value;
}

#endif
