/* From a contact problem to all its solutions: elimination and islands (reduced.h), a search per island (search.h), the
 * product of their solutions, each judged by the one judge. */
#include "asperity/analyze.h"
#include "base/elementary.h"

#include "analyze/certificate.h"
#include "analyze/ray.h"
#include "analyze/search.h"
#include "analyze/small_friction.h"
#include "analyze/tuning/analyze.h"
#include "problem/polygon_lcp.h"

#include <math.h>

#define COOKIE UINT32_C(0x414e4c59)

const char *asp_block_mode_name(AspBlockMode mode) {
  static const char *const names[] = {"open", "closed", "stick", "slide", "held"};
  if (mode == ASP_BLOCK_ANY || mode == ASP_BLOCK_ANY_CLOSED)
    return mode == ASP_BLOCK_ANY ? "any" : "closed";
  return mode >= ASP_BLOCK_OPEN && mode <= ASP_BLOCK_HELD ? names[mode] : "unknown";
}

AspAnalysisOptions asp_analysis_default_options(void) {
  return (AspAnalysisOptions){.cookie = COOKIE,
                              // exact: default of an option
                              .max_time = 30,
                              // exact: default of an option
                              .max_solutions = 1000,
                              // exact: default of an option
                              .max_witnesses = 200,
                              .certificates = true,
                              // exact: default of an option
                              .starts = 24};
}

/* ---- one run ---- */

typedef struct Run {
  AspContext *context;
  AspArena arena;
  AspAnalysisOptions options;
  AspContactProblem problem; /* copy with its local form */
  AspReduction reduction;
  AspSearch *search; /* islands */
  AspReduced *part;  /* islands */
  AspJudge *judge;
  double deadline;
  AspAnalysis *out;
} Run;

static AspError check(AspContext *context, const AspContactProblem *problem, const AspAnalysisOptions *options) {
  if (options->cookie != COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "analysis options must come from asp_analysis_default_options()");
  if (options->max_solutions < 1 || options->max_witnesses < 0 || !(options->max_time > 0) || options->max_nodes < 0 ||
      options->starts < 0)
    return asp_fail(
        context, ASP_ERROR_ARGUMENT,
        "analysis options: max_time %g must be > 0 s, max_solutions %d >= 1, max_witnesses %d >= 0, starts %d >= 0",
        options->max_time, options->max_solutions, options->max_witnesses, options->starts);
  ASP_TRY(asp_problem_validate(context, problem));
  for (int b = 0; b < problem->blocks; b++) {
    const AspLaw *law = &problem->law[b];
    if (law->kind == ASP_LAW_BALL && law->limit > 0)
      return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                      "block %d: the law ball (dry friction of a spherical or planar joint) cannot be enumerated; take "
                      "the joint's friction out",
                      b);
    if (law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_RELAXED)
      return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                      "block %d: the relaxed cone cannot be enumerated; take the exact one or a polygon", b);
    bool polygon = problem->dimension == 3 && law->kind == ASP_LAW_COULOMB && law->cone != ASP_CONE_EXACT;
    if (polygon && law->directions > ASP_PIECE_DIRECTIONS)
      return asp_fail(
          context, ASP_ERROR_UNSUPPORTED,
          "block %d: a friction polygon with %d directions has too many modes; at most %d can be enumerated", b,
          law->directions, ASP_PIECE_DIRECTIONS);
  }
  return ASP_OK;
}

/* Once, and with a larger tolerance where noise in the data blurs the answer. */
static AspError search_island(Run *run, int island) {
  AspSearch again = run->search[island];
  ASP_TRY(asp_search(&run->search[island]));
  if (!run->search[island].blurred)
    return ASP_OK;
  again.tolerance = ANALYSIS_BLURRED;
  ASP_TRY(asp_search(&again));
  again.nodes += run->search[island].nodes;
  if (again.complete || again.count > run->search[island].count)
    run->search[island] = again;
  return ASP_OK;
}

static AspError search_islands(Run *run, bool power, int most_ruled_out) {
  int islands = run->reduction.islands;
  run->search = ASP_TAKE(&run->arena, AspSearch, islands);
  run->part = ASP_TAKE(&run->arena, AspReduced, islands);
  if (!run->search || !run->part)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < islands; i++) {
    int *members;
    ASP_TRY(asp_reduced_island(&run->arena, &run->reduction, i, &run->part[i], &members));
    run->part[i].power = run->part[i].power && power;
    run->search[i] = (AspSearch){.arena = &run->arena,
                                 .problem = &run->part[i],
                                 .deadline = run->deadline,
                                 .most_nodes = run->options.max_nodes,
                                 .most_solutions = run->options.max_solutions,
                                 .most_ruled_out = most_ruled_out};
    ASP_TRY(search_island(run, i));
    if (!run->search[i].complete)
      ASP_TRY(asp_search_multistart(&run->search[i], run->context, run->options.starts));
    for (int k = 0; k < run->search[i].count; k++)
      ASP_TRY(asp_search_reactions(&run->search[i], &run->search[i].found[k]));
    run->out->nodes += run->search[i].nodes;
  }
  return ASP_OK;
}

