/* Moving surfaces: belts, rollers and turntables against closed forms in all schemes, and mistakes by name. */
#include "live.h"

#include <hdf5.h>

static const char *const schemes[] = {"moreau-jean", "stewart-trinkle", "generalized-alpha", "event-driven",
                                      "compliant"};
#define SCHEMES (sizeof schemes / sizeof *schemes)

/* A flat box of 2 kg on a belt in the plane, mu = 0.25, g = 10: it slides with 2.5 m/s^2. */
static Live start_belt(const char *scheme, double dt, const char *surface, double angle) {
  char text[2048];
  snprintf(text, sizeof text,
           "{'dimension': 2, 'gravity': [%.17g, %.17g], 'materials': [{'pair': ['*', '*'], 'friction': 0.25}],"
           "'bodies': [{'name': 'belt', 'fixed': true, 'shapes': [{'type': 'half-plane', %s}]},"
           "{'name': 'box', 'mass': 2, 'position': [0, 0.01], 'shapes': [{'type': 'box', 'size': [0.4, 0.02]}]}],"
           "'run': {'scheme': '%s', 'dt': %.17g, 'until': 1%s}}",
           -10 * sin(angle), -10 * cos(angle), surface, scheme, dt,
           strcmp(scheme, "compliant") == 0 ? ", 'compliant': {'stiffness': 1e7, 'damping': 1e4, 'slip_damping': 1e6}"
                                            : "");
  return start(text);
}

/* Up to speed v after v / (mu g), having gone v^2 / (2 mu g) and slid as far. */
static void a_box_on_a_belt_reaches_its_speed(void **state) {
  (void)state;
  const double v = 1, until = 1, reached = v / 2.5, way = v * v / 5 + v * (until - reached);
  const double allowed[SCHEMES] = {1e-7, 3e-3, 5e-4, 1e-9, 1e-4};
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_belt(schemes[i], 0.005, "'surface_velocity': 1", 0);
    AspStepInfo info;
    double motors = 0, friction = 0, remainder = 0;
    while (asp_world_state(live.world)->t < until - 1e-9) {
      assert_ok(live.context, asp_world_step(live.world, &info));
      assert_true(info.certified && info.resolved);
      motors += info.flow.motors;
      friction += info.flow.friction;
      remainder += info.flow.remainder;
    }
    assert_near(position_of(&live, "box").x, way, allowed[i]);
    assert_near(velocity_of(&live, "box").x, v, 1e-6);
    // the belt gives F v t = 2 kinetic energies, half of it becomes heat
    assert_near(motors, 2, 2e-2);
    assert_near(friction, 1, 2e-2);
    assert_near(remainder, 0, 2e-2);
    end(&live);
  }
}

static void slip_is_that_against_the_belt(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_belt(schemes[i], 0.005, "'surface_velocity': 1", 0);
    run_to(&live, 0.2);
    const AspContactRecord *contacts = asp_world_contacts(live.world);
    assert_true(asp_world_contact_count(live.world) >= 2);
    assert_near(contacts[0].slip[1], 0.5 - 1, 2e-2);
    assert_int_equal(contacts[0].mode, ASP_MODE_SLIDE);
    run_to(&live, 1);
    contacts = asp_world_contacts(live.world);
    assert_near(contacts[0].slip[1], 0, 1e-5);
    end(&live);
  }
}

/* tan(angle) < mu: carried up at the belt's speed; above it slides down against the belt with g (sin - mu cos). */
static void an_inclined_belt_carries_what_friction_holds(void **state) {
  (void)state;
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_belt(schemes[i], 0.005, "'surface_velocity': 0.5", 0.2);
    run_to(&live, 5);
    assert_near(velocity_of(&live, "box").x, 0.5, 1e-5);
    end(&live);
    live = start_belt(schemes[i], 0.005, "'surface_velocity': 0.5", 0.4);
    run_to(&live, 1);
    assert_near(velocity_of(&live, "box").x, -10 * (sin(0.4) - 0.25 * cos(0.4)), 1e-3);
    end(&live);
  }
}

/* The speed of the belt as an expression: the box follows while the belt accelerates by less than mu g. */
static void a_box_follows_a_belt_that_accelerates(void **state) {
  (void)state;
  const double allowed[SCHEMES] = {1e-5, 5e-3, 1e-4, 1e-9, 1e-4};
  for (size_t i = 0; i < SCHEMES; i++) {
    Live live = start_belt(schemes[i], 0.005, "'surface_velocity': '0.5*(1 - cos(2*t))'", 0);
    run_to(&live, 1);
    assert_near(velocity_of(&live, "box").x, 0.5 * (1 - cos(2)), 2 * allowed[i]);
    assert_near(position_of(&live, "box").x, 0.5 * (1 - 0.5 * sin(2)), allowed[i]);
    end(&live);
  }
}

