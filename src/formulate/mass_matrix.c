/* M of a step: a block per body, beams, and what springs and dampers add,
 *
 *   M + sum of lead j j^T      over the rows j of stiff elements,   lead = dt c + s dt^2 k
 *
 * An element enters only where an explicit step would not resolve it: dt^2 tr(M^-1 K) or dt tr(M^-1 C) above
 * DYNAMICS_STIFF. Its impulse is then
 *
 *   -dt k (x + s dt u+ + (theta - s) dt u) - dt c (u+ - (1 - theta) dt a)    x, u: value and rate along j, a: u' before
 *
 * With theta = 1/2, s goes from 1/12, which keeps the phase of an oscillation to fourth order, to 1/2 where the step
 * follows it just so, dt^2 tr(M^-1 K) = 4: of second order, and nothing is damped by it. Damping decays at any c, by
 * 0.7 a step where it is huge. From there on s goes to 1, without u: what a step does not follow is damped. How fast an
 * element is follows from what joints leave of its bodies' mobility (held_mobility.c). Explicit
 * dampers have u + (1 - theta) dt a, too. a: accelerations of the last step. With forces of the start
 * (Stewart-Trinkle): s = 1 and without a. M is written where its entries stand: a body's block in its columns, and
 * between two bodies that are coupled a block over the dofs that are: of hinges the spins. Beams have entries of their
 * own and are sorted in. */
#include "formulate/mass_matrix.h"
#include "formulate/held_mobility.h"
#include "formulate/tuning/formulate.h"
#include "linalg/sparse.h"
#include "model/model.h"

#include <math.h>

/* ---- rows of stiff elements ---- */

/* The row over the dofs of its two bodies. */
static AspError place_row(const AspFormulation *formulation, const AspRow *row, int n, AspStiffRow *it) {
  const double *gradient[2] = {row->ja, row->jb};
  it->body[0] = row->body_a;
  it->body[1] = row->body_b;
  for (int side = 0; side < 2; side++) {
    int body = it->body[side], station = formulation->station[body];
    const AspStationMap *map = station >= 0 ? &formulation->map[station] : NULL;
    memcpy(it->j[side], gradient[side], sizeof it->j[side]);
    it->g[side] = it->j[side];
    it->first[side] = map ? map->dof : formulation->dof[body];
    it->count[side] = map ? map->count : formulation->dof[body] >= 0 ? n : 0;
    if (!map)
      continue;
    it->g[side] = ASP_TAKE(formulation->arena, double, map->count);
    if (!it->g[side])
      return ASP_ERROR_MEMORY;
    for (int k = 0; k < map->count; k++)
      for (int i = 0; i < n; i++)
        it->g[side][k] += map->T[n * k + i] * gradient[side][i];
  }
  return ASP_OK;
}

void asp_mass_weigh(const double *block, int n, const double *g, double *out) {
  int moves = n == 6 ? 3 : n; // the rest turns: by the Cholesky factor of its inertia
  for (int k = 0; k < moves; k++)
    out[k] = g[k] / sqrt(block[(n + 1) * k]);
  if (n != 6)
    return;
  const double *J = block + 3 * 6 + 3;
  double a = sqrt(J[0]), b = J[1] / a, c = J[2] / a, d = sqrt(J[7] - b * b), e = (J[8] - b * c) / d,
         h = sqrt(J[14] - c * c - e * e);
  out[3] = g[3] / a;
  out[4] = (g[4] - b * out[3]) / d;
  out[5] = (g[5] - c * out[3] - e * out[4]) / h;
}

/* j M^-1 j^T; of beams by the diagonal of M. A thin rod that lies across the axes of the world turns about itself far
 * more easily than the diagonal says. */
static double mobility(const AspStiffRow *it, int n, const AspStiffStep *step) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const double *g = it->g[side];
    bool of_body = it->count[side] == n && g == it->j[side];
    double weighed[6];
    if (of_body)
      asp_mass_weigh(step->blocks + n * it->first[side], n, g, weighed);
    for (int k = 0; k < it->count[side]; k++)
      sum += of_body ? weighed[k] * weighed[k] : g[k] * g[k] / step->diagonal[it->first[side] + k];
  }
  return sum;
}

/* j times the velocities or accelerations v of all bodies. */
static double row_along(const AspStiffRow *it, int n, const double *v) {
  double rate = 0;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < n; i++)
      rate += it->j[side][i] * v[n * it->body[side] + i];
  return rate;
}

