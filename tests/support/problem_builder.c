/* Contact problems from rigid bodies and contacts placed by hand (see problem_builder.h). */
#include "problem_builder.h"

void builder_init(ProblemBuilder *builder, AspContext *context) {
  *builder = (ProblemBuilder){.context = context, .gravity = {0, 0, -9.81}, .dt = 5e-3};
}

void builder_free(ProblemBuilder *builder) {
  asp_release(builder->context, builder->body);
  asp_release(builder->context, builder->block);
  *builder = (ProblemBuilder){0};
}

int builder_add_body(ProblemBuilder *builder, const BuilderBody *body) {
  if (builder->error == ASP_OK)
    builder->error = asp_grow(builder->context, (void **)&builder->body, &builder->body_capacity,
                              (size_t)builder->bodies + 1, sizeof *body);
  if (builder->error != ASP_OK)
    return 0;
  builder->body[builder->bodies] = *body;
  return builder->bodies++;
}

int builder_add_box(ProblemBuilder *builder, double mass, AspVec3 half, AspVec3 position, AspQuat orientation) {
  AspMat3 turn = mat3_from_quat(orientation);
  AspMat3 own =
      mat3_diagonal(mass / 3 * (half.y * half.y + half.z * half.z), mass / 3 * (half.x * half.x + half.z * half.z),
                    mass / 3 * (half.x * half.x + half.y * half.y));
  BuilderBody body = {.mass = mass, .inertia = mat3_congruence(&turn, &own), .position = position};
  return builder_add_body(builder, &body);
}

int builder_add_ball(ProblemBuilder *builder, double mass, double radius, AspVec3 position) {
  double inertia = 0.4 * mass * radius * radius;
  BuilderBody body = {.mass = mass, .inertia = mat3_diagonal(inertia, inertia, inertia), .position = position};
  return builder_add_body(builder, &body);
}

void builder_add_block(ProblemBuilder *builder, const BuilderBlock *block) {
  if (builder->error == ASP_OK)
    builder->error = asp_grow(builder->context, (void **)&builder->block, &builder->block_capacity,
                              (size_t)builder->blocks + 1, sizeof *block);
  if (builder->error == ASP_OK)
    builder->block[builder->blocks++] = *block;
}

void builder_add_contact(ProblemBuilder *builder, int body_a, int body_b, AspVec3 point, AspVec3 normal, double gap,
                         double mu) {
  BuilderBlock block = {.law = {.kind = ASP_LAW_COULOMB, .mu = mu},
                        .body_a = body_a,
                        .body_b = body_b,
                        .point = point,
                        .rows = 3,
                        .axis = {unit3(normal)},
                        .w = {gap / builder->dt}};
  tangents3(block.axis[0], &block.axis[1], &block.axis[2]);
  builder_add_block(builder, &block);
}

