/* Velocities at the start that joints and prescribed motions allow: the ones nearest to those given in the metric of M,
 *
 *   M (v - v_given) = G l,   G^T v = m'(t).
 *
 * The theta rule moves bodies by the mean of old and new velocities; a crank with a prescribed rotation that starts at
 * rest would lag behind by half a step, which a jump would then correct. */
#include "formulate/blocks.h"
#include "scheme/step.h"
#include "scheme/tuning/scheme.h"

#include <math.h>

AspError asp_make_consistent(AspStepWork *work, AspState *state, int *joint, double *violation) {
  const AspModel *model = work->model;
  double *known = asp_known_velocity(model, work->arena, state, 0, false), scale = 0;
  *joint = -1;
  *violation = 0;
  if (!known)
    return ASP_ERROR_MEMORY;
  AspStepTerms terms = {
      .level = ASP_LEVEL_VELOCITY, .slop = work->slop, .slop_turn = work->slop_turn, .known_velocity = known};
  AspStepWork problem = *work;
  problem.frame_count = 0;
  problem.dt = 0;
  ASP_TRY(asp_formulate_step(&problem, state, state, 1, &terms));
  for (int i = 0; i < asp_model_v_size(model); i++)
    scale = fmax(scale, fabs(state->v[i]));
  bool off = false;
  for (int b = 0; b < problem.formulation.blocks; b++) {
    AspBlockTag tag = problem.formulation.tag[b];
    for (int k = problem.formulation.offset[b]; k < problem.formulation.offset[b + 1]; k++) {
      double rate = row_rate(model, state, &problem.formulation.row[k]);
      double wanted = tag.role == ASP_ROLE_JOINT ? 0 : -problem.formulation.known[k];
      bool differs =
          problem.formulation.law[b].kind == ASP_LAW_EQUALITY && fabs(rate - wanted) > CONSISTENT_ALIKE * scale;
      off = off || differs;
      if (differs && tag.role == ASP_ROLE_JOINT && fabs(rate) > *violation) {
        *violation = fabs(rate);
        *joint = tag.index;
      }
    }
  }
  if (!off)
    return ASP_OK;
  ASP_TRY(asp_solve_problem(&problem, state, false));
  asp_state_spread(model, state, problem.x, state->v);
  return ASP_OK;
}
