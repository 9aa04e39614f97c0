/* The conditions at the end of a step and Newton's matrix, against finite differences: gradients of the position level
 * are the columns of H, the biases of the acceleration level are what the rates change by along the motion, and
 * M + g C + b K has the derivatives of the forces. */
#include "asperity/io.h"
#include "formulate/end_state.h"
#include "linalg/sparse.h"
#include "testing.h"

#define STEP 1e-6

/* A crank that drives a spring-loaded slider through a rod, and a beam clamped to the rod's end, all in motion. */
static const char *const text =
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"base\",\"fixed\":true},"
    "{\"name\":\"crank\",\"mass\":0.2,\"inertia\":0.001,\"position\":[0.05,0],\"velocity\":[0,0.3],"
    "\"angular_velocity\":6},"
    "{\"name\":\"rod\",\"mass\":0.4,\"inertia\":0.003,\"position\":[0.25,0],\"velocity\":[0.1,0.3],"
    "\"angular_velocity\":-2}],"
    "\"beams\":[{\"name\":\"blade\",\"length\":0.2,\"position\":[0.4,0],\"angle\":0.3,\"bending_stiffness\":1,"
    "\"mass_per_length\":0.7,\"axial_stiffness\":2000,\"damping\":0.001,\"elements\":3,\"curvature\":1,"
    "\"angular_velocity\":3}],"
    "\"joints\":[{\"name\":\"bearing\",\"type\":\"revolute\",\"bodies\":[\"base\",\"crank\"],\"point\":[0,0],"
    "\"angle\":\"2*pi*t+t^2\"},"
    "{\"name\":\"pin\",\"type\":\"revolute\",\"bodies\":[\"crank\",\"rod\"],\"point\":[0.1,0]},"
    "{\"name\":\"clamp\",\"type\":\"fixed\",\"bodies\":[\"rod\",\"blade.start\"]}],"
    "\"forces\":[{\"type\":\"spring\",\"bodies\":[\"base\",\"rod\"],\"points\":[[0.5,0.2],[0.4,0]],\"stiffness\":300,"
    "\"damping\":4}],\"run\":{}}";

typedef struct Bench {
  AspContext *context;
  AspScene scene;
  AspArena arena;
  AspState state;
} Bench;

static void open_bench(Bench *bench) {
  *bench = (Bench){.context = asp_context_create(NULL)};
  assert_non_null(bench->context);
  assert_ok(bench->context, asp_scene_parse(bench->context, text, strlen(text), "text", &bench->scene, NULL));
  asp_arena_init(&bench->arena, bench->context);
  assert_ok(bench->context, asp_state_create(bench->scene.model, &bench->state));
}

static void close_bench(Bench *bench) {
  asp_state_destroy(bench->scene.model, &bench->state);
  asp_arena_free(&bench->arena);
  asp_scene_destroy(bench->context, &bench->scene);
  assert_int_equal(asp_context_memory_in_use(bench->context), 0);
  asp_context_destroy(bench->context);
}

static void formulate(Bench *bench, const AspState *state, AspFormulation *all, AspEndRows *rows) {
  AspFrictionModel friction = {ASP_CONE_EXACT, 8, 0};
  assert_ok(bench->context, asp_formulation_begin(all, &bench->arena, bench->scene.model, NULL, 0));
  assert_ok(bench->context, asp_formulate_end(all, state, state, NULL, NULL, 0, &friction, 1e-3, rows));
}

/* A copy of the state with one dof moved, its velocities written again. */
static AspState moved(Bench *bench, const double *way, double far, double later) {
  const AspModel *model = bench->scene.model;
  AspState copy;
  double *displacement = asp_arena_take(&bench->arena, (size_t)asp_model_v_size(model), sizeof(double));
  double *u = asp_arena_take(&bench->arena, (size_t)asp_model_dof_count(model), sizeof(double));
  double *x = asp_arena_take(&bench->arena, (size_t)asp_model_dof_count(model), sizeof(double));
  assert_ok(bench->context, asp_state_create(model, &copy));
  asp_state_copy(model, &bench->state, &copy);
  for (int j = 0; j < asp_model_dof_count(model); j++)
    x[j] = far * way[j];
  asp_state_spread(model, &copy, x, displacement);
  asp_state_displace(model, &copy, displacement);
  copy.t += later;
  asp_state_gather(model, bench->state.v, u);
  asp_state_spread(model, &copy, u, copy.v);
  return copy;
}

