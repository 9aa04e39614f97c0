/* An order of elimination without fill for graphs that have one (chordal: trees of bodies and joints): vertices whose
 * neighbours are all coupled with each other, from all sides at once, round by round. What is eliminated last then lies
 * in the middle of the tree: the way from every leaf to the root is short, which right-hand sides with few entries
 * pass front by front, where minimum degree takes one branch after the other and may end at the tip of the last one.
 */
#include "linalg/factor_internal.h"

/* What is left of the graph. */
typedef struct Rest {
  const FactorGraph *graph;
  bool *gone;  /* vertices */
  int *marked; /* vertices: the last one whose neighbours were marked, + 1 */
  int *round;  /* vertices: the last round that looks at it */
  int *list, *next;
} Rest;

/* Are all neighbours of v that are left coupled with w? */
static bool are_coupled_with(const Rest *rest, int v, int w) {
  const FactorGraph *g = rest->graph;
  for (int k = g->start[w]; k < g->start[w + 1]; k++)
    rest->marked[g->neighbour[k]] = w + 1;
  for (int k = g->start[v]; k < g->start[v + 1]; k++) {
    int other = g->neighbour[k];
    if (!rest->gone[other] && other != w && rest->marked[other] != w + 1)
      return false;
  }
  return true;
}

static bool leaves_no_fill(const Rest *rest, int v) {
  const FactorGraph *g = rest->graph;
  for (int k = g->start[v]; k < g->start[v + 1]; k++)
    if (!rest->gone[g->neighbour[k]] && !are_coupled_with(rest, v, g->neighbour[k]))
      return false;
  return true;
}

/* The vertices of the list that leave no fill go to order; the next list: neighbours that they leave. */
static int eliminate_round(Rest *rest, int round, int *count, int *order) {
  const FactorGraph *g = rest->graph;
  int chosen = 0, next = 0;
  for (int i = 0; i < *count; i++)
    if (leaves_no_fill(rest, rest->list[i]))
      order[chosen++] = rest->list[i];
  for (int i = 0; i < chosen; i++)
    rest->gone[order[i]] = true;
  for (int i = 0; i < chosen; i++)
    for (int k = g->start[order[i]]; k < g->start[order[i] + 1]; k++) {
      int other = g->neighbour[k];
      if (rest->gone[other] || rest->round[other] == round)
        continue;
      rest->round[other] = round;
      rest->next[next++] = other;
    }
  int *list = rest->list;
  rest->list = rest->next;
  rest->next = list;
  *count = next;
  return chosen;
}

AspError asp_factor_order_leaves(AspArena *arena, const FactorGraph *graph, int *order, bool *done) {
  int v = graph->vertices, count = v, at = 0;
  Rest rest = {.graph = graph,
               .gone = ASP_TAKE(arena, bool, v),
               .marked = ASP_TAKE(arena, int, v),
               .round = ASP_TAKE(arena, int, v),
               .list = ASP_TAKE_UNCLEARED(arena, int, v),
               .next = ASP_TAKE_UNCLEARED(arena, int, v)};
  if (!rest.gone || !rest.marked || !rest.round || !rest.list || !rest.next)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < v; i++)
    rest.list[i] = i;
  for (int round = 1, chosen = 1; chosen > 0 && at < v; round++) {
    chosen = eliminate_round(&rest, round, &count, order + at);
    at += chosen;
  }
  *done = at == v;
  return ASP_OK;
}
