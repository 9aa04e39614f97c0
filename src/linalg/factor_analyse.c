/* Analysis of the sparse factorisation: from the pattern of A to the fronts, where everything will stand.
 *
 *   1  group equal indices, order the groups (factor_graph.c)
 *   2  elimination tree; which later vertices each vertex couples with
 *   3  merge vertices into fronts, also at the price of some stored zeros
 *   4  number the fronts so that children precede parents
 *   5  lay out rows, maps to the parents, maps from A's entries
 */
#include "linalg/factor_internal.h"
#include "linalg/tuning/linalg.h"

/* The elimination tree over the vertices, in elimination order, and the fronts that grow on it. */
typedef struct Tree {
  const FactorGraph *graph;
  int v;                /* vertices */
  int *order;           /* vertex eliminated i-th */
  int *position;        /* when a vertex is eliminated */
  int *parent;          /* by position; -1: root */
  int *child, *sibling; /* by position: children, last found first; -1 ends */
  int **list;           /* by position: later positions it couples with, and possibly earlier ones to skip */
  int *length;          /* of list */
  int *below;           /* by position: number of scalar indices that it couples with */
  int *alive;           /* by position: still a front of its own */
  int *width;           /* by position: scalar pivots of the front */
  double *zeros;        /* by position: stored zeros of the front */
  int *chain;           /* by position: the next vertex of the same front; -1 ends */
  int *head;            /* by position: the first vertex of the front that ends here */
} Tree;

static AspError tree_take(AspArena *arena, const FactorGraph *graph, Tree *tree) {
  size_t v = (size_t)graph->vertices;
  // exact: arrays of AMD
  int *work = ASP_TAKE(arena, int, 11 * v);
  *tree = (Tree){
      .graph = graph, .v = graph->vertices, .list = ASP_TAKE(arena, int *, v), .zeros = ASP_TAKE(arena, double, v)};
  if (!work || !tree->list || !tree->zeros)
    return ASP_ERROR_MEMORY;
  int **parts[] = {&tree->order, &tree->position, &tree->parent, &tree->child, &tree->sibling, &tree->length,
                   &tree->below, &tree->alive,    &tree->width,  &tree->chain, &tree->head};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    *parts[k] = work + k * v;
  return ASP_OK;
}

/* Parents in the elimination tree (Liu's algorithm with compressed paths; `length` serves as ancestor). */
static void find_parents(Tree *t) {
  int *ancestor = t->length;
  for (int i = 0; i < t->v; i++) {
    t->position[t->order[i]] = i;
    t->parent[i] = ancestor[i] = -1;
  }
  for (int i = 0; i < t->v; i++) {
    int vertex = t->order[i];
    for (int k = t->graph->start[vertex]; k < t->graph->start[vertex + 1]; k++) {
      int j = t->position[t->graph->neighbour[k]];
      while (j >= 0 && j < i) {
        int next = ancestor[j];
        ancestor[j] = i;
        if (next < 0)
          t->parent[j] = i;
        j = next;
      }
    }
  }
}

/* Renumber the positions so that every subtree is contiguous: children stand right before their parents. */
static AspError postorder(AspArena *arena, Tree *t) {
  int v = t->v;
  int *order = ASP_TAKE(arena, int, v), *parent = ASP_TAKE(arena, int, v), *stack = ASP_TAKE(arena, int, (size_t)v + 1);
  int *renamed = ASP_TAKE(arena, int, v);
  if (!order || !parent || !stack || !renamed)
    return ASP_ERROR_MEMORY;
  int root = -1;
  for (int i = 0; i < v; i++)
    t->child[i] = -1;
  for (int i = v - 1; i >= 0; i--) {
    int *list = t->parent[i] < 0 ? &root : &t->child[t->parent[i]];
    t->sibling[i] = *list;
    *list = i;
  }
  int count = 0, depth = 0;
  for (int r = root; r >= 0; r = t->sibling[r]) {
    stack[depth++] = r;
    while (depth > 0) {
      int i = stack[depth - 1], c = t->child[i];
      if (c >= 0) {
        t->child[i] = t->sibling[c];
        stack[depth++] = c;
      } else {
        renamed[i] = count++;
        depth--;
      }
    }
  }
  for (int i = 0; i < v; i++) {
    order[renamed[i]] = t->order[i];
    parent[renamed[i]] = t->parent[i] < 0 ? -1 : renamed[t->parent[i]];
  }
  memcpy(t->order, order, (size_t)v * sizeof *order);
  memcpy(t->parent, parent, (size_t)v * sizeof *parent);
  for (int i = 0; i < v; i++)
    t->position[t->order[i]] = i;
  return ASP_OK;
}