static void gradients_of_the_position_level_are_the_columns_of_H(void **state) {
  (void)state;
  Bench bench;
  open_bench(&bench);
  const AspModel *model = bench.scene.model;
  AspFormulation all, other[2];
  AspEndRows rows, shifted[2];
  int dofs = asp_model_dof_count(model), checked = 0;
  formulate(&bench, &bench.state, &all, &rows);
  double *way = asp_arena_take(&bench.arena, (size_t)dofs, sizeof(double));
  double *dense = asp_arena_take(&bench.arena, (size_t)dofs * (size_t)all.rows, sizeof(double));
  for (int k = 0; k < all.rows; k++)
    for (int e = all.problem.H.start[k]; e < all.problem.H.start[k + 1]; e++)
      dense[k * dofs + all.problem.H.row[e]] = all.problem.H.value[e];
  for (int j = 0; j < dofs; j++) {
    way[j] = 1;
    for (int side = 0; side < 2; side++) {
      AspState at = moved(&bench, way, side ? STEP : -STEP, 0);
      formulate(&bench, &at, &other[side], &shifted[side]);
      asp_state_destroy(model, &at);
    }
    way[j] = 0;
    for (int k = 0; k < all.rows; k++)
      if (rows.placed[k]) {
        assert_near((shifted[1].value[k] - shifted[0].value[k]) / (2 * STEP), dense[k * dofs + j], 1e-7);
        checked++;
      }
  }
  assert_true(checked >= 8 * dofs);
  close_bench(&bench);
}

/* d/dt (H^T v + known) with v held: positions move along v, time goes on. */
static void biases_are_what_the_rates_change_by_along_the_motion(void **state) {
  (void)state;
  Bench bench;
  open_bench(&bench);
  const AspModel *model = bench.scene.model;
  AspFormulation all, other;
  AspEndRows rows, shifted;
  int dofs = asp_model_dof_count(model);
  formulate(&bench, &bench.state, &all, &rows);
  double *u = asp_arena_take(&bench.arena, (size_t)dofs, sizeof(double));
  double *rate[2] = {asp_arena_take(&bench.arena, (size_t)all.rows, sizeof(double)),
                     asp_arena_take(&bench.arena, (size_t)all.rows, sizeof(double))};
  asp_state_gather(model, bench.state.v, u);
  for (int side = 0; side < 2; side++) {
    double far = side ? STEP : -STEP;
    AspState at = moved(&bench, u, far, far);
    formulate(&bench, &at, &other, &shifted);
    for (int k = 0; k < all.rows; k++)
      rate[side][k] = other.known[k];
    asp_sparse_multiply_transpose_add(&other.problem.H, 1, u, rate[side]);
    asp_state_destroy(model, &at);
  }
  for (int k = 0; k < all.rows; k++)
    assert_near((rate[1][k] - rate[0][k]) / (2 * STEP), rows.bias[k], 1e-6);
  close_bench(&bench);
}

/* (lead - M) x = -(g dh/dv + b dh/dq) x. The spring's tension turns with it, which the matrix leaves out: b times that
 * is far below the tolerance. */
static void newtons_matrix_has_the_derivatives_of_the_forces(void **state) {
  (void)state;
  const double g = 5e-4, b = 3e-7;
  Bench bench;
  open_bench(&bench);
  const AspModel *model = bench.scene.model;
  AspFormulation all;
  AspEndRows rows;
  AspSparse lead;
  int dofs = asp_model_dof_count(model);
  formulate(&bench, &bench.state, &all, &rows);
  assert_ok(bench.context, asp_formulate_lead(&all, &bench.state, g, b, &lead));
  for (int j = 0; j < dofs; j++) {
    double *way = asp_arena_take(&bench.arena, (size_t)dofs, sizeof(double));
    double *column = asp_arena_take(&bench.arena, (size_t)dofs, sizeof(double)), size = 0;
    double *force[4];
    way[j] = 1;
    asp_sparse_multiply_add(&lead, 1, way, column);
    asp_sparse_multiply_add(&all.problem.M, -1, way, column);
    for (int side = 0; side < 4; side++) {
      AspState at = moved(&bench, way, side == 0 ? -STEP : side == 1 ? STEP : 0, 0);
      double *u = asp_arena_take(&bench.arena, (size_t)dofs, sizeof(double));
      asp_state_gather(model, at.v, u);
      u[j] += side == 2 ? -STEP : side == 3 ? STEP : 0;
      asp_state_spread(model, &at, u, at.v);
      force[side] = asp_arena_take(&bench.arena, (size_t)dofs, sizeof(double));
      asp_model_forces(model, &at, force[side]);
      asp_state_destroy(model, &at);
    }
    for (int i = 0; i < dofs; i++)
      size = fmax(size, fabs(column[i]));
    for (int i = 0; i < dofs; i++)
      assert_near(-(b * (force[1][i] - force[0][i]) + g * (force[3][i] - force[2][i])) / (2 * STEP), column[i],
                  1e-5 * size + 1e-5);
  }
  close_bench(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_the_position_level_are_the_columns_of_H),
      cmocka_unit_test(biases_are_what_the_rates_change_by_along_the_motion),
      cmocka_unit_test(newtons_matrix_has_the_derivatives_of_the_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
