/* Random piles of balls as contact problems, for tests and benchmarks: balls on a jittered lattice over the ground,
 * contacts between neighbours and with the ground, optionally ball joints between neighbours and dry friction about
 * them. One step of Stewart and Trinkle: f = M v + dt g, w_N = gap / dt.
 */
#ifndef ASP_CONTACT_PILES_H
#define ASP_CONTACT_PILES_H

#include "asperity/problem.h"
#include "base/base.h"
#include "linalg/vec3.h"

typedef struct PileOptions {
  int contacts;     /* wanted; the pile is as high as it takes */
  int width;        /* balls along x and y */
  int joints;       /* pairs of neighbours held by a ball joint instead of a contact, taken from the bottom */
  bool redundant;   /* write every joint twice */
  bool dry;         /* a BOX row about z at every joint */
  AspConeKind cone; /* of every contact */
  int directions;   /* of the polygon */
  double mu_low, mu_high;
  double speed;      /* of the random velocities before the step, m/s */
  double mass_ratio; /* masses lie between 1 and this */
} PileOptions;

typedef struct PilePair {
  int a, b; /* a = -1: ground */
  bool joint;
} PilePair;

static inline AspVec3 pile_position(const PileOptions *options, const AspVec3 *jitter, int ball) {
  int width = options->width, x = ball % width, y = ball / width % width, z = ball / (width * width);
  return add3(vec3(x, y, 0.5 + z), jitter[ball]);
}

/* Pairs in lattice order; returns their number (at most `room`). */
static inline int pile_pairs(const PileOptions *options, int room, PilePair *pair, int *balls) {
  int width = options->width, layer = width * width, count = 0, joints = 0;
  for (int ball = 0; count < room; ball++) {
    const int below = ball - layer, left = ball % width ? ball - 1 : -2,
              front = ball / width % width ? ball - width : -2;
    const int other[3] = {below < 0 ? -1 : below, left, front};
    for (int k = 0; k < 3 && count < room; k++)
      if (other[k] >= -1) {
        bool joint = k > 0 && joints < options->joints;
        joints += joint;
        pair[count++] = (PilePair){other[k], ball, joint};
      }
    *balls = ball + 1;
  }
  return count;
}

/* Column of H for the velocity of b relative to a along `direction` at `point` (turning: angular velocity). */
static inline void pile_column(AspContactProblem *problem, int column, const PilePair *pair, const AspVec3 *centre,
                               AspVec3 point, AspVec3 direction, bool turning) {
  AspSparse *H = &problem->H;
  int at = H->start[column];
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? pair->a : pair->b;
    double sign = side == 0 ? -1 : 1;
    if (body < 0)
      continue;
    AspVec3 linear = turning ? vec3(0, 0, 0) : scale3(sign, direction);
    AspVec3 angular = scale3(sign, turning ? direction : cross3(sub3(point, centre[body]), direction));
    for (int k = 0; k < 6; k++) {
      H->row[at] = 6 * body + k;
      H->value[at++] = k < 3 ? get3(linear, k) : get3(angular, k - 3);
    }
  }
  H->start[column + 1] = at;
}

static inline void pile_fill_bodies(AspContactProblem *problem, AspRandom *random, const PileOptions *options,
                                    int balls) {
  const double dt = 0.01;
  for (int i = 0; i < 6 * balls; i++) {
    if (i % 6 == 0)
      problem->f[i] = asp_random_uniform(random, 1, options->mass_ratio > 1 ? options->mass_ratio : 1.000001);
    double mass = problem->f[i - i % 6], inertia = 0.1 * mass;
    problem->M.start[i + 1] = i + 1;
    problem->M.row[i] = i;
    problem->M.value[i] = i % 6 < 3 ? mass : inertia;
  }
  for (int i = 0; i < 6 * balls; i++) {
    double speed = options->speed * asp_random_normal(random) - (i % 6 == 2 ? 9.81 * dt : 0);
    problem->f[i] = problem->M.value[i] * speed;
  }
}

static inline void pile_fill_pair(AspContactProblem *problem, AspRandom *random, const PileOptions *options,
                                  const PilePair *pair, const AspVec3 *centre, int *block, int *row) {
  AspVec3 a = pair->a < 0 ? vec3(centre[pair->b].x, centre[pair->b].y, -0.5) : centre[pair->a];
  AspVec3 apart = sub3(centre[pair->b], a), n = unit3(apart), t1, t2;
  AspVec3 point = axpy3(a, 0.5, apart);
  double gap = fmax(norm3(apart) - 1, 0);
  tangents3(n, &t1, &t2);
  const AspVec3 axis[3] = {n, t1, t2};
  int copies = pair->joint && options->redundant ? 2 : 1;
  for (int copy = 0; copy < copies; copy++) {
    problem->law[*block] = (AspLaw){.kind = pair->joint ? ASP_LAW_EQUALITY : ASP_LAW_COULOMB,
                                    .mu = asp_random_uniform(random, options->mu_low, options->mu_high),
                                    .cone = options->cone,
                                    .directions = options->directions};
    for (int k = 0; k < 3; k++)
      pile_column(problem, *row + k, pair, centre, point, axis[k], false);
    problem->w[*row] = pair->joint ? 0 : gap / 0.01;
    *row += 3;
    problem->offset[++*block] = *row;
  }
  if (pair->joint && options->dry) {
    problem->law[*block] = (AspLaw){.kind = ASP_LAW_BOX, .limit = asp_random_uniform(random, 0, 0.02)};
    pile_column(problem, (*row)++, pair, centre, point, vec3(0, 0, 1), true);
    problem->offset[++*block] = *row;
  }
}

/* The problem in global form; asp_problem_destroy. */
static inline AspError pile_create(AspContext *context, AspRandom *random, const PileOptions *options,
                                   AspContactProblem *problem) {
  int room = options->contacts + options->joints, balls = 0, blocks = 0, rows = 0, block = 0, row = 0;
  PilePair *pair = asp_allocate(context, (size_t)room, sizeof *pair);
  AspVec3 *centre = asp_allocate(context, (size_t)room + 1, sizeof *centre);
  AspError error = pair && centre ? ASP_OK : ASP_ERROR_MEMORY;
  if (error == ASP_OK) {
    int pairs = pile_pairs(options, room, pair, &balls);
    for (int i = 0; i < pairs; i++) {
      int copies = pair[i].joint && options->redundant ? 2 : 1, dry = pair[i].joint && options->dry;
      blocks += copies + dry;
      rows += 3 * copies + dry;
    }
    for (int i = 0; i < balls; i++) {
      for (int k = 0; k < 3; k++)
        ((double *)&centre[i])[k] = asp_random_uniform(random, 0, 1e-3);
      centre[i] = pile_position(options, centre, i);
    }
    error = asp_problem_create(context, 3, blocks, rows, 6 * balls, 6 * balls, 12 * rows, 0, problem);
  }
  if (error == ASP_OK) {
    pile_fill_bodies(problem, random, options, balls);
    for (int i = 0; i < room; i++)
      pile_fill_pair(problem, random, options, &pair[i], centre, &block, &row);
  }
  asp_release(context, pair);
  asp_release(context, centre);
  return error;
}

#endif