/* ---- 2: what every vertex couples with ---- */

static void add_unseen(const Tree *t, int i, int j, int *seen, int *found, int *count, int *weight) {
  if (j <= i || seen[j] == i + 1)
    return;
  seen[j] = i + 1;
  found[(*count)++] = j;
  *weight += t->graph->weight[t->order[j]];
}

/* Vertex i couples with what its only child i - 1 couples with, but for i itself: true when all later neighbours of i
 * are marked in `seen` as being in that child's list. */
static bool continues_child(const Tree *t, int i, const int *seen, int mark) {
  if (t->child[i] != i - 1 || i == 0 || t->sibling[i - 1] >= 0)
    return false;
  int vertex = t->order[i];
  for (int k = t->graph->start[vertex]; k < t->graph->start[vertex + 1]; k++) {
    int j = t->position[t->graph->neighbour[k]];
    if (j > i && seen[j] != mark)
      return false;
  }
  return true;
}

/* What vertex i couples with: its later neighbours and what its children couple with. */
static AspError collect_list(AspArena *arena, Tree *t, int i, int *seen, int *found) {
  int vertex = t->order[i], count = 0;
  for (int k = t->graph->start[vertex]; k < t->graph->start[vertex + 1]; k++)
    add_unseen(t, i, t->position[t->graph->neighbour[k]], seen, found, &count, &t->below[i]);
  for (int c = t->child[i]; c >= 0; c = t->sibling[c])
    for (int k = 0; k < t->length[c]; k++)
      add_unseen(t, i, t->list[c][k], seen, found, &count, &t->below[i]);
  t->list[i] = ASP_TAKE(arena, int, count);
  if (!t->list[i])
    return ASP_ERROR_MEMORY;
  memcpy(t->list[i], found, (size_t)count * sizeof *found);
  t->length[i] = count;
  return ASP_OK;
}

static AspError find_structure(AspArena *arena, Tree *t) {
  int *seen = ASP_TAKE(arena, int, t->v), *found = ASP_TAKE(arena, int, t->v), mark = 0;
  if (!seen || !found)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < t->v; i++)
    t->child[i] = t->sibling[i] = -1;
  for (int i = 0; i < t->v; i++) {
    if (continues_child(t, i, seen, mark)) {
      t->list[i] = t->list[i - 1];
      t->length[i] = t->length[i - 1];
      t->below[i] = t->below[i - 1] - t->graph->weight[t->order[i]];
    } else {
      ASP_TRY(collect_list(arena, t, i, seen, found));
      mark = i + 1;
    }
    if (t->parent[i] >= 0) {
      t->sibling[i] = t->child[t->parent[i]];
      t->child[t->parent[i]] = i;
    }
  }
  return ASP_OK;
}

/* ---- 3: fronts ---- */

/* Entries of a symmetric front's factor. */
static double front_entries(double width, double below) { return width * (width + 1) / 2 + width * below; }

/* Whether a front of this many pivots may hold this share of zeros. Computing with a few zeros costs less than another
 * front; the time hardly depends on the thresholds. */
static bool worth_merging(double width, double zeros, double entries) {
  return zeros == 0 || entries <= FACTOR_ANALYSE_SMALL ||
         zeros < (width <= 12 ? FACTOR_ANALYSE_ZEROS_NARROW : FACTOR_ANALYSE_ZEROS_WIDE) * entries;
}

