/* The test of small friction: see small_friction.h. */
#include "analyze/small_friction.h"
#include "base/elementary.h"

#include "analyze/tuning/analyze.h"
#include "linalg/small.h"
#include "problem/bodies.h"
#include "problem/cone.h"

#include <math.h>

/* ---- the test ---- */

typedef struct Rows {
  int count, equalities, others; /* EQUALITY rows, then others, then normals with friction */
  int *order;                    /* count: row of W */
  int *tangent;                  /* count: place of a tangent's contact among the normals with friction; -1: none */
  double *mu;                    /* normals with friction: mu times the reach of the polygon */
} Rows;

static bool has_friction(const AspLaw *law, int rows) {
  return (law->kind == ASP_LAW_COULOMB || law->kind == ASP_LAW_SLIDING) && law->mu > 0 && rows > 1;
}

static double reach_of(const AspLaw *law, int rows) {
  bool around = law->kind == ASP_LAW_COULOMB && law->cone == ASP_CONE_CIRCUMSCRIBED && rows == 3;
  return around ? 1 / asp_cos(ASP_PI / law->directions) : 1;
}

static AspError sort_rows(AspArena *arena, int blocks, const int *offset, const AspLaw *law, Rows *rows) {
  int n = offset[blocks], friction = 0, next = 0;
  *rows = (Rows){.count = n,
                 .order = ASP_TAKE(arena, int, n),
                 .tangent = ASP_TAKE(arena, int, n),
                 .mu = ASP_TAKE(arena, double, blocks)};
  if (!rows->order || !rows->tangent || !rows->mu)
    return ASP_ERROR_MEMORY;
  for (int pass = 0; pass < 3; pass++) {
    for (int b = 0; b < blocks; b++) {
      int size = offset[b + 1] - offset[b];
      bool equality = law[b].kind == ASP_LAW_EQUALITY, rubs = has_friction(&law[b], size);
      for (int k = 0; k < size; k++) {
        int group = equality ? 0 : rubs && k == 0 ? 2 : 1;
        if (group != pass)
          continue;
        rows->tangent[next] = rubs && k > 0 ? friction : -1;
        rows->order[next++] = offset[b] + k;
      }
      if (pass == 1 && rubs)
        rows->mu[friction++] = law[b].mu * reach_of(&law[b], size);
    }
    if (pass < 2)
      *(pass == 0 ? &rows->equalities : &rows->others) = next;
  }
  return ASP_OK;
}

/* A := A - A(:, k) A(k, :) / A(k, k) behind the rows first .. last - 1; rows that depend on
 * earlier ones are skipped. */
static void eliminate(int n, double *A, const double *diagonal, int first, int last) {
  for (int k = first; k < last; k++) {
    double pivot = A[(size_t)k * n + k];
    if (!(pivot > SMALL_FRICTION_DEPENDENT * diagonal[k]))
      continue;
    for (int i = k + 1; i < n; i++) {
      double factor = A[(size_t)i * n + k] / pivot;
      for (int j = k + 1; factor != 0 && j < n; j++)
        A[(size_t)i * n + j] -= factor * A[(size_t)k * n + j];
    }
  }
}

/* Upper bound of the largest eigenvalue of a symmetric matrix without negative ones: ||A^m||^(1/m), m = 2^squarings. */
static double eigenvalue_bound(int n, double *A, double *scratch, int squarings) {
  double bound = 1, power = 1;
  for (int squared = 0;; squared++) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++)
        sum += fabs(A[(size_t)i * n + j]);
      norm = fmax(norm, sum);
    }
    bound *= asp_pow(norm, power);
    if (squared == squarings || !(norm > 0))
      return bound;
    for (int i = 0; i < n; i++) // A := (A / norm)^2
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
          sum += A[(size_t)i * n + k] * A[(size_t)k * n + j];
        scratch[(size_t)i * n + j] = sum / (norm * norm);
      }
    memcpy(A, scratch, (size_t)n * (size_t)n * sizeof *A);
    power *= 0.5;
  }
}

/* S^-1 of the last rows of A, n x n; false where they are redundant. */
static bool invert_normals(int all, const double *A, const double *diagonal, int first, double *S, double *inverse) {
  int n = all - first;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      S[i + j * n] = A[(size_t)(first + i) * all + first + j];
  if (!asp_small_cholesky(n, S))
    return false;
  for (int c = 0; c < n; c++) {
    if (!(S[c + c * n] * S[c + c * n] > SMALL_FRICTION_REDUNDANT * diagonal[first + c]))
      return false;
    inverse[c + c * n] = 1;
    asp_small_cholesky_solve(n, S, inverse + (size_t)c * n);
  }
  return true;
}

typedef struct Product {
  int tangents, normals;
  double *T, *N; /* D G W_TT G D and D G^-1 S^-1 G^-1 D */
  int *contact;  /* tangents: place of the contact's normal */
  double *g;     /* normals */
  double *power, *scratch;
} Product;

