/* An order of elimination with little fill, for builds without libamd: minimum degree on the quotient graph with the
 * approximate degrees of P. Amestoy, T. Davis, I. Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886-905, section 4.
 *
 * A vertex that is eliminated becomes an element: the list L_e of the vertices that it couples. Elements that it knew
 * are part of it and vanish. For every vertex u of L_e,
 *
 *   d_u = |A_u| + |L_e| - 1 + sum over the other elements x of u of |L_x \ L_e|
 *
 * bounds its degree from above. Next is a vertex of smallest d_u. Equal vertices are one vertex before this begins
 * (factor_graph.c). Depends on base.
 */
#include "linalg/factor_internal.h"

typedef struct Quotient {
  AspArena *arena;
  int vertices;
  int *start;          /* vertices: first entry of its list: elements, then vertices */
  int *list;           /* vertices that are left and elements that they belong to */
  int *elements;       /* vertices: how many of its entries are elements */
  int *length;         /* vertices: entries of its list */
  int **member;        /* vertices: L_e of an element, NULL where it is none (any more) */
  int *members;        /* vertices: |L_e| */
  bool *done;          /* vertices: eliminated */
  int *seen;           /* vertices: marks */
  int mark;            /* the last one given */
  int *outside;        /* vertices: |L_x \ L_e| of elements marked in this elimination */
  int *outside_mark;   /* vertices */
  int *degree;         /* vertices */
  int *head;           /* vertices: a vertex of that degree, -1: none */
  int *after, *before; /* vertices: its neighbours in the list of its degree */
} Quotient;

static void unlink_vertex(Quotient *g, int v) {
  if (g->before[v] >= 0)
    g->after[g->before[v]] = g->after[v];
  else
    g->head[g->degree[v]] = g->after[v];
  if (g->after[v] >= 0)
    g->before[g->after[v]] = g->before[v];
}

static void link_vertex(Quotient *g, int v, int degree) {
  g->degree[v] = degree;
  g->before[v] = -1;
  g->after[v] = g->head[degree];
  if (g->after[v] >= 0)
    g->before[g->after[v]] = v;
  g->head[degree] = v;
}

static AspError take_quotient(AspArena *arena, const FactorGraph *graph, Quotient *g) {
  size_t v = (size_t)graph->vertices;
  *g = (Quotient){.arena = arena,
                  .vertices = graph->vertices,
                  .start = ASP_TAKE(arena, int, v + 1),
                  .list = ASP_TAKE(arena, int, (size_t)graph->start[v] + 1),
                  .elements = ASP_TAKE(arena, int, v),
                  .length = ASP_TAKE(arena, int, v),
                  .member = ASP_TAKE(arena, int *, v),
                  .members = ASP_TAKE(arena, int, v),
                  .done = ASP_TAKE(arena, bool, v),
                  .seen = ASP_TAKE(arena, int, v),
                  .outside = ASP_TAKE(arena, int, v),
                  .outside_mark = ASP_TAKE(arena, int, v),
                  .degree = ASP_TAKE(arena, int, v),
                  .head = ASP_TAKE(arena, int, v),
                  .after = ASP_TAKE(arena, int, v),
                  .before = ASP_TAKE(arena, int, v)};
  if (!g->start || !g->list || !g->elements || !g->length || !g->member || !g->members || !g->done || !g->seen ||
      !g->outside || !g->outside_mark || !g->degree || !g->head || !g->after || !g->before)
    return ASP_ERROR_MEMORY;
  memcpy(g->start, graph->start, (v + 1) * sizeof *g->start);
  if (graph->start[v] > 0)
    memcpy(g->list, graph->neighbour, (size_t)graph->start[v] * sizeof *g->list);
  for (size_t i = 0; i < v; i++)
    g->head[i] = -1;
  for (int i = graph->vertices - 1; i >= 0; i--) {
    g->length[i] = graph->start[i + 1] - graph->start[i];
    link_vertex(g, i, g->length[i]);
  }
  return ASP_OK;
}

