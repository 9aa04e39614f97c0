/* Families without a plan: packings, clusters, small degenerate problems, dense random data.
 *
 * Packings: spheres on a face-centred lattice (square layers, each shifted by half a spacing), centres and radii
 * jittered; neighbours on the lattice touch where the jitter brought them together. Any size, in linear time.
 */
#include "problem_scattered.h"

#include <math.h>
#include <stdlib.h>

static AspVec3 random_vector(AspRandom *random, double deviation) {
  double x = asp_random_normal(random), y = asp_random_normal(random);
  return scale3(deviation, vec3(x, y, asp_random_normal(random)));
}

static int pick(AspRandom *random, int count) { return (int)(asp_random_bits(random) % (uint64_t)count); }

/* ---- packings ---- */

typedef struct Packing {
  ProblemBuilder *builder;
  AspRandom *random;
  int across;     /* spheres along x and y in a layer */
  double spacing; /* of the lattice, m */
  bool mixed;
  double mu;      /* when not mixed */
  double *radius; /* of the spheres of the two newest layers, [2][across^2] */
} Packing;

static double draw_friction(Packing *packing) {
  static const double choices[] = {0, 0.01, 0.3, 1, 10};
  return packing->mixed ? choices[pick(packing->random, 5)] : packing->mu;
}

/* A contact where two spheres nearly touch. Gaps that the jitter left are shrunk to what a step might close. */
static void touch(Packing *packing, int a, int b, double radius_a, double radius_b) {
  const BuilderBody *body = packing->builder->body;
  AspVec3 between = sub3(body[b].position, body[a].position);
  double gap = norm3(between) - radius_a - radius_b;
  if (gap > 0.02 * packing->spacing)
    return;
  AspVec3 normal = unit3(between), point = axpy3(body[a].position, radius_a + 0.5 * gap, normal);
  builder_add_contact(packing->builder, a, b, point, normal, gap > 0 ? 0.01 * gap : 0, draw_friction(packing));
}

/* A contact with an immobile plane through `through`; beyond the lattice's edge. */
static void touch_plane(Packing *packing, int body, double radius, AspVec3 inward) {
  AspVec3 point = axpy3(packing->builder->body[body].position, -radius, inward);
  builder_add_contact(packing->builder, BUILDER_GROUND, body, point, inward, 0, draw_friction(packing));
}

/* Contacts of sphere (i, j) of a layer with its earlier neighbours, the floor and the walls. */
static void touch_neighbours(Packing *packing, int layer, int i, int j, int first) {
  int n = packing->across, place = i * n + j, body = first + place, shift = layer % 2 == 1 ? 0 : -1;
  const double *radius = packing->radius + (size_t)(layer % 2) * (size_t)(n * n);
  const double *radius_below = packing->radius + (size_t)((layer + 1) % 2) * (size_t)(n * n);
  if (i > 0)
    touch(packing, body - n, body, radius[place - n], radius[place]);
  if (j > 0)
    touch(packing, body - 1, body, radius[place - 1], radius[place]);
  for (int k = 0; layer && k < 4; k++) {
    int below_i = i + shift + (k & 1), below_j = j + shift + (k >> 1), below = below_i * n + below_j;
    if (below_i >= 0 && below_i < n && below_j >= 0 && below_j < n)
      touch(packing, first - n * n + below, body, radius_below[below], radius[place]);
  }
  if (layer == 0)
    touch_plane(packing, body, radius[place], vec3(0, 0, 1));
  bool shifted = layer % 2 == 1; // walls stand where the layer reaches out furthest
  if (i == 0 && !shifted)
    touch_plane(packing, body, radius[place], vec3(1, 0, 0));
  if (j == 0 && !shifted)
    touch_plane(packing, body, radius[place], vec3(0, 1, 0));
  if (i == n - 1 && shifted)
    touch_plane(packing, body, radius[place], vec3(-1, 0, 0));
  if (j == n - 1 && shifted)
    touch_plane(packing, body, radius[place], vec3(0, -1, 0));
}

