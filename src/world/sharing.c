/* Load sharing: which of all solutions a step takes where closed contacts are redundant and slide.
 *
 * On four corners a box has one motion as long as all of them stick, whatever corner carries what. Where they slide in
 * different directions, the friction, and with it the motion, depends on how they share the load, which rigid bodies
 * leave open. The rule: as contacts with equal, very small compliances would share it, the limit eps -> 0 of
 *
 *   u = (W + eps D) r + q,   D = d I on the rows of contacts,   d: mean of 1/m_a + 1/m_b over them
 *
 * It does not depend on the solver, on the order of bodies or on the axes, and keeps symmetries. The limit is taken
 * without leaving the exact law, by a proximal point iteration from r_0 = 0, whatever the solver found:
 *
 *   u = (W + eps D) r_k+1 + q - eps D r_k
 *
 * which ends at the law itself; its residual falls by about 100 per iteration at SHARING_EPS = 1e-2. Where it does not,
 * since the load moves slowly from one contact to another, eps is divided by SHARING_STIFFER until it does, and grows
 * again: r_k - r_0 stays in the range of H^T whatever eps is, so that the limit is the same. In global form
 * every row of a contact gets a dof of its own with the mass 1/(eps d) and the load -r_k. Applied to islands with
 *
 *   - a closed contact that slides,
 *   - closed normals that depend on each other and on the joints' rows,
 *   - at most SHARING_MOST blocks.
 *
 * Uses analyze (rank), solver. docs/theory/exact-friction.md, "Load sharing".
 */
#include "world/sharing.h"
#include "analyze/certificate.h"
#include "base/elementary.h"
#include "linalg/sparse.h"
#include "solver/archive.h"
#include "world/tuning/world.h"
#include "world/uniqueness.h"

#include <math.h>

void asp_sharing_destroy(LoadSharing *sharing) {
  asp_solver_destroy(sharing->solver);
  asp_judge_destroy(sharing->judge);
  asp_saddle_destroy(sharing->saddle);
}

static bool is_contact(const AspLaw *law) { return law->kind == ASP_LAW_COULOMB || law->kind == ASP_LAW_UNILATERAL; }

/* ---- is there anything to share? ---- */

static double norm_of(int count, const double *x) {
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += x[i] * x[i];
  return sqrt(sum);
}

/* u_N is zero, or the contact pushes, within errors. */
static bool is_closed(const AspStepWork *work, int block) {
  int at = work->formulation.offset[block];
  double slow = SHARING_CLOSED * work->solved.residual.norm_q;
  return is_contact(&work->formulation.law[block]) && (fabs(work->u[at]) <= slow || work->r[at] > 0);
}

static bool slides(const AspStepWork *work, int block) {
  int at = work->formulation.offset[block], rows = work->formulation.offset[block + 1] - at;
  return work->formulation.law[block].mu > 0 && rows > 1 && is_closed(work, block) &&
         norm_of(rows - 1, work->u + at + 1) > SHARING_SLIDES * work->solved.residual.norm_q;
}

/* How many of these slide; block = NULL: of all. */
static int count_sliding(const AspStepWork *work, int count, const int *block) {
  int sliding = 0;
  for (int i = 0; i < count; i++)
    sliding += slides(work, block ? block[i] : i);
  return sliding;
}

/* Columns of H over the island's dofs, with the weights of 1/diag(M)^1/2 and norm 1; how many so far. */
static int add_column(const AspContactProblem *part, const double *inverse, int row, double *columns, int count) {
  double *column = columns + (size_t)count * (size_t)part->dofs, length = 0;
  for (int e = part->H.start[row]; e < part->H.start[row + 1]; e++) {
    column[part->H.row[e]] = part->H.value[e] * sqrt(inverse[part->H.row[e]]);
    length += column[part->H.row[e]] * column[part->H.row[e]];
  }
  for (int j = 0; j < part->dofs && length > 0; j++)
    column[j] /= sqrt(length);
  return count + (length > 0);
}

/* H^T diag(M)^-1 H of one column */
static double square_of(const AspContactProblem *part, const double *inverse, int row) {
  double sum = 0;
  for (int e = part->H.start[row]; e < part->H.start[row + 1]; e++)
    sum += part->H.value[e] * part->H.value[e] * inverse[part->H.row[e]];
  return sum;
}

