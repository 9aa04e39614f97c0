/* formulate: every condition of the model at the end of a step, on three levels (docs/theory/generalized-alpha.md).
 *
 *   position      value(q, t)         joints and prescribed coordinates 0, limits and gaps >= 0
 *   velocity      H^T v + known       with e u- added for impacts (`shift`)
 *   acceleration  H^T v' + bias
 *
 * asp_formulate_end lists the rows of all joints and all contact candidates once; asp_formulation_select makes the
 * problem of one level from some of its blocks.
 */
#ifndef ASP_FORMULATE_END_STATE_H
#define ASP_FORMULATE_END_STATE_H

#include "formulate/acceleration.h"

/* Beside the rows of a formulation, arrays of `rows` values. */
typedef struct AspEndRows {
  double *value; /* position level, m or rad */
  double *bias;  /* acceleration level, m/s^2 or rad/s^2 */
  bool *placed;  /* the row has a position level */
} AspEndRows;

/* Room for the formulation has been made (asp_formulation_begin). M at `end`; f is left to the caller. Frames lie at
 * `end` and know their velocities of before; limits take theirs from `start`. Ends with finish: H is there. */
AspError asp_formulate_end(AspFormulation *formulation, const AspState *start, const AspState *end,
                           const AspContactFrame *frames, const AspRoundness *round, int count,
                           const AspFrictionModel *friction, double effort_time, AspEndRows *rows);

/* The problem of the first keep[b] rows of every block b, 0 leaves it out, under these laws; w = known + shift. M and
 * the load couplings are those of `all`, f is zero, dependent EQUALITY rows get a shift that they can meet (redundant
 * and count as in asp_formulate_redundancy). `from` (rows of out) receives the rows of `all`. */
typedef struct AspLevelChoice {
  const int *keep;
  const AspLaw *law;
  const double *known, *shift; /* rows of `all`; known NULL: zeros */
  bool apart;                  /* without the load couplings' entries: the blocks that they load are left out */
} AspLevelChoice;
AspError asp_formulation_select(const AspFormulation *all, const AspLevelChoice *selection, AspFormulation *out,
                                int **from, bool **redundant, int *redundant_count);

#endif
