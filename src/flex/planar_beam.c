/* The planar Euler-Bernoulli beam: a curve r(s) = sum N_i(s) c_i of B-splines of degree p, cross-sections normal to it.
 *
 *   e = |r_s| - 1,                                    axial strain
 *   k = (r_s x r_ss)/|r_s|^2                          curvature, k0 without load
 *   U = int EA/2 ebar^2 + EI/2 (k - k0)^2 ds          elastic energy
 *   T = int rho A/2 |r'|^2 ds                         kinetic energy
 *
 * (Eugster and Harsch 2020; Harsch and Eugster 2020). Membrane locking: e of a bent spline cannot vanish everywhere, so
 * that with a large EA the beam is too stiff in bending. Therefore ebar replaces e: e projected in L2 onto the splines
 * phi_a of degree p - 1 on the same elements. They hold the axial strain of a straight beam, and there are as many of
 * them as conditions on the length that a curve of n points can meet. With a Gauss rule s_q, w_q per element,
 *
 *   g_a  = sum_q w_q phi_a e(s_q),     G_ab = sum_q w_q phi_a phi_b
 *   ebar = sum_a phi_a (G^-1 g)_a,     axial part of U = EA/2 g^T G^-1 g
 *
 * so that no matrix couples more than neighbours: g are soft rows (flex.h). `plain` takes ebar = e, which locks. An
 * inextensible beam has no EA but int phi_a e ds = 0 for every a: the limit of EA to infinity. Material damping tau
 * (Kelvin and Voigt) in the axial force and the bending moment:
 *
 *   N = EA (ebar + tau ebar'),     M = EI (k - k0 + tau k')
 *
 * docs/theory/beams.md. */
#include "base/elementary.h"
#include "flex/flex_kind.h"
#include "flex/spline.h"
#include "flex/tuning/flex.h"

#include <math.h>

#define FUNCTIONS   (ASP_FLEX_DEGREE_MAX + 1)
#define STRAINS_MAX (ASP_FLEX_ELEMENTS_MAX + ASP_FLEX_DEGREE_MAX)

/* A point of the quadrature. */
typedef struct Point {
  int element;
  double weight;                                     /* m */
  double N[FUNCTIONS], D1[FUNCTIONS], D2[FUNCTIONS]; /* functions element .. element + degree */
  double phi[FUNCTIONS];                             /* degree of them: those of the strain, element .. */
  double e0, k0;                                     /* strains of the reference */
} Point;

typedef struct Planar {
  AspFlex base;
  AspSplines splines;
  int controls, points, strains;
  int rule;          /* points per element */
  double *reference; /* 2 x controls: of the beam that starts at the origin along x */
  AspBand mass;      /* controls, kg */
  double *load;      /* controls: int rho A N_i, kg */
  AspBand gram;      /* strains: G, m */
  AspBand factor;    /* of G */
  Point *point;
} Planar;

static const Planar *planar_of(const AspFlex *flex) { return (const Planar *)flex; }

/* The curve at a point of the quadrature, and how it moves. */
typedef struct Curve {
  double a[2], b[2]; /* r_s, r_ss */
  double u[2], w[2]; /* their rates */
  double g;          /* |r_s| */
  double t[2], n[2]; /* tangent, and normal: turned by 90 degrees */
} Curve;

static Curve curve_at(const Planar *beam, const Point *point, const double *q, const double *v) {
  Curve c = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, {0, 0}, {0, 0}};
  for (int k = 0; k <= beam->splines.degree; k++)
    for (int d = 0; d < 2; d++) {
      size_t at = 2 * (size_t)(point->element + k) + (size_t)d;
      c.a[d] += point->D1[k] * q[at];
      c.b[d] += point->D2[k] * q[at];
      c.u[d] += v ? point->D1[k] * v[at] : 0;
      c.w[d] += v ? point->D2[k] * v[at] : 0;
    }
  c.g = asp_hypot(c.a[0], c.a[1]);
  for (int d = 0; d < 2; d++)
    c.t[d] = c.a[d] / c.g;
  c.n[0] = -c.t[1];
  c.n[1] = c.t[0];
  return c;
}

static double strain_rate(const Curve *c) { return c->t[0] * c->u[0] + c->t[1] * c->u[1]; }

/* k, its gradient over (a, b) and its Hessian */
typedef struct Bend {
  double k, rate;
  double first[4];
  double second[4][4];
} Bend;

