/* Assembly and factorisation of K = A + F D V^T: see system.h. */
#include "solver/system.h"

#include "base/dispatched.h"
#include "base/effort.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "solver/tuning/effort.h"
#include "solver/tuning/system.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* The pieces of F or V: of block i the rows of every group that it touches, stacked to one dense matrix. */
typedef struct Pieces {
  int *start;  /* blocks + 1 */
  int *group;  /* by piece */
  int *height; /* blocks: rows of the stack */
  size_t *at;  /* blocks: its values, height x size of the block, column-major */
  double *value;
} Pieces;

/* Blocks that touch the same groups (the contacts of two bodies): their products are summed before they go to K. */
typedef struct Bundle {
  int first, end; /* among `order` */
  size_t target;  /* first of its targets, force piece by force piece */
} Bundle;

struct AspSystem {
  AspContext *context;
  AspArena arena; /* everything below but the factorisation */
  AspFactor *factor;
  const AspPrepared *prepared;
  const AspForm *form;
  Pieces forces, velocities;
  int bundles;
  Bundle *bundle;
  int *order;     /* blocks: bundle by bundle */
  size_t *target; /* where the product of a bundle's force piece and velocity piece goes */
  size_t *stride; /* groups: distance of neighbouring columns of K within a group */
  size_t *place_A;
  double *sum, *FD; /* of one bundle, of one block */
  bool dense;
  bool unstructured;                 /* F and V are nearly full: K by one dense product */
  double *full_F, *full_FD, *full_V; /* unstructured: n x rows each */
  AspSparse K;                       /* sparse: pattern and values */
  double *full;                      /* dense: n x n, kept for the refinement */
  double *LU;                        /* dense: n x n */
  int *pivot;                        /* dense: n */
  double *value;                     /* K.value or full */
  double *work;                      /* n */
  size_t entries;                    /* sparse: of the last factors */
};

AspError asp_system_create(AspContext *context, AspSystem **system) {
  AspSystem *s = asp_allocate(context, 1, sizeof *s);
  *system = s;
  if (!s)
    return ASP_ERROR_MEMORY;
  s->context = context;
  asp_arena_init(&s->arena, context);
  return ASP_OK;
}

void asp_system_destroy(AspSystem *system) {
  if (!system)
    return;
  asp_factor_destroy(system->factor);
  asp_arena_free(&system->arena);
  asp_release(system->context, system);
}

const AspForm *asp_system_form(const AspSystem *system) { return system->form; }

/* ---- layout ---- */

static int group_size(const AspForm *form, int g) { return form->group_start[g + 1] - form->group_start[g]; }

/* Which groups the columns of `map` touch, block by block; with pieces->group = NULL they are only counted. `seen`
 * (groups) was left by an earlier call with smaller stamps. */
static void meet_groups(const AspSystem *s, const AspSparse *map, const int *group_of, int call, int *seen,
                        Pieces *pieces) {
  const AspPrepared *p = s->prepared;
  int count = 0;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    int stamp = i + 1 + call * p->blocks;
    for (int k = map->start[block->first]; k < map->start[block->first + block->size]; k++) {
      int g = group_of[map->row[k]];
      if (seen[g] == stamp)
        continue;
      seen[g] = stamp;
      if (pieces->group) {
        pieces->group[count] = g;
        pieces->height[i] += group_size(s->form, g);
      }
      count++;
    }
    pieces->start[i + 1] = count;
  }
}

