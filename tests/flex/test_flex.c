/* The one interface, for both kinds of flexible bodies: derivatives against differences, rigid motions, momentum. */
#include "base/constants.h"
#include "flex_testing.h"

typedef struct Case {
  const char *name;
  bool spatial;
  AspFlexDef def;
} Case;

#define CASES 7

static int make_cases(Case cases[CASES]) {
  AspFlexDef beam = unit_beam(3, 50), rod = unit_beam(3, 50);
  beam.damping = rod.damping = 0.07;
  rod.bending[0] = 2;
  rod.shear[1] = 30;
  rod.torsion = 1.3;
  Case list[CASES] = {{"beam", false, beam}, {"arc", false, beam},    {"inextensible", false, beam},
                      {"rod", true, rod},    {"bent rod", true, rod}, {"inextensible rod", true, rod},
                      {"plain", false, beam}};
  list[0].def.degree = 4;
  list[1].def.curvature = list[4].def.curvature = 0.8;
  list[2].def.inextensible = list[5].def.inextensible = true;
  list[6].def.plain = true;
  list[6].def.gauss = 2;
  memcpy(cases, list, sizeof list);
  return CASES;
}

/* force at q moved by size along dof j, with v */
static void force_at(const AspFlex *flex, const double *q, const double *v, int dof, double size, double *h) {
  double moved[DOFS_MAX], unit[DOFS_MAX] = {0};
  memcpy(moved, q, (size_t)asp_flex_q_size(flex) * sizeof *q);
  unit[dof] = 1;
  asp_flex_move(flex, moved, unit, size);
  memset(h, 0, (size_t)asp_flex_dofs(flex) * sizeof *h);
  asp_flex_add_force(flex, moved, v, h);
}

static void tangents_are_the_derivatives_of_the_force(void **state) {
  (void)state;
  Case cases[CASES];
  int count = make_cases(cases);
  for (int c = 0; c < count; c++) {
    AspFlex *flex = make_flex(&cases[c].def, cases[c].spatial);
    static double K[DOFS_MAX * DOFS_MAX], C[DOFS_MAX * DOFS_MAX];
    double q[64], v[64], low[64], high[64], faster[64];
    int n = asp_flex_dofs(flex);
    place_at_random(flex, 7, 0.05, q, v);
    dense_tangent(flex, q, v, K, C);
    double scale = 0, worst = 0, worst_C = 0;
    for (int j = 0; j < n; j++) {
      double size = 1e-6;
      force_at(flex, q, v, j, size, high);
      force_at(flex, q, v, j, -size, low);
      for (int i = 0; i < n; i++) {
        scale = fmax(scale, fabs(K[j * n + i]));
        worst = fmax(worst, fabs(K[j * n + i] + (high[i] - low[i]) / (2 * size)));
      }
      memcpy(faster, v, sizeof v);
      faster[j] += 1;
      force_at(flex, q, v, 0, 0, low);
      force_at(flex, q, faster, 0, 0, high);
      for (int i = 0; i < n; i++) // linear in v
        worst_C = fmax(worst_C, fabs(C[j * n + i] + high[i] - low[i]));
    }
    if (!(worst <= 1e-7 * scale && worst_C <= 1e-10 * scale))
      fail_msg("%s: K off by %g, C by %g, size %g", cases[c].name, worst, worst_C, scale);
    asp_flex_destroy(context, flex);
  }
}

/* All of it, bands and soft rows; the bands are exactly symmetric. */
static void stiffness(const AspFlex *flex, const double *q, double *A) {
  static double room[BAND_MAX];
  AspBand band = flex_band(flex, room);
  asp_flex_add_stiffness(flex, q, ASP_FLEX_STRETCH, &band);
  asp_flex_add_stiffness(flex, q, ASP_FLEX_BEND, &band);
  asp_flex_add_tension(flex, q, q, 1, &band);
  for (int j = 0; j < band.n; j++)
    for (int i = band_first(&band, j); i <= band_last(&band, j); i++)
      assert_true(*band_at(&band, i, j) == *band_at(&band, j, i));
  memset(A, 0, (size_t)band.n * (size_t)band.n * sizeof *A);
  add_dense(&band, A);
  add_soft(flex, q, NULL, 1, 0, A);
}