static Bend bend_of(const Curve *c) {
  double g2 = c->g * c->g, num = c->a[0] * c->b[1] - c->a[1] * c->b[0];
  double num_a[2] = {c->b[1], -c->b[0]}, num_b[2] = {-c->a[1], c->a[0]};
  static const double cross[2][2] = {{0, 1}, {-1, 0}};
  Bend bend = {.k = num / g2};
  for (int i = 0; i < 2; i++) {
    bend.first[i] = num_a[i] / g2 - 2 * num * c->a[i] / (g2 * g2);
    bend.first[2 + i] = num_b[i] / g2;
    for (int j = 0; j < 2; j++) {
      bend.second[i][j] = -2 * (num_a[i] * c->a[j] + c->a[i] * num_a[j] + (i == j ? num : 0)) / (g2 * g2) +
                          // exact: derivative
                          8 * num * c->a[i] * c->a[j] / (g2 * g2 * g2);
      bend.second[i][2 + j] = cross[i][j] / g2 - 2 * c->a[i] * num_b[j] / (g2 * g2);
      bend.second[2 + j][i] = bend.second[i][2 + j];
    }
  }
  bend.rate = bend.first[0] * c->u[0] + bend.first[1] * c->u[1] + bend.first[2] * c->w[0] + bend.first[3] * c->w[1];
  return bend;
}

/* k'' for constant velocities */
static double bend_turn(const Curve *c, const Bend *bend) {
  const double rate[4] = {c->u[0], c->u[1], c->w[0], c->w[1]};
  double sum = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      sum += rate[i] * bend->second[i][j] * rate[j];
  return sum;
}

/* ---- making ---- */

static void fill_points(Planar *beam) {
  double node[FUNCTIONS], weight[FUNCTIONS];
  int p = beam->splines.degree;
  AspSplines lower = {p - 1, beam->splines.elements, beam->splines.length};
  double size = beam->splines.length / beam->splines.elements;
  int rule = beam->rule;
  asp_gauss_rule(rule, node, weight);
  for (int q = 0; q < beam->points; q++) {
    Point *point = &beam->point[q];
    point->element = q / rule;
    double s = size * (point->element + 0.5 * (1 + node[q % rule]));
    point->weight = 0.5 * size * weight[q % rule];
    asp_spline_values(&beam->splines, point->element, s, 2, (double *const[]){point->N, point->D1, point->D2});
    asp_spline_values(&lower, point->element, s, 0, (double *const[]){point->phi});
  }
}

/* M, the loads, and the right-hand side of the fit of the reference, columns x and y: always integrated with degree + 1
 * points, also where the strains use another rule */
static void fill_mass(Planar *beam) {
  double node[FUNCTIONS], weight[FUNCTIONS], N[FUNCTIONS];
  int p = beam->splines.degree, rule = p + 1;
  double size = beam->splines.length / beam->splines.elements;
  asp_gauss_rule(rule, node, weight);
  for (int q = 0; q < beam->splines.elements * rule; q++) {
    int element = q / rule;
    double s = size * (element + 0.5 * (1 + node[q % rule]));
    asp_spline_values(&beam->splines, element, s, 0, (double *const[]){N});
    AspVec3 at = asp_flex_arc(beam->base.def.curvature, s);
    for (int i = 0; i <= p; i++) {
      double part = 0.5 * size * weight[q % rule] * N[i] * beam->base.def.mass_per_length;
      beam->load[element + i] += part;
      beam->reference[element + i] += part * at.x;
      beam->reference[beam->controls + element + i] += part * at.y;
      for (int j = 0; j <= p; j++)
        *band_at(&beam->mass, element + i, element + j) += part * N[j];
    }
  }
}

static void fill_gram(Planar *beam) {
  for (int q = 0; q < beam->points; q++) {
    const Point *point = &beam->point[q];
    for (int a = 0; a < beam->splines.degree; a++)
      for (int b = 0; b < beam->splines.degree; b++)
        *band_at(&beam->gram, point->element + a, point->element + b) +=
            point->weight * (point->phi[a] * point->phi[b]);
  }
  memcpy(beam->factor.a, beam->gram.a, band_entries(beam->gram.n, beam->gram.w) * sizeof *beam->gram.a);
  asp_band_factor(&beam->factor);
}

