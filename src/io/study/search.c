/* Searches along one parameter of a study.
 *
 * Bisection: a condition that is true at one end of the range and false at the other; the bracket is halved until it is
 * as narrow as the tolerance. The outputs are those of the end where the condition is true.
 *
 * Golden section (Kiefer 1953): the extreme of an expression that has one in the range; the bracket shrinks by
 * (sqrt(5) - 1)/2 with every run.
 */
#include "io/study/study.h"

#include <math.h>
#include <stdio.h>

#define RUNS_MOST 400

typedef struct Search {
  const AspStudy *study;
  int64_t point;
  StudyOutcome *outcome; /* of the last run */
  double *kept;          /* outputs of the best run so far */
  StudyOutcome best;     /* the rest of it; its .output is `kept` */
  int worst;             /* exit code seen: 1 if any run missed its tolerance */
  char missed[512];
} Search;

/* One run at x; false: it failed (the outcome says why), or *error. */
static bool try_at(Search *search, double x, double *verdict, AspError *error) {
  StudyOutcome *outcome = search->outcome;
  char reason[512];
  *error = asp_study_run_scene(search->study, search->point, x, NULL, outcome);
  if (*error != ASP_OK)
    return false;
  *verdict = outcome->verdict;
  snprintf(reason, sizeof reason, "%.500s", outcome->message);
  if (outcome->exit_code == 1 && search->worst == 0) {
    search->worst = 1;
    snprintf(search->missed, sizeof search->missed, "at %s = %.9g: %.400s", search->study->search.parameter, x, reason);
  }
  if (outcome->exit_code <= 1 && !isnan(*verdict))
    return true;
  if (outcome->exit_code <= 1) {
    outcome->exit_code = 2;
    snprintf(reason, sizeof reason, "'%.200s' is not a number", search->study->search.text);
  }
  snprintf(outcome->message, sizeof outcome->message, "at %s = %.9g: %s", search->study->search.parameter, x, reason);
  return false;
}

static void keep(Search *search) {
  size_t bytes = (size_t)search->study->output_count * sizeof(double);
  search->best = *search->outcome;
  search->best.output = search->kept;
  if (bytes)
    memcpy(search->kept, search->outcome->output, bytes);
}

static AspError bisect(Search *search, double *low, double *high) {
  const StudySearch *wanted = &search->study->search;
  double at_low = 0, at_high = 0, at = 0;
  AspError error = ASP_OK;
  if (!try_at(search, *low, &at_low, &error))
    return error;
  if (at_low >= 0)
    keep(search);
  if (!try_at(search, *high, &at_high, &error))
    return error;
  if (at_high >= 0 && at_low < 0)
    keep(search);
  bool rises = at_high >= 0; // true at the upper end
  if (rises == (at_low >= 0)) {
    search->outcome->exit_code = 2;
    snprintf(search->outcome->message, sizeof search->outcome->message,
             "'%.300s' is %s at both %s = %.9g and %.9g; widen the range of the search", wanted->text,
             rises ? "true" : "false", wanted->parameter, *low, *high);
    return ASP_OK;
  }
  while (*high - *low > wanted->tolerance && search->outcome->runs < RUNS_MOST) {
    double middle = *low + 0.5 * (*high - *low);
    if (middle <= *low || middle >= *high)
      break; // neighbours
    if (!try_at(search, middle, &at, &error))
      return error;
    if (at >= 0)
      keep(search);
    if ((at >= 0) == rises)
      *high = middle;
    else
      *low = middle;
  }
  return ASP_OK;
}

static AspError narrow(Search *search, double *low, double *high, double *found) {
  const StudySearch *wanted = &search->study->search;
  const double ratio = 0.5 * (sqrt(5) - 1);
  double x[2] = {*high - ratio * (*high - *low), *low + ratio * (*high - *low)}, f[2] = {0, 0}, best = INFINITY;
  AspError error = ASP_OK;
  int next = 0; // which of the two inner points is to be run
  for (bool first = true; *high - *low > wanted->tolerance && search->outcome->runs < RUNS_MOST; first = false) {
    for (int i = first ? 0 : next; i <= (first ? 1 : next); i++) {
      if (!try_at(search, x[i], &f[i], &error))
        return error;
      f[i] *= wanted->sign;
      if (f[i] < best) {
        best = f[i];
        *found = x[i];
        keep(search);
      }
    }
    next = f[0] <= f[1] ? 0 : 1;
    if (next == 0) {
      *high = x[1];
      x[1] = x[0];
      f[1] = f[0];
      x[0] = *high - ratio * (*high - *low);
    } else {
      *low = x[0];
      x[0] = x[1];
      f[0] = f[1];
      x[1] = *low + ratio * (*high - *low);
    }
  }
  return ASP_OK;
}

/* The outcome of the whole: the best run, the bracket, and whether any run missed its tolerance. */
static void conclude(Search *search, double found, double low, double high) {
  StudyOutcome *outcome = search->outcome;
  int64_t runs = outcome->runs;
  double *output = outcome->output;
  *outcome = search->best;
  outcome->output = output;
  if (search->study->output_count)
    memcpy(output, search->kept, (size_t)search->study->output_count * sizeof *output);
  outcome->runs = runs;
  outcome->found = found;
  outcome->low = low;
  outcome->high = high;
  outcome->exit_code = search->worst;
  if (search->worst)
    snprintf(outcome->message, sizeof outcome->message, "%s", search->missed);
}

AspError asp_study_find(const AspStudy *study, int64_t point, const char *result, StudyOutcome *outcome) {
  const StudySearch *wanted = &study->search;
  outcome->found = outcome->low = outcome->high = NAN;
  outcome->runs = 0;
  if (wanted->method == SEARCH_NONE)
    return asp_study_run_scene(study, point, NAN, result, outcome);
  double began = asp_clock_seconds(), low = wanted->low, high = wanted->high, found = NAN;
  Search search = {.study = study, .point = point, .outcome = outcome};
  search.kept = asp_allocate(study->context, (size_t)study->output_count + 1, sizeof *search.kept);
  if (!search.kept)
    return ASP_ERROR_MEMORY;
  AspError error =
      wanted->method == SEARCH_BISECTION ? bisect(&search, &low, &high) : narrow(&search, &low, &high, &found);
  if (error == ASP_OK && outcome->exit_code <= 1) {
    conclude(&search, wanted->method == SEARCH_BISECTION ? low + 0.5 * (high - low) : found, low, high);
    if (result) { // the found value once more, for the eye
      StudyOutcome shown = *outcome;
      shown.output = search.kept;
      error = asp_study_run_scene(study, point, outcome->found, result, &shown);
    }
  }
  outcome->wall = asp_clock_seconds() - began;
  asp_release(study->context, search.kept);
  return error;
}
