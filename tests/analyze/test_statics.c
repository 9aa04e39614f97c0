/* Statics: block on a slope, ladder, semicircular arch against their known limits. */
#include "asperity/asperity.h"
#include "shared_context.h"

/* ---- scenes as text ---- */

static AspStatics statics_of_text(const char *text, const char *load, AspLevelProblem *level) {
  AspScene scene;
  AspWorld *world;
  AspStatics statics;
  assert_ok(context, asp_scene_parse(context, text, strlen(text), "test", &scene, NULL));
  assert_ok(context, asp_world_create(context, scene.model, &scene.run, &world));
  assert_ok(context, asp_world_problem_at(world, ASP_PROBLEM_STATIC, level));
  double f[64];
  for (int i = 0; load && i < asp_model_force_count(scene.model); i++)
    if (strcmp(asp_model_force_name(scene.model, i), load) == 0)
      asp_model_applied_force(scene.model, asp_world_state(world), i, f);
  assert_ok(context, asp_statics(context, &level->problem, load ? f : NULL, true, &statics));
  asp_world_destroy(world);
  asp_scene_destroy(context, &scene);
  return statics;
}

static void done(AspStatics *statics, AspLevelProblem *level) {
  asp_statics_destroy(context, statics);
  asp_level_problem_destroy(context, level);
}

/* A mechanism must be one: the loads win, no contact resists. */
static void assert_mechanism(const AspStatics *statics, const AspContactProblem *problem) {
  double power = 0;
  for (int i = 0; i < problem->dofs; i++)
    power += statics->mechanism[i] * problem->f[i];
  assert_true(power > 0);
  assert_near(power, statics->power, 1e-9 * (1 + power));
  for (int b = 0; b < problem->blocks; b++) {
    const double *u = statics->opening + problem->offset[b];
    double slip = problem->dimension == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
    assert_true(u[0] >= problem->law[b].mu * slip - 1e-8);
  }
}

static void block_on_slope_stands_iff_friction_is_above_the_tangent(void **state) {
  (void)state;
  const char *form = "{\"gravity\": [0, 0, -9.81], \"materials\": [{\"pair\": [\"a\", \"b\"], \"friction\": %.17g}],"
                     "\"bodies\": [{\"name\": \"slope\", \"fixed\": true, \"shapes\": [{\"type\": \"half-space\", "
                     "\"material\": \"a\", \"normal\": [%.17g, 0, %.17g]}]},"
                     "{\"name\": \"block\", \"mass\": 2, \"position\": [%.17g, 0, %.17g], \"orientation\": "
                     "{\"axis\": [0, 1, 0], \"angle\": %.17g}, \"shapes\": [{\"type\": \"box\", \"size\": [1, 0.6, "
                     "0.2], \"material\": \"b\"}]}],"
                     "\"forces\": [{\"name\": \"push\", \"type\": \"force\", \"body\": \"block\", \"force\": "
                     "[%.17g, 0, %.17g], \"point\": [%.17g, 0, %.17g]}]}";
  const double angles[] = {0.1, 0.4, 0.7};
  for (int i = 0; i < 3; i++) {
    double a = angles[i], s = sin(a), c = cos(a);
    char text[2000];
    // the push: 1 N downhill, along the slope, at the foot of the block
    snprintf(text, sizeof text, form, 0.5, s, c, 0.1 * s, 0.1 * c, a, c, -s, 0.0, 0.0);
    AspLevelProblem level;
    AspStatics statics = statics_of_text(text, "push", &level);
    // the push of 1 N is part of the loads already
    double weight = 2 * 9.81 * c, pull = 2 * 9.81 * s + 1;
    assert_int_equal(statics.stands, pull <= 0.5 * weight);
    assert_near(statics.friction_factor * 0.5, pull / weight, 1e-7);
    if (statics.stands) {
      assert_at_most(statics.residual, 1e-9);
      assert_near(statics.load_factor, 0.5 * weight - pull, 1e-6); // more push until it slides
    } else {
      assert_mechanism(&statics, &level.problem);
      assert_true(isnan(statics.load_factor));
    }
    done(&statics, &level);
  }
}

