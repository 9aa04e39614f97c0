/* Krawczyk's operator for slip directions: see slip_proof.h. */
#include "analyze/slip_proof.h"
#include "base/elementary.h"

#include "analyze/interval.h"
#include "analyze/tuning/analyze.h"
#include "linalg/dense.h"

typedef struct System {
  AspArena *arena;
  const AspReduced *problem;
  const AspPieceChoice *choices;
  int n;      /* unknowns */
  int *first; /* blocks: first unknown */
} System;

static int unknowns(const System *system, int b) {
  switch (system->choices[b].state) {
  case ASP_PIECE_ARC:
    return 3;
  case ASP_PIECE_STICK:
    return asp_reduced_size(system->problem, b);
  case ASP_PIECE_CLOSED:
    return 1;
  default:
    return 0;
  }
}

static AspError make_system(AspRelaxation *relaxation, const AspPieceChoice *choices, System *system) {
  *system = (System){relaxation->arena, relaxation->problem, choices, 0, NULL};
  system->first = ASP_TAKE(relaxation->arena, int, relaxation->problem->blocks);
  if (!system->first)
    return ASP_ERROR_MEMORY;
  for (int b = 0; b < relaxation->problem->blocks; b++) {
    system->first[b] = system->n;
    system->n += unknowns(system, b);
  }
  return ASP_OK;
}

/* r of a block and its derivatives by the block's unknowns, dr[unknown][row]; intervals throughout. */
static void reaction(const System *system, int b, const Interval *z, Interval r[3], Interval dr[3][3]) {
  const AspLaw *law = &system->problem->law[b];
  const Interval zero = {0, 0}, one = {1, 1};
  for (int k = 0; k < 3; k++) {
    r[k] = zero;
    for (int j = 0; j < 3; j++)
      dr[j][k] = zero;
  }
  switch (system->choices[b].state) {
  case ASP_PIECE_ARC: {
    Interval c = iv_cos(z[2]), s = iv_sin(z[2]), mc = iv_scale(-law->mu, c), ms = iv_scale(-law->mu, s);
    r[0] = z[0];
    r[1] = iv_mul(mc, z[0]);
    r[2] = iv_mul(ms, z[0]);
    dr[0][0] = one;
    dr[0][1] = mc;
    dr[0][2] = ms;
    dr[2][1] = iv_scale(-1, r[2]); // d cos = -sin
    dr[2][2] = r[1];
    break;
  }
  case ASP_PIECE_STICK:
    for (int k = 0; k < asp_reduced_size(system->problem, b); k++) {
      r[k] = z[k];
      dr[k][k] = one;
    }
    break;
  case ASP_PIECE_CLOSED: {
    double mu = law->kind == ASP_LAW_SLIDING ? law->mu : 0;
    double g[3] = {1, -mu * law->direction[0], -mu * law->direction[1]};
    for (int k = 0; k < asp_reduced_size(system->problem, b); k++) {
      r[k] = iv_scale(g[k], z[0]);
      dr[0][k] = iv(g[k], g[k]);
    }
    break;
  }
  default:
    if (law->kind == ASP_LAW_BOX)
      r[0] = iv(-system->choices[b].feature * law->limit, -system->choices[b].feature * law->limit);
    break;
  }
}

/* u_T - s d of a sliding contact. */
static void subtract_slip(const System *system, int b, const Interval *z, Interval *F, Interval *J) {
  int at = system->first[b], n = system->n;
  Interval c = iv_cos(z[at + 2]), s = iv_sin(z[at + 2]), speed = z[at + 1];
  F[at + 1] = iv_sub(F[at + 1], iv_mul(speed, c));
  F[at + 2] = iv_sub(F[at + 2], iv_mul(speed, s));
  if (!J)
    return;
  Interval *cosine = &J[(size_t)(at + 1) * n + at], *sine = &J[(size_t)(at + 2) * n + at];
  cosine[1] = iv_sub(cosine[1], c);
  cosine[2] = iv_add(cosine[2], iv_mul(speed, s));
  sine[1] = iv_sub(sine[1], s);
  sine[2] = iv_sub(sine[2], iv_mul(speed, c));
}

