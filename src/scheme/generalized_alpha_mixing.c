/* Anderson mixing of the passes of generalized-alpha. A pass is a map z -> G(z) of what it begins with,
 *
 *   z = (D, dt u, diag(M)^-1 W_F (b lambda_F + dt/2 Lambda_F))      (all lengths)
 *
 * and converges linearly: forces of constraints turn with the bodies, friction moves the positions that it depends on.
 * Friction counts by what it does to the bodies: forces of many contacts may do the same, and which of them a solver
 * finds is no matter of convergence.
 * From the last passes' F_i = G(z_i) - z_i the next begins with
 *
 *   z = G_k - sum_i c_i (G_{i+1} - G_i),   c minimising ||F_k - sum_i c_i (F_{i+1} - F_i)||
 *
 * (Walker and Ni, Anderson acceleration for fixed-point iterations, 2011). Differences that depend on later ones are
 * left out. The history is forgotten where contacts change their modes: the map is another one then; and, where there
 * are springs or beams, after a pass that changes more than the one before: Newton's matrix converges by itself there,
 * and differences of far off lead away. Where modes keep changing, the passes are damped: z + damping (G - z) in place
 * of G. */
#include "scheme/generalized_alpha.h"
#include "scheme/tuning/generalized_alpha.h"

#include <math.h>

static int vector_size(const AlphaStep *step) { return 3 * step->dofs; }

static void write_vector(const AlphaStep *step, double *z) {
  int n = step->dofs;
  for (int j = 0; j < n; j++) {
    z[j] = step->D[j];
    z[n + j] = step->weights.dt * step->u[j];
    z[2 * n + j] = step->inverse[j] * step->friction[j];
  }
}

static void read_vector(AlphaStep *step, const double *z) {
  int n = step->dofs;
  for (int j = 0; j < n; j++) {
    step->D[j] = z[j];
    step->u[j] = z[n + j] / step->weights.dt;
    step->friction[j] = z[2 * n + j] / step->inverse[j];
  }
}

AspError asp_alpha_mixing_begin(AlphaStep *step) {
  AlphaMixing *mixing = &step->mixing;
  size_t size = (size_t)vector_size(step);
  double *all = ASP_TAKE(step->work->arena, double, (3 + 2 * ALPHA_HISTORY) * size);
  if (!all)
    return ASP_ERROR_MEMORY;
  mixing->z = all;
  mixing->F = all + size;
  mixing->G = all + 2 * size;
  for (int i = 0; i < ALPHA_HISTORY; i++) {
    mixing->dF[i] = all + (size_t)(3 + 2 * i) * size;
    mixing->dG[i] = all + (size_t)(4 + 2 * i) * size;
  }
  mixing->count = 0;
  mixing->passes = 0;
  return ASP_OK;
}

void asp_alpha_mixing_note(AlphaStep *step) { write_vector(step, step->mixing.z); }

static double product(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void add(int n, double factor, const double *a, double *b) {
  for (int i = 0; i < n; i++)
    b[i] += factor * a[i];
}

/* The newest difference goes first; the oldest makes room. */
static void push_difference(AlphaMixing *mixing, int n, const double *F, const double *G) {
  int last = mixing->count < ALPHA_HISTORY ? mixing->count++ : ALPHA_HISTORY - 1;
  double *dF = mixing->dF[last], *dG = mixing->dG[last];
  for (int i = last; i > 0; i--) {
    mixing->dF[i] = mixing->dF[i - 1];
    mixing->dG[i] = mixing->dG[i - 1];
  }
  mixing->dF[0] = dF;
  mixing->dG[0] = dG;
  for (int i = 0; i < n; i++) {
    dF[i] = F[i] - mixing->F[i];
    dG[i] = G[i] - mixing->G[i];
  }
}

AspError asp_alpha_mix(AlphaStep *step, bool restart, double damping) {
  AlphaMixing *mixing = &step->mixing;
  AspArena *arena = step->work->arena;
  int n = vector_size(step);
  double *G = ASP_TAKE(arena, double, n), *F = ASP_TAKE(arena, double, n), *z = ASP_TAKE(arena, double, n);
  double *q = ASP_TAKE(arena, double, n *ALPHA_HISTORY), *p = ASP_TAKE(arena, double, n *ALPHA_HISTORY);
  if (!G || !F || !z || !q || !p)
    return ASP_ERROR_MEMORY;
  write_vector(step, G);
  for (int i = 0; i < n; i++)
    F[i] = G[i] - mixing->z[i];
  if (restart)
    mixing->count = mixing->passes = 0;
  if (mixing->passes++ > 0)
    push_difference(mixing, n, F, G);
  memcpy(mixing->F, F, (size_t)n * sizeof *F);
  memcpy(mixing->G, G, (size_t)n * sizeof *G);
  for (int i = 0; i < n; i++)
    z[i] = G[i] - (1 - damping) * F[i];
  int used = 0;
  for (int i = 0; i < mixing->count; i++) { // Gram-Schmidt on dF, the same steps on dG
    double *a = q + (size_t)used * (size_t)n, *b = p + (size_t)used * (size_t)n;
    memcpy(a, mixing->dF[i], (size_t)n * sizeof *a);
    memcpy(b, mixing->dG[i], (size_t)n * sizeof *b);
    double length = sqrt(product(n, a, a));
    for (int k = 0; k < used; k++) {
      double c = product(n, q + (size_t)k * (size_t)n, a);
      add(n, -c, q + (size_t)k * (size_t)n, a);
      add(n, -c, p + (size_t)k * (size_t)n, b);
    }
    double left = sqrt(product(n, a, a));
    if (!(left > ALPHA_MIXING_DEPENDENT * length))
      continue;
    for (int k = 0; k < n; k++) {
      a[k] /= left;
      b[k] /= left;
    }
    double c = product(n, a, F);
    add(n, -c, b, z);
    add(n, (1 - damping) * c, a, z);
    used++;
  }
  read_vector(step, z);
  return ASP_OK;
}