static void stiffness_is_semidefinite_and_the_tangent_where_there_is_no_stress(void **state) {
  (void)state;
  Case cases[CASES];
  int count = make_cases(cases);
  for (int c = 0; c < count; c++) {
    AspFlex *flex = make_flex(&cases[c].def, cases[c].spatial);
    static double A[DOFS_MAX * DOFS_MAX], K[DOFS_MAX * DOFS_MAX], C[DOFS_MAX * DOFS_MAX];
    double q[64], v[64], value[64];
    int n = asp_flex_dofs(flex);
    place_at_rest(flex, q, v);
    dense_tangent(flex, q, v, K, C);
    stiffness(flex, q, A);
    for (int k = 0; k < n * n; k++)
      assert_near(A[k], K[k], 1e-9 * fabs(K[0]) + 1e-9);
    AspArena arena;
    asp_arena_init(&arena, context);
    place_at_random(flex, 3, 0.1, q, v);
    stiffness(flex, q, A);
    assert_ok(context, asp_dense_symmetric_eigenvalues(&arena, n, A, value));
    assert_true(value[0] >= -1e-11 * value[n - 1]);
    asp_arena_free(&arena);
    asp_flex_destroy(context, flex);
  }
}

/* The force at `middle` of the strains at q + dt v: `by_step` as a step sees them from q, or the strains themselves. */
static void end_force(const AspFlex *flex, const double *q, const double *v, double dt, bool by_step, bool by_turn,
                      double *h) {
  static const AspFlexAdvance now = {{0, 0}, {0, 0}};
  AspFlexAdvance advance = {{dt, dt}, {0, 0}};
  double middle[64], end[64];
  memcpy(middle, q, sizeof middle);
  memcpy(end, q, sizeof end);
  asp_flex_move(flex, middle, v, by_turn ? 0 : 0.5 * dt); // from the start the second order comes by turn
  asp_flex_move(flex, end, v, dt);
  if (by_turn)
    advance.turn[0] = advance.turn[1] = 0.5 * dt * dt;
  memset(h, 0, 64 * sizeof *h);
  asp_flex_add_step_force(flex, by_step ? q : end, middle, v, by_step ? &advance : &now, h);
}

static void step_force_knows_the_strain_at_the_end_to_third_order(void **state) {
  (void)state;
  Case cases[CASES];
  int count = make_cases(cases);
  for (int c = 0; c < count; c++)
    for (int by_turn = 0; by_turn < 2; by_turn++) {
      cases[c].def.damping = 0;
      AspFlex *flex = make_flex(&cases[c].def, cases[c].spatial);
      double error[2] = {0, 0};
      for (int k = 0; k < 2; k++) {
        double q[64] = {0}, v[64], step[64], exact[64], dt = k ? 1e-3 : 2e-3;
        place_at_random(flex, 21, 0.02, q, v);
        end_force(flex, q, v, dt, true, by_turn, step);
        end_force(flex, q, v, dt, false, by_turn, exact);
        for (int i = 0; i < asp_flex_dofs(flex); i++)
          error[k] = fmax(error[k], fabs(step[i] - exact[i]));
      }
      assert_at_most(error[1], error[0] / 6.5);
      asp_flex_destroy(context, flex);
    }
}

