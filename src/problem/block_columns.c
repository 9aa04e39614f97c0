/* Products with H block by block: see block_columns.h. */
#include "problem/block_columns.h"

#include "base/parallel.h"
#include "problem/tuning/problem.h"

#include <math.h>

/* Two doubles that are multiplied and added at once. */
typedef double Pair __attribute__((vector_size(16)));

static inline Pair load(const double *from) {
  Pair pair;
  memcpy(&pair, from, sizeof pair);
  return pair;
}

static inline void store(double *to, Pair pair) { memcpy(to, &pair, sizeof pair); }

/* ---- where blocks act ---- */

/* Six rows from `dof` on? */
static inline bool are_six_from(const int *row, int dof) {
  int off = 0;
  for (int i = 0; i < 6; i++)
    off |= row[i] ^ (dof + i);
  return off == 0;
}

/* Has every column of the block the rows of these bodies, and nothing else? */
static bool has_rows(const AspSparse *H, int first, int end, const int dof[2], int size) {
  const int *row = H->row + H->start[first];
  for (int j = first; j < end; j++, row += size)
    if (H->start[j + 1] - H->start[j] != size || !are_six_from(row, dof[0]) || !are_six_from(row + size - 6, dof[1]))
      return false;
  return true;
}

/* The first dof of a body, -1 where it is no rigid one. */
static inline int rigid_dof(const AspMass *mass, int body) {
  int dof = mass->bodies.dof[mass->bodies.start[body]];
  return asp_mass_rigid_at(mass, dof) ? dof : -1;
}

bool asp_block_bodies_find(const AspContactProblem *problem, const AspMass *mass, int from, int end,
                           AspBlockBodies *bodies) {
  const AspSparse *H = &problem->H;
  for (int i = from; i < end; i++) {
    const int *body = mass->bodies.of_block + mass->bodies.block_start[i];
    int count = mass->bodies.block_start[i + 1] - mass->bodies.block_start[i];
    if (count != 1 && count != 2)
      return false;
    int dof[2] = {rigid_dof(mass, body[0]), rigid_dof(mass, body[count - 1])};
    if (dof[0] < 0 || dof[1] < 0 || !has_rows(H, problem->offset[i], problem->offset[i + 1], dof, 6 * count))
      return false;
    bodies[i] = (AspBlockBodies){{dof[0], count == 2 ? dof[1] : -1}};
  }
  return true;
}

/* The run or the two runs of six dofs that all columns of block i have. */
static AspBlockBodies runs_of(const AspContactProblem *problem, int i) {
  const AspSparse *H = &problem->H;
  const AspBlockBodies other = {{-1, -1}};
  int first = problem->offset[i], end = problem->offset[i + 1],
      size = H->start[first + (end > first)] - H->start[first];
  const int *row = H->row + H->start[first];
  if (size != 6 && size != 12)
    return other;
  int dof[2] = {row[0], row[size - 6]};
  if (dof[0] < 0 || dof[1] > problem->dofs - 6 || (size == 12 && dof[1] < dof[0] + 6) ||
      !has_rows(H, first, end, dof, size))
    return other;
  return (AspBlockBodies){{dof[0], size == 12 ? dof[1] : -1}};
}

int asp_block_runs_find(const AspContactProblem *problem, int from, int end, AspBlockBodies *runs) {
  int others = 0;
  for (int i = from; i < end; i++) {
    runs[i] = runs_of(problem, i);
    others += runs[i].dof[0] < 0;
  }
  return others;
}

/* ---- u = H^T x + w ---- */

/* Sums of even and odd products, which do not wait for each other. */
static inline Pair add_products(Pair sum, const double *h, const double *x) {
  for (int i = 0; i < 6; i += 2)
    sum += load(h + i) * load(x + i);
  return sum;
}

/* Entry by entry, of a block of another kind. */
static void other_velocity(const AspContactProblem *problem, int i, const double *x, double *u) {
  const AspSparse *H = &problem->H;
  for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++) {
    double sum = 0;
    for (int k = H->start[j]; k < H->start[j + 1]; k++)
      sum += H->value[k] * x[H->row[k]];
    u[j] = problem->w[j] + sum;
  }
}

