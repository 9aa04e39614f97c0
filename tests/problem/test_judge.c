/* judge: residuals by closed forms, law by law; degenerate data; memory. */
#include "building.h"
#include "failing_allocator.h"
#include "problem/natural_map.h"
#include "problem/residual.h"

static const double identity3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static AspLaw coulomb(double mu) { return (AspLaw){.kind = ASP_LAW_COULOMB, .mu = mu}; }
static AspLaw polygon(AspConeKind cone, int directions, double mu) {
  return (AspLaw){.kind = ASP_LAW_COULOMB, .mu = mu, .cone = cone, .directions = directions};
}

/* Judge r for one block with W and q; releases the problem. */
static AspResidual judge_block(int dimension, AspLaw law, const double *W, const double *q, const double *r) {
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem = local_problem(context, dimension, 1, &law, W, q);
  AspResidual residual = judged(context, &problem, r, NULL, NULL);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
  return residual;
}

static void assert_solved(AspResidual residual, double tolerance) {
  assert_at_most(residual.E1, tolerance);
  assert_at_most(residual.E2, tolerance);
  assert_at_most(residual.E3, tolerance);
  assert_at_most(residual.contact, tolerance);
  assert_at_most(residual.worst_cone, tolerance);
  assert_at_most(residual.worst_complementarity, tolerance);
  assert_at_most(residual.worst_penetration_rate, tolerance);
}

static void sticking_slipping_and_open_contacts_have_no_residual(void **state) {
  (void)state;
  AspResidual stick = judge_block(3, coulomb(0.5), identity3, (double[]){-1, 0.3, -0.2}, (double[]){1, -0.3, 0.2});
  assert_solved(stick, 0);
  assert_true(stick.exact == 0);
  // slip: r_N = 1, friction 0.5 against (3, 4)/5; what is left of u_T is 4.5 (3, 4)/5
  AspResidual slip = judge_block(3, coulomb(0.5), identity3, (double[]){-1, 3, 4}, (double[]){1, -0.3, -0.4});
  assert_solved(slip, 1e-15);
  AspResidual open = judge_block(3, coulomb(0.5), identity3, (double[]){1, 3, -2}, (double[]){0, 0, 0});
  assert_solved(open, 0);
  // the same in the plane, with a coupling that makes W unsymmetric: u_N = 2 r_N + r_T - 1.5, u_T = r_T + 2
  AspResidual plane = judge_block(2, coulomb(0.5), (double[]){2, 1, 0, 1}, (double[]){-1.5, 2}, (double[]){1, -0.5});
  assert_solved(plane, 0);
  assert_near(plane.norm_u, 1.5, 1e-16);
}

static void residual_of_zero_reaction_by_hand(void **state) {
  (void)state;
  // r = 0, u = q = (-1, 1, 0), mu = 1: r - u - |u_T| n = (0, -1, 0), projected (1/2, -1/2, 0): ||F|| = sqrt(1/2)
  AspResidual residual = judge_block(3, coulomb(1), identity3, (double[]){-1, 1, 0}, (double[]){0, 0, 0});
  assert_near(residual.E1, 0.5, 1e-15); // over ||q|| = sqrt(2)
  assert_near(residual.rho, 1, 0);
  assert_near(residual.E2, 0.5, 1e-15);
  assert_near(residual.E3, 0.5, 1e-15);
  assert_near(residual.worst_penetration_rate, 1, 0);
  assert_int_equal(residual.worst_block, 0);
  // W = 2 I: rho = 1/2, F(rho) = F(1)/2, E2 divides by rho ||q||: unchanged; E1 as before
  const double W[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  residual = judge_block(3, coulomb(1), W, (double[]){-1, 1, 0}, (double[]){0, 0, 0});
  assert_near(residual.rho, 0.5, 0);
  assert_near(residual.E1, 0.5, 1e-15);
  assert_near(residual.E2, 0.5, 1e-15);
}

/* A body that falls at 1 m/s and slides at 2 m/s, no reaction: wrong for every mu. */
static void steep_cones_do_not_hide_an_approach(void **state) {
  (void)state;
  for (double mu = 1; mu < 1e17; mu *= 100) {
    const AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = mu};
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 2, 0}, r[3] = {0};
    AspResidual residual = judge_block(3, law, W, q, r);
    assert_true(residual.E2 > 1e-3 && residual.E1 > 1e-3);
  }
}

