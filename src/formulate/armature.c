/* Inertia a on a joint's coordinate c, a rotor behind a gear: T = a/2 c'^2, a force -a c'' along the coordinate and no
 * momentum of its own. The rotor is a dof of its own that the coordinate turns, so that M keeps a block per body. Over
 * a step, v_c the rate at the start and R = J v+ + b that at the end (joints.c):
 *
 *   r = -a (R - v_c),     at an instant: r = -a (J v' + b)
 *
 * x = -R is the velocity of a load coupling of mass a with the known load a v_c and the row u = R + x = 0
 * (load_coupling.c). As with servos the row is multiplied by l = sqrt(a / m), m = a + 1/W the mass of the coupling and
 * W = J M^-1 J^T about, its load by 1/l, and its reaction is r / l: so it is of the size of others for any a. */
#include "formulate/blocks.h"

#include <math.h>

double asp_armature_lever(const AspFormulation *formulation, int joint) {
  return formulation->armature_lever ? formulation->armature_lever[joint] : 0;
}

void asp_formulate_armature(AspFormulation *formulation, const AspState *state, int joint, const AspRow *coordinate,
                            double rate, double to_end, const AspStepTerms *terms) {
  double a = asp_model_joint_def(formulation->model, joint)->armature;
  if (!(a > 0))
    return;
  double mass = a + 1 / asp_row_mobility(formulation->model, state, coordinate), lever = sqrt(a / mass);
  AspRow row[ASP_ROW_PARTS];
  copy_row(coordinate, row);
  scale_row(row, lever);
  open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_ARMATURE, joint);
  asp_coupling_connect(formulation, formulation->rows, asp_coupling_add(formulation, mass, a * rate / lever), 1);
  add_row(formulation, row, 0, lever * to_end, terms);
  formulation->armature_lever[joint] = lever;
}