static void force_is_the_gradient_of_the_energy(void **state) {
  (void)state;
  Case cases[CASES];
  int count = make_cases(cases);
  for (int c = 0; c < count; c++) {
    AspFlex *flex = make_flex(&cases[c].def, cases[c].spatial);
    double q[64], v[64], still[64] = {0}, h[64], moved[64], unit[64];
    AspVec3 gravity = cases[c].spatial ? vec3(1, 2, 3) : vec3(1, 2, 0);
    int n = asp_flex_dofs(flex);
    place_at_random(flex, 11, 0.05, q, v);
    memset(h, 0, sizeof h);
    asp_flex_add_force(flex, q, still, h);
    asp_flex_add_load(flex, q, still, gravity, h);
    for (int j = 0; j < n; j++) {
      double U[2], size = 1e-5;
      for (int side = 0; side < 2; side++) {
        memcpy(moved, q, sizeof q);
        memset(unit, 0, sizeof unit);
        unit[j] = 1;
        asp_flex_move(flex, moved, unit, side ? size : -size);
        AspFlexEnergy energy = asp_flex_energy(flex, moved, still, gravity);
        U[side] = energy.elastic + energy.gravitational;
      }
      assert_near(h[j], -(U[1] - U[0]) / (2 * size), 2e-6 * (1 + fabs(h[j])));
    }
    // damping turns energy into heat at the rate that it says
    double faster[64], power = 0;
    memset(faster, 0, sizeof faster);
    asp_flex_add_force(flex, q, v, faster);
    memset(h, 0, sizeof h);
    asp_flex_add_force(flex, q, still, h);
    for (int j = 0; j < n; j++)
      power -= (faster[j] - h[j]) * v[j];
    double said = asp_flex_energy(flex, q, v, gravity).damped;
    assert_near(power, said, 1e-10 * fabs(said));
    asp_flex_destroy(context, flex);
  }
}

static void mass_matrix_gives_kinetic_energy_and_momentum(void **state) {
  (void)state;
  Case cases[CASES];
  int count = make_cases(cases);
  for (int c = 0; c < count; c++) {
    AspFlex *flex = make_flex(&cases[c].def, cases[c].spatial);
    static double M[DOFS_MAX * DOFS_MAX];
    double q[64], v[64], kinetic = 0;
    int n = asp_flex_dofs(flex);
    place_at_random(flex, 5, 0.1, q, v);
    dense_mass(flex, q, M);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        kinetic += 0.5 * v[i] * M[j * n + i] * v[j];
    AspFlexEnergy energy = asp_flex_energy(flex, q, v, vec3(0, 0, 0));
    assert_near(energy.kinetic, kinetic, 1e-12 * kinetic);
    assert_near(energy.mass, 1, 1e-14);
    // a rigid motion: momentum of the whole at its centre
    AspPose pose = {vec3(0.3, -0.2, 0), quat_from_vector(vec3(0, 0, 0.4))};
    asp_flex_initial(flex, &pose, vec3(1, 2, 0), vec3(0, 0, 3), q, v);
    energy = asp_flex_energy(flex, q, v, vec3(0, 0, 0));
    AspVec3 speed = add3(vec3(1, 2, 0), cross3(vec3(0, 0, 3), sub3(energy.centre, pose.position)));
    assert_near(norm3(sub3(energy.linear, speed)), 0, 1e-12);
    assert_near(energy.elastic, 0, 1e-20);
    assert_near(energy.damped, 0, 1e-20);
    asp_flex_destroy(context, flex);
  }
}

static void rigid_motions_change_nothing(void **state) {
  (void)state;
  Case cases[CASES];
  int count = make_cases(cases);
  for (int c = 0; c < count; c++) {
    AspFlex *flex = make_flex(&cases[c].def, cases[c].spatial);
    double q[64], v[64], turned[64];
    AspPose pose = {vec3(1, 2, 0), quat_from_vector(cases[c].spatial ? vec3(0.4, -1.1, 0.7) : vec3(0, 0, 0.7))};
    place_at_random(flex, 5, 0.1, q, v);
    memcpy(turned, q, sizeof q);
    int step = cases[c].spatial ? 7 : 2;
    for (int i = 0; i < asp_flex_q_size(flex); i += step) {
      AspVec3 x = pose_point(&pose, vec3(q[i], q[i + 1], step == 7 ? q[i + 2] : 0));
      turned[i] = x.x;
      turned[i + 1] = x.y;
      if (step == 2)
        continue;
      AspQuat r = quat_multiply(pose.orientation, (AspQuat){q[i + 3], q[i + 4], q[i + 5], q[i + 6]});
      double rest[5] = {x.z, r.w, r.x, r.y, r.z};
      memcpy(turned + i + 2, rest, sizeof rest);
    }
    double U = asp_flex_energy(flex, q, v, vec3(0, 0, 0)).elastic;
    assert_true(U > 1e-3);
    assert_near(asp_flex_energy(flex, turned, v, vec3(0, 0, 0)).elastic, U, 1e-11 * U);
    // and forces of strain have no resultant
    double h[64] = {0}, still[64] = {0};
    AspVec3 force = {0, 0, 0};
    asp_flex_add_force(flex, q, still, h);
    for (int i = 0; i < asp_flex_dofs(flex); i += step == 7 ? 6 : 2)
      force = add3(force, vec3(h[i], h[i + 1], step == 7 ? h[i + 2] : 0));
    assert_near(norm3(force), 0, 1e-10);
    asp_flex_destroy(context, flex);
  }
}

