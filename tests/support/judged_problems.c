/* Small problems for the judge: see judged_problems.h. */
#include "judged_problems.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

typedef struct Drawing {
  AspRandom random;
  int bodies, dofs, blocks, rows;
  bool floats, unsymmetric, coupled, jointed;
  double length, mass, time; /* units */
  double M[JUDGED_DOFS][JUDGED_DOFS], H[JUDGED_DOFS][JUDGED_ROWS];
  double f[JUDGED_DOFS], w[JUDGED_ROWS], r[JUDGED_ROWS], u[JUDGED_ROWS];
  AspLaw law[JUDGED_BLOCKS];
  int offset[JUDGED_BLOCKS + 1];
} Drawing;

static double uniform(Drawing *it, double low, double high) { return asp_random_uniform(&it->random, low, high); }
static double decade(Drawing *it, double low, double high) { return pow(10, uniform(it, low, high)); }
static int choose(Drawing *it, int count) { return (int)(asp_random_bits(&it->random) % (uint64_t)count); }

static void unit_vector(Drawing *it, double v[3]) {
  for (int k = 0; k < 3; k++)
    v[k] = asp_random_normal(&it->random);
  double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int k = 0; k < 3; k++)
    v[k] /= size;
}

/* J = sum of a_k n_k n_k^T over three random directions, or diagonal. */
static void draw_body(Drawing *it, int b) {
  double m = it->mass * decade(it, -6, 6), J = m * it->length * it->length * decade(it, -2, 1);
  bool full = choose(it, 2) == 0;
  for (int k = 0; k < 3; k++)
    it->M[6 * b + k][6 * b + k] = m;
  for (int n = 0; n < 3; n++) {
    double a = J * decade(it, -1.5, 0), v[3] = {0};
    if (full)
      unit_vector(it, v);
    else
      v[n] = 1;
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        it->M[6 * b + 3 + i][6 * b + 3 + k] += a * v[i] * v[k];
  }
  for (int k = 0; k < 3; k++) // never thin beyond reason
    it->M[6 * b + 3 + k][6 * b + 3 + k] += 0.01 * J;
  if (it->unsymmetric) {
    it->M[6 * b + 3][6 * b + 4] += 0.01 * J;
    it->M[6 * b + 4][6 * b + 3] -= 0.01 * J;
  }
}

/* Springs between neighbours make one component of all bodies. */
static void couple(Drawing *it) {
  for (int b = 0; b + 1 < it->bodies; b++)
    for (int k = 0; k < 3; k++) {
      int i = 6 * b + k, j = i + 6;
      double stiffness = decade(it, -1, 3) * fmin(it->M[i][i], it->M[j][j]);
      it->M[i][i] += stiffness;
      it->M[j][j] += stiffness;
      it->M[i][j] -= stiffness;
      it->M[j][i] -= stiffness;
    }
}

/* Springs along a row of two neighbours each: of the first two with levers, which couple all of their dofs, of the
 * others on spins alone or with levers. All bodies are one component of more dofs than are factored as a block. */
static void couple_by_joints(Drawing *it) {
  for (int b = 0; b + 1 < it->bodies; b++) {
    double row[12] = {0}, turn[3], push[3], arm = b == 0 || choose(it, 2) == 0 ? it->length : 0;
    int first = 6 * b, weight = arm > 0 ? 0 : 3;
    double stiffness =
        decade(it, -1, 3) * fmin(it->M[first + weight][first + weight], it->M[first + 6 + weight][first + 6 + weight]);
    for (int n = 0; n < 3; n++) {
      unit_vector(it, push);
      unit_vector(it, turn);
      for (int k = 0; k < 3; k++) {
        row[k] = arm > 0 ? push[k] : 0;
        row[3 + k] = (arm > 0 ? arm : 1) * turn[k];
        row[6 + k] = -row[k];
        row[9 + k] = -row[3 + k] * (arm > 0 ? 0.5 : 1);
      }
      for (int i = 0; i < 12; i++)
        for (int k = 0; k < 12; k++)
          it->M[first + i][first + k] += stiffness * (row[i] * row[k]);
    }
  }
}

