/* One problem file through one solver: what `asperity solve` reports, and the kinds of problem it knows.
 *
 * To add a kind: one file with a function of the type below, and one row of the table in command_solve.c.
 */
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include "asperity/solver.h"

typedef struct SolveOptions {
  int method;         /* AspMethod */
  double tolerance;   /* on the residual */
  double max_time;    /* s; 0: no limit (contact problems) */
  int max_iterations; /* 0: the method's own */
  const char *save;   /* file for problem and solution; NULL: none */
  bool polish;        /* contact problems: as far as rounding allows */
  bool minimum_norm;  /* contact problems: of many reactions the smallest */
} SolveOptions;

typedef struct SolveReport {
  const char *kind; /* "lcp", ... */
  int contacts;     /* -1: the problem knows none */
  int dofs;         /* unknowns */
  AspMethod method; /* that gave the answer */
  AspStatus status;
  int iterations;
  double residual;           /* recomputed from the answer alone */
  double residual_invariant; /* does not depend on units (contact problems: E2) */
  double time, setup_time;   /* s */
  bool certified;            /* solved within the tolerance */
  char finding[224];         /* what the status means, when it is not solved */
} SolveReport;

/* Read, solve, judge, and write the answer where asked: 0 <= M z + q _|_ z >= 0 from /M and /q (solve_lcp.c). */
AspError solve_lcp(AspContext *context, const char *path, const SolveOptions *options, SolveReport *report);
/* The same for a contact problem in FCLIB's layout (solve_contact.c). */
AspError solve_contact(AspContext *context, const char *path, const SolveOptions *options, SolveReport *report);

#endif
