/* Processor time of steps in up to 50 chunks of equal length: the median over them is the time of a usual step, the mean
 * also has the rare expensive ones. Chunks because the clock takes longer to read than a small step. */
#ifndef ASP_BENCH_CHUNKS_H
#define ASP_BENCH_CHUNKS_H

#include <stdlib.h>

#include "bench_clock.h"

#define CHUNKS_MAX 50

typedef struct Chunks {
  long length;           /* steps */
  int count;             /* chunks that are finished */
  double us[CHUNKS_MAX]; /* per step */
  double started;        /* s */
} Chunks;

static Chunks chunks_begin(long steps) {
  long length = steps / CHUNKS_MAX;
  return (Chunks){.length = length > 0 ? length : 1};
}

static void chunks_end(Chunks *chunks) {
  if (chunks->count < CHUNKS_MAX)
    chunks->us[chunks->count++] = (processor_seconds() - chunks->started) * 1e6 / (double)chunks->length;
}

static void chunks_before(Chunks *chunks, long step) {
  if (step % chunks->length)
    return;
  if (step > 0)
    chunks_end(chunks);
  chunks->started = processor_seconds();
}

static int chunks_compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double chunks_median(Chunks *chunks) {
  qsort(chunks->us, (size_t)chunks->count, sizeof *chunks->us, chunks_compare);
  return chunks->us[chunks->count / 2];
}

static double chunks_mean(const Chunks *chunks) {
  double sum = 0;
  for (int i = 0; i < chunks->count; i++)
    sum += chunks->us[i];
  return sum / chunks->count;
}

#endif
