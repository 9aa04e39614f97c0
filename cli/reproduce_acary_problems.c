/* Random data of the size of Acary et al. (2008), and hyperstatic clusters: see reproduce_acary_problems.h.
 * Random numbers: splitmix64 and Box-Muller. */
#include "reproduce_acary_problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BODIES    33
#define BODY_DOFS 6
#define PAIRS     (BODIES * (BODIES - 1) / 2)
#define STEP      5e-3 /* s */

static double draw_uniform(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(uint64_t *state) {
  double radius = sqrt(-2 * log(draw_uniform(state)));
  return radius * cos(6.283185307179586 * draw_uniform(state));
}

static void set_laws(AspContactProblem *problem, double mu) {
  for (int b = 0; b < problem->blocks; b++) {
    problem->law[b] = (AspLaw){.kind = ASP_LAW_COULOMB, .mu = mu};
    problem->offset[b + 1] = 3 * (b + 1);
  }
}

/* ---- dense random data ---- */

static void fill_mass(uint64_t *state, double *A, AspContactProblem *problem) {
  int n = ACARY_FREEDOMS;
  for (int k = 0; k < n * n; k++)
    A[k] = draw_normal(state);
  for (int j = 0; j < n; j++) {
    problem->M.start[j + 1] = n * (j + 1);
    problem->f[j] = 30 * draw_normal(state);
    for (int i = 0; i < n; i++) {
      double sum = i == j;
      for (int k = 0; k < n; k++)
        sum += A[i * n + k] * A[j * n + k] / n;
      problem->M.row[j * n + i] = i;
      problem->M.value[j * n + i] = sum;
    }
  }
}

AspError acary_draw_dense(AspContext *context, uint64_t seed, AspContactProblem *problem) {
  int n = ACARY_FREEDOMS, rows = 3 * ACARY_CONTACTS;
  AspError error = asp_problem_create(context, 3, ACARY_CONTACTS, rows, n, n * n, n * rows, 0, problem);
  if (error != ASP_OK)
    return error;
  double *A = malloc((size_t)n * (size_t)n * sizeof *A), open[ACARY_FREEDOMS];
  if (!A) {
    asp_problem_destroy(context, problem);
    return ASP_ERROR_MEMORY;
  }
  fill_mass(&seed, A, problem);
  free(A);
  for (int j = 0; j < n; j++)
    open[j] = draw_normal(&seed);
  for (int c = 0; c < rows; c++) {
    problem->H.start[c + 1] = n * (c + 1);
    problem->w[c] = c % 3 == 0 ? 0.1 + fabs(draw_normal(&seed)) : 0;
    for (int i = 0; i < n; i++) {
      double entry = draw_normal(&seed);
      problem->H.row[c * n + i] = i;
      problem->H.value[c * n + i] = entry;
      problem->w[c] -= entry * open[i];
    }
  }
  set_laws(problem, 0);
  for (int b = 0; b < ACARY_CONTACTS; b++)
    problem->law[b].mu = 2 * draw_uniform(&seed);
  return ASP_OK;
}

/* ---- clusters ---- */

typedef struct Pair {
  int a, b;
  double distance;
} Pair;

static int nearer(const void *left, const void *right) {
  const Pair *p = left, *q = right;
  return (p->distance > q->distance) - (p->distance < q->distance);
}

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalise(double a[3]) {
  double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int k = 0; k < 3; k++)
    a[k] /= length;
}

