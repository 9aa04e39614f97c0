/* Certificates of an analysis as text and as JSON; how to check them: docs/howto/check-a-certificate.md. */
#include "analyze.h"

#include <math.h>
#include <stdio.h>

#define MATRIX_MOST 96 /* rows of W that are written out */

void analyze_certificate_text(const AspAnalysis *analysis, char *text, size_t size) {
  if (analysis->contradiction > 0)
    snprintf(text, size, "the joints contradict each other (relative %.2g)", analysis->contradiction);
  else if (!analysis->exists && analysis->lcp_ray_proves)
    snprintf(text, size,
             "Lemke's ray v of the LCP w = M z + q: v >= 0, M^T v <= 0, q.v < 0, so that no z >= 0 has w >= 0");
  else if (!analysis->exists && analysis->witness_complete)
    snprintf(text, size, "%d witness%s all modes: p.u >= 0 by the mode, p.u <= p.q < 0 by its reactions",
             analysis->witnesses, analysis->witnesses == 1 ? " rules out" : "es rule out");
  else if (!analysis->exists)
    snprintf(text, size, "branch and bound over all modes; not every witness is a plain one");
  else if (analysis->smallest_minor > 0)
    snprintf(text, size, "P-matrix (smallest principal minor %.4g): one solution for every load",
             analysis->smallest_minor);
  else if (analysis->complete && analysis->small_friction < 4)
    snprintf(text, size, "small friction (%.4g < 4): one motion at most for every load; found in %lld nodes",
             analysis->small_friction, (long long)analysis->nodes);
  else if (analysis->complete)
    snprintf(text, size, "branch and bound over all modes (%lld nodes)%s", (long long)analysis->nodes,
             analysis->existence_margin > 0 ? "; existence also from theory (strictly feasible velocity)" : "");
  else
    snprintf(text, size, "not complete: %s", analysis->incomplete);
}

static void write_matrix(Json *json, const char *key, int n, const double *values) {
  json_array(json, key);
  for (int i = 0; i < n; i++)
    json_numbers(json, NULL, values + (size_t)i * (size_t)n, n);
  json_end(json);
}

/* W and q of the local form, in the order of the blocks' rows. */
static void write_local_form(Json *json, const AspContactProblem *problem) {
  int n = problem->rows;
  if (n == 0 || n > MATRIX_MOST)
    return;
  double row[MATRIX_MOST];
  json_array(json, "W");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      row[j] = 0;
      for (int k = problem->W.start[j]; k < problem->W.start[j + 1]; k++)
        row[j] += problem->W.row[k] == i ? problem->W.value[k] : 0;
    }
    json_numbers(json, NULL, row, n);
  }
  json_end(json);
  json_numbers(json, "q", problem->q, n);
}

static void write_normal_equations(Json *json, const AspAnalysis *analysis) {
  if (analysis->normals == 0)
    return;
  json_object(json, "normal_equations");
  json_array(json, "blocks");
  for (int i = 0; i < analysis->normals; i++)
    json_integer(json, NULL, analysis->normal_block[i]);
  json_end(json);
  write_matrix(json, "A", analysis->normals, analysis->normal_A);
  json_numbers(json, "b", analysis->normal_b, analysis->normals);
  json_end(json);
}

static void write_ray(Json *json, const AspAnalysis *analysis) {
  if (analysis->lcp_size == 0)
    return;
  json_object(json, "lemke_ray");
  write_matrix(json, "M", analysis->lcp_size, analysis->lcp_M);
  json_numbers(json, "q", analysis->lcp_q, analysis->lcp_size);
  json_numbers(json, "v", analysis->lcp_ray, analysis->lcp_size);
  json_flag(json, "proves", analysis->lcp_ray_proves);
  json_end(json);
}

static void write_witnesses(Json *json, const AspLevelProblem *level, const AspAnalysis *analysis) {
  json_array(json, "witnesses");
  for (int i = 0; i < analysis->witnesses; i++) {
    const AspWitness *witness = &analysis->witness[i];
    json_object(json, NULL);
    json_array(json, "modes");
    for (int b = 0; b < analysis->blocks; b++)
      json_text(json, NULL, asp_block_mode_name(witness->mode[b]));
    json_end(json);
    json_array(json, "p");
    for (int b = 0; b < analysis->blocks; b++)
      json_numbers(json, NULL, witness->p + level->problem.offset[b],
                   level->problem.offset[b + 1] - level->problem.offset[b]);
    json_end(json);
    json_number(json, "margin", witness->margin);
    json_end(json);
  }
  json_end(json);
}

void analyze_write_certificate(Json *json, const AspLevelProblem *level, const AspAnalysis *analysis) {
  char text[512];
  analyze_certificate_text(analysis, text, sizeof text);
  json_object(json, "certificate");
  json_text(json, "text", text);
  json_integer(json, "nodes", analysis->nodes);
  json_number(json, "existence_margin", analysis->existence_margin);
  json_number(json, "small_friction", analysis->small_friction);
  json_number(json, "smallest_principal_minor", analysis->smallest_minor);
  json_number(json, "least_power", analysis->least_power);
  json_number(json, "contradiction", analysis->contradiction);
  json_flag(json, "witnesses_cover_all_modes", analysis->witness_complete);
  write_local_form(json, &level->problem);
  write_normal_equations(json, analysis);
  if (analysis->existence_y)
    json_numbers(json, "existence_y", analysis->existence_y, analysis->rows);
  write_ray(json, analysis);
  write_witnesses(json, level, analysis);
  json_end(json);
}
