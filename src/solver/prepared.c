/* The prepared problem: scaling and laws. See prepared.h; the forms are in form.c. */
#include "solver/prepared.h"

#include "solver/system.h"
#include "solver/tuning/prepared.h"

#include <math.h>

AspError asp_prepared_create(AspContext *context, AspPrepared **prepared) {
  AspPrepared *p = asp_allocate(context, 1, sizeof *p);
  *prepared = NULL;
  if (!p)
    return ASP_ERROR_MEMORY;
  p->context = context;
  asp_arena_init(&p->arena, context);
  AspError error = asp_judge_create(context, &p->judge);
  if (error != ASP_OK) {
    asp_prepared_destroy(p);
    return error;
  }
  *prepared = p;
  return ASP_OK;
}

void asp_prepared_destroy(AspPrepared *prepared) {
  if (!prepared)
    return;
  asp_system_destroy(prepared->system);
  asp_judge_destroy(prepared->judge);
  asp_arena_free(&prepared->arena);
  asp_release(prepared->context, prepared);
}

/* Friction that counts. Below the bound r_T = 0 is within any tolerance, and 1/mu^2 would overflow when scaled. */
static bool has_friction(const AspLaw *law) { return law->mu > PREPARED_LEAST_FRICTION; }

/* How many prepared blocks and rows an original block becomes. */
static AspError count_block(const AspPrepared *p, int i, int *blocks, int *rows) {
  const AspLaw *law = &p->problem->law[i];
  int size = p->problem->offset[i + 1] - p->problem->offset[i];
  *blocks = 1;
  *rows = 1;
  switch (law->kind) {
  case ASP_LAW_EQUALITY:
    *blocks = *rows = size;
    return ASP_OK;
  case ASP_LAW_BALL:
    *blocks = law->limit > 0 ? 1 : size;
    *rows = size;
    return ASP_OK;
  case ASP_LAW_COULOMB:
    if (law->cone != ASP_CONE_EXACT && law->cone != ASP_CONE_RELAXED && size == 3 && has_friction(law))
      return asp_fail(p->context, ASP_ERROR_UNSUPPORTED,
                      "block %d: law coulomb with a polygon of %d directions: the exact methods take the exact cone, "
                      "lemke takes polygons",
                      i, law->directions);
    *rows = has_friction(law) ? size : 1;
    return ASP_OK;
  default:
    return ASP_OK;
  }
}

/* Append the prepared blocks of original block i. */
static void append_block(AspPrepared *p, int i) {
  const AspContactProblem *problem = p->problem;
  const AspLaw *law = &problem->law[i];
  int first = problem->offset[i], size = problem->offset[i + 1] - first;
  AspPreparedBlock block = {.kind = law->kind, .first = p->rows, .size = 1, .source = i};
  double scale = 1;
  bool none = law->kind == ASP_LAW_BALL && !(law->limit > 0); // rows without force
  if (law->kind == ASP_LAW_EQUALITY || none) {
    block.kind = none ? ASP_LAW_BOX : ASP_LAW_EQUALITY;
    for (int k = 0; k < size; k++) {
      block.first = p->rows;
      p->source[p->rows] = first + k;
      p->scale[p->rows++] = 1;
      p->block[p->blocks++] = block;
    }
    p->equalities += none ? 0 : size;
    return;
  }
  if (law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_BALL)
    block.limit = law->limit / p->unit_r;
  if (law->kind == ASP_LAW_BALL) {
    block.size = size;
    p->balls++;
  }
  if (law->kind == ASP_LAW_SLIDING) {
    block.kind = ASP_LAW_UNILATERAL;
    for (int k = 1; k < size; k++)
      block.slide[k - 1] = -law->mu * law->direction[k - 1];
    p->sliding = p->sliding || law->mu > 0;
  }
  if (law->kind == ASP_LAW_COULOMB && has_friction(law)) {
    block.size = size;
    block.mu = law->mu;
    block.relaxed = law->cone == ASP_CONE_RELAXED;
    p->relaxed = p->relaxed || block.relaxed;
    scale = 1 / law->mu;
    p->contacts++;
  } else if (law->kind == ASP_LAW_COULOMB)
    block.kind = ASP_LAW_UNILATERAL;
  for (int k = 0; k < block.size; k++) {
    p->source[p->rows] = first + k;
    p->scale[p->rows++] = k == 0 ? scale : 1;
  }
  p->block[p->blocks++] = block;
}

static AspError prepare_laws(AspPrepared *p) {
  int blocks = 0, rows = 0;
  for (int i = 0; i < p->problem->blocks; i++) {
    int more_blocks, more_rows;
    ASP_TRY(count_block(p, i, &more_blocks, &more_rows));
    blocks += more_blocks;
    rows += more_rows;
  }
  p->block = ASP_TAKE(&p->arena, AspPreparedBlock, blocks);
  p->source = ASP_TAKE(&p->arena, int, rows);
  p->scale = ASP_TAKE(&p->arena, double, rows);
  if (!p->block || !p->source || !p->scale)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < p->problem->blocks; i++)
    append_block(p, i);
  return ASP_OK;
}

AspError asp_prepared_reset(AspPrepared *p, const AspContactProblem *problem) {
  ASP_TRY(asp_judge_reset(p->judge, problem));
  return asp_prepared_take(p, problem);
}

AspError asp_prepared_take(AspPrepared *p, const AspContactProblem *problem) {
  asp_arena_reset(&p->arena);
  p->problem = problem;
  p->blocks = p->rows = p->contacts = p->equalities = p->balls = 0;
  p->sliding = p->relaxed = p->has_local = p->has_body = p->has_condensed = p->has_system = false;
  int rows = problem->rows;
  p->q = ASP_TAKE(&p->arena, double, rows);
  double *zero = ASP_TAKE(&p->arena, double, rows);
  if (!p->q || !zero)
    return ASP_ERROR_MEMORY;
  // at r = 0 the velocity is q
  ASP_TRY(asp_judge_residual(p->judge, zero, &p->residual_zero, p->q, NULL));
  p->rho = p->residual_zero.rho;
  p->norm_q = p->residual_zero.norm_q;
  p->unit_u = p->norm_q > 0 && isfinite(p->norm_q) ? p->norm_q / sqrt(rows) : 1;
  p->unit_r = p->rho * p->unit_u;
  if (!(p->unit_r > 0) || !isfinite(p->unit_r))
    p->unit_r = p->unit_u = 1;
  return prepare_laws(p);
}

void asp_prepared_to_original(const AspPrepared *p, const double *scaled, double *r) {
  const AspContactProblem *problem = p->problem;
  memset(r, 0, (size_t)problem->rows * sizeof *r);
  for (int j = 0; j < p->rows; j++)
    r[p->source[j]] = p->unit_r * p->scale[j] * scaled[j];
  if (!p->sliding)
    return;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    if (problem->law[block->source].kind != ASP_LAW_SLIDING)
      continue;
    int first = problem->offset[block->source], size = problem->offset[block->source + 1] - first;
    for (int k = 1; k < size; k++)
      r[first + k] = block->slide[k - 1] * r[first];
  }
}

void asp_prepared_to_scaled(const AspPrepared *p, const double *r, double *scaled) {
  for (int j = 0; j < p->rows; j++)
    scaled[j] = r[p->source[j]] / (p->unit_r * p->scale[j]);
}

void asp_prepared_scale_velocity(const AspPrepared *p, const double *u, double *scaled) {
  for (int j = 0; j < p->rows; j++)
    scaled[j] = u[p->source[j]] * p->scale[j] / p->unit_u;
}