static void ladder_needs_its_critical_friction(void **state) {
  (void)state;
  const char *names[] = {"ladder_stands", "ladder_falls"};
  for (int i = 0; i < 2; i++) {
    char path[512];
    AspScene scene;
    AspWorld *world;
    AspLevelProblem level;
    AspStatics statics;
    snprintf(path, sizeof path, "%s/scenes/peers/%s.json", ASP_SOURCE_DIR, names[i]);
    assert_ok(context, asp_scene_read(context, path, &scene, NULL));
    assert_ok(context, asp_world_create(context, scene.model, &scene.run, &world));
    assert_ok(context, asp_world_problem_at(world, ASP_PROBLEM_STATIC, &level));
    assert_ok(context, asp_statics(context, &level.problem, NULL, true, &statics));
    assert_int_equal(statics.stands, i == 0);
    assert_near(statics.friction_factor * level.problem.law[0].mu, 0.244867, 1e-6);
    if (i == 1)
      assert_mechanism(&statics, &level.problem);
    done(&statics, &level);
    asp_world_destroy(world);
    asp_scene_destroy(context, &scene);
  }
}

/* ---- the arch ---- */

/* A semicircle of `count` voussoirs, mean radius 1, thickness t, on two fixed springers; ample friction. */
typedef struct Arch {
  AspModel *model;
  AspHull *hull[64];
  int count;
} Arch;

static void add_voussoir(Arch *arch, int index, double from, double to, double t, bool fixed, int material) {
  AspVec3 corner[4];
  for (int k = 0; k < 4; k++) {
    double angle = k == 0 || k == 3 ? from : to, radius = k < 2 ? 1 - t / 2 : 1 + t / 2;
    corner[k] = (AspVec3){-radius * cos(angle), radius * sin(angle), 0};
  }
  // weight by area: of the true sector, its centre on the bisector
  double half = (to - from) / 2, outer = 1 + t / 2, inner = 1 - t / 2;
  double area = half * (outer * outer - inner * inner);
  double reach = 2.0 / 3 * sin(half) * (pow(outer, 3) - pow(inner, 3)) / area;
  AspVec3 centre = {-reach * cos((from + to) / 2), reach * sin((from + to) / 2), 0};
  for (int k = 0; k < 4; k++) {
    corner[k].x -= centre.x;
    corner[k].y -= centre.y;
  }
  assert_ok(context, asp_hull_create(context, 2, corner, 4, &arch->hull[index]));
  AspBodyDef def = asp_body_default();
  def.kind = fixed ? ASP_BODY_FIXED : ASP_BODY_DYNAMIC;
  def.mass = 1000 * area;
  def.inertia.m[8] = def.mass;
  def.pose.position = centre;
  int body;
  assert_ok(context, asp_model_add_body(arch->model, &def, &body));
  AspShape shape = asp_shape_default(ASP_SHAPE_POLYGON);
  shape.hull = arch->hull[index];
  AspShapeAttachment attachment = {.shape = shape, .pose = {.orientation = {1, 0, 0, 0}}, .material = material};
  assert_ok(context, asp_model_attach_shape(arch->model, body, &attachment));
}

static Arch make_arch(int count, double t) {
  Arch arch = {.count = count + 2};
  int stone;
  assert_ok(context, asp_model_create(context, 2, &arch.model));
  asp_model_set_gravity(arch.model, (AspVec3){0, -9.81, 0});
  assert_ok(context, asp_model_material(arch.model, "stone", &stone));
  assert_ok(context, asp_model_set_pair(arch.model, stone, stone, &(AspPairLaw){.friction = 10}));
  double pi = acos(-1), each = pi / count;
  add_voussoir(&arch, 0, -each / 2, 0, t, true, stone);
  for (int i = 0; i < count; i++)
    add_voussoir(&arch, i + 1, i * each, (i + 1) * each, t, false, stone);
  add_voussoir(&arch, count + 1, pi, pi + each / 2, t, true, stone);
  assert_ok(context, asp_model_finish(arch.model));
  return arch;
}

static void free_arch(Arch *arch) {
  asp_model_destroy(arch->model);
  for (int i = 0; i < arch->count; i++)
    asp_hull_destroy(context, arch->hull[i]);
}

