/* What the files of `asperity analyze` share. */
#ifndef CLI_ANALYZE_H
#define CLI_ANALYZE_H

#include "command.h"
#include "json.h"

#include "asperity/asperity.h"

/* The value, or 0 where it is rounding against the scale: for tables that people read. */
double analyze_tidy(double value, double scale);
/* "ground/rod at (0, 0, 0)", "joint hinge", "motor of joint hinge" */
void analyze_block_name(const AspModel *model, const AspProblemBlock *block, char *text, size_t size);

/* One line on why the analysis is right, and everything that it takes to check it (the problem with its local form). */
void analyze_certificate_text(const AspAnalysis *analysis, char *text, size_t size);
void analyze_write_certificate(Json *json, const AspLevelProblem *level, const AspAnalysis *analysis);

/* --static: the balance of the scene's loads; load (may be NULL): name of the force that may grow. */
int analyze_statics(const Session *session, const AspScene *scene, const char *load);

/* --stiffness K or FROM:TO in N/m: contacts as springs and dampers; damping in seconds times the
 * stiffness, NULL: 1e-3. */
/* max_time: seconds for all stiffnesses together. */
int analyze_compliant(const Session *session, const AspScene *scene, const char *stiffness, const char *damping,
                      double max_time);

#endif
