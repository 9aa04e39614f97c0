/* The judge on parts: how well r solves a problem in cells. See asperity/partition.h.
 *
 *   b = f + sum over the copies of H_c r_c,   x = M^-1 b,   u = H^T x + w
 *
 * A judge per cell does all of it but the sum over copies, which comes from one exchange of H_c r_c + f. Its masses are
 * those of whole bodies, so that diag(W), q and the natural maps are those of the whole problem. Sums over blocks are
 * exact (exact_sum.h); E1, E2, E3 from them as in judge.c. Depends on judge_state.h and copies.h.
 */
#include "asperity/partition.h"

#include "problem/copies.h"
#include "problem/exact_sum.h"
#include "problem/judge_state.h"
#include "problem/parts_judge.h"

/* What is summed: once for the problem, and for every r. */
typedef enum DataSum { SUM_TRACE, SUM_Q, SUM_ROUNDING, DATA_SUMS } DataSum;
typedef enum Sum { SUM_MAP, SUM_UNIT, SUM_EXACT, SUM_R, SUM_U, SUM_NORMAL, SUMS } Sum;
typedef enum Largest {
  MOST_MAP,
  MOST_CONTACT,
  MOST_CONE,
  MOST_EQUALITY,
  MOST_COMPLEMENTARITY,
  MOST_RATE,
  MOSTS
} Largest;

struct AspPartsJudge {
  AspContext *context;
  AspArena arena;
  const AspPartition *partition;
  const AspExchange *exchange;
  AspJudge **judge;     /* cells */
  int width;            /* dofs of the largest split body anywhere */
  double *own, *remote; /* copies, remotes x width */
  double rho, norm_q, rounding;
};

/* ---- copies ---- */

/* The dofs of a copy, and where they are in x. */
static const int *dofs_of(const AspPartsJudge *judge, AspCopy copy, int *count) {
  const AspProblemBodies *bodies = &judge->partition->cell[copy.cell].problem.bodies;
  *count = bodies->start[copy.body + 1] - bodies->start[copy.body];
  return bodies->dof + bodies->start[copy.body];
}

/* x of every copy: the sum over copies, in which f is to count once. */
static AspError join_copies(AspPartsJudge *judge) {
  const AspPartition *partition = judge->partition;
  int count;
  for (int k = 0; k < partition->copies; k++) {
    double *own = judge->own + (size_t)k * (size_t)judge->width;
    const int *dof = dofs_of(judge, partition->copy[k], &count);
    for (int j = 0; j < judge->width; j++)
      own[j] = j < count ? judge->judge[partition->copy[k].cell]->x[dof[j]] : 0;
  }
  ASP_TRY(asp_copies_add_up(partition, judge->exchange, judge->width, judge->own, judge->remote));
  for (int k = 0; k < partition->copies; k++) {
    AspCopy copy = partition->copy[k];
    const AspCell *cell = &partition->cell[copy.cell];
    const int *dof = dofs_of(judge, copy, &count);
    for (int j = 0; j < count; j++)
      judge->judge[copy.cell]->x[dof[j]] = judge->own[(size_t)k * (size_t)judge->width + (size_t)j] -
                                           (cell->holders[copy.body] - 1) * cell->problem.f[dof[j]];
  }
  return ASP_OK;
}

/* ---- the problem ---- */

static AspError judge_cells(AspPartsJudge *judge) {
  const AspPartition *partition = judge->partition;
  for (int c = 0; c < partition->cells; c++) {
    ASP_TRY(asp_judge_create(judge->context, &judge->judge[c]));
    AspError error = asp_judge_reset(judge->judge[c], &partition->cell[c].problem);
    if (error != ASP_OK)
      asp_fail_prefix(judge->context, "cell %d: ", partition->cell[c].number);
    ASP_TRY(error);
  }
  return ASP_OK;
}

static AspError make_room(AspPartsJudge *judge) {
  const AspPartition *partition = judge->partition;
  double most = 0;
  int64_t place = 0;
  for (int k = 0, count; k < partition->copies; k++) {
    dofs_of(judge, partition->copy[k], &count);
    most = count > most ? count : most;
  }
  AspRankReduction reduction = {.largest = 1, .value = &most, .place = &place};
  ASP_TRY(judge->exchange->reduce(judge->exchange->user, &reduction));
  judge->width = (int)most;
  judge->own = ASP_TAKE(&judge->arena, double, (size_t)partition->copies *(size_t)judge->width);
  judge->remote = ASP_TAKE(&judge->arena, double, (size_t)partition->remotes *(size_t)judge->width);
  return judge->own && judge->remote ? ASP_OK : ASP_ERROR_MEMORY;
}

