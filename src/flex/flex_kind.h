/* What a kind of flexible body provides; flex.c dispatches. Not seen outside this layer. */
#ifndef ASP_FLEX_KIND_H
#define ASP_FLEX_KIND_H

#include "base/elementary.h"
#include "flex/flex.h"
#include "flex/tuning/flex.h"

typedef struct FlexKind {
  void (*release)(AspContext *context, AspFlex *flex);
  void (*initial)(const AspFlex *flex, const AspPose *pose, AspVec3 velocity, AspVec3 spin, double *q, double *v);
  void (*move)(const AspFlex *flex, double *q, const double *v, double dt);
  void (*mass)(const AspFlex *flex, const double *q, AspBand *M);
  void (*add_load)(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity, double *h);
  void (*add_force)(const AspFlex *flex, const double *start, const double *q, const double *v,
                    const AspFlexAdvance *advance, double *h);
  void (*tangent)(const AspFlex *flex, const double *q, const double *v, AspBand *K, AspBand *C);
  void (*add_stiffness)(const AspFlex *flex, const double *q, AspFlexPart part, AspBand *A);
  void (*add_tension)(const AspFlex *flex, const double *start, const double *q, double factor,
                      AspBand *A); /* or NULL */
  AspFlexEnergy (*energy)(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity);
  void (*section)(const AspFlex *flex, double s, const double *q, const double *v, AspFlexSection *section);
  void (*row)(const AspFlex *flex, int row, const double *q, const double *v, AspFlexRow *out);
  void (*compliance)(const AspFlex *flex, AspBand *S); /* where rows are soft */
} FlexKind;

/* The first member of every kind's own structure. */
struct AspFlex {
  const FlexKind *kind;
  AspFlexDef def;
  int q_size, dofs, node_dofs, bandwidth, rows, soft, compliance_bandwidth;
};

/* A point of an arc of this curvature from the origin along x, turning towards y. */
static inline AspVec3 asp_flex_arc(double curvature, double s) {
  double turn = curvature * s;
  double x = fabs(turn) > ASP_FLEX_SERIES_BELOW ? asp_sin(turn) / curvature : s * (1 - turn * turn / 6);
  // exact: series
  double y = fabs(turn) > ASP_FLEX_SERIES_BELOW ? (1 - asp_cos(turn)) / curvature : s * turn * (0.5 - turn * turn / 24);
  return vec3(x, y, 0);
}

#endif