/* In space, two belts side by side in opposite directions: a disk across both turns in place, without going away. */
static void opposite_belts_turn_a_plate_in_place(void **state) {
  (void)state;
  const char *three[] = {"moreau-jean", "stewart-trinkle", "compliant"};
  for (int i = 0; i < 3; i++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "{'gravity': [0, 0, -10], 'materials': [{'pair': ['*', '*'], 'friction': 0.3}], 'bodies': ["
        "{'name': 'left', 'fixed': true, 'shapes': [{'type': 'box', 'size': [4, 1, 0.1], "
        "'position': [0, 0.55, -0.05], 'surface_velocity': [0.2, 0, 0]}]},"
        "{'name': 'right', 'fixed': true, 'shapes': [{'type': 'box', 'size': [4, 1, 0.1], "
        "'position': [0, -0.55, -0.05], 'surface_velocity': [-0.2, 0, 0]}]},"
        "{'name': 'plate', 'mass': 1, 'position': [0, 0, 0.01], 'shapes': [{'type': 'box', 'size': [1, 1, 0.02]}]}],"
        "'run': {'scheme': '%s', 'dt': 0.002, 'until': 0.2}}",
        three[i]);
    Live live = start(text);
    run_to(&live, 0.1);
    AspVec3 x = position_of(&live, "plate");
    assert_near(x.x, 0, 1e-4);
    assert_near(x.y, 0, 1e-4);
    assert_true(asp_state_angular_velocity(live.scene.model, asp_world_state(live.world), 2).z < -0.1);
    end(&live);
  }
}

