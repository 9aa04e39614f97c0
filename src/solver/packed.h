/* Packed Gauss-Seidel: the contacts of rigid bodies in space in batches of sixteen, solved matrix-free.
 *
 *   M x = H r + f,   u = H^T x + w,   K_mu contains r_i  _|_  u_i + mu ||u_T,i|| n
 *
 * for problems whose blocks are COULOMB with the exact cone, or UNILATERAL, whose M has one 6x6 block diag(m 1, J) per
 * body, and whose H_i acts with D^T and -D^T on the velocities of its two bodies (one may be missing: the ground).
 * That is what contacts between rigid bodies give; anything else is left to nsgs.h.
 *
 * Variables: v and w~ = L^T w with J = L L^T, so that one matrix of angular rows serves both ways:
 *
 *   u_i = w_i + D (v_q - v_p) + A w~_p + B w~_q,      dv = +-D^T dr / m,   dw~_p = A^T dr,   dw~_q = B^T dr
 *
 * Spheres: where J is a multiple of 1 and the contact's point lies along the normal n from the centre, as for
 * balls, A_k = a n x D_k and B_k = b n x D_k for all rows k, so that with two numbers in place of A and B
 *
 *   u_i = w_i + D (v_q - v_p + (a w~_p + b w~_q) x n),   dw~_p = a n x D^T dr,   dw~_q = b n x D^T dr,   W_NT = 0
 *
 * in three fifths of the memory. Detected from the values of H and M; all contacts must be of this kind.
 *
 * One contact: r_N = max(0, x_N - u_N/W_NN), then r_T = the disk mu r_N of x_T - u_T/w_T, with u carried along; w_T is
 * the largest eigenvalue of W_TT. Its fixed points are the exact solutions.
 *
 * Momentum: a sweep starts from the extrapolation of the last two answers, x = r + beta (r - r'), one beta for all.
 * Velocities are linear in r, so that those of x are v + beta (v - v') body by body: no pass over the contacts, and
 * after a sweep the velocities are those of r itself. beta rises while the residual falls and falls when it rises;
 * where a limit of sweeps is known not to do, it falls all the time instead (packed_solve.c).
 *
 * Order (packed_order.c): bodies by breadth-first levels, levels cut into slabs. Slabs touch each other through
 * contacts between neighbouring levels alone; so all slabs can be swept at once, then all boundaries at once. Sixteen
 * contacts that share no body make a batch. The order depends on the problem alone: equal bits for any number of
 * threads and any instruction set (no product is fused with a sum in any of them, fixed width of a batch).
 * Measured in docs/theory/gauss-seidel.md. Depends on problem.
 */
#ifndef ASP_SOLVER_PACKED_H
#define ASP_SOLVER_PACKED_H

#include "asperity/problem.h"
#include "asperity/solver.h"
#include "base/base.h"
#include "base/parallel.h"
#include "problem/mass.h"
#include "problem/verdict.h"
#include "solver/tuning/packed.h"

/* Sixteen contacts without a common body; unused lanes are zero. Rows: normal, t1, t2. What turns the bodies follows,
 * as rows (AspGeneralBatch) or as lengths (AspSphereBatch), the same in all batches of a problem. */
typedef struct AspBatch {
  double D[9][ASP_LANES]; /* directions, row by row: velocity of q against p */
  double w[3][ASP_LANES];
  double inverse_N[ASP_LANES]; /* 1/W_NN */
  double inverse_T[ASP_LANES]; /* 1/w_T; 0: no friction */
  double mu[ASP_LANES];
  double r[2][3][ASP_LANES];      /* the last two answers, the newer one in the place that AspPacked.now tells */
  int p[ASP_LANES], q[ASP_LANES]; /* bodies */
} AspBatch;

typedef struct AspGeneralBatch {
  AspBatch common;
  double A[9][ASP_LANES]; /* angular rows of p, and of q, times L^-T */
  double B[9][ASP_LANES];
  double W[2][ASP_LANES]; /* W_N1, W_N2 */
} AspGeneralBatch;

typedef struct AspSphereBatch {
  AspBatch common;
  double arm[2][ASP_LANES]; /* of p and q: a, b */
} AspSphereBatch;

/* The same in floats, for sweeps far from the solution; w: velocities of the reactions that the sweeps began with, of
 * which the bodies hold the changes. */
