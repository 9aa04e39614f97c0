/* The geometrically exact rod (Simo and Reissner): nodes with position x and orientation R, elements of two nodes with
 * the strains at their middle (one integration point, which avoids locking). With l the length of the element,
 * psi = log(R_1^T R_2) and R_m the rotation halfway from R_1 to R_2,
 *
 *   gamma = R_m^T (x_2 - x_1)/l                       strain of stretching and shear
 *   kappa = psi/l                                     strain of bending and torsion
 *   U = sum l/2 ((gamma - gamma_0).C (gamma - gamma_0) + (kappa - kappa_0).C' (kappa - kappa_0))
 *
 * C, C': stiffness of the cross-section. Rigid motions do not change the strains (Crisfield and Jelenic 1999). Force n,
 * moment m and the angular velocity w_m of the halfway rotation:
 *
 *   n   = R_m C (gamma - gamma_0),     m = R_1 L^-T C' (kappa - kappa_0)
 *   w_m = (w_1 + w_2)/2 + (w_2 - w_1) x a/2,          |a| = tan(|psi|/4), a along psi in the world
 *   dU  = n.(dx_2 - dx_1) + c.dtheta_m + m.(dtheta_2 - dtheta_1),     c = n x (x_2 - x_1)
 *
 * L^-1: inverse left tangent of the exponential map at psi; dtheta: rotations about world axes, R <- exp(dtheta) R.
 * Material damping adds tau times the rates of the strains. Mass: consistent for x, rotational inertia lumped at the
 * nodes. Tangents: the formulas evaluated in dual numbers. Coordinates per node: x, quaternion w x y z; velocities: x',
 * w in the world. docs/theory/beams.md. */
#include "base/elementary.h"
#include "flex/dual.h"
#include "flex/flex_kind.h"
#include "flex/tuning/flex.h"

#include <math.h>

typedef struct Rod {
  AspFlex base;
  double size;            /* of an element, m */
  AspVec3 gamma0, kappa0; /* of the reference, the same everywhere */
} Rod;

static const Rod *rod_of(const AspFlex *flex) { return (const Rod *)flex; }

static AspVec3 node_position(const double *q) { return vec3(q[0], q[1], q[2]); }
static AspQuat node_turn(const double *q) { return (AspQuat){q[3], q[4], q[5], q[6]}; }
static AspVec3 pick3(const double *v) { return vec3(v[0], v[1], v[2]); }

/* ---- one element in dual numbers ---- */

typedef struct Element {
  Dual3 x[2];
  Dual4 turn[2];
  AspVec3 v[2], w[2];
} Element;

/* q + direction k: 0 .. 5 of node 1 (x, then turns about the world's axes), 6 .. 11 of node 2 */
static Element seed_element(const double *q, const double *v) {
  Element e;
  for (int i = 0; i < 2; i++) {
    AspQuat turn = node_turn(q + 7 * i);
    e.x[i] = dual3_constant(node_position(q + 7 * i));
    e.turn[i] = (Dual4){dual_constant(turn.w), dual3_constant(vec3(turn.x, turn.y, turn.z))};
    for (int k = 0; k < 3; k++) {
      AspQuat axis = {0, k == 0, k == 1, k == 2}, change = quat_multiply(axis, turn);
      e.x[i].c[k].d[6 * i + k] = 1;
      e.turn[i].w.d[6 * i + 3 + k] = 0.5 * change.w;
      e.turn[i].u.c[0].d[6 * i + 3 + k] = 0.5 * change.x;
      e.turn[i].u.c[1].d[6 * i + 3 + k] = 0.5 * change.y;
      e.turn[i].u.c[2].d[6 * i + 3 + k] = 0.5 * change.z;
    }
    e.v[i] = pick3(v + 6 * i);
    e.w[i] = pick3(v + 6 * i + 3);
  }
  return e;
}

/* 2 asin(sqrt(s))/sqrt(s): rotation vector over the quaternion's vector part, s its square */
static Dual vector_factor(Dual s) {
  double z = s.value;
  if (z < SPATIAL_ROD_HALF_ANGLE_SERIES)
    // exact: series
    return dual_chain(s, 2 + z * (1.0 / 3 + z * (3.0 / 20 + z * 5.0 / 56)), 1.0 / 3 + z * (3.0 / 10 + z * 15.0 / 56));
  double root = sqrt(fmin(z, 1)), f = 2 * asp_asin(root) / root;
  return dual_chain(s, f, (1 / sqrt(fmax(1 - z, SPATIAL_ROD_STRAIGHT_ANGLE)) - 0.5 * f) / z);
}

