/* The rows of `asperity reproduce`: a number that a paper prints, beside what Asperity computes.
 *
 * To add a paper: one file with a function that adds its rows, declared here, and one line of the table in
 * command_reproduce.c. The rows' function calls the library through its public headers alone.
 */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "asperity/base.h"

/* Hand a failure on to the caller. */
#define TRY(expression)                                                                                                \
  do {                                                                                                                 \
    AspError try_error_ = (expression);                                                                                \
    if (try_error_ != ASP_OK)                                                                                          \
      return try_error_;                                                                                               \
  } while (0)

typedef struct ReproduceReport ReproduceReport;

/* A quantity of the paper. `printed` is the number in the paper (NAN: none printed), `reference` the independently
 * known right one, `tolerance` absolute on |computed - reference|; `note` (may be NULL or "") says what a reader must
 * know, e.g. why printed and reference differ. Texts are copied. */
void reproduce_row(ReproduceReport *report, const char *quantity, double printed, double reference, double computed,
                   double tolerance, const char *note);

/* A figure of the paper: shown beside a printed value read off it (or NAN), without a verdict. */
void reproduce_figure(ReproduceReport *report, const char *quantity, double printed, double computed, const char *note);

/* Where figures go as SVG files; NULL: none are wanted. */
const char *reproduce_folder(const ReproduceReport *report);
/* A figure could not be written: the command will say so. Returns ASP_ERROR_FILE. */
AspError reproduce_unwritable(ReproduceReport *report, const char *path);

/* Trinkle 2003: time stepping with joints (reproduce_trinkle.c). */
AspError reproduce_trinkle(AspContext *context, ReproduceReport *report);

/* Acary, Cadoux, Lemarechal, Malick 2008: Newton on s around second-order cone programs (reproduce_acary.c). */
AspError reproduce_acary(AspContext *context, ReproduceReport *report);

/* Peiret, Koevecses, Font-Llagunes: friction polygons with phantom inertia (reproduce_peiret.c), and what tells the
 * friction models apart in scenes (reproduce_table.c). */
AspError reproduce_peiret(AspContext *context, ReproduceReport *report);
AspError reproduce_table(AspContext *context, ReproduceReport *report);

/* Preclik and Ruede 2011: existence and non-uniqueness (reproduce_preclik*.c, preclik_rod.h). */
AspError reproduce_preclik(AspContext *context, ReproduceReport *report);

/* Capobianco, Harsch, Eugster, Leine: nonsmooth generalized-alpha and the guided hopper (reproduce_capobianco.c). */
AspError reproduce_capobianco(AspContext *context, ReproduceReport *report);

/* Worlds with closed forms, of no paper (reproduce_cases.c). */
AspError reproduce_cases(AspContext *context, ReproduceReport *report);

/* Event-driven and compliant schemes beside closed forms and time stepping (reproduce_schemes.c). */
AspError reproduce_schemes(AspContext *context, ReproduceReport *report);

#endif