static AspLaw draw_law(Drawing *it) {
  static const double mu[] = {0, 0.3, 0.8, 0.5, 10, 1e3, 1e6, 1e12};
  static const AspLawKind kinds[] = {ASP_LAW_COULOMB, ASP_LAW_COULOMB,    ASP_LAW_COULOMB, ASP_LAW_EQUALITY,
                                     ASP_LAW_BOX,     ASP_LAW_UNILATERAL, ASP_LAW_SLIDING, ASP_LAW_BALL};
  AspLaw law = {.kind = it->floats ? ASP_LAW_EQUALITY : kinds[choose(it, 8)]};
  law.mu = mu[choose(it, 8)];
  double angle = uniform(it, 0, 6);
  law.direction[0] = cos(angle);
  law.direction[1] = sin(angle);
  law.limit = it->mass * it->length / it->time;
  return law;
}

/* A row between body a and, where b >= 0, body b, along n at arms of its own. */
static void draw_row(Drawing *it, int row, int a, int b, const double n[3]) {
  for (int side = 0; side < (b >= 0 ? 2 : 1); side++) {
    int first = 6 * (side ? b : a);
    double arm[3];
    unit_vector(it, arm);
    for (int k = 0; k < 3; k++) {
      it->H[first + k][row] = side ? -n[k] : n[k];
      it->H[first + 3 + k][row] = it->length * uniform(it, 0.1, 1) * arm[k];
    }
  }
}

static int rows_of(const AspLaw *law) { return law->kind == ASP_LAW_BOX || law->kind == ASP_LAW_UNILATERAL ? 1 : 3; }

/* r and u of a block that obey its law. */
static void plant(Drawing *it, const AspLaw *law, double *r, double *u) {
  double load = it->mass * it->length / it->time * decade(it, -2, 2), speed = it->length / it->time * decade(it, -2, 1);
  double angle = uniform(it, 0, 6), c = cos(angle), s = sin(angle);
  int mode = choose(it, 3);
  if (law->kind == ASP_LAW_EQUALITY) {
    for (int k = 0; k < 3 && !it->floats; k++)
      r[k] = load * uniform(it, -1, 1);
  } else if (law->kind == ASP_LAW_BOX) {
    r[0] = mode == 0 ? law->limit * uniform(it, -1, 1) : mode == 1 ? law->limit : -law->limit;
    u[0] = mode == 0 ? 0 : mode == 1 ? -speed : speed;
  } else if (law->kind == ASP_LAW_BALL) {
    double d[3];
    unit_vector(it, d);
    for (int k = 0; k < 3; k++) {
      r[k] = -law->limit * (mode == 0 ? 0.7 : 1) * d[k];
      u[k] = mode == 0 ? 0 : speed * d[k];
    }
  } else if (mode == 0) { // open
    u[0] = speed;
    for (int k = 1; k < rows_of(law); k++)
      u[k] = speed * uniform(it, -1, 1);
  } else {
    r[0] = load;
    if (law->kind == ASP_LAW_SLIDING) {
      for (int k = 1; k < 3; k++) {
        r[k] = -law->mu * load * law->direction[k - 1];
        u[k] = speed * law->direction[k - 1];
      }
    } else if (law->kind == ASP_LAW_COULOMB) {
      double part = mode == 1 ? uniform(it, 0, 0.99) : 1;
      double friction = part * fmin(law->mu, 10) * load;
      r[1] = -friction * c;
      r[2] = -friction * s;
      bool slips = mode == 2 && law->mu <= 10;
      u[1] = slips ? speed * c : 0;
      u[2] = slips ? speed * s : 0;
    }
  }
}

/* x = M^-1 b by elimination with row exchanges, in long double. */
static void solve(int n, double M[JUDGED_DOFS][JUDGED_DOFS], const long double *b, long double *x) {
  long double A[JUDGED_DOFS][JUDGED_DOFS + 1];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      A[i][j] = M[i][j];
    A[i][n] = b[i];
  }
  for (int j = 0; j < n; j++) {
    int p = j;
    for (int i = j + 1; i < n; i++)
      if (fabsl(A[i][j]) > fabsl(A[p][j]))
        p = i;
    for (int k = 0; k <= n && p != j; k++) {
      long double t = A[j][k];
      A[j][k] = A[p][k];
      A[p][k] = t;
    }
    for (int i = j + 1; i < n; i++)
      for (int k = n; k >= j; k--)
        A[i][k] -= A[i][j] / A[j][j] * A[j][k];
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] = A[i][n];
    for (int k = i + 1; k < n; k++)
      x[i] -= A[i][k] * x[k];
    x[i] /= A[i][i];
  }
}

