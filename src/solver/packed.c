/* Packed Gauss-Seidel: recognising the problem, laying it out. See packed.h. */
#include "solver/packed.h"

#include "base/parallel.h"
#include "problem/rigid.h"

#include <math.h>
#include <stdatomic.h>

#define ROUNDING 1e-12 /* of what is equal but for rounding, relative */

/* A body of the problem: its first dof, 1/m, and L^-1 of its inertia J = L L^T (lower, by rows). */
typedef struct Body {
  int dof;
  double inverse_mass, L[6];
} Body;

typedef struct Pack {
  const AspContactProblem *problem;
  const bool *active; /* blocks; NULL: all */
  int *body_of;       /* dofs: body */
  Body *body;
  int bodies;
  int (*ends)[2];      /* blocks: first dofs of their bodies, ascending; -1 before the only one */
  int *first, *second; /* contacts: bodies; first < 0: the ground */
  int *block;          /* contacts: block of the problem */
  int contacts;
  atomic_bool differs; /* the problem is of another kind */
} Pack;

/* ---- recognising ---- */

/* M's block at `dof` as mass and inertia; false when it is of another kind. */
static bool read_body(const AspSparse *M, int dof, Body *body) {
  double block[36] = {0};
  for (int j = 0; j < 6; j++)
    for (int k = M->start[dof + j]; k < M->start[dof + j + 1]; k++) {
      int i = M->row[k] - dof;
      if (i >= 0 && i < 6)
        block[6 * j + i] += M->value[k];
      else if (M->value[k] != 0)
        return false;
    }
  double m, J[6];
  if (!asp_rigid_split(block, &m, J))
    return false;
  double a = J[0], b = J[1], c = J[2], d = J[3], e = J[4], f = J[5];
  double l00 = sqrt(a), l10 = b / l00, l20 = c / l00, l11 = sqrt(d - l10 * l10), l21 = (e - l20 * l10) / l11;
  double l22 = sqrt(f - l20 * l20 - l21 * l21);
  if (!(m > 0 && l00 > 0 && l11 > 0 && l22 > 0 && isfinite(m + l00 + l11 + l22)))
    return false;
  double *L = body->L;
  body->dof = dof;
  body->inverse_mass = 1 / m;
  L[0] = 1 / l00;
  L[2] = 1 / l11;
  L[5] = 1 / l22;
  L[1] = -l10 * L[0] * L[2];
  L[4] = -l21 * L[2] * L[5];
  L[3] = -(l20 * L[0] + l21 * L[1]) * L[5];
  return true;
}

/* The bodies of one column: first dofs, ascending. Where zeros were left out, bodies begin at multiples of six. False
 * when there are more than two, or they overlap. */
static bool column_bodies(const AspSparse *H, int column, int dof[2], int *count) {
  *count = 0;
  for (int k = H->start[column], end = H->start[column + 1]; k < end;) {
    int row = H->row[k];
    bool whole = k + 6 <= end && H->row[k + 5] == row + 5;
    if (*count == 2)
      return false;
    dof[(*count)++] = whole ? row : row - row % 6;
    for (int next = dof[*count - 1] + 6; k < end && H->row[k] < next; k++)
      ;
  }
  return *count < 2 || dof[0] + 6 <= dof[1];
}

/* The six entries of a column at a body: where they are, or copied into `room` where zeros were left out. */
static const double *column_values(const AspSparse *H, int column, int dof, double room[6]) {
  int end = H->start[column + 1];
  for (int k = H->start[column]; k + 6 <= end; k += 6)
    if (H->row[k] == dof && H->row[k + 5] == dof + 5)
      return H->value + k;
  memset(room, 0, 6 * sizeof *room);
  for (int k = H->start[column]; k < end; k++)
    if (H->row[k] >= dof && H->row[k] < dof + 6)
      room[H->row[k] - dof] = H->value[k];
  return room;
}

static bool is_contact(const AspContactProblem *problem, int i) {
  const AspLaw *law = &problem->law[i];
  return law->kind == ASP_LAW_UNILATERAL || (law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_EXACT);
}

