/* The points of a study: every combination of the grids and lists, each with every sample.
 *
 *   point = (((i_1 n_2 + i_2) n_3 + i_3) ... ) samples + s      the first parameter varies slowest, samples fastest
 *
 * Samples are rows in the unit cube, scaled to the ranges. Latin hypercube: McKay, Beckman and Conover 1979. Sobol:
 * direction numbers of Joe and Kuo 2008 (new-joe-kuo-6) for up to 21 parameters, in Gray-code order, with a digital
 * shift by the seed, which keeps the stratification.
 */
#include "base/elementary.h"
#include "io/study/study.h"

#include <math.h>

#define SOBOL_BITS 52
#define SOBOL_MOST 21

typedef struct Direction {
  int degree, polynomial;
  unsigned m[7];
} Direction;

/* Of dimensions 2 to 21; the first one has m = 1, 1, 1, ... */
static const Direction directions[SOBOL_MOST - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* v_k = m_k 2^(bits - k), with m_k by the recurrence of the primitive polynomial. */
static void direction_numbers(int dimension, uint64_t v[SOBOL_BITS]) {
  const Direction *d = dimension ? &directions[dimension - 1] : NULL;
  int s = d ? d->degree : 0;
  for (int k = 0; k < SOBOL_BITS; k++) {
    if (!d || k < s) {
      v[k] = (uint64_t)(d ? d->m[k] : 1) << (SOBOL_BITS - 1 - k);
      continue;
    }
    v[k] = v[k - s] ^ v[k - s] >> s;
    for (int j = 1; j < s; j++)
      if (d->polynomial >> (s - 1 - j) & 1)
        v[k] ^= v[k - j];
  }
}

static void sample_sobol(AspStudy *study, AspRandom *random) {
  int columns = study->sampled_count;
  for (int c = 0; c < columns; c++) {
    uint64_t v[SOBOL_BITS], x = asp_random_bits(random) >> (64 - SOBOL_BITS);
    direction_numbers(c, v);
    for (int64_t i = 0; i < study->sample_count; i++) {
      study->sample[i * columns + c] = ldexp((double)x, -SOBOL_BITS);
      int bit = 0; // the lowest zero of i
      while (i >> bit & 1)
        bit++;
      x ^= v[bit];
    }
  }
}

static AspError sample_latin(AspStudy *study, AspRandom *random) {
  int columns = study->sampled_count;
  int64_t count = study->sample_count, *slice = asp_allocate(study->context, (size_t)count, sizeof *slice);
  if (!slice)
    return ASP_ERROR_MEMORY;
  for (int c = 0; c < columns; c++) {
    for (int64_t i = 0; i < count; i++)
      slice[i] = i;
    for (int64_t i = count - 1; i > 0; i--) { // Fisher and Yates
      int64_t k = (int64_t)(asp_random_bits(random) % (uint64_t)(i + 1)), kept = slice[i];
      slice[i] = slice[k];
      slice[k] = kept;
    }
    for (int64_t i = 0; i < count; i++)
      study->sample[i * columns + c] = ((double)slice[i] + asp_random_uniform(random, 0, 1)) / (double)count;
  }
  asp_release(study->context, slice);
  return ASP_OK;
}

AspError asp_study_sample(AspStudy *study, StudySampling method, uint64_t seed) {
  AspRandom random = {seed};
  size_t numbers = (size_t)study->sample_count * (size_t)study->sampled_count;
  if (study->sampled_count > SOBOL_MOST && method == SAMPLE_SOBOL)
    return asp_fail(study->context, ASP_ERROR_INPUT, "sobol samples at most %d parameters, %d have a range; use latin",
                    SOBOL_MOST, study->sampled_count);
  study->sample = asp_allocate(study->context, numbers, sizeof *study->sample);
  if (!study->sample)
    return ASP_ERROR_MEMORY;
  if (method == SAMPLE_SOBOL)
    sample_sobol(study, &random);
  else if (method == SAMPLE_LATIN)
    return sample_latin(study, &random);
  else
    for (size_t i = 0; i < numbers; i++)
      study->sample[i] = asp_random_uniform(&random, 0, 1);
  return ASP_OK;
}

int64_t asp_study_size(const AspStudy *study) {
  double size = study->sampled_count ? (double)study->sample_count : 1;
  for (int i = 0; i < study->parameter_count; i++)
    size *= study->parameter[i].count ? (double)study->parameter[i].count : 1;
  return size <= 1e7 ? (int64_t)size : -1;
}

double asp_study_value(const AspStudy *study, int64_t point, int parameter) {
  const StudyParameter *p = &study->parameter[parameter];
  int64_t samples = study->sampled_count ? study->sample_count : 1, sample = point % samples, grid = point / samples;
  if (p->count == 0) {
    double x = study->sample[sample * study->sampled_count + p->sampled];
    return p->logarithmic ? p->low * asp_pow(p->high / p->low, x) : p->low + (p->high - p->low) * x;
  }
  for (int i = study->parameter_count - 1; i > parameter; i--)
    grid /= study->parameter[i].count ? study->parameter[i].count : 1;
  return p->value[grid % p->count];
}