/* The control points of the reference: nearest to the arc in L2, with its ends; the remaining strains count as zero.
 * The right-hand side comes from fill_mass. */
static AspError fit_reference(AspContext *context, Planar *beam) {
  int n = beam->controls;
  size_t entries = band_entries(n, beam->mass.w);
  AspBand A = {n, beam->mass.w, asp_allocate(context, entries, sizeof *A.a)};
  if (!A.a)
    return ASP_ERROR_MEMORY;
  double curvature = beam->base.def.curvature, *X = beam->reference;
  AspVec3 end = asp_flex_arc(curvature, beam->splines.length);
  memcpy(A.a, beam->mass.a, entries * sizeof *A.a);
  // the ends are known: their rows become those of the identity, their columns go to the right
  for (int side = 0; side < 2; side++) {
    int known = side ? n - 1 : 0;
    for (int i = band_first(&A, known); i <= band_last(&A, known); i++) {
      for (int d = 0; d < 2; d++)
        X[d * n + i] -= *band_at(&A, i, known) * (side ? get3(end, d) : 0);
      *band_at(&A, i, known) = *band_at(&A, known, i) = i == known;
    }
    for (int d = 0; d < 2; d++)
      X[d * n + known] = side ? get3(end, d) : 0;
  }
  asp_band_factor(&A);
  asp_band_solve(&A, X);
  asp_band_solve(&A, X + n);
  for (int i = 0; i < n; i++) { // from columns to pairs (x, y), through A as room
    A.a[2 * i] = curvature != 0 ? X[i] : asp_spline_greville(&beam->splines, i);
    A.a[2 * i + 1] = curvature != 0 ? X[n + i] : 0;
  }
  memcpy(X, A.a, 2 * (size_t)n * sizeof *X);
  asp_release(context, A.a);
  for (int q = 0; curvature != 0 && q < beam->points; q++) {
    Curve c = curve_at(beam, &beam->point[q], X, NULL);
    beam->point[q].e0 = c.g - 1;
    beam->point[q].k0 = bend_of(&c).k;
  }
  return ASP_OK;
}

static void planar_release(AspContext *context, AspFlex *flex) {
  Planar *beam = (Planar *)flex;
  void *blocks[] = {beam->reference, beam->mass.a, beam->load, beam->gram.a, beam->factor.a, beam->point};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
    asp_release(context, blocks[i]);
}

/* ---- motion ---- */

static void planar_initial(const AspFlex *flex, const AspPose *pose, AspVec3 velocity, AspVec3 spin, double *q,
                           double *v) {
  const Planar *beam = planar_of(flex);
  for (int i = 0; i < beam->controls; i++) {
    AspVec3 arm = quat_rotate(pose->orientation, vec3(beam->reference[2 * i], beam->reference[2 * i + 1], 0));
    AspVec3 speed = add3(velocity, cross3(spin, arm));
    q[2 * i] = pose->position.x + arm.x;
    q[2 * i + 1] = pose->position.y + arm.y;
    v[2 * i] = speed.x;
    v[2 * i + 1] = speed.y;
  }
}

static void planar_move(const AspFlex *flex, double *q, const double *v, double dt) {
  for (int i = 0; i < flex->dofs; i++)
    q[i] += dt * v[i];
}

static void planar_mass(const AspFlex *flex, const double *q, AspBand *M) {
  const AspBand *mass = &planar_of(flex)->mass;
  (void)q;
  for (int j = 0; j < mass->n; j++)
    for (int i = band_first(mass, j); i <= band_last(mass, j); i++)
      for (int d = 0; d < 2; d++)
        *band_at(M, 2 * i + d, 2 * j + d) += *band_at(mass, i, j);
}

static void planar_load(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity, double *h) {
  const Planar *beam = planar_of(flex);
  (void)q;
  (void)v;
  for (int i = 0; i < beam->controls; i++) {
    h[2 * i] += beam->load[i] * gravity.x;
    h[2 * i + 1] += beam->load[i] * gravity.y;
  }
}

/* ---- forces ---- */

/* How strains are taken over a step: e at `start`, advanced by tau e' + turn e'' of constant v at q. */
typedef struct Axial {
  const double *start, *q, *v;
  double tau, turn;
  double mixed[STRAINS_MAX]; /* EA G^-1 g */
} Axial;

