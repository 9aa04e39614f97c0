/* What the parts of the sparse factorisation share: the layout that the analysis finds and the other parts fill.
 *
 * Multifrontal: pivots are grouped into fronts, dense matrices over the front's own `width` pivots followed by the
 * `below` later indices that they couple with. A front is factored, and what it leaves to the indices below (its
 * Schur complement) is added to its parent front. Theory: I. S. Duff and J. K. Reid, ACM TOMS 9 (1983) 302-325; merging
 * fronts: C. Ashcraft and R. Grimes, ACM TOMS 15 (1989) 291-309; ordering: AMD, P. Amestoy, T. Davis, I. Duff, ACM TOMS
 * 30 (2004) 381-388.
 */
#ifndef ASP_LINALG_FACTOR_INTERNAL_H
#define ASP_LINALG_FACTOR_INTERNAL_H

#include "linalg/factor.h"
#include "linalg/front.h"
#include "linalg/tuning/linalg.h"

/* Right-hand sides that go together, as many as fill the kernels' vectors. */
#define FACTOR_PANEL ((FACTOR_SOLVE_COLUMNS + ASP_PAD) & ~ASP_PAD)

/* One front: the pivots first .. first + width - 1 (in pivot order) and the rows below them. Its values are laid out as
 * front.h says. */
typedef struct Front {
  int first, width, below;
  int parent;                 /* -1: a root */
  int side;                   /* which of the two stacks holds its Schur complement: fronts and their children differ */
  int first_child, end_child; /* in AspFactor.child */
  int first_run, end_run;     /* in AspFactor.run: how its rows map to the parent */
  int rows;                   /* in AspFactor.row: its `below` indices, ascending, in pivot order */
  int own_runs;               /* the runs before this one land among the parent's own pivots */
  int first_entry, end_entry; /* in AspFactor.entry, place */
  size_t values;              /* in AspFactor.value */
  size_t schur;               /* in AspFactor.stack[side] */
  size_t inverse;             /* in AspFactor.inverse_value */
} Front;

struct AspFactor {
  AspContext *context;
  AspArena symbolic; /* the layout and the numbers of the factors */
  AspArena scratch;  /* of the analysis */
  const AspKernels *kernels;
  AspFactorKind kind;
  bool analysed, computed;
  int n, entries; /* of the analysed matrix */
  int definite;   /* of a saddle matrix: indices of M; -1: not one */
  int *pattern;   /* n + entries: its start (from 1) and row, so that an equal pattern is not analysed again */

  int *order;   /* n: the index in A of each pivot */
  int *inverse; /* n: the pivot of each index in A */
  int fronts;
  Front *front;  /* children before parents */
  int *front_of; /* n: the front of each pivot */
  bool *reached; /* fronts: scratch of solves with few entries; false between them */
  int *child;    /* front numbers, by parent, ascending */
  AspRun *run;
  int *row;
  int *entry, *place; /* which entry of A goes where in its front's values */
  size_t value_count, stack_count[2];
  int tallest;          /* largest width + below */
  size_t scratch_count; /* what the largest front needs */

  size_t inverse_count; /* values of all fronts, each as a full square with leading dimension asp_padded */

  size_t value_room, stack_room[2], scratch_room, inverse_room; /* what the arrays can hold */
  double *value;                                                /* value_count */
  double *stack[2];      /* stack_count: Schur complements not yet taken by their parents */
  double *front_scratch; /* scratch_count */
  double *inverse_value; /* inverse_count: entries of A^-1; NULL before they are asked for */
  double *inverse_pivot; /* n: 1 / D (LDLT), 1 / U_ii (LU); 0 for a pivot set aside */
  double *size;          /* n, by pivot: e_i of factor.h */
  double *least;         /* n, by pivot: what its size must exceed (LDLT) */
  signed char *sign;     /* n, by pivot: the sign that is asked for */
  int *exchange;         /* n: LU: the row exchanged with row i, counted within its front */
  double *solve_x;       /* n x FACTOR_PANEL: right-hand sides in pivot order */
  double *solve_front;   /* padded tallest x FACTOR_PANEL: their part in one front */
};

/* A symmetric graph without loops whose vertices stand for groups of indices of A with equal rows (the six dofs of a
 * body): what is ordered and analysed instead of A itself. */
typedef struct FactorGraph {
  int vertices;
  int *start, *neighbour; /* vertices + 1, start[vertices] */
  int *weight;            /* vertices: indices in the group */
  int *member_start;      /* vertices + 1 */
  int *member;            /* n: the indices of each group */
} FactorGraph;
/* The graph of the pattern of A + A^T. All in the arena. */
AspError asp_factor_graph(AspArena *arena, const AspSparse *A, FactorGraph *graph);
/* order[i]: the vertex to eliminate i-th, by approximate minimum degree. order is the caller's. */
AspError asp_factor_order(AspArena *arena, const FactorGraph *graph, int *order);
/* An order without fill, from the leaves of a tree to its middle; *done: false where the graph has none. */
AspError asp_factor_order_leaves(AspArena *arena, const FactorGraph *graph, int *order, bool *done);
/* The same for a saddle matrix (factor.h): vertices with an index below `definite` by minimum degree, the others as
 * soon as all of those that they couple with are eliminated. */
AspError asp_factor_order_saddle(AspArena *arena, const FactorGraph *graph, int definite, int *order);

#endif
