/* Joint friction in proportion to the load. The joint's constraint reactions r give a force F and a moment T on body B
 * at the joint's point; two bearings at +- L/2 along the axis a take them across the axis:
 *
 *   N_1 = F/2 - (a x T)/L,   N_2 = F/2 + (a x T)/L      (their components along t1, t2);   L = 0: one, N = F
 *
 * and friction on the coordinate is at most mu (|N_1| + |N_2|) (at the bearing's radius where it turns). The block is
 * COULOMB on a load coupling (load_coupling.c), whose load must be linear in r: sum_e d_e . N_e with directions d_e
 * that follow N_e from solve to solve (scheme/dependent.c). |d . N| differs from |N| by the square of the angle only,
 * so that two or three solves do. Moments about the axis of a prismatic joint and forces along that of a revolute one
 * load nothing.
 */
#include "base/elementary.h"
#include "formulate/blocks.h"
#include "linalg/vec3.h"

#include <math.h>

double asp_bearing_lever(const AspModel *model, int joint) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  return def->kind == ASP_JOINT_REVOLUTE ? def->bearing_radius : 1;
}

/* Force and moment about `arm` (from B's centre) of a unit reaction of the row on B. */
static void row_wrench(int dimension, const AspRow *row, AspVec3 arm, AspVec3 *force, AspVec3 *moment) {
  const double *j = row->jb;
  *force = dimension == 3 ? vec3(j[0], j[1], j[2]) : vec3(j[0], j[1], 0);
  AspVec3 about_centre = dimension == 3 ? vec3(j[3], j[4], j[5]) : vec3(0, 0, j[2]);
  *moment = sub3(about_centre, cross3(arm, *force));
}

/* N_e per unit of each constraint reaction. */
static void find_parts(const AspFormulation *formulation, const AspState *geometry, AspBearingLoad *bearing) {
  const AspModel *model = formulation->model;
  const AspJointDef *def = asp_model_joint_def(model, bearing->joint);
  AspVec3 axes[3], point = asp_joint_place(model, geometry, bearing->joint, axes);
  AspVec3 arm = sub3(point, asp_state_pose(model, geometry, def->body_b).position);
  bearing->bearings = def->bearing_length > 0 ? 2 : 1;
  for (int k = 0; k < bearing->rows; k++) {
    AspVec3 force, moment, couple = {0, 0, 0};
    row_wrench(asp_model_dimension(model), &formulation->row[bearing->first + k], arm, &force, &moment);
    if (bearing->bearings == 2) {
      force = scale3(0.5, force);
      couple = scale3(1 / def->bearing_length, cross3(axes[2], moment));
    }
    for (int c = 0; c < 2; c++) {
      bearing->part[0][c][k] = dot3(axes[c], sub3(force, couple));
      bearing->part[1][c][k] = dot3(axes[c], add3(force, couple));
    }
  }
}

void asp_formulate_bearing(AspFormulation *formulation, const AspState *geometry, int joint, const AspRow *coordinate,
                           const AspFrictionModel *friction, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  int dimension = asp_model_dimension(model), first = formulation->rows;
  double mass = asp_reduced_mass(model, coordinate->body_a, coordinate->body_b);
  AspBearingLoad *bearing = &formulation->bearing[formulation->bearings++];
  // the constraint blocks come first, at most one per joint
  int block = joint;
  while (formulation->tag[block].role != ASP_ROLE_JOINT || formulation->tag[block].index != joint)
    block--;
  *bearing = (AspBearingLoad){.joint = joint,
                              .first = formulation->offset[block],
                              .rows = formulation->offset[block + 1] - formulation->offset[block],
                              .block = formulation->blocks,
                              .coupling = asp_coupling_add(formulation, ASP_COUPLING_WEIGHT * mass, 0)};
  find_parts(formulation, geometry, bearing);
  AspRow none = {.body_a = coordinate->body_a, .body_b = coordinate->body_b}, row = *coordinate;
  scale_row(&row, asp_bearing_lever(model, joint));
  double mu = asp_model_joint_def(model, joint)->friction_coefficient;
  open_block(formulation, asp_coupling_law(friction, mu, true), ASP_ROLE_BEARING, joint);
  add_row(formulation, &none, 0, 0, terms);
  add_row(formulation, &row, 0, 0, terms);
  for (int k = 0; k < bearing->rows; k++)
    asp_coupling_connect(formulation, bearing->first + k, bearing->coupling, 0);
  asp_coupling_connect(formulation, first, bearing->coupling, 1);
  if (dimension == 3) {
    add_row(formulation, &none, 0, 0, terms);
    asp_coupling_connect(formulation, first + 2, asp_coupling_add(formulation, mass, 0), 1);
  }
}

double asp_bearing_load(const AspBearingLoad *bearing, const double *r, double d[2][2]) {
  double load = 0;
  for (int e = 0; e < bearing->bearings; e++) {
    double N[2] = {0, 0};
    for (int c = 0; c < 2; c++)
      for (int k = 0; k < bearing->rows; k++)
        N[c] += bearing->part[e][c][k] * r[bearing->first + k];
    double size = asp_hypot(N[0], N[1]);
    load += size;
    for (int c = 0; c < 2; c++)
      d[e][c] = size > 0 ? N[c] / size : bearing->direction[e][c];
  }
  return load;
}

void asp_bearing_turn(AspFormulation *formulation, AspBearingLoad *bearing, double d[2][2]) {
  memcpy(bearing->direction, d, sizeof bearing->direction);
  // entries ascend by row, and the joints' rows come first
  for (int i = 0; i < formulation->entries && formulation->entry[i].row < bearing->first + bearing->rows; i++) {
    AspCouplingEntry *entry = &formulation->entry[i];
    int k = entry->row - bearing->first;
    if (entry->coupling != bearing->coupling || k < 0)
      continue;
    entry->value = 0;
    for (int e = 0; e < bearing->bearings; e++)
      entry->value -= d[e][0] * bearing->part[e][0][k] + d[e][1] * bearing->part[e][1][k];
    formulation->problem.H.value[entry->at] = entry->value;
  }
}