/* ---- solutions ---- */

static AspBlockMode mode_of(const AspLaw *law, int rows, const double *u, double high, double still) {
  switch (law->kind) {
  case ASP_LAW_BOX:
    return fabs(u[0]) > still ? ASP_BLOCK_SLIDE : ASP_BLOCK_STICK;
  case ASP_LAW_UNILATERAL:
    return high > ANALYSIS_PUSHES ? ASP_BLOCK_CLOSED : ASP_BLOCK_OPEN;
  case ASP_LAW_SLIDING:
    return high > ANALYSIS_PUSHES ? ASP_BLOCK_SLIDE : ASP_BLOCK_OPEN;
  default:
    if (!(high > ANALYSIS_PUSHES))
      return ASP_BLOCK_OPEN;
    return (rows == 3 ? asp_hypot(u[1], u[2]) : rows == 2 ? fabs(u[1]) : 0) > still ? ASP_BLOCK_SLIDE : ASP_BLOCK_STICK;
  }
}

static AspError take_solution(Run *run, AspSolution *solution) {
  AspContext *context = run->context;
  size_t blocks = (size_t)run->problem.blocks, rows = (size_t)run->problem.rows;
  solution->mode = asp_allocate(context, blocks, sizeof *solution->mode);
  solution->r = asp_allocate(context, rows, sizeof *solution->r);
  solution->u = asp_allocate(context, rows, sizeof *solution->u);
  solution->x = asp_allocate(context, (size_t)run->problem.dofs, sizeof *solution->x);
  solution->low = asp_allocate(context, blocks, sizeof *solution->low);
  solution->high = asp_allocate(context, blocks, sizeof *solution->high);
  bool complete = solution->mode && solution->r && solution->u && solution->x && solution->low && solution->high;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

static double energy_of(const AspContactProblem *problem, const AspSolution *solution) {
  double sum = 0;
  for (int j = 0; j < problem->dofs; j++)
    for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++)
      sum += solution->x[problem->M.row[k]] * problem->M.value[k] * solution->x[j];
  for (int i = 0; problem->dofs == 0 && i < problem->rows; i++)
    sum += solution->r[i] * (solution->u[i] + problem->q[i]);
  return 0.5 * sum;
}

/* The solution made of solution index[i] of island i. */
static AspError combine(Run *run, const int *index, AspSolution *solution) {
  const AspContactProblem *problem = &run->problem;
  ASP_TRY(take_solution(run, solution));
  for (int b = 0; b < problem->blocks; b++)
    solution->mode[b] = problem->law[b].kind == ASP_LAW_EQUALITY ? ASP_BLOCK_HELD : ASP_BLOCK_SLIDE;
  for (int i = 0; i < run->reduction.islands; i++) {
    const AspReduced *part = &run->part[i];
    const AspFound *found = &run->search[i].found[index[i]];
    double still = 1;
    for (int k = 0; k < part->rows; k++)
      still = fmax(still, fabs(found->u[k]));
    asp_reduced_restore(problem, part, found->r, solution->r);
    solution->motion_dimension += found->motion_dimension;
    solution->reaction_dimension += found->reaction_dimension;
    for (int b = 0; b < part->blocks; b++) {
      int block = part->block[b];
      double unit = part->d[b] * part->unit;
      solution->low[block] = found->low[b] * unit;
      solution->high[block] = found->high[b] * unit;
      solution->mode[block] = mode_of(&part->law[b], asp_reduced_size(part, b), found->u + part->offset[b],
                                      found->high[b], ANALYSIS_MOVES * still);
    }
  }
  if (run->reduction.equalities.count > 0)
    asp_elimination_reactions(&run->reduction.equalities, solution->r);
  for (int b = 0; b < problem->blocks; b++)
    if (problem->law[b].kind == ASP_LAW_EQUALITY && problem->offset[b] < problem->offset[b + 1])
      solution->low[b] = solution->high[b] = solution->r[problem->offset[b]];
  solution->reaction_dimension += run->reduction.equalities.count - run->reduction.equalities.rank;
  ASP_TRY(asp_judge_residual(run->judge, solution->r, &solution->residual, solution->u,
                             problem->dofs > 0 ? solution->x : NULL));
  solution->energy = energy_of(problem, solution);
  return ASP_OK;
}

