/* What the tests of flexible bodies share: bars to test, random configurations, and static equilibrium by Newton's
 * method. */
#ifndef ASP_FLEX_TESTING_H
#define ASP_FLEX_TESTING_H

#include "flex/flex.h"
#include "linalg/dense.h"
#include "shared_context.h"

#define DOFS_MAX 400

/* length 1, EI = 1, rho A = 1 */
static inline AspFlexDef unit_beam(int elements, double axial) {
  return (AspFlexDef){.elements = elements,
                      .degree = 3,
                      .length = 1,
                      .mass_per_length = 1,
                      .axial = axial,
                      .bending = {1, 1},
                      .shear = {axial, axial},
                      .torsion = 1,
                      .inertia = {2e-3, 1e-3, 1e-3}};
}

static inline AspFlex *make_flex(const AspFlexDef *def, bool spatial) {
  AspFlex *flex;
  assert_ok(context, (spatial ? asp_flex_create_spatial : asp_flex_create_planar)(context, def, &flex));
  assert_true(asp_flex_dofs(flex) <= DOFS_MAX);
  return flex;
}

static inline void place_at_rest(const AspFlex *flex, double *q, double *v) {
  AspPose origin = pose_identity();
  asp_flex_initial(flex, &origin, vec3(0, 0, 0), vec3(0, 0, 0), q, v);
}

/* Somewhere near the reference, with random velocities. */
static inline void place_at_random(const AspFlex *flex, uint64_t seed, double size, double *q, double *v) {
  AspRandom random = {seed};
  place_at_rest(flex, q, v);
  for (int i = 0; i < asp_flex_dofs(flex); i++)
    v[i] = asp_random_uniform(&random, -size, size);
  asp_flex_move(flex, q, v, 1);
  for (int i = 0; i < asp_flex_dofs(flex); i++)
    v[i] = asp_random_uniform(&random, -1, 1);
}

/* ---- dense matrices, column-major, from the bands and the soft rows ---- */

#define BAND_MAX (DOFS_MAX * (4 * ASP_FLEX_DEGREE_MAX + 3))

static inline AspBand flex_band(const AspFlex *flex, double *room) {
  AspBand A = {asp_flex_dofs(flex), asp_flex_bandwidth(flex), room};
  memset(room, 0, band_entries(A.n, A.w) * sizeof *room);
  return A;
}

/* dense += A */
static inline void add_dense(const AspBand *A, double *dense) {
  for (int j = 0; j < A->n; j++)
    for (int i = band_first(A, j); i <= band_last(A, j); i++)
      dense[j * A->n + i] += *band_at(A, i, j);
}

/* dense += Y^T S^-1 (y Y + z Z) */
static inline void add_soft(const AspFlex *flex, const double *q, const double *v, double y, double z, double *dense) {
  static double S[DOFS_MAX * DOFS_MAX], X[DOFS_MAX * DOFS_MAX], room[BAND_MAX];
  static AspFlexRow row[DOFS_MAX];
  int m = asp_flex_soft_count(flex), n = asp_flex_dofs(flex);
  AspBand band = {m, asp_flex_compliance_bandwidth(flex), room};
  memset(room, 0, sizeof room);
  memset(S, 0, sizeof S);
  memset(X, 0, sizeof X);
  asp_flex_compliance(flex, &band);
  add_dense(&band, S);
  for (int k = 0; k < m; k++) {
    asp_flex_row(flex, k, q, v, &row[k]);
    for (int i = 0; i < row[k].count; i++)
      X[(row[k].first + i) * m + k] = y * row[k].gradient[i] + z * row[k].turn[i];
  }
  if (m == 0)
    return;
  assert_int_equal(asp_dense_cholesky(m, S, m), -1);
  asp_dense_cholesky_solve(m, S, m, n, X, m);
  for (int j = 0; j < n; j++)
    for (int k = 0; k < m; k++)
      for (int i = 0; i < row[k].count; i++)
        dense[j * n + row[k].first + i] += row[k].gradient[i] * X[j * m + k];
}