/* The body that begins at `dof`; -1 where it would overlap another one. */
static int body_at(Pack *pack, int dof) {
  int known = pack->body_of[dof] - 1;
  if (known >= 0)
    return pack->body[known].dof == dof ? known : -1;
  if (dof + 6 > pack->problem->dofs)
    return -1;
  pack->body[pack->bodies].dof = dof;
  for (int k = 0; k < 6; k++) {
    if (pack->body_of[dof + k])
      return -1;
    pack->body_of[dof + k] = pack->bodies + 1;
  }
  return pack->bodies++;
}

/* Linear rows of two bodies are opposite to each other. */
static bool are_opposite(const AspSparse *H, int column, const int dof[2]) {
  double room[2][6];
  const double *p = column_values(H, column, dof[0], room[0]), *q = column_values(H, column, dof[1], room[1]);
  return p[0] == -q[0] && p[1] == -q[1] && p[2] == -q[2];
}

/* Has the column the whole of the two bodies, and nothing else? Nearly all have: told by four of its rows. */
static bool is_whole_pair(const AspSparse *H, int column, const int dof[2]) {
  const int *row = H->row + H->start[column];
  return H->start[column + 1] - H->start[column] == 12 && row[0] == dof[0] && row[5] == dof[0] + 5 &&
         row[6] == dof[1] && row[11] == dof[1] + 5;
}

/* The bodies of a block; false when it is of another kind. */
static bool read_block(const Pack *pack, int i) {
  const AspContactProblem *problem = pack->problem;
  const AspSparse *H = &problem->H;
  int dof[2], count = 0, first = problem->offset[i];
  if (!column_bodies(H, first, dof, &count) || count == 0)
    return false;
  for (int k = first; k < problem->offset[i + 1]; k++) {
    int other[2] = {0, 0}, others;
    if (k > first && !(count == 2 && is_whole_pair(H, k, dof))) {
      if (!column_bodies(H, k, other, &others) || others != count || other[0] != dof[0] ||
          (count == 2 && other[1] != dof[1]))
        return false;
    }
    if (count == 2 && !are_opposite(H, k, dof))
      return false;
  }
  pack->ends[i][0] = count == 2 ? dof[0] : -1;
  pack->ends[i][1] = dof[count - 1];
  return true;
}

static void read_blocks(void *data, int from, int end) {
  Pack *pack = data;
  for (int i = from; i < end; i++)
    if (!is_contact(pack->problem, i) || ((!pack->active || pack->active[i]) && !read_block(pack, i))) {
      atomic_store_explicit(&pack->differs, true, memory_order_relaxed);
      return;
    }
}

static void read_bodies(void *data, int from, int end) {
  Pack *pack = data;
  for (int b = from; b < end; b++)
    if (!read_body(&pack->problem->M, pack->body[b].dof, &pack->body[b]))
      atomic_store_explicit(&pack->differs, true, memory_order_relaxed);
}

/* Contacts and bodies get their numbers in the order of the blocks. */
static void number_contacts(Pack *pack) {
  for (int i = 0; i < pack->problem->blocks && !pack->differs; i++) {
    if (pack->active && !pack->active[i])
      continue;
    int n = pack->contacts++, *ends = pack->ends[i];
    pack->block[n] = i;
    pack->second[n] = body_at(pack, ends[1]);
    pack->first[n] = ends[0] >= 0 ? body_at(pack, ends[0]) : -1;
    pack->differs = pack->second[n] < 0 || (ends[0] >= 0 && pack->first[n] < 0);
  }
}

#define BLOCKS 128 /* blocks, */
#define BODIES 128 /* and bodies, worth a thread */