static void merge_fronts(Tree *t) {
  for (int i = 0; i < t->v; i++) {
    t->alive[i] = 1;
    t->width[i] = t->graph->weight[t->order[i]];
    t->head[i] = i;
    t->chain[i] = -1;
    int *link = &t->child[i];
    while (*link >= 0) {
      int c = *link;
      double width = t->width[c] + t->width[i];
      double entries = front_entries(width, t->below[i]);
      double zeros = t->zeros[c] + t->zeros[i] + entries - front_entries(t->width[c], t->below[c]) -
                     front_entries(t->width[i], t->below[i]);
      if (!worth_merging(width, zeros, entries)) {
        link = &t->sibling[c];
        continue;
      }
      // c's vertices come first; its children take its place among the children of i
      t->alive[c] = 0;
      t->width[i] = (int)width;
      t->zeros[i] = zeros;
      t->chain[c] = t->head[i];
      t->head[i] = t->head[c];
      int next = t->sibling[c], grandchild = t->child[c];
      if (grandchild < 0) {
        *link = next;
        continue;
      }
      *link = grandchild;
      while (t->sibling[grandchild] >= 0)
        grandchild = t->sibling[grandchild];
      t->sibling[grandchild] = next;
      link = &t->sibling[grandchild];
    }
  }
}

/* ---- 4 and 5: numbers and layout ---- */

/* Fronts in the order of their last vertices: children first, since those are numbered in postorder. */
static AspError number_fronts(AspFactor *f, AspArena *scratch, const Tree *t, int **top_out) {
  AspArena *arena = &f->symbolic;
  int *top = ASP_TAKE(scratch, int, t->v), *front_of = ASP_TAKE(scratch, int, t->v);
  for (int i = 0; i < t->v; i++)
    f->fronts += t->alive[i];
  f->front = ASP_TAKE(arena, Front, f->fronts);
  f->child = ASP_TAKE(arena, int, f->fronts);
  f->order = ASP_TAKE(arena, int, f->n);
  f->inverse = ASP_TAKE(arena, int, f->n);
  if (!top || !front_of || !f->front || !f->child || !f->order || !f->inverse)
    return ASP_ERROR_MEMORY;
  int count = 0, pivot = 0, child = 0;
  for (int i = 0; i < t->v; i++) {
    if (!t->alive[i])
      continue;
    Front *front = &f->front[count];
    *front = (Front){.first = pivot, .width = t->width[i], .below = t->below[i], .parent = -1, .first_child = child};
    for (int j = t->head[i]; j >= 0; j = t->chain[j]) {
      int vertex = t->order[j];
      for (int k = t->graph->member_start[vertex]; k < t->graph->member_start[vertex + 1]; k++) {
        f->order[pivot] = t->graph->member[k];
        f->inverse[t->graph->member[k]] = pivot++;
      }
    }
    for (int c = t->child[i]; c >= 0; c = t->sibling[c]) {
      f->child[child++] = front_of[c];
      f->front[front_of[c]].parent = count;
    }
    front->end_child = child;
    front_of[i] = count;
    top[count++] = i;
  }
  for (int s = f->fronts - 1; s >= 0; s--)
    f->front[s].side = f->front[s].parent < 0 ? 0 : 1 - f->front[f->front[s].parent].side;
  *top_out = top;
  return ASP_OK;
}

/* Ascending; lists are short and nearly sorted. */
static void sort_indices(int count, int *x) {
  for (int gap = count / 2; gap > 0; gap = gap > 2 ? (int)(gap / FACTOR_ANALYSE_SORT_GAP) : gap - 1)
    for (int i = gap; i < count; i++) {
      int value = x[i], k = i;
      for (; k >= gap && x[k - gap] > value; k -= gap)
        x[k] = x[k - gap];
      x[k] = value;
    }
}