static void inflated_reactions_show_in_E3_only(void **state) {
  (void)state;
  // two normals that press against each other: W is singular along (1, 1), r = (s, s) solves for every s >= 0
  AspContext *context = asp_context_create(NULL);
  AspLaw laws[2] = {{.kind = ASP_LAW_UNILATERAL}, {.kind = ASP_LAW_UNILATERAL}};
  AspContactProblem problem = local_problem(context, 3, 2, laws, (double[]){1, -1, -1, 1}, (double[]){1e-3, -1e-3});
  // exact: r = (s, s + 1e-3); this one misses it by 1e-6
  double small[2] = {0, 1e-3 + 1e-6}, large[2] = {1e3, 1e3 + 1e-3 + 1e-6};
  AspResidual modest = judged(context, &problem, small, NULL, NULL);
  AspResidual inflated = judged(context, &problem, large, NULL, NULL);
  assert_at_most(inflated.E2, 1e-8);
  assert_true(modest.E2 > 1e-4);
  assert_true(inflated.E3 > 1e-4 && modest.E3 > 1e-4);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

static void E2_does_not_depend_on_units(void **state) {
  (void)state;
  AspLaw laws[2] = {coulomb(0.4), {.kind = ASP_LAW_EQUALITY}};
  const double W[16] = {2, 0.3, 0, 0.1, 0.3, 1, 0.2, 0, 0, 0.2, 1, 0, 0.1, 0, 0, 3};
  const double q[4] = {-1, 0.7, 0.2, 0.5}, r[4] = {0.4, -0.1, 0.05, -0.2};
  // velocities times a, reactions times b: W times a/b
  double a = 1000, b = 1e-4, W2[16], q2[4], r2[4];
  for (int k = 0; k < 16; k++)
    W2[k] = W[k] * a / b;
  for (int k = 0; k < 4; k++) {
    q2[k] = q[k] * a;
    r2[k] = r[k] * b;
  }
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem = local_problem(context, 3, 2, laws, W, q);
  AspContactProblem scaled = local_problem(context, 3, 2, laws, W2, q2);
  AspResidual first = judged(context, &problem, r, NULL, NULL), second = judged(context, &scaled, r2, NULL, NULL);
  assert_near(second.E2 / first.E2, 1, 1e-13);
  assert_near(second.E3 / first.E3, 1, 1e-13);
  assert_near(second.exact / first.exact, 1, 1e-13);
  assert_near(second.contact / first.contact, 1, 1e-13);
  assert_true(fabs(second.E1 / first.E1 - 1) > 0.01); // E1 does
  asp_problem_destroy(context, &problem);
  asp_problem_destroy(context, &scaled);
  asp_context_destroy(context);
}

static void unilateral_equality_and_box_by_hand(void **state) {
  (void)state;
  const double one[1] = {1};
  AspLaw unilateral = {.kind = ASP_LAW_UNILATERAL}, equality = {.kind = ASP_LAW_EQUALITY};
  AspLaw box = {.kind = ASP_LAW_BOX, .limit = 0.5};
  assert_solved(judge_block(3, unilateral, one, (double[]){-2}, (double[]){2}), 0);
  assert_solved(judge_block(3, unilateral, one, (double[]){2}, (double[]){0}), 0);
  AspResidual r = judge_block(3, unilateral, one, (double[]){-2}, (double[]){-1}); // u = -3: min(u, r) = -3
  assert_near(r.E1, 1, 0);
  assert_near(r.worst_cone, 1, 0);
  assert_near(r.worst_complementarity, 3, 0);
  assert_near(r.worst_penetration_rate, 3, 0);
  r = judge_block(3, equality, one, (double[]){-2}, (double[]){1.5}); // u = -0.5
  assert_near(r.E1, 0.25, 0);
  assert_near(r.worst_equality, 0.5, 0);
  assert_true(r.worst_penetration_rate == 0 && r.worst_complementarity == 0 && r.contact == 0);
  assert_solved(judge_block(3, box, one, (double[]){0.3}, (double[]){-0.3}), 0); // held
  assert_solved(judge_block(3, box, one, (double[]){2}, (double[]){-0.5}), 0);   // moves on, braked by the limit
  assert_solved(judge_block(3, box, one, (double[]){-2}, (double[]){0.5}), 0);
  r = judge_block(3, box, one, (double[]){-2}, (double[]){0.75}); // u = -1.25, clamp(2) = 0.5: F = 0.25
  assert_near(r.E1, 0.125, 0);
  assert_near(r.worst_cone, 0.25, 0);
  assert_solved(judge_block(2, (AspLaw){.kind = ASP_LAW_BOX}, one, (double[]){7}, (double[]){0}), 0); // limit 0
}

static void ball_by_hand(void **state) {
  (void)state;
  AspLaw ball = {.kind = ASP_LAW_BALL, .limit = 5};
  assert_solved(judge_block(3, ball, identity3, (double[]){1, 2, -3}, (double[]){-1, -2, 3}), 0);    // held
  assert_solved(judge_block(3, ball, identity3, (double[]){0, 6, 8}, (double[]){0, -3, -4}), 1e-15); // turns on
  assert_solved(judge_block(2, ball, (double[]){1, 0, 0, 1}, (double[]){6, 8}, (double[]){-3, -4}), 1e-15);
  AspResidual r = judge_block(3, ball, identity3, (double[]){0, 0, 10}, (double[]){0, 0, -7}); // u = 3, P(-10) = -5
  assert_near(r.E1, 0.2, 1e-15);
  assert_near(r.worst_cone, 2, 0);
  assert_true(r.worst_penetration_rate == 0 && r.worst_complementarity == 0 && r.contact == 0);
  // within the cube, not within the ball
  assert_near(judge_block(3, ball, identity3, (double[]){8, 8, 8}, (double[]){-5, -5, -5}).worst_cone, 5 * sqrt(3) - 5,
              1e-14);
}

static void sliding_contact_by_hand(void **state) {
  (void)state;
  AspLaw law = {.kind = ASP_LAW_SLIDING, .mu = 0.5, .direction = {0.6, 0.8}};
  // u_N = r_N - 2, friction against the known slip direction; u_T is free
  assert_solved(judge_block(3, law, identity3, (double[]){-2, 9, 9}, (double[]){2, -0.6, -0.8}), 1e-15);
  AspResidual r = judge_block(3, law, identity3, (double[]){-2, 0, 0}, (double[]){2, -0.6, 0.2}); // misses by 1
  assert_near(r.worst_cone, 1, 1e-15);
  assert_near(r.E2, 1 / sqrt(4.4), 1e-15); // over ||r||
  AspLaw plane = {.kind = ASP_LAW_SLIDING, .mu = 0.5, .direction = {-1, 0}};
  assert_solved(judge_block(2, plane, (double[]){1, 0, 0, 1}, (double[]){-2, 3}, (double[]){2, 1}), 0);
}

static void polygons_are_judged_by_their_own_law_and_by_the_exact_one(void **state) {
  (void)state;
  // inscribed diamond, mu r_N = 1, r_T - u_T = (1, 1) projected to (1/2, 1/2)
  AspLaw diamond = polygon(ASP_CONE_INSCRIBED, 4, 1);
  AspResidual r = judge_block(3, diamond, identity3, (double[]){-1, -1, -1}, (double[]){1, 0.2, 0.3});
  double scale = sqrt(3); // ||q||, larger than ||u|| = sqrt(0.8^2 + 0.7^2) and ||r||
  assert_near(r.E1, hypot(0.2 - 0.5, 0.3 - 0.5) / scale, 1e-15);
  // a solution of the diamond: slips against (1, 1), r_T = -(1/2, 1/2); the circle would allow sqrt(1/2) each
  r = judge_block(3, diamond, identity3, (double[]){-1, 2, 2}, (double[]){1, -0.5, -0.5});
  assert_solved(r, 1e-15);
  assert_true(r.exact > 0.05);
  // De Saxce: r - u - |u_T| n = (1 - 1.5 sqrt 2, -2, -2) has |x_T| = 2 sqrt 2, projected onto the ray at 45 degrees
  double t = 2 * sqrt(2), along = 0.5 * (t + 1 - 1.5 * sqrt(2));
  assert_near(r.exact * 3, sqrt(pow(1 - along, 2) + pow(along - sqrt(0.5), 2)), 1e-14); // rho ||q|| = 3
  // circumscribed square: |r_t1|, |r_t2| <= mu r_N; slipping along both, the corner (-1, -1) is reached
  AspLaw square = polygon(ASP_CONE_CIRCUMSCRIBED, 4, 1);
  r = judge_block(3, square, identity3, (double[]){-1, 2, 3}, (double[]){1, -1, -1});
  assert_solved(r, 1e-15);
  assert_near(judge_block(3, square, identity3, (double[]){-1, 2, 3}, (double[]){1, -1.25, 0}).worst_cone, 0.25, 1e-15);
  // in the plane every cone is the exact one
  AspLaw flat = polygon(ASP_CONE_INSCRIBED, 3, 0.5);
  r = judge_block(2, flat, (double[]){1, 0, 0, 1}, (double[]){-1, -4}, (double[]){1, 0.5});
  assert_solved(r, 0);
  assert_true(r.exact == 0);
}

static void frictionless_contact_has_no_tangential_reaction(void **state) {
  (void)state;
  assert_solved(judge_block(3, coulomb(0), identity3, (double[]){-1, 5, 6}, (double[]){1, 0, 0}), 0);
  AspResidual r = judge_block(3, coulomb(0), identity3, (double[]){-1, 5, 6}, (double[]){1, 0.5, 0});
  assert_near(r.E1 * sqrt(5.5 * 5.5 + 36), 0.5, 1e-14);
  assert_near(r.worst_cone, 0.5, 0);
  AspLaw flat = polygon(ASP_CONE_INSCRIBED, 4, 0);
  assert_solved(judge_block(3, flat, identity3, (double[]){-1, 5, 6}, (double[]){1, 0, 0}), 0);
}

static void contact_residual_is_the_worst_contact_over_the_mean_normal_reaction(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspLaw laws[3] = {{.kind = ASP_LAW_UNILATERAL}, {.kind = ASP_LAW_UNILATERAL}, {.kind = ASP_LAW_EQUALITY}};
  const double W[9] = {2, 0, 0, 0, 4, 0, 0, 0, 1}, q[3] = {-2, -4, 7}, r[3] = {0.9, 1.2, 0};
  // u = (-0.2, 0.8, 7): min(u / W_NN, r) = (-0.1, 0.2); mean normal reaction 1.05; the joint does not count
  AspContactProblem problem = local_problem(context, 3, 3, laws, W, q);
  AspResidual residual = judged(context, &problem, r, NULL, NULL);
  assert_near(residual.contact, 0.2 / 1.05, 1e-15);
  assert_int_equal(residual.worst_block, 2);
  assert_near(residual.worst_equality, 7, 0);
  assert_near(residual.rho, 3.0 / 7, 1e-16);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

static void not_finite_reactions_have_infinite_residuals(void **state) {
  (void)state;
  const double bad[3] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 9; k++) {
    double r[3] = {1, 0, 0};
    r[k % 3] = bad[k / 3];
    AspLaw law = k % 2 ? coulomb(0.5) : polygon(ASP_CONE_INSCRIBED, 5, 0.5);
    AspResidual residual = judge_block(3, law, identity3, (double[]){-1, 0, 0}, r);
    const double values[] = {residual.E1,
                             residual.E2,
                             residual.E3,
                             residual.exact,
                             residual.contact,
                             residual.norm_r,
                             residual.worst_cone,
                             residual.worst_complementarity,
                             residual.worst_equality};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
      assert_true(values[i] == INFINITY);
  }
}

static void huge_and_tiny_data_do_not_give_nan(void **state) {
  (void)state;
  const double sizes[] = {1e-300, 1e-160, 1, 1e160, 1e300};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 5; k++) {
        double s = sizes[i], a = sizes[j], b = sizes[k];
        AspResidual r = judge_block(3, coulomb(0.5), (double[]){s, 0, 0, 0, s, 0, 0, 0, s}, (double[]){-a, a, 0},
                                    (double[]){b, b, -b});
        assert_false(isnan(r.E1) || isnan(r.E2) || isnan(r.E3) || isnan(r.exact) || isnan(r.contact));
        assert_false(isnan(r.norm_u) || isnan(r.rho) || isnan(r.worst_cone) || isnan(r.worst_complementarity));
        assert_true(r.E2 > 1e-3); // never small: the reaction lies far outside the cone
      }
}

