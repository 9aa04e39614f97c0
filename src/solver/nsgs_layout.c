/* The data of block Gauss-Seidel: pieces of V and A^-1 F per block, local matrices and their factors. See nsgs.h. */
#include "solver/nsgs.h"

#include "linalg/small.h"
#include "solver/tuning/nsgs.h"

typedef struct Layout {
  AspNsgs *nsgs;
  AspArena *arena;
  int *group_of;   /* n */
  int *seen;       /* groups: the last block that met the group */
  int *slot;       /* groups: its piece in that block */
  double *factor;  /* LU of the groups of A, bodies only */
  size_t *at;      /* groups: where a group's LU starts */
  int *pivot;      /* n */
  int piece_count; /* so far */
  size_t values;   /* so far */
} Layout;

static int group_size(const AspForm *form, int g) { return form->group_start[g + 1] - form->group_start[g]; }

/* Blocks of Gauss-Seidel: the prepared ones, EQUALITY rows of one original block together. */
static void make_blocks(Layout *layout) {
  AspNsgs *nsgs = layout->nsgs;
  const AspPrepared *p = nsgs->prepared;
  int contacts = 0;
  for (int i = 0; i < p->blocks; i++) {
    const AspPreparedBlock *from = &p->block[i];
    AspNsgsBlock *last = nsgs->blocks > 0 ? &nsgs->block[nsgs->blocks - 1] : NULL;
    if (from->kind == ASP_LAW_EQUALITY && i > 0 && p->block[i - 1].source == from->source) {
      last->size++;
      continue;
    }
    nsgs->block[nsgs->blocks++] = (AspNsgsBlock){.kind = from->kind,
                                                 .first = from->first,
                                                 .size = from->size,
                                                 .limit = from->limit,
                                                 .law = from->kind == ASP_LAW_COULOMB ? contacts++ : 0};
  }
}

/* Factor the diagonal blocks of A and solve for the y of r = 0. */
static AspError factor_groups(Layout *layout) {
  AspNsgs *nsgs = layout->nsgs;
  const AspForm *form = nsgs->form;
  size_t total = 0;
  layout->at = ASP_TAKE(layout->arena, size_t, form->groups);
  if (!layout->at)
    return ASP_ERROR_MEMORY;
  for (int g = 0; g < form->groups; g++) {
    layout->at[g] = total;
    total += (size_t)group_size(form, g) * (size_t)group_size(form, g);
  }
  layout->factor = ASP_TAKE(layout->arena, double, total);
  layout->pivot = ASP_TAKE(layout->arena, int, form->n);
  if (!layout->factor || !layout->pivot)
    return ASP_ERROR_MEMORY;
  for (int g = 0; g < form->groups; g++) {
    int first = form->group_start[g], size = group_size(form, g);
    double *A = layout->factor + layout->at[g];
    for (int j = 0; j < size; j++)
      for (int k = form->A.start[first + j]; k < form->A.start[first + j + 1]; k++)
        A[form->A.row[k] - first + j * size] = form->A.value[k];
    if (!asp_small_lu(size, A, layout->pivot + first))
      return asp_fail(nsgs->prepared->context, ASP_ERROR_INPUT, "M is singular at dof %d",
                      form->dof ? form->dof[first] : first);
    for (int j = 0; j < size; j++)
      nsgs->y_zero[first + j] = form->f[first + j];
    asp_small_lu_solve(size, A, layout->pivot + first, nsgs->y_zero + first);
  }
  return ASP_OK;
}

/* Find or count the pieces of one block; values are laid out in the order of pieces. */
static void meet_column(Layout *layout, int stamp, const AspSparse *map, int column, AspNsgsBlock *block, bool store) {
  AspNsgs *nsgs = layout->nsgs;
  const AspForm *form = nsgs->form;
  for (int k = map->start[column]; k < map->start[column + 1]; k++) {
    int g = layout->group_of[map->row[k]];
    if (layout->seen[g] == stamp)
      continue;
    layout->seen[g] = stamp;
    layout->slot[g] = layout->piece_count;
    if (store)
      nsgs->piece[layout->piece_count] = (AspNsgsPiece){form->group_start[g], group_size(form, g), layout->values};
    layout->piece_count++;
    layout->values += (size_t)group_size(form, g) * (size_t)block->size * (nsgs->bodies ? 2 : 1);
  }
}

