/* Geometric stiffness of joints: how the moments of their forces change while the bodies turn within a step.
 *
 *   K = - sum of lambda d2(Psi)/dq2      over the rows Psi of a body's joints, lambda their forces in the last step
 *
 * A step takes the directions of joint forces at q + dt/2 v, but its middle is at q + dt/4 (v + v+): the difference
 * turns the forces by K dt/4 (v+ - v), so
 *
 *   (M + dt^2/4 K) v+ = M v + dt^2/4 K v + dt h + H r
 *
 * Without it a light body between a heavy load and its support, which swings faster than the step resolves, is
 * explicit and flies apart. K is one block per body, made positive semidefinite; as it acts on v+ - v only, what is
 * left out of it (other bodies' blocks, moments of joints, the change of the forces) costs no order. With F the force
 * on the body, s its lever from the centre of mass, u the direction of a distance d:
 *
 *   points coincide, and B's part of all rows    (F.s) 1 - sym(s F^T)
 *   rows along an axis n fixed in A, A's part    the same with the force on B, lambda n
 *   distance                                     besides, over velocities of its point: -lambda (1 - u u^T) / d
 *
 * Stewart-Trinkle, whose rows are those of the start, has dt^2 K on v+ - v, and only where dt^2 tr(M^-1 K) is above
 * DYNAMICS_STIFF: as springs that the step does not resolve, it is implicit there, and its own equations elsewhere.
 * docs/theory/time-stepping.md, "Taut joints". Depends on the joints' rows. */
#include "formulate/blocks.h"
#include "linalg/small.h"
#include "linalg/vec3.h"
#include "model/model.h"

/* K of one body over its velocities, and whether anything is in it. */
typedef struct Stiffness {
  double K[36];
  bool any;
} Stiffness;

static int spins(int n) { return n == 6 ? 3 : 1; }

/* The component of a vector that belongs to velocity i of a body: 2D: x, y. */
static double part(AspVec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

/* (F.s) 1 - sym(s F^T) over the angular velocities. */
static void add_lever(int n, AspVec3 F, AspVec3 s, double *K) {
  int first = n - spins(n);
  double along = dot3(F, s);
  if (n == 3) {
    K[8] += along;
    return;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      K[(first + j) * n + first + i] +=
          (i == j ? along : 0) - 0.5 * (part(s, i) * part(F, j) + part(F, i) * part(s, j));
}

/* The velocity of the point at lever s per unit of velocity i of its body. */
static AspVec3 point_velocity(int n, AspVec3 s, int i) {
  int d = n == 6 ? 3 : 2;
  AspVec3 e = vec3(i % d == 0 && (i < d || n == 6), i % d == 1, i % d == 2);
  if (i < d)
    return e;
  return cross3(n == 6 ? e : vec3(0, 0, 1), s);
}

/* stiffness (1 - u u^T) over the velocities of the point at lever s. */
static void add_across(int n, AspVec3 u, AspVec3 s, double stiffness, double *K) {
  for (int j = 0; j < n; j++) {
    AspVec3 b = point_velocity(n, s, j), across = axpy3(b, -dot3(b, u), u);
    for (int i = 0; i < n; i++)
      K[j * n + i] += stiffness * dot3(point_velocity(n, s, i), across);
  }
}

/* A joint in the world: the bodies' centres and its point. */
typedef struct Place {
  int n;
  AspVec3 arm_a, arm_b, point_a;
  bool turns_with_a; /* its rows lie along axes of A */
  double distance;   /* m; 0: not one */
} Place;

static Place place_joint(const AspModel *model, const AspState *state, int joint) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  AspVec3 axes[3], point = asp_joint_place(model, state, joint, axes);
  Place place = {.n = asp_body_velocities(asp_model_dimension(model))};
  place.arm_b = sub3(point, asp_state_pose(model, state, def->body_b).position);
  place.arm_a = sub3(point, asp_state_pose(model, state, def->body_a).position);
  place.turns_with_a = def->kind == ASP_JOINT_PRISMATIC || def->kind == ASP_JOINT_CYLINDRICAL ||
                       def->kind == ASP_JOINT_PLANAR || def->kind == ASP_JOINT_SCREW || def->kind == ASP_JOINT_COMPOUND;
  return place;
}

/* What a row with force lambda adds to its two bodies. */
static void add_row_stiffness(const Place *place, const AspRow *row, double lambda, Stiffness *a, Stiffness *b) {
  int n = place->n;
  AspVec3 F = scale3(lambda, n == 6 ? vec3(row->jb[0], row->jb[1], row->jb[2]) : vec3(row->jb[0], row->jb[1], 0));
  if (norm3(F) == 0)
    return;
  a->any = b->any = true;
  add_lever(n, F, place->arm_b, b->K);
  add_lever(n, place->turns_with_a ? F : neg3(F), place->arm_a, a->K);
  if (place->distance > 0) {
    AspVec3 u = scale3(1 / lambda, F);
    add_across(n, u, place->arm_b, -lambda / place->distance, b->K);
    add_across(n, u, place->arm_a, -lambda / place->distance, a->K);
  }
}

static void add_joint(const AspModel *model, const AspState *geometry, int joint, const double *force,
                      Stiffness *bodies) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  if (def->kind == ASP_JOINT_COUPLING)
    return;
  Place place = place_joint(model, geometry, joint);
  AspRow rows[ASP_JOINT_ROWS_MAX] = {0}, coordinate[ASP_ROW_PARTS];
  int count = asp_joint_rows(model, geometry, joint, rows);
  Stiffness *a = &bodies[def->body_a], *b = &bodies[def->body_b];
  if (def->kind == ASP_JOINT_DISTANCE) { // A's point is B's minus d, d = |d| u with u the row's direction
    AspVec3 u =
        place.n == 6 ? vec3(rows[0].jb[0], rows[0].jb[1], rows[0].jb[2]) : vec3(rows[0].jb[0], rows[0].jb[1], 0);
    place.distance = model->joint[joint].length + rows[0].value;
    place.arm_a = axpy3(place.arm_a, -place.distance, u);
  }
  for (int k = 0; k < count; k++)
    add_row_stiffness(&place, &rows[k], force[k], a, b);
  if (force[ASP_JOINT_ROWS_MAX] != 0 && asp_joint_coordinate(model, geometry, joint, coordinate))
    add_row_stiffness(&place, coordinate, force[ASP_JOINT_ROWS_MAX], a, b);
}

