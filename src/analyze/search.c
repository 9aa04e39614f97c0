/* Branch and bound over pieces (pieces.h): at each node a linear program rules out all completions of the choice so
 * far, or tells which block is farthest from its law; that block is split. A complete choice is a linear system (or,
 * with slip directions of exact cones, a box for slip_proof.h). Found motions are kept once: all reactions with one
 * motion form a convex set, which belongs to it. */
#include "analyze/search.h"
#include "base/elementary.h"

#include "analyze/echelon.h"
#include "analyze/slip_proof.h"
#include "analyze/tuning/analyze.h"
#include "problem/cone.h"
#include "problem/natural_map.h"

#include <math.h>

double asp_search_residual(const AspReduced *problem, const double *r, const double *u) {
  double worst = 0, size = 1;
  for (int i = 0; i < problem->rows; i++)
    size = fmax(size, fabs(r[i]));
  for (int b = 0; b < problem->blocks; b++) {
    double F[3];
    int rows = asp_reduced_size(problem, b), at = problem->offset[b];
    asp_natural_map(&problem->law[b], rows, 1, r + at, u + at, false, F);
    for (int k = 0; k < rows; k++)
      worst = fmax(worst, fabs(F[k]));
  }
  return worst / size;
}

static void give_up(AspSearch *search, const char *reason) {
  search->complete = false;
  if (!search->reason)
    search->reason = reason;
}

bool asp_search_out_of_time(AspSearch *search) {
  if (asp_stop_is_asked(search->arena->context))
    give_up(search, "the caller asked to stop");
  else if (search->deadline > 0 && asp_clock_seconds() > search->deadline)
    give_up(search, "the limit on time was reached");
  else
    return false;
  return true;
}

static bool out_of_bounds(AspSearch *search) {
  if (search->most_nodes > 0 && search->nodes > search->most_nodes)
    give_up(search, "the limit on nodes was reached");
  else if (!asp_search_out_of_time(search))
    return search->count == search->most_solutions && !search->complete;
  return true;
}

/* ---- keeping solutions ---- */

static bool motions_agree(const AspReduced *problem, const double *a, const double *b, double tolerance) {
  double size = 1, difference = 0;
  for (int i = 0; i < problem->rows; i++) {
    size = fmax(size, fabs(a[i]));
    difference = fmax(difference, fabs(a[i] - b[i]));
  }
  return difference <= tolerance * size;
}

static bool same_motion(const AspReduced *problem, const double *a, const double *b) {
  return motions_agree(problem, a, b, SEARCH_SAME);
}

static bool is_near(const AspReduced *problem, const double *a, const double *b) {
  return motions_agree(problem, a, b, SEARCH_NEAR_MOTION);
}

/* The continuum that a choice of modes holds: intervals of the first reactions over all of it. */
static AspError widen(AspSearch *search, const AspPieceChoice *choices, AspFound *found) {
  const AspReduced *problem = search->problem;
  AspArenaMark mark = asp_arena_mark(search->arena);
  double *c = ASP_TAKE(search->arena, double, problem->rows);
  if (!c)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < problem->blocks; b++)
    for (int side = 0; side < 2; side++) {
      double value, sign = side ? -1 : 1;
      AspLpStatus status;
      c[problem->offset[b]] = sign;
      ASP_TRY(asp_relaxation_extreme(&search->relaxation, choices, c, NULL, &value, &status, NULL));
      c[problem->offset[b]] = 0;
      double end = status == ASP_LP_OPTIMAL ? sign * value : sign * -HUGE_VAL;
      if (side)
        found->high[b] = fmax(found->high[b], end);
      else
        found->low[b] = fmin(found->low[b], end);
    }
  asp_arena_rewind(search->arena, mark);
  return ASP_OK;
}

/* choices: where motions form a continuum, those that hold it; else NULL. */
static AspError keep(AspSearch *search, const double *r, int motion_dimension, const AspPieceChoice *choices) {
  const AspReduced *problem = search->problem;
  double *u = ASP_TAKE(search->arena, double, problem->rows);
  AspFound *found = NULL;
  if (!u)
    return ASP_ERROR_MEMORY;
  asp_reduced_velocity(problem, r, u);
  for (int i = 0; i < search->count && !found; i++)
    found = same_motion(problem, u, search->found[i].u) ? &search->found[i] : NULL;
  if (!found && search->count == search->most_solutions) {
    give_up(search, "the limit on solutions was reached");
    return ASP_OK;
  }
  if (!found) {
    found = &search->found[search->count];
    *found = (AspFound){.r = ASP_TAKE(search->arena, double, problem->rows),
                        .u = u,
                        .low = ASP_TAKE(search->arena, double, problem->blocks),
                        .high = ASP_TAKE(search->arena, double, problem->blocks)};
    if (!found->r || !found->low || !found->high)
      return ASP_ERROR_MEMORY;
    memcpy(found->r, r, (size_t)problem->rows * sizeof *r);
    for (int b = 0; b < problem->blocks; b++)
      found->low[b] = found->high[b] = r[problem->offset[b]];
    search->count++;
  }
  found->motion_dimension = motion_dimension > found->motion_dimension ? motion_dimension : found->motion_dimension;
  return motion_dimension > 0 && choices ? widen(search, choices, found) : ASP_OK;
}