typedef struct AspLightBatch {
  float D[9][ASP_LANES], w[3][ASP_LANES];
  float inverse_N[ASP_LANES], inverse_T[ASP_LANES], mu[ASP_LANES];
  float r[2][3][ASP_LANES];
  int p[ASP_LANES],
      q[ASP_LANES]; /* bodies: bytes from the first one, which spares a sweep a tenth of its instructions */
} AspLightBatch;

typedef struct AspLightGeneralBatch {
  AspLightBatch common;
  float A[9][ASP_LANES], B[9][ASP_LANES], W[2][ASP_LANES];
} AspLightGeneralBatch;

typedef struct AspLightSphereBatch {
  AspLightBatch common;
  float arm[2][ASP_LANES];
} AspLightSphereBatch;

/* One cache line; p or q of a contact with the ground is a line of its own set with 1/m = 0. */
typedef struct AspPackedBody {
  double v[3], inverse_mass, w[3], unused;
} AspPackedBody;

typedef struct AspLightBody {
  float v[3], inverse_mass, w[3], unused;
} AspLightBody;

/* Batches that one thread sweeps: a slab or a boundary between slabs. */
typedef struct AspPackedSet {
  int first, end; /* batches */
} AspPackedSet;

/* Sums over contacts, made set by set. */
typedef struct AspPackedSums {
  double total;    /* ||r||^2 */
  double worst;    /* residual: largest ||F_i(1/W_NN)||^2 */
  double map;      /* ||F(rho)||^2 */
  double map_unit; /* ||F(1)||^2 */
  double speed;    /* ||u||^2 */
  double normal;   /* sum of |r_N| */
} AspPackedSums;

/* Which sets this rank sweeps where several share them (packed_share.c). Slabs are runs of sets, and boundary k, which
 * joins bodies of the slabs k and k + 1, goes with slab k: neighbours share the bodies at the foot of the upper one's
 * first slab. Alone: all of them. */
typedef struct AspPackedShare {
  const AspRanks *ranks; /* NULL: alone */
  int first, end;        /* slabs */
  int boundary_end;      /* boundaries: from `first` to this one, counted from 0 */
  int *start;            /* ranks + 1: first slab of each */
  size_t *bytes;         /* ranks: scratch */
  int below, above;      /* neighbours; -1: none */
  int low, low_end;      /* own bodies that the neighbour's boundary acts on: after the slabs they go down, then back */
  int high, high_end;    /* bodies of the neighbour above that the own boundary acts on */
  AspError error;        /* the first one of a callback: from then on nothing is sent */
} AspPackedShare;

typedef struct AspPacked {
  const AspContactProblem *problem;
  int contacts, bodies;                   /* bodies: lines, ground lines included */
  int batch_count, set_count, slab_count; /* sets: slabs, then boundaries */
  bool spheres;                           /* AspSphereBatch, else AspGeneralBatch */
  AspBatch *batch;                        /* batches: asp_batch_at */
  AspLightBatch *light;                   /* batches: asp_light_at, */
  bool in_floats;                         /* as long as sweeps are made in floats */
  int (*source)[ASP_LANES];               /* batches: block of the problem per lane, -1: unused */
  AspPackedSet *set;
  int *set_body;              /* slabs + 1: their bodies are those from one of these numbers to the next */
  AspPackedSums *sums;        /* 2 x slabs: of slab k, then of boundary k (asp_packed_sums_of) */
  AspPackedBody *body, *free; /* bodies: velocities, and those of r = 0 */
  AspPackedBody *before;      /* bodies: velocities of the answer before the last */
  AspLightBody *light_body, *light_before;
  double (*best)[3][ASP_LANES]; /* batches: the best r so far */
  double rho, norm_q;           /* of the whole problem */
  AspPackedSums rest;           /* of the contacts that are left out */
  int now;                      /* place of the last answer in AspBatch.r */
  double momentum, most, least; /* beta, its cap, and what it falls to */
  AspContext *context;          /* whose team sweeps */
  AspPackedShare share;
} AspPacked;

/* The contacts seen as a graph: bodies first[i], second[i] of contact i; first < 0: the ground. */
typedef struct AspPackedGraph {
  int contacts, bodies;
  const int *first, *second;
} AspPackedGraph;

