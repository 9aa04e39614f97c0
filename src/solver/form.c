/* The two scaled forms of a prepared problem, A y = F r + f, u = V^T y + w, and the local form by blocks. See
 * prepared.h for the scaling. */
#include "solver/prepared.h"
#include "solver/tuning/system.h"

#include <float.h>
#include <math.h>

AspError asp_prepared_need_local(AspPrepared *p) {
  if (p->has_local)
    return ASP_OK;
  const AspContactProblem *problem = p->problem;
  if (problem->dofs > 0) {
    double *q;
    ASP_TRY(asp_reduce(&p->arena, problem, asp_judge_mass(p->judge), &p->W, &q));
  } else
    ASP_TRY(asp_block_sparse_from_sparse(&p->arena, &problem->W, problem->blocks, problem->offset, &p->W));
  p->has_local = true;
  return ASP_OK;
}

/* Is |A - A^T| below rounding, relative to the largest entry? */
static AspError is_symmetric(AspArena *arena, const AspSparse *A, bool *symmetric) {
  AspArenaMark mark = asp_arena_mark(arena);
  AspSparse T;
  ASP_TRY(asp_sparse_take(arena, A->columns, A->rows, asp_sparse_entries(A), &T));
  asp_sparse_transpose(A, &T, NULL);
  double largest = 0, difference = 0;
  for (int j = 0; j < A->columns; j++) {
    int k = A->start[j], l = T.start[j];
    while (k < A->start[j + 1] || l < T.start[j + 1]) {
      int row_k = k < A->start[j + 1] ? A->row[k] : A->rows, row_l = l < T.start[j + 1] ? T.row[l] : A->rows;
      double a = row_k <= row_l ? A->value[k++] : 0, t = row_l <= row_k ? T.value[l++] : 0;
      largest = fmax(largest, fabs(a));
      difference = fmax(difference, fabs(a - t));
    }
  }
  *symmetric = difference <= FORM_ROUNDINGS * DBL_EPSILON * largest;
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* Sort the rows of each column by transposing twice; A's arrays are kept. */
static AspError sort_columns(AspArena *arena, AspSparse *A) {
  AspArenaMark mark = asp_arena_mark(arena);
  AspSparse T;
  ASP_TRY(asp_sparse_take(arena, A->columns, A->rows, asp_sparse_entries(A), &T));
  asp_sparse_transpose(A, &T, NULL);
  asp_sparse_transpose(&T, A, NULL);
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* Number the dofs of the bodies that some block acts on, body by body: place[dof] or -1. */
static AspError number_dofs(AspPrepared *p, AspForm *form, int *place) {
  const AspContactProblem *problem = p->problem;
  const AspProblemBodies *bodies = &asp_judge_mass(p->judge)->bodies;
  AspBodyBlocks blocks;
  ASP_TRY(asp_body_blocks(&p->arena, bodies, problem->blocks, &blocks));
  form->dof = ASP_TAKE(&p->arena, int, problem->dofs);
  form->group_start = ASP_TAKE(&p->arena, int, (size_t)problem->dofs + 1);
  if (!form->dof || !form->group_start)
    return ASP_ERROR_MEMORY;
  form->grouped = true;
  for (int b = 0; b < bodies->count; b++)
    if (blocks.start[b + 1] > blocks.start[b] && bodies->start[b + 1] - bodies->start[b] > ASP_MASS_BLOCK)
      form->grouped = false;
  for (int b = 0; b < bodies->count; b++) {
    bool touched = blocks.start[b + 1] > blocks.start[b];
    for (int m = bodies->start[b]; m < bodies->start[b + 1]; m++) {
      int dof = bodies->dof[m];
      place[dof] = touched ? form->n : -1;
      if (!touched)
        continue;
      form->dof[form->n++] = dof;
      if (!form->grouped)
        form->group_start[++form->groups] = form->n;
    }
    if (touched && form->grouped)
      form->group_start[++form->groups] = form->n;
  }
  return ASP_OK;
}

static AspError body_mass(AspPrepared *p, const int *place, AspForm *form) {
  const AspSparse *M = &p->problem->M;
  int entries = 0;
  for (int j = 0; j < form->n; j++)
    entries += M->start[form->dof[j] + 1] - M->start[form->dof[j]];
  ASP_TRY(asp_sparse_take(&p->arena, form->n, form->n, entries, &form->A));
  entries = 0;
  for (int j = 0; j < form->n; j++) {
    for (int k = M->start[form->dof[j]]; k < M->start[form->dof[j] + 1]; k++) {
      form->A.row[entries] = place[M->row[k]];
      form->A.value[entries++] = M->value[k] / p->rho;
    }
    form->A.start[j + 1] = entries;
  }
  return sort_columns(&p->arena, &form->A);
}

/* One column per prepared row: the original row scaled. */
static AspError body_velocities(AspPrepared *p, const int *place, int n, AspSparse *map) {
  const AspSparse *H = &p->problem->H;
  int count = 0;
  bool sorted = true;
  for (int j = 0; j < p->rows; j++)
    count += H->start[p->source[j] + 1] - H->start[p->source[j]];
  ASP_TRY(asp_sparse_take(&p->arena, n, p->rows, count, map));
  count = 0;
  for (int j = 0; j < p->rows; j++) {
    int last = -1, original = p->source[j];
    for (int k = H->start[original]; k < H->start[original + 1]; k++) {
      int row = place[H->row[k]];
      sorted = sorted && row > last;
      map->row[count] = last = row;
      map->value[count++] = p->scale[j] * H->value[k];
    }
    map->start[j + 1] = count;
  }
  return sorted ? ASP_OK : sort_columns(&p->arena, map);
}

/* The same with the forces of sliding added. */
static AspError body_forces(AspPrepared *p, const int *place, int n, AspSparse *map) {
  const AspSparse *H = &p->problem->H;
  int count = 0, capacity = 0;
  for (int i = 0; i < p->blocks; i++) {
    int original = p->problem->offset[p->block[i].source];
    capacity += H->start[p->problem->offset[p->block[i].source + 1]] - H->start[original];
  }
  // an EQUALITY block of several rows was counted once per row: an upper bound is all that is needed
  int *row = ASP_TAKE(&p->arena, int, capacity), *column = ASP_TAKE(&p->arena, int, capacity);
  double *value = ASP_TAKE(&p->arena, double, capacity);
  if (!row || !column || !value)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    int slides = p->problem->law[block->source].kind == ASP_LAW_SLIDING ? p->problem->dimension : 1;
    for (int l = 0; l < block->size; l++)
      for (int t = 0; t < slides; t++) {
        int original = p->source[block->first + l] + t;
        double factor = t == 0 ? p->scale[block->first + l] : block->slide[t - 1];
        for (int k = H->start[original]; k < H->start[original + 1] && factor != 0; k++) {
          row[count] = place[H->row[k]];
          column[count] = block->first + l;
          value[count++] = factor * H->value[k];
        }
      }
  }
  return asp_sparse_from_triplets(&p->arena, n, p->rows, count, row, column, value, map);
}

AspError asp_prepared_need_body(AspPrepared *p) {
  const AspContactProblem *problem = p->problem;
  if (p->has_body)
    return ASP_OK;
  if (problem->dofs == 0)
    return asp_fail(p->context, ASP_ERROR_ARGUMENT,
                    "the problem has no global form (dofs = 0): use the condensed form");
  AspForm *form = &p->body;
  *form = (AspForm){0};
  int *place = ASP_TAKE(&p->arena, int, problem->dofs);
  if (!place)
    return ASP_ERROR_MEMORY;
  ASP_TRY(number_dofs(p, form, place));
  ASP_TRY(body_mass(p, place, form));
  ASP_TRY(body_velocities(p, place, form->n, &form->V));
  form->F = form->V;
  if (p->sliding)
    ASP_TRY(body_forces(p, place, form->n, &form->F));
  form->f = ASP_TAKE(&p->arena, double, form->n);
  form->w = ASP_TAKE(&p->arena, double, p->rows);
  if (!form->f || !form->w)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < form->n; j++)
    form->f[j] = problem->f[form->dof[j]] / p->unit_r;
  asp_prepared_scale_velocity(p, problem->w, form->w);
  ASP_TRY(is_symmetric(&p->arena, &form->A, &form->symmetric));
  form->symmetric = form->symmetric && !p->sliding;
  p->has_body = true;
  return ASP_OK;
}

