/* The ordering of builds without libamd: a permutation, and about as little fill as AMD's. */
#define asp_factor_order asp_factor_order_own
#include "../../src/linalg/factor_order_own.c"
#undef asp_factor_order
#include "testing.h"

AspError asp_factor_order(AspArena *arena, const FactorGraph *graph, int *order); // the library's

enum { MOST = 400 };

/* Entries below the diagonal of the factor when the vertices are eliminated in this order; -1: no permutation. */
static int fill_of(const FactorGraph *graph, const int *order) {
  static bool coupled[MOST][MOST], gone[MOST];
  int n = graph->vertices, entries = 0;
  memset(coupled, 0, sizeof coupled);
  memset(gone, 0, sizeof gone);
  for (int v = 0; v < n; v++)
    for (int k = graph->start[v]; k < graph->start[v + 1]; k++)
      coupled[v][graph->neighbour[k]] = true;
  for (int place = 0; place < n; place++) {
    int v = order[place];
    if (v < 0 || v >= n || gone[v])
      return -1;
    gone[v] = true;
    for (int a = 0; a < n; a++) {
      if (!coupled[v][a] || gone[a])
        continue;
      entries++;
      for (int b = 0; b < n; b++)
        coupled[a][b] |= coupled[v][b] && b != a && !gone[b];
    }
  }
  return entries;
}

/* rows x columns points, each coupled with its neighbours, and `more` couplings at random. */
static FactorGraph grid(AspArena *arena, int rows, int columns, int more, uint64_t seed) {
  int n = rows * columns, kept = 0;
  bool(*coupled)[MOST] = (bool(*)[MOST])asp_arena_take(arena, (size_t)n, MOST * sizeof(bool));
  AspRandom random = {seed};
  FactorGraph graph = {.vertices = n,
                       .start = ASP_TAKE(arena, int, (size_t)n + 1),
                       .neighbour = ASP_TAKE(arena, int, (size_t)n *(size_t)n)};
  for (int v = 0; v < n; v++) {
    int right = v + 1, below = v + columns;
    if (right % columns != 0)
      coupled[v][right] = coupled[right][v] = true;
    if (below < n)
      coupled[v][below] = coupled[below][v] = true;
  }
  for (int i = 0; i < more; i++) {
    int a = (int)(asp_random_uniform(&random, 0, n)), b = (int)(asp_random_uniform(&random, 0, n));
    if (a != b)
      coupled[a][b] = coupled[b][a] = true;
  }
  for (int v = 0; v < n; v++) {
    for (int w = 0; w < n; w++)
      if (coupled[v][w])
        graph.neighbour[kept++] = w;
    graph.start[v + 1] = kept;
  }
  return graph;
}

static void own_order_fills_little_more_than_amd(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspArena arena;
  asp_arena_init(&arena, context);
  const int cases[][3] = {{1, 1, 0}, {1, 30, 0}, {12, 12, 0}, {20, 20, 0}, {20, 20, 40}, {10, 30, 200}, {4, 90, 10}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    FactorGraph graph = grid(&arena, cases[c][0], cases[c][1], cases[c][2], 7 + c);
    int own[MOST], known[MOST];
    assert_ok(context, asp_factor_order_own(&arena, &graph, own));
    assert_ok(context, asp_factor_order(&arena, &graph, known));
    int mine = fill_of(&graph, own), theirs = fill_of(&graph, known);
    assert_true(mine >= 0 && theirs >= 0);
    assert_at_most(mine, 1.15 * theirs + 2);
    asp_arena_reset(&arena);
  }
  asp_arena_free(&arena);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(own_order_fills_little_more_than_amd)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