/* The order of the last problem, which depends on its graph alone. Starts as zeros with the arena initialised. */
typedef struct AspPackedMemory {
  AspArena arena;
  bool known;
  AspPackedGraph graph;
  AspPacked order; /* its counts, sets, and source by contacts */
  int *place;      /* bodies */
} AspPackedMemory;

/* Which part of the problem is swept, and what the judge says of the whole and of the rest at the start. */
typedef struct AspPackedScope {
  const bool *active; /* blocks, whole islands; NULL: all */
  double rho, norm_q;
  AspPackedSums rest;
  const AspMass *mass;     /* of the problem's M, so that it need not be read again; may be NULL */
  AspPackedMemory *memory; /* of the solves before, may be NULL; must outlive what is packed */
  const int *holders;      /* bodies of the problem: copies among which mass and force are divided; NULL: none */
  int *line;               /* bodies of the problem: receives their lines, -1: none; may be NULL */
  const AspRanks *ranks;   /* that share the sweeps; NULL: none */
} AspPackedScope;

/* Lay the problem out in the arena. *fits: false when the problem is of another kind (nothing is packed then). */
AspError asp_packed_take(AspPacked *packed, AspArena *arena, const AspContactProblem *problem,
                         const AspPackedScope *scope, bool *fits);

typedef struct AspPackedGoal {
  AspTolerances asked;
  int max_sweeps;
  int patience; /* stop when the rate predicts more sweeps than this; 0: never */
  int verdict;  /* sweeps before that */
  int window;   /* looks at the residual over which the rate is measured, up to ASP_LONGEST_WINDOW; 0: a few */
  /* Where another method waits that does well from near the solution: once the residual is at most `near` (0: never) it
   * takes over as soon as the last sweeps predict more than `near_patience` further ones. */
  double near;
  int near_patience, near_verdict; /* sweeps before that */
  bool at_limit;                   /* max_sweeps will hardly be enough: aim at the best answer within them */
  double deadline;                 /* on asp_clock_seconds(); 0: none */
  /* told at every look at the residual, which comes times the tolerance; may be NULL */
  void (*progress)(void *user, int iteration, const char *method, double residual);
  void *progress_user;
} AspPackedGoal;

/* Sweeps until the goal is met, from the best one of r (problem rows), `other` (may be NULL) and their mean; r receives
 * the best answer. The mean: a step that ends a velocity needs an impulse for that, and with the same reactions the
 * next step ends with the opposite velocity; where the reactions of two steps lie on both sides of those at rest, these
 * are in the middle. */
AspStatus asp_packed_solve(AspPacked *packed, const AspPackedGoal *goal, double *r, const double *other, int *sweeps);

/* ---- between the files of the method ---- */

/* Bodies renumbered (place: bodies), sets and batches; batches hold contact numbers in `source`. */
AspError asp_packed_order(AspPacked *packed, AspArena *arena, const AspPackedGraph *graph, int *place);

/* Contact n of the packed ones acts on the bodies at these places; p < 0: the ground. */
typedef struct AspPackedEnds {
  const int *first, *second, *place;
} AspPackedEnds;

/* Divide the sets among the ranks of the scope, by their batches; `source` still holds contact numbers. */
AspError asp_packed_share(AspPacked *packed, AspArena *arena, const AspRanks *ranks, const AspPackedEnds *ends);
/* Bodies that neighbours share, after the slabs (from the rank above, which has swept them) and after the boundaries
 * (back to it); light: those in floats. */
void asp_share_after_slabs(AspPacked *packed, bool light);
void asp_share_after_boundaries(AspPacked *packed, bool light);
/* Sums of all sets, and the best reactions of all batches, from the ranks that have them. */
void asp_share_gather_sums(AspPacked *packed);
void asp_share_gather_best(AspPacked *packed);
/* True on all ranks where it is on one. */
bool asp_share_any(AspPacked *packed, bool own);
/* A loop over the batches of the own sets. */
void asp_packed_for_batches(const AspPacked *packed, AspLoopBody *body, void *data);

static inline int asp_packed_boundaries(const AspPacked *packed) { return packed->set_count - packed->slab_count; }

static inline AspPackedSums *asp_packed_sums_of(const AspPacked *packed, int set) {
  return &packed->sums[set < packed->slab_count ? 2 * set : 2 * (set - packed->slab_count) + 1];
}

