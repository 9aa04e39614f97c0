/* Circumscribed polygons with phantom inertia as an LCP: see phantom_lcp.h.
 *
 * The inertia. For equal rho the matrix is singular at rho in 2 eig(E' (A^-1)_tt E) and nowhere else (A regular): a
 * particle of mass m has rho = m k. With D = diag(A), A^ = D^-1/2 A D^-1/2 and rho_i = (EE')_i c / D_i the smallest
 * such value, relative to rho, is at least 2 / (c ||A^||): c = 1 / ||A^||_inf keeps rho below half of it.
 */
#include "problem/phantom_lcp.h"
#include "base/elementary.h"

#include "asperity/options.h"
#include "problem/cone.h"
#include "problem/pseudo_solve.h"
#include "problem/tuning/problem.h"

#define PHANTOM_COOKIE UINT32_C(0x41535048)

static const AspField fields[] = {
    {"rho", NULL, ASP_FIELD_REAL, offsetof(AspPhantomOptions, rho), -1, -1, 1e30, NULL, "kg",
     "phantom inertia; -1: chosen"},
    {"reduced", NULL, ASP_FIELD_FLAG, offsetof(AspPhantomOptions, reduced), 1, 0, 1, NULL, "",
     "tangential reactions eliminated"},
    {"relaxation", NULL, ASP_FIELD_REAL, offsetof(AspPhantomOptions, relaxation), 0, 0, 1, NULL, "",
     "compliance of the tangential rows, relative to the diagonal of W"},
};

AspPhantomOptions asp_phantom_default_options(void) {
  AspPhantomOptions options = {.cookie = PHANTOM_COOKIE};
  asp_fields_set_defaults(fields, (int)(sizeof fields / sizeof *fields), &options);
  return options;
}

/* ---- which rows, normals and lines ---- */

static bool has_lines(const AspLaw *law) {
  return (law->kind == ASP_LAW_COULOMB && law->mu > 0) || (law->kind == ASP_LAW_BOX && law->limit > 0);
}

static int line_count(const AspContactProblem *problem, int block) {
  const AspLaw *law = &problem->law[block];
  if (!has_lines(law))
    return 0;
  return law->kind == ASP_LAW_BOX || problem->dimension == 2 ? 1 : law->directions / 2;
}

bool asp_phantom_applies(const AspContactProblem *problem) {
  bool any = false;
  for (int i = 0; i < problem->blocks; i++)
    if (problem->law[i].kind == ASP_LAW_COULOMB && problem->law[i].mu > 0) {
      if (problem->law[i].cone != ASP_CONE_CIRCUMSCRIBED)
        return false;
      any = true;
    }
  return any;
}

static void count_variables(const AspContactProblem *problem, PhantomLcp *phantom) {
  for (int i = 0; i < problem->blocks; i++) {
    const AspLaw *law = &problem->law[i];
    int size = problem->offset[i + 1] - problem->offset[i];
    phantom->normals += asp_polygon_has_normal(law);
    phantom->lines += line_count(problem, i);
    if (has_lines(law))
      phantom->tangents += law->kind == ASP_LAW_BOX ? 1 : size - 1;
  }
}

/* The lines of one block: unit normals of the polygon's edges at angle + pi j / k. */
static void append_lines(const AspContactProblem *problem, int block, int tangent, int normal, int first,
                         PhantomLcp *phantom) {
  const AspLaw *law = &problem->law[block];
  int lines = line_count(problem, block);
  bool box = law->kind == ASP_LAW_BOX, plane = box || problem->dimension == 2;
  for (int j = 0; j < lines; j++) {
    double angle = law->angle + ASP_PI * j / lines;
    PhantomLine line = {.tangent = tangent,
                        .count = plane ? 1 : 2,
                        .normal = box ? -1 : normal,
                        .e = {plane ? 1 : asp_cos(angle), plane ? 0 : asp_sin(angle)},
                        .mu = box ? 0 : law->mu,
                        .limit = box ? law->limit : 0};
    for (int t = 0; t < 2; t++) // a quarter turn is exact, so that axes of symmetry stay uncoupled
      line.e[t] = fabs(line.e[t]) < PHANTOM_LCP_ROUNDING ? 0 : line.e[t];
    phantom->line[first + j] = line;
  }
}