/* The problem with diag(M) in place of M. */
static AspError take_diagonal(AspArena *arena, const AspContactProblem *part, const double *inverse,
                              AspContactProblem *plain) {
  *plain = *part;
  ASP_TRY(asp_sparse_take(arena, part->dofs, part->dofs, part->dofs, &plain->M));
  for (int j = 0; j < part->dofs; j++) {
    plain->M.start[j + 1] = j + 1;
    plain->M.row[j] = j;
    plain->M.value[j] = 1 / inverse[j];
  }
  return ASP_OK;
}

/* What the joints leave of these rows, N^T (1 - P) N with P onto the joints' rows in the metric 1/diag(M): by
 * elimination, so that time grows with the number of joints. *usable: see asp_saddle_factor. */
static AspError eliminate_joints(LoadSharing *sharing, AspArena *arena, const AspContactProblem *part,
                                 const double *inverse, int count, const int *row, double *gram, bool *usable) {
  AspContactProblem plain;
  bool fits;
  *usable = false;
  if (!sharing->saddle)
    ASP_TRY(asp_saddle_create(arena->context, &sharing->saddle));
  ASP_TRY(take_diagonal(arena, part, inverse, &plain));
  ASP_TRY(asp_saddle_fits(sharing->saddle, arena, &plain, &fits));
  ASP_TRY(asp_saddle_factor(sharing->saddle, arena, &plain, fits, usable));
  return *usable ? asp_saddle_delassus(sharing->saddle, arena, &plain, count, row, gram) : ASP_OK;
}

/* The same question by all columns at once: small islands, or those that are not to be eliminated. */
static AspError is_redundant_by_columns(AspArena *arena, const AspContactProblem *part, const double *inverse,
                                        int closed, const int *row, bool *redundant) {
  size_t most = (size_t)part->rows, dofs = (size_t)part->dofs;
  double *columns = ASP_TAKE(arena, double, most *dofs), *gram = ASP_TAKE(arena, double, most *most);
  bool *dependent = ASP_TAKE(arena, bool, most);
  int joints = 0, count, rank;
  if (!columns || !gram || !dependent)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < part->blocks; b++)
    for (int k = part->offset[b]; part->law[b].kind == ASP_LAW_EQUALITY && k < part->offset[b + 1]; k++)
      joints = add_column(part, inverse, k, columns, joints);
  count = joints;
  for (int i = 0; i < closed; i++)
    count = add_column(part, inverse, row[i], columns, count);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      gram[(size_t)i * (size_t)count + (size_t)j] =
          asp_row_dot(part->dofs, columns + (size_t)i * dofs, columns + (size_t)j * dofs);
  asp_certify_rank(count, gram, NULL, dependent, &rank);
  *redundant = false;
  for (int i = joints; i < count; i++)
    *redundant = *redundant || dependent[i];
  return ASP_OK;
}

static bool has_joints(const AspContactProblem *part) {
  for (int b = 0; b < part->blocks; b++)
    if (part->law[b].kind == ASP_LAW_EQUALITY)
      return true;
  return false;
}

/* Do closed normals depend on each other, given the joints? block: those of the part in the step's problem. */
static AspError is_redundant(LoadSharing *sharing, const AspStepWork *work, AspArena *arena,
                             const AspContactProblem *part, const int *block, bool *redundant) {
  double *inverse = asp_inverse_diagonal(arena, &part->M);
  int *row = ASP_TAKE(arena, int, part->blocks), count = 0, rank;
  if (!inverse || !row)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < part->blocks; b++)
    if (is_closed(work, block[b]) && square_of(part, inverse, part->offset[b]) > 0)
      row[count++] = part->offset[b];
  bool usable = false;
  double *gram = ASP_TAKE(arena, double, (size_t)count *(size_t)count), *whole = ASP_TAKE(arena, double, count);
  bool *dependent = ASP_TAKE(arena, bool, count);
  if (!gram || !whole || !dependent)
    return ASP_ERROR_MEMORY;
  if (has_joints(part))
    ASP_TRY(eliminate_joints(sharing, arena, part, inverse, count, row, gram, &usable));
  if (!usable)
    return is_redundant_by_columns(arena, part, inverse, count, row, redundant);
  for (int i = 0; i < count; i++)
    whole[i] = square_of(part, inverse, row[i]);
  asp_certify_rank(count, gram, whole, dependent, &rank);
  *redundant = rank < count;
  return ASP_OK;
}

/* ---- the compliant problem ---- */