static int closed_blocks(const AspSolution *solution, int blocks) {
  int closed = 0;
  for (int b = 0; b < blocks; b++)
    closed += solution->mode[b] != ASP_BLOCK_OPEN;
  return closed;
}

/* Painleve's principle; stable, by insertion. */
static void sort_solutions(AspAnalysis *out) {
  for (int i = 1; i < out->count; i++) {
    AspSolution it = out->solution[i];
    int closed = closed_blocks(&it, out->blocks), j = i;
    for (; j > 0; j--) {
      int before = closed_blocks(&out->solution[j - 1], out->blocks);
      if (before < closed || (before == closed && out->solution[j - 1].energy <= it.energy))
        break;
      out->solution[j] = out->solution[j - 1];
    }
    out->solution[j] = it;
  }
}

static AspError combine_all(Run *run) {
  AspAnalysis *out = run->out;
  int islands = run->reduction.islands;
  double product = 1;
  for (int i = 0; i < islands; i++)
    product *= run->search[i].count;
  int *index = ASP_TAKE(&run->arena, int, islands);
  int count = product > run->options.max_solutions ? run->options.max_solutions : (int)product;
  out->solution = asp_allocate(run->context, (size_t)count, sizeof *out->solution);
  if (!index || (count && !out->solution))
    return ASP_ERROR_MEMORY;
  if (product > count) {
    out->complete = false;
    out->incomplete = "the limit on solutions was reached";
  }
  while (out->count < count) {
    ASP_TRY(
        combine(run, index, &out->solution[out->count++])); // counted first, so that a partly made one is released too
    for (int i = 0; i < islands && ++index[i] == run->search[i].count; i++)
      index[i] = 0;
  }
  sort_solutions(out);
  return ASP_OK;
}

/* ---- no solution ---- */

static int mode_of_choice(const AspLaw *law, const AspPieceChoice *choice) {
  switch (choice->state) {
  case ASP_PIECE_UNDECIDED:
    return -1;
  case ASP_PIECE_OPEN:
    return ASP_BLOCK_OPEN;
  case ASP_PIECE_CLOSED:
    return law->kind == ASP_LAW_COULOMB ? -2 : law->kind == ASP_LAW_SLIDING ? ASP_BLOCK_SLIDE : ASP_BLOCK_CLOSED;
  case ASP_PIECE_STICK:
    return ASP_BLOCK_STICK;
  default:
    return ASP_BLOCK_SLIDE;
  }
}

static AspError make_witness(Run *run, const AspReduced *part, const AspRuledOut *ruled_out, AspWitness *witness) {
  const AspContactProblem *problem = &run->problem;
  const AspElimination *equalities = &run->reduction.equalities;
  witness->mode = asp_allocate(run->context, (size_t)problem->blocks, sizeof *witness->mode);
  witness->p = asp_allocate(run->context, (size_t)problem->rows, sizeof *witness->p);
  if (!witness->mode || !witness->p)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < problem->blocks; b++)
    witness->mode[b] = problem->law[b].kind == ASP_LAW_EQUALITY ? ASP_BLOCK_HELD : ASP_BLOCK_ANY;
  double size = 0;
  for (int i = 0; i < part->rows; i++)
    size = fmax(size, fabs(ruled_out->witness[i]));
  for (int b = 0; b < part->blocks; b++) {
    const AspPieceChoice *choice = &ruled_out->choices[b];
    const AspLaw *law = &part->law[b];
    int at = problem->offset[part->block[b]];
    witness->mode[part->block[b]] = mode_of_choice(law, choice);
    double base = law->kind != ASP_LAW_BOX           ? 0
                  : choice->state == ASP_PIECE_SLIDE ? -choice->feature * law->limit
                                                     : -law->limit;
    for (int k = 0; k < asp_reduced_size(part, b); k++) {
      double p = ruled_out->witness[part->offset[b] + k] / size;
      witness->p[at + k] = p * part->d[b];
      witness->margin += p * part->q[part->offset[b] + k] * part->unit;
      for (int j = 0; j < part->rows && base != 0; j++)
        witness->margin +=
            ruled_out->witness[j] / size * part->W[(size_t)j * part->rows + part->offset[b]] * base * part->unit;
    }
  }
  // joints: whatever they push, p.u must not change
  for (int i = 0; i < equalities->count; i++) {
    double sum = 0;
    for (int b = 0; b < part->blocks; b++)
      for (int k = problem->offset[part->block[b]]; k < problem->offset[part->block[b] + 1]; k++)
        sum += asp_elimination_part(equalities, k)[i] * witness->p[k];
    witness->p[equalities->row[i]] = -sum;
  }
  return ASP_OK;
}