static inline void dense_tangent(const AspFlex *flex, const double *q, const double *v, double *K, double *C) {
  static double rooms[2][BAND_MAX];
  AspBand k = flex_band(flex, rooms[0]), c = flex_band(flex, rooms[1]);
  size_t bytes = (size_t)k.n * (size_t)k.n * sizeof *K;
  double tau = asp_flex_def(flex)->damping;
  memset(K, 0, bytes);
  memset(C, 0, bytes);
  asp_flex_add_tangent(flex, q, v, &k, &c);
  add_dense(&k, K);
  add_dense(&c, C);
  add_soft(flex, q, v, 1, tau, K);
  add_soft(flex, q, v, tau, 0, C);
}

static inline void dense_mass(const AspFlex *flex, const double *q, double *M) {
  static double room[BAND_MAX];
  AspBand m = flex_band(flex, room);
  memset(M, 0, (size_t)m.n * (size_t)m.n * sizeof *M);
  asp_flex_add_mass(flex, q, &m);
  add_dense(&m, M);
}

/* Loads at the end s = L: a force and a moment that keep their directions. */
typedef struct EndLoad {
  AspVec3 force, moment;
} EndLoad;

static inline void add_end_load(const AspFlex *flex, bool spatial, const double *q, const double *v, EndLoad load,
                                double *h) {
  AspFlexSection end;
  asp_flex_section(flex, asp_flex_def(flex)->length, q, v, &end);
  double wrench[6] = {load.force.x, load.force.y, load.force.z, load.moment.x, load.moment.y, load.moment.z};
  double flat[3] = {load.force.x, load.force.y, load.moment.z};
  int n = spatial ? 6 : 3;
  for (int k = 0; k < end.count; k++)
    for (int i = 0; i < n; i++)
      h[end.first + k] += end.T[n * k + i] * (spatial ? wrench[i] : flat[i]);
}

/* Equilibrium with the start clamped (`fixed` dofs, count of them), the load raised in steps. The derivative of the
 * load's own map is taken by differences. Returns the number of Newton iterations of the last step. */
static inline int solve_static(const AspFlex *flex, bool spatial, const int *fixed, int fixed_count, EndLoad load,
                               int steps, double *q) {
  static double K[DOFS_MAX * DOFS_MAX], C[DOFS_MAX * DOFS_MAX];
  double v[DOFS_MAX] = {0}, h[DOFS_MAX], moved[DOFS_MAX + DOFS_MAX], other[DOFS_MAX], unit[DOFS_MAX];
  int n = asp_flex_dofs(flex), pivot[DOFS_MAX], round = 0;
  for (int step = 1; step <= steps; step++) {
    EndLoad now = {scale3((double)step / steps, load.force), scale3((double)step / steps, load.moment)};
    for (round = 0; round < 60; round++) {
      memset(h, 0, sizeof h);
      asp_flex_add_force(flex, q, v, h);
      add_end_load(flex, spatial, q, v, now, h);
      dense_tangent(flex, q, v, K, C);
      for (int j = 0; j < n; j++) { // minus d(load)/dq
        double size = 1e-6;
        memset(unit, 0, sizeof unit);
        unit[j] = 1;
        for (int side = -1; side <= 1; side += 2) {
          memcpy(moved, q, (size_t)asp_flex_q_size(flex) * sizeof *q);
          asp_flex_move(flex, moved, unit, side * size);
          memset(other, 0, sizeof other);
          add_end_load(flex, spatial, moved, v, now, other);
          for (int i = 0; i < n; i++)
            K[j * n + i] -= side * other[i] / (2 * size);
        }
      }
      for (int k = 0; k < fixed_count; k++) {
        for (int i = 0; i < n; i++)
          K[fixed[k] * n + i] = K[i * n + fixed[k]] = i == fixed[k];
        h[fixed[k]] = 0;
      }
      assert_int_equal(asp_dense_lu(n, K, n, pivot), -1);
      asp_dense_lu_solve(n, K, n, pivot, 1, h, n);
      double largest = 0;
      for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(h[i]));
      asp_flex_move(flex, q, h, fmin(1, 0.3 * asp_flex_def(flex)->length / fmax(largest, 1e-300)));
      if (largest < 1e-10 * asp_flex_def(flex)->length)
        break;
    }
    assert_true(round < 60);
  }
  return round;
}

#endif
