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

/* (F.s) 1 - sym(s F^T) over the angular velocities. */
static void add_lever(int n, AspVec3 F, AspVec3 s, double *K) {
  double along = dot3(F, s);
  if (n == 3) {
    K[8] += along;
    return;
  }
  double xy = 0.5 * (s.x * F.y + F.x * s.y), xz = 0.5 * (s.x * F.z + F.x * s.z), yz = 0.5 * (s.y * F.z + F.y * s.z);
  double *column = K + 3 * n + 3;
  column[0] += along - s.x * F.x;
  column[1] -= xy;
  column[2] -= xz;
  column[n] -= xy;
  column[n + 1] += along - s.y * F.y;
  column[n + 2] -= yz;
  column[2 * n] -= xz;
  column[2 * n + 1] -= yz;
  column[2 * n + 2] += along - s.z * F.z;
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
  AspVec3 arm_a, arm_b;
  bool turns_with_a; /* its rows lie along axes of A */
} Place;

static Place place_joint(const AspModel *model, const AspState *state, int joint) {
  const AspJointDef *def = asp_model_joint_def(model, joint);
  Place place = {.n = asp_body_velocities(asp_model_dimension(model))};
  AspPose b = asp_state_pose(model, state, def->body_b);
  AspVec3 axes[3], point = def->compound >= 0 ? asp_joint_place(model, state, joint, axes)
                                              : pose_point(&b, model->joint[joint].local_b);
  place.arm_b = sub3(point, b.position);
  place.arm_a = sub3(point, asp_state_pose(model, state, def->body_a).position);
  place.turns_with_a = def->kind == ASP_JOINT_PRISMATIC || def->kind == ASP_JOINT_CYLINDRICAL ||
                       def->kind == ASP_JOINT_PLANAR || def->kind == ASP_JOINT_SCREW || def->kind == ASP_JOINT_COMPOUND;
  return place;
}

/* The force of a row on B. */
static AspVec3 force_of(const Place *place, const AspRow *row, double lambda) {
  return scale3(lambda, vec3(row->jb[0], row->jb[1], place->n == 6 ? row->jb[2] : 0));
}

/* What the force F of a joint's rows adds to its two bodies. */
static void add_force_stiffness(const Place *place, AspVec3 F, Stiffness *a, Stiffness *b) {
  if (norm3(F) == 0)
    return;
  a->any = b->any = true;
  add_lever(place->n, F, place->arm_b, b->K);
  add_lever(place->n, place->turns_with_a ? F : neg3(F), place->arm_a, a->K);
}

/* A distance: its force lambda u, and what turns it. A's point is B's minus d, d = |d| u. */
static void add_distance(Place *place, const AspRow *row, double length, double lambda, Stiffness *a, Stiffness *b) {
  AspVec3 u = force_of(place, row, 1);
  double distance = length + row->value;
  place->arm_a = axpy3(place->arm_a, -distance, u);
  add_force_stiffness(place, scale3(lambda, u), a, b);
  if (!(distance > 0) || lambda == 0)
    return;
  add_across(place->n, u, place->arm_b, -lambda / distance, b->K);
  add_across(place->n, u, place->arm_a, -lambda / distance, a->K);
}

static void add_joint(const AspFormulation *formulation, const AspState *geometry, int joint, const double *force,
                      Stiffness *bodies) {
  const AspModel *model = formulation->model;
  const AspJointDef *def = asp_model_joint_def(model, joint);
  int count = formulation->joint_rows.count[joint];
  const AspRow *rows = formulation->joint_rows.row + (size_t)ASP_JOINT_ROWS_MAX * (size_t)joint;
  Stiffness *a = &bodies[def->body_a], *b = &bodies[def->body_b];
  if (asp_joint_is_sum(def))
    return;
  Place place = place_joint(model, geometry, joint);
  if (def->kind == ASP_JOINT_DISTANCE) {
    if (count > 0)
      add_distance(&place, &rows[0], model->joint[joint].length, force[0], a, b);
    return;
  }
  AspVec3 F = vec3(0, 0, 0); // K is linear in it
  for (int k = 0; k < count; k++)
    F = add3(F, force_of(&place, &rows[k], force[k]));
  AspRow coordinate[ASP_ROW_PARTS];
  bool moment = def->kind == ASP_JOINT_REVOLUTE; // along its coordinate a hinge has no force
  if (!moment && force[ASP_JOINT_ROWS_MAX] != 0 && asp_joint_coordinate(model, geometry, joint, coordinate))
    F = add3(F, force_of(&place, coordinate, force[ASP_JOINT_ROWS_MAX]));
  add_force_stiffness(&place, F, a, b);
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
  ASP_TRY(asp_formulation_take_joint_rows(formulation, geometry));
  for (int joint = 0; joint < asp_model_joint_count(model); joint++)
    add_joint(formulation, geometry, joint, formulation->taut.force + (size_t)ASP_JOINT_FORCES * (size_t)joint,
              stiffness);
  for (int body = 0; body < bodies; body++) {
    int dof = model->body[body].dof;
    double *K = stiffness[body].K;
    if (dof < 0 || !stiffness[body].any)
      continue;
    asp_small_clamp(n, K);
    double weight = weight_of(&formulation->taut, n, K, own + (size_t)n * (size_t)dof, dt);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        if (K[j * n + i] == 0) // most act on turns alone
          continue;
        double k = weight * dt * dt * K[j * n + i];
        own[(size_t)n * (size_t)(dof + j) + (size_t)i] += k;
        f[dof + i] += k * formulation->taut.velocity[n * body + j];
      }
  }
  return ASP_OK;
}