static void empty_and_degenerate_problems_have_finite_residuals(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem empty;
  assert_ok(context, asp_problem_create(context, 3, 0, 0, 0, 0, 0, 0, &empty));
  double nothing = 0;
  AspResidual r = judged(context, &empty, &nothing, NULL, NULL);
  assert_true(r.E1 == 0 && r.E2 == 0 && r.E3 == 0 && r.exact == 0 && r.contact == 0 && r.rho == 1);
  assert_int_equal(r.worst_block, -1);
  asp_problem_destroy(context, &empty);
  // q = 0 and r = 0
  assert_solved(judge_block(3, coulomb(1), identity3, (double[]){0, 0, 0}, (double[]){0, 0, 0}), 0);
  // q = 0, r outside the cone: E3 is ||F|| itself
  r = judge_block(3, coulomb(0), identity3, (double[]){0, 0, 0}, (double[]){0, 3, 0});
  assert_near(r.E3, 3, 0);
  // W = 0: rho = 1
  const double zero[9] = {0};
  r = judge_block(3, coulomb(1), zero, (double[]){-1, 1, 0}, (double[]){0, 0, 0});
  assert_near(r.rho, 1, 0);
  assert_near(r.E2, 0.5, 1e-15);
  asp_context_destroy(context);
}

/* A two-body problem in global form: rigid 3-dof bodies with full mass blocks, unsymmetric as gyroscopic
 * terms make it. */
