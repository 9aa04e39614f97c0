/* flex: flexible bodies behind one interface. A flexible body has coordinates q and velocities v (not always of equal
 * number), a mass matrix, forces with their derivatives, and cross-sections: at every material parameter s in [0, L] a
 * frame whose pose, velocity and acceleration follow from the coordinates,
 *
 *   M(q) v' = h(q, v, t) + ...,    (x', w) = T(s, q) v,    (x'', w') = T v' + T' v
 *
 * x axis of the frame: along the centreline. Two kinds: planar_beam.c (Euler-Bernoulli, B-splines) and spatial_rod.c
 * (geometrically exact, Simo-Reissner). Both start from a reference without stress: a straight line, or an arc of a
 * circle in the frame's x-y plane. Matrices are bands, dofs x dofs; what couples all of a body is written as conditions
 * (rows). Nothing here allocates but creation, nothing keeps a state: one body may be used by many. Depends on base,
 * linalg. Knows no model. docs/theory/beams.md.
 */
#ifndef ASP_FLEX_H
#define ASP_FLEX_H

#include "base/base.h"
#include "flex/tuning/flex.h"
#include "linalg/band.h"
#include "linalg/vec3.h"

#define ASP_FLEX_SPAN     (2 * (ASP_FLEX_DEGREE_MAX + 1)) /* dofs that a cross-section depends on, at most */
#define ASP_FLEX_ROW_SPAN (4 * ASP_FLEX_DEGREE_MAX)       /* dofs that a condition depends on, at most */

typedef struct AspFlex AspFlex;

/* A homogeneous bar. Lengths in m, forces in N. */
typedef struct AspFlexDef {
  int elements; /* 1 .. ASP_FLEX_ELEMENTS_MAX */
  int degree;   /* planar: of the splines, 2 .. ASP_FLEX_DEGREE_MAX */
  int gauss;    /* planar: points of quadrature per element, 2 .. ASP_FLEX_DEGREE_MAX + 1; 0: degree + 1 */
  bool plain;   /* planar: axial strain as the displacements have it, not projected */
  bool inextensible;
  double length;
  double curvature;       /* of the reference, 1/m: it turns towards y */
  double mass_per_length; /* rho A, kg/m */
  double axial;           /* E A, N */
  double shear[2];        /* spatial: G A along y, z, N */
  double bending[2];      /* E I about y, z, N m^2; planar: about z */
  double torsion;         /* spatial: G J, N m^2 */
  double inertia[3];      /* spatial: rho I about x, y, z, kg m */
  double damping;         /* Kelvin-Voigt: stress = E (strain + damping strain'), s */
} AspFlexDef;

AspError asp_flex_create_planar(AspContext *context, const AspFlexDef *def, AspFlex **flex);
AspError asp_flex_create_spatial(AspContext *context, const AspFlexDef *def, AspFlex **flex);
void asp_flex_destroy(AspContext *context, AspFlex *flex);

const AspFlexDef *asp_flex_def(const AspFlex *flex);
int asp_flex_q_size(const AspFlex *flex);
int asp_flex_dofs(const AspFlex *flex);
/* w of the band matrices. */
int asp_flex_bandwidth(const AspFlex *flex);
/* Dofs of a node: 2 or 6. */
int asp_flex_node_dofs(const AspFlex *flex);

/* The reference, its start at `pose`, moving as a rigid body: v and w of the start. */
void asp_flex_initial(const AspFlex *flex, const AspPose *pose, AspVec3 velocity, AspVec3 spin, double *q, double *v);
/* q moved by dt along v. */
void asp_flex_move(const AspFlex *flex, double *q, const double *v, double dt);

void asp_flex_add_mass(const AspFlex *flex, const double *q, AspBand *M);
/* h += gravity and inertial terms. */
void asp_flex_add_load(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity, double *h);
/* h += forces of strain and of material damping. */
void asp_flex_add_force(const AspFlex *flex, const double *q, const double *v, double *h);

/* K = -dh/dq and C = -dh/dv of asp_flex_add_force, q differentiated along velocities (rotations: R <- exp(w) R), added
 * to what is there, without soft rows. K need not be symmetric where there is damping or a moment. */
