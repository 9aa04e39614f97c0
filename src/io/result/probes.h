/* Probes in a result file (probes.c). Depends on the tables. */
#ifndef ASP_IO_RESULT_PROBES_H
#define ASP_IO_RESULT_PROBES_H

#include "asperity/io.h"
#include "io/result/table.h"

#define RESULT_PROBE_NAME  "/probes/name"
#define RESULT_PROBE_UNIT  "/probes/unit"
#define RESULT_PROBE_TIME  "/probes/time"
#define RESULT_PROBE_VALUE "/probes/value"

typedef enum ProbeTableColumn { PROBE_TIME, PROBE_VALUES, PROBE_COLUMNS } ProbeTableColumn;

/* Names and units; nothing where there are no probes. */
AspError asp_result_probes_describe(const AspH5File *file, const AspProbes *probes);
void asp_result_probe_columns(const AspProbes *probes, ResultColumn columns[PROBE_COLUMNS]);
/* A row at the end of a step of dt where a probe is due; framed: a frame is written, too. */
AspError asp_result_probes_add(ResultTable *table, const AspProbes *probes, double t, double dt, bool framed,
                               bool *grown);

#endif