static AspError lay_out(AspArena *arena, const AspContactProblem *problem, PhantomLcp *phantom) {
  count_variables(problem, phantom);
  phantom->tangent_row = ASP_TAKE(arena, int, phantom->tangents);
  phantom->half_lines = ASP_TAKE(arena, double, phantom->tangents);
  phantom->normal = ASP_TAKE(arena, PolygonVariable, phantom->normals);
  phantom->line = ASP_TAKE(arena, PhantomLine, phantom->lines);
  if (!phantom->tangent_row || !phantom->half_lines || !phantom->normal || !phantom->line)
    return ASP_ERROR_MEMORY;
  int normal = 0, tangent = 0, line = 0;
  for (int i = 0; i < problem->blocks; i++) {
    const AspLaw *law = &problem->law[i];
    int lines = line_count(problem, i);
    if (has_lines(law)) {
      int first = tangent;
      for (int row = problem->offset[i] + (law->kind != ASP_LAW_BOX); row < problem->offset[i + 1]; row++) {
        phantom->half_lines[tangent] = lines > 1 ? 0.5 * lines : 1;
        phantom->tangent_row[tangent++] = row;
      }
      append_lines(problem, i, first, normal, line, phantom);
      line += lines;
    }
    if (asp_polygon_has_normal(law))
      phantom->normal[normal++] = asp_polygon_normal(problem, i);
  }
  return ASP_OK;
}

/* ---- A, b and the inertias ---- */

/* A and b with the joints eliminated; the tangential diagonal is relaxed. */
static AspError condense(AspArena *arena, const double *W, const double *q, double relaxation, PhantomLcp *phantom) {
  AspElimination *equalities = &phantom->equalities;
  size_t rows = (size_t)equalities->rows;
  phantom->A = ASP_TAKE(arena, double, rows *rows);
  phantom->b = ASP_TAKE(arena, double, rows);
  if (!phantom->A || !phantom->b)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_eliminate_equalities(arena, W, q, equalities));
  memcpy(phantom->A, W, rows * rows * sizeof *W);
  memcpy(phantom->b, q, rows * sizeof *q);
  for (int j = 0; j < equalities->rows && equalities->part; j++)
    asp_elimination_subtract(equalities, W, asp_elimination_part(equalities, j), phantom->A + (size_t)j * rows);
  if (equalities->part)
    asp_elimination_subtract(equalities, W, asp_elimination_part(equalities, equalities->rows), phantom->b);
  for (int t = 0; t < phantom->tangents; t++) {
    size_t at = (size_t)phantom->tangent_row[t] * (rows + 1);
    phantom->A[at] += relaxation * W[at];
  }
  return ASP_OK;
}

/* D of the file's head: the diagonal of A, held away from zero. */
static double diagonal(const PhantomLcp *phantom, const double *W, int row) {
  size_t at = (size_t)row * ((size_t)phantom->equalities.rows + 1);
  double least = PHANTOM_LCP_TINY_DIAGONAL * fabs(W[at]), value = fabs(phantom->A[at]);
  return value > least ? value : least > 0 ? least : 1;
}

/* ||A^||_inf over the normal and tangential rows of the problem. */
static double scaled_norm(const PhantomLcp *phantom, const double *W, const int *row, int count) {
  size_t rows = (size_t)phantom->equalities.rows;
  double largest = 1;
  for (int i = 0; i < count; i++) {
    double sum = 0, di = diagonal(phantom, W, row[i]);
    for (int j = 0; j < count; j++)
      sum += fabs(phantom->A[(size_t)row[j] * rows + (size_t)row[i]]) / sqrt(di * diagonal(phantom, W, row[j]));
    largest = fmax(largest, sum);
  }
  return largest;
}

static AspError choose_inertia(AspArena *arena, const double *W, double rho, PhantomLcp *phantom) {
  int count = phantom->tangents + phantom->normals;
  int *row = ASP_TAKE(arena, int, count);
  if (!row)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < phantom->tangents; i++)
    row[i] = phantom->tangent_row[i];
  for (int i = 0; i < phantom->normals; i++)
    row[phantom->tangents + i] = phantom->normal[i].row;
  double norm = scaled_norm(phantom, W, row, count);
  for (int j = 0; j < phantom->lines; j++) {
    PhantomLine *line = &phantom->line[j];
    double largest = 0; // of the block's diagonal: the smaller inertia
    for (int t = 0; t < line->count; t++)
      largest = fmax(largest, diagonal(phantom, W, phantom->tangent_row[line->tangent + t]));
    double chosen = phantom->half_lines[line->tangent] / (largest * norm);
    line->rho = rho >= 0 && line->normal >= 0 ? rho : chosen;
  }
  return ASP_OK;
}

/* ---- the matrix ---- */