static AspError rule_out(AspSearch *search, const AspPieceChoice *choices, const AspRelaxed *relaxed) {
  const AspReduced *problem = search->problem;
  search->ruled_out_all++;
  if (search->ruled_out_count == search->most_ruled_out)
    return ASP_OK;
  AspRuledOut *out = &search->ruled_out[search->ruled_out_count];
  out->choices = ASP_TAKE(search->arena, AspPieceChoice, problem->blocks);
  out->witness = ASP_TAKE(search->arena, double, problem->rows);
  if (!out->choices || !out->witness)
    return ASP_ERROR_MEMORY;
  memcpy(out->choices, choices, (size_t)problem->blocks * sizeof *choices);
  memcpy(out->witness, relaxed->witness, (size_t)problem->rows * sizeof *out->witness);
  if (!relaxed->has_witness)
    out->witness = NULL;
  search->ruled_out_count++;
  return ASP_OK;
}

/* ---- choices that miss by little ---- */

/* Noise in q can make a choice miss by more than rounding. Its motion is kept and looked for among the solutions at the
 * end, unless it misses only since moving pieces ask for some motion (with their boundary it holds, and the piece stick
 * has the same; or it misses by much). */
static AspError note_near(AspSearch *search, const AspPieceChoice *choices, const AspRelaxed *relaxed) {
  int n = search->problem->rows;
  if (!(relaxed->miss < ASP_NEAR))
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(search->arena);
  AspRelaxed closure = {.r = ASP_TAKE(search->arena, double, n),
                        .u = ASP_TAKE(search->arena, double, n),
                        .witness = ASP_TAKE(search->arena, double, n)};
  if (!closure.r || !closure.u || !closure.witness)
    return ASP_ERROR_MEMORY;
  search->relaxation.closure = true;
  AspError error = asp_relaxation_solve(&search->relaxation, choices, &closure);
  search->relaxation.closure = false;
  bool empty = !closure.feasible && closure.miss < ASP_NEAR;
  asp_arena_rewind(search->arena, mark);
  ASP_TRY(error);
  for (int i = 0; empty && i < search->near_count && i < ASP_NEAR_MAX; i++)
    empty = !is_near(search->problem, relaxed->u, search->near + (size_t)i * n);
  if (empty && search->near_count < ASP_NEAR_MAX)
    memcpy(search->near + (size_t)search->near_count * n, relaxed->u, (size_t)n * sizeof *search->near);
  search->near_count += empty;
  return ASP_OK;
}

static void resolve_near(AspSearch *search) {
  for (int i = 0; i < search->near_count; i++) {
    bool known = false;
    for (int k = 0; i < ASP_NEAR_MAX && k < search->count && !known; k++)
      known = is_near(search->problem, search->near + (size_t)i * search->problem->rows, search->found[k].u);
    if (known)
      continue;
    search->blurred = search->complete;
    give_up(search, "a choice of modes misses by hardly more than rounding");
  }
}

/* ---- complete choices ---- */

/* The equations of a complete choice: A y = b with r = base + G y. */
typedef struct Leaf {
  int n;
  double *A, *b;
  int *block; /* n: owner of unknown y */
  double *g;  /* n x 3 */
  double *base;
} Leaf;

