/* The core of a sparse M: layout, numbers, solves. See mass_core.h. */
#include "problem/mass_core.h"

#include "problem/tuning/problem.h"

#include <math.h>

void asp_mass_core_init(AspMassCore *core, AspContext *context) {
  *core = (AspMassCore){0};
  asp_arena_init(&core->layout, context);
}

void asp_mass_core_free(AspMassCore *core) {
  asp_factor_destroy(core->factor);
  asp_arena_free(&core->layout);
}

/* ---- the pattern ---- */

bool asp_mass_core_fits(const AspMassCore *core, const AspSparse *M) {
  return core->laid_out && core->dofs == M->columns && core->entries == asp_sparse_entries(M) &&
         memcmp(core->start, M->start, ((size_t)M->columns + 1) * sizeof *M->start) == 0 &&
         memcmp(core->row, M->row, (size_t)core->entries * sizeof *M->row) == 0;
}

/* The entry on the diagonal of column j; -1: none. Rows ascend. */
static int diagonal_of(const AspSparse *M, int j) {
  int k = M->start[j];
  while (k < M->start[j + 1] && M->row[k] < j)
    k++;
  return k < M->start[j + 1] && M->row[k] == j ? k : -1;
}

static AspError keep_pattern(AspMassCore *core, const AspSparse *M) {
  AspArena *layout = &core->layout;
  core->dofs = M->columns;
  core->entries = asp_sparse_entries(M);
  core->start = ASP_TAKE_UNCLEARED(layout, int, (size_t)M->columns + 1);
  core->row = ASP_TAKE_UNCLEARED(layout, int, core->entries);
  core->diagonal = ASP_TAKE_UNCLEARED(layout, int, M->columns);
  if (!core->start || !core->row || !core->diagonal)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < M->columns; j++)
    core->diagonal[j] = diagonal_of(M, j);
  memcpy(core->start, M->start, ((size_t)M->columns + 1) * sizeof *M->start);
  memcpy(core->row, M->row, (size_t)core->entries * sizeof *M->row);
  return asp_sparse_components(layout, M, &core->components);
}

/* Rows ascend, so that those above the diagonal of a column are met in their order while the columns before it are
 * read. */
static AspError pair_entries(AspMassCore *core, const AspSparse *M) {
  AspArena *layout = &core->layout;
  int *next = ASP_TAKE_UNCLEARED(layout, int, M->columns);
  core->below = ASP_TAKE_UNCLEARED(layout, int, core->entries);
  core->above = ASP_TAKE_UNCLEARED(layout, int, core->entries);
  if (!next || !core->below || !core->above)
    return ASP_ERROR_MEMORY;
  memcpy(next, M->start, (size_t)M->columns * sizeof *next);
  core->pairs = 0;
  core->is_paired = true;
  for (int j = 0; j < M->columns && core->is_paired; j++) {
    int k = next[j];
    core->is_paired = k == M->start[j + 1] || M->row[k] >= j; // else one that no column before it has
    for (; k < M->start[j + 1] && core->is_paired; k++) {
      int i = M->row[k], across = next[i]++;
      if (i == j)
        continue;
      core->is_paired = across < M->start[i + 1] && M->row[across] == j;
      core->below[core->pairs] = k;
      core->above[core->pairs++] = across;
    }
  }
  return ASP_OK;
}

/* The columns that have the rows of column `first`, up to the one before the end that is returned. */
static int group_end(const AspSparse *M, int first) {
  int end = first + 1, size = M->start[first + 1] - M->start[first];
  while (end < M->columns && M->start[end + 1] - M->start[end] == size &&
         memcmp(M->row + M->start[end], M->row + M->start[first], (size_t)size * sizeof *M->row) == 0)
    end++;
  return end;
}

/* Groups that may stand alone: single dofs, and those with rows that are not their own. A body that couples with
 * nothing is left whole. */