void scatter_packing(ProblemBuilder *builder, AspRandom *random, int size, double filling, double mass_decades,
                     bool mixed) {
  int n = (int)lround(cbrt(size / 4.0));
  n = n < 2 ? 2 : n;
  Packing packing = {.builder = builder,
                     .random = random,
                     .across = n,
                     .spacing = 0.1,
                     .mixed = mixed,
                     .mu = asp_random_uniform(random, 0.2, 0.7),
                     .radius = asp_allocate(builder->context, 2 * (size_t)n * (size_t)n, sizeof(double))};
  if (!packing.radius) {
    builder->error = ASP_ERROR_MEMORY;
    return;
  }
  double d = packing.spacing;
  for (int layer = 0; builder->blocks < size && builder->error == ASP_OK; layer++) {
    int first = builder->bodies;
    double shift = layer % 2 ? 0.5 * d : 0, *radius = packing.radius + (size_t)(layer % 2) * (size_t)(n * n);
    for (int k = 0; k < n * n && builder->error == ASP_OK; k++) {
      AspVec3 site = vec3(shift + d * (k / n), shift + d * (k % n), 0.5 * d + layer * d / sqrt(2));
      radius[k] = 0.5 * filling * d * asp_random_uniform(random, 0.97, 1.03);
      double mass = 2500 * 4.19 * pow(radius[k], 3) * pow(10, asp_random_uniform(random, -0.5, 0.5) * mass_decades);
      builder_add_ball(builder, mass, radius[k], add3(site, random_vector(random, 0.03 * d)));
    }
    for (int k = 0; k < n * n && builder->error == ASP_OK; k++)
      touch_neighbours(&packing, layer, k / n, k % n, first);
  }
  builder_shake(builder, random, asp_random_uniform(random, 0, 0.05), 0.5 * d);
  asp_release(builder->context, packing.radius);
}

/* ---- clusters ---- */

typedef struct Pair {
  int a, b;
  double distance;
} Pair;

static int nearer(const void *left, const void *right) {
  const Pair *a = left, *b = right;
  if (a->distance != b->distance)
    return a->distance < b->distance ? -1 : 1;
  return a->a != b->a ? a->a - b->a : a->b - b->b;
}

/* Bodies in a ball, the nearest pairs in contact at points off their centre line, everything pulled to the middle. */
void scatter_cluster(ProblemBuilder *builder, AspRandom *random, int size) {
  int bodies = (int)lround(33.0 / 150.0 * size);
  while (bodies < 2 || bodies * (bodies - 1) / 2 < size)
    bodies++;
  int pairs = bodies * (bodies - 1) / 2, next = 0;
  Pair *pair = asp_allocate(builder->context, (size_t)pairs, sizeof *pair);
  if (!pair) {
    builder->error = ASP_ERROR_MEMORY;
    return;
  }
  double pull = asp_random_uniform(random, 10, 1e3), mu = asp_random_uniform(random, 0.5, 1);
  builder->gravity = vec3(0, 0, 0);
  for (int k = 0; k < bodies; k++) {
    BuilderBody body = {.mass = asp_random_uniform(random, 0.5, 2), .position = random_vector(random, 1)};
    body.inertia = mat3_diagonal(0.1 * body.mass, 0.15 * body.mass, 0.2 * body.mass);
    body.force = scale3(-pull, body.position);
    builder_add_body(builder, &body);
  }
  for (int a = 0; a < bodies && builder->error == ASP_OK; a++)
    for (int b = a + 1; b < bodies; b++)
      pair[next++] = (Pair){a, b, norm3(sub3(builder->body[b].position, builder->body[a].position))};
  qsort(pair, (size_t)next, sizeof *pair, nearer);
  for (int k = 0; k < size && builder->error == ASP_OK; k++) {
    AspVec3 from = builder->body[pair[k].a].position, to = builder->body[pair[k].b].position;
    AspVec3 along = unit3(sub3(to, from)), tilted = add3(along, random_vector(random, 0.1));
    AspVec3 point = add3(scale3(0.5, add3(from, to)), random_vector(random, 0.1));
    builder_add_contact(builder, pair[k].a, pair[k].b, point, tilted, 0, mu);
  }
  asp_release(builder->context, pair);
  builder_shake(builder, random, 0.1, 0.5);
}

/* ---- small degenerate problems ---- */

static double draw_small_friction(AspRandom *random) {
  switch (pick(random, 4)) {
  case 0:
    return 0;
  case 1:
    return 10;
  case 2:
    return asp_random_uniform(random, 0, 10);
  default:
    return asp_random_uniform(random, 0, 1);
  }
}

