/* Gauss-Seidel by cells with split bodies, on a problem in parts (asperity/partition.h).
 *
 *   m_c = m / k,  J_c = J / k,  f_c = f / k      copy c of a body that k cells hold
 *   v  := (1/k) sum over the copies of v_c       after every sweep
 *
 * Every cell sweeps its own contacts with its own copies (packed.h), from velocities that all copies share. Since
 * v_c = M^-1 f + k M^-1 H_c r_c, the mean over the copies is M^-1 (f + H r), the velocity of the body: what is swept
 * next starts from velocities that belong to r. Momentum is that of the packed sweeps, one for all cells. The fixed
 * points are those of the undivided sweeps. Mass splitting: Tonge, Benevolenski and Voroshilov, ACM Trans. Graph. 31
 * (2012), for contact cells; measured in docs/theory/scale.md.
 *
 * Equal bits for any number of ranks: cells and their order do not depend on ranks, copies are summed in the order of
 * cells, residuals exactly. One exchange of copies per sweep, one reduction per look at the residual.
 * Depends on packed.h, problem/copies.h and exact_sum.h.
 */
#include "asperity/solver.h"

#include "base/base.h"
#include "base/parallel.h"
#include "problem/copies.h"
#include "problem/exact_sum.h"
#include "problem/parts_judge.h"
#include "problem/verdict.h"
#include "solver/packed.h"

#include <float.h>
#include <math.h>

#define PARTS_COOKIE UINT32_C(0x41535043)

enum { LINE_WIDTH = 3 + 3 }; /* v and w~ of a body */

typedef enum Sum { SUM_TOTAL, SUM_MAP, SUM_UNIT, SUM_SPEED, SUM_NORMAL, SUMS } Sum;

typedef struct Look {
  double excess, E2, contact;
} Look;

typedef struct Parts {
  AspContext *context;
  AspArena arena;
  AspPartsJudge *judge;
  const AspPartition *partition;
  const AspExchange *exchange;
  AspTolerances asked;
  AspPacked *packed;    /* cells */
  AspPackedBody **line; /* copies: where their velocities are */
  double *own, *remote; /* copies, remotes x LINE_WIDTH */
  double rho, norm_q;
  AspPartsInfo *info;
} Parts;

/* ---- copies ---- */

static AspError join_copies(Parts *parts) {
  const AspPartition *partition = parts->partition;
  for (int k = 0; k < partition->copies; k++) {
    memcpy(parts->own + LINE_WIDTH * k, parts->line[k]->v, 3 * sizeof(double));
    memcpy(parts->own + LINE_WIDTH * k + 3, parts->line[k]->w, 3 * sizeof(double));
  }
  ASP_TRY(asp_copies_add_up(partition, parts->exchange, LINE_WIDTH, parts->own, parts->remote));
  for (int k = 0; k < partition->copies; k++) {
    AspCopy copy = partition->copy[k];
    double holders = partition->cell[copy.cell].holders[copy.body];
    for (int j = 0; j < 3; j++) {
      parts->line[k]->v[j] = parts->own[LINE_WIDTH * k + j] / holders;
      parts->line[k]->w[j] = parts->own[LINE_WIDTH * k + 3 + j] / holders;
    }
  }
  parts->info->exchanges++;
  return ASP_OK;
}

/* ---- passes over the cells ---- */

static void sweep_cells(void *data, int from, int end) {
  for (int c = from; c < end; c++)
    asp_packed_sweep(&((Parts *)data)->packed[c], 1);
}

static void refresh_cells(void *data, int from, int end) {
  for (int c = from; c < end; c++)
    asp_packed_refresh(&((Parts *)data)->packed[c]);
}

static AspError run(Parts *parts, AspLoopBody *pass) {
  asp_parallel_for(parts->context, parts->partition->cells, 1, pass, parts);
  return join_copies(parts);
}

/* The residual of all cells, as in packed_solve.c; of a contact of split bodies at the rho_i of their copies, which is
 * up to k times smaller than that of the judge. */