void asp_blocks_velocity(const AspContactProblem *problem, const AspBlockBodies *bodies, const double *x, int from,
                         int end, double *u) {
  const AspSparse *H = &problem->H;
  const double *h = from < end ? H->value + H->start[problem->offset[from]] : NULL;
  for (int i = from; i < end; i++) {
    const int *dof = bodies[i].dof;
    if (dof[0] < 0) {
      other_velocity(problem, i, x, u);
      h = H->value + H->start[problem->offset[i + 1]];
      continue;
    }
    for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++) {
      Pair sum = add_products((Pair){0, 0}, h, x + dof[0]);
      h += 6;
      if (dof[1] >= 0) {
        sum = add_products(sum, h, x + dof[1]);
        h += 6;
      }
      u[j] = problem->w[j] + (sum[0] + sum[1]);
    }
  }
}

typedef long long PairBits __attribute__((vector_size(16)));

static inline Pair sizes_of(Pair pair) { return (Pair)((PairBits)pair & (PairBits){INT64_MAX, INT64_MAX}); }

static inline Pair add_sizes(Pair sum, const double *h, const double *y) {
  for (int i = 0; i < 6; i += 2)
    sum += sizes_of(load(h + i)) * load(y + i);
  return sum;
}

static void other_sizes(const AspContactProblem *problem, int i, const double *y, double *sum) {
  const AspSparse *H = &problem->H;
  for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++) {
    sum[j] = 0;
    for (int k = H->start[j]; k < H->start[j + 1]; k++)
      sum[j] += fabs(H->value[k]) * y[H->row[k]];
  }
}

void asp_blocks_sizes(const AspContactProblem *problem, const AspBlockBodies *bodies, const double *y, int from,
                      int end, double *sum) {
  const AspSparse *H = &problem->H;
  const double *h = from < end ? H->value + H->start[problem->offset[from]] : NULL;
  for (int i = from; i < end; i++) {
    const int *dof = bodies[i].dof;
    if (dof[0] < 0) {
      other_sizes(problem, i, y, sum);
      h = H->value + H->start[problem->offset[i + 1]];
      continue;
    }
    for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++) {
      Pair both = add_sizes((Pair){0, 0}, h, y + dof[0]);
      h += 6;
      if (dof[1] >= 0) {
        both = add_sizes(both, h, y + dof[1]);
        h += 6;
      }
      sum[j] = both[0] + both[1];
    }
  }
}

/* ---- diag(W) ---- */

void asp_blocks_diagonal(const AspContactProblem *problem, const AspBlockBodies *bodies, const AspMass *mass, int from,
                         int end, double *diagonal) {
  const AspSparse *H = &problem->H;
  const double *h = from < end ? H->value + H->start[problem->offset[from]] : NULL;
  for (int i = from; i < end; i++) {
    const int *dof = bodies[i].dof;
    const AspMassRigid *first = asp_mass_rigid_at(mass, dof[0]);
    const AspMassRigid *second = dof[1] >= 0 ? asp_mass_rigid_at(mass, dof[1]) : NULL;
    for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++) {
      diagonal[j] = asp_mass_rigid_square(first, h);
      h += 6;
      if (second) {
        diagonal[j] += asp_mass_rigid_square(second, h);
        h += 6;
      }
    }
  }
}

/* ---- x += H r ---- */

/* What `rows` columns, `size` values apart, do to one body. */
static inline void push_body(const double *h, int size, const double *r, int rows, double *x) {
  Pair sum[3] = {load(x), load(x + 2), load(x + 4)};
  for (int k = 0; k < rows; k++, h += size) {
    Pair both = {r[k], r[k]};
    for (int i = 0; i < 3; i++)
      sum[i] += load(h + 2 * i) * both;
  }
  for (int i = 0; i < 3; i++)
    store(x + 2 * i, sum[i]);
}

static inline bool is_zero(const double *r, int rows) {
  for (int k = 0; k < rows; k++)
    if (r[k] != 0)
      return false;
  return true;
}

/* The entries of a block of another kind at dofs from `low` to `high` - 1; terms not NULL: their sizes, counted. */
static void push_other(const AspContactProblem *problem, int i, const double *r, double *x, int *terms, int low,
                       int high) {
  const AspSparse *H = &problem->H;
  for (int j = problem->offset[i]; j < problem->offset[i + 1]; j++)
    for (int k = H->start[j]; r[j] != 0 && k < H->start[j + 1]; k++) {
      int dof = H->row[k];
      if (dof < low || dof >= high)
        continue;
      x[dof] += terms ? fabs(H->value[k] * r[j]) : H->value[k] * r[j];
      if (terms)
        terms[dof]++;
    }
}