static AspError find_groups(AspMassCore *core, const AspSparse *M) {
  core->group = ASP_TAKE_UNCLEARED(&core->layout, AspMassGroup, M->columns);
  core->groups = 0;
  if (!core->group)
    return ASP_ERROR_MEMORY;
  for (int first = 0, end; first < M->columns; first = end) {
    end = group_end(M, first);
    if (M->start[first + 1] - M->start[first] > end - first || end == first + 1)
      core->group[core->groups++] = (AspMassGroup){first, end, false};
  }
  return ASP_OK;
}

/* ---- what of it stands alone ---- */

static bool is_symmetric(const AspMassCore *core, const AspSparse *M) {
  if (!core->is_paired)
    return false;
  for (int k = 0; k < core->pairs; k++)
    if (M->value[core->below[k]] != M->value[core->above[k]])
      return false;
  return true;
}

static bool stands_alone(const AspSparse *M, const AspMassGroup *group) {
  for (int j = group->first; j < group->end; j++)
    for (int k = M->start[j]; k < M->start[j + 1]; k++)
      if (M->row[k] != j && M->value[k] != 0)
        return false;
  return true;
}

/* Whether M is symmetric, and which groups stand alone: true where that has changed. */
static bool look_at_values(AspMassCore *core, const AspSparse *M) {
  bool symmetric = is_symmetric(core, M), changed = symmetric != core->is_symmetric;
  core->is_symmetric = symmetric;
  for (int g = 0; g < core->groups; g++) {
    bool alone = symmetric && stands_alone(M, &core->group[g]);
    changed = changed || alone != core->group[g].alone;
    core->group[g].alone = alone;
  }
  return changed;
}

/* ---- the core ---- */

static void number_core(AspMassCore *core) {
  memset(core->index, 0, (size_t)core->dofs * sizeof *core->index);
  for (int g = 0; g < core->groups; g++)
    for (int j = core->group[g].first; j < core->group[g].end && core->group[g].alone; j++)
      core->index[j] = -1;
  core->n = 0;
  for (int j = 0; j < core->dofs; j++)
    if (core->index[j] == 0) {
      core->dof[core->n] = j;
      core->index[j] = core->n++;
    }
}

static void list_entries(AspMassCore *core, const AspSparse *M) {
  int count = 0;
  for (int c = 0; c < core->n; c++) {
    for (int k = M->start[core->dof[c]]; k < M->start[core->dof[c] + 1]; k++) {
      if (core->index[M->row[k]] < 0)
        continue;
      core->C.row[count] = core->index[M->row[k]];
      core->from[count++] = k;
    }
    core->C.start[c + 1] = count;
  }
}

static AspError lay_out_core(AspMassCore *core, const AspSparse *M) {
  AspArena *layout = &core->layout;
  core->dof = ASP_TAKE_UNCLEARED(layout, int, core->dofs);
  core->index = ASP_TAKE_UNCLEARED(layout, int, core->dofs);
  core->from = ASP_TAKE_UNCLEARED(layout, int, core->entries);
  core->inverse = ASP_TAKE_UNCLEARED(layout, double, core->dofs);
  if (!core->dof || !core->index || !core->from || !core->inverse)
    return ASP_ERROR_MEMORY;
  number_core(core);
  core->work = ASP_TAKE_UNCLEARED(layout, double, (size_t)core->n *ASP_MASS_PANEL);
  if (!core->work)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_sparse_take(layout, core->n, core->n, core->entries, &core->C));
  list_entries(core, M);
  if (!core->factor)
    ASP_TRY(asp_factor_create(layout->context, &core->factor));
  return asp_factor_analyse(core->factor, core->is_symmetric ? ASP_FACTOR_LDLT : ASP_FACTOR_LU, &core->C);
}