static AspError look(Parts *parts, Look *seen) {
  int64_t sum[SUMS][EXACT_LENGTH] = {{0}}, place = 0;
  double worst = 0;
  for (int c = 0; c < parts->partition->cells; c++) {
    AspPackedSums own = asp_packed_sum(&parts->packed[c]);
    const double term[SUMS] = {own.total, own.map, own.map_unit, own.speed, own.normal};
    for (int k = 0; k < SUMS; k++) {
      asp_exact_add(sum[k], term[k]);
      asp_exact_carry(sum[k]);
    }
    worst = own.worst <= worst ? worst : isnan(own.worst) ? (double)INFINITY : own.worst;
  }
  AspRankReduction reduction = {
      .sums = SUMS * EXACT_LENGTH, .sum = sum[0], .largest = 1, .value = &worst, .place = &place};
  ASP_TRY(parts->exchange->reduce(parts->exchange->user, &reduction));
  parts->info->looks++;
  double size = sqrt(asp_exact_value(sum[SUM_MAP])), r = sqrt(asp_exact_value(sum[SUM_TOTAL]));
  double data = parts->rho * parts->norm_q, speed = sqrt(asp_exact_value(sum[SUM_SPEED]));
  double unit = sqrt(asp_exact_value(sum[SUM_UNIT])), normal = asp_exact_value(sum[SUM_NORMAL]);
  AspResidual residual = {.E1 = unit / fmax(fmax(r, speed), fmax(parts->norm_q, DBL_MIN)),
                          .E2 = size / fmax(fmax(r, data), DBL_MIN),
                          .E3 = size / fmax(data, DBL_MIN),
                          .contact = sqrt(worst) * (double)parts->partition->all_contacts / fmax(normal, DBL_MIN)};
  bool finite = isfinite(worst + size + unit + r + speed);
  *seen = (Look){finite ? asp_verdict_excess(&parts->asked, &residual) : HUGE_VAL, residual.E2, residual.contact};
  return ASP_OK;
}

/* ---- laying out ---- */

static AspError pack_cell(Parts *parts, int c, int *line, bool *fits) {
  const AspCell *cell = &parts->partition->cell[c];
  AspPackedScope scope = {.rho = parts->rho,
                          .norm_q = parts->norm_q,
                          .mass = asp_parts_judge_mass(parts->judge, c),
                          .holders = cell->holders,
                          .line = line};
  return asp_packed_take(&parts->packed[c], &parts->arena, &cell->problem, &scope, fits);
}

/* The lowest cell that does not fit, on all ranks alike. */
static AspError refuse(Parts *parts, int number) {
  double value = number >= 0 ? 1 : 0;
  int64_t place = number;
  AspRankReduction reduction = {.largest = 1, .value = &value, .place = &place};
  ASP_TRY(parts->exchange->reduce(parts->exchange->user, &reduction));
  if (!(value > 0))
    return ASP_OK;
  return asp_fail(parts->context, ASP_ERROR_UNSUPPORTED,
                  "cell %d: sweeps by cells take contacts of rigid bodies in space alone (exact cone or no friction); "
                  "solve the whole problem on one rank",
                  (int)place);
}

static AspError lay_out(Parts *parts) {
  const AspPartition *partition = parts->partition;
  AspArena *arena = &parts->arena;
  int most = 0, unfit = -1;
  for (int c = 0; c < partition->cells; c++)
    most = partition->cell[c].problem.bodies.count > most ? partition->cell[c].problem.bodies.count : most;
  int *line = ASP_TAKE(arena, int, most);
  parts->packed = ASP_TAKE(arena, AspPacked, partition->cells);
  parts->line = ASP_TAKE(arena, AspPackedBody *, partition->copies);
  parts->own = ASP_TAKE(arena, double, LINE_WIDTH *(size_t)partition->copies);
  parts->remote = ASP_TAKE(arena, double, LINE_WIDTH *(size_t)partition->remotes);
  if (!line || !parts->packed || !parts->line || !parts->own || !parts->remote)
    return ASP_ERROR_MEMORY;
  for (int c = 0, k = 0; c < partition->cells && unfit < 0; c++) {
    bool fits = true;
    ASP_TRY(pack_cell(parts, c, line, &fits));
    unfit = fits ? -1 : partition->cell[c].number;
    for (; fits && k < partition->copies && partition->copy[k].cell == c; k++)
      parts->line[k] = &parts->packed[c].body[line[partition->copy[k].body]];
  }
  return refuse(parts, unfit);
}

/* ---- until done ---- */

typedef struct Course {
  Look last;
  double best; /* least excess so far */
  int check, best_check;
} Course;

static void keep(Parts *parts) {
  for (int c = 0; c < parts->partition->cells; c++)
    asp_packed_keep(&parts->packed[c]);
}

static AspError begin(Parts *parts, double *const *r, Course *course) {
  for (int c = 0; c < parts->partition->cells; c++)
    asp_packed_load(&parts->packed[c], r[c], NULL, 0);
  ASP_TRY(run(parts, refresh_cells));
  ASP_TRY(look(parts, &course->last));
  for (int c = 0; c < parts->partition->cells; c++)
    asp_packed_start_momentum(&parts->packed[c], course->last.contact);
  course->best = course->last.excess;
  keep(parts);
  return ASP_OK;
}