static double entry(const PhantomLcp *phantom, int row, int column) {
  return phantom->A[(size_t)column * (size_t)phantom->equalities.rows + (size_t)row];
}

/* A on row `row`, applied to the unit of a normal variable */
static double normal_effect(const PhantomLcp *phantom, int row, const PolygonVariable *normal) {
  double sum = 0;
  for (int t = 0; t < normal->count; t++)
    sum += normal->force[t] * entry(phantom, row, normal->row + t);
  return sum;
}

/* Rows and columns of the unreduced matrix: T tangents, then normals, k+, k-. */
static void fill_contact_rows(PhantomLcp *phantom) {
  AspMixedLcp *lcp = &phantom->lcp;
  size_t n = (size_t)lcp->n;
  int T = phantom->tangents, N = phantom->normals;
  for (int i = 0; i < T + N; i++) {
    int row = i < T ? phantom->tangent_row[i] : phantom->normal[i - T].row;
    for (int j = 0; j < T; j++)
      lcp->M[(size_t)j * n + (size_t)i] = entry(phantom, row, phantom->tangent_row[j]);
    for (int j = 0; j < N; j++)
      lcp->M[(size_t)(T + j) * n + (size_t)i] = normal_effect(phantom, row, &phantom->normal[j]);
    lcp->q[i] = phantom->b[row];
  }
}

static void fill_lines(PhantomLcp *phantom) {
  AspMixedLcp *lcp = &phantom->lcp;
  size_t n = (size_t)lcp->n, T = (size_t)phantom->tangents;
  for (int j = 0; j < phantom->lines; j++) {
    const PhantomLine *line = &phantom->line[j];
    size_t plus = T + (size_t)phantom->normals + (size_t)j, minus = plus + (size_t)phantom->lines;
    for (int t = 0; t < line->count; t++) {
      size_t at = (size_t)(line->tangent + t);
      lcp->M[plus * n + at] = -line->e[t];
      lcp->M[minus * n + at] = line->e[t];
      lcp->M[at * n + plus] = line->e[t];
      lcp->M[at * n + minus] = -line->e[t];
    }
    if (line->normal >= 0) {
      lcp->M[(T + (size_t)line->normal) * n + plus] = line->mu;
      lcp->M[(T + (size_t)line->normal) * n + minus] = line->mu;
    }
    lcp->M[minus * n + plus] = lcp->M[plus * n + minus] = line->rho;
    lcp->q[plus] = lcp->q[minus] = line->limit;
  }
}

/* Schur complement of the tangential block: r_T = -friction [z; 1]. */
static AspError reduce(AspArena *arena, PhantomLcp *phantom) {
  AspMixedLcp full = phantom->lcp;
  size_t n = (size_t)full.n, T = (size_t)phantom->tangents, m = n - T;
  AspMixedLcp *lcp = &phantom->lcp;
  double *G = ASP_TAKE(arena, double, T *T);
  phantom->friction = ASP_TAKE(arena, double, T *(m + 1));
  *lcp = (AspMixedLcp){.n = (int)m, .M = ASP_TAKE(arena, double, m *m), .q = ASP_TAKE(arena, double, m)};
  if (!G || !phantom->friction || !lcp->M || !lcp->q)
    return ASP_ERROR_MEMORY;
  for (size_t j = 0; j <= m; j++)
    memcpy(phantom->friction + j * T, j < m ? full.M + (T + j) * n : full.q, T * sizeof *G);
  for (size_t j = 0; j < T; j++)
    memcpy(G + j * T, full.M + j * n, T * sizeof *G);
  ASP_TRY(asp_pseudo_solve(arena, phantom->tangents, G, (int)m + 1, phantom->friction, &phantom->tangent_rank));
  if (phantom->tangent_rank < phantom->tangents) { // redundant contacts: r_T stays
    *lcp = full;
    phantom->reduced = false;
    return ASP_OK;
  }
  for (size_t j = 0; j <= m; j++) {
    double *to = j < m ? lcp->M + j * m : lcp->q;
    memcpy(to, (j < m ? full.M + (T + j) * n : full.q) + T, m * sizeof *to);
    for (size_t t = 0; t < T; t++) {
      double factor = phantom->friction[j * T + t];
      for (size_t i = 0; i < m && factor != 0; i++)
        to[i] -= full.M[t * n + T + i] * factor;
    }
  }
  return ASP_OK;
}