static void collect(Quotient *g, int v, int *member, int *count) {
  if (g->done[v] || g->seen[v] == g->mark)
    return;
  g->seen[v] = g->mark;
  member[(*count)++] = v;
}

/* L_e of vertex e: its neighbours and those of its elements, which it takes in. */
static AspError make_element(Quotient *g, int e) {
  const int *list = g->list + g->start[e];
  int most = g->length[e] - g->elements[e], count = 0;
  for (int k = 0; k < g->elements[e]; k++)
    most += g->members[list[k]];
  int *member = ASP_TAKE(g->arena, int, (size_t)most + 1);
  if (!member)
    return ASP_ERROR_MEMORY;
  g->done[e] = true;
  g->mark++;
  for (int k = 0; k < g->elements[e]; k++) {
    for (int l = 0; g->member[list[k]] && l < g->members[list[k]]; l++)
      collect(g, g->member[list[k]][l], member, &count);
    g->member[list[k]] = NULL;
  }
  for (int k = g->elements[e]; k < g->length[e]; k++)
    collect(g, list[k], member, &count);
  g->member[e] = member;
  g->members[e] = count;
  return ASP_OK;
}

/* |L_x \ L_e| of every element x that shares a vertex with e */
static void measure_elements(Quotient *g, int e) {
  for (int i = 0; i < g->members[e]; i++) {
    int u = g->member[e][i];
    const int *list = g->list + g->start[u];
    for (int k = 0; k < g->elements[u]; k++) {
      int x = list[k];
      if (!g->member[x])
        continue;
      if (g->outside_mark[x] != g->mark) {
        g->outside_mark[x] = g->mark;
        g->outside[x] = 0;
        for (int l = 0; l < g->members[x]; l++)
          g->outside[x] += !g->done[g->member[x][l]];
      }
      g->outside[x]--;
    }
  }
}

/* The list of a vertex of L_e without what e covers, with e in it; its new degree. */
static void renew(Quotient *g, int e, int u, int left) {
  int *list = g->list + g->start[u], elements = 0, kept = 0, degree = g->members[e] - 1;
  int vertices = g->length[u] - g->elements[u], *vertex = list + g->elements[u];
  for (int k = 0; k < g->elements[u]; k++) {
    int x = list[k];
    if (!g->member[x] || g->outside[x] == 0)
      continue; // taken in, or within L_e
    list[elements++] = x;
    degree += g->outside[x];
  }
  // at least one entry went (e itself, or an element that e took in): there is room for e
  int spared = -1;
  for (int k = 0; k < vertices; k++) {
    int w = vertex[k];
    if (g->done[w] || g->seen[w] == g->mark)
      continue;
    if (kept == 0 && spared < 0)
      spared = w; // may stand where e goes: written last
    else
      list[elements + 1 + kept++] = w;
  }
  list[elements++] = e;
  if (spared >= 0)
    list[elements + kept++] = spared;
  g->elements[u] = elements;
  g->length[u] = elements + kept;
  degree += kept;
  unlink_vertex(g, u);
  link_vertex(g, u, degree < left ? degree : left);
}

AspError asp_factor_order(AspArena *arena, const FactorGraph *graph, int *order) {
  Quotient g;
  if (graph->vertices == 0)
    return ASP_OK;
  ASP_TRY(take_quotient(arena, graph, &g));
  for (int place = 0, lowest = 0; place < g.vertices; place++) {
    while (g.head[lowest] < 0)
      lowest++;
    int e = g.head[lowest];
    unlink_vertex(&g, e);
    order[place] = e;
    ASP_TRY(make_element(&g, e));
    measure_elements(&g, e);
    int left = g.vertices - place - 2; // others that a vertex could still couple with
    for (int i = 0; i < g.members[e]; i++) {
      renew(&g, e, g.member[e][i], left);
      if (g.degree[g.member[e][i]] < lowest)
        lowest = g.degree[g.member[e][i]];
    }
  }
  return ASP_OK;
}
