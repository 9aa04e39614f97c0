/* The graph that the sparse factorisation orders: indices of A with equal rows are one vertex, so that the ordering
 * and the analysis of a matrix of 6x6 blocks cost what the matrix of its bodies costs. */
#include "linalg/factor_internal.h"

/* Neighbours of every index of A in A + A^T, ascending, without the index itself. */
static AspError index_neighbours(AspArena *arena, const AspSparse *A, int **start_out, int **neighbour_out) {
  int n = A->columns, entries = asp_sparse_entries(A), kept = 0;
  int *start = ASP_TAKE(arena, int, (size_t)n + 1), *neighbour = ASP_TAKE(arena, int, 2 * (size_t)entries);
  AspSparse T;
  ASP_TRY(asp_sparse_take(arena, n, n, entries, &T));
  if (!start || !neighbour)
    return ASP_ERROR_MEMORY;
  asp_sparse_transpose(A, &T, NULL);
  for (int j = 0; j < n; j++) {
    int a = A->start[j], end_a = A->start[j + 1], t = T.start[j], end_t = T.start[j + 1];
    while (a < end_a || t < end_t) {
      int from_a = a < end_a ? A->row[a] : n, from_t = t < end_t ? T.row[t] : n;
      int i = from_a < from_t ? from_a : from_t;
      a += from_a == i;
      t += from_t == i;
      neighbour[kept] = i;
      kept += i != j;
    }
    start[j + 1] = kept;
  }
  *start_out = start;
  *neighbour_out = neighbour;
  return ASP_OK;
}

/* A number that equal closed neighbourhoods have in common. */
static void hash_neighbourhoods(int n, const int *start, const int *neighbour, uint64_t *hash) {
  for (int i = 0; i < n; i++) {
    AspRandom self = {(uint64_t)i};
    hash[i] = asp_random_bits(&self);
  }
  uint64_t *sum = hash + n;
  for (int i = 0; i < n; i++) {
    sum[i] = hash[i];
    for (int k = start[i]; k < start[i + 1]; k++)
      sum[i] += hash[neighbour[k]];
  }
}

/* group[i]: the vertex that index i belongs to. Two indices share one when they are neighbours and have the same
 * neighbours. Returns the number of vertices. */
static int group_indices(int n, const int *start, const int *neighbour, const uint64_t *hash, int *seen, int *group) {
  int vertices = 0;
  for (int i = 0; i < n; i++)
    group[i] = -1;
  memset(seen, 0, (size_t)n * sizeof *seen);
  for (int i = 0; i < n; i++) {
    if (group[i] >= 0)
      continue;
    bool marked = false;
    group[i] = vertices;
    for (int k = start[i]; k < start[i + 1]; k++) {
      int j = neighbour[k];
      if (group[j] >= 0 || hash[j] != hash[i] || start[j + 1] - start[j] != start[i + 1] - start[i])
        continue;
      for (int l = start[i]; !marked && l < start[i + 1]; l++)
        seen[neighbour[l]] = i + 1;
      marked = true;
      seen[i] = i + 1;
      bool equal = true;
      for (int l = start[j]; equal && l < start[j + 1]; l++)
        equal = seen[neighbour[l]] == i + 1;
      if (equal)
        group[j] = vertices;
    }
    vertices++;
  }
  return vertices;
}

/* Lists of the members of each vertex, and the neighbours of a vertex as those of its first member. */
static void fill_graph(int n, const int *start, const int *neighbour, const int *group, int *seen, FactorGraph *graph) {
  for (int i = 0; i < n; i++)
    graph->weight[group[i]]++;
  for (int v = 0; v < graph->vertices; v++)
    graph->member_start[v + 1] = graph->member_start[v] + graph->weight[v];
  memset(graph->weight, 0, (size_t)graph->vertices * sizeof *graph->weight);
  for (int i = 0; i < n; i++)
    graph->member[graph->member_start[group[i]] + graph->weight[group[i]]++] = i;
  memset(seen, 0, (size_t)n * sizeof *seen);
  int kept = 0;
  for (int v = 0; v < graph->vertices; v++) {
    int i = graph->member[graph->member_start[v]];
    seen[v] = v + 1;
    for (int k = start[i]; k < start[i + 1]; k++) {
      int other = group[neighbour[k]];
      if (seen[other] == v + 1)
        continue;
      seen[other] = v + 1;
      graph->neighbour[kept++] = other;
    }
    graph->start[v + 1] = kept;
  }
}

AspError asp_factor_graph(AspArena *arena, const AspSparse *A, FactorGraph *graph) {
  int n = A->columns, *start, *neighbour;
  ASP_TRY(index_neighbours(arena, A, &start, &neighbour));
  uint64_t *hash = ASP_TAKE(arena, uint64_t, 2 * (size_t)n);
  int *group = ASP_TAKE(arena, int, n), *seen = ASP_TAKE(arena, int, n);
  if (!hash || !group || !seen)
    return ASP_ERROR_MEMORY;
  hash_neighbourhoods(n, start, neighbour, hash);
  int vertices = group_indices(n, start, neighbour, hash + n, seen, group);
  *graph = (FactorGraph){.vertices = vertices,
                         .start = ASP_TAKE(arena, int, (size_t)vertices + 1),
                         .neighbour = ASP_TAKE(arena, int, start[n]),
                         .weight = ASP_TAKE(arena, int, vertices),
                         .member_start = ASP_TAKE(arena, int, (size_t)vertices + 1),
                         .member = ASP_TAKE(arena, int, n)};
  if (!graph->start || !graph->neighbour || !graph->weight || !graph->member_start || !graph->member)
    return ASP_ERROR_MEMORY;
  fill_graph(n, start, neighbour, group, seen, graph);
  return ASP_OK;
}