static AspContactProblem two_bodies(AspContext *context) {
  static const double M[36] = {2, 0.1, 0, 0, 0, 0, -0.1, 2, 0, 0, 0, 0, 0, 0, 0.5, 0, 0, 0,
                               0, 0,   0, 3, 0, 0, 0,    0, 0, 0, 4, 1, 0, 0, 0,   0, 1, 5};
  static const double H[24] = {0, 1, 0, 0, 1, 0, 0, 0, 0.5, -0.2, 0, 0, 0, -1, 0, 1, -1, 0, 1, 0, 0.3, 0.4, 0.7, 0};
  AspLaw laws[2] = {coulomb(0.3), coulomb(0.6)};
  return global_problem(context, 2, 2, laws, 6, M, H, (double[]){1, -2, 3, 0, -5, 1}, (double[]){0.1, 0, -0.2, 0.3});
}

static void global_and_reduced_form_are_judged_alike(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspContactProblem problem = two_bodies(context);
  assert_ok(context, asp_problem_reduce(context, &problem));
  const double r[4] = {1, -0.3, 0.5, 0.2};
  double u[4], x[6], u_local[4];
  AspResidual global = judged(context, &problem, r, u, x);
  problem.dofs = 0; // hides the global form
  AspResidual local = judged(context, &problem, r, u_local, NULL);
  problem.dofs = 6;
  assert_near(global.E1, local.E1, 1e-14);
  assert_near(global.E2, local.E2, 1e-14);
  assert_near(global.contact, local.contact, 1e-14);
  assert_near(global.rho, local.rho, 1e-14);
  for (int j = 0; j < 4; j++)
    assert_near(u[j], u_local[j], 1e-14);
  // x solves M x = H r + f, and u = H^T x + w
  double residual[6] = {0};
  for (int j = 0; j < 6; j++)
    for (int k = problem.M.start[j]; k < problem.M.start[j + 1]; k++)
      residual[problem.M.row[k]] += problem.M.value[k] * x[j];
  for (int j = 0; j < 4; j++) {
    double sum = problem.w[j];
    for (int k = problem.H.start[j]; k < problem.H.start[j + 1]; k++) {
      residual[problem.H.row[k]] -= problem.H.value[k] * r[j];
      sum += problem.H.value[k] * x[problem.H.row[k]];
    }
    assert_near(u[j], sum, 1e-14);
  }
  for (int i = 0; i < 6; i++)
    assert_near(residual[i], problem.f[i], 1e-14);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

static void the_judge_refuses_what_it_cannot_judge(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  AspJudge *judge;
  AspResidual residual;
  double r[4] = {0}, x[6];
  assert_ok(context, asp_judge_create(context, &judge));
  assert_int_equal(asp_judge_residual(judge, r, &residual, NULL, NULL), ASP_ERROR_ARGUMENT);
  AspContactProblem problem = two_bodies(context);
  problem.M.value[3] = 0; // the third mass
  problem.M.value[4] = 0;
  assert_int_equal(asp_judge_reset(judge, &problem), ASP_ERROR_INPUT);
  assert_non_null(strstr(asp_context_message(context), "M is singular at dof 2"));
  assert_int_equal(asp_judge_residual(judge, r, &residual, NULL, NULL), ASP_ERROR_ARGUMENT);
  AspLaw law = {.kind = ASP_LAW_UNILATERAL};
  AspContactProblem local = local_problem(context, 3, 1, &law, (double[]){1}, (double[]){1});
  assert_ok(context, asp_judge_reset(judge, &local));
  assert_int_equal(asp_judge_residual(judge, r, &residual, NULL, x), ASP_ERROR_ARGUMENT);
  local.q[0] = NAN;
  assert_int_equal(asp_judge_reset(judge, &local), ASP_ERROR_INPUT);
  asp_judge_destroy(judge);
  asp_problem_destroy(context, &local);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

/* A chain of coupled masses with a contact at either end: M has one large component, symmetric or not. */
static AspContactProblem chain(AspContext *context, double asymmetry) {
  enum { n = 30 };
  double M[n * n] = {0}, H[n * 4] = {0}, f[n], w[4] = {0};
  for (int i = 0; i < n; i++) {
    M[i * n + i] = 3;
    f[i] = i % 2 ? -1 : 0.2;
    if (i + 1 < n) {
      M[i * n + i + 1] = -1;
      M[(i + 1) * n + i] = -1 + asymmetry;
    }
  }
  H[0 * 4 + 0] = H[1 * 4 + 1] = H[(n - 1) * 4 + 2] = H[(n - 2) * 4 + 3] = 1;
  AspLaw laws[2] = {coulomb(0.3), coulomb(0.6)};
  return global_problem(context, 2, 2, laws, n, M, H, f, w);
}

static void coupled_masses_are_judged_like_their_reduced_form(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    AspContext *context = asp_context_create(NULL);
    AspContactProblem problem = chain(context, 0.1 * k);
    const double r[4] = {1, -0.3, 0.5, 0.2};
    assert_ok(context, asp_problem_reduce(context, &problem));
    AspResidual global = judged(context, &problem, r, NULL, NULL);
    int dofs = problem.dofs;
    problem.dofs = 0;
    AspResidual local = judged(context, &problem, r, NULL, NULL);
    problem.dofs = dofs;
    assert_near(global.rho, local.rho, 1e-14);
    assert_near(global.E1, local.E1, 1e-14);
    assert_near(global.E2, local.E2, 1e-14);
    assert_near(global.contact, local.contact, 1e-14);
    asp_problem_destroy(context, &problem);
    asp_context_destroy(context);
  }
}

/* One judge, several r in turn, r = 0 among them: each has its own residual, also when it was judged before. */
static void each_reaction_has_its_own_residual(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  const AspLaw law = {.kind = ASP_LAW_COULOMB, .mu = 0.5};
  const double W[9] = {2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 1.5}, q[3] = {-1, 0.5, 0.2};
  const double tried[][3] = {{1, 2, 3}, {0, 0, 0}, {0.5, -0.1, 0}, {1, 2, 3}, {0.5, -0.1, 0}, {0.5, -0.1, 1e-300}};
  AspContactProblem problem = local_problem(context, 3, 1, &law, W, q);
  AspJudge *judge;
  assert_ok(context, asp_judge_create(context, &judge));
  assert_ok(context, asp_judge_reset(judge, &problem));
  for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
    double u[3], expected_u[3];
    AspResidual residual, expected = judged(context, &problem, tried[k], expected_u, NULL);
    for (int again = 0; again < 2; again++) {
      assert_ok(context, asp_judge_residual(judge, tried[k], &residual, u, NULL));
      assert_memory_equal(u, expected_u, sizeof u);
      assert_near(residual.E1, expected.E1, 0);
      assert_near(residual.E2, expected.E2, 0);
      assert_near(residual.E3, expected.E3, 0);
      assert_near(residual.norm_r, expected.norm_r, 0);
    }
  }
  assert_true(asp_judge_take_time(judge) > 0);
  assert_near(asp_judge_take_time(judge), 0, 0); // taken once
  asp_judge_destroy(judge);
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

/* ||r_T + mu r_N d||, each component with a direction of its own; or -r_N */
static void excess_of_known_slip_is_what_friction_is_off(void **state) {
  (void)state;
  const AspLaw slides = {.kind = ASP_LAW_SLIDING, .mu = 0.5, .direction = {0.6, 0.8}};
  assert_near(asp_law_excess(&slides, 3, (double[]){2, -0.6, -0.8}), 0, 1e-16);
  assert_near(asp_law_excess(&slides, 3, (double[]){2, -0.6 + 0.3, -0.8 - 0.4}), 0.5, 1e-15);
  assert_near(asp_law_excess(&slides, 3, (double[]){2, -0.6, -0.8 + 0.25}), 0.25, 1e-15);
  assert_near(asp_law_excess(&slides, 3, (double[]){-2, 0.6, 0.8}), 2, 0);
  const AspLaw plane = {.kind = ASP_LAW_SLIDING, .mu = 0.5, .direction = {-1, 0}};
  assert_near(asp_law_excess(&plane, 2, (double[]){2, 1}), 0, 0);
  assert_near(asp_law_excess(&plane, 2, (double[]){2, -1}), 2, 0);
}

static void judging_again_allocates_nothing(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    AspContext *context = asp_context_create(NULL);
    AspContactProblem problem = kind == 0 ? two_bodies(context) : chain(context, 0.1 * (kind - 1));
    AspJudge *judge;
    AspResidual first, residual;
    const double r[4] = {1, -0.3, 0.5, 0.2};
    uint64_t calls = 0;
    assert_ok(context, asp_judge_create(context, &judge));
    for (int round = 0; round < 6; round++) {
      if (round == 3)
        calls = asp_context_allocation_count(context);
      assert_ok(context, asp_judge_reset(judge, &problem));
      assert_ok(context, asp_judge_residual(judge, r, &residual, NULL, NULL));
      if (round == 0)
        first = residual;
      assert_memory_equal(&first.E1, &residual.E1, sizeof(double)); // bit by bit
      assert_memory_equal(&first.E2, &residual.E2, sizeof(double));
    }
    assert_int_equal(asp_context_allocation_count(context), calls);
    asp_judge_destroy(judge);
    asp_problem_destroy(context, &problem);
    assert_int_equal(asp_context_memory_in_use(context), 0);
    asp_context_destroy(context);
  }
}