/* rho and ||q|| of the whole. */
static AspError find_scales(AspPartsJudge *judge) {
  const AspPartition *partition = judge->partition;
  int64_t sum[DATA_SUMS][EXACT_LENGTH] = {{0}};
  for (int c = 0; c < partition->cells; c++) {
    const AspJudge *cell = judge->judge[c];
    for (int j = 0; j < cell->problem->rows; j++) {
      asp_exact_add(sum[SUM_TRACE], cell->diagonal[j]);
      asp_exact_add(sum[SUM_Q], cell->q[j] * cell->q[j]);
      if (j % EXACT_TERMS == EXACT_TERMS - 1)
        for (int k = 0; k < DATA_SUMS; k++)
          asp_exact_carry(sum[k]);
    }
    asp_exact_add(sum[SUM_ROUNDING], cell->rounding.floor * cell->rounding.floor);
    for (int k = 0; k < DATA_SUMS; k++)
      asp_exact_carry(sum[k]);
  }
  AspRankReduction reduction = {.sums = DATA_SUMS * EXACT_LENGTH, .sum = sum[0]};
  ASP_TRY(judge->exchange->reduce(judge->exchange->user, &reduction));
  double rho = (double)partition->all_rows / asp_exact_value(sum[SUM_TRACE]);
  judge->rho = rho > 0 && isfinite(rho) ? rho : 1;
  judge->norm_q = sqrt(asp_exact_value(sum[SUM_Q]));
  judge->rounding = sqrt(asp_exact_value(sum[SUM_ROUNDING]));
  for (int c = 0; c < partition->cells; c++)
    asp_judge_set_rho(judge->judge[c], &partition->cell[c].problem, judge->rho);
  return ASP_OK;
}

AspError asp_parts_judge_create(AspContext *context, const AspPartition *partition, const AspExchange *exchange,
                                AspPartsJudge **judge) {
  AspPartsJudge *made = *judge = asp_allocate(context, 1, sizeof **judge);
  if (!made)
    return ASP_ERROR_MEMORY;
  made->context = context;
  made->partition = partition;
  made->exchange = exchange;
  asp_arena_init(&made->arena, context);
  made->judge = asp_allocate(context, (size_t)partition->cells, sizeof *made->judge);
  AspError error = made->judge ? judge_cells(made) : ASP_ERROR_MEMORY;
  if (error == ASP_OK)
    error = make_room(made);
  if (error == ASP_OK)
    error = find_scales(made);
  if (error != ASP_OK) {
    asp_parts_judge_destroy(made);
    *judge = NULL;
  }
  return error;
}

void asp_parts_judge_destroy(AspPartsJudge *judge) {
  if (!judge)
    return;
  for (int c = 0; judge->judge && c < judge->partition->cells; c++)
    asp_judge_destroy(judge->judge[c]);
  asp_release(judge->context, judge->judge);
  asp_arena_free(&judge->arena);
  asp_release(judge->context, judge);
}

/* ---- a residual ---- */

static void add_blocks(const AspJudge *judge, const double *r, int64_t sum[SUMS][EXACT_LENGTH]) {
  const AspContactProblem *problem = judge->problem;
  for (int i = 0; i < problem->blocks; i++) {
    const AspBlockError *error = &judge->error[i];
    AspLawKind kind = problem->law[i].kind;
    asp_exact_add(sum[SUM_MAP], error->map * error->map);
    asp_exact_add(sum[SUM_UNIT], error->unit * error->unit);
    asp_exact_add(sum[SUM_EXACT], error->exact * error->exact);
    for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++) {
      asp_exact_add(sum[SUM_R], r[j] * r[j]);
      asp_exact_add(sum[SUM_U], judge->u[j] * judge->u[j]);
    }
    if (kind == ASP_LAW_COULOMB || kind == ASP_LAW_UNILATERAL)
      asp_exact_add(sum[SUM_NORMAL], fabs(r[problem->offset[i]]));
    if (i % EXACT_TERMS == 0) // blocks have few rows
      for (int k = 0; k < SUMS; k++)
        asp_exact_carry(sum[k]);
  }
  for (int k = 0; k < SUMS; k++)
    asp_exact_carry(sum[k]);
}