/* On a turntable that turns with w a small box goes round with it while w^2 r < mu g. */
static void a_turntable_carries_a_box_round(void **state) {
  (void)state;
  const char *two[] = {"moreau-jean", "stewart-trinkle"};
  const double allowed[] = {1e-4, 2e-2};
  for (int i = 0; i < 2; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{'gravity': [0, 0, -10], 'materials': [{'pair': ['*', '*'], 'friction': 0.5}], 'bodies': ["
             "{'name': 'table', 'fixed': true, 'shapes': [{'type': 'cylinder', 'radius': 1, 'length': 0.1, "
             "'position': [0, 0, -0.05], 'surface_spin': [0, 0, 2]}]},"
             "{'name': 'box', 'mass': 1, 'position': [0.5, 0, 0.01], 'velocity': [0, 1, 0], "
             "'angular_velocity': [0, 0, 2], 'shapes': [{'type': 'box', 'size': [0.1, 0.1, 0.02]}]}],"
             "'run': {'scheme': '%s', 'dt': 0.005, 'until': 1}}",
             two[i]);
    Live live = start(text);
    run_to(&live, 1);
    AspVec3 x = position_of(&live, "box");
    assert_near(hypot(x.x, x.y), 0.5, allowed[i]);
    assert_near(atan2(x.y, x.x), 2, 2 * allowed[i]);
    end(&live);
  }
}

/* A ball that falls on a belt bounces as high as on a floor. */
static void restitution_does_not_feel_the_belt(void **state) {
  (void)state;
  for (int belt = 0; belt < 2; belt++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{'gravity': [0, 0, -10], 'materials': [{'pair': ['*', '*'], 'friction': 0.3, 'restitution': 0.5}],"
             "'bodies': [{'name': 'floor', 'fixed': true, 'shapes': [{'type': 'half-space'%s}]}, {'name': 'ball', "
             "'mass': 1, 'position': [0, 0, 0.5], 'shapes': [{'type': 'sphere', 'radius': 0.1}]}],"
             "'run': {'scheme': 'event-driven', 'dt': 0.01, 'until': 0.5}}",
             belt ? ", 'surface_velocity': [3, 0, 0]" : "");
    Live live = start(text);
    run_to(&live, 0.4);
    double t = 0.4 - sqrt(2 * 0.4 / 10), v = 0.5 * sqrt(2 * 0.4 * 10);
    assert_near(position_of(&live, "ball").z, 0.1 + v * t - 5 * t * t, 1e-8);
    assert_true((velocity_of(&live, "ball").x > 0.1) == (belt == 1));
    end(&live);
  }
}

static const Wrong wrong[] = {
    {"'surface_velocity': 1", "/bodies/0/shapes/0/surface_velocity: expected "},
    {"'surface_velocity': [1, 0]", "/bodies/0/shapes/0/surface_velocity: "},
    {"'surface_velocity': ['x', 0, 0]", "/bodies/0/shapes/0/surface_velocity/0: 'x', column 1: 'x' is not known"},
    {"'surface_velocity': ['1/0', 0, 0]", "surface_velocity: '1/0' is inf at t = 0"},
    {"'surface_velocty': [1, 0, 0]", "unknown key; did you mean 'surface_velocity'?"},
    {"'surface_spin': [0, 0]", "/bodies/0/shapes/0/surface_spin: "},
    {"'surface_spin': [0, 0, 'sin(']", "/bodies/0/shapes/0/surface_spin/2: 'sin(', column 5"},
};

static void what_is_wrong_with_a_surface_is_named(void **state) {
  (void)state;
  assert_refused("{'bodies': [{'name': 'belt', 'fixed': true, 'shapes': [{'type': 'half-space', %s}]}]}", wrong,
                 sizeof wrong / sizeof *wrong);
  const Wrong plane = {"[1, 0]", "/bodies/0/shapes/0/surface_velocity: expected "};
  assert_refused("{'dimension': 2, 'bodies': [{'name': 'belt', 'fixed': true, 'shapes': [{'type': 'half-plane', "
                 "'surface_velocity': %s}]}]}",
                 &plane, 1);
}

static void schemes_that_cannot_have_a_turning_surface_say_so(void **state) {
  (void)state;
  const char *two[] = {"generalized-alpha", "event-driven"};
  for (int i = 0; i < 2; i++) {
    AspContext *context = asp_context_create(NULL);
    AspScene scene;
    AspWorld *world = NULL;
    char text[512];
    snprintf(text, sizeof text,
             "{'bodies': [{'name': 'table', 'fixed': true, 'shapes': [{'type': 'half-space', 'surface_spin': [0, 0, 1]"
             "}]}, {'name': 'ball', 'mass': 1, 'inertia': [1, 1, 1]}], 'run': {'scheme': '%s'}}",
             two[i]);
    assert_ok(context, read_quoted(context, text, &scene));
    assert_int_equal(asp_world_create(context, scene.model, &scene.run, &world), ASP_ERROR_INPUT);
    assert_non_null(strstr(asp_context_message(context), "body table: \"surface_spin\" of a shape is not possible"));
    asp_scene_destroy(context, &scene);
    asp_context_destroy(context);
  }
}

/* What the page gets: which shapes have moving surfaces, and how they move in every frame. */
static void results_and_page_keep_how_surfaces_move(void **state) {
  (void)state;
  const char *path = ASP_BINARY_DIR "/surfaces.h5";
  Live live =
      start("{'gravity': [0, 0, -10], 'materials': [{'pair': ['*', '*'], 'friction': 0.3}], 'bodies': ["
            "{'name': 'machine', 'fixed': true, 'shapes': [{'type': 'box', 'size': [1, 1, 1]}, {'type': 'box', "
            "'size': [4, 1, 0.1], 'position': [0, 3, 0], 'surface_velocity': ['1 + t', 0, 0]}, {'type': "
            "'cylinder', 'radius': 1, 'length': 0.1, 'position': [0, -3, 0], 'surface_spin': [0, 0, '2*t']}]},"
            "{'name': 'ball', 'mass': 1, 'position': [0, 3, 2], 'shapes': [{'type': 'sphere', 'radius': 0.1}]}],"
            "'run': {'dt': 0.01, 'until': 0.1}}");
  AspResultWriter *writer = NULL;
  AspStepInfo info;
  assert_ok(live.context, asp_result_create(live.context, path, &live.scene, live.world, &writer));
  for (int i = 0; i < 10; i++) {
    assert_ok(live.context, asp_world_step(live.world, &info));
    assert_ok(live.context, asp_result_append(writer, live.world, &info));
  }
  assert_ok(live.context, asp_result_close(writer, live.world));
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), shape = H5Dopen2(file, "/surfaces/shape", H5P_DEFAULT),
        velocity = H5Dopen2(file, "/surfaces/velocity", H5P_DEFAULT),
        spin = H5Dopen2(file, "/surfaces/spin", H5P_DEFAULT);
  int32_t shapes[2];
  double v[11][2][3], w[11][2][3];
  H5Dread(shape, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, shapes);
  H5Dread(velocity, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
  H5Dread(spin, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, w);
  assert_int_equal(shapes[0], 1);
  assert_int_equal(shapes[1], 2);
  for (int k = 0; k <= 10; k++) {
    assert_near(v[k][0][0], 1 + 0.01 * k, 1e-12);
    assert_near(v[k][1][0], 0, 0);
    assert_near(w[k][1][2], 0.02 * k, 1e-12);
  }
  H5Dclose(shape);
  H5Dclose(velocity);
  H5Dclose(spin);
  H5Fclose(file);
  unsigned char *bytes = NULL;
  size_t length = 0;
  assert_ok(live.context, asp_view_data(live.context, path, NULL, &bytes, &length));
  assert_true(length > 0);
  asp_view_data_destroy(live.context, bytes);
  end(&live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_and_page_keep_how_surfaces_move),
      cmocka_unit_test(a_box_on_a_belt_reaches_its_speed),
      cmocka_unit_test(slip_is_that_against_the_belt),
      cmocka_unit_test(an_inclined_belt_carries_what_friction_holds),
      cmocka_unit_test(a_box_follows_a_belt_that_accelerates),
      cmocka_unit_test(opposite_belts_turn_a_plate_in_place),
      cmocka_unit_test(a_turntable_carries_a_box_round),
      cmocka_unit_test(restitution_does_not_feel_the_belt),
      cmocka_unit_test(what_is_wrong_with_a_surface_is_named),
      cmocka_unit_test(schemes_that_cannot_have_a_turning_surface_say_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