void asp_flex_add_tangent(const AspFlex *flex, const double *q, const double *v, AspBand *K, AspBand *C);

/* The strains fall into two parts: stretching (and shear) has frequencies that steps hardly ever resolve, bending (and
 * torsion) has lower ones too. */
typedef enum AspFlexPart { ASP_FLEX_STRETCH, ASP_FLEX_BEND, ASP_FLEX_PARTS } AspFlexPart;
/* A += B(q)^T D B(q) of the part, B = de/dq, without soft rows. Symmetric, positive semidefinite. */
void asp_flex_add_stiffness(const AspFlex *flex, const double *q, AspFlexPart part, AspBand *A);
/* A += factor times the stiffness that tension adds across the centreline, at q and with the tension of `start`;
 * compression, which would destabilise, is left out. Symmetric, positive semidefinite; nothing for rods in space. */
void asp_flex_add_tension(const AspFlex *flex, const double *start, const double *q, double factor, AspBand *A);
/* h += the force at q of the strains of `start`, advanced along v as q sees it,
 *
 *   -B(q)^T D (e(start) + (ahead + tau) B(q) v + turn B'(q) v)       ahead (s) and turn (s^2) by part
 *
 * With q halfway, e(start) + dt B v is the strain at the end up to third order, for any stiffness D: the strains of
 * second order that a straight displacement during a rotation would cause do not appear. */
typedef struct AspFlexAdvance {
  double ahead[ASP_FLEX_PARTS], turn[ASP_FLEX_PARTS];
} AspFlexAdvance;
void asp_flex_add_step_force(const AspFlex *flex, const double *start, const double *q, const double *v,
                             const AspFlexAdvance *advance, double *h);

typedef struct AspFlexEnergy {
  double kinetic, elastic, gravitational; /* J */
  double damped;                          /* power turned into heat by material damping, W */
  double mass;                            /* kg */
  AspVec3 linear, angular;                /* momentum, and about the origin */
  AspVec3 centre;                         /* of mass, m */
} AspFlexEnergy;
AspFlexEnergy asp_flex_energy(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity);

/* The cross-section at s. n = 3 (x, y, angle) in the plane, 6 in space. */
typedef struct AspFlexSection {
  AspPose pose;
  double angle; /* planar: of the tangent, in (-pi, pi] */
  AspVec3 velocity, spin;
  AspVec3 bias, spin_bias;     /* T' v */
  int first, count;            /* the dofs that it depends on */
  double T[6 * ASP_FLEX_SPAN]; /* n x count */
} AspFlexSection;
void asp_flex_section(const AspFlex *flex, double s, const double *q, const double *v, AspFlexSection *section);

/* Conditions g(q) on the stretching of the whole body (m). An inextensible body has g = 0. A body whose strains are
 * mixed has them soft: the energy 1/2 g^T S^-1 g of stretching, S its compliance, adds to the matrices above
 *
 *   K: Y^T S^-1 (Y + tau Z),   C: tau Y^T S^-1 Y,   B^T D B: Y^T S^-1 Y,      Y = dg/dq, Z = d(Y v)/dq
 */
typedef struct AspFlexRow {
  double value;                                                /* g, m */
  double bias;                                                 /* what remains of its second derivative when v' = 0 */
  int first, count;                                            /* the dofs that it depends on */
  double gradient[ASP_FLEX_ROW_SPAN], turn[ASP_FLEX_ROW_SPAN]; /* Y, Z */
} AspFlexRow;
int asp_flex_row_count(const AspFlex *flex);  /* rows that hold exactly */
int asp_flex_soft_count(const AspFlex *flex); /* rows that are soft */
/* v may be NULL: at rest. */
void asp_flex_row(const AspFlex *flex, int row, const double *q, const double *v, AspFlexRow *out);
/* S, m/N m: its w and its values, soft_count x soft_count. */
int asp_flex_compliance_bandwidth(const AspFlex *flex);
void asp_flex_compliance(const AspFlex *flex, AspBand *S);

#endif
