/* The order of packed Gauss-Seidel: levels, slabs, batches. See packed.h.
 *
 * Levels: breadth-first distance from a body at the rim, component after component; a contact joins bodies of the same
 * or of neighbouring levels. Slabs: runs of at least two levels with about PACKED_ORDER_SLAB_CONTACTS contacts. A
 * contact within a slab belongs to the slab, one between two slabs to their boundary; two slabs share no body, nor do
 * two boundaries. Batches: a contact goes into the first open batch of its set that has a free lane and none of its
 * bodies. Batches that follow each other mostly share bodies, so that one has to wait for what the other writes; those
 * of two slabs share none. So two slabs, or boundaries, make one set, in which their batches take turns: the processor
 * works on both.
 */
#include "solver/packed.h"

#include "base/parallel.h"
#include "solver/tuning/packed.h"

typedef struct Order {
  const AspPackedGraph *graph;
  int *start, *list; /* contacts of each body, */
  int *other;        /* and the body at their other end; -1: the ground */
  int *queue;        /* bodies in the order of their levels */
  int *depth;        /* bodies: breadth-first level; -1: not met yet */
  int depths;        /* number of breadth-first levels */
  int *slab_of;      /* depths */
  int slabs;
} Order;

/* Contacts by body. */
static AspError list_contacts(Order *order, AspArena *arena) {
  const AspPackedGraph *graph = order->graph;
  order->start = ASP_TAKE(arena, int, (size_t)graph->bodies + 2);
  order->list = ASP_TAKE_UNCLEARED(arena, int, 2 * (size_t)graph->contacts);
  order->other = ASP_TAKE_UNCLEARED(arena, int, 2 * (size_t)graph->contacts);
  order->queue = ASP_TAKE_UNCLEARED(arena, int, graph->bodies);
  order->depth = ASP_TAKE_UNCLEARED(arena, int, graph->bodies);
  if (!order->start || !order->list || !order->other || !order->queue || !order->depth)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < graph->contacts; i++) {
    order->start[graph->second[i] + 2]++;
    if (graph->first[i] >= 0)
      order->start[graph->first[i] + 2]++;
  }
  for (int b = 0; b < graph->bodies; b++)
    order->start[b + 2] += order->start[b + 1];
  for (int i = 0; i < graph->contacts; i++) {
    int first = graph->first[i], second = graph->second[i], place = order->start[second + 1]++;
    order->list[place] = i;
    order->other[place] = first;
    if (first < 0)
      continue;
    place = order->start[first + 1]++;
    order->list[place] = i;
    order->other[place] = second;
  }
  return ASP_OK;
}

/* Breadth first from `root` into the queue from `at` on; returns its end. Levels count from `depth`. */
static int spread_from(Order *order, int root, int at, int depth) {
  int end = at;
  order->queue[end++] = root;
  order->depth[root] = depth;
  for (; at < end; at++) {
    int body = order->queue[at];
    for (int k = order->start[body]; k < order->start[body + 1]; k++) {
      int other = order->other[k];
      if (other < 0 || order->depth[other] >= 0)
        continue;
      order->depth[other] = order->depth[body] + 1;
      order->queue[end++] = other;
    }
  }
  return end;
}

/* Every component twice: from its first body to one at its rim, and from there for good. */
static void number_depths(Order *order) {
  int at = 0;
  for (int b = 0; b < order->graph->bodies; b++)
    order->depth[b] = -1;
  for (int b = 0; b < order->graph->bodies; b++) {
    if (order->depth[b] >= 0)
      continue;
    int end = spread_from(order, b, at, 0), rim = order->queue[end - 1];
    for (int k = at; k < end; k++)
      order->depth[order->queue[k]] = -1;
    at = spread_from(order, rim, at, order->depths);
    order->depths = order->depth[order->queue[at - 1]] + 1;
  }
}

/* A contact counts for the lower of its levels. */
static int depth_of(const Order *order, int contact) {
  int second = order->depth[order->graph->second[contact]], body = order->graph->first[contact];
  int first = body >= 0 ? order->depth[body] : second;
  return first < second ? first : second;
}

static AspError cut_slabs(Order *order, AspArena *arena) {
  int *weight = ASP_TAKE(arena, int, (size_t)order->depths + 1);
  order->slab_of = ASP_TAKE(arena, int, (size_t)order->depths + 1);
  if (!weight || !order->slab_of)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < order->graph->contacts; i++)
    weight[depth_of(order, i)]++;
  int left = order->graph->contacts, held = 0, first = 0;
  for (int l = 0; l < order->depths; l++) {
    order->slab_of[l] = order->slabs;
    held += weight[l];
    left -= weight[l];
    if (held < PACKED_ORDER_SLAB_CONTACTS || l - first < 1 || left < PACKED_ORDER_SLAB_CONTACTS / 2 ||
        l + 2 >= order->depths)
      continue;
    order->slabs++;
    held = 0;
    first = l + 1;
  }
  order->slabs += order->depths > 0;
  return ASP_OK;
}