/* 1/m_a + 1/m_b, mean over the contacts of an island. */
static double mean_compliance(const AspStepWork *work, int count, const int *block) {
  double sum = 0;
  int contacts = 0;
  for (int i = 0; i < count; i++) {
    const AspBlockTag *tag = &work->formulation.tag[block[i]];
    if (tag->role != ASP_ROLE_CONTACT)
      continue;
    const AspContactFrame *frame = &work->frames[tag->index];
    sum += 1 / asp_reduced_mass(work->model, frame->body_a, frame->body_b);
    contacts++;
  }
  return contacts > 0 ? sum / contacts : 1;
}

/* The rows of contacts that get a compliance: contacts themselves, not their resistance to rolling. */
static bool gets_compliance(const AspStepWork *work, int block) {
  return work->formulation.tag[block].role == ASP_ROLE_CONTACT;
}

/* M and f with a mass for each compliant row behind the dofs of the part. */
static AspError extend_mass(AspArena *arena, const AspContactProblem *part, int more, double mass,
                            AspContactProblem *out) {
  int entries = part->M.start[part->dofs];
  out->M = (AspSparse){.rows = part->dofs + more,
                       .columns = part->dofs + more,
                       .start = ASP_TAKE(arena, int, part->dofs + more + 1),
                       .row = ASP_TAKE(arena, int, entries + more),
                       .value = ASP_TAKE(arena, double, entries + more)};
  out->f = ASP_TAKE(arena, double, part->dofs + more);
  if (!out->M.start || !out->M.row || !out->M.value || !out->f)
    return ASP_ERROR_MEMORY;
  memcpy(out->M.start, part->M.start, (size_t)(part->dofs + 1) * sizeof *out->M.start);
  memcpy(out->M.row, part->M.row, (size_t)entries * sizeof *out->M.row);
  memcpy(out->M.value, part->M.value, (size_t)entries * sizeof *out->M.value);
  memcpy(out->f, part->f, (size_t)part->dofs * sizeof *out->f);
  for (int i = 0; i < more; i++) {
    out->M.row[entries + i] = part->dofs + i;
    out->M.value[entries + i] = mass;
    out->M.start[part->dofs + i + 1] = entries + i + 1;
  }
  return ASP_OK;
}

/* The part with compliances; row[i]: the row of its dof i behind those of the part. */
static AspError make_compliant(const AspStepWork *work, AspArena *arena, const AspContactProblem *part,
                               const int *block, double mass, AspContactProblem *out, int *row, int *count) {
  int entries = part->H.start[part->rows], more = 0;
  *out = *part;
  out->bodies = (AspProblemBodies){0};
  for (int b = 0; b < part->blocks; b++)
    for (int k = part->offset[b]; gets_compliance(work, block[b]) && k < part->offset[b + 1]; k++)
      row[more++] = k;
  *count = more;
  out->dofs = part->dofs + more;
  ASP_TRY(extend_mass(arena, part, more, mass, out));
  out->H = (AspSparse){.rows = out->dofs,
                       .columns = part->rows,
                       .start = ASP_TAKE(arena, int, part->rows + 1),
                       .row = ASP_TAKE(arena, int, entries + more),
                       .value = ASP_TAKE(arena, double, entries + more)};
  if (!out->H.start || !out->H.row || !out->H.value)
    return ASP_ERROR_MEMORY;
  for (int k = 0, at = 0, next = 0; k < part->rows; k++) {
    for (int e = part->H.start[k]; e < part->H.start[k + 1]; e++, at++) {
      out->H.row[at] = part->H.row[e];
      out->H.value[at] = part->H.value[e];
    }
    if (next < more && row[next] == k) {
      out->H.row[at] = part->dofs + next++;
      out->H.value[at++] = 1;
    }
    out->H.start[k + 1] = at;
  }
  return ASP_OK;
}

/* Stiffer compliances: larger masses of their dofs. */
static void change_masses(const AspContactProblem *part, const AspContactProblem *compliant, int more, double factor) {
  double *mass = compliant->M.value + part->M.start[part->dofs];
  for (int i = 0; i < more; i++)
    mass[i] *= factor;
}

/* The proximal point iteration; r (rows of the part): from zero to the limit, to `tolerance`. *reached: it obeys the
 * law within the tolerance of the step. */