/* The bodies whose dofs begin from `low` to `high` - 1. */
static void push_bodies(const AspContactProblem *problem, const AspBlockBodies *bodies, const double *r, double *x,
                        int low, int high) {
  const AspSparse *H = &problem->H;
  for (int i = 0; i < problem->blocks; i++) {
    const int *dof = bodies[i].dof;
    int first = problem->offset[i], rows = problem->offset[i + 1] - first, size = dof[1] >= 0 ? 12 : 6;
    const double *h = H->value + H->start[first];
    if (is_zero(r + first, rows)) // contacts that are open
      continue;
    if (dof[0] < 0)
      push_other(problem, i, r, x, NULL, low, high);
    if (dof[0] >= low && dof[0] < high)
      push_body(h, size, r + first, rows, x + dof[0]);
    if (dof[1] >= low && dof[1] < high)
      push_body(h + 6, size, r + first, rows, x + dof[1]);
  }
}

/* The same with the sizes of all terms, which are counted. */
static void push_body_sizes(const double *h, int size, const double *r, int rows, double *x, int *terms) {
  Pair sum[3] = {load(x), load(x + 2), load(x + 4)};
  for (int k = 0; k < rows; k++, h += size) {
    Pair both = {fabs(r[k]), fabs(r[k])};
    for (int i = 0; i < 3; i++)
      sum[i] += sizes_of(load(h + 2 * i)) * both;
  }
  for (int i = 0; i < 3; i++)
    store(x + 2 * i, sum[i]);
  for (int i = 0; i < 6; i++)
    terms[i] += rows;
}

static void push_bodies_sizes(const AspContactProblem *problem, const AspBlockBodies *bodies, const double *r,
                              double *x, int *terms, int low, int high) {
  const AspSparse *H = &problem->H;
  for (int i = 0; i < problem->blocks; i++) {
    const int *dof = bodies[i].dof;
    int first = problem->offset[i], rows = problem->offset[i + 1] - first, size = dof[1] >= 0 ? 12 : 6;
    const double *h = H->value + H->start[first];
    if (is_zero(r + first, rows))
      continue;
    if (dof[0] < 0)
      push_other(problem, i, r, x, terms, low, high);
    if (dof[0] >= low && dof[0] < high)
      push_body_sizes(h, size, r + first, rows, x + dof[0], terms + dof[0]);
    if (dof[1] >= low && dof[1] < high)
      push_body_sizes(h + 6, size, r + first, rows, x + dof[1], terms + dof[1]);
  }
}

typedef struct Pushing {
  const AspContactProblem *problem;
  const AspBlockBodies *bodies;
  const double *r;
  double *x;
  int *terms; /* NULL: the sum itself */
  int parts;
} Pushing;

static void push_parts(void *data, int from, int end) {
  const Pushing *pushing = data;
  int64_t dofs = pushing->problem->dofs;
  int low = (int)(dofs * from / pushing->parts), high = (int)(dofs * end / pushing->parts);
  if (pushing->terms)
    push_bodies_sizes(pushing->problem, pushing->bodies, pushing->r, pushing->x, pushing->terms, low, high);
  else
    push_bodies(pushing->problem, pushing->bodies, pushing->r, pushing->x, low, high);
}

/* Every thread looks at all blocks, but at its own bodies only: their sums keep the order of the blocks. */
static void push_all(AspContext *context, Pushing *pushing) {
  pushing->parts = pushing->problem->blocks < BLOCK_COLUMNS_GRAIN ? 1 : asp_team_size(context);
  asp_parallel_for(context, pushing->parts, 1, push_parts, pushing);
}

void asp_blocks_push(AspContext *context, const AspContactProblem *problem, const AspBlockBodies *bodies,
                     const double *r, double *x) {
  push_all(context, &(Pushing){.problem = problem, .bodies = bodies, .r = r, .x = x});
}

void asp_blocks_push_sizes(AspContext *context, const AspContactProblem *problem, const AspBlockBodies *bodies,
                           const double *r, double *size, int *terms) {
  push_all(context, &(Pushing){.problem = problem, .bodies = bodies, .r = r, .x = size, .terms = terms});
}