static AspError recognise(Pack *pack, AspArena *arena, bool *fits) {
  const AspContactProblem *problem = pack->problem;
  *fits = false;
  if (problem->dimension != 3 || problem->dofs < 6 || problem->blocks == 0)
    return ASP_OK;
  pack->body_of = ASP_TAKE(arena, int, problem->dofs + 6);
  pack->body = ASP_TAKE_UNCLEARED(arena, Body, problem->dofs / 6);
  pack->ends = asp_arena_take_uncleared(arena, (size_t)problem->blocks, sizeof *pack->ends);
  pack->first = ASP_TAKE_UNCLEARED(arena, int, problem->blocks);
  pack->second = ASP_TAKE_UNCLEARED(arena, int, problem->blocks);
  pack->block = ASP_TAKE_UNCLEARED(arena, int, problem->blocks);
  if (!pack->body_of || !pack->body || !pack->ends || !pack->first || !pack->second || !pack->block)
    return ASP_ERROR_MEMORY;
  asp_share(arena->context, problem->blocks, BLOCKS, read_blocks, pack);
  number_contacts(pack);
  if (!pack->differs)
    asp_share(arena->context, pack->bodies, BODIES, read_bodies, pack);
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
  const Pack *pack;
  const int *place;     /* bodies */
  atomic_bool does_not; /* a contact does not fit */
} Packing;

static void pack_bodies(void *data, int from, int end) {
  const Packing *packing = data;
  const Pack *pack = packing->pack;
  for (int b = from; b < end; b++) {
    const Body *body = &pack->body[b];
    const double *f = pack->problem->f + body->dof;
    AspPackedBody *line = &packing->packed->free[packing->place[b]];
    line->inverse_mass = body->inverse_mass;
    for (int k = 0; k < 3; k++)
      line->v[k] = f[k] * body->inverse_mass;
    turn_inertia(body->L, f + 3, line->w);
  }
}

/* Directions of a contact, and angular rows of its bodies, times L^-T. */
typedef struct Rows {
  double D[3][3], A[3][3], B[3][3];
} Rows;

