/* bench_peers [FOLDER [CSV]]: the scenes of scenes/peers on Asperity and on the engines that are
 * installed, one judge (tests/support/peer_judge.h), one run. Prints a table with what is asked of Asperity and writes
 * bench/results/peers.csv. Ends with 1 when Asperity misses a line. The timing of piles has its own program
 * (bench_piles). */
#include "engines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MEASURES_MAX 64

static const PeerEngine *const engines[] = {
    &peer_asperity,
#ifdef ASP_BENCH_MUJOCO
    &peer_mujoco,   &peer_mujoco_elliptic,
#endif
#ifdef ASP_BENCH_BULLET
    &peer_bullet,   &peer_bullet_tight,
#endif
#ifdef ASP_BENCH_ODE
    &peer_ode,      &peer_ode_quick,
#endif
};
#define ENGINE_COUNT ((int)(sizeof engines / sizeof *engines))

typedef struct Table {
  PeerMeasure row[MEASURES_MAX]; /* value: Asperity's */
  double value[MEASURES_MAX][ENGINE_COUNT];
  int rows, engine, at;
} Table;

static void keep(void *user, const PeerMeasure *measure) {
  Table *table = user;
  if (table->at >= MEASURES_MAX)
    return;
  if (table->engine == 0)
    table->row[table->rows++] = *measure;
  table->value[table->at++][table->engine] = measure->value;
}

static void print_value(double value) {
  if (isnan(value))
    printf(" %15s", "failed");
  else
    printf(" %15.2e", value);
}

static int print_table(const Table *table) {
  int missed = 0;
  printf("%-16s %-36s %6s %9s", "scene", "error of", "unit", "asked");
  for (int e = 0; e < ENGINE_COUNT; e++)
    printf(" %15s", engines[e]->name);
  printf("\n");
  for (int i = 0; i < table->rows; i++) {
    const PeerMeasure *row = &table->row[i];
    printf("%-16s %-36s %6s %9.1e", row->scene, row->quantity, row->unit, row->asked);
    for (int e = 0; e < ENGINE_COUNT; e++)
      print_value(table->value[i][e]);
    missed += !(row->value <= row->asked);
    printf("%s\n", row->value <= row->asked ? "" : "  MISSED");
  }
  printf("asperity reaches %d of %d", table->rows - missed, table->rows);
  for (int e = 1; e < ENGINE_COUNT; e++) {
    int reached = 0;
    for (int i = 0; i < table->rows; i++)
      reached += table->value[i][e] <= table->row[i].asked;
    printf(", %s %d", engines[e]->name, reached);
  }
  printf("\n");
  return missed;
}

static bool write_csv(const Table *table, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  fprintf(file, "scene,quantity,unit,asked,engine,value\n");
  for (int i = 0; i < table->rows; i++)
    for (int e = 0; e < ENGINE_COUNT; e++)
      fprintf(file, "%s,\"%s\",%s,%.3g,%s,%.6g\n", table->row[i].scene, table->row[i].quantity, table->row[i].unit,
              table->row[i].asked, engines[e]->name, table->value[i][e]);
  return fclose(file) == 0;
}

int main(int count, char **words) {
  const char *folder = count > 1 ? words[1] : BENCH_SCENES_DIR,
             *csv = count > 2 ? words[2] : BENCH_RESULTS_DIR "/peers.csv";
  static Table table;
  AspContext *context = asp_context_create(NULL);
  for (int e = 0; context && e < ENGINE_COUNT; e++) {
    table.engine = e;
    table.at = 0;
    if (peer_judge(context, folder, engines[e], keep, &table) != ASP_OK) {
      fprintf(stderr, "bench_peers: %s\n", asp_context_message(context));
      return 2;
    }
  }
  asp_context_destroy(context);
  int missed = print_table(&table);
  if (!write_csv(&table, csv)) {
    fprintf(stderr, "bench_peers: %s cannot be written\n", csv);
    return 3;
  }
  printf("written: %s\n", csv);
  return missed > 0;
}