/* A second search, in the pieces' terms alone, of the first island without solution. */
static AspError collect_witnesses(Run *run) {
  AspAnalysis *out = run->out;
  int island = 0;
  while (island < run->reduction.islands && run->search[island].count > 0)
    island++;
  if (island == run->reduction.islands)
    return ASP_OK;
  run->part[island].power = false;
  AspSearch search = {.arena = &run->arena,
                      .problem = &run->part[island],
                      .deadline = run->deadline,
                      .most_nodes = run->options.max_nodes,
                      .most_solutions = 1,
                      .most_ruled_out = run->options.max_witnesses};
  ASP_TRY(asp_search(&search));
  out->witness = asp_allocate(run->context, (size_t)search.ruled_out_count, sizeof *out->witness);
  if (search.ruled_out_count && !out->witness)
    return ASP_ERROR_MEMORY;
  out->witness_complete = search.complete && search.ruled_out_all == search.ruled_out_count;
  for (int i = 0; i < search.ruled_out_count; i++) {
    if (!search.ruled_out[i].witness) {
      out->witness_complete = false;
      continue;
    }
    ASP_TRY(make_witness(run, &run->part[island], &search.ruled_out[i], &out->witness[out->witnesses++]));
  }
  return ASP_OK;
}

/* ---- what theory says ---- */

static AspError find_rank(Run *run) {
  const AspContactProblem *problem = &run->problem;
  size_t n = (size_t)problem->rows;
  AspArenaMark mark = asp_arena_mark(&run->arena);
  double *W = asp_polygon_dense(&run->arena, problem);
  run->out->dependent = asp_allocate(run->context, n, sizeof *run->out->dependent);
  if (!W || (n && !run->out->dependent))
    return ASP_ERROR_MEMORY;
  asp_certify_rank(problem->rows, W, NULL, run->out->dependent, &run->out->rank);
  asp_arena_rewind(&run->arena, mark);
  return ASP_OK;
}

/* The margin in the problem's units, and y with u = W y + q; joints take their part in it. */
static AspError find_existence(Run *run) {
  const AspReduced *whole = &run->reduction.whole;
  AspAnalysis *out = run->out;
  double *y = ASP_TAKE(&run->arena, double, whole->rows), least = INFINITY;
  if (!y)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_certify_existence(&run->arena, whole, &out->existence_margin, y));
  if (!(out->existence_margin > 0))
    return ASP_OK;
  out->existence_y = asp_allocate(run->context, (size_t)run->problem.rows, sizeof *out->existence_y);
  if (run->problem.rows && !out->existence_y)
    return ASP_ERROR_MEMORY;
  asp_reduced_restore(&run->problem, whole, y, out->existence_y);
  if (run->reduction.equalities.count > 0)
    asp_elimination_reactions(&run->reduction.equalities, out->existence_y);
  for (int b = 0; b < whole->blocks; b++)
    least = fmin(least, whole->unit / whole->d[b]);
  out->existence_margin *= isfinite(least) ? least : 1;
  return ASP_OK;
}

/* u_N = A r_N + b where slip is known, in the problem's units, and whether A is a P-matrix. */
static AspError find_normal_equations(Run *run) {
  const AspReduced *whole = &run->reduction.whole;
  AspAnalysis *out = run->out;
  int n = whole->blocks;
  out->smallest_minor = out->least_power = NAN;
  if (!asp_certify_has_normal_equations(whole))
    return ASP_OK;
  out->normal_block = asp_allocate(run->context, (size_t)n, sizeof *out->normal_block);
  out->normal_A = asp_allocate(run->context, (size_t)(n * n), sizeof *out->normal_A);
  out->normal_b = asp_allocate(run->context, (size_t)n, sizeof *out->normal_b);
  if (!out->normal_block || !out->normal_A || !out->normal_b)
    return ASP_ERROR_MEMORY;
  out->normals = n;
  asp_certify_normal_equations(whole, out->normal_A);
  if (run->options.certificates) {
    ASP_TRY(asp_certify_p_matrix(&run->arena, n, out->normal_A, &out->smallest_minor));
    ASP_TRY(asp_certify_copositive(&run->arena, n, out->normal_A, &out->least_power));
  }
  for (int i = 0; i < n; i++) {
    out->normal_block[i] = whole->block[i];
    out->normal_b[i] = whole->q[whole->offset[i]] * whole->unit / whole->d[i];
    for (int j = 0; j < n; j++)
      out->normal_A[i * n + j] /= whole->d[i] * whole->d[j];
  }
  return ASP_OK;
}