static double dot(const double *x, const double *y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

/* Columns without zeros left out follow each other, each with its bodies in order: nothing is to be searched for. */
static const double *whole_columns(const AspContactProblem *problem, int i, int bodies) {
  const AspSparse *H = &problem->H;
  int first = problem->offset[i], end = problem->offset[i + 1];
  return H->start[end] - H->start[first] == 6 * bodies * (end - first) ? H->value + H->start[first] : NULL;
}

static void read_rows(const Pack *pack, int n, Rows *rows) {
  const AspContactProblem *problem = pack->problem;
  const AspSparse *H = &problem->H;
  int i = pack->block[n], first = problem->offset[i], count = problem->offset[i + 1] - first;
  const Body *p = pack->first[n] >= 0 ? &pack->body[pack->first[n]] : NULL, *q = &pack->body[pack->second[n]];
  const double *whole = whole_columns(problem, i, p ? 2 : 1);
  *rows = (Rows){.D = {{0}}};
  for (int k = 0; k < count; k++) {
    double room[2][6];
    const double *of_p = p && !whole ? column_values(H, first + k, p->dof, room[0]) : whole;
    const double *of_q = !whole ? column_values(H, first + k, q->dof, room[1]) : p ? whole + 6 : whole;
    memcpy(rows->D[k], of_q, sizeof rows->D[k]);
    turn_inertia(q->L, of_q + 3, rows->B[k]);
    if (p)
      turn_inertia(p->L, of_p + 3, rows->A[k]);
    if (whole)
      whole += p ? 12 : 6;
  }
}

/* Are the angular rows `arm` times n x D_k, up to rounding? */
static bool read_arm(double D[3][3], double angular[3][3], double *arm) {
  double turned[3][3];
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      turned[k][j] = D[0][(j + 1) % 3] * D[k][(j + 2) % 3] - D[0][(j + 2) % 3] * D[k][(j + 1) % 3];
  double square = dot(turned[1], turned[1]);
  *arm = square > 0 ? dot(angular[1], turned[1]) / square : 0;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      if (!(fabs(angular[k][j] - *arm * turned[k][j]) <= ROUNDING * fabs(*arm)))
        return false;
  return true;
}

/* The local matrix; returns whether normal and tangents are coupled by more than rounding. */
static bool pack_local(AspBatch *batch, int lane, const Rows *rows, double inverse_masses, bool friction,
                       double coupling[2]) {
  static const int pair[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  double W[6];
  for (int e = 0; e < 6; e++) {
    int k = pair[e][0], l = pair[e][1];
    W[e] = inverse_masses * dot(rows->D[k], rows->D[l]) + dot(rows->A[k], rows->A[l]) + dot(rows->B[k], rows->B[l]);
  }
  double largest = 0.5 * (W[3] + W[5]) + sqrt(0.25 * (W[3] - W[5]) * (W[3] - W[5]) + W[4] * W[4]);
  coupling[0] = W[1];
  coupling[1] = W[2];
  batch->inverse_N[lane] = W[0] > 0 ? 1 / W[0] : 0;
  batch->inverse_T[lane] = friction && largest > 0 ? 1 / largest : 0;
  return !(fmax(fabs(W[1]), fabs(W[2])) <= ROUNDING * W[0]);
}

/* False when the contact does not fit into a round batch that is asked for. */
static bool pack_contact(const Pack *pack, const int *place, int n, int ground, bool round, AspBatch *batch, int lane) {
  const AspContactProblem *problem = pack->problem;
  int i = pack->block[n], first = problem->offset[i], count = problem->offset[i + 1] - first;
  bool two = pack->first[n] >= 0;
  double inverse_masses = pack->body[pack->second[n]].inverse_mass, coupling[2];
  Rows rows;
  read_rows(pack, n, &rows);
  if (two)
    inverse_masses += pack->body[pack->first[n]].inverse_mass;
  batch->p[lane] = two ? place[pack->first[n]] : ground;
  batch->q[lane] = place[pack->second[n]];
  batch->mu[lane] = problem->law[i].kind == ASP_LAW_COULOMB ? problem->law[i].mu : 0;
  bool coupled = pack_local(batch, lane, &rows, inverse_masses, batch->mu[lane] > 0, coupling);
  for (int k = 0; k < 3; k++) {
    batch->w[k][lane] = k < count ? problem->w[first + k] : 0;
    for (int j = 0; j < 3; j++)
      batch->D[3 * k + j][lane] = rows.D[k][j];
  }
  if (round) {
    AspRoundBatch *own = (AspRoundBatch *)batch;
    return !coupled && read_arm(rows.D, rows.A, &own->arm[0][lane]) && read_arm(rows.D, rows.B, &own->arm[1][lane]);
  }
  AspArmsBatch *own = (AspArmsBatch *)batch;
  for (int e = 0; e < 9; e++) {
    own->A[e][lane] = rows.A[e / 3][e % 3];
    own->B[e][lane] = rows.B[e / 3][e % 3];
  }
  own->W[0][lane] = coupling[0];
  own->W[1][lane] = coupling[1];
  return true;
}

/* The batches of one set; the lines of its ground contacts are its own. */
static bool pack_set(const AspPacked *packed, const Pack *pack, const int *place, int s) {
  bool fits = true;
  for (int b = packed->set[s].first; b < packed->set[s].end && fits; b++) {
    int ground = pack->bodies + s * ASP_GROUND_LINES + b % ASP_GROUND_LINES;
    AspBatch *batch = asp_batch_at(packed, b);
    memset(batch, 0, asp_batch_size(packed->round)); // here, where it is filled at once
    for (int lane = 0; lane < ASP_LANES; lane++) {
      int n = packed->source[b][lane];
      batch->p[lane] = batch->q[lane] = ground;
      fits = fits && (n < 0 || pack_contact(pack, place, n, ground, packed->round, batch, lane));
    }
  }
  return fits;
}

static void pack_sets(void *data, int from, int end) {
  Packing *packing = data;
  for (int s = from; s < end; s++)
    if (!pack_set(packing->packed, packing->pack, packing->place, s))
      atomic_store_explicit(&packing->does_not, true, memory_order_relaxed);
}

/* Batches of the kind that packed->round tells; *fits: all contacts go into it. */
static AspError pack_batches(AspPacked *packed, AspArena *arena, const Pack *pack, const int *place, bool *fits) {
  Packing packing = {.packed = packed, .pack = pack, .place = place};
  packed->batch = asp_arena_take_uncleared(arena, (size_t)packed->batch_count, asp_batch_size(packed->round));
  if (!packed->batch)
    return ASP_ERROR_MEMORY;
  asp_share(arena->context, packed->set_count, 1, pack_sets, &packing);
  *fits = !packing.does_not;
  return ASP_OK;
}

static bool is_multiple_of_one(const double L[6]) {
  double off = fmax(fabs(L[1]), fmax(fabs(L[3]), fabs(L[4]))), uneven = fmax(fabs(L[0] - L[2]), fabs(L[0] - L[5]));
  return fmax(off, uneven) <= ROUNDING * L[0];
}

/* Round ones where that fits, else with arms. Then contact numbers in `source` become blocks. */
static AspError choose_batches(AspPacked *packed, AspArena *arena, const Pack *pack, const int *place) {
  AspArenaMark mark = asp_arena_mark(arena);
  bool fits = false;
  packed->round = true;
  for (int b = 0; b < pack->bodies && packed->round; b++)
    packed->round = is_multiple_of_one(pack->body[b].L);
  if (packed->round)
    ASP_TRY(pack_batches(packed, arena, pack, place, &fits));
  if (!fits) {
    asp_arena_rewind(arena, mark);
    packed->round = false;
    ASP_TRY(pack_batches(packed, arena, pack, place, &fits));
  }
  for (int b = 0; b < packed->batch_count; b++)
    for (int lane = 0; lane < ASP_LANES && packed->source[b][lane] >= 0; lane++)
      packed->source[b][lane] = pack->block[packed->source[b][lane]];
  return ASP_OK;
}

AspError asp_packed_take(AspPacked *packed, AspArena *arena, const AspContactProblem *problem,
                         const AspPackedScope *scope, bool *fits) {
  Pack pack = {.problem = problem, .active = scope->active};
  *packed = (AspPacked){
      .problem = problem, .rho = scope->rho, .norm_q = scope->norm_q, .rest = scope->rest, .context = arena->context};
  ASP_TRY(recognise(&pack, arena, fits));
  if (!*fits)
    return ASP_OK;
  int *place = ASP_TAKE(arena, int, pack.bodies);
  if (!place)
    return ASP_ERROR_MEMORY;
  AspPackedGraph graph = {pack.contacts, pack.bodies, pack.first, pack.second};
  ASP_TRY(asp_packed_order(packed, arena, &graph, place));
  packed->contacts = pack.contacts;
  packed->bodies = (pack.bodies + packed->set_count * ASP_GROUND_LINES + ASP_LINES - 1) / ASP_LINES * ASP_LINES;
  ASP_TRY(choose_batches(packed, arena, &pack, place));
  packed->body = ASP_TAKE_UNCLEARED(arena, AspPackedBody, packed->bodies);
  packed->free = ASP_TAKE(arena, AspPackedBody, packed->bodies);
  packed->before = ASP_TAKE_UNCLEARED(arena, AspPackedBody, packed->bodies);
  packed->light = asp_arena_take_uncleared(arena, (size_t)packed->batch_count, asp_light_size(packed->round));
  packed->light_body = ASP_TAKE_UNCLEARED(arena, AspLightBody, packed->bodies);
  packed->light_before = ASP_TAKE_UNCLEARED(arena, AspLightBody, packed->bodies);
  packed->best = asp_arena_take_uncleared(arena, (size_t)packed->batch_count, sizeof *packed->best);
  if (!packed->body || !packed->free || !packed->before || !packed->light || !packed->light_body ||
      !packed->light_before || !packed->best)
    return ASP_ERROR_MEMORY;
  Packing packing = {.packed = packed, .pack = &pack, .place = place};
  asp_share(arena->context, pack.bodies, BODIES, pack_bodies, &packing);
  return ASP_OK;
}