static AspError make_leaf(AspSearch *search, const AspPieceChoice *choices, Leaf *leaf) {
  const AspReduced *problem = search->problem;
  AspArena *arena = search->arena;
  size_t most = (size_t)problem->rows;
  AspPiece *piece = &search->relaxation.piece;
  *leaf = (Leaf){0,
                 ASP_TAKE(arena, double, most *most),
                 ASP_TAKE(arena, double, most),
                 ASP_TAKE(arena, int, most),
                 ASP_TAKE(arena, double, 3 * most),
                 ASP_TAKE(arena, double, most)};
  double *effect = ASP_TAKE(arena, double, most *most), *offset = ASP_TAKE(arena, double, most);
  if (!leaf->A || !leaf->b || !leaf->block || !leaf->g || !leaf->base || !effect || !offset)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < problem->blocks; b++) {
    int first = problem->offset[b], size = asp_reduced_size(problem, b);
    asp_piece_equations(&problem->law[b], size, &choices[b], piece);
    for (int k = 0; k < size; k++)
      leaf->base[first + k] = piece->base[k];
    for (int j = 0; j < piece->generators; j++, leaf->n++) {
      leaf->block[leaf->n] = b;
      memcpy(leaf->g + 3 * (size_t)leaf->n, piece->g[j], sizeof piece->g[j]);
      for (int i = 0; i < problem->rows; i++)
        for (int k = 0; k < size; k++)
          effect[(size_t)leaf->n * most + i] += problem->W[(size_t)i * most + first + k] * piece->g[j][k];
    }
  }
  asp_reduced_velocity(problem, leaf->base, offset);
  int row = 0;
  for (int b = 0; b < problem->blocks; b++) {
    asp_piece_equations(&problem->law[b], asp_reduced_size(problem, b), &choices[b], piece);
    for (int c = 0; c < piece->conditions; c++, row++)
      for (int k = 0; k < asp_reduced_size(problem, b); k++) {
        double a = piece->condition[c].a[k];
        int at = problem->offset[b] + k;
        leaf->b[row] -= a * offset[at];
        for (int j = 0; j < leaf->n; j++)
          leaf->A[(size_t)row * leaf->n + j] += a * effect[(size_t)j * most + at];
      }
  }
  return ASP_OK;
}

static void add_weights(const AspReduced *problem, const Leaf *leaf, const double *y, double *r) {
  for (int j = 0; j < leaf->n; j++)
    for (int k = 0; k < asp_reduced_size(problem, leaf->block[j]); k++)
      r[problem->offset[leaf->block[j]] + k] += y[j] * leaf->g[3 * (size_t)j + k];
}

static AspError keep_if_right(AspSearch *search, const double *r, int motion_dimension, const AspPieceChoice *choices,
                              bool *right) {
  AspArenaMark mark = asp_arena_mark(search->arena);
  double *u = ASP_TAKE(search->arena, double, search->problem->rows);
  if (!u)
    return ASP_ERROR_MEMORY;
  asp_reduced_velocity(search->problem, r, u);
  *right = asp_search_residual(search->problem, r, u) <= SEARCH_ACCEPTED;
  asp_arena_rewind(search->arena, mark);
  return *right ? keep(search, r, motion_dimension, choices) : ASP_OK;
}

/* How many of the directions that the equations leave open move the bodies within the piece. */
static AspError count_motions(AspSearch *search, const AspPieceChoice *choices, const Leaf *leaf,
                              const AspEchelon *echelon, int *count) {
  const AspReduced *problem = search->problem;
  double *direction = ASP_TAKE(search->arena, double, problem->rows);
  double *effect = ASP_TAKE(search->arena, double, problem->rows);
  if (!direction || !effect)
    return ASP_ERROR_MEMORY;
  *count = 0;
  for (int k = 0; k < leaf->n - echelon->rank; k++) {
    double largest = 0, ends[2] = {0, 0};
    memset(direction, 0, (size_t)problem->rows * sizeof *direction);
    add_weights(problem, leaf, echelon->null_space + (size_t)k * leaf->n, direction);
    asp_reduced_velocity(problem, direction, effect);
    for (int i = 0; i < problem->rows; i++) {
      effect[i] -= problem->q[i];
      largest = fmax(largest, fabs(effect[i]));
    }
    if (largest < SEARCH_SAME)
      continue;
    bool unbounded = false;
    for (int side = 0; side < 2; side++) {
      AspLpStatus status;
      for (int i = 0; i < problem->rows; i++)
        effect[i] = -effect[i];
      ASP_TRY(asp_relaxation_extreme(&search->relaxation, choices, NULL, effect, &ends[side], &status, NULL));
      unbounded = unbounded || status == ASP_LP_UNBOUNDED;
    }
    *count += unbounded || -ends[0] - ends[1] > SEARCH_SAME;
  }
  return ASP_OK;
}