static void every_kth_allocation_failure_is_clean(void **state) {
  (void)state;
  FailingAllocator failing;
  AspContext *context = failing_context(&failing);
  AspContactProblem problem = chain(context, 0);
  long before = failing.live;
  int failures = 0;
  for (long k = 0;; k++) {
    AspJudge *judge = NULL;
    failing.until_failure = k;
    AspError error = asp_judge_create(context, &judge);
    if (error == ASP_OK)
      error = asp_judge_reset(judge, &problem);
    asp_judge_destroy(judge);
    assert_int_equal(failing.live, before);
    if (error == ASP_OK)
      break;
    assert_int_equal(error, ASP_ERROR_MEMORY);
    failures++;
  }
  assert_true(failures >= 2);
  failing.until_failure = -1;
  asp_problem_destroy(context, &problem);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sticking_slipping_and_open_contacts_have_no_residual),
      cmocka_unit_test(residual_of_zero_reaction_by_hand),
      cmocka_unit_test(steep_cones_do_not_hide_an_approach),
      cmocka_unit_test(inflated_reactions_show_in_E3_only),
      cmocka_unit_test(E2_does_not_depend_on_units),
      cmocka_unit_test(unilateral_equality_and_box_by_hand),
      cmocka_unit_test(ball_by_hand),
      cmocka_unit_test(sliding_contact_by_hand),
      cmocka_unit_test(polygons_are_judged_by_their_own_law_and_by_the_exact_one),
      cmocka_unit_test(frictionless_contact_has_no_tangential_reaction),
      cmocka_unit_test(contact_residual_is_the_worst_contact_over_the_mean_normal_reaction),
      cmocka_unit_test(not_finite_reactions_have_infinite_residuals),
      cmocka_unit_test(huge_and_tiny_data_do_not_give_nan),
      cmocka_unit_test(empty_and_degenerate_problems_have_finite_residuals),
      cmocka_unit_test(global_and_reduced_form_are_judged_alike),
      cmocka_unit_test(the_judge_refuses_what_it_cannot_judge),
      cmocka_unit_test(coupled_masses_are_judged_like_their_reduced_form),
      cmocka_unit_test(each_reaction_has_its_own_residual),
      cmocka_unit_test(excess_of_known_slip_is_what_friction_is_off),
      cmocka_unit_test(judging_again_allocates_nothing),
      cmocka_unit_test(every_kth_allocation_failure_is_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