/* ---- the whole ---- */

static AspError analyze(Run *run) {
  AspAnalysis *out = run->out;
  if (run->problem.W.columns == 0 && run->problem.rows > 0)
    ASP_TRY(asp_problem_reduce(run->context, &run->problem));
  ASP_TRY(asp_judge_create(run->context, &run->judge));
  ASP_TRY(asp_judge_reset(run->judge, &run->problem));
  ASP_TRY(asp_reduction_make(&run->arena, &run->problem, &run->reduction));
  out->blocks = run->problem.blocks;
  out->rows = run->problem.rows;
  out->dofs = run->problem.dofs;
  out->islands = run->reduction.islands;
  out->equality_rows = run->reduction.equalities.count;
  out->equality_rank = run->reduction.equalities.rank;
  const AspReduced *whole = &run->reduction.whole;
  out->existence_margin = NAN;
  ASP_TRY(asp_small_friction(&run->arena, whole->blocks, whole->offset, whole->law, whole->W, &out->small_friction));
  ASP_TRY(find_normal_equations(run));
  if (run->options.certificates) {
    ASP_TRY(find_rank(run));
    ASP_TRY(find_existence(run));
  }
  out->complete = true;
  if (run->reduction.contradiction > ANALYSIS_CONTRADICTION) {
    out->contradiction = run->reduction.contradiction;
    return ASP_OK;
  }
  ASP_TRY(search_islands(run, true, 0));
  bool none = false; // an island without solution, all of it searched, is enough
  for (int i = 0; i < run->reduction.islands; i++) {
    const AspSearch *search = &run->search[i];
    none = none || (search->complete && search->count == 0);
    if (!search->complete) {
      out->complete = false;
      out->incomplete = search->slipping && isinf(out->small_friction)
                            ? "slip directions of redundant contacts could not be told apart: they may form a continuum"
                            : search->reason;
    }
  }
  if (none) {
    out->complete = true;
    out->incomplete = NULL;
  }
  ASP_TRY(combine_all(run));
  out->exists = out->count > 0;
  out->unique_motion = out->complete && out->count == 1 && out->solution[0].motion_dimension == 0;
  out->unique = out->unique_motion && out->solution[0].reaction_dimension == 0;
  if (out->exists || !run->options.certificates)
    return ASP_OK;
  ASP_TRY(asp_witness_ray(run->context, &run->problem, out));
  return collect_witnesses(run);
}

AspError asp_analyze(AspContext *context, const AspContactProblem *problem, const AspAnalysisOptions *options,
                     AspAnalysis *analysis) {
  *analysis = (AspAnalysis){0};
  Run run = {.context = context, .options = options ? *options : asp_analysis_default_options(), .out = analysis};
  ASP_TRY(check(context, problem, &run.options));
  run.deadline = asp_clock_seconds() + run.options.max_time;
  asp_arena_init(&run.arena, context);
  AspError error = asp_problem_copy(context, problem, &run.problem);
  if (error == ASP_OK)
    error = analyze(&run);
  if (error == ASP_OK && asp_stop_is_asked(context))
    error = asp_fail(context, ASP_ERROR_INTERRUPTED, "interrupted after %.3g s of the analysis",
                     asp_clock_seconds() + run.options.max_time - run.deadline);
  asp_judge_destroy(run.judge);
  asp_problem_destroy(context, &run.problem);
  asp_arena_free(&run.arena);
  if (error != ASP_OK)
    asp_analysis_destroy(context, analysis);
  return error;
}

void asp_analysis_destroy(AspContext *context, AspAnalysis *analysis) {
  if (!analysis)
    return;
  for (int i = 0; i < analysis->count; i++) {
    AspSolution *it = &analysis->solution[i];
    void *blocks[] = {it->mode, it->r, it->u, it->x, it->low, it->high};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
      asp_release(context, blocks[k]);
  }
  for (int i = 0; i < analysis->witnesses; i++) {
    asp_release(context, analysis->witness[i].mode);
    asp_release(context, analysis->witness[i].p);
  }
  asp_release(context, analysis->dependent);
  asp_release(context, analysis->normal_block);
  asp_release(context, analysis->normal_A);
  asp_release(context, analysis->normal_b);
  asp_release(context, analysis->existence_y);
  asp_release(context, analysis->lcp_M);
  asp_release(context, analysis->lcp_q);
  asp_release(context, analysis->lcp_ray);
  asp_release(context, analysis->solution);
  asp_release(context, analysis->witness);
  *analysis = (AspAnalysis){0};
}