/* The part of a contact: its slab, or the boundary above it. */
static int part_of(const Order *order, int contact) {
  int second = order->depth[order->graph->second[contact]], body = order->graph->first[contact];
  int a = order->slab_of[second], b = body >= 0 ? order->slab_of[order->depth[body]] : a;
  return a == b ? a : order->slabs + (a < b ? a : b);
}

/* Batches as they are filled. */
typedef int Lanes[ASP_LANES];

/* Batches under way, the oldest first; each has a slot, and each body the slots that it is in. */
typedef struct Window {
  int batch[PACKED_ORDER_OPEN], filled[PACKED_ORDER_OPEN], slot[PACKED_ORDER_OPEN];
  int count;
  unsigned taken;  /* slots */
  unsigned *slots; /* bodies; the sets of one kind share none */
  int end;         /* batches so far */
} Window;

/* The k-th batch takes no more contacts. */
static void close_batch(Lanes *source, const AspPackedGraph *graph, Window *window, int k) {
  unsigned bit = 1U << window->slot[k];
  for (int lane = 0; lane < window->filled[k]; lane++) {
    int contact = source[window->batch[k]][lane];
    if (graph->first[contact] >= 0)
      window->slots[graph->first[contact]] &= ~bit;
    window->slots[graph->second[contact]] &= ~bit;
  }
  window->taken &= ~bit;
  window->count--;
  for (; k < window->count; k++) {
    window->batch[k] = window->batch[k + 1];
    window->filled[k] = window->filled[k + 1];
    window->slot[k] = window->slot[k + 1];
  }
}

static void open_batch(Lanes *source, Window *window) {
  int k = window->count++, slot = 0;
  while (window->taken >> slot & 1)
    slot++;
  window->taken |= 1U << slot;
  window->slot[k] = slot;
  window->filled[k] = 0;
  window->batch[k] = window->end++;
  for (int lane = 0; lane < ASP_LANES; lane++)
    source[window->batch[k]][lane] = -1;
}

static void put_contact(Lanes *source, const AspPackedGraph *graph, Window *window, int contact) {
  int first = graph->first[contact], second = graph->second[contact], k = 0;
  unsigned used = (first >= 0 ? window->slots[first] : 0) | window->slots[second];
  while (k < window->count && used >> window->slot[k] & 1)
    k++;
  if (k == PACKED_ORDER_OPEN) { // the oldest leaves with lanes unused
    close_batch(source, graph, window, 0);
    k--;
  }
  if (k == window->count)
    open_batch(source, window);
  source[window->batch[k]][window->filled[k]++] = contact;
  if (first >= 0)
    window->slots[first] |= 1U << window->slot[k];
  window->slots[second] |= 1U << window->slot[k];
  if (window->filled[k] == ASP_LANES)
    close_batch(source, graph, window, k);
}

/* Slabs and boundaries whose contacts go into batches, each where its contacts begin: there is room. */
typedef struct Filling {
  const AspPackedGraph *graph;
  const int *start, *sorted; /* parts: contacts */
  unsigned *slots;
  Lanes *source;      /* room for as many batches as contacts */
  AspPackedSet *part; /* slabs, then boundaries */
  int first;          /* part */
} Filling;

static void fill_part(void *data, int from, int end) {
  const Filling *filling = data;
  for (int s = filling->first + from; s < filling->first + end; s++) {
    Window window = {.slots = filling->slots, .end = filling->start[s]};
    for (int k = filling->start[s]; k < filling->start[s + 1]; k++)
      put_contact(filling->source, filling->graph, &window, filling->sorted[k]);
    while (window.count > 0)
      close_batch(filling->source, filling->graph, &window, window.count - 1);
    filling->part[s] = (AspPackedSet){filling->start[s], window.end};
  }
}