/* The part of dt^2 K that enters a body's block M; 0: none. */
static double weight_of(const AspTaut *taut, int n, const double *K, const double *M, double dt) {
  if (!taut->stiff_only)
    return 0.25;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += dt * dt * K[i * n + i] / M[i * n + i];
  return sum > DYNAMICS_STIFF ? 1 : 0;
}

AspError asp_formulate_taut(AspFormulation *formulation, const AspState *geometry, double dt, double **blocks,
                            double *f) {
  const AspModel *model = formulation->model;
  int bodies = asp_model_body_count(model), n = asp_body_velocities(asp_model_dimension(model));
  size_t size = 0; // blocks of rigid bodies; beams have their own
  for (int body = 0; body < bodies; body++)
    size += model->body[body].dof >= 0 ? (size_t)(n * n) : 0;
  Stiffness *stiffness = ASP_TAKE(formulation->arena, Stiffness, bodies);
  double *own = ASP_TAKE_UNCLEARED(formulation->arena, double, size);
  if (!stiffness || !own)
    return ASP_ERROR_MEMORY;
  memcpy(own, *blocks, size * sizeof *own); // they may be the model's
  *blocks = own;
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    add_joint(model, geometry, joint, formulation->taut.force + (size_t)ASP_JOINT_FORCES * (size_t)joint, stiffness);
  for (int body = 0; body < bodies; body++) {
    int dof = model->body[body].dof;
    double *K = stiffness[body].K;
    if (dof < 0 || !stiffness[body].any)
      continue;
    asp_small_clamp(n, K);
    double weight = weight_of(&formulation->taut, n, K, own + (size_t)n * (size_t)dof, dt);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double k = weight * dt * dt * K[j * n + i];
        own[(size_t)n * (size_t)(dof + j) + (size_t)i] += k;
        f[dof + i] += k * formulation->taut.velocity[n * body + j];
      }
  }
  return ASP_OK;
}
