/* Bodies and the blocks that act on them: see bodies.h. */
#include "problem/bodies.h"
#include "linalg/dimension.h"

AspError asp_contact_graph(AspArena *arena, const AspContactProblem *problem, const AspComponents *components,
                           AspContactGraph *graph) {
  const AspSparse *H = &problem->H;
  int blocks = problem->blocks, count = components->count;
  int *seen = ASP_TAKE(arena, int, count);
  graph->component_start = ASP_TAKE(arena, int, (size_t)blocks + 1);
  graph->component = ASP_TAKE(arena, int, asp_sparse_entries(H));
  graph->block_start = ASP_TAKE(arena, int, (size_t)count + 1);
  graph->block = ASP_TAKE(arena, int, asp_sparse_entries(H));
  if (!seen || !graph->component_start || !graph->component || !graph->block_start || !graph->block)
    return ASP_ERROR_MEMORY;
  int place = 0;
  for (int i = 0; i < blocks; i++) {
    for (int k = H->start[problem->offset[i]]; k < H->start[problem->offset[i + 1]]; k++) {
      int c = components->of[H->row[k]];
      if (seen[c] == i + 1)
        continue;
      seen[c] = i + 1;
      graph->component[place++] = c;
      graph->block_start[c + 1]++;
    }
    graph->component_start[i + 1] = place;
  }
  for (int c = 0; c < count; c++) {
    graph->block_start[c + 1] += graph->block_start[c];
    seen[c] = graph->block_start[c];
  }
  for (int i = 0; i < blocks; i++)
    for (int k = graph->component_start[i]; k < graph->component_start[i + 1]; k++)
      graph->block[seen[graph->component[k]]++] = i;
  return ASP_OK;
}

/* Do the blocks of two components agree in more than half of the fewer ones? */
static bool are_alike(const AspContactGraph *graph, int a, int b) {
  int i = graph->block_start[a], end_i = graph->block_start[a + 1];
  int j = graph->block_start[b], end_j = graph->block_start[b + 1];
  int fewer = end_i - i < end_j - j ? end_i - i : end_j - j, common = 0;
  while (i < end_i && j < end_j) {
    int difference = graph->block[i] - graph->block[j];
    common += difference == 0;
    i += difference <= 0;
    j += difference >= 0;
  }
  return 2 * common > fewer;
}

/* Components in a row become one body: those without blocks belong to the one before them. */
static void join_neighbours(const AspContactGraph *graph, int limit, AspComponents *c) {
  int bodies = 0, leader = -1; /* of the body that grows: its first component with blocks */
  for (int k = 0; k < c->count; k++) {
    bool empty = graph->block_start[k] == graph->block_start[k + 1];
    bool joins = bodies > 0 && c->start[k + 1] - c->start[bodies - 1] <= limit &&
                 (empty || (leader >= 0 && are_alike(graph, leader, k)));
    if (!joins) {
      c->start[bodies++] = c->start[k];
      leader = -1;
    }
    if (!empty && leader < 0)
      leader = k;
  }
  c->start[bodies] = c->start[c->count];
  c->count = bodies;
  for (int b = 0; b < bodies; b++)
    for (int k = c->start[b]; k < c->start[b + 1]; k++)
      c->of[c->member[k]] = b;
}

AspError asp_bodies_find(AspArena *arena, const AspContactProblem *problem, AspComponents *bodies,
                         AspContactGraph *graph) {
  ASP_TRY(asp_sparse_components(arena, &problem->M, bodies));
  ASP_TRY(asp_contact_graph(arena, problem, bodies, graph));
  int count = bodies->count;
  join_neighbours(graph, asp_body_velocities(problem->dimension), bodies);
  return bodies->count < count ? asp_contact_graph(arena, problem, bodies, graph) : ASP_OK;
}