/* How much of a, the acceleration of the last step, a damper is given. A decay that this step does not follow says
 * nothing about more than a step as long as the last one: behind a part of dt/32, dt a is 32 times what is left of a
 * velocity, and the damper would throw it back and forth, larger every time. */
static double trusted(const AspFormulation *formulation, double dt, double damped) {
  double longer = formulation->accelerated_over > 0 ? dt / formulation->accelerated_over : 1;
  return fmin(1, fmax(1, DYNAMICS_DECAY / damped) / longer);
}

/* How a step takes an element: dt^2 tr(M^-1 K), its share of a, and whether it is implicit. */
typedef struct Manner {
  double fast, trusted;
  bool implicit;
} Manner;

/* The rows of one element, with what they add by their k and c; forces have x + theta dt v_m and v_m already, v_m: the
 * velocities that they were taken with. */
static void weigh(AspStiffRow *it, int count, const AspStiffStep *step, const double *k, const double *c,
                  const Manner *manner) {
  double dt = step->dt, theta = step->theta, rest = 1 - theta, speed = manner->fast / DYNAMICS_FOLLOWED;
  bool implicit = manner->implicit;
  double least = theta / 6; // exact: 1/12
  double ahead = step->at_start ? 1 : speed > 1 ? 1 - rest / speed : least + (theta - least) * speed;
  for (int i = 0; i < count; i++, it++) {
    double C = dt * c[i], K = dt * dt * k[i], known = step->at_start ? 0 : K;
    it->lead = implicit ? C + ahead * K : 0;
    it->right = implicit ? C + theta * known : (theta - 2 * least) * known; // v_m = (v + v+) / 2: 1/12 of v+
    it->back = implicit ? (theta - fmin(ahead, theta)) * known : it->right;
    it->late = step->at_start || (step->ahead && !implicit) ? 0 : (implicit ? manner->trusted * rest : -rest) * dt * C;
  }
}

/* What the row adds to f; ends without dofs have the velocity of the end of the step already. */
static void push_row(const AspFormulation *formulation, const AspStiffRow *it, int n, const AspStiffStep *step,
                     const double *v_m, double *f) {
  double known = 0;
  for (int side = 0; side < 2; side++)
    for (int i = 0; it->count[side] == 0 && i < n; i++)
      known += it->j[side][i] * step->start->v[n * it->body[side] + i];
  double push = it->right * row_along(it, n, v_m) - it->back * row_along(it, n, step->start->v) - it->lead * known;
  if (formulation->accelerated)
    push += it->late * row_along(it, n, formulation->accelerated);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < it->count[side]; k++)
      f[it->first[side] + k] += push * it->g[side][k];
}

AspError asp_springs_take(const AspFormulation *formulation, const AspState *state, AspSprings *springs, double *h) {
  const AspModel *model = formulation->model;
  size_t elements = (size_t)asp_model_stiff_count(model), rows = ASP_STIFF_ROWS * elements;
  *springs = (AspSprings){.count = ASP_TAKE_UNCLEARED(formulation->arena, int, elements),
                          .row = ASP_TAKE_UNCLEARED(formulation->arena, AspRow, rows),
                          .k = ASP_TAKE_UNCLEARED(formulation->arena, double, rows),
                          .c = ASP_TAKE_UNCLEARED(formulation->arena, double, rows)};
  if (!springs->count || !springs->row || !springs->k || !springs->c)
    return ASP_ERROR_MEMORY;
  for (size_t e = 0; e < elements; e++) {
    size_t first = ASP_STIFF_ROWS * e;
    springs->count[e] =
        asp_model_stiff_rows(model, state, (int)e, springs->row + first, springs->k + first, springs->c + first, h);
  }
  return ASP_OK;
}