static AspError iterate(LoadSharing *sharing, const AspContactProblem *part, AspContactProblem *compliant,
                        const int *row, int more, double tolerance, AspArena *arena, double *r, bool *reached) {
  double *u = ASP_TAKE(arena, double, part->rows), *x = ASP_TAKE(arena, double, compliant->dofs);
  double *best = ASP_TAKE(arena, double, part->rows), least = INFINITY;
  if (!u || !x || !best)
    return ASP_ERROR_MEMORY;
  memset(r, 0, (size_t)part->rows * sizeof *r);
  ASP_TRY(asp_judge_reset(sharing->judge, part));
  int level = 0; // of stiffness
  for (int k = 0; k < SHARING_ROUNDS && least > tolerance; k++) {
    AspSolverInfo info;
    AspResidual residual;
    for (int i = 0; i < more; i++)
      compliant->f[part->dofs + i] = -r[row[i]];
    ASP_TRY(asp_solver_solve(sharing->solver, compliant, r, u, x, &info));
    ASP_TRY(asp_judge_residual(sharing->judge, r, &residual, NULL, NULL));
    double off = fmax(residual.E2, residual.E3 / ASP_INFLATION);
    bool slow = !(off < SHARING_GAIN * least);
    if (off < least) {
      least = off;
      memcpy(best, r, (size_t)part->rows * sizeof *r);
    }
    if (slow && (level == SHARING_LEVELS || off <= tolerance * SHARING_NEAR)) // what the inner solves leave
      break;
    int next = slow ? level + 1 : level > 0 ? level - 1 : 0;
    change_masses(part, compliant, more, asp_pow(SHARING_STIFFER, next - level));
    level = next;
  }
  memcpy(r, best, (size_t)part->rows * sizeof *r);
  *reached = least <= tolerance / SHARING_SHARP;
  return ASP_OK;
}

/* ---- islands ---- */

/* An island, if it is one of those; *done: its reactions were replaced. */
static AspError share_island(LoadSharing *sharing, AspStepWork *work, const AspIslands *islands, int island,
                             double tolerance, bool *wanted, bool *done) {
  AspArena *arena = work->arena;
  const int *block = islands->block + islands->start[island];
  AspContactProblem part, compliant;
  int *row, *soft, more;
  *wanted = *done = false;
  if (count_sliding(work, islands->start[island + 1] - islands->start[island], block) == 0)
    return ASP_OK;
  ASP_TRY(asp_island_extract(arena, &work->formulation.problem, islands, island, &part, &row));
  if (part.dofs == 0)
    return ASP_OK;
  ASP_TRY(is_redundant(sharing, work, arena, &part, block, wanted));
  soft = ASP_TAKE(arena, int, part.rows);
  double *r = ASP_TAKE(arena, double, part.rows);
  if (!soft || !r)
    return ASP_ERROR_MEMORY;
  if (!*wanted)
    return ASP_OK;
  double mass = 1 / (SHARING_EPS * mean_compliance(work, part.blocks, block));
  ASP_TRY(make_compliant(work, arena, &part, block, mass, &compliant, soft, &more));
  ASP_TRY(iterate(sharing, &part, &compliant, soft, more, tolerance, arena, r, done));
  for (int k = 0; *done && k < part.rows; k++)
    work->r[row[k]] = r[k];
  return ASP_OK;
}

/* Judge the new reactions with the whole problem; the solver's stay where the new ones miss what these met. */
static AspError settle(LoadSharing *sharing, const StepView *view, AspStepWork *work, const double *solved_r) {
  AspResidual before = work->solved.residual;
  bool was = asp_step_is_certified(view);
  ASP_TRY(asp_judge_reset(sharing->judge, &work->formulation.problem));
  ASP_TRY(asp_judge_residual(sharing->judge, work->r, &work->solved.residual, work->u, work->x));
  bool is = asp_step_is_certified(view);
  if (was && !is) { // what is left is rounding: proximal Newton ends near its start
    AspSolverInfo info;
    ASP_TRY(asp_solver_solve(sharing->solver, &work->formulation.problem, work->r, work->u, work->x, &info));
    work->solved.residual = info.residual;
    is = asp_step_is_certified(view);
  }
  if (is)
    work->solved.status = ASP_STATUS_SOLVED;
  if (is || !was)
    return ASP_OK;
  sharing->chosen = -1;
  work->solved.residual = before;
  memcpy(work->r, solved_r, (size_t)work->formulation.rows * sizeof *work->r);
  AspResidual again;
  return asp_judge_residual(sharing->judge, work->r, &again, work->u, work->x);
}