/* The block whose reaction leaves its exact cone farthest; -1: none. */
static int worst_cone(const AspReduced *problem, const double *r) {
  int worst = -1;
  double largest = SEARCH_ARC_LEAST;
  for (int b = 0; b < problem->blocks; b++) {
    const AspLaw *law = &problem->law[b];
    if (law->kind != ASP_LAW_COULOMB || law->cone != ASP_CONE_EXACT || asp_reduced_size(problem, b) != 3)
      continue;
    const double *at = r + problem->offset[b];
    double excess = asp_hypot(at[1], at[2]) - law->mu * at[0];
    if (excess > largest) {
      largest = excess;
      worst = b;
    }
  }
  return worst;
}

/* Singular equations: the program's point, moved onto the equations; exact cones are cut out one facet
 * after another. */
static AspError solve_singular(AspSearch *search, const AspPieceChoice *choices, AspRelaxed *relaxed, const Leaf *leaf,
                               const AspEchelon *echelon) {
  const AspReduced *problem = search->problem;
  int motions;
  bool right = false;
  ASP_TRY(count_motions(search, choices, leaf, echelon, &motions));
  while (relaxed->feasible) {
    Leaf fresh;
    AspEchelon correction;
    AspArenaMark mark = asp_arena_mark(search->arena);
    double *r = ASP_TAKE(search->arena, double, problem->rows);
    if (!r)
      return ASP_ERROR_MEMORY;
    ASP_TRY(make_leaf(search, choices, &fresh));
    // equations at the program's point: r* = base + G y*, so the rest of A y = b is -(conditions at u*)
    memcpy(r, relaxed->r, (size_t)problem->rows * sizeof *r);
    int row = 0;
    for (int b = 0; b < problem->blocks; b++) {
      AspPiece *piece = &search->relaxation.piece;
      asp_piece_equations(&problem->law[b], asp_reduced_size(problem, b), &choices[b], piece);
      for (int c = 0; c < piece->conditions; c++, row++) {
        fresh.b[row] = 0;
        for (int k = 0; k < asp_reduced_size(problem, b); k++)
          fresh.b[row] -= piece->condition[c].a[k] * relaxed->u[problem->offset[b] + k];
      }
    }
    ASP_TRY(asp_echelon(search->arena, fresh.n, fresh.n, fresh.A, fresh.b, SEARCH_RANK, &correction));
    add_weights(problem, &fresh, correction.x, r);
    ASP_TRY(keep_if_right(search, r, motions, choices, &right));
    int block = right ? -1 : worst_cone(problem, r);
    if (!right) // what was kept lies behind r on the arena
      asp_arena_rewind(search->arena, mark);
    if (block < 0 || !asp_relaxation_add_facet(&search->relaxation, block, relaxed->r))
      break;
    ASP_TRY(asp_relaxation_solve(&search->relaxation, choices, relaxed));
  }
  if (relaxed->feasible && !right)
    give_up(search, "a hyperstatic choice of modes could not be decided");
  return ASP_OK;
}

static AspError solve_leaf(AspSearch *search, const AspPieceChoice *choices, AspRelaxed *relaxed) {
  const AspReduced *problem = search->problem;
  Leaf leaf;
  AspEchelon echelon;
  bool right;
  ASP_TRY(make_leaf(search, choices, &leaf));
  ASP_TRY(asp_echelon(search->arena, leaf.n, leaf.n, leaf.A, leaf.b, SEARCH_RANK, &echelon));
  if (echelon.rank < leaf.n)
    return solve_singular(search, choices, relaxed, &leaf, &echelon);
  double *r = ASP_TAKE(search->arena, double, problem->rows);
  if (!r)
    return ASP_ERROR_MEMORY;
  memcpy(r, leaf.base, (size_t)problem->rows * sizeof *r);
  add_weights(problem, &leaf, echelon.x, r);
  return keep_if_right(search, r, 0, NULL, &right);
}

/* ---- the tree ---- */

static double law_violation(const AspReduced *problem, int b, const AspRelaxed *at) {
  double F[3], sum = 0;
  int rows = asp_reduced_size(problem, b), first = problem->offset[b];
  asp_natural_map(&problem->law[b], rows, 1, at->r + first, at->u + first, false, F);
  for (int k = 0; k < rows; k++)
    sum += fabs(F[k]);
  return sum;
}

/* The undecided block that is farthest from its law; -1: all are decided. */
static int block_to_split(const AspReduced *problem, const AspPieceChoice *choices, const AspRelaxed *at) {
  int best = -1;
  double largest = -1;
  for (int b = 0; b < problem->blocks; b++) {
    double violation = law_violation(problem, b, at);
    if (!asp_piece_is_decided(&problem->law[b], &choices[b]) && violation > largest) {
      largest = violation;
      best = b;
    }
  }
  return best;
}