AspError asp_stiff_collect(AspFormulation *formulation, const AspState *force_state, const AspStiffStep *step,
                           const AspSprings *springs, AspStiff *stiff, double *f) {
  const AspModel *model = formulation->model;
  int n = asp_body_velocities(asp_model_dimension(model)), elements = asp_model_stiff_count(model);
  double dt = step->dt;
  AspHeldJoints *held = NULL;
  *stiff = (AspStiff){.row = ASP_TAKE_UNCLEARED(formulation->arena, AspStiffRow, ASP_STIFF_ROWS * elements)};
  if (!stiff->row)
    return ASP_ERROR_MEMORY;
  bool any = false;
  for (int e = 0; e < elements; e++) {
    AspStiffRow *first = &stiff->row[stiff->count];
    const AspRow *row = springs->row + (size_t)ASP_STIFF_ROWS * (size_t)e;
    const double *k = springs->k + (size_t)ASP_STIFF_ROWS * (size_t)e;
    const double *c = springs->c + (size_t)ASP_STIFF_ROWS * (size_t)e;
    double W[ASP_STIFF_ROWS], fast = 0, damped = 0;
    int count = springs->count[e];
    for (int i = 0; i < count; i++) {
      ASP_TRY(place_row(formulation, &row[i], n, &first[i]));
      W[i] = mobility(&first[i], n, step);
      fast += dt * dt * k[i] * W[i];
      damped += dt * c[i] * W[i];
    }
    if (fast > DYNAMICS_FOLLOWED && !step->at_start && asp_model_joint_count(model) > 0) { // joints make it slower
      fast = 0;
      for (int i = 0; i < count; i++) {
        ASP_TRY(asp_held_mobility(formulation, force_state, &first[i], step, &held, &W[i]));
        fast += dt * dt * k[i] * W[i];
      }
    }
    Manner manner = {.fast = fast,
                     .trusted = trusted(formulation, dt, damped),
                     .implicit = fast > DYNAMICS_STIFF || damped > DYNAMICS_STIFF};
    formulation->unresolved += fast > DYNAMICS_FOLLOWED;
    weigh(first, count, step, k, c, &manner);
    for (int i = 0; i < count; i++)
      first[i].damped = fast > DYNAMICS_FOLLOWED ? W[i] : 0;
    for (int i = 0; i < count; i++)
      push_row(formulation, &first[i], n, step, force_state->v, f);
    any = any || manner.implicit;
    stiff->count += manner.implicit || model->stiff[e].of_joint ? count : 0;
  }
  stiff->count = any ? stiff->count : 0;
  formulation->stiff.count = stiff->count;
  formulation->stiff.row = stiff->row;
  return ASP_OK;
}

AspError asp_stiff_collect_all(AspFormulation *formulation, const AspState *state, double damping, double stiffness,
                               AspStiff *stiff) {
  const AspModel *model = formulation->model;
  int n = asp_body_velocities(asp_model_dimension(model));
  int elements = asp_model_stiff_count(model) + asp_model_servo_count(model);
  *stiff = (AspStiff){.row = ASP_TAKE_UNCLEARED(formulation->arena, AspStiffRow, ASP_STIFF_ROWS * elements)};
  if (!stiff->row)
    return ASP_ERROR_MEMORY;
  for (int e = 0; e < elements; e++) {
    AspRow row[ASP_STIFF_ROWS];
    double k[ASP_STIFF_ROWS], c[ASP_STIFF_ROWS];
    int count = asp_model_stiff_rows(model, state, e, row, k, c, NULL);
    for (int i = 0; i < count; i++, stiff->count++) {
      ASP_TRY(place_row(formulation, &row[i], n, &stiff->row[stiff->count]));
      stiff->row[stiff->count].lead = damping * c[i] + stiffness * k[i];
    }
  }
  return ASP_OK;
}

/* ---- M with beams: sorted from triplets ---- */

typedef struct Triplets {
  int count;
  int *row, *column;
  double *value;
} Triplets;

static void add_triplet(Triplets *triplets, int row, int column, double value) {
  triplets->row[triplets->count] = row;
  triplets->column[triplets->count] = column;
  triplets->value[triplets->count++] = value;
}

static void add_stiff_row(const AspStiffRow *it, Triplets *triplets) {
  for (int column = 0; column < 2; column++)
    for (int row = 0; row < 2; row++)
      for (int l = 0; l < it->count[column]; l++)
        for (int k = 0; k < it->count[row]; k++)
          add_triplet(triplets, it->first[row] + k, it->first[column] + l,
                      it->lead * (it->g[row][k] * it->g[column][l]));
}

static void add_beam(const AspBeamMatrix *beam, int dofs, Triplets *triplets) {
  // inner unknowns stand behind the dofs of all
  int behind = dofs + beam->inner - beam->count;
  for (int k = 0; k < beam->entries; k++)
    add_triplet(triplets, beam->row[k] + (beam->row[k] < beam->count ? beam->dof : behind),
                beam->column[k] + (beam->column[k] < beam->count ? beam->dof : behind), beam->value[k]);
}