/* (1 - (t/2) cot(t/2))/t^2 over s = t^2: factor of [psi]^2 in the inverse left tangent */
static Dual tangent_factor(Dual s) {
  double z = s.value;
  if (z < SPATIAL_ROD_SERIES_BELOW)
    // exact: series
    return dual_chain(s, 1.0 / 12 + z * (1.0 / 720 + z * (1.0 / 30240 + z / 1209600)),
                      // exact: series
                      1.0 / 720 + z * (1.0 / 15120 + z / 403200));
  double t = sqrt(z), half = 0.5 * t, cot = asp_cos(half) / asp_sin(half), f = (1 - half * cot) / z;
  // df/dz with d(half cot)/dt = cot/2 - half/(2 sin^2)
  double slope = -(0.5 * cot - 0.5 * half / (asp_sin(half) * asp_sin(half))) / (2 * t * z) - f / z;
  return dual_chain(s, f, slope);
}

/* L^-1 x = x - psi x x/2 + c psi x (psi x x), transposed: the opposite sign in the middle */
static Dual3 inverse_tangent(const Dual3 *psi, Dual3 x, bool transposed) {
  Dual3 once = dual3_cross(*psi, x), twice = dual3_cross(*psi, once);
  Dual3 sum = dual3_combine(1, &x, transposed ? 0.5 : -0.5, &once);
  return dual3_add(sum, dual3_scale(tangent_factor(dual3_dot(*psi, *psi)), twice));
}

/* Strains of an element and what its force needs of the geometry. */
typedef struct Strain {
  Dual3 gamma, kappa; /* in the element's axes */
  Dual3 gamma_rate, kappa_rate;
  Dual3 d; /* x_2 - x_1 */
  Dual3 psi, a;
  Dual4 middle;
} Strain;

static Strain strain_of(const Element *e, double size) {
  Strain s;
  Dual4 apart = dual4_multiply(dual4_conjugate(e->turn[0]), e->turn[1]);
  if (apart.w.value < 0) // the shorter way
    apart = dual4_scale(dual_constant(-1), apart);
  s.psi = dual3_scale(vector_factor(dual3_dot(apart.u, apart.u)), apart.u);
  // halfway: q_1 (1 + apart)/|1 + apart|;  tan(psi/4): vector part over 1 + w of the unit quaternion of psi/2
  Dual4 half = apart;
  half.w = dual_add(half.w, dual_constant(1));
  half = dual4_normalize(half);
  s.middle = dual4_multiply(e->turn[0], half);
  s.a = dual4_rotate(e->turn[0], dual3_scale(dual_inverse(half.w), half.u));
  s.d = dual3_subtract(e->x[1], e->x[0]);
  Dual inverse = dual_constant(1 / size);
  s.gamma = dual3_scale(inverse, dual4_rotate_back(s.middle, s.d));
  s.kappa = dual3_scale(inverse, s.psi);

  Dual3 spin = dual3_constant(sub3(e->w[1], e->w[0])), mean = dual3_constant(scale3(0.5, add3(e->w[0], e->w[1])));
  Dual3 crossed = dual3_cross(spin, s.a), halfway = dual3_combine(1, &mean, 0.5, &crossed);
  Dual3 apart_rate = dual3_add(dual3_constant(sub3(e->v[1], e->v[0])), dual3_cross(s.d, halfway));
  s.gamma_rate = dual3_scale(inverse, dual4_rotate_back(s.middle, apart_rate));
  s.kappa_rate = dual3_scale(inverse, inverse_tangent(&s.psi, dual4_rotate_back(e->turn[0], spin), false));
  return s;
}

static void stiffness_of(const AspFlexDef *def, double axial[3], double turning[3]) {
  axial[0] = def->axial;
  axial[1] = def->shear[0];
  axial[2] = def->shear[1];
  turning[0] = def->torsion;
  turning[1] = def->bending[0];
  turning[2] = def->bending[1];
}

/* strain + turn * (second derivative of the strain for constant velocities) */
static Dual3 advanced(const Dual3 *strain, const Dual3 *rate, const Element *e, double turn) {
  Dual3 sum = *strain;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 12; k++) {
      AspVec3 v = k % 6 < 3 ? e->v[k / 6] : e->w[k / 6];
      sum.c[i].value += turn * rate->c[i].d[k] * get3(v, k % 3);
    }
  return sum;
}

