/* Packed Gauss-Seidel: recognising the problem, laying it out. See packed.h. */
#include "solver/packed.h"

#include "base/parallel.h"
#include "problem/rigid.h"
#include "solver/tuning/packed.h"

#include <math.h>
#include <stdatomic.h>

/* A body of the problem: its first dof, 1/m, and L^-1 of its inertia J = L L^T (lower, by rows). */
typedef struct Body {
  int dof;
  int holders; /* copies that share mass and force; these and all below are those of one copy */
  double inverse_mass, L[6];
} Body;

typedef struct Pack {
  const AspContactProblem *problem;
  const AspMass *mass; /* of the problem's M; NULL: read M */
  const AspProblemBodies *of_problem;
  const bool *active; /* blocks; NULL: all */
  const int *holders; /* bodies of the problem; NULL: one each */
  int *number;        /* bodies of the problem: 1 + that of the packed ones, 0: none yet */
  Body *body;
  int bodies;
  int *first, *second; /* contacts: bodies; first < 0: the ground */
  int *block;          /* contacts: block of the problem */
  int contacts;
  atomic_bool differs; /* the problem is of another kind */
} Pack;

/* ---- recognising ---- */

/* Mass and inertia of M's block at `dof`; false when it is of another kind. */
static bool read_mass(const AspSparse *M, int dof, double *m, double J[6]) {
  double block[36] = {0};
  for (int j = 0; j < 6; j++)
    for (int k = M->start[dof + j]; k < M->start[dof + j + 1]; k++) {
      int i = M->row[k] - dof;
      if (i >= 0 && i < 6)
        block[6 * j + i] += M->value[k];
      else if (M->value[k] != 0)
        return false;
    }
  return asp_rigid_split(block, m, J);
}

/* 1/m and L^-1 of a body; false when there is none. */
static bool read_body(const Pack *pack, Body *body) {
  double m, J[6];
  const AspMassRigid *rigid = pack->mass ? asp_mass_rigid_at(pack->mass, body->dof) : NULL;
  if (rigid) {
    m = rigid->mass;
    memcpy(J, rigid->inertia, sizeof J);
  } else if (!read_mass(&pack->problem->M, body->dof, &m, J)) {
    return false;
  }
  double a = J[0], b = J[1], c = J[2], d = J[3], e = J[4], f = J[5];
  double l00 = sqrt(a), l10 = b / l00, l20 = c / l00, l11 = sqrt(d - l10 * l10), l21 = (e - l20 * l10) / l11;
  double l22 = sqrt(f - l20 * l20 - l21 * l21);
  if (!(m > 0 && l00 > 0 && l11 > 0 && l22 > 0 && isfinite(m + l00 + l11 + l22)))
    return false;
  double *L = body->L;
  if (body->holders > 1) {
    m /= body->holders;
    double more = sqrt(body->holders);
    l00 /= more;
    l10 /= more;
    l20 /= more;
    l11 /= more;
    l21 /= more;
    l22 /= more;
  }
  body->inverse_mass = 1 / m;
  L[0] = 1 / l00;
  L[2] = 1 / l11;
  L[5] = 1 / l22;
  L[1] = -l10 * L[0] * L[2];
  L[4] = -l21 * L[2] * L[5];
  L[3] = -(l20 * L[0] + l21 * L[1]) * L[5];
  return true;
}

/* The six entries of a column at a body, zeros where they were left out. */
static void copy_values(const AspSparse *H, int column, int dof, double value[6]) {
  memset(value, 0, 6 * sizeof *value);
  for (int k = H->start[column]; k < H->start[column + 1]; k++)
    if (H->row[k] >= dof && H->row[k] < dof + 6)
      value[H->row[k] - dof] = H->value[k];
}

static bool is_contact(const AspContactProblem *problem, int i) {
  const AspLaw *law = &problem->law[i];
  return law->kind == ASP_LAW_UNILATERAL || (law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_EXACT);
}

/* The packed number of a body of the problem. */
static int number_of(Pack *pack, int body) {
  int *number = &pack->number[body];
  if (*number == 0) {
    pack->body[pack->bodies].dof = pack->of_problem->dof[pack->of_problem->start[body]];
    pack->body[pack->bodies].holders = pack->holders ? pack->holders[body] : 1;
    *number = ++pack->bodies;
  }
  return *number - 1;
}