/* ---- saddle matrices ---- */

/* The vertices of M and how the others couple them. */
typedef struct SaddleGraph {
  const FactorGraph *graph;
  int count;   /* vertices of M */
  int *place;  /* vertices: place among those of M; -1: a vertex of H^T */
  int *vertex; /* count: their vertex */
} SaddleGraph;

static bool is_of_rows(const SaddleGraph *s, int v) { return s->place[v] < 0; }

/* The neighbours of vertex v of M when the vertices of H^T that it couples with are left out and all that these couple
 * with are coupled. With list = NULL it only counts. */
static int couple(const SaddleGraph *s, int v, int *seen, int *list) {
  const FactorGraph *g = s->graph;
  int count = 0;
  seen[v] = v + 1;
  for (int k = g->start[v]; k < g->start[v + 1]; k++) {
    int w = g->neighbour[k], one[1] = {w};
    const int *next = is_of_rows(s, w) ? g->neighbour + g->start[w] : one;
    int many = is_of_rows(s, w) ? g->start[w + 1] - g->start[w] : 1;
    for (int l = 0; l < many; l++) {
      if (is_of_rows(s, next[l]) || seen[next[l]] == v + 1)
        continue;
      seen[next[l]] = v + 1;
      if (list)
        list[count] = s->place[next[l]];
      count++;
    }
  }
  return count;
}

static AspError couple_vertices(AspArena *arena, const SaddleGraph *s, FactorGraph *of_M) {
  int *seen = ASP_TAKE(arena, int, s->graph->vertices);
  *of_M = (FactorGraph){.vertices = s->count, .start = ASP_TAKE(arena, int, (size_t)s->count + 1)};
  if (!seen || !of_M->start)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < s->count; i++) {
    int more = couple(s, s->vertex[i], seen, NULL);
    if (more > INT32_MAX - of_M->start[i])
      return asp_fail(arena->context, ASP_ERROR_UNSUPPORTED, "a saddle matrix of %d groups is too full to order",
                      s->graph->vertices);
    of_M->start[i + 1] = of_M->start[i] + more;
  }
  memset(seen, 0, (size_t)s->graph->vertices * sizeof *seen);
  of_M->neighbour = ASP_TAKE(arena, int, of_M->start[s->count]);
  if (!of_M->neighbour)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < s->count; i++)
    couple(s, s->vertex[i], seen, of_M->neighbour + of_M->start[i]);
  return ASP_OK;
}

/* Those of M in their order, each vertex of H^T behind the last one of M that it couples with. */
static AspError interleave(AspArena *arena, const SaddleGraph *s, const int *order_of_M, int *order) {
  const FactorGraph *g = s->graph;
  int *left = ASP_TAKE(arena, int, g->vertices), at = 0;
  if (!left)
    return ASP_ERROR_MEMORY;
  for (int v = 0; v < g->vertices; v++)
    for (int k = g->start[v]; is_of_rows(s, v) && k < g->start[v + 1]; k++)
      left[v] += !is_of_rows(s, g->neighbour[k]);
  for (int i = 0; i < s->count; i++) {
    int v = s->vertex[order_of_M[i]];
    order[at++] = v;
    for (int k = g->start[v]; k < g->start[v + 1]; k++)
      if (is_of_rows(s, g->neighbour[k]) && --left[g->neighbour[k]] == 0) {
        left[g->neighbour[k]] = -1;
        order[at++] = g->neighbour[k];
      }
  }
  for (int v = 0; v < g->vertices; v++)
    if (is_of_rows(s, v) && left[v] == 0) // couples with nothing
      order[at++] = v;
  return ASP_OK;
}

AspError asp_factor_order_saddle(AspArena *arena, const FactorGraph *graph, int definite, int *order) {
  SaddleGraph s = {
      .graph = graph, .place = ASP_TAKE(arena, int, graph->vertices), .vertex = ASP_TAKE(arena, int, graph->vertices)};
  int *order_of_M = ASP_TAKE(arena, int, graph->vertices);
  FactorGraph of_M;
  if (!s.place || !s.vertex || !order_of_M)
    return ASP_ERROR_MEMORY;
  for (int v = 0; v < graph->vertices; v++) {
    bool of_rows = graph->member[graph->member_start[v]] >= definite; // members ascend
    s.place[v] = of_rows ? -1 : s.count;
    if (!of_rows)
      s.vertex[s.count++] = v;
  }
  ASP_TRY(couple_vertices(arena, &s, &of_M));
  bool done;
  ASP_TRY(asp_factor_order_leaves(arena, &of_M, order_of_M, &done));
  if (!done)
    ASP_TRY(asp_factor_order(arena, &of_M, order_of_M));
  return interleave(arena, &s, order_of_M, order);
}
