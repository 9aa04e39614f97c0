/* An order of elimination with little fill, by AMD (BSD licence). Builds without it have factor_order_own.c. */
#include "linalg/factor_internal.h"

#include <amd.h>

AspError asp_factor_order(AspArena *arena, const FactorGraph *graph, int *order) {
  int v = graph->vertices;
  if (v == 0)
    return ASP_OK;
  int edges = graph->start[v];
  // amd_2 works in place on a copy with elbow room; it neither allocates nor keeps state
  size_t room = (size_t)edges + (size_t)edges / 5 + 2 * (size_t)v;
  if (room > INT32_MAX)
    return asp_fail(arena->context, ASP_ERROR_UNSUPPORTED, "a matrix graph of %d edges is too large to order", edges);
  int *Pe = ASP_TAKE(arena, int, v), *Iw = ASP_TAKE(arena, int, room), *Len = ASP_TAKE(arena, int, v);
  int *work = ASP_TAKE(arena, int, 6 * (size_t)v);
  if (!Pe || !Iw || !Len || !work)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < v; i++) {
    Pe[i] = graph->start[i];
    Len[i] = graph->start[i + 1] - graph->start[i];
  }
  if (edges > 0)
    memcpy(Iw, graph->neighbour, (size_t)edges * sizeof *Iw);
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  amd_2(v, Pe, Iw, Len, (int)room, edges, work, work + v, order, work + 2 * (size_t)v, work + 3 * (size_t)v,
        work + 4 * (size_t)v, work + 5 * (size_t)v, control, info);
  return ASP_OK;
}