/* Six dofs in a row? */
static bool is_six(const AspProblemBodies *bodies, int body) {
  const int *dof = bodies->dof + bodies->start[body];
  int last = dof[0];
  if (bodies->start[body + 1] - bodies->start[body] != 6)
    return false;
  for (int k = 1; k < 6; k++)
    last = dof[k] > last ? dof[k] : last;
  return last == dof[0] + 5;
}

/* Does the block act on one body or two, of six dofs each? */
static bool fits_block(const Pack *pack, int i) {
  const AspProblemBodies *bodies = pack->of_problem;
  int first = bodies->block_start[i], end = bodies->block_start[i + 1];
  return (end == first + 1 || end == first + 2) && is_six(bodies, bodies->of_block[first]) &&
         is_six(bodies, bodies->of_block[end - 1]);
}

static void read_blocks(void *data, int from, int end) {
  Pack *pack = data;
  for (int i = from; i < end; i++)
    if (!is_contact(pack->problem, i) || ((!pack->active || pack->active[i]) && !fits_block(pack, i))) {
      atomic_store_explicit(&pack->differs, true, memory_order_relaxed);
      return;
    }
}

static void read_bodies(void *data, int from, int end) {
  Pack *pack = data;
  for (int b = from; b < end; b++)
    if (!read_body(pack, &pack->body[b]))
      atomic_store_explicit(&pack->differs, true, memory_order_relaxed);
}

/* Contacts and bodies get their numbers in the order of the blocks. */
static void number_contacts(Pack *pack) {
  for (int i = 0; i < pack->problem->blocks && !pack->differs; i++) {
    if (pack->active && !pack->active[i])
      continue;
    int n = pack->contacts++, first = pack->of_problem->block_start[i], end = pack->of_problem->block_start[i + 1];
    pack->block[n] = i;
    pack->second[n] = number_of(pack, pack->of_problem->of_block[end - 1]);
    pack->first[n] = end > first + 1 ? number_of(pack, pack->of_problem->of_block[first]) : -1;
  }
}

static AspError recognise(Pack *pack, AspArena *arena, bool *fits) {
  const AspContactProblem *problem = pack->problem;
  *fits = false;
  if (problem->dimension != 3 || problem->dofs < 6 || problem->blocks == 0)
    return ASP_OK;
  pack->number = ASP_TAKE(arena, int, pack->of_problem->count);
  pack->body = ASP_TAKE_UNCLEARED(arena, Body, problem->dofs / 6);
  pack->first = ASP_TAKE_UNCLEARED(arena, int, problem->blocks);
  pack->second = ASP_TAKE_UNCLEARED(arena, int, problem->blocks);
  pack->block = ASP_TAKE_UNCLEARED(arena, int, problem->blocks);
  if (!pack->number || !pack->body || !pack->first || !pack->second || !pack->block)
    return ASP_ERROR_MEMORY;
  asp_parallel_for(arena->context, problem->blocks, PACKED_BLOCKS, read_blocks, pack);
  number_contacts(pack);
  if (!pack->differs)
    asp_parallel_for(arena->context, pack->bodies, PACKED_BODIES, read_bodies, pack);
  *fits = !pack->differs;
  return ASP_OK;
}

/* ---- laying out ---- */

/* y = L^-1 x */
static void turn_inertia(const double *L, const double *x, double *y) {
  y[0] = L[0] * x[0];
  y[1] = L[1] * x[0] + L[2] * x[1];
  y[2] = L[3] * x[0] + L[4] * x[1] + L[5] * x[2];
}

/* What goes where. */
typedef struct Packing {
  const AspPacked *packed;
  const AspPackedKernels *kernels;
  const Pack *pack;
  const int *place;    /* bodies */
  atomic_bool uneven;  /* a contact does not fit into a batch of spheres */
  atomic_bool differs; /* one is of another kind */
} Packing;