static AspError lay_out(AspMassCore *core, const AspSparse *M) {
  core->laid_out = false;
  asp_arena_reset(&core->layout);
  ASP_TRY(keep_pattern(core, M));
  ASP_TRY(pair_entries(core, M));
  ASP_TRY(find_groups(core, M));
  look_at_values(core, M);
  ASP_TRY(lay_out_core(core, M));
  core->laid_out = true;
  return ASP_OK;
}

/* 1/M_kk of the dofs that stand alone; the first where there is none, -1: all have one. */
static int invert_diagonal(AspMassCore *core, const AspSparse *M) {
  for (int j = 0; j < core->dofs; j++) {
    if (core->index[j] >= 0)
      continue;
    double entry = core->diagonal[j] >= 0 ? M->value[core->diagonal[j]] : 0;
    core->inverse[j] = 1 / entry;
    if (!isfinite(core->inverse[j]) || !isfinite(entry))
      return j;
  }
  return -1;
}

AspError asp_mass_core_factor(AspMassCore *core, const AspSparse *M, int *singular) {
  AspFactorInfo info;
  if (!asp_mass_core_fits(core, M) || look_at_values(core, M))
    ASP_TRY(lay_out(core, M));
  *singular = invert_diagonal(core, M);
  for (int k = 0; k < core->C.start[core->n]; k++)
    core->C.value[k] = M->value[core->from[k]];
  ASP_TRY(asp_factor_compute(core->factor, &core->C, NULL, &info));
  if (info.set_aside > 0 && (*singular < 0 || core->dof[info.first] < *singular))
    *singular = core->dof[info.first];
  return ASP_OK;
}

/* ---- solves ---- */

/* The same for as many columns as fit the work space. */
static AspError solve_panel(AspMassCore *core, int columns, double *X) {
  size_t n = (size_t)core->n, dofs = (size_t)core->dofs;
  for (int c = 0; c < columns; c++)
    for (size_t i = 0; i < n; i++)
      core->work[(size_t)c * n + i] = X[(size_t)c * dofs + (size_t)core->dof[i]];
  ASP_TRY(asp_factor_solve(core->factor, columns, core->work, core->n));
  for (int c = 0; c < columns; c++) {
    double *x = X + (size_t)c * dofs;
    const double *own = core->work + (size_t)c * n;
    for (size_t k = 0; k < dofs; k++)
      x[k] = core->index[k] < 0 ? x[k] * core->inverse[k] : own[core->index[k]];
  }
  return ASP_OK;
}

AspError asp_mass_core_solve(AspMassCore *core, int columns, double *X) {
  if (core->n == core->dofs)
    return asp_factor_solve(core->factor, columns, X, core->dofs);
  for (int first = 0; first < columns; first += ASP_MASS_PANEL)
    ASP_TRY(solve_panel(core, columns - first < ASP_MASS_PANEL ? columns - first : ASP_MASS_PANEL,
                        X + (size_t)first * (size_t)core->dofs));
  return ASP_OK;
}

/* Columns of H with equal rows, as those of a block: what weighs the square of each entry that stands alone, and which
 * entries are of the core, with the part of its inverse that belongs to them. */
typedef struct Rows {
  int entries, count, *at, *index;
  double *weight, *h, *Z; /* entries, 0 for those of the core; count; count x count */
  bool inverted, fits;    /* there is an inverse; Z could be read from it */
} Rows;

static bool has_rows_of_last(const AspSparse *H, int j) {
  int from = H->start[j], count = H->start[j + 1] - from;
  return j > 0 && count == from - H->start[j - 1] &&
         memcmp(H->row + from, H->row + H->start[j - 1], (size_t)count * sizeof *H->row) == 0;
}