/* M diagonal; f = M v + STEP x the pull to the middle. */
static void fill_bodies(uint64_t *state, double pull, double position[][3], AspContactProblem *problem) {
  static const double inertia[3] = {0.1, 0.15, 0.2};
  for (int i = 0; i < BODIES; i++) {
    double mass = 0.5 + 1.5 * draw_uniform(state), length = 2;
    while (length > 1) {
      length = 0;
      for (int k = 0; k < 3; k++) {
        position[i][k] = 2 * draw_uniform(state) - 1;
        length = hypot(length, position[i][k]);
      }
    }
    for (int k = 0; k < BODY_DOFS; k++) {
      int j = BODY_DOFS * i + k;
      problem->M.start[j + 1] = j + 1;
      problem->M.row[j] = j;
      problem->M.value[j] = k < 3 ? mass : mass * inertia[k - 3];
      problem->f[j] = problem->M.value[j] * 0.1 * draw_normal(state);
      if (k < 3)
        problem->f[j] -= STEP * pull * position[i][k];
    }
  }
}

/* Three columns of H: -axis on body a, +axis on body b, each with its moment. */
static void fill_contact(uint64_t *state, const Pair *pair, double position[][3], int contact,
                         AspContactProblem *problem) {
  double axis[3][3], point[3];
  const double *from = position[pair->a], *to = position[pair->b];
  for (int k = 0; k < 3; k++) {
    axis[0][k] = (to[k] - from[k]) / pair->distance + 0.1 * draw_normal(state);
    point[k] = 0.5 * (to[k] + from[k]) + 0.1 * draw_normal(state);
  }
  normalise(axis[0]);
  double helper[3] = {0};
  helper[fabs(axis[0][0]) < 0.6 ? 0 : 1] = 1;
  cross(axis[0], helper, axis[1]);
  normalise(axis[1]);
  cross(axis[0], axis[1], axis[2]);
  for (int t = 0; t < 3; t++)
    for (int side = 0; side < 2; side++) {
      int body = side ? pair->b : pair->a, first = 2 * BODY_DOFS * (3 * contact + t) + side * BODY_DOFS;
      double sign = side ? 1 : -1, arm[3], moment[3];
      for (int k = 0; k < 3; k++)
        arm[k] = point[k] - position[body][k];
      cross(arm, axis[t], moment);
      for (int k = 0; k < BODY_DOFS; k++) {
        problem->H.row[first + k] = BODY_DOFS * body + k;
        problem->H.value[first + k] = sign * (k < 3 ? axis[t][k] : moment[k - 3]);
      }
      problem->H.start[3 * contact + t + 1] = 2 * BODY_DOFS * (3 * contact + t + 1);
    }
}

AspError acary_draw_cluster(AspContext *context, uint64_t seed, AspContactProblem *problem) {
  int rows = 3 * ACARY_CONTACTS, n = BODY_DOFS * BODIES, count = 0;
  double position[BODIES][3];
  Pair pair[PAIRS];
  AspError error = asp_problem_create(context, 3, ACARY_CONTACTS, rows, n, n, 2 * BODY_DOFS * rows, 0, problem);
  if (error != ASP_OK)
    return error;
  double pull = pow(10, 1 + 2 * draw_uniform(&seed));
  set_laws(problem, 0.5 + 0.5 * draw_uniform(&seed));
  fill_bodies(&seed, pull, position, problem);
  for (int a = 0; a < BODIES; a++)
    for (int b = a + 1; b < BODIES; b++, count++) {
      double distance = 0;
      for (int k = 0; k < 3; k++)
        distance = hypot(distance, position[b][k] - position[a][k]);
      pair[count] = (Pair){a, b, distance};
    }
  qsort(pair, PAIRS, sizeof *pair, nearer);
  for (int c = 0; c < ACARY_CONTACTS; c++)
    fill_contact(&seed, &pair[c], position, c, problem);
  return ASP_OK;
}

void acary_move_load(AspContactProblem *problem, uint64_t seed, double fraction) {
  double size = 0, length = 0;
  uint64_t again = seed;
  for (int j = 0; j < problem->dofs; j++) {
    size = hypot(size, problem->f[j]);
    length = hypot(length, draw_normal(&seed));
  }
  for (int j = 0; j < problem->dofs; j++)
    problem->f[j] += fraction * size / length * draw_normal(&again);
}
