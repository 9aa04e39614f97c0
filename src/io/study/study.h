/* A study in memory. The file is read by read.c through the tables of keys.c; what a point is, design.c; names in
 * expressions, names.c; one run of the scene, run.c; searches, search.c; rows and claims in the folder, folder.c.
 * Depends on the readers of scenes and the public headers.
 */
#ifndef ASP_IO_STUDY_H
#define ASP_IO_STUDY_H

#include "asperity/study.h"
#include "base/base.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* ---- the study ---- */

typedef enum StudySampling { SAMPLE_RANDOM, SAMPLE_LATIN, SAMPLE_SOBOL } StudySampling;
typedef enum StudySearching { SEARCH_NONE = -1, SEARCH_BISECTION, SEARCH_GOLDEN } StudySearching;

/* A parameter of the scene ("mu") or an option of the run ("run.dt") that the study sets. */
typedef struct StudyParameter {
  const char *name, *unit;
  const AspField *field; /* the option; NULL: a parameter */
  double *value;         /* of a grid or list: count */
  int64_t count;         /* 1 for a constant; 0: sampled */
  double low, high;      /* sampled */
  bool logarithmic;
  int sampled; /* which column of the samples */
} StudyParameter;

typedef struct StudyOutput {
  const char *name, *unit, *text;
  AspExpression *expression;
} StudyOutput;

/* What a name in an expression of the study means. */
typedef enum StudyNameKind { NAME_PARAMETER, NAME_SUMMARY, NAME_PROBE } StudyNameKind;
typedef enum StudyNamePart { PART_FINAL, PART_LEAST, PART_LARGEST } StudyNamePart;
typedef struct StudyVariable {
  const char *name; /* as the expression writes it */
  StudyNameKind kind;
  int index;         /* PARAMETER: of the scene; SUMMARY: of the table */
  const char *probe; /* PROBE: its column; of a quantity of the state, the probe made for it */
  StudyNamePart part;
} StudyVariable;

typedef struct StudySearch {
  StudySearching method;
  const char *parameter, *unit;
  const char *title[4]; /* of its columns: the value, both ends of the bracket, runs */
  double low, high, tolerance;
  double sign; /* -1: the largest is sought */
  const char *text;
  AspExpression *expression;
} StudySearch;

struct AspStudy {
  AspContext *context;
  AspArena arena; /* all texts and lists */
  const char *name, *description, *scene_path;
  char *text; /* the file; the context's */
  StudyParameter *parameter;
  int parameter_count;
  double *sample; /* sample_count x sampled_count, in [0, 1); the context's */
  int64_t sample_count;
  int sampled_count;
  StudyOutput *output;
  int output_count;
  StudySearch search;
  bool keep_results;
  AspRunOptions run; /* where given */
  bool *run_given;   /* per field of the run */
  StudyVariable *variable;
  int variable_count;
  size_t variable_capacity;
  const char **probe; /* probe_count texts "NAME=EXPRESSION" for quantities of the state */
  int probe_count;
  int64_t points;
  uint64_t hash;  /* of all that every row depends on */
  AspScene scene; /* with its own values of parameters */
};

/* ---- design.c: the points ---- */

/* Fill study->sample. */
AspError asp_study_sample(AspStudy *study, StudySampling method, uint64_t seed);
/* The number of points; -1: more than can be counted. */
int64_t asp_study_size(const AspStudy *study);
double asp_study_value(const AspStudy *study, int64_t point, int parameter);

/* ---- names.c: what expressions of a study may name ---- */

/* For asp_expression_parse_with: every new name that means something gets a variable. */
AspVariables asp_study_variables(AspStudy *study);
/* The values of all variables after a run. */
typedef struct StudyReading {
  const AspScene *scene;
  const AspProbes *probes;
  const AspRunSummary *summary;
  double wall;
  int stopped; /* asp_world_stopped */
} StudyReading;
void asp_study_read_values(const AspStudy *study, const StudyReading *reading, AspInput *value);
/* Names of summaries: "run.steps", ...; NULL behind the last. */
const char *asp_study_summary_name(int index);

/* ---- run.c, search.c ---- */

typedef struct StudyOutcome {
  int exit_code;
  char message[1024];
  double *output; /* output_count */
  double verdict; /* value of the search's expression */
  AspRunSummary summary;
  double wall; /* s */
  int64_t runs;
  double found, low, high; /* by a search */
} StudyOutcome;

/* Run the scene at a point, with `searched` for the parameter of the search; result: path, or NULL. Only an
 * interruption and failures of the system's memory for the study itself are errors. */
AspError asp_study_run_scene(const AspStudy *study, int64_t point, double searched, const char *result,
                             StudyOutcome *outcome);
/* The run or the search of a point. */
AspError asp_study_find(const AspStudy *study, int64_t point, const char *result, StudyOutcome *outcome);

/* ---- folder.c ---- */

/* FOLDER/NAME in the context's memory; NULL: out of memory. */
char *asp_study_path(const AspStudy *study, const char *folder, const char *format, ...) ASP_PRINTF(3, 4);
/* A file of the folder, made beside its place and put there whole. */
AspError asp_study_replace(const AspStudy *study, const char *folder, const char *name,
                           AspError (*write)(const AspStudy *study, const char *folder, FILE *file));

#endif