/* The rows below each front: the vertices of its last vertex's list, as pivots. */
static AspError list_rows(AspFactor *f, const Tree *t, const int *top) {
  size_t total = 0;
  for (int s = 0; s < f->fronts; s++)
    total += (size_t)f->front[s].below;
  if (total > INT32_MAX)
    return asp_fail(f->context, ASP_ERROR_UNSUPPORTED, "the factors of a matrix of size %d are too large", f->n);
  f->row = ASP_TAKE(&f->symbolic, int, total);
  if (!f->row)
    return ASP_ERROR_MEMORY;
  int place = 0;
  for (int s = 0; s < f->fronts; s++) {
    int i = top[s];
    f->front[s].rows = place;
    for (int k = 0; k < t->length[i]; k++) {
      if (t->list[i][k] <= i)
        continue;
      int vertex = t->order[t->list[i][k]];
      for (int m = t->graph->member_start[vertex]; m < t->graph->member_start[vertex + 1]; m++)
        f->row[place++] = f->inverse[t->graph->member[m]];
    }
    sort_indices(f->front[s].below, f->row + f->front[s].rows);
  }
  return ASP_OK;
}

/* Where row `pivot` of a front's Schur complement stands in the parent; *next walks along the parent's rows. */
static int place_in_parent(const AspFactor *f, const Front *parent, int pivot, int *next) {
  if (pivot < parent->first + parent->width)
    return pivot - parent->first;
  while (f->row[parent->rows + *next] != pivot)
    (*next)++;
  return parent->width + *next;
}

/* How each front's rows stand in its parent, as runs; own pivots of the parent and its rows below are kept apart.
 * With f->run = NULL it only counts. */
static int map_to_parents(AspFactor *f) {
  int count = 0;
  for (int s = 0; s < f->fronts; s++) {
    Front *front = &f->front[s];
    front->first_run = front->own_runs = count;
    int next = 0, end = -1, width = front->parent < 0 ? 0 : f->front[front->parent].width;
    for (int k = 0; k < front->below; k++) {
      int to = place_in_parent(f, &f->front[front->parent], f->row[front->rows + k], &next);
      if (to != end || to == width) {
        if (f->run)
          f->run[count] = (AspRun){.from = k, .to = to};
        count++;
      }
      if (f->run)
        f->run[count - 1].length++;
      if (to < width)
        front->own_runs = count;
      end = to + 1;
    }
    front->end_run = count;
  }
  return count;
}

static size_t schur_values(const Front *front) {
  return (size_t)front->below * (size_t)asp_padded_from_0(front->below);
}

/* Sizes of the values and of the two stacks on which Schur complements wait for their parents. */
static AspError lay_out_values(AspFactor *f) {
  size_t used[2] = {0, 0};
  f->value_count = f->stack_count[0] = f->stack_count[1] = f->scratch_count = f->inverse_count = 0;
  f->tallest = 0;
  for (int s = 0; s < f->fronts; s++) {
    Front *front = &f->front[s];
    size_t values = asp_front_values(front->width, front->below, f->kind == ASP_FACTOR_LU);
    size_t scratch = asp_front_scratch(front->width, front->below);
    if (values > INT32_MAX)
      return asp_fail(f->context, ASP_ERROR_UNSUPPORTED, "the factors of a matrix of size %d are too large", f->n);
    front->values = f->value_count;
    f->value_count += values;
    front->inverse = f->inverse_count;
    f->inverse_count += (size_t)(front->width + front->below) * (size_t)asp_padded(front->width + front->below);
    front->schur = used[front->side];
    used[front->side] += schur_values(front);
    if (used[front->side] > f->stack_count[front->side])
      f->stack_count[front->side] = used[front->side];
    for (int c = front->first_child; c < front->end_child; c++)
      used[1 - front->side] -= schur_values(&f->front[f->child[c]]);
    f->scratch_count = scratch > f->scratch_count ? scratch : f->scratch_count;
    f->tallest = front->width + front->below > f->tallest ? front->width + front->below : f->tallest;
  }
  return ASP_OK;
}