/* dU over the 12 directions, with its derivatives. before: strains that take the place of the element's own, NULL:
 * none; then the derivatives are of no use */
static void element_force(const Rod *rod, const Element *e, const AspFlexAdvance *advance, const Strain *before,
                          Dual force[12]) {
  const AspFlexDef *def = &rod->base.def;
  Strain s = strain_of(e, rod->size);
  if (before) {
    s.gamma = advanced(&before->gamma, &s.gamma_rate, e, advance->turn[ASP_FLEX_STRETCH]);
    s.kappa = advanced(&before->kappa, &s.kappa_rate, e, advance->turn[ASP_FLEX_BEND]);
  }
  double tau[ASP_FLEX_PARTS] = {advance->ahead[0] + def->damping, advance->ahead[1] + def->damping};
  double axial[3], turning[3];
  stiffness_of(def, axial, turning);
  Dual3 N, M;
  for (int i = 0; i < 3; i++) {
    N.c[i] = dual_combine(axial[i], &s.gamma.c[i], axial[i] * tau[ASP_FLEX_STRETCH], &s.gamma_rate.c[i]);
    N.c[i].value -= axial[i] * get3(rod->gamma0, i);
    M.c[i] = dual_combine(turning[i], &s.kappa.c[i], turning[i] * tau[ASP_FLEX_BEND], &s.kappa_rate.c[i]);
    M.c[i].value -= turning[i] * get3(rod->kappa0, i);
  }
  Dual3 n = dual4_rotate(s.middle, N), m = dual4_rotate(e->turn[0], inverse_tangent(&s.psi, M, true));
  Dual3 c = dual3_cross(n, s.d), crossed = dual3_cross(s.a, c);
  for (int i = 0; i < 3; i++) {
    Dual more = dual_combine(0.5, &crossed.c[i], 1, &m.c[i]);
    force[i] = dual_combine(-1, &n.c[i], 0, &n.c[i]);
    force[6 + i] = n.c[i];
    force[3 + i] = dual_combine(0.5, &c.c[i], -1, &more);
    force[9 + i] = dual_combine(0.5, &c.c[i], 1, &more);
  }
}

/* ---- the interface ---- */

static void rod_release(AspContext *context, AspFlex *flex) {
  (void)context;
  (void)flex;
}

static int nodes(const AspFlex *flex) { return flex->def.elements + 1; }

static void rod_initial(const AspFlex *flex, const AspPose *pose, AspVec3 velocity, AspVec3 spin, double *q,
                        double *v) {
  const AspFlexDef *def = &flex->def;
  double curvature = def->curvature;
  for (int i = 0; i < nodes(flex); i++) {
    double s = def->length * i / def->elements, turn = curvature * s;
    AspPose local = {asp_flex_arc(curvature, s), quat_from_vector(vec3(0, 0, turn))},
            node = pose_multiply(pose, &local);
    AspVec3 speed = add3(velocity, cross3(spin, sub3(node.position, pose->position)));
    double seven[7] = {node.position.x,    node.position.y,    node.position.z,   node.orientation.w,
                       node.orientation.x, node.orientation.y, node.orientation.z};
    double six[6] = {speed.x, speed.y, speed.z, spin.x, spin.y, spin.z};
    memcpy(q + 7 * i, seven, sizeof seven);
    memcpy(v + 6 * i, six, sizeof six);
  }
}

static void rod_move(const AspFlex *flex, double *q, const double *v, double dt) {
  for (int i = 0; i < nodes(flex); i++, q += 7, v += 6) {
    for (int d = 0; d < 3; d++)
      q[d] += dt * v[d];
    AspQuat turned = quat_normalize(quat_multiply(quat_from_vector(scale3(dt, pick3(v + 3))), node_turn(q)));
    double four[4] = {turned.w, turned.x, turned.y, turned.z};
    memcpy(q + 3, four, sizeof four);
  }
}

/* rho I of a node in the world, kg m^2 */
static AspMat3 node_inertia(const AspFlex *flex, int node, const double *q) {
  const AspFlexDef *def = &flex->def;
  double share = rod_of(flex)->size * (node == 0 || node == def->elements ? 0.5 : 1);
  AspMat3 own = mat3_diagonal(share * def->inertia[0], share * def->inertia[1], share * def->inertia[2]);
  AspMat3 R = mat3_from_quat(node_turn(q + 7 * node)), world = mat3_congruence(&R, &own);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      world.m[3 * i + j] = world.m[3 * j + i] = 0.5 * (world.m[3 * i + j] + world.m[3 * j + i]);
  return world;
}