/* Cut the columns of `map` into dense stacks. */
static AspError cut(AspSystem *s, const AspSparse *map, const int *group_of, Pieces *pieces) {
  const AspPrepared *p = s->prepared;
  const AspForm *form = s->form;
  size_t values = 0;
  int *seen = ASP_TAKE(&s->arena, int, form->groups), *offset = ASP_TAKE(&s->arena, int, form->groups);
  *pieces = (Pieces){.start = ASP_TAKE(&s->arena, int, (size_t)p->blocks + 1),
                     .height = ASP_TAKE(&s->arena, int, p->blocks),
                     .at = ASP_TAKE(&s->arena, size_t, p->blocks)};
  if (!seen || !offset || !pieces->start || !pieces->height || !pieces->at)
    return ASP_ERROR_MEMORY;
  meet_groups(s, map, group_of, 0, seen, pieces);
  pieces->group = ASP_TAKE(&s->arena, int, pieces->start[p->blocks]);
  if (!pieces->group)
    return ASP_ERROR_MEMORY;
  meet_groups(s, map, group_of, 1, seen, pieces);
  for (int i = 0; i < p->blocks; i++) {
    pieces->at[i] = values;
    values += (size_t)pieces->height[i] * (size_t)p->block[i].size;
  }
  pieces->value = ASP_TAKE(&s->arena, double, values);
  if (!pieces->value)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *block = &p->block[i];
    double *stack = pieces->value + pieces->at[i];
    for (int k = pieces->start[i], height = 0; k < pieces->start[i + 1]; k++) {
      offset[pieces->group[k]] = height - form->group_start[pieces->group[k]];
      height += group_size(form, pieces->group[k]);
    }
    for (int l = 0; l < block->size; l++)
      for (int k = map->start[block->first + l]; k < map->start[block->first + l + 1]; k++)
        stack[offset[group_of[map->row[k]]] + map->row[k] + l * pieces->height[i]] = map->value[k];
  }
  return ASP_OK;
}

/* What blocks are sorted by: those with equal groups come together. */
typedef struct BundleKey {
  int group[2], size, block;
} BundleKey;

static int compare_keys(const void *left, const void *right) {
  const BundleKey *a = left, *b = right;
  for (int k = 0; k < 2; k++)
    if (a->group[k] != b->group[k])
      return a->group[k] < b->group[k] ? -1 : 1;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return (a->block > b->block) - (a->block < b->block);
}

/* One or two groups, the same for forces and velocities: else the block stays by itself. */
static BundleKey bundle_key(const AspSystem *s, int i) {
  const Pieces *F = &s->forces, *V = &s->velocities;
  int count = F->start[i + 1] - F->start[i];
  bool alike = count > 0 && count <= 2 && count == V->start[i + 1] - V->start[i];
  BundleKey key = {.group = {INT_MAX, i}, .size = s->prepared->block[i].size, .block = i};
  for (int k = 0; k < count && alike; k++)
    alike = F->group[F->start[i] + k] == V->group[V->start[i] + k];
  for (int k = 0; k < 2 && alike; k++)
    key.group[k] = k < count ? F->group[F->start[i] + k] : -1;
  return key;
}

static size_t bundle_pairs(const AspSystem *s, const Bundle *bundle) {
  int i = s->order[bundle->first];
  return (size_t)(s->forces.start[i + 1] - s->forces.start[i]) *
         (size_t)(s->velocities.start[i + 1] - s->velocities.start[i]);
}

static AspError make_bundles(AspSystem *s) {
  int blocks = s->prepared->blocks;
  BundleKey *key = ASP_TAKE(&s->arena, BundleKey, blocks);
  s->bundle = ASP_TAKE(&s->arena, Bundle, (size_t)blocks + 1);
  s->order = ASP_TAKE(&s->arena, int, blocks);
  if (!key || !s->bundle || !s->order)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < blocks; i++)
    key[i] = bundle_key(s, i);
  qsort(key, (size_t)blocks, sizeof *key, compare_keys);
  size_t targets = 0, sum = 0, FD = 0;
  s->bundles = 0;
  for (int k = 0; k < blocks; k++) {
    int i = key[k].block;
    s->order[k] = i;
    bool joins = k > 0 && key[k].size == key[k - 1].size && key[k].group[0] == key[k - 1].group[0] &&
                 key[k].group[1] == key[k - 1].group[1];
    if (!joins) {
      s->bundle[s->bundles++] = (Bundle){k, k, targets};
      targets += bundle_pairs(s, &s->bundle[s->bundles - 1]);
    }
    s->bundle[s->bundles - 1].end++;
    size_t height = (size_t)s->forces.height[i], width = (size_t)s->velocities.height[i];
    sum = height * width > sum ? height * width : sum;
    FD = height > FD ? height : FD;
  }
  s->bundle[s->bundles].target = targets;
  s->sum = ASP_TAKE(&s->arena, double, sum);
  s->FD = ASP_TAKE(&s->arena, double, 3 * FD);
  s->target = ASP_TAKE(&s->arena, size_t, targets);
  return s->sum && s->FD && s->target ? ASP_OK : ASP_ERROR_MEMORY;
}

/* The pattern of K by groups: column group b couples with row groups row[start[b]] .. ascending. */
typedef struct GroupPattern {
  int *start, *row;
} GroupPattern;