/* Pose of the section at s a little later, moved by constant v. */
static AspFlexSection later(const AspFlex *flex, double s, const double *q, const double *v, double dt) {
  AspFlexSection section;
  double moved[64];
  memcpy(moved, q, (size_t)asp_flex_q_size(flex) * sizeof *q);
  asp_flex_move(flex, moved, v, dt);
  asp_flex_section(flex, s, moved, v, &section);
  return section;
}

static void sections_move_with_their_map_and_bias(void **state) {
  (void)state;
  Case cases[CASES];
  int count = make_cases(cases);
  for (int c = 0; c < count; c++) {
    AspFlex *flex = make_flex(&cases[c].def, cases[c].spatial);
    int n = cases[c].spatial ? 6 : 3;
    double q[64], v[64], dt = 1e-4;
    place_at_random(flex, 5, 0.1, q, v);
    for (int k = 0; k <= 7; k++) {
      double s = k / 7.0, twist[6] = {0};
      AspFlexSection now, before = later(flex, s, q, v, -dt), after = later(flex, s, q, v, dt);
      asp_flex_section(flex, s, q, v, &now);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < now.count; j++)
          twist[i] += now.T[n * j + i] * v[now.first + j];
      AspVec3 linear = vec3(twist[0], twist[1], n == 6 ? twist[2] : 0);
      AspVec3 spin = n == 6 ? vec3(twist[3], twist[4], twist[5]) : vec3(0, 0, twist[2]);
      assert_near(norm3(sub3(linear, now.velocity)), 0, 1e-13);
      assert_near(norm3(sub3(spin, now.spin)), 0, 1e-12);
      // differences of the pose along the motion
      AspVec3 rate = scale3(0.5 / dt, sub3(after.pose.position, before.pose.position));
      AspQuat turn = quat_multiply(after.pose.orientation, quat_conjugate(before.pose.orientation));
      AspVec3 turned = scale3((turn.w < 0 ? -2 : 2) * 0.5 / dt, vec3(turn.x, turn.y, turn.z));
      assert_near(norm3(sub3(rate, now.velocity)), 0, 1e-6);
      assert_near(norm3(sub3(turned, now.spin)), 0, 1e-5);
      assert_near(norm3(sub3(scale3(0.5 / dt, sub3(after.velocity, before.velocity)), now.bias)), 0, 1e-6);
      assert_near(norm3(sub3(scale3(0.5 / dt, sub3(after.spin, before.spin)), now.spin_bias)), 0,
                  1e-5 * (1 + norm3(now.spin_bias)));
    }
    asp_flex_destroy(context, flex);
  }
}