/* The front that holds entry (i, j) of A, or -1 for one that is not read (above the diagonal in LDLT). */
static int front_of_entry(const AspFactor *f, const int *front_of, int i, int j) {
  if (f->kind == ASP_FACTOR_LDLT && i < j)
    return -1;
  int a = f->inverse[i], b = f->inverse[j];
  return front_of[a < b ? a : b];
}

static AspError map_entries(AspFactor *f, AspArena *scratch, const AspSparse *A) {
  int *front_of = ASP_TAKE(&f->symbolic, int, f->n), *local = ASP_TAKE(scratch, int, f->n);
  int *column = ASP_TAKE(scratch, int, f->entries), *next = ASP_TAKE(scratch, int, f->fronts);
  f->front_of = front_of;
  f->entry = ASP_TAKE(&f->symbolic, int, f->entries);
  f->place = ASP_TAKE(&f->symbolic, int, f->entries);
  if (!front_of || !local || !column || !next || !f->entry || !f->place)
    return ASP_ERROR_MEMORY;
  for (int s = 0; s < f->fronts; s++)
    for (int p = f->front[s].first; p < f->front[s].first + f->front[s].width; p++)
      front_of[p] = s;
  for (int j = 0; j < f->n; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++) {
      int s = front_of_entry(f, front_of, A->row[k], j);
      if (s >= 0)
        f->front[s].end_entry++;
    }
  for (int s = 0, sum = 0; s < f->fronts; s++) {
    f->front[s].first_entry = next[s] = sum;
    sum += f->front[s].end_entry;
    f->front[s].end_entry = sum;
  }
  for (int j = 0; j < f->n; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++) {
      int s = front_of_entry(f, front_of, A->row[k], j);
      if (s < 0)
        continue;
      column[next[s]] = j;
      f->entry[next[s]++] = k;
    }
  for (int s = 0; s < f->fronts; s++) {
    const Front *front = &f->front[s];
    int ld = asp_padded(front->width + front->below), ldu = asp_padded_from_0(front->below);
    for (int k = 0; k < front->width; k++)
      local[front->first + k] = k;
    for (int k = 0; k < front->below; k++)
      local[f->row[front->rows + k]] = front->width + k;
    for (int e = front->first_entry; e < front->end_entry; e++) {
      int i = local[f->inverse[A->row[f->entry[e]]]], j = local[f->inverse[column[e]]];
      if (f->kind == ASP_FACTOR_LDLT)
        f->place[e] = i > j ? i + j * ld : j + i * ld;
      else
        f->place[e] = j < front->width ? i + j * ld : ld * front->width + (j - front->width) + i * ldu;
    }
  }
  return ASP_OK;
}

/* Room for `count` values; what was there is forgotten. */
static AspError make_room(AspFactor *f, double **array, size_t *room, size_t count) {
  size_t wanted = count < 2 * *room ? 2 * *room : count;
  if (count <= *room)
    return ASP_OK;
  asp_release(f->context, *array);
  *room = 0;
  *array = asp_allocate_uncleared(f->context, wanted, sizeof **array);
  if (!*array)
    return ASP_ERROR_MEMORY;
  *room = wanted;
  return ASP_OK;
}

/* The large arrays are grown, not taken from the arena: they need no clearing and stay for the next analysis. */
static AspError take_values(AspFactor *f) {
  AspArena *arena = &f->symbolic;
  ASP_TRY(make_room(f, &f->value, &f->value_room, f->value_count));
  ASP_TRY(make_room(f, &f->stack[0], &f->stack_room[0], f->stack_count[0]));
  ASP_TRY(make_room(f, &f->stack[1], &f->stack_room[1], f->stack_count[1]));
  ASP_TRY(make_room(f, &f->front_scratch, &f->scratch_room, f->scratch_count));
  f->inverse_pivot = ASP_TAKE(arena, double, f->n);
  f->size = ASP_TAKE(arena, double, f->n);
  f->least = ASP_TAKE(arena, double, f->n);
  f->sign = ASP_TAKE(arena, signed char, f->n);
  f->exchange = ASP_TAKE(arena, int, f->n);
  f->reached = ASP_TAKE(arena, bool, f->fronts);
  f->solve_x = ASP_TAKE(arena, double, (size_t)f->n *FACTOR_PANEL);
  f->solve_front = ASP_TAKE(arena, double, (size_t)asp_padded(f->tallest) * FACTOR_PANEL);
  return f->inverse_pivot && f->size && f->least && f->sign && f->exchange && f->reached && f->solve_x && f->solve_front
             ? ASP_OK
             : ASP_ERROR_MEMORY;
}