/* Velocities: of all bodies the same where they float together. */
static void draw_f(Drawing *it) {
  double v[JUDGED_DOFS], speed = it->length / it->time * decade(it, -3, 3);
  for (int k = 0; k < it->dofs; k++) {
    v[k] = k % 6 < 3 ? speed * uniform(it, -1, 1) : uniform(it, -1, 1) * speed / it->length;
    if (it->floats)
      v[k] = k % 6 >= 3 ? 0 : k < 6 ? v[k] : v[k - 6];
  }
  for (int i = 0; i < it->dofs; i++)
    for (int k = 0; k < it->dofs; k++)
      it->f[i] += it->M[i][k] * v[k];
}

static void find_w(Drawing *it) {
  long double b[JUDGED_DOFS], x[JUDGED_DOFS];
  for (int i = 0; i < it->dofs; i++) {
    b[i] = it->f[i];
    for (int j = 0; j < it->rows; j++)
      b[i] += (long double)it->H[i][j] * it->r[j];
  }
  solve(it->dofs, it->M, b, x);
  for (int j = 0; j < it->rows && !it->floats; j++) {
    long double sum = it->u[j];
    for (int i = 0; i < it->dofs; i++)
      sum -= it->H[i][j] * x[i];
    it->w[j] = (double)sum;
  }
}

static void draw(Drawing *it) {
  static const double units[] = {1, 1, 1e3, 1e-3, 1e6, 1e-6};
  it->floats = choose(it, 5) == 0;
  it->bodies = it->floats ? 2 : 1 + choose(it, 4);
  it->unsymmetric = choose(it, 4) == 0;
  it->coupled = !it->floats && it->bodies > 2 && choose(it, 2) == 0;
  AspRandom aside = it->random; // what other problems draw next stays as it is
  it->jointed = it->coupled && (asp_random_bits(&aside) >> 32) % 2 == 0;
  it->length = units[choose(it, 6)];
  it->mass = units[choose(it, 6)];
  it->time = units[choose(it, 6)];
  it->dofs = 6 * it->bodies;
  it->blocks = it->floats ? 1 : 1 + choose(it, 6);
  for (int b = 0; b < it->bodies; b++)
    draw_body(it, b);
  if (it->jointed)
    couple_by_joints(it);
  else if (it->coupled)
    couple(it);
  for (int i = 0; i < it->blocks; i++) {
    int a = it->floats ? 0 : choose(it, it->bodies), b = it->floats ? 1 : choose(it, it->bodies + 1) - 1;
    it->law[i] = draw_law(it);
    it->offset[i] = it->rows;
    plant(it, &it->law[i], it->r + it->rows, it->u + it->rows);
    for (int k = rows_of(&it->law[i]); k > 0; k--) {
      double n[3];
      unit_vector(it, n);
      draw_row(it, it->rows++, a, b == a ? -1 : b, n);
    }
  }
  it->offset[it->blocks] = it->rows;
  draw_f(it);
  find_w(it);
}

static void fill(AspSparse *A, int rows, int columns, const double *entry, int stride) {
  int place = 0;
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++)
      if (entry[i * stride + j] != 0) {
        A->row[place] = i;
        A->value[place++] = entry[i * stride + j];
      }
    A->start[j + 1] = place;
  }
}

AspError judged_problem_make(AspContext *context, uint64_t seed, JudgedProblem *drawn) {
  Drawing it = {.random = {.state = seed * 2654435761u + 12345}};
  for (int k = 0; k < 4; k++)
    asp_random_bits(&it.random);
  draw(&it);
  *drawn = (JudgedProblem){.floats = it.floats, .jointed = it.jointed, .size = it.mass * it.length / it.time};
  AspContactProblem *p = &drawn->problem;
  ASP_TRY(asp_problem_create(context, 3, it.blocks, it.rows, it.dofs, it.dofs * it.dofs, it.dofs * it.rows, 0, p));
  fill(&p->M, it.dofs, it.dofs, it.M[0], JUDGED_DOFS);
  fill(&p->H, it.dofs, it.rows, it.H[0], JUDGED_ROWS);
  memcpy(p->f, it.f, (size_t)it.dofs * sizeof *p->f);
  memcpy(p->w, it.w, (size_t)it.rows * sizeof *p->w);
  memcpy(p->law, it.law, (size_t)it.blocks * sizeof *p->law);
  memcpy(p->offset, it.offset, (size_t)(it.blocks + 1) * sizeof *p->offset);
  memcpy(drawn->r, it.r, sizeof it.r);
  return ASP_OK;
}