static AspError share(LoadSharing *sharing, const StepView *view, AspStepWork *work) {
  AspIslands islands;
  bool beyond = false, told = true, any = false;
  double tolerance = fmax(SHARING_SHARP * view->options->tolerance, SHARING_SHARPEST);
  size_t rows = (size_t)work->formulation.rows;
  double *solved_r = ASP_TAKE_UNCLEARED(work->arena, double, rows);
  if (!solved_r)
    return ASP_ERROR_MEMORY;
  memcpy(solved_r, work->r, rows * sizeof *solved_r);
  ASP_TRY(asp_small_islands(view, work->arena, &work->formulation, SHARING_MOST, &islands, &beyond, &told));
  if (!told)
    ASP_TRY(asp_islands_find(work->arena, &work->formulation.problem, NULL, &islands));
  int left = count_sliding(work, work->formulation.blocks, NULL);
  for (int i = 0; i < islands.count; i++) {
    AspArenaMark mark = asp_arena_mark(work->arena);
    bool wanted, done;
    int count = islands.start[i + 1] - islands.start[i];
    if (!told && count > SHARING_MOST)
      continue;
    left -= count_sliding(work, count, islands.block + islands.start[i]);
    ASP_TRY(share_island(sharing, work, &islands, i, tolerance, &wanted, &done));
    asp_arena_rewind(work->arena, mark);
    sharing->chosen = wanted && !done ? -1 : sharing->chosen;
    any = any || done;
  }
  sharing->chosen = left > 0 ? -1 : sharing->chosen;
  if (!any)
    return ASP_OK;
  sharing->chosen = sharing->chosen < 0 ? -1 : 1;
  return settle(sharing, view, work, solved_r);
}

static AspError prepare(LoadSharing *sharing, const StepView *view,
                        AspError (*make_solver)(void *user, AspSolver **solver), void *user) {
  if (!sharing->solver)
    ASP_TRY(make_solver(user, &sharing->solver));
  return sharing->judge ? ASP_OK : asp_judge_create(view->context, &sharing->judge);
}

/* The whole problem in place of its islands: none of them is larger. */
AspError asp_sharing_reserve(LoadSharing *sharing, const StepView *view, AspStepWork *work,
                             AspError (*make_solver)(void *user, AspSolver **solver), void *user) {
  AspContactProblem *whole = &work->formulation.problem, compliant;
  AspArena *arena = work->arena;
  bool redundant;
  int more, *block = ASP_TAKE(arena, int, whole->blocks), *soft = ASP_TAKE(arena, int, whole->rows);
  if (!view->options->share_loads || work->friction.cone != ASP_CONE_EXACT || whole->rows == 0 || whole->dofs == 0 ||
      whole->blocks > SHARING_LARGEST)
    return ASP_OK;
  if (!block || !soft || !ASP_TAKE(arena, double, 6 * (size_t)whole->rows + (size_t)whole->dofs) ||
      !asp_arena_take(arena, 1, asp_island_bytes(whole)))
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < whole->blocks; b++)
    block[b] = b;
  ASP_TRY(prepare(sharing, view, make_solver, user));
  ASP_TRY(asp_judge_reset(sharing->judge, whole));
  for (int k = 0; k < 2; k++) { // laid out twice: the second time finds the memory of the first in one piece
    if (sharing->saddle)
      sharing->saddle->laid_out = false;
    ASP_TRY(is_redundant(sharing, work, arena, whole, block, &redundant));
  }
  ASP_TRY(make_compliant(work, arena, whole, block, 1, &compliant, soft, &more));
  return asp_solver_reserve(sharing->solver, &compliant);
}

AspError asp_loads_share(LoadSharing *sharing, const StepView *view, AspStepWork *work,
                         AspError (*make_solver)(void *user, AspSolver **solver), void *user) {
  const AspFormulation *formulation = &work->formulation;
  sharing->chosen = 0;
  if (formulation->blocks < 2 || count_sliding(work, formulation->blocks, NULL) == 0) // one block shares with none
    return ASP_OK;
  if (work->friction.cone != ASP_CONE_EXACT || formulation->blocks > SHARING_LARGEST || !asp_step_is_certified(view)) {
    sharing->chosen = -1;
    return ASP_OK;
  }
  ASP_TRY(prepare(sharing, view, make_solver, user));
  return share(sharing, view, work);
}

AspError asp_sharing_archive(LoadSharing *sharing, AspArchive *archive,
                             AspError (*make_solver)(void *user, AspSolver **solver), void *user) {
  ASP_ARCHIVE(archive, sharing->chosen);
  return asp_solver_archive_late(archive, &sharing->solver, make_solver, user);
}