/* NaN counts as infinite. */
static double ordered(double value) { return isnan(value) ? (double)INFINITY : value; }

static AspError add_up(AspPartsJudge *judge, const double *const *r, int64_t sum[SUMS][EXACT_LENGTH],
                       double most[MOSTS], int64_t place[MOSTS]) {
  const AspPartition *partition = judge->partition;
  AspJudgePart all = {.map = -1, .worst = {.worst_block = -1}};
  place[MOST_MAP] = INT64_MAX;
  for (int c = 0; c < partition->cells; c++) {
    double before = all.map;
    asp_judge_evaluate(judge->judge[c], r[c], &all);
    add_blocks(judge->judge[c], r[c], sum);
    if (all.map > before)
      place[MOST_MAP] = partition->cell[c].block[all.worst.worst_block];
    else if (all.map == before && all.map >= 0) // the lowest block among equal ones
      for (int i = 0; i < partition->cell[c].problem.blocks && partition->cell[c].block[i] < place[MOST_MAP]; i++)
        if (judge->judge[c]->error[i].map == all.map)
          place[MOST_MAP] = partition->cell[c].block[i];
  }
  most[MOST_MAP] = ordered(all.map);
  most[MOST_CONTACT] = ordered(all.contact);
  most[MOST_CONE] = ordered(all.worst.worst_cone);
  most[MOST_EQUALITY] = ordered(all.worst.worst_equality);
  most[MOST_COMPLEMENTARITY] = ordered(all.worst.worst_complementarity);
  most[MOST_RATE] = ordered(all.worst.worst_penetration_rate);
  AspRankReduction reduction = {
      .sums = SUMS * EXACT_LENGTH, .sum = sum[0], .largest = MOSTS, .value = most, .place = place};
  return judge->exchange->reduce(judge->exchange->user, &reduction);
}

AspError asp_parts_judge_residual(AspPartsJudge *judge, const double *const *r, AspResidual *residual) {
  const AspPartition *partition = judge->partition;
  int64_t sum[SUMS][EXACT_LENGTH] = {{0}}, place[MOSTS] = {0};
  double most[MOSTS] = {0}, size[3];
  for (int c = 0; c < partition->cells; c++)
    ASP_TRY(asp_judge_push(judge->judge[c], r[c]));
  ASP_TRY(join_copies(judge));
  for (int c = 0; c < partition->cells; c++)
    ASP_TRY(asp_judge_follow(judge->judge[c]));
  ASP_TRY(add_up(judge, r, sum, most, place));
  *residual = (AspResidual){.norm_q = judge->norm_q,
                            .rounding = judge->rounding,
                            .rho = judge->rho,
                            .norm_r = sqrt(asp_exact_value(sum[SUM_R])),
                            .norm_u = sqrt(asp_exact_value(sum[SUM_U])),
                            .worst_cone = most[MOST_CONE],
                            .worst_equality = most[MOST_EQUALITY],
                            .worst_complementarity = most[MOST_COMPLEMENTARITY],
                            .worst_penetration_rate = most[MOST_RATE],
                            .worst_block = place[MOST_MAP] <= INT32_MAX ? (int)place[MOST_MAP] : -1};
  for (int k = 0; k < 3; k++)
    size[k] = sqrt(asp_exact_value(sum[SUM_MAP + k]));
  if (partition->all_contacts > 0) {
    residual->mean_normal = asp_exact_value(sum[SUM_NORMAL]) / (double)partition->all_contacts;
    double contact = most[MOST_CONTACT] / (residual->mean_normal > 0 ? residual->mean_normal : 1);
    residual->contact = isfinite(contact) ? contact : (double)INFINITY;
  }
  asp_judge_divide(residual, size);
  return ASP_OK;
}

const double *asp_parts_judge_x(const AspPartsJudge *judge, int cell) { return judge->judge[cell]->x; }

void asp_parts_judge_lend(const AspPartsJudge *judge, AspContext **context, const AspPartition **partition,
                          const AspExchange **exchange) {
  *context = judge->context;
  *partition = judge->partition;
  *exchange = judge->exchange;
}

void asp_parts_judge_scales(const AspPartsJudge *judge, double *rho, double *norm_q) {
  *rho = judge->rho;
  *norm_q = judge->norm_q;
}

const AspMass *asp_parts_judge_mass(const AspPartsJudge *judge, int cell) { return &judge->judge[cell]->mass; }