static AspError sort_in(AspFormulation *formulation, const AspStiff *stiff, const AspBeamMatrix *beams,
                        const double *blocks) {
  const AspModel *model = formulation->model;
  AspArena *arena = formulation->arena;
  int n = asp_body_velocities(asp_model_dimension(model)), dofs = asp_model_dof_count(model), rigid = dofs;
  size_t size = 0;
  for (int e = 0; e < stiff->count; e++) {
    size_t count = (size_t)(stiff->row[e].count[0] + stiff->row[e].count[1]);
    size += count * count;
  }
  for (int beam = 0; beam < asp_model_beam_count(model); beam++) {
    size += (size_t)beams[beam].entries;
    rigid -= beams[beam].count;
  }
  size += (size_t)rigid * (size_t)n;
  Triplets triplets = {0, ASP_TAKE_UNCLEARED(arena, int, size), ASP_TAKE_UNCLEARED(arena, int, size),
                       ASP_TAKE_UNCLEARED(arena, double, size)};
  if (!triplets.row || !triplets.column || !triplets.value)
    return ASP_ERROR_MEMORY;
  for (int j = 0; j < rigid; j++)
    for (int i = 0; i < n; i++)
      add_triplet(&triplets, j / n * n + i, j, blocks[(size_t)j * (size_t)n + (size_t)i]);
  for (int beam = 0; beam < asp_model_beam_count(model); beam++)
    add_beam(&beams[beam], dofs, &triplets);
  for (int e = 0; e < stiff->count; e++)
    add_stiff_row(&stiff->row[e], &triplets);
  dofs += formulation->inner;
  return asp_sparse_from_triplets(arena, dofs, dofs, triplets.count, triplets.row, triplets.column, triplets.value,
                                  &formulation->problem.M);
}

/* ---- M of bodies alone: written in place ---- */

/* A block of M in the columns of a body: with itself, or with one that it is coupled to. */
typedef struct CoupledBlock {
  int other; /* its dofs begin at n other */
  int skip;  /* rows and columns before this one of the block are not there */
} CoupledBlock;

typedef struct BlockPattern {
  int n, bodies; /* dofs per body; bodies with dofs */
  int *start;    /* bodies + 1 */
  CoupledBlock *block;
} BlockPattern;

/* Does the row couple two bodies? *skip: the velocities before this one do nothing on it. */
static bool couples(const AspStiffRow *it, int n, int *skip) {
  int d = n == 6 ? 3 : 2;
  bool linear = false;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < d; i++)
      linear = linear || it->j[side][i] != 0;
  *skip = linear ? 0 : d;
  return it->count[0] > 0 && it->count[1] > 0;
}

/* Insert by ascending `other`; one that is there already keeps the larger part. */
static void insert_block(BlockPattern *it, int *end, int body, int other, int skip) {
  CoupledBlock *first = it->block + it->start[body], *at = it->block + *end;
  for (CoupledBlock *block = first; block < at; block++)
    if (block->other == other) {
      block->skip = skip < block->skip ? skip : block->skip;
      return;
    }
  for (; at > first && at[-1].other > other; at--)
    *at = at[-1];
  *at = (CoupledBlock){other, skip};
  ++*end;
}

static AspError find_blocks(AspArena *arena, const AspStiff *stiff, BlockPattern *it) {
  int *room = ASP_TAKE(arena, int, (size_t)it->bodies + 1), *end = ASP_TAKE_UNCLEARED(arena, int, it->bodies), skip;
  it->start = ASP_TAKE(arena, int, (size_t)it->bodies + 1);
  it->block = ASP_TAKE_UNCLEARED(arena, CoupledBlock, (size_t)it->bodies + 2 * (size_t)stiff->count);
  if (!room || !end || !it->start || !it->block)
    return ASP_ERROR_MEMORY;
  for (int e = 0; e < stiff->count; e++)
    for (int side = 0; side < 2 && couples(&stiff->row[e], it->n, &skip); side++)
      room[stiff->row[e].first[side] / it->n]++;
  for (int body = 0, at = 0; body < it->bodies; body++) {
    it->start[body] = end[body] = at;
    at += room[body] + 1;
    insert_block(it, &end[body], body, body, 0);
  }
  for (int e = 0; e < stiff->count; e++)
    for (int side = 0; side < 2 && couples(&stiff->row[e], it->n, &skip); side++) {
      int body = stiff->row[e].first[side] / it->n;
      insert_block(it, &end[body], body, stiff->row[e].first[1 - side] / it->n, skip);
    }
  int at = 0; // without the room that was not needed
  for (int body = 0; body < it->bodies; body++) {
    int from = it->start[body];
    it->start[body] = at;
    for (int k = from; k < end[body]; k++)
      it->block[at++] = it->block[k];
  }
  it->start[it->bodies] = at;
  return ASP_OK;
}