/* Is the set swept here? */
static inline bool asp_packed_owns(const AspPacked *packed, int set) {
  int k = set < packed->slab_count ? set : set - packed->slab_count;
  return k >= packed->share.first && k < packed->share.end;
}

/* Reactions of the problem's rows into the batches: r, or a part of the way from there to `other`; what is not finite
 * counts as zero. The best ones so far back to the rows; those of now become the best. */
void asp_packed_load(AspPacked *packed, const double *r, const double *other, double part);
void asp_packed_unload(AspPacked *packed, double *r);
void asp_packed_keep(AspPacked *packed);
/* Velocities afresh from r: the increments of many sweeps leave rounding behind. */
void asp_packed_refresh(AspPacked *packed);
/* Answers from r on, whose velocities the bodies then have (in floats: what they have changed by). */
void asp_packed_sweep(AspPacked *packed, int count);
/* Sums of the residual over all contacts, those that are left out included. */
AspPackedSums asp_packed_sum(AspPacked *packed);
/* Momentum for a start with this AspResidual.contact; more where the residual (before, now) fell, less where it rose;
 * a lower cap, false where there is none left. */
void asp_packed_start_momentum(AspPacked *packed, double contact);
void asp_packed_adapt_momentum(AspPacked *packed, double before, double now);
bool asp_packed_lower_momentum(AspPacked *packed);

static inline size_t asp_batch_size(bool spheres) { return spheres ? sizeof(AspSphereBatch) : sizeof(AspGeneralBatch); }

static inline size_t asp_light_size(bool spheres) {
  return spheres ? sizeof(AspLightSphereBatch) : sizeof(AspLightGeneralBatch);
}

static inline AspBatch *asp_batch_at(const AspPacked *packed, int b) {
  return (AspBatch *)(void *)((char *)packed->batch + (size_t)b * asp_batch_size(packed->spheres));
}

static inline AspLightBatch *asp_light_at(const AspPacked *packed, int b) {
  return (AspLightBatch *)(void *)((char *)packed->light + (size_t)b * asp_light_size(packed->spheres));
}

/* What a batch is made of beside D, w and mu; unused lanes are zero. */
typedef struct AspPackedRows {
  _Alignas(64) double A[9][ASP_LANES];       /* angular rows of p, */
  double B[9][ASP_LANES];                    /* and of q, as in H */
  double Lp[6][ASP_LANES], Lq[6][ASP_LANES]; /* L^-1 of their inertia, lower by rows */
  double inverse_masses[ASP_LANES];          /* sum of both */
} AspPackedRows;

/* Passes over `count` batches of one kind from `batch` on. */
typedef struct AspPackedKernels {
  const char *name;
  /* What turns the bodies, 1/W_NN and 1/w_T of one batch. False when a contact is not of its kind. */
  bool (*make_batch)(AspBatch *batch, const AspPackedRows *rows);
  /* One pass over the batches from velocities that belong to r[now] + momentum (r[now] - r[1 - now]). The answers take
   * the place of the older ones, the velocities are theirs. */
  void (*sweep)(AspBatch *batch, int count, AspPackedBody *body, int now, double momentum);
  /* From the velocities of r[now], and `before` of r[1 - now], to those that a sweep with this momentum starts from;
   * `before` becomes what they were. count: a multiple of ASP_LINES. */
  void (*extrapolate)(AspPackedBody *body, AspPackedBody *before, int count, double momentum);
  /* Natural map of r[now] at the velocities of the bodies, which must belong to it; light (may be NULL) gets the
   * velocities of the contacts. */
  void (*residual)(const AspBatch *batch, AspLightBatch *light, int count, const AspPackedBody *body, int now,
                   double rho, AspPackedSums *sums);
  /* Add what r[now] does to the velocities; it comes from `light` where that is not NULL. */
  void (*apply)(AspBatch *batch, const AspLightBatch *light, int count, AspPackedBody *body, int now);
  void (*light_sweep)(AspLightBatch *batch, int count, AspLightBody *body, int now, float momentum);
  void (*light_extrapolate)(AspLightBody *body, AspLightBody *before, int count, float momentum);
} AspPackedKernels;

/* The fastest table that this processor can run, and table `index`: 0 the scalar reference. All give equal bits; those
 * of spheres give what the general ones give, up to rounding. */
const AspPackedKernels *asp_packed_kernels(bool spheres);
const AspPackedKernels *asp_packed_kernels_at(int index, bool spheres);

#endif