static AspError group_pattern(AspSystem *s, const int *group_of, GroupPattern *pattern) {
  const AspForm *form = s->form;
  const AspSparse *A = &form->A;
  size_t pairs = (size_t)asp_sparse_entries(A) + (size_t)form->groups + s->bundle[s->bundles].target;
  if (pairs > INT32_MAX)
    return asp_fail(s->context, ASP_ERROR_MEMORY, "out of memory: Newton matrix with %zu pairs of bodies", pairs);
  int *row = ASP_TAKE(&s->arena, int, pairs), *column = ASP_TAKE(&s->arena, int, pairs);
  double *one = ASP_TAKE(&s->arena, double, pairs);
  if (!row || !column || !one)
    return ASP_ERROR_MEMORY;
  int count = 0;
  for (int g = 0; g < form->groups; g++, count++)
    row[count] = column[count] = g;
  for (int j = 0; j < form->n; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
      if (group_of[A->row[k]] != group_of[j]) {
        row[count] = group_of[A->row[k]];
        column[count++] = group_of[j];
      }
  for (int m = 0; m < s->bundles; m++) {
    int i = s->order[s->bundle[m].first];
    for (int a = s->forces.start[i]; a < s->forces.start[i + 1]; a++)
      for (int b = s->velocities.start[i]; b < s->velocities.start[i + 1]; b++) {
        row[count] = s->forces.group[a];
        column[count++] = s->velocities.group[b];
      }
  }
  AspSparse groups;
  ASP_TRY(asp_sparse_from_triplets(&s->arena, form->groups, form->groups, count, row, column, one, &groups));
  *pattern = (GroupPattern){groups.start, groups.row};
  return ASP_OK;
}

static AspError take_dense(AspSystem *s) {
  size_t n = (size_t)s->form->n;
  s->full = ASP_TAKE(&s->arena, double, n *n);
  s->LU = ASP_TAKE(&s->arena, double, n *n);
  s->pivot = ASP_TAKE(&s->arena, int, n);
  s->value = s->full;
  return s->full && s->LU && s->pivot ? ASP_OK : ASP_ERROR_MEMORY;
}

static AspError lay_out_values(AspSystem *s, const GroupPattern *pattern, size_t **row_offset) {
  const AspForm *form = s->form;
  size_t n = (size_t)form->n, entries = 0;
  *row_offset = ASP_TAKE(&s->arena, size_t, pattern->start[form->groups]);
  s->stride = ASP_TAKE(&s->arena, size_t, form->groups);
  if (!*row_offset || !s->stride)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < form->groups; b++) {
    size_t height = 0;
    for (int k = pattern->start[b]; k < pattern->start[b + 1]; k++) {
      (*row_offset)[k] = height;
      height += (size_t)group_size(form, pattern->row[k]);
    }
    s->stride[b] = height;
    entries += height * (size_t)group_size(form, b);
  }
  s->dense = form->n <= SYSTEM_DENSE_SIZE ||
             (form->n <= SYSTEM_DENSE_LIMIT && (double)entries > SYSTEM_DENSE_FILLING * (double)n * (double)n);
  s->work = ASP_TAKE(&s->arena, double, n);
  if (!s->work)
    return ASP_ERROR_MEMORY;
  if (s->dense)
    return take_dense(s);
  if (entries > INT32_MAX)
    return asp_fail(s->context, ASP_ERROR_MEMORY, "out of memory: Newton matrix with %zu entries", entries);
  ASP_TRY(asp_sparse_take(&s->arena, form->n, form->n, (int)entries, &s->K));
  int at = 0;
  for (int b = 0; b < form->groups; b++)
    for (int j = form->group_start[b]; j < form->group_start[b + 1]; j++) {
      for (int k = pattern->start[b]; k < pattern->start[b + 1]; k++)
        for (int i = form->group_start[pattern->row[k]]; i < form->group_start[pattern->row[k] + 1]; i++)
          s->K.row[at++] = i;
      s->K.start[j + 1] = at;
    }
  s->value = s->K.value;
  return ASP_OK;
}