void builder_add_socket(ProblemBuilder *builder, int body_a, int body_b, AspVec3 point) {
  BuilderBlock block = {.law = {.kind = ASP_LAW_EQUALITY},
                        .body_a = body_a,
                        .body_b = body_b,
                        .point = point,
                        .rows = 3,
                        .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  builder_add_block(builder, &block);
}

static AspVec3 random_in_cube(AspRandom *random, double half) {
  double x = asp_random_uniform(random, -half, half), y = asp_random_uniform(random, -half, half);
  return vec3(x, y, asp_random_uniform(random, -half, half));
}

void builder_shake(ProblemBuilder *builder, AspRandom *random, double speed, double length) {
  for (int i = 0; i < builder->bodies; i++) {
    builder->body[i].velocity = add3(builder->body[i].velocity, random_in_cube(random, speed));
    builder->body[i].angular_velocity = add3(builder->body[i].angular_velocity, random_in_cube(random, speed / length));
  }
}

/* Append the nonzero ones of six numbers to a column whose next free place is *at. */
static void append_six(AspSparse *A, int *at, int first_row, AspVec3 linear, AspVec3 angular) {
  const double values[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (int k = 0; k < 6; k++)
    if (values[k] != 0) {
      if (A->value) {
        A->row[*at] = first_row + k;
        A->value[*at] = values[k];
      }
      ++*at;
    }
}

/* Fill the mass matrix, or only count its entries when it has no arrays yet. */
static int fill_mass(const ProblemBuilder *builder, AspSparse *M) {
  int at = 0;
  for (int i = 0; i < builder->bodies; i++) {
    const BuilderBody *body = &builder->body[i];
    for (int j = 0; j < 6; j++) {
      AspVec3 linear = {0}, angular = {0};
      const double *I = body->inertia.m;
      if (j < 3)
        linear = scale3(body->mass, vec3(j == 0, j == 1, j == 2));
      else
        angular = vec3(I[j - 3], I[3 + j - 3], I[6 + j - 3]);
      append_six(M, &at, 6 * i, linear, angular);
      if (M->start)
        M->start[6 * i + j + 1] = at;
    }
  }
  return at;
}

/* The column of H for row k of a block: +axis on B, -axis on A, with their moments. */
static void append_column(const ProblemBuilder *builder, const BuilderBlock *block, int k, AspSparse *H, int *at) {
  int bodies[2] = {block->body_a, block->body_b};
  double sign[2] = {-1, 1};
  if (bodies[0] > bodies[1]) { // rows ascend: the earlier body first
    bodies[0] = block->body_b;
    bodies[1] = block->body_a;
    sign[0] = 1;
    sign[1] = -1;
  }
  for (int side = 0; side < 2; side++) {
    if (bodies[side] == BUILDER_GROUND)
      continue;
    AspVec3 axis = scale3(sign[side], block->axis[k]);
    AspVec3 arm = sub3(block->point, builder->body[bodies[side]].position);
    if (block->angular[k])
      append_six(H, at, 6 * bodies[side], vec3(0, 0, 0), axis);
    else
      append_six(H, at, 6 * bodies[side], axis, cross3(arm, axis));
  }
}

static int fill_jacobian(const ProblemBuilder *builder, AspSparse *H) {
  int at = 0, column = 0;
  for (int b = 0; b < builder->blocks; b++)
    for (int k = 0; k < builder->block[b].rows; k++) {
      append_column(builder, &builder->block[b], k, H, &at);
      if (H->start)
        H->start[++column] = at;
    }
  return at;
}

/* f = M v + dt (gravity, forces, gyroscopic torque) */
static void fill_momentum(const ProblemBuilder *builder, double *f) {
  for (int i = 0; i < builder->bodies; i++) {
    const BuilderBody *body = &builder->body[i];
    AspVec3 spin = mat3_times(&body->inertia, body->angular_velocity);
    AspVec3 push = axpy3(body->force, body->mass, builder->gravity);
    AspVec3 torque = sub3(body->torque, cross3(body->angular_velocity, spin));
    AspVec3 linear = axpy3(scale3(body->mass, body->velocity), builder->dt, push);
    AspVec3 angular = axpy3(spin, builder->dt, torque);
    for (int k = 0; k < 3; k++) {
      f[6 * i + k] = get3(linear, k);
      f[6 * i + 3 + k] = get3(angular, k);
    }
  }
}

AspError builder_finish(ProblemBuilder *builder, AspContactProblem *problem) {
  *problem = (AspContactProblem){0};
  ASP_TRY(builder->error);
  int rows = 0;
  for (int b = 0; b < builder->blocks; b++)
    rows += builder->block[b].rows;
  AspSparse counting = {0};
  int mass_entries = fill_mass(builder, &counting), jacobian_entries = fill_jacobian(builder, &counting);
  ASP_TRY(asp_problem_create(builder->context, 3, builder->blocks, rows, 6 * builder->bodies, mass_entries,
                             jacobian_entries, 0, problem));
  fill_mass(builder, &problem->M);
  fill_jacobian(builder, &problem->H);
  fill_momentum(builder, problem->f);
  for (int b = 0, row = 0; b < builder->blocks; b++) {
    problem->law[b] = builder->block[b].law;
    for (int k = 0; k < builder->block[b].rows; k++)
      problem->w[row++] = builder->block[b].w[k];
    problem->offset[b + 1] = row;
  }
  return ASP_OK;
}