static void meet_block(Layout *layout, int i, int stamp, bool store) {
  AspNsgs *nsgs = layout->nsgs;
  AspNsgsBlock *block = &nsgs->block[i];
  block->piece = layout->piece_count;
  for (int l = 0; l < block->size; l++) {
    meet_column(layout, stamp, &nsgs->form->V, block->first + l, block, store);
    if (nsgs->bodies && nsgs->form->F.value != nsgs->form->V.value)
      meet_column(layout, stamp, &nsgs->form->F, block->first + l, block, store);
  }
  block->pieces = layout->piece_count - block->piece;
}

/* V pieces and, with bodies, A^-1 F pieces of one block; its slots are in layout->slot. */
static void fill_block(Layout *layout, int i) {
  AspNsgs *nsgs = layout->nsgs;
  const AspForm *form = nsgs->form;
  const AspNsgsBlock *block = &nsgs->block[i];
  for (int l = 0; l < block->size; l++) {
    int column = block->first + l;
    for (int k = form->V.start[column]; k < form->V.start[column + 1]; k++) {
      const AspNsgsPiece *piece = &nsgs->piece[layout->slot[layout->group_of[form->V.row[k]]]];
      nsgs->value[piece->value + (size_t)(form->V.row[k] - piece->at + l * piece->height)] = form->V.value[k];
    }
    if (!nsgs->bodies)
      continue;
    for (int k = form->F.start[column]; k < form->F.start[column + 1]; k++) {
      const AspNsgsPiece *piece = &nsgs->piece[layout->slot[layout->group_of[form->F.row[k]]]];
      nsgs->value[piece->value + (size_t)(form->F.row[k] - piece->at + (block->size + l) * piece->height)] =
          form->F.value[k];
    }
  }
  for (int q = block->piece; nsgs->bodies && q < block->piece + block->pieces; q++) {
    const AspNsgsPiece *piece = &nsgs->piece[q];
    const double *LU = layout->factor + layout->at[layout->group_of[piece->at]];
    for (int l = 0; l < block->size; l++)
      asp_small_lu_solve(piece->height, LU, layout->pivot + piece->at,
                         nsgs->value + piece->value + (size_t)((block->size + l) * piece->height));
  }
}

/* Entry (k, l) of W_ii. */
static double local_entry(const AspNsgs *nsgs, const AspNsgsBlock *block, int k, int l) {
  double sum = 0;
  for (int q = block->piece; q < block->piece + block->pieces; q++) {
    const AspNsgsPiece *piece = &nsgs->piece[q];
    const double *V = nsgs->value + piece->value + (size_t)(k * piece->height);
    int column = block->first + l;
    if (nsgs->bodies) {
      const double *Y = nsgs->value + piece->value + (size_t)((block->size + l) * piece->height);
      for (int h = 0; h < piece->height; h++)
        sum += V[h] * Y[h];
    } else if (column >= piece->at && column < piece->at + piece->height)
      sum += V[column - piece->at];
  }
  return sum;
}

static void set_equality(AspNsgs *nsgs, AspNsgsBlock *block) {
  int n = block->size;
  double *W = nsgs->W + block->law, *LU = nsgs->LU + block->law, largest = 0;
  for (int l = 0; l < n; l++)
    for (int k = 0; k < n; k++) {
      W[k + l * n] = LU[k + l * n] = local_entry(nsgs, block, k, l);
      largest = fmax(largest, fabs(W[k + l * n]));
    }
  if (asp_small_lu(n, LU, nsgs->pivot + block->first))
    return;
  // redundant rows: a regularised solve in every sweep is a proximal iteration
  for (int k = 0; k < n * n; k++)
    LU[k] = W[k] + (k % (n + 1) == 0 ? fmax(NSGS_LAYOUT_EQUALITY_REGULARISATION * largest, DBL_MIN) : 0);
  if (asp_small_lu(n, LU, nsgs->pivot + block->first))
    return;
  for (int k = 0; k < n * n; k++) // nothing moves there
    LU[k] = k % (n + 1) == 0 ? 1 / DBL_EPSILON : 0;
  for (int k = 0; k < n; k++)
    nsgs->pivot[block->first + k] = k;
}

static void set_local(AspNsgs *nsgs, AspNsgsBlock *block) {
  double W[9] = {0};
  block->W = local_entry(nsgs, block, 0, 0);
  for (int k = 0; block->kind == ASP_LAW_BALL && k < block->size * block->size; k++)
    nsgs->W[block->law + k] = local_entry(nsgs, block, k % block->size, k / block->size);
  if (block->kind == ASP_LAW_EQUALITY)
    set_equality(nsgs, block);
  if (block->kind != ASP_LAW_COULOMB)
    return;
  for (int l = 0; l < block->size; l++)
    for (int k = 0; k < block->size; k++)
      W[k + 3 * l] = local_entry(nsgs, block, k, l);
  asp_local_contact_set(&nsgs->contact[block->law], block->size, W);
}