/* Entry (j, l) of the scaled W, j and l rows of the prepared blocks i and k; `block` is the original block (i, k). */
static double condensed_entry(const AspPrepared *p, int i, int j, int k, int l, const double *block, int height) {
  const AspPreparedBlock *bi = &p->block[i], *bk = &p->block[k];
  const AspContactProblem *problem = p->problem;
  int row = p->source[bi->first + j] - problem->offset[bi->source];
  int column = p->source[bk->first + l] - problem->offset[bk->source];
  double entry = p->scale[bk->first + l] * block[row + column * height];
  if (problem->law[bk->source].kind == ASP_LAW_SLIDING)
    for (int t = 1; t < problem->dimension; t++)
      entry += bk->slide[t - 1] * block[row + t * height];
  return p->rho * p->scale[bi->first + j] * entry;
}

/* V = W^T scaled: column j of V is row j of W. */
static AspError condensed_velocities(AspPrepared *p, AspForm *form) {
  const AspBlockSparse *W = &p->W;
  int *first_prepared = ASP_TAKE(&p->arena, int, (size_t)p->problem->blocks + 1);
  if (!first_prepared)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < p->blocks; i++)
    first_prepared[p->block[i].source + 1]++;
  for (int o = 0; o < p->problem->blocks; o++)
    first_prepared[o + 1] += first_prepared[o];
  for (int pass = 0; pass < 2; pass++) { // count, then fill
    int count = 0;
    for (int i = 0; i < p->blocks; i++)
      for (int j = 0; j < p->block[i].size; j++) {
        int o = p->block[i].source;
        for (int at = W->start[o]; at < W->start[o + 1]; at++) {
          const double *values = W->value + W->at[at];
          for (int k = first_prepared[W->column[at]]; k < first_prepared[W->column[at] + 1]; k++)
            for (int l = 0; l < p->block[k].size; l++, count++) {
              if (pass == 0)
                continue;
              form->V.row[count] = p->block[k].first + l;
              form->V.value[count] = condensed_entry(p, i, j, k, l, values, asp_block_size(W, o));
            }
        }
        if (pass == 1)
          form->V.start[p->block[i].first + j + 1] = count;
      }
    if (pass == 0)
      ASP_TRY(asp_sparse_take(&p->arena, p->rows, p->rows, count, &form->V));
  }
  return ASP_OK;
}