static void rod_mass(const AspFlex *flex, const double *q, AspBand *M) {
  double sixth = flex->def.mass_per_length * rod_of(flex)->size / 6;
  for (int e = 0; e < flex->def.elements; e++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        for (int d = 0; d < 3; d++)
          *band_at(M, 6 * (e + i) + d, 6 * (e + j) + d) += i == j ? 2 * sixth : sixth;
  for (int node = 0; node < nodes(flex); node++) {
    AspMat3 J = node_inertia(flex, node, q);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        *band_at(M, 6 * node + 3 + i, 6 * node + 3 + j) += J.m[3 * i + j];
  }
}

static void rod_load(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity, double *h) {
  double element = flex->def.mass_per_length * rod_of(flex)->size;
  for (int node = 0; node < nodes(flex); node++, h += 6) {
    AspMat3 J = node_inertia(flex, node, q);
    AspVec3 w = pick3(v + 6 * node + 3), gyroscopic = cross3(mat3_times(&J, w), w);
    double share = node == 0 || node == flex->def.elements ? 0.5 * element : element;
    const double six[6] = {share * gravity.x, share * gravity.y, share * gravity.z,
                           gyroscopic.x,      gyroscopic.y,      gyroscopic.z};
    for (int i = 0; i < 6; i++)
      h[i] += six[i];
  }
}

static void rod_force(const AspFlex *flex, const double *start, const double *q, const double *v,
                      const AspFlexAdvance *advance, double *h) {
  for (int e = 0; e < flex->def.elements; e++) {
    Element element = seed_element(q + 7 * e, v + 6 * e), first = seed_element(start + 7 * e, v + 6 * e);
    Strain before = strain_of(&first, rod_of(flex)->size);
    Dual force[12];
    element_force(rod_of(flex), &element, advance, &before, force);
    for (int i = 0; i < 12; i++)
      h[6 * e + i] -= force[i].value;
  }
}

/* A += factor l B^T D B of an element's strains, from their derivatives */
static void add_material(const Rod *rod, int e, const Dual3 *strain, const double stiffness[3], double factor,
                         AspBand *A) {
  for (int j = 0; j < 12; j++)
    for (int i = 0; i < 12; i++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += stiffness[k] * (strain->c[k].d[i] * strain->c[k].d[j]);
      *band_at(A, 6 * e + i, 6 * e + j) += factor * rod->size * sum;
    }
}

static void rod_tangent(const AspFlex *flex, const double *q, const double *v, AspBand *K, AspBand *C) {
  const Rod *rod = rod_of(flex);
  double axial[3], turning[3], damping = flex->def.damping;
  static const AspFlexAdvance now = {{0, 0}, {0, 0}};
  stiffness_of(&flex->def, axial, turning);
  for (int e = 0; e < flex->def.elements; e++) {
    Element element = seed_element(q + 7 * e, v + 6 * e);
    Strain s = strain_of(&element, rod->size);
    add_material(rod, e, &s.gamma, axial, damping, C);
    add_material(rod, e, &s.kappa, turning, damping, C);
    Dual force[12];
    element_force(rod, &element, &now, NULL, force);
    for (int j = 0; j < 12; j++)
      for (int i = 0; i < 12; i++)
        *band_at(K, 6 * e + i, 6 * e + j) += force[i].d[j];
  }
}

static void rod_stiffness(const AspFlex *flex, const double *q, AspFlexPart part, AspBand *A) {
  const Rod *rod = rod_of(flex);
  static const double still[12] = {0};
  double axial[3], turning[3];
  stiffness_of(&flex->def, axial, turning);
  for (int e = 0; e < flex->def.elements; e++) {
    Element element = seed_element(q + 7 * e, still);
    Strain s = strain_of(&element, rod->size);
    if (part == ASP_FLEX_BEND)
      add_material(rod, e, &s.kappa, turning, 1, A);
    else
      add_material(rod, e, &s.gamma, axial, 1, A);
  }
}

static AspFlexEnergy rod_energy(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity) {
  const Rod *rod = rod_of(flex);
  AspFlexEnergy sum = {0};
  double axial[3], turning[3], m = flex->def.mass_per_length * rod->size;
  stiffness_of(&flex->def, axial, turning);
  for (int e = 0; e < flex->def.elements; e++) {
    Element element = seed_element(q + 7 * e, v + 6 * e);
    Strain s = strain_of(&element, rod->size);
    for (int k = 0; k < 3; k++) {
      double gamma = s.gamma.c[k].value - get3(rod->gamma0, k), kappa = s.kappa.c[k].value - get3(rod->kappa0, k);
      double gamma_rate = s.gamma_rate.c[k].value, kappa_rate = s.kappa_rate.c[k].value;
      sum.elastic += 0.5 * rod->size * (axial[k] * gamma * gamma + turning[k] * kappa * kappa);
      sum.damped +=
          flex->def.damping * rod->size * (axial[k] * gamma_rate * gamma_rate + turning[k] * kappa_rate * kappa_rate);
    }
    AspVec3 x[2] = {node_position(q + 7 * e), node_position(q + 7 * e + 7)};
    for (int i = 0; i < 2; i++) // int of products of the two hat functions: m/3 and m/6
      for (int j = 0; j < 2; j++) {
        double share = i == j ? m / 3 : m / 6;
        sum.kinetic += 0.5 * share * dot3(element.v[i], element.v[j]);
        sum.angular = axpy3(sum.angular, share, cross3(x[i], element.v[j]));
        sum.linear = axpy3(sum.linear, share, element.v[j]);
        sum.centre = axpy3(sum.centre, share, x[i]);
      }
    sum.mass += m;
  }
  for (int node = 0; node < nodes(flex); node++) {
    AspMat3 J = node_inertia(flex, node, q);
    AspVec3 w = pick3(v + 6 * node + 3), L = mat3_times(&J, w);
    sum.kinetic += 0.5 * dot3(w, L);
    sum.angular = add3(sum.angular, L);
  }
  sum.gravitational = -dot3(gravity, sum.centre);
  sum.centre = scale3(1 / sum.mass, sum.centre);
  return sum;
}

/* The frame between the nodes: x linear, q the normalised mean (1 - z) q_1 + z q_2. With q_i q* = (c_i, u_i),
 *   w = sum z_i (c_i w_i + w_i x u_i)/|sum z_j q_j| */
static Dual3 section_spin(const Element *e, double z, Dual4 *turn) {
  double share[2] = {1 - z, z};
  Dual4 mean = dual4_scale(dual_constant(share[0]), e->turn[0]);
  Dual4 other = dual4_scale(dual_constant(share[1]), e->turn[1]);
  double side = e->turn[0].w.value * e->turn[1].w.value;
  for (int k = 0; k < 3; k++)
    side += e->turn[0].u.c[k].value * e->turn[1].u.c[k].value;
  if (side < 0) // the same orientation, the other sign
    other = dual4_scale(dual_constant(-1), other);
  mean.w = dual_add(mean.w, other.w);
  mean.u = dual3_add(mean.u, other.u);
  Dual squared = dual_add(dual_multiply(mean.w, mean.w), dual3_dot(mean.u, mean.u));
  *turn = dual4_normalize(mean);
  Dual3 sum = dual3_constant(vec3(0, 0, 0));
  Dual scale = dual_inverse(dual_root(squared));
  for (int i = 0; i < 2; i++) {
    Dual4 part = dual4_multiply(e->turn[i], dual4_conjugate(*turn));
    if (i == 1 && side < 0)
      part = dual4_scale(dual_constant(-1), part);
    Dual3 w = dual3_constant(e->w[i]);
    Dual3 term = dual3_add(dual3_scale(part.w, w), dual3_cross(w, part.u));
    sum = dual3_add(sum, dual3_scale(dual_multiply(scale, dual_constant(share[i])), term));
  }
  return sum;
}

static void rod_section(const AspFlex *flex, double s, const double *q, const double *v, AspFlexSection *section) {
  const Rod *rod = rod_of(flex);
  int e = (int)fmin(floor(s / rod->size), flex->def.elements - 1);
  double z = fmin(fmax(s / rod->size - e, 0), 1);
  Element element = seed_element(q + 7 * e, v + 6 * e);
  Dual4 turn;
  Dual3 spin = section_spin(&element, z, &turn);
  section->first = 6 * e;
  section->count = 12;
  memset(section->T, 0, sizeof section->T);
  for (int k = 0; k < 12; k++) {
    // spin is linear in the nodes' spins: its column is the spin of a unit spin
    Element unit = element;
    double share = k < 6 ? 1 - z : z;
    if (k % 6 < 3) {
      section->T[6 * k + k % 6] = share;
      continue;
    }
    for (int i = 0; i < 2; i++)
      unit.w[i] = i == k / 6 ? vec3(k % 6 == 3, k % 6 == 4, k % 6 == 5) : vec3(0, 0, 0);
    Dual4 ignored;
    Dual3 column = section_spin(&unit, z, &ignored);
    for (int i = 0; i < 3; i++)
      section->T[6 * k + 3 + i] = column.c[i].value;
  }
  double bias[3] = {0, 0, 0}, rate[12];
  memcpy(rate, v + 6 * e, sizeof rate);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 12; k++)
      bias[i] += spin.c[i].d[k] * rate[k];
  AspVec3 x[2] = {node_position(q + 7 * e), node_position(q + 7 * e + 7)};
  section->angle = 0;
  section->pose.position = add3(scale3(1 - z, x[0]), scale3(z, x[1]));
  section->pose.orientation =
      quat_normalize((AspQuat){turn.w.value, turn.u.c[0].value, turn.u.c[1].value, turn.u.c[2].value});
  section->velocity = add3(scale3(1 - z, element.v[0]), scale3(z, element.v[1]));
  section->spin = vec3(spin.c[0].value, spin.c[1].value, spin.c[2].value);
  section->bias = vec3(0, 0, 0);
  section->spin_bias = vec3(bias[0], bias[1], bias[2]);
}