/* Does the arch stand? The problem and its statics are the caller's where wanted. */
static bool arch_stands(int count, double t, AspLevelProblem *level, AspStatics *statics) {
  Arch arch = make_arch(count, t);
  AspRunOptions options = asp_run_default_options();
  AspWorld *world;
  AspLevelProblem own;
  AspStatics result;
  assert_ok(context, asp_world_create(context, arch.model, &options, &world));
  assert_ok(context, asp_world_problem_at(world, ASP_PROBLEM_STATIC, &own));
  assert_int_equal(own.problem.blocks, 2 * (count + 1));
  assert_ok(context, asp_statics(context, &own.problem, NULL, false, &result));
  bool stands = result.stands;
  asp_world_destroy(world);
  free_arch(&arch);
  if (level) {
    *level = own;
    *statics = result;
  } else
    done(&result, &own);
  return stands;
}

static double least_thickness(int count) {
  double low = 0.05, high = 0.15;
  for (int k = 0; k < 14; k++) {
    double middle = (low + high) / 2;
    if (arch_stands(count, middle, NULL, NULL))
      high = middle;
    else
      low = middle;
  }
  return high;
}

static void arch_of_many_voussoirs_needs_the_known_thickness(void **state) {
  (void)state;
  const int counts[] = {6, 12, 24, 48};
  double before = INFINITY;
  for (int i = 0; i < 4; i++) {
    double t = least_thickness(counts[i]), off = fabs(t - 0.1075);
    print_message("arch of %d voussoirs: least t/R = %.5f\n", counts[i], t);
    assert_true(off <= before + 1e-5);
    before = off;
  }
  assert_at_most(before, 5e-4);
}

/* Just too thin: it folds about five hinges, at the crown, at the haunches some 55 degrees from it, at
 * the springings. */
static void thin_arch_collapses_with_five_hinges(void **state) {
  (void)state;
  AspLevelProblem level;
  AspStatics statics;
  assert_false(arch_stands(24, 0.105, &level, &statics));
  assert_mechanism(&statics, &level.problem);
  int hinges = 0;
  double largest = 0, angle[16];
  for (int b = 0; b < level.problem.blocks; b++)
    largest = fmax(largest, statics.opening[level.problem.offset[b]]);
  // a joint is a hinge when one of its two contacts opens and the other does not
  for (int b = 0; b < level.problem.blocks; b++)
    if (statics.opening[level.problem.offset[b]] > 1e-6 * largest && hinges < 16)
      angle[hinges++] = fabs(atan2(level.block[b].point.x, level.block[b].point.y)) * 180 / acos(-1);
  assert_int_equal(hinges, 5);
  int crown = 0, haunches = 0, springings = 0;
  for (int i = 0; i < hinges; i++) {
    crown += angle[i] < 1;
    haunches += fabs(angle[i] - 54.5) < 7.5; // joints are 7.5 degrees apart
    springings += fabs(angle[i] - 90) < 1;
  }
  assert_int_equal(crown, 1);
  assert_int_equal(haunches, 2);
  assert_int_equal(springings, 2);
  done(&statics, &level);
}

static int asked;

static bool stop_from_the_second_question_on(void *user) {
  (void)user;
  return ++asked > 1;
}

static void a_caller_can_stop_statics_inside_a_linear_program(void **state) {
  (void)state;
  AspLevelProblem level;
  AspStatics statics, stopped;
  assert_true(arch_stands(48, 0.12, &level, &statics));
  asked = 0;
  asp_context_set_stop(context, stop_from_the_second_question_on, NULL);
  assert_int_equal(asp_statics(context, &level.problem, NULL, true, &stopped), ASP_ERROR_INTERRUPTED);
  assert_non_null(strstr(asp_context_message(context), "interrupted"));
  assert_int_equal(asked, 2); // the first balance alone has more than 64 pivots
  asp_context_set_stop(context, NULL, NULL);
  done(&statics, &level);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_on_slope_stands_iff_friction_is_above_the_tangent),
      cmocka_unit_test(ladder_needs_its_critical_friction),
      cmocka_unit_test(arch_of_many_voussoirs_needs_the_known_thickness),
      cmocka_unit_test(thin_arch_collapses_with_five_hinges),
      cmocka_unit_test(a_caller_can_stop_statics_inside_a_linear_program),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