static double axial_strain(const Planar *beam, const Point *point, const Axial *axial) {
  Curve before = curve_at(beam, point, axial->start, NULL), c = curve_at(beam, point, axial->q, axial->v);
  double across = c.n[0] * c.u[0] + c.n[1] * c.u[1];
  return before.g - 1 - point->e0 + axial->tau * strain_rate(&c) + axial->turn * across * across / c.g;
}

/* out_a += w phi_a value: a point's part of a moment over the splines of the strain */
static void add_moment(const Planar *beam, const Point *point, double value, double *out) {
  for (int a = 0; a < beam->splines.degree; a++)
    out[point->element + a] += point->weight * point->phi[a] * value;
}

static void take_axial(const Planar *beam, Axial *axial) {
  if (beam->base.soft == 0)
    return;
  memset(axial->mixed, 0, (size_t)beam->strains * sizeof *axial->mixed);
  for (int k = 0; k < beam->points; k++)
    add_moment(beam, &beam->point[k], axial_strain(beam, &beam->point[k], axial), axial->mixed);
  asp_band_solve(&beam->factor, axial->mixed);
  for (int a = 0; a < beam->strains; a++)
    axial->mixed[a] *= beam->base.def.axial;
}

/* N at a point; zero for an inextensible beam */
static double normal_force(const Planar *beam, const Point *point, const Axial *axial) {
  double sum = 0;
  if (beam->base.def.inextensible)
    return 0;
  if (beam->base.def.plain)
    return beam->base.def.axial * axial_strain(beam, point, axial);
  for (int a = 0; a < beam->splines.degree; a++)
    sum += point->phi[a] * axial->mixed[point->element + a];
  return sum;
}

static void planar_force(const AspFlex *flex, const double *start, const double *q, const double *v,
                         const AspFlexAdvance *advance, double *h) {
  const Planar *beam = planar_of(flex);
  double tau = advance->ahead[ASP_FLEX_BEND] + flex->def.damping;
  Axial axial = {.start = start,
                 .q = q,
                 .v = v,
                 .tau = advance->ahead[ASP_FLEX_STRETCH] + flex->def.damping,
                 .turn = advance->turn[ASP_FLEX_STRETCH]};
  take_axial(beam, &axial);
  for (int k = 0; k < beam->points; k++) {
    const Point *point = &beam->point[k];
    Curve c = curve_at(beam, point, q, v), before = curve_at(beam, point, start, NULL);
    Bend bend = bend_of(&c);
    double strain =
        bend_of(&before).k - point->k0 + tau * bend.rate + advance->turn[ASP_FLEX_BEND] * bend_turn(&c, &bend);
    double moment = flex->def.bending[1] * strain, N = normal_force(beam, point, &axial);
    for (int i = 0; i <= beam->splines.degree; i++)
      for (int d = 0; d < 2; d++)
        h[2 * (point->element + i) + d] -=
            point->weight *
            (N * point->D1[i] * c.t[d] + moment * (point->D1[i] * bend.first[d] + point->D2[i] * bend.first[2 + d]));
  }
}

/* Gradients of a point's strains over the dofs of its element, 2 (degree + 1) of them. */
typedef struct Local {
  int first, count;
  double stretch[ASP_FLEX_SPAN];   /* t D1 */
  double across[ASP_FLEX_SPAN];    /* n D1 */
  double bend[ASP_FLEX_SPAN];      /* dk */
  double bend_rate[ASP_FLEX_SPAN]; /* d(k')/dq */
} Local;