/* Conditions on the length, held or soft. */
static void rows_have_right_derivatives(void **state) {
  (void)state;
  Case cases[CASES];
  int count = make_cases(cases);
  for (int c = 0; c < count; c++) {
    AspFlex *flex = make_flex(&cases[c].def, cases[c].spatial);
    double q[64], v[64], dt = 2e-5;
    AspFlexRow row, other[2];
    int rows = asp_flex_row_count(flex) + asp_flex_soft_count(flex);
    place_at_rest(flex, q, v);
    for (int k = 0; k < rows; k++) {
      asp_flex_row(flex, k, q, v, &row);
      assert_near(row.value, 0, 1e-15);
    }
    place_at_random(flex, 9, 0.1, q, v);
    for (int k = 0; k < rows; k++) {
      double rate[3] = {0, 0, 0}, turn = 0, moved[64];
      asp_flex_row(flex, k, q, v, &row);
      for (int side = 0; side < 2; side++) {
        memcpy(moved, q, sizeof q);
        asp_flex_move(flex, moved, v, side ? dt : -dt);
        asp_flex_row(flex, k, moved, v, &other[side]);
        for (int i = 0; i < row.count; i++)
          rate[side] += other[side].gradient[i] * v[row.first + i];
      }
      for (int i = 0; i < row.count; i++) {
        rate[2] += row.gradient[i] * v[row.first + i];
        turn += row.turn[i] * v[row.first + i];
      }
      assert_near(rate[2], (other[1].value - other[0].value) / (2 * dt), 1e-6);
      assert_near(row.bias, (rate[1] - rate[0]) / (2 * dt), 1e-5 * (1 + fabs(row.bias)));
      assert_near(turn, row.bias, 1e-12 * (1 + fabs(row.bias)));
    }
    asp_flex_destroy(context, flex);
  }
}

/* Bathe and Bolourchi 1979: an arc of 45 degrees, radius 100, square section 1, E = 1e7, no Poisson effect, end load
 * 600 across its plane. Published: (15.9, 47.2, 53.4) by them, (15.7, 47.3, 53.4) by Simo and Vu-Quoc 1986, in axes
 * where the arc runs from the origin along y towards x. */
static void forty_five_degree_bend_reaches_the_published_tip(void **state) {
  (void)state;
  static const int clamped[] = {0, 1, 2, 3, 4, 5};
  double length = 100 * ASP_PI / 4, E = 1e7, I = 1.0 / 12;
  AspVec3 before = {0, 0, 0};
  for (int elements = 8; elements <= 32; elements *= 2) {
    AspFlexDef def = {.elements = elements,
                      .length = length,
                      .curvature = 1.0 / 100,
                      .mass_per_length = 1,
                      .axial = E,
                      .shear = {E / 2, E / 2},
                      .bending = {E * I, E * I},
                      .torsion = E / 2 * 2 * I,
                      .inertia = {1, 1, 1}};
    AspFlex *flex = make_flex(&def, true);
    double q[400], v[400];
    AspFlexSection end;
    place_at_rest(flex, q, v);
    solve_static(flex, true, clamped, 6, (EndLoad){vec3(0, 0, 600), vec3(0, 0, 0)}, 10, q);
    memset(v, 0, sizeof v);
    asp_flex_section(flex, length, q, v, &end);
    AspVec3 tip = end.pose.position;
    print_message("%2d elements: tip (%.4f, %.4f, %.4f)\n", elements, tip.y, tip.x, tip.z);
    assert_near(tip.y, 15.8, elements == 8 ? 0.3 : 0.15);
    assert_near(tip.x, 47.2, elements == 8 ? 0.3 : 0.15);
    assert_near(tip.z, 53.4, 0.15);
    if (elements == 32) // second order: the change falls with the square of the size
      assert_at_most(norm3(sub3(tip, before)), 0.05);
    before = tip;
    asp_flex_destroy(context, flex);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangents_are_the_derivatives_of_the_force),
      cmocka_unit_test(stiffness_is_semidefinite_and_the_tangent_where_there_is_no_stress),
      cmocka_unit_test(step_force_knows_the_strain_at_the_end_to_third_order),
      cmocka_unit_test(force_is_the_gradient_of_the_energy),
      cmocka_unit_test(mass_matrix_gives_kinetic_energy_and_momentum),
      cmocka_unit_test(rigid_motions_change_nothing),
      cmocka_unit_test(sections_move_with_their_map_and_bias),
      cmocka_unit_test(rows_have_right_derivatives),
      cmocka_unit_test(forty_five_degree_bend_reaches_the_published_tip),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