/* Position in `value` of the first entry of the pair (row group a, column group b). */
static size_t pair_target(const AspSystem *s, const GroupPattern *pattern, const size_t *row_offset, int a, int b) {
  const AspForm *form = s->form;
  if (s->dense)
    return (size_t)form->group_start[a] + (size_t)form->group_start[b] * (size_t)form->n;
  int low = pattern->start[b], high = pattern->start[b + 1] - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (pattern->row[middle] < a)
      low = middle + 1;
    else
      high = middle;
  }
  return (size_t)s->K.start[form->group_start[b]] + row_offset[low];
}

static AspError lay_out_targets(AspSystem *s, const GroupPattern *pattern, const size_t *row_offset,
                                const int *group_of) {
  const AspForm *form = s->form;
  const AspSparse *A = &form->A;
  s->place_A = ASP_TAKE(&s->arena, size_t, asp_sparse_entries(A));
  if (!s->place_A)
    return ASP_ERROR_MEMORY;
  if (s->dense)
    for (int g = 0; g < form->groups; g++)
      s->stride[g] = (size_t)form->n;
  size_t at = 0;
  for (int m = 0; m < s->bundles; m++) {
    int i = s->order[s->bundle[m].first];
    for (int a = s->forces.start[i]; a < s->forces.start[i + 1]; a++)
      for (int b = s->velocities.start[i]; b < s->velocities.start[i + 1]; b++)
        s->target[at++] = pair_target(s, pattern, row_offset, s->forces.group[a], s->velocities.group[b]);
  }
  for (int j = 0; j < form->n; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++) {
      int a = group_of[A->row[k]], b = group_of[j];
      s->place_A[k] = pair_target(s, pattern, row_offset, a, b) + (size_t)(A->row[k] - form->group_start[a]) +
                      (size_t)(j - form->group_start[b]) * s->stride[b];
    }
  return ASP_OK;
}

/* Bodies or contacts? Flexible bodies with more dofs than contact rows are condensed, and so is what is small. */
static AspError choose_form(AspSystem *s, AspPrepared *p) {
  bool condensed = !asp_prepared_has_bodies(p);
  if (!condensed) {
    ASP_TRY(asp_prepared_need_body(p));
    int n = p->body.n;
    condensed = p->rows < n && (!p->body.grouped || p->rows <= SYSTEM_DENSE_SIZE);
  }
  if (condensed)
    ASP_TRY(asp_prepared_need_condensed(p));
  s->form = condensed ? &p->condensed : &p->body;
  return ASP_OK;
}