AspError asp_phantom_lcp_assemble(AspArena *arena, const AspContactProblem *problem, const double *W, const double *q,
                                  const AspPhantomOptions *options, PhantomLcp *phantom) {
  *phantom = (PhantomLcp){.reduced = options->reduced};
  ASP_TRY(lay_out(arena, problem, phantom));
  ASP_TRY(asp_find_equalities(arena, problem, &phantom->equalities));
  ASP_TRY(condense(arena, W, q, options->relaxation, phantom));
  ASP_TRY(choose_inertia(arena, W, options->rho, phantom));
  AspMixedLcp *lcp = &phantom->lcp;
  lcp->free = phantom->tangents;
  lcp->n = phantom->tangents + phantom->normals + 2 * phantom->lines;
  lcp->M = ASP_TAKE(arena, double, (size_t)lcp->n *(size_t)lcp->n);
  lcp->q = ASP_TAKE(arena, double, lcp->n);
  if (!lcp->M || !lcp->q)
    return ASP_ERROR_MEMORY;
  fill_contact_rows(phantom);
  fill_lines(phantom);
  return options->reduced ? reduce(arena, phantom) : ASP_OK;
}

void asp_phantom_lcp_reactions(const PhantomLcp *phantom, const double *z, double *r) {
  int T = phantom->tangents, kept = phantom->lcp.free, m = phantom->lcp.n - kept;
  const double *rest = z + kept;
  memset(r, 0, (size_t)phantom->equalities.rows * sizeof *r);
  for (int i = 0; i < phantom->normals; i++)
    for (int t = 0; t < phantom->normal[i].count; t++)
      r[phantom->normal[i].row + t] += rest[i] * phantom->normal[i].force[t];
  for (int t = 0; t < T; t++) {
    double force = phantom->reduced ? 0 : z[t];
    for (int j = 0; j <= m && phantom->reduced; j++)
      force -= phantom->friction[(size_t)j * (size_t)T + (size_t)t] * (j < m ? rest[j] : 1);
    r[phantom->tangent_row[t]] = force;
  }
  asp_elimination_reactions(&phantom->equalities, r);
}

/* ---- for callers outside ---- */

static AspError check(AspContext *context, const AspContactProblem *problem, const AspPhantomOptions *options) {
  if (options->cookie != PHANTOM_COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "phantom options: not made by asp_phantom_default_options");
  ASP_TRY(asp_fields_validate(context, fields, (int)(sizeof fields / sizeof *fields), options));
  ASP_TRY(asp_problem_validate(context, problem));
  for (int i = 0; i < problem->blocks; i++) {
    const AspLaw *law = &problem->law[i];
    if (problem->dimension == 3 && law->kind == ASP_LAW_COULOMB && law->mu > 0 && law->cone != ASP_CONE_CIRCUMSCRIBED)
      return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                      "block %d: phantom inertia belongs to circumscribed polygons, and this friction law is another",
                      i);
  }
  if (problem->W.columns != problem->rows)
    return asp_fail(context, ASP_ERROR_ARGUMENT,
                    "phantom LCP: the problem has no local form; asp_problem_reduce makes it");
  return ASP_OK;
}

static AspError assemble(AspArena *arena, const AspContactProblem *problem, const AspPhantomOptions *options,
                         AspMixedLcp *out, AspPhantomInfo *info) {
  PhantomLcp phantom;
  double *W = asp_polygon_dense(arena, problem);
  if (!W)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_phantom_lcp_assemble(arena, problem, W, problem->q, options, &phantom));
  if (options->reduced && phantom.tangent_rank < phantom.tangents)
    return asp_fail(arena->context, ASP_ERROR_INPUT,
                    "phantom LCP: only %d of %d tangential rows are independent (redundant contacts), so the reduced "
                    "form does not exist; take the unreduced form, or a relaxation",
                    phantom.tangent_rank, phantom.tangents);
  if (info)
    ASP_TRY(asp_phantom_describe(arena, &phantom, info));
  return asp_mixed_lcp_copy(arena->context, &phantom.lcp, out);
}

AspError asp_problem_phantom_lcp(AspContext *context, const AspContactProblem *problem,
                                 const AspPhantomOptions *options, AspMixedLcp *out, AspPhantomInfo *info) {
  AspPhantomOptions chosen = options ? *options : asp_phantom_default_options();
  *out = (AspMixedLcp){0};
  ASP_TRY(check(context, problem, &chosen));
  AspArena arena;
  asp_arena_init(&arena, context);
  AspError error = assemble(&arena, problem, &chosen, out, info);
  asp_arena_free(&arena);
  return error;
}
