/* Load couplings: loads that pass from one block of the problem to another, within the problem and its laws.
 *
 * A law such as "the rolling torque is at most c times the normal force of that contact" couples two blocks. It becomes
 * a COULOMB block (N', T) of its own whose normal reaction r_N' is made equal to a load L = sum_k a_k r_k + L0 of other
 * rows. For that the problem gets one more dof x_c, the load coupling, with a mass m_c:
 *
 *   m_c x_c = r_N' - sum_k a_k r_k - L0,     u_N' = x_c,     u_k = (as before) - a_k x_c
 *
 * H stays the map of both forces and velocities. In every solution x_c = 0: if r_N' > 0, then u_N' = x_c = 0 by
 * complementarity; if r_N' = 0, then x_c = -L/m_c >= 0 with L >= 0 leaves x_c = 0 too. So r_N' = L exactly, the rows k
 * feel nothing, and every method that solves COULOMB solves this. m_c is arbitrary; about the mass of the bodies keeps
 * the problem well scaled. L must not be negative: it is a normal force, or a sum of them.
 *
 * A block in space has two tangents. Where the law has one (spinning, a joint's coordinate) the other tangent acts on a
 * load coupling of its own, which stays at rest. Theory: docs/theory/friction-laws.md.
 */
#include "formulate/formulate.h"

#include <assert.h>
#include <stdlib.h>

int asp_coupling_add(AspFormulation *formulation, double mass, double load) {
  assert(formulation->couplings < formulation->coupling_capacity);
  formulation->coupling_mass[formulation->couplings] = mass;
  formulation->coupling_load[formulation->couplings] = load;
  return formulation->couplings++;
}

void asp_coupling_connect(AspFormulation *formulation, int row, int coupling, double value) {
  assert(formulation->entries < formulation->entry_capacity);
  formulation->entry[formulation->entries++] = (AspCouplingEntry){.row = row, .coupling = coupling, .value = value};
}

double asp_reduced_mass(const AspModel *model, int body_a, int body_b) {
  double inverse = 0;
  const int bodies[] = {body_a, body_b};
  for (int i = 0; i < 2; i++) {
    int beam = asp_model_station_beam(model, bodies[i], NULL);
    if (asp_model_body_is_free(model, bodies[i]))
      inverse += 1 / (beam >= 0 ? asp_model_beam_mass(model, beam) : asp_model_body_mass(model, bodies[i]));
  }
  return inverse > 0 ? 1 / inverse : 1;
}

AspLaw asp_coupling_law(const AspFrictionModel *friction, double mu, bool one_tangent) {
  return (AspLaw){.kind = ASP_LAW_COULOMB,
                  .mu = mu,
                  .cone = friction->cone == ASP_CONE_RELAXED ? ASP_CONE_EXACT : friction->cone,
                  .directions = one_tangent ? 4 : friction->directions,
                  .angle = one_tangent ? 0 : friction->angle};
}

static int compare_entries(const void *left, const void *right) {
  const AspCouplingEntry *a = left, *b = right;
  if (a->row != b->row)
    return a->row < b->row ? -1 : 1;
  return a->coupling < b->coupling ? -1 : a->coupling > b->coupling;
}

void asp_couplings_sort(AspFormulation *formulation) {
  if (formulation->entries > 1)
    qsort(formulation->entry, (size_t)formulation->entries, sizeof *formulation->entry, compare_entries);
}

AspError asp_couplings_extend(AspFormulation *formulation) {
  AspContactProblem *problem = &formulation->problem;
  AspArena *arena = formulation->arena;
  int bodies = asp_model_dof_count(formulation->model) + formulation->inner, dofs = bodies + formulation->couplings;
  if (formulation->couplings == 0)
    return ASP_OK;
  AspSparse old = problem->M, *M = &problem->M;
  int filled = old.start[bodies], entries = filled + formulation->couplings;
  double *f = ASP_TAKE(arena, double, dofs);
  *M = (AspSparse){dofs, dofs, ASP_TAKE(arena, int, dofs + 1), ASP_TAKE(arena, int, entries),
                   ASP_TAKE(arena, double, entries)};
  if (!M->start || !M->row || !M->value || !f)
    return ASP_ERROR_MEMORY;
  memcpy(M->start, old.start, (size_t)(bodies + 1) * sizeof *M->start);
  memcpy(M->row, old.row, (size_t)filled * sizeof *M->row);
  memcpy(M->value, old.value, (size_t)filled * sizeof *M->value);
  memcpy(f, problem->f, (size_t)bodies * sizeof *f);
  for (int c = 0; c < formulation->couplings; c++) {
    M->row[filled + c] = bodies + c;
    M->value[filled + c] = formulation->coupling_mass[c];
    M->start[bodies + c + 1] = filled + c + 1;
    f[bodies + c] = -formulation->coupling_load[c];
  }
  problem->f = f;
  return ASP_OK;
}