static Local local_gradients(const Planar *beam, const Point *point, const Curve *c, const Bend *bend) {
  Local local = {.first = 2 * point->element, .count = 2 * (beam->splines.degree + 1)};
  const double rates[4] = {c->u[0], c->u[1], c->w[0], c->w[1]};
  double turned[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      turned[i] += bend->second[i][j] * rates[j];
  for (int k = 0; k < local.count; k++) {
    int i = k / 2, d = k % 2;
    local.stretch[k] = point->D1[i] * c->t[d];
    local.across[k] = point->D1[i] * c->n[d];
    local.bend[k] = point->D1[i] * bend->first[d] + point->D2[i] * bend->first[2 + d];
    local.bend_rate[k] = point->D1[i] * turned[d] + point->D2[i] * turned[2 + d];
  }
  return local;
}

/* A += a b^T over the local dofs, times the weight: the product of the two first, so that A is exactly symmetric where
 * a = b */
static void add_outer(const Local *local, double weight, const double *a, const double *b, AspBand *A) {
  for (int j = 0; j < local->count; j++)
    for (int i = 0; i < local->count; i++)
      *band_at(A, local->first + i, local->first + j) += weight * (a[i] * b[j]);
}

/* What the moment adds to K through the curvature's second derivative. */
static void add_hessian(const Point *point, const Bend *bend, const Local *local, double factor, AspBand *K) {
  for (int j = 0; j < local->count; j++)
    for (int i = 0; i < local->count; i++) {
      int a = i / 2, b = j / 2, d = i % 2, f = j % 2;
      double hessian = point->D1[a] * (bend->second[d][f] * point->D1[b] + bend->second[d][2 + f] * point->D2[b]) +
                       point->D2[a] * bend->second[2 + d][f] * point->D1[b];
      *band_at(K, local->first + i, local->first + j) += factor * hessian;
    }
}

static void planar_tangent(const AspFlex *flex, const double *q, const double *v, AspBand *K, AspBand *C) {
  const Planar *beam = planar_of(flex);
  double EA = flex->def.axial, EI = flex->def.bending[1], tau = flex->def.damping;
  Axial axial = {.start = q, .q = q, .v = v, .tau = tau};
  take_axial(beam, &axial);
  for (int k = 0; k < beam->points; k++) {
    const Point *point = &beam->point[k];
    Curve c = curve_at(beam, point, q, v);
    Bend bend = bend_of(&c);
    Local local = local_gradients(beam, point, &c, &bend);
    double weight = point->weight, moment = EI * (bend.k - point->k0 + tau * bend.rate);
    double turning = (c.n[0] * c.u[0] + c.n[1] * c.u[1]) / c.g; // rate of the tangent's turn
    add_outer(&local, weight * normal_force(beam, point, &axial) / c.g, local.across, local.across, K);
    if (flex->def.plain) {
      add_outer(&local, EA * weight, local.stretch, local.stretch, K);
      add_outer(&local, EA * tau * weight * turning, local.stretch, local.across, K);
      add_outer(&local, EA * tau * weight, local.stretch, local.stretch, C);
    }
    add_outer(&local, EI * weight, local.bend, local.bend, K);
    add_outer(&local, EI * tau * weight, local.bend, local.bend_rate, K);
    add_outer(&local, EI * tau * weight, local.bend, local.bend, C);
    add_hessian(point, &bend, &local, weight * moment, K);
  }
}

static void planar_stiffness(const AspFlex *flex, const double *q, AspFlexPart part, AspBand *A) {
  const Planar *beam = planar_of(flex);
  if (part == ASP_FLEX_STRETCH && !flex->def.plain)
    return;
  for (int k = 0; k < beam->points; k++) {
    Curve c = curve_at(beam, &beam->point[k], q, NULL);
    Bend bend = bend_of(&c);
    Local local = local_gradients(beam, &beam->point[k], &c, &bend);
    const double *gradient = part == ASP_FLEX_BEND ? local.bend : local.stretch;
    double stiffness = part == ASP_FLEX_BEND ? flex->def.bending[1] : flex->def.axial;
    add_outer(&local, stiffness * beam->point[k].weight, gradient, gradient, A);
  }
}

static void planar_tension(const AspFlex *flex, const double *start, const double *q, double factor, AspBand *A) {
  const Planar *beam = planar_of(flex);
  Axial axial = {.start = start, .q = q};
  take_axial(beam, &axial);
  for (int k = 0; k < beam->points; k++) {
    Curve c = curve_at(beam, &beam->point[k], q, NULL);
    Bend bend = bend_of(&c);
    Local local = local_gradients(beam, &beam->point[k], &c, &bend);
    double N = fmax(normal_force(beam, &beam->point[k], &axial), 0);
    add_outer(&local, factor * beam->point[k].weight * N / c.g, local.across, local.across, A);
  }
}

/* ---- energy ---- */

/* Mass, momenta and the energies of motion and weight. */
static AspFlexEnergy energy_of_masses(const Planar *beam, const double *q, const double *v, AspVec3 gravity) {
  AspFlexEnergy sum = {0};
  for (int i = 0; i < beam->controls; i++) {
    AspVec3 place = vec3(q[2 * i], q[2 * i + 1], 0), speed = vec3(v[2 * i], v[2 * i + 1], 0), momentum = vec3(0, 0, 0);
    for (int j = band_first(&beam->mass, i); j <= band_last(&beam->mass, i); j++)
      momentum = axpy3(momentum, *band_at(&beam->mass, i, j), vec3(v[2 * j], v[2 * j + 1], 0));
    sum.mass += beam->load[i];
    sum.kinetic += 0.5 * dot3(speed, momentum);
    sum.gravitational -= beam->load[i] * dot3(gravity, place);
    sum.centre = axpy3(sum.centre, beam->load[i], place);
    sum.linear = axpy3(sum.linear, beam->load[i], speed);
    sum.angular = add3(sum.angular, cross3(place, momentum));
  }
  sum.centre = scale3(1 / sum.mass, sum.centre);
  return sum;
}

/* g^T G^-1 g */
static double gram_square(const Planar *beam, const double *g) {
  double sum = 0, solved[STRAINS_MAX];
  memcpy(solved, g, (size_t)beam->strains * sizeof *g);
  asp_band_solve(&beam->factor, solved);
  for (int a = 0; a < beam->strains; a++)
    sum += solved[a] * g[a];
  return sum;
}

static AspFlexEnergy planar_energy(const AspFlex *flex, const double *q, const double *v, AspVec3 gravity) {
  const Planar *beam = planar_of(flex);
  AspFlexEnergy sum = energy_of_masses(beam, q, v, gravity);
  double g[STRAINS_MAX], rate[STRAINS_MAX], strain = 0, rates = 0; // the last two: integrals of their squares
  const AspFlexDef *def = &flex->def;
  memset(g, 0, (size_t)beam->strains * sizeof *g);
  memset(rate, 0, (size_t)beam->strains * sizeof *rate);
  for (int k = 0; k < beam->points; k++) {
    const Point *point = &beam->point[k];
    Curve c = curve_at(beam, point, q, v);
    Bend bend = bend_of(&c);
    double k1 = bend.k - point->k0, e = c.g - 1 - point->e0, de = strain_rate(&c);
    sum.elastic += 0.5 * def->bending[1] * point->weight * k1 * k1;
    sum.damped += def->damping * def->bending[1] * point->weight * bend.rate * bend.rate;
    strain += point->weight * e * e;
    rates += point->weight * de * de;
    add_moment(beam, point, e, g);
    add_moment(beam, point, de, rate);
  }
  if (def->inextensible)
    return sum;
  sum.elastic += 0.5 * def->axial * (def->plain ? strain : gram_square(beam, g));
  sum.damped += def->damping * def->axial * (def->plain ? rates : gram_square(beam, rate));
  return sum;
}

/* ---- cross-sections and conditions ---- */

/* angle of r_s: w = n.u/g with u = r_s',   w' = n.u'/g - 2 (t.u)(n.u)/g^2 */
static void planar_section(const AspFlex *flex, double s, const double *q, const double *v, AspFlexSection *section) {
  const Planar *beam = planar_of(flex);
  Point point;
  point.element = asp_spline_element(&beam->splines, s);
  asp_spline_values(&beam->splines, point.element, s, 2, (double *const[]){point.N, point.D1, point.D2});
  Curve c = curve_at(beam, &point, q, v);
  double x[4] = {0, 0, 0, 0}, across = c.n[0] * c.u[0] + c.n[1] * c.u[1];
  section->first = 2 * point.element;
  section->count = 2 * (beam->splines.degree + 1);
  for (int k = 0; k < section->count; k++) {
    int i = k / 2, d = k % 2;
    x[d] += point.N[i] * q[section->first + k];
    x[2 + d] += point.N[i] * v[section->first + k];
    double column[3] = {d == 0 ? point.N[i] : 0, d == 1 ? point.N[i] : 0, point.D1[i] * c.n[d] / c.g};
    memcpy(section->T + 3 * k, column, sizeof column);
  }
  section->angle = asp_atan2(c.a[1], c.a[0]);
  section->pose.position = vec3(x[0], x[1], 0);
  section->pose.orientation = (AspQuat){asp_cos(0.5 * section->angle), 0, 0, asp_sin(0.5 * section->angle)};
  section->velocity = vec3(x[2], x[3], 0);
  section->spin = vec3(0, 0, across / c.g);
  section->bias = vec3(0, 0, 0);
  section->spin_bias = vec3(0, 0, -2 * strain_rate(&c) * across / (c.g * c.g));
}

static void planar_row(const AspFlex *flex, int row, const double *q, const double *v, AspFlexRow *out) {
  const Planar *beam = planar_of(flex);
  int p = beam->splines.degree, low = row >= p ? row - p + 1 : 0;
  int high = row < beam->splines.elements ? row : beam->splines.elements - 1;
  out->first = 2 * low;
  out->count = 2 * (high + p + 1) - out->first;
  for (int k = low * beam->rule; k < (high + 1) * beam->rule; k++) {
    const Point *point = &beam->point[k];
    Curve c = curve_at(beam, point, q, v);
    double weight = point->weight * point->phi[row - point->element], across = c.n[0] * c.u[0] + c.n[1] * c.u[1];
    out->value += weight * (c.g - 1 - point->e0);
    out->bias += weight * across * across / c.g;
    for (int i = 0; i <= p; i++)
      for (int d = 0; d < 2; d++) {
        int at = 2 * (point->element + i) + d - out->first;
        out->gradient[at] += weight * point->D1[i] * c.t[d];
        out->turn[at] += weight * point->D1[i] * c.n[d] * across / c.g;
      }
  }
}

static void planar_compliance(const AspFlex *flex, AspBand *S) {
  const AspBand *gram = &planar_of(flex)->gram;
  for (int j = 0; j < gram->n; j++)
    for (int i = band_first(gram, j); i <= band_last(gram, j); i++)
      *band_at(S, i, j) = *band_at(gram, i, j) / flex->def.axial;
}

static const FlexKind planar_kind = {.release = planar_release,
                                     .initial = planar_initial,
                                     .move = planar_move,
                                     .mass = planar_mass,
                                     .add_load = planar_load,
                                     .add_force = planar_force,
                                     .tangent = planar_tangent,
                                     .add_stiffness = planar_stiffness,
                                     .add_tension = planar_tension,
                                     .energy = planar_energy,
                                     .section = planar_section,
                                     .row = planar_row,
                                     .compliance = planar_compliance};

static bool make_band(AspContext *context, int n, int w, AspBand *A) {
  *A = (AspBand){n, w, asp_allocate(context, band_entries(n, w), sizeof *A->a)};
  return A->a != NULL;
}

AspError asp_flex_create_planar(AspContext *context, const AspFlexDef *def, AspFlex **flex) {
  *flex = NULL;
  Planar *beam = asp_allocate(context, 1, sizeof *beam);
  if (!beam)
    return ASP_ERROR_MEMORY;
  beam->splines = (AspSplines){def->degree, def->elements, def->length};
  beam->controls = def->elements + def->degree;
  beam->strains = beam->controls - 1;
  beam->rule = def->gauss > 0 ? def->gauss : def->degree + 1;
  beam->points = def->elements * beam->rule;
  bool soft = !def->inextensible && !def->plain;
  beam->base = (AspFlex){.kind = &planar_kind,
                         .def = *def,
                         .q_size = 2 * beam->controls,
                         .dofs = 2 * beam->controls,
                         .node_dofs = 2,
                         .bandwidth = 2 * def->degree + 1,
                         .rows = def->inextensible ? beam->strains : 0,
                         .soft = soft ? beam->strains : 0,
                         .compliance_bandwidth = def->degree - 1};
  beam->reference = asp_allocate(context, 2 * (size_t)beam->controls, sizeof *beam->reference);
  beam->load = asp_allocate(context, (size_t)beam->controls, sizeof *beam->load);
  beam->point = asp_allocate(context, (size_t)beam->points, sizeof *beam->point);
  bool made = make_band(context, beam->controls, def->degree, &beam->mass) &&
              make_band(context, beam->strains, def->degree - 1, &beam->gram) &&
              make_band(context, beam->strains, def->degree - 1, &beam->factor) && beam->reference && beam->load &&
              beam->point;
  if (made) {
    fill_points(beam);
    fill_mass(beam);
    fill_gram(beam);
  }
  AspError error = made ? fit_reference(context, beam) : ASP_ERROR_MEMORY;
  if (error != ASP_OK) {
    asp_flex_destroy(context, &beam->base);
    return error;
  }
  *flex = &beam->base;
  return ASP_OK;
}