/* Was this pattern analysed last? */
static bool is_known(const AspFactor *f, AspFactorKind kind, int definite, const AspSparse *A) {
  size_t n = (size_t)A->columns, entries = (size_t)asp_sparse_entries(A);
  return f->analysed && n > 0 && f->kind == kind && f->definite == definite && f->n == A->columns &&
         (size_t)f->entries == entries && memcmp(f->pattern, A->start + 1, n * sizeof(int)) == 0 &&
         (entries == 0 || memcmp(f->pattern + n, A->row, entries * sizeof(int)) == 0);
}

static AspError remember(AspFactor *f, const AspSparse *A) {
  size_t n = (size_t)A->columns, entries = (size_t)asp_sparse_entries(A);
  f->pattern = ASP_TAKE(&f->symbolic, int, n + entries);
  if (!f->pattern)
    return ASP_ERROR_MEMORY;
  if (A->columns > 0)
    memcpy(f->pattern, A->start + 1, n * sizeof(int));
  if (entries > 0)
    memcpy(f->pattern + n, A->row, entries * sizeof(int));
  return ASP_OK;
}

/* definite < 0: not a saddle matrix. */
static AspError analyse(AspFactor *f, AspFactorKind kind, int definite, const AspSparse *A) {
  if (A->rows != A->columns)
    return asp_fail(f->context, ASP_ERROR_ARGUMENT, "a %d x %d matrix cannot be factored, must be square", A->rows,
                    A->columns);
  f->computed = false;
  if (is_known(f, kind, definite, A))
    return ASP_OK;
  f->analysed = false;
  f->kind = kind;
  f->definite = definite;
  f->n = A->columns;
  f->entries = asp_sparse_entries(A);
  f->fronts = 0;
  asp_arena_reset(&f->symbolic);
  asp_arena_reset(&f->scratch);
  FactorGraph graph;
  Tree tree;
  int *top;
  ASP_TRY(asp_factor_graph(&f->scratch, A, &graph));
  ASP_TRY(tree_take(&f->scratch, &graph, &tree));
  if (definite < 0)
    ASP_TRY(asp_factor_order(&f->scratch, &graph, tree.order));
  else
    ASP_TRY(asp_factor_order_saddle(&f->scratch, &graph, definite, tree.order));
  find_parents(&tree);
  ASP_TRY(postorder(&f->scratch, &tree));
  ASP_TRY(find_structure(&f->scratch, &tree));
  merge_fronts(&tree);
  ASP_TRY(number_fronts(f, &f->scratch, &tree, &top));
  ASP_TRY(list_rows(f, &tree, top));
  f->run = NULL;
  int runs = map_to_parents(f);
  f->run = ASP_TAKE(&f->symbolic, AspRun, runs);
  if (!f->run)
    return ASP_ERROR_MEMORY;
  map_to_parents(f);
  ASP_TRY(lay_out_values(f));
  ASP_TRY(map_entries(f, &f->scratch, A));
  ASP_TRY(take_values(f));
  ASP_TRY(remember(f, A));
  f->analysed = true;
  return ASP_OK;
}

AspError asp_factor_analyse(AspFactor *f, AspFactorKind kind, const AspSparse *A) { return analyse(f, kind, -1, A); }

AspError asp_factor_analyse_saddle(AspFactor *f, int definite, const AspSparse *A) {
  return analyse(f, ASP_FACTOR_LDLT, definite, A);
}

size_t asp_factor_entries(const AspFactor *f) { return f->value_count; }

void asp_factor_forget(AspFactor *f) { f->analysed = f->computed = false; }
