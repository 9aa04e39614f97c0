/* What the tests of the model share: random poses, small models of two bodies, finite differences along a motion. */
#ifndef ASP_MODEL_TESTING_H
#define ASP_MODEL_TESTING_H

#include "asperity/model.h"
#include "linalg/vec3.h"
#include "testing.h"

static inline AspVec3 random_vector(AspRandom *random, int dimension, double size) {
  double x = asp_random_uniform(random, -size, size), y = asp_random_uniform(random, -size, size);
  double z = asp_random_uniform(random, -size, size);
  return vec3(x, y, dimension == 3 ? z : 0);
}

/* about any axis in 3D, about z in 2D */
static inline AspVec3 random_rotation_vector(AspRandom *random, int dimension, double size) {
  AspVec3 w = random_vector(random, 3, size);
  return dimension == 3 ? w : vec3(0, 0, w.z);
}

static inline AspPose random_pose(AspRandom *random, int dimension) {
  AspVec3 position = random_vector(random, dimension, 1);
  return (AspPose){position, quat_from_vector(random_rotation_vector(random, dimension, 2))};
}

/* Positive definite, principal moments that a solid can have, turned at random. */
static inline AspMat3 random_inertia(AspRandom *random, int dimension) {
  AspMat3 principal = mat3_diagonal(asp_random_uniform(random, 1, 1.5), asp_random_uniform(random, 1, 1.5),
                                    asp_random_uniform(random, 1, 1.5));
  AspMat3 R = mat3_from_quat(quat_from_vector(random_rotation_vector(random, dimension, 2)));
  AspMat3 inertia = mat3_congruence(&R, &principal);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      inertia.m[3 * i + j] = inertia.m[3 * j + i];
  return inertia;
}

static inline int add_random_body(AspContext *context, AspModel *model, AspRandom *random, AspBodyKind kind) {
  int dimension = asp_model_dimension(model), body = -1;
  AspBodyDef def = asp_body_default();
  def.kind = kind;
  def.pose = random_pose(random, dimension);
  if (kind == ASP_BODY_DYNAMIC) {
    def.mass = asp_random_uniform(random, 0.5, 2);
    def.inertia = random_inertia(random, dimension);
  } else if (kind == ASP_BODY_KINEMATIC) {
    def.position_expression[0] = "0.4*sin(2*t) + 0.1";
    def.position_expression[1] = "0.3*t^2 - 0.2*t";
    def.position_expression[2] = dimension == 3 ? "0.2*exp(0.5*t)" : NULL;
    def.rotation_expression = "sin(1.5*t) + 0.3*t^2 + 0.2";
    def.rotation_axis = dimension == 3 ? vec3(1, -2, 0.5) : vec3(0, 0, -3);
  }
  assert_ok(context, asp_model_add_body(model, &def, &body));
  return body;
}

/* Velocities of dynamic bodies at random in state->v; the others keep theirs. */
static inline void randomize_velocity(const AspModel *model, AspRandom *random, AspState *state, double size) {
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  for (int body = 0; body < asp_model_body_count(model); body++)
    for (int i = 0; i < n; i++)
      if (asp_model_body_kind(model, body) == ASP_BODY_DYNAMIC)
        state->v[n * body + i] = asp_random_uniform(random, -size, size);
}

/* A scalar of the state, for differencing. */
typedef double (*StateFunction)(const AspModel *model, const AspState *state, const void *what);

/* First and second derivative of the function along the motion with constant `velocity` (fourth-order stencils). */
static inline void differentiate(const AspModel *model, const AspState *state, const double *velocity, double step,
                                 StateFunction function, const void *what, double *first, double *second) {
  static const double weight1[] = {1, -8, 0, 8, -1}, weight2[] = {-1, 16, -30, 16, -1};
  AspState moved;
  assert_int_equal(asp_state_create(model, &moved), ASP_OK);
  *first = *second = 0;
  for (int k = -2; k <= 2; k++) {
    asp_state_copy(model, state, &moved);
    asp_state_advance(model, &moved, velocity, k * step);
    double f = function(model, &moved, what);
    *first += weight1[k + 2] * f / (12 * step);
    *second += weight2[k + 2] * f / (12 * step * step);
  }
  asp_state_destroy(model, &moved);
}

#endif