/* ---- a second judge ---- */

/* H^T M^-1 (H r + f) + w */
static void follow(const AspContactProblem *p, double M[JUDGED_DOFS][JUDGED_DOFS], const double *r, const double *f,
                   const double *w, long double *u) {
  long double b[JUDGED_DOFS] = {0}, x[JUDGED_DOFS];
  for (int i = 0; f && i < p->dofs; i++)
    b[i] = f[i];
  for (int j = 0; j < p->rows; j++)
    for (int k = p->H.start[j]; k < p->H.start[j + 1]; k++)
      b[p->H.row[k]] += (long double)p->H.value[k] * r[j];
  solve(p->dofs, M, b, x);
  for (int j = 0; j < p->rows; j++) {
    u[j] = w ? w[j] : 0;
    for (int k = p->H.start[j]; k < p->H.start[j + 1]; k++)
      u[j] += p->H.value[k] * x[p->H.row[k]];
  }
}

static long double norm(int n, const long double *x) {
  long double square = 0;
  for (int k = 0; k < n; k++)
    square += x[k] * x[k];
  return sqrtl(square);
}

static long double smaller(long double a, long double b) { return a < b ? a : b; }

/* Size of the map of one block; mu not so large that the normal condition replaces the map. */
static long double map_size(const AspLaw *law, int rows, long double rho, const double *r, const long double *u) {
  long double F[3] = {smaller(rho * u[0], r[0])}, z[3] = {0}, mu = law->mu;
  for (int k = 0; k < rows; k++)
    z[k] = r[k] - rho * u[k];
  if (law->kind == ASP_LAW_EQUALITY) {
    for (int k = 0; k < rows; k++)
      F[k] = rho * u[k];
  } else if (law->kind == ASP_LAW_BOX) {
    F[0] = r[0] - (z[0] < -law->limit ? -law->limit : z[0] > law->limit ? law->limit : z[0]);
  } else if (law->kind == ASP_LAW_BALL) {
    long double length = norm(rows, z);
    for (int k = 0; k < rows; k++)
      F[k] = length <= law->limit ? rho * u[k] : r[k] - law->limit / length * z[k];
  } else if (law->kind == ASP_LAW_SLIDING) {
    for (int k = 1; k < rows; k++)
      F[k] = r[k] + mu * r[0] * law->direction[k - 1];
  } else if (law->kind == ASP_LAW_COULOMB) {
    z[0] -= rho * mu * norm(2, u + 1);
    long double t = norm(2, z + 1), along = (mu * t + z[0]) / (1 + mu * mu);
    bool inside = t <= mu * z[0];
    F[0] = r[0] - (inside ? z[0] : along > 0 ? along : 0);
    for (int k = 1; k < 3; k++)
      F[k] = r[k] - (inside ? z[k] : along > 0 ? mu * along * z[k] / t : 0);
  }
  return norm(rows, F);
}

double judged_problem_E2(const JudgedProblem *drawn, const double *r, double least_q) {
  const AspContactProblem *p = &drawn->problem;
  static const double none[JUDGED_ROWS];
  double M[JUDGED_DOFS][JUDGED_DOFS] = {0};
  long double u[JUDGED_ROWS], q[JUDGED_ROWS], trace = 0, map = 0, load = 0;
  for (int j = 0; j < p->dofs; j++)
    for (int k = p->M.start[j]; k < p->M.start[j + 1]; k++)
      M[p->M.row[k]][j] = p->M.value[k];
  for (int j = 0; j < p->rows; j++) {
    double one[JUDGED_ROWS] = {0};
    one[j] = 1;
    follow(p, M, one, NULL, NULL, u);
    trace += u[j];
    load += (long double)r[j] * r[j];
  }
  long double rho = p->rows / trace;
  follow(p, M, none, p->f, p->w, q);
  follow(p, M, r, p->f, p->w, u);
  for (int i = 0; i < p->blocks; i++) {
    int at = p->offset[i];
    long double size = map_size(&p->law[i], p->offset[i + 1] - at, rho, r + at, u + at);
    map += size * size;
  }
  return (double)(sqrtl(map) / fmaxl(sqrtl(load), rho * fmaxl(norm(p->rows, q), least_q)));
}
