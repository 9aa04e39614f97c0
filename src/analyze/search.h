/* All solutions of one island of the contact problem, by branch and bound over the pieces of its laws. Depends on
 * relaxation, slip_proof. */
#ifndef ASP_ANALYZE_SEARCH_H
#define ASP_ANALYZE_SEARCH_H

#include "analyze/relaxation.h"
#include "analyze/tuning/analyze.h"

/* One motion and the reactions that go with it; scaled values of the island. */
typedef struct AspFound {
  double *r, *u;          /* rows; r one of many where reaction_dimension > 0 */
  int motion_dimension;   /* > 0: one of a continuum of motions */
  int reaction_dimension; /* of the convex set of reactions with this motion */
  double *low, *high;     /* blocks: interval of the block's first reaction (r_N) over that set; where motions form a
                             continuum over all of it */
} AspFound;

/* A choice that the program ruled out, with its witness (relaxation.h). */
typedef struct AspRuledOut {
  AspPieceChoice *choices; /* blocks */
  double *witness;         /* rows; NULL where power, facets or caps had a part in it */
} AspRuledOut;

typedef struct AspSearch {
  AspArena *arena;
  const AspReduced *problem;
  double deadline;    /* on asp_clock_seconds(); 0: none */
  int64_t most_nodes; /* 0: no limit */
  int most_solutions;
  int most_ruled_out; /* how many of these to keep */

  double tolerance; /* on the linear programs; 0: rounding */

  AspRelaxation relaxation;
  int near_count;  /* choices that miss by little, where no solution was found */
  double *near;    /* ASP_NEAR_MAX x rows: their motions */
  AspFound *found; /* most_solutions */
  int count;
  AspRuledOut *ruled_out; /* most_ruled_out */
  int ruled_out_count;    /* kept; more may have been met: ruled_out_all */
  int64_t ruled_out_all, nodes;
  bool complete;      /* nothing was given up */
  bool slipping;      /* slip directions were given up */
  bool blurred;       /* not complete only since choices miss by little: a larger tolerance may decide */
  const char *reason; /* why not */
} AspSearch;

/* Fill in the fields down to most_ruled_out first. */
AspError asp_search(AspSearch *search);

/* Take r (rows, scaled) into the list when it is a solution that is not there yet. */
AspError asp_search_offer(AspSearch *search, const double *r);

/* Where the search was not complete: offer the solutions that the contact solvers find from this many starts
 * (multistart.c). */
AspError asp_search_multistart(AspSearch *search, AspContext *context, int starts);

/* The set of reactions that give the motion of a found solution: its dimension and the intervals (reactions.c). Where
 * the time runs out, intervals hold the found reaction alone or are too wide, and the search is not complete. */
AspError asp_search_reactions(AspSearch *search, AspFound *found);

/* Has the time run out, or has the caller asked to stop? Then the search is no longer complete, and says why. */
bool asp_search_out_of_time(AspSearch *search);

/* Largest natural map over the blocks for scaled r and u, relative to the size of r. */
double asp_search_residual(const AspReduced *problem, const double *r, const double *u);

#endif