/* Bodies where A is block diagonal, else the condensed form. */
static AspError choose_form(AspNsgs *nsgs) {
  AspPrepared *p = nsgs->prepared;
  if (asp_prepared_has_bodies(p)) {
    ASP_TRY(asp_prepared_need_body(p));
    nsgs->bodies = p->body.grouped;
  }
  if (!nsgs->bodies)
    ASP_TRY(asp_prepared_need_condensed(p));
  nsgs->form = nsgs->bodies ? &p->body : &p->condensed;
  return ASP_OK;
}

static AspError take_vectors(AspNsgs *nsgs, AspArena *arena) {
  const AspPrepared *p = nsgs->prepared;
  size_t rows = (size_t)p->rows, equality = 0;
  int largest = 3;
  for (int i = 0; i < nsgs->blocks; i++) {
    AspNsgsBlock *block = &nsgs->block[i];
    largest = block->size > largest ? block->size : largest;
    if (block->kind != ASP_LAW_EQUALITY && block->kind != ASP_LAW_BALL)
      continue;
    block->law = (int)equality;
    equality += (size_t)block->size * (size_t)block->size;
  }
  nsgs->contact = ASP_TAKE(arena, AspLocalContact, p->contacts);
  nsgs->LU = ASP_TAKE(arena, double, equality);
  nsgs->W = ASP_TAKE(arena, double, equality);
  nsgs->pivot = ASP_TAKE(arena, int, rows);
  nsgs->state = ASP_TAKE(arena, double, rows);
  nsgs->r = ASP_TAKE(arena, double, rows);
  nsgs->age = ASP_TAKE(arena, double, nsgs->blocks);
  nsgs->u = ASP_TAKE(arena, double, largest);
  nsgs->trial = ASP_TAKE(arena, double, largest);
  nsgs->y = nsgs->bodies ? ASP_TAKE(arena, double, nsgs->form->n) : nsgs->state;
  nsgs->y_zero = ASP_TAKE(arena, double, nsgs->form->n);
  return nsgs->contact && nsgs->LU && nsgs->W && nsgs->pivot && nsgs->state && nsgs->r && nsgs->age && nsgs->u &&
                 nsgs->trial && nsgs->y && nsgs->y_zero
             ? ASP_OK
             : ASP_ERROR_MEMORY;
}

AspError asp_nsgs_take(AspNsgs *nsgs, SolverRun *run) {
  AspPrepared *prepared = run->prepared;
  *nsgs = (AspNsgs){.prepared = prepared, .rows = prepared->rows, .momentum = ASP_NSGS_MOMENTUM};
  ASP_TRY(choose_form(nsgs));
  const AspForm *form = nsgs->form;
  Layout layout = {.nsgs = nsgs, .arena = &run->space->scratch};
  nsgs->block = ASP_TAKE(layout.arena, AspNsgsBlock, prepared->blocks);
  layout.group_of = ASP_TAKE(layout.arena, int, form->n);
  layout.seen = ASP_TAKE(layout.arena, int, form->groups);
  layout.slot = ASP_TAKE(layout.arena, int, form->groups);
  if (!nsgs->block || !layout.group_of || !layout.seen || !layout.slot)
    return ASP_ERROR_MEMORY;
  for (int g = 0; g < form->groups; g++)
    for (int j = form->group_start[g]; j < form->group_start[g + 1]; j++)
      layout.group_of[j] = g;
  make_blocks(&layout);
  ASP_TRY(take_vectors(nsgs, layout.arena));
  if (nsgs->bodies)
    ASP_TRY(factor_groups(&layout));
  for (int i = 0; i < nsgs->blocks; i++)
    meet_block(&layout, i, i + 1, false);
  nsgs->piece = ASP_TAKE(layout.arena, AspNsgsPiece, layout.piece_count);
  nsgs->value = ASP_TAKE(layout.arena, double, layout.values);
  if (!nsgs->piece || !nsgs->value)
    return ASP_ERROR_MEMORY;
  layout.piece_count = 0;
  layout.values = 0;
  for (int i = 0; i < nsgs->blocks; i++) {
    meet_block(&layout, i, nsgs->blocks + i + 1, true);
    fill_block(&layout, i);
    set_local(nsgs, &nsgs->block[i]);
  }
  return ASP_OK;
}