/* An inextensible rod keeps the length of every element: |x_2 - x_1| - its length at the start */
static void rod_row(const AspFlex *flex, int row, const double *q, const double *v, AspFlexRow *out) {
  AspVec3 d = sub3(node_position(q + 7 * row + 7), node_position(q + 7 * row));
  AspVec3 rate = v ? sub3(pick3(v + 6 * row + 6), pick3(v + 6 * row)) : vec3(0, 0, 0);
  double length = norm3(d);
  AspVec3 u = unit3(d), across = axpy3(rate, -dot3(rate, u), u);
  out->value = length - rod_of(flex)->size * norm3(rod_of(flex)->gamma0);
  out->bias = dot3(across, across) / length;
  out->first = 6 * row;
  out->count = 12;
  for (int i = 0; i < 3; i++) {
    out->gradient[6 + i] = get3(u, i);
    out->gradient[i] = -get3(u, i);
    out->turn[6 + i] = get3(across, i) / length;
    out->turn[i] = -get3(across, i) / length;
  }
}

static const FlexKind rod_kind = {.release = rod_release,
                                  .initial = rod_initial,
                                  .move = rod_move,
                                  .mass = rod_mass,
                                  .add_load = rod_load,
                                  .add_force = rod_force,
                                  .tangent = rod_tangent,
                                  .add_stiffness = rod_stiffness,
                                  .energy = rod_energy,
                                  .section = rod_section,
                                  .row = rod_row};

