/* Peers' rows from a stored comparison (see results.h). */
#include "results.h"

#include "base/base.h"

#include <errno.h>
#include <stdlib.h>

#define FIELDS 13

/* Cut a line at its commas, in place. Returns the number of fields found. */
static int split(char *line, char *field[FIELDS]) {
  int count = 0;
  for (char *at = line; at && count < FIELDS; count++) {
    field[count] = at;
    at = strchr(at, ',');
    if (at)
      *at++ = '\0';
  }
  return count;
}

AspError baseline_read(BenchResults *results, const char *path, double tolerance, bool all) {
  FILE *file = fopen(path, "r");
  if (!file)
    return asp_fail(results->context, ASP_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
  char line[1024], *field[FIELDS];
  // file,family,kind,nc,ndof,solver,tol,time_s,iter,status,E1,E2,solved
  while (fgets(line, sizeof line, file)) {
    if (split(line, field) != FIELDS || strtod(field[6], NULL) != tolerance)
      continue;
    BenchRow row = {.problem = results_find_problem(results, field[0]),
                    .peer = true,
                    .tolerance = tolerance,
                    .solve = strtod(field[7], NULL),
                    .iterations = (int)strtol(field[8], NULL, 10),
                    .claims = strcmp(field[9], "ok") == 0,
                    .residual = {.E1 = strtod(field[10], NULL), .E2 = strtod(field[11], NULL)}};
    row.solved = row.residual.E1 <= tolerance && row.solve < results->limit;
    snprintf(row.method, sizeof row.method, "%s", field[5]);
    snprintf(row.status, sizeof row.status, "%s", field[9]);
    if (row.problem < 0 && all) {
      BenchProblem problem = {0};
      snprintf(problem.name, sizeof problem.name, "%.*s", (int)sizeof problem.name - 1, field[0]);
      row.problem = results_add_problem(results, &problem);
    }
    if (row.problem >= 0)
      results_add_row(results, &row);
  }
  fclose(file);
  return ASP_OK;
}