static int widest_arc(const AspReduced *problem, const AspPieceChoice *choices) {
  int best = -1;
  for (int b = 0; b < problem->blocks; b++)
    if (choices[b].state == ASP_PIECE_ARC &&
        (best < 0 || choices[b].high - choices[b].low > choices[best].high - choices[best].low))
      best = b;
  return best;
}

static AspError visit(AspSearch *search, AspPieceChoice *choices);

static AspError visit_with(AspSearch *search, AspPieceChoice *choices, int block, const AspPieceChoice *list,
                           int count) {
  AspPieceChoice before = choices[block];
  AspError error = ASP_OK;
  for (int i = 0; i < count && error == ASP_OK; i++) {
    choices[block] = list[i];
    error = visit(search, choices);
  }
  choices[block] = before;
  return error;
}

static AspError visit_arcs(AspSearch *search, AspPieceChoice *choices, int widest) {
  double low = choices[widest].low, high = choices[widest].high;
  if (high - low < SEARCH_FIRST_TEST) {
    double *r = ASP_TAKE(search->arena, double, search->problem->rows);
    AspSlipVerdict verdict;
    bool found, right;
    if (!r)
      return ASP_ERROR_MEMORY;
    ASP_TRY(asp_slip_proof(&search->relaxation, choices, r, &found, &verdict));
    if (verdict == ASP_SLIP_NONE)
      return ASP_OK;
    if (verdict == ASP_SLIP_ONE)
      return keep_if_right(search, r, 0, NULL, &right);
    if (high - low < SEARCH_LAST_TEST) {
      give_up(search, "slip directions could not be told apart");
      search->slipping = true;
      return found ? keep_if_right(search, r, 0, NULL, &right) : ASP_OK;
    }
  }
  AspPieceChoice halves[2] = {choices[widest], choices[widest]};
  halves[0].high = halves[1].low = 0.5 * (low + high);
  return visit_with(search, choices, widest, halves, 2);
}

static AspError visit(AspSearch *search, AspPieceChoice *choices) {
  const AspReduced *problem = search->problem;
  if (out_of_bounds(search))
    return ASP_OK;
  search->nodes++;
  AspArenaMark mark = asp_arena_mark(search->arena);
  int kept = search->count + search->ruled_out_count;
  AspRelaxed relaxed = {.r = ASP_TAKE(search->arena, double, problem->rows),
                        .u = ASP_TAKE(search->arena, double, problem->rows),
                        .witness = ASP_TAKE(search->arena, double, problem->rows)};
  AspPieceChoice *children = ASP_TAKE(search->arena, AspPieceChoice, ASP_PIECE_CHILDREN);
  if (!relaxed.r || !relaxed.u || !relaxed.witness || !children)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_relaxation_solve(&search->relaxation, choices, &relaxed));
  if (!relaxed.feasible) {
    ASP_TRY(note_near(search, choices, &relaxed));
    ASP_TRY(rule_out(search, choices, &relaxed));
  } else {
    int split = block_to_split(problem, choices, &relaxed), arc = widest_arc(problem, choices);
    if (split >= 0) {
      int count = asp_piece_children(&problem->law[split], asp_reduced_size(problem, split), &choices[split], children);
      ASP_TRY(visit_with(search, choices, split, children, count));
    } else if (arc >= 0) {
      ASP_TRY(visit_arcs(search, choices, arc));
    } else {
      ASP_TRY(solve_leaf(search, choices, &relaxed));
    }
  }
  if (search->count + search->ruled_out_count == kept) // nothing of this subtree is to be kept
    asp_arena_rewind(search->arena, mark);
  return ASP_OK;
}

AspError asp_search_offer(AspSearch *search, const double *r) {
  bool right;
  return keep_if_right(search, r, 0, NULL, &right);
}

AspError asp_search(AspSearch *search) {
  const AspReduced *problem = search->problem;
  search->complete = true;
  search->found = ASP_TAKE(search->arena, AspFound, search->most_solutions);
  search->ruled_out = ASP_TAKE(search->arena, AspRuledOut, search->most_ruled_out);
  AspPieceChoice *choices = ASP_TAKE(search->arena, AspPieceChoice, problem->blocks);
  search->near = ASP_TAKE(search->arena, double, (size_t)ASP_NEAR_MAX *(size_t)problem->rows);
  if (!search->found || !search->ruled_out || !choices || !search->near)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_relaxation_begin(search->arena, problem, &search->relaxation));
  if (search->tolerance > 0)
    search->relaxation.tolerance = search->tolerance;
  ASP_TRY(visit(search, choices));
  resolve_near(search);
  return ASP_OK;
}
