/* The interface of flexible bodies: calls go to the kind. */
#include "flex/flex_kind.h"

void asp_flex_destroy(AspContext *context, AspFlex *flex) {
  if (!flex)
    return;
  flex->kind->release(context, flex);
  asp_release(context, flex);
}

const AspFlexDef *asp_flex_def(const AspFlex *flex) { return &flex->def; }
int asp_flex_q_size(const AspFlex *flex) { return flex->q_size; }
int asp_flex_dofs(const AspFlex *flex) { return flex->dofs; }
int asp_flex_bandwidth(const AspFlex *flex) { return flex->bandwidth; }
int asp_flex_node_dofs(const AspFlex *flex) { return flex->node_dofs; }
int asp_flex_row_count(const AspFlex *flex) { return flex->rows; }
int asp_flex_soft_count(const AspFlex *flex) { return flex->soft; }
int asp_flex_compliance_bandwidth(const AspFlex *flex) { return flex->compliance_bandwidth; }

void asp_flex_initial(const AspFlex *flex, const AspPose *pose, AspVec3 velocity, AspVec3 spin, double *q, double *v) {
  flex->kind->initial(flex, pose, velocity, spin, q, v);
}

void asp_flex_move(const AspFlex *flex, double *q, const double *v, double dt) { flex->kind->move(flex, q, v, dt); }

void asp_flex_add_mass(const AspFlex *flex, const double *q, AspBand *M) { flex->kind->mass(flex, q, M); }

void asp_flex_add_load(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity, double *h) {
  flex->kind->add_load(flex, q, v, gravity, h);
}

void asp_flex_add_force(const AspFlex *flex, const double *q, const double *v, double *h) {
  static const AspFlexAdvance now = {{0, 0}, {0, 0}};
  flex->kind->add_force(flex, q, q, v, &now, h);
}

void asp_flex_add_step_force(const AspFlex *flex, const double *start, const double *q, const double *v,
                             const AspFlexAdvance *advance, double *h) {
  flex->kind->add_force(flex, start, q, v, advance, h);
}

void asp_flex_add_tangent(const AspFlex *flex, const double *q, const double *v, AspBand *K, AspBand *C) {
  flex->kind->tangent(flex, q, v, K, C);
}

void asp_flex_add_stiffness(const AspFlex *flex, const double *q, AspFlexPart part, AspBand *A) {
  flex->kind->add_stiffness(flex, q, part, A);
}

void asp_flex_add_tension(const AspFlex *flex, const double *start, const double *q, double factor, AspBand *A) {
  if (flex->kind->add_tension)
    flex->kind->add_tension(flex, start, q, factor, A);
}

AspFlexEnergy asp_flex_energy(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity) {
  return flex->kind->energy(flex, q, v, gravity);
}

void asp_flex_section(const AspFlex *flex, double s, const double *q, const double *v, AspFlexSection *section) {
  flex->kind->section(flex, fmin(fmax(s, 0), flex->def.length), q, v, section);
}

void asp_flex_row(const AspFlex *flex, int row, const double *q, const double *v, AspFlexRow *out) {
  memset(out, 0, sizeof *out);
  flex->kind->row(flex, row, q, v, out);
}

void asp_flex_compliance(const AspFlex *flex, AspBand *S) {
  if (flex->soft > 0)
    flex->kind->compliance(flex, S);
}