/* F (n) and J (n x n, row-major; NULL: not wanted) over the box z. */
static void evaluate(const System *system, const Interval *z, Interval *F, Interval *J) {
  const AspReduced *problem = system->problem;
  int n = system->n;
  for (int i = 0; i < n; i++)
    F[i] = iv(0, 0);
  for (int i = 0; J && i < n * n; i++)
    J[i] = iv(0, 0);
  for (int b = 0; b < problem->blocks; b++)
    for (int k = 0; k < unknowns(system, b); k++)
      F[system->first[b] + k] = iv(problem->q[problem->offset[b] + k], problem->q[problem->offset[b] + k]);
  for (int b = 0; b < problem->blocks; b++) {
    Interval r[3], dr[3][3];
    reaction(system, b, z + system->first[b], r, dr);
    for (int to = 0; to < problem->blocks; to++)
      for (int k = 0; k < unknowns(system, to); k++) {
        int row = system->first[to] + k;
        for (int m = 0; m < asp_reduced_size(problem, b); m++) {
          double w = problem->W[(size_t)(problem->offset[to] + k) * problem->rows + problem->offset[b] + m];
          F[row] = iv_add(F[row], iv_scale(w, r[m]));
          for (int j = 0; J && j < unknowns(system, b); j++) {
            Interval *entry = &J[(size_t)row * n + system->first[b] + j];
            *entry = iv_add(*entry, iv_scale(w, dr[j][m]));
          }
        }
      }
    if (system->choices[b].state == ASP_PIECE_ARC)
      subtract_slip(system, b, z, F, J);
  }
}

/* ---- the box ---- */

static AspError bound(AspRelaxation *relaxation, const AspPieceChoice *choices, const double *c, const double *s,
                      Interval *out, bool *bounded) {
  double value[2] = {0, 0};
  int n = relaxation->problem->rows;
  AspArenaMark mark = asp_arena_mark(relaxation->arena);
  double *sign = ASP_TAKE(relaxation->arena, double, n);
  AspError error = sign ? ASP_OK : ASP_ERROR_MEMORY;
  for (int side = 0; side < 2 && error == ASP_OK; side++) {
    AspLpStatus status = ASP_LP_STALLED;
    for (int i = 0; i < n; i++)
      sign[i] = (side ? -1 : 1) * (c ? c[i] : s[i]);
    error = asp_relaxation_extreme(relaxation, choices, c ? sign : NULL, c ? NULL : sign, &value[side], &status, NULL);
    *bounded = *bounded && status == ASP_LP_OPTIMAL;
  }
  asp_arena_rewind(relaxation->arena, mark);
  *out = iv(value[0], -value[1]);
  return error;
}

static Interval inflate(Interval a) {
  double more = SLIP_PROOF_INFLATION * fmax(a.high - a.low, 0) + SLIP_PROOF_ABSOLUTE;
  return iv(a.low - more, a.high + more);
}

static AspError make_box(AspRelaxation *relaxation, const System *system, Interval *Z, bool *bounded) {
  const AspReduced *problem = system->problem;
  double *c = ASP_TAKE(system->arena, double, problem->rows);
  if (!c)
    return ASP_ERROR_MEMORY;
  *bounded = true;
  for (int b = 0; b < problem->blocks && *bounded; b++) {
    const AspPieceChoice *choice = &system->choices[b];
    int at = problem->offset[b], z = system->first[b], reactions = unknowns(system, b);
    if (choice->state == ASP_PIECE_ARC) {
      double middle = 0.5 * (choice->low + choice->high), half = 0.5 * (choice->high - choice->low);
      c[at + 1] = asp_cos(middle);
      c[at + 2] = asp_sin(middle);
      ASP_TRY(bound(relaxation, system->choices, NULL, c, &Z[z + 1], bounded));
      Z[z + 1].high /= asp_cos(half); // s >= s cos(theta - middle) >= s cos(half)
      Z[z + 1] = inflate(Z[z + 1]);
      Z[z + 2] = inflate(iv(choice->low, choice->high));
      c[at + 1] = c[at + 2] = 0;
      reactions = 1;
    }
    for (int k = 0; k < reactions && *bounded; k++) {
      c[at + k] = 1;
      ASP_TRY(bound(relaxation, system->choices, c, NULL, &Z[z + k], bounded));
      Z[z + k] = inflate(Z[z + k]);
      c[at + k] = 0;
    }
  }
  return ASP_OK;
}

/* ---- Newton and Krawczyk ---- */

typedef struct Work {
  Interval *Z, *point, *F, *J;
  double *z, *A, *step;
  int *pivot;
} Work;

static AspError take_work(AspArena *arena, int n, Work *work) {
  size_t size = (size_t)n;
  *work = (Work){ASP_TAKE(arena, Interval, size),     ASP_TAKE(arena, Interval, size),
                 ASP_TAKE(arena, Interval, size),     ASP_TAKE(arena, Interval, size * size),
                 ASP_TAKE(arena, double, size),       ASP_TAKE(arena, double, size *size),
                 ASP_TAKE(arena, double, size *size), ASP_TAKE(arena, int, size)};
  bool complete = work->Z && work->point && work->F && work->J && work->z && work->A && work->step && work->pivot;
  return complete ? ASP_OK : ASP_ERROR_MEMORY;
}

/* J at the point z, factored (column-major); F beside it. */
static bool factor(const System *system, Work *work) {
  int n = system->n;
  for (int i = 0; i < n; i++)
    work->point[i] = iv(work->z[i], work->z[i]);
  evaluate(system, work->point, work->F, work->J);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      work->A[(size_t)j * n + i] = iv_middle(work->J[(size_t)i * n + j]);
  return asp_dense_lu(n, work->A, n, work->pivot) < 0;
}