AspError asp_flex_create_spatial(AspContext *context, const AspFlexDef *def, AspFlex **flex) {
  *flex = NULL;
  Rod *rod = asp_allocate(context, 1, sizeof *rod);
  if (!rod)
    return ASP_ERROR_MEMORY;
  int count = def->elements + 1;
  rod->size = def->length / def->elements;
  rod->base = (AspFlex){.kind = &rod_kind,
                        .def = *def,
                        .q_size = 7 * count,
                        .dofs = 6 * count,
                        .node_dofs = 6,
                        // exact: two sections of six, less one
                        .bandwidth = 11,
                        .rows = def->inextensible ? def->elements : 0};
  // the strains of one element of the reference
  double q[14], v[12];
  AspFlexDef two = *def;
  two.elements = 1;
  two.length = rod->size;
  Rod single = {.base = {.def = two}, .size = rod->size};
  AspPose origin = pose_identity();
  rod_initial(&single.base, &origin, vec3(0, 0, 0), vec3(0, 0, 0), q, v);
  Element element = seed_element(q, v);
  Strain s = strain_of(&element, rod->size);
  rod->gamma0 = vec3(s.gamma.c[0].value, s.gamma.c[1].value, s.gamma.c[2].value);
  rod->kappa0 = vec3(s.kappa.c[0].value, s.kappa.c[1].value, s.kappa.c[2].value);
  *flex = &rod->base;
  return ASP_OK;
}