static AspError take_product(AspArena *arena, const Rows *rows, Product *product) {
  product->normals = rows->count - rows->others;
  for (int i = rows->equalities; i < rows->others; i++)
    product->tangents += rows->tangent[i] >= 0;
  size_t t = (size_t)product->tangents * (size_t)product->tangents;
  product->T = ASP_TAKE(arena, double, t);
  product->power = ASP_TAKE(arena, double, t);
  product->scratch = ASP_TAKE(arena, double, t);
  product->N = ASP_TAKE(arena, double, (size_t)product->normals *(size_t)product->normals);
  product->contact = ASP_TAKE(arena, int, product->tangents);
  product->g = ASP_TAKE(arena, double, product->normals);
  bool complete = product->T && product->power && product->scratch && product->N && product->contact && product->g;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

/* W_TT once the joints are eliminated. */
static void copy_tangents(const Rows *rows, const double *A, Product *product) {
  int n = 0, t = 0;
  for (int i = rows->equalities; i < rows->others; i++) {
    if (rows->tangent[i] < 0)
      continue;
    product->contact[t++] = rows->tangent[i];
    for (int j = rows->equalities; j < rows->others; j++)
      if (rows->tangent[j] >= 0)
        product->T[n++] = A[(size_t)i * rows->count + j];
  }
}

/* g_i makes both diagonals of a contact equal. */
static void balance(const Rows *rows, Product *product) {
  int tangents = product->tangents, normals = product->normals;
  const int *contact = product->contact;
  double *g = product->g;
  for (int i = 0; i < tangents; i++)
    g[contact[i]] += product->T[(size_t)i * tangents + i];
  for (int i = 0; i < normals; i++)
    g[i] = sqrt(sqrt(product->N[(size_t)i * normals + i] / fmax(g[i], SMALL_FRICTION_DIVISOR_LEAST)));
  for (int i = 0; i < tangents; i++)
    for (int j = 0; j < tangents; j++)
      product->T[(size_t)i * tangents + j] *=
          g[contact[i]] * g[contact[j]] * sqrt(rows->mu[contact[i]] * rows->mu[contact[j]]);
  for (int i = 0; i < normals; i++)
    for (int j = 0; j < normals; j++)
      product->N[(size_t)i * normals + j] *= sqrt(rows->mu[i] * rows->mu[j]) / (g[i] * g[j]);
}

/* Sharper bounds only as long as they may decide. */
static double bound_of(const Product *product) {
  double kappa = INFINITY;
  size_t t = (size_t)product->tangents * (size_t)product->tangents;
  size_t n = (size_t)product->normals * (size_t)product->normals;
  for (int squarings = 0; squarings <= SMALL_FRICTION_SQUARINGS && kappa >= ASP_KAPPA_UNIQUE; squarings++) {
    memcpy(product->power, product->T, t * sizeof *product->power);
    double tangents = eigenvalue_bound(product->tangents, product->power, product->scratch, squarings);
    memcpy(product->power, product->N, n * sizeof *product->power);
    kappa = tangents * eigenvalue_bound(product->normals, product->power, product->scratch, squarings);
  }
  return kappa;
}

AspError asp_small_friction(AspArena *arena, int blocks, const int *offset, const AspLaw *law, const double *W,
                            double *kappa) {
  AspArenaMark mark = asp_arena_mark(arena);
  Rows rows;
  Product product = {0};
  *kappa = 0;
  ASP_TRY(sort_rows(arena, blocks, offset, law, &rows));
  int n = rows.count, normals = n - rows.others;
  double *A = ASP_TAKE(arena, double, (size_t)n *(size_t)n), *diagonal = ASP_TAKE(arena, double, n);
  double *S = ASP_TAKE(arena, double, (size_t)normals *(size_t)normals);
  if (!A || !diagonal || !S)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < n; i++) {
    diagonal[i] = W[(size_t)rows.order[i] * n + rows.order[i]];
    for (int j = 0; j < n; j++)
      A[(size_t)i * n + j] = W[(size_t)rows.order[i] * n + rows.order[j]];
  }
  ASP_TRY(take_product(arena, &rows, &product));
  eliminate(n, A, diagonal, 0, rows.equalities);
  copy_tangents(&rows, A, &product);
  eliminate(n, A, diagonal, rows.equalities, rows.others);
  if (!invert_normals(n, A, diagonal, rows.others, S, product.N)) {
    *kappa = INFINITY;
  } else if (normals > 0) {
    balance(&rows, &product);
    *kappa = bound_of(&product);
  }
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}

/* ---- W of some blocks ---- */