static void spread(const AspSparse *A, double *full) {
  for (int j = 0; j < A->columns; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
      full[(size_t)A->row[k] + (size_t)j * (size_t)A->rows] = A->value[k];
}

static AspError lay_out_unstructured(AspSystem *s) {
  size_t size = (size_t)s->form->n * (size_t)s->prepared->rows;
  s->dense = true;
  s->work = ASP_TAKE(&s->arena, double, s->form->n);
  s->full_F = ASP_TAKE(&s->arena, double, size);
  s->full_FD = ASP_TAKE(&s->arena, double, size);
  s->full_V = ASP_TAKE(&s->arena, double, size);
  if (!s->work || !s->full_F || !s->full_FD || !s->full_V)
    return ASP_ERROR_MEMORY;
  spread(&s->form->F, s->full_F);
  spread(&s->form->V, s->full_V);
  return take_dense(s);
}

AspError asp_system_reset(AspSystem *s, AspPrepared *prepared) {
  asp_arena_reset(&s->arena);
  s->prepared = prepared;
  ASP_TRY(choose_form(s, prepared));
  const AspForm *form = s->form;
  s->unstructured =
      !form->grouped && asp_sparse_entries(&form->F) > SYSTEM_DENSE_FILLING * form->n * (double)prepared->rows;
  if (s->unstructured)
    return lay_out_unstructured(s);
  int *group_of = ASP_TAKE(&s->arena, int, form->n);
  if (!group_of)
    return ASP_ERROR_MEMORY;
  for (int g = 0; g < form->groups; g++)
    for (int j = form->group_start[g]; j < form->group_start[g + 1]; j++)
      group_of[j] = g;
  GroupPattern pattern = {0};
  size_t *row_offset;
  ASP_TRY(cut(s, &form->F, group_of, &s->forces));
  if (form->F.value == form->V.value)
    s->velocities = s->forces;
  else
    ASP_TRY(cut(s, &form->V, group_of, &s->velocities));
  ASP_TRY(make_bundles(s));
  ASP_TRY(group_pattern(s, group_of, &pattern));
  ASP_TRY(lay_out_values(s, &pattern, &row_offset));
  ASP_TRY(lay_out_targets(s, &pattern, row_offset, group_of));
  if (s->dense)
    return ASP_OK;
  if (!s->factor)
    ASP_TRY(asp_factor_create(s->context, &s->factor));
  return asp_factor_analyse(s->factor, ASP_FACTOR_LU, &s->K);
}

AspError asp_prepared_need_system(AspPrepared *prepared) {
  if (prepared->has_system)
    return ASP_OK;
  if (!prepared->system)
    ASP_TRY(asp_system_create(prepared->context, &prepared->system));
  ASP_TRY(asp_system_reset(prepared->system, prepared));
  prepared->has_system = true;
  return ASP_OK;
}

/* ---- numbers ---- */

/* FD = F D of one block, sum += FD V^T; F: height x size, V: width x size. Inlined with constant sizes
 * where it counts. */
ASP_INLINED void times_D(int height, int size, const double *restrict F, const double *restrict D,
                         double *restrict FD) {
  for (int l = 0; l < size; l++)
    for (int r = 0; r < height; r++) {
      double sum = F[r] * D[3 * l];
      for (int k = 1; k < size; k++)
        sum += F[r + k * height] * D[k + 3 * l];
      FD[r + l * height] = sum;
    }
}

ASP_INLINED void add_product(int height, int width, int size, const double *restrict FD, const double *restrict V,
                             double *restrict sum) {
  for (int c = 0; c < width; c++)
    for (int r = 0; r < height; r++) {
      double product = FD[r] * V[c];
      for (int k = 1; k < size; k++)
        product += FD[r + k * height] * V[c + k * width];
      sum[r + c * height] += product;
    }
}

ASP_INLINED void add_block(int height, int width, int size, const double *F, const double *D, const double *V,
                           double *FD, double *sum) {
  times_D(height, size, F, D, FD);
  add_product(height, width, size, FD, V, sum);
}

/* The products of a bundle, summed: 12 rows are two rigid bodies, 6 one, or two in the plane. */
ASP_INLINED void sum_bundle(AspSystem *s, const Bundle *bundle, const double *D) {
  const Pieces *forces = &s->forces, *velocities = &s->velocities;
  int first = s->order[bundle->first], height = forces->height[first], width = velocities->height[first];
  int size = s->prepared->block[first].size;
  memset(s->sum, 0, (size_t)height * (size_t)width * sizeof *s->sum);
  for (int k = bundle->first; k < bundle->end; k++) {
    int i = s->order[k];
    const double *F = forces->value + forces->at[i], *V = velocities->value + velocities->at[i], *D_i = D + 9 * i;
    if (height == 12 && width == 12 && size == 3)
      add_block(12, 12, 3, F, D_i, V, s->FD, s->sum);
    else if (height == 6 && width == 6 && size == 3)
      add_block(6, 6, 3, F, D_i, V, s->FD, s->sum);
    else if (height == 6 && width == 6 && size == 2)
      add_block(6, 6, 2, F, D_i, V, s->FD, s->sum);
    else if (height == 3 && size == 3)
      add_block(3, width, 3, F, D_i, V, s->FD, s->sum);
    else
      add_block(height, width, size, F, D_i, V, s->FD, s->sum);
  }
}

/* Add the sum of a bundle to K, pair of groups by pair of groups. */
ASP_INLINED void spread_bundle(AspSystem *s, const Bundle *bundle) {
  const Pieces *forces = &s->forces, *velocities = &s->velocities;
  int i = s->order[bundle->first], height = forces->height[i], row = 0;
  const size_t *target = s->target + bundle->target;
  for (int a = forces->start[i]; a < forces->start[i + 1]; a++) {
    int rows = group_size(s->form, forces->group[a]);
    const double *from = s->sum + row;
    for (int b = velocities->start[i]; b < velocities->start[i + 1]; b++) {
      int columns = group_size(s->form, velocities->group[b]);
      size_t stride = s->stride[velocities->group[b]];
      double *to = s->value + *target++;
      for (int c = 0; c < columns; c++, from += height, to += stride)
        for (int r = 0; r < rows; r++)
          to[r] += from[r];
    }
    row += rows;
  }
}

/* K = A + (F D) V^T by one product of full matrices */
static void assemble_unstructured(AspSystem *s, const double *D) {
  const AspPrepared *p = s->prepared;
  int n = s->form->n;
  memset(s->full, 0, (size_t)n * (size_t)n * sizeof *s->full);
  spread(&s->form->A, s->full);
  for (int i = 0; i < p->blocks; i++) {
    size_t at = (size_t)p->block[i].first * (size_t)n;
    times_D(n, p->block[i].size, s->full_F + at, D + 9 * i, s->full_FD + at);
  }
  asp_dense_add_product_transposed(n, n, p->rows, s->full_FD, n, s->full_V, n, s->full, n);
}

ASP_DISPATCHED static void assemble(AspSystem *s, const double *D) {
  const AspForm *form = s->form;
  size_t entries = s->dense ? (size_t)form->n * (size_t)form->n : (size_t)s->K.start[form->n];
  memset(s->value, 0, entries * sizeof *s->value);
  for (int k = 0; k < asp_sparse_entries(&form->A); k++)
    s->value[s->place_A[k]] += form->A.value[k];
  for (int m = 0; m < s->bundles; m++) {
    sum_bundle(s, &s->bundle[m], D);
    spread_bundle(s, &s->bundle[m]);
  }
}

AspError asp_system_factor(AspSystem *s, const double *D, bool *regular) {
  if (s->unstructured)
    assemble_unstructured(s, D);
  else
    assemble(s, D);
  int n = s->form->n;
  AspEffort *effort = asp_effort(s->context);
  asp_effort_add(effort, EFFORT_PASS + EFFORT_BLOCK * s->prepared->blocks);
  if (s->dense) {
    asp_effort_add(effort, EFFORT_DENSE_FACTOR * n * n * n);
    memcpy(s->LU, s->full, (size_t)n * (size_t)n * sizeof *s->LU);
    *regular = asp_dense_lu(n, s->LU, n, s->pivot) < 0;
    return ASP_OK;
  }
  AspFactorInfo info;
  // D spans many orders of magnitude: a small pivot is one of a light body, not a sign of singularity
  AspFactorOptions options = asp_factor_default_options();
  options.pivot_tolerance = 0;
  ASP_TRY(asp_factor_compute(s->factor, &s->K, &options, &info));
  *regular = info.set_aside == 0;
  s->entries = info.entries;
  asp_effort_add(effort, EFFORT_SPARSE_FACTOR * (double)s->entries);
  return ASP_OK;
}

static AspError solve_once(AspSystem *s, double *y) {
  int n = s->form->n;
  if (!s->dense)
    return asp_factor_solve(s->factor, 1, y, n);
  asp_dense_lu_solve(n, s->LU, n, s->pivot, 1, y, n);
  return ASP_OK;
}

AspError asp_system_solve(AspSystem *s, const double *rhs, double *y) {
  size_t n = (size_t)s->form->n;
  if (n == 0)
    return ASP_OK;
  asp_effort_add(asp_effort(s->context), EFFORT_PASS + (s->dense ? EFFORT_DENSE_SOLVE * (double)n * (double)n
                                                                 : EFFORT_SPARSE_SOLVE * (double)s->entries));
  memcpy(y, rhs, n * sizeof *y);
  ASP_TRY(solve_once(s, y));
  memcpy(s->work, rhs, n * sizeof *y);
  if (s->dense) {
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++)
        s->work[i] -= s->full[i + j * n] * y[j];
  } else
    asp_sparse_multiply_add(&s->K, -1, y, s->work);
  ASP_TRY(solve_once(s, s->work));
  for (size_t i = 0; i < n; i++)
    y[i] += s->work[i];
  return ASP_OK;
}

/* ---- the form as maps ---- */

void asp_form_velocity(const AspForm *form, const double *y, double *u) {
  memcpy(u, form->w, (size_t)form->V.columns * sizeof *u);
  asp_sparse_multiply_transpose_add(&form->V, 1, y, u);
}

void asp_form_velocity_change(const AspForm *form, const double *dy, double *du) {
  memset(du, 0, (size_t)form->V.columns * sizeof *du);
  asp_sparse_multiply_transpose_add(&form->V, 1, dy, du);
}

void asp_form_imbalance(const AspForm *form, const double *y, const double *r, double *g) {
  for (int j = 0; j < form->n; j++)
    g[j] = -form->f[j];
  asp_sparse_multiply_add(&form->A, 1, y, g);
  asp_sparse_multiply_add(&form->F, -1, r, g);
}