/* From the middle of the box; true when it converged inside. */
static bool newton(const System *system, Work *work) {
  int n = system->n;
  for (int i = 0; i < n; i++)
    work->z[i] = iv_middle(work->Z[i]);
  for (int k = 0; k < SLIP_PROOF_NEWTON_STEPS; k++) {
    if (!factor(system, work))
      return false;
    double size = 0;
    for (int i = 0; i < n; i++)
      work->step[i] = iv_middle(work->F[i]);
    asp_dense_lu_solve(n, work->A, n, work->pivot, 1, work->step, n);
    for (int i = 0; i < n; i++) {
      work->z[i] -= work->step[i];
      size = fmax(size, fabs(work->step[i]) / (1 + fabs(work->z[i])));
    }
    if (!(size < SLIP_PROOF_DIVERGED))
      return false;
    if (size < SLIP_PROOF_CONVERGED)
      break;
  }
  bool inside = true;
  for (int i = 0; i < n; i++)
    inside = inside && work->z[i] >= work->Z[i].low && work->z[i] <= work->Z[i].high;
  return inside && factor(system, work);
}

static AspSlipVerdict krawczyk(const System *system, Work *work) {
  int n = system->n;
  double *Y = work->step;
  memset(Y, 0, (size_t)n * (size_t)n * sizeof *Y);
  for (int i = 0; i < n; i++)
    Y[(size_t)i * n + i] = 1;
  asp_dense_lu_solve(n, work->A, n, work->pivot, n, Y, n);
  bool inside = true, apart = false;
  Interval *F0 = work->point; // reused: F at z0 is in work->F, J over the box comes next
  memcpy(F0, work->F, (size_t)n * sizeof *F0);
  evaluate(system, work->Z, work->F, work->J);
  for (int i = 0; i < n; i++) {
    Interval K = iv(work->z[i], work->z[i]);
    for (int k = 0; k < n; k++)
      K = iv_sub(K, iv_scale(Y[(size_t)k * n + i], F0[k]));
    for (int j = 0; j < n; j++) {
      Interval entry = iv(i == j, i == j);
      for (int k = 0; k < n; k++)
        entry = iv_sub(entry, iv_scale(Y[(size_t)k * n + i], work->J[(size_t)k * n + j]));
      K = iv_add(K, iv_mul(entry, iv_sub(work->Z[j], iv(work->z[j], work->z[j]))));
    }
    inside = inside && K.low > work->Z[i].low && K.high < work->Z[i].high;
    apart = apart || K.low > work->Z[i].high || K.high < work->Z[i].low;
  }
  return inside ? ASP_SLIP_ONE : apart ? ASP_SLIP_NONE : ASP_SLIP_UNKNOWN;
}

static void read_reactions(const System *system, const Work *work, double *r) {
  for (int b = 0; b < system->problem->blocks; b++) {
    Interval point[3], value[3], dr[3][3];
    for (int k = 0; k < unknowns(system, b); k++)
      point[k] = iv(work->z[system->first[b] + k], work->z[system->first[b] + k]);
    reaction(system, b, point, value, dr);
    for (int k = 0; k < asp_reduced_size(system->problem, b); k++)
      r[system->problem->offset[b] + k] = iv_middle(value[k]);
  }
}

static AspError prove(AspRelaxation *relaxation, const AspPieceChoice *choices, double *r, bool *found,
                      AspSlipVerdict *verdict) {
  System system;
  Work work;
  bool bounded;
  *verdict = ASP_SLIP_UNKNOWN;
  *found = false;
  ASP_TRY(make_system(relaxation, choices, &system));
  ASP_TRY(take_work(relaxation->arena, system.n, &work));
  ASP_TRY(make_box(relaxation, &system, work.Z, &bounded));
  if (!bounded)
    return ASP_OK;
  *found = newton(&system, &work);
  if (!*found) {
    for (int i = 0; i < system.n; i++)
      work.z[i] = iv_middle(work.Z[i]);
    if (!factor(&system, &work))
      return ASP_OK;
  }
  *verdict = krawczyk(&system, &work);
  if (*found)
    read_reactions(&system, &work, r);
  if (*verdict == ASP_SLIP_ONE && !*found)
    *verdict = ASP_SLIP_UNKNOWN; // it exists, but Newton's method has not found it yet: a smaller box will
  return ASP_OK;
}

AspError asp_slip_proof(AspRelaxation *relaxation, const AspPieceChoice *choices, double *r, bool *found,
                        AspSlipVerdict *verdict) {
  AspArenaMark mark = asp_arena_mark(relaxation->arena);
  AspError error = prove(relaxation, choices, r, found, verdict);
  asp_arena_rewind(relaxation->arena, mark);
  return error;
}