static void pack_bodies(void *data, int from, int end) {
  const Packing *packing = data;
  const Pack *pack = packing->pack;
  for (int b = from; b < end; b++) {
    const Body *body = &pack->body[b];
    double f[6];
    for (int k = 0; k < 6; k++)
      f[k] = pack->problem->f[body->dof + k] / body->holders;
    AspPackedBody *line = &packing->packed->free[packing->place[b]];
    line->inverse_mass = body->inverse_mass;
    for (int k = 0; k < 3; k++)
      line->v[k] = f[k] * body->inverse_mass;
    turn_inertia(body->L, f + 3, line->w);
  }
}

/* The values of a contact's columns after each other, each with its bodies in order, and nothing left out: where they
 * are, or copied into `room`. */
static const double *whole_columns(const Pack *pack, int n, double room[36]) {
  const AspContactProblem *problem = pack->problem;
  const AspSparse *H = &problem->H;
  int first = problem->offset[pack->block[n]], end = problem->offset[pack->block[n] + 1];
  int p = pack->first[n], q = pack->second[n], size = p >= 0 ? 12 : 6;
  if (H->start[end] - H->start[first] == size * (end - first))
    return H->value + H->start[first];
  for (int k = first; k < end; k++) {
    double *column = room + (k - first) * size;
    if (p >= 0)
      copy_values(H, k, pack->body[p].dof, column);
    copy_values(H, k, pack->body[q].dof, column + size - 6);
  }
  return room;
}

static void put_inertia(const Body *body, int lane, double L[6][ASP_LANES]) {
  for (int e = 0; e < 6; e++)
    L[e][lane] = body->L[e];
}

/* One contact into its lane. False when its forces on two bodies are not opposite to each other. */
static bool pack_contact(const Packing *packing, int n, AspBatch *batch, AspPackedRows *rows, int lane) {
  const Pack *pack = packing->pack;
  const AspContactProblem *problem = pack->problem;
  int i = pack->block[n], first = problem->offset[i], count = problem->offset[i + 1] - first;
  const Body *p = pack->first[n] >= 0 ? &pack->body[pack->first[n]] : NULL, *q = &pack->body[pack->second[n]];
  double room[36];
  const double *h = whole_columns(pack, n, room);
  bool opposite = true;
  for (int k = 0; k < count; k++) {
    const double *of_q = p ? h + 6 : h;
    for (int j = 0; j < 3; j++) {
      batch->D[3 * k + j][lane] = of_q[j];
      rows->B[3 * k + j][lane] = of_q[3 + j];
    }
    for (int j = 0; p && j < 3; j++) {
      opposite &= h[j] == -of_q[j];
      rows->A[3 * k + j][lane] = h[3 + j];
    }
    batch->w[k][lane] = problem->w[first + k];
    h = of_q + 6;
  }
  put_inertia(q, lane, rows->Lq);
  rows->inverse_masses[lane] = q->inverse_mass;
  batch->q[lane] = packing->place[pack->second[n]];
  batch->mu[lane] = problem->law[i].kind == ASP_LAW_COULOMB ? problem->law[i].mu : 0;
  if (!p)
    return true;
  put_inertia(p, lane, rows->Lp);
  rows->inverse_masses[lane] += p->inverse_mass;
  batch->p[lane] = packing->place[pack->first[n]];
  return opposite;
}

/* The batches of one set; the lines of its ground contacts are its own. */
static void pack_set(Packing *packing, int s) {
  const AspPacked *packed = packing->packed;
  bool even = true, fits = true;
  for (int b = packed->set[s].first; b < packed->set[s].end; b++) {
    int ground = packing->pack->bodies + s * ASP_GROUND_LINES + b % ASP_GROUND_LINES;
    AspBatch *batch = asp_batch_at(packed, b);
    AspPackedRows rows = {.A = {{0}}};
    memset(batch, 0, asp_batch_size(packed->spheres)); // here, where it is filled at once
    for (int lane = 0; lane < ASP_LANES; lane++) {
      int n = packed->source[b][lane];
      batch->p[lane] = batch->q[lane] = ground;
      fits = (n < 0 || pack_contact(packing, n, batch, &rows, lane)) && fits;
    }
    even = packing->kernels->make_batch(batch, &rows) && even;
  }
  if (!fits)
    atomic_store_explicit(&packing->differs, true, memory_order_relaxed);
  if (!even)
    atomic_store_explicit(&packing->uneven, true, memory_order_relaxed);
}