/* The batches of two parts, which may be the same, in turn into the next set. */
static void join_parts(AspPacked *packed, const Filling *filling, int one, int two) {
  AspPackedSet a = filling->part[one], b = two > one ? filling->part[two] : (AspPackedSet){0, 0};
  int in_a = a.end - a.first, in_b = b.end - b.first, first = packed->batch_count;
  for (int i = 0, j = 0; i + j < in_a + in_b;) {
    bool from_a = j == in_b || (i < in_a && (long long)i * in_b <= (long long)j * in_a);
    memcpy(packed->source[packed->batch_count++], filling->source[from_a ? a.first + i : b.first + j], sizeof(Lanes));
    i += from_a;
    j += !from_a;
  }
  packed->set[packed->set_count++] = (AspPackedSet){first, packed->batch_count};
}

static AspError join_all(AspPacked *packed, AspArena *arena, const Filling *filling, int slabs, int parts) {
  int batches = 0;
  for (int s = 0; s < parts; s++)
    batches += filling->part[s].end - filling->part[s].first;
  packed->set = ASP_TAKE(arena, AspPackedSet, (size_t)parts);
  packed->sums = ASP_TAKE(arena, AspPackedSums, (size_t)parts + 1);
  packed->source = asp_arena_take_uncleared(arena, (size_t)batches, sizeof *packed->source);
  if (!packed->set || !packed->sums || !packed->source)
    return ASP_ERROR_MEMORY;
  for (int s = 0; s < slabs; s += 2)
    join_parts(packed, filling, s, s + 1 < slabs ? s + 1 : s);
  packed->slab_count = packed->set_count;
  for (int s = slabs; s < parts; s += 2)
    join_parts(packed, filling, s, s + 1 < parts ? s + 1 : s);
  return ASP_OK;
}

/* Contacts sorted by slab or boundary, in the order of the bodies' levels within it: neighbours in the pile, neighbours
 * in memory. */
static AspError fill_sets(AspPacked *packed, const Order *order, AspArena *arena) {
  const AspPackedGraph *graph = order->graph;
  int parts = order->slabs > 0 ? 2 * order->slabs - 1 : 0;
  int *start = ASP_TAKE(arena, int, (size_t)parts + 2), *sorted = ASP_TAKE(arena, int, graph->contacts);
  int *part = ASP_TAKE(arena, int, graph->contacts);
  Filling slabs = {.graph = graph,
                   .start = start,
                   .sorted = sorted,
                   .slots = ASP_TAKE(arena, unsigned, graph->bodies),
                   .source = asp_arena_take_uncleared(arena, (size_t)graph->contacts, sizeof(Lanes)),
                   .part = ASP_TAKE(arena, AspPackedSet, (size_t)parts)};
  if (!start || !sorted || !part || !slabs.slots || !slabs.source || !slabs.part)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < graph->contacts; i++) {
    part[i] = part_of(order, i);
    start[part[i] + 2]++;
  }
  for (int s = 0; s < parts; s++)
    start[s + 2] += start[s + 1];
  for (int at = 0; at < graph->bodies; at++) {
    int body = order->queue[at];
    for (int k = order->start[body]; k < order->start[body + 1]; k++) { // a contact belongs to its later body
      int contact = order->list[k], other = order->other[k];
      if (other >= 0 &&
          (order->depth[other] > order->depth[body] || (order->depth[other] == order->depth[body] && other > body)))
        continue;
      sorted[start[part[contact] + 1]++] = contact;
    }
  }
  Filling boundaries = slabs;
  boundaries.first = order->slabs;
  asp_parallel_for(arena->context, order->slabs, 1, fill_part, &slabs);
  asp_parallel_for(arena->context, parts - order->slabs, 1, fill_part, &boundaries);
  return join_all(packed, arena, &slabs, order->slabs, parts);
}

/* Bodies come in the order of their levels: those of a slab are a run. Two slabs are a set. */
static AspError number_bodies(AspPacked *packed, const Order *order, AspArena *arena, int *place) {
  int bodies = order->graph->bodies, set = 0;
  packed->set_body = ASP_TAKE(arena, int, (size_t)packed->slab_count + 1);
  if (!packed->set_body)
    return ASP_ERROR_MEMORY;
  for (int at = 0; at < bodies; at++) {
    int body = order->queue[at];
    place[body] = at;
    for (; set < order->slab_of[order->depth[body]] / 2; set++)
      packed->set_body[set + 1] = at;
  }
  packed->set_body[packed->slab_count] = bodies;
  return ASP_OK;
}

AspError asp_packed_order(AspPacked *packed, AspArena *arena, const AspPackedGraph *graph, int *place) {
  Order order = {.graph = graph};
  ASP_TRY(list_contacts(&order, arena));
  number_depths(&order);
  ASP_TRY(cut_slabs(&order, arena));
  ASP_TRY(fill_sets(packed, &order, arena));
  return number_bodies(packed, &order, arena, place);
}