/* Sweeps up to the next look, and the look. */
static AspError sweep_on(Parts *parts, int count, Course *course) {
  Look next;
  for (int k = 0; k < count; k++)
    ASP_TRY(run(parts, sweep_cells));
  parts->info->sweeps += count;
  if (++course->check % PACKED_SOLVE_FRESH_EVERY == 0)
    ASP_TRY(run(parts, refresh_cells));
  ASP_TRY(look(parts, &next));
  for (int c = 0; c < parts->partition->cells; c++)
    asp_packed_adapt_momentum(&parts->packed[c], course->last.E2, next.E2);
  course->last = next;
  if (next.excess < PACKED_SOLVE_PROGRESS * course->best)
    course->best_check = course->check;
  if (next.excess < course->best) {
    course->best = next.excess;
    keep(parts);
  }
  if (course->check - course->best_check > PACKED_SOLVE_STAGNATION) {
    for (int c = 0; c < parts->partition->cells; c++)
      asp_packed_lower_momentum(&parts->packed[c]);
    course->best_check = course->check;
  }
  return ASP_OK;
}

/* Sweep until the looks say that it is solved, then ask the judge, whose word alone counts; if it says no, to half
 * that. */
static AspError sweep_until_done(Parts *parts, const AspPartsOptions *options, double *const *r) {
  Course course = {.best = HUGE_VAL};
  AspPartsInfo *info = parts->info;
  double aim = 1;
  ASP_TRY(begin(parts, r, &course));
  for (;;) {
    while (!(course.best <= aim) && info->sweeps < options->max_sweeps && course.last.excess < HUGE_VAL) {
      int left = options->max_sweeps - info->sweeps;
      ASP_TRY(sweep_on(parts, left < PACKED_SOLVE_CHECK_EVERY ? left : PACKED_SOLVE_CHECK_EVERY, &course));
    }
    for (int c = 0; c < parts->partition->cells; c++)
      asp_packed_unload(&parts->packed[c], r[c]);
    ASP_TRY(asp_parts_judge_residual(parts->judge, (const double *const *)r, &info->residual));
    bool met = asp_verdict_is_met(&parts->asked, &info->residual), finite = course.last.excess < HUGE_VAL;
    info->status = met ? ASP_STATUS_SOLVED : finite ? ASP_STATUS_ITERATION_LIMIT : ASP_STATUS_NOT_FINITE;
    if (met || !finite || info->sweeps >= options->max_sweeps)
      return ASP_OK;
    aim = course.best / 2;
  }
}

AspPartsOptions asp_parts_default_options(void) {
  return (AspPartsOptions){.cookie = PARTS_COOKIE, .tolerance = PARTS_TOLERANCE, .max_sweeps = PARTS_SWEEPS};
}

static AspError check_options(AspContext *context, const AspPartsOptions *options) {
  if (options->cookie != PARTS_COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT,
                    "options of a solve in parts must come from asp_parts_default_options()");
  if (!(options->tolerance > 0 && options->tolerance < 1))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "tolerance must lie between 0 and 1; it is %g", options->tolerance);
  if (!(options->tolerance_contact >= 0))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "tolerance_contact must not be negative; it is %g",
                    options->tolerance_contact);
  if (options->max_sweeps < 0)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "max_sweeps must not be negative; it is %d", options->max_sweeps);
  return ASP_OK;
}

AspError asp_parts_solve(AspPartsJudge *judge, const AspPartsOptions *options, double *const *r, AspPartsInfo *info) {
  AspPartsOptions defaults = asp_parts_default_options();
  const AspPartsOptions *chosen = options ? options : &defaults;
  Parts parts = {.judge = judge, .info = info};
  asp_parts_judge_lend(judge, &parts.context, &parts.partition, &parts.exchange);
  asp_parts_judge_scales(judge, &parts.rho, &parts.norm_q);
  *info = (AspPartsInfo){.status = ASP_STATUS_ITERATION_LIMIT};
  ASP_TRY(check_options(parts.context, chosen));
  parts.asked = (AspTolerances){chosen->tolerance, chosen->tolerance_contact, chosen->ask_E1};
  asp_arena_init(&parts.arena, parts.context);
  AspError error = lay_out(&parts);
  if (error == ASP_OK)
    error = sweep_until_done(&parts, chosen, r);
  asp_arena_free(&parts.arena);
  return error;
}