static void pack_sets(void *data, int from, int end) {
  for (int s = from; s < end; s++)
    if (asp_packed_owns(((Packing *)data)->packed, s))
      pack_set(data, s);
}

/* Batches of the kind that packed->spheres tells. *even: all contacts go into it; *fits: they are contacts. */
static AspError pack_batches(AspPacked *packed, AspArena *arena, const Pack *pack, const int *place, bool *even,
                             bool *fits) {
  Packing packing = {.packed = packed, .kernels = asp_packed_kernels(packed->spheres), .pack = pack, .place = place};
  packed->batch = asp_arena_take_uncleared(arena, (size_t)packed->batch_count, asp_batch_size(packed->spheres));
  if (!packed->batch)
    return ASP_ERROR_MEMORY;
  asp_parallel_for(arena->context, packed->set_count, 1, pack_sets, &packing);
  *even = !asp_share_any(packed, packing.uneven);
  *fits = !asp_share_any(packed, packing.differs);
  return ASP_OK;
}

static bool is_multiple_of_one(const double L[6]) {
  double off = fmax(fabs(L[1]), fmax(fabs(L[3]), fabs(L[4]))), uneven = fmax(fabs(L[0] - L[2]), fabs(L[0] - L[5]));
  return fmax(off, uneven) <= ASP_ROUNDING * L[0];
}

/* Batches of spheres where that fits, else general ones. Then contact numbers in `source` become blocks. */
static AspError choose_batches(AspPacked *packed, AspArena *arena, const Pack *pack, const int *place, bool *fits) {
  AspArenaMark mark = asp_arena_mark(arena);
  bool even = false;
  packed->spheres = true;
  for (int b = 0; b < pack->bodies && packed->spheres; b++)
    packed->spheres = is_multiple_of_one(pack->body[b].L);
  if (packed->spheres)
    ASP_TRY(pack_batches(packed, arena, pack, place, &even, fits));
  if (!even) {
    asp_arena_rewind(arena, mark);
    packed->spheres = false;
    ASP_TRY(pack_batches(packed, arena, pack, place, &even, fits));
  }
  for (int b = 0; b < packed->batch_count; b++)
    for (int lane = 0; lane < ASP_LANES && packed->source[b][lane] >= 0; lane++)
      packed->source[b][lane] = pack->block[packed->source[b][lane]];
  return ASP_OK;
}

/* ---- the order ---- */

static bool is_same_graph(const AspPackedGraph *a, const AspPackedGraph *b) {
  size_t bytes = (size_t)a->contacts * sizeof *a->first;
  return a->contacts == b->contacts && a->bodies == b->bodies && memcmp(a->first, b->first, bytes) == 0 &&
         memcmp(a->second, b->second, bytes) == 0;
}

static void *keep(AspArena *arena, const void *from, size_t count, size_t size) {
  void *kept = asp_arena_take_uncleared(arena, count, size);
  return kept ? memcpy(kept, from, count * size) : NULL;
}

static AspError keep_order(AspPackedMemory *memory, const AspPackedGraph *graph, const AspPacked *order,
                           const int *place) {
  AspArena *arena = &memory->arena;
  size_t contacts = (size_t)graph->contacts;
  memory->known = false;
  asp_arena_reset(arena);
  memory->graph = (AspPackedGraph){graph->contacts, graph->bodies, keep(arena, graph->first, contacts, sizeof(int)),
                                   keep(arena, graph->second, contacts, sizeof(int))};
  memory->order = *order;
  memory->order.set = keep(arena, order->set, (size_t)order->set_count, sizeof *order->set);
  memory->order.set_body = keep(arena, order->set_body, (size_t)order->slab_count + 1, sizeof *order->set_body);
  memory->order.source = keep(arena, order->source, (size_t)order->batch_count, sizeof *order->source);
  memory->place = keep(arena, place, (size_t)graph->bodies, sizeof *place);
  memory->known = memory->graph.first && memory->graph.second && memory->order.set && memory->order.set_body &&
                  memory->order.source && memory->place;
  return memory->known ? ASP_OK : ASP_ERROR_MEMORY;
}