/* Pattern and the bodies' own blocks; zeros between bodies. */
static AspError write_pattern(AspArena *arena, const BlockPattern *it, const double *blocks, AspSparse *M) {
  int n = it->n, at = 0;
  size_t entries = (size_t)it->start[it->bodies] * (size_t)(n * n);
  *M = (AspSparse){.rows = n * it->bodies,
                   .columns = n * it->bodies,
                   .start = ASP_TAKE_UNCLEARED(arena, int, (size_t)(n * it->bodies) + 1),
                   .row = ASP_TAKE_UNCLEARED(arena, int, entries),
                   .value = ASP_TAKE_UNCLEARED(arena, double, entries)};
  if (!M->start || !M->row || !M->value)
    return ASP_ERROR_MEMORY;
  M->start[0] = 0;
  for (int body = 0; body < it->bodies; body++)
    for (int l = 0; l < n; l++) {
      for (int k = it->start[body]; k < it->start[body + 1]; k++) {
        const CoupledBlock *block = &it->block[k];
        for (int i = block->skip; l >= block->skip && i < n; i++, at++) {
          M->row[at] = n * block->other + i;
          M->value[at] = block->other == body ? blocks[(size_t)(n * body + l) * (size_t)n + (size_t)i] : 0;
        }
      }
      M->start[n * body + l + 1] = at;
    }
  return ASP_OK;
}

/* How many velocities come first on which the row does not act. */
static int leading_zeros(const AspStiffRow *stiff, int n) {
  int least = n;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < least && i < stiff->count[side]; i++)
      least = stiff->g[side][i] != 0 ? i : least;
  return least;
}

/* M += lead g g^T of the bodies in `row` over the columns of the body in `column`, from velocity `from` on */
static void add_product(const BlockPattern *it, const AspStiffRow *stiff, int row, int column, int from, AspSparse *M) {
  int n = it->n, body = stiff->first[column] / n, other = stiff->first[row] / n;
  for (int l = from; l < n; l++) {
    int at = M->start[n * body + l];
    const CoupledBlock *block = &it->block[it->start[body]];
    for (; block->other != other; block++)
      at += l >= block->skip ? n - block->skip : 0;
    for (int i = from > block->skip ? from : block->skip; l >= block->skip && i < n; i++)
      M->value[at + i - block->skip] += stiff->lead * (stiff->g[row][i] * stiff->g[column][l]);
  }
}

static AspError write_in_place(AspFormulation *formulation, const AspStiff *stiff, const double *blocks) {
  int n = asp_body_velocities(asp_model_dimension(formulation->model));
  BlockPattern it = {.n = n, .bodies = asp_model_dof_count(formulation->model) / n};
  ASP_TRY(find_blocks(formulation->arena, stiff, &it));
  ASP_TRY(write_pattern(formulation->arena, &it, blocks, &formulation->problem.M));
  for (int e = 0; e < stiff->count; e++) {
    int from = leading_zeros(&stiff->row[e], n);
    for (int row = 0; row < 2; row++)
      for (int column = 0; column < 2; column++)
        if (stiff->row[e].lead != 0 && stiff->row[e].count[row] > 0 && stiff->row[e].count[column] > 0)
          add_product(&it, &stiff->row[e], row, column, from, &formulation->problem.M);
  }
  return ASP_OK;
}

AspError asp_mass_assemble(AspFormulation *formulation, const AspStiff *stiff, const AspBeamMatrix *beams,
                           double *blocks) {
  const AspModel *model = formulation->model;
  if (asp_model_beam_count(model) > 0)
    return sort_in(formulation, stiff, beams, blocks);
  if (stiff->count > 0)
    return write_in_place(formulation, stiff, blocks);
  int dofs = asp_model_dof_count(model); // one dense block per body, which are taken as they are
  formulation->problem.M = (AspSparse){dofs, dofs, model->mass.start, model->mass.row, blocks};
  return ASP_OK;
}
