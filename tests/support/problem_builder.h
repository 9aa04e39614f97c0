/* Contact problems from rigid bodies and contacts placed by hand: what the generated families are made of.
 *
 *   M x = H r + f,  u = H^T x + w,  f = M v + dt (forces)
 *
 * x: velocities after a step of length dt (6 per body: linear, angular, world frame), v: before it, r: impulses.
 *
 * M is block diagonal (6 x 6), H has up to two bodies per row. Depends on base, linalg/vec3.h and the public headers.
 */
#ifndef ASP_PROBLEM_BUILDER_H
#define ASP_PROBLEM_BUILDER_H

#include "asperity/problem.h"
#include "base/base.h"
#include "linalg/vec3.h"

#define BUILDER_GROUND (-1) /* immobile partner of a contact */

typedef struct BuilderBody {
  double mass;      /* kg */
  AspMat3 inertia;  /* kg m^2, about the centre of mass, world frame */
  AspVec3 position; /* of the centre of mass, m */
  AspVec3 velocity, angular_velocity;
  AspVec3 force, torque; /* beside gravity; N, N m */
} BuilderBody;

/* One law over up to three rows. Row k measures the velocity of B relative to A along axis[k] at the point, or their
 * relative angular velocity about axis[k]. */
typedef struct BuilderBlock {
  AspLaw law;
  int body_a, body_b; /* BUILDER_GROUND or an index */
  AspVec3 point;      /* world, m */
  int rows;
  AspVec3 axis[3];
  bool angular[3];
  double w[3];
} BuilderBlock;

typedef struct ProblemBuilder {
  AspContext *context;
  AspError error; /* the first failure; adding to a failed builder does nothing */
  AspVec3 gravity;
  double dt; /* s */
  BuilderBody *body;
  int bodies;
  BuilderBlock *block;
  int blocks;
  size_t body_capacity, block_capacity;
} ProblemBuilder;

/* gravity 9.81 m/s^2 down, dt = 5 ms */
void builder_init(ProblemBuilder *builder, AspContext *context);
void builder_free(ProblemBuilder *builder);

/* Index of the new body. */
int builder_add_body(ProblemBuilder *builder, const BuilderBody *body);
/* A solid box of the given half sizes and a solid ball, at rest. */
int builder_add_box(ProblemBuilder *builder, double mass, AspVec3 half, AspVec3 position, AspQuat orientation);
int builder_add_ball(ProblemBuilder *builder, double mass, double radius, AspVec3 position);

void builder_add_block(ProblemBuilder *builder, const BuilderBlock *block);
/* A contact with friction; the normal points from A to B; w_N = gap / dt. */
void builder_add_contact(ProblemBuilder *builder, int body_a, int body_b, AspVec3 point, AspVec3 normal, double gap,
                         double mu);
/* A ball-and-socket joint: one EQUALITY block of three rows. */
void builder_add_socket(ProblemBuilder *builder, int body_a, int body_b, AspVec3 point);

/* Random velocities, uniform in a cube of half side `speed` (m/s) and speed / length (rad/s). */
void builder_shake(ProblemBuilder *builder, AspRandom *random, double speed, double length);

/* The problem of everything added, in global form. Returns the builder's own failure if there was one. */
AspError builder_finish(ProblemBuilder *builder, AspContactProblem *problem);

#endif