/* Sets, batches and the places of the bodies: those of the last problem where its contacts joined the same bodies. */
static AspError find_order(AspPacked *packed, AspArena *arena, AspPackedMemory *memory, const AspPackedGraph *graph,
                           const int **place) {
  if (memory && memory->known && is_same_graph(&memory->graph, graph)) {
    packed->slab_count = memory->order.slab_count;
    packed->set_count = memory->order.set_count;
    packed->batch_count = memory->order.batch_count;
    packed->set = memory->order.set;
    packed->set_body = memory->order.set_body;
    packed->sums = ASP_TAKE(arena, AspPackedSums, 2 * (size_t)packed->slab_count);
    packed->source = keep(arena, memory->order.source, (size_t)packed->batch_count, sizeof *packed->source);
    *place = memory->place;
    return packed->sums && packed->source ? ASP_OK : ASP_ERROR_MEMORY;
  }
  int *found = ASP_TAKE_UNCLEARED(arena, int, graph->bodies);
  if (!found)
    return ASP_ERROR_MEMORY;
  *place = found;
  ASP_TRY(asp_packed_order(packed, arena, graph, found));
  return memory ? keep_order(memory, graph, packed, found) : ASP_OK;
}

AspError asp_packed_take(AspPacked *packed, AspArena *arena, const AspContactProblem *problem,
                         const AspPackedScope *scope, bool *fits) {
  Pack pack = {.problem = problem, .mass = scope->mass, .active = scope->active, .holders = scope->holders};
  *packed = (AspPacked){
      .problem = problem, .rho = scope->rho, .norm_q = scope->norm_q, .rest = scope->rest, .context = arena->context};
  AspProblemBodies found;
  if (!scope->mass && problem->dofs > 0)
    ASP_TRY(asp_bodies_find(arena, problem, &found));
  pack.of_problem = scope->mass ? &scope->mass->bodies : &found;
  ASP_TRY(recognise(&pack, arena, fits));
  if (!*fits)
    return ASP_OK;
  const int *place;
  AspPackedGraph graph = {pack.contacts, pack.bodies, pack.first, pack.second};
  ASP_TRY(find_order(packed, arena, scope->memory, &graph, &place));
  packed->contacts = pack.contacts;
  packed->bodies = (pack.bodies + packed->set_count * ASP_GROUND_LINES + ASP_LINES - 1) / ASP_LINES * ASP_LINES;
  ASP_TRY(asp_packed_share(packed, arena, scope->ranks, &(AspPackedEnds){pack.first, pack.second, place}));
  ASP_TRY(choose_batches(packed, arena, &pack, place, fits));
  packed->body = ASP_TAKE_UNCLEARED(arena, AspPackedBody, packed->bodies);
  packed->free = ASP_TAKE(arena, AspPackedBody, packed->bodies);
  packed->before = ASP_TAKE_UNCLEARED(arena, AspPackedBody, packed->bodies);
  packed->light = asp_arena_take_uncleared(arena, (size_t)packed->batch_count, asp_light_size(packed->spheres));
  packed->light_body = ASP_TAKE_UNCLEARED(arena, AspLightBody, packed->bodies);
  packed->light_before = ASP_TAKE_UNCLEARED(arena, AspLightBody, packed->bodies);
  packed->best = asp_arena_take_uncleared(arena, (size_t)packed->batch_count, sizeof *packed->best);
  if (!packed->body || !packed->free || !packed->before || !packed->light || !packed->light_body ||
      !packed->light_before || !packed->best)
    return ASP_ERROR_MEMORY;
  for (int b = 0; scope->line && b < pack.of_problem->count; b++)
    scope->line[b] = pack.number[b] > 0 ? place[pack.number[b] - 1] : -1;
  Packing packing = {.packed = packed, .pack = &pack, .place = place};
  asp_parallel_for(arena->context, pack.bodies, PACKED_BODIES, pack_bodies, &packing);
  return ASP_OK;
}