static void find_rows(const AspMassCore *core, const AspSparse *H, int j, Rows *rows) {
  int from = H->start[j];
  rows->entries = H->start[j + 1] - from;
  rows->count = 0;
  for (int k = 0; k < rows->entries; k++) {
    int dof = H->row[from + k], index = core->index[dof];
    rows->weight[k] = index < 0 ? core->inverse[dof] : 0;
    if (index < 0)
      continue;
    rows->at[rows->count] = k;
    rows->index[rows->count++] = index;
  }
  rows->fits = rows->inverted && asp_factor_inverse_entries(core->factor, rows->count, rows->index, rows->Z);
}

/* Sums of h_k^2 weight_k, and h^T Z h; written out where n is a constant. */
static inline double sum_of_squares(int n, const double *h, const double *weight) {
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += h[k] * h[k] * weight[k];
  return sum;
}

static inline double form(int n, const double *Z, const double *h) {
  double sum = 0;
  for (int i = 0; i < n; i++, Z += n) {
    double off = 0;
    for (int k = 0; k < i; k++)
      off += Z[k] * h[k];
    sum += h[i] * (2 * off + Z[i] * h[i]);
  }
  return sum;
}

/* The share of those that stand alone, and where the inverse is known all of H_j^T M^-1 H_j. Two bodies, as a rule, of
 * which the spins couple. */
static double square_of(const Rows *rows, const double *H) {
  double sum =
      rows->entries == 12 ? sum_of_squares(12, H, rows->weight) : sum_of_squares(rows->entries, H, rows->weight);
  if (!rows->fits)
    return sum;
  for (int i = 0; i < rows->count; i++)
    rows->h[i] = H[rows->at[i]];
  return sum + (rows->count == 6 ? form(6, rows->Z, rows->h) : form(rows->count, rows->Z, rows->h));
}

static AspError take_rows(AspArena *arena, size_t n, Rows *rows) {
  *rows = (Rows){.at = ASP_TAKE_UNCLEARED(arena, int, n),
                 .index = ASP_TAKE_UNCLEARED(arena, int, n),
                 .weight = ASP_TAKE_UNCLEARED(arena, double, n),
                 .h = ASP_TAKE_UNCLEARED(arena, double, n),
                 .Z = ASP_TAKE_UNCLEARED(arena, double, FACTOR_INVERSE_MOST *FACTOR_INVERSE_MOST)};
  return rows->at && rows->index && rows->weight && rows->h && rows->Z ? ASP_OK : ASP_ERROR_MEMORY;
}

/* Columns whose rows share a front are read off the inverse, the others are solved for. */
AspError asp_mass_core_squares(AspMassCore *core, AspArena *arena, const AspSparse *H, double *square) {
  AspArenaMark mark = asp_arena_mark(arena);
  Rows rows;
  int others = 0, *other = ASP_TAKE_UNCLEARED(arena, int, H->columns);
  double *solved = ASP_TAKE_UNCLEARED(arena, double, H->columns);
  ASP_TRY(take_rows(arena, (size_t)core->dofs, &rows));
  if (!other || !solved)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_factor_invert(core->factor, &rows.inverted));
  for (int j = 0; j < H->columns; j++) {
    if (!has_rows_of_last(H, j))
      find_rows(core, H, j, &rows);
    square[j] = square_of(&rows, H->value + H->start[j]);
    if (!rows.fits)
      other[others++] = j;
  }
  if (others > 0)
    ASP_TRY(asp_factor_squares(core->factor, H, core->index, others, other, solved));
  for (int k = 0; k < others; k++)
    square[other[k]] += solved[other[k]];
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

double asp_mass_core_inverse_bound(const AspMassCore *core, const double *scale, double *work) {
  double most = 0;
  for (int k = 0; k < core->dofs; k++) {
    double one = core->index[k] < 0 ? core->inverse[k] / (scale[k] * scale[k]) : 0;
    if (!(one >= 0))
      return INFINITY;
    most = fmax(most, one);
    if (core->index[k] >= 0)
      work[core->index[k]] = scale[k];
  }
  return fmax(most, asp_factor_inverse_bound(core->factor, work, work + core->n));
}