/* Repeat an earlier contact, exactly or so nearly that W is almost singular. */
static void repeat_contact(ProblemBuilder *builder, AspRandom *random) {
  BuilderBlock block = builder->block[pick(random, builder->blocks)];
  if (pick(random, 2))
    block.point = add3(block.point, random_vector(random, pow(10, asp_random_uniform(random, -12, -6))));
  builder_add_block(builder, &block);
}

void scatter_small(ProblemBuilder *builder, AspRandom *random) {
  int contacts = 1 + pick(random, 6), bodies = 1 + pick(random, 3);
  bool quiet = pick(random, 10) == 0;    // q = 0
  bool arbitrary = pick(random, 5) == 0; // w of any sign: a solution need not exist
  double mass_decades = pick(random, 2) ? 6 : 1, speed = pow(10, asp_random_uniform(random, -3, 3));
  for (int k = 0; k < bodies; k++) {
    double mass = pow(10, asp_random_uniform(random, -0.5, 0.5) * mass_decades);
    double x = asp_random_uniform(random, 0.05, 1), y = asp_random_uniform(random, 0.05, 1);
    AspVec3 half = vec3(x, y, asp_random_uniform(random, 0.05, 1)), position = random_vector(random, 1);
    int body = builder_add_box(builder, mass, half, position, quat_from_vector(random_vector(random, 1)));
    if (!quiet && builder->error == ASP_OK) {
      builder->body[body].velocity = random_vector(random, speed);
      builder->body[body].angular_velocity = random_vector(random, speed);
    }
  }
  if (quiet || pick(random, 3) == 0)
    builder->gravity = vec3(0, 0, 0);
  while (builder->blocks < contacts && builder->error == ASP_OK) {
    if (builder->blocks && pick(random, 4) == 0) {
      repeat_contact(builder, random);
      continue;
    }
    int b = pick(random, bodies), a = pick(random, bodies + 1) - 1;
    a = a == b ? BUILDER_GROUND : a;
    AspVec3 point = add3(builder->body[b].position, random_vector(random, 0.5)), normal = random_vector(random, 1);
    double gap = quiet || pick(random, 2) ? 0 : fabs(asp_random_normal(random)) * speed * builder->dt;
    builder_add_contact(builder, a, b, point, normal, gap, draw_small_friction(random));
    for (int k = 0; arbitrary && !quiet && k < 3 && builder->error == ASP_OK; k++)
      builder->block[builder->blocks - 1].w[k] += speed * asp_random_normal(random);
  }
}

/* ---- dense random data ---- */

/* M = I + A A^T / n; H, f random; w such that some velocity holds every contact strictly open: a solution exists. */
AspError scatter_dense(AspContext *context, AspRandom *random, int size, AspContactProblem *problem) {
  int n = (4 * size + 2) / 3, rows = 3 * size;
  ASP_TRY(asp_problem_create(context, 3, size, rows, n, n * n, n * rows, 0, problem));
  double *A = asp_allocate(context, (size_t)n * (size_t)n, sizeof *A),
         *feasible = asp_allocate(context, (size_t)n, sizeof *A);
  if (!A || !feasible) {
    asp_release(context, A);
    asp_release(context, feasible);
    asp_problem_destroy(context, problem);
    return ASP_ERROR_MEMORY;
  }
  for (int k = 0; k < n * n; k++)
    A[k] = asp_random_normal(random);
  for (int j = 0; j < n; j++) {
    problem->M.start[j + 1] = n * (j + 1);
    problem->f[j] = 30 * asp_random_normal(random);
    feasible[j] = asp_random_normal(random);
    for (int i = 0; i < n; i++) {
      double sum = i == j;
      for (int k = 0; k < n; k++)
        sum += A[i * n + k] * A[j * n + k] / n;
      problem->M.row[j * n + i] = i;
      problem->M.value[j * n + i] = sum;
    }
  }
  for (int c = 0; c < rows; c++) {
    problem->H.start[c + 1] = n * (c + 1);
    problem->w[c] = c % 3 == 0 ? 0.1 + fabs(asp_random_normal(random)) : 0;
    for (int i = 0; i < n; i++) {
      double entry = asp_random_normal(random);
      problem->H.row[c * n + i] = i;
      problem->H.value[c * n + i] = entry;
      problem->w[c] -= entry * feasible[i];
    }
  }
  for (int b = 0; b < size; b++) {
    problem->law[b] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = asp_random_uniform(random, 0, 2)};
    problem->offset[b + 1] = 3 * (b + 1);
  }
  asp_release(context, A);
  asp_release(context, feasible);
  return ASP_OK;
}
