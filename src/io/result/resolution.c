/* The measures of resolution over a run: threshold, worst value and its time, how many steps exceeded it, and where.
 * Written when the run ends; a file that was cut off has the measures of every step. */
#include "io/result/layout.h"

#include <math.h>

typedef struct Places {
  char text[ASP_MEASURE_COUNT][256];
} Places;

static const char *place_of(const void *user, int index) { return ((const Places *)user)->text[index]; }

AspError asp_result_write_resolution(const AspH5File *file, const AspWorld *world) {
  static const ResultColumn columns[] = {
      {"/resolution/threshold", "1 or rad", "above it a step is not resolved; 0: not judged", RESULT_REAL, 0, {0}},
      {"/resolution/worst", "1 or rad", "largest value of the run; NaN: does not apply", RESULT_REAL, 0, {0}},
      {"/resolution/worst_time", "s", "end of the step with the largest value", RESULT_REAL, 0, {0}},
      {"/resolution/steps", "", "steps that exceeded the threshold", RESULT_REAL, 0, {0}}};
  const AspMeasured *table = asp_world_resolution(world);
  double values[4][ASP_MEASURE_COUNT];
  Places places;
  for (int i = 0; i < ASP_MEASURE_COUNT; i++) {
    values[0][i] = table[i].threshold;
    values[1][i] = table[i].applies ? table[i].worst : NAN;
    values[2][i] = table[i].t;
    values[3][i] = (double)table[i].steps;
    asp_world_measure_place(world, (AspMeasure)i, places.text[i], sizeof places.text[i]);
  }
  for (int c = 0; c < 4; c++)
    ASP_TRY(asp_result_array(file, &columns[c], ASP_MEASURE_COUNT, values[c]));
  return asp_result_texts(file, "/resolution/where", "joint or bodies of the largest value", ASP_MEASURE_COUNT,
                          place_of, &places);
}