static AspError identity(AspArena *arena, int n, AspSparse *I) {
  ASP_TRY(asp_sparse_take(arena, n, n, n, I));
  for (int j = 0; j < n; j++) {
    I->start[j + 1] = j + 1;
    I->row[j] = j;
    I->value[j] = 1;
  }
  return ASP_OK;
}

AspError asp_prepared_need_condensed(AspPrepared *p) {
  if (p->has_condensed)
    return ASP_OK;
  ASP_TRY(asp_prepared_need_local(p));
  AspForm *form = &p->condensed;
  *form = (AspForm){.n = p->rows, .groups = p->blocks, .grouped = true};
  ASP_TRY(condensed_velocities(p, form));
  ASP_TRY(identity(&p->arena, p->rows, &form->A));
  form->F = form->A;
  form->f = ASP_TAKE(&p->arena, double, p->rows);
  form->w = ASP_TAKE(&p->arena, double, p->rows);
  form->group_start = ASP_TAKE(&p->arena, int, (size_t)p->blocks + 1);
  if (!form->f || !form->w || !form->group_start)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < p->blocks; i++)
    form->group_start[i + 1] = p->block[i].first + p->block[i].size;
  asp_prepared_scale_velocity(p, p->q, form->w);
  p->has_condensed = true;
  return ASP_OK;
}