/* Cholesky factor (column-major) of a body's part of M; false: not symmetric, not positive definite, or too large. */
static bool factor_body(const AspSparse *M, const AspProblemBodies *bodies, int b, const int *place, double *L) {
  int n = bodies->start[b + 1] - bodies->start[b];
  const int *dof = bodies->dof + bodies->start[b];
  if (n > SMALL_FRICTION_MOST_COUPLED)
    return false;
  memset(L, 0, (size_t)(n * n) * sizeof *L);
  for (int j = 0; j < n; j++)
    for (int k = M->start[dof[j]]; k < M->start[dof[j] + 1]; k++)
      L[place[M->row[k]] + j * n] += M->value[k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (!(fabs(L[i + j * n] - L[j + i * n]) <= SMALL_FRICTION_SYMMETRIC * sqrt(fabs(L[i + i * n] * L[j + j * n]))))
        return false;
  return asp_small_cholesky(n, L);
}

/* L^-1 times the part of column `row` of H at body b; false: it has none. */
static bool reduce_column(const AspSparse *H, const AspProblemBodies *bodies, int b, const int *place, int row,
                          const double *L, double *x) {
  int n = bodies->start[b + 1] - bodies->start[b];
  bool touches = false;
  memset(x, 0, (size_t)n * sizeof *x);
  for (int k = H->start[row]; k < H->start[row + 1]; k++)
    if (bodies->of[H->row[k]] == b) {
      x[place[H->row[k]]] += H->value[k];
      touches = true;
    }
  for (int j = 0; touches && j < n; j++) {
    x[j] /= L[j + j * n];
    for (int i = j + 1; i < n; i++)
      x[i] -= L[i + j * n] * x[j];
  }
  return touches;
}

/* The bodies that the blocks act on, each once; returns how many. */
static int list_bodies(const AspProblemBodies *bodies, int blocks, const int *block, bool *seen, int *list) {
  int count = 0;
  for (int i = 0; i < blocks; i++)
    for (int k = bodies->block_start[block[i]]; k < bodies->block_start[block[i] + 1]; k++) {
      int b = bodies->of_block[k];
      if (!seen[b])
        list[count++] = b;
      seen[b] = true;
    }
  return count;
}

/* W of some blocks, rows x rows in the order of the list, on the arena; NULL in *out: M does not allow it. */
static AspError delassus_of(AspArena *arena, const AspContactProblem *problem, const AspProblemBodies *bodies,
                            int count, const int *block, double **out) {
  int rows = 0, next = 0;
  *out = NULL;
  for (int i = 0; i < count; i++)
    rows += problem->offset[block[i] + 1] - problem->offset[block[i]];
  double *W = ASP_TAKE(arena, double, (size_t)rows *(size_t)rows);
  AspArenaMark mark = asp_arena_mark(arena);
  int *row = ASP_TAKE(arena, int, rows), *touching = ASP_TAKE(arena, int, rows);
  int *place = ASP_TAKE(arena, int, problem->dofs), *list = ASP_TAKE(arena, int, bodies->count);
  bool *seen = ASP_TAKE(arena, bool, bodies->count);
  double *X = ASP_TAKE(arena, double, (size_t)rows *SMALL_FRICTION_MOST_COUPLED);
  if (!W || !row || !touching || !place || !list || !seen || !X)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++)
    for (int k = problem->offset[block[i]]; k < problem->offset[block[i] + 1]; k++)
      row[next++] = k;
  int parts = list_bodies(bodies, count, block, seen, list);
  bool right = true;
  for (int p = 0; p < parts && right; p++) {
    double L[SMALL_FRICTION_MOST_COUPLED * SMALL_FRICTION_MOST_COUPLED];
    int body = list[p], n = bodies->start[body + 1] - bodies->start[body], m = 0;
    for (int i = 0; i < n; i++)
      place[bodies->dof[bodies->start[body] + i]] = i;
    right = factor_body(&problem->M, bodies, body, place, L);
    for (int j = 0; right && j < rows; j++)
      if (reduce_column(&problem->H, bodies, body, place, row[j], L, X + (size_t)m * n))
        touching[m++] = j;
    for (int a = 0; a < m; a++)
      for (int b = 0; b < m; b++)
        for (int i = 0; i < n; i++)
          W[(size_t)touching[a] * rows + touching[b]] += X[(size_t)a * n + i] * X[(size_t)b * n + i];
  }
  asp_arena_rewind(arena, mark);
  *out = right ? W : NULL;
  return ASP_OK;
}

AspError asp_small_friction_of(AspArena *arena, const AspContactProblem *problem, int count, const int *block,
                               double *kappa) {
  AspArenaMark mark = asp_arena_mark(arena);
  int *offset = ASP_TAKE(arena, int, count + 1);
  AspLaw *law = ASP_TAKE(arena, AspLaw, count);
  double *W;
  *kappa = INFINITY;
  if (!offset || !law)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < count; i++) {
    law[i] = problem->law[block[i]];
    offset[i + 1] = offset[i] + problem->offset[block[i] + 1] - problem->offset[block[i]];
  }
  AspProblemBodies bodies;
  ASP_TRY(asp_bodies_find(arena, problem, &bodies));
  ASP_TRY(delassus_of(arena, problem, &bodies, count, block, &W));
  if (W)
    ASP_TRY(asp_small_friction(arena, count, offset, law, W, kappa));
  asp_arena_rewind(arena, mark);
  return ASP_OK;
}
