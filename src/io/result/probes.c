/* Probes in a result: /probes/name and unit of the columns, a growing table of time and values. A row is written when
 * one of them is due; what is not due then is NaN. */
#include "io/result/probes.h"

#include <math.h>

static const char *column_name(const void *probes, int i) { return asp_probes_name(probes, i); }
static const char *column_unit(const void *probes, int i) { return asp_probes_unit(probes, i); }

AspError asp_result_probes_describe(const AspH5File *file, const AspProbes *probes) {
  int count = asp_probes_count(probes);
  if (count == 0)
    return ASP_OK;
  ASP_TRY(asp_h5_make_group(file, "/probes"));
  ASP_TRY(asp_result_texts(file, RESULT_PROBE_NAME, "what the columns of value are", count, column_name, probes));
  return asp_result_texts(file, RESULT_PROBE_UNIT, "their units", count, column_unit, probes);
}

void asp_result_probe_columns(const AspProbes *probes, ResultColumn columns[PROBE_COLUMNS]) {
  columns[PROBE_TIME] = (ResultColumn){RESULT_PROBE_TIME, "s", "end of the step", RESULT_REAL, 0, {0}};
  columns[PROBE_VALUES] = (ResultColumn){RESULT_PROBE_VALUE, "", "one column per name; NaN: not sampled at this time",
                                         RESULT_REAL,        1,  {(hsize_t)asp_probes_count(probes)}};
}

/* A multiple of `every` lies in (t - dt, t], within rounding. */
static bool is_due(double every, double t, double dt) {
  if (!isfinite(dt)) // the initial state
    return true;
  double early = 1e-6 * dt;
  return floor((t + early) / every) > floor((t - dt + early) / every);
}

AspError asp_result_probes_add(ResultTable *table, const AspProbes *probes, double t, double dt, bool framed,
                               bool *grown) {
  int count = asp_probes_count(probes), due = 0;
  for (int i = 0; i < count; i++) {
    double every = asp_probes_every(probes, i);
    due += every > 0 ? is_due(every, t, dt) : framed;
  }
  if (due == 0)
    return ASP_OK;
  ASP_TRY(asp_table_reserve(table, grown));
  memcpy(asp_table_row(table, PROBE_TIME), &t, sizeof t);
  double *values = asp_table_row(table, PROBE_VALUES);
  for (int i = 0; i < count; i++) {
    double every = asp_probes_every(probes, i);
    values[i] = (every > 0 ? is_due(every, t, dt) : framed) ? asp_probes_value(probes, i) : NAN;
  }
  asp_table_next(table);
  return ASP_OK;
}
